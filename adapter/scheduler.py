"""One pass of positions over a pool's engines: who is asked what, what comes back, who is asked again."""

from __future__ import annotations

import asyncio
import copy
import signal
import time
from collections import deque
from collections.abc import AsyncIterable, Callable, Iterable, Sequence
from typing import Any

import msgspec

from adapter.analysis import Analysis
from adapter.engine import Engine, SearchHandle
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
from adapter.position import Position
from adapter.validate import AnalysisRequest, make_request
from engines.limits import Limit

RecordInput = Position | str
_END: Any = object()


class PoolResult(msgspec.Struct, frozen=True, kw_only=True):
    """What became of one position: `analysis` or `error` is set, the other is None.

    `index` is its place in the input, from 0, and `given` what stood there; `position` is None when that
    could not be read.
    """

    index: int
    given: RecordInput
    position: Position | None = None
    analysis: Analysis | None = None
    error: FenwireError | None = None


class Job(msgspec.Struct, frozen=True):
    """A position that an engine has to be asked about."""

    index: int
    given: RecordInput
    question: AnalysisRequest

    def answered(self, analysis: Analysis) -> PoolResult:
        """Its result."""
        return PoolResult(
            index=self.index, given=self.given, position=self.question.position, analysis=analysis
        )

    def failed(self, error: FenwireError) -> PoolResult:
        """Its result when there is no analysis."""
        return PoolResult(index=self.index, given=self.given, position=self.question.position, error=error)


class InputQueue:
    """Records read as far ahead as there is room, one after another.

    `read` makes a case of a record and its index, or sees to it itself that one without need of an engine is
    answered; `has_room` says of a number of records pulled whether another may be; `changed` is set whenever
    something has come or nothing more will. `ready` are the cases nobody has taken, `pulled` how many records
    were. Once it is `dry` nothing more is pulled, and `spoilt` holds what the input raised, if that was it.
    """

    def __init__(
        self,
        records: Iterable[RecordInput] | AsyncIterable[RecordInput],
        read: Callable[[int, RecordInput], Job | None],
        *,
        has_room: Callable[[int], bool],
        changed: asyncio.Event,
    ) -> None:
        self.ready: deque[Job] = deque()
        self.pulled = 0
        self.dry = False
        self.spoilt: Exception | None = None
        self._plain = None if isinstance(records, AsyncIterable) else iter(records)
        self._awaited = aiter(records) if isinstance(records, AsyncIterable) else None
        self._read = read
        self._has_room = has_room
        self._changed = changed

    def stock(self, wanted: int) -> None:
        """Reads ahead until so many cases are ready, room and input permitting; nothing of an input that has
        to be awaited."""
        while (
            self._plain is not None
            and len(self.ready) < wanted
            and self._has_room(self.pulled)
            and not self.dry
        ):
            try:
                self._enter(next(self._plain, _END))
            except Exception as error:
                # whatever it is, it is the input's, and told where the input is asked for
                self._spoil(error)

    async def feed(self) -> None:
        """Reads an input that has to be awaited, whenever there is room, to its end; nothing for another."""
        while self._awaited is not None and not self.dry:
            if self._has_room(self.pulled):
                try:
                    self._enter(await anext(self._awaited, _END))
                except Exception as error:
                    self._spoil(error)
            else:
                self._changed.clear()
                await self._changed.wait()

    def _enter(self, given: RecordInput) -> None:
        if given is _END:
            self.dry = True
        else:
            case = self._read(self.pulled, given)
            self.pulled += 1
            if case is not None:
                self.ready.append(case)
        self._changed.set()

    def _spoil(self, error: Exception) -> None:
        # kept for the reader, until all that was read before is answered
        self.spoilt = error
        self.dry = True
        self._changed.set()


STRIKES = 2  # engines that may crash or hang on one position
LOSSES = 3  # engines that may be lost on one position, whoever ended them
AHEAD = 16  # positions pulled ahead of the reader, for each engine
QUEUED = 2  # positions an engine is given behind the one it is at
# The same where the last search was over within so many seconds: where a thread listens it tells the ends of
# such several at a time, which costs a third less, and whoever else wants the engine does not wait for long.
FAST_SECONDS, QUEUED_FAST = 0.02, AHEAD - 2
PROBE = Limit(depth=1)  # what every engine can do
PROBE_SECONDS = 5.0

# Cases that an engine has been asked about behind the one it is at.
QueuedJobs = deque[tuple[Job, SearchHandle]]


class PoolScheduler:
    """The pass: `begin` it, take results by `next` until there is None, and always `close` it.

    A task serves each engine; it stops pulling while the reader has enough to read.
    """

    def __init__(
        self,
        engines: Sequence[Engine],
        records: Iterable[RecordInput] | AsyncIterable[RecordInput],
        limit: Limit,
        wishes: dict[str, Any],
        *,
        variant: str,
        notation: str | None,
        ordered: bool,
        alone: Callable[[], bool],
    ) -> None:
        self._engines = tuple(engines)
        self._limit = limit
        self._wishes = wishes
        self._variant = variant
        self._notation = notation
        self._ordered = ordered
        self._alone = alone  # whether no other pass takes turns with this one
        self._delivered = 0
        self._read = 0
        self._done: dict[int, PoolResult] = {}  # by index if ordered, else as they came
        self._lines: dict[Engine, QueuedJobs] = {engine: deque() for engine in self._engines}
        self._brisk = dict.fromkeys(self._engines, 0)  # how many short searches each has done in a row
        self._broken = False  # what is missing will not come
        self._serving = len(self._engines)
        self._tasks: list[asyncio.Task[None]] = []
        self._news = asyncio.Event()  # for the reader
        self._change = asyncio.Event()  # for the tasks: room for more, or a case
        self._closed = False
        self._feeding: asyncio.Task[None] | None = None
        window = AHEAD * len(self._engines)
        self._intake = InputQueue(
            records,
            self._read_case,
            has_room=lambda pulled: pulled - self._read < window,
            changed=self._change,
        )

    def begin(self) -> None:
        """Sets the engines to work."""
        self._tasks = [asyncio.create_task(self._serve(engine)) for engine in self._engines]
        self._feeding = asyncio.create_task(self._intake.feed())

    async def next(self) -> PoolResult | None:
        """The next result, None after the last. Raises what ended the pass, after the results before it, and
        EngineError when it was closed."""
        while (result := self._done.pop(self._read, None)) is None:
            if self._closed:
                name = self._engines[0].name
                raise EngineError(f"the pool of {name} was closed before all was answered", engine=name)
            if not self._serving:
                for task in self._tasks:
                    await task
                if self._intake.spoilt is not None:
                    raise self._intake.spoilt
                return None
            self._news.clear()
            await self._news.wait()
        self._read += 1
        self._change.set()
        return result

    async def close(self) -> None:
        """Ends the tasks; engines at work are told to stop."""
        self._closed = True
        tasks = self._tasks if self._feeding is None else [*self._tasks, self._feeding]
        for task in tasks:
            task.cancel()
        # their errors are the reader's, who may have left before
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _take(self) -> Job | None:
        """The next case, None when there will be none."""
        while not self._broken:
            self._intake.stock(1)
            if self._intake.ready:
                return self._intake.ready.popleft()
            if (case := self._take_over()) is not None:
                return case
            if self._intake.dry and self._intake.pulled == self._delivered:
                return None
            self._change.clear()
            await self._change.wait()
        return None

    def _read_case(self, index: int, given: RecordInput) -> Job | None:
        """A case, unless what was given needs no engine to be answered."""
        position = None
        try:
            position = given if isinstance(given, Position) else Position.parse(given, variant=self._variant)
            question = make_request(position, self._limit, self._notation)
        except (FenError, MoveError, ConfigError) as error:
            self._deliver(PoolResult(index=index, given=given, position=position, error=error))
            return None
        case = Job(index, given, question)
        if question.outcome is None:
            return case
        self._deliver(case.answered(self._engines[0].finished(question)))
        return None

    def _deliver(self, result: PoolResult) -> None:
        self._done[result.index if self._ordered else self._delivered] = result
        self._delivered += 1
        self._news.set()
        if self._intake.dry:
            self._change.set()

    # --- the engines -------------------------------------------------------------------------------

    async def _serve(self, engine: Engine) -> None:
        line = self._lines[engine]
        pursuit: SearchHandle | None = None
        try:
            case = await self._take()
            while case is not None:
                try:
                    answer = await self._ask(engine, case, pursuit)
                except EngineError:
                    if not engine.given_up or self._serving == 1:
                        raise
                    # the others go on without it
                    self._intake.ready.appendleft(case)
                    return
                self._pace(engine, answer)
                try:
                    # the engine works on the next one while the last answer is judged
                    following, pursuit = line.popleft() if line else await self._go_ahead(engine)
                    if pursuit is not None:
                        self._line_up(engine)
                finally:
                    self._deliver(self._judge(engine, case, answer))
                self._intake.stock(len(self._engines))
                if len(self._done) > 1:
                    # the reader's turn: what it has not taken keeps new cases out
                    await asyncio.sleep(0)
                case = None if self._broken else following or await self._take()
        except BaseException:
            self._intake.dry = self._broken = True
            raise
        finally:
            for asked in (pursuit, *(behind for _, behind in line)):
                if asked is not None:
                    asked.driver.leave(asked.running)
            self._serving -= 1
            self._news.set()
            self._change.set()

    def _pace(self, engine: Engine, answer: SearchHandle | FenwireError) -> None:
        started = None if isinstance(answer, FenwireError) else answer.running.started
        brisk = started is not None and time.monotonic() - started < FAST_SECONDS
        self._brisk[engine] = self._brisk[engine] + 1 if brisk else 0

    def _line_up(self, engine: Engine) -> None:
        """Gives an engine at work the next cases, to be sent the moment it is free; others keep theirs."""
        line = self._lines[engine]
        others = self._serving - 1
        # where we were held up, as many ends as were lined up are told at once, however long each took
        most = QUEUED_FAST if self._brisk[engine] > 1 + QUEUED else QUEUED
        self._intake.stock(most + others)
        while len(line) < most and len(self._intake.ready) > others and self._alone():
            case = self._intake.ready.popleft()
            try:
                pursuit = engine.follow(case.question, **self._wishes)
            except FenwireError:
                # told when it is asked by itself
                pursuit = None
            if pursuit is None:
                self._intake.ready.appendleft(case)
                return
            line.append((case, pursuit))

    def _take_over(self) -> Job | None:
        """A case that another engine has in its line and was not sent yet."""
        for line in self._lines.values():
            if line:
                case, pursuit = line[-1]
                if pursuit.driver.withdraw(pursuit.running):
                    line.pop()
                    return case
        return None

    async def _go_ahead(self, engine: Engine) -> tuple[Job | None, SearchHandle | None]:
        """The next case, if one is at hand and the engine free, with its search begun."""
        self._intake.stock(1)
        # what has to wait for its turn is not to keep the last answer waiting as well
        free = engine.driver.failure is None and engine.driver.free
        if not (self._intake.ready and self._alone() and free):
            return None, None
        case = self._intake.ready.popleft()
        try:
            return case, await engine.begin(case.question, **self._wishes)
        except FenwireError:
            # it is asked once more, where it is told apart what was wrong
            return case, None

    async def _ask(
        self, engine: Engine, case: Job, pursuit: SearchHandle | None
    ) -> SearchHandle | FenwireError:
        """The search once it has ended, or the error that stands for it; begun here where it was not yet.
        Raises when the engine is given up."""
        strikes = losses = 0
        while True:
            try:
                if pursuit is None:
                    pursuit = await self._begin(engine, case.question)
                    self._line_up(engine)
                await engine.result(pursuit)
            except ConfigError as error:
                return error
            except (EngineDied, EngineTimeout) as error:
                if pursuit is None:
                    if engine.given_up:
                        raise
                    return error
                pursuit = None
                self._give_back(engine)
                losses += 1
                strikes += not _ended_from_outside(error)
                if strikes == STRIKES or losses == LOSSES:
                    await self._prove(engine, case.question.position)
                    return _set_aside(error, losses)
            else:
                return pursuit

    def _give_back(self, engine: Engine) -> None:
        """What a lost engine had in its line was never sent."""
        line = self._lines[engine]
        self._intake.ready.extendleft(case for case, _ in reversed(line))
        line.clear()
        self._change.set()

    def _judge(self, engine: Engine, case: Job, answer: SearchHandle | FenwireError) -> PoolResult:
        if isinstance(answer, FenwireError):
            return case.failed(answer)
        try:
            return case.answered(engine.judge(answer))
        except IllegalEngineMove as error:
            return case.failed(error)

    async def _begin(self, engine: Engine, question: AnalysisRequest) -> SearchHandle:
        """Raises when the engine is given up, and EngineTimeout when somebody else has kept it as long as a
        search may last, however short a time each wait for one's turn takes."""
        latest = _patience(engine)
        while True:
            try:
                return await engine.begin(question, **self._wishes)
            except (EngineStartError, EngineDied, EngineTimeout):
                if engine.given_up or _kept_from_us(engine, latest):
                    raise

    async def _prove(self, engine: Engine, position: Position) -> None:
        """Asks about the game's first move or, where that is the question, its second, so that no position is
        blamed for an engine that answers none. Raises when the engine is given up over it."""
        variant = position.variant
        trial = Position.parse(variant.start_fen, variant=variant.name)
        if trial.fen == position.fen:
            trial = Position.parse(trial.play(trial.legal_moves[0]).fen, variant=variant.name)
        seconds = min(self._wishes["timeout"] or PROBE_SECONDS, PROBE_SECONDS)
        latest = _patience(engine)
        while not _kept_from_us(engine, latest):
            try:
                await engine.analyze(trial, PROBE, timeout=seconds)
            except IllegalEngineMove:
                return
            except (EngineStartError, EngineDied, EngineTimeout):
                if engine.given_up:
                    raise
            else:
                return


def _patience(engine: Engine) -> float:
    """Until when an engine is waited for that somebody else has at work: as long as a search may last."""
    return time.monotonic() + engine.found.profile.deadlines.search


def _kept_from_us(engine: Engine, latest: float) -> bool:
    return engine.state == "running" and time.monotonic() > latest


def _ended_from_outside(error: EngineError) -> bool:
    # No program ends itself by SIGKILL: a person did, or a kernel short of memory.
    return isinstance(error, EngineDied) and error.signal == getattr(signal, "SIGKILL", 0)


def _set_aside(error: EngineError, losses: int) -> EngineError:
    told = copy.copy(error)
    told.args = (f"set aside, it cost {losses} engines: {error}",)
    return told
