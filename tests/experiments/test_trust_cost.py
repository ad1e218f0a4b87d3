"""The measure of the trust layer's cost: paired figures of four ways to answer."""

from __future__ import annotations

from pathlib import Path

from experiments.trust_cost import measured
from program.settings import Settings
from tests.tiny import build_tiny, open_tiny


def test_each_way_is_measured(tmp_path: Path) -> None:
    """Every way has its quantiles, those added are differences by request, and the sizes are told."""
    build_tiny(tmp_path / "index")
    index = open_tiny(tmp_path / "index")
    found = measured(index, ["post-punk", "Africa by Toto", "my liked songs"], 2, Settings())
    index.close()

    assert (found["n"], found["repeats"], found["settings"]) == (3, 2, Settings().hash())
    assert set(found["ms"]) == {"bare", "guarded", "guarded_and_judged", "whole_trust_layer"}
    assert set(found["added_ms"]) == {"guarded", "guarded_and_judged", "whole_trust_layer"}
    assert all(0 < way["p50"] <= way["p99"] for way in found["ms"].values())
