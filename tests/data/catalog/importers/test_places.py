from __future__ import annotations

import pytest

from data.catalog.importers.places import Places
from data.vocab.loader import Vocabulary


@pytest.mark.parametrize(
    ("word", "code"),
    [
        ("SE", "SE"),
        ("swe", "SE"),
        ("Sweden", "SE"),
        ("UK", "GB"),
        ("England", "GB"),
        ("USA", "US"),
        ("South Korea", "KR"),
        ("Türkiye", "TR"),
        ("turkey", "TR"),
        ("Cote d'Ivoire", "CI"),
        ("Russia", "RU"),
        ("Hong Kong", "HK"),
        ("XK", "XK"),
        ("中国", "CN"),
        ("nordic", None),
        ("Middle-earth", None),
        ("XX", None),
        ("", None),
    ],
)
def test_region(vocabularies: dict[str, Vocabulary], word: str, code: str | None) -> None:
    """Codes and names in any spelling become alpha-2; wider regions and unknown words do not."""
    assert Places(vocabularies["region"], vocabularies["language"]).region(word) == code


@pytest.mark.parametrize(
    ("word", "code"),
    [
        ("en", "en"),
        ("eng", "en"),
        ("English", "en"),
        ("pt_BR", "pt"),
        ("zh-Hant-TW", "zh"),
        ("cmn", "zh"),
        ("Mandarin", "zh"),
        ("zh-yue", "yue"),
        ("Cantonese", "yue"),
        ("nan", "nan"),
        ("nb", "no"),
        ("iw", "he"),
        ("arb", "ar"),
        ("tw", "tw"),
        ("mnk", "mnk"),
        ("Mandinka", "mnk"),
        ("国语", "zh"),
        ("français", None),
        ("elvish", None),
        ("xx", None),
        ("zxx", None),
        ("instrumental", None),
        ("", None),
    ],
)
def test_language(vocabularies: dict[str, Vocabulary], word: str, code: str | None) -> None:
    """Codes, tags and names become ISO 639-1, or 639-3 where there is none."""
    assert Places(vocabularies["region"], vocabularies["language"]).language(word) == code


def test_without_vocabularies() -> None:
    """Codes and English names need no vocabulary."""
    places = Places(None, None)

    assert (places.region("Sweden"), places.language("Swedish")) == ("SE", "sv")
