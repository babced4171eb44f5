"""How long a search may run, as the caller asks; `engines.search` decides who enforces which bound."""

from __future__ import annotations

import msgspec

from engines.errors import LimitError

LONGEST = 10_000_000  # seconds, over 115 days: what is longer was meant in milliseconds
_WHOLE = ("depth", "nodes", "mate", "wtime", "btime", "winc", "binc", "movestogo")


class Limit(msgspec.Struct, frozen=True, kw_only=True):
    """One search's bounds; at least one must be given unless `infinite`.

    `depth` in plies, `nodes` in positions, `seconds` of wall time, `mate` in moves; the clock
    (`wtime btime winc binc`) in milliseconds, `movestogo` in moves. `searchmoves` restricts the search to
    these canonical moves, `banmoves` leaves them out.

    Raises LimitError for what is no number, for a negative or zero bound, for clocks without the mover's
    time, and for `infinite` beside another bound.
    """

    depth: int | None = None
    nodes: int | None = None
    seconds: float | None = None
    mate: int | None = None
    infinite: bool = False
    wtime: int | None = None
    btime: int | None = None
    winc: int | None = None
    binc: int | None = None
    movestogo: int | None = None
    searchmoves: tuple[str, ...] | None = None
    banmoves: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        for name in _WHOLE:
            value = getattr(self, name)
            if value is not None and (isinstance(value, bool) or not isinstance(value, int)):
                raise LimitError(f"{name} is {value!r}; it must be a whole number")
        if self.seconds is not None and (
            isinstance(self.seconds, bool) or not isinstance(self.seconds, (int, float))
        ):
            raise LimitError(f"seconds is {self.seconds!r}; it must be a number")
        for name in ("depth", "nodes", "seconds", "mate", "movestogo"):
            value = getattr(self, name)
            # `not value > 0` also refuses a NaN
            if value is not None and not value > 0:
                raise LimitError(f"{name} is {value}; it must be more than 0")
        for name in ("wtime", "btime", "winc", "binc"):
            value = getattr(self, name)
            if value is not None and value < 0:
                raise LimitError(f"{name} is {value}; a clock cannot be negative")
        if self.seconds is not None and self.seconds > LONGEST:
            raise LimitError(f"seconds is {self.seconds:g}; that is over 115 days (milliseconds?)")
        if self.infinite and (self.bounded or self.clocked):
            raise LimitError("infinite goes with no other limit; give one or the other")
        if self.clocked and (self.wtime is None or self.btime is None):
            raise LimitError("a clock needs both wtime and btime (milliseconds)")
        if not (self.infinite or self.bounded or self.clocked):
            raise LimitError("no limit given: use depth, nodes, seconds, mate, wtime and btime, or infinite")

    @property
    def bounded(self) -> bool:
        """Whether depth, nodes, seconds or mate is set."""
        return any(value is not None for value in (self.depth, self.nodes, self.seconds, self.mate))

    @property
    def clocked(self) -> bool:
        """Whether any clock word is set."""
        words = (self.wtime, self.btime, self.winc, self.binc, self.movestogo)
        return any(value is not None for value in words)
