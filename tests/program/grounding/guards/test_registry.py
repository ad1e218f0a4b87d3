from __future__ import annotations

from typing import Any

import pytest

from data.contracts import Constraint, EntityRef, EntityType, Facet, Intent, Op, Plan, Role, ToolArgs, ToolCall, ToolName
from program.grounding.guards import GUARDS, GuardInput, apply_guards
from program.settings import GuardSwitches

ALL = frozenset(GUARDS)


def entity(identity: str, role: Role = "target", entity_type: EntityType = "artist") -> EntityRef:
    name = identity.rpartition("/")[2].title()
    return EntityRef(evidence_id="e0", entity_id=identity, entity_type=entity_type, name=name, role=role)


def constraint(facet: Facet, *values: str, op: Op = "is") -> Constraint:
    return Constraint(constraint_id="c0", facet=facet, op=op, values=values, strength="core", surface=values[0])


def intent(*entities: EntityRef, constraints: tuple[Constraint, ...] = ()) -> Intent:
    return Intent(kind="play", entities=entities, constraints=constraints)


def plan(*calls: ToolCall) -> Plan:
    return Plan(routes=calls)


def call(tool: ToolName = "catalog_search", **args: Any) -> ToolCall:
    return ToolCall(tool=tool, args=ToolArgs(**args))


DRAKE, PLAY, MUSE = entity("drake", "exclude"), entity("moby/play", entity_type="album"), entity("muse")
NO_JAZZ, NO_80S = constraint("genre", "jazz", "blues", op="not"), constraint("era", "1980s", op="not")
Case = tuple[str, Intent, Plan, list[str]]
CASES: dict[str, Case] = {
    # negation_leak fires: an excluded name or facet value is searched for
    "leak: artist": ("no Drake", intent(DRAKE), plan(call(artist_ids=("drake",))), ["negation_leak drake"]),
    "leak: track": (
        "not One",
        intent(entity("t1", "exclude", "track")),
        plan(call(track_ids=("t1", "t2"))),
        ["negation_leak t1", "unverified_id t2"],
    ),
    "leak: album": (
        "not Play",
        intent(entity("moby/play", "exclude", "album")),
        plan(call(album_ids=("moby/play",))),
        ["negation_leak moby/play"],
    ),
    "leak: recall": ("no Drake", intent(DRAKE), plan(call("semantic_recall", artist_ids=("drake",))), ["negation_leak drake"]),
    "leak: facet": (
        "no jazz",
        intent(constraints=(NO_JAZZ,)),
        plan(call(constraints=(constraint("genre", "rock", "jazz"),))),
        ["negation_leak genre:jazz"],
    ),
    "leak: second call": (
        "no Drake",
        intent(DRAKE, MUSE),
        plan(call(artist_ids=("muse",)), call("semantic_recall", artist_ids=("drake",))),
        ["negation_leak drake"],
    ),
    # and stays silent
    "no leak: excluded where it is left out": ("no Drake", intent(DRAKE), plan(call(exclude_artist_ids=("drake",))), []),
    "no leak: seed that is excluded from the answer": (
        "like Drake, not Drake",
        intent(entity("drake", "seed"), DRAKE),
        plan(call("similar_tracks", artist_ids=("drake",))),
        [],
    ),
    "no leak: the exclusion itself": ("no jazz", intent(constraints=(NO_JAZZ,)), plan(call(constraints=(NO_JAZZ,))), []),
    "no leak: another value": (
        "no jazz",
        intent(constraints=(NO_JAZZ,)),
        plan(call(constraints=(constraint("genre", "soul"),))),
        [],
    ),
    "no leak: the value in another facet": (
        "no 80s",
        intent(constraints=(NO_80S,)),
        plan(call(constraints=(constraint("mood", "1980s"),))),
        [],
    ),
    "no leak: a range": (
        "no 80s",
        intent(constraints=(NO_80S,)),
        plan(call(constraints=(constraint("era", "1980s", "", op="range"),))),
        [],
    ),
    # verb_prefix fires: the opening command word is searched for as a name
    "verb: album": ("play Muse", intent(PLAY, MUSE), plan(call(album_ids=("moby/play",))), ["verb_prefix moby/play"]),
    "verb: seed": (
        "play something",
        intent(entity("moby/play", "seed", "album")),
        plan(call("similar_tracks", album_ids=("moby/play",))),
        ["verb_prefix moby/play"],
    ),
    "verb: chinese": ("听 周杰伦", intent(entity("听")), plan(call(artist_ids=("听",))), ["verb_prefix 听"]),
    # and stays silent
    "no verb: the name is said again": ("play Play", intent(PLAY), plan(call(album_ids=("moby/play",))), []),
    "no verb: the name alone": ("play", intent(PLAY), plan(call(album_ids=("moby/play",))), []),
    "no verb: no command": ("moby play", intent(PLAY), plan(call(album_ids=("moby/play",))), []),
    "no verb: not searched for": ("play Muse", intent(PLAY, MUSE), plan(call(artist_ids=("muse",))), []),
    "no verb: context": (
        "play Muse",
        intent(entity("moby/play", "context", "album"), MUSE),
        plan(call(artist_ids=("muse",))),
        [],
    ),
    # unverified_id fires: an id that no look-up of this request returned
    "unverified: artist": ("Muse", intent(MUSE), plan(call(artist_ids=("muse", "made-up"))), ["unverified_id made-up"]),
    "unverified: each once a call": (
        "Muse",
        intent(),
        plan(call(track_ids=("b", "a")), call(album_ids=("c",))),
        ["unverified_id a", "unverified_id b", "unverified_id c"],
    ),
    # and stays silent
    "verified": ("Muse", intent(MUSE), plan(call(artist_ids=("muse",))), []),
    "verified: context": ("Muse", intent(entity("muse", "context")), plan(call(artist_ids=("muse",))), []),
    "no ids": ("jazz", intent(), plan(call(constraints=(constraint("genre", "jazz"),))), []),
    "no routes": ("Muse", intent(MUSE), plan(), []),
}


@pytest.mark.parametrize("name", CASES)
def test_guards(name: str) -> None:
    """Each guard fires on what it guards against, names it, and stays silent on its near misses."""
    request, understood, planned, expected = CASES[name]
    _, hits = apply_guards(GuardInput(understood, planned, request), ALL)

    assert [f"{hit.guard} {hit.target}" for hit in hits] == expected
    assert all(hit.remedy == "drop" and hit.message for hit in hits)


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case[3]])
def test_what_is_hit_is_dropped(name: str) -> None:
    """After the guards nothing that they hit is searched for, and a second look finds no more."""
    request, understood, planned, _ = CASES[name]
    cleaned, hits = apply_guards(GuardInput(understood, planned, request), ALL)
    ids = {i for route in cleaned.routes for i in (*route.args.track_ids, *route.args.artist_ids, *route.args.album_ids)}

    assert not ids & {hit.target for hit in hits}
    assert apply_guards(GuardInput(understood, cleaned, request), ALL) == (cleaned, ())


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if not case[3]])
def test_what_is_not_hit_is_kept(name: str) -> None:
    """A plan that no guard hits is handed back as it is."""
    request, understood, planned, _ = CASES[name]

    assert apply_guards(GuardInput(understood, planned, request), ALL)[0] is planned


@pytest.mark.parametrize("guard", ["negation_leak", "unverified_id", "verb_prefix"])
def test_switches(guard: str) -> None:
    """Without its switch a guard's hits are gone, and so is what it did to the plan."""
    without = GuardSwitches.model_validate({guard: False}).enabled
    fired = 0
    for request, understood, planned, expected in CASES.values():
        kept = [hit for hit in expected if not hit.startswith(guard)]
        changed, hits = apply_guards(GuardInput(understood, planned, request), without)
        assert [f"{hit.guard} {hit.target}" for hit in hits] == kept
        assert kept or changed is planned
        fired += len(expected) - len(kept)

    assert GuardSwitches().enabled == ALL
    assert fired >= 2


def test_a_route_without_ids_left_is_removed() -> None:
    """A route that searched for nothing but what was dropped goes; the others stay with what they have left."""
    planned = plan(call(artist_ids=("drake",)), call("semantic_recall", artist_ids=("drake", "muse")), call(query="calm"))
    cleaned, _ = apply_guards(GuardInput(intent(DRAKE, MUSE), planned, "Muse, no Drake"), ALL)

    assert [route.args.artist_ids for route in cleaned.routes] == [("muse",), ()]
    assert cleaned.routes[1].args.query == "calm"


def test_a_leaked_facet_takes_its_constraint_along() -> None:
    """The positive constraint that leaks goes; the exclusion and the other constraints stay."""
    calm = constraint("mood", "calm")
    planned = plan(call(constraints=(constraint("genre", "jazz"), calm, NO_JAZZ)))
    cleaned, _ = apply_guards(GuardInput(intent(constraints=(NO_JAZZ, calm)), planned, "calm, no jazz"), ALL)

    assert cleaned.routes[0].args.constraints == (calm, NO_JAZZ)


def test_a_leak_in_one_facet_spares_another() -> None:
    """Christmas music for Christmas: `christmas` is a genre and an occasion, and only the excluded one is dropped."""
    no_carols = constraint("genre", "christmas", op="not")
    occasion = constraint("activity", "christmas")
    planned = plan(call(constraints=(constraint("genre", "christmas"), occasion)))
    cleaned, _ = apply_guards(GuardInput(intent(constraints=(no_carols, occasion)), planned, "christmas, no carols"), ALL)

    assert cleaned.routes[0].args.constraints == (occasion,)


def test_a_route_without_constraints_left_is_removed() -> None:
    """A search that loses all it searched for would return what is popular: it must not run."""
    planned = plan(call(constraints=(constraint("genre", "jazz"),)))

    assert apply_guards(GuardInput(intent(constraints=(NO_JAZZ,)), planned, "no jazz"), ALL)[0].routes == ()


@pytest.mark.parametrize("name", ["leak: artist", "leak: facet", "verb: album", "unverified: artist"])
def test_pure(name: str) -> None:
    """A guard looks and tells; it changes nothing and tells the same twice."""
    request, understood, planned, _ = CASES[name]
    given = GuardInput(understood, planned, request)
    before = planned.model_dump_json()

    assert [guard(given) for guard in GUARDS.values()] == [guard(given) for guard in GUARDS.values()]
    assert planned.model_dump_json() == before
