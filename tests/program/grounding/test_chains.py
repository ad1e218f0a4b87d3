"""Any chain of request words, names and signs is read soundly."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from data.vocab.request_words import request_words
from program.grounding.readings import understand_by_code
from program.index.engine import EmbeddedIndex
from program.settings import Settings
from tests.tiny import artists, tracks

_NAMES = sorted({*(artist.name for artist in artists()), *(track.title for track in tracks()), "Zorblax", "晴天", "周杰伦"})
_SIGNS = [",", ".", "!", "?", ";", "“", "”", '"', "'s", "-", "—", "&", "(", ")", "《", "》", "，", "的"]
_ENDS = ["no", "not", "like", "by", "without", "i meant", "ish", "my playlist", "top", "hours", "minutes", "half", "of them"]
_WORDS = st.one_of(
    st.sampled_from(_NAMES), st.sampled_from(sorted(request_words())), st.sampled_from(_SIGNS), st.sampled_from(_ENDS),
    st.integers(0, 2100).map(str),
)  # fmt: skip
_CHAINS = st.builds(lambda words, gap: gap.join(words), st.lists(_WORDS, min_size=1, max_size=10), st.sampled_from([" ", ""]))


@settings(
    max_examples=200, derandomize=True, database=None, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(request=_CHAINS)
def test_any_chain_is_read_soundly(tiny_index: EmbeddedIndex, request: str) -> None:
    """No id is invented, nothing is both wanted and ruled out or wanted twice, and what is absent is in the request."""
    ids = {
        "artist": {artist.artist_id for artist in artists()},
        "track": {track.track_id for track in tracks()},
        "album": {tiny_index.album(row).album_id for row in range(tiny_index.info.albums)},
    }

    for reading in understand_by_code(request, tiny_index, Settings()).readings:
        intent = reading.intent
        wanted = [(entity.entity_type, entity.entity_id) for entity in intent.by_role("target")]
        excluded = [(entity.entity_type, entity.entity_id) for entity in intent.by_role("exclude")]
        assert all(entity.entity_id in ids[entity.entity_type] for entity in intent.entities)
        assert not [item for item in wanted if item[0] == "track" and item in excluded]
        assert len(wanted) == len(set(wanted))
        assert all(name and name in request for name in intent.absent)
        assert 1 <= intent.size <= 100
        assert intent.minutes is None or 1 <= intent.minutes <= 1440
        assert all(word in request.casefold() for phrase in intent.unwanted for word in phrase.split())
