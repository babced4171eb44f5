"""The words of a record dealt out to its fields, wherever they stand; what follows is moves or operations."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from adapter.fen import counters
from adapter.fen.cleanup import CASTLING, SQUARE, Prepared, prepare
from adapter.fen.patterns import (
    CHECKS,
    CHINESE_MOVE,
    COUNTERS,
    EXACT,
    MOVE,
    NEXT_COLUMN,
    SLOPPY,
    START,
    STUCK,
)
from adapter.fen.report import Field, Issue, Severity, Span, about
from adapter.fen.separators import run_on, split_glued
from adapter.fen.source import Source, Token
from adapter.games.geometry import CHESS, XIANGQI

if TYPE_CHECKING:
    pass  # MERGED

_OPCODE = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,14}")
# Opcodes of the EPD standard and of test suites: these are recognised without a semicolon, too.
_WORDS = (
    "acd acms acn acs am bm ce dm draw_accept draw_claim draw_offer draw_reject eco fmvn hmvc id nic noop "
    "pm pv rc refcom resign sm tcgs tcri tcsi"
)
KNOWN = frozenset((*_WORDS.split(), *(f"{letter}{digit}" for letter in "cdv" for digit in range(10))))
# Quoted text may hold semicolons; a quote that is never closed ends with the text.
_PART = re.compile(r'"([^"]*)(?:"|$)|([^\s;"]+)|(;)')


def starts(text: str, at: int, *, doubtful: bool = False) -> bool:
    """Whether an operation begins here: a known opcode, or any name that is closed by a semicolon.

    A doubtful word (`c4`, a comment of EPD, may be a move) is an opcode only when both hold.
    """
    match = _OPCODE.match(text, at)
    if match is None or (match.end() < len(text) and text[match.end()] not in " ;"):
        return False
    known = match[0].lower() in KNOWN
    closed = text.find(";", match.end()) > match.end()
    return known and closed if doubtful else known or closed


def end_of(text: str, at: int) -> int:
    """Where the operations that begin here end: behind the last semicolon, or with the text."""
    last = at
    for match in _PART.finditer(text, at):
        if match[3]:
            last = match.end()
    tail = text[last:].strip()
    return (
        last if last > at and tail and not starts(text, len(text) - len(text[last:].lstrip())) else len(text)
    )


def parse(text: str) -> dict[str, tuple[str, ...]]:
    """Operations as opcode → operands, quotes taken off. A repeated opcode adds its operands to the first."""
    found: dict[str, tuple[str, ...]] = {}
    words: list[str] = []
    for match in _PART.finditer(text):
        if not match[3]:
            words.append(match[1] if match[1] is not None else match[2])
            continue
        if words:
            found[words[0]] = found.get(words[0], ()) + tuple(words[1:])
        words = []
    if words:
        found[words[0]] = found.get(words[0], ()) + tuple(words[1:])
    return found


def epd_operations(text: str) -> dict[str, tuple[str, ...]]:
    """The operations of an EPD record, in order: opcode → operands. Empty for a record without any."""
    return parse(tail_of(text)[0])


def tail_of(text: str) -> tuple[str, bool]:
    """The operations of a record as they were written, and whether counters stand before them."""
    # MERGED
    from adapter.fen.cleanup import prepare

    fields = split(prepare(text))
    if fields is None:
        return "", False
    return fields.operations.strip(), "halfmove" in fields.words


ORDER: tuple[Field, ...] = ("side", "castling", "en-passant", "halfmove", "fullmove")
NAMES: dict[Field, str] = {
    "side": "side to move",
    "castling": "castling",
    "en-passant": "en passant",
    "halfmove": "half-move clock",
    "fullmove": "full-move number",
}

# For each word the index of its field, None for a word that has none.
_Places = tuple[int | None, ...]


def score(token: Token, field: Field) -> int:
    """How well a word looks in a field: 2 as it should be, 1 as a slip of the hand may leave it, else 0."""
    if EXACT[field].fullmatch(token.plain):
        return 2
    return 1 if SLOPPY[field].fullmatch(token.plain) else 0


def assign_fields(words: list[Token]) -> tuple[dict[Field, Token], list[Token]]:
    """The words by field, in the order they stand in, and those that have none."""
    by_place = dict(zip(ORDER, words, strict=False))
    if all(score(word, field) or not _belongs_elsewhere(word, field) for field, word in by_place.items()):
        return by_place, []
    scores = [[score(word, field) for field in ORDER] for word in words]
    # in order with some fields missing, if every word then has its place; else in any order
    ordered = max(
        itertools.combinations(range(len(ORDER)), len(words)), key=lambda places: _gain(places, scores)
    )
    best: _Places = ordered
    if not all(row[place] for place, row in zip(ordered, scores, strict=True)):
        best = max(_assignments(len(words)), key=lambda places: _gain(places, scores))
    dealt = {ORDER[place]: word for place, word in zip(best, words, strict=True) if place is not None}
    return dealt, [word for place, word in zip(best, words, strict=True) if place is None]


def _belongs_elsewhere(word: Token, field: Field) -> bool:
    return any(score(word, other) == 2 for other in ORDER if other != field)


def _assignments(count: int) -> Iterator[_Places]:
    """Every way to give that many words different fields, or none."""
    if not count:
        yield ()
        return
    for places in _assignments(count - 1):
        yield (*places, None)
        for place in range(len(ORDER)):
            if place not in places:
                yield (*places, place)


def _gain(places: _Places, scores: list[list[int]]) -> float:
    """How well the words look in these fields: looks first, then order, then no gaps."""
    taken = [place for place in places if place is not None]
    looks = sum(
        -4 if place is None else 10 * row[place] - 1 for place, row in zip(places, scores, strict=True)
    )
    return looks - 3 * sum(a > b for a, b in itertools.combinations(taken, 2)) - 0.01 * sum(taken)


def missing_fields(fields: Fields) -> list[Issue]:
    """One finding for all fields behind the side that are not there; an EPD has no counters."""
    gone = [field for field in ORDER if field not in fields.words and field != "side"]
    if fields.joined:
        gone.remove("fullmove")
    epd = len(fields.words) == 3 and fields.operations and gone == ["halfmove", "fullmove"]
    if not gone or epd:
        return []
    end = _end(fields)
    names = ", no ".join(NAMES[field] for field in gone)
    message = f"no {names} is given; the record is completed with the usual values"
    return [about(gone[0], "missing-fields", "warning", (end, end), message)]


def report_blanks(fields: Fields, prepared: Prepared, lost: int | None) -> None:
    """One finding for all blanks that are not single ones; among operations and moves they are free.

    `lost` is which finding tells of blanks that are missing: one of them may have slipped aside. Two blanks
    about a field that is missing are told with it.
    """
    tail = fields.source.of(prepared.tokens[-1])[1]
    end = _end(fields)
    spans = [span for span in prepared.blanks if span[0] < end or span[0] >= tail]
    if not spans:
        return
    findings = fields.findings
    gap = next((i for i, said in enumerate(findings) if said.code == "missing-fields"), None)
    if lost is not None:
        said = findings[lost]
        message = f"{said.message}, and blanks stand where none should or more than one"
        findings[lost] = msgspec.structs.replace(said, message=message, related=(*said.related, *spans))
    elif gap is not None and len(spans) == 1 and _behind_board(spans[0], fields, prepared):
        findings[gap] = msgspec.structs.replace(findings[gap], related=tuple(spans))
    else:
        message = "blanks are single and stand between the fields only"
        findings.append(about("record", "whitespace", "warning", spans[0], message, spans[1:]))


def _behind_board(span: Span, fields: Fields, prepared: Prepared) -> bool:
    return span[0] >= fields.source.of(fields.placement)[1] and not prepared.text[slice(*span)].strip(" ")


def _end(fields: Fields) -> int:
    return fields.source.span(fields.stop - 1, fields.stop)[1]


_STOPS = ";,."
RESPELLED: dict[Field, Mapping[str, str]] = {"castling": CASTLING, "en-passant": SQUARE}
MOST_LEADING = 12  # words before the board
# Words that none but a field of a record is; a move is followed by neither.
_FIELD_FOLLOWS = re.compile(r"-|[0-9]{1,20}|[wb]|[KQkq]{2,4}")

_RIGHTS_AND_DASH = re.compile(r"[wb][KQkq]{1,4}-")


class Fields(msgspec.Struct):
    """The words of one record by field, None where it has none."""

    source: Source
    placement: Token
    words: dict[Field, Token]
    findings: list[Issue]
    moves: list[Token]
    operations: str
    stop: int  # index one past the record's last character, before moves and operations
    startpos: bool = False
    surplus: Token | None = None  # a third number behind the two counters
    joined: bool = False  # the half-move clock is both counters, and where it parts is not known


def split(prepared: Prepared) -> Fields | None:
    """Deals the words out; None when there are none."""
    if not prepared.tokens:
        return None
    return _Splitter(prepared).split()


def placement_of(text: str) -> str:
    """The board of a record as it is written, without what surrounds it; empty where there is none."""
    fields = split(prepare(text))
    return "" if fields is None else fields.placement.raw


def _respelled(word: Token, meanings: Mapping[str, str]) -> Token:
    """A field with look-alikes read as what they are there, before the game is looked for."""
    return msgspec.structs.replace(word, plain="".join(map(meanings.get, word.raw, word.plain)))


class _Splitter:
    def __init__(self, prepared: Prepared) -> None:
        self.source = prepared.source
        self.tokens = prepared.tokens
        self.prepared = prepared
        self.findings: list[Issue] = []
        self.glued: int | None = None  # which finding tells of missing blanks

    def split(self) -> Fields:
        placement, before, rest = self._find_placement()
        if placement.plain.lower().rstrip(_STOPS) == START:
            fields = Fields(self.source, placement, {}, self.findings, [], "", placement.stop, startpos=True)
            self._tail(fields, rest)
            report_blanks(fields, self.prepared, None)
            return fields
        placement, rest = self._cut_off(placement, rest)
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
        words = self._dealt(self._part(before + taken))
        words |= {
            field: _respelled(words[field], read) for field, read in RESPELLED.items() if field in words
        }
        placement = self._unstick(placement, words)
        stop = max([placement.stop, *(token.stop for token in before + taken)])
        fields = Fields(self.source, placement, words, self.findings, [], "", stop)
        self._tail(fields, rest)
        self._part_counters(fields)
        self.findings += missing_fields(fields)
        report_blanks(fields, self.prepared, self.glued)
        return fields

    def _find_placement(self) -> tuple[Token, list[Token], list[Token]]:
        """The board's word, fields that stand before it, words behind it."""
        tokens = self.tokens
        index = next((i for i, token in enumerate(tokens[:MOST_LEADING]) if token.plain.count("/") >= 3), 0)
        placement, rest = tokens[index], tokens[index + 1 :]
        before = [token for token in tokens[:index] if any(score(token, field) == 2 for field in ORDER)]
        garbage = [[token] for token in tokens[:index] if token not in before]
        if not self._are_fields(before, rest):
            # what is said of several words side by side is said once
            before, garbage = [], [tokens[:index]] if index else []
        for words in garbage:
            self._garbage("leading-garbage", words[0].first, words[-1].stop, "stands before the record")
        if before:
            spans = [self.source.of(token) for token in before]
            self._say("field-order", "error", "placement", spans[0], "the board comes first", spans[1:])
        return placement, before, rest

    def _are_fields(self, before: list[Token], rest: list[Token]) -> bool:
        """Whether words before the board are fields of it: such that it lacks, and not numbers or bullets."""
        behind = 0
        for token in rest[: len(ORDER)]:
            if not any(score(token, field) == 2 for field in ORDER):
                break
            behind += 1
        telling = any(re.fullmatch(r"[wb]|[KQkqA-Ha-h]{1,4}|[a-h][36]", token.plain) for token in before)
        return telling and len(before) + behind <= len(ORDER)

    def _ends(self, token: Token, following: Token | None, index: int) -> bool:
        """Whether a word begins the moves or operations rather than being the field of this index."""
        plain = token.plain
        if token.raw.lower() == "moves" or plain.startswith(";"):
            return True
        field = ORDER[index]
        if score(token, field) == 2:
            return False
        follows = following is not None and _FIELD_FOLLOWS.fullmatch(following.plain)
        if follows and not self._opcode(token, index):
            return False  # `w e4` is a move, `w e3 0 1` a record that lacks its castling field
        if field == "castling" and re.fullmatch(r"[a-h][1-8]", plain):
            return True
        if field in ("castling", "en-passant") and score(token, field):
            return self._opcode(token, index)
        if CHINESE_MOVE.fullmatch(token.raw) or self._opcode(token, index):
            return True
        if following is None and score(token, field):
            return False  # `1.` is the last counter with a full stop, and not the number of a move
        return bool(MOVE.fullmatch(plain)) and not any(score(token, other) == 2 for other in ORDER[index:])

    def _opcode(self, token: Token, index: int = len(ORDER)) -> bool:
        # operations follow the fourth field, so a word before it is more likely a damaged field
        doubtful = index < ORDER.index("halfmove") or bool(MOVE.fullmatch(token.plain))
        return starts(self.source.raw, token.first, doubtful=doubtful)

    def _part(self, words: list[Token]) -> list[Token]:
        """Parts fields between which the blank is missing, as long as the record is a word short."""
        for place, pattern in STUCK:
            if len(words) >= len(ORDER):
                break
            match = pattern.fullmatch(words[place].plain) if place < len(words) else None
            if match is None or (place == 0 and any(score(word, "side") == 2 for word in words)):
                continue
            word = words[place]
            if _RIGHTS_AND_DASH.fullmatch(word.plain) and len(words) == len(ORDER) - 1:
                # the en-passant field has a dash of its own, so this one stands for nothing
                message = "a blank is missing, and '-' is too much behind the rights"
                fix = f"{word.plain[0]} {word.plain[1:-1]}"
                self._say("whitespace", "error", "side", self.source.of(word), message, fix=fix)
                words = [word.part(0, 1), word.part(1, len(word.plain) - 1), *words[1:]]
                break
            self._glued(ORDER[place], word.first + match.end(1), word.first + match.start(2))
            words = [
                *words[:place],
                word.part(*match.span(1)),
                word.part(*match.span(2)),
                *words[place + 1 :],
            ]
        return words

    def _dealt(self, words: list[Token]) -> dict[Field, Token]:
        dealt, left = assign_fields(words)
        order = [ORDER.index(field) for field in dealt]
        if order != sorted(order):
            spans = [self.source.of(word) for word in words]
            found = ", ".join(NAMES[field] for field in dealt)
            message = f"the fields stand in the order {found}"
            self._say("field-order", "error", next(iter(dealt)), spans[0], message, spans[1:])
        for word in left:
            message = f"{word.raw[:20]!r} is no field of a record"
            self._say("trailing-garbage", "error", "record", self.source.of(word), message, fix="")
        return dealt

    def _unstick(self, placement: Token, words: dict[Field, Token]) -> Token:
        """Parts a side from the board it sticks to: it is missing and makes the last rank one too long."""
        cut = split_glued(placement)
        if "side" in words or not cut:
            return placement
        words["side"] = placement.part(cut, cut + 1)
        self._glued("side", placement.first + cut, placement.first + cut)
        return placement.part(0, cut)

    def _cut_off(self, placement: Token, rest: list[Token]) -> tuple[Token, list[Token]]:
        """Parts the board from side and rights where not even these have a blank between them."""
        cut = run_on(placement)
        if not cut or any(score(token, "side") == 2 for token in rest[: len(ORDER)]):
            return placement, rest
        for place in (cut, cut + 1):
            self._glued("side", placement.first + place, placement.first + place)
        size = len(placement.plain)
        return placement.part(0, cut), [placement.part(cut, cut + 1), placement.part(cut + 1, size), *rest]

    def _part_counters(self, fields: Fields) -> None:
        """Parts two counters without a blank between them; where there are several ways, all are kept.

        A number that a clock may reach is one: then the other is only missing.
        """
        words = fields.words
        word = words.get("halfmove")
        if word is None or "fullmove" in words or not COUNTERS.fullmatch(word.plain):
            return
        game = XIANGQI if fields.placement.plain.count("/") == XIANGQI.height - 1 else CHESS
        if int(word.plain) <= max(reached for reached, _ in game.draws):
            return
        pairs = counters.parted(word.plain, words["side"].plain if "side" in words else "b")
        if len(pairs) == 1 and not pairs[0][0]:
            cut = len(str(pairs[0][1]))
            self._glued("halfmove", word.first + cut, word.first + cut)
            words["halfmove"], words["fullmove"] = word.part(0, cut), word.part(cut, len(word.plain))
        elif pairs:
            fields.joined = True
            message = f"a blank is missing between the two counters, {word.raw}"
            self._say("whitespace", "error", "record", self.source.of(word), message)

    def _glued(self, field: Field, first: int, stop: int) -> None:
        """Tells that a blank is missing: once, however many are."""
        place = self.source.span(first, first + 1)[0]
        span = self.source.span(first, stop) if stop > first else (place, place)
        if self.glued is None:
            self._say("whitespace", "error", field, span, "a blank is missing", fix=" ")
            self.glued = len(self.findings) - 1
            return
        before = self.findings[self.glued]
        self.findings[self.glued] = msgspec.structs.replace(
            before, message="blanks are missing", related=(*before.related, span)
        )

    def _tail(self, fields: Fields, rest: list[Token]) -> None:
        """What follows the fields: operations, moves, or nothing that belongs there."""
        raw = self.source.raw
        if rest and (rest[0].plain.startswith(";") or self._opcode(rest[0])):
            first = rest[0].first
            stop = end_of(raw, first)
            if raw[first:stop].strip(" ;\t"):
                fields.operations = self._operations(first, stop)
                rest = [token for token in rest if token.first >= stop]
        rest = self._trailing(fields, rest)
        if not rest:
            return
        if self._are_moves(rest):
            fields.moves = rest[1:] if rest[0].raw.lower() == "moves" else rest
            return
        for token in rest:
            if CHECKS.fullmatch(token.plain):
                self._check_count(token)
        odd = [token for token in rest if not CHECKS.fullmatch(token.plain)]
        if len(odd) == 1 and "fullmove" in fields.words and odd[0].plain.isdigit():
            fields.surplus = odd[0]
            spans = [self.source.of(fields.words[field]) for field in ORDER[3:]]
            message = f"a third number, {odd[0].raw[:20]}, follows the two counters"
            self._say("trailing-garbage", "error", "record", self.source.of(odd[0]), message, spans)
        elif odd:
            self._garbage("trailing-garbage", odd[0].first, odd[-1].stop, "follows the record and is no move")

    def _operations(self, first: int, stop: int) -> str:
        """The operations as they are written, and nothing said of what is written there.

        In a record that is written with the escapes of web addresses, they are read like the rest of it.
        """
        start, end = self.source.span(first, stop)
        said = self.prepared.findings
        self.prepared.findings = [
            finding
            for finding in said
            if finding.code not in ("url-encoded", "whitespace") or not start <= finding.span[0] < end
        ]
        escaped = any(finding.code == "url-encoded" for finding in self.prepared.findings)
        return self.source.raw[first:stop] if escaped else self.prepared.text[start:end]

    def _are_moves(self, rest: list[Token]) -> bool:
        first = rest[0]
        moves = (
            first.raw.lower() == "moves" or MOVE.fullmatch(first.plain) or CHINESE_MOVE.fullmatch(first.raw)
        )
        return bool(moves)

    def _trailing(self, fields: Fields, rest: list[Token]) -> list[Token]:
        """Takes a sign off the end, with any words behind it: of the last field, or standing by itself."""
        if rest and all(token.plain.strip(_STOPS) == "" for token in rest):
            self._garbage("trailing-garbage", rest[0].first, rest[-1].stop, "follows the record")
            return []
        if rest and self._are_moves(rest):
            return rest
        last = max(fields.words, key=lambda field: fields.words[field].first, default=None)
        word = fields.placement if last is None else fields.words[last]
        column = NEXT_COLUMN.fullmatch(word.plain)
        bare = word.plain.rstrip(_STOPS) if column is None else column[1]
        if not bare or bare == word.plain:
            return rest
        stop = rest[-1].stop if rest else word.stop
        self._garbage("trailing-garbage", word.first + len(bare), stop, "follows the record")
        if last is None:
            fields.placement = word.part(0, len(bare))
        else:
            fields.words[last] = word.part(0, len(bare))
        return []

    def _garbage(self, code: str, first: int, stop: int, said: str) -> None:
        what = self.source.raw[first:stop]
        shown = what if len(what) <= 30 else f"{what[:27]}…"
        self._say(code, "error", "record", self.source.span(first, stop), f"{shown!r} {said}", fix="")

    def _check_count(self, token: Token) -> None:
        message = f"{token.plain} counts checks and belongs to another game"
        self._say("check-count", "error", "record", self.source.of(token), message, fix="")

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
