"""Records of positions: read, checked, repaired and written.

>>> report = check("rnbqkbnr/ppppppp/8/8/8/8/PPPPPPPPP/RNBQKBNR w KQkq - 0 1")
>>> [(problem.code, problem.at) for problem in report.problems]
[('rank-sum', 'rank 7'), ('rank-sum', 'rank 2')]
>>> report.fixed
'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1'
"""

from __future__ import annotations

from collections.abc import Collection

from adapter.fen.checker import check_text
from adapter.fen.cleanup import prepare
from adapter.fen.fast_path import fast_check
from adapter.fen.fields import parse_operations, split
from adapter.fen.options import Options
from adapter.fen.report import Problem, Report

__all__ = ["Problem", "Report", "check", "epd_operations"]


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
    """Check one record and repair it where possible. Any text gets a report.

    `text` is `startpos`, a FEN of two to six fields or an EPD record, each with or without moves behind it.
    `variant` is `auto` or the name of a game; `side` (`w`, `b`) is the side to move where the record lacks
    it; the problem codes in `allow` (those of positions that are unreachable but harmless) become warnings.
    `ep` (`keep`, `fen`, `xfen`, `legal`) and `castling` (`keep`, `xfen`, `shredder`) say how `Report.fen` is
    written. `source` and `line` are passed on to the report.

    Raises TypeError for anything but a string, ConfigError for an option that does not exist.
    """
    if type(text) is str and not allow and side is None:
        found = fast_check(text, variant, ep, castling)
        if found is not None:
            fen, game, operations = found
            return Report(text, game, True, fen, None, (), (), (), source, line, operations=operations)
    return check_text(text, Options(variant, side, frozenset(allow), ep, castling, source, line))


def epd_operations(text: str) -> dict[str, tuple[str, ...]]:
    """Return the operations of an EPD record in order, as opcode and operands; a repeated one is continued.

    Empty for a record without any.
    """
    fields = split(prepare(text))
    operations: dict[str, tuple[str, ...]] = {}
    for opcode, operands in () if fields is None else parse_operations(fields.operations):
        operations[opcode] = operations.get(opcode, ()) + operands
    return operations
