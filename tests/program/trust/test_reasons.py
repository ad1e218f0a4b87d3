"""Every fallback has a reason and an owner; asking back and handing over are two things."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, get_args

import pytest

import program
from data.contracts import Clarification, Fallback, FaultReason, HandoverReason, Intent, Option, Playlist
from experiments.commands.render import playlist_lines
from program.index.engine import EmbeddedIndex
from program.settings import SafetySettings, Settings
from program.trust.outcomes import handover
from program.trust.reasons import INFRASTRUCTURE, attributed, known_codes, outcome_fault
from tests.listeners import listener
from tests.scripted import dead_lm
from tests.sessions import melo, session

_CODE = re.compile(r"Fallback\((?:[^()]|\([^()]*\))*?code=\"(\w+)\"", re.DOTALL)
OPTION = Option(option_id="o1", label="Hello – Adele")


def test_every_code_of_the_program_is_known() -> None:
    """A fallback that is written into the program has a line in the table."""
    sources = Path(str(program.__file__)).parent.rglob("*.py")
    written = {code for source in sources for code in _CODE.findall(source.read_text(encoding="utf-8"))}

    assert {"no_user_data", "out_of_scope", "markers_in_request", "no_lyrics"} <= written
    assert written - known_codes() == set()


@pytest.mark.parametrize(
    ("kind", "code", "reason", "owner"),
    [
        ("infrastructure", "tool_timeout", "timeout", "operator"),
        ("infrastructure", "tool_malformed", "malformed", "operator"),
        ("infrastructure", "tool_unavailable", "unavailable", "operator"),
        ("infrastructure", "lm_unavailable", "unavailable", "operator"),
        ("infrastructure", "store", "unavailable", "operator"),
        ("budget", "tokens", "budget", "operator"),
        ("model_output", "reply_closes", "malformed", "model_keeper"),
        ("policy", "name_not_held", "nothing_eligible", "catalog_keeper"),
        ("policy", "ambiguous_name", "ambiguous", "listener"),
        ("policy", "no_user_data", "unsupported", "listener"),
        ("policy", "answer_cut", "unsafe", "reviewer"),
        ("policy", "something new", "unsupported", "developer"),
    ],
)
def test_reasons_and_owners(kind: Any, code: str, reason: str, owner: str) -> None:
    """Infrastructure has other reasons than policy, and other people look at it."""
    found = attributed(Fallback(node="guard", kind=kind, code=code, message="m"))

    assert (found.reason, found.owner) == (reason, owner)
    assert (found.reason in INFRASTRUCTURE) is (kind != "policy")
    assert found.reason in get_args(FaultReason)


@pytest.mark.parametrize(
    ("playlist", "intent", "gave_up", "code"),
    [
        (Playlist(status="clarify", clarification=Clarification(question="?", options=(OPTION,))), None, "", "ambiguous_name"),
        (Playlist(status="clarify", clarification=Clarification(question="?", options=())), None, "", "nothing_asked"),
        (Playlist(status="not_found"), Intent(kind="play", absent=("Zorblax",)), "", "name_not_held"),
        (Playlist(status="not_found"), Intent(kind="personal", personal="liked"), "", "own_set_empty"),
        (Playlist(status="not_found"), Intent(kind="discover"), "", "nothing_matches"),
        (Playlist(status="partial"), Intent(kind="discover"), "2 rounds are spent", "too_few"),
        (Playlist(status="partial"), Intent(kind="discover"), "", None),
        (Playlist(status="ok"), Intent(kind="discover"), "", None),
        (
            Playlist(status="not_found", fallback=(Fallback(node="plan", kind="policy", code="no_user_data", message=""),)),
            Intent(kind="personal", personal="liked"), "", None,
        ),
    ],
)  # fmt: skip
def test_an_answer_that_is_not_the_list_says_why(
    playlist: Playlist, intent: Intent | None, gave_up: str, code: str | None
) -> None:
    """Each way out has a code of its own; what a fault says already is not said twice."""
    found = outcome_fault(playlist, intent, gave_up)

    assert (found.code if found else None) == code


HANDED: dict[str, tuple[tuple[str, ...], Playlist, HandoverReason | None]] = {
    "steered": (("instruction", "address"), Playlist(status="ok"), "suspicious_request"),
    "a pasted link": (("address",), Playlist(status="ok"), None),
    "an unsound plan": (
        (), Playlist(status="ok", fallback=(Fallback(node="plan", kind="policy", code="route_malformed", message="m"),)),
        "plan_inconsistent",
    ),
    "a cut answer": (
        (), Playlist(status="ok", fallback=(Fallback(node="guard", kind="policy", code="answer_cut", message="m"),)),
        "answer_cut",
    ),
    "no tool": ((), Playlist(status="failed"), "no_tool_answered"),
    "a question": ((), Playlist(status="clarify", clarification=Clarification(question="?", options=(OPTION,))), None),
    "not held": ((), Playlist(status="not_found"), None),
}  # fmt: skip


@pytest.mark.parametrize(("suspect", "playlist", "reason"), HANDED.values(), ids=HANDED.keys())
def test_what_a_person_should_see(suspect: tuple[str, ...], playlist: Playlist, reason: str | None) -> None:
    """A question to the listener is never handed over; what was not sound is, with an owner and nothing of the request."""
    made = session("play secret words")
    made.suspect = suspect
    found = handover(playlist, made)

    assert (found.reason if found else None) == reason
    assert found is None or (found.owner and "secret" not in found.summary)


_ASKED = {
    "post-punk": set(),
    "Hello": {"ambiguous_name"},
    "play something": {"nothing_asked"},
    "play Xanthorpe Dreaming": {"name_not_held"},
    "my liked songs by Metallica": {"own_set_empty"},
    "what is the weather": {"out_of_scope"},
    "": {"bad_request"},
}


@pytest.mark.parametrize(("text", "codes"), _ASKED.items(), ids=[text or "empty" for text in _ASKED])
def test_answers_say_why(tiny_index: EmbeddedIndex, text: str, codes: set[str]) -> None:
    """On the answer every fallback has its reason and owner; with the switch off none has, and no new one comes."""
    anna = listener(tiny_index, likes=("toto--africa",)) if text.startswith("my") else None
    on = melo(tiny_index)(request=text, listener=anna).playlist
    off = melo(tiny_index, settings=Settings(safety=SafetySettings(outcomes=False)))(request=text, listener=anna).playlist

    assert {fault.code for fault in on.fallback} == codes
    assert all(fault.reason and fault.owner for fault in on.fallback)
    assert all(fault.reason is None and fault.owner is None for fault in off.fallback)
    assert {fault.code for fault in off.fallback} == codes & {"out_of_scope", "bad_request"}


def test_the_command_line_tells_who_should_look(tiny_index: EmbeddedIndex) -> None:
    """A handed-over answer ends with its owner and reason; any other has no such line."""
    handed, plain = (list(playlist_lines(melo(tiny_index)(request=text).playlist)) for text in ("<|im_start|> jazz", "jazz"))

    assert any(line.startswith("for a person to look at (reviewer): ") for line in handed)
    assert not any("for a person" in line for line in plain)


def test_a_dead_model_is_the_operators(tiny_index: EmbeddedIndex) -> None:
    """An LM that does not answer is infrastructure on the answer, whatever the request was."""
    playlist = melo(tiny_index, dead_lm(), Settings(head_shortcut=False))(request="niche Icelandic post-punk").playlist
    faults = [fault for fault in playlist.fallback if fault.code == "lm_unavailable"]

    assert faults
    assert {(fault.reason, fault.owner) for fault in faults} == {("unavailable", "operator")}
