"""`melo catalog`: build an index, look at one, make a synthetic catalog."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import orjson
import typer

from data.catalog.demo_files import demo_path
from data.catalog.importers.base import FORMATS, read_catalog
from data.catalog.importers.playlists import read_playlists
from data.catalog.importers.rejects import Rejects
from data.catalog.synth import write_synthetic
from data.errors import CatalogError
from experiments.commands.bar import bar
from experiments.commands.places import open_index
from experiments.commands.progress import say, stages
from program.generative.stored import read_told
from program.index.build import build_index
from program.index.embedder import packaged_embedder
from program.index.engine import EmbeddedIndex

app = typer.Typer(help="Build and inspect catalog indexes.", no_args_is_help=True, rich_markup_mode=None)
_BAR = 30


@app.command("build", epilog="Example:  melo catalog build my_tracks.csv --out my_index")
def build(
    source: Annotated[str, typer.Argument(help="a file or folder, or: demo")],
    out: Annotated[Path, typer.Option(help="the index folder to write")],
    format: Annotated[str | None, typer.Option(help=f"one of {', '.join(FORMATS)} (default: told by the source)")] = None,
    playlists: Annotated[Path | None, typer.Option(help="CSV or JSONL of playlist_id, track_id: what belongs together")] = None,
    rejects: Annotated[Path | None, typer.Option(help="where rejected rows go (default: OUT.rejects.jsonl)")] = None,
    generative: Annotated[bool, typer.Option("--generative", help="train Semantic IDs too: minutes on two cores")] = False,
    seed: Annotated[int, typer.Option(help="of the training: the same seed gives the same codes", min=0)] = 0,
) -> None:
    """Read a catalog and build its index. Rows that cannot be used go to a rejects file with their numbers."""
    path = demo_path() if source == "demo" else Path(source)
    if out.exists() and not (out / "manifest.json").is_file():
        raise CatalogError(f"{out} exists and is no index; nothing was changed", hint="give another --out")
    kept = Rejects(rejects or out.with_name(f"{out.name}.rejects.jsonl"))
    bad_pairs = Rejects()
    with stages("catalog") as progress:
        reading = _reading(progress)
        items = read_catalog(path, format=format, rejects=kept, on_progress=reading)
        together = None if playlists is None else read_playlists(playlists, bad_pairs)
        manifest = build_index(items, out, embedder=packaged_embedder(), progress=progress, playlists=together)
    say(f"{manifest['tracks']:,} tracks, {manifest['artists']:,} artists in {manifest['build_seconds']:.1f} s → {out}")
    if playlists is not None:
        counted = manifest["playlists"]
        say(f"{counted['playlists']:,} playlists with {counted['entries']:,} tracks of the catalog; {bad_pairs.summary()}")
    if kept.total:
        say(f"{kept.total:,} rows rejected ({kept.summary()}) → {kept.path}")
    if generative:
        _train(out, seed)
    typer.echo(str(out))


def _train(out: Path, seed: int) -> None:
    """Train Semantic IDs for a finished index; it is whole without them, so nothing is lost when this is stopped."""
    from program.generative.train import TrainSettings, train_into

    with closing(EmbeddedIndex(out)) as index, bar("Semantic IDs") as progress:
        told = train_into(index, packaged_embedder(), TrainSettings(seed=seed), progress)
    say(_ids_line(told))


def _ids_line(told: Mapping[str, Any]) -> str:
    """Such as "Semantic IDs: 12,700 tracks, 3 x 64 codes, …"."""
    return (
        f"Semantic IDs: {told['tracks']:,} tracks, {told['levels']} levels of {told['codes_per_level']} codes,"
        f" {told['shared']:.0%} told apart by a fourth; learnt from {told['requests']:,} synthetic requests"
        f" in {told['seconds']:.0f} s (seed {told['seed']}, loss {told['loss']:.2f})"
    )


def _reading(progress: Callable[[str, int, int | None], None]) -> Callable[[int], None]:
    return lambda rows: progress("reading", rows, None)


@app.command("info", epilog="Example:  melo catalog info --catalog my_index")
def info(
    catalog: Annotated[Path | None, typer.Option(help="an index folder (default: $MELO_CATALOG, else the demo)")] = None,
    json: Annotated[bool, typer.Option("--json", help="print JSON")] = False,
) -> None:
    """How many tracks and artists an index holds, and how full each facet is."""
    facts = open_index(catalog).info
    told = read_told(Path(facts.path), facts.content_hash)
    if json:
        typer.echo(orjson.dumps(asdict(facts) | {"semantic_ids": told}).decode())
        return
    typer.echo(f"{facts.path}")
    typer.echo(f"{facts.tracks:,} tracks · {facts.artists:,} artists · {facts.albums:,} albums · {facts.content_hash[:16]}")
    typer.echo(f"{facts.lyrics:,} tracks with lyrics · {facts.playlists:,} playlists")
    typer.echo("share of tracks that say something about:")
    for facet, share in facts.coverage.items():
        typer.echo(f"  {facet:<11} {'█' * round(share * _BAR):<{_BAR}} {share:>6.1%}")
    typer.echo(_ids_line(told) if told else "Semantic IDs: none (melo catalog build … --generative)")


@app.command("synth", epilog="Example:  melo catalog synth --tracks 1000000 --out big.jsonl")
def synth(
    tracks: Annotated[int, typer.Option(help="how many tracks", min=1)],
    out: Annotated[Path, typer.Option(help="the JSON Lines file to write")],
    seed: Annotated[int, typer.Option(help="the same seed gives the same file")] = 0,
) -> None:
    """Write a synthetic catalog, for benchmarks."""
    with stages("synthetic catalog") as progress:
        write_synthetic(out, tracks, seed, lambda done: progress("writing", done, tracks))
    typer.echo(str(out))
