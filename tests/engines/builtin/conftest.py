"""A conversation with the built-in engine as a real process, every wait with a deadline."""

from __future__ import annotations

import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
DEFAULTS = {"Hash": 32, "MultiPV": 1, "UCI_Chess960": "false", "UCI_Variant": "chess"}
UCCI_DEFAULTS = {"hashsize": 32, "usemillisec": "false"}
PATIENCE = 30.0  # seconds for what has no time of its own, on a slow and busy machine


class Talk:
    """One engine process; what it prints is collected by a thread, so that no read can hang a test."""

    def __init__(self, protocol: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "engines.builtin", protocol],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=ROOT,
        )
        self._received: queue.Queue[str] = queue.Queue()
        self._reader = threading.Thread(target=self._collect)
        self._reader.start()

    def _collect(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._received.put(line.decode().rstrip("\n"))

    def write(self, data: bytes) -> None:
        """Sends bytes as they are."""
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, *lines: str) -> None:
        """Sends lines."""
        self.write("".join(f"{line}\n" for line in lines).encode())

    def read_until(self, word: str, seconds: float = PATIENCE) -> list[str]:
        """The lines up to and with the first that begins with a word."""
        lines: list[str] = []
        end = time.monotonic() + seconds
        while not lines or lines[-1].split(maxsplit=1)[:1] != [word]:
            try:
                lines.append(self._received.get(timeout=max(0.0, end - time.monotonic())))
            except queue.Empty:
                pytest.fail(f"no {word} within {seconds} s, only {lines}")
        return lines

    def ask(self, *lines: str, word: str = "bestmove", seconds: float = PATIENCE) -> list[str]:
        """Sends lines and reads the answer."""
        self.send(*lines)
        return self.read_until(word, seconds)

    def settle(self) -> list[str]:
        """What is printed until everything sent so far is done, without the closing readyok."""
        return self.ask("isready", word="readyok")[:-1]

    def silent(self, word: str, seconds: float) -> list[str]:
        """The lines printed within a time, none of which begins with the word."""
        time.sleep(seconds)
        lines = [self._received.get_nowait() for _ in range(self._received.qsize())]
        assert not [line for line in lines if line.startswith(word)]
        return lines

    def ended(self) -> int:
        """The exit code, once input is at its end or `quit` was sent."""
        return self.process.wait(PATIENCE)

    def close(self) -> None:
        """Ends the process and its reader, whatever the test has left; nothing may be on its stderr."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        try:
            self.process.stdin.close()
            self.process.wait(PATIENCE)
        finally:
            self.process.kill()
            self.process.wait()
            self._reader.join()
            message = self.process.stderr.read().decode()
            self.process.stdout.close()
            self.process.stderr.close()
        assert message == ""


@pytest.fixture
def start() -> Iterator[Callable[..., Talk]]:
    """Starts engines that are ended with the test."""
    talks: list[Talk] = []

    def begin(protocol: str = "uci") -> Talk:
        talks.append(Talk(protocol))
        return talks[-1]

    yield begin
    for talk in talks:
        talk.close()


@pytest.fixture(scope="module")
def shared_uci() -> Iterator[Talk]:
    """One engine for a whole file: what one conversation leaves behind must not show in the next."""
    talk = Talk("uci")
    talk.ask("uci", word="uciok")
    yield talk
    talk.close()


@pytest.fixture(scope="module")
def shared_ucci() -> Iterator[Talk]:
    """The same over UCCI."""
    talk = Talk("ucci")
    talk.ask("ucci", word="ucciok")
    yield talk
    talk.close()


@pytest.fixture
def talk(shared_uci: Talk) -> Iterator[Talk]:
    """An engine at its starting position with its default options."""
    yield shared_uci
    shared_uci.send("stop", *(f"setoption name {name} value {value}" for name, value in DEFAULTS.items()))
    shared_uci.send("position startpos", "ucinewgame")
    shared_uci.settle()


@pytest.fixture
def ucci(shared_ucci: Talk) -> Iterator[Talk]:
    """An engine over UCCI, at its starting position with its default options."""
    yield shared_ucci
    settings = (f"setoption {name} {value}" for name, value in UCCI_DEFAULTS.items())
    shared_ucci.send("stop", *settings, "position startpos", "setoption newgame")
    shared_ucci.settle()
