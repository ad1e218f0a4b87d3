"""The two native libraries of the index, imported in the one order that works.

With usearch 2.26.6 (its `numkong`) loaded first, importing onnxruntime 1.32.0 crashes the process; the other way round
both work. So nothing else in the project imports either of them.
"""

from typing import Any

import numpy as np
import onnxruntime
from usearch.index import Index as VectorIndex
from usearch.index import search as _search

InferenceSession = onnxruntime.InferenceSession
SessionOptions = onnxruntime.SessionOptions

__all__ = ["InferenceSession", "SessionOptions", "VectorIndex", "exact_search"]


def exact_search(matrix: np.ndarray[Any, Any], vector: np.ndarray[Any, Any], limit: int) -> Any:
    """The rows of `matrix` nearest to `vector` by cosine, both int8; `keys` and `distances` (1 - cosine), best first."""
    return _search(matrix, vector, limit, metric="cos", exact=True)
