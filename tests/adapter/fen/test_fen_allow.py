"""What may be let through as a warning: positions that cannot be reached and hurt no engine, nothing else."""

from __future__ import annotations

import pytest

from adapter.fen import check
from adapter.fen.setup_rules import ALLOWED

UNREACHABLE = {
    "impossible-check": "4k3/8/3p1p2/4K3/8/8/8/8 w - - 0 1",
    "too-many-checkers": "8/r3KPk1/8/3n4/7b/8/8/8 w - - 0 1",
    "too-many-pawns": "4k3/8/8/8/8/P7/PPPPPPPP/4K3 w - - 0 1",
    "too-many-promoted": "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBQR w KQkq - 0 1",
    "too-many-total": "rnbqkbnr/pppppppp/8/8/8/N2NNNNN/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "too-many-of-kind": "3k5/9/9/9/9/RRR6/9/9/9/4K4 w - - 0 1",
    "pawn-place": "4k4/9/9/9/9/9/9/9/9/P2K5 w - - 0 1",
}


def test_every_code_that_may_be_allowed_is_tried() -> None:
    assert set(UNREACHABLE) == ALLOWED


@pytest.mark.parametrize(("code", "record"), UNREACHABLE.items())
def test_let_through_as_a_warning(code: str, record: str) -> None:
    refused = check(record)
    assert [(problem.code, problem.severity) for problem in refused.problems] == [(code, "error")]
    others = tuple(ALLOWED - {code})
    assert check(record, allow=others).fen is None
    report = check(record, allow=(code,))
    assert [(problem.code, problem.severity) for problem in report.problems] == [(code, "warning")]
    assert report.ok
    assert report.fen == record


def test_a_repair_may_keep_what_is_allowed() -> None:
    record = "4k3/8/8/8/8/P7/PPPPPPPP/4K3 w K - 0 1"
    assert check(record).fixed is None
    report = check(record, allow=("too-many-pawns",))
    assert report.fixed == record.replace(" K ", " - ")


@pytest.mark.parametrize(
    "record",
    [
        "4k3/8/8/8/8/8/8/8 w - - 0 1",
        "4k3/4Q3/8/8/8/8/8/4K3 w - - 0 1",
        "P3k3/8/8/8/8/8/8/4K3 w - - 0 1",
        "4k3/8/8/8/8/8/8/4K3 w - e6 0 1",
        "4k3/8/8/8/8/8/7/4K3 w - - 0 1",
        "k7/8/8/3pP3/8/7n/5K2/8 w - d6 0 1",
    ],
)
def test_what_engines_choke_on_is_never_let_through(record: str) -> None:
    assert not check(record, allow=tuple(ALLOWED)).ok
