"""Every kind of problem there is, whoever reports it."""

from __future__ import annotations

from importlib import import_module

from dp_lsp.problem import Kind

MODULES = (
    "dp_lsp.hopeless",
    "dp_lsp.worker.problems",
    "dp_lsp.configuration.problems",
    "dp_lsp.disk.problems",
    "dp_lsp.engine.problems",
    "dp_lsp.frontends.problems",
    "dp_lsp.infer.problems",
    "dp_lsp.lower.problems",
    "dp_lsp.worker.problems",
)
"""The modules that define kinds; a kind is known once its module is imported."""


def kinds() -> dict[str, type[Kind]]:
    """All kinds by their code, sorted."""
    for module in MODULES:
        import_module(module)
    return dict(sorted(Kind.registry.items()))
