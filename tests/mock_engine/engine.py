"""The mock engine at work: one thread that listens, one that does what the manner says."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterator
from functools import lru_cache
from queue import Empty, SimpleQueue
from typing import NoReturn

from tests.mock_engine.behaviour import END, START, Behaviour, MockProtocol
from tests.mock_engine.output import OutputWriter, whole

CHUNK = 65_536
VIOLATION = 70  # exit code of a strict engine that was spoken to out of turn
_IN_SEARCH = frozenset(("stop", "ponderhit", "isready", "quit", END, "debug"))
_FLOOD_LINES = 200  # lines of a flood between two looks at the input


class MockEngine:
    """An engine that speaks `protocol` in the given manner until it is told to quit or its input ends."""

    def __init__(self, protocol: MockProtocol, manner: Behaviour) -> None:
        self.protocol = protocol
        self.manner = manner
        # what happens between two lines is seen outside: only where nothing can may they leave together
        together = not manner.after and manner.pieces is whole
        self.mouth = OutputWriter(manner.filters, manner.pieces, holds=together)
        self.flooding = False
        self.muted = False
        self.position = ""  # what followed the word in the last `position` line
        self.hoard: list[bytes] = []
        self._heard: SimpleQueue[str] = SimpleQueue()
        self._greeted = False
        self._searching = False
        self._due: float | None = None  # when the search ends by itself
        self._over = False
        self._acting = False
        self._flooded = 0
        self._answers = {
            protocol.hello: self._on_hello,
            "isready": lambda line: self.say("readyok"),
            "position": self._on_position,
            "go": self._on_go,
            "stop": self._on_stop,
            "quit": self._on_quit,
            END: self._on_quit,
        }

    def run(self) -> int:
        """Serves until told to end; returns the exit code."""
        # A daemon: it may sit in a read that nothing but the other side can end.
        threading.Thread(target=self._listen, daemon=True).start()
        try:
            self._act(START)
            while not self._over:
                self._turn()
            self.mouth.release()
        except BrokenPipeError:
            # nobody reads any more
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 0

    def say(self, line: str) -> None:
        """Says one line, unless it is withheld, and does what is to be done after it."""
        word = line.partition(" ")[0]
        if self.muted or word in self.manner.withheld:
            return
        self.mouth.say(line)
        self._act(word)

    def fill(self, text: str) -> str:
        """A line of the manner with its places filled in."""
        manner = self.manner
        move = manner.moves.get(self.position, manner.move)
        return _filled(text, move, manner.ponder or "", self.protocol.score.format(manner.score))

    def _turn(self) -> None:
        if self._searching and self._due is not None and time.monotonic() >= self._due:
            self._finish()
        elif (line := self._hear()) is not None:
            self._take(line)
        elif self.flooding:
            for _ in range(_FLOOD_LINES):
                self._flooded += 1
                self.say(self.fill(f"info depth 20 multipv 1 {{score}} nodes {self._flooded} pv {{move}}"))

    def _hear(self) -> str | None:
        self.mouth.release()
        try:
            if self.flooding:
                return self._heard.get_nowait()
            wait = None if self._due is None else max(self._due - time.monotonic(), 0.0)
            return self._heard.get(timeout=wait)
        except Empty:
            return None

    def _take(self, line: str) -> None:
        word = line.partition(" ")[0]
        if self.manner.strict:
            self._judge(word, line)
        self._act(word)
        if word not in self.manner.ignored and word in self._answers:
            self._answers[word](line)

    def _judge(self, word: str, line: str) -> None:
        known = word in self._answers or word in self.protocol.silent
        if not known:
            self._object(f"{line!r} is no command")
        if self._searching and word not in _IN_SEARCH:
            self._object(f"{line!r} while it searches")
        if not self._greeted and word not in (self.protocol.hello, "quit", END):
            self._object(f"{line!r} before {self.protocol.greeted}")

    def _object(self, what: str) -> NoReturn:
        sys.stderr.write(f"scripted: against the protocol: {what}\n")
        sys.stderr.flush()
        os._exit(VIOLATION)

    def _act(self, word: str) -> None:
        # What an action says calls for no further action, or a line that follows itself would have no end.
        if self._acting:
            return
        self._acting = True
        try:
            for action in self.manner.after.get(word, ()):
                action(self)
        finally:
            self._acting = False

    def _on_hello(self, line: str) -> None:
        del line
        self.say(f"id name {self.manner.name}")
        self.say("id author nobody")
        for option in (*self.protocol.options, *self.manner.options):
            self.say(f"option {option}")
        self._greeted = True
        self.say(self.protocol.greeted)

    def _on_position(self, line: str) -> None:
        self.position = line.partition(" ")[2]

    def _on_go(self, line: str) -> None:
        words = line.split()
        manner = self.manner
        self._searching = True
        endless = manner.endless or "infinite" in words or "ponder" in words
        seconds = manner.think
        if "movetime" in words[:-1]:
            seconds = int(words[words.index("movetime") + 1]) / 1000
        self._due = None if endless and not manner.early else time.monotonic() + seconds + manner.late
        for info in manner.infos:
            self.say(self.fill(f"info {info}"))

    def _on_stop(self, line: str) -> None:
        del line
        if self._searching:
            self._due = time.monotonic() + self.manner.slow_stop

    def _on_quit(self, line: str) -> None:
        del line
        for word in self.protocol.bye:
            self.say(word)
        self._over = True

    def _finish(self) -> None:
        self._searching = self.flooding = False
        self._due = None
        for line in self.manner.answer:
            self.say(self.fill(line))

    def _listen(self) -> None:
        for line in lines():
            self._heard.put(line)
        self._heard.put(END)


@lru_cache(maxsize=64)
def _filled(text: str, move: str, ponder: str, score: str) -> str:
    # not str.format: a user's own line may hold any braces
    for place, word in (("{move}", move), ("{ponder}", ponder), ("{score}", score)):
        text = text.replace(place, word)
    return text.rstrip()


def lines() -> Iterator[str]:
    """The lines of standard input as text, without their ends."""
    for line in raw_lines():
        yield line.decode("utf-8", "replace")


def raw_lines() -> Iterator[bytes]:
    """The lines of standard input, without their ends; read from the descriptor, never ahead of need."""
    rest = b""
    while chunk := os.read(0, CHUNK):
        *whole, rest = (rest + chunk).split(b"\n")
        for line in whole:
            yield line.rstrip(b"\r")
    if rest:
        yield rest
