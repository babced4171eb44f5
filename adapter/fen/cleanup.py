"""The user's text ready to be taken apart: what surrounds the record set aside, its words cut."""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Mapping
from itertools import pairwise

import msgspec

from adapter.fen.report import Issue, Span, about
from adapter.fen.separators import restore_separators
from adapter.fen.source import Source, Token, squares
from adapter.games.geometry import plural

_ESCAPE = re.compile(
    # of web addresses: one byte or the several of a UTF-8 character, escaped once or over and over (%2520)
    r"%(?:25)*(?:[2-7][0-9A-Fa-f]|0[9AaDd]|[Cc][2-9A-Fa-f]%(?:25)*[89ABab][0-9A-Fa-f]"
    r"|[Ee][0-9A-Fa-f](?:%(?:25)*[89ABab][0-9A-Fa-f]){2})"
    # of web pages
    r"|&(?:(?:nbsp|quot|apos|amp|sol);|#[0-9]{2,5};|#x[0-9A-Fa-f]{2,4};)"
    # of JSON and program text
    r"|\\[/\"']"
)
_BYTE = re.compile(r"%(?:25)*([0-9A-Fa-f]{2})")
_ENTITIES = {"nbsp": "\u00a0", "quot": '"', "apos": "'", "amp": "&", "sol": "/"}


def decode(text: str, findings: list[Issue]) -> Source:
    """The characters that carry meaning; says which marks and escapes there were."""
    begin = next((len(mark) for mark in BOMS if text.startswith(mark)), 0)
    if begin:
        message = "a byte order mark stands before the record"
        findings.append(about("record", "bom", "warning", (0, begin), message))
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
        char, stop = text[index], index + 1
        if char in "%&\\" and (escape := _ESCAPE.match(text, index)) is not None:
            char, stop = _meant(escape[0]), escape.end()
            escapes.append((index, stop))
        elif char in INVISIBLE:
            if char not in STYLING:
                unseen.append((index, stop))
            index = stop
            continue
        kept.append(char)
        starts.append(index)
        ends.append(stop)
        index = stop
    if escapes:
        message = f"{plural(len(escapes), 'character')} escaped as in a web address"
        findings.append(about("record", "url-encoded", "warning", escapes[0], message, escapes[1:]))
    if unseen:
        message = plural(len(unseen), "invisible character")
        findings.append(about("record", "whitespace", "warning", unseen[0], message, unseen[1:], fix=""))
    raw = "".join(kept)
    return Source(raw.translate(PLAIN), raw, starts, ends, len(text))


def _meant(escape: str) -> str:
    """The one character that an escape stands for."""
    if escape[0] == "\\":
        return escape[1]
    if escape[0] == "%":
        found = bytes.fromhex("".join(_BYTE.findall(escape))).decode("utf-8", "replace")
        return found if len(found) == 1 else "\ufffd"
    name = escape[1:-1]
    if name[0] != "#":
        return _ENTITIES[name]
    return chr(int(name[2:], 16) if name[1] == "x" else int(name[1:]))


# Without width and without meaning: zero-width blanks and joiners, marks of direction, variation selectors.
INVISIBLE = frozenset(
    "\u200b\u200c\u200d\u200e\u200f\u2060\u00ad\ufeff\ufe0e\ufe0f\u202a\u202b\u202c\u202d\u202e"
)
STYLING = frozenset("\ufe0e\ufe0f")  # of these, what belongs to a figurine
# A UTF-8 byte order mark as it looks when read as Latin-1.
BOMS = ("\ufeff", "\u00ef\u00bb\u00bf")
QUOTES = dict(
    zip("\"'`\u201c\u2018\u201e\u00ab\u2039\u300c", "\"'`\u201d\u2019\u201c\u00bb\u203a\u300d", strict=True)
)
_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u30fc\u4e00\uff0d\ufe63"
_SLASHES = "\u2044\u2215\u29f8\uff0f"
_CYRILLIC = dict(zip("КкРрВвНнАаЕеСсгГбьһԛԝ", "KkPpBbNnAaEeCcrRbbhqw", strict=True))
_GREEK = dict(zip("ΚκΡρΒβΝΑαΕΗ", "KkPpBbNAaEN", strict=True))
_CHESS_PIECES = dict(zip(map(chr, range(0x2654, 0x2660)), "KQRBNPkqrbnp", strict=True))
_XIANGQI_PIECES = dict(zip(map(chr, range(0x1FA60, 0x1FA6E)), "KABNRCPkabnrcp", strict=True))
# Written on Red's men only, and on Black's men only.
RED_ONLY = dict(zip("帥帅仕相傌俥炮兵", "KKABNRCP", strict=True))
BLACK_ONLY = dict(zip("將将士象砲包卒", "kkabccp", strict=True))
# Written on the men of either colour, in many texts.
EITHER = dict(zip("馬马車车", "nnrr", strict=True))
_CHINESE_SIDES = dict(zip("红紅黑", "wwb", strict=True))
_CHINESE = BLACK_ONLY | EITHER | RED_ONLY

READ_AS: dict[str, str] = (
    dict.fromkeys(_DASHES, "-")
    | dict.fromkeys(_SLASHES, "/")
    | _CYRILLIC
    | _GREEK
    | _CHESS_PIECES
    | _XIANGQI_PIECES
    | _CHINESE
    | _CHINESE_SIDES
)


# What is a knight on the board is the h-file among castling rights, where no knight belongs.
CASTLING: Mapping[str, str] = dict(zip("\u041d\u043d\u0397", "HhH", strict=True))

# What is a bishop on the board is a 6 behind a file's letter.
SQUARE: Mapping[str, str] = dict(zip("\u0431\u0417\u0437", "633", strict=True))


class _Plain(dict[int, str]):
    """A table for `str.translate` that grows as characters are met; at most one entry a code point."""

    def __missing__(self, code: int) -> str:
        plain = self[code] = _plain(chr(code))
        return plain


def _plain(char: str) -> str:
    if char in READ_AS:
        return READ_AS[char]
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


PLAIN = _Plain()

# Piece letters of other languages, as King, Queen, Rook, Bishop, Knight, Pawn. Only whole boards are read so.
_ENGLISH = "KQRBNP"
LANGUAGES: Mapping[str, str] = {
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
    """For each language in which all these letters are pieces: what each letter means.

    A board that mixes English pawns into German pieces (`P` beside `T S L D`) is read too.
    """
    found = {}
    for language, names in LANGUAGES.items():
        table = dict(zip(names, _ENGLISH, strict=True))
        if "P" in letters and "P" not in table:
            table = {"P": "P"} | {name: kind for name, kind in table.items() if kind != "P"}
            if "B" in letters and "B" not in table:
                continue
        if set(letters) <= set(table):
            found[language] = table | {name.lower(): kind.lower() for name, kind in table.items()}
    return found


_ADDRESS = re.compile(
    r"[a-z][a-z0-9+.-]{0,20}://|www\.|[a-z0-9.-]{1,80}\.(?:org|com|net|cn|info|de|io)/", re.IGNORECASE
)
_RANK = re.compile(r"[A-Za-z0-9~]{0,12}")
_PIECE_LETTERS = frozenset("PNBRQKACHEpnbrqkache123456789")
_MARKER = re.compile(r"[?&#](?:fen|position|board|pos)=", re.IGNORECASE)
_IMAGE = re.compile(r"(?:[-_][\w-]{0,20})?\.(?:png|svg|gif|jpe?g|webp)(?![A-Za-z0-9])", re.IGNORECASE)
_MOST_PARTS = 60  # of an address, counted from its end, among which the ranks are looked for
_LEADING = 12  # words before an address


def url_record(source: Source, first: int, stop: int, findings: list[Issue]) -> tuple[int, int]:
    """The bounds of the record without the address it is part of."""
    tokens = source.words(first, stop)
    address = next((token for token in tokens[:_LEADING] if token.plain.count("/") >= 3), None)
    if address is None or not _ADDRESS.match(address.plain):
        return first, stop
    start = _start(address.plain)
    if not start and not any(map(_ranklike, address.plain.split("/"))):
        # the address of a game, not of a position
        if not any(token.plain.count("/") >= 3 for token in tokens if token.first > address.first):
            return stop, stop
        message = "a web address stands before the record"
        findings.append(about("record", "leading-garbage", "warning", source.of(address), message))
        return source.trimmed(address.stop, stop)
    if not start:
        return first, stop
    begin = address.first + start
    last = tokens[-1]
    end = min((place for sign in "?&#" if (place := source.plain.find(sign, begin, stop)) >= 0), default=stop)
    image = _IMAGE.search(source.plain, max(begin, source.plain.rfind("/", begin, end)), end)
    if image is not None and last is address:
        end = image.start()
    spans = [source.span(first, begin), *([source.span(end, stop)] if end < stop else [])]
    message = "the record is part of a web address"
    findings.append(about("record", "leading-garbage", "warning", spans[0], message, spans[1:]))
    return source.trimmed(begin, end)


def _ranklike(part: str) -> bool:
    return squares(part) in (8, 9) and set(part) <= _PIECE_LETTERS


def _start(text: str) -> int:
    """Where the record begins in an address: behind `fen=`, or at the last run of ranks; 0 for nowhere."""
    marker = _MARKER.search(text)
    if marker is not None:
        return marker.end()
    begins = [0, *(match.end() for match in re.finditer("/", text))][-_MOST_PARTS:]
    for height, width in ((10, 9), (8, 8)):
        for index in range(len(begins) - height, -1, -1):
            ranks = [text[one : two - 1] for one, two in pairwise(begins[index : index + height])]
            # the first may follow a question mark instead of a slash
            lead = max(ranks[0].rfind(sign) for sign in "?&=#:,") + 1
            ranks[0] = ranks[0][lead:]
            whole = sum(squares(rank) == width for rank in ranks)
            # a rank or two may be damaged
            if whole >= height - 3 and all(_RANK.fullmatch(rank) for rank in ranks):
                return begins[index] + lead
    return 0


Bounds = tuple[int, int]

_LAYERS = 4  # wrappings within wrappings that are looked for
_TAG = re.compile(r"\[\s*\w{0,20}fen\s*[=:]?\s*[\"'“”]?", re.IGNORECASE)
# Words that name what follows; anything else before a record is not ours to explain away.
# A link of Markdown with the record for its text, or with an address that holds the record.
_LINK = re.compile(r"\[([^\[\]]{1,240})\]\((\S{0,400}?)\)$")
# What Python writes before a quote: `r"…"`, `rb'…'`.
_PREFIX = re.compile(r"(?<![A-Za-z0-9])[rRbBuUfF]{1,2}$")
_CITED = re.compile(r"(?:> ?){1,4}")
_LABEL = re.compile(
    r"(?:position\s+(?:fen|sfen)|position(?=\s+startpos)|setboard|position|fen|epd)\b\s*[:=]?\s*",
    re.IGNORECASE,
)
# What stands behind a quoted record in program text and JSON.
_CLOSED = re.compile(r"[\"'`“”’»›」][)\]}>;,.\s]*$")
_OPENING_TAG = re.compile(r"<[A-Za-z][^<>]{0,200}>")
_CLOSING_TAG = re.compile(r"</[A-Za-z][^<>]{0,40}>$")
_EMPHASIS = re.compile(r"([*_~|=])\1{0,2}(?!\1)")
_LINE_END = re.compile(r"(?:\\[rn])+$")
_BRACKETS = {"(": ")", "[": "]", "{": "}", "<": ">"}
_COLUMNS = (",", ";", "\t", "|")  # what parts the columns of a table
_FEW = 3  # slashes that make no board
_TAIL = 240  # characters at the end of the text in which a closing sign is looked for
_QUOTES_TRIED = 8


def unquote(source: Source, first: int, stop: int, findings: list[Issue]) -> Bounds:
    """The bounds of the record itself, with a finding for each wrapping taken off."""
    bounds = first, stop
    for _ in range(_LAYERS):
        before = bounds
        for peel in (_cited, _link, _tag, _quotes, _markup, _brackets, _label, _line_end):
            if bounds[0] < bounds[1]:
                bounds = peel(source, *bounds, findings)
        if bounds == before:
            break
    return bounds


def _cited(source: Source, first: int, stop: int, findings: list[Issue]) -> Bounds:
    """The record behind the sign of a quotation in a mail or in Markdown."""
    sign = _CITED.match(source.raw, first, stop)
    begin = first if sign is None else sign.end()
    return _taken_off(source, (first, stop), (begin, stop), "the record is cited", findings)


def _link(source: Source, first: int, stop: int, findings: list[Issue]) -> Bounds:
    link = _LINK.match(source.raw, first, stop)
    if link is None:
        return first, stop
    inner = next((link.span(part) for part in (1, 2) if link[part].count("/") > _FEW), (first, stop))
    return _taken_off(source, (first, stop), inner, "the record stands in a link", findings)


def _tag(source: Source, first: int, stop: int, findings: list[Issue]) -> Bounds:
    tag = _TAG.search(source.raw, first, stop)
    if tag is None or source.plain.count("/", first, tag.start()) >= _FEW:
        return first, stop
    end = tag.end()
    while end < stop and source.raw[end] not in "\"'“”]":
        end += 1
    related = [source.span(end, stop)] if end < stop else []
    message = "the record stands in a PGN tag"
    findings.append(about("record", "quoted", "warning", source.span(first, tag.end()), message, related))
    return source.trimmed(tag.end(), end)


def _quotes(source: Source, first: int, stop: int, findings: list[Issue]) -> Bounds:
    """The record in quotes, with the code around them: `fen = "…";`, `{"fen": "…"}`."""
    opening = _opening(source, first, stop)
    closed = _CLOSED.search(source.raw, max(first, stop - _TAIL), stop)
    if opening is None:
        if closed is None or source.raw.count(source.raw[closed.start()], first, stop) > 1:
            return first, stop
        message = "a quote stands behind the record"
        findings.append(about("record", "quoted", "warning", source.span(closed.start(), stop), message))
        return source.trimmed(first, closed.start())
    own = {source.raw[opening], QUOTES[source.raw[opening]]}
    end = stop
    column = next((i for i in range(opening + 1, stop) if source.raw[i] in own), stop)
    if source.raw[column + 1 : column + 2] in _COLUMNS and source.plain.count("/", opening, column) > _FEW:
        end = column  # further columns of a table follow
    elif closed is not None and closed.start() > opening and source.raw[closed.start()] in own:
        end = closed.start()
    elif opening > first:
        end = next((i for i in range(opening + 1, stop) if source.raw[i] in own), stop)
    message = "the record stands in quotes" if end < stop else "a quote stands before the record"
    related = [source.span(end, stop)] if end < stop else []
    span = source.span(first, opening + 1)
    findings.append(about("record", "quoted", "warning", span, message, related))
    return source.trimmed(opening + 1, end)


def _opening(source: Source, first: int, stop: int) -> int | None:
    """Where the quote opens that holds the board, or the quote the text begins with."""
    if source.raw[first] in QUOTES and not _board_within_quotes_follows(source, first, stop):
        return first
    # an apostrophe within a word is no quote
    places = (
        i
        for i in range(first, stop)
        if source.raw[i] in QUOTES
        and (
            i == first or not source.raw[i - 1].isalnum() or _PREFIX.search(source.raw, max(first, i - 3), i)
        )
    )
    for _, place in zip(range(_QUOTES_TRIED), places, strict=False):
        if source.plain.count("/", first, place) - source.plain.count("://", first, place) * 2 >= _FEW:
            return None
        own = QUOTES[source.raw[place]]
        end = next((i for i in range(place + 1, stop) if source.raw[i] == own), stop)
        if source.plain.count("/", place, end) > _FEW:
            return place
    return None


def _board_within_quotes_follows(source: Source, first: int, stop: int) -> bool:
    """Whether the text begins with another quotation than the record's: `"fen": "…"`."""
    own = QUOTES[source.raw[first]]
    end = next((i for i in range(first + 1, stop) if source.raw[i] == own), stop)
    return source.plain.count("/", first, end) < _FEW and source.plain.count("/", end, stop) > _FEW


def _markup(source: Source, first: int, stop: int, findings: list[Issue]) -> Bounds:
    opened = _OPENING_TAG.match(source.raw, first, stop)
    closed = _CLOSING_TAG.search(source.raw, max(first, stop - _TAIL), stop)
    begin = first if opened is None else opened.end()
    end = stop if closed is None else closed.start()
    return _taken_off(source, (first, stop), (begin, end), "the record stands in markup", findings)


def _brackets(source: Source, first: int, stop: int, findings: list[Issue]) -> Bounds:
    """Brackets around the record, or one of them at its one end; signs of emphasis on both sides."""
    raw = source.raw
    begin, end = first, stop
    if raw[first] in _BRACKETS:
        begin += 1
    opened = {closing: opening for opening, closing in _BRACKETS.items()}
    last = raw[stop - 1]
    if last in opened and opened[last] not in raw[begin:stop]:
        end -= 1
    emphasis = _EMPHASIS.match(raw, first, stop)
    if emphasis is not None and emphasis.end() < stop and raw.endswith(emphasis[0], emphasis.end(), stop):
        begin, end = emphasis.end(), stop - len(emphasis[0])
    return _taken_off(source, (first, stop), (begin, end), "the record stands in brackets", findings)


def _taken_off(source: Source, outer: Bounds, inner: Bounds, message: str, findings: list[Issue]) -> Bounds:
    within = source.trimmed(*inner)
    if inner == outer or within[0] >= within[1]:
        return outer
    ends = [source.span(outer[0], inner[0]), source.span(inner[1], outer[1])]
    spans = [span for span in ends if span[0] < span[1]]
    findings.append(about("record", "quoted", "warning", spans[0], message, spans[1:]))
    return within


def _label(source: Source, first: int, stop: int, findings: list[Issue]) -> Bounds:
    label = _LABEL.match(source.plain, first, stop)
    if label is None or label.end() == stop:
        return first, stop
    message = f"{source.raw[first : label.end()].strip()!r} stands before the record"
    span = source.span(first, label.end())
    findings.append(about("record", "leading-garbage", "warning", span, message))
    return label.end(), stop


def _line_end(source: Source, first: int, stop: int, findings: list[Issue]) -> Bounds:
    end = _LINE_END.search(source.raw, max(first, stop - _TAIL), stop)
    if end is None:
        return first, stop
    message = f"{end[0]} ends a line of program text"
    findings.append(about("record", "whitespace", "warning", source.span(end.start(), stop), message, fix=""))
    return source.trimmed(first, end.start())


class Prepared(msgspec.Struct):
    """A text ready to be taken apart: its words, and what was said about their surroundings."""

    text: str
    source: Source
    tokens: list[Token]
    findings: list[Issue]
    blanks: list[Span]  # places of blanks that should not be there, reported once the fields are known


def prepare(text: str) -> Prepared:
    """Sets aside what surrounds the record and cuts it into words."""
    findings: list[Issue] = []
    source = decode(text, findings)
    first, stop = source.trimmed(0, len(source.plain))
    if first < stop:
        first, stop = unquote(source, first, stop, findings)
        first, stop = url_record(source, first, stop, findings)
        source, stop = restore_separators(source, first, stop, findings)
    tokens = source.words(first, stop)
    return Prepared(text, source, tokens, findings, _trailing_blanks(source, tokens, first, stop))


def _trailing_blanks(source: Source, tokens: list[Token], first: int, stop: int) -> list[Span]:
    """Places where the blanks are not single ones: around the record and between its words."""
    if not tokens:
        return []
    found = []
    if tokens[0].first > 0 and first == tokens[0].first and not source.plain[:first].strip():
        found.append(source.span(0, first))
    for one, two in itertools.pairwise(tokens):
        if source.raw[one.stop : two.first] != " " and not source.plain[one.stop : two.first].strip():
            found.append(source.span(one.stop, two.first))
    if stop < len(source.plain) and not source.plain[stop:].strip():
        found.append(source.span(stop, len(source.plain)))
    return found
