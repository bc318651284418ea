"""A statistic that nothing limits, released: a function of which it is known that it is not private.

A sum, a mean or an extreme of numbers without bounds is refused, and nothing is claimed of what is made of it. Where a
private function returns just that with noise of a public scale, and the numbers are those of a parameter as they are
given, more is known: one record may move the statistic by any amount, so no such noise hides it. (Two datasets that
differ in a record of size t move it by an amount that grows with t, and the densities of what is returned differ by a
factor that grows with it, too.)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from dp_lsp.core import term
from dp_lsp.core.constraints import Origin
from dp_lsp.core.descriptors import Descriptor
from dp_lsp.core.events import Var
from dp_lsp.core.scheme import SchemeParameter
from dp_lsp.core.types import Dataset, Kind, NumberType
from dp_lsp.infer.checks import result_term
from dp_lsp.infer.effects import NONE, Effects, in_sequence
from dp_lsp.infer.inference import Inference
from dp_lsp.infer.mistakes.mending.parts import through_names
from dp_lsp.infer.mistakes.noise import release_of
from dp_lsp.infer.mistakes.scene import Scene


def released(inference: Inference, method: term.Method, usual: int, params: Iterable[SchemeParameter]) -> Effects:
    """The effect of releasing statistics that nothing limits, which are errors then: a leak. None where something else
    was not understood, too, or protects somebody else: what that costs is not known."""
    recorder = inference.recorder
    spans = {span for span, (_, lacks) in recorder.lacking.items() if lacks is Descriptor.BOUNDS}
    refused = {each.message for each in recorder.problems if each.unchecked and each.span in spans}
    if not method.privacy or not refused or not refused.issuperset(recorder.doubts):
        return NONE
    found = {var: node for node, var in _unlimited(Scene(inference, method, usual)) if node.span in spans}
    if not found.keys() >= {each.var for each in params if not each.static}:
        return NONE
    recorder.doubts.clear()
    for place, each in enumerate(recorder.problems):
        recorder.problems[place] = each._replace(unchecked=False)
    return in_sequence(inference.leak([var], Origin(node.span, "no bounds")) for var, node in found.items())


def _unlimited(scene: Scene) -> Iterator[tuple[term.Call, Var]]:
    """What is returned with noise of a public scale: a call on a parameter of numbers without bounds, and that."""
    params = {param.local for param in scene.method.params}
    for result in _results(scene):
        release = release_of(scene, through_names(scene, result))
        hidden = None if release is None else through_names(scene, release.hidden)
        if release is None or not isinstance(hidden, term.Call):
            continue
        others = [each for each in release.call.args if each is not release.hidden]
        data = [through_names(scene, each) for each in hidden.args]
        if any(scene.moves(each) or not isinstance(scene.type(each), NumberType) for each in others):
            continue
        for each in data:
            type_ = scene.type(each)
            if isinstance(each, term.Use) and each.local in params and isinstance(type_, Dataset):
                element = type_.records.element
                if type_.records.kind is Kind.VECTOR and isinstance(element, NumberType) and element.bounds is None:
                    yield from ((hidden, var) for var in scene.moves(each))


def _results(scene: Scene) -> Iterator[term.Term]:
    """What a method returns whatever happens: its value, and the items of a tuple."""
    waiting = [result_term(scene.method)]
    while waiting:
        node = waiting.pop()
        if isinstance(node, term.MakeTuple):
            waiting += reversed(node.items)
        elif node is not None:
            yield node
