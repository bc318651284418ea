"""Julia programs of the specification, changed at random (see :mod:`attack.changing`): token by token and line by line,
as people edit, with nothing of what reads them for the checker or for the evaluator."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from functools import cache

from evaluator.program import Program
from source_tree import ROOT
from spec_runner import blocks

_PROVED = re.compile(r"^# ([\w!]+): (?:\w+ (?:ε )?(?!oo)\S+)", re.MULTILINE)
_UNMODELLED = ("# file:", "module ", "include(", "open(", "write(", "@__")
_LONG = re.compile(r"\d{19}")
"""Whole numbers that Julia may keep as another type, which the evaluator does not."""
_TOKEN = re.compile(r'"[^"\n]*"|[^\W\d]\w*!?|\d+(?:\.\d+)?(?:e-?\d+)?|\.?[-+*/^<>=!÷]=?|[^\s\w]|\s+|\w+')
_NAME = re.compile(r"[^\W\d]\w*!?$")
_NUMBER = re.compile(r"\d+(?:\.\d+)?(?:e-?\d+)?$")
_NUMBERS = ("0", "1", "2", "-1", "0.5", "10", "100", "1e-3", "true", "1 // 3")
_OPERATORS = (
    ("+", "-", "*", "/", "^", "÷", "%"),
    (".+", ".-", ".*", "./", ".^"),
    ("<", "<=", ">", ">=", "==", "!="),
    (".<", ".<=", ".>", ".>=", ".==", ".!="),
    ("+=", "-=", "*=", "/=", "="),
)
_ALIKE = (
    ("sum", "mean", "maximum", "minimum", "length", "prod", "median", "var", "std", "cumsum", "size", "first", "last"),
    ("min", "max", "abs", "clamp", "round", "floor", "ceil", "sqrt", "exp", "log", "abs2", "sign", "float", "Int"),
    ("map", "filter", "count", "any", "all", "foreach"),
    ("laplacian_mechanism", "gaussian_mechanism", "geometric_mechanism", "discrete_laplace_mechanism"),
    ("sort", "unique", "reverse", "copy", "sort!", "reverse!", "vec", "collect"),
    ("push!", "append!", "pushfirst!", "pop!", "empty!"),
    ("ChangeOne", "Symmetric"),
    ("Real", "Integer", "Data", "Float64", "Int", "Bool"),
    ("zeros", "ones", "fill"),
    ("L1", "L2", "LInf"),
)
_WORDS = (
    "function end if elseif else for while let begin return break continue local global const module using import "
    "export struct macro quote try catch finally do abstract mutable true false in where nothing Priv Static BlackBox "
    "MetricVector MetricMatrix Vector Matrix Tuple Bounded NoData"
)
_KEYWORDS = frozenset(_WORDS.split())
_AROUND = (
    "abs(X)", "-X", "2X", "X + X", "X[1]", "X[2:end]", "X[end]", "X[1:2]", "X'", "X .^ 2", "sum(X)", "length(X)",
    "(z -> z)(X)", "[X...]", "[X][1]", "(X, X)[1]", "copy(X)", "round(X)", "(X > 0 ? X : 0)", "max(X, 0)", "X[:]",
    "map(identity, X)", "begin X end", "(X; X)", "sort(X)", "reverse(X)", "[z for z in X]", "sum(z for z in X)",
    "float(X)", "X .* 2", "clamp.(X, 0, 1)", "clamp(X, 0, 1)", "(X == X)", "X^2", "X % 3", "X ÷ 2", "maximum(X)",
    "mean(X)", "X |> identity", "let X = X; X end", "filter(z -> z > 1, X)", "cumsum(X)", "1 / X", "vcat(X, X)",
)  # fmt: skip
_BEFORE = (
    "println(X)", "X = Y", "X = X + Y", "X += 1", "X .+= 1", "X *= 2", "X[1] = 5", "X[1] = Y", "X .= 0", "push!(X, Y)",
    "sort!(X)", "X = X[2:end]", "X = copy(X)", "global G = X", "if X > 2\n        X = 0\n    end", "return X",
    "if length(X) > 2\n        return 0\n    end", "for z in X\n        Y = z\n    end", "for X in Y\n    end",
    "while X > 10\n        X = X - 1\n    end", "X, Y = Y, X", "X = Y = 3", "X = [z for z in Y]", "X(z) = Y",
    "X = z -> Y", "X = Y > 0 ? Y : X", "X = clamp(X, 0, 10)", "X = max(X, Y)", "let X = Y\n        X\n    end",
    "X = map(z -> z, X)", "X = round(X)", "X -= Y", "X = -X", "empty!(X)", "X = X * 0", "@assert X > 0",
    "error(X)", "local X = Y", "X = (X, Y)[1]", "X = vcat(X, Y)", "X = filter(z -> z > 1, X)", "pop!(X)",
    "try\n        X[9]\n    catch\n        Y = 0\n    end", "X = Y::Real", "reverse!(X)", "fill!(X, 1)",
)  # fmt: skip
_STRUCTURE = (
    "function",
    "end",
    "else",
    "elseif",
    "for",
    "while",
    "if",
    "let",
    "begin",
    "struct",
    "#",
    "module",
    "using",
)


@cache
def _programs() -> tuple[str, ...]:
    pages = sorted(ROOT.glob("fixtures/spec/**/*.md"))
    found = [each for page in pages for each in blocks(page.read_text("utf-8"))]
    texts = [each.text for each in found if each.language == "julia" and not each.words]
    known = (each for each in texts if _PROVED.search(each) and _LONG.search(each) is None)
    return tuple(each for each in known if not any(word in each for word in _UNMODELLED))


class ChangedJuliaWriter:
    """Takes a program of the specification and changes it one to three times."""

    def __init__(self, source: random.Random) -> None:
        self.source = source

    def program(self) -> str:
        while True:
            text = self.source.choice(_programs())
            for _ in range(self.source.choice((1, 1, 2, 3))):
                text = self._changed(text)
            if _is_read(text):
                return text

    def _changed(self, text: str) -> str:
        changes: tuple[Callable[[list[str]], None], ...] = (
            self._number, self._name, self._operator, self._function, self._wrapped, self._wrapped,
        )  # fmt: skip
        if self.source.random() < 0.45:
            lines = text.splitlines()
            self._line(lines)
            return "\n".join(lines) + "\n"
        tokens = [token for line in text.splitlines(keepends=True) for token in _tokens(line)]
        self.source.choice(changes)(tokens)
        return "".join(tokens)

    def _place(self, tokens: list[str], fits: Callable[[str], bool]) -> int | None:
        places = [place for place, token in enumerate(tokens) if fits(token)]
        return self.source.choice(places) if places else None

    def _number(self, tokens: list[str]) -> None:
        place = self._place(tokens, lambda token: _NUMBER.match(token) is not None)
        if place is not None:
            others = [token for token in tokens if _NUMBER.match(token)]
            tokens[place] = self.source.choice([*others, *_NUMBERS])

    def _name(self, tokens: list[str]) -> None:
        """Another name that stands near it."""
        place = self._place(tokens, _is_name)
        if place is not None:
            tokens[place] = self.source.choice(
                [token for token in tokens[max(0, place - 60) : place + 60] if _is_name(token)]
            )

    def _operator(self, tokens: list[str]) -> None:
        place = self._place(tokens, lambda token: any(token in kind for kind in _OPERATORS))
        if place is not None:
            tokens[place] = self.source.choice(next(kind for kind in _OPERATORS if tokens[place] in kind))

    def _function(self, tokens: list[str]) -> None:
        place = self._place(tokens, lambda token: any(token in kind for kind in _ALIKE))
        if place is not None:
            tokens[place] = self.source.choice(next(kind for kind in _ALIKE if tokens[place] in kind))

    def _wrapped(self, tokens: list[str]) -> None:
        """Something around a name that is read, as far as can be seen."""
        place = self._place(tokens, _is_name)
        behind = "".join(tokens[place + 1 : place + 3]).lstrip()[:1] if place is not None else "("
        if place is not None and behind not in ("(", ":", "=", "{"):
            tokens[place] = self.source.choice(_AROUND).replace("X", tokens[place])

    def _line(self, lines: list[str]) -> None:
        """A line of a body less, one twice, in another place, or one more."""
        inner = [
            place
            for place, line in enumerate(lines)
            if line.startswith(" ") and not line.strip().startswith(_STRUCTURE) and line.strip()
        ]
        if not inner:
            return
        place = self.source.choice(inner)
        match self.source.randrange(7):
            case 0:
                del lines[place]
            case 1:
                lines.insert(place, lines[place])
            case 2:
                other = self.source.choice(inner)
                lines[place], lines[other] = lines[other], lines[place]
            case 3:
                lines[place] = f"    for _ in 1:2\n    {lines[place]}\n    end"
            case _:
                near = [
                    name for line in lines[max(0, place - 6) : place + 6] for name in _tokens(line) if _is_name(name)
                ]
                text = self.source.choice(_BEFORE)
                for letter in "XY":
                    text = re.sub(rf"\b{letter}\b", self.source.choice(near or ["z"]), text)
                lines.insert(place + self.source.randrange(2), f"    {text}")


def _is_read(text: str) -> bool:
    """Whether the evaluator loads it: Julia would refuse most of what it does not."""
    try:
        Program(text)
    except Exception:
        return False
    return True


def _tokens(line: str) -> list[str]:
    """The tokens of a line, blanks among them; a comment is one."""
    code, sign, comment = line.partition("#")
    return [*_TOKEN.findall(code), *([sign + comment] if sign else [])]


def _is_name(token: str) -> bool:
    known = token in _KEYWORDS or any(token in kind for kind in _ALIKE)
    return _NAME.match(token) is not None and not known
