"""What surrounds a cursor in Julia text, also where that is half typed: strings, comments and open calls."""

from __future__ import annotations

import re

from dp_lsp.frontends.julia.vocabulary import MARKS, METRICS, TYPES
from dp_lsp.language import Argument, Bracket, Cursor, Expected
from dp_lsp.text import Span

_WORD = re.compile(r"(?:[^\W\d]|[\u2200-\u22ff])[\w\u2032-\u2037\u0300-\u036f]*!*|@\w+|\d\w*")
_CODE = re.compile(
    r"(?P<word>(?:[^\W\d]|[\u2200-\u22ff])[\w\u2032-\u2037\u0300-\u036f]*(?:!(?!=))*)|(?P<number>\d\w*)"
    r"|(?P<comment>\#=|\#[^\r\n]*)|(?P<quote>\"\"\"|\"|```|`)"
    r"|(?P<character>(?<![\w)\]}'])'(?:\\[^\r\n][^'\r\n]*|[^\\'\r\n])')"
    r"|(?P<opener>[(\[{])|(?P<closer>[)\]}])|(?P<comma>,)|(?P<semicolon>;)|(?P<equals>=)(?!=)"
)
_INSIDE = {quote: re.compile(rf"\\[\s\S]|{quote}|\$\(") for quote in ('"""', '"', "```", "`")}
_COMMENT = re.compile(r"#=|=#")
_STATEMENT = frozenset(("function", "for", "if", "while", "end", "else", "elseif", "return"))
_MATES = {")": "(", "]": "[", "}": "{"}


_NEW_NAME = re.compile(r"(?:^|[\s;])(?:function|module|baremodule|macro|struct|using|import|for)\s+$")
_ANNOTATED = re.compile(r"::\s*$")
_LONGEST_HEADER = 2_000  # characters; a longer header is not looked through


def cursor(text: str, start: int, offset: int) -> Cursor:
    """What surrounds an offset; nothing is open at ``start``."""
    scan = _CursorScan(text, start, offset)
    if not scan.run():
        return Cursor(quiet=True)
    line = text[text.rfind("\n", 0, offset) + 1 : offset]
    found = re.search(rf"(?:{_WORD.pattern})\Z", line)
    word = found[0] if found else ""
    before = line[: len(line) - len(word)]
    quiet = word[:1].isdigit() or word.startswith("@") or before.endswith((".", "@"))
    brackets = tuple(scan.brackets)
    return Cursor(brackets, word, before, quiet, _expected(brackets[-1] if brackets else None, before))


def _expected(inner: Bracket | None, before: str) -> Expected:
    if _NEW_NAME.search(before):
        return Expected.NOTHING
    if inner and (inner.callee in METRICS or inner.callee in MARKS or (inner.mark == "{" and inner.callee in TYPES)):
        return Expected.TYPE
    return Expected.TYPE if _ANNOTATED.search(before) else Expected.VALUE


class _CursorScan:
    """Reads a text from a place where nothing is open up to a cursor."""

    def __init__(self, text: str, start: int, end: int) -> None:
        self.text = text
        self.position = start
        self.end = end
        self.brackets: list[Bracket] = []
        self._open: list[str] = []  # brackets and, around code inside a string, its quotation mark
        self._word = ("", -1)
        self._previous = ""

    def run(self) -> bool:
        """Read; false if the cursor is inside a string, a comment or a character."""
        while self.position < self.end:
            if self._open and self._open[-1] in _INSIDE:
                if not self._string(self._open[-1]):
                    return False
                continue
            found = _CODE.search(self.text, self.position, self.end)
            if found is None:
                return True
            self.position = found.end()
            if not self._token(found):
                return False
        return not (self._open and self._open[-1] in _INSIDE)

    def _string(self, quote: str) -> bool:
        """Go on inside a string; a short one that is not closed on its line ends with that."""
        found = _INSIDE[quote].search(self.text, self.position, self.end)
        if len(quote) == 1:
            newline = self.text.find("\n", self.position, self.end)
            if newline >= 0 and (found is None or newline < found.start()):
                self._open.pop()
                self.position = newline
                return True
        if found is None:
            return False
        self.position = found.end()
        if found[0] == "$(":
            self._push("(", "")
        elif found[0] == quote:
            self._open.pop()
        return True

    def _token(self, found: re.Match[str]) -> bool:
        text, kind = found[0], found.lastgroup
        if kind == "word":
            self._note(text, found.start())
        elif kind == "comment":
            return self._comment(found)
        elif kind == "quote":
            self._open.append(text)
        elif kind == "opener":
            word, end = self._word
            self._push(text, word if end == found.start() else "", self._previous == "function")
        elif kind == "closer":
            if _MATES[text] in self._open:
                while self._pop() != _MATES[text]:
                    pass
        elif self.brackets:
            self._separate(str(kind))
        return True

    def _note(self, word: str, start: int) -> None:
        """A word; one that begins a statement at the beginning of a line ends brackets that were forgotten."""
        line = self.text.rfind("\n", 0, start) + 1
        if word in _STATEMENT and self.brackets and not self.text[line:start].strip():
            while self._open and self._open[-1] not in _INSIDE:
                self._pop()
        self._previous = self._word[0]
        self._word = (word, start + len(word))

    def _comment(self, found: re.Match[str]) -> bool:
        if found[0] != "#=":
            return found.end() < self.end
        depth = 0
        for mark in _COMMENT.finditer(self.text, found.start(), self.end):
            depth += 1 if mark[0] == "#=" else -1
            if not depth:
                self.position = mark.end()
                return True
        return False

    def _separate(self, kind: str) -> None:
        top = self.brackets[-1]
        if kind == "comma":
            self.brackets[-1] = top._replace(commas=top.commas + 1, keyword="")
        elif kind == "semicolon":
            self.brackets[-1] = top._replace(named=True, keyword="")
        elif kind == "equals":
            self.brackets[-1] = top._replace(keyword=self._word[0])

    def _push(self, mark: str, callee: str, header: bool = False) -> None:
        self._open.append(mark)
        self.brackets.append(Bracket(mark, callee, header=header, call=mark == "("))

    def _pop(self) -> str:
        mark = self._open.pop()
        if mark not in _INSIDE:
            self.brackets.pop()
        return mark


def arguments(text: str, name: Span) -> list[Argument]:
    """The parameters of a definition as they are written."""
    if text[name.end : name.end + 1] != "(":
        return []
    depth, begin, by_name, found = 0, name.end + 1, False, list[Argument]()
    for position in range(name.end, min(len(text), name.end + _LONGEST_HEADER)):
        character = text[position]
        if character in "([{":
            depth += 1
        elif character in ")]}":
            depth -= 1
        if depth == 0 or (depth == 1 and character in ",;"):
            piece = " ".join(text[begin:position].split())
            found += [Argument(piece, piece.partition("::")[0].partition("=")[0].strip(), by_name)] if piece else []
            begin = position + 1
            by_name = by_name or character == ";"
        if depth == 0:
            return found
    return []


def signature(name: str, arguments: list[Argument]) -> tuple[str, list[Span]]:
    """A call with its arguments, those that are given by name behind a semicolon, and where these stand."""
    label, places = f"{name}(", list[Span]()
    for index, each in enumerate(arguments):
        if index:
            label += "; " if each.by_name and not arguments[index - 1].by_name else ", "
        places.append(Span(len(label), len(label) + len(each.text)))
        label += each.text
    return f"{label})", places
