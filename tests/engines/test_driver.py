"""One engine, many callers: turns, cancellations, answers that belong to their questions, many ends."""

from __future__ import annotations

import asyncio
import random
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import chess
import pytest

from engines.discovery import profile_named
from engines.driver import EngineDriver
from engines.errors import EngineDied, EngineError, OptionError
from engines.protocol import Event, SearchFinished, State
from engines.search import GoCommand
from engines.transport import EngineProcess

pytestmark = pytest.mark.usefixtures("no_leaks_async")

Start = Callable[..., Awaitable[EngineDriver]]
POSITION = "position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
DEPTH = GoCommand(go="go depth 3")
ENDLESS = GoCommand(go="go infinite", open_ended=True, unbounded=True)


async def best(driver: EngineDriver, position: str = POSITION, work: GoCommand = DEPTH) -> str | None:
    return (await driver.result(await driver.submit(position, work))).best


@pytest.fixture
def book(tmp_path: Path) -> tuple[list[tuple[str, str]], str]:
    """Positions each with a best move of its own, and the file that tells the scripted engine."""
    squares = [chess.square_name(square) for square in chess.SQUARES]
    pairs = [
        (f"position fen test {number}", squares[number % 64] + squares[(number + 7) % 64])
        for number in range(64)
    ]
    path = tmp_path / "moves.txt"
    path.write_text("".join(f"{move} {text.removeprefix('position ')}\n" for text, move in pairs))
    return pairs, str(path)


EARLY = """
import sys
print("id name Early\\nuciok", flush=True)
for line in sys.stdin:
    if line == "isready\\n":
        print("readyok", flush=True)
    if line == "quit\\n":
        break
"""


async def test_a_greeting_before_it_is_asked_for_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """The engine prints `uciok` at once, ignores `uci`, and is heard before we send that."""
    start = EngineProcess.start

    async def heard_first(process: EngineProcess) -> None:
        await start(process)
        await asyncio.sleep(0.5)

    monkeypatch.setattr(EngineProcess, "start", heard_first)
    driver = await EngineDriver.open(profile_named("generic-uci"), (sys.executable, "-c", EARLY))
    try:
        assert driver.name == "Early"
        await driver.ping()
    finally:
        await driver.close()


async def test_open_tells_what_it_found(start: Start) -> None:
    driver = await start("--name", "Somebody 2.0")
    try:
        assert (driver.name, driver.author) == ("Somebody 2.0", "nobody")
        assert "MultiPV" in driver.options
        assert driver.pid > 0
        assert driver.failure is None
        assert driver.notes == []
        assert driver.dialect.name == "uci"
    finally:
        await driver.close()


async def test_options_are_set_where_they_differ(start: Start) -> None:
    driver = await start("--strict")
    try:
        await driver.configure({"hash": 64, "Clear Hash": None})
        assert driver.values == {"Hash": "64", "Clear Hash": ""}

        async def sent(**options: int) -> list[str]:
            await driver.result(await driver.submit(POSITION, DEPTH, options=options))
            tail = driver.error_context()["transcript_tail"]
            last = max(at for at, line in enumerate(tail) if line == "> isready")
            before = max((at for at, line in enumerate(tail[:last]) if line.startswith("<")), default=-1)
            return list(tail[before + 1 : last])

        assert await sent(Hash=64, MultiPV=1) == []
        assert await sent(Hash=32, MultiPV=2) == [
            "> setoption name Hash value 32",
            "> setoption name MultiPV value 2",
        ]
        assert await sent(Hash=32, MultiPV=2) == []
    finally:
        await driver.close()


async def test_a_new_game_is_told_once_asked(start: Start) -> None:
    driver = await start("--strict")
    try:
        await driver.result(await driver.submit(POSITION, DEPTH, new_game=True))
        await driver.result(await driver.submit(POSITION, DEPTH))
        assert driver.error_context()["transcript_tail"].count("> ucinewgame") == 1
    finally:
        await driver.close()


async def test_a_stream_gives_each_report_once(start: Start) -> None:
    driver = await start("--strict")
    try:
        running = await driver.submit(POSITION, DEPTH, streamed=True)
        depths = []
        while not running.done.done():
            await running.news.wait()
            running.news.clear()
            depths += [info.depth for info in driver.reports(running)]
        assert depths == [1, 2, 3]
        assert driver.reports(running) == []
    finally:
        await driver.close()


async def test_tasks_take_turns(start: Start, book: tuple[list[tuple[str, str]], str]) -> None:
    pairs, path = book
    driver = await start("--strict", "--moves", path, "--think", "0.002")
    try:
        answers = await asyncio.gather(*(best(driver, text) for text, _ in pairs))
        assert answers == [move for _, move in pairs]
    finally:
        await driver.close()


async def test_a_task_that_holds_the_engine_is_told_so(start: Start) -> None:
    driver = await start("--strict")
    try:
        running = await driver.submit(POSITION, ENDLESS)
        with pytest.raises(EngineError, match="busy with a search this task has under way"):
            await driver.submit(POSITION, DEPTH)
        other = asyncio.create_task(best(driver))
        await asyncio.sleep(0.02)
        assert not other.done()
        driver.leave(running)
        assert await other == "e2e4"
        assert await best(driver) == "e2e4"
    finally:
        await driver.close()


async def test_what_was_given_up_answers_nothing_later(
    start: Start, book: tuple[list[tuple[str, str]], str]
) -> None:
    pairs, path = book
    driver = await start("--strict", "--moves", path, "--slow-stop", "0.05", "--bestmove-again")
    try:
        for number in range(6):
            running = await driver.submit(pairs[number][0], ENDLESS)
            task = asyncio.create_task(driver.result(running))
            await asyncio.sleep(0.01)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert await best(driver, pairs[number + 10][0]) == pairs[number + 10][1]
    finally:
        await driver.close()


@pytest.mark.parametrize("count", [100, pytest.param(2000, marks=pytest.mark.nightly)])
async def test_cancelled_anywhere_the_next_answer_is_right(
    count: int, start: Start, book: tuple[list[tuple[str, str]], str]
) -> None:
    pairs, path = book
    rng = random.Random(count)
    driver = await start("--strict", "--moves", path, "--think", "0.004")
    try:
        for _ in range(count):
            text, move = rng.choice(pairs)
            task = asyncio.create_task(best(driver, text, rng.choice((DEPTH, ENDLESS))))
            for _ in range(rng.randrange(6)):
                await asyncio.sleep(0)
            await asyncio.sleep(rng.choice((0, rng.random() * 0.01)))
            task.cancel()
            await asyncio.wait([task])
            assert task.cancelled() or task.result() == move
            if rng.random() < 0.3:
                await driver.ping()
            text, move = rng.choice(pairs)
            assert await best(driver, text) == move
    finally:
        await driver.close()
    assert driver.protocol.unexpected_replies == 0


class Interrupt(Exception):
    """What may be raised anywhere, as Ctrl-C is in a loop that `asyncio.run` does not watch over."""


async def test_a_cancelled_ping_spoils_nothing(start: Start, book: tuple[list[tuple[str, str]], str]) -> None:
    pairs, path = book
    driver = await start("--strict", "--moves", path, "--unasked-bestmove", "isready", "--slow-ready", "0.03")
    try:
        for text, move in pairs[:8]:
            task = asyncio.create_task(driver.ping())
            await asyncio.sleep(0)
            task.cancel()
            assert await best(driver, text) == move
    finally:
        await driver.close()


async def test_waiting_for_a_turn_can_be_cancelled(start: Start) -> None:
    driver = await start("--strict")
    try:
        running = await driver.submit(POSITION, ENDLESS)
        waiting = [asyncio.create_task(best(driver)) for _ in range(3)]
        await asyncio.sleep(0)
        waiting[1].cancel()
        driver.stop_search("enough")
        assert (await driver.result(running)).best == "e2e4"
        assert await waiting[0] == "e2e4"
        assert await waiting[2] == "e2e4"
        assert waiting[1].cancelled()
    finally:
        await driver.close()


async def test_closing_ends_what_runs_and_what_waits(start: Start) -> None:
    driver = await start("--strict")
    running = await driver.submit(POSITION, ENDLESS)
    tasks = [
        asyncio.create_task(driver.result(running)),
        *(asyncio.create_task(best(driver)) for _ in range(3)),
    ]
    tasks.append(asyncio.create_task(driver.ping()))
    await asyncio.sleep(0.01)
    await driver.close()
    for outcome in await asyncio.gather(*tasks, return_exceptions=True):
        assert isinstance(outcome, EngineError)
        assert "was closed" in str(outcome)


async def test_closing_twice_and_at_once(start: Start) -> None:
    driver = await start()
    await asyncio.gather(driver.close(), driver.close(), driver.close())
    await driver.close()
    for call in (
        driver.ping(),
        best(driver),
        driver.configure({"Hash": 1}),
        driver.ask("d", seconds=1),
    ):
        with pytest.raises(EngineError, match="was closed"):
            await call
    driver.stop_search("nobody is there")


async def test_closing_an_engine_that_has_died(start: Start) -> None:
    driver = await start("--die-after", "go")
    with pytest.raises(EngineDied):
        await best(driver)
    await driver.close()
    with pytest.raises(EngineDied):
        await driver.ping()


async def test_closing_while_an_end_is_looked_into(start: Start) -> None:
    # an engine that closed its output is granted a second to end by itself; closing does not wait for that
    driver = await start("--close-output-after", "go")
    running = await driver.submit(POSITION, DEPTH)
    async with asyncio.timeout(10):
        while driver.protocol.state is not State.ENDED:  # noqa: ASYNC110 - nothing tells of it
            await asyncio.sleep(0.001)
    await asyncio.sleep(0.3)
    await driver.close()
    assert isinstance(running.done.exception(), EngineError)
    assert len(asyncio.all_tasks()) == 1


async def test_a_cancelled_close_can_be_repeated(start: Start) -> None:
    driver = await start("--stubborn")
    task = asyncio.create_task(driver.close())
    await asyncio.sleep(0.02)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await driver.close()
    assert driver.process.exit_status is not None


async def test_a_raw_line_gathers_its_answer(start: Start) -> None:
    driver = await start()
    try:
        said = await driver.ask("go depth 1", seconds=10)
        assert said[-1] == "bestmove e2e4"
        assert sum(line.startswith("info ") for line in said) == 3
        again = await driver.ask("go depth 1", seconds=10)
        assert again == said, "what an earlier line printed is no answer to this one"
        assert await driver.ask("unknown", seconds=10) == ()
        assert await best(driver) == "e2e4"
    finally:
        await driver.close()


async def test_ucci_end_to_end(start: Start) -> None:
    driver = await start("--bestmove", "h2e2", "--ponder", "h9g7", "--strict", protocol="ucci")
    try:
        await driver.configure({"hashsize": 32})
        with pytest.raises(OptionError):
            await driver.configure({"Hash": 32})
        work = GoCommand(go="go depth 3", before=("banmoves a0a1 a0a2",))
        search = await driver.result(await driver.submit("position fen x", work))
        assert (search.best, search.ponder) == ("h2e2", "h9g7")
        assert search.lines()[0].depth == 3
    finally:
        await driver.close()


async def test_an_interrupted_end_is_noticed_all_the_same(start: Start) -> None:
    driver = await start("--think", "0.1", stop=0.4)
    loop, raised = asyncio.get_running_loop(), []
    loop.set_exception_handler(lambda _, context: raised.append(type(context["exception"])))
    on_event = driver.queue.on_event

    def interrupted(event: Event) -> None:
        if isinstance(event, SearchFinished):
            driver.queue.on_event = on_event  # type: ignore[method-assign]
            raise Interrupt
        on_event(event)

    try:
        driver.queue.on_event = interrupted  # type: ignore[method-assign]
        async with asyncio.timeout(10):
            assert await best(driver) == "e2e4"
            assert raised == [Interrupt]
            assert await best(driver) == "e2e4"
        assert driver.failure is None
    finally:
        loop.set_exception_handler(None)
        await driver.close()


async def test_the_next_search_is_written_when_the_best_move_is_read(start: Start) -> None:
    driver = await start("--strict")
    try:
        first = await driver.submit(POSITION, ENDLESS)
        second = driver.submit_nowait(POSITION, DEPTH, options={"Hash": 32})
        third = driver.submit_nowait(POSITION, DEPTH)
        assert second is not None
        assert third is not None
        assert (second.started_at, third.started_at) == (None, None)
        driver.stop_search("enough")
        await first.wait()
        assert second.started_at is not None
        assert third.started_at is None
        assert (await driver.result(third)).best == "e2e4"
        assert driver.values["Hash"] == "32"
    finally:
        await driver.close()


async def test_giving_up_one_search_touches_no_other(start: Start) -> None:
    driver = await start("--strict")
    try:
        first = await driver.submit(POSITION, ENDLESS)
        others = [driver.submit_nowait(POSITION, DEPTH) for _ in range(4)]
        second, third, fourth, fifth = (task for task in others if task is not None)
        assert driver.withdraw(third)
        assert not driver.withdraw(third)
        driver.leave(fourth)
        waiting = asyncio.create_task(driver.result(second))
        await asyncio.sleep(0)
        waiting.cancel()
        driver.leave(first)
        assert (await driver.result(fifth)).best == "e2e4"
        assert not driver.withdraw(fifth)
        assert first.finished
        for lost, why in ((second, "was left before"), (third, "was not asked"), (fourth, "was left before")):
            with pytest.raises(EngineError, match=why):
                await driver.result(lost)
        assert driver.failure is None
    finally:
        await driver.close()


async def test_only_behind_its_own_search_a_task_queues_without_waiting(start: Start) -> None:
    driver = await start("--strict")
    try:
        assert driver.submit_nowait(POSITION, DEPTH) is None
        running = await driver.submit(POSITION, ENDLESS)

        async def behind() -> object:
            return driver.submit_nowait(POSITION, DEPTH)

        assert await asyncio.create_task(behind()) is None
        driver.leave(running)
        assert driver.submit_nowait(POSITION, DEPTH) is None
        await driver.result(running)
    finally:
        await driver.close()
