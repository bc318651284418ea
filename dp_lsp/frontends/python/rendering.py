"""Python as it is written: in messages, and in repairs.

What rules say, and how types are shown, in Python's words.

Rules speak of code in the words of the rows, which are Julia's where a row has no other ones. Types are shown in the
published notation, such as ``Vector<Symmetric>[?]{Real in [0, 1]}``, which nobody knows who writes Python.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from types import MappingProxyType

from dp_lsp.core.algebra import Poly
from dp_lsp.core.annotation import Annotation, ContainerOf, DatasetOf, Limit, NumberOf, Truth
from dp_lsp.core.notation import SYMPY, Printer
from dp_lsp.core.sens import Sens
from dp_lsp.core.types import Base, DatasetMetric
from dp_lsp.frontends.python.words import python_builtins
from dp_lsp.intents import Intent, Rendering, Through, with_defaults
from dp_lsp.problem import Fix

_RELATIONS = {
    DatasetMetric.SYMMETRIC.value: "AddRemove()",
    DatasetMetric.INSERT_DELETE.value: "AddRemove(ordered=True)",
    DatasetMetric.CHANGE_ONE.value: "ChangeOne()",
    DatasetMetric.HAMMING.value: "ChangeOne(ordered=True)",
}
_ANY_RELATION = "|".join(_RELATIONS)
_OTHER_RELATION = "|".join(each for each in _RELATIONS if each != DatasetMetric.CHANGE_ONE.value)  # a word of Python
_SAID: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), instead)
    for pattern, instead in (
        (r"`clamp\((.*?), L, U\)`", r"`np.clip(\1, low, high)`"),
        (r"(?<=\bor )`clamp`|(?<=\bwith )`clamp`", "`np.clip`"),  # elsewhere it may be a function of the program
        (r"^clamp (?=`|all )", "clip "),
        (r", or fix the number with `resize\(v, n, x\)`", ""),
        (r", or make it so with `resize\(v, [^`]*, x\)`", ""),
        (r"; bound it with `clip\(\w+, c, v\)`", ": divide each row by its norm where that is larger than a limit"),
        (
            r"\ban Int between public numbers, as `[^`]*` is",
            "an `int` between public numbers, as `int(min(max(x, 0), 9))` is",
        ),
        (r"; begin with `Float64\[\]` or `zeros\(n\)`", "; begin with `np.zeros(n)`"),
        (r"\ba Bool\b", "a `bool`"),
        (r"\(Integer\)", "(`int`)"),
        (r"\(Integer or Real\)", "(`int` or `float`)"),
        (r"\ba Real number\b", "a `float`"),
        (r"\ban Integer\b", "an `int`"),
        (r"\ba private Real\b", "a private `float`"),
        (r"\bof Real\b", "of `float`"),
        (r"\bof Integer\b", "of `int`"),
        (r"`int` or Real\b", "`int` or `float`"),
        (r"\b([Ww]ith) dims=1\b", r"\1 `axis=0`"),
        (r"\b([Ww]ith) dims=2\b", r"\1 `axis=1`"),
        (r"\b(Integer), (Bool) and Data values\b", "`int`, `bool` and untrusted values"),
        (r"\ba Real side\b", "a `float` side"),
        (r"\b(of|to) Data\b", r"\1 untrusted numbers"),
        (r"\bcorrected=false\b", "`ddof=0`"),
        (r" ▸ row_to_vec [^▸]*(?=▸)", " "),
        (r"▸ map_rows\b", "▸ each row"),
    )
)
_LENGTH = re.compile(r"\b(?:length|rows)\(")
_WIDTH = re.compile(r"\bcols\((\w+)\)")
_RELATION = re.compile(
    rf"(?<=\()({_ANY_RELATION})(?=\))|(?<=`)({_OTHER_RELATION})(?=`)|(?<=measured in )({_ANY_RELATION})\b"
)


def spoken(sentence: str) -> str:
    """A sentence of a rule in Python's words."""
    for pattern, instead in _SAID:
        sentence = pattern.sub(instead, sentence)
    parts = sentence.split("`")  # what stands between two of them is code, as the user wrote it
    parts[::2] = [_LENGTH.sub("len(", part) for part in parts[::2]]
    return _RELATION.sub(_relation, "`".join(parts))


def _relation(found: re.Match[str]) -> str:
    said = _RELATIONS[found[0]]
    return said if found[2] else f"`{said}`"


# Types

_NUMBERS = re.compile(r"(?<![\w.])(Real|Integer|Bool|Data)\b")
_WORDS = {"Real": "float", "Integer": "int", "Bool": "bool", "Data": "untrusted float"}
_MANY = re.compile(r"(?:Vector|Matrix|Gradient)<([^<>]*)>\[((?:[^][]|\[[^][]*\])*)\]\{([^{}]*)\}")
_TUPLE = re.compile(r"\bTuple\{([^{}]*)\}")
_ROW = re.compile(r"c: \w+ ≤ (.*)")


def types_shown(text: str) -> str:
    """Types that are shown in the published notation, in Python's words: ``records[?] of float, AddRemove()``."""
    text = _NUMBERS.sub(lambda found: _WORDS[found[1]], _WIDTH.sub(r"\1.shape[1]", _LENGTH.sub("len(", text)))
    before = ""
    while text != before:  # from the inside out
        before = text
        text = _TUPLE.sub(r"tuple[\1]", _MANY.sub(_of_many, text))
    return text


def _of_many(found: re.Match[str]) -> str:
    head, *more = found[1].split(", ")
    if head not in _RELATIONS:
        return f"array[{found[2]}] of {found[3]}"
    rows = [f"RowNorm({row[1]})" for each in more if (row := _ROW.fullmatch(each))]
    return ", ".join((f"records[{found[2]}] of {found[3]}", _RELATIONS[head], *rows))


_WRITTEN = Printer(
    SYMPY._replace(
        infinity="math.inf",
        root="math.sqrt",
        log="math.log",
        magnitude=("abs(", ")"),
        ceiling=("math.ceil(", ")"),
        maximum="max",
        spoken=True,
    )
)
_TYPES = {Base.REAL: "float", Base.INTEGER: "int"}


class PythonRendering(Rendering):
    """What rules speak of, as Python writes it."""

    language = "Python"
    private = "Private"
    public = "Static[float]"
    returns_private = "-> Private"
    sizes = MappingProxyType({"length": "len({})", "rows": "len({})", "cols": "{}.shape[1]"})

    def __init__(self) -> None:
        self._builtins = python_builtins()

    def __getitem__(self, builtin: str) -> str:
        return self._builtins.spelling(builtin).name

    def call(self, builtin: str, *arguments: str) -> str:
        if builtin in _NOISE:
            return _NOISE[builtin](*arguments) if len(arguments) == _GIVEN[builtin] else ""
        if not self._builtins.has(builtin):
            return ""
        name = self[builtin]
        if name.replace(".", "_").isidentifier() and name not in _WORDS_BETWEEN:
            return f"{name}({', '.join(arguments)})"
        operands = [*map(_as_operand, arguments)] if name in _BINDING else [*arguments]
        return f" {name} ".join(operands) if len(operands) > 1 else f"{name} {operands[0]}"

    def is_infix(self, builtin: str) -> bool:
        return builtin in _NOISE or not self[builtin].replace(".", "_").isidentifier()

    def annotation(self, type_: Annotation) -> str:
        match type_:
            case NumberOf(base, _, None) if base in _TYPES:
                return _TYPES[base]
            case Truth():
                return "bool"
            case ContainerOf(norm=norm) if norm is not None:
                return f'Annotated[list, Within("{norm.value}")]'
            case DatasetOf():
                return _dataset(type_)
        return ""

    def at_least(self, records: str) -> str:
        return f"AtLeast({records})"

    def formula(self, value: Sens | Poly) -> str:
        return _WRITTEN.quantity(value)

    def fixes(self, intent: Intent, text: str) -> Iterable[Fix]:
        from dp_lsp.frontends.python.rewriting.repairs import REPAIRS  # only a mistake needs them

        found = REPAIRS.get(type(intent))
        if isinstance(intent, Through):
            return self._given_through(intent, text)
        return found(self, intent, text) if found is not None else super().fixes(intent, text)

    def _given_through(self, intent: Through, text: str) -> Iterator[Fix]:
        """What is a list is held between bounds number by number: functions of NumPy make an array of it."""
        from dp_lsp.frontends.python.rewriting.calls import held_number_by_number

        if len(intent.calls) == 1 and intent.calls[0].builtin == "clamp":
            low, high = map(self.expression, intent.calls[0].after)
            yield from held_number_by_number(intent, text, (low, high))
        yield from super().fixes(intent, text)

    def spoken(self, sentence: str) -> str:
        return spoken(sentence)

    def types_shown(self, text: str) -> str:
        return types_shown(text)

    def completed(self, fix: Fix, text: str) -> Fix:
        from dp_lsp.frontends.python.rewriting.imports import with_imports

        return with_imports(fix, text)


_WORDS_BETWEEN = frozenset({"and", "or", "not"})
_BINDING = frozenset({"*", "/", "//", "%", "**", "-", "not"})
"""Signs that take a part of a sum beside them."""


def _as_operand(code: str) -> str:
    """An expression in brackets, unless it is a name, a number or a call."""
    shown, depth = with_defaults(code), 0
    for sign in shown:
        depth += (sign in "([{") - (sign in ")]}")
        if sign == " " and not depth:
            return f"({code})"
    return code


def _laplace(distance: str, epsilon: str, hidden: str) -> str:
    return f"{hidden} + np.random.laplace(scale={_as_operand(distance)} / {_as_operand(epsilon)})"


_NOISE: dict[str, Callable[..., str]] = {
    "laplacian_mechanism": _laplace,
    "add_laplace": "{1} + np.random.laplace(scale={0})".format,
    "add_normal": "{1} + np.random.normal(scale={0})".format,
}
"""Mechanisms that are a sum with noise."""
_GIVEN = {"laplacian_mechanism": 3, "add_laplace": 2, "add_normal": 2}


def _dataset(type_: DatasetOf) -> str:
    words = ["ChangeOne()" if type_.metric is not None and type_.metric.sized else "AddRemove()"]
    if type_.bounds is not None:
        words.append(f"Bounded({_limits(type_.bounds)})")
    return f"Annotated[list, {', '.join(words)}]"


def _limits(limits: Iterable[Limit]) -> str:
    return ", ".join(f'"{each}"' if isinstance(each, str) else _decimal(each) for each in limits)


def _decimal(number: Fraction) -> str:
    return str(number) if number.denominator == 1 else str(float(number))
