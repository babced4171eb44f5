"""Reads the fields behind the board: side to move, castling, en passant and counters."""

from __future__ import annotations

import itertools
import re

from adapter.fen import castling, counters
from adapter.fen.codes import Code
from adapter.fen.fields import NAMES, Fields, parse_operations
from adapter.fen.report import Issues, Span
from adapter.fen.source import Token
from adapter.games.base import Field, Game

_SIDES = {"w": "w", "b": "b", "white": "w", "black": "b"}
_SQUARE = re.compile(r"[a-h][1-8]")
_COUNTER_OPCODES: dict[Field, str] = {"halfmove": "hmvc", "fullmove": "fmvn"}  # EPD standard
_COUNTER_CODES: dict[Field, Code] = {"halfmove": Code.HALFMOVE, "fullmove": Code.FULLMOVE}
_BLANK_WITHIN = 0.3  # the cost of two words that are one number


class StateFields:
    """The values of the fields behind the board; `issues` are those of their grammar."""

    def __init__(self, fields: Fields, game: Game, side: str | None) -> None:
        self.fields = fields
        self.game = game
        self.source = fields.source
        self.issues = Issues()
        self.sides = self._sides(side)
        self.odd = 0  # characters of the castling field that are no castling letters
        self.letters = self._castling()
        self.ep = self._en_passant()
        self.halfmoves = self._counter("halfmove")
        self.fullmoves = self._counter("fullmove")

    @property
    def side(self) -> str | None:
        """The side to move when there is one reading of it."""
        return self.sides[0][1] if len(self.sides) == 1 else None

    @property
    def square(self) -> str:
        """The en-passant square, `-` for none and for a field that names none."""
        return self.ep if _SQUARE.fullmatch(self.ep) else "-"

    def counters(self) -> list[tuple[float, int, int]]:
        """Return the pairs of counters that may be meant, each with its cost."""
        words = self.fields.words
        if self.fields.joined:
            return counters.parted(words["halfmove"].plain, self.side or "b")
        pairs = itertools.product(self.halfmoves, self.fullmoves)
        found = [(one + two, half, full) for (one, half), (two, full) in pairs]
        if self.fields.surplus is not None and {"halfmove", "fullmove"} <= words.keys():
            # a blank within one of two numbers makes three of them
            first, second, third = words["halfmove"].plain, words["fullmove"].plain, self.fields.surplus.plain
            for texts in ((first + second, third), (first, second + third)):
                half, full = counters.read(texts[0], "halfmove"), counters.read(texts[1], "fullmove")
                if half.message is None and full.message is None:
                    found.append((_BLANK_WITHIN, half.value or 0, full.value or 1))
        return found

    def plies(self, away: int) -> int | None:
        """Return how many half-moves were played; None when too few for `away` pieces to have left home."""
        if "fullmove" not in self.fields.words or len(self.halfmoves) * len(self.fullmoves) != 1:
            return None
        played = 2 * (self.fullmoves[0][1] - 1) + (self.side == "b")
        return played if away <= 2 * played else None

    def captures(self, missing: int) -> int | None:
        """Return how many captures the counters allow: none since the clock began.

        None when at least `missing` pieces are missing and the counters cannot be right about that.
        """
        played = self.plies(0)
        if played is None:
            return None
        most = max(0, played - self.halfmoves[0][1] - self.game.first_capture)
        return most if missing <= most else None

    def _sides(self, supplied: str | None) -> list[tuple[float, str]]:
        both = [(0.0, "w"), (0.0, "b")]
        word = self.fields.words.get("side")
        if word is None:
            if supplied is not None:
                return [(0.0, supplied)]
            place = min((token.first for token in self.fields.words.values()), default=None)
            end = self.fields.end[0] if place is None else self.source.starts[place]
            message = "the side to move is missing; nobody but you knows whose move it is"
            self.issues.error(Code.MISSING_SIDE, "side", message, (end, end))
            return both
        if word.plain in ("w", "b"):
            self._lookalike(word, "side")
            return [(0.0, word.plain)]
        span = self.source.of(word)
        side = self.game.side_words.get(word.plain.lower()) or _SIDES.get(word.plain.lower())
        if side is not None:
            owner = self.game.sides["wb".index(side)]
            if len(word.plain) == 1 and word.plain.islower():
                message = f"{word.plain} means {owner}, written {side}"
                self.issues.warning(Code.SIDE_R, "side", message, span, fix=side)
            else:
                message = f"{word.raw!r} is not w or b; {owner} to move is written {side}"
                self.issues.error(Code.SIDE, "side", message, span, fix=side)
            return [(0.0, side)]
        message = f"the side to move is w or b, not {word.raw[:20]!r}"
        self.issues.error(Code.SIDE, "side", message, span, fix=supplied)
        return both if supplied is None else [(0.0, supplied)]

    def _castling(self) -> list[str]:
        word = self._word("castling", Code.CASTLING_GRAMMAR, self.game.has_castling)
        if word is None or word.plain == "-":
            return []
        span = self.source.of(word)
        letters = castling.letters_in(word.plain)
        odd = [i for i, char in enumerate(word.plain) if char.lower() not in "kqabcdefgh"]
        if odd or not letters:
            shown = ", ".join(dict.fromkeys(repr(word.raw[i]) for i in odd[:6]))
            what = "are no castling letters" if ", " in shown else "is no castling letter"
            message = f"{shown} {what}; the field holds KQkq, letters of files, or '-' alone"
            self.issues.error(Code.CASTLING_GRAMMAR, "castling", message, span, *self._spans(word, odd))
            # an English word (`none`, `all`) is no list of files, though it may be made of their letters
            letters = [] if word.plain.islower() and not set(word.plain) & set("kq") else letters
            # a sign between the letters stands for none of them
            self.odd = sum(word.plain[i].isalnum() for i in odd) if letters else 0
        repeated = [i for i, char in enumerate(word.plain) if word.plain.index(char) != i and i not in odd]
        if repeated:
            shown = " and ".join(dict.fromkeys(word.raw[i] for i in repeated))
            message = f"{shown} {'occur' if ' and ' in shown else 'occurs'} twice in {word.raw[:20]}"
            self.issues.error(
                Code.CASTLING_DUPLICATE, "castling", message, span, *self._spans(word, repeated)
            )
        elif not odd and not castling.in_order(letters):
            fix = castling.canonical(letters)
            message = f"castling letters stand in the order {fix}, not {word.raw[:20]}"
            self.issues.warning(Code.CASTLING_ORDER, "castling", message, span, fix=fix)
        return letters

    def _en_passant(self) -> str:
        word = self._word("en-passant", Code.EP_GRAMMAR, self.game.has_en_passant)
        if word is None:
            return "-"
        if word.plain != "-" and not _SQUARE.fullmatch(word.plain):
            message = f"{word.raw[:20]!r} is neither a square (a3 to h3, a6 to h6) nor '-'"
            self.issues.error(Code.EP_GRAMMAR, "en-passant", message, self.source.of(word))
        return word.plain

    def _word(self, field: Field, code: Code, used: bool) -> Token | None:
        """Return the word of a field that not every game uses; None where it is missing or means nothing."""
        word = self.fields.words.get(field)
        if word is None:
            return None
        self._lookalike(word, field)
        if used:
            return word
        if word.plain != "-":
            message = f"{word.raw[:20]!r} means nothing in {self.game.name}; the {NAMES[field]} field is '-'"
            self.issues.error(code, field, message, self.source.of(word), fix="-")
        return None

    def _counter(self, field: Field) -> list[tuple[float, int]]:
        word = self.fields.words.get(field)
        least = counters.LEAST[field]
        if word is None:
            operations = parse_operations(self.fields.operations)
            given = [
                count for name, words in operations if name == _COUNTER_OPCODES[field] for count in words
            ]
            value = counters.read(given[0], field).value if len(given) == 1 else None
            return [(0.0, least if value is None else value)]
        self._lookalike(word, field)
        if self.fields.joined:
            return [(0.0, least)]
        count = counters.read(word.plain, field)
        if count.message is not None:
            fix = None if count.value is None else str(count.value)
            span = self.source.of(word)
            code, severity = _COUNTER_CODES[field], count.severity
            self.issues.error(code, field, count.message, span, fix=fix, severity=severity)
        # a guess is offered, not made
        values = count.guesses if count.value is None else [count.value]
        return [(0.0, value) for value in values]

    def _lookalike(self, word: Token, field: Field) -> None:
        odd = [i for i, (plain, raw) in enumerate(zip(word.plain, word.raw, strict=True)) if plain != raw]
        if odd:
            named = " ".join(f"U+{ord(word.raw[i]):04X}" for i in odd[:4])
            message = f"{word.raw[:20]!r} only looks like {word.plain[:20]!r} ({named})"
            fix = word.plain[odd[0]] if len(odd) == 1 else None
            self.issues.error(Code.UNICODE_LOOKALIKE, field, message, *self._spans(word, odd), fix=fix)

    def _spans(self, word: Token, offsets: list[int]) -> list[Span]:
        return self.source.spans(word.first + i for i in offsets)
