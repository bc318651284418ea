"""Tables that runs read: one table in every format is the same data, and what is no table of numbers is refused with
its place. Who reads Parquet, Arrow and databases here also wrote them by their own programs."""

from __future__ import annotations

import gzip
import json
import os
import sqlite3
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from dp_lsp.cli import main
from dp_lsp.release import Misused, RunRefused, sources
from dp_lsp.release.running import ExactRuns
from dp_lsp.release.sources import Table, table

duckdb: Any = pytest.importorskip("duckdb", reason="the extra `run` has it")
pyarrow: Any = pytest.importorskip("pyarrow", reason="the extra `arrow` has it")
feather: Any = pytest.importorskip("pyarrow.feather", reason="the extra `arrow` has it")
parquet: Any = pytest.importorskip("pyarrow.parquet", reason="the extra `arrow` has it")

NUMBERS = [1.0, 0.1, -2.5, 1e-7, 123456.789, 1e16, 0.30000000000000004]
ROWS = [(place, each, place % 2 == 0, f"t{place}") for place, each in enumerate(NUMBERS)]
NAMES = ("whole", "real", "truth", "text")
PROGRAM = """\
function total(v::MetricVector(Bounded(Real, -10, 10), Symmetric), eps::Static()) :: Priv()
    laplacian_mechanism(10, eps, sum(v))
end
function counted(v::MetricVector(Real, Symmetric), eps::Static()) :: Priv()
    laplacian_mechanism(1, eps, count(x -> x > 2, v))
end
"""


def text(separator: str, rows: list[tuple[Any, ...]] = ROWS) -> str:
    return "".join(f"{separator.join(map(str, row))}\n" for row in [NAMES, *rows])


def written(folder: Path, rows: list[tuple[Any, ...]] = ROWS) -> list[str]:
    """The same table in every format, by the names of the files."""
    columns = pyarrow.table(dict(zip(NAMES, map(list, zip(*rows, strict=True)), strict=True)))
    (folder / "t.csv").write_text(text(",", rows), "utf-8")
    (folder / "t.tsv").write_text(text("\t", rows), "utf-8")
    (folder / "semicolons.csv").write_text(text(";", rows), "utf-8")
    (folder / "t.csv.gz").write_bytes(gzip.compress(text(",", rows).encode()))
    records = (dict(zip(NAMES, row, strict=True)) for row in rows)
    (folder / "t.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in records), "utf-8")
    parquet.write_table(columns, folder / "t.parquet")
    (folder / "parts").mkdir()
    parquet.write_table(columns.slice(0, 2), folder / "parts" / "1.parquet")
    parquet.write_table(columns.slice(2), folder / "parts" / "2.parquet")
    feather.write_feather(columns, folder / "t.feather")
    with duckdb.connect(str(folder / "t.duckdb")) as database:
        database.execute(f"CREATE TABLE t AS SELECT * FROM '{folder}/t.parquet'")
    with sqlite3.connect(folder / "t.sqlite") as lite:
        lite.execute("CREATE TABLE t (whole INTEGER, real REAL, truth BOOLEAN, text TEXT)")
        lite.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", rows)
    lite.close()
    return [
        *("t.csv", "t.tsv", "semicolons.csv", "t.csv.gz", "t.jsonl", "t.parquet", "parts", "parts/*.parquet"),
        *("t.feather", "t.duckdb", "t.duckdb#t", "t.sqlite", "t.sqlite#t"),
    ]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, with a program."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.jl").write_text(PROGRAM, "utf-8")
    return tmp_path


def column(found: Table, name: str) -> list[Fraction | bool]:
    return list(found.numbers(found.columns([name])))


def test_one_table_in_every_format(folder: Path) -> None:
    """A binary number is the decimal that Python writes for it, also where DuckDB, SQLite or Arrow hold it."""
    for address in written(folder):
        found = table(address, None, None)
        assert found.names == NAMES
        assert column(found, "whole") == list(range(len(ROWS))), address
        assert column(found, "real") == [Fraction(repr(each)) for each in NUMBERS], address
        assert column(found, "truth") == [row[2] for row in ROWS], address  # SQLite has 1 and 0
        assert len(found.digest) == 64
        with pytest.raises(RunRefused, match="it is not a number"):
            column(found, "text")
        assert found.too_many(3, 1) is None
        assert found.too_many(2, 4) is None
        assert found.too_many(2, 3) == 6


def test_a_run_on_every_format(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They all give the program the same numbers."""
    given: list[Any] = []
    monkeypatch.setattr(ExactRuns, "value", lambda _, arguments: given.append(list(arguments[0])) or 1)
    written(folder)
    for address in ("t.csv", "t.parquet", "t.feather", "t.duckdb#t", "t.sqlite", "t.jsonl", "parts"):
        more = ("--column", "real", "--set", "eps=1")
        assert main(["run", "p.jl", "counted", "--data", address, *more]) == 0
    assert given == [given[0]] * 7
    assert given[0] == [Fraction(repr(each)) for each in NUMBERS]


@pytest.mark.parametrize("name", ["t.parquet", "t.feather", "t.duckdb"])
def test_many_numbers_are_the_decimals_that_are_written_for_them(folder: Path, name: str) -> None:
    """Of all bit patterns: Python's own notation is what tells."""
    import random
    import struct

    source = random.Random(7)
    drawn = (struct.unpack("d", source.randbytes(8))[0] for _ in range(2000))
    values = [each for each in drawn if abs(each) < 1e300]
    written(folder, [(1, each, True, "t") for each in values])
    assert column(table(name, None, None), "real") == [Fraction(repr(each)) for each in values]


@pytest.mark.parametrize(
    ("type_", "values", "said"),
    [
        ("DOUBLE", "('nan'), (1)", "row 1, column x: it is not a number that can be computed with"),
        ("DOUBLE", "(1), ('-inf')", "row 2, column x: it is not a number that can be computed with"),
        ("INTEGER", "(1), (NULL)", "row 2, column x: there is no number"),
        ("DATE", "('2026-01-01')", "column x: it holds DATE, which is no number"),
        ("TIMESTAMP WITH TIME ZONE", "('2026-01-01')", "column x: it holds TIMESTAMP WITH TIME ZONE"),
        ("INTEGER[]", "([1])", r"column x: it holds INTEGER\[\], which is no number"),
        ("VARCHAR", "('1'), ('many')", "row 2, column x: it is not a number"),
        ("DECIMAL(38, 10)", "(0.0000000001), (1234567890123456789012345678)", ""),
        ("HUGEINT", "(170141183460469231731687303715884105727)", ""),
        ("UBIGINT", "(18446744073709551615)", ""),
        ("FLOAT", "(0.1)", ""),
        ("VARCHAR", "('0.1'), ('1e-5')", ""),
    ],
)
def test_what_columns_are_stored_as(folder: Path, type_: str, values: str, said: str) -> None:
    with duckdb.connect("d.duckdb") as database:
        database.execute(f"CREATE TABLE t (x {type_}); INSERT INTO t VALUES {values}")
        shown = [row[0] for row in database.execute("SELECT x::VARCHAR FROM t").fetchall()]
    if not said:
        assert column(table("d.duckdb", None, None), "x") == list(map(Fraction, shown))
        return
    with pytest.raises(RunRefused, match=f"^d.duckdb#t, {said}"):
        column(table("d.duckdb", None, None), "x")


def test_tables_of_a_database(folder: Path) -> None:
    for address, database in (("d.duckdb", duckdb.connect("d.duckdb")), ("d.sqlite", sqlite3.connect("d.sqlite"))):
        database.execute("CREATE TABLE one AS SELECT 1 AS x")
        database.execute("CREATE TABLE two AS SELECT 2 AS x")
        database.execute("CREATE VIEW seen AS SELECT 3 AS x")
        database.commit()
        database.close()
        assert column(table(f"{address}#two", None, None), "x") == column(table(address, "two", None), "x") == [2]
        assert table(address, "two", None).digest != table(address, "one", None).digest
        with pytest.raises(Misused, match="it has one, two"):
            table(address, None, None)
        with pytest.raises(Misused, match=r"has no table 'seen' \(views are not read\); it has one, two"):
            table(address, "seen", None)


def test_tables_by_option(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with duckdb.connect("d.duckdb") as database:
        database.execute("CREATE TABLE one AS SELECT 1 AS x; CREATE TABLE two AS SELECT 200 AS x")
    given = ["run", "p.jl", "total", "--data", "d.duckdb", "--set", "eps=1"]
    assert main([*given, "--table", "one", "--ledger", "l.jsonl"]) == 0
    assert "d.duckdb#one (one record is added or removed)" in capsys.readouterr().out
    assert main([*given, "--table", "v=two"]) == 1
    assert "d.duckdb#two, row 1, column x: a value of 'v' does not lie between -10 and 10" in capsys.readouterr().err
    for more, said in (
        (["--table", "one", "--table", "two"], "--table names 2 tables for 'v'"),
        (["--table", "w=one"], "--table w: 'total' has no parameter 'w'"),
        ([], "say by --table NAME which table of d.duckdb is meant"),
    ):
        assert main([*given, *more]) == 2
        assert said in capsys.readouterr().err
    assert main(["run", "p.jl", "total", "--set", "v=[1]", "--set", "eps=1", "--table", "one"]) == 2
    assert "--table names something of a table, and there is none" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("postgres://me:secret@host/data", "postgres://…: a password must not stand in an address"),
        ("postgresql://host/data?password=secret", "postgresql://…: a password must not stand in an address"),
        ("postgres://host/data", "PostgreSQL is not read yet: write the table to a Parquet file"),
        ("sc://host:15002", "Spark is not asked yet"),
        ("https://host/t.csv", "https://…: only files are read"),
        ("no.parquet", "no.parquet: No such file or directory"),
        ("none*.parquet", r"none\*.parquet: No such file or directory"),
        ("empty", "empty: it is a folder, and has no files whose names end in .parquet"),
    ],
)
def test_what_is_not_there(folder: Path, address: str, said: str) -> None:
    (folder / "empty").mkdir()
    with pytest.raises(Misused, match=said) as misused:
        table(address, None, None)
    assert "secret" not in str(misused.value)


def test_parts_that_do_not_fit_together(folder: Path) -> None:
    """DuckDB would read the second part as the type of the first, and round."""
    (folder / "parts").mkdir()
    parquet.write_table(pyarrow.table({"x": [1, 2]}), "parts/1.parquet")
    parquet.write_table(pyarrow.table({"x": [1.5, 2.5]}), "parts/2.parquet")
    with pytest.raises(RunRefused, match=r"parts/2.parquet: its columns are not those of parts/1.parquet"):
        table("parts", None, None)
    (folder / "t.csv").write_text("a\n1\n", "utf-8")
    (folder / "u.csv").write_text("a\n1\n", "utf-8")
    with pytest.raises(Misused, match=r"only Parquet files are read together, and t.csv is none"):
        table("*.csv", None, None)


@pytest.mark.parametrize("names", [["x", "x"], ["x", "X"], ["x", "X_1", "X"]])
def test_names_that_are_one_name(folder: Path, names: list[str]) -> None:
    """DuckDB takes upper and lower case for one, and gives the second another name."""
    columns = pyarrow.table([pyarrow.array([place]) for place in range(len(names))], names=names)
    parquet.write_table(columns, "t.parquet")
    with pyarrow.ipc.new_file("t.arrow", columns.schema) as file:
        file.write_table(columns)
    for name in ("t.parquet", "t.arrow"):
        with pytest.raises(RunRefused, match="names of columns differ only in upper and lower case, or not at all"):
            table(name, None, None)


def test_parts_of_columns_have_names_of_their_own(folder: Path) -> None:
    columns = pyarrow.table({"s": [{"x": 1, "t": {"x": 2, "y": [3]}}], "x": [4]})
    parquet.write_table(columns, "t.parquet")
    assert column(table("t.parquet", None, None), "x") == [4]
    with pytest.raises(RunRefused, match=r"column s: it holds STRUCT"):
        column(table("t.parquet", None, None), "s")


@pytest.mark.parametrize("name", ["t.parquet", "t.feather", "t.duckdb", "t.sqlite", "t.csv.gz"])
def test_files_that_are_cut_off(folder: Path, name: str) -> None:
    written(folder, ROWS * 1000)
    content = (folder / name).read_bytes()
    (folder / name).write_bytes(content[: len(content) // 2])
    with pytest.raises(RunRefused, match=name.replace(".", r"\.")):
        column(table(name, None, None), "real")


@pytest.mark.parametrize("name", ["t.csv", "t.parquet", "t.feather", "t.duckdb", "t.sqlite", "t.jsonl"])
def test_a_table_that_changes_meanwhile(folder: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    written(folder)
    found = table(name, None, None)
    whole = (folder / name).read_bytes()
    numbers = found.numbers(found.columns(["real"]))
    next(numbers)
    (folder / name).write_bytes(whole)
    os.utime(name, ns=(1, 1))
    with pytest.raises(RunRefused, match="it has changed since it was first read"):
        list(numbers)


def test_a_pipe_is_read_once(folder: Path) -> None:
    read, write = os.pipe()
    os.write(write, b"a\n1\n2\n")
    os.close(write)
    found = table(f"/dev/fd/{read}", None, None)
    assert column(found, "a") == column(found, "a") == [1, 2]
    os.close(read)


def test_nothing_is_written_or_opened_beside(folder: Path) -> None:
    """No extension, no temporary file, no file that was not named; and nothing that says otherwise later."""
    written(folder)
    before = sorted(folder.rglob("*"))
    found = table("t.parquet", None, None)
    assert isinstance(found, sources.Scanned)
    assert column(found, "whole")
    for query in (
        "SELECT * FROM 't.csv'",
        f"SELECT * FROM read_csv('{folder}/t.csv')",
        f"COPY (SELECT 1) TO '{folder}/out.csv'",
        f"ATTACH '{folder}/t.duckdb'",
        "INSTALL httpfs",
        "SET temp_directory = '/tmp'",
        "SET enable_external_access = true",
        "SELECT * FROM values",
    ):
        with pytest.raises(RunRefused):
            found.query(query)
    settings = "current_setting('temp_directory'), current_setting('autoload_known_extensions')"
    assert found.query(f"SELECT {settings}").fetchall() == [("", False)]
    assert sorted(folder.rglob("*")) == before


def test_errors_say_no_values(folder: Path) -> None:
    with duckdb.connect("d.duckdb") as database:
        database.execute("CREATE TABLE t AS SELECT 'secret' AS x")
    found = table("d.duckdb", None, None)
    assert isinstance(found, sources.Scanned)
    with pytest.raises(RunRefused) as refused:
        found.query("SELECT CAST(x AS INTEGER) FROM held.t").fetchall()
    assert "secret" not in str(refused.value)


def test_without_the_libraries(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(folder)
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with pytest.raises(Misused, match=r"pip install 'dp-lsp\[arrow\]'"):
        table("t.feather", None, None)
    monkeypatch.setitem(__import__("sys").modules, "duckdb", None)
    with pytest.raises(Misused, match=r"pip install 'dp-lsp\[run\]'"):
        table("t.parquet", None, None)
    assert column(table("t.csv", None, None), "whole")


def test_only_the_columns_that_are_asked_for(folder: Path) -> None:
    """What another column holds is nobody's concern."""
    with duckdb.connect("d.duckdb") as database:
        database.execute("CREATE TABLE t AS SELECT 1 AS x, NULL AS y, DATE '2026-01-01' AS z")
    assert column(table("d.duckdb", None, None), "x") == [1]
    (folder / "t.csv").write_text("x,y\n1,secret\n", "utf-8")
    assert column(table("t.csv", None, None), "x") == [1]


# Text


def of_text(raw: bytes, header: bool | None = None, name: str = "t.csv") -> Table:
    """The table in a file of the working folder."""
    Path(name).write_bytes(raw)
    return table(name, None, header)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("raw", "names", "rows"),
    [
        ("a,b\n1,2\n", ("a", "b"), 1),
        ("1,2\n3,4\n", ("1", "2"), 2),
        ("\ufeffa\r\n1\r\n2\r\n\r\n", ("a",), 2),
        ('"a, b","c ""d"""\n1,2\n', ("a, b", 'c "d"'), 1),
        ("a\n", ("a",), 0),
        ("a;b\n1;2\n", ("a", "b"), 1),
        ('"a,b";c\n1;2\n', ("a,b", "c"), 1),
        ("a\tb\n1\t2\n", ("a", "b"), 1),
    ],
)
def test_tables(raw: str, names: tuple[str, ...], rows: int) -> None:
    found = of_text(raw.encode())
    assert (found.names, len(list(found.rows([0])))) == (names, rows)
    assert of_text(gzip.compress(raw.encode()), name="t.gz").names == names


@pytest.mark.usefixtures("folder")
def test_numbers_are_exact() -> None:
    cells = ["0.1", " 1e-3 ", "-7", "+2.", ".5", "true", "FALSE"]
    found = column(of_text("\n".join(["a", *cells]).encode()), "a")
    assert found == [Fraction(1, 10), Fraction(1, 1000), -7, 2, Fraction(1, 2), 1, 0]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b"", "t.csv: it is empty"),
        (b"\n1\n", "t.csv: its first row is empty"),
        (b"a,b\n1\n", "t.csv, row 2: it has 1 values, and the first row has 2"),
        (b"a;b\n1\n", "t.csv, row 2: it has 1 values, and the first row has 2"),
        (b"a\n1\n\n2\n", "t.csv, row 3: it has 0 values"),
        (b"a\n1\n\xff\n", "t.csv, row 3: it is not encoded in UTF-8"),
        ("a\n1\n".encode("utf-16"), "t.csv: it is encoded in UTF-16"),
        (b"a\n1\0\n", "t.csv: it holds bytes that no text has"),
        (b"a;b\n1,5;2\n", "t.csv, row 2, column a: it is not a number"),
        (b'a\n"1\n', "t.csv: it is not a table of values"),
        (gzip.compress(b"a\n1\n", mtime=0)[:-4], "t.csv: it is compressed, and is cut off or damaged"),
    ],
)
def test_what_is_no_table(raw: bytes, said: str) -> None:
    with pytest.raises(RunRefused) as refused:
        list(of_text(raw).numbers([0]))
    assert str(refused.value).startswith(said)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("raw", "said"),
    [
        ('{"a": 1}\n{"b": 2}\n', "row 2, column a: there is no number"),
        ('{"a": 1}\n\n{"a": 2}\n', "row 3: it is not one JSON object a line"),
        ('{"a": 1}\n[1]\n', "row 2: it is not one JSON object a line"),
        ('{"a": 1, "a": 2}\n', "row 1: it is not one JSON object a line, each of whose names stands once"),
        ('{"a": {"b": 1}}\n', "row 1, column a: it is not a number"),
        ('{"a": NaN}\n', "row 1, column a: it is not a number that can be computed with"),
        ('[{"a": 1}]', "row 1: it is not one JSON object a line"),
        ("", " it is empty"),
    ],
)
def test_what_is_no_record_a_line(raw: str, said: str) -> None:
    with pytest.raises(RunRefused) as refused:
        list(of_text(raw.encode(), name="t.jsonl").numbers([0]))
    assert said in str(refused.value)


@pytest.mark.usefixtures("folder")
def test_records_a_line() -> None:
    found = of_text(b'{"a": 0.1, "b": 1}\n{"b": "2", "a": 12345678901234567890.5}\n\n', name="t.jsonl")
    assert column(found, "a") == [Fraction(1, 10), Fraction("12345678901234567890.5")]
    assert column(found, "b") == [1, 2]


@pytest.mark.usefixtures("folder")
def test_a_header_that_may_be_none() -> None:
    with pytest.raises(Misused, match="say --header or --no-header"):
        of_text(b"a,1\n2,3\n")
    assert of_text(b"a,1\n2,3\n", True).names == ("a", "1")
    assert len(list(of_text(b"a,1\n2,3\n", False).rows([1]))) == 2


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("cell", ["", "nan", "-Inf", "NA", "x", "1e9999", "0x1", "1_0", "٣", "1" * 400, "1/3"])
def test_what_is_no_number(cell: str) -> None:
    """What a cell says is private, so the message has only its place."""
    with pytest.raises(RunRefused, match=r"^t\.csv, row 3, column a: ") as refused:
        column(of_text(f"a,b\n1,1\n{cell},1\n".encode()), "a")
    assert len(cell) < 2 or cell.lower() not in str(refused.value).lower().replace("there is no number", "")


@pytest.mark.usefixtures("folder")
def test_more_numbers_than_are_held(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "MOST_CELLS", 3)
    assert len(list(of_text(b"a,b\n1,2\n3,4\n5,6\n").numbers([0]))) == 3
    with pytest.raises(RunRefused, match="it has more than 3 values"):
        list(of_text(b"a,b\n1,2\n3,4\n5,6\n").numbers([0, 1]))


def test_a_database_that_another_program_writes(folder: Path) -> None:
    """What SQLite has not yet put into the file counts, too."""
    lite = sqlite3.connect("d.sqlite", isolation_level=None)
    lite.execute("PRAGMA journal_mode = WAL")
    lite.execute("CREATE TABLE t (x INTEGER)")
    lite.execute("INSERT INTO t VALUES (1)")
    assert Path("d.sqlite-wal").stat().st_size
    found = table("d.sqlite", None, None)
    assert column(found, "x") == [1]
    lite.execute("INSERT INTO t VALUES (2)")
    with pytest.raises(RunRefused, match="it has changed"):
        column(found, "x")
    lite.close()
