"""The tiny catalog's index with Semantic IDs, trained in a second or two."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from program.generative.fitting import Fit
from program.generative.train import TrainSettings, train_into
from tests.tiny import TinyEmbedder, build_tiny, open_tiny

QUICK = TrainSettings(requests=400, fit=Fit(passes=4, batch=64))


def build_tiny_with_ids(path: Path, settings: TrainSettings = QUICK) -> dict[str, Any]:
    """Build the index at `path` and train its Semantic IDs; returns what is told about them."""
    build_tiny(path)
    return train_tiny(path, settings)


def train_tiny(path: Path, settings: TrainSettings = QUICK) -> dict[str, Any]:
    """Train the Semantic IDs of the tiny catalog's index at `path`."""
    index = open_tiny(path)
    told = train_into(index, TinyEmbedder(), settings, lambda stage, done, total: None)
    index.close()
    return told
