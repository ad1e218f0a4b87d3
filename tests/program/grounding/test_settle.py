from __future__ import annotations

from collections.abc import Iterator

import pytest

from program.grounding.readings import entity_ids, understand_by_code
from program.index.engine import EmbeddedIndex
from program.settings import Settings
from tests.program.grounding.conftest import summary
from tests.program.grounding.shelf import open_shelf


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedIndex]:
    """The shelf's index."""
    with open_shelf(tmp_path_factory.mktemp("shelf")) as index:
        yield index


def _read(request: str, index: EmbeddedIndex) -> str:
    return summary(understand_by_code(request, index, Settings()).best.intent)


@pytest.mark.parametrize(
    ("request_", "meaning"),
    [
        ("Hallelujah", "play 1, target:cohen"),
        ("songs like Hallelujah", "similar 20, seed:cohen"),
        ("Hallelujah by Jeff Buckley", "play 1, target:buckley, context:jeff-buckley"),
        ("the karaoke version of Hallelujah", "play 1, target:karaoke, version=karaoke"),
        ("the cover of Hallelujah", "play 1, target:buckley, version=cover"),
        ("Jolene", "play 1, target:jolene"),
        ("Dolly Parton Jolene live", "play 1, target:jolene-live, context:dolly-parton, version=live"),
        ("Jolene live", "play 1, target:jolene-live, version=live"),
        ("Hallelujah cover", "play 1, target:buckley, version=cover"),
        ("Jolene acoustic", "play 1, target:jolene, version=acoustic"),
        ("Jolene by Dolly Parton", "play 1, target:jolene, context:dolly-parton"),
        ("Paper Moon", "play 1, target:moon"),
        ("Paper Moon by Vera Lane", "play 1, target:moon, context:vera-lane"),
        ("Paper Moon (Vera's Version)", "play 1, target:moon-new"),
        ("Paper Moon Vera's Version", "play 1, target:moon-new"),
    ],
)
def test_versions(shelf: EmbeddedIndex, request_: str, meaning: str) -> None:
    """The original is meant, unless a version, its artist or the remark of its title is said."""
    assert _read(request_, shelf) == meaning


@pytest.mark.parametrize("request_", ["Hallelujah, but not by Leonard Cohen", "Hallelujah not by Leonard Cohen"])
def test_not_by_the_excluded(shelf: EmbeddedIndex, request_: str) -> None:
    """Whoever is ruled out is replaced by the next real recording, not by a karaoke that is better known."""
    assert _read(request_, shelf) == "play 1, target:buckley, exclude:leonard-cohen"


@pytest.mark.parametrize(
    ("request_", "excluded"),
    [
        ("Lionel Richie without Hello", "lionel-richie--hello"),
        ("Adele but not Hello", "adele--hello"),
        ("songs by Kate Bush, no Running Up That Hill", "kate-bush--runningupthathill"),
        ("Placebo without Running Up That Hill", "placebo--runningupthathill"),
        ("rock, no Hello by Lionel Richie", "lionel-richie--hello"),
    ],
)
def test_exclusions_are_of_the_artist_that_is_wanted(tiny_index: EmbeddedIndex, request_: str, excluded: str) -> None:
    """What an artist is wanted without is theirs; an exclusion with its own artist stays that artist's."""
    intent = understand_by_code(request_, tiny_index, Settings()).best.intent

    assert entity_ids(intent.by_role("exclude"), "track") == (excluded,)


@pytest.mark.parametrize(
    ("request_", "artist"),
    [
        ("folk rock by Phoenix", "phoenix-ro"),
        ("indie pop by Phoenix", "phoenix-fr"),
        ("psychedelic rock by Nirvana", "nirvana-uk"),
        ("grunge by Nirvana", "nirvana-us"),
        ("songs by Nirvana", "nirvana-us"),
        ("techno by Nirvana", "nirvana-us"),
        ("songs by Nirvana, no grunge", "nirvana-us"),
    ],
)
def test_the_namesake_that_fits(shelf: EmbeddedIndex, request_: str, artist: str) -> None:
    """Among artists of one name the one whose music fits what is said; the best known where none does or nothing is said."""
    intent = understand_by_code(request_, shelf, Settings()).best.intent

    assert entity_ids(intent.by_role("target"), "artist") == (artist,)


@pytest.mark.parametrize("request_", ["Hallelujah", "folk rock by Phoenix", "Hallelujah, but not by Leonard Cohen", "Jolene"])
def test_evidence_is_settled_too(shelf: EmbeddedIndex, request_: str) -> None:
    """The evidence of what was replaced is replaced with it."""
    best = understand_by_code(request_, shelf, Settings()).best
    backing = {item.evidence_id: item for item in best.evidence}

    for entity in best.intent.entities:
        assert (backing[entity.evidence_id].entity_id, backing[entity.evidence_id].name) == (entity.entity_id, entity.name)
