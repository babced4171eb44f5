"""What the fronts share beyond the wire: a player, its position, one search after another."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from engines.builtin import NOTICE
from engines.builtin.front import Front
from engines.builtin.option import HASH_MB, Option

if TYPE_CHECKING:
    from engines.builtin.clock import Limits
    from engines.builtin.player import Player, Verdict
    from engines.builtin.search import Progress

Words = Sequence[str]


class Host(Front):
    """A front that lets a player think.

    A subclass says which game it begins with (`variant`), how its protocol counts ranks (`first_rank`), what
    stands before free text (`remark`), which options there are, and how a `go` is read and answered.
    """

    variant: ClassVar[str]
    first_rank: ClassVar[int]
    remark: ClassVar[str]
    options: ClassVar[Sequence[Option[Any]]]

    def limits(self, words: Words) -> Limits:
        """The bounds that the words behind `go` name."""
        raise NotImplementedError

    def report(self, progress: Progress[str]) -> None:
        """Tells the best lines so far."""
        raise NotImplementedError

    def answer(self, verdict: Verdict) -> None:
        """Tells the best move, or that there is none."""
        raise NotImplementedError

    @cached_property
    def player(self) -> Player:
        """The player; made when first needed, so that a greeting is answered before the rules are loaded."""
        from engines.builtin.player import Player

        return Player(self.variant, HASH_MB, self.first_rank)

    def complain(self, text: object) -> None:
        """Tells what was wrong about a command."""
        self.tell(f"{self.remark} error: {text}")

    def set_option(self, name: str, value: str) -> None:
        """Sets an option by its name in any case, or complains."""
        for option in self.options:
            if option.name.lower() == name.lower():
                try:
                    option.apply(self, option.value(value))
                except ValueError as error:
                    self.complain(error)
                return
        self.complain(f"no such option: {name}")

    def _ready(self, words: Words) -> None:
        self.tell("readyok")

    def _ready_now(self, words: Words) -> bool:
        if not self.searching():
            return False  # behind the commands that wait: readyok says that they are done
        self.tell("readyok")
        return True

    def _stop(self, words: Words) -> bool:
        for cue in self.outstanding():
            cue.stop()
        return True

    def _hit(self, words: Words) -> bool:
        for cue in self.outstanding():
            cue.hit()
        return True

    def _position(self, words: Words) -> None:
        try:
            self.player.set_up(*read_position(words))
        except ValueError as error:
            self.complain(f"{error}; the position stays as it was")

    def _go(self, words: Words) -> None:
        self.tell(f"{self.remark} {NOTICE}")
        self.answer(self.player.think(self.limits(words), self.cue, self.report))

    def _diagram(self, words: Words) -> None:
        self.tell(*self.player.game.diagram().splitlines())

    commands: ClassVar[Mapping[str, Callable[..., None]]] = {
        "isready": _ready,
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


def read_position(words: Words) -> tuple[str | None, Words]:
    """The FEN (None for the start) and the moves of `fen FEN moves …` or `startpos moves …`.

    Raises ValueError, one sentence, for anything else.
    """
    cut = words.index("moves") if "moves" in words else len(words)
    head, moves = words[:cut], words[cut + 1 :]
    if head[:1] == ["startpos"]:
        return None, moves
    if head[:1] == ["fen"]:
        return " ".join(head[1:]), moves
    raise ValueError("position needs: startpos or fen FEN, then moves")


def grouped(words: Words, known: Collection[str]) -> dict[str, list[str]]:
    """Each known word of a `go` with what follows it; what precedes them all is passed over."""
    groups: dict[str, list[str]] = {}
    current: list[str] = []
    for word in words:
        if word in known:
            current = groups.setdefault(word, [])
        else:
            current.append(word)
    return groups


def numbers(groups: Mapping[str, Words], names: Collection[str]) -> dict[str, int]:
    """The number behind each of these words; a bad value loses its word, never the search."""
    found: dict[str, int] = {}
    for word in names & groups.keys():
        with contextlib.suppress(ValueError, IndexError):
            found[word] = max(0, int(groups[word][0]))
    return found
