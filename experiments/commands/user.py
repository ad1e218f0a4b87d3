"""`melo user`: what is known of listeners, put in, looked at, taken out, and learned from."""

from __future__ import annotations

import time
from contextlib import closing
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Annotated

import orjson
import typer

from data.catalog.importers.rejects import Rejects
from data.errors import InfrastructureError, InputError
from data.users.schema import EVENT_KINDS, EventKind, checked_user_id
from experiments.commands.places import breaker_log, open_index, review_queue, trace_store, user_store
from experiments.commands.progress import say, stages
from program.graph import USER
from program.settings import Settings
from program.tools.weights import FILE
from program.users.importing import Imported, import_events
from program.users.listener import load_listener, user_key
from program.users.store import UserSummary

app = typer.Typer(help="Likes and plays of listeners: import, look, delete, learn.", no_args_is_help=True, rich_markup_mode=None)
_Catalog = Annotated[Path | None, typer.Option(help="an index folder (default: $MELO_CATALOG, else the demo)")]
_Json = Annotated[bool, typer.Option("--json", help="print JSON")]
_User = Annotated[str, typer.Argument(metavar="ID", help="the listener")]


@app.command("import", epilog="Example:  melo user import likes.csv --user anna")
def import_(
    file: Annotated[Path, typer.Argument(help="CSV or JSON Lines of likes and plays, or the dialogues of CPCD")],
    user: Annotated[str, typer.Option(help="the listener; of CPCD each dialogue is one, called ID-DIALOGUE")],
    kind: Annotated[str, typer.Option(help="what a row is that does not say so: like, dislike or play")] = "",
    catalog: _Catalog = None,
    rejects: Annotated[Path | None, typer.Option(help="where rejected rows go (default: FILE.rejects.jsonl)")] = None,
    json: _Json = False,
) -> None:
    """Read a listener's file. Tracks are matched by id, or by title and artist; a second import changes nothing."""
    kept = Rejects(rejects or file.with_name(f"{file.name}.rejects.jsonl"))
    with closing(open_index(catalog)) as index, closing(user_store()) as store, stages(f"likes of {user[:64]}") as progress:
        done = import_events(
            file, user, store, index, kept, kind=_kind(kind), on_progress=lambda rows: progress("reading", rows, None)
        )
    if kept.total:
        say(f"{kept.summary()} → {kept.path}")
    typer.echo(orjson.dumps(asdict(done) | {"known": done.known}).decode() if json else _told(done))


def _kind(word: str) -> EventKind | None:
    found = next((kind for kind in EVENT_KINDS if kind == word), None)
    if word and found is None:
        raise InputError(f"unknown kind: {word[:40]}", hint=f"one of {', '.join(EVENT_KINDS)}")
    return found


def _told(done: Imported) -> str:
    whose = done.users[0] if len(done.users) == 1 else f"{len(done.users):,} listeners"
    return (
        f"{done.added:,} new of {done.read:,} for {whose} · {done.known:,} known before · "
        f"{done.unknown:,} not in the catalog · {done.rejected:,} rows rejected"
    )


@app.command("list", epilog="Example:  melo user list --json")
def list_(json: _Json = False) -> None:
    """Every listener with the number of likes, dislikes and plays."""
    with closing(user_store()) as store:
        for one in store.users():
            typer.echo(orjson.dumps(asdict(one)).decode() if json else _line(one))


@app.command("show", epilog="Example:  melo user show anna")
def show(user: _User, catalog: _Catalog = None, json: _Json = False) -> None:
    """What is known of a listener: the numbers, the time that they cover, and the taste that a model may get in words."""
    name = checked_user_id(user)
    with closing(open_index(catalog)) as index, closing(user_store()) as store:
        found = store.users(name)
        listener = load_listener(name, store, index, time.time())
        taste = listener.taste.words() if listener.taste else ""
    if json:
        typer.echo(orjson.dumps(asdict(found[0]) | {"taste": taste}).decode())
        return
    typer.echo(_line(found[0]))
    typer.echo(f"taste: {taste or 'nothing of it is in this catalog'}")


@app.command("delete", epilog="Example:  melo user delete anna")
def delete(user: _User) -> None:
    """Remove everything that is kept of a listener: likes, plays, and the traces of the listener's requests."""
    name = checked_user_id(user)
    with closing(user_store()) as store:
        gone = store.delete(name)
    with closing(trace_store()) as traces:
        answers = traces.forget(USER, user_key(name))
    with closing(review_queue()) as queue, closing(breaker_log()) as log:
        queue.forget(user_key(name))
        log.forget(user_key(name))
    if not gone and not answers:
        raise InputError(f"nothing is known of the listener {name}", hint="melo user list")
    typer.echo(f"deleted: {gone:,} likes and plays, {answers:,} traces of {name}")


@app.command("learn", epilog="Example:  melo user learn --catalog my_index")
def learn(
    catalog: _Catalog = None,
    out: Annotated[Path | None, typer.Option(help=f"the file to write (default: {FILE} in the index folder)")] = None,
    seed: Annotated[int, typer.Option(help="of the bootstrap", min=0)] = 0,
    force: Annotated[bool, typer.Option("--force", help="write what is not better on the held-out sessions")] = False,
    json: _Json = False,
) -> None:
    """Learn the order among equals from the likes of all listeners that followed a request.

    Half of the sessions are held out. The weights are written only if they are better there, with the whole 95 % interval.
    """
    from experiments import learning

    with closing(open_index(catalog)) as index, closing(user_store()) as store, stages("ranker") as progress:
        asked = learning.ask_all(learning.turns_of(store), index, Settings(), time.time(), progress)
        found = learning.learn(asked, index, seed)
        path = out or Path(index.info.path) / FILE
    if found.is_better or force:
        _write(path, found.ranker.model_dump_json(indent=2))
        say(f"written: {path}")
    else:
        say("not written: it is not better on the held-out sessions (--force writes it)")
    typer.echo(orjson.dumps(found.model_dump(mode="json")).decode() if json else "\n".join(learning.lines(found)))


def _write(path: Path, body: str) -> None:
    try:
        path.write_text(body + "\n", encoding="utf-8")
    except OSError as error:
        raise InfrastructureError(f"cannot write {path}: {error.strerror}") from error


def _line(one: UserSummary) -> str:
    days = [datetime.fromtimestamp(at).strftime("%Y-%m-%d") for at in (one.first, one.last) if at is not None]
    span = f" · {' to '.join(dict.fromkeys(days))}" if days else ""
    return f"{one.user_id}  {one.likes:,} likes · {one.dislikes:,} dislikes · {one.plays:,} plays{span}"
