"""A run searches each position once, notes what cannot be searched, and can be gone on with."""

from __future__ import annotations

import asyncio
import gzip
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from adapter.bulk.inputs import Inputs
from adapter.bulk.item import ReadOptions
from adapter.bulk.local import LocalBackend
from adapter.bulk.run import CHUNK, BulkRun
from adapter.errors import ConfigError, EngineDied, EngineStartError
from engines.discovery import ResolvedEngine
from engines.limits import Limit

pytestmark = pytest.mark.usefixtures("no_leaks_async")

Make = Callable[..., Any]
MATED = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3"
XIANGQI = "5a3/3ka4/5n3/9/9/9/9/9/9/4K1R2 w - - 0 1"
BAD = "8/8/8/8/8/8/8/8 w - - 0 1"


@pytest.fixture
def write(tmp_path: Path) -> Make:
    def lines(*records: str, name: str = "a.fen") -> Path:
        path = tmp_path / name
        path.write_text("".join(f"{record}\n" for record in records))
        return path

    return lines


def wrapper(first: str, deadly: str, each: str) -> str:
    """A program that passes lines on to the engine named by its arguments behind the first: statements done
    at first and for each line, and the condition on a line that ends it with exit code 7."""
    return (
        f"import pathlib, subprocess, sys\n"
        f"{first}\n"
        f"child = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE)\n"
        f"for line in iter(sys.stdin.buffer.readline, b''):\n"
        f"    if {deadly}:\n"
        f"        child.kill()\n"
        f"        child.wait()\n"
        f"        sys.exit(7)\n"
        f"    {each}\n"
        f"    child.stdin.write(line)\n"
        f"    child.stdin.flush()\n"
        f"child.stdin.close()\n"
        f"child.wait()\n"
    )


async def searched(run: BulkRun, count: int) -> None:
    """Waits until a run has searched so many positions."""
    async with asyncio.timeout(60):
        while run.tally.searched < count:  # noqa: ASYNC110 - it tells of its progress to who asks, no more
            await asyncio.sleep(0.01)


def counts(summary: Any) -> dict[str, int]:
    tally = summary.tally
    names = ("records", "rejected", "repeated", "known", "searched", "failed")
    return {name: getattr(tally, name) for name in names if getattr(tally, name)}


def heard(found: ResolvedEngine, tmp_path: Path) -> tuple[ResolvedEngine, Callable[[], list[str]]]:
    """The engine with what it is told kept, and the lines it was told."""
    log = tmp_path / "heard.txt"
    script = wrapper("log = open(sys.argv[1], 'ab', buffering=0)", "False", "log.write(line)")
    command = (sys.executable, "-c", script, str(log), *found.command)
    return msgspec.structs.replace(found, command=command), lambda: log.read_text().splitlines()


async def test_each_position_is_searched_once(
    run: Make, write: Make, openings: Make, scripted: Make, tmp_path: Path, stored: Make
) -> None:
    fens = openings(5)
    found, told = heard(scripted(), tmp_path)
    summary = await run(write(*fens, *fens[:2], BAD, "", MATED, fens[0].replace("KQkq", "KQkq")), found=found)
    assert counts(summary) == {"records": 10, "rejected": 1, "repeated": 3, "searched": 6}
    assert summary.complete
    asked = [line for line in told() if line.startswith("position")]
    assert asked == [f"position fen {fen}" for fen in fens]
    # forgotten before each, so that no answer depends on those before it
    assert told().count("ucinewgame") == len(fens)
    assert stored("SELECT line, code FROM rejects") == [(8, "king-missing")]
    assert stored("SELECT count(*), count(DISTINCT position) FROM places") == [(9, 6)]
    assert stored("SELECT outcome FROM results WHERE best IS NULL") == [
        ('{"winner":"black","reason":"checkmate"}',)
    ]


async def test_many_batches_over_several_engines(
    run: Make, write: Make, openings: Make, stored: Make
) -> None:
    """More than a batch, a chunk and a window hold, with every position met again much later."""
    fens = openings(3 * CHUNK)
    summary = await run(write(*fens, *reversed(fens)), jobs=3)
    assert counts(summary) == {"records": 6 * CHUNK, "repeated": 3 * CHUNK, "searched": 3 * CHUNK}
    assert stored("SELECT count(*), count(DISTINCT position), min(best) FROM results") == [
        (3 * CHUNK, 3 * CHUNK, "e2e4")
    ]


async def test_going_on(run: Make, write: Make, openings: Make, stored: Make, tmp_path: Path) -> None:
    fens = openings(6)
    first, both = write(*fens[:4], BAD), write(*fens[2:], BAD, name="b.fen")
    assert counts(await run(first)) == {"records": 5, "rejected": 1, "searched": 4}
    said = r"holds 4 results of Scripted, depth 1 already, and .*a\.fen was read for it; give --resume"
    for files in ((first,), (both, first)):
        with pytest.raises(ConfigError, match=said):
            await run(*files)
    # another file is added unasked
    again = await run(both)
    assert counts(again) == {"records": 5, "rejected": 1, "known": 2, "searched": 2}
    assert counts(await run(first, both, resume=True)) == {
        "records": 10,
        "rejected": 2,
        "known": 8,
    }
    # another limit, another engine: beside the first in the same file
    assert counts(await run(both, limit=Limit(depth=2))) == {"records": 5, "rejected": 1, "searched": 4}
    assert counts(await run(both, flags=("--bestmove", "d2d4"))) == {
        "records": 5,
        "rejected": 1,
        "searched": 4,
    }
    rows = stored("SELECT search, count(*), min(best) FROM results GROUP BY search")
    assert rows == [(1, 6, "e2e4"), (2, 4, "e2e4"), (3, 4, "d2d4")]


async def test_a_game_the_engine_does_not_play(run: Make, write: Make, openings: Make, stored: Make) -> None:
    summary = await run(write(*openings(2), XIANGQI))
    assert counts(summary) == {"records": 3, "rejected": 1, "searched": 2}
    assert stored("SELECT search, variant, reason FROM refusals JOIN positions ON id = position") == [
        (1, "xiangqi", "it is a position of xiangqi, and Scripted plays chess, chess960")
    ]
    # that is no fault of the record's
    assert not stored("SELECT * FROM rejects")
    assert stored("SELECT line FROM places") == [(1,), (2,), (3,)]


async def test_the_first_sound_record_tells_the_game(write: Make, openings: Make, tmp_path: Path) -> None:
    """However many bad ones stand before it; and none is needed for an input without a sound one."""
    asked: list[str] = []

    def backend(game: str) -> LocalBackend:
        asked.append(game)
        raise EngineStartError("no such engine")

    path = write(*[BAD] * 300, XIANGQI, *openings(1))
    with pytest.raises(EngineStartError):
        await BulkRun(Inputs([path]), tmp_path / "r.sqlite", backend).run()
    assert asked == ["xiangqi"]
    whole = BulkRun(Inputs([write(*[BAD] * 300, name="bad.fen")]), tmp_path / "r.sqlite", backend)
    assert counts(await whole.run()) == {"records": 300, "rejected": 300}
    assert (asked, whole.summary.search) == (["xiangqi"], None)
    named = BulkRun(Inputs([path]), tmp_path / "r.sqlite", backend, reading=ReadOptions(variant="chess"))
    with pytest.raises(EngineStartError):
        await named.run()
    assert asked == ["xiangqi", "chess"]


async def test_a_position_that_costs_the_engine_twice_is_set_aside(
    run: Make, write: Make, openings: Make, scripted: Make, stored: Make, tmp_path: Path
) -> None:
    """By a real engine's wrapper that dies whenever it is asked about one certain record."""
    fens = openings(6)
    script = wrapper("", "sys.argv[1].encode() in line", "pass")
    plain = scripted()
    found = msgspec.structs.replace(plain, command=(sys.executable, "-c", script, fens[3], *plain.command))
    summary = await run(write(*fens), found=found)
    assert counts(summary) == {"records": 6, "searched": 6, "failed": 1}
    (failure,) = summary.tally.failures
    assert "a.fen:4: set aside, it cost 2 engines" in failure
    ((error, code),) = stored("SELECT error, code FROM results WHERE best IS NULL")
    assert code == "EngineDied"
    assert "exit code 7" in error
    # tried again by a run that goes on, once however often it stands there
    again = await run(write(*fens, fens[3], fens[3]), found=found, resume=True)
    assert counts(again) == {"records": 8, "known": 5, "repeated": 2, "searched": 1, "failed": 1}
    (failure,) = again.tally.failures
    assert "a.fen:4: set aside, it cost 2 engines" in failure
    # the same command with an engine that was mended meanwhile
    mended = tmp_path / "deadly.txt"
    script = wrapper("", "(mark := pathlib.Path(sys.argv[1])).exists() and mark.read_bytes() in line", "pass")
    found = msgspec.structs.replace(
        plain, command=(sys.executable, "-c", script, str(mended), *plain.command)
    )
    mended.write_text(fens[3])
    assert counts(await run(write(*fens), found=found)) == {"records": 6, "searched": 6, "failed": 1}
    mended.unlink()
    healed = await run(write(*fens, fens[3]), found=found, resume=True)
    assert counts(healed) == {"records": 7, "known": 5, "repeated": 1, "searched": 1}
    assert stored("SELECT search, count(*), count(best) FROM results GROUP BY search") == [
        (1, 6, 5),
        (2, 6, 6),
    ]


async def test_an_engine_that_is_given_up_ends_the_run_with_what_was_found(
    run: Make, write: Make, openings: Make, stored: Make, scripted: Make, tmp_path: Path
) -> None:
    """It answers twice in the first of its lives, and not at all in the others."""
    first = "mark = pathlib.Path(sys.argv[1]); left = 0 if mark.exists() else 2; mark.touch()"
    script = wrapper(first, "line.startswith(b'go') and not left", "left -= line.startswith(b'go')")
    plain = scripted()
    mark = tmp_path / "mark"
    found = msgspec.structs.replace(plain, command=(sys.executable, "-c", script, str(mark), *plain.command))
    with pytest.raises(EngineDied, match="not started again"):
        await run(write(*openings(9)), found=found)
    assert stored("SELECT count(*) FROM results WHERE best = 'e2e4'") == [(2,)]
    mark.unlink()
    with pytest.raises(EngineDied):
        await run(write(*openings(9)), found=found, resume=True)
    assert stored("SELECT count(*) FROM results WHERE best = 'e2e4'") == [(4,)]


async def test_a_run_that_is_cancelled_keeps_what_was_found(
    write: Make, openings: Make, scripted: Make, stored: Make, tmp_path: Path
) -> None:
    found = scripted("--think", "0.01")
    whole = BulkRun(
        Inputs([write(*openings(2000))]),
        tmp_path / "r.sqlite",
        lambda game: LocalBackend(found, Limit(depth=1), jobs=2, multipv=1, options={}),
    )
    task = asyncio.create_task(whole.run())
    await searched(whole, 20)
    seats = whole.seats
    assert [(seat.name, seat.state, seat.restarts) for seat in seats] == [("Scripted", "running", 0)] * 2
    assert sum(seat.answered for seat in seats) >= 19
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not whole.summary.complete
    assert stored("SELECT count(*) FROM results") == [(whole.tally.searched,)]


async def test_an_input_that_breaks_off_is_searched_as_far_as_it_goes(
    run: Make, openings: Make, stored: Make, tmp_path: Path
) -> None:
    path = tmp_path / "a.fen.gz"
    path.write_bytes(gzip.compress("\n".join(openings(2500)).encode())[:-200])
    with pytest.raises(ConfigError, match="damaged"):
        await run(path)
    ((found,),) = stored("SELECT count(*) FROM results")
    assert found > 300
    assert stored("SELECT count(*) FROM places") == [(found,)]


async def test_how_far_it_is(write: Make, openings: Make, scripted: Make, tmp_path: Path) -> None:
    found = scripted()
    whole = BulkRun(
        Inputs([write(*openings(4000))]),
        tmp_path / "r.sqlite",
        lambda game: LocalBackend(found, Limit(depth=1), jobs=1, multipv=1, options={}),
    )
    assert whole.total is None
    task = asyncio.create_task(whole.run())
    await searched(whole, 100)
    guess = whole.total
    await task
    assert guess is not None
    assert 3000 < guess < 5000
    assert whole.total == 4000
    assert whole.tally.speed > 0
