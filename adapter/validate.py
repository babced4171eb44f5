"""What an engine said, held against the rules: what is legal stays, what is not is named.

The question is shaped here as well: which moves the engine may consider, and whether there is any.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import msgspec

from adapter.analysis import Analysis, EngineIdentity, Line, MoveTo
from adapter.errors import IllegalEngineMove, LimitError
from adapter.games.base import Outcome
from adapter.position import PlayedLine, Position
from engines.limits import Limit
from engines.score import Mate, Score

if TYPE_CHECKING:
    from engines.info import Info
    from engines.protocols.base import Dialect
    from engines.search import SearchState

# Why we may have told a search to stop, and what the answer then lacks. A bound that the caller named and we
# kept leaves it whole.
STOPPED_EARLY = {
    "timeout": "the search was stopped by its timeout",
    "overrun": "the engine ran past its time and was stopped",
    "deadline": "the search was stopped by its profile's deadline",
    "left": "the search was left before its end",
}


# Where moves lead, by the engine's words for them: the best move is mostly the first of a line, the move to
# ponder on its second, and no move need be played twice.
PlayedMoves = dict[tuple[str, ...], MoveTo]


class AnalysisRequest(msgspec.Struct, frozen=True):
    """A position, the limit as the caller put it (moves canonical), and how the results are to be shown.

    `allowed` are the moves the engine may name, None when it may name any legal one.
    """

    position: Position
    limit: Limit
    notation: str
    allowed: tuple[str, ...] | None = None

    @property
    def outcome(self) -> Outcome | None:
        """Why there is nothing to ask: the game is over, or every move is banned."""
        over = self.position.outcome
        if over is None and self.allowed == ():
            return Outcome(None, "all-moves-banned")
        return over


def make_request(position: Position, limit: Limit, notation: str | None = None) -> AnalysisRequest:
    """The question, with its moves read. Raises MoveError for one that is not legal in the position, and
    ConfigError for a notation the game does not have."""
    if notation is not None and notation not in position.variant.notations:
        # told now, not once the search is done
        position.line((), notation=notation)
    if limit.searchmoves is None and limit.banmoves is None:
        return AnalysisRequest(position, limit, notation or position.variant.notation)
    searched = None if limit.searchmoves is None else [position.read(move) for move in limit.searchmoves]
    banned = [position.read(move) for move in limit.banmoves or ()]
    allowed = None
    if searched is not None or banned:
        legal = position.legal_moves
        allowed = tuple(m for m in legal if (searched is None or m in searched) and m not in banned)
    canonical = msgspec.structs.replace(
        limit,
        searchmoves=None if searched is None else tuple(searched),
        banmoves=tuple(banned) or None,
    )
    return AnalysisRequest(position, canonical, notation or position.variant.notation, allowed)


def wire_limit(question: AnalysisRequest, dialect: Dialect, engine: str) -> Limit:
    """The limit as this engine is asked to keep it: a restriction in the words it knows, moves in its ranks.

    UCI has no `banmoves` and UCCI no `searchmoves`: each wish is put as the other's complement.
    Raises LimitError when the engine obeys neither.
    """
    position, allowed = question.position, question.allowed
    if allowed is None:
        return question.limit
    plain = msgspec.structs.replace(question.limit, searchmoves=None, banmoves=None)
    if len(allowed) == len(position.legal_moves):
        return plain
    able = dialect.capabilities
    if able.searchmoves and dialect.search_moves is not None:
        return msgspec.structs.replace(plain, searchmoves=tuple(position.wire_moves(allowed, dialect)))
    if able.banmoves and dialect.ban_moves is not None:
        others = [move for move in position.legal_moves if move not in allowed]
        return msgspec.structs.replace(plain, banmoves=tuple(position.wire_moves(others, dialect)))
    raise LimitError(f"{engine} cannot be held to chosen moves; searchmoves and banmoves need another engine")


def validate_analysis(
    question: AnalysisRequest, search: SearchState, dialect: Dialect, engine: EngineIdentity, command: str
) -> Analysis:
    """The checked analysis of a finished or broken-off search.

    Raises IllegalEngineMove (`.partial` holds the rest) when a finished search's best move is not legal or
    not among the moves allowed, or when it names none though there are some.
    """
    notes = list(search.faults)
    known: PlayedMoves = {}
    lines = [_line(question, info, dialect, notes, known, search.best) for info in search.lines()]
    said = Analysis(
        engine=engine,
        position=question.position,
        command=command,
        limit=question.limit,
        lines=tuple([line for line in lines if line is not None]),
        draw_offered=search.draw_offered,
        resigned=search.resigned,
        complete=search.finished and not _stopped_early(search, notes),
    )
    best = _best(question, search, dialect, said, notes, known) if search.finished else None
    ponder = _ponder(question, search, dialect, best, notes, known)
    if best is not None and said.lines and said.lines[0].pv[:1] not in ((), (best.move,)):
        notes.append(f"the best move {best.san} is not the first line's ({said.lines[0].pv_san[0]})")
    wanted = question.limit.mate
    if wanted is not None and not any(_mates(line.score, wanted) for line in said.lines):
        depth = max((line.depth or 0 for line in said.lines), default=0)
        notes.append(f"no mate in {wanted} was found, searched to depth {depth}")
    if search.dropped:
        notes.append(f"{search.dropped} reports were dropped, the reader was too slow for them")
    notes += question.position.remarks
    return msgspec.structs.replace(said, best=best, ponder=ponder, notes=tuple(notes))


def validate_line(question: AnalysisRequest, info: Info, dialect: Dialect) -> Line | None:
    """One report as a checked Line; None when it holds neither a score nor a move."""
    return _line(question, info, dialect, [], {}, None)


def _line(
    question: AnalysisRequest,
    info: Info,
    dialect: Dialect,
    notes: list[str],
    known: PlayedMoves,
    best: str | None,
) -> Line | None:
    pv = info.pv
    if info.score is None and info.bound is None and not pv:
        return None
    position = question.position
    walk = _play(question, pv, dialect, known, keep=2 if best in pv[:1] else 0)
    # a word that has not even the shape of a move ends the line as an illegal one does
    cut_at = walk.cut_at
    if cut_at is None and len(walk.moves) < len(pv):
        cut_at = len(walk.moves)
    if cut_at is not None:
        notes.append(f"line {info.multipv}: move {cut_at + 1} of its variation, {pv[cut_at]!r}, is not legal")
    if info.score == Mate(0):
        notes.append(f"line {info.multipv}: its score says the side to move is mated, which it is not")
    return Line(
        multipv=info.multipv,
        depth=info.depth,
        seldepth=info.seldepth,
        score=info.score,
        score_white=_for_white(info.score, position),
        bound=info.bound,
        wdl=info.wdl,
        nodes=info.nodes,
        nps=info.nps,
        time_ms=info.time_ms,
        hashfull=info.hashfull,
        tbhits=info.tbhits,
        pv=walk.moves,
        pv_san=walk.shown,
        pv_fen=walk.fen,
        pv_cut_at=cut_at,
    )


def _play(
    question: AnalysisRequest, words: tuple[str, ...], dialect: Dialect, known: PlayedMoves, *, keep: int
) -> PlayedLine:
    """Plays an engine's words; where as many of the first ones lead as are to be kept is known afterwards."""
    position = question.position
    walk = position.line(_canonical(position, words, dialect), notation=question.notation, fens=keep)
    for at, fen in enumerate(walk.fens):
        known[words[: at + 1]] = MoveTo(walk.moves[at], walk.shown[at], fen)
    return walk


def _canonical(position: Position, words: Iterable[str], dialect: Dialect) -> Iterable[str]:
    for word in words:
        try:
            yield position.read_wire(word, dialect)
        except ValueError:
            return


def _mates(score: Score | None, moves: int) -> bool:
    return isinstance(score, Mate) and 0 < score.mate <= moves


def _for_white(score: Score | None, position: Position) -> Score | None:
    return score.flipped() if score is not None and position.side == "b" else score


def _stopped_early(search: SearchState, notes: list[str]) -> bool:
    reason = search.stopped_for
    # a search without end has no other end than being told to stop
    if reason not in STOPPED_EARLY or (search.plan.unbounded and reason == "left"):
        return False
    notes.append(STOPPED_EARLY[reason])
    return True


def _best(
    question: AnalysisRequest,
    search: SearchState,
    dialect: Dialect,
    analysis: Analysis,
    notes: list[str],
    known: PlayedMoves,
) -> MoveTo | None:
    position, engine = question.position, analysis.engine.name
    if search.best is None:
        # Dead-drawn by its own rules, or resigned, an engine may name no move though there are some.
        if search.resigned or position.remarks:
            notes.append(f"{engine} named no move ({search.word})")
            return None
        raise IllegalEngineMove(
            f"{engine} answered {search.word!r}, no move, though {len(position.legal_moves)} are legal in "
            f"{position.fen}",
            engine=engine,
            partial=analysis,
        )
    best = _move(question, (search.best,), dialect, known)
    if best is None:
        raise IllegalEngineMove(
            f"{engine}'s best move {search.word!r} is not legal in {position.fen}",
            engine=engine,
            partial=analysis,
        )
    if question.allowed is not None and best.move not in question.allowed:
        raise IllegalEngineMove(
            f"{engine}'s best move {best.move} is not among the moves it was held to",
            engine=engine,
            partial=analysis,
        )
    return best


def _ponder(
    question: AnalysisRequest,
    search: SearchState,
    dialect: Dialect,
    best: MoveTo | None,
    notes: list[str],
    known: PlayedMoves,
) -> MoveTo | None:
    if best is None or search.best is None or search.ponder is None:
        return None
    ponder = _move(question, (search.best, search.ponder), dialect, known)
    if ponder is None:
        notes.append(f"its ponder move {search.ponder!r} is not legal after {best.san} and was dropped")
    return ponder


def _move(
    question: AnalysisRequest, words: tuple[str, ...], dialect: Dialect, known: PlayedMoves
) -> MoveTo | None:
    """The last of some words as a move, None when it is not legal behind the others."""
    if words not in known:
        _play(question, words, dialect, known, keep=len(words))
    return known.get(words)
