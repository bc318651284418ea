"""The words of Python: its keywords, those of ``dp_types``, and the builtins that it has.

What may be typed in an annotation: the words of ``dp_types`` that fit the type behind ``Annotated[``. Of the rest of
Python other servers tell what may be typed.
"""

from __future__ import annotations

import builtins
import keyword
import re
from collections.abc import Iterator

from dp_lsp.frontends.python.chunks import pieces
from dp_lsp.frontends.python.entries import COUNT
from dp_lsp.frontends.python.filled import APPEND, ZEROS
from dp_lsp.frontends.python.hopeless import HOPELESS, SHOWS_KEYS, told
from dp_lsp.frontends.python.kinds import GIVEN, SAMPLERS
from dp_lsp.frontends.python.names import BASES, EXCEPTIONS, KNOWN, RUNNING, TYPES, WORDS
from dp_lsp.frontends.python.numeric import FUNCTIONS, spellings
from dp_lsp.frontends.python.of_rows import COLUMN, COUNT_KEPT, DOT, KEPT, LENGTH, ROW_SUM, SHAPE, SHORT, VECTOR
from dp_lsp.frontends.python.outputs import SHOWING
from dp_lsp.frontends.python.reducing import OF_MANY, QUANTILE
from dp_lsp.frontends.python.releasing import opacus, opendp
from dp_lsp.frontends.python.releasing.diffprivlib import ADD_GEOMETRIC, GAUSSIAN, GEOMETRIC, LAPLACE, PREMISE
from dp_lsp.language import (
    FLOAT_NOISE,
    UNSEEDED,
    Bracket,
    Builtins,
    Cursor,
    Expected,
    Familiar,
    Spelling,
    Vocabulary,
    Word,
)

_ANNOTATED = "Annotated"
_CALLED = re.compile(rf"\b{_ANNOTATED}\Z")
_TYPED = re.compile(r"[^\W\d]\w*\Z")
_NOWHERE = Cursor(quiet=True)

_RELATIONS = ("AddRemove", "ChangeOne")
_SIZES = ("Size", "AtLeast")
_OF_NUMBERS = (*_RELATIONS, "Bounded", "Within", *_SIZES)
_FITTING = {
    "list": _OF_NUMBERS,
    "ndarray": (*_OF_NUMBERS, "Rows", "RowNorm"),
    "NDArray": (*_OF_NUMBERS, "Rows", "RowNorm"),
    "Series": (*_RELATIONS, "Bounded", "MayBeMissing", *_SIZES),
    "DataFrame": (*_RELATIONS, "Columns", *_SIZES),
    "float": ("Within",),
    "int": ("Within",),
}
"""The words that say something of a type, by its name, in the order in which they are needed."""
_WRITTEN = {
    "AddRemove": "AddRemove()",
    "ChangeOne": "ChangeOne()",
    "Bounded": "Bounded(${1:0}, ${2:100})",
    "Within": "Within()",
    "Size": "Size(${1:100})",
    "AtLeast": "AtLeast(${1:1})",
    "Rows": "Rows(${1:2})",
    "RowNorm": "RowNorm(${1:1})",
    "Columns": "Columns(${1:Age}=Bounded(${2:0}, ${3:120}))",
    "MayBeMissing": "MayBeMissing()",
}
"""How each is written, with places to fill in."""


def cursor(text: str, start: int, offset: int) -> Cursor:
    """What surrounds an offset inside an annotation, where something has been said of the type already; nothing is open
    at ``start``. ``before`` is what stands in the brackets before the word, but for what is inside others."""
    here = text[start:offset]
    open_: list[int] = []
    blank = list(here)
    for piece in pieces(here):
        if piece.kind == "open":
            open_.append(piece.start)
        elif piece.kind == "close" and open_:
            begin = open_.pop()
            blank[begin : piece.end] = " " * (piece.end - begin)
        elif piece.kind in ("long", "text", "comment"):
            if piece.end == len(here) and (piece.kind == "comment" or not piece.closed):
                return _NOWHERE
            blank[piece.start : piece.end] = " " * (piece.end - piece.start)
    if not open_ or here[open_[-1]] != "[" or not _CALLED.search(here, 0, open_[-1]):
        return _NOWHERE
    inside = "".join(blank[open_[-1] + 1 :])
    typed = _TYPED.search(inside)
    word = typed[0] if typed else ""
    if not inside.removesuffix(word).rstrip().endswith(","):
        return _NOWHERE
    before = inside.removesuffix(word)
    bracket = Bracket("[", _ANNOTATED, inside.count(","), call=False)
    return Cursor((bracket,), word, before, expected=Expected.TYPE)


def offered(here: Cursor) -> Iterator[Word]:
    """The words that may be said of the type beside those that are."""
    base, _, rest = here.before.partition(",")
    said = {name for name in _WRITTEN if re.search(rf"\b{name}\b", rest)}
    of = re.match(r"\s*(?:\w+\.)*(\w+)", base)
    for rank, name in enumerate(_FITTING.get(of[1], ()) if of else ()):
        if name not in said and _goes_with(name, said, of is not None and of[1] == "DataFrame"):
            snippet = _WRITTEN[name]
            text = re.sub(r"\$\{\d:(\w+)\}", r"\1", snippet)
            yield Word(text, "type", rank, "dp_types", snippet=snippet if "$" in snippet else "", name=name)


def _goes_with(name: str, said: set[str], of_table: bool) -> bool:
    """Whether a word may stand beside others: who is protected is said first, and of a table which columns it has."""
    related = not said.isdisjoint(_RELATIONS)
    if name == "Within" or "Within" in said:
        return not said
    if name in _RELATIONS:
        return not related
    if name in _SIZES and of_table and "Columns" not in said:
        return False
    return related and not (name == "Size" and "AddRemove" in said)


_TYPE_MEANINGS = {
    "float": "A number.",
    "int": "A whole number.",
    "bool": "True or False.",
    "list": "A list of numbers.",
    "Annotated": "A type, and what is said of it: `Annotated[list, AddRemove()]`.",
}

FAMILIAR = {
    Familiar.SHOWS: SHOWING | SHOWS_KEYS,
    Familiar.UNRULED: frozenset(name for name, value in vars(builtins).items() if callable(value)),
    Familiar.FAILS: EXCEPTIONS,
    Familiar.EXCEPTION: EXCEPTIONS,
}
"""Names without a rule, by what is known of them."""


class PythonWords(Vocabulary):
    """Which names have a meaning of their own. What else Python has is a name like any other, and has no rule."""

    keywords = frozenset(keyword.kwlist)
    running = RUNNING
    nothing = "None"
    familiar = FAMILIAR
    hopeless = HOPELESS

    def offered(self, here: Cursor, norm: bool, type_: bool) -> Iterator[Word]:
        return offered(here)

    def meaning(self, name: str) -> str:
        return WORDS.get(name) or _TYPE_MEANINGS.get(name, "")

    def does(self, name: str, what: Familiar) -> bool:
        return super().does(name, what) or (what is Familiar.UNRULED and "." in name)

    def told(self, what: str, text: str) -> tuple[str, str]:
        return told(what, text)

    def is_reserved(self, name: str) -> bool:
        return name in WORDS or name in TYPES or name in KNOWN or name in RUNNING or name in BASES


_GIVEN_LAPLACE = f"{GIVEN}.laplace"
_GIVEN_NORMAL = f"{GIVEN}.normal", f"{GIVEN}.standard_normal"
"""What draws by a generator that is given to a function."""


def _infix(sign: str) -> Spelling:
    return Spelling(sign, f"x {sign} y")


def _function(builtin: str, given: str = "x") -> Spelling:
    """A function of numbers."""
    name, *others = spellings(builtin)
    return Spelling(name, f"{name}({given})", others=tuple(others))


_PREMISES = {
    **dict.fromkeys(SAMPLERS, (FLOAT_NOISE,)),
    **dict.fromkeys((_GIVEN_LAPLACE, *_GIVEN_NORMAL), (UNSEEDED, FLOAT_NOISE)),
    opacus.STEP: (opacus.PREMISE, FLOAT_NOISE),
    **dict.fromkeys((opendp.LAPLACE, opendp.GEOMETRIC, opendp.GAUSSIAN), (opendp.PREMISE,)),
    **dict.fromkeys((LAPLACE, GEOMETRIC, GAUSSIAN, ADD_GEOMETRIC), (PREMISE, FLOAT_NOISE)),
}
"""What is supposed where something is called: how its noise is drawn, and which version of a library was read."""


def python_builtins() -> Builtins:
    """The builtins that Python has, by the ids of their rows."""
    return Builtins(
        {
            **{sign: _infix(sign) for sign in ("+", "-", "*", "/", "<", "<=", ">", ">=", "==", "!=")},
            "mod": _infix("%"),
            "^": Spelling("**", "x**y"),
            "&&": _infix("and"),
            "||": _infix("or"),
            "!": Spelling("not", "not b"),
            **{row: _function(row) for row in {each.builtin: None for each in FUNCTIONS.values()}},
            "min": _function("min", "x, y"),
            "max": _function("max", "x, y"),
            "clamp": _function("clamp", "x, lower, upper"),
            "length": Spelling("len", "len(v)"),
            "sum": Spelling("sum", "sum(v)", others=("np.sum",)),
            "mean": Spelling("np.mean", "np.mean(v)"),
            **{row: Spelling(name, f"{name}(v)") for row, name in OF_MANY.items()},
            "quantile": Spelling(QUANTILE, f"{QUANTILE}(v, 0.9)"),
            "add_laplace": Spelling(
                "np.random.laplace",
                "x + np.random.laplace(scale=b)",
                others=("stats.laplace.rvs", opendp.LAPLACE, _GIVEN_LAPLACE),
            ),
            "add_normal": Spelling(
                "np.random.normal",
                "x + np.random.normal(scale=sigma)",
                others=(
                    *(name for name in SAMPLERS if "laplace" not in name and name != "np.random.normal"),
                    opendp.GAUSSIAN,
                    *_GIVEN_NORMAL,
                ),
            ),
            "laplacian_mechanism": Spelling(LAPLACE, f"{LAPLACE}(epsilon=eps, sensitivity=r).randomise(x)"),
            "geometric_mechanism": Spelling(GEOMETRIC, f"{GEOMETRIC}(epsilon=eps, sensitivity=r).randomise(n)"),
            "gaussian_mechanism": Spelling(GAUSSIAN, f"{GAUSSIAN}(epsilon=eps, delta=del, sensitivity=r).randomise(x)"),
            "add_geometric": Spelling(
                ADD_GEOMETRIC, f"{ADD_GEOMETRIC}(v, epsilon=eps, bins=5, range=(0, 120))", others=(opendp.GEOMETRIC,)
            ),
            "sampled_gaussian": Spelling(opacus.STEP, f"{opacus.STEP}(module=…, optimizer=…, data_loader=…, …)"),
            "histogram": Spelling("np.histogram", "np.histogram(v, bins=[0, 18, 65])[0]"),
            "count": Spelling(COUNT, f"{COUNT}(v > t)"),
            "zeros": Spelling(ZEROS, f"{ZEROS}(n)"),
            "deepcopy": Spelling("np.array", "np.array([1, 2])", others=("np.asarray",)),
            "push!": Spelling(APPEND, "v.append(x)", changing=(APPEND,)),
            "map_rows": Spelling(COLUMN, 'df["Age"]'),
            "filter_rows": Spelling(KEPT, 'df[df["Age"] > t]'),
            "count_rows": Spelling(COUNT_KEPT, 'len(df[df["Age"] > t])'),
            "size": Spelling(SHAPE, "df.shape[0]"),
            "row_to_vec": Spelling(ROW_SUM, ROW_SUM),
            "clip_vector": Spelling(SHORT, "v / max(1, np.linalg.norm(v) / c)"),
            "vector_norm": Spelling(LENGTH, "np.linalg.norm(v)"),
            "dot_product": Spelling(DOT, "v @ w"),
            "as_vector": Spelling(VECTOR, "def f(v):\n    return np.linalg.norm(v)"),
        },
        premises=_PREMISES,
    )
