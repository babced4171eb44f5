"""A protocol is one file: USI, registered from outside, drives a real engine."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest

from engines import protocols
from engines.connection import LineConnection
from engines.driver import EngineDriver
from engines.info import Info
from engines.limits import Limit
from engines.profile import Profile, read
from engines.search import make_go_command
from tests.engines.usi_protocol import DIALECT

pytestmark = pytest.mark.usefixtures("no_leaks_async")

START = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL[-] b 0 1"
# Sente's gold in hand mates on 1b; the lone king of Gote stands on 1a
MATE_IN_ONE = "8k/9/8P/9/9/9/9/9/K8[G] b 0 1"


@pytest.fixture(autouse=True)
def registered() -> Iterator[None]:
    """USI among the protocols, for one test."""
    names = [*protocols.NAMES]
    protocols.register(DIALECT)
    yield
    protocols.NAMES[:] = names


@pytest.fixture
def fairy(engine_path: Callable[[str], str]) -> Profile:
    data = {
        "name": "fairy-shogi",
        "command": [engine_path("fairy-stockfish")],
        "protocol": "usi",
        "variant": "shogi",
    }
    return read(data, Path("fairy-shogi.toml"))


MOVES = [("c3c4", "7g7f"), ("P@e5", "P*5e"), ("b2h8+", "8h2b+"), ("i9a1", "1a9i")]


@pytest.mark.parametrize(("canonical", "text"), MOVES)
def test_moves_both_ways(canonical: str, text: str) -> None:
    assert DIALECT.encode_move(canonical, 1) == text
    assert DIALECT.decode_move(text, 1) == DIALECT.decode_move(text.lower(), 1) == canonical


@pytest.mark.parametrize("text", ["e2e4", "7g7", "7g7f#", "", "K*5e", "0a1b"])
def test_what_is_no_move(text: str) -> None:
    with pytest.raises(ValueError, match="has not the shape of a move"):
        DIALECT.decode_move(text, 1)


def test_positions() -> None:
    assert DIALECT.position_command(START, ["7g7f"]) == (
        "position sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1 moves 7g7f"
    )
    assert DIALECT.position_command("8k/9/9/9/9/9/9/9/K8[GPPgg] w 0 3", []) == (
        "position sfen 8k/9/9/9/9/9/9/9/K8 w G2P2g 6"
    )


async def test_the_handshake_tells_the_protocol(fairy: Profile) -> None:
    talk = await LineConnection.open(fairy.command, name="fairy")
    try:
        talk.send(DIALECT.hello)
        *_, last = await talk.expect(DIALECT.words_for("hello"), 20)
        assert last.text == "usiok"
        talk.send("isready")
        assert [line.text for line in await talk.expect(lambda text: text == "readyok", 20)][-1] == "readyok"
    finally:
        assert await talk.close(quit_line=DIALECT.quit, grace=20) == 0


async def test_a_search_and_a_stream(fairy: Profile) -> None:
    driver = await EngineDriver.open(fairy, fairy.command, options={"UCI_Variant": "shogi"})
    try:
        assert driver.name.startswith("Fairy-Stockfish")
        assert driver.dialect.name == "usi"
        go = make_go_command(Limit(depth=4), driver.dialect, fairy.capabilities, side="b")
        position = DIALECT.position_command(START, ["7g7f"])
        search = await driver.result(await driver.submit(position, go, options={"MultiPV": 2}))
        assert search.best is not None
        assert DIALECT.decode_move(search.best, 1)[1] in "789", "Gote's pieces stand on the upper ranks"
        assert [info.multipv for info in search.lines()] == [1, 2]
        assert search.lines()[0].depth == 4
        assert search.faults == []

        task = await driver.submit(position, go, streamed=True)
        infos: list[Info] = []
        while not task.done.done():
            await task.news.wait()
            task.news.clear()
            infos += driver.reports(task)
        assert [info.depth for info in infos if info.multipv == 1] == [1, 2, 3, 4]
        for info in infos:
            assert all(DIALECT.decode_move(move, 1) for move in info.pv)
    finally:
        await driver.close()


async def test_mates_are_counted_in_moves_and_the_mated_resign(fairy: Profile) -> None:
    driver = await EngineDriver.open(fairy, fairy.command)
    try:
        go = make_go_command(Limit(depth=6), driver.dialect, fairy.capabilities, side="w")
        search = await driver.result(await driver.submit(DIALECT.position_command(MATE_IN_ONE, []), go))
        assert search.best == "g*1b"
        assert msgspec.to_builtins(search.lines()[0].score) == {"mate": 1}
        mated = DIALECT.position_command(MATE_IN_ONE, ["G*1b"])
        search = await driver.result(await driver.submit(mated, go))
        assert (search.best, search.word) == (None, "resign")
        assert msgspec.to_builtins(search.lines()[0].score) == {"mate": 0}
    finally:
        await driver.close()
