"""Records of positions: read, checked, mended and written.

>>> report = check("rnbqkbnr/ppppppp/8/8/8/8/PPPPPPPPP/RNBQKBNR w KQkq - 0 1")
>>> [(problem.code, problem.at) for problem in report.problems]
[('rank-sum', 'rank 7'), ('rank-sum', 'rank 2')]
>>> report.fixed
'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1'
"""

from __future__ import annotations

from collections.abc import Collection

from adapter.fen.problem import Problem, Report
from adapter.fen.quick import clean

__all__ = ["Problem", "Report", "check", "epd_operations"]

_QUICK_VARIANTS = frozenset(("auto", "chess"))
# Styles that leave a record alone that has neither an en-passant square nor rights of Chess960.
_QUICK_CASTLING = frozenset(("keep", "xfen"))
_QUICK_EP = frozenset(("keep", "fen"))


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
    if (
        variant in _QUICK_VARIANTS
        and castling in _QUICK_CASTLING
        and ep in _QUICK_EP
        and not allow
        and side is None
        and type(text) is str
        and clean(text)
    ):
        return Report(text, "chess", True, text, None, (), (), (), source, line)
    from adapter.fen.examine import examine, options

    return examine(text, options(variant, side, allow, ep, castling, source, line))


def epd_operations(text: str) -> dict[str, tuple[str, ...]]:
    """The operations of an EPD record, in order: opcode to operands. Empty for a record without any."""
    from adapter.fen.operations import epd_operations as read

    return read(text)
