"""What an engine's options are set to, and what a wish for others changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engines.dialects.dialect import Dialect
from engines.options import OptionTable, Wish
from engines.profile import Profile

Setting = tuple[str, str | None]  # a name in the engine's spelling and its value, None for a button


class Settings:
    """The options of one engine as they were set. `values` holds each that was, by the engine's spelling."""

    def __init__(self, table: OptionTable) -> None:
        self.values: dict[str, str] = {}
        self._table = table
        self._settled: dict[str, Wish] | None = None  # asked for last and found to be set

    def changes(self, wishes: Mapping[str, Wish] | None) -> Sequence[Setting]:
        """What of these wishes has to be set, since it is not set so already. Raises OptionError."""
        if not wishes or wishes == self._settled:
            return ()
        changes = [
            (name, value)
            for name, value in self._table.resolve_all(wishes)
            if self._value(name) != (value or "")
        ]
        self._settled = None if changes else dict(wishes)
        return changes

    def took(self, settings: Sequence[Setting]) -> None:
        """Notes that these were sent."""
        if settings:
            self.values.update((name, value or "") for name, value in settings)
            self._settled = None

    def _value(self, name: str) -> str | None:
        option = self._table.get(name)
        return self.values.get(name, option.default if option is not None else None)


def at_start(
    profile: Profile, dialect: Dialect, table: OptionTable, wishes: Mapping[str, Wish]
) -> tuple[list[Setting], list[str]]:
    """What to set before anything else, the profile's options under the caller's wishes, and notes on what
    was odd. Raises OptionError for a wish that cannot be had."""
    notes = [f"option line {option.raw!r}: {option.fault}" for option in table if option.fault]
    # a profile is written for many versions of one engine: what this one lacks is left out
    preset: dict[str, Wish] = {**profile.options, **profile.files}
    if dialect.millisecond_option is not None and dialect.millisecond_option in table:
        preset[dialect.millisecond_option] = True
    notes += [f"the profile's option {name} is not offered" for name in preset if name not in table]
    given = {name.lower() for name in wishes}
    known = {name: value for name, value in preset.items() if name in table and name.lower() not in given}
    return table.resolve_all({**known, **wishes}), notes
