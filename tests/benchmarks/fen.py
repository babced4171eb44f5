"""Checking FENs: against python-chess' reading and status, and how the time grows with a record's length."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Callable, Iterator

import chess

from adapter.fen import check
from tests.benchmarks.measure import Benchmark, Result, Timings, at_least, at_most, interleaved


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


# What damages a record, each in another field; the repair has to be found as well.
DAMAGES: dict[str, Callable[[list[str]], list[str]]] = {
    "no white king": lambda fields: [fields[0].replace("K", "1"), *fields[1:]],
    "castling rights in excess": lambda fields: [*fields[:2], "KQkqKQ", *fields[3:]],
    "a word for the clock": lambda fields: [*fields[:4], "x", fields[5]],
}


def _chess(quick: bool) -> Iterator[Result]:
    """Records that neither side has met before, as a file of games brings them, and the same once more."""
    size, rounds = (500, 5) if quick else (3000, 9)
    fens = records(size * (rounds + 1))
    bad = [fen for fen in fens[: 2 * size] if not chess.Board(fen).is_valid()]
    assert not bad, f"python-chess finds fault with {bad[:3]}"
    new = {
        name: iter([fens[at : at + size] for at in range(0, len(fens), size)]) for name in ("ours", "peer")
    }
    fresh = interleaved(
        {
            "ours": lambda: all(check(fen).ok for fen in next(new["ours"])),
            "peer": lambda: all(not chess.Board(fen).status() for fen in next(new["peer"])),
        },
        rounds,
        same=True,
    )
    again = interleaved(
        {
            "ours": lambda: all(check(fen).ok for fen in fens[:size]),
            "peer": lambda: all(not chess.Board(fen).status() for fen in fens[:size]),
        },
        3,
        same=True,
    )
    yield _row(fresh, 7, "check a chess FEN, against python-chess", size)
    yield _row(again, None, "the same records once more, against python-chess", size)
    for name, damage in DAMAGES.items():
        wrong = [" ".join(damage(fen.split(" "))) for fen in fens[:40]]
        assert not any(check(fen).ok for fen in wrong)
        timings = interleaved(
            {
                "ours": lambda given=wrong: [check(fen) for fen in given],
                "peer": lambda given=wrong: _read(given),
            },
            3,
        )
        yield _row(timings, None, f"a faulty one and its repair: {name}", len(wrong), told_only=True)


def _read(given: list[str]) -> None:
    for fen in given:
        with contextlib.suppress(ValueError):
            chess.Board(fen).status()


def _row(timings: Timings, target: int | None, name: str, count: int, *, told_only: bool = False) -> Result:
    ratio = timings.ratio("peer", "ours", "cpu")
    goal, judge = at_least(6)
    return Result(
        target=target,
        name=name,
        ours=timings.median("ours", "cpu") / count,
        peer=timings.median("peer", "cpu") / count,
        ratio=ratio,
        goal="told only" if told_only else goal,
        met=None if told_only else judge(ratio),
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
