"""Chess960: chess from any arrangement of the first rank, castling written as king takes rook.

>>> board = GAME.board("1k6/8/8/8/8/8/8/1K4R1 w G - 0 1")
>>> board.parse("O-O"), board.fen(castling="shredder").split()[2]
('b1g1', 'G')
"""

from __future__ import annotations

import msgspec

from adapter.games.chess import board


class Chess960Board(board.ChessBoard):
    """A game of Chess960 from a checked record; see `Board` for what each method promises."""

    CHESS960 = True

    __slots__ = ()


GAME = msgspec.structs.replace(board.GAME, name="chess960", board=Chess960Board, chess960=True)
