"""Certificates that somebody wrote who knows the format and seals them anew, and configurations that they meet: nothing
is proved that is not so of the programs that stand here, and nothing is said that is not true."""

from __future__ import annotations

import copy
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dp_lsp.cli import main
from dp_lsp.cli.certify import digest_of, seal
from dp_lsp.disk.loader import LARGEST
from test_certificates import NOISE, TWO

Json = dict[str, Any]

MAIN = f"""\
{TWO}function bell(x::MetricVector(Real, L2), s::Static()) :: Priv()
    gaussian_noise(1, s, x)
end
count_of(v::MetricVector(Real, Symmetric), eps::Static()) :: Priv() = laplacian_mechanism(4, eps, length(v))
"""
SETTINGS = ("--set", "eps=1", "--set", "k=3", "--set", "s=5", "--target-delta", "1e-5")


@pytest.fixture(scope="module")
def right(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of programs with their certificate."""
    folder = tmp_path_factory.mktemp("right")
    (folder / "main.jl").write_text(MAIN, "utf-8")
    (folder / "noise.jl").write_text(NOISE, "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        certificate()
        assert verified() == 0
    return folder


@pytest.fixture
def written(tmp_path: Path, right: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Json:
    """The certificate, in a folder of its own with its programs."""
    monkeypatch.chdir(tmp_path)
    for each in right.iterdir():
        shutil.copy(each, tmp_path)
    capsys.readouterr()
    found: Json = json.loads(Path("proof.json").read_text("utf-8"))
    return found


def certificate(*more: str) -> Json:
    assert main(["check", "main.jl", *SETTINGS, *more, "--certificate", "proof.json"]) == 0
    found: Json = json.loads(Path("proof.json").read_text("utf-8"))
    return found


def verified(*more: str) -> int:
    return main(["verify", "proof.json", *more])


def sealed(forged: Json) -> None:
    """Every seal is that of what stands there."""
    digests = {each["path"]: each["sha256"] for each in forged["sources"]}
    for bound in forged["bounds"]:
        bound["seal"] = seal(bound, {path: digests.get(path, "") for path in bound["files"]})
    Path("proof.json").write_text(json.dumps(forged), "utf-8")


def of(forged: Json, function: str) -> Json:
    (found,) = (each for each in forged["bounds"] if each["function"] == function)
    return found


def of_other(forged: Json, function: str, text: str, *numbers: str) -> None:
    """A bound that follows from its tree, which is that of another program."""
    right = Path("main.jl").read_text("utf-8")
    Path("main.jl").write_text(text, "utf-8")
    other = of(certificate(*numbers), function)
    Path("main.jl").write_text(right, "utf-8")
    of(forged, function).update({key: other[key] for key in ("nodes", "rule", "epsilon", "delta", "conditions")})
    if "order" in other:
        of(forged, function)["order"] = other["order"]


def smaller_leaf(forged: Json) -> None:
    bound = of(forged, "f")
    bound["nodes"] = [{"kind": "laplace", "epsilon": "1/100", "claim": ["1/100", "0"]}]
    bound |= {"rule": "basic", "epsilon": "0.01", "delta": "0"}
    bound.pop("order", None)


def smaller_distance(forged: Json) -> None:
    of_other(forged, "g", MAIN.replace("noise(2 * x, eps)", "noise(x, eps)"))


def more_noise(forged: Json) -> None:
    of_other(forged, "count_of", MAIN.replace("laplacian_mechanism(4", "laplacian_mechanism(40"))


def fewer_rounds(forged: Json) -> None:
    of_other(forged, "loop", MAIN.replace("1:k", "2:k"))


def dropped_leaf(forged: Json) -> None:
    of_other(forged, "g", MAIN.replace("noise(2 * x, eps) + ", ""))


def wider_bell(forged: Json) -> None:
    of_other(forged, "bell", MAIN.replace("gaussian_noise(1", "gaussian_noise(2"))


def other_numbers(forged: Json) -> None:
    of(forged, "loop")["settings"]["k"] = "2"


def unused_number(forged: Json) -> None:
    of(forged, "bell")["settings"]["s"] = "50"


def swapped(forged: Json) -> None:
    first, second = of(forged, "f"), of(forged, "loop")
    first["function"], second["function"] = "loop", "f"
    first["signature"], second["signature"] = second["signature"], first["signature"]


def renamed(forged: Json) -> None:
    of(forged, "f")["function"] = "h"


def other_target(forged: Json) -> None:
    of(forged, "bell")["target_delta"] = "1/1000"


def no_target(forged: Json) -> None:
    of(forged, "bell")["target_delta"] = None


def other_rule(forged: Json) -> None:
    """A step to another pair that is true of the leaf, and not what is found."""
    bound = of(forged, "f")
    bound["nodes"] = [{"kind": "laplace", "epsilon": "1/2", "claim": ["1/2", "0"]}]
    bound |= {"rule": "basic", "epsilon": "0.5", "delta": "0", "target_delta": "1/100000"}
    bound.pop("order", None)


def within_roundings(forged: Json) -> None:
    of(forged, "loop")["epsilon"] += "0000001"


def relation(forged: Json) -> None:
    for bound in forged["bounds"]:
        bound["neighbours"] = "add-remove"


def unheard_relation(forged: Json) -> None:
    for bound in forged["bounds"]:
        bound["neighbours"] = "everybody"


def persons(forged: Json) -> None:
    for bound in forged["bounds"]:
        bound["contributes"] = 5


def no_condition(forged: Json) -> None:
    of(forged, "f")["conditions"] = []


def another_condition(forged: Json) -> None:
    of(forged, "f")["conditions"].append("x = 0")


def absent_file(forged: Json) -> None:
    forged["sources"].append({"path": "lib/absent.jl", "sha256": "0" * 64})
    of(forged, "f")["files"].append("lib/absent.jl")


def absent_source(forged: Json) -> None:
    forged["sources"].append({"path": "absent.jl", "sha256": "0" * 64})


def only_absent(forged: Json) -> None:
    absent_source(forged)
    for bound in forged["bounds"]:
        bound |= {"files": ["absent.jl"], "path": "absent.jl"}


def unlisted(forged: Json) -> None:
    of(forged, "f")["files"].append("gone.jl")


def fewer_files(forged: Json) -> None:
    forged["sources"] = [each for each in forged["sources"] if each["path"] == "main.jl"]
    for bound in forged["bounds"]:
        bound |= {"files": ["main.jl"], "path": "main.jl"}


def another_file(forged: Json) -> None:
    """It stands here, and is no part of the project."""
    Path("alone.jl").write_text("a = 1\n", "utf-8")
    forged["sources"].append({"path": "alone.jl", "sha256": digest_of("a = 1\n")})
    of(forged, "f")["files"] = ["alone.jl", "main.jl", "noise.jl"]


def listed_as(name: str, digest: str = digest_of(NOISE)) -> Callable[[Json], None]:
    """The included file under another name."""

    def change(forged: Json) -> None:
        for each in (*forged["sources"], *forged["bounds"]):
            if each["path"] == "noise.jl":
                each["path"] = name
                each |= {"sha256": digest} if "sha256" in each else {}
        for bound in forged["bounds"]:
            bound["files"] = sorted(name if path == "noise.jl" else path for path in bound["files"])

    change.__name__ = name
    return change


def outside(forged: Json) -> None:
    listed_as(str(Path("noise.jl").absolute()))(forged)


def above(forged: Json) -> None:
    listed_as(f"../{Path.cwd().name}/noise.jl")(forged)


def folder(forged: Json) -> None:
    Path("deep.jl").mkdir()
    Path("deep.jl/noise.jl").write_text(NOISE, "utf-8")
    listed_as("deep.jl", digest_of(""))(forged)


def too_long(forged: Json) -> None:
    Path("long.jl").write_bytes(b"#" * (LARGEST + 1))
    listed_as("long.jl", digest_of(""))(forged)


def linked(forged: Json) -> None:
    away = Path("..") / "away.jl"
    away.write_text(NOISE, "utf-8")
    Path("noise.jl").unlink()
    Path("noise.jl").symlink_to(away.absolute())


def changed_program(forged: Json) -> None:
    Path("noise.jl").write_text(NOISE.replace("(2,", "(1,"), "utf-8")


def changed_and_listed(forged: Json) -> None:
    text = NOISE.replace("(2,", "(2.5,").replace("eps, x", "eps, 1.5 * x")
    Path("noise.jl").write_text(text, "utf-8")
    forged["sources"][[each["path"] for each in forged["sources"]].index("noise.jl")]["sha256"] = digest_of(text)


def broken_program(forged: Json) -> None:
    Path("noise.jl").write_text("noise(x = )\n", "utf-8")
    forged["sources"][[each["path"] for each in forged["sources"]].index("noise.jl")]["sha256"] = digest_of(
        "noise(x = )\n"
    )


def unknown_kind(forged: Json) -> None:
    of(forged, "f")["nodes"][0]["kind"] = "geometric"


def free_kind(forged: Json) -> None:
    """What only puts others together, and nothing in it."""
    bound = of(forged, "f")
    bound["nodes"] = [{"kind": "sequence", "parts": [], "claim": ["0", "0"]}]
    bound |= {"rule": "basic", "epsilon": "0", "delta": "0"}
    bound.pop("order", None)


def no_rounds(forged: Json) -> None:
    bound = of(forged, "f")
    leaf = {"kind": "laplace", "epsilon": "1/2", "claim": ["1/2", "0"]}
    bound["nodes"] = [leaf, {"kind": "repeat", "count": 0, "body": 0, "claim": ["0", "0"]}]
    bound |= {"rule": "basic", "epsilon": "0", "delta": "0"}
    bound.pop("order", None)


def a_node_more(forged: Json) -> None:
    """Nothing is made of it."""
    of(forged, "f")["nodes"].insert(0, {"kind": "laplace", "epsilon": "9", "claim": ["9", "0"]})


def no_nodes(forged: Json) -> None:
    of(forged, "f")["nodes"] = []


def nested(forged: Json) -> None:
    leaf: Json = {"kind": "laplace", "epsilon": "1/2", "claim": ["1/2", "0"]}
    groups = [{"kind": "group", "steps": 1, "body": place, "claim": ["1/2", "0"]} for place in range(5_000)]
    of(forged, "f")["nodes"] = [leaf, *groups]


REFUSED = "refused: "
FORGED: dict[Callable[[Json], None], str] = {
    smaller_leaf: "`f` releases something else: epsilon of node 0 is 1/2 here, and 1/100 in the certificate",
    smaller_distance: "`g` releases something else: ",
    more_noise: "`count_of` releases something else: ",
    fewer_rounds: "`loop` releases something else: count of node 1 is 3 here, and 2 in the certificate",
    dropped_leaf: "`g` releases something else: ",
    wider_bell: "`bell` releases something else: mu of node 0 is 1/5 here, and 1/10 in the certificate",
    other_numbers: "`loop` releases something else: count of node 1 is 2 here, and 3 in the certificate",
    unused_number: "`bell` releases something else: mu of node 0 is 1/50 here, and 1/5 in the certificate",
    swapped: "releases something else: ",
    renamed: "there is no `h(Real, Static())` in main.jl",
    other_target: "`bell` comes to something else: ",
    no_target: "",
    other_rule: "`f` comes to something else: ",
    within_roundings: "`loop` comes to something else: epsilon is ",
    relation: "neighbours: add-remove; the configuration here wants a person with 1 record",
    unheard_relation: "neighbours: everybody; the configuration here wants",
    persons: "it protects a person with 5 records where no annotation says otherwise",
    no_condition: "`f` holds under other conditions: here under 0 < eps",
    another_condition: "`f` holds under other conditions: here under 0 < eps",
    absent_file: "lib/absent.jl is not here, so it is not compared",
    absent_source: "absent.jl is not here, so it is not compared",
    only_absent: "absent.jl is not here, so it is not compared",
    unlisted: "its program is not listed",
    fewer_files: "`f` is made of other files here: main.jl, noise.jl",
    another_file: "`f` is made of other files here: main.jl, noise.jl",
    listed_as("./noise.jl"): "./noise.jl is no name of a program",
    listed_as("noise.jl/"): "noise.jl/ is no name of a program",
    listed_as("-"): "- is no name of a program",
    listed_as(""): " is no name of a program",
    listed_as("noise\0.jl"): "is not here, so it is not compared",
    listed_as("noise\ud800.jl"): "is not here, so it is not compared",
    outside: "noise.jl lies outside this folder, and is not compared",
    above: "noise.jl lies outside this folder, and is not compared",
    folder: "deep.jl is not here, so it is not compared",
    too_long: "long.jl cannot be read",
    linked: "noise.jl is a link that leads out of this folder, and is not compared",
    changed_program: "noise.jl has changed since",
    changed_and_listed: "`f` releases something else: epsilon of node 0 is 3/5 here, and 1/2 in the certificate",
    broken_program: "nothing like it is proved of `f` in main.jl",
    unknown_kind: "the rule knows nothing of `geometric`",
    free_kind: "`f` releases something else: ",
    no_rounds: "node 1 is none that there can be",
    a_node_more: "`f` releases something else: ",
    no_nodes: "list index out of range",
    nested: "",
}
"""What a forger does, and what is said of it."""


@pytest.mark.parametrize("forge", FORGED, ids=lambda forge: repr(forge.__name__))
def test_what_is_forged_is_refused(
    forge: Callable[[Json], None], written: Json, capsys: pytest.CaptureFixture[str]
) -> None:
    forged = copy.deepcopy(written)
    forge(forged)
    capsys.readouterr()
    pairs = zip(forged["bounds"], written["bounds"], strict=True)
    forged["bounds"] = [bound for bound, was in pairs if bound != was][:2] or forged["bounds"][:1]
    sealed(forged)
    assert verified() == 1
    said = [line for line in capsys.readouterr().out.splitlines() if REFUSED in line]
    assert said and any(FORGED[forge] in line for line in said), said


UNREADABLE: dict[str, Callable[[str], str]] = {
    "a name that has two meanings": lambda text: text.replace('"rule": "', '"rule": "pld", "rule": "', 1),
    "two lists of bounds": lambda text: f'{{"bounds": [], {text.lstrip()[1:]}',
    "NaN": lambda text: text.replace('"contributes": 1', '"contributes": NaN', 1),
    "Infinity": lambda text: text.replace('"contributes": 1', '"contributes": Infinity', 1),
    "1e999": lambda text: text.replace('"contributes": 1', '"contributes": 1e999', 1),
    "a number of 5,000 digits": lambda text: text.replace('"contributes": 1', f'"contributes": {"9" * 5_000}', 1),
    "true": lambda text: text.replace('"contributes": 1', '"contributes": true', 1),
    "true as a leaf": lambda text: changed(text, "nodes", [{"kind": "laplace", "epsilon": True, "claim": ["1", "0"]}]),
    "true as a claim": lambda text: changed(text, "nodes", [{"kind": "laplace", "epsilon": 1, "claim": [True, "0"]}]),
    "nan as ε": lambda text: changed(text, "epsilon", "nan"),
    "inf as ε": lambda text: changed(text, "epsilon", "inf"),
    "no number as ε": lambda text: changed(text, "epsilon", "half"),
    "a number that nobody writes": lambda text: changed(text, "epsilon", "1e999999999"),
    "a division by 0": lambda text: changed(text, "epsilon", "1/0"),
    "a number as ε": lambda text: changed(text, "epsilon", 1),
    "a name more": lambda text: changed(text, "proved", "yes"),
    "a name less": lambda text: text.replace('"neighbours"', '"neighbors"', 1),
    "no list of files": lambda text: changed(text, "files", "main.jl"),
    "a setting of a list": lambda text: changed(text, "settings", {"eps": ["1"]}),
    "a setting that is no number": lambda text: changed(text, "settings", {"eps": "1e9999"}),
    "no nodes": lambda text: changed(text, "nodes", [1]),
    "version 1": lambda text: text.replace('"certificate": 2', '"certificate": 1'),
    "version 3": lambda text: text.replace('"certificate": 2', '"certificate": 3'),
    "version 2.0": lambda text: text.replace('"certificate": 2', '"certificate": 2.0'),
    "version '2'": lambda text: text.replace('"certificate": 2', '"certificate": "2"'),
    "a file twice": lambda text: text.replace('"path": "noise.jl", "sha256"', '"path": "main.jl", "sha256"', 1),
    "half of it": lambda text: text[: len(text) // 2],
    "something after it": lambda text: text + "{}",
    "deep lists": lambda text: "[" * 99_999,
}


def changed(text: str, key: str, value: object) -> str:
    document = json.loads(text)
    document["bounds"][0][key] = value
    return json.dumps(document)


@pytest.mark.parametrize("what", UNREADABLE)
def test_what_cannot_be_read_is_no_certificate(what: str, written: Json, capsys: pytest.CaptureFixture[str]) -> None:
    text = json.dumps(written)
    forged = UNREADABLE[what](text)
    assert forged != text
    Path("proof.json").write_text(forged, "utf-8")
    assert verified() == 2
    told = capsys.readouterr()
    assert told.err.startswith("Error: proof.json: not a certificate (") and not told.out


CONFIGURED: dict[str, int] = {
    "": 0,
    "contributes = 1": 0,
    "contributes = 3": 1,
    'neighbours = "change-one"': 0,
    'neighbours = "add-remove"': 1,
    'neighbours = "add-remove"\ncontributes = 3': 1,
    "max-epsilon = 10": 0,
    "max-epsilon = 0.1": 1,
    'profile = "published"': 0,
    '[[overrides]]\ninclude = ["main.jl"]\ncontributes = 2': 1,
    '[[overrides]]\ninclude = ["other.jl"]\ncontributes = 2': 0,
    "contributes = 0": 2,
    "contributes = '3'": 2,
    'neighbours = "everybody"': 2,
    "neighbors = 'add-remove'": 2,
    "contributes = 1\ncontributes = 1": 2,
    "contributes =": 2,
    'baseline = "gone.json"': 2,
}
"""What a configuration says, and what becomes of a certificate that was made without one."""


@pytest.mark.parametrize(
    ("text", "above"), [*((text, False) for text in CONFIGURED), *((text, True) for text in list(CONFIGURED)[:4])]
)
def test_a_configuration_says_whom_a_bound_must_protect(
    text: str, above: bool, written: Json, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    if above:  # it counts for all folders below it
        os.makedirs("project")
        for name in ("main.jl", "noise.jl", "proof.json"):
            os.rename(name, f"project/{name}")
        text = text.replace('"main.jl"', '"project/main.jl"')
    Path("dp-lsp.toml").write_text(f"{text}\n", "utf-8")
    monkeypatch.chdir("project" if above else ".")
    sealed(written | {"bounds": written["bounds"][:2]})
    code = verified()
    told = capsys.readouterr()
    assert code == CONFIGURED[text.replace("project/", "")]
    if code == 0:
        assert told.out.count("protects a person with 1 record where no annotation says otherwise") == 2
    if code == 1 and "max" not in text:
        assert told.out.count("refused: it protects a person with 1 record where no annotation says otherwise") == 2
    if code == 2:
        assert "dp-lsp.toml:" in told.err and not told.out


def test_a_configuration_is_named(written: Json, capsys: pytest.CaptureFixture[str]) -> None:
    Path("three.toml").write_text("contributes = 3\n", "utf-8")
    assert verified("--config", "three.toml") == 1
    assert verified("--config", "gone.toml") == 2
    Path("main.jl").write_text(MAIN.replace("_mechanism(4,", "_mechanism(12,"), "utf-8")
    certificate("--config", "three.toml")
    assert (verified(), verified("--config", "three.toml")) == (1, 0)
    said = capsys.readouterr().out
    assert "protects a person with 3 records where no annotation says otherwise, neighbours: change-one" in said
    assert "if a person has at most 3 records in `v` (`contributes`)" in said


@pytest.mark.parametrize("data", [b"\xff", b"contributes = '\xff'", None])
def test_a_configuration_that_cannot_be_read_is_told(
    data: bytes | None, written: Json, capsys: pytest.CaptureFixture[str]
) -> None:
    if data is None:
        Path("dp-lsp.toml").mkdir()
    else:
        Path("dp-lsp.toml").write_bytes(data)
    assert verified() == 2
    assert "dp-lsp.toml:" in capsys.readouterr().err


def test_what_nobody_replays_is_said_to_be_so(written: Json, capsys: pytest.CaptureFixture[str]) -> None:
    of(written, "loop")["stated"] = {"rule": "pld", "epsilon": "100"}
    sealed(written)
    assert verified() == 0
    assert "  also states ε 100 (pld), not replayed\n" in capsys.readouterr().out


@pytest.mark.parametrize("function", ["loop", "f"])
def test_nothing_smaller_is_stated_than_is_found(
    written: Json, capsys: pytest.CaptureFixture[str], function: str
) -> None:
    of(written, function)["stated"] = {"rule": "pld", "epsilon": "1/100"}
    sealed(written)
    assert verified() == 1
    assert "and ε 0.01 (pld) in the certificate" in capsys.readouterr().out


def test_a_certificate_of_nothing_proves_nothing(written: Json, capsys: pytest.CaptureFixture[str]) -> None:
    sealed(written | {"bounds": []})
    assert verified() == 1
    assert capsys.readouterr().out == "no bounds: it proves nothing\n"
