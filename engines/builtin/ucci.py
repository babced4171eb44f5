"""The UCCI front: words of the Universal Chinese Chess Interface 3.0 on one side, the player on the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Final

from engines.builtin import AUTHOR, NAME, VERSION
from engines.builtin.clock import Limits
from engines.builtin.host import Host, Words, grouped, numbers, read_position
from engines.builtin.option import HASH_MB, Option, forget, nothing, set_hash
from engines.builtin.table import LOWER, UPPER

if TYPE_CHECKING:
    from engines.builtin.player import Verdict
    from engines.builtin.search import Progress

# The words of `go` that take a number, and all that may begin a part of it.
NUMBERS: Final = frozenset(
    {"depth", "nodes", "time", "movestogo", "increment", "opptime", "oppmovestogo", "oppincrement"}
)
GO_WORDS: Final = NUMBERS | {"infinite", "ponder", "draw"}

# UCCI tells all scores by one number: a mate is this less the plies to it, anything else stays well below.
MATED: Final = 9999
CLEAR: Final = 9000


class Ucci(Host):
    """UCCI 3.0 on standard input and output; it plays xiangqi alone, ranks counted from 0."""

    variant = "xiangqi"
    first_rank = 0
    remark = "info message"
    bye = ("bye",)

    def __init__(self) -> None:
        super().__init__()
        self._unit = 1000  # milliseconds; UCCI, "usemillisec": seconds unless that is set
        self._banned: tuple[str, ...] = ()

    def _set_unit(self, value: str) -> None:
        self._unit = 1 if value == "true" else 1000

    options: ClassVar[Sequence[Option[Any]]] = (
        Option("usemillisec", "check", "false", _set_unit),
        Option("hashsize", "spin", str(HASH_MB), set_hash, 1, 4096),
        Option("ponder", "check", "false", nothing),
        Option("newgame", "button", "", forget),
    )

    def _ucci(self, words: Words) -> None:
        options = (f"option {option.declaration()}" for option in self.options)
        self.tell(f"id name {NAME} {VERSION}", f"id author {AUTHOR}", *options, "ucciok")
        _ = self.player.game  # load the rules while the other side reads

    def _set_option(self, words: Words) -> None:
        self.set_option(" ".join(words[:1]), " ".join(words[1:]))

    def _position(self, words: Words) -> None:
        self._banned = ()
        super()._position(words)

    def _ban(self, words: Words) -> None:
        self._banned = tuple(words)

    def _go(self, words: Words) -> None:
        if numbers(grouped(words, GO_WORDS), {"depth"}).get("depth") == 0:
            # UCCI, "go depth": 0 asks for the static score alone
            self.tell(f"info depth 0 score {_plain(self.player.game.evaluate())}", "nobestmove")
            return
        super()._go(words)

    def limits(self, words: Words) -> Limits:
        groups = grouped(words, GO_WORDS)
        given = numbers(groups, NUMBERS)
        clock = given.get("time")
        return Limits(
            depth=given.get("depth"),
            nodes=given.get("nodes"),
            time=None if clock is None else clock * self._unit,
            increment=given.get("increment", 0) * self._unit,
            moves_to_go=given.get("movestogo"),
            infinite="infinite" in groups or not given.keys() & {"depth", "nodes", "time"},
            ponder="ponder" in groups,
            banmoves=self._banned,
        )

    def report(self, progress: Progress[str]) -> None:
        line = progress.lines[0]
        self.tell(
            f"info depth {line.depth} score {_plain(line.score)} nodes {progress.nodes}"
            f" time {int(progress.seconds * 1000)} pv {' '.join(line.pv)}"
        )

    def answer(self, verdict: Verdict) -> None:
        if verdict.best is None:
            if verdict.lost is None:
                self.complain("every legal move is banned")
            else:
                self.tell(f"info depth 0 score {-MATED}")
            self.tell("nobestmove")
        elif verdict.ponder is None:
            self.tell(f"bestmove {verdict.best}")
        else:
            self.tell(f"bestmove {verdict.best} ponder {verdict.ponder}")

    def _probe(self, words: Words) -> None:
        words_out = ["pophash"]
        try:
            found = self.player.recall(*read_position(words))
        except ValueError as error:
            self.complain(error)
            found = None
        if found is not None:
            entry, move = found
            if move is not None:
                words_out += ["bestmove", move]
            for bound, other in (("lowerbound", UPPER), ("upperbound", LOWER)):
                if entry.bound != other:
                    words_out += [bound, str(_plain(entry.score)), "depth", str(entry.depth)]
        self.tell(" ".join(words_out))

    commands: ClassVar[Mapping[str, Callable[..., None]]] = {
        **Host.commands,
        "ucci": _ucci,
        "setoption": _set_option,
        "position": _position,
        "banmoves": _ban,
        "go": _go,
        "probe": _probe,
    }


def _plain(score: int) -> int:
    """A score as UCCI has it."""
    from engines.builtin.search import MATE, SURE

    if abs(score) < SURE:
        return max(-CLEAR, min(CLEAR, score))
    distance = MATED - (MATE - abs(score))
    return distance if score > 0 else -distance


FRONT: Final = Ucci
