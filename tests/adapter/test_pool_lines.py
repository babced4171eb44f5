"""What a pool's engines are given beforehand: it is shared out, taken over by who is free, and never lost."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Callable

import chess
import pytest

from adapter.errors import EngineError, EngineTimeout
from adapter.pool import Pool
from adapter.scheduler import QUEUED
from engines.discovery import ResolvedEngine
from engines.limits import Limit

pytestmark = pytest.mark.usefixtures("no_leaks_async")

Scripted = Callable[..., ResolvedEngine]
LIMIT = Limit(depth=3)
PATIENCE = 60.0


def fens(number: int) -> list[str]:
    """Positions in which e2e4 is legal, the scripted engine's answer to everything."""
    rng, found = random.Random(number), []
    while len(found) < number:
        board = chess.Board()
        board.remove_piece_at(rng.choice([chess.B1, chess.C1, chess.D1, chess.F1, chess.G1]))
        for square in rng.sample([chess.A7, chess.B7, chess.C7, chess.G7, chess.H7, chess.B8], 3):
            board.remove_piece_at(square)
        board.castling_rights = chess.BB_EMPTY
        board.fullmove_number = len(found) + 1
        found.append(board.fen())
    return found


def asked(pool: Pool) -> list[list[str]]:
    """The positions each engine was sent, as far back as its talk is kept."""
    return [
        [line for line in engine.driver._link.session.tail if line.startswith("> position")]
        for engine in pool.engines
    ]


@pytest.mark.parametrize("size", [1, 2, 3])
async def test_all_are_asked_once_and_shared_out_evenly(size: int, scripted: Scripted) -> None:
    given = fens(4 * size + 1)
    async with Pool(scripted("--strict", "--think", "0.15"), size=size) as pool, asyncio.timeout(PATIENCE):
        results = [result async for result in pool.analyze(given, LIMIT, ordered=True)]
        found = [result.analysis.best.move for result in results if result.analysis and result.analysis.best]
        assert found == ["e2e4"] * len(given)
        counts = [len(lines) for lines in asked(pool)]
        assert Counter(line for lines in asked(pool) for line in lines).most_common(1)[0][1] == 1
        assert sum(counts) == len(given)
        assert max(counts) - min(counts) <= QUEUED, "an idle engine left another's line alone"


async def test_what_was_lined_up_behind_a_death_is_asked_again(scripted: Scripted) -> None:
    given = fens(12)
    deadly = given[4]
    async with Pool(scripted("--die-on", deadly), size=1) as pool, asyncio.timeout(PATIENCE):
        results = [result async for result in pool.analyze(given, LIMIT, ordered=True)]
    assert [result.index for result in results] == list(range(12))
    failed = [result for result in results if result.error is not None]
    assert [result.given for result in failed] == [deadly]
    assert isinstance(failed[0].error, EngineError)


async def test_what_is_left_is_not_asked(scripted: Scripted) -> None:
    async with Pool(scripted("--strict", "--think", "0.1"), size=1) as pool, asyncio.timeout(PATIENCE):
        results = pool.analyze(fens(30), LIMIT)
        await anext(results)
        await results.aclose()
        before = len(asked(pool)[0])
        assert before <= 1 + QUEUED + 1
        again = [result async for result in pool.analyze(fens(2), LIMIT)]
        assert all(result.analysis is not None for result in again)
        assert len(asked(pool)[0]) <= before + 2


async def test_an_engine_that_somebody_else_keeps_is_not_waited_for_without_end(scripted: Scripted) -> None:
    """The one who keeps it answers to nobody but himself: an infinite search has no end of its own."""
    found = scripted("--strict", search=0.6)
    async with Pool(found, size=1) as pool, asyncio.timeout(PATIENCE):
        engine, given = pool.engines[0], fens(3)
        async with engine.stream(given[0], Limit(infinite=True)) as other:
            results = [result async for result in pool.analyze(given[:2], LIMIT, timeout=0.2)]
            assert [type(result.error) for result in results] == [EngineTimeout, EngineTimeout]
            assert "busy" in str(results[0].error)
            await other.stop()
        again = [result async for result in pool.analyze(given, LIMIT)]
        assert all(result.analysis is not None for result in again)


async def test_an_answer_is_told_while_somebody_else_has_the_engine(scripted: Scripted) -> None:
    """The other one keeps the engine until that very answer is there."""
    async with Pool(scripted("--strict", "--think", "0.2"), size=1) as pool, asyncio.timeout(PATIENCE):
        engine, told = pool.engines[0], asyncio.Event()

        async def keep() -> None:
            await asyncio.sleep(0.1)
            async with engine.stream(fens(1)[0], Limit(infinite=True)) as kept:
                await told.wait()
                await kept.stop()

        keeping = asyncio.create_task(keep())
        results = pool.analyze(fens(5), LIMIT, ordered=True)
        found = []
        async for result in results:
            found.append(result.index)
            # the last one that was lined up before the other wanted the engine
            if result.index == QUEUED:
                told.set()
        await keeping
        assert found == [0, 1, 2, 3, 4]
