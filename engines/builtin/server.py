"""The engine's side of a protocol on standard input and output, as far as UCI and UCCI agree.

Commands are executed one after another on the main thread, a search included. The reader thread handles only
what must work during a search: `stop`, `ponderhit`, `isready`, `quit`.
"""

from __future__ import annotations

import contextlib
import os
import queue
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from engines.builtin import AUTHOR, NAME, NOTICE, VERSION
from engines.builtin.search import MATE, AlphaBetaSearch, SearchLimits, SearchSignals

if TYPE_CHECKING:
    from engines.builtin.engine import BuiltinEngine

HASH_MB = 32
OVERHEAD_MS = 30

Words = Sequence[str]


class ServerOption(NamedTuple):
    """One option: its name and kind as the protocols have them, and the values it takes."""

    name: str
    kind: str
    default: str
    low: int = 0
    high: int = 0
    choices: tuple[str, ...] = ()
    apply: Callable[[str], object] | None = None  # what must be done at once

    def declaration(self) -> str:
        """The words that offer it, from the name on."""
        words = [f"{self.name} type {self.kind}"]
        if self.kind != "button":
            words.append(f"default {self.default}")
        if self.kind == "spin":
            words.append(f"min {self.low} max {self.high}")
        return " ".join([*words, *(f"var {choice}" for choice in self.choices)])

    def value(self, text: str) -> str:
        """The value in the option's own spelling. Raises ValueError, one sentence, if it is none."""
        if self.kind == "spin":
            if not text.lstrip("-").isdecimal() or not self.low <= int(text) <= self.high:
                raise ValueError(f"{self.name} takes a number from {self.low} to {self.high}, not {text!r}")
            return text
        allowed = {"check": ("true", "false"), "combo": self.choices}.get(self.kind, (text,))
        for choice in allowed:
            if choice.lower() == text.lower():
                return choice
        raise ValueError(f"{self.name} takes {' or '.join(allowed)}, not {text!r}")


class ProtocolServer:
    """An engine that speaks a protocol; a subclass has what the protocols do not agree on."""

    protocol: ClassVar[str]  # the word of the handshake
    uci_variant: ClassVar[str]  # of the game at the start
    first_rank: ClassVar[int]  # its number in the text of moves
    remark: ClassVar[str]  # the words before free text
    option_prefix: ClassVar[str]
    nothing_to_search: ClassVar[str]  # the error if all moves are excluded
    no_move: ClassVar[str]  # the answer if there is no move
    farewell: ClassVar[tuple[str, ...]] = ()

    def __init__(self) -> None:
        self.commands: dict[str, Callable[[Words], None]] = {
            self.protocol: self._handshake,
            "isready": lambda words: self.send("readyok"),
            "setoption": self._set_option,
            "position": self._position,
            "d": lambda words: self.send(self.engine.diagram()),
        }
        self.options = self.make_options()
        self.values = {option.name: option.default for option in self.options}
        self._queue: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._searches: list[SearchSignals] = []  # of the searches requested and not finished
        self._quitting = False
        self._output_lock = threading.Lock()

    def make_options(self) -> tuple[ServerOption, ...]:
        """The options offered."""
        raise NotImplementedError

    def limits(self, words: Words) -> SearchLimits:
        """The limits that the words after `go` name."""
        raise NotImplementedError

    def report(self, search: AlphaBetaSearch) -> None:
        """Send the best lines so far."""
        raise NotImplementedError

    def score(self, score: int) -> str:
        """A score of the search in the protocol's words."""
        raise NotImplementedError

    def option_words(self, words: Words) -> tuple[str, str]:
        """The name and the value after `setoption`. Raises ValueError, one sentence, if there is no name."""
        raise NotImplementedError

    @cached_property
    def engine(self) -> BuiltinEngine:
        """The engine; made when first needed, so that the handshake does not wait for the rules to load."""
        from engines.builtin.engine import BuiltinEngine

        return BuiltinEngine(self.uci_variant, HASH_MB, self.first_rank)

    def resize_table(self, megabytes: str) -> None:
        """Set the size of the transposition table."""
        self.engine.table.resize(int(megabytes))

    def run(self) -> int:
        """Serve until `quit` or the end of input; return the exit code."""
        # a daemon, because it may block in a read that only the other side can end
        threading.Thread(target=self._read, name="reader", daemon=True).start()
        try:
            while (command := self._queue.get()) is not None:
                if not self._quitting:
                    command()
            self.send(*self.farewell)
        except BrokenPipeError:
            return 0
        except KeyboardInterrupt:
            return 130
        return 0

    def send(self, *lines: str) -> None:
        """Write lines together. Raises BrokenPipeError if nobody reads any more."""
        with self._output_lock:
            try:
                sys.stdout.buffer.write("".join(f"{line}\n" for line in lines).encode())
                sys.stdout.buffer.flush()
            except BrokenPipeError:
                # otherwise the interpreter flushes into the closed pipe once more when it exits
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
                raise

    def complain(self, text: object) -> None:
        """Send what was wrong about a command."""
        self.send(f"{self.remark} error: {text}")

    def _read(self) -> None:
        with contextlib.suppress(BrokenPipeError):
            self._quitting = not all(self._receive(line.split()) for line in _lines())
        self._queue.put(None)
        for signals in tuple(self._searches):
            signals.stop()

    def _receive(self, words: list[str]) -> bool:
        """Handle one line; return False if it was `quit`."""
        # UCI: an unknown word is ignored and the rest of the line tried
        while words and words[0] not in self.commands and words[0] not in ("go", "stop", "ponderhit", "quit"):
            del words[0]
        match words:
            case ["quit", *_]:
                return False
            case ["stop" | "ponderhit" as word, *_]:
                for signals in tuple(self._searches):
                    getattr(signals, word)()
            case ["isready", *_] if self._searches:
                self.send("readyok")
            case ["go", *rest]:
                started = SearchSignals()
                self._searches.append(started)
                self._queue.put(lambda: self._go(rest, started))
            case [word, *rest]:
                self._queue.put(lambda: self.commands[word](rest))
        return True

    def _handshake(self, words: Words) -> None:
        options = (f"{self.option_prefix} {option.declaration()}" for option in self.options)
        self.send(f"id name {NAME} {VERSION}", f"id author {AUTHOR}", *options, f"{self.protocol}ok")
        _ = self.engine  # load the rules while the other side reads

    def _set_option(self, words: Words) -> None:
        try:
            name, value = self.option_words(words)
            for option in self.options:
                if option.name.lower() == name.lower():
                    self.values[option.name] = option.value(value)
                    if option.apply is not None:
                        option.apply(self.values[option.name])
                    return
            raise ValueError(f"no such option: {name}")
        except ValueError as error:
            self.complain(error)

    def _position(self, words: Words) -> None:
        """Set up `fen FEN moves …` or `startpos moves …`."""
        cut = words.index("moves") if "moves" in words else len(words)
        try:
            if words[:1] not in (["startpos"], ["fen"]):
                raise ValueError("position needs: startpos or fen FEN, then moves")
            fen = " ".join(words[1:cut]) if words[0] == "fen" else None
            self.engine.set_position(fen, words[cut + 1 :])
        except ValueError as error:
            self.complain(f"{error}; the position stays as it was")

    def _go(self, words: Words, signals: SearchSignals) -> None:
        limits = self.limits(words)
        self.send(f"{self.remark} {NOTICE}")
        legal = self.engine.legal_moves()
        wanted = legal if limits.searchmoves is None else [word.lower() for word in limits.searchmoves]
        banned = [word.lower() for word in limits.banmoves]
        moves = [move for text, move in legal.items() if text in wanted and text not in banned]
        signals.begin(limits, int(self.values.get("Move Overhead", OVERHEAD_MS)))
        search = self.engine.new_search(limits, signals)
        if moves:
            search.run(moves, int(self.values.get("MultiPV", 1)), self.report)
        signals.wait()
        if moves:
            self.send(f"bestmove {self.engine.text(search.lines[0].pv[:2], ' ponder ')}")
        elif legal:
            self.complain(self.nothing_to_search)
            self.send(self.no_move)
        else:
            outcome = self.engine.board.outcome()
            lost = outcome is not None and outcome.winner is not None
            self.send(f"info depth 0 score {self.score(-MATE if lost else 0)}", self.no_move)
        self._searches.remove(signals)


def read_go(words: Words, numeric: Sequence[str], other: Sequence[str]) -> dict[str, Any]:
    """The values of the known words after `go`: the number after a numeric word, if it is one, and the words
    after any other."""
    found: dict[str, Any] = {}
    current: list[str] = []
    for word in words:
        if word in numeric or word in other:
            found[word] = current = []
        else:
            current.append(word)
    for word in numeric & found.keys():
        try:
            found[word] = max(0, int(found[word][0]))
        except (ValueError, IndexError):
            del found[word]
    return found


def _lines() -> Iterator[str]:
    """The lines of standard input.

    Read from the descriptor: a buffered reader is locked while it waits, and an interpreter that exits
    meanwhile would abort.
    """
    pending = b""
    while chunk := os.read(0, 65_536):
        *whole, pending = (pending + chunk).split(b"\n")
        yield from (line.decode("utf-8", "replace") for line in whole)
    if pending:
        yield pending.decode("utf-8", "replace")
