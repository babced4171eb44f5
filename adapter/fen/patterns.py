"""What the words of a record look like: which field each may be, and which are moves."""

from __future__ import annotations

import re

from adapter.fen.report import Field

# How surely a word is meant for a field: 2 as it should be, 1 as a slip of the hand may leave it.
EXACT: dict[Field, re.Pattern[str]] = {
    "side": re.compile(r"[wb]"),
    "castling": re.compile(r"-|[KQkqA-Ha-h]{1,4}"),
    "en-passant": re.compile(r"-|[a-i][0-9]"),
    "halfmove": re.compile(r"[0-9]{1,20}"),
    "fullmove": re.compile(r"[0-9]{1,20}"),
}
SLOPPY: dict[Field, re.Pattern[str]] = {
    "side": re.compile(r"[WBrR]|white|black|red", re.IGNORECASE),
    "castling": re.compile(r"(?=.{0,8}[KQkq])[A-Za-z-]{1,9}|[A-Ha-h-]{1,9}|[Nn]one"),
    "en-passant": re.compile(r"[A-I][0-9]|[0-9]?[a-h]|[a-h][a-h0-9]{1,2}|--|[Nn]one|[Nn]ull"),
    "halfmove": re.compile(r"[-+]?[0-9][0-9_.,a-z]{0,20}|[-+][0-9]{1,20}"),
    "fullmove": re.compile(r"[-+]?[0-9][0-9_.,a-z]{0,20}|[-+][0-9]{1,20}"),
}
CHECKS = re.compile(r"\+?[0-9]\+[0-9]")
MOVE = re.compile(
    r"[a-i][0-9]-?[a-i][0-9][qrbnQRBN]?|[A-I][0-9]-?[A-I][0-9][QRBN]?"  # UCI and ICCS
    r"|[KQRBN]?[a-h]?[1-8]?[x:]?[a-h][1-8](?:=?[QRBN])?[+#!?]*"  # SAN
    r"|[O0]-[O0](?:-[O0])?[+#!?]*"
    r"|[KABEHNRCPkabehnrcp+-][A-Za-z1-9+-]?[+=.-][1-9]"  # WXF
    r"|[1-9][0-9]{0,3}\.{1,3}\S{0,10}"  # move numbers
)
CHINESE_MOVE = re.compile(r"(?=.{0,3}[\u4e00-\u9fff])[\u4e00-\u9fff1-9\uff11-\uff19]{4}")
START = "startpos"
# By position, a word that is two fields with the blank between them lost (or become another character).
# A half-move clock of more than one digit that begins with 0 is both counters.
STUCK = (
    (0, re.compile(r"([wb])[^A-HKQa-hkq-]?((?:-|[KQkqA-Ha-h]{1,4})(?:(?:-|[a-h][36])[0-9]{0,5})?)")),
    (1, re.compile(r"(-|[KQkqA-Ha-h]{1,4})[^A-HKQa-hkq-]?((?:-|[a-h][36])[0-9]{0,5})")),
    (2, re.compile(r"(-|[a-h][36])[^0-9]?([0-9]{1,4})")),
    (3, re.compile(r"([0-9]{1,4})[^0-9._+]([0-9]{1,4})")),
    (3, re.compile(r"(0)([1-9][0-9]{0,3})")),
)
# A half-move clock at which the game may be drawn, with nothing behind it, is both counters.
COUNTERS = re.compile(r"[1-9][0-9]{2,6}")
# Behind a last field, a sign that parts the columns of a table, with whatever follows.
NEXT_COLUMN = re.compile(r"(-|[KQkq]{1,4}|[a-h][36]|[0-9]{1,4})[|,;].*")
