"""Decides whether an engine's answer solves a case: its move, its mate, and when it found them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import msgspec

from adapter.analysis import Analysis, MoveTo
from adapter.position import Position
from adapter.suite.case import Expected
from engines.info import Info
from engines.protocols.base import Dialect
from engines.score import Mate, Score

AskEngine = Callable[[Position], Awaitable[Analysis]]


class CaseVerdict(msgspec.Struct, frozen=True):
    """Whether a case is solved, the points scored, and what was wrong."""

    solved: bool
    points: int | None = None
    note: str = ""


def judge_move(expected: Expected, best: MoveTo | None, position: Position) -> CaseVerdict:
    """Return the verdict on an engine's move; an expected mate is not considered."""
    if best is None:
        return CaseVerdict(False, _points(expected, ""), "the engine named no move")
    points = _points(expected, best.move)
    if _is_solution(expected, best.move):
        return CaseVerdict(True, points)
    if best.move in expected.avoid:
        return CaseVerdict(False, points, f"{best.san} is to be avoided")
    return CaseVerdict(False, points, f"{best.san} instead of {expected.describe(position)}")


def judge_finished_game(expected: Expected, position: Position) -> CaseVerdict | None:
    """Return the verdict on a game that is over, else None; `dm 0` expects the side to move to have lost."""
    outcome = position.outcome
    if outcome is None:
        return None
    solved = expected.mate == 0 and outcome.winner is not None
    return CaseVerdict(solved, _points(expected, ""), f"the game is over: {outcome.reason.replace('-', ' ')}")


async def verify_mate(position: Position, analysis: Analysis, moves: int, ask: AskEngine) -> str:
    """Return why a mate in at most `moves` is not proven; empty if it is.

    The score must claim it, and the line is played until the opponent has lost by the rules. Engines shorten
    their lines where a table holds the rest: `ask` then continues from the end of the line.
    """
    score = analysis.score
    if not _claims_mate(score, moves):
        claim = f"a mate in {score.mate}" if isinstance(score, Mate) and score.mate > 0 else "no mate"
        return f"{claim} is claimed, there is one in {moves}"
    current, line = position, _line(analysis)
    plies = 2 * moves - 1
    while plies:
        if not line:
            played = len(current.moves) - len(position.moves)
            return f"its variation ends after {played} half-move{'' if played == 1 else 's'} without mate"
        for move in line[:plies]:
            current = current.play(move)
            plies -= 1
        outcome = current.outcome
        if outcome is not None:
            won = outcome.winner is not None and current.side != position.side
            return "" if won else f"its variation ends in {outcome.reason.replace('-', ' ')}"
        if plies:
            line = _line(await ask(current))
    return f"its variation does not mate in {moves}"


class Solution(msgspec.Struct, frozen=True):
    """Depth in plies, milliseconds and nodes of a search when it found the solution; None where unknown."""

    solved_depth: int | None = None
    solved_ms: int | None = None
    solved_nodes: int | None = None


class SolutionTracker:
    """Follows a search's infos to find when its answer last changed to the solution.

    Infos are used as the engine wrote them: only the first move of a line counts, and the final answer is
    checked elsewhere.
    """

    def __init__(self, expected: Expected, position: Position, dialect: Dialect) -> None:
        self._expected = expected
        self._position = position
        self._dialect = dialect
        self._found: Solution | None = None  # None while the answer is wrong
        self._last = Solution()

    def add(self, info: Info) -> None:
        """Take the next info; only the best line counts."""
        if not info.pv or info.multipv > 1:
            return
        right = self._is_right(info.pv[0], info.score)
        if right is None:
            return
        self._last = Solution(info.depth, info.time_ms, info.nodes)
        self._found = (self._found or self._last) if right else None

    def finish(self, *, solved: bool) -> Solution:
        """Return when the final answer was found; with the last info if only the best move was right."""
        return (self._found or self._last) if solved else Solution()

    def _is_right(self, word: str, score: Score | None) -> bool | None:
        """Return whether a reported move and score solve the case, None if that is not known."""
        try:
            move = self._position.read_wire(word, self._dialect)
        except ValueError:
            move = word
        if not _is_solution(self._expected, move):
            return False
        if self._expected.mate is None:
            return True
        # a bound says nothing about a distance to mate
        return None if score is None else _claims_mate(score, self._expected.mate)


def _is_solution(expected: Expected, move: str) -> bool:
    """Return whether a canonical move solves a case, apart from mates; of points alone, the best do."""
    if move in expected.avoid:
        return False
    if expected.best:
        return move in expected.best
    return not expected.points or expected.points.get(move) == expected.max_points


def _claims_mate(score: Score | None, moves: int) -> bool:
    return isinstance(score, Mate) and 0 < score.mate <= moves


def _points(expected: Expected, move: str) -> int | None:
    return expected.points.get(move, 0) if expected.points else None


def _line(analysis: Analysis) -> tuple[str, ...]:
    """Return the moves an engine would play: its line if that begins with its best move, else that alone."""
    best = () if analysis.best is None else (analysis.best.move,)
    line = analysis.lines[0].pv if analysis.lines else ()
    return line if line[:1] == best else best
