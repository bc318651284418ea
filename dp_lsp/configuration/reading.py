"""From the text of a configuration file to what it says, or to what is wrong with it."""

from __future__ import annotations

import os
import re
from typing import Any, NamedTuple

from dp_lsp.analysis.catalogue import kinds
from dp_lsp.analysis.loading import Text
from dp_lsp.configuration import PROJECT_FILE
from dp_lsp.configuration.keys import SECTION, TABLE, Configuration
from dp_lsp.configuration.places import places
from dp_lsp.configuration.problems import NotToml, OutsideLink
from dp_lsp.configuration.values import Finder, number
from dp_lsp.problem import Problem
from dp_lsp.text import Place, Source, Span

LARGEST = 1 << 20
"""Characters of a configuration that is read."""

_WHERE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")


class Read(NamedTuple):
    """What a file says. It has no ``configuration`` if there is a problem, or if it is none."""

    configuration: Configuration | None
    problems: tuple[Problem, ...] = ()


NOTHING = Read(None)
OUTSIDE = Read(None, (OutsideLink.at(Span(0, 0)),))
"""What stands for a file that is not read, as it is a link that leads out of the repository."""


def read(name: str, text: Text) -> Read:
    """What a file with this name says."""
    section = SECTION if os.path.basename(name) == PROJECT_FILE else ()
    if section and section[-1] not in text.content:
        return NOTHING  # it is about other tools, whose errors are not ours
    if text.problem is not None:
        return Read(None, (text.problem,))
    try:
        data: Any = _parsed(text.content)
        for key in section:
            data = data.get(key) if isinstance(data, dict) else None
        if data is None:
            return NOTHING
        finder = Finder(places(text.content), kinds())
    except ValueError as error:
        return Read(None, (_not_toml(text.content, str(error)),))
    except RecursionError:
        return Read(None, (NotToml.at(Span(0, 0), reason="it is nested too deeply"),))
    found = TABLE.read(data, section, finder)
    return Read(None if finder.problems else found, tuple(finder.problems))


def place_of(name: str, text: Text, key: str) -> Span:
    """Where the value of a key stands in a file with this name that could be read."""
    section = SECTION if os.path.basename(name) == PROJECT_FILE else ()
    found = places(text.content).get((*section, key))
    return found.value if found else Span(0, 0)


def _parsed(content: str) -> dict[str, Any]:
    if len(content) > LARGEST:
        raise ValueError("it is very long")
    import tomllib  # many files are in no project

    return tomllib.loads(content, parse_float=number)


def _not_toml(content: str, message: str) -> Problem:
    """A mistake, at the place that the message names."""
    where = _WHERE.search(message)
    reason = message[: where.start()] if where else message
    if where is None:
        at = 0
    elif where[1] is None:
        at = len(content.rstrip())
    else:
        at = Source(content).offset(Place(int(where[1]), int(where[2])))
    return NotToml.at(Span(at, min(at + 1, len(content))), reason=reason[:1].lower() + reason[1:])
