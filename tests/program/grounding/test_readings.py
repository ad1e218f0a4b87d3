from __future__ import annotations

from typing import Any

import pytest

from data.catalog.schema import Artist, Track
from program.grounding.readings import MAX_AMBIGUOUS, entity_ids, understand_by_code
from program.index.build import build_index
from program.index.engine import EmbeddedIndex
from program.settings import GroundingSettings, Settings
from tests.program.grounding.conftest import Read, summary
from tests.tiny import TinyEmbedder, artists, open_tiny, tracks


def wrong(request: str, meaning: str, reason: str) -> Any:
    """A request that is misread today."""
    return pytest.param(request, meaning, marks=pytest.mark.xfail(strict=True, reason=reason), id=request)


def table(*rows: Any) -> pytest.MarkDecorator:
    """Parametrises over (request, meaning); the request is the case's id."""
    params = [row if not isinstance(row, tuple) or hasattr(row, "marks") else pytest.param(*row, id=row[0]) for row in rows]
    return pytest.mark.parametrize(("request_", "meaning"), params)


@table(
    ("play Africa", "play 1, target:toto--africa"),
    ("yesterday", "play 1, target:the-beatles--yesterday"),
    ("play yesterday by the beatles", "play 1, target:the-beatles--yesterday, context:the-beatles"),
    ("P!nk so what", "play 1, target:pink--sowhat, context:pink"),
    ("play So What by P!nk", "play 1, target:pink--sowhat, context:pink"),
    ("Plastic Love", "play 1, target:mariya-takeuchi--プラスティックラヴ"),
    ("Sunny Day by Jay Chou", "play 1, target:jay-chou--晴天, context:jay-chou"),
    ("ghosts n stuff", "play 1, target:deadmau5--ghostsandstuff"),
    ("all the small things", "play 1, target:blink-182--allthesmallthings"),
    ("the song Hello by Adele", "play 1, target:adele--hello, context:adele"),
    ("the track One by Metallica", "play 1, target:metallica--1, context:metallica"),
    (
        "Love Story by Taylor Swift",
        "play 20, context:taylor-swift--lovestory, context:taylor-swift, absent:Love Story by Taylor Swift",
    ),
    ("“Yesterday” by The Beatles", "play 1, target:the-beatles--yesterday, context:the-beatles"),
    ("PLAY YESTERDAY BY THE BEATLES", "play 1, target:the-beatles--yesterday, context:the-beatles"),
    ("播放晴天", "play 1, target:jay-chou--晴天"),
    ("《晴天》", "play 1, target:jay-chou--晴天"),
    ("来一首Yesterday", "play 1, target:the-beatles--yesterday"),
    ("我想听周杰伦的七里香", "play 1, target:jay-chou--七里香, context:jay-chou"),
    ("play hello by adele", "play 1, target:adele--hello, context:adele"),
    ("adele's hello", "play 1, target:adele--hello, context:adele"),
    ('Hello and Yesterday', 'play 2, target:adele--hello, target:the-beatles--yesterday'),
    ("play Hello, then Yesterday", "play 2, target:adele--hello, target:the-beatles--yesterday"),
    ('Porcelain from the album Play', 'play 1, target:moby--porcelain, context:moby/play'),
)  # fmt: skip
def test_tracks(read: Read, request_: str, meaning: str) -> None:
    """A named track is asked for alone, whatever way it is written; its artist is context."""
    assert summary(read(request_).best.intent) == meaning


@table(
    ("Toto", "play 20, target:toto"),
    ("ac/dc", "play 20, target:acdc"),
    ("!!!", "play 20, target:chk-chk-chk"),
    ("songs by !!!", "play 20, target:chk-chk-chk"),
    ("play dead mau5", "play 20, target:deadmau5"),
    ("21 pilots", "play 20, target:twenty-one-pilots"),
    ("blink 182", "play 20, target:blink-182"),
    ("pink songs", "play 20, target:pink"),
    ("beyonce", "play 20, target:beyonce"),
    ("sigur ros", "play 20, target:sigur-ros"),
    ("kaelan mikla", "play 20, target:kaelan-mikla"),
    ("play something by The Beatles", "play 20, target:the-beatles"),
    ("songs by Kaleidoscope", "play 20, target:kaleidoscope"),
    ("the band Kaleidoscope", "play 20, target:kaleidoscope"),
    ("songs by Beyoncé and Adele", "play 20, target:beyonce, target:adele"),
    ("Prince, Queen and Muse", "play 20, target:prince, target:queen, target:muse"),
    ("10 songs by Adele", "play 10, target:adele"),
    ("one song by Adele", "play 1, target:adele"),
    ("20 songs by Taylor Swift from before 2015", "play 20, target:taylor-swift, era~|2014"),
    ("Björk but nothing after 1996", "play 20, target:bjork, era~|1996"),
    ("lionel ritchie", "play 20, target:lionel-richie"),
    ("Siouxie and the Banshees", "play 20, target:siouxsie"),
    ("竹内まりや", "play 20, target:mariya-takeuchi"),
    ("放点周杰伦的歌", "play 20, target:jay-chou"),
    ("周杰倫的歌", "play 20, target:jay-chou"),
    ("放五首周杰伦的歌", "play 5, target:jay-chou"),
    ("听Radiohead", "play 20, target:radiohead"),
    ("play !!!", "play 20, target:chk-chk-chk"),
    ("twenty five songs by Adele", "play 25, target:adele"),
)
def test_artists(read: Read, request_: str, meaning: str) -> None:
    """A named artist gives a list, of the size that was said."""
    assert summary(read(request_).best.intent) == meaning


@table(
    ("play the album Kaleidoscope by Siouxsie and the Banshees", "play 20, target:siouxsie/kaleidoscope, context:siouxsie"),
    ("the album 1999 by Prince", "play 20, target:prince/1999, context:prince"),
    ("play Play by Moby", "play 20, target:moby/play, context:moby"),
    ("Moby Play", "play 20, target:moby/play, context:moby"),
    ("the album 1989", "play 20, target:taylor-swift/1989"),
    ("play the album Play", "play 20, target:moby/play"),
    ("Wire 154", "play 20, target:wire/154, context:wire"),
    ("adele 21", "play 20, target:adele/21, context:adele"),
    ("Prince's album 1999", "play 20, target:prince/1999, context:prince"),
    ("周杰伦的专辑七里香", "play 20, target:jay-chou/七里香, context:jay-chou"),
    ("play Play", "play 20, target:moby/play"),
)
def test_albums(read: Read, request_: str, meaning: str) -> None:
    """A named album gives its tracks; a command that is also an album's name stays a command."""
    assert summary(read(request_).best.intent) == meaning


@pytest.mark.parametrize("request_", ["play 1999", "play 1999 by Prince", "prince 1999"])
def test_a_year_that_is_a_title(read: Read, request_: str) -> None:
    """A number beside its artist, or alone after a command, is the title; the title comes before its album."""
    intent = read(request_).best.intent

    assert entity_ids(intent.by_role("target"), "track") == ("prince--1999",)
    assert intent.constraints == ()


@table(
    ("niche Icelandic post-punk", "discover 20, popularity=niche, region=IS, genre=post-punk*"),
    (
        "niche Icelandic post-punk, nothing after 1985",
        "discover 20, popularity=niche, region=IS, genre=post-punk*, era~|1985",
    ),
    ("nordic post-punk", "discover 20, region=nordic, genre=post-punk*"),
    ("UK post-punk from before 1985", "discover 20, region=GB, genre=post-punk*, era~|1984"),
    ("icelandic post-punk sung in icelandic", "discover 20, region=IS, genre=post-punk*, language=is"),
    ("play some jazz", "discover 20, genre=jazz*"),
    ("african music", "discover 20, region=africa*"),
    ("music from Iceland", "discover 20, region=IS*"),
    ("songs in Japanese", "discover 20, language=ja*"),
    (
        "japanese city pop from the 80s with female vocals, bpm under 110",
        "discover 20, genre=city-pop*, era=1980s, vocal=female, tempo~|110",
    ),
    ("jazz or soul", "discover 20, genre=jazz|soul*"),
    ("jazz and soul for dinner", "discover 20, genre=jazz|soul*, activity=dinner"),
    ("sad or calm", "discover 20, mood=sad|calm*"),
    ("calm, warm jazz", "discover 20, mood=calm, mood=warm, genre=jazz*"),
    ("sad songs for a rainy night", "discover 20, mood=sad, activity=rainy-day*"),
    ("give me a playlist for running", "discover 20, activity=running*"),
    ("workout music with no vocals", "discover 20, activity=workout*, vocal=instrumental"),
    ("slow piano music", "discover 20, tempo=slow, instrument=piano*"),
    ("over 140 bpm rock", "discover 20, tempo~140|, genre=rock*"),
    ("songs from between 1975 and 1982, punk or new wave", "discover 20, era~1975|1982, genre=punk|new-wave*"),
    ("early 90s rock", "discover 20, era~1990|1993, genre=rock*"),
    ("1970s or 1980s rock", "discover 20, era=1970s|1980s, genre=rock*"),
    ("songs after 2010", "discover 20, era~2011|*"),
    ("hidden gems", "discover 20, popularity=niche"),
    ("a playlist", "discover 20"),
    ("music for staring at the ceiling", "discover 20, free:staring ceiling"),
    ("二十首摇滚", "discover 20, genre=rock*"),
    ("三首爵士", "discover 3, genre=jazz*"),
    ("安静的爵士", "discover 20, mood=calm, genre=jazz*"),
    ("来点适合跑步的快歌", "discover 20, activity=running*, tempo=fast"),
    ("八十年代的摇滚", "discover 20, era=1980s, genre=rock*"),
    ("冰岛后朋克", "discover 20, region=IS, genre=post-punk*"),
    ("日本city pop", "discover 20, region=JP, genre=city-pop*"),
    ("适合睡觉的音乐", "discover 20, activity=sleep*"),
    ("女歌手唱的日语歌", "discover 20, vocal=female, language=ja*"),
    ('10 jazz songs', 'discover 10, genre=jazz*'),
    ('500 songs', 'discover 100'),
    ('play us some jazz', 'discover 20, genre=jazz*'),
    ('from the 70s to the 90s', 'discover 20, era~1970|1999*'),
    ('songs from 1980-1985', 'discover 20, era~1980|1985*'),
    ('1990年之后的摇滚', 'discover 20, era~1990|, genre=rock*'),
    ('2000年以前的爵士', 'discover 20, era~|1999, genre=jazz*'),
    ('五十首歌', 'discover 50'),
)  # fmt: skip
def test_facets(read: Read, request_: str, meaning: str) -> None:
    """Facet words become conditions; the head of the request is core, the words around it are soft."""
    assert summary(read(request_).best.intent) == meaning


@table(
    ("only songs by women", "discover 20, vocal=female*"),
    ("nothing but jazz", "discover 20, genre=jazz*"),
    ("must be instrumental", "discover 20, vocal=instrumental*"),
    ("only sad jazz", "discover 20, mood=sad*, genre=jazz*"),
    ("songs by Adele, only sad", "play 20, target:adele, mood=sad*"),
    ("sad songs by Adele", "play 20, mood=sad, target:adele"),
    ("只要女声", "discover 20, vocal=female*"),
)
def test_strength(read: Read, request_: str, meaning: str) -> None:
    """What `only` governs is core; beside a named thing other words are soft."""
    parts = meaning.split(", ")

    assert sorted(summary(read(request_).best.intent).split(", ")) == sorted(parts)


@table(
    ("no jazz", "discover 20, genre!=jazz*"),
    ("not sad", "discover 20, mood!=sad*"),
    ("happy but not sad", "discover 20, mood=happy*, mood!=sad*"),
    ("no country, no metal, just chill electronic", "discover 20, genre!=country*, genre!=metal*, mood=calm*, genre=electronic*"),
    ("rock without Queen and Muse", "discover 20, exclude:queen, exclude:muse, genre=rock*"),
    ("rock, not Queen, not Muse", "discover 20, exclude:queen, exclude:muse, genre=rock*"),
    ("no jazz, calm ambient", "discover 20, genre!=jazz*, mood=calm, genre=ambient*"),
    ("upbeat indie rock without male vocals", "discover 20, mood=happy, genre=indie-rock*, vocal!=male*"),
    ("songs before 1980 but not jazz", "discover 20, era~|1979*, genre!=jazz*"),
    ("rock not from the 80s", "discover 20, genre=rock*, era!=1980s*"),
    ("non-english songs", "discover 20, language!=en*"),
    ("without vocals", "discover 20, vocal=instrumental*"),
    ("anything but Drake", "discover 20, exclude:drake"),
    ("don't play Drake", "discover 20, exclude:drake"),
    ("anything except Hello by Adele", "discover 20, exclude:adele--hello, context:adele"),
    ("metallica but not One", "play 20, target:metallica, exclude:metallica--1"),
    ("songs by P!nk, not So What", "play 20, target:pink, exclude:pink--sowhat"),
    ("除了摇滚都行", "discover 20, genre!=rock*"),
    ("不要周杰伦", "discover 20, exclude:jay-chou"),
    ("除了周杰伦的歌", "discover 20, exclude:jay-chou"),
    ("不要男声", "discover 20, vocal!=male*"),
    ("北欧的后朋克,不要英国的", "discover 20, region=nordic, genre=post-punk*, region!=GB*"),
    ('不要摇滚,来点爵士', 'discover 20, genre!=rock*, genre=jazz*'),
    ('Lionel Richie without Hello', 'play 20, target:lionel-richie, exclude:lionel-richie--hello'),
    ('not like Radiohead', 'discover 20, exclude:radiohead'),
    ('rock, not from 1980-1985', 'discover 20, genre=rock*, era!=1980|1981|1982|1983|1984|1985*'),
    ('jazz, nothing over 120 bpm', 'discover 20, genre=jazz*, tempo~|120'),
)  # fmt: skip
def test_negation(read: Read, request_: str, meaning: str) -> None:
    """A negation governs its clause and the lists that go on from it, and nothing before or after; it is always core."""
    assert sorted(summary(read(request_).best.intent).split(", ")) == sorted(meaning.split(", "))


@table(
    ("jazz by women", "discover 20, genre=jazz*, vocal=female"),
    ("music from Africa by female singers", "discover 20, region=africa*, vocal=female"),
    ("songs from Africa", "discover 20, region=africa*"),
    ("Africa from Toto", "play 1, target:toto--africa, context:toto"),
)
def test_describing_words_around_by(read: Read, request_: str, meaning: str) -> None:
    """A `by` word before or after what describes makes no name of it."""
    assert summary(read(request_).best.intent) == meaning


@table(
    ("something like Bohemian Rhapsody", "similar 20, seed:queen--bohemianrhapsody"),
    ("songs like Radiohead", "similar 20, seed:radiohead"),
    ("songs like Radiohead but not Radiohead", "similar 20, seed:radiohead, exclude:radiohead"),
    ("songs like Hello by Adele", "similar 20, seed:adele--hello, context:adele"),
    ("similar to Toto's Africa", "similar 20, seed:toto--africa, context:toto"),
    ("15 songs similar to Muse", "similar 15, seed:muse"),
    ("类似周杰伦的歌", "similar 20, seed:jay-chou"),
    ("类似Radiohead的乐队", "similar 20, seed:radiohead"),
    ("像Radiohead一样的歌", "similar 20, seed:radiohead"),
    ("听起来像The Cure的歌", "similar 20, seed:the-cure"),
)
def test_similar(read: Read, request_: str, meaning: str) -> None:
    """What follows `like` is where to start from, not what to play; it may be excluded from the answer as well."""
    assert summary(read(request_).best.intent) == meaning


@table(
    ("play Xanthorpe Dreaming", "play 20, absent:Xanthorpe Dreaming"),
    ("play Xanthorpe Dreaming by The Nobodies", "play 20, absent:Xanthorpe Dreaming by The Nobodies"),
    ("play So What by Miles Davis", "play 20, context:pink--sowhat, context:miles-davis, absent:So What by Miles Davis"),
    ("Yesterday by Muse", "play 20, context:the-beatles--yesterday, context:muse, absent:Yesterday by Muse"),
    ("songs by ABBA", "play 20, absent:ABBA"),
    ("songs by Zorblax Quux", "play 20, absent:Zorblax Quux"),
    ("something like Zorblax Quux", "play 20, absent:Zorblax Quux"),
    ('"Zorblax Quux"', "play 20, absent:Zorblax Quux"),
    ("播放披头士", "play 20, absent:披头士"),
    ("songs by The Nobodies", "play 20, absent:The Nobodies"),
    ("Dancing Queen by ABBA", "play 20, context:queen, absent:Dancing Queen by ABBA"),
    ("Africa by Adele", "play 20, context:toto--africa, context:adele, absent:Africa by Adele"),
)
def test_absent(read: Read, request_: str, meaning: str) -> None:
    """A name that the catalog does not hold is told as such, and nothing that sounds like it is asked for instead."""
    assert summary(read(request_).best.intent) == meaning


@table(
    ("my liked songs", "personal 20, liked"),
    ("recently played", "personal 20, history"),
    ("我喜欢的歌", "personal 20, liked"),
    ("最近播放", "personal 20, history"),
)
def test_personal(read: Read, request_: str, meaning: str) -> None:
    """The listener's own sets are told from music in general."""
    assert summary(read(request_).best.intent) == meaning


@pytest.mark.parametrize("request_", ["Hello", "play Hello", '"Hello"'])
def test_ambiguity(read: Read, request_: str) -> None:
    """Two equally popular tracks of one title cannot be told apart, so both are named."""
    reading = read(request_).best
    named = {item.evidence_id: item for item in reading.evidence}

    assert {named[name].entity_id for name in reading.intent.ambiguity} == {"adele--hello", "lionel-richie--hello"}
    assert reading.intent.ambiguity[0] == reading.intent.by_role("target")[0].evidence_id


@pytest.mark.parametrize("request_", ["Hello by Adele", "Adele Hello", "Running Up That Hill", "Yesterday", "the Beatles"])
def test_no_ambiguity(read: Read, request_: str) -> None:
    """A named artist, a clear lead in popularity, a version or a cover leave no question."""
    assert read(request_).best.intent.ambiguity == ()


@pytest.mark.parametrize(
    ("grounding", "asked"),
    [({}, True), ({"p_lo": 0.9}, False), ({"p_lo": 0.0}, True), ({"ambiguity_margin": 0.0}, True)],
    ids=["default", "both too little known", "no floor", "no margin"],
)
def test_ambiguity_settings(tiny_index: EmbeddedIndex, grounding: dict[str, float], asked: bool) -> None:
    """Tracks that hardly anyone knows are not asked about; equal popularity needs no margin."""
    settings = Settings(grounding=GroundingSettings.model_validate(grounding))

    assert bool(understand_by_code("Hello", tiny_index, settings).best.intent.ambiguity) is asked


@pytest.mark.parametrize(("margin", "asked"), [(0.0, set()), (0.12, {"beyonce--halo", "adele--hello", "lionel-richie--hello"})])
def test_ambiguity_margin_switches(tiny_index: EmbeddedIndex, margin: float, asked: set[str]) -> None:
    """A misspelt title is asked about when other titles as near to it are about as popular; how about is a setting."""
    reading = understand_by_code("hallo", tiny_index, Settings(grounding=GroundingSettings(ambiguity_margin=margin))).best
    named = {item.evidence_id: item.entity_id for item in reading.evidence}

    assert {named[name] for name in reading.intent.ambiguity} == asked
    assert len(reading.intent.ambiguity) <= MAX_AMBIGUOUS


def test_no_ambiguity_without_popularity(tmp_path: Any) -> None:
    """Where the catalog does not know popularity, nothing says that two tracks are equally likely."""
    unknown: list[Artist | Track] = [track.model_copy(update={"popularity": None}) for track in tracks()]
    build_index([*artists(), *unknown], tmp_path / "index", embedder=TinyEmbedder())
    index = open_tiny(tmp_path / "index")
    intent = understand_by_code("Hello", index, Settings()).best.intent
    index.close()

    assert len(intent.by_role("target")) == 1
    assert intent.ambiguity == ()


@pytest.mark.parametrize("request_", ["Kaleidoscope", "play 1999", "Toto's Africa", "african music", "metalica"])
def test_readings_differ(read: Read, request_: str) -> None:
    """Readings are distinct in meaning, best first, and each rests on evidence of its own."""
    understanding = read(request_)
    scores = [reading.score for reading in understanding.readings]
    ids = [item.evidence_id for reading in understanding.readings for item in reading.evidence]

    assert len({summary(reading.intent) for reading in understanding.readings}) == len(scores)
    assert scores == sorted(scores, reverse=True)
    assert understanding.margin == pytest.approx(scores[0] - scores[1])
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("count", [1, 2, 4])
def test_max_readings(tiny_index: EmbeddedIndex, count: int) -> None:
    """No more readings are made than the setting says; one reading has no rival."""
    understanding = understand_by_code("Kaleidoscope", tiny_index, Settings(grounding=GroundingSettings(max_readings=count)))

    assert len(understanding.readings) <= count
    assert (understanding.margin == float("inf")) is (count == 1)


@pytest.mark.parametrize("request_", ["", "   ", "…", "🎵🎶"])
def test_nothing_to_read(read: Read, request_: str) -> None:
    """A request without words is a request for anything."""
    assert summary(read(request_).best.intent) == "discover 20"


def test_unreadable_is_free_text(read: Read) -> None:
    """Words that nothing explains are kept for the search by meaning, and the reading is open."""
    best = read("asdf qwer").best

    assert (best.intent.kind, best.intent.free_text, best.complete) == ("discover", "asdf qwer", False)


def test_list_size_is_a_setting(tiny_index: EmbeddedIndex) -> None:
    """Where no size is said, a list has as many tracks as the settings say."""
    settings = Settings()
    settings = settings.model_copy(update={"retry": settings.retry.model_copy(update={"list_size": 7})})

    assert understand_by_code("play some jazz", tiny_index, settings).best.intent.size == 7


def test_spans_point_into_the_request(read: Read) -> None:
    """A condition and a piece of evidence say which words they come from."""
    request = "niche Icelandic post-punk like Björk’s"
    best = read(request).best

    assert [request[slice(*item.span)] for item in best.intent.constraints] == ["niche", "Icelandic", "post-punk"]
    assert all(item.surface == request[slice(*item.span)] for item in best.intent.constraints)
    assert [item.surface for item in best.evidence] == ["Björk"]


@pytest.mark.parametrize("request_", ["0/N:O", "symphony no", "a no.", "5 no"])
def test_no_at_the_end(read: Read, request_: str) -> None:
    """What looks like "number" at the end of a request is read without a fault."""
    assert read(request_).readings
