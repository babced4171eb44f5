"""The built-in engine's UCI, word by word, through real pipes."""

from __future__ import annotations

import subprocess
import sys

import chess
import chess.engine
import pytest

from engines.builtin import AUTHOR, NAME, NOTICE, VERSION

START = chess.STARTING_FEN


def _fen(talk) -> str:
    (line,) = [line for line in talk.ask("d", word="Fen:") if line.startswith("Fen: ")]
    return line.removeprefix("Fen: ")


def test_the_handshake_names_the_engine_and_offers_its_options(start):
    lines = start().ask("uci", word="uciok")
    assert lines[:2] == [f"id name {NAME} {VERSION}", f"id author {AUTHOR}"]
    assert lines[-1] == "uciok"
    offered = set(lines[2:-1])
    assert {
        "option name Hash type spin default 32 min 1 max 4096",
        "option name MultiPV type spin default 1 min 1 max 500",
        "option name Ponder type check default false",
        "option name Clear Hash type button",
        "option name UCI_Chess960 type check default false",
    } <= offered
    (variant,) = [line for line in offered if "UCI_Variant" in line]
    assert variant.startswith("option name UCI_Variant type combo default chess")
    assert " var chess" in variant


def test_python_chess_can_shake_hands_and_play(start):
    # An independent reading of the whole grammar: python-chess parses options, infos and the best move.
    with chess.engine.SimpleEngine.popen_uci([sys.executable, "-m", "engines.builtin"], timeout=30) as engine:
        assert engine.id["name"] == f"{NAME} {VERSION}"
        assert engine.options["Hash"].max == 4096
        infos = engine.analyse(chess.Board(), chess.engine.Limit(nodes=500), multipv=3)
        assert [info["multipv"] for info in infos] == [1, 2, 3]
        assert all(info["nodes"] == 500 and info["score"] is not None and info["pv"] for info in infos)


def test_every_search_says_that_this_is_the_default_and_no_strong_engine(talk):
    assert f"info string {NOTICE}" in talk.ask("go depth 1")
    assert "zero-install default" in NOTICE


def test_one_bestmove_for_each_go(talk):
    talk.send(*["position startpos", "go depth 2"] * 3, "position startpos moves e2e4", "go nodes 50")
    lines = [line for _ in range(4) for line in talk.read_until("bestmove")]
    assert sum(line.startswith("bestmove") for line in lines) == 4
    assert talk.settle() == []


@pytest.mark.parametrize(
    ("data", "reply"),
    [
        (b"isready\r\n", "readyok"),
        (b"  \t isready \t \n", "readyok"),
        (b"\n\n\xb7\xff nonsense\nisready\n", "readyok"),
        (b"joho isready\n", "readyok"),  # UCI: an unknown word is passed over, the rest is tried
        (b"stop\nponderhit\nisready\n", "readyok"),
    ],
)
def test_blanks_and_unknown_words_do_no_harm(talk, data, reply):
    talk.write(data)
    assert talk.read_until(reply) == [reply]


def test_a_last_line_without_an_end_still_counts(start):
    talk = start()
    talk.write(b"uci\nposition startpos moves e2e4\ngo infinite\nd\nisready")
    talk.process.stdin.close()
    assert talk.read_until("uciok")[-1] == "uciok"
    answer = talk.read_until("bestmove")[-1].split()[1]
    assert chess.Move.from_uci(answer) in chess.Board(START.replace(" w ", " b ")).legal_moves
    assert talk.read_until("Fen:")[-1].startswith("Fen: rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b")
    assert talk.ended() == 0


@pytest.mark.parametrize(
    "line",
    [
        "setoption name multipv value 2",
        "setoption name MULTIPV value 2",
        "setoption  NAME  MultiPV  VALUE  2",
    ],
)
def test_option_names_match_in_any_case(talk, line):
    lines = talk.ask(line, "go depth 1")
    assert [info.split()[info.split().index("multipv") + 1] for info in lines if " multipv " in info] == [
        "1",
        "2",
    ]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("setoption name Hash value 0", "Hash takes a number from 1 to 4096, not '0'"),
        ("setoption name Hash value many", "Hash takes a number from 1 to 4096, not 'many'"),
        ("setoption name Hash", "Hash takes a number from 1 to 4096, not ''"),
        ("setoption name UCI_Chess960 value maybe", "UCI_Chess960 takes true or false, not 'maybe'"),
        ("setoption name Contempt value 3", "no such option: Contempt"),
        ("setoption Hash 3", "setoption needs: name NAME [value VALUE]"),
        ("position", "position needs: startpos or fen FEN, then moves; the position stays as it was"),
    ],
)
def test_a_wrong_option_or_command_is_reported_and_changes_nothing(talk, line, message):
    talk.send("position startpos moves d2d4", line)
    assert talk.settle() == [f"info string error: {message}"]
    assert _fen(talk).startswith("rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b")


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("position fen rnbqkbnr/ppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "rank 7"),
        ("position fen 8/8/8/8/8/8/8/K7 w - - 0 1", "Black has no king"),
        ("position fen 7k/8/8/8/8/8/8/8 w - - 0 1", "White has no king"),
        ("position fen KK5k/8/8/8/8/8/8/8 w - - 0 1", "White has 2 kings"),
        ("position fen 4k3/8/8/8/8/8/4R3/4K3 w - - 0 1", "Black's king on e8 is in check from e2"),
        ("position fen P3k3/8/8/8/8/8/8/4K3 w - - 0 1", "a pawn cannot stand on the first or last rank: a8"),
        ("position fen", "there is no record"),
        ("position startpos moves e2e5", "e2e5 is not a legal move"),
        ("position startpos moves e2e4 e7e5 e1e2 zz", "zz is not a legal move"),
        ("position startpos moves 0000", "0000 is not a legal move"),
    ],
)
def test_a_bad_position_is_reported_and_the_old_one_kept(talk, command, message):
    talk.send("position startpos moves e2e4 c7c5", command)
    (line,) = talk.settle()
    assert line.startswith("info string error: ")
    assert message in line
    assert line.endswith("; the position stays as it was")
    assert _fen(talk) == "rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2"


@pytest.mark.parametrize(
    ("fen", "moves"),
    [
        (START, "e2e4 a7a6 e4e5 d7d5 e5d6 e7e5"),  # en passant, and a double step that nothing can answer so
        ("r3k2r/pPpp1ppp/8/8/8/8/P1P2PPP/R3K2R w KQkq - 3 20", "b7a8n e8g8 e1c1"),
        ("r3k2r/p1ppPppp/8/8/8/8/P1P2PPP/R3K2R w KQkq - 99 120", "h1g1 e8e7 e1e2"),
    ],
)
def test_positions_are_set_up_as_python_chess_plays_them(talk, fen, moves):
    board = chess.Board(fen)
    for move in moves.split():
        board.push(board.parse_uci(move))
    talk.send(f"position fen {fen} moves {moves}")
    assert _fen(talk) == board.fen()


def test_a_long_game_is_taken_whole(talk):
    shuffle = ["g1f3", "g8f6", "f3g1", "f6g8"] * 75
    lines = talk.ask(f"position startpos moves {' '.join(shuffle)}", "go nodes 300")
    assert chess.Move.from_uci(lines[-1].split()[1]) in chess.Board().legal_moves


@pytest.mark.parametrize(
    ("fen", "score"),
    [
        ("R5k1/5ppp/8/8/8/8/8/4K3 b - - 0 1", "mate 0"),
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "cp 0"),
    ],
)
def test_without_a_legal_move_there_is_no_best_one(talk, fen, score):
    lines = talk.ask(f"position fen {fen}", "go depth 5")
    assert lines[-2:] == [f"info depth 0 score {score}", "bestmove (none)"]


def test_isready_waits_for_the_commands_before_it(talk):
    talk.send("position startpos moves e2e4", "position startpos moves e2e5")
    assert [line.split()[:3] for line in talk.settle()] == [["info", "string", "error:"]]


@pytest.mark.parametrize(
    "opening", [[], ["uci"], ["position startpos", "go infinite"], ["go ponder depth 3"]]
)
def test_quit_and_the_end_of_input_end_the_process_at_once(start, opening):
    quitting, closing = start(), start()
    quitting.send(*opening, "quit")
    closing.send(*opening)
    closing.process.stdin.close()
    assert (quitting.ended(), closing.ended()) == (0, 0)


def test_a_reader_that_has_gone_ends_the_process_quietly():
    command = [sys.executable, "-m", "engines.builtin"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        try:
            process.stdin.write(b"go infinite\n")
            process.stdin.flush()
            assert process.stdout.readline().startswith(b"info string")
            process.stdout.close()
            assert process.wait(30) == 0
            assert process.stderr.read() == b""
        finally:
            process.kill()


def test_castling_is_king_takes_rook_only_in_chess960(talk):
    fen = "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1"
    plain = talk.ask(f"position fen {fen}", "go depth 1 searchmoves e1g1")
    assert plain[-1].split()[1] == "e1g1"
    talk.send("setoption name UCI_Chess960 value true", f"position fen {fen}")
    assert talk.ask("go depth 1 searchmoves e1h1")[-1].split()[1] == "e1h1"
    talk.send(f"position fen {fen} moves e1a1")
    assert _fen(talk) == "4k3/8/8/8/8/8/8/2KR3R b - - 1 1"


def test_chess960_castling_with_inner_rooks(talk):
    talk.send("setoption name uci_chess960 value true")
    talk.send("position fen 1r3kr1/pppppppp/8/8/8/8/PPPPPPPP/1R3KR1 w GBgb - 0 1 moves f1g1")
    assert _fen(talk).split()[0] == "1r3kr1/pppppppp/8/8/8/8/PPPPPPPP/1R3RK1"
    lines = talk.ask("go depth 1 searchmoves f8b8")
    assert lines[-1].split()[1] == "f8b8"


def test_a_right_that_only_chess960_knows_is_refused_in_chess(talk):
    talk.send("position fen 1r3kr1/pppppppp/8/8/8/8/PPPPPPPP/1R3KR1 w GBgb - 0 1")
    (line,) = talk.settle()
    assert "White cannot castle (G and B)" in line
    assert _fen(talk) == START


def test_choosing_another_game_takes_the_board_back_to_its_start(talk):
    talk.send("position startpos moves e2e4", "setoption name UCI_Variant value CHESS")
    assert _fen(talk) != START
    talk.send("setoption name UCI_Chess960 value true")
    assert _fen(talk) == START
