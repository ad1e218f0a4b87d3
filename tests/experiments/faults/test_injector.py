"""Which request is struck where, and what the faults leave."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from experiments.faults.injector import Strike
from experiments.faults.kinds import CONTRADICTORY, DROPPED, INVENTED, OFF_TOPIC, SPOILS, WRONG_ENTITY
from program.index.engine import EmbeddedIndex
from tests.experiments.faults.parts import opened, shown, struck

KINDS = (WRONG_ENTITY, DROPPED, INVENTED, CONTRADICTORY, OFF_TOPIC)
TEXTS = (
    "songs by Metallica", "post-punk", "niche Icelandic post-punk", "songs like Africa", "jazz from the 80s",
    "rock or metal without Metallica", "来点爵士乐", "20 songs by Adele", "30 minutes of rock", "Play by Moby",
)  # fmt: skip


@pytest.fixture(scope="module")
def index(tiny_catalog: Path) -> Iterator[EmbeddedIndex]:
    """The tiny catalog."""
    with opened(tiny_catalog) as found:
        yield found


def _strikes(index: EmbeddedIndex, kinds: dict[str, str], **options: Any) -> list[list[Strike]]:
    program = struck(index, kinds, **options)
    found = []
    for text in TEXTS:
        program(request=text)
        found.append(program.injector.strikes)
    return found


def test_only_what_was_drawn_is_struck(index: EmbeddedIndex) -> None:
    """Once, at its node, in its first run; the others get the answers that they get anyway."""
    clean = struck(index, {})
    program = struck(index, {"post-punk": OFF_TOPIC})
    for text in TEXTS:
        expected, found = clean(request=text).playlist, program(request=text).playlist

        assert program.injector.strikes == ([Strike(OFF_TOPIC, "synthesize", 0)] if text == "post-punk" else [])
        assert (shown(expected) == shown(found)) is (text != "post-punk")


@pytest.mark.parametrize("on", [False, True])
def test_the_seed_says_it_all(index: EmbeddedIndex, on: bool) -> None:
    """The same seed strikes the same and spoils the same; another one does something else."""
    answers = []
    for seed in (1, 1, 2):
        program = struck(index, dict.fromkeys(TEXTS, DROPPED), on=on, seed=seed, rate=0.5)
        told = []
        for text in TEXTS:
            playlist = program(request=text).playlist
            told.append((shown(playlist), tuple(program.injector.strikes)))
        answers.append(told)

    assert answers[0] == answers[1]
    assert answers[0] != answers[2]


def test_a_dropped_condition_strikes_either_node(index: EmbeddedIndex) -> None:
    """UNDERSTAND or PLAN, whichever is drawn."""
    nodes = {one.node for seed in range(2) for each in _strikes(index, dict.fromkeys(TEXTS, DROPPED), seed=seed) for one in each}

    assert nodes == {"understand", "plan"}


@pytest.mark.parametrize("on", [False, True], ids=["off", "on"])
@pytest.mark.parametrize("kind", KINDS)
def test_the_graph_goes_on(index: EmbeddedIndex, kind: str, on: bool) -> None:
    """Every kind leaves a session that the other nodes can finish, under several seeds, with retries struck too."""
    strikes = 0
    for seed in range(2):
        program = struck(index, dict.fromkeys(TEXTS, kind), on=on, seed=seed, rate=1.0)
        for text in TEXTS[:7]:
            playlist = program(request=text).playlist
            strikes += len(program.injector.strikes)

            assert playlist.status in ("ok", "partial", "clarify", "not_found")
            assert {one.kind for one in program.injector.strikes} <= {kind}
    assert strikes >= 3


@pytest.mark.parametrize("kind", [INVENTED, CONTRADICTORY, OFF_TOPIC])
def test_by_code_is_never_spoilt(index: EmbeddedIndex, kind: str) -> None:
    """With every retry struck, what is left is the way by code, and the answer is the one without faults."""
    expected = struck(index, {})(request="post-punk").playlist
    program = struck(index, {"post-punk": kind}, on=True, rate=1.0)
    found = program(request="post-punk").playlist

    assert [one.attempt for one in program.injector.strikes] == [0, 1]
    assert shown(found) == shown(expected)


@pytest.mark.parametrize("rate", [0.0, 1.0])
def test_retries_are_struck_at_the_rate(index: EmbeddedIndex, rate: float) -> None:
    """Never at 0, always at 1."""
    program = struck(index, {"post-punk": OFF_TOPIC}, on=True, rate=rate)
    program(request="post-punk")

    assert len(program.injector.strikes) == 1 + int(rate)


def test_no_later_round_is_struck(index: EmbeddedIndex) -> None:
    """A request that goes round twice is struck in the first round alone."""
    program = struck(index, {"niche Icelandic post-punk": INVENTED}, rate=1.0)
    program(request="niche Icelandic post-punk")

    assert len(program.injector.strikes) == 1


def test_every_kind_has_its_node() -> None:
    """Five faults, one at each node, and one that strikes two."""
    assert {kind for kind, _ in SPOILS} == set(KINDS)
    assert {node for _, node in SPOILS} == {"understand", "plan", "execute", "reflect", "synthesize"}


@pytest.mark.parametrize("kind", KINDS)
def test_the_program_is_the_programs(index: EmbeddedIndex, kind: str) -> None:
    """What is spoilt in one session is not there in the next."""
    program = struck(index, {"post-punk": kind})
    program(request="post-punk")
    again, expected = program(request="songs by Metallica").playlist, struck(index, {})(request="songs by Metallica").playlist

    assert shown(again) == shown(expected)
