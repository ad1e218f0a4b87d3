"""A strong language model marks the names in requests, and a small one learns from that.

It is asked within a purse. What it names is kept only where it is made of words of the request, so it can add no name of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import dspy

from data.contracts import Fallback
from data.errors import InputError, LMUnavailableError
from optimizers.finetune.examples import Example, Marked, example
from optimizers.search.purse import Outage, Spent, Unpriced
from program.grounding.drafted import places
from program.grounding.requested import POSSESSIVE
from program.grounding.tokens import Token, tokenize
from program.lm.adapter import CompactAdapter
from program.lm.ask import Call, ask
from program.lm.backbones import Backbone
from program.lm.meter import Meter
from signatures.teach import MarkNames, NamedWords

SOURCE = "teacher"
"""`Example.source` of what it marks."""
_MOST_TOKENS = 200
"""Of one reply."""


@dataclass
class Lesson:
    """What a teacher said.

    Attributes:
        examples: labelled requests, in order. dropped: names that are not words of their request.
        doubtful: requests with dropped names alone: they name something, so "none" would be a wrong label.
        faults: why the other requests that it was asked about have no answer. ended: why it was asked no more, in words.
    """

    examples: list[Example] = field(default_factory=list)
    dropped: int = 0
    doubtful: int = 0
    faults: list[Fallback] = field(default_factory=list)
    ended: str = "all requests were asked"

    @property
    def names(self) -> int:
        """Names that were kept."""
        return sum(len(one.names) for one in self.examples)


class Teacher:
    """Marks the names of one request at a time.

    Args:
        backbone: its calls go through a purse.
    """

    def __init__(self, backbone: Backbone) -> None:
        self._name, self._lm = backbone.name, backbone.lm
        self._predict, self._adapter = dspy.Predict(MarkNames), CompactAdapter()

    def teach(self, texts: Sequence[str], watch: Callable[[int], None] = lambda done: None) -> Lesson:
        """Ask about every request, or as many as the purse allows.

        Args:
            watch: is told after every request how many are done.

        Raises:
            LMUnavailableError: the teacher does not answer. What it answered before is in the purse's book.
            InputError: a limit in money cannot be kept, or not one reply could be read.
        """
        lesson = Lesson()
        try:
            for number, text in enumerate(texts, 1):
                self._take(lesson, text)
                watch(number)
        except Spent as spent:
            lesson.ended = spent.reason
        except Outage as outage:
            raise LMUnavailableError(outage.reason, hint="the same command goes on where it stopped") from outage
        except Unpriced as unpriced:
            raise InputError(unpriced.reason, hint="use --max-calls") from unpriced
        if lesson.faults and not lesson.examples and not lesson.doubtful:
            raise self._mute(lesson.faults[-1])
        return lesson

    def _take(self, lesson: Lesson, text: str) -> None:
        """Ask about one request. A meter of its own, for one call without an answer is not yet an outage."""
        call = Call("understand", self._lm, self._adapter, Meter(), max_tokens=_MOST_TOKENS)
        answer = ask(self._predict, {"request": text}, call)
        if answer.prediction is None:
            assert answer.fault is not None
            lesson.faults.append(answer.fault)
            return
        told: list[NamedWords] = answer.prediction.names
        marked = marks(text, told)
        lesson.dropped += len(told) - len(marked)
        if told and not marked:
            lesson.doubtful += 1
        else:
            lesson.examples.append(example(text, marked, SOURCE))

    def _mute(self, fault: Fallback) -> LMUnavailableError | InputError:
        """What to raise when no request has an answer."""
        if fault.kind == "infrastructure":
            return LMUnavailableError(fault.message, hint="the same command asks again")
        return InputError(f"{self._name} gave no answer that can be read: {fault.message}", hint="another --teacher")


def marks(text: str, told: Sequence[NamedWords]) -> list[Marked]:
    """Names where they stand in a request, left to right; those that are not made of its words are left out.

    Args:
        told: in the order of the request. Case and accents may differ, and a possessive ending may be left out.
    """
    tokens = tokenize(text)
    written = {last[-1].text.casefold() for one in told if (last := tokenize(one.words))}
    found = places([f"{one.kind}: {one.words}" for one in told], tokens)
    return [Marked(one.kind, tokens[one.first].start, _end(tokens[one.last - 1], written)) for one in found]


def _end(token: Token, written: set[str]) -> int:
    """The end of a name that ends with this token, without a possessive ending that was not told."""
    return token.end if token.text.casefold() in written else token.start + len(POSSESSIVE.sub("", token.text))
