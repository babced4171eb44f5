"""The end: `quit` ends the program, idle or thinking, and so should the end of its input."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from adapter.conform.candidate import EngineUnderTest
from adapter.conform.fault import ConformFailure, ConformWarning
from adapter.conform.step import UCCI, Check, RunCheck
from adapter.conform.talk import EngineTalk
from engines.limits import Limit
from engines.link import describe_exit

END = 2.0  # seconds for the process to be gone
NOTICED = 1.0  # seconds for it to be gone when its input has ended
_Before = Callable[[EngineUnderTest, EngineTalk], Awaitable[None]]


async def _nothing(candidate: EngineUnderTest, talk: EngineTalk) -> None:
    await candidate.ready(talk)


async def _thinking(candidate: EngineUnderTest, talk: EngineTalk) -> None:
    candidate.go(talk, candidate.position(candidate.arena.lively), Limit(infinite=True))
    await talk.during(0.1)


def _quits(before: _Before) -> RunCheck:
    async def run(candidate: EngineUnderTest) -> str:
        talk = await candidate.fresh()
        await before(candidate, talk)
        thinking = talk.searching
        talk.send(candidate.dialect.quit)
        status = await talk.process.wait_exit(END)
        heard = await _last_lines(talk)
        await candidate.leave(polite=False)
        if status is None:
            raise ConformFailure(f"it is still there {END:g} s after {candidate.dialect.quit}")
        how = describe_exit(status)[2]
        if status != 0:
            raise ConformFailure(f"it ends with {how} on {candidate.dialect.quit}")
        for line in () if thinking else heard:
            if line.split()[:1] == ["bestmove"]:
                raise ConformFailure(f"{line!r} to {candidate.dialect.quit} while idle")
        return how

    return run


def _input_ends(before: _Before) -> RunCheck:
    async def run(candidate: EngineUnderTest) -> str:
        talk = await candidate.fresh()
        await before(candidate, talk)
        talk.process.close_input()
        status = await talk.process.wait_exit(NOTICED)
        await _last_lines(talk)
        await candidate.leave(polite=False)
        if status is None:
            raise ConformWarning(f"it is still there {NOTICED:g} s after the end of its input")
        return describe_exit(status)[2]

    return run


async def _bye(candidate: EngineUnderTest) -> str:
    talk = await candidate.fresh()
    talk.send(candidate.dialect.quit)
    await talk.process.wait_exit(END)
    heard = await _last_lines(talk)
    await candidate.leave(polite=False)
    if "bye" not in heard:
        raise ConformWarning(f"it does not say bye to {candidate.dialect.quit}")
    return ""


async def _last_lines(talk: EngineTalk) -> list[str]:
    """What it printed on its way out."""
    await talk.process.wait_last_words(0.5)
    return await talk.rest()


STEPS = (
    Check(name="quit", section="quit", run=_quits(_nothing)),
    Check(name="quit-in-search", section="quit", run=_quits(_thinking)),
    Check(name="bye", section="quit", run=_bye, protocols=UCCI),
    Check(name="end-of-input", section="quit", run=_input_ends(_nothing), remark=True),
    Check(name="end-of-input-in-search", section="quit", run=_input_ends(_thinking), remark=True),
)
