"""The errors of fenwire, from the root down to what an engine can do wrong.

`FenwireError` is the root of all. What a caller did wrong and what an engine did wrong never share a
class: the first kind is corrected in the call, the second by another engine or a longer deadline.
"""

from __future__ import annotations

from typing import Any


class FenwireError(Exception):
    """Root of every error this project raises on purpose; its text is one sentence fit for a user."""


class ConfigError(FenwireError):
    """A profile, a suite file or a command line cannot be used as it stands."""


class OptionError(FenwireError):
    """An engine option that the engine did not offer, or a value outside what it offered."""


class LimitError(FenwireError):
    """A search limit that contradicts itself, or that this engine cannot keep and we cannot keep for it."""


class MissingExtra(FenwireError):
    """A feature needs an optional dependency; the text names the extra to install."""


class StoreError(FenwireError):
    """A store of results cannot be opened, read or written; what was stored before is kept."""


class ClusterError(FenwireError):
    """The machines of a cluster cannot be reached, do not fit together, or were lost."""


class EngineError(FenwireError):
    """An engine failed.

    `engine` is the name it is known by, `transcript_tail` the last lines exchanged (oldest first, `> `
    sent, `< ` received), `transcript` the file that holds all of them where they are recorded, `stderr_tail`
    the last lines of its standard error, `partial` what the search had found before it failed (an `Analysis`,
    or None).
    """

    def __init__(
        self,
        message: str,
        *,
        engine: str = "",
        transcript_tail: tuple[str, ...] = (),
        stderr_tail: tuple[str, ...] = (),
        partial: Any = None,
        transcript: str | None = None,
    ) -> None:
        super().__init__(message if transcript is None else f"{message}; the whole talk is in {transcript}")
        self.engine = engine
        self.transcript_tail = transcript_tail
        self.stderr_tail = stderr_tail
        self.partial = partial
        self.transcript = transcript


class EngineStartError(EngineError):
    """The program could not be started, or is no engine of the protocol it was started for."""


class EngineTimeout(EngineError):
    """A deadline passed and the engine was ended; `partial` holds what it had found."""


class EngineDied(EngineError):
    """The process ended by itself; `exit_code` or `signal` (a number, POSIX only) says how."""

    def __init__(
        self, message: str, *, exit_code: int | None = None, signal: int | None = None, **rest: Any
    ) -> None:
        super().__init__(message, **rest)
        self.exit_code = exit_code
        self.signal = signal


class EngineProtocolError(EngineError):
    """The engine broke its protocol in a way no answer can be taken from."""


class IllegalEngineMove(EngineError):
    """The engine's best move is not legal in the position it was given, or it named none with moves left."""
