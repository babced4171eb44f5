"""When an engine found the solution: counted from its last change to the right move, not its first."""

from __future__ import annotations

import msgspec

from adapter.analysis import Line
from adapter.suite.case import Expected
from adapter.suite.verdict import right_line


class Found(msgspec.Struct, frozen=True):
    """Depth in plies, time in milliseconds and positions searched when it was found; None where untold."""

    depth: int | None = None
    ms: int | None = None
    nodes: int | None = None


class Trail:
    """Follows a search line by line. `found` is when the answer last became right, None while it is wrong;
    `heard` tells whether there was any report at all."""

    def __init__(self, expected: Expected) -> None:
        self.found: Found | None = None
        self.heard = False
        self._expected = expected
        self._last = Found()

    def see(self, line: Line) -> None:
        """Takes one report, in the order they came. Only the best line counts, whichever came last."""
        self.heard = True
        if line.multipv != 1:
            return
        right = right_line(self._expected, line)
        if right is None:
            return
        self._last = Found(line.depth, line.time_ms, line.nodes)
        if not right:
            self.found = None
        elif self.found is None:
            self.found = self._last

    def end(self, *, solved: bool) -> Found:
        """When the final answer was found; nothing for a case that is not solved.

        An engine that changes its mind with the best move itself has found it with its last report.
        """
        if not solved:
            return Found()
        return self.found or self._last
