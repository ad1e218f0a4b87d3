"""A score in the making: weighted parts, and sentences on what was wrong and what was right."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Parts:
    """Parts that do not apply to a request are left out, so the mean is over what it speaks of.

    Attributes:
        wrong, right: sentences for the model that improves the instructions.
    """

    _parts: dict[str, tuple[float, float]] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)
    right: list[str] = field(default_factory=list)

    def add(self, name: str, value: float | bool | None, weight: float = 1.0) -> None:
        """Add a part, 0..1; None leaves it out."""
        if value is not None:
            self._parts[name] = (float(value), weight)

    def mean(self) -> float:
        """The weighted mean; 1 where nothing applies."""
        whole = sum(weight for _, weight in self._parts.values())
        return sum(value * weight for value, weight in self._parts.values()) / whole if whole else 1.0

    def shares(self) -> dict[str, float]:
        """Each part's value."""
        return {name: value for name, (value, _) in self._parts.items()}


def f1(right: int, extra: int, missing: int) -> float | None:
    """F1 of items; None without any."""
    return 2 * right / (2 * right + extra + missing) if right + extra + missing else None
