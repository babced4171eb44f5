"""Options set: every value that was offered is taken, in any case of letters, and others do no harm."""

from __future__ import annotations

import re

from adapter.conform.candidate import EngineUnderTest
from adapter.conform.fault import ConformFailure, EngineEnded, NoReply
from adapter.conform.step import UCI, Check
from engines.limits import Limit
from engines.options import Option, OptionValue
from engines.protocols.base import Dialect

# What a setting may do beside changing the search: take memory, threads or a file, change the protocol or the
# game. Such options are left alone, or set to small values.
_HEAVY = re.compile(r"hash|cache|memory|thread|split|size|cpu|cores?\b|\bmb\b", re.IGNORECASE)
_ALIEN = re.compile(
    r"protocol|variant|file|path|book|log|learn|save|write|debug|batch|nnue|network|syzygy|egtb|numa",
    re.IGNORECASE,
)
_HARMLESS = re.compile(r"\bclear\b|clear_|^newgame$", re.IGNORECASE)  # what a button may do without asking
_SMALL = 64  # megabytes of a hash, and more than enough of anything else that is heavy
_CHOICES = 4  # values of a combo that are tried
_WRONG = 12  # values out of range that are tried


async def _spins(candidate: EngineUnderTest) -> str:
    tried = 0
    for option in candidate.options:
        if option.kind != "spin" or option.min is None or option.max is None or _ALIEN.search(option.name):
            continue
        heavy = _HEAVY.search(option.name) is not None
        values = (option.min, min(option.max, max(option.min, _SMALL if heavy else option.max)))
        if heavy and "hash" not in option.name.lower():
            values = (option.min, min(option.max, option.min + 1))
        tried += await _set(candidate, option, values)
    return await _and_search(candidate, tried)


async def _others(candidate: EngineUnderTest) -> str:
    tried = 0
    for option in candidate.options:
        if _ALIEN.search(option.name):
            continue
        if option.kind == "check":
            tried += await _set(candidate, option, (option.default != "true", option.default == "true"))
        elif option.kind == "combo":
            tried += await _set(candidate, option, option.choices[:_CHOICES])
        elif option.kind == "button" and _HARMLESS.search(option.name):
            tried += await _set(candidate, option, (None,))
    return await _and_search(candidate, tried)


async def _set(candidate: EngineUnderTest, option: Option, values: tuple[OptionValue, ...]) -> int:
    """Sets an option to each value and back; how many values. Raises Fault naming the value."""
    talk = await candidate.talk()
    for value in values:
        line = candidate.setting(option.name, value)
        talk.send(line)
        try:
            await candidate.ready(talk, candidate.setting_time)
        except (EngineEnded, NoReply) as end:
            raise ConformFailure(f"{line!r}: {end}") from end
    if option.kind != "button" and option.default is not None:
        talk.send(candidate.setting(option.name, option.default))
    return len(values)


async def _and_search(candidate: EngineUnderTest, tried: int) -> str:
    """After all that it still plays."""
    talk = await candidate.talk()
    await candidate.set_up(talk)
    answer = await candidate.ask(candidate.arena.lively, Limit(depth=2))
    candidate.best(answer)
    return f"{tried} values"


async def _case(candidate: EngineUnderTest) -> str:
    """Seen by what MultiPV does."""
    talk = await candidate.talk()
    talk.send(candidate.dialect.set_option("mUlTiPv", "2"))
    answer = await candidate.ask(candidate.arena.lively, Limit(depth=2))
    talk.send(candidate.setting("MultiPV", 1))
    if not any(info.multipv == 2 for info in candidate.infos(answer)):
        raise candidate.charge(answer, "names of options are read in any case, but mUlTiPv 2 gives one line")
    return ""


async def _unknown(candidate: EngineUnderTest) -> str:
    await _survive(candidate, [candidate.dialect.set_option("joho", value) for value in ("3", None)])
    return ""


async def _out_of_range(candidate: EngineUnderTest) -> str:
    lines = []
    for option in candidate.options:
        if option.kind == "spin" and not _ALIEN.search(option.name) and not _HEAVY.search(option.name):
            lines += _wrong(candidate.dialect, option)
    await _survive(candidate, lines[:_WRONG])
    try:
        return await _and_search(candidate, len(lines[:_WRONG]))
    except ConformFailure as fault:
        text = f"after values out of range: {fault}"
        raise ConformFailure(text, sent=fault.sent, received=fault.received) from fault


def _wrong(dialect: Dialect, option: Option) -> list[str]:
    values = [str(option.max + 1)] if option.max is not None else []
    values += [str(option.min - 1)] if option.min is not None else []
    return [dialect.set_option(option.name, value) for value in (*values, "banana")]


async def _survive(candidate: EngineUnderTest, lines: list[str]) -> None:
    talk = await candidate.talk()
    for line in lines:
        talk.send(line)
        try:
            await candidate.ready(talk)
        except (EngineEnded, NoReply) as end:
            raise ConformFailure(f"it does not survive {line!r}: {end}") from end


def _has_multipv(candidate: EngineUnderTest) -> str:
    return "" if "MultiPV" in candidate.options else "it offers no MultiPV to see it by"


def _has_spin(candidate: EngineUnderTest) -> str:
    return "" if any(option.kind == "spin" for option in candidate.options) else "it offers no number to set"


STEPS = (
    Check(name="option-unknown", section="setoption", run=_unknown),
    Check(name="option-case", section="setoption", run=_case, protocols=UCI, inapplicable=_has_multipv),
    Check(name="option-ranges", section="setoption", run=_spins, inapplicable=_has_spin),
    Check(name="option-values", section="setoption", run=_others),
    Check(
        name="option-out-of-range",
        section="setoption",
        run=_out_of_range,
        inapplicable=_has_spin,
        remark=True,
    ),
)
