"""What a project says of how it is checked: ``dp-lsp.toml``, or a table of ``pyproject.toml``."""

FILE = "dp-lsp.toml"
PROJECT_FILE = "pyproject.toml"
