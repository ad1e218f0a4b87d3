from __future__ import annotations

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from data.contracts import Intent
from data.vocab.loader import load_vocabularies
from data.vocab.request_words import request_words
from program.grounding.compose import Reading
from program.grounding.readings import understand_by_code
from program.index.engine import EmbeddedIndex
from program.settings import Settings
from tests.tiny import artists, tracks

NAMES = sorted({*(artist.name for artist in artists()), *(track.title for track in tracks()), "Zorblax", "周杰伦", "晴天"})
FACETS = sorted({word for words in load_vocabularies().values() for item in words.concepts.values() for word in item.words[:4]})
CUES = [*sorted(request_words()), "not", "without", "like", "by", "'s", "的", "only", "songs", "10 songs", "and", ",", ".", '"']
NUMBERS = ["1985", "after 1990", "1970-1980", "120 bpm", "0", "五首", "21", "nineteen ninety nine", "early 80s"]
WORDS = st.one_of(*map(st.sampled_from, (NAMES, FACETS, CUES, NUMBERS)), st.text(max_size=8))
REQUESTS = st.one_of(
    st.text(max_size=80),
    st.builds(lambda words, gap: gap.join(words), st.lists(WORDS, max_size=9), st.sampled_from([" ", "", ", ", "　"])),
)
RANGED = {"era", "tempo", "popularity"}


def assert_sound(reading: Reading, request: str, ids: dict[str, set[str]]) -> None:
    """Nothing in the reading is invented, and everything points into the request."""
    intent = reading.intent
    known = {item.evidence_id: item for item in reading.evidence}
    assert len(known) == len(reading.evidence)
    for entity in intent.entities:
        assert entity.entity_id in ids[entity.entity_type]
        backing = known[entity.evidence_id]
        assert (backing.entity_id, backing.name) == (entity.entity_id, entity.name)
    assert set(intent.ambiguity) <= set(known)
    for item in reading.evidence:
        assert item.entity_id in ids[item.entity_type]
        assert item.surface in request[slice(*item.span)]
    for constraint in intent.constraints:
        vocabulary = load_vocabularies()[constraint.facet]
        assert constraint.surface == request[slice(*constraint.span)] != ""
        assert constraint.facet in RANGED or set(constraint.values) <= set(vocabulary.concepts)
        assert constraint.op != "not" or (constraint.values and constraint.strength == "core")
        assert constraint.op != "range" or len(constraint.values) == 2
    assert len({item.constraint_id for item in intent.constraints}) == len(intent.constraints)
    assert all(name in request for name in intent.absent)
    assert Intent.model_validate_json(intent.model_dump_json()) == intent


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@example("akin to !!! not by them")
@given(request=REQUESTS)
def test_any_request(tiny_index: EmbeddedIndex, request: str) -> None:
    """Whatever is asked, something is read, and no name, id, value or span in it is invented."""
    ids = {
        "artist": {artist.artist_id for artist in artists()},
        "track": {track.track_id for track in tracks()},
        "album": {tiny_index.album(row).album_id for row in range(tiny_index.info.albums)},
    }
    understanding = understand_by_code(request, tiny_index, Settings())

    assert understanding.best is understanding.readings[0]
    for reading in understanding.readings:
        assert_sound(reading, request, ids)


@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(request=REQUESTS)
def test_same_request_same_reading(tiny_index: EmbeddedIndex, request: str) -> None:
    """Reading is deterministic."""
    first, second = (understand_by_code(request, tiny_index, Settings()) for _ in range(2))

    assert first.readings == second.readings
