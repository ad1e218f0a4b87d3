"""Which rejected replies get a repair turn."""

from __future__ import annotations

import pytest

from program.lm.backbones import Backbone
from program.nodes.asking import _repairs
from program.settings import Settings, WordingSettings

EMBEDDED = Backbone("embedded/x", None, schema=True, embedded=True)
HOSTED = Backbone("openai/x", None, schema=True, embedded=False)


@pytest.mark.parametrize(
    ("node", "backbone", "repair", "expected"),
    [
        ("synthesize", EMBEDDED, "auto", False),
        ("synthesize", HOSTED, "auto", True),
        ("synthesize", EMBEDDED, "always", True),
        ("synthesize", HOSTED, "never", False),
        ("reflect", EMBEDDED, "never", True),
    ],
)
def test_repairs(node: str, backbone: Backbone, repair: str, expected: bool) -> None:
    """Decisions are always repaired; wording as the setting says."""
    settings = Settings(wording=WordingSettings.model_validate({"repair": repair}))

    assert _repairs(node, backbone, settings) is expected
