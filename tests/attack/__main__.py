"""Attacks on what is claimed.

``programs`` writes random programs and looks for neighbouring inputs that refute a claim about them; ``private`` does
so with random private functions, which are run on both inputs with their chance written down (all that is released
counts as seen), ``selections`` with such that choose by datasets, ``parts`` with such that run others on the parts of
one, ``add-remove`` with such of data of which one has a record more, ``persons`` with functions of datasets of people
who have several records, and ``pipelines`` with statistics of all that can be made of datasets. What refutes a claim
is printed with its seed, and with the smallest program of its kind.

``charges`` prices random charges of discrete mechanisms and compares every ε that is stated with the δ that
enumerating all outcomes gives. ``evaluator`` judges claims by an evaluator that shares nothing with the checker, not
even the reading of the text (``tests/evaluator/``): programs with mixed run-time types, several methods a name and
planted effects. ``--first``, ``--count`` and ``--output FILE``, which goes on where it stopped, share out a long run;
``--checker COMMAND`` asks another version, ``--family ordinary`` writes everyday constructs only, and ``--both`` runs
the interpreter of ``meaning/`` on the same inputs.

``python`` writes random Python programs, and judges what is claimed of them by running them with CPython on
neighbouring inputs, their noise written down (``tests/cpython/``); its options are those of ``evaluator``.

``scoreboard`` writes down what the same searches find against the published rules. ``precision`` measures how much
larger claims are than what is true, of random functions of the kinds that people write and of case studies, by rule.
``mutants`` breaks one thing in one row of the table, one rule, or one formula of a measure, at a time and lists what no
test notices; all 700 take half an hour, and ``--by-search`` halves factors and asks the search alone. ``conditions``
takes away what sums, parts, places, public numbers, samples and declarations demand, and lists what refutes it.
``large`` evaluates the conditions of random private programs at large sizes, and lists those that fail there.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # the modules of the tests import each other by name

from evaluator.writing import ORDINARY

from .charges import refutations
from .evaluated import CHANGED, CHECKER, attack
from .large import looked
from .precision import precision
from .runs import PROGRAMS, attacked
from .scoreboard import SCOREBOARD, page, scores


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.attack", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, of in (
        ("programs", "programs"),
        ("private", "programs with private functions"),
        ("selections", "programs that select by datasets"),
        ("parts", "programs that run private functions on the parts of a dataset"),
        ("pipelines", "functions of datasets: what is made of records, and a statistic of that"),
        ("add-remove", "programs with private functions of data of which one has a record more"),
        ("persons", "programs with functions of datasets of people who have several records"),
    ):
        tried = commands.add_parser(name, help=f"random {of}; exits with 1 if a claim is refuted")
        tried.add_argument("--count", type=int, default=100_000)
        tried.add_argument("--first", type=int, default=0, help="the seed of the first; the others follow it")
        tried.add_argument("--profile", choices=("sound", "published"), default="sound")
    apart = commands.add_parser(
        "evaluator", help="random programs, by an evaluator that shares nothing with the checker"
    )
    apart.add_argument("--count", type=int, default=50_000)
    apart.add_argument("--first", type=int, default=0, help="the seed of the first; the others follow it")
    apart.add_argument("--output", help="a file to write down what was done, and to go on from if it is there")
    apart.add_argument("--checker", default=CHECKER, help="the command that checks, by default that of this Python")
    families = "programs of everyday constructs only, or those of the specification, each of them changed"
    apart.add_argument("--family", default="", choices=("", ORDINARY, CHANGED), help=families)
    apart.add_argument("--both", action="store_true", help="run them by the interpreter of the checker, too")
    python = commands.add_parser("python", help="random Python programs, run by CPython")
    python.add_argument("--count", type=int, default=10_000)
    python.add_argument("--first", type=int, default=0, help="the seed of the first; the others follow it")
    kinds = ("numbers", "statistics", "tables", "rows", "changed")
    python.add_argument("--about", choices=kinds, default="numbers", help="what programs are about")
    python.add_argument("--output", help="a file to write down what was done, and to go on from if it is there")
    python.add_argument("--checker", default=CHECKER, help="the command that checks, by default that of this Python")
    scored = commands.add_parser("scoreboard", help="writes dp_lsp/reference/soundness.md")
    scored.add_argument("--count", type=int, default=2_000, help="how many random programs of each sort to try for it")
    priced = commands.add_parser("charges", help="random charges of discrete mechanisms, against exact enumeration")
    priced.add_argument("--count", type=int, default=10_000)
    priced.add_argument("--first", type=int, default=0, help="the seed of the first")
    broken = commands.add_parser("mutants", help="breaks one rule at a time; exits with 1 if nobody notices one")
    broken.add_argument("--about", default="", help="a regular expression: only those whose names match")
    broken.add_argument("--by-search", action="store_true", help="only factors, and only the search may notice")
    needed = commands.add_parser("conditions", help="takes conditions of rules away, and finds a seed that refutes")
    needed.add_argument("--count", type=int, default=2_000, help="how many functions to try for each")
    needed.add_argument("--first", type=int, default=0, help="the seed of the first")
    large = commands.add_parser("large", help="conditions of random private programs that fail for large data")
    large.add_argument("--count", type=int, default=2_000, help="how many programs with a private function")
    large.add_argument("--first", type=int, default=0, help="the seed of the first; the others follow it")
    exact = commands.add_parser("precision", help="how much larger claims are than what is true")
    exact.add_argument("--count", type=int, default=2_000, help="how many random functions, beside the case studies")
    exact.add_argument("--first", type=int, default=0, help="the seed of the first; the others follow it")
    exact.add_argument("--output", help="a file to write down what was done, and to go on from if it is there")
    exact.add_argument("--jobs", type=int, default=2, help="how many processes work at once")
    sys.exit(int(_is_bad(parser.parse_args())))


def _is_bad(options: argparse.Namespace) -> bool:
    """Does what was asked for; whether something is not as it should be."""
    match options.command:
        case "mutants":
            from .hunt import hunt

            return hunt(options.about, options.by_search) > 0
        case "conditions":
            from .conditions import table

            text, complete = table(options.first, options.count)
            print(text)
            return not complete
        case "large":
            return _fails_for_large(options.first, options.count)
        case "precision":
            return precision(options.first, options.count, options.output, options.jobs)
        case "evaluator":
            return attack(options.first, options.count, options.output, options.checker, options.both, options.family)
        case "python":
            from .python import attack as attack_python

            return attack_python(options.first, options.count, options.output, options.checker, options.about)
        case "charges":
            return _charges(options.first, options.count)
        case "scoreboard":
            results = [
                attacked(programs, 0, options.count, profile, tell=False)
                for profile in ("sound", "published")
                for name, programs in PROGRAMS.items()
                if name not in ("selections", "parts")
                and (profile == "sound" or name != "add-remove")  # nothing is published of them
            ]
            SCOREBOARD.write_text(page(list(scores()), "\n\n".join(each.text for each in results)), "utf-8")
            return False
    result = attacked(PROGRAMS[options.command], options.first, options.count, options.profile)
    print(result.text)
    return result.bad > 0


def _fails_for_large(first: int, count: int) -> bool:
    """Whether a private function is proved for small data only; all that are, are printed."""
    found = looked(count, first)
    for each in found.hollow:
        print(f"seed {each.seed}: {each.function} is proved under {each.formula}", flush=True)
    print(
        f"{found.programs:,} programs, {found.proved:,} private functions proved, {found.conditions:,} conditions on "
        f"sizes, {len(found.hollow)} fail for large data"
    )
    return bool(found.hollow)


def _charges(first: int, count: int) -> bool:
    """Whether a guarantee is refuted; all that are, are printed."""
    refuted = 0
    for seed in range(first, first + count):
        for found in refutations(seed):
            refuted += 1
            print(f"seed {seed}: δ is {found.delta} for {found.guarantee}", flush=True)
    print(f"{count:,} charges, {refuted} refuted")
    return refuted > 0


if __name__ == "__main__":
    main()
