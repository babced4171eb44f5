"""Chess as data; its rules are in the modules beside this one and loaded when they are first needed."""

from __future__ import annotations

from adapter.games.base import Diagram, Game, deferred

# German, the language whose letters are met most among English ones
_GERMAN = {"T": "R", "S": "N", "L": "B", "D": "Q"}

GAME = Game(
    name="chess",
    start_fen="rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    board=deferred("adapter.games.chess.board", "ChessBoard"),
    letters="PNBRQKpnbrqk",
    foreign=_GERMAN | {letter.lower(): piece.lower() for letter, piece in _GERMAN.items()},
    translated=True,
    has_castling=True,
    has_en_passant=True,
    draws=((100, "either side may claim a draw (50-move rule)"), (150, "the game is drawn (75-move rule)")),
    first_capture=2,
    notations=("uci", "san"),
    notation="san",
    python_chess="chess",
    diagram=Diagram(figurines=dict(zip("KQRBNPkqrbnp", "♔♕♖♗♘♙♚♛♜♝♞♟", strict=True)), style="squares"),
)
