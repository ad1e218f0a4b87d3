"""Proves the labels: against the demo catalog, against one another, and against the sets' quotas.

`python -m data.sets.check` prints what is wrong (nothing, when all is well) and the sets' counts, and exits 1 when
anything is. `--catalog DIR` checks against another catalog, `--right` adds how many tracks each row's grades have.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from data.catalog.demo_files import demo_path
from data.labelled import KINDS, Condition, LabelledEntity, LabelledRow, Reading
from data.names import name_key
from data.sets.census import Census
from data.sets.counts import counts_table
from data.sets.skeleton import normal_request, skeleton
from data.sets.splits import all_rows, frozen_splits, make_manifest, read_manifest
from data.vocab.loader import FACET_FILES, load_vocabularies

LEAST_ROWS = {"entity": 210, "longtail": 240, "regular": 150}
LEAST_A_KIND = 20
LEAST_CHINESE, LEAST_OTHER_LANGUAGES = 0.15, 0.10
MOST_A_TEMPLATE = 3
MOST_BARE = 0.15
"""Share of a set that may be nothing but names and facet words ("bach", "happy songs")."""
TAU_SIZE = 1.5
"""The size gate of REFLECT (Melo, appendix): a list of n tracks wants 1.5 n candidates."""


def check_rows(rows: Sequence[LabelledRow], census: Census) -> Iterator[str]:
    """What is wrong with single rows."""
    for row in rows:
        for problem in (*_names(row, census), *_values(row), *_quality(row, census)):
            yield f"{row.qid}: {problem}"


def _entities(row: LabelledRow) -> tuple[LabelledEntity, ...]:
    readings = row.ambiguity.readings if row.ambiguity else ()
    return (*row.entities, *(entity for reading in readings for entity in reading))


def _names(row: LabelledRow, census: Census) -> Iterator[str]:
    for entity in _entities(row):
        yield from (
            f"no such {entity.entity_type}: {one}" for one in entity.ids if not census.has_entity(entity.entity_type, one)
        )
    for condition in _conditions(row):
        if condition.field in ("track", "artist", "album"):
            missing = [one for one in condition.values if not census.has_entity(condition.field, one)]
            yield from (f"no such {condition.field}: {one}" for one in missing)
    yield from (f"the catalog does hold {name!r}" for name in row.absent if name_key(name) in census.name_keys)


def _conditions(row: LabelledRow) -> Iterator[Condition]:
    yield from row.quality.excluded
    for rule in row.quality.rules:
        yield from rule.where


def _values(row: LabelledRow) -> Iterator[str]:
    vocabularies = load_vocabularies()
    for wanted in row.constraints:
        for reading in (Reading(facet=wanted.facet, op=wanted.op, values=wanted.values), *wanted.also):
            if reading.op == "range":
                yield from (f"{reading.facet}: {one!r} is no number" for one in reading.values if one and not _is_number(one))
            else:
                unknown = [one for one in reading.values if one not in vocabularies[reading.facet]]
                yield from (f"{reading.facet}: {one} is not in the vocabulary" for one in unknown)
    for condition in _conditions(row):
        if condition.field in FACET_FILES and condition.values:
            unknown = [one for one in condition.values if one not in vocabularies[condition.field]]
            yield from (f"{condition.field}: {one} is not in the vocabulary" for one in unknown)


def _is_number(text: str) -> bool:
    return text.replace(".", "", 1).isdecimal()


def _quality(row: LabelledRow, census: Census) -> Iterator[str]:
    """Whether predicate, least number, retry and the rest agree with the catalog and with one another."""
    counts, quality = census.grade_counts(row), row.quality
    right, good = counts[3], counts[3] + counts[2]
    if quality.satisfiable != bool(right):
        yield f"satisfiable is {quality.satisfiable}, and {right} tracks are right"
    if quality.least > min(good, quality.size):
        yield f"at least {quality.least} of {quality.size} tracks, and {good} are good"
    if not quality.least and quality.personal == "none" and row.retry[0] != "fallback":
        yield "asks for no track at all"
    yield from _retry(row, right, sum(counts.values()))


def _retry(row: LabelledRow, right: int, useful: int) -> Iterator[str]:
    size, first = row.quality.size, row.retry[0]
    bounded = row.quality.personal != "none" or any(e.role == "target" and not e.optional for e in row.entities)
    if first == "none" and not bounded and not row.ambiguous and right < size:
        yield f"no repair, and only {right} tracks of {size} are right"
    if row.retry == ("none",) and not bounded and not row.ambiguous and right < math.ceil(TAU_SIZE * size) and size > 1:
        yield f"a repair is ruled out, and {right} right tracks do not pass the size gate"
    if first == "relaxed":
        if not any(wanted.relaxable for wanted in row.constraints):
            yield "relaxed, and nothing may be relaxed"
        if useful <= right:
            yield "relaxed, and that brings no track"
    if first == "fallback" and right >= math.ceil(TAU_SIZE * size):
        yield f"a fallback, and {right} tracks are right"
    if (first == "clarify") != (row.ambiguity is not None and row.ambiguity.answers[0] == "ask"):
        yield "the best repair and the best answer to the ambiguity differ"


def check_sets(rows: Sequence[LabelledRow]) -> Iterator[str]:
    """What is wrong with the sets as a whole: duplicates, templates, quotas."""
    yield from _repeated(rows)
    for name in KINDS:
        members = [row for row in rows if row.set == name]
        if len(members) < LEAST_ROWS[name]:
            yield f"{name}: {len(members)} rows of {LEAST_ROWS[name]}"
        kinds: Counter[str] = Counter(row.kind for row in members)
        yield from (f"{name}: {kinds[kind]} rows of {kind}" for kind in KINDS[name] if kinds[kind] < LEAST_A_KIND)
        bare = sum(skeleton(row) == "_" for row in members)
        if bare > MOST_BARE * len(members):
            yield f"{name}: {bare} requests of {len(members)} are bare names or facet words"
    chinese = sum(row.locale.startswith("zh") for row in rows)
    other = sum(not row.locale.startswith(("zh", "en")) for row in rows)
    if chinese < LEAST_CHINESE * len(rows):
        yield f"{chinese} of {len(rows)} requests are Chinese"
    if other < LEAST_OTHER_LANGUAGES * len(rows):
        yield f"{other} of {len(rows)} requests are in other languages"


def _repeated(rows: Sequence[LabelledRow]) -> Iterator[str]:
    same: dict[str, list[str]] = defaultdict(list)
    alike: dict[str, list[str]] = defaultdict(list)
    for row in rows:
        same[normal_request(row.request)].append(row.qid)
        alike[skeleton(row)].append(row.qid)
    yield from (f"the same request: {' '.join(qids)}" for qids in same.values() if len(qids) > 1)
    numbers = Counter(row.qid for row in rows)
    yield from (f"{qid}: the id is used {count} times" for qid, count in numbers.items() if count > 1)
    for template, qids in alike.items():
        if template != "_" and len(qids) > MOST_A_TEMPLATE:
            yield f"one template, {len(qids)} rows: {template!r}: {' '.join(qids)}"


def near_pairs(qids: Sequence[str], similarity: Sequence[Sequence[float]], floor: float) -> list[tuple[str, str, float]]:
    """Pairs of requests that lie close, closest first.

    Args:
        similarity: cosine of every request with every other, in the order of `qids`.
        floor: pairs below it are left out.
    """
    count = len(qids)
    pairs = [(qids[i], qids[j], float(similarity[i][j])) for i in range(count) for j in range(i + 1, count)]
    return sorted((pair for pair in pairs if pair[2] >= floor), key=lambda pair: -pair[2])


def check_splits(rows: Sequence[LabelledRow]) -> Iterator[str]:
    """Whether the frozen manifest is that of the rows."""
    manifest = read_manifest()
    if manifest != make_manifest(rows, frozen_splits(manifest)):
        yield "manifest.json is not that of the rows: python -m data.sets.splits --write, and say why in CHANGELOG.md"


def problems(rows: Sequence[LabelledRow], census: Census) -> list[str]:
    """Everything that is wrong, in words."""
    return [*check_rows(rows, census), *check_sets(rows), *check_splits(rows)]


def _right_lines(rows: Iterable[LabelledRow], census: Census) -> Iterator[str]:
    for row in rows:
        counts = census.grade_counts(row)
        yield f"{row.qid} {row.kind}: {counts[3]} right, {counts[2]} good, {counts[1]} related, at least {row.quality.least}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the checker; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m data.sets.check", description="Check the labelled sets.")
    parser.add_argument("--catalog", type=Path, default=demo_path(), metavar="DIR")
    parser.add_argument("--right", action="store_true", help="print each row's number of right tracks")
    options = parser.parse_args(arguments)
    rows, census = all_rows(), Census.read(options.catalog)
    found = problems(rows, census)
    lines = [*(_right_lines(rows, census) if options.right else ()), *found, "", counts_table(rows), f"{len(found)} problems"]
    sys.stdout.write("\n".join(lines) + "\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
