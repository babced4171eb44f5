"""Time kept: a move comes within the time it was given, and at once when it is asked for."""

from __future__ import annotations

import time
from functools import partial

from adapter.conform.candidate import PATIENCE, EngineUnderTest
from adapter.conform.fault import ConformFailure, ConformWarning, NoReply
from adapter.conform.step import UCI, Check, RunCheck
from adapter.conform.talk import EngineTalk
from adapter.position import Position
from engines.limits import Limit

THINKING = 0.15  # seconds into a search that has no end
LATER = 0.4  # seconds in which a search that has no end must not end
_OTHER = {"w": "b", "b": "w"}
_LONG_MS = 120_000  # a clock on which any engine thinks longer than on one of a tenth of a second
_SHORT = Limit(wtime=100, btime=100)
_INCREMENT = Limit(wtime=100, btime=100, winc=100, binc=100)
_CONTROL = Limit(wtime=300, btime=300, movestogo=2)
# By the side to move: little time beside an opponent who has plenty, and the reverse.
_APART = {
    "w": (Limit(wtime=100, btime=_LONG_MS), Limit(wtime=1000, btime=10)),
    "b": (Limit(wtime=_LONG_MS, btime=100), Limit(wtime=10, btime=1000)),
}
_REVERSED = "go {other}time 100 {other}inc 100 {own}time 100 {own}inc 100"


def _timed(*limits: Limit) -> RunCheck:
    """A step that asks for a move of either side within the time of each limit."""

    async def run(candidate: EngineUnderTest) -> str:
        return ", ".join(
            [
                await candidate.patiently(partial(_within, candidate, position, limit))
                for limit in limits
                for position in _sides(candidate)
            ]
        )

    return run


def _sides(candidate: EngineUnderTest) -> tuple[Position, Position]:
    """A lively position of each side."""
    arena = candidate.arena
    return candidate.position(arena.lively), candidate.position(arena.lively_other)


async def _own_clock(candidate: EngineUnderTest) -> str:
    """An engine that takes one clock for the other, or both for one, thinks too long."""
    times = []
    for position in _sides(candidate):
        for limit in _APART[position.side]:
            times.append(await candidate.patiently(partial(_within, candidate, position, limit)))
    return ", ".join(times)


async def _within(candidate: EngineUnderTest, position: Position, limit: Limit, go: str | None = None) -> str:
    """Seconds to the answer. `go` puts the limit in other words than ours."""
    lag = await candidate.lag(await candidate.talk())
    budget = candidate.plan(position, limit).own_seconds or 0.0
    answer = await candidate.ask(position, go or limit, seconds=budget + PATIENCE)
    took = f"{answer.seconds * 1000:.0f} ms"
    candidate.punctual(
        answer, answer.seconds - budget - lag, f"given {budget * 1000:.0f} ms it answers after {took}"
    )
    return took


def _spelled(words: str, limit: Limit) -> RunCheck:
    """The same with the words of `go` given, where `{own}` and `{other}` stand for the sides' letters."""

    async def run(candidate: EngineUnderTest) -> str:
        times = []
        for position in _sides(candidate):
            go = words.format(own=position.side, other=_OTHER[position.side])
            times.append(await candidate.patiently(partial(_within, candidate, position, limit, go)))
        return ", ".join(times)

    return run


async def _reports(candidate: EngineUnderTest) -> str:
    """In a hurry too, it says what it thinks of the move."""
    for limit in (_SHORT, _CONTROL):
        answer = await candidate.ask(candidate.arena.lively, limit)
        if any(info.score is not None for info in candidate.infos(answer)):
            return f"{len(answer.reports)} reports"
    raise candidate.charge(answer, "it reports no score")


async def _other_clock(candidate: EngineUnderTest) -> str:
    """The clock of the other side alone: no limit by the letter, but match programs have sent it."""
    talk = await candidate.talk()
    position = candidate.position(candidate.arena.lively)
    sent = candidate.go(talk, position, f"go {_OTHER[position.side]}time 100")
    try:
        await talk.until("bestmove", 1.0, to=sent[-1])
    except NoReply as silence:
        talk.send(candidate.dialect.stop)
        await talk.until("bestmove", PATIENCE, to=candidate.dialect.stop)
        raise ConformWarning(f"the other side's clock alone makes it search on: {silence}") from None
    return ""


async def _stop(candidate: EngineUnderTest) -> str:
    positions = _sides(candidate)
    return ", ".join([await candidate.patiently(partial(_stopped, candidate, one)) for one in positions])


async def _stopped(candidate: EngineUnderTest, position: Position) -> str:
    lag = await candidate.lag(await candidate.talk())
    answer = await candidate.ask(
        position, Limit(infinite=True), during=partial(_interrupt, candidate, THINKING)
    )
    if answer.by_itself:
        # what the step on endless searches names
        return "it had ended before"
    took = f"{answer.behind_stop * 1000:.0f} ms"
    candidate.punctual(answer, answer.behind_stop - lag, f"it answers {took} behind {candidate.dialect.stop}")
    return took


async def _stop_at_once(candidate: EngineUnderTest) -> str:
    """However short the search, there is a move to answer."""
    for _ in range(2):
        answer = await candidate.ask(
            candidate.arena.lively, Limit(infinite=True), during=partial(_interrupt, candidate, 0.0)
        )
        candidate.best(answer)
    return answer.word


async def _interrupt(candidate: EngineUnderTest, seconds: float, talk: EngineTalk) -> None:
    await talk.during(seconds)
    if talk.searching:
        talk.send(candidate.dialect.stop)


async def _endless(candidate: EngineUnderTest) -> str:
    await _goes_on(candidate, candidate.arena.lively, "go infinite")
    return f"still searching after {LATER:g} s"


async def _endless_mate(candidate: EngineUnderTest) -> str:
    await _goes_on(candidate, candidate.arena.mate_in_one.text, "go infinite, where there is a mate,")
    return f"still searching after {LATER:g} s"


async def _goes_on(candidate: EngineUnderTest, text: str, what: str) -> None:
    answer = await candidate.ask(text, Limit(infinite=True), during=partial(_interrupt, candidate, LATER))
    if answer.by_itself:
        raise candidate.charge(answer, f"{what} ends by itself after {answer.seconds * 1000:.0f} ms")


async def _ready_in_search(candidate: EngineUnderTest) -> str:
    seen = ""

    async def ping(talk: EngineTalk) -> None:
        nonlocal seen
        await talk.during(THINKING)
        asked = time.monotonic()
        talk.send(candidate.dialect.ping)
        heard = await talk.until("ready", 2.0, to=f"{candidate.dialect.ping} during a search")
        seen = f"{talk.word('ready')} after {(time.monotonic() - asked) * 1000:.0f} ms"
        heard += await talk.during(THINKING)
        if not talk.searching:
            last = talk.last("bestmove")
            raise ConformFailure(f"{candidate.dialect.ping} ends the search: {last.text!r}")
        talk.send(candidate.dialect.stop)

    await candidate.ask(candidate.arena.lively, Limit(infinite=True), during=ping)
    return seen


async def _junk_in_search(candidate: EngineUnderTest) -> str:
    async def disturb(talk: EngineTalk) -> None:
        await talk.during(THINKING)
        talk.send("debug on", "joho", "", "debug off")
        await talk.during(THINKING)
        if not talk.searching:
            raise ConformFailure("debug and an unknown command end the search")
        talk.send(candidate.dialect.stop)

    await candidate.ask(candidate.arena.lively, Limit(infinite=True), during=disturb)
    return ""


STEPS = (
    Check(
        name="go-movetime", section="go", run=_timed(Limit(seconds=0.1), Limit(seconds=0.3)), protocols=UCI
    ),
    Check(name="go-clock", section="go", run=_timed(_SHORT)),
    Check(name="go-own-clock", section="go", run=_own_clock),
    Check(name="go-increment", section="go", run=_timed(_INCREMENT)),
    Check(name="go-movestogo", section="go", run=_timed(_CONTROL)),
    Check(name="go-clock-order", section="go", run=_spelled(_REVERSED, _INCREMENT), protocols=UCI),
    Check(name="go-one-clock", section="go", run=_spelled("go {own}time 100", _SHORT), protocols=UCI),
    Check(name="clock-reports", section="info", run=_reports),
    Check(name="go-other-clock", section="go", run=_other_clock, protocols=UCI),
    Check(name="stop", section="stop", run=_stop),
    Check(name="stop-at-once", section="stop", run=_stop_at_once),
    Check(name="go-infinite", section="go", run=_endless),
    Check(name="go-infinite-mate", section="go", run=_endless_mate, protocols=UCI),
    Check(name="isready-in-search", section="ready", run=_ready_in_search),
    Check(name="junk-in-search", section="general", run=_junk_in_search, protocols=UCI),
)
