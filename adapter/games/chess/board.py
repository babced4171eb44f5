"""Chess: python-chess' rules behind the Board protocol, with FEN in every dialect in use.

>>> board = ChessBoard(chess.STARTING_FEN)
>>> board.push(board.parse("e4"))
>>> board.fen(), board.fen(ep="fen").split()[3]
('rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1', 'e3')
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import ClassVar, Self

import chess

from adapter.games.base import CastlingStyle, EpStyle, Outcome, Side
from adapter.games.chess.moves import read_move, san_and_push
from adapter.games.chess.record import castling_xfen, placement, read_record

_UCI = re.compile(r"[a-h][1-8][a-h][1-8][qrbn]?")

# Six-field FEN, field 4, in the three dialects: the standard names the square after every double push, X-FEN
# only when a pawn stands ready to take, today's engines only when the capture is legal.
_EP_SHOWN: dict[EpStyle, Callable[[chess.Board], bool]] = {
    "fen": lambda board: board.ep_square is not None,
    "xfen": lambda board: board.has_pseudo_legal_en_passant(),
    "legal": lambda board: board.has_legal_en_passant(),
}
_CASTLING: dict[CastlingStyle, Callable[[chess.Board], str]] = {
    "xfen": castling_xfen,
    "shredder": lambda board: board.castling_shredder_fen(),
}
_SHOWN: dict[str, Callable[[chess.Board, chess.Move], str]] = {
    "uci": lambda board, move: board.uci(move),
    "san": lambda board, move: board.san(move),
}
NOTATIONS = tuple(_SHOWN)

# FIDE Laws 9.3 and 9.6.2 (moves without capture or pawn move), 9.2 and 9.6.1 (repetition): first the draw
# that comes by itself, then the one that has to be claimed.
_COUNT_RULES = (
    (150, "75 moves by each side without a capture or pawn move: the game is drawn"),
    (100, "50 moves by each side without a capture or pawn move: either side may claim a draw"),
)
_REPETITIONS = (
    (5, "the position has occurred five times: the game is drawn"),
    (3, "the position has occurred three times: either side may claim a draw"),
)


# There are some four thousand moves; reading one anew costs as much as playing it. python-chess never changes
# a Move and keeps none that it is handed.
_move = lru_cache(maxsize=8192)(chess.Move.from_uci)


def _strongest(rules: Sequence[tuple[int, str]], holds: Callable[[int], bool]) -> list[str]:
    return next(([sentence] for count, sentence in rules if holds(count)), [])


class ChessBoard:
    """A game of chess from a checked record; see `Board` for what each method promises."""

    CHESS960: ClassVar[bool] = False

    __slots__ = ("_board", "_played", "_root")

    def __init__(self, fen: str) -> None:
        self._root = fen
        self._played: list[chess.Move] = []
        self._board = read_record(fen, chess960=self.CHESS960)

    @property
    def side(self) -> Side:
        return "w" if self._board.turn else "b"

    def copy(self) -> Self:
        twin = object.__new__(type(self))
        twin._root = self._root
        twin._played = self._played.copy()
        # python-chess copies a history move by move, which costs more than the move to be played; what needs
        # the moves before this copy (a repetition, a pop) replays them.
        twin._board = self._board.copy(stack=False)
        return twin

    def fen(self, *, ep: EpStyle = "legal", castling: CastlingStyle = "xfen") -> str:
        board = self._board
        rights = _CASTLING[castling](board)
        square = board.ep_square
        target = "-" if square is None or not _EP_SHOWN[ep](board) else chess.SQUARE_NAMES[square]
        return (
            f"{placement(board)} {'w' if board.turn else 'b'} {rights} {target} "
            f"{board.halfmove_clock} {board.fullmove_number}"
        )

    def legal_moves(self) -> list[str]:
        return [move.uci() for move in self._board.generate_legal_moves()]

    def is_legal(self, move: str) -> bool:
        if not _UCI.fullmatch(move) or move[:2] == move[2:4]:
            return False
        board, candidate = self._board, _move(move)
        if not board.is_legal(candidate):
            return False
        # python-chess takes either spelling of a castling move for legal; only one is canonical.
        return not board.kings & chess.BB_SQUARES[candidate.from_square] or board.uci(candidate) == move

    def parse(self, text: str) -> str:
        if self.is_legal(text):
            return text
        return self._board.uci(read_move(self._board, text))

    def show(self, move: str, notation: str) -> str:
        if notation not in _SHOWN:
            raise ValueError(f"chess has no notation {notation!r}; it has {', '.join(NOTATIONS)}")
        return _SHOWN[notation](self._board, _move(move))

    def push(self, move: str) -> None:
        played = _move(move)
        self._board.push(played)
        self._played.append(played)

    def push_shown(self, move: str, notation: str) -> str:
        if notation != "san":
            shown = self.show(move, notation)
            self.push(move)
            return shown
        # whether it checks or mates is seen once the move is made: why make it twice
        played = _move(move)
        self._played.append(played)
        return san_and_push(self._board, played)

    def pop(self) -> None:
        self._played.pop()
        if self._board.move_stack:
            self._board.pop()
        else:
            self._board = self._replayed()

    def in_check(self) -> bool:
        return self._board.is_check()

    def outcome(self) -> Outcome | None:
        if any(self._board.generate_legal_moves()):
            return None
        if self._board.is_check():
            return Outcome("black" if self._board.turn else "white", "checkmate")
        return Outcome(None, "stalemate")

    def remarks(self) -> list[str]:
        board, found = self._board, []
        # FIDE Laws 9.6: a mate on the last move goes before the counting rules. No rule counts below eight.
        if board.halfmove_clock >= 8 and any(board.generate_legal_moves()):
            found += _strongest(_COUNT_RULES, lambda count: board.halfmove_clock >= count)
            # Two visits more take eight half-moves, none of which resets the count.
            if min(board.halfmove_clock, len(self._played)) >= 8:
                found += _strongest(_REPETITIONS, self._replayed().is_repetition)
        if board.is_insufficient_material():
            found.append("neither side has the material to mate: the game is drawn")
        return found

    def last_capture(self) -> int:
        board = read_record(self._root, chess960=self.CHESS960)
        last = 0
        for count, move in enumerate(self._played, start=1):
            if board.is_capture(move):
                last = count
            board.push(move)
        return last

    def _replayed(self) -> chess.Board:
        board = read_record(self._root, chess960=self.CHESS960)
        for move in self._played:
            board.push(move)
        return board


class Chess960Board(ChessBoard):
    """A game of Chess960, castled as king takes rook."""

    CHESS960 = True

    __slots__ = ()
