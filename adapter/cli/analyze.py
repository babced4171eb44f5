"""`fenwire analyze`: one position, or one a line from standard input, to an engine and back.

What the run itself needs (`adapter.cli.work`) is imported once the engine was started: both take a while.
"""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Callable, Iterable
from typing import TYPE_CHECKING, Any

import click

from adapter.cli.errors import explain, kind, payload
from adapter.cli.limits import SECONDS, engine_options, limit_options, read_limit
from adapter.cli.text import read_position, reading_options, say_json

if TYPE_CHECKING:
    from adapter.position import Position


@click.command("analyze")
@click.argument("text", nargs=-1, required=True)
@reading_options
@engine_options
@limit_options
@click.option("--searchmoves", metavar="M,M", help="Consider these moves only.")
@click.option("--banmoves", metavar="M,M", help="Leave these moves out.")
@click.option(
    "--pov",
    type=click.Choice(["white", "side"]),
    default="white",
    help="Whose side printed scores speak for.",
)
@click.option(
    "--notation",
    type=click.Choice(["uci", "san", "iccs", "wxf", "chinese", "chinese-simplified"]),
    help="How moves are shown.",
)
@click.option("--timeout", type=SECONDS, metavar="S", help="Stop after S seconds.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--stream", is_flag=True, help="Print every report of the engine, then the result.")
@click.option("--transcript", metavar="F", type=click.Path(dir_okay=False), help="Record what is exchanged.")
def command(text: tuple[str, ...], **given: Any) -> int:
    """Ask an engine about a position: its best move, its lines, and the FEN after them.

    TEXT is a FEN, an EPD or `startpos`, with moves behind it if you like; `-` reads one such record a line
    from standard input, and several quoted records are taken one after another.
    """
    several = len(text) > 1 and all(" " in word.strip() for word in text)
    if not several and text != ("-",):
        return _told(lambda: _one(text, given), given)
    if given["stream"]:
        raise click.UsageError("--stream shows one position as it is searched; leave it out for several")
    if given["infinite"] and given["timeout"] is None:
        raise click.UsageError("--infinite would never get to the second position; give another limit")
    return _many(text if several else None, given)


def _one(text: tuple[str, ...], given: dict[str, Any]) -> int:
    from engines.launch import dismiss

    position = read_position(text, given["variant"], given["side"], given["allow"])
    try:
        _start_ahead(position, given)
        import asyncio

        from adapter.cli.work import Work

        return asyncio.run(Work(given).one(position))
    finally:
        dismiss()


def _many(texts: tuple[str, ...] | None, given: dict[str, Any]) -> int:
    import asyncio

    from adapter.cli.lines import numbered_lines
    from adapter.cli.work import Work

    return asyncio.run(Work(given).many(numbered_lines() if texts is None else _each(texts)))


def _start_ahead(position: Position, given: dict[str, Any]) -> None:
    """Starts the engine that will be asked, where there is something to ask."""
    from adapter.errors import FenwireError
    from adapter.judge import ask
    from engines.find import choose
    from engines.launch import head_start

    limit = read_limit(given, given["searchmoves"], given["banmoves"])
    if ask(position, limit, given["notation"]).outcome is not None:
        return
    with contextlib.suppress(FenwireError):  # told where it is really chosen
        found = choose(position.variant.name, given["engine"])
        head_start(found.command, cwd=found.profile.cwd, env=found.profile.env)


def _told(run: Callable[[], int], given: dict[str, Any]) -> int:
    """Runs a search to its exit code; of a stream in JSON an error is the last event."""
    from adapter.errors import FenwireError

    try:
        return run()
    except FenwireError as error:
        if not (given["stream"] and given["as_json"]):
            raise
        click.echo("\n".join(explain(error)), err=True)
        say_json({"event": "error", **payload(error)})
        return kind(error)[1]


async def _each(text: Iterable[str]) -> AsyncIterator[tuple[int, str]]:
    for number, word in enumerate(text, 1):
        # bytes that are not UTF-8 reach an argument as lone surrogates, which no output takes
        yield number, word.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
