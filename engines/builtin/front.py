"""What every protocol front shares: a reader thread, a queue of commands, and lines out.

Commands are done one after another on the main thread, a search included. Only what must work during a
search is heard at once on the reader thread: `stop`, the answer to a ping, a ponder hit, the end.
"""

from __future__ import annotations

import os
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from typing import ClassVar

from engines.builtin.clock import Cue

CHUNK = 65_536


class Front:
    """A protocol over standard input and output; a subclass names its words in the tables below.

    `commands` are done in order. `urgent` are heard at once; one that returns False asks to be queued
    behind the others after all (its entry in `commands` does it then). `searches` are the commands that
    start a search and get a fresh `Cue`, `end` is the one that ends the program, `bye` what is said then.
    """

    commands: ClassVar[Mapping[str, Callable[..., None]]]
    urgent: ClassVar[Mapping[str, Callable[..., bool]]]
    searches: ClassVar[frozenset[str]]
    end: ClassVar[str]
    bye: ClassVar[tuple[str, ...]] = ()

    def __init__(self) -> None:
        self.cue = Cue()  # of the search that runs, or ran last
        self._queue: deque[tuple[str, list[str], Cue | None]] = deque()
        self._cues: list[Cue] = []  # of the searches asked for and not finished
        self._filled = threading.Condition()
        self._out = threading.Lock()

    def run(self) -> int:
        """Serves until the end of input; returns the exit code."""
        # A daemon, because it may sit in a read that nothing but the other side can end.
        threading.Thread(target=self._listen, name="reader", daemon=True).start()
        try:
            while True:
                with self._filled:
                    while not self._queue:
                        self._filled.wait()
                    word, rest, cue = self._queue.popleft()
                if word == self.end:
                    self.tell(*self.bye)
                    return 0
                if cue is not None:
                    self.cue = cue
                self.commands[word](self, rest)
                if cue is not None:
                    with self._filled:
                        self._cues.remove(cue)
        except BrokenPipeError:
            return 0
        except KeyboardInterrupt:
            return 130

    def tell(self, *lines: str) -> None:
        """Writes lines, whole and together. Raises BrokenPipeError where nobody reads any more."""
        text = "".join(f"{line}\n" for line in lines)
        with self._out:
            try:
                sys.stdout.buffer.write(text.encode())
                sys.stdout.buffer.flush()
            except BrokenPipeError:
                # Or the interpreter would flush into the closed pipe once more on its way out.
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
                raise

    def searching(self) -> bool:
        """Whether a search runs or is waiting in the queue."""
        return bool(self._cues)

    def outstanding(self) -> tuple[Cue, ...]:
        """The cues of the searches asked for and not finished, the running one first."""
        with self._filled:
            return tuple(self._cues)

    def _listen(self) -> None:
        at_once = True
        try:
            for line in _lines():
                if not self._hear(line.split()):
                    break
            else:
                at_once = False  # nobody asked to end: what was said before is still done
        except BrokenPipeError:
            pass
        self._finish(at_once)

    def _hear(self, words: list[str]) -> bool:
        """Takes one line; returns False when it was the last."""
        # UCI: an unknown word is passed over and the rest of the line tried.
        while (
            words and words[0] not in self.commands and words[0] not in self.urgent and words[0] != self.end
        ):
            del words[0]
        if not words:
            return True
        word, *rest = words
        if word == self.end:
            return False
        if word in self.urgent and self.urgent[word](self, rest):
            return True
        if word in self.commands:
            cue = Cue() if word in self.searches else None
            with self._filled:
                if cue is not None:
                    self._cues.append(cue)
                self._queue.append((word, rest, cue))
                self._filled.notify()
        return True

    def _finish(self, at_once: bool) -> None:
        """Ends the searches, those that wait with their first move; `at_once` drops all that waits."""
        with self._filled:
            if at_once:
                self._queue.clear()
            self._queue.append((self.end, [], None))
            for cue in self._cues:
                cue.stop()
            self._filled.notify()


def _lines() -> Iterator[str]:
    """The lines of standard input. Read from the descriptor itself: a buffered reader is locked while it
    waits, and an interpreter that ends meanwhile would abort."""
    pending = b""
    while chunk := os.read(0, CHUNK):
        *whole, pending = (pending + chunk).split(b"\n")
        for line in whole:
            yield line.decode("utf-8", "replace")
    if pending:
        yield pending.decode("utf-8", "replace")
