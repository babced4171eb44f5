"""The frame of the command line: help without imports, one clear error, the exit codes, signals, pipes."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest

from adapter.cli import COMMANDS, main
from adapter.cli.errors import Terminated, guarded, kind, plain
from adapter.cli.group import fenwire as group
from adapter.errors import FenError, MoveError
from adapter.fen.report import Problem, Report
from engines import errors

POSIX = os.name == "posix"


def test_help_lists_every_command_and_imports_none(fenwire: Any) -> None:
    code = (
        "import sys; from adapter.cli import main; code = main(['--help'])\n"
        "print(code, *sorted(name for name in sys.modules"
        " if name.split('.')[0] in ('adapter', 'engines', 'chess', 'click', 'msgspec', 'rich', 'asyncio')))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True, env=fenwire.env
    )
    *help_, last = done.stdout.splitlines()
    assert last == "0 adapter adapter.cli"
    assert max(map(len, help_)) < 80
    for name, (_, line) in COMMANDS.items():
        assert [shown.split(maxsplit=1) for shown in help_].count([name, line]) == 1


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_of_the_list_is_there(name: str) -> None:
    context = click.Context(group)
    command = group.get_command(context, name)
    assert isinstance(command, click.Command)
    assert command.name == name
    assert command.get_short_help_str()


def test_no_command_shows_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    bare = capsys.readouterr().out
    for words in (["--help"], ["-h"], ["-h", "check"]):
        assert main(words) == 0
        assert capsys.readouterr().out.rstrip("\n") == bare.rstrip("\n")
    assert main(["engines"]) == 0
    assert "Usage: fenwire engines" in capsys.readouterr().out


def test_the_version_is_the_distributions(fenwire: Any) -> None:
    from importlib.metadata import version

    done = fenwire("--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"fenwire {version('fenwire')}\n", "")


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["chek"], "no such command 'chek'; did you mean check?"),
        (["8/8/8/8/8/8/8/8", "w"], "no such command '8/8/8/8/8/8/8/8'; the commands are check"),
        (["--nope"], "no such option"),
        (["engines", "show"], "missing argument 'E' (see fenwire engines show --help)"),
        (["engines", "list", "--variant", "go"], "invalid value for '--variant'"),
        (["engines", "dance"], "no such command 'dance' (see fenwire engines --help)"),
    ],
)
def test_wrong_usage_is_one_line_and_exit_2(
    capsys: pytest.CaptureFixture[str], args: list[str], said: str
) -> None:
    assert main(args) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("fenwire: ")
    assert said in err
    assert err.count("\n") == 1


def test_wrong_usage_is_json_too_where_json_was_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["engines", "list", "--json", "--nope"]) == 2
    out, err = capsys.readouterr()
    answer = json.loads(out)
    assert answer["error"]["code"] == "usage"
    assert err == f"fenwire: {answer['error']['message']}\n"
    assert answer["partial"] is None


def test_json_behind_two_dashes_is_an_argument(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["engines", "show", "--", "--json"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "no engine is called '--json'" in err


def raiser(error: BaseException) -> Callable[[], None]:
    def run() -> None:
        raise error

    return run


# The contract's exit codes, one error of each class.
CODES = [
    (FenError("bad"), "fen", 1),
    (MoveError("bad", index=0, text="e2e5", fen="8/8"), "move", 1),
    (errors.ConfigError("bad"), "config", 2),
    (errors.OptionError("bad"), "option", 2),
    (errors.LimitError("bad"), "limit", 2),
    (errors.MissingExtra("bad"), "missing-extra", 2),
    (click.UsageError("bad"), "usage", 2),
    (errors.EngineStartError("bad"), "engine-start", 3),
    (errors.EngineTimeout("bad"), "engine-timeout", 3),
    (errors.EngineDied("bad", exit_code=1), "engine-died", 3),
    (errors.EngineProtocolError("bad"), "engine-protocol", 3),
    (errors.IllegalEngineMove("bad"), "illegal-engine-move", 3),
    (errors.EngineError("bad"), "engine", 3),
    (KeyboardInterrupt(), "interrupted", 130),
    (click.Abort(), "interrupted", 130),
    (Terminated(), "terminated", 143),
    (OSError(errno.ENOSPC, "No space left on device"), "system", 3),
    (ZeroDivisionError("bad"), "internal", 70),
]


@pytest.mark.parametrize(
    ("error", "name", "code"), CODES, ids=[type(error).__name__ for error, _, _ in CODES]
)
def test_each_error_has_its_exit_code(
    capsys: pytest.CaptureFixture[str], error: BaseException, name: str, code: int
) -> None:
    assert kind(error) == (name, code)
    assert guarded(raiser(error), as_json=False) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("fenwire: ")
    assert "Traceback" not in err
    assert guarded(raiser(error), as_json=True) == code
    assert json.loads(capsys.readouterr().out)["error"]["code"] == name


def test_a_later_class_takes_its_parents_code() -> None:
    class OddTimeout(errors.EngineTimeout):
        pass

    assert kind(OddTimeout("bad")) == ("engine-timeout", 3)


def test_what_a_command_returns_or_exits_with_is_the_exit_code() -> None:
    assert guarded(lambda: None, as_json=False) == 0
    assert guarded(lambda: 1, as_json=False) == 1
    assert guarded(raiser(SystemExit(3)), as_json=False) == 3
    assert guarded(raiser(SystemExit()), as_json=False) == 0
    assert guarded(raiser(click.exceptions.Exit(1)), as_json=False) == 1


def test_the_hosts_handling_of_signals_is_put_back() -> None:
    before = signal.getsignal(signal.SIGTERM)
    seen = []
    guarded(lambda: seen.append(signal.getsignal(signal.SIGTERM)), as_json=False)
    assert signal.getsignal(signal.SIGTERM) == before
    assert seen != [before]


def test_a_thread_may_run_a_command(capsys: pytest.CaptureFixture[str]) -> None:
    codes: list[int] = []
    thread = threading.Thread(target=lambda: codes.append(main(["engines", "list"])))
    thread.start()
    thread.join(60)
    assert codes == [0]
    assert "stockfish" in capsys.readouterr().out


def test_the_first_error_of_a_group_speaks_for_it(capsys: pytest.CaptureFixture[str]) -> None:
    group = BaseExceptionGroup("tasks", [ExceptionGroup("inner", [errors.ConfigError("mend it")])])
    assert guarded(raiser(group), as_json=False) == 2
    assert capsys.readouterr().err == "fenwire: mend it\n"


def test_an_internal_error_says_how_to_see_more(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("FENWIRE_TRACEBACK", raising=False)
    assert guarded(raiser(ZeroDivisionError("by zero")), as_json=False) == 70
    said = capsys.readouterr().err
    assert said == (
        "fenwire: internal error: ZeroDivisionError: by zero (set FENWIRE_TRACEBACK=1 to see where)\n"
    )
    monkeypatch.setenv("FENWIRE_TRACEBACK", "1")
    assert guarded(raiser(ZeroDivisionError("by zero")), as_json=False) == 70
    said = capsys.readouterr().err
    assert "Traceback (most recent call last)" in said
    assert "in run" in said


def bad_record(text: str, *problems: Problem, fixed: str | None = None) -> FenError:
    report = Report(input=text, variant="chess", ok=False, fen=None, fixed=fixed, problems=problems)
    return FenError("bad", problems, report)


def wrong(start: int, end: int, message: str = "rank 7 is short", at: str = "rank 7") -> Problem:
    return Problem("rank-sum", "error", "placement", at, (start, end), message)


def test_a_bad_record_is_shown_with_a_caret(capsys: pytest.CaptureFixture[str]) -> None:
    warning = Problem("quoted", "warning", "record", "record", (0, 1), "there is a quote")
    error = bad_record(
        "rnbqkbnr/ppppppp/8 w",
        warning,
        wrong(9, 16),
        wrong(19, 20, "not a side", "side"),
        fixed="rnbqkbnr/pppppppp/8 w",
    )
    assert guarded(raiser(error), as_json=False) == 1
    assert capsys.readouterr().err.splitlines() == [
        "fenwire: the record has 2 mistakes",
        "  rnbqkbnr/ppppppp/8 w",
        "           ^^^^^^^",
        "  error: rank 7 is short [rank-sum]",
        "  error: side: not a side [rank-sum]",
        "  warning: record: there is a quote [quoted]",
        "  mended: rnbqkbnr/pppppppp/8 w",
    ]


@pytest.mark.parametrize(
    ("text", "span", "shown", "carets"),
    [
        ("a\tb\nc", (2, 3), "a b c", "  ^"),
        ("車馬x", (2, 3), "車馬x", "    ^"),
        ("車馬x", (0, 2), "車馬x", "^^^^"),
        ("abc", (3, 3), "abc", "   ^"),
        ("abc", (2, 99), "abc", "  ^"),
        ("\x1b[31mred", (5, 8), " [31mred", "     ^^^"),
        ("x" * 300, (200, 202), "…" + "x" * 100 + "…", " " * 51 + "^^"),
    ],
)
def test_carets_stand_under_the_span(
    capsys: pytest.CaptureFixture[str], text: str, span: tuple[int, int], shown: str, carets: str
) -> None:
    assert guarded(raiser(bad_record(text, wrong(*span))), as_json=False) == 1
    lines = capsys.readouterr().err.splitlines()
    assert lines[1:3] == [f"  {shown}", f"  {carets}"]


def test_a_bad_record_in_json_holds_all_that_is_known(capsys: pytest.CaptureFixture[str]) -> None:
    assert guarded(raiser(bad_record("abc", wrong(1, 2), fixed="abd")), as_json=True) == 1
    error = json.loads(capsys.readouterr().out)["error"]
    assert error["input"] == "abc"
    assert error["fixed"] == "abd"
    assert error["problems"] == [
        {
            "code": "rank-sum",
            "severity": "error",
            "field": "placement",
            "at": "rank 7",
            "span": [1, 2],
            "related": [],
            "message": "rank 7 is short",
            "fix": None,
        }
    ]


def test_a_bad_move_names_its_place(capsys: pytest.CaptureFixture[str]) -> None:
    error = MoveError("no such move", index=3, text="e2e5", fen="8/8/8/8 w - - 0 1")
    assert guarded(raiser(error), as_json=True) == 1
    out, err = capsys.readouterr()
    said = json.loads(out)["error"]
    assert (said["index"], said["text"], said["fen"]) == (3, "e2e5", "8/8/8/8 w - - 0 1")
    assert err.splitlines() == ["fenwire: no such move", "  position: 8/8/8/8 w - - 0 1"]


def test_the_first_move_keeps_its_index_in_json(capsys: pytest.CaptureFixture[str]) -> None:
    guarded(raiser(MoveError("no such move", index=0, text="", fen="8/8")), as_json=True)
    assert json.loads(capsys.readouterr().out)["error"]["index"] == 0


def test_a_dead_engine_is_told_with_its_last_words(capsys: pytest.CaptureFixture[str]) -> None:
    error = errors.EngineDied(
        "it died",
        signal=11,
        engine="Fish",
        transcript_tail=tuple(f"< line {number}" for number in range(20)),
        stderr_tail=("x" * 300, "core \x1b[2Jdumped"),
    )
    assert guarded(raiser(error), as_json=True) == 3
    out, err = capsys.readouterr()
    said = json.loads(out)["error"]
    assert (said["engine"], said["signal"], len(said["transcript_tail"])) == ("Fish", 11, 20)
    assert "exit_code" not in said
    lines = err.splitlines()
    assert lines[0] == "fenwire: it died"
    assert lines[1:7] == [f"  exchanged: < line {number}" for number in range(14, 20)]
    assert len(lines[7]) < 120
    assert lines[8] == "  stderr: core \\x1b[2Jdumped"


def test_no_text_of_others_moves_the_cursor() -> None:
    assert plain("a\tb\r\x1b[2J\u202eé車") == "a\\tb\\r\\x1b[2J\\u202eé車"
    assert plain("\udcff") == "\\udcff"


if POSIX:

    @pytest.mark.parametrize("args", [["engines", "show", "stockfish"], ["--help"], ["--version"]])
    def test_a_reader_that_has_gone_is_no_error(fenwire: Any, args: list[str]) -> None:
        process = fenwire.start(*args)
        process.stdout.close()
        assert process.stderr.read() == ""
        process.stderr.close()
        assert process.wait(30) == 0

    @pytest.mark.parametrize("args", [["engines", "show", "stockfish"], ["--help"]])
    def test_a_full_disk_is_told(fenwire: Any, args: list[str]) -> None:
        with Path("/dev/full").open("w") as full:
            process = fenwire.start(*args, stdout=full.fileno())
        _, err = process.communicate(timeout=30)
        assert process.returncode == 3
        assert err == "fenwire: No space left on device\n"

    def test_a_closed_stdout_is_no_error(fenwire: Any) -> None:
        command = f'exec "{sys.executable}" -m adapter.cli --help >&-'
        done = subprocess.run(
            ["/bin/sh", "-c", command], env=fenwire.env, capture_output=True, timeout=60, check=False
        )
        assert (done.returncode, done.stderr) == (0, b"")

    @pytest.mark.engine("stockfish")
    @pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
    def test_a_signal_ends_the_engine_too(
        fenwire: Any, engine_path: Callable[[str], str], tmp_path: Path, number: int, code: int
    ) -> None:
        # a program that says which process it is, then becomes the engine
        program, notebook = tmp_path / "stockfish", tmp_path / "pid"
        program.write_text(f'#!/bin/sh\necho $$ > "{notebook}"\nexec "{engine_path("stockfish")}"\n')
        program.chmod(0o755)
        process = fenwire.start("engines", "send", str(program), "go infinite")
        for _ in range(3):
            assert process.stdout.readline().startswith("info")
        pid = int(notebook.read_text())
        os.kill(pid, 0)
        sent = time.monotonic()
        process.send_signal(number)
        out, err = process.communicate(timeout=30)
        assert process.returncode == code, (out, err)
        assert "Traceback" not in err
        assert time.monotonic() - sent < 20
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_any_text_can_be_printed_anywhere(fenwire: Any) -> None:
    fenwire.profile(
        "elephant", 'title = "象眼"\ncommand = ["elephant"]\nprotocol = "ucci"\nvariant = "xiangqi"\n'
    )
    done = fenwire("engines", "show", "elephant")
    assert "title: 象眼" in done.stdout
    done = fenwire("engines", "show", "elephant", env={"PYTHONIOENCODING": "latin-1"})
    assert "title: \\u8c61\\u773c" in done.stdout
    assert (done.returncode, done.stderr) == (0, "")


def test_a_lone_dash_is_an_argument(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["apply", "4k3/8/8/8/8/8/8/4K2R", "w", "-", "-", "0", "1", "h1h8"]) == 0
    assert capsys.readouterr().out.split()[0] == "4k2R/8/8/8/8/8/8/4K3"
