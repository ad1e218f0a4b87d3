"""What people put around a name says what the name is there for, and is itself no name."""

from __future__ import annotations

import pytest

from program.grounding.locale import request_locale
from tests.program.grounding.conftest import Read, summary

ROLES = ("target", "seed", "exclude", "context", "absent", "other")


def said(read: Read, request: str) -> str:
    """The names of the reading with their roles, and whether it is no request."""
    parts = summary(read(request).best.intent).split(", ")
    return ", ".join(part for part in parts if part.split(":")[0].split()[0] in ROLES)


def table(*rows: tuple[str, str]) -> pytest.MarkDecorator:
    """Parametrises over (request, names)."""
    return pytest.mark.parametrize(("request_", "names"), [pytest.param(*row, id=row[0]) for row in rows])


@table(
    ("siouxsie and the banshees, go", "target:siouxsie"),
    ("siouxsie and the banshees radio", "target:siouxsie"),
    ("queue running up that hill by kate bush next", "target:kate-bush--runningupthathill, context:kate-bush"),
    ("i'm a big fan of siouxsie and the banshees", "target:siouxsie"),
    ("siouxsie and the banshees and yesterday", "target:siouxsie, target:the-beatles--yesterday"),
    ("pls play radiohead thx", "target:radiohead"),
    ("play artist radiohead", "target:radiohead"),
)
def test_words_beside_a_clear_name(read: Read, request_: str, names: str) -> None:
    """Everyday words beside a name that nobody can mistake are talk, unless a word for "and" joins them to it."""
    assert said(read, request_) == names


@table(
    ("this party won't be complete without radiohead", "target:radiohead"),
    ("an evening without radiohead is no evening", "target:radiohead"),
    ("party music without radiohead", "exclude:radiohead"),
    ("i wouldn't say no to radiohead", "target:radiohead"),
    ("rock but neither radiohead nor muse", "exclude:radiohead, exclude:muse"),
    ("rock, leave radiohead out of it", "exclude:radiohead"),
    ("i don't ever want to hear radiohead again", "exclude:radiohead"),
    ("rock ohne radiohead und ohne muse", "exclude:radiohead, exclude:muse"),
)
def test_without(read: Read, request_: str, names: str) -> None:
    """A name is ruled out by many phrases, before it or behind it; two denials in one clause want it."""
    assert said(read, request_) == names


@table(
    ("i love radiohead, find me others like them", "seed:radiohead"),
    ("if i like radiohead what else will i like", "seed:radiohead"),
    ("music for fans of radiohead", "seed:radiohead"),
    ("a cross between radiohead and muse", "seed:radiohead, seed:muse"),
    ("iets in de stijl van radiohead", "seed:radiohead"),
    ("Radiohead みたいな曲ある？", "seed:radiohead"),
    ("Radiohead 같은 노래 추천해줘", "seed:radiohead"),
    ("跟Radiohead差不多的歌", "seed:radiohead"),
)
def test_likeness(read: Read, request_: str, names: str) -> None:
    """A name is where to start from after many phrases, and before some; "them" means the name wherever it stood."""
    assert said(read, request_) == names


@table(
    ("some songs from radiohead and one from muse", "target:radiohead, target:muse"),
    ("we could not agree, anyway, play creep by radiohead so i can prove my point", "target:radiohead--creep, context:radiohead"),
    ("radiohead did a song, creep, let's have it", "context:radiohead, target:radiohead--creep"),
    ("play radiohead, and especially creep", "target:radiohead, target:radiohead--creep"),
    ("anything by the Zorbel Kaleidoscope", "context:kaleidoscope, absent:Zorbel Kaleidoscope"),
    ("un peu de radiohead stp", "target:radiohead"),
    ("queria ouvir alguma coisa de radiohead", "target:radiohead"),
)
def test_no_false_absence(read: Read, request_: str, names: str) -> None:
    """Talk beside names is no absent title; an unknown word before a held name behind "by" makes both absent."""
    assert said(read, request_) == names


@table(
    ("is there any radiohead in here", "target:radiohead"),
    ("is it too early for radiohead?", "target:radiohead"),
    ("who is radiohead", "other 20"),
)
def test_questions(read: Read, request_: str, names: str) -> None:
    """A question for a name in the catalog asks to play it, one about it does not."""
    assert said(read, request_) == names


@pytest.mark.parametrize(
    ("request_", "conditions"),
    [
        ("not too loud jazz", [("mood", "is", ("calm",)), ("genre", "is", ("jazz",))]),
        ("not too dark jazz", [("mood", "not", ("dark",)), ("genre", "is", ("jazz",))]),
        ("no loud jazz", [("genre", "not", ("jazz",))]),
        ("rock but no rock", [("genre", "not", ("rock",))]),
        ("baroque music and baroque pop", [("genre", "is", ("baroque", "baroque-pop"))]),
        ("just rock please, no jazz", [("genre", "is", ("rock",)), ("genre", "not", ("jazz",))]),
    ],
)
def test_conditions(read: Read, request_: str, conditions: list[tuple[str, str, tuple[str, ...]]]) -> None:
    """How far a negation reaches; what is wanted and ruled out is ruled out; a word for music stands inside a list."""
    assert [(c.facet, c.op, c.values) for c in read(request_).best.intent.constraints] == conditions


def test_a_length_of_songs_is_no_length_of_the_list(read: Read) -> None:
    """Songs of less than four minutes are a list of the usual size."""
    assert read("songs less than 4 minutes").best.intent.size == read("songs").best.intent.size


@pytest.mark.parametrize(
    ("request_", "locale"),
    [
        ("canciones tristes de Radiohead", "es"),
        ("doe maar wat van Radiohead", "nl"),
        ("electro sans Daft Punk ni Justice", "fr"),
        ("songs by Los Fabulosos Cadillacs", "en"),
        ("canciones", "en"),
    ],
)
def test_a_language_by_the_words_for_asking(request_: str, locale: str) -> None:
    """The words that open a request tell its language, names do not; one word alone may be a name."""
    assert request_locale(request_) == locale
