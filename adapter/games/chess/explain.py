"""Why a chess move is not legal, in one sentence that names the squares and pieces in the way."""

from __future__ import annotations

from collections.abc import Sequence

import chess


def listing(words: Sequence[str], last: str) -> str:
    """`a, b or c`."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {last} {words[-1]}"


def side_name(color: chess.Color) -> str:
    """White or Black."""
    return "White" if color else "Black"


def why_not(board: chess.Board, move: chess.Move) -> str:
    """What forbids `move`, which is not legal on `board` and is no other spelling of a legal one."""
    origin, target = chess.square_name(move.from_square), chess.square_name(move.to_square)
    piece = board.piece_at(move.from_square)
    if piece is None:
        return f"no piece stands on {origin}"
    name = chess.piece_name(piece.piece_type)
    if piece.color != board.turn:
        return f"the {name} on {origin} is {side_name(piece.color)}'s, and {side_name(board.turn)} is to move"
    if piece.piece_type == chess.KING and (kingside := _wing(board, move)) is not None:
        return why_no_castling(board, kingside)
    occupant = board.piece_at(move.to_square)
    if occupant is not None and occupant.color == piece.color:
        return f"{target} holds {_owned(occupant)}"
    if piece.piece_type == chess.PAWN:
        reason = _why_no_pawn_move(board, move)
    elif move.to_square not in _reach(piece, move.from_square):
        reason = f"a {name} does not move from {origin} to {target}"
    else:
        reason = _blocked(board, move.from_square, move.to_square)
        if not reason and move.promotion:
            reason = f"only a pawn promotes; write {origin}{target}"
    return reason or _why_unsafe(board, move)


def why_no_castling(board: chess.Board, kingside: bool) -> str:
    """What forbids the side to move to castle on that side."""
    side, wing = side_name(board.turn), "kingside" if kingside else "queenside"
    king = board.king(board.turn)
    back = chess.BB_RANK_1 if board.turn else chess.BB_RANK_8
    rooks = chess.SquareSet(board.clean_castling_rights() & back)
    rook = next((square for square in rooks if king is not None and (square > king) == kingside), None)
    if king is None or rook is None:
        return f"{side} has no right to castle {wing}"
    if board.is_check():
        return f"{side} is in check from {_pieces(board, board.checkers())} and may not castle out of it"
    rank = chess.square_rank(king)
    king_to, rook_to = (chess.square(file, rank) for file in ((6, 5) if kingside else (2, 3)))
    king_path = _through(king, king_to)
    crowd = chess.SquareSet(board.occupied) & (king_path | _through(rook, rook_to))
    for square in sorted(crowd - chess.SquareSet([king, rook])):
        occupant = board.piece_at(square)
        if occupant is not None:
            return f"{side} cannot castle {wing}: {chess.square_name(square)} holds {_owned(occupant)}"
    crowd = chess.SquareSet(board.occupied) - chess.SquareSet([king])
    for square in king_path - chess.SquareSet([king_to]):
        if attackers := board.attackers(not board.turn, square, crowd):
            name = chess.square_name(square)
            return f"castling {wing} the king would pass {name}, attacked by {_pieces(board, attackers)}"
    crowd = crowd - chess.SquareSet([rook]) | chess.SquareSet([rook_to])
    attackers = board.attackers(not board.turn, king_to, crowd)
    name = chess.square_name(king_to)
    return f"castling {wing} the king would land on {name}, attacked by {_pieces(board, attackers)}"


def _wing(board: chess.Board, move: chess.Move) -> bool | None:
    """Whether a king's move means to castle kingside (True), queenside (False), or not to castle at all."""
    home = chess.BB_RANK_1 if board.turn else chess.BB_RANK_8
    origin, target = chess.BB_SQUARES[move.from_square], chess.BB_SQUARES[move.to_square]
    if not (origin & home and target & home):
        return None
    if board.clean_castling_rights() & target:
        return move.to_square > move.from_square
    far = chess.square_distance(move.from_square, move.to_square) > 1
    return {6: True, 2: False}.get(chess.square_file(move.to_square)) if far else None


def _why_no_pawn_move(board: chess.Board, move: chess.Move) -> str:
    origin, target = chess.square_name(move.from_square), chess.square_name(move.to_square)
    up = 8 if board.turn else -8
    steps = [move.from_square + up, move.from_square + 2 * up]
    if move.to_square in chess.SquareSet(chess.BB_PAWN_ATTACKS[board.turn][move.from_square]):
        if board.piece_at(move.to_square) is None and move.to_square != board.ep_square:
            return _why_nothing_to_take(board, move)
    elif move.to_square not in steps:
        return f"a pawn does not move from {origin} to {target}"
    else:
        if move.to_square == steps[1] and chess.square_rank(move.from_square) != (1 if board.turn else 6):
            return f"a pawn moves two squares only from rank {2 if board.turn else 7}"
        for square in steps[: steps.index(move.to_square) + 1]:
            occupant = board.piece_at(square)
            if occupant is not None:
                return (
                    f"the pawn on {origin} is blocked: {chess.square_name(square)} holds {_owned(occupant)}"
                )
    last = chess.square_rank(move.to_square) == (7 if board.turn else 0)
    if last and move.promotion is None:
        choices = listing([f"{origin}{target}{letter}" for letter in "qrbn"], "or")
        return f"the promotion piece is missing; write {choices}"
    if move.promotion is not None and not last:
        return f"a pawn promotes only on rank {8 if board.turn else 1}; write {origin}{target}"
    return ""


def _why_nothing_to_take(board: chess.Board, move: chess.Move) -> str:
    beside = chess.square(chess.square_file(move.to_square), chess.square_rank(move.from_square))
    target = chess.square_name(move.to_square)
    if board.piece_at(beside) == chess.Piece(chess.PAWN, not board.turn):
        passed = chess.square_name(beside)
        return f"the pawn on {passed} cannot be taken en passant: {target} is not the en-passant square"
    return f"a pawn moves diagonally only to take, and {target} is empty"


def _reach(piece: chess.Piece, square: chess.Square) -> chess.SquareSet:
    empty = chess.BaseBoard(None)
    empty.set_piece_at(square, piece)
    return empty.attacks(square)


def _blocked(board: chess.Board, origin: chess.Square, target: chess.Square) -> str:
    crowd = chess.SquareSet.between(origin, target) & chess.SquareSet(board.occupied)
    if target in board.attacks(origin) or not crowd:
        return ""
    nearest = min(crowd, key=lambda square: chess.square_distance(origin, square))
    way = f"the way from {chess.square_name(origin)} to {chess.square_name(target)}"
    occupant = board.piece_at(nearest)
    return f"{way} is blocked: {chess.square_name(nearest)} holds {_owned(occupant)}" if occupant else ""


def _why_unsafe(board: chess.Board, move: chess.Move) -> str:
    after = board.copy(stack=False)
    after.push(move)
    after.turn = board.turn
    king = after.pieces(chess.KING, board.turn).pop()
    still = " still" if board.is_check() and king == board.king(board.turn) else ""
    attackers = _pieces(after, after.checkers())
    return f"the king on {chess.square_name(king)} would{still} be in check from {attackers}"


def _through(start: chess.Square, end: chess.Square) -> chess.SquareSet:
    """The squares passed on the way, the last one with them."""
    return chess.SquareSet.between(start, end) | chess.SquareSet([end])


def _owned(piece: chess.Piece) -> str:
    return f"{side_name(piece.color)}'s {chess.piece_name(piece.piece_type)}"


def _pieces(board: chess.Board, squares: chess.SquareSet) -> str:
    found = ((board.piece_type_at(square), chess.square_name(square)) for square in squares)
    return listing([f"the {chess.piece_name(kind)} on {name}" for kind, name in found if kind], "and")
