"""The settings file: read back as what was meant, with nothing in it but what differs."""

from __future__ import annotations

from pathlib import Path

import pytest

from data.errors import InfrastructureError
from experiments.tuning.settings_file import write_text
from optimizers.space import turned
from program.settings import Settings
from program.settings_text import settings_text


def _settings() -> Settings:
    tuned = turned(Settings(), {"p_hi": 0.7, "fuzzy_min_chars": 4, "shortcut_margin": 0.025})
    guards = tuned.guards.model_copy(update={"verb_prefix": False})
    lm = tuned.lm.model_copy(update={"name": 'openai/"quoted" \\ name', "max_seconds": 12.5})
    return tuned.model_copy(
        update={"guards": guards, "lm": lm, "head_shortcut": False, "assertions_off": frozenset({"reply_closes"})}
    )


def test_it_loads_as_the_same_settings(tmp_path: Path) -> None:
    """Switches, numbers, texts and lists in several groups come back as they were."""
    file = tmp_path / "tuned.toml"
    write_text(file, settings_text(_settings(), ["made by a test", "twice"]))

    assert Settings.load(file) == _settings()
    assert file.read_text().startswith("# made by a test\n# twice\n")
    assert [path.name for path in tmp_path.iterdir()] == ["tuned.toml"]


def test_it_holds_only_what_differs() -> None:
    """One changed number is one line in its group; the defaults are none at all."""
    lines = [line for line in settings_text(turned(Settings(), {"p_lo": 0.3}), ["head"]).splitlines() if line]

    assert lines == ["# head", "[grounding]", "p_lo = 0.3"]
    assert settings_text(Settings(), ["head"]) == "# head\n"


def test_a_comment_cannot_become_a_setting() -> None:
    """A line break inside a comment would end it."""
    with pytest.raises(ValueError, match="would not be read"):
        settings_text(Settings(), ["a\nhead_shortcut = false"])


def test_a_file_that_cannot_be_written(tmp_path: Path) -> None:
    """One error that names the file; the one that was there stays whole."""
    (tmp_path / "file").write_text("here")
    with pytest.raises(InfrastructureError, match=r"cannot write .*tuned\.toml"):
        write_text(tmp_path / "file" / "tuned.toml", "x")

    assert (tmp_path / "file").read_text() == "here"


def test_a_whole_file_holds_the_defaults_too(tmp_path: Path) -> None:
    """Another version's defaults cannot change what such a file says."""
    text = settings_text(_settings(), ["head"], whole=True)
    write_text(tmp_path / "whole.toml", text)

    assert "max_evidence = 10" in text
    assert Settings.load(tmp_path / "whole.toml") == _settings()
