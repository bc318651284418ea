"""The report for code scanning: SARIF 2.1.0.

A result is a problem, or a function that is not proved without one; what a person accepted is one that is suppressed.
Only the rules that a result needs are listed, each with its page.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

from dp_lsp import __version__
from dp_lsp.analysis.catalogue import kinds
from dp_lsp.analysis.records import Analysis
from dp_lsp.cells import is_joined
from dp_lsp.cli.files import shown
from dp_lsp.cli.output import FINDINGS, MEANINGS, USAGE
from dp_lsp.cli.reporters.checked import Checked, ReportFinding, findings, located, places
from dp_lsp.cli.style import json_text, printable
from dp_lsp.features.report import statistics, summary
from dp_lsp.problem import DOCUMENTATION, Fix, Kind, Related, Severity, There
from dp_lsp.text import Place, Source
from dp_lsp.worker.problems import InternalError

Json = dict[str, Any]

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_HOME = "https://github.com/dp-lsp/dp-lsp"
_ROOT = "%SRCROOT%"
_FINGERPRINT = "dpLspFinding/v1"

_LEVELS = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.INFORMATION: "note",
    Severity.HINT: "note",
}

# A plain message may hold links, as in [text](address), and places for arguments, as in {0}.
_LINK = re.compile(r"\](?=\()")
_ARGUMENT = re.compile(r"\{(\d+)\}")

_OF_NOT_PROVED = (
    "A function is not proved, and no problem in it says why.",
    "It may be `unknown` because it calls a function that was not checked to the end or has an error, because the"
    " file uses names that may come from anywhere, or because a person accepted a problem in it. The message says"
    " which. What makes it unknown is a result of its own, where it stands.",
)


def lines(run: Checked) -> Iterator[str]:
    """The log as one value."""
    yield json_text({"$schema": _SCHEMA, "version": "2.1.0", "runs": [_Log(run).run()]}, indent=1)


class _Log:
    """Writes a run; files and rules are referred to by their place in a list."""

    def __init__(self, run: Checked) -> None:
        self._run = run
        self._files = {path: index for index, (path, _) in enumerate(run.files)}
        self._found = [(path, analysis, each) for path, analysis in run.files for each in findings(analysis)]
        codes = sorted({each.code for _, _, each in self._found})
        self._rules = {code: index for index, code in enumerate(codes)}

    def run(self) -> Json:
        properties: Json = {"profile": self._run.profile, "summary": summary(self._run.analyses)}
        if self._run.statistics:
            properties["statistics"] = statistics(self._run.analyses)
        return {
            "tool": {"driver": self._driver()},
            "invocations": [self._invocation()],
            "originalUriBaseIds": {_ROOT: {"description": _text("The folder in which the check was run.")}},
            "artifacts": [self._artifact(path, analysis) for path, analysis in self._run.files],
            "columnKind": "unicodeCodePoints",
            "newlineSequences": ["\r\n", "\n", "\r"],
            "results": [self._result(*each) for each in self._found],
            "properties": properties,
        }

    def _driver(self) -> Json:
        known = kinds()
        rules = [_rule(known[code]) if code in known else _not_proved(code) for code in self._rules]
        return {"name": "dp-lsp", "version": __version__, "informationUri": _HOME, "rules": rules}

    def _invocation(self) -> Json:
        code = self._run.exit_code
        broken = [self._notification(*each) for each in self._found if each[2].code == InternalError.code]
        return {
            "executionSuccessful": code <= FINDINGS,
            "exitCode": code,
            "exitCodeDescription": MEANINGS.get(code, MEANINGS[USAGE]),
            "toolExecutionNotifications": broken,
        }

    def _notification(self, path: str, analysis: Analysis, finding: ReportFinding) -> Json:
        return {
            "level": "error",
            "message": _text(finding.message),
            "locations": [{"physicalLocation": {"artifactLocation": self._file(path)}}],
        }

    def _artifact(self, path: str, analysis: Analysis) -> Json:
        return {
            "location": _location(path),
            "roles": ["analysisTarget"],
            "sourceLanguage": analysis.language.id,
            "properties": {"status": analysis.state.value},
        }

    def _result(self, path: str, analysis: Analysis, finding: ReportFinding) -> Json:
        location = self._place(path, *places(finding.span, analysis.source))
        if finding.function is not None:
            name = finding.function.name
            whole = f"{name}{finding.function.signature}"
            location["logicalLocations"] = [{"name": name, "fullyQualifiedName": whole, "kind": "function"}]
        result: Json = {
            "ruleId": finding.code,
            "ruleIndex": self._rules[finding.code],
            "level": _LEVELS[finding.severity],
            "message": _text(located(finding, analysis.source)),
            "locations": [location],
            "partialFingerprints": {_FINGERPRINT: finding.fingerprint},
        }
        if finding.accepted:
            kind = "inSource" if finding.in_source else "external"
            result["suppressions"] = [{"kind": kind, "justification": finding.accepted}]
        if finding.problem is not None:
            result |= self._about(path, analysis.source, finding, location)
        return result

    def _about(self, path: str, source: Source, finding: ReportFinding, location: Json) -> Json:
        """What is known of a problem beside its place."""
        assert finding.problem is not None
        related = [(each, self._related(path, source, each)) for each in finding.problem.related]
        numbered = [{"id": index} | place for index, (_, place) in enumerate(related, 1)]
        steps = [{"location": place} for each, place in related if each.step]
        found: Json = {"relatedLocations": numbered} if numbered else {}
        if steps:
            last = {"location": location | {"message": _text(finding.message)}}
            found["codeFlows"] = [{"threadFlows": [{"locations": [*steps, last]}]}]
        if finding.problem.fixes and not is_joined(source.text):
            found["fixes"] = [self._fix(path, source, fix) for fix in finding.problem.fixes]
        return found

    def _related(self, path: str, source: Source, related: Related) -> Json:
        there = related.where
        if isinstance(there, There):
            start = Place(there.line, len(there.before) + 1)
            end = Place(there.line, start.column + len(there.written))
            place = self._place(shown(there.file), start, end)
        else:
            place = self._place(path, *places(related.span, source))
        return place | {"message": _text(related.message)}

    def _fix(self, path: str, source: Source, fix: Fix) -> Json:
        replacements = [
            {"deletedRegion": _region(*places(edit.span, source)), "insertedContent": {"text": edit.text}}
            for edit in fix.edits
        ]
        return {
            "description": _text(fix.title),
            "artifactChanges": [{"artifactLocation": self._file(path), "replacements": replacements}],
        }

    def _place(self, path: str, start: Place, end: Place) -> Json:
        return {"physicalLocation": {"artifactLocation": self._file(path), "region": _region(start, end)}}

    def _file(self, path: str) -> Json:
        index = self._files.get(path)
        return _location(path) | ({"index": index} if index is not None else {})


def _location(path: str) -> Json:
    """A file: below the folder of the run, else by its whole path."""
    if os.path.isabs(path):
        return {"uri": Path(path).as_uri()}
    return {"uri": quote(os.fsencode(path)), "uriBaseId": _ROOT}


def _region(start: Place, end: Place) -> Json:
    return {"startLine": start.line, "startColumn": start.column, "endLine": end.line, "endColumn": end.column}


def _text(message: str) -> Json:
    """A plain message in which nothing is a link or an argument."""
    return {"text": _ARGUMENT.sub(r"{{\1}}", _LINK.sub(r"\\]", printable(message)))}


def _rule(kind: type[Kind]) -> Json:
    """A kind of problem with its page."""
    page = kind.page()
    title, _, rest = page.partition("\n\n")
    about = " ".join(rest.partition("\n\n")[0].split())
    return {
        "id": kind.code,
        "name": _named(kind.name),
        "shortDescription": {"text": about.partition(". ")[0].rstrip(".") + "."},
        "fullDescription": {"text": about},
        "help": {"text": f"{title.removeprefix('# ')}\n\n{rest}", "markdown": page},
        "helpUri": f"{DOCUMENTATION}#{kind.code.lower()}",
        "defaultConfiguration": {"level": _LEVELS[kind.severity]},
        "properties": {"tags": ["privacy"]},
    }


def _named(name: str) -> str:
    """The name of a rule as SARIF wants it: `TooSensitive` for `too-sensitive`."""
    return "".join(word.capitalize() for word in name.split("-"))


def _not_proved(code: str) -> Json:
    """The rule for functions that are not proved without a problem."""
    first, rest = _OF_NOT_PROVED
    return {
        "id": code,
        "name": _named(code),
        "shortDescription": {"text": first},
        "fullDescription": {"text": first},
        "help": {"text": f"{first}\n\n{rest}", "markdown": f"# {code}\n\n{first}\n\n{rest}\n"},
        "helpUri": f"{_HOME}/blob/main/dp_lsp/reference/promises.md",
        "defaultConfiguration": {"level": "note"},
        "properties": {"tags": ["privacy"]},
    }
