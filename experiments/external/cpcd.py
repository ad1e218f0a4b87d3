"""The dialogues of CPCD, turn by turn: what a listener says, and which of the tracks shown for it were liked.

Source: github.com/google-research-datasets/cpcd (CC BY 4.0), `dialogs.train.jsonl`: one dialogue a line. Only turns with a
liked track are asked. No track is liked twice in a dialogue, so nothing found earlier is asked for again.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
from pydantic import Field, ValidationError

from data.errors import LabelError
from experiments.external.rows import Row, bad_line, read_text, sibling

SPLITS = ("train",)


class Turn(Row):
    """One turn. index: 0-based position in the dialogue. liked: track ids."""

    index: int = Field(ge=0)
    text: str
    liked: frozenset[str] = Field(min_length=1)


class Dialogue(Row):
    """The turns of one dialogue that can be asked, in order. index: 0-based line of the file."""

    index: int = Field(ge=0)
    turns: tuple[Turn, ...]


def dialogues(data: Path, split: str) -> list[Dialogue]:
    """The dialogues of a split with at least one turn to ask.

    Raises:
        LabelError: the file is missing, or a line is malformed; names file and line.
    """
    name = f"dialogs.{split}.jsonl"
    path = sibling(data, "cpcd", name) / name
    lines = [line for line in enumerate(read_text(path).split("\n")) if line[1].strip()]
    found = [_dialogue(path, number, line) for number, line in lines]
    if not any(dialogue.turns for dialogue in found):
        raise LabelError(f"no turn with a liked track in {path}")
    return [dialogue for dialogue in found if dialogue.turns]


def _dialogue(path: Path, number: int, line: str) -> Dialogue:
    try:
        turns = [_turn(index, turn) for index, turn in enumerate(orjson.loads(line)["turns"])]
        return Dialogue(index=number, turns=tuple(turn for turn in turns if turn))
    except orjson.JSONDecodeError as error:
        raise bad_line(path, number + 1, f"not JSON: {error}") from error
    except (KeyError, TypeError, ValidationError) as error:
        raise bad_line(path, number + 1, "expected turns, each with user_query and liked_results") from error


def _turn(index: int, turn: Any) -> Turn | None:
    text, liked = turn["user_query"], turn["liked_results"]
    if not isinstance(text, str) or not isinstance(liked, list):
        raise TypeError
    return Turn(index=index, text=text, liked=frozenset(liked)) if liked else None
