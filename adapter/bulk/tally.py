"""What became of the records of a run, counted as it goes."""

from __future__ import annotations

from typing import Any

import msgspec

from adapter.bulk.item import RejectedRecord

SHOWN = 10  # rejects and failures that a summary names


class RunStats(msgspec.Struct, kw_only=True):
    """The sums of a run. Each record is one of `rejected`, `known` (searched in an earlier run), `repeated`
    (stood in this input before) and `new`; of the new ones `searched` have been answered so far.

    `failed` counts answers of this input, known ones too, that hold an error in place of a move. `seconds`
    is the time the searches took.
    """

    records: int = 0
    rejected: int = 0
    known: int = 0
    repeated: int = 0
    new: int = 0
    searched: int = 0
    failed: int = 0
    seconds: float = 0.0
    examples: list[RejectedRecord] = []
    failures: list[str] = []

    @property
    def speed(self) -> float:
        """Positions a second."""
        return self.searched / self.seconds if self.seconds > 0 else 0.0

    def reject(self, reject: RejectedRecord) -> None:
        """Counts a reject, and keeps the first ones to be named."""
        self.rejected += 1
        if len(self.examples) < SHOWN:
            self.examples.append(reject)

    def fail(self, what: str) -> None:
        """Counts a position without an answer, and keeps the first ones to be named."""
        self.failed += 1
        if len(self.failures) < SHOWN:
            self.failures.append(what)


class BulkSummary(msgspec.Struct, frozen=True, kw_only=True):
    """A run's end: its sums, and whether the whole input was dealt with. `search` names what was asked of
    which engine, None where no record was sound enough to ask any."""

    store: str
    search: str | None
    tally: RunStats
    complete: bool

    def to_dict(self) -> dict[str, Any]:
        """The summary as JSON types: what `fenwire bulk run --json` prints, as `partial` when it failed."""
        tally = self.tally
        told: dict[str, Any] = {"store": self.store, "search": self.search, "complete": self.complete}
        told |= {
            name: getattr(tally, name)
            for name in ("records", "rejected", "known", "repeated", "searched", "failed")
        }
        told |= {"seconds": round(tally.seconds, 3), "positions_per_second": round(tally.speed, 1)}
        told["rejects"] = [
            {
                "source": one.place.source,
                "line": one.place.line,
                "ply": one.place.ply,
                "code": one.code,
                "reason": one.reason,
            }
            for one in tally.examples
        ]
        return told
