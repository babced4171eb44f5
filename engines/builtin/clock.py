"""How long one search may think: the limits as any protocol can say them, and the clock that keeps them."""

from __future__ import annotations

import threading
import time
from typing import NamedTuple

# Where the game sends no move count, play as if this many moves had to be made in the time left.
MOVES_EXPECTED = 30
# A new iteration takes about as long as all before it together; beyond this share it would not end in time.
START_SHARE = 0.5
# How far one difficult move may go beyond its share of the clock.
STRETCH = 4
# The part of the time left that is never spent on one move.
RESERVE = 0.25


class Limits(NamedTuple):
    """The bounds of one search. Times are milliseconds of the side to move, `mate` counts moves."""

    depth: int | None = None
    nodes: int | None = None
    movetime: int | None = None
    mate: int | None = None
    time: int | None = None
    increment: int = 0
    moves_to_go: int | None = None
    infinite: bool = False
    ponder: bool = False
    searchmoves: tuple[str, ...] | None = None
    banmoves: tuple[str, ...] = ()


class Cue:
    """What the outside says to a search while it runs; written by the reader, polled by the search."""

    def __init__(self) -> None:
        self.started = time.monotonic()
        self.stopped = False
        self.hit_at: float | None = None
        self._wake = threading.Event()

    def stop(self) -> None:
        """Ends the search at once."""
        self.stopped = True
        self._wake.set()

    def hit(self) -> None:
        """The pondered move was played: the clock runs from now."""
        self.hit_at = time.monotonic()
        self._wake.set()

    def wait(self, limits: Limits) -> None:
        """Returns once the best move may be told: `infinite` waits for a stop, pondering also for a hit."""
        while not self.stopped and (limits.infinite or (limits.ponder and self.hit_at is None)):
            self._wake.wait()
            self._wake.clear()


class Clock:
    """Says when to begin nothing new (`enough`) and when to drop everything (`out`)."""

    def __init__(self, limits: Limits, cue: Cue, overhead_ms: int) -> None:
        self._limits = limits
        self._cue = cue
        self._soft, self._hard = _budget(limits, overhead_ms)

    def out(self) -> bool:
        """Whether the time is over, or the search was told to stop."""
        return self._cue.stopped or self._beyond(self._hard)

    def enough(self) -> bool:
        """Whether a further iteration should not begin."""
        return self._cue.stopped or self._beyond(self._soft)

    def _beyond(self, seconds: float | None) -> bool:
        if seconds is None:
            return False
        start: float | None = self._cue.started
        if self._limits.ponder:
            start = self._cue.hit_at  # until the hit it is the opponent's time that runs
        return start is not None and time.monotonic() - start >= seconds


def _budget(limits: Limits, overhead_ms: int) -> tuple[float | None, float | None]:
    """Seconds for the soft and the hard bound; None is no bound.

    The overhead pays for what happens between the last check and the opponent's clock; it never takes more
    than half of the time, so a tiny time is still thought in.
    """
    soft, hard = None, None
    if limits.time is not None:
        left = max(1.0, limits.time - min(overhead_ms, limits.time / 2))
        moves = max(1, limits.moves_to_go or MOVES_EXPECTED)
        share = min(left * (1 - RESERVE), left / moves + limits.increment * (1 - RESERVE))
        soft, hard = share * START_SHARE, min(left * (1 - RESERVE), share * STRETCH)
    if limits.movetime is not None:
        fixed = max(1.0, limits.movetime - min(overhead_ms, limits.movetime / 2))
        hard = fixed if hard is None else min(hard, fixed)
    return soft and soft / 1000, hard and hard / 1000
