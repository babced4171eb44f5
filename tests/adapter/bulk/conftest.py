"""What tests of bulk runs share: positions, answers by hand, runs on scripted engines, a store's contents."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Awaitable, Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import chess
import pytest

from adapter.bulk.answer import StoredAnalysis, StoredLine
from adapter.bulk.inputs import Inputs
from adapter.bulk.item import CheckedRecord, ReadOptions, parse_record
from adapter.bulk.local import LocalBackend
from adapter.bulk.run import BulkRun
from adapter.bulk.setup import BulkSetup
from adapter.bulk.tally import BulkSummary
from adapter.fen.files import Entry
from engines.discovery import ResolvedEngine
from engines.limits import Limit


@pytest.fixture(scope="session")
def played() -> Callable[[int, int], list[str]]:
    """Different records out of random games, by number and seed; each has a move to make."""

    def make(count: int, seed: int) -> list[str]:
        rng = random.Random(seed)
        found: dict[str, None] = {}
        while len(found) < count:
            board = chess.Board()
            for _ in range(rng.randint(8, 90)):
                moves = list(board.legal_moves)
                if not moves:
                    break
                board.push(rng.choice(moves))
                if any(board.legal_moves) and len(found) < count:
                    found[board.fen()] = None
        return list(found)

    return make


def opening(number: int) -> str:
    """The start position as of some move, one of thousands in which e2e4 is legal."""
    return f"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - {number % 50} {51 + number // 50}"


@pytest.fixture
def openings() -> Callable[[int], list[str]]:
    """So many records in which e2e4 is legal."""
    return lambda count: [opening(number) for number in range(count)]


@pytest.fixture
def item() -> Callable[..., CheckedRecord]:
    """A sound record at a line of a source."""

    def make(text: str, line: int = 1, source: str = "a.fen", ply: int | None = None) -> CheckedRecord:
        made = parse_record(Entry(text, source, line, ply), line, ReadOptions())
        assert isinstance(made, CheckedRecord)
        return made

    return make


@pytest.fixture
def answer() -> Callable[..., StoredAnalysis]:
    """An answer with one line: the best move and its score from the side to move."""

    def make(
        best: str = "e2e4", *, cp: int | None = None, mate: int | None = None, **rest: Any
    ) -> StoredAnalysis:
        line = StoredLine(multipv=1, cp=cp, mate=mate, depth=8, nodes=5000, pv=best)
        return StoredAnalysis(best=best, san=best, lines=(line,), **rest)

    return make


@pytest.fixture
def setup() -> Callable[..., BulkSetup]:
    """What was asked of an engine."""

    def make(engine: str = "Mine", nodes: int = 5000, multipv: int = 1) -> BulkSetup:
        return BulkSetup(
            engine=engine,
            protocol="uci",
            program="",
            arguments=(),
            options={"Threads": 1},
            bounds={"nodes": nodes},
            multipv=multipv,
        )

    return make


@pytest.fixture
def run(scripted: Callable[..., ResolvedEngine], tmp_path: Path) -> Callable[..., Awaitable[BulkSummary]]:
    """Runs files on a scripted engine, into `r.sqlite` of the test's folder."""

    async def go(
        *files: str | Path,
        flags: Sequence[str] = (),
        found: ResolvedEngine | None = None,
        limit: Limit | None = None,
        jobs: int = 1,
        reading: ReadOptions | None = None,
        resume: bool = False,
        **deadlines: float,
    ) -> BulkSummary:
        engine = found or scripted(*flags, **deadlines)
        asked = limit or Limit(depth=1)
        whole = BulkRun(
            Inputs(files),
            tmp_path / "r.sqlite",
            lambda game: LocalBackend(engine, asked, jobs=jobs, multipv=1, options={}),
            reading=reading,
            resume=resume,
        )
        return await whole.run()

    return go


@pytest.fixture
def stored(tmp_path: Path) -> Callable[..., list[tuple[Any, ...]]]:
    """The rows of a query on `r.sqlite`, by plain SQLite."""

    def rows(query: str, *values: object) -> list[tuple[Any, ...]]:
        with closing(sqlite3.connect(tmp_path / "r.sqlite")) as database:
            return database.execute(query, values).fetchall()

    return rows
