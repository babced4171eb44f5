"""Positions to a real engine and back: what is sent, what is refused, what becomes of each search."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import sys
import time
from collections.abc import Callable
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
from adapter.engine import MANAGED, opened
from engines.find import Found, choose

pytestmark = pytest.mark.usefixtures("no_leaks_async")

Scripted = Callable[..., Found]
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
    assert name.lower() in MANAGED
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
    found = choose(None, profile)
    found = msgspec.structs.replace(
        found, profile=msgspec.structs.replace(found.profile, variants=("chess",))
    )
    async with opened(found, start=False) as engine:
        with pytest.raises(ConfigError, match=f"plays chess, not {position.variant.name}"):
            await engine.analyze(position, DEPTH)
        with pytest.raises(EngineError, match="is not running"):
            _ = engine.driver


async def test_a_wish_that_cannot_be_kept_starts_no_engine() -> None:
    async with opened(choose("chess", "gnuchess"), start=False) as engine:
        with pytest.raises(LimitError, match="GNU Chess cannot be held to chosen moves"):
            await engine.analyze("startpos", Limit(depth=3, searchmoves=("e2e4",)))
        with pytest.raises(MoveError, match="e2e5"):
            await engine.analyze("startpos", Limit(depth=3, banmoves=("e2e5",)))
        with pytest.raises(ConfigError, match="chess has no notation 'wxf'"):
            await engine.analyze("startpos", DEPTH, notation="wxf")
        with pytest.raises(EngineError, match="is not running"):
            _ = engine.driver


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


# --- answers that are wrong, from a real process ---------------------------------------------------------


async def test_an_illegal_best_move_leaves_the_engine_usable(scripted: Scripted, tmp_path: Path) -> None:
    moves = tmp_path / "moves.txt"
    moves.write_text(f"a1b8 fen {chess.STARTING_FEN}\n")
    async with opened(scripted("--moves", str(moves))) as engine:
        for _ in range(2):
            with pytest.raises(IllegalEngineMove, match="'a1b8' is not legal") as caught:
                await engine.analyze("startpos", DEPTH)
            assert caught.value.engine == "Scripted"
            assert caught.value.partial.lines[0].pv_cut_at == 0
            other = await engine.analyze(chess.STARTING_FEN.replace("0 1", "0 2"), DEPTH)
            assert other.best is not None
            assert other.best.move == "e2e4"


FAULTY = [
    ("--illegal-best", IllegalEngineMove),
    ("--no-move", IllegalEngineMove),
    ("--no-move a1a1", IllegalEngineMove),
    ("--bare-bestmove", IllegalEngineMove),
    ("--illegal-ponder", "its ponder move 'a1b8' is not legal"),
    ("--illegal-pv", "move 2 of its variation, 'a1b8', is not legal"),
    ("--no-infos", None),
    ("--nonsense-scores", None),
    ("--bounds-only", None),
    ("--decimals", None),
    ("--garbage", None),
    ("--one-byte", None),
    ("--crlf", None),
    ("--bom", None),
    ("--blanks", None),
    ("--banner", None),
    ("--long-line 3000000", None),
    ("--malformed-options", None),
    ("--many-options 3000", None),
    ("--stderr loud", None),
    ("--bestmove-again", None),
    ("--bestmove-again 0.05", None),
    ("--unasked-bestmove", None),
    ("--withhold info", None),
    ("--slow-ready 0.2", None),
    ("--late 0.1", None),
]


@pytest.mark.parametrize(("fault", "outcome"), FAULTY, ids=[fault for fault, _ in FAULTY])
async def test_each_search_has_its_own_answer_whatever_the_engine_says(
    scripted: Scripted, tmp_path: Path, fault: str, outcome: type[EngineError] | str | None
) -> None:
    """Three searches in a row, each of a position with a best move of its own."""
    rows = {"startpos": "e2e4", "startpos moves e2e4": "c7c5", "startpos moves e2e4 c7c5": "g1f3"}
    moves = tmp_path / "moves.txt"
    moves.write_text("".join(f"{move} {Position.parse(text).command()[9:]}\n" for text, move in rows.items()))
    async with opened(scripted("--moves", str(moves), *fault.split())) as engine:
        for text, move in rows.items():
            if isinstance(outcome, type):
                with pytest.raises(outcome):
                    await engine.analyze(text, DEPTH)
                continue
            analysis = await engine.analyze(text, DEPTH)
            assert analysis.best is not None
            assert analysis.best.move == move
            assert analysis.best.fen == Position.parse(text).play(move).fen
            for line in analysis.lines:
                assert line.pv[:1] in ((), (move,))
            if outcome is not None:
                assert any(outcome in note for note in analysis.notes)


@pytest.mark.parametrize("moment", ["position", "info"])
async def test_a_best_move_given_too_early_is_held_against_its_own_position(
    scripted: Scripted, moment: str
) -> None:
    """Nothing tells it from the search's own; the second one, e2e4, must not answer the next question."""
    async with opened(scripted("--unasked-bestmove", moment, "--think", "0.05")) as engine:
        for _ in range(3):
            analysis = await engine.analyze("startpos", DEPTH)
            assert analysis.best is not None
            assert analysis.best.move == "a2a3"
            with pytest.raises(IllegalEngineMove, match="'a2a3' is not legal"):
                await engine.analyze("startpos moves e2e4", DEPTH)


async def test_bounds_alone_are_no_score(scripted: Scripted) -> None:
    async with opened(scripted("--bounds-only")) as engine:
        [line] = (await engine.analyze("startpos", DEPTH)).lines
    assert line.score is None
    assert line.score_white is None
    assert line.bound is not None
    assert line.bound.kind == "lower"


async def test_a_position_an_engine_objects_to_is_told_with_its_words(scripted: Scripted) -> None:
    async with opened(scripted("--critical-error")) as engine:
        with pytest.raises(EngineDied, match="CRITICAL ERROR") as caught:
            await engine.analyze("startpos", DEPTH)
    assert caught.value.exit_code == 1
    assert any("position fen" in line for line in caught.value.transcript_tail)


# --- deadlines -------------------------------------------------------------------------------------------


async def test_after_its_timeout_a_search_is_stopped_and_not_complete(scripted: Scripted) -> None:
    async with opened(scripted("--endless"), start=True) as engine:
        start = time.monotonic()
        analysis = await engine.analyze("startpos", DEPTH, timeout=0.2)
        assert 0.2 <= time.monotonic() - start < SLOW
        assert not analysis.complete
        assert analysis.notes == ("the search was stopped by its timeout",)
        assert analysis.best is not None
        assert [line.depth for line in analysis.lines] == [3]
        # a timeout that is not reached changes nothing
        assert (await engine.analyze("startpos", ENDLESS, timeout=0.1)).complete is False
        assert engine.driver.failure is None


@pytest.mark.engine("stockfish")
async def test_a_real_search_ends_at_its_timeout_with_what_was_found(
    engine_path: Callable[[str], str],
) -> None:
    engine_path("stockfish")
    async with open_engine("stockfish") as engine:
        start = time.monotonic()
        analysis = await engine.analyze("startpos", ENDLESS, timeout=0.3)
        assert time.monotonic() - start < 3
        assert not analysis.complete
        assert analysis.best is not None
        assert analysis.lines[0].depth is not None
        whole = await engine.analyze("startpos", Limit(depth=6), timeout=30)
        assert whole.complete


@pytest.mark.parametrize("limit", [Limit(seconds=0.1), Limit(wtime=60, btime=60)])
async def test_an_engine_that_runs_past_its_time_is_stopped(scripted: Scripted, limit: Limit) -> None:
    """`search_slack` (0.4 s here) beyond the limit's own time."""
    async with opened(scripted("--endless")) as engine:
        start = time.monotonic()
        analysis = await engine.analyze("startpos", limit)
        assert time.monotonic() - start < SLOW
        assert analysis.best is not None
        assert not analysis.complete
        assert analysis.notes == ("the engine ran past its time and was stopped",)
        assert engine.driver.failure is None


async def test_a_search_without_a_time_ends_at_the_profiles_deadline(scripted: Scripted) -> None:
    async with opened(scripted("--endless", search=0.3)) as engine:
        analysis = await engine.analyze("startpos", DEPTH)
        assert not analysis.complete
        assert analysis.notes == ("the search was stopped by its profile's deadline",)


async def test_an_engine_deaf_to_stop_is_ended_and_what_it_found_is_kept(scripted: Scripted) -> None:
    async with opened(scripted("--ignore", "stop", "--endless")) as engine:
        with pytest.raises(EngineTimeout, match=r"no best move within 0.4 s of being told to stop") as caught:
            await engine.analyze("startpos", DEPTH, timeout=0.1)
        assert [line.depth for line in caught.value.partial.lines] == [3]
        assert caught.value.partial.complete is False
        assert any(line == "> stop" for line in caught.value.transcript_tail)


FROZEN = [
    ("--freeze-after go", "isready|stop"),
    ("--mute-after go", "isready|stop"),
    ("--withhold bestmove", "stop"),
    ("--withhold readyok", "isready"),
    ("--freeze-after isready", "isready"),
]


@pytest.mark.parametrize(("fault", "said"), FROZEN, ids=[fault for fault, _ in FROZEN])
async def test_no_call_hangs(scripted: Scripted, fault: str, said: str) -> None:
    found = scripted(*fault.split(), ready=0.5, silence=0.3, search=1)
    start = time.monotonic()
    async with asyncio.timeout(SLOW):
        async with opened(found, start=False) as engine:
            with pytest.raises(EngineTimeout, match=said):
                await engine.analyze("startpos", DEPTH)
    assert time.monotonic() - start < SLOW


@pytest.mark.engine("stockfish")
async def test_a_real_engine_that_was_stopped_by_a_signal_is_found_out(
    engine_path: Callable[[str], str],
) -> None:
    engine_path("stockfish")
    found = choose("chess", "stockfish")
    deadlines = msgspec.structs.replace(found.profile.deadlines, ready=0.4, silence=0.3, stop=0.4, quit=0.3)
    found = msgspec.structs.replace(
        found, profile=msgspec.structs.replace(found.profile, deadlines=deadlines)
    )
    async with opened(found) as engine:
        task = asyncio.create_task(engine.analyze("startpos", ENDLESS))
        await asyncio.sleep(0.3)
        os.kill(engine.driver.pid, signal.SIGSTOP)
        with pytest.raises(EngineTimeout, match="it hangs") as caught:
            await asyncio.wait_for(task, SLOW)
        assert caught.value.partial.lines[0].depth >= 1
        assert (await engine.analyze("startpos", DEPTH)).best is not None


@pytest.mark.engine("stockfish")
async def test_a_real_engine_that_is_killed_in_a_search_leaves_what_it_found(
    engine_path: Callable[[str], str],
) -> None:
    engine_path("stockfish")
    async with open_engine("stockfish") as engine:
        task = asyncio.create_task(engine.analyze("startpos", ENDLESS))
        await asyncio.sleep(0.3)
        os.kill(engine.driver.pid, signal.SIGKILL)
        with pytest.raises(EngineDied, match=r"died \(SIGKILL\)") as caught:
            await asyncio.wait_for(task, SLOW)
        error = caught.value
        assert (error.signal, error.exit_code) == (signal.SIGKILL, None)
        assert isinstance(error.partial, Analysis)
        assert error.partial.lines[0].pv
        assert not error.partial.complete
        assert (await engine.analyze("startpos", DEPTH)).best is not None


# --- starting and ending ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fault", "start", "said"),
    [
        ("--silent", 0.7, "did not answer 'uci' within 0.7 s; it printed nothing"),
        ("--withhold uciok", 0.7, "did not answer 'uci' within 0.7 s"),
        ("--die-after uci", 10, r"ended before it greeted \(exit code 1\)"),
        ("--die-after start --exit SEGV", 10, r"ended before it greeted \(SIGSEGV\)"),
        ("--close-output-after start", 10, "closed its output"),
    ],
)
async def test_a_program_that_does_not_greet_is_no_engine(
    scripted: Scripted, fault: str, start: float, said: str
) -> None:
    with pytest.raises(EngineStartError, match=said):
        async with opened(scripted(*fault.split(), start=start)):
            raise AssertionError("opened all the same")


@pytest.mark.parametrize(
    ("engine", "kind", "said"),
    [
        ("stokfish", ConfigError, "no engine is called 'stokfish'; there is stockfish"),
        ("/nowhere/engine", EngineStartError, "there is no file /nowhere/engine"),
        ("generic-uci", ConfigError, "names no program"),
        ('stockfish "unfinished', ConfigError, "cannot read the engine's command line"),
        ("pikafish", EngineStartError, "Pikafish is not installed"),
    ],
)
async def test_an_engine_that_cannot_be_had(engine: str, kind: type[Exception], said: str) -> None:
    with pytest.raises(kind, match=said):
        async with open_engine(engine):
            raise AssertionError("opened all the same")


async def test_a_program_that_is_no_engine_at_all(tmp_path: Path) -> None:
    program = tmp_path / "chatter"
    program.write_text("#!/bin/sh\necho hello there\nexit 4\n")
    program.chmod(0o755)
    with pytest.raises(EngineStartError, match=r"exit code 4\); its last words: 'hello there'"):
        async with open_engine(str(program)):
            raise AssertionError("opened all the same")
    program.write_bytes(b"\x7fnot a program")
    with pytest.raises(EngineStartError, match="cannot be started"):
        async with open_engine(str(program)):
            raise AssertionError("opened all the same")


async def test_the_environment_names_the_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FENWIRE_ENGINE", f"{sys.executable} -m engines.scripted --name Wished")
    async with open_engine() as engine:
        assert engine.name == "Wished"
        analysis = await engine.analyze("startpos", DEPTH)
        assert analysis.engine.name == "Wished"
        assert analysis.engine.path == sys.executable
    async with open_engine("builtin") as engine:
        assert engine.name.startswith("fenwire")


async def test_a_closed_engine_says_so(scripted: Scripted) -> None:
    async with opened(scripted()) as engine:
        await engine.analyze("startpos", DEPTH)
        await engine.close()
        await engine.close()
        for call in (
            engine.analyze("startpos", DEPTH),
            engine.ping(),
            engine.configure({"Hash": 2}),
            engine.start(),
        ):
            with pytest.raises(EngineError, match="Scripted was closed"):
                await call
        # what needs no engine is still answered
        assert (await engine.analyze(MATED, DEPTH)).outcome == Outcome("black", "checkmate")


async def test_closing_ends_a_search_that_another_task_waits_for(scripted: Scripted) -> None:
    async with opened(scripted("--endless")) as engine:
        waiting = [asyncio.create_task(engine.analyze("startpos", ENDLESS)) for _ in range(3)]
        await asyncio.sleep(0.1)
        await engine.close()
        for task in waiting:
            with pytest.raises(EngineError, match="was closed"):
                await asyncio.wait_for(task, SLOW)


@pytest.mark.parametrize("fault", ["--ignore quit", "--stubborn", "--stubborn --endless"])
async def test_an_engine_that_will_not_leave_is_ended(scripted: Scripted, fault: str) -> None:
    start = time.monotonic()
    async with opened(scripted(*fault.split())) as engine:
        pid = engine.driver.pid
        if "--endless" in fault:
            async with engine.stream("startpos", ENDLESS):
                pass
    assert time.monotonic() - start < SLOW
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


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
