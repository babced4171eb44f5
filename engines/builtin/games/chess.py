"""Chess and Chess960 for the search: python-chess keeps the position and the rules of each move.

A move is the number `from | to << 6 | promotion << 12`, castling always as king takes rook. Moves are
listed from python-chess' attack tables directly: its own `Move` values, made anew for every listing and
compared field by field, would cost the search more than all the rest.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, Final

import chess

from engines.builtin.memo import Memo

GAIN: Final = {chess.PAWN: 100, chess.KNIGHT: 320, chess.BISHOP: 330, chess.ROOK: 500, chess.QUEEN: 950}
PROMOTION_GAIN: Final = GAIN[chess.QUEEN] - GAIN[chess.PAWN]
ALL: Final = -GAIN[chess.QUEEN]  # no noisy move loses more at first sight
TEMPO: Final = 10

# What makes a record unsafe to search. Everything else that is merely unreachable is searched as it stands.
UNSAFE: Final = {
    chess.STATUS_NO_WHITE_KING: "White has no king",
    chess.STATUS_NO_BLACK_KING: "Black has no king",
    chess.STATUS_TOO_MANY_KINGS: "there are too many kings",
    chess.STATUS_PAWNS_ON_BACKRANK: "a pawn stands on the first or last rank",
    chess.STATUS_OPPOSITE_CHECK: "the side that is not to move is in check",
}

# A memo that has grown beyond this is emptied before the next position: memory stays bounded.
KEPT: Final = 100_000

_PASS: Final = chess.Move.null()
_LESSER_PROMOTIONS: Final = (chess.KNIGHT, chess.ROOK, chess.BISHOP)
_LAST_RANKS: Final = chess.BB_RANK_1 | chess.BB_RANK_8
_NOT_A: Final = chess.BB_ALL & ~chess.BB_FILE_A
_NOT_H: Final = chess.BB_ALL & ~chess.BB_FILE_H
_KNIGHT: Final = chess.BB_KNIGHT_ATTACKS
_KING: Final = chess.BB_KING_ATTACKS
_DIAGONAL, _DIAGONAL_MASK = chess.BB_DIAG_ATTACKS, chess.BB_DIAG_MASKS
_RANK, _RANK_MASK = chess.BB_RANK_ATTACKS, chess.BB_RANK_MASKS
_FILE, _FILE_MASK = chess.BB_FILE_ATTACKS, chess.BB_FILE_MASKS

# Middle game and ending are added up at once, as the two halves of one number.
_BITS: Final = 20
_FULL: Final = 1 << _BITS
_HALF: Final = _FULL // 2


def _packed(middle: int, ending: int) -> int:
    return middle * _FULL + ending


def _worth(piece: chess.PieceType, file: int, rank: int) -> int:
    """Packed centipawns of a piece on a square seen from its own side."""
    inner = min(file, 7 - file)
    centre = inner + min(rank, 7 - rank) - 3  # -3 in a corner, 3 in the middle
    home = rank == 0
    match piece:
        case chess.PAWN:
            advance = (0, 0, 2, 6, 14, 30, 60, 0)[rank]
            middle = 85 + advance + 14 * (inner == 3 and rank in (3, 4)) - 4 * (inner == 0)
            return _packed(middle, 95 + 2 * advance)
        case chess.KNIGHT:
            return _packed(325 + 9 * centre - 10 * home, 295 + 8 * centre)
        case chess.BISHOP:
            return _packed(340 + 5 * centre - 14 * home, 310 + 4 * centre)
        case chess.ROOK:
            return _packed(490 + 3 * inner + 20 * (rank == 6), 530 + 10 * (rank == 6))
        case chess.QUEEN:
            return _packed(960 + 2 * centre - 4 * home, 960 + 6 * centre)
        case _:
            shelter = (20, 30, 10, -10, -5, -10, 30, 20)[file] if home else -15 * rank
            return _packed(shelter, 10 * centre)


def _structure(own: chess.Bitboard, other: chess.Bitboard) -> int:
    """Packed centipawns of White's pawn structure: isolated, doubled and passed pawns."""
    total = 0
    for square in chess.scan_forward(own):
        file = chess.BB_FILES[chess.square_file(square)]
        beside = (file & _NOT_A) >> 1 | (file & _NOT_H) << 1
        rank = chess.square_rank(square)
        ahead = chess.BB_ALL << 8 * (rank + 1) & chess.BB_ALL
        if not own & beside:
            total += _packed(-12, -10)
        if own & file & ahead:
            total += _packed(-8, -18)
        elif not other & (file | beside) & ahead:
            total += _packed(3 * rank, 3 * rank * rank)
    return total


def _structures(pawns: tuple[chess.Bitboard, chess.Bitboard]) -> int:
    """White's pawn structure less Black's."""
    white, black = pawns
    return _structure(white, black) - _structure(chess.flip_vertical(black), chess.flip_vertical(white))


def _drive(white: chess.Bitboard, black: chess.Bitboard, kings: chess.Bitboard) -> int:
    """Packed centipawns, White's view, for driving a bare king to the edge with the other king close by."""
    bare, other = (white, kings & black) if not white & (white - 1) else (black, kings & white)
    square = bare.bit_length() - 1
    file, rank = chess.square_file(square), chess.square_rank(square)
    edge = 6 - min(file, 7 - file) - min(rank, 7 - rank)
    near = 14 - chess.square_manhattan_distance(square, other.bit_length() - 1)
    bonus = 10 * edge + 5 * near
    return _packed(-bonus, -bonus) if bare == white else _packed(bonus, bonus)


def _number(move: chess.Move) -> int:
    return move.from_square | move.to_square << 6 | (move.promotion or 0) << 12


def _move(number: int) -> chess.Move:
    return chess.Move(number & 63, number >> 6 & 63, number >> 12 or None)


def _sums(piece: chess.PieceType, color: chess.Color) -> Memo[int, int]:
    """The packed worth of all pieces of one kind and colour, by the mask of their squares."""
    seen = chess.SQUARES if color else chess.SQUARES_180
    worth = [_worth(piece, chess.square_file(square), chess.square_rank(square)) for square in seen]
    pair = _packed(25, 40) if piece == chess.BISHOP else 0
    return Memo(
        lambda mask: sum(worth[square] for square in chess.scan_forward(mask)) + pair * (mask.bit_count() > 1)
    )


def _steps(square: chess.Square) -> Memo[int, tuple[int, ...]]:
    """The moves from one square to every square of a mask."""
    return Memo(lambda mask: tuple(square | to << 6 for to in chess.scan_forward(mask)))


def _shifts(distance: int) -> Memo[int, tuple[int, ...]]:
    """The pawn moves that end on the squares of a mask, all by the same distance."""
    return Memo(lambda mask: tuple(to - distance | to << 6 for to in chess.scan_forward(mask)))


_MOVES: Final = Memo(_move)
_SQUARES: Final[Memo[int, tuple[int, ...]]] = Memo(lambda mask: tuple(chess.scan_forward(mask)))
_STEPS: Final = tuple(map(_steps, chess.SQUARES))
_SHIFTS: Final = {distance: _shifts(distance) for distance in (7, 8, 9, 16, -7, -8, -9, -16)}
_PAWNS: Final = Memo(_structures)
_WHITE: Final = tuple(_sums(piece, chess.WHITE) for piece in chess.PIECE_TYPES)
_BLACK: Final = tuple(_sums(piece, chess.BLACK) for piece in chess.PIECE_TYPES)
_WHITE_PAWN, _WHITE_KNIGHT, _WHITE_BISHOP, _WHITE_ROOK, _WHITE_QUEEN, _WHITE_KING = _WHITE
_BLACK_PAWN, _BLACK_KNIGHT, _BLACK_BISHOP, _BLACK_ROOK, _BLACK_QUEEN, _BLACK_KING = _BLACK
_MEMOS: Final[tuple[Memo[Any, Any], ...]] = (_SQUARES, *_STEPS, *_SHIFTS.values(), *_WHITE, *_BLACK, _PAWNS)


class Chess:
    """The game of chess as `engines.builtin.game.Game`."""

    no_move_loses = False

    def __init__(self, *, chess960: bool, first_rank: int) -> None:
        del first_rank  # every protocol counts the ranks of chess from 1
        self._wire960 = chess960
        self.load(chess.STARTING_FEN)

    def load(self, fen: str) -> None:
        try:
            board = chess.Board(fen, chess960=self._wire960)
        except ValueError as error:
            raise ValueError(f"the FEN cannot be read: {error}") from None
        status = board.status()
        for flag, sentence in UNSAFE.items():
            if status & flag:
                raise ValueError(f"the position cannot be searched: {sentence}")
        if status & chess.STATUS_INVALID_EP_SQUARE:
            board.ep_square = None
        # Outside Chess960 a right that needs another king or rook square is no right; within the search
        # castling is king takes rook throughout.
        board.castling_rights = board.clean_castling_rights()
        board.chess960 = True
        self._board = board
        for memo in _MEMOS:
            if len(memo) > KEPT:
                memo.clear()

    def read(self, text: str) -> int:
        try:
            move = self._board.parse_uci(text.lower())
        except ValueError:
            raise ValueError(f"{text} is not a legal move in {self._board.fen()}") from None
        if not move:
            raise ValueError(f"{text} passes the turn, which chess does not allow")
        return _number(move)

    def write(self, move: int) -> str:
        return self._board.uci(_MOVES[move], chess960=self._wire960)

    def white_to_move(self) -> bool:
        return self._board.turn

    def diagram(self) -> str:
        return f"{self._board}\nFen: {self._board.fen()}"

    def legal(self) -> list[int]:
        legal = {_number(move) for move in self._board.legal_moves}
        return [move for move in (*self.noisy(ALL), *self.quiet()) if move in legal]

    def noisy(self, floor: int) -> list[int]:
        board = self._board
        turn = board.turn
        own, theirs = board.occupied_co[turn], board.occupied_co[not turn]
        pawns, their_pawns = board.pawns & own, board.pawns & theirs
        minors = (board.knights | board.bishops) & theirs
        rooks, queens = board.rooks & theirs, board.queens & theirs
        if turn:
            left, right, ahead = (pawns & _NOT_A) << 7, (pawns & _NOT_H) << 9, pawns << 8
            on_left, on_right, on_ahead = _SHIFTS[7], _SHIFTS[9], _SHIFTS[8]
        else:
            left, right, ahead = (pawns & _NOT_A) >> 9, (pawns & _NOT_H) >> 7, pawns >> 8
            on_left, on_right, on_ahead = _SHIFTS[-9], _SHIFTS[-7], _SHIFTS[-8]

        targets = theirs
        if floor > GAIN[chess.PAWN]:  # only what is worth the floor is worth going to
            targets = queens if floor > GAIN[chess.ROOK] else theirs & ~their_pawns
        moves: list[int] = []
        if floor <= PROMOTION_GAIN and (left | right | ahead) & _LAST_RANKS:
            last = targets & _LAST_RANKS
            free = ~board.occupied & _LAST_RANKS
            plain = (*on_left[left & last], *on_right[right & last], *on_ahead[ahead & free])
            moves += [move | chess.QUEEN << 12 for move in plain]
            if floor <= ALL:
                moves += [move | piece << 12 for move in plain for piece in _LESSER_PROMOTIONS]
        left &= targets & ~_LAST_RANKS
        right &= targets & ~_LAST_RANKS

        caught = left | right
        hits: list[tuple[Memo[int, tuple[int, ...]], int]] = []
        poor: list[int] = []  # a dear piece for a cheap one that is guarded
        light = their_pawns | minors
        cheap = (0, 0, their_pawns, their_pawns, light, light | rooks, 0)
        for square, reach, piece in self._reach():
            if reached := reach & targets:
                steps = _STEPS[square]
                for to in _SQUARES[reached & cheap[piece]]:
                    if board.is_attacked_by(not turn, to):
                        reached ^= 1 << to
                        if floor <= ALL:
                            poor.append(square | to << 6)
                caught |= reached
                hits.append((steps, reached))
        for victims in (queens, rooks, minors, their_pawns):
            if wanted := victims & caught:
                moves += on_left[left & wanted]
                moves += on_right[right & wanted]
                for steps, reached in hits:
                    if reached & wanted:
                        moves += steps[reached & wanted]
        if board.ep_square is not None and floor <= GAIN[chess.PAWN]:
            moves += map(_number, board.generate_pseudo_legal_ep())
        return moves + poor

    def quiet(self) -> list[int]:
        board = self._board
        turn = board.turn
        checkers = board.checkers_mask()
        free = block = ~board.occupied
        if checkers:  # only a king's step, or one piece between, ends a check without a capture
            king = board.kings & board.occupied_co[turn]
            alone = not checkers & (checkers - 1)
            block = chess.between(king.bit_length() - 1, checkers.bit_length() - 1) if alone else 0
        pawns = board.pawns & board.occupied_co[turn]
        if turn:
            single = pawns << 8 & free & ~_LAST_RANKS
            double = (single & chess.BB_RANK_3) << 8 & free
            moves = [*_SHIFTS[16][double & block], *_SHIFTS[8][single & block]]
        else:
            single = pawns >> 8 & free & ~_LAST_RANKS
            double = (single & chess.BB_RANK_6) >> 8 & free
            moves = [*_SHIFTS[-16][double & block], *_SHIFTS[-8][single & block]]
        for square, reach, piece in self._reach():
            moves += _STEPS[square][reach & (free if piece == chess.KING else block)]
        if board.castling_rights and not checkers:
            moves += map(_number, board.generate_castling_moves())
        return moves

    def _reach(self) -> list[tuple[chess.Square, chess.Bitboard, chess.PieceType]]:
        """Where the mover's pieces other than pawns stand, and what they attack; the cheapest first."""
        board = self._board
        occupied, own = board.occupied, board.occupied_co[board.turn]
        found = [(square, _KNIGHT[square], chess.KNIGHT) for square in _SQUARES[board.knights & own]]
        for square in _SQUARES[board.bishops & own]:
            found.append((square, _DIAGONAL[square][_DIAGONAL_MASK[square] & occupied], chess.BISHOP))
        for square in _SQUARES[(board.rooks | board.queens) & own]:
            reach = _RANK[square][_RANK_MASK[square] & occupied]
            reach |= _FILE[square][_FILE_MASK[square] & occupied]
            if board.queens >> square & 1:
                reach |= _DIAGONAL[square][_DIAGONAL_MASK[square] & occupied]
                found.append((square, reach, chess.QUEEN))
            else:
                found.append((square, reach, chess.ROOK))
        king = (board.kings & own).bit_length() - 1
        found.append((king, _KING[king], chess.KING))
        return found

    def possible(self, move: int) -> bool:
        board = self._board
        return not board.occupied >> (move >> 6 & 63) & 1 and board.is_pseudo_legal(_MOVES[move])

    def push(self, move: int) -> bool:
        board = self._board
        board.push(_MOVES[move])
        if board.was_into_check():
            board.pop()
            return False
        return True

    def skip(self) -> bool:
        board = self._board
        # With pawns alone every move may be a bad one, and passing would be a gift.
        if not board.occupied_co[board.turn] & ~(board.pawns | board.kings):
            return False
        board.push(_PASS)
        return True

    def pop(self) -> None:
        self._board.pop()

    def key(self) -> Hashable:
        board = self._board
        white, black = board.occupied_co[chess.WHITE], board.occupied_co[chess.BLACK]
        # FIDE 9.2.3.1: an en-passant capture makes a difference only while it can be made. Its square also
        # tells whose turn it is.
        turn = board.ep_square if board.has_legal_en_passant() else board.turn
        pieces = board.pawns, board.knights, board.bishops, board.rooks, board.queens
        return *pieces, white, black, board.castling_rights, turn

    def in_check(self) -> bool:
        return self._board.is_check()

    def repeated(self) -> int:
        return 0

    def drawn(self) -> bool:
        board = self._board
        return board.halfmove_clock >= 100 or (
            board.occupied.bit_count() <= 4 and board.is_insufficient_material()
        )

    def evaluate(self) -> int:
        board = self._board
        white, black = board.occupied_co[chess.WHITE], board.occupied_co[chess.BLACK]
        pawns, knights, bishops = board.pawns, board.knights, board.bishops
        rooks, queens, kings = board.rooks, board.queens, board.kings
        packed = (
            _WHITE_PAWN[pawns & white]
            - _BLACK_PAWN[pawns & black]
            + _WHITE_KNIGHT[knights & white]
            - _BLACK_KNIGHT[knights & black]
            + _WHITE_BISHOP[bishops & white]
            - _BLACK_BISHOP[bishops & black]
            + _WHITE_ROOK[rooks & white]
            - _BLACK_ROOK[rooks & black]
            + _WHITE_QUEEN[queens & white]
            - _BLACK_QUEEN[queens & black]
            + _WHITE_KING[kings & white]
            - _BLACK_KING[kings & black]
            + _PAWNS[pawns & white, pawns & black]
        )
        if not white & (white - 1) or not black & (black - 1):
            packed += _drive(white, black, kings)
        if not board.turn:
            packed = -packed
        phase = min(24, (knights | bishops).bit_count() + 2 * rooks.bit_count() + 4 * queens.bit_count())
        ending = (packed + _HALF & _FULL - 1) - _HALF
        middle = packed - ending >> _BITS
        return (middle * phase + ending * (24 - phase)) // 24 + TEMPO


GAME: Final = Chess
