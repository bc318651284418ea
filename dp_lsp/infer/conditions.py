"""Side conditions (preconditions, size equations, declared bounds), decided once everything is solved. A false one is
an error; an open one becomes a condition of the scheme, which callers meet or inherit."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from dp_lsp.core.algebra import Apply, Atom, Function, Poly, Symbol
from dp_lsp.core.constraints import Constraint, Quantity
from dp_lsp.core.evaluate import Substitution, is_closed, speaks_of, symbols_of
from dp_lsp.core.notation import DISPLAY, Printer, as_formula
from dp_lsp.core.ranges import at_worst, is_computed, is_too_far, may_be_nan, varies
from dp_lsp.core.sens import Sens
from dp_lsp.infer import problems
from dp_lsp.infer.explain import MAY_BE_NAN
from dp_lsp.infer.inference import Inference
from dp_lsp.infer.solver import ConditionMark
from dp_lsp.named import NamedTuple
from dp_lsp.problem import INFINITE, Extent, Problem

_PRINT = Printer(DISPLAY)
_ZERO, _ONE = Poly.of(0), Poly.of(1)


def fails(constraint: Constraint) -> Problem:
    """The problem of a side condition that is false."""
    return failing(constraint, _PRINT.constraint(constraint))


def failing(constraint: Constraint, text: str) -> Problem:
    """The same with the condition as ``text``. Its extent is the excess of the left side, by which baselines
    compare."""
    span, reason = constraint.origin.span, constraint.origin.reason
    about = reason.replace("`", "")
    ordered = constraint.relation in ("<", "<=")
    extent = Extent(about, _excess(constraint)) if ordered else Extent(f"{about}: {text}", INFINITE)
    return problems.ConditionFails.at(span, condition=text, reason=reason, extent=(extent,))


def _excess(constraint: Constraint) -> str:
    """By how much the left side of a condition is larger than the right one, as a formula."""
    left, right = constraint.left, constraint.right
    if isinstance(left, Poly) and isinstance(right, Poly):
        return as_formula(left - right)
    return f"({as_formula(left)}) - ({as_formula(right)})"


def put(values: Substitution, side: Quantity) -> Quantity:
    """A side of a condition under a substitution."""
    return values.poly(side) if isinstance(side, Poly) else values.sens(side)


def put_into(values: Substitution, need: Constraint) -> Constraint:
    """A condition under a substitution."""
    return need._replace(left=put(values, need.left), right=put(values, need.right))


class SettledConditions(NamedTuple):
    """The side conditions that stay open, and whether all others hold."""

    needs: tuple[Constraint, ...]
    holds: bool


def settle(inference: Inference, since: ConditionMark) -> SettledConditions:
    """Decide all side conditions since a mark: report those that are false, return those that are open."""
    holds = True
    values = inference.solver.substitution()
    kept: dict[tuple[Quantity, str, Quantity], Constraint] = {}
    for constraint, failed in inference.solver.take(since):
        left, right = put(values, constraint.left), put(values, constraint.right)
        solved = constraint._replace(left=left, right=right)
        computed = speaks_of(left, is_computed) or speaks_of(right, is_computed)
        decided = None if computed and _may_have_no_value(solved) else _decided(solved)
        if decided is None and computed:
            solved, decided, known = _for_all(solved)
            if not known:
                holds = False
                own = failed is not None and failed is not fails and decided is False
                inference.report(failed(solved) if own and failed else _not_certain(solved))
                continue
        if decided is False or (decided is None and not _is_open(solved)):
            holds = False
            inference.report((failed or fails)(solved))
        elif decided is None:
            for each in _simplest(solved):
                kept[each.key] = _both(kept.get(each.key, each), each)
    return SettledConditions(_without_implied(list(kept.values())), holds)


def _decided(condition: Constraint) -> bool | None:
    """Whether a condition holds. Noise that is made for a share of what it must hide is never enough."""
    left, right = condition.left, condition.right
    if condition.hides and isinstance(left, Sens) and isinstance(right, Sens) and is_too_far(left, right):
        return False
    return condition.decide()


def _both(first: Constraint, second: Constraint) -> Constraint:
    """One condition that is demanded twice: it is about noise if both are."""
    return first if second.hides else first._replace(hides=False)


class _ForAll(NamedTuple):
    """What is left of a condition about computed numbers, whether it is decided, and whether it can be left so."""

    condition: Constraint
    decided: bool | None
    known: bool = True


def _may_have_no_value(condition: Constraint) -> bool:
    """Whether a condition speaks of what may be NaN, of which none holds. That noise is made for the change that it
    hides is no such condition: another one says that it is made for something."""
    left, right = condition.left, condition.right
    return (speaks_of(left, may_be_nan) or speaks_of(right, may_be_nan)) and left != right


def _for_all(condition: Constraint) -> _ForAll:
    """A condition that must hold for all that computed numbers may be. What does not vary may stay in it."""
    if not _may_have_no_value(condition):
        certain = at_worst(condition, is_computed)
        if certain is not None and certain.decide():
            return _ForAll(certain, True)
    if not (speaks_of(condition.left, varies) or speaks_of(condition.right, varies)):
        return _ForAll(condition, None)
    certain = None if _may_have_no_value(condition) else at_worst(condition)
    decided = None if certain is None else certain.decide()
    if certain is not None and decided is None and _is_open(certain):
        return _ForAll(certain, None)
    return _ForAll(condition, decided, known=False)


_KEEP = "; keep it where the condition holds, with `max` or `clamp`"


def _not_certain(condition: Constraint) -> Problem:
    """The problem of a condition that may fail in some runs, or in some rounds."""
    symbols = symbols_of(condition.left) | symbols_of(condition.right)
    names = sorted({symbol.spoken for symbol in symbols if symbol.varies})
    reason = condition.origin.reason
    extent = Extent(f"{reason.replace('`', '')}: {_PRINT.constraint(condition)}", INFINITE)
    return problems.NotCertain.at(
        condition.origin.span,
        condition=_PRINT.constraint(condition),
        reason=reason,
        names="` and `".join(names),
        why=f", and {MAY_BE_NAN}" if _may_have_no_value(condition) else _KEEP,
        extent=(extent,),
    )


def _is_open(condition: Constraint) -> bool:
    """Whether a condition that is not decided is about symbols. One about numbers that are too large to compare is not
    for the user to see to: it is taken to fail."""
    return not (is_closed(condition.left) and is_closed(condition.right))


def _simplest(need: Constraint) -> Iterator[Constraint]:
    """`x ≠ 0` as what it says of what x is made of, if that is one product: each of its parts is not 0. What it is
    divided by makes it no 0. |x| and √x are 0 where x is, max(0, x) is not 0 where 0 < x, and ln(1/x) not where 1/x is
    not 1. `0 < x⋅y` as `0 < x` and `0 < y`."""
    if need.relation == "<" and need.left == _ZERO and isinstance(need.right, Poly):
        yield from _all_positive(need, need.right)
        return
    single = need.left.single if isinstance(need.left, Poly) else None
    if need.relation != "!=" or need.right != _ZERO or single is None:
        yield need
        return
    parts = [_not_zero(atom, need) for atom, power in single[0] if power > 0]
    decided = [part.decide() for part in parts]
    for part, known in zip(parts, decided, strict=True) if False not in decided else ():
        if known is None:
            yield from [part] if part.left == need.left else _simplest(part)
    if False in decided:
        yield need


def _all_positive(need: Constraint, product: Poly) -> Iterator[Constraint]:
    """That a product of numbers which who calls a function chooses is above 0, as what is meant by it: each of them is,
    be it a factor or a divisor, as what else is in it is not below 0. That two are below 0 would do, too, and is not
    what anybody calls a share of a budget."""
    monomial, coefficient = product.single or ((), Fraction(0))
    chosen = [atom for atom, power in monomial if isinstance(atom, Symbol) and _may_be_chosen_below_0(atom, power)]
    others = Poly({tuple(each for each in monomial if each[0] not in chosen): Fraction(1)})
    if coefficient <= 0 or not others.evidently_nonnegative or not chosen or product == Poly.of_atom(chosen[0]):
        yield need
        return
    yield from (need._replace(right=Poly.of(symbol)) for symbol in chosen)
    if others.number is None:
        yield need._replace(right=others)


def _may_be_chosen_below_0(symbol: Symbol, power: Fraction) -> bool:
    """Whether a power of what who calls a function chooses may be below 0."""
    return symbol.computed is None and not symbol.nonnegative and power % 2 == 1


def _not_zero(atom: Atom, need: Constraint) -> Constraint:
    argument = atom.args[0] if isinstance(atom, Apply) else None
    if isinstance(argument, Sens) and len(argument.polys) == 1:
        argument = argument.single_poly()
    if isinstance(atom, Apply) and isinstance(argument, Poly):
        match atom.function:
            case Function.ABS | Function.ROOT:
                return need._replace(left=argument)
            case Function.PLUS:
                return need._replace(left=_ZERO, relation="<", right=argument)
            case Function.LOG_INVERSE if argument.single is not None:
                return need._replace(left=_signed(argument.inverse()), right=_ONE)
    return need._replace(left=Poly.of_atom(atom))


def _signed(value: Poly) -> Poly:
    """A product with x for |x|: `log` is given what is at least 1, which is a condition of its own."""
    result = _ONE
    for monomial, coefficient in value.terms.items():
        result = result * Poly.of(coefficient)
        for atom, power in monomial:
            inner = atom.args[0] if isinstance(atom, Apply) and atom.function is Function.ABS else None
            plain = isinstance(inner, Poly) and inner.single is not None and abs(power) == 1
            factor = Poly({((atom, power),): Fraction(1)})
            if plain and isinstance(inner, Poly):
                factor = inner if power == 1 else inner.inverse()
            result = result * factor
    return result


def _without_implied(needs: list[Constraint]) -> tuple[Constraint, ...]:
    """`x ≠ 0` beside `0 ≤ x` is `0 < x`, as with any other number; beside a stricter bound it says nothing new, if that
    is demanded wherever this is."""
    for need in [need for need in needs if need.relation == "!=" and isinstance(need.right, Poly)]:
        least = need.right.number if isinstance(need.right, Poly) else None
        for index, other in enumerate(needs):
            if least is None or other.hides or other.right != need.left or not isinstance(other.left, Poly):
                continue
            limit = other.left.number
            if limit is None or limit < least or other.relation not in ("<", "<="):
                continue
            if limit == least and other.relation == "<=":
                needs[index] = other._replace(relation="<")
            needs.remove(need)
            break
    return tuple(needs)
