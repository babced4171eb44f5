"""What a step may find: a fault of the engine, or a remark that is none."""

from __future__ import annotations

from collections.abc import Sequence


class ConformFinding(Exception):
    """What a step found; its text is one sentence.

    `sent` and `received` are the lines that show it, where they are not simply the step's last ones.
    """

    def __init__(self, text: str, *, sent: Sequence[str] = (), received: Sequence[str] = ()) -> None:
        super().__init__(text)
        self.sent = tuple(sent)
        self.received = tuple(received)


class ConformFailure(ConformFinding):
    """The engine does what its protocol forbids, or not what it demands."""


class ConformWarning(ConformFinding):
    """Worth knowing, but the protocol leaves it open, or programs that drive engines put up with it."""


class NoReply(ConformFailure):
    """Something was waited for in vain."""


class LateReply(ConformFailure):
    """Something came, but later than it had to: worth a second look, as other programs want the processor."""


class EngineEnded(ConformFailure):
    """The engine's process ended, or its output did. `status` is as EngineProcess tells it, None while the
    process goes on."""

    def __init__(self, text: str, status: int | None) -> None:
        super().__init__(text)
        self.status = status
