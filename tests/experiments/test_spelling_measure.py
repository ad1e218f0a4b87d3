"""The measure of misspelt names: its slips are slips, and its shares are shares of what it says."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from rapidfuzz.distance import OSA

from experiments.misspelt import KINDS, misspelt
from experiments.spelling import measured
from program.settings import GroundingSettings, Settings
from tests.tiny import build_tiny, open_tiny


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in ("sound", "two sounds", "joined and slip")])
def test_one_slip_is_one_edit(kind: str) -> None:
    """A slip of the pen is one edit of the name in normal form, and never none."""
    rng = Random(1)
    for name in ("Siouxsie and the Banshees", "Metallica", "Twenty One Pilots", "Björk Guðmundsdóttir") * 20:
        wrong = misspelt(rng, name, kind)
        form = name.casefold().replace("ö", "o").replace("ð", "d").replace("ó", "o")

        assert wrong is None or OSA.distance(wrong, form) == 1


@pytest.mark.parametrize(("name", "kind"), [("U2", "keyboard"), ("Abba", "split"), ("Queen", "joined"), ("晴天", "dropped")])
def test_no_place_for_a_slip(name: str, kind: str) -> None:
    """Short names, and single words that could be run together with nothing, have no slip of that kind."""
    assert misspelt(Random(1), name, kind) is None


def test_measured(tmp_path: Path) -> None:
    """The same seed measures the same; without repair next to nothing is found but what was only joined or split."""
    build_tiny(tmp_path / "index")
    index = open_tiny(tmp_path / "index")
    off = Settings(grounding=GroundingSettings(fuzzy_max_spans=0, phonetic=False))
    first, again, without = (measured(index, 60, 7, settings) for settings in (Settings(), Settings(), off))
    index.close()

    assert first | {"look_up_cpu_ms": 0} == again | {"look_up_cpu_ms": 0}
    assert set(first["found_by_kind"]) == set(KINDS)
    assert first["found"] > 0.85 > 0.4 > without["found"]
    assert without["found_by_kind"]["split"] == without["found_by_kind"]["joined"] == 1.0
    assert (first["corrected_though_right"], without["corrected_talk"]) == (0.0, 0.0)
