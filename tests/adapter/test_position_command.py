"""The `position …` line in every dialect, and moves over the wire and back."""

from __future__ import annotations

import chess
import msgspec
import pytest

from adapter.errors import ConfigError
from adapter.position import Position
from engines import protocols

START = chess.STARTING_FEN
XIANGQI = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1"
UCI, UCCI = protocols.get("uci"), protocols.get("ucci")
# Fairy-Stockfish counts xiangqi's ranks from 1 over UCI, Pikafish from 0.
FROM_ZERO = msgspec.structs.replace(UCI, rank_base=0)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("startpos", f"position fen {START}"),
        ("startpos e4 e5", f"position fen {START} moves e2e4 e7e5"),
        # the square is written only where the capture is legal
        (
            "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1 moves e7e5",
            "position fen rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1 moves e7e5",
        ),
        ("3k4/8/8/8/3pP3/8/8/3RK3 b - e3 0 1", "position fen 3k4/8/8/8/3pP3/8/8/3RK3 b - - 0 1"),
        ("4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1", "position fen 4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1"),
        (
            "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
            "position fen bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w KQkq - 2 9",
        ),
        # the whole history goes along: captures too
        ("startpos e4 d5 exd5 Qxd5", f"position fen {START} moves e2e4 d7d5 e4d5 d8d5"),
    ],
)
def test_uci(text: str, line: str) -> None:
    assert Position.parse(text).command() == Position.parse(text).command(UCI) == line


def test_ucci_starts_after_the_last_capture() -> None:
    position = Position.parse(f"{XIANGQI} moves h2e2 h7e7 e2e6 d9e8")
    root = "rnbakabnr/9/1c2c4/p1p1C1p1p/9/9/P1P1P1P1P/1C7/9/RNBAKABNR b - - 0 2"
    assert position.command("ucci") == f"position fen {root} moves d9e8"
    assert position.command(FROM_ZERO) == f"position fen {XIANGQI} moves h2e2 h7e7 e2e6 d9e8"
    bare = Position.parse(f"{XIANGQI} moves h2e2 h7e7")
    assert bare.command(UCCI) == f"position fen {XIANGQI} moves h2e2 h7e7"
    ended = Position.parse(f"{XIANGQI} moves h2e2 h7e7 e2e6")
    assert ended.command(UCCI) == f"position fen {root}"


def test_ranks_are_counted_as_the_dialect_counts_them() -> None:
    position = Position.parse("5a3/3ka4/5n3/9/9/9/9/9/9/4K1R2 w moves g0f0 d8d9")
    root = "5a3/3ka4/5n3/9/9/9/9/9/9/4K1R2 w - - 0 1"
    assert position.command(UCI) == f"position fen {root} moves g1f1 d9d10"
    assert position.command(FROM_ZERO) == f"position fen {root} moves g0f0 d8d9"
    assert position.command(UCCI) == f"position fen {root} moves g0f0 d8d9"


@pytest.mark.parametrize(
    ("text", "move", "wire"),
    [
        (XIANGQI, "a0a1", "a1a2"),
        (XIANGQI, "b9c7", "b10c8"),
        (XIANGQI, "a9a8", "a10a9"),
        (START, "e2e4", "e2e4"),
        (START, "e7e8q", "e7e8q"),
    ],
)
def test_one_table_for_moves_out_and_in(text: str, move: str, wire: str) -> None:
    position = Position.parse(text)
    assert position.wire_moves([move], "uci") == [wire]
    assert position.read_wire(wire, "uci") == move
    assert position.read_wire(wire.upper(), UCI) == move


@pytest.mark.parametrize(
    "move", ["", "(none)", "0000", "e2", "e2e4 ", "e2 e4", "Nf3", "e2-e4", "e0e1", "a1a0", "e2e4qq"]
)
def test_what_has_not_the_shape_of_a_move_does_not_come_in(move: str) -> None:
    with pytest.raises(ValueError, match=r"shape of a move|below the board"):
        Position.parse(XIANGQI).read_wire(move, "uci")


def test_side_letter_and_highest_count_are_the_dialects() -> None:
    position = Position.parse("3k5/9/9/9/9/9/9/9/4A4/R3KA3 w - - 118 90 moves a0a1")
    picky = msgspec.structs.replace(FROM_ZERO, side_letters={"w": "r", "b": "b"}, max_halfmove=100)
    assert position.command(picky) == "position fen 3k5/9/9/9/9/9/9/9/4A4/R3KA3 r - - 100 90 moves a0a1"
    assert position.command(FROM_ZERO).startswith("position fen 3k5/9/9/9/9/9/9/9/4A4/R3KA3 w - - 118 90")


def test_an_unknown_dialect_is_refused() -> None:
    with pytest.raises(ConfigError, match="uci, ucci"):
        Position.parse("startpos").command("xboard")
