"""Perft counted twice: by our own rules, and by an engine's `go perft`."""

from __future__ import annotations

import asyncio
import re
import threading

import msgspec

from adapter import games
from adapter.engine import Engine, search_options
from adapter.errors import EngineProtocolError
from adapter.games.base import Board
from adapter.perft import divide
from adapter.position import Position
from adapter.suite.case import SuiteCase
from engines.driver import EngineDriver
from engines.transcript import MemoryRecorder

POLL_SECONDS = 0.2  # between two checks whether the engine still runs
_MOVE = re.compile(r"([a-i]\d{1,2}[a-i]\d{1,2}[a-z]?): (\d+)")
_TOTAL = re.compile(r"Nodes searched\s*:\s*(\d+)")
# Output of an engine that took `go perft` for the start of a search.
_SEARCHING = re.compile(r"info .*\bdepth \d|bestmove\b|nobestmove\b")


class PerftCount(msgspec.Struct, frozen=True):
    """The number of lines of legal moves, in all and by first move (canonical)."""

    nodes: int
    by_move: dict[str, int]

    def agrees(self, other: PerftCount) -> bool:
        """Return whether another count is the same, also for each move if it has counts by move."""
        return self.nodes == other.nodes and other.by_move in ({}, self.by_move)

    def difference(self, other: PerftCount) -> dict[str, tuple[int | None, int | None]]:
        """Return the first moves whose counts differ, with both counts, None where one lacks the move.

        Nothing differs where the other has no counts by move.
        """
        moves = sorted(self.by_move.keys() | other.by_move.keys()) if other.by_move else ()
        pairs = {move: (self.by_move.get(move), other.by_move.get(move)) for move in moves}
        return {move: (one, another) for move, (one, another) in pairs.items() if one != another}

    def describe_difference(self, wrong: PerftCount) -> list[str]:
        """Return the same in words, for a count that is wrong."""
        return [
            f"{move} is not legal"
            if ours is None
            else f"{move} is missing"
            if theirs is None
            else f"{move}: {theirs} instead of {ours}"
            for move, (ours, theirs) in self.difference(wrong).items()
        ]


class OwnCounts:
    """Counts of our own rules, each made once for all engines of a run. Always `close` it."""

    def __init__(self) -> None:
        self._counts: dict[tuple[str, str, int], asyncio.Task[PerftCount]] = {}

    async def get(self, case: SuiteCase, depth: int) -> PerftCount:
        """Return our own count of a case's position."""
        key = case.variant, case.fen, depth
        if key not in self._counts:
            board = case.position.rules() if case.position else games.get(case.variant).board(case.fen)
            self._counts[key] = asyncio.create_task(own_count(board, depth))
        return await asyncio.shield(self._counts[key])

    async def close(self) -> None:
        """Cancel counts that are not finished."""
        for count in self._counts.values():
            count.cancel()
        await asyncio.gather(*self._counts.values(), return_exceptions=True)


async def own_count(board: Board, depth: int) -> PerftCount:
    """Count by our own rules, on a thread; a cancelled count ends with its next first move."""
    cancelled = threading.Event()

    def count() -> PerftCount:
        by_move: dict[str, int] = {}
        for move, nodes in divide(board, depth) if depth else ():
            by_move[move] = nodes
            if cancelled.is_set():
                break
        return PerftCount(sum(by_move.values()) if depth else 1, by_move)

    try:
        return await asyncio.to_thread(count)
    finally:
        cancelled.set()


async def engine_count(
    engine: Engine, recorder: MemoryRecorder, position: Position, depth: int
) -> PerftCount:
    """Return an engine's own count. `recorder` is the one the engine was made with.

    Raises EngineProtocolError for an engine without `go perft` (it is closed then), EngineTimeout when it
    does not finish within its profile's `search` deadline, EngineDied.
    """
    await engine.start()
    driver = engine.driver
    await driver.configure(search_options(driver.options, position.variant, 1))
    await driver.ask(position.command(driver.dialect), seconds=driver.profile.deadlines.ready)
    lines = recorder.listen()
    seconds = driver.profile.deadlines.search
    # Engines that count in a thread answer the `isready` behind it at once, others when they have counted,
    # and those that search instead possibly never.
    asked = asyncio.ensure_future(driver.ask(f"go perft {depth}", seconds=seconds))
    try:
        async with asyncio.timeout(seconds):
            count = await _read_count(lines, driver, position)
            if count is not None:
                await asked
                return count
    except TimeoutError:
        driver.fail(f"did not count to depth {depth} within {seconds:g} s")
    finally:
        asked.cancel()
        await asyncio.wait((asked,))
    failure = driver.failure
    await driver.close()
    raise failure or EngineProtocolError(
        f"{driver.name} knows no `go perft`: it began a search instead", engine=driver.name
    )


async def _read_count(
    lines: asyncio.Queue[str], driver: EngineDriver, position: Position
) -> PerftCount | None:
    """Read the count an engine prints; None if it searches instead or fails."""
    by_move: dict[str, int] = {}
    while driver.failure is None:
        try:
            async with asyncio.timeout(POLL_SECONDS):
                line = await lines.get()
        except TimeoutError:
            continue
        if match := _MOVE.fullmatch(line):
            by_move[position.read_wire(match[1], driver.dialect)] = int(match[2])
        elif match := _TOTAL.match(line):
            return PerftCount(int(match[1]), by_move)
        elif _SEARCHING.match(line):
            return None
    return None
