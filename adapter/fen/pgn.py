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
_TAG = re.compile(r'\s*\[\s*(\w+)\s+"(.*)"\s*\]\s*$')
_DHTMLXQ = "[DhtmlXQ]"
# How xiangqi names itself in the tags `Game` and `Variant`.
_XIANGQI = re.compile(r"chinese chess|xiangqi|象棋", re.IGNORECASE)
# A first move that is none of chess: Chinese, ICCS as xqbase writes it, which python-chess passes over in
# silence, or WXF.
_XIANGQI_MOVE = re.compile(
    r"(?:\s|[0-9]+[.．…、]+)*(?:[\u4e00-\u9fff]|[A-I][0-9]-[A-I][0-9]|[KRHNCAEBPkrhncaebp][1-9][-+=.][1-9])"
)
_COMMENT = re.compile(r"\{[^}]*\}|;[^\n]*|^%[^\n]*$", re.MULTILINE)


def read_pgn(
    lines: Iterator[tuple[int, str]], *, source: str, ply: int | None = None, variant: str = "auto"
) -> Iterator[Entry]:
    """Every position of every game's main line, or the one after `ply` half-moves, as records.

    Which game is played each tells by its tags, its record or its first move, unless `variant` says so. A
    game that begins from a bad record gives that record alone; one that breaks off at a move that is not
    legal ends with the moves up to it. Either is given for every later `ply` too, for the game may have had
    it; a game that ended before gives nothing. `line` is where the game begins.
    """
    # python-chess reads the chess games, the xiangqi board's own reader the others
    for first, text in _games(lines):
        read = _read_xiangqi if _is_xiangqi(text, variant) else _read_chess
        yield from read(first, text, source, ply)


def read_dhtmlxq(lines: Iterator[tuple[int, str]], *, source: str, ply: int | None = None) -> Iterator[Entry]:
    """The same for xiangqi games in DhtmlXQ, whatever stands around them."""
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
    from adapter import games
    from adapter.games.xiangqi.pgn import read_games

    variant = games.get("xiangqi")
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
        # a game without a single move stops at the record it begins from
        yield from _entries(records, entry, ply, bad is not None or bool(game.problem and not game.moves))


def _is_xiangqi(text: str, variant: str) -> bool:
    """Whether a game of a PGN file is one of xiangqi."""
    if variant != "auto":
        return variant == "xiangqi"
    tags = {tag[1].upper(): tag[2] for line in text.splitlines() if (tag := _TAG.match(line))}
    if any(_XIANGQI.search(tags.get(name, "")) for name in ("GAME", "VARIANT")):
        return True
    if "FEN" in tags:
        return tags["FEN"].count("/") == 9
    moves = "\n".join(line for line in text.splitlines() if not _TAG.match(line))
    return ("RED" in tags and "WHITE" not in tags) or bool(_XIANGQI_MOVE.match(_COMMENT.sub("", moves)))


def _entries(records: list[str], like: Entry, ply: int | None, broken: bool) -> Iterator[Entry]:
    """The records of a game as entries: all of them, or the one at a ply, or before it what the game broke
    off at."""
    wanted = min(ply, len(records) - 1) if broken and ply is not None else ply
    for number, record in enumerate(records):
        if wanted is None or number == wanted:
            yield msgspec.structs.replace(like, text=record, ply=number)


def _games(lines: Iterator[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """The text of one game at a time, with the number of its first line; a tag behind moves begins one.

    In a comment, which may go over lines, only the tag does that comes first in every game: a comment that is
    never closed must not swallow the games behind its own.
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


def _blocks(lines: Iterator[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """The text of one DhtmlXQ game at a time, with the number of its first line; what stands before the
    first is left out."""
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
    """Numbered lines as the text stream python-chess reads; `at_game` is the line a game begins on."""

    def __init__(self, lines: Iterator[tuple[int, str]], first: int) -> None:
        self.lines = lines
        self.number = first - 1
        self.at_game = first

    def readline(self, size: int = -1, /) -> str:  # type: ignore[override]  # no size is ever asked for
        """The next line, empty at the end."""
        self.number, line = next(self.lines, (self.number, ""))
        if not line.strip() and self.at_game == self.number:
            self.at_game += 1
        return line


class _Positions(chess.pgn.BaseVisitor[tuple[list[str], str, bool]]):
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
        self.broken = True
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

    def result(self) -> tuple[list[str], str, bool]:
        """The records of the game, which game it is by its tags, and whether the last record is bad."""
        return self.records, "chess960" if self.headers.is_chess960() else "auto", self.broken
