"""The two native libraries of the index, imported in the one order that works.

With usearch 2.26.6 (its `numkong`) loaded first, importing onnxruntime 1.32.0 crashes the process; the other way round
both work. So nothing else in the project imports either of them.
"""

import onnxruntime
from usearch.index import Index as VectorIndex

InferenceSession = onnxruntime.InferenceSession
SessionOptions = onnxruntime.SessionOptions

__all__ = ["InferenceSession", "SessionOptions", "VectorIndex"]
