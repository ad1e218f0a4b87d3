"""Names as spans from a language model's reading."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dspy
import pytest

from data.errors import LMUnavailableError
from experiments.external.model_reading import ModelReader
from program.index.engine import EmbeddedIndex
from program.lm.backbones import Backbone
from program.settings import LMSettings, Settings, UnderstandSettings
from tests.scripted import dead_lm
from tests.sessions import NAME, reading, scripted
from tests.tiny import TinyEmbedder

VAGUE = "smells of asphalt and Africa"
_LM = LMSettings(name=NAME)
DRAFT = Settings(lm=_LM, understand=UnderstandSettings(order="draft"))


@pytest.fixture
def index(tiny_catalog: Path) -> Iterator[EmbeddedIndex]:
    """The tiny catalog."""
    opened = EmbeddedIndex(tiny_catalog, embedder=TinyEmbedder())
    yield opened
    opened.close()


def _read(index: EmbeddedIndex, settings: Settings, lm: dspy.BaseLM) -> list[tuple[str, str, str]]:
    reader = ModelReader(settings, lambda name: Backbone(name, lm, schema=True, embedded=False))
    return [(span.text, span.type, span.source) for span in reader(VAGUE, index, settings)]


@pytest.mark.parametrize(
    ("reply", "spans"),
    [
        ({"names": ["work: Africa"]}, [("Africa", "track", "entity")]),
        ({"names": []}, []),
        ({"names": ["artist: smells of asphalt"]}, [("smells of asphalt", "artist", "absent")]),
    ],
)
def test_a_draft_says_what_is_a_name(index: EmbeddedIndex, reply: dict[str, Any], spans: list[tuple[str, str, str]]) -> None:
    """Held names and absent ones; an absent one is of the kind that the draft says."""
    lm, _ = scripted([("understand", reply)])

    assert _read(index, DRAFT, lm) == spans


def test_a_choice_among_readings_is_read_too(index: EmbeddedIndex) -> None:
    """In evidence order the chosen reading's names stand where their evidence does."""
    lm, _ = scripted([("understand", reading("r0"))])
    found = _read(index, Settings(lm=_LM), lm)

    assert all(name in VAGUE and source == "entity" for name, _, source in found)


def test_a_model_that_does_not_answer_is_no_score(index: EmbeddedIndex) -> None:
    """An outage ends the evaluation; code's reading is not passed off as the model's."""
    with pytest.raises(LMUnavailableError):
        _read(index, DRAFT, dead_lm())
