"""A step of the conformance check, as data, and what came of it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import msgspec

from adapter.conform.candidate import EngineUnderTest

BOTH = ("uci", "ucci")
UCI = ("uci",)
UCCI = ("ucci",)

RunCheck = Callable[[EngineUnderTest], Awaitable[str]]
Why = Callable[[EngineUnderTest], str]
Seen = Callable[[EngineUnderTest], tuple[Sequence[str], Sequence[str]]]


def always(candidate: EngineUnderTest) -> str:
    """For steps that apply to every engine of their protocols."""
    del candidate
    return ""


def nothing(candidate: EngineUnderTest) -> tuple[Sequence[str], Sequence[str]]:
    """For steps that look at nothing but what they exchange themselves."""
    del candidate
    return (), ()


def no_new_game(candidate: EngineUnderTest) -> str:
    """Why no new game can be begun, for the steps that need one."""
    word = candidate.dialect.new_game
    if word is None:
        return "it has no command for a new game"
    # UCCI 3.0, 5.3 (18): newgame is a command to those that offer it as an option
    option = word.removeprefix("setoption ")
    return "" if option == word or option in candidate.options else "it does not offer newgame"


class Check(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that is looked at.

    `run` returns what it saw, a few words or none; it raises Fault or Remark. `section` names a part of the
    specification. `inapplicable` says why the step does not apply to an engine, or is empty. `looks_at` gives
    the lines sent and received that a step judges without an exchange of its own. What a step with `remark`
    finds is a remark: the protocol only advises there.
    """

    name: str
    section: str
    run: RunCheck
    protocols: tuple[str, ...] = BOTH
    inapplicable: Why = always
    looks_at: Seen = nothing
    remark: bool = False


class CheckResult(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a step. `message` is what was seen, the fault, or the remark; `sent` and `received` are
    the lines that show it, long runs of them cut in the middle."""

    step: str
    section: str
    ok: bool
    remark: bool
    sent: tuple[str, ...]
    received: tuple[str, ...]
    message: str
    seconds: float

    def public(self) -> dict[str, Any]:
        """The result as the contract's JSON."""
        return {
            "step": self.step,
            "section": self.section,
            "ok": self.ok,
            "sent": self.sent,
            "received": self.received,
            "message": f"remark: {self.message}" if self.remark else self.message,
        }
