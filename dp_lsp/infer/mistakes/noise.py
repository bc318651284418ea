"""Mistakes in how much noise is added; among them what would hold under another relation between neighbouring
datasets.

Noise whose scale was computed from a sensitivity and an ε, as ``s / eps``, and that hides what moves further than s.

Noise that is given by its scale declares nothing: what it costs follows from how far the value moves. So nothing that
is claimed is wrong here. But whoever writes such a scale says what the release should cost, and a helper with
parameters for the sensitivity and for ε says it of every call.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

from dp_lsp.builtins import intervals
from dp_lsp.builtins.define import Noise
from dp_lsp.core.algebra import Atom, Function, Poly, Symbol
from dp_lsp.core.annotation import DatasetOf
from dp_lsp.core.constraints import Assumptions, Comparison, decide
from dp_lsp.core.events import Called, Cost, Release, Sequence, Var
from dp_lsp.core.notation import DISPLAY, Printer, as_formula, figure, shown
from dp_lsp.core.ranges import ratio
from dp_lsp.core.scheme import Effort, Scheme
from dp_lsp.core.sens import ONE, Sens, magnitude, maximum
from dp_lsp.core.term import Apply, Call, Global, Literal, Local, Method, Term, Use
from dp_lsp.core.types import Bounds, Container, Dataset, DatasetMetric, FunctionType, Norm, NumberType
from dp_lsp.core.values import replace
from dp_lsp.infer import functions, problems, terms
from dp_lsp.infer.context import TypingContext
from dp_lsp.infer.inference import Inference
from dp_lsp.infer.mistakes.scene import Scene, noise_of
from dp_lsp.intents import Write
from dp_lsp.language import Familiar
from dp_lsp.named import NamedTuple
from dp_lsp.problem import Edit, Extent, Fix, Problem, Related

_MOST_USUAL = 10  # ε
_ADDED = (Norm.L1, Norm.L2)  # what noise that is added is made for; a choice is made among scores


class MechanismCall(NamedTuple):
    """A call of a mechanism, what it hides, and what is declared of how far that moves."""

    call: Call
    noise: Noise
    hidden: Term
    place: Term | None
    declared: Poly | None


def release_of(scene: Scene, node: Term | None) -> MechanismCall | None:
    """What a term releases, if it is a call of a mechanism."""
    noise = noise_of(node) if isinstance(node, Call) else None
    hidden = scene.argument(node, noise.hidden) if isinstance(node, Call) and noise is not None else None
    if not isinstance(node, Call) or noise is None or hidden is None:
        return None
    place = None if noise.declares is None else scene.argument(node, noise.declares)
    return MechanismCall(node, noise, hidden, place, scene.static(place))


def _mechanism(scene: Scene, problem: Problem) -> MechanismCall | None:
    """The mechanism that a problem of one of its arguments is about."""
    return release_of(scene, scene.given_to(problem.span))


def no_noise(scene: Scene, problem: Problem) -> Problem | None:
    """The scale of the noise is 0."""
    release = _mechanism(scene, problem)
    if release is None or release.noise.norm not in _ADDED:
        return None
    for scale in release.noise.grows:
        node = scene.argument(release.call, scale)
        value = scene.static(node)
        if node is None or value is None or value.number != 0:
            continue
        named = scale if isinstance(node, Literal) else scene.written(node)
        fixes, related = enough(scene, release.hidden, node) if node is release.place else ((), ())
        facts: dict[str, Any] = {"scale": named, "written": scene.written(release.hidden)}
        return problems.NoNoise.at(node.span, related=related, fixes=fixes, **facts)
    return None


def below_zero(scene: Scene, problem: Problem) -> Problem | None:
    """The noise is made for a sensitivity below 0."""
    release = _mechanism(scene, problem)
    number = None if release is None or release.declared is None else release.declared.number
    if release is None or release.place is None or number is None or number >= 0:
        return None
    given = scene.written(release.place)
    what = f"{given} is below 0" if given == figure(number) else f"`{given}` is {figure(number)}, below 0"
    fixes, related = enough(scene, release.hidden, release.place)
    return _wrong_end(scene, release, release.place, what)._replace(related=related, fixes=fixes)


def swapped(scene: Scene, problem: Problem) -> Problem | None:
    """What is declared of the input, and what it is to cost, would be enough in each other's place."""
    release = _mechanism(scene, problem)
    if release is None or release.declared is None or release.place is None:
        return None
    for name in release.noise.shrinks:
        node = scene.argument(release.call, name)
        epsilon, declared, far = scene.static(node), release.declared.number, furthest(scene, release.hidden)
        if node is None or epsilon is None or epsilon.number is None or declared is None or epsilon.number <= declared:
            continue
        if epsilon.number <= _MOST_USUAL or decide(far, "<=", epsilon) is not True:
            continue
        edits = ((release.place.span, _text(scene, node)), (node.span, _text(scene, release.place)))
        given = [
            release.place if each is node else node if each is release.place else each for each in release.call.args
        ]
        call = scene.inference.code.call(release.call.builtin, *(_text(scene, each) for each in given))
        fixes = scene.inference.fixes(Write(f"swap the sensitivity and ε: `{call}`", edits, sure=True))
        return problems.SwappedArguments.at(
            problem.span,
            declared=figure(declared),
            epsilon=figure(epsilon.number),
            written=scene.written(release.hidden),
            inferred=shown(far),
            call=call,
            fixes=fixes,
        )
    return None


def _text(scene: Scene, node: Term) -> str:
    return scene.inference.context.text[slice(*node.span)]


def other_relation(scene: Scene, problem: Problem) -> Problem | None:
    """What is declared is enough under the other relation."""
    release = _mechanism(scene, problem)
    if release is None or release.declared is None:
        return None
    there = _otherwise(scene, release.hidden)
    if there is None or decide(there.furthest, "<=", release.declared) is not True:
        return None
    far, step = shown(furthest(scene, release.hidden)), _STEPS
    what = f"`{scene.written(release.hidden)}` can change by {far} {step[there.declared]} ({there.declared.value})"
    but = f"{shown(release.declared)} is enough only {step[there.other]} ({there.other.value})"
    return problems.OtherRelation.at(problem.span, what=what, but=but, related=problem.related, fixes=problem.fixes)


def one_end(scene: Scene, problem: Problem) -> Problem | None:
    """What is declared is one end of where numbers lie, and the other one counts."""
    release = _mechanism(scene, problem)
    if release is None or release.declared is None or release.place is None:
        return None
    far = furthest(scene, release.hidden)
    for bounds in _bounds(scene, release.hidden):
        if far not in (intervals.most(bounds), magnitude(bounds.high - bounds.low)):
            continue  # it is no sum of such numbers
        for end, word in ((bounds.high, "upper"), (bounds.low, "lower")):
            if release.declared in (end, -end) and bounds.low != -bounds.high:
                between = f"[{shown(bounds.low)}, {shown(bounds.high)}]"
                what = f"{shown(release.declared)} is the {word} end of {between}"
                mistake = _wrong_end(scene, release, release.place, what)
                return mistake._replace(related=problem.related, fixes=problem.fixes)
    return None


def dropped(scene: Scene, call: Call, argument: str, quotient: Apply) -> Problem | None:
    """The noise is made for a quotient of which something is left out."""
    release, function = release_of(scene, call), quotient.function
    does = scene.inference.context.language.vocabulary.does
    divides = isinstance(function, Global) and does(function.name, Familiar.WHOLE_QUOTIENT)
    if release is None or release.noise.declares != argument or not divides or len(quotient.args) != 2:
        return None
    what = f"`{scene.written(quotient)}` drops the remainder"
    return _wrong_end(scene, release, quotient, what)._replace(fixes=(divided(scene, quotient),))


def divided(scene: Scene, quotient: Apply) -> Fix:
    """A quotient that drops nothing, instead of one that does."""
    top, bottom = (scene.written(node) for node in quotient.args)
    code, sign = scene.inference.code, quotient.function.span
    infix = quotient.args[0].span.end <= sign.start
    whole = Edit(quotient.span, code.call("/", f"({top})", f"({bottom})"))
    return Fix(f"divide by `{code['/']}`", (Edit(sign, code["/"]) if infix else whole,))


def _bounds(scene: Scene, node: Term) -> Iterator[Bounds]:
    """Where the private numbers lie that a value is made of."""
    inference = scene.inference
    params = (inference.context.environment.get(param.local) for param in scene.method.params)
    private = {var for known in params if known is not None for var in known.moves if not var.public}
    for part in scene.flow(node):
        known = inference.recorder.judgements.get(part)
        if known is not None and private.isdisjoint(known.moves):
            continue
        type_ = scene.type(part)
        element = type_.records.element if isinstance(type_, Dataset) else type_
        if isinstance(element, NumberType) and element.bounds is not None:
            yield element.bounds


def _wrong_end(scene: Scene, release: MechanismCall, place: Term, what: str) -> Problem:
    far = shown(furthest(scene, release.hidden))
    return problems.WrongEnd.at(place.span, what=what, written=scene.written(release.hidden), inferred=far)


def furthest(scene: Scene, node: Term) -> Sens:
    """How far a value moves with the variable that moves it most."""
    values = scene.inference.solver.substitution()
    return maximum(values.sens(move.sens) for move in scene.moves(node).values())


def enough(scene: Scene, hidden: Term, place: Term) -> tuple[tuple[Fix, ...], tuple[Related, ...]]:
    """What would be enough for the noise, as a repair of a place and a pointer to it."""
    least = furthest(scene, hidden)
    if least.zero or least.infinite:
        return (), ()
    fixes = scene.inference.replaced(place.span, least)
    return fixes, (Related(f"{shown(least)} is the smallest value that is enough", place.span),)


OTHER = {
    DatasetMetric.SYMMETRIC: DatasetMetric.CHANGE_ONE,
    DatasetMetric.CHANGE_ONE: DatasetMetric.SYMMETRIC,
    DatasetMetric.INSERT_DELETE: DatasetMetric.HAMMING,
    DatasetMetric.HAMMING: DatasetMetric.INSERT_DELETE,
}
"""The relation that one is taken for."""

CHANGED = {metric: "replaced" if metric.sized else "added or removed" for metric in DatasetMetric}
"""What may be done to a record under a relation."""

_STEPS = {metric: f"when a record is {changed}" for metric, changed in CHANGED.items()}
"""What a step is under a relation."""


class _Otherwise(NamedTuple):
    """How far a value would move if the datasets it is made of were compared by ``other``, and not as ``declared``."""

    declared: DatasetMetric
    other: DatasetMetric
    furthest: Sens


def _otherwise(scene: Scene, node: Term) -> _Otherwise | None:
    """How far a value would move under the other relation; None if it is made of no datasets, or of several kinds.
    The function is inferred once more for it, which happens only where something is wrong."""
    moved = {var.name for var in scene.moves(node)}
    annotations = {param.type for param in scene.method.params if param.local.name in moved}
    declared = {type_.metric for type_ in annotations if isinstance(type_, DatasetOf) and type_.metric is not None}
    if len(declared) != 1 or scene.method.body is None:
        return None
    metric = declared.pop()
    there = scene.otherwise.get(metric) or _under(scene, OTHER[metric])
    scene.otherwise[metric] = there
    found, values = there.moves(node), there.inference.solver.substitution()
    if not found:
        return None
    return _Otherwise(metric, OTHER[metric], maximum(values.sens(move.sens) for move in found.values()))


def _under(scene: Scene, metric: DatasetMetric) -> Scene:
    """The method with its datasets compared by another relation."""
    return _with(scene, lambda type_: replace(type_, metric=metric))


def of_at_least(scene: Scene, least: int) -> Scene:
    """The method with its datasets having so many records at least, where nothing is said of it."""
    return _with(scene, lambda type_: type_ if type_.least is not None else replace(type_, least=Fraction(least)))


def _with(scene: Scene, change: Callable[[DatasetOf], DatasetOf]) -> Scene:
    """The method with other datasets. It is inferred once more for it."""
    params = tuple(
        replace(param, type=change(param.type)) if isinstance(param.type, DatasetOf) else param
        for param in scene.method.params
    )
    known = scene.inference.context
    context = TypingContext(known.text, known.language, known.rules, known.resolve, known.look, Effort(known.look))
    again = Inference(context, terms.rule)
    functions.body(again, replace(scene.method, params=params), again.solver.mark(), scene.usual)
    return Scene(again, scene.method, scene.usual)


_EPSILON = re.compile(r"(?:^|_)(?:eps|epsilon|ε|ϵ)(?:_|\d|$)", re.IGNORECASE)
"""How people call what says how much may be told."""
_NOTHING, _ONE = Poly.of(0), Poly.of(1)


class _Scale(NamedTuple):
    """A scale as it is written: the sensitivity that it is made for, the ε, and the expression that says the
    sensitivity, which is ``share`` of it."""

    sensitivity: Poly
    epsilon: Poly
    place: Term
    share: Poly


def too_small(inference: Inference, method: Method, usual: int) -> None:
    """Say of noise that is made for less than what it hides what it really costs."""
    scene = Scene(inference, method, usual)
    for call in scene.calls:
        inference.context.look()
        _of_draw(scene, call)
    for node in scene.terms:
        if isinstance(node, Apply) and node in inference.recorder.judgements:
            _of_helper(scene, node)


# A scale that is written here


def _of_draw(scene: Scene, call: Call) -> None:
    release = release_of(scene, call)
    if release is None or not release.noise.measured or release.noise.norm is not Norm.L1:
        return
    node = scene.argument(call, release.noise.grows[0])
    scale = None if node is None else _read(scene, node)
    far = _distance(scene, release.hidden)
    if scale is None or node is None or far is None or not _is_more(far, scale.sensitivity):
        return
    needed = far * magnitude(scale.share.inverse())
    scene.inference.report(
        problems.SmallScale.at(
            _plain(scene, node).span,
            written=scene.written(release.hidden),
            inferred=shown(far),
            declared=shown(scale.sensitivity),
            epsilon=shown(scale.epsilon),
            cost=_cost(far, scale.sensitivity, scale.epsilon),
            related=(Related(f"{shown(needed)} is the smallest value that is enough", scale.place.span),),
            fixes=scene.inference.replaced(scale.place.span, needed),
            extent=_extent(far, scale.sensitivity),
        )
    )


def _read(scene: Scene, node: Term) -> _Scale | None:
    """A scale as a sensitivity and an ε: what is divided, and what it is divided by, if a name in that is an ε's."""
    node = _plain(scene, node)
    if not isinstance(node, Call) or len(node.args) != 2 or node.builtin not in ("*", "/"):
        return None
    first, second = node.args
    if node.builtin == "/" and _names_epsilon(scene, second) and not _names_epsilon(scene, first):
        whole, below = scene.static(first), scene.static(second)
        if whole is None or below is None or below.single is None:
            return None
        epsilon, rest = _apart(below)
        return _Scale(whole * rest.inverse(), epsilon, _place(scene, first), rest.inverse())
    for inner, other in ((first, second), (second, first)) if node.builtin == "*" else ((first, second),):
        scale, value = _read(scene, inner), scene.static(other)
        if scale is None or value is None or value.single is None:
            continue
        factor = value if node.builtin == "*" else value.inverse()
        if node.builtin == "*" and scale.sensitivity == _ONE:
            return _Scale(factor, scale.epsilon, _place(scene, other), _ONE)
        return _Scale(scale.sensitivity * factor, scale.epsilon, scale.place, scale.share * factor)
    return None


def _plain(scene: Scene, node: Term) -> Term:
    """What a name stands for, and a number without the ``0 +`` that makes sure that it is one."""
    seen: set[Local] = set()
    while True:
        if isinstance(node, Use) and node.local in scene.made and node.local not in seen:
            seen.add(node.local)
            node = scene.made[node.local]
        elif isinstance(node, Call) and node.builtin == "+" and not _length(node.args[0]):
            node = node.args[-1]
        else:
            return node


def _place(scene: Scene, node: Term) -> Term:
    """Where a number is said: where it gets a name that is read once, or here."""
    made = scene.made.get(node.local) if isinstance(node, Use) else None
    if not isinstance(made, Literal) or not isinstance(node, Use):
        return node
    reads = [each for each in scene.terms if isinstance(each, Use) and each.local is node.local]
    return made if len(reads) == 1 else node


def _length(node: Term) -> int:
    return node.span.end - node.span.start


def _names_epsilon(scene: Scene, node: Term) -> bool:
    return any(_EPSILON.search(name) for part in scene.flow(node) for name in _names(part))


def _names(node: Term) -> Iterator[str]:
    if isinstance(node, Use):
        yield node.local.name
    elif isinstance(node, Global):
        yield node.name


def _apart(below: Poly) -> tuple[Poly, Poly]:
    """What a scale is divided by, as the ε and a public number that is counted with the sensitivity: a number of
    records, say, where the sum of records is what was divided."""
    rest = _ONE
    for atom, power in below.single[0] if below.single is not None else ():
        if isinstance(atom, Symbol) and power > 0 and not _EPSILON.search(atom.name):
            rest = rest * Poly({((atom, power),): Fraction(1)})
    return below * rest.inverse(), rest


# A scale that a helper makes of what it is told


class _Noise(NamedTuple):
    """What a helper draws noise for: a variable that moves by 1, and what that costs."""

    hidden: Var
    epsilon: Sens


def _of_helper(scene: Scene, node: Apply) -> None:
    scheme = _callee(scene, node)
    noise = None if scheme is None else _only_release(scheme.cost)
    if scheme is None or noise is None or len(node.args) != len(scheme.params):
        return
    given = {
        param.type.static.symbol: argument
        for param, argument in zip(scheme.params, node.args, strict=True)
        if isinstance(param.type, NumberType) and param.type.static is not None
    }
    found = _told(noise.epsilon, set(given))
    hidden = [arg for param, arg in zip(scheme.params, node.args, strict=True) if param.var is noise.hidden]
    if found is None or len(hidden) != 1:
        return
    by, epsilon = found
    place, asked = _place(scene, given[by]), scene.static(given[epsilon])
    declared, far = scene.static(given[by]), _distance(scene, hidden[0])
    if declared is None or asked is None or far is None or not _is_more(far, declared):
        return
    scene.inference.report(
        problems.HelperMisled.at(
            given[by].span,
            helper=scheme.name,
            written=scene.written(hidden[0]),
            inferred=shown(far),
            declared=shown(declared),
            epsilon=shown(asked),
            cost=_cost(far, declared, asked),
            related=(Related(f"{shown(far)} is the smallest value that is enough", place.span),),
            fixes=scene.inference.replaced(place.span, far),
            extent=_extent(far, declared),
        )
    )


def _callee(scene: Scene, node: Apply) -> Scheme | None:
    function = scene.type(node.function)
    methods = function.value.methods if isinstance(function, FunctionType) else ()
    return methods[0] if len(methods) == 1 else None


def _only_release(cost: Cost) -> _Noise | None:
    """What a helper releases, if that is one value, with noise of one kind, in which the value counts as it moves."""
    calls: list[Called] = []
    while isinstance(cost, Called) or (isinstance(cost, Sequence) and len(cost.parts) == 1):
        if isinstance(cost, Called):
            calls.append(cost)
        cost = cost.body if isinstance(cost, Called) else cost.parts[0]
    if not isinstance(cost, Release) or cost.factor != ONE or len(cost.distance) != 1:
        return None
    ((hidden, far),) = cost.distance.items()
    event = cost.event
    for call in reversed(calls):
        moved = call.along.get(hidden, {})
        if len(moved) != 1 or far != ONE:
            return None
        ((hidden, far),) = moved.items()
        event = event.put(call.values.sens)
    epsilon = event.numbers.get("ε")
    return None if epsilon is None or epsilon.infinite or far != ONE else _Noise(hidden, epsilon)


def _told(epsilon: Sens, symbols: set[Symbol | None]) -> tuple[Symbol, Symbol] | None:
    """The parameters that say the sensitivity and ε, where the noise is made for one divided by the other."""
    single = epsilon.single_poly().single
    if single is None or single[1] != 1:
        return None
    powers = {_named(atom): power for atom, power in single[0]}
    above = [each for each, power in powers.items() if power == 1 and each and _EPSILON.search(each.name)]
    below = [each for each, power in powers.items() if power == -1 and each]
    if len(powers) != 2 or len(above) != 1 or len(below) != 1:
        return None
    return (below[0], above[0]) if {below[0], above[0]} <= symbols else None


def _named(atom: Atom) -> Symbol | None:
    """The symbol that an atom is, or whose magnitude it is."""
    if isinstance(atom, Symbol):
        return atom
    first = atom.args[0] if atom.function is Function.ABS else None
    return first.symbol if isinstance(first, Poly) else None


# Numbers


def _distance(scene: Scene, hidden: Term) -> Sens | None:
    """How far a value moves in L1; None where that is not known, or nothing."""
    type_ = scene.type(hidden)
    if isinstance(type_, Container) and scene.inference.solver.norm(type_.norm) is not Norm.L1:
        return None
    far = furthest(scene, hidden) if type_ is not None else None
    return None if far is None or far.infinite or far.zero else far


def _is_more(far: Sens, declared: Poly) -> bool:
    """Whether a distance is more than was declared: certainly, or by a factor that grows with names, of which the
    declared one knew nothing."""
    if declared.number is not None and declared.number <= 0:
        return False  # that is refused where the noise is drawn
    times = _times(far, declared)
    if times.number is not None:
        return times.number > 1
    if decide(far, "<=", magnitude(declared)) is False:
        return True
    powers = [power for poly in times.polys for monomial in poly.terms for _, power in monomial]
    return all(power > 0 for power in powers)


def _times(far: Sens, declared: Poly) -> Sens:
    """How many times what was declared a value can move."""
    return ratio(far, magnitude(declared).as_atom())


def _cost(far: Sens, declared: Poly, epsilon: Poly) -> str:
    """What is spent instead of ε, where the noise can be drawn at all."""
    drawn = Assumptions(Comparison(_NOTHING, "<", each) for each in (declared, epsilon))
    return Printer(DISPLAY, drawn).sens(_times(far, declared) * magnitude(epsilon))


def _extent(far: Sens, declared: Poly) -> tuple[Extent, ...]:
    return (Extent("", as_formula(_times(far, declared))),)
