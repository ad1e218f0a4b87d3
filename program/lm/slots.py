"""Which node is asking, and the llama.cpp slot that keeps that node's prompt prefix in cache."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

SLOTS = {"understand": 0, "plan": 1, "reflect": 2, "synthesize": 3}
ANY_SLOT = -1

_node: ContextVar[str] = ContextVar("melo_node", default="")


@contextmanager
def asking(node: str) -> Iterator[None]:
    """Mark the calls inside as `node`'s. Follows `asyncio` tasks and `asyncio.to_thread`, not raw threads."""
    token = _node.set(node)
    try:
        yield
    finally:
        _node.reset(token)


def current_node() -> str:
    """The node that is asking; empty outside `asking`."""
    return _node.get()


def current_slot() -> int:
    """The asking node's slot, or `ANY_SLOT`, which lets the server choose."""
    return SLOTS.get(_node.get(), ANY_SLOT)
