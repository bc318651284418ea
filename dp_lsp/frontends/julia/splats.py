"""``f(t...)`` of a tuple whose items are written out, which is ``f(t[1], …, t[n])``.

How many arguments a call has must be known to tell which function it is, and which of them that changes. So a splat is
followed where all that gives its name a value in a function are tuples of one number of items, or where it is a
parameter that is annotated as one; whatever else may give it a value leaves it what it is. A tuple cannot change.

Source: the Julia manual, "Functions", "Varargs Functions": what stands before ``...`` is "spliced" into the call.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction

from dp_lsp.surface import (
    Assign,
    Block,
    Call,
    For,
    Function,
    Index,
    Lambda,
    Name,
    Node,
    Number,
    Opaque,
    Parameter,
    Splat,
    Tuple,
    TypeExpr,
    Vector,
)

_REST = "Vararg"


def spread(definition: Node) -> None:
    """Put the items of tuples in the place of splats of them, anywhere in the body of a function that is defined."""
    function = definition.value if isinstance(definition, Assign) else definition
    if not isinstance(function, Function | Lambda) or not isinstance(function.body, Block):
        return
    params, body = function.params, function.body
    spreading = (node for node in _below(body) if isinstance(node, Call | Tuple | Vector))
    found = [node for node in spreading if any(map(_is_splat, node.children))]
    counts = _counts(params, body) if found else {}
    for node in found:
        if isinstance(node, Call):
            node.args = tuple(_spread(node.args, counts))
            node.children = (node.callee, *node.args, *node.keywords)
        elif not (isinstance(node, Tuple) and node.names):
            node.items = node.children = tuple(_spread(node.items, counts))


def _is_splat(node: Node) -> bool:
    return isinstance(node, Splat)


def _below(body: Node) -> Iterator[Node]:
    pending = [body]
    while pending:
        yield (node := pending.pop())
        pending += node.children


def _spread(items: Iterable[Node], counts: dict[str, int | None]) -> Iterator[Node]:
    """Items, and those of the tuples among them that are spread, each at the place of the splat."""
    for item in items:
        count = counts.get(item.value.name) if isinstance(item, Splat) else None
        if not isinstance(item, Splat) or count is None:
            yield item
            continue
        for place in range(1, count + 1):
            at = Number(item.end, item.end, Fraction(place), True)
            value = Name(item.value.start, item.value.end, item.value.name)
            yield Index(item.start, item.end, value, (at,))


def _counts(params: tuple[Parameter, ...], body: Block) -> dict[str, int | None]:
    """How many items the tuples have that the variables of a function stand for; None for one of which that is not
    known. What is only given a value in a loop, or in a function inside, is another variable there (Julia manual,
    "Scope of Variables")."""
    found = dict[str, int | None]()

    def give(name: str, count: int | None) -> None:
        found[name] = count if found.get(name, count) == count else None

    for param in params:
        give(param.name, _annotated(param.annotation) if param.kind == "plain" and param.default is None else None)
    own = set(found)
    pending: list[tuple[Node, bool]] = [(body, True)]
    while pending:
        node, here = pending.pop()
        match node:
            case Assign(target=Name(name=name), value=Tuple(items=items, by=None), operator=None):
                give(name, None if any(map(_is_splat, items)) else len(items))
                own |= {name} if here else set()
            case Assign(target=target) | For(target=target):
                for name in _names(target):
                    give(name, None)
            case Function(name=Name(name=name)) | Parameter(name=name):
                give(name, None)
            case Opaque(summary=does):
                for name in does.binds | does.outside | (does.mentions if does.anything else frozenset()):
                    give(name, None)
        here = here and not isinstance(node, For | Function | Lambda)
        pending += ((child, here) for child in node.children)
    return {name: count for name, count in found.items() if name in own}


def _names(target: Node) -> Iterator[str]:
    for node in _below(target):
        if isinstance(node, Name):
            yield node.name
        elif isinstance(node, Opaque):
            yield from node.summary.mentions | node.summary.binds


def _annotated(annotation: TypeExpr | None) -> int | None:
    """The number of items of ``Tuple{A, B}``."""
    if annotation is None or (annotation.name, annotation.form) != ("Tuple", "braces"):
        return None
    names = {each.name for each in annotation.args if isinstance(each, TypeExpr)}
    return None if _REST in names or not annotation.args else len(annotation.args)
