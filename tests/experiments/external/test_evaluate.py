"""`melo evaluate` and the error report, on invented sets."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from experiments.external import errors
from experiments.external.causes import mistakes
from experiments.external.reading import FoundSpan
from experiments.external.rows import GoldSpan, LabelledRequest
from experiments.external.scoring import NAME_FIGURES, SLOT_FIGURES, Answered, score
from optimizers.spans import NamedSpan
from program.index.engine import EmbeddedIndex
from tests.experiments.conftest import Run
from tests.tiny import TinyEmbedder

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")


def _request(text: str, *gold: tuple[str, str]) -> LabelledRequest:
    spans = [GoldSpan(text=name, type=kind, start=text.index(name), end=text.index(name) + len(name)) for name, kind in gold]
    return LabelledRequest(split="s", index=0, text=text, gold=tuple(spans))


def _answer(text: str, *found: tuple[str, str]) -> Answered:
    spans = [FoundSpan(name, text.index(name), text.index(name) + len(name), kind) for name, kind in found]  # type: ignore[arg-type]
    return Answered(tuple(spans), tuple(NamedSpan(text=span.text, type=span.type) for span in spans))


def test_figures_of_known_answers() -> None:
    """Track and album are one work for `work_f1` and two slots for `slot_f1`; the second system is compared with the first."""
    texts = ["cold room by vexa", "play vexa"]
    requests = [_request(texts[0], ("cold room", "album"), ("vexa", "artist")), _request(texts[1], ("vexa", "artist"))]
    good = [_answer(texts[0], ("cold room", "track"), ("vexa", "artist")), _answer(texts[1], ("vexa", "artist"))]
    poor = [_answer(texts[0]), _answer(texts[1], ("vexa", "artist"))]

    found = score(requests, {"good": good, "poor": poor}, SLOT_FIGURES, seed=0)
    values = {name: metric.value for name, metric in found.systems["good"].items()}

    assert values == {
        "micro_f1": 1.0, "precision": 1.0, "recall": 1.0, "artist_f1": 1.0, "work_f1": 1.0,
        "slot_f1": 0.6667, "track_f1": 0.0, "album_f1": 0.0,
    }  # fmt: skip
    assert found.systems["poor"]["recall"].value == 0.3333
    assert found.ahead_of["poor"]["recall"].value == 0.6667
    assert found.ahead_of["poor"]["recall"].lo >= 0


def test_json(run: Run, data: Path) -> None:
    """One object: each figure with its interval, each dataset apart, and all that is needed to repeat it."""
    done = run("evaluate", "music_ner", "--data", data / "music_ner", "--split", "train", "--json", "--seed", 7)
    found = json.loads(done.out)

    assert done.code == 0
    assert found["metrics"].keys() == NAME_FIGURES.keys()
    assert all(metric.keys() == {"value", "lo", "hi", "n", "runs"} for metric in found["metrics"].values())
    assert [part["split"] for part in found["by_split"]] == ["dataset1", "dataset2"]
    assert [part["metrics"]["micro_f1"]["n"] for part in found["by_split"]] == [2, 1]
    assert (found["set"], found["split"], found["seed"], found["lm"]) == ("music_ner", "train", 7, "none")
    assert found["settings_hash"] and found["catalog_hash"] and found["versions"]["python"]
    assert found["baselines"].keys() == found["differences"].keys() == {"longest_match"}


def test_table_files_and_limit(run: Run, data: Path, tmp_path: Path) -> None:
    """A table for a person; --out keeps spans by request number, and none of the request's words."""
    out = tmp_path / "out"
    done = run("evaluate", "music_ner", "--data", data, "--split", "dataset1", "--limit", 1, "--out", out)
    rows = [json.loads(line) for line in (out / "predictions.jsonl").read_text().splitlines()]

    assert done.code == 0
    assert done.lines[0] == "music_ner dataset1 (1 requests)"
    assert any(line.split()[0] == "micro_f1" for line in done.lines if line.strip())
    assert [(row["split"], row["index"]) for row in rows] == [("dataset1", 0)]
    assert rows[0]["gold"] == [{"start": 11, "end": 21, "type": "WoA"}, {"start": 25, "end": 36, "type": "Artist"}]
    assert {"start": 25, "end": 36, "type": "artist", "source": "entity"} in rows[0]["pred"]
    assert "zorn" not in (out / "predictions.jsonl").read_text()
    assert json.loads((out / "evaluation.json").read_text())["limit"] == 1


def test_snips(run: Run, data: Path) -> None:
    """The default split is the validation set, and slots are told apart."""
    found = json.loads(run("evaluate", "snips", "--data", data, "--json").out)

    assert found["split"] == "validate"
    assert found["metrics"].keys() == SLOT_FIGURES.keys()
    assert found["metrics"]["album_f1"]["value"] == 1.0


def test_settings_reach_the_reading(run: Run, data: Path, tmp_path: Path) -> None:
    """Spans of one word cannot hold the names of two, and the hash tells the settings apart."""
    file = tmp_path / "short.toml"
    file.write_text("[grounding]\nmax_span_tokens = 1\n")
    arguments = ("evaluate", "snips", "--data", data, "--json")
    usual, short = json.loads(run(*arguments).out), json.loads(run(*arguments, "--settings", file).out)

    assert short["settings_hash"] != usual["settings_hash"]
    assert short["baselines"]["longest_match"]["recall"]["value"] < usual["baselines"]["longest_match"]["recall"]["value"]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("nothing",), "no set is called nothing"),
        (("music_ner", "--split", "dataset9"), "music_ner has no split dataset9"),
        (("cpcd", "--lm", "openai/x"), "by code alone"),
    ],
)
def test_bad_usage_is_one_line(run: Run, data: Path, arguments: tuple[str, ...], told: str) -> None:
    """Exit code 2, nothing on stdout, one line that says what is wrong."""
    done = run("evaluate", *arguments, "--data", data)

    assert (done.code, done.out) == (2, "")
    assert told in done.err
    assert len(done.err.splitlines()) == 1


def test_causes(tiny_catalog: Path) -> None:
    """Each mistake gets a cause: a facet word, a wrong end, a wrong type, a name not held."""
    text = "rock like hello muse by quillor vane"
    request = _request(text, ("hello muse", "WoA"), ("quillor vane", "Artist"))
    answer = _answer(text, ("rock", "track"), ("muse", "artist"))
    index = EmbeddedIndex(tiny_catalog, embedder=TinyEmbedder())

    found = [(one.kind, one.cause) for one in mistakes(request, answer, index)]

    assert found == [
        ("wrong", "no name there: facet word read as a name (WoA)"),
        ("wrong", "span too short (entity)"),
        ("missed", "span too short (entity)"),
        ("missed", "not found: not in the catalog, after a by word"),
    ]
    index.close()


def test_error_report(data: Path, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Both kinds with their totals; a split that is not there is one line and exit code 2."""
    assert errors.main(["music_ner", "--data", str(data), "--split", "dataset1"]) == 0
    report = capsys.readouterr().out.splitlines()
    assert errors.main(["music_ner", "--data", str(data), "--split", "nowhere"]) == 2
    failed = capsys.readouterr().err

    assert [line for line in report if line.startswith(("wrong:", "missed:"))] == ["wrong: 0", "missed: 0"]
    assert "no split nowhere" in failed
