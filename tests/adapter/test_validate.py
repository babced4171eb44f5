"""What an engine said, held against the rules: real conversations, without a process, judged."""

from __future__ import annotations

import json
import random
from typing import Any

import chess
import msgspec
import pytest

from adapter import (
    Analysis,
    Bound,
    ConfigError,
    Cp,
    EngineIdentity,
    IllegalEngineMove,
    Limit,
    LimitError,
    Mate,
    MoveError,
    Outcome,
    Position,
)
from adapter.validate import AnalysisRequest, make_request, validate_analysis, validate_line, wire_limit
from engines.discovery import profile_named
from engines.info import read
from engines.protocol import EngineProtocol
from engines.protocols import Dialect, get
from engines.search import make_go_command

IDENTITY = EngineIdentity("Talker 1", "talker", "uci", "/bin/talker")
DEPTH = Limit(depth=3)
ITALIAN = "startpos moves e2e4 e7e5 g1f3 b8c6 f1c4"
MATED = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3"
BACK_RANK = "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1"
XIANGQI = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1"


def talk(question: AnalysisRequest, *lines: str, dialect: Dialect, stop: str | None = None) -> Analysis:
    """The analysis of a search in which the engine said these lines; `stop` is why it was told to."""
    session = EngineProtocol(dialect, dialect.capabilities)
    session.hello()
    session.feed(next(word for word, kind in dialect.heard.items() if kind == "hello").encode() + b"\n")
    limit = wire_limit(question, dialect, "Talker 1")
    command = question.position.command(dialect)
    work = make_go_command(limit, dialect, dialect.capabilities, side=question.position.side)
    session.go(command, work)
    session.feed(b"readyok\n")
    if stop is not None:
        session.stop(stop)
    session.feed("".join(f"{line}\n" for line in lines).encode())
    assert session.search is not None
    return validate_analysis(question, session.search, dialect, IDENTITY, command)


def answered(
    text: str,
    *lines: str,
    limit: Limit = DEPTH,
    dialect: Dialect | None = None,
    notation: str | None = None,
    variant: str = "auto",
    stop: str | None = None,
) -> Analysis:
    question = make_request(Position.parse(text, variant=variant), limit, notation)
    return talk(question, *lines, dialect=dialect or get("uci"), stop=stop)


# --- scores ----------------------------------------------------------------------------------------------

SCORES = [
    ("score cp 35", Cp(35), Cp(-35), None),
    ("score cp -13", Cp(-13), Cp(13), None),
    ("score cp 0", Cp(0), Cp(0), None),
    ("score mate 3", Mate(3), Mate(-3), None),
    ("score mate -2", Mate(-2), Mate(2), None),
    # a bound is never an exact score
    ("score cp 40 lowerbound", None, None, Bound("lower", Cp(40))),
    ("score cp -7 upperbound", None, None, Bound("upper", Cp(-7))),
    ("score mate 5 lowerbound", None, None, Bound("lower", Mate(5))),
]


@pytest.mark.parametrize(("words", "score", "white", "bound"), SCORES, ids=[row[0] for row in SCORES])
def test_a_score_is_the_movers_and_whites(words: str, score: Any, white: Any, bound: Any) -> None:
    """Black is to move after 3 Bc4."""
    analysis = answered(ITALIAN, f"info depth 5 {words} pv g8f6", "bestmove g8f6")
    [line] = analysis.lines
    assert (line.score, line.score_white, line.bound) == (score, white, bound)
    assert analysis.score == score
    assert analysis.notes == ()
    [for_white] = answered("startpos", f"info depth 5 {words} pv e2e4", "bestmove e2e4").lines
    assert for_white.score == for_white.score_white == score


def test_a_bound_stands_beside_the_last_exact_score_until_the_next() -> None:
    exact = "info depth 5 score cp 20 nodes 90 pv e2e4 e7e5"
    bound = "info depth 6 score cp 45 lowerbound nodes 120 pv e2e4"
    later = "info depth 6 score cp 41 nodes 150 pv e2e4 c7c5"
    [line] = answered("startpos", exact, bound, "bestmove e2e4").lines
    assert (line.score, line.bound) == (Cp(20), Bound("lower", Cp(45)))
    [line] = answered("startpos", exact, bound, later, "bestmove e2e4").lines
    assert (line.score, line.bound, line.nodes) == (Cp(41), None, 150)


def test_a_mate_is_never_a_number_of_centipawns() -> None:
    analysis = answered("startpos", "info depth 9 score cp 30000 pv e2e4", "bestmove e2e4")
    assert analysis.to_dict()["lines"][0]["score"] == {"cp": 30000}
    analysis = answered("startpos", "info depth 9 score mate 12 pv e2e4", "bestmove e2e4")
    assert analysis.to_dict()["lines"][0]["score"] == {"mate": 12}


def test_mated_already_with_moves_left_is_noted_and_belongs_to_nobody() -> None:
    analysis = answered(ITALIAN, "info depth 0 score mate 0 pv g8f6", "bestmove g8f6")
    assert (analysis.lines[0].score, analysis.lines[0].score_white) == (Mate(0), Mate(0))
    assert analysis.notes == ("line 1: its score says the side to move is mated, which it is not",)


def test_numbers_are_handed_on() -> None:
    [line] = answered(
        "startpos",
        "info depth 12 seldepth 19 multipv 1 score cp 33 wdl 100 850 50 nodes 4711 nps 99000 hashfull 7 "
        "tbhits 2 time 48 pv e2e4",
        "bestmove e2e4",
    ).lines
    assert (line.depth, line.seldepth, line.nodes, line.nps) == (12, 19, 4711, 99000)
    assert (line.wdl, line.hashfull, line.tbhits, line.time_ms) == ((100, 850, 50), 7, 2, 48)


def test_the_best_line_is_the_first_whichever_came_last() -> None:
    analysis = answered(
        "startpos",
        "info depth 4 multipv 2 score cp 10 pv d2d4",
        "info depth 4 multipv 1 score cp 20 pv e2e4",
        "info depth 4 multipv 3 score cp 5 pv c2c4",
        "bestmove e2e4",
    )
    assert [(line.multipv, line.pv) for line in analysis.lines] == [
        (1, ("e2e4",)),
        (2, ("d2d4",)),
        (3, ("c2c4",)),
    ]
    assert analysis.score == Cp(20)


def test_a_best_move_that_is_not_the_lines_is_noted() -> None:
    analysis = answered("startpos", "info depth 4 score cp 10 pv d2d4 d7d5", "bestmove e2e4")
    assert analysis.best is not None
    assert analysis.best.move == "e2e4"
    assert analysis.notes == ("the best move e4 is not the first line's (d4)",)


def test_without_any_report_there_is_still_a_best_move() -> None:
    analysis = answered("startpos", "bestmove g1f3")
    assert (analysis.lines, analysis.score, analysis.notes) == ((), None, ())
    assert analysis.best is not None
    assert analysis.best.san == "Nf3"


# --- lines -----------------------------------------------------------------------------------------------

CUTS = [
    ("e2e4 e7e5 g1f3", ("e2e4", "e7e5", "g1f3"), None),
    ("e2e4 e2e4 g1f3", ("e2e4",), 1),
    ("e2e5", (), 0),
    ("e2e4 e7e5 banana", ("e2e4", "e7e5"), 2),
    ("e2e4 0000", ("e2e4",), 1),
    ("e2e4 (none)", ("e2e4",), 1),
    ("e2e4 e7e5 e1e1", ("e2e4", "e7e5"), 2),
    ("e2e4 e7e5 e1g1", ("e2e4", "e7e5"), 2),  # the knight and bishop stand in the way
    ("E2E4 E7E5", ("e2e4", "e7e5"), None),
    ("e2e4q", (), 0),
    ("f2f3 e7e5 g2g4 d8h4 a2a3", ("f2f3", "e7e5", "g2g4", "d8h4"), 4),  # on beyond the mate
]


@pytest.mark.parametrize(("pv", "legal", "cut_at"), CUTS, ids=[row[0] for row in CUTS])
def test_a_line_is_kept_as_far_as_it_is_legal(pv: str, legal: tuple[str, ...], cut_at: int | None) -> None:
    first = legal[0] if legal else "d2d4"
    analysis = answered("startpos", f"info depth 7 score cp 20 pv {pv}", f"bestmove {first}")
    [line] = analysis.lines
    board = chess.Board()
    sans = [board.san_and_push(chess.Move.from_uci(move)) for move in legal]
    assert (line.pv, line.pv_cut_at) == (legal, cut_at)
    assert line.pv_san == tuple(sans)
    assert line.pv_fen == board.fen()
    assert line.score == Cp(20)
    word = "" if cut_at is None else pv.lower().split()[cut_at]
    note = f"line 1: move {(cut_at or 0) + 1} of its variation, {word!r}, is not legal"
    assert analysis.notes == (() if cut_at is None else (note,))


def test_a_line_may_castle_take_in_passing_and_promote() -> None:
    text = "1n2k2r/P5pp/8/5p2/4pP2/8/8/R3K2R b KQk f3 0 1"
    moves = "e4f3 a7b8n e8g8 e1c1 f3f2 h1h7 f2f1b"
    [line] = answered(text, f"info depth 7 score cp 1 pv {moves}", "bestmove e4f3").lines
    board = chess.Board(text)
    assert line.pv_san == tuple(board.san_and_push(chess.Move.from_uci(move)) for move in moves.split())
    assert line.pv_fen == board.fen()
    assert line.pv_cut_at is None


def test_the_notation_asked_for_is_shown_everywhere() -> None:
    analysis = answered(
        "startpos", "info depth 3 score cp 3 pv g1f3 g8f6", "bestmove g1f3 ponder g8f6", notation="uci"
    )
    assert analysis.lines[0].pv_san == ("g1f3", "g8f6")
    assert analysis.best is not None
    assert analysis.ponder is not None
    assert (analysis.best.san, analysis.ponder.san) == ("g1f3", "g8f6")


def test_a_notation_the_game_has_not_is_refused_when_it_is_asked_for() -> None:
    with pytest.raises(ConfigError, match="chess has no notation 'wxf'; it has uci, san"):
        make_request(Position.parse("startpos"), DEPTH, "wxf")


def test_a_report_without_score_and_line_is_no_line() -> None:
    question = make_request(Position.parse("startpos"), DEPTH)
    dialect = get("uci")
    assert validate_line(question, read(b"info depth 9 currmove e2e4 currmovenumber 1"), dialect) is None
    assert validate_line(question, read(b"info nodes 1000 nps 1000"), dialect) is None
    bare = validate_line(question, read(b"info depth 9 score cp 4"), dialect)
    assert bare is not None
    assert (bare.pv, bare.pv_fen, bare.score) == ((), question.position.fen, Cp(4))


def test_whatever_is_reported_what_comes_out_is_legal() -> None:
    """Variations of legal, nearly legal and senseless words, from positions of random games."""
    rng = random.Random(2024)
    senseless = ("", "(none)", "0000", "e9e9", "a1a1", "e7e8x", "O-O", "Nf3", "pv", "e1e2e3", "\xb7", "a10a9")
    cut = whole = 0
    for _ in range(150):
        board = chess.Board()
        for _ in range(rng.randrange(80)):
            if board.is_game_over():
                board = chess.Board()
            board.push(rng.choice(list(board.legal_moves)))
        if board.is_game_over():
            continue
        position = Position.from_board(board)
        walk, words = board.copy(), []
        for _ in range(rng.randrange(1, 8)):
            moves = [move.uci() for move in walk.legal_moves]
            if not moves or rng.random() < 0.06:
                words.append(rng.choice(senseless))
                continue
            words.append(rng.choice(moves))
            walk.push_uci(words[-1])
        best = rng.choice([move.uci() for move in board.legal_moves])
        question = make_request(position, DEPTH)
        report = f"info depth 3 score cp {rng.randrange(-900, 900)} pv {' '.join(words)}"
        analysis = talk(question, report, f"bestmove {best}", dialect=get("uci"))
        for line in analysis.lines:
            replay = board.copy()
            for move, san in zip(line.pv, line.pv_san, strict=True):
                assert replay.san(chess.Move.from_uci(move)) == san
                replay.push_uci(move)
            assert line.pv_fen == replay.fen()
            cut += line.pv_cut_at is not None
            whole += line.pv_cut_at is None
        assert analysis.best is not None
        assert analysis.best.move == best
        board.push_uci(best)
        assert analysis.best.fen == board.fen()
    assert cut > 15
    assert whole > 60


# --- best and ponder moves -------------------------------------------------------------------------------


def test_best_and_ponder_come_with_the_fen_they_lead_to() -> None:
    analysis = answered(ITALIAN, "bestmove g8f6 ponder d2d3")
    board = Position.parse(ITALIAN).board()
    board.push_san("Nf6")
    assert analysis.best is not None
    assert (analysis.best.move, analysis.best.san, analysis.best.fen) == ("g8f6", "Nf6", board.fen())
    board.push_san("d3")
    assert analysis.ponder is not None
    assert (analysis.ponder.move, analysis.ponder.san, analysis.ponder.fen) == ("d2d3", "d3", board.fen())


@pytest.mark.parametrize("word", ["e7e5", "e4e5q", "a1a1x", "banana"])
def test_an_illegal_ponder_move_is_dropped_with_a_note(word: str) -> None:
    analysis = answered(ITALIAN, f"bestmove g8f6 ponder {word}")
    assert analysis.best is not None
    assert analysis.ponder is None
    assert analysis.notes == (f"its ponder move {word!r} is not legal after Nf6 and was dropped",)


@pytest.mark.parametrize("word", ["(none)", "0000", "NULL", "none", "a1a1"])
def test_no_ponder_move_is_none_and_no_fault(word: str) -> None:
    analysis = answered(ITALIAN, f"bestmove g8f6 ponder {word}")
    assert (analysis.ponder, analysis.notes) == (None, ())


def test_a_ponder_move_after_the_mate_is_dropped() -> None:
    analysis = answered(BACK_RANK, "bestmove d1d8 ponder g8f8")
    assert analysis.best is not None
    assert analysis.best.san == "Rd8#"
    assert analysis.ponder is None
    assert len(analysis.notes) == 1


@pytest.mark.parametrize(
    ("text", "word", "move"),
    [
        ("8/4P1k1/8/8/8/8/6K1/8 w - - 0 1", "E7E8Q", "e7e8q"),
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "e1g1", "e1g1"),
        ("r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1", "e8c8", "e8c8"),
    ],
)
def test_a_best_move_is_read_as_engines_write_it(text: str, word: str, move: str) -> None:
    analysis = answered(text, f"bestmove {word}")
    assert analysis.best is not None
    assert analysis.best.move == move


ILLEGAL = ["e2e5", "e7e5", "a1b8", "banana", "e2e4q", "g1f3x", "e1g1", "e2", "--"]


@pytest.mark.parametrize("word", ILLEGAL)
def test_an_illegal_best_move_is_an_error_with_what_was_found(word: str) -> None:
    with pytest.raises(IllegalEngineMove) as caught:
        answered("startpos", "info depth 3 score cp 9 pv e2e4 e7e5", f"bestmove {word}")
    error = caught.value
    assert error.engine == "Talker 1"
    assert repr(word) in str(error)
    assert chess.STARTING_FEN in str(error)
    assert error.partial.lines[0].pv == ("e2e4", "e7e5")
    assert error.partial.best is None


@pytest.mark.parametrize(
    "line", ["bestmove (none)", "bestmove 0000", "bestmove NULL", "bestmove a1a1", "bestmove"]
)
def test_no_move_with_moves_left_is_the_engines_fault(line: str) -> None:
    with pytest.raises(IllegalEngineMove, match="no move, though 20 are legal") as caught:
        answered("startpos", "info depth 3 score cp 9 pv e2e4", line)
    assert caught.value.partial.lines[0].score == Cp(9)


DRAWN = [
    ("8/8/4k3/8/8/4K3/4R3/8 w - - 98 120 moves e3d4 e6d6", "50 moves"),
    ("startpos moves g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8", "three times"),
    ("8/8/4k3/8/8/4K3/8/8 w - - 0 1", "neither side has the material"),
]


@pytest.mark.parametrize(("text", "note"), DRAWN, ids=[row[1] for row in DRAWN])
def test_a_draw_that_may_be_claimed_is_noted_and_no_outcome(text: str, note: str) -> None:
    position = Position.parse(text)
    best = position.legal_moves[0]
    analysis = answered(text, f"info depth 3 score cp 0 pv {best}", f"bestmove {best}")
    assert analysis.outcome is None
    assert analysis.best is not None
    assert any(note in said for said in analysis.notes)


@pytest.mark.parametrize(("text", "note"), DRAWN, ids=[row[1] for row in DRAWN])
def test_an_engine_may_name_no_move_where_the_game_is_drawn(text: str, note: str) -> None:
    analysis = answered(text, "info depth 0 score cp 0", "bestmove (none)")
    assert analysis.best is None
    assert analysis.outcome is None
    assert "Talker 1 named no move ((none))" in analysis.notes
    assert any(note in said for said in analysis.notes)


# --- the question ----------------------------------------------------------------------------------------

OVER = [
    (MATED, Outcome("black", "checkmate")),
    ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", Outcome(None, "stalemate")),
    ("startpos", None),
    ("8/8/4k3/8/8/4K3/8/8 w - - 0 1", None),
]


@pytest.mark.parametrize(("text", "outcome"), OVER)
def test_the_rules_say_that_a_game_is_over(text: str, outcome: Outcome | None) -> None:
    assert make_request(Position.parse(text), DEPTH).outcome == outcome


def test_all_moves_banned_is_an_outcome_of_its_own() -> None:
    position = Position.parse("4k3/8/8/8/8/8/7r/4K3 w - - 0 1")
    assert len(position.legal_moves) == 2
    everything = Limit(depth=1, banmoves=position.legal_moves)
    assert make_request(position, everything).outcome == Outcome(None, "all-moves-banned")
    both = Limit(depth=1, searchmoves=("e1d1",), banmoves=("e1d1",))
    assert make_request(position, both).outcome == Outcome(None, "all-moves-banned")
    one = Limit(depth=1, banmoves=("e1d1",))
    assert make_request(position, one).outcome is None
    # where the game is over anyway, that is the reason
    assert make_request(Position.parse(MATED), Limit(depth=1, searchmoves=())).outcome == Outcome(
        "black", "checkmate"
    )


@pytest.mark.parametrize("word", ["searchmoves", "banmoves"])
def test_chosen_moves_are_read_in_any_notation_and_must_be_legal(word: str) -> None:
    limit = msgspec.structs.replace(DEPTH, **{word: ("Nf3", "e2e4")})
    question = make_request(Position.parse("startpos"), limit)
    assert getattr(question.limit, word) == ("g1f3", "e2e4")
    bad = msgspec.structs.replace(DEPTH, **{word: ("e2e4", "e2e5")})
    with pytest.raises(MoveError) as caught:
        make_request(Position.parse("startpos"), bad)
    assert caught.value.text == "e2e5"


def wished(text: str, profile: str, **moves: tuple[str, ...]) -> Limit:
    found = profile_named(profile)
    return wire_limit(make_request(Position.parse(text), Limit(depth=1, **moves)), found.speech(), profile)


def test_each_protocol_gets_the_wish_in_its_own_words() -> None:
    """UCI knows searchmoves only, UCCI banmoves only: either wish reaches either engine."""
    legal = Position.parse("startpos").legal_moves
    chosen = wished("startpos", "stockfish", searchmoves=("e2e4", "d2d4"))
    assert (set(chosen.searchmoves or ()), chosen.banmoves) == ({"e2e4", "d2d4"}, None)
    rest = wished("startpos", "stockfish", banmoves=("e2e4", "d2d4"))
    assert rest.banmoves is None
    assert set(rest.searchmoves or ()) == set(legal) - {"e2e4", "d2d4"}
    both = wished("startpos", "stockfish", searchmoves=("e2e4", "d2d4"), banmoves=("d2d4",))
    assert (both.searchmoves, both.banmoves) == (("e2e4",), None)

    pieces = Position.parse(XIANGQI).legal_moves
    kept = wished(XIANGQI, "fairy-xiangqi", banmoves=("h2e2",))
    assert (kept.searchmoves, kept.banmoves) == (None, ("h2e2",))
    turned = wished(XIANGQI, "fairy-xiangqi", searchmoves=("h2e2", "b2e2"))
    assert turned.searchmoves is None
    assert set(turned.banmoves or ()) == set(pieces) - {"h2e2", "b2e2"}
    # over UCI the same engine counts ranks from 1
    assert wished(XIANGQI, "fairy-xiangqi-uci", searchmoves=("h2e2",)).searchmoves == ("h3e3",)


def test_a_wish_that_leaves_every_move_is_not_sent() -> None:
    legal = Position.parse("startpos").legal_moves
    limit = wished("startpos", "gnuchess", searchmoves=legal)
    assert (limit.searchmoves, limit.banmoves) == (None, None)


@pytest.mark.parametrize("profile", ["gnuchess", "toga2"])
@pytest.mark.parametrize("word", ["searchmoves", "banmoves"])
def test_an_engine_that_keeps_to_no_list_is_not_given_one(profile: str, word: str) -> None:
    with pytest.raises(LimitError, match=f"{profile} cannot be held to chosen moves"):
        wished("startpos", profile, **{word: ("e2e4",)})


def test_a_best_move_outside_the_list_is_an_error() -> None:
    limit = Limit(depth=3, searchmoves=("a2a3", "h2h3"))
    analysis = answered("startpos", "bestmove h2h3", limit=limit)
    assert analysis.best is not None
    assert analysis.limit.searchmoves == ("a2a3", "h2h3")
    with pytest.raises(IllegalEngineMove, match="e2e4 is not among the moves it was held to"):
        answered("startpos", "bestmove e2e4", limit=limit)
    with pytest.raises(IllegalEngineMove, match="e2e4 is not among"):
        answered("startpos", "bestmove e2e4", limit=Limit(depth=3, banmoves=("e2e4",)))


# --- how it ended ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("limit", "stop", "complete"),
    [
        (DEPTH, None, True),
        (DEPTH, "timeout", False),
        (DEPTH, "overrun", False),
        (DEPTH, "deadline", False),
        (DEPTH, "left", False),
        # bounds that the caller named and we kept
        (DEPTH, "nodes", True),
        (DEPTH, "depth", True),
        (DEPTH, "mate", True),
        (DEPTH, "seconds", True),
        # a search without end has no other end
        (Limit(infinite=True), "left", True),
        (Limit(infinite=True), "timeout", False),
    ],
)
def test_whether_an_answer_is_complete(limit: Limit, stop: str | None, complete: bool) -> None:
    analysis = answered("startpos", "bestmove e2e4", limit=limit, stop=stop)
    assert analysis.complete is complete
    assert bool(analysis.notes) is not complete


def test_a_search_without_end_that_ends_by_itself_is_noted() -> None:
    analysis = answered("startpos", "bestmove e2e4", limit=Limit(infinite=True))
    assert analysis.complete
    assert analysis.notes == ("the engine ended a search that was to go on until told to stop",)


def test_a_search_that_was_broken_off_is_judged_as_far_as_it_came() -> None:
    question = make_request(Position.parse("startpos"), DEPTH)
    analysis = talk(question, "info depth 2 score cp 4 pv e2e4 e7e4", dialect=get("uci"))
    assert not analysis.complete
    assert (analysis.best, analysis.ponder) == (None, None)
    assert analysis.lines[0].pv == ("e2e4",)


MATES = [
    (2, "info depth 5 score mate 2 pv e2e4", False),
    (2, "info depth 5 score mate 1 pv e2e4", False),
    (2, "info depth 5 score mate 3 pv e2e4", True),
    (2, "info depth 5 score mate -1 pv e2e4", True),
    (2, "info depth 5 score mate 2 lowerbound pv e2e4", True),
    (2, "info depth 5 score cp 9000 pv e2e4", True),
]


@pytest.mark.parametrize(("wanted", "report", "missed"), MATES)
def test_a_mate_that_was_looked_for_and_not_found_is_noted(wanted: int, report: str, missed: bool) -> None:
    analysis = answered("startpos", report, "bestmove e2e4", limit=Limit(mate=wanted))
    note = f"no mate in {wanted} was found, searched to depth 5"
    assert analysis.notes == ((note,) if missed else ())


# --- xiangqi and UCCI ------------------------------------------------------------------------------------


def test_ucci_offers_resigns_and_counts_from_zero() -> None:
    ucci = get("ucci")
    analysis = answered(
        XIANGQI, "info depth 4 score 12 pv h2e2 h9g7", "bestmove h2e2 ponder h9g7 draw", dialect=ucci
    )
    assert (analysis.draw_offered, analysis.resigned) == (True, False)
    assert analysis.variant == "xiangqi"
    assert analysis.lines[0].score == Cp(12)
    assert analysis.best is not None
    assert (analysis.best.move, analysis.best.san) == ("h2e2", "C2=5")
    assert analysis.best.fen.startswith("rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C4/9/RNBAKABNR b")
    resigned = answered(XIANGQI, "bestmove h2e2 resign", dialect=ucci)
    assert (resigned.draw_offered, resigned.resigned) == (False, True)


def test_who_resigns_need_not_move() -> None:
    analysis = answered(XIANGQI, "bestmove (none) resign", dialect=get("ucci"))
    assert analysis.best is None
    assert analysis.resigned
    with pytest.raises(IllegalEngineMove, match="'nobestmove', no move, though 44 are legal"):
        answered(XIANGQI, "nobestmove", dialect=get("ucci"))


def test_an_engine_that_counts_ranks_from_one_is_read_so() -> None:
    fairy = profile_named("fairy-xiangqi-uci").speech()
    analysis = answered(
        XIANGQI, "info depth 4 score cp 12 pv h3e3 b10c8", "bestmove h3e3 ponder b10c8", dialect=fairy
    )
    assert analysis.lines[0].pv == ("h2e2", "b9c7")
    assert analysis.best is not None
    assert analysis.ponder is not None
    assert (analysis.best.move, analysis.ponder.move) == ("h2e2", "b9c7")
    with pytest.raises(IllegalEngineMove, match="'a0a1' is not legal"):
        answered(XIANGQI, "bestmove a0a1", dialect=fairy)


# --- Chess960 --------------------------------------------------------------------------------------------


def test_castling_in_chess960_is_king_takes_rook_on_the_wire_and_in_results() -> None:
    text = "1r2k1r1/pppppppp/8/8/8/8/PPPPPPPP/1R2K1R1 w GBgb - 0 1"
    analysis = answered(text, "info depth 4 score cp 0 pv e1g1 e8b8", "bestmove e1b1", variant="chess960")
    board = chess.Board(text, chess960=True)
    assert analysis.best is not None
    assert (analysis.best.move, analysis.best.san) == ("e1b1", "O-O-O")
    assert analysis.lines[0].pv_san == ("O-O", "O-O-O")
    board.push_uci("e1b1")
    assert analysis.best.fen == board.fen()


# --- JSON ------------------------------------------------------------------------------------------------

LINE_KEYS = [
    "multipv", "depth", "seldepth", "score", "score_white", "bound", "wdl", "nodes", "nps", "time_ms",
    "hashfull", "tbhits", "pv", "pv_san", "pv_fen", "pv_cut_at",
]  # fmt: skip
KEYS = [
    "engine", "variant", "position", "command", "limit", "lines", "best", "ponder", "outcome", "draw_offered",
    "resigned", "complete", "notes",
]  # fmt: skip


def test_the_shape_of_the_json() -> None:
    analysis = answered(
        ITALIAN,
        "info depth 3 score cp 20 nodes 7 pv g8f6",
        "info depth 4 score cp 31 lowerbound pv g8f6",
        "bestmove g8f6 ponder d2d3",
        limit=Limit(depth=4, banmoves=("a6",)),
    )
    shape = json.loads(json.dumps(analysis.to_dict()))
    assert list(shape) == KEYS
    assert list(shape["lines"][0]) == LINE_KEYS
    assert shape["engine"] == {
        "name": "Talker 1", "profile": "talker", "protocol": "uci", "path": "/bin/talker", "options": {},
    }  # fmt: skip
    assert shape["position"] == {
        "root_fen": chess.STARTING_FEN,
        "moves": ["e2e4", "e7e5", "g1f3", "b8c6", "f1c4"],
        "fen": Position.parse(ITALIAN).fen,
    }
    assert shape["command"] == f"position fen {chess.STARTING_FEN} moves e2e4 e7e5 g1f3 b8c6 f1c4"
    assert shape["limit"] == {"depth": 4, "searchmoves": None, "banmoves": ["a7a6"]}
    assert shape["lines"][0]["score"] == {"cp": 20}
    assert shape["lines"][0]["score_white"] == {"cp": -20}
    assert shape["lines"][0]["bound"] == {"kind": "lower", "score": {"cp": 31}}
    assert set(shape["best"]) == set(shape["ponder"]) == {"move", "san", "fen"}


def test_an_infinite_limit_and_a_clock_are_told_in_the_json() -> None:
    lists = {"searchmoves": None, "banmoves": None}
    endless = answered("startpos", "bestmove e2e4", limit=Limit(infinite=True), stop="left")
    assert endless.to_dict()["limit"] == {"infinite": True, **lists}
    clocked = answered("startpos", "bestmove e2e4", limit=Limit(wtime=1000, btime=0, winc=0))
    assert clocked.to_dict()["limit"] == {"wtime": 1000, "btime": 0, "winc": 0, **lists}
