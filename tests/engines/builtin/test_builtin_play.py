"""The built-in engine plays real games and finds real mates, judged by python-chess."""

from __future__ import annotations

import random

import chess
import pytest

# Mates in two: found by random placement and by random play, two old compositions, four from old games;
# each was confirmed by Stockfish or by hand, and `_forces_mate` proves the engine's answer, whichever it is.
MATES_IN_TWO = [
    "8/5k2/6r1/1P6/8/p6K/5p1n/8 b - - 0 1",
    "1r5R/8/1P1Q4/2b2K2/8/1B3k2/8/2Q5 w - - 0 1",
    "2N5/8/B1R3R1/3K4/5k2/8/8/8 w - - 0 1",
    "4n3/5B1R/8/2R5/3K4/8/6B1/1kN5 w - - 0 1",
    "8/6p1/3Bk3/2R4P/1RK5/3Q4/8/N7 w - - 0 1",
    "8/Q7/6K1/2p5/6Q1/2k1p2Q/8/8 w - - 0 1",
    "8/Q7/2Bp2B1/8/3K4/p7/2N5/1k6 w - - 0 1",
    "7n/7Q/1R6/8/1K6/2Q5/4k3/4n3 w - - 0 1",
    "3K2N1/N7/6k1/1Q6/8/8/8/5R2 w - - 0 1",
    "1rb2b1r/ppp1p1pp/k3nn2/3p1p2/8/q1N1KPPP/P1PPP1BR/2R1Q1N1 b - - 3 18",
    "4R1R1/P6Q/6K1/k7/8/B7/P7/8 w - - 0 1",
    "2K5/8/1Q6/8/8/8/7B/kb5B w - - 0 1",
    "3k4/6QN/1K3p2/8/8/7b/6P1/8 w - - 0 1",
    "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1",
    "r1b2k1r/ppppq3/5N1p/4P2Q/4PP2/1B6/PP5P/n2K2R1 w - - 1 10",
    "r2qkb1r/pp2nppp/3p4/2pNN1B1/2BnP3/3P4/PPP2PPP/R2bK2R w KQkq - 1 10",
    "6k1/pp4p1/2p5/2bp4/8/P5Pb/1P3rrP/2BRRN1K b - - 0 1",
]


def _forces_mate(board: chess.Board, moves: int) -> bool:
    """Whether the side to move can mate within so many moves, by trying everything."""
    for move in list(board.legal_moves):
        board.push(move)
        forced = _is_mated(board, moves)
        board.pop()
        if forced:
            return True
    return False


def _is_mated(board: chess.Board, moves: int) -> bool:
    """Whether every reply leaves the side to move mated within the rest of so many moves."""
    if board.is_checkmate():
        return True
    replies = list(board.legal_moves)
    if moves == 1 or not replies:
        return False
    for reply in replies:
        board.push(reply)
        lost = _forces_mate(board, moves - 1)
        board.pop()
        if not lost:
            return False
    return True


def _move(talk, command: str, go: str) -> chess.Move:
    return chess.Move.from_uci(talk.ask(command, go)[-1].split()[1])


@pytest.mark.parametrize("go", ["mate 2", "depth 5", "nodes 20000"])
@pytest.mark.parametrize("fen", MATES_IN_TWO)
def test_mates_in_two_are_found(talk, fen, go):
    lines = talk.ask("ucinewgame", f"position fen {fen}", f"go {go}")
    words = [line for line in lines if " pv " in line][-1].split()
    assert words[words.index("score") + 1 :][:2] == ["mate", "2"]
    board = chess.Board(fen)
    assert not _forces_mate(board, 1)
    board.push(board.parse_uci(lines[-1].split()[1]))
    assert _is_mated(board, 2)
    pv = chess.Board(fen)
    for move in words[words.index("pv") + 1 :]:
        pv.push(pv.parse_uci(move))
    assert pv.is_checkmate()
    assert pv.ply() - chess.Board(fen).ply() == 3


@pytest.mark.parametrize("seed", range(6))
def test_six_games_are_won_against_a_random_mover(talk, seed):
    rng = random.Random(seed)
    talk.send("ucinewgame")
    board, ours = chess.Board(), seed % 2 == 0
    while not board.is_game_over(claim_draw=True):
        if board.turn == ours:
            history = " ".join(move.uci() for move in board.move_stack)
            move = _move(talk, f"position startpos moves {history}", "go nodes 2000")
            assert move in board.legal_moves
        else:
            move = rng.choice(list(board.legal_moves))
        board.push(move)
    assert board.is_checkmate()
    assert board.turn != ours


@pytest.mark.parametrize("seed", range(4))
def test_chess960_games_are_legal_to_their_end(talk, seed):
    rng = random.Random(seed)
    board = chess.Board.from_chess960_pos(rng.randrange(960))
    root = board.shredder_fen()
    talk.send("setoption name UCI_Chess960 value true", "ucinewgame")
    while not board.is_game_over(claim_draw=True) and board.ply() < 200:
        history = " ".join(move.uci() for move in board.move_stack)
        castlings = [move for move in board.legal_moves if board.is_castling(move)]
        move = rng.choice(castlings or list(board.legal_moves))
        if board.ply() % 2:
            move = _move(talk, f"position fen {root} moves {history}", "go nodes 150")
            assert move in board.legal_moves
        board.push(move)
    assert board.ply() > 20


@pytest.mark.parametrize(("rounds", "score"), [(0, "mate -1"), (1, "mate -1"), (2, "cp 0")])
def test_the_third_occurrence_is_a_draw_and_the_second_is_none(talk, rounds, score):
    # Kg1 is forced and Qg2 mates, unless the position before that has been on the board twice already.
    moves = " ".join(["h1g1 a2a3 g1h1 a3a2"] * rounds)
    lines = talk.ask(f"position fen 8/8/8/8/8/5k2/q7/7K w - - 0 1 moves {moves}", "go depth 4")
    assert lines[-1].split()[1] == "h1g1"
    assert f" score {score} " in [line for line in lines if " pv " in line][-1]


@pytest.mark.parametrize(
    ("fen", "allowed"),
    [
        # Ninety-nine half-moves without a capture: only the mate at once, or a pawn's move, still wins.
        ("7k/8/6K1/8/8/8/8/R7 w - - 99 100", {"a1a8"}),
        ("8/8/8/4k3/8/8/P7/4K2R w - - 99 100", {"a2a3", "a2a4"}),
    ],
)
def test_the_fifty_move_rule_is_known(talk, fen, allowed):
    assert talk.ask(f"position fen {fen}", "go depth 3")[-1].split()[1] in allowed


def test_stalemate_is_no_win(talk):
    # Qg6 or Qf7 would be stalemate with the queen's whole worth thrown away.
    fen = "7k/8/5K2/8/8/8/8/6Q1 w - - 0 1"
    board = chess.Board(fen)
    board.push(_move(talk, f"position fen {fen}", "go depth 3"))
    assert not board.is_stalemate()
    assert _is_mated(board, 2) or _is_mated(board, 3)
