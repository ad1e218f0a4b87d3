from __future__ import annotations

from collections.abc import Iterator

import pytest

from program.grounding.readings import understand_by_code
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
        ("Zeppelin", "play 20, target:led-zeppelin"),
        ("play Zeppelin", "play 20, target:led-zeppelin"),
        ("some zeppelin please", "play 20, target:led-zeppelin"),
        ("songs like Zeppelin", "similar 20, seed:led-zeppelin"),
        ("rock without Zeppelin", "discover 20, exclude:led-zeppelin, genre=rock*"),
        ("Zeppelin's Kashmir", "play 1, target:kashmir, context:led-zeppelin"),
        ("Kashmir by Zeppelin", "play 1, target:kashmir, context:led-zeppelin"),
        ("play buckley", "play 20, target:jeff-buckley"),
        ("redding and floyd", "play 20, target:otis-redding, target:pink-floyd"),
        ("parton, floyd", "play 20, target:dolly-parton, target:pink-floyd"),
        ("play Zimmerwald", "play 20, target:bob-zimmerwald"),
    ],
)
def test_a_last_name_that_only_one_has(shelf: EmbeddedIndex, request_: str, meaning: str) -> None:
    """The last word of a name stands for it, in any role, where nobody else of note has it."""
    assert _read(request_, shelf) == meaning


@pytest.mark.parametrize(
    ("request_", "meaning"),
    [
        ("songs by Jones", "play 20, absent:Jones"),
        ("play wexlers", "play 20, absent:wexlers"),
        ("Graf Zeppelin", "play 20, absent:Graf Zeppelin"),
        ("play Xylophant Zeppelin", "play 20, absent:Xylophant Zeppelin"),
        ("airship zeppelin museum", "discover 20, free:airship zeppelin museum"),
        ("play Led Zeppelin", "play 20, target:led-zeppelin"),
        ("play Norah", "play 20, absent:Norah"),
        ("play garden", "play 20, absent:garden"),
    ],
    ids=["two have it", "a long name", "another name", "an unknown name", "talk", "the whole", "a first name", "common"],
)
def test_no_last_name(shelf: EmbeddedIndex, request_: str, meaning: str) -> None:
    """Two of note, a long name, a word beside another unknown one, or a first name: nobody is guessed."""
    assert _read(request_, shelf) == meaning


def test_a_last_name_is_weaker_evidence(shelf: EmbeddedIndex) -> None:
    """It counts as a fuzzy match, so that everything that trusts exact names less trusts it less."""
    best = understand_by_code("play Zeppelin", shelf, Settings()).best

    assert [(item.match, item.surface) for item in best.evidence] == [("fuzzy", "Zeppelin")]
