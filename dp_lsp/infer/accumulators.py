"""Loops over the records of a dataset that add something up: sums over them.

A bag of records has no places, so what a round reads of it is unlike any other loop. Where each round does no more to
what the loop carries than to add to it what it makes of its record, s + g(r₁) + … + g(rₙ) is left in whatever order the
records come, and all that is known of a sum over records holds of it (:mod:`dp_lsp.infer.tallies`). A round may choose
what it adds, and add nothing; it may neither read what is carried nor assign anything else to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import reduce
from typing import TypeGuard

from dp_lsp import builtins
from dp_lsp.core import term
from dp_lsp.core.annotation import Anything
from dp_lsp.core.scheme import Judgement
from dp_lsp.core.term import Bind, Body, Call, Local, Term
from dp_lsp.core.types import BoolType, Dataset, DatasetMetric, NumberType
from dp_lsp.core.values import replace
from dp_lsp.infer import problems
from dp_lsp.infer.effects import Evaluation
from dp_lsp.infer.inference import Inference
from dp_lsp.named import NamedTuple
from dp_lsp.problem import Problem
from dp_lsp.text import Span


class _Unlike(Exception):
    """A round does something else than to add to what is carried, with what has a ``name``."""

    def __init__(self, name: str = "") -> None:
        super().__init__(name)
        self.name = name


class _Added(NamedTuple):
    """What a round has added so far to the carried value at a place; None if it is nothing. With an ``entry`` it is
    added to that entry of a vector, in those rounds that are ``kept``, if that is not all; or that entry is put behind
    the last one of a list that is ``listed``, once."""

    place: int
    term: Term | None
    entry: Body | None = None
    kept: Body | None = None
    listed: bool = False


class _Records(NamedTuple):
    """What a loop goes over: a dataset of numbers or of ``rows`` without places, by its name; and the body of a round,
    which calls a record one ``each``."""

    over: Local
    dataset: Dataset
    each: Local
    body: Body

    @property
    def rows(self) -> bool:
        return self.dataset.records.rows is not None


def summed(inference: Inference, node: term.Loop) -> Evaluation | None:
    """The tuple of what a loop over the records of a bag carries after them; None for any other loop."""
    records = _records(inference, node)
    if records is None:
        return None
    try:
        totals, rest = _Round(node, records, _without_entries(inference, node)).totals()
    except _Unlike as unlike:
        if not any(isinstance(each, term.Hole) for each in term.within(term.of_body(node.body))):
            inference.report(_more_than_added(node, records, unlike.name))
        _, starting = inference.infer_all(start for _, start in node.carried)
        lost = [inference.hole("a loop over records") for _ in node.carried]
        return Evaluation(inference.tuple_of(node.span, lost)).after(starting)
    inference.context.totals[node] = tuple(totals)
    values, effects = inference.infer_all([*totals, *rest])
    starts = (inference.recorder.judgements.get(start) for _, start in node.carried)  # which are parts of the totals
    found = [_of_no_round_too(inference, *each) for each in zip(values[: len(totals)], starts, strict=True)]
    return Evaluation(inference.tuple_of(node.span, found), effects)


def _without_entries(inference: Inference, node: term.Loop) -> frozenset[Local]:
    """What a loop carries that begins as a list without entries, where such a list is one of numbers whatever it gets:
    what it gets of each record is then a dataset, and a sum of none is 0."""
    if inference.context.language.semantics.types_are_inferred:
        return frozenset()
    made = inference.context.made
    begun = ((local, made.get(start.local)) for local, start in node.carried if isinstance(start, term.Use))
    return frozenset(
        local
        for local, start in begun
        if isinstance(start, Call) and start.builtin == builtins.EMPTY and not start.args
    )


def _more_than_added(node: term.Loop, records: _Records, name: str) -> Problem:
    carried = name or next((local.name for local, _ in node.carried), "the result")
    because = f"a round makes `{carried}` of what the rounds before it have left, so that the order of records decides"
    instead = f"only add to it (`{carried} += …`), or use a statistic of all records, such as a variance or a maximum"
    if node.going is not None:
        because = "it may end early, so that one record decides whether all behind it count"
        instead = "leave out what does not count record by record, and go over all of them"
    return problems.MoreThanAdded.at(
        node.last.span,
        dataset=records.over.name,
        because=because,
        instead=instead,
        relation=records.dataset.metric.value,
    )


def _records(inference: Inference, node: term.Loop) -> _Records | None:
    """What a loop goes over, if it has a round for each record of a bag that reads nothing but the one at its place."""
    match node.last:
        case Call(builtin=counting, args=(term.Use(local=over),)) if counting == builtins.extent(1, 0)[0]:
            pass
        case Call(builtin=counting, args=(term.Use(local=over), term.Literal(value=1))) if counting == _ROWS:
            pass
        case _:
            return None
    known = inference.context.environment.get(over)
    type_ = None if known is None else inference.type(known)
    if not isinstance(type_, Dataset) or type_.metric is DatasetMetric.HAMMING or not _from_the_first(node):
        return None
    of_rows = len(node.last.args) > 1
    plain = isinstance(type_.records.element, NumberType | BoolType) and (type_.records.rows is not None) is of_rows
    found = _by_record(node, over) if plain else None
    return None if found is None else _Records(over, type_, *found)


_ROWS = builtins.extent(2, 0)[0]
"""What says how many rows there are."""


def _from_the_first(node: term.Loop) -> bool:
    return node.step is None and isinstance(node.first, term.Literal) and node.first.value == 1


def _by_record(node: term.Loop, over: Local) -> tuple[Local, Body] | None:
    """The body of a round in terms of its record, which has a name there; None if it reads the number of the round in
    any other way."""
    match node.body.binds[:1]:
        case (Bind(targets=(each,), term=first),) if _is_place(first, node, over):
            body = Body(node.body.binds[1:], node.body.result)
        case _:
            each, body = Local(f"{over.name}[{node.index.name}]", node.index.span), node.body
            if _releases(body) or not any(_of_record(part, node, over, each) for part in _all_of(body)):
                return None
    body = term.put(body, lambda part: _of_record(part, node, over, each))
    return None if _reads((*body.binds, body.result), {node.index}) else (each, body)


def _of_record(part: Term, node: term.Loop, over: Local, each: Local) -> Term | None:
    """What stands at the place that has the number of the round, in terms of its record: that, or a number of a row.
    None for anything else."""
    if _is_place(part, node, over):
        return term.Use(part.span, each)
    match part:
        case Call(builtin=builtins.INDEX, args=(term.Use(local=read), term.Use(local=at), column)):
            if read is over and at is node.index:
                return Call(part.span, builtins.INDEX, (term.Use(part.span, each), column), part.span)
    return None


def _is_place(part: Term, node: term.Loop, over: Local) -> bool:
    """Whether a term is what stands at the place that has the number of the round: a number, or a row, which may be
    seen in the matrix."""
    match part:
        case (
            Call(builtin=builtins.INDEX | builtins.ROW, args=(term.Use(local=read), term.Use(local=at)))
            | Call(
                builtin=builtins.ROW,
                args=(Call(builtin=builtins.AS_VIEWS, args=(term.Use(local=read),)), term.Use(local=at)),
            )
        ):
            return read is over and at is node.index
    return False


def _releases(body: Body) -> bool:
    return any(isinstance(each, Call) and each.builtin in builtins.RANDOM for each in _all_of(body))


def _all_of(body: Body) -> Iterator[Term]:
    return term.within(term.of_body(body))


def _reads(nodes: Iterable[Bind | Term], locals_: set[Local]) -> bool:
    terms = (node.term if isinstance(node, Bind) else node for node in nodes)
    return any(isinstance(each, term.Use) and each.local in locals_ for each in term.within(terms))


def _needed(binds: tuple[Bind, ...], *read: Term) -> tuple[Bind, ...]:
    """Those bindings that terms are made of, in order."""
    needed, found = [*read], list[Bind]()
    for bind in reversed(binds):
        if _reads(needed, set(bind.targets)):
            needed.append(bind.term)
            found.append(bind)
    return tuple(found[::-1])


class _Round:
    """What one round of a loop adds to what it carries."""

    def __init__(self, node: term.Loop, records: _Records, lists: frozenset[Local]) -> None:
        self._node = node
        self._records = records
        self._lists = lists
        self._added = {local: _Added(place, None) for place, (local, _) in enumerate(node.carried)}

    def totals(self) -> tuple[list[Term], list[Term]]:
        """What is carried after all rounds: what it starts with, and the sum of what each record adds. And what else is
        evaluated: all that the rounds do, where nothing is added."""
        if _releases(self._records.body):
            raise _Unlike
        result, own = self._records.body.result, self._own(self._records.body.binds)
        ends = result.items if isinstance(result, term.MakeTuple) else (result,)
        added = [self._of(end) for end in ends]
        if [each.place for each in added] != [*range(len(self._node.carried))] or self._forgets():
            raise _Unlike
        totals, binds = list[Term](), own
        for each, (_, start) in zip(added, self._node.carried, strict=True):
            if each.term is None:
                totals.append(start)
                continue
            if each.entry is None and _is_whole(each.term):
                totals.append(self._counted(start, each.term))
                continue
            if each.listed:
                totals.append(self._listed(each, own, binds))
                binds = binds if each.kept is not None else ()
                continue
            if each.entry is not None and each.kept is not None:
                totals.append(self._tally(start, each, own))  # which does what a round does for those that are kept
                continue
            totals.append(
                self._total(start, Body(binds or _needed(own, each.term), each.term))
                if each.entry is None
                else self._tally(start, each, own, all_binds=binds)
            )
            binds = ()  # all that a round does is done in the first sum
        nothing = term.Literal(self._node.span, Fraction(0), True)
        return totals, [self._made_of_all(Body(binds, nothing))] if binds else []

    def _forgets(self) -> bool:
        """Whether something that was added is in nothing that is left: it was evaluated all the same."""
        read = {each.local for each in _all_of(self._records.body) if isinstance(each, term.Use)}
        return not self._added.keys() - {local for local, _ in self._node.carried} <= read

    def _counted(self, start: Term, each: term.Literal) -> Term:
        """What grows by the same whole number in each round: that many times as much as there are records, and so
        public wherever their number is."""
        rounds = replace(self._node.last, span=each.span)
        grown = rounds if each.value == 1 else Call(each.span, builtins.TIMES, (each, rounds), each.span)
        return Call(self._node.span, builtins.PLUS, (start, grown), each.span)

    def _total(self, start: Term, each: Body) -> Term:
        total = Call(each.result.span, builtins.TOTAL, (self._made_of_all(each),), each.result.span)
        return Call(self._node.span, builtins.PLUS, (start, total), each.result.span)

    def _tally(self, start: Term, added: _Added, own: tuple[Bind, ...], all_binds: tuple[Bind, ...] = ()) -> Term:
        """A vector to which each record, or each that is kept, adds something at its place."""
        assert added.term is not None and added.entry is not None, "what is added to an entry"
        span = added.entry.result.span
        over, made = self._kept(added, own), self._function(self._with(added.entry, own, all_binds))
        return Call(self._node.span, builtins.TALLY, (made, over, start, added.term), span)

    def _listed(self, added: _Added, own: tuple[Bind, ...], all_binds: tuple[Bind, ...]) -> Term:
        """A list of what is made of each record, or of each that is kept: in whatever order, as records are."""
        assert added.entry is not None, "what is put into the list"
        made = self._function(self._with(added.entry, own, () if added.kept is not None else all_binds))
        return self._of_each(made, self._kept(added, own), added.entry.result.span)

    def _kept(self, added: _Added, own: tuple[Bind, ...]) -> Term:
        """The records in whose rounds something is added, or all."""
        over: Term = term.Use(self._node.last.span, self._records.over)
        if added.kept is None or added.entry is None:
            return over
        span = added.entry.result.span
        keeping = builtins.KEEPING_ROWS if self._records.rows else builtins.KEEPING
        return Call(span, keeping, (self._function(self._with(added.kept, own)), over), span)

    def _of_each(self, function: Term, over: Term, span: Span) -> Term:
        """What a function makes of each record."""
        if self._records.rows:
            return Call(
                span, builtins.OF_ROWS, (function, Call(over.span, builtins.AS_VIEWS, (over,), over.span)), span
            )
        return Call(span, builtins.MAKING, (function, over), span)

    @staticmethod
    def _with(body: Body, own: tuple[Bind, ...], before: tuple[Bind, ...] = ()) -> Body:
        """A block behind all that a round does ``before`` it, or behind what it reads of that."""
        needed = before or _needed(own, *term.of_body(body))
        return Body((*needed, *body.binds), body.result)

    def _made_of_all(self, each: Body) -> Term:
        """What is made of each record."""
        records = term.Use(self._node.last.span, self._records.over)
        return self._of_each(self._function(each), records, each.result.span)

    def _function(self, each: Body) -> Term:
        """The function of a record that a round is."""
        entry = self._records.each
        span, header = each.result.span, entry.span
        param = term.Param(entry, Anything(), static=False, span=header)
        around, none = self._node.span, frozenset[str]()  # all that a round makes is made inside of the loop
        made = term.Method(entry.name, around, header, header, (param,), (entry.name,), Anything(), False, each, none)
        return term.Closure(span, (made,))

    def _own(self, binds: Iterable[Bind]) -> tuple[Bind, ...]:
        """What a round makes of its record alone, in order; what it adds is noted."""
        own: list[Bind] = []
        for bind in binds:
            match bind:
                case _ if not _reads([bind], set(self._added)):
                    own.append(bind)
                case Bind(targets=targets, term=term.MakeTuple(items=items)) if len(targets) == len(items) > 1:
                    own += self._own(
                        Bind(bind.span, (target,), item) for target, item in zip(targets, items, strict=True)
                    )
                case Bind(term=term.Branch() as branch):
                    self._choice(bind, branch, own)
                case Bind(targets=(target,)):
                    try:
                        self._added[target] = self._of(bind.term)
                    except _Unlike:
                        raise _Unlike(target.name) from None
                case _:
                    raise _Unlike
        return tuple(own)

    def _choice(self, bind: Bind, branch: term.Branch, own: list[Bind]) -> None:
        """A branch by what is known of the record, whose sides add to what is carried, or make something else."""
        if _reads([branch.condition], set(self._added)):
            raise _Unlike(bind.targets[0].name if bind.targets else "")
        sides: list[tuple[tuple[Bind, ...], tuple[Term, ...]]] = []
        for body in (branch.then, branch.otherwise):
            binds, result = self._own(body.binds), body.result
            alone = len(bind.targets) == 1
            ends = (result,) if alone or not isinstance(result, term.MakeTuple) else result.items
            if len(ends) != len(bind.targets):
                raise _Unlike
            sides.append((binds, ends))
        (then, these), (otherwise, those) = sides
        for target, one, other in zip(bind.targets, these, those, strict=True):
            if not _reads([one, other], set(self._added)):
                own.append(Bind(bind.span, (target,), _either(branch, Body(then, one), Body(otherwise, other))))
                continue
            more, less = self._of(one), self._of(other)
            if more.place != less.place:
                raise _Unlike
            if more.entry is not None or less.entry is not None:
                self._added[target] = _of_entries(branch, (then, otherwise), (more, less))
                continue
            nothing = term.Literal(branch.span, Fraction(0), True)
            bodies = Body(then, more.term or nothing), Body(otherwise, less.term or nothing)
            self._added[target] = _Added(more.place, _either(branch, *bodies))

    def _of(self, node: Term) -> _Added:
        """What a term is more than what is carried at a place."""
        match node:
            case term.Use(local=local) if local in self._added:
                return self._added[local]
            case Call(builtin=builtins.PLUS, args=args, mutates=False, by=None):
                own = [arg for arg in args if not _reads([arg], set(self._added))]
                if len(own) == len(args) - 1:
                    found = self._of(next(arg for arg in args if arg not in own))
                    return reduce(self._more, own, found)
            case Call(builtin=builtins.STORE, args=(term.Use(local=local), place, grown)) if local in self._added:
                return self._grown(local, place, grown)
            case Call(builtin=builtins.PUSH, args=(term.Use(local=local), entry)) if local in self._added:
                return self._put_behind(local, entry)
            case Call(builtin=builtins.MINUS, args=(before, less), mutates=False, by=None):
                if not _reads([less], set(self._added)):
                    nothing = term.Literal(less.span, Fraction(0), True)
                    return self._more(self._of(before), Call(less.span, builtins.MINUS, (nothing, less), less.span))
        raise _Unlike

    def _grown(self, local: Local, place: Term, grown: Term) -> _Added:
        """One entry of what is carried, which is public what it grows by, and the record where."""
        before = self._added[local]
        match grown:
            case Call(builtin=builtins.PLUS, args=(one, other), mutates=False, by=None) if before.term is None:
                entry, more = (one, other) if _is_number(other) else (other, one)
                if not _is_number(more) or _reads([place], set(self._added)) or self._is_made_here(more):
                    raise _Unlike
                match entry:
                    case Call(builtin=builtins.INDEX, args=(term.Use(local=read), again)) if read is local:
                        if _is_same(place, again):
                            return before._replace(term=more, entry=Body((), place))
        raise _Unlike

    def _put_behind(self, local: Local, entry: Term) -> _Added:
        """One more entry of a list."""
        before = self._added[local]
        carried = self._node.carried[before.place][0]
        if before.term is not None or carried not in self._lists or _reads([entry], set(self._added)):
            raise _Unlike
        return before._replace(term=term.Literal(entry.span, Fraction(1), True), entry=Body((), entry), listed=True)

    def _is_made_here(self, more: Term) -> bool:
        """Whether a number has its name in a round only."""
        made = {target for bind in _binds_of(self._records.body) for target in bind.targets}
        return _reads([more], made | {self._records.each} | set(self._added))

    @staticmethod
    def _more(before: _Added, more: Term) -> _Added:
        if before.entry is not None:
            raise _Unlike
        if before.term is None:
            return before._replace(term=more)
        return before._replace(term=Call(more.span, builtins.PLUS, (before.term, more), more.span))


def _either(branch: term.Branch, then: Body, otherwise: Body) -> term.Branch:
    return term.Branch(branch.span, branch.condition, then, otherwise)


def _is_whole(node: Term) -> TypeGuard[term.Literal]:
    """Whether a term is a whole number that is written."""
    return isinstance(node, term.Literal) and node.integer


def _is_number(node: Term) -> bool:
    """Whether a term is a number that is written, or a name."""
    match node:
        case Call(builtin=builtins.MINUS, args=(term.Literal(),)):
            return True
    return isinstance(node, term.Literal | term.Use)


def _binds_of(body: Body) -> Iterator[Bind]:
    """All bindings of a block, and of those in it."""
    pending = [body]
    while pending:
        inner = pending.pop()
        yield from inner.binds
        pending += [each for part in _all_of(inner) for each in term.bodies(part)]


def _is_same(one: Term, other: Term) -> bool:
    """Whether two terms are the same number, being made in the same way of the same."""
    match one, other:
        case term.Use(local=left), term.Use(local=right):
            return left is right
        case term.Literal(value=left_value), term.Literal(value=right_value):
            return left_value == right_value
        case Call(builtin=left_row, args=left_args, keywords=()), Call(builtin=right_row, args=right_args, keywords=()):
            made = left_row == right_row and left_row not in builtins.RANDOM and len(left_args) == len(right_args)
            return made and all(map(_is_same, left_args, right_args))
        case term.TypeArgument(type=left_type), term.TypeArgument(type=right_type):
            return left_type == right_type
        case term.Apply(function=left, args=left_args, keywords=()), term.Apply(function=right, args=args, keywords=()):
            return _is_same(left, right) and len(left_args) == len(args) and all(map(_is_same, left_args, args))
        case term.Global(name=left_name), term.Global(name=right_name):
            return left_name == right_name
    return False


def _of_entries(
    branch: term.Branch, binds: tuple[tuple[Bind, ...], tuple[Bind, ...]], sides: tuple[_Added, _Added]
) -> _Added:
    """What a branch adds of which a side adds to an entry: both the same, each to its own, or only one of them."""
    found = next(side for side in sides if side.entry is not None)
    entries, kept = list[Body](), list[Body]()
    for before, side in zip(binds, sides, strict=True):
        if side.entry is None:
            if side.term is not None or before:
                raise _Unlike
            kept.append(Body((), term.Literal(branch.span, False)))
            continue
        if side.term is None or found.term is None or not _is_same(side.term, found.term):
            raise _Unlike
        entries.append(Body((*before, *side.entry.binds), side.entry.result))
        known = side.kept or Body((), term.Literal(branch.span, True))
        kept.append(Body((*before, *known.binds), known.result))
    all_ = len(entries) == len(sides) and all(side.kept is None for side in sides)
    entry = Body((), _either(branch, *entries)) if len(entries) == len(sides) else entries[0]
    return found._replace(entry=entry, kept=None if all_ else Body((), _either(branch, *kept)))


def _of_no_round_too(inference: Inference, total: Judgement, start: Judgement | None) -> Judgement:
    """What is carried after all rounds is stored as after the last one, or as before the first."""
    if start is None:
        return total
    type_, before = inference.type(total), inference.type(start)
    if not isinstance(type_, NumberType) or not isinstance(before, NumberType):
        return total
    return replace(total, type=replace(type_, stored=type_.stored | before.stored))
