"""The surface tree: what a front end makes of a source text, whatever the language. Positions count from 1 and a range
has its last number: a front end whose language counts otherwise writes that out.

Nodes know their place (offsets relative to their chunk) and nothing about types. Operators are calls of the name
of the operator. A construct that is understood lexically but has no meaning for the checker is an
:class:`Opaque` node; text that could not be read is an :class:`Opaque` node with a problem beside it.

No text without an effect summary. Text that is dropped, folded, skipped or trusted says what it may bind, where it
stands and in its module, and whether it may do anything at all (:class:`Summary`): of tokens
`frontends/julia/summary.py` says it, of a tree `lower/facts.py`. What it may bind at top level is in doubt in the
whole project; in a function its text is refused, and what it does elsewhere is in doubt.
"""

from __future__ import annotations

from fractions import Fraction

from dp_lsp.named import NamedTuple
from dp_lsp.problem import Problem
from dp_lsp.text import Span

OPERATORS = frozenset(("+", "-", "*", "/", "%", "÷", "^", "==", "!=", "<", "<=", ">", ">=", "&&", "||", "!", "'"))
"""The operators that have a meaning for the checker, by the names that calls of them have."""


class Added(NamedTuple):
    """A method that is added to a function: its name, whether that is one of a module that is named, and ``types`` of
    which one must be that of an argument."""

    name: str
    qualified: bool
    types: frozenset[str]


class Summary(NamedTuple):
    """The effect summary of a piece of text: what evaluating it may do besides having a value. What cannot be told
    counts, so each part says too much rather than too little.

    ``mentions`` are the names that stand in it. ``binds`` are those to which it may give a value, or a method, where it
    stands: at top level those of the module, in a function its variables. ``outside`` are those to which it does so in
    a module wherever it stands: by ``global``, in a module that is named, as a macro, which has an ``@`` before its
    name. ``members`` are the names of fields in it. ``anything`` names what in it may do all of that to any name, such
    as a macro of others; empty if there is nothing. ``stores`` says that it may change entries of an array that others
    hold."""

    mentions: frozenset[str] = frozenset()
    binds: frozenset[str] = frozenset()
    outside: frozenset[str] = frozenset()
    members: frozenset[str] = frozenset()
    anything: str = ""
    stores: bool = False
    methods: frozenset[Added] = frozenset()

    def joined(self, *others: Summary) -> Summary:
        """What evaluating all of them may do."""
        return Summary(
            self.mentions.union(*(each.mentions for each in others)),
            self.binds.union(*(each.binds for each in others)),
            self.outside.union(*(each.outside for each in others)),
            self.members.union(*(each.members for each in others)),
            next((each.anything for each in (self, *others) if each.anything), ""),
            self.stores or any(each.stores for each in others),
            self.methods.union(*(each.methods for each in others)),
        )

    @property
    def is_harmless(self) -> bool:
        """Whether it gives nothing another meaning."""
        return not (self.binds or self.outside or self.anything or self.methods)

    def inside(self) -> Summary:
        """What it may do from a function: what it gives a value there is that function's."""
        return self._replace(binds=frozenset(), methods=frozenset(each for each in self.methods if each.qualified))


NO_EFFECT = Summary()


class Node:
    """A piece of source text, and the nodes directly below it, in the order of the text. ``depth`` is the height of the
    tree below it, and 1 of what has no ``children``."""

    __slots__ = ("children", "depth", "end", "start")

    def __init__(self, start: int, end: int, children: tuple[Node | None, ...] = ()) -> None:
        self.start = start
        self.end = end
        self.children = tuple([child for child in children if child is not None]) if children else ()
        below = 0
        for child in self.children:
            if child.depth > below:
                below = child.depth
        self.depth: int = 1 + below

    @property
    def span(self) -> Span:
        return Span(self.start, self.end)


class Number(Node):
    """A number as written: exact, and an Integer unless it has a point or an exponent."""

    __slots__ = ("integer", "value")

    def __init__(self, start: int, end: int, value: Fraction, integer: bool) -> None:
        super().__init__(start, end)
        self.value = value
        self.integer = integer


class Boolean(Node):
    """``true`` or ``false``."""

    __slots__ = ("value",)

    def __init__(self, start: int, end: int, value: bool) -> None:
        super().__init__(start, end)
        self.value = value


class Text(Node):
    """A string without interpolation."""

    __slots__ = ("value",)

    def __init__(self, start: int, end: int, value: str) -> None:
        super().__init__(start, end)
        self.value = value


class Name(Node):
    """A normalised identifier or the name of an operator."""

    __slots__ = ("name",)

    def __init__(self, start: int, end: int, name: str) -> None:
        super().__init__(start, end)
        self.name = name


class Whole(Node):
    """A bare ``:`` used as an index: every row, or every column."""

    __slots__ = ()


class AllEntries(Node):
    """What stands for all entries at once, as the place that new values are given to: each is another value."""

    __slots__ = ()


class IndexBound(Node):
    """``begin`` or ``end`` in an index: the first or the last position."""

    __slots__ = ("last",)

    def __init__(self, start: int, end: int, last: bool) -> None:
        super().__init__(start, end)
        self.last = last


class Keyword(Node):
    """A keyword argument of a call."""

    __slots__ = ("name", "value")

    def __init__(self, start: int, end: int, name: str, value: Node) -> None:
        super().__init__(start, end, (value,))
        self.name = name
        self.value = value


class Call(Node):
    """A call; ``callee`` is a :class:`Name` for everything the checker can follow."""

    __slots__ = ("args", "callee", "keywords")

    def __init__(
        self, start: int, end: int, callee: Node, args: tuple[Node, ...], keywords: tuple[Keyword, ...] = ()
    ) -> None:
        super().__init__(start, end, (callee, *args, *keywords))
        self.callee = callee
        self.args = args
        self.keywords = keywords


class Index(Node):
    """``value[indices…]``. Of one that is ``unchecked`` nothing is known where there is no such entry, not even that
    the run fails."""

    __slots__ = ("indices", "unchecked", "value")

    def __init__(self, start: int, end: int, value: Node, indices: tuple[Node, ...], unchecked: bool = False) -> None:
        super().__init__(start, end, (value, *indices))
        self.value = value
        self.indices = indices
        self.unchecked = unchecked


class Tuple(Node):
    """``(a, b, …)``; with ``names``, ``(x = a, y = b, …)``. What is made ``by`` a function of keys, which are texts,
    and values, has its keys for names, as they are written."""

    __slots__ = ("by", "items", "names")

    def __init__(
        self,
        start: int,
        end: int,
        items: tuple[Node, ...],
        names: tuple[str, ...] = (),
        by: Name | None = None,
    ) -> None:
        super().__init__(start, end, items)
        self.items = items
        self.names = names
        self.by = by


def key_name(key: str) -> str:
    """The name of what stands at a key, other than that of any item that has a name."""
    return f'"{key}"'


class Vector(Node):
    """``[a, b, …]``."""

    __slots__ = ("items",)

    def __init__(self, start: int, end: int, items: tuple[Node, ...]) -> None:
        super().__init__(start, end, items)
        self.items = items


class Comprehension(Node):
    """``[value for target in over if condition]``: ``each`` makes the entries, ``kept`` says of what, if there is a
    condition. One that is ``lazy`` stands without brackets in a call, which is given one entry after the other."""

    __slots__ = ("each", "kept", "lazy", "over")

    def __init__(
        self, start: int, end: int, each: Lambda, over: Node, kept: Lambda | None = None, lazy: bool = False
    ) -> None:
        super().__init__(start, end, (each, over, kept))
        self.each = each
        self.over = over
        self.kept = kept
        self.lazy = lazy


class Broadcast(Node):
    """``f.(v, w)`` and operations with a dot, those that are nested taken together: ``each`` is what is made of an
    entry of all that it goes ``over``, which ``each`` has names for. Numbers are written in ``each`` itself.

    What has a name has the same in ``each``, and stands once in ``over``."""

    __slots__ = ("each", "names", "over")

    def __init__(self, start: int, end: int, each: Node, names: tuple[str, ...], over: tuple[Node, ...]) -> None:
        super().__init__(start, end, (each, *over))
        self.each = each
        self.names = names
        self.over = over


class Range(Node):
    """``start:stop`` or ``start:step:stop``."""

    __slots__ = ("first", "last", "step")

    def __init__(self, start: int, end: int, first: Node, step: Node | None, last: Node) -> None:
        super().__init__(start, end, (first, step, last))
        self.first = first
        self.step = step
        self.last = last


class TypeExpr(Node):
    """An annotation: ``Real``, ``Matrix{<:Data}`` (``braces``), ``MetricMatrix(Data, L2)`` (``call``).

    ``upper`` marks an argument written ``<:T``. A number in argument position is kept as a :class:`Number`. ``written``
    is how it is shown, if that is not the text that stands there. ``variable`` is the variable of types that it is a
    bound of, if that stands in other annotations, too.
    """

    __slots__ = ("args", "form", "name", "upper", "variable", "written")

    def __init__(
        self,
        start: int,
        end: int,
        name: str,
        args: tuple[Node, ...] = (),
        form: str = "name",
        upper: bool = False,
        written: str = "",
        variable: str = "",
    ) -> None:
        super().__init__(start, end, args)
        self.written = written
        self.variable = variable
        self.name = name
        self.args = args
        self.form = form
        self.upper = upper


class Parameter(Node):
    """A parameter of a function; ``name`` is ``_`` for one that is not used."""

    __slots__ = ("annotation", "default", "kind", "name")

    def __init__(
        self,
        start: int,
        end: int,
        name: str,
        annotation: TypeExpr | None = None,
        default: Node | None = None,
        kind: str = "plain",
    ) -> None:
        super().__init__(start, end, (annotation, default))
        self.name = name
        self.annotation = annotation
        self.default = default
        self.kind = kind  # "plain", "keyword" or "rest"


class Lambda(Node):
    """A function without a name: ``(x, y) -> body``, ``function (x) … end``, or the ``do`` block of a call, which is
    its first argument."""

    __slots__ = ("body", "params", "returns")

    def __init__(
        self, start: int, end: int, params: tuple[Parameter, ...], body: Block, returns: TypeExpr | None = None
    ) -> None:
        super().__init__(start, end, (*params, returns, body))
        self.params = params
        self.returns = returns
        self.body = body


class Block(Node):
    """Statements in order; the value of the block is the value of the last one."""

    __slots__ = ("statements",)

    def __init__(self, start: int, end: int, statements: tuple[Node, ...]) -> None:
        super().__init__(start, end, statements)
        self.statements = statements


class If(Node):
    """``if``/``elseif``/``else`` (nested in ``otherwise``), the ternary, and ``ifelse`` when called is a Call."""

    __slots__ = ("condition", "otherwise", "then")

    def __init__(self, start: int, end: int, condition: Node, then: Block, otherwise: Block | None) -> None:
        super().__init__(start, end, (condition, then, otherwise))
        self.condition = condition
        self.then = then
        self.otherwise = otherwise


class For(Node):
    """``for target in range … end``. Where it has a name to go on by (``going``), a round does nothing once that is
    false. The target of one that ``counts`` is a variable from around it, whatever the language says of loops."""

    __slots__ = ("body", "counts", "going", "iterable", "target")

    def __init__(
        self,
        start: int,
        end: int,
        target: Node,
        iterable: Node,
        body: Block,
        going: str = "",
        counts: bool = False,
    ) -> None:
        super().__init__(start, end, (target, iterable, body))
        self.target = target
        self.iterable = iterable
        self.body = body
        self.going = going
        self.counts = counts


class Unending(Node):
    """What a loop goes over that has as many rounds as it takes until it does not go on."""

    __slots__ = ()


class Assign(Node):
    """``target = value``; ``operator`` is ``+`` for ``+=`` and so on; ``target`` is a Name, a Tuple of Names, or
    something the checker refuses."""

    __slots__ = ("constant", "operator", "target", "value")

    def __init__(
        self, start: int, end: int, target: Node, value: Node, operator: str | None = None, constant: bool = False
    ) -> None:
        super().__init__(start, end, (target, value))
        self.target = target
        self.value = value
        self.operator = operator
        self.constant = constant


class Return(Node):
    """``return`` with or without a value; ``return nothing`` has none."""

    __slots__ = ("value",)

    def __init__(self, start: int, end: int, value: Node | None) -> None:
        super().__init__(start, end, (value,))
        self.value = value


class Assert(Node):
    """``@assert condition``, and what is ``said`` where it is false, or None."""

    __slots__ = ("condition", "said")

    def __init__(self, start: int, end: int, condition: Node, said: Node | None = None) -> None:
        super().__init__(start, end, (condition, said))
        self.condition = condition
        self.said = said


class Function(Node):
    """A definition of a method. ``header`` covers everything up to the body; the body of a black box is
    :class:`Opaque`. ``style`` is ``block`` for ``function … end`` and ``short`` for ``f(x) = …``. ``early`` are the
    names that are read where it is defined, and not where it is called, as far as the language tells the two apart."""

    __slots__ = ("body", "doc", "early", "header", "name", "params", "returns", "style")

    def __init__(
        self,
        start: int,
        end: int,
        name: Name,
        params: tuple[Parameter, ...],
        returns: TypeExpr | None,
        body: Block | Opaque,
        header: Span,
        style: str,
        doc: str | None = None,
        early: frozenset[str] = frozenset(),
    ) -> None:
        super().__init__(start, end, (name, *params, returns, body))
        self.name = name
        self.params = params
        self.returns = returns
        self.body = body
        self.header = header
        self.style = style
        self.doc = doc
        self.early = early


class Brought(NamedTuple):
    """A name that an import gives a meaning: ``here`` it is so called, and ``there`` in ``module``. One of a module
    itself has no ``module``. A macro has an ``@`` before its name. ``extends`` says that methods may be added to it."""

    here: str
    there: str
    module: str
    extends: bool


class Import(Node):
    """``using`` or ``import``. ``opened`` are the modules whose exported names it brings, whatever these are,
    ``brought`` the names that are written."""

    __slots__ = ("brought", "opened")

    def __init__(self, start: int, end: int, opened: tuple[str, ...], brought: tuple[Brought, ...]) -> None:
        super().__init__(start, end)
        self.opened = opened
        self.brought = brought


class Export(Node):
    """``export names…``: what a module shows to those who open it. It changes no meaning here."""

    __slots__ = ()


class ModuleMark(Node):
    """The first or the last line of a ``module``; ``name`` is None for the last."""

    __slots__ = ("name",)

    def __init__(self, start: int, end: int, name: str | None) -> None:
        super().__init__(start, end)
        self.name = name


MACRO_CALL = "a macro call"
"""What is said of text that a macro makes other text of."""

BROADCAST_INTO = "a broadcast into an array"
"""What is said of giving new values to the entries of an array in place, all at once."""

SEEDING = "seeding the random numbers"
"""What is said of setting the seed of what is drawn."""


class Opaque(Node):
    """Source text with no meaning for the checker.

    ``what`` says it to a person ("a string", "a macro call", "a `while` loop"), and ``summary`` what it may do.
    ``broken`` marks text that could not be parsed: a problem about it has been reported already.
    """

    __slots__ = ("broken", "summary", "what")

    def __init__(
        self,
        start: int,
        end: int,
        what: str,
        summary: Summary = NO_EFFECT,
        broken: bool = False,
        children: tuple[Node, ...] = (),
    ) -> None:
        super().__init__(start, end, children)
        self.what = what
        self.summary = summary
        self.broken = broken


class Unfollowed(Opaque):
    """A statement at top level that gives names values of which nothing is known, and does nothing else. What uses none
    of these names is none the worse for it."""

    __slots__ = ()


class Symbol(Opaque):
    """A ``name`` as a value."""

    __slots__ = ("name",)

    def __init__(self, start: int, end: int, name: str, summary: Summary = NO_EFFECT) -> None:
        super().__init__(start, end, "a symbol", summary)
        self.name = name


class Evaluates(Opaque):
    """Code that is evaluated in its module once the values of variables are written into it. ``code`` is what it does
    if the ``spliced`` variables stand for names: where it may bind one of these there is ``$`` and the variable."""

    __slots__ = ("code", "spliced")

    def __init__(
        self, start: int, end: int, what: str, summary: Summary, code: Summary, spliced: frozenset[str]
    ) -> None:
        super().__init__(start, end, what, summary)
        self.code = code
        self.spliced = spliced


class Leave(Opaque):
    """What leaves a round of a loop: for the next one if it ``goes_on``, else for what follows the loop. A front end
    that understands it there makes something else of it."""

    __slots__ = ("goes_on",)

    def __init__(self, start: int, end: int, what: str, goes_on: bool) -> None:
        super().__init__(start, end, what)
        self.goes_on = goes_on


class Unread(Opaque):
    """A statement that cannot be read. ``name`` is that of the function which it defines, if its beginning says so, and
    ``defines`` are the functions that it may define, or that were meant to stand behind it."""

    __slots__ = ("defines", "name")

    def __init__(
        self, start: int, end: int, what: str, summary: Summary, name: Name | None, defines: frozenset[str]
    ) -> None:
        super().__init__(start, end, what, summary, broken=True, children=(name,) if name is not None else ())
        self.name = name
        self.defines = defines


FIELD = "a field access"


class Field(Opaque):
    """``value.name``, of a name: a part of what that stands for, or what a module of that name has."""

    __slots__ = ("name", "value")

    def __init__(self, start: int, end: int, value: Name, name: str) -> None:
        super().__init__(start, end, FIELD)
        self.value = value
        self.name = name


SPLAT = "a splat"


class Splat(Opaque):
    """``value...``, of a name: the items of what that stands for, each as an argument or an item of its own. A front
    end that knows how many these are makes something else of it."""

    __slots__ = ("value",)

    def __init__(self, start: int, end: int, value: Name) -> None:
        super().__init__(start, end, SPLAT)
        self.value = value


class TypeDefinition(Opaque):
    """A definition of a type, of which nothing more is known than its ``name``."""

    __slots__ = ("name",)

    def __init__(self, start: int, end: int, what: str, summary: Summary, name: str) -> None:
        super().__init__(start, end, what, summary)
        self.name = name


class Structure(TypeDefinition):
    """A definition of a type by the names and types of its parts, and nothing else. Where they are given by name
    (``by_name``) some may have numbers that stand for them."""

    __slots__ = ("by_name", "fields")

    def __init__(
        self, start: int, end: int, what: str, summary: Summary, name: str, fields: tuple[Parameter, ...], by_name: bool
    ) -> None:
        super().__init__(start, end, what, summary, name)
        self.fields = fields
        self.by_name = by_name


STRING = "a string with interpolation"


class Shown(Opaque):
    """A string that shows the values of names, and evaluates nothing else."""

    __slots__ = ("names",)

    def __init__(self, start: int, end: int, names: tuple[Name, ...]) -> None:
        super().__init__(start, end, STRING, Summary(frozenset(each.name for each in names)), children=names)
        self.names = names


class Chunk(NamedTuple):
    """One top-level piece of a file: ``text`` begins at offset ``start`` of the file. ``context`` is what the file says
    elsewhere without which the text does not say what it means."""

    start: int
    text: str
    context: str = ""

    @property
    def whole(self) -> str:
        """All that it is read from: two chunks of which this is the same are read alike."""
        return f"{self.text}\0{self.context}" if self.context else self.text


class Remark(NamedTuple):
    """A comment that speaks to the checker. ``target`` is the line it is about, and empty if there is none; ``sign``
    begins it, and another one in the same line, and ``text`` is what stands behind that."""

    span: Span
    target: Span
    sign: str
    text: str


class Load(NamedTuple):
    """A module that a chunk loads, by its path as it is written, and where. ``here`` is what it is called then, empty
    if it gets no name; ``names`` are those that are taken out of it, each as it is called here and there. It is
    ``known`` if it is one of others that gives nothing another meaning; and ``sure`` if it is loaded with the file."""

    path: str
    span: Span
    here: str = ""
    names: tuple[tuple[str, str], ...] = ()
    known: bool = False
    sure: bool = True

    @property
    def paths(self) -> tuple[str, ...]:
        """All paths of which it may depend where they lead what is loaded."""
        if self.known:
            return (self.path.partition(".")[0],)
        return self.path, *(self.inner(there) for _, there in self.names)

    def inner(self, name: str) -> str:
        """The path of a module in it."""
        return f"{self.path}{'' if self.path.endswith('.') else '.'}{name}"


class Sought(NamedTuple):
    """Where a module may lie: under the first of these ``names`` that there is, as seen from the folder that lies so
    many folders ``up``, or from any folder above and the folders ``below`` it, if that is None."""

    names: tuple[str, ...]
    up: int | None
    below: tuple[str, ...] = ("",)


class Parsed(NamedTuple):
    """What a front end made of a chunk: its top-level nodes, the problems met, and comments that speak to the checker,
    at chunk-relative places. From ``doubt`` on it is not known what of the file is code, in this chunk and behind it;
    None if it is known. ``loads`` are the modules that it loads, wherever in it, each of which has names of its
    own."""

    nodes: tuple[Node, ...]
    problems: tuple[Problem, ...]
    remarks: tuple[Remark, ...] = ()
    doubt: int | None = None
    loads: tuple[Load, ...] = ()
