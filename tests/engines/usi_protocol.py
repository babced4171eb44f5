"""USI, the Universal Shogi Interface (Romstad's draft, Shogidokoro's additions), as one file of a protocol.

It is the proof that a protocol is one file: nothing else in the project knows of it. Boards of 9 by 9 only.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from engines.info import Info, parse_info
from engines.protocols.base import Capabilities, Dialect
from engines.protocols.uci import DIALECT as UCI
from engines.score import Bound, Mate

_FILES, _RANKS = "abcdefghi", "123456789"
_MOVE = re.compile(r"(?:[1-9][a-i]|[plnsgbr]\*)[1-9][a-i][+=]?")
_HANDS = "RBGSNLP"  # their order in an SFEN, upper case first


def _square(text: str) -> str:
    """A square either way: USI numbers files from the right and letters ranks from the top."""
    if text[0] in _FILES:
        return f"{9 - _FILES.index(text[0])}{_FILES[9 - int(text[1])]}"
    return f"{_FILES[9 - int(text[0])]}{9 - _FILES.index(text[1])}"


def _encode(move: str, shift: int) -> str:
    if "@" in move:
        return f"{move[0].upper()}*{_square(move[2:4])}"
    return f"{_square(move[:2])}{_square(move[2:4])}{move[4:]}"


def _decode(text: str, shift: int) -> str:
    word = text.lower()  # as reports and best moves are kept
    if _MOVE.fullmatch(word) is None:
        raise ValueError(f"{text!r} has not the shape of a move")
    if word[1] == "*":
        return f"{word[0].upper()}@{_square(word[2:4])}"
    return f"{_square(word[:2])}{_square(word[2:4])}{word[4:].rstrip('=')}"


def _position_command(fen: str, moves: Sequence[str]) -> str:
    """A FEN has the hands in brackets behind the board and counts moves; an SFEN has plies."""
    board, side, *_, fullmove = fen.split()
    board, _, held = board.rstrip("]").partition("[")
    counts = [(letter, held.count(letter)) for letter in _HANDS + _HANDS.lower()]
    hands = "".join(f"{count if count > 1 else ''}{letter}" for letter, count in counts if count) or "-"
    ply = 2 * int(fullmove) - (side == "b")  # side letters are USI's by now: `b` moves first
    return f"position sfen {board} {side} {hands} {ply}" + (f" moves {' '.join(moves)}" if moves else "")


def _parse_info(line: bytes, mate_score: int | None) -> Info:
    """As in UCI, but that mates are counted in plies."""
    info = parse_info(line, mate_score)
    if isinstance(info.score, Mate):
        info.score = _in_moves(info.score)
    if info.bound is not None and isinstance(info.bound.score, Mate):
        info.bound = Bound(info.bound.kind, _in_moves(info.bound.score))
    return info


def _in_moves(score: Mate) -> Mate:
    plies = abs(score.mate)
    return Mate((plies + 1) // 2 if score.mate > 0 else -(plies // 2))


DIALECT: Dialect = msgspec.structs.replace(
    UCI,
    name="usi",
    title="USI",
    specification="USI",
    sections={},
    games=("shogi",),
    checked=False,
    hello="usi",
    reply_words={
        "id": "id",
        "option": "option",
        "usiok": "hello",
        "readyok": "ready",
        "info": "info",
        "bestmove": "bestmove",
        "checkmate": "other",
    },
    new_game="usinewgame",
    side_letters={"w": "b", "b": "w"},  # Sente, who moves first and up the board, is `b`
    no_move=frozenset(("resign", "win", "(none)", "")),
    position_command=_position_command,
    encode=_encode,
    decode=_decode,
    parse_info=_parse_info,
    fastpath=None,
    capabilities=Capabilities(
        limits=("depth", "nodes", "time", "clock", "infinite"),
        searchmoves=False,
        banmoves=False,
        isready_in_search=True,
        multipv=True,
        chess960=False,
        ponder=True,
    ),
)
