"""Loops that go on as long as a condition holds, and that are left early, as the loops and branches that do the same.

A loop with ``break`` carries whether it goes on: a round that comes after that does nothing. What follows an ``if``
with a ``continue`` belongs to the branch that goes on. A ``while`` loop is one over as many rounds as it takes: where
it counts up or down to what does not change in it, there are at most so many; else nothing is known of how many.
Sources: the Julia manual, "Repeated Evaluation: Loops"; the Python reference, "Compound statements".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import count

from dp_lsp.named import NamedTuple
from dp_lsp.surface import (
    Assign,
    Block,
    Boolean,
    Call,
    For,
    Function,
    If,
    Index,
    Lambda,
    Leave,
    Name,
    Node,
    Number,
    Opaque,
    Range,
    Return,
    Unending,
)

GOING = "break"
"""What a loop goes on by: no program can have a variable of this name."""
RESULT = "return"
"""What a function returns that a round of a loop may return from."""
FROM = "while"
"""Where a loop that counts begins."""
_LEAVING = 60
"""How many statements may leave one round; each nests all that comes after it."""


class Rounds(NamedTuple):
    """A loop as the statements that do the same."""

    statements: tuple[Node, ...]


class WhileLoop(NamedTuple):
    """``while condition … end``."""

    start: int
    end: int
    condition: Node
    body: Block


class _Counting(NamedTuple):
    """What a condition and an update of a loop say together: ``name`` goes by ``step`` to ``limit``, and includes it if
    it ``reaches`` that. The update stands at a ``place`` in the body."""

    name: Name
    limit: Node
    step: int
    reaches: bool
    update: Assign
    place: int


def may_leave(block: Block) -> bool:
    """Whether a statement of a round leaves it."""
    return next(_leaving(block), None) is not None


def left_early(loop: For) -> Rounds | None:
    """A loop that some rounds leave early; None where that cannot be followed."""
    going = _hidden(GOING, loop.body)
    steps = _steps(loop.body.statements, going)
    if steps is None:
        return None
    if all(each.goes_on for each in _leaving(loop.body)):
        return Rounds((_with_body(loop, steps, ""),))
    around = If(loop.body.start, loop.body.end, _name(loop.start, going), _block(loop.body, steps), None)
    return Rounds((_assigned(loop.start, going, True), _with_body(loop, (around,), going)))


def as_rounds(
    loop: WhileLoop, before: Sequence[Node], is_last: bool, ends: tuple[str, str] = ("max", "min")
) -> Rounds | None:
    """A ``while`` loop behind these statements; None where it cannot be followed. Where it ``is_last`` its value is
    nothing. ``ends`` are the functions that give the larger and the smaller of two numbers."""
    counting = _counting(loop, before)
    at_an_end = counting is not None and counting.place in (0, len(loop.body.statements) - 1)
    if counting is not None and at_an_end and abs(counting.step) == 1 and not may_leave(loop.body):
        return _counted(loop, counting, is_last, ends)
    going = _hidden(GOING, loop.body)
    steps = _steps(loop.body.statements, going)
    if steps is None:
        return None
    start, end = loop.start, loop.end
    at = loop.condition.start, loop.condition.end
    inner = If(*at, _name(start, going), _block(loop.body, steps), None)
    again = Assign(*at, _name(start, going), loop.condition)
    body = If(*at, _name(start, going), Block(start, end, (again, inner)), None)
    over: Node = Unending(loop.condition.start, loop.condition.end)
    if counting is not None and _counts_each_round(loop.body, counting):
        over = _range(_name(start, counting.name.name), counting, _copied(counting.limit, start))
    rounds = For(start, end, _name(start, "_"), over, Block(start, end, (body,)), going)
    return Rounds((_assigned(start, going, True), rounds))


# Leaving the function


def with_returns(statements: Sequence[Node]) -> tuple[For, Rounds, Node] | None:
    """The loop that the body of a function ends with, but for a number or a name that it returns if no round does; the
    loop with the rounds of one that is left by ``break``, which keeps what a round returns; and what is returned then.
    None where no round returns, or where that cannot be followed."""
    if len(statements) < 2 or not isinstance(loop := statements[-2], For) or not leaves(loop.body):
        return None
    behind = statements[-1]
    ended = behind.value if isinstance(behind, Return) else behind
    if ended is None or not _is_settled(ended):
        return None
    result = _hidden(RESULT, loop.body)
    body = _block(loop.body, _kept(loop.body.statements, result))
    left = None if leaves(body) else left_early(For(loop.start, loop.end, loop.target, loop.iterable, body))
    if left is None:
        return None
    before, kept = Assign(loop.start, loop.start, _name(loop.start, result), ended), _name(behind.start, result)
    if not isinstance(ended, Name) or ended.name not in changed((loop,)):
        return loop, Rounds((before, *left.statements)), kept
    going, at = left.statements[0], (behind.start, behind.end)
    assert isinstance(going, Assign), "a loop that is left begins by going on"
    ways = (Block(*at, (each,)) for each in (ended, kept))
    return loop, Rounds((before, *left.statements)), If(*at, going.target, *ways)


def leaves(node: Node) -> bool:
    """Whether there is a ``return`` in a node that leaves the function it stands in."""
    pending = [node]
    while pending:
        item = pending.pop()
        if isinstance(item, Return):
            return True
        if not isinstance(item, Function | Lambda):
            pending += item.children
    return False


def _is_settled(node: Node) -> bool:
    """Whether a node is a number as it is written, or a name: reading it does nothing else."""
    match node:
        case Call(callee=Name(name="-"), args=(Number(),), keywords=()):
            return True
    return isinstance(node, Number | Boolean | Name)


def _kept(statements: tuple[Node, ...], result: str) -> tuple[Node, ...]:
    """Statements of a round that keep what they would return, and leave the loop."""
    found: list[Node] = []
    for node in statements:
        if isinstance(node, Return) and node.value is not None:
            at = node.start
            found += (Assign(at, node.end, _name(at, result), node.value), Leave(at, at, "`return`", False))
        elif isinstance(node, If):
            sides = [side and _block(side, _kept(side.statements, result)) for side in (node.then, node.otherwise)]
            then, otherwise = sides
            assert then is not None, "a branch that is written"
            found.append(If(node.start, node.end, node.condition, then, otherwise))
        else:
            found.append(node)
    return tuple(found)


# Leaving a round


def _leaving(block: Block) -> Iterator[Leave]:
    """What leaves a round of the loop that a block is the body of."""
    pending: list[Node] = [block]
    while pending:
        node = pending.pop()
        if isinstance(node, Leave):
            yield node
        elif isinstance(node, Block):
            pending += reversed(node.statements)
        elif isinstance(node, If):
            pending += [side for side in (node.otherwise, node.then) if side is not None]


def _ways(statements: Sequence[Node]) -> int:
    """On how many ways a round goes on behind these, where more than two count as two."""
    on = 1
    for node in statements:
        if isinstance(node, Leave):
            return 0
        if isinstance(node, If) and may_leave(Block(node.start, node.end, (node,))):
            sides = [() if side is None else side.statements for side in (node.then, node.otherwise)]
            on = min(2, on * sum(map(_ways, sides)))
    return on


def _steps(statements: tuple[Node, ...], going: str) -> tuple[Node, ...] | None:
    """Statements of a round without what leaves it; None where these cannot be told apart from what follows."""
    leaving = sum(1 for _ in _leaving(Block(0, 0, statements)))
    return _without(statements, going) if leaving <= _LEAVING else None


def _without(statements: tuple[Node, ...], going: str) -> tuple[Node, ...] | None:
    found: list[Node] = []
    for place, node in enumerate(statements):
        rest = statements[place + 1 :]
        if isinstance(node, Leave):
            if rest:  # it never runs, but may make names the loop's own
                return None
            return (*found, *(() if node.goes_on else (_assigned(node.start, going, False),)))
        if isinstance(node, If) and may_leave(Block(node.start, node.end, (node,))):
            if rest and _ways((node,)) > 1:
                return None
            sides: list[Block | None] = []
            for side in (node.then, node.otherwise):
                own = () if side is None else side.statements
                steps = _without((*own, *rest) if _ways(own) else own, going)
                if steps is None:
                    return None
                sides.append(None if side is None and not steps else _block(side or node, steps))
            then, otherwise = sides
            assert then is not None, "a branch that is written"
            return (*found, If(node.start, node.end, node.condition, then, otherwise))
        found.append(node)
    return tuple(found)


def _hidden(word: str, body: Block) -> str:
    """A name of a loop's own, other than those of loops in it."""
    taken = changed((body,))
    return next(name for depth in count(1) if (name := word if depth == 1 else f"{word} {depth}") not in taken)


def _with_body(loop: For, statements: tuple[Node, ...], going: str) -> For:
    return For(loop.start, loop.end, loop.target, loop.iterable, _block(loop.body, statements), going)


def _block(node: Node, statements: tuple[Node, ...]) -> Block:
    return Block(node.start, node.end, statements)


def _name(at: int, name: str) -> Name:
    return Name(at, at, name)


def _assigned(at: int, name: str, value: bool) -> Assign:
    return Assign(at, at, _name(at, name), Boolean(at, at, value))


# Counting


_SIGNS = {"<": (1, False), "<=": (1, True), ">": (-1, False), ">=": (-1, True)}
_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


def _counting(loop: WhileLoop, before: Sequence[Node]) -> _Counting | None:
    """How a loop counts; None for one that does not, as far as its text says."""
    match loop.condition:
        case Call(callee=Name(name=sign), args=(Name() as name, limit), keywords=()) if sign in _SIGNS:
            found = _updated(loop.body, name, limit, sign)
        case Call(callee=Name(name=sign), args=(limit, Name() as name), keywords=()) if sign in _TURNED:
            found = _updated(loop.body, name, limit, _TURNED[sign])
        case _:
            return None
    return found if found is not None and _begins_whole(name.name, before) else None


def _updated(body: Block, name: Name, limit: Node, sign: str) -> _Counting | None:
    """The one statement that changes a variable in a loop, if it is one of its body, and towards the limit."""
    direction, reaches = _SIGNS[sign]
    if not _is_whole(limit) or changed(body.statements) & ({name.name} | _named(limit)) - {name.name}:
        return None
    if name.name in _named(limit):
        return None
    found = None
    for place, node in enumerate(body.statements):
        if name.name not in changed((node,)):
            continue
        by = _step(node, name.name)
        if found is not None or by is None or by * direction <= 0 or not isinstance(node, Assign):
            return None
        found = _Counting(name, limit, by, reaches, node, place)
    return found


def _step(node: Node, name: str) -> int | None:
    """By how much a statement makes a variable larger: ``i += 1``, ``i = i + 1``."""
    match node:
        case Assign(target=Name(name=target), operator="+" | "-" as sign, value=Number(integer=True) as by):
            pass
        case Assign(
            target=Name(name=target),
            operator=None,
            value=Call(callee=Name(name="+" | "-" as sign), args=(Name(name=old), Number(integer=True) as by)),
        ) if old == name:
            pass
        case _:
            return None
    if target != name:
        return None
    return int(by.value) if sign == "+" else -int(by.value)


def _begins_whole(name: str, before: Sequence[Node]) -> bool:
    """Whether a variable certainly has a whole number before a loop."""
    for node in reversed(before):
        if name in changed((node,)):
            plain = isinstance(node, Assign) and node.operator is None and isinstance(node.target, Name)
            return plain and isinstance(node, Assign) and _is_whole(node.value) and not isinstance(node.value, Name)
    return False


def _is_whole(node: Node) -> bool:
    """Whether a node is a whole number by what is written, or a name: evaluating it again gives the same."""
    match node:
        case Number(integer=True) | Name():
            return True
        case Call(callee=Name(name="length"), args=(Name(),), keywords=()):
            return True
        case Call(callee=Name(name="+" | "-"), args=(left, right), keywords=()):
            return _is_whole(left) and _is_whole(right) and not (isinstance(left, Call) and isinstance(right, Call))
    return False


def changed(statements: Sequence[Node]) -> set[str]:
    """All names that may have another value, or another content, after these statements."""
    found: set[str] = set()
    pending: list[Node] = [*statements]
    while pending:
        node = pending.pop()
        if isinstance(node, Assign | For):
            found |= _named(node.target)
        elif isinstance(node, Call) and isinstance(node.callee, Name) and node.callee.name.endswith(_CHANGING):
            found |= {arg.name for arg in node.args if isinstance(arg, Name)}
        elif isinstance(node, Function):
            found.add(node.name.name)
        elif isinstance(node, Opaque) and not isinstance(node, Leave):
            found |= node.summary.binds
        pending += node.children
    return found


_CHANGING = ("!", ".append")
"""How the names of functions end that change what they are given, in Julia and of Python's lists."""


def _named(node: Node) -> set[str]:
    """The names in a node, but for what it calls."""
    if isinstance(node, Name):
        return {node.name}
    if isinstance(node, Index):
        return _named(node.value)
    below = node.args if isinstance(node, Call) else node.children
    return set[str]().union(*map(_named, below))


def _counts_each_round(body: Block, counting: _Counting) -> bool:
    """Whether each round that goes on changes what is counted: none leaves before that, but to end the loop."""
    earlier = Block(body.start, body.end, body.statements[: counting.place])
    return all(not each.goes_on for each in _leaving(earlier))


def _counted(loop: WhileLoop, counting: _Counting, is_last: bool, ends: tuple[str, str]) -> Rounds:
    """A loop that counts by one, before or after all that it does, as one over the numbers that it counts; then the
    variable is what the loop has ended at."""
    start, name = loop.start, counting.name.name
    from_ = _hidden(FROM, loop.body)
    statements = loop.body.statements
    counts_first = counting.place == 0
    others = statements[1:] if counts_first else statements[:-1]
    numbers = _range(_name(start, from_), counting, counting.limit)
    if counts_first:  # what it does sees the next number
        first, last = (_shifted(each, counting.step) for each in (numbers.first, numbers.last))
        numbers = Range(numbers.start, numbers.end, first, numbers.step, last)
    behind = _copied(counting.limit, start)
    behind = _shifted(behind, counting.step) if counting.reaches else behind
    ended = Call(start, start, _name(start, ends[counting.step < 0]), (_name(start, from_), behind))
    update = counting.update
    return Rounds(
        (
            Assign(start, start, _name(start, from_), counting.name),
            *_read_by(update),
            For(start, loop.end, _name(start, name), numbers, _block(loop.body, others), counts=True),
            Assign(update.start, update.end, update.target, ended),
            *((_name(loop.end, "nothing"),) if is_last else ()),
        )
    )


def _read_by(update: Assign) -> Iterator[Node]:
    """The variable where ``i = i + 1`` reads it, with the value that it begins with: who renames it must find it."""
    match update:
        case Assign(operator=None, value=Call(args=(Name() as old, _))):
            yield old


def _range(first: Node, counting: _Counting, limit: Node) -> Range:
    """The numbers from the first one to the last before the limit, or to the limit itself."""
    last = limit if counting.reaches else _shifted(limit, -1 if counting.step > 0 else 1)
    step = None if counting.step == 1 else _number(limit.end, counting.step)
    return Range(limit.start, limit.end, first, step, last)


def _shifted(node: Node, by: int) -> Node:
    """A number that is larger by so much."""
    if isinstance(node, Number):
        return Number(node.start, node.end, node.value + by, True)
    sign = "+" if by > 0 else "-"
    return Call(node.start, node.end, _name(node.end, sign), (node, _number(node.end, abs(by))))


def _number(at: int, value: int) -> Node:
    return Number(at, at, Fraction(value), True)


def _copied(node: Node, at: int) -> Node:
    """The same once more, as text that nobody has written."""
    match node:
        case Number(value=value):
            return Number(at, at, value, True)
        case Call(callee=Name(name=callee), args=args):
            return Call(at, at, _name(at, callee), tuple(_copied(arg, at) for arg in args))
    assert isinstance(node, Name), "numbers, names, and what is made of them"
    return _name(at, node.name)
