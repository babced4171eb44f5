"""One record of the input after its check: a position to be searched, or a reject with its reason."""

from __future__ import annotations

import hashlib

import msgspec

from adapter.errors import FenError, MoveError
from adapter.fen.files import Entry
from adapter.fen.setup_rules import ALLOWED
from adapter.position import Position

KEY_BYTES = 16  # of a digest; two of a billion positions share one with a chance of 10**-21
MOST_TEXT = 1000  # characters of a rejected record that are kept


class ReadOptions(msgspec.Struct, frozen=True):
    """How records are read: the game (or `auto`), the side for those that name none, what is let through."""

    variant: str = "auto"
    side: str | None = None
    allow: tuple[str, ...] = ()
    ply: int | None = None

    @property
    def text(self) -> str:
        """As JSON, the same for all that read the same."""
        plain = msgspec.structs.replace(self, allow=tuple(sorted(set(self.allow))))
        return msgspec.json.encode(plain).decode()


class SourceLocation(msgspec.Struct, frozen=True):
    """Where a record stands: the source, its number there from 1, its line, and its ply in a game."""

    source: str
    record: int
    line: int
    ply: int | None = None


class CheckedRecord(msgspec.Struct, frozen=True):
    """A sound record. `key` tells positions apart; equal ones share it however they were written."""

    place: SourceLocation
    position: Position
    key: bytes


class RejectedRecord(msgspec.Struct, frozen=True):
    """A record that no engine is asked about: `code` is that of its first problem, `reason` one sentence.

    `variant` is the game it was read as, `search` the one whose engine does not play that game, where this
    is the reason.
    """

    place: SourceLocation
    text: str
    code: str
    reason: str
    variant: str = "auto"
    search: int | None = None

    def __str__(self) -> str:
        return f"{self.place.source}:{self.place.line}: {self.reason}"


class Unreadable(msgspec.Struct, frozen=True):
    """A piece of a source that is no record at all: broken JSON, a row without the column."""

    text: str
    source: str
    line: int
    reason: str


def parse_record(
    entry: Entry | Unreadable, number: int, reading: ReadOptions
) -> CheckedRecord | RejectedRecord:
    """Checks the record of that number in its source. Raises ConfigError for a reading that cannot be."""
    if isinstance(entry, Unreadable):
        place = SourceLocation(entry.source, number, entry.line)
        return RejectedRecord(place, entry.text[:MOST_TEXT], "record", entry.reason)
    place = SourceLocation(entry.source, number, entry.line, entry.ply)
    variant = entry.variant if reading.variant == "auto" else reading.variant
    try:
        position = Position.parse(entry.text, variant=variant, side=reading.side, allow=reading.allow)  # type: ignore[arg-type]
    except FenError as error:
        code = next((problem.code for problem in error.problems if problem.severity == "error"), "record")
        return RejectedRecord(place, entry.text[:MOST_TEXT], code, str(error))
    except MoveError as error:
        return RejectedRecord(place, entry.text[:MOST_TEXT], "move", str(error))
    return CheckedRecord(place, position, key_of(position))


def key_of(position: Position) -> bytes:
    """The digest of game, root record and moves.

    The root counts as an engine gets it: an en-passant square that allows no capture makes no other position.
    """
    return digest(position.variant.name, root_of(position), " ".join(position.moves))


def board_of(position: Position) -> bytes:
    """The digest of game, board, side and rights, however it came to them."""
    return digest(position.variant.name, *_captured(position, position.fen).split(" ")[:4])


def root_of(position: Position) -> str:
    """The root record with an en-passant square only where the capture is legal."""
    return _captured(position, position.root_fen)


def _captured(position: Position, fen: str) -> str:
    return fen if fen.split(" ", 4)[3] == "-" else position.variant.board(fen).fen()


def digest(*parts: str) -> bytes:
    """A short digest of some texts."""
    return hashlib.blake2b("\n".join(parts).encode(), digest_size=KEY_BYTES).digest()


def restored(variant: str, root_fen: str, moves: str) -> Position:
    """A position that was checked before it was written down, checked again; what may be let through is.

    Raises FenError and MoveError.
    """
    text = f"{root_fen} moves {moves}" if moves else root_fen
    return Position.parse(text, variant=variant, allow=ALLOWED)
