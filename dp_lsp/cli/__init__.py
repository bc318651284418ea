"""The command line. Importing it loads nothing: every command imports what it needs when it runs."""

from __future__ import annotations


def main(argv: list[str] | None = None) -> int:
    """Run ``dp-lsp`` with these arguments, by default those of the process, and return its exit code."""
    from dp_lsp.cli.process import run

    return run(argv)
