"""Which configuration counts for which file: the nearest one above it, alone."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

from dp_lsp.analysis.loading import Faulty, SourceText
from dp_lsp.analysis.records import Options
from dp_lsp.configuration import FILE, PROJECT_FILE
from dp_lsp.disk.loader import is_below, path_below, read_file
from dp_lsp.named import NamedTuple
from dp_lsp.problem import Problem

if TYPE_CHECKING:
    from dp_lsp.configuration.baseline import Baseline
    from dp_lsp.configuration.keys import Configuration, ReadConfiguration


class _FolderConfiguration(NamedTuple):
    """A configuration, the folder that its paths count from, and the file of its baseline."""

    folder: str
    configuration: Configuration
    baseline: str | None = None


class SpendingRules(NamedTuple):
    """The path of a ledger, and the most that what it counts may come to; None where nothing is said of that."""

    ledger: str | None
    epsilon: Fraction | None
    delta: Fraction | None


class Configurations:
    """The configurations above files. They are read when they are asked for, and again after :meth:`look`.

    One that is faulty leaves the last one in force that was not; ``kept`` are those, by the path of their file.
    ``only`` is a file that counts for all files, and ``baseline`` one that does instead of those that configurations
    name. With ``rebase`` a baseline is to be written, so it need not be there, and accepts everything. ``concerns``
    tells for which files any configuration counts, and ``top`` is the last folder where one is looked for.
    """

    def __init__(
        self,
        only: str | None = None,
        concerns: Callable[[str], bool] = os.path.isabs,
        baseline: str | None = None,
        rebase: bool = False,
        top: str | None = None,
    ) -> None:
        self.kept: dict[str, Configuration] = {}
        self.faulty: dict[str, Faulty] = {}
        """What is wrong with those that were read since the last look."""
        self._concerns = concerns
        self._above: dict[str, _FolderConfiguration | None] = {}  # by folder
        self._baseline = None if baseline is None else os.path.abspath(baseline)
        self._rebase = rebase
        self._top = top
        self._baselines: dict[str, Baseline] = {}  # by the path of their file, since the last look
        self._valid: dict[str, Baseline] = {}  # those that were read last and are not faulty
        self._only = None if only is None else self._named(os.path.abspath(only))

    def look(self) -> None:
        """The files may have changed."""
        self._above.clear()
        self._baselines.clear()
        self.faulty.clear()

    def includes(self, file: str) -> bool:
        """Whether a file is one of those to check when its folder is."""
        found = self._of(file)
        return found is None or found.configuration.includes(path_below(found.folder, file))

    def names(self, file: str, otherwise: Callable[[str], bool] = lambda file: False) -> bool:
        """Whether a setting names a file: its configuration or, if it has none, ``otherwise``."""
        found = self._of(file)
        return otherwise(file) if found is None else found.configuration.names(path_below(found.folder, file))

    def options(self, file: str, base: Options, otherwise: Options) -> Options:
        """How a file is checked: as ``base`` and its configuration say, or ``otherwise`` if it has none."""
        found = self._of(file)
        below = "" if found is None else path_below(found.folder, file)
        options = otherwise if found is None else found.configuration.options(below, base)
        baseline = self.baseline_of(file)
        if baseline is None:
            return options
        accepted = self.baseline(baseline).of(file)
        return options._replace(baseline=() if self._rebase else accepted, everything_accepted=self._rebase)

    def baseline_of(self, file: str) -> str | None:
        """The path of the baseline that counts for a file."""
        if not os.path.isabs(file):
            return None
        found = self._of(file)
        return self._baseline or (found.baseline if found is not None else None)

    def spending(self, file: str) -> SpendingRules:
        """Where runs of a file are counted, and what they may come to."""
        found = self._of(file)
        if found is None:
            return SpendingRules(None, None, None)
        said = found.configuration
        ledger = None if said.ledger is None else os.path.join(found.folder, *said.ledger.split("/"))
        return SpendingRules(ledger, said.max_total_epsilon, said.max_total_delta)

    def baseline(self, path: str) -> Baseline:
        """What a baseline says, or said when it was last without a fault."""
        found = self._baselines.get(path)
        if found is None:
            from dp_lsp.configuration.baseline import Baseline  # not needed where there is none
            from dp_lsp.configuration.baseline import read as read_baseline

            text = read_file(path) if os.path.lexists(path) else None
            found, problems = (Baseline(os.path.dirname(path)), ()) if text is None else read_baseline(path, text)
            if text is not None and problems:
                self.faulty[path] = Faulty(text.content, problems)
                found = self._valid.get(path, found)
            self._baselines[path] = self._valid[path] = found
        return found

    def _of(self, file: str) -> _FolderConfiguration | None:
        if self._only is not None:
            return self._only
        return self._in(os.path.dirname(file)) if os.path.isabs(file) and self._concerns(file) else None

    def _in(self, folder: str) -> _FolderConfiguration | None:
        """What counts in a folder."""
        passed = []
        found = None
        while folder not in self._above:
            passed.append(folder)
            found = self._at(folder)
            above = os.path.dirname(folder)
            if found is not None or folder in (above, self._top):
                break
            folder = above
        else:
            found = self._above[folder]
        self._above |= dict.fromkeys(passed, found)
        return found

    def _at(self, folder: str) -> _FolderConfiguration | None:
        """What stands in a folder itself."""
        files = (os.path.join(folder, name) for name in (FILE, PROJECT_FILE))
        return next((place for file in files if (place := self._read(file)) is not None), None)

    def _read(self, file: str) -> _FolderConfiguration | None:
        """What a file says, or said when it was last without a fault; None if it is not there, or is none."""
        if os.path.lexists(file):
            from dp_lsp.configuration.keys import (  # many files have no configuration
                NO_CONFIGURATION,
                OUTSIDE_LINK,
                read_configuration,
            )

            outside = _leads_out(file)
            text = SourceText("") if outside else read_file(file)
            found = OUTSIDE_LINK if outside else read_configuration(file, text)
            if found != NO_CONFIGURATION:
                return self._place(file, self._counted(file, text, found))
        self.kept.pop(file, None)
        return None

    def _place(self, file: str, configuration: Configuration) -> _FolderConfiguration:
        baseline = self._named_by(file, configuration)
        inside = baseline is not None and _is_inside(baseline, os.path.dirname(file))
        return _FolderConfiguration(os.path.dirname(file), configuration, baseline if inside else None)

    def _named_by(self, file: str, configuration: Configuration) -> str | None:
        """The path of the baseline that a configuration names and that counts."""
        if configuration.baseline is None or self._baseline is not None:
            return None
        return os.path.join(os.path.dirname(file), *configuration.baseline.split("/"))

    def _named(self, file: str) -> _FolderConfiguration:
        from dp_lsp.configuration.keys import read_configuration

        text = read_file(file)
        return self._place(file, self._counted(file, text, read_configuration(file, text)))

    def _counted(self, file: str, text: SourceText, found: ReadConfiguration) -> Configuration:
        from dp_lsp.configuration.keys import Configuration

        problems = found.problems
        if found.configuration is not None:
            self.kept[file] = found.configuration
            problems = *self._without_baseline(file, text, found.configuration), *_without_ledger(file, text, found)
        if problems:
            self.faulty[file] = Faulty(text.content, problems)
        return self.kept.get(file, Configuration())

    def _without_baseline(self, file: str, text: SourceText, configuration: Configuration) -> tuple[Problem, ...]:
        """What is wrong with the path of the baseline that a configuration names."""
        from dp_lsp.configuration.keys import place_of
        from dp_lsp.configuration.problems import WrongValue

        path = self._named_by(file, configuration)
        words = ""
        if path is None:
            return ()
        if not _is_inside(path, os.path.dirname(file)):
            words = "a file below this folder, and this one is a link that leads out of it"
        elif not (self._rebase or os.path.lexists(path)):
            words = "a file that is there; `dp-lsp check --update-baseline` writes it"
        key = "baseline"
        return (WrongValue.at(place_of(file, text, key), name=key, words=words),) if words else ()


def _without_ledger(file: str, text: SourceText, found: ReadConfiguration) -> Iterator[Problem]:
    """What is wrong with the path of the ledger that a configuration names."""
    from dp_lsp.configuration.keys import place_of
    from dp_lsp.configuration.problems import WrongValue

    said = None if found.configuration is None else found.configuration.ledger
    if said is not None and not _is_inside(os.path.join(os.path.dirname(file), said), os.path.dirname(file)):
        words = "a file below this folder, and this one is a link that leads out of it"
        yield WrongValue.at(place_of(file, text, "ledger"), name="ledger", words=words)


def _leads_out(file: str) -> bool:
    """Whether a file is a link that leads out of its folder, and of the repository that is part of."""
    if not os.path.islink(file):
        return False
    folder = os.path.dirname(file)
    return not any(_is_inside(file, each) for each in (folder, repository_of(folder)) if each is not None)


def repository_of(folder: str) -> str | None:
    """The folder where the repository begins that a folder is part of; None if it is in none."""
    while not os.path.lexists(os.path.join(folder, ".git")):
        above = os.path.dirname(folder)
        if above == folder:
            return None
        folder = above
    return folder


def _is_inside(path: str, folder: str) -> bool:
    """Whether a file lies below a folder, whatever it is a link to."""
    return is_below(os.path.realpath(path), os.path.realpath(folder))
