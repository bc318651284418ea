"""What is reported of a black box: what its user says of it."""

from __future__ import annotations

from collections.abc import Iterator

from dp_lsp.analysis.records import ConditionReport, FunctionReport, ParameterReport, State
from dp_lsp.builtins.remedies import UNBOX
from dp_lsp.core.display import type_text
from dp_lsp.core.scheme import BlackBox, FunctionValue
from dp_lsp.engine.describe import Place
from dp_lsp.intents import Rendering


def describe_box(
    value: FunctionValue, place: Place, signature: str, names: tuple[str, ...], code: Rendering
) -> FunctionReport:
    """The report of a black box: the user's word, with its premises listed as conditions."""
    box = value.black_box
    assert box is not None
    said = code[UNBOX.builtin]
    text = f"`{box.name}` is deterministic, changes nothing it is given, and returns what `{said}` says it does"
    display = f"BlackBox<sign: [{signature[1:-1]}]>"
    return FunctionReport(
        box.name, signature, "blackbox", State.PROVED, "", place.span, place.name,
        tuple(_box_parameters(box, names)), "", (), (), (ConditionReport(text, None, False),), display,
    )  # fmt: skip


def _box_parameters(box: BlackBox, names: tuple[str, ...]) -> Iterator[ParameterReport]:
    for name, type_ in zip(names, box.params, strict=True):
        yield ParameterReport(name, "Any" if type_ is None else type_text(type_), False, None, None, None, "")
