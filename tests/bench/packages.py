"""How much of public Julia code has an answer: ``python -m tests.bench.packages FOLDER…`` counts the functions that use
nothing but numbers, arrays and functions of the same file, says how many of them have an answer other than `unknown`,
and for what reasons the others have none. A function that has none because another one has none is counted at the
reason of that one, as far as the file says it.

Which functions these are, the syntax tree of another parser says (tree-sitter): a definition that stands at the top
level of a file or of a module, whose parameters are annotated by numbers and arrays or not at all, and in whose text
no other name is free than those of functions of numbers and arrays of Julia itself and of functions of the same file.
Names of fields, strings, symbols, structures, constructors of types that the package defines, parameters that are
called, and macros that are more than hints to the compiler are nothing of that kind.

A function of the same file may itself use more than that: a C library, a structure. So beside them those are counted
that use nothing else by way of what they call either: of each function of the file that they name, a method must be
such a one.

Numbers that are told of "seven packages" are of Combinatorics, Distances, Optim, Polynomials, Roots, SpecialFunctions
and StatsBase, each with its folders `src` and `ext`: what is included and not given leaves all in doubt.
"""

from __future__ import annotations

import argparse
import json
import re
import resource
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import tree_sitter_julia
from tree_sitter import Language, Node, Parser

ROOT = Path(__file__).resolve().parents[2]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


NUMBERS_AND_ARRAYS = _words(
    """
    abs abs2 sign signbit copysign flipsign min max minmax clamp exp exp2 exp10 expm1 log log2 log10 log1p sqrt
    cbrt hypot sin cos tan sinpi cospi sincos sincosd sincospi sinc cosc sind cosd tand asin acos atan sinh cosh
    tanh asinh acosh atanh sec csc cot deg2rad rad2deg floor ceil round trunc div rem mod fld cld mod1 fldmod1
    divrem fldmod gcd lcm factorial binomial ldexp frexp exponent significand nextpow prevpow nextfloat
    prevfloat eps floatmin floatmax typemin typemax inv muladd fma evalpoly zero one oneunit float real imag
    conj angle cis complex reim isnan isinf isfinite iszero isone isodd iseven isinteger isreal ispow2 isapprox
    isequal isless ifelse identity widen promote promote_type promote_rule convert oftype typeof eltype ndims
    size length axes eachindex firstindex lastindex first last isempty keys collect copy copyto! similar zeros
    ones fill fill! trues falses range LinRange sum prod maximum minimum extrema argmax argmin findmax findmin
    cumsum cumprod cumsum! any all count diff reverse reverse! sort sort! sortperm unique issorted push! pop!
    append! vcat hcat cat reshape vec transpose adjoint permutedims repeat map map! reduce mapreduce foldl foldr
    broadcast filter findall findfirst findlast searchsortedfirst searchsortedlast searchsorted zip enumerate
    getindex setindex! view eachcol eachrow eachslice dropdims selectdim circshift stride strides resize! empty!
    in dot norm cross tr det diag mean var std median sizeof checkbounds error throw xor only accumulate Int
    Int8 Int16 Int32 Int64 Int128 UInt UInt8 UInt16 UInt32 UInt64 UInt128 Float16 Float32 Float64 Bool Complex
    Rational BigInt BigFloat Integer Signed Unsigned AbstractFloat Real Number ComplexF64 ComplexF32 Any
    Irrational Array Vector Matrix AbstractArray AbstractVector AbstractMatrix AbstractVecOrMat VecOrMat
    StridedArray StridedVector StridedMatrix DenseArray DenseVector DenseMatrix SubArray AbstractRange UnitRange
    StepRange AbstractUnitRange BitArray BitVector BitMatrix Tuple NTuple Union Nothing Vararg pi π ℯ
    Inf NaN Inf32 NaN32 Inf64 NaN64 nothing true false begin end im Colon DimensionMismatch DomainError
    ArgumentError BoundsError OverflowError DivideError ErrorException
    """
)
"""Names of Julia and its standard library that are about numbers and arrays."""

HINTS = _words("inline noinline inbounds views view simd fastmath propagate_inbounds assert boundscheck")
"""Macros that make the same of what they are given, and `@assert`."""

_OTHER = _words(
    """
    field_expression quote_expression string_interpolation struct_definition macro_definition try_statement
    let_statement do_clause quote_statement character_literal command_literal prefixed_string_literal
    prefixed_command_literal string_literal global_statement module_definition import_statement using_statement
    export_statement
    """
)
"""What is more than numbers and arrays."""


class Found(NamedTuple):
    """A function: its name, and its first and last line. ``alone`` says that it uses nothing else by way of what it
    calls in its file, either."""

    name: str
    line: int
    last: int
    alone: bool


def parsed(text: bytes) -> Node:
    """The syntax tree of a text."""
    return Parser(Language(tree_sitter_julia.language())).parse(text).root_node


def definitions(root: Node) -> Iterator[Node]:
    """The definitions of methods at top level, in order."""
    pending = [root]
    while pending:
        node = pending.pop()
        if node.type == "function_definition" or (node.type == "assignment" and header(node) is not None):
            yield node
        elif node.type in ("source_file", "module_definition", "macrocall_expression", "macro_argument_list", "block"):
            pending += reversed(node.named_children)


def header(node: Node) -> Node | None:
    """The call that the header of a definition is; None if it is none."""
    found = node.named_children[0] if node.named_children else None
    while found is not None and found.type in ("signature", "typed_expression", "where_expression"):
        found = found.named_children[0]
    return found if found is not None and found.type == "call_expression" else None


def text_of(node: Node) -> str:
    return (node.text or b"").decode()


def name_of(node: Node) -> str:
    """The name that a definition gives a method; empty if that is not a plain name."""
    call = header(node)
    name = call.named_children[0] if call is not None else None
    return text_of(name) if name is not None and name.type == "identifier" else ""


def used(node: Node, of_file: frozenset[str], made: frozenset[str]) -> frozenset[str] | None:
    """The functions of the same file that a definition names, itself not among them; None if it uses anything else but
    numbers and arrays, or makes a value of a type that the package defines (``made``)."""
    call = header(node)
    if call is None or not name_of(node) or name_of(node) in made:
        return None
    bound, free, called = set[str](), set[str](), set[str]()
    pending = [node]
    while pending:
        item = pending.pop()
        kind = item.type
        if kind in _OTHER and not _is_said(item):
            return None
        if kind == "macro_identifier" and text_of(item).removeprefix("@") not in HINTS:
            return None
        if kind == "macro_identifier" or (kind in _OTHER):
            continue
        if kind == "identifier":
            (bound if _binds(item) else free).add(text_of(item))
            if _is_called(item):
                called.add(text_of(item))
        pending += item.named_children
    bound.discard(name_of(node))
    if called & bound or not free <= bound | of_file | NUMBERS_AND_ARRAYS:
        return None
    return (free & of_file) - bound - {name_of(node)}


def _is_said(item: Node) -> bool:
    """Whether this is a string that says what is wrong where a run fails."""
    above = item.parent
    while above is not None and above.type in ("argument_list", "call_expression", "macro_argument_list"):
        callee = above.named_children[0] if above.type == "call_expression" else None
        if callee is not None and text_of(callee) in ("throw", "error"):
            return True
        above = above.parent
    return above is not None and above.type == "macrocall_expression" and text_of(above).startswith("@assert")


def _is_called(item: Node) -> bool:
    above = item.parent
    return (
        above is not None
        and above.type in ("call_expression", "broadcast_call_expression")
        and above.named_children[0] == item
        and not (above.parent is not None and above.parent.type == "signature")
    )


def _binds(item: Node) -> bool:
    """Whether a name stands where it is given a meaning: as a parameter, left of an assignment, in a loop."""
    child, above = item, item.parent
    while above is not None:
        first = above.named_children[0] == child
        match above.type:
            case "typed_expression" | "named_argument":
                if not first:
                    return False
            case "unary_typed_expression" | "parametrized_type_expression" | "index_expression" | "field_expression":
                return False
            case "tuple_expression" | "open_tuple" | "splat_expression" | "parenthesized_expression":
                pass
            case "argument_list":
                return _of_header(above)
            case "binary_expression":
                return first and _in_where(above)
            case "curly_expression" | "where_expression":
                return (_in_where(child) and not first) or (above.type == "curly_expression" and _in_where(child))
            case "assignment" | "for_binding" | "arrow_function_expression" | "compound_assignment_expression":
                return first
            case "keyword_parameters":
                return True
            case _:
                return False
        child, above = above, above.parent
    return False


def _in_where(item: Node) -> bool:
    """Whether something stands behind `where`."""
    child, above = item, item.parent
    while above is not None and above.type in ("curly_expression", "binary_expression"):
        child, above = above, above.parent
    return above is not None and above.type == "where_expression" and above.named_children[0] != child


def _of_header(arguments: Node) -> bool:
    """Whether arguments are the parameters of a definition."""
    call = arguments.parent
    above = None if call is None else call.parent
    child = call
    while above is not None and above.type in ("typed_expression", "where_expression", "signature"):
        child, above = above, above.parent
    if above is None or child is None:
        return False
    return above.type == "function_definition" or (above.type == "assignment" and above.named_children[0] == child)


def plain_functions(path: Path, made: frozenset[str]) -> Iterator[Found]:
    """The functions of a file that the counts are about; ``made`` are the types that the package defines."""
    found = list(definitions(parsed(path.read_bytes())))
    names = frozenset(filter(None, map(name_of, found))) - made
    plain = [(node, uses) for node in found if (uses := used(node, names, made)) is not None]
    alone = {name_of(node) for node, _ in plain}
    while True:
        kept = {name_of(node) for node, uses in plain if uses <= alone}
        if kept == alone:
            break
        alone = kept
    for node, uses in plain:
        yield Found(name_of(node), node.start_point[0] + 1, node.end_point[0] + 1, uses <= alone)


def types(root: Node) -> Iterator[str]:
    """The names of the types that a file defines: what has such a type is more than numbers and arrays."""
    pending = [root]
    while pending:
        node = pending.pop()
        pending += node.named_children
        if node.type in ("struct_definition", "abstract_definition", "primitive_definition"):
            head = node.named_children[0]
            while head.named_children and head.type != "identifier":
                head = head.named_children[0]
            yield text_of(head)


def all_functions(path: Path) -> int:
    return sum(1 for _ in definitions(parsed(path.read_bytes())))


class Checked(NamedTuple):
    """What a check of a folder found, and how long it computed, in seconds."""

    report: dict[str, Any]
    seconds: float


def checked(folder: Path) -> Checked:
    """The report of the checker about a folder."""
    with tempfile.TemporaryDirectory() as name:
        output = Path(name, "report.json")
        options = ["--no-cache", "--exit-zero", "--output-format", "json", "--output-file", str(output)]
        command = [sys.executable, "-m", "dp_lsp", "check", *options, str(folder)]
        began = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8")
        ended = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = ended.ru_utime - began.ru_utime + ended.ru_stime - began.ru_stime
        if not output.exists():
            sys.exit(f"{' '.join(command)} ended with {done.returncode}\n{done.stderr}")
        return Checked(json.loads(output.read_text("utf-8")), seconds)


def reason(file: dict[str, Any], function: dict[str, Any] | None, found: Found) -> str:
    """Why a function has no answer: the first problem that is reported in it, where that lies in another function what
    is said of that one; else what the report says of itself."""
    for each in file["diagnostics"]:
        if found.line <= each["range"]["start"]["line"] <= found.last:
            cause = _OF_ANOTHER.search(each["message"])
            return _shortened(cause[1]) if cause else f"{each['code']} {_shortened(each['message'])}"
    said = "" if function is None else function.get("reason", "")
    cause = _OF_ANOTHER.search(said)
    return _shortened(cause[1] if cause else said) or "no reason"


_OF_ANOTHER = re.compile(r"was not checked to the end \((.*)\)")


def _shortened(message: str) -> str:
    """A message without what stands in it of the program."""
    head = message.split(";")[0].split(":")[0]
    if "is not part of the language" in head:
        return head.split(" is not part of")[0]
    return head[:90]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.packages", description=__doc__)
    parser.add_argument("folders", metavar="FOLDER", nargs="+", type=Path, help="the source folder of a package")
    parser.add_argument("--list", action="store_true", help="name each function that has no answer, with the reason")
    arguments = parser.parse_args()
    why: Counter[str] = Counter()
    total = Counter[str]()
    for folder in arguments.folders:
        counted = package(folder, why, arguments.list)
        total += counted
        print(_line(str(folder), counted), flush=True)
    print(_line("all", total))
    for reason, count in why.most_common(60):
        print(f"{count:5} {reason}")


def package(folder: Path, why: Counter[str], listed: bool) -> Counter[str]:
    """Count one package; the reasons are added to ``why``."""
    counted = Counter[str]()
    report, seconds = checked(folder)
    texts = [ROOT / file["path"] for file in report["files"]]
    made = frozenset(name for path in texts for name in types(parsed(path.read_bytes())))
    for file in report["files"]:
        path = ROOT / file["path"]
        counted["functions"] += all_functions(path)
        counted["lines"] += path.read_text("utf-8").count("\n")
        known = {(each["name"], each["range"]["start"]["line"]): each for each in file["functions"]}
        for found in plain_functions(path, made):
            counted["plain"] += 1
            counted["alone"] += found.alone
            function = known.get((found.name, found.line))
            if function is not None and function["status"] != "unknown":
                counted["answered"] += 1
                counted["answered alone"] += found.alone
                continue
            said = reason(file, function, found)
            why[said] += 1
            if listed:
                print(f"{path}:{found.line} {found.name}: {said}")
    counted["milliseconds"] += round(seconds * 1000)
    return counted


def _line(title: str, counted: Counter[str]) -> str:
    share = counted["answered"] / counted["plain"] if counted["plain"] else 0
    alone = counted["answered alone"] / counted["alone"] if counted["alone"] else 0
    per = counted["milliseconds"] / counted["lines"] * 10 if counted["lines"] else 0
    return (
        f"{title}: {counted['functions']:,} functions, {counted['plain']:,} of numbers, arrays and functions of the "
        f"same file, {counted['answered']:,} answered ({share:.0%}); "
        f"{counted['alone']:,} of nothing else by way of what they call, {counted['answered alone']:,} answered "
        f"({alone:.0%}); {per:.1f} s of computing per 10,000 lines"
    )


if __name__ == "__main__":
    main()
