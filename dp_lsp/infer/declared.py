"""Return type annotations: each declared property is proved of the value, established where a conversion is free, or
refused.

Callers rely on all that is declared. So each property either follows from what was inferred, or becomes a side
condition where its symbols decide. The result is then measured and compared as declared.
"""

from __future__ import annotations

from dp_lsp.builtins import remedies
from dp_lsp.core import annotation, term
from dp_lsp.core.algebra import Poly
from dp_lsp.core.annotation import Annotation, ContainerOf, DatasetOf, NumberOf, Publics, TupleOf
from dp_lsp.core.constraints import Constraint, Origin, Quantity, decide
from dp_lsp.core.metrics import as_dataset, conversion, is_no_larger
from dp_lsp.core.notation import shown, type_words
from dp_lsp.core.scheme import Judgement
from dp_lsp.core.sens import ONE, magnitude, maximum
from dp_lsp.core.types import (
    Base,
    Bounds,
    Clip,
    Container,
    Dataset,
    ModelType,
    Norm,
    NumberType,
    TupleType,
    Type,
    TypeVariable,
    Unknown,
)
from dp_lsp.core.values import replace
from dp_lsp.infer import checks, norms, problems
from dp_lsp.infer.inference import Inference
from dp_lsp.infer.publics import without_unreal, without_varying
from dp_lsp.infer.solver import Mismatch
from dp_lsp.intents import DeclareLeast, Intent, Through
from dp_lsp.named import NamedTuple
from dp_lsp.problem import Kind as ProblemKind
from dp_lsp.problem import Problem, Related
from dp_lsp.text import Span


def result(inference: Inference, method: term.Method, value: Judgement, publics: Publics) -> Judgement:
    """The judgement of a method's value as declared. Reports a value that is something else."""
    declared = annotation.instantiate(method.result, "the result", publics)
    given = inference.type(value)
    if isinstance(given, TypeVariable) and isinstance(declared, NumberType) and not given.releases:
        given = _taken_for(inference, given, declared)
    if _is_within(declared, given):
        promise = _Promise(inference, method, publics, checks.result_span(method), checks.result_term(method))
        return promise.kept(method.result, value)
    inference.report(
        problems.WrongResult.at(
            method.name_span, name=method.name, declared=type_words(declared), given=type_words(given)
        )
    )
    return value


def _taken_for(inference: Inference, given: TypeVariable, declared: NumberType) -> Type:
    """A run fails where its value cannot be converted to a number, so what may be any value is taken to be one."""
    try:
        return inference.solver.join(given, NumberType(declared.base))
    except Mismatch:
        return given


def _is_within(declared: Type, given: Type) -> bool:
    """Whether values are of the kind that is declared, whatever else is declared of them."""
    match declared, given:
        case (TypeVariable(), _) | (_, Unknown()):
            return True
        case (NumberType(a), NumberType(b)):
            return a is b or (a is Base.REAL and b is Base.INTEGER)
        case (Container(kind=a, element=inner), Container(kind=b, element=other)):
            return a is b and _is_within(inner, other)
        case (TupleType(items), TupleType(others)):
            return len(items) == len(others) and all(map(_is_within, items, others))
        case (Dataset(metric, records), _):
            found = as_dataset(given)
            alike = found is not None and metric in (found.metric, found.metric.unordered)
            return found is not None and alike and _is_within(records, found.records)
        case (ModelType(), ModelType()):
            return True
    return type(declared) is type(given)


class _Missed(NamedTuple):
    """A property that a result lacks: the kind of problem, what is declared and what is known in words, and what would
    mend it."""

    kind: type[ProblemKind]
    declared: str
    known: str
    remedy: Intent | None = None


class _Promise(NamedTuple):
    """What a method declares of its value, or of an item of it, which stands at ``span``. What it is written as is
    ``node``, or None where nothing is: then no repair can be."""

    inference: Inference
    method: term.Method
    publics: Publics
    span: Span
    node: term.Term | None

    def kept(self, declared: Annotation, value: Judgement) -> Judgement:
        """The value as it is declared."""
        type_ = self.inference.type(value)
        match declared, type_:
            case NumberOf(bounds=ends), NumberType() if ends is not None:
                certain = without_varying(without_unreal(type_))
                assert isinstance(certain, NumberType), "it stays a number"
                self._bounded(annotation.instantiate(declared, "", self.publics), certain)
            case ContainerOf(norm=Norm() as norm), Container():
                return self._measured(norm, value, type_)
            case DatasetOf(), Dataset() | Container():
                dataset = as_dataset(type_)
                assert dataset is not None, "it was found to be one"
                return replace(value, type=self._dataset(declared, dataset))
            case TupleOf(items), TupleType():
                parts = self.inference.items(value, len(items), self.span)
                kept = tuple(self._item(at).kept(items[at], part) for at, part in enumerate(parts))
                return replace(value, type=type_.put(part.type for part in kept), parts=kept)
        return value

    def _item(self, index: int) -> _Promise:
        """The same of an item, where it is written by itself."""
        if isinstance(self.node, term.MakeTuple):
            node = self.node.items[index]
            return self._replace(node=node, span=node.span)
        return self._replace(node=None)

    @property
    def _written(self) -> str:
        return f"`{self.inference.written(self.span)}`"

    def _measured(self, wanted: Norm, value: Judgement, box: Container) -> Judgement:
        """A container in the norm that is declared. One that nothing moves is the same point in every norm."""
        norm = self.inference.solver.norm(box.norm)
        if not isinstance(norm, Norm):
            self.inference.solver.same_norm(norm, wanted)
            return value
        measured = replace(box, norm=wanted)
        if norm is wanted or not value.moves:
            return replace(value, type=measured)
        if is_no_larger(wanted, norm):
            norms.notice(self.inference, self.span, measured, box)
            return replace(value, type=measured, moves=norms.in_smaller(value.moves, self.span))
        factor = shown(conversion(norm, wanted, box.length))
        known = f"{self._written} is measured in {norm.value}: in {wanted.value} it may move {factor} times as far"
        title = f"measure it in {wanted.value} (the sensitivity counts {factor} times)"
        remedy = Through(title, self.span, (remedies.measure_in(wanted),))
        self._missed(_Missed(problems.ResultNorm, type_words(measured), known, remedy))
        return value

    def _bounded(self, declared: Type, given: Type) -> None:
        """Numbers lie where it is declared: the interval that is known is within the one that is wanted."""
        wanted = declared.bounds if isinstance(declared, NumberType) else None
        if wanted is None or not isinstance(given, NumberType):
            return
        known = given.bounds if given.static is None else Bounds(given.static, given.static)
        low, high = shown(wanted.low), shown(wanted.high)
        title = f"keep it from {low} to {high}"
        remedy = Through(title, self.span, (remedies.within(wanted),))
        words = f"no bounds of {self._written} are known"
        if known is not None and known.low == known.high:
            words = f"{self._written} is {shown(known.low)}"
        elif known is not None:
            words = f"{self._written} is only known to lie between {shown(known.low)} and {shown(known.high)}"
        missed = _Missed(problems.ResultBounds, f"numbers from {low} to {high}", words, remedy)
        ends = () if known is None else ((wanted.low, "<=", known.low), (known.high, "<=", wanted.high))
        self._demand(missed, *ends)

    def _dataset(self, declared: DatasetOf, given: Dataset) -> Dataset:
        """A dataset with all that is declared of it."""
        wanted = annotation.instantiate(declared, "the result", self.publics)
        assert isinstance(wanted, Dataset), "a dataset is declared"
        self._bounded(wanted.records.element, given.records.element)
        found = self._rows(wanted, given) if declared.radius is not None else given
        found = self._sized(wanted, found) if declared.size is not None else found
        found = self._at_least(wanted.least, found) if wanted.least is not None else found
        return replace(found, metric=wanted.metric)

    def _rows(self, wanted: Dataset, given: Dataset) -> Dataset:
        """Rows no larger than is declared: as they are known to be in another norm, times what that may be in this one,
        or as their entries are."""
        norm, most = Norm(wanted.records.clip.value), wanted.radius
        if most is None:
            return given
        known = _size_of_rows(given)
        declared = f"rows of at most {shown(most)} in {norm.value}"
        words = f"no norm of the rows of {self._written} is known"
        if known is not None:
            words = f"the rows of {self._written} may measure up to {shown(known[1])} in {known[0].value}"
        title = f"scale its rows down to {shown(most)}"
        remedy = Through(title, self.span, (remedies.rows_within(norm, most),))
        missed = _Missed(problems.ResultRows, declared, words, remedy)
        if known is None:
            self._missed(missed)
            return given
        factor = conversion(known[0], norm, given.records.length)
        largest = known[1]
        if factor != ONE:
            largest = (magnitude(largest) if isinstance(largest, Poly) else largest) * factor
        self._demand(missed, (largest, "<=", most))
        radius = given.radius if factor == ONE and given.radius is not None else most
        return replace(given, records=replace(given.records, clip=Clip(norm.value)), radius=radius)

    def _sized(self, wanted: Dataset, given: Dataset) -> Dataset:
        """As many records as are declared, where their number is public."""
        size = wanted.size
        words = f"{self._written} has {_records(given.size)}"
        self._demand(_Missed(problems.ResultCount, _records(size), words), (given.size, "==", size))
        box = given.records
        return replace(given, records=replace(box, length=size) if box.rows is None else replace(box, rows=size))

    def _at_least(self, least: Poly, given: Dataset) -> Dataset:
        """No fewer records than are declared."""
        known = given.size if given.least is None and given.metric.sized else given.least
        words = f"{self._written} may have any number of them"
        if known is not None:
            words = f"{self._written} has {'at least ' if given.least is not None else ''}{_records(known)}"
        missed = _Missed(problems.ResultCount, f"at least {_records(least)}", words, self._said_of_parameter(least))
        self._demand(missed, *(() if known is None else ((least, "<=", known),)))
        return given if given.least is not None else replace(given, least=least)

    def _said_of_parameter(self, least: Poly) -> Intent | None:
        """Have the one parameter that is a dataset of unknown size hold so many records."""
        found = [
            param for param in self.method.params if isinstance(param.type, DatasetOf) and param.type.least is None
        ]
        number = least.number
        return DeclareLeast(found[0].span, int(number)) if len(found) == 1 and number is not None else None

    def _demand(self, missed: _Missed, *needs: tuple[Quantity, str, Quantity]) -> None:
        """All of these must hold; without any, nothing is known and it is missed."""
        if not needs or any(decide(*need) is False for need in needs):
            self._missed(missed)
            return
        reason = f"`{self.method.name}` is declared to return {missed.declared}"

        def failed(_: Constraint) -> Problem:
            return self._problem(missed)

        for left, relation, right in needs:
            self.inference.demand(left, relation, right, Origin(self.span, reason), failed)

    def _missed(self, missed: _Missed) -> None:
        self.inference.report(self._problem(missed))

    def _problem(self, missed: _Missed) -> Problem:
        name = self.method.name
        remedy = missed.remedy if self.node is not None else None
        fixes = () if remedy is None else self.inference.fixes(remedy)
        related = (Related(f"what `{name}` returns is declared here", self.method.header),)
        return missed.kind.at(
            self.span,
            name=name,
            declared=missed.declared,
            known=missed.known,
            related=related,
            fixes=fixes,
        )


def _records(number: Poly) -> str:
    return f"{shown(number)} record{'' if number.number == 1 else 's'}"


def _size_of_rows(given: Dataset) -> tuple[Norm, Quantity] | None:
    """How much a row measures at most, and in which norm: as it was clipped, or as its largest entry."""
    element = given.records.element
    if given.radius is not None:
        return Norm(given.records.clip.value), given.radius
    if isinstance(element, NumberType) and element.bounds is not None:
        return Norm.LINF, maximum((magnitude(element.bounds.low), magnitude(element.bounds.high)))
    return None
