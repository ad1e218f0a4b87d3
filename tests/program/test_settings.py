from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from pydantic import ValidationError

from data.errors import SettingsError
from program.settings import GuardSwitches, LMSettings, RetrySettings, Settings


def _file(folder: Path, text: str) -> Path:
    path = folder / "settings.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_load_takes_every_kind_of_value(tmp_path: Path) -> None:
    """A settings file changes what it names and nothing else."""
    path = _file(
        tmp_path,
        'head_shortcut = false\nassertions_off = ["schema"]\n[retry]\nmax_rounds = 1\n[guards]\nverb_prefix = false\n'
        '[lm]\nname = "openai/x"\nplan = "none"\n',
    )
    settings = Settings.load(path)

    assert settings == Settings(
        head_shortcut=False,
        assertions_off=frozenset({"schema"}),
        retry=RetrySettings(max_rounds=1),
        guards=Settings().guards.model_copy(update={"verb_prefix": False}),
        lm=LMSettings(name="openai/x", plan="none"),
    )


def test_an_empty_file_is_the_default(tmp_path: Path) -> None:
    """A file that names nothing changes nothing, the hash included."""
    settings = Settings.load(_file(tmp_path, ""))

    assert settings == Settings()
    assert settings.hash() == Settings().hash()


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("head_shortcutt = true", "head_shortcutt"),
        ("[guards]\nno_such_guard = true", "guards.no_such_guard"),
        ("[retry]\nmax_rounds = 3", "retry.max_rounds"),
        ("[retry]\ntau_size = 0.9", "retry.tau_size"),
        ("[execute]\ntool_limit = 0", "execute.tool_limit"),
        ("[execute]\nmax_share_per_artist = 0.0", "execute.max_share_per_artist"),
        ("[lm]\nmax_seconds = 0", "lm.max_seconds"),
        ('[retry]\nmax_rounds = "two"', "retry.max_rounds"),
        ("[grounding]\np_hi = 1.5", "grounding.p_hi"),
        ("retry = 3", "retry"),
    ],
    ids=lambda value: value.replace("\n", " ") if "=" in value else "",
)
def test_load_refuses_and_names_the_key(tmp_path: Path, text: str, named: str) -> None:
    """An unknown key and a value out of range are refused on one line that names the key."""
    with pytest.raises(SettingsError) as caught:
        Settings.load(_file(tmp_path, text))

    assert f"setting {named}:" in caught.value.one_line()
    assert "\n" not in caught.value.one_line()
    assert caught.value.exit_code == 2


@pytest.mark.parametrize("content", [b"[retry\n", b"name = 'caf\xe9'\n", None], ids=["not TOML", "not UTF-8", "missing"])
def test_load_refuses_an_unreadable_file(tmp_path: Path, content: bytes | None) -> None:
    """A file that is missing, not text or not TOML is a settings error that names the file."""
    path = tmp_path / "settings.toml"
    if content is not None:
        path.write_bytes(content)

    with pytest.raises(SettingsError, match=r"cannot read the settings file .*settings\.toml"):
        Settings.load(path)


def test_frozen() -> None:
    """Settings cannot be changed in place, not even in a group."""
    settings = Settings()

    with pytest.raises(ValidationError):
        settings.head_shortcut = False
    with pytest.raises(ValidationError):
        settings.retry.enabled = False


def test_hash_does_not_depend_on_how_the_settings_were_made(tmp_path: Path) -> None:
    """Equal settings have one hash, in whatever order a set or a file lists its parts."""
    first = Settings(assertions_off=frozenset({"schema", "covers_request", "reply_closes"}))
    second = Settings.load(
        _file(tmp_path, 'assertions_off = ["reply_closes", "schema", "covers_request"]\n[retry]\nenabled = true\n')
    )

    assert first == second
    assert first.hash() == second.hash()


@pytest.mark.parametrize("seed", ["1", "2"])
def test_hash_is_stable_over_processes(seed: str) -> None:
    """Another process, whatever order its sets have, gives equal settings the same hash."""
    named = ("schema", "covers_request", "reply_closes", "options_disjoint")
    code = f"from program.settings import Settings; print(Settings(assertions_off=frozenset({named!r})).hash())"
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)

    assert done.stdout.strip() == Settings(assertions_off=frozenset(named)).hash()


def _variants() -> dict[str, Settings]:
    """Every field of the settings, each changed alone to another legal value."""
    other: dict[type, object] = {bool: False, int: 5, float: 0.55, str: "openai/x", dict: {"fresh": 5}}
    special: dict[str, object] = {
        "max_rounds": 1,
        "transport_retries": 2,
        "tau_size": 2.5,
        "store": False,
        "generative": True,
        "fuzzy_two_edits_chars": 7,
        "max_title": 50,
        "max_description": 50,
        "fuzzy_min_chars": 4,
        "repair": "never",
    }
    base = Settings()
    found = {
        "head_shortcut": base.model_copy(update={"head_shortcut": False}),
        "assertions_off": base.model_copy(update={"assertions_off": frozenset({"schema"})}),
    }
    for group_name in ("request", "grounding", "guards", "execute", "retry", "wording", "lm", "trust"):
        group = getattr(base, group_name)
        for name, value in group.model_dump().items():
            changed = type(group).model_validate(group.model_dump() | {name: special.get(name, other[type(value)])})
            found[f"{group_name}.{name}"] = base.model_copy(update={group_name: changed})
    return found


def test_every_setting_is_in_the_hash() -> None:
    """No two variants that differ in one setting share a hash."""
    hashes = {"default": Settings().hash()} | {name: settings.hash() for name, settings in _variants().items()}
    shared = {name for name, value in hashes.items() if list(hashes.values()).count(value) > 1}

    assert not shared
    assert len(hashes) > 30


def test_each_node_may_have_its_own_backbone() -> None:
    """A node without a name of its own uses the common one."""
    lm = LMSettings(name="none", reflect="openai/x")

    assert [lm.of(node) for node in ("understand", "plan", "reflect", "synthesize")] == ["none", "none", "openai/x", "none"]


def test_enabled_guards_follow_their_switches() -> None:
    """A guard that is switched off is not among the enabled ones."""
    guards = Settings().guards.model_copy(update={"negation_leak": False})

    assert guards.enabled == set(GuardSwitches.model_fields) - {"negation_leak"}


def test_all_guards_may_be_off() -> None:
    """One call switches every guard off."""
    assert GuardSwitches.none().enabled == frozenset()
