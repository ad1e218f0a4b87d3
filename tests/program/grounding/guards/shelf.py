"""A small catalog full of names that are easily mistaken: namesakes, versions, short names, names that are plain words.

Its answers are facts that the tests of the guards rely on:

- Africa by Toto and, as a cover, by Weezer; an album called Toto;
- two artists called Kaleidoscope, both hardly known, and a well-known album of that name by Siouxsie and the Banshees;
- a hardly known artist called Hysteria beside the well-known title by Muse;
- an album called Queen by Queen, an album called Jazz by Queen, an album called Metallica by Metallica;
- artists whose names are words of requests or facets: Soul, Sleep, Japan, Can; titles that are: Cry, Running, Rock, Songs,
  The Road;
- short names: U2, M, ano, the track Ü, the track I;
- Hallelujah by Leonard Cohen, live by him, as a cover by Jeff Buckley; Someone Like You by Adele and as karaoke;
  Layla, whose live version is the known one; Walk This Way by Aerosmith, and as a cover by Run-DMC with Aerosmith.
"""

from __future__ import annotations

from pathlib import Path

from data.catalog.schema import Artist, Track
from program.index.build import build_index
from program.index.engine import EmbeddedIndex
from tests.tiny import TinyEmbedder, track_id

_ARTISTS = """
toto | Toto | US | pop-rock | 80
weezer | Weezer | US | alternative-rock | 70
queen | Queen | GB | rock | 97
prince | Prince | US | funk | 88
kiss | Kiss | US | hard-rock | 85
adele | Adele | GB | soul | 92
lionel-richie | Lionel Richie | US | soul | 81
metallica | Metallica | US | heavy-metal | 93
muse | Muse | GB | alternative-rock | 82
moby | Moby | US | electronic | 60
siouxsie | Siouxsie and the Banshees | GB | post-punk | 65
kaleidoscope-uk | Kaleidoscope | GB | psychedelic-rock | 4
kaleidoscope-us | Kaleidoscope | US | folk-rock | 3
soul-band | Soul | SE | synth-pop | 61
sleep-band | Sleep | US | doom-metal | 45
japan-band | Japan | GB | new-wave | 52
can-band | Can | DE | krautrock | 86
cas | Cigarettes After Sex | US | dream-pop | 72
no-doubt | No Doubt | US | ska-punk | 71
olamide | Olamide | NG | afrobeats | 55
davido | Davido | NG | afrobeats | 76
sugar-babe | Sugar Babe | JP | city-pop | 20
liliput | LiLiPUT | CH | post-punk | 10
taeyeon | Taeyeon | KR | k-pop | 62
u2 | U2 | IE | rock | 91
m | M | GB | new-wave | 25
ano | ano | JP | j-pop | 35
kitchener | Lord Kitchener | TT | calypso | 12
leonard-cohen | Leonard Cohen | CA | folk | 79
jeff-buckley | Jeff Buckley | US | alternative-rock | 75
sing-along | Sing Along Band | US | pop | 2
clapton | Eric Clapton | GB | blues-rock | 83
aerosmith | Aerosmith | US | hard-rock | 90
run-dmc | Run-DMC | US | hip-hop | 74
jay-chou | Jay Chou | TW | mandopop | 84 | 周杰伦
faye-wong | Faye Wong | HK | mandopop | 85 | 王菲
hysteria | Hysteria | GB | synth-pop | 5
"""
_TRACKS = """
toto | Africa | Toto IV | 90
toto | Rosanna | Toto IV | 70
toto | Hold the Line | Toto | 72
weezer | Africa | Teal | 60 | version=cover
weezer | Buddy Holly | Weezer | 74
queen | Bohemian Rhapsody | A Night at the Opera | 98
queen | Don't Stop Me Now | Jazz | 95
queen | Mustapha | Jazz | 15
queen | Liar | Queen | 9
prince | 1999 | 1999 | 82
prince | Little Red Corvette | 1999 | 76
prince | Kiss | Parade | 84
kiss | Beth | Destroyer | 66
kiss | Detroit Rock City | Destroyer | 67
adele | Hello | 25 | 88
adele | Someone Like You | 21 | 89
lionel-richie | Hello | Can't Slow Down | 87
metallica | Enter Sandman | Metallica | 93
metallica | One | ...And Justice for All | 83
muse | Uprising | The Resistance | 81
muse | Hysteria | Absolution | 75
moby | Porcelain | Play | 73
moby | Honey | Play | 40
siouxsie | Happy House | Kaleidoscope | 58
siouxsie | Christine | Kaleidoscope | 57
kaleidoscope-uk | Flight from Ashiya | Tangerine Dream | 3
kaleidoscope-uk | Dive into Yesterday | Tangerine Dream | 2
kaleidoscope-us | Egyptian Gardens | Side Trips | 1
soul-band | Neon Rain | Soul | 18
sleep-band | Dragonaut | Holy Mountain | 38
japan-band | Ghosts | Tin Drum | 44
can-band | Vitamin C | Ege Bamyasi | 61
cas | Cry | Cry | 63
cas | Apocalypse | Cigarettes After Sex | 77
no-doubt | Running | Rock Steady | 41
olamide | Rock | UY Scuti | 43
davido | Fall | A Good Time | 68
sugar-babe | Down Town | Songs | 19
liliput | Ü | LiLiPUT | 5
taeyeon | I | I | 53
u2 | One | Achtung Baby | 92
u2 | With or Without You | The Joshua Tree | 94
m | Pop Muzik | New York London Paris Munich | 56
ano | Chu Tayousei | Nekonekosei | 31
kitchener | The Road | Klassic Kitchener | 7
leonard-cohen | Hallelujah | Various Positions | 85
leonard-cohen | Hallelujah (Live) | Live in London | 37 | version=live
leonard-cohen | Suzanne | Songs of Leonard Cohen | 69
jeff-buckley | Hallelujah | Grace | 80 | version=cover
jeff-buckley | Grace | Grace | 64
sing-along | Someone Like You (Karaoke) | Karaoke Hits | 6 | version=karaoke
clapton | Layla | Slowhand | 42
clapton | Layla (Unplugged) | Unplugged | 86 | version=live
clapton | Tears in Heaven | Rush | 79
aerosmith | Walk This Way | Toys in the Attic | 85
run-dmc, aerosmith | Walk This Way | Raising Hell | 84 | version=cover
hysteria | Glass Houses | Glass Houses | 4
jay-chou | 晴天 | 叶惠美 | 78
jay-chou | 稻香 | 魔杰座 | 71
faye-wong | 红豆 | 唱游 | 65
"""
_ACTIVITIES = {"sleep-band--dragonaut": (), "cas--apocalypse": ("sleep",), "m--popmuzik": ("running", "dance")}
_MOODS = {"adele--someonelikeyou": ("sad",), "cas--cry": ("sad",), "cas--apocalypse": ("sad", "dreamy")}


def _artists() -> list[Artist]:
    found = []
    for line in _ARTISTS.strip().splitlines():
        artist_id, name, region, genre, popularity, *aliases = (cell.strip() for cell in line.split("|"))
        found.append(
            Artist(
                artist_id=artist_id,
                name=name,
                region=region,
                genres=(genre,),
                popularity=float(popularity),
                aliases=tuple(aliases),
            )
        )
    return found


def _tracks(names: dict[str, str]) -> list[Track]:
    found = []
    for line in _TRACKS.strip().splitlines():
        credited, title, album, popularity, *version = (cell.strip() for cell in line.split("|"))
        artists = credited.split(", ")
        identity = track_id(artists[0], title)
        found.append(
            Track.model_validate(
                {
                    "track_id": identity, "title": title,
                    "artists": [{"artist_id": artist, "name": names[artist]} for artist in artists],
                    "album": album, "popularity": float(popularity), "moods": _MOODS.get(identity, ()),
                    "activities": _ACTIVITIES.get(identity, ()), **dict(part.split("=") for part in version),
                }
            )
        )  # fmt: skip
    return found


def build_shelf(path: Path) -> EmbeddedIndex:
    """Build the index of this catalog at `path` and open it."""
    artists = _artists()
    tracks = _tracks({artist.artist_id: artist.name for artist in artists})
    build_index([*artists, *tracks], path, embedder=TinyEmbedder())
    return EmbeddedIndex(path, embedder=TinyEmbedder())
