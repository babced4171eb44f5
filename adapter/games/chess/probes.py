"""The positions on which engines of chess and Chess960 are tried."""

from __future__ import annotations

from msgspec.structs import replace

from adapter.games.probes import LongGame, ProbePosition, ProbePositions

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
    only_move=ProbePosition("only-move", "1r5k/8/8/8/8/8/8/K7 w - - 0 1", ("a1a2",)),
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
    long=LongGame(17),
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
