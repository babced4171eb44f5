"""A pool answers each position once, whatever becomes of its engines, its input and its reader."""

from __future__ import annotations

import asyncio
import itertools
import os
import random
import signal
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import aclosing, nullcontext
from pathlib import Path

import chess
import msgspec
import pytest

from adapter import (
    ConfigError,
    EngineDied,
    EngineError,
    EngineStartError,
    EngineTimeout,
    FenError,
    IllegalEngineMove,
    Limit,
    LimitError,
    MoveError,
    OptionError,
    Pool,
    PoolResult,
    Position,
    open_engine,
)
from engines.discovery import ResolvedEngine

pytestmark = pytest.mark.usefixtures("no_leaks_async")

Scripted = Callable[..., ResolvedEngine]
PATIENCE = 20.0  # seconds until something that must happen counts as not happening
DEPTH = Limit(depth=3)
SLOW = 30.0  # seconds; nothing here comes near on any machine


def numbered(move: int) -> str:
    """The start position as of that move: one of many in which e2e4 is legal."""
    return f"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 {move}"


def start_positions(count: int) -> list[str]:
    return [numbered(move) for move in range(1, count + 1)]


def random_positions(count: int, seed: int) -> list[str]:
    """Positions with a move to make, from random games."""
    rng = random.Random(seed)
    found: list[str] = []
    while len(found) < count:
        board = chess.Board()
        for _ in range(rng.randint(1, 60)):
            if not any(board.legal_moves):
                break
            board.push(rng.choice(list(board.legal_moves)))
        if any(board.legal_moves):
            found.append(board.fen())
    return found


def check_answer(result: PoolResult, fen: str) -> None:
    """By python-chess: the best move is legal in that very position and leads where it is said to."""
    assert result.error is None
    assert result.given == fen
    assert result.analysis is not None
    assert result.analysis.best is not None
    board = chess.Board(fen)
    board.push_uci(result.analysis.best.move)
    assert chess.Board(result.analysis.best.fen).fen() == board.fen()


def counted(
    tmp_path: Path, found: ResolvedEngine, *, starts: int = 1_000_000
) -> tuple[ResolvedEngine, Callable[[], int]]:
    """The same engine behind a program that counts its starts, and refuses those beyond a number."""
    log = tmp_path / "starts"
    log.touch()
    program = tmp_path / "engine.py"
    program.write_text(
        "import os, sys\n"
        f"log = {str(log)!r}\n"
        "with open(log, 'a') as file:\n"
        "    file.write('.')\n"
        f"if os.path.getsize(log) > {starts}:\n"
        "    sys.exit(7)\n"
        f"os.execv({sys.executable!r}, {list(found.command)!r})\n",
        encoding="utf-8",
    )
    return (
        ResolvedEngine(found.profile, (sys.executable, str(program)), found.path),
        lambda: len(log.read_text(encoding="utf-8")),
    )


async def all_of(results: AsyncIterator[PoolResult]) -> list[PoolResult]:
    async with asyncio.timeout(SLOW):
        return [result async for result in results]


async def gather(
    source: AsyncIterator[PoolResult], results: list[PoolResult], then: Callable[[], None] = lambda: None
) -> None:
    """Adds the results as they come, so that those before an error are seen too."""
    async with asyncio.timeout(SLOW):
        async for result in source:
            results.append(result)
            then()


def kill(pool: Pool, at: int) -> None:
    """Kills one of the pool's engines, if it lives."""
    driver = pool.engines[at].driver
    if driver.failure is None:
        try:
            os.kill(driver.pid, signal.SIGKILL)
        except ProcessLookupError:
            return


# --- answers -------------------------------------------------------------------------------------------


@pytest.mark.engine("stockfish")
@pytest.mark.parametrize("count", [400, pytest.param(2000, marks=pytest.mark.nightly)])
async def test_all_are_answered_once_though_an_engine_is_killed_every_fifty(
    engine_path: Callable[[str], str], count: int
) -> None:
    engine_path("stockfish")
    fens = random_positions(count, seed=5)
    answered: dict[int, PoolResult] = {}
    async with Pool("stockfish", size=2) as pool:
        async for result in pool.analyze(fens, Limit(nodes=3000)):
            assert result.index not in answered
            answered[result.index] = result
            if len(answered) % 50 == 0:
                kill(pool, len(answered) // 50 % 2)
    assert sorted(answered) == list(range(count))
    for index, result in answered.items():
        check_answer(result, fens[index])


@pytest.mark.engine("stockfish")
async def test_the_same_answers_as_one_engine_gives_one_after_another(
    engine_path: Callable[[str], str],
) -> None:
    engine_path("stockfish")
    fens = random_positions(60, seed=7)
    limit = Limit(nodes=2000)
    async with open_engine("stockfish") as engine:
        expected = [await engine.analyze(fen, limit, multipv=2, new_game=True) for fen in fens]
    async with Pool("stockfish", size=3) as pool:
        results = await all_of(pool.analyze(fens, limit, multipv=2, new_game=True, ordered=True))
    assert [result.index for result in results] == list(range(len(fens)))
    for analysis, result in zip(expected, results, strict=True):
        assert result.analysis is not None
        assert result.analysis.best == analysis.best
        assert [(line.score, line.pv) for line in result.analysis.lines] == [
            (line.score, line.pv) for line in analysis.lines
        ]


@pytest.mark.engine("fairy-xiangqi")
async def test_xiangqi_over_ucci(engine_path: Callable[[str], str]) -> None:
    engine_path("fairy-xiangqi")
    records = ["5a3/3ka4/5n3/9/9/9/9/9/9/4K1R2 w moves g0f0 d8d9", "startpos", "startpos moves h2e2"]
    async with Pool("fairy-xiangqi", size=2, variant="xiangqi") as pool:
        results = await all_of(pool.analyze(records, Limit(depth=3), ordered=True))
    for record, result in zip(records, results, strict=True):
        position = Position.parse(record, variant="xiangqi")
        assert result.position == position
        assert result.analysis is not None
        assert result.analysis.best is not None
        assert position.play(result.analysis.best.move).fen == result.analysis.best.fen


async def test_bad_records_are_results_and_cost_no_engine(scripted: Scripted, tmp_path: Path) -> None:
    found, starts = counted(tmp_path, scripted("--strict"))
    mated = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3"
    given = Position.parse("startpos moves e2e3 e7e6")
    records: list[str | Position] = [
        numbered(1),
        "rnbqkbnr/ppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "startpos moves e2e4 e7e5 e1e3",
        mated,
        "5a3/3ka4/5n3/9/9/9/9/9/9/4K1R2 w",
        "",
        numbered(2),
        given,
    ]
    async with Pool(found, size=2) as pool:
        results = await all_of(pool.analyze(records, DEPTH, ordered=True))
        assert [engine.driver.failure for engine in pool.engines] == [None, None]
    assert starts() == 2
    assert [result.index for result in results] == list(range(8))
    assert [result.given for result in results] == records
    kinds = [None, FenError, MoveError, None, ConfigError, FenError, None, IllegalEngineMove]
    assert [type(result.error) if result.error else None for result in results] == kinds
    assert [result.position is None for result in results] == [False, True, True, False, False, True] + [
        False
    ] * 2
    assert [result.analysis is None for result in results] == [kind is not None for kind in kinds]
    assert results[3].analysis is not None
    assert results[3].analysis.outcome is not None
    assert results[3].analysis.outcome.winner == "black"
    assert isinstance(results[2].error, MoveError)
    assert results[2].error.index == 2
    assert results[7].position is given
    assert isinstance(results[7].error, IllegalEngineMove)
    assert results[7].error.partial.position == given
    assert "< bestmove e2e4" in results[7].error.transcript_tail


@pytest.mark.engine("stockfish")
async def test_each_answer_tells_the_options_of_its_own_search(engine_path: Callable[[str], str]) -> None:
    """The next position's game is set while an answer is still to be read."""
    engine_path("stockfish")
    records = [numbered(1), "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9"] * 6
    async with Pool("stockfish", size=1) as pool:
        results = await all_of(pool.analyze(records, Limit(nodes=100), ordered=True))
    for result in results:
        assert result.analysis is not None
        chess960 = result.index % 2 == 1
        assert result.analysis.variant == ("chess960" if chess960 else "chess")
        assert result.analysis.engine.options.get("UCI_Chess960", False) is chess960


async def test_moves_to_search_are_read_in_each_position(scripted: Scripted) -> None:
    records = [numbered(1), "startpos moves e2e4", numbered(2)]
    async with Pool(scripted(), size=1) as pool:
        results = await all_of(pool.analyze(records, Limit(depth=3, searchmoves=("e4",)), ordered=True))
    assert [result.error is None for result in results] == [True, False, True]
    assert isinstance(results[1].error, MoveError)
    assert results[0].analysis is not None
    assert results[0].analysis.limit.searchmoves == ("e2e4",)


async def test_a_notation_the_game_has_not_costs_no_engine(scripted: Scripted) -> None:
    async with Pool(scripted("--die-after", "go"), size=1) as pool:
        results = await all_of(pool.analyze([numbered(1)], DEPTH, notation="wxf"))
    assert isinstance(results[0].error, ConfigError)


async def test_the_timeout_holds_for_each_position(scripted: Scripted) -> None:
    async with Pool(scripted("--endless", stop=5), size=2) as pool:
        results = await all_of(pool.analyze(start_positions(4), DEPTH, timeout=0.1))
    assert len(results) == 4
    for result in results:
        assert result.analysis is not None
        assert not result.analysis.complete
        assert result.analysis.best is not None


# --- engines that fail ---------------------------------------------------------------------------------


@pytest.mark.parametrize("ordered", [False, True])
async def test_a_position_that_kills_two_engines_is_set_aside(
    scripted: Scripted, tmp_path: Path, ordered: bool
) -> None:
    found, starts = counted(tmp_path, scripted("--strict", "--die-on", "- 0 3", "--exit", "SEGV"))
    fens = start_positions(12)
    async with Pool(found, size=1) as pool:
        results = await all_of(pool.analyze(fens, DEPTH, ordered=ordered))
    # one at the beginning, one after each death
    assert starts() == 3
    assert sorted(result.index for result in results) == list(range(12))
    if ordered:
        assert [result.index for result in results] == list(range(12))
    for result in results:
        if result.index == 2:
            assert isinstance(result.error, EngineDied)
            assert result.error.signal == signal.SIGSEGV
            assert str(result.error).startswith("set aside, it cost 2 engines: Scripted died (SIGSEGV)")
            assert result.error.partial.position == result.position
        else:
            check_answer(result, fens[result.index])


async def test_many_such_positions_in_a_row_do_not_end_the_rest(scripted: Scripted) -> None:
    """The engine answers the start position each time: it is not the engine's fault."""
    found = scripted("--die-on", "/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 1", "--exit", "3")
    fatal = [f"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 1{move} 50" for move in range(4)]
    async with Pool(found, size=2) as pool:
        results = await all_of(pool.analyze([*fatal, *start_positions(4)], DEPTH, ordered=True))
    assert [type(result.error) for result in results] == [EngineDied] * 4 + [type(None)] * 4


async def test_a_position_that_hangs_two_engines_is_set_aside(scripted: Scripted, tmp_path: Path) -> None:
    found, starts = counted(tmp_path, scripted("--freeze-on", "- 0 2", search=0.5, stop=0.3))
    async with Pool(found, size=1) as pool:
        results = await all_of(pool.analyze(start_positions(4), DEPTH, ordered=True))
    assert starts() == 3
    assert [type(result.error) for result in results] == [type(None), EngineTimeout, type(None), type(None)]
    assert "set aside, it cost 2 engines" in str(results[1].error)


@pytest.mark.parametrize("kills", [2, 3])
async def test_who_is_killed_from_outside_is_no_proof_against_a_position(
    scripted: Scripted, kills: int
) -> None:
    async with Pool(scripted("--think", "0.6"), size=1) as pool:
        gathering = asyncio.create_task(all_of(pool.analyze(start_positions(2), DEPTH, ordered=True)))
        killed: set[int] = set()
        while len(killed) < kills:
            await asyncio.sleep(0.2)
            # one that is there to be seen has started; it is at the first position, for its 0.6 seconds
            if pool.engines[0].driver.pid not in killed:
                killed.add(pool.engines[0].driver.pid)
                kill(pool, 0)
        results = await gathering
    assert [result.index for result in results] == [0, 1]
    assert results[1].error is None
    if kills < 3:
        assert results[0].error is None
    else:
        assert str(results[0].error).startswith("set aside, it cost 3 engines: Scripted died (SIGKILL)")


@pytest.mark.parametrize("size", [1, 2])
async def test_an_engine_that_answers_nothing_ends_the_run_and_no_position_is_blamed(
    scripted: Scripted, tmp_path: Path, size: int
) -> None:
    found, starts = counted(tmp_path, scripted("--die-after", "go", "--exit", "9"))
    results: list[PoolResult] = []
    async with Pool(found, size=size) as pool:
        with pytest.raises(EngineDied, match=r"exit code 9.*failed 4 times in a row") as caught:
            await gather(pool.analyze(start_positions(50), DEPTH), results)
    assert not results
    assert caught.value.exit_code == 9
    assert starts() == 4 * size


async def test_an_engine_that_cannot_be_started_fails_on_entering(scripted: Scripted) -> None:
    for flags in (("--die-after", "uci"), ("--die-after", "start")):
        with pytest.raises(EngineStartError, match="ended before it greeted"):
            async with Pool(scripted(*flags), size=2):
                pytest.fail("entered")
    with pytest.raises(OptionError, match="Fish"):
        async with Pool(scripted(), size=2, options={"Fish": 1}):
            pytest.fail("entered")


async def test_an_engine_that_cannot_be_started_again_is_left_out(scripted: Scripted, tmp_path: Path) -> None:
    """Its position goes to another; when that one is lost as well, the run ends with the reason."""
    found, starts = counted(tmp_path, scripted("--think", "0.02"), starts=2)
    fens = start_positions(2000)
    results: list[PoolResult] = []
    given_up_at: list[int] = []
    async with Pool(found, size=2) as pool:

        def on_result() -> None:
            if len(results) == 5:
                kill(pool, 0)
            if pool.engines[0].given_up and not given_up_at:
                given_up_at.append(len(results))
            if given_up_at == [len(results) - 20]:
                assert not pool.engines[1].given_up
                # all that was taken long ago is answered, what the lost one was at included
                assert {result.index for result in results} >= set(range(given_up_at[0]))
                kill(pool, 1)

        with pytest.raises(EngineStartError, match=r"exit code 7.*failed 4 times in a row"):
            await gather(pool.analyze(fens, DEPTH), results, on_result)
        assert len(results) in range(given_up_at[0] + 20, given_up_at[0] + 30)
        assert starts() == 2 + 3 + 3
        # what follows tries again
        with pytest.raises(EngineStartError, match=r"exit code 7"):
            await all_of(pool.analyze(fens, DEPTH))
        assert starts() > 8
        for engine in pool.engines:
            assert engine.given_up
    for result in results:
        check_answer(result, fens[result.index])


async def test_a_limit_the_engine_cannot_keep_ends_the_run(scripted: Scripted) -> None:
    found = scripted()
    clockless = msgspec.structs.replace(found.profile.capabilities, limits=("depth",))
    profile = msgspec.structs.replace(found.profile, capabilities=clockless)
    async with Pool(ResolvedEngine(profile, found.command, found.path), size=2) as pool:
        with pytest.raises(LimitError, match="clock"):
            await all_of(pool.analyze(start_positions(5), Limit(wtime=1000, btime=1000)))
        assert len(await all_of(pool.analyze(start_positions(5), DEPTH))) == 5


# --- the input and the reader --------------------------------------------------------------------------


class Counting:
    """An endless input that knows how far it was read."""

    def __init__(self) -> None:
        self.pulled = 0

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        self.pulled += 1
        return numbered(self.pulled % 300 + 1)


class Waiting(Counting):
    """The same, to be awaited."""

    def __aiter__(self) -> AsyncIterator[str]:
        return self._records()

    async def _records(self) -> AsyncIterator[str]:
        for record in itertools.islice(self, 1_000_000):
            await asyncio.sleep(0)
            yield record


@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.parametrize("kind", [Counting, Waiting])
@pytest.mark.parametrize("size", [1, 3])
async def test_an_endless_input_is_pulled_no_further_than_the_window(
    scripted: Scripted, kind: type[Counting], size: int, ordered: bool
) -> None:
    source = kind()
    window = 16 * size
    async with Pool(scripted(), size=size) as pool:
        assert source.pulled == 0
        read = 0
        async with aclosing(pool.analyze(source, DEPTH, ordered=ordered)) as results:
            assert source.pulled == 0
            async for result in results:
                read += 1
                if read % 10 == 0:
                    # a slow reader: the engines do what they may and then wait
                    async with asyncio.timeout(SLOW):
                        while source.pulled < read + window:  # noqa: ASYNC110 - an iterator tells nobody
                            await asyncio.sleep(0.005)
                    await asyncio.sleep(0.05)
                assert read <= source.pulled <= read + window
                assert result.error is None
                if ordered:
                    assert result.index == read - 1
                if read == 40:
                    break
        pulled = source.pulled
        await asyncio.sleep(0.05)
        assert source.pulled == pulled


async def test_endless_nonsense_is_not_pulled_without_end_either(scripted: Scripted) -> None:
    source = map(str, itertools.count())
    async with Pool(scripted(), size=2) as pool:
        read = 0
        async for result in pool.analyze(source, DEPTH, ordered=True):
            assert isinstance(result.error, FenError)
            assert result.given == str(read)
            read += 1
            if read == 50:
                break
    assert int(next(source)) <= 50 + 2 * 16


async def test_what_is_done_is_handed_out_while_the_input_waits(scripted: Scripted) -> None:
    answered = asyncio.Event()

    async def records() -> AsyncIterator[str]:
        yield numbered(1)
        yield numbered(2)
        await answered.wait()
        yield numbered(3)

    seen = []
    async with Pool(scripted(), size=3) as pool, asyncio.timeout(SLOW):
        async for result in pool.analyze(records(), DEPTH):
            seen.append(result.index)
            if len(seen) == 2:
                answered.set()
    assert sorted(seen) == [0, 1, 2]


async def test_as_done_a_slow_position_holds_up_none_and_in_order_it_does(scripted: Scripted) -> None:
    # the start position itself: the engine is not held to be broken because of it
    found = scripted("--die-on", "w KQkq - 0 1", "--exit", "3")
    async with Pool(found, size=2) as pool:
        loose = [result.index async for result in pool.analyze(start_positions(9), DEPTH)]
        strict = [result.index async for result in pool.analyze(start_positions(9), DEPTH, ordered=True)]
    assert sorted(loose) == list(range(9))
    assert loose[0] != 0
    assert strict == list(range(9))


@pytest.mark.parametrize("kind", ["plain", "asynchronous"])
@pytest.mark.parametrize("ordered", [False, True])
async def test_an_input_that_fails_does_so_after_what_came_before(
    scripted: Scripted, kind: str, ordered: bool
) -> None:
    def plain() -> Iterator[str]:
        yield from start_positions(7)
        raise KeyError("the file has gone")

    async def asynchronous() -> AsyncIterator[str]:
        for record in plain():
            yield record

    results: list[PoolResult] = []
    async with Pool(scripted(), size=3) as pool:
        source = plain() if kind == "plain" else asynchronous()
        with pytest.raises(KeyError, match="the file has gone"):
            await gather(pool.analyze(source, DEPTH, ordered=ordered), results)
        assert sorted(result.index for result in results) == list(range(7))
        assert len(await all_of(pool.analyze(start_positions(3), DEPTH))) == 3


async def test_empty_and_short_inputs(scripted: Scripted) -> None:
    async with Pool(scripted(), size=3) as pool:
        assert await all_of(pool.analyze([], DEPTH)) == []
        assert len(await all_of(pool.analyze(iter(start_positions(1)), DEPTH))) == 1
        assert len(await all_of(pool.analyze(tuple(start_positions(2)), DEPTH))) == 2


async def test_what_is_no_record_is_the_callers_error(scripted: Scripted) -> None:
    async with Pool(scripted(), size=1) as pool:
        with pytest.raises(TypeError):
            await all_of(pool.analyze([numbered(1), None], DEPTH))  # type: ignore[list-item]
        with pytest.raises(TypeError, match="give a list"):
            pool.analyze(numbered(1), DEPTH)
        with pytest.raises(TypeError, match="give a list"):
            pool.analyze(Position.parse("startpos"), DEPTH)  # type: ignore[arg-type]


async def test_a_pool_has_a_size_and_is_open(scripted: Scripted) -> None:
    for size in (0, -1):
        with pytest.raises(ConfigError, match=f"a pool of {size} engines"):
            Pool(scripted(), size=size)
    with pytest.raises(ConfigError, match="no-such-engine"):
        Pool("no-such-engine", size=1)
    pool = Pool(scripted(), size=1)
    with pytest.raises(ConfigError, match="not open"):
        pool.analyze([], DEPTH)
    async with pool:
        assert len(await all_of(pool.analyze(start_positions(2), DEPTH))) == 2
    with pytest.raises(ConfigError, match="not open"):
        pool.analyze([], DEPTH)


# --- leaving and cancelling ----------------------------------------------------------------------------


async def test_a_pool_is_whole_after_its_iterator_was_left(scripted: Scripted) -> None:
    async with Pool(scripted("--think", "0.01"), size=2) as pool:
        pids = [engine.driver.pid for engine in pool.engines]
        for stop_after in (1, 2, 5):
            seen = 0
            async for _ in pool.analyze(Counting(), DEPTH):
                seen += 1
                if seen == stop_after:
                    break
        assert len(await all_of(pool.analyze(start_positions(10), DEPTH))) == 10
        assert [engine.driver.pid for engine in pool.engines] == pids


async def test_a_kept_iterator_does_not_hold_the_pool(scripted: Scripted) -> None:
    async with Pool(scripted(), size=2) as pool:
        kept = pool.analyze(Counting(), DEPTH, ordered=True)
        assert (await anext(kept)).index == 0
        fens = start_positions(10)
        for result in await all_of(pool.analyze(fens, DEPTH)):
            check_answer(result, fens[result.index])
        assert (await anext(kept)).index == 1
    # the pool has gone, and what was left of its work with it
    with pytest.raises(EngineError, match="closed before all was answered"):
        await all_of(kept)


async def test_two_analyses_at_a_time_each_get_their_own(scripted: Scripted) -> None:
    fens = start_positions(40)
    async with Pool(scripted(), size=2) as pool:
        first, second = await asyncio.gather(
            all_of(pool.analyze(fens, DEPTH, ordered=True)),
            all_of(pool.analyze(fens[::-1], DEPTH, ordered=True)),
        )
    for results, given in ((first, fens), (second, fens[::-1])):
        for result, fen in zip(results, given, strict=True):
            check_answer(result, fen)


@pytest.mark.engine("stockfish")
@pytest.mark.parametrize("times", [40, pytest.param(400, marks=pytest.mark.nightly)])
async def test_cancelled_anywhere_it_leaves_nothing_and_answers_rightly(
    engine_path: Callable[[str], str], times: int
) -> None:
    engine_path("stockfish")
    rng = random.Random(11)
    fens = random_positions(60, seed=12)

    async def read(limit: Limit, ordered: bool, closing: bool) -> None:
        results = pool.analyze(fens, limit, ordered=ordered)
        async with aclosing(results) if closing else nullcontext():
            async for result in results:
                check_answer(result, fens[result.index])
                await asyncio.sleep(rng.choice((0, 0, 0.001)))

    async with Pool("stockfish", size=2) as pool:
        tasks_before = asyncio.all_tasks()
        for _ in range(times):
            limit = rng.choice((Limit(nodes=1), Limit(nodes=5000), Limit(depth=30), Limit(infinite=True)))
            closing = rng.random() < 0.5
            task = asyncio.create_task(read(limit, rng.random() < 0.5, closing))
            await asyncio.sleep(rng.random() ** 2 * 0.05)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            del task
            if not closing:
                # left in the middle of a loop, an asynchronous generator is ended by the event loop
                end = asyncio.get_running_loop().time() + PATIENCE
                while asyncio.all_tasks() != tasks_before and asyncio.get_running_loop().time() < end:  # noqa: ASYNC110
                    await asyncio.sleep(0.005)
            assert asyncio.all_tasks() == tasks_before
            picked = rng.sample(fens, 3)
            for result in await all_of(pool.analyze(picked, Limit(nodes=50))):
                check_answer(result, picked[result.index])
        assert [engine.driver.failure for engine in pool.engines] == [None, None]


@pytest.mark.parametrize("times", [12, pytest.param(120, marks=pytest.mark.nightly)])
async def test_cancelled_at_any_time_of_its_life_a_pool_is_gone(scripted: Scripted, times: int) -> None:
    """While engines start, search, die, are replaced, are ended: the fixture looks for what is left."""
    rng = random.Random(13)
    found = scripted("--think", "0.01", "--die-on", "- 0 9", "--exit", "SEGV")

    async def live() -> None:
        async with Pool(found, size=2) as pool:
            async for result in pool.analyze(Counting(), DEPTH):
                if result.index > 30:
                    break

    for _ in range(times):
        task = asyncio.create_task(live())
        await asyncio.sleep(rng.random() * 1.2)
        task.cancel()
        if rng.random() < 0.7:
            # once more, while it is about to end
            await asyncio.sleep(rng.random() ** 3 * 0.3)
            task.cancel()
        await asyncio.wait([task])
        assert asyncio.all_tasks() == {asyncio.current_task()}


@pytest.mark.parametrize("searching", [False, True])
async def test_cancelled_once_more_at_any_step_of_its_end_a_pool_is_gone(
    scripted: Scripted, searching: bool
) -> None:
    """A task that is cancelled before its first step never takes it: what it was to end would be left."""
    found = scripted("--think", "0.01")

    async def live() -> None:
        async with Pool(found, size=1) as pool:
            if searching:
                await all_of(pool.analyze(Counting(), DEPTH))
            await asyncio.sleep(SLOW)

    for steps in range(16):
        task = asyncio.create_task(live())
        await asyncio.sleep(0.4)
        task.cancel()
        for _ in range(steps):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task])
        assert asyncio.all_tasks() == {asyncio.current_task()}, steps


async def test_cancelled_with_an_engine_that_hears_nothing(scripted: Scripted) -> None:
    """The engine ignores `stop`, `quit` and SIGTERM: the pool is gone all the same."""
    async with Pool(scripted("--endless", "--ignore", "stop", "--stubborn"), size=2) as pool:
        reading = asyncio.create_task(all_of(pool.analyze(Counting(), Limit(infinite=True))))
        await asyncio.sleep(0.2)
        reading.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reading
        # the next one has to wait until it is found out, and gets new engines
        with pytest.raises(EngineError):
            await all_of(pool.analyze(start_positions(2), DEPTH, timeout=0.2))


async def test_who_else_wants_the_engine_waits_for_few_of_its_searches(scripted: Scripted) -> None:
    async with Pool(scripted("--think", "0.3"), size=1) as pool:
        records = [numbered(number) for number in range(1, 31)]
        async with aclosing(pool.analyze(records, DEPTH)) as results:
            await anext(results)
            before = pool.engines[0].searches
            async with asyncio.timeout(SLOW):
                await pool.engines[0].ping()
            assert pool.engines[0].searches - before <= 4


@pytest.mark.parametrize("read", [1, 2, 3])
async def test_who_leaves_between_answers_leaves_the_search_under_way_too(read: int) -> None:
    mates = [f"k7/8/1K6/8/8/8/8/7R w - - 0 {number}" for number in range(1, 7)]
    deep = Limit(depth=60)  # a mate in one is searched so deep in no time, the start position never
    async with Pool("stockfish", size=1, fallback=False) as pool:
        async with aclosing(pool.analyze([*mates[:read], numbered(1), *mates], deep)) as results:
            for _ in range(read):
                await anext(results)
        async with asyncio.timeout(SLOW):
            result = await anext(pool.analyze([numbered(2)], Limit(depth=1)))
        assert result.analysis is not None
        assert result.analysis.complete
