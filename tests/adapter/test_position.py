"""Positions: what they hold, what they refuse, and the way to python-chess and back."""

from __future__ import annotations

import copy
import pickle
import random
import sys
import threading

import chess
import chess.variant
import pytest

from adapter import games
from adapter.errors import ConfigError, FenError, MoveError
from adapter.position import PlayedLine, Position

START = chess.STARTING_FEN
XIANGQI = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1"


def random_position(seed: int, *, chess960: bool = False, plies: int = 60) -> Position:
    source = random.Random(seed)
    board = chess.Board.from_chess960_pos(source.randrange(960)) if chess960 else chess.Board()
    position = Position.parse(board.fen(), variant="chess960" if chess960 else "chess")
    for _ in range(plies):
        if not position.legal_moves:
            break
        position = position.play(source.choice(position.legal_moves))
    return position


def test_a_position_holds_root_moves_and_what_they_lead_to() -> None:
    position = Position.parse("startpos moves e2e4 c7c5 Nf3")
    assert position.variant is games.get("chess")
    assert position.root_fen == START
    assert position.moves == ("e2e4", "c7c5", "g1f3")
    assert position.fen == "rnbqkbnr/pp1ppppp/8/2p5/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2"
    assert position.side == "b"
    assert len(position.legal_moves) == 22
    assert position.outcome is None
    assert position.remarks == ()
    assert not position.in_check
    assert str(position) == position.fen
    assert position.fen in repr(position)


def test_the_game_is_found_from_the_board() -> None:
    position = Position.parse("5a3/3ka4/5n3/9/9/9/9/9/9/4K1R2 w moves g0f0 d8d9")
    assert position.variant.name == "xiangqi"
    assert position.fen == "3k1a3/4a4/5n3/9/9/9/9/9/9/4KR3 w - - 2 2"
    assert position.side == "w"


@pytest.mark.parametrize(
    ("fen", "outcome", "check"),
    [
        ("rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3", ("black", "checkmate"), True),
        ("k7/2Q5/1K6/8/8/8/8/8 b - - 0 1", (None, "stalemate"), False),
        ("4k3/8/8/8/8/8/4r3/4K3 w - - 0 1", None, True),
    ],
)
def test_the_end_of_a_game(fen: str, outcome: tuple[str | None, str] | None, check: bool) -> None:
    position = Position.parse(fen)
    found = position.outcome
    assert (found and (found.winner, found.reason)) == outcome
    assert position.in_check == check
    assert bool(position.legal_moves) == (outcome is None)


def test_playing_makes_a_new_position_and_leaves_the_old_one() -> None:
    start = Position.parse("startpos")
    first, other = start.play("e4"), start.play("d2d4", "d7d5")
    assert (start.moves, start.fen) == ((), START)
    assert first.moves == ("e2e4",)
    assert other.moves == ("d2d4", "d7d5")
    assert other.play("c4").moves == ("d2d4", "d7d5", "c2c4")
    assert start.play() == start


@pytest.mark.parametrize("seed", range(6))
def test_one_by_one_at_once_and_from_text_are_the_same(seed: int) -> None:
    position = random_position(seed)
    root = Position.parse(position.root_fen)
    again = root.play(*position.moves)
    read = Position.parse(f"{position.root_fen} moves {' '.join(position.moves)}")
    assert position == again == read
    assert position.fen == again.fen == read.fen
    board = chess.Board(position.root_fen)
    for move in position.moves:
        board.push_uci(move)
    assert position.fen == board.fen()
    for ep in ("fen", "xfen", "legal"):
        assert position.record(ep=ep) == board.fen(en_passant=ep)
    assert position.record(castling="shredder") == board.fen(shredder=True)


@pytest.mark.parametrize(
    ("moves", "index", "reason"),
    [
        (["e2e5"], 0, "a pawn does not move from e2 to e5"),
        (["e2e4", "e7e5", "Ke3"], 2, "a king does not move from e1 to e3"),
        (["e2e4", "zz"], 1, "it is no chess move"),
        (["e2e4", "e2e4"], 1, "no piece stands on e2"),
    ],
)
def test_a_bad_move_says_which_where_and_why(moves: list[str], index: int, reason: str) -> None:
    legal = Position.parse("startpos").play(*moves[:index])
    with pytest.raises(MoveError) as caught:
        Position.parse("startpos").play(*moves)
    error = caught.value
    assert (error.index, error.text, error.fen) == (index, moves[index], legal.fen)
    assert str(error).startswith(f"move {index + 1}, {moves[index]!r}: {reason}")


@pytest.mark.parametrize(
    ("text", "index", "word", "fen"),
    [
        (
            "startpos e2e4 e7e5 e4e5",
            2,
            "e4e5",
            "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2",
        ),
        ("startpos moves e2e4 e4", 1, "e4", "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"),
        (f"{START} moves e7e5", 0, "e7e5", START),
        (
            f"{XIANGQI} moves h2e2 a0a5",
            1,
            "a0a5",
            XIANGQI.replace("1C5C1", "1C2C4").replace("w - - 0", "b - - 1"),
        ),
    ],
)
def test_a_bad_move_in_a_text_says_the_same(text: str, index: int, word: str, fen: str) -> None:
    with pytest.raises(MoveError) as caught:
        Position.parse(text)
    assert (caught.value.index, caught.value.text, caught.value.fen) == (index, word, fen)


def test_a_bad_record_names_its_first_mistake_and_carries_the_report() -> None:
    with pytest.raises(FenError, match="rank 7 describes 7 squares") as caught:
        Position.parse("rnbqkbnr/ppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1")
    error = caught.value
    assert error.report is not None
    assert error.problems == error.report.problems
    assert [problem.code for problem in error.problems] == ["rank-sum"]
    assert "\n" not in str(error)


def test_a_record_without_a_side_offers_both_and_takes_one() -> None:
    placement = START.split()[0]
    with pytest.raises(FenError) as caught:
        Position.parse(placement)
    assert f"{placement} b" in str(caught.value)
    assert Position.parse(placement, side="b").side == "b"


def test_a_line_is_walked_as_far_as_it_is_legal() -> None:
    position = Position.parse("startpos e2e4")
    assert position.line(["e7e5", "g1f3", "b8c6"]) == PlayedLine(
        moves=("e7e5", "g1f3", "b8c6"),
        shown=("e5", "Nf3", "Nc6"),
        fen="r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3",
        cut_at=None,
    )
    cut = position.line(["e7e5", "g1f3", "g1f3", "b8c6"], notation="uci")
    assert (cut.moves, cut.shown, cut.cut_at) == (("e7e5", "g1f3"), ("e7e5", "g1f3"), 2)
    assert cut.fen == position.play("e7e5", "g1f3").fen
    assert position.line(["a1a1"]) == PlayedLine((), (), position.fen, 0)
    assert position.line([]) == PlayedLine((), (), position.fen, None)
    assert position.moves == ("e2e4",)


def test_moves_are_shown_and_read_in_the_notations_of_the_game() -> None:
    position = Position.parse("startpos e2e4 e7e5")
    assert position.san("g1f3") == "Nf3"
    assert position.show("Nf3", "uci") == "g1f3"
    assert position.read("♘f3!") == "g1f3"
    with pytest.raises(ConfigError, match="chess has no notation 'wxf'; it has uci, san"):
        position.show("g1f3", "wxf")
    with pytest.raises(ConfigError, match="klingon"):
        position.line([], notation="klingon")
    with pytest.raises(MoveError, match="no piece stands on e2"):
        position.san("e2e4")
    assert Position.parse(XIANGQI).san("h2e2") == "C2=5"


def test_coordinates_that_count_ranks_from_one_are_read_by_their_name() -> None:
    # two chariots on one file: the same word names a move of each
    position = Position.parse("3ak4/9/9/9/9/9/9/R8/R8/3K5 w")
    for move in position.legal_moves:
        assert position.read(position.show(move, "uci"), notation="uci") == move
    assert position.show("a1b1", "uci") == "a2b2"
    assert position.read("a2b2") == "a2b2"
    assert Position.parse("startpos").read("e2e4", notation="uci") == "e2e4"
    for word in ("a0b0", "炮二平五"):
        with pytest.raises(MoveError):
            position.read(word, notation="uci")
    with pytest.raises(ConfigError, match="no notation 'san'"):
        position.read("a1b1", notation="san")


@pytest.mark.parametrize(
    ("moves", "read"),
    [
        ("h3e3 h10g8 b1c3", ("h2e2", "h9g7", "b0c2")),
        ("1. H3-E3 H10-G8", ("h2e2", "h9g7")),
        ("h3e3 炮８平５ b1c3 b10c8", ("h2e2", "h7e7", "b0c2", "b9c7")),
    ],
)
def test_a_rank_ten_tells_how_the_whole_list_counts(moves: str, read: tuple[str, ...]) -> None:
    start = Position.parse("startpos", variant="xiangqi")
    assert Position.parse(f"{start.root_fen} moves {moves}").moves == read
    words = [word for word in moves.split() if not word.endswith(".")]
    assert start.play(*words).moves == read
    with pytest.raises(MoveError) as caught:
        Position.parse(f"{start.root_fen} moves {moves} e1e5")
    assert (caught.value.index, caught.value.text) == (len(read), "e1e5")
    assert caught.value.fen == start.play(*read).fen


def test_positions_are_equal_by_game_root_and_moves() -> None:
    start = Position.parse("startpos")
    there = start.play("g1f3", "g8f6", "f3g1", "f6g8")
    assert start == Position.parse(START)
    assert start != there  # a repetition is part of what an engine has to know
    assert start != Position.parse(START, variant="chess960")
    assert start != START
    assert len({start, Position.parse(START), there, start.play("g1f3", "g8f6", "f3g1", "f6g8")}) == 2


@pytest.mark.parametrize("text", ["startpos e2e4", f"{XIANGQI} moves h2e2"])
def test_positions_survive_pickling_and_copying(text: str) -> None:
    position = Position.parse(text)
    thawed = pickle.loads(pickle.dumps(position))
    assert thawed == position
    assert thawed.fen == position.fen
    assert thawed.legal_moves == position.legal_moves
    assert copy.copy(position) is copy.deepcopy(position) is position


@pytest.mark.parametrize("name", ["fen", "moves", "root_fen", "variant", "legal_moves", "side", "extra"])
def test_a_position_cannot_be_changed(name: str) -> None:
    position = Position.parse("startpos")
    with pytest.raises(AttributeError):
        setattr(position, name, "x")


def test_what_a_position_hands_out_can_be_changed_without_changing_it() -> None:
    position = Position.parse("startpos e2e4")
    fen, legal = position.fen, position.legal_moves
    position.board().push_san("e5")
    position.board().clear()
    rules = position.rules()
    rules.push("e7e5")
    rules.push("g1f3")
    assert position.fen == fen
    assert position.legal_moves == legal
    assert position.play("c5").moves == ("e2e4", "c7c5")
    assert position.wire_moves(position.moves, "uci") == ["e2e4"]


def test_no_position_comes_from_its_class_alone() -> None:
    with pytest.raises(TypeError, match=r"Position\.parse"):
        Position()


@pytest.mark.parametrize("chess960", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_to_python_chess_and_back(seed: int, chess960: bool) -> None:
    position = random_position(seed, chess960=chess960)
    board = position.board()
    assert board.chess960 == chess960
    assert [move.uci() for move in board.move_stack] == list(position.moves)
    assert board.fen() == position.fen
    assert Position.from_board(board) == position


def test_a_board_set_up_by_hand_keeps_its_root() -> None:
    board = chess.Board("4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 33")
    board.push_san("dxe3")
    position = Position.from_board(board)
    assert position.root_fen == "4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 33"
    assert position.moves == ("d4e3",)
    assert position.fen == "4k3/8/8/8/8/4p3/8/4K3 w - - 0 34"


@pytest.mark.parametrize("kind", [chess.variant.CrazyhouseBoard, chess.variant.AtomicBoard])
def test_boards_of_other_games_are_refused(kind: type[chess.Board]) -> None:
    with pytest.raises(FenError, match=str(kind.uci_variant)):
        Position.from_board(kind())


@pytest.mark.parametrize(
    "board",
    [
        chess.Board(None),
        chess.Board("4k2R/8/8/8/8/8/8/4K3 w - - 0 1"),
        chess.Board("4k3/8/8/8/8/8/8/P3K3 w - - 0 1"),
    ],
)
def test_boards_that_are_no_position_are_refused(board: chess.Board) -> None:
    with pytest.raises(FenError) as caught:
        Position.from_board(board)
    assert caught.value.problems


def test_a_board_with_a_null_move_is_refused() -> None:
    board = chess.Board()
    board.push_san("e4")
    board.push(chess.Move.null())
    with pytest.raises(MoveError) as caught:
        Position.from_board(board)
    assert (caught.value.index, caught.value.text) == (1, "0000")


def test_xiangqi_has_no_python_chess_board() -> None:
    with pytest.raises(ConfigError, match="xiangqi"):
        Position.parse(XIANGQI).board()


def test_remarks_see_the_history() -> None:
    position = Position.parse("startpos").play(*("g1f3", "g8f6", "f3g1", "f6g8") * 2)
    assert len(position.remarks) == 1
    assert Position.parse(position.fen).remarks == ()


def test_a_position_draws_itself_in_a_notebook() -> None:
    for text in ("startpos e2e4", "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3", XIANGQI):
        drawing = Position.parse(text)._repr_svg_()
        assert drawing.startswith("<svg")
        assert drawing.endswith("</svg>")


def test_a_position_can_be_shared_between_threads() -> None:
    position = random_position(3, plies=30)
    expected = [position.san(move) for move in position.legal_moves]
    wrong: list[str] = []

    def read() -> None:
        for _ in range(20):
            for move, shown in zip(position.legal_moves, expected, strict=True):
                if position.san(move) != shown or position.play(move).moves[-1] != move:
                    wrong.append(move)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=read) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
    finally:
        sys.setswitchinterval(interval)
    assert not wrong
