"""The driver with installed engines: every limit, cancellation at any point, the right answer afterwards."""

from __future__ import annotations

import asyncio
import os
import random
import signal
from collections.abc import Awaitable, Callable

import chess
import pyffish
import pytest

from engines.driver import EngineDriver
from engines.errors import EngineDied, LimitError
from engines.limits import Limit
from engines.search import GoCommand, make_go_command

pytestmark = pytest.mark.usefixtures("no_leaks_async")

StartReal = Callable[..., Awaitable[EngineDriver]]
ENGINES = [
    pytest.param(name, marks=pytest.mark.engine(name))
    for name in ("stockfish", "fairy-stockfish", "gnuchess", "toga2", "glaurung")
]
FENS = [
    chess.STARTING_FEN,
    "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3",
    "8/8/8/4k3/8/8/4P3/4K3 w - - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/P7/8/8/8/k7/7p/K7 b - - 0 1",
    "rnbq1rk1/ppp1bppp/4pn2/3p4/2PP4/2N2N2/PP2PPPP/R1BQKB1R w KQ - 4 6",
]
ENDLESS = Limit(infinite=True)


def work_for(driver: EngineDriver, limit: Limit, side: str = "w") -> GoCommand:
    return make_go_command(limit, driver.dialect, driver.profile.capabilities, side=side)


async def best(driver: EngineDriver, fen: str, limit: Limit) -> str | None:
    work = work_for(driver, limit, fen.split()[1])
    return (await driver.result(await driver.begin(f"position fen {fen}", work))).best


def assert_legal(fen: str, move: str | None) -> None:
    assert move is not None
    assert chess.Move.from_uci(move) in chess.Board(fen).legal_moves


@pytest.mark.parametrize("name", ENGINES)
async def test_every_limit_ends_with_a_legal_move(name: str, start_real: StartReal) -> None:
    driver = await start_real(name)
    limits = [
        Limit(depth=4),
        Limit(nodes=2000),
        Limit(seconds=0.05),
        Limit(mate=2, seconds=0.2),
        Limit(wtime=1000, btime=1000, winc=10, binc=10),
        Limit(wtime=1000, btime=1000, movestogo=20),
        Limit(depth=30, seconds=0.05),
        Limit(depth=5, nodes=100_000),
    ]
    try:
        for limit in limits:
            for fen in FENS[:3]:
                work = work_for(driver, limit, fen.split()[1])
                async with asyncio.timeout(20):
                    search = await driver.result(
                        await driver.begin(f"position fen {fen}", work, new_game=True)
                    )
                assert_legal(fen, search.best)
                assert search.lines(), limit
                assert search.faults == []
                if work.nodes is not None:
                    assert search.stopped_for == "nodes" or not work.open_ended
    finally:
        await driver.close()


@pytest.mark.parametrize("name", ENGINES)
async def test_mate_is_found_and_told_as_such(name: str, start_real: StartReal) -> None:
    driver = await start_real(name)
    try:
        fen = "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1"
        running = await driver.begin(f"position fen {fen}", work_for(driver, Limit(depth=5)))
        search = await driver.result(running)
        assert search.best == "d1d8"
        assert getattr(search.lines()[0].score, "mate", None) == 1
        mated = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3"
        assert await best(driver, mated, Limit(depth=3)) is None
    finally:
        await driver.close()


@pytest.mark.parametrize("name", ENGINES)
async def test_options_are_taken(name: str, start_real: StartReal) -> None:
    driver = await start_real(name)
    try:
        assert not [note for note in driver.notes if "is not offered" in note], driver.notes
        await driver.configure({"hash": 32})
        assert driver.values["Hash"] == "32"
        await driver.ping()
        if driver.profile.capabilities.multipv:
            running = await driver.begin(
                f"position fen {FENS[1]}", work_for(driver, Limit(depth=4), "b"), options={"MultiPV": 3}
            )
            lines = (await driver.result(running)).lines()
            assert [line.multipv for line in lines] == [1, 2, 3]
            assert len({line.pv[0] for line in lines}) == 3
        if driver.profile.capabilities.searchmoves:
            limit = Limit(depth=4, searchmoves=("a2a3",))
            assert await best(driver, chess.STARTING_FEN, limit) == "a2a3"
        else:
            with pytest.raises(LimitError):
                work_for(driver, Limit(depth=4, searchmoves=("a2a3",)))
    finally:
        await driver.close()


@pytest.mark.parametrize("name", ENGINES)
async def test_cancelled_anywhere_the_next_answer_is_right(name: str, start_real: StartReal) -> None:
    rng = random.Random(name)
    driver = await start_real(name)
    try:
        for _ in range(25):
            fen = rng.choice(FENS)
            limit = rng.choice((ENDLESS, Limit(seconds=0.01), Limit(depth=3), Limit(nodes=500)))
            task = asyncio.create_task(best(driver, fen, limit))
            await asyncio.sleep(rng.choice((0, 0.001, 0.005, 0.02)) * rng.random())
            task.cancel()
            await asyncio.wait([task])
            if not task.cancelled():
                assert_legal(fen, task.result())
            fen = rng.choice(FENS)
            assert_legal(fen, await best(driver, fen, Limit(depth=2)))
    finally:
        await driver.close()


@pytest.mark.engine("stockfish")
@pytest.mark.parametrize("count", [200, pytest.param(2000, marks=pytest.mark.nightly)])
async def test_many_cancellations(count: int, start_real: StartReal) -> None:
    rng = random.Random(count)
    driver = await start_real("stockfish")
    try:
        for _ in range(count):
            fen = rng.choice(FENS)
            task = asyncio.create_task(best(driver, fen, rng.choice((ENDLESS, Limit(depth=6)))))
            for _ in range(rng.randrange(6)):
                await asyncio.sleep(0)
            await asyncio.sleep(rng.choice((0, rng.random() * 0.004)))
            task.cancel()
            await asyncio.wait([task])
            if not task.cancelled():
                assert_legal(fen, task.result())
        fen = FENS[3]
        assert_legal(fen, await best(driver, fen, Limit(depth=4)))
        assert driver._link.session.strays == 0
    finally:
        await driver.close()


@pytest.mark.engine("stockfish")
@pytest.mark.parametrize("count", [200, pytest.param(1000, marks=pytest.mark.nightly)])
async def test_many_searches_stopped_at_random(count: int, start_real: StartReal) -> None:
    rng = random.Random(count + 1)
    driver = await start_real("stockfish")
    try:
        for _ in range(count):
            fen = rng.choice(FENS)
            running = await driver.begin(f"position fen {fen}", work_for(driver, ENDLESS, fen.split()[1]))
            await asyncio.sleep(rng.choice((0, rng.random() * 0.006)))
            driver.stop_search("enough")
            assert_legal(fen, (await driver.result(running)).best)
    finally:
        await driver.close()


@pytest.mark.parametrize("name", ENGINES)
async def test_two_tasks_share_an_engine(name: str, start_real: StartReal) -> None:
    driver = await start_real(name)

    async def ask(fens: list[str]) -> None:
        for fen in fens:
            assert_legal(fen, await best(driver, fen, Limit(depth=3)))

    try:
        await asyncio.gather(ask(FENS), ask(FENS[::-1]), ask(FENS[2:] + FENS[:2]))
    finally:
        await driver.close()


@pytest.mark.parametrize("name", ENGINES)
async def test_closed_in_the_middle_of_a_search(name: str, start_real: StartReal) -> None:
    driver = await start_real(name)
    running = await driver.begin(f"position fen {FENS[3]}", work_for(driver, ENDLESS))
    await asyncio.sleep(0.02)
    async with asyncio.timeout(8):
        await driver.close()
    assert running.done.exception() is driver.failure
    assert driver._link.process.exit_status() is not None
    await driver.close()


@pytest.mark.parametrize("name", ENGINES)
async def test_killed_in_the_middle_of_a_search(name: str, start_real: StartReal) -> None:
    driver = await start_real(name)
    try:
        running = await driver.begin(f"position fen {FENS[3]}", work_for(driver, ENDLESS))
        await asyncio.sleep(0.02)
        os.kill(driver.pid, signal.SIGKILL)
        with pytest.raises(EngineDied) as caught:
            await driver.result(running)
        assert caught.value.signal == signal.SIGKILL
    finally:
        await driver.close()


@pytest.mark.engine("stockfish")
async def test_a_stream_of_a_real_engine(start_real: StartReal) -> None:
    driver = await start_real("stockfish")
    try:
        running = await driver.begin(
            f"position fen {FENS[0]}", work_for(driver, Limit(depth=12)), streamed=True
        )
        depths: list[int] = []
        while not running.done.done():
            await running.news.wait()
            running.news.clear()
            depths += [info.depth for info in driver.reports(running) if info.depth and info.pv]
        search = await driver.result(running)
        assert depths == sorted(depths)
        assert depths[-1] == search.lines()[0].depth == 12
        assert search.dropped == 0
    finally:
        await driver.close()


@pytest.mark.engine("fairy-stockfish")
@pytest.mark.parametrize(("name", "base"), [("fairy-xiangqi", 0), ("fairy-xiangqi-uci", 1)])
async def test_xiangqi_in_both_protocols(name: str, base: int, start_real: StartReal) -> None:
    driver = await start_real(name, "xiangqi")
    fen = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1"
    try:
        for limit in (Limit(depth=4), Limit(nodes=1000), Limit(seconds=0.03), Limit(wtime=500, btime=500)):
            move = await best(driver, fen, limit)
            assert move is not None
            legal = pyffish.legal_moves("xiangqi", fen, [])
            # pyffish counts ranks from 1
            assert _rebased(move, 1 - base) in legal
    finally:
        await driver.close()


def _rebased(move: str, by: int) -> str:
    words = ""
    number = ""
    for sign in [*move, "!"]:
        if sign.isdigit():
            number += sign
            continue
        if number:
            words += str(int(number) + by)
            number = ""
        words += sign
    return words.rstrip("!")
