"""Every engine at hand answers every position under every kind of limit, held against python-chess."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import chess
import msgspec
import pytest

from adapter import Analysis, Engine, EngineDied, EngineError, Limit, Mate, Position, open_engine
from adapter.engine import opened
from engines.discovery import resolve_engine

ENGINES = [
    pytest.param(name, marks=pytest.mark.engine(name))
    for name in ("stockfish", "fairy-stockfish", "gnuchess", "toga2", "glaurung", "builtin")
]
TABLE = Path(__file__).parents[1] / "cases" / "positions.jsonl"
ROWS: list[dict[str, Any]] = [json.loads(line) for line in TABLE.read_text(encoding="utf-8").splitlines()]

DEPTH, NODES, SECONDS, CLOCK_MS = 4, 3000, 0.1, 2000
LIMITS = {
    "depth": Limit(depth=DEPTH),
    "nodes": Limit(nodes=NODES),
    "seconds": Limit(seconds=SECONDS),
    "clock": Limit(wtime=CLOCK_MS, btime=CLOCK_MS, winc=20, binc=20),
    "mate": Limit(mate=1, seconds=SECONDS),
    "infinite": Limit(infinite=True),
}

# How many nodes a search for NODES may report. Engines that count for themselves look at the counter every
# thousand nodes or so, Glaurung now and then; where we count, an engine runs on until its next report.
MOST_NODES = {
    "stockfish": 2 * NODES,
    "fairy-stockfish": 2 * NODES,
    "builtin": NODES,
    "glaurung": 20 * NODES,
    "gnuchess": 100 * NODES,
    "toga2": 100 * NODES,
}

# GNU Chess is two processes, and the one that hands on what the other prints aborts at more than 4 kilobytes
# at a time. At dead draws, whose 63 depths fly by in as many milliseconds, that happens every other time,
# whatever program asks; elsewhere on a busy machine only.
KNOWN_DEATHS = {"gnuchess": "ForwardEngineOutputToUser"}
TRIES = 4  # after which an engine is given up


def board_of(row: dict[str, Any]) -> chess.Board:
    """The row's position, built by python-chess alone."""
    record, _, moves = row["text"].partition(" moves ")
    record = chess.STARTING_FEN if record == "startpos" else record
    board = chess.Board(record, chess960=row["variant"] == "chess960")
    for move in moves.split():
        board.push_uci(move)
    return board


def mates_in_one(board: chess.Board) -> list[chess.Move]:
    found = []
    for move in list(board.legal_moves):
        board.push(move)
        if board.is_checkmate():
            found.append(move)
        board.pop()
    return found


def rows_for(engine: Engine) -> list[dict[str, Any]]:
    return [row for row in ROWS if row["variant"] in engine.found.profile.variants]


def position_of(row: dict[str, Any]) -> Position:
    return Position.parse(row["text"], variant=row["variant"])


@pytest.mark.parametrize("row", ROWS, ids=[row["id"] for row in ROWS])
def test_the_table_says_what_python_chess_says(row: dict[str, Any]) -> None:
    board = board_of(row)
    assert board.is_valid()
    assert board.legal_moves.count() == row["legal"]
    mating = mates_in_one(board)
    assert (1 if mating else None) == row.get("mate")
    only = list(board.legal_moves) if row["legal"] == 1 else mating
    assert [board.uci(move) for move in only] == ([row["forced"]] if "forced" in row else [])
    if "forced" in row:
        board.push_uci(row["forced"])
        assert board.fen() == row["after"]
    outcome = board.outcome(claim_draw=False)
    if "outcome" in row:
        assert outcome is not None
        winner = {True: "white", False: "black", None: None}[outcome.winner]
        assert row["outcome"] == {"winner": winner, "reason": outcome.termination.name.lower()}


def test_the_table_holds_every_kind_of_position() -> None:
    kinds = {row["kind"] for row in ROWS}
    assert kinds == {
        "opening", "mate", "castling", "promotion", "en-passant", "check", "draw", "history", "over",
    }  # fmt: skip
    sides = {(row["kind"], board_of(row).turn) for row in ROWS}
    for kind in ("opening", "mate", "castling", "promotion", "en-passant", "check", "over"):
        assert {(kind, chess.WHITE), (kind, chess.BLACK)} <= sides
    forced = [row["forced"] for row in ROWS if "forced" in row]
    assert {"e1g1", "e1c1", "e8g8", "e8c8"} <= set(forced)
    assert {move[4] for move in forced if len(move) == 5} == {"q", "n"}
    assert max(len(board_of(row).move_stack) for row in ROWS) == 300


def examine(row: dict[str, Any], analysis: Analysis) -> None:
    """What must hold of every answer, whoever gave it and under whatever limit."""
    board = board_of(row)
    assert analysis.position.fen == board.fen()
    assert analysis.variant == row["variant"]
    if "outcome" in row:
        assert analysis.best is None
        assert msgspec.to_builtins(analysis.outcome) == row["outcome"]
        assert analysis.lines == ()
        return
    assert analysis.outcome is None
    assert analysis.complete
    assert analysis.best is not None
    after = board.copy()
    best = after.parse_uci(analysis.best.move)
    assert analysis.best.san == after.san(best)
    after.push(best)
    assert analysis.best.fen == after.fen()
    if "forced" in row:
        assert (analysis.best.move, analysis.best.fen) == (row["forced"], row["after"])
    if analysis.ponder is not None:
        after.push_uci(analysis.ponder.move)
        assert analysis.ponder.fen == after.fen()
    for line in analysis.lines:
        walk = board.copy()
        for move, san in zip(line.pv, line.pv_san, strict=True):
            played = walk.parse_uci(move)
            assert san == walk.san(played)
            walk.push(played)
        assert line.pv_fen == walk.fen()
        assert line.pv_cut_at is None
        if line.score is not None:
            assert line.score_white == (line.score if board.turn else line.score.flipped())


async def ask(engine: Engine, row: dict[str, Any], limit: Limit) -> float:
    """Asks about a row and holds the answer against it; an endless search is left at its first line. Returns
    the seconds it took."""
    position = position_of(row)
    for _ in range(1 if row["kind"] == "draw" else TRIES):
        start = time.monotonic()
        try:
            async with engine.stream(position, limit) as stream:
                async for line in stream:
                    if limit.infinite and line.pv:
                        break
        except EngineDied as death:
            if KNOWN_DEATHS.get(engine.found.profile.name, "?") not in str(death):
                raise
        else:
            took = time.monotonic() - start
            assert stream.analysis is not None
            examine(row, stream.analysis)
            _within(engine.found.profile.name, limit, row, stream.analysis, took)
            return took
    assert row["kind"] == "draw", f"{engine.name} died {TRIES} times of {row['id']}"
    return 0.0


@pytest.mark.parametrize("kind", LIMITS)
@pytest.mark.parametrize("name", ENGINES)
async def test_every_position_under_every_limit(
    name: str, kind: str, engine_path: Callable[[str], str], no_leaks_async: None
) -> None:
    engine_path(name)
    async with open_engine(name) as engine:
        for row in rows_for(engine):
            await ask(engine, row, LIMITS[kind])


def _within(name: str, limit: Limit, row: dict[str, Any], analysis: Analysis, took: float) -> None:
    """No run past its limit; times with ten times the goal's slack, a clock with none."""
    reached = analysis.lines[0] if analysis.lines else None
    if limit.depth is not None and reached is not None and reached.depth is not None:
        assert reached.depth <= limit.depth, row["id"]
    if limit.nodes is not None and reached is not None and reached.nodes is not None:
        assert reached.nodes <= limit.nodes // NODES * MOST_NODES[name], row["id"]
    if limit.seconds is not None:
        assert took < 10 * limit.seconds, row["id"]
    if limit.wtime is not None:
        assert took < limit.wtime / 1000, row["id"]
    if limit.mate is not None and analysis.outcome is None:
        missed = any(note.startswith(f"no mate in {limit.mate} was found") for note in analysis.notes)
        assert missed == ("mate" not in row), row["id"]
        assert ("mate" in row) == (analysis.score == Mate(1)), row["id"]


@pytest.mark.parametrize("name", ENGINES)
async def test_a_mate_ends_the_search_for_it(name: str, engine_path: Callable[[str], str]) -> None:
    """No time is named: an engine that keeps no `mate` is stopped by us at the mate it reports."""
    engine_path(name)
    async with open_engine(name) as engine:
        for row in rows_for(engine):
            if "mate" in row:
                assert await ask(engine, row, Limit(mate=1)) < 20


@pytest.mark.parametrize("name", ENGINES)
async def test_the_search_for_a_mate_that_is_not_there_ends(
    name: str, engine_path: Callable[[str], str]
) -> None:
    engine_path(name)
    async with open_engine(name) as engine:
        for row in rows_for(engine):
            if row["kind"] in ("check", "en-passant", "draw") and row["id"] != "repeated-thrice":
                assert await ask(engine, row, Limit(mate=1)) < 20


@pytest.mark.parametrize("name", ENGINES)
async def test_a_finished_game_starts_no_engine(name: str, engine_path: Callable[[str], str]) -> None:
    engine_path(name)
    async with opened(resolve_engine("chess", name), start=False) as engine:
        for row in rows_for(engine):
            if "outcome" in row:
                examine(row, await engine.analyze(position_of(row), Limit(infinite=True)))
        with pytest.raises(EngineError, match="is not running"):
            _ = engine.driver


BOOKS = [pytest.param(name, marks=pytest.mark.engine(name)) for name in ("gnuchess", "toga2", "glaurung")]


@pytest.mark.parametrize("name", BOOKS)
async def test_books_are_off_before_the_first_position(
    name: str, tmp_path: Path, engine_path: Callable[[str], str]
) -> None:
    engine_path(name)
    record = tmp_path / "talk.txt"
    async with open_engine(name, transcript=record) as engine:
        analysis = await engine.analyze("startpos", Limit(depth=3))
    sent = [line.split(" ", 2)[2] for line in record.read_text().splitlines() if " > " in line]
    assert "setoption name OwnBook value false" in sent
    first = next(at for at, line in enumerate(sent) if line.startswith("position"))
    assert sent.index("setoption name OwnBook value false") < first
    # a move out of a book comes without a search
    assert analysis.lines
    assert analysis.engine.options["OwnBook"] is False


@pytest.mark.parametrize("name", ENGINES)
async def test_the_whole_history_goes_to_the_engine(
    name: str, tmp_path: Path, engine_path: Callable[[str], str]
) -> None:
    engine_path(name)
    row = next(row for row in ROWS if row["kind"] == "history")
    record = tmp_path / "talk.txt"
    async with open_engine(name, transcript=record) as engine:
        analysis = await engine.analyze(row["text"], Limit(depth=1))
    line = next(line for line in record.read_text().splitlines() if "> position" in line)
    assert line.endswith(analysis.command)
    assert analysis.command.split(" moves ")[1] == row["text"].split(" moves ")[1]


@pytest.mark.nightly
@pytest.mark.parametrize("name", ENGINES)
async def test_a_longer_search_keeps_its_limit(name: str, engine_path: Callable[[str], str]) -> None:
    engine_path(name)
    async with open_engine(name) as engine:
        for row in rows_for(engine):
            await ask(engine, row, Limit(seconds=1.0))
            await ask(engine, row, Limit(nodes=200 * NODES, seconds=20))
