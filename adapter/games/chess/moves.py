"""Chess moves as people write them: UCI in any case, SAN with its ornaments, castling in every spelling."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NoReturn

import chess

from adapter.games.chess.explain import listing, side_name, why_no_castling, why_not

_LETTERS = {chess.KNIGHT: "N", chess.BISHOP: "B", chess.ROOK: "R", chess.QUEEN: "Q"}


def san_and_push(board: chess.Board, move: chess.Move) -> str:
    """Plays a legal move; the move in SAN (PGN standard, 8.2.3)."""
    target = move.to_square
    letter = _LETTERS.get(board.piece_type_at(move.from_square) or 0)
    if letter is None or _rivals(board, move.from_square, target):
        return board.san_and_push(move)
    capture = "x" if board.occupied & chess.BB_SQUARES[target] else ""
    board.push(move)
    suffix = ""
    if board.is_check():
        suffix = "+" if any(board.generate_legal_moves()) else "#"
    return f"{letter}{capture}{chess.SQUARE_NAMES[target]}{suffix}"


def _rivals(board: chess.Board, start: int, target: int) -> int:
    """The other pieces of this one's kind and colour that reach the square, pinned ones included."""
    piece = chess.BB_SQUARES[start]
    if board.knights & piece:
        return board.knights & board.occupied_co[board.turn] & ~piece & chess.BB_KNIGHT_ATTACKS[target]
    straight, diagonal = not board.bishops & piece, not board.rooks & piece
    alike = board.queens if straight and diagonal else board.rooks if straight else board.bishops
    alike &= board.occupied_co[board.turn] & ~piece
    if not alike:
        return 0
    reach = 0
    if straight:
        reach |= chess.BB_RANK_ATTACKS[target][chess.BB_RANK_MASKS[target] & board.occupied]
        reach |= chess.BB_FILE_ATTACKS[target][chess.BB_FILE_MASKS[target] & board.occupied]
    if diagonal:
        reach |= chess.BB_DIAG_ATTACKS[target][chess.BB_DIAG_MASKS[target] & board.occupied]
    return alike & reach


_UCI = re.compile(r"([a-h][1-8])[-:x]?([a-h][1-8])=?([a-z])?")
# In capitals B1C3 is b1c3; B1c3 is SAN, the bishop of the first rank. Only the promotion's case is free.
_UCI_CAPITALS = re.compile(r"([A-H][1-8])-?([A-H][1-8])=?([A-Za-z])?")
_SAN = re.compile(
    r"(?P<piece>[KQRBNP]|[kqrn](?=[a-h1-8x:-]))?(?P<file>[a-h])?(?P<rank>[1-8])?[-x:]?"
    r"(?P<to>[a-h][1-8])(?:[=/]?\(?(?P<promotion>[A-Za-z])\)?)?"
)
_CASTLING = re.compile(r"([0Oo])-?\1(-?\1)?")
# Checks, mates, judgements, and the words for en passant add nothing to a move.
_ORNAMENTS = re.compile(r"(?:\s*(?:\+|#|!|\?|‼|⁇|⁉|⁈|†|‡|\(?e\.?p\.?\)?))+$")
_FIGURINES = str.maketrans(
    {figurine: letter for row in ("♔♕♖♗♘♙", "♚♛♜♝♞♟") for figurine, letter in zip(row, "KQRBNP", strict=True)}
    | dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-")
    | {"×": "x", "\ufe0e": "", "\ufe0f": ""}
)
_NULL = frozenset({"0000", "--", "z0", "@@@@", "null", "(none)"})
_LONGEST = len("e7xf8=Q++!? (e.p.)")
_PROMOTIONS = "qrbn"


def read_move(board: chess.Board, text: str) -> chess.Move:
    """The legal move that `text` means, as python-chess spells it for this board.

    Raises ValueError with a sentence and `move-syntax` (no chess move can be read from it) or `move-illegal`.
    """
    bare = text.strip().translate(_FIGURINES)
    if bare.lower() in _NULL:
        _refuse("it stands for no move at all, and passing is against the rules")
    plain = _ORNAMENTS.sub("", bare[: _LONGEST + 1])
    for pattern, reader in _READERS:
        if match := pattern.fullmatch(plain):
            return reader(board, match)
    raise ValueError("it is no chess move; write e2e4 (UCI) or Nf3 (SAN)", "move-syntax")


def _refuse(sentence: str) -> NoReturn:
    raise ValueError(sentence, "move-illegal")


def _squares(board: chess.Board, match: re.Match[str]) -> chess.Move:
    origin, target = (chess.parse_square(name.lower()) for name in match.group(1, 2))
    promotion = _promotion(match.group(3))
    if origin == target:
        _refuse("a move has to leave its square")
    move = chess.Move(origin, target, promotion)
    if board.is_legal(move):
        return move
    return _castling_meant(board, move) or _refuse(why_not(board, move))


def _castling_meant(board: chess.Board, move: chess.Move) -> chess.Move | None:
    """The castling that brings the king where `move` does: e1g1 for a Chess960 king that takes its rook."""
    if move.from_square != board.king(board.turn) or move.promotion:
        return None
    for castling in board.generate_castling_moves():
        file = 6 if board.is_kingside_castling(castling) else 2
        if move.to_square == chess.square(file, chess.square_rank(move.from_square)):
            return castling
    return None


def _castling(board: chess.Board, match: re.Match[str]) -> chess.Move:
    kingside = match.group(2) is None
    for move in board.generate_castling_moves():
        if board.is_kingside_castling(move) == kingside:
            return move
    _refuse(why_no_castling(board, kingside))


def _san(board: chess.Board, match: re.Match[str]) -> chess.Move:
    target = chess.parse_square(match["to"])
    piece = chess.PIECE_SYMBOLS.index((match["piece"] or "P").lower())
    promotion = _promotion(match["promotion"])
    origins = board.pieces_mask(piece, board.turn)
    if match["file"]:
        origins &= chess.BB_FILES[chess.FILE_NAMES.index(match["file"])]
    elif piece == chess.PAWN and not match["rank"]:
        origins &= chess.BB_FILES[chess.square_file(target)]
    if match["rank"]:
        origins &= chess.BB_RANKS[int(match["rank"]) - 1]
    # A square of one's own is left out: a Chess960 king that takes its rook is castling, never Kh1.
    targets = chess.BB_SQUARES[target] & ~board.occupied_co[board.turn]
    moves = [move for move in board.generate_legal_moves(origins, targets) if move.promotion == promotion]
    if len(moves) == 1:
        return moves[0]
    if moves:
        _refuse(f"it could be {listing(sorted(map(board.san, moves)), 'or')}: say which")
    if piece == chess.KING:
        for origin in chess.SquareSet(origins):
            meant = chess.Move(origin, target)
            if castling := _castling_meant(board, meant):
                return castling
            if board.is_legal(meant):
                _refuse(f"{match['to']} holds the king's own rook; castling is written {board.san(meant)}")
    _refuse(_why_no_san(board, piece, origins, target, promotion))


def _why_no_san(board: chess.Board, piece: int, origins: int, target: int, promotion: int | None) -> str:
    name, side = chess.piece_name(piece), side_name(board.turn)
    squares = chess.SquareSet(origins)
    if not squares:
        return f"{side} has no {name} that could be meant"
    near = squares & board.attackers(board.turn, target) if piece != chess.PAWN else squares
    if len(near or squares) == 1 or piece == chess.PAWN:
        origin = min(near or squares, key=lambda square: chess.square_distance(square, target))
        return why_not(board, chess.Move(origin, target, promotion))
    if near:
        return why_not(board, chess.Move(min(near), target, promotion))
    places = listing([chess.square_name(square) for square in squares], "and")
    return f"none of {side}'s {name}s ({places}) can go to {chess.square_name(target)}"


def _promotion(letter: str | None) -> int | None:
    if letter is None:
        return None
    if letter.lower() not in _PROMOTIONS:
        _refuse(f"a pawn becomes a queen, rook, bishop or knight (q, r, b, n), not {letter!r}")
    return chess.PIECE_SYMBOLS.index(letter.lower())


_READERS: tuple[tuple[re.Pattern[str], Callable[[chess.Board, re.Match[str]], chess.Move]], ...] = (
    (_UCI, _squares),
    (_UCI_CAPITALS, _squares),
    (_CASTLING, _castling),
    (_SAN, _san),
)
