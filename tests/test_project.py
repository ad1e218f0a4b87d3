"""The project as a whole: its package names, its pins, its wheel, and what a commit may not hold."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import re
import shutil
import socket
import subprocess
import sys
import sysconfig
import tomllib
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.conftest import SocketGuard

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("data", "signatures", "program", "optimizers", "experiments")
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
ELSEWHERE = "192.0.2.1"  # TEST-NET-1: an address that nobody has

needs_git = pytest.mark.skipif(not (ROOT / ".git").exists() or shutil.which("git") is None, reason="not a git work tree")


def _git(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)


def _pins() -> dict[str, str]:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = [line.split("==") for line in lines if line and not line.startswith("#")]
    return {canonicalize_name(name): version for name, version in pins}


def _requirements() -> list[Requirement]:
    project = PROJECT["project"]
    groups = [PROJECT["build-system"]["requires"], project["dependencies"], *project["optional-dependencies"].values()]
    return [Requirement(line) for group in groups for line in group]


@pytest.mark.parametrize("name", PACKAGES)
def test_each_package_is_ours(name: str) -> None:
    """The five plain names resolve inside the repository."""
    spec = importlib.util.find_spec(name)

    assert spec is not None
    assert spec.origin is not None
    assert Path(spec.origin).resolve().is_relative_to(ROOT / name)


def test_packages_resolve_from_any_folder(tmp_path: Path) -> None:
    """The installed environment finds them from elsewhere too (else: run make setup)."""
    code = f"import importlib.util as u; print(*(u.find_spec(n).origin for n in {PACKAGES!r}), sep='\\n')"
    run = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)

    assert run.returncode == 0, run.stderr
    assert [Path(line).resolve() for line in run.stdout.splitlines()] == [ROOT / n / "__init__.py" for n in PACKAGES]


def test_nothing_installed_owns_our_names() -> None:
    """No other distribution brings a top-level module with one of the five names."""
    owners = importlib.metadata.packages_distributions()
    others = {name: set(owners.get(name, ())) - {PROJECT["project"]["name"]} for name in PACKAGES}
    site = Path(sysconfig.get_path("purelib"))
    strangers = [path for name in PACKAGES for path in site.glob(f"{name}*") if path.stem == name]

    assert not any(others.values()), others
    assert not strangers


def test_packages_are_listed_by_name() -> None:
    """Wheel, type checker and layer contract name the same five packages, and never the tests."""
    tools = PROJECT["tool"]

    assert tools["hatch"]["build"]["targets"]["wheel"]["packages"] == list(PACKAGES)
    assert tools["importlinter"]["root_packages"] == list(PACKAGES)
    assert tools["importlinter"]["contracts"][0]["layers"] == list(reversed(PACKAGES))
    assert set(tools["mypy"]["files"]) == {*PACKAGES, "tests"}


def test_no_package_takes_a_standard_library_name() -> None:
    """A folder beside the code must not hide a standard module."""
    here = {path.stem for path in ROOT.iterdir() if path.suffix in ("", ".py") and not path.name.startswith(".")}

    assert not here & sys.stdlib_module_names


def test_constraints_are_names_and_versions() -> None:
    """Nothing but `name==version` and comments: no hosts, paths or options."""
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    wrong = [line for line in lines if not line.startswith("#") and not re.fullmatch(r"[\w.-]+==[\w.!+]+", line)]

    assert not wrong


def test_torch_is_needed_for_training_only() -> None:
    """It is 1.3 GB: nothing asks for it but the extra `finetune`."""
    project = PROJECT["project"]
    others = [line for name, lines in project["optional-dependencies"].items() if name != "finetune" for line in lines]
    names = {Requirement(line).name for line in (*project["dependencies"], *others)}

    assert names.isdisjoint({"torch", "transformers", "peft"})


@pytest.mark.parametrize("requirement", _requirements(), ids=str)
def test_constraints_cover_every_dependency(requirement: Requirement) -> None:
    """Each dependency is pinned, inside the range that pyproject.toml allows."""
    pin = _pins().get(canonicalize_name(requirement.name))

    assert pin is not None, f"{requirement.name} has no line in constraints.txt"
    assert pin in requirement.specifier


@needs_git
def test_the_data_package_is_not_ignored() -> None:
    """A `data/` line in .gitignore would take the package out of the wheel without a word."""
    files = ("contracts.py", "vocab/genres.toml", "catalog/demo/tracks.csv", "sets/entity.jsonl")
    ignored = _git("check-ignore", "--no-index", "data", *(f"data/{name}" for name in files))

    assert ignored.returncode == 1, ignored.stdout + ignored.stderr


def test_the_wheel_holds_code_and_data_only(tmp_path: Path) -> None:
    """Built offline: vocabularies and the demo catalog are in, tests are out, and the script is there."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    build = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert build.returncode == 0, build.stderr
    with zipfile.ZipFile(next(tmp_path.glob("melo-*.whl"))) as wheel:
        names = wheel.namelist()
        scripts = next(wheel.read(name).decode() for name in names if name.endswith("entry_points.txt"))
    tops = {name.split("/")[0] for name in names if ".dist-info/" not in name}
    data_files = [p for pattern in ("vocab/*.toml", "catalog/demo/*.csv") for p in (ROOT / "data").glob(pattern)]
    missing = {path.relative_to(ROOT).as_posix() for path in data_files} - set(names)

    assert tops == set(PACKAGES)
    assert {path.suffix for path in data_files} == {".toml", ".csv"}
    assert not missing
    assert "melo = experiments.cli:main" in scripts


@needs_git
def test_no_file_names_a_host_or_a_path_of_this_machine() -> None:
    """What is committed must work on any machine, with any registry."""
    options = [f"{word}-{end}" for word, end in (("index", "url"), ("find", "links"), ("trusted", "host"))]
    hosts = [rf"py{name}\.org" for name in ("pi", "thonhosted")]
    folders = ("work", "root", "home", "Users")
    pattern = re.compile("|".join([*options, *hosts, *(rf"(?<![\w.\-/}}])/{folder}/" for folder in folders)]))
    hits = []
    for name in _git("ls-files", "-z", "--cached", "--others", "--exclude-standard").stdout.split("\0"):
        path = ROOT / name
        if not name or not path.is_file():
            continue
        text = path.read_bytes().decode("utf-8", "replace")
        hits += [f"{name}: {found.group()}" for found in pattern.finditer(text)]

    assert not hits


def _connect(address: tuple[str, int]) -> None:
    with socket.socket() as sock:
        sock.connect(address)


def _connect_ex(address: tuple[str, int]) -> None:
    with socket.socket() as sock:
        sock.connect_ex(address)


def _send(address: tuple[str, int]) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        sock.sendto(b"", address)


def _create(address: tuple[str, int]) -> None:
    socket.create_connection(address, timeout=1).close()


def _look_up(address: tuple[str, int]) -> None:
    socket.getaddrinfo(f"host-{address[0]}.invalid", address[1])


@pytest.mark.parametrize("reach", [_connect, _connect_ex, _send, _create, _look_up])
def test_the_network_is_refused(reach: Callable[[tuple[str, int]], None], socket_guard: SocketGuard) -> None:
    """Every way out is refused with the address in the error, and remembered."""
    with pytest.raises(RuntimeError, match=re.escape(ELSEWHERE)):
        reach((ELSEWHERE, 80))

    assert len(socket_guard.refused) == 1
    socket_guard.refused.clear()


def test_loopback_is_reached() -> None:
    """A server on this machine can be tested."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
        for host in ("127.0.0.1", "localhost"):
            socket.create_connection((host, port), timeout=5).close()


def test_a_swallowed_refusal_still_fails(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    """Code that catches the refusal does not hide that a test reached out."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    pytester.makeconftest((ROOT / "tests" / "conftest.py").read_text(encoding="utf-8"))
    pytester.makepyfile(
        f"""
        import contextlib, socket

        def test_reaches_out():
            with contextlib.suppress(Exception):
                socket.create_connection(("{ELSEWHERE}", 80))
        """
    )
    result = pytester.runpytest_subprocess("-p", "no:randomly")

    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines([f"*the test reached for {ELSEWHERE}:80*"])


def test_the_environment_is_private() -> None:
    """No key, no server address and no user cache is left for a test to use; the variables were set before dspy."""
    import dspy

    home = Path(os.environ["MELO_HOME"])

    assert not [name for name in os.environ if name.endswith(("_API_KEY", "_BASE_URL", "_API_BASE"))]
    assert os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] == "True"
    assert os.environ["HF_HUB_OFFLINE"] == "1"
    assert Path(dspy.clients.DISK_CACHE_DIR).is_relative_to(home)
    assert not dspy.cache.enable_disk_cache


@pytest.mark.parametrize("turn", [1, 2])
def test_dspy_settings_do_not_leak(turn: int) -> None:
    """What one test configures, the next one does not see, in either order."""
    import dspy

    assert dspy.settings.lm is None

    dspy.configure(lm=f"left by turn {turn}")
