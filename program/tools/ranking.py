"""Ranks the candidates over transparent features and chooses the N tracks of the answer.

What was asked decides first, by hand-set weights. Among tracks that hold what was asked equally well, a learned ranker (where
the catalog has one) and the listener's taste may change the order; neither moves a track past one that holds more of it.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence

from data.catalog.schema import USUAL_SECONDS, Track
from data.contracts import Candidate, Constraint, Intent
from program.index.gather import album_id
from program.index.protocol import TrackEntry
from program.settings import ExecuteSettings
from program.tools.weights import AFFINITY, HAND_SET, Weights


def features(candidate: Candidate, entry: TrackEntry, top_score: float, original: Sequence[Constraint]) -> dict[str, float]:
    """Each feature 0..1: fused relevance, share of the original constraints held, popularity, being the original version."""
    held = [candidate.satisfies.get(constraint.constraint_id) == "yes" for constraint in original]
    return {
        "relevance": candidate.score / top_score if top_score else 0.0,
        "constraints": sum(held) / len(held) if held else 1.0,
        "popularity": entry.popularity,
        "original": 1.0 if entry.track.version == "original" else 0.0,
    }


def rank(
    candidates: Sequence[Candidate], entries: Mapping[str, TrackEntry], intent: Intent, *, by_meaning: bool = False,
    weights: Weights = HAND_SET, affinity: Mapping[str, float] | None = None,
) -> list[Candidate]:  # fmt: skip
    """Candidates by weighted features, best first, with the features on them; ties by track id. An own set keeps its order.

    Args:
        by_meaning: the candidates were found by meaning alone, so fame counts little.
        weights: of a learned ranker, for the order among equals.
        affinity: how near each track is to the listener's taste, 0..1, by track id; None without a listener.
    """
    if intent.personal != "none":
        return sorted(candidates, key=lambda candidate: (-candidate.score, candidate.track_id))
    places = _places(candidates, entries, intent)
    ranked = _by_hand(_featured(candidates, entries, intent, affinity), places, by_meaning=by_meaning)
    if affinity is None and weights is HAND_SET:
        return ranked
    chosen = weights.of(by_meaning=by_meaning)
    return _among_equals(ranked, places, lambda candidate: total(candidate, chosen))


def feature_means(candidates: Sequence[Candidate]) -> dict[str, float]:
    """The mean of each feature over ranked candidates."""
    names = candidates[0].features if candidates else ()
    return {name: sum(one.features.get(name, 0.0) for one in candidates) / len(candidates) for name in names}


def lifted(candidate: Candidate, means: Mapping[str, float], weights: Mapping[str, float]) -> dict[str, float]:
    """How much each feature moved a track up against the mean, the strongest first; only what moved it up."""
    gains = {name: weights.get(name, 0.0) * (value - means.get(name, 0.0)) for name, value in candidate.features.items()}
    return dict(sorted(((name, gain) for name, gain in gains.items() if gain > 0), key=lambda one: (-one[1], one[0])))


def total(candidate: Candidate, weights: Mapping[str, float]) -> float:
    """The weighted sum of a candidate's features; a feature without a weight counts nothing."""
    return sum(weights.get(name, 0.0) * value for name, value in candidate.features.items())


def _featured(
    candidates: Sequence[Candidate], entries: Mapping[str, TrackEntry], intent: Intent, affinity: Mapping[str, float] | None
) -> list[Candidate]:
    wanted = {entity.entity_id for entity in intent.by_role("target") if entity.entity_type == "artist"}
    top = max((candidate.score for candidate in candidates), default=0.0)
    found = []
    for candidate in candidates:
        entry = entries[candidate.track_id]
        values = features(candidate, entry, top, intent.constraints)
        values["lead"] = 1.0 if entry.track.artists[0].artist_id in wanted else 0.0
        if affinity is not None:
            values[AFFINITY] = affinity.get(candidate.track_id, 0.0)
        found.append(candidate.model_copy(update={"features": values}))
    return found


def _by_hand(candidates: list[Candidate], places: Mapping[str, tuple[int, int]], *, by_meaning: bool) -> list[Candidate]:
    chosen = HAND_SET.without(AFFINITY).of(by_meaning=by_meaning)
    order = {one.track_id: (*places[one.track_id], -total(one, chosen)) for one in candidates}
    return sorted(candidates, key=lambda candidate: (order[candidate.track_id], candidate.track_id))


def _places(candidates: Sequence[Candidate], entries: Mapping[str, TrackEntry], intent: Intent) -> dict[str, tuple[int, int]]:
    """Named tracks in the order in which they are named, remembered words by nearness; the newest first where asked for."""
    asked = {entity.entity_id: place for place, entity in enumerate(intent.by_role("target")) if entity.entity_type == "track"}

    def year(candidate: Candidate) -> int:
        track = entries[candidate.track_id].track
        return (track.release_year or track.year or 0) if intent.order == "newest" else 0

    def place(candidate: Candidate) -> int:
        if intent.kind == "lyric":
            return candidate.route_ranks.get("lyric_search", len(candidates))  # the nearest words first, whoever sings them
        return asked.get(candidate.track_id, len(asked))

    return {one.track_id: (place(one), -year(one)) for one in candidates}


def _among_equals(
    ranked: list[Candidate], places: Mapping[str, tuple[int, int]], score: Callable[[Candidate], float]
) -> list[Candidate]:
    """`ranked` with the tracks that hold what was asked equally well in the order of `score`, on the places they had."""

    def tier(candidate: Candidate) -> tuple[object, ...]:
        values = candidate.features
        return (*places[candidate.track_id], round(values["constraints"], 4), values["lead"])

    waiting: dict[tuple[object, ...], list[Candidate]] = defaultdict(list)
    for candidate in sorted(ranked, key=lambda one: (-score(one), one.track_id)):
        waiting[tier(candidate)].append(candidate)
    queues = {key: iter(group) for key, group in waiting.items()}
    return [next(queues[tier(candidate)]) for candidate in ranked]


def choose(
    ranked: Sequence[Candidate], entries: Mapping[str, TrackEntry], intent: Intent, settings: ExecuteSettings
) -> list[Candidate]:
    """The first `intent.size` candidates with one artist's share capped; the cap gives way when the list would be short.

    Where a playing time was asked for, the list ends when it is reached.
    """
    return _timed(_capped(ranked, entries, intent, settings), entries, intent.minutes)


def _in_turn(ranked: Sequence[Candidate], entries: Mapping[str, TrackEntry], intent: Intent) -> list[Candidate]:
    """The named artists and albums take turns, so that the one with most tracks does not fill the list.

    A track that is named itself stays first; one that belongs to none of the names comes last.
    """
    asked = {entity.entity_id for entity in intent.by_role("target") if entity.entity_type == "track"}
    taken = {entity.entity_id: 0 for entity in intent.by_role("target") if entity.entity_type != "track"}
    turns: dict[str, float] = {}
    for candidate in ranked:
        owners = sorted(_owners(entries[candidate.track_id].track) & taken.keys(), key=lambda owner: (taken[owner], owner))
        if candidate.track_id in asked:
            turns[candidate.track_id] = -1
        else:
            turns[candidate.track_id] = taken[owners[0]] if owners else math.inf
        if owners:
            taken[owners[0]] += 1
    return sorted(ranked, key=lambda candidate: turns[candidate.track_id])


def _owners(track: Track) -> set[str]:
    """Ids of the artists and the album that a track belongs to."""
    owners = {credit.artist_id for credit in track.artists}
    return owners | {album_id(track.artists[0].artist_id, track.album)} if track.album else owners


def _timed(chosen: list[Candidate], entries: Mapping[str, TrackEntry], minutes: int | None) -> list[Candidate]:
    if minutes is None:
        return chosen
    kept: list[Candidate] = []
    left = minutes * 60.0
    for candidate in chosen:
        if left <= 0:
            break
        left -= entries[candidate.track_id].track.duration_s or USUAL_SECONDS
        kept.append(candidate)
    return kept


def _capped(
    ranked: Sequence[Candidate], entries: Mapping[str, TrackEntry], intent: Intent, settings: ExecuteSettings
) -> list[Candidate]:
    size = intent.size
    if intent.personal != "none":
        return list(ranked[:size])
    if any(entity.entity_type != "track" for entity in intent.by_role("target")):
        return list(ranked[:size]) if intent.order == "newest" else _in_turn(ranked, entries, intent)[:size]
    cap = max(1, math.ceil(settings.max_share_per_artist * size))
    chosen: list[Candidate] = []
    held_back: list[Candidate] = []
    per_artist: Counter[str] = Counter()
    for candidate in ranked:
        artist = entries[candidate.track_id].track.artists[0].artist_id
        if per_artist[artist] < cap and len(chosen) < size:
            per_artist[artist] += 1
            chosen.append(candidate)
        else:
            held_back.append(candidate)
    kept = {candidate.track_id for candidate in [*chosen, *held_back[: size - len(chosen)]]}
    return [candidate for candidate in ranked if candidate.track_id in kept]
