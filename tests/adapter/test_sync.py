"""The blocking call: from plain code, from within a running loop, from a thread, and interrupted."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import adapter
from adapter import (
    Analysis,
    EngineDied,
    EngineStartError,
    FenError,
    IllegalEngineMove,
    Limit,
    LimitError,
    Mate,
    MoveError,
    OptionError,
    Outcome,
    Position,
)
from adapter.sync import SECONDS
from tests.mock_engine import MOCK_ENGINE

pytestmark = pytest.mark.usefixtures("no_leaks")

SCHOLAR = "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR w KQkq - 4 4"
AFTER = "r1bqkbnr/pppp1Qpp/2n5/4p3/2B1P3/8/PPPP1PPP/RNB1K1NR b KQkq - 0 4"
MATED = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3"
SCRIPTED = f"{sys.executable} {MOCK_ENGINE}"
SLOW = 30.0  # seconds; nothing here comes near on any machine

ENGINES = [pytest.param(name, marks=pytest.mark.engine(name)) for name in ("stockfish", "builtin")]


@pytest.mark.parametrize("name", ENGINES)
def test_one_line_answers(name: str, engine_path: Callable[[str], str]) -> None:
    engine_path(name)
    analysis = adapter.analyze(SCHOLAR, engine=name, depth=12)
    assert analysis.best is not None
    assert (analysis.best.move, analysis.best.fen) == ("f3f7", AFTER)
    assert analysis.score == Mate(1)
    assert analysis.engine.profile == name


@pytest.mark.parametrize("name", ENGINES)
async def test_it_works_inside_a_running_loop(name: str, engine_path: Callable[[str], str]) -> None:
    """As in a notebook's cell: the loop that runs is not ours to run on."""
    engine_path(name)
    analysis = adapter.analyze(SCHOLAR, engine=name, depth=12)
    assert analysis.best is not None
    assert (analysis.best.move, analysis.best.fen) == ("f3f7", AFTER)
    # the caller's loop is as it was
    await asyncio.sleep(0)


def test_it_works_in_a_thread() -> None:
    found: list[Analysis] = []
    thread = threading.Thread(
        target=lambda: found.append(adapter.analyze(SCHOLAR, engine="builtin", depth=2))
    )
    thread.start()
    thread.join(SLOW)
    assert found[0].best is not None
    assert found[0].best.move == "f3f7"


def test_what_may_be_asked_for(tmp_path: Path) -> None:
    record = tmp_path / "talk.txt"
    analysis = adapter.analyze(
        Position.parse("startpos moves e2e4"),
        engine=f"{SCRIPTED} --bestmove e7e5",
        limit=Limit(depth=2),
        multipv=2,
        options={"Hash": 32},
        notation="uci",
        timeout=20,
        transcript=record,
    )
    assert analysis.best is not None
    assert analysis.best.san == "e7e5"
    assert analysis.engine.options == {"Hash": 32, "MultiPV": 2}
    assert "> go depth 2\n" in record.read_text()
    *_, bye, end = record.read_text().splitlines()
    assert bye.endswith("> quit")
    assert end.endswith("= exit code 0")


def test_without_a_limit_it_thinks_for_two_seconds() -> None:
    """The scripted engine keeps to `movetime`."""
    start = time.monotonic()
    analysis = adapter.analyze("startpos", engine=SCRIPTED)
    assert SECONDS == 2
    assert analysis.limit == Limit(seconds=SECONDS)
    assert time.monotonic() - start >= SECONDS


def test_the_game_chooses_the_engine(engine_path: Callable[[str], str]) -> None:
    engine_path("fairy-xiangqi")
    analysis = adapter.analyze("5a3/3ka4/5n3/9/9/9/9/9/9/4K1R2 w moves g0f0 d8d9", depth=3)
    assert analysis.variant == "xiangqi"
    assert analysis.position.fen == "3k1a3/4a4/5n3/9/9/9/9/9/9/4KR3 w - - 2 2"
    assert analysis.best is not None
    assert analysis.best.move in analysis.position.legal_moves


def test_a_text_that_tells_no_game_can_be_told_one(engine_path: Callable[[str], str]) -> None:
    engine_path("fairy-xiangqi")
    analysis = adapter.analyze("startpos h2e2", variant="xiangqi", engine="fairy-xiangqi", depth=3)
    assert analysis.position.fen == "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C4/9/RNBAKABNR b - - 1 1"
    assert analysis.best is not None


ERRORS: list[tuple[type[Exception], str, dict[str, object]]] = [
    (FenError, "4k3/8/8/8/8/8/8/8 w - - 0 1", {"depth": 1}),
    (MoveError, "startpos moves e2e5", {"depth": 1}),
    (LimitError, "startpos", {"depth": 0}),
    (LimitError, "startpos", {"infinite": True, "depth": 1}),
    (TypeError, "startpos", {"dept": 1}),
    (TypeError, "startpos", {"limit": Limit(depth=1), "depth": 1}),
    (OptionError, "startpos", {"depth": 1, "options": {"Nonsense": 1}}),
    (IllegalEngineMove, "startpos moves e2e4", {"depth": 1}),
    (EngineStartError, "startpos", {"depth": 1, "engine": "/nowhere/engine"}),
    (EngineDied, "startpos", {"depth": 1, "engine": f"{SCRIPTED} --die-after go"}),
]


@pytest.mark.parametrize(("kind", "text", "given"), ERRORS)
def test_errors_come_as_they_are(kind: type[Exception], text: str, given: dict[str, object]) -> None:
    with pytest.raises(kind):
        adapter.analyze(text, **{"engine": SCRIPTED, **given})  # type: ignore[arg-type]


@pytest.mark.parametrize(("kind", "text", "given"), ERRORS)
async def test_and_so_they_do_inside_a_running_loop(
    kind: type[Exception], text: str, given: dict[str, object]
) -> None:
    with pytest.raises(kind):
        adapter.analyze(text, **{"engine": SCRIPTED, **given})  # type: ignore[arg-type]


def test_a_finished_game_is_answered() -> None:
    analysis = adapter.analyze(MATED, engine="builtin")
    assert analysis.outcome == Outcome("black", "checkmate")
    assert analysis.best is None


PLAIN = """
import adapter
adapter.analyze("startpos", engine=ENGINE, infinite=True, transcript=RECORD)
"""
IN_A_LOOP = """
import asyncio, adapter
async def cell():
    adapter.analyze("startpos", engine=ENGINE, infinite=True, transcript=RECORD)
asyncio.run(cell())
"""


def processes(mark: str) -> list[int]:
    """The engines whose command line holds the mark, by their numbers."""
    listed = subprocess.run(
        # unlimited width: a line is cut at 80 columns otherwise
        ["ps", "-axww", "-o", "pid=,args="],
        capture_output=True,
        text=True,
        timeout=SLOW,
        check=True,
    )
    lines = [line for line in listed.stdout.splitlines() if f"--name {mark}" in line and " -c " not in line]
    return [int(line.split()[0]) for line in lines]


def wait_until(happened: Callable[[], bool]) -> None:
    end = time.monotonic() + SLOW
    while not happened():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.02)


@pytest.fixture
def mark() -> Iterator[str]:
    """A name no other process has; none of that name may be left."""
    name = f"marked-{os.getpid()}-{time.monotonic_ns()}"
    yield name
    left = processes(name)
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    assert left == []


@pytest.mark.parametrize("strikes", [1, 2])
@pytest.mark.parametrize("script", [PLAIN, IN_A_LOOP], ids=["plain", "in a loop"])
@pytest.mark.parametrize("manner", ["", " --stubborn"])
def test_interrupted_it_leaves_no_engine(
    script: str, strikes: int, manner: str, mark: str, tmp_path: Path
) -> None:
    record = tmp_path / "talk.txt"
    engine = f"{SCRIPTED} --name {mark}{manner}"
    code = f"ENGINE, RECORD = {engine!r}, {str(record)!r}\n{script}"
    child = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        wait_until(lambda: bool(processes(mark)))
        time.sleep(0.7)
        for _ in range(strikes):
            child.send_signal(signal.SIGINT)
            time.sleep(0.1)
        out, err = child.communicate(timeout=SLOW)
    finally:
        child.kill()
        child.communicate()
    assert out == ""
    assert child.returncode == -signal.SIGINT
    assert err.rstrip().endswith("KeyboardInterrupt")
    assert "never awaited" not in err
    wait_until(lambda: not processes(mark))
