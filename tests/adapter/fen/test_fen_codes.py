"""Every code of the contract: listed, explained, and produced by a record."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from adapter.fen import check
from adapter.fen.codes import Code, markdown_table

README = Path(__file__).parents[3] / "adapter" / "README.md"
START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR"
XIANGQI = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR"
RECORDS = {
    "rank-sum": "rnbqkbnr/ppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "rank-count": "rnbqkbnr/pppppppp/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "bad-letter": "8/8/8/8/8/4k3/8/4a3 w - - 0 1",
    "bad-digit": "k03/8/8/8/4K3/8/8/8 w - - 0 1",
    "digit-run": "7k/5Q2/61K/8/8/8/8/8 b - - 0 1",
    "side": f"{START} x KQkq - 0 1",
    "missing-side": f"{START} KQkq - 0 1",
    "missing-fields": f"{START} w",
    "field-order": f"w KQkq {START} - 0 1",
    "castling-grammar": f"{START} w KQxq - 0 1",
    "castling-order": f"{START} w kqKQ - 0 1",
    "castling-duplicate": f"{START} w KKkq - 0 1",
    "castling-impossible": "4k3/8/8/8/8/8/8/4K3 w q - 0 1",
    "ep-grammar": "4k3/P7/8/8/8/8/8/4K3 w - -- 0 1",
    "ep-rank": f"{START} w KQkq e5 0 1",
    "ep-no-pawn": "4k3/8/8/8/8/8/8/4K3 w - e6 0 1",
    "ep-occupied": "4k3/8/4n3/3Pp3/8/8/8/4K3 w - e6 0 1",
    "ep-origin-blocked": "rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPP2PP/RNBQKBNR b KQkq g3 0 2",
    "ep-clock": "4k3/8/8/4p3/8/8/8/4K3 w - e6 6 9",
    "ep-unrelated-check": "k7/8/8/3pP3/8/7n/5K2/8 w - d6 0 1",
    "impossible-check": "8/8/4k3/8/8/1B6/8/4RK2 b - - 0 1",
    "king-missing": "4k3/8/8/8/8/8/8/8 w - - 0 1",
    "king-many": "4k3/8/8/8/8/8/8/K3K3 w - - 0 1",
    "kings-adjacent": "8/8/8/8/8/8/5kK1/8 w - - 0 1",
    "king-place": "4k4/9/9/9/9/9/3K5/9/9/9 w - - 0 1",
    "flying-general": "4k4/9/9/9/9/9/9/9/9/4K4 w - - 0 1",
    "advisor-place": "3k5/9/9/9/9/9/9/9/9/A3K4 w - - 0 1",
    "elephant-place": "4k4/9/9/9/9/9/9/9/B8/3K5 w - - 0 1",
    "pawn-place": "4k4/9/9/9/9/9/9/9/9/P2K5 w - - 0 1",
    "pawns-backrank": "P3k3/8/8/8/8/8/8/4K3 w - - 0 1",
    "too-many-pawns": "4k3/8/8/8/8/P7/PPPPPPPP/4K3 w - - 0 1",
    "too-many-promoted": "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBQR w KQkq - 0 1",
    "too-many-total": "rnbqkbnr/pppppppp/8/8/8/N2NNNNN/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "too-many-of-kind": "3k5/9/9/9/9/RRR6/9/9/9/4K4 w - - 0 1",
    "opponent-in-check": "4k2R/8/8/8/8/8/8/4K3 w - - 0 1",
    "too-many-checkers": "8/r3KPk1/8/3n4/7b/8/8/8 w - - 0 1",
    "halfmove": f"{START} w KQkq - x0 1",
    "fullmove": f"{START} w KQkq - 0 -1",
    "halfmove-draw": "3k3R/8/3K4/8/8/8/8/8 b - - 150 90",
    "counters-inconsistent": "4k3/8/8/8/8/8/8/4K2R b K - 8 1",
    "trailing-garbage": f"{START} w KQkq - 0 1 mves",
    "leading-garbage": f"position fen {START} w KQkq - 0 1",
    "whitespace": f"{START}  w KQkq - 0 1",
    "bom": f"\ufeff{START} w KQkq - 0 1",
    "quoted": f'"{START} w KQkq - 0 1"',
    "url-encoded": f"{START}_w_KQkq_-_0_1",
    "unicode-lookalike": f"{START} w – - 0 1",
    "piece-language": "tsldklst/pppppppp/8/8/8/8/PPPPPPPP/TSLDKLST w KQkq - 0 1",
    "letters-he": "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RHEAKAEHR w - - 0 1",
    "side-r": f"{XIANGQI} r - - 0 1",
    "pockets": f"{START}[Qn] w KQkq - 0 1",
    "promoted-mark": "rnb1kb1r/ppp1pppp/8/3q4/8/8/PPPP1PPP/RNBQ~KB1R w KQkq - 0 5",
    "check-count": f"{START} w KQkq - 3+3 0 1",
    "upside-down": "RNBQKBNR/PPPPPPPP/8/8/4p3/8/pppp1ppp/rnbqkbnr b - - 0 1",
    "colours-swapped": "RNBQKBNR/PPPPPPPP/8/8/4p3/8/pppp1ppp/rnbqkbnr b - e3 0 1",
    "files-reversed": "rnbkqbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBKQBNR w KQkq - 0 1",
    "rotated-180": "RNBKQBNR/PPP1PPPP/8/3P4/8/8/pppppppp/rnbkqbnr b - - 0 1",
    "empty": " ",
    "move-syntax": "startpos moves e2e4 x",
    "move-illegal": "startpos moves e2e4 e2e4",
}


def test_each_code_has_a_record() -> None:
    assert list(RECORDS) == list(Code)


@pytest.mark.parametrize(("code", "record"), RECORDS.items())
def test_each_code_is_produced(code: str, record: str) -> None:
    problems = check(record).problems
    assert code in [problem.code for problem in problems]
    assert all(isinstance(problem.code, Code) for problem in problems)


def test_a_code_is_its_string_in_text_and_json() -> None:
    code = Code.EP_RANK
    assert code == "ep-rank" == str(code) == f"{code}"
    assert repr(code) == "'ep-rank'"
    assert msgspec.json.encode(code) == b'"ep-rank"'
    assert Code("ep-rank") is code


def test_the_table_of_the_documentation() -> None:
    table = markdown_table()
    rows = [row.split(" | ") for row in table.splitlines()[2:]]
    assert [row[0] for row in rows] == [f"| `{code}`" for code in Code]
    assert all(row[1].count("|") == 1 for row in rows)
    assert len({code.meaning for code in Code}) == len(Code)
    if README.exists():
        assert table in README.read_text(encoding="utf-8")
