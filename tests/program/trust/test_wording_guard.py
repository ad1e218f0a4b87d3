"""What is shown is plain text in the listener's script, without claims that no list of songs may make."""

from __future__ import annotations

from typing import Any

import pytest

from data.contracts import ContractTrack, ReplyContract, TaskState
from program.index.engine import EmbeddedIndex
from program.settings import SafetySettings, Settings
from program.trust.wording_guard import form_faults, risk_faults, script_faults, shown
from tests.sessions import melo, scripted, words

CURE = ContractTrack(ref="t1", track_id="c", title="<b>A Forest</b>", artists=("The Cures Password",))
CONTRACT = ReplyContract(request="songs", tracks=(CURE,), task=TaskState(names=("晴天",)))
RISKY = {
    "en": "This list cures your headache.", "zh": "点击这里免费下载。", "ja": "無料ダウンロードはこちら。",
    "ko": "여기를 클릭하세요.", "de": "Hier klicken und kostenloser Download.",
    "es": "Haz clic, descarga gratis.", "fr": "Cliquez ici pour le mot de passe.",
    "it": "Clicca qui e scarica gratis.", "pt": "Clique aqui, baixe grátis.", "nl": "Klik hier, gratis download.",
    "tr": "Buraya tıkla, hemen satın al.", "ru": "Нажмите здесь, скачать бесплатно.", "pl": "Kliknij tutaj, kup teraz.",
    "sv": "Klicka här, köp nu.",
}  # fmt: skip


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\x1b[31mred\x1b[0m", "red"), ("a\u202eb\u2066c", "abc"), ("zero\u200bwidth\ufeff", "zerowidth"), ("a\nb\x00c", "a b c"),
        ("می‌خوام", "می‌خوام"), ("🖤", "🖤"), ("</3", "</3"), ("[untitled]", "[untitled]"), ("Sigur Rós", "Sigur Rós"),
    ],
)  # fmt: skip
def test_hidden_characters_are_not_shown(text: str, expected: str) -> None:
    """Controls, escapes and reordering marks go; joiners and every visible character stay."""
    assert shown(text) == expected
    assert shown(shown(text)) == expected


@pytest.mark.parametrize("text", ["**x** <script>y</script>", "[x](http://y)", '{"title": "x"}', "$(id)", "a\nb", "x\u202ey"])
def test_what_is_not_plain_text_is_a_fault(text: str) -> None:
    """Markup, addresses, JSON, commands, several lines."""
    assert form_faults(text, CONTRACT)


def test_names_are_no_faults() -> None:
    """A name of the contract may look like markup and sound like a claim."""
    assert form_faults("Dark songs with <b>A Forest</b>", CONTRACT) == []
    assert risk_faults("Dark songs by The Cures Password", CONTRACT) == []
    assert script_faults("Rainy songs like 晴天", CONTRACT) == []


@pytest.mark.parametrize(("language", "text"), RISKY.items(), ids=RISKY)
def test_risky_words_in_fourteen_languages(language: str, text: str) -> None:
    """Promises of health, money and downloads are named."""
    assert risk_faults(text, CONTRACT)


@pytest.mark.parametrize(
    "text",
    ["Quiet piano for a rainy night.", "Songs to heal a broken heart.", "适合雨夜的钢琴曲。", "Traurige Lieder für die Nacht.",
     "Canciones para curar el corazón.", "Des chansons pour guérir un chagrin."],
)  # fmt: skip
def test_plain_words_are_not_risky(text: str) -> None:
    """What lists are described with."""
    assert risk_faults(text, CONTRACT) == []
    assert form_faults(text, CONTRACT) == []


@pytest.mark.parametrize(
    ("locale", "text", "is_right"),
    [
        ("en", "Quiet songs", True), ("en", "安静的歌", False), ("zh", "安静的歌", True), ("zh", "Quiet songs", False),
        ("ja", "静かな曲", True), ("ko", "조용한 노래", True), ("ko", "Quiet songs", False), ("ru", "Тихие песни", True),
        ("ru", "Quiet songs", False), ("de", "Leise Lieder", True), ("de", "Тихие песни", False), ("ar", "أغان هادئة", True),
    ],
)  # fmt: skip
def test_the_script_is_the_listeners(locale: str, text: str, is_right: bool) -> None:
    """Words in another script than the language of the request are sent back."""
    assert (script_faults(text, CONTRACT.model_copy(update={"locale": locale})) == []) is is_right


SAID = words("All post-punk", "Post-punk songs guaranteed to please.")


@pytest.mark.parametrize("on", [True, False])
def test_the_switch_decides_what_a_model_may_say(tiny_index: EmbeddedIndex, on: bool) -> None:
    """A claim is sent back and then written by template; with the switch off it reaches the listener."""
    lm, engine = scripted([("synthesize", SAID)])
    off = frozenset({"reply_grounded"})
    settings = Settings(safety=SafetySettings(after=on), assertions_off=off)
    playlist: Any = melo(tiny_index, lm, settings)(request="post-punk").playlist

    assert (playlist.description == SAID["description"]) is not on
    assert ([fault.code for fault in playlist.fallback] == ["reply_formed"]) is on
    assert sum(prompt.node == "synthesize" for prompt in engine.prompts) == (2 if on else 1)


@pytest.mark.parametrize("on", [True, False])
def test_a_title_does_not_carry_a_requests_markup(tiny_index: EmbeddedIndex, on: bool) -> None:
    """A template that quotes the request leaves out its links; with the switch off it does not."""
    settings = Settings(safety=SafetySettings(after=on, before=False, closure=False))
    playlist = melo(tiny_index, settings=settings)(request="waltz totem dive https://host.example/x").playlist

    assert playlist.tracks
    assert ("https://" in playlist.title) is not on
    assert ("answer_unformed" in {fault.code for fault in playlist.fallback}) is on
    assert playlist.handover is None
