from __future__ import annotations

import pytest

from program.grounding.locale import request_locale


@pytest.mark.parametrize(
    ("request_", "locale"),
    [
        ("play some jazz", "en"),
        ("", "en"),
        ("!!!", "en"),
        ("放点周杰伦的歌", "zh"),
        ("play 周杰伦", "zh"),
        ("竹内まりや", "ja"),
        ("東京の歌", "ja"),
        ("방탄소년단 틀어줘", "ko"),
        ("включи музыку", "ru"),
        ("شغل موسيقى", "ar"),
        ("παίξε μουσική", "el"),
        ("נגן מוזיקה", "he"),
        ("เปิดเพลง", "th"),
        ("गाना बजाओ", "hi"),
        ("pon algo de rock para bailar", "es"),
        ("mets une chanson pour danser", "fr"),
        ("spiele Musik von Kent", "de"),
        ("quero ouvir uma música", "pt"),
        ("metti una canzone di Mina", "it"),
        ("Voodoo Child", "en"),
        ("puść coś wesołego", "pl"),
        ("spela något lugnt", "sv"),
        ("portekizce fado", "tr"),
        ("ambient sombrio", "pt"),
        ("snabb drum and bass", "sv"),
        ("play portekizce fado", "en"),
    ],
)
def test_locale(request_: str, locale: str) -> None:
    """The script tells, else two common words of a language; one word alone is not enough."""
    assert request_locale(request_) == locale


@pytest.mark.parametrize("request_", ["algo", "una", "chansons", "lieder"])
def test_one_word_is_not_enough(request_: str) -> None:
    """A single foreign word may be a title."""
    assert request_locale(request_) == "en"
