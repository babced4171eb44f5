"""A function's results, each worked out once: how the games turn the work of a node into look-ups."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Memo(dict[K, V]):
    """A dictionary that makes what it does not hold.

    The parts of a position that a key stands for (the squares of one kind of piece, say) seldom change
    from one node of a search to the next, so nearly every question is answered without a call.
    """

    def __init__(self, make: Callable[[K], V]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, key: K) -> V:
        self[key] = made = self._make(key)
        return made
