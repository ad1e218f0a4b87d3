"""Writes a LoRA adapter as llama.cpp reads it. Needs the package `gguf` (extra `finetune`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

MODULES = ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj")
"""The matrices of a Llama layer that are adapted."""
_BLOCK_NAMES = ("attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down")
_NAMED = dict(zip(MODULES, _BLOCK_NAMES, strict=True))
Matrix = NDArray[np.floating[Any]]


@dataclass(frozen=True)
class Heads:
    """Attention heads of the model: of the queries, and of the keys and values."""

    queries: int
    keys: int


def write_adapter(path: Path, matrices: Mapping[tuple[int, str], tuple[Matrix, Matrix]], heads: Heads, alpha: float) -> None:
    """Write an adapter in half precision.

    Args:
        matrices: (layer, one of `MODULES`) → A of shape (rank, inputs) and B of shape (outputs, rank), in the row order of
            Hugging Face's Llama. alpha: the adapter's product is scaled by alpha / rank.
    """
    import gguf

    writer = gguf.GGUFWriter(path, "llama")
    writer.add_type("adapter")
    writer.add_string("adapter.type", "lora")
    writer.add_float32("adapter.lora.alpha", alpha)
    for (layer, module), (a, b) in sorted(matrices.items()):
        if module in ("q_proj", "k_proj"):
            b = rotary_rows(b, heads.queries if module == "q_proj" else heads.keys)
        name = f"blk.{layer}.{_NAMED[module]}.weight"
        writer.add_tensor(f"{name}.lora_a", np.ascontiguousarray(a, dtype=np.float16))
        writer.add_tensor(f"{name}.lora_b", np.ascontiguousarray(b, dtype=np.float16))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def rotary_rows(matrix: Matrix, heads: int) -> Matrix:
    """The rows of a query or key matrix in llama.cpp's order: within each head the two halves interleaved."""
    rows, columns = matrix.shape
    return matrix.reshape(heads, 2, rows // heads // 2, columns).swapaxes(1, 2).reshape(rows, columns)
