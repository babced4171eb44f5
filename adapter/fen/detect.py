"""Detects which game a record belongs to, when the caller leaves it open."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator

from adapter import games
from adapter.fen import castling
from adapter.fen.board_field import MOST_CHARACTERS, UNKNOWN, Placement, read
from adapter.fen.fields import Fields
from adapter.fen.report import Report
from adapter.fen.source import Token
from adapter.games.base import Game
from adapter.games.cells import expand

CHESS, CHESS960 = games.get("chess"), games.get("chess960")
_MOST_MOVES = 100  # that are looked at
_CLASSICAL = 0, 4, 7  # the files of the queenside rook, the king and the kingside rook
_MIRRORED = CHESS.home[:8][::-1], CHESS.home[56:][::-1]


def detect_game(variant: str, fields: Fields) -> tuple[Game, Placement | None]:
    """Return the game asked for or that the record looks like, and its placement (none for `startpos`)."""
    auto = variant == "auto"
    if fields.startpos:
        return _game_of_moves([move.raw for move in fields.moves]) if auto else games.get(variant), None
    token = fields.placement
    game = _game_of_board(token) if auto else games.get(variant)
    placement = read(token, fields.source, game)
    word = fields.words.get("castling")
    if auto and game is CHESS and word is not None and len(token.plain) <= MOST_CHARACTERS:
        letters = castling.letters_in(word.plain)
        if letters and placement.rows and _castles960(letters, [row.cells for row in placement.rows]):
            game = CHESS960  # has the board of chess
    return game, placement


def _game_of_moves(moves: list[str]) -> Game:
    """Return the game whose own moves occur among these, or else chess."""
    found = (
        game
        for game in map(games.get, games.NAMES)
        if game.own_move and any(re.fullmatch(game.own_move, move) for move in moves[:_MOST_MOVES])
    )
    return next(found, CHESS)


def _game_of_board(token: Token) -> Game:
    """Return the game whose pieces or sizes of ranks the board has, or else chess."""
    if len(token.plain) > MOST_CHARACTERS:
        return CHESS
    known = list(map(games.get, games.NAMES))
    rows = [row for row in token.plain.split("/") if row]
    widths = [sum(int(char) if char.isdigit() and char.isascii() else 1 for char in row) for row in rows]
    characters = (game for game in known if not game.characters.keys().isdisjoint(token.raw))
    sizes = (
        game
        for game in known
        if (len(rows) >= game.slashes and widths.count(game.width) > len(rows) // 2) or widths == [game.size]
    )
    return next(characters, None) or next(sizes, CHESS)


def rights_lost(fields: Fields, report: Report) -> int:
    """Count the rights of a record that no repair keeps."""
    word = fields.words.get("castling")
    letters = castling.letters_in(word.plain) if word is not None else []
    kept = [len(field) for field in (record.split(" ")[2] for record in _records(report)) if field != "-"]
    return len(letters) - max(kept, default=0)


def repaired_says_chess960(fields: Fields, report: Report) -> bool:
    """Whether the rights of a record say Chess960 on the board that a report on it as such repairs."""
    letters = castling.letters_in(fields.words["castling"].plain)
    record = next(_records(report), None)
    return record is not None and needs_chess960(letters, expand(record.split(" ", 1)[0]))


def _records(report: Report) -> Iterator[str]:
    return (record for record in (report.fen, report.fixed, *report.suggestions) if record is not None)


def _castles960(letters: list[str], rows: list[str]) -> bool:
    """Whether castling letters say Chess960, on a board whose back ranks may be damaged."""
    # letters of files, not all of them files of the classical rooks, are of no other game
    if all(letter not in "KQkq" for letter in letters) and any(letter not in "AHah" for letter in letters):
        return True
    black, white = (row if len(row) == 8 and UNKNOWN not in row else "" for row in (rows[0], rows[-1]))
    readable = [letter for letter in letters if (white if letter.isupper() else black)]
    cells = black.ljust(8, ".") + "." * 48 + white.ljust(8, ".")
    return bool(readable) and needs_chess960(readable, cells)


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
    if (
        len({right.king for right in rights}) == 1
        and not missing
        and not (classical and _wings_differ(rights))
    ):
        return True
    return _clearly_chess960(rights, classical, cells)


def _clearly_chess960(rights: list[castling.Right], classical: int, cells: str) -> bool:
    """Whether rights, some of them without a rook, are still those of Chess960, which keeps clearly more.

    Both sides begin alike, so all others must have the king on one file, and the rooks of a wing on one: one
    that has not would pass for a right of Chess960 unseen. With the kings at home in chess as well, pieces
    that stand as both sides' began elsewhere have to show that it is not.
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


def _array(rights: Collection[castling.Right], king: int | None) -> tuple[int, tuple[int | None, ...]]:
    """Count the rights that fit one start position with the king on this file; return its files, too.

    The files are those of the queenside rook, the king and the kingside rook, None for an unknown one.
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


def _wings_differ(rights: list[castling.Right]) -> bool:
    """Whether rooks of one wing stand on different files."""
    wings = {(right.kingside, right.rook) for right in rights}
    return len(wings) > len({right.kingside for right in rights})


def _reversed(cells: str) -> bool:
    """Whether what stands on the back ranks is the start position read from h to a."""
    return all(
        piece in (".", home) or piece.isupper() != home.isupper()
        for row, start in zip((cells[:8], cells[56:]), _MIRRORED, strict=True)
        for piece, home in zip(row, start, strict=True)
    )
