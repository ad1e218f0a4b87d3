"""What an LM's failure means to a session: a stable code, one safe line, and whether asking again is useless."""

from dataclasses import dataclass

from dspy.utils.exceptions import (
    ContextWindowExceededError,
    LMAuthError,
    LMBillingError,
    LMConfigurationError,
    LMError,
    LMInvalidRequestError,
    LMNotConfiguredError,
    LMRateLimitError,
    LMServerError,
    LMTimeoutError,
    LMTransportError,
    LMUnsupportedFeatureError,
    LMUnsupportedModelError,
)

UNAVAILABLE = "lm_unavailable"
REFUSED = "lm_refused"


@dataclass(frozen=True)
class LMFault:
    """One failure. message never repeats a server's text, which may hold parts of a key or of the prompt.

    Attributes:
        down: the LM will not answer the session's other calls either.
    """

    code: str
    message: str
    down: bool


# The first class that fits counts, so subclasses stand before their parents.
_MEANINGS: tuple[tuple[type[LMError], str, str], ...] = (
    (ContextWindowExceededError, REFUSED, "the prompt is longer than the model's context"),
    (LMAuthError, UNAVAILABLE, "the key was refused"),
    (LMBillingError, UNAVAILABLE, "the account has no credit"),
    (LMRateLimitError, UNAVAILABLE, "the server limits the rate of calls"),
    (LMUnsupportedModelError, UNAVAILABLE, "the server does not have this model"),
    (LMInvalidRequestError, REFUSED, "the server refused the call"),
    (LMUnsupportedFeatureError, REFUSED, "the backend cannot carry the call"),
    (LMNotConfiguredError, UNAVAILABLE, "no key is set for this provider"),
    (LMConfigurationError, UNAVAILABLE, "the backend is not configured"),
    (LMTimeoutError, UNAVAILABLE, "no answer in time"),
    (LMTransportError, UNAVAILABLE, "no connection, or no answer in time"),
    (LMServerError, UNAVAILABLE, "the server failed"),
)


def fault_of(error: LMError, name: str) -> LMFault:
    """Classify `error` of the backbone called `name`."""
    for kind, code, meaning in _MEANINGS:
        if isinstance(error, kind):
            return LMFault(code=code, message=f"{name}: {meaning}", down=code == UNAVAILABLE)
    return LMFault(code=UNAVAILABLE, message=f"{name}: the call failed ({type(error).__name__})", down=True)
