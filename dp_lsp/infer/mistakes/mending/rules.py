"""What may mend a problem of each kind, made of the whole function once it is inferred. All are proposals: each is
tried before it is offered."""

from __future__ import annotations

from dp_lsp.infer import problems
from dp_lsp.infer.mistakes.mending.bounds import (
    bounded_arguments,
    bounded_failing,
    bounded_release,
    missing_bounds,
    noisy_limits,
    places_within,
)
from dp_lsp.infer.mistakes.mending.calling import (
    above_zero,
    by_mechanism,
    chosen_bounds,
    chosen_distance,
    chosen_scale,
    completed,
    for_its_norm,
    in_their_order,
    not_clipped,
    public_epsilon,
    random_answer,
    random_answers,
    without_delta,
)
from dp_lsp.infer.mistakes.mending.declaring import (
    all_records,
    annotated,
    in_order,
    missing_parameter,
    products,
    public_argument,
    public_beside,
    public_count,
    public_numbers,
    public_rounds,
    untrusted,
)
from dp_lsp.infer.mistakes.mending.early import noise_early, noisy_average, noisy_count, noisy_quantile, noisy_quotient
from dp_lsp.infer.mistakes.mending.parts import Rule
from dp_lsp.infer.mistakes.mending.releasing import noise_by_record, on_a_statistic, released, unprinted
from dp_lsp.infer.mistakes.mending.rewriting import (
    added_up,
    by_counting,
    by_keeping,
    by_length,
    by_place,
    by_size,
    by_sum,
    for_each,
    in_brackets,
    largest,
    made_whole,
    mapped_before,
    root_after,
    whole_quotient,
    without_mark,
)
from dp_lsp.infer.mistakes.scene import Scene
from dp_lsp.problem import Problem

RULES: dict[str, tuple[Rule, ...]] = {
    kind.code: rules
    for kind, rules in (
        (
            problems.DoesNotFit,
            (
                public_beside,
                mapped_before,
                noisy_limits,
                noisy_quotient,
                missing_bounds,
                noisy_average,
                places_within,
                in_brackets,
                annotated,
                noise_early,
            ),
        ),
        (problems.NotAsCalled, (bounded_arguments, annotated)),
        (problems.UnboundedInput, (noisy_limits, noisy_quotient, products, bounded_release, annotated, noise_early)),
        (problems.Unbounded, (annotated,)),
        (
            problems.NoRule,
            (
                root_after,
                noisy_limits,
                products,
                noisy_quantile,
                by_place,
                by_counting,
                whole_quotient,
                annotated,
                noise_early,
            ),
        ),
        (problems.UnknownName, (by_mechanism, without_mark, by_keeping, missing_parameter)),
        (problems.OtherNorm, (for_its_norm,)),
        (problems.UnknownCount, (noisy_limits, noisy_average, noisy_quantile, noise_early)),
        (
            problems.PrivateCount,
            (noisy_limits, in_their_order, noisy_average, noisy_count, public_epsilon, noise_early),
        ),
        (
            problems.BoundFromData,
            (in_their_order, all_records, public_epsilon, public_numbers, chosen_distance, chosen_scale, chosen_bounds),
        ),
        (problems.MustBePublic, (public_epsilon, in_their_order)),
        (problems.NoiseOnRecords, (on_a_statistic,)),
        (
            problems.WrongArgument,
            (
                public_argument,
                public_rounds,
                made_whole,
                by_length,
                products,
                noise_by_record,
                added_up,
                annotated,
                for_each,
                untrusted,
                by_sum,
            ),
        ),
        (problems.NoMechanism, (annotated, released)),
        (problems.LeavesUnprotected, (random_answer, annotated, bounded_failing, released, noise_early)),
        (problems.PrivateBranch, (by_size, annotated, released, noise_early)),
        (problems.PrivateOutput, (unprinted,)),
        (problems.OwnNoise, (by_mechanism, random_answer)),
        (problems.NoiseApart, (by_mechanism,)),
        (problems.WrongCount, (completed,)),
        (problems.ConditionFails, (above_zero, without_delta, annotated)),
        (problems.MoreThanAdded, (noise_by_record, largest)),
        (problems.NeedsTypes, (public_count, public_beside, all_records)),
        (problems.PlaceOfRecord, (added_up, noisy_quantile, in_order)),
        (problems.DataToMechanism, (random_answers,)),
        (problems.InvertedNoise, (in_their_order,)),
        (problems.BatchClipped, (not_clipped,)),
    )
}
"""What may mend a problem of each kind, the likeliest first."""


def mended(scene: Scene, problem: Problem) -> Problem:
    """A problem with the repairs that are made of the whole function, after those that it has."""
    fixes = (fix for rule in RULES.get(problem.code, ()) for fix in rule(scene, problem))
    more = tuple(dict.fromkeys(fixes))
    return problem._replace(fixes=(*problem.fixes, *more)) if more else problem
