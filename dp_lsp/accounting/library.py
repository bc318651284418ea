"""Whether privacy loss distributions can be asked for; who only wants to know loads nothing else."""

from importlib.util import find_spec


def installed() -> bool:
    """Whether the library dp-accounting is there, for :mod:`dp_lsp.accounting.pld`."""
    return find_spec("dp_accounting") is not None
