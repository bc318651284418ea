"""What has no meaning here."""

from __future__ import annotations

import ast


class Refused(Exception):
    """A construct that has no meaning here: the node, and what it is."""

    def __init__(self, node: ast.AST, what: str) -> None:
        super().__init__(what)
        self.node = node
        self.what = what
