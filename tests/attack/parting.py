"""Random private functions that run others on the parts of a dataset: mechanisms of every sort one after the other, in
loops, in branches that released values decide, in calls, and on parts of parts. Some declare too little, and are
refused."""

from __future__ import annotations

from .choices import Choices

_METRICS = (
    *("Symmetric", "Symmetric", "ChangeOne", "InsertDelete", "Hamming", "Symmetric, Contributes(2)"),
    *("ChangeOne, Contributes(2)", "Symmetric, Contributes(3)", "InsertDelete, Contributes(2)"),
)
_OF_PARTS = {
    "Symmetric": "Symmetric",
    "ChangeOne": "Symmetric",
    "InsertDelete": "InsertDelete",
    "Hamming": "InsertDelete",
}
_EPSILONS = ("1", "2", "1/2", "k")
_DECLARED = ("4", "2", "4", "1")
_KEYS = ("x -> x % 2", "x -> x > 0 ? 1 : 0", "x -> x", "x -> x > k ? 1 : 0")
_STATISTICS = (
    *("length({0})", "count(x -> x > 0, {0})", "sum(clamp({0}, 0, 1))", "sum(clamp({0}, -1, 1))"),
    *("length(filter(x -> x > 0, {0}))", "count_distinct({0})", "length(repeat({0}, 2))", "-count(x -> x == 1, {0})"),
)


class Parting:
    """Writes one program, of which ``f`` is the last function."""

    def __init__(self, source: Choices) -> None:
        self._source = source
        self._metric = "Symmetric"
        self._seen: list[str] = []
        self._helped = False

    def program(self) -> str:
        metric = self._source.choice(_METRICS)
        self._metric = _OF_PARTS[metric.partition(",")[0]]
        annotation = self._annotated()
        helper = [f"function h(p{annotation}, k::Static()) :: Priv()", *self._body("p", 1), "end"]
        self._helped = True
        part = self._source.choice((annotation, annotation, self._annotated(), ""))
        lines = [
            f"    function one(part{part}) :: Priv()",
            *("    " + line for line in self._body("part", 2)),
            "    end",
        ]
        data = self._source.choice(("v", "v", "filter(x -> x > -2, v)", "clamp(v, -1, 2)", "repeat(v, 2)", "unique(v)"))
        run = f"map_parts(one, {data}, {self._source.choice(_KEYS)}, {self._source.choice(('[0, 1]', '[1, 0, 1]'))})"
        rounds = [f"    for i in 1:2\n        z = z + {run}[1]\n    end"]
        lines += ["    z = 0.0", *(rounds if self._source.random() > 0.8 else [f"    z = z + {run}[1]"])]
        lines += [f"    y = {self._release('v')}"] if self._source.random() > 0.7 else []
        head = f"function f(v::MetricVector(Real, {metric}), k::Static()) :: Priv()"
        return "\n".join([*helper, head, *lines, "    z", "end"]) + "\n"

    def _annotated(self) -> str:
        return f"::MetricVector(Real, {self._metric}{self._source.choice(('', '', ', Contributes(2)'))})"

    def _body(self, data: str, depth: int) -> list[str]:
        """Some steps, and what one of them released."""
        self._seen = []
        lines = [line for _ in range(self._source.choice((1, 2, 3)[: depth + 1])) for line in self._step(data, depth)]
        return ["    " + line for line in (*lines, self._source.choice(self._seen))]

    def _step(self, data: str, depth: int) -> list[str]:
        name, before = f"z{len(self._seen)}", list(self._seen)
        self._seen.append(name)
        kind = self._source.random()
        if kind > 0.9 and depth > 1:
            key = self._source.choice(("x -> x > 1 ? 0 : 1", "x -> x % 2"))
            return [
                f"h{name}(q::MetricVector(Real, {self._metric})) :: Priv() = {self._release('q')}",
                f"{name} = map_parts(h{name}, {data}, {key}, [0, 1])[1]",
            ]
        if kind > 0.8 and self._helped:
            return [f"{name} = h({self._source.choice((data, f'filter(x -> x > 0, {data})'))}, k)"]
        if kind > 0.7 and before:
            near = f"sum(map(x -> clamp(x - {self._source.choice(before)}, 0, 1), {data}))"
            return [f"{name} = laplacian_mechanism(1, 1, {near})"]
        if kind > 0.5 and before:
            return [f"{name} = {self._source.choice(before)} > 0 ? {self._release(data)} : {self._release(data)}"]
        if kind > 0.4:
            return [f"{name} = 0.0", "for i in 1:2", f"    {name} = {name} + {self._release(data)}", "end"]
        return [f"{name} = {self._release(data)}"]

    def _release(self, data: str) -> str:
        """A mechanism that releases a number."""
        declared, epsilon = self._source.choice(_DECLARED), self._source.choice(_EPSILONS)
        one, other = (self._source.choice(_STATISTICS) for _ in range(2))
        about, further = one.format(data), other.format(data)
        header = "w" if data == "v" else f"(w::MetricVector(Real, {self._metric}))"
        queries = f"[{header} -> {one.format('w')}, {header} -> {other.format('w')}]"
        return self._source.choice(
            (
                *(f"laplacian_mechanism({declared}, {epsilon}, {about})",) * 3,
                f"report_noisy_max({declared}, {epsilon}, [{about}, {further}])",
                f"report_noisy_max({declared}, {epsilon}, histogram({data}, [-1, 0, 1, 3]))",
                f"exponential_mechanism({declared}, {epsilon}, [-1, 1, 2], c -> c > 0 ? {about} : {further})",
                f"(randomized_response({epsilon}, {about} > 1) ? 1.0 : 0.0)",
                f"above_threshold({queries}, {epsilon}, {data}, 1)",
                f"(sparse_vector({queries}, 1, {epsilon}, {data}, 1)[1] ? 1.0 : 0.0)",
                f"gaussian_mechanism({declared}, 0.5, 0.1, {about})",
            )
        )
