from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.catalog.schema import Credit, Track
from program.index.documents import track_fields
from program.index.space import PartCensus, VectorSpace, track_parts
from program.index.stored import StoredCredit, StoredTrack, decode_track
from tests.tiny import TinyEmbedder

SPACE = VectorSpace.build(PartCensus(), TinyEmbedder(), tracks=1)
_WORDS = st.lists(st.sampled_from(["rock", "jazz", "cold", "piano"]), max_size=3, unique=True).map(tuple)


def test_fields_agree() -> None:
    """A stored track and credit have the fields and defaults of the records that they stand for."""
    assert list(StoredCredit.__struct_fields__) == list(Credit.model_fields)
    assert list(StoredTrack.__struct_fields__) == list(Track.model_fields)
    given_fields = {"track_id": "1", "title": "x", "artists": ({"artist_id": "a", "name": "A"},)}
    record, stored = Track.model_validate(given_fields), decode_track(Track.model_validate(given_fields).model_dump_json())
    for name in set(Track.model_fields) - {"artists"}:
        assert getattr(record, name) == getattr(stored, name), name


@given(
    title=st.text(min_size=1, max_size=20),
    genres=_WORDS,
    tags=_WORDS,
    aliases=_WORDS,
    year=st.none() | st.integers(1000, 2100),
    bpm=st.none() | st.floats(20, 400),
    region=st.sampled_from([None, "IS", "CN"]),
    playable=st.booleans(),
)
def test_decoded_like_validated(title: str, **facets: object) -> None:
    """A record read back without checks gives the same document and the same vector parts as the checked one."""
    record = Track.model_validate({"track_id": "1", "title": title, "artists": ({"artist_id": "a", "name": "A"},), **facets})
    stored = decode_track(record.model_dump_json(exclude_defaults=True).encode())

    assert track_fields(stored, 3, 0.5) == track_fields(record, 3, 0.5)
    assert track_parts(stored) == track_parts(record)
    assert SPACE.of_tracks([stored, record]) == pytest.approx(SPACE.compose([track_parts(record)] * 2), abs=1e-6)
