"""What SYNTHESIZE says and does about the listener: nearness to the taste, and the words of own sets. English and Chinese."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from data.contracts import Candidate, Intent, ToolArgs
from program.nodes.describe import constraint_words, value_label
from program.nodes.wording import TASTE_WORDS
from program.state import Resources, Session
from program.tools.ranking import lifted
from program.tools.weights import AFFINITY
from program.users.listener import Own

_MOST_CONDITIONS = 4
_LEAST_LIFT = 0.05
"""Weighted gain over the mean of the list from which a feature is worth a word."""
_FEATURE_WORDS = {
    AFFINITY: TASTE_WORDS,
    "popularity": ("among the best known here", "曲库里知名度高"),
}
_TRUE_FROM = {AFFINITY: 0.4, "popularity": 0.9}
"""From which value of a feature its words are true of a track."""


def affinities(session: Session, resources: Resources) -> dict[str, float] | None:
    """How near the candidates are to the listener's taste, by track id; None without a taste or where it is off."""
    taste = session.listener.taste if session.listener and resources.settings.personal.affinity else None
    if taste is None or session.need_intent().personal != "none":
        return None
    entries = [session.entries[candidate.track_id] for candidate in session.need_found().candidates]
    return taste.affinities(entries, resources.index)


def own_tracks(session: Session) -> Mapping[str, Own]:
    """The listener's own set that was asked for, by track id."""
    listener, intent = session.listener, session.need_intent()
    if listener is None or intent.personal == "none":
        return {}
    args = ToolArgs(period=intent.period, most_played=intent.order == "most_played")
    return {one.track_id: one for one in (listener.liked(args) if intent.personal == "liked" else listener.played(args))}


def own_title(intent: Intent) -> str:
    """Such as "Your liked songs: 1990s"."""
    zh = intent.locale == "zh"
    head = {"liked": ("Your liked songs", "你喜欢的歌"), "history": ("What you played", "你听过的歌")}[intent.personal][zh]
    names = [entity.name for entity in intent.by_role("target")]
    labels = [value_label(c.facet, c.values[0]) for c in intent.constraints if c.op == "is"]
    period = intent.period.replace("-", " ")
    said = [*dict.fromkeys(names), *labels, *([period] if period else [])][:_MOST_CONDITIONS]
    return f"{head}: {', '.join(said)}" if said else head


def own_reason(one: Own | None, intent: Intent) -> str:
    """When a track of the own set was liked, or how often it was played."""
    zh = intent.locale == "zh"
    day = _day(one.at) if one else ""
    if intent.personal == "liked":
        return (f"你在 {day} 标记为喜欢" if zh else f"you liked it on {day}") if day else ("你喜欢的歌" if zh else "you liked it")
    count = one.count if one else 1
    if zh:
        return f"你播放过 {count} 次" + (f"，最近在 {day}" if day else "")
    times = f"you played it {count} times" if count > 1 else "you played it"
    return times + ((f", last on {day}" if count > 1 else f" on {day}") if day else "")


def listener_state(session: Session, chosen: Sequence[Candidate]) -> dict[str, dict[str, str]]:
    """Track id → user-state key → value, for everything that the reasons may say of the listener."""
    own, intent = own_tracks(session), session.need_intent()
    if own:
        return {c.track_id: own_state(own[c.track_id], intent) for c in chosen if c.track_id in own}
    tasted = [c for c in chosen if c.features.get(AFFINITY) or "taste_recall" in c.route_ranks]
    return {candidate.track_id: {"taste": ""} for candidate in tasted} if session.listener else {}


def own_state(one: Own, intent: Intent) -> dict[str, str]:
    """The user-state keys that `own_reason` speaks of, with their values."""
    if intent.personal == "liked":
        return {"liked_at": _day(one.at)}
    return {"play_count": str(one.count), "played_at": _day(one.at)}


def nothing_own(intent: Intent) -> str:
    """The message where the own set holds nothing of what was asked."""
    names = [entity.name for entity in intent.by_role("target")]
    wanted = ", ".join([*names, *map(constraint_words, intent.constraints), *filter(None, [intent.period.replace("-", " ")])])
    if intent.locale == "zh":
        return "你喜欢的歌里没有符合的。" if intent.personal == "liked" else "你的播放记录里没有符合的。"
    head = "None of your liked songs fits" if intent.personal == "liked" else "Nothing that you played fits"
    return f"{head}: {wanted}." if wanted else f"{head}."


def nothing_known(intent: Intent, *, of_anyone: bool) -> str:
    """The message where no likes, or no plays, are known at all."""
    if intent.locale == "zh":
        return "我还不知道你喜欢或听过什么。"
    own = "liked songs" if intent.personal == "liked" else "listening history"
    return f"I know no {'liked songs or listening history' if of_anyone else own} of yours."


def why_placed(candidate: Candidate, means: Mapping[str, float], weights: Mapping[str, float], intent: Intent) -> str:
    """The feature that moved a track up the most against the mean, of those that have words of their own; else empty."""
    if not candidate.features:
        return ""
    zh = intent.locale == "zh"
    gains = lifted(candidate, means, weights)
    said = [name for name, gain in gains.items() if gain >= _LEAST_LIFT and candidate.features[name] >= _TRUE_FROM.get(name, 2.0)]
    return _FEATURE_WORDS[said[0]][zh] if said else ""


def _day(at: float | None) -> str:
    return datetime.fromtimestamp(at).strftime("%Y-%m-%d") if at is not None else ""
