from __future__ import annotations

import pytest

from data.contracts import Candidate, Evidence, Intent, LedgerEntry, ReplyContract
from program.grounding.readings import understand_by_code
from program.index.engine import EmbeddedIndex
from program.settings import Settings
from program.trust.contract import Told, build_contract, track_facts, violations
from tests.sessions import constraint, entity

IDS = ("prince--1999", "kaelan-mikla--solstodur")
INTENT = Intent(
    kind="discover",
    entities=(entity("artist", "prince", "seed"),),
    constraints=(constraint(0, "mood", "happy"), constraint(1, "era", "1980s"), constraint(2, "popularity", "popular")),
    size=2,
)
WIDENED = LedgerEntry.model_validate(
    {
        "constraint_id": "c1",
        "facet": "region",
        "state": "widened",
        "from": ["IS"],
        "to": ["nordic"],
        "why": "7 found",
        "share": 0.42,
    }
)
SEED = Evidence(
    evidence_id="e0", surface="Prince", span=(0, 6), entity_type="artist", entity_id="prince", name="Prince",
    match="exact", available_tracks=3, popularity=0.9, support=0.9,
)  # fmt: skip


@pytest.fixture(scope="module")
def contract(tiny_index: EmbeddedIndex) -> ReplyContract:
    """The contract of two tracks with a widened region."""
    chosen = [Candidate(track_id=name, score=1.0, route_ranks={}, satisfies={"c0": "yes", "c1": "no"}) for name in IDS]
    unused = SEED.model_copy(update={"evidence_id": "e7"})
    return build_contract(
        "20 songs like Prince for 80s nights", INTENT, chosen, tiny_index.by_ids(IDS),
        Told(evidence=(SEED, unused), tools=("similar_tracks",), ledger=(WIDENED,), observations=("only 7 of 30",)),
    )  # fmt: skip


def test_the_contract_holds_the_chosen_tracks(contract: ReplyContract) -> None:
    """Tracks are cited by place, in order, and may cite themselves, what they hold, and the evidence that was used."""
    assert [(track.ref, track.track_id) for track in contract.tracks] == [("t1", IDS[0]), ("t2", IDS[1])]
    assert contract.tracks[0].cites == (IDS[0], "c0", "e0")
    assert contract.tracks[0].year == 1982
    assert contract.ledger == (WIDENED,)
    assert contract.tools_used == ("similar_tracks",)


REQUESTS = {
    "en": "play some sad songs from the 90s", "zh": "放点伤感的歌", "ja": "悲しい曲をかけて", "ko": "슬픈 노래 틀어줘",
    "de": "spiel mir bitte traurige Lieder", "es": "pon unas canciones tristes", "fr": "mets-moi des chansons tristes",
    "it": "metti delle canzoni tristi", "pt": "toca umas músicas tristes", "nl": "speel wat verdrietige liedjes",
    "tr": "hüzünlü şarkılar çal", "ru": "включи грустные песни", "pl": "puść mi smutne piosenki",
    "sv": "spela några sorgliga låtar", "ar": "شغل أغاني حزينة",
}  # fmt: skip


@pytest.mark.parametrize(("locale", "request_"), REQUESTS.items(), ids=REQUESTS)
def test_the_contract_carries_the_locale(tiny_index: EmbeddedIndex, locale: str, request_: str) -> None:
    """The language of the request, of fifteen, is told from its words and stands in the contract that words are held to."""
    intent = understand_by_code(request_, tiny_index, Settings()).best.intent

    assert build_contract(request_, intent, (), {}, Told()).locale == locale


def test_facts_are_of_the_facets_that_were_asked(tiny_index: EmbeddedIndex) -> None:
    """A track's facts name its values of these facets, in words; what the record does not say is no fact."""
    entry = tiny_index.by_ids(["prince--1999"])["prince--1999"]
    bare = tiny_index.by_ids(["mystery-tape--sidea"])["mystery-tape--sidea"]

    assert track_facts(entry, ["mood", "era", "tempo", "popularity", "mood"]) == ("mood Happy, Groovy", "era 1982", "tempo 119")
    assert track_facts(bare, ["mood", "era", "region"]) == ()


@pytest.mark.parametrize(
    "text",
    [
        "Songs for the night",
        "2 tracks",
        "20 songs of the 80s",
        "20 songs of the 1980s",
        "from 1982 and 2021",
        "42 % of them are from Iceland",
        "Widened to the Nordic countries after 7",
        "With “Sólstöður” and “1999” by Prince",
        "“Kælan Mikla”, «Prince»",
        "类似 Prince 的歌：《1999》",
        "Like Prince in the eighties, don't worry",
        "",
    ],
)
def test_what_the_contract_holds_is_no_violation(contract: ReplyContract, text: str) -> None:
    """The request's own words, counts, years, shares, titles and artists of the contract pass."""
    assert violations(text, contract, ["Prince", "Kælan Mikla"]) == []


@pytest.mark.parametrize(
    ("text", "names", "found"),
    [
        ("3 tracks", (), ["the number 3"]),
        ("from 1983", (), ["the number 1983"]),
        ("the 1970s and 1990s", (), ["the number 1970", "the number 1990"]),
        ("19 of them", (), ["the number 19"]),
        ("With “Purple Rain”", (), ['"Purple Rain"']),
        ("「晴天」", (), ['"晴天"']),
        ("《七里香》", (), ['"七里香"']),
        ("Like Joy Division", ("Joy Division",), ["the name Joy Division"]),
        ("see t2", (), ["the internal number t2"]),
        ("as in c14 and e3", (), ["the number 14", "the number 3", "the internal number c14", "the internal number e3"]),
        ("https://example.com", (), ["a web address"]),
        ("WWW.example.com", (), ["a web address"]),
        ("9 and 9 and 9", (), ["the number 9"]),
    ],
)
def test_what_the_contract_does_not_hold_is_named(
    contract: ReplyContract, text: str, names: tuple[str, ...], found: list[str]
) -> None:
    """Each invention is told by kind and in its own words, once."""
    told = violations(text, contract, names)

    assert told == found


def test_part_of_a_name_is_not_the_name(contract: ReplyContract) -> None:
    """An artist whose name is part of a word of the contract is still an invention."""
    assert violations("Like Rinc", contract, ["Rinc"]) == ["the name Rinc"]
    assert violations("Like Kaelan", contract, ["Kaelan Mikl"]) == ["the name Kaelan Mikl"]
