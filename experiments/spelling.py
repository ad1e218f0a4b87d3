"""`python -m experiments.spelling`: how many misspelt artists of a catalog are found, and what is found that nobody meant."""

from __future__ import annotations

import json
import time
from collections import Counter
from pathlib import Path
from random import Random
from typing import Annotated, Any

import numpy as np
import typer

from data.names import name_form, name_key
from experiments.bench.words import EVERYDAY, NEED_AN_LM, OPENINGS, SCENES
from experiments.misspelt import KINDS, misspelt
from program.grounding.lookup import look_up
from program.grounding.readings import understand_by_code
from program.index.engine import EmbeddedIndex
from program.settings import Settings

_PLACES = ("{}", "play some {}", "songs by {} please", "i want to hear {} tonight")
_LEAST_CHARS, _TALK_WORDS, _TALK_REQUESTS = 5, 8, 300


def measured(index: EmbeddedIndex, count: int, seed: int, settings: Settings) -> dict[str, Any]:
    """The share of misspelt artists that is found, by kind of slip; and the share of other requests where one is."""
    rng = Random(seed)
    names = [name for row in range(index.info.artists) if (name := _name(index, row))]
    rows: Counter[tuple[str, str]] = Counter()
    times: list[float] = []
    while len(times) < count:
        name, kind = rng.choice(names), KINDS[len(times) % len(KINDS)]
        wrong = misspelt(rng, name, kind)
        if wrong is None:
            continue
        text, begun = rng.choice(_PLACES).format(wrong), time.thread_time()
        lookup = look_up(text, index, settings.grounding)
        times.append((time.thread_time() - begun) * 1e3)
        artists = [m.posting.row for m in lookup.mentions if m.entity_type == "artist"]
        found = any(name_key(index.artist(row).artist.name) == name_key(name) for row in artists)
        read = [entity.name for entity in understand_by_code(text, index, settings).best.intent.entities]
        right = any(name_key(entity) == name_key(name) for entity in read)
        rows.update({(kind, "n"): 1, (kind, "found"): found, (kind, "read"): right, (kind, "wrong"): bool(read) and not right})
    held = [rng.choice(_PLACES).format(rng.choice(names)) for _ in range(count)]
    return {
        "n": count,
        "found": sum(rows[kind, "found"] for kind in KINDS) / count,
        "read": sum(rows[kind, "read"] for kind in KINDS) / count,
        "another_read_instead": sum(rows[kind, "wrong"] for kind in KINDS) / count,
        "found_by_kind": {kind: round(rows[kind, "found"] / rows[kind, "n"], 3) for kind in KINDS if rows[kind, "n"]},
        "look_up_cpu_ms": dict(zip(("p50", "p99"), np.percentile(times, [50, 99]).round(3).tolist(), strict=True)),
        "corrected_though_right": _corrected(index, held, settings),
        "corrected_talk": _corrected(index, _talk(rng), settings),
        "settings": settings.hash(),
        "catalog": index.info.content_hash,
        "seed": seed,
    }


def _name(index: EmbeddedIndex, row: int) -> str:
    """The artist's name, if it is long enough to be misspelt and in Latin letters; else empty."""
    entry = index.artist(row)
    name = entry.artist.name
    return name if entry.available_tracks and len(name_key(name)) >= _LEAST_CHARS and name_form(name).isascii() else ""


def _talk(rng: Random) -> list[str]:
    """Requests that name nothing."""
    requests = [*NEED_AN_LM, *(f"{rng.choice(OPENINGS)} music for {scene}" for scene in SCENES)]
    while len(requests) < _TALK_REQUESTS:
        requests.append(" ".join([rng.choice(OPENINGS), *(rng.choice(EVERYDAY) for _ in range(_TALK_WORDS))]))
    return requests


def _corrected(index: EmbeddedIndex, requests: list[str], settings: Settings) -> float:
    """Share of the requests whose reading has a name that is not spelt so in them."""
    count = 0
    for request in requests:
        reading = understand_by_code(request, index, settings).best
        loose = {item.evidence_id for item in reading.evidence if item.match == "fuzzy"}
        count += any(entity.evidence_id in loose for entity in reading.intent.entities)
    return count / len(requests)


def main(
    catalog: Annotated[Path, typer.Option(help="index folder")],
    n: Annotated[int, typer.Option(help="misspelt requests", min=10)] = 1_000,
    seed: Annotated[int, typer.Option()] = 7,
    settings: Annotated[Path | None, typer.Option(help="a settings file (TOML)")] = None,
) -> None:
    """Measure how misspelt names are found in a catalog; prints one JSON object."""
    index = EmbeddedIndex(catalog)
    chosen = Settings() if settings is None else Settings.load(settings)
    typer.echo(json.dumps(measured(index, n, seed, chosen), indent=1))
    index.close()


if __name__ == "__main__":
    typer.run(main)
