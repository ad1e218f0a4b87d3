from __future__ import annotations

import pytest

from program.grounding.spans import MAX_CJK_TOKENS, SpanKey, propose
from program.grounding.tokens import tokenize


def spans(request: str, max_tokens: int = 8) -> list[SpanKey]:
    return propose(request, tokenize(request), max_tokens)


def test_every_run_of_words() -> None:
    """Each run of words is one span, with its key and the words as written."""
    found = {(span.first, span.last): (span.key, span.surface) for span in spans("Play Sigur Rós")}

    assert found == {
        (0, 1): ("play", "Play"),
        (0, 2): ("playsigur", "Play Sigur"),
        (0, 3): ("playsigurros", "Play Sigur Rós"),
        (1, 2): ("sigur", "Sigur"),
        (1, 3): ("sigurros", "Sigur Rós"),
        (2, 3): ("ros", "Rós"),
    }


@pytest.mark.parametrize("limit", [1, 2, 8])
def test_longest_span(limit: int) -> None:
    """No span has more words than the setting says."""
    found = spans("one two three four five six seven eight nine ten", limit)

    assert max(span.last - span.first for span in found) == limit


def test_characters_do_not_count_as_words() -> None:
    """Chinese is bounded by characters instead, so that a long title is still one span."""
    found = spans("放" * 20, 2)

    assert max(span.last - span.first for span in found) == MAX_CJK_TOKENS


@pytest.mark.parametrize(
    ("request_", "bare"),
    [
        ("Toto's Africa", {"Toto"}),
        ("the Beatles' songs", {"Beatles", "the Beatles"}),
        ("P!nk’s hits", {"P!nk"}),
        ("Lionel Richie's Hello", {"Richie", "Lionel Richie"}),
        ("boys don't cry", set()),
        ("'s", set()),
    ],
)
def test_possessives(request_: str, bare: set[str]) -> None:
    """A possessive is offered with and without its ending."""
    found = spans(request_)

    assert {span.surface for span in found if span.possessive} == bare
    assert all(span.key for span in found)


def test_no_tokens() -> None:
    """A request without words has no spans."""
    assert spans("…") == []


@pytest.mark.parametrize("request_", ["play !!!", "+ play"])
def test_signs_do_not_stretch_a_word(request_: str) -> None:
    """A span that ends in a sign has no key of the words without it: "play !!!" is not another way to write "play"."""
    found = spans(request_)
    words = {span.key for span in found if span.last - span.first == 1}

    assert [span.surface for span in found if span.last - span.first == 2 and span.key in words] == []


@pytest.mark.parametrize(
    ("request_", "stems"),
    [("재즈는 싫고 록만", {"재즈", "재즈는 싫고 록", "싫고 록", "록"}), ("The Cure는", {"The Cure", "Cure"}), ("노래", set())],
)
def test_korean_particles(request_: str, stems: set[str]) -> None:
    """A word is offered with and without the particle that is written together with it."""
    assert {span.surface for span in spans(request_) if span.particle} == stems
