"""What a check takes over from the version before is what a check without a version before finds."""

from __future__ import annotations

import random

import pytest

from dp_lsp.engine.check import Engine
from dp_lsp.engine.task import Task

PIECES = {
    "twice": ("twice(x::Real) = 2 * x", "twice(x::Real) = x * 2", "twice(x::Real) = 3 * x", "twice(x::Real) = x +"),
    "method": ("twice(x::Vector{<:Real}) = 2 * x", "twice(x::Real, y::Real) = x + y", "other(x::Real) = x"),
    "user": ("user(x::Real) = twice(x) + scale * x", "user(x::Real) = twice(twice(x))", "user(x::Real) = missing_(x)"),
    "scale": ("scale = 4", "scale = 5", "scale(x::Real) = x", "scale = 4\n\nscale = 5"),
    "change": (
        "function scale!(g::MetricGradient(Real, L2))\n    scale_gradient!(2, g)\n    return\nend",
        "function scale!(g::MetricGradient(Real, L2))\n    scale_gradient!(scale, g)\n    return\nend",
        "function scale!(g::MetricGradient(Real, L2))\n    h = deepcopy(g)\n    h\nend",
        "scale!(g::MetricGradient(Real, L2), x::Real) = g",
    ),
    "changed": (
        "function changed(g::MetricGradient(Real, L2))\n    h = deepcopy(g)\n    scale!(h)\n    h\nend",
        "function changed(g::MetricGradient(Real, L2))\n    scale!(g)\n    g\nend",
    ),
    "above": ("above(x::Real) = user(x) + user(x)", "above(x::Real) = user(x)  # dp: ignore[DP101] it is fine"),
    "ring": ("ring(x::Real) = back(x) + far(x)", "ring(x::Real) = far(x)"),
    "back": ("back(x::Real) = x", "back(x::Real) = ring(x)", "back(x::Real) = far(x) + ring(x)"),
    "far": ("far(x::Real) = x", "far(x::Real) = ring(x)", "far(x::Vector) = back(x)\n\nfar(x::Real) = x"),
    "private": (
        "function private(x::Real, eps::Static()) :: Priv()\n    laplacian_mechanism(4, eps, twice(x))\nend",
        "function private(x::Real, eps::Static()) :: Priv()\n    laplacian_mechanism(2, eps, twice(x))\nend",
    ),
    "cloud": ("", "", 'include("gone.jl")', "eval(:(twice = 1))", "import Other: twice"),
    "both": ("function both!(g::MetricGradient(Real, L2))\n    scale!(g)\n    scale!(g)\n    return\nend",),
    "outer": (
        "function outer(g::MetricGradient(Real, L2))\n    h = deepcopy(g)\n    both!(h)\n    h\nend",
        "function outer(g::MetricGradient(Real, L2))\n    h = deepcopy(g)\n    both!(h)\n    both!(h)\n    h\nend",
    ),
    "fewer": (
        "many(x::Real) = many(x, 2)",
        "many(x::Real) = many(x, 2, 3)",
        "many(x::Real) = many(x)",
        "many(x::Real) = map(many, [x])[1]",
    ),
    "more": ("many(x::Real, y::Real) = x + y", "many(x::Real, y::Real) = many(x)", "many(x::Real, y) = many(x, y, 4)"),
    "most": ("many(x::Real, y::Real, z::Real) = x * 3", "many(x::Real, y, z) = many(y, x)", "many(x, y, z) = 2 * x"),
    "of_many": ("of_many(x::Real) = many(x) + many(x, x)", "of_many(x::Real) = many(x, x, x)"),
    "module": ("module Inner\ntwice(x::Real) = x\nend", "module Inner\ntwice(x::Real) = x"),
}


def versions(seed: int, count: int) -> list[str]:
    """Programs of such pieces, each with a few others than the one before, sometimes in another order."""
    choose = random.Random(seed)
    order = list(PIECES)
    chosen = {name: pieces[0] for name, pieces in PIECES.items()}
    made = []
    for _ in range(count):
        for name in choose.sample(order, choose.choice((0, 1, 1, 1))):
            chosen[name] = choose.choice((*PIECES[name], chosen[name], ""))
        if choose.random() < 0.15:
            choose.shuffle(order)
        made.append("\n\n".join(chosen[name] for name in order) + "\n")
    return made


@pytest.mark.parametrize("seed", range(6))
def test_what_is_taken_over_is_what_would_be_found(seed: int) -> None:
    engine = Engine()
    for text in versions(seed, 20):
        assert engine.check(text).chunks == Engine().check(text).chunks, text


def test_a_definition_that_stands_behind_another_one_may_contradict_it() -> None:
    """Both define and use the same names, whether it does or not."""
    engine = Engine()
    for second in ("x::Vector{<:Real}, y::Real", "x::Real, y::Vector{<:Real}", "x::Vector{<:Real}, y::Real"):
        text = f"twice(x::Real, y::Vector{{<:Real}}) = 2 * x\n\ntwice({second}) = 3 * x\n"
        assert engine.check(text).chunks == Engine().check(text).chunks, text


def test_only_what_an_edit_may_concern_is_looked_up(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    key = Task.key

    def noted(task: Task) -> bytes:
        asked.extend(definition.name for definition in task.unit.lowered.definitions)
        return key(task)

    monkeypatch.setattr(Task, "key", noted)
    others = "".join(f"other_{number}(x::Real) = x / {number + 1}\n" for number in range(30))
    text = (
        f"same(x::Real) = x\nused(x::Real) = 2 * same(x)\n{others}user(x::Real) = used(x)\nabove(x::Real) = user(x)\n"
    )
    engine = Engine()
    engine.check(text)
    assert len(asked) == 34
    asked.clear()
    engine.check(text.replace("2 *", "3 *"))
    assert asked == ["used", "user", "above"]
    asked.clear()
    engine.check(text.replace("2 *", "1.5 + 3 *"))
    assert asked == ["used"], "what it means is what it meant"
    asked.clear()
    engine.check(text.replace("2 *", "1.5 + 3 *").replace("= x\nused", "= x + 1\nused"))
    assert asked == ["same", "used"], "its text is read where it is called, and nowhere else"
