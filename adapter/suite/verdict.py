"""Whether an engine's answer is what a case expects: of moves and mates, while it thinks and at the end."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from adapter.analysis import Analysis, MoveTo
from adapter.position import Position
from adapter.suite.case import Expected
from engines.score import Mate, Score


class CaseVerdict(msgspec.Struct, frozen=True):
    """Whether a case is solved, the points earned, and in a sentence what was wrong."""

    solved: bool
    points: int | None = None
    note: str = ""


def right_move(expected: Expected, move: str) -> bool:
    """Whether a canonical move is what is expected, as far as moves go."""
    return all(holds(expected, move) for holds in _MOVE_TESTS)


def right_report(expected: Expected, move: str, score: Score | None) -> bool | None:
    """Whether what is reported during a search, a canonical move and its exact score, would solve the case;
    None where it does not tell."""
    if not right_move(expected, move):
        return False
    if expected.mate is None:
        return True
    # a score known from one side only says nothing about a distance to mate
    return None if score is None else claims_mate(score, expected.mate)


def claims_mate(score: Score | None, moves: int) -> bool:
    """Whether a score says that the side to move mates in at most so many moves."""
    return isinstance(score, Mate) and 0 < score.mate <= moves


def on_move(expected: Expected, best: MoveTo | None, position: Position) -> CaseVerdict:
    """The verdict on the move an engine answered with; a mate that is expected besides is not looked at."""
    if best is None:
        return CaseVerdict(False, _points(expected, ""), "the engine named no move")
    points = _points(expected, best.move)
    if right_move(expected, best.move):
        return CaseVerdict(True, points)
    if best.move in expected.avoid:
        return CaseVerdict(False, points, f"{best.san} is to be avoided")
    return CaseVerdict(False, points, f"{best.san} instead of {expected.shown(position)}")


def on_finished(expected: Expected, position: Position) -> CaseVerdict | None:
    """The verdict on a game that is over, which no engine need be asked about; None while it goes on.

    `dm 0` expects that the side to move has lost.
    """
    over = position.outcome
    if over is None:
        return None
    lost = over.winner is not None
    note = f"the game is over: {over.reason.replace('-', ' ')}"
    return CaseVerdict(expected.mate == 0 and lost, _points(expected, ""), note)


def unclaimed(expected: Expected, analysis: Analysis) -> str:
    """Why an analysis does not even claim the mate that is expected; empty when it does."""
    score = analysis.score
    if expected.mate is None or claims_mate(score, expected.mate):
        return ""
    said = "no mate"
    if isinstance(score, Mate) and score.mate > 0:
        said = f"a mate in {score.mate}"
    return f"{said} is claimed, there is one in {expected.mate}"


def _points(expected: Expected, move: str) -> int | None:
    return expected.points.get(move, 0) if expected.points else None


# Where points alone are given, the move that earns most solves the case.
_MOVE_TESTS: tuple[Callable[[Expected, str], bool], ...] = (
    lambda expected, move: not expected.best or move in expected.best,
    lambda expected, move: move not in expected.avoid,
    lambda expected, move: (
        bool(expected.best) or not expected.points or expected.points.get(move) == expected.max_points
    ),
)
