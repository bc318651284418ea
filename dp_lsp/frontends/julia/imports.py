"""What a ``using`` or ``import`` line says: which modules it opens, and which names it brings."""

from __future__ import annotations

from collections.abc import Sequence

from dp_lsp.frontends.julia.tokens import Token
from dp_lsp.surface import Brought, Import


def imported(tokens: Sequence[Token]) -> Import:
    """The line that these tokens are, the keyword included.

    ``import A.b`` brings ``b``, and so may extend it, as ``import A: b`` does. ``using A`` brings ``A`` and all that it
    exports; which names these are cannot be read off."""
    using = tokens[0].type == "USING"
    kinds = [token.type for token in tokens]
    colon = kinds.index("COLON") if "COLON" in kinds else None
    paths = list(map(_path, _listed(tokens[1:colon])))
    brought: list[Brought] = []
    opened: list[str] = []
    if colon is not None:
        module = paths[0][0] if paths else ""
        names = map(_path, _listed(tokens[colon + 1 :]))
        brought += (Brought(here or name, name, module, not using) for name, here in names)
    else:
        for path, here in paths:
            module, _, last = path.rpartition(".")
            brought.append(Brought(here or last, last, module, bool(module) and not using))
            opened += [path] if using and not here else []
    start, end = tokens[0].start, tokens[-1].end
    return Import(start, end, tuple(opened), tuple(each for each in brought if each.here))


def _listed(tokens: Sequence[Token]) -> list[list[Token]]:
    """What commas part."""
    found: list[list[Token]] = [[]]
    for token in tokens:
        if token.type == "COMMA":
            found.append([])
        else:
            found[-1].append(token)
    return [each for each in found if each]


def _path(tokens: list[Token]) -> tuple[str, str]:
    """A name, with those of the modules around it, and what it is called here, if that is another name."""
    words = [token.value for token in tokens]
    if "as" in words[1:-1]:
        at = words.index("as", 1)
        return "".join(words[:at]), "".join(words[at + 1 :])
    return "".join(words), ""
