"""`--lm auto`: the backbone that the dev split found best among those that can be used here.

The figures are a small file in the repository, written by `melo compare --keep`. Nothing is started and nothing is asked.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import resources

import orjson
from pydantic import ValidationError

from data.contracts import Contract
from data.errors import InfrastructureError
from program.lm.brains import install_hint, installed, language_models

AUTO = "auto"
SCORES = "dev_scores.json"
_NONE, _EMBEDDED = "none", "embedded/"
_BASES = ("API_BASE", "BASE_URL")
# Providers whose key has another name than PROVIDER_API_KEY, and servers that need none but an address.
_KEYS = {"gemini": ("GEMINI_API_KEY", "GOOGLE_API_KEY"), "azure": ("AZURE_API_KEY", "AZURE_OPENAI_API_KEY")}
_SERVERS = frozenset({"hosted_vllm", "ollama_chat", "ollama", "vllm", "lm_studio"})


class DevScore(Contract):
    """What a backbone reached on the dev split.

    Attributes:
        score: mean of the end-to-end objective, 0..1; lo, hi: its 95 % interval. n: requests.
        p50_ms: of an answer. program: the bundle that was asked, empty for the program as it is written.
        measured: the day, ISO 8601.
    """

    lm: str
    score: float
    lo: float
    hi: float
    n: int
    set: str
    p50_ms: float | None
    program: str
    settings: str
    catalog: str
    code: str
    measured: str


@dataclass(frozen=True)
class Choice:
    """The backbone that `auto` means here. why: one line for a person. passed_over: name → why it is not usable here."""

    name: str
    why: str
    passed_over: tuple[tuple[str, str], ...] = ()


def dev_scores() -> tuple[DevScore, ...]:
    """The figures in the repository, best first; equal ones in the file's order, in which the cheaper stands first.

    Raises:
        InfrastructureError: the file is not there or not readable: the installation is damaged.
    """
    try:
        rows = orjson.loads((resources.files("program.lm") / SCORES).read_bytes())
        found = [DevScore.model_validate(row) for row in rows]
    except (OSError, orjson.JSONDecodeError, ValidationError, TypeError) as error:
        raise InfrastructureError(f"cannot read the packaged {SCORES}", hint="install Melo again") from error
    return tuple(sorted(found, key=lambda row: -row.score))


def missing(lm: str) -> str:
    """What a backbone, or a mix of them, lacks here; empty when it can be used."""
    for name in dict.fromkeys(part.rpartition("=")[2] for part in lm.split(",")):
        if name.startswith(_EMBEDDED):
            short = name.removeprefix(_EMBEDDED)
            if short not in language_models() or installed(short) is None:
                return f"not installed ({install_hint(short)})"
        elif name != _NONE and (reason := _unkeyed(name)):
            return reason
    return ""


def choose(scores: Sequence[DevScore] | None = None, lacks: Callable[[str], str] = missing) -> Choice:
    """The best usable backbone; `none` is always usable."""
    passed: list[tuple[str, str]] = []
    for row in dev_scores() if scores is None else scores:
        if reason := lacks(row.lm):
            passed.append((row.lm, reason))
            continue
        rest = f"; better ones are not usable here: {_told(passed)}" if passed else ""
        figures = f"{row.score:.3f} [{row.lo:.3f}, {row.hi:.3f}] on {row.n} dev requests ({row.measured})"
        return Choice(row.lm, f"{row.lm} is best on dev of what is usable here: {figures}{rest}", tuple(passed))
    told = f": {_told(passed)}" if passed else ""
    return Choice(_NONE, f"no measured backbone is usable here{told}", tuple(passed))


def _told(passed: Sequence[tuple[str, str]]) -> str:
    return ", ".join(f"{name} {reason}" for name, reason in passed)


def _unkeyed(name: str) -> str:
    provider = name.split("/", 1)[0]
    upper = provider.upper()
    bases = [f"{owner}_{base}" for owner in (upper, upper.split("_")[0]) for base in _BASES]
    if provider in _SERVERS:
        return "" if any(os.environ.get(base) for base in bases) else f"no server named ({bases[0]})"
    keys = _KEYS.get(provider, (f"{upper}_API_KEY",))
    return "" if any(os.environ.get(key) for key in keys) else f"no key ({keys[0]})"
