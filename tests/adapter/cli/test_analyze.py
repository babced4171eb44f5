"""`fenwire analyze` as a real process: its answers, its refusals, and every way to end it."""

from __future__ import annotations

import json
import os
import pty
import select
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import chess
import pytest

from engines.find import choose

SCHOLAR = "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR w KQkq - 4 4"
AFTER = "r1bqkbnr/pppp1Qpp/2n5/4p3/2B1P3/8/PPPP1PPP/RNB1K1NR b KQkq - 0 4"
START = chess.STARTING_FEN
E4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"
MATED = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3"
XIANGQI = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1"
SCRIPTED = f"{sys.executable} -m engines.scripted"
SLOW = 60.0  # seconds; nothing here comes near on any machine
PROMPT = 10 * 0.3  # seconds from a signal to the end of the program; ten times the goal is allowed

ENGINES = [pytest.param(name, marks=pytest.mark.engine(name)) for name in ("stockfish", "builtin")]


def processes(mark: str) -> list[int]:
    """The engines whose command line holds the mark, by their numbers."""
    done = subprocess.run(
        # unlimited width: a line is cut at 80 columns otherwise
        ["ps", "-axww", "-o", "pid=,args="],
        capture_output=True,
        text=True,
        timeout=SLOW,
        check=True,
    )
    lines = [line for line in done.stdout.splitlines() if mark in line and "adapter.cli" not in line]
    return [int(line.split()[0]) for line in lines]


def wait_until(happened: Callable[[], bool]) -> None:
    end = time.monotonic() + SLOW
    while not happened():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.02)


@pytest.fixture
def mark() -> Iterator[str]:
    """A word that only this test's engines have on their command lines; none of them may be left."""
    word = f"mark-{os.getpid()}-{time.monotonic_ns()}"
    yield word
    end = time.monotonic() + 5
    while (left := processes(word)) and time.monotonic() < end:
        time.sleep(0.05)
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    assert left == []


class Marked:
    """An engine that leaves a trace when it is started: what it was told, line by line."""

    def __init__(self, folder: Path, *flags: str) -> None:
        self._heard = folder / "heard.txt"
        self.path = folder / "engine"
        words = shlex.join([sys.executable, "-m", "engines.scripted", *flags])
        self.path.write_text(f"#!/bin/sh\ntee {shlex.quote(str(self._heard))} | {words}\n")
        self.path.chmod(0o755)

    @property
    def started(self) -> bool:
        return self._heard.exists()

    @property
    def heard(self) -> list[str]:
        return self._heard.read_text().splitlines() if self.started else []


@pytest.fixture
def marked(tmp_path: Path) -> Marked:
    return Marked(tmp_path)


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
        [sys.executable, "-m", "engines.scripted", "--bestmove", "c7c5", "--ponder", "g1f3", "--info", info]
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
        "engines.scripted",
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
    assert talk[-2:] == ["< bestmove e2e4", "> quit"]
    nowhere = fenwire("analyze", "startpos", "--depth", "3", "--transcript", str(tmp_path / "no" / "where"))
    assert nowhere.returncode == 2
    assert nowhere.stderr.startswith(f"fenwire: the transcript {tmp_path}/no/where cannot be written")


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
def test_every_limit_reaches_the_engine(fenwire: Any, marked: Marked, options: list[str], go: str) -> None:
    done = fenwire("analyze", "startpos", *options, "--engine", str(marked.path))
    assert (done.returncode, done.stderr) == (0, "")
    assert marked.heard[-2:] == [go, "quit"]


def test_a_timeout_is_an_answer_that_is_not_complete(fenwire: Any) -> None:
    done = fenwire("analyze", "startpos", "--infinite", "--timeout", "0.3", "--json", "--engine", SCRIPTED)
    assert done.returncode == 0
    answer = json.loads(done.stdout)
    assert (answer["complete"], answer["best"]["move"]) == (False, "e2e4")
    assert answer["notes"] == ["the search was stopped by its timeout"]


@pytest.mark.parametrize("form", [[], ["--json"]])
def test_a_finished_game_starts_no_engine(fenwire: Any, marked: Marked, form: list[str]) -> None:
    done = fenwire("analyze", MATED, "--infinite", "--engine", str(marked.path), *form)
    assert (done.returncode, done.stderr) == (0, "")
    assert not marked.started
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
        "import sys, engines.find; engines.find.FOLDERS = ()\n"
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


# --- what is refused -------------------------------------------------------------------------------------

BAD = [
    ("4k3/8/8/8/8/8/8/8 w - - 0 1", "king-missing", "White has no king", None),
    ("4k3/8/8/8/8/8/4R3/4K3 w - - 0 1", "opponent-in-check", "check", "4k3/8/8/8/8/8/4R3/4K3 b - - 0 1"),
    ("rnbqkbnr/ppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "rank-sum", "rank 7", START),
    ("rnbqkbnr/pppppppp/8/8/8/P7/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "too-many-pawns", "9 pawns", None),
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR", "missing-side", "side", None),
    ("startpos moves e2e4 e2e4", "move-illegal", "e2e4", None),
]  # fmt: skip


@pytest.mark.parametrize(("text", "code", "said", "repair"), BAD, ids=[row[1] for row in BAD])
def test_a_bad_record_reaches_no_engine(
    fenwire: Any, marked: Marked, text: str, code: str, said: str, repair: str | None
) -> None:
    common = ("analyze", text, "--depth", "3", "--engine", str(marked.path))
    done = fenwire(*common)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("fenwire: ")
    assert said in done.stderr
    told = fenwire(*common, "--json")
    assert told.returncode == 1
    error = json.loads(told.stdout)["error"]
    assert json.loads(told.stdout)["partial"] is None
    if code.startswith("move"):
        assert (error["code"], error["index"], error["text"]) == ("move", 1, "e2e4")
        assert error["fen"] == E4
    else:
        assert error["code"] == "fen"
        problem = next(problem for problem in error["problems"] if problem["code"] == code)
        assert problem["severity"] == "error"
        assert problem["at"]
        start, end = problem["span"]
        assert 0 <= start <= end <= len(text)
        if repair is not None:
            assert repair in (error["fixed"], *error["suggestions"])
            assert repair in done.stderr
    assert not marked.started
    # and a good one does
    assert fenwire("analyze", "startpos", "--depth", "3", "--engine", str(marked.path)).returncode == 0
    assert marked.started


def test_what_is_unreachable_but_safe_may_be_let_through(fenwire: Any) -> None:
    text = "rnbqkbnr/pppppppp/8/8/8/P7/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
    done = fenwire(
        "analyze", text, "--depth", "2", "--engine", SCRIPTED, "--allow", "too-many-pawns,too-many-total"
    )
    assert done.returncode == 0
    assert "best       e4 (e2e4)" in done.stdout


USAGE = [
    (["--depth", "0"], "limit", "depth is 0; it must be more than 0"),
    (["--seconds", "nan"], "limit", "seconds is nan"),
    (["--infinite", "--depth", "3"], "limit", "infinite goes with no other limit"),
    (["--wtime", "5"], "limit", "a clock needs both wtime and btime"),
    (["--wtime", "-5", "--btime", "5"], "limit", "a clock cannot be negative"),
    (["--depth", "x"], "usage", "not a valid integer"),
    (["--multipv", "0"], "usage", "'--multipv'"),
    (["--timeout", "0"], "usage", "'--timeout'"),
    (["--notation", "morse"], "usage", "'--notation'"),
    (["--notation", "wxf"], "config", "chess has no notation 'wxf'"),
    (["--option", "=3"], "usage", "--option takes NAME=VALUE"),
    (["--option", "Hsh=3"], "option", "no option 'Hsh'; did you mean Hash"),
    (["--option", "Hash=big"], "option", "Hash is a whole number"),
    (["--option", "MultiPV=3"], "option", "MultiPV is not set by hand"),
    (["--multipv", "99"], "option", "MultiPV 99 lies outside"),
    (["--engine", "stokfish"], "config", "no engine is called 'stokfish'; there is stockfish"),
    (["--engine", "pikafish"], "config", "pikafish plays xiangqi, not chess"),
    (["--engine", "gnuchess", "--searchmoves", "d2d4"], "limit", "GNU Chess cannot be held to chosen moves"),
    (["--infinite", "startpos moves e2e4"], "usage", "would never get to the second position"),
    (["--stream", "startpos moves e2e4"], "usage", "--stream shows one position"),
]  # fmt: skip


@pytest.mark.parametrize(("options", "code", "said"), USAGE, ids=[" ".join(row[0]) for row in USAGE])
def test_wrong_usage_is_2(fenwire: Any, options: list[str], code: str, said: str) -> None:
    engine = [] if "--engine" in options else ["--engine", SCRIPTED]
    done = fenwire("analyze", *options, "--json", *engine, f"{START} moves e2e4 e7e5")
    assert done.returncode == 2
    told = json.loads(done.stdout)
    assert told["error"]["code"] == code
    assert said in told["error"]["message"]
    assert told["partial"] is None
    assert done.stderr == f"fenwire: {told['error']['message']}\n"


def test_a_move_that_is_not_legal_is_1_before_an_engine_is_started(fenwire: Any, marked: Marked) -> None:
    for option in ("--searchmoves", "--banmoves"):
        done = fenwire(
            "analyze", "startpos", "--depth", "2", "--engine", str(marked.path), option, "e2e4,e2e5"
        )
        assert (done.returncode, done.stdout) == (1, "")
        assert "e2e5" in done.stderr
    assert not marked.started


FAILING = [
    ("--die-after go", "engine-died", "Scripted died (exit code 1)"),
    ("--die-after info --exit SEGV", "engine-died", "Scripted died (SIGSEGV)"),
    ("--critical-error", "engine-died", "CRITICAL ERROR"),
    ("--illegal-best", "illegal-engine-move", "best move 'a1b8' is not legal"),
    ("--no-move", "illegal-engine-move", "no move, though 20 are legal"),
    ("--die-after start", "engine-start", "ended before it greeted"),
]


@pytest.mark.parametrize(("fault", "code", "said"), FAILING, ids=[row[0] for row in FAILING])
def test_an_engine_that_fails_is_3(fenwire: Any, fault: str, code: str, said: str) -> None:
    common = ("analyze", "startpos", "--depth", "3", "--engine", f"{SCRIPTED} {fault}")
    done = fenwire(*common, "--json")
    assert done.returncode == 3
    told = json.loads(done.stdout)
    assert told["error"]["code"] == code
    assert said in told["error"]["message"]
    assert (told["partial"] is None) == (code == "engine-start")
    if "info" in fault:
        assert told["partial"]["lines"][0]["depth"] == 1
        assert told["error"]["signal"] == signal.SIGSEGV
    plain = fenwire(*common)
    assert (plain.returncode, plain.stdout) == (3, "")
    assert said in plain.stderr.splitlines()[0]
    assert "Traceback" not in plain.stderr


@pytest.mark.parametrize(
    ("engine", "said"),
    [
        ("/nowhere/engine", "there is no file /nowhere/engine"),
        ("eleeye", "ElephantEye is not installed (eleeye not found)"),
    ],
)
def test_an_engine_that_is_not_there_is_3(fenwire: Any, engine: str, said: str) -> None:
    text = XIANGQI if engine == "eleeye" else "startpos"
    done = fenwire("analyze", text, "--depth", "3", "--engine", engine)
    assert (done.returncode, done.stdout) == (3, "")
    assert said in done.stderr


# --- many records ----------------------------------------------------------------------------------------

RECORDS = f"""\
# a comment, and a blank line

startpos
rnbqkbnr/ppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1
{MATED}
startpos moves e2e4
startpos moves e2e5
  {START} bm e4; id "one";
"""


def test_many_records_one_line_each(fenwire: Any, tmp_path: Path) -> None:
    moves = tmp_path / "moves.txt"
    moves.write_text(f"c7c5 fen {START} moves e2e4\n")
    done = fenwire("analyze", "-", "--depth", "3", "--engine", f"{SCRIPTED} --moves {moves}", stdin=RECORDS)
    assert done.returncode == 1
    rows = [line.split(None, 2) for line in done.stdout.splitlines()]
    assert [(number, best) for number, best, _ in rows] == [
        ("3", "e4"),
        ("5", "checkmate:"),
        ("6", "c5"),
        ("8", "e4"),
    ]
    assert rows[0][2] == f"White +0.20  depth 3, 60 nodes, 0.0 s  {E4}"
    assert rows[2][2].endswith("rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2")
    assert "line 4: fenwire: the record has 1 mistake" in done.stderr
    assert f"  mended: {START}" in done.stderr
    assert "line 7: fenwire: move 1, 'e2e5'" in done.stderr


def test_many_records_as_json(fenwire: Any) -> None:
    records = RECORDS.replace("startpos moves e2e4\n", "")
    done = fenwire("analyze", "-", "--depth", "3", "--json", "--engine", SCRIPTED, stdin=records)
    assert done.returncode == 1
    first, bad, over, illegal, last = map(json.loads, done.stdout.splitlines())
    assert first["best"]["fen"] == last["best"]["fen"] == E4
    assert over["outcome"]["reason"] == "checkmate"
    assert bad["line"] == 4
    assert bad["input"] == "rnbqkbnr/ppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
    assert bad["error"]["fixed"] == START
    assert (illegal["line"], illegal["error"]["code"]) == (6, "move")
    assert done.stderr == ""


def test_all_good_records_are_0_and_none_are_too(fenwire: Any) -> None:
    assert (
        fenwire("analyze", "-", "--depth", "2", "--engine", SCRIPTED, stdin=f"startpos\r\n{START}").returncode
        == 0
    )
    empty = fenwire("analyze", "-", "--depth", "2", "--engine", SCRIPTED)
    assert (empty.returncode, empty.stdout, empty.stderr) == (0, "", "")


def test_bytes_that_are_no_text_cost_one_record(fenwire: Any) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "adapter.cli", "analyze", "-", "--depth", "2", "--json", "--engine", SCRIPTED],
        input=b"startpos\n\xb7\xff\x00 w\nstartpos\n\xef\xbb\xbfstartpos",
        capture_output=True,
        env=fenwire.env,
        cwd=fenwire.root,
        timeout=SLOW,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr == b""
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert ["error" in answer for answer in answers[:3]] == [False, True, False]
    argument = subprocess.run(
        [
            sys.executable,
            "-m",
            "adapter.cli",
            "analyze",
            "--json",
            "--engine",
            SCRIPTED,
            b"\xb7 w",
            b"\xff b",
        ],
        capture_output=True,
        env=fenwire.env,
        cwd=fenwire.root,
        timeout=SLOW,
        check=False,
    )
    assert argument.returncode == 1
    assert len(argument.stdout.splitlines()) == 2


def test_several_quoted_records_are_taken_one_after_another(fenwire: Any) -> None:
    done = fenwire("analyze", START, f"{START} moves e2e4", "--depth", "2", "--json", "--engine", SCRIPTED)
    assert done.returncode == 3
    first, second = map(json.loads, done.stdout.splitlines())
    assert first["position"]["moves"] == []
    # the second's best move, e2e4 too, is not legal there
    assert second["error"]["code"] == "illegal-engine-move"
    assert second["partial"]["position"]["moves"] == ["e2e4"]


def test_one_engine_serves_all_records_and_its_hints_are_given_once(fenwire: Any, marked: Marked) -> None:
    (fenwire.profiles / "broken.toml").write_text("name = 7\n")
    done = fenwire("analyze", "-", "--depth", "2", "--engine", str(marked.path), stdin="startpos\n" * 5)
    assert done.returncode == 0
    assert len(done.stdout.splitlines()) == 5
    assert marked.heard.count("uci") == 1
    assert [line.split()[0] for line in marked.heard].count("go") == 5
    stockfish = fenwire("analyze", "-", "--depth", "2", stdin="startpos\n" * 3)
    assert len(stockfish.stdout.splitlines()) == 3
    assert stockfish.stderr.count("a profile was passed over") == 1


@pytest.mark.engine("fairy-xiangqi")
@pytest.mark.engine("stockfish")
def test_engines_of_two_games_share_the_transcript(
    fenwire: Any, tmp_path: Path, engine_path: Callable[[str], str]
) -> None:
    engine_path("stockfish")
    engine_path("fairy-xiangqi")
    record = tmp_path / "talk.txt"
    text = f"startpos\n{XIANGQI}\nstartpos moves e2e4\n{XIANGQI} moves h2e2\n"
    done = fenwire("analyze", "-", "--depth", "3", "--json", "--transcript", str(record), stdin=text)
    assert done.returncode == 0
    assert [json.loads(line)["variant"] for line in done.stdout.splitlines()] == ["chess", "xiangqi"] * 2
    sent = [line.split(" ", 2)[2] for line in record.read_text().splitlines() if " > " in line]
    assert [line for line in sent if line.startswith(("uc", "position"))] == [
        "uci",
        f"position fen {START}",
        "ucci",
        f"position fen {XIANGQI}",
        f"position fen {START} moves e2e4",
        f"position fen {XIANGQI} moves h2e2",
    ]


# --- ends ------------------------------------------------------------------------------------------------


class Running:
    """`fenwire` as a process that is watched and struck."""

    def __init__(self, fenwire: Any, *args: str, stdin: int = subprocess.DEVNULL) -> None:
        self.popen: subprocess.Popen[str] = subprocess.Popen(
            [sys.executable, "-m", "adapter.cli", *args],
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=fenwire.env,
            cwd=fenwire.root,
            text=True,
        )

    def end(self, *signals: int, apart: float = 0.3) -> tuple[int, str, str, float]:
        """Its exit code, the rest of its output, its errors, and how long it took after the last signal."""
        start = time.monotonic()
        for number in signals:
            self.popen.send_signal(number)
            start = time.monotonic()
            if number is not signals[-1]:
                time.sleep(apart)
        try:
            out, err = self.popen.communicate(timeout=SLOW)
        finally:
            self.popen.kill()
        return self.popen.returncode, out, err, time.monotonic() - start

    def line(self) -> str:
        assert self.popen.stdout is not None
        return self.popen.stdout.readline()


@pytest.fixture
def run(fenwire: Any) -> Iterator[Callable[..., Running]]:
    """Starts `fenwire`; what a failed test leaves running is ended."""
    started: list[Running] = []

    def start(*args: str, stdin: int = subprocess.DEVNULL) -> Running:
        started.append(Running(fenwire, *args, stdin=stdin))
        return started[-1]

    yield start
    for running in started:
        popen = running.popen
        if popen.poll() is None:
            popen.terminate()
            popen.wait(SLOW)
        for pipe in (popen.stdin, popen.stdout, popen.stderr):
            if pipe is not None:
                pipe.close()


SIGNALS = [(signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, "terminated")]


@pytest.mark.parametrize(("number", "code", "word"), SIGNALS, ids=["SIGINT", "SIGTERM"])
@pytest.mark.parametrize("name", ENGINES)
def test_a_signal_ends_a_stream_with_the_best_move_so_far(
    run: Callable[..., Running],
    name: str,
    number: int,
    code: int,
    word: str,
    tmp_path: Path,
    engine_path: Callable[[str], str],
) -> None:
    engine_path(name)
    trace, link = tmp_path / "pid.txt", tmp_path / "engine"
    link.write_text(f"#!/bin/sh\necho $$ >{shlex.quote(str(trace))}\nexec {shlex.join(_command(name))}\n")
    link.chmod(0o755)
    process = run("analyze", "startpos", "--infinite", "--stream", "--json", "--engine", str(link))
    assert json.loads(process.line())["event"] == "info"
    returned, out, err, took = process.end(number)
    assert returned == code
    assert err == f"fenwire: {word}\n"
    *_, last = map(json.loads, out.splitlines())
    assert last["event"] == "result"
    board = chess.Board()
    board.push_uci(last["best"]["move"])
    assert last["best"]["fen"] == board.fen()
    assert last["complete"] is True
    assert took < PROMPT
    with pytest.raises(ProcessLookupError):
        os.kill(int(trace.read_text()), 0)


def _command(name: str) -> Sequence[str]:
    return choose("chess", name).command


@pytest.mark.parametrize(("number", "code", "word"), SIGNALS, ids=["SIGINT", "SIGTERM"])
def test_a_signal_ends_a_search_with_the_best_move_so_far(
    mark: str, run: Callable[..., Running], number: int, code: int, word: str
) -> None:
    engine = f"{SCRIPTED} --name {mark}"
    process = run("analyze", "startpos", "--infinite", "--engine", engine)
    wait_until(lambda: bool(processes(mark)))
    time.sleep(1.0)
    returned, out, err, _ = process.end(number)
    assert (returned, err) == (code, f"fenwire: {word}\n")
    assert out.startswith(f"engine     {mark}\n")
    assert f"FEN after  {E4}\n" in out


@pytest.mark.parametrize(("number", "code", "word"), SIGNALS, ids=["SIGINT", "SIGTERM"])
@pytest.mark.parametrize("fault", ["--slow-start 20", "--stubborn", "--stubborn --slow-stop 20"])
def test_a_signal_at_a_bad_moment_leaves_no_engine(
    mark: str, run: Callable[..., Running], fault: str, number: int, code: int, word: str
) -> None:
    """While it starts; while one is ended that will not leave; while one takes its time to stop."""
    limit = ["--infinite"] if "stop" in fault else ["--depth", "3"]
    engine = f"{SCRIPTED} --name {mark} {fault}"
    process = run("analyze", "startpos", *limit, "--engine", engine)
    wait_until(lambda: bool(processes(mark)))
    if fault == "--stubborn":
        # its answer is out, and it is asked to leave
        assert process.line() == f"engine     {mark}\n"
        time.sleep(0.3)
    else:
        time.sleep(0.7)
    # the second, impatient one strikes while the first is being served
    returned, _, err, took = process.end(number, number, apart=0.5)
    assert returned == code
    assert err.splitlines()[-1] == f"fenwire: {word}"
    assert "Traceback" not in err
    assert took < SLOW / 2


@pytest.mark.parametrize(("number", "code", "word"), SIGNALS, ids=["SIGINT", "SIGTERM"])
def test_an_engine_that_owes_its_best_move_takes_nothing_away(
    fenwire: Any, mark: str, run: Callable[..., Running], number: int, code: int, word: str
) -> None:
    engine = f"{SCRIPTED} --name {mark} --withhold bestmove"
    fenwire.profile("mute", f"command = {json.dumps(shlex.split(engine))}\n" + MUTE)
    process = run("analyze", "startpos", "--infinite", "--json", "--engine", "mute")
    wait_until(lambda: bool(processes(mark)))
    time.sleep(1.0)
    returned, out, err, _ = process.end(number)
    assert returned == code
    assert err.startswith(f"fenwire: {mark} gave no best move within 0.3 s of being told to stop\n")
    assert err.endswith(f"\nfenwire: {word}\n")
    answer = json.loads(out)
    assert (answer["best"], answer["complete"]) == (None, False)
    assert answer["lines"][0]["pv"] == ["e2e4"]


MUTE = """
protocol = "uci"
variant = "chess"
deadlines.stop = 0.3
deadlines.quit = 0.3
"""


@pytest.mark.parametrize(("number", "code", "word"), SIGNALS, ids=["SIGINT", "SIGTERM"])
@pytest.mark.parametrize("records", ["", "startpos\n"])
def test_a_signal_ends_the_wait_for_records(
    mark: str, run: Callable[..., Running], records: str, number: int, code: int, word: str
) -> None:
    engine = f"{SCRIPTED} --name {mark}"
    process = run("analyze", "-", "--depth", "2", "--engine", engine, stdin=subprocess.PIPE)
    assert process.popen.stdin is not None
    if records:
        process.popen.stdin.write(records)
        process.popen.stdin.flush()
        assert process.line().endswith(f"{E4}\n")
    else:
        time.sleep(1.5)
    returned, out, err, took = process.end(number)
    assert (returned, out, err) == (code, "", f"fenwire: {word}\n")
    assert took < PROMPT


@pytest.mark.parametrize("form", [[], ["--json"]])
@pytest.mark.parametrize("name", ENGINES)
def test_a_reader_that_goes_ends_it_in_silence(
    run: Callable[..., Running], name: str, form: list[str], tmp_path: Path, engine_path: Callable[[str], str]
) -> None:
    engine_path(name)
    record = tmp_path / "talk.txt"
    process = run(
        "analyze",
        "startpos",
        "--infinite",
        "--stream",
        "--engine",
        name,
        "--transcript",
        str(record),
        *form,
    )
    assert process.line()
    assert process.popen.stdout is not None
    assert process.popen.stderr is not None
    process.popen.stdout.close()
    assert process.popen.wait(SLOW) == 0
    assert process.popen.stderr.read() == ""
    # the engine was told to stop and to leave
    sent = [line.split(" ", 2)[2] for line in record.read_text().splitlines() if " > " in line]
    assert sent[-2:] == ["stop", "quit"]


def test_head_in_a_shell(fenwire: Any, mark: str) -> None:
    engine = shlex.quote(f"{SCRIPTED} --flood-after go --name {mark}")
    line = f"{sys.executable} -m adapter.cli analyze startpos --infinite --stream --engine {engine} | head -1"
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", line],
        capture_output=True,
        text=True,
        env=fenwire.env,
        cwd=fenwire.root,
        timeout=SLOW,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert len(done.stdout.splitlines()) == 1


def test_a_search_without_end_ends_with_its_engine(mark: str, run: Callable[..., Running]) -> None:
    process = run(
        "analyze",
        "startpos",
        "--infinite",
        "--stream",
        "--json",
        "--engine",
        f"{SCRIPTED} --name {mark}",
    )
    for _ in range(3):
        process.line()
    [engine] = processes(mark)
    os.kill(engine, signal.SIGKILL)
    returned, out, err, _ = process.end()
    assert returned == 3
    last = json.loads(out.splitlines()[-1])
    assert (last["event"], last["error"]["code"], last["error"]["signal"]) == ("error", "engine-died", 9)
    assert err.startswith(f"fenwire: {mark} died (SIGKILL)")


# --- on a terminal ---------------------------------------------------------------------------------------


def on_a_terminal(fenwire: Any, *args: str, strike: int | None = None) -> tuple[int, str, str]:
    """The exit code, what went to stdout (a pipe), and what was shown on the terminal behind stderr."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "adapter.cli", *args],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=theirs,
        env={**fenwire.env, "TERM": "xterm", "COLUMNS": "100", "LINES": "30"},
        cwd=fenwire.root,
    )
    os.close(theirs)
    shown = bytearray()
    end = time.monotonic() + SLOW
    try:
        while time.monotonic() < end:
            if select.select([ours], [], [], 0.1)[0]:
                try:
                    data = os.read(ours, 65536)
                except OSError:  # Linux says so when the other side has closed
                    break
                if not data:
                    break
                shown += data
            elif process.poll() is not None:
                break
            if strike is not None and b"depth" in shown:
                process.send_signal(strike)
                strike = None
        assert process.stdout is not None
        out = process.stdout.read().decode()
        code = process.wait(SLOW)
    finally:
        process.kill()
        process.wait()
        os.close(ours)
        if process.stdout is not None:
            process.stdout.close()
    return code, out, shown.decode("utf-8", "replace")


@pytest.mark.engine("stockfish")
def test_a_terminal_shows_the_search_as_it_goes(fenwire: Any, engine_path: Callable[[str], str]) -> None:
    engine_path("stockfish")
    code, out, shown = on_a_terminal(fenwire, "analyze", "startpos", "--seconds", "1", "--multipv", "2")
    assert code == 0
    assert out.startswith("engine     Stockfish")
    assert "\x1b" not in out
    # depth, score from White's side, and the line in SAN with its move numbers, drawn again and again
    assert shown.count("depth") > 3
    assert "White +" in shown
    assert "1. " in shown
    assert "nodes" in shown
    # it is wiped away in the end
    assert "\x1b[2K" in shown


@pytest.mark.engine("stockfish")
def test_ctrl_c_on_a_terminal_leaves_the_result(fenwire: Any, engine_path: Callable[[str], str]) -> None:
    engine_path("stockfish")
    code, out, shown = on_a_terminal(fenwire, "analyze", "startpos", "--infinite", strike=signal.SIGINT)
    assert code == 130
    assert "FEN after" in out
    assert "fenwire: interrupted" in shown
    # the cursor is there again
    assert shown.rfind("\x1b[?25h") > shown.rfind("\x1b[?25l")


@pytest.mark.parametrize("form", [["--json"], ["--stream"]])
def test_no_view_where_it_would_be_in_the_way(fenwire: Any, form: list[str]) -> None:
    code, out, shown = on_a_terminal(
        fenwire, "analyze", "startpos", "--depth", "3", "--engine", SCRIPTED, *form
    )
    assert code == 0
    assert out
    assert shown == ""


def test_a_xiangqi_position_is_reds_and_shown_in_wxf(fenwire: Any) -> None:
    engine = shlex.join(
        ["generic-ucci", sys.executable, "-m", "engines.scripted", "--protocol", "ucci", "--bestmove", "h2e2"]
    )
    done = fenwire("analyze", XIANGQI, "--depth", "3", "--engine", engine)
    assert (done.returncode, done.stderr) == (0, "")
    assert "line 1     Red +0.20" in done.stdout
    assert "best       C2=5 (h2e2)" in done.stdout
    chinese = fenwire("analyze", XIANGQI, "--depth", "3", "--engine", engine, "--notation", "chinese")
    assert "(h2e2)" in chinese.stdout
    assert "炮二平五" in chinese.stdout
