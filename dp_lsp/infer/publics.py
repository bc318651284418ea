"""Public values: whatever moves with nothing is one, and there is no other notion of it.

A public number has a value, a formula (``static``): of a literal, of a parameter that is declared so, of arithmetic on
these. Any other number that nothing private moves gets a symbol of its own as soon as it is computed: an entry of a
public vector, the index of a loop, what a helper or a mechanism returns, one of two numbers that a public condition
chooses. So it is accepted wherever a public number is, and what is computed with it stays a formula: a ratio of such
a number and itself is 1.

**Why that is sound.** Neighbouring inputs are compared run by run, with the same released numbers (for a mechanism, its
output is the same; Dwork and Roth 2014, Proposition 2.1), so both runs compute the same number: distances, factors and
conditions of a step may speak of it as of a parameter. What is claimed of a whole function may not, where the number is
not the same in every run, round and call: then it *varies*, and

- a price is the largest that it can be over all numbers between its ends, mechanism by mechanism. For every history
  each mechanism is then dominated by one that is fixed in advance, so every theorem on adaptive composition applies
  (Zhu, Dong and Wang 2022, Theorem 10). What cancels over several steps only would need a privacy filter (Rogers, Roth,
  Ullman and Vadhan 2016), and is not counted.
- a condition must hold for all numbers between its ends (:func:`~dp_lsp.core.ranges.at_worst`); none is left to users.
- seen from outside of the round or the function in which it is computed, distances are the largest that they can be.

What does not vary is the same wherever the parameters are: it may stand in claims. A scheme is general in the symbols
of what it computes, and each call has its own.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator

from dp_lsp import builtins
from dp_lsp.builtins.traits import Indexing, NeverNaN
from dp_lsp.core import laws, machine, term
from dp_lsp.core.algebra import Computed, Poly, Sign, Symbol
from dp_lsp.core.constraints import decide
from dp_lsp.core.evaluate import Substitution, speaks_of, symbols_of
from dp_lsp.core.events import NOTHING
from dp_lsp.core.ranges import ANYWHERE, Ends, ends, is_computed, may_be_nan, supremum, varies
from dp_lsp.core.scheme import FunctionValue, Given, Judgement, Move, Moves
from dp_lsp.core.sens import ONE, WIDTH
from dp_lsp.core.term import Local, Term
from dp_lsp.core.types import INTEGER, Base, BoolType, Bounds, Container, FunctionType, NumberType, TupleType, Type
from dp_lsp.core.values import replace
from dp_lsp.infer import moves
from dp_lsp.infer.context import Recorder, TypingContext
from dp_lsp.infer.solver import Solver

_ZERO = Poly.of(0)
_READABLE = re.compile(r"[^\W\d][\w!]*(\([\w\s,.+*/-]*\)|\[[\w\s,.+*/-]*\])")
_CALL = re.compile(r"[^\W\d][\w!]*\(")
_LONGEST = 24
_LARGEST = 512  # symbols of a formula when it is written out; a number of 4096 bits counts as many
_MARK = "'"
"""Ends names of numbers that are computed, so that they are not taken for parameters."""


def is_public(moved: Moves) -> bool:
    """Whether an environment is empty: the value is public."""
    return not moved or all(var.public for var in moved)


_EXACT = 2**53  # whole numbers below it are what they are as fractions, too


def is_given(type_: Type) -> bool:
    """Whether a type has one value, a formula of what callers choose; then its run-time type is public, too."""
    if isinstance(type_, TupleType):
        return all(map(is_given, type_.items))
    known = type_.static if isinstance(type_, NumberType) else None
    return known is not None and all(symbol.computed is None for symbol in symbols_of(known))


def without_varying(given: Given) -> Given:
    """An argument without the value of a number that varies."""
    if isinstance(given, NumberType) and given.static is not None and speaks_of(given.static, varies):
        low, high = ends(given.static)
        return replace(given, static=None, bounds=None if low is None or high is None else Bounds(low, high))
    return given


def without_unreal(given: Given) -> Given:
    """An argument without the value of a number that may be NaN."""
    return replace(given, static=None) if isinstance(given, NumberType) and not is_number(given) else given


def is_uncertain(given: Given) -> bool:
    """Whether an argument is a public number that varies, or may be NaN."""
    known = given.static if isinstance(given, NumberType) else None
    return known is not None and speaks_of(known, lambda symbol: symbol.varies or may_be_nan(symbol))


def is_number(type_: NumberType) -> bool:
    """Whether a number with a known value is certainly no NaN."""
    return type_.static is None or not speaks_of(type_.static, may_be_nan)


def _is_short(value: Poly) -> bool:
    """Whether a formula is worth following: what is asked of one takes as long as it is when it is written out, which
    doubles with each `max` of two numbers that share a third one."""
    return len(value.terms) <= WIDTH and value.size <= _LARGEST


def _between(type_: NumberType) -> Ends:
    """The ends between which a number lies whose formula is not followed."""
    if type_.static is not None:
        low, high = ends(type_.static, is_computed)
        return Ends(*(end if end is not None and _is_short(end) else None for end in (low, high)))
    return ANYWHERE if type_.bounds is None else Ends(type_.bounds.low, type_.bounds.high)


def _called(written: str) -> str:
    """What a number without a name is called in messages, by how it is written: of a long call, what is called."""
    call = _CALL.match(written)
    return f"{call[0]}…)" if call is not None and written.endswith("…") else f"({written})"


class Publics:
    """The public numbers that one definition computes (a form of value numbering). ``symbols`` are the fresh symbols,
    in order; ``uncertain`` are calls of builtins whose preconditions may fail, so that they may have no value."""

    def __init__(self, context: TypingContext, solver: Solver, recorder: Recorder) -> None:
        self._context = context
        self._solver = solver
        self._recorder = recorder
        self._named: set[Symbol] = set()
        self._nameless: set[Symbol] = set()
        self._made: dict[Hashable, Symbol] = {}
        self._of_rounds: dict[Symbol, Local] = {}
        self.symbols: list[Symbol] = []
        self.uncertain: set[Term] = set()

    def known(self, node: Term, value: Judgement) -> Judgement:
        """The judgement of a term, with a formula for its value where it is a public number."""
        type_ = value.type
        if not isinstance(type_, NumberType | TupleType):
            type_ = self._solver.type(type_)
        if isinstance(type_, NumberType):
            if type_.static is not None and _is_short(type_.static):
                return value
            if not self._context.rules.computed:
                return replace(value, type=replace(type_, static=None))
            if type_.base is Base.DATA or not is_public(value.moves):
                return value
            number = self._read_off(node)
            type_ = self._with_symbol(type_, node) if number is None else replace(type_, static=number)
            return replace(value, type=type_, moves=moves.NOWHERE)
        if not isinstance(type_, TupleType) or not type_.items:
            return value
        parts = value.parts or tuple(Judgement(item, value.moves) for item in type_.items)
        found = tuple(self.known(node, part) for part in parts)
        if all(new is old for new, old in zip(found, parts, strict=True)):
            return value
        return replace(value, type=type_.put(part.type for part in found), parts=found)

    def _read_off(self, node: Term) -> Poly | None:
        """The number at a place of a range, which is there if the place is; or of a vector that was written entry by
        entry, of which it may be the sum, too; where all are stored as the same type, it is still that number."""
        if not isinstance(node, term.Call) or not 1 <= len(node.args) <= 2 or node.keywords:
            return None
        of, *places = node.args
        while isinstance(of, term.Use) and of.local in self._context.made:
            of = self._context.made[of.local]
        if not isinstance(of, term.Call) or of.builtin not in (builtins.RANGE, builtins.LITERAL):
            return None
        if node.builtin == builtins.TOTAL and not places and of.builtin == builtins.LITERAL:
            return self._sum(of.args)
        at = self._number(places[0]) if places and builtins.TABLE[node.builtin].has(Indexing) else None
        if at is None:
            return None
        if of.builtin == builtins.LITERAL:
            return self._stored(of.args[int(at.number or 1) - 1]) if at.number in range(1, len(of.args) + 1) else None
        first, *others = map(self._number, of.args)
        step = Poly.of(1) if len(others) == 1 else others[0]
        return None if first is None or step is None else first + (at - Poly.of(1)) * step

    def _sum(self, entries: Iterable[Term]) -> Poly | None:
        total = _ZERO
        for each in entries:
            entry = self._stored(each)
            if entry is None:
                return None
            total += entry
        return total

    def _stored(self, entry: Term) -> Poly | None:
        """A number that is written out, unless it is so large that it may be stored as another one."""
        known = self._number(entry)
        number = None if known is None else known.number
        return known if number is not None and (number.denominator > 1 or abs(number) < _EXACT) else None

    def of_rounds(self, type_: Type, local: Local, between: Ends | None = None, real: bool = True) -> Type:
        """The type of a number that is public in each round of a loop and differs between rounds: ``between`` these
        ends, if it is certainly no NaN; else as its type says."""
        if not isinstance(type_, NumberType) or type_.static is not None or type_.base is Base.DATA:
            return type_
        around = _between(type_) if between is None else between
        symbol = self._symbol(local.name, type_, around, varies=True, real=real)
        self._of_rounds[symbol] = local
        return replace(type_, static=Poly.of(symbol))

    def of_length(self, local: Local) -> Poly:
        """The symbol of a vector's length in a round, where a loop may change it."""
        return Poly.of(self._symbol(f"length({local.name})", INTEGER, Ends(_ZERO, None), varies=True))

    def _with_symbol(self, type_: NumberType, node: Term) -> NumberType:
        """A number with a symbol, which is the same for what is computed twice of the same values."""
        key = self._key(node)
        symbol = (None if key is None else self._made.get(key)) or self._new_symbol(type_, node)
        if key is not None:
            self._made[key] = symbol
        return replace(type_, static=Poly.of(symbol), bounds=None if may_be_nan(symbol) else type_.bounds)

    def _key(self, node: Term) -> Hashable | None:
        """What a term computes of which values, in one function; None where that may differ when it is computed twice,
        as it does where a function is called that draws something at random."""
        if not isinstance(node, term.Call) or node.builtin in builtins.RANDOM:
            return None
        values = tuple(map(self._value, node.args))
        return None if None in values else (self._context.home, node.builtin, node.keywords, values)

    def _value(self, node: Term) -> Hashable | None:
        """What tells a value from all others: that of a public number, or the name of a public container."""
        number, known = self._number(node), self._recorder.judgements.get(node)
        if number is not None or known is None or not isinstance(node, term.Use):
            return number
        return node.local if isinstance(self._solver.type(known.type), Container) else None

    def _new_symbol(self, type_: NumberType, node: Term) -> Symbol:
        written = "".join(self._context.written(node.span, _LONGEST).split())
        readable = _READABLE.fullmatch(written) is not None
        real = not machine.values(type_.stored) & ~machine.WHOLE or self.is_real([node])
        fixed = self.is_fixed([node])
        name = written if readable else _called(written)
        symbol = self._symbol(name, type_, _between(type_) if real else ANYWHERE, not (fixed and readable), real)
        if fixed:
            (self._named if readable else self._nameless).add(symbol)
        return symbol

    def _symbol(self, name: str, type_: NumberType, between: Ends, varies: bool, real: bool = True) -> Symbol:
        low, high = between
        at_least = low is not None and decide(_ZERO, "<=", low) is True
        sign = Sign.NONNEGATIVE if at_least else Sign.REAL
        computed = Computed(low, high, varies, real)
        symbol = Symbol(name, sign, type_.base is Base.INTEGER, computed)
        self.symbols.append(symbol)
        return symbol

    def name(self, local: Local, value: Judgement) -> None:
        """Name a computed number after the variable that it is bound to. A number without a name of its own may not
        stand in claims, as nobody could tell what they say: it counts as varying."""
        known = value.type.static if isinstance(value.type, NumberType) else None
        symbol = None if known is None else known.symbol
        if symbol is not None and symbol.computed is not None and symbol not in self._named:
            if symbol in self._nameless:
                symbol.computed = symbol.computed._replace(varies=False)
            symbol.name = local.name if symbol.varies else f"{local.name}{_MARK}"
            self._named.add(symbol)

    def again(self, symbol: Symbol, values: Substitution, fixed: bool) -> Symbol:
        """The symbol, in one call, of a number that the callee computes."""
        known = symbol.computed
        assert known is not None, "a parameter is what it is given"
        low, high = (None if end is None else values.poly(end) for end in (known.low, known.high))
        name = symbol.name.partition(_MARK)[0] + _MARK
        new = Symbol(name, symbol.sign, symbol.integer, Computed(low, high, known.varies or not fixed, known.real))
        self.symbols.append(new)
        self._named.add(new)
        return new

    def of_constant(self, name: str) -> None:
        """Mark a number computed at top level: it has a name and is the same wherever it is read, unless it
        is random."""
        for symbol in self.symbols:
            if symbol in self._nameless and symbol.computed is not None:
                symbol.computed = symbol.computed._replace(varies=False)
            symbol.name = f"{name}{_MARK}"
        _tell_apart(self.symbols)

    def tell_apart(self) -> None:
        """Rename numbers that may stand in claims so that no two share a name."""
        _tell_apart(symbol for symbol in self.symbols if not symbol.varies)

    # What values are made of

    def is_fixed(self, nodes: Iterable[Term]) -> bool:
        """Whether terms have the same value in every run on equal arguments, in all rounds around them and in all calls
        of the function around them: they depend on no randomness, round number, or parameter of a closure."""
        for node, number, inside in self._origins(nodes, term.parts):
            if number is not None and any(self._is_of_outside(symbol, inside) for symbol in symbols_of(number)):
                return False
            if number is None and (self._is_random(node) or not self._is_known(node, inside)):
                return False
        return True

    def _is_of_outside(self, symbol: Symbol, inside: set[Local]) -> bool:
        """Whether a number may be another one where a term is evaluated again: what rounds inside of it compute of
        their own numbers is not, as all of them are made."""
        return symbol.varies and self._of_rounds.get(symbol) not in inside

    def _is_known(self, node: Term, inside: set[Local]) -> bool:
        return not isinstance(node, term.Use) or node.local in inside | self._context.made.keys() | self._context.given

    def is_real(self, nodes: Iterable[Term]) -> bool:
        """Whether the values of terms certainly have no NaN, provided that parameters have none."""
        for node, number, _ in self._origins(nodes, self._decisive):
            if number is not None and speaks_of(number, may_be_nan):
                return False
            if number is None and not self._gives_numbers(node):
                return False
        return True

    def _origins(
        self, nodes: Iterable[Term], follows: Callable[[Term], Iterable[Term]]
    ) -> Iterator[tuple[Term, Poly | None, set[Local]]]:
        """What terms are made of, through names: each part, its value if it is a public number, and the locals that
        are made inside of the terms. What a public number is made of, its value says; of what else is made of parts,
        those are looked at that it ``follows``."""
        pending, inside, seen = [*nodes], set[Local](), set[Local]()
        first = set(pending)
        while pending:
            node = pending.pop()
            number = None if node in first else self._number(node)
            if isinstance(node, term.Use):
                local = node.local
                if number is None and local not in inside and local not in seen:
                    seen.add(local)
                    made = self._context.made.get(local)
                    if made is not None:
                        pending.append(made)
                yield node, number, inside
                continue
            yield node, number, inside
            if number is None and (parts := [*follows(node)]):
                if not isinstance(node, term.Call):
                    inside.update(_made_inside(node))
                pending += parts[::-1]

    def _number(self, node: Term) -> Poly | None:
        """The value of a term that is a public number."""
        known = self._recorder.judgements.get(node)
        return known.type.static if known is not None and isinstance(known.type, NumberType) else None

    def _decisive(self, node: Term) -> Iterable[Term]:
        """The parts of a term that decide if it is made of numbers: of what a private function is given what is public,
        as nothing private is in what it returns but behind noise."""
        if not self._is_made_of_numbers(node):
            return ()
        if isinstance(node, term.Apply) and self._claims_privacy(node.function):
            return (part for part in term.parts(node) if not self._is_private(part))
        return term.parts(node)

    def _claims_privacy(self, function: Term) -> bool:
        value = self._called(function)
        return value is not None and bool(value.methods) and all(each.claims_privacy for each in value.methods)

    def _called(self, function: Term) -> FunctionValue | None:
        known = self._recorder.judgements.get(function)
        return known.type.value if known is not None and isinstance(known.type, FunctionType) else None

    def _is_private(self, node: Term) -> bool:
        known = self._recorder.judgements.get(node)
        return known is not None and not is_public(known.moves)

    def _is_made_of_numbers(self, node: Term) -> bool:
        """Whether the parts of a term decide if it is made of numbers: noise is, and truth values are none."""
        known = self._recorder.judgements.get(node)
        if known is not None and isinstance(known.type, BoolType):
            return False
        return not (isinstance(node, term.Call) and node.builtin in builtins.RANDOM)

    def _gives_numbers(self, node: Term) -> bool:
        """Whether a term has a value that is made of numbers where its parts have."""
        if not self._is_made_of_numbers(node):
            return True
        match node:
            case term.Call(builtin=builtin, args=args):
                row = builtins.TABLE[builtin]
                certain = node not in self.uncertain and (not row.demanding or all(map(self._has_value, args)))
                return certain and row.has(NeverNaN)
            case term.Apply(function=function):
                value = self._called(function)
                return value is not None and bool(value.methods) and all(each.real for each in value.methods)
        return not isinstance(node, term.Hole | term.Scope)

    def _has_value(self, node: Term) -> bool:
        known = self._recorder.judgements.get(node)
        return known is None or not isinstance(known.type, NumberType) or known.type.static is not None

    def _is_random(self, node: Term) -> bool:
        """Whether evaluating a term may draw something at random, its parts aside."""
        match node:
            case term.Call(builtin=builtin):
                return builtin in builtins.RANDOM
            case term.Apply(function=term.Global(name=name)):
                return self._releases(self._context.resolve(name))
            case term.Apply(function=term.Use(local=local)) if local in self._context.given:
                return True
            case term.Global(name=name, called=False):
                return self._releases(self._context.resolve(name))
            case term.Hole() | term.Scope():
                return True
        return False

    @staticmethod
    def _releases(value: object) -> bool:
        if isinstance(value, FunctionValue):
            return any(method.claims_privacy or method.cost is not NOTHING for method in value.methods)
        return not isinstance(value, Judgement)


def _tell_apart(symbols: Iterable[Symbol]) -> None:
    so_far = Counter[str]()
    for symbol in symbols:
        so_far[symbol.name] += 1
        if so_far[symbol.name] > 1:
            symbol.name = f"{symbol.name.removesuffix(_MARK)}{_MARK}{so_far[symbol.name]}"


def _made_inside(node: Term) -> Iterable[Local]:
    """The locals that a term brings into scope for its parts."""
    for body in term.bodies(node):
        for bind in body.binds:
            yield from bind.targets
    match node:
        case term.Loop(index=index, carried=carried):
            yield index
            yield from (local for local, _ in carried)
        case term.Comprehension(index=index):
            yield index
        case term.Closure(methods=methods):
            yield from (param.local for method in methods for param in method.params)


# From outside


def at_most(moved: Moves, inside: frozenset[Symbol]) -> Moves:
    """The environment with the largest sensitivities over all values of these symbols."""
    return {var: _at_most(move, inside) for var, move in moved.items()}


def _at_most(move: Move, inside: frozenset[Symbol]) -> Move:
    most = supremum(move.sens, inside.__contains__)
    if most is move.sens:
        return move
    return Move(most, move.span, laws.LARGEST, (most if most.infinite else ONE,), (move,), way=move.way)


def from_outside(value: Judgement, inside: frozenset[Symbol]) -> Judgement:
    """A judgement as seen from outside of the round or the function that computed these symbols."""
    return _from_outside(value, inside, frozenset(symbol for symbol in inside if symbol.varies)) if inside else value


def _from_outside(value: Judgement, inside: frozenset[Symbol], varying: frozenset[Symbol]) -> Judgement:
    parts = tuple(_from_outside(part, inside, varying) for part in value.parts)
    reach = value.reach
    if reach is not None:
        reach = reach._replace(radius=supremum(reach.radius, varying.__contains__))
    return Judgement(_without(value.type, inside), at_most(value.moves, varying), parts, reach)


def _without(type_: Type, inside: frozenset[Symbol]) -> Type:
    """A type without the formulas that speak of these symbols."""
    match type_:
        case TupleType(items):
            return type_.put(_without(item, inside) for item in items)
        case NumberType(static=static, bounds=bounds):
            value = static if static is not None and inside.isdisjoint(symbols_of(static)) else None
            around = bounds if bounds is not None and inside.isdisjoint(_of_bounds(bounds)) else None
            return replace(type_, static=value, bounds=around)
    return type_


def _of_bounds(bounds: Bounds) -> set[Symbol]:
    return symbols_of(bounds.low) | symbols_of(bounds.high)
