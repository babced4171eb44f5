"""`fenwire analyze`: one position, or one a line from standard input, to an engine and back."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Any

import click

from adapter.cli.errors import INTERRUPTED, TERMINATED, explain, kind, payload
from adapter.cli.limits import SECONDS, engine_options, limit_options, read_limit, read_wishes
from adapter.cli.lines import numbered_lines
from adapter.cli.signals import terminable
from adapter.cli.text import codes, read_position, reading_options, say_json

if TYPE_CHECKING:
    from adapter.analysis import Analysis
    from adapter.engine import Engine
    from adapter.position import Position
    from engines.discovery import ResolvedEngine
    from engines.transcript import Transcript


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
        return _results(lambda: asyncio.run(AnalyzeCommand(given).one(" ".join(text))), given)
    if given["stream"]:
        raise click.UsageError("--stream shows one position as it is searched; leave it out for several")
    if given["infinite"] and given["timeout"] is None:
        raise click.UsageError("--infinite would never get to the second position; give another limit")
    return asyncio.run(AnalyzeCommand(given).many(_each(text) if several else numbered_lines()))


def _results(run: Callable[[], int], given: dict[str, Any]) -> int:
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


async def _leave(starting: asyncio.Task[Engine]) -> None:
    starting.cancel()
    await asyncio.gather(starting, return_exceptions=True)


async def _each(text: Iterable[str]) -> AsyncIterator[tuple[int, str]]:
    for number, word in enumerate(text, 1):
        # bytes that are not UTF-8 reach an argument as lone surrogates, which no output takes
        yield number, word.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


class AnalyzeCommand:
    """One run of the command: the limit, what was asked for, and the engines that were chosen."""

    def __init__(self, given: dict[str, Any]) -> None:
        self._limit = read_limit(given, given["searchmoves"], given["banmoves"])
        self._given = given
        self._found: dict[str, ResolvedEngine] = {}
        self._wishes = read_wishes(given["wishes"])
        self._live = not given["as_json"] and not given["stream"] and sys.stderr.isatty()

    async def one(self, text: str) -> int:
        """Analyzes one position and prints the result."""
        given = self._given
        async with terminable() as struck, AsyncExitStack() as stack:
            starting = await self._start_ahead(stack, text)
            position = read_position((text,), given["variant"], given["side"], given["allow"])
            engine = await self._started(stack, starting, position)
            whole = await self._watch(engine, position)
        if not whole:
            click.echo(f"fenwire: {'terminated' if struck else 'interrupted'}", err=True)
            return TERMINATED if struck else INTERRUPTED
        return 0

    async def many(self, records: AsyncIterator[tuple[int, str]]) -> int:
        """Analyzes record after record, one line of output each; the worst exit code of any.

        What concerns one record alone costs that record alone: a mistake in it, a game the engine does not
        play, an engine that dies of it. An engine that cannot be had at all ends the run.
        """
        from adapter.errors import ConfigError, EngineError, EngineStartError, FenError, MoveError
        from engines.discovery import resolve_engine
        from engines.transcript import Transcript

        if self._given["engine"]:
            resolve_engine(None, self._given["engine"])
        code = 0
        engines: dict[str, Engine] = {}
        async with terminable(), AsyncExitStack() as stack:
            path = self._given["transcript"]
            record = stack.enter_context(Transcript(path)) if path else None
            async for number, text in records:
                try:
                    position = self._read(text)
                    found = self._choose(position.variant.name)
                    name = found.profile.name
                    if name not in engines:
                        engines[name] = await self._open(stack, found, position, record)
                    analysis = await self._ask(engines[name], position)
                except EngineStartError:
                    raise
                except (FenError, MoveError, ConfigError, EngineError) as error:
                    code = max(code, kind(error)[1])
                    self._refuse(number, text, error)
                    continue
                self._say_row(number, analysis)
        return code

    def _read(self, text: str) -> Position:
        from adapter.position import Position

        given = self._given
        return Position.parse(text, variant=given["variant"], side=given["side"], allow=codes(given["allow"]))

    def _choose(self, variant: str) -> ResolvedEngine:
        from engines.discovery import resolve_engine

        if variant not in self._found:
            self._found[variant] = resolve_engine(variant, self._given["engine"])
            for note in self._found[variant].notes:
                click.echo(f"fenwire: {note}", err=True)
        return self._found[variant]

    async def _start_ahead(self, stack: AsyncExitStack, text: str) -> asyncio.Task[Engine] | None:
        """Begins to start the engine for a sound record, and loads its game's rules meanwhile; None where
        the record is not sound, or more than it can be at fault."""
        from adapter.fen import check

        given = self._given
        if given["searchmoves"] or given["banmoves"] or given["notation"]:
            return None
        report = check(text, variant=given["variant"], side=given["side"], allow=codes(given["allow"]))
        if not report.ok:
            return None
        found = self._choose(report.variant)

        from adapter import games
        from adapter.engine import opened

        engine = opened(found, options=self._wishes, transcript=given["transcript"])
        starting = asyncio.create_task(stack.enter_async_context(engine))
        stack.push_async_callback(_leave, starting)
        # its process first: what loads on a thread would hold it up
        await asyncio.sleep(0)
        await asyncio.to_thread(games.get, report.variant)
        return starting

    async def _started(
        self, stack: AsyncExitStack, starting: asyncio.Task[Engine] | None, position: Position
    ) -> Engine:
        if starting is not None:
            if position.outcome is None:
                return await starting
            # a finished game is not to wait for an engine, nor to fail with one
            await _leave(starting)
            if not starting.cancelled() and starting.exception() is None:
                return starting.result()
        found = self._choose(position.variant.name)
        return await self._open(stack, found, position, self._given["transcript"])

    async def _open(
        self,
        stack: AsyncExitStack,
        found: ResolvedEngine,
        position: Position,
        transcript: str | Transcript | None,
    ) -> Engine:
        from adapter.engine import opened
        from adapter.validate import make_request

        # a finished game needs no engine, and a wrong move is told before one is started
        over = make_request(position, self._limit, self._given["notation"]).outcome is not None
        return await stack.enter_async_context(
            opened(found, options=self._wishes, transcript=transcript, start=not over)
        )

    async def _ask(self, engine: Engine, position: Position) -> Analysis:
        given = self._given
        return await engine.analyze(
            position,
            self._limit,
            multipv=given["multipv"],
            notation=given["notation"],
            timeout=given["timeout"],
        )

    async def _watch(self, engine: Engine, position: Position) -> bool:
        """One position as a stream, shown as it goes; False when a signal cut it short.

        What was found until then is an answer: it is printed, and no error takes its place.
        """
        from adapter.errors import EngineError

        given = self._given
        stream = engine.stream(
            position,
            self._limit,
            multipv=given["multipv"],
            notation=given["notation"],
            timeout=given["timeout"],
        )
        async with stream:
            try:
                with self._view(position) as show:
                    async for line in stream:
                        show(line)
            except asyncio.CancelledError:
                try:
                    found = await stream.stop()
                except EngineError as error:
                    if error.partial is None:
                        raise
                    click.echo("\n".join(explain(error)), err=True)
                    found = error.partial
                self._say(found)
                return False
        if stream.analysis is not None:
            self._say(stream.analysis)
        return True

    def _view(self, position: Position) -> Any:
        from adapter.cli.live import live_view, quiet, stream_view

        if self._given["stream"]:
            return stream_view(position, self._given["pov"], as_json=self._given["as_json"])
        return live_view(position, self._given["pov"]) if self._live else quiet()

    def _say(self, analysis: Analysis) -> None:
        from adapter.cli.wording import report

        if self._given["as_json"]:
            whole = analysis.to_dict()
            say_json({"event": "result", **whole} if self._given["stream"] else whole)
        else:
            for line in report(analysis, self._given["pov"]):
                click.echo(line)

    def _say_row(self, number: int, analysis: Analysis) -> None:
        from adapter.cli.wording import row

        if self._given["as_json"]:
            say_json(analysis.to_dict())
        else:
            click.echo(f"{number:>6}  {row(analysis, self._given['pov'])}")
        sys.stdout.flush()

    def _refuse(self, number: int, text: str, error: Exception) -> None:
        if self._given["as_json"]:
            say_json({"input": text, "line": number, **payload(error)})
        else:
            first, *rest = explain(error)
            click.echo("\n".join((f"line {number}: {first}", *rest)), err=True)
