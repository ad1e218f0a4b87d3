"""The ranking weights: hand-set, or learned and kept beside the index."""

from __future__ import annotations

from pathlib import Path

import pytest

from data.errors import InputError
from program.tools.weights import BY_MEANING, FILE, HAND_SET, RankerFile, load_weights


def test_without_a_file_they_are_set_by_hand(tmp_path: Path) -> None:
    """No file, no change."""
    assert load_weights(tmp_path) is HAND_SET


def test_a_learned_file_takes_their_place(tmp_path: Path) -> None:
    """What was learned counts, what was not stays; the name tells the files apart."""
    for number in (1, 2):
        made = RankerFile(catalog="c", by_facet={"relevance": number})
        (tmp_path / str(number)).mkdir()
        (tmp_path / str(number) / FILE).write_text(made.model_dump_json())
    one, other = load_weights(tmp_path / "1"), load_weights(tmp_path / "2")

    assert dict(one.of(by_meaning=False)) == {"relevance": 1}
    assert one.of(by_meaning=True) == BY_MEANING
    assert one.name != other.name


@pytest.mark.parametrize(
    "body", ["", "{", "[]", '{"format": 2, "catalog": "c"}', '{"catalog": "c", "by_facet": {"x": "y"}}', "\xff"]
)
def test_a_damaged_file(tmp_path: Path, body: str) -> None:
    """It is told with the way out, not passed over."""
    (tmp_path / FILE).write_bytes(body.encode("latin-1"))

    with pytest.raises(InputError, match="cannot be used") as caught:
        load_weights(tmp_path)
    assert "melo user learn" in caught.value.hint
