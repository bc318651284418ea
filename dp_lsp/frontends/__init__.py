"""The source languages, one folder each: a text to chunks, a chunk to surface nodes, and what else is spelled so."""

from __future__ import annotations

from dp_lsp.frontends.julia import JULIA
from dp_lsp.frontends.python import PYTHON
from dp_lsp.language import Language

LANGUAGES: dict[str, Language] = {JULIA.id: JULIA, PYTHON.id: PYTHON}
"""The languages that are checked, by their ids; the first is that of text of which nothing says what it is."""


def find(file: str, language: str = "") -> Language | None:
    """The language that is called so or, without such a name, that of a file by its suffix; None if it is not
    checked."""
    known = LANGUAGES.get(language)
    return known or next((each for each in LANGUAGES.values() if file.endswith(each.suffixes)), None)


def of(file: str, language: str = "") -> Language:
    """The same; the first language where nothing says which it is."""
    return find(file, language) or next(iter(LANGUAGES.values()))


def is_meant(language: Language, text: str, named: bool) -> bool:
    """Whether anything is said of a file by itself: its text asks for that, or it is ``named`` by a setting. Where
    another file needs it, it is read anyway."""
    return named or language.syntax.concerns(text)


def suffixes() -> tuple[str, ...]:
    """How the names of all files end that are checked."""
    return tuple(suffix for each in LANGUAGES.values() for suffix in each.suffixes)


def comments() -> tuple[str, ...]:
    """What begins a comment in any of them."""
    return tuple(dict.fromkeys(each.syntax.comment for each in LANGUAGES.values()))


def triggers() -> tuple[str, ...]:
    """The characters after which something is proposed unasked in any of them."""
    return tuple(dict.fromkeys(each for language in LANGUAGES.values() for each in language.syntax.triggers))


def kinds(meant: bool = False) -> str:
    """What files are checked, for a person; of files that are ``meant`` also by what they are known."""
    marks = (f" that imports `{each.syntax.mark}`" if meant and each.syntax.mark else "" for each in LANGUAGES.values())
    named = (f"{each.name} file ({', '.join(each.suffixes)})" for each in LANGUAGES.values())
    return " or ".join(map(str.__add__, named, marks))
