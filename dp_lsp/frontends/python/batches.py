"""One round of a training with Opacus: what is done with a batch of private records.

A round makes one step of the optimizer, of one loss: ``zero_grad``, ``backward``, ``step``. What it computes of its
batch is computed record by record, by the module, or is the loss; it has names of its own, and is seen nowhere.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from enum import Enum, auto

from dp_lsp.frontends.python.names import bound_in
from dp_lsp.frontends.python.refused import Refused
from dp_lsp.frontends.python.releasing import opacus
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
