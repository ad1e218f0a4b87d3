from __future__ import annotations

import pytest

from program.grounding.decode import best_chains
from program.grounding.items import FreeItem, Item, RoleItem, scaled


def free(*positions: int) -> list[Item]:
    return [FreeItem(position, position + 1, -0.5) for position in positions]


def test_chains_cover_everything_once() -> None:
    """Each chain starts at the first token, ends at the last, and leaves no gap and no overlap."""
    chains = best_chains([*free(0, 1, 2), Item(0, 2, 3.0), Item(1, 3, 2.0), Item(2, 3, 0.4)], 3, 9)
    for chain in chains:
        edges = [0, *(item.last for item in chain.items)]
        assert [item.first for item in chain.items] == edges[:-1]
        assert edges[-1] == 3
        assert chain.score == pytest.approx(sum(item.score for item in chain.items))

    assert [(item.first, item.last) for item in chains[0].items] == [(0, 2), (2, 3)]
    assert [chain.score for chain in chains] == sorted((chain.score for chain in chains), reverse=True)


def test_fewer_items_win_a_tie() -> None:
    """Of equal scores the chain that explains more with less comes first."""
    chains = best_chains([Item(0, 1, 1.0), Item(1, 2, 1.0), Item(0, 2, 2.0)], 2, 2)

    assert [len(chain.items) for chain in chains] == [1, 2]


def test_count() -> None:
    """No more chains come back than were asked for."""
    assert len(best_chains([*free(0, 1), Item(0, 1, 0.1), Item(1, 2, 0.1)], 2, 3)) == 3


def test_nothing_to_read() -> None:
    """No tokens have one empty chain; tokens that nothing covers have none."""
    assert [chain.items for chain in best_chains([], 0, 3)] == [()]
    assert best_chains([Item(0, 1, 1.0)], 2, 3) == []


def test_leftover() -> None:
    """A chain knows the tokens that it does not explain."""
    [chain] = best_chains([*free(0), Item(1, 2, 1.0)], 2, 3)

    assert [(item.first, item.last) for item in chain.leftover] == [(0, 1)]


def test_a_command_opens_a_request() -> None:
    """The same command word counts less after something else was said."""
    command: list[Item] = [RoleItem(1, 2, 1.0, "command")]
    [after_ask] = best_chains([RoleItem(0, 1, 1.0, "ask"), *command], 2, 1)
    [after_name] = best_chains([Item(0, 1, 1.0), *command], 2, 1)

    assert after_ask.score > after_name.score


def test_scaled() -> None:
    """A longer match is worth more than its parts."""
    assert scaled(1.0, 1.0) == 1.0
    assert scaled(1.0, 3.0) > 3 * scaled(1.0, 1.0)
    assert scaled(1.0, 0.5) == 0.5
