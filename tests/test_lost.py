"""What was public of data and is lost: a problem that misses it, and hover, say by what operation, and where."""

from __future__ import annotations

import pytest

from dp_lsp.analysis.records import Analysis
from dp_lsp.engine.check import Engine
from dp_lsp.features.hover import hover
from dp_lsp.problem import Problem

ENGINE = Engine()
BOUNDED = "v::MetricVector(Bounded(Real, 0, 100), {})"
ADDED, ONE, PLACED = (BOUNDED.format(metric) for metric in ("Symmetric, AtLeast(3)", "ChangeOne", "Hamming"))
BOUNDS, COUNT = "the bounds of `{}` (0 to 100) are", "the public number of records of `{}` is"
DIVISOR = "a quotient by a private number has no known bounds"
ROUNDS = "each round may change it"
LOSSES = {
    "by a function of records": (
        f"f({ADDED}, y::Real) = mean(map(x -> x / y, v))",
        ("DP208", "x / y", BOUNDS.format("x"), DIVISOR),
    ),
    "by a function that has a name": (
        f"function f({ONE})\n    share(x) = x / (x - 50)\n    w = map(share, v)\n    sum(w)\nend",
        ("DP208", "map(share, v)", BOUNDS.format("v"), "the results of its function have no known bounds"),
    ),
    "by a function of the program": (
        f"g(x) = x / (x - 50)\nf({ONE}) = sum(map(x -> g(x + 1), v))",
        ("DP208", "g(x + 1)", "the bounds of `x + 1` (1 to 101) are", "nothing is known of what `g` returns"),
    ),
    "by a product with an unknown number": (
        f"f({ONE}, y::Real) = sum(map(x -> x * y, v))",
        ("DP208", "x * y", BOUNDS.format("x"), "`y` has no known bounds"),
    ),
    "by a branch": (
        f"f({ONE}, c::Static()) = sum(map(x -> x > 9 ? x : c * x, v))",
        ("DP208", "x > 9 ? x : c * x", BOUNDS.format("x"), "the two branches have different ones"),
    ),
    "through names": (
        f"function f({ONE})\n    u = map(x -> 1 / (x - 50), v)\n    w = map(x -> x + 1, u)\n    z = w\n    sum(z)\nend",
        ("DP208", "1 / (x - 50)", "the bounds of `x - 50` (-50 to 50) are", DIVISOR),
    ),
    "a number that a loop carries": (
        f"function f({PLACED})\n    y = v[1]\n    for i in 1:3\n        y = y + 1\n    end\n    y * v[2]\nend",
        (
            "DP303",
            "for i in 1:3\n        y = y + 1\n    end",
            BOUNDS.format("y"),
            ROUNDS,
        ),
    ),
    "the number of records, by a selection": (
        f"function f({ONE})\n    w = filter(x -> x > 3, v)\n    mean(w)\nend",
        ("DP423", "filter(x -> x > 3, v)", COUNT.format("v"), "how many records it keeps is private"),
    ),
    "the least number of records": (
        f"f({ADDED}) = mean(unique(v))",
        (
            "DP423",
            "unique(v)",
            "the least number of records of `v` (3) is",
            "how many of them are distinct is private",
        ),
    ),
    "the number of records, of a position": (
        f"function f({PLACED})\n    w = filter(x -> x > 3, v)\n    w[1]\nend",
        ("DP430", "filter(x -> x > 3, v)", COUNT.format("v"), "how many records it keeps is private"),
    ),
    "the number of records, of a divisor": (
        f"f({ONE}, eps::Static()) :: Priv() = laplacian_mechanism(1, eps, sum(v) / length(filter(x -> x > 3, v)))",
        ("DP422", "filter(x -> x > 3, v)", COUNT.format("v"), "how many records it keeps is private"),
    ),
    "the norm of rows": (
        "f(m::MetricMatrix(Real, ChangeOne, RowNorm(L2, 3))) = sum(map_rows(r -> r + r, m); dims=1)",
        (
            "DP208",
            "map_rows(r -> r + r, m)",
            "the bound on the rows of `m` (3 in L2) is",
            "the results of its function have no known bounds",
        ),
    ),
    "what a function asks for": (
        f"total(w::MetricVector(Bounded(Real, 0, 9), ChangeOne)) = sum(w)\nf({ONE}) = total(map(x -> 1 / x, v))",
        ("DP202", "1 / x", BOUNDS.format("x"), DIVISOR),
    ),
}


def lost(problem: Problem) -> list[tuple[str, int, int]]:
    return [(each.message, *each.span) for each in problem.related if " lost: " in each.message]


def only_problem(analysis: Analysis, code: str) -> Problem:
    (found,) = (each for each in analysis.problems if each.code == code)
    return found


@pytest.mark.parametrize("name", LOSSES)
def test_a_problem_says_where_what_it_misses_was_lost(name: str) -> None:
    text, (code, place, known, because) = LOSSES[name]
    start = text.rindex(place)
    expected = (f"here {known} lost: {because}", start, start + len(place))
    assert lost(only_problem(ENGINE.check(text + "\n"), code)) == [expected]


@pytest.mark.parametrize("name", [name for name in LOSSES if not name.startswith("a number that a loop")])
def test_hover_says_what_an_operation_loses(name: str) -> None:
    text, (_, place, known, because) = LOSSES[name]
    start = text.rindex(place)
    analysis = ENGINE.check(text + "\n")
    shown = (hover(analysis, at) for at in range(start, start + len(place) + 1))
    said = f"here {known} lost: {because}"
    assert any(each is not None and said in each.markdown.replace("\\", "") for each in shown)


@pytest.mark.parametrize(
    "text",
    [
        "f(v::MetricVector(Real, Symmetric)) = sum(map(x -> x + 1, v))",
        "f(v::MetricVector(Real, Symmetric)) = mean(filter(x -> x > 1, clamp(v, 0, 1)))",
        "f(v::MetricVector(Real, Hamming)) = v[1]",
        "f(x::Bounded(Real, 0, 1)) = x > 0.5",
    ],
)
def test_what_was_never_known_is_not_lost(text: str) -> None:
    analysis = ENGINE.check(text + "\n")
    assert analysis.problems and not any(map(lost, analysis.problems))


@pytest.mark.parametrize(
    "text",
    [
        f"f({ONE}, eps::Static()) :: Priv() = laplacian_mechanism(100, eps, sum(v))",
        "f(x::Bounded(Real, 0, 1), eps::Static()) :: Priv() = 3 * laplacian_mechanism(1, eps, x)",
        f"f({ONE}) = sum(map(x -> 2 * x + 1, v))",
        f"f({ONE}) = histogram(v, [0, 50, 100])",
    ],
)
def test_what_is_kept_or_released_is_not_lost(text: str) -> None:
    analysis = ENGINE.check(text + "\n")
    shown = (hover(analysis, at) for at in range(len(text)))
    assert not any(each is not None and " lost: " in each.markdown for each in shown)
