from __future__ import annotations

from collections.abc import Iterator

import pytest

from program.grounding.readings import understand_by_code
from program.index.engine import EmbeddedIndex
from program.settings import GroundingSettings, Settings
from tests.program.grounding.shelf import open_shelf


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedIndex]:
    """The shelf's index."""
    with open_shelf(tmp_path_factory.mktemp("shelf")) as index:
        yield index


def _doubts(request: str, index: EmbeddedIndex, **grounding: object) -> set[str]:
    best = understand_by_code(request, index, Settings(grounding=GroundingSettings.model_validate(grounding))).best
    named = {item.evidence_id: item.entity_id for item in best.evidence}
    return {named[number] for number in best.intent.ambiguity}


@pytest.mark.parametrize(
    ("request_", "among"),
    [
        ("Phoenix", {"phoenix-fr", "phoenix-ro"}),
        ("songs by Phoenix", {"phoenix-fr", "phoenix-ro"}),
        ("jazz by Phoenix", {"phoenix-fr", "phoenix-ro"}),
        ("Crystal", {"crystal-n", "crystal-s"}),
        ("play Crystal", {"crystal-n", "crystal-s"}),
    ],
)
def test_doubt(shelf: EmbeddedIndex, request_: str, among: set[str]) -> None:
    """Equally known namesakes that nothing tells apart are asked about; covers are nobody's rivals."""
    assert _doubts(request_, shelf) == among


@pytest.mark.parametrize(
    "request_",
    [
        "Nirvana",
        "folk rock by Phoenix",
        "indie pop by Phoenix",
        "Crystal by South Garden",
        "the cover of Crystal",
        "Crystal, but not by The North",
        "no Phoenix",
        "songs like Phoenix",
        "Phoenix and Nirvana",
        "Hallelujah",
        "Jolene",
    ],
)
def test_no_doubt(shelf: EmbeddedIndex, request_: str) -> None:
    """A clear lead, a facet, an artist, a version, an exclusion, another role or another name settles the question."""
    assert _doubts(request_, shelf) == set()


@pytest.mark.parametrize(
    ("grounding", "asked"), [({}, True), ({"rules": False}, False)], ids=["with the rules", "without the rules"]
)
def test_doubt_is_a_rule(shelf: EmbeddedIndex, grounding: dict[str, object], asked: bool) -> None:
    """Without L2 nothing is asked."""
    assert bool(_doubts("Phoenix", shelf, **grounding)) is asked


@pytest.mark.parametrize(("margin", "asked"), [(0.0, False), (1.0, True)])
def test_the_margin_of_artists(shelf: EmbeddedIndex, margin: float, asked: bool) -> None:
    """How far apart two artists of a name may be is the setting that tracks have too."""
    assert bool(_doubts("Nirvana", shelf, ambiguity_margin=margin)) is asked
