"""An engine that thinks nothing: every `go` is answered at once, or with so many reports (`--flood N`).

Run as a program by its path, so that nothing but the interpreter is loaded.
"""

from __future__ import annotations

import os
import sys

REPORT = (
    b"info depth %d seldepth 12 multipv 1 score cp 35 nodes %d nps 900000 hashfull 12 tbhits 0 time 7 "
    b"pv e2e4 e7e5 g1f3 b8c6\n"
)
BLOCK = 1000  # reports written at once


def main(words: list[str]) -> None:
    """Speaks until its input ends."""
    blocks = int(words[words.index("--flood") + 1]) // BLOCK if "--flood" in words else 0
    block = b"".join(REPORT % (1 + i % 60, i) for i in range(BLOCK))
    few = REPORT % (1, 20)
    while data := os.read(0, 65536):
        answer = b""
        for line in data.splitlines():
            if line.startswith(b"go"):
                if blocks:
                    _write(answer)
                    answer = b""
                for _ in range(blocks):
                    _write(block)
                answer += few + b"bestmove e2e4\n"
            elif line == b"isready":
                answer += b"readyok\n"
            elif line == b"uci":
                answer += b"id name Instant\nuciok\n"
            elif line == b"quit":
                return
        _write(answer)


def _write(data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(1, view) :]


if __name__ == "__main__":
    main(sys.argv[1:])
