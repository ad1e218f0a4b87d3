"""The sets' counts as Markdown, and their place in the datasheet: counted, never typed.

`python -m data.sets.counts` renews the datasheet's tables.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from importlib import resources
from pathlib import Path
from typing import get_args

from data.labelled import KINDS, FailureMode, LabelledRow, RetryAction, Split
from data.sets.splits import all_rows, assign, frozen_splits, read_manifest

START, END = "<!-- counts: made by python -m data.sets.counts -->", "<!-- end of counts -->"


def counts_table(rows: Sequence[LabelledRow]) -> str:
    """Tables of rows by kind and split, by language, by repair and by failure mode."""
    split_of = assign(rows, frozen_splits(read_manifest()))
    by_kind = [(name, kind) for name, kinds in KINDS.items() for kind in kinds]
    lines = ["| set | kind | " + " | ".join(get_args(Split)) + " | all |", "| --- | --- | --: | --: | --: | --: |"]
    for name, kind in by_kind:
        lines.append(_line(name, kind, [row for row in rows if (row.set, row.kind) == (name, kind)], split_of))
    for name in KINDS:
        lines.append(_line(name, "all", [row for row in rows if row.set == name], split_of))
    lines += [_line("all", "", rows, split_of), ""]
    lines += _tally("language", rows, lambda row: row.locale.removesuffix("-Hant"))
    lines += _tally("best repair", rows, lambda row: row.retry[0], get_args(RetryAction))
    lines += _tally("failure mode", rows, lambda row: row.failure_mode, get_args(FailureMode))
    lines += [f"Ambiguous: {sum(row.ambiguous for row in rows)}. With absent names: {sum(bool(row.absent) for row in rows)}. "]
    lines[-1] += f"Nothing in the demo catalog is right, on purpose: {sum(not row.quality.satisfiable for row in rows)}. "
    lines[-1] += f"Personal: {sum(row.quality.personal != 'none' for row in rows)}. "
    lines[-1] += f"In traditional characters: {sum(row.locale == 'zh-Hant' for row in rows)}."
    return "\n".join(lines)


def _line(name: str, kind: str, rows: Sequence[LabelledRow], split_of: dict[str, Split]) -> str:
    counts = Counter(split_of[row.qid] for row in rows)
    return " | ".join([f"| {name}", kind, *(str(counts[split]) for split in get_args(Split)), f"{len(rows)} |"])


def _tally(title: str, rows: Sequence[LabelledRow], key: Callable[[LabelledRow], str], order: Iterable[str] = ()) -> list[str]:
    counts = Counter(map(key, rows))
    names = [name for name in order if counts[name]] or [name for name, _ in counts.most_common()]
    share = [f"{name} {counts[name]} ({100 * counts[name] / len(rows):.1f} %)" for name in names]
    return [f"By {title}: {', '.join(share)}.", ""]


def datasheet_path() -> Path:
    """Where the datasheet lies."""
    return Path(str(resources.files("data.sets") / "DATASHEET.md"))


def with_counts(text: str, table: str) -> str:
    """The datasheet's text with its counts replaced.

    Raises:
        ValueError: the text has no place for them.
    """
    before, after = text.index(START) + len(START), text.index(END)
    return f"{text[:before]}\n{table}\n{text[after:]}"


def main() -> int:
    """Renew the datasheet; returns the exit code."""
    path = datasheet_path()
    path.write_text(with_counts(path.read_text(encoding="utf-8"), counts_table(all_rows())), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
