"""A maintainer's tool: what Melo gets wrong on an external set, grouped by cause, with examples. It prints and writes nothing.

`python -m experiments.external.errors music_ner --data DIR --split dataset1`. The test split is not for it: a group that was
looked at has been tuned to.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

from data.errors import MeloError
from experiments.external.catalogs import open_catalog
from experiments.external.causes import Mistake, mistakes
from experiments.external.evaluation import read_requests
from experiments.external.reading import read_spans
from experiments.external.scoring import answer
from experiments.external.sets import SPAN_SETS
from program.settings import Settings


def grouped(found: Sequence[Mistake], examples: int, seed: int) -> Iterator[str]:
    """The report: a heading a kind, a line a cause with its count, the largest first, and examples drawn at random."""
    rng = random.Random(seed)
    for kind in ("wrong", "missed"):
        groups: dict[str, list[Mistake]] = defaultdict(list)
        for mistake in found:
            if mistake.kind == kind:
                groups[mistake.cause].append(mistake)
        yield f"{kind}: {sum(map(len, groups.values())):,}"
        for cause, group in sorted(groups.items(), key=lambda item: (-len(item[1]), item[0])):
            yield f"{len(group):>5}  {cause}"
            yield from (f"         {mistake.shown}" for mistake in rng.sample(group, min(examples, len(group))))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the tool; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m experiments.external.errors", description="Group Melo's mistakes by cause.")
    parser.add_argument("set", choices=sorted(SPAN_SETS))
    parser.add_argument("--data", type=Path, required=True, metavar="DIR")
    parser.add_argument("--split", required=True)
    parser.add_argument("--examples", type=int, default=10, metavar="N", help="shown of each cause")
    parser.add_argument("--settings", type=Path, metavar="FILE")
    parser.add_argument("--seed", type=int, default=0, help="which examples are shown")
    options = parser.parse_args(arguments)
    span_set = SPAN_SETS[options.set]
    found: list[Mistake] = []
    try:
        settings = Settings.load(options.settings) if options.settings else Settings()
        requests = read_requests(span_set, options.data, options.split, None)
        with closing(open_catalog(options.set, options.data)) as index:
            for request in requests:
                answered = answer(read_spans, request, index, settings, whole=span_set.whole_words)
                found.extend(mistakes(request, answered, index))
    except MeloError as error:
        sys.stderr.write(f"{error.one_line()}\n")
        return error.exit_code
    for line in grouped(found, options.examples, options.seed):
        sys.stdout.write(f"{line}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
