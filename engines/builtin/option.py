"""An option of the built-in engine, whatever the protocol that offers it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final, Generic, NamedTuple, TypeVar

if TYPE_CHECKING:
    from engines.builtin.host import Host

HASH_MB: Final = 32

H = TypeVar("H")


class Option(NamedTuple, Generic[H]):
    """One option: its name and kind as the protocols know them, and what its value does to a host."""

    name: str
    kind: str
    default: str
    apply: Callable[[H, str], None]
    low: int = 0
    high: int = 0
    choices: tuple[str, ...] = ()

    def declaration(self) -> str:
        """The words that offer it, from the name on."""
        words = [f"{self.name} type {self.kind}"]
        if self.kind != "button":
            words.append(f"default {self.default}")
        if self.kind == "spin":
            words.append(f"min {self.low} max {self.high}")
        words += [f"var {choice}" for choice in self.choices]
        return " ".join(words)

    def value(self, text: str) -> str:
        """The value meant, in the option's own spelling. Raises ValueError, one sentence, if it is none."""
        if self.kind == "spin":
            if not text.lstrip("-").isdecimal() or not self.low <= int(text) <= self.high:
                raise ValueError(f"{self.name} takes a number from {self.low} to {self.high}, not {text!r}")
            return text
        allowed = {"check": ("true", "false"), "combo": self.choices}.get(self.kind)
        if allowed is None:
            return text
        for choice in allowed:
            if choice.lower() == text.lower():
                return choice
        raise ValueError(f"{self.name} takes {' or '.join(allowed)}, not {text!r}")


def set_hash(host: Host, value: str) -> None:
    """Bounds the transposition table, in megabytes."""
    host.player.resize(int(value))


def forget(host: Host, value: str) -> None:
    """Presses the button that empties the table."""
    host.player.forget()


def nothing(host: Host, value: str) -> None:
    """Pondering is the other side's business; the option only says that we can."""
