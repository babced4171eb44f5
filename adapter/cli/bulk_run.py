"""`fenwire bulk run`: positions out of files before engines, answers into a store."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from adapter.cli.errors import Terminated, kind, message, plain
from adapter.cli.limits import engine_options, limit_options, read_limit, read_wishes
from adapter.cli.signals import terminable
from adapter.cli.text import codes, reading_options, say_json

if TYPE_CHECKING:
    from adapter.bulk.backend import Backend
    from adapter.bulk.item import ReadOptions
    from adapter.bulk.run import BulkRun
    from adapter.bulk.tally import BulkSummary


@click.command("run")
@click.argument("files", nargs=-1, required=True, metavar="FILE…")
@click.option(
    "--out", required=True, metavar="R", type=click.Path(dir_okay=False), help="The store (SQLite)."
)
@engine_options
@limit_options
@reading_options
@click.option("--ply", type=click.IntRange(min=0), help="Of each recorded game only this position.")
@click.option("--jobs", type=click.IntRange(min=1), metavar="N", help="Engines at once; one a processor.")
@click.option("--resume", is_flag=True, help="Go on with a run; try again what was set aside.")
@click.option("--cluster", metavar="tcp://…", help="Search on the workers of this Dask scheduler.")
@click.option("--json", "as_json", is_flag=True, help="Print the summary as one line of JSON.")
def command(**given: Any) -> int:
    """Search every position of the files: .epd .fen .txt .pgn .jsonl .csv, packed (.gz .zst) or not.

    `-` is standard input. Each position is searched once, however often it stands there, and never again
    once it is in the store. Records that are no positions are noted with the reason, and end with exit code
    1; positions that cost the engine twice are set aside, and end with 3. One store holds any number of
    runs: other files, limits and engines are added. A file that the same engine has searched under the same
    limit already takes --resume.
    """
    from adapter.bulk.inputs import Inputs
    from adapter.bulk.run import BulkRun

    if given["infinite"]:
        raise click.UsageError("--infinite would never get to the second position; give another limit")
    if given["cluster"] and given["jobs"]:
        raise click.UsageError("--jobs is for this machine; on a cluster each thread of a worker is one")
    inputs, reading, backend = Inputs(given["files"]), _reading(given), _backend(given)
    run = BulkRun(inputs, given["out"], backend, reading=reading, resume=given["resume"])
    stopped = _run(run)
    interrupted = isinstance(stopped, KeyboardInterrupt | Terminated)
    if stopped is not None and not interrupted and given["as_json"]:
        stopped.partial = run.summary  # type: ignore[attr-defined]
        raise stopped  # the error is the one line of JSON
    code = _report(run.summary, as_json=given["as_json"])
    if stopped is None:
        return code
    if not interrupted:
        raise stopped
    click.echo(f"fenwire: {message(stopped)}; --resume goes on", err=True)
    return kind(stopped)[1]


for _option in command.params:
    if _option.name == "infinite":
        # known, so that it is refused with the reason; no choice to be offered
        _option.hidden = True  # type: ignore[attr-defined]


def _reading(given: dict[str, Any]) -> ReadOptions:
    from adapter.bulk.item import ReadOptions
    from adapter.fen import check

    # an option that does not exist is told now
    check("", variant=given["variant"], side=given["side"], allow=codes(given["allow"]))
    return ReadOptions(given["variant"], given["side"], codes(given["allow"]), given["ply"])


def _backend(given: dict[str, Any]) -> Callable[[str], Backend]:
    """How the engines are made ready, once the game is known; what can be wrong before that is found now."""
    limit, named = read_limit(given), given["variant"] != "auto"
    settings: dict[str, Any] = {"multipv": given["multipv"], "options": read_wishes(given["wishes"])}
    if given["cluster"]:
        import logging

        from adapter.bulk.cluster import ClusterBackend
        from engines.discovery import ENGINE_VARIABLE

        # Dask tells of lost connections by itself; what matters of it is said once, by us
        logging.disable(logging.CRITICAL)
        # the workers have an environment of their own
        wanted = given["engine"] or os.environ.get(ENGINE_VARIABLE)
        return lambda game: ClusterBackend(given["cluster"], wanted, game, limit, named=named, **settings)
    from adapter.bulk.local import LocalBackend, engine_for
    from engines.discovery import resolve_engine

    if given["engine"]:
        resolve_engine(None, given["engine"])

    def make(game: str) -> Backend:
        found = engine_for(game, given["engine"], named=named)
        for note in found.notes:
            click.echo(f"fenwire: {note}", err=True)
        return LocalBackend(found, limit, jobs=given["jobs"], **settings)

    return make


def _run(run: BulkRun) -> BaseException | None:
    """Runs to the end; what cut it short once an answer was there, if anything did."""
    from adapter.errors import FenwireError

    async def go() -> None:
        async with terminable():
            await run.run()

    with _view(run):
        try:
            asyncio.run(go())
        except (KeyboardInterrupt, Terminated, FenwireError) as stopped:
            return stopped
    return None


@contextmanager
def _view(run: BulkRun) -> Iterator[None]:
    """A bar and the engines on a terminal, nothing elsewhere."""
    if not sys.stderr.isatty():
        yield
        return
    from adapter.cli.bulk_live import live

    with live(run):
        yield


def _report(summary: BulkSummary, *, as_json: bool) -> int:
    """Prints the summary; the exit code it leads to."""
    from adapter.cli.bulk_wording import summed_up

    tally = summary.tally
    if as_json:
        say_json(summary.to_dict())
    elif tally.records:
        for line in summed_up(summary):
            click.echo(plain(line))
    elif summary.complete:
        click.echo(plain(f"{summary.store}: the input holds no record"))
    sys.stdout.flush()
    return 3 if tally.failed else 1 if tally.rejected else 0
