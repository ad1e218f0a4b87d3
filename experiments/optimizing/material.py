"""What `melo optimize finetune` learns from and chooses by, and which requests a teacher may be asked about.

No dev or test row is learned from, whoever labelled it and whatever file it came in: requests are compared by their normal form.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from experiments.external import music_ner
from experiments.external.rows import LabelledRequest, folder_of
from experiments.labelled_run import ALL, rows_of
from experiments.optimizing.requests_file import request_key
from optimizers.finetune.examples import Example, Marked, example, of_rows
from program.bundle.manifest import Source

_OWN = Source(name="Melo labelled sets", licence="Apache-2.0", split="train")
_MUSIC_NER = Source(name="MusicRecoNER (deezer/music-ner-eacl2023)", licence="MIT", split="dataset1, dataset2")
_DEV_EVERY = 6
"""Of the requests of MusicRecoNER each sixth chooses the epoch and is not learned from (own choice)."""


@dataclass(frozen=True)
class Material:
    """Requests labelled by people.

    Attributes:
        fit, dev: to learn from, and to choose the epoch by. barred: keys of what must not be learned from.
    """

    fit: tuple[Example, ...]
    dev: tuple[Example, ...]
    sources: tuple[Source, ...]
    barred: frozenset[str]


@dataclass(frozen=True)
class Unlabelled:
    """Requests for a teacher, each once.

    Attributes:
        rows: of the train rows, and after them of a person's own file. barred: of that file, because they are dev or test rows.
    """

    texts: tuple[str, ...]
    rows: int
    barred: int


def material(train: str, dev: str, names: Path | None) -> Material:
    """What people labelled.

    Args:
        train, dev: name of a labelled set or `all`. names: folder of MusicRecoNER; None: the project's own rows alone.

    Raises:
        InputError: there is no such set, or a file of the folder cannot be used.
    """
    fit, chosen = of_rows(rows_of(train, "train"), "own"), of_rows(rows_of(dev, "dev"), "own")
    barred = {request_key(row.request) for split in ("dev", "test") for row in rows_of(ALL, split)}
    sources: tuple[Source, ...] = (_OWN,)
    if names is not None:
        known = [_marked(one) for split in music_ner.SPLITS[:2] for one in music_ner.requests(names, split)]
        held = known[_DEV_EVERY - 1 :: _DEV_EVERY]
        barred |= {request_key(text) for text in (*_texts(held), *_tested(names))}
        taken = [one for number, one in enumerate(known, 1) if number % _DEV_EVERY]
        fit, chosen, sources = [*taken, *fit], [*held, *chosen], (_OWN, _MUSIC_NER)
    kept = tuple(one for one in fit if request_key(one.text) not in barred)
    return Material(kept, tuple(chosen), sources, frozenset(barred))


def unlabelled(found: Material, train: str, own: Sequence[str]) -> Unlabelled:
    """Requests without a person's label: of the train rows, and of a person's own file.

    Args:
        own: the texts of the file.
    """
    labelled = found.barred | {request_key(one.text) for one in found.fit}
    rows = _new([row.request for row in rows_of(train, "train")], labelled)
    texts = _new([*rows, *own], labelled)
    return Unlabelled(tuple(texts), len(rows), sum(request_key(text) in found.barred for text in own))


def _new(texts: Iterable[str], known: Iterable[str]) -> list[str]:
    """Those that are not known, each once, in their order."""
    seen, found = set(known), list[str]()
    for text in texts:
        key = request_key(text)
        if key not in seen:
            found.append(text)
        seen.add(key)
    return found


def _texts(examples: Iterable[Example]) -> Iterable[str]:
    return (one.text for one in examples)


def _tested(names: Path) -> Iterable[str]:
    """The requests of MusicRecoNER's test set, where the folder holds it."""
    folder, split = folder_of(names, "music_ner", music_ner.SPLITS[0]), music_ner.SPLITS[2]
    return (one.text for one in music_ner.requests(names, split)) if (folder / split).is_dir() else ()


def _marked(request: LabelledRequest) -> Example:
    names = [Marked("artist" if span.type == "Artist" else "work", span.start, span.end) for span in request.gold]
    return example(request.text, names, "music_ner")
