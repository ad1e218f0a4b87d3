from __future__ import annotations

import pytest

from data.catalog.importers.versions import remarks, version_of


@pytest.mark.parametrize(
    ("title", "version"),
    [
        ("Purple Rain (Live)", "live"),
        ("Back In Black (Live - 1991)", "live"),
        ("Immortality - Live at the MGM Grand", "live"),
        ("Nayan Se Nayan - Behag - Misra Chapu (Live)", "live"),
        ("Fontanellette (2007 Remaster Live @ CBGB's)", "live"),
        ("Dreams (Live) [2004 Remaster]", "live"),
        ("晴天（现场版）", "live"),
        ("Take over Control (Originally Performed by Afrojack & Eva Simmons) [Karaoke Version]", "karaoke"),
        ("Robbery (Originally Performed by Juice WRLD) [Instrumental]", "karaoke"),
        ("Sweet Child o' Mine (Backing Track Minus Lead Guitar)", "karaoke"),
        ("Memory - Karaoke Version", "karaoke"),
        ("后来 (伴奏)", "karaoke"),
        ("How to Save a Life (Originally Performed By The Fray)", "cover"),
        ("How to Save a Life originally performed by The Fray", "cover"),
        ("Psycho (Metal Cover)", "cover"),
        ("Radioactive (Acoustic)", "acoustic"),
        ("Dreams - Remastered 2011", "remaster"),
        ("Lola [2020 Stereo Remaster]", "remaster"),
        ("House Party (Star.One Remix)", "remix"),
        ("Could You Be Loved (Club Mix)", "remix"),
        ("ride ya pony(remix)", "remix"),
        ("Nightcall (slowed + reverb)", "remix"),
        ("Wildest Dreams (Taylor’s Version)", "re-recording"),
        ("O.P.P. [Re-Recorded]", "re-recording"),
        ("Smells Like Teen Spirit (Rehearsal Demo)", "demo"),
        ("Hip Hop Hooray (Instrumental)", "instrumental"),
    ],
)
def test_said(title: str, version: str) -> None:
    """A remark in brackets or behind a dash tells the kind of recording."""
    assert version_of(title) == version


@pytest.mark.parametrize(
    "title",
    [
        "Live and Let Die",
        "Live Forever",
        "Demo",
        "Karaoke",
        "Cover Me",
        "Acoustic",
        "Remix to Ignition",
        "Remastered",
        "Recuerdos (Original Mix)",
        "Rain (Mono Mix)",
        "Wooden Jesus (25th Anniversary Mix)",
        "Hey Ya! (Radio Mix)",
        "Long Live (Long Live)",
        "Born to Run (Born to Live)",
        "(I Can't Get No) Satisfaction",
        "Sip (Alcohol)",
        "Caribbean Blue (Single Version)",
        "Intro - Live and Let Die",
        'Under The Sea (From "The Little Mermaid")',
        "",
    ],
)
def test_not_said(title: str) -> None:
    """Words of the title proper, and remarks about something else, leave it an original."""
    assert version_of(title) == "original"


def test_remarks() -> None:
    """Remarks come in order, lower case; brackets within brackets count on their own."""
    assert remarks("Fly (A (feat. B)) [Live] – Edit / Mono") == ["a", "feat. b", "live", "edit", "mono"]
