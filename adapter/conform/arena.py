"""The positions an engine is tried on, by game: chosen so that one right answer tells what it understood."""

from __future__ import annotations

import random
from collections.abc import Mapping

import msgspec
from msgspec.structs import replace

from adapter.games.base import Board, Game


class ProbePosition(msgspec.Struct, frozen=True):
    """A position, as a text that Position reads, and the answers that are right. `kind` is what it tries.

    Either these are all legal moves, or they are the only ones that mate at once.
    """

    kind: str
    text: str
    answers: tuple[str, ...]


class ProbeChance(msgspec.Struct, frozen=True):
    """What a game of random moves comes from. Its last `quiet` half-moves capture nothing: in UCCI the line
    of a position begins after the last capture, so that they alone make it long."""

    seed: int
    quiet: int = 0


class ProbePositions(msgspec.Struct, frozen=True, kw_only=True):
    """The positions of one game.

    `survey` are those searched to look at what the engine says, `lively` one with many sensible moves, and
    `lively_other` one of the other side. `started` is a game from the first position, without captures, that
    leaves one answer. Each of `played` ends with a move that has to be read as it is meant: there is one
    answer to it. Each of
    `asked` calls for a move that has to be said as the protocol says it. `mate_in_one` has one mating move,
    `mate_in_two` is a mate in two moves, and in `mated_next` the side to move is mated in one, whatever it
    plays. `winning` are won for the side to move, one with each colour.
    """

    survey: tuple[str, ...]
    lively: str
    lively_other: str
    started: ProbePosition
    played: tuple[ProbePosition, ...]
    asked: tuple[ProbePosition, ...] = ()
    mate_in_one: ProbePosition
    mate_in_two: str
    mated_next: str
    mated: str
    stalemated: str
    winning: tuple[str, str]
    long: ProbeChance


# Positions of the project's own making, but for Kiwipete (Peter McKenzie's, known from perft tables).
_KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"

CHESS = ProbePositions(
    survey=(
        "startpos",
        _KIWIPETE,
        "startpos moves e2e4 c7c5 g1f3 d7d6 d2d4 c5d4 f3d4 g8f6 b1c3",
        "8/5k2/8/8/3pP3/8/5K2/8 b - e3 0 1",
        "4k3/P6P/8/8/8/8/p6p/4K3 w - - 0 1",
        "r1bqk2r/pppp1ppp/2n2n2/4p3/1bB1P3/2NP1N2/PPP2PPP/R1BQK2R b KQkq - 0 5",
    ),
    lively=_KIWIPETE,
    lively_other="r1bqk2r/pppp1ppp/2n2n2/4p3/1bB1P3/2NP1N2/PPP2PPP/R1BQK2R b KQkq - 0 5",
    started=ProbePosition("start", "startpos moves e2e4 f7f5 d1h5", ("g7g6",)),
    played=(
        ProbePosition("moves", "startpos moves e2e4 f7f5 d1h5", ("g7g6",)),
        ProbePosition(
            "moves",
            "rnbqkbnr/pppppppp/8/8/5P2/8/PPPPP1PP/RNBQKBNR b KQkq - 0 1 moves e7e5 a2a3 d8h4",
            ("g2g3",),
        ),
        ProbePosition("castling", "3b4/8/1r6/p7/3N4/8/1q6/2k1K2R w K - 0 1 moves e1g1", ("c1d2",)),
        ProbePosition("castling", "8/8/8/8/6N1/8/q7/R3K1k1 w Q - 0 1 moves e1c1", ("g1g2",)),
        ProbePosition("en-passant", "8/8/3n4/8/4p3/4K3/5P2/3q1k2 w - - 0 1 moves f2f4 e4f3", ("e3f4",)),
        ProbePosition("en-passant", "8/8/8/2n5/2pk4/K7/1P2r3/8 w - - 0 1 moves b2b4 c4b3", ("a3b4",)),
        ProbePosition("promotion", "7b/5Ppk/8/6K1/8/8/8/8 w - - 0 1 moves f7f8n", ("h7g8",)),
    ),
    asked=(
        ProbePosition("castling", "8/4p3/8/8/8/8/5Q2/1k2K2R w K - 0 1", ("e1g1",)),
        ProbePosition("castling", "8/8/8/8/1n6/8/3Q4/R3K1k1 w Q - 0 1", ("e1c1",)),
        ProbePosition("en-passant", "3B4/8/4R3/7k/1K5p/P3b3/5NP1/8 w - - 0 1 moves g2g4", ("h4g3",)),
        ProbePosition("en-passant", "2Q3K1/k7/8/3N4/5pP1/5B2/8/8 b - g3 0 1", ("f4g3",)),
        ProbePosition(
            "promotion", "8/1P6/6pk/8/8/1r1r4/8/Kb6 w - - 0 1", ("b7b8q", "b7b8r", "b7b8b", "b7b8n")
        ),
        ProbePosition(
            "promotion", "kB6/8/1R1R4/8/8/6PK/1p6/8 b - - 0 1", ("b2b1q", "b2b1r", "b2b1b", "b2b1n")
        ),
    ),
    mate_in_one=ProbePosition(
        "mate", "r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4", ("h5f7",)
    ),
    mate_in_two="7k/8/8/8/8/8/R7/1R5K w - - 0 1",
    mated_next="6k1/1R6/8/8/8/8/R7/7K b - - 0 1",
    mated="6rk/5Npp/8/8/8/8/8/K7 b - - 0 1",
    stalemated="7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
    winning=("4k3/8/8/8/8/8/3Q4/4K3 w - - 0 1", "4k3/3q4/8/8/8/8/8/4K3 b - - 0 1"),
    long=ProbeChance(17),
)

# Castling over the wire is king takes rook, wherever the two stand.
CHESS960 = replace(
    CHESS,
    survey=(
        "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
        "nrbkqbr1/1pp1ppp1/p6p/3p1n2/3P1N2/P6P/1PP1PPP1/NRBKQBR1 b GBgb - 0 6",
        *CHESS.survey[3:],
    ),
    played=(
        ProbePosition("castling", "5k1B/8/8/4Q3/2n5/8/8/3K3R w H - 0 1 moves d1h1", ("f8g8",)),
        ProbePosition("castling", "8/k7/2Q5/8/3N4/8/8/2KR4 w D - 0 1 moves c1d1", ("a7b8",)),
        *(trial for trial in CHESS.played if trial.kind != "castling"),
    ),
    asked=(
        ProbePosition("castling", "7N/8/8/8/7p/8/P3Q3/1k1K2R1 w G - 0 1", ("d1g1",)),
        ProbePosition("castling", "5b2/8/1Q5p/8/8/2N5/2P5/RK2k3 w A - 0 1", ("b1a1",)),
        *(trial for trial in CHESS.asked if trial.kind != "castling"),
    ),
)

_XIANGQI = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1"
XIANGQI = ProbePositions(
    survey=(
        _XIANGQI,
        f"{_XIANGQI} moves h2e2 h9g7 h0g2 i9h9 i0h0",
        "r1bakab1r/9/1cn3nc1/p1p1p1p1p/9/2P6/P3P1P1P/1CN3NC1/9/R1BAKAB1R b - - 0 5",
        "5a3/3ka4/5n3/9/9/9/9/9/9/4K1R2 w - - 0 1",
    ),
    lively="r1bakab1r/9/1cn3nc1/p1p1p1p1p/9/2P6/P3P1P1P/1CN3NC1/9/R1BAKAB1R b - - 0 5",
    lively_other="r1bakab1r/9/1cn3nc1/p3p1p1p/2p6/9/P1P1P1P1P/1CN3NC1/9/R1BAKAB1R w - - 0 5",
    started=ProbePosition("start", f"{_XIANGQI} moves h0i2 e9e8 b2d2 b7f7 d2d1 e8d8 h2d2", ("d8e8",)),
    played=(
        ProbePosition(
            "moves",
            "rn1ak1b2/2rRaR3/9/4c4/6b1p/pp2Cnp2/P1P3N1P/N8/4A4/4KA3 b - - 13 51 moves c8c3 f8f5 c3e3 f5f9",
            ("e9f9",),
        ),
        ProbePosition(
            "moves",
            "r1b1kabn1/3ca3r/n8/p1p1p1p1p/9/2P6/P3P1PcP/N3B1CC1/9/R2AKABNR w - - 12 7 moves a2b0 g9i7 h2h9",
            ("i7g9",),
        ),
        ProbePosition(
            "moves",
            "2b1ka3/9/n1ca2n2/2P3p2/1P2p1P1P/7r1/p2R5/N3K3B/6r2/3A1AB2 b - - 0 54 moves g1g0 a2b0 h4h2",
            ("e2e1",),
        ),
    ),
    mate_in_one=ProbePosition("mate", "3ak4/2C1a4/9/9/3nP4/9/1r7/9/4A4/5K3 w - - 0 1", ("c8c9",)),
    mate_in_two="5a3/3n5/5k3/9/2R6/9/4c4/1C7/9/4K3R w - - 0 1",
    mated_next="5a3/3n5/2R2k3/9/9/9/4c4/1C7/9/4K3R b - - 1 1",
    mated="3a5/5k3/9/9/N8/5R3/9/9/9/3AK4 b - - 0 1",
    stalemated="9/4R4/5k3/9/9/6C2/9/9/3K5/5A3 b - - 0 1",
    winning=(
        "4k4/9/9/9/9/9/9/9/R8/3K5 w - - 0 1",
        "3k5/r8/9/9/9/9/9/9/9/4K4 b - - 0 1",
    ),
    long=ProbeChance(132, quiet=110),
)

PROBE_POSITIONS: Mapping[str, ProbePositions] = {"chess": CHESS, "chess960": CHESS960, "xiangqi": XIANGQI}

LONG_GAME = 301  # half-moves; tournament games of that length are played every week


def long_game(variant: Game, chance: ProbeChance) -> ProbePosition:
    """A long game of random moves, the same each time, that leaves one answer."""
    dice = random.Random(chance.seed)
    board = variant.board(variant.start_fen)
    moves: list[str] = []
    while len(moves) < LONG_GAME:
        quiet = len(moves) >= LONG_GAME - chance.quiet
        moves.append(_drawn(board, dice, quiet=quiet))
        board.push(moves[-1])
    return ProbePosition("long", f"{variant.start_fen} moves {' '.join(moves)}", tuple(board.legal_moves()))


def _drawn(board: Board, dice: random.Random, *, quiet: bool) -> str:
    """One of the legal moves, or of those that capture nothing. Raises IndexError where there is none."""
    moves = sorted(board.legal_moves())
    return dice.choice([move for move in moves if not _captures(board, move)] if quiet else moves)


def _captures(board: Board, move: str) -> bool:
    before = board.last_capture()
    board.push(move)
    after = board.last_capture()
    board.pop()
    return after != before
