"""A second source language, a small Lisp, for tests: what a folder of `frontends` must have, and no more.

``(defn noisy ((x :real) (eps :public)) :private (laplace 1 eps x))``. Positions count from 0, and the end of a range is
not in it, which the tree does not show. The last definition of a name replaces the others, a loop leaves its index as a
variable, ``(add x y)`` may change what x stands for, and a division by 0 is a failure. ``;`` begins a comment.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import ClassVar, NamedTuple

from dp_lsp import surface
from dp_lsp.core.algebra import Poly
from dp_lsp.core.annotation import Annotation, Anything, ContainerOf, NumberOf
from dp_lsp.core.machine import FLOAT64, INT, NUMBERS, WHOLE, Storage, Stored, values
from dp_lsp.core.sens import Sens
from dp_lsp.core.types import Base, Kind, Norm
from dp_lsp.frontends.problems import SyntaxProblem
from dp_lsp.intents import Rendering
from dp_lsp.language import (
    Annotations,
    Argument,
    Bracket,
    Builtins,
    Cursor,
    Expected,
    Familiar,
    Language,
    RefusedType,
    Returned,
    Semantics,
    Spelling,
    Syntax,
    Vocabulary,
    Word,
)
from dp_lsp.problem import Problem
from dp_lsp.surface import Chunk, Parsed, Remark
from dp_lsp.text import Span

_NAME = re.compile(r"[^\W\d]\w*")
_TOKEN = re.compile(r'(?P<comment>;[^\n]*)|(?P<text>"[^"\n]*")|(?P<open>\()|(?P<close>\))|(?P<atom>[^\s();"]+)')
_NUMBER = re.compile(r"-?\d+(\.\d+)?")
_TYPES = {
    ":real": "A number.",
    ":integer": "A whole number.",
    ":vector": "A vector, as in `(:vector :real L2)`.",
    ":public": "Marks a parameter as public, as in `(k (:public :integer))`.",
    ":private": "Claims that a function is private.",
}
_NUMBERS = {":real": Base.REAL, ":integer": Base.INTEGER}
_NORMS = {"L1": "The sum of the absolute values.", "L2": "The Euclidean length."}
_BUILTINS = {
    "laplacian_mechanism": Spelling(
        "laplace",
        "(laplace r eps x)",
        examples=("(defn f ((x :real) (eps :public)) :private (laplace 1 eps x))",),
        refused=(("(defn f ((x :real) (eps :public)) :private (laplace 1 eps (* 2 x)))", "DP301"),),
    ),
    "clamp": Spelling(
        "limit",
        "(limit x low high)",
        others=("squeeze",),
        examples=("(defn f ((x :real)) (limit x 0 1))", "(defn f ((x :real)) (squeeze x 0 1))"),
        refused=(("(defn f ((x :real)) (limit x 1 0))", "DP304"),),
    ),
    "norm_convert": Spelling(
        "measured",
        "(measured L1 v)",
        examples=("(defn f ((v (:vector :real L2))) (measured L1 v))",),
        refused=(("(defn f ((v (:vector :real L2))) (measured 1 v))", "DP202"),),
    ),
    "length": Spelling("count", "(count v)", examples=("(defn f ((v (:vector :real L1))) (count v))",)),
    **{sign: Spelling(sign, f"({sign} x y)") for sign in ("+", "-", "*", "/", "<", ">")},
}
_FORMS = {
    "defn": "(defn ${1:name} ((${2:x} :real)) $0)",
    "let": "(let ${1:name} $0)",
    "add": "(add ${1:name} $0)",
    "fn": "(fn (${1:x}) $0)",
    "if": "(if ${1:condition} ${2:then} $0)",
    "for": "(for ${1:i} ${2:n} $0)",
    "at": "(at ${1:v} $0)",
}


class _List(NamedTuple):
    """A list, or an atom, which is ``word``, and where it stands. ``word`` is a text with its quotation marks."""

    start: int
    end: int
    items: tuple[_List, ...] = ()
    word: str = ""


class _Toy(Syntax):
    comment = ";"
    triggers = (":",)

    def chunks(self, text: str, look: Callable[[], None]) -> tuple[Chunk, ...]:
        """An open bracket in the first column begins an item whatever is open, so that a half-typed one ends there."""
        starts = [found.start() for found in re.finditer(r"^\(|^;(?=[ \t]*dp:)", text, re.MULTILINE)]
        found: list[Chunk] = []
        for start, end in pairwise([*starts, len(text)]):
            look()
            found.append(Chunk(start, text[start:end].rstrip()))
        joined: list[Chunk] = []
        for chunk in found:  # a comment belongs to the item that stands right below it
            before = joined[-1] if joined else None
            if before and before.text.startswith(";") and chunk.start == before.start + len(before.text) + 1:
                joined[-1] = Chunk(before.start, f"{before.text}\n{chunk.text}")
            else:
                joined.append(chunk)
        return tuple(joined)

    def parse(self, chunk: Chunk) -> Parsed:
        try:
            nodes = tuple(map(_node, _read(chunk.text)))
        except _Wrong as wrong:
            whole = Span(0, len(chunk.text))
            anything = surface.Summary(anything="text that cannot be read")
            nodes = (surface.Opaque(*whole, "text that cannot be read", anything, broken=True),)
            return Parsed(nodes, (wrong.problem,), tuple(_remarks(chunk.text)))
        return Parsed(nodes, (), tuple(_remarks(chunk.text)))

    def may_include(self, text: str) -> bool:
        return "(load " in text

    def normalised(self, text: str) -> str:
        """A name is the same in capital letters."""
        return text.casefold()

    def word_at(self, text: str, start: int) -> str:
        found = _NAME.match(text, start)
        return found[0] if found else ""

    def comment_runs(self, text: str) -> list[Span]:
        return [Span(*found.span()) for found in re.finditer(r"^;[^\n]*(?:\n;[^\n]*)+", text, re.MULTILINE)]

    def cursor(self, text: str, start: int, offset: int) -> Cursor:
        opened: list[tuple[int, int]] = []  # where each list begins, and how many items it has
        last = None
        for last in _TOKEN.finditer(text, start, offset):
            if last.lastgroup == "close":
                opened = opened[:-1]
            elif last.lastgroup == "open":
                opened = [(at, count + (at == opened[-1][0])) for at, count in opened]
                opened.append((last.end(), 0))
            elif last.lastgroup in ("atom", "text") and opened:
                opened[-1] = (opened[-1][0], opened[-1][1] + 1)
        if last is not None and last.lastgroup == "comment" and last.end() == offset:
            return Cursor(quiet=True)
        typed = re.search(r":?\w*\Z", text[start:offset])
        word = typed[0] if typed else ""
        names = [self.word_at(text, at) for at, _ in opened]
        brackets = tuple(
            Bracket("(", name, max(0, count - 1 - bool(word)), header=name == "defn")
            for name, (_, count) in zip(names, opened, strict=True)
        )
        expected = Expected.TYPE if word.startswith(":") else Expected.VALUE
        return Cursor(brackets, word, text[text.rfind("\n", 0, offset) + 1 : offset - len(word)], False, expected)

    def arguments(self, text: str, name: Span) -> list[Argument]:
        header = next(iter(_read(text[name.end :], lenient=True)), None)
        words = [item.items[0].word for item in header.items if item.items] if header else []
        return [Argument(word, word) for word in words]

    def signature(self, name: str, arguments: list[Argument]) -> tuple[str, list[Span]]:
        label, places = f"({name}", []
        for each in arguments:
            places.append(Span(len(label) + 1, len(label) + 1 + len(each.text)))
            label += f" {each.text}"
        return f"{label})", places


class _Wrong(Exception):
    def __init__(self, start: int, end: int, reason: str) -> None:
        self.problem: Problem = SyntaxProblem.at(Span(start, end), reason=reason)


def _read(text: str, lenient: bool = False) -> list[_List]:
    """The lists and atoms of a text."""
    opened: list[tuple[int, list[_List]]] = [(0, [])]
    for found in _TOKEN.finditer(text):
        match found.lastgroup:
            case "open":
                opened.append((found.start(), []))
            case "close":
                if len(opened) == 1:
                    if lenient:
                        return opened[0][1]
                    raise _Wrong(found.start(), found.end(), "this bracket closes nothing")
                start, items = opened.pop()
                opened[-1][1].append(_List(start, found.end(), tuple(items)))
            case "atom" | "text":
                opened[-1][1].append(_List(*found.span(), word=found[0]))
    if len(opened) > 1 and not lenient:
        raise _Wrong(opened[-1][0], opened[-1][0] + 1, "this bracket is never closed")
    return opened[0][1]


def _remarks(chunk: str) -> Iterator[Remark]:
    """A comment is about its line or, alone on a line, about the next one."""
    for found in re.finditer(r";([ \t]*dp:[^\n]*)", chunk):
        line = chunk.rfind("\n", 0, found.start()) + 1
        below = Span(found.end() + 1, (chunk + "\n").find("\n", found.end() + 1))
        target = Span(line, found.end()) if chunk[line : found.start()].strip() else below
        yield Remark(Span(*found.span()), target, ";", found[1])


def _node(item: _List) -> surface.Node:
    if item.word:
        return _atom(item)
    head, *rest = item.items or (_List(item.start, item.end, word="nothing"),)
    match head.word, rest:
        case "defn", [name, header, returns, body, *_] if returns.word.startswith(":"):
            return _function(item, name, header, returns, [body, *rest[4:]])
        case "defn", [name, header, *body]:
            return _function(item, name, header, None, body)
        case "let", [name, value]:
            return surface.Assign(item.start, item.end, _atom(name), _node(value))
        case "add", [name, value]:
            return surface.Assign(item.start, item.end, _atom(name), _node(value), "+")
        case "fn", [header, *body]:
            params = tuple(surface.Parameter(each.start, each.end, each.word, None) for each in header.items)
            return surface.Lambda(item.start, item.end, params, _block(body))
        case "if", [condition, then, otherwise]:
            return surface.If(item.start, item.end, _node(condition), _block([then]), _block([otherwise]))
        case "for", [name, count, *body]:
            last = _shifted(_node(count), "-")
            first = surface.Number(count.start, count.start, Fraction(0), True)
            over = surface.Range(count.start, count.end, first, None, last)
            return surface.For(item.start, item.end, _atom(name), over, _block(body))
        case "at", [value, index]:
            return surface.Index(item.start, item.end, _node(value), (_shifted(_node(index), "+"),))
    if not _is_name(head.word) and head.word not in surface.OPERATORS:
        return surface.Opaque(item.start, item.end, "this form", surface.Summary(anything=f"`{head.word}`"))
    return surface.Call(item.start, item.end, _atom(head), tuple(map(_node, rest)))


def _shifted(node: surface.Node, sign: str) -> surface.Node:
    """One more, or one less: the tree counts positions from 1, and its ranges have their last number."""
    if isinstance(node, surface.Number):
        return surface.Number(node.start, node.end, node.value + (1 if sign == "+" else -1), node.integer)
    one = surface.Number(node.end, node.end, Fraction(1), True)
    return surface.Call(node.start, node.end, surface.Name(node.start, node.start, sign), (node, one))


def _is_name(word: str) -> bool:
    return _NAME.fullmatch(word) is not None


def _atom(item: _List) -> surface.Node:
    if item.word.startswith('"'):
        return surface.Text(item.start, item.end, item.word[1:-1])
    if _NUMBER.fullmatch(item.word):
        return surface.Number(item.start, item.end, Fraction(item.word), "." not in item.word)
    if not _is_name(item.word) and item.word not in surface.OPERATORS:
        raise _Wrong(item.start, item.end, "this is no name")
    return surface.Name(item.start, item.end, item.word.casefold())


def _function(item: _List, name: _List, header: _List, returns: _List | None, body: list[_List]) -> surface.Function:
    params = tuple(
        surface.Parameter(each.start, each.end, each.items[0].word.casefold(), _type(each.items[1]))
        for each in header.items
        if len(each.items) == 2
    )
    called = _atom(name)
    if not isinstance(called, surface.Name) or len(params) != len(header.items):
        raise _Wrong(header.start, header.end, "a function is written `(defn name ((x :real)) …)`")
    said = None if returns is None else _type(returns)
    where = Span(item.start, body[0].start if body else item.end)
    return surface.Function(item.start, item.end, called, params, said, _block(body), where, "block")


def _block(items: list[_List]) -> surface.Block:
    nodes = tuple(map(_node, items))
    return surface.Block(nodes[0].start if nodes else 0, nodes[-1].end if nodes else 0, nodes)


def _type(item: _List) -> surface.TypeExpr:
    """An annotation, in the words in which it is written."""
    head, *args = item.items or (item,)
    return surface.TypeExpr(
        item.start, item.end, head.word.casefold(), tuple(map(_type, args)), "call" if args else "name"
    )


class _Annotations(Annotations):
    norms: ClassVar = {"l1": Norm.L1, "l2": Norm.L2}
    words = frozenset((*norms, *_TYPES))

    def parameter(self, node: surface.TypeExpr | None) -> tuple[Annotation, bool]:
        match node:
            case None:
                return Anything(), False
            case surface.TypeExpr(name=":public", args=()):
                return NumberOf(Base.REAL), True
            case surface.TypeExpr(name=":public", args=(inner,)):
                return self.meaning(inner), True
        return self.meaning(node), False

    def returned(self, node: surface.TypeExpr | None) -> Returned:
        match node:
            case None:
                return Returned(Anything())
            case surface.TypeExpr(name=":private", args=()):
                return Returned(Anything(), privacy=True)
        return Returned(self.meaning(node))

    def meaning(self, node: surface.Node) -> Annotation:
        match node:
            case surface.TypeExpr(name=name, args=()) if name in _NUMBERS:
                return NumberOf(_NUMBERS[name])
            case surface.TypeExpr(name=":vector", args=(surface.TypeExpr(name=of), surface.TypeExpr(name=norm))) if (
                of in _NUMBERS and norm in self.norms
            ):
                return ContainerOf(Kind.VECTOR, _NUMBERS[of], self.norms[norm])
        raise RefusedType(node, "write `:real`, `:integer` or `(:vector :real L2)`")


class _Rendering(Rendering):
    language = "Toy"
    private = ":private"
    public = ":public"
    returns_private = ":private"

    def __getitem__(self, builtin: str) -> str:
        return TOY.builtins.spelling(builtin).name

    def call(self, builtin: str, *arguments: str) -> str:
        return f"({' '.join((self[builtin], *arguments))})" if builtin in _BUILTINS else ""

    def function(self, parameters: Sequence[str], result: str) -> str:
        return ""

    def annotation(self, type_: Annotation) -> str:
        base = type_.base if isinstance(type_, NumberOf) else None
        return next((word for word, known in _NUMBERS.items() if known is base), "")

    def at_least(self, records: str) -> str:
        return f"(:at-least {records})"

    def formula(self, value: Sens | Poly) -> str:
        return "" if value.number is None else str(value.number)


class _Storage(Storage):
    """Of whole numbers the sums and differences are whole, of which all ranges are made. Of others nothing is said."""

    def literal(self, number: int | None) -> Stored:
        return FLOAT64 if number is None else INT

    def numbers(self, builtin: str, *given: Stored) -> Stored | None:
        whole = builtin in ("+", "-", ":") and not any(values(each) & ~WHOLE for each in given)
        return INT if whole else NUMBERS


class _Semantics(Semantics):
    """What it says nothing of proves least: what loops leave, and what updates change."""

    storage = _Storage()

    def may_be_view(self, builtin: str) -> bool:
        return builtin == "norm_convert"

    def fails_on(self, builtin: str, known: tuple[str, ...], arguments: tuple[str, ...]) -> Collection[str]:
        return (*known, "y") if builtin == "/" else known


class _Words(Vocabulary):
    keywords = frozenset(_FORMS)
    includes = "load"
    running = frozenset({"load"})
    familiar: ClassVar = {Familiar.UNRULED: frozenset({"say"}), Familiar.SHOWS: frozenset({"say"})}

    def offered(self, here: Cursor, norm: bool, type_: bool) -> Iterator[Word]:
        if here.expected is Expected.TYPE:
            yield from (Word(word, "type", 1, "type", name=word) for word in _TYPES)
        else:
            yield from (Word(word, "keyword", 5, "keyword", snippet=text) for word, text in _FORMS.items())
            yield from (Word(word, "norm", 0 if norm else 7, "norm", name=word) for word in _NORMS)

    def meaning(self, name: str) -> str:
        return _TYPES.get(name, _NORMS.get(name, ""))


class Toy(Language):
    id = "toy"
    name = "Toy"
    suffixes = (".toy",)
    syntax = _Toy()
    vocabulary = _Words()
    rendering = _Rendering()
    builtins = Builtins(_BUILTINS)
    annotations = _Annotations()
    semantics = _Semantics()


TOY = Toy()
