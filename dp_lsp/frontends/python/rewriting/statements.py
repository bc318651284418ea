"""Statements and sums in other words: counts in a list that a loop fills, results that are texts, dictionaries of
statistics, deviations and means with noise."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from dp_lsp.frontends.python.rewriting.definitions import calls_of, without_parameter
from dp_lsp.frontends.python.rewriting.rewording import Rewording, Written, counting, once
from dp_lsp.problem import Edit
from dp_lsp.text import Span

_DRAWS = ("laplace", "normal", "gauss", "normalvariate", "rvs")


def statements(written: Written) -> Iterator[Rewording]:
    """Those of a definition that have other words."""
    yield from _places_among_cells(written)
    yield from _counted_in_bins(written)
    yield from _texts_as_numbers(written)
    yield from _dictionary_of_statistics(written)
    yield from _root_of_variance(written)
    yield from _mean_of_kept(written)
    yield from _largest_of_noisy(written)
    yield from _largest_by_a_loop(written)
    yield from _two_lists(written)
    yield from _noise_at_each_place(written)
    yield from _dictionary_by_a_loop(written)
    yield from _smaller_for_more(written)
    yield from _to_the_end(written)
    yield from _not_tried(written)
    yield from _asked_elsewhere(written)


def _places_among_cells(written: Written) -> Iterator[Rewording]:
    """``hist[age // 10] += 1`` in one of the cells that there are, and at a whole number."""
    sizes = {name: size for name, size in _cells(written) if size.isdigit()}
    for node in written.nodes:
        match node:
            case ast.AugAssign(target=ast.Subscript(value=ast.Name(id=name), slice=place)) if name in sizes:
                source = written.source(place)
                whole = source if isinstance(place, ast.Name) else f"int({source})"
                given = [
                    value for target, value in written.given() if isinstance(place, ast.Name) and target == place.id
                ]
                edit = written.edit(place, f"min(max({whole}, 0), {int(sizes[name]) - 1})")
                if given and not _is_limited(given[0]):
                    made = f"min(max(int({written.source(given[0])}), 0), {int(sizes[name]) - 1})"
                    edit = written.edit(given[0], made)
                if not _is_limited(place):
                    yield Rewording(f"put the place among the cells: `{edit.text}`", (edit,))


def _is_limited(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("min", "max")


def _cells(written: Written) -> Iterator[tuple[str, str]]:
    """The names of lists and arrays of zeros, and how many there are."""
    for name, value in written.given():
        match value:
            case ast.BinOp(left=ast.List(elts=[ast.Constant(value=0)]), op=ast.Mult(), right=size):
                yield name, written.source(size)
            case ast.Call(args=[size, *_]) if written.called(value) == "numpy.zeros":
                yield name, written.source(size)


def _counted_in_bins(written: Written) -> Iterator[Rewording]:
    """``hist = [0] * n`` that a loop counts records in, as counts of each place; and noise for each place."""
    body = written.definition.node.body
    for name, size, begun in _zeros(written):
        loop = next((each for each in body if _counts_in(each, name)), None)
        match loop:
            case ast.For(
                target=ast.Name(id=record),
                iter=over,
                body=[*_, ast.AugAssign(target=ast.Subscript(slice=place))],
            ) if len(loop.body) == 1:
                each = written.fresh("k", "place")
                counted = f"sum(1 for {record} in {written.source(over)} if {written.source(place)} == {each})"
                made = f"{name} = [{counted} for {each} in range({written.source(size)})]"
                edits = [written.edit(begun, made), written.line(loop), *_noise_for_each(written, name)]
                yield Rewording(f"count place by place: `{made}`", tuple(sorted(edits)))


def _zeros(written: Written) -> Iterator[tuple[str, ast.expr, ast.stmt]]:
    for statement in written.definition.node.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                match value:
                    case ast.BinOp(left=ast.List(elts=[ast.Constant(value=0)]), op=ast.Mult(), right=size):
                        yield name, size, statement
                    case ast.Call(args=[size]) if written.called(value) == "numpy.zeros":
                        yield name, size, statement


def _counts_in(statement: ast.stmt, name: str) -> bool:
    match statement:
        case ast.For(body=[ast.AugAssign(target=target, op=ast.Add(), value=ast.Constant(value=1))]):
            return _is_place_in(target, name)
    return False


def _is_place_in(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id == name


def _noise_for_each(written: Written, name: str) -> Iterator[Edit]:
    """A loop that adds noise at each place makes a list with it."""
    for statement in written.definition.node.body:
        match statement:
            case ast.For(
                target=ast.Name(id=index),
                body=[
                    ast.AugAssign(target=ast.Subscript(slice=ast.Name(id=place)) as target, op=ast.Add(), value=noise)
                ],
            ) if _is_place_in(target, name) and index == place and _draws(noise):
                each = written.fresh("count", "each")
                yield written.edit(statement, f"{name} = [{each} + {written.source(noise)} for {each} in {name}]")


def _noise_at_each_place(written: Written) -> Iterator[Rewording]:
    """A loop that adds noise at each place of an array, as noise for all at once."""
    for loop in written.nodes:
        match loop:
            case ast.For(
                target=ast.Name(id=index),
                iter=ast.Call(func=ast.Name(id="range"), args=[ast.Call(func=ast.Name(id="len"), args=[of])]),
                body=[step],
            ) if (noise := _added_at(step, ast.unparse(of), index)) is not None:
                draw = f"{written.source(noise)[:-1]}, size=len({ast.unparse(of)}))"
                made = f"{ast.unparse(of)} = {ast.unparse(of)} + {draw}"
                yield Rewording(f"draw the noise of all at once: `{made}`", (written.edit(loop, made),))


def _added_at(step: ast.stmt, array: str, index: str) -> ast.Call | None:
    """The draw that a statement adds at a place of an array."""
    match step:
        case ast.AugAssign(target=target, op=ast.Add(), value=ast.Call() as noise):
            plain = True
        case ast.Assign(targets=[target], value=ast.BinOp(left=read, op=ast.Add(), right=ast.Call() as noise)):
            plain = ast.unparse(read) == ast.unparse(target)
        case _:
            return None
    is_there = ast.unparse(target) == f"{array}[{index}]"
    return noise if plain and is_there and _draws(noise) and len(noise.args) + len(noise.keywords) <= _UNSIZED else None


_UNSIZED = 2
"""How many arguments a draw has that is one number: its place and its scale."""


def _dictionary_by_a_loop(written: Written) -> Iterator[Rewording]:
    """A dictionary that a loop fills with one entry a round, as one that is written at once."""
    begun = {name: value for name, value in once(written) if isinstance(value, ast.Dict) and not value.keys}
    for loop in written.definition.node.body:
        match loop:
            case ast.For(
                target=ast.Name(id=key),
                iter=over,
                body=[ast.Assign(targets=[ast.Subscript(value=ast.Name(id=name), slice=ast.Name(id=at))], value=value)],
                orelse=[],
            ) if name in begun and key == at:
                entry = f"{key}: {written.source(value)} for {key} in {written.source(over)}"
                lines = (each for each in written.definition.node.body if getattr(each, "value", None) is begun[name])
                edits = (*map(written.line, lines), written.edit(loop, f"{name} = {{{entry}}}"))
                yield Rewording(f"write the dictionary at once: `{{{entry}}}`", edits)


def _draws(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in _DRAWS


def _texts_as_numbers(written: Written) -> Iterator[Rewording]:
    """Texts that are returned, or compared with these, are whole numbers."""
    returned = [each.value for each in written.nodes if isinstance(each, ast.Return)]
    texts = [each for each in returned if isinstance(each, ast.Constant) and isinstance(each.value, str)]
    numbers = {each: at for at, each in enumerate(dict.fromkeys(written.source(each) for each in texts), 1)}
    if len(numbers) > 1:
        told = ", ".join(f"{number} for `{each}`" for each, number in numbers.items())
        edits = tuple(written.edit(each, str(numbers[written.source(each)])) for each in texts)
        yield Rewording(f"return a number for each text: {told}", edits)


def _dictionary_of_statistics(written: Written) -> Iterator[Rewording]:
    """``{k: v + noise for k, v in stats.items()}``, where the dictionary is written out before and used for nothing
    else, as that dictionary with noise."""
    known = {name: value for name, value in once(written) if isinstance(value, ast.Dict)}
    for node in written.nodes:
        match node:
            case ast.DictComp(
                key=ast.Name(id=key),
                value=made,
                generators=[
                    ast.comprehension(
                        target=ast.Tuple(elts=[ast.Name(id=first), ast.Name(id=second)]),
                        iter=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="items")),
                        ifs=[],
                    )
                ],
            ) if key == first and name in known and written.reads(name) == 1:
                given = known[name]
                parts = [
                    f"{written.source(at)}: {_with(written, made, second, value)}"
                    for at, value in zip(given.keys, given.values, strict=True)
                    if at is not None
                ]
                line = next(each for each in written.definition.node.body if getattr(each, "value", None) is given)
                edits = written.line(line), written.edit(node, f"{{{', '.join(parts)}}}")
                yield Rewording("add the noise where the statistics are made", edits)


def _with(written: Written, made: ast.expr, name: str, value: ast.expr) -> str:
    """An expression as it is written, with another one in place of a name."""
    start, text = written.definition.span(made).start, written.source(made)
    places = [
        written.definition.span(each) for each in ast.walk(made) if isinstance(each, ast.Name) and each.id == name
    ]
    for span in sorted(places, reverse=True):
        text = text[: span.start - start] + written.source(value) + text[span.end - start :]
    return text


def _root_of_variance(written: Written) -> Iterator[Rewording]:
    """Noise on a deviation, which moves without bound where it is near 0, is noise on its square."""
    for node in written.nodes:
        match node:
            case ast.BinOp(left=ast.Call() as root, op=ast.Add(), right=noise) if _draws(noise):
                square = _square_of(written, root)
            case ast.Call(args=[ast.Call() as root, *_]) if isinstance(node.func, ast.Name):
                square = _square_of(written, root) if written.called(node) == node.func.id else ""
            case _:
                continue
        if square:
            start, text = written.definition.span(node).start, written.source(node)
            span = written.definition.span(root)
            inner = text[: span.start - start] + square + text[span.end - start :]
            made = f"np.sqrt(max({inner}, 0))"
            yield Rewording(f"release the square, and take its root: `{made}`", (written.edit(node, made),))


def _square_of(written: Written, node: ast.Call) -> str:
    if written.called(node) == "numpy.std":
        return f"np.var({written.source(node).partition('(')[2]}"
    match node:
        case ast.Call(func=ast.Attribute(value=of, attr="std")) if not written.called(node):
            bounded = "Bounded" in ast.unparse(written.definition.node.args)
            bounded = bounded or any(map(_is_bounded, _meant(of, dict(written.given()))))
            held = written.source(of) if bounded else f"{written.source(of)}.clip(0, 100)"
            return f"{held}.var({written.source(node).rpartition('(')[2]}"
    return ""


def _mean_of_kept(written: Written) -> Iterator[Rewording]:
    """Noise on the mean of records that a condition keeps, whose number is private, is a noisy sum over a noisy
    number."""
    given = dict(written.given())
    for node in written.nodes:
        match node:
            case ast.BinOp(left=average, op=ast.Add(), right=ast.Call() as noise) if _draws(noise):
                pass
            case _:
                continue
        mean = given.get(average.id, average) if isinstance(average, ast.Name) else average
        of, total = _averaged(written, mean)
        sizes = [f"len({part})" for part in _parts_of(of, given)]
        scale, gone = _with_its_name(written, _scale(noise), given)
        parts = _without_size(written, scale, sizes)
        if of is None or parts is None or not any(map(_keeps, (*_meant(of, given), *_values_of(written, of)))):
            continue
        if total.endswith(".sum()") and not any(map(_is_bounded, _meant(of, given))):
            total = f"{total.removesuffix('.sum()')}.clip(0, {parts[0]}).sum()"
        epsilon, draw = f"({parts[1]} / 2)", written.source(noise.func)
        made = f"({total} + {draw}(0, {parts[0]} / {epsilon})) / max({sizes[0]} + {draw}(0, 1 / {epsilon}), 1)"
        edits = (*map(written.line, gone), written.edit(node, made))
        yield Rewording(f"release a noisy sum over a noisy count: `{made}`", edits)


def _with_its_name(
    written: Written, scale: ast.expr | None, given: Mapping[str, ast.expr]
) -> tuple[ast.expr | None, list[ast.stmt]]:
    """The scale of noise with a sensitivity in place of its name, and the statement that nobody reads any more."""
    match scale:
        case ast.BinOp(left=ast.Name(id=name), op=ast.Div(), right=epsilon) if (
            name in given and written.reads(name) == 1
        ):
            line = [each for each in written.definition.node.body if getattr(each, "value", None) is given[name]]
            return (ast.BinOp(given[name], ast.Div(), epsilon), line) if line else (scale, [])
    return scale, []


def _meant(node: ast.expr, given: Mapping[str, ast.expr]) -> Iterator[ast.expr]:
    """An expression, and what the names in it are given, and so on."""
    waiting, seen = [node], set[str]()
    for each in waiting:  # which grows
        yield each
        names = {item.id for item in ast.walk(each) if isinstance(item, ast.Name)} - seen
        seen |= names
        waiting += [given[name] for name in sorted(names) if name in given]


def _values_of(written: Written, node: ast.expr) -> Iterator[ast.expr]:
    """All that is ever given to the names in an expression."""
    names = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
    for each in written.nodes:
        match each:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if name in names:
                yield value


def _parts_of(node: ast.expr | None, given: Mapping[str, ast.expr]) -> Iterator[str]:
    """The texts of what holds the same records as something: a column and its table, numbers and those clipped."""
    while node is not None:
        yield ast.unparse(node)
        match node:
            case ast.Name(id=name):
                node = given.get(name)
            case ast.Call(func=ast.Attribute(value=of, attr="clip")):
                node = of
            case ast.Subscript(value=of, slice=ast.Constant(value=str())):
                node = of
            case _:
                return


def _is_bounded(node: ast.expr) -> bool:
    return any(isinstance(each, ast.Attribute) and each.attr == "clip" for each in ast.walk(node))


def _averaged(written: Written, node: ast.expr) -> tuple[ast.expr | None, str]:
    """What something is the mean of, and the sum of that; None where it is none."""
    match node:
        case ast.Call(func=ast.Attribute(value=of, attr="mean"), args=[], keywords=[]):
            return of, f"{written.source(of)}.sum()"
        case ast.Call(args=[of]) if written.called(node) in ("numpy.mean", "statistics.mean"):
            return of, f"sum({written.source(of)})"
        case ast.BinOp(
            left=ast.Call(func=ast.Attribute(value=of, attr="sum"), args=[], keywords=[]) as total,
            op=ast.Div(),
            right=ast.Call(args=[whole]) as size,
        ) if written.called(size) == "len":
            return of, written.source(total)
        case ast.BinOp(
            left=ast.Call(args=[of]) as total, op=ast.Div(), right=ast.Call(args=[ast.Name(id=name) as whole]) as size
        ):
            over = of.generators[0].iter if isinstance(of, ast.ListComp | ast.GeneratorExp) else of
            is_mean = written.called(total) in ("sum", "numpy.sum") and written.called(size) == "len"
            return (whole, written.source(total)) if is_mean and ast.unparse(over) == name else (None, "")
    return None, ""


def _without_size(written: Written, scale: ast.expr | None, sizes: list[str]) -> tuple[str, str] | None:
    """How far a sum moves, and the ε, of a scale that is how far a mean does, by the ε; of one that forgets that it is
    that of a mean, what it is made for."""
    match scale:
        case ast.BinOp(left=far, op=ast.Div(), right=ast.BinOp(left=one, op=ast.Mult(), right=other)):
            pass
        case ast.BinOp(left=ast.BinOp(left=far, op=ast.Div(), right=one), op=ast.Div(), right=other):
            pass
        case ast.BinOp(left=far, op=ast.Div(), right=epsilon) if not any(size in ast.unparse(far) for size in sizes):
            return _as_factor(written, far), written.source(epsilon)
        case _:
            return None
    for size, epsilon in ((one, other), (other, one)):
        if written.source(size) in sizes:
            return _as_factor(written, far), written.source(epsilon)
    return None


def _as_factor(written: Written, node: ast.expr) -> str:
    """An expression as it is divided by something."""
    made = written.source(node)
    return f"({made})" if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub) else made


def _keeps(value: ast.expr) -> bool:
    """Whether something is made of the records that a condition keeps."""
    if isinstance(value, ast.ListComp):
        return any(each.ifs for each in value.generators)
    return any(
        (isinstance(each, ast.Subscript) and isinstance(each.slice, ast.Compare | ast.BinOp))
        or (isinstance(each, ast.Attribute) and each.attr == "dropna")
        for each in ast.walk(value)
    )


def _largest_of_noisy(written: Written) -> Iterator[Rewording]:
    """The key with the largest noisy number of a dictionary, as its place among the keys."""
    given = dict(written.given())
    for node in written.nodes:
        match node:
            case ast.Call(args=[ast.Name(id=name)], keywords=[ast.keyword(arg="key", value=key)]) if (
                written.called(node) == "max" and ast.unparse(key) == f"{name}.get"
            ):
                made = _argmax(written, given.get(name), given)
                if made and written.reads(name) == 2:
                    lines = map(written.line, _no_longer_read(written, given[name], given))
                    edits = tuple(sorted([*lines, written.edit(node, made)]))
                    yield Rewording(f"take the place of the largest, counted from 0: `{made}`", edits)


def _largest_by_a_loop(written: Written) -> Iterator[Rewording]:
    """The key whose noisy score a loop finds to be the largest, as its place among the keys."""
    given, body = dict(written.given()), written.definition.node.body
    for loop in body:
        match loop:
            case ast.For(
                target=ast.Name(id=key),
                iter=over,
                body=[
                    ast.Assign(targets=[ast.Name(id=score)], value=ast.BinOp() as value),
                    ast.If(
                        test=ast.Compare(ast.Name(id=left), [ast.Gt() | ast.GtE()], [ast.Name(id=most)]), orelse=[]
                    ) as kept,
                ],
            ) if left == score:
                pass
            case _:
                continue
        sets = {ast.unparse(each) for each in kept.body}
        best = next((name for name in written.names if sets == {f"{name} = {key}", f"{most} = {score}"}), "")
        each = ast.DictComp(ast.Name(key), value, [ast.comprehension(ast.Name(key), over, [], 0)])
        made = _argmax(written, each, given) if best else ""
        returns = [
            line.value for line in body if isinstance(line, ast.Return) and ast.unparse(line) == f"return {best}"
        ]
        begun = [line for line in body if isinstance(line, ast.Assign) and ast.unparse(line.targets[0]) in (best, most)]
        if (
            made
            and len(returns) == 1
            and returns[0] is not None
            and written.reads(best) == 1
            and written.reads(most) == 1
        ):
            keys = [line for line in body if isinstance(over, ast.Name) and isinstance(line, ast.Assign)]
            unread = [
                line
                for line in keys
                if line.value is given.get(ast.unparse(over)) and written.reads(ast.unparse(over)) == 1
            ]
            lines = [written.line(line) for line in (*begun, loop, *unread)]
            edits = tuple(sorted([*lines, written.edit(returns[0], made)]))
            yield Rewording(f"take the place of the largest, counted from 0: `{made}`", edits)


def _no_longer_read(written: Written, value: ast.expr, given: Mapping[str, ast.expr]) -> Iterator[ast.stmt]:
    """The statement that gives a dictionary a name, and that of its keys if they are read nowhere else."""
    gone = [value]
    match value:
        case ast.DictComp(generators=[ast.comprehension(iter=ast.Name(id=keys))]) if written.reads(keys) == 1:
            gone += [given[keys]] if keys in given else []
    return (each for each in written.definition.node.body if isinstance(each, ast.Assign) and each.value in gone)


def _argmax(written: Written, value: ast.expr | None, given: Mapping[str, ast.expr]) -> str:
    match value:
        case ast.DictComp(
            key=ast.Name(id=key),
            value=ast.BinOp(left=score, op=ast.Add(), right=ast.Call(args=[centre, scale], keywords=[]) as noise),
            generators=[ast.comprehension(target=ast.Name(id=each), iter=over, ifs=[])],
        ) if key == each and _draws(noise):
            keys = given.get(over.id, over) if isinstance(over, ast.Name) else over
            if isinstance(keys, ast.List | ast.Tuple):
                made = counting(written, score) or written.source(score)
                scores = f"np.array([{made} for {each} in {written.source(keys)}])"
                draw = f"{written.source(noise.func)}({written.source(centre)}, {written.source(scale)}"
                return f"np.argmax({scores} + {draw}, size={len(keys.elts)}))"
    return ""


def _scale(noise: ast.Call) -> ast.expr | None:
    named = {each.arg: each.value for each in noise.keywords}
    return named.get("scale", noise.args[1] if len(noise.args) > 1 else None)


def left_out(written: Written, place: int, shows: bool) -> Iterator[Edit]:
    """The statement at a place without which a function returns the same: one that makes a run fail, or that does or
    ``shows`` something and gives nothing a name."""
    around = [each for each in written.nodes if isinstance(each, ast.stmt) and _is_at(written, each, place)]
    shown = (each for each in around if isinstance(each, ast.Expr) and not _grows(each))
    found = [*shown] if shows else [each for each in around if _only_checks(each)]
    if not found:
        return
    statement = found[0]
    above = written.above[id(statement)]
    if getattr(above, "body", None) == [statement] or getattr(above, "orelse", None) == [statement]:
        yield written.edit(statement, "pass")
    else:
        yield written.line(statement)


def _grows(statement: ast.Expr) -> bool:
    """Whether a statement changes a list or a dictionary."""
    match statement.value:
        case ast.Call(func=ast.Attribute(attr=attr)):
            return attr in _CHANGING
    return False


_CHANGING = frozenset({"append", "extend", "insert", "add", "update", "sort", "pop", "remove", "clear"})


def _is_at(written: Written, statement: ast.stmt, place: int) -> bool:
    start, end = written.definition.span(statement)
    return start <= place <= end


def _only_checks(statement: ast.stmt) -> bool:
    match statement:
        case ast.Assert() | ast.If(body=[ast.Raise()], orelse=[]):
            return True
    return False


def _two_lists(written: Written) -> Iterator[Rewording]:
    """What a loop makes of two lists side by side, as one over a list of what is computed of each two numbers, which is
    made before the call."""
    parameters = {each.name: each for each in written.definition.parameters}
    for loop in (each for each in written.nodes if isinstance(each, ast.For)):
        value = _made_in(loop)
        lists = [] if value is None else _side_by_side(loop, value)
        if value is None or len(lists) != 2 or not {*lists} <= parameters.keys():
            continue
        inside = [each for each in ast.walk(loop) if isinstance(each, ast.Name)]
        lengths = [call for name in lists for call in _lengths(written, name) if call not in ast.walk(loop)]
        reads = sum(each.id in lists for each in inside) + len(lengths)
        if sum(map(written.reads, lists)) != reads:
            continue
        name, item = written.fresh("computed", "of_each"), written.fresh("each", "item")
        edits = [Edit(parameters[lists[0]].span, f"{name}: list[float]")]
        edits.append(without_parameter(written.definition, parameters[lists[1]], written.text))
        edits += [written.edit(loop.target, item), written.edit(loop.iter, name), written.edit(value, item)]
        edits += [written.edit(call, f"len({name})") for call in lengths]
        made = f"[{written.source(value)} for {written.source(loop.target)} in {written.source(loop.iter)}]"
        yield Rewording(f"compute `{made}` before each call, and pass it", tuple(sorted(edits)))


def _made_in(loop: ast.For) -> ast.expr | None:
    """What a loop adds up or appends, if it does nothing else."""
    match loop.body:
        case [ast.AugAssign(target=ast.Name(), op=ast.Add(), value=value)]:
            return value
        case [ast.Expr(value=ast.Call(func=ast.Attribute(attr="append"), args=[value], keywords=[]))]:
            return value
    return None


def _side_by_side(loop: ast.For, value: ast.expr) -> list[str]:
    """The lists of which a value is made of what stands at one place; none if it is made of anything else."""
    own = {each.id for each in ast.walk(value) if isinstance(each, ast.Name)}
    match loop:
        case ast.For(
            target=ast.Tuple(elts=[ast.Name(id=one), ast.Name(id=other)]),
            iter=ast.Call(func=ast.Name(id="zip"), args=[ast.Name(id=first), ast.Name(id=second)]),
        ):
            return [first, second] if own == {one, other} else []
        case ast.For(target=ast.Name(id=place), iter=ast.Call(func=ast.Name(id="range"), args=[ast.Call()])):
            taken = [each for each in ast.walk(value) if isinstance(each, ast.Subscript)]
            lists = [ast.unparse(each.value) for each in taken if ast.unparse(each.slice) == place]
            plain = len(lists) == len(taken) and own == {place, *lists}
            counted = ast.unparse(loop.iter) in {f"range(len({name}))" for name in lists}
            return sorted({*lists}) if plain and counted else []
    return []


def _lengths(written: Written, name: str) -> list[ast.AST]:
    """The calls that ask how long something is."""
    return [node for node in written.nodes if isinstance(node, ast.Call) and ast.unparse(node) == f"len({name})"]


def _smaller_for_more(written: Written) -> Iterator[Rewording]:
    """A scale that is multiplied by ε is divided by it: more of that is to be less noise."""
    named = dict(once(written))
    for node in written.nodes:
        scale = _scale(node) if isinstance(node, ast.Call) and _draws(node) else None
        scale = named.get(scale.id, scale) if isinstance(scale, ast.Name) else scale
        for part in _above_the_line(scale) if scale is not None else ():
            match part:
                case ast.BinOp(left=left, op=ast.Mult(), right=ast.Name(id=name) as right) if name.startswith("eps"):
                    start, end = written.definition.span(left).end, written.definition.span(right).start
                    at = written.text.index("*", start, end)
                    yield Rewording(f"divide by `{name}`: more of it is less noise", (Edit(Span(at, at + 1), "/"),))


def _above_the_line(node: ast.expr) -> Iterator[ast.expr]:
    """An expression and its factors, without what it is divided by."""
    yield node
    match node:
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            yield from (*_above_the_line(left), *_above_the_line(right))
        case ast.BinOp(left=left, op=ast.Div()):
            yield from _above_the_line(left)


def _to_the_end(written: Written) -> Iterator[Rewording]:
    """A loop that ends at some record leaves it out."""
    for loop in written.nodes:
        inner = [*ast.walk(loop)][1:] if isinstance(loop, ast.For) else []
        breaks = [node for node in inner if isinstance(node, ast.Break)]
        if len(breaks) == 1 and not any(isinstance(each, ast.For | ast.While) for each in inner):
            yield Rewording("leave out the record, and go on with the next one", (written.edit(breaks[0], "continue"),))


def _not_tried(written: Written) -> Iterator[Rewording]:
    """What is tried is done: where there is no record, or another one than was expected, the run fails."""
    for node in written.nodes:
        match node:
            case ast.Try(body=[first, *_], finalbody=[], orelse=[]):
                start, end = written.definition.span(node)
                indent = _indentation(written, node)
                inner = _indentation(written, first)
                lines = written.text[written.definition.span(first).start : written.definition.span(node.body[-1]).end]
                made = lines.replace(f"\n{inner}", f"\n{indent}")
                if "\n" not in lines or inner.startswith(indent):
                    yield Rewording("leave out the `try`", (Edit(Span(start, end), made),))


def _indentation(written: Written, node: ast.AST) -> str:
    start = written.definition.span(node).start
    return written.text[written.text.rfind("\n", 0, start) + 1 : start]


def _asked_elsewhere(written: Written) -> Iterator[Rewording]:
    """A number that a function asks for while it runs is one that it is given."""
    args = written.definition.node.args
    if args.defaults or args.kwonlyargs or args.vararg or args.kwarg or not args.args:
        return
    for statement in written.definition.node.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if _asks(value) and written.writes(name) == 1:
                at = written.definition.span(args.args[-1]).end
                kind = "int" if isinstance(value, ast.Call) and written.called(value) == "int" else "float"
                edits = [Edit(Span(at, at), f", {name}: Static[{kind}]"), written.line(statement)]
                ends = [given.end for given in calls_of(written.definition.node.name, written.text)]
                edits += [Edit(Span(end, end), f", {name}={written.source(value)}") for end in ends]
                yield Rewording(
                    f"ask before the call, and pass the answer: `{name}: Static[{kind}]`", tuple(sorted(edits))
                )


def _asks(value: ast.expr) -> bool:
    calls = (each.func for each in ast.walk(value) if isinstance(each, ast.Call))
    return any(isinstance(each, ast.Name) and each.id == "input" for each in calls)
