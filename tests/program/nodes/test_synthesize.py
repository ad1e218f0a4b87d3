from __future__ import annotations

from typing import Any

import pytest

from data.contracts import Candidate, CandidateSet, Constraint, Intent, Relaxation, Reply, ToolResult
from program.index.engine import EmbeddedIndex
from program.index.filters import satisfies
from program.nodes.synthesize import SynthesizeNode
from program.retry.options import Change
from program.settings import Settings, WordingSettings
from program.state import Session
from tests.scripted import ScriptedLM, dead_lm
from tests.sessions import constraint, entity, resources, scripted, session, words

ICELAND = constraint(0, "region", "IS")
POST_PUNK = constraint(1, "genre", "post-punk", strength="core")
ICELANDIC = Intent(kind="discover", constraints=(ICELAND, POST_PUNK), size=4)
COLD = ("kaelan-mikla--solstodur", "theyr--rudolf", "kukl--dismembered", "tappi--dukkulisur")
REQUEST = "niche Icelandic post-punk from the 80s"
CLOSING = words("Icelandic post-punk", "Niche post-punk from Iceland, with Dismembered by KUKL.")


def _ready(index: EmbeddedIndex, intent: Intent = ICELANDIC, ids: tuple[str, ...] = COLD, text: str = REQUEST) -> Session:
    """A session whose candidates are `ids`, best first."""
    made = session(text, intent)
    made.entries = dict(index.by_ids(ids))
    found = tuple(
        Candidate(
            track_id=name, score=1 - place / 100, route_ranks={"catalog_search": place},
            satisfies={
                c.constraint_id: satisfies(made.entries[name].track, made.entries[name].popularity, c) for c in intent.constraints
            },
        )
        for place, name in enumerate(ids)
    )  # fmt: skip
    made.found = CandidateSet(candidates=found, results=(ToolResult(tool="catalog_search", ok=True, latency_ms=1.0),))
    return made


def _relaxed(made: Session, *changes: tuple[Constraint, Constraint | None]) -> Session:
    """The session after constraints were widened (to a result) or dropped (None)."""
    for before, after in changes:
        given = {
            "relaxation_id": "x0", "constraint_id": before.constraint_id, "op": "widen" if after else "drop",
            "from": before.values, "to": after.values if after else (), "gain": 1, "cost": 0.5,
        }  # fmt: skip
        made.ledger.record([Change(Relaxation.model_validate(given), after, before.facet)], 1, "too few")
    return made


def _write(
    index: EmbeddedIndex, made: Session, *replies: Any, settings: Settings | None = None
) -> tuple[Reply, list[Candidate], ScriptedLM]:
    lm, engine = scripted([("synthesize", list(replies))])
    chosen, reply = SynthesizeNode()(made, resources(index, settings, lm))
    return reply, chosen, engine


def _template(index: EmbeddedIndex, made: Session) -> Reply:
    reply: Reply = SynthesizeNode()(made, resources(index))[1]
    return reply


def test_a_reply_that_closes_is_accepted(tiny_index: EmbeddedIndex) -> None:
    """Words, names and numbers of the contract pass as they are, and every check is noted as passed."""
    made = _ready(tiny_index)
    reply, chosen, engine = _write(tiny_index, made, CLOSING)

    assert (reply.title, reply.description) == (CLOSING["title"], CLOSING["description"])
    assert len(engine.prompts) == 1
    assert made.fallbacks == []
    assert {o.outcome for o in made.assertions["synthesize"]} == {"passed"}
    assert [reason.track_id for reason in reply.reasons] == [candidate.track_id for candidate in chosen]


@pytest.mark.parametrize(
    "description",
    [
        "4 niche post-punk tracks from Iceland.",
        "Post-punk from Iceland since 1984.",
        "Niche Icelandic post-punk of the 80s.",
        "Post-punk from Iceland with “Dismembered”.",
        "Niche post-punk from Iceland: Kælan Mikla, KUKL and Tappi Tíkarrass.",
    ],
    ids=["how many", "a year of a track", "a number of the request", "a title in quotes", "artists of the list"],
)
def test_what_the_contract_holds_may_be_said(tiny_index: EmbeddedIndex, description: str) -> None:
    """The count, years, titles and artists of the list and the request's own numbers are no inventions."""
    reply, _, engine = _write(tiny_index, _ready(tiny_index), words("Icelandic post-punk", description))

    assert len(engine.prompts) == 1
    assert reply.description == description


def test_a_chinese_reply_that_closes_is_accepted(tiny_index: EmbeddedIndex) -> None:
    """A plain Chinese sentence made of the request's own words passes like an English one."""
    made = _ready(tiny_index, ICELANDIC.model_copy(update={"locale": "zh"}), text="冰岛的小众后朋克")
    chinese = words("冰岛的小众后朋克", "来自冰岛的小众后朋克歌曲。")
    reply, _, _ = _write(tiny_index, made, chinese, chinese)

    assert reply.description == chinese["description"]


INVENTED: dict[str, tuple[dict[str, str], str]] = {
    "a number": (words("Icelandic post-punk", "Niche post-punk from Iceland, 250 tracks."), "the number 250"),
    "a year": (words("Icelandic post-punk of 1977", "Niche post-punk music from Iceland."), "the number 1977"),
    "a quoted name": (words("Icelandic post-punk", "Niche post-punk from Iceland with “Cold Harbour”."), '"Cold Harbour"'),
    "another artist of the catalog": (
        words("Icelandic post-punk", "Niche post-punk from Iceland, match for Joy Division."),
        "the name Joy Division",
    ),
    "an artist in the title": (words("Like The Cure", "Niche post-punk music from Iceland."), "the name The Cure"),
    "a number of the contract's lines": (words("Icelandic post-punk", "Niche post-punk from Iceland, t1 best."), "the number 1"),
    "the number of an evidence": (
        words("Icelandic post-punk e0", "Niche post-punk music from Iceland."),
        "the internal number e0",
    ),
    "an address": (words("Icelandic post-punk", "Niche post-punk from Iceland, www.iceland.is"), "a web address"),
}
invented = pytest.mark.parametrize(("reply", "told"), INVENTED.values(), ids=INVENTED.keys())


@invented
def test_an_invention_is_sent_back_once(tiny_index: EmbeddedIndex, reply: dict[str, str], told: str) -> None:
    """The correction names what the facts do not hold, and a second reply that closes is used."""
    made = _ready(tiny_index)
    written, _, engine = _write(tiny_index, made, reply, CLOSING)

    assert len(engine.prompts) == 2
    assert told in engine.prompts[1].last.splitlines()[-1]
    assert written.title == CLOSING["title"]
    assert {o.name: o.outcome for o in made.assertions["synthesize"]}["reply_closes"] == "repaired"
    assert made.fallbacks == []


@invented
def test_an_invention_twice_gives_way_to_the_template(tiny_index: EmbeddedIndex, reply: dict[str, str], told: str) -> None:
    """After one repair turn the template writes, and the fallback says which check failed."""
    made = _ready(tiny_index)
    written, _, engine = _write(tiny_index, made, reply, reply)

    assert len(engine.prompts) == 2
    assert written == _template(tiny_index, _ready(tiny_index))
    assert [(f.node, f.kind, f.code) for f in made.fallbacks] == [("synthesize", "model_output", "reply_closes")]


@invented
def test_with_closure_off_an_invention_passes(tiny_index: EmbeddedIndex, reply: dict[str, str], told: str) -> None:
    """The switch of the closure check decides whether an invention reaches the listener."""
    on, off = (Settings(assertions_off=frozenset({"reply_grounded", *more})) for more in ((), ("reply_closes",)))
    assert _write(tiny_index, _ready(tiny_index), reply, CLOSING, settings=on)[0].title == CLOSING["title"]
    written, _, engine = _write(tiny_index, _ready(tiny_index), reply, settings=off)

    assert len(engine.prompts) == 1
    assert written.title == reply["title"]


@pytest.mark.parametrize("name", ["Metallica", "Radiohead", "周杰伦", "joy division"])
def test_any_other_artist_of_the_catalog_is_an_invention(tiny_index: EmbeddedIndex, name: str) -> None:
    """An artist of the catalog that is not on the list may not be named, however its name is written."""
    reply = words("Icelandic post-punk", f"Niche post-punk from Iceland, similar sound, close match: {name}.")
    off = Settings(assertions_off=frozenset({"reply_grounded"}))
    written, _, _ = _write(tiny_index, _ready(tiny_index), reply, CLOSING, settings=off)

    assert name not in written.description


@pytest.mark.parametrize(
    ("bad", "told"),
    [
        ("a list of songs", "JSON"),
        ({"title": "Icelandic post-punk"}, "description"),
        (words("x" * 300, "Niche post-punk music from Iceland."), "title"),
        (words("", "Niche post-punk music from Iceland."), "title"),
        (words("Icelandic post-punk", "Iceland. " * 200), "description"),
    ],
    ids=["no JSON", "a field is missing", "a long title", "no title", "a long description"],
)
def test_an_unreadable_reply_gives_way_to_the_template(tiny_index: EmbeddedIndex, bad: Any, told: str) -> None:
    """What does not keep to the reply's form is corrected once and then written by template."""
    made = _ready(tiny_index)
    written, _, engine = _write(tiny_index, made, bad, bad)

    assert len(engine.prompts) == 2
    assert told in engine.prompts[1].last.splitlines()[-1]
    assert written == _template(tiny_index, _ready(tiny_index))
    assert [f.code for f in made.fallbacks] == ["schema"]


def test_a_dead_lm_leaves_the_words_to_the_template(tiny_index: EmbeddedIndex) -> None:
    """Without an answer the template writes, and the fault is the infrastructure's."""
    made = _ready(tiny_index)
    _, reply = SynthesizeNode()(made, resources(tiny_index, lm=dead_lm()))

    assert reply == _template(tiny_index, _ready(tiny_index))
    assert [(f.node, f.kind) for f in made.fallbacks] == [("synthesize", "infrastructure")]


@pytest.mark.parametrize(
    "intent",
    [
        Intent(kind="play", entities=(entity("artist", "kukl"),)),
        Intent(kind="discover", constraints=(POST_PUNK,), size=1),
        Intent(kind="play", entities=(entity("track", "kukl--dismembered"),), size=1),
    ],
    ids=["all of an artist", "a single track", "a named track"],
)
def test_what_was_named_needs_no_prose(tiny_index: EmbeddedIndex, intent: Intent) -> None:
    """A named thing and a single track are worded by template without asking."""
    _, chosen, engine = _write(tiny_index, _ready(tiny_index, intent))

    assert engine.prompts == []
    assert chosen


def test_an_empty_list_asks_no_lm(tiny_index: EmbeddedIndex) -> None:
    """Without a track there is nothing to word."""
    reply, chosen, engine = _write(tiny_index, _ready(tiny_index, ids=()))

    assert engine.prompts == []
    assert chosen == []
    assert reply.reasons == ()


WIDER = (ICELAND, ICELAND.model_copy(update={"values": ("europe",)}))


@pytest.mark.parametrize("lm", [True, False], ids=["in the model's words", "by template"])
def test_what_was_given_up_is_always_told(tiny_index: EmbeddedIndex, lm: bool) -> None:
    """The description says what was changed and how much still holds, whether or not the model mentions it."""
    ids = ("kukl--dismembered", "iceage--ecstasy", "wire--outdoorminer", "theyr--rudolf")
    made = _relaxed(_ready(tiny_index, ids=ids), WIDER)
    own = words("Post-punk", "Post-punk from Iceland and nearby.")
    reply = _write(tiny_index, made, own)[0] if lm else _template(tiny_index, made)

    assert "Region Iceland was widened to Europe (50 % of the tracks still match)." in reply.description
    assert reply.description.startswith("Post-punk from Iceland and nearby." if lm else "4 tracks")


def test_the_prompt_says_what_was_given_up(tiny_index: EmbeddedIndex) -> None:
    """The model is told what was changed, or that nothing was, and sees no ids."""
    _, _, plain = _write(tiny_index, _ready(tiny_index), CLOSING)
    _, _, relaxed = _write(tiny_index, _relaxed(_ready(tiny_index), WIDER), CLOSING)

    assert "given_up: nothing" in plain.prompts[0].last
    assert "given_up: region Iceland was widened to Europe" in relaxed.prompts[0].last
    assert "Dismembered - KUKL" in plain.prompts[0].last
    assert "kukl--dismembered" not in plain.prompts[0].text


def test_a_long_ledger_is_told_whole(tiny_index: EmbeddedIndex) -> None:
    """However much was given up, each change is in the description, to its last word."""
    moods = ("sad", "melancholic", "heartbroken", "lonely", "bittersweet", "haunting")
    asked = (
        constraint(0, "mood", "sad"), constraint(1, "instrument", "piano"), constraint(2, "era", "1990s"),
        constraint(3, "region", "IS"), POST_PUNK.model_copy(update={"constraint_id": "c4"}),
    )  # fmt: skip
    intent = Intent(kind="discover", constraints=asked, size=4)
    made = _relaxed(
        _ready(tiny_index, intent),
        (asked[0], asked[0].model_copy(update={"values": moods})),
        (asked[1], None),
        (asked[2], None),
        (asked[3], asked[3].model_copy(update={"values": ("europe",)})),
    )
    reply = _template(tiny_index, made)

    assert reply.description.count("of the tracks still match)") == 4


@pytest.mark.parametrize("locale", ["en", "zh"])
def test_the_template_speaks_the_locale(tiny_index: EmbeddedIndex, locale: str) -> None:
    """The template's words are in the listener's language, the ledger's included."""
    made = _relaxed(_ready(tiny_index, ICELANDIC.model_copy(update={"locale": locale})), WIDER)
    reply = _template(tiny_index, made)

    assert ("来自曲库的 4 首歌" in reply.description) is (locale == "zh")
    assert ("放宽" in reply.description) is (locale == "zh")
    assert ("was widened" in reply.description) is (locale == "en")


def test_reasons_cite_only_the_contract(tiny_index: EmbeddedIndex) -> None:
    """A reason cites its own track and the constraints that its record holds; what differs is said."""
    made = _ready(tiny_index, ids=("kukl--dismembered", "wire--outdoorminer"))
    reasons = {reason.track_id: reason for reason in _template(tiny_index, made).reasons}

    assert reasons["kukl--dismembered"].citations == ("kukl--dismembered", "c0", "c1")
    assert reasons["wire--outdoorminer"].citations == ("wire--outdoorminer", "c1")
    assert "Iceland" in reasons["kukl--dismembered"].text
    assert "region United Kingdom" in reasons["wire--outdoorminer"].text


def test_limits_are_settings(tiny_index: EmbeddedIndex) -> None:
    """The model's title may be as long as the setting says, and the prompt's decoding is held to it."""
    short = Settings(wording=WordingSettings(max_title=12))
    _, _, engine = _write(tiny_index, _ready(tiny_index), words("Post-punk", CLOSING["description"]), settings=short)

    assert engine.prompts[0].schema is not None
    assert engine.prompts[0].schema["properties"]["title"]["maxLength"] == 12


@pytest.mark.parametrize(
    ("check", "bad"),
    [
        ("reply_grounded", words("Icelandic post-punk", "Beloved prizewinning legends touring stadiums worldwide.")),
        ("title_of_list", words("Dismembered", CLOSING["description"])),
    ],
    ids=["reply_grounded", "title_of_list"],
)
def test_the_other_checks_switch_too(tiny_index: EmbeddedIndex, check: str, bad: dict[str, str]) -> None:
    """Prose that nobody gave, and one track's title for the whole list, are sent back unless that check is off."""
    on, off = _ready(tiny_index), _ready(tiny_index)
    corrected = _write(tiny_index, on, bad, CLOSING)
    let_through = _write(tiny_index, off, bad, settings=Settings(assertions_off=frozenset({check})))

    assert len(corrected[2].prompts) == 2
    assert corrected[0].title == CLOSING["title"]
    assert len(let_through[2].prompts) == 1
    assert (let_through[0].title, let_through[0].description) == (bad["title"], bad["description"])
