"""What is known of each expression, as rows and tables of short texts; and whose the values of a definition are:
private, public, or released by a mechanism.

What a value moves with is known already. For whose it is, it is followed which values are made of which others, to tell
what a mechanism released from what was public all along, and whose a value is that a loop carries.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TypeVar

from dp_lsp import builtins, frontends
from dp_lsp.accounting.bounds import PROFILES, bounds, headline
from dp_lsp.accounting.charge import Relation
from dp_lsp.analysis.records import Options, State
from dp_lsp.analysis.rows import FactPart, FactRow, FactTables, Role
from dp_lsp.core import term
from dp_lsp.core.constraints import Assumptions, Constraint
from dp_lsp.core.descriptors import Descriptor
from dp_lsp.core.evaluate import Substitution
from dp_lsp.core.events import NOTHING, Awaited, Called, Cost, Release, nodes, variables
from dp_lsp.core.metrics import metric_name
from dp_lsp.core.notation import DISPLAY, Printer, figure, type_and_value
from dp_lsp.core.scheme import Judgement, Move, Moves, Scheme
from dp_lsp.core.sens import Sens
from dp_lsp.core.term import Bind, Body, Definition, Local, Term
from dp_lsp.core.types import UNKNOWN, FunctionType, Type, Unknown
from dp_lsp.infer import losses
from dp_lsp.infer.method import Inferred
from dp_lsp.infer.publics import is_given
from dp_lsp.infer.terms import BRANCH
from dp_lsp.lower.facts import is_operator
from dp_lsp.named import NamedTuple
from dp_lsp.text import Span

T = TypeVar("T")
_Spent = tuple[tuple[tuple[str, ...], str, str], ...]
_Places = dict[int, dict[object, int]]


class FoundDefinition(NamedTuple):
    """A definition, what was inferred of it, and what is known of it."""

    definition: Definition
    inferred: Inferred
    state: State


def tables(found: Iterable[FoundDefinition], text: str, options: Options) -> FactTables:
    """The facts of the definitions of a chunk. Equal types, moves and costs are written once."""
    written = FactTables([], [], [], [], {})
    places: _Places = {}
    for each in found:
        written.rows.extend(_Facts(each, text, options, written, places).rows())
    return written


class _Facts:
    """Writes the facts of one definition. ``places`` are those of the texts in the tables."""

    def __init__(
        self, found: FoundDefinition, text: str, options: Options, written: FactTables, places: _Places
    ) -> None:
        self._inferred, self._known = found.inferred, found.state is not State.UNKNOWN
        self._name = found.definition.name_span
        self._text = text
        self._language = frontends.of("", options.language)
        self._tables = written
        self._places = places
        self._values = found.inferred.solver.substitution()
        self._printer = Printer(DISPLAY, Assumptions(_needs(found.inferred)))
        self._seen = losses.KnownTerms(self._type_of, self._written)
        self._types: dict[Type, int] = {}
        self._numbers: dict[Move, str] = {}
        self._spent = dict(self._costs(options)) if self._known else {}
        self._roles = _Roles(found.definition, found.inferred, found.state is State.FAILED, self._spent)
        self._parameters = {param.local for param in self._roles.parameters}

    def rows(self) -> Iterator[FactRow]:
        """All that can be said of what stands in the definition; of what was not checked to the end, only types."""
        defined = {row[:2]: row for row in self._definitions()}
        yield from defined.values()
        values = set[Span]()
        for bind in self._roles.binds:
            if bind.is_statement:
                values.add(bind.term.span)
                yield from self._after(bind)
        for node, judgement in self._inferred.judgements.items():
            self._note_loss(node, judgement)
            part = self._part(node)
            if part is not None and node.span not in values and node.span not in defined:
                yield self._row(node.span, judgement, _rule(node), self._roles.of(node, judgement), part, 0)
            if isinstance(node, term.Call):
                yield from self._around(node, judgement)
        for result in self._roles.results:
            if result in self._inferred.judgements and not isinstance(result, term.Use):
                value = self._inferred.judgements[result]
                yield self._row(result.span, value, "", self._roles.of(result, value), FactPart.RESULT, result.span.end)

    def _note_loss(self, node: Term, judgement: Judgement) -> None:
        """What is lost of private values in an operation."""
        for descriptor in Descriptor if judgement.moves and isinstance(node, losses.OPERATIONS) else ():
            loss = losses.at(node, descriptor, self._seen)
            if loss is not None:
                self._tables.lost.setdefault((node.span.start, node.span.end), loss.words)

    def _type_of(self, node: Term) -> Type | None:
        known = self._inferred.judgements.get(node)
        return None if known is None else self._inferred.solver.type(known.type)

    def _written(self, node: Term) -> str:
        return self._text[node.span.start : node.span.end]

    def _definitions(self) -> Iterator[FactRow]:
        """The names where they get a value. What only renames a value is nothing new."""
        for param in self._roles.parameters:
            yield from self._definition(param.local, 0)
        for node in self._inferred.judgements:
            if isinstance(node, term.Loop | term.Comprehension):
                yield from self._definition(node.index, 0)
        for bind in self._roles.binds:
            if not bind.is_statement:
                for target in bind.targets:
                    yield from self._definition(target, 0 if isinstance(bind.term, term.Use) else bind.span.end)

    def _definition(self, local: Local, until: int) -> Iterator[FactRow]:
        found = self._inferred.facts.get(local.span)
        if found is not None and self._text.startswith(local.name, local.span.start):
            part = FactPart.PARAMETER if local in self._parameters else FactPart.NAME
            yield self._row(local.span, found[0], "", self._roles.of(local, found[0]), part, until)

    def _after(self, bind: term.Bind) -> Iterator[FactRow]:
        """The names that have another value after a loop or a branch."""
        for target in bind.targets:
            value = self._inferred.joined.get(target)
            if value is not None:
                role = self._roles.of(target, value)
                yield self._row(bind.span, value, target.name, role, FactPart.AFTER, bind.span.end)

    def _around(self, node: term.Call, judgement: Judgement) -> Iterator[FactRow]:
        """The name of a builtin, and what is given to it and is not a value."""
        name = self._text[node.callee.start : node.callee.end]
        if self._language.builtins.find(name) is not None and not is_operator(name):
            yield self._row(node.callee, judgement, node.builtin, Role.FUNCTION, FactPart.CALLEE, 0)
        for arg in node.args:
            if isinstance(arg, term.NormArgument | term.TypeArgument):
                part = FactPart.NORM if isinstance(arg, term.NormArgument) else FactPart.TYPE
                nothing = Judgement(UNKNOWN, {})
                yield self._row(arg.span, nothing, node.builtin, Role.UNKNOWN, part, 0)

    def _part(self, node: Term) -> FactPart | None:
        """What a term is to a reader; None if it does not stand there as he would read it."""
        match node:
            case term.Use(span, local):
                part = FactPart.PARAMETER if local in self._parameters else FactPart.NAME
                return part if self._is_written(span, local.name) else None
            case term.Global(span, name):
                return FactPart.NAME if self._is_written(span, name) else None
            case term.MakeTuple(span, items):
                return FactPart.EXPRESSION if items and items[0].span != span else None
            case (
                term.Literal() | term.Loop() | term.Unending() | term.Scope() | term.Check() | term.Show() | term.Hole()
            ):
                return None
        return FactPart.EXPRESSION

    def _is_written(self, span: Span, name: str) -> bool:
        return self._text[span.start : span.end] == name

    def _row(self, span: Span, value: Judgement, rule: str, role: Role, part: FactPart, until: int) -> FactRow:
        known = self._known
        moves = self._moves(value.moves) if known else ()
        spent = self._spent.get(span, ()) if known and part is FactPart.EXPRESSION else ()
        role = role if known or role is Role.FUNCTION else Role.UNKNOWN
        return (
            span.start, span.end, self._type(value), self._place(self._tables.moves, moves), rule,
            int(role), int(part), until, self._place(self._tables.spent, spent),
        )  # fmt: skip

    def _type(self, value: Judgement) -> int:
        place = self._types.get(value.type)
        if place is None:
            solved = self._inferred.solver.type(value.type)
            type_, known = type_and_value(solved, self._printer)
            texts = type_, metric_name(solved), known
            place = self._types[value.type] = self._place(self._tables.types, texts)
        return place

    def _place(self, table: list[T], entry: T) -> int:
        """Where an entry of a table stands, which is put there if it is new."""
        places = self._places.setdefault(id(table), {})
        place = places.get(entry)
        if place is None:
            place = places[entry] = len(table)
            table.append(entry)
        return place

    def _moves(self, moves: Moves) -> tuple[tuple[str, str], ...]:
        return tuple((var.name, self._number(move)) for var, move in moves.items() if not var.members)

    def _number(self, move: Move) -> str:
        text = self._numbers.get(move)
        if text is None:
            text = self._numbers[move] = self._printer.sens(self._values.sens(move.sens))
        return text

    # What calls cost

    def _costs(self, options: Options) -> Iterator[tuple[Span, _Spent]]:
        """What each call that spends something costs, each time that it runs, also in functions that are made inside
        of this one."""
        shown = self._inferred.shown
        for scheme, name in (*self._inner(), *([] if shown is None else [(shown, self._name)])):
            if scheme.cost is not NOTHING and not scheme.reason:
                yield from self._costs_in(scheme.cost, name, options)

    def _inner(self) -> Iterator[tuple[Scheme, Span]]:
        """The functions that are made inside of this one, and where each has its name."""
        for node, judgement in self._inferred.judgements.items():
            type_ = self._inferred.solver.type(judgement.type) if isinstance(node, term.Closure) else None
            if isinstance(node, term.Closure) and isinstance(type_, FunctionType):
                names = (method.name_span for method in node.methods)
                yield from zip(type_.value.methods, names, strict=False)

    def _costs_in(self, tree: Cost, name: Span, options: Options) -> Iterator[tuple[Span, _Spent]]:
        """What the calls cost in a function with its name at a place."""
        values: Substitution | None = None
        if isinstance(tree, Called) and tree.origin.span == name:  # what is said of it is an instance of it
            values, tree = tree.values, tree.body
        for node in nodes(tree):
            if isinstance(node, Release | Called | Awaited):
                spent = self._price(node, values, options)
                if spent:
                    yield node.origin.span, spent

    def _price(self, cost: Cost, values: Substitution | None, options: Options) -> _Spent:
        """The price for each variable. One who is a row of several samples is in all of them, so his is the price of
        each of these."""
        exposed = sorted((var for var in variables(cost) if not var.exempt), key=lambda var: var.uid)
        drawn = {name for var in exposed if var.members for name in var.name.split(" and ")}
        priced = tuple(var for var in exposed if var.members or var.name not in drawn)
        names: dict[tuple[str, str], list[str]] = {}
        profile, relation = PROFILES[options.profile].pairs, Relation(options.neighbours)
        for (var, *_), listed in bounds(cost, priced, profile, frozenset(), relation).items():
            epsilon, delta = headline(listed).first.price
            if values is not None:
                epsilon, delta = values.sens(epsilon), values.sens(delta)
            if not epsilon.infinite and not epsilon.zero:
                names.setdefault((self._short(epsilon), self._short(delta)), []).append(var.name)
        return tuple((tuple(group), *pair) for pair, group in names.items())

    def _short(self, value: Sens) -> str:
        solved = self._values.sens(value)
        return self._printer.sens(solved) if solved.number is None else figure(solved.number)


def _rule(node: Term) -> str:
    """The rule that says what a term is."""
    if isinstance(node, term.Call):
        return node.builtin
    return BRANCH if isinstance(node, term.Branch) else ""


def _needs(inferred: Inferred) -> Iterable[Constraint]:
    return () if inferred.shown is None else inferred.shown.needs


_Value = Term | Local


class _Roles:
    """The roles of the values of one definition. ``binds`` are its assignments, ``parameters`` its parameters and
    those of the functions made in it, ``results`` the values of its body and of theirs.

    Where something is wrong with the definition, what moves with nothing may do so because it is lost already. Then
    only calls that are ``priced``, by their places, are taken to release what they return."""

    def __init__(self, definition: Definition, inferred: Inferred, wrong: bool, priced: Collection[Span]) -> None:
        self._inferred = inferred
        self._wrong = wrong
        self._priced = priced
        self._feeds: defaultdict[_Value, list[_Value]] = defaultdict(list)
        self._releases: list[_Value] = []
        self._given: dict[Local, Term] = {}
        self.binds: list[Bind] = []
        self.parameters: list[term.Param] = []
        self.results: list[Term] = []
        self._read(definition)
        shown = [param.local for param in self.parameters if self._enters_private(param.local.span)]
        self._private = self._reached(shown, moving=True)
        self._released = self._reached(self._releases)

    def of(self, value: _Value, judgement: Judgement) -> Role:
        """The role of a value of which this is known."""
        type_ = self._inferred.solver.type(judgement.type)
        if isinstance(type_, Unknown):
            return Role.UNKNOWN
        if isinstance(type_, FunctionType):
            return Role.FUNCTION
        if any(not var.exempt for var in judgement.moves) or (judgement.moves and value in self._private):
            return Role.PRIVATE
        if is_given(type_):
            return Role.PUBLIC
        if self._wrong:
            made = self._given.get(value, value) if isinstance(value, Local) else value
            return Role.RELEASED if made.span in self._priced else Role.UNKNOWN
        return Role.RELEASED if value in self._released else Role.PUBLIC

    def _enters_private(self, span: Span) -> bool:
        found = self._inferred.facts.get(span)
        return found is not None and any(not var.public for var in found[0].moves)

    def _reached(self, sources: Iterable[_Value], moving: bool = False) -> Collection[_Value]:
        """All that is made of some values; with ``moving`` only through what moves with something."""
        pending, found = list(sources), set[_Value]()
        while pending:
            value = pending.pop()
            if value not in found and (not moving or self._moves(value)):
                found.add(value)
                pending += self._feeds.get(value, ())
        return found

    def _moves(self, value: _Value) -> bool:
        judgement = None if isinstance(value, Local) else self._judgements.get(value)
        return judgement is None or bool(judgement.moves)

    @property
    def _judgements(self) -> Mapping[Term, Judgement]:
        return self._inferred.judgements

    # Which values are made of which

    def _read(self, definition: Definition) -> None:
        pending: list[Term | Body | Bind] = []
        if isinstance(definition, term.Constant):
            pending.append(definition.term)
        else:
            self._method(definition, pending)
        seen = set[Term | Body | Bind]()
        while pending:
            node = pending.pop()
            if node in seen:
                continue
            seen.add(node)
            match node:
                case Body(binds, result):
                    pending += [*binds, result]
                case Bind(_, targets, value):
                    self.binds.append(node)
                    self._bound(targets, value)
                    pending.append(value)
                case _:
                    self._term(node, pending)

    def _method(self, method: term.Method, pending: list[Term | Body | Bind]) -> None:
        self.parameters += method.params
        if method.body is not None:
            self.results.append(_last(method.body))
            pending.append(method.body)

    def _bound(self, targets: tuple[Local, ...], value: Term) -> None:
        """Each name is made of its item, where the items stand there, else of the whole."""
        items = _items(value)
        if len(targets) == 1:
            self._given[targets[0]] = value
        for index, target in enumerate(targets):
            for source in items[index] if len(targets) == len(items) > 0 else (value,):
                self._feeds[source].append(target)

    def _term(self, node: Term, pending: list[Term | Body | Bind]) -> None:
        made_of: tuple[_Value, ...] = ()
        match node:
            case term.Use(local=local):
                self._feeds[local].append(node)
            case term.Call(args=args):
                made_of = args
            case term.Apply(function=function, args=args):
                made_of = (function, *args)
            case term.MakeTuple(items=parts) | term.Hole(parts=parts):
                made_of = parts
            case term.Check(condition=condition, shown=shown):
                pending += (condition, *shown)
            case term.Show(shown=shown):
                pending += shown
            case term.Branch(_, condition, then, otherwise):
                made_of = (condition, _last(then), _last(otherwise))
                pending += [then, otherwise]
            case term.Loop() | term.Comprehension():
                made_of = self._loop(node, pending)
            case term.Scope(_, bind, rest):
                made_of = (_last(rest),)
                pending += [bind, rest]
            case term.Closure(methods=methods):
                for method in methods:
                    self._method(method, pending)
                    made_of += () if method.body is None else (_last(method.body),)
        for source in made_of:
            self._feeds[source].append(node)
        pending += (source for source in made_of if not isinstance(source, Local))
        if self._is_release(node):
            self._releases.append(node)

    def _loop(self, node: term.Rounds, pending: list[Term | Body | Bind]) -> tuple[Term, ...]:
        ends = _items(node)
        for index, (local, start) in enumerate(node.carried):
            for source in (start, *(ends[index] if index < len(ends) else ())):
                self._feeds[source].append(local)
        for source in (node.first, node.last):
            self._feeds[source].append(node.index)
        pending.append(node.body)
        step = () if node.step is None else (node.step,)
        return (node.first, *step, node.last, *(start for _, start in node.carried), _last(node.body))

    def _is_release(self, node: Term) -> bool:
        """Whether a mechanism runs here, or a function that runs one."""
        if isinstance(node, term.Call):
            forms = builtins.TABLE[node.builtin].forms
            return any(form.noise is not None or form.runs is not None for form in forms)
        if not isinstance(node, term.Apply) or node.function not in self._judgements:
            return False
        type_ = self._inferred.solver.type(self._judgements[node.function].type)
        return isinstance(type_, FunctionType) and any(each.cost is not NOTHING for each in type_.value.methods)


def _last(body: Body) -> Term:
    """The value of a block, which the rest of a block that draws a sample gives it."""
    while isinstance(body.result, term.Scope):
        body = body.result.rest
    return body.result


def _items(value: Term) -> list[tuple[Term, ...]]:
    """What each item of a value is made of, where that can be told; else nothing."""
    match value:
        case term.MakeTuple(items=items):
            return [(item,) for item in items]
        case term.Loop(carried=carried, body=body):
            ends = _last(body)
            if isinstance(ends, term.MakeTuple) and len(ends.items) == len(carried):
                return [(start, end) for (_, start), end in zip(carried, ends.items, strict=True)]
        case term.Branch(_, condition, then, otherwise):
            left, right = _last(then), _last(otherwise)
            if isinstance(left, term.MakeTuple) and isinstance(right, term.MakeTuple):
                return [(condition, *pair) for pair in zip(left.items, right.items, strict=False)]
            return [(condition, left, right)]
    return []
