"""Restores blanks between fields and slashes between ranks: lost, superfluous, or another character."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable

from adapter import games
from adapter.fen.codes import Code
from adapter.fen.report import Issues
from adapter.fen.source import Source, Token, squares
from adapter.games.base import Field

MOST_LEADING = 12  # words before the board
_MOST_WORDS = 60  # among which the board is looked for
_RANK = re.compile(r"[A-Za-z0-9~]{0,14}")
# Blanks between parts of the castling field, and of an en-passant square with the field
# before it and the two behind it.
_SPLIT_FIELDS = {
    "castling field": re.compile(
        r"(?<!\S)(?:[KQkq]{1,3}(?=\s+[KQkq]{1,3}(?!\S))|[A-H]{2}(?=\s+[a-h]{2}(?!\S)))(\s+)"
    ),
    "en-passant field": re.compile(
        r"(?<!\S)(?:-|[KQkqA-Ha-h]{1,4})\s+[a-h](\s+)[36]\s+[0-9]{1,4}\s+[0-9]{1,4}(?!\S)"
    ),
}
_POCKET = re.compile(r"\[[A-Za-z-]{0,40}\]")
_PIECES = frozenset("PNBRQKACpnbrqkac123456789")
_RANK_SIGNS = "\\|,:;_-+.!"  # what may part ranks instead of slashes
_ADDRESS_SIGNS = "_-+"  # what addresses have for blanks and slashes; other characters are slips
_BESIDES = ",;|"  # what may stand behind each field besides the blank
# What is reported where another character stands in place of this one.
_REPLACED: dict[str, tuple[Code, Field]] = {
    "/": (Code.RANK_COUNT, "placement"),
    " ": (Code.WHITESPACE, "record"),
}
_FIELD = r"(?:[wb]|white|black|-|[KQkq]{1,4}|[A-Ha-h]{2,4}|[a-h][1-8]|[0-9]{1,4})"
# Behind the last rank, the character that stands for blanks, with the field or fields it joins.
_JOINED = re.compile(rf"([^_+,;|:.-]{{0,14}})([_+,;|:.-])(?:{_FIELD}(?:\2|$)|$)", re.IGNORECASE)
_JOINED_FIELDS = re.compile(rf"[wb]([_+,;|:])(?:{_FIELD}(?:\1|$))+", re.IGNORECASE)
# The side and the fields behind it with slashes for blanks; one more field distinguishes it from a pocket.
_SLASHED = re.compile(rf"[wb](?:/{_FIELD})+")
# The side, the rights and whatever follows them.
_RUN_ON = re.compile(r"[wb](?:-|[KQkq]{1,4})(?:(?:-|[a-h][36])[0-9]{0,8})?")


def board_widths() -> dict[int, int]:
    """Return the width of a board by its number of ranks, the highest board first."""
    known = map(games.get, games.NAMES)
    return dict(sorted({(game.height, game.width) for game in known}, reverse=True))


def run_on_side(placement: Token) -> int:
    """Return the offset of a side that follows a whole last rank without a blank, with rights behind it.

    0 where there is none.
    """
    start = placement.plain.rfind("/") + 1
    width = board_widths().get(placement.plain.count("/") + 1)
    sums = itertools.accumulate(map(squares, placement.plain[start:]))
    cut = next((offset for offset, total in enumerate(sums, start + 1) if total == width), 0)
    return cut if cut and _RUN_ON.fullmatch(placement.plain, cut) else 0


def glued_side(placement: Token) -> int:
    """Return the offset of a last letter that is a side and makes the last rank one too long, or else 0."""
    last = placement.plain.rsplit("/", 1)[-1]
    widths = board_widths()
    width = widths.get(placement.plain.count("/") + 1, min(widths.values()))
    return len(placement.plain) - 1 if last[-1:] in ("w", "b") and squares(last) == width + 1 else 0


def restore_separators(source: Source, first: int, stop: int, issues: Issues) -> tuple[Source, int]:
    """Return the source with single blanks and slashes where fields and ranks meet, and its new end."""
    text = _Separators(source, first, stop, issues)
    text.slash_for_blank()
    text.blanks_within_fields()
    text.signs_besides_blanks()
    text.blanks_between_ranks()
    text.signs_between_ranks()
    text.sign_before_side()
    text.signs_between_fields()
    return text.source, text.stop


class _Separators:
    def __init__(self, source: Source, first: int, stop: int, issues: Issues) -> None:
        self.source = source
        self.first = first
        self.stop = stop
        self.issues = issues
        self.widths = board_widths()
        self.nearly_widths = range(min(self.widths.values()) - 1, max(self.widths.values()) + 2)

    def slash_for_blank(self) -> None:
        """Put a slash for the one blank between two whole ranks of a board that lacks just this slash."""
        for one, two in itertools.pairwise(self._words()[:_MOST_WORDS]):
            width = self.widths.get(one.plain.count("/") + two.plain.count("/") + 2, 0)
            ranks = one.plain.rsplit("/", 1)[-1], two.plain.split("/", 1)[0]
            whole = all(squares(rank) == width and not set(rank) - _PIECES for rank in ranks)
            if whole and two.first == one.stop + 1:
                self._replace([one.stop], "/", " ", "two ranks are parted by a blank instead of '/'")
                return

    def blanks_within_fields(self) -> None:
        """Remove blanks inside the board, the castling field and the en-passant field."""
        text = self.source.plain[self.first : self.stop]
        gaps = {"board": self._board_gaps(self._words())}
        for field, pattern in _SPLIT_FIELDS.items():
            found = (match.span(1) for match in pattern.finditer(text))
            gaps[field] = [(self.first + start, self.first + end) for start, end in found]
        for field, places in gaps.items():
            if places:
                spans = [self.source.span(*place) for place in places]
                self.issues.error(Code.WHITESPACE, "record", f"a blank inside the {field}", *spans, fix="")
        self._remove(itertools.chain.from_iterable(gaps.values()))

    def signs_besides_blanks(self) -> None:
        """Remove a sign that stands behind the board and each field but the last."""
        words = self._words()
        board = _board_index(words)
        if board is None or words[board].plain[-1] not in _BESIDES:
            return
        sign = words[board].plain[-1]
        signed = list(itertools.takewhile(lambda word: word.plain.endswith(sign), words[board : board + 6]))
        if len(signed) < 3:
            return
        places = [word.stop - 1 for word in signed]
        message = f"the fields are parted by {sign!r} besides blanks"
        self.issues.error(Code.WHITESPACE, "record", message, *self.source.spans(places), fix="")
        self._remove([(place, place + 1) for place in places])

    def blanks_between_ranks(self) -> None:
        """Put slashes between ranks that are words, as they are one a line in a diagram."""
        words = self._words()
        if _board_index(words) is not None:
            return
        for begin, (height, width) in itertools.product(range(MOST_LEADING), self.widths.items()):
            ranks = words[begin : begin + height]
            if len(ranks) < height or not _RANK.fullmatch(ranks[0].plain):
                continue
            if _is_board([rank.plain for rank in ranks], width):
                message = "the ranks are parted by blanks instead of '/'"
                self._replace([rank.stop for rank in ranks[:-1]], "/", " ", message)
                self._remove([(one.stop + 1, two.first) for one, two in itertools.pairwise(ranks)])
                return

    def signs_between_ranks(self) -> None:
        """Put slashes for the one other character that parts the ranks of a board."""
        for word in self._words()[:MOST_LEADING]:
            if word.plain.count("/") >= 3:
                return
            for sign, (height, width) in itertools.product(_RANK_SIGNS, self.widths.items()):
                ranks = word.plain.split(sign, height)[:height]
                if len(ranks) == height and _is_board(ranks, width):
                    ends = itertools.accumulate(len(rank) + 1 for rank in ranks[:-1])
                    message = f"the ranks are parted by {sign!r} instead of '/'"
                    self._replace([word.first + end - 1 for end in ends], "/", sign, message)
                    return

    def sign_before_side(self) -> None:
        """Put a blank for the one character between a whole last rank and the side."""
        words = self._words()[: MOST_LEADING + 1]
        board = next((i for i, word in enumerate(words) if word.plain.count("/") + 1 in self.widths), None)
        if board is None:
            return
        word = words[board]
        last = word.plain.rsplit("/", 1)[-1]
        following = words[board + 1].plain if board + 1 < len(words) else ""
        whole = squares(last[:-2]) == self.widths[word.plain.count("/") + 1] and _RANK.fullmatch(last[:-2])
        if whole and last[-1] in "wb" and last[-2].isalnum() and following not in ("w", "b"):
            message = f"{word.raw[-2]!r} stands in place of the blank behind the board"
            self._replace([word.stop - 2], " ", last[-2], message)

    def signs_between_fields(self) -> None:
        """Put blanks for the one other character that parts the fields of a record."""
        words = self._words()
        board = _board_index(words)
        if board is None:
            return
        plain = words[board].plain
        slashes = [i for i, char in enumerate(plain) if char == "/"]
        for ranks in range(min(self.widths), max(self.widths) + 1):
            fields = len(slashes) >= ranks and _SLASHED.fullmatch(plain, slashes[ranks - 1] + 1)
            if fields and squares(plain.split("/")[ranks - 1]) in self.widths.values():
                places = [words[board].first + i for i in slashes[ranks - 1 :]]
                self._replace(places, " ", "/", "the fields are joined by '/' instead of blanks")
                return
        for word in words[board : board + 2]:
            start = word.plain.rfind("/") + 1
            joined = (_JOINED if start else _JOINED_FIELDS).match(word.plain, start)
            if joined is None or (start and squares(joined[1]) not in self.nearly_widths):
                continue
            sign = joined[joined.lastindex or 0]
            start = joined.start(joined.lastindex or 0)
            places = [word.first + i for i in range(start, len(word.plain)) if word.plain[i] == sign]
            if sign == "-":
                places = _joining_dashes(places)
            self._replace(places, " ", sign, f"the fields are joined by {sign!r} instead of blanks")

    def _board_gaps(self, words: list[Token]) -> list[tuple[int, int]]:
        """Find blanks inside the board: beside a slash or between two parts of a rank."""
        found = []
        least, most = min(self.widths) - 1, max(self.widths) - 1  # slashes
        slashes = 0
        last = ""  # the rank so far
        for index, (one, two) in enumerate(itertools.pairwise(words[:_MOST_WORDS])):
            slashes += one.plain.count("/")
            parts = one.plain.split("/")
            last = parts[-1] if len(parts) > 1 else last + parts[-1]
            more = two.plain.count("/")
            head = two.plain.split("/", 1)[0]
            width = self.widths.get(slashes + more + 1, min(self.widths.values()))
            fits = squares(last) + squares(head) <= width and bool(_RANK.fullmatch(last + head))
            if one.plain.endswith("/") or two.plain.startswith("/"):
                # behind the last slash only a whole rank is one, not the side or the rights
                begun = slashes < least or more or squares(head) in self.nearly_widths
                ranks = _RANK.fullmatch(last) and _RANK.fullmatch(head)
                joined = bool(slashes + more <= most and begun and ranks)
            elif more:
                joined = slashes + more <= most if slashes else fits and more + 1 in self.widths
            else:
                after = words[index + 2].plain if index + 2 < len(words) else ""
                joined = (
                    slashes + 1 in self.widths and fits and after in ("w", "b") and head not in ("w", "b")
                )
                joined = joined or (slashes >= least and _POCKET.fullmatch(two.plain) is not None)
            if joined:
                found.append((one.stop, two.first))
            elif slashes:
                break
            else:
                last = ""
        return found

    def _words(self) -> list[Token]:
        return self.source.words(self.first, self.stop)

    def _remove(self, gaps: Iterable[tuple[int, int]]) -> None:
        gaps = [gap for gap in gaps if gap[0] < gap[1]]
        if gaps:
            self.source = self.source.without(gaps)
            self.stop -= sum(end - start for start, end in gaps)

    def _replace(self, places: list[int], char: str, sign: str, message: str) -> None:
        """Put a character in place of a sign: a warning for a sign that addresses use, otherwise an error."""
        code, field = _REPLACED[char]
        spans = self.source.spans(places)
        if sign in _ADDRESS_SIGNS:
            self.issues.warning(Code.URL_ENCODED, field, message, *spans, fix=char)
        else:
            self.issues.error(code, field, message, *spans, fix=char)
        self.source = self.source.replaced(places, char)


def _board_index(words: list[Token]) -> int | None:
    return next((i for i, word in enumerate(words[:MOST_LEADING]) if word.plain.count("/") >= 3), None)


def _is_board(ranks: list[str], width: int) -> bool:
    """Whether all but two of the ranks are whole."""
    return sum(squares(rank) == width and bool(_RANK.fullmatch(rank)) for rank in ranks) >= len(ranks) - 2


def _joining_dashes(places: list[int]) -> list[int]:
    """Return those dashes that join fields and are no field: in a run, every other one."""
    kept: list[int] = []
    for place in places:
        if not kept or kept[-1] != place - 1:
            kept.append(place)
    return kept
