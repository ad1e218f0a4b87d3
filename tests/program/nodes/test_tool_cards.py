"""Tool cards on demand: PLAN reads the cards that a request can use, and what that saves."""

from __future__ import annotations

import pytest

from data.contracts import Intent
from program.index.engine import EmbeddedIndex
from program.nodes.plan import PlanNode
from program.tools.registry import TOOLS, eligible_tools
from tests.sessions import constraint, entity, resources, scripted, session

POST_PUNK = constraint(0, "genre", "post-punk", strength="core")
INTENTS = {
    "facets and words": Intent(kind="discover", constraints=(POST_PUNK,), free_text="rain on a window"),
    "a seed and words": Intent(kind="similar", entities=(entity("artist", "toto", "seed"),), free_text="slower"),
    "new and words": Intent(kind="discover", constraints=(constraint(0, "era", "new"),), free_text="rain"),
}


def _tokens(text: str) -> int:
    """Words and signs, close to what a tokenizer counts; the same measure for both sides."""
    return len(text.split())


@pytest.mark.parametrize("intent", INTENTS.values(), ids=INTENTS.keys())
def test_only_the_cards_that_serve_are_read(tiny_index: EmbeddedIndex, intent: Intent) -> None:
    """The prompt holds each eligible card and no other, and is shorter than with all cards by what those would take."""
    lm, engine = scripted([("plan", [{"routes": ["t0"]}])])
    PlanNode()(session("x", intent), resources(tiny_index, None, lm))
    prompt = engine.prompts[0].last
    needed = {tool.name for tool in eligible_tools(intent)}
    shown = {name for name, tool in TOOLS.items() if f": {tool.card}" in prompt}
    left_out = sum(_tokens(tool.card) for name, tool in TOOLS.items() if name not in needed)
    by_need = sum(_tokens(TOOLS[name].card) for name in needed)

    assert shown == needed
    assert 1 < len(needed) < len(TOOLS)
    assert by_need < 0.75 * (by_need + left_out)
