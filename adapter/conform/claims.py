"""What an engine claims, held against the rules: its variations played, its mates proven."""

from __future__ import annotations

from adapter.conform.answer import FinalAnswer, final
from adapter.conform.candidate import EngineUnderTest
from adapter.conform.fault import EngineEnded, NoReply
from adapter.position import Position
from engines.limits import Limit
from engines.score import Mate


def illegal_ply(candidate: EngineUnderTest, position: Position, words: tuple[str, ...]) -> int | None:
    """The index of the first word of a variation that is no legal move; None when all are."""
    board = position.rules()
    for index, word in enumerate(words):
        try:
            move = position.read_wire(word, candidate.dialect)
        except ValueError:
            return index
        if not board.is_legal(move):
            return index
        board.push(move)
    return None


def past_a_draw(candidate: EngineUnderTest, position: Position, words: tuple[str, ...]) -> str | None:
    """The first rule by which a variation could have ended in a draw before its last move; None if none."""
    here = position
    for word in words[:-1]:
        move = candidate.legal(here, word)
        if move is None:
            return None
        here = here.play(move)
        if here.remarks:
            return here.remarks[0]
    return None


async def unproven(candidate: EngineUnderTest, answer: FinalAnswer) -> str | None:
    """Why the mate that an answer claims is not proven; None when it is, or when none is claimed.

    The variation is played. Where it stops short the engine is asked to go on, as tables of positions cut
    variations; the side that mates has to do so on the move it claims.
    """
    score, line, _ = final(candidate.infos(answer))
    if not isinstance(score, Mate):
        return None
    if score.mate == 0:
        return "score mate 0 says that the side to move is mated, which it is not"
    # mate in 2 for the side to move is three half-moves on, against it four
    plies = 2 * score.mate - 1 if score.mate > 0 else -2 * score.mate
    claim = f"score mate {score.mate}"
    here, played = answer.position, 0
    while True:
        for word in line:
            move = candidate.legal(here, word)
            if move is None:
                return f"{claim}: {word} in its variation is not legal"
            here = here.play(move)
            played += 1
            over = here.outcome
            if over is not None:
                return _verdict(claim, plies, played, over.winner, here)
            if played == plies:
                return f"{claim}: its variation does not mate on half-move {plies}"
        try:
            more = await candidate.ask(here, Limit(depth=max(plies - played + 1, 2)))
        except (NoReply, EngineEnded) as end:
            return f"{claim}: its variation ends after {played} half-moves, and then {end}"
        _, line, _ = final(candidate.infos(more))
        if not line and candidate.legal(here, more.word):
            line = (more.word,)
        if not line:
            return f"{claim}: its variation ends after {played} half-moves without mate"


def _verdict(claim: str, plies: int, played: int, winner: str | None, here: Position) -> str | None:
    # whoever has no move left and lost is the one to move
    if winner is None:
        return f"{claim}: its variation ends in a draw after {played} half-moves"
    if played != plies:
        return f"{claim} takes {plies} half-moves, but its variation mates after {played} ({here.fen})"
    return None
