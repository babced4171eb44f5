"""Slips of the hand in a board: characters exchanged, a man a step aside, a slash lost, moved, typed over."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from adapter.fen import check
from adapter.fen.problem import Problem, Report

XIANGQI = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1"
CHESS = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
VARIANTS = ("chess", "chess960", "xiangqi")
RECORDS = 250


def men(record: str) -> int:
    """How many men stand on the board of a record."""
    return sum(char.isalpha() for char in record.split(" ", 1)[0])


def applied(text: str, problem: Problem) -> str:
    """The text with one problem's repair in the place it belongs to."""
    assert problem.fix is not None
    return text[: problem.span[0]] + problem.fix + text[problem.span[1] :]


def damaged(record: str, rng: random.Random) -> str:
    """The record with one character of its board lost, doubled, exchanged or typed over."""
    board = record.split(" ", 1)[0]
    place = rng.randrange(len(board))
    head, char, tail = record[:place], record[place], record[place + 1 :]
    return rng.choice(
        (
            head + tail,
            head + char + char + tail,
            head + tail[0] + char + tail[1:],
            head + rng.choice("PNBRQKpnbrqk0123456789/-wbx.") + tail,
            head + char.swapcase() + tail,
            head + ("9" if char.isdigit() else char) + tail,
        )
    )


@pytest.mark.parametrize(
    ("rank", "meant"),
    [
        # king and advisor, advisor and elephant, of either side
        ("rnbkaabnr", "rnbakabnr"),
        ("rnbaaknbr", None),
        ("rbnakabnr", "rnbakabnr"),
        ("RBNAKABNR", "RNBAKABNR"),
        ("RNBKAABNR", "RNBAKABNR"),
        # both kinds at once
        ("RNABKABNR", "RNBAKABNR"),
        ("rnbakbanr", "rnbakabnr"),
        # one man who stands elsewhere in his rank
        ("rnakabbnr", "rnbakabnr"),
        # a step aside
        ("P1P1P1PP1", "P1P1P1P1P"),
        ("1PP1P1P1P", "P1P1P1P1P"),
    ],
)
def test_men_beside_their_squares_are_put_back(rank: str, meant: str | None) -> None:
    text = XIANGQI.replace(meant or "rnbakabnr", rank)
    report = check(text)
    assert not report.ok
    if meant is None:
        assert all(men(record) == men(text) for record in filter(None, (report.fixed, *report.suggestions)))
    else:
        assert report.fixed == XIANGQI
        for problem in report.problems:
            assert check(applied(text, problem)).fen == XIANGQI


def test_a_king_may_be_a_step_off_his_palace_any_way() -> None:
    palace = "4k4/4a4/9/9/9/9/9/9/4A4/3K2R2 w - - 0 1"
    aside = check("4k4/4a4/9/9/9/9/9/9/4A4/2K3R2 w - - 0 1")
    assert palace in aside.suggestions
    above = check("4k4/4a4/9/9/9/9/5K3/9/4A4/6R2 w - - 0 1")
    assert above.fixed == "4k4/4a4/9/9/9/9/9/5K3/4A4/6R2 w - - 0 1"


def test_an_exchange_of_neighbours_loses_nobody(
    legal_records: Callable[[str, int], tuple[str, ...]],
) -> None:
    rng = random.Random(71)
    records = offered = lost = 0
    for record in legal_records("xiangqi", RECORDS):
        board = record.split(" ", 1)[0]
        places = [
            place
            for place in range(len(board) - 1)
            if board[place : place + 2].isalpha() and board[place] != board[place + 1]
        ]
        if not places:
            continue
        place = rng.choice(places)
        report = check(record[:place] + record[place + 1] + record[place] + record[place + 2 :])
        if report.ok:
            continue
        records += 1
        lost += report.fixed is not None and men(report.fixed) < men(record)
        offered += record in (report.fixed, *report.suggestions)
    assert records >= RECORDS / 5
    assert lost == 0
    assert offered >= 0.95 * records


def _disagreeing(text: str, report: Report) -> list[Problem]:
    """The problems whose repair, put in at their place, does not yield the mended record."""
    problems = [problem for problem in report.problems if problem.severity == "error"]
    if report.fixed is None or len(problems) != 1 or problems[0].fix is None:
        return []
    again = check(applied(text, problems[0]), variant=report.variant)
    return problems if report.fixed not in (again.fen, again.fixed) else []


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_repair_belongs_to_its_span(
    variant: str, legal_records: Callable[[str, int], tuple[str, ...]]
) -> None:
    rng = random.Random(72)
    mended = 0
    for record in legal_records(variant, RECORDS):
        text = damaged(record, rng)
        report = check(text, variant=variant)
        mended += report.fixed is not None
        assert _disagreeing(text, report) == []
    assert mended >= RECORDS / 5
