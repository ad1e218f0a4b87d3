from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from data.catalog.schema import Credit, Track
from data.contracts import ToolArgs
from program.index.build import build_index
from program.index.engine import EmbeddedIndex
from program.settings import ExecuteSettings
from program.tools.catalog_search import CatalogSearch
from program.tools.joint_credits import is_joint_credit
from program.tools.protocol import ToolContext
from tests.tiny import TinyEmbedder


@pytest.mark.parametrize(
    ("credit", "name", "joint"),
    [
        ("Obie Trice feat. Dr. Dre", "Obie Trice", True),
        ("Obie Trice feat. Dr. Dre", "Dr. Dre", True),
        ("Prince & The Revolution", "Prince", True),
        ("Buddy Holly & The Crickets", "Buddy Holly", True),
        ("John Coltrane Quartet", "John Coltrane", True),
        ("The Jimi Hendrix Experience", "Jimi Hendrix", True),
        ("Smashing Pumpkins & Friends", "The Smashing Pumpkins", True),
        ("Kate Bush", "Bush", False),
        ("Bushwick Bill", "Bush", False),
        ("Queen", "Queen", False),
        ("The Queen", "Queen", False),
        ("Queens of the Stone Age", "Queen", False),
        ("Little Big Town", "Big Town", False),
        ("Los Lobos y Antonio Banderas", "Los Lobos", True),
    ],
)
def test_a_joint_credit_names_the_artist_and_more(credit: str, name: str, joint: bool) -> None:
    """The whole name beside a linking word or an end; part of another name and an artist of the same name do not count."""
    assert is_joint_credit(credit, name) is joint


def _track(track_id: str, artist_id: str, artist: str) -> Track:
    return Track(track_id=track_id, title=f"Song {track_id}", artists=(Credit(artist_id=artist_id, name=artist),))


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        ({"artist_ids": ("prince",)}, ["own", "joint"]),
        ({"artist_ids": ("prince",), "limit": 1}, ["own"]),
        ({"artist_ids": ("prince",), "exclude_artist_ids": ("band",)}, ["own"]),
        ({"artist_ids": ("band",)}, ["joint"]),
    ],
    ids=["after the artist's own", "only where there is room", "unless it is excluded", "only from the part to the whole"],
)
def test_joint_credits_follow_the_own_tracks(tmp_path: Path, args: dict[str, object], expected: list[str]) -> None:
    """Tracks credited to an artist under a joint name fill up a search for the artist; namesakes and others do not."""
    tracks = [
        _track("joint", "band", "Prince & The Revolution"),
        _track("own", "prince", "Prince"),
        _track("namesake", "other-prince", "Prince"),
        _track("stranger", "royce", "Prince Royce"),
    ]
    build_index(iter(tracks), tmp_path / "index", embedder=TinyEmbedder())
    with closing(EmbeddedIndex(tmp_path / "index", embedder=TinyEmbedder())) as index:
        found = CatalogSearch().run(ToolArgs.model_validate(args), ToolContext(index, ExecuteSettings()))

    assert found == expected
