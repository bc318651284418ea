"""Numbers by privacy loss distributions, beside those by rules that can be replayed.

They are computed in a process of their own; who asks decides when, and waits. Nothing here does: a
chunk is judged by what is known already, and its record says what else would be worth asking. Once that is answered,
the chunk is judged again, and what is found out then is remembered beside what was.

The command line asks at its end, the worker when it is quiet. What was asked about is judged again under a key of its
own, so all that is remembered stays a function of its key.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from dp_lsp.analysis.records import Analysis
from dp_lsp.analysis.rows import NumericReport

if TYPE_CHECKING:  # few ask
    from dp_lsp.accounting.charge import Charge, Guarantee
    from dp_lsp.accounting.pld import Question

Consult = Callable[["Charge", Fraction], "Guarantee | None"]
"""The smallest ε by distributions of a charge at a total δ; None if that is not known."""

_MOST = 2_000  # answers that are remembered


def ask(texts: Sequence[str], tick: Callable[[], None], pause: float) -> dict[str, Guarantee | None]:
    """The answers to questions, None where there is none. That may take a minute; ``tick`` is called every ``pause``
    seconds, and what it raises ends it. Raises OSError if no process can be started."""
    from dp_lsp.accounting.pld import AskedDistribution, Question

    found = AskedDistribution([Question.read(text) for text in texts]).answers(tick=tick, pause=pause)
    return dict(zip(texts, found, strict=True))


def nothing(charge: Charge, delta: Fraction) -> None:
    """For who wants to know what other rules say."""
    return


class Consulted:
    """The answers that a chunk is judged by. ``asks`` are all that would be worth having, as texts of questions, in
    order; that is the same whatever is known."""

    def __init__(self, known: Mapping[str, Guarantee]) -> None:
        self._known = known
        self._asks: dict[str, None] = {}

    def __call__(self, charge: Charge, delta: Fraction) -> Guarantee | None:
        from dp_lsp.accounting.pld import Question, can_answer

        if not can_answer(charge, delta):
            return None
        text = Question(charge, delta).text
        self._asks[text] = None
        return self._known.get(text)

    @property
    def asks(self) -> tuple[str, ...]:
        """The questions that were asked, answered or not, as texts."""
        return tuple(self._asks)


class Answers:
    """What was answered, None where nothing could be said."""

    def __init__(self) -> None:
        self._known: dict[str, Guarantee | None] = {}

    def learn(self, answers: Mapping[str, Guarantee | None]) -> None:
        """These questions have been answered."""
        self._known |= answers
        for text in list(self._known)[: max(0, len(self._known) - _MOST)]:
            del self._known[text]

    @property
    def are_there(self) -> bool:
        """Whether anything was answered yet."""
        return bool(self._known)

    def known(self, asks: Iterable[str]) -> dict[str, Guarantee]:
        """The answers to questions, as far as there are any."""
        found = ((text, self._known.get(text)) for text in asks)
        return {text: answer for text, answer in found if answer is not None}

    def __call__(self, question: Question) -> Guarantee | None:
        """What was answered to a question; None also if it was not asked."""
        return self._known.get(question.text) if self._known else None

    def lacks(self, text: str) -> bool:
        """Whether a question, as a text, was not answered yet."""
        return text not in self._known

    def open(self, analyses: Iterable[Analysis]) -> tuple[str, ...]:
        """What is worth asking about files and was not answered yet, each question once."""
        asks = (text for analysis in analyses for chunk in analysis.chunks for text in chunk.record.asks)
        return tuple(dict.fromkeys(text for text in asks if self.lacks(text)))


def report(parameters: tuple[str, ...], answer: Guarantee) -> NumericReport:
    """An answer as the numbers of a bound."""
    return NumericReport(parameters, answer.epsilon, answer.delta, answer.rule)
