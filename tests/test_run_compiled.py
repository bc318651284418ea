"""What DuckDB computes of a table is what the interpreter computes of its records, exactly: random programs on random
tables, and all programs of the specification. The interpreter shares nothing with what is compiled but the program."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from attack.private import private_targets
from dp_lsp.builtins.meanings import NoMeaning, StandIn, Undefined, array, is_container
from dp_lsp.builtins.randomness import TooManyWays
from dp_lsp.cli import main
from dp_lsp.core.term import Method
from dp_lsp.core.types import Dataset
from dp_lsp.engine.check import Engine
from dp_lsp.meaning.interpreter import Interpreter
from dp_lsp.meaning.privacy import same
from dp_lsp.meaning.refuter import settings_of
from dp_lsp.meaning.spaces import NotASpace, draw
from dp_lsp.release import columns as measured
from dp_lsp.release import compiled
from dp_lsp.release.columns import NotCompiled, columns
from dp_lsp.release.compiled import Records, of_record, stand_in
from dp_lsp.release.running import PLAIN
from dp_lsp.release.sources import Table, table
from test_run_meaning import Run, texts

duckdb: Any = pytest.importorskip("duckdb", reason="the extra `run` has it")
pytest.importorskip("ibis", reason="the extra `run` has it")

FAILS = "it fails"


class Held(Table):
    """A table that is here."""

    def __init__(self, rows: Sequence[Sequence[Any]], width: int) -> None:
        self.path, self._rows = "held", rows
        self.names = tuple(f"x{place}" for place in range(width))

    def cells(self, places: Sequence[int]) -> Iterator[Sequence[object]]:
        return ([row[place] for place in places] for row in self._rows)

    def demand_unchanged(self) -> None:
        """It cannot change."""


def records(found: Table, width: int | None, is_whole: bool) -> Records:
    """Its columns as a stand-in: of a vector or of a matrix."""
    places = list(range(width or 1))
    held = columns(found, places)
    cells = [stand_in(held, place, is_whole) for place in places]

    def plain() -> Any:
        numbers = list(found.numbers(places))
        entries = [int(each) if is_whole and not isinstance(each, bool) else each for each in numbers]
        return array(entries, None if width is None else (len(entries) // width, width))

    return Records(held, (), cells[0] if width is None else array(cells), plain, width)


def value(definitions: Any, method: Method, rows: Any, arguments: Sequence[Any], chance: Any = None) -> Any:
    try:
        found = Interpreter(definitions, rows=rows, most_steps=10**7).run(method, arguments, chance)
    except Undefined:
        return FAILS
    return tuple(found.flat) if is_container(found) else found


# Random programs


class Writer:
    """Programs that make a number, or several, of the records of a table."""

    def __init__(self, source: random.Random) -> None:
        self._source = source

    def constant(self) -> str:
        return self._source.choice(["0", "1", "2", "-3", "7", "0.5", "-2.25", "10", "1/3", "100.01"])

    def number(self, x: str, depth: int = 3) -> str:
        """A number of a record."""
        if depth == 0 or self._source.random() < 0.15:
            return x if self._source.random() < 0.7 else self.constant()
        a, b = (self.number(x, depth - 1) for _ in range(2))
        p = self.truth(x, depth - 1)
        return self._source.choice(
            [
                *(f"({a} + {b})", f"({a} - {b})", f"({a} * {b})", f"({a} / {self._source.choice(['2', '-3', '0.5'])})"),
                *(f"clamp({a}, -2, 5.5)", f"min({a}, {b})", f"max({a}, {b})", f"abs({a})", f"(-{x})", f"({x})^2"),
                *(f"({p} ? {a} : {b})", f"ifelse({p}, {a}, {b})", f"abs2({x})"),
                *(f"helper({a})", f"bent({a})"),
            ]
        )

    def truth(self, x: str, depth: int = 2) -> str:
        """Whether something holds of a record."""
        a, b = self.number(x, max(0, depth - 1)), self.number(x, 0)
        simple = f"{a} {self._source.choice(['<', '<=', '>', '>=', '==', '!='])} {b}"
        if depth == 0 or self._source.random() < 0.4:
            return f"({simple})"
        p, q = self.truth(x, depth - 1), self.truth(x, depth - 1)
        return self._source.choice([f"({p} && {q})", f"({p} || {q})", f"(!{p})", f"iszero({x})", f"({simple})"])

    def dataset(self, v: str, depth: int = 2) -> str:
        """Records of records."""
        if depth == 0 or self._source.random() < 0.2:
            return v
        inner = self.dataset(v, depth - 1)
        return self._source.choice(
            [
                f"map(x -> {self.number('x')}, {inner})",
                f"filter(x -> {self.truth('x')}, {inner})",
                f"[{self.number('x')} for x in {inner}]",
                f"[{self.number('x', 1)} for x in {inner} if {self.truth('x', 1)}]",
                f"clamp.({inner}, -1, 4)",
                f"(w -> w[w .> {self.constant()}])({inner})",
                f"(w -> w .* 2 .+ 1)({inner})",
            ]
        )

    def statistic(self, v: str) -> str:
        """What is found of records."""
        w = self.dataset(v)
        return self._source.choice(
            [
                *(f"sum({w})", f"length({w})", f"mean({w})", f"var({w})", f"var({w}; corrected=false)"),
                *(f"count(x -> {self.truth('x')}, {w})", f"sum(x -> {self.number('x')}, {w})"),
                *(f"maximum({w})", f"minimum({w})", f"histogram({w}, [-1, 0, 1/3, 2.5, 7])", f"isempty({w})"),
                *(f"cumulative_counts({w}, [0, 2.5, -1])", f"quantile_score({w}, 0.25, [0, 1, 3.5])"),
                *(f"sum({w}) / (1 + length({v}))", f"sum([mean({v}) * 2 - x for x in {w}])"),
                f"histogram({w}, [3, 1, 2])",
            ]
        )

    def of_rows(self, m: str) -> str:
        """The same of the rows of a matrix with three columns."""
        r = self._source.choice(["r[1]", "r[2] * r[3]", "r[1] - r[2]", "sum(r)", "length(r)"])
        n = f"filter_rows(r -> {self.truth(r)}, {m})" if self._source.random() < 0.5 else m
        j = self._source.randint(1, 3)
        return self._source.choice(
            [
                *(f"sum({n}[:, {j}])", f"mean({n}[:, {j}])", f"covariance({n}, 1, {j}; corrected=false)"),
                *(f"sum({n}; dims=1)", f"count_rows(r -> {self.truth(r)}, {n})", f"size({n}, 1)", f"length({n})"),
                *(f"sum(map_rows(r -> {self.number(r)}, {n}))", f"var({n}[:, {j}])", f"mean({n}; dims=1)"),
                *(f"sum({n}[:, 1] .* {n}[:, {j}])", f"maximum({n}[:, {j}])"),
                f"sum(map_rows(r -> [r[1], {self.number(r, 1)}], {n}); dims=1)",
            ]
        )


HELPERS = """\
helper(x::Real) = x > 1 ? x / 2 : 3
function bent(x)
    if x > 2
        return x
    end
    y = x * x
    y < 1 ? y : 1
end
"""


def programs(source: random.Random, many: int, is_matrix: bool) -> tuple[Any, list[Method], list[str]]:
    """Functions of a table: all definitions, the methods, and their texts."""
    writer = Writer(source)
    kind = "MetricMatrix" if is_matrix else "MetricVector"
    written = [writer.of_rows("v") if is_matrix else writer.statistic("v") for _ in range(many)]
    lines = [f"f{place}(v::{kind}(Real, Symmetric)) = {text}\n" for place, text in enumerate(written)]
    definitions = [each.definition for each in Engine().definitions(HELPERS + "".join(lines))]
    methods = {each.name: each for each in definitions if isinstance(each, Method)}
    return definitions, [methods[f"f{place}"] for place in range(many)], written


def cells(source: random.Random, kind: str) -> Any:
    """A number as the columns of a kind have it."""
    if kind == "whole":
        return source.randint(-3, 12)
    if kind == "wide":
        return source.choice([0, 1, -1]) * source.randint(0, 10**17)
    if kind == "decimal":
        return Decimal(source.randint(-300, 900)).scaleb(-source.randint(0, 3))
    if kind == "float":
        return source.choice([0.1, 0.2, 2.5, -0.0, 1e-7, 5.0, round(source.uniform(-3, 8), 9), 0.30000000000000004])
    return source.choice([1, 2, 3, 3])


def stored(folder: Path, kinds: Sequence[str], rows: Sequence[Sequence[Any]], name: str) -> Table:
    """The same table as DuckDB reads it, or as this program does."""
    if name == "t.csv":
        lines = (",".join(map(str, row)) for row in [[f"x{at}" for at in range(len(kinds))], *rows])
        (folder / name).write_text("".join(f"{line}\n" for line in lines), "utf-8")
        return table(str(folder / name), None, True)
    types = {"decimal": "DECIMAL(12, 3)", "float": "DOUBLE", "wide": "HUGEINT"}
    name = f"{len(list(folder.iterdir()))}.duckdb"
    with duckdb.connect(str(folder / name)) as database:
        named = ", ".join(f"x{at} {types.get(kind, 'INTEGER')}" for at, kind in enumerate(kinds))
        database.execute(f"CREATE TABLE t ({named})")
        if rows:
            database.executemany(f"INSERT INTO t VALUES ({', '.join('?' * len(kinds))})", rows)
    return table(str(folder / name), None, None)


KINDS = ["whole", "wide", "decimal", "float", "few"]


MANY = 40
"""Programs of each kind; two thousand of them were run, too."""


@pytest.mark.parametrize("name", ["t.csv", "t.duckdb"])
@pytest.mark.parametrize("is_matrix", [False, True])
def test_random_programs(name: str, is_matrix: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Few are not compiled: what is compared is not the interpreter with itself."""
    monkeypatch.setattr(measured, "_CHUNK", 7)
    source = random.Random(f"{name} {is_matrix}")
    here: dict[str, str] = {}
    definitions, methods, texts = programs(source, MANY, is_matrix)
    compared, kept, failed = 0, 0, 0
    for method, text in zip(methods, texts, strict=True):
        if source.random() < 0.2 or not compared:
            kinds = [source.choice(KINDS) for _ in range(3)]
            rows = [[cells(source, kind) for kind in kinds] for _ in range(source.choice([0, 1, 2, 20, 40]))]
            held = stored(tmp_path, kinds, rows, name)
        is_whole = not is_matrix and kinds[0] in ("whole", "few")
        given = records(held, 3 if is_matrix else None, is_whole)
        here.clear()
        expected = value(definitions, method, PLAIN, [given.array])
        given = records(held, 3 if is_matrix else None, is_whole)
        found = value(definitions, method, compiled.rows(here.setdefault), [given])
        assert found == expected, (text, kinds, rows, given.columns.queries)
        compared, kept, failed = compared + 1, kept + (not here), failed + (expected == FAILS)
    assert kept > 0.6 * compared
    assert failed < 0.4 * compared


def test_each_statistic_is_compiled() -> None:
    """None of them is left to the interpreter."""
    texts = [
        *("sum(v)", "sum(x -> 2 * x, v)", "length(v)", "size(v, 1)", "mean(v)", "var(v)", "squared_deviations(v)"),
        *("count(x -> x > 1, v)", "maximum(v)", "minimum(v)", "histogram(v, [0, 1, 2])", "isempty(v)"),
        *("cumulative_counts(v, [0, 1])", "quantile_score(v, 0.5, [0, 1])", "sum(clamp(v, 0, 1))"),
        *("sum(clamp.(v, 0, 1))", "sum(v[v .> 1])", "sum([x for x in v if x > 1])", "sum(v .* v)"),
    ]
    of_rows = [
        *("covariance(v, 1, 2)", "cross_deviations(v, 1, 2)", "sum(v; dims=1)", "mean(v; dims=1)", "size(v, 1)"),
        *("count_rows(r -> r[1] > 1, v)", "sum(filter_rows(r -> r[1] > 1, v)[:, 2])", "sum(map_rows(r -> r[1], v))"),
        "sum(v)",
    ]
    rows = [[Fraction(place, 4), place, 1] for place in range(9)]
    for kind, width, listed in (("MetricVector", None, texts), ("MetricMatrix", 3, of_rows)):
        lines = [f"f{place}(v::{kind}(Real, Symmetric)) = {text}\n" for place, text in enumerate(listed)]
        definitions = [each.definition for each in Engine().definitions("".join(lines))]
        for definition, text in zip(definitions, listed, strict=True):
            here: dict[str, str] = {}
            given = records(Held(rows, 3), width, False)
            found = value(definitions, definition, compiled.rows(here.setdefault), [given])
            assert found == value(definitions, definition, PLAIN, [given.array]), text
            assert not here, text


# The programs of the specification


class Exactly(Run):
    """What a run on data asks for, exactly."""

    def _noise(self, normal: bool, centre: Any, scale: Fraction) -> Any:
        entries = list(centre.flat) if is_container(centre) else [centre]
        self.asked.append((normal, scale, *entries))
        return centre


def as_records(given: Any, type_: Any) -> Any:
    """A dataset as a stand-in, if it holds numbers that can stand in a table."""
    if not isinstance(type_, Dataset) or not is_container(given):
        return given
    width = given.shape[1] if given.ndim == 2 else None
    rows = [list(row) if width is not None else [row] for row in given]
    is_whole = all(isinstance(each, int) and not isinstance(each, bool) for each in given.flat)
    try:
        found = records(Held(rows, width or 1), width, is_whole)
    except NotCompiled:
        return given
    found._plain = given.copy
    return found


def test_the_programs_of_the_specification() -> None:
    """Noise is asked for in the same places, of the same numbers."""
    engine, compared, kept = Engine(), 0, 0
    for text in islice(texts(), 1, None, 3):
        if "Priv()" not in text:
            continue
        definitions = [each.definition for each in engine.definitions(text)]
        for target in private_targets(text, engine=engine):
            source = random.Random(7)
            try:
                for setting in settings_of(target.scheme, source, 2):
                    inputs = [draw(param.type, source, setting) for param in target.scheme.params]
                    types = [param.type for param in target.scheme.params]
                    given = [as_records(each, type_) for each, type_ in zip(inputs, types, strict=True)]
                    here: dict[str, str] = {}
                    plain, other = Exactly(), Exactly()
                    expected = value(definitions, target.method, PLAIN, inputs, plain)
                    found = value(definitions, target.method, compiled.rows(here.setdefault), given, other)
                    assert plain.asked == other.asked, text
                    assert same(found, expected), text
                    compared += any(isinstance(each, StandIn) for each in given)
                    kept += any(isinstance(each, StandIn) for each in given) and not here
            except (NotASpace, NoMeaning, TooManyWays):
                continue
    assert compared > 40
    assert kept > compared / 4


# What is not compiled


def only(text: str, rows: Sequence[Any], helpers: str = "") -> tuple[Any, Any, dict[str, str], list[str]]:
    """What a function is, compiled and interpreted, what was not compiled, and the queries."""
    definitions = [each.definition for each in Engine().definitions(f"{helpers}f(v::MetricVector(Real)) = {text}\n")]
    (method,) = (each for each in definitions if isinstance(each, Method) and each.name == "f")
    here: dict[str, str] = {}
    given = records(Held([[each] for each in rows], 1), None, all(isinstance(each, int) for each in rows))
    found = value(definitions, method, compiled.rows(here.setdefault), [given], Exactly())
    return found, value(definitions, method, PLAIN, [given.array], Exactly()), here, given.columns.queries


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("sum([1 / x for x in v])", "it divides by a number of the record"),
        ("sum([x % 2 for x in v])", "`%` of a number of the record"),
        ("sum([sqrt(x) for x in v])", "`sqrt` of a number of the record"),
        ("sum([x^9 for x in v])", "it takes a power"),
        ("sum([[1, 2, 3][x] for x in v])", "a number of the record is a place or a count"),
        ("sum([x > 0 ? x : log(0) for x in v])", "it may fail for a record"),
        ("sum([count(y -> y > x, v) for x in v])", "for each record it goes over records"),
        ("sum([x - length(v) for x in v])", "for each record it goes over records"),
        ("median(v)", "none of what is compiled"),
        ("sum([(x + 10^30) * (x + 10^9) for x in v])", "more than 38 digits"),
        ("histogram(v, [2, 1])", "its edges do not rise"),
    ],
)
def test_what_is_not_compiled(text: str, why: str) -> None:
    """It is computed all the same, and said."""
    found, expected, here, _ = only(text, [1, 2, 3, 3])
    assert found == expected
    assert why in " ".join(here.values())


def test_what_fails_for_a_record_fails() -> None:
    for text in ("sum([1 / x for x in v])", "sum([[1, 2][x] for x in v])"):
        assert only(text, [1, 0])[0] == only(text, [1, 0])[1] == FAILS


def test_the_same_is_drawn_once_and_not_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """Noise that a program draws for each record is drawn for each: what is compiled would draw it once."""
    drawn: list[Any] = []
    monkeypatch.setattr(Exactly, "_noise", lambda self, normal, centre, scale: drawn.append(centre) or centre)
    only("sum(map(x -> laplacian_mechanism(1, 1, x), v))", [1, 2, 3])
    assert drawn == [1, 2, 3] * 2
    drawn.clear()
    only("sum(map(x -> x > 2 ? laplacian_mechanism(1, 1, 5) : 0, v))", [1, 2, 3, 4])
    assert drawn == [5, 5] * 2


def test_nothing_is_drawn_for_all_records_at_once() -> None:
    """Whatever way a program finds to draw for each record."""
    rows = compiled.rows(lambda row, why: None)
    (cell,) = records(Held([[1], [2]], 1), None, True).numbers
    for row, given in (("laplacian_mechanism", (1, 1, 5)), ("randomized_response", (1, True)), ("resize", (1, 2, 3))):
        with pytest.raises(NotCompiled, match="draws for each record"):
            of_record(lambda x, row=row, given=given: rows.random[row](None, *given), cell)


def test_methods_that_are_told_apart_by_what_records_are() -> None:
    """The interpreter would not say which one runs, so neither is chosen for what is compiled."""
    helpers = "g(x::Integer) = 100 * x\ng(x::Real) = x\n"
    for rows in ([Fraction(1, 2), Fraction(3)], [Fraction(1), Fraction(3)]):
        found, expected, _, _ = only("sum([g(x) for x in v])", rows, helpers)
        assert found == expected


def test_a_query_has_nothing_of_the_data() -> None:
    """Of tables with as many decimals it is the same, whatever is in them."""
    text = "sum([x > 5 ? clamp(2x, 0, 7) : abs(x) for x in v if x != 3])"
    asked = [only(text, rows)[3] for rows in ([1, 2, 3], [100, -7], [9], [5, 5, 5], [])]
    assert asked == [asked[0]] * 5


@pytest.mark.parametrize(
    "rows",
    [
        [10**37, 10**37, -(10**37)],
        [9223372036854775807, 1],
        [-(10**10), 5],
        [-9223372036854775808, -1],
        [Decimal("1e-30"), Decimal("1e7")],
        [0.1] * 10,
        [1e300, 1.0],
        [5e-324, 1.0],
        [1e22, 1e-7],
        [4503599627370497.5, 0.5],
        [0.30000000000000004, 0.1, 0.2],
        [123456.789, 1e15, 1e16],
    ],
)
@pytest.mark.parametrize("type_", ["DOUBLE", "FLOAT", "DECIMAL(38, 0)", "DECIMAL(38, 30)", "HUGEINT"])
def test_numbers_at_the_edges(tmp_path: Path, rows: list[Any], type_: str) -> None:
    """Sums and squares that do not fit are not compiled, and nothing is rounded."""
    with duckdb.connect(str(tmp_path / "t.duckdb")) as database:
        try:
            database.execute(f"CREATE TABLE t AS SELECT unnest([{', '.join(map(repr, map(str, rows)))}])::{type_} AS x")
        except duckdb.ConversionException:
            return
    held = table(str(tmp_path / "t.duckdb"), None, None)
    of_each = "sum([x * x for x in v])", "sum([x * (7 - x) for x in v])", "sum([3x - 1/7 for x in v if x < 1])"
    listed = "sum(v)", *of_each, "maximum(v)", "var(v)"
    definitions = [
        each.definition
        for each in Engine().definitions("".join(f"f{p}(v::MetricVector(Real)) = {t}\n" for p, t in enumerate(listed)))
    ]
    for definition in definitions:
        try:
            given = records(held, None, False)
        except NotCompiled:
            return
        found = value(definitions, definition, compiled.rows(lambda row, why: None), [given])
        assert found == value(definitions, definition, PLAIN, [given.array])


# The command


PROGRAM = """\
function total(v::MetricVector(Bounded(Real, 0, 10), Symmetric), eps::Static()) :: Priv()
    laplacian_mechanism(10, eps, sum(v))
end
function middle(v::MetricVector(Real, Symmetric), eps::Static()) :: Priv()
    private_quantile(0.5, eps, v, 0.5, [1, 2, 3])
end
function looped(v::MetricVector(Real, Symmetric), eps::Static()) :: Priv()
    n = 0
    for x in v
        if x > 2
            n += 1
        end
    end
    laplacian_mechanism(1, eps, n)
end
function short(m::MetricMatrix(Real, Symmetric, RowNorm(L2, 5)), eps::Static(), del::Static()) :: Priv()
    gaussian_mechanism(5, eps, del, sum(m; dims=1))
end
function few(v::MetricVector(Integer, Symmetric, AtLeast(3)), eps::Static()) :: Priv()
    laplacian_mechanism(1, eps, count(x -> x > 2, v))
end
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, with a program and a table in two formats."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.jl").write_text(PROGRAM, "utf-8")
    (tmp_path / "t.csv").write_text("a,b\n1,2\n3,4.5\n10,0\n", "utf-8")
    with duckdb.connect("t.duckdb") as database:
        database.execute("CREATE TABLE t AS SELECT * FROM (VALUES (1, 2.0), (3, 4.5), (10, 0)) AS t(a, b)")
    return tmp_path


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("file", ["t.csv", "t.duckdb"])
@pytest.mark.parametrize(
    ("function", "more", "asked", "here"),
    [
        ("total", ["--column", "a"], "SUM(", ""),
        ("middle", ["--column", "b"], "COUNT(*) FILTER", ""),
        ("looped", ["--column", "b"], "COUNT(*)", "computed here, not by DuckDB: `[]`"),
        ("short", ["--column", "b", "--set", "del=1e-5"], "SUM(", ""),
        ("few", ["--column", "a"], "COUNT(*) FILTER", ""),
        ("total", ["--column", "a", "--engine", "interpreter"], "", ""),
    ],
)
def test_what_is_asked_is_shown(
    file: str, function: str, more: list[str], asked: str, here: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """By default on standard error only, as is what is computed here; what is released is the same."""
    given = ["run", "p.jl", function, "--data", file, "--set", "eps=1/2", *more]
    assert main([*given, "--explain-query"]) == 0
    printed = capsys.readouterr()
    assert "ε 0." in printed.out and "SELECT" not in printed.out
    assert asked in printed.err
    assert bool(asked) == ("SELECT" in printed.err)
    assert (here in printed.err) and bool(here) == ("computed here" in printed.err)
    assert main(given) == 0
    assert "SELECT" not in capsys.readouterr().err


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("engine", ["duckdb", "interpreter"])
@pytest.mark.parametrize("file", ["t.csv", "t.duckdb"])
@pytest.mark.parametrize(
    ("function", "rows", "said"),
    [
        ("total", "(1, 2), (3, 11)", "row {1}, column b: a value of 'v' does not lie between 0 and 10"),
        ("few", "(1, 2), (3, 1.5), (4, 1)", "row {1}, column b: a value of 'v' is not a whole number"),
        ("few", "(1, 2), (3, 1)", "'v' has fewer records than the 3 that its type says"),
        ("short", "(1, 3), (3, 6)", "row {1}, column b: a row of 'm' is longer than 5 in L2"),
        ("total", "(1, 2), (3, NULL)", "row {1}, column b: there is no number"),
    ],
)
def test_what_a_type_says_is_checked_first(
    engine: str, file: str, function: str, rows: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """With the same words, whoever finds it; and nothing is counted."""
    with duckdb.connect("t.duckdb") as database:
        database.execute(f"CREATE OR REPLACE TABLE t AS SELECT * FROM (VALUES {rows}) AS t(a, b)")
        database.execute("COPY t TO 't.csv'")
    more = ["--set", "del=1e-5"] if function == "short" else []
    given = ["run", "p.jl", function, "--data", file, "--column", "b", "--set", "eps=0.5", "--engine", engine, *more]
    assert main([*given, "--ledger", "l.jsonl"]) == 1
    printed = capsys.readouterr()
    first = 2 if file == "t.csv" else 1
    assert said.replace("{1}", str(first + 1)) in printed.err
    assert not printed.out and not Path("l.jsonl").exists()


def test_a_table_that_changes_between_queries(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is released of a table that is no longer the one that was measured; what was spent is said."""
    whole = compiled._Query.answers

    def changed(self: Any) -> list[int]:
        (folder / "t.csv").write_text("a,b\n1,2\n3,4.5\n10,10\n", "utf-8")
        return whole(self)

    monkeypatch.setattr(compiled._Query, "answers", changed)
    given = ["run", "p.jl", "total", "--data", "t.csv", "--column", "a", "--set", "eps=1", "--ledger", "l.jsonl"]
    assert main(given) == 1
    printed = capsys.readouterr()
    assert not printed.out
    assert "t.csv: it has changed since it was first read; l.jsonl counts it all the same" in printed.err
    assert "this run spent ε 1, δ 0, which l.jsonl counts" in printed.err


def test_without_an_engine(folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The interpreter does it, and says so."""
    monkeypatch.setitem(__import__("sys").modules, "ibis", None)
    assert main(["run", "p.jl", "total", "--data", "t.csv", "--column", "a", "--set", "eps=1"]) == 0
    assert "Ibis is not installed" in capsys.readouterr().err
