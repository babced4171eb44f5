"""The command line of the mock engine: what it plays, and one flag for each fault."""

from __future__ import annotations

import argparse
import re
import signal
from collections.abc import Sequence

from tests.mock_engine.behaviour import PROTOCOLS, Behaviour
from tests.mock_engine.engine import MockEngine
from tests.mock_engine.faults import FAULTS, MockFault

DESCRIPTION = """\
A UCI or UCCI engine that knows no rules and misbehaves on demand, to test programs that drive engines.

Without a flag it behaves well: it greets, takes options, answers every search at once with the best move
it was told to give (an infinite one, or a pondering one, when it is stopped), and ends on quit. Flags may be
combined. It stops at nothing to misbehave: give it to programs under test only."""

EPILOG = """\
examples:
  python tests/mock_engine --bestmove d2d4 --ponder d7d5
  python tests/mock_engine --die-after info --exit SEGV     dies in the middle of a search
  python tests/mock_engine --ignore stop --stubborn         has to be killed
  python tests/mock_engine --play talk.txt --timed          repeats a recorded conversation

a transcript has a line for each line that went over the wire, "SECONDS > sent" or "SECONDS < received", and
may tell how the engine ended ("SECONDS = SIGSEGV"); the seconds may be left out, and lines that begin with #
are comments. A backslash is written \\\\, a carriage return \\r, a byte that is no text \\xb7; a backslash at
the end tells that the line of the wire did not end there. A line "@ 2" stands before those of a second
engine, or of one started anew. Exit code 3 tells that something else was sent than the transcript says, 70
that --strict met a command out of turn."""


def main(words: Sequence[str] | None = None) -> int:
    """Runs the engine; returns its exit code."""
    parser = _parser()
    given = parser.parse_args(words)
    manner = Behaviour(move=given.bestmove, ponder=given.ponder, think=given.think)
    manner.name, manner.strict, manner.exit = given.name, given.strict, given.exit
    for fault, value in given.faults or ():
        try:
            fault.apply(manner, value)
        except ValueError:
            parser.error(f"{value!r} is not a number; {fault.help}")
    if given.info:
        manner.infos = given.info
    manner.options += given.option
    try:
        if given.play:
            life = _next_life(given.lives) if given.lives else given.life
            return _play(given.play, life, manner, timed=given.timed)
        if given.moves:
            manner.moves = read_moves(given.moves)
    except (OSError, ValueError) as error:
        parser.error(str(error))
    return MockEngine(PROTOCOLS[given.protocol], manner).run()


def read_moves(path: str) -> dict[str, str]:
    """Best moves by position from a file: each line a move, a blank, and what follows the word `position`."""
    from pathlib import Path

    pairs = [line.split(None, 1) for line in Path(path).read_text(encoding="utf-8").split("\n")]
    return {pair[1].strip(): pair[0] for pair in pairs if len(pair) == 2}


def _play(path: str, life: int, manner: Behaviour, *, timed: bool) -> int:
    from tests.mock_engine.replay import ReplayScript, replay

    return replay(ReplayScript.load(path).life(life), manner, timed=timed)


def _next_life(path: str) -> int:
    """The number of this start among those the file has counted, a byte each."""
    from pathlib import Path

    with Path(path).open("ab", buffering=0) as file:
        file.write(b".")
        return file.tell()


class _Collect(argparse.Action):
    """Adds a fault and its value to `faults`."""

    def __init__(self, *args: object, fault: MockFault, **rest: object) -> None:
        super().__init__(*args, **rest)  # type: ignore[arg-type]  # passed through as it came
        self.fault = fault

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        option_string: str | None = None,
    ) -> None:
        value = str(values) if self.fault.value else ""
        namespace.faults = [*(namespace.faults or ()), (self.fault, value)]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python tests/mock_engine",
        usage="%(prog)s [what it is] [faults]",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.set_defaults(faults=None)
    plain = parser.add_argument_group("what it is")
    plain.add_argument("--protocol", choices=sorted(PROTOCOLS), default="uci", help="what it speaks [uci]")
    plain.add_argument("--name", default="Scripted", help="what it calls itself [Scripted]")
    plain.add_argument("--bestmove", metavar="MOVE", default="e2e4", help="its best move [e2e4]")
    plain.add_argument("--ponder", metavar="MOVE", help="its ponder move [none]")
    plain.add_argument(
        "--moves",
        metavar="FILE",
        help="best moves by position; each line a move, a blank and what follows the word position",
    )
    plain.add_argument(
        "--think",
        metavar="SECONDS",
        type=float,
        default=0.0,
        help="how long it takes for a search whose limit names no time [0]",
    )
    plain.add_argument(
        "--info",
        metavar="TEXT",
        action="append",
        help="what it reports in a search, instead of its own; {move} {ponder} {score} are filled in",
    )
    plain.add_argument("--option", metavar="TEXT", action="append", default=[], help="one more option line")
    plain.add_argument(
        "--exit",
        metavar="HOW",
        type=_way_to_die,
        default="1",
        help="how it dies when it is told to: an exit code, or a signal such as SEGV [1]",
    )
    plain.add_argument("--strict", action="store_true", help="exit code 70 on any command out of turn")
    plain.add_argument("--play", metavar="TRANSCRIPT", help="repeats a recorded conversation instead")
    plain.add_argument(
        "--life",
        metavar="N",
        type=int,
        default=1,
        help="which engine of the transcript it is, where that tells of several [1]",
    )
    plain.add_argument(
        "--lives",
        metavar="FILE",
        help="each start is the next engine of the transcript; FILE keeps count of the starts",
    )
    plain.add_argument("--timed", action="store_true", help="keeps the transcript's times")
    for title, faults in FAULTS.items():
        group = parser.add_argument_group(f"faults, {title}")
        for name, fault in faults.items():
            more = (
                {"nargs": "?", "const": fault.default, "metavar": fault.value}
                if fault.value
                else {"nargs": 0}
            )
            shown = f"{fault.help} [{fault.default}]" if fault.value else fault.help
            group.add_argument(f"--{name}", action=_Collect, fault=fault, dest="faults", help=shown, **more)
    return parser


def _way_to_die(text: str) -> str:
    if text.isdecimal() and int(text) < 256:
        return text
    if re.fullmatch("[A-Z]+", text) and hasattr(signal, f"SIG{text.removeprefix('SIG')}"):
        return text.removeprefix("SIG")
    raise argparse.ArgumentTypeError(f"{text!r} is neither an exit code below 256 nor a signal's name")
