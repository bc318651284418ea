"""Noise that is drawn by hand, or by a function of the program, as what is understood: a draw of a library where it is
added."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from dp_lsp.frontends.python.names import GENERATORS
from dp_lsp.frontends.python.rewriting.definitions import is_chosen, program
from dp_lsp.frontends.python.rewriting.methods import Given
from dp_lsp.frontends.python.rewriting.rewording import Rewording, Written
from dp_lsp.frontends.python.tree import copied
from dp_lsp.problem import Edit
from dp_lsp.text import Span

_UNIFORM = frozenset(
    {
        *("random.random", "random.uniform", "numpy.random.rand", "numpy.random.random", "numpy.random.uniform"),
        *("numpy.random.random_sample", "numpy.random.ranf"),
    }
)
_DRAWS = frozenset(
    {
        *("numpy.random.laplace", "numpy.random.normal", "numpy.random.standard_normal", "random.gauss"),
        *("random.normalvariate", "scipy.stats.laplace.rvs", "scipy.stats.norm.rvs", "laplace.rvs", "norm.rvs"),
    }
)
_LOGS = frozenset({"math.log", "numpy.log", "numpy.log1p", "math.log1p"})
_WAVES = frozenset({"math.cos", "numpy.cos", "math.sin", "numpy.sin"})
_SIGNS = frozenset({"math.copysign", "numpy.sign", "numpy.copysign", "sign"})
_EXPONENTIAL = frozenset({"random.expovariate", "numpy.random.exponential"})


def drawn_by_hand(written: Written) -> Iterator[Rewording]:
    """Laplace noise made of a number between 0 and 1 by a logarithm, Gaussian noise by a root and a wave, and Laplace
    noise as a difference of two exponential draws."""
    uniform = [each for each in written.nodes if written.called(each) in _UNIFORM]
    if uniform:
        yield from _by_formula(written)
    for node in written.nodes:
        match node:
            case ast.BinOp(left=ast.Call() as one, op=ast.Sub(), right=ast.Call() as other):
                same = written.called(one) in _EXPONENTIAL and ast.dump(one) == ast.dump(other)
                if same and (scale := _exponential_scale(written, one)):
                    yield _laplace(written, node, scale)


def _exponential_scale(written: Written, node: ast.Call) -> str:
    """The scale of an exponential draw; of Python's own, which takes its rate, one by that."""
    given = [*node.args, *(each.value for each in node.keywords if each.arg in ("scale", "lambd"))]
    if len(given) != 1:
        return ""
    source = written.source(given[0])
    if written.called(node) == "numpy.random.exponential":
        return source
    return f"1 / {source}" if isinstance(given[0], ast.Name) else f"1 / ({source})"


def _by_formula(written: Written) -> Iterator[Rewording]:
    of_chance = _made_of_chance(written)
    for node in written.nodes:
        logs = [each for each in ast.walk(node) if written.called(each) in _LOGS]
        above = written.above.get(id(node))
        if not logs or not isinstance(node, ast.BinOp | ast.UnaryOp) or _is_product(above):
            continue
        if not _is_product(node) or not all(_reads(each, of_chance) for each in logs):
            continue
        others = [each for each in _factors(node) if not _is_of_chance(written, each, of_chance)]
        scale = " * ".join(_grouped(written, each) for each in others) or "1"
        waves = any(written.called(each) in _WAVES for each in ast.walk(node))
        branch = _branch_around(written, node, of_chance)
        made = f"np.random.{'normal' if waves else 'laplace'}(scale={scale})"
        where: ast.AST = node if branch is None else branch
        text = made if branch is None else f"return {made}"
        edits = [written.edit(where, text), *_left_out(written, of_chance, where)]
        yield Rewording(f"draw the noise by a library: `{made}`", tuple(sorted(edits)))
        return


def _laplace(written: Written, node: ast.AST, scale: str) -> Rewording:
    made = f"np.random.laplace(scale={scale})"
    return Rewording(f"draw the noise by a library: `{made}`", (written.edit(node, made),))


def _made_of_chance(written: Written) -> set[str]:
    """The names of numbers that are drawn, and of what is made of such."""
    found: set[str] = set()
    for node in written.nodes:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                drawn = any(written.called(each) in _UNIFORM for each in ast.walk(value))
                if drawn or _reads(value, found):
                    found.add(name)
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=value):
                if any(written.called(each) in _UNIFORM for each in ast.walk(value)):
                    found |= {each.id for each in targets if isinstance(each, ast.Name)}
    return found


def _reads(node: ast.AST, names: set[str]) -> bool:
    return any(isinstance(each, ast.Name) and each.id in names for each in ast.walk(node))


def _is_product(node: ast.AST | None) -> bool:
    match node:
        case ast.BinOp(op=ast.Mult() | ast.Div()) | ast.UnaryOp(op=ast.USub()):
            return True
    return False


def _factors(node: ast.expr) -> Iterator[ast.expr]:
    """The factors of a product; a quotient is one, unless what is divided holds the logarithm."""
    match node:
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            yield from _factors(left)
            yield from _factors(right)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            yield from _factors(operand)
        case _:
            yield node


def _is_of_chance(written: Written, node: ast.expr, names: set[str]) -> bool:
    inner = [written.called(each) for each in ast.walk(node)]
    drawn = any(each in _UNIFORM | _LOGS | _SIGNS | _WAVES for each in inner)
    return drawn or _reads(node, names) or (isinstance(node, ast.Constant) and node.value == 1)


def _grouped(written: Written, node: ast.expr) -> str:
    source = written.source(node)
    return f"({source})" if isinstance(node, ast.BinOp) else source


def _branch_around(written: Written, node: ast.AST, names: set[str]) -> ast.If | None:
    """The branch that returns one half of the noise here, and the other half elsewhere."""
    above = written.above.get(id(written.above.get(id(node))))
    match above:
        case ast.If(test=test, body=[ast.Return()], orelse=[ast.Return()]) if _reads(test, names):
            return above
    return None


def _left_out(written: Written, names: set[str], where: ast.AST) -> Iterator[Edit]:
    """The lines that draw what is not used any more."""
    inside = {id(each) for each in ast.walk(where)}
    for statement in written.definition.node.body:
        match statement:
            case ast.Assign(targets=[ast.Name() as target]) if target.id in names:
                pass
            case ast.Assign(targets=[ast.Tuple()]) if _reads(statement, names):
                pass
            case ast.AugAssign(target=ast.Name(id=name)) if name in names:
                pass
            case _:
                continue
        bound = {each.id for each in ast.walk(statement) if isinstance(each, ast.Name) and not _is_read(each)}
        used = [each for each in written.nodes if isinstance(each, ast.Name) and each.id in bound and _is_read(each)]
        own = {id(each) for other in written.definition.node.body if _gives(other, names) for each in ast.walk(other)}
        if id(statement) not in inside and all(id(each) in inside | own for each in used):
            yield written.line(statement)


def _gives(statement: ast.stmt, names: set[str]) -> bool:
    if isinstance(statement, ast.AugAssign):
        return _reads(statement.target, names)
    return isinstance(statement, ast.Assign) and any(_reads(each, names) for each in statement.targets)


def _is_read(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Load)


# Choices by weights


_CHOICES = {"numpy.random.choice": "p", "random.choices": "weights"}
_POWERS = frozenset({"numpy.exp", "math.exp"})


def weighed(written: Written) -> Iterator[Rewording]:
    """A choice by weights that are powers of e, as the one whose score with noise is the largest."""
    for node in written.nodes:
        match node:
            case ast.Call(args=[options, *_], keywords=keywords) if (path := written.called(node)) in _CHOICES:
                weights = next((each.value for each in keywords if each.arg == _CHOICES[path]), None)
            case _:
                continue
        made = _made_of_weights(written)
        powers = [each for each in written.nodes if written.called(each) in _POWERS]
        if weights is None or len(powers) != 1 or not (_reads(weights, made) or powers[0] in ast.walk(weights)):
            continue
        scores = _scores(written, powers[0])
        if not scores:
            continue
        taken = written.above.get(id(node))
        where = taken if isinstance(taken, ast.Subscript) and path == "random.choices" else node
        epsilon = next((each.name for each in written.definition.parameters if each.name.startswith("eps")), "1.0")
        noisy = written.fresh("noisy", "noisy_scores")
        score, each_of = scores
        line = f"{noisy} = [{score} + np.random.laplace(scale=2 / {epsilon}) for {each_of}]"
        best = f"{noisy}.index(max({noisy}))"
        text = f"{written.source(options)}[{best}]" if isinstance(options, ast.Name | ast.List) else best
        statement = _statement_around(written, node)
        if statement is None:
            continue
        start = written.definition.span(statement).start
        begin = Edit(Span(start, start), f"{line}\n{' ' * statement.col_offset}")
        lines = [*_left_out(written, made, node)]
        edits = [begin, written.edit(where, text), *lines]
        yield Rewording("give each score noise of its own, and take the best", tuple(sorted(edits)))


def _statement_around(written: Written, node: ast.AST) -> ast.stmt | None:
    """The statement of the body that something stands in."""
    inside = (each for each in written.definition.node.body if any(part is node for part in ast.walk(each)))
    return next((each for each in inside if isinstance(each, ast.Return | ast.Assign)), None)


def _made_of_weights(written: Written) -> set[str]:
    """The names of weights, and of what is made of these."""
    found: set[str] = set()
    while True:
        more = set[str]()
        for node in written.nodes:
            match node:
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    powers = any(written.called(each) in _POWERS for each in ast.walk(value))
                    more |= {name} if powers or _reads(value, found) else set()
        if more <= found:
            return {name for name in found if not _is_result(written, name)}
        found |= more


def _is_result(written: Written, name: str) -> bool:
    """Whether a name is what was chosen."""
    given = (each.value for each in written.nodes if isinstance(each, ast.Assign) and _gives(each, {name}))
    return any(written.called(each) in _CHOICES for value in given for each in ast.walk(value))


def _scores(written: Written, power: ast.AST) -> tuple[str, str] | None:
    """One of the scores that a power of e is made of, with factors that everybody knows, and what it goes over."""
    if not isinstance(power, ast.Call) or len(power.args) != 1:
        return None
    around = written.above.get(id(power))
    while around is not None and not isinstance(around, ast.ListComp | ast.stmt):
        around = written.above.get(id(around))
    own, over = "", None
    if isinstance(around, ast.ListComp) and isinstance(target := around.generators[0].target, ast.Name):
        own, over = target.id, around.generators[0].iter
    found = [each for each in _known_factors(power.args[0]) if _may_be_score(each)]
    if len(found) != 1:
        return None
    if over is not None:
        return written.source(found[0]), f"{own} in {written.source(over)}"
    return "score", f"score in {written.source(found[0])}"


def _may_be_score(node: ast.expr) -> bool:
    """Whether a factor is no number that somebody chooses."""
    if isinstance(node, ast.Constant):
        return False
    return not (isinstance(node, ast.Name) and (is_chosen(node.id) or node.id.startswith("sens")))


def _known_factors(node: ast.expr) -> Iterator[ast.expr]:
    """The factors of a product, and what it is divided by; of an array that is made of a list, the list."""
    match node:
        case ast.BinOp(left=left, op=ast.Mult() | ast.Div(), right=right):
            yield from (*_known_factors(left), *_known_factors(right))
        case ast.Call(func=ast.Attribute(attr="array" | "asarray"), args=[inner]):
            yield from _known_factors(inner)
        case _:
            yield node


# Functions that draw


def drawn_elsewhere(written: Written, helpers: dict[str, ast.FunctionDef]) -> Iterator[Rewording]:
    """What a function of the program draws, where it is called."""
    found: list[Edit] = []
    for node in written.nodes:
        match node:
            case ast.Call(func=ast.Name(id=name)) if name in helpers and helpers[name] is not written.definition.node:
                made = _called_with(written, helpers[name], node)
                if made:
                    found.append(written.edit(node, made))
    if found:
        yield Rewording(f"draw the noise where it is added: `{found[0].text}`", tuple(found))


def _called_with(written: Written, helper: ast.FunctionDef, call: ast.Call) -> str:
    """What a function returns that is one draw, with what it is given in place of its parameters; empty for others."""
    body = [each for each in helper.body if not (isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant))]
    match body:
        case [ast.Return(value=ast.expr() as value)]:
            pass
        case [ast.Assign(targets=[ast.Name(id=one)], value=value), ast.Return(value=ast.Name(id=same))] if one == same:
            pass
        case _:
            return ""
    params, args = helper.args.args, helper.args
    if written.called(value) not in _DRAWS or args.vararg or args.kwarg or args.kwonlyargs:
        return ""
    defaults = dict(zip([each.arg for each in params[len(params) - len(args.defaults) :]], args.defaults, strict=True))
    named = {each.arg: each.value for each in call.keywords if each.arg}
    given = {**defaults, **dict(zip([each.arg for each in params], call.args, strict=False)), **named}
    if any(each.arg not in given for each in params):
        return ""
    return ast.unparse(Given(given).visit(copied(value)))


def geometric_by_hand(written: Written) -> Iterator[Rewording]:
    """A function that counts until chance ends it, twice, as Laplace noise where the difference is added."""
    helper = written.definition.node
    if not any(isinstance(each, ast.While) and _tests_chance(written, each) for each in written.nodes):
        return
    found = program(written.text)
    if found is None:
        return
    edits: list[Edit] = []
    used = sum(_calls(each, helper.name) for each in ast.walk(found.tree))
    for function in (each for each in ast.walk(found.tree) if isinstance(each, ast.FunctionDef)):
        epsilon = next((each.arg for each in function.args.args if each.arg.casefold().startswith("eps")), "1.0")
        for node in ast.walk(function):
            match node:
                case ast.BinOp(ast.BinOp(of, ast.Add(), one), ast.Sub(), other):
                    if _calls(one, helper.name) and _calls(other, helper.name):
                        made = f"{ast.unparse(of)} + np.random.laplace(scale=1 / {epsilon})"
                        edits.append(Edit(found.places.span(node), made))
                        used -= 2
    if edits and not used:
        edits.append(written.line(helper))
        yield Rewording(f"draw Laplace noise by a library: `{edits[0].text}`", tuple(sorted(edits)))


def _tests_chance(written: Written, loop: ast.While) -> bool:
    return any(written.called(each) in _UNIFORM for each in ast.walk(loop.test))


def _calls(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name


# Seeds


_SEED = "leave out the seed: whoever knows it knows the noise"


def seeded(written: Written) -> Iterator[Rewording]:
    """A seed by which everybody who knows it knows the noise, too."""
    for node in written.nodes:
        path = written.called(node)
        match node:
            case ast.Call(args=[_, *_]) | ast.Call(keywords=[_, *_]) if path == "numpy.random.default_rng":
                made = f"{written.source(node.func)}()"
                yield Rewording(
                    f"leave out the seed: whoever knows it knows the noise: `{made}`", (written.edit(node, made),)
                )
            case ast.Expr(value=ast.Call() as call) if written.called(call) in ("numpy.random.seed", "random.seed"):
                yield Rewording(_SEED, (written.line(node),))
    for name in sorted(written.names & GENERATORS):
        for found in re.finditer(
            rf"^{name}[ \t]*=[ \t]*(?P<made>[\w.]*\bdefault_rng)\((?P<seed>[^()\n]+)\)", written.text, re.M
        ):
            yield Rewording(f"{_SEED}: `{name} = {found['made']}()`", (Edit(Span(*found.span("seed")), ""),))
