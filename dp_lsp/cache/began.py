"""When this process began to load the program."""

from __future__ import annotations

import time

BEGAN = time.time_ns()
