"""What rules say, and how types are shown, in Python's words.

Rules speak of code in the words of the rows, which are Julia's where a row has no other ones. Types are shown in the
published notation, such as ``Vector<Symmetric>[?]{Real in [0, 1]}``, which nobody knows who writes Python.
"""

from __future__ import annotations

import re

from dp_lsp.core.types import DatasetMetric

_RELATIONS = {
    DatasetMetric.SYMMETRIC.value: "AddRemove()",
    DatasetMetric.INSERT_DELETE.value: "AddRemove(ordered=True)",
    DatasetMetric.CHANGE_ONE.value: "ChangeOne()",
    DatasetMetric.HAMMING.value: "ChangeOne(ordered=True)",
}
_ANY_RELATION = "|".join(_RELATIONS)
_OTHER_RELATION = "|".join(each for each in _RELATIONS if each != DatasetMetric.CHANGE_ONE.value)  # a word of Python
_SAID: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), instead)
    for pattern, instead in (
        (r"`clamp\((.*?), L, U\)`", r"`np.clip(\1, low, high)`"),
        (r"(?<=\bor )`clamp`|(?<=\bwith )`clamp`", "`np.clip`"),  # elsewhere it may be a function of the program
        (r"^clamp (?=`|all )", "clip "),
        (r", or fix the number with `resize\(v, n, x\)`", ""),
        (r", or make it so with `resize\(v, [^`]*, x\)`", ""),
        (r"; bound it with `clip\(\w+, c, v\)`", ": divide each row by its norm where that is larger than a limit"),
        (r"\ba Bool\b", "a `bool`"),
        (r"\(Integer\)", "(`int`)"),
        (r"\(Integer or Real\)", "(`int` or `float`)"),
        (r"\ba Real number\b", "a `float`"),
        (r"\ban Integer\b", "an `int`"),
        (r"\ba private Real\b", "a private `float`"),
        (r"\bof Real\b", "of `float`"),
        (r"\bof Integer\b", "of `int`"),
        (r"`int` or Real\b", "`int` or `float`"),
        (r"\b([Ww]ith) dims=1\b", r"\1 `axis=0`"),
        (r"\b([Ww]ith) dims=2\b", r"\1 `axis=1`"),
        (r"\b(Integer), (Bool) and Data values\b", "`int`, `bool` and untrusted values"),
        (r"\ba Real side\b", "a `float` side"),
        (r"\b(of|to) Data\b", r"\1 untrusted numbers"),
        (r"\bcorrected=false\b", "`ddof=0`"),
        (r" ▸ row_to_vec [^▸]*(?=▸)", " "),
        (r"▸ map_rows\b", "▸ each row"),
    )
)
_LENGTH = re.compile(r"\b(?:length|rows)\(")
_WIDTH = re.compile(r"\bcols\((\w+)\)")
_RELATION = re.compile(
    rf"(?<=\()({_ANY_RELATION})(?=\))|(?<=`)({_OTHER_RELATION})(?=`)|(?<=measured in )({_ANY_RELATION})\b"
)


def spoken(sentence: str) -> str:
    """A sentence of a rule in Python's words."""
    for pattern, instead in _SAID:
        sentence = pattern.sub(instead, sentence)
    parts = sentence.split("`")  # what stands between two of them is code, as the user wrote it
    parts[::2] = [_LENGTH.sub("len(", part) for part in parts[::2]]
    return _RELATION.sub(_relation, "`".join(parts))


def _relation(found: re.Match[str]) -> str:
    said = _RELATIONS[found[0]]
    return said if found[2] else f"`{said}`"


# Types

_NUMBERS = re.compile(r"(?<![\w.])(Real|Integer|Bool|Data)\b")
_WORDS = {"Real": "float", "Integer": "int", "Bool": "bool", "Data": "untrusted float"}
_MANY = re.compile(r"(?:Vector|Matrix|Gradient)<([^<>]*)>\[((?:[^][]|\[[^][]*\])*)\]\{([^{}]*)\}")
_TUPLE = re.compile(r"\bTuple\{([^{}]*)\}")
_ROW = re.compile(r"c: \w+ ≤ (.*)")


def types_shown(text: str) -> str:
    """Types that are shown in the published notation, in Python's words: ``records[?] of float, AddRemove()``."""
    text = _NUMBERS.sub(lambda found: _WORDS[found[1]], _WIDTH.sub(r"\1.shape[1]", _LENGTH.sub("len(", text)))
    before = ""
    while text != before:  # from the inside out
        before = text
        text = _TUPLE.sub(r"tuple[\1]", _MANY.sub(_of_many, text))
    return text


def _of_many(found: re.Match[str]) -> str:
    head, *more = found[1].split(", ")
    if head not in _RELATIONS:
        return f"array[{found[2]}] of {found[3]}"
    rows = [f"RowNorm({row[1]})" for each in more if (row := _ROW.fullmatch(each))]
    return ", ".join((f"records[{found[2]}] of {found[3]}", _RELATIONS[head], *rows))
