"""The figures of the Melo paper that tables stand beside. Another catalog, another model, other requests: not ours to reach.

Shares are 0..1, times milliseconds. The paper gives standard deviations over three runs and no intervals.
"""

from __future__ import annotations

from collections.abc import Mapping

MISIDENTIFIED: Mapping[str, tuple[float, float]] = {
    "full": (0.096, 0.021),
    "no_l3": (0.108, 0.0),
    "l1_only": (0.134, 0.008),
    "none": (0.174, 0.018),
}
"""Configuration → mean and standard deviation. Source: Table 2."""
LAYER_SHARES: Mapping[str, float] = {"L3": 0.012, "L2": 0.026, "L1": 0.040}
"""Mistakes that each layer avoids. Source: Table 2."""
NODE_P50_MS: Mapping[str, Mapping[str, float]] = {
    "understand": {"full": 9_600, "no_l3": 8_900, "l1_only": 8_300, "none": 7_000},
    "plan": {"full": 9_700, "no_l3": 9_200, "l1_only": 8_900, "none": 7_900},
}
"""Node → configuration → median. Source: Table 2."""
TRIGGERED: Mapping[str, float] = {
    "trigger": 0.058, "relaxed": 0.52, "rewrite": 0.48, "recovery": 0.591, "recovery_relaxed": 0.63, "recovery_rewrite": 0.56,
    "exhausted": 0.409, "preservation": 0.77, "degraded_relaxed": 0.294, "degraded_rewrite": 0.143, "intent_preserving": 0.46,
}  # fmt: skip
"""Sessions in which a retry was triggered. Source: Table 3 and section 4; the trigger rate is of a stress set, not of traffic."""
RETRY_TRACKS = (18.45, 18.24)
"""Tracks returned with and without retry. Source: Table 4."""
RETRY_CANDIDATES = 17.5
"""Candidates more, on the requests that retry helps. Source: Table 4."""
RETRY_P50_MS, RETRY_P99_MS = (32_500, 28_400), (57_200, 43_600)
"""Whole answer with and without retry. Source: Table 4."""
LATENCY_MS: Mapping[str, tuple[float, float]] = {
    "understand": (8_000, 18_600),
    "plan": (8_200, 18_800),
    "execute": (40, 500),
    "reflect": (0, 3_900),
    "synthesize": (10_300, 23_400),
    "total": (26_000, 52_600),
}
"""Node → P50 and P99 of sessions without retry, full defence. Source: Table 5."""
REFLECT_TRIGGERED_P50_MS = 6_400
"""REFLECT's median in triggered sessions. Source: section 4."""
