"""What a run checks, and how: which files, what it may read beside them, and what the command line and the
configuration files say of them; and ``--set [FUNCTION:]NAME=NUMBER``: reading it, and saying which settings no function
has."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction

import click

from dp_lsp import frontends
from dp_lsp.analysis import setting as settings_of
from dp_lsp.analysis.limits import EVER, MOST, Limits
from dp_lsp.analysis.loading import SourceText
from dp_lsp.analysis.records import Analysis, FunctionReport, Options, Setting
from dp_lsp.cli.style import Link, printable, unlinked
from dp_lsp.configuration.lookup import Configurations
from dp_lsp.disk.loader import Disk, below, is_below, name_of, program, unreadable
from dp_lsp.named import NamedTuple
from dp_lsp.problem import Problem
from dp_lsp.text import Source

STANDARD_INPUT = "-"
_NO_NAME = "<stdin>"
_OUTSIDE = "it is a link that leads out of the folder that is checked"


class Chosen:
    """The files that were asked for: their ``names`` in that order, and ``files`` to read them and what they include.

    What lies in a folder that is given may be read; beside a file that is given, what lies in the working folder
    if the file does, else in the folder of the file. Of the files in a folder those are left out that are not
    ``wanted``, and those that git leaves out; ``named`` tells which ones a setting names.
    """

    def __init__(self, wanted: Callable[[str], bool], named: Callable[[str], bool]) -> None:
        self._wanted = wanted
        self._named = named
        self.names: list[str] = []
        self._given: dict[str, SourceText] = {}
        self._folders: list[str] = []
        self._seen: set[str] = set()

    def add(self, path: str, stdin_name: str | None) -> None:
        """What a path means, if anything."""
        if path == STANDARD_INPUT:
            if stdin_name is None:
                self._take(_NO_NAME, _NO_NAME, _standard_input(_NO_NAME))
            elif frontends.find(stdin_name):
                self._file(stdin_name, _standard_input(stdin_name))
        elif os.path.isdir(path):
            from dp_lsp.configuration.ignored import Ignored

            self._folders.append(path)
            failed: list[OSError] = []
            real = os.path.realpath(path)
            for file in below(path, Ignored(path), failed.append, lambda file: self._named(os.path.abspath(file))):
                name = name_of(file)
                if self._wanted(name):
                    inside = is_below(os.path.realpath(file), real)
                    self._take(name, file, None if inside else unreadable(_OUTSIDE))
            for error in failed:
                reason = error.strerror or "it cannot be opened"
                self._take(name_of(error.filename), error.filename, unreadable(reason))
        elif frontends.find(path):
            self._file(path)

    @property
    def files(self) -> Disk:
        """Where texts come from."""
        return Disk(self._folders, self._given, self.names)

    def _file(self, path: str, text: SourceText | None = None) -> None:
        name = name_of(path)
        here = os.getcwd()
        self._folders.append(here if _is_under(name, here) else os.path.dirname(name))
        self._take(name, path, text)

    def _take(self, name: str, path: str, text: SourceText | None = None) -> None:
        real = os.path.realpath(path)
        if text is not None:
            self._given[name] = text
        if real not in self._seen:
            self._seen.add(real)
            self.names.append(name)


def choose(paths: Sequence[str], stdin_name: str | None, configured: Configured | None = None) -> Chosen:
    """The files that these paths mean, each once; a usage error for a missing path, or for no file at all. Which files
    of a folder are checked is as ``configured``."""
    if stdin_name is not None and STANDARD_INPUT not in paths:
        raise click.UsageError("--stdin-filename names what is read from standard input: give - as PATH")
    missing = [path for path in paths if path != STANDARD_INPUT and not _is_there(path)]
    if missing:
        verb = "do" if len(missing) > 1 else "does"
        raise click.UsageError(f"{', '.join(map(repr, missing))} {verb} not exist")
    chosen = Chosen(lambda name: True, lambda name: False) if configured is None else configured.chosen()
    for path in dict.fromkeys(paths):
        chosen.add(path, stdin_name)
    if not chosen.names:
        faults = [] if configured is None else configured.faults(())
        raise click.UsageError("\n".join([*faults, *_nothing_in(paths, stdin_name)]))
    return chosen


def _nothing_in(paths: Sequence[str], stdin_name: str | None) -> Iterator[str]:
    """Why there is nothing to check: no file in these folders is meant, and these files are of another kind."""
    folders = [path for path in paths if path != STANDARD_INPUT and os.path.isdir(path)]
    files = [repr(stdin_name if path == STANDARD_INPUT else path) for path in paths if path not in folders]
    if folders:
        yield f"no {frontends.kinds(meant=True)} in {', '.join(map(repr, folders))}: nothing to check"
    if files:
        subject = f"none of {', '.join(files)} is" if len(files) > 1 else f"{files[0]} is not"
        yield f"{subject} a {frontends.kinds()}: nothing to check"


def passed_over(analysis: Analysis) -> Problem | None:
    """Why nothing is said of a file, where it is none of those that are looked at."""
    return None if analysis.is_asked else analysis.language.syntax.passed_over(analysis.source.text)


def shown(name: str) -> str:
    """A file as reports have it: relative to the working folder where it lies below it, with ``/``."""
    here = os.getcwd()
    path = name[len(os.path.join(here, "")) :] if _is_under(name, here) else name
    return path if os.sep == "/" else path.replace(os.sep, "/")


def _is_under(name: str, folder: str) -> bool:
    """Whether a whole path lies below a folder, as the system compares names."""
    return is_below(os.path.normcase(name), os.path.normcase(folder))


def to_file(link: Link, text: str, path: str) -> str:
    """A text that leads to the file that is reported so, where there are links."""
    if link is unlinked:
        return text
    from pathlib import Path  # of which a run without links has no need

    return link(text, Path(os.path.abspath(path)).as_uri())


def _standard_input(path: str) -> SourceText:
    if sys.stdin is None:
        return unreadable("standard input is closed")
    try:
        return program(path, sys.stdin.buffer.read())
    except OSError as error:
        return unreadable(error.strerror or type(error).__name__)


def _is_there(path: str) -> bool:
    """Whether a path exists. One that cannot be looked at does: reading it will say what is wrong."""
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True
    return True


class Configured:
    """The options of each file: as the command line says, else its configuration. ``config`` is a file that counts
    instead of those above the files, and ``baseline`` likewise; a usage error if it is not there. With ``rebase`` a
    baseline is to be written, which need not be there. Nothing above the folder ``top`` counts. ``facts`` are for an
    editor."""

    def __init__(
        self,
        config: str | None,
        profile: str | None,
        settings: tuple[Setting, ...] = (),
        target_delta: Fraction | None = None,
        baseline: str | None = None,
        rebase: bool = False,
        limits: Limits = MOST,
        top: str | None = None,
        facts: bool = False,
    ) -> None:
        if config is not None and not os.path.lexists(config):
            raise click.UsageError(f"--config {config!r} does not exist")
        if baseline is not None and not rebase and not os.path.lexists(baseline):
            raise click.UsageError(f"--baseline {baseline!r} does not exist; with --update-baseline it is written")
        self._profile = profile
        self._base = Options(settings=settings, facts=facts, target_delta=target_delta, limits=limits)
        self._found = Configurations(config, baseline=baseline, rebase=rebase, top=top)
        self.includes = self._found.includes
        self.baseline_of = self._found.baseline_of
        self.baseline = self._found.baseline
        self.spending = self._found.spending

    def chosen(self, wanted: Callable[[str], bool] = lambda name: True) -> Chosen:
        """What is to be checked: nothing yet, and of a folder what the configuration and ``wanted`` let in."""
        return Chosen(lambda name: self.includes(name) and wanted(name), self._found.names)

    def options(self, name: str) -> Options:
        """The options of a file."""
        found = self._found.options(name, self._base, self._base)
        return found._replace(profile=self._profile) if self._profile is not None else found

    def faults(self, names: Iterable[str]) -> list[str]:
        """What is wrong with the configurations of these files, a line each."""
        for name in names:
            self.options(name)
        return list(self._lines())

    def _lines(self) -> Iterator[str]:
        for file, (text, problems) in self._found.faulty.items():
            source = Source(text)
            for problem in problems:
                line, column = source.place(problem.span.start)
                yield f"{printable(shown(file))}:{line}:{column}: error[{problem.code}] {problem.message}"


class Asked(NamedTuple):
    """What numbers are asked for: those of symbols, and a total δ; and where a plot of them is written to."""

    settings: tuple[Setting, ...] = ()
    target_delta: Fraction | None = None
    plot: str | None = None


def setting(text: str) -> Setting:
    """The setting that a command line argument means; a usage error says what is wrong with it."""
    written, equals, value = text.partition("=")
    subject = settings_of.subject(frontends.of("").syntax.normalised(written)) if "=" not in value else None
    if subject is None or not equals:
        raise click.BadParameter(
            f"{text!r} is not of the form [FUNCTION:]NAME=NUMBER, as in k=100 or 'rows(data)=48000'"
        )
    number = settings_of.number(value)
    if number is None:
        raise click.BadParameter(f"{value.strip()!r} is not a number, as in 100, 0.2, 1e-5 or 1/3")
    return Setting(*subject, number)


def target(text: str) -> Fraction:
    """The δ that a command line argument means; a usage error says what is wrong with it."""
    found = settings_of.number(text)
    if found is None or not 0 <= found < 1:
        raise click.BadParameter(f"{text.strip()!r} is not a number from 0 to below 1, as in 1e-5 or 1/1000000")
    return found


def limits(values: Sequence[str]) -> Limits:
    """The limits that command line arguments mean, ``NAME=NUMBER`` each; a usage error says what is wrong with one."""
    found = MOST
    for text in values:
        name, _, value = text.partition("=")
        if name not in Limits._fields or not re.fullmatch("[0-9]{1,12}", value):
            known = " or ".join(f"{field}={number}" for field, number in MOST._asdict().items())
            raise click.BadParameter(f"{text!r} is not of the form NAME=NUMBER, as in {known}")
        most = getattr(EVER, name)
        if not 1 <= int(value) <= most:
            raise click.BadParameter(f"{text!r} is not a number from 1 to {most}")
        found = found._replace(**{name: int(value)})
    return found


def once_each(settings: Sequence[Setting]) -> tuple[Setting, ...]:
    """The settings, if none is given twice; else a usage error."""
    seen: set[settings_of.Subject] = set()
    for each in settings:
        subject = settings_of.Subject(each.function, each.name)
        if subject in seen:
            raise click.BadParameter(f"it gives {subject} two numbers")
        seen.add(subject)
    return tuple(settings)


def complaints(settings: Iterable[Setting], functions: Iterable[FunctionReport]) -> list[str]:
    """A sentence for each setting that no function has a parameter for."""
    return [f"--set {subject}: {text}" for subject, text in settings_of.complaints(settings, functions)]
