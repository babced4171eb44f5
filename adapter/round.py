"""One pass of positions over a pool's engines: who is asked what, what comes back, who is asked again."""

from __future__ import annotations

import asyncio
import copy
import signal
from collections import deque
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator, Sequence
from typing import Any

import msgspec

from adapter.analysis import Analysis
from adapter.engine import Engine, Pursuit
from adapter.errors import (
    ConfigError,
    EngineDied,
    EngineError,
    EngineStartError,
    EngineTimeout,
    FenError,
    FenwireError,
    IllegalEngineMove,
    MoveError,
)
from adapter.judge import Question, ask
from adapter.position import Position
from engines.limits import Limit

STRIKES = 2  # engines that may crash or hang on one position
LOSSES = 3  # engines that may be lost on one position, whoever ended them
AHEAD = 2  # positions pulled ahead of the reader, beyond two for each engine
TRIAL = Limit(depth=1)  # what every engine can do
TRIAL_SECONDS = 5.0

Record = Position | str
_END: Any = object()


class PoolResult(msgspec.Struct, frozen=True, kw_only=True):
    """What became of one position: `analysis` or `error` is set, the other is None.

    `index` is its place in the input, from 0, and `given` what stood there; `position` is None when that
    could not be read.
    """

    index: int
    given: Record
    position: Position | None = None
    analysis: Analysis | None = None
    error: FenwireError | None = None


class Case(msgspec.Struct, frozen=True):
    """A position that an engine has to be asked about."""

    index: int
    given: Record
    question: Question

    def answered(self, analysis: Analysis) -> PoolResult:
        """Its result."""
        return PoolResult(
            index=self.index, given=self.given, position=self.question.position, analysis=analysis
        )

    def failed(self, error: FenwireError) -> PoolResult:
        """Its result when there is no analysis."""
        return PoolResult(index=self.index, given=self.given, position=self.question.position, error=error)


class Round:
    """The pass: `begin` it, take results by `next` until there is None, and always `close` it.

    A task serves each engine; it stops pulling while the reader has enough to read.
    """

    def __init__(
        self,
        engines: Sequence[Engine],
        records: Iterable[Record] | AsyncIterable[Record],
        limit: Limit,
        wishes: dict[str, Any],
        *,
        variant: str,
        notation: str | None,
        ordered: bool,
    ) -> None:
        self._engines = tuple(engines)
        self._source: Iterator[Record] | AsyncIterator[Record]
        self._source = aiter(records) if isinstance(records, AsyncIterable) else iter(records)
        self._limit = limit
        self._wishes = wishes
        self._variant = variant
        self._notation = notation
        self._ordered = ordered
        self._window = 2 * len(self._engines) + AHEAD
        self._pulling = asyncio.Lock()
        self._pulled = 0
        self._delivered = 0
        self._read = 0
        self._done: dict[int, PoolResult] = {}  # by index if ordered, else as they came
        self._again: deque[Case] = deque()  # given back by an engine that was given up
        self._dry = False  # nothing more is pulled
        self._broken = False  # and what is missing will not come
        self._serving = len(self._engines)
        self._tasks: list[asyncio.Task[None]] = []
        self._news = asyncio.Event()  # for the reader
        self._room = asyncio.Event()  # for the tasks

    def begin(self) -> None:
        """Sets the engines to work."""
        self._tasks = [asyncio.create_task(self._serve(engine)) for engine in self._engines]

    async def next(self) -> PoolResult | None:
        """The next result, None after the last. Raises what ended the pass, after the results before it."""
        while (result := self._done.pop(self._read, None)) is None:
            if not self._serving:
                for task in self._tasks:
                    await task
                return None
            self._news.clear()
            await self._news.wait()
        self._read += 1
        self._room.set()
        return result

    async def close(self) -> None:
        """Ends the tasks; engines at work are told to stop."""
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            # their errors are the reader's, who may have left before
            await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _serve(self, engine: Engine) -> None:
        try:
            while (case := await self._take(engine)) is not None:
                try:
                    result = await self._ask(engine, case)
                except EngineError:
                    if not engine.given_up or self._serving == 1:
                        raise
                    # the others go on without it
                    self._again.append(case)
                    return
                self._deliver(result)
        except BaseException:
            self._dry = self._broken = True
            raise
        finally:
            self._serving -= 1
            self._news.set()
            self._room.set()

    async def _take(self, engine: Engine) -> Case | None:
        """The next case; None when there will be none. What needs no engine is answered on the way."""
        while not self._broken:
            if self._again:
                return self._again.popleft()
            waiting = self._pulled - self._delivered
            if self._dry and not waiting:
                return None
            if self._dry or self._pulled - self._read >= self._window:
                self._room.clear()
                await self._room.wait()
                continue
            index = self._pulled
            self._pulled += 1
            given = await self._pull()
            if given is _END:
                self._pulled -= 1
                self._dry = True
                self._room.set()
            elif (case := self._read_case(engine, index, given)) is not None:
                return case
        return None

    async def _pull(self) -> Record:
        source = self._source
        if isinstance(source, AsyncIterator):
            # one at a time, as generators want it, and so that indices follow the input
            async with self._pulling:
                return await anext(source, _END)
        return next(source, _END)

    def _read_case(self, engine: Engine, index: int, given: Record) -> Case | None:
        position = None
        try:
            position = given if isinstance(given, Position) else Position.parse(given, variant=self._variant)
            question = ask(position, self._limit, self._notation)
        except (FenError, MoveError, ConfigError) as error:
            self._deliver(PoolResult(index=index, given=given, position=position, error=error))
            return None
        case = Case(index, given, question)
        if question.outcome is None:
            return case
        self._deliver(case.answered(engine.finished(question)))
        return None

    def _deliver(self, result: PoolResult) -> None:
        self._done[result.index if self._ordered else self._delivered] = result
        self._delivered += 1
        self._news.set()
        if self._dry:
            self._room.set()

    async def _ask(self, engine: Engine, case: Case) -> PoolResult:
        """The engine's answer, or the error that stands for it. Raises when the engine is given up."""
        strikes = losses = 0
        while True:
            try:
                pursuit = await self._begin(engine, case.question)
            except ConfigError as error:
                return case.failed(error)
            try:
                return case.answered(await engine.conclude(pursuit))
            except IllegalEngineMove as error:
                return case.failed(error)
            except (EngineDied, EngineTimeout) as error:
                losses += 1
                strikes += not _ended_from_outside(error)
                if strikes < STRIKES and losses < LOSSES:
                    continue
                await self._prove(engine, case.question.position)
                return case.failed(_set_aside(error, losses))

    async def _begin(self, engine: Engine, question: Question) -> Pursuit:
        while True:
            try:
                return await engine.begin(question, **self._wishes)
            except (EngineStartError, EngineDied, EngineTimeout):
                if engine.given_up:
                    raise

    async def _prove(self, engine: Engine, position: Position) -> None:
        """Asks about the game's first move or, where that is the question, its second, so that no position is
        blamed for an engine that answers none. Raises when the engine is given up over it."""
        variant = position.variant
        trial = Position.parse(variant.start_fen, variant=variant.name)
        if trial.fen == position.fen:
            trial = Position.parse(trial.play(trial.legal_moves[0]).fen, variant=variant.name)
        seconds = min(self._wishes["timeout"] or TRIAL_SECONDS, TRIAL_SECONDS)
        while True:
            try:
                await engine.analyze(trial, TRIAL, timeout=seconds)
            except IllegalEngineMove:
                return
            except (EngineStartError, EngineDied, EngineTimeout):
                if engine.given_up:
                    raise
            else:
                return


def _ended_from_outside(error: EngineError) -> bool:
    # No program ends itself by SIGKILL: a person did, or a kernel short of memory.
    return isinstance(error, EngineDied) and error.signal == getattr(signal, "SIGKILL", 0)


def _set_aside(error: EngineError, losses: int) -> EngineError:
    told = copy.copy(error)
    told.args = (f"set aside, it cost {losses} engines: {error}",)
    return told
