"""Characters that look like, or stand for, those of a record: what each is read as."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping

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
_CHESSMEN = dict(zip(map(chr, range(0x2654, 0x2660)), "KQRBNPkqrbnp", strict=True))
_XIANGQI_MEN = dict(zip(map(chr, range(0x1FA60, 0x1FA6E)), "KABNRCPkabnrcp", strict=True))
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
    | _CHESSMEN
    | _XIANGQI_MEN
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
