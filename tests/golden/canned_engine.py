"""`python canned_engine.py CASE`: a UCI engine that answers every search with the lines of one case."""

from __future__ import annotations

import os
import sys

CASES = {
    "plain": (
        "info depth 3 seldepth 4 score cp 21 nodes 90 nps 900 time 10 pv e2e4 e7e5",
        "bestmove e2e4 ponder e7e5",
    ),
    "bound": (
        "info depth 4 score cp 30 nodes 90 pv e2e4",
        "info depth 5 score cp 45 lowerbound nodes 200 pv e2e4",
        "bestmove e2e4",
    ),
    "upper": ("info depth 5 score cp -45 upperbound nodes 200 pv d2d4", "bestmove d2d4"),
    "mate": ("info depth 9 score mate 4 nodes 7 pv d2d4", "bestmove d2d4"),
    "mated": ("info depth 9 score mate -2 nodes 7 pv d2d4 d7d5", "bestmove d2d4"),
    "wdl": ("info depth 2 score cp 10 wdl 300 500 200 tbhits 3 nodes 7 pv d2d4", "bestmove d2d4"),
    "illegal in the line": ("info depth 6 score cp 5 nodes 9 pv e2e4 e7e5 e4e5 g8f6", "bestmove e2e4"),
    "illegal at once": ("info depth 6 score cp 5 nodes 9 pv e2e5", "bestmove e2e4"),
    "illegal best": ("info depth 6 score cp 5 nodes 9 pv e2e4", "bestmove e2e5"),
    "illegal ponder": ("info depth 6 score cp 5 nodes 9 pv e2e4", "bestmove e2e4 ponder e2e4"),
    "best of another shape": ("info depth 6 score cp 5 nodes 9 pv e2e4", "bestmove Nf3"),
    "no best": ("info depth 6 score cp 5 nodes 9 pv e2e4", "bestmove (none)"),
    "nothing but a move": ("bestmove g1f3",),
    "several lines": (
        "info depth 4 multipv 1 score cp 30 nodes 90 pv e2e4 c7c5",
        "info depth 4 multipv 2 score cp 20 nodes 90 pv d2d4",
        "info depth 5 multipv 1 score cp 33 nodes 150 pv d2d4 d7d5",
        "info depth 5 multipv 2 score cp 12 nodes 150 pv g1f3",
        "bestmove d2d4",
    ),
    "noise": (
        "info string hello  world",
        "info depth 1 currmove e2e4 currmovenumber 1",
        "what is this",
        "",
        "info depth x score cp nodes 9",
        "info  depth 3  score cp 7 nodes 12 pv  c2c4",
        "bestmove c2c4",
    ),
    "upper case": ("info depth 3 score cp 7 nodes 12 pv E2E4", "bestmove E2E4"),
    "zero as castling": ("info depth 3 score cp 7 nodes 12 pv e2e4", "bestmove O-O"),
    "draw and resignation": ("info depth 3 score cp 7 nodes 12 pv e2e4", "bestmove e2e4 draw resign"),
    "dies": ("info depth 3 score cp 7 nodes 12 pv e2e4 e7e5", None),
}


def write(line: str) -> None:
    """Prints at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main() -> None:
    """Speaks UCI on standard input and output until `quit`."""
    write("id name Canned\noption name MultiPV type spin default 1 min 1 max 9\nuciok")
    for line in map(str.strip, sys.stdin):
        if line == "isready":
            write("readyok")
        elif line.startswith("go"):
            for answer in CASES[sys.argv[1]]:
                if answer is None:
                    os._exit(7)
                write(answer)
        elif line == "quit":
            break


if __name__ == "__main__":
    main()
