"""`fenwire suite` as a command: its lines, its exit codes, signals, saved runs, suite files."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from adapter.cli import main
from engines import discovery
from tests.mock_engine import MOCK_ENGINE

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -"
AFTER_E4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -"
SUITES = Path(os.environ.get("FENWIRE_SHARED", Path(__file__).parents[4] / "shared")) / "suites"
XIANGQI = "4k4/9/9/9/9/9/4r4/9/4R4/4K4 w - - 0 1 bm R5+2;"

# What the contract promises of a case, in its order.
KEYS = ["id", "engine", "fen", "expected", "best", "solved", "points", "solved_depth", "solved_ms", "note"]


def scripted(*flags: str) -> str:
    return " ".join(("generic-uci", sys.executable, MOCK_ENGINE, *flags))


def written(path: Path, *lines: str) -> str:
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


def read(out: str) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    *cases, last = (json.loads(line) for line in out.splitlines())
    return cases, last["summary"]


@pytest.fixture
def suite(tmp_path: Path) -> str:
    return written(
        tmp_path / "two.epd", f'{START} bm e4; id "right";', f'{START} bm d4; c0 "d4=5, e4=3"; id "wrong";'
    )


def test_json(suite: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["suite", suite, "--engine", scripted(), "--depth", "1", "--json"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    cases, summary = read(out)
    assert [list(case) for case in cases] == [KEYS, KEYS]
    assert cases[0] == {
        "id": "right",
        "engine": "Scripted",
        "fen": f"{START} 0 1",
        "expected": {"bm": ["e2e4"]},
        "best": "e2e4",
        "solved": True,
        "points": None,
        "solved_depth": 1,
        "solved_ms": cases[0]["solved_ms"],
        "note": "",
    }
    assert cases[1]["expected"] == {"bm": ["d2d4"], "c0": {"d2d4": 5, "e2e4": 3}}
    assert (cases[1]["solved"], cases[1]["points"]) == (False, 3)
    assert (summary["cases"], summary["solved"], summary["passed"], summary["complete"]) == (2, 1, True, True)
    assert summary["engines"][0]["points"] == 3
    assert summary["engines"][0]["max_points"] == 5


def test_text(suite: str, capsys: pytest.CaptureFixture[str]) -> None:
    engines = ["--engine", scripted(), "--engine", scripted("--bestmove d2d4")]
    assert main(["suite", suite, *engines, "--depth", "1", "--jobs", "2"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    lines = out.splitlines()
    assert lines[0] == "Scripted:"
    assert lines[1].startswith("ok   right")
    assert lines[2].startswith("FAIL wrong")
    assert lines[2].endswith("e4 instead of bm d4; d4=5, e4=3")
    assert lines[3] == "Scripted #2:"
    assert lines[4].startswith("FAIL right")
    assert lines[5].startswith("ok   wrong")
    assert lines[7].startswith("Scripted: two.epd     1/2 solved, 3/5 points")
    assert lines[8].startswith("Scripted #2: two.epd  1/2 solved, 5/5 points")


@pytest.mark.parametrize(("mark", "code"), [("1", 0), ("2", 1), ("50%", 0), ("51%", 1), ("0", 0)])
def test_the_pass_mark(suite: str, mark: str, code: int) -> None:
    assert main(["suite", suite, "--engine", scripted(), "--depth", "1", "--min-solved", mark]) == code


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--min-solved", "101%"], "pass mark"),
        (["--min-solved", "many"], "pass mark"),
        (["--nodes", "0"], "nodes is 0"),
        (["--infinite"], "--infinite"),
        (["--junit", "nowhere/at/all.xml"], "no folder"),
        (["--baseline", "missing.jsonl"], "missing.jsonl"),
        (["--option", "Nonsense=1", "--depth", "1"], "Nonsense"),
        (["--engine", "fairy-xiangqi"], "fairy-xiangqi plays xiangqi, not chess"),
        (["--engine", "nobody-knows-it"], "no engine is called"),
        (["--config", "nowhere"], "there is no suite file nowhere"),
    ],
)
def test_wrong_usage(suite: str, capsys: pytest.CaptureFixture[str], words: list[str], said: str) -> None:
    engine = [] if "--engine" in words else ["--engine", scripted()]
    assert main(["suite", suite, *engine, *words]) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(("mark", "code"), [("3", 0), ("4", 1), ("60%", 0), ("61%", 1)])
def test_the_pass_mark_of_points(suite: str, mark: str, code: int) -> None:
    assert main(["suite", suite, "--engine", scripted(), "--depth", "1", "--min-points", mark]) == code


@pytest.mark.parametrize("mark", [[], ["--min-solved", "5"], ["--min-solved", "100%"]])
def test_a_file_that_was_cut_off_does_not_pass(
    tmp_path: Path, suite: str, capsys: pytest.CaptureFixture[str], mark: list[str]
) -> None:
    empty = written(tmp_path / "empty.epd")
    assert main(["suite", suite, empty, "--engine", scripted(), "--depth", "1", *mark]) == 2
    assert f"{empty} holds no case" in capsys.readouterr().err
    job = written(tmp_path / "job.toml", "[[suite]]\nname = 'a'\nfiles = ['empty.epd']\nmin_solved = '100%'")
    assert main(["suite", "--config", job, "--engine", scripted()]) == 2
    assert "empty.epd holds no case" in capsys.readouterr().err


def test_counts_that_the_limit_leaves_nothing_of_do_not_pass(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path / "d2.epd", f"{START} ;D2 400")
    for mark in ([], ["--min-solved", "100%"]):
        assert main(["suite", path, "--engine", scripted(), "--depth", "1", *mark]) == 1
        assert capsys.readouterr().out.splitlines()[-2:] == [
            "left out d2.epd:1: the limit leaves nothing of perft 2: 400",
            "nothing of d2.epd was run",
        ]


def test_nothing_to_run(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["suite"]) == 2
    assert "--config" in capsys.readouterr().err
    assert main(["suite", "missing.epd", "--engine", scripted()]) == 2
    assert "missing.epd" in capsys.readouterr().err


def test_the_builtin_engine_never_serves_unasked(
    suite: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.delenv("FENWIRE_ENGINE", raising=False)
    monkeypatch.setattr(discovery, "FOLDERS", ())
    assert main(["suite", suite, "--depth", "1"]) == 3
    assert "no engine for chess is installed" in capsys.readouterr().err
    assert main(["suite", suite, "--depth", "1", "--engine", "stockfish"]) == 3
    assert "Stockfish is not installed" in capsys.readouterr().err
    assert main(["suite", suite, "--depth", "1", "--engine", "builtin"]) == 0


def test_bad_lines_are_told_and_the_rest_is_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path / "bad.epd", "nonsense", f"{START} bm e4;", f"{START} bm ;")
    assert main(["suite", path, "--engine", scripted(), "--depth", "1", "--json"]) == 1
    out, err = capsys.readouterr()
    cases, summary = read(out)
    assert [case["id"] for case in cases] == ["bad.epd:2"]
    assert [(bad["source"], bad["line"]) for bad in summary["bad_lines"]] == [("bad.epd", 1), ("bad.epd", 3)]
    assert err.splitlines()[1] == "fenwire: bad.epd:3: bm names no move"


def test_a_file_of_bad_lines_alone_needs_no_engine(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["suite", written(tmp_path / "bad.epd", "nonsense"), "--json"]) == 1
    cases, summary = read(capsys.readouterr().out)
    assert cases == []
    assert len(summary["bad_lines"]) == 1


def test_an_engine_that_fails_is_not_passed_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path / "three.epd", f"{START} bm e4;", f"{AFTER_E4} bm e5;", f"{START} bm e4;")
    words = ["suite", path, "--engine", scripted("--die-on 4P3 --exit SEGV"), "--depth", "1", "--json"]
    assert main(words) == 1
    cases, summary = read(capsys.readouterr().out)
    assert [case["solved"] for case in cases] == [True, False, True]
    assert "SIGSEGV" in cases[1]["note"]
    assert summary["engines"][0]["faults"] == 1
    # a mark is the user's word for how much is enough
    assert main([*words, "--min-solved", "2"]) == 0


def test_an_engine_that_does_not_start(suite: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["suite", suite, "--engine", scripted("--die-after uci"), "--json"]) == 3
    summary, error = (json.loads(line) for line in capsys.readouterr().out.splitlines())
    assert summary["summary"]["complete"] is False
    assert error["error"]["code"] == "engine-start"


def test_a_wrong_count_fails_without_a_mark(tmp_path: Path) -> None:
    path = written(tmp_path / "counts.epd", f"{START} D1 21;")
    assert main(["suite", path, "--engine", "stockfish", "--depth", "1"]) == 1


def test_a_case_keeps_its_own_limit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path / "own.epd", f"{START} bm d4; acd 9;")
    folder = tmp_path / "talk"
    words = ["suite", path, "--engine", scripted(), "--transcript", str(folder)]
    assert main(words) == 0
    (talk,) = folder.iterdir()
    assert "> go depth 9" in talk.read_text()
    assert main([*words, "--nodes", "7"]) == 0
    assert "> go nodes 7" in talk.read_text()


def test_xiangqi(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path / "both.epd", XIANGQI, f"{START} am a3;")
    engines = ["--engine", "fairy-xiangqi", "--engine", "stockfish"]
    assert main(["suite", path, *engines, "--nodes", "2000", "--json"]) == 0
    cases, _ = read(capsys.readouterr().out)
    assert (cases[0]["best"], cases[0]["solved"]) == ("e1e3", True)
    assert [case["engine"].split()[0] for case in cases] == ["Fairy-Stockfish", "Stockfish"]


@pytest.mark.parametrize("as_json", [False, True])
def test_a_terminal_shows_how_far_it_is(suite: str, fenwire: Any, as_json: bool) -> None:
    master, slave = os.openpty()
    words = ["suite", suite, "--engine", scripted(), "--depth", "1", *(["--json"] if as_json else [])]
    with subprocess.Popen(
        [sys.executable, "-m", "adapter.cli", *words],
        stdout=subprocess.PIPE,
        stderr=slave,
        env={**fenwire.env, "TERM": "xterm"},
        text=True,
    ) as process:
        os.close(slave)
        drawn = b""
        # the other end of a terminal that is closed is an error on Linux
        with contextlib.suppress(OSError):
            while data := os.read(master, 65536):
                drawn += data
        out = process.communicate(timeout=30)[0]
    os.close(master)
    assert process.returncode == 0
    assert b"2/2" in drawn
    assert b"Scripted" in drawn
    assert len(out.splitlines()) == (3 if as_json else 4)
    assert b"right" not in drawn  # its row is on stdout


# --- saved runs -----------------------------------------------------------------------------------------


def test_what_broke_fails(tmp_path: Path, suite: str, capsys: pytest.CaptureFixture[str]) -> None:
    saved = tmp_path / "saved.jsonl"
    base = ["suite", suite, "--depth", "1", "--json"]
    assert main([*base, "--engine", scripted("--bestmove d2d4"), "--save", str(saved)]) == 0
    capsys.readouterr()
    assert main([*base, "--engine", scripted("--bestmove e2e4"), "--baseline", str(saved)]) == 1
    _, summary = read(capsys.readouterr().out)
    assert (summary["baseline"]["broken"], summary["baseline"]["fixed"]) == (["wrong"], ["right"])
    assert main([*base, "--engine", scripted("--bestmove d2d4"), "--baseline", str(saved)]) == 0


def test_more_nodes_are_slower(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path / "one.epd", f"{START} bm e4;")
    saved = str(tmp_path / "saved.jsonl")
    quick = scripted("--info", "'depth 1 score cp 1 nodes 10 pv e2e4'")
    slow = scripted("--info", "'depth 1 score cp 1 nodes 11 pv e2e4'")
    base = ["suite", path, "--nodes", "100"]
    assert main([*base, "--engine", quick, "--save", saved]) == 0
    capsys.readouterr()
    assert main([*base, "--engine", slow, "--baseline", saved]) == 0
    out = capsys.readouterr().out
    assert "against the baseline: 1 slower" in out
    assert "one.epd:1: solved after 10 nodes, now solved after 11 nodes" in out


def comparable(text: str) -> list[dict[str, Any]]:
    """A run's JSON lines without what no two runs share."""
    lines = [json.loads(line) for line in text.splitlines()]
    for line in lines:
        line.pop("solved_ms", None)
        for engine in line.get("summary", {}).get("engines", ()):
            engine.pop("ms")
    return lines


def wait_for(done: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    end = time.monotonic() + 60
    while not done():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end
        time.sleep(0.02)


def lines_of(path: Path) -> int:
    return path.read_bytes().count(b"\n") if path.exists() else 0


@pytest.mark.parametrize("name", ["--save", "--resume"])
def test_a_killed_run_goes_on(tmp_path: Path, fenwire: Any, name: str) -> None:
    saved = tmp_path / "run.jsonl"
    kopec = str(SUITES / "bratko-kopec.epd")
    words = ["suite", kopec, "--engine", "stockfish", "--nodes", "30000", "--json", "--jobs", "2"]
    process = fenwire.start(*words, name, str(saved), stdout=subprocess.DEVNULL)
    wait_for(lambda: lines_of(saved) > 5, process)
    process.kill()
    process.communicate()
    before = lines_of(saved)
    assert 5 < before < 25
    with saved.open("ab") as file:
        file.write(b'{"seat":0,"section":0,"id":"BK.2')
    resumed = fenwire(*words, "--resume", str(saved))
    whole = fenwire(*words)
    assert (resumed.returncode, resumed.stderr) == (0, "")
    assert comparable(resumed.stdout) == comparable(whole.stdout)
    assert lines_of(saved) == 25
    # and once more, with nothing left to do and no engine to be found
    again = fenwire(*words, "--resume", str(saved))
    assert comparable(again.stdout) == comparable(whole.stdout)
    assert lines_of(saved) == 25


def test_another_run_is_not_gone_on_with(
    suite: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    saved = str(tmp_path / "run.jsonl")
    base = ["suite", suite, "--engine", scripted(), "--resume", saved]
    assert main([*base, "--depth", "1"]) == 0
    assert main([*base, "--depth", "2"]) == 2
    assert 'limit is {"depth":1' in capsys.readouterr().err
    assert main(["suite", suite, "--engine", "stockfish", "--depth", "1", "--resume", saved]) == 2
    assert "its engines are" in capsys.readouterr().err
    other = written(tmp_path / "sub.epd", f"{START} bm a3;")
    Path(suite).write_text(Path(other).read_text())
    assert main([*base, "--depth", "1"]) == 2
    assert "cases" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["", "nonsense\n", '{"fenwire_suite": 99, "engines": [], "sections": []}\n'])
def test_files_that_are_no_saved_run(
    suite: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    path = tmp_path / "other.jsonl"
    path.write_text(text)
    assert main(["suite", suite, "--engine", scripted(), "--depth", "1", "--baseline", str(path)]) == 2
    assert "other.jsonl" in capsys.readouterr().err


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_leaves_a_valid_report(
    tmp_path: Path, fenwire: Any, number: signal.Signals, code: int
) -> None:
    saved, junit, page = (tmp_path / name for name in ("run.jsonl", "run.xml", "run.html"))
    path = written(tmp_path / "many.epd", *[f"{START} bm e4;"] * 50)
    process = fenwire.start(
        "suite", path, "--engine", "stockfish", "--seconds", "0.2", "--json",
        "--save", str(saved), "--junit", str(junit), "--html", str(page),
    )  # fmt: skip
    wait_for(lambda: lines_of(saved) > 3, process)
    process.send_signal(number)
    out, err = process.communicate(timeout=30)
    assert process.returncode == code
    assert err.splitlines()[-1] == ("fenwire: interrupted" if code == 130 else "fenwire: terminated")
    cases, summary = read(out)
    assert 3 <= len(cases) < 50
    assert (summary["complete"], summary["passed"]) == (False, False)
    assert len(ElementTree.parse(junit).findall(".//testcase")) == len(cases)
    assert "not finished" in page.read_text()
    assert lines_of(saved) == len(cases) + 1


def test_a_reader_that_has_gone_ends_the_run(tmp_path: Path, fenwire: Any) -> None:
    path = written(tmp_path / "many.epd", *[f"{START} bm e4;"] * 50)
    process = fenwire.start("suite", path, "--engine", scripted(), "--depth", "1", "--json")
    assert process.stdout is not None
    process.stdout.readline()
    process.stdout.close()
    with contextlib.closing(process.stderr):
        assert process.stderr.read() == ""
    assert process.wait(timeout=30) == 0


# --- suite files ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["smoke-chess", "smoke-xiangqi"])
def test_the_shipped_suites(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["suite", "--config", name, "--json"]) == 0
    _, summary = read(capsys.readouterr().out)
    assert summary["solved"] == summary["cases"] > 9
    assert summary["engines"][0]["mark"] == "100%"


def test_a_suite_file(tmp_path: Path, suite: str, capsys: pytest.CaptureFixture[str]) -> None:
    engine = json.dumps(scripted())
    config = written(
        tmp_path / "job.toml",
        'title = "a nightly job"',
        f"[[engine]]\nuse = {engine}\noptions = {{ Hash = 32 }}",
        '[[suite]]\nname = "from a file"\nfiles = ["two.epd"]\nlimit = { depth = 3 }\nmin_solved = 1',
        "[[suite]]\nname = 'written here'\nmin_solved = '100%'\nmin_points = 10",
        f"epd = '''\n{START} bm a3; id \"only\";\n'''",
    )
    talk = tmp_path / "talk"
    words = ["suite", "--config", config, "--json", "--transcript", str(talk)]
    assert main(words) == 1
    cases, summary = read(capsys.readouterr().out)
    assert summary["title"] == "a nightly job"
    assert [case["id"] for case in cases] == ["right", "wrong", "only"]
    assert [(one["name"], one["passed"]) for one in summary["engines"]] == [
        ("from a file", True),
        ("written here", False),
    ]
    said = (talk / "1-1-2-wrong.txt").read_text()
    assert "> setoption name Hash value 32" in said
    assert "> go depth 3" in said
    assert summary["engines"][1]["points_mark"] == "10"
    # what is said on the command line counts
    assert main([*words, "--min-solved", "0", "--nodes", "50"]) == 1
    assert main([*words, "--min-solved", "0", "--min-points", "0", "--nodes", "50"]) == 1
    assert "> go nodes 50" in (talk / "1-1-2-wrong.txt").read_text()


BAD_CONFIGS = [
    ("x = [", "not TOML"),
    ("", "missing required field `suite`"),
    ("suite = []", "suite: expected `array` of length >= 1"),
    (
        "[[suite]]\nname = 'a'\nepd = 'x'\nlimit = { nodez = 3 }",
        "suite[0].limit: unknown key nodez; known are depth",
    ),
    ("[[suite]]\nname = 'a'\nepd = 'x'\nlimit = { nodes = 0 }", "suite[0].limit.nodes: expected `int` >= 1"),
    ("[[suite]]\nname = 'a'\nepd = 'x'\nlimit = { seconds = -1.5 }", "suite[0]: seconds is -1.5"),
    ("[[suite]]\nname = 'a'\nepd = 'x'\nlimit = {}", "suite[0]: no limit given"),
    ("[[suite]]\nname = 'a'\nepd = 'x'\nmin_solved = '120%'", "suite[0]: a pass mark"),
    ("[[suite]]\nname = 'a'\nepd = 'x'\nvariant = 'go'", "variant is 'go'"),
    ("[[suite]]\nname = 'a'", "suite[0]: 'a' has neither files nor epd"),
    ("[[suite]]\nname = 'a'\nfiles = ['none.epd']", "suite[0]: "),
    ("[[suite]]\nname = 'a'\nepd = '# nothing'", "suite[0]: epd of 'a' holds no case"),
    (
        "[[suite]]\nname = 'a'\nepd = 'x'\n[[suite]]\nname = 'a'\nepd = 'x'",
        "suite[1].name: 'a' is there twice",
    ),
    ("[[suite]]\nname = 'a'\nepd = 'x'\n[[engine]]\nuse = 3", "engine[0].use: expected `str`"),
    ("titel = 'x'\n[[suite]]\nname = 'a'\nepd = 'x'", "unknown key titel; known are suite"),
]


@pytest.mark.parametrize(("text", "said"), BAD_CONFIGS, ids=[said for _, said in BAD_CONFIGS])
def test_a_suite_file_that_is_wrong(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, said: str
) -> None:
    config = written(tmp_path / "bad.toml", text)
    assert main(["suite", "--config", config, "--engine", scripted()]) == 2
    err = capsys.readouterr().err
    assert said in err
    assert err.startswith(f"fenwire: {config}: ")
    assert err.count("\n") == 1
