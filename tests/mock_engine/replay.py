r"""A recorded conversation repeated: each sent line is waited for and compared, each received one printed,
the engine's end repeated.

The text is that of `engines.transcript`; transcripts written by hand may leave the times out, and a backslash
that begins no escape stands for itself.

>>> [turn.text for turn in Script.parse("# a habit\n> uci\n0.25 < uciok").turns]
['uci', 'uciok']
"""

from __future__ import annotations

import os
import re
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from tests.mock_engine.actions import close_output, end_by_signal
from tests.mock_engine.behaviour import Behaviour
from tests.mock_engine.engine import raw_lines
from tests.mock_engine.output import OutputWriter

CLOSED, KILLED = "closed its output", "killed"  # ends of an engine that went on running
MISMATCH = 3  # exit code when something else was sent than the transcript says
_TURN = re.compile(r"(?:(?P<seconds>\d+(?:\.\d+)?) )?(?P<sign>[<>=@])(?: (?P<text>.*))?", re.S)
_ESCAPE = re.compile(rb"\\([\\r\n]|x[0-9a-f]{2})")
_MEANT = {b"\\": b"\\", b"r": b"\r", b"\n": b""}
_END = re.compile(r"exit code (?P<code>\d+)|SIG(?P<name>[A-Z0-9]+)|signal (?P<number>\d+)")


class ScriptError(ValueError):
    """A transcript that cannot be read; the text names its line."""


class ReplayTurn(NamedTuple):
    """One line of the talk: `sign` is `>` for one sent to the engine, `<` for one of its own and `=` for its
    end, `seconds` when it went by (None where that was not written down), `number` its line in the file,
    `data` the bytes as they went by, `life` the engine's number among those of the file."""

    number: int
    seconds: float | None
    sign: str
    data: bytes
    life: int = 1

    @property
    def text(self) -> str:
        """The line for reading, without its end."""
        return self.data.decode("utf-8", "replace").removesuffix("\n").removesuffix("\r")


class ReplayScript(NamedTuple):
    """A transcript, read."""

    turns: Sequence[ReplayTurn]

    @classmethod
    def load(cls, path: str | Path) -> ReplayScript:
        """Reads a file. Raises OSError, and ScriptError for a line that is none of a transcript's."""
        # as it is: a carriage return within a line ends none
        with Path(path).open(encoding="utf-8-sig", newline="") as file:
            return cls.parse(file.read(), str(path))

    @classmethod
    def parse(cls, text: str, name: str = "transcript") -> ReplayScript:
        """Reads a transcript's text. Raises ScriptError."""
        turns = []
        life = 1
        # not splitlines: an engine's line may hold a form feed or the like
        for number, line in enumerate(text.split("\n"), 1):
            # an editor may have ended the file's own lines so; what went by is written \r
            line = line.removesuffix("\r")
            if not line.strip() or line.startswith("#"):
                continue
            match = _TURN.fullmatch(line)
            if match is None:
                raise ScriptError(
                    f"{name}, line {number}: {line[:60]!r} is neither `> sent` nor `< received`"
                )
            sign, said = match["sign"], match["text"] or ""
            if sign == "@":
                if not said.isdecimal():
                    raise ScriptError(f"{name}, line {number}: {said[:60]!r} is no engine's number")
                life = int(said)
                continue
            seconds = float(match["seconds"]) if match["seconds"] else None
            turns.append(ReplayTurn(number, seconds, sign, _read_escapes(said.encode()), life))
        return cls(tuple(turns))

    @property
    def lives(self) -> int:
        """How many engines, one started anew among them, it tells of."""
        return max((turn.life for turn in self.turns), default=0)

    def life(self, number: int) -> ReplayScript:
        """What it tells of one of them. Raises ScriptError."""
        if not 1 <= number <= max(self.lives, 1):
            raise ScriptError(f"the transcript has {self.lives} lives of engines, and no {number}th")
        return ReplayScript(tuple(turn for turn in self.turns if turn.life == number))


def replay(script: ReplayScript, manner: Behaviour, *, timed: bool) -> int:
    """Plays the part of an engine that lived once; returns the exit code. Of the manner only the way of
    writing counts."""
    mouth = OutputWriter(manner.filters, manner.pieces)
    heard = raw_lines()
    asked_at, now_at = 0.0, time.monotonic()
    told = False  # to quit
    try:
        for turn in script.turns:
            if turn.sign != ">" and timed and turn.seconds is not None:
                time.sleep(max(now_at + turn.seconds - asked_at - time.monotonic(), 0.0))
            if turn.sign == "<":
                mouth.put(turn.data)
            elif turn.sign == "=":
                if turn.text == CLOSED:
                    close_output()
                _end(turn.text)
                break
            else:
                line = next(heard, None)
                if line is None or (line == b"quit" and turn.text != "quit"):
                    return 0
                if line != turn.data.rstrip(b"\r\n"):
                    where = f"line {turn.number} of the transcript"
                    said = line.decode("utf-8", "backslashreplace")
                    sys.stderr.write(f"scripted: {where}: expected {turn.text!r}, got {said!r}\n")
                    return MISMATCH
                told = turn.text == "quit"
                asked_at, now_at = turn.seconds or asked_at, time.monotonic()
        if script.turns:
            _wait_for_the_end(script.turns[-1], heard, told=told)
    except BrokenPipeError:
        # nobody reads any more
        return 0
    return 0


def _read_escapes(text: bytes) -> bytes:
    r"""The bytes that were written down, with the line's end unless a backslash stands in its place.

    >>> _read_escapes(rb"C:\\x\xb7\r"), _read_escapes(b"half a li\\"), _read_escapes(rb"C:\books")
    (b'C:\\x\xb7\r\n', b'half a li', b'C:\\books\n')
    """
    return _ESCAPE.sub(lambda match: _meant(match[1]), text + b"\n")


def _meant(escape: bytes) -> bytes:
    return _MEANT[escape] if escape in _MEANT else bytes.fromhex(escape[1:].decode())


def _end(how: str) -> None:
    """Ends as the engine did, where it did so by itself."""
    match = _END.fullmatch(how)
    if match is None:
        return
    if match["code"]:
        os._exit(int(match["code"]))
    number = int(match["number"]) if match["number"] else getattr(signal, f"SIG{match['name']}", None)
    if number is None:
        # recorded on another system
        os._exit(1)
    end_by_signal(number)


def _wait_for_the_end(last: ReplayTurn, heard: Iterator[bytes], *, told: bool) -> None:
    """Lives on until it is told to quit or its input ends."""
    stays = last.sign == "=" and last.text in (CLOSED, KILLED)
    if told and not stays:
        return
    for line in heard:
        if line == b"quit" and not stays:
            return
