"""Ways to improve a node's prompt, one a file, over one interface (`base.Recipe`)."""

from __future__ import annotations

from data.errors import InputError
from optimizers.recipes.base import Job, Recipe
from optimizers.recipes.bootstrap import Bootstrap
from optimizers.recipes.gepa import Gepa
from optimizers.recipes.labelled import Labelled
from optimizers.recipes.mipro import Mipro
from optimizers.recipes.simba import Simba

RECIPES: dict[str, Recipe] = {recipe.name: recipe for recipe in (Labelled(), Bootstrap(), Mipro(), Gepa(), Simba())}
"""By name."""

__all__ = ["RECIPES", "Job", "Recipe", "recipe_of"]


def recipe_of(name: str) -> Recipe:
    """The recipe of this name.

    Raises:
        InputError: there is none.
    """
    if name not in RECIPES:
        raise InputError(f"no recipe is called {name}", hint=f"one of {', '.join(RECIPES)}")
    return RECIPES[name]
