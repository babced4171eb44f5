"""Reads the positions of recorded games; a move that cannot be read becomes a record to be refused."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from typing import TextIO, cast

import chess
import chess.pgn
import msgspec

from adapter import games
from adapter.fen import check
from adapter.fen.files import Lines
from adapter.fen.report import Entry
from adapter.games.xiangqi.pgn import read_games

_XIANGQI = games.get("xiangqi")
_BAD_MOVE = re.compile(r"move [0-9]+, '(\S*)'")
_BAD_SAN = re.compile(r"san: '([^']*)'")
_TAG = re.compile(r'\s*\[\s*(\w+)\s+"(.*)"\s*\]\s*$')
_DHTMLXQ = "[DhtmlXQ]"
# Names of xiangqi in the tags `Game` and `Variant`.
_XIANGQI_NAME = re.compile(r"chinese chess|xiangqi|象棋", re.IGNORECASE)
# A first move that chess does not have: Chinese, ICCS as xqbase writes it, which python-chess skips silently,
# or WXF.
_XIANGQI_MOVE = re.compile(
    r"(?:\s|[0-9]+[.．…、]+)*(?:[\u4e00-\u9fff]|[A-I][0-9]-[A-I][0-9]|[KRHNCAEBPkrhncaebp][1-9][-+=.][1-9])"
)
_COMMENT = re.compile(r"\{[^}]*\}|;[^\n]*|^%[^\n]*$", re.MULTILINE)


def read_pgn(lines: Lines, *, source: str, ply: int | None = None, variant: str = "auto") -> Iterator[Entry]:
    """Yield every position of every game's main line, or the one after `ply` half-moves, as records.

    Each game's variant is detected from its tags, its record or its first move, unless `variant` names it. A
    game that begins from a bad record yields only that record; one with an illegal move ends with the moves
    up to it. Either is yielded for every later `ply` too, which the game may have had; a game that ended
    before yields nothing. `line` is where the game begins.
    """
    for first, text in _games(lines):
        read = _read_xiangqi if _is_xiangqi(text, variant) else _read_chess
        yield from read(first, text, source, ply)


def read_dhtmlxq(lines: Lines, *, source: str, ply: int | None = None) -> Iterator[Entry]:
    """Yield the positions of xiangqi games in DhtmlXQ, as `read_pgn` does, whatever stands around them."""
    for first, text in _blocks(lines):
        yield from _read_xiangqi(first, text, source, ply)


def _read_chess(first: int, text: str, source: str, ply: int | None) -> Iterator[Entry]:
    stream = _Text(enumerate(io.StringIO(text), first), first)
    while True:
        stream.at_game = stream.number + 1
        found = chess.pgn.read_game(cast("TextIO", stream), Visitor=_Positions)
        if found is None:
            return
        records, variant, broken = found
        yield from _entries(records, Entry("", source, stream.at_game, variant=variant), ply, broken)


def _read_xiangqi(first: int, text: str, source: str, ply: int | None) -> Iterator[Entry]:
    for game in read_games(text, _canonical):
        records = [game.record]
        if game.moves:
            board = _XIANGQI.board(game.record)
            for move in game.moves:
                board.push(move)
                records.append(board.fen())
        bad = _BAD_MOVE.match(game.problem or "")
        if bad is not None:
            records.append(" ".join((game.record, "moves", *game.moves, bad[1])))
        entry = Entry("", source, first + game.line - 1, variant=_XIANGQI.name)
        # a game without a single move stops at the record it begins from
        yield from _entries(records, entry, ply, bad is not None or bool(game.problem and not game.moves))


def _canonical(record: str) -> str:
    """Return the canonical form of a xiangqi record. Raises ValueError that says what is wrong."""
    report = check(record, variant=_XIANGQI.name)
    if report.fen is None:
        raise ValueError(next(found.message for found in report.problems if found.severity == "error"))
    return report.fen


def _is_xiangqi(text: str, variant: str) -> bool:
    """Whether a game of a PGN file is one of xiangqi."""
    if variant != "auto":
        return variant == _XIANGQI.name
    tags = {tag[1].upper(): tag[2] for line in text.splitlines() if (tag := _TAG.match(line))}
    if any(_XIANGQI_NAME.search(tags.get(name, "")) for name in ("GAME", "VARIANT")):
        return True
    if "FEN" in tags:
        return tags["FEN"].count("/") == _XIANGQI.slashes
    moves = "\n".join(line for line in text.splitlines() if not _TAG.match(line))
    return ("RED" in tags and "WHITE" not in tags) or bool(_XIANGQI_MOVE.match(_COMMENT.sub("", moves)))


def _entries(records: list[str], like: Entry, ply: int | None, broken: bool) -> Iterator[Entry]:
    """Yield the records of a game as entries: all, or the one at a ply, or the last of a broken game."""
    wanted = min(ply, len(records) - 1) if broken and ply is not None else ply
    for number, record in enumerate(records):
        if wanted is None or number == wanted:
            yield msgspec.structs.replace(like, text=record, ply=number)


def _games(lines: Lines) -> Lines:
    """Yield the text of one game at a time, with the number of its first line; a tag behind moves begins one.

    In a comment, which may span lines, only the tag that comes first in every game begins one: a comment that
    is never closed must not swallow the games behind its own.
    """
    first, gathered, moves, commented = 1, list[str](), False, False
    for number, line in lines:
        tag = _TAG.match(line)
        begins = tag is not None and (not commented or tag[1] == "Event")
        if begins and moves:
            yield first, "".join(gathered)
            gathered, moves = [], False
        if not gathered:
            first = number
        gathered.append(line)
        if begins:
            commented = False
        elif line.strip():
            moves = True
            opened, closed = line.rfind("{"), line.rfind("}")
            commented = opened > closed if max(opened, closed) >= 0 else commented
    if gathered:
        yield first, "".join(gathered)


def _blocks(lines: Lines) -> Lines:
    """Yield the text of one DhtmlXQ game at a time, with the number of its first line."""
    first, gathered = 0, list[str]()
    for number, line in lines:
        if _DHTMLXQ in line:
            if gathered:
                yield first, "".join(gathered)
            first, gathered = number, []
            line = line[line.index(_DHTMLXQ) :]
        if first:
            gathered.append(line)
    if gathered:
        yield first, "".join(gathered)


class _Text(io.TextIOBase):
    """Numbered lines as a text stream for python-chess; `at_game` is the line a game begins on."""

    def __init__(self, lines: Lines, first: int) -> None:
        self.lines = lines
        self.number = first - 1
        self.at_game = first

    def readline(self, size: int = -1, /) -> str:  # type: ignore[override]  # no size is ever asked for
        """Return the next line, empty at the end."""
        self.number, line = next(self.lines, (self.number, ""))
        if not line.strip() and self.at_game == self.number:
            self.at_game += 1
        return line


class _Positions(chess.pgn.BaseVisitor[tuple[list[str], str, bool]]):
    """Collects the records of one game as text, which takes less memory than boards."""

    def __init__(self) -> None:
        self.records: list[str] = []
        self.headers = chess.pgn.Headers({})
        self.moves: list[str] = []
        self.root = ""
        self.broken = False

    def begin_headers(self) -> chess.pgn.Headers:
        """Return the mapping for the tags."""
        return self.headers

    def visit_header(self, tagname: str, tagvalue: str) -> None:
        """Keep a tag."""
        self.headers[tagname] = tagvalue

    def end_headers(self) -> chess.pgn.SkipType | None:
        """Skip the moves of a game whose own record is bad."""
        record = self.headers.get("FEN")
        if record is None:
            return None
        report = check(record, variant="chess960" if self.headers.is_chess960() else "auto")
        if report.ok:
            return None
        self.broken = True
        self.records.append(record)
        return chess.pgn.SKIP

    def visit_board(self, board: chess.Board) -> None:
        """Keep the position, unless the game has broken off."""
        if self.broken:
            return
        record = board.fen(en_passant="fen")
        self.root = self.root or record
        self.records.append(record)

    def visit_move(self, board: chess.Board, move: chess.Move) -> None:
        """Keep the move for the record of a bad one."""
        self.moves.append(move.uci())

    def begin_variation(self) -> chess.pgn.SkipType:
        """Skip variations."""
        return chess.pgn.SKIP

    def handle_error(self, error: Exception) -> None:
        """End the game with a record of what cannot be read."""
        bad = _BAD_SAN.search(str(error))
        word = bad[1] if bad is not None else "?"
        self.broken = True
        self.records.append(" ".join((self.root or chess.STARTING_FEN, "moves", *self.moves, word)))

    def result(self) -> tuple[list[str], str, bool]:
        """Return the records, the variant by the tags, and whether the last record is bad."""
        return self.records, "chess960" if self.headers.is_chess960() else "auto", self.broken
