"""Numbers for static parameters and dimensions: reading them, and saying which of them no function has."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from fractions import Fraction

from dp_lsp.analysis.records import FunctionReport, Setting
from dp_lsp.named import NamedTuple

_NAME = re.compile(r"(?:(?P<function>[^:=]+):)?(?P<name>[^:=]+)")
# The exponent is short, because exact numbers are written out: 1e999999999 would be a gigabyte.
_NUMBER = re.compile(r"[+-]?(?:[0-9]+/[0-9]*[1-9][0-9]*|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?)")
_DIMENSION = re.compile(r"(?:rows|cols|length|len)\((?P<parameter>.+)\)|(?P<array>.+)\.shape\[1\]")


class Subject(NamedTuple):
    """What gets a number: ``[function:]name``."""

    function: str | None
    name: str

    def __str__(self) -> str:
        return f"{self.function}:{self.name}" if self.function else self.name

    @property
    def parameter(self) -> str:
        """The parameter that this is, or is a dimension of."""
        dimension = _DIMENSION.fullmatch(self.name)
        return (dimension["parameter"] or dimension["array"]) if dimension else self.name


def subject(text: str) -> Subject | None:
    """What ``[function:]name`` means, names being normalised; None for anything else."""
    parts = _NAME.fullmatch(text)
    if parts is None:
        return None
    function = parts["function"]
    return Subject(function.strip() if function else None, re.sub(r"\s", "", parts["name"]))


def number(text: str) -> Fraction | None:
    """The number that a text means exactly (100, 0.2, 1e-5, 1/3); None for anything else."""
    text = text.strip()
    return Fraction(text) if _NUMBER.fullmatch(text) else None


def complaints(settings: Iterable[Setting], functions: Iterable[FunctionReport]) -> Iterator[tuple[Subject, str]]:
    """The settings that no function has a parameter for, each with a sentence that begins in its middle: what is not
    there, and what is near."""
    listed = tuple(settings)
    known: dict[str, set[str]] = {}
    for function in functions if listed else ():  # several methods may share a name
        known.setdefault(function.name, set()).update(each.name for each in function.parameters)
    for setting in listed:
        wanted = Subject(setting.function, setting.name)
        asked = known.values() if wanted.function is None else [known.get(wanted.function, set())]
        if not any(wanted.parameter in names for names in asked):
            yield wanted, _complaint(wanted, known)


def _complaint(subject: Subject, known: dict[str, set[str]]) -> str:
    if subject.function is not None and subject.function not in known:
        wanted, choice = subject.function, sorted(known)
        sentence = f"no function that was checked is called '{wanted}'."
    else:
        wanted = subject.parameter
        choice = sorted(set().union(*known.values()) if subject.function is None else known[subject.function])
        whose = f"'{subject.function}' has no" if subject.function else "no function that was checked has a"
        sentence = f"{whose} parameter '{wanted}'."
    import difflib

    near = difflib.get_close_matches(wanted, choice, n=3)
    return f"{sentence} Near: {', '.join(near)}." if near else sentence
