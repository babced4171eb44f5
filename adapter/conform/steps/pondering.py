"""Thinking on the opponent's time: no move before `ponderhit` or `stop`, and one soon after."""

from __future__ import annotations

from adapter.conform.candidate import PATIENCE, EngineUnderTest
from adapter.conform.fault import ConformFailure
from adapter.conform.step import Check
from adapter.conform.steps.clocks import LATER
from adapter.conform.talk import EngineTalk
from engines.limits import Limit

_CLOCK = Limit(wtime=500, btime=500)


async def _hit(candidate: EngineUnderTest) -> str:
    return await candidate.patiently(lambda: _ponder(candidate, str(candidate.dialect.ponder_hit), 0.5))


async def _missed(candidate: EngineUnderTest) -> str:
    return await candidate.patiently(lambda: _ponder(candidate, candidate.dialect.stop, 0.0))


async def _ponder(candidate: EngineUnderTest, ending: str, budget: float) -> str:
    """Ponders where a mate is to be found: that is no reason to end. Then ends as told."""
    position = candidate.position(candidate.arena.mate_in_one.text)
    talk = await candidate.talk()
    if "Ponder" in candidate.options:
        talk.send(candidate.setting("Ponder", True))
    lag = await candidate.lag(talk)
    told = 0.0

    async def listen(talk: EngineTalk) -> None:
        nonlocal told
        await talk.during(LATER)
        if not talk.searching:
            last = talk.last("bestmove")
            raise ConformFailure(f"{last.text!r} before {ending}: it ends pondering by itself")
        talk.send(ending)
        told = talk.sent.at

    go = candidate.plan(position, _CLOCK).go.replace("go ", "go ponder ", 1)
    answer = await candidate.ask(position, go, during=listen, seconds=budget + PATIENCE)
    took = answer.ended - told
    seen = f"{took * 1000:.0f} ms behind {ending}"
    candidate.punctual(answer, took - lag - budget, f"its best move comes {seen}")
    return seen


def _ponders(candidate: EngineUnderTest) -> str:
    return "" if "Ponder" in candidate.options else "it does not offer Ponder"


STEPS = (
    Check(name="ponderhit", section="ponder", run=_hit, inapplicable=_ponders),
    Check(name="ponder-stop", section="ponder", run=_missed, inapplicable=_ponders),
)
