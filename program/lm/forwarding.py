"""An engine in front of another LM: what the inner LM supports is what DSPy is told."""

from __future__ import annotations

import dspy


class Forwarding:
    """The part of DSPy's engine contract that an engine over `inner` hands on as it is."""

    inner: dspy.LM

    @property
    def supports_response_schema(self) -> bool:
        """As the inner LM."""
        return bool(self.inner.supports_response_schema)

    @property
    def supports_function_calling(self) -> bool:
        """As the inner LM."""
        return bool(self.inner.supports_function_calling)

    @property
    def supports_reasoning(self) -> bool:
        """As the inner LM."""
        return bool(self.inner.supports_reasoning)

    @property
    def supported_params(self) -> frozenset[str]:
        """As the inner LM."""
        return frozenset(self.inner.supported_params)
