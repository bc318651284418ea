"""A source language as the rest of the program sees it: how its text is read, and nothing of what its words look like.

A language is a folder of `frontends`. It makes the surface tree, in which builtins and types have the names that the
tables have, so nobody behind it looks at text to understand it; who shows text, or must say something of text that is
half typed, asks the language of the file. What has a body here serves a language that knows no better.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Set
from enum import Enum
from types import MappingProxyType
from typing import TYPE_CHECKING

from dp_lsp.hopeless import Hopeless
from dp_lsp.intents import Rendering
from dp_lsp.named import NamedTuple
from dp_lsp.problem import Edit, Fix, Problem
from dp_lsp.surface import Chunk, Node, Parameter, Parsed, Sought, TypeExpr
from dp_lsp.text import Span

if TYPE_CHECKING:
    from dp_lsp.core.annotation import Annotation
    from dp_lsp.core.machine import Declared, Storage, Stored
    from dp_lsp.core.types import Norm


class Mention(NamedTuple):
    """A name in text without a meaning, and its place. ``binds`` says that it is assigned there, ``outside`` that it is
    declared to be a top-level one; ``of`` is the name that it is a field of, or a member, and ``.`` where that is no
    name."""

    span: Span
    name: str
    binds: bool = False
    outside: bool = False
    of: str = ""


class Bracket(NamedTuple):
    """A bracket that is open: what is called with it, how many arguments have passed since, whether the one that is
    being typed must be given by name, and the name that it is given by. ``header`` says that it opens a definition;
    ``call`` that what stands in it are arguments."""

    mark: str
    callee: str
    commas: int = 0
    named: bool = False
    keyword: str = ""
    header: bool = False
    call: bool = True


class Expected(Enum):
    """What may be typed at a place."""

    VALUE = "a name that has a meaning, or a keyword"
    TYPE = "words of an annotation"
    NOTHING = "a name that is new"


class Cursor(NamedTuple):
    """The brackets around a place, the innermost last, the word that is being typed, and what stands before that on
    its line; ``quiet`` in strings, comments and numbers, and where a field is named."""

    brackets: tuple[Bracket, ...] = ()
    word: str = ""
    before: str = ""
    quiet: bool = False
    expected: Expected = Expected.VALUE

    @property
    def inner(self) -> Bracket | None:
        """The innermost bracket."""
        return self.brackets[-1] if self.brackets else None


class Argument(NamedTuple):
    """A parameter as it is written in a header, its name, and whether it is given by that."""

    text: str
    name: str
    by_name: bool = False


class Word(NamedTuple):
    """A word of the language that may be typed. ``kind`` is "type", "norm" or "keyword", ``rank`` what comes first;
    ``text`` is inserted instead of the label, ``snippet`` the same with places to fill in. ``name`` is what it is
    documented under."""

    label: str
    kind: str
    rank: int
    detail: str = ""
    text: str = ""
    snippet: str = ""
    name: str = ""


class Syntax(ABC):
    """How the text of a language is read. Nothing raises on any text; offsets count code points. ``comment`` begins a
    comment that ends with its line, ``triggers`` are characters after which an annotation is proposed unasked, and
    ``sample`` is a program that takes all that reading one does. A text that :meth:`concerns` has ``mark`` in it. With
    ``modules`` each file has names of its own, whoever loads it."""

    comment: str
    triggers: tuple[str, ...] = ()
    sample: str = ""
    mark: str = ""
    modules: bool = False

    # What is checked

    def refused(self, text: str) -> Problem | None:
        """Why a file is none that can be checked as a whole."""
        return None

    @abstractmethod
    def chunks(self, text: str, look: Callable[[], None]) -> tuple[Chunk, ...]:
        """The top-level items of a file, in order. Blank lines and loose comments belong to none, but a loose comment
        that speaks to the checker is one. ``look`` is called before each, and may raise to stop."""

    @abstractmethod
    def parse(self, chunk: Chunk) -> Parsed:
        """The surface nodes of a chunk and what is wrong with it, at places relative to the chunk."""

    def concerns(self, text: str) -> bool:
        """Whether a text asks for something to be said of it (:func:`dp_lsp.frontends.is_meant`)."""
        return True

    def passed_over(self, text: str) -> Problem | None:
        """What to tell of a text that does not to who asks for its file by name."""
        return None

    @abstractmethod
    def may_include(self, text: str) -> bool:
        """Whether it is worth parsing a text to see which files it includes."""

    def sought(self, path: str) -> Sought | None:
        """Where what a path stands for may lie, if a file that is included has names of its own; None where it means a
        file as seen from the folder of the one that includes it, whose names it shares."""
        return None

    def cell(self, text: str) -> str:
        """The program of a cell of a notebook, at the same places: what is said there to who runs the notebook, and
        means nothing to the program, is comments."""
        return text

    def definable(self, text: str) -> frozenset[str] | None:
        """The names that a text may define of which it is not known whether it is code; None if it may be any. Rather
        too many than too few."""
        return None

    # Names and comments

    @abstractmethod
    def word_at(self, text: str, start: int) -> str:
        """The identifier that begins at a place, as it is spelled; empty if none does."""

    def normalised(self, text: str) -> str:
        """A text with all names as the tree has them: those that are spelled in several ways and are one name in one of
        them."""
        return text

    def is_plain(self, word: str) -> bool:
        """Whether a word is an identifier that something else may be renamed to."""
        return bool(word) and self.word_at(word, 0) == word

    def goes_on(self, character: str) -> bool:
        """Whether a character belongs to the identifier right before or behind it."""
        return bool(character) and len(self.word_at(f"a{character}", 0)) > 1

    def words(self, text: str) -> Iterator[str]:
        """All names in a text, normalised, and perhaps more."""
        position = 0
        while position < len(text):
            word = self.word_at(text, position)
            if word:
                yield self.normalised(word)
            position += len(word) or 1

    def mentions(self, text: str, span: Span) -> Iterator[Mention]:
        """The names in a piece of a chunk that has no meaning for the checker."""
        position = span.start
        while position < span.end:
            word = self.word_at(text, position)
            if word:
                yield Mention(Span(position, position + len(word)), self.normalised(word))
            position += len(word) or 1

    @abstractmethod
    def comment_runs(self, text: str) -> list[Span]:
        """Where lines of a chunk follow each other that hold nothing but a comment."""

    def loose_comments(self, text: str) -> list[Span]:
        """The same of text between chunks."""
        return self.comment_runs(text)

    def assigned(self, before: str, after: str) -> bool:
        """Whether an expression is the whole value that its line gives to names: ``before`` it and ``after`` it stands
        this on the line."""
        return False

    # How text is nested

    def module_mark(self, text: str, start: int) -> bool | None:
        """Whether a chunk that begins at a place opens a module (True) or closes one (False); None if neither."""
        return None

    def documentation(self, text: str, start: int, end: int) -> Span | None:
        """A documentation of several lines that stands before a node."""
        return None

    def alternative(self, text: str, start: int, end: int) -> tuple[int, bool] | None:
        """Where the word stands that begins the alternative of a condition, whose first branch ends at ``start`` and
        whose second one begins at ``end``, and whether that has a condition of its own."""
        return None

    # Text that is being typed

    @abstractmethod
    def cursor(self, text: str, start: int, offset: int) -> Cursor:
        """What surrounds an offset; nothing is open at ``start``."""

    @abstractmethod
    def arguments(self, text: str, name: Span) -> list[Argument]:
        """The parameters of a definition as they are written, by where its name stands."""

    @abstractmethod
    def signature(self, name: str, arguments: list[Argument]) -> tuple[str, list[Span]]:
        """How a call is shown, and where its arguments stand in that."""

    def is_comment(self, text: str) -> bool:
        """Whether whole lines hold nothing but comments and blanks."""
        return all(not line.strip() or line.lstrip().startswith(self.comment) for line in text.splitlines())

    def keeps_extents(self, before: str, after: str) -> bool:
        """Whether lines that replace others leave everything around them what it was: they open and close the same, and
        neither may reach any name of the program."""
        return False

    def is_inside(self, item: str, column: int, below: bool, before: str, after: str) -> bool:
        """Whether such lines can only change what an item does, not what it defines: the item that begins in a
        ``column``, with the lines in it, ``below`` its first one or on it."""
        return False


class Familiar(Enum):
    """What is known of a name that has no rule."""

    UNRULED = "it has a meaning, of which a guess would be wrong"
    WHOLE_QUOTIENT = "it divides and drops what is left over"
    SHOWS = "it shows what it is given"
    SHOWS_AND_GIVES = "it shows what it is given, and gives it back"
    STREAM = "what is printed goes there"
    FAILS = "it makes a run fail"
    EXCEPTION = "it makes an exception, which keeps what it is given"
    DRAWS = "it draws random numbers, which no bound counts"
    SHUFFLES = "it puts rows into another order, which is no sample"
    ASKS = "it asks whether something is a number, or replaces or leaves out what is not"
    NO_NUMBER = "it is a value that is no number"
    NOISE = "it is meant to be noise, or the distribution that noise is drawn from"
    SOME = "it asks whether something holds of some entries"
    EVERY = "it asks whether something holds of all entries"
    FINDS = "it gives the places of the entries of which something holds"
    FIRST = "it gives the first entry"
    LAST = "it gives the last entry"
    MARK = "it is a mark of a declaration, and no function"


class Vocabulary(ABC):
    """The words of a language. ``keywords`` are no names. ``includes`` is the function that runs a file at top level,
    if there is one, which is among the running ones. ``running`` are functions that run other text, or give a name
    that they are told a value: any top-level name may have another meaning afterwards. ``showing`` are those that the
    language calls unasked, but only to show a value, and ``unasked`` what it calls besides without its name.
    ``uncalled`` are functions of others that nothing which is understood calls.
    ``modules`` are those that give no word another meaning when they are imported, and ``homes`` those of single words.
    ``nothing`` is the value of what has
    none, if that has a name. ``familiar`` are names of which
    people know what they do, and that are no builtins. ``elsewhere`` is what builtins are called in other languages.
    ``hopeless`` is what of records is not proved private, by the name of a function without a rule or by how a
    construct is named within a sentence."""

    keywords: frozenset[str]
    includes: str = ""
    nothing: str = ""
    running: frozenset[str] = frozenset()
    showing: frozenset[str] = frozenset()
    unasked: frozenset[str] = frozenset()
    uncalled: frozenset[str] = frozenset()
    modules: frozenset[str] = frozenset()
    homes: Mapping[str, frozenset[str]] = MappingProxyType({})
    familiar: Mapping[Familiar, frozenset[str]] = MappingProxyType({})
    elsewhere: Mapping[str, str] = MappingProxyType({})
    hopeless: Mapping[str, Hopeless] = MappingProxyType({})

    def told(self, what: str, text: str) -> tuple[str, str]:
        """How a message writes something ``hopeless`` whose text this is, and what it is made of."""
        return what.strip("`"), "v"

    def does(self, name: str, what: Familiar) -> bool:
        """Whether a name is one of which that is known."""
        return name in self.familiar.get(what, ())

    @abstractmethod
    def offered(self, here: Cursor, norm: bool, type_: bool) -> Iterator[Word]:
        """What may be typed at a cursor, given whether a norm or a type is what a builtin takes there."""

    def is_always(self, name: str) -> bool:
        """Whether a name has its meaning in every module: one that a module exports, too, is in conflict with it
        where it is used, and has none."""
        return False

    def exported(self, module: str) -> frozenset[str] | None:
        """The names of a module that those have who open it, as far as they are words of the language; None of one
        that is not known."""
        return frozenset() if module in self.modules else None

    @abstractmethod
    def meaning(self, name: str) -> str:
        """What a word is for, as Markdown; empty for one that the language does not have."""

    def is_reserved(self, name: str) -> bool:
        """Whether a program must not give a name another meaning; builtins apart."""
        return bool(self.meaning(name))


FLOAT_NOISE = (
    "noise that the program draws in floating point counts as exact, which it is not quite: `dp-lsp run` and OpenDP"
    " draw noise that is"
)
"""The premise of all noise that a program draws by itself. Source: Mironov 2012, "On significance of the least
significant bits for differential privacy"."""

UNSEEDED = (
    "a generator of random numbers that a function is given has no seed, and nobody else has it: whoever knows it knows"
    " the noise"
)
"""The premise of noise that is drawn by one."""


class Spelling(NamedTuple):
    """How a builtin is written: its ``name``, a ``signature`` that shows a call, ``others`` that mean the same, and
    ``changing``, the names of what puts its result in the place of an argument. ``examples`` are programs that use it,
    ``refused`` programs that it does not accept, each with the code of the problem that says so."""

    name: str
    signature: str
    others: tuple[str, ...] = ()
    changing: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()
    refused: tuple[tuple[str, str], ...] = ()

    @property
    def call(self) -> str:
        """The signature where it is a call alone, which begins with the name, in a bracket or before one; else the
        name."""
        return self.signature if self.signature.startswith((f"{self.name}(", f"({self.name} ")) else self.name


class Builtins:
    """The builtins that a language has: how each is written, by its id in the table. In the tree they have the names
    that they have in text, so that a name which is no builtin's here is free, whatever it means elsewhere.
    ``by_operator`` are functions that are given an operator, and with it are builtins, by both names, and
    ``conversions`` those that make a number of a type, by how its numbers are stored. ``starts`` are the keywords by
    which builtins that add up are given what they begin with. ``premises`` are what is taken for granted of noise, by
    the names that draw it."""

    def __init__(
        self,
        spellings: Mapping[str, Spelling],
        by_operator: Mapping[tuple[str, str], str] = MappingProxyType({}),
        conversions: Mapping[Stored, str] = MappingProxyType({}),
        starts: Mapping[str, str] = MappingProxyType({}),
        premises: Mapping[str, tuple[str, ...]] = MappingProxyType({}),
    ) -> None:
        self.starts = starts
        self._premises = premises
        self._conversions = conversions
        self._spellings = spellings
        self.by_operator = by_operator
        self._ids: dict[str, tuple[str, bool]] = {}
        for builtin, spelling in spellings.items():
            self._ids |= dict.fromkeys((spelling.name, *spelling.others), (builtin, False))
            self._ids |= dict.fromkeys(spelling.changing, (builtin, True))

    def find(self, name: str) -> tuple[str, bool] | None:
        """The id of the builtin that a name stands for, and whether what it makes replaces an argument."""
        return self._ids.get(name)

    @property
    def words(self) -> Set[str]:
        """All names that stand for builtins."""
        return self._ids.keys()

    def spelling(self, builtin: str) -> Spelling:
        """How a builtin is written; by its id alone if it has no name here, such as one that only indexing stands
        for."""
        return self._spellings.get(builtin) or Spelling(builtin, builtin)

    def has(self, builtin: str) -> bool:
        """Whether a builtin is written in some way here."""
        return builtin in self._spellings

    def conversion(self, stored: Stored) -> str | None:
        """The builtin that makes a number of the type of numbers that are stored so; None if there is none."""
        return self._conversions.get(stored)

    def premises(self, name: str) -> tuple[str, ...]:
        """What is taken for granted where a name is called."""
        return self._premises.get(name, ())

    def names(self) -> Iterator[str]:
        """The names of all, in the order of the table, but for those that do the same and change an argument."""
        own = {spelling.name for spelling in self._spellings.values()}
        return (name for name, (_, changes) in self._ids.items() if not changes or name in own)


class RefusedType(Exception):
    """An annotation that means nothing: the node, a hint what to write instead, and just that if it is sure. What is
    ``nearly`` the mark of a private function, or of a public parameter, is taken for it: it is said once."""

    def __init__(self, node: Node, hint: str, instead: str = "", nearly: bool = False) -> None:
        super().__init__(hint)
        self.node = node
        self.hint = hint
        self.nearly = nearly
        self.fixes = (Fix(f"write `{instead}`", (Edit(node.span, instead),)),) if instead else ()


class Returned(NamedTuple):
    """What a return annotation says: the type, and whether the function claims to be private or is a black box. That it
    is private is ``presumed`` where nobody says so, and its text tells."""

    type: Annotation
    privacy: bool = False
    black_box: bool = False
    presumed: bool = False


class Annotations(ABC):
    """What annotations mean. How they stand in the tree, and in which words, is the language's own affair: nobody else
    looks into them. ``norms`` are the names by which a norm is given to a builtin, and ``words`` all names that stand
    for a norm or belong to a type."""

    norms: Mapping[str, Norm]
    words: frozenset[str]
    apart: frozenset[str] = frozenset()
    """The names of types of the language itself, of which no value is one that is understood."""

    @abstractmethod
    def parameter(self, node: TypeExpr | None) -> tuple[Annotation, bool]:
        """The type of a parameter, and whether it is declared public. Of a dataset it may be left open how it is
        compared: then the project says so. Raises :class:`RefusedType`."""

    def structure(self, node: TypeExpr | None, structures: Mapping[str, Annotation]) -> tuple[Annotation, bool] | None:
        """The same of a parameter that is annotated by one of the ``structures`` that the program defines."""
        return None

    def is_open(self, node: TypeExpr | None) -> bool:
        """Whether a parameter is declared public, and of no type."""
        return False

    @abstractmethod
    def returned(self, node: TypeExpr | None) -> Returned:
        """What a return annotation says. Raises :class:`RefusedType`."""

    @abstractmethod
    def meaning(self, node: Node) -> Annotation:
        """The type that an argument of a builtin means. Raises :class:`RefusedType`."""

    def unrelated(self, node: TypeExpr | None, meant: Annotation) -> RefusedType | None:
        """Why an annotation with this meaning cannot stand where the project does not say how datasets are compared: at
        functions inside others."""
        return None

    def needed(self, params: Iterable[Parameter]) -> frozenset[str]:
        """The names of types of which a method with these parameters needs an argument; fewer than that is safe."""
        return frozenset()

    def unknown_limits(self, node: TypeExpr | None, public: Collection[str]) -> Iterable[RefusedType]:
        """The names in an annotation that say how large, how many or how far, and are none of the ``public``
        parameters, which are numbers."""
        return ()

    def is_of_program(self, name: str) -> bool:
        """Whether a name can only be that of a type of the program itself, whose values it may show as it likes."""
        return False

    def run_time(self, node: TypeExpr | None) -> Declared:
        """What the language itself makes of an annotation when the program runs: which arguments a method takes, and to
        what a result is converted. Here, where it makes nothing of it, any value."""
        from dp_lsp.core.machine import ANY  # what reads no program does without

        return ANY


class Semantics:
    """What programs mean by what the surface tree leaves open. Who knows no better inherits what proves least.

    - If it ``dispatches``, that of several definitions of a function runs which fits the arguments; else the last one
      replaces the others.
    - If ``loops_bind``, a loop has names of its own: that of its index is new in each round, and means again after the
      loop what it meant before. Else it is a variable of the function, which the loop leaves with its last value.
    - If ``functions_reach_out``, what a function inside another assigns is the variable of the outer one, if that has
      the name. Else it is always its own.
    - If ``updates_in_place``, ``x += y`` may change what x stands for. Else it gives the name another value.
    - If ``names_arguments``, a call may give any argument by its name. Else those that are declared so must be, and no
      others.
    - If ``presumes_privacy``, a function without any annotation that calls what releases something is private.
    - If ``types_are_inferred``, what a function makes of no records at all has a type that its text tells, and none
      where it reads a name that may be given another value: one at top level, or one of the function around it. Else it
      is the same whatever that reads.
    - If ``sizes_fit``, an operation on arrays fails where their sizes do not go together, so that these may be taken
      to. Else one of size 1 goes with any, and what is asked of a size that who calls a function chooses is told.
    - If ``constants_change``, a container that is given a name at top level may be changed by what reaches it. Else
      what is followed there is never changed.
    - If ``names_move``, a name at top level may be given another value, which is what it stands for from there on: also
      to functions that are defined before and called after that. Else it has one value, or is in doubt.
    - If ``draws_hide``, a number that is drawn around 0 is noise, which hides what it is added to if that is its only
      use. Else only what a mechanism is given is hidden.
    - If ``failures_compute``, what a failing run says may be computed where it fails. Else it is a text, with the
      values of names in it."""

    dispatches: bool = False
    loops_bind: bool = False
    functions_reach_out: bool = False
    updates_in_place: bool = True
    names_arguments: bool = False
    presumes_privacy: bool = False
    types_are_inferred: bool = True
    sizes_fit: bool = True
    constants_change: bool = True
    names_move: bool = False
    draws_hide: bool = False
    failures_compute: bool = False

    def is_changeable(self, annotation: Annotation) -> bool:
        """Whether a value of a type may be changed in place, or reach one that may: a container, a function that has
        captured one, or what is not known to be none of these."""
        from dp_lsp.core.annotation import NumberOf, Truth, TupleOf

        match annotation:
            case NumberOf() | Truth():
                return False
            case TupleOf(items):
                return any(map(self.is_changeable, items))
        return True

    def may_change(self, name: str) -> bool:
        """Whether a function of which nothing but the name is known may change in place what it is given."""
        return True

    def may_be_view(self, builtin: str) -> bool:
        """Whether what a builtin makes may share memory with what it is given, so that a change of one is seen in the
        other, where its row does not say so."""
        return True

    @property
    def storage(self) -> Storage:
        """As what it stores numbers and arrays when the program runs."""
        from dp_lsp.core.machine import Storage

        return Storage()

    def fails_on(self, builtin: str, known: tuple[str, ...], arguments: tuple[str, ...]) -> Collection[str]:
        """Those ``arguments`` of a builtin whose values may make the run fail, which anybody can see. By the ``known``
        ones it fails in every language."""
        return arguments


class Language(ABC):
    """A source language. ``id`` is what editors call it, ``name`` what people do, and ``suffixes`` are how the names of
    its files end. Making one is cheap: what reads text is loaded when text is read. Of one that is ``served`` by other
    servers, which nobody who writes it does without, editors are told nothing of what these tell: where names stand."""

    id: str
    name: str
    suffixes: tuple[str, ...]
    served: bool = False
    syntax: Syntax

    @property
    @abstractmethod
    def rendering(self) -> Rendering:
        """How it is written: in messages, and in repairs."""

    @property
    @abstractmethod
    def vocabulary(self) -> Vocabulary:
        """Its words."""

    @property
    @abstractmethod
    def builtins(self) -> Builtins:
        """The builtins that it has, and how they are written."""

    @property
    @abstractmethod
    def annotations(self) -> Annotations:
        """What its annotations mean."""

    @property
    @abstractmethod
    def semantics(self) -> Semantics:
        """What its programs mean by what the tree leaves open."""
