"""The scripted engine by itself: good manners by default, each flag as its help says."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import chess
import chess.engine
import pytest

from tests.mock_engine import MOCK_ENGINE
from tests.mock_engine.behaviour import PROTOCOLS
from tests.mock_engine.faults import FAULTS

pytestmark = pytest.mark.usefixtures("no_leaks")
NAMES = [name for faults in FAULTS.values() for name in faults]
LAST = "info depth 3 seldepth 4 multipv 1 score cp 20 nodes 60 nps 20000 time 3 pv"


def run(flags: str, *lines: str) -> subprocess.CompletedProcess[bytes]:
    """Sends the lines and the end of the input; the engine must end by itself."""
    return subprocess.run(
        (sys.executable, MOCK_ENGINE, *flags.split()),
        input="".join(f"{line}\n" for line in lines).encode(),
        capture_output=True,
        timeout=30,
        check=False,
    )


def said(flags: str, *lines: str) -> list[str]:
    done = run(flags, *lines, "quit")
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout.decode().split("\n")[:-1]


# flags, what is sent, the last lines of what is said
SAID: list[tuple[str, list[str], list[str]]] = [
    ("", ["isready"], ["readyok"]),
    ("", ["go depth 1"], [f"{LAST} e2e4", "bestmove e2e4"]),
    ("--bestmove d2d4 --ponder d7d5", ["go"], [f"{LAST} d2d4 d7d5", "bestmove d2d4 ponder d7d5"]),
    ("", ["go infinite", "isready", "stop"], [f"{LAST} e2e4", "readyok", "bestmove e2e4"]),
    ("", ["stop", "isready"], ["readyok"]),
    ("--early", ["go infinite"], ["bestmove e2e4"]),
    ("--endless", ["go depth 3", "isready", "stop"], ["readyok", "bestmove e2e4"]),
    ("--no-infos", ["isready", "go depth 3"], ["readyok", "bestmove e2e4"]),
    ("--info depth --no-infos", ["go"], ["info depth", "bestmove e2e4"]),
    ("--ignore isready", ["isready", "go", "isready"], ["bestmove e2e4"]),
    ("--withhold info --withhold readyok", ["isready", "go"], ["bestmove e2e4"]),
    ("--bestmove-again", ["go"], ["bestmove e2e4", "bestmove e2e4"]),
    ("--unasked-bestmove", ["isready"], ["bestmove a2a3", "readyok"]),
    ("--illegal-best", ["go"], ["bestmove a1b8"]),
    ("--illegal-ponder", ["go"], ["bestmove e2e4 ponder a1b8"]),
    ("--illegal-pv", ["go"], ["info depth 4 score cp 20 pv e2e4 a1b8 e2e4", "bestmove e2e4"]),
    ("--no-move", ["go"], ["bestmove (none)"]),
    ("--no-move 0000", ["go"], ["bestmove 0000"]),
    ("--bare-bestmove", ["go"], ["bestmove"]),
    ("--bounds-only", ["go"], ["info depth 3 score cp 20 lowerbound nodes 60 pv e2e4", "bestmove e2e4"]),
    ("--protocol ucci", ["go"], [f"{LAST} e2e4".replace("cp ", ""), "bestmove e2e4", "bye"]),
    ("--protocol ucci --nobestmove", ["go"], ["nobestmove", "bye"]),
    ("--mute-after readyok", ["isready", "isready", "go"], ["readyok"]),
    ("--name Crafty", ["uci"], ["uciok"]),
    ("--silent", ["uci", "isready", "go"], []),
]


@pytest.mark.parametrize(("flags", "sent", "last"), SAID, ids=[flags or "good" for flags, _, _ in SAID])
def test_what_it_says(flags: str, sent: list[str], last: list[str]) -> None:
    found = said(flags, *sent)
    assert found[len(found) - len(last) :] == last
    if not last:
        assert found == []


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_its_greeting(protocol: str) -> None:
    lines = said(f"--protocol {protocol} --name Crafty", protocol)
    assert lines[0] == "id name Crafty"
    options = [line for line in lines if line.startswith("option ")]
    assert len(options) == len(PROTOCOLS[protocol].options)
    assert lines[len(options) + 2] == f"{protocol}ok"


def test_moves_by_position(tmp_path: Path) -> None:
    book = tmp_path / "book.txt"
    book.write_text("e7e5 startpos moves e2e4\n\nd7d5 fen x y z\n")
    asked = ["position startpos moves e2e4", "go", "position fen x y z", "go", "position fen z", "go"]
    found = said(f"--moves {book} --no-infos", *asked)
    assert found == ["bestmove e7e5", "bestmove d7d5", "bestmove e2e4"]


# flags, what is sent, exit code
ENDS: list[tuple[str, list[str], int]] = [
    ("", [], 0),
    ("", ["uci", "quit"], 0),
    ("--die-after start --exit 9", ["uci"], 9),
    ("--die-after go --exit 200", ["uci", "go"], 200),
    ("--die-after bestmove --exit SEGV", ["go"], -signal.SIGSEGV),
    ("--die-after quit --exit SIGKILL", ["quit"], -signal.SIGKILL),
    ("--die-on e2e4", ["position startpos moves e2e4", "go"], 1),
    ("--die-on e2e4", ["position startpos moves d2d4", "go", "quit"], 0),
    ("--critical-error", ["position startpos"], 1),
    ("--strict", ["uci", "isready", "position startpos", "go infinite", "isready", "stop", "quit"], 0),
    ("--strict", ["uci", "position startpos", "go infinite", "position startpos"], 70),
    ("--strict", ["uci", "go infinite", "go depth 1"], 70),
    ("--strict", ["uci", "go infinite", "setoption name Hash value 1"], 70),
    ("--strict", ["isready"], 70),
    ("--strict", ["uci", "hello"], 70),
    ("--strict --protocol ucci", ["isready"], 70),
    ("--exit 256", [], 2),
    ("--exit NONSENSE", [], 2),
    ("--late soon", [], 2),
    ("--die", [], 2),
    ("--play /no/such/file", [], 2),
    ("--moves /no/such/file", [], 2),
]


@pytest.mark.parametrize(("flags", "sent", "code"), ENDS)
def test_how_it_ends(flags: str, sent: list[str], code: int) -> None:
    done = run(flags, *sent)
    assert done.returncode == code
    assert b"Traceback" not in done.stderr
    if code in (2, 70):
        assert done.stderr


BYTES = [
    ("--bom", b"\xef\xbb\xbfreadyok\n"),
    ("--crlf", b"readyok\r\n"),
    ("--blanks", b"\n \t \n\treadyok \t\n"),
    ("--one-byte", b"readyok\n"),
    ("--banner", b"Scripted 1.0 by nobody, all rights reserved\n\ninfo string uciok soon\nreadyok\n"),
]


@pytest.mark.parametrize(("flag", "data"), BYTES)
def test_its_bytes(flag: str, data: bytes) -> None:
    assert run(flag, "isready", "quit").stdout == data


def test_garbage_is_the_same_garbage_each_time() -> None:
    first, second, other = (run(f"--garbage {seed}", "isready").stdout for seed in ("3", "3", "4"))
    assert first == second != other
    assert first.endswith(b"readyok\n")
    assert b"\xff\xfe" in first


def test_a_long_line_is_as_long_as_told() -> None:
    lines = run("--long-line 100000 --no-infos", "go").stdout.split(b"\n")
    assert abs(len(lines[0]) - 100_000) < 10
    assert lines[1] == b"bestmove e2e4"


def test_times_are_kept() -> None:
    def seconds(flags: str, *lines: str) -> float:
        start = time.monotonic()
        run(flags, *lines)
        return time.monotonic() - start

    assert seconds("--slow-start 0.4", "uci") >= 0.4
    assert seconds("--slow-ready 0.4", "isready") >= 0.4
    assert seconds("--ignore eof --late 0.4 --die-after bestmove", "go movetime 100") >= 0.5
    assert seconds("--ignore eof --think 0.4 --die-after bestmove", "go depth 1") >= 0.4
    assert seconds("--ignore eof --slow-stop 0.4 --die-after bestmove", "go infinite", "stop") >= 0.4


def test_its_memory_grows() -> None:
    # the greatest resident size any child of ours has had, in kilobytes; bytes on macOS
    import resource

    scale = 1024 if sys.platform == "darwin" else 1
    assert run("--hog-after-go 300", "go", "quit").returncode == 0
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / scale > 300_000


def test_it_freezes_and_thaws() -> None:
    with subprocess.Popen(
        (sys.executable, MOCK_ENGINE, "--freeze-after", "isready"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as engine:
        assert engine.stdin is not None
        assert engine.stdout is not None
        engine.stdin.write(b"isready\n")
        engine.stdin.flush()
        pid, status = os.waitpid(engine.pid, os.WUNTRACED)
        assert (pid, os.WIFSTOPPED(status)) == (engine.pid, True)
        engine.send_signal(signal.SIGCONT)
        assert engine.stdout.readline() == b"readyok\n"
        engine.stdin.write(b"quit\n")
        engine.stdin.flush()
        assert engine.wait(20) == 0


def test_the_help_names_every_fault() -> None:
    done = run("--help")
    assert done.returncode == 0
    text = done.stdout.decode()
    for name in NAMES:
        assert f"  --{name} " in text or f"  --{name}\n" in text
    assert max(map(len, text.split("\n"))) <= 130


def test_python_chess_can_drive_it() -> None:
    engine = chess.engine.SimpleEngine.popen_uci(
        [sys.executable, MOCK_ENGINE, "--ponder", "e7e5", "--strict"]
    )
    with engine:
        engine.configure({"Hash": 32, "Style": "Very Risky"})
        result = engine.play(chess.Board(), chess.engine.Limit(depth=3), info=chess.engine.INFO_ALL)
    assert result.move == chess.Move.from_uci("e2e4")
    assert result.ponder == chess.Move.from_uci("e7e5")
    assert result.info["depth"] == 3
