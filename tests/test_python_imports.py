"""What names of modules mean: random projects of Python, by CPython, which imports them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from random import Random

from dp_lsp.analysis.records import State
from dp_lsp.disk.loader import Disk
from dp_lsp.engine.check import Engine

_HEAD = "from typing import Annotated\n\nfrom dp_types import Within\n"
_FILES = ("a.py", "b.py", "pkg/__init__.py", "pkg/c.py", "pkg/d.py", "pkg/sub/__init__.py", "pkg/sub/e.py", "free/g.py")
_NAMES = ("f", "g", "h", "c", "a", "sub")
_CALLS = (
    *("f", "g", "m", "n", "c", "own", "h", "a.f", "a.own", "m.f", "m.own", "n.g", "n.own", "c.own", "f.own", "g.own"),
    *(
        "b.own",
        "b.f",
        "b.m",
        "b.m.own",
        "pkg.own",
        "pkg.f",
        "pkg.c",
        "pkg.c.own",
        "pkg.c.f",
        "pkg.sub.own",
        "pkg.d.own",
    ),
    *("pkg.sub.e.own", "free.g.own", "m.c.own", "sub.own", "sub.e.own", "pkg.m", "pkg.n", "pkg.m.own", "pkg.sub"),
)
SEEDS = 40
_ASKED = """
import json, sys
sys.path.insert(0, sys.argv[1])
try:
    import main
except Exception as error:
    print(json.dumps({}))
    raise SystemExit
found = {}
for name, value in vars(main).items():
    if name.startswith("asked"):
        try:
            found[name] = value(1.0) - value(0.0)
        except Exception:
            pass
print(json.dumps(found))
"""


class _Project:
    """A project of modules whose functions multiply by numbers, no two of which are the same."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)
        self._slopes = iter(self._random.sample(range(2, 1_000), 400))
        self._has: dict[str, list[str]] = {}
        self.files: dict[str, str] = {}
        for file in (each for each in _FILES if self._random.random() < 0.95):
            self.files[file] = "\n".join([*self._lines(file, 2), self._function("own")])
            self._has[_path(file)].append("own")
        asked = (
            f"def asked{number}(x: Annotated[float, Within()]):\n    return {call}(x)\n"
            for number, call in enumerate(_CALLS)
        )
        self.files["main.py"] = "\n".join([_HEAD, *self._lines("main.py", 6), *asked])

    def _lines(self, file: str, most: int) -> list[str]:
        has = self._has[_path(file)] = []
        lines = [self._import(file, has) for _ in range(self._random.randrange(most + 1))]
        names = self._random.sample(_NAMES, self._random.randrange(3))
        has += names
        lines += map(self._function, names)
        self._random.shuffle(lines)
        return lines

    def _function(self, name: str) -> str:
        return f"def {name}(x):\n    return {next(self._slopes)} * x\n"

    def _import(self, file: str, has: list[str]) -> str:
        """An import, mostly of what there is by then."""
        pick, others = self._random.choice, [each for each in self._has if each != _path(file)]
        module = pick(others) if others and self._random.random() < 0.97 else pick([*map(_path, _FILES)])
        name = pick([*self._has.get(module, ()), *(["f"] if self._random.random() < 0.05 else []), "own"])
        inner = [each for each in others if each.rpartition(".")[0] == module]
        name = pick(inner).rpartition(".")[2] if inner and self._random.random() < 0.5 else name
        here = pick((name, "f", "g", "m", "n", "c"))
        has.append(here)
        if file.startswith("pkg/") and module.startswith("pkg.") and self._random.random() < 0.5:
            module = f"{'.' * (file.count('/'))}{module.removeprefix('pkg.')}"
        elif self._random.random() < 0.5:
            return pick((f"import {module}", f"import {module} as {here}"))
        return f"from {module} import {name} as {here}" if name != here else f"from {module} import {name}"


def _path(file: str) -> str:
    return file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _slopes(folder: Path) -> dict[str, float]:
    """What functions multiply by, when CPython runs them."""
    run = subprocess.run([sys.executable, "-c", _ASKED, str(folder)], capture_output=True, text=True, check=True)
    found: dict[str, float] = json.loads(run.stdout)
    return found


def _claims(folder: Path) -> dict[str, float]:
    """The same as it is claimed."""
    file = str(folder / "main.py")
    analysis = Engine().project(file, Disk((str(folder),), {}))[file]
    return {
        each.name: float(parameter.sensitivity)
        for each in analysis.functions
        if each.state is State.PROVED
        for parameter in each.parameters
        if parameter.sensitivity is not None
    }


def test_names_mean_what_they_do_when_it_runs(tmp_path: Path) -> None:
    right = 0
    for seed in range(SEEDS):
        folder = tmp_path / str(seed)
        for file, text in _Project(seed).files.items():
            (folder / file).parent.mkdir(parents=True, exist_ok=True)
            (folder / file).write_text(text)
        slopes, claims = _slopes(folder), _claims(folder)
        wrong = {name for name in slopes if name in claims and claims[name] != slopes[name]}
        assert not wrong, (seed, wrong)
        right += len(slopes.keys() & claims.keys())
    assert right > SEEDS
