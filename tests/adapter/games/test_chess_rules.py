"""Chess and Chess960 against python-chess and pyffish, over seeded random games."""

from __future__ import annotations

import random
from collections.abc import Iterator

import chess
import pyffish
import pytest

from adapter import games
from adapter.games.base import Board, CastlingStyle, EpStyle

CHESS, CHESS960 = games.get("chess"), games.get("chess960")
EP_STYLES: tuple[EpStyle, ...] = ("fen", "xfen", "legal")


def random_game(
    seed: int, *, chess960: bool, plies: int = 100
) -> Iterator[tuple[chess.Board, chess.Move | None]]:
    """python-chess boards along a random game, each with the move about to be played (None at the end)."""
    source = random.Random(seed)
    board = (
        chess.Board.from_chess960_pos(source.randrange(960))
        if chess960
        else chess.Board(source.choice(STARTS))
    )
    for _ in range(plies):
        moves = list(board.legal_moves)
        if not moves:
            break
        # Double pushes and castling are rare among random moves, and are what FEN is hard about.
        weights = [1 + 6 * board.is_castling(move) + 2 * is_double_push(board, move) for move in moves]
        move = source.choices(moves, weights)[0]
        yield board, move
        board.push(move)
    yield board, None


def is_double_push(board: chess.Board, move: chess.Move) -> bool:
    return (
        board.piece_type_at(move.from_square) == chess.PAWN and abs(move.from_square - move.to_square) == 16
    )


STARTS = (
    chess.STARTING_FEN,
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "r3k2r/8/8/pPpPpPpP/PpPpPpPp/8/8/R3K2R w KQkq c6 0 20",
    "4k3/pppppppp/8/PPPPPPPP/pppppppp/8/PPPPPPPP/4K3 b - - 7 40",
    "8/8/8/2k5/2pP4/8/B7/4K3 b - d3 0 3",
)


def compare_game(seed: int, *, chess960: bool) -> None:
    variant = CHESS960 if chess960 else CHESS
    ours: Board | None = None
    for theirs, move in random_game(seed, chess960=chess960):
        if ours is None:
            ours = variant.board(theirs.fen(en_passant="fen"))
        for ep in EP_STYLES:
            assert ours.fen(ep=ep) == theirs.fen(en_passant=ep)
        assert ours.fen(castling="shredder") == theirs.fen(shredder=True)
        # A record read back stands for the same position.
        assert variant.board(ours.fen(ep="fen", castling="shredder")).fen(ep="fen") == ours.fen(ep="fen")
        assert ours.side == ("w" if theirs.turn else "b")
        assert ours.in_check() == theirs.is_check()
        assert sorted(ours.legal_moves()) == sorted(theirs.uci(move) for move in theirs.legal_moves)
        if move is not None:
            ours.push(theirs.uci(move))


@pytest.mark.parametrize("chess960", [False, True])
def test_every_fen_of_150_random_games_is_that_of_python_chess(chess960: bool) -> None:
    for seed in range(75):
        compare_game(seed, chess960=chess960)


@pytest.mark.nightly
@pytest.mark.parametrize("chess960", [False, True])
def test_every_fen_of_2000_random_games_is_that_of_python_chess(chess960: bool) -> None:
    for seed in range(1_000, 2_000):
        compare_game(seed, chess960=chess960)


@pytest.mark.parametrize("seed", range(6))
def test_moves_and_placement_are_those_of_another_implementation(seed: int) -> None:
    played: list[str] = []
    root = None
    for theirs, move in random_game(seed, chess960=False, plies=60):
        root = root or theirs.fen()
        ours = CHESS.board(theirs.fen(en_passant="fen"))
        assert sorted(ours.legal_moves()) == sorted(pyffish.legal_moves("chess", root, played))
        assert ours.fen().split()[:3] == pyffish.get_fen("chess", root, played).split()[:3]
        if move is not None:
            played.append(move.uci())


@pytest.mark.parametrize("seed", range(4))
def test_a_history_of_300_half_moves_plays_and_unplays(seed: int) -> None:
    # Knights and rooks shuffling on a board that nobody can win never end a game early.
    source = random.Random(seed)
    board, theirs = CHESS.board(chess.STARTING_FEN), chess.Board()
    fens = [board.fen(ep="fen")]
    while len(fens) <= 300:
        quiet = [move for move in theirs.legal_moves if not theirs.gives_check(move)]
        move = source.choice(quiet or list(theirs.legal_moves))
        theirs.push(move)
        if not any(theirs.legal_moves):
            theirs.pop()
            continue
        board.push(move.uci())
        fens.append(board.fen(ep="fen"))
        assert fens[-1] == theirs.fen(en_passant="fen")
    for fen in reversed(fens):
        assert board.fen(ep="fen") == fen
        if fen != fens[0]:
            board.pop()


def test_a_copy_goes_its_own_way_and_takes_back_moves_played_before_it() -> None:
    board = CHESS.board(CHESS.start_fen)
    for move in ("e2e4", "e7e5", "g1f3"):
        board.push(move)
    twin = board.copy()
    twin.push("b8c6")
    before = board.fen()
    assert before == "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2"
    for _ in range(4):
        twin.pop()
    assert twin.fen() == CHESS.start_fen
    assert board.fen() == before


@pytest.mark.parametrize(
    ("fen", "styles"),
    [
        # no pawn stands ready to take
        ("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1", {"fen": "e3"}),
        # one does, and may
        ("4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1", {"fen": "e3", "xfen": "e3", "legal": "e3"}),
        # one does, but is pinned
        ("3k4/8/8/8/3pP3/8/8/3RK3 b - e3 0 1", {"fen": "e3", "xfen": "e3"}),
        # taking would take both pawns off the king's rank
        ("8/8/8/8/k2pP2R/8/8/4K3 b - e3 0 1", {"fen": "e3", "xfen": "e3"}),
    ],
)
def test_the_root_record_names_its_square_in_any_dialect(fen: str, styles: dict[EpStyle, str]) -> None:
    board = CHESS.board(fen)
    for ep in EP_STYLES:
        assert board.fen(ep=ep).split()[3] == styles.get(ep, "-")


@pytest.mark.parametrize(
    ("fen", "style", "field"),
    [
        ("4k3/8/8/8/8/8/8/RR2K2R w KQ - 0 1", "xfen", "KQ"),
        ("4k3/8/8/8/8/8/8/RR2K2R w KB - 0 1", "xfen", "KB"),
        ("4k3/8/8/8/8/8/8/RR2K2R w HB - 0 1", "xfen", "KB"),
        ("4k3/8/8/8/8/8/8/RR2K2R w KQ - 0 1", "shredder", "HA"),
        ("rkr5/8/8/8/8/8/8/RKR5 w CAca - 0 1", "xfen", "KQkq"),
        ("rkr5/8/8/8/8/8/8/RKR5 w - - 0 1", "shredder", "-"),
    ],
)
def test_castling_rights_in_both_dialects(fen: str, style: CastlingStyle, field: str) -> None:
    assert CHESS960.board(fen).fen(castling=style).split()[2] == field


@pytest.mark.parametrize(
    ("fen", "moves", "field"),
    [
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", ["a1b1"], "Kkq"),
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", ["h1h8"], "Qq"),
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", ["e1e2", "e8e7"], "-"),
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", ["e1g1"], "kq"),
        # going home again brings no right back
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", ["a1b1", "a8b8", "b1a1", "b8a8"], "Kk"),
    ],
)
def test_castling_rights_go_with_king_and_rook(fen: str, moves: list[str], field: str) -> None:
    board = CHESS.board(fen)
    for move in moves:
        assert board.is_legal(move)
        board.push(move)
    assert board.fen().split()[2] == field


@pytest.mark.parametrize(
    "text",
    [
        *("", "0000", "e2", "e2e", "e2e2", "E2E4", "e2-e4", "e2e4 ", "e2e4q", "e7e5", "e2e9", "i2i4", "P@e4"),
        *("a7a8k", "a7a8p", "e1h1", "e4", "ｅ2e4", "e2e4\n", "e2e4\x00", "e１e2"),
    ],
)
def test_only_the_canonical_text_of_a_legal_move_is_one(text: str) -> None:
    assert not CHESS.board("4k3/P6p/8/8/8/8/4P3/4K2R w K - 0 1").is_legal(text)


@pytest.mark.parametrize(
    ("fen", "winner", "reason"),
    [
        ("rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3", "black", "checkmate"),
        ("4k2R/8/4K3/8/8/8/8/8 b - - 0 1", "white", "checkmate"),
        ("k7/2Q5/1K6/8/8/8/8/8 b - - 0 1", None, "stalemate"),
    ],
)
def test_the_game_is_over_when_no_move_is_left(fen: str, winner: str | None, reason: str) -> None:
    outcome = CHESS.board(fen).outcome()
    assert outcome is not None
    assert (outcome.winner, outcome.reason) == (winner, reason)


@pytest.mark.parametrize(
    ("fen", "words"),
    [
        ("4k3/8/8/8/8/8/4R3/4K3 b - - 99 90", []),
        ("3k4/8/8/8/8/8/4R3/4K3 b - - 100 90", ["50 moves"]),
        ("3k4/8/8/8/8/8/4R3/4K3 b - - 150 90", ["75 moves"]),
        # a mate on the last move wins
        ("3k3R/8/3K4/8/8/8/8/8 b - - 150 90", []),
        ("4k3/8/8/8/8/8/4N3/4K3 w - - 0 1", ["material"]),
        ("4k1b1/8/8/8/8/8/4B3/4K3 w - - 100 1", ["50 moves", "material"]),
        ("4k1b1/8/8/8/8/8/5B2/4K3 w - - 0 1", []),
        # two knights can mate if the other side helps
        ("4k3/8/8/8/8/8/4NN2/4K3 w - - 0 1", []),
    ],
)
def test_remarks_tell_the_draws_that_do_not_stop_an_analysis(fen: str, words: list[str]) -> None:
    board = CHESS.board(fen)
    remarks = board.remarks()
    assert len(remarks) == len(words)
    for word, remark in zip(words, remarks, strict=True):
        assert word in remark
    assert board.outcome() is None or board.in_check()


@pytest.mark.parametrize("copied", [False, True])
def test_repetitions_are_counted_over_the_whole_history(copied: bool) -> None:
    board = CHESS.board(CHESS.start_fen)
    told = []
    for _ in range(4):
        for move in ("g1f3", "g8f6", "f3g1", "f6g8"):
            board = board.copy() if copied else board
            board.push(move)
        told.append([remark.split(":")[0] for remark in board.remarks()])
    third, fifth = ["the position has occurred three times"], ["the position has occurred five times"]
    assert told == [[], third, third, fifth]


def test_a_repetition_with_fewer_castling_rights_is_none() -> None:
    board = CHESS.board("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1")
    for move in ("a1b1", "a8b8", "b1a1", "b8a8") * 2:
        board.push(move)
    assert board.remarks() == []
    for move in ("a1b1", "a8b8", "b1a1", "b8a8"):
        board.push(move)
    assert len(board.remarks()) == 1


def test_the_last_capture_is_where_a_ucci_record_starts() -> None:
    board = CHESS.board(CHESS.start_fen)
    counts = []
    for move in ("e2e4", "d7d5", "e4d5", "e7e5", "d5e6", "g8f6"):
        board.push(move)
        counts.append(board.last_capture())
    assert counts == [0, 0, 3, 3, 5, 5]  # d5e6 takes en passant
    board.pop()
    board.pop()
    assert board.last_capture() == 3


def test_castling_in_chess960_takes_nothing() -> None:
    board = CHESS960.board("1k6/8/8/8/8/8/8/1K4R1 w G - 0 1")
    board.push("b1g1")
    assert board.last_capture() == 0
    assert board.fen() == "1k6/8/8/8/8/8/8/5RK1 b - - 1 1"


@pytest.mark.parametrize("notation", ["wxf", "iccs", "chinese", "lan", ""])
def test_a_notation_of_another_game_is_refused(notation: str) -> None:
    with pytest.raises(ValueError, match="uci, san"):
        CHESS.board(CHESS.start_fen).show("e2e4", notation)
