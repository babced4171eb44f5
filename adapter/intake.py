"""What a pass over a pool is given: records, read ahead into the cases that engines are asked about."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterable, Callable, Iterable
from typing import Any

import msgspec

from adapter.analysis import Analysis
from adapter.errors import FenwireError
from adapter.judge import Question
from adapter.position import Position

Record = Position | str
_END: Any = object()


class PoolResult(msgspec.Struct, frozen=True, kw_only=True):
    """What became of one position: `analysis` or `error` is set, the other is None.

    `index` is its place in the input, from 0, and `given` what stood there; `position` is None when that
    could not be read.
    """

    index: int
    given: Record
    position: Position | None = None
    analysis: Analysis | None = None
    error: FenwireError | None = None


class Case(msgspec.Struct, frozen=True):
    """A position that an engine has to be asked about."""

    index: int
    given: Record
    question: Question

    def answered(self, analysis: Analysis) -> PoolResult:
        """Its result."""
        return PoolResult(
            index=self.index, given=self.given, position=self.question.position, analysis=analysis
        )

    def failed(self, error: FenwireError) -> PoolResult:
        """Its result when there is no analysis."""
        return PoolResult(index=self.index, given=self.given, position=self.question.position, error=error)


class Intake:
    """Records read as far ahead as there is room, one after another.

    `read` makes a case of a record and its index, or sees to it itself that one without need of an engine is
    answered; `has_room` says of a number of records pulled whether another may be; `changed` is set whenever
    something has come or nothing more will. `ready` are the cases nobody has taken, `pulled` how many records
    were. Once it is `dry` nothing more is pulled, and `spoilt` holds what the input raised, if that was it.
    """

    def __init__(
        self,
        records: Iterable[Record] | AsyncIterable[Record],
        read: Callable[[int, Record], Case | None],
        *,
        has_room: Callable[[int], bool],
        changed: asyncio.Event,
    ) -> None:
        self.ready: deque[Case] = deque()
        self.pulled = 0
        self.dry = False
        self.spoilt: Exception | None = None
        self._plain = None if isinstance(records, AsyncIterable) else iter(records)
        self._awaited = aiter(records) if isinstance(records, AsyncIterable) else None
        self._read = read
        self._has_room = has_room
        self._changed = changed

    def stock(self, wanted: int) -> None:
        """Reads ahead until so many cases are ready, room and input permitting; nothing of an input that has
        to be awaited."""
        while (
            self._plain is not None
            and len(self.ready) < wanted
            and self._has_room(self.pulled)
            and not self.dry
        ):
            try:
                self._enter(next(self._plain, _END))
            except Exception as error:
                # whatever it is, it is the input's, and told where the input is asked for
                self._spoil(error)

    async def feed(self) -> None:
        """Reads an input that has to be awaited, whenever there is room, to its end; nothing for another."""
        while self._awaited is not None and not self.dry:
            if self._has_room(self.pulled):
                try:
                    self._enter(await anext(self._awaited, _END))
                except Exception as error:
                    self._spoil(error)
            else:
                self._changed.clear()
                await self._changed.wait()

    def _enter(self, given: Record) -> None:
        if given is _END:
            self.dry = True
        else:
            case = self._read(self.pulled, given)
            self.pulled += 1
            if case is not None:
                self.ready.append(case)
        self._changed.set()

    def _spoil(self, error: Exception) -> None:
        # kept for the reader, until all that was read before is answered
        self.spoilt = error
        self.dry = True
        self._changed.set()
