"""What came of one case with one engine: the line of a report, and of a saved run."""

from __future__ import annotations

from typing import Any

import msgspec

# The fields `fenwire suite --json` prints for a case, in this order.
PUBLIC = (
    "id", "engine", "fen", "expected", "best", "solved", "points", "solved_depth", "solved_ms", "note",
)  # fmt: skip


class CaseResult(msgspec.Struct, frozen=True, kw_only=True):
    """One case's outcome. `seat` and `section` count, from 0, the engine and the part of the run it was in.

    `best` is the engine's move, canonical, and `answer` what is shown of it; `asked` is what was expected,
    for people, and `expected` the same as JSON types. `points` of `max_points` are earned where moves have
    points. `limit` is what bounded the search, as the contract's JSON has it. `solved_depth` (plies),
    `solved_ms` (milliseconds) and `solved_nodes` tell when the engine last changed to what solves the case,
    null where it is not solved or nothing was reported. `score` (`{"cp": 35}`, `{"mate": 3}`) is from the
    side to move. `ms` is how long the case took, `fault` the kind of error where the engine failed, and
    `transcript` the file that holds the talk, where one was kept.
    """

    seat: int
    section: int
    id: str
    engine: str
    fen: str
    variant: str
    expected: dict[str, Any]
    asked: str
    best: str | None = None
    answer: str = ""
    score: dict[str, int] | None = None
    solved: bool = False
    points: int | None = None
    max_points: int | None = None
    limit: dict[str, Any] | None = None
    solved_depth: int | None = None
    solved_ms: int | None = None
    solved_nodes: int | None = None
    ms: int = 0
    note: str = ""
    fault: str | None = None
    transcript: str | None = None

    @property
    def key(self) -> tuple[int, int, str]:
        """What tells it from all others of its run."""
        return self.seat, self.section, self.id

    def public(self) -> dict[str, Any]:
        """The line `fenwire suite --json` prints."""
        return {name: getattr(self, name) for name in PUBLIC}
