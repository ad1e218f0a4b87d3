"""SYNTHESIZE: code ranks, chooses and states the facts; the LM may only word them; a template writes what is missing."""

from __future__ import annotations

import re
from typing import Annotated, Any

import dspy
from pydantic import Field

from data.contracts import Candidate, ContractTrack, Reply, ReplyContract, TrackReason
from data.names import name_key
from program.grounding.names_in_text import artist_names, track_ids
from program.lm.ask import Check
from program.nodes import wording
from program.nodes.asking import ask_node
from program.nodes.personal import affinities, listener_state, own_reason, own_title, own_tracks, why_placed
from program.retry.core_first import core_first
from program.state import Resources, Session
from program.tools.ranking import choose, feature_means, rank
from program.trust.contract import Told, build_contract, known_share, violations
from program.trust.markers import markers
from program.trust.wording_guard import form_faults, risk_faults, script_faults, without_names
from signatures.synthesize import Synthesize

_OF_TOOLS = ("understand", "execute")
"""Nodes whose faults say what could not be used: tools, lyrics."""
_SHOWN_TRACKS = 8
_LEAST_DESCRIPTION = 30
_SENTENCE_END = re.compile(r"(?<=\w{3})[.!?](?=\s)|[。！？]")


class SynthesizeNode(dspy.Module):
    """Candidates → the chosen tracks and a `Reply` that closes over its contract."""

    def __init__(self) -> None:
        super().__init__()
        self.synthesize = dspy.Predict(Synthesize)

    def forward(self, session: Session, resources: Resources) -> tuple[list[Candidate], Reply]:
        """Choose and word; without an LM, or where its words do not close, by template."""
        ranked = ranked_tracks(session, resources)
        chosen = chosen_tracks(session, resources, ranked)
        contract = session.contract = self.contract(session, chosen)
        reply = self._reply(session, resources, chosen, contract).model_copy(
            update={"reasons": _reasons(session, resources, ranked, contract)}
        )
        session.reply = reply
        return chosen, reply

    @staticmethod
    def contract(session: Session, chosen: list[Candidate]) -> ReplyContract:
        """What the words about the chosen tracks may say."""
        returned = [session.entries[candidate.track_id] for candidate in chosen]
        tools = tuple(dict.fromkeys(result.tool for result in session.need_found().results if result.ok))
        told = Told(
            evidence=session.understanding.best.evidence if session.understanding else (), tools=tools,
            ledger=session.ledger.entries(returned), observations=(session.verdict.reason,) if session.verdict else (),
            unavailable=tuple(f"{fault.code}: {fault.message}" for fault in session.fallbacks if fault.node in _OF_TOOLS),
            state=listener_state(session, chosen), round=session.plan.round if session.plan else 0,
        )  # fmt: skip
        return build_contract(session.text, session.need_intent(), chosen, session.entries, told)

    def _reply(self, session: Session, resources: Resources, chosen: list[Candidate], contract: ReplyContract) -> Reply:
        intent = session.need_intent()
        names = tuple(credit.name for c in chosen for credit in session.entries[c.track_id].track.artists)
        title = own_title(intent) if intent.personal != "none" else wording.title(intent, session.text, names)
        text = wording.description(intent, len(chosen), contract.ledger)
        if chosen and wants_words(session):
            prediction = self._ask(session, resources, contract)
            if prediction is not None:
                title = str(prediction.title).strip() or title
                text = whole_sentences(str(prediction.description)) or text
                text = _with_ledger(text, session, contract)
        return Reply(title=title, description=text)

    def _ask(self, session: Session, resources: Resources, contract: ReplyContract) -> dspy.Prediction | None:
        if resources.backbones["synthesize"].lm is None:
            return None
        limits, contract = resources.settings.wording, quotable(contract, resources)
        changed = [wording.ledger_line(entry) for entry in contract.ledger if entry.state != "kept"]
        inputs: dict[str, object] = {
            "request": session.text,
            "tracks": "\n".join(_track_line(track) for track in contract.tracks[:_SHOWN_TRACKS] if track.title),
            "given_up": "; ".join(changed) or "nothing",
            "locale": contract.locale,
        }
        types: dict[str, Any] = {
            "title": Annotated[str, Field(min_length=2, max_length=limits.max_title)],
            "description": Annotated[str, Field(min_length=_least(contract.locale), max_length=limits.max_description)],
        }
        return ask_node(
            self.synthesize, inputs, session, resources, node="synthesize", types=types,
            checks=reply_checks(contract, resources), max_tokens=110,
        )  # fmt: skip


def quotable(contract: ReplyContract, resources: Resources) -> ReplyContract:
    """The contract as a model gets it: names that speak to a machine are left out, so they can be neither obeyed nor repeated."""
    if not resources.settings.safety.before:
        return contract
    tracks = tuple(_without_words(track) if _speaks(track) else track for track in contract.tracks)
    names = tuple(name for name in contract.task.names if not markers(name))
    return contract.model_copy(update={"tracks": tracks, "task": contract.task.model_copy(update={"names": names})})


def _speaks(track: ContractTrack) -> bool:
    return any(markers(text) for text in (track.title, *track.artists, *track.facts))


def _without_words(track: ContractTrack) -> ContractTrack:
    return track.model_copy(update={"title": "", "artists": (), "facts": (), "heard": ()})


def _track_line(track: ContractTrack) -> str:
    """One line whatever the names hold: a line break in one would make another line of the prompt."""
    return " ".join(f"{track.title} - {', '.join(track.artists)}".split())


def _reasons(session: Session, resources: Resources, ranked: list[Candidate], contract: ReplyContract) -> tuple[TrackReason, ...]:
    """Why each chosen track is there, from its record, the own set, and the features that it was ranked by."""
    intent, own = session.need_intent(), own_tracks(session)
    weights = resources.weights.of(by_meaning=by_meaning(session))
    means = feature_means(ranked)
    by_id = {candidate.track_id: candidate for candidate in ranked}
    found = []
    for track in contract.tracks:
        candidate = by_id[track.track_id]
        said = own_reason(own.get(track.track_id), intent) if own else ""
        placed = why_placed(candidate, means, weights, intent)
        found.append(wording.reason(candidate, session.entries[track.track_id], intent, track.cites, own=said, placed=placed))
    return tuple(found)


def ranked_tracks(session: Session, resources: Resources) -> list[Candidate]:
    """All candidates, the best first."""
    return rank(
        session.need_found().candidates, session.entries, session.need_intent(), by_meaning=by_meaning(session),
        weights=resources.weights, affinity=affinities(session, resources),
    )  # fmt: skip


def chosen_tracks(session: Session, resources: Resources, ranked: list[Candidate]) -> list[Candidate]:
    """The tracks of the answer: code's choice alone."""
    intent = session.need_intent()
    share = resources.settings.retry.core_share
    about = core_first(ranked, session.entries, session.ledger.core(), intent.size, share)
    return choose(about, session.entries, intent, resources.settings.execute)


def by_meaning(session: Session) -> bool:
    """Whether nearness in meaning is all that the candidates were found by."""
    positive = [constraint for constraint in session.active if constraint.op != "not"]
    return not positive and not session.need_intent().by_role("target")


def _least(locale: str) -> int:
    """Characters that a description has at least; scripts that need fewer get by with fewer."""
    return _LEAST_DESCRIPTION // 4 if locale in ("zh", "ja", "ko") else _LEAST_DESCRIPTION


def wants_words(session: Session) -> bool:
    """A single named track needs no prose; a list does."""
    return session.need_intent().size > 1 and not (session.round == 0 and session.need_intent().kind == "play")


def closes(prediction: dspy.Prediction, contract: ReplyContract, resources: Resources) -> str | None:
    """What the reply says beyond its contract, as a message for the model; None when it closes."""
    text = f"{prediction.title}. {prediction.description}"
    found = violations(text, contract, artist_names(text, resources.index, resources.settings.grounding))
    found += [f"the id {name}" for name in track_ids(without_names(text, contract), resources.index)]
    return f"leave out what the facts do not hold: {', '.join(found[:3])}" if found else None


def reply_checks(contract: ReplyContract, resources: Resources) -> tuple[Check, ...]:
    """The node's assertions: nothing that can be checked goes beyond the contract, and the words are mostly given ones."""
    floor = resources.settings.wording.known_words

    def grounded(prediction: dspy.Prediction) -> str | None:
        shares = [known_share(str(text), contract) for text in (prediction.title, prediction.description)]
        told = "say only what the facts say, in their words: genre, place, mood, names of the tracks"
        return told if min(shares) < floor else None

    def titled(prediction: dspy.Prediction) -> str | None:
        names = {name_key(name) for track in contract.tracks for name in (track.title, *track.artists)}
        title = name_key(str(prediction.title))
        listed = " - " in str(prediction.title) and any(name in title for name in names)
        copied = title in names or listed
        return "the title names the whole list, not one track or artist of it" if copied else None

    def formed(prediction: dspy.Prediction) -> str | None:
        texts = [str(prediction.title), str(prediction.description)]
        faults = [fault for text in texts for fault in (*form_faults(text, contract), *risk_faults(text, contract))]
        faults += script_faults(" ".join(texts), contract)
        return f"write plain words in the language {contract.locale}, without {', '.join(faults[:3])}" if faults else None

    return (
        Check("reply_closes", lambda p: closes(p, contract, resources)),
        Check("reply_grounded", grounded),
        Check("title_of_list", titled),
        *((Check("reply_formed", formed),) if resources.settings.safety.after else ()),
    )


def whole_sentences(text: str) -> str:
    """`text` without a last sentence that was cut off; a single unfinished sentence is closed."""
    stripped = text.strip()
    if not stripped or stripped[-1] in ".!?。！？…":
        return stripped
    ends = [match.end() for match in _SENTENCE_END.finditer(stripped)]
    return stripped[: ends[-1]].strip() if ends else f"{stripped}…"


def _with_ledger(text: str, session: Session, contract: ReplyContract) -> str:
    """The model's words, followed by everything that was given up: disclosure is not left to a model."""
    changed = [wording.ledger_line(entry, contract.locale) for entry in contract.ledger if entry.state != "kept"]
    return " ".join([text, *(f"{line[:1].upper()}{line[1:]}." for line in changed)])
