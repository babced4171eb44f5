"""The positions on which engines of xiangqi are tried."""

from __future__ import annotations

from adapter.games.probes import LongGame, ProbePosition, ProbePositions

START = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1"
PROBES = ProbePositions(
    survey=(
        START,
        f"{START} moves h2e2 h9g7 h0g2 i9h9 i0h0",
        "r1bakab1r/9/1cn3nc1/p1p1p1p1p/9/2P6/P3P1P1P/1CN3NC1/9/R1BAKAB1R b - - 0 5",
        "5a3/3ka4/5n3/9/9/9/9/9/9/4K1R2 w - - 0 1",
    ),
    lively="r1bakab1r/9/1cn3nc1/p1p1p1p1p/9/2P6/P3P1P1P/1CN3NC1/9/R1BAKAB1R b - - 0 5",
    lively_other="r1bakab1r/9/1cn3nc1/p3p1p1p/2p6/9/P1P1P1P1P/1CN3NC1/9/R1BAKAB1R w - - 0 5",
    # The king may not face the other one. Black's pawn is there because some engines call bare kings drawn.
    only_move=ProbePosition("only-move", "4k4/9/9/9/9/p8/9/9/9/3K5 w - - 0 1", ("d0d1",)),
    started=ProbePosition("start", f"{START} moves h0i2 e9e8 b2d2 b7f7 d2d1 e8d8 h2d2", ("d8e8",)),
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
    long=LongGame(132, quiet=110),
)
