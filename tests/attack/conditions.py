"""Takes conditions of rules away, one at a time, and looks which seeds of the independent evaluator refute what is
claimed then. What is taken away is said in words; what none of the seeds refutes is listed, too.

The seeds are those of :mod:`evaluator.subjects`, each a function as people write it; the claims are made in this
process, by the rules as they are broken. Others are in :mod:`attack.lacking`, those of samples in
:mod:`attack.sampled`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace
from itertools import islice
from typing import Any, NamedTuple

from dp_lsp.builtins import datasets, statistics
from dp_lsp.core import events, linear, ranges, sens, tallies
from dp_lsp.core.algebra import Poly
from dp_lsp.core.evaluate import Substitution
from dp_lsp.core.term import Use
from dp_lsp.core.types import Norm
from dp_lsp.engine.check import Engine
from dp_lsp.features.report import file_report
from dp_lsp.infer import accumulators, disjoint, entries, functions, generalize, parts, publics, reading, records
from dp_lsp.infer import linear as forms
from dp_lsp.infer import tallies as reader
from dp_lsp.lower import scope
from dp_lsp.mechanisms import noise
from dp_lsp.mechanisms.mechanism import Pair
from evaluator.claims import claims

from .breaking import Rule
from .evaluated import judged
from .lacking import lacking
from .precision import written
from .sampled import conditions_of_samples, refuted_by_sample

SEEDS = {
    "sums: a record that is replaced counts twice": 16,
    "sums: a cell lies on the right side of a number": 123,
    "sums: a record may add nothing": 7,
    "sums: cells of numbers that are not whole": 59,
    "sums: both ends of a feature count": 7,
    "sums: entries add up in their norm": 108,
    "sums: what else a statistic is made of moves apart": 474,
    "sums: both ends of what is computed count": 173,
    "linear: two positions may be the same": 477,
    "linear: from L1 a column counts in the norm of the result": 327,
    "linear: a row counts in the dual norm": 61,
    "linear: rows that share a column move together": 126,
    "linear: entries that are not named count": 526,
    "linear: all rows count from L2 to L2": 126,
    "linear: Data count where they are used": 130,
    "parts: filters that touch keep a record in common": 123,
    "parts: filters that overlap keep a record in common": 12,
    "parts: one record enters what another one leaves": 16,
    "places: all entries may move in LInf": 26,
    "public: a price is the largest between the ends": 469,
    "declared: a norm is not measured anew": 286,
    "turns: each linear function between two turns counts": 11,
    "turns: all that may be the largest counts": 11,
    "entries: releases that move together add up in L2": 137,
}
"""A seed that refutes what is claimed without each condition; the command ``conditions`` finds them."""
PROGRAMS = {
    "calls: what a method computes is known in it only": """
part(x::Real, n::Static(Integer)) = (n % 2) * x
f(x::Real) = part(x, 3) - part(x, 2)
""",
    "calls: the numbers of a call are put into what a method does": """
times(x::Real, n::Static(Integer)) = n * x
f(x::Real) = times(x, 3) - times(x, 2)
""",
    "sums: what selects may return another argument": """
f(v::MetricVector(Integer, InsertDelete)) = sum(map(t -> max(2, min(t, 10)), v))
""",
    "carried: both ends that hold in all rounds count": """
function f(v::MetricVector(Real, Symmetric), eps::Static()) :: Priv()
    b = 1.0
    s = 0.0
    for i in 1:3
        s = laplacian_mechanism(1, eps, sum(clamp(v, 0, b)))
        b = b + 1
    end
    s
end
""",
    "public: nothing private moves it": """
f(x::Real, y::Real) = clamp(y, 0, 2) * x
""",
    "public: a root lies at its ends": """
function f(x::Real, y::Real) :: Priv()
    b = sqrt(clamp(laplacian_mechanism(1, 0.5, y), 0, 8) + 1)
    laplacian_mechanism(b, 0.5, x)
end
""",
    "folds: a price is the largest that it may be for what is carried": """
function step(d::Vector{<:Data}, l::Vector{<:Data}, acc::Static(Real)) :: Priv()
    acc + laplacian_mechanism(2, clamp(acc, 0.1, 0.5), undisc_container(clip(L1, d)))[1]
end
f(A::MetricMatrix(Data, LInf), B::MetricMatrix(Data, LInf)) :: Priv() = parallel_private_fold_rows(step, 0.1, A, B)
""",
    "noise: δ stays while ε is at most 1": """
noisy(x::Real) :: Priv() = gaussian_mechanism(1, 0.9, 0.01, x)
f(x::Real) :: Priv() = noisy(20 * x)
""",
    "entries: releases of one entry add up": """
function f(v::MetricVector(Real, L1), eps::Static()) :: Priv()
    laplacian_mechanism(1, eps, v[1]) + laplacian_mechanism(1, eps, v[1])
end
""",
    "sums: what is no comparison may say anything": """
f(v::MetricVector(Integer, Symmetric)) = 2 * count(x -> (x > 3) == (x > 1), v)
""",
    "sums: two conditions may say different things": """
f(v::MetricVector(Integer, Symmetric)) = count(x -> (x > 3) == (x > 1), v) - count(x -> (x > 5) == (x > 1), v)
""",
    "calls: what a name stands for in one call is not what it stands for in another": """
some(w, t) = count(x -> (x > t) == (x > 1), w)
f(v::MetricVector(Integer, Symmetric)) = some(v, 3) - some(v, 5)
""",
    "calls: what a function is given moves": """
above(w, t) = count(x -> x > t, w)
f(v::MetricVector(Bounded(Integer, 0, 9), Symmetric)) = above(v, 9 * count(x -> x < 5, v)) - 0 * length(v)
""",
    "calls: a name is what it is bound to in that call": """
within(w, low, high) = count(x -> low <= x && x < high, w)
f(v::MetricVector(Real, Symmetric)) = within(v, 0, 5) - within(v, 3, 9)
""",
    "rows: entries at different places are different numbers": """
f(X::MetricMatrix(Real, Symmetric)) = count(x -> x > 3, X[:, 1]) + count_rows(r -> r[2] <= 3, X)
""",
    "rows: a part of a row starts at its first place": """
f(X::MetricMatrix(Real, Symmetric)) = count(x -> x > 3, X[:, 2:2][:, 1]) + count(x -> x <= 3, X[:, 1])
""",
    "rows: a truth value may be either": """
f(X::MetricMatrix(Bool, Symmetric)) = count_rows(r -> r[1], X) + count_rows(r -> r[2], X)
""",
    "rows: each entry of bounded rows adds to its sum": """
f(X::MetricMatrix(Bounded(Integer, -1, 3), Symmetric)) :: MetricMatrix(Integer, L1) = sum(X; dims=1)
""",
    "linear: what is made of all entries counts as often as the function says": """
f(v::MetricVector(Real, L1)) = map(x -> 2 * x, v) - v
""",
    "parts: what a call sees of a dataset moves with it": """
noisy(w, e::Static()) :: Priv() = laplacian_mechanism(1, e, length(w))
function f(v::MetricVector(Real, Symmetric), eps::Static()) :: Priv()
    noisy(filter(x -> x > 3, v), eps)
end
""",
    "parts: what a call sees is what the filter keeps": """
noisy(w, e::Static()) :: Priv() = laplacian_mechanism(1, e, length(w))
function f(v::MetricVector(Integer, Symmetric), eps::Static()) :: Priv()
    [noisy(filter(x -> x >= 3, v), eps), noisy(filter(x -> x <= 4, v), eps)]
end
""",
    "turns: each side of a public choice counts": """
f(v::MetricVector(Real, L1), c::Static()) = (c > 1 ? 3 * v[1] : v[2]) - v[1]
""",
    "loops: each record is added": """
function f(v::MetricVector(Bounded(Real, 0, 10), ChangeOne))
    s = 0
    for i in 2:length(v)
        s += v[i]
    end
    for x in v
        s -= x
    end
    s
end
""",
    "scopes: a function that is called later sees the latest value": """
function f(x::Real)
    b = 1
    g = y -> b * y
    b = 100
    g(x)
end
""",
    "types: nothing is inferred of what is captured and counts": """
function f(v::MetricVector(Real, Symmetric))
    s = 0
    i = 0
    while i < 1
        s += sum(map(x -> clamp(x, 0, i), v))
        i += 1
    end
    s
end
""",
    "types: nothing is inferred by way of a function that reads what may change": """
top = 3
function f(v::MetricVector(Real, Symmetric))
    g = x -> clamp(x, 0, top)
    sum(map(x -> g(x), v))
end
""",
    "types: nothing is inferred by way of a function that is given": """
top = 3
function f(v::MetricVector(Real, Symmetric))
    h(g) = x -> g(x)
    sum(map(h(x -> clamp(x, 0, top)), v))
end
""",
    "loops: a round that adds nothing is run": """
function f(v::MetricVector(Bounded(Real, 0, 1), Symmetric))
    for x in v
        @assert x < 0.5
    end
    sum(v)
end
""",
    "loops: what a round forgets was done": """
function f(v::MetricVector(Bounded(Real, 0, 1), Symmetric))
    s = 0
    for x in v
        before = s
        if x > 0.5
            println("large")
            s += 1
        end
        s = before
    end
    sum(v)
end
""",
    "loops: without a round there is what was at the start": """
kind(s::Integer) = 1
kind(s::Real) = 2
function f(v::MetricVector(Bounded(Real, 0, 10), Symmetric))
    s = 0
    for x in v
        s += 0.5
    end
    kind(s)
end
""",
} | {each.rule.what: each.program for each in lacking()}
"""What no seed writes: a program that refutes what is claimed without each of the other conditions."""


class Refuted(NamedTuple):
    """What is claimed without a condition, refuted by the function of a seed."""

    seed: int
    text: str


def conditions() -> Iterator[Rule]:
    """Rules that lack a condition."""
    yield _without("sums: a record that is replaced counts twice", tallies, "replacements", _as_added)
    yield _without("sums: a cell lies on the right side of a number", tallies.Where, "meets", _careless)
    yield _without("sums: a record may add nothing", tallies, "points", _without_nothing)
    yield _without("sums: cells of numbers that are not whole", tallies, "_holds_none", _always(True))
    yield _without("sums: both ends of a feature count", tallies, "_ends", _low_end)
    yield _without("sums: entries add up in their norm", tallies, "_of_numbers", _largest_entry)
    yield _without("sums: what else a statistic is made of moves apart", reader.Reader, "reads_one", _of_nothing_else)
    yield _without("sums: both ends of what is computed count", records, "image", _low_end_of_images)
    yield _without("linear: two positions may be the same", linear, "_are_apart", _always(True))
    yield _without("linear: from L1 a column counts in the norm of the result", linear, "operator_norm", _largest_of_l1)
    yield _without("linear: a row counts in the dual norm", linear, "_DUAL", _same_norms)
    yield _without("linear: rows that share a column move together", linear, "_blocks", _row_by_row)
    yield _without("linear: entries that are not named count", linear, "positive_part", _always(sens.ZERO))
    yield _without("linear: all rows count from L2 to L2", linear, "_spectral", _largest_row)
    yield _without("linear: Data count where they are used", linear, "_norm_of_data", _as_numbers)
    yield _without("parts: filters that touch keep a record in common", tallies.Where, "meets", _careless)
    yield _without("parts: filters that overlap keep a record in common", tallies.Parted, "_largest", _each_by_itself)
    yield _without("parts: one record enters what another one leaves", tallies.Parted, "__init__", _added)
    yield _without("places: all entries may move in LInf", disjoint.OwnRows, "_apart", _as_sum)
    yield _without("public: a price is the largest between the ends", ranges, "supremum", _at_low_end)
    yield _without("declared: a norm is not measured anew", functions._Promise, "_measured", _believed)
    yield _without("turns: each linear function between two turns counts", linear.LinearForm, "alternatives", _only_one)
    yield _without("turns: all that may be the largest counts", linear, "chosen", _of_the_first)
    yield _without("entries: releases that move together add up in L2", entries, "_in_one", _the_first_alone)
    yield _without("calls: what a method computes is known in it only", generalize, "_is_lasting", _always(True))
    yield _without("calls: the numbers of a call are put into what a method does", generalize, "_composed", _as_written)
    yield _without("sums: what selects may return another argument", records, "image", _always_the_first)
    yield _without("carried: both ends that hold in all rounds count", publics.Publics, "of_rounds", _at_the_low_end)
    yield _without("public: nothing private moves it", publics, "is_public", _always(True))
    yield _without("public: a root lies at its ends", ranges, "_infimum", _largest_of_all)
    yield _without("folds: a price is the largest that it may be for what is carried", ranges, "supremum", _at_low_end)
    yield _without("noise: δ stays while ε is at most 1", noise.Gaussian, "pair", _in_proportion)
    yield _without("entries: releases of one entry add up", entries, "_groups", _apart)
    yield _without("sums: what is no comparison may say anything", reader.Reader, "_guess", _says_no)
    yield _without("sums: two conditions may say different things", reader.Reader, "_place", _always(0))
    yield _without(
        "calls: what a name stands for in one call is not what it stands for in another",
        *(reading.Reading, "identity", _always(0)),
    )
    yield _without("calls: what a function is given moves", reading.Reading, "captured", _by_itself)
    yield _without("calls: a name is what it is bound to in that call", reading.Reading, "stored", _as_first_stored)
    yield _without(
        "rows: entries at different places are different numbers", records.RecordReader, "_position", _always(1)
    )
    yield _without(
        "rows: a part of a row starts at its first place", records.Row, "of_places", lambda right: _whole_row
    )
    yield _without("rows: a truth value may be either", records.RecordReader, "_is_true", _never)
    yield _without("rows: each entry of bounded rows adds to its sum", statistics, "by_norm", _in_linf)
    yield _without(
        "linear: what is made of all entries counts as often as the function says",
        *(generalize, "times", lambda right: lambda *args: linear.WHOLE if right(*args) is not None else None),
    )
    yield _without("parts: what a call sees of a dataset moves with it", events, "_named_anew", _as_named)
    yield _without("parts: what a call sees is what the filter keeps", parts, "_one_of", _always(lambda case: {}))
    yield _without("turns: each side of a public choice counts", forms, "of_either", _of_the_second)
    yield _without("loops: each record is added", accumulators, "_from_the_first", _always(True))
    later = "scopes: a function that is called later sees the latest value"
    yield _without(later, scope.BodyScope, "_changes", _always(False))
    for each in PROGRAMS:
        if each.startswith("types: nothing is inferred"):
            yield _without(each, datasets, "_of_no_type", _always(None))
    yield _without(
        "loops: a round that adds nothing is run",
        *(accumulators._Round, "totals", lambda right: lambda self: (right(self)[0], [])),
    )
    yield _without("loops: what a round forgets was done", accumulators._Round, "_forgets", _always(False))
    yield _without(
        "loops: without a round there is what was at the start",
        *(accumulators, "_of_no_round_too", lambda right: lambda inference, total, start: total),
    )
    yield from (each.rule for each in lacking())


def refuted(rule: Rule | None, first: int, count: int) -> Refuted | None:
    """The first seed whose claims are refuted while a rule is broken; of none, as all rules are."""
    with rule.in_place() if rule is not None else nullcontext():
        return next(filter(None, (_refuted(seed, written(seed).text) for seed in range(first, first + count))), None)


def refuted_by(rule: Rule | None, program: str) -> Refuted | None:
    """The same of a program."""
    with rule.in_place() if rule is not None else nullcontext():
        return next(filter(None, (_refuted(seed, program) for seed in range(3))), None)


def _refuted(seed: int, text: str) -> Refuted | None:
    said = claims(file_report(Engine().check(f"{text}\n"), "p.jl"))
    found = judged(seed, f"{text}\n", said, searched=200)
    return Refuted(seed, f"{text}\n{found.refuted[0]}") if found.refuted else None


def table(first: int, count: int) -> tuple[str, bool]:
    """Which seed refutes what is claimed without each condition, and whether there is one for each."""
    lines, complete = ["| without the condition | refuted by seed |", "|---|---|"], True
    for rule in conditions():
        kept = PROGRAMS.get(rule.what)
        found = refuted(rule, first, count) if kept is None else refuted_by(rule, kept)
        complete = complete and found is not None
        said = "none of them" if found is None else found.seed if kept is None else "a program that is kept"
        lines.append(f"| {rule.what} | {said} |")
    for rule in conditions_of_samples():
        seed = next((each for each in range(first, first + count) if refuted_by_sample(rule, each)), None)
        complete = complete and seed is not None
        lines.append(f"| {rule.what} | {'none of them' if seed is None else seed} |")
    return "\n".join(lines), complete


def _without(what: str, owner: Any, function: str, wrong: Any) -> Rule:
    return Rule(what, owner, function, wrong, sort="condition")


def _always(answer: object) -> Any:
    return lambda right: lambda *args, **named: answer


def _as_added(right: Any) -> Any:
    return lambda some, others: some


def _careless(right: Any) -> Any:
    return lambda self, relation, bound: right(self, {"<=": "<", ">=": ">"}.get(relation, relation), bound)


def _without_nothing(right: Any) -> Any:
    return lambda *args: {each for each in right(*args) if any(entry.terms for entry in each)} or right(*args)


def _low_end(right: Any) -> Any:
    return lambda *args: (right(*args)[0],) * 2


def _low_end_of_images(right: Any) -> Any:
    def image(*args: Any) -> Any:
        found = right(*args)
        low = [feature.low for feature in found if isinstance(feature, tallies.Between)]
        return {None: Poly.of(low[0])} if low else found

    return image


def _always_the_first(right: Any) -> Any:
    def image(shape: Any, selects: bool, values: Any, *others: Any) -> Any:
        return values[0] if selects else right(shape, selects, values, *others)

    return image


def _largest_entry(right: Any) -> Any:
    return lambda sizes, norm: max(sizes)


def _of_nothing_else(right: Any) -> Any:
    def reads_one(self: reader.Reader) -> Any:
        self._others.clear()
        return right(self)

    return reads_one


def _says_no(right: Any) -> Any:
    return lambda self, key: lambda case: False


def _largest_of_l1(right: Any) -> Any:
    return lambda rows, source, norm: right(rows, source, Norm.LINF if source is Norm.L1 else norm)


def _same_norms(right: Any) -> Any:
    return {each: each for each in right}


def _row_by_row(right: Any) -> Any:
    return lambda rows: [block for row in rows for block in right([row])]


def _largest_row(right: Any) -> Any:
    return lambda rows, columns: sens.maximum(right([row], list(zip(row, strict=True))) for row in rows)


def _as_numbers(right: Any) -> Any:
    return lambda columns, source, norm: linear.operator_norm(list(zip(*columns, strict=True)), source, norm)


def _each_by_itself(right: Any) -> Any:
    def largest(self: tallies.Parted, records: int) -> Any:
        alone = [
            tuple(far if at == own else sens.ZERO for at, far in enumerate(way))
            for way in right(self, records)
            for own in range(len(way))
        ]
        return list(dict.fromkeys(alone))

    return largest


def _added(right: Any) -> Any:
    return lambda self, replaced: right(self, False)


def _as_sum(right: Any) -> Any:
    def apart(self: disjoint.OwnRows, type_: Any) -> Any:
        return right(self, type_) or disjoint.Apart.SUM

    return apart


def _at_low_end(right: Any) -> Any:
    def supremum(value: Any, which: Any = ranges.varies) -> Any:
        lows = [ranges.ends(poly, which).low for poly in value.polys]
        return (
            sens.maximum([sens.magnitude(each) for each in lows]) if lows and None not in lows else right(value, which)
        )

    return supremum


def _believed(right: Any) -> Any:
    return lambda self, wanted, value, box: replace(value, type=replace(box, norm=wanted))


def _as_written(right: Any) -> Any:
    return lambda form, become, values: right(form, become, Substitution({}, {}))


def _only_one(right: Any) -> Any:
    return lambda self: islice(right(self), 1)


def _of_the_first(right: Any) -> Any:
    return lambda options: right(tuple(options)[:1])


def _of_the_second(right: Any) -> Any:
    return lambda inference, values, nodes, found: right(inference, values[1:], nodes[1:], found)


def _apart(right: Any) -> Any:
    return lambda read: (frozenset({part}) for part in read)


def _by_itself(right: Any) -> Any:
    return lambda self, node, scope: right(self, node, scope._replace(names={}))


def _as_first_stored(right: Any) -> Any:
    """A number that a name stands for is what it stood for in the first call that was read."""
    known: dict[Any, Any] = {}

    def stored(self: reading.Reading, node: Any, scope: Any, *depth: int) -> Any:
        found = right(self, node, scope, *depth)
        return known.setdefault(node.local, found) if isinstance(node, Use) else found

    return stored


def _whole_row(self: records.Row, first: int, last: int) -> records.Row:
    return self


def _never(right: Any) -> Any:
    return lambda self, number: lambda case: False


def _in_linf(right: Any) -> Any:
    return lambda norm, l1, l2, linf: linf


def _as_named(right: Any) -> Any:
    return lambda moved, names: moved


def _at_the_low_end(right: Any) -> Any:
    def of_rounds(self: Any, type_: Any, local: Any, between: Any = None, real: bool = True) -> Any:
        ends = between if between is None else ranges.Ends(between.low, between.low)
        return right(self, type_, local, ends, real)

    return of_rounds


def _largest_of_all(right: Any) -> Any:
    return ranges.supremum


def _in_proportion(right: Any) -> Any:
    return lambda self, steps, factor, most: Pair(self.epsilon * factor * steps, self.delta)


def _the_first_alone(right: Any) -> Any:
    return lambda found, read, measure: (dict.fromkeys(found, sens.ZERO) | {next(iter(found)): sens.ONE},)
