"""Conditions that stand in the text of a rule among other steps, cut out of it, each with the program that refutes what
is claimed then: of rounds that are written out, of loops that add up, of comparisons of two numbers that are computed,
and of functions that are read where they are called.

Some of their conditions no run refutes, and none is in the list:

- What a round adds reads nothing that is carried, and not the number of the round: outside of the loop there is none.
- A round that adds releases nothing: what is made of each record is a function, and one that releases is refused.
- Rounds that are written out need no more than the loop does, and what they spend speaks of nothing that they alone
  compute: no program was found where either fails.
- The numbers of rounds are whole, and of rounds that release something one apart: no other loop is inferred without a
  problem that says so.
- Of the row that a round around reads and its container one of two bounds holds as a whole: no program was found where
  each bound is the smaller one of one of them. What rounds demand when they are written out, the loop demands, too.
- That a product of numbers is above 0, of which each is said to be (`eps / k`): a scale that is 0, negative or NaN is
  none, as in :mod:`attack.lacking`.
- A number with a point is another one than the whole one, for what is computed of a record: the evaluator computes with
  exact numbers, so that nothing is rounded. ``fixtures/spec/sums-over-records.md`` says what is true."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable, Hashable
from typing import Any

from dp_lsp.infer import accumulators, disjoint, loops, reading, records, terms, unrolled

from .breaking import Wrong


def _cut(old: str, new: str = "") -> Wrong:
    """The function with another text for a part of its text."""

    def wrong(right: Any) -> Any:
        text = textwrap.dedent(inspect.getsource(right))
        assert old in text, f"`{right.__name__}` has no longer the condition `{old}`"
        made: dict[str, Any] = {}
        anew = f"from __future__ import annotations\n{text.replace(old, new)}"
        exec(compile(anew, right.__code__.co_filename, "exec"), right.__globals__, made)
        return made[right.__name__]

    return wrong


def _told_as(key: Callable[[tuple[Hashable, ...]], Hashable]) -> Wrong:
    """Numbers that are computed of a record, told apart by less."""
    return lambda right: lambda self, node, scope: key(right(self, node, scope))


def _only(kind: str) -> Wrong:
    return _told_as(lambda found: kind if found[0] == kind else found)


CUT: dict[str, tuple[Any, str, Wrong, str]] = {
    "rounds: each goes on with what the one before it ended with": (
        *(unrolled._Writing, "_loop", _cut("zip(carried, held,", "zip(carried, binds[: len(carried)],")),
        """
function f(x::Real) :: Priv()
    s, e = 0.0, 0.1
    for i in 1:3
        s = s + laplacian_mechanism(1, e, x)
        e = 2 * e
    end
    s
end
""",
    ),
    "rounds: what costs more is paid for by itself": (
        *(unrolled, "_kind", _cut("type(cost.event), others,", "type(cost.event),")),
        """
function f(x::Real, eps::Static()) :: Priv()
    s = 0.0
    for i in 1:3
        s = s + laplacian_mechanism(1, i * eps, x)
    end
    s
end
""",
    ),
    "rounds: what moves further is paid for by itself": (
        *(unrolled, "_kind", _cut("others, moved,", "others,")),
        """
function f(x::Real, eps::Static()) :: Priv()
    s = 0.0
    for i in 1:3
        s = s + laplacian_mechanism(3, eps, i * x)
    end
    s
end
""",
    ),
    "rounds: what they leave is what all of them do": (
        *(unrolled, "numbers_of", _cut("last + (1 if by > 0 else -1)", "last")),
        """
function f(x::Real)
    for i in 3:-1:1
        x = (4 - i) * x
    end
    x
end
""",
    ),
    "rounds: what is left of a number below 0 is not above it": (
        *(unrolled, "_of_known", _cut(" if number >= 0 and by > 0")),
        """
function f(x::Real)
    s = 0.0
    for i in -1:1
        s = i % 2 == 1 ? s : s + x
    end
    s
end
""",
    ),
    "rounds: of a choice the side counts that is chosen": (
        *(unrolled._Writing, "_branch", _cut("node.then if chosen else", "node.otherwise if chosen else")),
        """
function f(x::Real)
    s = 0.0
    for i in 1:4
        s = i > 1 ? s + x : s
    end
    s
end
""",
    ),
    "places: a round reads at one place only": (
        *(disjoint, "arguments", _cut(" and rounds[index].shift == shift")),
        """
function f(v::MetricVector(Bounded(Real, 0, 9), Hamming), eps::Static()) :: Priv()
    s = 0.0
    for i in 1:3
        s = s + (i % 2 == 0 ? laplacian_mechanism(9, eps, v[i]) : laplacian_mechanism(9, eps, v[i + 1]))
    end
    s
end
""",
    ),
    "loops: a record is one of the dataset that the loop goes over": (
        *(accumulators, "_is_place", _cut("read is over and ")),
        """
function f(v::MetricVector(Bounded(Real, 0, 1), ChangeOne), w::MetricVector(Bounded(Real, 0, 1), ChangeOne))
    s = 0
    for i in 1:length(v)
        s += w[i]
    end
    s
end
""",
    ),
    "loops: what is carried stays at its place": (
        *(accumulators._Round, "totals"),
        _cut("[each.place for each in added] != [*range(len(self._node.carried))] or "),
        """
function f(v::MetricVector(Bounded(Real, 0, 1), Symmetric))
    s, t = 1, 0
    for x in v
        s, t = t + x, s
    end
    t
end
""",
    ),
    "loops: both sides of a choice add to the same": (
        *(accumulators._Round, "_choice", _cut("if more.place != less.place:", "if False:")),
        """
function f(v::MetricVector(Bounded(Real, 0, 1), Symmetric))
    s, t = 1, 0
    for x in v
        s = x > 0.5 ? s + x : t
        t += 1
    end
    s
end
""",
    ),
    "loops: both sides of a choice count": (
        *(accumulators, "_either", lambda right: lambda branch, then, otherwise: right(branch, otherwise, otherwise)),
        """
function f(v::MetricVector(Bounded(Real, 0, 1), Symmetric))
    s = 0
    for x in v
        if x > 0.5
            s += 3
        end
    end
    s
end
""",
    ),
    "loops: what is carried counts once": (
        *(accumulators._Round, "_of", _cut("len(own) == len(args) - 1", "len(own) >= len(args) - 2")),
        """
function f(v::MetricVector(Bounded(Real, 0, 1), Symmetric))
    s = 1
    for x in v
        s = s + s + x
    end
    s
end
""",
    ),
    "of two: the other way round it says the contrary": (
        *(records.RecordReader, "_of_two", _cut("relation, of = _RELATIONS[relation], turned", "of = turned")),
        """
f(v::MetricVector(Real, Symmetric)) = count(x -> x % 3 > x % 2, v) - count(x -> x % 2 > x % 3, v)
""",
    ),
    "of two: it is compared with the same": (
        *(records.RecordReader, "_of_two", _cut("OfTwo(left, right)", "OfTwo(left, None)")),
        """
f(v::MetricVector(Real, Symmetric)) = count(x -> x % 3 > x % 2, v) - count(x -> x % 3 > x % 5, v)
""",
    ),
    "of two: they are computed alike": (
        *(records.RecordReader, "_computed_by", _told_as(lambda found: found[1:] if found[0] in ("+", "*") else found)),
        """
f(v::MetricVector(Real, Symmetric)) = count(x -> x + 2 > x % 5, v) - count(x -> x * 2 > x % 5, v)
""",
    ),
    "of two: they are computed of the same number of a row": (
        *(records.RecordReader, "_computed_by", _only("record")),
        """
f(X::MetricMatrix(Real, Symmetric)) = count_rows(r -> r[1] * 2 > r[2], X) + count_rows(r -> r[2] * 2 <= r[1], X)
""",
    ),
    "of two: they are computed of the same released number": (
        *(records.RecordReader, "_computed_by", _only("other")),
        """
function f(X::MetricMatrix(Real, Symmetric), eps::Static()) :: Priv()
    t = laplacian_mechanism(1, eps, count_rows(r -> r[1] > 0, X))
    u = laplacian_mechanism(1, eps, count_rows(r -> r[1] > 0, X))
    a = laplacian_mechanism(1, eps, count_rows(r -> r[1] * t > r[2], X))
    b = laplacian_mechanism(1, eps, count_rows(r -> r[1] * u <= r[2], X))
    a + b
end
""",
    ),
    "sums: both are over one vector": (
        *(terms, "sums", _cut(" or first.over.local is not second.over.local")),
        """
function f(v::MetricVector(Real, L1))
    first = sum(map(t -> max(t, 0), v))
    v = map(t -> 3 * t, v)
    first - sum(map(t -> max(t, 1), v))
end
""",
    ),
    "sums: what is added up is made of the same entry": (
        *(terms, "_one", _cut("(one.body.result, body.result)", "(one.body.result, one.body.result)")),
        """
f(v::MetricVector(Real, L1)) = sum(map(t -> 2 * t, v)) - sum(map(t -> t, v))
""",
    ),
    "loops: what one begins with is of the round before": (
        *(loops, "from_the_round_before", _cut("Fraction(first.value - 1)", "Fraction(first.value)")),
        """
function f(v::MetricVector(Real, L1), k::Static(Integer))
    s = v[2]
    for i in 2:k
        s = s + v[i]
    end
    s
end
""",
    ),
    "loops: without a round there is what one begins with": (
        *(loops, "of_both", _cut("moves.larger(begins.moves, item.moves, node.span)", "item.moves")),
        """
function f(v::MetricVector(Real, L2), k::Static(Integer))
    s = v[1]
    for i in 2:k
        s = s + v[i]
    end
    s
end
""",
    ),
    "ranks: both are of one dataset": (
        *(terms, "apart", _cut(" or first.of is not second.of")),
        """
function f(v::MetricVector(Bounded(Real, -3, 13), ChangeOne, AtLeast(1)))
    w = clamp(v, 0, 2)
    maximum(v) - minimum(w)
end
""",
    ),
    "ranks: the lower one is no higher": (
        *(terms, "apart", _cut("first.share < second.share", "False")),
        """
f(v::MetricVector(Bounded(Real, -3, 13), ChangeOne, AtLeast(1))) = sqrt(1 + (minimum(v) - median(v)))
""",
    ),
    "calls: which method is called depends on what it is given": (
        *(reading.Reading, "method"),
        _cut("if len(methods) != 1:\n        raise Unread\n    (method,) = methods", "method = methods[0]"),
        """
above(w, t::Integer) = count(x -> x > t, w)
above(w, t::Real) = count(x -> x > 2 * t, w)
f(v::MetricVector(Integer, Symmetric)) = above(v, 3) - above(v, 3.0)
""",
    ),
}
