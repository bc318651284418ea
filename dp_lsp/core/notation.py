"""Numbers and types as text: numbers for people (``2⋅√n``) and in SymPy syntax (``2*sqrt(n)``), types in the published
notation and in words."""

from __future__ import annotations

from contextlib import suppress
from decimal import ROUND_CEILING, Context, Decimal, Inexact
from fractions import Fraction
from functools import reduce

from dp_lsp.core.algebra import Apply, Argument, Atom, Function, Monomial, NormVariable, Poly, Symbol, apply
from dp_lsp.core.constraints import Assumptions, Constraint
from dp_lsp.core.sens import Sens
from dp_lsp.core.types import (
    HANDLE,
    AnyNorm,
    Base,
    BoolType,
    Boxed,
    Clip,
    Container,
    Dataset,
    FunctionType,
    Kind,
    ModelType,
    NumberType,
    TupleType,
    Type,
    TypeVariable,
)
from dp_lsp.named import NamedTuple


class Style(NamedTuple):
    """How a notation writes each thing."""

    times: str
    infinity: str
    root: str
    log: str
    magnitude: tuple[str, str]
    ceiling: tuple[str, str]
    maximum: str
    power: str
    relations: dict[str, str]
    spoken: bool
    """Whether sizes are called what people call them."""


DISPLAY = Style(
    "⋅", "∞", "√", "ln", ("|", "|"), ("⌈", "⌉"), "max", "^", {"<=": "≤", "==": "=", "!=": "≠", "<": "<"}, True
)
SYMPY = Style(
    "*",
    "oo",
    "sqrt",
    "log",
    ("Abs(", ")"),
    ("ceiling(", ")"),
    "Max",
    "**",
    {"<=": "<=", "==": "==", "!=": "!=", "<": "<"},
    False,
)

LONGEST = 2_000  # symbols of a formula
_SHORT = 7  # characters of a fraction that is easily read
_DIGITS_OF_A_LIMIT = 12
_LONG, _DIGITS = 10**4, 12  # fractions of longer numbers are read better with a point, if they have so few digits
_BARS = {DISPLAY.magnitude[0]: DISPLAY.magnitude[1], DISPLAY.ceiling[0]: DISPLAY.ceiling[1]}
_NOTHING = Assumptions()


class Printer:
    """Writes numbers in a style; ``assumptions`` tell where |x| is x."""

    def __init__(self, style: Style, assumptions: Assumptions = _NOTHING) -> None:
        self._style = style
        self._assumptions = assumptions
        self._written: dict[Apply, str] = {}  # the bounds of a function share most of what they are made of

    def sens(self, value: Sens) -> str:
        """A number in [0, ∞]. One that would fill pages is written as ∞, which it is below."""
        if value.infinite or value.size > LONGEST:
            return self._style.infinity
        if len(value.polys) > 1:
            return f"{self._style.maximum}({', '.join(sorted(self.poly(poly) for poly in value.polys))})"
        return self.poly(value.polys[0]) if value.polys else "0"

    def quantity(self, value: Sens | Poly) -> str:
        """A side of a condition."""
        return self.sens(value) if isinstance(value, Sens) else self.poly(value)

    def constraint(self, value: Constraint) -> str:
        """A condition: both sides and the relation between them."""
        relation = self._style.relations[value.relation]
        return f"{self.quantity(value.left)} {relation} {self.quantity(value.right)}"

    def poly(self, value: Poly) -> str:
        """A number that may be negative; its terms in a fixed order."""
        value = _flat(value)
        if not value.terms:
            return "0"
        terms = sorted(
            ((self._monomial(m, abs(c)), c < 0, not m) for m, c in self._joined(value).terms.items()),
            key=lambda term: (term[1], term[2], term[0]),
        )
        text = ""
        for written, negative, _ in terms:
            if not text:
                text = f"-{written}" if negative else written
            else:
                text += f" - {written}" if negative else f" + {written}"
        return text

    def _joined(self, value: Poly) -> Poly:
        """The number with what max(0, x) and |x| are, where x is assumed to be at least 0."""
        if all(self._inside(atom) is None for monomial in value.terms for atom, _ in monomial):
            return value
        result = Poly({})
        for monomial, coefficient in value.terms.items():
            product = Poly({(): coefficient})
            for atom, power in monomial:
                product = product * self._factor(atom, power)
            result = result + product
        return result

    def _inside(self, atom: Atom) -> Poly | None:
        """x of an atom that is max(0, x) or |x|, if it is assumed to be at least 0."""
        known = isinstance(atom, Apply) and atom.function in (Function.PLUS, Function.ABS)
        argument = atom.args[0] if isinstance(atom, Apply) and known else None
        return argument if isinstance(argument, Poly) and self._assumptions.nonnegative(argument) else None

    def _factor(self, atom: Atom, power: Fraction) -> Poly:
        inside = self._inside(atom)
        if inside is None:
            return Poly({((atom, power),): Fraction(1)})
        if _is_quotient(inside) and abs(power) == 1:
            return inside if power == 1 else inside.inverse()
        single = apply(Function.ABS, inside).single
        assert single is not None
        return Poly({((single[0][0][0], power),): Fraction(1)})

    def _monomial(self, monomial: Monomial, coefficient: Fraction) -> str:
        over: list[str] = []
        under: list[str] = []
        inside: list[tuple[Atom, Fraction]] = []
        written = sorted(((self._atom(atom), atom, power) for atom, power in monomial), key=lambda item: item[0])
        for text, atom, power in written:
            if power.denominator == 2:
                inside.append((atom, power * 2))
            else:
                (over if power > 0 else under).append(self._raised(text, abs(power), power > 0))
        if inside:
            over.append(self._radical(tuple(inside)))
        short = _in_decimals(coefficient) if self._style is DISPLAY else None
        if short is not None:
            over.insert(0, short)
        elif coefficient.numerator != 1 or not over:
            over.insert(0, str(coefficient.numerator))
        if coefficient.denominator != 1 and short is None:
            under.insert(0, str(coefficient.denominator))
        text = self._style.times.join(over)
        if not under:
            return text
        below = self._style.times.join(under)
        return f"{text}/{below}" if len(under) == 1 else f"{text}/({below})"

    def _radical(self, inside: Monomial) -> str:
        text = self._monomial(inside, Fraction(1))
        plain = self._style is DISPLAY and (text.isalnum() or text.isidentifier())
        return self._style.root + (text if plain else _bracketed(text))

    def _raised(self, text: str, power: Fraction, over: bool) -> str:
        """A factor, over or under a line. Whatever is more than one name or call stands in brackets where others would
        come between its parts: ``a/(1/b)``, ``(a⋅ln(b))^2``."""
        one = _is_one(text)
        if power == 1:
            return text if one or over else f"({text})"
        exponent = str(power) if power.denominator == 1 else f"({power})"
        return f"{text if one else f'({text})'}{self._style.power}{exponent}"

    def _atom(self, atom: Atom) -> str:
        if isinstance(atom, Symbol):
            return atom.spoken if self._style.spoken else atom.name
        known = self._written.get(atom)
        if known is None:
            known = self._written[atom] = self._application(atom)
        return known

    def _application(self, atom: Apply) -> str:
        function, args = atom.function, atom.args
        first = args[0]
        text = self._argument(first)
        match function:
            case Function.ABS | Function.PLUS if isinstance(first, Poly):
                return self._signed(function, first, text)
            case Function.CEILING if isinstance(first, Poly):
                whole = self._style.ceiling[0] + text + self._style.ceiling[1]
                return whole if self._assumptions.nonnegative(first) else f"{self._style.maximum}(0, {whole})"
            case Function.LOG1P:
                return f"{self._style.log}(1 + {text})"
            case Function.EXPM1:
                return f"(exp{_bracketed(text)} - 1)"
            case Function.LOG_INVERSE if isinstance(first, Poly):
                inverse = f"1/{_grouped(text)}" if first.single is None else self.poly(first.inverse())
                return self._style.log + _bracketed(inverse)
            case Function.TANH:
                return f"tanh{_bracketed(text)}"
            case Function.ROOT:
                return self._style.root + _bracketed(text)
            case Function.POWER:
                return f"{_grouped(text)}{self._style.power}{_grouped(self._argument(args[1]))}"
            case Function.GEOMETRIC:
                return self._geometric(text, self._argument(args[1]))
            case Function.INVERSE:
                return f"(1/{_grouped(text)})"
            case Function.BY_NORM:
                l1, l2, linf = (self._argument(arg) for arg in args[1:])
                return f"({l1} in L1, {l2} in L2, {linf} in LInf)"
        return text if _long_sum(((atom, Fraction(1)),)) is None else _bracketed(text)

    def _signed(self, function: Function, argument: Poly, text: str) -> str:
        known = argument.number
        if known is not None:
            return str(known)
        if self._assumptions.nonnegative(argument):
            return text if len(argument.terms) == 1 else f"({text})"
        if function is Function.PLUS:
            return f"{self._style.maximum}(0, {text})"
        return self._style.magnitude[0] + text + self._style.magnitude[1]

    def _geometric(self, base: str, count: str) -> str:
        """1 + s + … + s^(k-1); its closed form has no value at s = 1."""
        if self._style is SYMPY:
            return f"Sum({_grouped(base)}**j, (j, 0, {count} - 1))"
        return f"(1 + … + {_grouped(base)}^({count} - 1))"

    def _argument(self, arg: Argument) -> str:
        return arg.name if isinstance(arg, NormVariable) else self.quantity(arg)


def _is_quotient(value: Poly) -> bool:
    return value.single is not None and any(power < 0 for _, power in value.single[0])


def _flat(value: Poly) -> Poly:
    """The same sum with the terms of those long sums that are terms of it."""
    inside = {m: total for m, c in value.terms.items() if c == 1 and (total := _long_sum(m)) is not None}
    if not inside:
        return value
    others = Poly({m: c for m, c in value.terms.items() if m not in inside})
    return reduce(Poly.__add__, map(_flat, inside.values()), others)


def _long_sum(monomial: Monomial) -> Poly | None:
    """The sum that a monomial is, where it is no more than an atom that stands for one."""
    atom, power = monomial[0] if len(monomial) == 1 else (None, None)
    inside = atom.args[0] if isinstance(atom, Apply) and atom.function is Function.MAXIMUM and power == 1 else None
    return inside.polys[0] if isinstance(inside, Sens) and len(inside.polys) == 1 else None


def _is_one(text: str) -> bool:
    """Whether a text is one name, number, call, or what stands in brackets or between bars."""
    if text.isalnum() or (text[0] in _BARS and text.find(_BARS[text[0]], 1) == len(text) - 1):
        return True
    name, bracket, _ = text.partition("(")
    is_name = all(part.isidentifier() for part in name.lstrip("√").rstrip("'").split(".") if part)
    return is_name and (not bracket or _bracketed(text[len(name) :]) == text[len(name) :])


def _grouped(text: str) -> str:
    return text if text.isalnum() or text.isidentifier() else _bracketed(text)


def _bracketed(text: str) -> str:
    """The text in one pair of brackets, be it its own."""
    depth = 0
    for index, char in enumerate(text):
        depth += (char == "(") - (char == ")")
        if depth == 0:
            return text if char == ")" and index == len(text) - 1 else f"({text})"
    return f"({text})"


_PLAIN = Printer(DISPLAY)
_FORMULA = Printer(SYMPY)


def shown(value: Sens | Poly) -> str:
    """A number for a person, nothing being assumed."""
    return _PLAIN.quantity(value)


def as_formula(value: Sens | Poly) -> str:
    """A number in the notation of reports, nothing being assumed."""
    return _FORMULA.quantity(value)


def figure(value: Fraction) -> str:
    """A number for a person: exact where that is short (0.1, 1/3), else with few significant digits, rounded up."""
    rounded, exact = decimal(value), str(value)
    return exact if len(exact) <= _SHORT and Fraction(rounded) != value else rounded


def allowed(most: Fraction) -> str:
    """A limit ≥ 0 for a person: exact where that is short, else rounded down, as no more is allowed."""
    exact, rounded = str(most), decimal(most, _DIGITS_OF_A_LIMIT)
    if Fraction(rounded) == most:
        return rounded
    return exact if len(exact) <= _SHORT else decimal(-most, _DIGITS_OF_A_LIMIT).removeprefix("-")


def _in_decimals(value: Fraction) -> str | None:
    """A fraction of two long numbers with a point in it, if it is that number."""
    if min(abs(value.numerator), value.denominator) < _LONG:
        return None
    exact = Context(prec=_DIGITS, traps=[Inexact])
    with suppress(Inexact):
        return f"{exact.divide(Decimal(value.numerator), Decimal(value.denominator)):f}"
    return None


def decimal(value: Fraction | None, digits: int = 3) -> str:
    """A number with few significant digits, rounded up; ``∞`` for None."""
    if value is None:
        return "∞"
    if value.denominator == 1 and abs(value) < 10**9:
        return str(value.numerator)
    context = Context(prec=digits, rounding=ROUND_CEILING, traps=[])
    rounded = context.divide(Decimal(value.numerator), Decimal(value.denominator))
    exact = Context(prec=digits + 2, traps=[Inexact])
    with suppress(Inexact):
        rounded = exact.divide(Decimal(value.numerator), Decimal(value.denominator))
    small = -5 < rounded.adjusted() < 9
    text = f"{rounded:f}" if small else f"{rounded.normalize():e}"
    return (text.rstrip("0").rstrip(".") or "0") if small and "." in text else text


def percentage(share: float | None) -> str:
    """A share in brackets, or nothing if it is not known."""
    if share is None:
        return ""
    percent = round(100 * share)
    return f" ({percent} %)" if percent or not share else " (less than 1 %)"


_WORDS = {Kind.VECTOR: "a vector", Kind.MATRIX: "a matrix", Kind.GRADIENT: "a gradient"}
_NUMBERS = {Base.INTEGER: "an Integer", Base.REAL: "a Real number", Base.DATA: "Data"}


def type_text(type_: Type, printer: Printer = _PLAIN) -> str:
    """A type in the published notation, such as ``Matrix<n: L2, c: U>[r × n]{Real}``."""
    match type_:
        case NumberType(base, static, bounds):
            if bounds is not None and static is None:
                return f"{base.value} in [{printer.poly(bounds.low)}, {printer.poly(bounds.high)}]"
            return base.value if static is None else f"{base.value}[{printer.poly(static)} ©]"
        case BoolType():
            return "Bool"
        case Container():
            size = printer.poly(type_.length)
            if type_.rows is not None:
                size = f"{printer.poly(type_.rows)} × {size}"
            head = f"{type_.kind.value}<n: {norm_text(type_.norm)}, c: {type_.clip.value}>"
            return f"{head}[{size}]{{{type_text(type_.element, printer)}}}"
        case Dataset():
            return _dataset_text(type_, printer)
        case ModelType(size):
            return f"DMModel[{printer.poly(size)}]"
        case TupleType(items):
            label = type_.label
            if label == HANDLE:
                return "generator"
            if label is None:
                return f"Tuple{{{', '.join(type_text(item, printer) for item in items)}}}"
            sign = "=>" if label.keyed else "="
            parts = (f"{name} {sign} {type_text(item, printer)}" for name, item in zip(label.names, items, strict=True))
            return f"{label.of}({', '.join(parts)})"
        case TypeVariable(name):
            return f"type of {name}"
        case FunctionType(value):
            return f"function {value.name}"
        case Boxed(name):
            return f"result of {name}"
    return "unknown"


def type_and_value(type_: Type, printer: Printer = _PLAIN) -> tuple[str, str]:
    """The text of a type and, of a number that is known, which number it is; the type is then what it is besides."""
    if isinstance(type_, NumberType) and type_.static is not None:
        return type_.base.value, printer.poly(type_.static)
    return type_text(type_, printer), ""


def _dataset_text(type_: Dataset, printer: Printer) -> str:
    """A dataset, such as ``Vector<Symmetric>[?]{Real in [0, 100]}``; how many records there are is ``?`` where that is
    private."""
    box, least = type_.records, None if type_.least is None else f"≥ {printer.poly(type_.least)}"
    known = (printer.poly(type_.size) if type_.metric.sized else None, least)
    size = " ".join(filter(None, known)) or "?"
    if box.rows is not None:
        size = f"{size} × {printer.poly(box.length)}"
    row = "" if type_.radius is None else f", c: {box.clip.value} ≤ {printer.poly(type_.radius)}"
    return f"{box.kind.value}<{type_.metric.value}{row}>[{size}]{{{type_text(box.element, printer)}}}"


def _dataset_words(type_: Dataset) -> str:
    element, limits = type_.records.element, []
    if isinstance(element, NumberType) and element.bounds is not None:
        limits.append(f"from {_PLAIN.poly(element.bounds.low)} to {_PLAIN.poly(element.bounds.high)}")
    if type_.radius is not None:
        limits.append(f"that measure at most {_PLAIN.poly(type_.radius)} in {type_.records.clip.value}")
    if type_.least is not None:
        limits.append(f"of which there are at least {_PLAIN.poly(type_.least)}")
    what = " ".join(("rows" if type_.records.rows is not None else "numbers", *limits))
    return f"a dataset of {what}, measured in {type_.metric.value}"


def norm_text(norm: AnyNorm) -> str:
    """A norm, or ``N`` where it may be any."""
    return "N" if isinstance(norm, NormVariable) else norm.value


def type_words(type_: Type) -> str:
    """A type as the end of a sentence: "a vector of Data measured in LInf"."""
    match type_:
        case NumberType(base, static):
            return f"the public number {_PLAIN.poly(static)}" if static is not None else _NUMBERS[base]
        case BoolType():
            return "a Bool"
        case Container():
            text = _WORDS[type_.kind]
            if isinstance(type_.element, NumberType | BoolType):
                text += f" of {type_text(type_.element)}"
            if type_.clip is not Clip.U:
                text += f" clipped in {type_.clip.value}"
            return text if isinstance(type_.norm, NormVariable) else f"{text} measured in {type_.norm.value}"
        case Dataset():
            return _dataset_words(type_)
        case ModelType():
            return "a model"
        case TupleType(items):
            if type_.label == HANDLE:
                return "a generator of random numbers, or None"
            if type_.label is not None:
                return f"a `{type_.label.of}`" if type_.label.of else "a named tuple"
            return f"a tuple of {len(items)}" if items else "nothing"
        case FunctionType():
            return "a function"
        case Boxed():
            return "the result of a black box, which `unbox` must give a type"
    return "something that is not known"
