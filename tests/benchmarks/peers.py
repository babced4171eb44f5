"""The peers: python-chess' engine module and PyPI's `stockfish`, asked as their documentation has it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import chess
import chess.engine

Ask = Callable[[Sequence[str]], list[str]]  # records in, best moves out


@contextmanager
def python_chess(
    command: Sequence[str], runner: asyncio.Runner, *, nodes: int
) -> Iterator[tuple[Callable[[Sequence[chess.Board]], list[str]], Callable[[Sequence[str]], list[str]]]]:
    """Its asynchronous `analyse`, one call after another: over boards that are ready (best moves come back),
    and from records to checked updated records: board, `analyse`, `push`, `fen`."""
    limit = chess.engine.Limit(nodes=nodes)
    transport, engine = runner.run(_started(command))

    async def boards(given: Sequence[chess.Board]) -> list[str]:
        return [(await engine.analyse(board, limit))["pv"][0].uci() for board in given]

    async def records(given: Sequence[str]) -> list[str]:
        found = []
        for fen in given:
            board = chess.Board(fen)
            info = await engine.analyse(board, limit)
            board.push(info["pv"][0])
            found.append(board.fen())
        return found

    try:
        yield lambda given: runner.run(boards(given)), lambda given: runner.run(records(given))
    finally:
        runner.run(engine.quit())
        transport.close()


async def _started(
    command: Sequence[str],
) -> tuple[asyncio.SubprocessTransport, chess.engine.UciProtocol]:
    transport, engine = await chess.engine.popen_uci(list(command))
    if "Threads" in engine.options:
        await engine.configure({"Threads": 1})
    return transport, engine


@contextmanager
def pypi_stockfish(path: str, *, nodes: int) -> Iterator[Ask]:
    """`set_fen_position` and `get_top_moves`, which is how it is asked for so many nodes."""
    from stockfish import Stockfish  # the `bench` extra

    engine = Stockfish(path, num_nodes=nodes)

    def ask(given: Sequence[str]) -> list[str]:
        found = []
        for fen in given:
            engine.set_fen_position(fen, do_validation=False)
            found.append(str(engine.get_top_moves(1, num_nodes=nodes)[0]["Move"]))
        return found

    try:
        yield ask
    finally:
        engine.send_quit_command()
        pipes = engine._stockfish
        pipes.communicate()
