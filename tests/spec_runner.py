"""The specification that runs: Markdown pages whose programs say what the checker must answer.

A heading is a test. Each of its ``julia`` and ``python`` blocks is a program, checked on its own, with what is expected
in comments:

* ``# f: x 2; y oo -> Real`` on a line of its own: what `f` is, parameter by parameter. A parameter of a private
  function reads ``x ε 1/10 δ 1/5``; static parameters are left out, and so may be the type returned. Formulas are
  those of the JSON report. ``# f: failed; x 2`` and ``# f: unknown`` name a state other than ``proved``.
* ``# f if: 0 < eps, eps < 1``: all conditions of `f`, as they are shown; ``# f if: nothing`` for none.
* ``# error: [DP301] "a part of the message"``, or ``# warning:``, at the end of the line of the problem. A program
  has exactly the errors and warnings it names; and exactly the ``# information:`` and the ``# hint:``, if it names one.

A program of several files has a line ``# file: name.jl`` before each. All of them are checked, each in every program
that includes it, and what is expected stands in the file that it is about.

Words after the language are options: ``profile=published``, ``eps=0.2`` for a number given to a parameter, and
``known-wrong`` for a program whose comments are right and whose answer is not yet.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import NamedTuple

from dp_lsp.analysis.records import Analysis, FunctionReport, Options, Setting, State
from dp_lsp.engine.check import Engine
from dp_lsp.problem import Problem, Severity
from several_files import check, sections

_FENCE, END = re.compile(r"```(julia|python)\b(.*)"), "```"
KNOWN_WRONG = "known-wrong"
_EXPECTED = re.compile(r"# (?!file: |dp: )(?P<name>[^\s:]+)(?P<conditions> if)?: (?!\[).*")
_PROBLEM = re.compile(r'\s*# (error|warning|information|hint): \[(DP\d{3})\](?: "([^"]*)")?')


class Block(NamedTuple):
    """A program: where its first line stands in the page, and the options after its ``language``."""

    heading: str
    start: int
    lines: tuple[str, ...]
    words: tuple[str, ...]
    language: str = "julia"

    @property
    def text(self) -> str:
        return "\n".join(self.lines) + "\n"

    @property
    def known_wrong(self) -> bool:
        return KNOWN_WRONG in self.words

    @property
    def options(self) -> Options:
        pairs = dict(word.rsplit("=", 1) for word in self.words if "=" in word)
        profile, neighbours = pairs.pop("profile", "sound"), pairs.pop("neighbours", "change-one")
        contributes = int(pairs.pop("contributes", "1"))
        settings = tuple(Setting(None, name, Fraction(value)) for name, value in pairs.items())
        return Options(profile, settings, neighbours=neighbours, contributes=contributes, language=self.language)


@cache
def blocks(page: str) -> tuple[Block, ...]:
    """The programs of a page, in order. Each heading is a test of its own, and most pages are asked for by several."""
    found = []
    heading, lines = "", page.splitlines()
    position = 0
    while position < len(lines):
        line = lines[position]
        position += 1
        if line.startswith("#"):
            heading = line.lstrip("# ")
        elif fence := _FENCE.match(line):
            end = lines.index(END, position)
            found.append(Block(heading, position, tuple(lines[position:end]), tuple(fence[2].split()), fence[1]))
            position = end + 1
    return tuple(found)


def rewritten(block: Block, engine: Engine) -> tuple[str, ...]:
    """The lines of a block with the answers of the checker in place of what they expect.

    A block is right if this changes nothing."""
    return answered(block, check(engine, block.text, block.options))


def answered(block: Block, found: Mapping[str, Analysis]) -> tuple[str, ...]:
    """The same with what was found out about its files."""
    lines: list[str] = []
    for name, start, text in sections(block.text) or [("", 0, block.text)]:
        lines += block.lines[len(lines) : start]
        functions = {function.name: function for function in found[name].functions}
        problems = _by_line(found[name])
        lines += (_line(line, functions, problems.get(number, [])) for number, line in enumerate(text.splitlines()))
    return tuple(lines)


def page_rewritten(path: Path, engine: Engine) -> str:
    """A page with all its programs rewritten, but for those that are known to get a wrong answer."""
    lines = path.read_text(encoding="utf-8").splitlines()
    for block in blocks("\n".join(lines)):
        if not block.known_wrong:
            lines[block.start : block.start + len(block.lines)] = rewritten(block, engine)
    return "\n".join(lines) + "\n"


def bounds(function: FunctionReport, returns: bool = False) -> str:
    """A function in one line: its state, if it is not proved, and the bound of each parameter that is not static."""
    if function.state is State.UNKNOWN:
        return "unknown"
    parts = [] if function.state is State.PROVED else [function.state.value]
    for parameter in function.parameters:
        if parameter.sensitivity is not None and not parameter.static:
            parts.append(f"{parameter.name} {parameter.sensitivity}")
        elif parameter.epsilon is not None and not parameter.static:
            parts.append(f"{parameter.name} ε {parameter.epsilon} δ {parameter.delta}")
    text = "; ".join(parts) or "nothing"
    return f"{text} -> {function.returns}" if returns else text


def _line(line: str, functions: dict[str, FunctionReport], problems: list[Problem]) -> str:
    expected = _EXPECTED.fullmatch(line)
    if expected is None:
        return _with_problems(line, problems)
    found = functions.get(expected["name"])
    if found is None:
        return f"# {expected['name']}: not defined"
    if expected["conditions"]:
        return f"# {found.name} if: {', '.join(condition.text for condition in found.conditions) or 'nothing'}"
    return f"# {found.name}: {bounds(found, ' -> ' in line)}"


def _with_problems(line: str, problems: list[Problem]) -> str:
    """A line of code with its problems after it; what is quoted of a message stays if it is still true."""
    expected = _PROBLEM.findall(line)
    code = _PROBLEM.sub("", line)
    found = []
    for problem in problems:
        match = next((e for e in expected if _is(problem, e)), None)
        if match is not None:
            expected.remove(match)
        quoted = f' "{match[2]}"' if match is not None and match[2] else ""
        found.append(f"# {problem.severity}: [{problem.code}]{quoted}")
    return "  ".join([code, *sorted(found, key=lambda text: line.find(text) % (len(line) + 1))])


def _is(problem: Problem, expected: tuple[str, str, str]) -> bool:
    severity, code, part = expected
    return (severity, code) == (problem.severity, problem.code) and part in problem.message


def _by_line(analysis: Analysis) -> dict[int, list[Problem]]:
    found: dict[int, list[Problem]] = {}
    named = {severity for severity, _, _ in _PROBLEM.findall(analysis.source.text)}
    for problem in analysis.problems:
        if problem.severity in (Severity.ERROR, Severity.WARNING) or problem.severity in named:
            line = analysis.source.text.count("\n", 0, problem.span.start)
            found.setdefault(line, []).append(problem)
    return found
