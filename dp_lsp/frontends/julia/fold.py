"""Constructs without a meaning for the checker, folded to one token each before the grammar sees them; and what a
``using`` or ``import`` line says, which is one of them.

Their extent is lexical: a block ends with its ``end``, a macro call with its line, a matrix with its bracket. So the
grammar knows only the language that is checked, and whatever Julia stands inside, the rest is read as usual.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

from dp_lsp.frontends.julia.summary import calls_library, damaged, evaluated, quoted, summary
from dp_lsp.frontends.julia.tokens import (
    BLOCKS,
    CLOSING,
    MATES,
    OPENERS,
    OPERANDS,
    SEPARATORS,
    UNCHECKED,
    Broken,
    Ready,
    Token,
    is_left_out,
    partners,
    statement_end,
    words,
)
from dp_lsp.frontends.julia.vocabulary import (
    AT_EXPANSION,
    BY_NAME,
    DOTTING,
    EVALUATES,
    GIVING,
    HINTS,
    LIBRARY_CALL,
    LOGGING,
    UNCHECKING,
    VIEWS,
)
from dp_lsp.problem import Problem
from dp_lsp.surface import (
    MACRO_CALL,
    Brought,
    Evaluates,
    Export,
    Import,
    Name,
    Node,
    Number,
    Opaque,
    Parameter,
    Structure,
    TypeDefinition,
    TypeExpr,
)

BLACK_BOX = "BlackBox"

_BLOCKS = {
    "LET": "a `let` block",
    "TRY": "a `try` block",
    "QUOTE": "a quoted expression",
    "STRUCT": "a type definition",
    "MACRO": "a macro definition",
    "MODULE": "a nested module",
    "BAREMODULE": "a nested module",
}
_LINES = {
    "AT": MACRO_CALL,
    "GLOBAL": "a `global` declaration",
    "LOCAL": "a `local` declaration",
    "EXPORT": "an `export`",
    "IMPORT": "an import",
    "USING": "an import",
}
_BRACKETS = {"MATRIX": "a matrix literal", "MCALL": MACRO_CALL, "QUOTED": "a quoted expression"}
FOLDED = frozenset((*_BLOCKS, *_LINES, *_BRACKETS, "CONCAT", "GENERATOR"))
"""The tokens with which something begins that is kept from the grammar."""

_OPERAND_STARTS = words("NAME NUMBER BOOL STRING NODE LPAR LSQB")
_BEFORE = words("NL BEGIN ELSE DO ASSIGN")
"""What stands before a statement, or before all that is right of an assignment."""

_SPECIAL = FOLDED | OPENERS | BLOCKS | CLOSING.keys() | SEPARATORS | words("COMMA SEMI")


class Folded:
    """A chunk's tokens for the grammar, and the problems that lie in what was folded."""

    def __init__(self, tokens: list[Token]) -> None:
        self.problems: list[Problem] = []
        self.tokens = self._without_black_boxes(tokens)
        if any(token.type in FOLDED or token.value == LIBRARY_CALL for token in self.tokens):
            self.tokens = _Folder(self.tokens, self.problems).run()

    def _without_black_boxes(self, tokens: list[Token]) -> list[Token]:
        if not any(token.value == BLACK_BOX for token in tokens):
            return tokens
        kept: list[Token] = []
        position = 0
        for start, end in _black_boxes(tokens):
            if start < position:
                continue  # inside another one
            node = opaque(tokens[start:end], "a black box", self.problems, at=tokens[start - 1].end)
            node.summary = node.summary.inside()
            kept += tokens[position:start]
            kept.append(Ready("BLACKBOX", node, ""))
            position = end
        return kept + tokens[position:]


def _black_boxes(tokens: Sequence[Token]) -> list[tuple[int, int]]:
    """Where the bodies of black boxes stand, as ranges of indices."""
    partner = partners(tokens)
    found = []
    for index, token in enumerate(tokens):
        kinds = [token.type for token in tokens[max(0, index - 2) : index + 2]]
        if token.value != BLACK_BOX or kinds != ["RPAR", "TYPE", "NAME", "CALL"]:
            continue
        opener, closer = partner[index - 2], partner[index + 1]
        if opener < 1 or closer < 0 or tokens[opener].type != "CALL":
            continue
        if opener > 1 and tokens[opener - 2].type == "FUNCTION":
            end = partner[opener - 2]
            found.append((closer + 1, end if end >= 0 else len(tokens)))
        elif closer + 1 < len(tokens) and tokens[closer + 1].type == "ASSIGN":
            found.append((closer + 2, statement_end(tokens, partner, closer + 2)))
    return found


def opaque(tokens: Sequence[Token], what: str, problems: list[Problem], at: int) -> Opaque:
    """What a row of tokens becomes; problems that lie in it are added to ``problems``."""
    shown = [token for token in tokens if token.type != "NL"]
    start, end = (shown[0].start, shown[-1].end) if shown else (at, at)
    wrong = [token.problem for token in tokens if isinstance(token, Broken)]
    problems += wrong
    inner = any(map(is_left_out, tokens))
    found = summary(tokens)
    return Opaque(start, end, what, damaged(found) if wrong else found, broken=bool(wrong) or inner)


class _Group:
    """Something open: where it began in the folded tokens, and where its current item did. ``marks`` are the ``for``
    and ``if`` of a generator in it, and what parts its items."""

    __slots__ = ("generates", "item", "kept", "marks", "type")

    def __init__(self, type: str, kept: int, item: int) -> None:
        self.type = type
        self.kept = kept
        self.item = item
        self.generates = False
        self.marks: list[int] = []


class _Folder:
    def __init__(self, tokens: list[Token], problems: list[Problem]) -> None:
        self.tokens = tokens
        self.problems = problems
        self.out: list[Token] = []
        self.groups: list[_Group] = []
        self.places: dict[str, tuple[int, int]] = {}
        """The first and the last place of each name, once somebody asks."""

    def run(self) -> list[Token]:
        for index, token in enumerate(self.tokens):
            kind = token.type
            if kind not in _SPECIAL:
                self.out.append(token)
            elif kind in CLOSING:
                self._close(token)
            elif kind in SEPARATORS:
                self._end_lines(brackets=True)
                self.out.append(token)
            elif kind in ("COMMA", "SEMI", "GENERATOR"):
                self._separate(token)
            else:
                self._open(index, token)
        self._end_lines(brackets=True)
        return self.out

    def _open(self, index: int, token: Token) -> None:
        kept = len(self.out)
        kind = token.type
        self.out.append(token)
        if kind == "AT" and self.groups and self.groups[-1].type in ("IMPORT", "USING"):
            return  # the name of a macro
        if kind == "AT":
            while kept > 1 and [t.type for t in self.out[kept - 2 : kept]] == ["NAME", "DOT"]:
                kept -= 2
            following = self.tokens[index + 1 : index + 2]
            if following and following[0].type == "MCALL":
                return
        elif kind == "MCALL":
            kept -= 1
            while kept > 1 and [t.type for t in self.out[kept - 2 : kept]] == ["NAME", "DOT"]:
                kept -= 2
        elif kind == "QUOTED":
            return
        elif kind == "LPAR" and kept and self.out[kept - 1].type == "QUOTED":
            kept -= 1
            kind = "QUOTED"
        self.groups.append(_Group(kind, kept, len(self.out)))

    def _close(self, token: Token) -> None:
        self._end_lines(brackets=token.type == "END")
        mark = CLOSING[token.type]
        while self.groups and self._mark(self.groups[-1]) != mark and self.groups[-1].type not in BLOCKS:
            self.groups.pop()
        if not self.groups or self._mark(self.groups[-1]) != mark:
            self.out.append(token)
            return
        group = self.groups.pop()
        self._end_item(group, is_last=True)
        self.out.append(token)
        if group.type == "LET" and (block := self._as_block(self.out[group.kept :])) is not None:
            self.out[group.kept :] = block
        elif group.type in _BLOCKS:
            self._fold(group.kept, _BLOCKS[group.type])
        elif group.type in _BRACKETS:
            self._fold(group.kept, _BRACKETS[group.type])
        elif group.type == "CALL" and self._calls_library(group.kept - 1):
            self._fold(group.kept - 1, "a call of a C function")
        elif group.type == "LSQB" and group.generates and not self._comprehends(group.marks):
            self._fold(group.kept, "a comprehension")

    def _as_block(self, tokens: Sequence[Token]) -> list[Token] | None:
        """A `let` block of a function as the `begin` block that does the same, where what it gives a name has one that
        stands nowhere else in the text, as has all else that it assigns, but for variables that are there before it:
        then it makes no difference whose names these are. What a name is given at the beginning is evaluated before the
        name, and those behind it, are there. None for any other block, and for one that gives no value.

        Source: the Julia manual, "Scope of Variables", "Let Blocks"."""
        around = next((group.kept for group in reversed(self.groups) if group.type == "FUNCTION"), None)
        opener, *inner, end = tokens
        at = next((index for index, token in enumerate(inner) if token.type in ("NL", "SEMI")), len(inner))
        given, body = _listed_apart(inner[:at]), inner[at:]
        does = summary(body)
        if around is None or does.anything or does.outside or all(token.type in ("NL", "SEMI") for token in body):
            return None
        if any([token.type for token in item[:2]] != ["NAME", "ASSIGN"] for item in given):
            return None
        names = {item[0].value for item in given}
        known = {name for name in names | does.binds if self._stands_outside(name, opener.start, end.end)}
        if known and not known <= _variables(self.out[around : len(self.out) - len(tokens)]) - names:
            return None
        later = (names | does.binds) - known
        for item in given:
            if not later.isdisjoint(_names(item[2:])):
                return None
            later.discard(item[0].value)
        commas = _commas(inner[:at])
        header = [_of_type(token, "NL") if token in commas else token for token in inner[:at]]
        return [_of_type(opener, "BEGIN"), *header, *body, end]

    def _stands_outside(self, name: str, start: int, end: int) -> bool:
        """Whether a name stands anywhere else than between two places."""
        if not self.places:
            for token in self.tokens:
                for each in _names([token]):
                    first, _ = self.places.get(each, (token.start, token.start))
                    self.places[each] = first, token.start
        first, last = self.places.get(name, (start, start))
        return first < start or last >= end

    def _calls_library(self, place: int) -> bool:
        return place >= 0 and self.out[place].value == LIBRARY_CALL and calls_library(self.out, place)

    def _comprehends(self, marks: list[int]) -> bool:
        """Whether what has these marks goes over one thing by one variable: the grammar reads that."""
        first, *more = marks
        words = [self.out[mark].value for mark in marks]
        target, sign = self.out[first + 1 : first + 3] if first + 2 < len(self.out) else [self.out[first]] * 2
        if words not in (["for"], ["for", "if"]) or target.type != "NAME" or sign.value not in ("in", "="):
            return False
        renamed = {first: "EACH", first + 2: "IN", **dict.fromkeys(more, "KEPT")}
        for place, type_ in renamed.items():
            token = self.out[place]
            self.out[place] = Token(type_, token.start, token.end, token.value)
        return True

    def _mark(self, group: _Group) -> str:
        return ")" if group.type == "QUOTED" else MATES.get(group.type, "end")

    def _end_item(self, group: _Group, is_last: bool = False) -> None:
        """An item of a bracket ends here: fold it if it is a generator, or rows of a matrix. A comma behind a generator
        goes on with it."""
        if group.type == "CONCAT":
            self._fold(group.item, "a matrix literal")
            opener = self.out[group.kept]
            self.out[group.kept] = Token("INDEX", opener.start, opener.end, opener.value)
        elif group.generates and group.type not in ("LSQB", "MATRIX"):
            marks = [mark for mark in group.marks if mark >= group.item]
            if group.type == "CALL" and is_last and self._comprehends(marks):
                return
            self._fold(group.item, "a comprehension" if group.type == "INDEX" else "a generator")

    def _separate(self, token: Token) -> None:
        if token.type == "GENERATOR":
            self._end_lines(brackets=False)
            if self.groups:
                self.groups[-1].generates = True
        elif len(self.groups) > 1 and self.groups[-1].type in _LINES and self.groups[-2].type in OPENERS:
            self._end_lines(brackets=False)
        group = self.groups[-1] if self.groups else None
        if group and group.type in OPENERS and group.type != "CONCAT" and token.type != "GENERATOR":
            self._end_item(group)
            group.item = len(self.out) + 1
            group.generates = group.generates and group.type == "LSQB"
        if group:
            group.marks.append(len(self.out))
        self.out.append(token)

    def _end_lines(self, brackets: bool) -> None:
        """A line ends here: fold what extends to the end of it; with ``brackets`` give up open ones."""
        while self.groups:
            group = self.groups[-1]
            if group.type in _LINES:
                self._fold(group.kept, _LINES[group.type])
            elif not (brackets and (group.type in OPENERS or group.type == "QUOTED")):
                break
            self.groups.pop()

    def _fold(self, kept: int, what: str) -> None:
        tokens = self.out[kept:]
        if not tokens:
            return
        if [token.value for token in tokens[:3]] == ["Base", ".", BY_NAME]:
            tokens = tokens[2:]
        if tokens[0].type == "AT" and self._is_statement(kept):
            if _is_hint(tokens):
                del self.out[kept]
                return
            if tokens[0].value == BY_NAME and (made := _by_name(tokens)) is not None:
                self.out[kept:] = [Ready("NODE", made, "")]
                return
            if tokens[0].value == UNCHECKING and not any(map(_is_folded, tokens)):
                self.out[kept:] = map(_unchecked, tokens[1:])
                return
            if tokens[0].value == DOTTING and (dotted := _dotted(tokens[1:])) is not None:
                self.out[kept:] = dotted
                return
            if tokens[0].value in LOGGING or tokens[0].value == GIVING:
                called = _as_call(tokens)
                if called:
                    self.out[kept:] = called
                    return
        node: Node = opaque(tokens, what, self.problems, at=tokens[0].start)
        if not any(isinstance(token, Broken) for token in tokens):
            if tokens[0].type in ("IMPORT", "USING"):
                node = _imported(tokens)
            elif tokens[0].type == "EXPORT":
                node = Export(tokens[0].start, tokens[-1].end)
            elif tokens[0].value == EVALUATES and isinstance(node, Opaque) and (code := evaluated(tokens[1:])):
                node = Evaluates(node.start, node.end, node.what, node.summary, *code)
            elif what == _BRACKETS["QUOTED"] and len(tokens) == 4 and not isinstance(tokens[2], Ready):
                node = quoted(node.start, node.end, tokens[2].value)
            elif tokens[0].type == "STRUCT" and isinstance(node, Opaque) and tokens[1].type == "NAME":
                node = _type_definition(tokens, node)
        self.out[kept:] = [Ready("NODE", node, "")]

    def _is_statement(self, kept: int) -> bool:
        """Whether what begins there is a statement, or all that is right of an assignment."""
        while kept and self.out[kept - 1].type == "AT" and self.out[kept - 1].value in (*HINTS, UNCHECKING, VIEWS):
            kept -= 1
        before = self.out[kept - 1].type if kept else "NL"
        return before in _BEFORE and not any(group.type in OPENERS for group in self.groups[:-1])


def _type_definition(tokens: Sequence[Token], node: Opaque) -> TypeDefinition:
    """The definition of a type that these tokens are; a structure, if it says no more than names and types."""
    name, fields = tokens[1].value, list[Parameter]()
    plain = tokens[0].value == "struct"
    for line in _lines(tokens[2:-1]) if plain else ():
        field = _field(line)
        if field is None:
            plain = False
            break
        fields.append(field)
    if not plain or not fields:
        what = "a type whose values can change" if tokens[0].value == "mutable struct" else node.what
        return TypeDefinition(node.start, node.end, what, node.summary, name)
    return Structure(node.start, node.end, node.what, node.summary, name, tuple(fields), by_name=False)


def _lines(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    """What stands between line ends and semicolons, if anything does."""
    line = list[Token]()
    for token in (*tokens, None):
        if token is not None and token.type not in ("NL", "SEMI"):
            line.append(token)
        elif line:
            yield line
            line = []


def _field(tokens: Sequence[Token]) -> Parameter | None:
    """``name::Type``, or ``name::Type = number``; None for anything else."""
    kinds = [token.type for token in tokens]
    if kinds[:3] != ["NAME", "TYPE", "NAME"] or kinds[3:] not in ([], ["ASSIGN", "NUMBER"]):
        return None
    name, _, type_, *default = tokens
    number = None
    if default:
        value = default[1]
        number = Number(value.start, value.end, Fraction(value.value), value.value.isdigit())
    annotation = TypeExpr(type_.start, type_.end, type_.value)
    return Parameter(name.start, tokens[-1].end, name.value, annotation, number)


def _by_name(tokens: Sequence[Token]) -> Structure | None:
    """The structure whose parts are given by name, which a macro makes of a plain one."""
    (*_, last) = tokens
    if len(tokens) != 2 or not isinstance(last, Ready) or not isinstance(last.node, Structure):
        return None
    made = last.node
    summary_ = made.summary
    return Structure(tokens[0].start, made.end, made.what, summary_, made.name, made.fields, by_name=True)


def _is_hint(tokens: Sequence[Token]) -> bool:
    """Whether this is a macro and a statement of which that makes the same again. (Who gives such a macro another
    meaning gives all names one.)"""
    name, *written = tokens
    if not written or written[0].type == "MCALL":
        return False
    if name.value == AT_EXPANSION:
        return written[0].type == "IF"
    return name.value in HINTS or (name.value in (UNCHECKING, VIEWS) and not any(map(_indexes, written)))


def _as_call(tokens: Sequence[Token]) -> list[Token]:
    """The call of a macro that prints what it is given as that of a function; nothing if it cannot be read as one.
    Blanks part what it is given, where no operation goes on; what stands left of a sign of equality is a name."""
    name, *written = tokens
    callee = Token("NAME", name.start, name.end, name.value)
    if not written:
        return []
    if written[0].type == "MCALL":
        opener = written[0]
        return [callee, Token("CALL", opener.start, opener.end, opener.value), *written[1:]]
    found = [callee, Token("CALL", name.end, name.end, "")]
    partner = partners(written)
    index = 0
    while index < len(written):
        token, before = written[index], found[-1]
        if token.type in ("COMMA", "SEMI"):
            return []
        if index and before.type in OPERANDS and before.end < token.start and _begins_operand(written, index):
            found.append(Token("COMMA", before.end, before.end, ""))
        if token.type == "ASSIGN" and name.value != GIVING:
            token = Token("KWASSIGN", token.start, token.end, token.value)
        end = max(index, partner[index]) + 1
        found += [token, *written[index + 1 : end]]
        index = end
    return [*found, Token("RPAR", written[-1].end, written[-1].end, "")]


_DOTTABLE = words("PM PLUS TIMES POW COMPARE NOT ASSIGN OPASSIGN JUXT")
_KEPT = words("NAME NUMBER BOOL LPAR RPAR COMMA ADJ")


def _dotted(tokens: Sequence[Token]) -> list[Token] | None:
    """Tokens with a dot at each operation, call and assignment; None if there is anything else in them."""
    found: list[Token] = []
    for token in tokens:
        type_, value = token.type, token.value
        if type_ in _DOTTABLE:
            value = value if value.startswith(".") else f".{value or '*'}"
        elif type_ == "CALL" and found and found[-1].type == "NAME":
            type_ = "BCALL"
        elif type_ not in _KEPT:
            return None
        found.append(Token(type_, token.start, token.end, value))
    return found or None


def _begins_operand(tokens: Sequence[Token], index: int) -> bool:
    """Whether something begins here that does not go on with what is before it, from which blanks part it."""
    token = tokens[index]
    if token.type in ("PM", "NOT"):
        return index + 1 < len(tokens) and tokens[index + 1].start == token.end
    return token.type in _OPERAND_STARTS


def _of_type(token: Token, type_: str) -> Token:
    return Token(type_, token.start, token.end, token.value)


def _commas(tokens: Sequence[Token]) -> list[Token]:
    """The commas that are in no brackets."""
    partner, found, index = partners(tokens), list[Token](), 0
    while index < len(tokens):
        found += [tokens[index]] if tokens[index].type == "COMMA" else []
        index = max(index, partner[index]) + 1
    return found


def _listed_apart(tokens: Sequence[Token]) -> list[list[Token]]:
    """What commas part that are in no brackets; nothing where nothing stands."""
    marks = _commas(tokens)
    found: list[list[Token]] = [[]]
    for token in tokens:
        if token in marks:
            found.append([])
        else:
            found[-1].append(token)
    return found if tokens else []


def _variables(tokens: Sequence[Token]) -> set[str]:
    """The parameters of a function that begins there, and what it assigns in the blocks that are still open."""
    partner, found, index = partners(tokens), set[str](), 1
    if [token.type for token in tokens[1:3]] == ["NAME", "CALL"]:
        end = partner[2] if partner[2] > 2 else len(tokens)  # they may still be open: this stands in one of them
        within = tokens[2:end]
        starts = (place for place, token in enumerate(within) if token.type in ("CALL", "COMMA", "SEMI"))
        found |= {token.value for place in starts for token in within[place + 1 : place + 2] if token.type == "NAME"}
        index = end
    while index + 2 < len(tokens):
        before, name, sign = tokens[index : index + 3]
        if before.type in ("NL", "SEMI") and name.type == "NAME" and sign.type == "ASSIGN":
            found.add(name.value)
        index = max(index, partner[index]) + 1
    return found


def _names(tokens: Iterable[Token]) -> set[str]:
    """The names that stand in tokens, or in what they were read as."""
    found, nodes = set[str](), list[Node]()
    for token in tokens:
        if isinstance(token, Ready):
            nodes.append(token.node)
        elif token.type == "NAME":
            found.add(token.value)
    while nodes:
        node = nodes.pop()
        if isinstance(node, Opaque):
            found |= node.summary.mentions | node.summary.binds
        elif isinstance(node, Name):
            found.add(node.name)
        nodes += node.children
    return found


def _is_folded(token: Token) -> bool:
    """Whether a token holds text that may take entries."""
    return token.type in ("CONCAT", "MCALL") or (isinstance(token, Ready) and isinstance(token.node, Opaque))


def _unchecked(token: Token) -> Token:
    """A token as it is where it is not checked whether there are entries."""
    return Token(token.type, token.start, token.end, UNCHECKED) if token.type == "INDEX" else token


def _indexes(token: Token) -> bool:
    """Whether a token takes an entry or a part of something, or holds text that may."""
    return token.type in ("INDEX", "CONCAT") or isinstance(token, Ready)


def _imported(tokens: Sequence[Token]) -> Import:
    """The line that these tokens are, the keyword included.

    ``import A.b`` brings ``b``, and so may extend it, as ``import A: b`` does. ``using A`` brings ``A`` and all that it
    exports; which names these are cannot be read off."""
    using = tokens[0].type == "USING"
    kinds = [token.type for token in tokens]
    colon = kinds.index("COLON") if "COLON" in kinds else None
    paths = list(map(_path, _listed(tokens[1:colon])))
    brought: list[Brought] = []
    opened: list[str] = []
    if colon is not None:
        module = paths[0][0] if paths else ""
        names = map(_path, _listed(tokens[colon + 1 :]))
        brought += (Brought(here or name, name, module, not using) for name, here in names)
    else:
        for path, here in paths:
            module, _, last = path.rpartition(".")
            brought.append(Brought(here or last, last, module, bool(module) and not using))
            opened += [path] if using and not here else []
    start, end = tokens[0].start, tokens[-1].end
    return Import(start, end, tuple(opened), tuple(each for each in brought if each.here))


def _listed(tokens: Sequence[Token]) -> list[list[Token]]:
    """What commas part."""
    found: list[list[Token]] = [[]]
    for token in tokens:
        if token.type == "COMMA":
            found.append([])
        else:
            found[-1].append(token)
    return [each for each in found if each]


def _path(tokens: list[Token]) -> tuple[str, str]:
    """A name, with those of the modules around it, and what it is called here, if that is another name."""
    words = [token.value for token in tokens]
    if "as" in words[1:-1]:
        at = words.index("as", 1)
        return "".join(words[:at]), "".join(words[at + 1 :])
    return "".join(words), ""
