"""A function without annotations is known, where it is called, as well as one that has those of the call."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import pytest

import spec_runner
from dp_lsp.analysis.records import FunctionReport, State
from dp_lsp.engine.check import Engine
from source_tree import ROOT

PAGES = ("datasets", "selection", "one-way", "everyday")
HEAD = re.compile(r"(?P<name>\w+)\((?P<params>.*?)\)(?P<private> :: Priv\(\))? = (?P<body>[^=].*?)(  #.*)?$")
PARAMETER = re.compile(r"(\w+)::([\w.]+(?:\{[^{}]*\}|\((?:[^()]|\([^()]*\))*\))?)(?:, |$)")


class Twin(NamedTuple):
    """A function of the page, and the text of another that leaves what it does to one without annotations."""

    name: str
    text: str

    @classmethod
    def of(cls, line: str) -> Twin | None:
        found = HEAD.match(line)
        params = PARAMETER.findall(found["params"]) if found else []
        if not found or ", ".join("::".join(each) for each in params) != found["params"] or not params:
            return None
        if "Contributes" in line or not any(type_.startswith("Metric") for _, type_ in params):
            return None  # a function without annotations counts records, whoever they are of
        name, private = found["name"], found["private"] or ""
        given = ", ".join(each for each, _ in params)
        helper = f"helper_{name}({given}){private} = {found['body']}"
        return cls(name, f"{helper}\ntwin_{name}({found['params']}){private} = helper_{name}({given})\n")


def twins() -> Iterator[tuple[str, list[Twin]]]:
    for page in PAGES:
        for block in spec_runner.blocks((ROOT / "fixtures" / "spec" / f"{page}.md").read_text("utf-8")):
            found = {twin.name: twin for twin in map(Twin.of, block.text.splitlines()) if twin}
            if found:
                yield block.text, list(found.values())


def claimed(report: FunctionReport) -> tuple[object, ...]:
    """What is claimed of a function, but for words of others that are repeated, for what tells numbers apart that the
    functions compute and that have one name, and for sizes that must be the same: in a call that is always said, and in
    one of several ways; else not where a run fails otherwise."""
    bounds = tuple((each.name, each.shown, each.stability) for each in report.parameters)
    texts = (each.text.removesuffix(f", in `helper_{report.name[5:]}`") for each in report.conditions)
    return bounds, {re.sub(r"'\d+", "'", text) for text in texts if " = " not in text}


def test_what_is_known_of_a_call_is_what_is_known_of_its_types() -> None:
    known = 0
    for text, found in twins():
        added = "".join(twin.text for twin in found)
        reports = {report.name: report for report in Engine().check(f"{text}\n{added}").functions}
        for twin in found:
            direct, through = reports[twin.name], reports[f"twin_{twin.name}"]
            if direct.state is State.PROVED:
                known += 1
                assert through.state is State.PROVED and claimed(through) == claimed(direct), twin.text
            else:
                assert through.state is not State.PROVED, twin.text
    assert known > 60


@pytest.mark.parametrize("depth", [5, 40])
def test_a_chain_without_annotations_ends(depth: int) -> None:
    """Each function calls the one before on two datasets of its own: 2 to the power of ``depth`` of them."""
    lines = ["f0(v) = sum(clamp(v, 0, 1))"]
    lines += [f"f{n}(v) = f{n - 1}(clamp(v, {n}, {2 * n})) + f{n - 1}(clamp(v, 0, {n}))" for n in range(1, depth)]
    text = "\n".join([*lines, f"g(v::MetricVector(Real, Symmetric)) = f{depth - 1}(v)", ""])
    (report,) = (each for each in Engine().check(text).functions if each.name == "g")
    assert (report.state is State.PROVED) is (depth == 5)


@pytest.mark.parametrize("body", ["sum(clamp(v, 0, 1))", "sum(map((x::Real) -> clamp(x, 0, 1), v))"])
def test_an_edit_of_a_function_without_annotations_is_seen_by_its_callers(body: str) -> None:
    """Also one that changes nothing for vectors, for which it is reported."""
    engine = Engine()
    text = f"total(v) = {body}\nf(v::MetricVector(Real, Symmetric)) = total(v)\n"
    for most in (1, 2, 3, 1):
        edited = text.replace("0, 1", f"0, {most}")
        (report,) = (each for each in engine.check(edited).functions if each.name == "f")
        assert report.parameters[0].shown == str(most)
