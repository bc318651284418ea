"""Which variables hold a vector that may be changed in place, as `push!(v, x)` and `v[i] = x` do: one that is made in
the function, and that nothing else can reach as long as it is changed.

A change of an array is seen by whoever holds it, and an array of numbers is held by what it is assigned to, put into or
given to. So until the last change of a variable, wherever a loop may come to one again, nothing may be done with it but
to change it, and to read numbers of it. What is done behind that sees a vector that changes no more.

This is decided on the text: each place where the variable is written counts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import cache

from dp_lsp import surface
from dp_lsp.builtins.define import Builtin
from dp_lsp.builtins.traits import ByRecord, FreshVector, InPlace
from dp_lsp.language import Builtins, Language
from dp_lsp.lower.facts import below, builtin, names_below
from dp_lsp.named import NamedTuple

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
