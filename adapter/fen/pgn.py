"""The positions of recorded games; a move that cannot be read becomes a record to be refused."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from typing import TextIO, cast

import chess
import chess.pgn
import msgspec

from adapter.fen import check
from adapter.fen.files import Entry

_BAD_MOVE = re.compile(r"move [0-9]+, '(\S*)'")
_BAD_SAN = re.compile(r"san: '([^']*)'")


def read_pgn(lines: Iterator[tuple[int, str]], *, source: str, ply: int | None = None) -> Iterator[Entry]:
    """Every position of every game's main line, or the one after `ply` half-moves, as records.

    A game that begins from a bad record gives that record alone; one that breaks off at a move that is not
    legal ends with the moves up to it. `line` is where the game begins.
    """
    # python-chess reads the chess games, the xiangqi board's own reader the others
    text = _Text(lines)
    while True:
        text.at_game = text.number + 1
        found = chess.pgn.read_game(cast("TextIO", text), Visitor=_Positions)
        if found is None:
            return
        records, variant = found
        yield from _entries(records, Entry("", source, text.at_game, variant=variant), ply)


def read_xiangqi(lines: Iterator[tuple[int, str]], *, source: str, ply: int | None = None) -> Iterator[Entry]:
    """The same for xiangqi games in PGN or DhtmlXQ."""
    from adapter import variants
    from adapter.variants.xiangqi_games import read_games

    variant = variants.get("xiangqi")
    for first, text in _games(lines):
        for game in read_games(text):
            records = [game.record]
            if game.moves:
                board = variant.board(game.record)
                for move in game.moves:
                    board.push(move)
                    records.append(board.fen())
            bad = _BAD_MOVE.match(game.problem or "")
            if bad is not None:
                records.append(" ".join((game.record, "moves", *game.moves, bad[1])))
            entry = Entry("", source, first + game.line - 1, variant="xiangqi")
            yield from _entries(records, entry, ply)


def _entries(records: list[str], like: Entry, ply: int | None) -> Iterator[Entry]:
    """The records of a game as entries: all of them, or the one at a ply."""
    for number, record in enumerate(records):
        if ply is None or number == ply:
            yield msgspec.structs.replace(like, text=record, ply=number)


def _games(lines: Iterator[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """The text of one game at a time, with the number of its first line; a tag behind moves begins one."""
    first, gathered, moves = 1, list[str](), False
    for number, line in lines:
        tag = line.lstrip().startswith("[")
        begins = line.lstrip().startswith("[DhtmlXQ]") or (tag and moves and "DhtmlXQ" not in line)
        if begins and gathered:
            yield first, "".join(gathered)
            first, gathered, moves = number, [], False
        gathered.append(line)
        moves = moves or bool(line.strip() and not tag)
    if gathered:
        yield first, "".join(gathered)


class _Text(io.TextIOBase):
    """Numbered lines as the text stream python-chess reads; `at_game` is the line a game begins on."""

    def __init__(self, lines: Iterator[tuple[int, str]]) -> None:
        self.lines = lines
        self.number = 0
        self.at_game = 1

    def readline(self, size: int = -1, /) -> str:  # type: ignore[override]  # no size is ever asked for
        """The next line, empty at the end."""
        self.number, line = next(self.lines, (self.number, ""))
        if not line.strip() and self.at_game == self.number:
            self.at_game += 1
        return line


class _Positions(chess.pgn.BaseVisitor[tuple[list[str], str]]):
    """Collects the records of one game: text, not boards, so that a long game stays small."""

    def __init__(self) -> None:
        self.records: list[str] = []
        self.headers = chess.pgn.Headers({})
        self.moves: list[str] = []
        self.root = ""
        self.broken = False

    def begin_headers(self) -> chess.pgn.Headers:
        """Gathers the tags."""
        return self.headers

    def visit_header(self, tagname: str, tagvalue: str) -> None:
        """Keeps a tag."""
        self.headers[tagname] = tagvalue

    def end_headers(self) -> chess.pgn.SkipType | None:
        """Skips the moves of a game whose own record is bad: they prove nothing."""
        record = self.headers.get("FEN")
        if record is None:
            return None
        report = check(record, variant="chess960" if self.headers.is_chess960() else "auto")
        if report.ok:
            return None
        self.records.append(record)
        return chess.pgn.SKIP

    def visit_board(self, board: chess.Board) -> None:
        """Takes the position down, unless the game has broken off."""
        if self.broken:
            return
        record = board.fen(en_passant="fen")
        self.root = self.root or record
        self.records.append(record)

    def visit_move(self, board: chess.Board, move: chess.Move) -> None:
        """Remembers the move, should a later one be bad."""
        self.moves.append(move.uci())

    def begin_variation(self) -> chess.pgn.SkipType:
        """Leaves side lines out."""
        return chess.pgn.SKIP

    def handle_error(self, error: Exception) -> None:
        """Ends the game with the record of what cannot be read."""
        bad = _BAD_SAN.search(str(error))
        word = bad[1] if bad is not None else "?"
        self.broken = True
        self.records.append(" ".join((self.root or chess.STARTING_FEN, "moves", *self.moves, word)))

    def result(self) -> tuple[list[str], str]:
        """The records of the game, and which game it is as far as the tags tell."""
        return self.records, "chess960" if self.headers.is_chess960() else "auto"
