"""One engine's process: started, listened to, and always ended and reaped.

A thread reads the engine's standard error, and its output where the event loop does not (`engines.ear`); what
is read goes to a callback. A write that the engine does not take at once is left to the thread as well.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from engines.ear import Ear, Listener
from engines.errors import EngineStartError
from engines.pumps import Pump, start_pump

STDERR_LINES = 40  # lines of standard error kept for error messages
STDERR_WIDTH = 500
AFTER_KILL = 5.0  # seconds until a killed process must be gone; only a stuck kernel call takes longer


class EngineProcess:
    """A running engine program.

    `on_output` is called on the listening thread with bytes as they come, and with b"" once at the end of
    the output. Where it returns a number of seconds, `on_quiet` is called on that thread when nothing comes
    for so long. With `on_loop` the running event loop listens, if it can (`lent`): that one is called on it
    in place of these two, but for what is left at the end and the end itself; broken off in the midst of it,
    the process is killed. Raises EngineStartError when the program cannot be started.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        on_output: Callable[[bytes], float | None],
        on_quiet: Callable[[], None] = lambda: None,
        on_loop: Listener | None = None,
        cwd: str | Path | None = None,
        env: Mapping[str, str] | None = None,
        name: str = "",
    ) -> None:
        self.command = tuple(command)
        self.name = name or Path(self.command[0]).name
        self._stderr: deque[str] = deque(maxlen=STDERR_LINES)
        self._stderr_rest = b""
        try:
            self._popen: subprocess.Popen[bytes] = subprocess.Popen(
                self.command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                cwd=cwd or None,
                env={**os.environ, **env} if env else None,
                # In a group of its own, a terminal's Ctrl-C reaches us alone, and we end the engine in order.
                start_new_session=os.name == "posix",
                creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
            )
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            if cwd and not Path(cwd).is_dir():
                reason = f"there is no folder {cwd} to start it in"
            raise EngineStartError(
                f"{self.name} cannot be started ({' '.join(self.command)}): {reason}", engine=self.name
            ) from None
        self._ear: Ear | None = None
        try:
            self._ear = self._lend(on_loop)
            self._pump: Pump = start_pump(self._popen, on_output, self._take_stderr, on_quiet, self._ear)
        except BaseException as error:
            self._undo()
            if not isinstance(error, OSError | RuntimeError):
                raise
            raise EngineStartError(f"{self.name} cannot be listened to: {error}", engine=self.name) from None

    def _lend(self, listener: Listener | None) -> Ear | None:
        if listener is None or self._popen.stdout is None:
            return None
        try:
            return Ear(self._popen.stdout.fileno(), listener, self.kill)
        except NotImplementedError:
            return None

    def _undo(self) -> None:
        # it was started, and is not listened to: no thread could be started, or we were interrupted
        if self._ear is not None:
            self._ear.close()
        self.kill()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._popen.wait(AFTER_KILL)
        for pipe in (self._popen.stdin, self._popen.stdout, self._popen.stderr):
            if pipe is not None:
                pipe.close()

    @property
    def lent(self) -> bool:
        """Whether the event loop listens to its output, up to what is left at the end."""
        return self._ear is not None

    @property
    def pid(self) -> int:
        """The process's number."""
        return self._popen.pid

    def write(self, data: bytes) -> None:
        """Sends bytes without ever blocking. What a dead engine cannot take is dropped: its end is told
        by the end of its output."""
        if data:
            self._pump.write(data)

    def close_input(self) -> None:
        """Ends its standard input once what was written has gone out; nothing can be sent afterwards."""
        self._pump.close_input()

    def exit_status(self) -> int | None:
        """The exit code, a signal's number negated, or None while it runs. Reaps a process that has ended."""
        return self._popen.poll()

    def stderr_tail(self) -> tuple[str, ...]:
        """The last lines of its standard error."""
        rest = self._stderr_rest.decode("utf-8", "replace").strip()
        return (*self._stderr, rest) if rest else tuple(self._stderr)

    async def wait_exit(self, seconds: float) -> int | None:
        """Waits until the process has ended, at most so long; its exit status or None."""
        loop = asyncio.get_running_loop()
        end = loop.time() + seconds
        pause = 0.001
        while (status := self.exit_status()) is None and loop.time() < end:
            await asyncio.sleep(min(pause, max(end - loop.time(), 0.0005)))
            pause = min(pause * 1.5, 0.02)
        return status

    async def wait_last_words(self, seconds: float) -> None:
        """Waits, at most so long, until all that an ended process had printed has been read."""
        loop = asyncio.get_running_loop()
        end = loop.time() + seconds
        while self._pump.alive and loop.time() < end:  # noqa: ASYNC110 - a thread cannot be awaited
            await asyncio.sleep(0.002)

    async def end(self, *, polite: bool, grace: float) -> int | None:
        """Ends the process: granted `grace` seconds to leave by itself when it has been asked to (`polite`),
        then SIGTERM, then SIGKILL; reaps it, its children that stayed in its group, its thread and its
        pipes. The exit status, None if even a kill did not end it. Cancelled, it kills and reaps at once."""
        try:
            status = await self._end(polite, grace)
            self._close()
            await self.wait_last_words(AFTER_KILL)
        except asyncio.CancelledError:
            self.kill_and_reap()
            raise
        return status

    async def _end(self, polite: bool, grace: float) -> int | None:
        status = await self.wait_exit(grace) if polite else self.exit_status()
        self._pump.close_input()
        if status is None:
            self._signal(_TERMINATE)
            status = await self.wait_exit(min(grace, 1.0))
        self.kill()
        return status if status is not None else await self.wait_exit(AFTER_KILL)

    def kill(self) -> None:
        """Kills the process and its group at once, without waiting. Safe from any thread and at exit."""
        self._signal(_KILL)

    def kill_and_reap(self) -> None:
        """The blocking last resort, for when no event loop is left to run `end`."""
        self.kill()
        try:
            self._popen.wait(AFTER_KILL)
        except subprocess.TimeoutExpired:
            return
        self._close()

    def _close(self) -> None:
        if self._ear is not None:
            self._ear.close()
        self._pump.close()

    def _signal(self, number: int) -> None:
        # The group outlives its leader while children hold on: it is signalled even after the leader's end,
        # which is safe since a group's number is not given out again while it has members.
        if os.name == "posix":
            try:
                os.killpg(self._popen.pid, number)
            except (ProcessLookupError, PermissionError):
                return
        elif self.exit_status() is None:
            self._popen.kill() if number == _KILL else self._popen.terminate()

    def _take_stderr(self, data: bytes) -> None:
        *lines, rest = (self._stderr_rest + data).split(b"\n")
        self._stderr.extend(line[:STDERR_WIDTH].decode("utf-8", "replace").rstrip() for line in lines)
        self._stderr_rest = rest[:STDERR_WIDTH]


_TERMINATE = signal.SIGTERM
_KILL = signal.SIGTERM if sys.platform == "win32" else signal.SIGKILL
