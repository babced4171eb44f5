"""A conformance run: the steps taken one after another with one engine, whatever it does."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from adapter.conform.candidate import EngineUnderTest
from adapter.conform.fault import ConformFinding, ConformWarning, EngineEnded, NoReply
from adapter.conform.step import Check, CheckResult
from adapter.conform.steps import STEPS
from adapter.conform.talk import printable
from adapter.errors import EngineStartError
from engines.connection import WireLine
from engines.discovery import ResolvedEngine
from engines.transcript import Transcript

VAIN = 3  # waits in vain after which the rest is left: each costs seconds, and the engine has fallen short
_FIRST, _LAST, _WIDTH = 12, 28, 400  # lines shown of an exchange, and characters of each

ConformView = Callable[[CheckResult], None]


class ConformReport(msgspec.Struct, frozen=True, kw_only=True):
    """What a run found. `skipped` are steps that do not apply, with the reason; `untried` those that were
    left because the engine had not answered too often, or did not greet."""

    engine: str
    profile: str
    protocol: str
    variant: str
    path: str
    results: tuple[CheckResult, ...]
    skipped: dict[str, str]
    untried: tuple[str, ...]
    seconds: float

    @property
    def faults(self) -> tuple[CheckResult, ...]:
        """The steps that found a fault."""
        return tuple(result for result in self.results if not result.ok)

    @property
    def remarks(self) -> tuple[CheckResult, ...]:
        """The steps that found something worth a remark."""
        return tuple(result for result in self.results if result.remark)

    @property
    def passed(self) -> bool:
        """Whether all that applies was tried and no fault found."""
        return not self.faults and not self.untried

    def public(self) -> dict[str, Any]:
        """The last line of the contract's JSON."""
        return {
            "engine": self.engine,
            "profile": self.profile,
            "protocol": self.protocol,
            "variant": self.variant,
            "path": self.path,
            "passed": self.passed,
            "steps": len(self.results),
            "faults": [result.step for result in self.faults],
            "remarks": [result.step for result in self.remarks],
            "skipped": self.skipped,
            "untried": self.untried,
            "seconds": round(self.seconds, 3),
        }


async def conform(
    found: ResolvedEngine,
    variant: str | None = None,
    *,
    steps: Sequence[Check] = STEPS,
    show: ConformView = lambda result: None,
    begin: Callable[[Check], None] = lambda step: None,
    transcripts: Path | None = None,
) -> ConformReport:
    """Takes the engine through the steps, in the game named or the first its profile plays.

    `begin` and `show` are told of each step and its result; `transcripts` is a folder for a file a step.
    Raises EngineStartError for a program that cannot be started or ends before it greets, and ConfigError
    for a transcript that cannot be written.
    """
    candidate = EngineUnderTest(found, variant or found.profile.variants[0])
    began = time.monotonic()
    results: list[CheckResult] = []
    skipped: dict[str, str] = {}
    untried: list[str] = []
    vain = 0
    try:
        for step in steps:
            if found.profile.protocol not in step.protocols:
                continue
            reason = step.inapplicable(candidate)
            if vain >= VAIN or (results and not candidate.greeting):
                untried.append(step.name)
            elif reason:
                skipped[step.name] = reason
            else:
                begin(step)
                result, waited = await _run_check(candidate, step)
                vain += waited
                results.append(result)
                exchanged = candidate.exchanged()
                if transcripts is not None and exchanged:
                    _write(transcripts, len(results), step, exchanged)
                show(result)
    finally:
        await candidate.leave()
    return ConformReport(
        engine=candidate.name,
        profile=found.profile.name,
        protocol=found.profile.protocol,
        variant=candidate.variant.name,
        path=found.path,
        results=tuple(results),
        skipped=skipped,
        untried=tuple(untried),
        seconds=time.monotonic() - began,
    )


async def _run_check(candidate: EngineUnderTest, step: Check) -> tuple[CheckResult, bool]:
    """One step's result, and whether something was waited for in vain."""
    candidate.mark()
    began = time.monotonic()
    found: ConformFinding | None = None
    seen = ""
    try:
        seen = await step.run(candidate)
    except ConformFinding as finding:
        found = finding
    remark = found is not None and (step.remark or isinstance(found, ConformWarning))
    if isinstance(found, EngineEnded) and not candidate.greeting:
        raise _unstarted(candidate, found)
    exchanged = candidate.exchanged()
    if not candidate.sound or (found is not None and exchanged):
        # whatever it is in the middle of must not be the next step's concern
        await candidate.leave(polite=isinstance(found, ConformWarning))
        exchanged = candidate.exchanged()
    sent, received = step.looks_at(candidate)
    if exchanged:
        sent = [line.text for line in exchanged if line.sign == ">"]
        received = [line.text for line in exchanged if line.sign == "<"]
    if found is not None and (found.sent or found.received):
        sent, received = found.sent, found.received
    result = CheckResult(
        step=step.name,
        section=candidate.dialect.sections[step.section],
        ok=found is None or remark,
        remark=remark,
        sent=_shortened(sent),
        received=_shortened(received),
        message=str(found) if found else seen,
        seconds=time.monotonic() - began,
    )
    return result, isinstance(found, NoReply) or isinstance(found and found.__cause__, NoReply)


def _unstarted(candidate: EngineUnderTest, ended: EngineEnded) -> EngineStartError:
    exchanged = [f"{line.sign} {line.text}" for line in candidate.exchanged()]
    return EngineStartError(
        f"{candidate.name} does not start: {ended} before it greeted",
        engine=candidate.name,
        transcript_tail=tuple(exchanged),
    )


def _shortened(lines: Sequence[str]) -> tuple[str, ...]:
    lines = [printable(line) for line in lines]
    cut = [line if len(line) <= _WIDTH else f"{line[: _WIDTH - 1]}…" for line in lines]
    if len(cut) > _FIRST + _LAST + 1:
        cut[_FIRST:-_LAST] = [f"… {len(cut) - _FIRST - _LAST} lines …"]
    return tuple(cut)


def _write(folder: Path, number: int, step: Check, exchanged: Sequence[WireLine]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with Transcript(folder / f"{number:02}-{step.name}.txt") as transcript:
        for line in exchanged:
            transcript(
                line.at - exchanged[0].at, line.sign, line.text.encode("utf-8", "surrogateescape") + b"\n"
            )
