"""Files inside installed packages, used without running the packages' code where that can be: found, and checked by hash."""

from __future__ import annotations

import hashlib
from importlib.util import find_spec
from pathlib import Path

from data.errors import InfrastructureError


def checked_file(package: str, relative: str, pinned: str) -> Path:
    """The path of a package's file.

    Args:
        package: the name it is imported by. pinned: SHA-256 of the file, in hexadecimal digits.

    Raises:
        InfrastructureError: the package is missing or its file is not the one that was pinned.
    """
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise InfrastructureError(f"the package {package} is not installed", hint="run make setup")
    path = Path(spec.submodule_search_locations[0]) / relative
    if not path.is_file() or hashlib.sha256(path.read_bytes()).hexdigest() != pinned:
        raise InfrastructureError(f"{package} does not hold the pinned file {relative}", hint="reinstall it with make setup")
    return path
