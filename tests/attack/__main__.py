<<<<<<< HEAD
"""``python -m tests.attack programs`` tries random programs, ``charges`` random charges; ``scoreboard`` writes down
what is found against the published rules."""
=======
"""``python -m tests.attack programs`` tries random programs, ``private`` random private functions; ``scoreboard``
writes down what is found against the published rules, and ``mutants`` breaks the table of builtins."""
>>>>>>> 5fcd092 (A refuter for privacy: private functions are run on neighbouring inputs with their chance written down; random private functions; random programs with black boxes, gradients, functions given to functions; what is found is made small)

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # the modules of the tests import each other by name

<<<<<<< HEAD
from dp_lsp.engine.check import Engine
from dp_lsp.meaning.refuter import Pair

from . import Target, targets
from .charges import refutations
from .hunt import hunt
=======
>>>>>>> 5fcd092 (A refuter for privacy: private functions are run on neighbouring inputs with their chance written down; random private functions; random programs with black boxes, gradients, functions given to functions; what is found is made small)
from .precision import GOAL, table
from .runs import PROGRAMS, attacked
from .scoreboard import SCOREBOARD, page, scores


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.attack", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, of in (("programs", "programs"), ("private", "programs with private functions")):
        tried = commands.add_parser(name, help=f"random {of}; exits with 1 if a claim is refuted")
        tried.add_argument("--count", type=int, default=100_000)
        tried.add_argument("--first", type=int, default=0, help="the seed of the first; the others follow it")
        tried.add_argument("--profile", choices=("sound", "published"), default="sound")
    scored = commands.add_parser("scoreboard", help="writes dp_lsp/reference/soundness.md")
<<<<<<< HEAD
    scored.add_argument("--count", type=int, default=2_000, help="how many random programs to try for it")
    priced = commands.add_parser("charges", help="random charges of discrete mechanisms, against exact enumeration")
    priced.add_argument("--count", type=int, default=10_000)
    priced.add_argument("--first", type=int, default=0, help="the seed of the first")
=======
    scored.add_argument("--count", type=int, default=2_000, help="how many random programs of each sort to try for it")
>>>>>>> 5fcd092 (A refuter for privacy: private functions are run on neighbouring inputs with their chance written down; random private functions; random programs with black boxes, gradients, functions given to functions; what is found is made small)
    broken = commands.add_parser("mutants", help="breaks one rule at a time; exits with 1 if nobody notices one")
    broken.add_argument("--about", default="", help="a regular expression: only those whose names match")
    broken.add_argument("--by-search", action="store_true", help="only factors, and only the search may notice")
    commands.add_parser("precision", help="how much larger claims are than what is found, for parts of case studies")
    options = parser.parse_args()
    if options.command == "mutants":
        from .hunt import hunt

        sys.exit(int(hunt(options.about, options.by_search) > 0))
    elif options.command == "precision":
        text, middle = table()
        print(text)
        sys.exit(int(middle > GOAL))
    elif options.command == "charges":
        sys.exit(int(_charges(options.first, options.count) > 0))
    elif options.command == "scoreboard":
        results = [
            attacked(PROGRAMS[name], 0, options.count, profile)
            for profile in ("sound", "published")
            for name in PROGRAMS
        ]
        SCOREBOARD.write_text(page(list(scores()), "\n\n".join(each.text for each in results)), "utf-8")
    else:
        result = attacked(PROGRAMS[options.command], options.first, options.count, options.profile)
        print(result.text)
<<<<<<< HEAD
        sys.exit(int(result.refuted > 0))


def _charges(first: int, count: int) -> int:
    """How many guarantees are refuted, all of them printed."""
    refuted = 0
    for seed in range(first, first + count):
        for found in refutations(seed):
            refuted += 1
            print(f"seed {seed}: δ is {found.delta} for {found.guarantee}", flush=True)
    print(f"{count:,} charges, {refuted} refuted")
    return refuted


class Result(NamedTuple):
    """How many claims were refuted, and what there is to say about a run."""

    refuted: int
    text: str


def _programs(first: int, count: int, profile: str) -> Result:
    counts = Counter(programs=0, functions=0, pairs=0, refuted=0)
    ratios: list[float] = []
    began = time.monotonic()
    for seed in range(first, first + count):
        counts["programs"] += 1
        for target, pairs, tries in _attacked(seed, profile):
            counts["functions"] += 1
            counts["pairs"] += tries
            for pair in pairs:
                if pair.refutes:
                    counts["refuted"] += 1
                    print(
                        f"seed {seed}, `{target.name}`: {said(target, pair)}\n{program(random.Random(seed))}",
                        flush=True,
                    )
                elif pair.claimed and pair.moved:
                    ratios.append(float(pair.claimed) / pair.ratio)
        if counts["programs"] % 1000 == 0:
            print(f"{counts['programs']:,} programs, {counts['refuted']} refuted", file=sys.stderr, flush=True)
    seconds = time.monotonic() - began
    text = (
        f"Profile `{profile}`: {counts['programs']:,} programs, {counts['functions']:,} functions and "
        f"{counts['pairs']:,} pairs of inputs in {seconds:,.0f} s; {counts['refuted']} claims refuted."
    )
    if len(ratios) > 1:
        middle, ninth = statistics.median(ratios), statistics.quantiles(ratios, n=10)[-1]
        text += (
            f" What was claimed is {middle:.3f} times what was found (median), and at most {ninth:.3g} times in 90 %."
        )
    return Result(counts["refuted"], text)


_engines = {0: Engine()}


def _attacked(seed: int, profile: str) -> Iterator[tuple[Target, tuple[Pair, ...], int]]:
    engine = _engines.setdefault(seed // _FORGET, Engine())
    for old in itertools.takewhile(lambda each: each < seed // _FORGET, list(_engines)):
        del _engines[old]
    for target in targets(program(random.Random(seed)), profile, engine):
        found = target.attacked(random.Random(seed), _SETTINGS, _TRIES)
        if found is not None:
            yield target, found.pairs, found.tries


def said(target: Target, pair: Pair) -> str:
    """A pair in words."""
    name = target.scheme.params[pair.place].name
    before, after = pair.results
    return (
        f"{name} = {pair.inputs[pair.place]} and {pair.other}, {pair.apart} apart: {before} and {after}, "
        f"{pair.moved} apart; claimed was {pair.claimed} for each"
    )
=======
        sys.exit(int(result.bad > 0))
>>>>>>> 5fcd092 (A refuter for privacy: private functions are run on neighbouring inputs with their chance written down; random private functions; random programs with black boxes, gradients, functions given to functions; what is found is made small)


if __name__ == "__main__":
    main()
