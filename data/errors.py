"""The one error tree of the project.

    MeloError
    ├── InputError            the caller's request, file, name or setting is wrong      exit 2
    │   ├── RequestError      the request text cannot be used
    │   ├── CatalogError      a catalog source file cannot be used
    │   │   └── RowError      one row cannot be used (collected as a reject, never fatal)
    │   ├── CatalogIndexError an index is missing, corrupt or of another format
    │   ├── SettingsError     an unknown or out-of-range setting
    │   ├── LabelError        a labelled set, or one of its rows, cannot be used
    │   ├── BundleError       a compiled program cannot be believed, or may not be written
    │   └── BackboneError     no backbone has this name, or it is not installed
    ├── ModelOutputError      a model's reply broke its schema or an assertion           never leaves a node
    ├── InfrastructureError   something around us failed: LM server, tool, store, disk   exit 1
    │   ├── LMUnavailableError
    │   ├── ToolFailedError
    │   └── StoreError
    └── BudgetError           calls, tokens or seconds of the session are spent           becomes a typed fallback

Every error has a stable `code`, a one-line message and, where there is one, the way out (`hint`).
"""

from typing import ClassVar


class MeloError(Exception):
    """Base of all errors that this project raises on purpose.

    Args:
        message: one line, no trailing full stop needed, safe to show to a person.
        hint: the way out, as a command or a sentence; empty where there is none.
    """

    code: ClassVar[str] = "melo_error"
    exit_code: ClassVar[int] = 1

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def one_line(self) -> str:
        """Message and hint on one line, as the command line prints them."""
        text = f"{self.message} ({self.hint})" if self.hint else self.message
        return " ".join(text.split())


class InputError(MeloError):
    """What the caller gave is wrong; nothing was changed or lost."""

    code = "bad_input"
    exit_code = 2


class RequestError(InputError):
    """The request text cannot be used (empty, too long, not text)."""

    code = "bad_request"


class CatalogError(InputError):
    """A catalog source cannot be read at all."""

    code = "bad_catalog"


class RowError(CatalogError):
    """One row of a catalog source cannot be used.

    Args:
        row: 1-based number of the row in its file (the header of a CSV is row 1).
        field: name of the field at fault; empty when the whole row is.
    """

    code = "bad_row"

    def __init__(self, message: str, *, row: int, field: str = "") -> None:
        super().__init__(message)
        self.row = row
        self.field = field


class CatalogIndexError(InputError):
    """An index directory is missing, corrupt, or was built by another format version."""

    code = "bad_index"


class SettingsError(InputError):
    """An unknown setting, or a value outside its range."""

    code = "bad_settings"


class LabelError(InputError):
    """A labelled set or split does not exist, or a row of it breaks its own rules."""

    code = "bad_label"


class BackboneError(InputError):
    """No backbone has this name, or its weights are not installed."""

    code = "bad_backbone"


class BundleError(InputError):
    """A bundle is not whole, of another format, holds what it must not, or is refused promotion."""

    code = "bad_bundle"


class ModelOutputError(MeloError):
    """A model's reply broke its schema or a named assertion; nodes turn it into a repair turn or a fallback.

    Args:
        assertion: the name of the check that failed (`schema` when the reply did not parse).
    """

    code = "model_output"

    def __init__(self, message: str, *, assertion: str) -> None:
        super().__init__(message)
        self.assertion = assertion


class InfrastructureError(MeloError):
    """Something around the program failed; trying again later may help."""

    code = "infrastructure"


class LMUnavailableError(InfrastructureError):
    """The language model did not answer (refused, timed out, died)."""

    code = "lm_unavailable"


class ToolFailedError(InfrastructureError):
    """A retrieval tool failed for a reason that has nothing to do with the request's meaning."""

    code = "tool_failed"


class StoreError(InfrastructureError):
    """The trace store cannot be read or written."""

    code = "store"


class BudgetError(MeloError):
    """The session's budget of LM calls, tokens or seconds is spent.

    Args:
        resource: which one (`calls`, `tokens`, `seconds`).
    """

    code = "budget"

    def __init__(self, message: str, *, resource: str) -> None:
        super().__init__(message)
        self.resource = resource
