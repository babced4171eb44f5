"""The moves behind a record, read and judged by the rules of the game."""

from __future__ import annotations

import re

from adapter.fen.finding import Finding
from adapter.fen.source import Source, Token

_NUMBER = re.compile(r"[0-9]{1,4}\.{1,3}")
_RESULTS = frozenset(("1-0", "0-1", "1/2-1/2", "*"))


def read_moves(
    tokens: list[Token], source: Source, root: str, variant: str
) -> tuple[tuple[str, ...], list[Finding]]:
    """The canonical moves from the root record, up to the first that is bad, and the finding on that one."""
    from adapter import variants  # the rules of a game are loaded when there is a move to judge

    game = variants.get(variant)
    board = game.board(root)
    meant = game.settle([token.raw for token in tokens])
    played: list[str] = []
    for index, token in enumerate(tokens):
        word = token
        number = _NUMBER.match(token.plain)
        if number is not None:
            word = token.part(number.end(), len(token.plain))
        if not word.plain or (index == len(tokens) - 1 and word.plain in _RESULTS):
            continue
        try:
            move = board.parse(meant(word.raw))
        except ValueError as error:
            reason, code = error.args
            count = len(played) + 1
            finding = Finding(
                code=code,
                severity="error",
                field="moves",
                at=f"moves {count}",
                span=source.of(word),
                message=f"move {count}, {word.raw[:20]!r}: {reason}",
            )
            return tuple(played), [finding]
        board.push(move)
        played.append(move)
    return tuple(played), []
