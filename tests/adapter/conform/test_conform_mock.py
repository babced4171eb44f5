"""Six engines that pass every check of fastchess, and are wrong: each is found by the step that names it.

The scripted engine knows no rules. It is told a real engine's answers to the positions of the check, so that
but for its fault it answers as it should.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from adapter.conform.arena import CHESS
from adapter.conform.runner import conform
from adapter.conform.step import Check
from adapter.engine import open_engine
from adapter.position import Position
from engines.discovery import ResolvedEngine, profile_named
from engines.limits import Limit
from tests.mock_engine import MOCK_ENGINE

pytestmark = pytest.mark.engine("stockfish")

SLOW = "a second on a clock of a tenth"
SOUND = ("--info", "depth 4 {score} nodes 80 time 4 pv {move}")
# flags, the step whose name says what is wrong, and those that find it too
BROKEN: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "nothing": (SOUND, ()),
    "an illegal best move": (
        ("--illegal-best", *SOUND),
        ("bestmove-legal", "position-startpos", "moves-read"),
    ),
    "a nonsense variation and ponder move": (
        ("--illegal-ponder", "--info", "depth 4 {score} nodes 80 time 4 pv {move} a1b8"),
        ("pv-legal", "ponder-legal"),
    ),
    "two best moves": (("--bestmove-again", *SOUND), ("one-bestmove",)),
    "a false mate": (("--info", "depth 4 score mate 1 nodes 80 time 4 pv {move}"), ("mate-proven",)),
    "a score that is none": (
        ("--info", "depth 4 score banana nodes 80 time 4 pv {move}"),
        ("score-form", "info-content"),
    ),
    SLOW: (("--late", "1", *SOUND), ("go-clock",)),
}
# What is looked at in all: nothing here calls for rules beyond the answers it was told.
STEPS = (
    "handshake", "id-name", "id-author", "option-grammar", "idle", "isready", "isready-repeated", "new-game",
    "go-depth", "one-bestmove", "bestmove-form", "bestmove-legal", "ponder-legal", "pv-legal", "move-form",
    "info-numbers", "score-form", "info-content", "mate-proven", "position-startpos", "moves-read",
    "go-clock", "quit",
)  # fmt: skip

Named = Callable[..., tuple[Check, ...]]


def scripted(moves: Path, *flags: str) -> ResolvedEngine:
    command = (sys.executable, MOCK_ENGINE, "--moves", str(moves), *flags)
    profile = msgspec.structs.replace(profile_named("generic-uci"), name="scripted", command=command)
    return ResolvedEngine(profile, command, sys.executable)


@pytest.fixture
async def moves(tmp_path: Path) -> Path:
    """A file of Stockfish's answers to the positions of these steps."""
    texts = [
        *CHESS.survey, CHESS.lively, *CHESS.winning, CHESS.mate_in_one.text, CHESS.mate_in_two,
        CHESS.mated_next, *(trial.text for trial in CHESS.played),
    ]  # fmt: skip
    lines = []
    async with open_engine("stockfish") as engine:
        for text in texts:
            position = Position.parse(text)
            analysis = await engine.analyze(position, Limit(depth=6))
            assert analysis.best is not None
            lines.append(f"{analysis.best.move} {position.command('uci').removeprefix('position ')}\n")
    lines.append(f"{lines[0].split()[0]} startpos\n")
    lines.append(f"{CHESS.started.answers[0]} {CHESS.started.text}\n")
    path = tmp_path / "moves.txt"
    path.write_text("".join(lines), encoding="utf-8")
    return path


async def test_each_is_found_by_the_step_that_names_its_fault(moves: Path, named: Named) -> None:
    # a second a search adds up: the slow one is taken through what it is slow at
    taken = {SLOW: ("handshake", "idle", "isready", "go-clock", "quit")}
    runs = [
        conform(scripted(moves, *flags), steps=named(*taken.get(what, STEPS)))
        for what, (flags, _) in BROKEN.items()
    ]
    reports = await asyncio.gather(*runs)
    found = {
        what: {fault.step for fault in report.faults} for what, report in zip(BROKEN, reports, strict=True)
    }
    assert found == {what: set(expected) for what, (_, expected) in BROKEN.items()}
