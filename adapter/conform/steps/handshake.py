"""The greeting: the engine names itself, offers its options, and says that it has done so."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from adapter.conform import grammar
from adapter.conform.candidate import EngineUnderTest
from adapter.conform.fault import ConformFailure, ConformWarning
from adapter.conform.step import UCCI, UCI, Check
from engines.connection import WireLine

# UCI, "option": these names have a fixed meaning, and so a type, and some a default.
_FIXED = {
    "Hash": ("spin", None),
    "NalimovPath": ("string", None),
    "NalimovCache": ("spin", None),
    "Ponder": ("check", None),
    "OwnBook": ("check", None),
    "MultiPV": ("spin", "1"),
    "UCI_ShowCurrLine": ("check", "false"),
    "UCI_ShowRefutations": ("check", "false"),
    "UCI_LimitStrength": ("check", "false"),
    "UCI_Elo": ("spin", None),
    "UCI_AnalyseMode": ("check", None),
    "UCI_Opponent": ("string", None),
    "UCI_EngineAbout": ("string", None),
    "UCI_ShredderbasesPath": ("string", None),
    "UCI_SetPositionValue": ("string", None),
}


async def _greet(candidate: EngineUnderTest) -> str:
    talk = await candidate.open()
    heard = await candidate.greet(talk)
    candidate.learn(heard)
    return f"{talk.word('hello')} after {heard[-1].at - talk.opened_at:.2f} s"


async def _idle(candidate: EngineUnderTest) -> str:
    """Nothing of the greeting comes late, and nothing is searched before a `go`."""
    talk = await candidate.talk()
    heard = await talk.during(0.1)
    await candidate.set_up(talk)
    for line in (*heard, *await talk.during(0.2)):
        meaning = talk.means(line)
        if meaning in ("id", "option", "hello"):
            raise ConformFailure(f"{line.text!r} comes behind {talk.word('hello')}")
        if _is_search(line):
            raise ConformFailure(f"{line.text!r}, though nothing was asked")
    return ""


async def _name(candidate: EngineUnderTest) -> str:
    return _identity(candidate, "name")


async def _author(candidate: EngineUnderTest) -> str:
    return _identity(candidate, "author")


def _identity(candidate: EngineUnderTest, what: str) -> str:
    lines = [line.words for line in candidate.said("id") if line.words[1:2] == [what]]
    if not lines:
        raise ConformFailure(f"no `id {what}`")
    if len(lines[0]) < 3:
        raise ConformFailure(f"`id {what}` names nobody")
    if len(lines) > 1:
        raise ConformFailure(f"`id {what}` comes {len(lines)} times")
    return " ".join(lines[0][2:])


async def _option_grammar(candidate: EngineUnderTest) -> str:
    lines = candidate.said("option")
    for line in lines:
        wrong = grammar.option_fault(candidate.offer(line), candidate.dialect)
        if wrong:
            raise ConformFailure(
                f"{line.text!r}: {wrong}", sent=(candidate.dialect.hello,), received=(line.text,)
            )
    return f"{len(lines)} options"


async def _option_once(candidate: EngineUnderTest) -> str:
    names = Counter(candidate.offer(line).name.lower() for line in candidate.said("option"))
    for name, count in names.items():
        if count > 1:
            raise ConformFailure(f"option {name!r} is offered {count} times")
    return ""


async def _option_types(candidate: EngineUnderTest) -> str:
    fixed = {name.lower(): wanted for name, wanted in _FIXED.items()}
    for option in candidate.options:
        kind, default = fixed.get(option.name.lower(), (None, None))
        if kind is not None and option.kind != kind:
            raise ConformFailure(f"option {option.name} is a {kind}, not a {option.kind}")
        if default is not None and option.default != default:
            raise ConformFailure(f"the default of {option.name} is {default}, not {option.default}")
    return ""


async def _uci_names(candidate: EngineUnderTest) -> str:
    for option in candidate.options:
        if {"name", "value"} & set(option.name.lower().split()):
            raise ConformWarning(f"the name {option.name!r} holds a key of setoption")
    return ""


async def _ucci_names(candidate: EngineUnderTest) -> str:
    odd = [option.name for option in candidate.options if option.name != option.name.lower()]
    if odd:
        raise ConformWarning(f"names of options are lower case, not {', '.join(odd[:4])}")
    return ""


async def _expected_options(candidate: EngineUnderTest) -> str:
    offered = candidate.options
    if "Hash" not in offered:
        raise ConformWarning("it offers no Hash, which all engines should")
    if ("UCI_LimitStrength" in offered) != ("UCI_Elo" in offered):
        raise ConformWarning("UCI_LimitStrength and UCI_Elo should be offered together")
    return ""


async def _milliseconds(candidate: EngineUnderTest) -> str:
    wanted = candidate.dialect.millisecond_option
    if wanted is not None and wanted not in candidate.options:
        raise ConformWarning("it does not offer usemillisec, which all engines should")
    return ""


def _greeting(candidate: EngineUnderTest) -> tuple[Sequence[str], Sequence[str]]:
    return (candidate.dialect.hello,), [line.text for line in candidate.greeting]


def _is_search(line: WireLine) -> bool:
    return line.words[:1] == ["bestmove"] or (line.words[:1] == ["info"] and "pv" in line.words)


STEPS = (
    Check(name="handshake", section="hello", run=_greet),
    Check(name="id-name", section="id", run=_name, protocols=UCI, looks_at=_greeting),
    Check(name="id-author", section="id", run=_author, protocols=UCI, looks_at=_greeting),
    Check(name="id-name", section="id", run=_name, protocols=UCCI, remark=True, looks_at=_greeting),
    Check(name="id-author", section="id", run=_author, protocols=UCCI, remark=True, looks_at=_greeting),
    Check(name="option-grammar", section="option", run=_option_grammar, looks_at=_greeting),
    Check(name="option-once", section="option", run=_option_once, looks_at=_greeting),
    Check(name="option-types", section="option", run=_option_types, protocols=UCI, looks_at=_greeting),
    Check(name="option-names", section="setoption", run=_uci_names, protocols=UCI, looks_at=_greeting),
    Check(name="option-names", section="option", run=_ucci_names, protocols=UCCI, looks_at=_greeting),
    Check(name="option-expected", section="option", run=_expected_options, protocols=UCI, looks_at=_greeting),
    Check(name="option-usemillisec", section="option", run=_milliseconds, protocols=UCCI, looks_at=_greeting),
    Check(name="idle", section="general", run=_idle),
)
