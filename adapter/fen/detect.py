"""Which game a record is of, when the caller leaves it open."""

from __future__ import annotations

import re
from collections import Counter

from adapter.fen import castling
from adapter.fen.board_field import MOST_CHARACTERS, read
from adapter.fen.cleanup import BLACK_ONLY, EITHER, RED_ONLY
from adapter.fen.fields import Fields
from adapter.fen.rank_edits import UNKNOWN
from adapter.fen.report import Report
from adapter.games.geometry import CHESS, CHESS960, GEOMETRIES, XIANGQI, Geometry, expand

_CHINESE = frozenset((*BLACK_ONLY, *EITHER, *RED_ONLY))
_XIANGQI_MOVE = re.compile(r"(?=.*[i09])[a-i][0-9]-?[a-i][0-9]|[\u4e00-\u9fff1-9]{4}")
_CLASSICAL = 0, 4, 7  # the files of the queenside rook, the king and the kingside rook
_MIRRORED = CHESS.home[:8][::-1], CHESS.home[56:][::-1]


def choose(variant: str, fields: Fields) -> Geometry:
    """The game called for, or the one the record looks like: ten ranks of nine are xiangqi, else chess."""
    if variant != "auto":
        return GEOMETRIES[variant]
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


def rights_lost(fields: Fields, report: Report) -> int:
    """How many rights of a record no repair keeps."""
    word = fields.words.get("castling")
    letters = castling.said(word.plain) if word is not None else []
    kept = [len(field) for field in (record.split(" ")[2] for record in _records(report)) if field != "-"]
    return len(letters) - max(kept, default=0)


def mended_says_chess960(fields: Fields, report: Report) -> bool:
    """Whether the rights of a record say Chess960 on the board that a report on it as such mends."""
    letters = castling.said(fields.words["castling"].plain)
    records = _records(report)
    return bool(records) and needs_chess960(letters, expand(records[0].split(" ", 1)[0]))


def _records(report: Report) -> list[str]:
    return [record for record in (report.fen, report.fixed, *report.suggestions) if record is not None]


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
    files = [letter for letter in letters if letter not in "KQkq"]
    if missing and len(files) == len(letters):
        # letters of files, most of which name rooks: one of them is wrong, not the game
        return 2 * missing <= len(letters) > 1
    if files and not missing:
        return True
    classical = sum(castling.resolve(letter, cells, CHESS).rook is not None for letter in letters)
    if classical == len(letters) or _reversed(cells):
        return False
    alike = len({right.king for right in rights}) == 1 and not (classical and _stale(rights))
    return (alike and not missing) or _clearly(rights, classical, cells)


def _clearly(rights: list[castling.Right], classical: int, cells: str) -> bool:
    """Whether rights, some of them without a rook, are still those of Chess960, which keeps clearly more.

    Both sides begin alike, so all others must have the king on one file, and the rooks of a wing on one: one
    that has not would pass for a right of Chess960 unseen. With the kings at home in chess as well, men that
    stand as both sides' began elsewhere have to say that it is not.
    """
    kings = dict.fromkeys(right.king for right in rights)
    kept, array = max((_array(rights, king) for king in kings), key=lambda found: found[0])
    if kept < sum(right.rook is not None for right in rights):
        return False
    ranks = zip(cells[:8].upper(), cells[56:].upper(), CHESS.home[56:], strict=True)
    pairs = [one == home for one, two, home in ranks if one == two and one in "NBQ"]
    elsewhere = pairs.count(False)
    if kept - classical >= 2 and (array[1] != _CLASSICAL[1] or elsewhere >= pairs.count(True)):
        # two may be left by chance, where king and rooks of chess have moved along the rank
        strange = all(file not in (None, home) for file, home in zip(array, _CLASSICAL, strict=True))
        if kept >= 3 or strange:
            return True
    return kept > classical and elsewhere >= 2


def _array(rights: list[castling.Right], king: int | None) -> tuple[int, tuple[int | None, ...]]:
    """How many rights fit one start position with the king on this file, and its files of rooks and king.

    The files are those of the queenside rook, the king and the kingside rook, None for one not told.
    """
    kept = 0
    rooks: list[int | None] = []
    for kingside in (False, True):
        files = Counter(
            right.rook
            for right in rights
            if right.king == king and right.rook is not None and right.kingside == kingside
        )
        file, number = files.most_common(1)[0] if files else (None, 0)
        kept += number
        rooks.append(file)
    return kept, (rooks[0], king, rooks[1])


def _stale(rights: list[castling.Right]) -> bool:
    """Whether rooks of one wing stand on different files."""
    wings = {(right.kingside, right.rook) for right in rights}
    return len(wings) > len({right.kingside for right in rights})


def _reversed(cells: str) -> bool:
    """Whether what stands on the back ranks is the start position read from h to a."""
    return all(
        man in (".", home) or man.isupper() != home.isupper()
        for row, start in zip((cells[:8], cells[56:]), _MIRRORED, strict=True)
        for man, home in zip(row, start, strict=True)
    )
