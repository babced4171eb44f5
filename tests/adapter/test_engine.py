"""Positions to a real engine and back: what is sent, what is refused, what becomes of each search."""

from __future__ import annotations

import asyncio
import random
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import chess
import msgspec
import pytest

from adapter import (
    Analysis,
    ConfigError,
    EngineDied,
    EngineError,
    EngineProtocolError,
    EngineStartError,
    EngineTimeout,
    FenError,
    IllegalEngineMove,
    Limit,
    LimitError,
    Mate,
    MoveError,
    OptionError,
    Outcome,
    Position,
    open_engine,
)
from adapter.engine import SEARCH_OPTIONS, opened
from engines.discovery import ResolvedEngine, resolve_engine
from tests.mock_engine import MOCK_ENGINE

pytestmark = pytest.mark.usefixtures("no_leaks_async")

Scripted = Callable[..., ResolvedEngine]
DEPTH = Limit(depth=3)
ENDLESS = Limit(infinite=True)
SLOW = 20.0  # seconds; nothing here comes near on any machine
MATED = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3"
NINE_SIXTY = "1r2k1r1/pppppppp/8/8/8/8/PPPPPPPP/1R2K1R1 w GBgb - 0 1 moves e1g1 e8b8"
XIANGQI = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1"


def talk(transcript: Path, sign: str = ">") -> list[str]:
    """What went over the wire in one direction, line by line."""
    lines = [line.split(" ", 2) for line in transcript.read_text(encoding="utf-8").splitlines()]
    return [line[2] for line in lines if line[1] == sign]


def searches(transcript: Path) -> list[list[str]]:
    """What was sent for each search: everything behind the last one's `go`, up to its own."""
    found: list[list[str]] = [[]]
    for line in talk(transcript):
        found[-1].append(line)
        if line.split()[0] == "go":
            found.append([])
    return found[:-1]


# --- what is set before a search -------------------------------------------------------------------------


@pytest.mark.engine("stockfish")
async def test_the_game_is_set_before_the_position_and_only_where_it_changes(
    tmp_path: Path, engine_path: Callable[[str], str]
) -> None:
    engine_path("stockfish")
    record = tmp_path / "talk.txt"
    async with open_engine("stockfish", transcript=record) as engine:
        for text, variant in (
            (NINE_SIXTY, "chess960"),
            (NINE_SIXTY, "chess960"),
            ("startpos moves e2e4", "chess"),
            ("startpos", "chess"),
        ):
            analysis = await engine.analyze(Position.parse(text, variant=variant), DEPTH)
            assert analysis.best is not None
    first, second, third, fourth = searches(record)
    assert "setoption name UCI_Chess960 value true" in first
    # castling is king takes rook, and the option stands before the position it is for
    assert first[-2].endswith("moves e1g1 e8b8")
    assert first.index("setoption name UCI_Chess960 value true") < len(first) - 2
    assert not any("UCI_Chess960" in line for line in second)
    assert "setoption name UCI_Chess960 value false" in third
    assert not any("UCI_Chess960" in line for line in fourth)
    for sent in (first, second, third, fourth):
        assert sent[-3] == "isready"
        assert sent[-2].startswith("position fen ")
        assert sent[-1] == "go depth 3"


@pytest.mark.engine("stockfish")
async def test_castling_in_chess960_comes_back_as_king_takes_rook(engine_path: Callable[[str], str]) -> None:
    engine_path("stockfish")
    text = "8/1B6/8/2p3pb/6P1/8/7Q/k4KR1 w G - 0 1"
    async with open_engine("stockfish") as engine:
        analysis = await engine.analyze(Position.parse(text, variant="chess960"), Limit(depth=6))
        assert analysis.best is not None
        assert (analysis.best.move, analysis.best.san) == ("f1g1", "O-O#")
        # the same engine, asked about the game of the standard array
        analysis = await engine.analyze("8/8/2bp4/8/1P1Q4/8/p7/1Bk1K2R w K - 0 1", Limit(depth=6))
        assert analysis.best is not None
        assert (analysis.best.move, analysis.best.san) == ("e1g1", "O-O#")
        assert analysis.engine.options["UCI_Chess960"] is False


@pytest.mark.engine("stockfish")
async def test_the_number_of_lines_is_set_and_set_back(
    tmp_path: Path, engine_path: Callable[[str], str]
) -> None:
    engine_path("stockfish")
    record = tmp_path / "talk.txt"
    async with open_engine("stockfish", transcript=record) as engine:
        for wanted in (1, 3, 3, 1):
            analysis = await engine.analyze("startpos", Limit(depth=5), multipv=wanted)
            assert [line.multipv for line in analysis.lines] == list(range(1, wanted + 1))
            assert analysis.best is not None
            assert len({line.pv[0] for line in analysis.lines}) == wanted
            assert analysis.lines[0].pv[0] == analysis.best.move
        # more lines than there are moves
        analysis = await engine.analyze("5Kr1/3q4/1p5n/6QN/4kPR1/8/8/8 w - - 0 1", Limit(depth=5), multipv=4)
        assert [line.multipv for line in analysis.lines] == [1]
    sets = [[line for line in sent if "MultiPV" in line] for sent in searches(record)]
    word = "setoption name MultiPV value"
    assert sets == [[], [f"{word} 3"], [], [f"{word} 1"], [f"{word} 4"]]


async def test_options_are_sent_in_the_engines_spelling_threads_first(
    scripted: Scripted, tmp_path: Path
) -> None:
    record = tmp_path / "talk.txt"
    wishes = {
        "hash": 32,
        "CLEAR HASH": None,
        "style": "very risky",
        "ponder": True,
        "threads": 2,
        "book file": "",
    }
    async with opened(scripted(), options=wishes, transcript=record) as engine:
        analysis = await engine.analyze("startpos", DEPTH)
    sent = [line for line in talk(record) if line.startswith("setoption")]
    assert sent[0] == "setoption name Threads value 2"
    assert set(sent[1:]) == {
        "setoption name Hash value 32",
        "setoption name Clear Hash",
        "setoption name Style value Very Risky",
        "setoption name Ponder value true",
        "setoption name Book File value <empty>",
    }
    options = analysis.engine.options
    assert (options["Threads"], options["Hash"], options["Ponder"]) == (2, 32, True)
    assert options["Style"] == "Very Risky"


async def test_options_of_a_search_hold_until_they_are_changed(scripted: Scripted, tmp_path: Path) -> None:
    record = tmp_path / "talk.txt"
    async with opened(scripted(), transcript=record) as engine:
        await engine.analyze("startpos", DEPTH, options={"Hash": 64})
        await engine.analyze("startpos", DEPTH)
        await engine.analyze("startpos", DEPTH, options={"hash": 64})
        await engine.analyze("startpos", DEPTH, options={"Hash": 16})
    sets = [[line for line in sent if line.startswith("setoption")] for sent in searches(record)]
    assert sets == [["setoption name Hash value 64"], [], [], ["setoption name Hash value 16"]]


REFUSED = [
    ({"Hsh": 64}, "offers no option 'Hsh'; did you mean Hash"),
    ({"Hash": 4096}, "Hash 4096 lies outside 1..1024"),
    ({"Hash": "much"}, "Hash is a whole number, not 'much'"),
    ({"Ponder": "perhaps"}, "Ponder is a switch"),
    ({"Style": "wild"}, "Style is one of Solid, Normal, Very Risky"),
    ({"Clear Hash": "now"}, "Clear Hash is a button"),
    ({"Book File": "book\nquit"}, "Book File holds a line break"),
    ({"Book File": "book\0"}, "Book File holds a NUL"),
    ({"Hash": 32, "Nonsense": 1}, "offers no option 'Nonsense'"),
]


@pytest.mark.parametrize(("options", "said"), REFUSED, ids=[said for _, said in REFUSED])
async def test_an_option_that_cannot_be_had_is_refused_and_nothing_is_sent(
    scripted: Scripted, tmp_path: Path, options: dict[str, int | str], said: str
) -> None:
    record = tmp_path / "talk.txt"
    async with opened(scripted(), transcript=record) as engine:
        with pytest.raises(OptionError, match=said):
            await engine.analyze("startpos", DEPTH, options=options)
        with pytest.raises(OptionError, match=said):
            await engine.configure(options)
        analysis = await engine.analyze("startpos", DEPTH)
        assert analysis.best is not None
    assert not any(line.startswith("setoption") for line in talk(record))
    with pytest.raises(OptionError, match=said):
        async with opened(scripted(), options=options):
            raise AssertionError("an engine was opened with options it does not have")


@pytest.mark.parametrize("name", ["MultiPV", "uci_chess960", "UCI_Variant"])
async def test_what_follows_from_the_question_is_not_set_by_hand(scripted: Scripted, name: str) -> None:
    """With UCI_Chess960 set against the game, Stockfish would drop the castling moves of the history."""
    assert name.lower() in SEARCH_OPTIONS
    with pytest.raises(OptionError, match=f"{name} is not set by hand"):
        async with opened(scripted(), options={name: 1}):
            raise AssertionError("opened all the same")
    async with opened(scripted()) as engine:
        with pytest.raises(OptionError, match=f"{name} is not set by hand"):
            await engine.analyze("startpos", DEPTH, options={name: 1})
        with pytest.raises(OptionError, match=f"{name} is not set by hand"):
            await engine.configure({name: 1})
        assert (await engine.analyze("startpos", DEPTH)).best is not None


@pytest.mark.engine("gnuchess")
async def test_several_lines_of_an_engine_that_has_one_are_refused(engine_path: Callable[[str], str]) -> None:
    engine_path("gnuchess")
    async with open_engine("gnuchess") as engine:
        with pytest.raises(OptionError, match="offers no option 'MultiPV'"):
            await engine.analyze("startpos", DEPTH, multipv=2)
        assert (await engine.analyze("startpos", DEPTH)).best is not None


async def test_a_new_game_is_announced_before_the_position(scripted: Scripted, tmp_path: Path) -> None:
    record = tmp_path / "talk.txt"
    async with opened(scripted("--strict"), transcript=record) as engine:
        await engine.analyze("startpos", DEPTH)
        await engine.analyze("startpos", DEPTH, new_game=True)
    first, second = searches(record)
    assert "ucinewgame" not in first
    assert [line.split()[0] for line in second] == ["ucinewgame", "isready", "position", "go"]


# --- what is refused before an engine is started ---------------------------------------------------------

BAD = [
    ("4k3/8/8/8/8/8/8/8 w - - 0 1", FenError, "king"),
    ("4k3/8/8/8/8/8/4R3/4K3 w - - 0 1", FenError, "check"),
    ("rnbqkbnr/ppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", FenError, "rank 7"),
    ("rnbqkbnr/pppppppp/8/8/8/P7/PPPPPPPP/RNBQKBNR w KQkq - 0 1", FenError, "pawn"),
    ("startpos moves e2e4 e2e4", MoveError, "e2e4"),
    ("startpos moves e2e4\nquit", (FenError, MoveError), "quit"),
]


@pytest.mark.parametrize(("text", "kind", "said"), BAD)
async def test_a_bad_position_starts_no_engine(
    scripted: Scripted, text: str, kind: type[Exception] | tuple[type[Exception], ...], said: str
) -> None:
    async with opened(scripted(), start=False) as engine:
        with pytest.raises(kind, match=said):
            await engine.analyze(text, DEPTH)
        with pytest.raises(kind, match=said):
            engine.stream(text, DEPTH)
        with pytest.raises(EngineError, match="is not running"):
            _ = engine.driver


@pytest.mark.parametrize("profile", ["stockfish", "gnuchess", "builtin"])
async def test_a_game_the_engine_does_not_play_starts_none(profile: str) -> None:
    text = XIANGQI if profile != "builtin" else NINE_SIXTY
    position = Position.parse(text, variant="auto" if text == XIANGQI else "chess960")
    found = resolve_engine(None, profile)
    found = msgspec.structs.replace(
        found, profile=msgspec.structs.replace(found.profile, variants=("chess",))
    )
    async with opened(found, start=False) as engine:
        with pytest.raises(ConfigError, match=f"plays chess, not {position.variant.name}"):
            await engine.analyze(position, DEPTH)
        with pytest.raises(EngineError, match="is not running"):
            _ = engine.driver


async def test_a_wish_that_cannot_be_kept_starts_no_engine() -> None:
    async with opened(resolve_engine("chess", "gnuchess"), start=False) as engine:
        with pytest.raises(LimitError, match="GNU Chess cannot be held to chosen moves"):
            await engine.analyze("startpos", Limit(depth=3, searchmoves=("e2e4",)))
        with pytest.raises(MoveError, match="e2e5"):
            await engine.analyze("startpos", Limit(depth=3, banmoves=("e2e5",)))
        with pytest.raises(ConfigError, match="chess has no notation 'wxf'"):
            await engine.analyze("startpos", DEPTH, notation="wxf")
        with pytest.raises(EngineError, match="is not running"):
            _ = engine.driver


@pytest.mark.parametrize("seconds", [0, -1, float("nan"), float("inf"), 1e8, 10**400])
async def test_a_timeout_that_is_none_is_refused_and_costs_no_engine(
    scripted: Scripted, seconds: float
) -> None:
    async with opened(scripted()) as engine:
        with pytest.raises(LimitError, match="must be a number of seconds above 0, at most 10,000,000"):
            await engine.analyze("startpos", DEPTH, timeout=seconds)
        assert (await engine.analyze("startpos", DEPTH)).best is not None


async def test_a_finished_game_is_answered_without_a_word(scripted: Scripted, tmp_path: Path) -> None:
    record = tmp_path / "talk.txt"
    async with opened(scripted(), transcript=record) as engine:
        before = talk(record) if record.exists() else []
        analysis = await engine.analyze(MATED, ENDLESS)
        assert analysis.outcome == Outcome("black", "checkmate")
        assert (analysis.best, analysis.lines, analysis.complete) == (None, (), True)
        position = Position.parse("4k3/8/8/8/8/8/7r/4K3 w - - 0 1")
        banned = await engine.analyze(position, Limit(infinite=True, banmoves=position.legal_moves))
        assert banned.outcome == Outcome(None, "all-moves-banned")
        async with engine.stream(MATED, ENDLESS) as stream:
            assert [line async for line in stream] == []
            assert stream.analysis is not None
            assert await stream.stop() == stream.analysis
    assert not any(line.split()[0] in ("position", "go") for line in talk(record))
    assert len(talk(record)) >= len(before)


# --- chosen moves ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.engine(name)) for name in ("stockfish", "glaurung", "builtin")],
)
async def test_chosen_and_banned_moves_are_kept_to(
    name: str, tmp_path: Path, engine_path: Callable[[str], str]
) -> None:
    engine_path(name)
    record = tmp_path / "talk.txt"
    async with open_engine(name, transcript=record) as engine:
        analysis = await engine.analyze("startpos", Limit(depth=4, searchmoves=("Na3", "h2h4")))
        assert analysis.best is not None
        assert analysis.best.move in ("b1a3", "h2h4")
        assert analysis.limit.searchmoves == ("b1a3", "h2h4")
        scholar = "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR w KQkq - 4 4"
        analysis = await engine.analyze(scholar, Limit(depth=4, banmoves=("Qxf7",)))
        assert analysis.best is not None
        assert analysis.best.move != "f3f7"
        assert analysis.score != Mate(1)
        assert analysis.limit.banmoves == ("f3f7",)
    first, second = searches(record)
    # last on the line: some engines take all that follows for moves
    words = first[-1].split()
    assert words[:4] == ["go", "depth", "4", "searchmoves"]
    assert set(words[4:]) == {"b1a3", "h2h4"}
    board = chess.Board(scholar)
    assert set(second[-1].split()[4:]) == {move.uci() for move in board.legal_moves} - {"f3f7"}


# --- several tasks ---------------------------------------------------------------------------------------


@pytest.mark.engine("stockfish")
async def test_tasks_share_an_engine_and_each_gets_its_own_answer(
    tmp_path: Path, engine_path: Callable[[str], str]
) -> None:
    engine_path("stockfish")
    rng = random.Random(7)
    positions: list[Position] = []
    board = chess.Board()
    while len(positions) < 30:
        if board.is_game_over():
            board = chess.Board()
        positions.append(Position.from_board(board))
        board.push(rng.choice(list(board.legal_moves)))
    record = tmp_path / "talk.txt"
    async with open_engine("stockfish", transcript=record) as engine:

        async def ask_about(position: Position) -> Analysis:
            await asyncio.sleep(rng.random() * 0.02)
            lines = 1 + len(position.moves) % 3
            analysis = await engine.analyze(position, Limit(nodes=300), multipv=lines)
            assert len(analysis.lines) == min(lines, len(position.legal_moves))
            return analysis

        answers = await asyncio.gather(*map(ask_about, positions))
    for position, analysis in zip(positions, answers, strict=True):
        assert analysis.position == position
        assert analysis.best is not None
        assert analysis.best.move in position.legal_moves
        assert analysis.best.fen == position.play(analysis.best.move).fen
    # one search at a time: no position between a `go` and its best move
    exchanged = [line.split(" ", 2)[1:] for line in record.read_text().splitlines() if line[-2:] != "< "]
    searching = False
    for sign, line in exchanged:
        word = line.split()[0]
        if sign == ">" and word == "go":
            assert not searching
            searching = True
        elif sign == "<" and word == "bestmove":
            searching = False
        elif sign == ">":
            assert not (searching and word in ("position", "setoption"))


async def test_a_second_search_inside_a_stream_is_refused_not_waited_for(scripted: Scripted) -> None:
    """The same task would wait for itself for ever."""
    async with opened(scripted("--endless")) as engine:
        async with engine.stream("startpos", ENDLESS) as stream:
            with pytest.raises(EngineError, match="busy with a search this task has under way"):
                await engine.analyze("startpos", DEPTH)
            with pytest.raises(EngineError, match="busy"):
                async with engine.stream("startpos", DEPTH):
                    raise AssertionError("entered all the same")
            other = asyncio.create_task(engine.analyze("startpos", DEPTH, timeout=0.1))
            await asyncio.sleep(0.05)
            assert not other.done()
            await stream.stop()
            assert (await asyncio.wait_for(other, SLOW)).best is not None
        # left by the refusal itself: the search it was refused for must not run on
        with pytest.raises(EngineError, match="busy"):
            async with engine.stream("startpos", ENDLESS):
                await engine.analyze("startpos", DEPTH)
        analysis = await asyncio.wait_for(engine.analyze("startpos", DEPTH, timeout=0.1), SLOW)
        assert analysis.best is not None


async def test_who_waits_for_a_turn_can_be_cancelled(scripted: Scripted) -> None:
    async with opened(scripted("--think", "0.3")) as engine:
        first = asyncio.create_task(engine.analyze("startpos", DEPTH))
        second = asyncio.create_task(engine.analyze("startpos moves e2e3", DEPTH))
        third = asyncio.create_task(
            engine.analyze("startpos moves e2e4 e7e5", Limit(depth=2, searchmoves=("d2d4",)))
        )
        await asyncio.sleep(0.1)
        second.cancel()
        assert (await asyncio.wait_for(first, SLOW)).best is not None
        with pytest.raises(asyncio.CancelledError):
            await second
        with pytest.raises(IllegalEngineMove):
            await asyncio.wait_for(third, SLOW)


async def test_the_identity_names_who_answered(scripted: Scripted) -> None:
    async with opened(scripted("--name", "Deep Talker 3"), start=False) as engine:
        assert engine.name == "an unknown UCI engine"
        analysis = await engine.analyze("startpos", DEPTH)
        assert engine.name == analysis.engine.name == "Deep Talker 3"
        assert (analysis.engine.profile, analysis.engine.protocol) == ("scripted", "uci")
        assert analysis.engine.path == sys.executable


@pytest.mark.parametrize("value", ["--5", "-", "7", "-7", "007", "1" * 5000, "\u0665", "true", "x"])
async def test_the_value_of_an_option_is_told_whatever_it_is(scripted: Scripted, value: str) -> None:
    async with opened(scripted(), options={"Book File": value}) as engine:
        told = (await engine.analyze("startpos", DEPTH)).engine.options["Book File"]
    assert str(told).lower() == value or int(value) == told


def test_errors_about_engines_share_a_class_and_others_do_not() -> None:
    for kind in (EngineStartError, EngineTimeout, EngineDied, EngineProtocolError, IllegalEngineMove):
        assert issubclass(kind, EngineError)
    for kind in (FenError, MoveError, OptionError, LimitError, ConfigError):
        assert not issubclass(kind, EngineError)


async def test_what_waits_for_a_search_ends_too(scripted: Scripted) -> None:
    async with opened(scripted("--endless", ready=0.4)) as engine:
        calls = {
            "ping": engine.ping,
            "configure": lambda: engine.configure({"Hash": 32}),
            "ask": lambda: engine.driver.ask("d", until=None, seconds=0.4),
        }
        async with engine.stream("startpos", ENDLESS) as stream:
            for call in calls.values():
                # it would wait for itself
                with pytest.raises(EngineError, match="busy with a search this task has under way"):
                    async with asyncio.timeout(SLOW):
                        await call()
            for name in ("ping", "ask"):
                task = asyncio.create_task(calls[name]())
                with pytest.raises(EngineTimeout, match=r"busy with another search for 0\.4 s"):
                    await asyncio.wait_for(task, SLOW)
            waiting = asyncio.create_task(calls["configure"]())
            await asyncio.sleep(0.05)
            assert not waiting.done()
        assert stream.analysis is not None
        await asyncio.wait_for(waiting, SLOW)
        for call in calls.values():
            await asyncio.wait_for(call(), SLOW)
        assert engine.identity.options["Hash"] == 32


async def test_a_turn_has_an_end_for_who_has_just_had_one(scripted: Scripted) -> None:
    """Between two owners the engine is nobody's, and yet not free."""
    async with opened(scripted("--strict", "--think", "0.2", ready=0.4)) as engine:
        calls = (
            lambda: engine.analyze("startpos", DEPTH, timeout=0.4),
            engine.ping,
            lambda: engine.driver.ask("d", until=None, seconds=0.4),
        )
        for call in calls:
            release = asyncio.Event()

            async def use(call: Callable[[], Awaitable[object]] = call) -> None:
                await engine.analyze("startpos", DEPTH)
                await call()

            async def keep(release: asyncio.Event = release) -> None:
                async with engine.stream("startpos", ENDLESS):
                    await release.wait()

            using = asyncio.create_task(use())
            await asyncio.sleep(0.05)
            keeping = asyncio.create_task(keep())
            with pytest.raises(EngineTimeout, match=r"busy with another search for 0\.4 s"):
                await asyncio.wait_for(using, SLOW)
            release.set()
            await keeping


async def test_an_engine_that_has_not_greeted_yet_is_quoted(scripted: Scripted) -> None:
    with pytest.raises(EngineStartError, match="did not answer") as caught:
        async with opened(scripted("--withhold", "uciok", start=0.5)):
            raise AssertionError("opened all the same")
    assert "it printed nothing" not in str(caught.value)
    assert MOCK_ENGINE in str(caught.value)
