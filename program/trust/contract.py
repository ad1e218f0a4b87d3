"""The contract between deciding and wording, and its closure: a reply may say only what the contract holds."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from data.contracts import Candidate, ContractTrack, Evidence, Intent, LedgerEntry, ReplyContract, TaskState
from data.names import has_cjk, name_form
from data.vocab.loader import load_vocabularies
from program.index.layout import FACET_FIELDS
from program.index.protocol import TrackEntry
from program.nodes.describe import constraint_words

_NUMBER = re.compile(r"\d+")
_QUOTED = re.compile(r"[\"“«「『《](.{2,80}?)[\"”»」』》]")
_ID_LIKE = re.compile(r"\b(?:t|c|e|x|r)\d{1,3}\b")
USER = "user."
"""What a citation of a user-state key starts with."""
RENDER_FIELDS = ("layout",)
"""What the writer may tell the page; how a track looks is not among it."""
_SHORT_WORD = 2
_PLAYLIST_WORDS = frozenset(
    "playlist list mix selection collection set songs song tracks track music tunes sound sounds sounding listen listening "
    "vocals chosen picked gathered found catalog match matches matching request asked "
    "widened nearby similar close related best more few enough mood feel feeling time night day".split()
)
_EMPTY_WORDS = frozenset(
    "the and for with from that this these those are was were has have had not but you your its their them they our "
    "all any some into over under about also very more most just than then when where which who while here there been being "
    "will can may such each per via one two plus like out off only own same too".split()
)
_EMPTY_CHARACTERS = frozenset("的了和与在是有这那也都很就把被给一二三个些里上下中来为您你我他她它们之其而或及")
_PLAYLIST_CHARACTERS = "歌曲单首音乐播放列表精选来自曲库符合适合类似听感情绪风格"
_URL = re.compile(r"https?://|www\.", re.IGNORECASE)


@dataclass(frozen=True)
class Told:
    """What a session has found out by the time its words are written.

    Attributes:
        state: track id → user-state key → value, as far as the answer rests on it.
        unavailable: what could not be used, and why.
    """

    evidence: Sequence[Evidence] = ()
    tools: tuple[str, ...] = ()
    ledger: tuple[LedgerEntry, ...] = ()
    observations: tuple[str, ...] = ()
    unavailable: tuple[str, ...] = ()
    state: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    round: int = 0


def track_facts(entry: TrackEntry, asked: Iterable[str]) -> tuple[str, ...]:
    """What the catalog says of a track on the facets that the request asked about, in words."""
    facts = []
    for facet in dict.fromkeys(asked):
        value = getattr(entry.track, FACET_FIELDS[facet], None)
        values = value if isinstance(value, tuple) else () if value is None else (value,)
        if facet == "popularity" or not values:
            continue
        vocabulary = load_vocabularies().get(facet)
        labels = [vocabulary.label(str(v)) if vocabulary and facet not in ("era", "tempo") else f"{v:g}" for v in values]
        facts.append(f"{facet} {', '.join(labels)}")
    return tuple(facts)


def build_contract(
    request: str, intent: Intent, chosen: Sequence[Candidate], entries: dict[str, TrackEntry], told: Told
) -> ReplyContract:
    """Everything that the writer may know: the chosen tracks with their facts and what may be cited for them."""
    facets = [constraint.facet for constraint in intent.constraints]
    used = {entity.evidence_id for entity in intent.entities}
    evidence_ids = tuple(item.evidence_id for item in told.evidence if item.evidence_id in used)
    tracks = []
    for number, candidate in enumerate(chosen, 1):
        entry, state = entries[candidate.track_id], told.state.get(candidate.track_id, {})
        held = tuple(constraint_id for constraint_id, satisfied in candidate.satisfies.items() if satisfied == "yes")
        tracks.append(
            ContractTrack(
                ref=f"t{number}", track_id=candidate.track_id, title=entry.track.title,
                artists=tuple(credit.name for credit in entry.track.artists), year=entry.track.year,
                facts=track_facts(entry, facets), state=dict(state), heard=tuple(candidate.sources.values()),
                cites=(candidate.track_id, *held, *evidence_ids, *(f"{USER}{key}" for key in state)),
            )
        )  # fmt: skip
    keys = dict.fromkeys(key for track in tracks for key in track.state)
    return ReplyContract(
        request=request, tracks=tuple(tracks), task=task_state(intent, told.round), sources=("catalog",), tools_used=told.tools,
        user_state_keys=tuple(keys), locale=intent.locale, policy=("only catalog tracks", "name what was given up"),
        prior_observations=told.observations, ledger=told.ledger, unavailable=told.unavailable, render=RENDER_FIELDS,
    )  # fmt: skip


def task_state(intent: Intent, round_number: int) -> TaskState:
    """What the session is about, as far as words may speak of it."""
    return TaskState(
        kind=intent.kind, names=tuple(dict.fromkeys(entity.name for entity in intent.entities)), asked=intent.size,
        conditions=(*map(constraint_words, intent.constraints), intent.period.replace("-", " ")), round=round_number,
    )  # fmt: skip


def allowed_text(contract: ReplyContract) -> str:
    """All words that a reply may take names and numbers from, in normal form."""
    return common_text(contract) + "".join(map(track_text, contract.tracks))


def common_text(contract: ReplyContract) -> str:
    """The same without the tracks: the request, the session's state, what was given up or could not be used."""
    task = contract.task
    parts = [contract.request, str(len(contract.tracks)), *contract.prior_observations, *contract.unavailable]
    parts.extend((*task.names, *task.conditions, str(task.asked or "")))
    for entry in contract.ledger:
        parts.extend((*_spoken(entry.facet, entry.from_), *_spoken(entry.facet, entry.to), entry.why))
        parts.append(f"{round(entry.share * 100)}")
    return _in_normal_form(parts)


def track_text(track: ContractTrack) -> str:
    """What may be said of one track."""
    said = (track.title, *track.artists, *track.facts, *track.heard, *track.state.values(), str(track.year or ""))
    return _in_normal_form(said)


def _in_normal_form(parts: Iterable[str]) -> str:
    return f" {' '.join(map(name_form, parts))} "


def _spoken(facet: str, values: tuple[str, ...]) -> list[str]:
    vocabulary = load_vocabularies().get(facet)
    return [vocabulary.label(value) if vocabulary else value for value in values]


def violations(text: str, contract: ReplyContract, names: Iterable[str]) -> list[str]:
    """What in `text` the contract does not hold: numbers, quoted names, catalog names, internal numbers, addresses.

    Args:
        names: names in the text that the catalog knows as artists, found by L1.
    """
    return beyond(text, allowed_text(contract), names)


def beyond(text: str, allowed: str, names: Iterable[str] = ()) -> list[str]:
    """As `violations`, against the allowed words in normal form."""
    known = _spaced_numbers(allowed)
    found = [f"the number {number}" for number in _NUMBER.findall(text) if f" {number} " not in known]
    found += [f'"{name}"' for name in _QUOTED.findall(text) if name_form(name) not in allowed]
    found += [f"the name {name}" for name in names if f" {name_form(name)} " not in allowed]
    found += [f"the internal number {token}" for token in _ID_LIKE.findall(text) if f" {token} " not in allowed]
    if _URL.search(text):
        found.append("a web address")
    return list(dict.fromkeys(found))


def known_share(text: str, contract: ReplyContract) -> float:
    """Share of a text's content words that the contract holds or that any playlist text may use, 0..1.

    What cannot be checked as a name or a number (a biography, a tour, a prize) shows in words that nobody gave.
    """
    allowed = set(allowed_text(contract).split()) | _PLAYLIST_WORDS
    if has_cjk(text):
        characters = [char for char in name_form(text) if has_cjk(char) and char not in _EMPTY_CHARACTERS]
        given = allowed_text(contract) + _PLAYLIST_CHARACTERS
        return sum(char in given for char in characters) / len(characters) if characters else 1.0
    words = [word for word in name_form(text).split() if len(word) > _SHORT_WORD and word not in _EMPTY_WORDS]
    return sum(_stem(word) in {_stem(known) for known in allowed} for word in words) / len(words) if words else 1.0


def _stem(word: str) -> str:
    """A crude stem, so that plurals and adjectives of a known word count as known."""
    return word[:5] if len(word) > 5 else word.rstrip("s")


def _spaced_numbers(text: str) -> str:
    """`text` with every digit run set apart, so that 80s and 1980s hold their numbers."""
    return _NUMBER.sub(lambda match: f" {match.group()} ", text)
