"""A claimed mate proven: its variation is played on the board until there is no move left."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import msgspec

from adapter.analysis import Analysis, MoveTo
from adapter.position import Position
from adapter.suite.case import Expected
from engines.info import Info
from engines.protocols import Dialect
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


AskEngine = Callable[[Position], Awaitable[Analysis]]


async def verify_mate(position: Position, analysis: Analysis, moves: int, ask: AskEngine) -> str:
    """Why the mate in at most so many moves is not proven; empty when it is.

    Engines cut their variations short where a table tells them the rest: `ask` then has the engine go on
    from there. The side to move wins when the other has lost by the rules before its moves are used up.
    """
    side = position.side
    here, line = position, _played(analysis)
    plies = 2 * moves - 1
    while plies:
        if not line:
            return f"its variation ends {_after(position, here)} without mate"
        for move in line[:plies]:
            here = here.play(move)
            plies -= 1
        over = here.outcome
        if over is not None:
            won = over.winner is not None and here.side != side
            return "" if won else f"its variation ends in {over.reason.replace('-', ' ')}"
        if plies:
            line = _played(await ask(here))
    return f"its variation does not mate in {moves}"


def _played(analysis: Analysis) -> tuple[str, ...]:
    """The moves an engine would play: its variation where that begins with its best move, else that alone."""
    best = () if analysis.best is None else (analysis.best.move,)
    line = analysis.lines[0].pv if analysis.lines else ()
    return line if line[:1] == best else best


def _after(start: Position, here: Position) -> str:
    plies = len(here.moves) - len(start.moves)
    return f"after {plies} half-move{'' if plies == 1 else 's'}"
