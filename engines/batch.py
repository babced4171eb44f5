"""Many searches on one engine, one right behind the other: the way to ask about positions that are ready."""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncGenerator, Iterable

from engines.driver import EngineDriver
from engines.search import GoCommand, SearchState
from engines.search_queue import SearchTask

AHEAD = 64  # searches that are lined up


async def batch(
    driver: EngineDriver,
    searches: Iterable[tuple[str, GoCommand]],
    *,
    ahead: int = AHEAD,
    timeout: float | None = None,  # noqa: ASYNC109 - each search's own bound, kept by `stop`
) -> AsyncGenerator[SearchState, None]:
    """The ends of many searches (a `position` line each and how it is searched), in order; up to `ahead` of
    them are under way or lined up. What they said is read when it is asked for.

    Raises as `Driver.begin` and `Driver.result` do, and whatever `searches` raises; what is lined up is left
    then, and its ends are lost. Leaving the iterator (best by `contextlib.aclosing`)
    leaves what is under way.
    """
    source = iter(searches)
    line: deque[SearchTask] = deque()
    try:
        while True:
            for position, plan in source:
                running = driver.follow(position, plan, timeout=timeout) if line else None
                if running is None:
                    # others have their turn between what is lined up and this one
                    while line:
                        yield await driver.result(line.popleft())
                    running = await driver.begin(position, plan, timeout=timeout)
                line.append(running)
                if len(line) >= ahead:
                    break
            if not line:
                return
            running = line.popleft()
            yield running.search if running.ended_well else await driver.result(running)
    finally:
        for running in line:
            driver.leave(running)
