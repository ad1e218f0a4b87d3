"""A teacher's part of one `melo optimize finetune`: asked within its limits, its answers remembered, told in figures."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from data.errors import InputError
from experiments.commands.bar import bar
from experiments.commands.progress import say
from experiments.optimizing.material import Unlabelled
from experiments.optimizing.report import spent_of
from experiments.replays import endpoint_of
from experiments.tracking import user_data
from optimizers.finetune.examples import Example
from optimizers.finetune.teacher import Lesson, Teacher
from optimizers.limits import Limits
from optimizers.search.book import AnswerBook
from optimizers.search.purse import Purse, pursed
from program.bundle.manifest import Source, backbone_name
from program.lm.backbones import NONE, Backbone
from program.lm.embedded import stop_all

LICENCE = "output of a model; see its terms"
_COUNTS = ("asked", "labelled", "names", "dropped", "doubtful", "unanswered", "barred", "rejected")
_USUAL = Limits(calls=500)
_SHARE_OF_TIME = 0.5
"""Of the seconds of a call; the training needs the rest (own choice)."""


class Taught(BaseModel):
    """What a teacher gave.

    Attributes:
        asked: requests for it. labelled: those that are learned from. names: in them.
        dropped: names that are not words of their request. doubtful: requests with no other names; they are left out.
        unanswered: asked, but without a reply that can be read.
        barred, rejected: requests of a person's file that are dev or test rows, and rows that cannot be used.
        ended: why it was asked no more. spent: calls (remembered ones counted), tokens, seconds, USD.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    teacher: str
    asked: int
    labelled: int
    names: int
    dropped: int
    doubtful: int
    unanswered: int
    barred: int
    rejected: int
    ended: str
    spent: dict[str, float | int]

    def lines(self) -> list[str]:
        """For a terminal."""
        spent = f"{self.spent['calls']} calls, {self.spent['remembered']} of them remembered"
        cost = f", {self.spent['usd']:.4f} USD" if self.spent["usd"] else ""
        told = [
            f"  {self.teacher} marked {self.names} names in {self.labelled} of {self.asked} requests; {self.ended}; {spent}{cost}"
        ]
        left = {
            "names that are no words of the request": self.dropped, "requests with no other names": self.doubtful,
            "requests without a readable answer": self.unanswered, "requests that are dev or test rows": self.barred,
            "rows of the file that cannot be used": self.rejected,
        }  # fmt: skip
        gone = ", ".join(f"{count} {words}" for words, count in left.items() if count)
        return [*told, f"  left out: {gone}"] if gone else told


@dataclass(frozen=True)
class Lessons:
    """What to ask whom.

    Attributes:
        rejected: rows of a person's file that cannot be used. limits: of the whole call; without any, 500 calls.
        fresh: ask again what is remembered.
    """

    teacher: str
    wanted: Unlabelled
    rejected: int
    limits: Limits = field(default_factory=Limits)
    fresh: bool = False

    @property
    def own_limits(self) -> Limits:
        """What the teacher may spend."""
        if self.limits == Limits():
            return _USUAL
        seconds = self.limits.seconds
        return Limits(self.limits.calls, None if seconds is None else seconds * _SHARE_OF_TIME, self.limits.usd)


def check_teacher(name: str) -> None:
    """Refuse what cannot teach, or what a bundle may not name.

    Raises:
        InputError: `none`, or a name with an address in it.
    """
    try:
        backbone_name(name)
    except ValueError as error:
        raise InputError(f"--teacher: {error}") from error
    if name == NONE:
        raise InputError("a teacher is a language model; none is none", hint="--teacher PROVIDER/MODEL")


def teach(
    lessons: Lessons, resolver: Callable[[str], Backbone], log: Callable[[Mapping[str, float]], None]
) -> tuple[list[Example], Taught]:
    """Have requests marked: examples for training, and what that took.

    Args:
        log: is told the figures, also of a call that fails.

    Raises:
        InputError: an unknown backbone, or a limit in money that cannot be kept.
        LMUnavailableError: the teacher does not answer; what it answered is kept, the same call goes on.
    """
    plain, path = resolver(lessons.teacher), answers_file(lessons.teacher)
    if lessons.fresh:
        path.unlink(missing_ok=True)
    purse, book = Purse(lessons.own_limits), AnswerBook(path)
    if book.held:
        say(f"{book.held} answers of {lessons.teacher} are remembered; those that are needed are played back")
    backbone = pursed(plain, endpoint_of(plain), purse, book)
    try:
        lesson = _asked(Teacher(backbone), lessons.wanted.texts, purse)
    finally:
        log({f"teacher.{name}": float(value) for name, value in spent_of(purse).items()})
        if plain.embedded:
            stop_all()
    found = _told(lessons, lesson, purse)
    log({f"teacher.{name}": float(getattr(found, name)) for name in _COUNTS})
    return lesson.examples, found


def answers_file(teacher: str) -> Path:
    """Where a teacher's answers are remembered, whatever file the requests came in."""
    return user_data() / "optimize" / f"names-{hashlib.sha256(teacher.encode()).hexdigest()[:16]}.jsonl"


def source_of(taught: Taught, wanted: Unlabelled) -> Source:
    """The teacher as one of the things that were learned from."""
    parts = {"train rows": wanted.rows, "a file of requests": len(wanted.texts) - wanted.rows}
    return Source(name=taught.teacher, licence=LICENCE, split=", ".join(name for name, count in parts.items() if count))


def _asked(teacher: Teacher, texts: tuple[str, ...], purse: Purse) -> Lesson:
    with bar("melo optimize finetune, names by the teacher") as progress:

        def watch(done: int) -> None:
            cost = f", {purse.usd:.4f} USD" if purse.usd else ""
            progress(f"{purse.calls} calls{cost}, request", done, len(texts))

        return teacher.teach(texts, watch)


def _told(lessons: Lessons, lesson: Lesson, purse: Purse) -> Taught:
    wanted = lessons.wanted
    return Taught(
        teacher=lessons.teacher, asked=len(wanted.texts), labelled=len(lesson.examples), names=lesson.names,
        dropped=lesson.dropped, doubtful=lesson.doubtful, unanswered=len(lesson.faults), barred=wanted.barred,
        rejected=lessons.rejected, ended=lesson.ended, spent=spent_of(purse),
    )  # fmt: skip
