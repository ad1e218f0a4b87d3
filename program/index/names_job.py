"""The names index and the word list of a build, from the records alone; for a large catalog in a process beside the rest."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import orjson

from data.contracts import EntityType
from data.errors import InfrastructureError
from data.everyday import everyday_words
from data.respelling import respelled
from program.index.postings import NameCollector
from program.index.ranks import Numbers
from program.index.records import RecordReader
from program.index.word_tables import WordCollector

SEPARATE_ABOVE = 100_000
_NICE = 10
"""The tracks are the longer way and come first; the names take what the cores have left."""


def write_names(work: Path) -> int:
    """Write `work`/names and `work`/words from the records in `work`; returns how many keys there are."""
    names, words = NameCollector(), WordCollector(everyday_words())
    ranks: dict[EntityType, Numbers] = {"track": np.load(work / "popularity.npy", allow_pickle=False)}
    ranks["artist"] = _artists(work, names, words)
    ranks["album"] = _albums(work, names, words)
    tracks = RecordReader(work / "tracks.jsonl")
    popularity = ranks["track"].tolist()
    for row in range(len(tracks)):
        record = orjson.loads(tracks.line(row))
        aliases = record.get("aliases", ())
        if aliases:
            names.add_all("track", row, record["title"], aliases)
        else:
            names.add("track", row, record["title"])
        for name in (record["title"], *aliases):
            words.add_name(name, popularity[row])
    tracks.close()
    words.write(work / "words")
    return names.write(work / "names", ranks)


def _artists(work: Path, names: NameCollector, words: WordCollector) -> Numbers:
    reader = RecordReader(work / "artists.jsonl")
    ranks = np.zeros(len(reader))
    for row in range(len(reader)):
        entry = orjson.loads(reader.line(row))
        artist = entry["artist"]
        aliases = [name for kind in ("aliases", "former_names", "transliterations") for name in artist.get(kind, ())]
        keys = names.add_all("artist", row, artist["name"], aliases)
        words.add_words(keys, entry["popularity"])  # a whole name written as one word ("daftpunk")
        for name in (artist["name"], *aliases):
            words.add_name(name, entry["popularity"])
            for form in respelled(name):
                words.add_words(form.split(" "), entry["popularity"])
        ranks[row] = entry["popularity"]
    reader.close()
    return ranks


def _albums(work: Path, names: NameCollector, words: WordCollector) -> Numbers:
    reader = RecordReader(work / "albums.jsonl")
    ranks = np.zeros(len(reader))
    for row in range(len(reader)):
        entry = orjson.loads(reader.line(row))
        names.add("album", row, entry["name"])
        words.add_name(entry["name"], entry["popularity"])
        ranks[row] = entry["popularity"]
    reader.close()
    return ranks


class NamesJob:
    """The names index in the making: a second process for a large catalog, else done when it is waited for."""

    def __init__(self, work: Path, tracks: int) -> None:
        self._work = work
        self._process: subprocess.Popen[str] | None = None
        if tracks > SEPARATE_ABOVE:
            command = [sys.executable, "-m", "program.index.names_job", str(work)]
            self._process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def wait(self) -> int:
        """The number of keys, once the index is written.

        Raises:
            InfrastructureError: the process failed.
        """
        if self._process is None:
            return write_names(self._work)
        printed, complaint = self._process.communicate()
        if self._process.returncode != 0:
            last = complaint.strip().splitlines()[-1] if complaint.strip() else f"exit code {self._process.returncode}"
            raise InfrastructureError(f"the names index could not be built: {last}")
        return int(printed)

    def stop(self) -> None:
        """End the process when the build is given up."""
        if self._process is not None and self._process.poll() is None:
            self._process.kill()
            self._process.wait()


if __name__ == "__main__":
    gc.disable()  # as in the build beside it
    if hasattr(os, "nice"):
        os.nice(_NICE)
    sys.stdout.write(str(write_names(Path(sys.argv[1]))))
