from __future__ import annotations

import pytest

from data.vocab.era_phrases import EraPhrase, era_phrases

NOW = 2026


def longest(request: str) -> EraPhrase | None:
    return max(era_phrases(request, NOW), key=lambda phrase: phrase.end - phrase.start, default=None)


@pytest.mark.parametrize(
    ("request_text", "decade"),
    [
        ("des années 60", "1960s"),
        ("les années quatre-vingt-dix", "1990s"),
        ("rock de los años ochenta", "1980s"),
        ("nada de los 80", "1980s"),
        ("samba dos anos 30", "1930s"),
        ("anni '70", "1970s"),
        ("schlager der 70er jahre", "1970s"),
        ("die siebziger", "1970s"),
        ("muziek uit de jaren tachtig", "1980s"),
        ("хиты 80-х", "1980s"),
        ("九零年代國語情歌", "1990s"),
        ("上世纪八十年代", "1980s"),
        ("1990년대 발라드", "1990s"),
        ("the eighties", "1980s"),
        ("the 2010s", "2010s"),
        ("80'lerden rock", "1980s"),
        ("seksenlerden pop", "1980s"),
        ("восьмидесятых годов", "1980s"),
        ("팔십년대", "1980s"),
        ("lat osiemdziesiątych", "1980s"),
        ("från åttiotalet", "1980s"),
    ],
)
def test_a_decade_in_any_language(request_text: str, decade: str) -> None:
    """The words and the digits of a decade name it, whatever the language of the request."""
    found = longest(request_text)

    assert found is not None
    assert found.decade == decade


@pytest.mark.parametrize(
    ("request_text", "low", "high"),
    [
        ("anos 30 e 40", 1930, 1949),
        ("années 60 et 70", 1960, 1979),
        ("80er und 90er", 1980, 1999),
        ("老上海 三四十年代", 1930, 1949),
        ("90年代到现在", 1990, None),
        ("from the 80s to now", 1980, None),
        ("90s onwards", 1990, None),
        ("los años 90 hasta hoy", 1990, None),
        ("1980년대 이후", 1980, None),
        ("the last ten years", 2016, 2026),
        ("the past decade", 2016, 2026),
        ("les 20 dernières années", 2006, 2026),
        ("de los últimos cinco años", 2021, 2026),
        ("近十年", 2016, 2026),
        ("twentieth century", 1900, 1999),
        ("música del siglo xx", 1900, 1999),
        ("19. jahrhundert", 1800, 1899),
        ("二十世纪", 1900, 1999),
        ("this century", 2000, None),
        ("21st century", 2000, None),
        ("90'lar ve 2000'ler", 1990, 2009),
        ("80년대랑 90년대", 1980, 1999),
    ],
)
def test_a_span_of_years(request_text: str, low: int, high: int | None) -> None:
    """Several decades, what goes on until now, the last years, and centuries are ranges, both ends included."""
    found = longest(request_text)

    assert found is not None
    assert (found.low, found.high, found.decade) == (low, high, None)


@pytest.mark.parametrize(
    ("request_text", "low", "high"),
    [
        ("rock bis 1985", None, 1985),
        ("rock nach 1985", 1986, None),
        ("rock antes de 1985", None, 1984),
        ("rien après 1985", None, 1985),
        ("tra il 1970 e il 1985", 1970, 1985),
        ("nada antes de 1985", 1985, None),
        ("niets na 1985", None, 1985),
        ("ничего после 1985", None, 1985),
        ("с 1990 по 2000 год", 1990, 2000),
        ("1985'ten önce", None, 1984),
        ("1985 sonrası", 1986, None),
        ("1985年以降", 1985, None),
        ("1990年から2000年まで", 1990, 2000),
        ("1985년까지", None, 1985),
        ("sprzed 1985 roku", None, 1984),
        ("inget efter 1985", None, 1985),
    ],
)
def test_bounds_of_years(request_text: str, low: int | None, high: int | None) -> None:
    """A single year bounds a time by the words beside it, in each language's own order."""
    found = longest(request_text)

    assert found is not None
    assert (found.low, found.high) == (low, high)


@pytest.mark.parametrize("request_text", ["40 songs", "20 songs", "top 50", "120 bpm", "30 minutes", "Blink-182", "1985", "80"])
def test_a_bare_number_is_no_time(request_text: str) -> None:
    """A number needs a word of time beside it."""
    assert era_phrases(request_text, NOW) == []


def test_where_it_stands() -> None:
    """The phrase says which characters it covers."""
    request = "chanson triste des années 60, piano"
    found = longest(request)

    assert found is not None
    assert request[found.start : found.end] == "années 60"
