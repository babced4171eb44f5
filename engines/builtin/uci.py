"""The UCI front: UCI's words on one side, the player on the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar, Final

from engines.builtin import AUTHOR, NAME, VERSION, games
from engines.builtin.clock import Limits
from engines.builtin.host import Host, Words, grouped, numbers
from engines.builtin.option import HASH_MB, Option, forget, nothing, set_hash

if TYPE_CHECKING:
    from engines.builtin.player import Verdict
    from engines.builtin.search import Progress

VARIANT: Final = "chess"

# The words of `go` that take a number, and all that may begin a part of it.
NUMBERS: Final = frozenset(
    {"depth", "nodes", "movetime", "mate", "movestogo", "wtime", "btime", "winc", "binc"}
)
GO_WORDS: Final = NUMBERS | {"infinite", "ponder", "searchmoves"}


def _set_multipv(host: Host, value: str) -> None:
    host.player.multipv = int(value)


def _set_overhead(host: Host, value: str) -> None:
    host.player.overhead_ms = int(value)


def _set_chess960(host: Host, value: str) -> None:
    host.player.choose(chess960=value == "true")


def _set_variant(host: Host, value: str) -> None:
    host.player.choose(variant=value)


class Uci(Host):
    """UCI as `shredderchess.com` describes it, on standard input and output."""

    variant = VARIANT
    first_rank = 1  # xiangqi over UCI counts as Fairy-Stockfish does: a1 to i10
    remark = "info string"
    options: ClassVar[Sequence[Option[Host]]] = (
        Option("Hash", "spin", str(HASH_MB), set_hash, 1, 4096),
        Option("MultiPV", "spin", "1", _set_multipv, 1, 500),
        Option("Ponder", "check", "false", nothing),
        Option("Clear Hash", "button", "", forget),
        Option("Move Overhead", "spin", "30", _set_overhead, 0, 5000),
        Option("UCI_Chess960", "check", "false", _set_chess960),
        Option("UCI_Variant", "combo", VARIANT, _set_variant, choices=games.names()),
    )

    def _uci(self, words: Words) -> None:
        options = (f"option name {option.declaration()}" for option in self.options)
        self.tell(f"id name {NAME} {VERSION}", f"id author {AUTHOR}", *options, "uciok")
        _ = self.player.game  # load the rules while the other side reads

    def _new_game(self, words: Words) -> None:
        self.player.forget()

    def _set_option(self, words: Words) -> None:
        lowered = [word.lower() for word in words]
        if not lowered or lowered[0] != "name":
            self.complain("setoption needs: name NAME [value VALUE]")
            return
        cut = lowered.index("value") if "value" in lowered else len(words)
        self.set_option(" ".join(words[1:cut]), " ".join(words[cut + 1 :]))

    def limits(self, words: Words) -> Limits:
        groups = grouped(words, GO_WORDS)
        given = numbers(groups, NUMBERS)
        mine, other = ("w", "b") if self.player.game.white_to_move() else ("b", "w")
        bounded = given.keys() - {"movestogo", "winc", "binc"}
        return Limits(
            depth=given.get("depth"),
            nodes=given.get("nodes"),
            movetime=given.get("movetime"),
            mate=given.get("mate"),
            time=given.get(f"{mine}time", given.get(f"{other}time")),
            increment=given.get(f"{mine}inc", 0),
            moves_to_go=given.get("movestogo"),
            infinite="infinite" in groups or not bounded,
            ponder="ponder" in groups,
            searchmoves=tuple(groups["searchmoves"]) if "searchmoves" in groups else None,
        )

    def report(self, progress: Progress[str]) -> None:
        from engines.builtin.search import told

        milliseconds = int(progress.seconds * 1000)
        speed = int(progress.nodes / max(progress.seconds, 0.001))
        infos = []
        for number, line in enumerate(progress.lines, 1):
            kind, amount = told(line.score)
            infos.append(
                f"info depth {line.depth} seldepth {line.seldepth} multipv {number} score {kind} {amount}"
                f" nodes {progress.nodes} nps {speed} hashfull {progress.hashfull} time {milliseconds}"
                f" pv {' '.join(line.pv)}"
            )
        self.tell(*infos)

    def answer(self, verdict: Verdict) -> None:
        if verdict.best is None:
            if verdict.lost is None:
                self.complain("no legal move among the searchmoves")
            else:
                self.tell(f"info depth 0 score {'mate 0' if verdict.lost else 'cp 0'}")
            self.tell("bestmove (none)")
        elif verdict.ponder is None:
            self.tell(f"bestmove {verdict.best}")
        else:
            self.tell(f"bestmove {verdict.best} ponder {verdict.ponder}")

    commands: ClassVar[Mapping[str, Callable[..., None]]] = {
        **Host.commands,
        "uci": _uci,
        "ucinewgame": _new_game,
        "setoption": _set_option,
    }


FRONT: Final = Uci
