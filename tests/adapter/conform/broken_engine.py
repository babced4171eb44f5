"""A real engine with one fault: a program that stands between it and whoever talks to it, `broken_engine.py
FAULT COMMAND…`.

What is sent and said passes unchanged but for what the fault changes, so that a check which finds anything
else has found it wrongly.
"""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable


class Between:
    """What a fault may look at: the last position, whether a search is on, the engine to speak to."""

    def __init__(self, command: list[str]) -> None:
        self.engine = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, errors="surrogateescape"
        )
        self.position = ""
        self.go = ""
        self.searching = False
        self.heard: set[str] = set()  # first words of what was sent
        self.lock = threading.Lock()

    def tell(self, *lines: str) -> None:
        assert self.engine.stdin is not None
        self.engine.stdin.write("".join(f"{line}\n" for line in lines))
        self.engine.stdin.flush()

    def say(self, *lines: str) -> None:
        with self.lock:
            sys.stdout.write("".join(f"{line}\n" for line in lines))
            sys.stdout.flush()

    @property
    def black(self) -> bool:
        """Whether Black is to move."""
        head, _, moves = self.position.partition(" moves ")
        return (" b " in f"{head} ") != (len(moves.split()) % 2 == 1)


CLOCK = re.compile(r"\b(?:[wb]|opp)?time ")  # not movetime
Change = Callable[[Between, str], list[str]]


def keep(between: Between, line: str) -> list[str]:
    del between
    return [line]


def without(pattern: str) -> Change:
    return lambda between, line: [] if re.match(pattern, line) else [line]


def instead(pattern: str, text: str) -> Change:
    return lambda between, line: [re.sub(pattern, text, line)]


def behind(pattern: str, *lines: str) -> Change:
    return lambda between, line: [line, *lines] if re.match(pattern, line) else [line]


def twice(pattern: str) -> Change:
    return lambda between, line: [line, line] if re.match(pattern, line) else [line]


def later(pattern: str, seconds: float) -> Change:
    def change(between: Between, line: str) -> list[str]:
        if re.match(pattern, line):
            time.sleep(seconds)
        return [line]

    return change


def dies(pattern: str, code: int) -> Change:
    def change(between: Between, line: str) -> list[str]:
        if re.match(pattern, line):
            between.engine.kill()
            between.engine.wait()
            os._exit(code)
        return [line]

    return change


def searching(change: Change) -> Change:
    """Only while the engine thinks."""
    return lambda between, line: change(between, line) if between.searching else [line]


def where(pattern: str, change: Change) -> Change:
    """Only in a position whose line holds the pattern."""
    return lambda between, line: change(between, line) if re.search(pattern, between.position) else [line]


def idle(change: Change) -> Change:
    """Only while it does not."""
    return lambda between, line: [line] if between.searching else change(between, line)


def on_clocks(wanted: Callable[[Between], bool], change: Change) -> Change:
    """Only while it thinks on a clock, and something holds besides."""
    return lambda between, line: (
        change(between, line) if CLOCK.search(between.go) and wanted(between) else [line]
    )


def swapped(between: Between, line: str) -> list[str]:
    """Each side's clock taken for the other's, in the words of either protocol."""
    pairs = {"wtime": "btime", "btime": "wtime", "time": "opptime", "opptime": "time"}
    return [" ".join(pairs.get(word, word) for word in line.split(" "))] if line.startswith("go ") else [line]


def parting(between: Between, line: str) -> list[str]:
    if line == "quit":
        between.say("bestmove a2a3")
    return [line]


def from_white(between: Between, line: str) -> list[str]:
    if not between.black:
        return [line]
    return [re.sub(r"(score (?:cp|mate)) (-?\d+)", lambda found: f"{found[1]} {-int(found[2])}", line)]


def second_late(between: Between, line: str) -> list[str]:
    if line.startswith("bestmove"):
        threading.Timer(0.2, between.say, [line]).start()
    return [line]


def shouting(between: Between, line: str) -> list[str]:
    return [re.sub(r"^(bestmove \w{4})([qrbn])", lambda found: found[1] + found[2].upper(), line)]


def illegal_reply(between: Between, line: str) -> list[str]:
    if not line.startswith("bestmove") or "(none)" in line:
        return [line]
    return [f"{' '.join(line.split()[:2])} ponder {'a1b8' if 'a1' not in line else 'h1g8'}"]


def _shifted(line: str) -> str:
    """A line whose moves count ranks from one more."""
    return re.sub(r"\b([a-i]\d)([a-i]\d)\b", lambda move: _up(move[1]) + _up(move[2]), line)


def _up(square: str) -> str:
    return f"{square[0]}{int(square[1]) + 1}"


# name: (what is sent, what is said)
FAULTS: dict[str, tuple[Change, Change]] = {
    "none": (keep, keep),
    "no-author": (keep, without("id author")),
    "no-name": (keep, instead("^id name .*", "id name")),
    "bad-default": (keep, instead("name Hash type spin default 16", "name Hash type spin default 0")),
    "no-maximum": (keep, instead("(name MultiPV .*) max 500", r"\1")),
    "unknown-type": (keep, instead("name Ponder type check", "name Ponder type switch")),
    "option-twice": (keep, twice("option name Hash")),
    "late-options": (keep, behind("uciok", "option name Late type check default false")),
    "readyok-twice": (keep, twice("readyok")),
    "unasked-move": (keep, idle(behind("readyok", "bestmove a2a3"))),
    "dies-of-junk": (dies("xyzzy", 1), keep),
    "dies-of-options": (dies("setoption name joho", 1), keep),
    "dies-at-the-limit": (dies("setoption name Skill Level value 0$", 139), keep),
    "answers-idle-stop": (
        idle(lambda between, line: (between.say("bestmove 0000"), [])[1] if line == "stop" else [line]),
        keep,
    ),
    "illegal-best": (keep, instead(r"^bestmove (?!\(none)\w+", "bestmove a1b8")),
    "illegal-ponder": (keep, illegal_reply),
    "illegal-pv": (keep, instead(r"( pv \w+) \w+ ", r"\1 a1b8 ")),
    "two-moves": (keep, twice("bestmove")),
    "second-move-late": (keep, second_late),
    "false-mate": (keep, instead(r"score cp \S+", "score mate 1")),
    "wrong-distance": (keep, instead(r"score mate (\d)", r"score mate 1\1")),
    "banana": (keep, instead(r"score cp \S+", "score banana")),
    "nonsense-number": (keep, instead(r" nodes (\d+)", r" nodes \1.5")),
    "hash-overfull": (keep, instead(r" nps (\d+)", r" nps \1 hashfull 1400")),
    "no-reports": (keep, without("info")),
    "no-scores": (keep, instead(r" score (cp|mate) \S+", "")),
    "from-white": (keep, from_white),
    "talks-on": (keep, behind("bestmove", "info depth 9 score cp 1 nodes 1 pv e2e4")),
    "no-move": (keep, instead(r"^bestmove .*", "bestmove (none)")),
    "shouting": (keep, shouting),
    "no-piece": (keep, instead(r"^(bestmove \w{4})[qrbn]", r"\1")),
    "king-takes-rook": (keep, instead(r"^bestmove e1g1", "bestmove e1h1")),
    "startpos-alone": (instead(r"^(position startpos) moves .*", r"\1"), keep),
    "cuts-lines": (lambda between, line: [line[:500]], keep),
    "moves-dropped": (instead(" moves .*", ""), keep),
    "always-queens": (instead(r"(position .*\w{4})[rbn]$", r"\1q"), keep),
    "searches-deeper": (instead(r"go depth 4$", "go depth 7"), keep),
    "ignores-nodes": (instead(r"go nodes 5000", "go nodes 200000"), keep),
    "ignores-searchmoves": (instead(r" searchmoves .*", ""), keep),
    "weak": (where(" w [KQ] - ", instead("(go .*)", r"\1 searchmoves e1d1")), keep),
    "misses-the-mate": (instead(r"go mate \d+", "go depth 1 searchmoves h1g1"), keep),
    "slow": (keep, later("bestmove", 1.0)),
    "slow-for-black": (keep, on_clocks(lambda between: between.black, later("bestmove", 1.0))),
    "swaps-clocks": (swapped, keep),
    "sees-one-clock": (instead(r"^(go .*)wtime \d+ btime (\d+)", r"\1wtime \2 btime \2"), keep),
    "slow-to-stop": (later("stop", 1.2), keep),
    "ends-infinite": (instead("go infinite", "go depth 5"), keep),
    "ends-with-mate": (
        where("4p2Q", instead("go infinite", "go depth 5")),
        keep,
    ),
    "deaf-in-search": (searching(without("isready")), keep),
    "deaf-in-all": (searching(without("isready|stop|ponderhit")), keep),
    "ping-ends-search": (
        searching(lambda between, line: ["stop", line] if line == "isready" else [line]),
        keep,
    ),
    "ponders-not": (instead("go ponder", "go"), keep),
    "deaf-to-ponderhit": (without("ponderhit"), keep),
    "knows-one-case": (without("setoption name mUlTiPv"), keep),
    "one-line": (keep, without(r"info .*multipv [2-9]")),
    "lines-equal": (keep, instead(r"(multipv [2-9] .* pv) \w+", r"\1 e2a6")),
    "remembers": (without("ucinewgame"), keep),
    "plays-when-mated": (keep, instead(r"^bestmove \(none\)", "bestmove a2a3")),
    "chess960-unset": (without("setoption name UCI_Chess960 value true"), keep),
    "no-clock-reports": (
        keep,
        lambda between, line: [] if "wtime" in between.go and line.startswith("info") else [line],
    ),
    "prints-debris": (keep, behind("info depth 1 ", "eval: 12 34")),
    "deaf-behind-blanks": (without(r"\s"), keep),
    "deaf-to-crlf": (without(r".*\r"), keep),
    "deaf-to-tabs": (without(r".*\t"), keep),
    "ignores-bans": (without("banmoves"), keep),
    "keeps-bans": (
        lambda between, line: [] if line == between.position and "banmoves" in between.heard else [line],
        keep,
    ),
    "counts-from-1": (keep, lambda between, line: [_shifted(line)]),
    "parting-move": (idle(parting), keep),
    "ends-with-1": (dies("quit", 1), keep),
    "stays": (without("quit"), keep),
}


def main() -> None:
    for stream in (sys.stdin, sys.stdout):
        assert isinstance(stream, io.TextIOWrapper)
        stream.reconfigure(encoding="utf-8", errors="surrogateescape", newline="\n")
    sent, said = FAULTS[sys.argv[1]]
    between = Between(sys.argv[2:])
    threading.Thread(target=listen, args=(between, said), daemon=True).start()
    for raw in sys.stdin:
        line = raw.rstrip("\n")
        words = line.split()
        changed = sent(between, line)
        between.heard.update(words[:1])
        if words[:1] == ["position"]:
            between.position = line
        elif words[:1] == ["go"]:
            between.go, between.searching = line, True
        between.tell(*changed)
    assert between.engine.stdin is not None
    between.engine.stdin.close()
    os._exit(between.engine.wait())


def listen(between: Between, said: Change) -> None:
    assert between.engine.stdout is not None
    for raw in between.engine.stdout:
        line = raw.rstrip("\r\n")
        if line.startswith("bestmove"):
            between.searching = False
        between.say(*said(between, line))
    if sys.argv[1] != "stays":
        os._exit(between.engine.wait())


if __name__ == "__main__":
    main()
