"""What is said of libraries, against earlier versions of them: `python tests/library_versions.py`.

The tests of the libraries (`tests/test_libraries.py`) are run for each of :data:`SETS`, whose packages lie in front of
the installed ones. What cannot be installed for this version of Python is left out, which is printed.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

SETS = (
    ("diffprivlib==0.6.5", "opendp==0.15.1", "opacus==1.5.4"),
    ("diffprivlib==0.6.4", "opendp==0.14.2 polars==1.32.0", "opacus==1.4.1"),
)
"""Earlier versions; packages go together whose versions depend on each other. None brings what it depends on, which is
there."""
TESTS = Path(__file__).with_name("test_libraries.py")


def versions() -> Iterator[tuple[str, str]]:
    """The packages of all sets, each with a version of it."""
    for each in SETS:
        for package in " ".join(each).split():
            name, _, version = package.partition("==")
            yield name, version


def main() -> int:
    """Run the tests for each set. Returns 1 if some fail."""
    failed = [each for each in SETS if not _passes(each)]
    return 1 if failed else 0


def _passes(packages: tuple[str, ...]) -> bool:
    with tempfile.TemporaryDirectory() as folder:
        found = [each for each in packages if _installs(each, folder)]
        if not found:
            return True
        print(f"with {', '.join(found)}:", flush=True)
        tests = [sys.executable, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", str(TESTS)]
        return subprocess.run(tests, env={**os.environ, "PYTHONPATH": folder}).returncode == 0


def _installs(packages: str, folder: str) -> bool:
    """Whether packages can be installed in a folder."""
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", folder, *packages.split()]
    made = subprocess.run(pip, capture_output=True, text=True)
    if made.returncode:
        why = (made.stderr.strip().splitlines() or ["pip says nothing"])[-1]
        print(f"{packages} is left out, as it cannot be installed for Python {sys.version.split()[0]}: {why}")
    return made.returncode == 0


if __name__ == "__main__":
    sys.exit(main())
