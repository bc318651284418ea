from __future__ import annotations

from importlib.util import find_spec


def missing() -> str | None:
    """What to install before inputs can be looked for that show something; None if nothing is missing."""
    return None if find_spec("numpy") else "counterexamples are computed by NumPy: pip install 'dp-lsp[witness]'"
