"""Certificates: what the checker writes is accepted by a verifier that shares nothing with it, what was tampered with
is not."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from dp_lsp.cli import main
from dp_lsp.cli.certify import digest_of, seal
from source_tree import ROOT

Json = dict[str, Any]
PROGRAMS = sorted((ROOT / "fixtures" / "programs").glob("*.jl"))
NUMBERS = {"eps": "0.1", "epsilon": "0.1", "del": "1e-8", "delta": "1e-8", "sigma": "4", "q": "0.01"}


@pytest.fixture(scope="module")
def known() -> dict[tuple[Path, str], Json]:
    """The certificates that were written: several tests want the same."""
    return {}


@pytest.fixture
def certified(
    known: dict[tuple[Path, str], Json],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Any:
    """The certificate of a program, in a folder in which the program stands too, with numbers for all names that it
    lacks."""
    monkeypatch.chdir(tmp_path)

    def certificate(program: Path, delta: str = "1e-4") -> Json:
        (tmp_path / program.name).write_text(program.read_text("utf-8"), "utf-8")
        if (program, delta) not in known:
            known[program, delta] = write(program, delta)
        return copy.deepcopy(known[program, delta])

    def write(program: Path, delta: str) -> Json:
        settings: dict[str, str] = {}
        for _ in range(5):  # numbers may be missing behind numbers
            given = [part for name, value in settings.items() for part in ("--set", f"{name}={value}")]
            command = ["check", program.name, "--target-delta", delta, *given]
            main([*command, "--output-format", "json", "--certificate", "proof.json"])
            functions = json.loads(capsys.readouterr().out)["files"][0]["functions"]
            missing = {name for each in functions for one in each.get("numeric", ()) for name in one.get("missing", ())}
            if not missing:
                break
            settings |= {name: NUMBERS.get(name, "12") for name in missing}
        found: Json = json.loads((tmp_path / "proof.json").read_text("utf-8"))
        return found

    return certificate


def verified(certificate: Json, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """What the verifier says of a certificate that somebody sealed anew."""
    digests = {each["path"]: each["sha256"] for each in certificate["sources"]}
    for bound in certificate["bounds"]:
        bound["seal"] = seal(bound, digests)
    Path("proof.json").write_text(json.dumps(certificate), "utf-8")
    code = main(["verify", "proof.json"])
    return code, capsys.readouterr().out


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.stem)
def test_what_is_written_is_accepted(program: Path, certified: Any, capsys: pytest.CaptureFixture[str]) -> None:
    certificate = certified(program)
    assert bool(certificate["bounds"]) == (program.stem not in WITHOUT_BOUNDS)
    code, said = verified(certificate, capsys)
    assert code == (1 if program.stem in WITHOUT_BOUNDS else 0), said
    assert said.count(": proved") == len(certificate["bounds"])


WITHOUT_BOUNDS = {"metrics": "nothing in it is private"}


def test_a_changed_row_of_a_poisson_sample_is_certified_by_its_curve(
    certified: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is one row less and one more: two steps, and no fewer."""
    certificate = certified(ROOT / "fixtures" / "programs" / "dp_sgd_poisson.jl")
    assert {bound["rule"] for bound in certificate["bounds"]} == {"renyi"}
    assert verified(certificate, capsys)[0] == 0
    Path("dp_sgd_poisson.jl").unlink()
    for steps in (1, 3):
        changed = copy.deepcopy(certificate)
        (node,) = (each for each in changed["bounds"][0]["nodes"] if each["kind"] == "group")
        node["steps"] = steps
        code, said = verified(changed, capsys)
        assert code == 1 and f"refused: node {changed['bounds'][0]['nodes'].index(node)} claims" in said


HUNDRED = """
function steps(x::MetricVector(Real, L2), k::Static(Integer)) :: Priv()
    y = gaussian_mechanism(1, 0.1, 1e-6, x)
    for i in 2:k
        y = y + gaussian_mechanism(1, 0.1, 1e-6, x)
    end
    y
end
"""


def test_a_verdict_names_the_function_and_its_numbers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("steps.jl").write_text(HUNDRED, "utf-8")
    main(["check", "steps.jl", "--set", "k=100", "--target-delta", "1.01e-4", "--certificate", "proof.json"])
    capsys.readouterr()
    assert main(["verify", "proof.json"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[0] == "steps.jl: steps, x: ε 0.563001 δ 0.000101 (gaussian), k = 100: proved"
    assert said[1] == "  protects a person with 1 record where no annotation says otherwise, neighbours: change-one"
    assert said[-2] == "1 bound, all proved" and "its program checked again under the configuration" in said[-1]
    Path("steps.jl").write_text(HUNDRED.replace("0.1", "0.2"), "utf-8")
    assert main(["verify", "proof.json"]) == 1
    assert "refused: steps.jl has changed since" in capsys.readouterr().out
    Path("steps.jl").unlink()
    capsys.readouterr()
    assert main(["verify", "proof.json"]) == 1
    assert "refused: steps.jl is not here, so it is not compared" in capsys.readouterr().out


SCALED = """
f(x::Real, eps::Static(), b::Static(Integer)) :: Priv() = laplacian_mechanism(2, eps, x / b)
g(x::Real, eps::Static(), b::Static(Integer)) :: Priv() = gaussian_mechanism(2, eps, 1e-6, x / b)
"""


def test_noise_made_for_more_is_certified_by_the_ratio(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With ε = 1/2 for a change of 2, a change of 1/64 costs 1/256, and no less."""
    monkeypatch.chdir(tmp_path)
    Path("scaled.jl").write_text(SCALED, "utf-8")
    numbers = ["--set", "eps=0.5", "--set", "b=64", "--target-delta", "1e-6"]
    assert main(["check", "scaled.jl", *numbers, "--certificate", "proof.json"]) == 0
    capsys.readouterr()
    assert main(["verify", "proof.json"]) == 0
    capsys.readouterr()
    certificate = json.loads(Path("proof.json").read_text("utf-8"))
    assert bound_of(certificate, "f")["nodes"][0]["epsilon"] == "1/256"
    assert Fraction(bound_of(certificate, "g")["epsilon"]) <= Fraction(1, 256)
    for name, key, smaller in (("f", "epsilon", Fraction(1, 257)), ("g", "mu", Fraction(1, 2000))):
        changed = copy.deepcopy(certificate)
        bound_of(changed, name)["nodes"][0][key] = str(smaller)
        code, said = verified(changed, capsys)
        assert code == 1 and said.count(": refused") == 1
    changed = copy.deepcopy(certificate)
    bound_of(changed, "f")["settings"]["b"] = "63"
    code, said = verified(changed, capsys)
    assert code == 1 and "epsilon of node 0 is 1/252 here, and 1/256 in the certificate" in said


TWO = """
include("noise.jl")
f(x::Real, eps::Static()) :: Priv() = noise(x, eps)
g(x::Real, eps::Static()) :: Priv() = noise(2 * x, eps) + noise(x, eps)
function loop(x::Real, eps::Static(), k::Static(Integer)) :: Priv()
    y = 0.0
    for i in 1:k
        y = y + noise(x, eps)
    end
    y
end
"""
NOISE = "noise(x::Real, eps::Static()) :: Priv() = laplacian_mechanism(2, eps, x)\n"


@pytest.fixture
def two(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Json:
    """A certificate of functions of which some are of the same type, in two files that stand there."""
    monkeypatch.chdir(tmp_path)
    Path("two.jl").write_text(TWO, "utf-8")
    Path("noise.jl").write_text(NOISE, "utf-8")
    assert main(["check", "two.jl", "--set", "eps=1", "--set", "k=3", "--certificate", "proof.json"]) == 0
    capsys.readouterr()
    assert main(["verify", "proof.json"]) == 0
    capsys.readouterr()
    found: Json = json.loads(Path("proof.json").read_text("utf-8"))
    assert {each["function"] for each in found["bounds"]} == {"f", "g", "loop", "noise"}
    return found


def bound_of(certificate: Json, name: str) -> Json:
    (found,) = (each for each in certificate["bounds"] if each["function"] == name)
    return found


ABOUT: dict[str, tuple[object, str]] = {
    "function": ("g", "`g` releases something else"),
    "signature": ("(Integer, Static(Real))", "there is no `f(Integer, Static(Real))` in two.jl"),
    "parameters": (["y"], "nothing like it is proved of `f` in two.jl"),
    "settings": (
        {"eps": "1/2"},
        "`f` releases something else: epsilon of node 0 is 1/4 here, and 1/2 in the certificate",
    ),
    "conditions": ([], "`f` holds under other conditions: here under 0 < eps"),
    "neighbours": ("add-remove", "the configuration here wants a person with 1 record"),
    "contributes": (3, "the configuration here wants a person with 1 record"),
    "path": ("noise.jl", "there is no `f(Real, Static())` in noise.jl"),
    "target_delta": ("1/1000", "`f` comes to something else: "),
    "files": (["two.jl"], "`f` is made of other files here: noise.jl, two.jl"),
}


@pytest.mark.parametrize("key", ABOUT)
@pytest.mark.parametrize("sealed", [False, True])
def test_a_certificate_is_about_one_function(
    key: str, sealed: bool, two: Json, capsys: pytest.CaptureFixture[str]
) -> None:
    """Who seals it anew is found out by the program."""
    relabelled = bound_of(two, "f")
    value, why = ABOUT[key]
    assert relabelled[key] != value
    relabelled[key] = value
    if sealed:
        code, said = verified(two, capsys)
    else:
        Path("proof.json").write_text(json.dumps(two), "utf-8")
        code, said = main(["verify", "proof.json"]), capsys.readouterr().out
    assert code == 1 and said.count("refused: ") == 1, said
    assert (why if sealed else "what it says was changed after it was certified") in said


def test_a_stale_certificate_is_refused(two: Json, capsys: pytest.CaptureFixture[str]) -> None:
    """Also where it is another file of the project that has changed."""
    Path("noise.jl").write_text(NOISE.replace("2, eps", "1, eps"), "utf-8")
    code, said = verified(two, capsys)
    assert code == 1 and said.count("refused: noise.jl has changed since") == 4
    (source,) = (each for each in two["sources"] if each["path"] == "noise.jl")
    source["sha256"] = digest_of(Path("noise.jl").read_text("utf-8"))
    code, said = verified(two, capsys)
    assert code == 1 and said.count("`f` releases something else: epsilon of node 0") == 1
    Path("noise.jl").write_text("noise(x, eps) = unheard(x)\n", "utf-8")
    source["sha256"] = digest_of(Path("noise.jl").read_text("utf-8"))
    said = verified(two, capsys)[1]
    assert said.count("refused: nothing like it is proved of `") == 3 and "there is no `noise" in said


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "{}", "3", '{"certificate": 1}', '{"certificate": 2, "sources": [], "bounds": [{}]}', "[" * 99_999],
)
def test_what_is_no_certificate_is_told(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("proof.json").write_text(text, "utf-8")
    assert main(["verify", "proof.json"]) == 2
    assert capsys.readouterr().err.startswith("Error: proof.json: ")


def test_what_cannot_be_certified_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("steps.jl").write_text(HUNDRED, "utf-8")
    main(["check", "steps.jl", "--certificate", "proof.json"])
    assert "nothing can be certified" in capsys.readouterr().err
    assert json.loads(Path("proof.json").read_text("utf-8"))["bounds"] == []
    assert main(["verify", "nowhere.json"]) == 2


def test_the_verifier_is_small() -> None:
    """What must be trusted must be read; that it imports nothing of ours is a row of the table of layers."""
    assert len((ROOT / "dp_lsp" / "verify.py").read_text("utf-8").splitlines()) <= 300


def lower(number: str) -> str:
    return str(Fraction(number) * Fraction(9, 10))


def lowered_bound(bound: Json, chance: random.Random) -> bool:
    bound["epsilon"] = lower(bound["epsilon"])
    return Fraction(bound["epsilon"]) > 0


def lowered_delta(bound: Json, chance: random.Random) -> bool:
    bound["delta"] = lower(bound["delta"])
    return Fraction(bound["delta"]) > 0


def lowered_claim(bound: Json, chance: random.Random) -> bool:
    claims = [node["claim"] for node in bound["nodes"] if "claim" in node and Fraction(node["claim"][0]) > 0]
    if claims:
        claim = chance.choice(claims)
        claim[0] = lower(claim[0])
    return bool(claims)


def lowered_mechanism(bound: Json, chance: random.Random) -> bool:
    named = [(node, name) for node in bound["nodes"] for name in ("mu", "epsilon") if Fraction(node.get(name, 0)) > 0]
    if named:
        node, name = chance.choice(named)
        node[name] = lower(node[name])
    return bool(named)


def fewer_rounds(bound: Json, chance: random.Random) -> bool:
    loops = [node for node in bound["nodes"] if node["kind"] == "repeat" and node["count"] > 1]
    if loops:
        chance.choice(loops)["count"] -= 1
    return bool(loops)


def less_of_a_sample(bound: Json, chance: random.Random) -> bool:
    samples = [node for node in bound["nodes"] if node["kind"] == "sampled"]
    if samples:
        node = chance.choice(samples)
        node["rate"], node["draws"] = lower(node["rate"]), int(node["draws"] * Fraction(9, 10))
    return bool(samples)


def swapped_rule(bound: Json, chance: random.Random) -> bool:
    bound["rule"] = chance.choice(sorted({"basic", "optimal", "renyi", "gaussian", "pld"} - {bound["rule"]}))
    return len(bound["nodes"]) > 1 or bound["rule"] == "pld"  # one mechanism alone may be priced by several rules


def dropped_part(bound: Json, chance: random.Random) -> bool:
    sequences = [node for node in bound["nodes"] if node["kind"] == "sequence" and len(node["parts"]) > 1]
    if sequences:
        parts = chance.choice(sequences)["parts"]
        del parts[chance.randrange(len(parts))]
    return bool(sequences)


def dropped_node(bound: Json, chance: random.Random) -> bool:
    del bound["nodes"][chance.randrange(len(bound["nodes"]))]
    return True


TAMPERINGS: tuple[Callable[[Json, random.Random], bool], ...] = (
    lowered_bound,
    lowered_delta,
    lowered_claim,
    lowered_mechanism,
    fewer_rounds,
    less_of_a_sample,
    swapped_rule,
    dropped_part,
    dropped_node,
)


def test_what_was_tampered_with_is_refused(certified: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """A bound by each rule that has been tampered with in each way, and what else these bounds are made of."""
    chance = random.Random(6)
    bounds = []
    for program in PROGRAMS:
        certificate = certified(program)
        Path(program.name).unlink()
        bounds += [{**certificate, "bounds": [bound]} for bound in certificate["bounds"]]
    chance.shuffle(bounds)
    refused: set[tuple[str, str]] = set()
    for original in bounds:
        for tampering in TAMPERINGS:
            certificate = copy.deepcopy(original)
            (bound,) = certificate["bounds"]
            cases = {(tampering.__name__, each) for each in (bound["rule"], *(node["kind"] for node in bound["nodes"]))}
            if not cases <= refused and tampering(bound, chance):
                code, said = verified(certificate, capsys)
                assert code == 1 and "refused" in said and " is not here" not in said, (tampering.__name__, said)
                refused |= cases
    assert {name for name, _ in refused} == {tampering.__name__ for tampering in TAMPERINGS}
