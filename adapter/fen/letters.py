"""The letters of a board: those of the game, and those of other alphabets, languages and notations."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

from adapter.fen import glyphs
from adapter.fen.finding import Finding
from adapter.fen.games import CHESS, Game, rank_name, square_name
from adapter.fen.glyphs import PLAIN
from adapter.fen.problem import Severity, Span
from adapter.fen.source import Source, Token
from adapter.fen.xiangqi_rules import PLACES

# Chinese characters that either colour's men may bear, and what tells that a record uses two sets of them.
_MEN, _RED_MEN = frozenset("馬马車车"), frozenset("傌俥")
_CANNONS = frozenset("炮砲包")
_EMPTY = frozenset(".*-_·•")  # what diagrams have on an empty square
_ENGLISH = frozenset(CHESS.limits)
_TELLING = 3  # kinds of letters that are no English pieces which tell a language whatever kings there are

# The rank, the place in the source, and the character.
Odd = tuple[int, int, str]


class Letters:
    """Reads the letters of one placement field and keeps account of the odd ones."""

    def __init__(self, token: Token, source: Source, game: Game) -> None:
        self.token = token
        self.source = source
        self.game = game
        slashes = itertools.accumulate(char == "/" for char in token.plain)
        self.unlike: list[Odd] = [  # look-alikes, of letters, digits and slashes
            (rank, token.first + offset, raw)
            for offset, (rank, plain, raw) in enumerate(zip(slashes, token.plain, token.raw, strict=True))
            if plain != raw
        ]
        self.empty: list[Odd] = []
        self.aliased: list[Odd] = []
        self.foreign: list[Odd] = []
        self.unknown: list[Odd] = []
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
        found = (frozenset() if _RED_MEN & seen else _MEN) | (cannons if len(cannons) == 1 else frozenset())
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

    def findings(self, places: list[int], written: int) -> Iterator[Finding]:
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

    def _where(self, found: list[Odd], written: int) -> tuple[str, str]:
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

    def _unlike(self, places: list[int]) -> Finding:
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
            tables = glyphs.translations("".join(sorted(letters)))
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
        self, code: str, found: list[Odd], describe: Callable[[str], str], places: list[int], written: int
    ) -> Iterator[Finding]:
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

    def _spans(self, found: list[Odd]) -> list[Span]:
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
    ) -> Finding:
        return Finding(
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
