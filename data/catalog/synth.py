"""A made-up catalog of any size for benchmarks: no real artist, no real recording, the shape of a real one.

Tracks per artist and popularity follow Zipf's law, titles repeat, and each facet is about as full as in real catalogs.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, islice
from pathlib import Path
from random import Random
from typing import Any

import orjson

from data.errors import InfrastructureError, InputError

_TRACKS_PER_ARTIST = 12
_ZIPF_ARTISTS, _ZIPF_SHIFT, _ZIPF_POPULARITY = 0.8, 10, 1.0
_MOST_PLAYS = 2_000_000_000
_GUEST_SHARE = 0.08
_BATCH_LINES = 10_000
COVERAGE = {
    "genres": 0.90, "region": 0.80, "language": 0.75, "vocal": 0.60, "year": 0.95, "album": 0.85, "duration_s": 0.90,
    "popularity": 0.97, "bpm": 0.40, "moods": 0.50, "activities": 0.25, "instruments": 0.20, "tags": 0.10,
}  # fmt: skip
"""Share of tracks that have each facet. Source: own, catalog-specific."""


def _words(text: str, separator: str = " ") -> tuple[str, ...]:
    return tuple(text.replace("\n", separator if separator == " " else "").split(separator))


_FIRST = _words("""Ada Amara Anders Anouk Arlo Asa Bea Bruno Cara Cleo Dario Dora Edda Elio Elsa Enzo Faye Finn Gala
Greta Hanna Hugo Ida Inês Iris Jonas Josefa Juno Kasper Kira Lars Léa Lena Lior Luca Lucía Mabel Maja Malik Marit
Mateo Mika Milo Nadia Nico Nina Noé Nora Odile Olaf Otis Pablo Petra Quinn Rafael Rita Romy Rosa Runa Sába Selma
Simone Söre Tess Tilda Tove Uma Vera Viggo Wanda Xenia Yara Yusuf Zoë""")
_LAST = _words("""Abbott Adair Almeida Ash Barrow Bergström Birch Blum Brandt Brook Calder Castell Cole Corvin Crane
Dahl Darrow Delacroix Doyle Eklund Ember Falk Farrow Fenn Ferreira Fjord Forde Frost Garrow Grey Grün Hale Harrow Hart
Hayes Holm Ibarra Ives Jardin Karlsen Keane Kern Koval Lake Larkin Leclerc Lindqvist Lowe Lund Madsen Mahler Marsh
Mercer Moreau Munk Nash Navarro Noor Norén Oakes Okafor Olsen Orr Paz Peña Pike Quist Rask Ravn Reyes Rivers Rook Rowe
Sable Santoro Sato Shaw Solberg Sorel Stone Strand Swan Tate Thorne Ueda Vale Varga Vega Vidal Voss Ward Weiss Wilde
Winter Wolfe Wren Yates Ziegler""")
_ADJECTIVES = _words("""Amber Ancient Black Blind Blue Bright Broken Burning Cold Crimson Crooked Cruel Dark Deep
Distant Early Electric Empty Endless Fallen Fading Final First Foreign Frozen Gentle Ghostly Golden Gray Green Heavy
Hidden Hollow Holy Idle Last Lonely Lost Lucid Lunar Magnetic Midnight Modern Neon Northern Old Open Pale Paper
Plastic Purple Quiet Red Restless Royal Sacred Scarlet Secret Silent Silver Slow Solar Southern Strange Sudden Sweet
Tender Velvet Violet Wild Winter Wooden Young""")
_NOUNS = _words("""Angel Animal Anthem Arrow Avenue Beach Bird Bone Bridge Canyon Chapel Circle City Cloud Coast Comet
Crown Dancer Daughter Dawn Desert Devil Dream Echo Engine Eye Fever Field Fire Flame Flower Forest Garden Ghost Giant
Glass Harbor Heart Hill Home Horizon Horse Hour House Island Jungle King Kiss Ladder Lake Lantern Letter Light Lion
Machine Map Mirror Moon Morning Mountain Night Ocean Orchard Palace Paradise Pilot Planet Poet Prince Queen Rain Raven
River Road Rose Saint Sea Season Shadow Ship Signal Sky Snow Soldier Song Star Station Storm Stranger Street Summer
Sun Swan Temple Thunder Tiger Tower Train Valley Wave Weather Well Whale Wind Window Wing Wire Wolf""")
_SINGLE = _words("""Love Home Stay Forever Hello Alone Tonight Angel Heaven Happy Lost Runaway Gravity Breathe
Paradise Crazy Fire Rain Sorry Sunday Again Closer Believe Alive Dreams Ghost Heartbeat Higher Illusion Intro Lullaby
Magic Midnight Numb Outro Poison Radio Shine Silence Summer Sunshine Thunder Time Wonderland""")
_VERBS = _words("Call Carry Chase Find Follow Forget Hear Hold Keep Kiss Leave Lose Love Miss Need Save See Take")
_ENDINGS = _words("|tonight|again|in the dark|until the morning|like before|on my own|all night long", "|")
_TITLES_OF = {
    "es": _words("Corazón|Mañana|Canción del {}|Noche de {}|Otra vez|Sin ti|El último {}|Bésame {}|Sueños de {}", "|"),
    "fr": _words("Été|L’amour|Chanson pour {}|La nuit du {}|Sans toi|À demain|Déjà vu|Le dernier {}", "|"),
    "pt": _words("Saudade|Coração|Canção para {}|Amanhã|Noite de {}|Você e eu|O último {}", "|"),
    "de": _words("Für dich|Über Nacht|Lied für {}|Nacht über {}|Morgen früh|Heimweh|Ohne dich", "|"),
    "sv": _words("Hjärtat|En sång om {}|Sommar på {}|Över havet|Hemma|Vår sista {}", "|"),
    "is": _words("Heima|Þögn|Draumur um {}|Ljósið|Hafið og {}", "|"),
}
_HAN = _words("月光 夜空 晴朗 远方 回忆 时间 河流 大海 星星 秋天 冬天 城市 街角 窗外 列车 雨声")
_HAN_ENDINGS = _words("|的歌|之后|里的你|情书|与海|不说话|慢慢走|三部曲|的尽头", "|")
_KANA = _words("さくら 夜明け 花火 ひかり 雨音 星屑 手紙 海辺 約束 青い鳥 窓辺 坂道 月夜 ラジオ")
_FAMILY_OF = {
    "zh": _words("王Wang 李Li 张Zhang 刘Liu 陈Chen 杨Yang 赵Zhao 黄Huang 周Zhou 吴Wu 徐Xu 孙Sun 胡Hu 朱Zhu"),
    "ja": _words("森Mori 川島Kawashima 水野Mizuno 青山Aoyama 西村Nishimura 小松Komatsu 星野Hoshino"),
}
_GIVEN_OF = {
    "zh": _words("""文雨Wenyu 欣然Xinran 宇晨Yuchen 子涵Zihan 佳明Jiaming 思远Siyuan 安若Anruo 星海Xinghai
雪木Xuemu 明月Mingyue 海文Haiwen 远星Yuanxing 青然Qingran 子安Zian 雨佳Yujia 晨云Chenyun"""),
    "ja": _words("ゆきYuki はるHaru あかりAkari そらSora みおMio れんRen ひなたHinata かおるKaoru けんKen"),
}
_STAGE_OF = {
    "zh": _words("|乐队|与远方|和她的猫|合唱团|小组", "|"),
    "ja": _words("|バンド|と夜明け|トリオ|楽団|クラブ", "|"),
}
_REMARKS = _words(" (Live)| (Live at {} Hall)| - Remastered 2011| (Acoustic)| ({} Remix)| [Karaoke Version]| (Edit)", "|")
_MOODS = _words("happy sad melancholic calm energetic romantic dark dreamy nostalgic uplifting epic lonely warm")
_ACTIVITIES = _words("party dance workout running study focus sleep relax driving road-trip dinner morning night")
_INSTRUMENTS = _words("acoustic-guitar electric-guitar piano synthesizer violin cello saxophone trumpet drums flute")
_TAGS = _words("one hit wonder|guilty pleasure|b-side|radio favourite|deep cut|bedroom recording|fan favourite", "|")
_VOCALS = ("female", "male", "male", "mixed", "instrumental")
_TRACK_WORDS = (
    ("moods", _MOODS, 3),
    ("activities", _ACTIVITIES, 2),
    ("instruments", _INSTRUMENTS, 2),
    ("tags", _TAGS, 2),
)
_SCENES = [
    ("US", "en", 28, "pop hip-hop trap contemporary-rnb country indie-rock alternative-rock soul folk jazz punk metal"),
    ("GB", "en", 14, "pop indie-rock post-punk britpop synth-pop drum-and-bass grime house folk-rock trip-hop"),
    ("BR", "pt", 8, "mpb samba bossa-nova forro baile-funk pop tropicalia"),
    ("MX", "es", 7, "latin-pop regional-mexican ranchera cumbia rock-en-espanol reggaeton"),
    ("ES", "es", 4, "flamenco latin-pop indie-pop rock"),
    ("DE", "de", 6, "techno schlager krautrock house hip-hop ambient minimalism"),
    ("FR", "fr", 6, "chanson french-house french-hip-hop electropop jazz"),
    ("SE", "sv", 4, "indie-pop dance-pop death-metal nordic-folk synth-pop"),
    ("IS", "is", 1, "post-rock ambient indie-folk modern-classical"),
    ("CN", "zh", 6, "mandopop chinese-rock campus-folk chinese-folk chinese-hip-hop"),
    ("TW", "zh", 3, "mandopop indie-rock ballad"),
    ("JP", "ja", 6, "j-pop j-rock city-pop anime visual-kei jazz"),
    ("NG", "en", 4, "afrobeats afrobeat highlife juju"),
    ("JM", "en", 3, "reggae dub dancehall ska rocksteady"),
]


@dataclass(frozen=True, slots=True)
class _Artist:
    """One made-up artist. `rank` 0 has the most tracks; `facets` holds what is known, `language` what titles are in."""

    rank: int
    artist_id: str
    name: str
    romanised: str
    language: str
    facets: dict[str, Any]
    first_year: int


def _pick(rng: Random, words: Sequence[str]) -> str:
    return words[int(rng.random() * len(words))]


def _some(rng: Random, words: Sequence[str], most: int) -> list[str]:
    return list(dict.fromkeys(_pick(rng, words) for _ in range(1 + int(rng.random() * most))))


def _read(word: str) -> tuple[str, str]:
    """A word's own script and its reading: "王Wang" → ("王", "Wang")."""
    start = next(index for index, char in enumerate(word) if char.isascii())
    return word[:start], word[start:]


def _name(rng: Random, language: str) -> tuple[str, str]:
    """A name and, for one in another script, its romanisation."""
    draw = rng.random()
    if language in _FAMILY_OF and draw < 0.7:
        family, family_read = _read(_pick(rng, _FAMILY_OF[language]))
        given, given_read = _read(_pick(rng, _GIVEN_OF[language]))
        stage = _pick(rng, _STAGE_OF[language]) if rng.random() < 0.5 else ""
        return f"{family}{given}{stage}", f"{family_read} {given_read}"
    noun, adjective = _pick(rng, _NOUNS), _pick(rng, _ADJECTIVES)
    if draw < 0.45:
        return f"{_pick(rng, _FIRST)} {_pick(rng, _LAST)}", ""
    if draw < 0.60:
        return f"The {adjective} {noun}s", ""
    if draw < 0.75:
        return f"{adjective} {noun}", ""
    if draw < 0.85:
        return f"{_pick(rng, _FIRST)} & the {noun}s", ""
    return (f"{noun} {_pick(rng, _NOUNS)}", "") if draw < 0.97 else (noun, "")


def _artists(rng: Random, count: int) -> Iterator[_Artist]:
    """Artists by rank; nine of ten whose name is taken get a longer one, so that some namesakes stay."""
    taken: set[str] = set()
    edges = list(accumulate(weight for _, _, weight, _ in _SCENES))
    for rank in range(count):
        scene = bisect(edges, rng.random() * edges[-1])
        name, romanised = _name(rng, _SCENES[scene][1])
        while name in taken and not romanised and rng.random() < 0.9:
            name = f"{name} {_pick(rng, _LAST if name[-1] != 's' else _NOUNS)}"
        taken.add(name)
        first_year = 2022 - int(62 * rng.random() ** 1.5)
        language = _SCENES[scene][1]
        yield _Artist(rank, f"a{rank:07d}", name, romanised, language, _artist_facets(rng, scene), first_year)


def _artist_facets(rng: Random, scene: int) -> dict[str, Any]:
    region, language, _, genres = _SCENES[scene]
    facets: dict[str, Any] = {"region": region, "genres": _some(rng, genres.split(), 3), "vocal": _pick(rng, _VOCALS)}
    if facets["vocal"] != "instrumental":
        facets["language"] = language
    return {name: value for name, value in facets.items() if rng.random() < COVERAGE[name]}


def _title(rng: Random, language: str) -> str:
    draw = rng.random()
    if language == "zh" and draw < 0.85:
        return _pick(rng, _HAN) + _pick(rng, _HAN_ENDINGS)
    if language == "ja" and draw < 0.7:
        return _pick(rng, _KANA) if draw < 0.3 else f"{_pick(rng, _KANA)}と{_pick(rng, _KANA)}"
    if language in _TITLES_OF and draw < 0.7:
        return _pick(rng, _TITLES_OF[language]).format(_pick(rng, _LAST))
    if draw < 0.15:
        return _SINGLE[int(len(_SINGLE) * rng.random() ** 2)]
    if draw < 0.40:
        return f"{_pick(rng, _ADJECTIVES)} {_pick(rng, _NOUNS)}"
    if draw < 0.60:
        return f"{_pick(rng, _NOUNS)} of {_pick(rng, _NOUNS)}"
    if draw < 0.75:
        return f"{_pick(rng, _VERBS)} the {_pick(rng, _NOUNS)}"
    return f"{_pick(rng, _VERBS)} Me {_pick(rng, _ENDINGS)}".rstrip() if draw < 0.92 else f"The {_pick(rng, _NOUNS)}"


def _artist_line(artist: _Artist) -> dict[str, Any]:
    plays = int(_MOST_PLAYS / (1 + artist.rank) ** _ZIPF_POPULARITY)
    line = {"kind": "artist", "artist_id": artist.artist_id, "name": artist.name, "popularity": plays, **artist.facets}
    if artist.romanised:
        line["transliterations"] = [artist.romanised]
    return line


def _track_line(rng: Random, number: int, tracks: int, artist: _Artist, guest: _Artist | None) -> dict[str, Any]:
    chance = rng.random
    title = _title(rng, artist.language)
    if chance() < 0.08:
        title += _pick(rng, _REMARKS).format(_pick(rng, _LAST))
    credited = [artist, guest] if guest is not None and guest is not artist else [artist]
    line: dict[str, Any] = {
        "track_id": f"t{number:08d}",
        "title": title,
        "artists": [one.name for one in credited],
        "artist_ids": [one.artist_id for one in credited],
        **artist.facets,
    }
    album = int(chance() * 8)
    if chance() < COVERAGE["album"]:
        line["album"] = f"{_ADJECTIVES[(artist.rank * 7 + album) % len(_ADJECTIVES)]} {_NOUNS[artist.rank % len(_NOUNS)]}"
    if chance() < COVERAGE["year"]:
        line["year"] = min(2024, artist.first_year + 2 * album)
    if chance() < COVERAGE["popularity"]:
        share = 0.7 * chance() + 0.3 * artist.rank * _TRACKS_PER_ARTIST / tracks
        line["popularity"] = int(_MOST_PLAYS / (1 + int(tracks * share)) ** _ZIPF_POPULARITY)
    if chance() < COVERAGE["duration_s"]:
        line["duration_s"] = max(30, int(rng.gauss(215, 45))) if chance() < 0.97 else 900
    if chance() < COVERAGE["bpm"]:
        line["bpm"] = 60 + int(120 * (chance() + chance()) / 2)
    for facet, words, most in _TRACK_WORDS:
        if chance() < COVERAGE[facet]:
            line[facet] = _some(rng, words, most)
    if chance() < 0.02:
        line["playable"] = False
    return line


def _lines(tracks: int, seed: int) -> Iterator[dict[str, Any]]:
    rng = Random(seed)
    artists = list(_artists(rng, max(1, tracks // _TRACKS_PER_ARTIST)))
    yield from map(_artist_line, artists)
    edges = list(accumulate((rank + _ZIPF_SHIFT) ** -_ZIPF_ARTISTS for rank in range(len(artists))))
    total = edges[-1]
    for number in range(tracks):
        # the first tracks give every artist one, the others follow the law
        artist = artists[number] if number < len(artists) else artists[bisect(edges, rng.random() * total)]
        guest = artists[bisect(edges, rng.random() * total)] if rng.random() < _GUEST_SHARE else None
        yield _track_line(rng, number, tracks, artist, guest)


def write_synthetic(path: Path, tracks: int, seed: int = 0, on_progress: Callable[[int], None] | None = None) -> None:
    """Write a JSON Lines catalog: about a twelfth as many artists as tracks, artists first; the same for one seed.

    Args:
        path: is replaced.
        tracks: at least 1.
        seed: of everything random.
        on_progress: is called with the number of lines (artists and tracks) written so far.

    Raises:
        InputError: `tracks` is below 1.
        InfrastructureError: the file cannot be written.
    """
    if tracks < 1:
        raise InputError(f"a catalog needs at least 1 track, not {tracks}")
    written = 0
    lines = _lines(tracks, seed)
    try:
        with path.open("wb") as file:
            while batch := [orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE) for line in islice(lines, _BATCH_LINES)]:
                file.write(b"".join(batch))
                written += len(batch)
                if on_progress is not None:
                    on_progress(written)
    except OSError as error:
        raise InfrastructureError(f"cannot write {path}: {error}") from error
