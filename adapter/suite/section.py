"""A part of a run: cases that share their limits and their pass mark."""

from __future__ import annotations

import re

import msgspec

from adapter.errors import ConfigError
from adapter.suite.case import InvalidLine, SuiteCase, depths
from engines.limits import Limit

DEFAULT_SECONDS = 2.0
_MARK = re.compile(r"(\d+)(%?)")


class PassMark(msgspec.Struct, frozen=True):
    """How many cases must be solved, or points earned: a number, or a share of them in per cent."""

    least: int
    percent: bool = False

    @classmethod
    def read(cls, text: str) -> PassMark:
        """The mark of a text such as `20` or `80%`. Raises ConfigError."""
        match = _MARK.fullmatch(text.strip())
        if match is None or (match[2] and int(match[1]) > 100):
            raise ConfigError(f"a pass mark is a whole number or a percentage (20, 80%), not {text!r}")
        return cls(int(match[1]), bool(match[2]))

    def reached(self, got: int, most: int) -> bool:
        """Whether so many of so many are enough; of none there are never."""
        return most > 0 and (100 * got >= self.least * most if self.percent else got >= self.least)

    def __str__(self) -> str:
        return f"{self.least}{'%' if self.percent else ''}"


class Section(msgspec.Struct, frozen=True, kw_only=True):
    """Cases that are run alike.

    `limit` goes before the cases' own, which go before the section's `default`, and that before
    DEFAULT_SECONDS; `new_game` makes the engine forget what it found before each case. `mark` is how many
    cases an engine must solve, `points_mark` how many points it must earn, None where any result will do.
    """

    name: str
    cases: tuple[SuiteCase, ...]
    bad: tuple[InvalidLine, ...] = ()
    limit: Limit | None = None
    default: Limit | None = None
    multipv: int = 1
    new_game: bool = True
    mark: PassMark | None = None
    points_mark: PassMark | None = None

    def given(self, case: SuiteCase) -> Limit | None:
        """The limit that was given for a case, None where there is none."""
        return self.limit or case.limit or self.default

    def limit_of(self, case: SuiteCase) -> Limit:
        """How long a case is searched."""
        return self.given(case) or Limit(seconds=DEFAULT_SECONDS)

    def leaves(self, case: SuiteCase) -> bool:
        """Whether the limits leave anything of a case to do: no count deeper than them is asked for."""
        return not case.expected.counting or bool(depths(case.expected.counts, self.given(case)))

    @property
    def left_out(self) -> tuple[SuiteCase, ...]:
        """The cases of which the limits leave nothing."""
        return tuple(case for case in self.cases if not self.leaves(case))

    def timed(self, case: SuiteCase) -> bool:
        """Whether the clock ends its search, so that no two runs are alike."""
        limit = self.limit_of(case)
        return limit.seconds is not None or limit.clocked
