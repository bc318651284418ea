"""How a language spells what the checker speaks of: only its front end knows, and the rows of builtins."""

from __future__ import annotations

import re

from dp_lsp.builtins import TABLE
from source_tree import modules

SPELLED = re.compile(
    r"::|<:|\bPriv\b|\bStatic\b|\bBlackBox\b|\bMetric(?:Vector|Matrix|Gradient)\b|\bDM(?:Model|Grads)\b"
    r"|\b(?:Bounded|AtLeast|Contributes|RowNorm|Size|Vector|Matrix|Tuple)[({]|\.jl\b|[Jj]ulia\b|\bfunction \w\S*\("
    r"|\b(?:unbox|deepcopy|resize|clip|norm_convert|undisc_container)[(`]"
)
"""What Julia writes: annotations, suffixes, its name, and calls of the builtins that repairs make use of."""

KNOW = ("dp_lsp.frontends.", "dp_lsp.builtins")
"""Front ends, and the rows, whose signatures and examples are Julia's, and a few reasons that name a repair."""

NOTATION = "the notation in which types are published and reported, which is that of no language"
HELP = "documentation of the program itself, with examples in Julia"
OTHER = "two colons of another notation: of commands of GitHub, and of paths"
IDS = "ids of types that are chosen by when the program runs"
REPORTED = "said of a report, which does not know the language"

ALLOWED = {
    "dp_lsp.analysis.words": (1, NOTATION),
    "dp_lsp.cli.reporters.github": (3, OTHER),
    "dp_lsp.cli.style": (1, OTHER),
    "dp_lsp.configuration.keys": (3, HELP),
    "dp_lsp.core.notation": (3, NOTATION),
    "dp_lsp.core.types": (1, NOTATION),
    "dp_lsp.engine.claimed": (1, REPORTED),
    "dp_lsp.infer.dispatch": (2, IDS),
    "dp_lsp.meaning.interpreter": (2, IDS),
    "dp_lsp.release.running": (1, REPORTED),
}
"""How many strings of a module are spelled like that, at most, and why. Numbers only become smaller."""


def test_rules_and_messages_hold_no_text_of_a_language() -> None:
    wrong = []
    for module in modules():
        found = [] if module.name.startswith(KNOW) else [n for n in module.strings() if SPELLED.search(n.value)]
        most, _ = ALLOWED.get(module.name, (0, ""))
        if len(found) > most:
            wrong += [f"{module.at(node)}: {node.value!r}" for node in found]
    assert not wrong, "\n".join(wrong)


def test_what_rows_say_in_words_is_of_no_language() -> None:
    """The names of builtins in them are placeholders, which each language fills in."""
    assert [row.name for row in TABLE.values() if SPELLED.search(row.doc)] == []


def test_what_is_allowed_is_still_there() -> None:
    assert {module.name for module in modules()} >= ALLOWED.keys()
