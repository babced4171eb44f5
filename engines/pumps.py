"""The threads between an engine's pipes and us: one that polls all three pipes, or, where pipes cannot be
polled (Windows), one thread a pipe."""

from __future__ import annotations

import contextlib
import os
import select
import subprocess
import threading
import time
from collections.abc import Callable
from queue import SimpleQueue
from typing import IO, Protocol

from engines.ear import Ear

CHUNK = 1 << 16
TICK_MS = 250  # how soon an engine's end is noticed when a child of it still holds its pipes
LAST_WORDS = 0.2  # seconds granted to output that was on its way when the process ended
MOST_REST = 4  # chunks that are read once we were closed; a pipe holds one
MAX_PENDING = 16 << 20  # bytes an engine may leave unread before what we send it is dropped


class Pump(Protocol):
    """What moves the bytes."""

    @property
    def alive(self) -> bool:
        """Whether a thread of it still runs."""

    def write(self, data: bytes) -> None:
        """Sends bytes, never blocking the caller."""

    def close_input(self) -> None:
        """Closes the engine's standard input once what was written has gone out."""

    def close(self) -> None:
        """Lets the threads end and the pipes close; the process must have ended."""


class PollPump:
    """One thread for all three pipes of an engine, by poll(2)."""

    def __init__(
        self,
        popen: subprocess.Popen[bytes],
        on_output: Callable[[bytes], float | None],
        on_stderr: Callable[[bytes], None],
        on_quiet: Callable[[], None] = lambda: None,
        ear: Ear | None = None,
    ) -> None:
        assert popen.stdin is not None
        assert popen.stdout is not None
        assert popen.stderr is not None
        self._popen = popen
        self._in = popen.stdin
        self._stdin, self._stdout = popen.stdin.fileno(), popen.stdout.fileno()
        self._stderr = popen.stderr.fileno()
        self._on_output, self._on_stderr, self._on_quiet = on_output, on_stderr, on_quiet
        self._pending = bytearray()
        self._lock = threading.Lock()
        self._closing = False
        self._input_open = True
        self._input_closing = False
        os.set_blocking(self._stdin, False)
        self._wake_read, self._wake_write = os.pipe()
        self._ear = ear  # what listens to standard output in our place
        if ear is not None:
            ear.on_close = self._take_back
        self._thread = threading.Thread(target=self._run, name=f"engine-{popen.pid}", daemon=True)
        try:
            self._thread.start()
        except RuntimeError:
            os.close(self._wake_read)
            os.close(self._wake_write)
            self._wake_write = -1
            raise

    @property
    def alive(self) -> bool:
        return self._thread.is_alive()

    def write(self, data: bytes) -> None:
        with self._lock:
            if not self._input_open or self._input_closing:
                return
            if self._pending:
                if len(self._pending) < MAX_PENDING:
                    self._pending += data
                return
            try:
                sent = os.write(self._stdin, data)
            except BlockingIOError:
                sent = 0
            except OSError:
                # the engine closed its input or died; the end of its output tells
                return
            if sent < len(data):
                self._pending += data[sent:]
                self._wake()

    def close_input(self) -> None:
        with self._lock:
            self._input_closing = True
            if not self._pending:
                self._shut_input()

    def close(self) -> None:
        self._closing = True
        with self._lock:
            self._wake()

    def _take_back(self) -> None:
        # on the event loop: standard output is the thread's, or, where that is over, nobody's
        with self._lock:
            self._ear = None
            self._wake()
            over = self._wake_write < 0
        if over and self._popen.stdout is not None:
            self._popen.stdout.close()

    def _wake(self) -> None:
        if self._wake_write >= 0:
            os.write(self._wake_write, b"w")

    def _shut_input(self) -> None:
        if self._input_open:
            self._input_open = False
            with contextlib.suppress(OSError):
                self._in.close()

    def _run(self) -> None:
        poll = select.poll()
        for fd in (self._wake_read, self._stderr):
            poll.register(fd, select.POLLIN)
        lent, dismissed = True, False  # standard output, to the ear, until that gives it back
        open_outs = {self._stdout, self._stderr}
        said = [(self._stdout, select.POLLIN)]  # what mostly comes, and by itself
        writing = False
        patience: float | None = None
        quiet_at = 0.0  # when that runs out, whatever comes on standard error meanwhile
        ended = drained = False  # the process; what it had said before its end
        look_at = time.monotonic() + TICK_MS / 1000
        try:
            while self._stdout in open_outs and not self._closing:
                if lent and self._ear is None:
                    lent = False
                    poll.register(self._stdout, select.POLLIN)
                over = ended and not lent
                ready = poll.poll(0 if over else TICK_MS if patience is None else patience * 1000)
                now = time.monotonic()
                quick = ready == said and now < look_at and not (ended or writing or self._pending)
                if quick and (data := self._read(self._stdout)):
                    patience = self._on_output(data)
                    quiet_at = now + (patience or 0.0)
                    continue
                if patience is not None and now >= quiet_at and said[0] not in ready:
                    patience = None
                    self._on_quiet()
                elif over and (not ready or (drained and now >= look_at)):
                    # Somebody, a child of the process, keeps its output open, or goes on writing. What it had
                    # said itself, perhaps between a wait and the look at its end, has been read by now: no
                    # pipe holds more than a chunk.
                    break
                elif not ended and (not ready or now >= look_at):
                    ended, look_at = self._popen.poll() is not None, now + TICK_MS / 1000
                    ear = self._ear
                    if ear is not None and not dismissed and (ended or ear.deserted):
                        # a child of the process may hold its output open: no end of it would be heard
                        dismissed = True
                        ear.dismiss()
                for fd, _ in ready:
                    if fd in open_outs:
                        data = self._read(fd)
                        if not data:
                            open_outs.discard(fd)
                            poll.unregister(fd)
                        elif fd == self._stdout:
                            drained = ended
                            patience = self._on_output(data)
                            quiet_at = now + (patience or 0.0)
                        else:
                            self._on_stderr(data)
                    elif fd == self._wake_read:
                        os.read(fd, CHUNK)
                    else:
                        self._flush()
                if not (self._pending or writing):
                    # what is left over from now on is told by a wake-up
                    continue
                with self._lock:
                    if bool(self._pending and self._input_open) != writing:
                        writing = not writing
                        if writing:
                            poll.register(self._stdin, select.POLLOUT)
                        else:
                            # also once it is closed, or polling would return at once for ever
                            poll.unregister(self._stdin)
        finally:
            if writing:
                poll.unregister(self._stdin)
            if self._stdout in open_outs and self._ear is None:
                self._read_rest()
            self._on_output(b"")
            if self._stderr in open_outs:
                self._linger(poll)
            self._finish()

    def _read(self, fd: int) -> bytes:
        try:
            return os.read(fd, CHUNK)
        except OSError:
            return b""

    def _read_rest(self) -> None:
        # we were closed: what the process had said lies in the pipe, whatever a child of it says on
        rest = select.poll()
        rest.register(self._stdout, select.POLLIN)
        for _ in range(MOST_REST):
            if not rest.poll(0) or not (data := self._read(self._stdout)):
                return
            self._on_output(data)

    def _flush(self) -> None:
        with self._lock:
            if not (self._pending and self._input_open):
                return
            try:
                sent = os.write(self._stdin, self._pending)
            except BlockingIOError:
                return
            except OSError:
                sent = len(self._pending)
            del self._pending[:sent]
            if self._input_closing and not self._pending:
                self._shut_input()

    def _linger(self, poll: select.poll) -> None:
        # Standard output has ended; standard error is read on until it ends too or we are closed.
        while not self._closing:
            for fd, _ in poll.poll(TICK_MS):
                if fd == self._stderr:
                    data = self._read(fd)
                    if not data:
                        return
                    self._on_stderr(data)
                elif fd == self._wake_read:
                    os.read(fd, CHUNK)
            if self._popen.returncode is not None:
                return

    def _finish(self) -> None:
        with self._lock:
            self._shut_input()
            os.close(self._wake_read)
            os.close(self._wake_write)
            self._wake_write = -1
            lent = self._ear is not None
        for stream in (self._popen.stdout, self._popen.stderr):
            if stream is not None and not (lent and stream is self._popen.stdout):
                stream.close()


class ThreadPump:
    """A thread for each pipe, with blocking calls: where pipes cannot be polled. One more waits for the
    process's end, since a child of it may keep the pipes open; who still listens then is left behind."""

    def __init__(
        self,
        popen: subprocess.Popen[bytes],
        on_output: Callable[[bytes], float | None],
        on_stderr: Callable[[bytes], None],
        on_quiet: Callable[[], None] = lambda: None,
        ear: Ear | None = None,
    ) -> None:
        assert popen.stdin is not None
        assert popen.stdout is not None
        assert popen.stderr is not None
        if ear is not None:
            # a thread that waits for the pipe hears as soon
            ear.close()
        self._popen = popen
        self._on_output, self._on_quiet = on_output, on_quiet
        self._queue: SimpleQueue[bytes | None] = SimpleQueue()
        self._queued = 0
        self._lock = threading.Lock()
        self._told = False
        self._threads = (
            self._start(self._listen, popen.stdout, self._hear, self._tell_end),
            self._start(self._listen, popen.stderr, on_stderr, lambda: None),
            self._start(self._speak, popen.stdin),
        )
        self._watcher = self._start(self._watch)

    @property
    def alive(self) -> bool:
        return self._watcher.is_alive()

    def write(self, data: bytes) -> None:
        with self._lock:
            if self._queued < MAX_PENDING:
                self._queued += len(data)
                self._queue.put(data)

    def close_input(self) -> None:
        self._queue.put(None)

    def close(self) -> None:
        self._queue.put(None)

    def _start(self, target: Callable[..., None], *arguments: object) -> threading.Thread:
        thread = threading.Thread(
            target=target, args=arguments, name=f"engine-{self._popen.pid}", daemon=True
        )
        thread.start()
        return thread

    def _listen(self, pipe: IO[bytes], hear: Callable[[bytes], None], end: Callable[[], None]) -> None:
        with pipe:
            while True:
                try:
                    data = os.read(pipe.fileno(), CHUNK)
                except OSError:
                    break
                if not data:
                    break
                hear(data)
        end()

    def _hear(self, data: bytes) -> None:
        if not self._told and self._on_output(data) is not None:
            # a blocking call cannot be timed
            self._on_quiet()

    def _tell_end(self) -> None:
        with self._lock:
            told, self._told = self._told, True
        if not told:
            self._on_output(b"")

    def _speak(self, pipe: IO[bytes]) -> None:
        while (data := self._queue.get()) is not None:
            with self._lock:
                self._queued -= len(data)
            try:
                view = memoryview(data)
                while view:
                    view = view[os.write(pipe.fileno(), view) :]
            except OSError:
                # the engine closed its input or died; the end of its output tells
                break
        with contextlib.suppress(OSError):
            pipe.close()

    def _watch(self) -> None:
        self._popen.wait()
        self._queue.put(None)
        end = time.monotonic() + LAST_WORDS
        for thread in self._threads:
            thread.join(max(end - time.monotonic(), 0.0))
        self._tell_end()


def start_pump(
    popen: subprocess.Popen[bytes],
    on_output: Callable[[bytes], float | None],
    on_stderr: Callable[[bytes], None],
    on_quiet: Callable[[], None] = lambda: None,
    ear: Ear | None = None,
) -> Pump:
    """The pump that suits the platform, running. Where an `ear` listens to standard output, the pump does
    once the ear was closed."""
    kind: type[PollPump] | type[ThreadPump] = PollPump if hasattr(select, "poll") else ThreadPump
    return kind(popen, on_output, on_stderr, on_quiet, ear)
