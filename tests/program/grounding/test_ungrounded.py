from __future__ import annotations

import dspy
import pytest

from program.grounding.readings import understand_by_code
from program.grounding.ungrounded import Named, named_by_code, understand_ungrounded
from program.index.engine import EmbeddedIndex
from program.settings import Settings
from tests.program.grounding.conftest import summary

SETTINGS = Settings()


@pytest.mark.parametrize(
    ("request_", "named"),
    [
        ("songs by Radiohead", Named(artists=("Radiohead",))),
        ("play Creep", Named(titles=("Creep",))),
        ("play Creep by Radiohead", Named(artists=("Radiohead",), titles=("Creep",))),
        ("something like Radiohead", Named(artists=("Radiohead",))),
        ("the band Radiohead", Named(artists=("Radiohead",))),
        ("sad piano songs", Named()),
        ("", Named()),
        ("music for staring at the ceiling", Named()),
    ],
)
def test_names_by_where_they_stand(tiny_index: EmbeddedIndex, request_: str, named: Named) -> None:
    """Without a model a name is what stands where names stand; a description names nothing."""
    assert named_by_code(request_, tiny_index, SETTINGS) == named


@pytest.mark.parametrize(
    ("named", "meaning"),
    [
        (Named(artists=("Radiohead",)), "play 20, target:radiohead"),
        (Named(titles=("Creep",), artists=("Radiohead",)), "play 1, target:radiohead--creep"),
        (Named(titles=("Creep", "Halo")), "play 2, target:radiohead--creep, target:beyonce--halo"),
        (Named(unwanted=("Metallica",)), "discover 20, exclude:metallica"),
        (Named(artists=("Queen",), unwanted=("Muse",)), "play 20, exclude:muse, target:queen"),
        (Named(), "discover 20"),
    ],
)
def test_names_meet_the_first_hit(tiny_index: EmbeddedIndex, named: Named, meaning: str) -> None:
    """Each name becomes what the search returns first, in its role; nothing is looked up for the request itself."""
    intent, known = understand_ungrounded("play", named, tiny_index, SETTINGS)

    assert summary(intent) == meaning
    assert known.margin == float("inf")


def test_a_wrong_hit_is_not_noticed(tiny_index: EmbeddedIndex) -> None:
    """What grounding is for: a title that the named artist never had is played by whoever has some of its words."""
    intent, _ = understand_ungrounded(
        "play So What by Miles Davis", Named(("Miles Davis",), ("Blue in So What",)), tiny_index, SETTINGS
    )
    grounded = understand_by_code("play So What by Miles Davis", tiny_index, SETTINGS).best.intent

    assert intent.absent == ()
    assert grounded.absent == ("So What by Miles Davis",)


def test_a_missed_name_is_left_to_the_words(tiny_index: EmbeddedIndex) -> None:
    """A name without a hit is searched for by meaning, and is not told as absent."""
    intent, _ = understand_ungrounded("play something", Named(titles=("Zorblaxian",)), tiny_index, SETTINGS)

    assert (intent.absent, intent.free_text, intent.by_role("target")) == ((), "Zorblaxian", ())


def test_facets_stay(tiny_index: EmbeddedIndex) -> None:
    """Facet words are read as always, but for those that are a name."""
    plain, _ = understand_ungrounded("sad songs by Radiohead", Named(artists=("Radiohead",)), tiny_index, SETTINGS)
    named, _ = understand_ungrounded("play Africa", Named(titles=("Africa",)), tiny_index, SETTINGS)

    assert [(c.facet, c.values) for c in plain.constraints] == [("mood", ("sad",))]
    assert (named.constraints, named.size) == ((), 1)


def test_lists_of_a_model_are_bounded() -> None:
    """Blank, repeated and surplus names of a reply are left out."""
    reply = dspy.Prediction(artists=[" Queen ", "Queen", "", "  "], titles=[str(number) for number in range(20)], unwanted=[])
    named = Named.listed(reply)

    assert named.artists == ("Queen",)
    assert named.titles == tuple(map(str, range(8)))
    assert named.unwanted == ()
