"""Noise whose scale was computed from a sensitivity and an ε, as ``s / eps``, and that hides what moves further than s.

Noise that is given by its scale declares nothing: what it costs follows from how far the value moves. So nothing that
is claimed is wrong here. But whoever writes such a scale says what the release should cost, and a helper with
parameters for the sensitivity and for ε says it of every call.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from dp_lsp.core.algebra import Atom, Function, Poly, Symbol
from dp_lsp.core.constraints import Assumptions, Comparison, decide
from dp_lsp.core.events import Called, Cost, Release, Sequence, Var
from dp_lsp.core.notation import DISPLAY, Printer, as_formula, shown
from dp_lsp.core.ranges import ratio
from dp_lsp.core.scheme import Scheme
from dp_lsp.core.sens import ONE, Sens, magnitude
from dp_lsp.core.term import Apply, Call, Global, Literal, Local, Method, Term, Use
from dp_lsp.core.types import Container, FunctionType, Norm, NumberType
from dp_lsp.infer import problems
from dp_lsp.infer.inference import Inference
from dp_lsp.infer.mistakes.noise import furthest, release_of
from dp_lsp.infer.mistakes.scene import Scene
from dp_lsp.named import NamedTuple
from dp_lsp.problem import Extent, Related

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
