"""How cost grows: with the number of positions, a history's length, the lines asked for, and the engines.

Each row gives the time for the larger work; its `ratio` says how many times the smaller one's that is, its
goal how many times as much work it is, with a fifth to spare: nothing may grow faster than the work does.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import pairwise

import chess

from adapter import EngineIdentity, Limit, Position
from adapter.validate import make_request, validate_analysis
from engines.protocol import EngineProtocol
from engines.protocols import get
from engines.search import make_go_command
from tests.benchmarks.analysis import analyzed, pooled
from tests.benchmarks.fen import questions
from tests.benchmarks.measure import Benchmark, Result, at_most, interleaved

SPARE = 1.2
UCI = get("uci")
IDENTITY = EngineIdentity("written", "written", "uci", "", {})


def _rows(
    subject: str, unit: str, works: dict[int, Callable[[], object]], rounds: int, note: str
) -> Iterator[Result]:
    """A row for each size beyond the first, against the size before it."""
    timings = interleaved({str(size): work for size, work in works.items()}, rounds)
    sizes = list(works)
    for smaller, larger in pairwise(sizes):
        ratio = timings.ratio(str(larger), str(smaller), "cpu")
        goal, met = at_most(larger / smaller * SPARE)
        yield Result(
            target=None,
            name=f"growth, {subject}: {smaller:,} to {larger:,} {unit}",
            ours=timings.median(str(larger), "cpu"),
            floor=timings.median(str(smaller), "cpu"),
            ratio=ratio,
            goal=goal,
            met=met(ratio),
            note=f"processor {note}; `floor` is the time for {smaller:,}",
        )


def _positions(quick: bool) -> Iterator[Result]:
    fens = questions(1000)
    with ExitStack() as stack:
        runner = stack.enter_context(asyncio.Runner())
        pool = pooled(stack, runner, 1)

        def work(count: int) -> Callable[[], object]:
            given = [fens[at % len(fens)] for at in range(count)]
            return lambda: runner.run(analyzed(pool, given, 1))

        sizes = (1, 100, 2_000 if quick else 10_000)
        yield from _rows(
            "Pool.analyze",
            "positions",
            {size: work(size) for size in sizes},
            1 if quick else 3,
            "seconds a pass",
        )


def _history(quick: bool) -> Iterator[Result]:
    source, board = random.Random(5), chess.Board()
    while board.ply() < 300:
        quiet = [move for move in board.legal_moves if not board.is_capture(move)]
        board.push(source.choice(quiet or list(board.legal_moves)))
        if not any(board.legal_moves):
            board = chess.Board()
    moves = [move.uci() for move in board.move_stack]

    def work(plies: int) -> Callable[[], object]:
        text = f"startpos moves {' '.join(moves[:plies])}"

        def put() -> tuple[str, str]:
            position = Position.parse(text)
            return position.fen, position.command("uci")

        replayed = chess.Board()
        for move in moves[:plies]:
            replayed.push_uci(move)
        assert put()[0] == replayed.fen()
        return lambda: [put() for _ in range(20)]

    sizes = (1, 10, 100, 300)
    rounds = 5 if quick else 25
    yield from _rows("history", "plies", {s: work(s) for s in sizes}, rounds, "seconds for 20 positions read")


def _lines(quick: bool) -> Iterator[Result]:
    position = Position.parse(chess.STARTING_FEN)
    question = make_request(position, Limit(depth=20))
    line = (
        "info depth 20 seldepth 28 multipv {} score cp 21 nodes 5400321 nps 900000 hashfull 812 tbhits 0 "
        "time 6000 pv e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5a4 g8f6 e1g1 f8e7"
    )

    def work(count: int) -> Callable[[], object]:
        talk = "".join(line.format(rank) + "\n" for rank in range(1, count + 1)).encode()

        def go() -> int:
            session = EngineProtocol(UCI, UCI.capabilities)
            session.hello()
            session.feed(b"uciok\n")
            search = session.prepare(
                position.command(UCI), make_go_command(question.limit, UCI, UCI.capabilities, side="w")
            )
            session.launch(search)
            session.feed(b"readyok\n" + talk + talk + b"bestmove e2e4\n")
            analysis = validate_analysis(question, search, UCI, IDENTITY, search.request)
            return len(analysis.lines)

        assert go() == count
        return go

    sizes = (1, 10, 100, 500)
    rounds = 3 if quick else 15
    yield from _rows(
        "multipv", "lines", {s: work(s) for s in sizes}, rounds, "seconds to hear and judge an analysis"
    )


def _engines(quick: bool) -> Iterator[Result]:
    fens = questions(96 if quick else 240)
    sizes = (1, 2, 4, 8)
    with ExitStack() as stack:
        runner = stack.enter_context(asyncio.Runner())
        pools = {size: pooled(stack, runner, size) for size in sizes}

        def work(size: int) -> Callable[[], object]:
            return lambda: runner.run(analyzed(pools[size], fens, 5_000))

        timings = interleaved({str(size): work(size) for size in sizes}, 2 if quick else 7)
    goal, met = at_most(SPARE)
    for smaller, larger in pairwise(sizes):
        ratio = timings.ratio(str(larger), str(smaller))
        yield Result(
            target=None,
            name=f"growth, engines: {smaller} to {larger} of them on these processors",
            ours=timings.median(str(larger)),
            floor=timings.median(str(smaller)),
            ratio=ratio,
            goal=goal,
            met=met(ratio),
            note=f"seconds for {len(fens)} positions of 5,000 nodes; `floor` is the time with {smaller}",
        )


BENCHMARKS = (
    Benchmark("growth-positions", _positions),
    Benchmark("growth-history", _history),
    Benchmark("growth-lines", _lines),
    Benchmark("growth-engines", _engines),
)
