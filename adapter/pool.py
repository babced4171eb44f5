"""Many positions over several engines of one kind: pulled as they are needed, each answered once."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator, AsyncIterable, Iterable, Mapping
from types import TracebackType
from typing import Any, Self

from adapter.engine import Engine
from adapter.errors import ConfigError
from adapter.position import Position
from adapter.scheduler import PoolResult, PoolScheduler
from adapter.supervisor import uninterrupted
from engines.discovery import ResolvedEngine, resolve_engine
from engines.limits import Limit
from engines.options import OptionValue

__all__ = ["Pool", "PoolResult"]


class Pool:
    """`size` engines of one kind, started and ended with `async with`.

    `engine`, `variant`, `options` and `fallback` are those of `open_engine` (or `engine` is one that was
    found already); `size` is by default the number of processors at this process' disposal. With a `variant`
    all texts are read as records of that game.

    Raises ConfigError for a size below 1 and for an engine nobody knows; on entering, what `open_engine`
    raises.
    """

    def __init__(
        self,
        engine: str | ResolvedEngine | None = None,
        size: int | None = None,
        *,
        variant: str | None = None,
        options: Mapping[str, OptionValue] | None = None,
        fallback: bool = True,
    ) -> None:
        size = _processors() if size is None else size
        if size < 1:
            raise ConfigError(f"a pool of {size} engines answers nothing; give a size of 1 or more")
        if isinstance(engine, ResolvedEngine):
            self._found = engine
        else:
            wanted = "chess" if engine is None and variant is None else variant
            self._found = resolve_engine(wanted, engine, fallback=fallback)
        self._variant = variant
        self._options = dict(options or {})
        self._engines = [self._new_engine() for _ in range(size)]
        self._rounds: set[PoolScheduler] = set()
        self._open = False

    @property
    def engines(self) -> tuple[Engine, ...]:
        """The engines at work; one that was given up is replaced when the next analysis begins."""
        return tuple(self._engines)

    async def __aenter__(self) -> Self:
        try:
            started = await asyncio.gather(
                *(engine.start() for engine in self._engines), return_exceptions=True
            )
            for failure in started:
                if failure is not None:
                    raise failure
        except BaseException:
            await self._end()
            raise
        self._open = True
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._end()

    def analyze(
        self,
        positions: Iterable[Position | str] | AsyncIterable[Position | str],
        limit: Limit,
        *,
        multipv: int = 1,
        new_game: bool = False,
        notation: str | None = None,
        timeout: float | None = None,
        ordered: bool = False,
    ) -> AsyncGenerator[PoolResult, None]:
        """Results for positions (or FEN texts), as they are done, or in the order of the input if `ordered`.

        The input may be endless: no more than sixteen for each engine are pulled ahead of the reader. A
        plain iterable is pulled on the event loop, so one that waits for something had better be an
        asynchronous one. `limit`, `multipv`, `new_game`, `notation` and `timeout` are those of
        `Engine.analyze`, for each position; without `new_game` an engine remembers the positions it had
        before, and answers may depend on which those were.

        A record or a move that cannot be read, a position of a game the engine does not play, and a best move
        that is not legal are results with an `error`. An engine that dies or hangs is started anew, and the
        position asked again; when that one fails too, its error becomes the position's and the rest goes on.
        An engine that cannot be started, or no longer answers the start position either, is left out after
        three more tries; when none is left, the analysis ends with its error.

        Leaving the iterator (best by `contextlib.aclosing`) tells the engines to stop; what they were at is
        lost, the pool is not. Several analyses at a time take turns; an engine that somebody else keeps is
        waited for as long as its profile lets a search last, and then the position has that EngineTimeout.
        Raises LimitError and OptionError,
        EngineError for the last engine given up, and whatever the input raises, each after the results that
        came before it; TypeError for a single text in place of several.
        """
        if isinstance(positions, str | Position):
            raise TypeError("positions is a single one; give a list, or any iterable, of them")
        if not self._open:
            raise ConfigError("the pool is not open; use it inside `async with Pool(…) as pool`")
        wishes: dict[str, Any] = {"multipv": multipv, "options": None, "new_game": new_game}
        return self._results(
            positions, limit, {**wishes, "timeout": timeout}, notation=notation, ordered=ordered
        )

    async def _results(
        self,
        positions: Iterable[Position | str] | AsyncIterable[Position | str],
        limit: Limit,
        wishes: dict[str, Any],
        *,
        notation: str | None,
        ordered: bool,
    ) -> AsyncGenerator[PoolResult, None]:
        await self._replace_given_up()
        run = PoolScheduler(
            self._engines,
            positions,
            limit,
            wishes,
            variant=self._variant or "auto",
            notation=notation,
            ordered=ordered,
            alone=lambda: len(self._rounds) == 1,
        )
        self._rounds.add(run)
        try:
            run.begin()
            while (result := await run.next()) is not None:
                yield result
        finally:
            await run.close()
            self._rounds.discard(run)

    async def _replace_given_up(self) -> None:
        for at, engine in enumerate(self._engines):
            if engine.given_up:
                self._engines[at] = self._new_engine()
                await engine.close()

    async def _end(self) -> None:
        # of what a cancelled `gather` was given, that which had not begun yet never does
        self._open = False
        await uninterrupted(self._close_all())

    async def _close_all(self) -> None:
        await asyncio.gather(*(run.close() for run in self._rounds), return_exceptions=True)
        await asyncio.gather(*(engine.close() for engine in self._engines), return_exceptions=True)

    def _new_engine(self) -> Engine:
        return Engine(self._found, self._options, None)


def _processors() -> int:
    # where it is known, how many this process may use (`taskset`, containers) counts
    usable = getattr(os, "sched_getaffinity", None)
    return len(usable(0)) if usable is not None else os.cpu_count() or 1
