"""What the figures were measured on: the machine, its load, the versions and the code."""

from __future__ import annotations

import hashlib
import os
import platform
import re
from collections.abc import Sequence
from importlib import resources
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

_LIBRARIES = ("dspy", "tantivy", "usearch", "onnxruntime", "tokenizers", "xllamacpp", "numpy", "pydantic", "orjson")
_SOURCES = ("*.py", "*.toml")


def machine() -> dict[str, Any]:
    """Cores that this process may use, processor, memory and system; nothing that names the machine."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {"cores": cores, "cpu": _cpu(), "memory_gb": round(memory / 1e9), "system": platform.system()}


def _cpu() -> str:
    info = Path("/proc/cpuinfo")
    found = re.search(r"^model name\s*:\s*(.+)$", info.read_text(), re.MULTILINE) if info.is_file() else None
    return found[1].strip() if found else platform.processor() or platform.machine()


def load() -> list[float]:
    """Load averages over 1, 5 and 15 minutes."""
    return [round(value, 2) for value in os.getloadavg()]


def versions() -> dict[str, str]:
    """Of Python and of the libraries that do the work; a missing one is left out."""
    found = {"python": platform.python_version()}
    for name in _LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def content(files: Sequence[Path]) -> str:
    """SHA-256 over the names and contents of some files, first 16 hex digits."""
    digest = hashlib.sha256()
    for file in files:
        digest.update(file.name.encode() + b"\0" + hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()[:16]


def code(*packages: str) -> str:
    """A hash of the source of packages, such as "program.index"; it changes with every edit."""
    roots = [Path(str(resources.files(package))) for package in packages]
    return content([file for root in roots for pattern in _SOURCES for file in sorted(root.rglob(pattern))])
