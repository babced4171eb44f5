"""Recorded xiangqi games out of PGN and DhtmlXQ text: the root record, the moves, the headers.

PGN follows xqbase's standard (tags `Game`, `Red`, `Black`, `FEN`, `Format` …) with moves in ICCS, WXF or
Chinese, whatever `Format` says; DhtmlXQ is the text of the dpxq.com viewer. Variations and comments are left
out.

>>> game = next(read_games('[Red "A"]\\n\\n1. 炮二平五 馬８進７ *'))
>>> game.moves, game.headers
(('h2e2', 'h9g7'), {'Red': 'A'})
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from adapter.fen import check
from adapter.games.xiangqi.board import START, XiangqiBoard
from adapter.games.xiangqi.notation import settle
from adapter.games.xiangqi.tables import FILES


class RecordedGame(msgspec.Struct, frozen=True):
    """One game of a file.

    `record` is the canonical root (the text as given where it is no legal position, and then there are no
    moves), `moves` the canonical moves as far as they could be read, `line` where the game begins, counted
    from 1, `problem` says what stopped the reading, None when nothing did.
    """

    record: str
    moves: tuple[str, ...]
    headers: dict[str, str]
    line: int
    problem: str | None = None


def read_games(source: str | bytes) -> Iterator[RecordedGame]:
    """The games of a text in either format, in order. Bytes are decoded by `decode`.

    Never raises for what the text holds: a game that cannot be read to its end says so in `problem`.
    """
    text = decode(source) if isinstance(source, bytes) else source
    return _dhtmlxq(text) if "[DhtmlXQ" in text else _pgn(text)


# What xiangqi records are full of; in the wrong Chinese encoding these characters do not appear.
_TELLTALES = "平進进退炮馬马車车兵卒仕士相象紅红黑"


def decode(data: bytes) -> str:
    """The text of a game file: UTF-8, with or without a mark, or else the likelier of GB18030 and Big5."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        readings = [data.decode(encoding, "replace") for encoding in ("gb18030", "big5")]
        return max(readings, key=lambda text: sum(map(text.count, _TELLTALES)) - text.count("\ufffd"))


# PGN

_TAG = re.compile(r'\s*\[\s*(\w+)\s+"(.*)"\s*\]\s*$')
_TOKEN = re.compile(r"\{[^}]*(?:\}|$)|;[^\n]*|[()]|[^\s{}();]+")
_SKIPPED = re.compile(r"[{;].*|\$\d+|\d*[.．…、]*", re.DOTALL)
_RESULTS = {"1-0", "0-1", "1/2-1/2", "*"}
_NUMBER = re.compile(r"\d+[.．…、]+")


def _pgn(text: str) -> Iterator[RecordedGame]:
    headers: dict[str, str] = {}
    movetext: list[str] = []
    begin = 1
    commented = False
    for number, line in enumerate(text.splitlines(), 1):
        tag = None if commented else _TAG.match(line)
        if tag:
            if "".join(movetext).strip():
                yield _pgn_game(headers, "\n".join(movetext), begin)
                headers = {}
            if not headers:
                begin = number
            movetext = []
            headers[tag[1]] = tag[2].replace('\\"', '"')
        elif not line.startswith("%"):  # PGN standard 6: a line of another program's
            movetext.append(line)
            _, brace, after = line.rpartition("{")
            commented = "}" not in after if brace else commented and "}" not in line
    if headers or "".join(movetext).strip():
        yield _pgn_game(headers, "\n".join(movetext), begin)


def _pgn_game(headers: dict[str, str], movetext: str, line: int) -> RecordedGame:
    record = next((value for tag, value in headers.items() if tag.upper() == "FEN"), START)
    return _played(record, _move_words(movetext), headers, line)


def _move_words(movetext: str) -> Iterator[str]:
    """The words of the main line that should be moves."""
    depth = 0
    for token in _TOKEN.findall(movetext):
        if token in "()":
            depth += 1 if token == "(" else -1
        elif depth <= 0 and not _SKIPPED.fullmatch(token):
            if token in _RESULTS:
                return
            yield token


# DhtmlXQ

_BLOCK = re.compile(r"\[DhtmlXQ\]")
_ITEM = re.compile(r"\[DhtmlXQ_(\w+)\](.*?)\[/DhtmlXQ_", re.DOTALL)
# The order of the pieces in binit; 99 stands for one that is off the board.
_MEN = "RNBAKABNRCCPPPPP" + "rnbakabnrccppppp"
_TAGS = {
    "title": "Title", "event": "Event", "date": "Date", "place": "Site", "round": "Round", "red": "Red",
    "redteam": "RedTeam", "black": "Black", "blackteam": "BlackTeam", "result": "Result", "open": "Opening",
}  # fmt: skip


def _dhtmlxq(text: str) -> Iterator[RecordedGame]:
    begins = [match.start() for match in _BLOCK.finditer(text)] or [0]
    for begin, end in zip(begins, [*begins[1:], len(text)], strict=True):
        items = {name.lower(): value.strip() for name, value in _ITEM.findall(text[begin:end])}
        headers = {tag: items[name] for name, tag in _TAGS.items() if items.get(name)}
        digits = re.sub(r"\D", "", items.get("movelist", ""))
        words = [
            _point(digits[at : at + 2]) + _point(digits[at + 2 : at + 4]) for at in range(0, len(digits), 4)
        ]
        cells = _setup(items.get("binit", ""))
        # Nothing says who begins but the first move itself.
        black = bool(words) and cells.get(words[0][:2], "").islower()
        record = f"{_placement(cells)} {'b' if black else 'w'} - - 0 1" if cells else START
        yield _played(record, iter(words), headers, text.count("\n", 0, begin) + 1)


def _point(digits: str) -> str:
    """Column from the left, then row from Black's side; empty for what is no point of the board."""
    return f"{FILES[int(digits[0])]}{9 - int(digits[1])}" if len(digits) == 2 and digits[0] < "9" else ""


def _setup(binit: str) -> dict[str, str]:
    """The pieces by point; none when the text gives no position."""
    points = (_point(binit[at : at + 2]) for at in range(0, len(binit), 2))
    return {point: man for point, man in zip(points, _MEN, strict=False) if point}


def _placement(cells: dict[str, str]) -> str:
    rows = ("".join(cells.get(f"{file}{rank}", "1") for file in FILES) for rank in range(9, -1, -1))
    return re.sub("1+", lambda run: str(len(run[0])), "/".join(rows))


# Both


def _played(record: str, words: Iterator[str], headers: dict[str, str], line: int) -> RecordedGame:
    """The game with its record checked and its moves played as far as they are legal."""
    if record != START:
        report = check(record, variant="xiangqi")
        if report.fen is None:
            problem = next(found.message for found in report.problems if found.severity == "error")
            return RecordedGame(record, (), headers, line, f"the record {record!r} is not legal: {problem}")
        record = report.fen
    board = XiangqiBoard(record)
    moves: list[str] = []
    given = list(words)
    meant = settle(given)
    for word in given:
        try:
            move = _read(board, meant(word))
        except ValueError as error:
            problem = f"move {len(moves) + 1}, {word!r}: {error.args[0]}"
            return RecordedGame(record, tuple(moves), headers, line, problem)
        board.push(move)
        moves.append(move)
    return RecordedGame(record, tuple(moves), headers, line)


def _read(board: XiangqiBoard, word: str) -> str:
    """The move of a word, which may have its number before it: `1.炮二平五`, though 33.4 is a move itself."""
    numbered = _NUMBER.match(word)
    try:
        return board.parse(word)
    except ValueError:
        if numbered is None:
            raise
    return board.parse(word[numbered.end() :])
