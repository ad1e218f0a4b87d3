"""`melo review`: answers that a person should look at, the verdict on each, and what the verdicts say of the breaker."""

from __future__ import annotations

import getpass
import time
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Annotated, Literal

import orjson
import typer

from data.errors import InputError, StoreError
from data.trust import Correction, ReviewItem
from experiments.commands.places import breaker_log, correction_book, open_index, review_queue, trace_store
from experiments.commands.progress import say
from experiments.reviewing import Line, causes, figures, looked_at, reliability
from program.settings import Settings
from program.trust.breaker.explain import doubt
from program.trust.review.checked import checked
from program.trust.store import TraceStore
from program.trust.wording_guard import shown

app = typer.Typer(help="Answers that a person should look at.", no_args_is_help=True, rich_markup_mode=None)
_ANSWER = "playlist"
_Name = Annotated[str, typer.Argument(metavar="ID", help="an item's id or its beginning, or the id of its trace")]
_Author = Annotated[str, typer.Option(help="who says so (default: your login name)")]
_Note = Annotated[str, typer.Option(help="why, for those who come after")]
_Again = Annotated[bool, typer.Option("--again", help="put this verdict in the place of an earlier one")]
_Json = Annotated[bool, typer.Option("--json", help="print JSON")]


@app.command("list", epilog="Example:  melo review list --all")
def list_items(
    every: Annotated[bool, typer.Option("--all", help="those that were judged too")] = False,
    limit: Annotated[int, typer.Option(help="how many at most", min=1)] = 50,
    json: _Json = False,
) -> None:
    """What waits, the newest first: id, time, reason, who should look, the request."""
    with closing(review_queue()) as queue:
        items, dropped = queue.items(None if every else "open", limit), queue.dropped
    for item in items:
        typer.echo(item.model_dump_json() if json else _short(item))
    if dropped:
        say(f"{dropped:,} items made room for others and were never looked at (review.most_open)")
    if not items and not json:
        typer.echo("nothing waits" if not every else "nothing was ever handed over")


@app.command("show", epilog="Example:  melo review show 3f2a9c1d")
def show(name: _Name, json: _Json = False) -> None:
    """One item: why, what was measured, how the answer came about."""
    with closing(review_queue()) as queue:
        item = queue.item(name)
    if json:
        typer.echo(item.model_dump_json())
        return
    for line in _whole(item):
        typer.echo(shown(line))
    with closing(trace_store()) as store:
        for line in _trace(store, item.trace_id):
            typer.echo(shown(line))


@app.command("approve", epilog='Example:  melo review approve 3f2a9c1d --note "that is the song"')
def approve(name: _Name, author: _Author = "", note: _Note = "", again: _Again = False) -> None:
    """The answer is right as it is: the doubt was false."""
    item = _judged(name, "approved", author, note, again)
    typer.echo(f"{item.item_id} approved by {shown(item.author)}")


@app.command("reject", epilog='Example:  melo review reject 3f2a9c1d --note "Nile is not meant"')
def reject(name: _Name, author: _Author = "", note: _Note = "", again: _Again = False) -> None:
    """The answer is wrong: it and all that came of what was doubtful is marked so."""
    item = _judged(name, "rejected", author, note, again)
    typer.echo(f"{item.item_id} rejected by {shown(item.author)}")
    with closing(trace_store()) as store:
        source = item.trip.artifact_id if item.trip and item.trip.artifact_id else _answer_of(store, item.trace_id)
        if not source:
            say("melo: the trace of this answer is not kept, so nothing was marked")
            return
        marks = store.invalidate([source], shown(note) or f"rejected by {item.author}")
        answers = store.affected_answers(source)
    typer.echo(f"marked as wrong: {marks} artifacts; answers that it went into: {', '.join(answers) or 'none'}")


@app.command("correct", epilog='Example:  melo review correct "the wedding song" toto--africa --item 3f2a9c1d')
def correct(
    surface: Annotated[str, typer.Argument(help="the words, as people say them")],
    entity_id: Annotated[str, typer.Argument(metavar="ID", help="the track or artist of the catalog that they mean")],
    item: Annotated[str, typer.Option(help="the item that showed it")] = "",
    author: _Author = "",
    force: Annotated[bool, typer.Option("--force", help="also where the words name something else already")] = False,
    catalog: Annotated[Path | None, typer.Option(help="an index folder (default: $MELO_CATALOG, else the demo)")] = None,
) -> None:
    """From now on these words mean that."""
    if item:
        with closing(review_queue()) as queue:
            item = queue.item(item).item_id
    with closing(open_index(catalog)) as index, closing(correction_book()) as book:
        meant = checked(surface, entity_id, index, author=author or _login(), item_id=item, force=force)
        kept = book.add(meant.surface, meant)
    typer.echo(_correction(kept))


@app.command("corrections", epilog="Example:  melo review corrections --all")
def corrections(
    every: Annotated[bool, typer.Option("--all", help="those that were taken back too")] = False, json: _Json = False
) -> None:
    """What words were said to mean, by whom and when."""
    with closing(correction_book()) as book:
        found = book.corrections(every=every)
    for one in found:
        typer.echo(one.model_dump_json() if json else _correction(one))
    if not found and not json:
        typer.echo("no word was corrected")


@app.command("take-back", epilog="Example:  melo review take-back 5e7b8a60")
def take_back(name: Annotated[str, typer.Argument(metavar="ID", help="a correction's id or its beginning")]) -> None:
    """No longer use a correction."""
    with closing(correction_book()) as book:
        typer.echo(f"taken back: {_correction(book.take_back(name))}")


@app.command("report", epilog="Example:  melo review report --json")
def report(
    latest: Annotated[int, typer.Option(help="answers in the trace store that are looked at", min=1)] = 500, json: _Json = False
) -> None:
    """Breaker precision, false trips, complete traces, time to a verdict, reliability of nodes, causes and what fixed them."""
    settings = Settings()
    with closing(review_queue()) as queue, closing(breaker_log()) as log, closing(trace_store()) as store:
        items, trips, records = queue.items(None, 100_000), log.trips(), log.records()
        lines = figures(items, records, looked_at(store, latest), settings.review)
    nodes = {f"{one.node} {one.node_version}": (reliability(one), one) for one in records}
    if json:
        told = {
            "figures": [line.model_dump() for line in lines],
            "nodes": {name: one.model_dump() | {"reliability": value} for name, (value, one) in nodes.items()},
            "causes": [{"cause": name, "trips": times, "fixed_by": fix} for name, times, fix in causes(trips)],
        }
        typer.echo(orjson.dumps(told).decode())
        return
    for line in lines:
        typer.echo(_figure(line))
    for name, (value, one) in sorted(nodes.items()):
        typer.echo(f"{name}: reliability {value:.2f}, {one.seen:,} artifacts, {one.trips:,} trips, threshold {one.threshold:.2f}")
    for name, times, fix in causes(trips):
        typer.echo(f"{name}: {times:,} trips, fixed by {fix}")


def _correction(one: Correction) -> str:
    back = f", taken back on {_day(one.taken_back_at)}" if one.taken_back_at else ""
    told = f'{one.correction_id}  "{one.surface}" means the {one.entity_type} {one.name} ({one.entity_id})'
    return shown(f"{told}, said {one.author} on {_day(one.at)}{back}")


def _judged(name: str, judgement: Literal["approved", "rejected"], author: str, note: str, again: bool) -> ReviewItem:
    """The verdict in the queue, and in the breaker's memory where the breaker sent the item."""
    with closing(review_queue()) as queue:
        item = queue.judge(name, judgement, author=author or _login(), note=note, again=again)
    if item.trip is not None and not again:
        try:
            with closing(breaker_log()) as log:
                log.judge(item.trip.trip_id, right=judgement == "rejected")
        except (InputError, StoreError) as error:
            say(f"melo: {error.one_line()}; the breaker does not learn from this verdict")
    return item


def _login() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "unknown"


def _short(item: ReviewItem) -> str:
    judged = "" if item.judgement == "open" else f" [{item.judgement} by {item.author}]"
    request = item.request if len(item.request) <= 60 else f"{item.request[:59]}…"
    told = (
        f"{item.item_id}  {_day(item.at)}  {item.reason.replace('_', ' ')}  ({item.owner.replace('_', ' ')})  {request}{judged}"
    )
    return shown(told)


def _whole(item: ReviewItem) -> Iterator[str]:
    yield f"{item.item_id} · {_day(item.at)} · for the {item.owner.replace('_', ' ')} · {item.judgement}"
    yield f"request: {item.request}"
    yield f"why: {item.summary}"
    if trip := item.trip:
        maker = f"{trip.node} ({trip.node_version})"
        yield f"stopped: {maker}, confidence {trip.final:.2f} of {trip.threshold:.2f}: {doubt(trip.signals)}"
        yield "measured: " + ", ".join(f"{signal.name} {signal.score:.2f}" for signal in trip.signals)
        if trip.similar:
            yield f"before: {trip.similar}"
    if item.judgement != "open":
        yield f"{item.judgement} by {item.author} on {_day(item.judged_at or 0)}: {item.note or 'no note'}"


def _trace(store: TraceStore, trace_id: str) -> Iterator[str]:
    artifacts = store.trace(trace_id)
    if not artifacts:
        yield f"the trace {trace_id} is not kept"
    for one in artifacts:
        if one.node not in ("lm", "tool"):
            yield f"  {one.artifact_id}  {one.node:<10}  {one.confidence.final:.2f}  {one.validation:<6}  {one.summary}"
        if one.node == _ANSWER:
            for track in one.payload.get("tracks", ())[:10]:
                yield f"      {track['title']} – {', '.join(track['artists'])}"


def _answer_of(store: TraceStore, trace_id: str) -> str:
    return next((one.artifact_id for one in store.trace(trace_id) if one.node == _ANSWER), "")


def _figure(line: Line) -> str:
    if line.value is None:
        return f"{line.name}: no data yet"
    if line.unit == "hours":
        return f"{line.name}: {line.value:.2f} (n = {line.n:,})"
    between = f" [{100 * (line.lo or 0):.1f}, {100 * (line.hi or 0):.1f}]" if line.lo is not None else ""
    return f"{line.name}: {100 * line.value:.1f} %{between} (n = {line.n:,}){f'  ALARM: {line.alarm}' if line.alarm else ''}"


def _day(at: float) -> str:
    return datetime.fromtimestamp(at or time.time()).strftime("%Y-%m-%d %H:%M")
