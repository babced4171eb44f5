"""`fenwire engines doctor` asks programs that no profile knows what they are, and says what to write down."""

from __future__ import annotations

import json
import shlex
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

CHESS_RIDDLE = "fen 1r5k/8/8/8/8/8/8/K7 w - - 0 1"
CHESS_START = "fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
XIANGQI_RIDDLE = "fen 4k4/9/9/9/9/p8/9/9/9/3K5 w - - 0 1"
XIANGQI_START = "fen rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1"


def rows(done: Any) -> list[dict[str, Any]]:
    return [json.loads(line) for line in done.stdout.splitlines()]


def command(*words: str) -> str:
    return shlex.join([sys.executable, "-m", *words])


def scripted(folder: Path, answers: dict[str, str], *flags: str) -> str:
    """A scripted engine that gives these moves in these positions, and an impossible one elsewhere."""
    moves = folder / "moves.txt"
    moves.write_text("".join(f"{move} {position}\n" for position, move in answers.items()))
    return command("tests.mock_engine", "--moves", str(moves), "--bestmove", "z0z0", *flags)


def profiles_of(told: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [tomllib.loads(row["suggestion"]) for row in told if row["suggestion"]]


def save(fenwire: Any, suggestion: str) -> str:
    """Does as the doctor says; the new profile's name."""
    name: str = tomllib.loads(suggestion)["name"]
    (fenwire.profiles / f"{name}.toml").write_text(suggestion, encoding="utf-8")
    return name


@pytest.mark.engine("fairy-stockfish")
def test_an_engine_of_both_protocols_gets_a_profile_for_each(
    fenwire: Any, engine_path: Any, tmp_path: Path
) -> None:
    program = tmp_path / "mystery"
    program.symlink_to(engine_path("fairy-stockfish"))
    done = fenwire("engines", "doctor", str(program), "--json")
    assert done.returncode == 0, done.stderr
    told = rows(done)
    assert all(row["ok"] for row in told)
    assert [(row["profile"], row["protocol"], row["variant"], row["rank_base"]) for row in told] == [
        ("mystery", "uci", "chess", 1),
        ("mystery", "uci", "chess960", 1),
        ("mystery", "uci", "xiangqi", 1),
        ("mystery-ucci", "ucci", "xiangqi", 0),
    ]
    uci, ucci = profiles_of(told)
    assert uci["variants"] == ["chess", "chess960", "xiangqi"]
    assert uci["command"] == ucci["command"] == [str(program)]
    # what is seen on this engine, and written in its own profile: a clock in milliseconds, several lines
    assert ucci["dialect"] == {"rank_base": 0, "clock_unit": "ms", "new_game": ""}
    assert ucci["capabilities"] == {"multipv": True}
    assert uci["options"] == ucci["options"] == {"Threads": 1}
    for suggestion in (row["suggestion"] for row in told if row["suggestion"]):
        name = save(fenwire, suggestion)
        analyzed = fenwire("analyze", XIANGQI_START[4:], "h2e2", "--engine", name, "--depth", "3", "--json")
        assert analyzed.returncode == 0, analyzed.stderr
        result = json.loads(analyzed.stdout)
        assert result["engine"]["profile"] == name
        assert result["best"]["fen"].split()[1] == "w"


@pytest.mark.engine("stockfish")
def test_the_profile_is_printed_to_be_saved(fenwire: Any, engine_path: Any, tmp_path: Path) -> None:
    program = tmp_path / "an odd name"
    program.symlink_to(engine_path("stockfish"))
    done = fenwire("engines", "doctor", str(program))
    assert done.returncode == 0, done.stderr
    place = f"a profile for it, to be saved as {fenwire.profiles / 'an-odd-name.toml'}:"
    head, text = done.stdout.split(f"{place}\n\n")
    assert "an-odd-name: works\n" in head
    assert "  speaks: uci, chess960, ranks from 1\n" in head
    profile = tomllib.loads(text)
    assert profile == {
        "name": "an-odd-name",
        "command": [str(program)],
        "protocol": "uci",
        "variants": ["chess", "chess960"],
        "dialect": {"rank_base": 1},
        "options": {"Threads": 1},
    }
    again = fenwire("engines", "doctor", save(fenwire, text), "--json")
    assert again.returncode == 0
    assert rows(again)[0]["suggestion"] is None


@pytest.mark.parametrize(
    ("protocol", "variants", "base"),
    [("uci", ["chess", "chess960", "xiangqi"], 1), ("ucci", ["xiangqi"], 0)],
)
def test_the_built_in_by_its_command_line(
    fenwire: Any, protocol: str, variants: list[str], base: int
) -> None:
    done = fenwire("engines", "doctor", command("engines.builtin", protocol), "--json")
    assert done.returncode == 0, done.stderr
    (profile,) = profiles_of(rows(done))
    assert profile["protocol"] == protocol
    assert profile["variants"] == variants
    # UCCI's clock needs no word here: `usemillisec` is offered
    assert profile["dialect"] == {"rank_base": base}


def test_a_xiangqi_engine_that_speaks_uci_and_counts_from_0(fenwire: Any, tmp_path: Path) -> None:
    # Pikafish does not offer UCI_Variant, and ends on a position of chess.
    engine = scripted(tmp_path, {XIANGQI_RIDDLE: "d0d1", f"{XIANGQI_START} moves a3a4": "h9g7"})
    done = fenwire("engines", "doctor", engine, "--json")
    assert done.returncode == 0, done.stdout
    (told,) = rows(done)
    assert (told["protocol"], told["variant"], told["rank_base"]) == ("uci", "xiangqi", 0)
    assert (told["played"], told["answer"]) == ("a3a4", "h9g7")
    (profile,) = profiles_of([told])
    assert profile["dialect"] == {"rank_base": 0, "max_halfmove": 119}


@pytest.mark.parametrize(
    "flags",
    [
        ["--die-after", "uci", "--exit", "0"],  # as ElephantEye ends on it
        ["--die-after", "uci", "--exit", "SEGV"],
        [],  # it does not know `uci`, and answers `isready`
    ],
)
def test_an_engine_of_ucci_alone(fenwire: Any, tmp_path: Path, flags: list[str]) -> None:
    answers = {XIANGQI_RIDDLE: "d0d1", f"{XIANGQI_START} moves a3a4": "h9g7", XIANGQI_START: "h2e2"}
    engine = scripted(tmp_path, answers, "--protocol", "ucci", "--withhold", "option", *flags)
    done = fenwire("engines", "doctor", engine, "--json")
    assert done.returncode == 0, done.stdout
    (told,) = rows(done)
    assert (told["protocol"], told["variant"], told["rank_base"]) == ("ucci", "xiangqi", 0)
    (profile,) = profiles_of([told])
    # told to have 600, it moves at once: no engine spends ten minutes so
    assert profile["dialect"] == {"rank_base": 0, "clock_unit": "ms", "new_game": ""}


def test_a_clock_that_counts_seconds_is_found_out(fenwire: Any) -> None:
    # the built-in over UCCI, kept from offering `usemillisec`
    line = f"{command('engines.builtin', 'ucci')} | grep --line-buffered -v usemillisec"
    done = fenwire("engines", "doctor", shlex.join(["/bin/sh", "-c", line]), "--json")
    assert done.returncode == 0, done.stdout
    (profile,) = profiles_of(rows(done))
    assert profile["dialect"] == {"rank_base": 0, "clock_unit": "s"}


@pytest.mark.parametrize(
    ("protocol", "refusal"),
    [
        ("uci", "it speaks UCI, but did not find the only legal move in chess or xiangqi"),
        ("ucci", "it speaks UCCI, but did not find the only legal move in xiangqi"),
    ],
)
def test_an_engine_that_plays_no_game_we_know(
    fenwire: Any, tmp_path: Path, protocol: str, refusal: str
) -> None:
    done = fenwire("engines", "doctor", scripted(tmp_path, {}, "--protocol", protocol), "--json")
    assert done.returncode == 3
    (told,) = rows(done)
    assert refusal in told["problems"]
    games = refusal.partition(" move in ")[2].split(" or ")
    assert [f"asked in {game}: it answered z0z0" in told["problems"] for game in games] == [True] * len(games)
    assert len(told["problems"]) == 2 + len(games)
    assert told["suggestion"] is None


def test_what_an_unknown_engine_says_of_its_network_is_told(fenwire: Any, tmp_path: Path) -> None:
    said = "ERROR: The network file other.nnue was not loaded successfully."
    engine = scripted(tmp_path, {}, "--info", f"string {said}", "--die-after", "info")
    done = fenwire("engines", "doctor", engine, "--json")
    assert done.returncode == 3
    (told,) = rows(done)
    assert any(said in problem for problem in told["problems"])
    assert any("exit code 1" in problem for problem in told["problems"])
    assert len(set(told["problems"])) == len(told["problems"])


# what is wrong with an engine, and what is said of it
FAULTS = [
    ("--withhold readyok", "asked in chess: Scripted did not answer isready within 10 s"),
    ("--withhold bestmove", "asked in chess: Scripted gave no best move within 2 s of being told to stop"),
    ("--flood-after go --withhold bestmove --stubborn", "gave no best move within 2 s of being told to stop"),
    ("--endless", "asked in chess: it gave its move only when it was told to stop, after 10 s"),
    ("--no-move", "asked in chess: it gave no move ('(none)')"),
    ("--die-after go --exit SEGV", "asked in chess: Scripted died (SIGSEGV)"),
    ("--silent", "asked in UCI, it did not answer within 10 s"),
    ("--banner --silent", "asked in UCI, it did not answer within 10 s; it printed 'info string uciok soon'"),
    ("--flood-after start --ignore uci", "asked in UCI, it did not know the greeting"),
]


def test_an_unknown_engine_is_told_what_is_wrong_with_it(fenwire: Any) -> None:
    asked = [
        # side by side: most of them have to be waited for
        fenwire.start(
            "engines", "doctor", command("tests.mock_engine", *flags.split()), "--json", "--variant=chess"
        )
        for flags, _ in FAULTS
    ]
    for (flags, told), process in zip(FAULTS, asked, strict=True):
        out, err = process.communicate(timeout=150)
        assert (process.returncode, err) == (3, ""), flags
        (row,) = [json.loads(line) for line in out.splitlines()]
        assert any(told in problem for problem in row["problems"]), (flags, row["problems"])


def test_answers_before_any_question_are_no_answers(fenwire: Any, tmp_path: Path) -> None:
    answers = {CHESS_RIDDLE: "a1a2", f"{CHESS_START} moves g1h3": "e7e5"}
    unasked = ("bestmove e2e4", "readyok", "readyok", "uciok")
    program = tmp_path / "early"
    lines = "; ".join(f"echo {line}" for line in unasked)
    program.write_text(f"#!/bin/sh\n{lines}\nexec {scripted(tmp_path, answers)}\n")
    program.chmod(0o755)
    done = fenwire("engines", "doctor", str(program), "--json", "--variant", "chess")
    assert done.returncode == 0, done.stdout
    first = rows(done)[0]
    assert (first["ok"], first["protocol"], first["variant"]) == (True, "uci", "chess")
    assert (first["played"], first["answer"]) == ("g1h3", "e7e5")


def test_a_move_in_the_wrong_game_is_no_proof(fenwire: Any, tmp_path: Path) -> None:
    # it solves the riddle and then answers what is illegal: no profile is handed out for that
    done = fenwire("engines", "doctor", scripted(tmp_path, {CHESS_RIDDLE: "a1a2"}), "--json")
    assert done.returncode == 3
    told = rows(done)
    assert [row["suggestion"] for row in told] == [None, None]
    assert "best move z0z0 is not legal" in told[0]["problems"][0]


@pytest.mark.parametrize(
    ("variant", "expected"),
    [("xiangqi", [("uci", "xiangqi")]), ("chess960", [("uci", "chess"), ("uci", "chess960")])],
)
def test_the_question_can_be_held_to_a_game(
    fenwire: Any, variant: str, expected: list[tuple[str, str]]
) -> None:
    done = fenwire("engines", "doctor", command("engines.builtin"), "--json", "--variant", variant)
    assert done.returncode == 0, done.stdout
    told = rows(done)
    assert [(row["protocol"], row["variant"]) for row in told] == expected
    (profile,) = profiles_of(told)
    assert profile["variants"] == [game for _, game in expected]


def test_a_template_named_is_taken_at_its_word(fenwire: Any) -> None:
    done = fenwire("engines", "doctor", f"generic-ucci {command('engines.builtin', 'ucci')}", "--json")
    assert done.returncode == 0
    (told,) = rows(done)
    assert (told["profile"], told["suggestion"]) == ("generic-ucci", None)


def test_what_is_no_engine(fenwire: Any) -> None:
    done = fenwire("engines", "doctor", shlex.join([sys.executable, "-c", "pass"]), "--json")
    assert done.returncode == 3
    (told,) = rows(done)
    assert (told["ok"], told["protocol"], told["suggestion"]) == (False, None, None)
    assert told["problems"] == [
        "asked in UCI, it ended (exit code 0)",
        "asked in UCCI, it ended (exit code 0)",
    ]
