"""Repairs of declarations: what a parameter is, who is protected, what is returned."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dp_lsp import intents
from dp_lsp.core.annotation import Annotation, ContainerOf, DatasetOf, NumberOf
from dp_lsp.core.types import DatasetMetric
from dp_lsp.frontends.python.rewriting.definitions import (
    FRAME,
    LOADER,
    Definition,
    Parameter,
    calls_of,
    definition_around,
    is_chosen,
)
from dp_lsp.intents import Rendering
from dp_lsp.problem import Edit, Fix
from dp_lsp.text import Span

_RELATIONS = {
    DatasetMetric.CHANGE_ONE: ("ChangeOne()", "one record that is replaced"),
    DatasetMetric.SYMMETRIC: ("AddRemove()", "one record that is added or removed"),
    DatasetMetric.HAMMING: ("ChangeOne(ordered=True)", "one record that is replaced, each in its place"),
    DatasetMetric.INSERT_DELETE: ("AddRemove(ordered=True)", "one record that is added or removed, each in its place"),
}
_ORDERED = {"AddRemove()": "AddRemove(ordered=True)", "ChangeOne()": "ChangeOne(ordered=True)"}
_TABLE, _ARRAY = "pd.DataFrame", "np.ndarray"
_SAYS_IT = ("AddRemove", "ChangeOne", "Within", "OneOf")


def declare_records(code: Rendering, intent: intents.DeclareRecords, text: str) -> Iterator[Fix]:
    definition, parameter = _parameter_at(text, intent.parameter)
    if definition is None or parameter is None:
        return
    together = [
        each
        for each in definition.parameters
        if each.name == parameter.name
        or (_is_unsaid(each.annotation) and definition.are_paired([parameter.name, each.name]))
    ]
    for type_ in intent.types:
        made = [declared_as(definition, each, type_) for each in together]
        whom = made[0][1]
        if all(declared for declared, _ in made):
            written = [_of_people(declared) if len(made) > 1 else declared for declared, _ in made]
            edits = tuple(Edit(each.span, declared) for each, declared in zip(together, written, strict=True))
            said = ", ".join(f"`{each}`" for each in written)
            yield Fix(f"protect {whom}: {said}", edits, sure=False, declares=True)


def _parameter_at(text: str, span: Span) -> tuple[Definition | None, Parameter | None]:
    definition = definition_around(text, span.start)
    params = [] if definition is None else definition.parameters
    return definition, next((each for each in params if each.span.start == span.start), None)


def declared_as(definition: Definition, parameter: Parameter, type_: Annotation, base: str = "") -> tuple[str, str]:
    """A parameter that is declared to be of a type, and whom that protects; empty where that cannot be written. What
    holds records may be given as a ``base``."""
    match type_:
        case DatasetOf(metric=metric) if metric in _RELATIONS:
            word, whom = _RELATIONS[metric]
            base = base or definition.base(parameter)
            words = [word, *_columns(definition, parameter)] if base == _TABLE else [word]
            if base == _ARRAY and definition.is_of_rows(parameter.name):
                words.append("Rows()")
        case ContainerOf(norm=None):
            base, words, whom = definition.base(parameter), ["Within()"], "a change by at most 1"
        case NumberOf(bounds=None):
            base, words, whom = "float", ["Within()"], "a change by at most 1"
        case _:
            return "", ""
    kept = _said(parameter.annotation)
    if kept is None or None in words:
        return "", ""
    told = ", ".join((kept[0] if kept else base, *(each for each in words if each), *kept[1:]))
    return f"{parameter.name}: Annotated[{told}]", whom


def _columns(definition: Definition, parameter: Parameter) -> Iterator[str | None]:
    """The word that says which columns a table has; None where none is known."""
    found = definition.columns(parameter.name) or _counted(definition, parameter)
    if not found:
        yield None
    elif all(each.isidentifier() for each in found):
        yield f"Columns({', '.join(f'{name}={of}' for name, of in found.items())})"
    else:
        yield f"Columns({{{', '.join(f'{name!r}: {of}' for name, of in found.items())}}})"


_SOME_COLUMN = {"value": "float"}


def _counted(definition: Definition, parameter: Parameter) -> dict[str, str]:
    """A column whose name nobody but the author knows, of a table of which only is asked how many rows it has."""
    uses = [each for each in ast.walk(definition.node) if isinstance(each, ast.Name) and each.id == parameter.name]
    calls = [each for each in ast.walk(definition.node) if isinstance(each, ast.Call)]
    asked = [each for each in calls if ast.unparse(each) == f"len({parameter.name})"]
    shapes = (each for each in ast.walk(definition.node) if isinstance(each, ast.Subscript))
    counted = [each for each in shapes if ast.unparse(each) == f"{parameter.name}.shape[0]"]
    return _SOME_COLUMN if uses and len(asked) + len(counted) == len(uses) else {}


def _said(annotation: ast.expr | None) -> list[str] | None:
    """The parts of ``Annotated[…]`` that say nothing of whom a value protects; None where one of them does."""
    match annotation:
        case ast.Subscript(value=ast.Name(id="Annotated"), slice=ast.Tuple(elts=parts)):
            written = [ast.unparse(each) for each in parts]
            return None if any(each.startswith(_SAYS_IT) for each in written) else written
    return []


def declare_public(code: Rendering, intent: intents.DeclarePublic, text: str) -> Iterator[Fix]:
    """The parameters are looked for by their names where these are declared. Nobody means to publish the records of
    people, so none is offered for data; a number that stands beside none may be that of a person."""
    starts = [each.start for each in intent.parameters or ()]
    definition = definition_around(text, min(starts, default=intent.function.start))
    edits, beside = [], False
    for each in () if definition is None else definition.parameters:
        assert definition is not None
        beside |= each.name not in intent.names and (_says_whom(each.annotation) or definition.is_data(each))
        if each.name in intent.names and _may_be_public(each.annotation) and (not starts or each.span.start in starts):
            number = "int" if definition.is_counted_by(each) else "float"
            edits.append(Edit(each.span, f"{each.name}: Static[{number}]"))
    if edits and len(edits) == len(intent.names):
        them = "it" if len(edits) == 1 else "them"
        declared = ", ".join(f"`{edit.text}`" for edit in edits)
        exposes = not (beside or all(map(is_chosen, intent.names)))
        yield Fix(f"declare {them} public: {declared}", tuple(edits), sure=False, exposes=exposes)


def _may_be_public(annotation: ast.expr | None) -> bool:
    """Whether an annotation says nothing, or that something is a number."""
    return annotation is None or (isinstance(annotation, ast.Name) and annotation.id in ("float", "int"))


def add_parameter(code: Rendering, intent: intents.AddParameter, text: str) -> Iterator[Fix]:
    """Before those that need not be given."""
    definition = definition_around(text, intent.function.start)
    if definition is None or definition.node.args.vararg is not None:
        return
    declared = f"{intent.name}: {code.public}"
    given = [each for each in definition.parameters[: len(definition.node.args.args)] if not each.has_default]
    if given:
        edit = Edit(Span(given[-1].span.end, given[-1].span.end), f", {declared}")
    elif not definition.parameters:
        edit = Edit(Span(intent.function.end + 1, intent.function.end + 1), declared)
    else:
        start = definition.parameters[0].span.start
        edit = Edit(Span(start, start), f"{declared}, ")
    called = calls_of(definition.node.name, text)
    more = "" if not called else f", which all calls of `{definition.node.name}` have to give"
    yield Fix(f"make it a parameter: `{declared}`{more}", (edit,), sure=False, declares=True)


def declare_private(code: Rendering, intent: intents.DeclarePrivate, text: str) -> Iterator[Fix]:
    definition = definition_around(text, intent.header.start)
    if definition is None:
        return
    title = f"declare it with `{code.returns_private}`"
    if definition.node.returns is not None:
        edit = Edit(definition.span(definition.node.returns), code.private)
        yield Fix(f"{title}, instead of the type of what it returns", (edit,))
        return
    header = text[slice(*intent.header)].rstrip()
    end = intent.header.start + len(header) - 1
    if header.endswith(":") and text[:end].endswith(")"):
        yield Fix(title, (Edit(Span(end, end), f" {code.returns_private}"),))


def declare_least(code: Rendering, intent: intents.DeclareLeast, text: str) -> Iterator[Fix]:
    end = intent.parameter.end - 1
    if text[end : end + 1] == "]":
        declared = code.at_least(str(intent.records))
        yield Fix(f"declare `{declared}`", (Edit(Span(end, end), f", {declared}"),), sure=False)


def declare_ordered(code: Rendering, intent: intents.DeclareOrdered, text: str) -> Iterator[Fix]:
    start, written = intent.parameter.start, text[slice(*intent.parameter)]
    for word, ordered in _ORDERED.items():
        at = written.find(word)
        if at >= 0:
            edit = Edit(Span(start + at, start + at + len(word)), ordered)
            yield Fix(f"declare `{ordered}`: the order of the records counts", (edit,), sure=False)


def annotate(code: Rendering, intent: intents.Annotate, text: str) -> Iterator[Fix]:
    definition = definition_around(text, intent.function.start)
    for each in () if definition is None else definition.parameters:
        if each.annotation is None or (_is_unsaid(each.annotation) and not _may_be_public(each.annotation)):
            assert definition is not None
            for type_ in intent.types:
                declared, _ = declared_as(definition, each, type_)
                if declared:
                    yield Fix(f"annotate it: `{declared}`", (Edit(each.span, declared),), sure=False)


def protect_records(code: Rendering, intent: intents.ProtectRecords, text: str) -> Iterator[Fix]:
    """In the place of a norm."""
    definition = definition_around(text, intent.function.start)
    for each in () if definition is None else definition.parameters:
        written = text[slice(*each.span)]
        start = written.find("Within(")
        end = written.find(")", start) + 1
        for type_ in intent.types if start >= 0 else ():
            if isinstance(type_, DatasetOf) and type_.metric in _RELATIONS:
                word, whom = _RELATIONS[type_.metric]
                declared = written[:start] + word + written[end:]
                yield Fix(f"protect {whom}: `{declared}`", (Edit(each.span, declared),), sure=False)


def say_what_is_given(code: Rendering, intent: intents.SayWhatIsGiven, text: str) -> Iterator[Fix]:
    """Records are those of people, and numbers that somebody chooses are public. Where no parameter is used as records
    are, the first one that is not called like such a number is that of somebody. Where whom the function protects is
    said, the others are public."""
    definition = definition_around(text, intent.place)
    unsaid = [] if definition is None else [each for each in definition.parameters if _is_unsaid(each.annotation)]
    unsaid = [each for each in unsaid if not each.is_text]  # no number, and nothing is said of texts alone
    if definition is None or not unsaid:
        return
    data = [each for each in unsaid if definition.is_data(each)]
    if not data and any(_says_whom(each.annotation) for each in definition.parameters):
        names = frozenset(each.name for each in unsaid)
        found = declare_public(code, intents.DeclarePublic(names, function=definition.span(definition.node)), text)
        yield from (fix._replace(declares=True) for fix in found)
        return
    protected = data or [each for each in unsaid if not is_chosen(each.name)][:1]
    beside = definition.are_beside([each.name for each in data])
    together = beside or definition.are_paired([each.name for each in data])
    for type_ in (intent.types if data else intent.otherwise) if protected else ():
        declared, whom = [], ""
        for each in unsaid:
            made = f"{each.name}: Static[{'int' if definition.is_counted_by(each) else 'float'}]"
            if each in protected:
                made, whom = declared_as(definition, each, type_, _ARRAY if beside else "")
                made = _of_people(made) if together else made
            declared.append(made)
        if all(declared):
            edits = tuple(Edit(each.span, made) for each, made in zip(unsaid, declared, strict=True))
            said = ", ".join(f"`{made}`" for made in declared)
            exposes = not data and not all(is_chosen(each.name) for each in unsaid if each not in protected)
            yield Fix(f"protect {whom}: {said}", edits, sure=False, declares=True, exposes=exposes)


def _of_people(declared: str) -> str:
    """A declaration of records, as parts of those of the same people."""
    return declared.replace("Remove()", 'Remove("people")').replace("ChangeOne()", 'ChangeOne("people")')


def say_who_trains(code: Rendering, intent: intents.SayWhoTrains, text: str) -> Iterator[Fix]:
    """The loader of the records, and how often they are gone through. What is trained is no number. Where a context is
    asked for statistics, the frame that it is asked about."""
    definition = definition_around(text, intent.place)
    if definition is not None and (data := definition.asked) is not None:
        yield from _say_who_is_asked_about(code, definition, data, text)
    if definition is None or not definition.loaders:
        return
    unsaid = [each for each in definition.parameters if _is_unsaid(each.annotation)]
    declared = [
        f"{each.name}: {f'Annotated[{LOADER}, AddRemove()]' if each.name in definition.loaders else 'Static[int]'}"
        for each in unsaid
        if each.name in definition.loaders or definition.is_counted_by(each)
    ]
    names = {each.partition(":")[0]: each for each in declared}
    edits = [Edit(each.span, names[each.name]) for each in unsaid if each.name in names]
    if definition.node.returns is None:
        returned = _returns_private(code, definition, text)
        if returned is None:
            return
        edits.append(returned)
    said = ", ".join(f"`{each}`" for each in declared)
    yield Fix(f"protect one record that is added or removed: {said}", tuple(edits), sure=False, declares=True)


def _words(annotation: ast.expr | None) -> set[str]:
    return set() if annotation is None else {each.id for each in ast.walk(annotation) if isinstance(each, ast.Name)}


def _says_whom(annotation: ast.expr | None) -> bool:
    return not _words(annotation).isdisjoint(_SAYS_IT)


def _is_unsaid(annotation: ast.expr | None) -> bool:
    """Whether an annotation tells neither whom a value protects nor that it is public."""
    return _words(annotation).isdisjoint((*_SAYS_IT, "Static"))


def _returns_private(code: Rendering, definition: Definition, text: str) -> Edit | None:
    """What says behind the parameters of a function that it is private."""
    body = definition.span(definition.node.body[0]).start
    header = text[definition.span(definition.node).start : body].rstrip()
    end = definition.span(definition.node).start + len(header) - 1
    return Edit(Span(end, end), f" {code.returns_private}") if header.endswith("):") else None


def _say_who_is_asked_about(code: Rendering, definition: Definition, data: ast.expr, text: str) -> Iterator[Fix]:
    """A parameter that is a frame, in place of the one that a frame is read by, or that is one already."""
    names = [each.id for each in ast.walk(definition.node) if isinstance(each, ast.Name)]
    read = {each.id for each in ast.walk(data) if isinstance(each, ast.Name)}
    given = [each for each in definition.parameters if each.name in read and names.count(each.name) == 1]
    name = given[0].name if given and isinstance(data, ast.Name) else _PEOPLE
    taken = {*names, *(each.name for each in definition.parameters)}
    if len(given) != 1 or (name == _PEOPLE and name in taken and not isinstance(data, ast.Name)):
        return
    said = f"{name}: Annotated[{FRAME}, AddRemove()]"
    returns = definition.node.returns
    private = code.returns_private.removeprefix("->").strip()
    returned = _returns_private(code, definition, text) if returns is None else Edit(definition.span(returns), private)
    if returned is not None:
        edits = [Edit(given[0].span, said), returned]
        edits += [] if isinstance(data, ast.Name) else [Edit(definition.span(data), name)]
        yield Fix(f"protect one record that is added or removed: `{said}`", tuple(edits), sure=False, declares=True)


_PEOPLE = "people"
"""What records are called that had no name."""
