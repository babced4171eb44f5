"""One table of spellings for chess moves, and every legal move of random positions read back from its SAN."""

from __future__ import annotations

import random

import chess
import pytest

from adapter import games

START = chess.STARTING_FEN
CASTLING = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"
PAWNS = "1n2k3/P7/8/3pP3/8/8/8/4K3 w - d6 0 1"
KNIGHTS = "4k3/8/8/8/8/2N5/8/2N1K1N1 w - - 0 1"

READ = [
    *((START, text, "g1f3") for text in ("g1f3", "G1F3", "g1-f3", "Nf3", "nf3", "Ng1f3", "Ng1-f3", "N1f3")),
    *((START, text, "g1f3") for text in ("♘f3", "♞f3", "Nf3+", "Nf3!?", "Nf3‼", "Nf3++", "Ngf3", "g1–f3")),
    *((START, text, "e2e4") for text in ("e4", "Pe4", "♙e4", "e2e4", "E2E4", "e2-e4", " e4 ", "e4!")),
    # in capitals a pair of squares, with a capital piece a bishop's name
    (START, "B1C3", "b1c3"),
    ("4k3/8/8/8/8/8/8/1B2K3 w - - 0 1", "B1c2", "b1c2"),
    *(
        (CASTLING, text, "e1g1")
        for text in ("e1g1", "E1G1", "e1h1", "0-0", "O-O", "o-o", "OO", "O-O+", "Kg1")
    ),
    *((CASTLING, text, "e1c1") for text in ("e1c1", "e1a1", "0-0-0", "O-O-O", "o-o-o", "000", "O-O-O#!")),
    (CASTLING, "Kf1", "e1f1"),
    (CASTLING, "Rxh8", "h1h8"),
    (CASTLING, "Rh8", "h1h8"),
    (CASTLING, "h1xh8", "h1h8"),
    *(
        (PAWNS, text, "a7a8q")
        for text in ("a7a8q", "a7a8Q", "A7A8Q", "a8=Q", "a8Q", "a8(Q)", "a8/Q", "a8=q+")
    ),
    *(
        (PAWNS, text, "a7b8n")
        for text in ("axb8=N", "axb8N+", "a7b8n", "a7xb8=N", "a:b8N", "a7b8=n", "♙axb8=♘")
    ),
    *((PAWNS, text, "e5d6") for text in ("exd6", "exd6e.p.", "exd6 e.p.", "exd6 (ep)", "e5xd6", "e5d6")),
    (KNIGHTS, "N1a2", "c1a2"),
    (KNIGHTS, "Nc1e2", "c1e2"),
    (KNIGHTS, "N3e2", "c3e2"),
    (KNIGHTS, "Nge2", "g1e2"),
]

READ_960 = [
    # the king walks seven files, the rook none
    *(("1k6/8/8/8/8/8/8/RK4R1 w GA - 0 1", text, "b1g1") for text in ("b1g1", "O-O", "0-0", "Kg1", "B1G1")),
    *(("1k6/8/8/8/8/8/8/RK4R1 w GA - 0 1", text, "b1a1") for text in ("b1a1", "O-O-O", "000")),
    # one step is a step, though castling would lead there too
    ("1k6/8/8/8/8/8/8/RK4R1 w GA - 0 1", "b1c1", "b1c1"),
    ("4k3/8/8/8/8/8/8/5K1R w H - 0 1", "f1g1", "f1g1"),
    ("4k3/8/8/8/8/8/8/5K1R w H - 0 1", "f1h1", "f1h1"),
    ("4k3/8/8/8/8/8/8/4K2R w H - 0 1", "e1g1", "e1h1"),
    ("4k3/8/8/8/8/8/8/4K2R w H - 0 1", "e1h1", "e1h1"),
    # the rook stands nearer than the king goes, or where it goes
    ("4k3/8/8/8/8/8/8/4KR2 w F - 0 1", "e1g1", "e1f1"),
    ("4k3/8/8/8/8/8/8/5KR1 w G - 0 1", "f1g1", "f1g1"),
    ("4k3/8/8/8/8/8/8/4KR2 w F - 0 1", "O-O", "e1f1"),
    # the king stays
    ("4k3/8/8/8/8/8/8/6KR w H - 0 1", "g1h1", "g1h1"),
]


@pytest.mark.parametrize(("fen", "text", "move"), READ)
def test_spellings_of_a_chess_move(fen: str, text: str, move: str) -> None:
    board = games.get("chess").board(fen)
    assert board.parse(text) == move
    assert board.is_legal(move)
    assert board.fen(ep="fen") == fen


@pytest.mark.parametrize(("fen", "text", "move"), READ_960)
def test_spellings_of_a_chess960_move(fen: str, text: str, move: str) -> None:
    board = games.get("chess960").board(fen)
    assert board.parse(text) == move
    assert board.is_legal(move)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        *(
            (text, "move-syntax")
            for text in ("", "e", "e9", "zz", "e2e4e5", "Xf3", "1.e4", "e2 e4", "e2e4 e7e5")
        ),
        *(
            (text, "move-syntax")
            for text in ("Sf3", "Кf3", "е2е4", "e2e4\n\nquit", "+", "x" * 100_000, "+" * 9999)
        ),
        *((text, "move-illegal") for text in ("0000", "--", "@@@@", "(none)", "a1a1", "e2e5", "Nf4", "e8=Q")),
        *((text, "move-illegal") for text in ("e2e4k", "a8=K", "O-O", "0-0-0")),
    ],
)
def test_what_is_no_move_says_of_which_kind(text: str, code: str) -> None:
    with pytest.raises(ValueError, match=r"\w+") as caught:
        games.get("chess").board(START).parse(text)
    sentence, kind = caught.value.args
    assert kind == code
    assert sentence[0].isalnum()
    assert len(sentence) < 200


@pytest.mark.parametrize("name", ["chess", "chess960"])
@pytest.mark.parametrize("seed", range(4))
def test_every_legal_move_is_read_back_from_every_notation(name: str, seed: int) -> None:
    source = random.Random(seed)
    variant = games.get(name)
    chess960 = variant.chess960
    theirs = chess.Board.from_chess960_pos(source.randrange(960)) if chess960 else chess.Board()
    board = variant.board(theirs.fen())
    for _ in range(40):
        moves = board.legal_moves()
        if not moves:
            break
        for move in moves:
            san = board.show(move, "san")
            assert san == theirs.san(theirs.parse_uci(move))
            assert board.parse(san) == move
            assert board.parse(san.rstrip("+#") + "!?") == move
            assert board.parse(board.show(move, "uci").upper()) == move
            assert board.parse(theirs.lan(theirs.parse_uci(move))) == move
            # the way an engine without UCI_Chess960 spells it, where a step does not mean something else
            plain = theirs.uci(theirs.parse_uci(move), chess960=False)
            assert board.parse(plain) == move
        move = source.choice(moves)
        board.push(move)
        theirs.push_uci(move)
