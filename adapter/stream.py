"""A search watched while it runs: its lines one by one, `stop` when its reader has seen enough."""

from __future__ import annotations

import asyncio
from collections import deque
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from adapter.analysis import Analysis, Line
from adapter.errors import EngineError
from adapter.validate import AnalysisRequest, validate_line

if TYPE_CHECKING:
    from adapter.engine import Engine, SearchHandle

HANDFUL = 16  # reports read and checked at a time, some milliseconds' work


class Stream:
    """The lines of one search, as they come. Made by `Engine.stream`; enter it once.

    A reader that is slower than the engine misses the oldest of what waits, never the newest. `analysis` is
    None until the search has ended, by itself or because the block was left.
    """

    def __init__(self, engine: Engine, question: AnalysisRequest, wishes: dict[str, Any]) -> None:
        self.analysis: Analysis | None = None
        self._engine = engine
        self._question = question
        self._wishes = wishes
        self._pursuit: SearchHandle | None = None
        self._concluded = False
        self._entered = False
        self._lines: deque[Line] = deque()

    async def __aenter__(self) -> Self:
        if self._entered:
            raise EngineError("a stream is one search and is entered once", engine=self._engine.name)
        self._entered = True
        if self._question.outcome is not None:
            self.analysis = self._engine.finished(self._question)
        else:
            self._pursuit = await self._engine.begin(self._question, streamed=True, **self._wishes)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        # Once it was concluded its answer or its error is known in the block. Any other error there, an
        # engine's too, leaves the search running.
        pursuit = self._pursuit
        if pursuit is None or self._concluded:
            return
        if pursuit.running.left and isinstance(error, asyncio.CancelledError):
            # cancelled while `stop` waited for the best move: whoever does that will not wait once more
            return
        pursuit.driver.leave(pursuit.running)
        try:
            await self._conclude(pursuit)
        except EngineError:
            # what went wrong in the block comes first
            if error is None:
                raise

    def __aiter__(self) -> Self:
        if not self._entered:
            raise EngineError("enter the stream first: `async with`", engine=self._engine.name)
        return self

    async def __anext__(self) -> Line:
        while not self._lines:
            pursuit = self._pursuit
            if pursuit is None or self._concluded:
                raise StopAsyncIteration
            # However fast an engine talks, the event loop has its turn between two handfuls.
            await asyncio.sleep(0)
            driver, running = pursuit.driver, pursuit.running
            over = running.done.done()
            infos = driver.reports(running, HANDFUL)
            for info in infos:
                line = validate_line(self._question, info, driver.dialect)
                if line is not None:
                    self._lines.append(line)
            if infos:
                continue
            if over:
                # behind the last reports, which an error would have cut off
                await self._conclude(pursuit)
            else:
                await running.news.wait()
                running.news.clear()
        return self._lines.popleft()

    async def stop(self) -> Analysis:
        """Tells the engine to stop and gives its answer. Raises as `Engine.analyze` does."""
        pursuit = self._pursuit
        if pursuit is not None and self.analysis is None:
            pursuit.driver.leave(pursuit.running)
            await self._conclude(pursuit)
        if self.analysis is None:
            raise EngineError("the stream was never entered", engine=self._engine.name)
        return self.analysis

    async def _conclude(self, pursuit: SearchHandle) -> None:
        try:
            self.analysis = await self._engine.conclude(pursuit)
        except EngineError:
            self._concluded = True
            raise
        self._concluded = True
