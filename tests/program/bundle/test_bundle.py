"""A bundle: read back as it was written, and refused with the reason when anything about it is not as it was sealed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson
import pytest
from dspy import lm15

from data.errors import BundleError, InfrastructureError
from program.bundle.files import Bundle, load_bundle, save_bundle
from program.bundle.manifest import MANIFEST, Manifest, manifest_json
from program.bundle.state import NodeText, ProgramState, apply_state, state_of
from program.graph import Melo
from program.index.engine import EmbeddedIndex
from program.lm.brains import REGISTRY
from program.lm.names_adapter import PROMPT_VERSION
from program.settings import LMSettings, Settings
from tests.sessions import melo, scripted

_DEMO: dict[str, str | list[str]] = {
    "request": "songs by Toto",
    "readings": "r0: Toto",
    "options": "none",
    "reading": "r0",
    "add": [],
    "name": "",
}


def _bundle(**changes: Any) -> Bundle:
    grounding = Settings().grounding.model_copy(update={"p_hi": 0.7})
    settings = Settings(lm=LMSettings(name="embedded/smollm2-135m"), grounding=grounding)
    state: ProgramState = {"understand": NodeText(instructions="Choose.\nBelow {p_lo} is rare.", demos=(_DEMO,))}
    made = Bundle(
        name="tiny", settings=settings, state=state, created="2026-12-01", versions={"python": "3.11"}, catalog="ab" * 8
    )
    return replace(made, **changes)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A sound bundle."""
    return save_bundle(tmp_path / "bundle", _bundle())


def _reseal(folder: Path, **changes: Any) -> None:
    """Give a folder a manifest that fits what is in it now, as somebody who wants to be believed would."""
    names = [path.name for path in folder.iterdir() if path.name != MANIFEST]
    data = json.loads((folder / MANIFEST).read_text())
    data["files"] = {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in names}
    manifest = Manifest.model_validate({**data, "seal": ""}).sealed()
    (folder / MANIFEST).write_bytes(manifest_json(manifest))
    if changes:
        changed = {**json.loads(manifest_json(manifest)), **changes}
        (folder / MANIFEST).write_bytes(orjson.dumps(changed, option=orjson.OPT_INDENT_2))


def test_it_comes_back_as_it_was_written(folder: Path) -> None:
    """Texts, demos, settings and what it says of itself survive; only the files that a bundle has are there."""
    read = load_bundle(folder)

    assert (read.state, read.settings, read.name) == (_bundle().state, _bundle().settings, "tiny")
    assert read.program_hash == _bundle().program_hash
    assert {path.name for path in folder.iterdir()} == {MANIFEST, "program.json", "settings.toml", "scores.json"}
    assert [path.name for path in folder.parent.iterdir()] == ["bundle"]
    assert read.warnings("ab" * 32) == ()


@pytest.mark.parametrize("name", [MANIFEST, "program.json", "settings.toml", "scores.json"])
def test_one_changed_byte_is_refused(folder: Path, name: str) -> None:
    """Wherever it is, and whatever it is changed to."""
    whole = (folder / name).read_bytes()
    for at in range(0, len(whole), 7):
        changed = bytes([whole[at] ^ 1])
        (folder / name).write_bytes(whole[:at] + changed + whole[at + 1 :])
        with pytest.raises(BundleError):
            load_bundle(folder)
    (folder / name).write_bytes(whole + b"\n")
    with pytest.raises(BundleError, match="was changed"):
        load_bundle(folder)
    (folder / name).write_bytes(whole)

    assert load_bundle(folder).name == "tiny"


def _program(key: str, value: Any) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        data = json.loads((folder / "program.json").read_text())
        data["understand"][key] = value
        (folder / "program.json").write_text(json.dumps(data))
        _reseal(folder)

    return change


def _file(name: str, content: str) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        (folder / name).write_text(content)
        _reseal(folder)

    return change


def _extra(folder: Path) -> None:
    (folder / "program.pkl").write_bytes(b"\x80\x04.")


def _setting(folder: Path) -> None:
    path = folder / "settings.toml"
    path.write_text(path.read_text().replace("[lm]", '[lm]\napi_base = "elsewhere"'))
    _reseal(folder)


_REFUSED: dict[str, tuple[Callable[[Path], None], str]] = {
    "callbacks": (_program("callbacks", []), "understand.callbacks"),
    "api_base": (_program("api_base", "elsewhere"), "understand.api_base"),
    "config": (_program("config", {"api_base": "elsewhere"}), "understand.config"),
    "lm": (_program("lm", {}), "understand.lm"),
    "demo field": (_program("demos", [{"api_base": "x"}]), "a demo of understand has a field that does not exist: api_base"),
    "demo type": (_program("demos", [{"request": {"a": 1}}]), "understand.demos"),
    "node": (_file("program.json", '{"execute": {"instructions": "x"}}'), "no node is called 'execute'"),
    "setting": (_setting, "lm.api_base"),
    "score": (_file("scores.json", '{"measured": [], "note": "", "headers": {}}'), "headers"),
    "newer": (lambda folder: _reseal(folder, schema_version=2), "schema version 2; this Melo reads 1 (a newer Melo made it)"),
    "true": (lambda folder: _reseal(folder, schema_version=True), "schema version True"),
    "manifest key": (lambda folder: _reseal(folder, headers={"a": "b"}), "headers"),
    "host": (lambda folder: _reseal(folder, backbone="openai/http://other/v1"), "backbone"),
    "pickle": (_extra, "holds program.pkl, which its manifest does not list"),
    "missing": (lambda folder: (folder / "scores.json").unlink(), "cannot read"),
}


@pytest.mark.parametrize("case", _REFUSED)
def test_what_a_bundle_must_not_hold_is_refused_with_its_reason(folder: Path, case: str) -> None:
    """Even when every hash fits: the message names the place, and nothing of it is applied."""
    change, told = _REFUSED[case]
    change(folder)
    with pytest.raises(BundleError) as refused:
        load_bundle(folder)

    assert told in refused.value.one_line()
    assert refused.value.exit_code == 2


def test_a_link_is_refused(folder: Path, tmp_path: Path) -> None:
    """A bundle holds its files itself."""
    (tmp_path / "elsewhere").write_bytes((folder / "program.json").read_bytes())
    (folder / "program.json").unlink()
    (folder / "program.json").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(BundleError, match="is a link"):
        load_bundle(folder)


def test_another_catalog_is_a_warning(folder: Path) -> None:
    """The program still answers; its scores were another catalog's."""
    assert "made on the catalog abababababababab, not on cdcd" in load_bundle(folder).warnings("cd" * 32)[0]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Use planted-secret-0123.", "the value of MELO_TEST_API_KEY"),
        ("Ask https://elsewhere.example/v1.", "an address"),
        ("Authorization: Bearer abcdefghijklmnop", "looks like a key"),
    ],
)
def test_secrets_and_addresses_are_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, told: str) -> None:
    """Nothing is left on the disk, and the message does not repeat the secret."""
    monkeypatch.setenv("MELO_TEST_API_KEY", "planted-secret-0123")
    with pytest.raises(BundleError, match=told) as refused:
        save_bundle(tmp_path / "bundle", _bundle(state={"plan": NodeText(instructions=text)}))

    assert "planted-secret" not in refused.value.one_line()
    assert list(tmp_path.iterdir()) == []


def test_saving_is_whole_or_not_at_all(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is there stays unless it is to be replaced, and when the replacement fails."""
    other = _bundle(name="other")
    with pytest.raises(BundleError, match="is there already"):
        save_bundle(folder, other)
    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", _full)
        with pytest.raises(InfrastructureError, match="cannot write"):
            save_bundle(folder, other, force=True)

    assert load_bundle(folder).name == "tiny"
    assert load_bundle(save_bundle(folder, other, force=True)).name == "other"
    assert [path.name for path in folder.parent.iterdir()] == ["bundle"]


def _full(self: Path, target: Path) -> None:
    raise OSError(28, "No space left on device")


def test_the_texts_reach_the_prompt(tiny_index: EmbeddedIndex) -> None:
    """Instructions, with the settings filled in, and demos stand in the prompt of their node, and in no other program."""
    reply = {"reading": "r0", "add": [], "drop": [], "unsure": [], "name": ""}
    lm, engine = scripted([("understand", reply), (lambda text: True, lm15.TransportError("gone"))])
    plain = melo(tiny_index, lm)
    made = Melo(tiny_index, plain._resources.settings, texts=_bundle().state)
    made.set_lm(lm)
    made(request="hello darkness something unplain")

    assert "Choose.\nBelow 0.2 is rare." in engine.prompts[0].system
    assert "songs by Toto" in engine.prompts[0].text
    assert state_of(made)["understand"] == _bundle().state["understand"]
    assert "Choose what a music request means" in state_of(melo(tiny_index))["understand"].instructions


def test_a_state_is_applied_whole_or_not_at_all(tiny_index: EmbeddedIndex) -> None:
    """A wrong field of one node leaves the other nodes as they were."""
    program = melo(tiny_index)
    before = state_of(program)
    wrong: ProgramState = {
        "plan": NodeText(instructions="new"),
        "reflect": NodeText(instructions="new", demos=({"lm": "x"},)),
    }
    with pytest.raises(Exception, match="a demo of reflect has a field that its signature lacks: lm"):
        apply_state(program, wrong)

    assert state_of(program) == before


@pytest.mark.parametrize("name", ["embedded_smollm2-135m", "embedded_gemma3-270m"])
def test_the_packaged_bundles_are_sound(name: str) -> None:
    """What the repository brings can be loaded, and is for the backbone that its folder says."""
    import program.bundle

    found = load_bundle(Path(program.bundle.__file__).parent / "packaged" / name)

    assert found.backbone.replace("/", "_") == name


def _adapter(folder: Path, content: bytes = b"GGUF and more") -> Path:
    path = folder / "trained.gguf"
    path.write_bytes(content)
    return path


def test_an_adapter_travels_with_what_it_was_trained_on(tmp_path: Path) -> None:
    """The weights and the prompt's version are in the manifest; the adapter is for the backbone of UNDERSTAND alone."""
    lm = LMSettings(name="embedded/smollm2-135m", plan="none", synthesize="embedded/gemma3-270m")
    made = _bundle(adapter=_adapter(tmp_path), settings=Settings(lm=lm))
    read = load_bundle(save_bundle(tmp_path / "bundle", made))
    manifest = json.loads((tmp_path / "bundle" / MANIFEST).read_text())
    asked: list[str] = []
    resolve = read.resolver(lambda name: asked.append(name))  # type: ignore[arg-type, return-value]
    for name in ("embedded/smollm2-135m", "embedded/gemma3-270m", "none"):
        resolve(name)

    assert manifest["adapter"] == {"weights": REGISTRY["smollm2-135m"].sha256, "prompt": PROMPT_VERSION}
    assert read.program_hash == made.program_hash != _bundle().program_hash
    assert asked == [f"embedded/smollm2-135m@{tmp_path / 'bundle' / 'adapter.gguf'}", "embedded/gemma3-270m", "none"]


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"adapter": {"weights": "0" * 64, "prompt": PROMPT_VERSION}}, "trained on other weights"),
        ({"adapter": {"weights": REGISTRY["smollm2-135m"].sha256, "prompt": PROMPT_VERSION + 1}}, "version 2 of the prompt"),
        ({"adapter": None}, "must say what adapter.gguf was trained on"),
    ],
)
def test_an_adapter_for_something_else_is_refused(tmp_path: Path, changes: dict[str, Any], told: str) -> None:
    """Even when the manifest is sealed anew."""
    folder = save_bundle(tmp_path / "bundle", _bundle(adapter=_adapter(tmp_path)))
    data = json.loads((folder / MANIFEST).read_text())
    sealed = Manifest.model_validate({**data, **changes, "seal": ""}).sealed()
    (folder / MANIFEST).write_bytes(manifest_json(sealed))

    with pytest.raises(BundleError, match=told):
        load_bundle(folder)


def test_an_adapter_is_a_gguf_file(tmp_path: Path) -> None:
    """Anything else is not given to llama.cpp."""
    folder = save_bundle(tmp_path / "bundle", _bundle(adapter=_adapter(tmp_path, b"PK and more")))

    with pytest.raises(BundleError, match="no GGUF file"):
        load_bundle(folder)
