"""Searches lined up behind one another: each gets its own answer, whatever the engine does or who leaves."""

from __future__ import annotations

import asyncio
import contextlib
import random
import select
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import chess
import pytest

from engines.batch import batch
from engines.driver import EngineDriver
from engines.errors import EngineDied, EngineError
from engines.protocol import State
from engines.search import GoCommand
from engines.search_queue import SearchTask

pytestmark = pytest.mark.usefixtures("no_leaks_async", "either_listens")

DEPTH = GoCommand(go="go depth 3")
ENDLESS = GoCommand(go="go infinite", open_ended=True, unbounded=True)
PATIENCE = 20.0

Start = Callable[..., Awaitable[EngineDriver]]
Pairs = list[tuple[str, str]]


@pytest.fixture
def pairs() -> Pairs:
    """Positions, each with a best move of its own as far as there are enough."""
    rng, found = random.Random(3), []
    board = chess.Board()
    while len(found) < 120:
        if board.is_game_over() or board.ply() > 60:
            board = chess.Board()
        board.push(rng.choice(list(board.legal_moves)))
        if any(board.legal_moves):
            found.append((f"position fen {board.fen()}", rng.choice(list(board.legal_moves)).uci()))
    return found


@pytest.fixture
def book(pairs: Pairs, tmp_path: Path) -> str:
    """The same as the scripted engine reads it."""
    path = tmp_path / "moves"
    path.write_text("".join(f"{move} {text.removeprefix('position ')}\n" for text, move in pairs))
    return str(path)


async def bests(driver: EngineDriver, pairs: Pairs, **wishes: Any) -> list[str | None]:
    return [search.best async for search in batch(driver, [(text, DEPTH) for text, _ in pairs], **wishes)]


def sent(driver: EngineDriver) -> list[str]:
    return [line[2:] for line in driver._link.session.tail if line.startswith("> position")]


@pytest.mark.parametrize("ahead", [1, 2, 3, 64, 1000])
async def test_each_gets_its_own_answer_in_order(ahead: int, start: Start, pairs: Pairs, book: str) -> None:
    driver = await start("--strict", "--moves", book)
    try:
        async with asyncio.timeout(PATIENCE):
            assert await bests(driver, pairs, ahead=ahead) == [move for _, move in pairs]
            assert await bests(driver, []) == []
    finally:
        await driver.close()


FAULTS = {
    "two best moves": ("--bestmove-again",),
    "a best move nobody asked for, before the fence": ("--unasked-bestmove", "isready"),
    "a late end": ("--late", "0.01"),
    "bytes one by one": ("--one-byte",),
    "CR LF": ("--crlf",),
    "blanks all around": ("--blanks",),
    "blanks all around, slowly": ("--blanks", "--think", "0.01"),
    "garbage between the lines": ("--garbage",),
    "no reports": ("--no-infos",),
    "all of them": ("--bestmove-again", "--one-byte", "--crlf", "--blanks", "--unasked-bestmove", "isready"),
}


@pytest.mark.parametrize("flags", FAULTS.values(), ids=FAULTS)
async def test_no_fault_lets_an_answer_go_to_another_search(
    flags: Sequence[str], start: Start, pairs: Pairs, book: str
) -> None:
    driver = await start("--strict", "--moves", book, *flags)
    try:
        async with asyncio.timeout(PATIENCE):
            few = pairs[:40]
            assert await bests(driver, few) == [move for _, move in few]
    finally:
        await driver.close()


async def test_without_polling_each_gets_its_own_answer_too(
    start: Start, pairs: Pairs, book: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where pipes cannot be polled nobody can tell that an engine has gone quiet."""
    monkeypatch.delattr(select, "poll")
    driver = await start("--strict", "--moves", book, "--think", "0.01")
    try:
        async with asyncio.timeout(PATIENCE):
            assert await bests(driver, pairs[:20]) == [move for _, move in pairs[:20]]
    finally:
        await driver.close()


async def test_an_end_is_told_while_the_next_search_goes_on(start: Start, pairs: Pairs, book: str) -> None:
    driver = await start("--strict", "--moves", book, "--think", "0.4")
    try:
        async with asyncio.timeout(PATIENCE), contextlib.aclosing(line(driver, pairs[:4])) as found:
            first = await anext(found)
            now = driver._link.session.search
            assert first.best == pairs[0][1]
            assert now is not None
            assert now is not first
            assert not now.finished
            assert len(sent(driver)) == 2
    finally:
        await driver.close()


def line(driver: EngineDriver, pairs: Pairs, plan: GoCommand = DEPTH) -> Any:
    return batch(driver, [(text, plan) for text, _ in pairs])


async def test_who_leaves_leaves_what_is_lined_up(start: Start, pairs: Pairs, book: str) -> None:
    driver = await start("--strict", "--moves", book, "--think", "0.05")
    try:
        async with asyncio.timeout(PATIENCE):
            async with contextlib.aclosing(line(driver, pairs[:30])) as found:
                await anext(found)
            answer = await driver.result(await driver.begin(pairs[50][0], DEPTH))
            assert answer.best == pairs[50][1]
            assert len(sent(driver)) <= 4, "what was lined up was sent all the same"
    finally:
        await driver.close()


@pytest.mark.parametrize("count", [40, pytest.param(1000, marks=pytest.mark.nightly)])
async def test_left_anywhere_the_next_answer_is_right(
    count: int, start: Start, pairs: Pairs, book: str
) -> None:
    rng = random.Random(count)
    driver = await start("--strict", "--moves", book, "--think", "0.002", "--bestmove-again")

    async def some(chosen: Pairs) -> list[str | None]:
        return await bests(driver, chosen, ahead=rng.randint(1, 8))

    try:
        for _ in range(count):
            chosen = rng.sample(pairs, rng.randint(1, 12))
            task = asyncio.create_task(some(chosen))
            await asyncio.sleep(rng.random() * 0.03)
            task.cancel()
            await asyncio.wait([task])
            assert task.cancelled() or task.result() == [move for _, move in chosen]
            text, move = rng.choice(pairs)
            async with asyncio.timeout(PATIENCE):
                assert (await driver.result(await driver.begin(text, DEPTH))).best == move
    finally:
        await driver.close()


async def test_what_was_answered_before_a_death_is_had(start: Start, pairs: Pairs, book: str) -> None:
    driver = await start("--moves", book, "--die-on", pairs[7][0].removeprefix("position fen "))
    found: list[str | None] = []

    async def gather() -> None:
        async with asyncio.timeout(PATIENCE):
            async for search in line(driver, pairs[:20]):
                found.append(search.best)

    try:
        with pytest.raises(EngineDied):
            await gather()
        assert found == [move for _, move in pairs[:7]]
        assert driver._link.process.exit_status() is not None
    finally:
        await driver.close()


async def test_those_who_wait_have_their_turn_between(start: Start, pairs: Pairs, book: str) -> None:
    driver = await start("--strict", "--moves", book, "--think", "0.01")
    order: list[str] = []

    async def many() -> None:
        async for search in batch(driver, [(text, DEPTH) for text, _ in pairs[:40]], ahead=4):
            order.append(str(search.best))

    async def one() -> None:
        await asyncio.sleep(0.05)
        search = await driver.result(await driver.begin(pairs[60][0], DEPTH))
        assert search.best == pairs[60][1]
        order.append("between")

    try:
        async with asyncio.timeout(PATIENCE):
            await asyncio.gather(many(), one())
        assert order.index("between") < 30
        assert [move for move in order if move != "between"] == [move for _, move in pairs[:40]]
    finally:
        await driver.close()


async def test_each_has_its_own_time(start: Start, pairs: Pairs) -> None:
    driver = await start("--strict", "--endless")
    try:
        async with asyncio.timeout(PATIENCE):
            found = [search async for search in batch(driver, [(pairs[0][0], DEPTH)] * 3, timeout=0.1)]
        assert [search.stopped_for for search in found] == ["timeout"] * 3
    finally:
        await driver.close()


async def test_one_follows_only_what_its_own_task_has_under_way(start: Start, pairs: Pairs) -> None:
    driver = await start("--strict")

    async def follow(**wishes: Any) -> SearchTask | None:
        return driver.follow(pairs[1][0], DEPTH, **wishes)

    try:
        assert await follow() is None, "nothing is under way"
        running = await driver.begin(pairs[0][0], ENDLESS)
        assert await asyncio.create_task(follow()) is None, "another's search is under way"
        assert await follow(options={"Threads": 2}) is None, "an option is to be set first"
        waiting = asyncio.create_task(driver.ping())
        await asyncio.sleep(0)
        assert await follow() is None, "somebody waits for a turn"
        waiting.cancel()
        await asyncio.wait([waiting])
        following = await follow(options={"Threads": 1})
        assert following is not None
        assert driver._link.session.state in (State.FENCED, State.SEARCHING)
        assert len(sent(driver)) == 1
        driver.leave(running)
        assert await follow() is None, "what is under way was left"
        with pytest.raises(EngineError, match="was left before it began"):
            await driver.result(following)
        assert (await driver.result(running)).stopped_for == "left"
    finally:
        await driver.close()


async def test_the_last_of_the_line_can_be_withdrawn(start: Start, pairs: Pairs, book: str) -> None:
    driver = await start("--strict", "--moves", book, "--think", "0.1")
    try:
        first = await driver.begin(pairs[0][0], DEPTH)
        second, third = (driver.follow(text, DEPTH) for text, _ in pairs[1:3])
        assert second is not None
        assert third is not None
        assert not driver.withdraw(second), "it is not the last"
        assert driver.withdraw(third)
        assert not driver.withdraw(third)
        with pytest.raises(EngineError, match="was not asked"):
            await driver.result(third)
        async with asyncio.timeout(PATIENCE):
            assert (await driver.result(first)).best == pairs[0][1]
            assert driver._link.session.search is second.search
            assert not driver.withdraw(second), "it was sent"
            assert (await driver.result(second)).best == pairs[1][1]
            assert (await driver.result(await driver.begin(pairs[9][0], DEPTH))).best == pairs[9][1]
        assert len(sent(driver)) == 3
    finally:
        await driver.close()


async def test_a_closed_engine_ends_all_that_is_lined_up(start: Start, pairs: Pairs) -> None:
    driver = await start("--strict")
    await driver.begin(pairs[0][0], ENDLESS)
    following = driver.follow(pairs[1][0], DEPTH)
    assert following is not None
    await driver.close()
    with pytest.raises(EngineError, match="was closed"):
        await driver.result(following)
