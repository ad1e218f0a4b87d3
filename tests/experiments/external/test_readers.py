"""The readers of external sets: what they yield, and one line with file and line for what they cannot read."""

from __future__ import annotations

from pathlib import Path

import pytest

from data.errors import LabelError
from experiments.external import music_ner, rows, snips
from tests.experiments.external.conftest import SHARED, write_snips


def test_music_ner_requests(data: Path) -> None:
    """Tokens make the text, tags the spans, blank lines the requests; offsets point at the span's words."""
    first, second = music_ner.requests(data / "music_ner", "dataset1")

    assert first.text == "songs like glass tide by zorn hollow"
    assert [(span.text, span.type) for span in first.gold] == [("glass tide", "WoA"), ("zorn hollow", "Artist")]
    assert all(first.text[span.start : span.end] == span.text for span in first.gold)
    assert (second.index, second.text, second.gold) == (1, "dark and slow music", ())


def test_music_ner_links(data: Path) -> None:
    """Every row of the three files, linked or not."""
    found = music_ner.links(data)

    assert [link.wiki_name for link in found] == [
        "Vexa_(band)", "Cold_Room_(Vexa_album)", "Ember%27s_Street_(song)", "", "Lanterns",
    ]  # fmt: skip
    assert found[0].exposure == 4.5


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("songs\tO\nlike X\n", ":2: expected a token, a tab"),
        ("songs\tB-Song\n", ":1: expected a token, a tab"),
        ("songs\tO\nlike\tI-WoA\n", ":2: I-WoA does not continue a span"),
        ("glass\tB-WoA\ntide\tI-Artist\n", ":2: I-Artist does not continue a span"),
        ("glass\tB-WoA\n\ntide\tI-WoA\n", ":3: I-WoA does not continue a span"),
        ("\n\n", "no request in"),
    ],
)
def test_malformed_tags(data: Path, text: str, told: str) -> None:
    """A bad line stops the reading and is named; a span never runs over a blank line."""
    (data / "music_ner" / "dataset1" / "ground-truth.bio").write_text(text)

    with pytest.raises(LabelError) as caught:
        music_ner.requests(data, "dataset1")
    assert told in caught.value.one_line()
    assert "ground-truth.bio" in caught.value.one_line()


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("a,Artist,q,w,band", ":2: expected 7 cells"),
        ("a,Song,q,w,band,A,1.0", ":2: the type is Song"),
        ("a,Artist,q,w,band,A,high", ":2: the exposure is high"),
        ("a,Artist,q,w,band,A,-1", ":2: the exposure is -1"),
    ],
)
def test_malformed_links(data: Path, line: str, told: str) -> None:
    """A row of the wrong width, type or number is named with its line."""
    path = data / "music_ner" / "dataset1" / "ground-truth_linked.csv"
    path.write_text(f"mention,type,query,wiki_link,wikidata_type,wiki_name,exposure\n{line}\n")

    with pytest.raises(LabelError) as caught:
        music_ner.links(data)
    assert f"{path}{told}" in caught.value.message


def test_wrong_columns(data: Path) -> None:
    """Another file's header is told at once."""
    (data / "music_ner" / "dataset2" / "ground-truth_linked.csv").write_text("a,b\n1,2\n")

    with pytest.raises(LabelError, match=r"linked\.csv:1: expected the columns"):
        music_ner.links(data)


def test_snips_requests(data: Path) -> None:
    """Pieces make the text; artist, album and track slots are spans without the signs at their edges."""
    write_snips(data, "validate_PlayMusic.json", [["Play ", ("Vexa.", "artist"), " on ", ("Tuner", "service")]])

    (request,) = snips.requests(data, "validate")

    assert request.text == "Play Vexa. on Tuner"
    assert [(span.text, span.type, span.start, span.end) for span in request.gold] == [("Vexa", "artist", 5, 9)]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{"PlayMusic": [\n{"data": [}\n]}', ":2: not JSON"),
        ('{"Other": []}', ":1: expected an object with a list PlayMusic"),
        ('{"PlayMusic": [{"data": [{"text": "play"}]}, {"text": 1}]}', "PlayMusic[1]: expected an object with a list data"),
        ('{"PlayMusic": [{"data": [{"entity": "artist"}]}]}', "PlayMusic[0]: a piece without a text"),
        ('{"PlayMusic": []}', "no request in"),
    ],
)
def test_malformed_snips(data: Path, text: str, told: str) -> None:
    """What is no such file is told with its line, or with the number of the request."""
    (data / "snips" / "validate_PlayMusic.json").write_text(text)

    with pytest.raises(LabelError) as caught:
        snips.requests(data, "validate")
    assert told in caught.value.one_line()


def test_stray_bytes_are_read(tmp_path: Path) -> None:
    """UTF-8 with a single Latin-1 byte in it: both letters come out."""
    path = tmp_path / "mixed"
    path.write_bytes("é".encode() + "ñ".encode("latin-1"))

    assert rows.read_text(path) == "éñ"


def test_missing_data_is_one_line(tmp_path: Path) -> None:
    """A folder that holds nothing says what is missing and what --data means."""
    with pytest.raises(LabelError) as caught:
        music_ner.requests(tmp_path, "dataset1")
    assert "dataset1 is missing" in caught.value.one_line()
    assert "--data" in caught.value.one_line()


@pytest.mark.skipif(not SHARED.is_dir(), reason="the external data sets are not beside this checkout")
def test_the_real_files_are_read_whole() -> None:
    """The published sizes: 600 requests a dataset, 100 and 2,000 of SNIPS; every offset points at its words."""
    sizes = {split: music_ner.requests(SHARED, split) for split in music_ner.SPLITS}
    sizes |= {split: snips.requests(SHARED, split) for split in snips.SPLITS}

    assert [len(found) for found in sizes.values()] == [600, 600, 600, 100, 2000]
    spans = [(request, span) for found in sizes.values() for request in found for span in request.gold]
    assert all(request.text[span.start : span.end] == span.text for request, span in spans)
