"""Expressions: from the surface tree to core terms, names being resolved to versions.

Masks: broadcasts that say of each entry of a vector, or of each row of a matrix, whether an index picks it.

A mask that is made of the very vector that it picks of is a filter: it keeps an entry by what that is, wherever it
stands. So a variable that a mask has been assigned to stands for that mask as long as all in it is what it was, and a
column of a matrix for that column. This is decided by versions of variables: one that is changed, in place too, has
another one from there on (:mod:`dp_lsp.lower.statements`).

Source: the Julia manual, "Logical indexing".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

from dp_lsp import builtins, surface
from dp_lsp.builtins.define import Parameter
from dp_lsp.builtins.patterns import FromBox, GivenNorm, GivenTruth, GivenType
from dp_lsp.builtins.traits import ByRecord, SampledRows
from dp_lsp.core import term
from dp_lsp.core.annotation import TupleOf
from dp_lsp.core.term import Local, Term
from dp_lsp.core.types import Label
from dp_lsp.core.values import replace
from dp_lsp.language import Familiar, RefusedType
from dp_lsp.lower import problems
from dp_lsp.lower.facts import below, builtin, described, is_operator, parameters, written
from dp_lsp.lower.scope import BodyScope, LoweringUnit, NoValue, converted
from dp_lsp.named import NamedTuple

A_ROW = "each row"
"""The name of a row in a mask of rows, which no variable has."""


_MOST = 100
"""So many calls and names may stand in what is said of an entry, once all variables stand for what they are."""


class Mask(NamedTuple):
    """What is picked ``of``, entry by entry or ``by_rows``, and what is said of each, which is ``each`` of the names of
    ``others``. Of rows that are picked, the column at a ``place`` is taken, if there is one."""

    of: surface.Name
    each: surface.Node
    by_rows: bool
    others: tuple[tuple[str, surface.Node], ...]
    place: surface.Node | None = None


class _Made(NamedTuple):
    """What a variable was given, and what the names in that stood for."""

    node: surface.Node
    names: Mapping[str, Local | None]


class Masks:
    """The broadcasts, and the columns, that variables of a scope stand for."""

    def __init__(self, scope: BodyScope) -> None:
        self._scope = scope
        self._made: dict[Local, _Made] = {}

    def note(self, local: Local, node: surface.Node, before: Local | None) -> None:
        """A variable is given a value, in which its own name stood for what it was ``before``."""
        node = self._as_broadcast(node) or node
        if isinstance(node, surface.Broadcast) or _column(node) is not None:
            now = {name: self._scope.now.get(name) for name in _names(node)}
            self._made[local] = _Made(node, now | ({local.name: before} if local.name in now else {}))

    def _as_broadcast(self, node: surface.Node) -> surface.Broadcast | None:
        """The broadcast that makes the same as a function that is called for each entry of a variable."""
        match node:
            case surface.Comprehension(each=each, over=surface.Name() as over, kept=None, lazy=False):
                pass
            case surface.Call(
                callee=callee, args=(surface.Lambda(returns=None) as each, surface.Name() as over), keywords=()
            ):
                row = self._scope.builtin_of(callee)
                if row is None or row.name != builtins.MAKING or len(each.params) != 1:
                    return None
            case _:
                return None
        entry = surface.Name(over.start, over.end, over.name)
        function = surface.Lambda(node.start, node.end, each.params, each.body)  # its parameter stands in there, too
        made = surface.Call(node.start, node.end, function, (entry,))
        return surface.Broadcast(node.start, node.end, made, (over.name,), (over,))

    def of(self, node: surface.Index) -> Mask | None:
        """The mask that an index is by; None if it is by something else, or by a mask that is made where no names tell
        of what."""
        match node.indices:
            case (mask,) | (mask, surface.Whole()):
                place = None
            case (mask, place) if not isinstance(place, surface.Range):
                pass
            case _:
                return None
        found, of = self._stands_for(mask), node.value
        found = self._as_broadcast(found) or found
        if not isinstance(found, surface.Broadcast) or not isinstance(of, surface.Name):
            return None
        if len(node.indices) == 2:
            return self._made_of(of, found, by_rows=True, place=place)
        column = _column(self._stands_for(of))
        if column is not None and column[0].name != of.name:
            picked = self._made_of(of, found, by_rows=False)
            if picked is not None and not picked.others:
                return picked
            matrix = surface.Name(of.start, of.end, column[0].name)
            return self._made_of(matrix, found, by_rows=True, place=column[1])
        return self._made_of(of, found, by_rows=False)

    def fused(self, node: surface.Broadcast) -> surface.Broadcast:
        """The same broadcast, where variables that others in it share something with stand for what they are."""
        over, each = dict(zip(node.names, node.over, strict=True)), node.each
        for name in node.names if len(over) > 1 else ():
            known = self._stands_for(over[name])
            if isinstance(known, surface.Broadcast) and over.keys() & {*known.names} and _is_by_names(known):
                found = _with(each, name, known.each)
                if _size(found) <= _MOST:
                    del over[name]
                    each, over = found, over | dict(zip(known.names, known.over, strict=True))
        if each is node.each or _reads_whole(each, {*over}):
            return node
        return surface.Broadcast(node.start, node.end, each, tuple(over), tuple(over.values()))

    def _stands_for(self, node: surface.Node) -> surface.Node:
        """What was assigned to a name, if it is known and would be the same here; the name itself, if not."""
        while isinstance(node, surface.Name) and (local := self._scope.now.get(node.name)) is not None:
            made = self._made.get(local)
            if made is None or any(self._scope.now.get(name) is not known for name, known in made.names.items()):
                break
            node = made.node
        return node

    def _made_of(
        self, of: surface.Name, mask: surface.Broadcast, by_rows: bool, place: surface.Node | None = None
    ) -> Mask | None:
        each, own = mask.each, {of.name, *mask.names}
        others = dict[str, surface.Node]()
        pending = [*zip(mask.names, mask.over, strict=True)]
        while pending:
            name, over = pending.pop()
            known = self._stands_for(over)
            if isinstance(known, surface.Broadcast):
                if not _is_by_names(known):
                    return None
                each = _with(each, name, known.each)
                own |= {*known.names}
                pending += zip(known.names, known.over, strict=True)
            elif by_rows and (column := _column(known)) is not None and column[0].name == of.name:
                row = surface.Name(over.start, over.start, A_ROW)
                each = _with(each, name, surface.Index(over.start, over.end, row, (column[1],)))
            elif by_rows or not (isinstance(over, surface.Name) and over.name == of.name):
                others[name] = over
            if _size(each) > _MOST:
                return None
        return None if _reads_whole(each, own) else Mask(of, each, by_rows, tuple(others.items()), place)


def _names(node: surface.Node) -> set[str]:
    return {item.name for item in below(node) if isinstance(item, surface.Name)}


def _size(node: surface.Node) -> int:
    return sum(1 for _ in below(node))


def _is_by_names(node: surface.Broadcast) -> bool:
    """Whether a broadcast goes over variables and columns alone: anything else there is evaluated once."""
    return all(isinstance(over, surface.Name) or _column(over) is not None for over in node.over)


def _reads_whole(each: surface.Node, names: set[str]) -> bool:
    """Whether a function that is written in what is made of an entry reads one of these names, which is that of the
    whole in there."""
    return any(isinstance(item, surface.Lambda) and names & _names(item) for item in below(each))


def _column(node: surface.Node) -> tuple[surface.Name, surface.Node] | None:
    """The matrix and the number of a column, if that is written out, or has a name."""
    match node:
        case surface.Index(value=surface.Name() as matrix, indices=(surface.Whole(), place)):
            return (matrix, place) if isinstance(place, surface.Number | surface.Name) else None
    return None


def _with(node: surface.Node, name: str, value: surface.Node) -> surface.Node:
    """What is made of an entry, with something else in the place of a name. What is made of entries is made by calls,
    and a parser reads none that are nested deeply."""
    match node:
        case surface.Name(name=found) if found == name:
            return value
        case surface.Call(callee=callee, args=args, keywords=keywords):
            return surface.Call(node.start, node.end, callee, tuple(_with(arg, name, value) for arg in args), keywords)
    return node


MAY_BE_MISSING = "an entry that may not be there, and is taken unchecked,"
"""What is said of an index that is not checked when the program runs."""
AN_ENTRY = "each entry"
"""The name of what a function is called on that is given to another by its name, which no variable has."""


class Expressions:
    """The terms of expressions in one scope. Functions without a name, and an ``if`` whose value is used, hold
    statements: who lowers those does it by ``function`` and ``choice``; so does ``rounds`` with what makes the entries
    of a vector one after the other, if that may release something."""

    def __init__(
        self,
        unit: LoweringUnit,
        scope: BodyScope,
        choice: Callable[[surface.If], Term],
        function: Callable[[surface.Lambda, bool], Term],
        rounds: Callable[[surface.Comprehension], Term | None],
    ) -> None:
        self._unit = unit
        self._scope = scope
        self._choice = choice
        self._function = function
        self._rounds = rounds
        self.masks = Masks(scope)
        self._around: tuple[surface.Index, Term, int] | None = None
        """The index that is being lowered, what it is of, and the position in it."""

    def term(self, node: surface.Node) -> Term:
        """The term of an expression; a hole, with a problem, for what is not part of the language."""
        match node:
            case surface.Number(value=value, integer=integer):
                return term.Literal(node.span, value, integer)
            case surface.Boolean(value=value):
                return term.Literal(node.span, value)
            case surface.Name():
                return self.value_of_name(node)
            case surface.Call():
                return self._call(node)
            case surface.Tuple(items=items, names=names, by=surface.Name() as by):
                if self._scope.has(by.name):
                    return self._unit.refused(node, "a pair")
                self._unit.uses.add(by.name)
                function = term.Global(by.span, by.name, called=True)
                values = tuple(map(self.term, items))
                return term.MakeTuple(node.span, values, Label(names, by.name, keyed=True), function)
            case surface.Tuple(items=items, names=names):
                if len(set(names)) < len(names):
                    return self._unit.refused(node, "a tuple with a name for two items")
                label = Label(names) if names else None
                return term.MakeTuple(node.span, tuple(self.term(item) for item in items), label)
            case surface.Field(value=value, name=name) if self._scope.has(value.name):
                return term.Field(node.span, self.value_of_name(value), name)
            case surface.Vector(items=()):
                return term.Call(node.span, builtins.EMPTY, (), node.span)
            case surface.Vector(items=items):
                args = tuple(self.term(item) for item in items)
                return term.Call(node.span, builtins.LITERAL, args, node.span)
            case surface.Range(first=first, step=step, last=last):
                ends = (self.term(each) for each in (first, step, last) if each is not None)
                return term.Call(node.span, builtins.RANGE, tuple(ends), node.span)
            case surface.Index():
                return self._indexed(node)
            case surface.IndexBound():
                return self._bound(node)
            case surface.If() if node.otherwise is not None:
                return self._choice(node)
            case surface.Lambda():
                return self._function(node, False)
            case surface.Comprehension(lazy=False):
                return self._comprehension(node)
            case surface.Broadcast():
                return self._broadcast(node)
            case surface.Opaque(broken=True):
                return term.Hole(node.span, "a syntax error")
        return self._unit.refused(node, described(node))

    def _comprehension(self, node: surface.Comprehension) -> Term:
        """What a comprehension makes: by rounds that may release something, or by functions."""
        if (made := self._rounds(node)) is not None:
            return made
        keeping, making, over = builtins.KEEPING, builtins.MAKING, node.over
        match over:
            case surface.Call(callee=surface.Name(name=builtins.EACH_ROW), args=(over,), keywords=()):
                keeping, making = builtins.for_rows(keeping), builtins.OF_ROWS
        if isinstance(over, surface.Range):
            self._unit.ranged |= {*node.each.params, *(() if node.kept is None else node.kept.params)}
        values = self.term(over)
        if over is not node.over:  # each row is a view
            values = term.Call(node.over.span, builtins.AS_VIEWS, (values,), node.over.span)
        for function, row in ((node.kept, keeping), (node.each, making)):
            if function is not None:
                values = term.Call(node.span, row, (self._function(function, True), values), function.span)
        return values

    def _broadcast(self, node: surface.Broadcast) -> Term:
        """A function of entries, called on those of all that a broadcast goes over; without any, what it makes."""
        node = self.masks.fused(node)
        over = [(name, each) for name, each in zip(node.names, node.over, strict=True) if self._is_spread(each)]
        if not over:
            return self.term(node.each)
        function = self._function(_of_entries(node, over, node.each), True)
        return term.Call(node.span, builtins.ENTRIES, (function, *(self.term(each) for _, each in over)), node.span)

    def _is_spread(self, node: surface.Node) -> bool:
        """Whether a broadcast may go over the entries of this, which it does not over a type, a builtin or a number."""
        if not isinstance(node, surface.Name):
            return True
        if self._scope.has(node.name):
            return not self._scope.is_number(node.name)
        language = self._unit.language
        return node.name not in language.annotations.words and builtin(node.name, language.builtins) is None

    def _picked(self, node: surface.Index, mask: Mask) -> Term:
        """What a mask picks of that which it is made of, entry by entry, or row by row; and of rows the column that the
        second index says."""
        others = [(name, each) for name, each in mask.others if self._is_spread(each)]
        function = self._function(
            _of_entries(node, [(A_ROW if mask.by_rows else mask.of.name, mask.of), *others], mask.each), True
        )
        row = builtins.ROWS_PICKED if mask.by_rows else builtins.PICKED
        over = (self.term(mask.of), *(self.term(each) for _, each in others))
        found = term.Call(node.span, row, (function, *over), node.span)
        if mask.place is not None:
            return term.Call(node.span, builtins.COLUMN, (found, self.term(mask.place)), node.span)
        return found

    # Names

    def value_of_name(self, node: surface.Name) -> Term:
        """A name as a value. Whoever is given a function calls it without knowing that it changes something."""
        if node.name == self._unit.language.vocabulary.nothing and not self._scope.has(node.name):
            return term.MakeTuple(node.span, ())
        if (function := self._as_lambda(node)) is not None:
            return self._function(function, False)
        value = self.name(node)
        effects = self._scope.effects_of(node)
        if effects is not None and effects.change_something:
            self._unit.report(problems.ChangingFunctionAsValue.at(node.span, name=node.name))
            return term.Hole(node.span, f"`{node.name}` as a value")
        return value

    def name(self, node: surface.Name, called: bool = False) -> Term:
        """What a name stands for here: a version of a local, or a top-level name."""
        found = self._scope.read(node)
        if isinstance(found, Local):
            return term.Use(node.span, found)
        if isinstance(found, NoValue):
            self._unit.report(found.problem)
            return term.Hole(node.span, f"`{node.name}` has no value here")
        vocabulary = self._unit.language.vocabulary
        if node.name in vocabulary.running:
            elsewhere = " other than on a line of its own at top level" if node.name == vocabulary.includes else ""
            return self._unit.refused(node, f"`{node.name}`{elsewhere}")
        if builtin(node.name, self._unit.language.builtins) is not None:
            self._unit.report(problems.BuiltinAsValue.at(node.span, name=node.name))
            return term.Hole(node.span, f"the builtin `{node.name}` as a value")
        self._unit.uses.add(node.name)
        return term.Global(node.span, node.name, called)

    def _as_lambda(self, node: surface.Name) -> surface.Lambda | None:
        """The function that calls a builtin which is a value here; None for any other name, and for what no function
        can stand for."""
        if self._scope.has(node.name):
            return None
        found = builtin(node.name, self._unit.language.builtins)
        params = () if found is None else parameters(found)
        return _calling(node, params) if params and node.name not in params else None

    # Calls

    def _call(self, node: surface.Call) -> Term:
        callee = node.callee
        if not isinstance(callee, surface.Name):
            return self.apply(node, self.term(callee))
        if not self._scope.has(callee.name):
            vocabulary = self._unit.language.vocabulary
            gives = vocabulary.does(callee.name, Familiar.SHOWS_AND_GIVES)
            if gives or vocabulary.does(callee.name, Familiar.SHOWS):
                return self._shows(node, callee, gives)
            if callee.name in self._unit.language.vocabulary.running:
                return self.name(callee)
            if (found := builtin(callee.name, self._unit.language.builtins)) is not None:
                return self._builtin_call(node, *found)
            made = self._unit.structures.get(callee.name)
            if isinstance(made, TupleOf) and self._is_made(node, made):
                self._unit.uses.add(callee.name)
                values = map(self.term, node.args)
                known = self._unit.language.builtins
                items = tuple(converted(value, part, known) for value, part in zip(values, made.items, strict=True))
                by = term.Global(callee.span, callee.name, called=True)
                return term.MakeTuple(node.span, items, made.label, by)
            if (same := self._combined(node, callee)) is not None:
                return same
            if is_operator(callee.name) and not self._unit.language.vocabulary.does(callee.name, Familiar.UNRULED):
                return self._unit.refused(callee, f"the operator `{callee.name}`")
        function = self.name(callee, called=True)
        effects = self._scope.effects_of(callee)
        changed = () if effects is None else effects.changes(len(node.args))
        if changed is None:
            return self._unit.refused(node, f"a call of `{callee.name}`, whose methods change different arguments,")
        if changed:
            self._unit.report(problems.NotAVariable.at(node.span, name=callee.name))
            function = term.Hole(node.span, "a change inside an expression")
        return self.apply(node, function)

    def _is_made(self, node: surface.Call, made: TupleOf) -> bool:
        """Whether a call of the name of a structure makes one of its parts, in order."""
        return not (made.by_name or node.keywords) and len(node.args) == len(made.items)

    def _combined(self, node: surface.Call, callee: surface.Name) -> Term | None:
        """The call of a builtin that a function and the operator that it is given are together."""
        known = self._unit.language.builtins
        for place, operator in enumerate(node.args):
            if isinstance(operator, surface.Name) and not self._scope.has(operator.name):
                row = known.by_operator.get((callee.name, operator.name))
                others = (*node.args[:place], *node.args[place + 1 :])
                zero = None if row is None else self._zero(node, row)
                if row is not None and not (node.keywords and zero is None) and len(others) == place + 1:
                    self._unit.uses.add(callee.name)
                    called = surface.Call(node.start, node.end, callee, others)
                    args = self._arguments(called, builtins.TABLE[row])
                    by = term.Global(callee.span, callee.name, called=True)
                    if zero is not None:
                        return _from(zero, called, row, _made_first(called, args), by)
                    return term.Call(node.span, row, args, callee.span, by=by)
        return None

    def _zero(self, node: surface.Call, row: str) -> Term | None:
        """What a sum begins with, if that is a zero that is stored as a float: then the sum of nothing is stored as
        other sums are. It must be neutral: whether another number is added to a sum of something is not said."""
        match node.keywords:
            case (surface.Keyword(name=name, value=surface.Number(value=0, integer=False) as zero),):
                return self.term(zero) if name == self._unit.language.builtins.starts.get(row) else None
        return None

    def _shows(self, node: surface.Call, callee: surface.Name, gives: bool) -> Term:
        """A call that prints what it is given, by position or by name, and ``gives`` the last of that back."""
        if gives and not (node.args and isinstance(node.args[-1], surface.Name | surface.Call | surface.Index)):
            return self._unit.refused(node, f"`{callee.name}` of something that is not computed")
        by, given = [callee], [*node.args, *(keyword.value for keyword in node.keywords)]
        first = given[0] if given else None
        if isinstance(first, surface.Name) and self._is_stream(first.name):
            by, given = [callee, first], given[1:]
        self._unit.uses.update(each.name for each in by)
        functions = tuple(term.Global(each.span, each.name, called=True) for each in by)
        return term.Show(node.span, functions, tuple(shown for each in given for shown in self._in_text(each)), gives)

    def _is_stream(self, name: str) -> bool:
        """Whether a name is where the language prints to, as far as it is known here."""
        return self._unit.language.vocabulary.does(name, Familiar.STREAM) and not self._scope.has(name)

    def _in_text(self, node: surface.Node) -> tuple[Term, ...]:
        """The values that are shown by a text, or by a value that is made one."""
        match node:
            case surface.Text():
                return ()
            case surface.Shown(names=names):
                return tuple(map(self.value_of_name, names))
        return (self.term(node),)

    def apply(self, node: surface.Call, function: Term) -> Term:
        """A call of a function of the program."""
        given = (*node.args, *(keyword.value for keyword in node.keywords))
        names = tuple(keyword.name for keyword in node.keywords)
        return term.Apply(node.span, function, tuple(self.term(each) for each in given), keywords=names)

    def _builtin_call(self, node: surface.Call, row: builtins.Builtin, changes: bool) -> Term:
        if row.has(SampledRows):
            return self._unit.refused(
                node, f"`{self._unit.code[row.name]}` other than in an assignment that names what it draws"
            )
        if changes:
            name = node.callee.name if isinstance(node.callee, surface.Name) else row.name
            self._unit.report(problems.NotAVariable.at(node.span, name=name))
            return term.Hole(node.span, "a change inside an expression", self._arguments(node, row))
        if (zero := self._zero(node, row.name)) is not None:
            args = self._arguments(surface.Call(node.start, node.end, node.callee, node.args), row)
            return _from(zero, node, row.name, _made_first(node, args))
        match node.args, row.trait(ByRecord):
            case (surface.Comprehension(lazy=True) as gives,), ByRecord.ADDS | ByRecord.COUNTS if not node.keywords:
                given = term.Call(gives.span, builtins.ONE_BY_ONE, (self._comprehension(gives),), gives.span)
                return self.builtin(node, row, (given,))
        same = self._as_comprehension(node) if row.name == builtins.MAKING else None
        made = None if same is None else self._rounds(same)
        if same is not None and isinstance(same.over, surface.Range):
            self._unit.ranged |= {*same.each.params}
        return self.use(node, row) if made is None else made

    def _as_comprehension(self, node: surface.Call) -> surface.Comprehension | None:
        """The comprehension that makes the same as a function that is called for each entry, where it is written there,
        or is one of the program that may release something: one that does or, over a range, one of which nothing is
        known yet."""
        match node.args:
            case (surface.Lambda(params=(only,), returns=None) as each, over) if _is_plain(only):
                return surface.Comprehension(node.start, node.end, each, over)
            case (surface.Name() as function, over) if self._scope.builtin_of(function) is None:
                effects, is_elsewhere = self._scope.effects_of(function), not self._scope.has(function.name)
                if (isinstance(over, surface.Range) and is_elsewhere) if effects is None else effects.releases:
                    return surface.Comprehension(node.start, node.end, _calling(function, [AN_ENTRY]), over)
        return None

    def use(self, node: surface.Call, row: builtins.Builtin, mutates: bool = False) -> Term:
        """A call of a builtin, which changes an argument in place if it ``mutates`` it."""
        return self.builtin(node, row, self._arguments(node, row), mutates)

    def builtin(self, node: surface.Call, row: builtins.Builtin, args: tuple[Term, ...], mutates: bool = False) -> Term:
        """A call of a builtin with arguments that are lowered already."""
        names = tuple(keyword.name for keyword in node.keywords)
        unknown = next((name for name in names if name not in row.keywords or names.count(name) > 1), None)
        if unknown is not None:
            return self._unit.refused(node, f"the keyword argument `{unknown}` of `{self._unit.code[row.name]}`")
        known = self._unit.language.builtins
        premises = known.premises(node.callee.name) if isinstance(node.callee, surface.Name) else ()
        return term.Call(node.span, row.name, args, node.callee.span, mutates, names, premises=premises)

    def _arguments(self, node: surface.Call, row: builtins.Builtin) -> tuple[Term, ...]:
        count, names = len(node.args), tuple(keyword.name for keyword in node.keywords)
        fitting = (form.parameters(count, names) for form in row.forms)
        params = next(filter(None, fitting), None) or max((form.params for form in row.forms), key=len)
        placed = (
            self._given(arg, params[min(position, len(params) - 1)], row) for position, arg in enumerate(node.args)
        )
        return (*placed, *(self._by_name(keyword, row) for keyword in node.keywords))

    def _given(self, node: surface.Node, param: Parameter, row: builtins.Builtin) -> Term:
        """An argument by position. A function that is written there is called before the builtin returns, if at all."""
        applied = any(form.applies is not None and form.applies.argument == param.name for form in row.forms)
        function = self._as_lambda(node) if applied and isinstance(node, surface.Name) else node
        if applied and isinstance(function, surface.Lambda):
            return self._function(function, True)
        return self._argument(node, param.pattern)

    def _by_name(self, keyword: surface.Keyword, row: builtins.Builtin) -> Term:
        patterns = (param.pattern for form in row.forms for param in form.params if param.name == keyword.name)
        return self._argument(keyword.value, next(patterns, None))

    def _argument(self, node: surface.Node, pattern: object) -> Term:
        annotations = self._unit.language.annotations
        if isinstance(pattern, GivenNorm) and isinstance(node, surface.Name) and node.name in annotations.norms:
            return term.NormArgument(node.span, annotations.norms[node.name])
        if isinstance(pattern, GivenTruth) and isinstance(node, surface.Boolean):
            return term.TruthArgument(node.span, node.value)
        if isinstance(pattern, FromBox):
            value = self.term(node)
            return replace(value, unboxed=True) if isinstance(value, term.Apply) else value
        if isinstance(pattern, GivenType) and not isinstance(node, surface.Number):
            try:
                return term.TypeArgument(node.span, annotations.meaning(node))
            except RefusedType as refused:
                name, place = written(refused.node), refused.node.span
                found = problems.UnknownType.at(place, written=name, hint=refused.hint, fixes=refused.fixes)
                self._unit.report(found)
                return term.Hole(node.span, "a type that is not understood")
        return self.term(node)

    def _indexed(self, node: surface.Index) -> Term:
        if len(node.indices) == 1 and isinstance(key := node.indices[0], surface.Text):
            return term.Field(node.span, self.term(node.value), surface.key_name(key.value))
        if not node.indices and isinstance(node.value, surface.Name) and not self._scope.has(node.value.name):
            return term.Call(node.span, builtins.EMPTY, (self._argument(node.value, GivenType()),), node.span)
        if node.unchecked and not self._scope.is_there(node):
            return self._unit.refused(node, MAY_BE_MISSING)
        if (mask := self.masks.of(node)) is not None:
            return self._picked(node, mask)
        value = self.term(node.value)
        row, places = _way(node.indices)
        if any(isinstance(place, surface.Whole | surface.Range) for place in places) or not 1 <= len(places) <= 2:
            return self._unit.refused(node, "this way of indexing")
        around = self._around
        args = [value]
        for place in places:
            self._around = node, value, next(i for i, each in enumerate(node.indices) if each.end >= place.end)
            args.append(self.term(place))
        self._around = around
        return term.Call(node.span, row, tuple(args), node.span)

    def _bound(self, node: surface.IndexBound) -> Term:
        """The first or the last position of what is indexed there, which has a name: it is looked at twice."""
        if self._around is None:
            return self._unit.refused(node, "`end` in a function inside an index")
        index, value, position = self._around
        if not node.last:
            return term.Literal(node.span, Fraction(1), True)
        if not isinstance(index.value, surface.Name):
            return self._unit.refused(node, "`end` as an index of something without a name")
        row, dimension = builtins.extent(len(index.indices), position)
        along = () if dimension is None else (term.Literal(node.span, Fraction(dimension), True),)
        return term.Call(node.span, row, (replace(value), *along), node.span)  # a term of its own, inferred once


def _made_first(node: surface.Call, args: tuple[Term, ...]) -> tuple[Term, ...]:
    """What a sum adds up that begins with something: where it is given a function, what that makes, which may be
    nothing."""
    if len(args) != 2:
        return args
    return (term.Call(node.span, builtins.MAKING, args, node.callee.span),)


def _from(zero: Term, node: surface.Call, row: str, args: tuple[Term, ...], by: term.Global | None = None) -> Term:
    """A sum that begins with a zero. Source: the documentation of Julia, ``sum``."""
    callee = node.callee.span
    return term.Call(node.span, builtins.PLUS, (zero, term.Call(node.span, row, args, callee, by=by)), callee)


def _of_entries(node: surface.Node, over: list[tuple[str, surface.Node]], made: surface.Node) -> surface.Lambda:
    """The function that a broadcast calls on entries of what it goes over, by their names."""
    params = tuple(surface.Parameter(each.start, each.end, name) for name, each in over)
    return surface.Lambda(node.start, node.end, params, surface.Block(node.start, node.end, (made,)))


def _is_plain(param: surface.Parameter) -> bool:
    """Whether it takes any value, by its position, and has to be given one."""
    return param.annotation is None and param.default is None and param.kind == "plain"


def _calling(function: surface.Name, params: Sequence[str]) -> surface.Lambda:
    """A function by its name, written out as one of what it is given."""
    at = function.start, function.end
    call = surface.Call(*at, function, tuple(surface.Name(*at, name) for name in params))
    return surface.Lambda(*at, tuple(surface.Parameter(*at, name) for name in params), surface.Block(*at, (call,)))


def _way(indices: tuple[surface.Node, ...]) -> tuple[str, tuple[surface.Node, ...]]:
    """The row for indices like these, and what it is given."""
    match indices:
        case (surface.Range(first=first, step=None, last=last),):
            return builtins.SLICE, (first, last)
        case (surface.Whole(), surface.Range(first=first, step=None, last=last)):
            return builtins.SLICE_OF_COLUMNS, (first, last)
        case (surface.Range(first=first, step=None, last=last), surface.Whole()):
            return builtins.SLICE_OF_ROWS, (first, last)
        case (surface.Whole(), place):
            return builtins.COLUMN, (place,)
        case (place, surface.Whole()):
            return builtins.ROW, (place,)
    return builtins.INDEX, indices
