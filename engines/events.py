"""What a session tells its driver: the few things somebody waits for. Reports of a search are not among
them; they are kept in its `Search`."""

from __future__ import annotations

import msgspec

from engines.search import Search


class Greeted(msgspec.Struct, frozen=True):
    """The handshake is complete."""


class Answered(msgspec.Struct, frozen=True):
    """A ping was answered; `waiting` says how many are still out."""

    waiting: int


class Begun(msgspec.Struct, frozen=True):
    """The fence before a search has fallen: what comes from here on is its own."""

    search: Search


class Stopped(msgspec.Struct, frozen=True):
    """A watched bound was reached and `stop` is on its way."""

    search: Search


class Finished(msgspec.Struct, frozen=True):
    """A search has its best move, or the engine's word that there is none."""

    search: Search


class Reported(msgspec.Struct, frozen=True):
    """A streamed search has reports to drain."""

    search: Search


class Gone(msgspec.Struct, frozen=True):
    """The engine's output has ended."""


Event = Greeted | Answered | Begun | Stopped | Finished | Reported | Gone
