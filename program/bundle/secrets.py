"""Keeps keys out of files: what the environment holds as a secret must not stand in anything that is written."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping

from data.errors import BundleError

_SECRET_NAME = re.compile(r"(^|_)(KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?|AUTHORIZATION|COOKIE)(_|$)", re.IGNORECASE)
_ADDRESS = re.compile(rb"[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_BEARER = re.compile(rb"\b(Bearer\s+[A-Za-z0-9._~+/-]{12,}|sk-[A-Za-z0-9_-]{16,}|AKIA[0-9A-Z]{16})")
_SHORTEST = 8


def secret_values(environ: Mapping[str, str] | None = None) -> dict[str, str]:
    """Variable → value of what the environment holds under a secret's name; short values are words, not keys."""
    found = os.environ if environ is None else environ
    return {name: value for name, value in found.items() if _SECRET_NAME.search(name) and len(value) >= _SHORTEST}


def refuse_secrets(files: Mapping[str, bytes], environ: Mapping[str, str] | None = None, *, binary: Iterable[str] = ()) -> None:
    """Check what is about to be written.

    Args:
        files: name → content. binary: names that hold no text, looked at for values only.

    Raises:
        BundleError: a secret, something shaped like one, or an address stands in a file. The value is not repeated.
    """
    for file, content in files.items():
        for name, value in secret_values(environ).items():
            if value.encode() in content:
                raise BundleError(f"{file} would hold the value of {name}; nothing was written")
        if file in binary:
            continue
        if _BEARER.search(content):
            raise BundleError(f"{file} would hold something that looks like a key; nothing was written")
        if _ADDRESS.search(content):
            raise BundleError(f"{file} would hold an address; nothing was written")
