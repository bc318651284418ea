"""``python -m dp_lsp`` is ``dp-lsp``."""

import sys

from dp_lsp.cli import main

if __name__ == "__main__":
    sys.exit(main())
