"""Perft suites: our counts and the engines' agree with the published ones, and what disagrees is named."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from adapter.games.base import Board
from adapter.position import Position
from adapter.suite.case import MOST, SuiteCase, depths
from adapter.suite.contender import EngineEntry
from adapter.suite.count import PerftCount, differences, own_count
from adapter.suite.loading import load
from adapter.suite.result import CaseResult
from engines.discovery import ResolvedEngine
from engines.limits import Limit

Cases = Callable[..., tuple[SuiteCase, ...]]
Run = Callable[..., Awaitable[list[CaseResult]]]
Real = Callable[..., EngineEntry]

# Fairy-Stockfish's published counts.
XIANGQI = [
    "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1 "
    ";D1 44 ;D2 1920 ;D3 79666 ;D4 3290240 ;D5 133312995",
    "r1ba1a3/4kn3/2n1b4/pNp1p1p1p/4c4/6P2/P1P2R2P/1CcC5/9/2BAKAB2 w - - 0 1 ;D3 43929",
    "1rbaka2R/5r3/6n2/2p1p1p2/4P1bP1/PpC3Bc1/1nPR2P2/2N2AN2/1c2K1p2/2BAC4 w - - 0 1 ;D4 4485547",
    "4kcP1N/8n/3rb4/9/9/9/9/3p1A3/4K4/5CB2 w - - 0 1 ;D4 92741",
]
MATED = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3"


def failed(results: list[CaseResult]) -> list[tuple[str, str]]:
    return [(result.id, result.note) for result in results if not result.solved]


@pytest.mark.engine("stockfish")
async def test_the_tricky_records(suites: Path, run: Run, real: Real) -> None:
    loaded = load([suites / "tricky.perft"])
    results = await run(loaded.cases, real("stockfish"), real("fairy-stockfish"), limit=Limit(depth=2))
    assert failed(results) == []
    withheld = {result.id for result in results if "our rules alone" in result.note}
    assert withheld == {case.id for case in loaded.cases if case.position is None}
    assert len(withheld) >= 6
    assert len(results) == 2 * 19


@pytest.mark.engine("stockfish")
@pytest.mark.parametrize("name", ["chess960-first.perft", "random-first.perft"])
async def test_chess960_and_random_records(suites: Path, run: Run, real: Real, name: str) -> None:
    loaded = load([suites / name])
    assert loaded.bad == ()
    results = await run(loaded.cases[:40], real("stockfish"), limit=Limit(depth=2))
    assert failed(results) == []
    assert {result.solved_depth for result in results} == {2}


@pytest.mark.engine("fairy-stockfish")
@pytest.mark.parametrize("name", ["fairy-xiangqi", "fairy-xiangqi-uci"])
async def test_xiangqi_counts(cases: Cases, run: Run, real: Real, name: str) -> None:
    found = cases(XIANGQI[0], XIANGQI[1], XIANGQI[3])
    results = await run(found, real(name, "xiangqi"), limit=Limit(nodes=50_000))
    assert [(result.solved, result.solved_depth) for result in results] == [(True, 2), (True, 3)]


@pytest.mark.nightly
@pytest.mark.parametrize("name", ["tricky.perft", "chess960-first.perft", "random-first.perft"])
async def test_all_records_deeper(suites: Path, run: Run, real: Real, name: str) -> None:
    loaded = load([suites / name])
    results = await run(loaded.cases, real("stockfish"), real("fairy-stockfish"), limit=Limit(depth=4))
    assert failed(results) == []


@pytest.mark.nightly
@pytest.mark.parametrize("name", ["fairy-xiangqi", "fairy-xiangqi-uci"])
async def test_all_xiangqi_counts(cases: Cases, run: Run, real: Real, name: str) -> None:
    results = await run(cases(*XIANGQI), real(name, "xiangqi"), limit=Limit(depth=4))
    assert failed(results) == []
    assert len(results) == 4


@pytest.mark.engine("toga2")
async def test_an_engine_that_cannot_count_is_told_apart(cases: Cases, run: Run, real: Real) -> None:
    start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -"
    found = cases(f"{start} D1 20;", f"{start} D2 400;", f"{start} bm a3 e4 d4 Nf3 Nc3 c4;")
    results = await run(found, real("toga2", "chess"), limit=Limit(depth=3))
    assert [result.fault for result in results] == ["engine-protocol", "engine-protocol", None]
    assert "knows no `go perft`" in results[1].note
    assert results[2].solved


async def test_a_wrong_expectation_is_ours_to_tell(cases: Cases, run: Run, real: Real) -> None:
    (result,) = await run(cases(f"{MATED} ;D1 1"), real("stockfish"))
    assert (result.solved, result.note) == (False, "depth 1: expected are 1, but our rules count 0")


@pytest.mark.engine("stockfish")
@pytest.mark.parametrize(("engine", "also"), [("stockfish", ", and Stockfish.* 20"), ("toga2", "")])
async def test_a_wrong_expectation_is_told_with_what_the_engine_counts(
    cases: Cases, run: Run, real: Real, engine: str, also: str
) -> None:
    start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -"
    wrong, right = await run(
        cases(f"{start} D1 21;", f"{start} bm a3 e4 d4 Nf3 Nc3 c4;"), real(engine, "chess")
    )
    assert (wrong.solved, wrong.fault) == (False, None)
    assert re.fullmatch(f"depth 1: expected are 21, but our rules count 20{also}", wrong.note)
    assert right.solved


async def test_a_finished_game_is_counted_without_the_engine(
    cases: Cases, run: Run, actor: Callable[..., EngineEntry]
) -> None:
    (result,) = await run(
        cases(f"{MATED} ;D1 0 ;D2 0"), actor("--die-after", "position"), limit=Limit(depth=2)
    )
    assert (result.solved, result.note) == (True, "counted by our rules alone: the game is over")


async def test_the_moves_an_engine_counts_wrong_are_named(
    cases: Cases, run: Run, scripted: Callable[..., ResolvedEngine], tmp_path: Path
) -> None:
    record = "4k3/8/8/8/8/8/P7/K7 w - - 0 1"
    talk = tmp_path / "talk.txt"
    lines = [
        "> uci", "< id name Miscounter", "< uciok", "> isready", "< readyok", "> isready", "< readyok",
        f"> position fen {record}", "> isready", "< readyok", "> go perft 1", "> isready", "< readyok",
        "< a2a3: 1", "< a1b1: 2", "< a1a2: 1", "< a1b2: 1", "< ", "< Nodes searched: 5", "> quit",
    ]  # fmt: skip
    talk.write_text("\n".join(lines) + "\n")
    contender = EngineEntry(scripted("--play", str(talk)), {}, ("chess",))
    (result,) = await run(cases(f"{record} ;D1 4"), contender)
    assert not result.solved
    assert result.fault is None
    assert result.note == (
        "depth 1: Miscounter counts 5, expected are 4 "
        "(a1a2 is not legal; a1b1: 2 instead of 1; a2a4 is missing)"
    )


def test_what_differs_move_by_move() -> None:
    ours = PerftCount(6, {"a": 1, "b": 2, "c": 3})
    assert ours.agrees(PerftCount(6, {"c": 3, "b": 2, "a": 1}))
    assert ours.agrees(PerftCount(6, {}))
    assert not ours.agrees(PerftCount(6, {"a": 3, "b": 2, "c": 1}))
    assert not ours.agrees(PerftCount(5, {}))
    assert differences(ours, PerftCount(5, {})) == []
    assert differences(ours, PerftCount(6, {"a": 1, "b": 1, "d": 4})) == [
        "b: 1 instead of 2",
        "c is missing",
        "d is not legal",
    ]


@pytest.mark.parametrize(
    ("limit", "counted"),
    [
        (None, [1, 2]),
        (Limit(depth=1), [1]),
        (Limit(depth=3), [1, 2, 3]),
        (Limit(nodes=50), [1]),
        (Limit(nodes=10), []),
        (Limit(seconds=1), [1, 2]),
        (Limit(depth=3, nodes=400), [1, 2]),
    ],
)
def test_how_deep_is_counted(limit: Limit | None, counted: list[int]) -> None:
    counts = ((1, 20), (2, 400), (3, MOST + 1))
    assert [depth for depth, _ in depths(counts, limit)] == counted


class Watched:
    """A board that tells of each move played from the position it was made with."""

    def __init__(self, board: Board, tell: Callable[[], None]) -> None:
        self._board = board
        self._tell = tell
        self._depth = 0

    def push(self, move: str) -> None:
        if not self._depth:
            self._tell()
        self._depth += 1
        self._board.push(move)

    def pop(self) -> None:
        self._depth -= 1
        self._board.pop()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._board, name)


async def test_a_cancelled_count_ends_with_its_first_move() -> None:
    loop, first = asyncio.get_running_loop(), asyncio.Event()
    begun: list[int] = []

    def tell() -> None:
        begun.append(1)
        loop.call_soon_threadsafe(first.set)

    board = Watched(Position.parse("startpos").rules(), tell)
    task = asyncio.create_task(own_count(board, 4))  # type: ignore[arg-type]
    await first.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    # which waits for the thread
    await loop.shutdown_default_executor()
    assert len(begun) < 20
