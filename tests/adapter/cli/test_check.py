"""`fenwire check` as users run it: records from words, lines and files; findings, repairs, exit codes."""

from __future__ import annotations

import itertools
import json
import os
import random
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
SHORT = "rnbqkbnr/ppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
EXPOSED = "8/1k6/8/K7/4Q3/r7/8/8 w - - 0 1"
EPD = '8/8/p2p3p/3k2p1/PP6/3K1P1P/8/8 b - - bm Kc6; id "E_E_T 001";'
FIELDS = ["input", "source", "line", "variant", "ok", "fen", "fixed", "suggestions", "problems"]


def rows(done: Any) -> list[dict[str, Any]]:
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_words_need_no_quotes(fenwire: Any) -> None:
    done = fenwire("check", *START.split(" "))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"ok  (chess)\n  {START}\n"


def test_a_bad_record_is_shown_with_carets_board_and_repair(fenwire: Any) -> None:
    done = fenwire("check", SHORT)
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    assert lines[:4] == [
        "bad  (chess)",
        f"  {SHORT}",
        "           ^^^^^^^",
        "  error: rank 7 describes 7 squares, 1 short of 8 [rank-sum]",
    ]
    assert "  7> p p p p p p p ?" in lines
    assert lines[-2:] == ["  mended:", f"  {START}"]


def test_related_squares_get_tildes(fenwire: Any) -> None:
    done = fenwire("check", EXPOSED)
    assert done.returncode == 1
    record, marks = done.stdout.splitlines()[1:3]
    carets = [i for i, sign in enumerate(marks) if sign == "^"]
    tildes = {record[i] for i, sign in enumerate(marks) if sign == "~"}
    assert [record[i] for i in carets] == ["w"]
    assert {"k", "Q"} <= tildes
    assert "  7  .[k]. . . . . ." in done.stdout


def test_wide_characters_keep_their_columns(fenwire: Any) -> None:
    done = fenwire("check", "車馬象士將士象馬車/9/1砲5砲1/9/9/9/9/9/9/4帥4 w - - x 1")
    record, *marks = done.stdout.splitlines()[1:]
    line = next(mark for mark, said in itertools.pairwise(marks) if "is not a number" in said)
    wide = sum(ord(char) > 0x2E80 for char in record)
    assert line.index("^") == record.index("x") + wide


@pytest.mark.parametrize(
    "around",
    [
        "https://lichess.org/analysis/{}?color=white",
        '{{"fen": "{}", "game": "a/b/c/d/e/f/g/h/i"}}',
        "[FEN '{}']",
        '"{}"',
        "({})",
    ],
)
def test_the_board_alone_is_drawn(around: str, fenwire: Any) -> None:
    done = fenwire("check", around.format(SHORT))
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    drawn = lines.index("  7> p p p p p p p ?")
    assert lines[drawn - 1] == "  8  r n b q k b n r"
    assert lines[drawn + 7] == "     a b c d e f g h"


def test_figurines_are_drawn_without_their_selectors(fenwire: Any) -> None:
    done = fenwire("check", SHORT.replace("ppppppp", "\u265f\ufe0e" * 7, 1))
    assert "  7> " + "\u265f " * 7 + "?" in done.stdout


def test_several_records_are_arguments_that_hold_blanks(fenwire: Any) -> None:
    done = fenwire("check", "--json", START, SHORT, "startpos moves e2e4")
    assert done.returncode == 1
    assert [row["input"] for row in rows(done)] == [START, SHORT, "startpos moves e2e4"]
    done = fenwire("check", "--json", "startpos", "moves", "e2e4")
    assert [row["input"] for row in rows(done)] == ["startpos moves e2e4"]


def test_json_has_the_fields_of_the_contract(fenwire: Any) -> None:
    done = fenwire("check", "--json", SHORT)
    assert done.returncode == 1
    (row,) = rows(done)
    assert list(row) == FIELDS
    assert row == {
        "input": SHORT,
        "source": None,
        "line": None,
        "variant": "chess",
        "ok": False,
        "fen": None,
        "fixed": START,
        "suggestions": [],
        "problems": [
            {
                "code": "rank-sum",
                "severity": "error",
                "field": "placement",
                "at": "rank 7",
                "span": [9, 16],
                "related": [],
                "message": "rank 7 describes 7 squares, 1 short of 8",
                "fix": "pppppppp",
            }
        ],
    }


def test_standard_input_is_read_by_lines(fenwire: Any) -> None:
    done = fenwire("check", "--json", stdin=f"{START}\n\n# a comment\n{SHORT}\n")
    assert done.returncode == 1
    assert [(row["source"], row["line"], row["ok"]) for row in rows(done)] == [
        ("-", 1, True),
        ("-", 4, False),
    ]


def test_files_get_a_line_a_problem_and_a_summary(fenwire: Any) -> None:
    path = fenwire.root / "a.fen"
    path.write_text(f"{START}\n{SHORT}\n{START}\r\n8/8/8 w\n{EXPOSED}\n")
    done = fenwire("check", "--file", "a.fen")
    assert done.returncode == 1
    assert done.stdout.splitlines() == [
        "a.fen:2: error: rank 7 describes 7 squares, 1 short of 8 [rank-sum]",
        f"a.fen:2: mended: {START}",
        "a.fen:4: error: placement: 3 ranks instead of 8 [rank-count]",
        "a.fen:5: error: White is to move, but Black's king on b7 is in check from e4 [opponent-in-check]",
        "5 records: 2 ok, 0 with warnings, 3 bad (1 mended)",
        "          1  rank-sum",
        "          1  rank-count",
        "          1  opponent-in-check",
    ]


@pytest.mark.parametrize(
    ("content", "records", "code"),
    [
        (b"", 0, 0),
        (b"\n \r\n# nothing\n\n", 0, 0),
        (random.Random(1).randbytes(5_000), None, 1),
        (b"\x7fELF\x02\x01\x01" + bytes(2_000), 1, 1),
        (b"x" * 10_000_000, 1, 1),
        (START.encode() + b" " * 10_000_000 + b"moves e2e4\n", 1, 1),
        (START.encode() + b"\0" + START.encode(), 1, 1),
    ],
    ids=["empty", "comments", "bytes", "program", "long", "far", "zero"],
)
def test_files_of_every_kind_are_answered(
    content: bytes, records: int | None, code: int, fenwire: Any
) -> None:
    (fenwire.root / "a.fen").write_bytes(content)
    done = fenwire("check", "--file", "a.fen")
    assert (done.returncode, done.stderr) == (code, "")
    assert all(char.isprintable() or char == "\n" for char in done.stdout)
    assert records is None or re.search(rf"^{records} records?: ", done.stdout, re.M)


def test_a_sound_file_is_exit_code_0(fenwire: Any) -> None:
    (fenwire.root / "a.epd").write_text(f"{EPD}\n{EPD}\n")
    done = fenwire("check", "--file", "a.epd")
    assert (done.returncode, done.stdout) == (0, "2 records: 2 ok, 0 with warnings, 0 bad\n")


def test_games_and_one_ply_of_them(fenwire: Any) -> None:
    (fenwire.root / "g.pgn").write_text('[Event "x"]\n\n1. e4 e5 2. Nf3 *\n')
    assert len(rows(fenwire("check", "--json", "--file", "g.pgn"))) == 4
    (row,) = rows(fenwire("check", "--json", "--file", "g.pgn", "--ply", "3", "--ep", "legal"))
    assert row["fen"] == "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2"
    none = fenwire("check", "--file", "g.pgn", "--ply", "99")
    assert none.returncode == 2
    assert "no game there has 99 half-moves" in none.stderr


def test_a_game_without_that_ply_because_it_is_bad_is_told(fenwire: Any) -> None:
    (fenwire.root / "g.pgn").write_text(
        '[Event "x"]\n\n1. e4 e5 *\n\n[Event "y"]\n[FEN "4k3/8/8/8/8/8/4P3/4K3 w KQ - 0 1"]\n\n1. e4 Kd7 *\n'
    )
    done = fenwire("check", "--file", "g.pgn", "--ply", "2")
    assert done.returncode == 1
    assert "g.pgn:5: error: castling: White cannot castle" in done.stdout
    assert "2 records: 1 ok, 0 with warnings, 1 bad" in done.stdout


def test_a_look_alike_is_marked_on_the_board(fenwire: Any) -> None:
    done = fenwire("check", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RN\u0412QKBNR w KQkq - 0 1")
    assert done.returncode == 1
    assert "rank 1: '\u0412' (U+0412) on c1" in done.stdout
    assert "\n  1> R N \u0412 Q K B N R\n" in done.stdout


def test_the_game_asked_for_is_the_one_that_is_read(fenwire: Any) -> None:
    game = '[Event "x"]\n\n1. h2e2 h9g7 *\n'
    done = fenwire("check", "--variant", "xiangqi", "--fix", stdin=game)
    assert done.returncode == 0
    assert done.stdout.splitlines()[-1].startswith(
        "rnbakab1r/9/1c4nc1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C4/9/RNBAKABNR w"
    )


def test_fix_prints_records_and_says_the_rest_aside(fenwire: Any) -> None:
    done = fenwire("check", "--fix", stdin=f"{START}\n{SHORT}\n{EXPOSED}\n{EPD}\nstartpos moves e2e4\n")
    assert done.returncode == 1
    assert done.stdout.splitlines() == [START, START, EPD, f"{START} moves e2e4"]
    assert "-:3: error: White is to move" in done.stderr
    assert done.stderr.splitlines()[-3].startswith("5 records: 3 ok, 0 with warnings, 2 bad (1 mended)")


def test_fix_writes_to_a_file(fenwire: Any) -> None:
    (fenwire.root / "in.fen").write_text(f"{SHORT}\n{START}\n")
    done = fenwire("check", "--file", "in.fen", "--fix", "--out", "out.fen")
    assert done.returncode == 1
    assert (fenwire.root / "out.fen").read_text() == f"{START}\n{START}\n"
    assert done.stdout.splitlines()[-2] == "2 records: 1 ok, 0 with warnings, 1 bad (1 mended)"
    again = fenwire("check", "--file", "out.fen")
    assert (again.returncode, again.stdout) == (0, "2 records: 2 ok, 0 with warnings, 0 bad\n")


def test_what_is_read_is_not_written_over(fenwire: Any) -> None:
    path = fenwire.root / "in.fen"
    path.write_text(f"{SHORT}\n")
    done = fenwire("check", "--file", "in.fen", "--fix", "--out", "./in.fen")
    assert (done.returncode, done.stdout) == (2, "")
    assert "--out would overwrite" in done.stderr
    assert path.read_text() == f"{SHORT}\n"


def test_a_mended_epd_record_keeps_its_operations(fenwire: Any) -> None:
    bad = '8/8/p2p3p/3k2p1/PP6/3K1P1P/8/8 B - - bm Kc6; id "x; y";'
    done = fenwire("check", "--fix", bad)
    assert done.stdout == bad.replace(" B ", " b ") + "\n"
    bad = '8/8/p2p3p/3k2p1/PP6/3K1P1P/8/8 B - - bm Kc6; id "100%20 &amp; more";'
    assert fenwire("check", "--fix", bad).stdout == bad.replace(" B ", " b ") + "\n"
    bad = "8/8/p2p3p/3k2p1/PP6/3K1P1P/8/8 B - - 3 40 bm Kc6;"
    assert fenwire("check", "--fix", bad).stdout == bad.replace(" B ", " b ") + "\n"


def test_styles_side_allow_and_variant(fenwire: Any) -> None:
    pushed = "rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq c6 0 2"
    (row,) = rows(fenwire("check", "--json", "--ep", "legal", "--castling", "shredder", pushed))
    assert row["fen"] == pushed.replace("KQkq c6", "HAha -")
    (row,) = rows(fenwire("check", "--json", "--side", "b", START.split()[0]))
    assert row["fen"] == START.split()[0] + " b - - 0 1"
    queens = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBQR w KQkq - 0 1"
    assert fenwire("check", queens).returncode == 1
    done = fenwire("check", "--json", "--allow", "too-many-promoted,impossible-check", queens)
    assert done.returncode == 0
    assert [problem["severity"] for problem in rows(done)[0]["problems"]] == ["warning"]
    (row,) = rows(fenwire("check", "--json", "--variant", "xiangqi", "startpos"))
    assert row["variant"] == "xiangqi"


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--file", "nowhere.fen"], "File 'nowhere.fen' does not exist"),
        (["--out", "x", "startpos"], "--out says where --fix writes; give --fix too"),
        (["--allow", "king-missing", "startpos"], "allow is 'king-missing'; it may be impossible-check"),
        (["--ep", "always", "startpos"], "invalid value for '--ep'"),
        (["--ply", "-1", "startpos"], "invalid value for '--ply'"),
        (["--ply", "3", "startpos"], "--ply is of the games in a file"),
    ],
)
def test_wrong_usage(args: list[str], said: str, fenwire: Any) -> None:
    done = fenwire("check", *args)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("fenwire: ")
    assert said in done.stderr


def test_a_reader_that_goes_is_no_error(fenwire: Any) -> None:
    path = fenwire.root / "many.fen"
    path.write_text(f"{SHORT}\n" * 20_000)
    for options in ([], ["--json"], ["--fix"]):
        process = fenwire.start("check", "--file", "many.fen", *options)
        assert process.stdout is not None
        assert process.stdout.readline()
        process.stdout.close()
        assert process.stderr is not None
        said = process.stderr.read()
        process.stderr.close()
        assert process.wait(60) == 0
        assert "Traceback" not in said
        assert "BrokenPipe" not in said


def test_no_control_character_reaches_the_terminal(fenwire: Any) -> None:
    done = fenwire("check", "8/8/\x1b[31m8 w - - \x07 \x9b5m", "8/8 w")
    assert done.returncode == 1
    assert not any(ord(char) < 32 and char != "\n" for char in done.stdout)
    assert "\x9b" not in done.stdout


if sys.platform != "win32":  # a pseudo-terminal is a thing of POSIX
    import pty

    def test_a_progress_bar_on_a_terminal_alone(fenwire: Any) -> None:
        (fenwire.root / "many.fen").write_text(f"{START}\n" * 20_000)
        ours, theirs = pty.openpty()
        with subprocess.Popen(
            [sys.executable, "-m", "adapter.cli", "check", "--file", "many.fen"],
            stdout=subprocess.PIPE,
            stderr=theirs,
            env={**fenwire.env, "TERM": "xterm"},
            cwd=fenwire.root,
            encoding="utf-8",
        ) as process:
            os.close(theirs)
            shown = b""
            while chunk := _read(ours):
                shown += chunk
            assert process.stdout is not None
            assert process.stdout.read() == "20,000 records: 20,000 ok, 0 with warnings, 0 bad\n"
        os.close(ours)
        assert b"checking" in shown
        assert fenwire("check", "--file", "many.fen").stderr == ""

    def _read(descriptor: int) -> bytes:
        try:
            return os.read(descriptor, 65536)
        except OSError:  # Linux says EIO when the last writer has closed
            return b""


def test_many_lines_take_bounded_time(fenwire: Any, tmp_path: Path) -> None:
    lines = 100_000
    done = fenwire("check", stdin=f"{START}\n" * lines)
    assert done.returncode == 0
    assert done.stdout == f"{lines:,} records: {lines:,} ok, 0 with warnings, 0 bad\n"
