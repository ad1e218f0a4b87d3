"""`--lm auto`: the best on dev among what is installed and keyed."""

from __future__ import annotations

from pathlib import Path

import pytest

from program.lm.auto import DevScore, choose, dev_scores, missing


def _score(lm: str, score: float) -> DevScore:
    return DevScore(
        lm=lm, score=score, lo=score - 0.1, hi=score + 0.1, n=140, set="all", p50_ms=5.0, program="", settings="s", catalog="c",
        code="d", measured="2026-12-01",
    )  # fmt: skip


_SCORES = (_score("openai/strong", 0.9), _score("embedded/smollm2-135m", 0.8), _score("none", 0.7))


@pytest.mark.parametrize(
    ("lacking", "name"),
    [((), "openai/strong"), (("openai/strong",), "embedded/smollm2-135m"), (("openai/strong", "embedded/smollm2-135m"), "none")],
)
def test_the_best_that_is_usable(lacking: tuple[str, ...], name: str) -> None:
    """What cannot be used here is passed over, and the reason is told."""
    found = choose(_SCORES, lambda lm: "no key (X)" if lm in lacking else "")

    assert found.name == name
    assert found.why.startswith(f"{name} is best on dev of what is usable here: ")
    assert [passed for passed, _ in found.passed_over] == list(lacking)
    assert all(f"{passed} no key (X)" in found.why for passed in lacking)


def test_nothing_usable_is_none() -> None:
    """Melo answers without a model too."""
    assert choose((_SCORES[0],), lambda lm: "no key").name == "none"
    assert choose((), missing).name == "none"


def test_what_is_missing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A key or a server's address from the environment, or the weights; of a mix every part is needed."""
    monkeypatch.setenv("MELO_HOME", str(tmp_path))
    before = missing("openai/strong")
    monkeypatch.setenv("OPENAI_API_KEY", "x")

    assert before == "no key (OPENAI_API_KEY)"
    assert missing("openai/strong") == missing("none") == ""
    assert missing("embedded/smollm2-135m") == "not installed (melo brain install smollm2-135m)"
    assert missing("hosted_vllm/model") == "no server named (HOSTED_VLLM_API_BASE)"
    assert missing("understand=openai/strong,plan=moonshot/kimi") == "no key (MOONSHOT_API_KEY)"


def test_the_packaged_scores_can_be_read() -> None:
    """Best first; every one is of the dev split's backbones by name, with its interval around it."""
    found = dev_scores()

    assert [row.score for row in found] == sorted((row.score for row in found), reverse=True)
    assert all(0 <= row.lo <= row.score <= row.hi <= 1 for row in found)
    assert "none" in {row.lm for row in found}
