"""The vocabulary of Python: what type checkers say of it, and what is found out about arguments when a program runs."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from typing import Annotated, Any, get_args, get_type_hints

import numpy as np
import pandas as pd
import pytest

import dp_types
from dp_types import (
    AddRemove,
    AtLeast,
    Bounded,
    ChangeOne,
    Columns,
    MayBeMissing,
    NotAsDeclared,
    OneOf,
    Private,
    RowNorm,
    Rows,
    Size,
    Static,
    Within,
    black_box,
    checked,
)
from source_tree import ROOT, python

VOCABULARY = ROOT / "fixtures" / "python" / "vocabulary.py"
NAN = float("nan")


def test_all_words_stand_in_the_page_and_in_the_program() -> None:
    page = (ROOT / "dp_types" / "README.md").read_text("utf-8")
    program = VOCABULARY.read_text("utf-8")
    words = set(dp_types.__all__) - {"NotAsDeclared"}
    assert {word for word in words if not re.search(rf"`[^`]*\b{word}\b[^`]*`", page)} == set()
    assert {word for word in words if not re.search(rf"\b{word}\b", program)} == set()


def test_the_package_needs_nothing_else() -> None:
    script = "import sys; before = set(sys.modules); import dp_types; print(*sorted(set(sys.modules) - before))"
    loaded = python("-c", script).stdout.split()
    roots = {name.partition(".")[0] for name in loaded} - {"dp_types"}
    assert roots <= set(sys.stdlib_module_names)


@pytest.mark.slow
def test_mypy_accepts_it() -> None:
    found = python("-m", "mypy", "--config-file=", str(VOCABULARY))
    assert found.returncode == 0, found.stdout


@pytest.mark.slow
def test_pyright_accepts_it_strictly() -> None:
    """Its settings stand beside the package."""
    found = python("-m", "pyright", "-p", str(ROOT / "dp_types"), "--pythonpath", sys.executable, "--outputjson")
    said = json.loads(found.stdout)
    assert [each for each in said["generalDiagnostics"] if each["severity"] != "information"] == []
    assert said["summary"]["filesAnalyzed"] >= 4


def test_annotations_can_be_read_when_a_program_runs() -> None:
    def f(ages: Annotated[list[float], AddRemove("people", contributes=2)], eps: Static[float]) -> Private: ...

    hints = get_type_hints(f, include_extras=True)
    assert get_args(hints["ages"]) == (list[float], AddRemove("people", 2, ordered=False))
    assert [type(word).__name__ for name in ("eps", "return") for word in get_args(hints[name])[1:]] == [
        "IsStatic",
        "IsPrivate",
    ]
    assert repr(Columns(Age=Bounded(0, 1), Town=str)).startswith("Columns({'Age': (Bounded(low=0, high=1),)")


@pytest.mark.parametrize("wrong", [lambda: Bounded(2, 1), lambda: OneOf()])
def test_a_word_that_says_nothing_that_can_be_is_refused(wrong: Callable[[], object]) -> None:
    with pytest.raises(ValueError):
        wrong()


def test_a_black_box_is_what_it_was() -> None:
    def load(path: str) -> int:
        return len(path)

    assert black_box(load) is load


def called(annotation: Any, value: object, **others: object) -> None:
    """Call a function that is checked, with a parameter of this annotation and public ones beside it."""

    def f(value: Any, n: Any = 2, limit: Any = 10.0) -> int:
        return 1

    f.__annotations__ = {"value": annotation, "n": Static[int], "limit": Static[float]}
    assert checked(f)(value, **others) == 1  # type: ignore[arg-type]


INTEGERS = pd.array([1, None], dtype="Int64")
TABLE = pd.DataFrame({"Age": [20, 50], "Sex": ["F", "M"], "Town": ["a", "b"], "Wage": [1.5, NAN]})
WAGES = Columns(Wage=(float, Bounded(0, 9), MayBeMissing()))

AS_DECLARED = {
    "a list": (Annotated[list[float], ChangeOne(), Bounded(0, 10)], [0, 10, 5.5]),
    "no records": (Annotated[list[float], AddRemove(), Bounded(0, 10)], []),
    "an array": (Annotated[np.ndarray, ChangeOne(), Bounded(0, "limit")], np.array([0.0, 10.0])),
    "a column": (Annotated[pd.Series, AddRemove(), Bounded(0, 10)], pd.Series([1, 2])),
    "a column with gaps": (Annotated[pd.Series, AddRemove(), MayBeMissing(), Bounded(0, 3)], pd.Series([1, None])),
    "any type": (Annotated[Any, AddRemove()], (1, 2)),
    "rows": (Annotated[np.ndarray, AddRemove(), Rows(2), RowNorm(5)], np.array([[3.0, 4.0], [0.0, 0.0]])),
    "rows by name": (Annotated[np.ndarray, AddRemove(), Rows("n")], np.zeros((3, 2))),
    "no rows": (Annotated[np.ndarray, AddRemove(), Rows(2)], np.zeros((0, 2))),
    "rows of a table": (Annotated[pd.DataFrame, AddRemove(), RowNorm(5, "L1")], pd.DataFrame({"a": [2], "b": [-3]})),
    "a size": (Annotated[list[float], ChangeOne(), Size("n")], [1, 2]),
    "at least": (Annotated[list[float], AddRemove(), AtLeast(2)], [1, 2, 3]),
    "a table": (
        Annotated[pd.DataFrame, AddRemove(), Columns({"Age": int}, Sex=OneOf("F", "M"), Town=str)],
        TABLE,
    ),
    "a table with gaps": (Annotated[pd.DataFrame, AddRemove(), WAGES], TABLE),
    "a dictionary of columns": (Annotated[dict[str, Any], AddRemove(), Columns(Age=Bounded(0, 9))], {"Age": [1]}),
    "a table of which nothing is said": (Annotated[pd.DataFrame, AddRemove()], TABLE),
    "whole numbers with gaps": (Annotated[pd.DataFrame, AddRemove(), WAGES], pd.DataFrame({"Wage": INTEGERS})),
    "the size of a table": (Annotated[pd.DataFrame, AddRemove(), Columns(Town=str), Size("n")], TABLE),
    "the size of columns": (Annotated[Any, AddRemove(), Columns(a=int, b=int), Size(1)], {"a": [1], "b": [2]}),
    "rows of columns": (Annotated[Any, AddRemove(), Rows(2), RowNorm(5)], {"a": [3], "b": [4]}),
    "a number": (Annotated[float, Within()], 3),
    "a number of NumPy": (Annotated[float, Within()], np.float32(3)),
    "a whole number of NumPy": (Static[int], np.int64(3)),
    "an answer": (Annotated[str, OneOf("yes", "no")], "no"),
}

NOT_AS_DECLARED = {
    "out of bounds": (Annotated[list[float], ChangeOne(), Bounded(0, 10)], [0, 10.5], "between 0 and 10"),
    "below a bound": (Annotated[np.ndarray, ChangeOne(), Bounded(0, "limit")], np.array([-1.0]), "between 0 and 10.0"),
    "no number among others": (Annotated[list[float], ChangeOne(), Bounded(0, 10)], [1, NAN], "missing values"),
    "a gap": (Annotated[pd.Series, AddRemove()], pd.Series([1.0, None]), "`MayBeMissing()`"),
    "a gap in a list": (Annotated[list[float], AddRemove()], [None], "`MayBeMissing()`"),
    "another type": (Annotated[np.ndarray, AddRemove()], [1, 2], "is declared ndarray, and is list"),
    "a truth value": (Static[float], True, "is declared float, and is bool"),
    "a fraction": (Static[int], 0.5, "is declared int"),
    "NaN": (Static[float], NAN, "NaN"),
    "a long row": (Annotated[np.ndarray, AddRemove(), RowNorm(4.9)], np.array([[3.0, 4.0]]), "more than 4.9 in L2"),
    "a long row in LInf": (Annotated[np.ndarray, AddRemove(), RowNorm(3, "LInf")], np.array([[3.0, 4.0]]), "in LInf"),
    "too few columns": (Annotated[np.ndarray, AddRemove(), Rows(3)], np.zeros((1, 2)), "3 columns"),
    "no rows at all": (Annotated[np.ndarray, AddRemove(), Rows()], np.zeros(3), "no rows of one length"),
    "another size": (Annotated[list[float], ChangeOne(), Size("n")], [1], "n records"),
    "too few": (Annotated[list[float], AddRemove(), AtLeast(2)], [1], "at least 2 records"),
    "no such column": (Annotated[pd.DataFrame, AddRemove(), Columns(Zip=str)], TABLE, "no column 'Zip'"),
    "another value": (Annotated[pd.DataFrame, AddRemove(), Columns(Sex=OneOf("F"))], TABLE, "`value['Sex']`"),
    "a column of text": (Annotated[pd.DataFrame, AddRemove(), Columns(Town=float)], TABLE, "is declared float"),
    "truth values that are objects": (
        Annotated[pd.DataFrame, AddRemove(), Columns(S=bool)],
        pd.DataFrame({"S": [True, False]}, dtype=object),
        "is declared bool, and has another dtype",
    ),
    "a gap in a column": (Annotated[pd.DataFrame, AddRemove(), Columns(Wage=float)], TABLE, "`MayBeMissing()`"),
    "a column out of bounds": (Annotated[pd.DataFrame, AddRemove(), Columns(Age=Bounded(0, 30))], TABLE, "and 30"),
    "text in a column of numbers": (Annotated[Any, AddRemove(), Columns(Town=Bounded(0, 1))], TABLE, "or is no number"),
    "text beside numbers": (Annotated[Any, AddRemove(), Columns(a=Bounded(0, 1))], {"a": [0, "b"]}, "`value['a']`"),
    "text in a list": (Annotated[list[float], AddRemove(), Bounded(0, 1)], ["a"], "or is no number"),
    "days for numbers": (
        Annotated[pd.DataFrame, AddRemove(), Columns(Day=Bounded(0, 1))],
        pd.DataFrame({"Day": pd.to_datetime(["2020-01-01"])}),
        "or is no number",
    ),
    "a gap of its own kind": (
        Annotated[pd.DataFrame, AddRemove(), Columns(a=Bounded(0, 9))],
        pd.DataFrame({"a": INTEGERS}),
        "`value['a']` of called.<locals>.f has missing values",
    ),
    "a gap among answers": (
        Annotated[pd.DataFrame, AddRemove(), Columns(a=OneOf("x"))],
        pd.DataFrame({"a": pd.array(["x", None], dtype="string")}),
        "has missing values",
    ),
    "truth values for numbers": (
        Annotated[pd.DataFrame, AddRemove(), Columns(a=int)],
        pd.DataFrame({"a": [True]}),
        "is declared int",
    ),
    "two columns of one name": (
        Annotated[pd.DataFrame, AddRemove(), Columns(a=int)],
        pd.DataFrame([[1, 2]], columns=["a", "a"]),
        "has several columns 'a'",
    ),
    "no table": (Annotated[list[Any], AddRemove(), Columns(a=int)], [{"a": 1}], "has none: it is list"),
    "a column alone": (Annotated[Any, AddRemove(), Columns(a=int)], pd.Series([1]), "has none: it is Series"),
    "columns of two lengths": (Annotated[Any, AddRemove(), Columns(a=int)], {"a": [1], "b": []}, "different lengths"),
    "rows with text": (Annotated[Any, AddRemove(), RowNorm(1)], pd.DataFrame({"a": ["x"]}), "something else"),
    "what is used up": (Annotated[Any, AddRemove()], iter([1]), "give a list"),
    "no records": (Annotated[Any, AddRemove(), Size(1)], 3, "no list, array or table"),
    "no finite number": (Annotated[float, Within()], float("inf"), "no finite number"),
    "another answer": (Annotated[str, OneOf("yes", "no")], "maybe", "'yes', 'no'"),
}


@pytest.mark.parametrize("what", AS_DECLARED)
def test_what_is_as_declared_is_given(what: str) -> None:
    called(*AS_DECLARED[what])


@pytest.mark.parametrize("what", NOT_AS_DECLARED)
def test_what_is_not_is_refused_without_saying_which_data_there_are(what: str) -> None:
    annotation, value, reason = NOT_AS_DECLARED[what]
    with pytest.raises(NotAsDeclared, match=re.escape(reason)) as found:
        called(annotation, value)
    assert "`value" in str(found.value)
    assert "10.5" not in str(found.value) and "maybe" not in str(found.value)


def test_parts_of_the_same_records_are_as_many() -> None:
    @checked
    def f(x: Annotated[list[float], AddRemove("people")], y: Annotated[list[float], AddRemove("people")]) -> int:
        return len(x)

    assert f([1], [2]) == 1
    with pytest.raises(NotAsDeclared, match=r"`y`.*`x`"):
        f([1], y=[2, 3])


def test_a_function_that_is_checked_keeps_its_name_and_its_own_errors() -> None:
    @checked
    def f(x: Annotated[float, Within()], *, eps: Static[float] = 1.0) -> float:
        """What it is."""
        return x / eps

    assert (f.__name__, f.__doc__, f(2.0, eps=4)) == ("f", "What it is.", 0.5)
    with pytest.raises(ZeroDivisionError):
        f(2.0, eps=0)
    with pytest.raises(TypeError):
        f()  # type: ignore[call-arg]


class Later:
    """A table that is calculated when it is asked for, as a lazy frame of polars is."""

    def __init__(self, table: Any) -> None:
        self._table = table

    def collect(self) -> Any:
        return self._table


class Columnar:
    """A table as polars has one: gone over by columns."""

    def __init__(self, **columns: list[Any]) -> None:
        self._columns = columns
        self.columns = [*columns]

    def __len__(self) -> int:
        return len(next(iter(self._columns.values())))

    def __getitem__(self, name: str) -> list[Any]:
        return self._columns[name]

    def __iter__(self) -> Any:
        return iter(self._columns.values())

    def to_numpy(self) -> Any:
        return np.array([*self._columns.values()]).T


@pytest.mark.parametrize("made", [lambda table: table, Later])
def test_a_table_that_is_gone_over_by_columns_is_looked_at_by_rows(made: Callable[[Any], Any]) -> None:
    words = Columns(a=Bounded(0, 3), b=int), RowNorm(5, "L1")
    for value in (Columnar(a=[1, 3], b=[4, 2]), Columnar(a=[0, 0, 0], b=[5, 5, 5])):
        called(Annotated[Any, AddRemove(), *words], made(value))
    for value, reason in (
        (Columnar(a=[1, 4], b=[1, 1]), "value['a']"),
        (Columnar(a=[1, 3], b=[4, 3]), "5 in L1"),
        (Columnar(a=[1]), "no column 'b'"),
    ):
        with pytest.raises(NotAsDeclared, match=re.escape(reason)):
            called(Annotated[Any, AddRemove(), *words], made(value))
