"""What only one place may know: the names of the builtins, and which profile is in force."""

from __future__ import annotations

import ast
import re

from source_tree import Module, modules

# Names of functions that formulas are made of. They are also builtins, but the core does not know that.
OF_STORAGE = {"Float32", "Float64", "Int", "Int64"}
OF_FORMULAS = {
    *(
        "abs",
        "ceil",
        "cols",
        "exp",
        "expm1",
        "floor",
        "length",
        "log",
        "log1p",
        "max",
        "min",
        "rows",
        "sqrt",
        "sum",
        "tanh",
    )
}

# How a terminal breaks long lines.
OF_TERMINALS = {"fold"}

# What certificates call the rounds of a loop, and what decimal numbers can do.
OF_CERTIFICATES = {"count", "exp", "repeat", "sqrt"}

# What a schema says of numbers.
OF_SCHEMAS = {"maximum", "minimum"}
WITH_SCHEMAS = {"dp_lsp.configuration.keys", "dp_lsp.features.report"}

# What the domain of a parameter says of it.
OF_DOMAINS = {"clip", "length", "size"}
WITH_DOMAINS = {"dp_lsp.features.report", "dp_lsp.features.changes"}

# Which numbers a symbol stands for, and whose bound a limit is.
OF_SYMBOLS = {"real"}
OF_LIMITS = {"sign"}
WITH_LIMITS = {"dp_lsp.engine.claimed", "dp_lsp.engine.describe"}

# What an account of losses says of them, and what a node of a charge is called.
OF_ACCOUNTS = {"mean", "repeat"}

# Where a value comes from, and how an array is given to a call.
OF_MEMORY = {"copy"}
WITH_MEMORY = {"dp_lsp.lower.ownership", "dp_lsp.infer.mistakes.data"}

# Languages know how builtins are spelled, and what their results are stored as.
LANGUAGES = "dp_lsp.frontends."

# What an engine computes of data stands beside the expressions that it is made of, as what the interpreter computes
# stands beside the rows.
ENGINES = "dp_lsp.release.compiled"

PROFILES = {"published", "sound"}
KNOW_PROFILES = re.compile(r"dp_lsp\.(infer\.rules\w*|(builtins|accounting|cli)(\..+)?|analysis\.options)")


def test_no_builtin_is_named_outside_the_table() -> None:
    from dp_lsp.builtins import TABLE

    names = {name for name in TABLE if name[0].isalpha()}  # an operator is also the sign of a relation
    # A name of several words, or one that mutates, is nothing else wherever it stands in a text.
    unmistakable = re.compile(
        r"(?<!\w)(" + "|".join(re.escape(name) for name in names if not name.isalnum()) + r")(?!\w)"
    )
    named = []
    for module in modules():
        if module.name.startswith(("dp_lsp.builtins", LANGUAGES, ENGINES)):
            continue
        known = names - OF_FORMULAS if module.name.startswith("dp_lsp.core.") else names
        known = known - OF_STORAGE if module.name == "dp_lsp.core.machine" else known
        known = known - OF_TERMINALS if module.name.startswith("dp_lsp.cli.") else known
        known = known - OF_SCHEMAS if module.name in WITH_SCHEMAS else known
        known = known - OF_DOMAINS if module.name in WITH_DOMAINS else known
        known = known - OF_SYMBOLS if module.name == "dp_lsp.core.algebra" else known
        known = known - OF_LIMITS if module.name in WITH_LIMITS else known
        known = known - OF_MEMORY if module.name in WITH_MEMORY else known
        known = known - OF_ACCOUNTS if module.name.startswith("dp_lsp.accounting.") else known
        known = known - OF_CERTIFICATES if module.name == "dp_lsp.verify" else known
        for node in module.strings():
            if node.value in known or unmistakable.search(node.value):
                named.append(f"{module.at(node)}: {node.value!r}")
    assert named == []


def asks_for_the_profile(node: ast.AST) -> bool:
    """Whether this is a comparison with a profile, a pattern that is one, or the question by attribute."""
    match node:
        case ast.Compare(left=left, comparators=others):
            return any(is_profile(part) for side in (left, *others) for part in ast.walk(side))
        case ast.MatchValue(value=value):
            return is_profile(value)
        case ast.Attribute(attr="published" | "is_published", ctx=ast.Load()):
            return True
    return False


def is_profile(node: ast.AST) -> bool:
    match node:
        case ast.Constant(value=str(text)):
            return text in PROFILES
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name in {profile.upper() for profile in PROFILES}
    return False


def test_no_profile_is_asked_for_outside_the_rules() -> None:
    def asking(module: Module) -> list[str]:
        return [module.at(node) for node in ast.walk(module.tree) if asks_for_the_profile(node)]

    unaware = [module for module in modules() if not KNOW_PROFILES.fullmatch(module.name)]
    assert [place for module in unaware for place in asking(module)] == []
