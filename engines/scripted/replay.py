"""A recorded conversation repeated: each sent line is waited for and compared, each received one printed.

The text is that of `engines.transcript`; transcripts written by hand may leave the times out.

>>> [turn.text for turn in Script.parse("# a habit\\n> uci\\n0.25 < uciok").turns]
['uci', 'uciok']
"""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from engines.scripted.engine import lines
from engines.scripted.manner import Manner
from engines.scripted.mouth import Mouth

MISMATCH = 3  # exit code when something else was sent than the transcript says
_TURN = re.compile(r"(?:(?P<seconds>\d+(?:\.\d+)?) )?(?P<sign>[<>])(?: (?P<text>.*))?")
_ESCAPE = re.compile(rb"\\x([89a-f][0-9a-f])")


class ScriptError(ValueError):
    """A transcript that cannot be read; the text names its line."""


class Turn(NamedTuple):
    """One line of the talk: `sign` is `>` for one sent to the engine and `<` for one of its own, `seconds`
    when it went by (None where that was not written down), `number` its line in the file."""

    number: int
    seconds: float | None
    sign: str
    text: str

    def data(self) -> bytes:
        """The line as bytes; what the recorder wrote as \\xb7, not being UTF-8, is that byte again."""
        return _ESCAPE.sub(lambda match: bytes.fromhex(match[1].decode()), self.text.encode())


class Script(NamedTuple):
    """A transcript, read."""

    turns: Sequence[Turn]

    @classmethod
    def load(cls, path: str | Path) -> Script:
        """Reads a file. Raises OSError, and ScriptError for a line that is none of a transcript's."""
        return cls.parse(Path(path).read_text(encoding="utf-8"), str(path))

    @classmethod
    def parse(cls, text: str, name: str = "transcript") -> Script:
        """Reads a transcript's text. Raises ScriptError."""
        turns = []
        # not splitlines: an engine's line may hold a form feed or the like
        for number, line in enumerate(text.split("\n"), 1):
            if not line.strip() or line.startswith("#"):
                continue
            match = _TURN.fullmatch(line)
            if match is None:
                raise ScriptError(
                    f"{name}, line {number}: {line[:60]!r} is neither `> sent` nor `< received`"
                )
            seconds = float(match["seconds"]) if match["seconds"] else None
            turns.append(Turn(number, seconds, match["sign"], match["text"] or ""))
        return cls(tuple(turns))


def replay(script: Script, manner: Manner, *, timed: bool) -> int:
    """Plays the engine's part; returns the exit code. Of the manner only the way of writing counts."""
    mouth = Mouth(manner.filters, manner.pieces)
    heard = lines()
    asked_at, now_at = 0.0, time.monotonic()
    try:
        for turn in script.turns:
            if turn.sign == ">":
                line = next(heard, None)
                if line is None or (line == "quit" and turn.text != "quit"):
                    return 0
                if line != turn.text:
                    where = f"line {turn.number} of the transcript"
                    sys.stderr.write(f"scripted: {where}: expected {turn.text!r}, got {line!r}\n")
                    return MISMATCH
                asked_at, now_at = turn.seconds or asked_at, time.monotonic()
            else:
                if timed and turn.seconds is not None:
                    time.sleep(max(now_at + turn.seconds - asked_at - time.monotonic(), 0.0))
                mouth.say(turn.data())
        if script.turns and not _said_goodbye(script.turns):
            _wait_for_quit(heard)
    except BrokenPipeError:
        # nobody reads any more
        return 0
    return 0


def _said_goodbye(turns: Sequence[Turn]) -> bool:
    return any(turn.sign == ">" and turn.text == "quit" for turn in turns)


def _wait_for_quit(heard: Iterator[str]) -> None:
    for line in heard:
        if line == "quit":
            return
