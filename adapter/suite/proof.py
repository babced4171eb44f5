"""A claimed mate proven: its variation is played on the board until there is no move left."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from adapter.analysis import Analysis
from adapter.position import Position

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
