"""The requests that the retry was designed on, asked of the whole demo catalog: what their ledgers must show."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from data.catalog.demo_files import demo_path
from data.catalog.importers.base import read_catalog
from data.catalog.importers.rejects import Rejects
from data.contracts import Intent, Playlist, Status
from program.graph import Melo
from program.index.build import build_index
from program.index.engine import EmbeddedIndex
from program.settings import Settings
from tests.program.retry.recount import holds
from tests.tiny import TinyEmbedder

_CORE_SHARE = 0.8


@dataclass(frozen=True)
class Trace:
    """What the answer's ledger shows: facet → state and what the condition became (None: whatever it is)."""

    request: str
    status: Status
    ledger: dict[str, tuple[str, tuple[str, ...] | None]]
    least: int = 20
    excluded: str = ""


TRACES = [
    Trace(
        "niche Icelandic post-punk",
        "partial",
        {"popularity": ("kept", ("niche",)), "region": ("widened", ("nordic",)), "genre": ("kept", ("post-punk",))},
    ),
    Trace(
        "1980s Japanese city pop with female vocals, slow",
        "partial",
        {
            "era": ("kept", ("1980s",)), "genre": ("kept", ("city-pop",)), "vocal": ("kept", ("female",)),
            "tempo": ("softened", ("slow",)),
        },
    ),
    Trace(
        "a nap playlist without instrumentals",
        "partial",
        {"activity": ("widened", None), "vocal": ("kept", ("instrumental",))},
        least=15,
    ),
    Trace("K-pop like EXO but not EXO", "ok", {"genre": ("kept", ("k-pop",))}, excluded="EXO"),
    Trace(
        "2025 K-pop like EXO but not EXO",
        "partial",
        {"era": ("widened", None), "genre": ("kept", ("k-pop",))},
        excluded="EXO",
    ),
    Trace(
        "1960s Mongolian-language rock by female singers, slow tempo",
        "partial",
        {
            "era": ("dropped", ()), "language": ("widened", None), "genre": ("kept", ("rock",)), "vocal": ("dropped", ()),
            "tempo": ("softened", ("slow",)),
        },
        least=5,
    ),
]  # fmt: skip


@pytest.fixture(scope="module")
def demo_melo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Melo]:
    """The program without a model over the demo catalog, with bags of words in the embedder's place."""
    path = tmp_path_factory.mktemp("golden") / "index"
    build_index(read_catalog(demo_path(), rejects=Rejects()), path, embedder=TinyEmbedder())
    index = EmbeddedIndex(path, embedder=TinyEmbedder())
    yield Melo(index, Settings())
    index.close()


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("trace", [pytest.param(trace, id=trace.request) for trace in TRACES])
def test_golden_trace(trace: Trace, demo_melo: Melo) -> None:
    """Soft conditions give way first, exclusions never, and what the request is about stays in four tracks of five."""
    prediction = demo_melo(request=trace.request)
    playlist: Playlist = prediction.playlist
    shown = {entry.facet: (entry.state, entry.to) for entry in playlist.ledger}

    assert playlist.status == trace.status
    assert len(playlist.tracks) >= trace.least
    assert shown == {
        facet: (state, shown[facet][1] if to is None else to) for facet, (state, to) in trace.ledger.items() if facet in shown
    }
    assert shown.keys() == trace.ledger.keys()
    assert trace.excluded not in {artist for track in playlist.tracks for artist in track.artists}
    _check_shares(playlist, prediction.intent, demo_melo)


def _check_shares(playlist: Playlist, intent: Intent, melo: Melo) -> None:
    """The ledger's shares are what the catalog's records say; the core's reach the mark."""
    held = melo._resources.index.by_ids(track.track_id for track in playlist.tracks)
    entries = [held[track.track_id] for track in playlist.tracks]
    for told, asked in zip(playlist.ledger, intent.constraints, strict=True):
        share = sum(holds(entry, asked) for entry in entries) / len(entries)
        assert told.share == round(share, 4)
        if asked.op == "not":
            assert share == 1.0
        elif asked.strength == "core":
            assert share >= _CORE_SHARE, f"{asked.facet} {asked.values}"
