"""`compile_plan`: the tool names of a sketch become typed calls; every argument comes from the verified intent."""

from __future__ import annotations

from data.contracts import EntityType, Intent, Plan, ToolArgs, ToolCall, ToolName
from program.grounding.guards import Sketch
from program.index.concepts import nearest_concepts
from program.index.multilingual import LANGUAGES
from program.nodes.describe import value_label
from program.retry.gates import needed
from program.settings import ExecuteSettings, Settings
from program.state import Session
from program.tools.catalog_search import SOUNDTRACKS
from program.tools.protocol import Tool

STARTS_FROM_SEEDS: frozenset[ToolName] = frozenset({"similar_tracks", "similar_artists"})
_WEIGHTS = (1.0, 0.7, 0.5)
_QUERY_CHARS = 200
_NEAREST = 2
"""Moods and activities that words in another language are taken for (chosen on dev)."""
_MOST_TRACKS = 200


def default_sketch(intent: Intent, tools: list[Tool], round_number: int) -> Sketch:
    """Code's own routes: similar tracks for seeds, exact search for names and facets, recall by meaning for the rest."""
    names = [tool.name for tool in tools]
    if not names:
        return ("semantic_recall",) if intent.free_text else ()
    order: list[ToolName] = []
    if "lyric_search" in names:
        return ("lyric_search",)
    if intent.by_role("seed"):
        order = ["similar_tracks"]
    elif intent.by_role("target") or intent.constraints:
        order = ["fresh", "catalog_search"] if intent.order == "newest" else ["catalog_search", "popular_within"]
    if intent.free_text or round_number > 0 or not order or (intent.constraints and not intent.by_role("target")):
        order += ["semantic_recall", "generative_retriever"]
    return tuple(name for name in order if name in names) or tuple(names)


def compile_plan(intent: Intent, session: Session, sketch: Sketch, settings: Settings) -> Plan:
    """One call a route, in the sketch's order, with falling weights."""
    serves = tuple(constraint.constraint_id for constraint in session.active)
    calls = [
        ToolCall(
            tool=tool,
            args=_args(tool, intent, session, settings),
            serves=serves,
            weight=_WEIGHTS[min(position, len(_WEIGHTS) - 1)],
            deadline_ms=settings.execute.deadlines_ms.get(tool, settings.execute.deadline_ms),
        )
        for position, tool in enumerate(sketch)
    ]
    if wants_taste(intent, session, settings):
        calls.append(_taste_call(intent, session, settings))
    before = f"round {session.round - 1}" if session.round else None
    return Plan(routes=tuple(calls), round=session.round, revised_from=before)


def wants_taste(intent: Intent, session: Session, settings: Settings) -> bool:
    """Whether tracks near the listener's taste may join: something is known of it, and the request names nothing."""
    taste = session.listener.taste if session.listener else None
    is_open = intent.personal == "none" and not intent.by_role("target", "seed") and intent.kind in ("discover", "other")
    return settings.personal.recall and is_open and taste is not None and len(taste.vectors) > 0


def _taste_call(intent: Intent, session: Session, settings: Settings) -> ToolCall:
    update = {"constraints": session.active, "limit": _limit(intent, settings)}
    return ToolCall(
        tool="taste_recall", args=fixed_args(intent).model_copy(update=update), weight=settings.personal.recall_weight,
        serves=tuple(constraint.constraint_id for constraint in session.active), deadline_ms=settings.execute.deadline_ms,
    )  # fmt: skip


def fixed_args(intent: Intent, role: str = "target") -> ToolArgs:
    """The arguments that are never loosened: verified ids by role, and the exclusions."""

    def ids(entity_type: EntityType, wanted: str) -> tuple[str, ...]:
        found = (e.entity_id for e in intent.entities if e.entity_type == entity_type and e.role == wanted)
        return tuple(dict.fromkeys(found))

    return ToolArgs(
        track_ids=ids("track", role),
        artist_ids=ids("artist", role),
        album_ids=ids("album", role),
        exclude_track_ids=ids("track", "exclude"),
        exclude_artist_ids=ids("artist", "exclude"),
        exclude_album_ids=ids("album", "exclude"),
    )


def _args(tool: ToolName, intent: Intent, session: Session, settings: Settings) -> ToolArgs:
    """The arguments of one tool: recall by meaning and by codes reads a query, the others the ids of their role."""
    fixed = fixed_args(intent, "seed" if tool in STARTS_FROM_SEEDS else "target")
    update: dict[str, object] = {"constraints": session.active, "limit": _limit(intent, settings)}
    if tool in ("liked_songs", "history"):
        update |= {"period": intent.period, "most_played": intent.order == "most_played"}
    if tool == "catalog_search" and not SOUNDTRACKS.isdisjoint(_genres(intent)):
        update["soundtrack_of"] = intent.free_text
    if tool == "lyric_search":
        update["query"] = intent.free_text
    if tool in ("semantic_recall", "generative_retriever"):
        update |= {"track_ids": (), "artist_ids": (), "album_ids": (), **_query(intent, session, settings.execute)}
    return fixed.model_copy(update=update)


def _genres(intent: Intent) -> frozenset[str]:
    """The genres that are asked for."""
    return frozenset(value for c in intent.constraints if c.facet == "genre" and c.op == "is" for value in c.values)


def _limit(intent: Intent, settings: Settings) -> int:
    """Enough tracks for the size gate, within what a tool may return."""
    return min(_MOST_TRACKS, max(settings.execute.tool_limit, needed(intent, settings.retry)))


def _query(intent: Intent, session: Session, settings: ExecuteSettings) -> dict[str, str]:
    """What recall by meaning searches for, and the words as they were written where that is another thing."""
    meant, written = query_words(intent, session, in_english(intent, settings)), query_words(intent, session, intent.free_text)
    return {"query": meant, "words": written if written != meant else ""}


def query_words(intent: Intent, session: Session, free: str) -> str:
    """The wanted facet values of the request as asked, its names, and the words that no facet holds."""
    wanted = [constraint for constraint in intent.constraints if constraint.op == "is"]
    labels = [value_label(constraint.facet, value) for constraint in wanted for value in constraint.values]
    seeds = [entity.name for entity in intent.by_role("seed", "target")]
    return " ".join([*labels, *seeds, *session.words, free]).strip()[:_QUERY_CHARS]


def in_english(intent: Intent, settings: ExecuteSettings) -> str:
    """The words that no facet holds; in another language the moods and activities that they come nearest to, if any is near."""
    words = intent.free_text
    if not settings.recall_concepts or not words or intent.locale == "en" or intent.locale not in LANGUAGES:
        return words
    near = nearest_concepts(intent.locale).near(words, _NEAREST)
    labels = [concept.label for concept in near if concept.likeness >= settings.concept_floor]
    return " ".join([*labels, words] if words.isascii() or not labels else labels)
