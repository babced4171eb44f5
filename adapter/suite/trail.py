"""When an engine found the solution: counted from its last change to the right move, not its first."""

from __future__ import annotations

import msgspec

from adapter.position import Position
from adapter.suite.case import Expected
from adapter.suite.verdict import right_report
from engines.info import Info
from engines.protocols import Dialect


class FoundSolution(msgspec.Struct, frozen=True):
    """Depth in plies, time in milliseconds and positions searched when it was found; None where untold."""

    depth: int | None = None
    ms: int | None = None
    nodes: int | None = None


class SolutionTracker:
    """Follows a search. `found` is when the answer last became right, None while it is wrong.

    Reports are taken as the engine put them: what counts of a variation is its first move, and that of the
    final answer is checked elsewhere.
    """

    def __init__(self, expected: Expected, position: Position, dialect: Dialect) -> None:
        self.found: FoundSolution | None = None
        self._expected = expected
        self._position = position
        self._dialect = dialect
        self._last = FoundSolution()

    def see(self, info: Info) -> None:
        """Takes one report, in the order they came. Only the best line counts, whichever came last."""
        if not info.pv or info.multipv > 1:
            return
        right = right_report(self._expected, self._move(info.pv[0]), info.score)
        if right is None:
            return
        self._last = FoundSolution(info.depth, info.time_ms, info.nodes)
        if not right:
            self.found = None
        elif self.found is None:
            self.found = self._last

    def end(self, *, solved: bool) -> FoundSolution:
        """When the final answer was found; nothing for a case that is not solved.

        An engine that changes its mind with the best move itself has found it with its last report.
        """
        if not solved:
            return FoundSolution()
        return self.found or self._last

    def _move(self, word: str) -> str:
        try:
            return self._position.read_wire(word, self._dialect)
        except ValueError:
            return word
