"""The rule of mechanisms: what moved becomes the distances of an event, and what is returned is public."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial

from dp_lsp import builtins
from dp_lsp.builtins.define import Args, Noise
from dp_lsp.builtins.remedies import measure_in
from dp_lsp.builtins.traits import Jumps
from dp_lsp.core import term
from dp_lsp.core.algebra import Poly, Symbol
from dp_lsp.core.constraints import Assumptions, Comparison, Constraint, Origin, decide
from dp_lsp.core.evaluate import Substitution, norms_of, speaks_of, symbols_of
from dp_lsp.core.events import Cost, Distances, Leak, Release, Repeat, Sampled, Sampling, Var
from dp_lsp.core.metrics import conversion
from dp_lsp.core.notation import DISPLAY, Printer, as_formula, figure, shown
from dp_lsp.core.ranges import is_computed, is_too_far, ratio, supremum
from dp_lsp.core.scheme import Judgement, Move, Moves
from dp_lsp.core.sens import ONE, Sens, magnitude, maximum, number
from dp_lsp.core.types import AnyNorm, Container, Norm, Type
from dp_lsp.core.values import replace
from dp_lsp.infer import conditions, explain, moves, norms, parts, problems
from dp_lsp.infer.effects import NONE, Effects, Evaluation, in_sequence, spending
from dp_lsp.infer.inference import Inference
from dp_lsp.intents import Rendering, Through
from dp_lsp.mechanisms.mechanism import Mechanism, Pair
from dp_lsp.named import NamedTuple
from dp_lsp.problem import Edit, Extent, Fix, Problem, Related
from dp_lsp.text import Span

_NOTHING = Poly.of(0)


def release(
    inference: Inference, node: term.Call, noise: Noise, args: Args, values: list[Judgement], result: Type
) -> Evaluation:
    """Run a mechanism. Its input's distances go into the event; nothing moves with what it returns."""
    index = args.names.index(noise.hidden)
    span = node.args[index].span
    event = noise.event(args)
    for premise in node.premises:
        inference.recorder.suppose(premise)
    factor = _factor(inference, span, noise.norm, args.types[index], event) if values[index].moves else ONE
    paid = inference.paid(values[index].moves, span)
    moved = moves.scaled(paid, noise.factor(args), span, node.builtin, way=noise.way(args))
    reaching = moves.that_move(moved).items()
    private = {var: _in_known_norm(inference, move) for var, move in reaching if not var.exempt}
    unbounded = {var: move for var, move in private.items() if move.sens.infinite}
    if unbounded:
        _report_unbounded(inference, span, unbounded)
    _warn_inverted(inference, node, noise, args, private)
    _warn_generous(inference, node, noise, args)
    distances = {var: move.sens for var, move in private.items() if var not in unbounded}
    place = None if noise.declares is None else node.args[args.names.index(noise.declares)].span
    exposed = [expose(inference, node, args.names.index(name), values) for name in noise.exposed]
    public = all(each is NONE for each in exposed)
    still = partial(_nevertheless, args, event, factor, public)
    hidden = partial(_hidden, inference, place, span, event, nevertheless=still)
    too_far = {var for var in distances if not noise.measured and not hidden(move=private[var], var=var)}
    origin = Origin(node.span, event.name)
    lost = inference.leak({*unbounded, *too_far}, Origin(node.span, "the noise hides no change that large"))
    kept = {
        parts.told_apart(
            inference, var, _in_known_norm(inference, paid[var]), node.args[index], values[index], event
        ): move
        for var, move in private.items()
        if var in distances and var not in too_far
    }
    if place is not None and not unbounded and not too_far:
        _more_than_needed(inference, place, span, event, maximum(distances.values()) * factor)
    released: list[Cost] = [replace(_released(inference, event, kept, factor, origin), demanded=not noise.measured)]
    if noise.drawn is not None:
        whole = {var: private[var] for var in distances}
        released = [_of_sample(event, whole, noise.drawn(args), inference.written(span), origin)]
    if noise.then is not None:
        then, times = noise.then(args)
        later = Origin(node.span, then.name)
        once = Release(then, {var: move.sens for var, move in kept.items()}, factor, later)
        released.append(Repeat(times, once, later))
    return Evaluation(Judgement(result, moves.NOWHERE), in_sequence([*exposed, lost, spending(*released)]))


def _in_known_norm(inference: Inference, move: Move) -> Move:
    """A move in the norm that the noise is made for, if it waited for that."""
    if not norms_of(move.sens):
        return move
    return replace(move, sens=inference.solver.substitution().sens(move.sens))


def _released(inference: Inference, event: Mechanism, moved: Moves, factor: Sens, origin: Origin) -> Release:
    """What a mechanism releases. Where a change moves all that it selects by the same way, less of that can be told: if
    all changes do, the whole counts less, also where no number says how far they move it."""
    distances = {var: move.sens for var, move in moved.items()}
    share = event.one_way if inference.context.rules.one_way else None
    one_way = frozenset(var for var, move in moved.items() if share and var.chained and move.way)
    if share is None or not one_way:
        return Release(event, distances, factor, origin)
    if len(one_way) == len(moved):
        return Release(event, distances, factor * share, origin, one_way)
    shared = {var: distance * share if var in one_way else distance for var, distance in distances.items()}
    return Release(event, shared, factor, origin, one_way)


def _of_sample(event: Mechanism, moved: Moves, rate: Sens, written: str, origin: Origin) -> Sampled:
    """What a mechanism releases of records each of which is drawn by itself: one that is there or not, and is drawn,
    moves what is hidden as far as the noise is made for."""
    record, drawn = Var(written), Var(written)
    body = Release(event, {record: event.declared}, ONE, origin, demanded=False)
    along = {drawn: {var: move.sens for var, move in moved.items()}}
    return Sampled(Sampling.POISSON, rate, ONE, along, record, True, body, origin, comes_or_goes=True)


def nothing_hidden(span: Span) -> Effects:
    """A mechanism that could not be understood may have released anything: it counts as one all the same."""
    return spending(Leak(frozenset(), Origin(span, "a mechanism that was not understood")))


def expose(inference: Inference, node: term.Call, index: int, values: list[Judgement]) -> Effects:
    """What a mechanism does not protect must be public."""
    span = node.args[index].span
    private = {var: move for var, move in inference.released(values[index].moves, span).items() if not var.exempt}
    if private:
        _report_unprotected(inference, node, span, private)
    return inference.leak(private, Origin(span, node.builtin))


def _report_unprotected(inference: Inference, node: term.Call, span: Span, private: dict[Var, Move]) -> None:
    first, move = next(iter(private.items()))
    inference.report(
        problems.LeavesUnprotected.at(
            span,
            what=f"`{inference.written(span)}`, which `{inference.code[node.builtin]}` does not protect,",
            variable="`, `".join(sorted(var.name for var in private if not var.members)),
            consequence="it must be public there",
            related=explain.path(inference, move, first.name),
            fixes=inference.publish(var.name for var in private),
        )
    )


def _factor(inference: Inference, span: Span, wanted: Norm | None, type_: Type, event: Mechanism) -> Sens:
    """How much larger the input's distance may be in the norm the noise is made for. An open norm becomes that one;
    another is converted, with a warning that says the price."""
    if not isinstance(type_, Container) or wanted is None:
        return ONE
    solver = inference.solver
    norm = solver.norm(type_.norm)
    if norm is wanted or (not isinstance(norm, Norm) and solver.same_norm(norm, wanted)):
        return ONE
    factor = conversion(norm, wanted, type_.length)
    if factor == ONE:
        norms.notice(inference, span, replace(type_, norm=wanted), type_)
        return ONE
    inference.report(_other_norm(inference, span, wanted, norm, factor, event))
    if event.needs_small_epsilon:
        reason = f"measured in {wanted.value}, the noise costs {shown(factor)}⋅ε, and its theorem needs that below 1"
        limit = Poly.of(1) - (event.declares.epsilon * factor).single_poly()
        inference.demand(Poly.of(0), "<", limit, Origin(span, reason), conditions.fails)
    return factor


def _other_norm(
    inference: Inference, span: Span, wanted: Norm, given: AnyNorm, factor: Sens, event: Mechanism
) -> Problem:
    assert isinstance(given, Norm), "an open norm becomes the one that is wanted"
    times = f"{shown(factor)} times"
    title = f"measure it in {wanted.value} (the distance counts {times})"
    fixes = inference.fixes(Through(title, span, (measure_in(wanted),)))
    return problems.OtherNorm.at(
        span, mechanism=event.name, wanted=wanted.value, given=given.value, cost=f"ε counts {times}", fixes=fixes
    )


def _report_unbounded(inference: Inference, span: Span, unbounded: dict[Var, Move]) -> None:
    shown_vars = {var: move for var, move in unbounded.items() if not var.members}
    problem = _unbounded(inference, span, shown_vars)
    inference.report(problem._replace(refutable=not problem.unchecked))  # the mechanism declares a number


def _unbounded(inference: Inference, span: Span, moved: dict[Var, Move]) -> Problem:
    """What moves the input of a mechanism without bound. Where this is only known to jump, some noise may hide it: how
    much is not known."""
    first = next(iter(moved.values()))
    names = explain.either(var.name for var in moved)
    row = builtins.TABLE.get(moves.first_infinite(first).rule)
    jumps = row is not None and row.has(Jumps)
    problem = problems.UnboundedInput.at(
        span,
        written=inference.written(span),
        variable=names,
        hides="is known to hide" if jumps else "hides",
        how=f"it may jump, or rise steeply, where `{names}` hardly changes"
        if jumps
        else f"a change of 1 in `{names}` can move it by any amount",
        because=explain.because(inference, first, inference.written(span)),
        related=explain.path(inference, first, next(iter(moved)).name),
    )
    return problem._replace(unchecked=jumps)


def _nevertheless(args: Args, event: Mechanism, factor: Sens, hidden: bool, moved: Sens) -> str:
    """What holds of an input that moves further than noise is made for: what the same theorem says of noise
    that is made for the whole distance and of an ε that is larger by as much, which is the same noise. It is said where
    δ stays what it is, where the numbers of the noise may be what the theorem asks for, and where all that is given to
    the mechanism is ``hidden`` by it. Of noise that declares no ε the ρ is said."""
    numbers = (each for each in args.statics if each is not None and magnitude(each) in event.given)
    needs = [Comparison(_NOTHING, "<", each) for each in numbers]
    if event.declared.zero or not hidden or any(decide(*need) is False for need in needs):
        return ""
    steps = supremum(ratio(moved, event.declared.single_poly()), is_computed)
    if steps.infinite:
        return ""
    found = _guaranteed(event, steps, factor, Printer(DISPLAY, Assumptions(needs)).sens)
    return f"; against that change it gives {found}" if found else ""


def _guaranteed(event: Mechanism, steps: Sens, factor: Sens, write: Callable[[Sens], str]) -> str:
    """What noise guarantees of so many steps, in words; empty where its theorem says nothing of them."""
    if not event.has_pair:
        deviations = event.deviations(steps * factor)
        return f"ρ = {write(deviations * deviations * number(Fraction(1, 2)))} (zero-concentrated)"
    pair, where, small = event.pair(steps, factor, steps), "", event.declares.epsilon * factor * steps
    if event.needs_small_epsilon and decide(small, "<=", ONE) is None:
        pair, where = Pair(small, event.declares.delta), f", where {write(small)} ≤ 1"
    if pair is None or pair.delta != event.declares.delta or not _is_delta(pair.delta):
        return ""
    if speaks_of(pair.epsilon, is_computed) or speaks_of(pair.delta, is_computed):
        return ""
    delta = "" if pair.delta.zero else f", δ = {write(pair.delta)}"
    return f"ε = {write(pair.epsilon)}{delta}{where}"


def _is_delta(delta: Sens) -> bool:
    """Whether a δ says something, or may be one that does."""
    return decide(delta, "<=", ONE) is not False


def _hidden(
    inference: Inference,
    place: Span | None,
    span: Span,
    event: Mechanism,
    move: Move,
    var: Var,
    nevertheless: Callable[[Sens], str],
) -> bool:
    """Demand that a variable moves the input by at most the distance declared at ``place``; False if it certainly
    moves more, as does what is more than 1 times as large: noise that is made for nothing hides nothing. The report of
    that says what is guaranteed ``nevertheless``."""
    if var.members:  # the price of a record is taken at its own distance
        return True

    def failed(constraint: Constraint) -> Problem:
        still = nevertheless(constraint.left) if isinstance(constraint.left, Sens) else ""
        found = _too_sensitive(inference, span, place, constraint, move, var, still)
        return found._replace(extent=(_times(constraint).of(var.name), *_loudness(event)))

    origin = Origin(place or span, f"the noise must hide how far `{inference.written(span)}` moves")
    constraint = Constraint(move.sens, "<=", event.declared, origin)
    if is_too_far(move.sens, event.declared):
        inference.report(failed(constraint))
        return False
    inference.demand(*constraint[:3], origin, failed, hides=True)
    return True


def _more_than_needed(inference: Inference, place: Span, span: Span, event: Mechanism, most: Sens) -> None:
    """Say so if noise is made for a known number of times as much as anything can move what is hidden."""
    if not inference.context.rules.computed or most.zero or event.declared.zero:
        return
    share = ratio(most, event.declared.single_poly()).number
    if share is None or share >= 1:
        return
    inference.report(
        problems.MoreNoise.at(
            place,
            declared=shown(event.declared),
            written=inference.written(span),
            inferred=shown(most),
            times=shown(number(1 / share)),
            fixes=() if speaks_of(most, is_computed) else inference.replaced(place, most),
        )
    )


def _times(constraint: Constraint) -> Extent:
    """How many times the change that is hidden a variable can make."""
    change, hidden = (as_formula(side) for side in (constraint.left, constraint.right))
    return Extent("", change if hidden == "1" else f"({change}) / ({hidden})")


def _loudness(event: Mechanism) -> tuple[Extent, ...]:
    """How little a mechanism hides of what it is made for: a larger ε or δ hides less, and so does less noise."""
    numbers = ((name, as_formula(number), name in event.quieter_by) for name, number in event.numbers.items())
    return tuple(Extent(f"1/{name}", f"1 / ({text})") if less else Extent(name, text) for name, text, less in numbers)


def _too_sensitive(
    inference: Inference,
    span: Span,
    place: Span | None,
    constraint: Constraint,
    move: Move,
    var: Var,
    nevertheless: str,
) -> Problem:
    related = explain.path(inference, move, var.name)
    fixes: tuple[Fix, ...] = ()
    if place is None and move.before and decide(move.before[0].sens, "<=", constraint.right):
        return problems.QueryTooSensitive.at(
            span,
            inferred=shown(constraint.left),
            variable=var.name,
            mechanism=move.rule,
            declared=shown(constraint.right),
            nevertheless=nevertheless,
            related=related,
        )
    if place is not None:
        enough = constraint.left
        related = (Related(f"{shown(constraint.left)} is the smallest value that is enough", place), *related)
        fixes = inference.replaced(place, enough) if isinstance(enough, Sens) else ()
    return problems.TooSensitive.at(
        span,
        declared=shown(constraint.right),
        written=inference.written(span),
        inferred=shown(constraint.left),
        nevertheless=nevertheless,
        related=related,
        fixes=fixes,
    )


# The scale of noise as a formula: what makes it larger that should make it smaller


EPSILONS = frozenset({"eps", "epsilon", "ε", "ϵ"})
"""How people call the parameter that says how much may be told."""


def _warn_inverted(inference: Inference, node: term.Call, noise: Noise, args: Args, moved: Moves) -> None:
    """Say so if noise grows with a parameter that is called ε, unless that moves what is hidden, too."""
    given = dict(zip(args.names, node.args, strict=True))
    sides = [(name, 1) for name in noise.grows] + [(name, -1) for name in noise.shrinks]
    found = [(name, way, args.static(name)) for name, way in sides if name in given]
    known = {symbol for move in moved.values() for symbol in symbols_of(move.sens)}
    for name, way, value in found:
        for symbol in symbols_of(value) - known:
            elsewhere = any(symbol in symbols_of(other) for at, _, other in found if at != name)
            if symbol.name in EPSILONS and not elsewhere and _grows(value, symbol, way):
                place = given[name]
                inference.report(
                    problems.InvertedNoise.at(
                        place.span,
                        symbol=symbol.name,
                        written=inference.written(place.span),
                        argument=name,
                        call=inference.context.language.builtins.spelling(node.builtin).signature,
                        fixes=() if name == noise.declares else _other_way_round(inference.code, place, value, symbol),
                    )
                )


_MOST_USUAL = 10  # ε; a larger one hides hardly anything


def _warn_generous(inference: Inference, node: term.Call, noise: Noise, args: Args) -> None:
    """Say so if ε is a number that is larger than is of much use."""
    if not inference.context.rules.computed:
        return
    for name, place in zip(args.names, node.args, strict=True):
        value = args.static(name).number if name in noise.shrinks else None
        if value is not None and value > _MOST_USUAL:
            inference.report(problems.LargeEpsilon.at(place.span, epsilon=figure(value)))


def _grows(value: Poly, symbol: Symbol, way: int) -> bool:
    """Whether a number gets larger with a symbol, or smaller if the way is -1, in all its terms that have it."""
    powers = [power * way for monomial in value.terms for atom, power in monomial if atom is symbol]
    return bool(powers) and all(power > 0 for power in powers)


def _other_way_round(code: Rendering, place: term.Term, value: Poly, symbol: Symbol) -> tuple[Fix, ...]:
    """The other way round, where it is the symbol and nothing else."""
    alone = Poly.of(symbol)
    instead = code.call("/", "1", symbol.name) if value == alone else symbol.name if value == alone.inverse() else ""
    return (Fix(f"write `{instead}`", (Edit(place.span, instead),), sure=False),) if instead else ()


# What a private function may be given: values that move by a known distance, or by at most 1


class Reaching(NamedTuple):
    """What moves the input of a private function. Of what moves it without bound there is only the effect that it is
    not protected."""

    moves: Moves
    effects: Effects


def reaching(inference: Inference, span: Span, moved: Moves, origin: Origin) -> Reaching:
    """What moves a private function's input, and is to be protected."""
    private = {var: move for var, move in inference.paid(moved, span).items() if not var.exempt}
    unbounded = frozenset(var for var, move in private.items() if move.sens.infinite)
    if unbounded:
        _unbounded_input(inference, span, private, unbounded)
    bounded = {var: move for var, move in private.items() if var not in unbounded}
    return Reaching(bounded, inference.leak(unbounded, origin))


class InputDistances(NamedTuple):
    """How far each variable moves what a private function is given. Those that move it without bound are not among
    them: the effect is that they are not protected."""

    distances: Distances
    effects: Effects


def distances(inference: Inference, span: Span, moved: Moves, origin: Origin) -> InputDistances:
    """How far each variable moves what a private function is given, each a number or at most 1."""
    found = reaching(inference, span, moved, origin)
    return InputDistances(at_most_one(inference, found.moves, origin), found.effects)


def exact_distances(inference: Inference, moved: Moves) -> Distances:
    """How far each variable moves what a private function is given."""
    return {var: _in_any_norm(inference, move.sens) for var, move in moved.items()}


def at_most_one(inference: Inference, moved: Moves, origin: Origin) -> Distances:
    """How far each variable moves what a private function is given, each a number or at most 1."""
    return {var: _distance(inference, var, move, origin) for var, move in moved.items()}


def _distance(inference: Inference, var: Var, move: Move, origin: Origin) -> Sens:
    """How far a variable moves an argument of a private function. Where that is no number, or where there is no price
    for more, it must be at most 1; a record then moves it by at most 1 for each of its members."""
    known = _in_any_norm(inference, move.sens)
    if inference.context.rules.groups and known.number is not None:
        return known
    if var.members:
        return number(var.members)
    inference.demand(move.sens, "<=", ONE, origin, conditions.fails)
    return ONE


def _in_any_norm(inference: Inference, moved: Sens) -> Sens:
    """A distance as it is where norms that are still open turn out to be those in which it is largest."""
    if moved.number is not None or not norms_of(moved):
        return moved
    moved = inference.solver.substitution().sens(moved)
    for norm in norms_of(moved):
        ways = [Substitution({}, {norm: each}).sens(moved) for each in Norm]
        moved = next((way for way in ways if all(decide(other, "<=", way) for other in ways)), moved)
    return moved


def _unbounded_input(inference: Inference, span: Span, private: Moves, unbounded: frozenset[Var]) -> None:
    named = {var: move for var, move in private.items() if var in unbounded and not var.members}
    if named:
        inference.report(_unbounded(inference, span, named))
