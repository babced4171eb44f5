"""`fenwire bulk` as a command: what it prints, its exit codes, signals, and going on."""

from __future__ import annotations

import contextlib
import io
import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from rich.console import Console

from adapter.bulk import run as bulk_run
from adapter.bulk.archive import Archive
from adapter.bulk.tally import RunStats
from adapter.cli import main
from adapter.cli.bulk_live import _View
from adapter.errors import StoreError
from tests.mock_engine import MOCK_ENGINE

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
BAD = "rnbqkbnr/ppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
SECONDS = 30.0


def scripted(*flags: str) -> str:
    return " ".join(("generic-uci", sys.executable, MOCK_ENGINE, *flags))


def opening(number: int) -> str:
    return f"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - {number % 50} {51 + number // 50}"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, with inputs in it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "good.fen").write_text("".join(f"{opening(number)}\n" for number in range(5)))
    (tmp_path / "bad.fen").write_text(f"{START}\n{BAD}\n{START}\n")
    (tmp_path / "long.fen").write_text("".join(f"{opening(number)}\n" for number in range(5000)))
    return tmp_path


Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def bulk(folder: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs `fenwire bulk`; exit code, stdout, stderr."""

    def run(*words: str) -> tuple[int, str, str]:
        code = main(["bulk", *words])
        out, err = capsys.readouterr()
        return code, out, err

    return run


def lines(out: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in out.splitlines()]


def test_a_run_and_its_summary(bulk: Run) -> None:
    words = ["run", "good.fen", "bad.fen", "--out", "r.sqlite", "--engine", scripted(), "--depth", "1"]
    code, out, err = bulk(*words)
    assert (code, err) == (1, "")
    head, counts, searched, rejected = out.splitlines()
    assert head == "r.sqlite: Scripted, depth 1"
    assert counts == "  8 records, 1 rejected, 1 repeated"
    assert searched.startswith("  6 searched in ")
    assert rejected == ("  rejected bad.fen:2: rank 7 describes 7 squares, 1 short of 8; write 'pppppppp'")
    # the second time nothing is left to do, and the bad record is told of again
    code, out, err = bulk(*words)
    assert (code, out) == (2, "")
    assert "r.sqlite holds 6 results of Scripted, depth 1 already, and good.fen was read for it; give" in err
    code, out, err = bulk(*words, "--resume", "--json")
    assert (code, err) == (1, "")
    (told,) = lines(out)
    assert told.pop("seconds") >= 0
    assert told == {
        "store": "r.sqlite",
        "search": "Scripted, depth 1",
        "complete": True,
        "records": 8,
        "rejected": 1,
        "known": 7,
        "repeated": 0,
        "searched": 0,
        "failed": 0,
        "positions_per_second": 0.0,
        "rejects": [
            {
                "source": "bad.fen",
                "line": 2,
                "ply": None,
                "code": "rank-sum",
                "reason": "rank 7 describes 7 squares, 1 short of 8; write 'pppppppp'",
            }
        ],
    }
    # another limit goes into the same file unasked
    assert bulk(*words[:-1], "2")[0] == 1


def test_an_empty_input_is_told_of(bulk: Run, folder: Path) -> None:
    (folder / "empty.fen").touch()
    code, out, err = bulk("run", "empty.fen", "--out", "r.sqlite", "--engine", scripted(), "--depth", "1")
    assert (code, out, err) == (0, "r.sqlite: the input holds no record\n", "")


def test_a_run_that_fails_tells_in_json_how_far_it_came(bulk: Run, folder: Path) -> None:
    (folder / "a.csv").write_text(f"fen\n{START}\n{BAD}\n")
    (folder / "b.csv").write_text("nothing,of,use\n")
    words = ["run", "a.csv", "b.csv", "--out", "r.sqlite", "--engine", scripted(), "--depth", "1", "--json"]
    code, out, _ = bulk(*words)
    (told,) = lines(out)
    assert (code, told["error"]["code"]) == (2, "config")
    partial = told["partial"]
    assert (partial["records"], partial["rejected"], partial["complete"]) == (2, 1, False)
    assert partial["searched"] == 1


def test_a_limit_that_is_always_refused_is_not_offered(bulk: Run) -> None:
    code, out, _ = bulk("run", "--help")
    assert code == 0
    assert "--movestogo" in out
    assert "--infinite" not in out


def test_good_records_end_well(bulk: Run) -> None:
    assert bulk("run", "good.fen", "--out", "r.sqlite", "--engine", scripted(), "--nodes", "1")[0] == 0


def test_many_rejects_are_told_of_in_few_lines(bulk: Run, folder: Path) -> None:
    (folder / "worse.fen").write_text(f"{BAD}\n" * 100 + f"{START}\n")
    code, out, _ = bulk("run", "worse.fen", "--out", "r.sqlite", "--engine", scripted(), "--depth", "1")
    assert code == 1
    assert out.count("rejected worse.fen:") == 10
    assert out.splitlines()[-1] == "  and 90 more: fenwire bulk show r.sqlite --rejects"
    code, out, _ = bulk("show", "r.sqlite", "--rejects", "--json")
    rejects = lines(out)
    assert [reject["line"] for reject in rejects] == list(range(1, 101))
    assert rejects[0] == {
        "source": "worse.fen",
        "line": 1,
        "ply": None,
        "input": BAD,
        "variant": "auto",
        "search": None,
        "code": "rank-sum",
        "reason": "rank 7 describes 7 squares, 1 short of 8; write 'pppppppp'",
    }


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["run", "good.fen"], 2, "--out"),
        (["run", "--out", "r.sqlite"], 2, "FILE"),
        (["run", "nowhere.fen", "--out", "r.sqlite"], 2, "there is no file nowhere.fen"),
        (["run", "good.fen", "--out", "r.sqlite", "--infinite"], 2, "--infinite"),
        (["run", "good.fen", "--out", "r.sqlite", "--nodes", "0"], 2, "nodes is 0"),
        (["run", "good.fen", "--out", "r.sqlite", "--allow", "nonsense"], 2, "nonsense"),
        (["run", "good.fen", "--out", "r.sqlite", "--engine", "nobody-knows-it"], 2, "no engine is called"),
        (
            ["run", "good.fen", "--out", "r.sqlite", "--engine", "fairy-xiangqi", "--variant", "chess"],
            2,
            "plays xiangqi",
        ),
        (["run", "good.fen", "--out", "r.sqlite", "--engine", scripted(), "--option", "X=1"], 2, "X"),
        (["run", "good.fen", "--out", "r.sqlite", "--engine", "/nowhere/engine"], 3, "there is no file"),
        (["run", "good.fen", "--out", "no/where/r.sqlite", "--engine", scripted()], 3, "no folder no/where"),
        (["run", "good.fen", "--out", "/dev/null", "--engine", scripted()], 3, "no file that could keep"),
        (["run", "good.fen", "--out", "good.fen", "--engine", scripted()], 3, "no store of fenwire's"),
        (["run", "a", "--out", "r", "--jobs", "2", "--cluster", "tcp://127.0.0.1:1"], 2, "--jobs"),
        (["show", "nowhere.sqlite"], 3, "nowhere.sqlite"),
        (["show", "good.fen"], 3, "no store of fenwire's"),
        (["show", "good.fen", "--rejects", "--failed"], 2, "--rejects and --failed"),
        (["show", "good.fen", "--by", "30"], 2, "--disagree"),
        (["export", "nowhere.sqlite", "x.csv"], 3, "nowhere.sqlite"),
        (["shew"], 2, "shew"),
    ],
)
def test_wrong_usage(bulk: Run, folder: Path, words: list[str], code: int, said: str) -> None:
    before = (folder / "good.fen").read_bytes()
    got, out, err = bulk(*words)
    assert (got, out) == (code, "")
    assert said in err
    assert "Traceback" not in err
    assert (folder / "good.fen").read_bytes() == before


def test_the_builtin_engine_never_serves_unasked(fenwire: Any, tmp_path: Path) -> None:
    (tmp_path / "a.fen").write_text("5a3/3ka4/5n3/9/9/9/9/9/9/4K1R2 w - - 0 1\n")
    hidden = {"PATH": str(tmp_path), "FENWIRE_ENGINE": ""}
    script = (
        "import sys; from engines import discovery; discovery.FOLDERS = (); "
        "from adapter.cli import main; sys.exit(main(sys.argv[1:]))"
    )
    words = ["bulk", "run", "a.fen", "--out", "r.sqlite", "--depth", "1", "--json"]
    done = subprocess.run(
        [sys.executable, "-c", script, *words],
        env={**fenwire.env, **hidden},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == 3
    assert "no engine for xiangqi is installed" in done.stderr
    assert json.loads(done.stdout)["error"]["code"] == "engine-start"
    assert (
        fenwire("bulk", "run", "a.fen", "--out", "r.sqlite", "--depth", "1", "--engine", "builtin").returncode
        == 0
    )


def test_standard_input(fenwire: Any) -> None:
    text = "".join(f"{opening(number)}\n" for number in range(3)) + "nonsense\n"
    words = ["bulk", "run", "-", "--out", "r.sqlite", "--engine", scripted(), "--depth", "1"]
    done = fenwire(*words, stdin=text)
    assert (done.returncode, done.stderr) == (1, "")
    assert "4 records, 1 rejected" in done.stdout
    assert "rejected -:4: " in done.stdout


def test_a_slow_pipe_is_not_waited_for(fenwire: Any, tmp_path: Path) -> None:
    """What it has sent is searched and stored while it is silent; then Ctrl-C ends the run."""
    words = ["bulk", "run", "-", "--out", "r.sqlite", "--engine", scripted(), "--depth", "1"]
    with subprocess.Popen(
        [sys.executable, "-m", "adapter.cli", *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=fenwire.env,
        cwd=tmp_path,
    ) as run:
        try:
            assert run.stdin is not None
            for number in range(3):
                run.stdin.write(f"{opening(number)}\n")
                run.stdin.flush()
                await_results(tmp_path / "r.sqlite", number + 1)
            run.send_signal(signal.SIGINT)
            run.wait(SECONDS)
            out, err = run.communicate(timeout=SECONDS)
        finally:
            run.kill()
    assert run.returncode == 130
    assert "(not finished)" in out
    assert err == "fenwire: interrupted; --resume goes on\n"


def await_results(path: Path, count: int) -> None:
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        with contextlib.suppress(StoreError), Archive(path) as archive:
            if next(archive.rows("SELECT count(*) FROM results"))[0] >= count:
                return
        time.sleep(0.02)
    pytest.fail(f"{count} results were not stored within {SECONDS:g} s")


@pytest.mark.parametrize(
    ("number", "code", "said"),
    [(signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, "terminated")],
)
def test_a_signal_leaves_a_store_that_can_be_gone_on_with(
    fenwire: Any, folder: Path, number: int, code: int, said: str
) -> None:
    words = ["bulk", "run", "long.fen", "--out", "r.sqlite", "--depth", "1", "--jobs", "2", "--json"]
    words += ["--engine", scripted("--think 0.005")]
    run = fenwire.start(*words)
    try:
        await_results(folder / "r.sqlite", 100)
        run.send_signal(number)
        out, err = run.communicate(timeout=SECONDS)
    finally:
        run.kill()
        run.wait()
    assert run.returncode == code
    assert err == f"fenwire: {said}; --resume goes on\n"
    (summary,) = lines(out)
    assert not summary["complete"]
    assert sorted(path.name for path in folder.glob("r.sqlite*")) == ["r.sqlite"]
    with Archive("r.sqlite") as archive:
        (search,) = archive.searches
        assert search.results == summary["searched"] >= 100


@pytest.fixture
def game(bulk: Run, folder: Path) -> Run:
    """`fenwire bulk` in a folder with a store of two searches of one game."""
    (folder / "g.pgn").write_text('[Event "?"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n')
    moves = folder / "moves.txt"
    after_g4 = "rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR b KQkq - 0 2"
    after_f3 = "rnbqkbnr/pppppppp/8/8/8/5P2/PPPPP1PP/RNBQKBNR b KQkq - 0 1"
    moves.write_text(f"d8h4 fen {after_g4}\ne7e5 fen {after_f3}\n")
    for flag in ("", "--bestmove d2d4"):
        engine = scripted("--moves", str(moves), *flag.split())
        assert bulk("run", "g.pgn", "--out", "r.sqlite", "--engine", engine, "--depth", "1")[0] == 0
    return bulk


def test_show(game: Run, folder: Path) -> None:
    code, out, err = game("show", "r.sqlite")
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        "r.sqlite: 5 positions",
        "  search 1  Scripted, depth 1 (no options): 5 results",
        "  search 2  Scripted, depth 1 (no options): 5 results",
        "  g.pgn: 5 records",
    ]
    (told,) = lines(game("show", "r.sqlite", "--json")[1])
    assert told["searches"][1] == {
        "id": 2,
        "engine": "Scripted",
        "limit": {"depth": 1},
        "multipv": 1,
        "options": {},
        "results": 5,
        "failed": 0,
        "refused": 0,
    }
    assert told["sources"] == [{"name": "g.pgn", "variant": "auto", "records": 5, "rejected": 0}]


def test_show_what_stands_out(game: Run, folder: Path) -> None:
    code, out, _ = game("show", "r.sqlite", "--disagree", "1,2")
    assert code == 0
    assert [line[:50] for line in out.splitlines()] == [
        "g.pgn:1 ply 0  e4 White +0.20 / d4 White +0.20  rn",
        "g.pgn:1 ply 2  e4 White +0.20 / d4 White +0.20  rn",
    ]
    assert game("show", "r.sqlite", "--disagree", "1,2", "--by", "1")[1] == ""
    assert len(lines(game("show", "r.sqlite", "--disagree", "1,2", "--json", "--most", "1")[1])) == 1
    code, out, _ = game("show", "r.sqlite", "--swings", "40", "--search", "1")
    assert out.splitlines()[0] == "g.pgn:1 ply 1  1. f3  White +0.20 → White -0.20  (best was e4)"
    assert "2... Qh4#  White -0.20 → checkmate  (the best move)" in out
    assert game("show", "r.sqlite", "--swings", "40")[0] == 2
    assert game("show", "r.sqlite", "--search", "9", "--swings", "40")[0] == 2
    assert game("show", "r.sqlite", "--disagree", "1")[0] == 2
    assert game("show", "r.sqlite", "--mates", "0") == (0, "", "")
    assert game("show", "r.sqlite", "--failed") == (0, "", "")


def test_another_search_of_the_same_file_takes_nothing_from_the_first(game: Run, folder: Path) -> None:
    """Not even when its engine plays another game, or when the file is read as one."""
    xiangqi = "5a3/3ka4/5n3/9/9/9/9/9/9/4K1R2 w - - 0 1"
    fens = [
        line["before"]["fen"]
        for line in lines(game("show", "r.sqlite", "--swings", "1", "--search", "1", "--json")[1])
    ]
    (folder / "mixed.fen").write_text("".join(f"{record}\n" for record in (*fens, xiangqi, BAD)))
    words = ["run", "mixed.fen", "--out", "m.sqlite", "--depth", "1", "--engine"]
    moves = scripted("--moves", str(folder / "moves.txt"))
    assert game(*words, moves)[0] == 1
    swings = game("show", "m.sqlite", "--swings", "1", "--search", "1")[1]
    assert swings.count("mixed.fen:") >= 2
    rejects = game("show", "m.sqlite", "--rejects")[1].splitlines()
    assert [line.split(": ")[0] for line in rejects] == [
        f"mixed.fen:{len(fens) + 2}",
        f"mixed.fen:{len(fens) + 1}",
    ]
    assert "it is a position of xiangqi, and Scripted plays chess, chess960" in rejects[1]
    assert game(*words, moves, "--variant", "chess", "--resume")[0] == 1
    assert game("show", "m.sqlite", "--swings", "1")[1] == swings
    for reading in ([], ["--variant", "xiangqi", "--resume"]):
        code, _, err = game(*words, "builtin-ucci", *reading)
        assert (code, err) == (1, "")
        assert game("show", "m.sqlite", "--swings", "1", "--search", "1")[1] == swings
        assert game("show", "m.sqlite", "--rejects")[1].splitlines()[0] == rejects[0]


def test_records_the_engine_does_not_play_are_rejects_wherever_they_stand(bulk: Run, folder: Path) -> None:
    xiangqi = "5a3/3ka4/5n3/9/9/9/9/9/9/4K1R2 w - - 0 1"
    for name, records in (
        ("first.fen", (START, xiangqi)),
        ("last.fen", (xiangqi, START)),
        ("no.fen", (START,)),
    ):
        (folder / name).write_text("".join(f"{record}\n" for record in records))
        store = f"{name}.sqlite"
        code, out, err = bulk("run", name, "--out", store, "--engine", "builtin-ucci", "--depth", "1")
        assert (code, err) == (1, ""), name
        line = records.index(START) + 1
        assert f"rejected {name}:{line}: it is a position of chess, and " in out
        with Archive(store) as archive:
            assert [result.fen for result in archive.results()] == [xiangqi] * (len(records) - 1)


def test_export(game: Run, folder: Path) -> None:
    code, out, err = game("export", "r.sqlite", "e.jsonl")
    assert (code, out, err) == (0, "e.jsonl: 4 lines; 1 position without a score left out\n", "")
    assert [len(line["evals"]) for line in lines((folder / "e.jsonl").read_text())] == [2] * 4
    assert game("export", "r.sqlite", "e.csv", "--search", "2")[1] == "e.csv: 5 lines\n"
    code, out, err = game("export", "r.sqlite", "e.xlsx")
    assert (code, out) == (2, "")
    assert "the name has to end in .jsonl, .csv, .parquet" in err
    assert game("export", "r.sqlite", "e.csv", "--search", "3")[0] == 2


def test_a_position_that_was_set_aside(bulk: Run, folder: Path) -> None:
    """An engine whose best move is not legal in one of the positions."""
    (folder / "a.fen").write_text(f"{START}\n4k3/8/8/8/8/8/8/R3K3 w - - 0 1\n")
    code, out, _ = bulk("run", "a.fen", "--out", "r.sqlite", "--engine", scripted(), "--depth", "1")
    assert code == 3
    assert "2 searched in" in out
    assert "1 set aside" in out
    assert "set aside a.fen:2: Scripted's best move 'e2e4' is not legal" in out
    code, out, _ = bulk("show", "r.sqlite", "--failed", "--json")
    (told,) = lines(out)
    assert (code, told["line"], told["code"], told["best"]) == (0, 2, "IllegalEngineMove", None)
    assert bulk("show", "r.sqlite", "--failed")[1].startswith("a.fen:2  4k3/8/8/8/8/8/8/R3K3 w - - 0 1  ")


def test_the_time_left_is_shown_on_80_columns() -> None:
    tally = RunStats(records=9_000_000, searched=1_000_000, rejected=800_000, failed=70_000)
    view = _View(cast("bulk_run.Run", SimpleNamespace(tally=tally, total=12_000_000, seats=())))
    view.draw()
    time.sleep(0.01)
    tally.searched += 1
    console = Console(width=80, file=io.StringIO(), force_terminal=True, color_system=None)
    with console.capture() as drawn:
        console.print(view.draw())
    bar, faults, *_ = drawn.get().splitlines()
    assert re.search(r"1,800,001 of 12,000,000  [\d.,]+/s  \d+:\d\d:\d\d left", bar)
    assert faults.strip() == "800,000 rejected  70,000 set aside"


def test_on_a_terminal(fenwire: Any, folder: Path) -> None:
    """A bar with speed, time left and the engines while it runs; nothing of it is left behind."""
    words = ["bulk", "run", "good.fen", "bad.fen", "--out", "r.sqlite", "--depth", "1", "--jobs", "2"]
    words += ["--engine", scripted("--think 0.4")]
    leader, follower = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "adapter.cli", *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=follower,
        env={**fenwire.env, "TERM": "xterm"},
        cwd=folder,
    ) as run:
        os.close(follower)
        shown = b""
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            ready, _, _ = select.select([leader], [], [], 1.0)
            if not ready:
                continue
            try:
                data = os.read(leader, 65536)
            except OSError:  # the other end has gone
                break
            if not data:
                break
            shown += data
        run.wait(SECONDS)
        assert run.stdout is not None
        out = run.stdout.read().decode()
    os.close(leader)
    text = shown.decode()
    assert "of 8" in text
    assert "1 rejected" in text
    assert "/s" in text
    assert "left" in text
    assert "2 Scripted" in text
    assert "running" in text
    assert "8 records, 1 rejected, 1 repeated" in out
    assert run.returncode == 1
