"""Random Python programs that make numbers of numbers as people who analyse data do: variances, medians, quantiles, the
largest and where it stands, powers and whole quotients, limits on one side, choices by a mask, shares of what is true,
and all of that once more of what was released."""

from __future__ import annotations

from .writing import HEAD as PLAIN
from .writing import NUMBERS, Writer

HEAD = PLAIN.replace("import numpy as np\n", "import numpy as np\nimport pandas as pd\n")
SHARES = ("0.5", "0.9", "0.25", "0", "1", "1.5")
PUBLISHED = (
    *("max(X)", "min(X)", "np.max(X)", "np.argmax(X)", "int(np.argmin(X))", "np.median(X)", "sum(X) / len(X)"),
    *("sorted(X)", "np.sort(X)", "np.cumsum(X)", "np.diff(X)", "X.index(max(X))", "sum(X) // 2", "max(X) ** 2"),
    *("np.quantile(X, 0.5)", "np.mean(X)", "np.std(X)", "[max(x, 0) for x in X]", "np.array(X) / max(sum(X), 1)"),
)
"""What is made of a list that was released."""
OF_VECTORS = (
    *("np.maximum(X, 0)", "np.clip(X, 0, None)", "X / X.sum()", "np.round(X)", "np.cumsum(X)", "X.argmax()", "X.max()"),
    *("np.where(X > 0, X, 0)", "X ** 2", "X // 2", "np.sqrt(np.maximum(X, 0))", "X.sum()", "np.dot(X, X)", "X.size"),
    *("X - X.mean()", "X.tolist()", "np.sum(X ** 2)", "X[0]", "X.std()", "(X > 1).sum()", "np.sort(X)", "np.diff(X)"),
)
"""What is made of an array that was released."""


class StatisticsWriter(Writer):
    """Writes one program. Arrays are of NumPy, or columns of pandas."""

    head = HEAD

    def parameter(self, name: str, data: str) -> str:
        if data == "num":
            return super().parameter(name, data)
        self.add(data, name)
        words = self.pick(("AddRemove()", "AddRemove()", "ChangeOne()", "ChangeOne()", "ChangeOne(), Size(4)"))
        if words == "AddRemove()" and self.chance(0.4):
            words = self.pick(("AddRemove(), AtLeast(2)", "AddRemove(), AtLeast(1)", "AddRemove(contributes=2)"))
        if self.chance(0.7):
            words += f", Bounded({', '.join(self.limits())})"
        base = self.pick(("np.ndarray", "np.ndarray", "pd.Series")) if data == "arr" else "list[float]"
        return f"{name}: Annotated[{base}, {words}]"

    def arr(self, depth: int) -> str:
        if not depth or self.chance(0.3):
            return self.pick(self.names["arr"])
        of, low, high = self.arr(depth - 1), *self.limits()
        of = of if of.isidentifier() else f"({of})"
        c = self.pick(NUMBERS)
        forms = [
            f"np.clip({of}, {low}, {high})",
            f"np.clip({of}, {low}, {high})",
            f"{of}.clip({low}, {high})",
            f"np.clip({of}, {low}, None)",
            f"np.clip({of}, None, {high})",
            f"{of}.clip({low})",
            f"np.where({of} > {high}, {high}, {of})",
            f"np.where({of} < {low}, {low}, {of})",
            f"np.where({of} > {c}, {high}, {low})",
            f"np.where({of} > {c}, {of}, {c})",
            f"{of} ** 2",
            f"{of} ** {self.pick(('3', '2.0', '1', '-1', '0.5'))}",
            f"{of} // {self.positive()}",
            f"{of} % {self.positive()}",
            f"np.minimum({of}, {high})",
            f"{of}.abs()" if self.chance(self.trap) else f"np.abs({of})",
            f"{of} * {self.positive()}",
            f"{of}.apply(lambda e: {self.each_number()})",
            f"{of}.map(lambda {self.pick(('e', 'v'))}: {self.each_number()})"
            if self.chance(0.5)
            else f"np.array({of})",
            f"{of}.values" if self.chance(0.5) else f"{of}.to_numpy()",
        ]
        if of.isidentifier():
            forms.append(f"{of}[{of} {self.pick('<>')} {c}]")
        return self.pick(forms)

    def of_data(self) -> str:
        if not self.names.get("arr"):
            return self.of_list()
        of, low, high = self.arr(2), *self.limits()
        of = of if of.isidentifier() or self.chance(0.3) else f"np.clip({of}, {low}, {high})"
        of = of if of.isidentifier() or of.startswith("np.") else f"({of})"
        ddof = self.pick(("", "ddof=1", "ddof=0", "ddof=2" if self.chance(self.trap) else ""))
        forms = [
            *(f"{of}.{name}()" for name in ("max", "min", "mean", "sum", "sum", "median")),
            *(f"np.{name}({of})" for name in ("max", "min", "amax", "median", "sum", "mean", "size")),
            *(f"({of} {self.pick('<>')} {self.pick(NUMBERS)}).{name}()" for name in ("mean", "sum")),
            f"np.mean({of} > {self.pick(NUMBERS)})",
            f"{of}.var({ddof})",
            f"{of}.std({ddof})",
            f"np.var({of}{', ' if ddof else ''}{ddof})",
            f"np.std({of})",
            f"np.quantile({of}, {self.pick(SHARES)})",
            f"np.percentile({of}, {self.pick(('50', '90', '25', '100'))})",
            f"{of}.quantile({self.pick(SHARES)})",
            f"{of}.size",
            f"{of}.max() - {of}.min()",
            f"np.count_nonzero({of} > {self.pick(NUMBERS)})",
            f"np.dot({of}, {of})",
            f"({of} * {of}).sum()",
            f"max({of})",
            f"sum({of})",
        ]
        if self.chance(self.trap):
            forms = [
                f"np.argmax({of})",
                f"{of}.argmax()",
                f"{of}.max",
                f"np.max({of}, axis=0)",
                f"np.median([{of}.sum(), 1])",
                f"np.any({of} > 1)",
                f"np.sort({of})[0]",
                f"np.cumsum({of})[-1]",
                f"np.var({of}, 0)",
            ]
        return self.pick(forms)

    def each_number(self) -> str:
        """What a function makes of a number e."""
        low, high = self.limits()
        return self.pick(
            (
                f"min(max(e, {low}), {high})",
                f"max({low}, min({high}, e))",
                f"{high} if e > {high} else {low} if e < {low} else e",
                f"{low} if e < {self.pick(NUMBERS)} and e != {low} else {high}",
                f"1 if not e > {self.pick(NUMBERS)} else 0",
                f"e > {self.pick(NUMBERS)} or e < {low}",
                f"abs(e) * 2 - min(e, {high}) / 3",
                f"e + e * {self.pick(NUMBERS)}",
                *(("1 / e", "e // 2", "e % 2", "e or 1", "-e ** 2", "max(e, 0, 1)") if self.chance(self.trap) else ()),
            )
        )

    def of_list(self) -> str:
        of, low, high = self.list(1), *self.limits()
        array = f"np.{self.pick(('array', 'array', 'asarray'))}({of})"
        held = f"[max({low}, min(e, {high})) for e in {of}]"
        return self.pick(
            (
                f"max({of})",
                f"min({of})",
                f"max({held})",
                f"np.median({of})",
                f"np.var({held})",
                f"np.mean({held})",
                f"sum({held}) / len({of})",
                f"sum(e ** 2 for e in {held})",
                f"sum({held})",
                f"np.clip({array}, {low}, {high}).sum()",
                f"sum(map(lambda e: {self.each_number()}, {of}))",
                f"sum(list(map(lambda e: {self.each_number()}, {of})))",
                f"{array}.clip({low}, {high}).var()",
                f"({array} > {self.pick(NUMBERS)}).sum()",
                f"({array} * 2).max()" if self.chance(self.trap) else f"{array}.size",
                f"sum(e // 2 for e in {held})",
                f"sum(e % 3 for e in {of})",
                f"np.percentile({of}, 50)",
                f"sorted({of})[0]" if self.chance(self.trap) else f"len({of})",
                f"max({of}, key=abs)" if self.chance(self.trap) else f"len({of})",
                f"max({of}, default=0)" if self.chance(self.trap) else f"sum(e > {low} for e in {of})",
            )
        )

    def last(self) -> None:
        if self.private and self.has_data and self.chance(0.3):
            scale = self.positive()
            each = f"np.sum({self.pick(self.names['arr'])} > t)" if self.names.get("arr") else f"({self.of_data()})"
            if self.names.get("arr") and self.chance(0.5):
                self.in_pairs(self.pick(self.names["arr"]))
                return self.line(f"return {self.pick(PUBLISHED).replace('X', 'out')}")
            self.line(f"out = [{each} + {self.draw(scale)} for t in {self.pick(('range(3)', '[1, 2, 4]'))}]")
            return self.line(f"return {self.pick(PUBLISHED).replace('X', 'out')}")
        if self.private and self.names.get("arr") and self.chance(0.4):
            self.line(f"counts, {self.pick(('_', 'edges'))} = np.histogram({self.arr(1)}, bins={self.bins()})")
            noise = self.draw(self.positive(), f", size={self.pick(('len(counts)', 'counts.shape', '3', '2'))}")
            self.line(f"out = {self.added('counts', noise)}")
            return self.line(f"return {self.pick(OF_VECTORS).replace('X', 'out')}")
        super().last()

    def in_pairs(self, of: str) -> None:
        """Numbers that are released of each of some bins, or with a scale for each, or of each of some counts."""
        counted = f"(({of} >= a) & ({of} < b)).sum()" if self.chance(0.7) else f"({of} > a).sum()"
        self.line(f"ts = {self.pick(('[0, 1, 3, 9]', '[0, 2, 4]', '(-1, 0, 2)', '[3, 1, 3]'))}")
        if self.chance(self.trap):
            self.line(self.pick(("ts[0] = 2", "ts.append(4)", "ts = ts[::-1]", "zip = enumerate")))
        over = self.pick(
            (
                *("zip(ts, ts[1:])", "zip(ts[:-1], ts[1:])", "[(0, 1), (1, 3), (3, 9)]", "enumerate(ts)"),
                *("zip(ts, [1, 2])", "[(0, 2), (1, 3)]", "zip(ts[1:3], ts)", "enumerate([2, 4])"),
            )
        )
        released = f"{counted} + {self.draw(self.positive())}"
        if self.chance(0.3):
            self.line(f"counts = np.histogram({of}, bins={self.bins()})[0]")
            self.line(f"out = [{self.pick(('c', '2 * c'))} + {self.draw(self.positive())} for c in counts]")
        elif self.chance(0.5):
            self.line(f"out = [{released} for a, b in {over}]")
        else:
            self.line("out = []")
            self.line(f"for a, b in {over}:")
            self.line(f"    out.append({released})")

    def added(self, to: str, noise: str) -> str:
        """An array with noise, which may have got a name first."""
        if not self.chance(0.5):
            return f"{to} + {noise}"
        self.line(f"noise = {noise}")
        if self.chance(self.trap):
            self.line(
                self.pick(("noise = abs(noise)", "noise[0] = 0", f"{to} = {to} + noise", "noise = noise.round()"))
            )
        return self.pick(
            (
                f"{to} + noise",
                f"{to} - noise",
                f"noise * 2 + {to}",
                f"np.array([x + z for x, z in zip({to}, noise)])",
                f"[x - z for z, x in zip(noise, {to})]",
            )
        )

    def bins(self) -> str:
        return self.pick(
            (
                "[0, 1, 3, 10]",
                "[0, 1, 3]",
                "np.array([0, 1, 3, 10])",
                "np.arange(0, 4)",
                "np.arange(0, 20, 5)",
                "np.linspace(0, 10, 4)",
                "3, range=(0, 10)",
                "3" if self.chance(self.trap) else "[-5, 0, 5]",
            )
        )
