from __future__ import annotations

import pytest

from data.errors import SettingsError
from experiments.variants import VARIANTS, variant
from program.settings import Settings


def test_every_variant_is_its_own_settings() -> None:
    """No two variants are the same program, and `full` is what is given."""
    given = Settings()
    made = {name: variant(name, given) for name in VARIANTS}

    assert made["full"] == given
    assert len({settings.hash() for settings in made.values()}) == len(VARIANTS)


def test_each_ablation_takes_one_layer_more() -> None:
    """The grounding variants switch off guards, then rules, then the lookup, and nothing else."""
    no_l3, l1_only, none = (variant(name, Settings()) for name in ("no_l3", "l1_only", "none"))

    assert no_l3.guards.enabled == l1_only.guards.enabled == none.guards.enabled == frozenset()
    assert (no_l3.grounding.rules, l1_only.grounding.rules, none.grounding.rules) == (True, False, False)
    assert (no_l3.grounding.lookup, l1_only.grounding.lookup, none.grounding.lookup) == (True, True, False)
    assert Settings() == no_l3.model_copy(update={"guards": Settings().guards})


def test_an_unknown_variant_names_the_known_ones() -> None:
    """A wrong name is a settings error with the way out."""
    with pytest.raises(SettingsError) as caught:
        variant("half", Settings())

    assert "no_l3" in caught.value.one_line()
