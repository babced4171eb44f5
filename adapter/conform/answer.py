"""One search as the engine answered it: its words as they came, and what they say when read strictly."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from adapter.conform.talk import TalkLine
from adapter.position import Position
from engines.info import Info
from engines.score import Score


class FinalAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """What came between a `go` and the next `readyok` that was asked for behind it.

    `sent` are the lines that asked; `lines` what was heard up to and with the best move, `after` what came
    behind it. `began` and `ended` are times of the monotonic clock. `stopped` is when `stop` was sent.
    """

    position: Position
    sent: tuple[str, ...]
    lines: tuple[TalkLine, ...]
    after: tuple[TalkLine, ...]
    began: float
    stopped: float | None = None

    @property
    def ended(self) -> float:
        """When the best move came."""
        return self.lines[-1].at

    @property
    def seconds(self) -> float:
        """From `go` to the best move."""
        return self.ended - self.began

    @property
    def by_itself(self) -> bool:
        """Whether it ended without being told to."""
        return self.stopped is None or self.ended < self.stopped

    @property
    def behind_stop(self) -> float:
        """From `stop` to the best move."""
        return self.ended - (self.stopped or self.began)

    @property
    def text(self) -> str:
        """The line with the best move."""
        return self.lines[-1].text

    @property
    def word(self) -> str:
        """The best move as it was said; the line's first word where that says it all (UCCI's nobestmove)."""
        words = self.lines[-1].words
        return words[1] if len(words) > 1 else words[0]

    @property
    def ponder(self) -> str | None:
        """The ponder move as it was said."""
        words = self.lines[-1].words[2:]
        return words[words.index("ponder") + 1] if "ponder" in words[:-1] else None

    @property
    def reports(self) -> tuple[TalkLine, ...]:
        """The lines that report on the search."""
        return tuple(line for line in self.lines if line.words[:1] == ["info"])

    @property
    def heard(self) -> tuple[str, ...]:
        """All that was heard."""
        return tuple(line.text for line in (*self.lines, *self.after))


def final(infos: Sequence[Info]) -> tuple[Score | None, tuple[str, ...], Info | None]:
    """The last exact score of the first line, the variation and the report it came with."""
    for info in reversed(infos):
        if info.multipv == 1 and info.score is not None and info.pv:
            return info.score, info.pv, info
    return None, (), None
