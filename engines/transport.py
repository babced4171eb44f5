"""An engine's process on asyncio's own subprocess transport: started, written to, read, always ended.

Linux, macOS and Windows alike. An engine that is never closed is killed when its event loop shuts down; where
the loop was closed without `asyncio.Runner`'s care, when the next engine starts or the interpreter exits.
"""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import logging
import os
import signal
import subprocess
import sys
import time
import weakref
from collections import deque
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from pathlib import Path
from typing import cast

from engines.errors import EngineStartError
from engines.transcript import Recorder

STDERR_LINES = 40  # lines of standard error kept for error messages
STDERR_WIDTH = 500
AFTER_EXIT = 0.2  # seconds for output to arrive after the exit: a child of the engine may hold its pipes open
AFTER_KILL = 5.0  # seconds until a killed process must be gone; only a stuck kernel call takes longer
# Bytes that may wait for an engine that does not read; beyond, what is sent to it is dropped.
MAX_PENDING = 64 << 20

# The exit statuses of a process that did not leave when it was asked to.
_FORCED = (None, -signal.SIGTERM, -getattr(signal, "SIGKILL", signal.SIGTERM))
_TERMINATE = signal.SIGTERM
_KILL = signal.SIGTERM if sys.platform == "win32" else signal.SIGKILL

logger = logging.getLogger("fenwire.engine")
_running: weakref.WeakSet[EngineProcess] = weakref.WeakSet()


@atexit.register
def _kill_abandoned(*, all_loops: bool = True) -> None:
    for process in list(_running):
        if all_loops or process.loop.is_closed():
            process.abandon()


class EngineProcess(asyncio.SubprocessProtocol):
    """A running engine program: await `start`, and then always `end`.

    `on_output` is called with bytes as they come; `on_end` once, when the output has ended: its pipe was
    closed and the process has exited, or 0.2 seconds after the first of the two.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        on_output: Callable[[bytes], None],
        on_end: Callable[[], None] = lambda: None,
        record: Recorder | None = None,
        cwd: str | Path | None = None,
        env: Mapping[str, str] | None = None,
        name: str = "",
    ) -> None:
        self.command = tuple(command)
        self.name = name or Path(self.command[0]).name
        self.exit_status: int | None = None  # the exit code, or a signal's number negated
        self.ending = False  # whether we told it to end
        self.pid = 0
        self.loop = loop = asyncio.get_running_loop()
        self._cwd, self._env = cwd, env
        self._on_output = on_output
        self._on_end: Callable[[], None] | None = on_end
        self._record = _logged(self.name, record) if logger.isEnabledFor(logging.DEBUG) else record
        self._started_at = time.monotonic()
        self._stderr: deque[str] = deque(maxlen=STDERR_LINES)
        self._stderr_rest = b""
        self._open = {0, 1, 2}  # its pipes that were not closed
        self._exited: asyncio.Future[None] = loop.create_future()
        self._drained: asyncio.Future[None] = loop.create_future()
        self._closed: asyncio.Future[None] = loop.create_future()
        self._guard = self._kill_at_loop_end()

    async def start(self) -> None:
        """Start the program. Raises EngineStartError when that is not possible."""
        _kill_abandoned(all_loops=False)
        try:
            await self.loop.subprocess_exec(
                lambda: self,
                *self.command,
                cwd=self._cwd or None,
                env={**os.environ, **self._env} if self._env else None,
                # In a group of its own, a terminal's Ctrl-C reaches us alone, and we end the engine in order.
                start_new_session=os.name == "posix",
                creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
            )
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            if self._cwd and not Path(self._cwd).is_dir():  # noqa: ASYNC240 - a failure may take its time
                reason = f"there is no folder {self._cwd} to start it in"
            raise EngineStartError(
                f"{self.name} cannot be started ({' '.join(self.command)}): {reason}", engine=self.name
            ) from None
        # asyncio runs this generator's end when the loop shuts down
        await anext(self._guard)
        logger.info("%s started: %s", self.name, " ".join(self.command))

    def write(self, data: bytes) -> None:
        """Send bytes without ever blocking. What a dead engine cannot take is dropped: its end is reported by
        the end of its output."""
        if self._record is not None and data:
            self._record(time.monotonic() - self._started_at, ">", data)
        pipe = self._input
        if not pipe.is_closing() and pipe.get_write_buffer_size() < MAX_PENDING:
            pipe.write(data)

    def close_input(self) -> None:
        """End its standard input once what was written has gone out."""
        self._input.close()

    def pause_reading(self) -> None:
        """Let the engine wait with its output until `resume_reading`."""
        if 1 in self._open:
            self._output.pause_reading()

    def resume_reading(self) -> None:
        """Take its output again."""
        if 1 in self._open:
            self._output.resume_reading()

    def stderr_tail(self) -> tuple[str, ...]:
        """The last lines of its standard error."""
        rest = self._stderr_rest.decode("utf-8", "replace").strip()
        return (*self._stderr, rest) if rest else tuple(self._stderr)

    async def wait_exit(self, seconds: float) -> int | None:
        """Wait until the process has exited and its output was read; its exit status, None after the time."""
        await asyncio.wait((self._exited,), timeout=seconds)
        if self.exit_status is not None:
            await asyncio.wait((self._drained,), timeout=AFTER_EXIT)
        return self.exit_status

    async def end(self, *, polite: bool, grace: float) -> int | None:
        """End the process; its exit status, None if even a kill did not end it.

        It has `grace` seconds to leave when it has been asked to (`polite`), then it gets SIGTERM, then
        SIGKILL. Children that stayed in its group end with it. Cancelled, it kills at once.
        """
        self.ending = True
        try:
            status = await self.wait_exit(grace) if polite else self.exit_status
            self._input.close()
            if status is None:
                self._signal(_TERMINATE)
                status = await self.wait_exit(min(grace, 1.0))
            self.kill()
            status = await self.wait_exit(AFTER_KILL)
        finally:
            # also where this was cancelled
            self.kill()
            await self._close()
        self.note_end("told to end" if not polite else "killed" if status in _FORCED else None)
        return status

    def kill(self) -> None:
        """Kill the process and its group at once, without waiting."""
        self._signal(_KILL)

    def abandon(self) -> None:
        """The last resort, for when no event loop is left to run `end`."""
        self.kill()
        _running.discard(self)
        # a closed loop refuses to close them; what matters is that they do not complain later
        for transport in (*map(self._transport.get_pipe_transport, (0, 1, 2)), self._transport):
            with contextlib.suppress(RuntimeError):
                if transport is not None:
                    transport.close()

    def note_end(self, how: str | None = None) -> None:
        """Write into the record how the engine ended; only the first such note counts."""
        if how is None:
            how = "closed its output" if self.exit_status is None else describe_exit(self.exit_status)[2]
        if self._record is not None:
            self._record(time.monotonic() - self._started_at, "=", how.encode())

    # --- called by asyncio -------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The process runs."""
        self._transport = cast(asyncio.SubprocessTransport, transport)
        self._input = cast(asyncio.WriteTransport, self._transport.get_pipe_transport(0))
        self._output = cast(asyncio.ReadTransport, self._transport.get_pipe_transport(1))
        self.pid = self._transport.get_pid()
        _running.add(self)

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        """The engine printed something."""
        if fd == 2:
            *lines, rest = (self._stderr_rest + data).split(b"\n")
            self._stderr.extend(line[:STDERR_WIDTH].decode("utf-8", "replace").rstrip() for line in lines)
            self._stderr_rest = rest[:STDERR_WIDTH]
        elif self._on_end is not None:
            if self._record is not None:
                self._record(time.monotonic() - self._started_at, "<", data)
            self._on_output(data)

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        """One of its pipes was closed."""
        self._open.discard(fd)
        if fd == 1 and self._on_end is not None:
            self._end_output_soon()
        self._check_drained()

    def process_exited(self) -> None:
        """The process is gone; its pipes may still hold output."""
        self.exit_status = self._transport.get_returncode()
        logger.info("%s ended: %s", self.name, describe_exit(self.exit_status or 0)[2])
        self._exited.set_result(None)
        self._end_output_soon()
        self._check_drained()
        if not self._drained.done():
            self.loop.call_later(AFTER_EXIT, self._check_drained, True)

    def connection_lost(self, exc: Exception | None) -> None:
        """The process is gone and all its pipes are closed."""
        if not self._closed.done():
            self._closed.set_result(None)

    # --- inner -------------------------------------------------------------------------------------

    def _end_output_soon(self) -> None:
        if self.exit_status is not None and 1 not in self._open:
            self._end_output()
        else:
            self.loop.call_later(AFTER_EXIT, self._end_output)

    def _end_output(self) -> None:
        if (on_end := self._on_end) is not None:
            self._on_end = None
            if self._record is not None:
                self._record(time.monotonic() - self._started_at, "<", b"")
            on_end()

    def _check_drained(self, late: bool = False) -> None:
        if (late or (self.exit_status is not None and self._open <= {0})) and not self._drained.done():
            self._drained.set_result(None)

    async def _close(self) -> None:
        await self._close_transport()
        await self._guard.aclose()

    async def _close_transport(self) -> None:
        # after the exit: closed before, asyncio would reap the process beside its own child watcher
        await asyncio.wait((self._exited,), timeout=AFTER_KILL)
        _running.discard(self)
        if 0 in self._open:
            self._input.abort()
        self._transport.close()
        await asyncio.wait((self._closed,), timeout=AFTER_KILL)

    async def _kill_at_loop_end(self) -> AsyncGenerator[None, None]:
        try:
            yield
        finally:
            if not self._closed.done():
                # nobody is left to be notified
                self.ending, self._on_end = True, None
                self.kill()
                await self._close_transport()

    def _signal(self, number: int) -> None:
        # The group outlives its leader while children hold on: it is signalled even after the leader's end,
        # which is safe since a group's number is not given out again while it has members.
        if os.name == "posix":
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, number)
        elif self.exit_status is None:
            self._transport.send_signal(number)


def describe_exit(status: int) -> tuple[int | None, int | None, str]:
    """An exit status as (exit code, signal number, words)."""
    if status >= 0:
        return status, None, f"exit code {status}"
    try:
        name = signal.Signals(-status).name
    except ValueError:
        name = f"signal {-status}"
    return None, -status, name


def _logged(name: str, record: Recorder | None) -> Recorder:
    def log(seconds: float, sign: str, data: bytes) -> None:
        if record is not None:
            record(seconds, sign, data)
        for line in data.decode("utf-8", "replace").splitlines():
            logger.debug("%s %s %s", name, sign, line)

    return log
