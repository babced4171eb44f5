"""Suites on Stockfish: the same moves and the same solved set as a plain python-chess script finds."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

import chess
import chess.engine
import pytest

from adapter.suite.contender import EngineEntry
from adapter.suite.loading import load
from adapter.suite.result import CaseResult
from engines.limits import Limit

Run = Callable[..., Awaitable[list[CaseResult]]]
Real = Callable[..., EngineEntry]


def plain_script(path: Path, cases: int, command: str, nodes: int) -> dict[str, tuple[str, bool]]:
    """Best move and verdict by id, as anybody would write it down."""
    lines = [line for line in path.read_text().splitlines() if line.strip()][:cases]
    found = {}
    with chess.engine.SimpleEngine.popen_uci(command) as engine:
        engine.configure({"Threads": 1})
        for number, line in enumerate(lines):
            board, operations = chess.Board.from_epd(line)
            move = engine.play(board, chess.engine.Limit(nodes=nodes), game=number).move
            right = move in operations["bm"] if "bm" in operations else True
            wrong = move in operations["am"] if "am" in operations else False
            found[operations["id"]] = (move.uci() if move else "", right and not wrong)
    return found


async def compare(path: Path, run: Run, real: Real, *, nodes: int, cases: int) -> None:
    loaded = load([path])
    contender = real("stockfish")
    results = await run(loaded.cases[:cases], contender, limit=Limit(nodes=nodes))
    expected = plain_script(path, cases, contender.found.path, nodes)
    assert {one.id: (one.best, one.solved) for one in results} == expected


@pytest.mark.engine("stockfish")
@pytest.mark.parametrize(
    ("name", "nodes", "cases"),
    [("bratko-kopec.epd", 10_000, 24), ("eet.epd", 4_000, 25), ("pet.epd", 4_000, 20)],
)
async def test_the_same_as_a_plain_script(
    suites: Path, run: Run, real: Real, name: str, nodes: int, cases: int
) -> None:
    await compare(suites / name, run, real, nodes=nodes, cases=cases)


@pytest.mark.nightly
@pytest.mark.engine("stockfish")
@pytest.mark.parametrize("name", ["bratko-kopec.epd", "eet.epd", "pet.epd"])
async def test_the_same_in_full(suites: Path, run: Run, real: Real, name: str) -> None:
    await compare(suites / name, run, real, nodes=200_000, cases=1_000)
