"""The small fields of a record, read: side, castling and en-passant letters, counters, with what is wrong."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

from adapter.fen import castling, counters
from adapter.fen.fields import NAMES, Fields, parse
from adapter.fen.report import Field, Issue, Severity, Span, about
from adapter.fen.source import Source, Token
from adapter.games.geometry import Geometry

_SIDES = {"w": "w", "b": "b", "white": "w", "black": "b"}
_RED = {"r": "w", "red": "w"}
_SQUARE = re.compile(r"[a-h][1-8]")
_NAMED = {"w": "White", "b": "Black"}
_COUNTER_OPCODES: dict[Field, str] = {"halfmove": "hmvc", "fullmove": "fmvn"}  # EPD standard


BLANK_WITHIN = 0.3  # what it costs to believe that two words are one number


class StateFields:
    """What the fields behind the board say; `findings` collects what is wrong about their grammar."""

    def __init__(self, fields: Fields, game: Geometry, side: str | None) -> None:
        self.fields = fields
        self.game = game
        self.source: Source = fields.source
        self.findings: list[Issue] = []
        self.sides = self._side(side)
        self.odd = 0
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
        """Both counters together, with what it costs to believe them."""
        if self.fields.joined:
            return counters.parted(self.fields.words["halfmove"].plain, self.side or "b")
        pairs = itertools.product(self.halfmoves, self.fullmoves)
        found = [(one + two, half, full) for (one, half), (two, full) in pairs]
        words = [self.fields.words.get("halfmove"), self.fields.words.get("fullmove"), self.fields.surplus]
        numbers = [word.plain for word in words if word is not None]
        if len(numbers) == len(words):
            # a blank within one of two numbers makes three of them
            first, second, third = numbers
            for half, full in ((first + second, third), (first, second + third)):
                read = counters.read(half, "halfmove"), counters.read(full, "fullmove")
                if all(count.value is not None and count.message is None for count in read):
                    found.append((BLANK_WITHIN, read[0].value or 0, read[1].value or 1))
        return found

    def plies(self, away: int) -> int | None:
        """How many half-moves were played, None when `away` men have left home and that is too many."""
        if "fullmove" not in self.fields.words or len(self.halfmoves) * len(self.fullmoves) != 1:
            return None
        played = 2 * (self.fullmoves[0][1] - 1) + (self.side == "b")
        return played if away <= 2 * played else None

    def captures(self, gone: int) -> int | None:
        """How many captures the counters leave room for: none since the clock began.

        None when at least `gone` men are missing and the counters cannot be right about that.
        """
        played = self.plies(0)
        if played is None:
            return None
        # cannons may take at once, the first capture of chess is White's second move
        first = 0 if self.game.width == 9 else 2
        room = max(0, played - self.halfmoves[0][1] - first)
        return room if gone <= room else None

    def _side(self, supplied: str | None) -> list[tuple[float, str]]:
        both = [(0.0, "w"), (0.0, "b")]
        word = self.fields.words.get("side")
        if word is None:
            if supplied is not None:
                return [(0.0, supplied)]
            end = self.source.span(self.fields.stop - 1, self.fields.stop)[1]
            if self.fields.words:
                first = min(token.first for token in self.fields.words.values())
                end = self.source.span(first, first + 1)[0]
            message = "the side to move is missing; nobody but you knows whose move it is"
            self._say("missing-side", "error", "side", (end, end), message)
            return both
        if word.plain in ("w", "b"):
            self._lookalike(word, "side")
            return [(0.0, word.plain)]
        red = _RED if self.game.width == 9 else {}
        if word.plain in red and len(word.plain) == 1:
            self._say("side-r", "warning", "side", self.source.of(word), "r means Red, written w", fix="w")
            return [(0.0, "w")]
        meant = (_SIDES | red).get(word.plain.lower())
        if meant is not None:
            message = f"{word.raw!r} is not w or b; {self._owner(meant)} to move is written {meant}"
            self._say("side", "error", "side", self.source.of(word), message, fix=meant)
            return [(0.0, meant)]
        message = f"the side to move is w or b, not {word.raw[:20]!r}"
        self._say("side", "error", "side", self.source.of(word), message, fix=supplied)
        return both if supplied is None else [(0.0, supplied)]

    def _owner(self, side: str) -> str:
        return "Red" if side == "w" and self.game.width == 9 else _NAMED[side]

    def _castling(self) -> list[str]:
        word = self.fields.words.get("castling")
        if word is None:
            return []
        self._lookalike(word, "castling")
        if self.game.width == 9:
            self._dash(word, "castling", "castling-grammar")
            return []
        letters = castling.said(word.plain)
        if word.plain == "-":
            return []
        odd = [i for i, char in enumerate(word.plain) if char.lower() not in "kqabcdefgh"]
        if odd or not letters:
            spans = self._spans(word, odd)
            shown = ", ".join(dict.fromkeys(repr(word.raw[i]) for i in odd[:6]))
            what = "are no castling letters" if ", " in shown else "is no castling letter"
            message = f"{shown} {what}; the field holds KQkq, letters of files, or '-' alone"
            self._say("castling-grammar", "error", "castling", self.source.of(word), message, spans)
            # an English word (`none`, `all`) is no list of files, though it may be made of their letters
            letters = [] if word.plain.islower() and not set(word.plain) & set("kq") else letters
            # a sign between the letters stands for none of them
            self.odd = sum(word.plain[i].isalnum() for i in odd) if letters else 0
        strange = set(odd)
        first = {char: i for i, char in reversed(list(enumerate(word.plain)))}
        repeated = [i for i, char in enumerate(word.plain) if first[char] != i and i not in strange]
        if repeated:
            spans = self._spans(word, repeated)
            shown = " and ".join(dict.fromkeys(word.raw[i] for i in repeated))
            message = f"{shown} {'are' if ' and ' in shown else 'is'} said twice in {word.raw[:20]}"
            self._say("castling-duplicate", "error", "castling", self.source.of(word), message, spans)
        elif not odd and not castling.in_order(letters):
            fix = castling.canonical(letters)
            message = f"castling letters stand in the order {fix}, not {word.raw[:20]}"
            self._say("castling-order", "warning", "castling", self.source.of(word), message, fix=fix)
        return letters

    def _en_passant(self) -> str:
        word = self.fields.words.get("en-passant")
        if word is None:
            return "-"
        self._lookalike(word, "en-passant")
        if self.game.width == 9:
            self._dash(word, "en-passant", "ep-grammar")
            return "-"
        if not _good_square(word.plain):
            message = f"{word.raw[:20]!r} is neither a square (a3 to h3, a6 to h6) nor '-'"
            self._say("ep-grammar", "error", "en-passant", self.source.of(word), message)
        return word.plain

    def _dash(self, word: Token, field: Field, code: str) -> None:
        if word.plain != "-":
            message = f"{word.raw[:20]!r} means nothing in xiangqi; the {NAMES[field]} field is '-'"
            self._say(code, "error", field, self.source.of(word), message, fix="-")

    def _counter(self, field: Field) -> list[tuple[float, int]]:
        word = self.fields.words.get(field)
        least = counters.LEAST[field]
        if word is None:
            said = parse(self.fields.operations).get(_COUNTER_OPCODES[field], ())
            count = counters.read(said[0], field) if len(said) == 1 else None
            return [(0.0, least if count is None or count.value is None else count.value)]
        self._lookalike(word, field)
        if self.fields.joined:
            return [(0.0, least)]
        count = counters.read(word.plain, field)
        if count.message is not None:
            fix = None if count.value is None else str(count.value)
            self._say(field, count.severity, field, self.source.of(word), count.message, fix=fix)
        if count.value is not None:
            return [(0.0, count.value)]
        # two readings of the same cost are never the only one: a guess is offered, not made
        return [(cost, guess) for guess in count.guesses for cost in (0.0,)] or []

    def _lookalike(self, word: Token, field: Field) -> None:
        if word.plain == word.raw:
            return
        odd = [i for i, (plain, raw) in enumerate(zip(word.plain, word.raw, strict=True)) if plain != raw]
        spans = self._spans(word, odd)
        named = " ".join(f"U+{ord(word.raw[i]):04X}" for i in odd[:4])
        message = f"{word.raw[:20]!r} only looks like {word.plain[:20]!r} ({named})"
        self._say(
            "unicode-lookalike",
            "error",
            field,
            spans[0],
            message,
            spans[1:],
            fix=word.plain[odd[0]] if len(odd) == 1 else None,
        )

    def _spans(self, word: Token, offsets: list[int]) -> list[Span]:
        return [self.source.span(word.first + i, word.first + i + 1) for i in offsets]

    def _say(
        self,
        code: str,
        severity: Severity,
        field: Field,
        span: Span,
        message: str,
        related: Sequence[Span] = (),
        fix: str | None = None,
    ) -> None:
        self.findings.append(about(field, code, severity, span, message, related, fix))


def _good_square(text: str) -> bool:
    return text == "-" or _SQUARE.fullmatch(text) is not None
