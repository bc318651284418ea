"""Tokens to trees: a reader by precedences, with Julia's rules of blanks, line ends, adjacent factors and strings."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TypeVar

from .failures import SyntaxFailure, Unmodelled
from .strings import CharacterReader
from .syntax import NOTHING, Literal, Name, Node, Tree, tree
from .tokens import Token, folded, token_at

ASSIGNMENTS = frozenset(["=", "+=", "-=", "*=", "/=", "^=", "%=", "|=", "&=", "÷=", "⊻=", ":="])
ASSIGNMENTS |= {f".{each}" for each in ASSIGNMENTS if each != ":="}
_COMPARISONS = frozenset(["==", "!=", "===", "!==", "<", ">", "<=", ">=", "≤", "≥", "≠", "∈", "∉"])
_COMPARISONS |= {"<:", ">:", "≈", "in", "isa"}
_LEVELS: dict[str, tuple[int, bool]] = {  # how tightly an operator holds, and whether it groups to the right
    "=>": (2, True),
    "?": (3, True),
    "-->": (4, True),
    "||": (5, True),
    "&&": (6, True),
    **{each: (7, False) for each in _COMPARISONS},
    "<|": (8, True),
    "|>": (9, False),
    ":": (10, False),
    **{each: (11, False) for each in ["+", "-", "|", "⊻", "∪"]},
    **{each: (12, False) for each in ["*", "/", "÷", "%", "&", "\\", "⋅", "×", "∘", "∩"]},
    "//": (13, False),
    **{each: (14, False) for each in ("<<", ">>")},
    "^": (17, True),
}
_UNARY = 15
T = TypeVar("T")
_SAME = {"≤": "<=", "≥": ">=", "≠": "!=", "∈": "in"}
_CLOSERS = frozenset([")", "]", "}", ",", ";"])
_ENDS = frozenset(["end", "else", "elseif", "catch", "finally"])


def _dotted(node: Node) -> Node:
    """What `@.` makes of an expression: all calls and assignments in it have a dot."""
    if not isinstance(node, Tree):
        return node
    made = tuple(map(_dotted, node.args))
    match node.head:
        case "call" | "dots":
            return Tree("dots", (node.args[0], *made[1:]))
        case "=" | "store":
            return Tree("store", made)
    raise Unmodelled(f"`@.` of `{node.head}`")


def _operation(sign: str, *operands: Node) -> Node:
    """An operation, on all entries if its sign begins with a dot."""
    dotted = sign.startswith(".") and sign != ".."
    name = sign[1:] if dotted else sign
    return tree("dots" if dotted else "call", Name(_SAME.get(name, name)), *operands)


class Parser(CharacterReader):
    """Reads one text. ``_quiet`` counts brackets in which line ends mean nothing; in ``_rows`` blanks separate."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._quiet, self._rows, self._middle, self._indexed = 0, 0, 0, 0
        self._known: dict[int, Token] = {}

    # Tokens

    def _peek(self) -> Token:
        found = self._token(self.position)
        while found.kind == "newline" and self._quiet:
            found = self._token(found.end)._replace(spaced=True)
        return found

    def _token(self, position: int) -> Token:
        found = self._known.get(position)
        if found is None:
            found = self._known[position] = token_at(self.text, position)
        return found

    def _next(self) -> Token:
        found = self._peek()
        self.position = found.end
        return found

    def _at(self, *texts: str) -> bool:
        found = self._peek()
        return found.text in texts and found.kind not in ("string", "command", "number")

    def _take(self, text: str) -> bool:
        if self._at(text):
            self._next()
            return True
        return False

    def _expect(self, text: str) -> None:
        if not self._take(text):
            raise SyntaxFailure(f"expected {text!r} at {self.position}, not {self._peek().text!r}")

    def _skip(self, *kinds: str) -> None:
        while self._peek().kind in kinds:
            self._next()

    def _within(self, quiet: int, rows: int, read: Callable[[], T]) -> T:
        before = self._quiet, self._rows, self._middle
        self._quiet, self._rows, self._middle = quiet, rows, 0
        try:
            return read()
        finally:
            self._quiet, self._rows, self._middle = before

    # Statements

    def program(self) -> list[Node]:
        statements = self._statements(frozenset())
        if self._peek().kind != "end":
            raise SyntaxFailure(f"{self._peek().text!r} has no beginning")
        return statements

    def _statements(self, closers: frozenset[str] = _ENDS) -> list[Node]:
        found: list[Node] = []
        while True:
            self._skip("newline", ";")
            ahead = self._peek()
            if ahead.kind == "end" or (ahead.kind == "keyword" and ahead.text in _ENDS and closers):
                return found
            found.append(self._statement())
            if self._peek().kind not in ("newline", ";", "end") and not self._at(*_ENDS):
                raise SyntaxFailure(f"something follows a statement at {self.position}: {self._peek().text!r}")

    def _body(self) -> Node:
        return self._within(0, 0, lambda: Tree("block", tuple(self._statements())))

    def _statement(self) -> Node:
        first = self._expression()
        if not self._at(","):
            return first
        items = [first]
        while self._take(","):
            if self._at("=") or self._peek().kind in ("newline", "end"):
                break
            items.append(self._binary(2))
        target = Tree("tuple", tuple(items))
        if self._take("="):
            return tree("=", target, self._statement())
        last = items[-1]
        if isinstance(last, Tree) and last.head == "=":
            raise SyntaxFailure("an assignment in a list")
        return target

    def _expression(self) -> Node:
        """What may be an assignment."""
        left = self._binary(2)
        ahead = self._peek()
        if ahead.kind == "operator" and ahead.text in ASSIGNMENTS:
            self._next()
            self._skip("newline")
            right = self._statement() if not self._quiet else self._expression()
            if ahead.text == "=":
                return self._assigned(left, right)
            if ahead.text.startswith("."):
                value = right if ahead.text == ".=" else tree("dots", Name(ahead.text[1:-1]), left, right)
                return tree("store", left, value)
            return tree("=", left, tree("call", Name(ahead.text[:-1]), left, right))
        return left

    @staticmethod
    def _assigned(left: Node, right: Node) -> Node:
        return tree("function" if is_header(left) else "=", left, right)

    # Operators

    def _binary(self, least: int) -> Node:
        left = self._prefix(least)
        while True:
            ahead = self._peek()
            level = self._level(ahead, least)
            if level is None:
                return left
            if ahead.text == "?":
                left = self._conditional(left)
            elif level == 7:
                left = self._comparison(left)
            elif ahead.text == ":":
                left = self._range(left)
            else:
                self._next()
                self._skip("newline")
                right = self._binary(level if _LEVELS[ahead.text.lstrip(".")][1] else level + 1)
                lazy = ahead.text in ("&&", "||")
                left = tree(ahead.text, left, right) if lazy else _operation(ahead.text, left, right)

    def _level(self, ahead: Token, least: int) -> int | None:
        """How tightly the next operator holds, if it goes on with what was read."""
        if ahead.kind not in ("operator", "name") or ahead.text.lstrip(".") not in _LEVELS:
            return None
        if ahead.text == ":" and self._middle:
            return None
        if ahead.text in ("?",) and not ahead.spaced:
            return None
        level = _LEVELS[ahead.text.lstrip(".")][0]
        if self._rows and ahead.spaced and ahead.text in ("+", "-"):
            after = self.text[ahead.end : ahead.end + 1]
            if after and not after.isspace():
                return None
        return level if level >= least else None

    def _conditional(self, condition: Node) -> Node:
        self._next()
        self._skip("newline")
        self._middle += 1
        then = self._expression()
        self._middle -= 1
        self._skip("newline")
        self._expect(":")
        self._skip("newline")
        return tree("if", condition, then, self._expression())

    def _comparison(self, left: Node) -> Node:
        operands, operators = [left], []
        while True:
            ahead = self._peek()
            if self._level(ahead, 7) != 7:
                break
            self._next()
            self._skip("newline")
            operators.append(ahead.text)
            operands.append(self._binary(8))
        pairs = [_operation(operator, operands[i], operands[i + 1]) for i, operator in enumerate(operators)]
        if len(pairs) == 1:
            return pairs[0]
        if any(operator.startswith(".") for operator in operators):
            last = pairs.pop(0)
            for each in pairs:
                last = tree("dots", Name("&"), last, each)
            return last
        operators = [_SAME.get(each, each) for each in operators]
        return Tree("comparison", (*(Literal(each) for each in operators), *operands))

    def _range(self, left: Node) -> Node:
        self._next()
        parts = [left, self._binary(11)]
        if self._at(":") and not self._middle:
            self._next()
            parts.append(self._binary(11))
        return Tree("call", (Name(":"), *parts))

    def _prefix(self, least: int) -> Node:
        ahead = self._peek()
        if ahead.kind == "operator" and ahead.text in (".-", ".+", ".!"):
            self._next()
            return tree("dots", Name(ahead.text[1:]), self._juxtaposed(self._binary(_UNARY), least))
        if ahead.kind == "operator" and ahead.text in ("-", "+", "!", "√", "<:", ">:", "~"):
            self._next()
            follow = self._peek()
            if follow.kind in ("end", "newline", *_CLOSERS) or (follow.kind == "operator" and follow.text == "="):
                return self._postfix(Name(ahead.text))
            if follow.kind == "(" and not follow.spaced and self._is_operator_call(ahead.text):
                return self._postfix(Name(ahead.text))
            if ahead.text in "+-" and follow.kind == "number" and not follow.spaced and not self._powered(follow):
                sign = -1 if ahead.text == "-" else 1
                return self._juxtaposed(self._postfix(self._number(sign)), least)
            operand = self._juxtaposed(self._binary(_UNARY), least)
            if ahead.text == "<:":
                return tree("<:", operand)
            return tree("call", Name(ahead.text), operand)
        return self._juxtaposed(self._powers(), least)

    def _is_operator_call(self, operator: str) -> bool:
        """Whether ``-(a, b)`` follows, a call with several arguments."""
        before = self.position
        try:
            self._next()
            found = self._within(1, 0, lambda: (self._expression(), self._at(",")))[1]
        finally:
            self.position = before
        return found and operator in "+-"

    def _powered(self, number: Token) -> bool:
        after = token_at(self.text, number.end)
        return after.kind == "operator" and after.text == "^"

    def _powers(self) -> Node:
        base = self._postfix(self._atom())
        while self._peek().kind == "operator" and self._at("^", ".^"):
            sign = self._next().text
            self._skip("newline")
            ahead = self._peek()
            exponent = (
                self._prefix(_UNARY) if ahead.text in ("-", "+", "!") else self._juxtaposed(self._powers(), _UNARY)
            )
            base = _operation(sign, base, exponent)
        return base

    def _juxtaposed(self, left: Node, least: int) -> Node:
        """A number right before a name or a parenthesis is a factor."""
        while self._is_number(left):
            ahead = self._peek()
            name = ahead.kind == "name" and ahead.text not in ("in", "isa")
            if ahead.spaced or not (name or ahead.kind == "("):
                break
            left = tree("call", Name("*"), left, self._powers())
        return left

    @staticmethod
    def _is_number(node: Node) -> bool:
        return isinstance(node, Literal) and isinstance(node.value, int | Fraction) and not isinstance(node.value, bool)

    # Calls, indices, fields

    def _postfix(self, node: Node) -> Node:
        while True:
            ahead = self._peek()
            if ahead.spaced and (self._rows or ahead.kind in ("(", "[", "{")) and not self._declares(ahead):
                return node
            if ahead.kind == "(" and not self._is_number(node):
                node = self._called(node)
            elif ahead.kind == "[":
                node = self._index(node)
            elif ahead.kind == "{":
                self._next()
                node = Tree("curly", (node, *self._arguments("}")))
            elif ahead.kind == "operator" and ahead.text == "'" and not ahead.spaced:
                self._next()
                node = tree("call", Name("'"), node)
            elif ahead.kind == "operator" and ahead.text == "." and not ahead.spaced:
                self._next()
                if self._at("("):
                    self._next()
                    node = Tree("dots", (node, *self._arguments(")")))
                    continue
                node = tree(".", node, Literal(self._next().text))
            elif self._declares(ahead):
                node = self._declared(node)
            elif ahead.kind == "operator" and ahead.text == "...":
                self._next()
                node = tree("...", node)
            elif ahead.kind == "operator" and ahead.text == "->":
                self._next()
                self._skip("newline")
                return tree("->", node, self._within(self._quiet, 0, self._expression))
            elif ahead.kind == "string" and not ahead.spaced and isinstance(node, Name):
                node = self._prefixed(node.text)
            else:
                return node

    @staticmethod
    def _declares(ahead: Token) -> bool:
        return (ahead.kind == "operator" and ahead.text == "::") or (ahead.kind == "name" and ahead.text == "where")

    def _declared(self, node: Node) -> Node:
        if self._take("::"):
            return tree("::", node, self._calls_only(self._atom()))
        self._next()
        if self._take("{"):
            return Tree("where", (node, *self._arguments("}")))
        return tree("where", node, self._binary(7) if not self._at("(") else self._atom())

    def _calls_only(self, node: Node) -> Node:
        """A type: a name with its parameters, or a call that gives one."""
        while (ahead := self._peek()).kind in ("(", "{", "operator") and not ahead.spaced:
            if ahead.kind == "(":
                node = self._called(node)
            elif ahead.kind == "{":
                self._next()
                node = Tree("curly", (node, *self._arguments("}")))
            elif ahead.text == ".":
                self._next()
                node = tree(".", node, Literal(self._next().text))
            else:
                break
        return node

    def _called(self, function: Node) -> Node:
        self._next()
        args = self._arguments(")")
        if self._at("do") and self._peek().kind == "keyword":
            args.insert(0, self._do())
        return Tree("call", (function, *args))

    def _do(self) -> Node:
        self._next()
        params: list[Node] = []
        while self._peek().kind not in ("newline", ";"):
            params.append(self._within(1, 0, self._one_parameter))
            self._take(",")
        body = self._body()
        self._expect("end")
        return tree("->", Tree("tuple", tuple(params)), body)

    def _one_parameter(self) -> Node:
        return self._binary(3)

    def _arguments(self, closer: str) -> list[Node]:
        """What stands between brackets; what follows a semicolon is named."""

        def read() -> list[Node]:
            found: list[Node] = []
            named = False
            while not self._at(closer):
                if self._take(";"):
                    named = True
                    continue
                found.append(self._argument(named))
                if self._at("for"):
                    found[-1] = self._generator(found[-1])
                if not self._take(",") and not self._at(closer, ";"):
                    raise SyntaxFailure(f"expected {closer!r} at {self.position}")
            return found

        found = self._within(1, 0, read)
        self._expect(closer)
        return found

    def _argument(self, named: bool) -> Node:
        found = self._binary(2)
        by_name = (Literal("by name"),) if named else ()
        if self._at("=") and not is_header(found):
            self._next()
            return Tree("kw", (found, self._expression(), *by_name))
        if self._at("="):
            self._next()
            return tree("function", found, self._expression())
        declared = isinstance(found, Tree) and found.head == "::"
        return Tree("kw", (found, found, *by_name)) if named and (declared or isinstance(found, Name)) else found

    def _index(self, box: Node) -> Node:
        self._next()
        self._indexed += 1
        args = self._arguments_of_index()
        self._indexed -= 1
        return Tree("ref", (box, *args))

    def _arguments_of_index(self) -> list[Node]:
        def read() -> list[Node]:
            found: list[Node] = []
            while not self._at("]"):
                if self._at(":") and token_at(self.text, self._peek().end).text in (",", "]"):
                    self._next()
                    found.append(Name(":"))
                else:
                    found.append(self._expression())
                if not self._take(",") and not self._at("]"):
                    raise SyntaxFailure(f"expected ']' at {self.position}")
            return found

        found = self._within(1, 0, read)
        self._expect("]")
        return found

    # What stands alone

    def _atom(self) -> Node:
        ahead = self._peek()
        match ahead.kind:
            case "number":
                return self._number(1)
            case "string" | "command":
                return self.string(raw=False)
            case "name":
                self._next()
                return Name(ahead.text)
            case "(":
                return self._parenthesised()
            case "[":
                return self._brackets()
            case "macro":
                return self._macro()
            case "keyword":
                return self._keyword(ahead)
            case "operator" if ahead.text == "'":
                return self.character()
            case "operator" if ahead.text == "::":
                self._next()
                return tree("::", Name("_"), self._calls_only(self._atom()))
            case "operator" if ahead.text == ":":
                return self._quoted()
            case "operator":
                self._next()
                return Name(ahead.text)
        raise SyntaxFailure(f"unexpected {ahead.text!r} at {self.position}")

    def _number(self, sign: int) -> Node:
        text = self._next().text
        if text[:2] in ("0x", "0b", "0o"):
            return Literal(sign * int(text, 0))
        if "f" in text:
            return tree("call", Name("Float32"), Literal(sign * Fraction(text.replace("f", "e"))))
        if text.isdigit():
            return Literal(sign * int(text))
        return Literal(sign * Fraction(text.lower().rstrip(".") if text.endswith(".") else text.lower()))

    def _quoted(self) -> Node:
        self._next()
        ahead = self._peek()
        if ahead.kind == "name" and not ahead.spaced:
            self._next()
            return tree("quote", Literal(ahead.text))
        if self._rows or ahead.kind in _CLOSERS:
            return Name(":")
        raise SyntaxFailure("a quotation")

    def _parenthesised(self) -> Node:
        self._next()

        def read() -> Node:
            items: list[Node] = []
            several = comma = False
            by_name = self._at(";")
            while not self._at(")"):
                if self._take(";"):
                    several = True
                    continue
                items.append(self._expression())
                if self._at("for"):
                    items[-1] = self._generator(items[-1])
                if self._take(","):
                    comma = True
                elif not self._at(")", ";"):
                    raise SyntaxFailure(f"expected ')' at {self.position}")
            if by_name and items:  # `(; a, b = 2)`
                items = [tree("=", each, each) if isinstance(each, Name) else each for each in items]
                comma = True
            if comma and all(isinstance(each, Tree) and each.head == "=" for each in items):
                return Tree("named", tuple(part for each in items if isinstance(each, Tree) for part in each.args))
            if comma or not items:
                return Tree("tuple", tuple(items))
            return Tree("block", tuple(items)) if several else items[0]

        found = self._within(1, 0, read)
        self._expect(")")
        # parenthesised, so that a number before it is no literal and an assignment is no argument by name
        return Tree("block", (found,)) if isinstance(found, Literal | Name) else found

    def _generator(self, value: Node) -> Node:
        self._next()
        return Tree("generator", (value, *self._iterators()))

    def _brackets(self) -> Node:
        self._next()
        rows: list[list[Node]] = [[]]
        commas = False
        while True:
            ahead = self._within(0, 1, self._peek)
            if ahead.kind == "]":
                self._next()
                break
            if ahead.kind in ("newline", ";"):
                self.position = ahead.end
                if ahead.kind == ";" or (rows[-1] and not commas):
                    rows.append([])
                continue
            if ahead.kind == ",":
                commas = True
                self.position = ahead.end
                continue
            value = self._within(1 if commas else 0, 0 if commas else 1, self._expression)
            if self._at("for"):
                value = self._within(1, 0, lambda made=value: self._generator(made))
                self._skip("newline")
                self._expect("]")
                return Tree("comprehension", (value,))
            rows[-1].append(value)
        filled = [row for row in rows if row]
        if commas or (len(filled) <= 1 and len(filled[0] if filled else []) <= 1 and len(rows) == 1):
            return Tree("vect", tuple(filled[0]) if filled else ())
        if all(len(row) == 1 for row in filled):
            return Tree("vcat", tuple(row[0] for row in filled))
        return Tree("hvcat", tuple(Tree("row", tuple(row)) for row in filled))

    def _macro(self) -> Node:
        name = self._next().text
        if self._at("(") and not self._peek().spaced:
            self._next()
            return Tree("macrocall", (Name(name), *self._arguments(")")))
        args: list[tuple[Node, int, int]] = []
        while self._peek().kind not in ("newline", "end", ";", ")", "]", ",") and not self._at(*_ENDS):
            start = self._peek().start
            args.append((self._within(self._quiet, 1, self._expression), start, self.position))
        made = tuple(each for each, _, _ in args)
        if name == "." and len(made) == 1:
            return _dotted(made[0])
        written = Literal(self.text[args[0][1] : args[0][2]].strip()) if args else Literal("")
        return Tree("macrocall", (Name(name), *made, tree("written", written)))

    # Keywords

    def _keyword(self, ahead: Token) -> Node:
        if ahead.text in ("true", "false"):
            self._next()
            return Literal(ahead.text == "true")
        if ahead.text == "end" and self._indexed:
            self._next()
            return Tree("last", ())
        readers: dict[str, Callable[[], Node]] = {
            "function": self._function,
            "if": self._if,
            "for": self._for,
            "while": self._while,
            "let": self._let,
            "begin": self._begin,
            "return": self._return,
            "local": lambda: self._modified("local"),
            "global": lambda: self._modified("global"),
            "const": lambda: self._modified("const"),
            "module": self._module,
            "baremodule": self._module,
            "using": self._import,
            "import": self._import,
            "export": self._export,
            "try": self._try,
            "struct": self._struct,
            "break": lambda: tree("break"),
            "continue": lambda: tree("continue"),
        }
        reader = readers.get(ahead.text)
        if reader is None:
            raise SyntaxFailure(f"`{ahead.text}` is not read")
        self._next()
        return self._within(0, 0, reader) if ahead.text not in ("return",) else reader()

    def _function(self) -> Node:
        header = self._binary(8)
        body = self._body()
        self._expect("end")
        if isinstance(header, Name):
            return tree("function", tree("empty", header), body)
        if not is_header(header):
            return tree("->", header, body)
        return tree("function", header, body)

    def _if(self) -> Node:
        condition = self._expression()
        then = self._body()
        if self._take("elseif"):
            return tree("if", condition, then, self._if())
        if self._take("else"):
            otherwise: Node = self._body()
        else:
            otherwise = NOTHING
        self._expect("end")
        return tree("if", condition, then, otherwise)

    def _iterators(self) -> list[Node]:
        found: list[Node] = []
        while True:
            target = self._binary(8)
            if not (self._take("=") or self._take("in") or self._take("∈")):
                raise SyntaxFailure("a loop over nothing")
            found.append(tree("=", target, self._binary(3)))
            if not self._take(","):
                break
        if self._take("if"):
            found.append(tree("filter", self._binary(3)))
        return found

    def _for(self) -> Node:
        iterators = self._iterators()
        body = self._body()
        self._expect("end")
        for each in reversed(iterators):
            body = tree("for", each, body)
        return body

    def _while(self) -> Node:
        condition = self._expression()
        body = self._body()
        self._expect("end")
        return tree("while", condition, body)

    def _let(self) -> Node:
        bindings: list[Node] = []
        while self._peek().kind not in ("newline", ";"):
            left = self._binary(2)
            given = self._take("=")
            bindings.append(tree("=", left, self._binary(2)) if given else left)
            self._take(",")
        body = self._body()
        self._expect("end")
        return Tree("let", (body, *bindings))

    def _begin(self) -> Node:
        body = self._body()
        self._expect("end")
        return body

    def _return(self) -> Node:
        if self._peek().kind in ("newline", "end", ";", ")") or self._at(*_ENDS):
            return tree("return", NOTHING)
        return tree("return", self._statement() if not self._quiet else self._expression())

    def _modified(self, how: str) -> Node:
        return tree(how, self._statement())

    def _module(self) -> Node:
        name = self._next().text
        body = self._body()
        self._expect("end")
        return tree("module", Name(name), body)

    def _try(self) -> Node:
        body = self._body()
        caught: Node = NOTHING
        name: Node = Name("_")
        last: Node = NOTHING
        if self._take("catch"):
            if self._peek().kind == "name" and not self._at(";"):
                name = Name(self._next().text)
            caught = self._body()
        else:
            caught = tree("none")
        if self._take("finally"):
            last = self._body()
        self._expect("end")
        return tree("try", body, name, caught, last)

    def _struct(self) -> Node:
        name = self._next().text
        body = self._body()
        self._expect("end")
        assert isinstance(body, Tree)
        return Tree("struct", (Name(name), *body.args))

    def _path(self) -> Node:
        dots = ""
        while self._at(".", "..", "..."):
            dots += self._next().text
        parts = [self._named()]
        while self._at(".") and not self._peek().spaced:
            self._next()
            parts.append(self._named())
        return Literal(dots + ".".join(parts))

    def _named(self) -> str:
        found = self._next()
        if found.kind not in ("name", "operator", "macro"):
            raise SyntaxFailure(f"{found.text!r} is not imported")
        return found.text

    def _renamed(self) -> Node:
        path = self._path()
        return tree("as", path, Name(folded(self._named()))) if self._take("as") else path

    def _import(self) -> Node:
        how = "using" if self.text[: self.position].endswith("using") else "import"
        first = self._renamed()
        if self._take(":"):
            names: list[Node] = []
            while True:
                self._skip("newline")
                names.append(self._renamed())
                if not self._take(","):
                    break
            return Tree(f"{how} names", (first, *names))
        modules = [first]
        while self._take(","):
            self._skip("newline")
            modules.append(self._renamed())
        return Tree(how, tuple(modules))

    def _export(self) -> Node:
        while self._peek().kind not in ("newline", ";", "end"):
            self._next()
        return NOTHING


def is_header(node: Node) -> bool:
    """Whether what stands left of a sign of equality is that of a function."""
    while isinstance(node, Tree) and node.head in ("::", "where"):
        node = node.args[0]
    return isinstance(node, Tree) and node.head == "call" and isinstance(node.args[0], Name | Tree)


def parse(text: str) -> list[Node]:
    """The statements of a text; raises :class:`SyntaxFailure`."""
    return Parser(text).program()
