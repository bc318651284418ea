"""In-place changes: which variable gets a new version, and whether somebody else would see the change."""

from __future__ import annotations

from collections.abc import Iterable

from dp_lsp import builtins, surface
from dp_lsp.builtins.remedies import COPY
from dp_lsp.core import term
from dp_lsp.core.term import Bind, Local, Term
from dp_lsp.intents import Before, Through
from dp_lsp.lower import problems
from dp_lsp.lower.expressions import Expressions
from dp_lsp.lower.ownership import Holdings, Memory, Provenance
from dp_lsp.lower.scope import BodyScope, LoweringUnit
from dp_lsp.lower.sharing import Sharing
from dp_lsp.lower.survey import changed_positions
from dp_lsp.named import NamedTuple
from dp_lsp.problem import Kind, Problem, Related
from dp_lsp.text import Span

_KIND_OF: dict[Provenance, type[Kind]] = {
    Provenance.PART: problems.PartChanged,
    Provenance.TAKEN_APART: problems.TakenApartChanged,
    Provenance.CALL: problems.PassedThrough,
    Provenance.CHOICE: problems.TwoMemories,
}


class Changing(NamedTuple):
    """A statement that changes arguments in place: their positions, and the row if it is a builtin."""

    positions: tuple[int, ...]
    row: builtins.Builtin | None


class Changes:
    """The in-place changes of one body. ``changed`` are the parameters that were changed so far; ``refused`` says that
    there was a change, or a ``return``, that must not be; ``rounds`` counts the loops around a place."""

    def __init__(self, unit: LoweringUnit, scope: BodyScope, sharing: Sharing, expressions: Expressions) -> None:
        self._unit = unit
        self._scope = scope
        self._sharing = sharing
        self._expressions = expressions
        self.changed: set[str] = set()
        self.refused = False
        self.rounds = 0

    def changed_by(self, node: surface.Call) -> Changing | None:
        """What a call changes in place, if it is one of a builtin or of a function that changes something."""
        if not isinstance(node.callee, surface.Name):
            return None
        row = self._scope.builtin_of(node.callee)
        effects = self._scope.effects_of(node.callee)
        if row is not None:
            positions = changed_positions(node, {}, self._unit.language.builtins)
        else:
            positions = None if effects is None else effects.changes(len(node.args))
        return Changing(positions, row) if positions else None

    def change(self, node: surface.Call, changing: Changing) -> Bind:
        """A statement that changes variables: each gets a new version."""
        assert isinstance(node.callee, surface.Name), "what changes something is called by its name"
        names = [node.args[position] for position in changing.positions if position < len(node.args)]
        variables = [name for name in names if isinstance(name, surface.Name) and self._is_variable(name)]
        if len(variables) < len(changing.positions):
            self._unit.report(problems.NotAVariable.at(node.span, name=node.callee.name))
            self.refused = True
            args = tuple(self._expressions.term(arg) for arg in node.args)
            return Bind(node.span, (), term.Hole(node.span, "a change of something that is not a variable", args))
        value: Term
        if changing.row is None and node.keywords:
            self._unit.refuse(node.span, "a keyword argument of a function that changes another one")
            self.refused = True
        if changing.row is not None:
            value = self._expressions.use(node, changing.row, mutates=True)
        else:
            value = self._expressions.apply(node, self._expressions.name(node.callee, called=True))
        problem = self._wrong(node, variables)
        if problem is not None:
            self._unit.report(problem)
            self.refused = True
            value = term.Hole(node.span, "a change that others would see")
        holdings = [self._scope.ownership.of(name.name) for name in variables]
        targets = tuple(
            self._scope.version(name.name, name.span, held) for name, held in zip(variables, holdings, strict=True)
        )
        return Bind(node.span, targets, value)

    def _is_variable(self, name: surface.Name) -> bool:
        """Whether a name is a variable, if not one that may be changed here."""
        return name.name in self._scope.now or (not self._scope.owns(name.name) and self._scope.has(name.name))

    def _wrong(self, node: surface.Call, variables: list[surface.Name]) -> Problem | None:
        """Whether somebody else would see the changes that a call makes."""
        for name in variables:
            memory = self._scope.memory(name.name)
            for arg in node.args:
                if arg is not name and self._sharing.of(arg) & memory:
                    fixes = self._unit.fixes(Through("give it a copy", arg.span, (COPY,)))
                    return problems.GivenTwice.at(arg.span, name=name.name, fixes=fixes, code=self._unit.code)
        problem = next(filter(None, (self._seen_by_others(name, node.end) for name in variables)), None)
        if problem is None or problem.code not in problems.OF_SHARING:
            return problem
        return problem._replace(
            fixes=self._unit.fixes(Before("change a copy: `{code}`", node.start, problem.span, COPY))
        )

    def _seen_by_others(self, name: surface.Name, end: int) -> Problem | None:
        """Whether somebody else would see a change of what a name stands for, which a statement makes that ends there;
        that of a parameter is the caller's. What is copied may be changed where the original is not read again."""
        ownership = self._scope.ownership
        ownership.change(name.name)
        if not self._scope.owns(name.name):
            return problems.CapturedChanged.at(name.span, name=name.name)
        other = next((each for each in ownership.sharing(name.name) if not self._is_done(each, name.name, end)), None)
        if other is not None or (ownership.is_foreign(name.name) and not ownership.is_parameter(name.name)):
            return self._shared(name, other)
        if ownership.is_parameter(name.name):
            self.changed.add(name.name)
        return None

    def update(self, name: surface.Name, end: int) -> Problem | None:
        """Why a name cannot be updated where that may change what it stands for: somebody else would see it."""
        ownership = self._scope.ownership
        ownership.change(name.name)
        other = next((each for each in ownership.sharing(name.name) if not self._is_done(each, name.name, end)), None)
        if other is None and not ownership.is_foreign(name.name):
            return None
        self.refused = True
        return self._shared(name, other)

    def _is_done(self, one: str, other: str, end: int) -> bool:
        """Whether a name that shares arrays with another is nowhere written behind a place of the text. In a loop the
        next round may come to it."""
        if self.rounds or not any(self._scope.ownership.of(name).origin is Provenance.COPY for name in (one, other)):
            return False
        return one not in self._unit.language.syntax.words(self._unit.text[end:])

    def _shared(self, name: surface.Name, other: str | None) -> Problem:
        """Why a change of a name would be seen by others: ``other``, or whoever made the value."""
        whose = f"`{other}`" if other is not None else "a value of the caller"
        held = self._scope.now.get(other or "")
        related = () if held is None else (Related(f"`{other}` is defined here", held.span),)
        kind = _KIND_OF.get(self._scope.ownership.of(name.name).origin, problems.SharedChange)
        return kind.at(name.span, name=name.name, other=whose, related=related, code=self._unit.code)

    def check_rounds(self, span: Span, after: Holdings, before: Holdings, changed: Memory) -> None:
        """What a round leaves behind must not make a change of the next round visible elsewhere."""
        found = self._scope.ownership.shuffled(after, before, changed)
        if found is not None:
            name, other = found
            whose = f"`{other}`" if other else "a value of the caller"
            self._unit.report(problems.LoopShuffle.at(span, name=name, other=whose, code=self._unit.code))


def versions(span: Span, locals_: Iterable[Local], alone: bool = False) -> Term:
    """The tuple of versions of names; with ``alone`` one of them stands for itself."""
    reads = tuple(term.Use(span, local) for local in locals_)
    return reads[0] if alone and len(reads) == 1 else term.MakeTuple(span, reads)
