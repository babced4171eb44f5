"""Chess960: chess from any arrangement of the first rank, castling written as king takes rook.

>>> board = GAME.board("1k6/8/8/8/8/8/8/1K4R1 w G - 0 1")
>>> board.parse("O-O"), board.fen(castling="shredder").split()[2]
('b1g1', 'G')
"""

from __future__ import annotations

from msgspec.structs import replace

from adapter.games import chess
from adapter.games.base import deferred

GAME = replace(
    chess.GAME, name="chess960", board=deferred("adapter.games.chess.board", "Chess960Board"), chess960=True
)
