"""The commands and their options, and the edge of the process: whatever happens inside a command becomes one of the
contract's exit codes. What a command needs is imported when it runs."""

from __future__ import annotations

import atexit
import gc
import logging
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

import click

import dp_lsp.cache  # noqa: F401 (which notes the time)
from dp_lsp import __version__, frontends
from dp_lsp.cli.output import INTERNAL, INTERRUPTED, USAGE, complain, finish, speak_utf8
from dp_lsp.cli.reporters import FORMATS

if TYPE_CHECKING:
    from fractions import Fraction

    from click.shell_completion import CompletionItem

    from dp_lsp.analysis.limits import Limits
    from dp_lsp.analysis.records import Setting


Command = TypeVar("Command", bound=Callable[..., Any])

_logger = logging.getLogger(__name__)

atexit.register(gc.freeze)  # nothing that is left at the end need be looked through once more


def run(argv: list[str] | None) -> int:
    """Run a command and return its exit code."""
    speak_utf8()
    try:
        code = _result(argv)
    except KeyboardInterrupt:
        code = INTERRUPTED
    return code if finish() else max(code, USAGE)


def _result(argv: list[str] | None) -> int:
    try:
        return int(root.main(args=argv, prog_name="dp-lsp", standalone_mode=False) or 0)
    except click.Abort:
        return INTERRUPTED
    except click.ClickException as error:
        with suppress(OSError):
            error.show()
        return USAGE
    except SystemExit as end:  # click ends so when a pipe closes while it prints help
        return USAGE if end.code else 0
    except Exception as error:
        _logger.debug("internal error", exc_info=True)
        complain(f"internal error ({type(error).__name__}); --log-level debug says more")
        return INTERNAL


CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 100}
LEVELS = ("debug", "info", "warning", "error")


def _explained(context: click.Context, option: click.Parameter, typed: str) -> list[CompletionItem]:

    return explained(typed)


def logs(command: Command) -> Command:
    """Add the options about logs, which go with every command."""
    level = click.option(
        "--log-level",
        type=click.Choice(LEVELS),
        default="warning",
        help="The least that is logged (default: warning); debug adds tracebacks.",
    )
    file = click.option(
        "--log-file", metavar="FILE", shell_complete=_files, help="Log to FILE instead of standard error."
    )
    return level(file(command))


def _settings(context: click.Context, option: click.Parameter, values: tuple[str, ...]) -> tuple[Setting, ...]:
    from dp_lsp.cli.files import once_each, setting

    return once_each([setting(value) for value in values])


def _target(context: click.Context, option: click.Parameter, value: str | None) -> Fraction | None:
    from dp_lsp.cli.files import target

    return None if value is None else target(value)


def _reason(context: click.Context, option: click.Parameter, value: str | None) -> str | None:
    if value is None:
        return None
    from dp_lsp.cli.accepting import reason

    return reason(value)


def _limits(context: click.Context, option: click.Parameter, values: tuple[str, ...]) -> Limits:
    from dp_lsp.cli.files import limits

    return limits(values)


def numbers(command: Command) -> Command:
    """Add the options that ask for numbers."""
    given = click.option(
        "--set",
        "settings",
        callback=_settings,
        metavar="[FUNCTION:]NAME=NUMBER",
        multiple=True,
        help="A number for a static parameter or a dimension, exactly as written. Repeatable.",
    )
    return given(target_delta(command))


def _files(context: click.Context, option: click.Parameter, typed: str) -> list[CompletionItem]:
    """The files and folders that what is typed may become, for a shell."""

    return files(typed)


def _of_data(command: Command) -> Command:
    """Add the options that say what a function is run on."""
    return _with_options(command, _ARGUMENTS)


def _of_results(command: Command) -> Command:
    """Add the options that say where what is released goes, and what counts it."""
    return _with_options(command, _RESULTS)


def _with_options(command: Command, options: Sequence[Callable[[Command], Command]]) -> Command:
    for option in reversed(options):
        command = option(command)
    return command


_ARGUMENTS = (
    click.option(
        "--data",
        metavar="[PARAMETER=]TABLE",
        multiple=True,
        shell_complete=_files,
        help=(
            "A table of numbers: CSV, TSV or JSON lines, perhaps gzipped; Parquet, as a file, a folder or "
            "'part-*.parquet'; Arrow; or a DuckDB or SQLite database, as FILE#TABLE. With PARAMETER for that one only. "
            "Repeatable."
        ),
    ),
    click.option(
        "--table",
        "tables",
        metavar="[PARAMETER=]NAME",
        multiple=True,
        help="The table of a database. Without, the one that stands after # in --data, or the only one.",
    ),
    click.option(
        "--column",
        "columns",
        metavar="[PARAMETER=]NAME",
        multiple=True,
        help="A column of the table: its name, or its number where it has none. For a matrix repeatable; without, all.",
    ),
    click.option(
        "--person",
        "people",
        metavar="[PARAMETER=]NAME",
        multiple=True,
        help="The column that says whose record a row is. Nobody may have more records than the function allows.",
    ),
    click.option("--header/--no-header", default=None, help="Whether the first row has names; detected without."),
    click.option(
        "--set",
        "settings",
        metavar="NAME=VALUE",
        multiple=True,
        help="A number, exactly as written, true or false, or a vector as in [0, 18, 65]. Repeatable.",
    ),
    click.option(
        "--engine",
        type=click.Choice(["duckdb", "interpreter"]),
        default="duckdb",
        help=(
            "duckdb: what is done with records becomes queries; what cannot is computed here, which is said (default). "
            "interpreter: everything is computed here. Both give the same exact value."
        ),
    ),
    click.option(
        "--dry-run",
        is_flag=True,
        help="Say what would be read, spent and released, as far as that is known without the data, and do nothing.",
    ),
    click.option("--explain-query", is_flag=True, help="Show on standard error what DuckDB was asked, as SQL."),
)

_RESULTS = (
    click.option(
        "--output-format",
        type=click.Choice(["text", "json"]),
        default="text",
        help="text: for a person (default). json: for programs.",
    ),
    click.option("--output-file", metavar="FILE", shell_complete=_files, help="Write what is released to FILE."),
    click.option(
        "--ledger",
        metavar="FILE",
        shell_complete=_files,
        help="Count the run in FILE, with what it spends, before it is made, and say what all runs in it come to.",
    ),
    click.option(
        "--budget",
        metavar="EPS[,DELTA]",
        help="Refuse the run if all that the ledger counts would come to more. DELTA is 0 without.",
    ),
)


def target_delta(command: Command) -> Command:
    """Add the option that asks for a total δ."""
    return click.option(
        "--target-delta",
        callback=_target,
        metavar="NUMBER",
        help="Report the smallest ε that any rule proves at this total δ, where all numbers are given.",
    )(command)


def limit(command: Command) -> Command:
    """Add the option that says what a check may take."""
    return click.option(
        "--limit",
        "limits",
        callback=_limits,
        metavar="NAME=NUMBER",
        multiple=True,
        help="What the check of a file may take: time=60 (seconds), characters=16777216, memory=4096 (MiB).",
    )(command)


@click.group(context_settings=CONTEXT)
@click.version_option(__version__, message="%(prog)s %(version)s")
def root() -> None:
    """Check differentially private programs in Julia and Python.

    dp-lsp reads a program and says what each function guarantees: how far its result can move
    when an input moves (sensitivity), or what it costs the people in the data (ε and δ), with all conditions.

    \b
    dp-lsp check program.jl      what is proved, what is not, and why
    dp-lsp check .               all Julia and Python below this folder
    dp-lsp explain DP301         what a code means and how to mend it
    dp-lsp explain program.jl:f  what led to the bounds of a function
    dp-lsp diff main             whose bounds rose or fell since then, and why
    dp-lsp verify proof.json     replay a certificate of bounds
    dp-lsp run f.jl g --data t.csv --set eps=0.5  run a proved function on data
    dp-lsp server                for editors: the language server
    """


@root.command()
@click.argument("paths", metavar="[PATH|-]...", nargs=-1, shell_complete=_files)
@click.option(
    "--output-format",
    type=click.Choice(list(FORMATS)),
    default="full",
    help=f"{'. '.join(f'{name}: {use}' for name, use in FORMATS.items())}.",
)
@click.option("--stdin-filename", metavar="NAME", help="What to call standard input, where PATH is -.")
@click.option(
    "--profile",
    type=click.Choice(["sound", "published"]),
    help="sound: rules whose bounds hold (default). published: the published formulas, for comparison.",
)
@click.option(
    "--config",
    metavar="FILE",
    shell_complete=_files,
    help="The configuration, instead of the nearest dp-lsp.toml above each file.",
)
@numbers
@click.option("--exit-zero", is_flag=True, help="Exit with 0 where it would be 1.")
@click.option("--error-on-warning", is_flag=True, help="Exit with 1 if there is a warning.")
@click.option("--error-on-accepted", is_flag=True, help="Exit with 1 if a person accepted a problem.")
@click.option("--error-on-assumed", is_flag=True, help="Exit with 1 if a black box is taken at its word.")
@click.option(
    "--baseline",
    metavar="FILE",
    shell_complete=_files,
    help="Accept what FILE has, instead of what the configuration names.",
)
@click.option("--update-baseline", is_flag=True, help="Write the baseline anew: all errors there are now are accepted.")
@click.option(
    "--add-ignore", metavar="REASON", callback=_reason, help="Write comments that accept all errors, and why."
)
@limit
@click.option(
    "--witness",
    is_flag=True,
    help="Look for inputs that show too small a declared sensitivity to be wrong (pip install 'dp-lsp[witness]').",
)
@click.option("--fixes", is_flag=True, help="Try the fixes of all problems.")
@click.option(
    "--certificate",
    metavar="FILE",
    shell_complete=_files,
    help="Write the proved bounds that have numbers, for `dp-lsp verify`.",
)
@click.option("--verbose", "-v", is_flag=True, help="In full: also the type of each function and all its conditions.")
@click.option("--statistics", is_flag=True, help="Also count the problems by code.")
@click.option("--output-file", metavar="FILE", shell_complete=_files, help="Write the report to FILE.")
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    metavar="N",
    help="How many processes check at once (default: as is worth it, at most one a processor).",
)
@click.option("--watch", is_flag=True, help="Check again whenever a file or its configuration changes.")
@click.option("--no-cache", is_flag=True, help="Check everything anew, and keep nothing for later runs.")
@click.option(
    "--color",
    type=click.Choice(["auto", "always", "never"]),
    default="auto",
    help="auto: on a terminal, and as NO_COLOR and FORCE_COLOR say (default).",
)
@logs
def check(log_level: str, log_file: str | None, **options: Any) -> int:
    """Check files, or all below a folder: Julia, and Python that imports dp_types or that the configuration names.
    Without PATH, below this folder.

    Each function is proved, assumed (a black box, taken at its word), failed (there is an error in it) or unknown (it
    was not checked to the end).

    \b
    dp-lsp check train.jl
    dp-lsp check --set eps=0.2 --set k=1000 --set "rows(data)=48000" train.jl
    dp-lsp check --set train:eps=1/3 src
    dp-lsp check --set eps=0.1 --set del=1e-6 --set k=100 --target-delta 1e-4 train.jl
    dp-lsp check --output-format json --output-file report.json src
    dp-lsp check - --stdin-filename train.jl < draft.jl

    \b
    Exit codes:
      0    everything is proved, or assumed
      1    there is an error, or something is unknown
      2    wrong usage or configuration, a PATH that does not exist, output that could not be written
      101  a bug in dp-lsp; what it concerns is reported as unknown
      130  interrupted
    """
    from dp_lsp.cli.check import CheckRequest, run

    _log(log_level, log_file)
    return run(CheckRequest(**options))


@root.command()
@click.argument("name", shell_complete=_explained)
@numbers
@click.option(
    "--plot",
    metavar="FILE.svg",
    shell_complete=_files,
    help="Write a plot of ε against δ, and against the number of iterations.",
)
@logs
def explain(name: str, log_level: str, log_file: str | None, **asked: Any) -> int:
    """Explain a diagnostic code, a builtin function, or how the bounds of a function come about, or show a page.

    NAME is a code, a name, a page, or a place: FILE:FUNCTION, FILE:LINE for what stands there, FILE:LINE:COLUMN for an
    expression; in a notebook FILE:cell 3:LINE. Each step of a derivation names its line, its rule and where that is
    proved.

    \b
    dp-lsp explain DP301             by code
    dp-lsp explain unreadable        by name
    dp-lsp explain clip              a function of the language: type, sensitivity, source
    dp-lsp explain check             a command, or a key of the configuration
    dp-lsp explain contents          all pages: for who begins, about datasets, budgets, CI, ...
    dp-lsp explain train.jl:step     a function of yours: what led to its bounds
    dp-lsp explain train.jl:12       the function on line 12
    dp-lsp explain train.jl:12:9     the expression there: how far it moves, and why
    dp-lsp explain --set k=100 --set eps=0.1 --target-delta 1e-5 train.jl:step
                                     also what each rule comes to, and the published formula
    """
    from dp_lsp.cli.explain import run
    from dp_lsp.cli.files import Asked

    _log(log_level, log_file)
    return run(name, Asked(**asked))


@root.command()
@click.argument("old", metavar="OLD", shell_complete=_files)
@click.argument("new", metavar="[NEW]", required=False, shell_complete=_files)
@click.option(
    "--output-format",
    type=click.Choice(["text", "markdown", "json"]),
    default="text",
    help="text: for a person (default). markdown: for a comment on a pull request. json: for programs.",
)
@click.option("--output-file", metavar="FILE", help="Write the comparison to FILE.")
@click.option("--profile", type=click.Choice(["sound", "published"]), help="The rules that revisions are checked by.")
@numbers
@click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto", help="As for check.")
@logs
def diff(log_level: str, log_file: str | None, **options: Any) -> int:
    """Say whose ε, δ or sensitivity rose or fell between two revisions, and why.

    OLD and NEW are revisions of the git repository around the working folder, or files that `dp-lsp check
    --output-format json` wrote; where there is such a file, it is that. Without NEW it is the working tree. Of a
    revision all files are checked, and nothing in the working tree is touched.

    \b
    dp-lsp diff main                              what I have done since main
    dp-lsp diff main HEAD --output-format markdown
    dp-lsp diff --set eps=0.1 --set k=100 main    by numbers, where formulas do not decide
    dp-lsp diff before.json after.json

    \b
    Exit codes:
      0    nothing rose
      1    a bound rose, or it is not proved that it is no larger; it holds under more conditions, or is about
           less; a function is not proved any more, or is new and not proved, and nobody accepted that
      2    wrong usage, or what is compared cannot be read
    """
    from dp_lsp.cli.diff import DiffRequest, run

    _log(log_level, log_file)
    return run(DiffRequest(**options))


@root.command()
@click.argument("certificate", metavar="CERTIFICATE", shell_complete=_files)
@click.option(
    "--config",
    metavar="FILE",
    shell_complete=_files,
    help="The configuration, instead of the nearest dp-lsp.toml above each program.",
)
@logs
def verify(certificate: str, config: str | None, log_level: str, log_file: str | None) -> int:
    """Replay a certificate that `dp-lsp check --certificate` wrote, in the folder where that was done.

    Every number in it is computed anew, by a small program that shares nothing with the one that wrote it. The programs
    that it is about are checked again under the configuration that counts for them, and a bound that they do not have
    is refused. So is one whose program is not here, is another, or lies outside this folder.

    \b
    Exit codes:
      0    every bound is proved, and is that of a program that stands here
      1    a bound is refused, and its line says why; or there is none
      2    the certificate or a configuration cannot be read
    """
    from dp_lsp.cli.verify import run

    _log(log_level, log_file)
    return run(certificate, config)


@root.command("run")
@click.argument("file", metavar="FILE", shell_complete=_files)
@click.argument("function", metavar="[FUNCTION]", required=False)
@_of_data
@target_delta
@limit
@_of_results
@logs
def run_(log_level: str, log_file: str | None, **options: Any) -> int:
    """Run a private function on data, once, and release what it returns: FILE FUNCTION, or FILE:FUNCTION.

    It must be proved by the sound rules, its numbers must decide all conditions, and it may use no black box. Its
    noise is drawn by OpenDP (pip install 'dp-lsp[run]'); all that is computed before is exact. What is printed on
    standard output has the guarantee that stands below it, and each run spends that again: --ledger counts. Standard
    error, how long a run takes and whether it fails may tell about the data, and so may a ledger, which holds hashes
    of them: that is for those who hold them.

    \b
    dp-lsp run survey.jl ages --data people.csv --column age --set eps=1/2 --output-format json
    dp-lsp run survey.jl ages --data people.csv --column age --set eps=1/2 --ledger spent.jsonl --budget 2
    dp-lsp run train.jl step --data x=rows.csv --data y=labels.csv --set eps=0.1 --set k=100 --target-delta 1e-6

    \b
    Exit codes:
      0    released
      1    refused: not proved, or nothing is proved of such data; nothing was released
      2    wrong usage, a file or a column that does not exist, or OpenDP or NumPy is missing
    """
    from dp_lsp.cli.run import Request, named, run

    _log(log_level, log_file)
    return run(Request(*named(options.pop("file"), options.pop("function")), **options))


@root.command("ledger")
@click.argument("action", type=click.Choice(["show", "total", "verify"]))
@click.argument("file", metavar="FILE", shell_complete=_files)
@logs
def ledger_(action: str, file: str, log_level: str, log_file: str | None) -> int:
    """Read a ledger, in which `dp-lsp run --ledger FILE` counts what runs spend. Nothing is written.

    \b
    dp-lsp ledger show spent.jsonl      each run: when, what, with which numbers, what it spent, and of whom
    dp-lsp ledger total spent.jsonl     what all of them come to
    dp-lsp ledger verify spent.jsonl    that each line is as it was written

    \b
    Exit codes:
      0    it is a ledger, and as it was written
      1    it is none, or a line was edited, moved or taken out
      2    wrong usage, or a file that does not exist
    """
    from dp_lsp.cli.run import ledger

    _log(log_level, log_file)
    return ledger(action, file)


@root.command()
@click.argument("name", type=click.Choice(["report", "configuration", "release"]))
@logs
def schema(name: str, log_level: str, log_file: str | None) -> int:
    """Print a JSON schema, for programs and editors.

    \b
    dp-lsp schema report           of `dp-lsp check --output-format json`
    dp-lsp schema configuration    of dp-lsp.toml
    dp-lsp schema release          of `dp-lsp run --output-format json`
    """
    import json

    from dp_lsp.cli.output import write
    from dp_lsp.cli.run import schema as release
    from dp_lsp.configuration.keys import schema as configuration
    from dp_lsp.features.report import schema as report

    _log(log_level, log_file)
    found = {"report": report, "configuration": configuration, "release": release}[name]()
    return write(json.dumps(found, ensure_ascii=False, indent=2) + "\n")


@root.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@logs
def completion(shell: str, log_level: str, log_file: str | None) -> int:
    """Print what completes commands, options, codes and files in a shell.

    \b
    bash    in ~/.bashrc:    eval "$(dp-lsp completion bash)"
    zsh     in ~/.zshrc, after compinit:    eval "$(dp-lsp completion zsh)"
    fish    dp-lsp completion fish > ~/.config/fish/completions/dp-lsp.fish
    """
    from dp_lsp.cli.output import write

    _log(log_level, log_file)
    return write(script(root, shell) + "\n")


@root.command()
@click.option("--tcp", metavar="HOST:PORT", help="Listen there instead of using standard input and output.")
@logs
def server(tcp: str | None, log_level: str, log_file: str | None) -> int:
    """Start the language server, for editors.

    It speaks the language server protocol on standard input and output; editors start it by themselves.

    \b
    dp-lsp server
    dp-lsp server --tcp 127.0.0.1:2087
    """
    address = _address(tcp) if tcp is not None else None
    _log(log_level, log_file)
    from dp_lsp.lsp.server import serve

    try:
        return serve(address)
    except OSError as error:
        if address is None:
            raise
        raise click.ClickException(f"--tcp {tcp}: {error.strerror}") from error


def _address(text: str) -> tuple[str, int]:
    """HOST:PORT; a host that is left out is the loopback address, an IPv6 one stands in brackets."""
    host, colon, port = text.rpartition(":")
    if not colon or not port.isascii() or not port.isdigit() or int(port) > 65535:
        raise click.UsageError(f"--tcp {text!r} is not of the form HOST:PORT, as in 127.0.0.1:2087")
    return host.strip("[]") or "127.0.0.1", int(port)


def _log(level: str, file: str | None) -> None:
    from dp_lsp.cli.output import start_log

    start_log(level, file)


# Completion in shells: the script of each, and what is offered where click cannot know.

_PROGRAM, _VARIABLE = "dp-lsp", "_DP_LSP_COMPLETE"


def script(root: click.Command, shell: str) -> str:
    """What a shell reads to complete what is typed after ``dp-lsp``."""
    from click.shell_completion import ShellComplete, get_completion_class

    kind = get_completion_class(shell)
    assert kind is not None, "click knows all of them"
    # Not that of bash itself, which looks at the version of the bash on the path, whoever asks.
    return ShellComplete.source(kind(root, {}, _PROGRAM, _VARIABLE))


def files(typed: str) -> list[CompletionItem]:
    """Whatever files the shell finds."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(typed, type="file")]


def explained(typed: str) -> list[CompletionItem]:
    """What can be explained: codes and names of problems, builtins, pages, Julia files of this folder; else any
    file."""
    from click.shell_completion import CompletionItem

    found = [*_pages(typed), *(CompletionItem(name) for name in _programs(typed))]
    return found or files(typed)


def _pages(typed: str) -> Iterator[CompletionItem]:
    from click.shell_completion import CompletionItem

    from dp_lsp.analysis.catalogue import kinds
    from dp_lsp.cli.explain import guides

    yield from (CompletionItem(name, help="a page") for name in guides() if typed and name.startswith(typed))
    for code, kind in kinds().items():
        if code.startswith(typed.upper()):
            yield CompletionItem(code, help=kind.name)
        if typed and kind.name.startswith(typed):
            yield CompletionItem(kind.name, help=code)
    for language in frontends.LANGUAGES.values():
        for name in language.builtins.names():
            found = language.builtins.find(name)
            if name.startswith(typed) and found is not None:
                yield CompletionItem(name, help=language.builtins.spelling(found[0]).signature)


def _programs(typed: str) -> Iterator[str]:
    folder, start = os.path.split(typed)
    try:
        names = sorted(os.listdir(folder or "."))
    except OSError:
        return
    yield from (os.path.join(folder, name) for name in names if name.startswith(start) and frontends.find(name))
