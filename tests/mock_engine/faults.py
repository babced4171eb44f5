"""Every fault a mock engine can have, as data: its flag, what it does, and the value it takes.

Each has been seen on a real engine or follows from what a process can do to its parent. A flag with a value
may be given without it; the value then is the one shown in brackets.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from tests.mock_engine import actions
from tests.mock_engine.behaviour import START, Action, Behaviour

ILLEGAL = "a1b8"  # no piece of chess or xiangqi moves that way


class MockFault(NamedTuple):
    """One fault: its help, how it changes the manner, and, where it takes a value, that value's name and
    default. All may be given several times."""

    help: str
    apply: Callable[[Behaviour, str], None]
    value: str = ""
    default: str = ""


def _once(word: str, action: Action) -> Callable[[Behaviour, str], None]:
    return lambda manner, value: manner.once(word, action)


def _at_value(action: Action) -> Callable[[Behaviour, str], None]:
    return lambda manner, value: manner.once(value, action)


def _on(action: Action) -> Callable[[Behaviour, str], None]:
    return lambda manner, value: manner.once("go", actions.on_position(value, action))


def _reports(*infos: str) -> Callable[[Behaviour, str], None]:
    def apply(manner: Behaviour, value: str) -> None:
        del value
        manner.infos[:] = infos

    return apply


def _answers(*lines: str) -> Callable[[Behaviour, str], None]:
    def apply(manner: Behaviour, value: str) -> None:
        manner.answer[:] = [line.replace("VALUE", value) for line in lines]

    return apply


def _filters(change: Callable[[bytes], bytes]) -> Callable[[Behaviour, str], None]:
    return lambda manner, value: manner.filters.append(change)


def _stubborn(manner: Behaviour, value: str) -> None:
    del value
    manner.ignored.update(("quit", "eof"))
    manner.once(START, actions.ignore_terminate)


def _refuse(manner: Behaviour, value: str) -> None:
    del value
    manner.once("position", actions.says("info string CRITICAL ERROR: position refused"))
    manner.once("position", actions.die)


def _flood(manner: Behaviour, value: str) -> None:
    manner.think = max(manner.think, 0.5)
    manner.once(value, actions.flood)


def _again(manner: Behaviour, value: str) -> None:
    if float(value):
        manner.once("bestmove", actions.sleeps(float(value)))
    manner.once("bestmove", actions.says("bestmove {move}"))


def _malformed_options(manner: Behaviour, value: str) -> None:
    del value
    manner.options.extend(MALFORMED_OPTIONS)


def _many_options(manner: Behaviour, value: str) -> None:
    manner.options.extend(f"name Option {n} type spin default 1 min 0 max 9" for n in range(int(value)))


def _bytes_apart(manner: Behaviour, value: str) -> None:
    del value
    manner.pieces = lambda data: [data[at : at + 1] for at in range(len(data))]


def _garbage(manner: Behaviour, value: str) -> None:
    import random

    # Seeded, so that two runs meet the same bytes. A line break would make lines of its own of it, which is
    # wanted; a word of the protocol at a line's head is not to be feared from 4096 random bytes.
    noise = random.Random(int(value)).randbytes(4096) + b"\n\xb7 \x00 \xff\xfe\n"
    for word in (START, "isready", "info"):
        manner.once(word, actions.prints(noise))


def _blanks(data: bytes) -> bytes:
    return b"\n \t \n\t" + data.rstrip(b"\n").replace(b" ", b" \t  ") + b" \t\n"


NONSENSE_SCORES = (
    "depth 1 score cp banana pv {move}",
    "depth 2 score mate",
    "depth 3 score pv {move}",
    "depth 4 score cp pv {move}",
    "depth -5 score cp 99999999999999999999 nodes -1 pv {move}",
    "depth 6 score mate 0 lowerbound upperbound pv {move}",
    "score",
    "depth depth depth",
    "multipv 0 score cp 11 pv {move}",
    "multipv -1 score cp 12 pv {move}",
    "multipv banana score cp 13 pv {move}",
    "depth 7 wdl 1 2 score cp 14 hashfull x pv {move}",
)
BOUNDS = (
    "depth 1 {score} lowerbound nodes 20 pv {move}",
    "depth 2 {score} upperbound nodes 40 pv {move}",
    "depth 3 {score} lowerbound nodes 60 pv {move}",
)
DECIMALS = (
    "depth 12/20 seldepth 20.5 {score}.75 time 1.5 nodes 1e3 nps 20000.0 pv {move}",
    "depth 13 hashfull 12,5 tbhits 0.0 {score} pv {move}",
)
MALFORMED_OPTIONS = (
    "",
    "name",
    "name No Type At All",
    "name Unknown Type type wheel default 4",
    "type spin default 1 min 0 max 2",
    "name type spin default 1 min 0 max 2",
    "name Out Of Range type spin default 99 min 1 max 8",
    "name Not A Number type spin default many min few max lots",
    "name Upside Down type spin default 5 min 9 max 1",
    "name No Default type spin min 1 max 9",
    "name Fractions type spin default 1.5 min 0.5 max 9.5",
    "name No Choices type combo default Fast",
    "name Alien Default type combo default Odd var Even var Straight",
    "name No Text type string",
    "name Bare Default type string default",
    "name Pressed Already type button default true",
    "NAME Shouting TYPE check DEFAULT TRUE",
    "name Odd Check type check default perhaps",
    "name Hash type spin default 7 min 7 max 7",
    "name type of default type string default the type of min and max",
    "name  Wide   Blanks  type  check  default  false",
    "name Gr\u00fc\u00df\u5c07 type string default \ufffd",
)

FAULTS: dict[str, dict[str, MockFault]] = {
    "at the start": {
        "silent": MockFault("hears all and never says a word", _once(START, actions.mute)),
        "slow-start": MockFault(
            "takes so long before it hears anything",
            lambda manner, value: manner.once(START, actions.sleeps(float(value))),
            "SECONDS",
            "8",
        ),
        "banner": MockFault(
            "prints a banner before it is asked anything",
            _once(
                START, actions.says("Scripted 1.0 by nobody, all rights reserved\n\ninfo string uciok soon")
            ),
        ),
        "slow-ready": MockFault(
            "takes so long to answer isready",
            lambda manner, value: manner.once("isready", actions.sleeps(float(value))),
            "SECONDS",
            "1",
        ),
        "malformed-options": MockFault("offers options malformed in every known way", _malformed_options),
        "many-options": MockFault("offers so many options more", _many_options, "N", "100000"),
    },
    "commands": {
        "ignore": MockFault(
            "does not react to COMMAND: uci, isready, go, stop, quit, eof (the end of its input)",
            lambda manner, value: manner.ignored.add(value),
            "COMMAND",
            "stop",
        ),
        "withhold": MockFault(
            "never says a line that begins with WORD: uciok, readyok, bestmove",
            lambda manner, value: manner.withheld.add(value),
            "WORD",
            "bestmove",
        ),
        "stubborn": MockFault("ignores quit, the end of its input and SIGTERM", _stubborn),
        "critical-error": MockFault(
            "objects to every position: CRITICAL ERROR, exit code 1 (Stockfish since 2026)",
            _refuse,
        ),
    },
    "at a moment: WORD is the first of a line heard or said, or start": {
        "die-after": MockFault("dies at once, as --exit says", _at_value(actions.die), "WORD", "go"),
        "die-on": MockFault(
            "dies when it is to search a position whose line holds TEXT", _on(actions.die), "TEXT", "fen"
        ),
        "freeze-on": MockFault(
            "stops itself (SIGSTOP) when it is to search such a one", _on(actions.freeze), "TEXT", "fen"
        ),
        "freeze-after": MockFault("stops itself (SIGSTOP)", _at_value(actions.freeze), "WORD", "go"),
        "mute-after": MockFault("listens on, says nothing more", _at_value(actions.mute), "WORD", "go"),
        "close-output-after": MockFault(
            "closes its output and lives on", _at_value(actions.close_output), "WORD", "go"
        ),
        "flood-after": MockFault("prints reports without end", _flood, "WORD", "go"),
        "child-after": MockFault(
            f"starts a child that holds its pipes for {actions.CHILD_SECONDS} s",
            _at_value(actions.keep_child(detached=False)),
            "WORD",
            START,
        ),
        "detached-child-after": MockFault(
            "the same, in a session of the child's own",
            _at_value(actions.keep_child(detached=True)),
            "WORD",
            START,
        ),
    },
    "its output": {
        "garbage": MockFault("random bytes, invalid UTF-8, NULs between its lines", _garbage, "SEED", "1"),
        "bom": MockFault("begins with a byte order mark", _once(START, actions.prints(b"\xef\xbb\xbf"))),
        "crlf": MockFault("ends lines with CR LF", _filters(lambda data: data.replace(b"\n", b"\r\n"))),
        "blanks": MockFault("sets blank lines, tabs and blanks around all it says", _filters(_blanks)),
        "one-byte": MockFault("writes one byte at a time", _bytes_apart),
        "long-line": MockFault(
            "reports a line of so many bytes",
            lambda manner, value: manner.once("go", actions.long_line(int(value))),
            "BYTES",
            "10000000",
        ),
        "stderr": MockFault(
            "writes TEXT to standard error when it starts",
            lambda manner, value: manner.once(START, actions.warns(value)),
            "TEXT",
            "something is wrong",
        ),
    },
    "its answers": {
        "bestmove-again": MockFault("gives its best move twice, so long apart", _again, "SECONDS", "0"),
        "unasked-bestmove": MockFault(
            "gives a best move nobody asked for, behind WORD",
            _at_value(actions.says("bestmove a2a3")),
            "WORD",
            "isready",
        ),
        "late": MockFault(
            "ends every search so much later than it should",
            lambda manner, value: setattr(manner, "late", float(value)),
            "SECONDS",
            "1",
        ),
        "slow-stop": MockFault(
            "gives its best move so long after stop",
            lambda manner, value: setattr(manner, "slow_stop", float(value)),
            "SECONDS",
            "1",
        ),
        "endless": MockFault(
            "keeps no limit, ends no search before stop",
            lambda manner, value: setattr(manner, "endless", True),
        ),
        "early": MockFault(
            "ends a search without limit by itself", lambda manner, value: setattr(manner, "early", True)
        ),
        "illegal-best": MockFault("its best move is illegal", _answers(f"bestmove {ILLEGAL}")),
        "illegal-ponder": MockFault(
            "its ponder move is illegal", _answers(f"bestmove {{move}} ponder {ILLEGAL}")
        ),
        "illegal-pv": MockFault(
            "its line goes wrong at the second move",
            _reports(f"depth 4 {{score}} pv {{move}} {ILLEGAL} e2e4"),
        ),
        "no-move": MockFault(
            "answers WORD for a move, though there are some", _answers("bestmove VALUE"), "WORD", "(none)"
        ),
        "bare-bestmove": MockFault("says bestmove and no more", _answers("bestmove")),
        "nobestmove": MockFault("answers nobestmove (UCCI), though there are moves", _answers("nobestmove")),
        "no-infos": MockFault("reports nothing before its best move", _reports()),
        "nonsense-scores": MockFault("reports scores and numbers that are none", _reports(*NONSENSE_SCORES)),
        "bounds-only": MockFault("reports bounds and never an exact score", _reports(*BOUNDS)),
        "decimals": MockFault("reports decimals and fractions", _reports(*DECIMALS)),
    },
    "its memory": {
        "hog-after-go": MockFault(
            "takes so much memory with each search",
            lambda manner, value: manner.once("go", actions.hog(int(value))),
            "MEGABYTES",
            "256",
        ),
    },
}
