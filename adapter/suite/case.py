"""Cases of a suite: a position, what is expected of an engine there, and the result of asking one.

>>> from adapter.position import Position
>>> position = Position.parse("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1")
>>> expected = Expected(best=("a1a8",), mate=1)
>>> expected.to_dict(), expected.describe(position)
({'bm': ['a1a8'], 'dm': 1}, 'bm Ra8#; dm 1')
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from adapter.position import Position
from engines.limits import Limit

CaseKey = tuple[int, int, str]  # engine index, section index, case id


class Expected(msgspec.Struct, frozen=True, kw_only=True):
    """What a case expects; everything that is given must hold. Moves are canonical.

    `best` are alternatives (EPD `bm`), none of `avoid` may be played (`am`), `mate` is the most moves to a
    mate (`dm`), `points` are what each move scores (`c0` of the strategic test suite), `counts` are pairs of
    depth and perft nodes, shallowest first.
    """

    best: tuple[str, ...] = ()
    avoid: tuple[str, ...] = ()
    mate: int | None = None
    points: Mapping[str, int] = {}
    counts: tuple[tuple[int, int], ...] = ()

    @property
    def empty(self) -> bool:
        """True if nothing is expected."""
        return not (self.best or self.avoid or self.points or self.counts) and self.mate is None

    @property
    def max_points(self) -> int | None:
        """The highest score of a move, None where no move has points."""
        return max(self.points.values(), default=None)

    def to_dict(self) -> dict[str, Any]:
        """Return the expectations as JSON types, by opcode; perft counts by depth."""
        values: dict[str, Any] = {
            "bm": list(self.best),
            "am": list(self.avoid),
            "dm": self.mate,
            "c0": dict(self.points),
            "perft": {str(depth): nodes for depth, nodes in self.counts},
        }
        return {opcode: value for opcode, value in values.items() if value not in ([], {}, None)}

    def describe(self, position: Position | None) -> str:
        """Return the expectations in a few words, with moves in the game's own notation."""

        def notation(moves: Iterable[str]) -> list[str]:
            return [position.san(move) if position else move for move in moves]

        parts = [
            f"{opcode} {' '.join(notation(moves))}"
            for opcode, moves in (("bm", self.best), ("am", self.avoid))
            if moves
        ]
        if self.mate is not None:
            parts.append(f"dm {self.mate}")
        if self.points:
            pairs = zip(notation(self.points), self.points.values(), strict=True)
            parts.append(", ".join(f"{move}={points}" for move, points in pairs))
        if self.counts:
            parts.append(f"perft {', '.join(f'{depth}: {nodes}' for depth, nodes in self.counts)}")
        return "; ".join(parts)


class SuiteCase(msgspec.Struct, frozen=True, kw_only=True):
    """One case. `id` is unique within its suite; `source` and `line` (from 1) say where it was read.

    `limit` holds the case's own bounds (`acd`, `acn`, `acs`). A record that is too wrong for an engine, but
    not for our own perft, has no `position`: `refused` says why, and `fen` holds the record.
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
    def description(self) -> str:
        """What is expected, for people."""
        return self.expected.describe(self.position)


class InvalidLine(msgspec.Struct, frozen=True):
    """A line of a suite that is not a case, and why."""

    source: str
    line: int
    reason: str

    def __str__(self) -> str:
        return f"{self.source}:{self.line}: {self.reason}"


class CaseResult(msgspec.Struct, frozen=True, kw_only=True, rename={"engine_index": "seat"}):
    """One engine's result of one case. `engine_index` and `section` count from 0.

    `best` is the engine's move, canonical, and `answer` the same in the game's notation; `asked` is what was
    expected, for people, and `expected` the same as JSON types. `points` of `max_points` are scored where
    moves have points. `limit` is the search's, as in the JSON of an analysis. `solved_depth` (plies),
    `solved_ms` and `solved_nodes` say when the engine last changed to the solution, None where the case is
    not solved or nothing was reported. `score` (`{"cp": 35}`, `{"mate": 3}`) is from the side to move. `ms`
    is the time of the whole case, `fault` the kind of error where the engine failed, `transcript` the file
    that holds the conversation, where one was kept.
    """

    engine_index: int
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
    def key(self) -> CaseKey:
        """Identifies the result within its run."""
        return self.engine_index, self.section, self.id

    def to_dict(self) -> dict[str, Any]:
        """Return the line `fenwire suite --json` prints."""
        names = "id engine fen expected best solved points solved_depth solved_ms note"
        return {name: getattr(self, name) for name in names.split()}
