"""The prompt of a model that was trained to draft the names of a request: the request alone in, one line of names out.

Prompt and trained adapter are one artifact: an adapter that was trained on another version of this layout is refused.
"""

from __future__ import annotations

from typing import Any, get_args

import dspy
from dspy.utils.exceptions import AdapterParseError

from data.contracts import NameKind
from program.lm.untrusted import neutralise

PROMPT_VERSION = 1
NO_NAMES = "none"
SEPARATOR = " | "
KINDS: tuple[NameKind, ...] = get_args(NameKind)


class NamesAdapter(dspy.Adapter):
    """Renders the request without instructions or demos; reads `artist: … | work: …` or `none`."""

    def format(
        self, signature: type[dspy.Signature], demos: list[dict[str, Any]], inputs: dict[str, Any]
    ) -> list[dict[str, Any]]:
        """One user turn."""
        return [{"role": "user", "content": asked(str(inputs["request"]))}]

    def parse(self, signature: type[dspy.Signature], completion: str) -> dict[str, Any]:
        """The names in the order given.

        Raises:
            AdapterParseError: nothing of it is a name, and it does not say that there is none.
        """
        names = told(completion)
        if not names and completion.strip() != NO_NAMES:
            message = f"expected names as in 'artist: NAME{SEPARATOR}work: NAME', or '{NO_NAMES}'"
            raise AdapterParseError(type(self).__name__, signature, completion, message=message)
        return {"names": names}


def asked(request: str) -> str:
    """The request as the model sees it: one line in lower case."""
    return " ".join(neutralise(request).lower().split())


def answer(names: list[tuple[NameKind, str]]) -> str:
    """The line that the model is trained to write. names: kind and words, left to right."""
    return SEPARATOR.join(f"{kind}: {words}" for kind, words in names) or NO_NAMES


def told(line: str) -> list[str]:
    """The parts of a line that are names, each as `kind: words`."""
    parts = (part.strip() for part in line.split("|"))
    return [part for part in parts if part.partition(": ")[0] in KINDS and part.partition(": ")[2].strip()]
