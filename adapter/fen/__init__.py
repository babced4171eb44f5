"""Records of positions: read, checked, mended and written.

>>> report = check("rnbqkbnr/ppppppp/8/8/8/8/PPPPPPPPP/RNBQKBNR w KQkq - 0 1")
>>> [(problem.code, problem.at) for problem in report.problems]
[('rank-sum', 'rank 7'), ('rank-sum', 'rank 2')]
>>> report.fixed
'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1'
"""

from __future__ import annotations

import re
from collections.abc import Collection

from adapter.fen.fast_path import CLASSICAL, clean
from adapter.fen.options import CASTLING_STYLES, EP_STYLES
from adapter.fen.report import Problem, Report

__all__ = ["Problem", "Report", "check", "epd_operations"]

# The operations of test suites behind the four fields of an EPD record. Counters among them, and opcodes that
# may be moves, are read the long way.
_OPERATIONS = re.compile(r'(?:(?!hmvc |fmvn )(?:[a-z_]{2,14}|[cvD][0-9]) [^;"]*(?:"[^"]*"[^;"]*)?; *)+')

_CHESS = frozenset(("auto", "chess", "chess960"))
# Styles that leave the letters of a clean record alone, when they are no file letters: KQkq is X-FEN.
_KEPT = ("keep", "xfen")


def check(
    text: str,
    *,
    variant: str = "auto",
    side: str | None = None,
    allow: Collection[str] = (),
    ep: str = "keep",
    castling: str = "keep",
    source: str | None = None,
    line: int | None = None,
) -> Report:
    """What is right and wrong about one record, with the mended record; any text is answered, none raises.

    `text` is `startpos`, a FEN of two to six fields or an EPD record, each with moves behind it or without.
    `variant` is `auto`, `chess`, `chess960` or `xiangqi`; `side` (`w`, `b`) is the side to move where the
    record does not tell it; the problem codes in `allow` (those of positions that cannot be reached but do no
    harm) become warnings. `ep` (`keep`, `fen`, `xfen`, `legal`) and `castling` (`keep`, `xfen`, `shredder`)
    say how `Report.fen` is written. `source` and `line` are passed on to the report.

    Raises TypeError for anything but a string, ConfigError for an option that does not exist.
    """
    if type(text) is str and not allow and side is None:
        found = _quick(text, variant, ep, castling)
        if found is not None:
            return Report(text, found[1], True, found[0], None, (), (), (), source, line)
    from adapter.fen.checker import check_text
    from adapter.fen.options import options

    return check_text(text, options(variant, side, allow, ep, castling, source, line))


def _quick(text: str, variant: str, ep: str, castling: str) -> tuple[str, str] | None:
    """Canonical record and game of a text that is clean already, but for the operations of EPD."""
    record = text
    if text.endswith(";"):
        fields = text.split(" ", 4)
        if len(fields) < 5 or not _OPERATIONS.fullmatch(fields[4]):
            return None
        record = f"{fields[0]} {fields[1]} {fields[2]} {fields[3]} 0 1"
    if variant == "xiangqi" or (variant == "auto" and record.count("/") == 9):
        if ep not in EP_STYLES or castling not in CASTLING_STYLES:
            return None
        from adapter.fen.fast_path_xiangqi import clean as clean_xiangqi

        return (record, "xiangqi") if clean_xiangqi(record) else None
    if variant not in _CHESS or castling not in _KEPT or not (ep in ("keep", "fen") or _no_ep(record, ep)):
        return None
    game = clean(record, variant)
    if not game or (game != "chess" and castling != "keep" and record.split(" ", 3)[2] not in CLASSICAL):
        return None
    return record, game


def _no_ep(record: str, ep: str) -> bool:
    """Whether the record has no en-passant square, so that all styles write it alike."""
    return ep in EP_STYLES and record.split(" ", 4)[3:4] == ["-"]


def epd_operations(text: str) -> dict[str, tuple[str, ...]]:
    """The operations of an EPD record, in order: opcode to operands. Empty for a record without any."""
    from adapter.fen.fields import epd_operations as read

    return read(text)
