"""The engine under test: started when a step needs it, set up as its profile says, asked and listened to."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import msgspec

from adapter import games
from adapter.conform.answer import FinalAnswer
from adapter.conform.fault import ConformFailure, ConformWarning, EngineEnded, LateReply
from adapter.conform.talk import EngineTalk
from adapter.errors import ConfigError
from adapter.games.probes import ProbePosition, ProbePositions
from adapter.position import Position
from engines.connection import WireLine
from engines.discovery import ResolvedEngine
from engines.info import Info
from engines.limits import Limit
from engines.options import Option, OptionTable, OptionValue
from engines.protocols import get
from engines.protocols.base import Dialect
from engines.search import GoCommand, make_go_command

PATIENCE = 4.0  # seconds for what any engine at hand does in a tenth of one
SETTING = 10.0  # seconds for options to be set: none of them is set to much
SLACK = 0.5  # seconds over the time given; the machine's own delay is taken off before
ATTEMPTS = 3  # to keep a time
SPARE = 4  # attempts beyond the first in a run: an engine that is always late need not prove it each time

# What makes a search depend on the position and its limit alone, by the names that engines give it.
_SOBER: dict[str, OptionValue] = {"OwnBook": False, "usebook": False, "Threads": 1, "Number of Threads": 1}


class EngineUnderTest:
    """One engine as the steps see it.

    `options` and `greeting` are what it said at its first start, `answers` the searches of the survey.
    """

    def __init__(self, found: ResolvedEngine, variant: str) -> None:
        self.found = found
        self.profile = found.profile
        self.dialect: Dialect = found.profile.dialect()
        # every limit and wish of the protocol is tried, whatever the profile says the engine obeys
        everything = get(self.profile.protocol).capabilities
        self.full = msgspec.structs.replace(self.dialect, capabilities=everything)
        self.variant = games.get(variant)
        if self.variant.probes is None:
            raise ConfigError(f"there are no positions to try an engine of {variant} on")
        self.arena: ProbePositions = self.variant.probes()
        self.options = OptionTable()
        self.greeting: tuple[WireLine, ...] = ()
        self.answers: list[FinalAnswer] = []
        self._spare = SPARE
        self._talk: EngineTalk | None = None
        self._past: list[WireLine] = []  # of the step at hand, with processes that have ended
        self._mark = 0  # how many lines the process had exchanged when the step began
        self._chess960 = self.variant.chess960

    @property
    def setting_time(self) -> float:
        """Seconds that setting options, and starting a game, may take."""
        return min(self.profile.deadlines.ready, SETTING)

    @property
    def start(self) -> Position:
        """The game's first position."""
        return self.position(self.variant.start_fen)

    @property
    def name(self) -> str:
        """What it calls itself; until it has, its profile's title, or its program's where that has none."""
        for line in self.said("id"):
            if len(line.words) > 2 and line.words[1] == "name":
                return " ".join(line.words[2:])
        return Path(self.found.path).name if self.profile.template else self.profile.title

    def learn(self, greeting: Sequence[WireLine]) -> None:
        """Takes its greeting: the options it offers, and what they say of its clock."""
        self.greeting = tuple(greeting)
        self.options = OptionTable(map(self.offer, self.said("option")))
        milliseconds = self.dialect.millisecond_option
        if milliseconds is not None and milliseconds in self.options:
            # it is set whenever the engine is set up, as UCCI 3.0 asks (5.3 (1))
            self.full = msgspec.structs.replace(self.full, clock_unit="ms")

    def said(self, meaning: str) -> list[WireLine]:
        """The lines of its greeting that mean this."""
        heard = self.dialect.reply_words
        return [line for line in self.greeting if line.words and heard.get(line.words[0]) == meaning]

    def offer(self, line: WireLine) -> Option:
        """An option as the line offers it."""
        return self.dialect.read_option(line.text.strip().partition(" ")[2])

    # --- its process ---------------------------------------------------------------------------------

    async def open(self) -> EngineTalk:
        """A new process that was told nothing yet, in the place of the one before, which must be closed.

        Raises EngineStartError.
        """
        self._talk, self._mark = await EngineTalk.start(self.found, self.dialect), 0
        return self._talk

    async def greet(self, talk: EngineTalk) -> list[WireLine]:
        """Its greeting. Raises Silence and Ended."""
        talk.send(self.dialect.hello)
        return await talk.until("hello", self.profile.deadlines.start, to=self.dialect.hello)

    async def talk(self) -> EngineTalk:
        """A conversation with the engine idle and set up; goes on with the last one where that is sound."""
        if self._talk is not None:
            return self._talk
        talk = await self.open()
        try:
            await self.greet(talk)
        except EngineEnded as ended:
            raise ConformFailure(f"it cannot be started again: {ended}") from None
        await self.set_up(talk)
        return talk

    async def fresh(self) -> EngineTalk:
        """The same with a process of its own."""
        await self.leave()
        return await self.talk()

    async def set_up(self, talk: EngineTalk) -> None:
        """Sets what the profile says, and what makes searches sober; waits until the engine is ready."""
        wishes = {**self.profile.options, **self.profile.files}
        sober = {name: value for name, value in _SOBER.items() if name in self.options}
        game: dict[str, OptionValue] = {
            "UCI_Variant": self.variant.uci_variant,
            "UCI_Chess960": self._chess960,
        }
        if self.dialect.millisecond_option is not None:
            game[self.dialect.millisecond_option] = True
        fitting = {name: value for name, value in game.items() if name in self.options}
        for name, value in {**sober, **wishes, **fitting}.items():
            talk.send(self.setting(name, value))
        await self.ready(talk, self.setting_time)

    async def leave(self, *, polite: bool = True) -> None:
        """Ends the process, if there is one."""
        talk = self._talk
        if talk is not None:
            try:
                await talk.leave(polite=polite)
            finally:
                self._past += talk.since(self._mark)
                self._talk = None

    # --- what is exchanged ---------------------------------------------------------------------------

    def mark(self) -> None:
        """A step begins: what is exchanged from here on is its own."""
        self._past = []
        self._mark = 0 if self._talk is None else self._talk.count

    def exchanged(self) -> list[WireLine]:
        """The lines since the mark."""
        return self._past + ([] if self._talk is None else self._talk.since(self._mark))

    @property
    def sound(self) -> bool:
        """Whether there is no process, or one that the next step can go on with."""
        return self._talk is None or not self._talk.searching

    # --- words ---------------------------------------------------------------------------------------

    def setting(self, name: str, value: OptionValue) -> str:
        """The line that sets an option, in the engine's own spelling where it offers it."""
        option = self.options.get(name)
        text = str(value).lower() if isinstance(value, bool) else value
        return self.dialect.set_option(
            option.name if option else name, None if text is None else str(text) or "<empty>"
        )

    def position(self, text: str) -> Position:
        """A position of the game."""
        return Position.parse(text, variant=self.variant.name)

    def plan(self, position: Position, limit: Limit) -> GoCommand:
        """The limit in the protocol's words, all of them, whatever the engine is said to obey."""
        return make_go_command(limit, self.full, self.full.capabilities, side=position.side)

    # --- exchanges -----------------------------------------------------------------------------------

    async def ready(self, talk: EngineTalk, seconds: float = PATIENCE) -> list[WireLine]:
        """Asks whether it is ready; all lines up to its answer."""
        talk.send(self.dialect.ping)
        return await talk.until("ready", seconds, to=self.dialect.ping)

    async def begin_game(self, talk: EngineTalk) -> None:
        """Begins a new game, and waits until the engine is ready for it."""
        talk.send(str(self.dialect.new_game))
        await self.ready(talk, self.setting_time)

    async def lag(self, talk: EngineTalk) -> float:
        """Seconds for a question and its answer: what the machine itself costs at the moment."""
        before = time.monotonic()
        await self.ready(talk)
        return time.monotonic() - before

    def go(
        self, talk: EngineTalk, position: Position, how: Limit | str, *, placed: bool = False
    ) -> tuple[str, ...]:
        """Sends a position, unless the last line `placed` it, and a search; the lines that did both."""
        before = [talk.sent.text] if placed else []
        lines = [] if placed else [position.command(self.dialect)]
        if isinstance(how, str):
            lines.append(how)
        else:
            work = self.plan(position, how)
            lines += [*work.before, work.go]
        talk.send(*lines)
        return (*before, *lines)

    async def ask(
        self,
        position: Position | str,
        how: Limit | str,
        *,
        seconds: float = PATIENCE,
        during: Callable[[EngineTalk], Awaitable[None]] | None = None,
        placed: bool = False,
    ) -> FinalAnswer:
        """One search from `go` to its best move, and what comes behind that until the engine is ready.

        `how` is a limit or the `go` line itself. `during` is called while the engine thinks, and stops it if
        it is to be stopped. Raises Silence after so many seconds without a best move, and Ended.
        """
        if isinstance(position, str):
            position = self.position(position)
        talk = await self.talk()
        began = time.monotonic()
        sent = self.go(talk, position, how, placed=placed)
        count = talk.count
        if during is not None:
            await during(talk)
        if talk.searching:
            await talk.until("bestmove", seconds, to=talk.sent.text)
        exchanged = talk.since(count)
        stops = [line.at for line in exchanged if line.sign == ">" and line.text == self.dialect.stop]
        lines = [line for line in exchanged if line.sign == "<"]
        last = next(i for i, line in enumerate(lines) if talk.means(line) == "bestmove")
        behind = await self.ready(talk)
        return FinalAnswer(
            position=position,
            sent=sent,
            lines=tuple(lines[: last + 1]),
            after=(*lines[last + 1 :], *behind[:-1]),
            began=began,
            stopped=stops[0] if stops else None,
        )

    async def patiently(self, measure: Callable[[], Awaitable[str]]) -> str:
        """What is measured; one that is late is measured again, at most so often and so often in a run."""
        for attempt in range(1, ATTEMPTS + 1):
            try:
                return await measure()
            except LateReply:
                if attempt == ATTEMPTS or not self._spare:
                    raise
                self._spare -= 1
        raise AssertionError("unreachable")

    def punctual(self, answer: FinalAnswer, over: float, text: str) -> None:
        """Raises Late when an answer came so many seconds over its time, and that is too many."""
        if over > SLACK:
            raise LateReply(text, sent=answer.sent, received=answer.heard)

    # --- what it said, by the rules ------------------------------------------------------------------

    def legal(self, position: Position, word: str) -> str | None:
        """The canonical move that the word means on the wire, None when it is not a legal one there."""
        with contextlib.suppress(ValueError):
            move = position.read_wire(word, self.dialect)
            if move in position.legal_moves:
                return move
        return None

    def infos(self, answer: FinalAnswer) -> list[Info]:
        """The reports of an answer, read leniently, without those that are free text alone."""
        found = [self.dialect.read_info(line.text.encode("utf-8", "replace")) for line in answer.reports]
        return [info for info in found if info.string is None or info.pv or info.depth is not None]

    def is_null(self, word: str) -> bool:
        """Whether the word is one that engines say for "no move"."""
        return word.lower() in self.dialect.no_move or word.lower() in self.dialect.null_words

    def best(self, answer: FinalAnswer) -> str:
        """The canonical best move. Raises Fault for one that is not legal."""
        move = self.legal(answer.position, answer.word)
        if move is None:
            text = f"its best move {answer.word} is not legal in {answer.position.fen}"
            other = msgspec.structs.replace(self.dialect, rank_base=1 - self.dialect.rank_base)
            if answer.word in answer.position.wire_moves(answer.position.legal_moves, other):
                text += f"; it would be, were ranks counted from {other.rank_base}"
            raise self.charge(answer, text)
        return move

    def right(self, answer: FinalAnswer, trial: ProbePosition) -> None:
        """Raises Fault for an answer that is not one of the trial's, and Remark for one that is no mate where
        a mate would have shown it: to miss that is weak, but no matter of a protocol."""
        move = self.legal(answer.position, answer.word)
        if move in trial.answers:
            return
        wanted = " or ".join(answer.position.wire_moves(trial.answers, self.dialect))
        if move is not None:
            raise self.remark(answer, f"it misses {wanted}, a mate that would have shown its {trial.kind}")
        raise self.charge(answer, f"it answers {answer.word}, where {wanted} is right")

    def charge(self, answer: FinalAnswer, text: str) -> ConformFailure:
        """A fault that an answer shows."""
        return ConformFailure(text, sent=answer.sent, received=answer.heard)

    def remark(self, answer: FinalAnswer, text: str) -> ConformWarning:
        """A remark on an answer."""
        return ConformWarning(text, sent=answer.sent, received=answer.heard)
