"""A small catalog for the rules about parts of titles, namesakes, versions and surnames, and the index of it.

Its facts, by rule:

- parts of titles: Goodbye Yellow Brick Road (Elton John), (Sittin' On) The Dock of the Bay (Otis Redding), a symphony in
  three movements and another in one (Beethoven), the album The Dark Side of the Moon (Pink Floyd);
- versions: Hallelujah is by Leonard Cohen, its cover by Jeff Buckley and the karaoke of it are better known; Jolene is
  better known live; Paper Moon has a newer recording that says so in its title;
- namesakes: two acts called Phoenix are equally known, of the two called Nirvana one is far better known; Crystal
  is by two artists that are equally known, and covered by a third;
- surnames: Led Zeppelin, Norah and Quincy Jones, Bob and Jo Zimmerwald (hardly known), The Fabulous Blue Wexlers;
- Stop is a song by the Spice Girls.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from data.catalog.schema import Artist, Credit, Track
from program.index.build import build_index
from program.index.engine import EmbeddedIndex
from tests.tiny import TinyEmbedder, open_tiny

_ARTISTS = """
elton-john | Elton John | 90 | pop-rock
otis-redding | Otis Redding | 66 | soul
beethoven | Ludwig van Beethoven | 80 | classical
pink-floyd | Pink Floyd | 92 | progressive-rock
leonard-cohen | Leonard Cohen | 70 | folk
jeff-buckley | Jeff Buckley | 72 | alternative-rock
karaoke-stars | Karaoke Stars | 20 | pop
dolly-parton | Dolly Parton | 76 | country
vera-lane | Vera Lane | 50 | jazz
phoenix-fr | Phoenix | 60 | indie-pop
phoenix-ro | Phoenix | 60 | folk-rock
nirvana-us | Nirvana | 95 | grunge
nirvana-uk | Nirvana | 10 | psychedelic-rock
north | The North | 55 | synth-pop
south | South Garden | 55 | shoegaze
east | Eastway | 30 | pop
led-zeppelin | Led Zeppelin | 94 | hard-rock
norah-jones | Norah Jones | 84 | vocal-jazz
quincy-jones | Quincy Jones | 83 | jazz
bob-zimmerwald | Bob Zimmerwald | 74 | folk
jo-zimmerwald | Jo Zimmerwald | 2 | folk
wexlers | The Fabulous Blue Wexlers | 40 | blues
spice-girls | Spice Girls | 82 | pop
"""
_TRACKS = """
brick-road | elton-john | Goodbye Yellow Brick Road | 88
rocket | elton-john | Rocket Man (I Think It's Going to Be a Long, Long Time) | 91
dock | otis-redding | (Sittin' On) The Dock of the Bay | 80
fifth-1 | beethoven | Symphony No. 5 in C minor: I. Allegro con brio | 75
fifth-2 | beethoven | Symphony No. 5 in C minor: II. Andante con moto | 62
fifth-3 | beethoven | Symphony No. 5 in C minor: III. Scherzo | 61
seventh | beethoven | Symphony No. 7 in A major: II. Allegretto | 64
time | pink-floyd | Time | 84 | album=The Dark Side of the Moon
money | pink-floyd | Money | 86 | album=The Dark Side of the Moon
cohen | leonard-cohen | Hallelujah | 50
buckley | jeff-buckley | Hallelujah | 93 | version=cover
karaoke | karaoke-stars | Hallelujah | 95 | version=karaoke
jolene | dolly-parton | Jolene | 60
jolene-live | dolly-parton | Jolene | 89 | version=live
moon | vera-lane | Paper Moon | 40
moon-new | vera-lane | Paper Moon (Vera's Version) | 90 | version=re-recording
lisztomania | phoenix-fr | Lisztomania | 57
baba | phoenix-ro | Baba Novak | 57
teen | nirvana-us | Smells Like Teen Spirit | 96
rainbow | nirvana-uk | Rainbow Chaser | 8
crystal-n | north | Crystal | 58
crystal-s | south | Crystal | 58
crystal-e | east | Crystal | 58 | version=cover
whole-lotta | led-zeppelin | Whole Lotta Love | 87
kashmir | led-zeppelin | Kashmir | 85
dont-know | norah-jones | Don't Know Why | 81
ai-no | quincy-jones | Ai No Corrida | 79
harbour | bob-zimmerwald | Harbour Lights | 71
attic | jo-zimmerwald | Attic Tape | 1
wexler | wexlers | Slow Train | 41
stop | spice-girls | Stop | 77
wannabe | spice-girls | Wannabe | 85
"""


def _cells(table: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.split("|")] for line in table.strip().splitlines()]


def records() -> list[Artist | Track]:
    """Every artist and track of the shelf, in row order."""
    made: list[Artist | Track] = []
    names = {}
    for artist_id, name, popularity, genre in _cells(_ARTISTS):
        names[artist_id] = name
        made.append(Artist(artist_id=artist_id, name=name, popularity=float(popularity), genres=(genre,)))
    for track_id, artist_id, title, popularity, *more in _cells(_TRACKS):
        fields = {
            "track_id": track_id, "title": title, "artists": (Credit(artist_id=artist_id, name=names[artist_id]),),
            "popularity": float(popularity), **dict(cell.split("=") for cell in more),
        }  # fmt: skip
        made.append(Track.model_validate(fields))
    return made


@contextmanager
def open_shelf(path: Path) -> Iterator[EmbeddedIndex]:
    """Build the shelf's index in `path` and open it."""
    build_index(records(), path / "index", embedder=TinyEmbedder())
    index = open_tiny(path / "index")
    yield index
    index.close()
