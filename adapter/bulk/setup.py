"""What makes the results of two searches the same: the engine, its options, the limit."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec

from adapter.analysis import EngineIdentity, limit_dict
from adapter.bulk.item import digest
from adapter.engine import SEARCH_OPTIONS
from engines.limits import Limit

_CHUNK = 1 << 20


class BulkSetup(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """An engine as it was set, under one limit.

    `program` is a digest of the program's file: a rebuilt engine is another one, a moved one is not.
    `arguments` are those it was started with, `options` those that were set, `bounds` the limit's.
    """

    engine: str
    protocol: str
    program: str
    arguments: tuple[str, ...]
    options: dict[str, str | int | bool]
    bounds: dict[str, Any]
    multipv: int

    @classmethod
    def of(cls, identity: EngineIdentity, command: Sequence[str], limit: Limit, multipv: int) -> BulkSetup:
        """The setup of an engine that was started by a command and has told its name."""
        # what follows from the position is no part of how the engine was set
        options = {
            name: value for name, value in identity.options.items() if name.lower() not in SEARCH_OPTIONS
        }
        bounds = {name: value for name, value in limit_dict(limit).items() if value is not None}
        return cls(
            engine=identity.name,
            protocol=identity.protocol,
            program=fingerprint(identity.path),
            arguments=tuple(command[1:]),
            options=dict(sorted(options.items())),
            bounds=bounds,
            multipv=multipv,
        )

    @cached_property
    def key(self) -> bytes:
        """The digest of all of it."""
        return digest(msgspec.json.encode(self, order="sorted").decode())

    def __str__(self) -> str:
        return f"{self.engine}, {limit_text(self.bounds, self.multipv)}"

    def difference(self, other: BulkSetup) -> str:
        """In what another setup differs, as names of fields and both values; empty when it does not."""
        told = (
            f"{name} {getattr(self, name)!r} and {getattr(other, name)!r}"
            for name in self.__struct_fields__
            if getattr(self, name) != getattr(other, name)
        )
        return ", ".join(told)


def limit_text(bounds: dict[str, Any], multipv: int) -> str:
    """A limit in words: `nodes 5000, multipv 2`."""
    words = [f"{name} {value:g}" for name, value in bounds.items()]
    return ", ".join([*words, f"multipv {multipv}"] if multipv > 1 else words)


def fingerprint(path: str) -> str:
    """A digest of a program's file; empty for one that may be run but not read."""
    found = hashlib.sha256()
    try:
        with Path(path).open("rb") as program:
            while chunk := program.read(_CHUNK):
                found.update(chunk)
    except OSError:
        return ""
    return found.hexdigest()[:16]
