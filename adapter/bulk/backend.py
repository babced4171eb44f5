"""What a run needs of those who search for it, on this machine or on others."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator
from types import TracebackType
from typing import Protocol, Self

import msgspec

from adapter.bulk.answer import StoredAnalysis
from adapter.bulk.item import CheckedRecord
from adapter.bulk.setup import BulkSetup


class WorkerStatus(msgspec.Struct, frozen=True):
    """One engine at work: which, how many positions it has answered, how often it was started anew, and how
    it is (`running`, `starting`, `given up`, `lost`)."""

    name: str
    answered: int
    restarts: int
    state: str


class Backend(Protocol):
    """Engines of one kind, ready from entering to leaving it.

    Entering raises EngineStartError, OptionError and, for a cluster, ClusterError.
    """

    @property
    def setup(self) -> BulkSetup:
        """The engine as it was set, and the limit. There from entering on."""

    @property
    def variants(self) -> tuple[str, ...]:
        """The games it plays."""

    @property
    def seats(self) -> tuple[WorkerStatus, ...]:
        """The engines."""

    def analyze(
        self, items: AsyncIterator[CheckedRecord]
    ) -> AsyncGenerator[tuple[CheckedRecord, StoredAnalysis], None]:
        """Each item with its answer, as they are done; a bounded number is pulled ahead.

        Raises LimitError for a limit the engine cannot keep, EngineError when no engine is left,
        ClusterError when the cluster is lost, and whatever the items raise.
        """

    async def __aenter__(self) -> Self: ...

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...
