"""What `fenwire analyze` refuses, before an engine is started where it can, and how it says so."""

from __future__ import annotations

import json
import signal
import sys
from typing import Any

import chess
import pytest

from tests.mock_engine import MOCK_ENGINE

START = chess.STARTING_FEN
E4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"
XIANGQI = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1"
SCRIPTED = f"{sys.executable} {MOCK_ENGINE}"


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
    fenwire: Any, marked: Any, text: str, code: str, said: str, repair: str | None
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


def test_a_move_that_is_not_legal_is_1_before_an_engine_is_started(fenwire: Any, marked: Any) -> None:
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
