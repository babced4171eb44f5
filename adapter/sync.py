"""The one-line analysis for scripts and notebooks: no event loop of the caller's needed, none in the way."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import threading
from collections.abc import Coroutine, Iterator, Mapping
from concurrent.futures import Future
from pathlib import Path
from typing import Any, TypeVar

from adapter.analysis import Analysis
from adapter.engine import open_engine
from adapter.position import Position
from engines.limits import Limit
from engines.options import OptionValue

SECONDS = 2.0  # the search's time when the caller names no limit

T = TypeVar("T")


def analyze(
    position: Position | str,
    *,
    variant: str = "auto",
    engine: str | None = None,
    limit: Limit | None = None,
    multipv: int = 1,
    options: Mapping[str, OptionValue] | None = None,
    notation: str | None = None,
    timeout: float | None = None,
    transcript: str | Path | None = None,
    **bounds: Any,
) -> Analysis:
    """Analyzes one position and waits for the answer; also inside a running event loop (a notebook).

    `variant` is the game of a text that does not tell it, such as `startpos`.

    `bounds` are the fields of `Limit`: `depth=18`, `nodes=…`, `seconds=…`; without any, and without `limit`,
    two seconds. The engine is started for this call and ended with it; the rest is as in `open_engine` and
    `Engine.analyze`, and so is what it raises.
    """
    if isinstance(position, str):
        position = Position.parse(position, variant=variant)
    if limit is None:
        limit = Limit(**(bounds or {"seconds": SECONDS}))
    elif bounds:
        raise TypeError(f"give either limit or {', '.join(bounds)}")
    checked, bound = position, limit

    async def once() -> Analysis:
        game = checked.variant.name
        async with open_engine(engine, variant=game, options=options, transcript=transcript) as opened:
            return await opened.analyze(checked, bound, multipv=multipv, notation=notation, timeout=timeout)

    return run_blocking(once())


def run_blocking(work: Coroutine[Any, Any, T]) -> T:
    """Runs a coroutine to its end from blocking code, on a thread of its own where a loop runs already."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    result: Future[T] = Future()
    started: Future[tuple[asyncio.AbstractEventLoop, asyncio.Task[T]]] = Future()

    async def tracked() -> T:
        task = asyncio.ensure_future(work)
        started.set_result((asyncio.get_running_loop(), task))
        return await task

    def target() -> None:
        try:
            result.set_result(asyncio.run(tracked()))
        except BaseException as error:
            result.set_exception(error)

    thread = threading.Thread(target=target, name="fenwire-blocking")
    thread.start()
    try:
        with _interruptible():
            return result.result()
    except BaseException:
        # interrupted while waiting: the engine is not left behind
        if not result.done():
            loop, task = started.result()
            # a loop that was closed meanwhile has ended the engine itself
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(task.cancel)
        raise
    finally:
        thread.join()


@contextlib.contextmanager
def _interruptible() -> Iterator[None]:
    """Lets Ctrl-C end a wait that holds up `asyncio.run`, whose own handler would only cancel a task that
    cannot run meanwhile."""
    before = signal.getsignal(signal.SIGINT)
    owner = getattr(getattr(before, "func", None), "__self__", None)
    if not isinstance(owner, asyncio.Runner) or threading.current_thread() is not threading.main_thread():
        yield
        return
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
