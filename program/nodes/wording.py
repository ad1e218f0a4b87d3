"""Words by template: titles, descriptions, reasons and messages without an LM, in English and Chinese."""

from __future__ import annotations

from data.contracts import Candidate, Constraint, Intent, LedgerEntry, Relaxation, TrackReason
from program.index.layout import FACET_FIELDS
from program.index.protocol import TrackEntry
from program.nodes.describe import constraint_words, is_empty, value_label
from program.trust.contract import USER

_MAX_CONDITIONS = 4
TASTE_WORDS = ("near to what you like", "接近你的口味")
"""What a reason says of the listener's taste, in English and in Chinese."""


def title(intent: Intent, request: str, chosen_names: tuple[str, ...]) -> str:
    """A plain title from the names and facet values asked for; the request itself where it holds neither."""
    if is_empty(intent):
        return "为你推荐" if intent.locale == "zh" else "For you"
    seeds = [entity.name for entity in intent.by_role("seed")]
    names = [entity.name for entity in intent.entities if entity.role == "target"]
    wanted = [c for c in intent.constraints if c.op == "is"]
    labels = [value_label(constraint.facet, constraint.values[0]) for constraint in wanted][:_MAX_CONDITIONS]
    if seeds:
        return f"{'类似' if intent.locale == 'zh' else 'Like'} {', '.join(seeds[:2])}"
    if names:
        return ", ".join(dict.fromkeys(names)) if not labels else f"{names[0]}: {', '.join(labels)}"
    if not labels and intent.free_text:
        return request[:1].upper() + request[1:]
    return " ".join(labels) or ", ".join(chosen_names[:2])


def description(intent: Intent, count: int, ledger: tuple[LedgerEntry, ...]) -> str:
    """How many tracks, and what was given up."""
    changed = [ledger_line(entry, intent.locale) for entry in ledger if entry.state != "kept"]
    if intent.locale == "zh":
        head = f"来自曲库的 {count} 首歌。"
        return head + ("".join(f"{line}。" for line in changed))
    head = f"{count} track{'s' if count != 1 else ''} from the catalog."
    return " ".join([head, *(f"{line[:1].upper()}{line[1:]}." for line in changed)])


def ledger_line(entry: LedgerEntry, locale: str = "en") -> str:
    """One ledger entry in plain words, such as "region Iceland was widened to Nordic (12 % of the tracks still match)"."""
    before, after = _values(entry.facet, entry.from_), _values(entry.facet, entry.to)
    share = f"{round(entry.share * 100)} %"
    if locale == "zh":
        verbs = {
            "widened": f"放宽为 {after}",
            "softened": "也接受未标注的",
            "substituted": "改为按语义匹配",
            "dropped": "已放弃",
            "kept": "保留",
        }
        return f"{entry.facet} {before}：{verbs[entry.state]}（{share} 的歌曲仍符合）"
    verbs = {
        "widened": f"was widened to {after}", "softened": "also lets in tracks that the catalog does not describe",
        "substituted": "was matched by meaning, the catalog does not hold it", "dropped": "was given up", "kept": "was kept",
    }  # fmt: skip
    return f"{entry.facet} {before} {verbs[entry.state]} ({share} of the tracks still match)"


def _values(facet: str, values: tuple[str, ...]) -> str:
    if len(values) == 2 and all(not value or value.replace(".", "").isdigit() for value in values):
        return f"{values[0] or '…'} to {values[1] or '…'}"
    return " or ".join(value_label(facet, value) for value in values) or "any"


def relaxation_words(relaxation: Relaxation) -> str:
    """A relaxation as the change it makes."""
    return f"{relaxation.op} to {relaxation.label}"


def reason(
    candidate: Candidate, entry: TrackEntry, intent: Intent, cites: tuple[str, ...], *, own: str = "", placed: str = ""
) -> TrackReason:
    """Why a track is there: the asked constraints that its record holds, and where it differs, what it holds instead.

    Args:
        own: what makes it one of the listener's own set. placed: the feature that moved it up, in words.
    """
    zh = intent.locale == "zh"
    wanted = [constraint for constraint in intent.constraints if constraint.op != "not"]
    state = candidate.satisfies
    held = [constraint for constraint in wanted if state.get(constraint.constraint_id) == "yes"]
    missed = [difference(c, entry, intent.locale) for c in wanted if state.get(c.constraint_id, "unknown") != "yes"]
    words = [constraint_words(constraint) for constraint in held]
    matched = f"符合：{'；'.join(words)}" if zh else f"matches {', '.join(words)}"
    sung = _sung(candidate, zh=zh)
    text = "; ".join(filter(None, [sung, matched])) if words else sung or own or _without_facets(candidate, intent)
    more = [own if words and not sung else "", placed if placed != text else ""]
    text = ("；" if zh else "; ").join([text, *missed, *filter(None, more)])
    if entry.track.version != "original":
        text += f" ({entry.track.version})"
    keys = (cite for cite in cites if cite.startswith(USER) and (own or (cite == f"{USER}taste" and _is_of_taste(text))))
    citations = (candidate.track_id, *(constraint.constraint_id for constraint in held), *keys)
    return TrackReason(track_id=candidate.track_id, text=text, citations=tuple(c for c in citations if c in cites))


def _is_of_taste(text: str) -> bool:
    return any(words in text for words in TASTE_WORDS)


def _without_facets(candidate: Candidate, intent: Intent) -> str:
    zh = intent.locale == "zh"
    seeds = ", ".join(entity.name for entity in intent.by_role("seed"))
    if seeds and not {"similar_tracks", "similar_artists"}.isdisjoint(candidate.route_ranks):
        return _likeness(candidate, seeds, zh=zh)
    if "taste_recall" in candidate.route_ranks and len(candidate.route_ranks) == 1:
        return TASTE_WORDS[zh]
    if intent.by_role("target"):
        return "就是你点的" if zh else "what you asked for by name"
    return "语义接近你的描述" if zh else "close in meaning to your words"


def _likeness(candidate: Candidate, seeds: str, *, zh: bool) -> str:
    """What a track is like the seeds by: shared playlists, the catalog's data, or both."""
    source = candidate.sources.get("similar_tracks") or candidate.sources.get("similar_artists")
    by_data = f"与 {seeds} 相近" if zh else f"resembles {seeds} in the catalog's data"
    by_lists = f"常与 {seeds} 出现在同一歌单" if zh else f"stands in playlists with {seeds}"
    if source == "both":
        return f"{by_lists}，{by_data}" if zh else f"{by_lists} and {by_data}"
    return by_lists if source == "playlists" else by_data


def _sung(candidate: Candidate, *, zh: bool) -> str:
    """The line of the lyrics that a track was found by."""
    line = candidate.sources.get("lyric_search", "")
    return (f"歌词：“{line}”" if zh else f"the lyrics say “{line}”") if line else ""


def difference(constraint: Constraint, entry: TrackEntry, locale: str) -> str:
    """What the record says where it does not hold the constraint."""
    value = getattr(entry.track, FACET_FIELDS[constraint.facet])
    facet = constraint.facet
    if value is None or value == ():
        return f"{facet} 未标注" if locale == "zh" else f"{facet} not known"
    if facet == "popularity":
        return "热度不同" if locale == "zh" else "popularity differs"
    values = value if isinstance(value, tuple) else (value,)
    labels = ", ".join(f"{v:g}" if isinstance(v, float | int) else value_label(facet, v) for v in values)
    return f"{facet} {labels}"


def not_found(intent: Intent, near: tuple[str, ...]) -> str:
    """The message for a name that the catalog does not hold."""
    names = ", ".join(f"“{name}”" for name in intent.absent)
    if intent.locale == "zh":
        return f"曲库里没有 {names}。" + (f"曲库里有：{'、'.join(near)}。" if near else "")
    return f"The catalog does not hold {names}." + (f" It does hold: {'; '.join(near)}." if near else "")


def question(locale: str, surface: str) -> str:
    """The question for names that the request cannot tell apart."""
    return f"你想听哪一个“{surface}”？" if locale == "zh" else f"Which “{surface}” do you mean?"


def open_question(locale: str) -> str:
    """The question when a request names nothing."""
    if locale == "zh":
        return "想听点什么？可以说歌手、歌名、风格、心情或年代。"
    return "What would you like to hear? An artist, a title, a style, a mood or a time will do."
