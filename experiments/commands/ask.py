"""`melo ask`: one request, or one a line."""

from __future__ import annotations

import sys
import threading
import time
from contextlib import closing
from pathlib import Path
from typing import Annotated

import dspy
import orjson
import typer

from data.contracts import Playlist
from data.errors import RequestError, StoreError
from data.users.schema import checked_user_id
from experiments.bundles import warn
from experiments.chosen import program_of
from experiments.commands.places import breaker_of, corrected_index, open_index, review_queue, trace_store, user_store
from experiments.commands.progress import NodeTicker, say
from experiments.commands.render import playlist_lines
from experiments.variants import VARIANTS
from experiments.variants import variant as variant_of
from program.bundle.state import state_hash
from program.graph import Melo
from program.index.engine import EmbeddedIndex
from program.settings import Settings
from program.trust.guards import decode_request
from program.trust.review.queue import ReviewQueue
from program.trust.store import TraceStore
from program.users.listener import Listener, load_listener

EXAMPLE = (
    'Examples:  melo ask "niche Icelandic post-punk"   melo ask "放点周杰伦的歌" --json   melo ask --json - < requests.txt   '
    'melo ask "my liked songs from the 90s" --user anna'
)


def ask(
    text: Annotated[str, typer.Argument(help="the request; - with --json reads one a line from standard input")],
    json: Annotated[bool, typer.Option("--json", help="print JSON: the playlist, with intent and plan")] = False,
    catalog: Annotated[Path | None, typer.Option(help="an index folder (default: $MELO_CATALOG, else the demo)")] = None,
    lm: Annotated[
        str, typer.Option(help="auto (the best on dev that is usable here), none, embedded/NAME, PROVIDER/MODEL, or NODE=NAME,…")
    ] = "",
    bundle: Annotated[Path | None, typer.Option(help="a compiled program: a folder that melo export wrote")] = None,
    settings: Annotated[Path | None, typer.Option(help="a settings file (TOML)")] = None,
    variant: Annotated[str, typer.Option(help=f"switch defences off, to compare: {', '.join(VARIANTS)}")] = "full",
    n: Annotated[int | None, typer.Option(help="how many tracks", min=1, max=100)] = None,
    user: Annotated[str, typer.Option(help="whose likes and plays are known (melo user list)")] = "",
) -> None:
    """Answer a request with a playlist from the catalog."""
    program = program_of(lm, bundle, settings)
    chosen = variant_of(variant, program.settings)
    if text == "-" and not json:
        raise typer.BadParameter("reading requests from standard input needs --json")
    dspy.configure(disable_history=True, max_trace_size=0)
    index = open_index(catalog)
    listener = _listener(user, index) if user else None
    if program.bundle is not None and bundle is not None:
        warn(program.bundle, index.info.content_hash, chosen.lm.label)
    ticker = NodeTicker()
    store = _store(chosen)
    breaker = breaker_of(chosen, state_hash(program.texts)[:8] if program.texts else "", kept=store is not None)
    melo = Melo(
        corrected_index(index),
        chosen,
        store=store,
        progress=ticker,
        texts=program.texts,
        backbones=program.backbones,
        breaker=breaker,
        queue=_queue(chosen) if store is not None else None,
    )
    warming = threading.Thread(target=index.warm, daemon=True)
    if text == "-" or chosen.lm.label != "none":  # one request by code alone is over before this pays
        warming.start()
    try:
        if text == "-":
            _answer_lines(melo, n, ticker, listener)
        else:
            _answer_one(melo, text, n, json, listener)
    finally:
        melo.close()
        if warming.is_alive():  # a native library must not be cut off while it loads
            warming.join()


def _listener(user: str, index: EmbeddedIndex) -> Listener:
    """The listener from the store.

    Raises:
        InputError: nothing is known of the listener.
    """
    with closing(user_store()) as store:
        return load_listener(checked_user_id(user), store, index, time.time())


def _store(settings: Settings) -> TraceStore | None:
    """The trace store; without one the answer still comes."""
    if not settings.trust.store:
        return None
    try:
        return trace_store(settings.store)
    except StoreError as error:
        say(f"melo: {error.one_line()}; this answer leaves no trace")
        return None


def _queue(settings: Settings) -> ReviewQueue | None:
    """The review queue; without one the answer still comes."""
    if not settings.review.enabled:
        return None
    try:
        return review_queue(settings.review)
    except StoreError as error:
        say(f"melo: {error.one_line()}; nobody is told where an answer should be looked at")
        return None


def _answer_one(melo: Melo, text: str, n: int | None, json: bool, listener: Listener | None) -> None:
    prediction = melo(request=text, n=n, listener=listener)
    if json:
        typer.echo(_json(prediction).decode())
    else:
        for line in playlist_lines(prediction.playlist):
            typer.echo(line)


def _answer_lines(melo: Melo, n: int | None, ticker: NodeTicker, listener: Listener | None) -> None:
    """One request a line from standard input, one object a line in the same order. A bad line gets its own answer."""
    for raw in sys.stdin.buffer:
        ticker.restart()
        try:
            request = decode_request(raw.rstrip(b"\r\n"))
        except RequestError as error:
            refused = Playlist(status="refused", message=error.one_line())
            prediction = dspy.Prediction(playlist=refused, intent=None, plan=None)
        else:
            prediction = melo(request=request, n=n, listener=listener)
        sys.stdout.buffer.write(_json(prediction) + b"\n")
        sys.stdout.buffer.flush()


def _json(prediction: dspy.Prediction) -> bytes:
    parts = {"intent": prediction.intent, "plan": prediction.plan}
    data = prediction.playlist.model_dump(mode="json", by_alias=True)
    data |= {name: part.model_dump(mode="json", by_alias=True) if part else None for name, part in parts.items()}
    return orjson.dumps(data)
