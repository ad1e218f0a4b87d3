from __future__ import annotations

import time
from typing import Any

import dspy
import pytest

from data.contracts import Constraint, Intent, Plan, Playlist, ToolArgs, ToolCall, ToolName
from data.errors import ToolFailedError
from program.graph import Melo
from program.grounding.guards import GuardInput, apply_guards
from program.index.engine import EmbeddedIndex
from program.index.filters import accepts
from program.nodes.execute import ExecuteNode
from program.settings import (
    ExecuteSettings,
    GuardSwitches,
    LMSettings,
    RequestLimits,
    RetrySettings,
    Settings,
)
from program.tools.protocol import Tool, ToolContext
from tests.scripted import DeadEngine, dead_lm
from tests.sessions import (
    BrokenStore,
    KeptStore,
    asked,
    entity,
    melo,
    number_of,
    reading,
    scripted,
    verdict,
    words,
)

THIN = "niche Icelandic post-punk"
CLOSING = words("Icelandic post-punk", "Niche post-punk music from Iceland.")
STATUSES = {
    "Africa by Toto": "ok",
    "songs by Metallica": "ok",
    "post-punk": "ok",
    "songs like Africa": "ok",
    THIN: "partial",
    "Hello": "clarify",
    "play Xanthorpe Dreaming": "not_found",
    "my liked songs": "not_found",
    "": "refused",
    "\x00": "refused",
    "x" * 2001: "refused",
}


def _answer(
    index: EmbeddedIndex, text: str, lm: dspy.BaseLM | None = None, settings: Settings | None = None, **kwargs: Any
) -> Any:
    """The prediction of a fresh program."""
    return melo(index, lm, settings, **kwargs)(request=text)


def _ids(playlist: Playlist) -> list[str]:
    return [track.track_id for track in playlist.tracks]


def _states(playlist: Playlist) -> dict[str, str]:
    return {entry.facet: entry.state for entry in playlist.ledger}


class _Dead:
    """A tool whose index is gone."""

    card = "dead"

    def __init__(self, name: ToolName) -> None:
        self.name = name

    def eligible(self, intent: Intent) -> bool:
        """Always."""
        return True

    def run(self, args: ToolArgs, context: ToolContext) -> list[str]:
        """Fail."""
        raise ToolFailedError("index gone")


@pytest.fixture
def without_tools(tiny_index: EmbeddedIndex) -> Melo:
    """The LM-free program with every tool dead."""
    program = melo(tiny_index)
    names: tuple[ToolName, ...] = ("catalog_search", "similar_tracks", "semantic_recall")
    tools: dict[ToolName, Tool] = {name: _Dead(name) for name in names}
    program._execute = ExecuteNode(tools)
    return program


# -- the way through the graph -------------------------------------------------------------------------------------------

SEQUENCES = {
    "Africa by Toto": "understand plan execute reflect synthesize",
    "post-punk": "understand plan execute reflect synthesize",
    THIN: "understand plan execute reflect plan execute reflect synthesize",
    "Hello": "understand",
    "play Xanthorpe Dreaming": "understand",
    "my liked songs": "understand",
    "": "",
}


@pytest.mark.parametrize(("text", "sequence"), SEQUENCES.items(), ids=[text or "empty" for text in SEQUENCES])
def test_nodes_run_in_the_fixed_order(tiny_index: EmbeddedIndex, text: str, sequence: str) -> None:
    """Each kind of request takes its way through the five nodes; the only way back is from REFLECT to PLAN."""
    seen: list[str] = []
    store = KeptStore()
    prediction = _answer(tiny_index, text, progress=seen.append, store=store)
    recorded = [artifact.node for artifact in store.artifacts if artifact.node != "tool"]

    assert seen == sequence.split()
    assert recorded == [*(["request"] if seen else []), *seen, "playlist"]
    assert set(prediction.playlist.timings_ms) == {*seen, "total"}


@pytest.mark.parametrize("rounds", [0, 1, 2])
def test_the_way_back_is_taken_at_most_as_often_as_set(tiny_index: EmbeddedIndex, rounds: int) -> None:
    """A request that can never be met goes round as often as the setting allows, and the plan says which round it is."""
    seen: list[str] = []
    settings = Settings(retry=RetrySettings(max_rounds=rounds, max_applied=1))
    program = melo(tiny_index, settings=settings, progress=seen.append)
    prediction = program(request="100 songs of niche Icelandic post-punk from the 80s", n=100)

    assert seen == ["understand", *["plan", "execute", "reflect"] * (rounds + 1), "synthesize"]
    assert prediction.plan.round == rounds
    assert {entry.round for entry in prediction.playlist.ledger} <= set(range(rounds + 1))
    assert rounds in {entry.round for entry in prediction.playlist.ledger} | {0}


def test_two_rounds_with_an_lm(tiny_index: EmbeddedIndex) -> None:
    """Over two rounds the model is asked by the same nodes again, with what became of the first round."""
    lm, engine = scripted(
        [
            ("plan", lambda prompt: {"routes": [number_of(prompt, "exact search")]}),
            ("reflect", "unreadable"),
            ("synthesize", words("Northern things", "Niche post-punk music from Iceland and nearby.")),
        ]
    )
    settings = Settings(retry=RetrySettings(max_applied=1))
    seen: list[str] = []
    program = melo(tiny_index, lm, settings, progress=seen.append)
    playlist = program(request="niche Icelandic post-punk from the 80s", n=100).playlist
    plans = [prompt for prompt in engine.prompts if prompt.node == "plan"]

    assert seen.count("reflect") == 3
    assert len(plans) == 2
    assert "hint: none" not in plans[0].last
    assert plans[0].last != plans[1].last
    assert playlist.status == "partial"
    assert playlist.tracks


# -- statuses ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "status"), STATUSES.items(), ids=[text[:30].replace("\x00", "NUL") or "empty" for text in STATUSES]
)
def test_status(tiny_index: EmbeddedIndex, text: str, status: str) -> None:
    """Each kind of request ends with its status, and what belongs to a status is there and nothing else."""
    playlist = _answer(tiny_index, text).playlist

    assert playlist.status == status
    assert bool(playlist.tracks) is (status in ("ok", "partial"))
    assert (playlist.clarification is not None) is (status == "clarify")
    assert bool(playlist.message) or status in ("ok", "partial")
    assert bool(playlist.title) is bool(playlist.tracks)
    assert len(playlist.trace_id) == 16
    assert playlist.path == "shortcut"


@pytest.mark.parametrize("text", ["post-punk", THIN, "Africa by Toto", "songs like Africa", "rain on a window"])
def test_failed_when_no_tool_answers(without_tools: Melo, text: str) -> None:
    """Without any tool the answer owns up to the fault, on an empty list, and does not say the catalog is empty."""
    playlist = without_tools(request=text).playlist

    assert playlist.status == "failed"
    assert playlist.tracks == ()
    assert "our fault" in playlist.message


def test_one_dead_tool_does_not_fail_the_answer(tiny_index: EmbeddedIndex) -> None:
    """With one of two tools dead the answer is as good as the other tool's tracks."""
    program = melo(tiny_index)
    whole = program(request="post-punk").playlist
    tools = dict(program._execute._tools) | {"semantic_recall": _Dead("semantic_recall")}
    program._execute = ExecuteNode(tools)
    playlist = program(request="post-punk").playlist

    assert (playlist.status, len(playlist.tracks)) == ("ok", len(whole.tracks))


def test_clarify_offers_what_tells_them_apart(tiny_index: EmbeddedIndex) -> None:
    """Two equally likely tracks of one name become a question with both, artist and year on each."""
    clarification = _answer(tiny_index, "Hello").playlist.clarification
    assert clarification is not None

    assert {option.entity_id for option in clarification.options} == {"adele--hello", "lionel-richie--hello"}
    assert all(part in clarification.options[0].label + clarification.options[1].label for part in ("Adele", "2015", "1983"))
    assert "Hello" in clarification.question


def test_not_found_names_what_is_missing(tiny_index: EmbeddedIndex) -> None:
    """An absent name is repeated in the message and nothing is played instead."""
    playlist = _answer(tiny_index, "play Xanthorpe Dreaming").playlist

    assert "Xanthorpe Dreaming" in playlist.message
    assert playlist.ledger == ()


@pytest.mark.parametrize("n", [1, 3, 100])
def test_the_number_asked_for_is_kept(tiny_index: EmbeddedIndex, n: int) -> None:
    """No answer is longer than asked; fewer than asked is partial."""
    playlist = melo(tiny_index)(request="post-punk", n=n).playlist

    assert len(playlist.tracks) <= n
    assert (playlist.status == "ok") is (len(playlist.tracks) == n and set(_states(playlist).values()) == {"kept"})


@pytest.mark.parametrize("n", [0, -1, 1000])
def test_a_number_out_of_range_is_refused(tiny_index: EmbeddedIndex, n: int) -> None:
    """A number of tracks that no intent may have is bad input and told as such."""
    playlist = melo(tiny_index)(request="post-punk", n=n).playlist

    assert playlist.status == "refused"


def test_a_short_but_whole_answer_is_ok(tiny_index: EmbeddedIndex) -> None:
    """All of an artist is a whole answer however short; the same few tracks under a condition are partial and told."""
    whole = _answer(tiny_index, "songs by Moby").playlist
    settings = Settings(retry=RetrySettings(enabled=False))
    part = _answer(tiny_index, THIN, settings=settings).playlist

    assert (whole.status, len(whole.tracks)) == ("ok", 3)
    assert (part.status, len(part.tracks)) == ("partial", 6)
    assert "6" in part.message


def test_chinese_answers_speak_chinese(tiny_index: EmbeddedIndex) -> None:
    """A Chinese request gets its question, its messages and its words in Chinese."""
    found = _answer(tiny_index, "放点周杰伦的歌").playlist
    absent = _answer(tiny_index, "播放“不存在的歌名甲乙丙”").playlist

    assert found.status == "ok"
    assert found.description.startswith("来自曲库的")
    assert absent.status == "not_found"
    assert absent.message.startswith("曲库里没有")


# -- what every answer holds ---------------------------------------------------------------------------------------------

TEXTS = [
    *(text for text, status in STATUSES.items() if status in ("ok", "partial")),
    "sad piano songs", "happy party songs, no Queen", "rock but no pop", "something by The Beatles", "晴天", "90s city pop",
]  # fmt: skip


@pytest.mark.parametrize("text", TEXTS)
def test_every_track_is_of_the_catalog(tiny_index: EmbeddedIndex, text: str) -> None:
    """Ids, titles, artists and years are the record's, no track comes twice, none is unplayable."""
    playlist = _answer(tiny_index, text).playlist
    records = tiny_index.by_ids(_ids(playlist))

    assert playlist.tracks
    assert len(set(_ids(playlist))) == len(playlist.tracks)
    for track in playlist.tracks:
        record = records[track.track_id].track
        assert record.playable
        assert (track.title, track.year, track.album) == (record.title, record.year, record.album)
        assert track.artists == tuple(credit.name for credit in record.artists)


@pytest.mark.parametrize("text", TEXTS)
def test_nothing_is_relaxed_without_an_entry(tiny_index: EmbeddedIndex, text: str) -> None:
    """Each constraint of the intent is in the ledger; one that the last plan no longer holds as asked is not called kept."""
    prediction = _answer(tiny_index, text)
    entries = {entry.constraint_id: entry for entry in prediction.playlist.ledger}
    planned = {c.constraint_id: c for c in prediction.plan.routes[0].args.constraints}

    assert list(entries) == [c.constraint_id for c in prediction.intent.constraints]
    for constraint in prediction.intent.constraints:
        assert (entries[constraint.constraint_id].state == "kept") is (planned.get(constraint.constraint_id) == constraint)
    if any(entry.state != "kept" for entry in entries.values()):
        assert prediction.playlist.status == "partial"


@pytest.mark.parametrize("text", TEXTS)
def test_an_answer_is_the_same_each_time(tiny_index: EmbeddedIndex, text: str) -> None:
    """Without an LM two programs give the same tracks, words and ledger."""
    one, other = (_answer(tiny_index, text).playlist for _ in range(2))
    own = {"trace_id", "timings_ms"}

    assert one.model_dump(exclude=own) == other.model_dump(exclude=own)


def test_exclusions_hold_through_retries(tiny_index: EmbeddedIndex) -> None:
    """However far a request is loosened, what it excludes never comes back."""
    prediction = _answer(tiny_index, "niche post-punk from Iceland, no gothic rock, no Iceage")
    records = tiny_index.by_ids(_ids(prediction.playlist))

    assert prediction.plan.round > 0
    assert prediction.playlist.tracks
    assert all("gothic-rock" not in entry.track.genres for entry in records.values())
    assert all(entry.track.artists[0].artist_id != "iceage" for entry in records.values())


@pytest.mark.parametrize(
    ("text", "banned"),
    [
        pytest.param("songs by The Beatles except Yesterday", "the-beatles--yesterday", id="except"),
        pytest.param("Moby but not Porcelain", "moby--porcelain", id="but not"),
        pytest.param("songs by Siouxsie and the Banshees but not from Juju", "siouxsie--spellbound", id="an album"),
        pytest.param("something by Moby, no Porcelain", "moby--porcelain", id="no"),
        pytest.param("songs by Moby but not from Play", "moby--honey", id="an everyday album"),
    ],
)
def test_an_excluded_title_of_an_artist_stays_out(tiny_index: EmbeddedIndex, text: str, banned: str) -> None:
    """Of an artist's tracks those that the request excludes never come back."""
    assert banned not in _ids(_answer(tiny_index, text).playlist)


def test_the_version_asked_for_is_played(tiny_index: EmbeddedIndex) -> None:
    """A live version that the catalog holds is what a request for it gets."""
    assert _ids(_answer(tiny_index, "live version of Running Up That Hill").playlist) == ["kate-bush--runningupthathilllive"]


@pytest.mark.parametrize("text", ["mongolian reggae", "kazakh music", "swahili gospel", "sad kazakh polka"])
def test_never_a_popular_list_in_place_of_what_was_asked(tiny_index: EmbeddedIndex, text: str) -> None:
    """However little the catalog holds of it, one condition of the request, as asked or widened, holds for every track."""
    prediction = _answer(tiny_index, text)
    kept = [c for c in prediction.plan.routes[0].args.constraints if c.op != "not"]

    assert kept
    assert all(
        any(accepts(entry.track, entry.popularity, constraint) for constraint in kept)
        for entry in tiny_index.by_ids(_ids(prediction.playlist)).values()
    )


# -- LMs that do not answer, and budgets ---------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["Africa by Toto", "songs by Metallica", "晴天", "Hello", "my liked songs", ""])
def test_no_lm_call_on_the_shortcut_path(tiny_index: EmbeddedIndex, text: str) -> None:
    """What code can decide costs no call, no tokens and no money, with a model at hand."""
    lm, engine = scripted([])
    playlist = _answer(tiny_index, text, lm).playlist

    assert engine.prompts == []
    assert playlist.usage == {}
    assert playlist.path == "shortcut"


def test_usage_is_told_by_node(tiny_index: EmbeddedIndex) -> None:
    """An answer in a model's words says which nodes asked how often, and that it took the long path."""
    lm, engine = scripted([("synthesize", words("Post-punk list", "A list of post-punk songs from the catalog."))])
    playlist = _answer(tiny_index, "post-punk", lm).playlist

    assert asked(engine) == ["synthesize"]
    assert {node: usage.calls for node, usage in playlist.usage.items()} == {"synthesize": 1}
    assert playlist.usage["synthesize"].prompt_tokens > 0
    assert playlist.path == "lm"
    assert playlist.title == "Post-punk list"


@pytest.mark.parametrize("text", [THIN, "post-punk", "smells of asphalt and Africa", "Africa by Toto"])
def test_a_dead_lm_costs_one_try_and_no_track(tiny_index: EmbeddedIndex, text: str) -> None:
    """The answer is code's, with a typed fallback; the dead server is tried once in a session, whoever asks."""
    lm = dead_lm()
    engine: DeadEngine = lm.engine
    playlist = _answer(tiny_index, text, lm).playlist
    by_code = _answer(tiny_index, text).playlist

    assert engine.calls == (0 if text == "Africa by Toto" else 1)
    assert _ids(playlist) == _ids(by_code)
    assert (playlist.status, playlist.title, playlist.description) == (by_code.status, by_code.title, by_code.description)
    assert {fault.kind for fault in playlist.fallback} <= {"infrastructure"}
    assert bool(playlist.fallback) is bool(engine.calls)


def test_a_dead_lm_is_tried_again_in_the_next_session(tiny_index: EmbeddedIndex) -> None:
    """That a server was down is remembered for one session only."""
    lm = dead_lm()
    program = melo(tiny_index, lm)
    for _ in range(2):
        program(request="post-punk")

    assert lm.engine.calls == 2


@pytest.mark.parametrize(
    ("budget", "code", "calls"),
    [({"max_calls": 0}, "calls", 0), ({"max_calls": 1}, "calls", 1), ({"max_tokens": 0}, "tokens", 0)],
    ids=["no call", "one call", "no token"],
)
def test_a_spent_budget_is_a_typed_fallback(tiny_index: EmbeddedIndex, budget: dict[str, int], code: str, calls: int) -> None:
    """When calls or tokens run out the rest is done by code, and the answer says so."""
    rules = [("reflect", lambda prompt: verdict("retry_relaxed", number_of(prompt, "Iceland", "to Europe")))]
    lm, engine = scripted(rules)
    playlist = _answer(tiny_index, THIN, lm, Settings(lm=LMSettings.model_validate(budget))).playlist

    assert len(engine.prompts) == calls
    assert playlist.status == "partial"
    assert len(playlist.tracks) == 20
    assert {(fault.kind, fault.code) for fault in playlist.fallback} == {("budget", code)}


def test_spent_seconds_are_a_typed_fallback(tiny_index: EmbeddedIndex) -> None:
    """Once a call has taken longer than the session may wait, no further call is made."""

    def slow(prompt: str) -> dict[str, Any]:
        time.sleep(0.02)
        return verdict("retry_relaxed", number_of(prompt, "Iceland", "to Europe"))

    lm, engine = scripted([("reflect", slow)])
    playlist = _answer(tiny_index, THIN, lm, Settings(lm=LMSettings(max_seconds=0.01))).playlist

    assert len(engine.prompts) == 1
    assert len(playlist.tracks) == 20
    assert {(fault.kind, fault.code) for fault in playlist.fallback} == {("budget", "seconds")}


@pytest.mark.parametrize("text", ["Africa by Toto", THIN, "Hello", ""])
def test_a_broken_store_takes_nothing_with_it(tiny_index: EmbeddedIndex, text: str) -> None:
    """When the trace cannot be kept the answer is the same, with a note."""
    kept = _answer(tiny_index, text, store=KeptStore()).playlist
    lost = _answer(tiny_index, text, store=BrokenStore()).playlist
    own = {"trace_id", "timings_ms", "fallback"}

    assert lost.model_dump(exclude=own) == kept.model_dump(exclude=own)
    assert [(f.node, f.kind, f.code) for f in lost.fallback if f not in kept.fallback] == [("guard", "infrastructure", "store")]
    assert "disk is full" in lost.fallback[-1].message


def test_a_round_without_an_lm_has_no_assertions(tiny_index: EmbeddedIndex) -> None:
    """Only the verdict that came from a model carries the model's failed assertions."""
    lm, _ = scripted([("reflect", "unreadable"), ("plan", {"routes": ["t0"]}), ("synthesize", CLOSING)])
    store = KeptStore()
    _answer(tiny_index, THIN, lm, store=store)
    verdicts = [artifact for artifact in store.artifacts if artifact.node == "reflect"]

    assert [artifact.validation for artifact in verdicts] == ["failed", "passed"]
    assert verdicts[1].assertions == ()


# -- each switch switches ------------------------------------------------------------------------------------------------


def test_head_shortcut_switches(tiny_index: EmbeddedIndex) -> None:
    """Without the head shortcut a clear request costs a call."""
    lm, engine = scripted([("understand", reading("r0"))])
    playlist = _answer(tiny_index, "Africa by Toto", lm, Settings(head_shortcut=False)).playlist

    assert asked(engine) == ["understand"]
    assert playlist.path == "lm"
    assert _ids(playlist) == ["toto--africa"]


def test_retry_switches(tiny_index: EmbeddedIndex) -> None:
    """Without retry a thin request gets the few tracks that match and a ledger of kept constraints."""
    on = _answer(tiny_index, THIN).playlist
    off = _answer(tiny_index, THIN, settings=Settings(retry=RetrySettings(enabled=False))).playlist

    assert (len(on.tracks), len(off.tracks)) == (20, 6)
    assert set(_states(off).values()) == {"kept"}
    assert set(_states(on).values()) != {"kept"}


def test_guard_verb_prefix_switches(tiny_index: EmbeddedIndex) -> None:
    """With the guard the opening command is no album; without it the album called Play is searched for."""
    on = _answer(tiny_index, "Play by Moby")
    off = _answer(tiny_index, "Play by Moby", settings=Settings(guards=GuardSwitches(verb_prefix=False)))

    assert [e.entity_id for e in on.intent.by_role("target")] == ["moby"]
    assert [e.entity_id for e in off.intent.by_role("target")] == ["moby/play"]


def test_guard_negation_leak_switches() -> None:
    """With the guard a facet that is also excluded is not searched for; without it the calls carry both.

    Code's own reading never wants what is ruled out, a model's may.
    """
    wanted = Constraint(constraint_id="c0", facet="genre", op="is", values=("rock", "pop"), strength="core")
    banned = Constraint(constraint_id="c1", facet="genre", op="not", values=("pop",), strength="core")
    intent = Intent(kind="discover", constraints=(wanted, banned))
    plan = Plan(routes=(ToolCall(tool="catalog_search", args=ToolArgs(constraints=(wanted, banned))),))
    given = GuardInput(intent, plan, "rock or pop but no pop")
    on, hits = apply_guards(given, GuardSwitches().enabled)
    off, none = apply_guards(given, GuardSwitches(negation_leak=False).enabled)

    assert {hit.guard for hit in hits} == {"negation_leak"}
    assert none == ()
    searched = [[c.values for c in each.routes[0].args.constraints if c.op == "is"] for each in (on, off)]
    assert searched == [[("rock",)], [("rock", "pop")]]


def test_guard_unverified_id_switches() -> None:
    """With the guard an id that was never verified is taken out of a plan; without it the plan stands."""
    intent = Intent(kind="play", entities=(entity("artist", "toto"),))
    call = ToolCall(tool="catalog_search", args=ToolArgs(artist_ids=("toto", "metallica")))
    plan = Plan(routes=(call,))
    given = GuardInput(intent, plan, "songs by toto")
    on, hits = apply_guards(given, GuardSwitches().enabled)
    off, none = apply_guards(given, GuardSwitches(unverified_id=False).enabled)

    assert on.routes[0].args.artist_ids == ("toto",)
    assert [hit.target for hit in hits] == ["metallica"]
    assert off == plan
    assert none == ()


def _poor(prompt: str) -> str:
    """A change that adds next to nothing, and in the next round one that adds enough."""
    return number_of(prompt, "post-punk to rock" if "post-punk to rock" in prompt.casefold() else "to any")


ASSERTIONS: dict[str, list[tuple[str, Any]]] = {
    "covers_request": [
        ("understand", lambda p: reading(number_of(p, "discover", "region Africa"), drop=[number_of(p, '"Africa" = region')])),
    ],
    "name_in_request": [("understand", reading("r0", name="Michael Jackson"))],
    "changes_worthwhile": [("reflect", lambda p: verdict("retry_relaxed", _poor(p)))],
    "reply_closes": [("synthesize", words("Icelandic post-punk", "Niche post-punk music from Iceland, songs of 1066."))],
    "schema": [("synthesize", "no JSON at all")],
}  # fmt: skip
_GOOD: list[tuple[str, Any]] = [
    ("plan", lambda p: {"routes": [number_of(p, "exact search")]}),
    ("reflect", lambda p: verdict("retry_relaxed", number_of(p, "to any"))),
    ("synthesize", words("Music of the request", "A list of songs that match the request, and more.")),
]


@pytest.mark.parametrize("name", ASSERTIONS)
def test_assertions_switch(tiny_index: EmbeddedIndex, name: str) -> None:
    """A bad reply costs a correction and a fallback of that name; with the assertion off it costs neither."""
    text = "smells of asphalt and Africa" if ASSERTIONS[name][0][0] == "understand" else THIN
    node = ASSERTIONS[name][0][0]
    corrected, outcomes, faults = [], [], []
    for off in ((), (name,)):
        lm, engine = scripted([*ASSERTIONS[name], *_GOOD])
        store = KeptStore()
        playlist = _answer(tiny_index, text, lm, Settings(assertions_off=frozenset(off)), store=store).playlist
        corrected.append(any(prompt.node == node and "correction:" in prompt.last for prompt in engine.prompts))
        artifact = next(a for a in store.artifacts if a.node == node)
        outcomes.append({o.name: o.outcome for o in artifact.assertions}[name])
        faults.append({f.code for f in playlist.fallback if f.node == node})

    assert corrected == [True, False]
    assert outcomes == ["failed", "off"]
    assert name in faults[0]
    assert name == "schema" or name not in faults[1]


@pytest.mark.parametrize(
    ("text", "settings"),
    [
        ("post-punk", Settings(request=RequestLimits(max_chars=8))),
        ("post-punk", Settings(retry=RetrySettings(list_size=5))),
        ("post-punk", Settings(execute=ExecuteSettings(max_share_per_artist=0.05))),
        (THIN, Settings(retry=RetrySettings(tau_size=5.0))),
        (THIN, Settings(retry=RetrySettings(max_rounds=0))),
    ],
    ids=["max_chars", "list_size", "max_share_per_artist", "tau_size", "max_rounds"],
)
def test_numbers_change_the_answer(tiny_index: EmbeddedIndex, text: str, settings: Settings) -> None:
    """A number in the settings is used: another value gives another answer."""
    default, changed = _answer(tiny_index, text).playlist, _answer(tiny_index, text, settings=settings).playlist

    assert (changed.status, _ids(changed)) != (default.status, _ids(default))
