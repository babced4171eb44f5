"""Engines that die, are killed, or never start: each call ends as documented, and the next one is served."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from adapter import Analysis, EngineDied, EngineError, EngineStartError, Limit, Position
from adapter.engine import Engine, open_engine, opened
from engines.discovery import ResolvedEngine

pytestmark = pytest.mark.usefixtures("no_leaks_async")

Scripted = Callable[..., ResolvedEngine]
DEPTH = Limit(depth=3)
START = Position.parse("startpos")
DIES_ON_FATAL = ("--die-on", "- 0 77")
SLOW = 20.0  # seconds; nothing here comes near on any machine


def numbered(move: int) -> Position:
    """The start position as of that move: one of many in which e2e4 is legal."""
    return Position.parse(f"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 {move}")


FATAL = numbered(77)


def kill(engine: Engine) -> None:
    os.kill(engine.driver.pid, signal.SIGKILL)


async def bury(engine: Engine) -> None:
    """Kills the engine and waits until that is known."""
    kill(engine)
    async with asyncio.timeout(SLOW):
        while engine.driver.failure is None:  # noqa: ASYNC110 - what a user sees is a state
            await asyncio.sleep(0.005)


async def watch(engine: Engine, position: Position) -> list[int | None]:
    """The depths that a stream of the position reports."""
    async with engine.stream(position, DEPTH) as stream:
        return [line.depth async for line in stream]


def sent(transcript: Path, word: str) -> list[str]:
    """The lines that went to the engines and begin with the word, over all of their lives."""
    lines = [line.split(" ", 2) for line in transcript.read_text(encoding="utf-8").splitlines()]
    return [line[2] for line in lines if line[1] == ">" and line[2].split()[0] == word]


async def test_an_engine_killed_between_searches_is_started_anew_with_its_options(
    scripted: Scripted, tmp_path: Path
) -> None:
    record = tmp_path / "talk.txt"
    async with opened(scripted(), options={"Hash": 64}, transcript=record) as engine:
        await engine.configure({"Style": "solid"})
        await engine.analyze(START, DEPTH, options={"threads": 2})
        await engine.analyze(START, DEPTH, options={"Threads": 3})
        first = engine.driver.pid
        await bury(engine)
        analysis = await engine.analyze(START, DEPTH)
        assert engine.driver.pid != first
        assert analysis.best is not None
        assert analysis.best.move == "e2e4"
        assert analysis.complete
        wanted = {"Hash": 64, "Style": "Solid", "Threads": 3}
        assert {name: analysis.engine.options[name] for name in wanted} == wanted
    assert len(sent(record, "uci")) == 2
    first_life, second_life = sent(record, "setoption")[:4], sent(record, "setoption")[4:]
    assert sorted(first_life)[:3] == [
        "setoption name Hash value 64",
        "setoption name Style value Solid",
        "setoption name Threads value 2",
    ]
    assert sorted(second_life) == [
        "setoption name Hash value 64",
        "setoption name Style value Solid",
        "setoption name Threads value 3",
    ]


@pytest.mark.engine("stockfish")
async def test_who_asks_an_engine_that_has_just_been_killed_is_answered(
    engine_path: Callable[[str], str],
) -> None:
    """Nobody knows of the death yet when the question is put: it is found out on the way."""
    engine_path("stockfish")
    rng = random.Random(20)
    async with open_engine("stockfish") as engine:
        position = START
        for _ in range(6):
            kill(engine)
            if rng.random() < 0.5:
                await asyncio.sleep(rng.random() * 0.01)
            analysis = await engine.analyze(position, Limit(nodes=500))
            assert analysis.best is not None
            assert analysis.best.move in position.legal_moves
            assert analysis.position == position
            position = position.play(rng.choice(position.legal_moves))


async def test_death_in_a_search_says_who_died_of_what_with_what_was_found(scripted: Scripted) -> None:
    found = scripted("--name", "Brittle 2", "--die-after", "info", "--exit", "SEGV", "--stderr", "bad luck")
    async with opened(found) as engine:
        with pytest.raises(EngineDied) as caught:
            await engine.analyze(START, DEPTH)
    error = caught.value
    assert (error.signal, error.exit_code) == (signal.SIGSEGV, None)
    assert error.engine == "Brittle 2"
    assert error.stderr_tail == ("bad luck",)
    assert error.transcript_tail[-1].startswith("< info depth 1")
    assert str(error) == "Brittle 2 died (SIGSEGV); its last words: 'bad luck'"
    assert error.partial.position == START
    assert [line.depth for line in error.partial.lines] == [1]
    assert not error.partial.complete


async def test_an_exit_code_is_told_and_the_last_line_where_there_is_no_word_on_stderr(
    scripted: Scripted,
) -> None:
    async with opened(scripted("--die-after", "bestmove", "--exit", "3")) as engine:
        await engine.analyze(START, DEPTH)
        with pytest.raises(
            EngineDied, match=r"Scripted died \(exit code 3\); its last words: 'bestmove e2e4'"
        ) as e:
            await engine.ping()
    assert e.value.exit_code == 3


async def test_four_failures_in_a_row_and_no_more_starts(scripted: Scripted, tmp_path: Path) -> None:
    record = tmp_path / "talk.txt"
    async with opened(scripted("--die-after", "go"), transcript=record) as engine:
        for _ in range(4):
            assert not engine.given_up
            with pytest.raises(EngineDied, match=r"Scripted died \(exit code 1\)") as caught:
                await engine.analyze(START, DEPTH)
            assert "not started again" not in str(caught.value)
        for operation in (engine.analyze(START, DEPTH), engine.ping(), engine.configure({"Hash": 32})):
            with pytest.raises(
                EngineDied, match=r"failed 4 times in a row and is not started again"
            ) as caught:
                await operation
            assert caught.value.exit_code == 1
            assert engine.given_up
    assert len(sent(record, "uci")) == 4


@pytest.mark.parametrize("fault", ["--die-after start", "--die-after uci", "--silent"])
async def test_starts_that_fail_count_too(scripted: Scripted, tmp_path: Path, fault: str) -> None:
    record = tmp_path / "talk.txt"
    deadlines = {"start": 0.6} if fault == "--silent" else {}
    async with opened(scripted(*fault.split(), **deadlines), transcript=record, start=False) as engine:
        for _ in range(3):
            with pytest.raises(EngineStartError) as caught:
                await engine.analyze(START, DEPTH)
            assert "not started again" not in str(caught.value)
        for already in (False, True):
            assert engine.given_up is already
            with pytest.raises(EngineStartError, match="failed 4 times in a row and is not started again"):
                await engine.analyze(START, DEPTH)
    assert len(sent(record, "uci")) == 4


async def test_a_search_that_ends_well_lets_the_count_begin_anew(scripted: Scripted) -> None:
    async with opened(scripted(*DIES_ON_FATAL)) as engine:
        for _ in range(6):
            with pytest.raises(EngineDied):
                await engine.analyze(FATAL, DEPTH)
            assert (await engine.analyze(START, DEPTH)).best is not None


async def test_an_option_an_engine_dies_of_is_not_given_to_the_next(
    scripted: Scripted, tmp_path: Path
) -> None:
    record = tmp_path / "talk.txt"
    async with opened(scripted("--die-after", "setoption"), transcript=record) as engine:
        with pytest.raises(EngineDied):
            await engine.configure({"Hash": 32})
        assert (await engine.analyze(START, DEPTH)).best is not None
    assert sent(record, "setoption") == ["setoption name Hash value 32"]


async def test_a_dead_engine_is_pinged_and_configured_by_its_successor(scripted: Scripted) -> None:
    async with opened(scripted()) as engine:
        await bury(engine)
        await engine.ping()
        await bury(engine)
        await engine.configure({"Hash": 48})
        assert (await engine.analyze(START, DEPTH)).engine.options["Hash"] == 48


async def test_death_in_a_stream_and_the_next_stream(scripted: Scripted) -> None:
    async with opened(scripted(*DIES_ON_FATAL)) as engine:
        with pytest.raises(EngineDied):
            await watch(engine, FATAL)
        assert await watch(engine, START) == [1, 2, 3]


async def test_cancelled_in_the_back_off_nothing_is_lost_or_counted(scripted: Scripted) -> None:
    async with opened(scripted()) as engine:
        await bury(engine)
        for pause in (0.0, 0.01, 0.05, 0.1, 0.15, 0.19):
            task = asyncio.create_task(engine.analyze(START, DEPTH))
            await asyncio.sleep(pause)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        assert (await engine.analyze(START, DEPTH)).best is not None


async def test_cancelled_in_the_start_the_process_is_gone(scripted: Scripted) -> None:
    async with opened(scripted("--slow-start", "1"), start=False) as engine:
        task = asyncio.create_task(engine.analyze(START, DEPTH))
        await asyncio.sleep(0.2)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task


async def test_the_timeout_is_the_searchs_own(scripted: Scripted) -> None:
    """A start anew takes longer than the timeout allows, and yet the search is whole."""
    async with opened(scripted("--slow-start", "0.8")) as engine:
        await bury(engine)
        began = time.monotonic()
        analysis = await engine.analyze(START, DEPTH, timeout=0.9)
        assert time.monotonic() - began > 0.9
        assert analysis.complete


@pytest.mark.parametrize("pause", [0.0, 0.1, 0.3])
async def test_closed_while_it_is_being_started_anew(scripted: Scripted, pause: float) -> None:
    async with opened(scripted("--slow-start", "0.3")) as engine:
        await bury(engine)
        task = asyncio.create_task(engine.analyze(START, DEPTH))
        await asyncio.sleep(pause)
        await engine.close()
        with pytest.raises(EngineError, match="was closed"):
            await task
        with pytest.raises(EngineError, match="was closed"):
            await engine.analyze(START, DEPTH)


async def test_who_waits_for_a_turn_when_the_engine_dies_is_asked_of_its_successor(
    scripted: Scripted,
) -> None:
    questions = [numbered(5), FATAL, numbered(6), numbered(7)]
    async with opened(scripted(*DIES_ON_FATAL, "--think", "0.05")) as engine:
        answers = await asyncio.gather(
            *(engine.analyze(question, DEPTH) for question in questions), return_exceptions=True
        )
    fatal = answers.pop(1)
    assert isinstance(fatal, EngineDied)
    assert fatal.partial.position == questions.pop(1)
    for question, answer in zip(questions, answers, strict=True):
        assert isinstance(answer, Analysis)
        assert answer.position == question
        assert answer.best is not None
