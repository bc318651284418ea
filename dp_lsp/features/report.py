"""The JSON report: the contract's schema, version 2.

The types of parameters are data in it: which values they have, and by which metric these are compared. What was plotted
of functions is put into it where a client asked for that."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from dp_lsp import __version__, cells
from dp_lsp.analysis.records import PROFILES, Analysis, FunctionReport, Silenced, State
from dp_lsp.analysis.rows import BoundReport, NumericReport, Plot, Plotted, Premised, SpendingReport
from dp_lsp.problem import Edit, Problem, Related, Severity, There
from dp_lsp.text import Place, Source, Span

if TYPE_CHECKING:
    from dp_lsp.core.algebra import Poly
    from dp_lsp.core.notation import Printer
    from dp_lsp.core.types import Container, Dataset, Type


SCHEMA_VERSION = 2

Json = dict[str, Any]
Shown = Callable[[str], str]


def report(files: Sequence[tuple[str, Analysis]], profile: str, shown: Shown = str, spoken: bool = False) -> Json:
    """The report of a run: what was checked, under the path it is reported as. The summary's states count
    functions, its errors and warnings all problems. ``shown`` tells how a file is reported, by its name in a check, and
    ``spoken`` has all types in the words of the file's language, as ``display`` has them."""
    return {
        "schema_version": SCHEMA_VERSION,
        "tool": {"name": "dp-lsp", "version": __version__},
        "profile": profile,
        "files": [file_report(analysis, path, shown, spoken) for path, analysis in files],
        "summary": summary([analysis for _, analysis in files]),
    }


def file_report(analysis: Analysis, path: str, shown: Shown = str, spoken: bool = False) -> Json:
    """What is known of one file."""
    functions = [_function(each, analysis) for each in analysis.functions]
    if spoken:
        functions = [_spoken(each, analysis.language.rendering.types_shown) for each in functions]
    result: Json = {
        "path": path,
        "status": analysis.state.value,
        "functions": functions,
        "diagnostics": [_diagnostic(problem, analysis.source, path, shown) for problem in analysis.problems],
    }
    accepted = [_silenced(each, analysis.source) for each in analysis.silenced]
    return result | {"accepted": accepted} if accepted else result


def statistics(analyses: Iterable[Analysis]) -> list[Json]:
    """How often each kind of problem occurs, the most frequent first."""
    counts = Counter(
        (problem.code, problem.name, problem.severity.value) for analysis in analyses for problem in analysis.problems
    )
    return [
        {"code": code, "name": name, "severity": severity, "occurrences": count}
        for (code, name, severity), count in sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    ]


def summary(analyses: Sequence[Analysis]) -> Json:
    """How many files there are, functions in each state, and problems of the graver severities."""
    states = Counter(function.state for analysis in analyses for function in analysis.functions)
    return {
        "files": len(analyses),
        "proved": states[State.PROVED],
        "assumed": states[State.ASSUMED],
        "failed": states[State.FAILED],
        "unknown": states[State.UNKNOWN],
        "accepted": sum(function.accepted for analysis in analyses for function in analysis.functions),
        "errors": sum(analysis.count(Severity.ERROR) for analysis in analyses),
        "warnings": sum(analysis.count(Severity.WARNING) for analysis in analyses),
    }


def _spoken(function: Json, shown: Callable[[str], str]) -> Json:
    """A function with types as ``shown``."""
    parameters = [{**each, "type": shown(each["type"])} for each in function["parameters"]]
    return {**function, "parameters": parameters, "returns": shown(function["returns"])}


def _function(function: FunctionReport, analysis: Analysis) -> Json:
    source, numbers_given = analysis.source, analysis.options.asks_for_numbers
    result: Json = {
        "name": function.name,
        "signature": function.signature,
        "kind": function.kind,
        "status": function.state.value,
        "range": _range(function.span, source),
        "parameters": list(_parameters(function)),
        "returns": function.returns,
        "bounds": [_bound(bound) for bound in function.bounds],
        "conditions": [condition._asdict() for condition in function.conditions],
        "display": analysis.language.rendering.types_shown(function.display),
    }
    if function.assumes:
        result["assumes"] = list(function.assumes)
    if function.spending:
        result["spending"] = [_spending(each, source) for each in function.spending]
    if function.proved_chains:
        result["chains"] = list(function.proved_chains)
    if function.reason:
        result["accepted" if function.accepted else "reason"] = function.reason
    if numbers_given and function.kind == "privacy":
        result["numeric"] = [_numeric(numeric) for numeric in function.numeric]
    return result


def _parameters(function: FunctionReport) -> Iterator[Json]:
    formula = function.words.writing.formula
    for parameter, known in zip(function.parameters, function.details.parameters, strict=True):
        result = {key: getattr(parameter, key) for key in _PARAMETER_KEYS}
        result["domain"] = domain(known.type, formula)
        if known.per_person is not None:
            result["records_per_person"] = formula.sens(known.per_person)
        if parameter.neighbours:
            result["neighbours"], result["public"] = parameter.neighbours, list(parameter.public)
        if parameter.stability is not None:
            result["stability"] = {"d_in": parameter.stability.records, "general": parameter.stability.general or None}
        yield result


_PARAMETER_KEYS = ("name", "type", "static", "sensitivity", "epsilon", "delta")


def _bound(bound: BoundReport) -> Json:
    fields = bound._asdict()
    own = dict(fields.pop("own"))
    free = [variable._asdict() for variable in bound.free]
    return {**fields, "parameters": list(bound.parameters), "free": free, **own}


def _spending(spent: SpendingReport, source: Source) -> Json:
    return {
        "parameters": list(spent.parameters),
        "range": _range(spent.span, source),
        "name": spent.name,
        "epsilon": spent.epsilon,
        "delta": spent.delta,
        "share": spent.share,
    }


def _numeric(numeric: NumericReport) -> Json:
    """Floats that are rounded up. A bound of ∞, which JSON has no number for, is null; so is one that is larger than
    any float."""
    if numeric.missing:
        return {"parameters": list(numeric.parameters), "missing": list(numeric.missing)}
    return {
        "parameters": list(numeric.parameters),
        "epsilon": _upwards(numeric.epsilon),
        "delta": _upwards(numeric.delta),
        "rule": numeric.rule,
    }


def _upwards(number: Fraction | None) -> float | None:
    from dp_lsp.core.evaluate import rounded_up  # only who gave numbers needs it

    above = rounded_up(number)
    return None if above == math.inf else above


def _silenced(silenced: Silenced, source: Source) -> Json:
    """An error that a person accepted."""
    problem = silenced.problem
    return {
        "code": problem.code,
        "name": problem.name,
        "message": problem.message,
        "range": _range(problem.span, source),
        "by": silenced.by,
        "extent": [each._asdict() for each in problem.extent],
    }


def _diagnostic(problem: Problem, source: Source, path: str, shown: Shown) -> Json:
    result: Json = {
        "code": problem.code,
        "name": problem.name,
        "severity": problem.severity.value,
        "message": problem.message,
        "url": problem.url,
        "range": _range(problem.span, source),
        "related": [_related(related, source, path, shown) for related in problem.related],
        "fixes": [
            {
                "title": fix.title,
                "edits": [_edit(edit, source) for edit in fix.edits],
            }
            for fix in problem.fixes
        ],
    }
    extent = [each._asdict() for each in problem.extent]
    return result | {"extent": extent} if extent else result


def _edit(edit: Edit, source: Source) -> Json:
    """What is written, with what the author may choose otherwise in the order in which it stands there."""
    chosen = [{"name": each.name, "default": each.default} for each in edit.placeholders]
    written: Json = {"range": _range(edit.span, source), "text": edit.text}
    return written | {"placeholders": chosen} if chosen else written


def _related(related: Related, source: Source, path: str, shown: Shown) -> Json:
    there = related.where
    if not isinstance(there, There):
        return {"message": related.message, "range": _range(related.span, source), "path": path}
    column = len(there.before) + 1
    start, end = Place(there.line, column), Place(there.line, column + len(there.written))
    return {
        "message": related.message,
        "range": {"start": start._asdict(), "end": end._asdict()},
        "path": shown(there.file),
    }


def _range(span: Span, source: Source) -> Json:
    """Lines and columns from 1, in code points, the end excluded; in a notebook, those of one cell."""
    start, end = cells.places(source, span)
    made: Json = {name: {"line": at.line, "column": at.column} for name, at in (("start", start), ("end", end))}
    return made if start.cell is None else made | {"cell": {"index": start.cell.number, "id": start.cell.id}}


def with_plots(report: Json, analysis: Analysis, found: Iterable[Plotted]) -> Json:
    """The report of one file, with what was plotted of those of its functions that are proved."""
    made = {each.name: [_plot(plot) for plot in each.plots] for each in found}
    for told, function in zip(report["files"][0]["functions"], analysis.functions, strict=True):
        if function.state is State.PROVED and made.get(function.name_span):
            told["plots"] = made[function.name_span]
    return report


def _plot(plot: Plot) -> Json:
    if plot.missing:
        return {"parameters": list(plot.parameters), "missing": list(plot.missing)}
    made: Json = {"parameters": list(plot.parameters), "against": plot.against}
    if plot.at is not None:
        made["at"] = plot.at
    if plot.delta is not None:
        made["delta"] = plot.delta
    made["curves"] = [{"rule": rule, "points": [list(point) for point in points]} for rule, points in plot.curves]
    return made


DOMAIN_KINDS = (
    "number",
    "bool",
    "vector",
    "matrix",
    "gradient",
    "dataset",
    "tuple",
    "generator",
    "model",
    "function",
    "boxed",
    "open",
)
UNKNOWN_DOMAIN = "unknown"


def domain(type_: Type, formula: Printer) -> Json:
    """A type as a tree; its numbers are formulas in SymPy syntax, and ``kind`` is one of ``DOMAIN_KINDS``,
    or ``UNKNOWN_DOMAIN``."""
    from dp_lsp.core import types  # only reports need the core

    match type_:
        case types.NumberType(base, _, bounds):
            limits = {} if bounds is None else {"bounds": [formula.poly(bounds.low), formula.poly(bounds.high)]}
            return {"kind": "number", "base": base.value, **limits}
        case types.BoolType():
            return {"kind": "bool"}
        case types.Container():
            return _container(type_, formula)
        case types.Dataset():
            return _dataset(type_, formula)
        case types.TupleType(label=types.HANDLE):
            return {"kind": "generator"}
        case types.TupleType(items, label):
            named = {} if label is None else {"names": list(label.names), "structure": label.of or None}
            return {"kind": "tuple", "items": [domain(item, formula) for item in items], **named}
        case types.ModelType():
            return {"kind": "model"}
        case types.FunctionType():
            return {"kind": "function"}
        case types.Boxed():
            return {"kind": "boxed"}
        case types.TypeVariable():
            return {"kind": "open"}
    return {"kind": UNKNOWN_DOMAIN}


def _container(type_: Container, formula: Printer) -> Json:
    from dp_lsp.core.types import Kind, Norm

    kinds = {Kind.VECTOR: "vector", Kind.MATRIX: "matrix", Kind.GRADIENT: "gradient"}
    return {
        "kind": kinds[type_.kind],
        "metric": type_.norm.value if isinstance(type_.norm, Norm) else None,
        "clip": type_.clip.value,
        "length": formula.poly(type_.length),
        **_known("rows", type_.rows, formula),
        "element": domain(type_.element, formula),
    }


def _dataset(type_: Dataset, formula: Printer) -> Json:
    """Its size is None where it is private, or a number of its own."""
    size = type_.size.symbol
    own = not type_.metric.sized or (size is not None and not size.name.isidentifier())
    return {
        "kind": "dataset",
        "metric": type_.metric.value,
        "records": _container(type_.records, formula),
        "size": None if own else formula.poly(type_.size),
        **_known("least", type_.least, formula),
        **_known("radius", type_.radius, formula),
    }


def _known(key: str, value: Poly | None, formula: Printer) -> Json:
    return {} if value is None else {key: formula.poly(value)}


# The JSON schema of the report: the contract's, version 2.

Schema = dict[str, Any]

COUNTS = ("files", "proved", "assumed", "failed", "unknown", "accepted", "errors", "warnings")
"""What the summary counts."""


def schema(closed: bool = False) -> Schema:
    """The schema of a report. Readers ignore keys that they do not know, unless it is ``closed``."""
    made = _Schema(closed)
    return {"$schema": "http://json-schema.org/draft-07/schema#", "title": "dp-lsp report", **made.report()}


class _Schema:
    """Builds the schema; each part of it stands in one method."""

    def __init__(self, closed: bool) -> None:
        self._closed = {"additionalProperties": False} if closed else {}

    def report(self) -> Schema:
        return self._object(
            {
                "schema_version": {"const": SCHEMA_VERSION},
                "tool": self._object({"name": {"const": "dp-lsp"}, "version": _TEXT}),
                "profile": {"enum": list(PROFILES)},
                "files": _listed(self._file()),
                "summary": self._object(dict.fromkeys(COUNTS, _COUNT)),
            },
            statistics=_listed(self._statistic()),
        )

    def _object(self, required: Schema, **optional: Schema) -> Schema:
        properties = required | optional
        return {"type": "object", "properties": properties, "required": list(required), **self._closed}

    def _statistic(self) -> Schema:
        return self._object({"code": _CODE, "name": _TEXT, "severity": _SEVERITY, "occurrences": _COUNT})

    def _file(self) -> Schema:
        return self._object(
            {
                "path": _TEXT,
                "status": _STATUS,
                "functions": _listed(self._function()),
                "diagnostics": _listed(self._diagnostic()),
            },
            accepted=_listed(self._accepted()),
        )

    def _range(self) -> Schema:
        place = self._object({"line": _ORDINAL, "column": _ORDINAL})
        cell = self._object({"index": _ORDINAL, "id": _TEXT})
        return self._object({"start": place, "end": place}, cell=cell)

    def _function(self) -> Schema:
        return self._object(
            {
                "name": _TEXT,
                "signature": _TEXT,
                "kind": {"enum": ["sensitivity", "privacy", "blackbox"]},
                "status": _STATUS,
                "range": self._range(),
                "parameters": _listed(self._parameter()),
                "returns": _TEXT,
                "bounds": _listed(self._bound()),
                "conditions": _listed(self._condition()),
                "display": _TEXT,
            },
            accepted=_TEXT,
            reason=_TEXT,
            assumes=_TEXTS,
            chains=_TEXTS,
            spending=_listed(self._spending()),
            numeric=_listed({"oneOf": [self._number(), self._missing()]}),
            plots=_listed({"oneOf": [self._plot(), self._missing()]}),
        )

    def _parameter(self) -> Schema:
        formulas = dict.fromkeys(("sensitivity", "epsilon", "delta"), _FORMULA)
        stability = self._object({"d_in": _TEXT, "general": _FORMULA})
        return self._object(
            {"name": _TEXT, "type": _TEXT, "static": _TRUTH, **formulas},
            stability=stability,
            domain=_DOMAIN,
            neighbours=_TEXT,
            public=_TEXTS,
            records_per_person=_TEXT,
        )

    def _condition(self) -> Schema:
        kind: Schema = {"enum": ["relation", *(each.value for each in Premised)]}
        return self._object({"text": _TEXT, "formula": _FORMULA, "decided": _TRUTH}, kind=kind)

    def _bound(self) -> Schema:
        free = self._object({"name": _TEXT, "range": _TEXT, "meaning": _TEXT})
        words = dict.fromkeys(("measure", "epsilon", "delta"), _TEXT)
        own = dict.fromkeys(("rho", "rho_delta", "mu"), _TEXT)
        return self._object({"parameters": _TEXTS, **words, "rule": _RULE, "free": _listed(free)}, **own)

    def _spending(self) -> Schema:
        words = dict.fromkeys(("name", "epsilon", "delta"), _TEXT)
        return self._object({"parameters": _TEXTS, "range": self._range(), **words, "share": _NUMBER})

    def _number(self) -> Schema:
        numbers = dict.fromkeys(("epsilon", "delta"), _NUMBER)
        return self._object({"parameters": _TEXTS, **numbers, "rule": _TEXT})

    def _missing(self) -> Schema:
        return self._object({"parameters": _TEXTS, "missing": _TEXTS})

    def _plot(self) -> Schema:
        point = {"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2}
        curve = self._object({"rule": _RULE, "points": _listed(point)})
        against: Schema = {"enum": ["delta", "iterations"]}
        number: Schema = {"type": "number"}
        required = {"parameters": _TEXTS, "against": against, "curves": _listed(curve)}
        return self._object(required, at=number, delta=number)

    def _accepted(self) -> Schema:
        words = dict.fromkeys(("name", "message"), _TEXT)
        by: Schema = {"enum": ["comment", "baseline", "configuration"]}
        return self._object({"code": _CODE, **words, "range": self._range(), "by": by, "extent": self._extent()})

    def _extent(self) -> Schema:
        return _listed(self._object({"about": _TEXT, "amount": _TEXT}))

    def _diagnostic(self) -> Schema:
        place = self._range()
        chosen = _listed(self._object({"name": _TEXT, "default": _TEXT}))
        edit = self._object({"range": place, "text": _TEXT}, placeholders=chosen)
        return self._object(
            {
                "code": _CODE,
                "name": _TEXT,
                "severity": _SEVERITY,
                "message": _TEXT,
                "url": {"type": "string", "pattern": "^https://"},
                "range": place,
                "related": _listed(self._object({"message": _TEXT, "range": place, "path": _TEXT})),
                "fixes": _listed(self._object({"title": _TEXT, "edits": _listed(edit)})),
            },
            extent=self._extent(),
        )


def _listed(items: Schema) -> Schema:
    return {"type": "array", "items": items}


_TEXT: Schema = {"type": "string"}
_TEXTS = _listed(_TEXT)
_TRUTH: Schema = {"type": "boolean"}
_COUNT: Schema = {"type": "integer", "minimum": 0}
_ORDINAL: Schema = {"type": "integer", "minimum": 1}
_NUMBER: Schema = {"type": ["number", "null"]}
_FORMULA: Schema = {"type": ["string", "null"]}
_CODE: Schema = {"type": "string", "pattern": "^DP[0-9]{3}$"}
_STATUS: Schema = {"enum": [state.value for state in State if state is not State.STALE]}
_SEVERITY: Schema = {"enum": [severity.value for severity in Severity]}
_DOMAIN: Schema = {
    "type": "object",
    "properties": {"kind": {"enum": [*DOMAIN_KINDS, UNKNOWN_DOMAIN]}},
    "required": ["kind"],
}
"""A type as a tree (:mod:`dp_lsp.features.report`)."""
_RULE: Schema = {"enum": ["basic", "advanced", "optimal", "zcdp", "renyi", "gaussian", "pld", "published"]}
