"""`fenwire analyze` as a real process: what is asked, what is answered, in words and in JSON."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import chess
import pytest

from adapter.analysis import Line
from adapter.cli.wording import effort, number, pawns
from adapter.cli.wording import score as scored
from adapter.position import Position
from engines.score import Mate
from tests.mock_engine import MOCK_ENGINE

SCHOLAR = "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR w KQkq - 4 4"
AFTER = "r1bqkbnr/pppp1Qpp/2n5/4p3/2B1P3/8/PPPP1PPP/RNB1K1NR b KQkq - 0 4"
START = chess.STARTING_FEN
E4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"
MATED = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3"
XIANGQI = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1"
SCRIPTED = f"{sys.executable} {MOCK_ENGINE}"
SLOW = 60.0  # seconds; nothing here comes near on any machine

ENGINES = [pytest.param(name, marks=pytest.mark.engine(name)) for name in ("stockfish", "builtin")]


# --- the main job ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ENGINES)
def test_the_main_job(fenwire: Any, name: str, engine_path: Callable[[str], str]) -> None:
    path = engine_path(name)
    done = fenwire("analyze", SCHOLAR, "--depth", "12", "--json", "--engine", name)
    assert (done.returncode, done.stderr) == (0, "")
    [line] = done.stdout.splitlines()
    answer = json.loads(line)
    assert answer["best"] == {"move": "f3f7", "san": "Qxf7#", "fen": AFTER}
    assert answer["lines"][0]["score"] == {"mate": 1}
    assert answer["engine"]["profile"] == name
    assert answer["engine"]["path"] == path


@pytest.mark.engine("stockfish")
def test_stockfish_is_asked_where_it_is_installed(fenwire: Any, engine_path: Callable[[str], str]) -> None:
    engine_path("stockfish")
    done = fenwire("analyze", SCHOLAR, "--depth", "12")
    assert (done.returncode, done.stderr) == (0, "")
    lines = dict(line.split(None, 1) for line in done.stdout.splitlines() if line[:1] != " ")
    assert lines["engine"].startswith("Stockfish")
    assert lines["best"] == "Qxf7# (f3f7)"
    assert lines["FEN"] == f"after  {AFTER}"
    assert "White mates in 1" in lines["line"]


WORDS = [
    (SCHOLAR.split(), AFTER),
    (["startpos"], E4),
    (["startpos", "moves", "e2e4", "e7e5"], "rnbqkbnr/pppp1ppp/8/4p3/3PP3/8/PPP2PPP/RNBQKBNR b KQkq - 0 2"),
    (["startpos", "e4", "e5"], "rnbqkbnr/pppp1ppp/8/4p3/3PP3/8/PPP2PPP/RNBQKBNR b KQkq - 0 2"),
    ([START, "moves", "e2e4", "e7e5"], "rnbqkbnr/pppp1ppp/8/4p3/3PP3/8/PPP2PPP/RNBQKBNR b KQkq - 0 2"),
    (["8/8/8/8/8/k7/p7/K7", "w", "-", "-", "0", "1"], None),
    (["6k1/5ppp/8/8/8/8/5PPP/3R2K1", "w", "-", "-"], "3R2k1/5ppp/8/8/8/8/5PPP/6K1 b - - 1 1"),
    (['6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - bm Rd8#; id "back rank";'], "3R2k1/5ppp/8/8/8/8/5PPP/6K1 b - - 1 1"),
    (["--side", "w", "6k1/5ppp/8/8/8/8/5PPP/3R2K1"], "3R2k1/5ppp/8/8/8/8/5PPP/6K1 b - - 1 1"),
]


@pytest.mark.parametrize(("words", "after"), WORDS, ids=[" ".join(words)[:40] for words, _ in WORDS])
def test_a_position_needs_no_quotes(
    fenwire: Any, tmp_path: Path, words: list[str], after: str | None
) -> None:
    moves = {
        AFTER: "f3f7", E4: "e2e4",
        "rnbqkbnr/pppp1ppp/8/4p3/3PP3/8/PPP2PPP/RNBQKBNR b KQkq - 0 2": "d2d4",
        "3R2k1/5ppp/8/8/8/8/5PPP/6K1 b - - 1 1": "d1d8",
    }  # fmt: skip
    move = moves.get(after or "", "e2e4")
    done = fenwire("analyze", "--depth", "2", "--json", "--engine", f"{SCRIPTED} --bestmove {move}", *words)
    assert (done.returncode, done.stderr) == (0, "")
    answer = json.loads(done.stdout)
    if after is None:
        assert answer["outcome"] == {"winner": None, "reason": "stalemate"}
    else:
        assert answer["best"]["fen"] == after


def test_what_is_printed(fenwire: Any) -> None:
    info = "depth 7 seldepth 9 multipv 1 score cp -35 nodes 123456 time 1500 pv c7c5 g1f3 d7d6"
    engine = shlex.join(
        [sys.executable, MOCK_ENGINE, "--bestmove", "c7c5", "--ponder", "g1f3", "--info", info]
    )
    done = fenwire("analyze", "startpos", "moves", "e2e4", "--depth", "7", "--engine", engine)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == (
        "engine     Scripted\n"
        "line 1     White +0.35 (depth 7, 123,456 nodes, 1.5 s)\n"
        "           1... c5 2. Nf3 d6\n"
        "best       c5 (c7c5)\n"
        "FEN after  rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2\n"
        "expects    Nf3 (g1f3)\n"
    )


@pytest.mark.parametrize("digits", ["9" * 19, "9" * 400, "9" * 5000])
@pytest.mark.parametrize("form", [[], ["--stream"], ["--json"]], ids=["words", "stream", "json"])
def test_no_number_is_too_large_to_be_told(fenwire: Any, digits: str, form: list[str]) -> None:
    # past what is believed of an engine, and past what Python reads as a number
    infos = [
        f"depth {digits} seldepth {digits} score cp {digits} nodes {digits} time {digits} pv e2e4",
        f"multipv 2 depth 3 score mate -{digits} nodes -{digits} time 1e300 pv d2d4",
    ]
    engine = shlex.join([*SCRIPTED.split(), *(word for info in infos for word in ("--info", info))])
    done = fenwire("analyze", "startpos", "--depth", "3", "--engine", engine, *form)
    assert (done.returncode, done.stderr) == (0, "")
    assert "e2e4" in done.stdout


NUMBERS = [
    (0, "+0.00", "0"),
    (7, "+0.07", "7"),
    (-35, "-0.35", "-35"),
    (123_456, "+1234.56", "123,456"),
    (-(10**21), "-10000000000000000000.00", "-10^21"),
    (10**400, "+10^398", "10^400"),
    (-(10**5000) + 1, "-10^4998", "-10^5000"),
]


@pytest.mark.parametrize(("value", "shown", "count"), NUMBERS, ids=[count for *_, count in NUMBERS])
def test_the_wording_of_numbers(value: int, shown: str, count: str) -> None:
    assert pawns(value) == shown
    assert number(value, ",") == count


def test_the_wording_of_a_wild_report() -> None:
    huge = 10**5000
    position = Position.parse("startpos")
    facts: dict[str, Any] = dict.fromkeys(Line.__struct_fields__)
    line = Line(**{**facts, "depth": huge, "score": Mate(-huge), "nodes": huge, "time_ms": huge})
    assert scored(line, position, "white") == "Black mates in 10^5000"
    assert effort(line) == "depth 10^5000, 10^5000 nodes, 10^4997 s"


POV = [
    ("score cp -35", "white", "White +0.35"),
    ("score cp -35", "side", "Black -0.35"),
    ("score mate 3", "white", "Black mates in 3"),
    ("score mate 3", "side", "Black mates in 3"),
    ("score mate -2", "white", "White mates in 2"),
    ("score cp 20 lowerbound", "white", "White at most -0.20"),
    ("score cp 20 lowerbound", "side", "Black at least +0.20"),
]


@pytest.mark.parametrize(("score", "pov", "said"), POV)
def test_scores_are_labelled_with_whose_they_are(fenwire: Any, score: str, pov: str, said: str) -> None:
    """Black is to move."""
    engine = [
        sys.executable,
        "-m",
        "tests.mock_engine",
        "--bestmove",
        "c7c5",
        "--info",
        f"depth 4 {score} pv c7c5",
    ]
    done = fenwire(
        "analyze", "startpos", "moves", "e2e4", "--depth", "4", "--engine", shlex.join(engine), "--pov", pov
    )
    assert done.returncode == 0
    assert f"line 1     {said} (depth 4)\n" in done.stdout


@pytest.mark.parametrize(("notation", "shown"), [("san", ("Nf3", "Nf6")), ("uci", ("g1f3", "g8f6"))])
def test_moves_are_shown_in_the_notation_asked_for(
    fenwire: Any, notation: str, shown: tuple[str, str]
) -> None:
    engine = f"{SCRIPTED} --bestmove g1f3 --ponder g8f6"
    done = fenwire(
        "analyze", "startpos", "--depth", "2", "--engine", engine, "--notation", notation, "--json"
    )
    answer = json.loads(done.stdout)
    assert (answer["best"]["san"], answer["ponder"]["san"]) == shown
    assert (answer["best"]["move"], answer["ponder"]["move"]) == ("g1f3", "g8f6")
    assert tuple(answer["lines"][0]["pv_san"]) == shown


@pytest.mark.engine("stockfish")
def test_the_shape_of_the_json(fenwire: Any, engine_path: Callable[[str], str]) -> None:
    """Field by field; whoever reads it relies on every one."""
    path = engine_path("stockfish")
    done = fenwire(
        "analyze", "startpos", "moves", "e2e4", "--depth", "8", "--multipv", "2", "--option", "Hash=32",
        "--option", "UCI_ShowWDL=true", "--banmoves", "a6,Nh6", "--json",
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    answer = json.loads(done.stdout)
    assert list(answer) == [
        "engine", "variant", "position", "command", "limit", "lines", "best", "ponder", "outcome",
        "draw_offered", "resigned", "complete", "notes",
    ]  # fmt: skip
    engine = answer["engine"]
    assert list(engine) == ["name", "profile", "protocol", "path", "options"]
    assert engine["name"].startswith("Stockfish")
    assert (engine["profile"], engine["protocol"], engine["path"]) == ("stockfish", "uci", path)
    assert engine["options"] == {"Threads": 1, "Hash": 32, "UCI_ShowWDL": True, "MultiPV": 2}
    assert answer["variant"] == "chess"
    assert answer["position"] == {"root_fen": START, "moves": ["e2e4"], "fen": E4}
    assert answer["command"] == f"position fen {START} moves e2e4"
    assert answer["limit"] == {"depth": 8, "searchmoves": None, "banmoves": ["a7a6", "g8h6"]}
    assert [line["multipv"] for line in answer["lines"]] == [1, 2]
    for line in answer["lines"]:
        assert list(line) == [
            "multipv", "depth", "seldepth", "score", "score_white", "bound", "wdl", "nodes", "nps", "time_ms",
            "hashfull", "tbhits", "pv", "pv_san", "pv_fen", "pv_cut_at",
        ]  # fmt: skip
        assert line["depth"] == 8
        assert line["score_white"] == {"cp": -line["score"]["cp"]}
        assert sum(line["wdl"]) == 1000
        for key in ("seldepth", "nodes", "nps", "time_ms", "hashfull", "tbhits"):
            assert isinstance(line[key], int)
        board = chess.Board(E4)
        assert line["pv_san"] == [board.san_and_push(chess.Move.from_uci(move)) for move in line["pv"]]
        assert line["pv_fen"] == board.fen()
        assert (line["pv_cut_at"], line["bound"]) == (None, None)
    board = chess.Board(E4)
    for key in ("best", "ponder"):
        move = chess.Move.from_uci(answer[key]["move"])
        assert answer[key]["san"] == board.san(move)
        board.push(move)
        assert answer[key]["fen"] == board.fen()
    assert answer["outcome"] is None
    assert (answer["draw_offered"], answer["resigned"], answer["complete"], answer["notes"]) == (
        False,
        False,
        True,
        [],
    )


def test_a_stream_is_events_and_then_the_result(fenwire: Any) -> None:
    done = fenwire("analyze", "startpos", "--depth", "3", "--stream", "--json", "--engine", SCRIPTED)
    assert (done.returncode, done.stderr) == (0, "")
    *infos, last = map(json.loads, done.stdout.splitlines())
    assert [info["event"] for info in infos] == ["info"] * 3
    assert [info["depth"] for info in infos] == [1, 2, 3]
    assert list(infos[0])[:4] == ["event", "multipv", "depth", "seldepth"]
    assert infos[0]["pv_san"] == ["e4"]
    assert last.pop("event") == "result"
    assert last == json.loads(
        fenwire("analyze", "startpos", "--depth", "3", "--json", "--engine", SCRIPTED).stdout
    )


def test_a_stream_in_words(fenwire: Any) -> None:
    done = fenwire("analyze", "startpos", "--depth", "3", "--stream", "--engine", SCRIPTED)
    first, second, third, *result = done.stdout.splitlines()
    for depth, line in enumerate((first, second, third), 1):
        assert line.split()[:3] == ["1", "depth", f"{depth},"]
        assert line.endswith("White +0.20         1. e4")
    assert result[0] == "engine     Scripted"


def test_an_error_ends_a_stream_as_an_event(fenwire: Any) -> None:
    engine = f"{SCRIPTED} --die-after bestmove --illegal-best"
    done = fenwire("analyze", "startpos", "--depth", "3", "--stream", "--json", "--engine", engine)
    assert done.returncode == 3
    *infos, last = map(json.loads, done.stdout.splitlines())
    assert [info["event"] for info in infos] == ["info"] * 3
    assert last["event"] == "error"
    assert last["error"]["code"] == "illegal-engine-move"
    assert last["partial"]["lines"][0]["depth"] == 3
    assert done.stderr.startswith("fenwire: Scripted's best move 'a1b8' is not legal")


def test_a_transcript_records_both_sides(fenwire: Any, tmp_path: Path) -> None:
    record = tmp_path / "talk.txt"
    done = fenwire("analyze", "startpos", "--depth", "3", "--engine", SCRIPTED, "--transcript", str(record))
    assert done.returncode == 0
    rows = [line.split(" ", 2) for line in record.read_text().splitlines()]
    assert [float(seconds) for seconds, *_ in rows] == sorted(float(seconds) for seconds, *_ in rows)
    talk = [f"{sign} {line}" for _, sign, line in rows]
    assert talk[0] == "> uci"
    assert "< uciok" in talk
    assert f"> position fen {START}" in talk
    assert talk[-3:] == ["< bestmove e2e4", "> quit", "= exit code 0"]
    nowhere = fenwire("analyze", "startpos", "--depth", "3", "--transcript", str(tmp_path / "no" / "where"))
    assert nowhere.returncode == 2
    assert nowhere.stderr.startswith(f"fenwire: the transcript {tmp_path}/no/where cannot be written")
    for words in (("startpos",), ("-",)):
        full = fenwire("analyze", *words, "--depth", "3", "--transcript", "/dev/full", stdin="startpos\n")
        assert full.returncode == 2
        assert "e2e4" in full.stdout or "e4" in full.stdout
        assert full.stderr == "fenwire: the transcript /dev/full breaks off: No space left on device\n"


@pytest.mark.parametrize("name", ENGINES)
def test_chosen_moves(fenwire: Any, name: str, engine_path: Callable[[str], str]) -> None:
    engine_path(name)
    common = ("analyze", SCHOLAR, "--depth", "4", "--json", "--engine", name)
    banned = json.loads(fenwire(*common, "--banmoves", "Qxf7").stdout)
    assert banned["best"]["move"] != "f3f7"
    assert banned["lines"][0]["score"] != {"mate": 1}
    chosen = json.loads(fenwire(*common, "--searchmoves", "a2a3, h3").stdout)
    assert chosen["best"]["move"] in ("a2a3", "h2h3")
    assert chosen["limit"]["searchmoves"] == ["a2a3", "h2h3"]
    legal = [move.uci() for move in chess.Board(SCHOLAR).legal_moves]
    nothing = json.loads(fenwire(*common, "--banmoves", ",".join(legal)).stdout)
    assert (nothing["best"], nothing["outcome"]) == (None, {"winner": None, "reason": "all-moves-banned"})


LIMITS = [
    (["--nodes", "77"], "go nodes 77"),
    (["--seconds", "0.05"], "go movetime 50"),
    (["--mate", "2", "--seconds", "0.05"], "go movetime 50 mate 2"),
    (["--wtime", "60", "--btime", "50", "--winc", "1", "--binc", "2", "--movestogo", "3"],
     "go wtime 60 btime 50 winc 1 binc 2 movestogo 3"),
    (["--depth", "3", "--nodes", "9"], "go depth 3 nodes 9"),
    ([], "go movetime 2000"),
]  # fmt: skip


@pytest.mark.parametrize(("options", "go"), LIMITS, ids=[go for _, go in LIMITS])
def test_every_limit_reaches_the_engine(fenwire: Any, marked: Any, options: list[str], go: str) -> None:
    done = fenwire("analyze", "startpos", *options, "--engine", str(marked.path))
    assert (done.returncode, done.stderr) == (0, "")
    assert marked.heard[-2:] == [go, "quit"]


def test_a_timeout_is_an_answer_that_is_not_complete(fenwire: Any) -> None:
    done = fenwire("analyze", "startpos", "--infinite", "--timeout", "0.3", "--json", "--engine", SCRIPTED)
    assert done.returncode == 0
    answer = json.loads(done.stdout)
    assert (answer["complete"], answer["best"]["move"]) == (False, "e2e4")
    assert answer["notes"] == ["the search was stopped by its timeout"]


@pytest.mark.parametrize(
    "marked", ["", "--silent", "--silent --stubborn", "--die-after start"], indirect=True
)
@pytest.mark.parametrize("form", [[], ["--json"]])
def test_a_finished_game_asks_no_engine_and_waits_for_none(
    fenwire: Any, marked: Any, form: list[str]
) -> None:
    done = fenwire("analyze", MATED, "--infinite", "--engine", str(marked.path), *form)
    assert (done.returncode, done.stderr) == (0, "")
    # it may have been started while the rules were loaded
    assert not [line for line in marked.heard if line.startswith(("position", "go", "ucinewgame"))]
    if form:
        answer = json.loads(done.stdout)
        assert (answer["best"], answer["lines"]) == (None, [])
        assert answer["outcome"] == {"winner": "black", "reason": "checkmate"}
    else:
        assert done.stdout == "checkmate: Black has won\n"


def test_a_claimable_draw_is_noted_and_analyzed(fenwire: Any) -> None:
    text = "startpos moves g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8"
    done = fenwire("analyze", text, "--depth", "2", "--engine", SCRIPTED)
    assert done.returncode == 0
    assert "best       e4 (e2e4)\n" in done.stdout
    assert "note       the position has occurred three times: either side may claim a draw\n" in done.stdout


@pytest.mark.engine("stockfish")
def test_chess960(fenwire: Any, engine_path: Callable[[str], str]) -> None:
    engine_path("stockfish")
    done = fenwire("analyze", "8/1B6/8/2p3pb/6P1/8/7Q/k4KR1 w G - 0 1", "--depth", "6", "--json")
    answer = json.loads(done.stdout)
    assert answer["variant"] == "chess960"
    assert answer["best"]["move"] == "f1g1"
    assert answer["best"]["san"] == "O-O#"
    assert answer["engine"]["options"]["UCI_Chess960"] is True


# --- which engine ----------------------------------------------------------------------------------------


def test_the_environment_names_the_engine(fenwire: Any) -> None:
    env = {"FENWIRE_ENGINE": f"{SCRIPTED} --name Wished"}
    done = fenwire("analyze", "startpos", "--depth", "2", env=env)
    assert done.stdout.startswith("engine     Wished\n")
    # what is named on the command line comes first
    done = fenwire("analyze", "startpos", "--depth", "2", "--engine", "builtin", env=env)
    assert done.stdout.startswith("engine     fenwire built-in")
    assert fenwire("analyze", "startpos", env={"FENWIRE_ENGINE": "nonsense"}).returncode == 2


def test_where_nothing_is_installed_the_builtin_serves_and_says_so(fenwire: Any) -> None:
    code = (
        "import sys, engines.discovery; engines.discovery.FOLDERS = ()\n"
        "from adapter.cli import main; sys.exit(main(sys.argv[1:]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "analyze", SCHOLAR, "--depth", "12", "--json"],
        capture_output=True,
        text=True,
        timeout=SLOW,
        check=False,
        env={**fenwire.env, "PATH": ""},
        cwd=fenwire.root,
    )
    assert done.returncode == 0
    answer = json.loads(done.stdout)
    assert answer["best"]["move"] == "f3f7"
    assert answer["engine"]["profile"] == "builtin"
    [hint] = done.stderr.splitlines()
    assert hint.startswith(
        "fenwire: no engine for chess is installed, so the built-in one answers, a weak one"
    )
    assert "`fenwire engines install stockfish`" in hint


def test_a_xiangqi_position_is_reds_and_shown_in_wxf(fenwire: Any) -> None:
    engine = shlex.join(
        ["generic-ucci", sys.executable, MOCK_ENGINE, "--protocol", "ucci", "--bestmove", "h2e2"]
    )
    done = fenwire("analyze", XIANGQI, "--depth", "3", "--engine", engine)
    assert (done.returncode, done.stderr) == (0, "")
    assert "line 1     Red +0.20" in done.stdout
    assert "best       C2=5 (h2e2)" in done.stdout
    chinese = fenwire("analyze", XIANGQI, "--depth", "3", "--engine", engine, "--notation", "chinese")
    assert "(h2e2)" in chinese.stdout
    assert "炮二平五" in chinese.stdout
    black = ("--engine", engine.replace("h2e2", "h9g7"), "--notation", "chinese-simplified")
    assert "马８进７" in fenwire("analyze", XIANGQI, "h2e2", "--depth", "3", *black).stdout
