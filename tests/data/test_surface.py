from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.surface import likeness, surface_code


@pytest.mark.parametrize(
    ("first", "second", "alike"),
    [
        ("MEG", "MEG", 2),
        ("MEG", "Meg", 1),
        ("MØ", "MO", 0),
        ("B.o.B", "Bob", 0),
        ("P!nk", "p!nk", 1),
        ("Guns N’ Roses", "Guns N' Roses", 2),
        ("The  Beatles", "The Beatles", 2),
        ("Björk", "Bjo\u0308rk", 2),
        ("+VIBES", "VIBES", 0),
    ],
)
def test_likeness(first: str, second: str, alike: int) -> None:
    """Capitals count less than letters; accents and signs count, blanks and the shape of apostrophes do not."""
    assert likeness(surface_code(first), surface_code(second)) == alike


@given(st.text(max_size=20))
def test_a_text_is_like_itself(text: str) -> None:
    """Any text has a code of 32 bits, and is written the same as itself."""
    code = surface_code(text)

    assert 0 <= code < 1 << 32
    assert likeness(code, surface_code(text)) == 2
