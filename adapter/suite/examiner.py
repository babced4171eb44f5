"""One engine process set before case after case: asked, watched while it thinks, judged."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import msgspec

from adapter.analysis import Analysis, limit_dict
from adapter.engine import Engine, SearchHandle
from adapter.errors import (
    EngineDied,
    EngineError,
    EngineProtocolError,
    EngineStartError,
    IllegalEngineMove,
)
from adapter.position import Position
from adapter.suite import verdict
from adapter.suite.case import SuiteCase, depths
from adapter.suite.contender import EngineEntry
from adapter.suite.count import PerftCount, differences, engine_count
from adapter.suite.proof import verify_mate
from adapter.suite.result import CaseResult
from adapter.suite.section import Section
from adapter.suite.tape import MemoryRecorder
from adapter.suite.trail import FoundSolution, SolutionTracker
from adapter.suite.verdict import CaseVerdict
from adapter.validate import STOPPED_EARLY, make_request

OwnCount = Callable[[SuiteCase, int], Awaitable[PerftCount]]

LOOK = 1.0  # seconds between two looks at what a search has reported
SHOWN_DIFFERENCES = 3  # moves with a wrong count that are named

# What an engine did wrong, by the class of error, as reports name it.
FAULTS = {
    "EngineTimeout": "engine-timeout",
    "EngineDied": "engine-died",
    "EngineProtocolError": "engine-protocol",
    "IllegalEngineMove": "illegal-engine-move",
}


class CaseRunner:
    """Asks one engine, started when it is needed and anew after it failed. Always `close` it.

    `own_count` gives our own count of a case's lines; the transcripts of cases that failed go to
    `transcripts`, if anywhere.
    """

    def __init__(
        self, contender: EngineEntry, seat: int, *, own_count: OwnCount, transcripts: Path | None = None
    ) -> None:
        self._contender = contender
        self._tape = MemoryRecorder()
        self.engine = self._new_engine()
        self._seat = seat
        self._own_count = own_count
        self._transcripts = transcripts
        self._cannot_count = ""

    async def close(self) -> None:
        """Ends the engine."""
        await self.engine.close()

    def _new_engine(self) -> Engine:
        return Engine(self._contender.found, self._contender.options, self._tape)

    async def _renew(self) -> None:
        """Puts a new engine in the place of one that failed: each failure costs one case, however many."""
        await self.engine.close()
        self.engine = self._new_engine()

    async def examine(self, case: SuiteCase, number: int, section: Section) -> CaseResult:
        """The result of one case of the section of that number. What the engine does wrong, its death too,
        is the case's result.

        Raises EngineStartError for an engine that does not start (again); LimitError, OptionError and
        ConfigError for what no engine of the kind can be asked.
        """
        self._tape.cut()
        begun = time.monotonic()
        fault = None
        judged: dict[str, Any]
        try:
            judged = await (
                self._count(case, section) if case.expected.counting else self._ask(case, section)
            )
        except EngineStartError:
            # no case's fault, and none can be judged without it
            raise
        except EngineError as error:
            judged = {"note": str(error), **_left(error)}
            fault = FAULTS.get(type(error).__name__, "engine")
            await self._renew()
        result = CaseResult(
            seat=self._seat,
            section=number,
            id=case.id,
            engine=self.engine.name,
            fen=case.fen,
            variant=case.variant,
            expected=case.expected.plain(),
            asked=case.shown,
            max_points=case.expected.max_points,
            limit=limit_dict(section.limit_of(case)),
            ms=round((time.monotonic() - begun) * 1000),
            fault=fault,
            **judged,
        )
        if self._transcripts is None or result.solved or not self._tape.spoken:
            return result
        # several engines, parts of a run and lines may know a case of that name
        name = f"{self._seat + 1}-{number + 1}-{case.line}-{case.id}"
        return msgspec.structs.replace(result, transcript=self._tape.write(self._transcripts, name))

    # --- moves and mates ----------------------------------------------------------------------------

    async def _ask(self, case: SuiteCase, section: Section) -> dict[str, Any]:
        position, expected = case.position, case.expected
        assert position is not None
        finished = verdict.on_finished(expected, position)
        if finished is not None:
            return _told(finished)
        trail, analysis, again = await self._search(case, section)
        judged = verdict.on_move(expected, analysis.best, position)
        if judged.solved and expected.mate is not None:
            judged = await self._on_mate(judged, case, section, analysis)
        cut = [note for note in analysis.notes if note in STOPPED_EARLY.values()]
        found = trail.end(solved=judged.solved)
        told = {**_told(judged), **_answer(analysis), **_when(found)}
        return {**told, "note": "; ".join(filter(None, (judged.note, again, *cut)))}

    async def _search(self, case: SuiteCase, section: Section) -> tuple[SolutionTracker, Analysis, str]:
        """How the search went, its result, and a remark where the engine had to be asked twice."""
        pursuit, trail = await self._begin(case, section)
        try:
            return trail, await self._follow(pursuit, trail), ""
        except EngineDied as error:
            if pursuit.driver.begun_at(pursuit.running.search) is not None:
                raise
            # it died before it began on this case, of the one before
            await self._renew()
            pursuit, trail = await self._begin(case, section)
            return trail, await self._follow(pursuit, trail), f"asked again after {error}"

    async def _begin(self, case: SuiteCase, section: Section) -> tuple[SearchHandle, SolutionTracker]:
        assert case.position is not None
        pursuit = await self.engine.begin(
            make_request(case.position, section.limit_of(case)),
            multipv=section.multipv,
            options=None,
            new_game=section.new_game,
            timeout=None,
            streamed=True,
        )
        return pursuit, SolutionTracker(case.expected, case.position, pursuit.driver.dialect)

    async def _follow(self, pursuit: SearchHandle, trail: SolutionTracker) -> Analysis:
        """The search's result; its reports are taken now and then, so that they do not pile up."""
        result = asyncio.ensure_future(self.engine.conclude(pursuit))
        try:
            while not result.done():
                await asyncio.wait((result,), timeout=LOOK)
                for info in pursuit.driver.reports(pursuit.running):
                    trail.see(info)
            return result.result()
        finally:
            result.cancel()
            await asyncio.wait((result,))

    async def _on_mate(
        self, judged: CaseVerdict, case: SuiteCase, section: Section, analysis: Analysis
    ) -> CaseVerdict:
        position, moves = case.position, case.expected.mate
        assert position is not None
        assert moves is not None
        note = verdict.unclaimed(case.expected, analysis)
        if not note:
            limit = section.limit_of(case)
            note = await verify_mate(position, analysis, moves, lambda here: self.engine.analyze(here, limit))
        return msgspec.structs.replace(judged, solved=not note, note=note)

    # --- counts -------------------------------------------------------------------------------------

    async def _count(self, case: SuiteCase, section: Section) -> dict[str, Any]:
        wanted = depths(case.expected.counts, section.given(case))
        position = case.position
        note = f"counted by our rules alone: {case.refused}" if position is None else ""
        if position is not None and position.outcome is not None:
            note, position = "counted by our rules alone: the game is over", None
        for depth, expected in wanted:
            ours = await self._own_count(case, depth)
            theirs = None
            if position is not None:
                try:
                    theirs = await self._their_count(position, depth)
                except EngineProtocolError:
                    if ours.nodes == expected:
                        raise
            if ours.nodes != expected:
                also = f", and {self.engine.name} {theirs.nodes}" if theirs else ""
                return {
                    "note": f"depth {depth}: expected are {expected}, but our rules count {ours.nodes}{also}"
                }
            if theirs is not None and not ours.agrees(theirs):
                wrong = "; ".join(differences(ours, theirs)[:SHOWN_DIFFERENCES])
                said = f"depth {depth}: {self.engine.name} counts {theirs.nodes}, expected are {expected}"
                return {"note": f"{said} ({wrong})" if wrong else said, "best": None}
        return {"solved": True, "note": note, "solved_depth": wanted[-1][0]}

    async def _their_count(self, position: Position, depth: int) -> PerftCount:
        """The engine's count; one that cannot count is asked no second time."""
        if self._cannot_count:
            raise EngineProtocolError(self._cannot_count, engine=self.engine.name)
        try:
            return await engine_count(self.engine, self._tape, position, depth)
        except EngineProtocolError as error:
            self._cannot_count = str(error)
            raise


def _told(judged: CaseVerdict) -> dict[str, Any]:
    return {"solved": judged.solved, "points": judged.points, "note": judged.note}


def _answer(analysis: Analysis) -> dict[str, Any]:
    best = analysis.best
    if best is None:
        return {"score": _plain(analysis)}
    return {"best": best.move, "answer": best.san, "score": _plain(analysis)}


def _plain(analysis: Analysis) -> dict[str, int] | None:
    """The score as JSON types."""
    score: dict[str, int] | None = msgspec.to_builtins(analysis.score)
    return score


def _when(found: FoundSolution) -> dict[str, Any]:
    return {"solved_depth": found.depth, "solved_ms": found.ms, "solved_nodes": found.nodes}


def _left(error: EngineError) -> dict[str, Any]:
    """What a search that failed had found until then, as far as it is worth telling."""
    partial = error.partial
    if not isinstance(partial, Analysis) or isinstance(error, IllegalEngineMove):
        return {}
    return {"score": _plain(partial)}
