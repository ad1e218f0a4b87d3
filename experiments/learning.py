"""Learns the ranker from the likes of all listeners that followed a request, and compares it with the hand-set weights.

Sessions are parted by a hash of their names: half to learn from, half held out. Each request is asked again by its listener as
known before it; its candidates, not only the tracks of the answer, are what the ranker learns to order.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import numpy as np
from pydantic import BaseModel, ConfigDict

from data.contracts import Playlist
from data.errors import InputError
from data.users.schema import Event
from experiments.external.scoring import Metric, metric
from experiments.stats import mean, mean_table, paired_bootstrap
from optimizers.ranker import Shown, learned
from program.graph import Melo
from program.index.protocol import CatalogIndex
from program.nodes.personal import affinities
from program.nodes.synthesize import by_meaning
from program.settings import Settings
from program.state import Session
from program.tools.ranking import rank
from program.tools.weights import HAND_SET, RankerFile, Weights
from program.users.listener import listener_of
from program.users.store import UserStore

_TOP = 10
Progress = Callable[[str, int, int | None], None]


@dataclass(frozen=True)
class Turn:
    """One request of a listener. before: what was known of the listener then, the newest first."""

    user_id: str
    session: str
    request: str
    liked: frozenset[str]
    before: tuple[Event, ...]


@dataclass(frozen=True)
class Asked:
    """A turn with the session that answered it."""

    turn: Turn
    answered: Session
    known: frozenset[str]
    affinity: dict[str, float] | None


class Learned(BaseModel):
    """What was learned and how it compares on the held-out sessions, per session and paired.

    Attributes:
        hand_set, learned, difference: NDCG@10 and hit@10 by name.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    ranker: RankerFile
    requests: int
    held_out_requests: int
    held_out_sessions: int
    hand_set: dict[str, Metric]
    learned: dict[str, Metric]
    difference: dict[str, Metric]

    @property
    def is_better(self) -> bool:
        """Whether the whole interval of the difference in NDCG@10 lies above 0."""
        return self.difference["ndcg_at_10"].lo > 0


class _Watched(Melo):
    """Melo that keeps its last session, for the candidates behind an answer."""

    last: Session | None = None

    def _walk(self, session: Session, recorder: Any) -> Playlist:
        self.last = session
        return super()._walk(session, recorder)


def turns_of(store: UserStore) -> list[Turn]:
    """Every request of the store that led to a like, in the order of listeners, sessions and turns."""
    return [turn for user in store.users() for turn in _turns(user.user_id, store.events(user.user_id))]


def _turns(user_id: str, events: Sequence[Event]) -> Iterator[Turn]:
    groups: dict[tuple[str, int, float, str], list[Event]] = defaultdict(list)
    for event in events:
        if event.request:
            groups[event.session, event.turn, event.at or 0.0, event.request].append(event)
    for (session, turn, at, request), group in sorted(groups.items()):
        liked = frozenset(event.track_id for event in group if event.kind == "like")
        if liked:
            before = tuple(event for event in events if (event.at or 0.0, event.turn) < (at, turn) and event not in group)
            yield Turn(user_id, session or user_id, request, liked, before)


def held_out(session: str) -> bool:
    """Whether a session is one of the half that is not learned from."""
    return bool(sha256(session.encode()).digest()[0] & 1)


def ask_all(turns: Sequence[Turn], index: CatalogIndex, settings: Settings, now: float, progress: Progress) -> list[Asked]:
    """Ask every turn; those that found no candidates are left out."""
    off = settings.personal.model_copy(update={"learned": False})
    melo = _Watched(index, settings.model_copy(update={"personal": off}))
    found = []
    for number, turn in enumerate(turns, 1):
        listener = listener_of(turn.user_id, turn.before, index, now)
        melo(request=turn.request, listener=listener)
        session = melo.last
        if session is not None and session.intent is not None and session.found is not None and session.found.candidates:
            found.append(Asked(turn, session, listener.known, affinities(session, melo._resources)))
        progress("requests", number, len(turns))
    return found


def ranked(asked: Asked, weights: Weights) -> list[Any]:
    """The candidates of a turn in the order of `weights`, without what the listener had judged before."""
    session = asked.answered
    found = rank(
        session.need_found().candidates, session.entries, session.need_intent(), by_meaning=by_meaning(session),
        weights=weights, affinity=asked.affinity,
    )  # fmt: skip
    return [candidate for candidate in found if candidate.track_id not in asked.known]


def learn(asked: Sequence[Asked], index: CatalogIndex, seed: int) -> Learned:
    """Fit on one half of the sessions, compare on the other.

    Raises:
        InputError: one of the halves is empty, or there were too few pairs to learn from.
    """
    mine, others = [[one for one in asked if held_out(one.turn.session) is out] for out in (False, True)]
    if not mine or not others:
        raise InputError("too few sessions with requests and likes to learn from")
    parts = {
        name: [_shown(one) for one in mine if by_meaning(one.answered) is meaning]
        for name, meaning in (("by_facet", False), ("by_meaning", True))
    }
    by_facet, facet_pairs = learned(parts["by_facet"], HAND_SET.by_facet)
    by_words, word_pairs = learned(parts["by_meaning"], HAND_SET.by_meaning)
    if not by_facet and not by_words:
        raise InputError(f"only {facet_pairs + word_pairs} pairs of liked and passed-over tracks; too few to learn from")
    made = RankerFile(
        catalog=index.info.content_hash[:16], by_facet=by_facet, by_meaning=by_words,
        pairs={"by_facet": facet_pairs, "by_meaning": word_pairs}, requests={name: len(part) for name, part in parts.items()},
    )  # fmt: skip
    figures = _compared(others, made.weights("learned"), seed)
    sessions = len({one.turn.session for one in others})
    return Learned(ranker=made, requests=len(mine), held_out_requests=len(others), held_out_sessions=sessions, **figures)


def _shown(asked: Asked) -> Shown:
    found = tuple(ranked(asked, HAND_SET))
    return Shown(asked.turn.session, found, asked.turn.liked, by_meaning(asked.answered))


def _compared(asked: Sequence[Asked], weights: Weights, seed: int) -> dict[str, dict[str, Metric]]:
    tables = {name: _figures(asked, chosen) for name, chosen in (("hand_set", HAND_SET), ("learned", weights))}
    found: dict[str, dict[str, Metric]] = {"hand_set": {}, "learned": {}, "difference": {}}
    for place, figure in enumerate(("ndcg_at_10", "hit_at_10")):
        one, other = (mean_table(tables[name][:, place]) for name in ("hand_set", "learned"))
        zero = mean_table(np.zeros(len(one)))
        for name, first, second in (("hand_set", one, zero), ("learned", other, zero), ("difference", other, one)):
            found[name][figure] = metric(paired_bootstrap(first, second, mean, seed=seed))
    return found


def _figures(asked: Sequence[Asked], weights: Weights) -> np.ndarray[Any, np.dtype[np.float64]]:
    """NDCG@10 and hit@10, a row a session: the means of its requests."""
    by_session: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for one in asked:
        hits = [candidate.track_id in one.turn.liked for candidate in ranked(one, weights)[:_TOP]]
        gain = sum(hit / np.log2(place + 2) for place, hit in enumerate(hits))
        best = sum(1 / np.log2(place + 2) for place in range(min(_TOP, len(one.turn.liked))))
        by_session[one.turn.session].append((gain / best, float(any(hits))))
    return np.asarray([np.mean(rows, axis=0) for rows in by_session.values()])


def lines(found: Learned) -> Iterator[str]:
    """The comparison and the weights as text."""
    yield f"learned from {found.requests:,} requests, compared on {found.held_out_sessions:,} held-out sessions"
    for name, metrics in (("hand-set", found.hand_set), ("learned", found.learned), ("difference", found.difference)):
        cells = [f"{figure} {one.value:+.3f} [{one.lo:+.3f}, {one.hi:+.3f}]" for figure, one in metrics.items()]
        yield f"  {name:<11}{'   '.join(cells)}"
    for way in ("by_facet", "by_meaning"):
        weights = getattr(found.ranker, way)
        told = ", ".join(f"{name} {weight:+.2f}" for name, weight in weights.items()) or "too few pairs, hand-set"
        yield f"  {way}: {told} ({found.ranker.pairs[way]:,} pairs)"
