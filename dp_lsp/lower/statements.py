"""Statements: bindings, in-place changes as new versions, branches and loops with the list of what they change.

In-place changes: which variable gets a new version, and whether somebody else would see the change.

Which ways through a body leave the function before its end, and which go on to what follows.

What a written value may share with others in memory: of which objects it is made, and how a name comes by it.

Which variables hold a vector that may be changed in place, as `push!(v, x)` and `v[i] = x` do: one that is made in
the function, and that nothing else can reach as long as it is changed.

A change of an array is seen by whoever holds it, and an array of numbers is held by what it is assigned to, put into or
given to. So until the last change of a variable, wherever a loop may come to one again, nothing may be done with it but
to change it, and to read numbers of it. What is done behind that sees a vector that changes no more.

This is decided on the text: each place where the variable is written counts.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from typing import Protocol

from dp_lsp import builtins, surface
from dp_lsp.builtins.define import Builtin
from dp_lsp.builtins.remedies import COPY
from dp_lsp.builtins.traits import ByRecord, FreshVector, InPlace, SampledRows
from dp_lsp.core import term
from dp_lsp.core.term import Bind, Body, Local, Term
from dp_lsp.core.values import replace
from dp_lsp.intents import Before, Through
from dp_lsp.language import Builtins, Familiar, Language, Semantics, Vocabulary
from dp_lsp.lower import problems
from dp_lsp.lower.expressions import MAY_BE_MISSING, Expressions
from dp_lsp.lower.facts import (
    UNUSED,
    Methods,
    Survey,
    assigned_names,
    below,
    builtin,
    changed_positions,
    described,
    grouped,
    is_operator,
    is_written_out,
    names_below,
    refused_target,
    walked,
)
from dp_lsp.lower.ownership import NOWHERE, Holding, Holdings, Memory, Provenance
from dp_lsp.lower.scope import BodyScope, LoweringUnit
from dp_lsp.named import NamedTuple
from dp_lsp.problem import Kind, Problem, Related
from dp_lsp.text import Span

Resolve = Callable[[surface.Node], "Builtin | None"]
"""Which builtin a call is one of; None for a function of the program."""

_NUMBERS = frozenset({ByRecord.COUNTS, ByRecord.NUMBERS, ByRecord.ADDS})


class _Place(NamedTuple):
    """A node, the loops around it, and whether it stands in a function inside."""

    node: surface.Node
    loops: tuple[surface.For, ...] = ()
    inside: bool = False


class _Uses:
    """What a body does with one variable: where it is made anew, changed, or used in another way than to read a number
    of it."""

    def __init__(self) -> None:
        self.makes: list[_Place] = []
        self.changes: list[_Place] = []
        self.others: list[surface.Node] = []

    @property
    def may_change(self) -> bool:
        """Whether all changes are of a vector that nothing else can reach then."""
        if not self.makes or any(place.inside for place in (*self.makes, *self.changes)):
            return False
        last = max(map(self._until, self.changes))
        return all(other.start >= last for other in self.others)

    def _until(self, change: _Place) -> int:
        """Where a change is made for the last time: behind the outermost loop around it in which the vector is not made
        anew in each round, before it."""
        loops = change.loops
        for depth, loop in enumerate(change.loops, 1):
            statements = loop.body.statements
            if any(make.node in statements and make.node.start < change.node.start for make in self.makes):
                loops = change.loops[depth:]
        return loops[0].end if loops else change.node.end


def fillable(block: surface.Block, language: Language, resolve: Resolve) -> frozenset[str]:
    """The variables of a function whose vectors may be changed in place. Its parameters are the caller's. Of what
    stands where nothing :func:`may_change` entries of an array nobody need ask."""
    uses: defaultdict[str, _Uses] = defaultdict(_Uses)
    pending = [_Place(block)]
    while pending:
        place = pending.pop()
        pending += _below(place, uses, language, resolve)
    return frozenset(name for name, found in uses.items() if found.changes and found.may_change)


def may_store(node: surface.Node, language: Language) -> bool:
    """Whether running what is defined at top level may change entries of an array that others hold. A builtin that
    changes an array does so where it is called on a variable that holds one of the function's own; anywhere else, as in
    text that is not followed, it may change any. Nor need anybody ask here where nothing :func:`may_change` one."""
    pending: list[tuple[surface.Node, frozenset[str]]] = [(node, frozenset())]
    resolve = _without_bound(node, language)
    while pending:
        item, own = pending.pop()
        children: Sequence[surface.Node] = item.children
        match item:
            case (
                surface.Function(params=params, body=surface.Block() as body) | surface.Lambda(params=params, body=body)
            ):
                own = fillable(body, language, resolve) - {param.name for param in params}
            case surface.Call(callee=surface.Name(), args=(surface.Name(), *_)) if changed(item, resolve) is not None:
                children = [each for each in item.children if each is not item.callee]
            case surface.Name() | surface.Opaque() if _changes(item, language):
                return True
        name = changed(item, resolve)
        if name is not None and name.name not in own:
            return True
        if name is None and isinstance(item, surface.Assign | surface.For) and any(map(_is_entry, _parts(item.target))):
            return True
        pending += ((child, own) for child in children)
    return False


def may_change(node: surface.Node, language: Language) -> bool:
    """Whether a node, or one below it, may change entries of an array, whatever the names in it mean. In most functions
    none does, and this is quickly seen."""
    changing = _changing_names(language.builtins)
    pending = [node]
    while pending:
        item = pending.pop()
        if isinstance(item, surface.Name):
            if item.name in changing:
                return True
        elif isinstance(item, _CHANGING) and _changes(item, language):
            return True
        pending += item.children
    return False


_CHANGING = (surface.Assign, surface.For, surface.Opaque)


def _changes(node: surface.Node, language: Language) -> bool:
    """The same of a node by itself, where what stands below a name is not followed."""
    match node:
        case surface.Name(name=name):
            return _is_changing(name, language)
        case surface.Assign(target=target) | surface.For(target=target):
            return any(map(_is_entry, _parts(target)))
        case surface.Field(name=name):
            return _is_changing(name, language)
        case surface.Opaque(summary=does):
            known = (builtin(name, language.builtins) for name in does.mentions | does.members)
            return does.stores or any(each is not None and (each.changes or each.row.has(InPlace)) for each in known)
    return False


def _is_changing(name: str, language: Language) -> bool:
    """Whether a name is that of a builtin which changes entries of an array that it is given."""
    return name in _changing_names(language.builtins)


@cache
def _changing_names(known: Builtins) -> frozenset[str]:
    """The names of builtins which change entries of an array that they are given."""
    meant = ((name, builtin(name, known)) for name in known.words)
    return frozenset(name for name, found in meant if found is not None and found.row.has(InPlace))


def _without_bound(node: surface.Node, language: Language) -> Resolve:
    """The builtins in a text, but for names to which anything in it gives another meaning."""
    bound = set[str]()
    for each in below(node):
        match each:
            case surface.Parameter(name=name) | surface.Function(name=surface.Name(name=name)):
                bound.add(name)
            case surface.Assign(target=target) | surface.For(target=target):
                bound |= names_below(target)
            case surface.Opaque(summary=summary):
                bound |= summary.binds

    def resolve(callee: surface.Node) -> Builtin | None:
        if not isinstance(callee, surface.Name) or callee.name in bound:
            return None
        known = builtin(callee.name, language.builtins)
        return None if known is None else known.row

    return resolve


def _parts(target: surface.Node) -> tuple[surface.Node, ...]:
    return target.items if isinstance(target, surface.Tuple) else (target,)


def _is_entry(target: surface.Node) -> bool:
    return isinstance(target, surface.Index)


def changed(node: surface.Node, resolve: Resolve) -> surface.Name | None:
    """The variable that a statement changes in place, by an assignment to an entry or by a builtin."""
    match node:
        case surface.Assign(target=surface.Index(value=surface.Name() as name, indices=(place,))):
            return None if isinstance(place, surface.Range | surface.Whole) else name
        case surface.Call(callee=callee, args=(surface.Name() as name, *_)):
            row = resolve(callee)
            return name if row is not None and row.has(InPlace) else None
    return None


def _below(place: _Place, uses: defaultdict[str, _Uses], language: Language, resolve: Resolve) -> Iterator[_Place]:
    """What stands below a node, but for names whose use is noted with it."""
    node, loops, inside = place
    noted: surface.Node | None = None
    if (name := changed(node, resolve)) is not None:
        uses[name.name].changes.append(place)
        noted = node.target if isinstance(node, surface.Assign) else name
        if isinstance(noted, surface.Index):
            yield from (_Place(index, loops, inside) for index in noted.indices)
    else:
        match node:
            case surface.Assign(target=surface.Name(name=made), operator=None, value=value) if _makes(
                value, language, resolve
            ):
                uses[made].makes.append(place)
                noted = node.target
            case surface.Name(name=used) | surface.Parameter(name=used):
                uses[used].others.append(node)
            case surface.Opaque(summary=summary):
                for each in summary.mentions | summary.binds:
                    uses[each].others.append(node)
    loops += (node,) if isinstance(node, surface.For) else ()
    inside |= isinstance(node, surface.Lambda | surface.Function)
    read = frozenset[surface.Node]() if inside else _read(node, resolve)
    children = _beside_entries(node) if isinstance(node, surface.Broadcast) and not inside else node.children
    yield from (_Place(child, loops, inside) for child in children if child is not noted and child not in read)


def _beside_entries(node: surface.Broadcast) -> Iterator[surface.Node]:
    """What stands in a broadcast, but for the vectors of which it reads the entries: what it makes of these is new."""
    yield from (each for each in node.over if not isinstance(each, surface.Name))
    pending = [node.each]
    while pending:
        match pending.pop():
            case surface.Call(callee=callee, args=args, keywords=keywords):
                pending += (callee, *args, *keywords)
            case surface.Name(name=name) if name in node.names:
                pass
            case other:
                yield other


def _makes(value: surface.Node, language: Language, resolve: Resolve) -> bool:
    """Whether a value is a new vector, which nothing else holds."""
    match value:
        case surface.Vector() | surface.Comprehension():
            return True
        case surface.Index(value=surface.Name(name=name), indices=()):
            return name in language.annotations.words
        case surface.Call(callee=callee):
            row = resolve(callee)
            return row is not None and row.has(FreshVector)
    return False


def _read(node: surface.Node, resolve: Resolve) -> frozenset[surface.Node]:
    """The names below a node of which it reads numbers, and nothing of it holds the vector afterwards."""
    match node:
        case surface.Index(value=surface.Name() as name, indices=(place,)):
            return frozenset() if isinstance(place, surface.Range | surface.Whole) else frozenset((name,))
        case surface.Call(callee=callee, args=args):
            row = resolve(callee)
            if row is not None and (row.has(FreshVector) or row.trait(ByRecord) in _NUMBERS):
                return frozenset(arg for arg in args if isinstance(arg, surface.Name))
    return frozenset()


class Sharing:
    """The memory of expressions in a scope. ``captures`` is what the functions without a name that were made in it
    have captured."""

    def __init__(self, scope: BodyScope, semantics: Semantics) -> None:
        self._scope = scope
        self._semantics = semantics
        self.captures: dict[surface.Node, Memory] = {}

    def of(self, node: surface.Node) -> Memory:
        """What may be reached from a value that was lowered here: what it is made of, and what is new."""
        match node:
            case surface.Number() | surface.Boolean():
                return NOWHERE
            case surface.Name():
                return self._scope.memory(node.name)
            case surface.Lambda():
                return self.new(self.captures.get(node, NOWHERE))
            case surface.Tuple(items=parts) | surface.Vector(items=parts):
                return self.new(*map(self.of, parts))
            case surface.If(then=then, otherwise=otherwise):
                lasts = [side.statements[-1] for side in (then, otherwise) if side is not None and side.statements]
                return self.new(*map(self.of, lasts))
            case surface.Comprehension(each=each, over=over):
                return self.new(self.captures.get(each, NOWHERE), self.of(over))
            case surface.Broadcast():
                return self.new(*(self._scope.memory(name) for name in names_below(node)))
            case surface.Call(callee=callee, args=args, keywords=keywords):
                return self._of_result(callee, [self.of(arg) for arg in args]).union(*map(self.of, keywords))
            case surface.Keyword(value=value):
                return self.of(value)
            case surface.Index(value=value) | surface.Field(value=value):
                return self.of(value)
            case surface.Assign(value=value) | surface.Return(value=surface.Node() as value):
                return self.of(value)
        return self.new()

    def new(self, *memories: Memory) -> Memory:
        """The memory of a new object that holds others."""
        return self._scope.ownership.fresh().union(*memories)

    def _of_result(self, callee: surface.Node, given: list[Memory]) -> Memory:
        """What may be reached from the result of a call: of a function of which nothing is known all its arguments,
        and what it has captured."""
        row = self._scope.builtin_of(callee)
        if row is None:
            known = self._scope.effects_of(callee)
            passed = range(len(given)) if known is None else known.passes(len(given))
            captured = [self.of(callee)] if known is None or known.captured else []
            return self.new(*captured, *(given[position] for position in passed))
        if isinstance(callee, surface.Name) and is_operator(callee.name) and not any(given):
            return NOWHERE
        if self._semantics.may_be_view(row.name):
            return self.new(*given)
        models = self._scope.ownership.models
        arrays = (memory - models for memory in builtins.sharing_arrays(row, given))
        return self.new(*builtins.passed_on(row, given), *arrays)

    def origin(self, node: surface.Node) -> Provenance:
        """How a name comes by a value that is written like this."""
        match node:
            case surface.Index() | surface.Field():
                return Provenance.PART
            case surface.Call(callee=callee, args=args):
                row = self._scope.builtin_of(callee)
                if row is not None and self._semantics.may_be_view(row.name):
                    return Provenance.CALL
                if row is not None and builtins.sharing_arrays(row, args):
                    return Provenance.COPY
                return Provenance.CALL if row is None or builtins.passed_on(row, args) else Provenance.NAME
            case surface.If():
                return Provenance.CHOICE
        return Provenance.NAME


GUARDS = 60
"""How many may follow each other in a function; each nests all that comes after it."""

IN_LOOP = "`return` in a loop would end it early; keep the value in a variable, and return it after the loop"
IN_VALUE = "`return` in a branch of a value leaves the function; write the `if` as a statement of its own"
NEVER_RUN = "what stands after this `return` never runs; delete it"
SEVERAL_WAYS = (
    "after this `return` several branches go on to the lines below the `if`; let all but one of them return, "
    "or make these lines a function of their own"
)
TOO_MANY = f"`return` is understood behind at most {GUARDS} others; make the lines after it a function of their own"
GIVES_NOTHING = "this `return` gives nothing, where the function gives a value; return a value everywhere"
GIVES_VALUE = "this function changes what it is given, so nothing is returned; write `return` alone, or change a copy"
OTHER_CHANGES = "what the function has changed for its caller differs from one `return` to another"


class WaysOut(NamedTuple):
    """What becomes of a run that comes to a piece of a body: whether a branch ``leaves`` the function, and on how many
    ways it goes ``on`` to what follows, where more than two count as two."""

    leaves: bool
    on: int


_STAYS = WaysOut(False, 1)


class Leaving:
    """The ways through the branches of one body, each looked at once."""

    def __init__(self) -> None:
        self._known: dict[surface.If, WaysOut] = {}

    def of(self, node: surface.Node) -> WaysOut:
        """The ways through a statement; a ``return`` in a loop, a value or a function inside is none of them. Branches
        that do not return go on together."""
        if isinstance(node, surface.Return):
            return WaysOut(True, 0)
        if not isinstance(node, surface.If):
            return _STAYS
        if node not in self._known:
            sides = [self.through(block) for block in (node.then, node.otherwise)]
            leaves = any(side.leaves for side in sides)
            self._known[node] = WaysOut(True, min(sum(side.on for side in sides), 2)) if leaves else _STAYS
        return self._known[node]

    def through(self, block: surface.Block | None) -> WaysOut:
        """The ways through a branch; one that is not written goes on."""
        leaves, on = False, 1
        for statement in () if block is None else block.statements:
            ways = self.of(statement)
            leaves, on = leaves or ways.leaves, min(on * ways.on, 2)
        return WaysOut(leaves, on)


def returns(block: surface.Block | surface.If) -> Iterator[surface.Return]:
    """Each ``return`` in a body, or in an ``if``, that leaves it on one of its ways, in the order of the text."""
    pending: list[surface.Node] = [block]
    while pending:
        node = pending.pop()
        if isinstance(node, surface.Return):
            yield node
        elif isinstance(node, surface.Block):
            pending += reversed(node.statements)
        elif isinstance(node, surface.If):
            pending += [side for side in (node.otherwise, node.then) if side is not None]


def ends_bare(block: surface.Block) -> bool:
    """Whether a body ends in a ``return`` without a value on all its ways."""
    last = block.statements[-1] if block.statements else None
    if isinstance(last, surface.If):
        return all(side is not None and ends_bare(side) for side in (last.then, last.otherwise))
    return isinstance(last, surface.Return) and last.value is None


# Statements that make a run fail under a condition: ``n > 0 || error("…")``, and an ``if`` with such a branch


class End(NamedTuple):
    """What makes a run fail: the name that is called, and all that it is given to say."""

    name: surface.Name
    said: tuple[surface.Node, ...]


class Failing(NamedTuple):
    """What makes a run fail where a condition is false, or true if it is ``negated``; what is done in the other case is
    ``others``."""

    condition: surface.Node
    negated: bool
    by: End
    others: tuple[surface.Node, ...] = ()


def failure(node: surface.Node, vocabulary: Vocabulary) -> Failing | None:
    """How a statement makes the run fail; None for one that does not, or that does it in every run."""
    match node:
        case surface.If(condition=condition, then=then, otherwise=otherwise):
            if (end := _only(then, vocabulary)) is not None:
                return Failing(condition, True, end, () if otherwise is None else otherwise.statements)
            if (end := _only(otherwise, vocabulary)) is not None:
                return Failing(condition, False, end, then.statements)
        case surface.Call(callee=surface.Name(name="&&" | "||" as sign), args=(condition, last)):
            if (end := _end(last, vocabulary)) is not None:
                return Failing(condition, sign == "&&", end)
    return None


def _only(block: surface.Block | None, vocabulary: Vocabulary) -> End | None:
    return _end(block.statements[0], vocabulary) if block is not None and len(block.statements) == 1 else None


def _end(node: surface.Node, vocabulary: Vocabulary) -> End | None:
    match node:
        case surface.Call(callee=surface.Name() as name, args=args, keywords=keywords):
            return End(name, (*args, *keywords)) if vocabulary.does(name.name, Familiar.FAILS) else None
    return None


_KIND_OF: dict[Provenance, type[Kind]] = {
    Provenance.PART: problems.PartChanged,
    Provenance.TAKEN_APART: problems.TakenApartChanged,
    Provenance.CALL: problems.PassedThrough,
    Provenance.CHOICE: problems.TwoMemories,
}


class Changing(NamedTuple):
    """A statement that changes arguments in place: their positions, and the row if it is a builtin."""

    positions: tuple[int, ...]
    row: builtins.Builtin | None


class Changes:
    """The in-place changes of one body. ``changed`` are the parameters that were changed so far; ``refused`` says that
    there was a change, or a ``return``, that must not be; ``rounds`` counts the loops around a place."""

    def __init__(self, unit: LoweringUnit, scope: BodyScope, sharing: Sharing, expressions: Expressions) -> None:
        self._unit = unit
        self._scope = scope
        self._sharing = sharing
        self._expressions = expressions
        self.changed: set[str] = set()
        self.refused = False
        self.rounds = 0

    def changed_by(self, node: surface.Call) -> Changing | None:
        """What a call changes in place, if it is one of a builtin or of a function that changes something."""
        if not isinstance(node.callee, surface.Name):
            return None
        row = self._scope.builtin_of(node.callee)
        effects = self._scope.effects_of(node.callee)
        if row is not None:
            positions = changed_positions(node, {}, self._unit.language.builtins)
        else:
            positions = None if effects is None else effects.changes(len(node.args))
        return Changing(positions, row) if positions else None

    def change(self, node: surface.Call, changing: Changing) -> Bind:
        """A statement that changes variables: each gets a new version."""
        assert isinstance(node.callee, surface.Name), "what changes something is called by its name"
        names = [node.args[position] for position in changing.positions if position < len(node.args)]
        variables = [name for name in names if isinstance(name, surface.Name) and self._is_variable(name)]
        if len(variables) < len(changing.positions):
            self._unit.report(problems.NotAVariable.at(node.span, name=node.callee.name))
            self.refused = True
            args = tuple(self._expressions.term(arg) for arg in node.args)
            return Bind(node.span, (), term.Hole(node.span, "a change of something that is not a variable", args))
        value: Term
        if changing.row is None and node.keywords:
            self._unit.refuse(node.span, "a keyword argument of a function that changes another one")
            self.refused = True
        if changing.row is not None:
            value = self._expressions.use(node, changing.row, mutates=True)
        else:
            value = self._expressions.apply(node, self._expressions.name(node.callee, called=True))
        problem = self._wrong(node, variables)
        if problem is not None:
            self._unit.report(problem)
            self.refused = True
            value = term.Hole(node.span, "a change that others would see")
        holdings = [self._scope.ownership.of(name.name) for name in variables]
        targets = tuple(
            self._scope.version(name.name, name.span, held) for name, held in zip(variables, holdings, strict=True)
        )
        return Bind(node.span, targets, value)

    def _is_variable(self, name: surface.Name) -> bool:
        """Whether a name is a variable, if not one that may be changed here."""
        return name.name in self._scope.now or (not self._scope.owns(name.name) and self._scope.has(name.name))

    def _wrong(self, node: surface.Call, variables: list[surface.Name]) -> Problem | None:
        """Whether somebody else would see the changes that a call makes."""
        for name in variables:
            memory = self._scope.memory(name.name)
            for arg in node.args:
                if arg is not name and self._sharing.of(arg) & memory:
                    fixes = self._unit.fixes(Through("give it a copy", arg.span, (COPY,)))
                    return problems.GivenTwice.at(arg.span, name=name.name, fixes=fixes, code=self._unit.code)
        problem = next(filter(None, (self._seen_by_others(name, node.end) for name in variables)), None)
        if problem is None or problem.code not in problems.OF_SHARING:
            return problem
        return problem._replace(
            fixes=self._unit.fixes(Before("change a copy: `{code}`", node.start, problem.span, COPY))
        )

    def _seen_by_others(self, name: surface.Name, end: int) -> Problem | None:
        """Whether somebody else would see a change of what a name stands for, which a statement makes that ends there;
        that of a parameter is the caller's. What is copied may be changed where the original is not read again."""
        ownership = self._scope.ownership
        ownership.change(name.name)
        if not self._scope.owns(name.name):
            return problems.CapturedChanged.at(name.span, name=name.name)
        other = next((each for each in ownership.sharing(name.name) if not self._is_done(each, name.name, end)), None)
        if other is not None or (ownership.is_foreign(name.name) and not ownership.is_parameter(name.name)):
            return self._shared(name, other)
        if ownership.is_parameter(name.name):
            self.changed.add(name.name)
        return None

    def update(self, name: surface.Name, end: int) -> Problem | None:
        """Why a name cannot be updated where that may change what it stands for: somebody else would see it."""
        ownership = self._scope.ownership
        ownership.change(name.name)
        other = next((each for each in ownership.sharing(name.name) if not self._is_done(each, name.name, end)), None)
        if other is None and not ownership.is_foreign(name.name):
            return None
        self.refused = True
        return self._shared(name, other)

    def _is_done(self, one: str, other: str, end: int) -> bool:
        """Whether a name that shares arrays with another is nowhere written behind a place of the text. In a loop the
        next round may come to it."""
        if self.rounds or not any(self._scope.ownership.of(name).origin is Provenance.COPY for name in (one, other)):
            return False
        return one not in self._unit.language.syntax.words(self._unit.text[end:])

    def _shared(self, name: surface.Name, other: str | None) -> Problem:
        """Why a change of a name would be seen by others: ``other``, or whoever made the value."""
        whose = f"`{other}`" if other is not None else "a value of the caller"
        held = self._scope.now.get(other or "")
        related = () if held is None else (Related(f"`{other}` is defined here", held.span),)
        kind = _KIND_OF.get(self._scope.ownership.of(name.name).origin, problems.SharedChange)
        return kind.at(name.span, name=name.name, other=whose, related=related, code=self._unit.code)

    def check_rounds(self, span: Span, after: Holdings, before: Holdings, changed: Memory) -> None:
        """What a round leaves behind must not make a change of the next round visible elsewhere."""
        found = self._scope.ownership.shuffled(after, before, changed)
        if found is not None:
            name, other = found
            whose = f"`{other}`" if other else "a value of the caller"
            self._unit.report(problems.LoopShuffle.at(span, name=name, other=whose, code=self._unit.code))


def versions(span: Span, locals_: Iterable[Local], alone: bool = False) -> Term:
    """The tuple of versions of names; with ``alone`` one of them stands for itself."""
    reads = tuple(term.Use(span, local) for local in locals_)
    return reads[0] if alone and len(reads) == 1 else term.MakeTuple(span, reads)


Finish = Callable[[surface.Node | None, list[Bind]], Term]


class Definitions(Protocol):
    """Who lowers the functions that a body defines."""

    def define_function(self, node: Methods) -> Bind:
        """A function defined inside the body."""
        ...

    def assign_function(self, node: surface.Assign, target: surface.Name, value: surface.Lambda) -> Bind:
        """A name for a function without one."""
        ...


class _BranchSide(NamedTuple):
    """One branch of an ``if`` statement: its bindings, and the scope and memory it ends with."""

    binds: list[Bind]
    scope: dict[str, Local]
    memory: dict[str, Holding]
    span: Span


class _Entry(NamedTuple):
    """A variable of a loop that stands for what stands in a vector, or for a row of a matrix, at the number of a
    round."""

    name: surface.Name
    vector: Term
    memory: Memory
    builtin: str = builtins.INDEX


class _LoopRange(NamedTuple):
    """What a loop goes over: the first number, the step and the last one. Its variables are the number of a round, and
    the ``entries`` that stand there in vectors. ``all_of`` is a vector whose positions are the numbers of its
    rounds."""

    over: tuple[Term, Term | None, Term]
    place: surface.Name | None
    entries: tuple[_Entry, ...] = ()
    all_of: surface.Name | None = None

    @property
    def targets(self) -> tuple[surface.Name, ...]:
        """The variables of the loop."""
        return (*(() if self.place is None else (self.place,)), *(entry.name for entry in self.entries))


class Statements:
    """The statements of one body. ``returned`` is all that may be reached from its value. Functions are made by who
    lowers them, which is ``functions``; ``guards`` counts the ``if`` around the body that end in what follows them."""

    def __init__(
        self,
        unit: LoweringUnit,
        scope: BodyScope,
        sharing: Sharing,
        expressions: Expressions,
        changes: Changes,
        functions: Definitions,
        guards: int,
    ) -> None:
        self._unit = unit
        self._scope = scope
        self._sharing = sharing
        self._expressions = expressions
        self._changes = changes
        self._functions = functions
        self._leaving = Leaving()
        self.returned: Memory = NOWHERE
        self.guards = guards
        self._why = NEVER_RUN
        """Why a ``return`` is refused at this place."""

    def body(self, statements: tuple[surface.Node, ...], finish: Finish, span: Span, may_return: bool = False) -> Body:
        """A block that ends as ``finish`` says; ``may_return`` says that its value is that of the function."""
        binds: list[Bind] = []
        pending = deque(statements)
        while pending:
            statement = pending.popleft()
            if self._opens_scope(statement) and isinstance(statement, surface.Assign):
                bind = self._draw(statement)
                if isinstance(bind.term, term.Hole):
                    binds.append(bind)
                    continue
                rest = self.body(tuple(pending), finish, span, may_return)
                return Body(tuple(binds), term.Scope(statement.span, bind, rest))
            if isinstance(statement, surface.If) and (failing := self._failure(statement)):
                self._hide(statement, binds)
                binds.append(self._fail(failing, statement.span))
                pending.extendleft(reversed(grouped(failing.others)))
            elif not pending:
                result = finish(statement, binds)
                return Body(tuple(binds), result)
            elif may_return and isinstance(statement, surface.If) and self._leaving.of(statement).leaves:
                guard = self._guard(statement, tuple(pending), finish, binds)
                if guard is not None:
                    return Body(tuple(binds), guard)
            else:
                self._statement(statement, binds)
        result = finish(None, binds)
        return Body(tuple(binds), result)

    def tail(self, node: surface.Node | None, binds: list[Bind]) -> Term:
        """The value of the last statement of a function or of a branch that is a value, if it has no branches."""
        if node is None:
            return term.MakeTuple(Span(0, 0), ())
        if isinstance(node, surface.Return) and node.value is not None:
            return self._returned_value(node.value)
        if isinstance(node, surface.If):
            return self._unit.refused(node, described(node))
        if isinstance(node, surface.Assign) and isinstance(node.target, surface.Index):
            self._statement(node, binds)
            return self._unit.refused(node, "an assignment to an entry as a value")
        if self._is_expression(node):
            return self._returned_value(node)
        self._statement(node, binds)
        if isinstance(node, surface.Assign | surface.Call | Methods) and binds:
            return self._read_back(binds[-1], node.span)
        return term.MakeTuple(node.span, ())

    def _returned_value(self, node: surface.Node) -> Term:
        """An expression that is the value of the function, or of a branch."""
        value = self._expressions.term(node)
        self.returned |= self._sharing.of(node)
        return value

    def _read_back(self, bind: Bind, span: Span) -> Term:
        """What a statement has just given a value, as the value of the block."""
        for target in bind.targets:
            self.returned |= self._scope.memory(target.name)
            effects = self._scope.effects.get(target)
            if effects is not None and effects.change_something:
                self._unit.report(problems.ChangingFunctionAsValue.at(target.span, name=target.name))
        return versions(span, bind.targets, alone=True)

    def _is_expression(self, node: surface.Node) -> bool:
        if isinstance(node, surface.Call):
            return self._changes.changed_by(node) is None
        return not isinstance(node, surface.Assign | surface.For | surface.If | Methods | surface.Assert)

    def _statement(self, node: surface.Node, binds: list[Bind]) -> None:
        """A statement; of what its expressions may assign to nothing is known from there on."""
        has_head = isinstance(node, surface.If | surface.For)
        if has_head:
            self._hide(node, binds)
        self._understood(node, binds)
        if not has_head:
            self._hide(node, binds)

    def _understood(self, node: surface.Node, binds: list[Bind]) -> None:
        match node:
            case surface.Assign() | surface.Call() if (name := changed(node, self._scope.builtin_of)) is not None:
                binds.append(self._filled(node, name))
            case surface.Assign():
                binds.append(self._assign(node))
            case surface.If() | surface.Call() if failing := self._failure(node):
                binds.append(self._fail(failing, node.span))
                binds += self._side(failing.others)
            case surface.If():
                self._if(node, binds)
            case surface.For():
                binds.append(self._for(node, binds))
            case surface.Assert(condition=condition, said=said):
                shown = () if said is None else self._shown((said,))
                binds.append(Bind(node.span, (), term.Check(node.span, self._expressions.term(condition), shown=shown)))
            case surface.Shown(names=names):
                binds.append(
                    Bind(node.span, (), term.MakeTuple(node.span, tuple(map(self._expressions.value_of_name, names))))
                )
            case surface.Return():
                binds.append(Bind(node.span, (), self.refused_return(node, self._why)))
            case surface.Call() if (changing := self._changes.changed_by(node)) is not None:
                binds.append(self._changes.change(node, changing))
            case Methods():
                binds.append(self._functions.define_function(node))
            case _:
                binds.append(Bind(node.span, (), self._expressions.term(node)))

    def _failure(self, node: surface.Node) -> Failing | None:
        """How a statement makes the run fail, if it does so by what the language has for that, as far as it is known
        here."""
        found = failure(node, self._unit.language.vocabulary)
        return None if found is None or self._scope.has(found.by.name.name) else found

    def _fail(self, failing: Failing, span: Span) -> Bind:
        """A condition that makes the run fail. Whoever sees that sees also what it says."""
        name, said = failing.by
        shown = self._shown(said)
        self._unit.uses.add(name.name)
        function = term.Global(name.span, name.name, called=True)
        return Bind(
            span, (), term.Check(span, self._expressions.term(failing.condition), failing.negated, function, shown)
        )

    def _shown(self, said: tuple[surface.Node, ...]) -> tuple[Term, ...]:
        """What is shown where a run fails."""
        shown: list[Term] = []
        pending = list(reversed(said))
        while pending:
            node = pending.pop()
            match node:
                case surface.Text():
                    pass
                case surface.Shown(names=names):
                    shown += map(self._expressions.value_of_name, names)
                case surface.Call(callee=surface.Name(name=name), args=args, keywords=()) if self._is_exception(name):
                    pending += reversed(args)
                case surface.Number() | surface.Boolean() | surface.Name():
                    shown.append(self._expressions.term(node))
                case _ if self._unit.language.semantics.failures_compute:
                    shown.append(self._expressions.term(node))
                case _:
                    self._unit.refuse(node.span, "a failure that shows values")
        return tuple(shown)

    def _is_exception(self, name: str) -> bool:
        """Whether a name is that of a type of exceptions, which keep what they are given."""
        by_name = name.endswith(("Error", "Exception")) or self._unit.language.vocabulary.does(name, Familiar.EXCEPTION)
        return by_name and not self._scope.has(name)

    def _draw(self, node: surface.Assign) -> Bind:
        """An assignment from a builtin that has the rest of the block as its subject."""
        call = node.value
        assert isinstance(call, surface.Call) and isinstance(call.callee, surface.Name)
        row = self._scope.builtin_of(call.callee)
        assert row is not None, "only a builtin has a scope"
        value = self._expressions.use(call, row)
        names = node.target.items if isinstance(node.target, surface.Tuple) else (node.target,)
        drawn = tuple(
            self.define(name, Holding(self._sharing.new())) for name in names if isinstance(name, surface.Name)
        )
        return Bind(node.span, drawn, value)

    def _opens_scope(self, node: surface.Node) -> bool:
        if (
            not isinstance(node, surface.Assign)
            or node.operator is not None
            or not isinstance(node.value, surface.Call)
        ):
            return False
        row = self._scope.builtin_of(node.value.callee)
        return row is not None and row.has(SampledRows)

    # Assignments

    def _assign(self, node: surface.Assign) -> Bind:
        target = node.target
        if isinstance(target, surface.Name) and isinstance(node.value, surface.Lambda) and node.operator is None:
            return self._functions.assign_function(node, target, node.value)
        value = self._assigned(node)
        names = assigned_names(target)
        if names is None:
            return self._refused_assignment(node, value)
        before = self._scope.now.get(names[0].name) if names else None
        locals_ = tuple(map(self.define, names, self._held(node, len(names))))
        if isinstance(target, surface.Name) and node.operator is None:
            self._expressions.masks.note(locals_[0], node.value, before)
        if isinstance(target, surface.Tuple) and len(locals_) == 1:
            value = term.Hole(node.span, "an assignment to a tuple of one name", (value,))
        return Bind(node.span, locals_, value)

    def _filled(self, node: surface.Assign | surface.Call, name: surface.Name) -> Bind:
        """A change of a vector in place: the variable has another one from there on."""
        held = self._scope.ownership.of(name.name)
        target = node.target if isinstance(node, surface.Assign) else None
        if name.name not in self._scope.fillable or name.name not in self._scope.now:
            place = node.span if target is None else target.span
            self._unit.report(problems.FilledElsewhere.at(place, name=name.name, code=self._unit.code))
            written = _given_to(node)
            value: Term = term.Hole(
                node.span, "a change that others may see", tuple(map(self._expressions.term, written))
            )
        elif isinstance(node, surface.Call):
            row = self._scope.builtin_of(node.callee)
            assert row is not None, "what is changed is known by the row"
            value = self._expressions.use(node, row, mutates=True)
        else:
            assert isinstance(target, surface.Index), "a call changes a vector, or an entry does"
            if target.unchecked and not self._scope.is_there(target):
                self._unit.refuse(target.span, MAY_BE_MISSING)
            entry, of = self._assigned(node), self._expressions.name(name)
            (at,) = target.indices
            if isinstance(at, surface.AllEntries):
                value = term.Call(node.span, builtins.STORE_ALL, (of, entry), target.span, mutates=True)
            else:
                args = of, self._expressions.term(at), entry
                value = term.Call(node.span, builtins.STORE, args, target.span, mutates=True)
        before = self._scope.now.get(name.name)
        after = self._scope.version(name.name, name.span, held)
        if before is not None and target is not None:
            self._scope.kept_places(before, after)
        return Bind(node.span, (after,), value)

    def _refused_assignment(self, node: surface.Assign, value: Term) -> Bind:
        """An assignment to something other than names. Those in it have a value after it, of which nothing is known."""
        what = refused_target(node.target)
        self._unit.refuse(node.target.span, what)
        names = sorted(names_below(node.target))
        locals_ = tuple(self._scope.version(name, node.target.span, Holding(self._sharing.new())) for name in names)
        return Bind(node.span, locals_, term.Hole(node.span, what, (value,)))

    def _assigned(self, node: surface.Assign) -> Term:
        value = self._expressions.term(node.value)
        if node.operator is None:
            return value
        found = builtin(node.operator, self._unit.language.builtins)
        if found is None:
            return self._unit.refused(node, f"the operator `{node.operator}=`")
        before = self._expressions.term(node.target)
        if self._unit.language.semantics.updates_in_place and isinstance(node.target, surface.Name):
            seen = self._changes.update(node.target, node.end)
            if seen is not None:
                self._unit.report(seen)
                return term.Hole(node.span, "a change that others would see", (before, value))
        operator = surface.Call(
            node.start, node.end, surface.Name(node.start, node.end, node.operator), (node.target, node.value)
        )
        return self._expressions.builtin(operator, found.row, (before, value))

    def _held(self, node: surface.Assign, count: int) -> list[Holding]:
        """What each name on the left of an assignment stands for."""
        if node.operator is not None and isinstance(node.target, surface.Name):
            kept = self._unit.language.semantics.updates_in_place
            return [Holding(self._sharing.new(self._scope.memory(node.target.name) if kept else NOWHERE))]
        value = node.value
        if not isinstance(node.target, surface.Tuple):
            return [Holding(self._sharing.of(value), self._sharing.origin(value))]
        if isinstance(value, surface.Tuple) and len(value.items) == count:
            return [Holding(self._sharing.of(item), self._sharing.origin(item)) for item in value.items]
        return [Holding(self._sharing.of(value), Provenance.TAKEN_APART)] * count

    def define(self, name: surface.Name, held: Holding) -> Local:
        """An assignment to a name."""
        self._unit.check_meaning(name.name, name.span)
        return self._scope.version(name.name, name.span, held)

    def _hide(self, node: surface.Node, binds: list[Bind]) -> None:
        """Names to which something may be assigned that is not understood; reading one is no second problem."""
        defined = node.summary.binds if isinstance(node, surface.Opaque) else ()
        for name in sorted(self._scope.survey.hidden.get(node, ())):
            if name in self._scope.now or name in defined:
                binds.append(self.hidden(name, node.span, f"a value that `{name}` may have got here"))

    def hidden(self, name: str, span: Span, reason: str) -> Bind:
        """A name whose value is not understood."""
        return Bind(span, (self._scope.version(name, span, Holding(self._sharing.new())),), term.Hole(span, reason))

    # Branches

    def choice_of_values(self, node: surface.If) -> Term:
        """An ``if`` inside an expression. What its branches assign would be seen after it, so they assign nothing."""
        sides = surface.Block(node.start, node.end, (node,))
        changed = Survey(sides, self._scope.survey.known, self._unit.language).writes
        if changed:
            return self._unit.refused(node, f"an assignment to `{min(changed)}` inside an `if` whose value is used")
        return self.value(node, [])

    def value(self, node: surface.Node | None, binds: list[Bind]) -> Term:
        """The value of a branch inside an expression, where ``return`` would leave the function."""
        if isinstance(node, surface.Return):
            return self.refused_return(node, IN_VALUE)
        if isinstance(node, surface.If) and node.otherwise is not None:
            around, self._why = self._why, IN_VALUE
            value = self.choice(node, self.value)
            self._why = around
            return value
        return self.tail(node, binds)

    def refused_return(self, node: surface.Return, why: str) -> Term:
        """The term of a ``return`` that is not understood where it stands, which is reported."""
        self._unit.report(problems.ReturnInside.at(node.span, why=why))
        self._changes.refused = True
        return term.Hole(node.span, "a `return` inside the function")

    def choice(
        self, node: surface.If, finish: Finish, may_return: bool = False, rest: tuple[surface.Node, ...] = ()
    ) -> Term:
        """An ``if`` whose value is used; each branch ends as ``finish`` says. A branch that goes on does so with the
        ``rest`` of the body."""
        condition = self._expressions.term(node.condition)
        scope, memory = dict(self._scope.now), self._scope.ownership.snapshot()
        sides = []
        for block in (node.then, node.otherwise):
            statements = () if block is None else grouped(block.statements)
            if rest and self._leaving.through(block).on:
                statements += rest
            sides.append(self.body(statements, finish, (block or node).span, may_return))
            self._scope.now = dict(scope)
            self._scope.ownership.restore(memory)
        return term.Branch(node.span, condition, sides[0], sides[1])

    def _guard(
        self, node: surface.If, rest: tuple[surface.Node, ...], finish: Finish, binds: list[Bind]
    ) -> Term | None:
        """An ``if`` that returns in a branch: what follows it belongs to the one branch that goes on. None if there
        are several of them, or none; then nothing is known of what it returns."""
        ways = self._leaving.of(node)
        if ways.on != 1:
            around, self._why = self._why, SEVERAL_WAYS if ways.on else NEVER_RUN
            self._statement(node, binds)
            self._why = around
            return None
        if self.guards == GUARDS:
            return self.refused_return(next(returns(node)), TOO_MANY)
        self._hide(node, binds)
        self.guards += 1
        value = self.choice(node, finish, may_return=True, rest=rest)
        self.guards -= 1
        return value

    def _if(self, node: surface.If, binds: list[Bind]) -> None:
        """An ``if`` statement: a choice between tuples of everything either branch changes."""
        condition = self._expressions.term(node.condition)
        before, memory = dict(self._scope.now), self._scope.ownership.snapshot()
        sides: list[_BranchSide] = []
        for block in (node.then, node.otherwise):
            self._scope.now = dict(before)
            self._scope.ownership.restore(memory)
            binds_of = self._side(() if block is None else block.statements)
            ended = self._scope.ownership.snapshot()
            sides.append(_BranchSide(binds_of, self._scope.now, ended, (block or node).span))
        self._scope.now = before
        changed = _changed(before, sides)
        bodies = [
            Body(tuple(side.binds), versions(side.span, (side.scope[name] for name in changed), alone=True))
            for side in sides
        ]
        self._scope.ownership.restore(sides[0].memory)
        self._scope.ownership.join([sides[1].memory])
        joined = self._scope.ownership.snapshot()
        outs = tuple(self._scope.version(name, node.span, joined[name]) for name in changed)
        for side in sides:
            for name in side.scope.keys() ^ self._scope.now.keys():
                self._scope.lose(name, "one branch of the `if`")
        binds.append(Bind(node.span, outs, term.Branch(node.span, condition, bodies[0], bodies[1])))

    def _side(self, statements: tuple[surface.Node, ...]) -> list[Bind]:
        binds: list[Bind] = []
        for statement in grouped(statements):
            if self._opens_scope(statement):
                self._unit.refuse(statement.span, "sampling inside a branch")
                binds.append(Bind(statement.span, (), term.Hole(statement.span, "sampling inside a branch")))
            else:
                self._statement(statement, binds)
        return binds

    # Loops

    def _gone_over(self, node: surface.For, binds: list[Bind]) -> _LoopRange:
        """What a loop goes over, which is evaluated once, before the first round: what has no name is given one, which
        nothing else can read."""
        over, given = node.iterable, list[surface.Name]()
        match over:
            case surface.Call(callee=surface.Name(name=way) as callee, args=args, keywords=()) if (
                way in builtins.WAYS and not self._scope.has(way)
            ):
                args = tuple(self._with_name(arg, binds, given) for arg in args)
                over = surface.Call(over.start, over.end, callee, args)
            case surface.Call() | surface.Index() | surface.Comprehension() | surface.Broadcast():
                over = self._with_name(over, binds, given)
        walk = self._walk(node.target, over)
        for name in given:
            self._scope.now.pop(name.name, None)
        return walk

    def _with_name(self, node: surface.Node, binds: list[Bind], given: list[surface.Name]) -> surface.Node:
        """A value by its text, where that is no name yet."""
        lazy = isinstance(node, surface.Comprehension) and node.lazy  # it is evaluated round by round
        if isinstance(node, surface.Name | surface.Range) or is_written_out(node) or lazy:
            return node
        value, held = self._expressions.term(node), Holding(self._sharing.of(node), self._sharing.origin(node))
        name = surface.Name(node.start, node.end, self._unit.text[node.start : node.end])
        binds.append(Bind(node.span, (self._scope.version(name.name, node.span, held),), value))
        given.append(name)
        return name

    def _for(self, node: surface.For, binds: list[Bind]) -> Bind:
        walk = self._gone_over(node, binds)
        first, step, last = walk.over
        scope, ownership = self._scope, self._scope.ownership
        survey = Survey(node.body, scope.survey.known, self._unit.language)
        for name in survey.looped.intersection(scope.now):
            scope.lose(name, "the loop")
        before, fixed = dict(scope.now), set(scope.fixed)
        targets = {each.name for each in walk.targets}
        carried = [name for name in before if name in survey.writes.keys() - targets]
        memory = ownership.before_rounds(carried)
        starts = [(self._scope.version(name, before[name].span, memory[name]), before[name]) for name in carried]
        index, entries = self._walked(node.target, walk)
        counting, scope.counting = scope.counting, scope.counting | (targets if node.counts else set())
        changed, ownership.changed = ownership.changed, NOWHERE
        around, self._why = self._why, IN_LOOP
        self._changes.rounds += 1
        body = self.body(grouped(node.body.statements), self._round(carried, node), node.body.span)
        self._changes.rounds -= 1
        self._why = around
        body = Body((*entries, *body.binds), body.result)
        after = ownership.after_rounds(carried, memory)
        if not self._changes.refused:
            self._changes.check_rounds(node.span, after, memory, ownership.changed)
        ownership.changed |= changed
        inside, scope.now, scope.fixed, scope.counting = scope.now, before, fixed, counting
        ownership.restore(memory)
        for name in inside.keys() - before.keys():
            scope.lost[name] = "the loop"
        for name in targets if not self._unit.language.semantics.loops_bind else ():
            scope.lose(name, "the loop")
        outs = tuple(self._scope.version(name, before[name].span, after[name]) for name in carried)
        inner = tuple((start, term.Use(node.span, known)) for start, known in starts)
        going = carried.index(node.going) if node.going in carried else None
        return Bind(node.span, outs, term.Loop(node.span, index, first, step, last, inner, body, going))

    def _round(self, carried: list[str], node: surface.For) -> Finish:
        def finish(last: surface.Node | None, binds: list[Bind]) -> Term:
            if last is not None:
                self._statement(last, binds)
            return versions(node.body.span, (self._scope.now[name] for name in carried))

        return finish

    def made_in_rounds(self, node: surface.Comprehension) -> Term | None:
        """What a comprehension makes in rounds; None where none of them releases anything, or where it takes statements
        to make an entry."""
        if node.kept is not None or len(node.each.body.statements) != 1 or not self._may_release(node):
            return None
        (param,), (value,) = node.each.params, node.each.body.statements
        walk = self._walk(surface.Name(param.start, param.end, param.name), node.over)
        scope, ownership = self._scope, self._scope.ownership
        before, fixed, memory, each = dict(scope.now), set(scope.fixed), ownership.snapshot(), scope.each
        scope.each |= {param.name}
        index, entries = self._walked(param, walk)
        self._changes.rounds += 1
        made = Body(entries, self._expressions.term(value))
        self._changes.rounds -= 1
        scope.now, scope.fixed, scope.each = before, fixed, each
        ownership.restore(memory)
        first, step, last = walk.over
        return term.Comprehension(node.span, index, first, step, last, made)

    def _may_release(self, node: surface.Comprehension) -> bool:
        """Whether what makes an entry may run a mechanism: by a builtin, by a function that is declared to, or, over a
        range, by one of which nothing is known."""
        for each in below(node.each.body):
            if isinstance(each, surface.Call):
                row, effects = self._scope.builtin_of(each.callee), self._scope.effects_of(each.callee)
                if row.name in builtins.RANDOM if row is not None else effects is not None and effects.releases:
                    return True
                if row is None and effects is None and isinstance(node.over, surface.Range):
                    return True
        return False

    def _walk(self, target: surface.Node, over: surface.Node) -> _LoopRange:
        """What a loop goes over, as a range of numbers: one that is written, or the positions of a vector."""
        if isinstance(over, surface.Range):
            step = None if over.step is None else self._expressions.term(over.step)
            ends = self._expressions.term(over.first), step, self._expressions.term(over.last)
            return _LoopRange(ends, target if isinstance(target, surface.Name) else None, all_of=self._counted(over))
        if isinstance(over, surface.Unending):
            return _LoopRange((term.Literal(over.span, Fraction(1), True), None, term.Unending(over.span)), None)
        if (beside := self._beside(target, over)) is not None:
            return beside
        if (rows := self._rows(target, over)) is not None:
            return rows
        name, way = (over, "") if is_written_out(over) else walked(over)
        if name is None or (way and self._scope.has(way)):
            self._unit.refuse(over.span, "a loop over something other than a range such as `1:n`")
            hole = term.Hole(over.span, "a loop over something that is not a range")
            return _LoopRange((hole, None, replace(hole)), target if isinstance(target, surface.Name) else None)
        ends = self._positions(name, over, way)
        match way, target:
            case builtins.PLACES, surface.Name():
                return _LoopRange(ends, target, all_of=name if isinstance(name, surface.Name) else None)
            case "", surface.Name():
                return _LoopRange(ends, None, (self._entry(target, name),))
            case (
                builtins.PLACES_AND_ENTRIES | builtins.ENTRIES_BY_PLACE,
                surface.Tuple(items=(surface.Name() as place, surface.Name() as entry)),
            ):
                all_of = name if isinstance(name, surface.Name) else None
                return _LoopRange(ends, place, (self._entry(entry, name),), all_of)
        return _LoopRange(ends, None)

    def _beside(self, target: surface.Node, over: surface.Node) -> _LoopRange | None:
        """A loop over several vectors beside each other, as long as the shortest of them; None for any other."""
        match target, over:
            case (
                surface.Tuple(items=names, names=()),
                surface.Call(callee=surface.Name(name=builtins.BESIDE), args=vectors, keywords=()),
            ) if len(names) == len(vectors) > 0 and not self._scope.has(builtins.BESIDE):
                pairs = [
                    (name, vector)
                    for name, vector in zip(names, vectors, strict=True)
                    if isinstance(name, surface.Name) and (isinstance(vector, surface.Name) or is_written_out(vector))
                ]
                if len(pairs) == len(names):
                    ends = [self._positions(vector, over, builtins.BESIDE) for _, vector in pairs]
                    first, step, last = ends[0]
                    if len(ends) > 1:
                        last = term.Call(over.span, builtins.SMALLEST, tuple(end[2] for end in ends), over.span)
                    return _LoopRange((first, step, last), None, tuple(self._entry(*pair) for pair in pairs))
        return None

    def _rows(self, target: surface.Node, over: surface.Node) -> _LoopRange | None:
        """A loop over the rows of a matrix that has a name, each of which is a view; None for any other."""
        match target, over:
            case (
                surface.Name(),
                surface.Call(
                    callee=surface.Name(name=builtins.EACH_ROW), args=(surface.Name() as matrix,), keywords=()
                ),
            ) if not self._scope.has(builtins.EACH_ROW):
                row, dimension = builtins.extent(2, 0)
                first = term.Literal(over.span, Fraction(1), True)
                counted = (self._expressions.term(matrix), term.Literal(over.span, Fraction(dimension or 1), True))
                seen = term.Call(over.span, builtins.AS_VIEWS, (self._expressions.term(matrix),), over.span)
                entry = _Entry(target, seen, self._sharing.of(matrix), builtins.ROW)
                return _LoopRange((first, None, term.Call(over.span, row, counted, over.span)), None, (entry,))
        return None

    def _entry(self, name: surface.Name, vector: surface.Node) -> _Entry:
        return _Entry(name, self._expressions.term(vector), self._sharing.of(vector))

    def _positions(self, vector: surface.Node, over: surface.Node, way: str) -> tuple[Term, None, Term]:
        """The positions of a vector, as the numbers of a loop that goes over it in a way."""
        by = None
        if way in builtins.REPLACEABLE_WAYS and isinstance(over, surface.Call):
            self._unit.uses.add(way)
            by = term.Global(over.callee.span, way, called=True)
        counted = self._expressions.term(vector)
        count = term.Call(over.span, builtins.extent(1, 0)[0], (counted,), over.span, by=by)
        return term.Literal(over.span, Fraction(1), True), None, count

    def _counted(self, over: surface.Range) -> surface.Name | None:
        """The vector whose positions a range has, written as ``1:length(v)``."""
        match over:
            case surface.Range(
                first=surface.Number(value=1, integer=True),
                step=None,
                last=surface.Call(callee=surface.Name() as callee, args=(surface.Name() as vector,), keywords=()),
            ):
                row = self._scope.builtin_of(callee)
                return vector if row is not None and row.name == builtins.extent(1, 0)[0] else None
        return None

    def _walked(self, target: surface.Node, walk: _LoopRange) -> tuple[Local, tuple[Bind, ...]]:
        """The number of a round, and what stands at it, where that has a name."""
        if not walk.targets and not isinstance(walk.over[2], term.Unending):
            self._unit.refuse(target.span, "a loop over several variables")
        for name in walk.targets:
            self._unit.check_meaning(name.name, name.span)
            self._scope.fixed.add(name.name)
        place = walk.place
        index = Local(UNUSED, target.span)
        if place is not None:
            index = self._scope.version(place.name, place.span, Holding(NOWHERE))
            self._scope.numbers.add(index)
            vector = None if walk.all_of is None else self._scope.read(walk.all_of)
            if isinstance(vector, Local):
                self._scope.places[index] = {vector}
        entries = []
        for entry in walk.entries:
            span, held = entry.name.span, Holding(entry.memory, Provenance.PART)
            value = term.Call(span, entry.builtin, (entry.vector, term.Use(span, index)), span)
            entries.append(Bind(span, (self._scope.version(entry.name.name, span, held),), value))
        return index, tuple(entries)


def _given_to(node: surface.Assign | surface.Call) -> tuple[surface.Node, ...]:
    """What a change in place is given. A broadcast goes over what is changed first, whether that is written or not."""
    match node:
        case surface.Call(args=args):
            return args[1:]
        case surface.Assign(target=surface.Index(indices=(surface.AllEntries(),)), value=surface.Broadcast(over=over)):
            return over[1:]
    return (node.value,)


def _changed(before: dict[str, Local], sides: list[_BranchSide]) -> list[str]:
    everywhere = [name for name in sides[0].scope if all(name in side.scope for side in sides)]
    return [name for name in everywhere if any(side.scope[name] is not before.get(name) for side in sides)]
