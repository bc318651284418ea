"""What surrounds a cursor in the present text, also where that is half typed: strings, comments and open calls."""

from __future__ import annotations

import re
from typing import NamedTuple

from dp_lsp.analysis.workspace import Document

_FARTHEST = 50_000  # characters that are looked through; a longer function is read from its middle
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


class Bracket(NamedTuple):
    """A bracket that is open: what stands right before it, how many commas have passed since, whether a semicolon
    has, and the name before the last ``=`` since the last comma. ``header`` says that it opens a definition."""

    mark: str
    callee: str
    commas: int = 0
    named: bool = False
    keyword: str = ""
    header: bool = False


class Cursor(NamedTuple):
    """The brackets around a place, the innermost last, the word that is being typed, and what stands before that on
    its line; ``quiet`` in strings, comments and numbers, and after a dot."""

    brackets: tuple[Bracket, ...] = ()
    word: str = ""
    before: str = ""
    quiet: bool = False

    @property
    def inner(self) -> Bracket | None:
        """The innermost bracket."""
        return self.brackets[-1] if self.brackets else None


def cursor(document: Document, offset: int) -> Cursor:
    """What surrounds an offset of the present text."""
    text = document.source.text
    offset = max(0, min(offset, len(text)))
    scan = _Scan(text, _begin(document, offset), offset)
    if not scan.run():
        return Cursor(quiet=True)
    line = text[text.rfind("\n", 0, offset) + 1 : offset]
    found = re.search(rf"(?:{_WORD.pattern})\Z", line)
    word = found[0] if found else ""
    before = line[: len(line) - len(word)]
    quiet = word[:1].isdigit() or word.startswith("@") or before.endswith((".", "@"))
    return Cursor(tuple(scan.brackets), word, before, quiet)


def _begin(document: Document, offset: int) -> int:
    """Where nothing is open, before an offset of the present text."""
    text = document.source.text
    far = max(0, text.rfind("\n", 0, max(0, offset - _FARTHEST)) + 1)
    if document.analysis is None:
        return far
    before = document.analysis.before(document.analysed_offset(offset))
    if before is None:
        return far
    now = document.present_start(before.start)
    return max(far, now) if now <= offset else far


class _Scan:
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
        self.brackets.append(Bracket(mark, callee, header=header))

    def _pop(self) -> str:
        mark = self._open.pop()
        if mark not in _INSIDE:
            self.brackets.pop()
        return mark
