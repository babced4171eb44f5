"""Published perft counts for chess and Chess960."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from adapter import games
from adapter.perft import divide, perft

SUITES = Path(os.environ.get("FENWIRE_SHARED", Path(__file__).parents[4] / "shared")) / "suites"
FILES = sorted(SUITES.glob("*.perft"))

# https://www.chessprogramming.org/Perft_Results
KNOWN = [
    ("chess", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", [20, 400, 8902]),
    ("chess", "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", [48, 2039]),
    ("chess", "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", [14, 191, 2812]),
    ("chess", "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", [6, 264, 9467]),
    ("chess", "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", [44, 1486]),
    ("chess960", "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9", [21, 528, 12189]),
    ("chess960", "2nnrbkr/p1qppppp/8/1ppb4/6PP/3PP3/PPP2P2/BQNNRBKR w HEhe - 1 9", [21, 807, 18002]),
]


@pytest.mark.parametrize(("variant", "fen", "counts"), KNOWN)
def test_known_counts(variant: str, fen: str, counts: list[int]) -> None:
    board = games.get(variant).board(fen)
    before = board.fen(ep="fen")
    for depth, count in enumerate(counts, start=1):
        assert perft(board, depth) == count
    assert board.fen(ep="fen") == before


def cases(path: Path) -> list[tuple[str, list[tuple[int, int]]]]:
    """The records of a file in python-chess' `.perft` form with their depths and counts."""
    found: list[tuple[str, list[tuple[int, int]]]] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        word, _, rest = line.partition(" ")
        if word == "epd":
            found.append((f"{rest.strip()} 0 1", []))
        elif word == "perft":
            depth, count = rest.split()
            found[-1][1].append((int(depth), int(count)))
    return found


def count_suite(path: Path, limit: int) -> int:
    """Checks every count of a suite up to `limit`, and says how many there were."""
    # Some of the tricky records castle from other squares; the rules of Chess960 hold those of chess.
    variant = games.get("chess" if path.name.startswith("random") else "chess960")
    checked = 0
    for fen, counts in cases(path):
        for depth, count in counts:
            if count <= limit:
                assert perft(variant.board(fen), depth) == count, (fen, depth)
                checked += 1
    return checked


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_suites_to_small_counts(path: Path) -> None:
    assert count_suite(path, 1_500) > 15


@pytest.mark.nightly
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_suites_to_large_counts(path: Path) -> None:
    assert count_suite(path, 300_000) > 30


def test_no_move_deep_there_is_one_line() -> None:
    chess = games.get("chess")
    assert perft(chess.board(chess.start_fen), 0) == 1


def test_the_counts_by_first_move_add_up() -> None:
    board = games.get("chess").board("4k3/P7/8/8/8/8/8/4K3 w - - 0 1")
    counts = dict(divide(board, 2))
    assert sum(counts.values()) == perft(board, 2)
    assert set(counts) == set(board.legal_moves())
    assert counts["a7a8q"] == 3  # a check along the rank
    assert counts["a7a8n"] == 5
