from __future__ import annotations

from collections.abc import Callable

import pytest

from data.labelled import LabelledRow
from data.sets.skeleton import normal_request, skeleton

MakeRow = Callable[..., LabelledRow]


@pytest.mark.parametrize(
    ("request_text", "names", "left"),
    [
        ("Play Sol!", ["Sol"], "play _"),
        ("sol", ["sol"], "_"),
        ("sol, nox & 12 more", ["sol", "nox"], "_ and _ more"),
        ("sad post-punk from the 80s", [], "_ from _"),
        ("sol's moon", ["sol", "moon"], "_ s _"),
        ("来首周杰伦的晴天", ["周杰伦", "晴天"], "来首 _ 的 _"),
        ("想听后朋克", [], "想听 _"),
    ],
)
def test_skeletons(make_row: MakeRow, request_text: str, names: list[str], left: str) -> None:
    """Names, facet words and numbers leave gaps, neighbouring gaps are one, and the rest stays."""
    assert skeleton(make_row(request=request_text, entities=[], absent=names)) == left


def test_requests_that_are_the_same() -> None:
    """Case, accents, punctuation, spaces and script do not make another request."""
    assert normal_request("Play  Björk!") == normal_request("play bjork")
    assert normal_request("聽孫燕姿") == normal_request("听孙燕姿")
    assert normal_request("play bjork") != normal_request("play bj")
