"""One case of a suite: a position, and what is expected of an engine there.

>>> from adapter.position import Position
>>> position = Position.parse("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1")
>>> expected = Expected(best=("a1a8",), mate=1)
>>> expected.plain(), expected.shown(position)
({'bm': ['a1a8'], 'dm': 1}, 'bm Ra8#; dm 1')
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from adapter.position import Position
from engines.limits import Limit

MOST = 1_000_000  # lines that are counted where no limit says how many


class Expected(msgspec.Struct, frozen=True, kw_only=True):
    """What a case asks for; everything that is given must hold. Moves are canonical.

    `best` are alternatives (EPD `bm`), none of `avoid` may be played (`am`), `mate` is to be found in at most
    so many moves (`dm`), `points` are what each move earns (the `c0` of the strategic test suite), `counts`
    the lines of legal moves to a depth (perft), shallowest first.
    """

    best: tuple[str, ...] = ()
    avoid: tuple[str, ...] = ()
    mate: int | None = None
    points: Mapping[str, int] = {}
    counts: tuple[tuple[int, int], ...] = ()

    @property
    def empty(self) -> bool:
        """Whether nothing is asked for at all."""
        return not (self.best or self.avoid or self.points or self.counts) and self.mate is None

    @property
    def counting(self) -> bool:
        """Whether lines of moves are to be counted, rather than a move found."""
        return bool(self.counts)

    @property
    def max_points(self) -> int | None:
        """The most points a move can earn, None where none are given."""
        return max(self.points.values(), default=None)

    def plain(self) -> dict[str, Any]:
        """What is expected as JSON types, by opcode; perft counts by depth."""
        given: dict[str, Any] = {
            "bm": list(self.best),
            "am": list(self.avoid),
            "dm": self.mate,
            "c0": dict(self.points),
            "perft": {str(depth): nodes for depth, nodes in self.counts},
        }
        return {opcode: value for opcode, value in given.items() if value not in ([], {}, None)}

    def shown(self, position: Position | None) -> str:
        """The same in a few words, moves in the game's own notation."""

        def named(moves: Iterable[str]) -> list[str]:
            return [position.san(move) if position else move for move in moves]

        parts = [
            f"{opcode} {' '.join(named(moves))}"
            for opcode, moves in (("bm", self.best), ("am", self.avoid))
            if moves
        ]
        if self.mate is not None:
            parts.append(f"dm {self.mate}")
        if self.points:
            pairs = zip(named(self.points), self.points.values(), strict=True)
            parts.append(", ".join(f"{move}={points}" for move, points in pairs))
        if self.counts:
            parts.append(f"perft {', '.join(f'{depth}: {nodes}' for depth, nodes in self.counts)}")
        return "; ".join(parts)


class SuiteCase(msgspec.Struct, frozen=True, kw_only=True):
    """One case. `id` is unique within its suite; `source` and `line` (from 1) say where it was read.

    `limit` holds the case's own bounds (`acd`, `acn`, `acs`). A record that no engine may get, but whose
    lines our own rules can count, has no `position`; `refused` then says why, and `fen` holds the record.
    """

    id: str
    fen: str
    variant: str
    expected: Expected
    position: Position | None
    source: str = ""
    line: int = 0
    limit: Limit | None = None
    refused: str = ""

    @property
    def shown(self) -> str:
        """What is expected, for people."""
        return self.expected.shown(self.position)


class InvalidLine(msgspec.Struct, frozen=True):
    """A line of a suite that is no case, and why."""

    source: str
    line: int
    reason: str

    def __str__(self) -> str:
        return f"{self.source}:{self.line}: {self.reason}"


def depths(counts: tuple[tuple[int, int], ...], limit: Limit | None) -> list[tuple[int, int]]:
    """The depths to count of those that a case gives, with what is expected: as deep as the limit's `depth`
    and as many lines as its `nodes` allow, MOST where it names neither."""
    depth, nodes = (limit.depth, limit.nodes) if limit else (None, None)
    most = MOST if depth is None and nodes is None else nodes
    return [
        (plies, expected)
        for plies, expected in counts
        if (depth is None or plies <= depth) and (most is None or expected <= most)
    ]
