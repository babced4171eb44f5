"""`fenwire conform`, by the command itself: what it prints, writes, and ends with."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from junitparser import JUnitXml

from tests.mock_engine import MOCK_ENGINE

MUTE = f"""command = [{sys.executable!r}, {MOCK_ENGINE!r}, "--withhold", "uciok"]
protocol = "uci"
variant = "chess"
[deadlines]
start = 0.5
"""
FIELDS = ["step", "section", "ok", "sent", "received", "message"]


def rows(done: Any) -> list[dict[str, Any]]:
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.engine("stockfish")
def test_an_engine_that_conforms(fenwire: Any, tmp_path: Path) -> None:
    junit, talk = tmp_path / "junit.xml", tmp_path / "talk"
    done = fenwire("conform", "stockfish", "--json", "--junit", str(junit), "--transcript", str(talk))
    assert done.returncode == 0, done.stdout
    assert done.stderr == ""
    *steps, last = rows(done)
    assert all(list(row) == FIELDS for row in steps)
    assert all(row["ok"] for row in steps)
    summary = last["summary"]
    assert summary["passed"] is True
    assert summary["faults"] == summary["untried"] == []
    assert summary["engine"].startswith("Stockfish")
    assert (summary["protocol"], summary["variant"]) == ("uci", "chess")
    assert summary["steps"] == len(steps) > 80
    (depth,) = [row for row in steps if row["step"] == "go-depth"]
    assert depth["section"] == 'UCI, "go"'
    assert depth["sent"][0].startswith("position fen ")
    assert depth["sent"][1] == "go depth 4"
    assert any(line.startswith("bestmove ") for line in depth["received"])

    whole = JUnitXml.fromfile(str(junit))
    assert (whole.tests, whole.failures, whole.errors) == (len(steps), 0, 0)
    assert (talk / "01-handshake.txt").read_text().splitlines()[0].endswith("> uci")


@pytest.mark.engine("glaurung")
def test_an_engine_that_falls_short(fenwire: Any, tmp_path: Path) -> None:
    junit = tmp_path / "junit.xml"
    done = fenwire("conform", "glaurung", "--junit", str(junit))
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("FAIL option-case"))
    # the section, then what went over the wire
    assert lines[at + 1].strip() == 'UCI, "setoption"'
    assert "     > setoption name mUlTiPv value 2" in lines[at:] or "     > go depth 2" in lines[at : at + 10]
    assert any(line.startswith("     < No such option: mUlTiPv") for line in lines[at : at + 10])
    assert lines[-1].startswith("Glaurung 2.2 (uci, chess) falls short: ")
    assert any(line.startswith("note chess960") for line in lines)
    # no bar where there is no terminal
    assert done.stderr == ""
    assert "\x1b" not in done.stdout

    (suite,) = JUnitXml.fromfile(str(junit))
    failed = {case.name: case.result[0] for case in suite if case.result}
    assert "isready-in-search" in failed
    assert failed["option-case"].message.startswith("names of options are read in any case")
    assert "< No such option: mUlTiPv" in failed["option-case"].text


def test_an_engine_that_never_greets_falls_short(fenwire: Any) -> None:
    fenwire.profile("mute", MUTE)
    done = fenwire("conform", "mute", "--json")
    assert done.returncode == 1
    step, last = rows(done)
    assert (step["step"], step["ok"]) == ("handshake", False)
    assert step["message"] == "no uciok within 0.5 s of uci"
    assert last["summary"]["passed"] is False
    assert "go-depth" in last["summary"]["untried"]


@pytest.mark.parametrize(
    ("engine", "told"),
    [
        ("/no/such/engine", "there is no file /no/such/engine"),
        ("pikafish-that-is-nowhere", "not installed"),
        (f"{sys.executable} -c 'raise SystemExit(5)'", "does not start: the engine ended (exit code 5)"),
    ],
)
def test_an_engine_that_is_missing_or_does_not_start(fenwire: Any, engine: str, told: str) -> None:
    fenwire.profile(
        "pikafish-that-is-nowhere", 'command = ["no-such-program"]\nprotocol = "uci"\nvariant = "xiangqi"\n'
    )
    done = fenwire("conform", engine, "--json")
    assert done.returncode == 3
    assert told in done.stderr
    (error,) = rows(done)
    assert error["error"]["code"] == "engine-start"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("stockfich",), "no engine is called 'stockfich'"),
        (("gnuchess", "--variant", "xiangqi"), "gnuchess plays chess, not xiangqi"),
        (("builtin", "--junit", "no/where/junit.xml"), "there is no folder"),
        ((), "missing argument 'E'"),
    ],
)
def test_wrong_usage(fenwire: Any, words: tuple[str, ...], told: str) -> None:
    done = fenwire("conform", *words)
    assert done.returncode == 2
    assert told in done.stderr
    assert done.stdout == ""


def test_the_command_is_listed(fenwire: Any) -> None:
    assert "  conform " in fenwire("--help").stdout
    assert "--transcript DIR" in fenwire("conform", "--help").stdout


@pytest.mark.skipif(os.name != "posix", reason="pseudo-terminals are POSIX's")
def test_a_terminal_gets_a_bar(fenwire: Any) -> None:
    import pty

    fenwire.profile("mute", MUTE)
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "adapter.cli", "conform", "mute"]
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=fenwire.env) as running:
        os.close(theirs)
        said = b""
        while True:
            try:
                chunk = os.read(ours, 65_536)
            except OSError:  # Linux tells the end of a terminal so
                break
            if not chunk:
                break
            said += chunk
        assert running.wait(60) == 1
    os.close(ours)
    assert b"handshake" in said
    assert b"\x1b[" in said
    assert b"falls short" in said
