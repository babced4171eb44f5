"""What a search found in one position, as it is stored and as it travels between machines."""

from __future__ import annotations

import msgspec

from adapter.analysis import Analysis, Line
from adapter.errors import FenwireError
from adapter.games.base import Outcome
from engines.score import Cp, Mate, Score


class StoredLine(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One line of an answer: what `Line` holds, less what follows from the position.

    The score (`cp` or `mate`) is from the side to move; `pv` are canonical moves, parted by blanks.
    """

    multipv: int
    cp: int | None = None
    mate: int | None = None
    bound: str | None = None
    depth: int | None = None
    seldepth: int | None = None
    nodes: int | None = None
    nps: int | None = None
    time_ms: int | None = None
    wdl: tuple[int, int, int] | None = None
    pv: str = ""

    @classmethod
    def of(cls, line: Line) -> StoredLine:
        """A line of an analysis. Where there is no exact score, the bound is kept and named so."""
        score, bound = line.score, None
        if score is None and line.bound is not None:
            score, bound = line.bound.score, line.bound.kind
        return cls(
            multipv=line.multipv,
            cp=score.cp if isinstance(score, Cp) else None,
            mate=score.mate if isinstance(score, Mate) else None,
            bound=bound,
            depth=line.depth,
            seldepth=line.seldepth,
            nodes=line.nodes,
            nps=line.nps,
            time_ms=line.time_ms,
            wdl=line.wdl,
            pv=" ".join(line.pv),
        )

    @property
    def score(self) -> Score | None:
        """The score from the side to move; None where there is none but a bound."""
        if self.bound is not None:
            return None
        return score_of(self.cp, self.mate)


class StoredAnalysis(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An analysis without its question. Where there is none, `code` and `error` say why, in a word and in a
    sentence; a finished game has an `outcome` and no move."""

    best: str | None = None
    san: str | None = None
    best_fen: str | None = None
    lines: tuple[StoredLine, ...] = ()
    outcome: Outcome | None = None
    complete: bool = True
    notes: tuple[str, ...] = ()
    code: str | None = None
    error: str | None = None

    @classmethod
    def of(cls, analysis: Analysis) -> StoredAnalysis:
        """The answer that an analysis holds."""
        best = analysis.best
        return cls(
            best=None if best is None else best.move,
            san=None if best is None else best.san,
            best_fen=None if best is None else best.fen,
            lines=tuple(map(StoredLine.of, analysis.lines)),
            outcome=analysis.outcome,
            complete=analysis.complete,
            notes=analysis.notes,
        )

    @classmethod
    def failed(cls, error: FenwireError) -> StoredAnalysis:
        """What stands for an answer when there is none."""
        return cls(complete=False, code=type(error).__name__, error=str(error))


def score_of(cp: int | None, mate: int | None) -> Score | None:
    """The score of two columns of which one is set at most."""
    if mate is not None:
        return Mate(mate)
    return None if cp is None else Cp(cp)
