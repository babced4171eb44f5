"""Checking FENs: against python-chess' reading and status, and how the time grows with a record's length."""

from __future__ import annotations

import random
from collections.abc import Iterator

import chess

from adapter.fen import check
from tests.benchmarks.measure import Benchmark, Result, at_least, at_most, interleaved


def records(number: int, seed: int = 7) -> list[str]:
    """Legal records from random games, each broken off before its clock calls for a draw."""
    source, found, board = random.Random(seed), [], chess.Board()
    while len(found) < number:
        if board.is_game_over() or board.ply() >= 150 or board.halfmove_clock >= 99:
            board = chess.Board()
        board.push(source.choice(list(board.legal_moves)))
        found.append(board.fen())
    return found


def questions(number: int) -> list[str]:
    """Records of games that are not over."""
    return [fen for fen in records(number + 20) if any(chess.Board(fen).legal_moves)][:number]


def _chess(quick: bool) -> Iterator[Result]:
    fens = records(500 if quick else 3000)
    bad = [fen for fen in fens if not check(fen).ok or not chess.Board(fen).is_valid()]
    assert not bad, f"the contestants disagree about {bad[:3]}"
    timings = interleaved(
        {
            "ours": lambda: [check(fen) for fen in fens],
            "peer": lambda: [chess.Board(fen).status() for fen in fens],
        },
        3 if quick else 9,
    )
    ratio = timings.ratio("peer", "ours", "cpu")
    goal, judge = at_least(6)
    yield Result(
        target=7,
        name="check a chess FEN, against python-chess",
        ours=timings.median("ours", "cpu") / len(fens),
        peer=timings.median("peer", "cpu") / len(fens),
        ratio=ratio,
        goal=goal,
        met=judge(ratio),
        note="seconds a record",
    )


def _growth(quick: bool) -> Iterator[Result]:
    goal, judge = at_most(2)
    for name, text in (
        ("slashes", "/"),
        ("letters", "p"),
        ("blanks", " "),
        ("words", "a1 "),
        ("digits", "1"),
    ):
        short, long = text * 2_000, text * (20_000 if quick else 200_000)
        timings = interleaved({"short": lambda t=short: check(t), "long": lambda t=long: check(t)}, 3)
        growth = timings.ratio("long", "short", "cpu") / (len(long) / len(short))
        yield Result(
            target=None,
            name=f"check grows with the length: {name}",
            ours=timings.median("long", "cpu"),
            ratio=growth,
            goal=goal,
            met=judge(growth),
            note="time for a text many times as long, over as many times the time for the short one",
        )


BENCHMARKS = (Benchmark("fen", _chess), Benchmark("fen-growth", _growth))
