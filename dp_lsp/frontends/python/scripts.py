"""The body of a module that reads data, and functions that do: each is a private function, that of a module
:data:`ENTRY`.

What a file says of a value that it reads at top level, ``people: Annotated[…] = pd.read_csv(…)``, makes that a
parameter of the function; what the file does with it, and what it prints, are its statements. So it is with what a
private function reads, such as ``main``: nobody gives it these parameters, and what calls it is unknown. Functions of
the file stay what they are, but for those that only serve to read: what they do is a part of reading, of which nothing
is claimed. A statement that cannot have to do with the data, such as setting up a plot, is none of the function: all
names in it are those of modules that are known, of Python, or of values that are made of such alone. What such a
statement says is public, ``epsilon: Static[float] = args.epsilon``, is a public parameter. What is not certain stays in
the function as text that is not understood.
"""

from __future__ import annotations

import ast
import builtins
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TypeGuard

from dp_lsp import surface
from dp_lsp.cells import is_joined, split
from dp_lsp.frontends.python.annotations import says_data, says_public, with_annotations
from dp_lsp.frontends.python.chunks import items, reads_data
from dp_lsp.frontends.python.constants import mentioned
from dp_lsp.frontends.python.effects import effects
from dp_lsp.frontends.python.functions import function, not_followed
from dp_lsp.frontends.python.imports import loads, unchecked
from dp_lsp.frontends.python.names import BASES, CHECKED, HOMES, IMPORTED, WORDS, dotted
from dp_lsp.frontends.python.notebooks import order, spoken
from dp_lsp.frontends.python.parse import definition, item, read, remarks, sets_up, unread
from dp_lsp.frontends.python.readers import free, imported, only_reads, shows_nothing
from dp_lsp.frontends.python.releasing.makers import Maker, with_makers
from dp_lsp.frontends.python.releasing.opacus import AROUND
from dp_lsp.frontends.python.training import is_make
from dp_lsp.frontends.python.tree import Places, below, children, copied, walk
from dp_lsp.frontends.python.written_out import with_lists
from dp_lsp.named import NamedTuple
from dp_lsp.problem import Problem
from dp_lsp.surface import Node, Opaque, Parsed, Summary
from dp_lsp.text import Span

ENTRY = "<module>"
"""The name of the function that the body of a file is, which is what Python calls it."""

_ASKS = frozenset({"input", "display", "get_ipython", "In", "Out", "_", "__", "___"})
"""What shows or gives back values without saying which."""
_ALARMS = frozenset({"simplefilter", "filterwarnings"})
"""What may make a warning, which depends on the data, an end of the run."""
_SOURCE = re.compile(r"[./\\]")
_MAKERS = (ast.Assign, ast.With, ast.Try, ast.ClassDef, ast.AsyncFunctionDef)
"""What may give names the values by which data are read, besides functions."""
_TELLS = frozenset({"add_argument", "set_defaults", "close"})
"""What tells a parser of the command line which arguments there are, or ends a connection, and shows nothing."""


def is_script(chunk: str, named: Mapping[str, ast.expr]) -> bool:
    """Whether a chunk is a whole file that reads data, where names stand for annotations."""
    return "Annotated" in chunk and any(reads_data(each.text, named) for each in items(chunk))


class _Statement(NamedTuple):
    """A statement of the body; ``guarded`` says that it runs only where the file itself is run."""

    node: ast.stmt
    guarded: bool = False


def parse(
    chunk: str, named: Mapping[str, ast.expr], makers: Mapping[str, Maker], listed: Mapping[str, ast.expr]
) -> Parsed:
    """The nodes of a whole file that reads data, where names stand for annotations and for lists, and functions for the
    mechanisms that they make, and what is wrong with it."""
    places = Places(chunk)
    statements: list[_Statement] = []
    opaque: list[Opaque] = []
    problems: list[Problem] = []
    shown = _showing(chunk)
    for piece in items(chunk):
        made = read(piece.text)
        if isinstance(made, Problem):
            magic = spoken(piece.text, piece.start)
            problems += [] if magic else [made.moved(piece.start)]
            opaque.append(magic or unread(piece.text, piece.start))
            continue
        made = with_lists(with_makers(with_annotations(made, piece.text, named), makers, is_script=True), listed)
        late = order(piece.text)
        problems += [late.moved(piece.start)] if late is not None else []
        ast.increment_lineno(made, places.line(piece.start))
        if piece.start in shown and made.body:
            made.body[-1] = _shown(made.body[-1], piece.text)
        statements += (each for node in made.body for each in _flat(node))
    loaded = tuple(load for each in statements for load in loads(each.node, places))
    if any(_reads(each.node) for each in statements):
        found = _Script(statements, opaque, places, Span(0, len(chunk))).nodes()
    else:
        found = _of_functions(statements, opaque, places)
    return Parsed(tuple(found), tuple(problems), tuple(remarks(chunk)), loads=loaded)


def _of_functions(statements: list[_Statement], opaque: list[Opaque], places: Places) -> Iterator[Node]:
    """The nodes of a file whose body reads nothing, but whose functions do; a function behind those that it uses."""
    functions: dict[str, list[ast.FunctionDef]] = {}
    for statement in statements:
        if isinstance(statement.node, ast.FunctionDef):
            functions.setdefault(statement.node.name, []).append(statement.node)
        else:
            yield from item(statement.node, places)
    yield from opaque
    scripts = {
        node: _Script(statements, opaque, places, places.span(node), node)
        for found in functions.values()
        for node in filter(_reads_inside, found)
    }
    readers = frozenset().union(*(each.readers for each in scripts.values()))
    uses = {name: effects(*found).mentions for name, found in functions.items() if name not in readers}
    for name in _in_order(uses):
        for node in functions[name]:
            yield scripts[node].body() if node in scripts else definition(node, places)


def _reads_inside(node: ast.stmt) -> bool:
    """Whether a function reads data, and may be private: it says that it is, or returns nothing."""
    if not isinstance(node, ast.FunctionDef) or not any(map(_reads, node.body)):
        return False
    if node.returns is not None and not _is_none(node.returns):
        return ast.unparse(node.returns) == _PRIVATE
    return all(each.value is None or _is_none(each.value) for each in below(node, ast.Return))


def _is_told_outright(node: ast.expr) -> bool:
    """Whether an argument is written out, or names a type, as what tells of a command line does."""
    match node:
        case ast.Constant() | ast.Name(id="int" | "float" | "str" | "bool" | "Path") | ast.Attribute(attr="Path"):
            return True
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            return all(map(_is_told_outright, parts))
        case ast.UnaryOp(operand=operand):
            return _is_told_outright(operand)
    return False


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


_PRIVATE = "Private"


def _showing(chunk: str) -> set[int]:
    """Where the last items of the cells of a notebook begin."""
    if not is_joined(chunk):
        return set()
    starts = [piece.start for piece in items(chunk)]
    ends = (bisect_left(starts, span.end) for _, span in split(chunk))
    return {starts[end - 1] for end in ends if end}


def _shown(node: ast.stmt, text: str) -> ast.stmt:
    """The last statement of a cell, whose value is printed below it if it is an expression that has no semicolon."""
    ends = any(line.split("#")[0].rstrip().endswith(";") for line in text.splitlines()[-1:])
    match node:
        case ast.Expr(value=ast.Call(func=ast.Name(id="print" | "display"))) | ast.Expr(value=ast.Constant()):
            return node
        case ast.Expr() if sets_up(node):
            return node
        case ast.Expr(value=value) if not ends:
            return _printed(node, [value])
    return node


def _printed(node: ast.Expr, values: list[ast.expr]) -> ast.Expr:
    """The same values, printed."""
    name = ast.copy_location(ast.Name("print", ast.Load()), node)
    call = ast.copy_location(ast.Call(name, values, []), node)
    return ast.copy_location(ast.Expr(call), node)


def _flat(node: ast.stmt) -> Iterator[_Statement]:
    """What runs where a file itself is run is a part of its body."""
    match node:
        case ast.If(
            test=ast.Compare(
                left=ast.Name(id="__name__"), ops=[ast.Eq()], comparators=[ast.Constant(value="__main__")]
            ),
            body=body,
            orelse=[],
        ):
            yield from (_Statement(each, guarded=True) for each in body)
        case _:
            yield _Statement(node)


class _Script:
    """The statements of a file, sorted: functions, imports and numbers that stand for themselves, what reads data, what
    has nothing to do with the data, and the body, which is all others. Where a function of the file reads, the body is
    that of this ``entry``, and what stands outside of it is none of the body."""

    def __init__(
        self,
        statements: Sequence[_Statement],
        opaque: Sequence[Opaque],
        places: Places,
        span: Span,
        entry: ast.FunctionDef | None = None,
    ) -> None:
        self._span = span
        self._places = places
        self._opaque = opaque
        self._entry = entry
        outside = [each for each in statements if each.node is not entry]
        self._statements = [*(each.node for each in outside), *(entry.body if entry is not None else ())]
        self._inside = set(map(id, self._statements if entry is None else entry.body))
        self._does = {id(node): effects(node) for node in self._statements}
        self._bound = Counter(name for does in self._does.values() for name in does.binds)
        self._bound.update(name for each in opaque for name in each.summary.binds)
        self._params = {each.arg: each for each in below(entry.args, ast.arg)} if entry is not None else {}
        self._bound.update(self._params.keys())
        self._imported = {name for node in self._statements if _is_import(node) for name in self._binds(node)}
        imports = [node for node in self._statements if _is_import(node)]
        doubtful = (node for node in imports if unchecked([*loads(node, places)]))
        self._unchecked = {name for node in doubtful for name in self._binds(node)}
        own = {name for node in self._statements if not _is_import(node) for name in self._binds(node)}
        self._modules = imported(self._statements)
        self._displays = "display" not in own
        self._constants = self._found_constants([each.node for each in outside if not each.guarded])
        self._trains = any(map(is_make, (item for node in self._statements for item in ast.walk(node))))
        self._readers = self._found_readers()
        self._aside = self._found_aside()
        self._own = self._owned_names()

    def _binds(self, node: ast.stmt) -> frozenset[str]:
        return self._does[id(node)].binds

    # Sorting

    def _found_constants(self, nodes: Iterable[ast.stmt]) -> set[int]:
        """The statements that give names their only values, which mean the same everywhere: numbers that are written
        out, or made of such, and generators."""
        found, names = set(), set[str]()
        for node in nodes:
            if not isinstance(node, ast.Assign | ast.AnnAssign) or any(
                self._bound[each] > 1 for each in self._binds(node)
            ):
                continue
            if isinstance(node, ast.AnnAssign) and _is_told(node):
                continue
            means = all(isinstance(made, surface.Assign) for made in item(node, self._places))
            if means and names.issuperset(mentioned(node) or ()):
                found.add(id(node))
                names |= self._binds(node)
        return found

    @property
    def readers(self) -> frozenset[str]:
        """The names of the functions that only serve to read."""
        return frozenset(name for name, node in self._readers.items() if id(node) in self._aside)

    def _found_readers(self) -> dict[str, ast.FunctionDef]:
        """The functions by which data are read, directly or by way of others, and which only read."""
        at_top = [node for node in self._statements if self._entry is None or id(node) not in self._inside]
        functions = {each.name: each for each in at_top if isinstance(each, ast.FunctionDef)}
        given = {name for each in at_top if _is_given(each) for name in self._binds(each) if self._bound[name] == 1}
        found = {name for name, each in functions.items() if self._bound[name] == 1}
        while True:
            kept = {
                name
                for name in found
                if _gives_command_line(functions[name]) or only_reads(functions[name], self._modules, found, given)
            }
            if kept == found:
                return {name: functions[name] for name in found}
            found = kept

    def _owned(self) -> Iterator[ast.stmt]:
        """The statements of the body, and the functions, which may use its values."""
        return filter(self._is_owned, self._statements)

    def _is_owned(self, node: ast.stmt) -> bool:
        apart = _is_import(node) or id(node) in self._constants or id(node) in self._aside
        return not (apart or sets_up(node) or _is_text(node))

    def _names_of(self, nodes: Iterable[ast.stmt]) -> frozenset[str]:
        """The names that statements give a value, and those of what cannot be read."""
        return frozenset().union(*map(self._binds, nodes), *(each.summary.binds for each in self._opaque))

    def _owned_names(self) -> frozenset[str]:
        """The names of the body, and of the functions. A parameter that the body does not use only says where data come
        from."""
        params = {name for name, each in self._params.items() if not _is_public(each) and not self._only_says(name)}
        outside = (each for each in self._owned() if id(each) not in self._inside)
        return self._names_of(self._owned()) | params | {name for each in outside for name in _told_to(each)}

    def _only_says(self, name: str) -> bool:
        """Whether a parameter is used only where data are read, and in what has nothing to do with them."""
        said = self._params[name].annotation
        return (said is None or not says_data(said)) and name not in self._used()

    def _used(self) -> frozenset[str]:
        """The names that the body and the functions mention, but for what is read."""
        inside = (each for each in self._owned() if id(each) in self._inside or isinstance(each, ast.FunctionDef))
        return frozenset().union(*(self._read_else(each) - {*_defined(each)} for each in inside))

    def _read_else(self, node: ast.stmt) -> frozenset[str]:
        """The names that a statement reads but for reading data."""
        if isinstance(node, ast.FunctionDef) and _reads_inside(node):
            kept = [each for each in node.body if not _reads(each)]
            bare = ast.FunctionDef(node.name, node.args, kept or [ast.Pass()], [], None)
            node = ast.copy_location(bare, node)
        return frozenset() if _reads(node) else _read(node, self._does.get(id(node)) or Summary())

    def _found_aside(self) -> set[int]:
        """The statements that have nothing to do with the data: as many as there can be."""
        sources = self._sources([node for node in self._statements if _reads(node)])
        found = [node for node in self._statements if not _is_import(node) and self._may_be_aside(node)]
        while True:
            self._aside = set(map(id, found))
            own, used = self._owned_names(), self._used()
            kept = [
                node
                for node in found
                if own.isdisjoint(_read(node, self._does[id(node)]) - {*_defined(node)})
                and used.isdisjoint(_defined(node))
                and not self._is_near(node, sources)
            ]
            if len(kept) == len(found):
                return self._aside
            found = kept

    def _may_be_aside(self, node: ast.stmt) -> bool:
        """Whether nothing of a statement itself is against it: it gives names their only value, and changes none."""
        does = self._does[id(node)]
        if id(node) in self._constants:
            return False
        if isinstance(node, ast.FunctionDef):
            return self._readers.get(node.name) is node and self._unchecked.isdisjoint(does.mentions)
        once = all(self._bound[name] == 1 for name in does.binds)
        if not once or not _is_plain(does) or _leaves(node) or any(_reads(item) for item in walk(node)):
            return False
        if not self._unchecked.isdisjoint(does.mentions):
            return False
        match node:
            case ast.AnnAssign(target=ast.Name(), value=ast.expr()) if _is_told(node):
                return True
            case ast.Assign(value=value) | ast.Expr(value=value) | ast.AnnAssign(value=ast.expr() as value):
                return self._is_foreign(value)
            case ast.ClassDef() | ast.AsyncFunctionDef() | ast.Try() | ast.With():
                return True
        return False

    def _is_foreign(self, value: ast.expr) -> bool:
        """Whether a value is a text, or made by a module of which nothing is known here."""
        match value:
            case ast.Constant(value=str()) | ast.JoinedStr():
                return True
            case ast.Call(func=func):
                found = dotted(func)
                known = found is not None and (
                    self._is_known(found[0]) or not (self._bound[found[0]] or found[0] == "open")
                )
                return not known
            case ast.Subscript(value=of) | ast.Attribute(value=of):
                return isinstance(of, ast.Name) or self._is_foreign(of)
            case ast.BinOp(left=left, right=right):
                return self._is_foreign(left) or self._is_foreign(right)
        return False

    def _is_known(self, home: str) -> bool:
        """Whether functions of a module are known: those around Opacus only where something is trained by it."""
        return home in HOMES and (home not in AROUND or self._trains)

    # Where data come from

    def _sources(self, reads: Iterable[ast.AnnAssign]) -> frozenset[str]:
        """The names and the texts that say where data come from, by which statement, block, class or function."""
        makers = {name: node for node in self._statements for name in self._binds(node)}
        found: set[str] = set()
        pending: list[ast.AST] = [node.value for node in reads if node.value is not None]
        while pending:
            new = _from_where(pending.pop()) - self._imported - found
            found |= new
            made = (makers[name] for name in new if name in makers)
            pending += (each for each in made if isinstance(each, _MAKERS) or each in self._readers.values())
        return frozenset(found)

    def _is_near(self, node: ast.stmt, sources: frozenset[str]) -> bool:
        """Whether a statement looks at where data come from, and is not one that says it."""
        match node:
            case ast.FunctionDef(name=name):
                return name not in sources  # one by which nothing is read is one like others
            case ast.AnnAssign():
                says = sources.isdisjoint(_from_where(node) - self._asked_for())
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(), attr=attr)) as call):
                says = attr in _TELLS and all(
                    map(_is_told_outright, (*call.args, *(each.value for each in call.keywords)))
                )
            case _:
                says = isinstance(node, _MAKERS) and not sources.isdisjoint(self._binds(node))
                says = says and shows_nothing(node, self._modules)
        return not says and not sources.isdisjoint(_from_where(node) | self._binds(node))

    def _asked_for(self) -> frozenset[str]:
        """The names of what a command line says."""
        asks = [name for name, each in self._readers.items() if _gives_command_line(each)]
        found = (each for each in self._statements if _is_command_line(each, asks))
        return frozenset().union(*map(self._binds, found))

    # The nodes

    def nodes(self) -> Iterator[Node]:
        """What the file defines, a function behind those that it uses, and the body last."""
        imports: set[str] = set()
        functions: dict[str, list[ast.FunctionDef]] = {}
        for node in self._statements:
            if isinstance(node, ast.FunctionDef):
                if id(node) not in self._aside:
                    functions.setdefault(node.name, []).append(node)
            elif (
                id(node) in self._constants or sets_up(node) or (_is_import(node) and ast.unparse(node) not in imports)
            ):
                yield from item(node, self._places)
                imports.add(ast.unparse(node))
        yield from self._opaque
        for name in _in_order({name: self._does[id(found[-1])].mentions for name, found in functions.items()}):
            yield from map(self._definition, functions[name])
        yield from self._replaced(functions)
        yield self.body()

    def _replaced(self, functions: Iterable[str]) -> Iterator[Node]:
        """What gives another value to a name that has a meaning of its own."""
        meant = {*functions, *self._imported, *WORDS, *IMPORTED, *BASES}
        for node in self._statements:
            if not _is_import(node):
                own = {node.name} if isinstance(node, ast.FunctionDef) else set()
                for name in sorted(self._binds(node) - own):
                    if name in meant or hasattr(builtins, name):
                        does = Summary(binds=frozenset({name}))
                        yield Opaque(*self._places.span(node), f"another value for `{name}`", does)

    def _definition(self, node: ast.FunctionDef) -> Node:
        """A function. Which of several values a name of the module has that it reads depends on when it is called."""
        several: dict[str, str] = {}
        for name in sorted(free(node)):
            given = [each for each in self._statements if _is_computed(each) and name in self._binds(each)]
            if len(given) > 1:
                several[name] = f"reading `{name}`, to which {_listed(given)} give values,"
        return definition(_refused(node, several) if several else node, self._places)

    def body(self) -> Node:
        """The function that the body is."""
        given: list[ast.arg] = []
        taken: dict[str, frozenset[str]] = {}
        statements: list[ast.stmt] = []
        for node in self._statements:
            if id(node) not in self._inside:
                continue
            if id(node) in self._aside:
                given += _told(node)
            elif not self._is_owned(node) and (self._entry is None or not _is_import(node)):
                continue
            elif _reads(node):
                why = self._against_reading(node, taken, statements)
                if why:
                    statements.append(not_followed(node, why))
                    continue
                assert isinstance(node.target, ast.Name), "that was looked at"
                taken[node.target.id] = self._sources([node]) - self.readers or self._sources([node])
                given.append(ast.copy_location(ast.arg(node.target.id, node.annotation), node.target))
            elif self._entry is None and isinstance(node, ast.FunctionDef):
                if not self._only_defines(node):
                    statements.append(not_followed(node, f"what runs where `{node.name}` is defined"))
            else:
                statements.append(self._statement(node))
        statements += self._from_elsewhere() if self._entry is None else ()
        return self._whole(given, statements)

    def _whole(self, given: list[ast.arg], statements: list[ast.stmt]) -> Node:
        """A function of what is read. That of a file has no place but where the file reads first."""
        first = next(node for node in self._statements if id(node) in self._inside and _reads(node))
        entry = self._entry
        arguments = ast.arguments([], [], None, [], [], None, []) if entry is None else copied(entry.args)
        if entry is not None:
            _leave_out(arguments, {name for name in self._params if self._only_says(name)})
        arguments.kwonlyargs += given
        arguments.kw_defaults += [None] * len(given)
        whole = ast.FunctionDef(
            name=ENTRY if entry is None else entry.name,
            args=arguments,
            body=statements or [ast.copy_location(ast.Pass(), first)],
            decorator_list=[] if entry is None else entry.decorator_list,
            returns=ast.copy_location(ast.Name(_PRIVATE, ast.Load()), first.annotation),
        )
        made = function(ast.copy_location(whole, first if entry is None else entry), self._places)
        assert isinstance(made, surface.Function), "it is one"
        if entry is not None:
            header = Span(self._span.start, self._places.span(entry.body[0]).start)
            return surface.Function(
                *self._span, made.name, made.params, made.returns, made.body, header, made.style, early=made.early
            )
        name, header = surface.Name(*self._places.span(first.target), ENTRY), self._places.span(first)
        return surface.Function(*self._span, name, made.params, made.returns, made.body, header, made.style)

    def _statement(self, node: ast.stmt) -> ast.stmt:
        """A statement of the body as one of a function. What a notebook displays is printed."""
        if self._entry is not None:
            return node
        if _leaves(node):
            return not_followed(node, "`return` outside of a function")
        match node:
            case ast.Expr(value=ast.Call(func=ast.Name(id="display"), args=args, keywords=[])) if self._displays:
                return _printed(node, args)
        return node

    def _against_reading(
        self, node: ast.AnnAssign, taken: Mapping[str, frozenset[str]], before: Iterable[ast.stmt]
    ) -> str:
        """Why a value is not what a statement says it reads; empty if it is."""
        if not isinstance(node.target, ast.Name) or node.value is None:
            return "a declaration of data without what is read"
        name, does = node.target.id, effects(node.value)
        if name in taken or name in self._params or any(name in effects(each).binds for each in before):
            return f"another value for `{name}`, which has one already,"
        if not _is_plain(does) or does.binds or not shows_nothing(node.value, self._modules):
            return "a declaration of data whose value may do more than read them"
        made_of = sorted(self._own & does.mentions)
        if made_of:
            return f"a declaration of data that are made by `{made_of[0]}`, and not read here,"
        sources = self._sources([node])
        for other, known in taken.items():
            if not sources.isdisjoint(known):
                return f"a declaration of data from where `{other}` comes from, so that a record may be in both,"
        return ""

    def _only_defines(self, node: ast.FunctionDef) -> bool:
        """Whether nothing runs where a function is defined that may have to do with the data."""
        args = node.args
        params = (*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg)
        said = [each.annotation for each in params if each is not None]
        marks = [each for each in node.decorator_list if not isinstance(each, ast.Name) or each.id != CHECKED]
        runs = [each for each in (*marks, *args.defaults, *args.kw_defaults, *said, node.returns) if each is not None]
        does = effects(*runs)
        return _is_plain(does) and not does.binds and self._own.isdisjoint(does.mentions)

    def _from_elsewhere(self) -> Iterator[ast.stmt]:
        """What may give the values of the body others from elsewhere: functions, and text that cannot be read."""
        for node in self._statements:
            inner = below(node, ast.Global)
            yield from (
                not_followed(each, "`global`, by which a function gives values of the file others,") for each in inner
            )
        for each in self._opaque:
            made = ast.Pass(lineno=self._places.line(each.start) + 1, col_offset=0)
            yield not_followed(made, each.what, each.broken)


def _read(node: ast.stmt, does: Summary) -> frozenset[str]:
    """The names that a statement reads: of a function those of the module, and of what runs where it is defined."""
    if not isinstance(node, ast.FunctionDef):
        return does.mentions
    return free(node) | effects(node.args, *node.decorator_list).mentions


def _told_to(node: ast.stmt) -> Iterator[str]:
    """The name of an object of which a statement calls a method, which may change it."""
    match node:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name)))):
            yield name


def _defined(node: ast.stmt) -> tuple[str, ...]:
    """The name of a function."""
    return (node.name,) if isinstance(node, ast.FunctionDef) else ()


def _is_public(param: ast.arg) -> bool:
    """Whether a parameter is a text, or said to be public."""
    said = param.annotation
    return said is not None and (says_public(said) or (isinstance(said, ast.Name) and said.id == "str"))


def _is_told(node: ast.AnnAssign) -> bool:
    """Whether a statement says that a value is public that is not computed by arithmetic of what is written out."""
    from_elsewhere = (ast.Call, ast.Attribute, ast.Subscript)
    computed = node.value is not None and any(isinstance(each, from_elsewhere) for each in walk(node.value))
    return computed and says_public(node.annotation)


def _is_command_line(node: ast.stmt, functions: Collection[str]) -> bool:
    """Whether a statement gives a name what a command line says, perhaps by one of some functions."""
    match node:
        case ast.Assign(targets=[ast.Name()], value=ast.Call(func=ast.Attribute(attr="parse_args"))):
            return True
        case ast.Assign(targets=[ast.Name()], value=ast.Call(func=ast.Name(id=name))):
            return name in functions
    return False


def _gives_command_line(function: ast.FunctionDef) -> bool:
    """Whether a function returns what a command line says, and does no more than to tell a parser what to ask for."""
    match [each for each in function.body if not _is_text(each)]:
        case [
            ast.Assign(targets=[ast.Name(id=made)]) as first,
            *told,
            ast.Return(
                value=ast.Call(func=ast.Attribute(value=ast.Name(id=asked), attr="parse_args"), args=[], keywords=[])
            ),
        ] if made == asked and not function.decorator_list and not below(function, ast.arg):
            return all(map(_tells_parser, (first, *told)))
    return False


def _tells_parser(node: ast.stmt) -> bool:
    """Whether a statement makes a parser, or tells one of an argument, of what is written out."""
    match node:
        case ast.Assign(targets=[ast.Name()], value=ast.Call(func=ast.Attribute(attr="ArgumentParser")) as call):
            pass
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(), attr=attr)) as call) if attr in _TELLS:
            pass
        case _:
            return False
    return all(map(_is_told_outright, (*call.args, *(each.value for each in call.keywords))))


def _told(node: ast.stmt) -> Iterator[ast.arg]:
    """The public parameter that a statement makes of a value that has nothing to do with the data."""
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and _is_told(node):
        yield ast.copy_location(ast.arg(node.target.id, node.annotation), node.target)


def _leave_out(arguments: ast.arguments, names: Collection[str]) -> None:
    """Leave parameters out, with their defaults."""
    plain = len(arguments.args) - len(arguments.defaults)
    kept = [(index, each) for index, each in enumerate(arguments.args) if each.arg not in names]
    arguments.defaults = [arguments.defaults[index - plain] for index, _ in kept if index >= plain]
    arguments.args = [each for _, each in kept]
    named = [each for each in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if each[0].arg not in names]
    arguments.kwonlyargs, arguments.kw_defaults = [each for each, _ in named], [value for _, value in named]


def _is_given(node: ast.stmt) -> bool:
    """Whether a statement gives a name a number, a text or a list of such."""
    return isinstance(node, ast.Assign) and all(isinstance(each, _WRITTEN) for each in walk(node.value))


_WRITTEN = (ast.Constant, ast.List, ast.Tuple, ast.UnaryOp, ast.unaryop, ast.expr_context)


def _is_import(node: ast.stmt) -> bool:
    return isinstance(node, ast.Import | ast.ImportFrom)


def _is_text(node: ast.stmt) -> bool:
    """Whether a statement is a text that says something to readers."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _reads(node: ast.AST) -> TypeGuard[ast.AnnAssign]:
    """Whether a node says of a value whom it protects."""
    return isinstance(node, ast.AnnAssign) and says_data(node.annotation)


def _is_plain(does: Summary) -> bool:
    """Whether evaluating something changes nothing but the names that it gives a value, and asks nobody."""
    asks = not _ASKS.isdisjoint(does.mentions) or not _ALARMS.isdisjoint(does.members)
    return not (asks or does.anything or does.stores or does.outside)


def _leaves(node: ast.stmt) -> bool:
    """Whether a statement outside of functions has what only stands in one."""
    pending: list[ast.AST] = [node]
    while pending:
        each = pending.pop()
        if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        if isinstance(each, ast.Return | ast.Yield | ast.YieldFrom | ast.Await):
            return True
        pending += children(each)
    return False


def _is_computed(node: ast.stmt) -> bool:
    """Whether a statement gives names what is written there, and not what a call makes."""
    return isinstance(node, ast.Assign) and not isinstance(node.value, ast.Call)


def _listed(statements: Sequence[ast.stmt]) -> str:
    """Statements as they are written in a sentence."""
    *first, last = (f"`{ast.unparse(each)}`" for each in statements)
    return f"{', '.join(first)} and {last}"


def _refused(function: ast.FunctionDef, reading: Mapping[str, str]) -> ast.FunctionDef:
    """A function in which the statements that read names are not followed, each for what is said of the name."""
    made = copied(function)
    for place, each in enumerate(made.body):
        read = [name.id for name in below(each, ast.Name) if name.id in reading]
        if read:
            made.body[place] = not_followed(each, reading[read[0]])
    return made


def _from_where(node: ast.AST) -> frozenset[str]:
    """The names that a value, or what a function returns, is made of, and the texts in it that may be the names of
    files."""
    found: set[str] = set()
    inner = {each.id for each in below(node, ast.Name)} - free(node) if isinstance(node, ast.FunctionDef) else ()
    for each in walk(node):
        match each:
            case ast.Name(id=name, ctx=ast.Load()) if not hasattr(builtins, name) and name not in inner:
                found.add(name)
            case ast.Constant(value=str() as text) if _SOURCE.search(text):
                found.add(text)
    return frozenset(found)


def _in_order(uses: Mapping[str, frozenset[str]]) -> list[str]:
    """Names, each behind those that it uses, as far as these do not use it."""
    done: dict[str, None] = {}
    for start in uses:
        path = [start]
        while path:
            waits = [name for name in uses if name in uses[path[-1]] and name not in done and name not in path]
            if waits:
                path.append(waits[0])
            else:
                done[path.pop()] = None
    return list(done)
