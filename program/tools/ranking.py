"""Ranks the candidates over transparent features and chooses the N tracks of the answer."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

from data.catalog.schema import USUAL_SECONDS, Track
from data.contracts import Candidate, Constraint, Intent
from program.index.gather import album_id
from program.index.protocol import TrackEntry
from program.settings import ExecuteSettings

WEIGHTS = {"relevance": 1.0, "constraints": 2.5, "popularity": 0.35, "original": 0.3, "lead": 0.3}
"""Hand-set weights of the features, each 0..1 (own choice; a learned ranker may replace them)."""
BY_MEANING = WEIGHTS | {"popularity": 0.1}
"""For requests that name no facet: being near counts, being famous hardly does."""


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
    candidates: Sequence[Candidate], entries: Mapping[str, TrackEntry], intent: Intent, *, by_meaning: bool = False
) -> list[Candidate]:
    """Candidates by weighted features, best first; ties by track id.

    Args:
        by_meaning: the candidates were found by meaning alone, so fame counts little.
    """
    weights = BY_MEANING if by_meaning else WEIGHTS
    asked = {entity.entity_id: place for place, entity in enumerate(intent.by_role("target")) if entity.entity_type == "track"}
    wanted = {entity.entity_id for entity in intent.by_role("target") if entity.entity_type == "artist"}
    top = max((candidate.score for candidate in candidates), default=0.0)
    scored = []
    for candidate in candidates:
        values = features(candidate, entries[candidate.track_id], top, intent.constraints)
        values["lead"] = 1.0 if entries[candidate.track_id].track.artists[0].artist_id in wanted else 0.0
        total = sum(weights[name] * value for name, value in values.items())
        newest = entries[candidate.track_id].track if intent.order == "newest" else None
        year = (newest.release_year or newest.year or 0) if newest else 0
        place = asked.get(candidate.track_id, len(asked))  # named tracks in the order in which they are named
        if intent.kind == "lyric":
            place = candidate.route_ranks.get("lyric_search", len(candidates))  # the nearest words first, whoever sings them
        scored.append(((place, -year, -total), candidate.track_id, candidate))
    return [candidate for _, _, candidate in sorted(scored, key=lambda item: item[:2])]


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
