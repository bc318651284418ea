"""Random private functions that select: by scores that are counts, sums and ranks of datasets, numbers and vectors, of
which some go one way and others do not. Some declare too little, and are refused."""

from __future__ import annotations

from .choices import Choices

_METRICS = ("Symmetric", "Symmetric", "InsertDelete", "ChangeOne", "Hamming", "Symmetric, Contributes(2)")
_EPSILONS = ("2", "1", "8", "0.5")
_DECLARED = ("1", "2", "4", "1/2", "8")
_NUMBERS = ("0", "1", "-1", "2", "1/2")
_RANGES = ("0, 2", "-1, 0", "-1, 2", "0, 1")
_SHARES = ("0.5", "0.25", "1", "0", "0.9")
_CANDIDATES = "[-1.0, 0.0, 2.0]"


class Selecting:
    """Writes one program. ``d`` stands for what the datasets in it are made of."""

    def __init__(self, source: Choices) -> None:
        self._source = source

    def program(self) -> str:
        metric = self._source.choice(_METRICS)
        self._types = {"v": f"MetricVector(Real, {metric})", "x": "Real", "w": "MetricVector(Real, L1)"}
        self._known = ("v", "x", "w")
        helper = f"g(y::Real) = {self._score('y', 2)}"
        header = ", ".join(f"{name}::{written}" for name, written in self._types.items())
        lines = [f"z{index} = {self._selection()}" for index in range(self._source.choice((1, 1, 2)))]
        return "\n".join(
            [helper, f"function f({header}) :: Priv()", *("    " + each for each in lines), "    z0", "end\n"]
        )

    def _selection(self) -> str:
        makers = (self._exponential, self._exponential, self._of_scores, self._largest, self._quantile, self._above)
        return self._source.choice(makers)()

    def _given(self) -> str:
        return f"{self._source.choice(_DECLARED)}, {self._source.choice(_EPSILONS)}"

    def _exponential(self) -> str:
        more = self._source.choice(("", "", " + 9 * c"))
        return f"exponential_mechanism({self._given()}, {_CANDIDATES}, (c::Real) -> {self._score('c', 3)}{more})"

    def _of_scores(self) -> str:
        return f"exponential_mechanism({self._given()}, {_CANDIDATES}, {self._scores(3)})"

    def _largest(self) -> str:
        return f"report_noisy_max({self._given()}, {self._scores(4)})"

    def _scores(self, count: int) -> str:
        data, edges = self._data(), ", ".join(("-2", "-1", "1", "3", "9")[: count + 1])
        points = ", ".join(("-1", "0", "1", "2")[:count])
        ways = (
            f"histogram({data}, [{edges}])",
            f"cumulative_counts({data}, [{points}])",
            f"quantile_score({data}, {self._source.choice(_SHARES)}, [{points}])",
            f"[{', '.join(self._score('1', 2) for _ in range(count))}]",
            f"map((c::Real) -> {self._score('c', 2)}, [{points}])",
        )
        written = self._source.choice(ways)
        return self._source.choice((written, written, f"-{written}", f"{written} / 2", f"2 * {written}"))

    def _quantile(self) -> str:
        return f"private_quantile({self._given()}, {self._data()}, {self._source.choice(_SHARES)}, {_CANDIDATES})"

    def _above(self) -> str:
        about = self._source.choice(self._known)
        known, self._known = self._known, (about,)
        queries = [
            f"({about}::{self._types[about]}) -> {self._score('1', 2)}" for _ in range(self._source.choice((2, 3)))
        ]
        self._known = known
        row, epsilon = f"[{', '.join(queries)}]", self._source.choice(_EPSILONS)
        ways = (
            f"above_threshold({row}, {epsilon}, {about}, 1)",
            f"sparse_vector({row}, {self._source.choice((1, 2))}, {epsilon}, {about}, 1)",
        )
        return self._source.choice(ways)

    # What is selected by

    def _data(self) -> str:
        if "v" not in self._known:
            return "v"
        ways = ("v", "v", "filter(e -> e > 0, v)", "unique(v)", "map(e -> clamp(2 * e, -1, 3), v)", "repeat(v, 2)")
        return self._source.choice((*ways, "clamp(v, 0, 2)", "resize(clamp(v, 0, 2), 3, 0)"))

    def _score(self, candidate: str, depth: int) -> str:
        if depth == 0 or self._source.random() < 0.3:
            return self._number(candidate)
        one, number = self._score(candidate, depth - 1), self._source.choice((*_NUMBERS, candidate))
        ways = (
            *(f"-{one}", f"({one} + {self._score(candidate, depth - 1)})", f"({one} - {self._score(candidate, 0)})"),
            *(f"({one} + {number})", f"({number} - {one})", f"min({one}, {number})", f"max({one}, {number})"),
            *(
                f"abs({one})",
                f"clamp({one}, {self._source.choice(_RANGES)})",
                f"{self._source.choice(_NUMBERS)} * {one}",
            ),
            *(f"({one} / {self._source.choice(('2', '-2'))})", f"({candidate} > 0 ? {one} : -{one})"),
            f"clamp({candidate}, {self._source.choice(_RANGES)}) * {one}",
        )
        if depth > 1 and self._source.random() < 0.3:
            return self._in_rounds(candidate)
        return self._source.choice(ways)

    def _in_rounds(self, candidate: str) -> str:
        """A score that a loop, or a fold, adds up."""
        start, number = self._score(candidate, 1), self._source.choice(("2", "-1", "0", "1/2"))
        each = self._score(self._source.choice((candidate, "1.0 * i")), 1)
        step = self._source.choice(("s + {}", "s - {}", "-s + {}", "min(s, {})", "2 * s - {}", "i > 1 ? s : {} + s"))
        more = self._source.choice(("", "", "; t = t + s", "; t = s", "; t = -s", "; t = min(t, 1.0 * i) - s"))
        if self._source.random() < 0.4:
            step = step.replace("i > 1", "i > 0")
            return f"fold((i::Real, s::Real) -> {step.format(each)}, 1.0 * {start}, [0.0, 1.0, {number}])"
        body = f"for i in 1:{self._source.choice(('2', '3'))}; s = {step.format(each)}{more}; end"
        return f"(begin s = 1.0 * {start}; t = 0.0; {body}; {self._source.choice(('s', 's', 's + t', 't'))}; end)"

    def _number(self, candidate: str) -> str:
        number = self._source.choice((*_NUMBERS, candidate))
        of_data = (
            *(f"length({self._data()})", f"count(e -> e > {number}, {self._data()})"),
            *(f"count(e -> e == {number}, {self._data()})", f"sum(clamp(v, {self._source.choice(_RANGES)}))"),
            f"quantile_score({self._data()}, {self._source.choice(_SHARES)}, [{number}])[1]",
        )
        of = {"v": of_data, "x": ("x", "g(x)"), "w": ("w[1]", "sum(w)", "g(w[2])"), "y": ("y",)}
        if candidate == "y":
            return "y"
        return self._source.choice(of[self._source.choice(self._known)])
