"""One engine through all its lives: started when it is needed, anew when it has died, but not for ever."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Coroutine, Mapping
from typing import Any

from adapter.errors import EngineError
from engines.discovery import ResolvedEngine
from engines.driver import EngineDriver
from engines.link import Recorder
from engines.options import OptionValue
from engines.transcript import Transcript

RESTARTS = 3  # starts anew in a row, without a search that ended well, before an engine is given up
BACKOFF = 0.2  # seconds before the first of them, doubled for each further one


class EngineSupervisor:
    """The drivers of one engine, one after another.

    `driver` is the latest, dead or alive, None before the first start; `options` are what each new one is
    given. Failed starts count like deaths; `survived` lets the count begin anew. `given_up` tells that the
    engine failed so often in a row that it is not started again. `starts` and `searches` count those that
    went well.
    """

    def __init__(
        self, found: ResolvedEngine, options: Mapping[str, OptionValue], record: Recorder | None
    ) -> None:
        self.driver: EngineDriver | None = None
        self.options = dict(options)
        self.starts = 0
        self.searches = 0
        self._found = found
        # engines that work side by side may share the file
        self._record = record.voice() if isinstance(record, Transcript) else record
        self._buried: EngineDriver | None = None  # its death is counted
        self._failures = 0  # in a row
        self._failure: EngineError | None = None  # the last of them
        self._starting = asyncio.Lock()
        self._closed = False

    @property
    def given_up(self) -> bool:
        return self._failures > RESTARTS

    def reset_failures(self) -> None:
        """A search ended well."""
        self._failures = 0
        self.searches += 1

    def remember(self, options: Mapping[str, OptionValue]) -> None:
        """Keeps options for the next start: the latest wish for each name, in whatever case."""
        if options:
            names = {name.lower() for name in options}
            kept = {name: value for name, value in self.options.items() if name.lower() not in names}
            self.options = {**kept, **options}

    async def get_driver(self) -> EngineDriver:
        """A driver that has not failed: the latest, or a new one after the back-off.

        Raises what `Driver.open` raises; EngineError once closed, and, as the last failure was one, for an
        engine that is given up.
        """
        if self.driver is not None and self.driver.failure is None:
            return self.driver
        async with self._starting:
            last = self.driver
            self._check_open()
            if last is not None and last is not self._buried:
                if last.failure is None:
                    return last
                # counted when it is over, so that a caller cancelled meanwhile leaves that to the next one
                await last.close()
                self._buried = last
                self._count(last.failure)
            if self.given_up:
                raise self._farewell()
            if self._failures:
                await asyncio.sleep(BACKOFF * 2 ** (self._failures - 1))
                self._check_open()
            return await self._start()

    async def close(self) -> None:
        """Ends the engine for good; its process is reaped on return, even when that is cancelled (then it is
        cancelled late). A start under way is waited for."""
        self._closed = True
        await uninterrupted(self._end())

    async def _end(self) -> None:
        # one that another task is just starting would be left behind
        async with self._starting:
            if self.driver is not None:
                await self.driver.close()

    async def _start(self) -> EngineDriver:
        opening = asyncio.create_task(
            EngineDriver.open(
                self._found.profile, self._found.command, options=self.options, record=self._record
            )
        )
        try:
            self.driver = await asyncio.shield(opening)
        except EngineError as error:
            self._count(error)
            if self.given_up:
                raise self._farewell() from None
            raise
        except asyncio.CancelledError:
            opening.cancel()
            # the process it had started is gone before anybody hears of the cancellation
            await uninterrupted(self._take_up(opening))
            raise
        self.starts += 1
        return self.driver

    async def _take_up(self, opening: asyncio.Task[EngineDriver]) -> None:
        await asyncio.wait([opening])
        if not opening.cancelled() and opening.exception() is None:
            self.driver = opening.result()

    def _count(self, failure: EngineError) -> None:
        self._failures += 1
        self._failure = failure

    def _farewell(self) -> EngineError:
        assert self._failure is not None
        error = copy.copy(self._failure)
        error.args = (f"{error}; it failed {self._failures} times in a row and is not started again",)
        return error

    def _check_open(self) -> None:
        if self._closed:
            name = self.driver.name if self.driver else self._found.profile.title
            raise EngineError(f"{name} was closed", engine=name)


async def uninterrupted(work: Coroutine[Any, Any, None]) -> None:
    """Awaits what must not be left half done; who cancels that meanwhile is obeyed afterwards."""
    task = asyncio.create_task(work)
    cancelled = False
    while not task.done():
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError:
            cancelled = True
    if cancelled:
        raise asyncio.CancelledError
