from __future__ import annotations

import pytest

from data.contracts import Candidate, Constraint
from program.index.engine import EmbeddedIndex
from program.index.protocol import TrackEntry
from program.retry.core_first import core_first
from tests.sessions import constraint

ICELAND = constraint(0, "region", "IS", strength="core", unknown_ok=False)
POST_PUNK = constraint(1, "genre", "post-punk", strength="core")
BOTH = ("kukl--dismembered", "theyr--rudolf")
NEAR = ("iceage--ecstasy", "toto--africa", "taylor-swift--shakeitoff")


def _given(index: EmbeddedIndex, *track_ids: str) -> tuple[list[Candidate], dict[str, TrackEntry]]:
    ranked = [Candidate(track_id=name, score=1.0, route_ranks={}, satisfies={}) for name in track_ids]
    return ranked, dict(index.by_ids(track_ids))


@pytest.mark.parametrize(
    ("core", "size", "share", "kept"),
    [
        ((ICELAND, POST_PUNK), 20, 0.8, BOTH),
        ((ICELAND, POST_PUNK), 20, 0.5, (NEAR[0], *BOTH[:1], NEAR[1], *BOTH[1:])),
        ((ICELAND, POST_PUNK), 1, 0.5, (NEAR[0], *BOTH)),
        ((ICELAND, POST_PUNK), 20, 0.0, (NEAR[0], BOTH[0], *NEAR[1:], BOTH[1])),
        ((), 20, 0.8, (NEAR[0], BOTH[0], *NEAR[1:], BOTH[1])),
        ((constraint(0, "genre", "tango", strength="core"),), 20, 0.8, (NEAR[0], BOTH[0], *NEAR[1:], BOTH[1])),
    ],
    ids=["no near miss", "one near miss a hit", "no more than the answer has room for", "switched off", "no core", "none holds"],
)
def test_near_misses_never_outnumber_their_share(
    tiny_index: EmbeddedIndex, core: tuple[Constraint, ...], size: int, share: float, kept: tuple[str, ...]
) -> None:
    """What holds the core stays, near misses only as far as the share allows, in the order in which they were ranked."""
    ranked, entries = _given(tiny_index, NEAR[0], BOTH[0], NEAR[1], NEAR[2], BOTH[1])
    about = core_first(ranked, entries, core, size, share)

    assert [candidate.track_id for candidate in about] == [name for name in _in_rank(ranked) if name in kept]
    assert len(about) == len(kept)


def _in_rank(ranked: list[Candidate]) -> list[str]:
    return [candidate.track_id for candidate in ranked]
