"""dp_lsp: a checker and language server for differentially private code."""

__version__ = "0.1.0"
