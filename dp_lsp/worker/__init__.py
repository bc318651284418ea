"""A check in a process of its own."""

import dp_lsp.cache.began  # noqa: F401 (which notes the time)
