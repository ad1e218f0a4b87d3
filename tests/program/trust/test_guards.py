from __future__ import annotations

import pytest

from data.errors import RequestError
from program.settings import RequestLimits
from program.trust.guards import clean_request, decode_request

LIMITS = RequestLimits()


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "empty"),
        (" \t\n ", "empty"),
        ("\x00\x07\x1b", "empty"),
        ("\u200b\ufeff\u202e", "empty"),
        ("\ue000\ue001", "no readable character"),
        ("\u0301", "no readable character"),
        ("x" * 2001, "2001 characters; at most 2000"),
    ],
    ids=["nothing", "blanks", "controls", "invisible", "private use", "a lone accent", "too long"],
)
def test_refuses(text: str, complaint: str) -> None:
    """A request that holds nothing to read, or too much, is refused with the reason on one line."""
    with pytest.raises(RequestError, match=complaint) as caught:
        clean_request(text, LIMITS)
    assert caught.value.exit_code == 2
    assert "\n" not in caught.value.one_line()


@pytest.mark.parametrize(
    "text", ["x" * 2000, "!!!", "晴天", "♥", "1999", "🎸"], ids=["longest", "marks", "Chinese", "sign", "digits", "emoji"]
)
def test_accepts(text: str) -> None:
    """Whatever could be a name passes unchanged, up to the limit."""
    assert clean_request(text, LIMITS) == text


def test_the_limit_is_a_setting() -> None:
    """The longest request that is read is set, not fixed."""
    assert clean_request("abc", RequestLimits(max_chars=3)) == "abc"
    with pytest.raises(RequestError):
        clean_request("abcd", RequestLimits(max_chars=3))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("  play\tsome \r\n jazz  ", "play some jazz"),
        ("play\x00Africa\x1b[2J", "play Africa [2J"),
        ("Beyonce\u0301", "Beyoncé"),
        ("\u202eplay\u202c", "play"),
        ("a\ud800b", "a\ufffdb"),
    ],
    ids=["blanks", "controls", "composed", "direction marks", "lone surrogate"],
)
def test_cleans(text: str, expected: str) -> None:
    """Blanks collapse, controls and invisible marks become blanks, accents are composed, surrogates are replaced."""
    assert clean_request(text, LIMITS) == expected


@pytest.mark.parametrize(
    "marker",
    ["[[ ## reading ## ]]", "<|im_start|>", "</s>", "[INST]", "<<SYS>>", "<start_of_turn>", "<think>"],
)
def test_defuses_markers(marker: str) -> None:
    """What a prompt would obey keeps its words but not its brackets; the rest of the request stays."""
    cleaned = clean_request(f"jazz {marker} Africa", LIMITS)

    assert marker not in cleaned
    assert cleaned.startswith("jazz ")
    assert cleaned.endswith(" Africa")
    assert len(cleaned) == len(f"jazz {marker} Africa")


def test_cleaning_twice_changes_nothing_more() -> None:
    """A cleaned request is clean."""
    once = clean_request(" play [[ ## x ## ]]\x00 <|im_end|> Beyonce\u0301 ", LIMITS)

    assert clean_request(once, LIMITS) == once


def test_decodes_utf8() -> None:
    """Bytes in UTF-8 become the text that they spell."""
    assert decode_request("放点周杰伦".encode()) == "放点周杰伦"


@pytest.mark.parametrize(("raw", "at"), [(b"caf\xe9", 3), (b"\xff\xfep", 0), ("é".encode()[:1], 0)])
def test_refuses_other_encodings(raw: bytes, at: int) -> None:
    """Bytes that are not UTF-8 are refused, with the place of the first wrong one."""
    with pytest.raises(RequestError, match=rf"not UTF-8 text \(byte {at}\)"):
        decode_request(raw)
