"""The words of a record dealt out to its fields, wherever they stand; what follows is moves or operations."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

import msgspec

from adapter.fen import operations
from adapter.fen.finding import Finding
from adapter.fen.problem import Field, Severity, Span
from adapter.fen.text import Prepared, Source, Token, squares
from adapter.fen.words import CHECKS, CHINESE_MOVE, EXACT, MOVE, SLOPPY, START, STUCK

ORDER: tuple[Field, ...] = ("side", "castling", "en-passant", "halfmove", "fullmove")
NAMES: dict[Field, str] = {
    "side": "side to move",
    "castling": "castling",
    "en-passant": "en passant",
    "halfmove": "half-move clock",
    "fullmove": "full-move number",
}
_LIKE_RANKS = re.compile(r"[A-Za-z1-9~]{1,10}")


# For each word the index of its field, None for a word that has none.
Deal = tuple[int | None, ...]


class Fields(msgspec.Struct):
    """The words of one record by field, None where it has none."""

    source: Source
    placement: Token
    words: dict[Field, Token]
    findings: list[Finding]
    moves: list[Token]
    operations: str
    stop: int  # index one past the record's last character, before moves and operations
    startpos: bool = False


def split(prepared: Prepared) -> Fields | None:
    """Deals the words out; None when there are none."""
    if not prepared.tokens:
        return None
    return _Splitter(prepared).split()


class _Splitter:
    def __init__(self, prepared: Prepared) -> None:
        self.source = prepared.source
        self.tokens = prepared.tokens
        self.findings: list[Finding] = []

    def split(self) -> Fields:
        placement, before, rest = self._find_placement()
        if placement.plain.lower() == START:
            fields = Fields(self.source, placement, {}, self.findings, [], "", placement.stop, startpos=True)
            self._tail(fields, rest)
            return fields
        taken: list[Token] = []
        while rest and len(taken) + len(before) < len(ORDER):
            token = rest[0]
            following = rest[1] if len(rest) > 1 else None
            if self._ends(token, following, len(before) + len(taken)):
                break
            if CHECKS.fullmatch(token.plain):
                self._check_count(token)
            else:
                taken.append(token)
            rest = rest[1:]
        words = self._deal(self._part(before + taken))
        placement = self._unstick(placement, words)
        stop = max([placement.stop, *(token.stop for token in before + taken)])
        fields = Fields(self.source, placement, words, self.findings, [], "", stop)
        self._tail(fields, rest)
        self._missing(fields)
        return fields

    def _find_placement(self) -> tuple[Token, list[Token], list[Token]]:
        """The board's word, words that stand before it, words behind it."""
        tokens = self.tokens
        index = next((i for i, token in enumerate(tokens[:12]) if token.plain.count("/") >= 3), 0)
        if "/" not in tokens[0].plain and index == 0:
            joined = self._loose_ranks()
            if joined is not None:
                return joined, [], tokens[joined.plain.count("/") + 1 :]
        placement, rest = tokens[index], tokens[index + 1 :]
        before = []
        for token in tokens[:index]:
            if any(self._score(token, field) == 2 for field in ORDER):
                before.append(token)
            else:
                message = f"{token.raw[:20]!r} stands before the record"
                self._say("leading-garbage", "error", "record", self.source.of(token), message, fix="")
        if before:
            spans = [self.source.of(token) for token in before]
            self._say("field-order", "error", "placement", spans[0], "the board comes first", spans[1:])
        return placement, before, rest

    def _loose_ranks(self) -> Token | None:
        """The board when blanks stand for its slashes."""
        for height, width in ((10, 9), (8, 8)):
            ranks = self.tokens[:height]
            if len(ranks) == height and all(
                _LIKE_RANKS.fullmatch(token.plain) and squares(token.plain) == width for token in ranks
            ):
                spans = [self.source.span(one.stop, two.first) for one, two in itertools.pairwise(ranks)]
                message = "the ranks are parted by blanks instead of '/'"
                self._say("rank-count", "error", "placement", spans[0], message, spans[1:], fix="/")
                first, stop = ranks[0].first, ranks[-1].stop
                if stop - first != sum(len(token.plain) for token in ranks) + height - 1:
                    return None
                plain = "/".join(token.plain for token in ranks)
                raw = "/".join(token.raw for token in ranks)
                return Token(plain, raw, first)
        return None

    def _ends(self, token: Token, following: Token | None, index: int) -> bool:
        """Whether a word begins the moves or operations rather than being the field of this index."""
        plain = token.plain
        if token.raw.lower() == "moves" or plain.startswith(";"):
            return True
        field = ORDER[index]
        if self._score(token, field) == 2:
            return False
        if field == "castling" and re.fullmatch(r"[a-h][1-8]", plain):
            # `w e4` is a move, `w e3 0 1` a record that lacks its castling field
            return following is None or not re.fullmatch(r"-|[0-9]{1,20}", following.plain)
        if field in ("castling", "en-passant") and self._score(token, field):
            return self._opcode(token, index)
        if CHINESE_MOVE.fullmatch(token.raw) or self._opcode(token, index):
            return True
        if following is None and self._score(token, field):
            return False  # `1.` is the last counter with a full stop, and not the number of a move
        return bool(MOVE.fullmatch(plain)) and not any(
            self._score(token, other) == 2 for other in ORDER[index:]
        )

    def _opcode(self, token: Token, index: int = len(ORDER)) -> bool:
        # operations follow the fourth field, so a word before it is more likely a damaged field
        doubtful = index < ORDER.index("halfmove") or bool(MOVE.fullmatch(token.plain))
        return operations.starts(self.source.raw, token.first, doubtful=doubtful)

    def _part(self, words: list[Token]) -> list[Token]:
        """Parts two fields between which the blank is missing, when the record is one word short."""
        if len(words) == len(ORDER):
            return words
        for place, pattern in STUCK:
            match = pattern.fullmatch(words[place].plain) if place < len(words) else None
            if match is None or (place == 0 and any(self._score(word, "side") == 2 for word in words)):
                continue
            word = words[place]
            self._glued(ORDER[place], word.first + match.end(1), word.first + match.start(2))
            return [*words[:place], word.part(*match.span(1)), word.part(*match.span(2)), *words[place + 1 :]]
        return words

    def _deal(self, words: list[Token]) -> dict[Field, Token]:
        """By position when every word may be what its position says, else by what the words look like."""
        by_place = dict(zip(ORDER, words, strict=False))
        if all(
            self._score(word, field) or not self._belongs_elsewhere(word, field)
            for field, word in by_place.items()
        ):
            return by_place
        scores = [[self._score(word, field) for field in ORDER] for word in words]
        # in order with some fields missing, if every word then has its place; else in any order
        ordered = max(
            itertools.combinations(range(len(ORDER)), len(words)), key=lambda deal: _gain(deal, scores)
        )
        deal: Deal = ordered
        if not all(score[place] for place, score in zip(ordered, scores, strict=True)):
            deal = max(_deals(len(words)), key=lambda deal: _gain(deal, scores))
        dealt = {ORDER[place]: word for place, word in zip(deal, words, strict=True) if place is not None}
        places = [place for place in deal if place is not None]
        if places != sorted(places):
            spans = [self.source.of(word) for word in words]
            found = ", ".join(NAMES[field] for field in dealt)
            message = f"the fields stand in the order {found}"
            self._say("field-order", "error", next(iter(dealt)), spans[0], message, spans[1:])
        for place, word in zip(deal, words, strict=True):
            if place is None:
                self._garbage(word)
        return dealt

    def _belongs_elsewhere(self, word: Token, field: Field) -> bool:
        return any(self._score(word, other) == 2 for other in ORDER if other != field)

    def _score(self, token: Token, field: Field) -> int:
        if EXACT[field].fullmatch(token.plain):
            return 2
        return 1 if SLOPPY[field].fullmatch(token.plain) else 0

    def _unstick(self, placement: Token, words: dict[Field, Token]) -> Token:
        """Parts a side from the board it sticks to: it is missing and makes the last rank one too long."""
        height = placement.plain.count("/") + 1
        last = placement.plain.rsplit("/", 1)[-1]
        cut = len(placement.plain) - 1
        if "side" in words or last[-1:] not in ("w", "b") or squares(last) != (10 if height == 10 else 9):
            return placement
        words["side"] = placement.part(cut, cut + 1)
        self._glued("side", placement.first + cut, placement.first + cut)
        return placement.part(0, cut)

    def _glued(self, field: Field, first: int, stop: int) -> None:
        place = self.source.span(first, first + 1)[0]
        span = self.source.span(first, stop) if stop > first else (place, place)
        self._say("whitespace", "error", field, span, "a blank is missing", fix=" ")

    def _tail(self, fields: Fields, rest: list[Token]) -> None:
        """What follows the fields: operations, moves, or nothing that belongs there."""
        raw = self.source.raw
        if rest and (rest[0].plain.startswith(";") or self._opcode(rest[0])):
            first = rest[0].first
            stop = operations.end_of(raw, first)
            text = raw[first:stop]
            if text.strip(" ;\t"):
                fields.operations = text
                rest = [token for token in rest if token.first >= stop]
        rest = self._trailing(fields, rest)
        if not rest:
            return
        if rest[0].raw.lower() == "moves":
            fields.moves = rest[1:]
        elif MOVE.fullmatch(rest[0].plain) or CHINESE_MOVE.fullmatch(rest[0].raw):
            fields.moves = rest
        else:
            for token in rest:
                if CHECKS.fullmatch(token.plain):
                    self._check_count(token)
            odd = [token for token in rest if not CHECKS.fullmatch(token.plain)]
            if odd:
                span = self.source.span(odd[0].first, odd[-1].stop)
                what = self.source.raw[odd[0].first : odd[-1].stop]
                shown = what if len(what) <= 30 else f"{what[:27]}…"
                message = f"{shown!r} follows the record and is no move"
                self._say("trailing-garbage", "error", "record", span, message, fix="")

    def _trailing(self, fields: Fields, rest: list[Token]) -> list[Token]:
        """Takes a lone sign off the end: of the last field when nothing follows, or standing by itself."""
        if rest and all(token.plain.strip(";,.") == "" for token in rest):
            span = self.source.span(rest[0].first, rest[-1].stop)
            self._say(
                "trailing-garbage", "error", "record", span, f"{rest[0].plain!r} follows the record", fix=""
            )
            return []
        if rest or fields.operations:
            return rest
        last = max(fields.words, key=lambda field: fields.words[field].first, default=None)
        word = fields.placement if last is None else fields.words[last]
        bare = word.plain.rstrip(";,.")
        if bare and bare != word.plain:
            span = self.source.span(word.first + len(bare), word.stop)
            sign = word.plain[len(bare) :][:10]
            self._say("trailing-garbage", "error", "record", span, f"{sign!r} follows the record", fix="")
            if last is None:
                fields.placement = word.part(0, len(bare))
            else:
                fields.words[last] = word.part(0, len(bare))
        return rest

    def _missing(self, fields: Fields) -> None:
        gone = [field for field in ORDER if field not in fields.words]
        end = self.source.span(fields.stop - 1, fields.stop)[1]
        rest = [NAMES[field] for field in gone if field != "side"]
        if not rest:
            return
        epd = len(fields.words) == 3 and fields.operations and rest == [NAMES["halfmove"], NAMES["fullmove"]]
        if not epd:
            field = next(field for field in gone if field != "side")
            message = f"no {', no '.join(rest)} is given; the record is completed with the usual values"
            self._say("missing-fields", "warning", field, (end, end), message)

    def _check_count(self, token: Token) -> None:
        message = f"{token.plain} counts checks and belongs to another game"
        self._say("check-count", "error", "record", self.source.of(token), message, fix="")

    def _garbage(self, token: Token) -> None:
        message = f"{token.raw[:20]!r} is no field of a record"
        self._say("trailing-garbage", "error", "record", self.source.of(token), message, fix="")

    def _say(
        self,
        code: str,
        severity: Severity,
        field: Field,
        span: Span,
        message: str,
        related: list[Span] | None = None,
        fix: str | None = None,
    ) -> None:
        self.findings.append(
            Finding(
                code=code,
                severity=severity,
                field=field,
                at=field,
                span=span,
                message=message,
                related=tuple(related or ()),
                fix=fix,
            )
        )


def _deals(count: int) -> Iterator[Deal]:
    """Every way to give that many words different fields, or none."""
    if not count:
        yield ()
        return
    for deal in _deals(count - 1):
        yield (*deal, None)
        for place in range(len(ORDER)):
            if place not in deal:
                yield (*deal, place)


def _gain(deal: Deal, scores: list[list[int]]) -> float:
    """How well the words look in these fields: looks first, then order, then no gaps."""
    places = [place for place in deal if place is not None]
    looks = sum(
        -4 if place is None else 10 * score[place] - 1 for place, score in zip(deal, scores, strict=True)
    )
    return looks - 3 * sum(a > b for a, b in itertools.combinations(places, 2)) - 0.01 * sum(places)
