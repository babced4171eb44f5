"""Engines that answer wrongly, hang, will not start or will not leave: each call ends, and says why."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

import chess
import msgspec
import pytest

from adapter import (
    Analysis,
    ConfigError,
    EngineDied,
    EngineError,
    EngineStartError,
    EngineTimeout,
    IllegalEngineMove,
    Limit,
    Outcome,
    Pool,
    Position,
    open_engine,
)
from adapter.engine import opened
from engines.discovery import ResolvedEngine, resolve_engine
from tests.mock_engine import MOCK_ENGINE

pytestmark = pytest.mark.usefixtures("no_leaks_async")

Scripted = Callable[..., ResolvedEngine]
DEPTH = Limit(depth=3)
ENDLESS = Limit(infinite=True)
SLOW = 20.0  # seconds; nothing here comes near on any machine
MATED = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3"


# --- answers that are wrong, from a real process ---------------------------------------------------------


async def test_an_illegal_best_move_leaves_the_engine_usable(scripted: Scripted, tmp_path: Path) -> None:
    moves = tmp_path / "moves.txt"
    moves.write_text(f"a1b8 fen {chess.STARTING_FEN}\n")
    async with opened(scripted("--moves", str(moves))) as engine:
        for _ in range(2):
            with pytest.raises(IllegalEngineMove, match="'a1b8' is not legal") as caught:
                await engine.analyze("startpos", DEPTH)
            assert caught.value.engine == "Scripted"
            assert caught.value.partial.lines[0].pv_cut_at == 0
            other = await engine.analyze(chess.STARTING_FEN.replace("0 1", "0 2"), DEPTH)
            assert other.best is not None
            assert other.best.move == "e2e4"


FAULTY = [
    ("--illegal-best", IllegalEngineMove),
    ("--no-move", IllegalEngineMove),
    ("--no-move a1a1", IllegalEngineMove),
    ("--bare-bestmove", IllegalEngineMove),
    ("--illegal-ponder", "its ponder move 'a1b8' is not legal"),
    ("--illegal-pv", "move 2 of its variation, 'a1b8', is not legal"),
    ("--no-infos", None),
    ("--nonsense-scores", None),
    ("--bounds-only", None),
    ("--decimals", None),
    ("--garbage", None),
    ("--one-byte", None),
    ("--crlf", None),
    ("--bom", None),
    ("--blanks", None),
    ("--banner", None),
    ("--long-line 3000000", None),
    ("--malformed-options", None),
    ("--many-options 3000", None),
    ("--stderr loud", None),
    ("--bestmove-again", None),
    ("--bestmove-again 0.05", None),
    ("--unasked-bestmove", None),
    ("--withhold info", None),
    ("--slow-ready 0.2", None),
    ("--late 0.1", None),
]


@pytest.mark.parametrize(("fault", "outcome"), FAULTY, ids=[fault for fault, _ in FAULTY])
async def test_each_search_has_its_own_answer_whatever_the_engine_says(
    scripted: Scripted, tmp_path: Path, fault: str, outcome: type[EngineError] | str | None
) -> None:
    """Three searches in a row, each of a position with a best move of its own."""
    rows = {"startpos": "e2e4", "startpos moves e2e4": "c7c5", "startpos moves e2e4 c7c5": "g1f3"}
    moves = tmp_path / "moves.txt"
    moves.write_text("".join(f"{move} {Position.parse(text).command()[9:]}\n" for text, move in rows.items()))
    async with opened(scripted("--moves", str(moves), *fault.split())) as engine:
        for text, move in rows.items():
            if isinstance(outcome, type):
                with pytest.raises(outcome):
                    await engine.analyze(text, DEPTH)
                continue
            analysis = await engine.analyze(text, DEPTH)
            assert analysis.best is not None
            assert analysis.best.move == move
            assert analysis.best.fen == Position.parse(text).play(move).fen
            for line in analysis.lines:
                assert line.pv[:1] in ((), (move,))
            if outcome is not None:
                assert any(outcome in note for note in analysis.notes)


@pytest.mark.parametrize("moment", ["position", "info"])
async def test_a_best_move_given_too_early_is_held_against_its_own_position(
    scripted: Scripted, moment: str
) -> None:
    """Nothing tells it from the search's own; the second one, e2e4, must not answer the next question."""
    async with opened(scripted("--unasked-bestmove", moment, "--think", "0.05")) as engine:
        for _ in range(3):
            analysis = await engine.analyze("startpos", DEPTH)
            assert analysis.best is not None
            assert analysis.best.move == "a2a3"
            with pytest.raises(IllegalEngineMove, match="'a2a3' is not legal"):
                await engine.analyze("startpos moves e2e4", DEPTH)


async def test_bounds_alone_are_no_score(scripted: Scripted) -> None:
    async with opened(scripted("--bounds-only")) as engine:
        [line] = (await engine.analyze("startpos", DEPTH)).lines
    assert line.score is None
    assert line.score_white is None
    assert line.bound is not None
    assert line.bound.kind == "lower"


async def test_a_position_an_engine_objects_to_is_told_with_its_words(scripted: Scripted) -> None:
    async with opened(scripted("--critical-error")) as engine:
        with pytest.raises(EngineDied, match="CRITICAL ERROR") as caught:
            await engine.analyze("startpos", DEPTH)
    assert caught.value.exit_code == 1
    assert any("position fen" in line for line in caught.value.transcript_tail)


# --- deadlines -------------------------------------------------------------------------------------------


async def test_after_its_timeout_a_search_is_stopped_and_not_complete(scripted: Scripted) -> None:
    async with opened(scripted("--endless"), start=True) as engine:
        start = time.monotonic()
        analysis = await engine.analyze("startpos", DEPTH, timeout=0.2)
        assert 0.2 <= time.monotonic() - start < SLOW
        assert not analysis.complete
        assert analysis.notes == ("the search was stopped by its timeout",)
        assert analysis.best is not None
        assert [line.depth for line in analysis.lines] == [3]
        # a timeout that is not reached changes nothing
        assert (await engine.analyze("startpos", ENDLESS, timeout=0.1)).complete is False
        assert engine.driver.failure is None


@pytest.mark.engine("stockfish")
async def test_a_real_search_ends_at_its_timeout_with_what_was_found(
    engine_path: Callable[[str], str],
) -> None:
    engine_path("stockfish")
    async with open_engine("stockfish") as engine:
        start = time.monotonic()
        analysis = await engine.analyze("startpos", ENDLESS, timeout=0.3)
        assert time.monotonic() - start < 3
        assert not analysis.complete
        assert analysis.best is not None
        assert analysis.lines[0].depth is not None
        whole = await engine.analyze("startpos", Limit(depth=6), timeout=30)
        assert whole.complete


@pytest.mark.parametrize("limit", [Limit(seconds=0.1), Limit(wtime=60, btime=60)])
async def test_an_engine_that_runs_past_its_time_is_stopped(scripted: Scripted, limit: Limit) -> None:
    """`search_slack` (0.4 s here) beyond the limit's own time."""
    async with opened(scripted("--endless")) as engine:
        start = time.monotonic()
        analysis = await engine.analyze("startpos", limit)
        assert time.monotonic() - start < SLOW
        assert analysis.best is not None
        assert not analysis.complete
        assert analysis.notes == ("the engine ran past its time and was stopped",)
        assert engine.driver.failure is None


async def test_a_search_without_a_time_ends_at_the_profiles_deadline(scripted: Scripted) -> None:
    async with opened(scripted("--endless", search=0.3)) as engine:
        analysis = await engine.analyze("startpos", DEPTH)
        assert not analysis.complete
        assert analysis.notes == ("the search was stopped by its profile's deadline",)


async def test_an_engine_deaf_to_stop_is_ended_and_what_it_found_is_kept(scripted: Scripted) -> None:
    async with opened(scripted("--ignore", "stop", "--endless")) as engine:
        with pytest.raises(EngineTimeout, match=r"no best move within 0.4 s of being told to stop") as caught:
            await engine.analyze("startpos", DEPTH, timeout=0.1)
        assert [line.depth for line in caught.value.partial.lines] == [3]
        assert caught.value.partial.complete is False
        assert any(line == "> stop" for line in caught.value.transcript_tail)


# Deaf to `stop` where a2a3 was played, it answers on its way out: when a signal tells it to go.
LATE = """
import signal, sys
def bye(*_):
    sys.stdout.write({answer!r})
    sys.stdout.flush()
    sys.exit(0)
signal.signal(signal.SIGTERM, bye)
for line in sys.stdin:
    word = line.split()[0]
    if word == "uci":
        print("id name Late\\nuciok", flush=True)
    elif word == "isready":
        print("readyok", flush=True)
    elif word == "position":
        deaf = "a2a3" in line
    elif word == "go":
        print("info depth 3 score cp 12 pv a7a6" if deaf else "bestmove g1f3", flush=True)
"""


@pytest.mark.parametrize("answer", ["bestmove (none)\n", "bestmove a1b8\n", "bestmove a7a6\n", "bestmove a7"])
async def test_what_an_engine_says_when_it_is_ended_does_not_hide_that_it_hung(
    scripted: Scripted, answer: str
) -> None:
    command = (sys.executable, "-c", LATE.format(answer=answer))
    found = msgspec.structs.replace(scripted(stop=0.3), command=command)
    async with opened(found) as engine:
        with pytest.raises(EngineTimeout, match=r"no best move within 0.3 s of being told to stop") as caught:
            await engine.analyze("startpos a2a3", DEPTH, timeout=0.2)
        partial = caught.value.partial
        assert [line.pv for line in partial.lines] == [("a7a6",)]
        assert partial.complete is False
        assert partial.best is None or partial.best.move == "a7a6"
    async with Pool(found, size=1) as pool:
        asked = ["startpos a2a3", "startpos", "startpos a2a3 a7a6", "startpos e2e4 e7e5"]
        told = [result async for result in pool.analyze(asked, DEPTH, timeout=0.2)]
        assert [type(result.error) for result in told] == [
            EngineTimeout,
            type(None),
            EngineTimeout,
            type(None),
        ]


def program(found: ResolvedEngine, code: str) -> ResolvedEngine:
    return msgspec.structs.replace(found, command=(sys.executable, "-c", code))


# Deaf while it thinks, it answers the ping of that time behind its best move, and then answers once more.
BEHIND = """
import sys, time
searches = 0
for line in sys.stdin:
    word = line.split()[0]
    if word == "uci":
        print("uciok", flush=True)
    elif word == "isready":
        print("readyok", flush=True)
        if searches == 1:
            searches = 2
            print("info depth 9 score cp 999 pv d2d4\\nbestmove d2d4", flush=True)
    elif word == "go":
        searches += 1
        time.sleep(1.2 if searches == 1 else 0)
        print("bestmove", "e2e4" if searches == 1 else "g1f3", flush=True)
"""


async def test_a_ping_answered_late_lets_no_old_answer_through(scripted: Scripted) -> None:
    async with opened(program(scripted(silence=0.4, ready=5), BEHIND)) as engine:
        first = await engine.analyze("startpos", DEPTH)
        second = await engine.analyze("startpos", DEPTH)
        assert first.best is not None
        assert second.best is not None
        assert (first.best.move, second.best.move) == ("e2e4", "g1f3")
        assert second.lines == ()


# Its last line has no end: it was cut off, or was all it had to say.
HALF = """
import os, signal, sys
for line in sys.stdin:
    word = line.split()[0]
    if word == "uci":
        print("uciok", flush=True)
    elif word == "isready":
        print("readyok", flush=True)
    elif word == "go":
        sys.stdout.write("info depth 1 score cp 5 pv i3i10\\nbestmove i3i1")
        sys.stdout.flush()
        {end}
"""
CUT_OFF = {
    "a signal": ("os.kill(os.getpid(), signal.SIGSEGV)", EngineDied),
    "an exit code": ("sys.exit(3)", EngineDied),
    "us": ("signal.pause()", EngineTimeout),
}


@pytest.mark.parametrize("how", CUT_OFF)
async def test_half_a_best_move_is_none(scripted: Scripted, how: str) -> None:
    end, kind = CUT_OFF[how]
    found = program(scripted(stop=0.3), HALF.format(end=end))
    profile = msgspec.structs.replace(found.profile, variants=("xiangqi",))
    async with opened(msgspec.structs.replace(found, profile=profile)) as engine:
        with pytest.raises(kind) as caught:
            await engine.analyze("3k5/9/9/9/9/9/9/8R/9/4K4 w", DEPTH, timeout=2)
        assert caught.value.partial.best is None
        assert "< bestmove i3i1" in caught.value.transcript_tail
        assert how != "a signal" or caught.value.signal == signal.SIGSEGV


async def test_a_last_line_that_is_whole_needs_no_end(scripted: Scripted) -> None:
    found = program(scripted(), HALF.format(end="sys.exit(0)"))
    profile = msgspec.structs.replace(found.profile, variants=("xiangqi",))
    async with opened(msgspec.structs.replace(found, profile=profile)) as engine:
        analysis = await engine.analyze("3k5/9/9/9/9/9/9/8R/9/4K4 w", DEPTH, timeout=2)
        assert analysis.best is not None
        assert analysis.best.move == "i2i0"


# It dies and leaves a child behind that goes on writing to its output.
ORPHAN = """
import os, subprocess, sys
for line in sys.stdin:
    word = line.split()[0]
    if word == "uci":
        print("uciok", flush=True)
    elif word == "isready":
        print("readyok", flush=True)
    elif word == "go":
        subprocess.Popen(["/bin/sh", "-c", "for i in $(seq 100); do echo info depth $i; sleep 0.05; done"])
        os._exit(9)
"""


async def test_an_engine_is_dead_though_a_child_of_it_goes_on_writing(scripted: Scripted) -> None:
    async with opened(program(scripted(search=30, stop=10, silence=10), ORPHAN)) as engine:
        start = time.monotonic()
        with pytest.raises(EngineDied) as caught:
            await engine.analyze("startpos", DEPTH)
        assert caught.value.exit_code == 9
        assert time.monotonic() - start < 10


async def test_an_error_names_the_file_that_holds_the_whole_talk(scripted: Scripted, tmp_path: Path) -> None:
    path = tmp_path / "talk.txt"
    for fault, kind in (("--die-after go", EngineDied), ("--illegal-best", IllegalEngineMove)):
        async with opened(scripted(*fault.split()), transcript=path) as engine:
            with pytest.raises(kind) as caught:
                await engine.analyze("startpos", DEPTH)
        assert caught.value.transcript == str(path)
        assert str(caught.value).endswith(f"; the whole talk is in {path}")
        assert "go depth 3" in path.read_text()
        assert caught.value.transcript_tail


FROZEN = [
    ("--freeze-after go", "isready|stop"),
    ("--mute-after go", "isready|stop"),
    ("--withhold bestmove", "stop"),
    ("--withhold readyok", "isready"),
    ("--freeze-after isready", "isready"),
]


@pytest.mark.parametrize(("fault", "said"), FROZEN, ids=[fault for fault, _ in FROZEN])
async def test_no_call_hangs(scripted: Scripted, fault: str, said: str) -> None:
    found = scripted(*fault.split(), ready=0.5, silence=0.3, search=1)
    start = time.monotonic()
    async with asyncio.timeout(SLOW):
        async with opened(found, start=False) as engine:
            with pytest.raises(EngineTimeout, match=said):
                await engine.analyze("startpos", DEPTH)
    assert time.monotonic() - start < SLOW


@pytest.mark.engine("stockfish")
async def test_a_real_engine_that_was_stopped_by_a_signal_is_found_out(
    engine_path: Callable[[str], str],
) -> None:
    engine_path("stockfish")
    found = resolve_engine("chess", "stockfish")
    deadlines = msgspec.structs.replace(found.profile.deadlines, ready=0.4, silence=0.3, stop=0.4, quit=0.3)
    found = msgspec.structs.replace(
        found, profile=msgspec.structs.replace(found.profile, deadlines=deadlines)
    )
    async with opened(found) as engine:
        task = asyncio.create_task(engine.analyze("startpos", ENDLESS))
        await asyncio.sleep(0.3)
        os.kill(engine.driver.pid, signal.SIGSTOP)
        with pytest.raises(EngineTimeout, match="it hangs") as caught:
            await asyncio.wait_for(task, SLOW)
        assert caught.value.partial.lines[0].depth >= 1
        assert (await engine.analyze("startpos", DEPTH)).best is not None


@pytest.mark.engine("stockfish")
async def test_a_real_engine_that_is_killed_in_a_search_leaves_what_it_found(
    engine_path: Callable[[str], str],
) -> None:
    engine_path("stockfish")
    async with open_engine("stockfish") as engine:
        task = asyncio.create_task(engine.analyze("startpos", ENDLESS))
        await asyncio.sleep(0.3)
        os.kill(engine.driver.pid, signal.SIGKILL)
        with pytest.raises(EngineDied, match=r"died \(SIGKILL\)") as caught:
            await asyncio.wait_for(task, SLOW)
        error = caught.value
        assert (error.signal, error.exit_code) == (signal.SIGKILL, None)
        assert isinstance(error.partial, Analysis)
        assert error.partial.lines[0].pv
        assert not error.partial.complete
        assert (await engine.analyze("startpos", DEPTH)).best is not None


# --- starting and ending ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fault", "start", "said"),
    [
        ("--silent", 0.7, "did not answer 'uci' within 0.7 s; it printed nothing"),
        ("--withhold uciok", 0.7, "did not answer 'uci' within 0.7 s"),
        ("--die-after uci", 10, r"ended before it greeted \(exit code 1\)"),
        ("--die-after start --exit SEGV", 10, r"ended before it greeted \(SIGSEGV\)"),
        ("--close-output-after start", 10, "closed its output"),
    ],
)
async def test_a_program_that_does_not_greet_is_no_engine(
    scripted: Scripted, fault: str, start: float, said: str
) -> None:
    with pytest.raises(EngineStartError, match=said):
        async with opened(scripted(*fault.split(), start=start)):
            raise AssertionError("opened all the same")


@pytest.mark.parametrize(
    ("engine", "kind", "said"),
    [
        ("stokfish", ConfigError, "no engine is called 'stokfish'; there is stockfish"),
        ("/nowhere/engine", EngineStartError, "there is no file /nowhere/engine"),
        ("generic-uci", ConfigError, "names no program"),
        ('stockfish "unfinished', ConfigError, "cannot read the engine's command line"),
        ("pikafish", EngineStartError, "Pikafish is not installed"),
    ],
)
async def test_an_engine_that_cannot_be_had(engine: str, kind: type[Exception], said: str) -> None:
    with pytest.raises(kind, match=said):
        async with open_engine(engine):
            raise AssertionError("opened all the same")


async def test_a_program_that_is_no_engine_at_all(tmp_path: Path) -> None:
    program = tmp_path / "chatter"
    program.write_text("#!/bin/sh\necho hello there\nexit 4\n")
    program.chmod(0o755)
    with pytest.raises(EngineStartError, match=r"exit code 4\); its last words: 'hello there'"):
        async with open_engine(str(program)):
            raise AssertionError("opened all the same")
    program.write_bytes(b"\x7fnot a program")
    with pytest.raises(EngineStartError, match="cannot be started"):
        async with open_engine(str(program)):
            raise AssertionError("opened all the same")


async def test_the_environment_names_the_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FENWIRE_ENGINE", f"{sys.executable} {MOCK_ENGINE} --name Wished")
    async with open_engine() as engine:
        assert engine.name == "Wished"
        analysis = await engine.analyze("startpos", DEPTH)
        assert analysis.engine.name == "Wished"
        assert analysis.engine.path == sys.executable
    async with open_engine("builtin") as engine:
        assert engine.name.startswith("fenwire")


async def test_a_closed_engine_says_so(scripted: Scripted) -> None:
    async with opened(scripted()) as engine:
        await engine.analyze("startpos", DEPTH)
        await engine.close()
        await engine.close()
        for call in (
            engine.analyze("startpos", DEPTH),
            engine.ping(),
            engine.configure({"Hash": 2}),
            engine.start(),
        ):
            with pytest.raises(EngineError, match="Scripted was closed"):
                await call
        # what needs no engine is still answered
        assert (await engine.analyze(MATED, DEPTH)).outcome == Outcome("black", "checkmate")


async def test_closing_ends_a_search_that_another_task_waits_for(scripted: Scripted) -> None:
    async with opened(scripted("--endless")) as engine:
        waiting = [asyncio.create_task(engine.analyze("startpos", ENDLESS)) for _ in range(3)]
        await asyncio.sleep(0.1)
        await engine.close()
        for task in waiting:
            with pytest.raises(EngineError, match="was closed"):
                await asyncio.wait_for(task, SLOW)


@pytest.mark.parametrize("fault", ["--ignore quit", "--stubborn", "--stubborn --endless"])
async def test_an_engine_that_will_not_leave_is_ended(scripted: Scripted, fault: str) -> None:
    start = time.monotonic()
    async with opened(scripted(*fault.split())) as engine:
        pid = engine.driver.pid
        if "--endless" in fault:
            async with engine.stream("startpos", ENDLESS):
                pass
    assert time.monotonic() - start < SLOW
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
