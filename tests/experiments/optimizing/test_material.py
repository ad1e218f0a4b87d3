"""What is learned from: labels of people first, and never a row of dev or test."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from data.labelled import LabelledRow, load_rows
from experiments.labelled_run import rows_of
from experiments.optimizing import material as module
from experiments.optimizing.material import material, unlabelled
from experiments.optimizing.requests_file import request_key
from tests.labelled import ADELE, named, row


@pytest.fixture
def sets(monkeypatch: pytest.MonkeyPatch) -> Callable[[str, list[LabelledRow]], None]:
    """Puts rows in the place of a split's; the others are the project's own."""
    given: dict[str, list[LabelledRow]] = {}
    monkeypatch.setattr(module, "rows_of", lambda name, split: given.get(split) or rows_of(name, split))
    return lambda split, rows: given.update({split: rows})


def _music_ner(folder: Path, **splits: list[str]) -> Path:
    """A folder of MusicRecoNER with these requests, in which nothing is named."""
    for split, texts in splits.items():
        (folder / split).mkdir(parents=True)
        lines = ["\n".join(f"{word}\tO" for word in text.split()) for text in texts]
        (folder / split / "ground-truth.bio").write_text("\n\n".join(lines) + "\n")
    return folder


def test_a_teacher_gets_the_train_rows_without_a_label() -> None:
    """Those whose absent names have no labelled kind, and no row that a person labelled whole."""
    found = material("entity", "entity", None)
    wanted = unlabelled(found, "entity", ())

    assert wanted.texts == tuple(one.request for one in load_rows("entity", "train") if one.absent)
    assert wanted.rows == len(wanted.texts) > 0
    assert len(found.fit) == sum(not one.absent for one in load_rows("entity", "train"))


def test_dev_and_test_rows_of_a_file_are_dropped() -> None:
    """However they are written; of every set, also of one that was not chosen."""
    dev, test = load_rows("regular", "dev")[0].request, load_rows("longtail", "test")[0].request
    own = ["a request of my own", f"  {dev.upper()}!", test]
    wanted = unlabelled(material("entity", "entity", None), "entity", own)

    assert wanted.texts[wanted.rows :] == ("a request of my own",)
    assert wanted.barred == 2


def test_a_persons_label_wins() -> None:
    """A request of the file that a person labelled is not asked about, and keeps that label; none is asked about twice."""
    labelled = next(one for one in load_rows("entity", "train") if not one.absent)
    absent = next(one for one in load_rows("entity", "train") if one.absent)
    found = material("entity", "entity", None)
    wanted = unlabelled(found, "entity", [labelled.request.title(), absent.request, "my own", "My own."])

    assert wanted.texts[wanted.rows :] == ("my own",)
    assert wanted.texts.count(absent.request) == 1
    assert sum(request_key(one.text) == request_key(labelled.request) for one in found.fit) == 1


def test_a_labelled_row_that_is_also_a_dev_row_is_not_learned_from(sets: Callable[[str, list[LabelledRow]], None]) -> None:
    """The same words in two splits: people's labels are barred as well."""
    hello = [named("Hello", "track", ADELE)]
    sets("train", [row("play Hello", entities=hello), row("Hello again", entities=hello, qid="entity-002")])
    sets("dev", [row("PLAY, hello", qid="entity-003")])

    assert [one.text for one in material("entity", "entity", None).fit] == ["Hello again"]


def test_held_out_requests_of_music_ner_are_barred(tmp_path: Path) -> None:
    """The sixth that chooses the epoch, its copies in the rest, and the test set where the folder holds it."""
    known = [f"request number {number}" for number in (0, 5, 2, 3, 4, 5)]
    folder = _music_ner(tmp_path, dataset1=known, dataset2=["tested words"], dataset3=["tested words", "seen in test"])
    found = material("entity", "entity", folder)
    wanted = unlabelled(found, "entity", ["Request number 5", "Seen in test", "request number 9"])
    learned = [one.text for one in found.fit if one.source == "music_ner"]

    assert learned == ["request number 0", "request number 2", "request number 3", "request number 4"]
    assert (wanted.texts[wanted.rows :], wanted.barred) == (("request number 9",), 2)
    assert [source.licence for source in found.sources] == ["Apache-2.0", "MIT"]


def test_a_folder_without_the_test_set_will_do(tmp_path: Path) -> None:
    """Nobody needs the test set to train."""
    found = material("entity", "entity", _music_ner(tmp_path, dataset1=["one two"], dataset2=["three four"]))

    assert {"one two", "three four"} <= {one.text for one in found.fit}
