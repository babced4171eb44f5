"""The placement field read rank by rank: squares, sums, letters, and what is wrong about each."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from adapter.fen import glyphs
from adapter.fen.finding import Finding
from adapter.fen.games import Game, rank_name
from adapter.fen.problem import Severity, Span
from adapter.fen.text import Source, Token
from adapter.fen.typos import UNKNOWN

# More ranks or longer ones than any slip of the hand makes: such a field is not read square by square.
MOST_ROWS = 16
MOST_CHARACTERS = 160
# Letters that only one colour's Chinese pieces bear when a record tells the colours apart at all.
_TELLING = frozenset("傌俥")


class Row(msgspec.Struct, frozen=True):
    """One rank as read.

    `text` has a letter of the game, a digit or `?` for each character, `cells` a letter, `.` or `?` for each
    square; `places` says for each square which character of the source it came from. `guesses` holds, by
    offset in the text, the character of each unknown man and the men it may be (none: any).
    """

    first: int
    stop: int
    text: str
    cells: str
    places: tuple[int, ...]
    guesses: dict[int, tuple[str, str]]


class Placement(msgspec.Struct, frozen=True):
    """The whole field as read. `sound` says that its cells are a board; `nonsense`, that nothing is."""

    token: Token
    rows: tuple[Row, ...]
    findings: tuple[Finding, ...]
    sound: bool
    nonsense: bool = False

    @property
    def cells(self) -> str:
        """All cells, top rank first."""
        return "".join(row.cells for row in self.rows)


def read(token: Token, source: Source, game: Game) -> Placement:
    """Reads a placement field; never raises."""
    return _Reader(token, source, game).read()


class _Reader:
    def __init__(self, token: Token, source: Source, game: Game) -> None:
        self.token = token
        self.source = source
        self.game = game
        self.findings: list[Finding] = []
        self.unlike: list[Span] = []  # look-alikes
        self.aliased: list[tuple[int, Span]] = []
        self.foreign: list[tuple[int, int, str]] = []
        self.unknown: list[tuple[int, int, str]] = []
        self.language: tuple[str, dict[str, str]] | None = None
        self.either = False
        self.places: list[int] = []

    def read(self) -> Placement:
        token = self._extras(self.token)
        pieces = self._split(token)
        if len(pieces) > MOST_ROWS or len(token.plain) > MOST_CHARACTERS or not _boardlike(pieces, self.game):
            self._count(len(pieces))
            return Placement(token, (), tuple(self.findings), sound=False, nonsense=True)
        self._find_language(token)
        self.either = not _TELLING & set(token.raw) and not {"炮", "砲"} <= set(token.raw)
        rows = [self._row(piece, number) for number, piece in enumerate(pieces)]
        self.places = [place for row in rows for place in row.places]
        self._letters(token)
        right_sums = all(len(row.cells) == self.game.width for row in rows)
        if len(rows) != self.game.height:
            self.findings = [finding for finding in self.findings if finding.code != "digit-run"]
            self._count(len(rows))
        else:
            for number, row in enumerate(rows):
                self._sum(number, row)
        unknown = any(UNKNOWN in row.cells for row in rows)
        sound = right_sums and not unknown and len(rows) == self.game.height
        return Placement(token, tuple(rows), tuple(self.findings), sound)

    def _extras(self, token: Token) -> Token:
        """Takes off what other games write into the field: pockets and marks of promoted men."""
        plain = token.plain
        opening = plain.find("[")
        if opening >= 0:
            inside = plain[opening:].strip("[]-")
            span = self.source.span(token.first + opening, token.stop)
            message = f"a pocket {plain[opening:][:20]} belongs to another game"
            self._say("pockets", "error", "placement", span, message, fix="" if not inside else None)
            token = token.part(0, opening)
        return token

    def _split(self, token: Token) -> list[Token]:
        sign = "/"
        if "/" not in token.plain:
            sign = next((sign for sign in "\\|,:" if token.plain.count(sign) == self.game.height - 1), "/")
            if sign != "/":
                places = [token.first + i for i, char in enumerate(token.plain) if char == sign]
                spans = [self.source.span(place, place + 1) for place in places]
                message = f"ranks are parted by '/', not by {sign!r}"
                self._say("rank-count", "error", "placement", spans[0], message, spans[1:], fix="/")
        pieces = []
        start = 0
        for part in token.plain.split(sign):
            pieces.append(token.part(start, start + len(part)))
            start += len(part) + 1
        if self.game.width == 8 and len(pieces) == 9 and _pocket(pieces):
            span = self.source.span(pieces[-1].first - 1, pieces[-1].stop)
            self._say("pockets", "error", "placement", span, "a ninth part is a pocket of another game")
            pieces.pop()
        return pieces

    def _find_language(self, token: Token) -> None:
        """Settles on a language when the letters are no English ones and all are of one other language."""
        if self.game.width != 8:
            return
        letters = {char.upper() for char in token.plain if char.isalpha() and char.isascii()}
        if letters <= set("PNBRQK"):
            return
        text = token.plain
        for language, table in glyphs.translations("".join(sorted(letters))).items():
            if all(sum(table.get(char) == king for char in text) == 1 for king in "Kk"):
                self.language = language, table
                return

    def _row(self, piece: Token, number: int) -> Row:
        cells: list[str] = []
        places: list[int] = []
        text: list[str] = []
        guesses: dict[int, tuple[str, str]] = {}
        marks: list[int] = []
        run: list[int] = []
        bad: list[int] = []
        digits = "0123456789"[: self.game.width + 1]
        runs: list[list[int]] = []
        for offset, char in enumerate(piece.plain):
            place = piece.first + offset
            if char.isdigit() and char.isascii():
                run.append(place)
                text.append(char)
                if char == "0" or char not in digits:
                    bad.append(offset)
                cells += "." * int(char)
                places += [place] * int(char)
                continue
            if len(run) > 1:
                runs.append(run)
            run = []
            if char == "~" and cells:
                marks.append(place)
                continue
            letter = self._letter(char, piece.raw[offset], number, place)
            if len(letter) != 1 or (letter == self.game.foreign.get(char) and self._lone()):
                guesses[len(text)] = char, letter
                letter = UNKNOWN
            text.append(letter)
            cells.append(letter)
            places.append(place)
        if len(run) > 1:
            runs.append(run)
        row = Row(piece.first, piece.stop, "".join(text), "".join(cells), tuple(places), guesses)
        self._digits(number, row, piece, bad, runs)
        if marks:
            spans = [self.source.span(place, place + 1) for place in marks]
            message = "the mark ~ of a promoted piece belongs to another game"
            self._say(
                "promoted-mark", "error", rank_name(self.game, number), spans[0], message, spans[1:], fix=""
            )
        return row

    def _letter(self, char: str, raw: str, number: int, place: int) -> str:
        """The man a character stands for, or all it may stand for; nothing when it may be anything."""
        span = self.source.span(place, place + 1)
        if raw != char:
            self.unlike.append(span)
            if self.either and raw in "馬马車车炮砲":
                return char.lower() + char.upper()
        if self.language is not None and char in self.language[1]:
            return self.language[1][char]
        if char in self.game.letters:
            return char
        if char in self.game.aliases:
            self.aliased.append((number, span))
            return self.game.aliases[char]
        if char in self.game.foreign:
            self.foreign.append((number, place, char))
            return self.game.foreign[char]
        self.unknown.append((number, place, char))
        return ""

    def _lone(self) -> bool:
        """Whether a foreign letter stands alone, and may as well be a slip of the hand."""
        foreign = self.game.foreign
        return sum(other in foreign and other not in self.game.letters for other in self.token.plain) == 1

    def _letters(self, token: Token) -> None:
        """One finding for each kind of odd letters in the whole field."""
        if self.unlike:
            what = (
                f"{len(self.unlike)} characters that only look like those of a record"
                if len(self.unlike) > 1
                else "a character that only looks like one of a record"
            )
            if self.unlike[0][1] > self.unlike[0][0]:
                self._say("unicode-lookalike", "error", "placement", self.unlike[0], what, self.unlike[1:])
        if self.language is not None:
            span = self.source.of(token)
            message = f"the pieces are named in {self.language[0]}"
            self._say("piece-language", "error", "placement", span, message)
        if self.aliased:
            number, span = self.aliased[0]
            message = "H and E stand for the horse and the elephant; a record writes N and B"
            related = [other for _, other in self.aliased[1:]]
            self._say("letters-he", "warning", rank_name(self.game, number), span, message, related)
        self._letters_of("piece-language", self.foreign, self._meaning)
        self._letters_of("bad-letter", self.unknown, repr)

    def _meaning(self, char: str) -> str:
        return f"{char!r} (for {self.game.foreign[char]!r})"

    def _letters_of(
        self, code: str, found: list[tuple[int, int, str]], describe: Callable[[str], str]
    ) -> None:
        if not found:
            return
        number, place, char = found[0]
        spans = [self.source.span(at, at + 1) for _, at, _ in found]
        guessed = [cell for cell, at in enumerate(self.places) if at == place]
        kinds = list(dict.fromkeys(letter for _, _, letter in found))
        shown = ", ".join(describe(letter) for letter in kinds[:6])
        what = f"{shown} is no piece" if len(kinds) == 1 else f"{shown} are no pieces"
        message = f"{what} of {self.game.name.replace('960', '')}"
        single = len(found) == 1
        self._say(
            code,
            "error",
            rank_name(self.game, number),
            spans[0],
            message,
            spans[1:],
            fix=self.game.foreign.get(char) if single else None,
            cells=tuple(guessed) if len(self.places) == self.game.size else (),
        )

    def _digits(self, number: int, row: Row, piece: Token, bad: list[int], runs: list[list[int]]) -> None:
        name = rank_name(self.game, number)
        if bad:
            digit = piece.plain[bad[0]]
            spans = [self.source.span(piece.first + offset, piece.first + offset + 1) for offset in bad]
            message = f"{digit} is not a count of empty squares; they go from 1 to {self.game.width}"
            self._say("bad-digit", "error", name, spans[0], message, spans[1:], row=number)
        elif runs:
            spans = [self.source.span(run[0], run[-1] + 1) for run in runs]
            texts = [piece.plain[run[0] - piece.first : run[-1] + 1 - piece.first] for run in runs]
            total = sum(int(digit) for digit in texts[0])
            message = f"{texts[0]} is read as {total} empty squares; a record writes them as one digit"
            fix = str(total) if total <= self.game.width else None
            self._say("digit-run", "warning", name, spans[0], message, spans[1:], row=number, fix=fix)

    def _sum(self, number: int, row: Row) -> None:
        name = rank_name(self.game, number)
        have, want = len(row.cells), self.game.width
        # what an odd letter or digit explains is not said again
        odd = any(f.code == "bad-digit" and f.row == number for f in self.findings)
        if have == want or odd or (row.guesses and have - len(row.guesses) == want):
            return
        off = f"{want - have} short of" if have < want else f"{have - want} over"
        message = f"{name} describes {have} square{'s' * (have != 1)}, {off} {want}"
        self._say("rank-sum", "error", name, self.source.span(row.first, row.stop), message, row=number)

    def _count(self, have: int) -> None:
        if any(finding.code == "rank-count" for finding in self.findings):
            return
        want = self.game.height
        message = f"{have} rank{'s' * (have != 1)} instead of {want}"
        self._say("rank-count", "error", "placement", self.source.of(self.token), message)

    def _say(
        self,
        code: str,
        severity: Severity,
        at: str,
        span: Span,
        message: str,
        related: list[Span] | None = None,
        *,
        fix: str | None = None,
        row: int | None = None,
        cells: tuple[int, ...] = (),
    ) -> None:
        self.findings.append(
            Finding(
                code=code,
                severity=severity,
                field="placement",
                at=at,
                span=span,
                message=message,
                related=tuple(related or ()),
                fix=fix,
                row=row,
                cells=cells,
            )
        )


def _boardlike(pieces: list[Token], game: Game) -> bool:
    """Whether there is a board to be read at all: several ranks, or one run of characters long enough."""
    if len(pieces) >= game.height // 2:
        return True
    return len(pieces) >= 1 and sum(len(piece.plain) for piece in pieces) >= 2 * game.width


def _pocket(pieces: list[Token]) -> bool:
    """Whether a ninth part is a pocket: eight ranks of eight before it, and letters only."""
    *ranks, last = pieces
    widths = [
        sum(int(char) if char.isdigit() and char.isascii() else 1 for char in rank.plain) for rank in ranks
    ]
    return widths == [8] * 8 and (not last.plain.isdigit()) and last.plain.isalpha() and len(last.plain) != 8


def cell_spans(placement: Placement, source: Source, game: Game) -> Callable[[int], Span]:
    """A function from a cell of a sound board to its character in the user's text."""
    places = [place for row in placement.rows for place in row.places]

    def span(cell: int) -> Span:
        return (
            source.span(places[cell], places[cell] + 1) if cell < len(places) else source.of(placement.token)
        )

    return span
