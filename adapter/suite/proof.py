"""A claimed mate proven: its variation is played on the board until there is no move left."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from adapter.analysis import Analysis
from adapter.position import Position

Ask = Callable[[Position], Awaitable[Analysis]]


async def prove(position: Position, analysis: Analysis, moves: int, ask: Ask) -> str:
    """Why the mate in at most so many moves is not proven; empty when it is.

    Engines cut their variations short where a table tells them the rest: `ask` then has the engine go on
    from there. The side to move wins when the other has lost by the rules before its moves are used up.
    """
    side = position.side
    here, line = position, analysis.lines[0].pv
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
            further = await ask(here)
            line = further.lines[0].pv if further.lines else ()
            if further.best is not None and line[:1] != (further.best.move,):
                line = (further.best.move,)
    return f"its variation does not mate in {moves}"


def _after(start: Position, here: Position) -> str:
    plies = len(here.moves) - len(start.moves)
    return f"after {plies} half-move{'' if plies == 1 else 's'}"
