"""What only reads: what it does is a part of reading data, of which nothing is claimed.

A function that only reads uses what is known to read of modules, and functions of Python and methods that show nothing,
write nothing and do not end the run; it changes only what it has made itself. What is not known to be so is no reader.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Collection, Iterator, Mapping
from symtable import symtable

from dp_lsp.frontends.python.effects import effects
from dp_lsp.frontends.python.names import SEEDS, dotted
from dp_lsp.frontends.python.tree import below, walk

_READS: Mapping[str, re.Pattern[str]] = {
    module: re.compile(names)
    for module, names in {
        "pandas": r"read_\w+|DataFrame(\.from_\w+)?|Series|concat|merge|to_(numeric|datetime|timedelta)|NA|NaT"
        r"|Timestamp|Timedelta|(is|not)(na|null)|cut|unique|Categorical|\w+Dtype",
        "polars": r"(read|scan|from)_\w+|(Data|Lazy)Frame|Series|concat|col|lit|when|U?Int\d+|Float\d+|Utf8|String"
        r"|Boolean|Date|Datetime|Categorical",
        "numpy": r"load|loadtxt|genfromtxt|from\w+|as\w*array|array|ndarray|zeros|ones|full|empty|arange|concatenate"
        r"|\w*stack|clip|where|isnan|isfinite|nan_to_num|nan|inf|newaxis|u?int\d*|float\d*|bool_|unique|sort|abs|round|minimum"
        r"|maximum|log|log1p|exp|sqrt|floor|ceil|squeeze|ravel|reshape|transpose|sum|mean|min|max|all|any",
        "csv": r"reader|DictReader|QUOTE_\w+",
        "json": r"loads?",
        "io": r"open|StringIO|BytesIO|TextIOWrapper",
        "os": r"path\.(join|exists|isfile|isdir|basename|dirname|abspath|realpath|expanduser|splitext|getsize)"
        r"|listdir|scandir|walk|getcwd|getenv|environ\.get|sep|fspath",
        "pathlib": r"(Pure)?Path(\.cwd|\.home)?",
        "gzip": r"open",
        "zipfile": r"ZipFile|is_zipfile",
        "glob": r"i?glob|escape",
        "re": r"compile|match|fullmatch|search|sub|split|findall|finditer|escape|[A-Z]+",
        "datetime": r"(datetime|date|time|timedelta|timezone)(\.\w+)?",
        "collections": r"(Counter|defaultdict|deque|OrderedDict|namedtuple)(\.\w+)?",
        "math": r"[a-z]\w*",
        "itertools": r"[a-z]\w*(\.from_iterable)?",
        "typing": r"[A-Z]\w*",
        "dp_types": r"[A-Z]\w*",
    }.items()
}
"""What reads, or makes something of what is read and shows nothing, of the modules that reading needs."""
_PLAIN = frozenset(
    {
        *(
            "open",
            "len",
            "int",
            "float",
            "str",
            "bool",
            "complex",
            "bytes",
            "list",
            "dict",
            "set",
            "frozenset",
            "tuple",
        ),
        *(
            "range",
            "zip",
            "enumerate",
            "map",
            "filter",
            "sorted",
            "reversed",
            "sum",
            "min",
            "max",
            "abs",
            "round",
            "pow",
        ),
        *("divmod", "any", "all", "next", "iter", "isinstance", "slice", "repr", "format", "ord", "chr", "__file__"),
        *("__name__", "object"),
    }
)
"""Functions of Python that show nothing and change nothing."""
_ENDS = (ast.Raise, ast.Assert, ast.Global, ast.Nonlocal, ast.Yield, ast.YieldFrom, ast.Await, ast.NamedExpr)
_SHOWS = frozenset(
    {
        *("print", "input", "exit", "quit", "help", "_exit", "abort", "kill", "system", "popen", "startfile", "save"),
        *(
            "savez",
            "savetxt",
            "dump",
            "tofile",
            "info",
            "plot",
            "hist",
            "boxplot",
            "show",
            "display",
            "glimpse",
            "eval",
        ),
        *("remove", "unlink", "rmdir", "rmtree", "truncate", "touch", "mkdir", "makedirs", "chmod", "lchmod", "putenv"),
        *("symlink_to", "hardlink_to", "link_to", "extract", "extractall"),
    }
)
"""What shows or writes something, or ends the run, by the names of functions and of methods."""
_ASKS = frozenset({"input", "help"})
"""What is a function of Python, and no method."""
_WRITES = ("to_", "write", "sink_", "set_option", "set_printoptions", "option_context", "reset_option", "__")
"""How names of others of them begin."""
_MAKES = frozenset({"to_numpy", "to_list", "to_dict", "to_records", "to_datetime", "to_numeric", "to_timedelta"})
"""What begins like a method that writes, and only makes something."""
_TO_WRITE = re.compile(r"(?=.*[wax+])[rwaxbtU+]+")
"""The modes in which a file is opened to write to it."""
_MOVES = frozenset({"rename", "replace"})
"""What names columns otherwise, or parts of texts; and what is in a file, where that is a path."""


def imported(statements: Collection[ast.AST]) -> dict[str, str]:
    """The names that imports bring, each with what it is: a module, or what is in one, ``pandas.read_csv``."""
    found: dict[str, str] = {}
    for node in statements:
        match node:
            case ast.Import(names=names):
                for each in names:
                    home = each.name.partition(".")[0]
                    found |= {each.asname: each.name} if each.asname else {home: home}
            case ast.ImportFrom(module=str() as module, level=0, names=names):
                found |= {each.asname or each.name: f"{module}.{each.name}" for each in names}
    return found


def _imports(node: ast.AST) -> list[ast.Import | ast.ImportFrom]:
    """What a statement, or a function, imports itself."""
    return [each for each in walk(node) if isinstance(each, ast.Import | ast.ImportFrom)]


def shows_nothing(node: ast.AST, modules: Mapping[str, str]) -> bool:
    """Whether what reads data, as far as its names tell, shows nothing, ends no run, and changes nothing but what it
    has made itself. ``modules`` are the names that the file imports; those of others are taken to read. What it
    imports itself counts like that, if each name is one of its own."""
    inner = _imports(node)
    brought = imported(inner)
    if len(brought) < sum(len(each.names) for each in inner) or not modules.keys().isdisjoint(brought):
        return False
    modules = {**modules, **brought}
    does = effects(node)
    if does.anything or does.outside or any(map(_shows, (*does.mentions, *(does.members - _ASKS)))):
        return False
    if any(isinstance(each, _ENDS) for each in walk(node)):
        return False
    if not all(_only_asks(each, modules) for each in below(node, ast.Call)):
        return False
    if not all(map(_is_plain, does.mentions - modules.keys())) or not all(map(_is_reading, _used(node, modules))):
        return False
    if not _MOVES.isdisjoint(does.members) and any(
        modules.get(each, "").startswith("pathlib") for each in does.mentions
    ):
        return False
    made = {each.id for each in below(node, ast.Name) if not isinstance(each.ctx, ast.Load)}
    made -= {each.arg for each in below(node, ast.arg)}
    return all(_is_own(each, made) for each in below(node, ast.Subscript))


def only_reads(
    node: ast.FunctionDef, modules: Mapping[str, str], known: Collection[str], given: Collection[str]
) -> bool:
    """Whether a function only reads. ``modules`` are the names that the file imports, ``known`` those of functions that
    may be such, and ``given`` those of numbers and texts of the file."""
    if not all(_home(each) in _READS for each in imported(_imports(node)).values()):
        return False
    defaults = [*node.args.defaults, *(each for each in node.args.kw_defaults if each is not None)]
    if node.decorator_list or not all(isinstance(each, ast.Constant) for each in defaults):
        return False
    return shows_nothing(node, modules) and all(
        each in known or each in given or _home(modules.get(each, "")) in _READS or hasattr(builtins, each)
        for each in free(node)
    )


def free(node: ast.FunctionDef) -> frozenset[str]:
    """The names of the module that a function, or what stands inside of it, reads."""
    bare = ast.copy_location(ast.FunctionDef(node.name, node.args, node.body, [], None), node)
    tables = symtable(ast.unparse(bare), "", "exec").get_children()
    found: set[str] = set()
    for table in tables:  # which grows
        found |= {each.get_name() for each in table.get_symbols() if each.is_global()}
        tables += table.get_children()
    return frozenset(found)


def _shows(name: str) -> bool:
    return name in _SHOWS or name in SEEDS or (name.startswith(_WRITES) and name not in _MAKES and name not in _PLAIN)


def _is_plain(name: str) -> bool:
    """Whether a name is none of Python's own, or one of what shows nothing."""
    own = getattr(builtins, name, None)
    return own is None or name in _PLAIN or (isinstance(own, type) and issubclass(own, BaseException))


def _home(name: str) -> str:
    """The module that something is, or is in."""
    return name.partition(".")[0]


def _used(node: ast.AST, modules: Mapping[str, str]) -> Iterator[str]:
    """What is used of modules, by whole names."""
    inner = {id(each.value) for each in below(node, ast.Attribute)}
    looked_up = {
        id(each.value)
        for each in below(node, ast.Subscript)
        if isinstance(each.ctx, ast.Load) and _is_environment(each)
    }
    for each in (*below(node, ast.Name), *below(node, ast.Attribute)):
        found = dotted(each)
        if found is not None and found[0] in modules and id(each) not in inner | looked_up:
            yield modules[found[0]] + found[1].removeprefix(found[0])


def _is_environment(node: ast.Subscript) -> bool:
    """Whether one variable of the environment is looked up."""
    return isinstance(node.value, ast.Attribute) and node.value.attr == "environ"


def _is_reading(name: str) -> bool:
    """Whether something of a module serves to read, as far as its module is known."""
    module, _, rest = name.partition(".")
    return module not in _READS or _READS[module].fullmatch(rest) is not None


def _only_asks(call: ast.Call, modules: Collection[str]) -> bool:
    """Whether a call opens no file to write to it, and a text in it is no program."""
    func = call.func
    modes = [each.value for each in call.keywords if each.arg == "mmap_mode"]
    match func:
        case ast.Name(id="open" | "ZipFile") | ast.Attribute(attr="open" | "ZipFile"):
            if any(isinstance(each, ast.Starred) for each in call.args):
                return False
            of = func.value if isinstance(func, ast.Attribute) else None
            at = 1 if of is None or (isinstance(of, ast.Name) and of.id in modules) else 0
            modes += [*call.args[at : at + 1], *(each.value for each in call.keywords if each.arg in ("mode", None))]
        case ast.Attribute(attr="query"):
            return all(isinstance(each, ast.Constant) and "@" not in str(each.value) for each in call.args)
    return all(isinstance(each, ast.Constant) and _TO_WRITE.fullmatch(str(each.value)) is None for each in modes)


def _is_own(node: ast.Subscript, own: Collection[str]) -> bool:
    """Whether what an index changes, if it changes something, is a value that the function has made."""
    of = node.value.value if isinstance(node.value, ast.Attribute) and node.value.attr == "loc" else node.value
    return isinstance(node.ctx, ast.Load) or (isinstance(of, ast.Name) and of.id in own)
