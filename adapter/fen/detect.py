"""Which game a record is of, when the caller leaves it open."""

from __future__ import annotations

import re

from adapter.fen import castling
from adapter.fen.fields import Fields
from adapter.fen.games import CHESS, CHESS960, GAMES, XIANGQI, Game
from adapter.fen.glyphs import BLACK_ONLY, EITHER, RED_ONLY
from adapter.fen.placement import MOST_CHARACTERS, read
from adapter.fen.typos import UNKNOWN

_CHINESE = frozenset((*BLACK_ONLY, *EITHER, *RED_ONLY))
_XIANGQI_MOVE = re.compile(r"(?=.*[i09])[a-i][0-9]-?[a-i][0-9]|[\u4e00-\u9fff1-9]{4}")
_MIRRORED = CHESS.home[:8][::-1], CHESS.home[56:][::-1]


def choose(variant: str, fields: Fields) -> Game:
    """The game called for, or the one the record looks like: ten ranks of nine are xiangqi, else chess."""
    if variant != "auto":
        return GAMES[variant]
    if fields.startpos:
        xiangqi = any(_XIANGQI_MOVE.fullmatch(move.raw) for move in fields.moves[:100])
        return XIANGQI if xiangqi else CHESS
    token = fields.placement
    if len(token.plain) > MOST_CHARACTERS:
        return CHESS
    if _xiangqi(token.plain, token.raw):
        return XIANGQI
    word = fields.words.get("castling")
    if word is None:
        return CHESS
    letters = castling.said(word.plain)
    rows = read(token, fields.source, CHESS).rows
    if not letters or not rows:
        return CHESS
    return CHESS960 if _castle_there(letters, [row.cells for row in rows]) else CHESS


def _castle_there(letters: list[str], rows: list[str]) -> bool:
    """Whether castling letters say Chess960, on a board whose back ranks may be damaged."""
    # letters of files, not all of them files of the classical rooks, are of no other game
    if all(letter not in "KQkq" for letter in letters) and any(letter not in "AHah" for letter in letters):
        return True
    black, white = (row if len(row) == 8 and UNKNOWN not in row else "" for row in (rows[0], rows[-1]))
    told = [letter for letter in letters if (white if letter.isupper() else black)]
    cells = black.ljust(8, ".") + "." * 48 + white.ljust(8, ".")
    return bool(told) and needs_chess960(told, cells)


def _xiangqi(plain: str, raw: str) -> bool:
    if _CHINESE.intersection(raw):
        return True
    rows = [row for row in plain.split("/") if row]
    widths = [sum(int(char) if char.isdigit() and char.isascii() else 1 for char in row) for row in rows]
    nine = sum(width == 9 for width in widths)
    return (len(rows) >= 9 and nine > len(rows) // 2) or widths == [90]


def needs_chess960(letters: list[str], cells: str) -> bool:
    """Whether file letters name rooks that are there, or KQkq mean rights that classical chess has not."""
    rights = [castling.resolve(letter, cells, CHESS960) for letter in letters]
    missing = sum(right.rook is None for right in rights)
    if missing:
        # letters of files, most of which name rooks: one of them is wrong, not the game
        return 2 * missing <= len(letters) > 1 and not set(letters) & set("KQkq")
    if any(letter not in "KQkq" for letter in letters):
        return True
    if all(castling.resolve(letter, cells, CHESS).rook is not None for letter in letters):
        return False
    # both sides begin alike, so kings or rooks on different files are a mistake and not another game
    kings = {right.king for right in rights}
    return len(kings) == 1 and not (_stale(rights, cells) or _reversed(cells))


def _stale(rights: list[castling.Right], cells: str) -> bool:
    """Whether rooks of one wing stand on different files, and some right is one that classical chess has."""
    wings = {(right.kingside, right.rook) for right in rights}
    unlike = len(wings) > len({right.kingside for right in rights})
    return unlike and any(castling.resolve(right.letter, cells, CHESS).rook is not None for right in rights)


def _reversed(cells: str) -> bool:
    """Whether what stands on the back ranks is the start position read from h to a."""
    return all(
        man in (".", home) or man.isupper() != home.isupper()
        for row, start in zip((cells[:8], cells[56:]), _MIRRORED, strict=True)
        for man, home in zip(row, start, strict=True)
    )
