"""What an engine said about a position, after the rules have looked at every move of it."""

from __future__ import annotations

from typing import Any

import msgspec

from adapter.games.base import Outcome
from adapter.position import Position
from engines.limits import Limit
from engines.score import Bound, Cp, Mate, Score

__all__ = ["Analysis", "Bound", "Cp", "EngineIdentity", "Line", "Mate", "MoveTo", "Outcome", "Score"]


class EngineIdentity(msgspec.Struct, frozen=True):
    """Which engine answered: the name it gives itself, the profile it was run by, its program, and the
    options that were set."""

    name: str
    profile: str
    protocol: str
    path: str
    options: dict[str, str | int | bool] = {}


class MoveTo(msgspec.Struct, frozen=True):
    """A legal move: canonical, in the notation asked for (`san`), and the FEN it leads to."""

    move: str
    san: str
    fen: str


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """One line of an analysis.

    `depth` and `seldepth` in plies; `score` is the last exact one, from the side to move, `score_white` the
    same from White's (Red's) side; `bound` is a later score known from one side only; `wdl` per mille for
    the side to move; `nodes` and `tbhits` in positions, `nps` per second, `time_ms` in milliseconds,
    `hashfull` per mille. `pv` holds the moves that are legal, canonical, `pv_san` the same as shown,
    `pv_fen` the FEN they lead to, `pv_cut_at` the index of the first one that was not legal, or None.
    """

    multipv: int
    depth: int | None
    seldepth: int | None
    score: Score | None
    score_white: Score | None
    bound: Bound | None
    wdl: tuple[int, int, int] | None
    nodes: int | None
    nps: int | None
    time_ms: int | None
    hashfull: int | None
    tbhits: int | None
    pv: tuple[str, ...]
    pv_san: tuple[str, ...]
    pv_fen: str
    pv_cut_at: int | None


class Analysis(msgspec.Struct, frozen=True, kw_only=True):
    """One answer: the engine, the question as it was put, and what may be believed of what came back.

    `best` is None when there is no move to make: `outcome` then says why. `complete` is False when the search
    was cut short by a timeout or by the caller. `notes` are sentences about everything odd.
    """

    engine: EngineIdentity
    position: Position
    command: str
    limit: Limit
    lines: tuple[Line, ...] = ()
    best: MoveTo | None = None
    ponder: MoveTo | None = None
    outcome: Outcome | None = None
    draw_offered: bool = False
    resigned: bool = False
    complete: bool = True
    notes: tuple[str, ...] = ()

    @property
    def variant(self) -> str:
        """The game's name."""
        return self.position.variant.name

    @property
    def score(self) -> Score | None:
        """The best line's score, from the side to move."""
        return self.lines[0].score if self.lines else None

    def to_dict(self) -> dict[str, Any]:
        """The analysis as plain JSON types, in the shape that `fenwire analyze --json` prints."""
        whole = {name: getattr(self, name) for name in self.__struct_fields__}
        whole["position"] = {
            "root_fen": self.position.root_fen,
            "moves": self.position.moves,
            "fen": self.position.fen,
        }
        whole["limit"] = limit_dict(self.limit)
        ordered = {"engine": whole.pop("engine"), "variant": self.variant, **whole}
        plain: dict[str, Any] = msgspec.to_builtins(ordered)
        return plain


def limit_dict(limit: Limit) -> dict[str, Any]:
    """A limit as JSON types: the bounds that are set, and the two lists of moves, null where none."""
    lists = ("searchmoves", "banmoves")
    bounds = {name: getattr(limit, name) for name in limit.__struct_fields__ if name not in lists}
    given = {name: value for name, value in bounds.items() if value is not None and value is not False}
    return {**given, **{name: getattr(limit, name) for name in lists}}
