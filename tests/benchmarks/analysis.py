"""From FEN text to a checked analysis: `Pool.analyze` against python-chess and floor, one engine and two."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack

import chess

from adapter import Limit, Pool
from engines.discovery import resolve_engine
from tests.benchmarks.fen import questions
from tests.benchmarks.floor import Floor, best
from tests.benchmarks.measure import Benchmark, Result, at_least, at_most, interleaved
from tests.benchmarks.peers import python_chess


async def analyzed(pool: Pool, fens: Sequence[str], nodes: int) -> list[str]:
    """The records after the best moves, in order."""
    found = []
    async for result in pool.analyze(fens, Limit(nodes=nodes), ordered=True):
        assert result.analysis is not None
        assert result.analysis.best is not None
        found.append(result.analysis.best.fen)
    return found


async def visited(pool: Pool, fens: Sequence[str], nodes: int) -> int:
    """The nodes that were searched for all of them."""
    found = 0
    async for result in pool.analyze(fens, Limit(nodes=nodes), ordered=True):
        assert result.analysis is not None
        found += result.analysis.lines[0].nodes or 0
    return _nodes(found, len(fens), nodes)


def _nodes(found: int, count: int, nodes: int) -> int:
    # Which of two engines had which position before tells in its hash, and so in the nodes of each; the sum
    # is what was asked for, but for where an engine looks at its limit.
    wanted = count * nodes
    return wanted if abs(found - wanted) < wanted * 0.02 else found


def pooled(stack: ExitStack, runner: asyncio.Runner, size: int) -> Pool:
    """A pool of Stockfishes, open until the stack ends."""
    pool = runner.run(_entered(Pool("stockfish", size=size, options={"Threads": 1}, fallback=False)))
    stack.callback(lambda: runner.run(pool.__aexit__(None, None, None)))
    return pool


async def _entered(pool: Pool) -> Pool:
    return await pool.__aenter__()


def _one(quick: bool) -> Iterator[Result]:
    found = resolve_engine("chess", "stockfish", fallback=False)
    fens = questions(100)
    with ExitStack() as stack:
        runner = stack.enter_context(asyncio.Runner())
        floor = stack.enter_context(Floor(found.command))
        _, peer = stack.enter_context(python_chess(found.command, runner, nodes=1))
        pool = pooled(stack, runner, 1)
        moves = [best(floor.ask(_request(fen, 1))) for fen in fens]
        after = runner.run(analyzed(pool, fens, 1))
        assert after == peer(fens) == [_after(fen, move) for fen, move in zip(fens, moves, strict=True)]
        timings = interleaved(
            {
                "ours": lambda: runner.run(analyzed(pool, fens, 1)),
                "peer": lambda: peer(fens),
                "floor": lambda: [best(floor.ask(_request(fen, 1))) for fen in fens],
            },
            11 if quick else 101,
        )
    for name, over, under, goal in (
        ("FEN in, checked FEN out, against python-chess", "peer", "ours", at_least(2)),
        ("FEN in, checked FEN out, against the floor", "ours", "floor", at_most(1.6)),
    ):
        ratio = timings.ratio(over, under)
        other = over if under == "ours" else under
        yield Result(
            target=9,
            name=name,
            ours=timings.median("ours") / len(fens),
            peer=timings.median("peer") / len(fens) if other == "peer" else None,
            floor=timings.median("floor") / len(fens) if other == "floor" else None,
            ratio=ratio,
            goal=goal[0],
            met=goal[1](ratio),
            note="seconds a position",
        )


def _two(quick: bool) -> Iterator[Result]:
    """Two engines on two processors; the floor is two raw drivers that share the work out between them."""
    found = resolve_engine("chess", "stockfish", fallback=False)
    fens = questions(60 if quick else 200)
    nodes = 20_000
    with ExitStack() as stack:
        runner = stack.enter_context(asyncio.Runner())
        floors = [stack.enter_context(Floor(found.command)) for _ in range(2)]
        pool = pooled(stack, runner, 2)
        timings = interleaved(
            {
                "ours": lambda: runner.run(visited(pool, fens, nodes)),
                "floor": lambda: _shared(floors, [_request(fen, nodes) for fen in fens], nodes),
            },
            3 if quick else 9,
            same=True,
        )
    goal, judge = at_most(1.03)
    ratio = timings.ratio("ours", "floor")
    yield Result(
        target=10,
        name="two engines, 20,000 nodes, against two floors",
        ours=timings.median("ours") / len(fens),
        floor=timings.median("floor") / len(fens),
        ratio=ratio,
        goal=goal,
        met=judge(ratio),
        note="seconds a position",
    )


def _request(fen: str, nodes: int) -> bytes:
    return f"position fen {fen}\ngo nodes {nodes}".encode()


def _after(fen: str, move: str) -> str:
    board = chess.Board(fen)
    board.push_uci(move)
    return board.fen()


def _shared(floors: Sequence[Floor], requests: Sequence[bytes], nodes: int) -> int:
    left, found = iter(requests), []
    threads = [threading.Thread(target=_serve, args=(floor.ask, left, found)) for floor in floors]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return _nodes(sum(found), len(requests), nodes)


def _serve(ask: Callable[[bytes], bytes], left: Iterator[bytes], found: list[int]) -> None:
    for request in left:
        found.append(int(ask(request).rpartition(b" nodes ")[2].split(None, 1)[0]))


BENCHMARKS = (Benchmark("analysis", _one), Benchmark("two-engines", _two))
