"""A method whose inference is complete, with look-ups for the rules that recognise mistakes: what stands where, and
what it is computed from."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from dp_lsp import builtins
from dp_lsp.builtins.define import Builtin, Noise
from dp_lsp.core import laws, term
from dp_lsp.core.algebra import Poly
from dp_lsp.core.scheme import Move, Moves
from dp_lsp.core.sens import INFINITY
from dp_lsp.core.term import Apply, Bind, Body, Call, Global, Local, Method, Term, Use
from dp_lsp.core.types import DatasetMetric, Type, Unknown
from dp_lsp.infer.inference import Inference
from dp_lsp.language import Familiar
from dp_lsp.text import Span


class Scene:
    """The terms of a method and their judgements. ``usual`` is the contribution bound where no annotation says one."""

    def __init__(self, inference: Inference, method: Method, usual: int) -> None:
        self.usual = usual
        self.otherwise: dict[DatasetMetric, Scene] = {}
        """What the same method would be under the other relation, by the declared one."""
        self.inference = inference
        self.method = method
        self.terms: list[Term] = []
        self.binds: list[Bind] = []
        if method.body is not None:
            self._walk(method.body)

    def _walk(self, body: Body) -> None:
        """Collect the terms and bindings of a body, at any depth."""
        self.binds += body.binds
        for node in term.within(term.of_body(body)):
            self.terms.append(node)
            if isinstance(node, term.Scope):
                self.binds.append(node.bind)
            for inner in term.bodies(node):
                self.binds += inner.binds

    @cached_property
    def calls(self) -> list[Call]:
        """The calls of builtins, from the outer ones to the inner ones."""
        return [node for node in self.terms if isinstance(node, Call)]

    @cached_property
    def has_noise(self) -> bool:
        """Whether a mechanism is called anywhere, or something by a name that draws or is meant to be noise."""
        does = self.inference.context.language.vocabulary.does
        called = (node.function for node in self.terms if isinstance(node, Apply))
        names = {function.name for function in called if isinstance(function, Global)}
        drawn = any(does(name, each) for name in names for each in (Familiar.DRAWS, Familiar.NOISE))
        return drawn or any(noise_of(call) is not None for call in self.calls)

    @cached_property
    def read(self) -> frozenset[Local]:
        """The names, one for each assignment, that are read anywhere."""
        return frozenset(node.local for node in self.terms if isinstance(node, Use))

    @cached_property
    def made(self) -> dict[Local, Term]:
        """The term that each local name is bound to."""
        return {target: bind.term for bind in self.binds for target in bind.targets}

    @cached_property
    def arguments(self) -> dict[Term, tuple[Call, str]]:
        """Of what is given to a builtin, the call and the name of the argument."""
        return {
            node: (call, name)
            for call in self.calls
            for node, name in zip(call.args, row(call).arguments(len(call.args), call.keywords), strict=False)
        }

    @cached_property
    def _places(self) -> dict[Span, Term]:
        """The outermost inferred term at each place."""
        known = (node for node in reversed(self.terms) if node in self.inference.recorder.judgements)
        return {node.span: node for node in known}

    @cached_property
    def _given(self) -> dict[Span, Call]:
        """The call of a builtin that has an argument at a place; of several the outermost."""
        return {node.span: call for call in reversed(self.calls) for node in call.args}

    @cached_property
    def _called(self) -> dict[tuple[Span, str], Call]:
        """The call of a builtin by its place and name; of several the outermost."""
        return {(call.span, call.builtin): call for call in reversed(self.calls)}

    def at(self, span: Span) -> Term | None:
        """The outermost expression at a place."""
        return self._places.get(span)

    def argument_at(self, span: Span) -> tuple[Term, Call, str] | None:
        """The outermost expression at a place, if it is given to a builtin, with the call and the argument's name."""
        node = self.at(span)
        found = None if node is None else self.arguments.get(node)
        return None if node is None or found is None else (node, *found)

    def given_to(self, span: Span) -> Call | None:
        """The call of a builtin that has an argument at a place."""
        return self._given.get(span)

    def argument(self, call: Call, name: str) -> Term | None:
        """What is given to a builtin by the name of its parameter."""
        return next((node for node in call.args if self.arguments.get(node) == (call, name)), None)

    def is_input(self, span: Span) -> bool:
        """Whether a place is part of what a mechanism hides, or of what is declared of it: inputs may show it there."""
        for node, (call, name) in self.arguments.items():
            noise = noise_of(call)
            inside = node.span.start <= span.start and span.end <= node.span.end
            if noise is not None and inside and name in (noise.hidden, noise.declares):
                return True
        return False

    def flow(self, node: Term) -> Iterator[Term]:
        """A term and all terms that it is computed from, through names."""
        pending, seen = [node], set[Local]()
        while pending:
            found = pending.pop()
            yield found
            if isinstance(found, Use):
                if found.local not in seen and found.local in self.made:
                    pending.append(self.made[found.local])
                seen.add(found.local)
            else:
                pending += [*term.parts(found)][::-1]

    def type(self, node: Term) -> Type | None:
        """The type of an expression, if it is known."""
        known = self.inference.recorder.judgements.get(node)
        if known is None and isinstance(node, Use):  # in a loop that was not understood
            return self.type_of(node.local)
        found = None if known is None else self.inference.type(known)
        return None if isinstance(found, Unknown) else found

    def type_of(self, parameter: Local) -> Type | None:
        """The type of a parameter, if it is known; None for any other name."""
        known = None if parameter in self.made else self.inference.context.environment.get(parameter)
        found = None if known is None else self.inference.type(known)
        return None if isinstance(found, Unknown) else found

    def moves(self, node: Term) -> Moves:
        """The environment of a value as a release sees it, without public parameters."""
        known = self.inference.recorder.judgements.get(node)
        moved = {} if known is None else self.inference.released(known.moves, node.span)
        return {var: move for var, move in moved.items() if not var.public and not var.members}

    def private(self, node: Term) -> list[str]:
        """The private parameters that a value is computed from; where nothing was inferred of it, those that
        it reads."""
        if node in self.inference.recorder.judgements and self.type(node) is not None:
            return sorted({var.name for var in self.moves(node)})
        params = {param.local for param in self.method.params if not param.static}
        return sorted({each.local.name for each in self.flow(node) if isinstance(each, Use) and each.local in params})

    def static(self, node: Term | None) -> Poly | None:
        """The value of a public number."""
        known = None if node is None else self.inference.recorder.judgements.get(node)
        found = None if known is None else self.inference.static(known)
        return None if found is None else self.inference.solver.substitution().poly(found)

    def infinite(self, span: Span) -> list[Move]:
        """The steps at which the sensitivity of a value became ∞, last one first."""
        node = self.at(span)
        moved = () if node is None else self.moves(node).values()
        step = next((move for move in moved if move.sens is INFINITY), None)
        found: list[Move] = []
        while step is not None:
            found.append(step)
            step = next((before for before in step.before if before.sens is INFINITY), None)
        return found

    def conditions(self, span: Span) -> set[Span]:
        """The conditions of branches by which the sensitivity of a value became ∞."""
        return {step.span for step in self.infinite(span) if step.rule == laws.CONDITION}

    def call_at(self, span: Span, builtin: str) -> Call | None:
        """The call of a builtin at a place."""
        return self._called.get((span, builtin))

    def written(self, node: Term) -> str:
        """The source text of a term."""
        return self.inference.written(node.span)


def listed(names: list[str]) -> str:
    """Names for a sentence, without the first and the last backquote. A record is named after all it was drawn from."""
    return "`, `".join(names).replace(" and ", "` and `")


def row(call: Call) -> Builtin:
    """The row of a call."""
    return builtins.TABLE[call.builtin]


def noise_of(call: Call) -> Noise | None:
    """What a builtin releases, if it is a mechanism."""
    return next((form.noise for form in row(call).forms if form.noise is not None), None)
