"""The adapter's file for llama.cpp."""

from __future__ import annotations

import numpy as np

from optimizers.finetune.gguf_file import rotary_rows


def test_rotary_rows_interleave_the_halves_of_each_head() -> None:
    """Hugging Face keeps the two halves of a head's rotation apart, llama.cpp has them in pairs."""
    rows = np.arange(8.0)[:, None]

    assert rotary_rows(rows, 2)[:, 0].tolist() == [0, 2, 1, 3, 4, 6, 5, 7]
    assert rotary_rows(rows, 1)[:, 0].tolist() == [0, 4, 1, 5, 2, 6, 3, 7]
    assert rotary_rows(np.ones((6, 3)), 1).shape == (6, 3)
