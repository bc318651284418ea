"""What runs spend in all: it is an upper bound, it is counted before anything is drawn, and a file that is not as it
was written counts nothing."""

from __future__ import annotations

import json
import os
import stat
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from fractions import Fraction
from pathlib import Path
from subprocess import PIPE, Popen
from typing import Any

import jsonschema
import pytest

from dp_lsp.cli import main
from dp_lsp.cli import run as running_once
from dp_lsp.mechanisms.mechanism import Pair
from dp_lsp.release import RunRefused, running
from dp_lsp.release import ledger as ledgers
from dp_lsp.release.ledger import Budget, CountedRun, DataOrigin, LedgerLine, LockedFile, RunCost, read, spend, total
from dp_lsp.release.running import ChangeUnit, NeighbourChange, NeighbourStep, unit

PROGRAM = """\
total(v::MetricVector(Bounded(Real, 0, 10), Symmetric), eps::Static()) :: Priv() = laplacian_mechanism(10, eps, sum(v))
middle(v::MetricVector(Bounded(Real, 0, 10), ChangeOne), eps::Static()) :: Priv() =
    laplacian_mechanism(10 / length(v), eps, mean(v))
several(v::MetricVector(Real, Symmetric, Contributes(3)), eps::Static()) :: Priv() =
    laplacian_mechanism(3, eps, length(v))
two(v::MetricVector(Real, Symmetric), w::MetricVector(Real, Symmetric), eps::Static()) :: Priv() =
    (laplacian_mechanism(1, eps, length(v)), laplacian_mechanism(1, eps, length(w)))
rough(v::MetricVector(Real, Symmetric), eps::Static(), del::Static()) :: Priv() =
    gaussian_mechanism(1, eps, del, length(v))
caller(v::MetricVector(Bounded(Real, 0, 10), Symmetric), eps::Static()) :: Priv() = total(v, eps / 2)
larger(v::MetricVector(Real, Symmetric), eps::Static()) :: Priv() =
    exponential_mechanism(1, eps, [1.0, 2.0], c -> length(v) / 2 + c)
found(v::MetricVector(Bounded(Real, 0, 10), Symmetric), c::Static(Integer), eps::Static()) :: Priv() =
    sparse_vector([w -> sum(w) / 10], c, eps, v, 3)
again(v::MetricVector(Bounded(Real, 0, 10), Symmetric), eps::Static()) :: Priv() =
    laplacian_mechanism(10, clamp(total(v, 1), eps, 1), sum(v))
louder(v::MetricVector(Bounded(Real, 0, 10), Symmetric), eps::Static()) :: Priv() =
    total(v, clamp(total(v, 1), 1, eps))
quieter(v::MetricVector(Real, Symmetric)) :: Priv() = gaussian_noise(1, max(1, count_of(v)), length(v))
count_of(v::MetricVector(Real, Symmetric)) :: Priv() = laplacian_mechanism(1, 1, length(v))
function rounds(v::MetricVector(Bounded(Real, 0, 10), Symmetric), k::Static(Integer)) :: Priv()
    s = 0.0
    for i in 1:k
        s = s + total(v, 1 / i)
    end
    s
end
weighed(p::Int, y) = y
weighed(p::Real, y) = y
stored(v::MetricVector(Bounded(Real, 0, 10), Symmetric), eps::Static()) :: Priv() =
    laplacian_mechanism(10, eps, weighed(1, sum(v)))
function inside(v::MetricVector(Bounded(Real, 0, 10), Symmetric), eps::Static()) :: Priv()
    g(p::Vector{<:Real}, y) = y
    g(p, y) = y
    laplacian_mechanism(10, eps, g([1, 2], sum(v)))
end
made(v::MetricVector(Real, Symmetric), eps::Static()) :: Priv() = (laplacian_mechanism(1, eps, length(v)), x -> x)
function never(v::MetricVector(Real, Symmetric), eps::Static()) :: Priv()
    a = laplacian_mechanism(1, eps, length(v))
    @assert a > 100000
    a
end
"""
ONE = NeighbourChange(NeighbourStep.SYMMETRIC)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "p.jl").write_text(PROGRAM, "utf-8")
    (tmp_path / "t.csv").write_text("a,b\n1,2\n3,4\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], function: str, *more: str, ledger: str = "l.jsonl") -> tuple[int, str]:
    """A run of a column of the table with ε 1/2."""
    given = ("--data", "t.csv", *(("--column", "a") if function != "two" else ()), "--set", "eps=1/2")
    code = main(["run", "p.jl", function, *given, "--ledger", ledger, *more])
    printed = capsys.readouterr()
    assert (code == 0) == bool(printed.out), printed.err
    return code, printed.out or printed.err


def counted(path: Path) -> Fraction:
    return total([each.entry for each in read(str(path), path.read_bytes())]).pair.epsilon


# What is printed


def test_runs_add_up(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "total")
    code, printed = run(capsys, "total", "--budget", "2")
    assert code == 0
    assert "  l.jsonl counts 2 runs with this one: ε 1, δ 0 in all\n" in printed
    assert "    for whoever is in t.csv (one record is added or removed)\n" in printed
    assert "  left of the budget: ε 1, δ 0\n" in printed
    assert "nothing keeps count" not in printed
    assert counted(folder / "l.jsonl") == 1


def test_two_columns_of_one_table_are_of_one_person(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, printed = run(capsys, "two", "--column", "v=a", "--column", "w=b")
    assert code == 0
    assert "counts 1 run with this one: ε 1" in printed


def test_a_record_that_is_replaced_goes_and_comes(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of a table whose size is public, nobody is added: what is about that counts twice."""
    run(capsys, "total")
    code, printed = run(capsys, "middle")
    assert code == 0
    assert "counts 2 runs with this one: ε 1.5" in printed
    assert "t.csv (the record in one place is replaced by another" in printed
    assert "to replace one costs that twice" in printed


def test_who_has_several_records_pays_for_them(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "several")
    code, printed = run(capsys, "total")
    assert code == 0
    assert "counts 2 runs with this one: ε 2" in printed
    assert "t.csv (one record is added or removed, and that up to 3 times)" in printed


def test_an_edited_table_counts_on(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Who was in it may be in it still."""
    run(capsys, "total")
    (folder / "t.csv").write_text("a,b\n1,2\n3,4\n5,6\n", "utf-8")
    assert "ε 1" in run(capsys, "total")[1]
    (folder / "other.csv").write_text("a\n1\n", "utf-8")
    printed = run(capsys, "total", "--data", "v=other.csv")[1]
    assert "ε 1.5" in printed
    assert "t.csv (one record is added or removed) and in other.csv (one" in printed


def test_one_table_by_two_names_must_be_about_one_change(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "total")
    (folder / "copy.csv").write_bytes((folder / "t.csv").read_bytes())
    assert run(capsys, "total", "--data", "v=copy.csv")[0] == 0
    code, printed = run(capsys, "middle", "--data", "v=copy.csv")
    assert code == 1
    assert "one table was run on under several names" in printed
    assert len(read("l", (folder / "l.jsonl").read_bytes())) == 2


def test_for_programs(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(run(capsys, "rough", "--set", "del=1e-6", "--budget", "1,1e-5", "--output-format", "json")[1])
    assert main(["schema", "release"]) == 0
    jsonschema.validate(found, json.loads(capsys.readouterr().out))
    ledger = found["ledger"]
    assert (ledger["file"], ledger["runs"]) == ("l.jsonl", 1)
    (alone,) = found["guarantees"]
    assert alone["epsilon"] <= ledger["epsilon"] == pytest.approx(alone["epsilon"])
    assert alone["delta"] <= ledger["delta"] == pytest.approx(alone["delta"])
    assert 0 < ledger["left"]["epsilon"] <= 1 - ledger["epsilon"]
    assert ledger["about"] == [{"data": "t.csv", "change": "one record is added or removed"}]


# What may be spent


@pytest.mark.parametrize(
    ("budget", "said"),
    [
        ("0.4", "with this one it would be ε 0.5, δ 0, and the budget is ε 0.4, δ 0\n"),
        ("0.49999999999999999999", "the budget is ε 0.499999999999, δ 0\n"),
        ("0.5", ""),
        ("1/2, 0.1", ""),
    ],
)
def test_a_budget(folder: Path, budget: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, printed = run(capsys, "total", "--budget", budget)
    assert code == bool(said)
    assert said in printed
    assert counted(folder / "l.jsonl") == (0 if said else Fraction(1, 2))


def test_delta_is_part_of_a_budget(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "rough", "--set", "del=1e-6", "--budget", "1")[0] == 1
    assert run(capsys, "rough", "--set", "del=1e-6", "--budget", "1,0.9e-6")[0] == 1
    assert [run(capsys, "rough", "--set", "del=1e-6", "--budget", "1,2e-6")[0] for _ in range(3)] == [0, 0, 1]


def test_what_is_refused_draws_nothing(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running.ExactRuns, "value", lambda *_: pytest.fail("something was drawn"))
    assert run(capsys, "total", "--budget", "0.1")[0] == 1


def test_the_configuration_counts(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = ["run", "p.jl", "total", "--data", "t.csv", "--column", "a", "--set", "eps=1/2"]
    (folder / "dp-lsp.toml").write_text("max-total-epsilon = 1.2\n", "utf-8")
    assert main(given) == 2
    assert "the configuration has a budget, and nothing counts" in capsys.readouterr().err
    (folder / "dp-lsp.toml").write_text('ledger = "spent.jsonl"\nmax-total-epsilon = 1.2\n', "utf-8")
    assert [main(given) for _ in range(3)] == [0, 0, 1]
    printed = capsys.readouterr()
    assert "left of the budget: ε 0.2\n" in printed.out
    assert "and the budget is ε 1.2\n" in printed.err
    assert counted(folder / "spent.jsonl") == 1
    assert main([*given, "--budget", "100"]) == 1  # both count
    assert main([*given, "--ledger", "new.jsonl"]) == 0
    (folder / "spent.jsonl").unlink()
    (folder / "spent.jsonl").symlink_to(folder.parent / "somewhere")
    assert main(given) == 2
    assert "a link that leads out of it" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--budget", "1"], "--budget is for what a ledger counts"),
        (["--ledger", "l", "--budget", "x"], "--budget 'x' is not of the form EPS or EPS,DELTA"),
        (["--ledger", "l", "--budget", "1,1"], "is not of the form EPS or EPS,DELTA"),
        (["--ledger", "l", "--budget", "-1"], "is not of the form EPS or EPS,DELTA"),
        (["--ledger", "."], "Is a directory"),
        (["--ledger", "no/l"], "no/l: No such file"),
        (["--ledger", "pipe"], "pipe: it is not a file that can be appended to"),
        (["--ledger", "away"], "away: it leads out of this folder by a link"),
    ],
)
def test_misused(folder: Path, arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    os.mkfifo(folder / "pipe")
    (folder / "away").symlink_to(folder.parent / "somewhere")
    assert main(["run", "p.jl", "total", "--data", "t.csv", "--column", "a", "--set", "eps=1", *arguments]) == 2
    assert said in capsys.readouterr().err
    assert not (folder.parent / "somewhere").exists()


# Runs that end early, and others at the same time


def test_a_run_that_fails_is_counted(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """That it fails was released."""
    code, printed = run(capsys, "never")
    assert code == 1
    assert "an assertion fails; l.jsonl counts it all the same\n" in printed
    assert counted(folder / "l.jsonl") == Fraction(1, 2)


@pytest.mark.parametrize(
    ("function", "more"),
    [
        ("total", ["eps=1/10000000000"]),
        ("caller", ["eps=1/10000000000"]),
        ("total", ["eps=1001"]),
        ("rough", ["eps=1/10000000000", "del=1/100000"]),
        ("larger", ["eps=1/1000000000000"]),
        ("found", ["eps=1", "c=2000000000"]),
        ("again", ["eps=1/10000000000"]),
        ("louder", ["eps=1001"]),
        ("quieter", []),
        ("rounds", ["k=2000000000"]),
    ],
)
def test_noise_that_is_not_drawn_costs_nothing(
    folder: Path, capsys: pytest.CaptureFixture[str], function: str, more: list[str]
) -> None:
    """It is known before the run that it would be refused, or might be."""
    assert "noise that is too large or too small" in refused(folder, capsys, function, more)


@pytest.mark.parametrize(
    ("function", "said"),
    [
        ("stored", "which method of 'weighed' runs depends on what its arguments are stored as"),
        ("inside", "which method of 'g' runs depends on what its arguments are stored as"),
        ("made", "'made' returns something that is not a number"),
    ],
)
def test_what_is_not_run_costs_nothing(
    folder: Path, capsys: pytest.CaptureFixture[str], function: str, said: str
) -> None:
    assert said in refused(folder, capsys, function, ["eps=1"])


def refused(folder: Path, capsys: pytest.CaptureFixture[str], function: str, more: list[str]) -> str:
    """Why nothing is released, and nothing is counted."""
    settings = [part for each in more for part in ("--set", each)]
    given = ("--data", "t.csv", "--column", "a", *settings, "--ledger", "l.jsonl", "--target-delta", "1e-6")
    assert main(["run", "p.jl", function, *given]) == 1
    printed = capsys.readouterr()
    assert not printed.out
    assert not (folder / "l.jsonl").exists() and "counts it" not in printed.err
    return printed.err


@pytest.mark.parametrize(("function", "more"), [("found", "c=2"), ("rounds", "k=3")])
def test_noise_that_varies_is_drawn(folder: Path, capsys: pytest.CaptureFixture[str], function: str, more: str) -> None:
    """Where the largest, and the smallest, that it may be is drawn."""
    given = ("--data", "t.csv", "--column", "a", "--set", more, *(("--set", "eps=1") if function == "found" else ()))
    assert main(["run", "p.jl", function, *given]) == 0
    assert capsys.readouterr().out


def test_it_is_counted_before_anything_is_drawn(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """So whatever stops a run afterwards, its spending stands."""
    seen: list[Fraction] = []

    def stopped(*_: Any) -> Any:
        seen.append(counted(folder / "l.jsonl"))
        raise RunRefused("it was stopped")

    monkeypatch.setattr(running.ExactRuns, "value", stopped)
    assert run(capsys, "total")[0] == 1
    assert seen == [Fraction(1, 2)]


def test_one_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of many at once no more spend than may."""
    path, budget = str(tmp_path / "l.jsonl"), [Budget(Fraction(4), None)]
    right = LockedFile.content

    def slow(self: LockedFile) -> bytes:
        found = right(self)
        time.sleep(0.005)  # others have read the same, if they may
        return found

    monkeypatch.setattr(LockedFile, "content", slow)

    def one(_: int) -> bool:
        try:
            spend(path, path, _line(1), budget)
        except RunRefused:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(one, range(24))) == 4
    assert counted(tmp_path / "l.jsonl") == 4


def test_a_line_that_cannot_be_written_whole_is_taken_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = str(tmp_path / "l.jsonl")
    spend(path, path, _line(1), [])
    before = Path(path).read_bytes()

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        spend(path, path, _line(1), [])
    assert Path(path).read_bytes() == before


def test_the_folder_of_a_new_file_is_written_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before anything is drawn the disk has the line, and a new file's name; that of an old one it has."""
    synced: list[str] = []
    right = os.fsync

    def fsync(handle: int) -> None:
        synced.append("folder" if stat.S_ISDIR(os.fstat(handle).st_mode) else "file")
        right(handle)

    monkeypatch.setattr(os, "fsync", fsync)
    path = str(tmp_path / "l.jsonl")
    spend(path, path, _line(1), [])
    assert synced == ["file", "folder"]
    spend(path, path, _line(1), [])
    assert synced == ["file", "folder", "file"]


HOLDER = """\
import fcntl, sys
with open(sys.argv[1], "a") as stream:
    fcntl.flock(stream, fcntl.LOCK_EX)
    print("held", flush=True)
    sys.stdin.read()
"""


@contextmanager
def held(path: str) -> Iterator[Callable[[], None]]:
    """Another process uses a ledger until it is told to let go."""
    with Popen([sys.executable, "-c", HOLDER, path], stdin=PIPE, stdout=PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdin is not None
        assert holder.stdout.readline() == "held\n"
        yield holder.stdin.close


def test_a_wait_says_so(folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledgers, "NOTICED", 0.0)
    told: list[str] = []

    with held("l.jsonl") as let_go:

        def point(line: str) -> None:
            told.append(line)
            let_go()

        monkeypatch.setattr(running_once, "point", point)
        assert run(capsys, "total")[0] == 0
    assert told == ["waiting for another process that uses l.jsonl"]
    assert counted(folder / "l.jsonl") == Fraction(1, 2)


def test_a_wait_ends(folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledgers, "LONGEST", 0.0)
    monkeypatch.setattr(running.ExactRuns, "value", lambda *_: pytest.fail("something was drawn"))
    with held("l.jsonl"):
        code, printed = run(capsys, "total")
    assert code == 1
    assert "l.jsonl: another process has held it for 0 seconds, so this run cannot be counted" in printed
    assert (folder / "l.jsonl").read_bytes() == b""


def test_a_file_that_takes_the_place_of_another_while_one_waits(tmp_path: Path) -> None:
    """What is written into the old one nobody would count."""
    path = str(tmp_path / "l.jsonl")
    spend(path, path, _line(1), [])

    with held(path) as let_go:

        def on_wait() -> None:
            os.replace(path, path + ".old")
            spend(path, path, _line(2), [])
            let_go()

        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(ledgers, "NOTICED", 0.0)
            assert spend(path, path, _line(4), [], on_wait).total.pair.epsilon == 6
    assert counted(tmp_path / "l.jsonl") == 6


SPENDER = """\
import sys
from fractions import Fraction
from dp_lsp.release.running import NeighbourChange, NeighbourStep
from dp_lsp.release import RunRefused
from dp_lsp.release.ledger import Budget, CountedRun, LedgerLine, DataOrigin, RunCost, spend

spent = RunCost(("v",), (NeighbourChange(NeighbourStep.SYMMETRIC),), Fraction(1, 3), Fraction(0))
line = LedgerLine(CountedRun({"v": DataOrigin("/t.csv", "0" * 64)}, (spent,)), {})
print("ready", flush=True)
sys.stdin.readline()
for _ in range(int(sys.argv[2])):
    try:
        spend(sys.argv[1], "l", line, [Budget(Fraction(sys.argv[3]), None)])
    except RunRefused:
        print("refused", flush=True)
    else:
        print("released", flush=True)
"""


@contextmanager
def spenders(path: str, count: int, times: int, budget: int) -> Iterator[list[Popen[str]]]:
    """Processes that are ready to spend a third so many times each."""
    command = [sys.executable, "-c", SPENDER, path, str(times), str(budget)]
    with ExitStack() as stack:
        found = [stack.enter_context(Popen(command, stdin=PIPE, stdout=PIPE, text=True)) for _ in range(count)]
        for each in found:
            assert said_next(each) == "ready"
        for each in found:
            assert each.stdin is not None
            each.stdin.write("\n")
            each.stdin.flush()
        yield found


def said_next(process: Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def test_processes_at_once(tmp_path: Path) -> None:
    """What they spend adds up exactly, and to no more than may be."""
    path = tmp_path / "l.jsonl"
    with spenders(str(path), 4, 15, 10) as found:
        said = Counter(said_next(each) for each in found for _ in range(15))
    assert said == {"released": 30, "refused": 30}
    assert counted(path) == 10


def test_who_is_killed_leaves_nothing_uncounted(tmp_path: Path) -> None:
    """At whatever place: what was said to be counted is, and the others go on."""
    path = tmp_path / "l.jsonl"
    with spenders(str(path), 4, 60, 1000) as found:
        acknowledged = 0
        for place, each in enumerate(found):
            for _ in range(3 + 2 * place):
                acknowledged += said_next(each) == "released"
            if place != 3:
                each.kill()
                assert each.stdout is not None
                acknowledged += each.stdout.read().count("released")
        acknowledged += sum(said_next(found[3]) == "released" for _ in range(60 - 9))
    assert acknowledged >= 3 + 5 + 7 + 60
    assert counted(path) >= Fraction(acknowledged, 3)


def _line(epsilon: int, change: NeighbourChange = ONE) -> LedgerLine:
    return LedgerLine(
        CountedRun(
            {"v": DataOrigin("/t.csv", "0" * 64)}, (RunCost(("v",), (change,), Fraction(epsilon), Fraction(0)),)
        ),
        {},
    )


# Files that are no ledger, or not as they were written


def _edits(text: str) -> dict[str, tuple[str, str]]:
    lines = text.splitlines()
    changed = "it is not as it was written, or a line above it is missing"
    return {
        "foreign": ("a,b\n1,2\n", "l is not a ledger"),
        "later version": (text.replace('"schema_version": 1', '"schema_version": 2'), "l is not a ledger"),
        "one line out": ("\n".join([lines[0], *lines[2:]]) + "\n", f"l, line 2: {changed}"),
        "lines swapped": ("\n".join([lines[0], lines[2], lines[1]]) + "\n", f"l, line 2: {changed}"),
        "less spent": (text.replace('"epsilon": "3"', '"epsilon": "1"'), f"l, line 3: {changed}"),
        "an empty line": (text + "\n", f"l, line 4: {changed}"),
        "cut off": (
            text[:-30],
            "l, line 3: it is cut off, so it is not known what that run spends besides ε 2, δ 0",
        ),
        "hardly begun": (lines[0][:9], "l, line 1: it is cut off. A run that was stopped while it wrote the line has"),
        "not text": (text + "\x00\n", f"l, line 4: {changed}"),
        "deep": (text + "[" * 100_000 + "\n", f"l, line 4: {changed}"),
    }


@pytest.mark.parametrize("name", list(_edits("a\nb\nc")))
def test_a_file_that_is_not_as_it_was_written(tmp_path: Path, name: str) -> None:
    path = tmp_path / "l"
    for epsilon in (2, 3):
        spend(str(path), "l", _line(epsilon), [])
    text, said = _edits(path.read_text("utf-8"))[name]
    path.write_text(text, "utf-8")
    with pytest.raises(RunRefused) as refused:
        spend(str(path), "l", _line(1), [])
    assert str(refused.value).startswith(said)
    assert path.read_text("utf-8") == text


def test_a_last_line_without_its_end_counts(tmp_path: Path) -> None:
    """An editor may leave the end of the line away."""
    path = tmp_path / "l"
    spend(str(path), "l", _line(2), [])
    path.write_text(path.read_text("utf-8").removesuffix("\n"), "utf-8")
    assert spend(str(path), "l", _line(1), []).total.pair.epsilon == 3
    assert counted(path) == 3


def test_an_empty_file_is_begun(tmp_path: Path) -> None:
    path = tmp_path / "l"
    path.touch()
    assert spend(str(path), "l", _line(2), []).total.runs == 1
    assert path.read_text("utf-8").startswith('{"ledger": "dp-lsp run"')


def test_a_new_file_is_its_owners(tmp_path: Path) -> None:
    path = tmp_path / "l"
    spend(str(path), "l", _line(2), [])
    assert path.stat().st_mode & 0o077 == 0


# Sums


def entry(epsilon: str, delta: str = "0", change: NeighbourChange = ONE, table: str = "/t") -> CountedRun:
    return CountedRun({"v": DataOrigin(table)}, (RunCost(("v",), (change,), Fraction(epsilon), Fraction(delta)),))


def test_deltas_grow_with_a_group() -> None:
    """A change of two steps: δ (1 + e^ε), and then the sum."""
    once, replaced = entry("1", "1e-6"), entry("1/2", "1e-7", NeighbourChange(NeighbourStep.CHANGE_ONE))
    found = total([once, once, replaced])
    assert found.pair.epsilon == Fraction("4.5")
    assert 2 * 3.71828182e-6 + 1e-7 <= found.pair.delta <= 2 * 3.71828183e-6 + 1e-7
    assert found.twice


def test_a_part_of_the_tables() -> None:
    runs = [entry("1"), entry("1/2", table="/u"), entry("1/4")]
    assert total(runs).pair == Pair(Fraction("1.75"), Fraction(0))
    assert (total(runs, "/t").pair.epsilon, total(runs, "/t").runs) == (Fraction("1.25"), 2)
    assert total([]).pair == Pair(Fraction(0), Fraction(0))


def test_a_total_that_guarantees_nothing() -> None:
    found = total([entry("1", "0.6"), entry("1", "0.6")])
    assert found.pair.delta == 1
    assert not Budget(Fraction(100), Fraction("0.999")).allows(found.pair)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ([NeighbourStep.SYMMETRIC], ChangeUnit((NeighbourStep.SYMMETRIC,), 1)),
        ([NeighbourStep.SYMMETRIC, NeighbourStep.INSERT_DELETE], ChangeUnit((NeighbourStep.INSERT_DELETE,), 1)),
        ([NeighbourStep.CHANGE_ONE], ChangeUnit((NeighbourStep.CHANGE_ONE,), 1)),
        ([NeighbourStep.CHANGE_ONE, NeighbourStep.ROW], ChangeUnit((NeighbourStep.HAMMING,), 1)),
        ([NeighbourStep.CHANGE_ONE, NeighbourStep.SYMMETRIC], ChangeUnit((NeighbourStep.HAMMING,), 1)),
        (
            [NeighbourStep.VECTOR_L2, NeighbourStep.SYMMETRIC],
            ChangeUnit((NeighbourStep.SYMMETRIC, NeighbourStep.VECTOR_L2), 1),
        ),
        ([NeighbourStep.VALUE, NeighbourStep.NUMBER], ChangeUnit((NeighbourStep.VALUE, NeighbourStep.NUMBER), 1)),
    ],
)
def test_a_change_that_all_are_about(changes: list[NeighbourStep], expected: ChangeUnit) -> None:
    assert unit(map(NeighbourChange, changes)) == expected


def test_how_many_changes_a_change_is() -> None:
    several = unit([NeighbourChange(NeighbourStep.HAMMING, 3), NeighbourChange(NeighbourStep.SYMMETRIC, 2)])
    assert several.changes(NeighbourChange(NeighbourStep.HAMMING, 3)) == 1
    assert several.changes(NeighbourChange(NeighbourStep.HAMMING, 2)) == 2
    assert several.changes(NeighbourChange(NeighbourStep.SYMMETRIC, 2)) == 3
    assert several.changes(NeighbourChange(NeighbourStep.SYMMETRIC, 1)) == 6


# What a ledger says to whoever asks


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    """A ledger with two runs, in the working folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q.jl").write_text(PROGRAM, "utf-8")
    (tmp_path / "t.csv").write_text("a,b\n1,2\n3,4\n", "utf-8")
    for function, columns in (("total", ("a",)), ("two", ("v=a", "w=b"))):
        named = [each for column in columns for each in ("--column", column)]
        given = ["run", "q.jl", function, "--data", "t.csv", *named, "--set", "eps=1/2", "--ledger", "l.jsonl"]
        assert main(given) == 0
    capsys.readouterr()
    return tmp_path / "l.jsonl"


def asked(capsys: pytest.CaptureFixture[str], action: str, file: str = "l.jsonl") -> tuple[int, str]:
    code = main(["ledger", action, file])
    printed = capsys.readouterr()
    assert (code == 0) == bool(printed.out)
    return code, printed.out or printed.err


def test_what_a_ledger_counts_is_shown(kept: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = kept.read_bytes()
    code, printed = asked(capsys, "show")
    first, whose, second, *both = printed.splitlines()
    assert code == 0
    assert first.startswith("1. 20") and first.endswith("  total of q.jl, where eps = 1/2")
    assert whose == "   ε 0.5, δ 0 for whoever is in t.csv (one record is added or removed)"
    assert second.startswith("2. 20") and second.endswith("  two of q.jl, where eps = 1/2")
    assert both == [whose] * 2
    whole = "l.jsonl counts 2 runs: ε 1.5, δ 0 in all\n  for whoever is in t.csv (one record is added or removed)\n"
    assert asked(capsys, "total") == (0, whole)
    assert asked(capsys, "verify") == (0, "l.jsonl: 2 runs, each as it was written\n")
    assert kept.read_bytes() == before


@pytest.mark.parametrize("action", ["show", "total", "verify"])
def test_a_ledger_that_is_none(kept: Path, action: str, capsys: pytest.CaptureFixture[str]) -> None:
    """In the words in which a run refuses it; and a file that is not there is not begun."""
    assert asked(capsys, action, "no.jsonl") == (2, "Error: no.jsonl: No such file or directory\n")
    assert not (kept.parent / "no.jsonl").exists()
    assert asked(capsys, action, ".")[0] == 2
    code, said = asked(capsys, action, "q.jl")
    assert (code, "q.jl is not a ledger" in said) == (1, True)
    lines = kept.read_text("utf-8").splitlines(keepends=True)
    for changed, why in (
        ("".join(lines).replace('"1/2"', '"1/4"', 1), "l.jsonl, line 2: it is not as it was written"),
        ("".join([lines[0], *lines[2:]]), "l.jsonl, line 2: it is not as it was written"),
        ("".join(lines)[:-9], "l.jsonl, line 3: it is cut off"),
        ("", "l.jsonl is empty"),
    ):
        kept.write_text(changed, "utf-8")
        code, said = asked(capsys, action)
        assert (code, why in said) == (1, True), said


def test_what_a_ledger_says_steers_no_terminal(kept: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Names of files are other people's."""
    (kept.parent / "\x1b[31mt.csv").write_text("1\n", "utf-8")
    given = ["run", "q.jl", "total", "--data", "\x1b[31mt.csv", "--set", "eps=1", "--ledger", "l.jsonl"]
    assert main(given) == 0
    capsys.readouterr()
    assert "\x1b" not in asked(capsys, "show")[1] + asked(capsys, "total")[1]
