"""The built-in engine plays real games of xiangqi and finds real mates, over both protocols."""

from __future__ import annotations

import random
import re

import pyffish
import pytest

from adapter.games.xiangqi.board import START, XiangqiBoard

# Found by dropping armies at random; the proof below tries every move of both sides.
MATES_IN_ONE = [
    "9/9/2P1k1N2/9/9/8P/4C4/9/9/4K4 w - - 33 14",
    "4k4/4r4/3a5/R2C1P3/p8/P8/4p4/9/4K4/1p3A3 w - - 31 14",
    "4N4/4nn3/4ka3/N7P/1r2C4/6B2/4p4/9/9/3K5 w - - 29 61",
    "6r2/9/5k3/6P2/9/7R1/9/4K4/9/9 w - - 15 76",
    "1P2kc3/3N5/3P4R/P7P/2P6/9/9/B8/2p6/3K1p3 b - - 30 83",
    "3k5/9/3P1N3/2p6/9/7r1/2n6/2r6/4K4/9 w - - 43 6",
    "9/2P6/5k3/P8/9/9/3p5/9/4K3R/9 w - - 59 57",
    "4k4/4c4/3a1a3/9/6p1P/9/9/3K3C1/4p4/9 b - - 35 46",
    "7R1/7P1/4k1P2/9/7P1/4r3P/9/7N1/9/3K2B2 b - - 20 61",
    "4k4/9/b2P5/2p6/8p/6B2/8r/8n/3K5/7R1 b - - 7 21",
]
MATES_IN_TWO = [
    "4P4/1P3k3/9/9/2b6/9/9/4KA1R1/9/9 w - - 0 28",
    "9/9/3k1a3/8P/1r7/8P/p7C/B3KC3/2N6/3A5 b - - 78 19",
    "5P3/3k5/2P2a3/9/7N1/9/9/B8/8r/2B1K4 w - - 50 87",
    "2Na5/9/5k3/9/7P1/6B2/7R1/9/9/3K5 w - - 20 73",
    "9/5k3/9/9/2P6/4n4/8P/B1pAK4/8n/9 b - - 48 70",
    "9/3k1P3/9/9/9/9/9/2r1p4/5K3/2N6 b - - 26 66",
    "2b3b2/9/3k5/2p6/8p/9/6R1p/9/9/5K3 w - - 78 84",
    "4P4/3k5/b8/5c3/6n2/9/7p1/7p1/4K3p/2B2R3 w - - 56 18",
    "3ak4/1P7/9/9/9/9/9/5K3/3r5/8p b - - 41 87",
    "1r2k4/9/9/9/9/6C2/9/9/9/3K2B2 b - - 71 1",
    "9/R8/3k5/9/9/9/p8/3A5/9/4K2N1 w - - 73 37",
    "P4k3/9/3P5/3P5/2b1p4/4n1C1P/7np/3p5/1p7/3K5 b - - 49 87",
]


def _forces_mate(board: XiangqiBoard, moves: int) -> bool:
    """Whether the side to move can leave the other without a move within so many, by trying everything."""
    for move in board.legal_moves():
        board.push(move)
        forced = _is_mated(board, moves)
        board.pop()
        if forced:
            return True
    return False


def _is_mated(board: XiangqiBoard, moves: int) -> bool:
    """Whether every reply leaves the side to move mated within the rest of so many moves."""
    replies = board.legal_moves()
    if not replies or moves == 1:
        return not replies
    for reply in replies:
        board.push(reply)
        lost = _forces_mate(board, moves - 1)
        board.pop()
        if not lost:
            return False
    return True


def _other(move: str, by: int) -> str:
    """A move with its ranks counted from another number."""
    return re.sub(r"\d+", lambda rank: str(int(rank[0]) + by), move)


class Seat:
    """The engine in one protocol, spoken to in canonical moves."""

    def __init__(self, talk, *, ucci: bool) -> None:
        self.talk, self.base, self.ucci = talk, 0 if ucci else 1, ucci
        self.forget()

    def forget(self) -> None:
        choose = [] if self.ucci else ["setoption name UCI_Variant value xiangqi", "ucinewgame"]
        self.talk.send(*choose, *["setoption newgame"] * self.ucci)

    def search(self, fen: str, moves: list[str], go: str) -> tuple[str, tuple[str, int], list[str]]:
        """The best move, the last score as (`cp` or `mate`, number), and the line."""
        history = " ".join(["moves", *(_other(move, self.base) for move in moves)] if moves else [])
        lines = self.talk.ask(f"position fen {fen} {history}", f"go {go}")
        words = [line for line in lines if " pv " in line][-1].split()
        pv = [_other(move, -self.base) for move in words[words.index("pv") + 1 :]]
        at = words.index("score") + 1
        if not self.ucci:
            score = words[at], int(words[at + 1])
        else:
            number = int(words[at])
            mate = (9999 - abs(number) + 1) // 2
            score = ("mate", mate if number > 0 else -mate) if abs(number) > 9000 else ("cp", number)
        return _other(lines[-1].split()[1], -self.base), score, pv


@pytest.fixture(params=["uci", "ucci"])
def seat(request):
    return Seat(
        request.getfixturevalue({"uci": "talk", "ucci": "ucci"}[request.param]), ucci=request.param == "ucci"
    )


@pytest.mark.parametrize(
    ("fen", "moves"),
    [(fen, 1) for fen in MATES_IN_ONE] + [(fen, 2) for fen in MATES_IN_TWO],
)
def test_mates_are_found_and_no_others_claimed(seat, fen, moves):
    assert not _forces_mate(XiangqiBoard(fen), moves - 1) if moves > 1 else True
    for go in (f"depth {2 * moves + 1}", "nodes 20000"):
        seat.forget()
        best, score, pv = seat.search(fen, [], go)
        assert score == ("mate", moves)
        board = XiangqiBoard(fen)
        board.push(best)
        assert _is_mated(board, moves)
        line = XiangqiBoard(fen)
        for move in pv:
            assert line.is_legal(move)
            line.push(move)
        assert line.outcome() is not None
        assert len(pv) == 2 * moves - 1


@pytest.mark.parametrize("fen", MATES_IN_TWO)
def test_a_mate_limit_over_uci_finds_them_too(talk, fen):
    _, score, _ = Seat(talk, ucci=False).search(fen, [], "mate 2")
    assert score == ("mate", 2)


@pytest.mark.parametrize("seed", range(6))
def test_six_games_are_won_against_a_random_mover(seed, request):
    # Three over each protocol; pyffish sees every position of them.
    seat = Seat(request.getfixturevalue("ucci" if seed % 2 else "talk"), ucci=seed % 2 == 1)
    rng = random.Random(seed)
    board, ours, history = XiangqiBoard(START), "wb"[seed // 2 % 2], []
    while not board.outcome() and len(history) < 300:
        legal = board.legal_moves()
        if board.side == ours:
            theirs = set(pyffish.legal_moves("xiangqi", START, [_other(move, 1) for move in history]))
            assert {_other(move, 1) for move in legal} == theirs
            move, _, _ = seat.search(START, history, "nodes 2000")
            assert move in legal
        else:
            move = rng.choice(legal)
        board.push(move)
        history.append(move)
    assert board.outcome().winner == {"w": "white", "b": "black"}[ours]


@pytest.mark.parametrize("go", ["depth 3", "nodes 700"])
def test_every_line_is_legal_to_its_end(seat, go):
    rng = random.Random(go)
    board, history = XiangqiBoard(START), []
    for _ in range(40):
        best, _, pv = seat.search(START, history, go)
        assert pv[0] == best
        line = board.copy()
        for move in pv:
            assert line.is_legal(move)
            line.push(move)
        move = rng.choice(board.legal_moves())
        board.push(move)
        history.append(move)
        if board.outcome():
            return


CHECKS = ["a0a9", "d9d8", "a9a8", "d8d9", "a8a9", "d9d8", "a9a8", "d8d9"]


def test_a_side_that_stands_badly_saves_itself_by_no_perpetual_check(seat):
    # In chess Ra8-a9 would draw. Here it loses at once, and a cannon and a horse less are not that much.
    best, score, _ = seat.search("3k5/9/9/9/6cnr/9/9/9/4A4/R3KA3 w - - 0 1", CHECKS, "depth 3")
    assert best != "a8a9"
    assert ("cp", -3000) < score < ("cp", -200)


def test_what_perpetual_check_is_worth(talk):
    seat = Seat(talk, ucci=False)
    fen = "3k5/9/9/9/6cnr/9/9/9/4A4/R3KA3 w - - 0 1"
    assert seat.search(fen, CHECKS, "depth 2 searchmoves a9a10")[1] == ("cp", -3000)
    assert seat.search(fen, [*CHECKS, "a8a9"], "depth 2")[:2] == ("d9d8", ("cp", 3000))


def test_no_move_loses_in_check_or_not(seat):
    for fen in ("3k5/4R4/9/9/9/9/9/9/4R4/5K3 b - - 0 1", "4k4/9/9/9/9/9/9/9/4r4/3K1r3 w - - 0 1"):
        word = "nobestmove" if seat.ucci else "bestmove"
        lines = seat.talk.ask(f"position fen {fen}", "go depth 3", word=word)
        assert lines[-2:] == (
            ["info depth 0 score -9999", "nobestmove"]
            if seat.ucci
            else ["info depth 0 score mate 0", "bestmove (none)"]
        )


def test_the_count_of_half_moves_is_known(seat):
    # A rook up, and one half-move is left: only taking the pawn keeps the game alive.
    fen = "3k5/9/9/9/9/9/9/R3p4/4A4/4KA3 w - - 119 90"
    best, score, _ = seat.search(fen, [], "depth 3")
    assert best == "a2e2"
    assert score > ("cp", 500)
