"""Functions of numbers, of Python and of its libraries, and the constants that they have.

Each is a builtin; those of NumPy do the same to each entry of an array. Sources: the manual of Python (built-in
functions, ``math``), and that of NumPy (mathematical functions).
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from fractions import Fraction

from dp_lsp.named import NamedTuple

CLIPS = "np.clip"
DIGITS = "digits"


class Function(NamedTuple):
    """The builtin that a function is, and how many numbers it is given, at least and at most. One that ``rounds`` may
    be told last to how many digits."""

    builtin: str
    least: int = 1
    most: int = 1
    rounds: bool = False


_OF_BOTH = {
    **{name: name for name in ("sqrt", "log", "exp", "floor", "ceil", "trunc", "sin", "cos", "tan", "tanh", "sinh")},
    **{name: name for name in ("cosh", "log2", "log10", "log1p", "expm1", "cbrt", "exp2")},
}
FUNCTIONS = {
    "abs": Function("abs"),
    **dict.fromkeys(("np.abs", "np.absolute", "np.fabs", "math.fabs"), Function("abs")),
    "float": Function("float"),
    "min": Function("min", 2, 9),
    "max": Function("max", 2, 9),
    "np.minimum": Function("min", 2, 2),
    "np.maximum": Function("max", 2, 2),
    CLIPS: Function("clamp", 3, 3),
    "round": Function("round", 1, 2, rounds=True),
    "np.round": Function("round", 1, 2, rounds=True),
    "np.rint": Function("round"),
    "int": Function("trunc"),
    "np.square": Function("abs2"),
    "np.sign": Function("sign"),
    **{f"{of}.{name}": Function(row) for name, row in _OF_BOTH.items() for of in ("math", "np")},
    **{"math.atan": Function("atan"), "np.arctan": Function("atan")},
    **{"math.asinh": Function("asinh"), "np.arcsinh": Function("asinh")},
}
"""The functions of numbers that are understood."""
OF_NUMBER = frozenset(FUNCTIONS) - {"min", "max"}
"""Functions that make of a number one, and those of NumPy of an array one of the results."""
CONSTANTS = {
    "math.tau": Fraction(repr(math.tau)),
    **{f"{of}.pi": Fraction(repr(math.pi)) for of in ("math", "np")},
    **{f"{of}.e": Fraction(repr(math.e)) for of in ("math", "np")},
}
"""The numbers that modules have."""
INFINITE = frozenset({"math.inf", "np.inf"})
"""What they call the number that is larger than all others."""


def logistic(node: ast.expr, called: Callable[[ast.expr], str]) -> tuple[ast.expr, ast.expr] | None:
    """The numbers a and t of ``a / (1 + np.exp(t))``, which is a times ``(1 - tanh(t / 2)) / 2``: a divisor that is
    never 0. Where ``np.exp`` overflows the quotient is 0, as that is nearly."""
    match node:
        case ast.BinOp(left=over, op=ast.Div(), right=ast.BinOp(left=one, op=ast.Add(), right=other)):
            for least, grown in ((one, other), (other, one)):
                match least, grown:
                    case ast.Constant(value=int() | float() as value), ast.Call(
                        func=func, args=[power], keywords=[]
                    ) if value == 1 and not isinstance(value, bool) and called(func) == "np.exp":
                        return over, power
    return None


def goes_over_arrays(name: str) -> bool:
    """Whether a function of numbers does the same to each entry of an array."""
    return name == "abs" or name.startswith("np.")


def spellings(builtin: str) -> tuple[str, ...]:
    """The names of a builtin among the functions of numbers."""
    return tuple(name for name, function in FUNCTIONS.items() if function.builtin == builtin)


_LARGEST_POWER = 64


def computed(node: ast.expr) -> tuple[Fraction, bool] | None:
    """The number that is made of numbers which are written out, exactly, and whether it is whole as Python computes it;
    None for any other expression."""
    match node:
        case ast.Constant(value=int() | float() as value):
            found = written(node)
            return None if found is None else (found, isinstance(value, int))
        case ast.UnaryOp(op=ast.USub(), operand=operand) if (inner := computed(operand)) is not None:
            return -inner[0], inner[1]
        case ast.BinOp(left=left, op=op, right=right):
            one, other = computed(left), computed(right)
            return None if one is None or other is None else _combined(op, *one, *other)
    return None


def _combined(
    op: ast.operator, one: Fraction, is_whole: bool, other: Fraction, are_both: bool
) -> tuple[Fraction, bool] | None:
    whole = is_whole and are_both
    match op:
        case ast.Add():
            return one + other, whole
        case ast.Sub():
            return one - other, whole
        case ast.Mult():
            return one * other, whole
        case ast.Div() if other:
            return one / other, False
        case ast.Pow() if are_both and one and abs(other) <= _LARGEST_POWER and abs(one) <= _LARGEST_POWER:
            return one ** int(other), whole and other >= 0
    return None


def written(node: ast.expr) -> Fraction | None:
    """A finite number that is written out, with its sign; None for anything else."""
    match node:
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool) and abs(value) < math.inf:
            return Fraction(repr(value))
        case ast.UnaryOp(op=ast.USub(), operand=operand) if (inner := written(operand)) is not None:
            return -inner
    return None
