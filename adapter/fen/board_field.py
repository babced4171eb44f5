"""The placement field read rank by rank: squares, sums, letters, and what is wrong about each."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence

import msgspec

from adapter.fen.cleanup import PLAIN, translations
from adapter.fen.rank_edits import UNKNOWN, joints
from adapter.fen.report import Issue, Severity, Span
from adapter.fen.source import Source, Token
from adapter.fen.xiangqi_rules import PLACES
from adapter.games.geometry import CHESS, Geometry, plural, rank_name, square_name

# Chinese characters that either colour's men may bear, and what tells that a record uses two sets of them.
_PIECES, _RED_PIECES = frozenset("馬马車车"), frozenset("傌俥")
_CANNONS = frozenset("炮砲包")
_EMPTY = frozenset(".*-_·•")  # what diagrams have on an empty square
_ENGLISH = frozenset(CHESS.limits)
_TELLING = 3  # kinds of letters that are no English pieces which tell a language whatever kings there are

# The rank, the place in the source, and the character.
OddLetter = tuple[int, int, str]


class PieceLetters:
    """Reads the letters of one placement field and keeps account of the odd ones."""

    def __init__(self, token: Token, source: Source, game: Geometry) -> None:
        self.token = token
        self.source = source
        self.game = game
        slashes = itertools.accumulate(char == "/" for char in token.plain)
        self.unlike: list[OddLetter] = [  # look-alikes, of letters, digits and slashes
            (rank, token.first + offset, raw)
            for offset, (rank, plain, raw) in enumerate(zip(slashes, token.plain, token.raw, strict=True))
            if plain != raw
        ]
        self.empty: list[OddLetter] = []
        self.aliased: list[OddLetter] = []
        self.foreign: list[OddLetter] = []
        self.unknown: list[OddLetter] = []
        self.language, self.table = self._language()
        self.either = self._either()
        self.meanings = self._meanings()
        # a foreign letter that stands alone may as well be a slip of the hand
        self.lone = sum(char in self.meanings for char in token.plain) == 1
        if self.lone and not any(map(self._men, self.meanings)):
            self.meanings = {}

    def read(self, char: str, raw: str, rank: int, place: int) -> str:
        """The man a character stands for; several it may stand for, likeliest first; none for any.

        An empty square is a full stop.
        """
        if raw in self.either:
            return char.lower() + char.upper()
        if char in self.table:
            return self.table[char]
        if char in self.game.letters:
            return char
        if char in _EMPTY:
            self.empty.append((rank, place, char))
            return "."
        for known, seen in ((self.game.aliases, self.aliased), (self.meanings, self.foreign)):
            if char in known:
                seen.append((rank, place, char))
                return known[char]
        self.unknown.append((rank, place, char))
        return ""

    def _either(self) -> frozenset[str]:
        """The Chinese characters of this board that do not tell the colour of their men."""
        seen = frozenset(self.token.raw)
        cannons = _CANNONS & seen
        found = (frozenset() if _RED_PIECES & seen else _PIECES) | (
            cannons if len(cannons) == 1 else frozenset()
        )
        return found if self.game.width == 9 else frozenset()

    def _meanings(self) -> dict[str, str]:
        """The man each foreign letter of this board stands for."""
        letters = set(self.token.plain)
        named = {self.game.aliases.get(letter, letter) for letter in letters}
        found: dict[str, str] = {}
        for letter in sorted(letters & set(self.game.foreign) - set(self.game.letters)):
            men = self.game.foreign[letter]
            found[letter] = next((man for man in men if man not in named), men[0])
            named.add(found[letter])
        return found

    def findings(self, places: list[int], written: int) -> Iterator[Issue]:
        """One finding for each kind of odd letters.

        `places` are the source places of all squares, `written` is how many ranks there are.
        """
        if self.unlike:
            yield self._unlike(places)
        if self.language:
            message = f"the pieces are named in {self.language}"
            yield self._finding("piece-language", "error", "placement", message, [self.source.of(self.token)])
        if self.aliased:
            message = "H and E stand for the horse and the elephant; a record writes N and B"
            at, where = self._where(self.aliased, written)
            yield self._finding("letters-he", "warning", at, message + where, self._spans(self.aliased))
        if self.empty:
            message = f"{self.empty[0][2]} stands for an empty square; a record counts them with a digit"
            at, where = self._where(self.empty, written)
            yield self._finding("bad-letter", "error", at, message + where, self._spans(self.empty))
        if self.foreign and self.lone and self._out_of_place(places):
            self.unknown, self.foreign = [*self.unknown, *self.foreign], []
        yield from self._strange("piece-language", self.foreign, self._meaning, places, written)
        yield from self._strange("bad-letter", self.unknown, repr, places, written)

    def _where(self, found: list[OddLetter], written: int) -> tuple[str, str]:
        """The first rank of these letters; where ranks are miscounted no rank, but their rows in words."""
        if written == self.game.height:
            return rank_name(self.game, found[0][0]), ""
        rows = [str(rank + 1) for rank in dict.fromkeys(rank for rank, _, _ in found)]
        named = f"row {rows[0]}" if len(rows) == 1 else f"rows {', '.join(rows[:-1])} and {rows[-1]}"
        return "placement", f" ({named} of {written}, from the top)"

    def _out_of_place(self, places: list[int]) -> bool:
        """Whether none of the men a lone letter may stand for may stand where it does."""
        _, place, char = self.foreign[0]
        if len(places) != self.game.size or self.game.width == CHESS.width:
            return False
        cell = places.index(place)
        return not any(cell in PLACES.get(man, (cell,)) for man in self._men(char))

    def _unlike(self, places: list[int]) -> Issue:
        """What is said of look-alikes: on one rank where they are, one of them with what it stands for."""
        ranks = {rank for rank, _, char in self.unlike if PLAIN[ord(char)] != "/"}
        name = rank_name(self.game, ranks.pop()) if len(ranks) == 1 else "placement"
        spans = self._spans(self.unlike)
        if len(self.unlike) > 1:
            message = f"{len(self.unlike)} characters that only look like those of a record"
            whole = self.source.of(self.token)
            fix = None if any(char in self.either for _, _, char in self.unlike) else self.token.plain
            return self._finding("unicode-lookalike", "error", name, message, [whole, *spans], fix=fix)
        _, place, char = self.unlike[0]
        plain = PLAIN[ord(char)]
        cells = (
            [cell for cell, at in enumerate(places) if at == place] if len(places) == self.game.size else []
        )
        where = f" on {square_name(self.game, cells[0])}" if len(cells) == 1 else ""
        shown = f"{char!r} (U+{ord(char):04X}){where}"
        if char in self.either:
            # the mended board tells whose man it is
            message = f"{shown} stands for {plain.upper()} or {plain.lower()}"
            return self._finding("unicode-lookalike", "error", name, message, spans, cells=tuple(cells))
        message = f"{shown} only looks like, or stands for, {plain!r}"
        return self._finding("unicode-lookalike", "error", name, message, spans, fix=plain)

    def _language(self) -> tuple[str, dict[str, str]]:
        """The one other language whose letters all these are, when they are not English, with its letters."""
        text = self.token.plain
        letters = {char.upper() for char in text if char.isalpha() and char.isascii()}
        if self.game.width == CHESS.width and not letters <= _ENGLISH:
            tables = translations("".join(sorted(letters)))
            for least, kings in (
                (1, 2),
                (_TELLING, 1),
                (_TELLING, 0),
            ):  # a king may be missing, or one too many
                for language, table in tables.items():
                    alone = sum(sum(table.get(char) == king for char in text) == 1 for king in "Kk")
                    if alone >= kings and len(letters - _ENGLISH) >= least:
                        return language, table
        return "", {}

    def _meaning(self, char: str) -> str:
        return f"{char!r} (for {' or '.join(map(repr, self._men(char)))})"

    def _men(self, char: str) -> str:
        """The men a foreign letter may stand for: of one that stands alone, all there is room for."""
        if not self.lone:
            return self.meanings[char]
        limits, text = self.game.limits, self.token.plain
        return "".join(man for man in self.game.foreign[char] if text.count(man) < limits[man.upper()])

    def _strange(
        self,
        code: str,
        found: list[OddLetter],
        describe: Callable[[str], str],
        places: list[int],
        written: int,
    ) -> Iterator[Issue]:
        if not found:
            return
        kinds = list(dict.fromkeys(letter for _, _, letter in found))
        shown = ", ".join(describe(letter) for letter in kinds[:6])
        what = f"{shown} is no piece" if len(kinds) == 1 else f"{shown} are no pieces"
        at, where = self._where(found, written)
        message = f"{what} of {'xiangqi' if self.game.width == 9 else 'chess'}{where}"
        cells = [cell for cell, place in enumerate(places) if place == found[0][1]]
        whole = len(places) == self.game.size and written == self.game.height
        yield self._finding(
            code, "error", at, message, self._spans(found), cells=tuple(cells) if whole else ()
        )

    def _spans(self, found: list[OddLetter]) -> list[Span]:
        return [self.source.span(place, place + 1) for _, place, _ in found]

    def _finding(
        self,
        code: str,
        severity: Severity,
        at: str,
        message: str,
        spans: list[Span],
        fix: str | None = None,
        cells: tuple[int, ...] = (),
    ) -> Issue:
        return Issue(
            code=code,
            severity=severity,
            field="placement",
            at=at,
            span=spans[0],
            message=message,
            related=tuple(spans[1:]),
            fix=fix,
            cells=cells,
        )


# More ranks or longer ones than any slip of the hand makes: such a field is not read square by square.
MOST_ROWS = 16
MOST_CHARACTERS = 160


class RankText(msgspec.Struct, frozen=True):
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
    """The whole field as read.

    `sound` says that its cells are a board, `aligned` that they are but for unknown men, `nonsense` that
    there is nothing to be read.
    """

    token: Token
    rows: tuple[RankText, ...]
    findings: tuple[Issue, ...]
    sound: bool
    aligned: bool = False
    nonsense: bool = False

    @property
    def cells(self) -> str:
        """All cells, top rank first."""
        return "".join(row.cells for row in self.rows)


def read(token: Token, source: Source, game: Geometry) -> Placement:
    """Reads a placement field; never raises."""
    return _Reader(token, source, game).read()


class _Reader:
    def __init__(self, token: Token, source: Source, game: Geometry) -> None:
        self.token = token
        self.source = source
        self.game = game
        self.findings: list[Issue] = []
        self.letters = PieceLetters(token, source, game)

    def read(self) -> Placement:
        token = self._extras(self.token)
        pieces = self._split(token)
        if len(pieces) > MOST_ROWS or len(token.plain) > MOST_CHARACTERS or not _boardlike(pieces, self.game):
            self._count(len(pieces), [])
            return Placement(token, (), tuple(self.findings), sound=False, nonsense=True)
        rows = [self._row(piece, number) for number, piece in enumerate(pieces)]
        written = len(rows)
        self.findings += self.letters.findings([place for row in rows for place in row.places], written)
        if written != self.game.height:
            slashes = self._slashes(rows)
            self._unexplained(rows)
            self.findings = [
                _unnamed(finding, self.game, written)
                for finding in self.findings
                if finding.code != "digit-run" and not {finding.span, *finding.related}.issubset(slashes)
            ]
            self._count(written, rows, slashes)
        else:
            self._sums(rows)
        aligned = self._aligned(rows)
        sound = aligned and not any(UNKNOWN in row.text for row in rows)
        return Placement(token, tuple(rows), tuple(self.findings), sound, aligned)

    def _aligned(self, rows: list[RankText]) -> bool:
        return len(rows) == self.game.height and all(len(row.cells) == self.game.width for row in rows)

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
        pieces = []
        start = 0
        for part in token.plain.split("/"):
            pieces.append(token.part(start, start + len(part)))
            start += len(part) + 1
        if self.game.width == 8 and len(pieces) == 9 and _pocket(pieces):
            span = self.source.span(pieces[-1].first - 1, pieces[-1].stop)
            self._say("pockets", "error", "placement", span, "a ninth part is a pocket of another game")
            pieces.pop()
        return pieces

    def _row(self, piece: Token, number: int) -> RankText:
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
            letter = self.letters.read(char, piece.raw[offset], number, place)
            if len(letter) != 1 or (letter == self.letters.meanings.get(char) and self.letters.lone):
                guesses[len(text)] = char, letter
                letter = UNKNOWN
            text.append("1" if letter == "." else letter)
            cells.append(letter)
            places.append(place)
        if len(run) > 1:
            runs.append(run)
        row = RankText(piece.first, piece.stop, "".join(text), "".join(cells), tuple(places), guesses)
        self._digits(number, row, piece, bad, runs)
        if marks:
            spans = [self.source.span(place, place + 1) for place in marks]
            message = "the mark ~ of a promoted piece belongs to another game"
            self._say(
                "promoted-mark", "error", rank_name(self.game, number), spans[0], message, spans[1:], fix=""
            )
        return row

    def _digits(
        self, number: int, row: RankText, piece: Token, bad: list[int], runs: list[list[int]]
    ) -> None:
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

    def _sums(self, rows: list[RankText]) -> None:
        """A finding for each rank that does not sum up; one for all of them when that is half the board."""
        wrong = [number for number, row in enumerate(rows) if self._off(number, row)]
        # digits side by side are part of what is wrong about the sum
        self.findings = [f for f in self.findings if f.code != "digit-run" or f.row not in wrong]
        if 2 * len(wrong) < self.game.height:
            for number in wrong:
                row, name = rows[number], rank_name(self.game, number)
                message = self._sum(name, row)
                if not self._explained(number, row, message):
                    self._say("rank-sum", "error", name, self._span(row), message, row=number)
            return
        spans = [self._span(rows[number]) for number in wrong]
        sums = ", ".join(str(len(row.cells)) for row in rows)
        message = f"{len(wrong)} ranks do not describe {self.game.width} squares; the sums are {sums}"
        name = rank_name(self.game, wrong[0])
        self._say("rank-sum", "error", name, spans[0], message, spans[1:])

    def _explained(self, number: int, row: RankText, message: str) -> bool:
        """Whether a letter that is no man stands for a digit: its own finding then tells of the sum too."""
        short = self.game.width - len(row.cells)
        if len(row.guesses) != 1 or short < 1:
            return False
        column = row.cells.index(UNKNOWN)
        span = self.source.span(row.places[column], row.places[column] + 1)
        for index, finding in enumerate(self.findings):
            if finding.code == "bad-letter" and finding.span == span and not finding.related:
                self.findings[index] = msgspec.structs.replace(
                    finding, message=f"{finding.message}; with it, {message}", row=number
                )
                return True
        return False

    def _sum(self, name: str, row: RankText) -> str:
        have, want = len(row.cells), self.game.width
        off = f"{want - have} short of" if have < want else f"{have - want} over"
        return f"{name} describes {plural(have, 'square')}, {off} {want}"

    def _off(self, number: int, row: RankText) -> bool:
        """Whether a rank has a wrong sum that no odd letter or digit explains: that is not said again."""
        have, want = len(row.cells), self.game.width
        odd = any(f.code == "bad-digit" and f.row == number for f in self.findings)
        return not (have == want or odd or (row.guesses and have - len(row.guesses) == want))

    def _span(self, row: RankText) -> Span:
        return self.source.span(row.first, row.stop)

    def _slashes(self, rows: list[RankText]) -> list[Span]:
        """The characters that stand for slashes, each between two whole ranks, where these are too few."""
        found = []
        for row in rows:
            if len(row.text) == row.stop - row.first:
                places = [row.first + offset for offset in joints(row.text, self.game.width)]
                found += [self.source.span(place, place + 1) for place in places]
        return found if len(rows) + len(found) == self.game.height else []

    def _unexplained(self, rows: list[RankText]) -> None:
        """A finding for each rank with a wrong sum that slashes lost or too many do not explain."""
        width, height = self.game.width, self.game.height
        sums = [len(row.cells) for row in rows]
        wrong = {number for number, row in enumerate(rows) if self._off(number, row)}
        if sum(sums) == self.game.size:
            return
        if len(rows) < height:
            wrong = {number for number in wrong if sums[number] < 2 * width - 1}  # not two ranks run together
        else:
            pairs = [{number, number + 1} for number in range(len(rows) - 1)]
            parted = [pair for pair in pairs if sum(sums[number] for number in pair) <= width]
            wrong -= max(parted, key=lambda pair: len(pair & wrong), default=set())
            if sum(total > 0 for total in sums) == height:
                wrong = {number for number in wrong if sums[number]}
        if 2 * len(wrong) < height:
            for number in sorted(wrong):
                row = rows[number]
                self._say(
                    "rank-sum", "error", "placement", self._span(row), self._sum("a rank", row), row=number
                )

    def _count(self, have: int, rows: list[RankText], slashes: Sequence[Span] = ()) -> None:
        if any(finding.code == "rank-count" for finding in self.findings):
            return
        want, width = self.game.height, self.game.width
        message = f"{plural(have, 'rank')} instead of {want}"
        said = {finding.span for finding in self.findings if finding.code == "rank-sum"}
        off = [
            (number, len(row.cells))
            for number, row in enumerate(rows, 1)
            if len(row.cells) != width and self._span(row) not in said
        ]
        if off and 2 * len(off) < want:
            numbers = " and ".join(f"row {number} describes {plural(sum_, 'square')}" for number, sum_ in off)
            message = f"{message}; from the top, {numbers}"
        first, *others = slashes or [self.source.of(self.token)]
        self._say("rank-count", "error", "placement", first, message, others, fix="/" if slashes else None)

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
            Issue(
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


def _unnamed(finding: Issue, game: Geometry, written: int) -> Issue:
    """The finding without the rank's name: where ranks are missing or too many, that may be another's."""
    row = finding.row
    if row is None and finding.at.startswith("rank "):
        row = next(row for row in range(game.height) if rank_name(game, row) == finding.at)
    if row is None:
        return finding
    # a look-alike may stand in what is no rank, behind them
    where = f" (row {row + 1} of {written}, from the top)" if row < written else ""
    message = f"{finding.message}{where}"
    return msgspec.structs.replace(finding, at="placement", message=message, row=None, cells=())


def _boardlike(pieces: list[Token], game: Geometry) -> bool:
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
