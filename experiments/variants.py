"""Named settings that switch one defence or stage each: what ablations compare and `--variant` takes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from data.errors import SettingsError
from program.settings import GuardSwitches, Settings

_NO_GUARDS = GuardSwitches.model_validate(dict.fromkeys(GuardSwitches.model_fields, False))

VARIANTS: dict[str, Callable[[Settings], Settings]] = {
    "full": lambda settings: settings,
    "no_l3": lambda settings: settings.model_copy(update={"guards": _NO_GUARDS}),
    "l1_only": lambda settings: _ungrounded(settings, rules=False),
    "none": lambda settings: _ungrounded(settings, rules=False, lookup=False),
    "no_retry": lambda settings: settings.model_copy(update={"retry": settings.retry.model_copy(update={"enabled": False})}),
    "plan_loop": lambda settings: settings.model_copy(update={"plan": settings.plan.model_copy(update={"stage": "loop"})}),
}
"""full: every defence. no_l3: without the plan-time guards. l1_only: without the rules of use either. none: without any
grounding, names go to the first search hit. no_retry: every defence, but a thin result is not repaired. plan_loop: every defence,
and PLAN may look before it chooses its routes (`plan.stage`).
Source: Melo, Table 2 (the first four) and Table 4 (no_retry); own."""


def _ungrounded(settings: Settings, **switches: Any) -> Settings:
    return settings.model_copy(update={"guards": _NO_GUARDS, "grounding": settings.grounding.model_copy(update=switches)})


def variant(name: str, settings: Settings) -> Settings:
    """`settings` as the variant of this name.

    Raises:
        SettingsError: there is no such variant; names those there are.
    """
    try:
        return VARIANTS[name](settings)
    except KeyError:
        raise SettingsError(f"unknown variant: {name}", hint=f"one of {', '.join(VARIANTS)}") from None
