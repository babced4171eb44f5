"""Searches watched while they run: left, cancelled or failing anywhere, the engine answers the next one."""

from __future__ import annotations

import asyncio
import gc
import itertools
import math
import os
import random
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import chess
import pytest

from adapter import (
    Analysis,
    EngineDied,
    EngineError,
    EngineTimeout,
    IllegalEngineMove,
    Limit,
    LimitError,
    Line,
    Position,
    open_engine,
)
from adapter.engine import Engine, opened
from adapter.stream import HANDFUL
from engines.discovery import ResolvedEngine
from engines.search import MAX_BACKLOG

pytestmark = pytest.mark.usefixtures("no_leaks_async")

Scripted = Callable[..., ResolvedEngine]
DEPTH = Limit(depth=3)
ENDLESS = Limit(infinite=True)
SLOW = 20.0  # seconds; nothing here comes near on any machine
STOPS_IN = 0.1  # seconds, the goal; ten times that is allowed
START = Position.parse("startpos")


def sent(transcript: Path) -> list[str]:
    lines = [line.split(" ", 2) for line in transcript.read_text(encoding="utf-8").splitlines()]
    return [line[2] for line in lines if line[1] == ">"]


async def still_answers(engine: Engine, position: Position = START) -> Analysis:
    """The engine is asked about a position and answers that one, in time."""
    analysis = await asyncio.wait_for(engine.analyze(position, Limit(depth=2)), SLOW)
    assert analysis.position == position
    assert analysis.best is not None
    assert analysis.best.move in position.legal_moves
    assert analysis.best.fen == position.play(analysis.best.move).fen
    return analysis


def well_formed(line: Line, position: Position) -> None:
    """A line's moves replayed by python-chess, its numbers of the right kind."""
    board = position.board()
    for move, san in zip(line.pv, line.pv_san, strict=True):
        assert board.san(chess.Move.from_uci(move)) == san
        board.push_uci(move)
    assert line.pv_fen == board.fen()
    assert line.pv or line.score is not None or line.bound is not None
    for number in (line.depth, line.seldepth, line.nodes, line.nps, line.time_ms, line.hashfull):
        assert number is None or number >= 0


ENGINES = [
    pytest.param(name, marks=pytest.mark.engine(name))
    for name in ("stockfish", "fairy-stockfish", "gnuchess", "toga2", "glaurung", "builtin")
]


@pytest.mark.parametrize("name", ENGINES)
async def test_leaving_sends_stop_and_the_engine_is_free(
    name: str, tmp_path: Path, engine_path: Callable[[str], str]
) -> None:
    engine_path(name)
    record = tmp_path / "talk.txt"
    position = Position.parse("startpos moves e2e4 e7e5 g1f3 b8c6 f1c4")
    seen: list[Line] = []
    async with open_engine(name, transcript=record) as engine:
        async with engine.stream(position, ENDLESS) as stream:
            assert stream.analysis is None
            async for line in stream:
                seen.append(line)
                if line.depth is not None and line.depth >= 4:
                    break
            left = time.monotonic()
        assert time.monotonic() - left < 10 * STOPS_IN
        analysis = stream.analysis
        assert analysis is not None
        assert analysis.complete
        assert analysis.notes == ()
        assert analysis.best is not None
        assert analysis.best.move in position.legal_moves
        for line in (*seen, *analysis.lines):
            well_formed(line, position)
        assert all(line.score is None or line.bound is None for line in seen)
        assert await stream.stop() == analysis
        await still_answers(engine)
    words = [line.split()[0] for line in sent(record)]
    assert words.count("stop") == 1
    assert words.index("stop") > words.index("go")


@pytest.mark.parametrize("name", ENGINES)
async def test_a_search_that_ends_by_itself_ends_the_stream(
    name: str, tmp_path: Path, engine_path: Callable[[str], str]
) -> None:
    engine_path(name)
    record = tmp_path / "talk.txt"
    async with open_engine(name, transcript=record) as engine:
        async with engine.stream("startpos", DEPTH) as stream:
            lines = [line async for line in stream]
            assert stream.analysis is not None
        for line in lines:
            well_formed(line, START)
        analysis = stream.analysis
        assert analysis.complete
        assert analysis.best is not None
        last = next(line for line in reversed(lines) if line.multipv == 1 and line.pv and line.score)
        assert (last.depth, last.score) == (analysis.lines[0].depth, analysis.lines[0].score)
    assert "stop" not in sent(record)


@pytest.mark.engine("stockfish")
async def test_it_streams_while_the_engine_plays_on_its_clock(engine_path: Callable[[str], str]) -> None:
    engine_path("stockfish")
    async with open_engine("stockfish") as engine:
        board = chess.Board()
        clock = {chess.WHITE: 800, chess.BLACK: 800}
        for _ in range(4):
            limit = Limit(wtime=clock[chess.WHITE], btime=clock[chess.BLACK], winc=10, binc=10, movestogo=20)
            start = time.monotonic()
            early = 0
            async with engine.stream(Position.from_board(board), limit) as stream:
                async for line in stream:
                    early += stream.analysis is None
                    well_formed(line, Position.from_board(board))
            assert early > 2
            clock[board.turn] += 10 - int(1000 * (time.monotonic() - start))
            assert clock[board.turn] > 0
            assert stream.analysis is not None
            assert stream.analysis.complete
            assert stream.analysis.best is not None
            board.push_uci(stream.analysis.best.move)


@pytest.mark.engine("stockfish")
async def test_several_lines_are_streamed_by_rank(engine_path: Callable[[str], str]) -> None:
    engine_path("stockfish")
    limit = Limit(depth=6)
    async with (
        open_engine("stockfish") as engine,
        engine.stream("startpos", limit, multipv=3, notation="uci") as stream,
    ):
        lines = [line async for line in stream]
    assert {line.multipv for line in lines} == {1, 2, 3}
    assert all(line.pv_san == line.pv for line in lines)


# --- readers that are slow, or stop reading --------------------------------------------------------------


async def test_a_slow_reader_misses_the_oldest_and_costs_no_memory(scripted: Scripted) -> None:
    """The engine prints as fast as it can, megabytes in a second."""
    async with opened(scripted("--flood-after", "go")) as engine:
        async with engine.stream("startpos", ENDLESS) as stream:
            first = await anext(stream)
            assert stream._pursuit is not None
            search = stream._pursuit.running.search
            async with asyncio.timeout(SLOW):
                while search.dropped < 5000:  # noqa: ASYNC110 - a slow reader sleeps
                    await asyncio.sleep(0.05)
            assert search.backlog is not None
            assert sum(map(len, tuple(search.backlog))) <= MAX_BACKLOG + 1000
            for _ in range(HANDFUL):
                await anext(stream)
            later = await anext(stream)
        analysis = stream.analysis
        assert analysis is not None
        assert first.nodes is not None
        assert later.nodes is not None
        assert later.nodes > first.nodes + 1000
        [note] = analysis.notes
        dropped, _, rest = note.partition(" ")
        assert rest == "reports were dropped, the reader was too slow for them"
        assert int(dropped) >= 5000
        # what was dropped is missing from the stream alone, never from the result
        assert analysis.lines[0].nodes is not None
        assert analysis.lines[0].nodes > later.nodes
        assert analysis.best is not None
        await still_answers(engine)


async def test_a_reader_of_a_flood_does_not_hold_up_the_loop(scripted: Scripted) -> None:
    """Its lines never end, and yet timers fire: the search is stopped by its timeout."""
    turns = 0

    async def turn() -> None:
        nonlocal turns
        while True:
            await asyncio.sleep(0.01)
            turns += 1

    async with opened(scripted("--flood-after", "go", stop=10)) as engine:
        ticker = asyncio.create_task(turn())
        async with asyncio.timeout(SLOW), engine.stream("startpos", ENDLESS, timeout=0.5) as stream:
            seen = [line.nodes async for line in stream]
        ticker.cancel()
    assert stream.analysis is not None
    assert "the search was stopped by its timeout" in stream.analysis.notes
    assert len(seen) > 100
    assert turns > 5


@pytest.mark.parametrize("lines", [0, 1, 2, 3])
async def test_a_reader_may_stop_after_any_line(scripted: Scripted, lines: int) -> None:
    async with opened(scripted()) as engine:
        async with engine.stream("startpos", ENDLESS) as stream:
            seen = [line.depth async for line in _first(stream, lines)]
        assert seen == [1, 2, 3][:lines]
        assert stream.analysis is not None
        assert [line.depth for line in stream.analysis.lines] == [3]
        await still_answers(engine)


async def _first(stream: object, count: int) -> object:
    if count:
        counter = itertools.count(1)
        async for line in stream:  # type: ignore[attr-defined]
            yield line
            if next(counter) == count:
                return


async def test_stop_in_the_block_gives_the_answer(scripted: Scripted, tmp_path: Path) -> None:
    record = tmp_path / "talk.txt"
    async with opened(scripted(), transcript=record) as engine:
        async with engine.stream("startpos", ENDLESS) as stream:
            analysis = await stream.stop()
            assert analysis.best is not None
            assert analysis.complete
            assert stream.analysis == analysis
            assert await stream.stop() == analysis
        await still_answers(engine)
    assert sent(record).count("stop") == 1


async def test_a_stream_that_was_never_entered_has_no_answer(scripted: Scripted, tmp_path: Path) -> None:
    record = tmp_path / "talk.txt"
    async with opened(scripted(), transcript=record) as engine:
        stream = engine.stream("startpos", ENDLESS)
        with pytest.raises(EngineError, match="enter the stream"):
            [line async for line in stream]
        with pytest.raises(EngineError, match="never entered"):
            await stream.stop()
        await still_answers(engine)
    assert [line.split()[0] for line in sent(record)].count("go") == 1


async def test_a_stream_is_entered_once(scripted: Scripted) -> None:
    async with opened(scripted()) as engine:
        stream = engine.stream("startpos", ENDLESS)
        async with stream:
            pass
        with pytest.raises(EngineError, match="entered once"):
            await stream.__aenter__()
        await still_answers(engine)


async def test_a_turn_is_waited_for_as_long_as_the_timeout_says(scripted: Scripted) -> None:
    async with opened(scripted()) as engine, engine.stream("startpos", ENDLESS):
        other = asyncio.create_task(engine.analyze("startpos", ENDLESS, timeout=0.2))
        async with asyncio.timeout(10):
            with pytest.raises(EngineTimeout, match="busy with another search"):
                await other


@pytest.mark.parametrize("seconds", [0, -1, math.nan, math.inf])
async def test_a_timeout_is_a_time(scripted: Scripted, seconds: float) -> None:
    async with opened(scripted()) as engine:
        with pytest.raises(LimitError, match="timeout"):
            await engine.analyze("startpos", Limit(depth=1), timeout=seconds)


async def test_another_task_may_stop_a_stream(scripted: Scripted) -> None:
    async with opened(scripted()) as engine, engine.stream("startpos", ENDLESS) as stream:

        async def read() -> list[int | None]:
            return [line.depth async for line in stream]

        reader = asyncio.create_task(read())
        await asyncio.sleep(0.1)
        assert not reader.done()
        analysis = await stream.stop()
        assert await asyncio.wait_for(reader, SLOW) == [1, 2, 3]
        assert stream.analysis == analysis


async def test_a_timeout_ends_the_stream_and_its_result_is_not_complete(scripted: Scripted) -> None:
    async with opened(scripted()) as engine:
        async with engine.stream("startpos", ENDLESS, timeout=0.2) as stream:
            assert [line.depth async for line in stream] == [1, 2, 3]
        assert stream.analysis is not None
        assert not stream.analysis.complete
        assert stream.analysis.notes == ("the search was stopped by its timeout",)


async def test_a_bounded_search_that_is_left_is_not_complete(scripted: Scripted) -> None:
    async with opened(scripted("--think", "5")) as engine:
        async with engine.stream("startpos", DEPTH) as stream:
            await anext(stream)
        assert stream.analysis is not None
        assert not stream.analysis.complete
        assert stream.analysis.notes == ("the search was left before its end",)
        assert stream.analysis.best is not None


# --- errors in the block ---------------------------------------------------------------------------------


class BlockError(Exception):
    """What a user's own code may raise."""


@pytest.mark.parametrize("kind", [BlockError, EngineError, KeyError, TimeoutError, GeneratorExit])
@pytest.mark.parametrize("after", [0, 2])
async def test_an_error_in_the_block_is_the_one_that_is_seen(
    scripted: Scripted, tmp_path: Path, kind: type[BaseException], after: int
) -> None:
    record = tmp_path / "talk.txt"
    async with opened(scripted(), transcript=record) as engine:
        stream = engine.stream("startpos", ENDLESS)

        async def block() -> None:
            async with stream:
                for _ in range(after):
                    await anext(stream)
                raise kind("mine")

        with pytest.raises(kind, match="mine"):
            await block()
        assert stream.analysis is not None
        assert stream.analysis.best is not None
        await still_answers(engine)
    assert sent(record).count("stop") == 1


async def test_the_users_error_comes_before_the_engines(scripted: Scripted) -> None:
    async with opened(scripted("--illegal-best")) as engine:
        with pytest.raises(BlockError):
            async with engine.stream("startpos", ENDLESS):
                raise BlockError
        with pytest.raises(IllegalEngineMove):
            async with engine.stream("startpos", ENDLESS):
                pass


@pytest.mark.parametrize(
    "fault", ["--die-after info", "--die-after bestmove --illegal-best", "--illegal-best"]
)
async def test_reports_before_a_failure_are_handed_out_before_the_error(
    scripted: Scripted, fault: str
) -> None:
    seen: list[int | None] = []
    async with opened(scripted(*fault.split())) as engine:
        stream = engine.stream("startpos", DEPTH)

        async def read() -> None:
            async with stream:
                async for line in stream:
                    seen.append(line.depth)
                    # read slowly: the engine's end is there before the last report is read
                    await asyncio.sleep(0.05)

        with pytest.raises((EngineDied, IllegalEngineMove)) as caught:
            await read()
        expected = [1] if fault == "--die-after info" else [1, 2, 3]
        assert seen == expected
        assert caught.value.partial.lines[0].depth == expected[-1]
        assert stream.analysis is None


async def test_an_error_that_was_caught_in_the_block_is_not_raised_again(scripted: Scripted) -> None:
    async with opened(scripted("--illegal-best")) as engine:
        async with engine.stream("startpos", DEPTH) as stream:
            with pytest.raises(IllegalEngineMove):
                _ = [line async for line in stream]
            assert [line async for line in stream] == []
        assert stream.analysis is None


@pytest.mark.engine("stockfish")
async def test_an_engine_that_is_killed_under_a_stream(engine_path: Callable[[str], str]) -> None:
    engine_path("stockfish")
    async with open_engine("stockfish") as engine:

        async def watch() -> None:
            async with asyncio.timeout(SLOW), engine.stream("startpos", ENDLESS) as stream:
                async for line in stream:
                    if line.depth == 8:
                        os.kill(engine.driver.pid, signal.SIGKILL)

        with pytest.raises(EngineDied) as caught:
            await watch()
        assert caught.value.signal == signal.SIGKILL
        assert caught.value.partial.lines[0].depth >= 8
        await still_answers(engine)


# --- cancelled at any point ------------------------------------------------------------------------------


async def cancel_after(task: asyncio.Task[None], turns: int, seconds: float) -> None:
    """Cancels once the loop has gone round so often and so much time has passed."""
    for _ in range(turns):
        await asyncio.sleep(0)
    await asyncio.sleep(seconds)
    task.cancel()
    with suppress(asyncio.CancelledError, EngineError):
        await asyncio.wait_for(task, SLOW)


def random_position(rng: random.Random) -> Position:
    board = chess.Board()
    for _ in range(rng.randrange(40)):
        board.push(rng.choice(list(board.legal_moves)))
        if board.is_game_over():
            return START
    return Position.from_board(board)


async def _cancel_at_random(engine: Engine, rng: random.Random, rounds: int) -> None:
    for _ in range(rounds):
        position = random_position(rng)
        limit = rng.choice([ENDLESS, Limit(depth=30), Limit(nodes=400), Limit(seconds=0.02)])

        async def analyze(position: Position = position, limit: Limit = limit) -> None:
            lines = rng.randrange(1, 4) if engine.found.profile.capabilities.multipv else 1
            await engine.analyze(position, limit, multipv=lines, new_game=rng.random() < 0.3)

        async def watch(position: Position = position, limit: Limit = limit) -> None:
            async with engine.stream(position, limit) as stream:
                async for line in stream:
                    well_formed(line, position)
                    if rng.random() < 0.1:
                        await asyncio.sleep(0.001)

        task = asyncio.create_task(rng.choice([analyze, watch])())
        seconds = rng.choice([0.0, 0.0, rng.random() * 0.003, rng.random() * 0.03])
        await cancel_after(task, rng.randrange(12), seconds)
        await still_answers(engine, random_position(rng))


@pytest.mark.engine("stockfish")
async def test_cancelled_at_any_point_the_next_answer_is_right(engine_path: Callable[[str], str]) -> None:
    engine_path("stockfish")
    async with open_engine("stockfish") as engine:
        pid = engine.driver.pid
        await _cancel_at_random(engine, random.Random(60), 60)
        # and it is the same engine still: none of that was an error of its
        assert engine.driver.pid == pid


@pytest.mark.nightly
@pytest.mark.parametrize("name", ENGINES)
@pytest.mark.parametrize("seed", range(5))
async def test_cancelled_many_times(name: str, seed: int, engine_path: Callable[[str], str]) -> None:
    engine_path(name)
    async with open_engine(name) as engine:
        pid = engine.driver.pid
        await _cancel_at_random(engine, random.Random(seed), 200)
        assert engine.driver.pid == pid


async def test_cancelled_twice_in_a_row_while_it_is_being_left(scripted: Scripted) -> None:
    """The first cancellation ends the block, the second its wait for the best move."""
    async with opened(scripted("--slow-stop", "0.2")) as engine:

        async def watch() -> None:
            async with engine.stream("startpos", ENDLESS) as stream:
                async for _ in stream:
                    pass

        for pause in (0.0, 0.01, 0.1, 0.19, 0.21):
            task = asyncio.create_task(watch())
            await asyncio.sleep(0.05)
            task.cancel()
            await asyncio.sleep(pause)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await asyncio.wait_for(task, SLOW)
            await still_answers(engine)


async def test_cancelled_in_stop_it_does_not_wait_again(scripted: Scripted) -> None:
    async with opened(scripted("--slow-stop", "3", stop=10)) as engine:

        async def watch() -> None:
            async with engine.stream("startpos", ENDLESS) as stream:
                await anext(stream)
                await stream.stop()

        task = asyncio.create_task(watch())
        await asyncio.sleep(0.2)
        task.cancel()
        start = time.monotonic()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert time.monotonic() - start < 1
        await still_answers(engine)


async def test_cancelled_while_it_is_opened(scripted: Scripted) -> None:
    rng = random.Random(5)
    for _ in range(8):

        async def use() -> None:
            async with opened(scripted("--slow-start", "0.05")) as engine:
                await engine.analyze("startpos", DEPTH)

        task = asyncio.create_task(use())
        await cancel_after(task, rng.randrange(5), rng.random() * 0.3)


async def test_a_stream_left_to_the_collector_ends_with_its_engine(scripted: Scripted) -> None:
    """Entered by hand and forgotten: no warning, no process, no task behind the block of the engine."""
    async with opened(scripted()) as engine:
        stream = engine.stream("startpos", ENDLESS)
        await stream.__aenter__()
        await anext(stream)
        del stream
        gc.collect()
