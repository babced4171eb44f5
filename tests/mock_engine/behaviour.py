"""How a mock engine behaves: plain data that the command line fills in and faults change.

Standard library only, here and beside it: the engine is started some hundred times in one run of tests.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from tests.mock_engine.output import whole

if TYPE_CHECKING:
    from tests.mock_engine.engine import MockEngine

Action = Callable[["MockEngine"], None]
START = "start"  # stands for the moment before the first line is heard
END = "eof"  # stands for the end of the input


class MockProtocol(NamedTuple):
    """What the engine says in one protocol; the lines of `options` follow the word `option`."""

    hello: str
    greeted: str
    new_game: str
    bye: tuple[str, ...]
    no_move: str
    score: str
    options: tuple[str, ...]
    silent: frozenset[str]  # commands that are heard and call for no answer


PROTOCOLS = {
    "uci": MockProtocol(
        hello="uci",
        greeted="uciok",
        new_game="ucinewgame",
        bye=(),
        no_move="bestmove (none)",
        score="score cp {}",
        options=(
            "name Threads type spin default 1 min 1 max 64",
            "name Hash type spin default 16 min 1 max 1024",
            "name MultiPV type spin default 1 min 1 max 8",
            "name Ponder type check default false",
            "name UCI_Chess960 type check default false",
            "name Style type combo default Normal var Solid var Normal var Very Risky",
            "name Clear Hash type button",
            "name Book File type string default <empty>",
        ),
        silent=frozenset(("debug", "setoption", "ucinewgame", "position", "ponderhit", "register")),
    ),
    "ucci": MockProtocol(
        hello="ucci",
        greeted="ucciok",
        new_game="setoption",
        bye=("bye",),
        no_move="nobestmove",
        score="score {}",
        options=(
            "usemillisec type check default true",
            "hashsize type spin min 1 max 1024 default 16",
            "threads type spin min 1 max 64 default 1",
            "style type combo var solid var normal var risky default normal",
            "newgame type button",
            "bookfiles type string default <empty>",
        ),
        silent=frozenset(("setoption", "ucinewgame", "position", "banmoves", "ponderhit", "probe")),
    ),
}


class Behaviour:
    """What one mock engine does; times in seconds.

    `infos` and `answer` are lines with the places {move}, {ponder} and {score}. `ignored` are commands it
    does not react to (`eof` is the end of its input), `withheld` the first words of lines it never says,
    `after` what it does once it has heard, or said, a line that begins with a word (`start` at its start).
    `filters` change each line on its way out, `pieces` cuts it for writing.
    """

    def __init__(self, *, move: str = "e2e4", ponder: str | None = None, think: float = 0.0) -> None:
        self.name = "Scripted"
        self.move = move
        self.ponder = ponder
        self.moves: dict[str, str] = {}  # best moves by what follows the word `position`
        self.think = think  # of a search whose limit names no time
        self.late = 0.0  # added to every search that ends by itself
        self.slow_stop = 0.0
        self.score = 20
        self.infos = [
            f"depth {depth} seldepth {depth + 1} multipv 1 {{score}} nodes {20 * depth} nps 20000 "
            f"time {depth} pv {{move}} {{ponder}}"
            for depth in (1, 2, 3)
        ]
        self.answer = ["bestmove {move} ponder {ponder}" if ponder else "bestmove {move}"]
        self.options: list[str] = []  # beside the protocol's own
        self.endless = False  # no search ends before `stop`
        self.early = False  # no search waits for `stop`
        self.strict = False
        self.exit = "1"  # how it dies: an exit code or a signal's name
        self.ignored: set[str] = set()
        self.withheld: set[str] = set()
        self.after: dict[str, list[Action]] = {}
        self.filters: list[Callable[[bytes], bytes]] = []
        self.pieces: Callable[[bytes], list[bytes]] = whole

    def once(self, word: str, action: Action) -> None:
        """Adds what is done after a word."""
        self.after.setdefault(word, []).append(action)
