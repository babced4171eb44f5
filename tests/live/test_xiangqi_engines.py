"""Xiangqi through real engines, over UCCI and over UCI: every answer held against our rules and pyffish."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pyffish
import pytest

from adapter import Analysis, Limit, Mate, Outcome, Position, open_engine
from adapter.games.xiangqi.board import START, XiangqiBoard
from engines.discovery import profile_named

NAMES = ["fairy-xiangqi", "fairy-xiangqi-uci", "builtin", "builtin-ucci"]
ENGINES = [pytest.param(name, marks=pytest.mark.engine(name)) for name in NAMES]

POSITIONS = [
    START,
    f"{START} moves h2e2 h9g7 h0g2 i9h9",
    f"{START} moves h2e2 h7e7 e2e6 d9e8 b2e2",  # a capture in the history, a check on the board
    "5a3/3ka4/5n3/9/9/9/9/9/9/4K1R2 w moves g0f0 d8d9",
    "r1ba1a3/4kn3/2n1b4/pNp1p1p1p/4c4/6P2/P1P2R2P/1CcC5/9/2BAKAB2 w - - 0 1",
    "1rbaka2R/5r3/6n2/2p1p1p2/4P1bP1/PpC3Bc1/1nPR2P2/2N2AN2/1c2K1p2/2BAC4 w - - 0 1",
    "4kcP1N/8n/3rb4/9/9/9/9/3p1A3/4K4/5CB2 w - - 0 1",
    "4kcP1N/8n/3rb4/9/9/9/9/3p1A3/4K4/5CB2 w - - 96 60",
    "4k4/9/9/2r6/9/9/4P4/9/4A4/2B1KAB2 b - - 30 40",
    "3k5/9/9/9/9/9/9/9/4A4/R3KA3 w - - 0 1 moves a0a9 d9d8 a9a8 d8d9 a8a9 d9d8",
    "rnbakabnr/111111111/1c11111c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR r",
]
# In each the side to move has one legal move; the first is a check that only the king can leave.
FORCED = [
    "4k4/9/9/9/9/9/9/9/9/3K3r1 w - - 0 1",
    "4k4/9/9/9/9/p8/9/9/9/3K5 w - - 0 1",
    "R2k5/9/9/9/9/9/9/9/9/4K4 b - - 3 9",
    "3k5/9/9/9/9/9/9/9/4R4/R3K4 w - - 0 1 moves a0a9",
]
MATES = [
    ("9/9/2P1k1N2/9/9/8P/4C4/9/9/4K4 w - - 33 14", 1),
    ("6r2/9/5k3/6P2/9/7R1/9/4K4/9/9 w - - 15 76", 1),
    ("4k4/9/b2P5/2p6/8p/6B2/8r/8n/3K5/7R1 b - - 7 21", 1),
    ("5P3/3k5/2P2a3/9/7N1/9/9/B8/8r/2B1K4 w - - 50 87", 2),
    ("3ak4/1P7/9/9/9/9/9/5K3/3r5/8p b - - 41 87", 2),
    ("9/R8/3k5/9/9/9/p8/3A5/9/4K2N1 w - - 73 37", 2),
]


def one_based(move: str) -> str:
    """A canonical move as pyffish, and Fairy over UCI, count its ranks."""
    return re.sub(r"\d", lambda rank: str(int(rank[0]) + 1), move)


def fen_by_pyffish(position: Position, moves: Sequence[str]) -> str:
    """The record after further moves, by an independent count."""
    fen: str = pyffish.get_fen("xiangqi", position.root_fen, list(map(one_based, [*position.moves, *moves])))
    return fen


def sent(path: Path) -> list[str]:
    """The lines that went to the engine."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return [line.split(" > ", 1)[1] for line in lines if re.match(r"\S+ > ", line)]


def hold(analysis: Analysis) -> None:
    """Holds one answer against the rules: legal, shown rightly, leading to the records it says it does."""
    position, best = analysis.position, analysis.best
    assert best is not None
    legal = pyffish.legal_moves("xiangqi", position.root_fen, list(map(one_based, position.moves)))
    assert one_based(best.move) in legal
    assert best.fen == position.play(best.move).fen == fen_by_pyffish(position, [best.move])
    board = XiangqiBoard(position.fen)
    assert best.san == board.show(best.move, "wxf")
    assert board.parse(best.san) == best.move
    for line in analysis.lines:
        assert line.pv_cut_at is None
        assert line.pv_fen == fen_by_pyffish(position, line.pv)
        played = board.copy()
        for move, shown in zip(line.pv, line.pv_san, strict=True):
            assert played.show(move, "wxf") == shown
            played.push(move)
    assert analysis.lines
    assert analysis.lines[0].pv[0] == best.move
    if analysis.ponder is not None:
        assert analysis.ponder.fen == fen_by_pyffish(position, [best.move, analysis.ponder.move])


@pytest.mark.parametrize("name", ENGINES)
async def test_every_answer_is_legal_and_leads_where_it_says(name: str, no_leaks_async: None) -> None:
    async with open_engine(name) as engine:
        for text in POSITIONS:
            position = Position.parse(text)
            assert position.variant.name == "xiangqi"
            analysis = await engine.analyze(position, Limit(depth=3))
            hold(analysis)
            assert analysis.engine.profile == name
            # the same question by another limit, its answer in Chinese
            analysis = await engine.analyze(position, Limit(nodes=400), notation="chinese", new_game=True)
            assert analysis.best is not None
            board = XiangqiBoard(position.fen)
            assert board.parse(analysis.best.san) == analysis.best.move
            assert analysis.best.fen == fen_by_pyffish(position, [analysis.best.move])


async def test_forced_moves_are_the_same_everywhere() -> None:
    answers: dict[str, list[tuple[str, str, str]]] = {}
    for name in NAMES:
        async with open_engine(name) as engine:
            for text in FORCED:
                position = Position.parse(text)
                assert len(position.legal_moves) == 1
                analysis = await engine.analyze(position, Limit(depth=2))
                hold(analysis)
                assert analysis.best is not None
                assert analysis.best.move == position.legal_moves[0]
                best = analysis.best
                answers.setdefault(text, []).append((best.move, best.san, best.fen))
    assert all(len(told) == len(NAMES) and len(set(told)) == 1 for told in answers.values())


@pytest.mark.parametrize("name", ENGINES)
async def test_mates_are_told_as_mates(name: str) -> None:
    async with open_engine(name) as engine:
        for text, moves in MATES:
            position = Position.parse(text)
            analysis = await engine.analyze(position, Limit(depth=2 * moves + 2), new_game=True)
            hold(analysis)
            assert analysis.score == Mate(moves)
            line = analysis.lines[0]
            assert line.score_white == Mate(moves if position.side == "w" else -moves)
            assert len(line.pv) == 2 * moves - 1
            assert position.play(*line.pv).outcome is not None
        # seen from the other side
        for text, _ in MATES[3:]:
            position = Position.parse(text)
            first = (await engine.analyze(position, Limit(depth=6), new_game=True)).best
            assert first is not None
            analysis = await engine.analyze(position.play(first.move), Limit(depth=4), new_game=True)
            assert analysis.score == Mate(-1)


@pytest.mark.parametrize("name", ENGINES)
@pytest.mark.parametrize(
    ("text", "banned", "outcome"),
    [
        (FORCED[1], ("d0d1",), Outcome(None, "all-moves-banned")),
        ("3k5/4R4/9/9/9/9/9/9/4R4/5K3 b - - 0 1", (), Outcome("white", "stalemate")),
        ("4k4/9/9/9/9/9/9/9/4r4/3K1r3 w - - 0 1", (), Outcome("black", "checkmate")),
    ],
)
async def test_what_is_decided_already_is_not_asked(
    name: str, text: str, banned: tuple[str, ...], outcome: Outcome, tmp_path: Path
) -> None:
    path = tmp_path / "talk.txt"
    async with open_engine(name, transcript=path) as engine:
        analysis = await engine.analyze(text, Limit(depth=3, banmoves=banned or None))
    assert (analysis.outcome, analysis.best, analysis.lines) == (outcome, None, ())
    assert not [line for line in sent(path) if line.startswith(("go", "position"))]


@pytest.mark.parametrize("name", ENGINES)
async def test_chosen_and_banned_moves_go_over_in_the_words_of_the_protocol(
    name: str, tmp_path: Path
) -> None:
    path = tmp_path / "talk.txt"
    position = Position.parse(f"{START} moves h2e2")
    chosen = ("a9a8", "i9i8", "g6g5")
    others = [move for move in position.legal_moves if move not in chosen]
    async with open_engine(name, transcript=path) as engine:
        for limit in (Limit(depth=3, searchmoves=chosen), Limit(depth=3, banmoves=tuple(others))):
            analysis = await engine.analyze(position, limit)
            hold(analysis)
            assert analysis.best is not None
            assert analysis.best.move in chosen
            assert (analysis.limit.searchmoves, analysis.limit.banmoves) == (
                limit.searchmoves,
                limit.banmoves,
            )
        hold(await engine.analyze(position, Limit(depth=1)))
        dialect = engine.driver.dialect
    lines = sent(path)
    words = [line.split() for line in lines if line.startswith(("go", "banmoves"))]
    if dialect.ban_moves is not None:
        ban = {*position.wire_moves(others, dialect)}
        assert [(line[0], set(line[1:])) for line in words if line[0] == "banmoves"] == [
            ("banmoves", ban)
        ] * 2
        assert [line for line in words if line[0] == "go"] == [["go", "depth", "3"]] * 2 + [
            ["go", "depth", "1"]
        ]
        # after the position, which would lift the ban
        at = next(number for number, line in enumerate(lines) if line.startswith("banmoves"))
        assert lines[at - 1].startswith("position ")
        assert lines[at + 1].startswith("go ")
    else:
        wire = {*position.wire_moves(chosen, dialect)}
        assert [line[:4] for line in words[:2]] == [["go", "depth", "3", "searchmoves"]] * 2
        assert [set(line[4:]) for line in words[:2]] == [wire] * 2
        assert words[2] == ["go", "depth", "1"]
        assert wire == {"a10a9", "i10i9", "g7g6"}


@pytest.mark.parametrize("name", ENGINES)
async def test_the_history_goes_over_as_the_protocol_wants_it(name: str, tmp_path: Path) -> None:
    path = tmp_path / "talk.txt"
    text = f"{START} moves h2e2 h7e7 e2e6 d9e8 b0c2"
    after = "rnbakabnr/9/1c2c4/p1p1C1p1p/9/9/P1P1P1P1P/1C7/9/RNBAKABNR b - - 0 2"
    async with open_engine(name, transcript=path) as engine:
        hold(await engine.analyze(text, Limit(depth=2)))
        capture = engine.driver.dialect.history_root == "capture"
    (line,) = [line for line in sent(path) if line.startswith("position")]
    if capture:
        assert line == f"position fen {after} moves d9e8 b0c2"
    else:
        assert line == f"position fen {START} moves h3e3 h8e8 e3e7 d10e9 b1c3"


@pytest.mark.engine("fairy-stockfish")
@pytest.mark.parametrize("name", ["fairy-xiangqi-uci", "builtin"])
async def test_the_game_is_chosen_before_the_position_is_sent(name: str, tmp_path: Path) -> None:
    path = tmp_path / "talk.txt"
    async with open_engine(name, transcript=path) as engine:
        hold(await engine.analyze(START, Limit(depth=2)))
    lines = sent(path)
    assert lines.index("setoption name UCI_Variant value xiangqi") < lines.index(f"position fen {START}")


async def test_one_built_in_plays_all_its_games_in_turn() -> None:
    chess960 = "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9"
    async with open_engine("builtin") as engine:
        for _ in range(2):
            for text, variant in ((START, "xiangqi"), ("startpos", "chess"), (chess960, "chess960")):
                position = Position.parse(text, variant=variant)
                analysis = await engine.analyze(position, Limit(depth=2))
                assert analysis.best is not None
                assert analysis.best.move in position.legal_moves
                assert analysis.best.fen == position.play(analysis.best.move).fen


@pytest.mark.engine("fairy-stockfish")
@pytest.mark.parametrize("name", ["fairy-xiangqi", "fairy-xiangqi-uci", "builtin"])
async def test_several_lines(name: str) -> None:
    async with open_engine(name) as engine:
        analysis = await engine.analyze(POSITIONS[1], Limit(depth=3), multipv=3)
    hold(analysis)
    assert [line.multipv for line in analysis.lines] == [1, 2, 3]
    assert len({line.pv[0] for line in analysis.lines}) == 3


@pytest.mark.engine("fairy-stockfish")
@pytest.mark.parametrize("name", ["fairy-xiangqi", "builtin-ucci"])
async def test_plain_seconds_over_ucci_are_our_own_stop(name: str, tmp_path: Path) -> None:
    path = tmp_path / "talk.txt"
    async with open_engine(name, transcript=path) as engine:
        analysis = await engine.analyze(POSITIONS[4], Limit(seconds=0.4))
    hold(analysis)
    times = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        match = re.match(r"(\S+) [<>] (go|stop|bestmove)\b", line)
        if match:
            times[match[2]] = float(match[1])
    assert "go infinite" in sent(path)
    assert sent(path).count("stop") == 1
    assert times["go"] + 0.39 < times["stop"] < times["bestmove"]


@pytest.mark.parametrize("name", ENGINES)
async def test_the_clock_is_kept(name: str, tmp_path: Path) -> None:
    path = tmp_path / "talk.txt"
    async with open_engine(name, transcript=path) as engine:
        hold(await engine.analyze(POSITIONS[1], Limit(wtime=900, btime=60_000, winc=0, binc=100)))
    (go,) = [line for line in sent(path) if line.startswith("go")]
    # builtin-ucci offers usemillisec; Fairy offers nothing and counts milliseconds all the same
    expected = {
        "uci": "go wtime 900 btime 60000 winc 0 binc 100",
        "ucci": "go time 900 increment 0 opptime 60000 oppincrement 100",
    }
    assert go == expected[profile_named(name).protocol]


@pytest.mark.parametrize("name", ENGINES)
async def test_dead_draws_and_high_counts_are_analyzed_or_told(name: str) -> None:
    texts = [
        "3ak4/9/4b4/9/9/9/9/9/4A4/2B1KA3 w - - 0 1",  # nobody can cross the river
        "4kcP1N/8n/3rb4/9/9/9/9/3p1A3/4K4/5CB2 w - - 119 80",
        "4kcP1N/8n/3rb4/9/9/9/9/3p1A3/4K4/5CB2 w - - 130 80",
    ]
    async with open_engine(name) as engine:
        for text in texts:
            position = Position.parse(text)
            analysis = await engine.analyze(position, Limit(depth=3))
            assert analysis.outcome is None
            assert set(position.remarks) <= set(analysis.notes)
            if analysis.best is None:
                # only where its own rules call it drawn
                assert position.remarks
            else:
                assert analysis.best.move in position.legal_moves
                assert analysis.best.fen == fen_by_pyffish(position, [analysis.best.move])


@pytest.mark.engine("fairy-stockfish")
@pytest.mark.parametrize("name", ["fairy-xiangqi", "builtin-ucci"])
async def test_a_stream_over_ucci(name: str) -> None:
    depths: list[int] = []
    async with open_engine(name) as engine, engine.stream(POSITIONS[4], Limit(seconds=30)) as stream:
        async for line in stream:
            if line.depth is not None and line.pv:
                depths.append(line.depth)
                if line.depth >= 3:
                    break
    assert depths == sorted(depths)
    assert depths[-1] >= 3
    assert stream.analysis is not None
    hold(stream.analysis)
