"""Prepares the user's text: decodes it, takes off what surrounds the record, and cuts it into words."""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Mapping

import msgspec

from adapter import games
from adapter.fen.codes import Code
from adapter.fen.report import Issues, Span
from adapter.fen.separators import MOST_LEADING, board_widths, restore_separators
from adapter.fen.source import Source, Token, squares
from adapter.games.cells import plural

# Characters of text.

_ESCAPE = re.compile(
    # of web addresses: one byte or the several of a UTF-8 character, escaped once or repeatedly (%2520)
    r"%(?:25)*(?:[2-7][0-9A-Fa-f]|0[9AaDd]|[Cc][2-9A-Fa-f]%(?:25)*[89ABab][0-9A-Fa-f]"
    r"|[Ee][0-9A-Fa-f](?:%(?:25)*[89ABab][0-9A-Fa-f]){2})"
    # of web pages
    r"|&(?:(?:nbsp|quot|apos|amp|sol);|#[0-9]{2,5};|#x[0-9A-Fa-f]{2,4};)"
    # of JSON and program text
    r"|\\[/\"']"
)
_BYTE = re.compile(r"%(?:25)*([0-9A-Fa-f]{2})")
_ENTITIES = {"nbsp": "\u00a0", "quot": '"', "apos": "'", "amp": "&", "sol": "/"}
# Without width and without meaning: zero-width blanks and joiners, marks of direction, variation selectors.
_STYLING = frozenset("\ufe0e\ufe0f")  # part of a figurine
_INVISIBLE = _STYLING | frozenset(
    "\u200b\u200c\u200d\u200e\u200f\u2060\u00ad\ufeff\u202a\u202b\u202c\u202d\u202e"
)
_BOMS = ("\ufeff", "\u00ef\u00bb\u00bf")  # the second is the first in UTF-8, decoded as Latin-1
_LOOKALIKES: dict[str, str] = (
    dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u30fc\u4e00\uff0d\ufe63", "-")
    | dict.fromkeys("\u2044\u2215\u29f8\uff0f", "/")
    | dict(zip("КкРрВвНнАаЕеСсгГбьһԛԝ", "KkPpBbNnAaEeCcrRbbhqw", strict=True))  # Cyrillic
    | dict(zip("ΚκΡρΒβΝΑαΕΗ", "KkPpBbNAaEN", strict=True))  # Greek
    | dict(zip(map(chr, range(0x2654, 0x2660)), "KQRBNPkqrbnp", strict=True))
    | dict(zip(map(chr, range(0x1FA60, 0x1FA6E)), "KABNRCPkabnrcp", strict=True))
    # of the colours that a character may stand for, the lower-case letter
    | {char: pieces[-1] for game in map(games.get, games.NAMES) for char, pieces in game.characters.items()}
    | dict(zip("红紅黑", "wwb", strict=True))
)
# Look-alikes of other letters in other fields: a knight of the placement is the h-file among castling
# rights, and a bishop is a 6 behind the letter of a file.
CASTLING_LOOKALIKES: Mapping[str, str] = dict(zip("\u041d\u043d\u0397", "HhH", strict=True))
SQUARE_LOOKALIKES: Mapping[str, str] = dict(zip("\u0431\u0417\u0437", "633", strict=True))


class _PlainTable(dict[int, str]):
    """A table for `str.translate` that is filled as characters occur; at most one entry a code point."""

    def __missing__(self, code: int) -> str:
        plain = self[code] = _plain(chr(code))
        return plain


def _plain(char: str) -> str:
    if char in _LOOKALIKES:
        return _LOOKALIKES[char]
    if char.isspace():
        return " "
    if char.isascii():
        return char
    digit = unicodedata.decimal(char, None)
    if digit is not None:
        return str(digit)
    folded = unicodedata.normalize("NFKC", char)
    # full-width and mathematical letters, superscripts, circled digits
    return folded if len(folded) == 1 and folded.isascii() and folded.isprintable() else char


PLAIN = _PlainTable()

# Piece letters of other languages, as King, Queen, Rook, Bishop, Knight, Pawn. Only whole boards are read so.
_ENGLISH = "KQRBNP"
_LANGUAGES = {
    "German": "KDTLSB",
    "Dutch": "KDTLPO",
    "French": "RDTFCP",
    "Spanish": "RDTACP",
    "Portuguese": "RDTBCP",
    "Polish": "KHWGSP",
    "Czech": "KDVSJP",
    "Hungarian": "KVBFHG",
    "Finnish": "KDTLRS",
}


def translations(letters: str) -> dict[str, dict[str, str]]:
    """Map each language in which all these letters are pieces to the meaning of each letter.

    A board that mixes English pawns into German pieces (`P` beside `T S L D`) is read too.
    """
    found = {}
    for language, names in _LANGUAGES.items():
        table = dict(zip(names, _ENGLISH, strict=True))
        if "P" in letters and "P" not in table:
            table = {"P": "P"} | {name: kind for name, kind in table.items() if kind != "P"}
            if "B" in letters and "B" not in table:
                continue
        if set(letters) <= set(table):
            found[language] = table | {name.lower(): kind.lower() for name, kind in table.items()}
    return found


def _decode(text: str, issues: Issues) -> Source:
    """Read the characters that carry meaning; report marks and escapes."""
    begin = next((len(mark) for mark in _BOMS if text.startswith(mark)), 0)
    if begin:
        issues.warning(Code.BOM, "record", "a byte order mark stands before the record", (0, begin))
    if text.isascii() and not ("%" in text or "&" in text or "\\" in text):
        indexes = list(range(begin, len(text)))
        raw = text[begin:]
        return Source(raw.translate(PLAIN), raw, indexes, [index + 1 for index in indexes], len(text))
    kept: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    escapes: list[Span] = []
    unseen: list[Span] = []
    index = begin
    while index < len(text):
        char, start, index = text[index], index, index + 1
        if char in "%&\\" and (escape := _ESCAPE.match(text, start)) is not None:
            char, index = _unescaped(escape[0]), escape.end()
            escapes.append((start, index))
        elif char in _INVISIBLE:
            if char not in _STYLING:
                unseen.append((start, index))
            continue
        kept.append(char)
        starts.append(start)
        ends.append(index)
    if escapes:
        message = f"{plural(len(escapes), 'character')} escaped as in a web address"
        issues.warning(Code.URL_ENCODED, "record", message, *escapes)
    if unseen:
        issues.warning(Code.WHITESPACE, "record", plural(len(unseen), "invisible character"), *unseen, fix="")
    raw = "".join(kept)
    return Source(raw.translate(PLAIN), raw, starts, ends, len(text))


def _unescaped(escape: str) -> str:
    """Return the one character that an escape stands for."""
    if escape[0] == "\\":
        return escape[1]
    if escape[0] == "%":
        found = bytes.fromhex("".join(_BYTE.findall(escape))).decode("utf-8", "replace")
        return found if len(found) == 1 else "\ufffd"
    name = escape[1:-1]
    if name[0] != "#":
        return _ENTITIES[name]
    return chr(int(name[2:], 16) if name[1] == "x" else int(name[1:]))


# What surrounds a record.

_QUOTES = dict(
    zip("\"'`\u201c\u2018\u201e\u00ab\u2039\u300c", "\"'`\u201d\u2019\u201c\u00bb\u203a\u300d", strict=True)
)
_OPENING_BRACKETS = {")": "(", "]": "[", "}": "{", ">": "<"}
_COLUMNS = (",", ";", "\t", "|")  # separators of the columns of a table
_FEW = 3  # slashes that make no board
_LAYERS = 4  # wrappings within wrappings that are looked for
_TAIL = 240  # characters at the end of the text in which a closing sign is looked for
_QUOTES_TRIED = 8
_MOST_PARTS = 60  # of an address, counted from its end, among which the ranks are looked for
_CITATION = re.compile(r"(?:> ?){1,4}")  # of a mail or in Markdown
# A link of Markdown with the record as its text, or with an address that holds the record.
_LINK = re.compile(r"\[([^\[\]]{1,240})\]\((\S{0,400}?)\)$")
_TAG = re.compile(r"\[\s*\w{0,20}fen\s*[=:]?\s*[\"'“”]?", re.IGNORECASE)
_PREFIX = re.compile(r"(?<![A-Za-z0-9])[rRbBuUfF]{1,2}$")  # Python's: `r"…"`, `rb'…'`
_CLOSED = re.compile(r"[\"'`“”’»›」][)\]}>;,.\s]*$")  # a quote with what program text and JSON put behind it
_OPENING_TAG = re.compile(r"<[A-Za-z][^<>]{0,200}>")
_CLOSING_TAG = re.compile(r"</[A-Za-z][^<>]{0,40}>$")
_EMPHASIS = re.compile(r"([*_~|=])\1{0,2}(?!\1)")
# Words that name what follows; no other word in front of a record is taken off silently.
_LABEL = re.compile(
    r"(?:position\s+(?:fen|sfen)|position(?=\s+startpos)|setboard|position|fen|epd)\b\s*[:=]?\s*",
    re.IGNORECASE,
)
_LINE_END = re.compile(r"(?:\\[rn])+$")
_ADDRESS = re.compile(
    r"[a-z][a-z0-9+.-]{0,20}://|www\.|[a-z0-9.-]{1,80}\.(?:org|com|net|cn|info|de|io)/", re.IGNORECASE
)
_RANK = re.compile(r"[A-Za-z0-9~]{0,12}")
_PIECE_LETTERS = frozenset("PNBRQKACHEpnbrqkache123456789")
_MARKER = re.compile(r"[?&#](?:fen|position|board|pos)=", re.IGNORECASE)
_IMAGE = re.compile(r"(?:[-_][\w-]{0,20})?\.(?:png|svg|gif|jpe?g|webp)(?![A-Za-z0-9])", re.IGNORECASE)


class _Unwrapper:
    """Finds the bounds of the record in its source; each wrapping that is taken off is reported."""

    def __init__(self, source: Source, issues: Issues) -> None:
        self.source = source
        self.issues = issues
        self.first, self.stop = source.trimmed(0, len(source.plain))

    def unwrap(self) -> tuple[int, int]:
        """Take off all wrappings and a web address, and return the bounds of what is left."""
        steps = (
            self._citation, self._link, self._tag, self._quotes,
            self._markup, self._brackets, self._label, self._line_end,
        )  # fmt: skip
        for _ in range(_LAYERS):
            before = self.first, self.stop
            for step in steps:
                if self.first < self.stop:
                    step()
            if before == (self.first, self.stop):
                break
        self._address()
        return self.first, self.stop

    def _narrow(
        self, first: int, stop: int, message: str, code: Code = Code.QUOTED, fix: str | None = None
    ) -> None:
        """Reduce the bounds and report what they no longer hold."""
        ends = (self.first, first), (stop, self.stop)
        spans = [self.source.span(*end) for end in ends if end[0] < end[1]]
        self.issues.warning(code, "record", message, *spans, fix=fix)
        self.first, self.stop = self.source.trimmed(first, stop)

    def _take_off(self, first: int, stop: int, message: str) -> None:
        """Reduce the bounds, if that leaves something out and something in."""
        within = self.source.trimmed(first, stop)
        if (first, stop) != (self.first, self.stop) and within[0] < within[1]:
            self._narrow(first, stop, message)

    def _citation(self) -> None:
        sign = _CITATION.match(self.source.raw, self.first, self.stop)
        if sign is not None:
            self._take_off(sign.end(), self.stop, "the record is cited")

    def _link(self) -> None:
        link = _LINK.match(self.source.raw, self.first, self.stop)
        part = 0 if link is None else next((part for part in (1, 2) if link[part].count("/") > _FEW), 0)
        if link is not None and part:
            self._take_off(*link.span(part), "the record stands in a link")

    def _tag(self) -> None:
        raw = self.source.raw
        tag = _TAG.search(raw, self.first, self.stop)
        if tag is not None and self.source.plain.count("/", self.first, tag.start()) < _FEW:
            self._narrow(tag.end(), self._find("\"'“”]", tag.end()), "the record stands in a PGN tag")

    def _find(self, chars: str, start: int) -> int:
        """Return where the first of these characters stands, or else the end."""
        return next(
            (place for place in range(start, self.stop) if self.source.raw[place] in chars), self.stop
        )

    def _quotes(self) -> None:
        """Take off quotes with the code around them: `fen = "…";`, `{"fen": "…"}`."""
        raw = self.source.raw
        opening = self._opening_quote()
        closed = _CLOSED.search(raw, max(self.first, self.stop - _TAIL), self.stop)
        if opening is None:
            if closed is not None and raw.count(raw[closed.start()], self.first, self.stop) == 1:
                self._narrow(self.first, closed.start(), "a quote stands behind the record")
            return
        own = raw[opening] + _QUOTES[raw[opening]]
        column = self._find(own, opening + 1)
        end = self.stop
        if raw[column + 1 : column + 2] in _COLUMNS and self._slashes(opening, column) > _FEW:
            end = column  # further columns of a table follow
        elif closed is not None and closed.start() > opening and raw[closed.start()] in own:
            end = closed.start()
        elif opening > self.first:
            end = column
        message = "the record stands in quotes" if end < self.stop else "a quote stands before the record"
        self._narrow(opening + 1, end, message)

    def _slashes(self, first: int, stop: int) -> int:
        return self.source.plain.count("/", first, stop)

    def _opening_quote(self) -> int | None:
        """Find the quote that holds the board, or the one that the text begins with."""
        raw, first = self.source.raw, self.first
        if raw[first] in _QUOTES:
            # unless a later quotation holds the board: `"fen": "…"`
            end = self._find(_QUOTES[raw[first]], first + 1)
            if not (self._slashes(first, end) < _FEW and self._slashes(end, self.stop) > _FEW):
                return first
        places = (
            place
            for place in range(first, self.stop)
            if raw[place] in _QUOTES
            # an apostrophe within a word is no quote
            and (
                place == first
                or not raw[place - 1].isalnum()
                or _PREFIX.search(raw, max(first, place - 3), place)
            )
        )
        for place in itertools.islice(places, _QUOTES_TRIED):
            if self._slashes(first, place) - self.source.plain.count("://", first, place) * 2 >= _FEW:
                return None
            if self._slashes(place, self._find(_QUOTES[raw[place]], place + 1)) > _FEW:
                return place
        return None

    def _markup(self) -> None:
        opened = _OPENING_TAG.match(self.source.raw, self.first, self.stop)
        closed = _CLOSING_TAG.search(self.source.raw, max(self.first, self.stop - _TAIL), self.stop)
        first = self.first if opened is None else opened.end()
        stop = self.stop if closed is None else closed.start()
        self._take_off(first, stop, "the record stands in markup")

    def _brackets(self) -> None:
        """Take off brackets, also where one of them is missing, and signs of emphasis on both sides."""
        raw, first, stop = self.source.raw, self.first, self.stop
        if raw[first] in _OPENING_BRACKETS.values():
            first += 1
        opening = _OPENING_BRACKETS.get(raw[stop - 1])
        if opening is not None and opening not in raw[first:stop]:
            stop -= 1
        emphasis = _EMPHASIS.match(raw, self.first, self.stop)
        if emphasis is not None and raw.endswith(emphasis[0], emphasis.end(), self.stop):
            first, stop = emphasis.end(), self.stop - len(emphasis[0])
        self._take_off(first, stop, "the record stands in brackets")

    def _label(self) -> None:
        label = _LABEL.match(self.source.plain, self.first, self.stop)
        if label is not None and label.end() < self.stop:
            shown = self.source.raw[self.first : label.end()].strip()
            self._narrow(label.end(), self.stop, f"{shown!r} stands before the record", Code.LEADING_GARBAGE)

    def _line_end(self) -> None:
        end = _LINE_END.search(self.source.raw, max(self.first, self.stop - _TAIL), self.stop)
        if end is not None:
            message = f"{end[0]} ends a line of program text"
            self._narrow(self.first, end.start(), message, Code.WHITESPACE, "")

    def _address(self) -> None:
        """Reduce the bounds to the record within a web address, or to what follows the address of a game."""
        plain = self.source.plain
        tokens = self.source.words(self.first, self.stop)
        address = next((token for token in tokens[:MOST_LEADING] if token.plain.count("/") >= _FEW), None)
        if address is None or not _ADDRESS.match(address.plain):
            return
        start = _record_in_address(address.plain)
        if start:
            first = address.first + start
            ends = [place for sign in "?&#" if (place := plain.find(sign, first, self.stop)) >= 0]
            stop = min(ends, default=self.stop)
            image = _IMAGE.search(plain, max(first, plain.rfind("/", first, stop)), stop)
            if image is not None and tokens[-1] is address:
                stop = image.start()
            self._narrow(first, stop, "the record is part of a web address", Code.LEADING_GARBAGE)
        elif any(
            squares(part) in (8, 9) and set(part) <= _PIECE_LETTERS for part in address.plain.split("/")
        ):
            return
        elif any(token.plain.count("/") >= _FEW for token in tokens if token.first > address.first):
            message = "a web address stands before the record"
            self.issues.warning(Code.LEADING_GARBAGE, "record", message, self.source.of(address))
            self.first, self.stop = self.source.trimmed(address.stop, self.stop)
        else:
            self.first = self.stop


def _record_in_address(text: str) -> int:
    """Find where a record begins in an address: behind `fen=`, or at the last run of ranks; 0 for nowhere."""
    marker = _MARKER.search(text)
    if marker is not None:
        return marker.end()
    begins = [0, *(match.end() for match in re.finditer("/", text))][-_MOST_PARTS:]
    for height, width in board_widths().items():
        for index in range(len(begins) - height, -1, -1):
            ranks = [text[one : two - 1] for one, two in itertools.pairwise(begins[index : index + height])]
            # the first may follow a question mark instead of a slash
            lead = max(ranks[0].rfind(sign) for sign in "?&=#:,") + 1
            ranks[0] = ranks[0][lead:]
            # a rank or two may be damaged
            whole = sum(squares(rank) == width for rank in ranks) >= height - 3
            if whole and all(_RANK.fullmatch(rank) for rank in ranks):
                return begins[index] + lead
    return 0


class Prepared(msgspec.Struct):
    """A text ready to be taken apart: its words, and the issues of their surroundings."""

    text: str
    source: Source
    tokens: list[Token]
    issues: Issues
    blanks: list[Span]  # places of superfluous blanks, reported once the fields are known


def prepare(text: str) -> Prepared:
    """Take off what surrounds the record and cut it into words."""
    issues = Issues()
    source = _decode(text, issues)
    first, stop = _Unwrapper(source, issues).unwrap()
    if first < stop:
        source, stop = restore_separators(source, first, stop, issues)
    tokens = source.words(first, stop)
    return Prepared(text, source, tokens, issues, _odd_blanks(source, tokens, first, stop))


def _odd_blanks(source: Source, tokens: list[Token], first: int, stop: int) -> list[Span]:
    """Return the places where blanks are not single ones: around the record and between its words."""
    if not tokens:
        return []
    gaps = [(one.stop, two.first) for one, two in itertools.pairwise(tokens)]
    gaps = [gap for gap in gaps if source.raw[slice(*gap)] != " "]
    if tokens[0].first == first:
        gaps.insert(0, (0, first))
    gaps.append((stop, len(source.plain)))
    return [source.span(*gap) for gap in gaps if gap[0] < gap[1] and not source.plain[slice(*gap)].strip()]
