"""The UCI front: UCI's words on one side, the player on the other."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from engines.builtin import AUTHOR, NAME, NOTICE, VERSION, games
from engines.builtin.clock import Limits
from engines.builtin.front import Front

if TYPE_CHECKING:
    from engines.builtin.player import Player
    from engines.builtin.search import Progress

VARIANT = "chess"
HASH_MB = 32


class Option(NamedTuple):
    """One UCI option: how it is declared and what its value does to the player."""

    name: str
    kind: str
    default: str
    apply: Callable[[Player, str], None]
    low: int = 0
    high: int = 0
    choices: tuple[str, ...] = ()

    def declaration(self) -> str:
        """The line that offers it."""
        words = [f"option name {self.name} type {self.kind}"]
        if self.kind != "button":
            words.append(f"default {self.default}")
        if self.kind == "spin":
            words.append(f"min {self.low} max {self.high}")
        words += [f"var {choice}" for choice in self.choices]
        return " ".join(words)

    def value(self, text: str) -> str:
        """The value meant, in the option's own spelling. Raises ValueError, one sentence, if it is none."""
        if self.kind == "spin":
            if not text.lstrip("-").isdecimal() or not self.low <= int(text) <= self.high:
                raise ValueError(f"{self.name} takes a number from {self.low} to {self.high}, not {text!r}")
            return text
        allowed = {"check": ("true", "false"), "combo": self.choices}.get(self.kind)
        if allowed is None:
            return text
        for choice in allowed:
            if choice.lower() == text.lower():
                return choice
        raise ValueError(f"{self.name} takes {' or '.join(allowed)}, not {text!r}")


def _set_multipv(player: Player, value: str) -> None:
    player.multipv = int(value)


def _set_overhead(player: Player, value: str) -> None:
    player.overhead_ms = int(value)


def _nothing(player: Player, value: str) -> None:
    """Pondering is the other side's business; the option only says that we can."""


OPTIONS = (
    Option("Hash", "spin", str(HASH_MB), lambda player, value: player.resize(int(value)), 1, 4096),
    Option("MultiPV", "spin", "1", _set_multipv, 1, 500),
    Option("Ponder", "check", "false", _nothing),
    Option("Clear Hash", "button", "", lambda player, value: player.forget()),
    Option("Move Overhead", "spin", "30", _set_overhead, 0, 5000),
    Option("UCI_Chess960", "check", "false", lambda player, value: player.choose(chess960=value == "true")),
    Option(
        "UCI_Variant",
        "combo",
        VARIANT,
        lambda player, value: player.choose(variant=value),
        choices=games.names(),
    ),
)

# The words of `go` that take a number, and all that may begin a part of it.
NUMBERS = {"depth", "nodes", "movetime", "mate", "movestogo", "wtime", "btime", "winc", "binc"}
GO_WORDS = NUMBERS | {"infinite", "ponder", "searchmoves"}


class Uci(Front):
    """UCI as `shredderchess.com` describes it, on standard input and output."""

    @cached_property
    def player(self) -> Player:
        """The player; made when first needed, so that `uci` is answered before the rules are loaded."""
        from engines.builtin.player import Player

        return Player(VARIANT, HASH_MB)

    def _uci(self, words: Sequence[str]) -> None:
        options = (option.declaration() for option in OPTIONS)
        self.tell(f"id name {NAME} {VERSION}", f"id author {AUTHOR}", *options, "uciok")
        _ = self.player.game  # load the rules while the other side reads

    def _ready(self, words: Sequence[str]) -> None:
        self.tell("readyok")

    def _ready_now(self, words: Sequence[str]) -> bool:
        if not self.searching():
            return False  # behind the commands that wait: readyok says that they are done
        self.tell("readyok")
        return True

    def _stop(self, words: Sequence[str]) -> bool:
        for cue in self.outstanding():
            cue.stop()
        return True

    def _hit(self, words: Sequence[str]) -> bool:
        for cue in self.outstanding():
            cue.hit()
        return True

    def _new_game(self, words: Sequence[str]) -> None:
        self.player.forget()

    def _set_option(self, words: Sequence[str]) -> None:
        lowered = [word.lower() for word in words]
        if not lowered or lowered[0] != "name":
            self.tell("info string error: setoption needs: name NAME [value VALUE]")
            return
        cut = lowered.index("value") if "value" in lowered else len(words)
        name, value = " ".join(lowered[1:cut]), " ".join(words[cut + 1 :])
        for option in OPTIONS:
            if option.name.lower() == name:
                try:
                    option.apply(self.player, option.value(value))
                except ValueError as error:
                    self.tell(f"info string error: {error}")
                return
        self.tell(f"info string error: no such option: {' '.join(words[1:cut])}")

    def _position(self, words: Sequence[str]) -> None:
        cut = words.index("moves") if "moves" in words else len(words)
        head, moves = words[:cut], words[cut + 1 :]
        try:
            if head[:1] == ["startpos"]:
                self.player.set_up(None, moves)
            elif head[:1] == ["fen"]:
                self.player.set_up(" ".join(head[1:]), moves)
            else:
                raise ValueError("position needs: startpos or fen FEN, then moves")
        except ValueError as error:
            self.tell(f"info string error: {error}; the position stays as it was")

    def _go(self, words: Sequence[str]) -> None:
        self.tell(f"info string {NOTICE}")
        verdict = self.player.think(self._limits(words), self.cue, self._report)
        if verdict.best is None:
            if verdict.lost is None:
                self.tell("info string error: no legal move among the searchmoves")
            else:
                self.tell(f"info depth 0 score {'mate 0' if verdict.lost else 'cp 0'}")
            self.tell("bestmove (none)")
        elif verdict.ponder is None:
            self.tell(f"bestmove {verdict.best}")
        else:
            self.tell(f"bestmove {verdict.best} ponder {verdict.ponder}")

    def _limits(self, words: Sequence[str]) -> Limits:
        groups = _go_words(words)
        numbers: dict[str, int] = {}
        for word in NUMBERS & groups.keys():
            with contextlib.suppress(ValueError, IndexError):  # a bad value loses its word, never the search
                numbers[word] = max(0, int(groups[word][0]))
        mine, other = ("w", "b") if self.player.game.white_to_move() else ("b", "w")
        bounded = numbers.keys() - {"movestogo", "winc", "binc"}
        return Limits(
            depth=numbers.get("depth"),
            nodes=numbers.get("nodes"),
            movetime=numbers.get("movetime"),
            mate=numbers.get("mate"),
            time=numbers.get(f"{mine}time", numbers.get(f"{other}time")),
            increment=numbers.get(f"{mine}inc", 0),
            moves_to_go=numbers.get("movestogo"),
            infinite="infinite" in groups or not bounded,
            ponder="ponder" in groups,
            searchmoves=tuple(groups["searchmoves"]) if "searchmoves" in groups else None,
        )

    def _report(self, progress: Progress[str]) -> None:
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

    def _diagram(self, words: Sequence[str]) -> None:
        self.tell(*self.player.game.diagram().splitlines())

    commands: ClassVar[Mapping[str, Callable[..., None]]] = {
        "uci": _uci,
        "isready": _ready,
        "ucinewgame": _new_game,
        "setoption": _set_option,
        "position": _position,
        "go": _go,
        "d": _diagram,
    }
    urgent: ClassVar[Mapping[str, Callable[..., bool]]] = {
        "isready": _ready_now,
        "stop": _stop,
        "ponderhit": _hit,
    }
    searches = frozenset({"go"})
    end = "quit"


def _go_words(words: Sequence[str]) -> dict[str, list[str]]:
    """Each known word of a `go` with what follows it; what precedes them all is passed over."""
    groups: dict[str, list[str]] = {}
    current: list[str] = []
    for word in words:
        if word in GO_WORDS:
            current = groups.setdefault(word, [])
        else:
            current.append(word)
    return groups
