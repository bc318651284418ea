"""``dp-lsp run --ledger``: where runs are counted, and what they may come to."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from dp_lsp import __version__
from dp_lsp.analysis import setting
from dp_lsp.cli.configured import Configured
from dp_lsp.cli.files import shown
from dp_lsp.cli.output import leads_away, point
from dp_lsp.core.evaluate import rounded_up
from dp_lsp.core.notation import decimal

if TYPE_CHECKING:
    from dp_lsp.engine.runnable import Runnable
    from dp_lsp.release.inputs import Inputs
    from dp_lsp.release.ledger import Account, Budget, Line
    from dp_lsp.release.running import Guarantee


class Counter(NamedTuple):
    """A ledger, and the budgets that what it counts must keep to."""

    path: str
    budgets: tuple[Budget, ...]

    def spend(self, function: Runnable, given: Inputs, promised: Sequence[Guarantee]) -> Account:
        """Count a run before it is made. Raises what says why it is not, and a usage error for a file that cannot be
        written."""
        from dp_lsp.release.ledger import spend
        from dp_lsp.release.refusal import Misused

        path = shown(self.path)

        def on_wait() -> None:
            point(f"waiting for another process that uses {path}")

        if leads_away(self.path):
            raise Misused(f"{path}: it leads out of this folder by a link; name the file that is meant")
        try:
            return spend(self.path, path, _line(function, given, promised), self.budgets, on_wait)
        except OSError as error:
            raise Misused(f"{path}: {error.strerror or type(error).__name__}") from None


def counter(ledger: str | None, budget: str | None, configured: Configured, file: str) -> Counter | None:
    """Where the runs of a file are counted: as is asked for, else as its configuration says; None if nowhere. All
    budgets count. A usage error if there is one, and nothing is counted."""
    from dp_lsp.release.ledger import Budget

    said = configured.spending(file)
    path = os.path.abspath(ledger) if ledger is not None else said.ledger
    budgets = [Budget(said.epsilon, said.delta)] if (said.epsilon, said.delta) != (None, None) else []
    if path is None and budget is not None:
        raise click.UsageError("--budget is for what a ledger counts: name one by --ledger FILE")
    if path is None and budgets:
        raise click.UsageError("the configuration has a budget, and nothing counts: --ledger FILE, or the key `ledger`")
    if budget is not None:
        budgets.append(_budget(budget))
    return None if path is None else Counter(path, tuple(budgets))


def _budget(text: str) -> Budget:
    from dp_lsp.release.ledger import Budget

    numbers = [setting.number(each) for each in text.split(",")]
    epsilon, delta = numbers[0], numbers[1] if len(numbers) > 1 else setting.number("0")
    if len(numbers) > 2 or epsilon is None or delta is None or epsilon < 0 or not 0 <= delta < 1:
        raise click.UsageError(f"--budget {text!r} is not of the form EPS or EPS,DELTA, as in 1 or 0.5,1e-6")
    return Budget(epsilon, delta)


def _line(function: Runnable, given: Inputs, promised: Sequence[Guarantee]) -> Line:
    from dp_lsp.release.ledger import Line
    from dp_lsp.release.spending import Entry, Origin, Spent

    name, origins = function.report.name, {}
    for each in function.scheme.params:
        path = given.tables.get(each.name)
        if path is not None:
            origins[each.name] = Origin(os.path.realpath(path), given.digests[path])
        elif not each.static:
            origins[each.name] = Origin(f"'{each.name}' of {name}")
    spent = tuple(
        Spent(each.parameters, each.changes, each.epsilon, each.delta) for each in promised if not each.is_joint
    )
    about = {
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
        "version": __version__,
        "file": shown(function.file),
        "function": name,
        "signature": function.report.signature,
        "numbers": {key: str(value) for key, value in sorted(given.numbers.items())},
    }
    return Line(Entry(origins, spent), about)


def lines(account: Account) -> Iterator[str]:
    """For a person: what was spent by now, and what is left."""
    from dp_lsp.release.ledger import runs, said

    total = account.total
    yield f"{account.path} counts {runs(total.runs)} with this one: {said(total.pair)} in all"
    yield f"  for whoever is in {' and in '.join(f'{table} ({change})' for table, change in _changes(account))}"
    if total.twice:
        yield "  some of them are about a record that is added or removed: to replace one costs that twice"
    if account.left is not None:
        named = zip(("ε", "δ"), account.left, strict=True)
        yield f"left of the budget: {', '.join(f'{name} {_down(each)}' for name, each in named if each is not None)}"


def _down(value: Any) -> str:
    return decimal(-value, 12).removeprefix("-")


def _changes(account: Account) -> Iterator[tuple[str, str]]:
    for name, unit in account.total.units.items():
        yield (shown(name) if os.path.isabs(name) else name), unit.words


def document(account: Account) -> dict[str, Any]:
    """For programs."""
    pair, left = account.total.pair, account.left
    return {
        "file": account.path,
        "runs": account.total.runs,
        "epsilon": rounded_up(pair.epsilon),
        "delta": rounded_up(pair.delta),
        "about": [{"data": table, "change": change} for table, change in _changes(account)],
        "left": None if left is None else {key: _rounded_down(each) for key, each in left._asdict().items()},
    }


def schema() -> dict[str, Any]:
    """The JSON schema of :func:`document`."""
    number, text = {"type": "number"}, {"type": "string"}
    limit = {"type": ["number", "null"]}
    about = {"type": "array", "items": {"type": "object", "properties": {"data": text, "change": text}}}
    left = {"type": ["object", "null"], "properties": {"epsilon": limit, "delta": limit}}
    found = {
        "file": text,
        "runs": {"type": "integer"},
        "epsilon": number,
        "delta": number,
        "about": about,
        "left": left,
    }
    return {"type": "object", "properties": found, "required": list(found)}


def _rounded_down(value: Any) -> float | None:
    return None if value is None else -rounded_up(-value)
