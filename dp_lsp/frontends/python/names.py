"""The names that Python's own language and the libraries give a meaning, as far as it is known here."""

from __future__ import annotations

import ast
import sys
import typing
from collections.abc import Iterator
from functools import lru_cache

from dp_lsp.frontends.python import releasing
from dp_lsp.frontends.python.tree import walk

WORDS = {
    "AddRemove": "One record is added or removed, so the number of records is private: `AddRemove()`.",
    "ChangeOne": "One record is replaced, so the number of records is public: `ChangeOne()`.",
    "Within": 'A number, or a vector, that moves by at most 1 in a norm: `Within()`, `Within("L1")`.',
    "OneOf": "A value out of a public list: `OneOf(1, 2)`.",
    "Bounded": "Every number lies between two public numbers: `Bounded(0, 120)`.",
    "RowNorm": "Every row measures at most so much in a norm: `RowNorm(5)`.",
    "Rows": "An array with one record in each row: `Rows()`.",
    "Size": "There are exactly so many records: `Size(100)`.",
    "AtLeast": "There are so many records, or more: `AtLeast(100)`.",
    "Columns": "The columns of a table: `Columns(Age=Bounded(0, 120))`.",
    "MayBeMissing": "Values may be missing: `MayBeMissing()`.",
    "Static": "A public parameter: `eps: Static[float]`.",
    "Private": "Claims that what a function returns is private: `-> Private[float]`.",
    "black_box": "Marks a function whose body is not looked into.",
    "checked": "Looks at each call whether the arguments are what the annotations say.",
}
"""The vocabulary of `dp_types`."""

OWN_MODULE = "dp_types"
ALL_OF = {OWN_MODULE: frozenset({*WORDS, "NotAsDeclared"}), "typing": frozenset(typing.__all__)}
"""The names that ``from … import *`` brings, of modules of which they are known."""
CHECKED = "checked"
"""The decorator that changes nothing where arguments are what is declared, of which alone something is claimed."""
TYPES = frozenset({"Annotated", "float", "int", "bool", "list"})
"""What else annotations are made of."""

MODULES = {"np": "numpy", "numpy": "numpy", "math": "math", "random": "random"}
"""The modules whose functions are known, by the names that they must have."""

HOMES = {
    **MODULES,
    **{"stats": "scipy.stats", "laplace": "scipy.stats.laplace", "norm": "scipy.stats.norm"},
    "check_random_state": "sklearn.utils.check_random_state",
    "default_rng": "numpy.random.default_rng",
    **releasing.HOMES,
}
"""The same, and what else has functions that are known: nothing is said of a program's own of that name."""

WRITING = {"sys": "sys", "logging": "logging", "warnings": "warnings", "plt": "matplotlib.pyplot"}
"""The modules by which values are shown, by the names that they must have."""

IMPORTED = {**HOMES, **WRITING}
"""The modules that imports give a name of which something is known."""

BASES = {
    **{"pd": "pandas", "pandas": "pandas", "DataLoader": "torch.utils.data.DataLoader"},
    **{"pl": "polars", "polars": "polars"},
    **{"npt": "numpy.typing", "NDArray": "numpy.typing.NDArray"},
    **{name: f"collections.{name}" for name in ("Counter", "defaultdict")},
}
ALIASES = {"typing.Counter": "collections.Counter"}
"""Other full names of these, which mean the same where they are called."""
"""The modules whose types are known, by the names that they must have: nothing else may be called so."""

READS_TABLES = frozenset(
    f"pandas.read_{kind}" for kind in ("csv", "excel", "json", "parquet", "table", "sql", "feather")
)
READS_ARRAYS = frozenset({"numpy.loadtxt", "numpy.genfromtxt", "numpy.load", "numpy.fromfile"})
"""What reads files, by full names."""


def holds(reader: str) -> str:
    """The type of what a function with this full name reads from a file; empty where that is not known."""
    return "pd.DataFrame" if reader in READS_TABLES else "np.ndarray" if reader in READS_ARRAYS else ""


GENERATORS = frozenset({"rng", "RNG", "_rng", "_RNG", "gen", "generator"})
"""The names that a module may have for its generator of random numbers: functions use it for nothing but draws."""

LOGGERS = frozenset({"logger", "LOGGER", "_logger", "log", "LOG", "_log"})
"""The names that a module may have for its log: functions use it for nothing but to write to it."""

_SHORT = {
    **{"numpy": "np", "default_rng": "np.random.default_rng"},
    **{"laplace.rvs": "stats.laplace.rvs", "norm.rvs": "stats.norm.rvs"},
    **releasing.NAMED,
}


EXCEPTIONS = frozenset(
    {
        *("Exception", "ValueError", "TypeError", "RuntimeError", "ArithmeticError", "ZeroDivisionError"),
        *("AssertionError", "IndexError", "KeyError", "NotImplementedError", "OverflowError", "LookupError"),
    }
)
"""Python's own exceptions."""


@lru_cache(maxsize=4096)
def shortened(name: str) -> str:
    """The name of a function by which it is known here, whatever the module is called."""
    for long, short in _SHORT.items():
        if name == long or name.startswith(f"{long}."):
            return short + name[len(long) :]
    return name


KNOWN = frozenset(
    {
        *("range", "print", "sorted", "enumerate", "zip", "tuple", "list", "set", "reversed", "isinstance", "str"),
        *("repr", "open", "dict", "map", "filter"),
    }
)
"""Names that Python gives a meaning, besides those of builtins that have a row."""

RUNNING = frozenset(
    {
        *("exec", "eval", "compile", "setattr", "delattr", "globals", "locals", "vars", "__import__", "breakpoint"),
        *("__builtins__", "__loader__", "__spec__", "getattr", "get_ipython"),
    }
)
"""What may give any name another meaning, or reach what may."""

SEEDS = frozenset({"set_seed", "seed_everything", "set_random_seed", "seed_all", "seed"})
"""What tells a generator of random numbers how to begin."""
_PLAIN_DUNDERS = frozenset({"__name__", "__doc__", "__file__", "__init__", "__all__", "__version__", "__len__"})
_REACHING = frozenset(
    {
        *("modules", "seterr", "seterrcall", "errstate", "setattr", "patch", "monkeypatch"),
        *("set_state", "setstate", "set_bit_generator", "random_state"),
        *SEEDS,
        *("settrace", "setprofile", "attrgetter", "methodcaller", "bit_generator"),
        *("f_globals", "f_builtins", "f_back"),
    }
)
"""Attributes by which other names get another meaning, or what is drawn is known."""

_UNSAFE = frozenset(
    {
        *("builtins", "ctypes", "gc", "imp", "importlib", "inspect", "runpy", "code", "codeop", "pkgutil", "site"),
        *("bdb", "pdb", "trace", "timeit", "profile", "cProfile", "doctest", "rlcompleter", "IPython", "__main__"),
    }
)
"""Modules by which a program reaches the names of others, or has text run."""
_KNOWN = sys.stdlib_module_names | {
    *("numpy", "pandas", "scipy", "polars", "pyarrow", "statsmodels", "sklearn", "xgboost", "lightgbm", "joblib"),
    *("matplotlib", "seaborn", "plotly", "altair", "bokeh", "PIL", "tabulate", "rich", "tqdm", "click", "yaml"),
    *("requests", "torch", "torchvision", "tensorflow", "keras", "jax", "networkx", "sympy", "pytest", "ipywidgets"),
    *("typing_extensions", "dp_types", "opendp", "diffprivlib", "opacus", "IPython"),
}
"""Modules of Python, and of libraries that everybody uses, of which it is known that importing one changes no name."""

_PARTS = frozenset({"IPython.display"})
"""Parts of unsafe modules that are none."""

FUTURE = frozenset({"annotations"})


def reaches_out(name: str) -> bool:
    """Whether an attribute of this name may lead to the names of a module."""
    return name in _REACHING or (name.startswith("__") and name not in _PLAIN_DUNDERS)


def is_safe(module: str | None, level: int) -> bool:
    """Whether a module is one of others, by which no program reaches the names of modules."""
    return level == 0 and module is not None and (module in _PARTS or module.partition(".")[0] not in _UNSAFE)


def is_known(module: str) -> bool:
    """Whether importing a safe module is known to give no name another meaning."""
    return module.partition(".")[0] in _KNOWN


def dotted(node: ast.expr) -> tuple[str, str] | None:
    """The name that a chain of attributes begins with, and the whole of it: of ``np.random.laplace`` that is ``np``."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    return node.id, ".".join((node.id, *reversed(parts)))


def bound_in(target: ast.AST) -> Iterator[str]:
    """The names that an assignment to a pattern gives a value."""
    for item in walk(target):
        if isinstance(item, ast.Name) and isinstance(item.ctx, ast.Store):
            yield item.id


def names_bound(node: ast.AST) -> set[str]:
    """What a node may give a value, wherever in it."""
    found: set[str] = set()
    for item in walk(node):
        match item:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()) | ast.arg(arg=name):
                found.add(name)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                found.add(name)
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                found.add(name)
            case ast.MatchMapping(rest=str(name)):
                found.add(name)
            case ast.ImportFrom(module=str(module), names=[ast.alias(name="*")]):
                found |= ALL_OF.get(module, frozenset())
            case ast.alias(name=name, asname=asname):
                found.add(asname or name.partition(".")[0])
            case ast.Global(names=names) | ast.Nonlocal(names=names):
                found.update(names)
    return found
