"""``--set [FUNCTION:]NAME=NUMBER``: reading it, and saying which settings no function has."""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Iterable, Sequence
from fractions import Fraction

import click

from dp_lsp.analysis.records import FunctionReport, Setting

_SETTING = re.compile(r"(?:(?P<function>[^:=]+):)?(?P<name>[^:=]+)=(?P<number>[^=]*)")
# The exponent is short, because exact numbers are written out: 1e999999999 would be a gigabyte.
_NUMBER = re.compile(r"[+-]?(?:[0-9]+/[0-9]*[1-9][0-9]*|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?)")
# Keyboards have a micro sign and an open e where Julia means Greek letters.
_GREEK = str.maketrans("\N{MICRO SIGN}\N{LATIN SMALL LETTER OPEN E}", "με")
_DIMENSION = re.compile(r"(?:rows|cols|length)\((?P<parameter>.+)\)")


def setting(text: str) -> Setting:
    """The setting that a command line argument means; a usage error says what is wrong with it."""
    parts = _SETTING.fullmatch(unicodedata.normalize("NFC", text).translate(_GREEK))
    if parts is None:
        raise click.BadParameter(
            f"{text!r} is not of the form [FUNCTION:]NAME=NUMBER, as in k=100 or 'rows(data)=48000'"
        )
    number = parts["number"].strip()
    if not _NUMBER.fullmatch(number):
        raise click.BadParameter(f"{number!r} is not a number, as in 100, 0.2, 1e-5 or 1/3")
    function = parts["function"]
    name = re.sub(r"\s", "", parts["name"])
    return Setting(function.strip() if function else None, name, Fraction(number))


def once_each(settings: Sequence[Setting]) -> tuple[Setting, ...]:
    """The settings, if none is given twice; else a usage error."""
    seen: set[tuple[str | None, str]] = set()
    for setting in settings:
        if setting[:2] in seen:
            raise click.BadParameter(f"it gives {_written(setting)} two numbers")
        seen.add(setting[:2])
    return tuple(settings)


def complaints(settings: Iterable[Setting], functions: Iterable[FunctionReport]) -> list[str]:
    """A sentence for each setting that no function has a parameter for."""
    known: dict[str, set[str]] = {}
    for function in functions:  # several methods may share a name
        known.setdefault(function.name, set()).update(each.name for each in function.parameters)
    return [_complaint(setting, known) for setting in settings if not _has(setting, known)]


def _parameter(setting: Setting) -> str:
    dimension = _DIMENSION.fullmatch(setting.name)
    return dimension["parameter"] if dimension else setting.name


def _has(setting: Setting, known: dict[str, set[str]]) -> bool:
    asked = known.values() if setting.function is None else [known.get(setting.function, set())]
    return any(_parameter(setting) in names for names in asked)


def _complaint(setting: Setting, known: dict[str, set[str]]) -> str:
    if setting.function is not None and setting.function not in known:
        wanted, choice = setting.function, sorted(known)
        sentence = f"--set {_written(setting)}: no function that was checked is called '{wanted}'."
    else:
        wanted = _parameter(setting)
        choice = sorted(set().union(*known.values()) if setting.function is None else known[setting.function])
        whose = f"'{setting.function}' has no" if setting.function else "no function that was checked has a"
        sentence = f"--set {_written(setting)}: {whose} parameter '{wanted}'."
    near = difflib.get_close_matches(wanted, choice, n=3)
    return f"{sentence} Near: {', '.join(near)}." if near else sentence


def _written(setting: Setting) -> str:
    return f"{setting.function}:{setting.name}" if setting.function else setting.name
