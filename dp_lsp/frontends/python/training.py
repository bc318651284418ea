"""Training with Opacus: a loop over private batches, as the mechanism that its steps are.

A function calls ``make_private`` once, in its body, and trains in loops over the loader that it gives back. In place of
each stand as many releases as there are batches, and the module is what was released last. All that takes part is used
for nothing else, so that no batch, no loss and no gradient is seen anywhere: what is not certain is refused, with the
reason.

One round of a training with Opacus: what is done with a batch of private records.

A round makes one step of the optimizer, of one loss: ``zero_grad``, ``backward``, ``step``. What it computes of its
batch is computed record by record, by the module, or is the loss; it has names of its own, and is seen nowhere.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterator
from enum import Enum, auto
from itertools import combinations
from typing import TypeVar

from dp_lsp.frontends.python.annotations import says_public
from dp_lsp.frontends.python.names import bound_in
from dp_lsp.frontends.python.refused import Refused
from dp_lsp.frontends.python.releasing import given, opacus
from dp_lsp.frontends.python.tree import below, copied
from dp_lsp.named import NamedTuple


class Parts(NamedTuple):
    """The names that take part in a round: the module, the optimizer, and losses; and all that are the function's, of
    which nothing else may be given to what a round does."""

    module: str
    optimizer: str
    losses: frozenset[str]
    called: Callable[[ast.expr], str]


class _Of(Enum):
    """What a value of a round is: a batch, something of each record of it, or the loss."""

    BATCH = auto()
    RECORDS = auto()
    LOSS = auto()


def check_round(loop: ast.For, batch: ast.expr, parts: Parts) -> None:
    """Whether a round does nothing with its batch but to make a step. Raises :class:`Refused`."""
    round_ = _Round(parts)
    round_.begin(batch)
    for node in loop.body:
        round_.read(node)
    if round_.done not in (["zero_grad", "backward", "step"], ["backward", "step", "zero_grad"]):
        raise Refused(loop, "a round over private batches other than one `zero_grad`, one `backward` and one `step`,")


class _Round:
    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._of: dict[str, _Of] = {}
        self.done: list[str] = []

    def begin(self, batch: ast.expr) -> None:
        """What the loop gives names."""
        match batch:
            case ast.Name(id=name):
                self._of[name] = _Of.BATCH
            case ast.Tuple(elts=items) if all(isinstance(each, ast.Name) for each in items):
                self._of |= dict.fromkeys(bound_in(batch), _Of.RECORDS)
            case _:
                raise Refused(batch, "a batch that is taken apart like this")

    def read(self, node: ast.stmt) -> None:
        match node:
            case ast.Pass() | ast.Expr(value=ast.Constant()):
                return
            case ast.Expr(ast.Call(ast.Attribute(of, attr), args, keywords)) if self._is_step(of, attr, args, keywords):
                self.done.append(attr)
            case ast.Assign(targets=[target], value=value):
                self._assigned(target, value)
            case _:
                raise Refused(node, self._why(node))

    def _is_step(self, of: ast.expr, attr: str, args: list[ast.expr], keywords: list[ast.keyword]) -> bool:
        match of, attr:
            case ast.Name(id=name), "step" if name == self._parts.optimizer:
                return not args and not keywords
            case ast.Name(id=name), "zero_grad" if name in (self._parts.optimizer, self._parts.module):
                return all(isinstance(each.value, ast.Constant) for each in keywords) and not args
            case _, "backward" if self._kind(of) is _Of.LOSS:
                return not args and not keywords
        return False

    def _assigned(self, target: ast.expr, value: ast.expr) -> None:
        match target, value:
            case ast.Name(id=name), _ if (kind := self._kind(value)) is not None:
                self._of[name] = kind
            case ast.Tuple(elts=names), ast.Tuple(elts=values) if len(names) == len(values):
                kinds = [self._kind(each) for each in values]
                for each, kind in zip(names, kinds, strict=True):
                    if not isinstance(each, ast.Name) or kind is None:
                        raise Refused(value, self._why(value))
                    self._of[each.id] = kind
            case ast.Tuple(elts=names), ast.Name(id=name) if self._of.get(name) is _Of.BATCH and all(
                isinstance(each, ast.Name) for each in names
            ):
                self._of |= dict.fromkeys(bound_in(target), _Of.RECORDS)
            case _:
                raise Refused(value, self._why(value))

    def _kind(self, node: ast.expr) -> _Of | None:
        """What a value is; None where it is not known that it is computed record by record."""
        match node:
            case ast.Name(id=name):
                return self._of.get(name)
            case ast.Subscript(value=of, slice=ast.Constant(value=int() | str())) if self._kind(of) is _Of.BATCH:
                return _Of.RECORDS
            case ast.Call(func=ast.Name(id=name), args=[value], keywords=[]) if name == self._parts.module:
                return _Of.RECORDS if self._kind(value) is _Of.RECORDS else None
            case ast.Call(func=func, args=[one, other], keywords=[]) if self._is_loss(func):
                both = self._kind(one) is self._kind(other) is _Of.RECORDS
                return _Of.LOSS if both else None
            case ast.Call(func=ast.Attribute(value=of, attr=attr), args=args, keywords=keywords) if (
                self._kind(of) is _Of.RECORDS
            ):
                given = [*args, *(each.value for each in keywords)]
                return _Of.RECORDS if _keeps_records(attr, given) and not any(map(self._speaks, given)) else None
        return None

    def _is_loss(self, func: ast.expr) -> bool:
        match func:
            case ast.Name(id=name) if name in self._parts.losses:
                return True
            case ast.Call(func=inner, args=[], keywords=[]):
                return self._parts.called(inner) in opacus.LOSS_CLASSES
        return self._parts.called(func) in opacus.LOSSES

    def _speaks(self, node: ast.AST) -> bool:
        """Whether anything of the batch is in it."""
        return any(isinstance(item, ast.Name) and item.id in self._of for item in ast.walk(node))

    def _why(self, node: ast.AST) -> str:
        """Why something of a round is not followed."""
        for item in ast.walk(node):
            match item:
                case ast.Call(func=ast.Attribute(value=of, attr="item")) if self._kind(of) is _Of.LOSS:
                    return f"`{ast.unparse(item)}`, a private number that has no noise,"
                case ast.Attribute(attr="grad" | "grad_sample" | "summed_grad"):
                    return f"`{ast.unparse(item)}`, a gradient that may have no noise,"
                case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="step" | "zero_grad")) if name not in (
                    self._parts.optimizer,
                    self._parts.module,
                ):
                    return (
                        f"`{ast.unparse(item)}` of another optimizer than `{self._parts.optimizer}`, which adds noise,"
                    )
                case ast.Call(func=ast.Name(id=name), args=[given]) if (
                    self._kind(given) is _Of.RECORDS and name != self._parts.module
                ):
                    return f"`{name}`, which is not known to do the same to each record,"
                case ast.keyword(arg="reduction" | "weight" as name):
                    return f"a loss with `{name}=`, of which what a record adds may depend on the others,"
        if isinstance(node, ast.If | ast.For | ast.While | ast.With | ast.Try):
            return "a branch or a loop inside a round over private batches"
        what = "a private value of a batch" if self._speaks(node) else "this"
        return f"{what} other than in a module, in a loss of `torch.nn` that is a mean, or in a step of the optimizer,"


def _keeps_records(method: str, given: list[ast.expr]) -> bool:
    """Whether a method does the same to each record."""
    if method in opacus.IN_PLACES:
        places = [each.value for each in given if isinstance(each, ast.Constant)]
        return len(places) == len(given) == 1 and type(places[0]) is int and places[0] >= 1
    return method in opacus.BY_RECORD


Called = Callable[[ast.expr], str]


class Made(ast.stmt):
    """Where an optimizer is made private: how much noise it adds, and how much it keeps of a record."""

    _fields = ("noise", "clip")
    noise: ast.expr
    clip: ast.expr


class Steps(ast.stmt):
    """A loop over the private batches: as many steps as there are."""

    _fields = ()


class Training(NamedTuple):
    """What takes part in the training of a function: the call that makes it private and what this is given, the names
    of the module, the optimizer and the loader that it gives back, the ``before`` ones that these are made of, and the
    names of the engine and of losses."""

    call: ast.Call
    said: dict[str, ast.expr]
    after: tuple[str, str, str]
    before: tuple[str, str, str]
    engine: str
    losses: frozenset[str]

    @property
    def module(self) -> str:
        return self.after[0]

    @property
    def data(self) -> str:
        """The loader that the private batches are made of."""
        return self.before[2]

    @property
    def noise(self) -> str:
        """A name that nobody can write: of how much noise is added."""
        return f"{self.module} (noise)"

    @property
    def clip(self) -> str:
        """A name that nobody can write: of the norm of what is kept of a record."""
        return f"{self.module} (clip)"

    @property
    def own(self) -> frozenset[str]:
        """The names that are used for nothing else."""
        return frozenset({*self.after, *self.before, self.engine, *self.losses})


def training(node: ast.FunctionDef, loaders: Collection[str], called: Called) -> Training | None:
    """What takes part in the training of a function; None where there is none. ``loaders`` are the parameters that are
    loaders of private data. Raises :class:`Refused`."""
    calls = [item for item in below(node, ast.Call) if is_make(item)]
    reads = [item for item in below(node, ast.Name) if item.id in loaders] if loaders else []
    if not calls and not reads:
        return None
    if not calls:
        raise Refused(reads[0], f"what is done with batches of `{reads[0].id}` without `{opacus.MAKE}` of Opacus")
    if len(calls) > 1:
        raise Refused(calls[1], f"`{opacus.MAKE}` more than once in a function")
    for statement in node.body:
        match statement:
            case ast.Assign(
                targets=[ast.Tuple(elts=[ast.Name(id=module), ast.Name(id=optimizer), ast.Name(id=loader)])],
                value=ast.Call(func=ast.Attribute(value=engine)) as call,
            ) if call is calls[0]:
                return _training(node, call, engine, (module, optimizer, loader), loaders, called)
    raise Refused(calls[0], f"`{opacus.MAKE}` other than in `model, optimizer, loader = …` in the body of a function")


def is_make(node: ast.AST) -> bool:
    """Whether something is made private by Opacus."""
    match node:
        case ast.Call(func=ast.Attribute(attr=attr)):
            return attr in (opacus.MAKE, opacus.MAKE_FOR)
    return False


def _training(
    node: ast.FunctionDef,
    call: ast.Call,
    engine: ast.expr,
    after: tuple[str, str, str],
    loaders: Collection[str],
    called: Called,
) -> Training:
    if isinstance(call.func, ast.Attribute) and call.func.attr == opacus.MAKE_FOR:
        raise Refused(call, f"`{opacus.MAKE_FOR}`, whose noise is found by a search and is no formula,")
    said = given(call, ())
    _check_arguments(call, said)
    if not isinstance(engine, ast.Name) or [engine.id] != [*_engines(node, called)]:
        raise Refused(engine, "an engine other than a name that is given `PrivacyEngine()`, once, in the body")
    names = [value.id for value in map(said.__getitem__, opacus.NEEDED[:3]) if isinstance(value, ast.Name)]
    if len(names) < len(after):
        raise Refused(call, f"`{opacus.MAKE}` of something other than names")
    module, optimizer, data = names
    losses = {name for each in node.body if (name := _loss(each, called))}
    single = {name for name in losses if _times_given(node, name) == 1}
    found = Training(call, said, after, (module, optimizer, data), engine.id, frozenset(single))
    if data not in loaders:
        reason = f"`{data}`, of which nothing says whom it protects (`Annotated[DataLoader, AddRemove()]`),"
        raise Refused(said["data_loader"], reason)
    roles = [{*pair} for pair in zip(found.after, found.before, strict=True)] + [
        {engine.id},
        *({each} for each in single),
    ]
    if any(one & other for one, other in combinations(roles, 2)):
        raise Refused(call, "a training in which one name stands for two things")
    for name in {*found.after, *found.before}:
        if _times_given(node, name) > 2 + (name in found.after):
            raise Refused(call, f"another value for `{name}`, which is trained,")
    return found


def _check_arguments(call: ast.Call, said: dict[str, ast.expr]) -> None:
    """Refuse a call that is given something of which it is not known what it does."""
    for name, value in said.items():
        if name in opacus.NEEDED:
            continue
        if name not in opacus.PLAIN or not isinstance(value, ast.Constant) or value.value != opacus.PLAIN[name]:
            raise Refused(value, f"`{name}=` with {opacus.WHY.get(name, 'that')},")
    for name in opacus.NEEDED:
        if name not in said:
            raise Refused(call, f"`{opacus.MAKE}` without `{name}=`")


def _engines(node: ast.FunctionDef, called: Called) -> Iterator[str]:
    """The names that are given an engine, in the body of a function, and nothing else."""
    for each in node.body:
        if (name := _engine(each, called)) and _times_given(node, name) == 1:
            yield name


def _engine(node: ast.stmt, called: Called) -> str:
    match node:
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=func, args=[], keywords=keywords)) if (
            called(func) == opacus.ENGINE
        ):
            plain = all(each.arg in opacus.ENGINE_SAYS and isinstance(each.value, ast.Constant) for each in keywords)
            return name if plain else ""
    return ""


def _loss(node: ast.stmt, called: Called) -> str:
    """The name that a statement gives a loss that is the mean of what each record loses; empty for any other."""
    match node:
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=func, args=[], keywords=[])) if (
            called(func) in opacus.LOSS_CLASSES
        ):
            return name
    return ""


def _times_given(node: ast.FunctionDef, name: str) -> int:
    """How often a name is given a value, as a parameter, too."""
    return sum(
        (isinstance(item, ast.Name) and item.id == name and not isinstance(item.ctx, ast.Load))
        or (isinstance(item, ast.arg) and item.arg == name)
        or (isinstance(item, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef) and item.name == name)
        for item in ast.walk(node)
    )


class Trained(NamedTuple):
    """A training that was found: the parameters that must be ``public`` for it, and what else it uses."""

    training: Training
    public: frozenset[str]
    uses: tuple[ast.expr, ...]


def trained(node: ast.FunctionDef, loaders: Collection[str], called: Called) -> tuple[ast.FunctionDef, Trained | None]:
    """A function with releases in place of its training, if it trains. What takes part in it must be public, and so
    must be parameters of which nothing is said, as it may be made of them. Raises :class:`Refused`."""
    functions: list[ast.expr] = []

    def noted(function: ast.expr) -> str:
        functions.append(function)
        return called(function)

    found = training(node, loaders, noted)
    if found is None:
        return node, None
    params = (*node.args.args, *node.args.kwonlyargs)
    public = {each.arg for each in params if each.annotation is None or each.arg in found.own} - {found.data}
    static = {each.arg for each in params if each.annotation is not None and says_public(each.annotation)}
    made = _again(node)
    walk = _Walk(node, found, frozenset(public | static), noted)
    made.body = [*walk.read(node.body)]
    known = (each for each in functions if called(each) in opacus.KNOWN)
    return made, Trained(found, frozenset(public), (*known, *walk.others))


class _Walk:
    """The statements of a function, of which some train."""

    def __init__(self, node: ast.FunctionDef, found: Training, public: frozenset[str], called: Called) -> None:
        self._node = node
        self._found = found
        self._public = public
        self._called = called
        self._is_made = False
        self.others: list[ast.Name] = []
        self._local = {name for item in ast.walk(node) for name in _given(item)}

    def read(self, nodes: list[ast.stmt]) -> Iterator[ast.stmt]:
        for node in nodes:
            yield from self._statement(node)

    def _statement(self, node: ast.stmt) -> Iterator[ast.stmt]:
        found = self._found
        match node:
            case ast.Assign(value=value) if value is found.call:
                self._is_made = True
                private = ast.copy_location(Made(), node)
                private.noise, private.clip = found.said["noise_multiplier"], found.said["max_grad_norm"]
                yield private
            case ast.Assign(targets=[ast.Name(id=name)]) if name == found.engine:
                return
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if name in {
                *found.before[:2],
                *found.losses,
            } and (not self._is_made):
                self._check_set_up(value)
            case ast.Expr(
                value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="train" | "eval"), args=[], keywords=[])
            ) if name in (found.module, found.before[0]):
                return
            case ast.For(target=target, iter=over) if (batch := self._batch(target, over)) is not None:
                self._check_loop(node, batch)
                steps = ast.copy_location(Steps(), node)
                steps.end_lineno, steps.end_col_offset = over.end_lineno, over.end_col_offset
                yield steps
            case ast.For() | ast.If() if self._speaks(node):
                for part in (node.iter, node.target) if isinstance(node, ast.For) else (node.test,):
                    self._check_unused(part)
                block = _again(node)
                block.body = [*self.read(node.body)] or [ast.copy_location(ast.Pass(), node)]
                block.orelse = [*self.read(node.orelse)]
                yield block
            case _:
                engine = _Told(found)
                made = engine.visit(copied(node)) if self._is_made else node
                public = engine.told | (_returned(made, found.module) if self._is_made else set())
                for item in ast.walk(made):
                    if id(item) not in public:
                        self._check_unused(item, deep=False)
                yield made

    def _speaks(self, node: ast.AST) -> bool:
        return any(isinstance(item, ast.Name) and item.id in self._found.own for item in ast.walk(node))

    def _check_unused(self, node: ast.AST, deep: bool = True) -> None:
        """Refuse what reads something that takes part in the training."""
        for item in ast.walk(node) if deep else [node]:
            match item:
                case ast.Name(id=name) | ast.arg(arg=name) if name in self._found.own:
                    raise Refused(item, self._why(name))
                case ast.Name(id=opacus.VIRTUAL):
                    raise Refused(item, f"`{opacus.VIRTUAL}`, by which several rounds are one step,")

    def _why(self, name: str) -> str:
        _, optimizer, loader = self._found.after
        if name == self._found.data and name != loader:
            return f"`{name}`, the loader that was given, whose batches are no Poisson samples, beside `{loader}`"
        if name == loader:
            return f"another use of `{name}`, whose batches are private,"
        if name == self._found.before[1] and name != optimizer:
            return f"`{name}`, the optimizer that was given, which adds no noise, beside `{optimizer}`"
        return f"another use of `{name}`, which is trained on private batches,"

    def _check_set_up(self, value: ast.expr) -> None:
        """A module, an optimizer or a loss may be made of what is public, and of each other."""
        for item in ast.walk(value):
            match item:
                case ast.Name(id=name) if name in (self._found.data, self._found.after[2], self._found.engine):
                    raise Refused(item, self._why(name))
                case ast.Name(id=name) if name in self._local - self._public - self._found.own:
                    raise Refused(item, f"`{name}`, which is not known to be public, in what is trained,")
                case ast.Name(id=name) if name not in self._local:
                    self.others.append(item)
                case ast.Lambda() | ast.NamedExpr() | ast.Await() | ast.Yield() | ast.YieldFrom():
                    raise Refused(item, "this in what is trained")

    def _batch(self, target: ast.expr, over: ast.expr) -> ast.expr | None:
        """What a loop over the private batches calls a batch; None for any other loop."""
        loader = self._found.after[2]
        match over:
            case ast.Name(id=name) if name == loader and self._is_made:
                return target
            case ast.Call(func=ast.Name(id="enumerate") as func, args=[inner], keywords=[]) if self._called(func):
                match target:
                    case ast.Tuple(elts=[ast.Name(), batch]):
                        return self._batch(batch, inner)
            case ast.Call(func=func, args=[inner], keywords=keywords) if self._called(func) == opacus.COUNTING and all(
                isinstance(each.value, ast.Constant) for each in keywords
            ):
                return self._batch(target, inner)
        return None

    def _check_loop(self, loop: ast.For, batch: ast.expr) -> None:
        if loop.orelse:
            raise Refused(loop, "`else` of a loop over private batches")
        module, optimizer, _ = self._found.after
        bound = {name for item in ast.walk(loop) for name in bound_in(item)}
        if taken := bound & self._found.own:
            raise Refused(loop, f"another value for `{min(taken)}`, which takes part in the training,")
        inside = {id(item) for item in ast.walk(loop)}
        for item in ast.walk(self._node):
            match item:
                case ast.Name(id=name) | ast.arg(arg=name) if name in bound - {"_"} and id(item) not in inside:
                    raise Refused(item, f"`{name}`, which is a part of a private batch in a loop,")
        for name in self._found.losses:
            if name in bound:
                raise Refused(loop, f"another value for `{name}`")
        check_round(loop, batch, Parts(module, optimizer, self._found.losses, self._called))


class _Told(ast.NodeTransformer):
    """What an engine tells is as public as the module, for which there is a name: it was ``told``."""

    def __init__(self, found: Training) -> None:
        self._found = found
        self.told: set[int] = set()

    def visit_Call(self, node: ast.Call) -> ast.AST:
        match node:
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id=name), attr=opacus.TELLS), args=args, keywords=keywords
            ) if name == self._found.engine:
                if all(isinstance(each, ast.Constant) for each in (*args, *(key.value for key in keywords))):
                    told = ast.copy_location(ast.Name(self._found.module, ast.Load()), node)
                    self.told.add(id(told))
                    return told
        return self.generic_visit(node)


def _returned(node: ast.stmt, module: str) -> set[int]:
    """What of a statement may be the module itself: what is returned."""
    value = node.value if isinstance(node, ast.Return) else None
    parts = value.elts if isinstance(value, ast.Tuple) else [value]
    return {id(each) for each in parts if isinstance(each, ast.Name) and each.id == module}


_Block = TypeVar("_Block", bound=ast.AST)


def _again(node: _Block) -> _Block:
    """A node with the same parts, of which others may be put in."""
    made = type(node)(**{name: getattr(node, name) for name in node._fields if hasattr(node, name)})
    return ast.copy_location(made, node)


def _given(item: ast.AST) -> Iterator[str]:
    match item:
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()) | ast.arg(arg=name):
            yield name
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
