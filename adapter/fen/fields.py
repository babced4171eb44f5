"""Assigns the words of a record to its fields; what follows them is moves or EPD operations."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from adapter import games
from adapter.fen import counters
from adapter.fen.cleanup import CASTLING_LOOKALIKES, SQUARE_LOOKALIKES, Prepared
from adapter.fen.codes import Code
from adapter.fen.report import Issues, Span
from adapter.fen.separators import MOST_LEADING, glued_side, run_on_side
from adapter.fen.source import Source, Token
from adapter.games.base import Field

# EPD operations.

Operation = tuple[str, tuple[str, ...]]  # opcode and operands, without quotes

OPCODE = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,14}")
# Opcodes of the EPD standard and of test suites: these are recognised without a semicolon, too.
_OPCODES = frozenset(
    (
        "acd", "acms", "acn", "acs", "am", "bm", "ce", "dm", "draw_accept", "draw_claim", "draw_offer",
        "draw_reject", "eco", "fmvn", "hmvc", "id", "nic", "noop", "pm", "pv", "rc", "refcom", "resign", "sm",
        "tcgs", "tcri", "tcsi",
    )
) | {f"{letter}{digit}" for letter in "cdv" for digit in range(10)}  # fmt: skip
# Quoted text may hold semicolons; a quote that is never closed ends with the text.
_PART = re.compile(r'"([^"]*)("|$)|([^\s;"]+)|(;)')


def parse_operations(text: str, *, strict: bool = False) -> list[Operation]:
    """Return EPD operations in order, repeated ones too; the last semicolon may be missing.

    Raises ValueError, if strict, for a quote that is never closed and for an opcode that is none.
    """
    found: list[Operation] = []
    words: list[str] = []
    for match in (*_PART.finditer(text), None):
        if match is not None and not match[4]:
            if strict and match[2] == "":
                raise ValueError(f"a quote is opened and never closed: {text[match.start() :][:40]}")
            words.append(match[3] or match[1])
        elif words:
            if strict and not OPCODE.fullmatch(words[0]):
                raise ValueError(f"{words[0][:40]!r} is no operation's name")
            found.append((words[0], tuple(words[1:])))
            words = []
    return found


def _operation_begins(text: str, at: int, *, doubtful: bool = False) -> bool:
    """Whether an operation begins here: a known opcode, or any name that is closed by a semicolon.

    A doubtful word (`c4`, a comment of EPD, may be a move) is an opcode only when both hold.
    """
    match = OPCODE.match(text, at)
    if match is None or (match.end() < len(text) and text[match.end()] not in " ;"):
        return False
    known = match[0].lower() in _OPCODES
    closed = text.find(";", match.end()) > match.end()
    return known and closed if doubtful else known or closed


def _operations_end(text: str, at: int) -> int:
    """Return where the operations that begin here end: behind the last semicolon, or with the text."""
    last = max((match.end() for match in _PART.finditer(text, at) if match[4]), default=at)
    tail = text[last:].lstrip()
    ends = last > at and tail.rstrip() and not _operation_begins(text, len(text) - len(tail))
    return last if ends else len(text)


# What the words of a record look like.

ORDER: tuple[Field, ...] = ("side", "castling", "en-passant", "halfmove", "fullmove")
NAMES: dict[Field, str] = {
    "side": "side to move",
    "castling": "castling",
    "en-passant": "en passant",
    "halfmove": "half-move clock",
    "fullmove": "full-move number",
}
# A word in a field as it should be, and as a slip may leave it.
_COUNTER = r"[0-9]{1,20}", r"[-+]?[0-9][0-9_.,a-z]{0,20}|[-+][0-9]{1,20}"
_LOOKS: dict[Field, tuple[str, str]] = {
    "side": (r"[wb]", r"(?i:[wbr]|white|black|red)"),
    "castling": (r"-|[KQkqA-Ha-h]{1,4}", r"(?=.{0,8}[KQkq])[A-Za-z-]{1,9}|[A-Ha-h-]{1,9}|[Nn]one"),
    "en-passant": (r"-|[a-i][0-9]", r"[A-I][0-9]|[0-9]?[a-h]|[a-h][a-h0-9]{1,2}|--|[Nn]one|[Nn]ull"),
    "halfmove": _COUNTER,
    "fullmove": _COUNTER,
}
_CHECK_COUNT = re.compile(r"\+?[0-9]\+[0-9]")
_MOVE = re.compile(
    r"[a-i][0-9]-?[a-i][0-9][qrbnQRBN]?|[A-I][0-9]-?[A-I][0-9][QRBN]?"  # UCI and ICCS
    r"|[KQRBN]?[a-h]?[1-8]?[x:]?[a-h][1-8](?:=?[QRBN])?[+#!?]*"  # SAN
    r"|[O0]-[O0](?:-[O0])?[+#!?]*"
    r"|[KABEHNRCPkabehnrcp+-][A-Za-z1-9+-]?[+=.-][1-9]"  # WXF
    r"|[1-9][0-9]{0,3}\.{1,3}\S{0,10}"  # move numbers
)
_CHINESE_MOVE = re.compile(r"(?=.{0,3}[\u4e00-\u9fff])[\u4e00-\u9fff1-9\uff11-\uff19]{4}")
# By position, a word that is two fields with the blank between them lost (or become another character).
# A half-move clock of more than one digit that begins with 0 is both counters.
_GLUED = (
    (0, re.compile(r"([wb])[^A-HKQa-hkq-]?((?:-|[KQkqA-Ha-h]{1,4})(?:(?:-|[a-h][36])[0-9]{0,5})?)")),
    (1, re.compile(r"(-|[KQkqA-Ha-h]{1,4})[^A-HKQa-hkq-]?((?:-|[a-h][36])[0-9]{0,5})")),
    (2, re.compile(r"(-|[a-h][36])[^0-9]?([0-9]{1,4})")),
    (3, re.compile(r"([0-9]{1,4})[^0-9._+]([0-9]{1,4})")),
    (3, re.compile(r"(0)([1-9][0-9]{0,3})")),
)
_RIGHTS_AND_DASH = re.compile(r"[wb][KQkq]{1,4}-")
# A half-move clock at which the game may be drawn, with nothing behind it, is both counters.
_BOTH_COUNTERS = re.compile(r"[1-9][0-9]{2,6}")
# Behind a last field, a sign that parts the columns of a table, with whatever follows.
_NEXT_COLUMN = re.compile(r"(-|[KQkq]{1,4}|[a-h][36]|[0-9]{1,4})[|,;].*")
# Words that none but a field of a record is; a move is followed by neither.
_FIELD_FOLLOWS = re.compile(r"-|[0-9]{1,20}|[wb]|[KQkq]{2,4}")
_DISTINCT_FIELD = re.compile(r"[wb]|[KQkqA-Ha-h]{1,4}|[a-h][36]")  # neither a number nor a bullet
_STOPS = ";,."


class Fields(msgspec.Struct):
    """The words of one record by field; a field that it lacks is not among them."""

    source: Source
    placement: Token
    words: dict[Field, Token]
    issues: Issues
    stop: int  # index one past the record's last character, before moves and operations
    moves: Sequence[Token] = ()
    operations: str = ""
    startpos: bool = False
    surplus: Token | None = None  # a third number behind the two counters
    joined: bool = False  # the half-move clock is both counters, and where to part them is unknown

    @property
    def end(self) -> Span:
        """The empty span at the record's end."""
        end = self.source.span(self.stop - 1, self.stop)[1]
        return end, end


def split(prepared: Prepared) -> Fields | None:
    """Assign the words to fields; None when there are no words."""
    return _Splitter(prepared).split() if prepared.tokens else None


def _score(token: Token, field: Field) -> int:
    """Return how well a word looks in a field: 2 as it should be, 1 as after a slip, else 0."""
    exact, sloppy = _LOOKS[field]
    return 2 if re.fullmatch(exact, token.plain) else 1 if re.fullmatch(sloppy, token.plain) else 0


def _is_field(token: Token, fields: Sequence[Field] = ORDER) -> bool:
    return any(_score(token, field) == 2 for field in fields)


# For each word the index of its field, None for a word that has none.
_Places = tuple[int | None, ...]


def _assign(words: list[Token]) -> tuple[dict[Field, Token], list[Token]]:
    """Return the words by field, in the order they stand in, and those that have none."""
    by_place = dict(zip(ORDER, words, strict=False))
    if all(
        _score(word, field) or not _is_field(word, [other for other in ORDER if other != field])
        for field, word in by_place.items()
    ):
        return by_place, []
    scores = [[_score(word, field) for field in ORDER] for word in words]
    # in order with some fields missing, if every word then has its place; else in any order
    best: _Places = max(
        itertools.combinations(range(len(ORDER)), len(words)), key=lambda places: _gain(places, scores)
    )
    if not all(row[place] for place, row in zip(best, scores, strict=True) if place is not None):
        best = max(_assignments(len(words)), key=lambda places: _gain(places, scores))
    assigned = {ORDER[place]: word for place, word in zip(best, words, strict=True) if place is not None}
    return assigned, [word for place, word in zip(best, words, strict=True) if place is None]


def _assignments(count: int) -> Iterator[_Places]:
    """Yield every way to give that many words different fields, or none."""
    if not count:
        yield ()
        return
    for places in _assignments(count - 1):
        yield (*places, None)
        yield from ((*places, place) for place in range(len(ORDER)) if place not in places)


def _gain(places: _Places, scores: list[list[int]]) -> float:
    """Rate words in these fields: by their looks first, then by order, then by missing fields."""
    taken = [place for place in places if place is not None]
    looks = sum(
        -4 if place is None else 10 * row[place] - 1 for place, row in zip(places, scores, strict=True)
    )
    return looks - 3 * sum(a > b for a, b in itertools.combinations(taken, 2)) - 0.01 * sum(taken)


def _respelled(word: Token, meanings: Mapping[str, str]) -> Token:
    """Read look-alikes as what they are in this field."""
    return msgspec.structs.replace(word, plain="".join(map(meanings.get, word.raw, word.plain)))


class _Splitter:
    def __init__(self, prepared: Prepared) -> None:
        self.source = prepared.source
        self.prepared = prepared
        self.issues = Issues()
        self.glued: int | None = None  # the index of the issue about missing blanks

    def split(self) -> Fields:
        placement, before, rest = self._find_placement()
        startpos = placement.plain.lower().rstrip(_STOPS) == "startpos"
        words: dict[Field, Token] = {}
        stop = placement.stop
        if not startpos:
            placement, rest = self._cut_off_side(placement, rest)
            count = self._count_fields(rest, len(before))
            taken = before + [token for token in rest[:count] if not self._is_check_count(token)]
            rest = rest[count:]
            words = self._assigned(self._unglue(taken))
            for field, lookalikes in (("castling", CASTLING_LOOKALIKES), ("en-passant", SQUARE_LOOKALIKES)):
                if field in words:
                    words[field] = _respelled(words[field], lookalikes)
            placement = self._unglue_side(placement, words)
            stop = max([placement.stop, *(token.stop for token in taken)])
        fields = Fields(self.source, placement, words, self.issues, stop, startpos=startpos)
        self._tail(fields, rest)
        if not startpos:
            self._part_counters(fields)
            self._report_missing_fields(fields)
        self._report_blanks(fields)
        return fields

    def _find_placement(self) -> tuple[Token, list[Token], list[Token]]:
        """Return the board's word, fields that stand before it, and the words behind it."""
        tokens = self.prepared.tokens
        index = next((i for i, token in enumerate(tokens[:MOST_LEADING]) if token.plain.count("/") >= 3), 0)
        placement, rest = tokens[index], tokens[index + 1 :]
        before = [token for token in tokens[:index] if _is_field(token)]
        garbage = [[token] for token in tokens[:index] if token not in before]
        # words before the board are fields that it lacks behind it, and not numbers or bullets
        behind = len(list(itertools.takewhile(_is_field, rest[: len(ORDER)])))
        distinct = any(_DISTINCT_FIELD.fullmatch(token.plain) for token in before)
        if not distinct or len(before) + behind > len(ORDER):
            # several words side by side are one issue
            before, garbage = [], [tokens[:index]] if index else []
        for words in garbage:
            self._garbage(words[0].first, words[-1].stop, "stands before the record", Code.LEADING_GARBAGE)
        if before:
            self.issues.error(
                Code.FIELD_ORDER, "placement", "the board comes first", *map(self.source.of, before)
            )
        return placement, before, rest

    def _count_fields(self, rest: list[Token], before: int) -> int:
        """Count the words that are fields, of those behind the board; counts of checks are among them."""
        count, index = 0, before
        while count < len(rest) and index < len(ORDER):
            following = rest[count + 1] if count + 1 < len(rest) else None
            if self._ends_fields(rest[count], following, index):
                break
            index += not _CHECK_COUNT.fullmatch(rest[count].plain)
            count += 1
        return count

    def _ends_fields(self, token: Token, following: Token | None, index: int) -> bool:
        """Whether a word begins the moves or operations rather than being the field of this index."""
        plain = token.plain
        if token.raw.lower() == "moves" or plain.startswith(";"):
            return True
        field = ORDER[index]
        if _score(token, field) == 2:
            return False
        follows = following is not None and _FIELD_FOLLOWS.fullmatch(following.plain)
        if follows and not self._is_opcode(token, index):
            return False  # `w e4` is a move, `w e3 0 1` a record that lacks its castling field
        if field == "castling" and re.fullmatch(r"[a-h][1-8]", plain):
            return True
        if field in ("castling", "en-passant") and _score(token, field):
            return self._is_opcode(token, index)
        if _CHINESE_MOVE.fullmatch(token.raw) or self._is_opcode(token, index):
            return True
        if following is None and _score(token, field):
            return False  # `1.` is the last counter with a full stop, and not the number of a move
        return bool(_MOVE.fullmatch(plain)) and not _is_field(token, ORDER[index:])

    def _is_opcode(self, token: Token, index: int = len(ORDER)) -> bool:
        # operations follow the fourth field, so a word before it is more likely a damaged field
        doubtful = index < ORDER.index("halfmove") or bool(_MOVE.fullmatch(token.plain))
        return _operation_begins(self.source.raw, token.first, doubtful=doubtful)

    def _unglue(self, words: list[Token]) -> list[Token]:
        """Part fields between which the blank is missing, as long as the record is a word short."""
        for place, pattern in _GLUED:
            if len(words) >= len(ORDER):
                break
            match = pattern.fullmatch(words[place].plain) if place < len(words) else None
            if match is None or (place == 0 and any(_score(word, "side") == 2 for word in words)):
                continue
            word = words[place]
            if _RIGHTS_AND_DASH.fullmatch(word.plain) and len(words) == len(ORDER) - 1:
                # the en-passant field has a dash of its own, so this one stands for nothing
                message = "a blank is missing, and '-' is too much behind the rights"
                fix = f"{word.plain[0]} {word.plain[1:-1]}"
                self.issues.error(Code.WHITESPACE, "side", message, self.source.of(word), fix=fix)
                return [word.part(0, 1), word.part(1, len(word.plain) - 1), *words[1:]]
            self._report_glued(ORDER[place], word.first + match.end(1), word.first + match.start(2))
            words = words[:place] + [word.part(*match.span(part)) for part in (1, 2)] + words[place + 1 :]
        return words

    def _assigned(self, words: list[Token]) -> dict[Field, Token]:
        """Assign words to fields; report fields out of order and words that are none."""
        assigned, left = _assign(words)
        order = [ORDER.index(field) for field in assigned]
        if order != sorted(order):
            message = f"the fields stand in the order {', '.join(NAMES[field] for field in assigned)}"
            self.issues.error(Code.FIELD_ORDER, next(iter(assigned)), message, *map(self.source.of, words))
        for word in left:
            message = f"{word.raw[:20]!r} is no field of a record"
            self.issues.error(Code.TRAILING_GARBAGE, "record", message, self.source.of(word), fix="")
        return assigned

    def _unglue_side(self, placement: Token, words: dict[Field, Token]) -> Token:
        """Part a missing side from the board it sticks to, where it makes the last rank one too long."""
        cut = glued_side(placement)
        if "side" in words or not cut:
            return placement
        words["side"] = placement.part(cut, cut + 1)
        self._report_glued("side", placement.first + cut)
        return placement.part(0, cut)

    def _cut_off_side(self, placement: Token, rest: list[Token]) -> tuple[Token, list[Token]]:
        """Part the board from side and rights where not even these have a blank between them."""
        cut = run_on_side(placement)
        if not cut or any(_score(token, "side") == 2 for token in rest[: len(ORDER)]):
            return placement, rest
        for place in (cut, cut + 1):
            self._report_glued("side", placement.first + place)
        size = len(placement.plain)
        return placement.part(0, cut), [placement.part(cut, cut + 1), placement.part(cut + 1, size), *rest]

    def _part_counters(self, fields: Fields) -> None:
        """Part two counters without a blank between them; where there are several ways, all are kept.

        A number that a clock may reach is one counter: then the other is only missing.
        """
        words = fields.words
        word = words.get("halfmove")
        if word is None or "fullmove" in words or not _BOTH_COUNTERS.fullmatch(word.plain):
            return
        game = games.with_shape(fields.placement.plain.count("/") + 1) or games.get("chess")
        if int(word.plain) <= max((reached for reached, _ in game.draws), default=0):
            return
        pairs = counters.parted(word.plain, words["side"].plain if "side" in words else "b")
        if len(pairs) == 1 and not pairs[0][0]:
            cut = len(str(pairs[0][1]))
            self._report_glued("halfmove", word.first + cut)
            words["halfmove"], words["fullmove"] = word.part(0, cut), word.part(cut, len(word.plain))
        elif pairs:
            fields.joined = True
            message = f"a blank is missing between the two counters, {word.raw}"
            self.issues.error(Code.WHITESPACE, "record", message, self.source.of(word))

    def _report_glued(self, field: Field, first: int, stop: int = 0) -> None:
        """Report a missing blank, in one issue however many are missing; up to `stop` it is another sign."""
        place = self.source.starts[first]
        span = self.source.span(first, stop) if stop > first else (place, place)
        if self.glued is None:
            self.glued = len(self.issues)
            self.issues.error(Code.WHITESPACE, field, "a blank is missing", span, fix=" ")
            return
        before = self.issues[self.glued]
        self.issues[self.glued] = msgspec.structs.replace(
            before, message="blanks are missing", related=(*before.related, span)
        )

    def _tail(self, fields: Fields, rest: list[Token]) -> None:
        """Read what follows the fields: operations, moves, or nothing that belongs there."""
        raw = self.source.raw
        if rest and (rest[0].plain.startswith(";") or self._is_opcode(rest[0])):
            first = rest[0].first
            stop = _operations_end(raw, first)
            if raw[first:stop].strip(" ;\t"):
                fields.operations = self._operations(first, stop).strip()
                rest = [token for token in rest if token.first >= stop]
        rest = self._strip_end(fields, rest)
        if rest and self._are_moves(rest):
            fields.moves = rest[1:] if rest[0].raw.lower() == "moves" else rest
            return
        odd = [token for token in rest if not self._is_check_count(token)]
        if len(odd) == 1 and "fullmove" in fields.words and odd[0].plain.isdigit():
            fields.surplus = odd[0]
            tokens = odd[0], *(fields.words[field] for field in ORDER[3:])
            message = f"a third number, {odd[0].raw[:20]}, follows the two counters"
            self.issues.error(Code.TRAILING_GARBAGE, "record", message, *map(self.source.of, tokens))
        elif odd:
            self._garbage(odd[0].first, odd[-1].stop, "follows the record and is no move")

    def _operations(self, first: int, stop: int) -> str:
        """Return the operations as written, and drop the issues of their text.

        In a record that is written with the escapes of web addresses, they are read like the rest of it.
        """
        start, end = self.source.span(first, stop)
        self.prepared.issues[:] = [
            issue
            for issue in self.prepared.issues
            if issue.code not in (Code.URL_ENCODED, Code.WHITESPACE) or not start <= issue.span[0] < end
        ]
        escaped = any(issue.code == Code.URL_ENCODED for issue in self.prepared.issues)
        return self.source.raw[first:stop] if escaped else self.prepared.text[start:end]

    def _are_moves(self, rest: list[Token]) -> bool:
        plain, raw = rest[0].plain, rest[0].raw
        return bool(raw.lower() == "moves" or _MOVE.fullmatch(plain) or _CHINESE_MOVE.fullmatch(raw))

    def _strip_end(self, fields: Fields, rest: list[Token]) -> list[Token]:
        """Take a sign off the end, with any words behind it: of the last field, or standing by itself."""
        if rest and all(token.plain.strip(_STOPS) == "" for token in rest):
            self._garbage(rest[0].first, rest[-1].stop, "follows the record")
            return []
        if rest and self._are_moves(rest):
            return rest
        last = max(fields.words, key=lambda field: fields.words[field].first, default=None)
        word = fields.placement if last is None else fields.words[last]
        column = _NEXT_COLUMN.fullmatch(word.plain)
        bare = word.plain.rstrip(_STOPS) if column is None else column[1]
        if not bare or bare == word.plain:
            return rest
        stop = rest[-1].stop if rest else word.stop
        self._garbage(word.first + len(bare), stop, "follows the record")
        if last is None:
            fields.placement = word.part(0, len(bare))
        else:
            fields.words[last] = word.part(0, len(bare))
        return []

    def _garbage(self, first: int, stop: int, where: str, code: Code = Code.TRAILING_GARBAGE) -> None:
        text = self.source.raw[first:stop]
        shown = text if len(text) <= 30 else f"{text[:27]}…"
        self.issues.error(code, "record", f"{shown!r} {where}", self.source.span(first, stop), fix="")

    def _is_check_count(self, token: Token) -> bool:
        """Whether a word counts checks; reports it."""
        if not _CHECK_COUNT.fullmatch(token.plain):
            return False
        message = f"{token.plain} counts checks and belongs to another game"
        self.issues.error(Code.CHECK_COUNT, "record", message, self.source.of(token), fix="")
        return True

    def _report_missing_fields(self, fields: Fields) -> None:
        """Report all fields behind the side that are missing, in one issue; an EPD has no counters."""
        missing = [field for field in ORDER if field not in fields.words and field != "side"]
        if fields.joined:
            missing.remove("fullmove")
        epd = len(fields.words) == 3 and fields.operations and missing == ["halfmove", "fullmove"]
        if missing and not epd:
            names = ", no ".join(NAMES[field] for field in missing)
            message = f"no {names} is given; the record is completed with the usual values"
            self.issues.warning(Code.MISSING_FIELDS, missing[0], message, fields.end)

    def _report_blanks(self, fields: Fields) -> None:
        """Report all blanks that are not single ones, in one issue; among operations and moves they are free.

        Where blanks are missing, one of them may have slipped aside. Two blanks around a missing field are
        related to that issue.
        """
        tail = self.source.of(self.prepared.tokens[-1])[1]
        spans = [span for span in self.prepared.blanks if span[0] < fields.end[0] or span[0] >= tail]
        if not spans:
            return
        issues = self.issues
        missing = next((i for i, issue in enumerate(issues) if issue.code == Code.MISSING_FIELDS), None)
        if self.glued is not None:
            glued = issues[self.glued]
            message = f"{glued.message}, and blanks stand where none should or more than one"
            issues[self.glued] = msgspec.structs.replace(
                glued, message=message, related=(*glued.related, *spans)
            )
        elif missing is not None and len(spans) == 1 and self._behind_board(spans[0], fields):
            issues[missing] = msgspec.structs.replace(issues[missing], related=tuple(spans))
        else:
            message = "blanks are single and stand between the fields only"
            issues.warning(Code.WHITESPACE, "record", message, *spans)

    def _behind_board(self, span: Span, fields: Fields) -> bool:
        return span[0] >= self.source.of(fields.placement)[1] and not self.prepared.text[slice(*span)].strip(
            " "
        )
