"""The built-in engine's UCCI, word by word, through real pipes."""

from __future__ import annotations

import re
import subprocess
import sys
import time

import pytest

from adapter.games.xiangqi.board import START, XiangqiBoard
from engines.builtin import AUTHOR, NAME, NOTICE, VERSION
from engines.options import read_words

MATE_IN_ONE = "9/9/2P1k1N2/9/9/8P/4C4/9/9/4K4 w - - 33 14"
MIDDLE_GAME = "r1ba1a3/4kn3/2n1b4/pNp1p1p1p/4c4/6P2/P1P2R2P/1CcC5/9/2BAKAB2 w - - 0 1"
NEVER = 10**9
SLACK = 10.0  # seconds that a busy machine may take; none of these searches would end by itself

INFO = re.compile(r"info depth (\d+) score (-?\d+) nodes (\d+) time (\d+) pv((?: [a-i]\d[a-i]\d)+)")


def _fen(talk) -> str:
    (line,) = [line for line in talk.ask("d", word="Fen:") if line.startswith("Fen: ")]
    return line.removeprefix("Fen: ")


def _infos(lines):
    """The infos of a search as (depth, score, nodes, milliseconds, moves), all of one shape."""
    found = []
    for line in lines:
        if line.startswith("info depth"):
            match = INFO.fullmatch(line)
            assert match, line
            found.append((*map(int, match.groups()[:4]), match[5].split()))
    return found


def test_the_handshake_names_the_engine_and_offers_its_options(start):
    lines = start("ucci").ask("ucci", word="ucciok")
    assert lines[:2] == [f"id name {NAME} {VERSION}", f"id author {AUTHOR}"]
    assert lines[2:] == [
        "option usemillisec type check default false",
        "option hashsize type spin default 32 min 1 max 4096",
        "option ponder type check default false",
        "option newgame type button",
        "ucciok",
    ]
    for line in lines[2:-1]:
        option = read_words(line.removeprefix("option "), first=None)
        assert option.fault is None
        assert re.fullmatch("[a-z]+", option.name)  # UCCI: one word in lower case


def test_an_unknown_protocol_is_refused():
    done = subprocess.run(
        [sys.executable, "-m", "engines.builtin", "usi"],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "usage: python -m engines.builtin [uci|ucci]\n"


def test_the_words_of_the_other_protocol_call_for_no_answer(start):
    ucci, uci = start("ucci"), start()
    ucci.send("uci", "ucinewgame", "setoption name hashsize value 1")
    assert ucci.settle() == ["info message error: no such option: name"]
    uci.send("ucci", "banmoves a2a3")
    assert uci.settle() == []


def test_every_search_says_that_this_is_the_default_and_no_strong_engine(ucci):
    assert f"info message {NOTICE}" in ucci.ask("go depth 1")


def test_quit_is_answered_bye(start):
    for opening in ([], ["ucci"], ["position startpos", "go infinite"]):
        talk = start("ucci")
        assert talk.ask(*opening, "quit", word="bye")[-1] == "bye"
        assert talk.ended() == 0


@pytest.mark.parametrize("opening", [[], ["ucci"], ["position startpos", "go infinite"]])
def test_the_end_of_input_ends_the_process_at_once(start, opening):
    talk = start("ucci")
    talk.send(*opening)
    talk.process.stdin.close()
    assert talk.ended() == 0


def test_a_reader_that_has_gone_ends_the_process_quietly():
    command = [sys.executable, "-m", "engines.builtin", "ucci"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        try:
            process.stdin.write(b"go infinite\n")
            process.stdin.flush()
            assert process.stdout.readline().startswith(b"info message")
            process.stdout.close()
            assert process.wait(30) == 0
            assert process.stderr.read() == b""
        finally:
            process.kill()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("setoption hashsize 0", "hashsize takes a number from 1 to 4096, not '0'"),
        ("setoption hashsize", "hashsize takes a number from 1 to 4096, not ''"),
        ("setoption usemillisec maybe", "usemillisec takes true or false, not 'maybe'"),
        ("setoption style risky", "no such option: style"),
        ("position", "position needs: startpos or fen FEN, then moves; the position stays as it was"),
    ],
)
def test_a_wrong_option_or_command_is_reported_and_changes_nothing(ucci, line, message):
    ucci.send("position startpos moves h2e2", line)
    assert ucci.settle() == [f"info message error: {message}"]
    assert _fen(ucci) == "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C4/9/RNBAKABNR b - - 1 1"


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("position fen 9/9/9/9/9/9/9/9/9/4K4 w - - 0 1", "Black has no king"),
        ("position fen 4k4/9/9/9/9/9/9/9/9/4K4 w - - 0 1", "face each other"),
        ("position fen", "there is no record"),
        ("position startpos moves h2e3", "h2e3 is not a legal move"),
        ("position startpos moves h2e2 h9g7 zz", "zz is not a legal move"),
        ("position startpos moves h3e3", "h3e3 is not a legal move"),  # ranks counted from 1
    ],
)
def test_a_bad_position_is_reported_and_the_old_one_kept(ucci, command, message):
    ucci.send("position startpos moves h2e2", command)
    (line,) = ucci.settle()
    assert line.startswith("info message error: ")
    assert message in line
    assert line.endswith("; the position stays as it was")
    assert _fen(ucci).endswith(" b - - 1 1")


def test_options_are_one_word_and_the_rest_is_the_value(ucci):
    ucci.send("setoption HASHSIZE 1", "setoption usemillisec TRUE", "setoption newgame")
    assert ucci.settle() == []


@pytest.mark.parametrize("nodes", [1, 2, 30, 127, 128, 129, 1000, 4321])
def test_nodes_are_kept_exactly(ucci, nodes):
    lines = ucci.ask(f"position fen {MIDDLE_GAME}", f"go nodes {nodes}")
    _, _, counted, _, pv = _infos(lines)[-1]
    assert counted == nodes
    assert pv[0] == lines[-1].split()[1]
    assert XiangqiBoard(MIDDLE_GAME).is_legal(pv[0])


@pytest.mark.parametrize("depth", [1, 2, 4])
def test_depth_is_reached_and_not_passed(ucci, depth):
    infos = _infos(ucci.ask(f"position fen {MIDDLE_GAME}", f"go depth {depth}"))
    assert [info[0] for info in infos] == list(range(1, depth + 1))


def test_depth_0_asks_for_the_static_score(ucci):
    (info, answer) = ucci.ask(f"position fen {MIDDLE_GAME}", "go depth 0", word="nobestmove")
    assert re.fullmatch(r"info depth 0 score -?\d+", info)
    assert answer == "nobestmove"
    score = int(info.split()[-1])
    (info, _) = ucci.ask(f"position fen {MIDDLE_GAME.replace(' w ', ' b ')}", "go depth 0", word="nobestmove")
    # the same from the other side, but for what having the turn is worth
    assert score + int(info.split()[-1]) in (19, 20)


def test_the_same_search_after_a_new_game_gives_the_same_again(start):
    def run(talk):
        lines = talk.ask("setoption newgame", f"position fen {MIDDLE_GAME}", "go nodes 3000")
        return [(depth, score, nodes, pv) for depth, score, nodes, _, pv in _infos(lines)]

    one, other = start("ucci"), start("ucci")
    first = run(one)
    one.ask("position startpos", "go nodes 500")
    assert run(one) == first
    assert run(other) == first


@pytest.mark.parametrize(
    ("unit", "go", "milliseconds"),
    [
        ("true", "time 400 increment 0", 400),
        ("true", f"time 300 increment 0 opptime {NEVER} oppincrement {NEVER}", 300),
        ("true", "time 300 movestogo 1 opptime 60000 oppmovestogo 40", 300),
        ("true", "time 0 increment 0", 1),
        ("false", "time 1 movestogo 1", 1000),
        ("false", f"draw time 1 increment 0 opptime {NEVER}", 1000),
    ],
)
def test_a_limit_of_time_ends_the_search_in_either_unit(ucci, unit, go, milliseconds):
    ucci.send(f"setoption usemillisec {unit}", f"position fen {MIDDLE_GAME}")
    ucci.settle()
    before = time.monotonic()
    lines = ucci.ask(f"go {go}")
    assert _infos(lines)
    assert time.monotonic() - before < milliseconds / 1000 + SLACK


def test_seconds_are_more_than_milliseconds(ucci):
    ucci.send(f"position fen {MIDDLE_GAME}", "setoption usemillisec true")
    short = _infos(ucci.ask("go time 1 movestogo 1"))[-1][3]
    ucci.send("setoption usemillisec false")
    long = _infos(ucci.ask("go time 1 movestogo 1"))[-1][3]
    assert short < long
    assert long >= 500


@pytest.mark.parametrize("go", ["infinite", "", "ponder", "draw"])
def test_an_infinite_search_waits_for_stop(ucci, go):
    ucci.send(f"position fen {MATE_IN_ONE}", f"go {go}")
    ucci.silent("bestmove", 0.5)
    (*_, answer) = ucci.ask("stop")
    board = XiangqiBoard(MATE_IN_ONE)
    board.push(answer.split()[1])
    assert board.outcome() is not None
    assert ucci.settle() == []


def test_stop_is_answered_soon_and_an_idle_one_not_at_all(ucci):
    for fen in (MIDDLE_GAME, START, "3k5/9/9/9/9/9/9/9/4A4/R3KA3 w - - 0 1"):
        ucci.send(f"position fen {fen}", "go infinite")
        ucci.silent("bestmove", 0.2)
        before = time.monotonic()
        ucci.ask("stop", seconds=SLACK)
        assert time.monotonic() - before < SLACK
    ucci.send("stop", "ponderhit")
    assert ucci.settle() == []


def test_isready_is_answered_during_a_search_that_goes_on(ucci):
    ucci.send(f"position fen {MIDDLE_GAME}", "go infinite")
    for _ in range(3):
        lines = ucci.ask("isready", word="readyok", seconds=SLACK)
        assert not [line for line in lines if line.startswith(("bestmove", "nobestmove"))]
    ucci.ask("stop")


def test_pondering_waits_for_the_hit_and_the_clock_begins_there(ucci):
    ucci.send("setoption usemillisec true", f"position fen {MIDDLE_GAME}", "go ponder time 200 movestogo 1")
    ucci.silent("bestmove", 0.7)
    before = time.monotonic()
    ucci.ask("ponderhit draw")
    assert time.monotonic() - before < SLACK


def test_banned_moves_are_left_out_until_the_next_position(ucci):
    favourite = ucci.ask("position startpos", "go depth 2")[-1].split()[1]
    lines = ucci.ask(f"banmoves {favourite}", "go depth 2")
    assert favourite not in {pv[0] for *_, pv in _infos(lines)}
    # they hold for every search of the position, whatever else is said
    assert ucci.ask("setoption newgame", "go depth 2")[-1].split()[1] != favourite
    assert ucci.ask("position startpos", "go depth 2")[-1].split()[1] == favourite


def test_with_one_move_left_unbanned_that_is_played(ucci):
    legal = XiangqiBoard(START).legal_moves()
    for left in ("a0a1", "e3e4"):
        banned = " ".join(move for move in legal if move != left)
        lines = ucci.ask("position startpos", f"banmoves {banned} e9e9 zz", "go nodes 200")
        assert lines[-1].split()[1] == left
        assert {pv[0] for *_, pv in _infos(lines)} == {left}


def test_with_all_moves_banned_there_is_none_and_no_word_of_mate(ucci):
    banned = " ".join(XiangqiBoard(START).legal_moves())
    lines = ucci.ask("position startpos", f"banmoves {banned}", "go depth 3", word="nobestmove")
    assert lines[-2:] == ["info message error: every legal move is banned", "nobestmove"]
    assert not [line for line in lines if "score" in line]


def test_a_probe_is_answered_without_an_entry(ucci):
    ucci.ask("position startpos", "go depth 2")
    assert ucci.ask("probe startpos", word="pophash") == ["pophash"]
