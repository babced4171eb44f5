"""Lines of legal moves counted twice: by our own rules, and by an engine's `go perft`."""

from __future__ import annotations

import asyncio
import re
import threading

import msgspec

from adapter.engine import Engine
from adapter.errors import EngineProtocolError
from adapter.games.base import Board
from adapter.perft import divide
from adapter.position import Position
from adapter.suite.tape import MemoryRecorder
from engines.driver import EngineDriver
from engines.options import OptionValue

LOOK = 0.2  # seconds between two looks at whether the engine still lives
_MOVE = re.compile(r"([a-i]\d{1,2}[a-i]\d{1,2}[a-z]?): (\d+)")
_TOTAL = re.compile(r"Nodes searched\s*:\s*(\d+)")
# What an engine prints that took `go perft` for the start of a search.
_SEARCHING = re.compile(r"info .*\bdepth \d|bestmove\b|nobestmove\b")


class PerftCount(msgspec.Struct, frozen=True):
    """How many lines of legal moves there are, and how many begin with each move (canonical)."""

    nodes: int
    by_move: dict[str, int]

    def agrees(self, other: PerftCount) -> bool:
        """Whether another count is the same, move by move where it tells of moves."""
        return self.nodes == other.nodes and other.by_move in ({}, self.by_move)


async def own_count(board: Board, depth: int) -> PerftCount:
    """Our own count, on a thread beside the event loop; a cancelled one ends with its next first move."""
    given_up = threading.Event()

    def work() -> PerftCount:
        by_move: dict[str, int] = {}
        for move, nodes in divide(board, depth) if depth else ():
            by_move[move] = nodes
            if given_up.is_set():
                break
        return PerftCount(sum(by_move.values()) if depth else 1, by_move)

    try:
        return await asyncio.to_thread(work)
    finally:
        given_up.set()


async def engine_count(engine: Engine, tape: MemoryRecorder, position: Position, depth: int) -> PerftCount:
    """The engine's count. `tape` is the record the engine was made with.

    Raises EngineProtocolError for an engine that knows no `go perft` (it is closed then), EngineTimeout when
    it does not come to an end within its profile's `search` deadline, EngineDied.
    """
    await engine.start()
    driver = engine.driver
    game: dict[str, OptionValue] = {
        "UCI_Variant": position.variant.uci_variant,
        "UCI_Chess960": position.variant.chess960,
    }
    await driver.configure({name: value for name, value in game.items() if name in driver.options})
    seconds = driver.profile.deadlines.ready
    await driver.ask(position.command(driver.dialect), until=None, seconds=seconds)
    heard = tape.listen()
    seconds = driver.profile.deadlines.search
    # Engines that count beside their listening answer the ping behind it at once, others when they are done;
    # those that search instead may never answer it.
    asked = asyncio.ensure_future(driver.ask(f"go perft {depth}", until=None, seconds=seconds))
    try:
        async with asyncio.timeout(seconds):
            count = await _read(heard, driver, position)
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


async def _read(heard: asyncio.Queue[str], driver: EngineDriver, position: Position) -> PerftCount | None:
    """The count in what the engine prints; None when it searches instead, and when it fails."""
    by_move: dict[str, int] = {}
    while driver.failure is None:
        try:
            async with asyncio.timeout(LOOK):
                line = await heard.get()
        except TimeoutError:
            continue
        if match := _MOVE.fullmatch(line):
            by_move[position.read_wire(match[1], driver.dialect)] = int(match[2])
        elif match := _TOTAL.match(line):
            return PerftCount(int(match[1]), by_move)
        elif _SEARCHING.match(line):
            return None
    return None


def differing(ours: PerftCount, theirs: PerftCount) -> dict[str, tuple[int | None, int | None]]:
    """The first moves whose counts differ, with ours and theirs, None where the one does not know the move;
    none where they do not tell of moves."""
    moves = sorted(ours.by_move.keys() | theirs.by_move.keys()) if theirs.by_move else ()
    pairs = {move: (ours.by_move.get(move), theirs.by_move.get(move)) for move in moves}
    return {move: (one, other) for move, (one, other) in pairs.items() if one != other}


def differences(ours: PerftCount, theirs: PerftCount) -> list[str]:
    """The same in words; `theirs` is what is held to be wrong."""
    told: list[str] = []
    for move, (right, wrong) in differing(ours, theirs).items():
        if right is None:
            told.append(f"{move} is not legal")
        elif wrong is None:
            told.append(f"{move} is missing")
        else:
            told.append(f"{move}: {wrong} instead of {right}")
    return told
