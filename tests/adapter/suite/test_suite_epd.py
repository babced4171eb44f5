"""EPD and perft files as cases: what the wild holds is read, what is wrong is named by its line."""

from __future__ import annotations

import os
import random
from pathlib import Path

import chess
import msgspec
import pytest

from adapter.errors import ConfigError, FenwireError
from adapter.position import Position
from adapter.suite import epd, opcodes
from adapter.suite.case import Expected, SuiteCase
from adapter.suite.epd import EpdLine
from adapter.suite.loading import load
from engines.limits import Limit

SUITES = Path(os.environ.get("FENWIRE_SHARED", Path(__file__).parents[4] / "shared")) / "suites"
KOPEC = "1k1r4/pp1b1R2/3q2pp/4p3/2B5/4Q3/PPP2B2/2K5 b - -"
CASTLES = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq -"
START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -"
MATE = "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - -"

# Line, expected, id.
GOOD = [
    (f'{KOPEC} bm Qd1+; id "BK.01";', Expected(best=("d6d1",)), "BK.01"),
    (f'{KOPEC} bm Qd1+; id "BK.01"', Expected(best=("d6d1",)), "BK.01"),
    (f"{KOPEC} bm Qd1", Expected(best=("d6d1",)), ""),
    (f'{KOPEC} bm Qd1+ ; id "a; b" ;', Expected(best=("d6d1",)), "a; b"),
    (f"{KOPEC} 3 17 bm Qd1+!?;", Expected(best=("d6d1",)), ""),
    (f"{KOPEC} 3 17; bm Qd1#;", Expected(best=("d6d1",)), ""),
    (f"{KOPEC} bm d6d1;", Expected(best=("d6d1",)), ""),
    (f"{KOPEC} bm Qd1 Qd2, Qd3;", Expected(best=("d6d1", "d6d2", "d6d3")), ""),
    (f"{KOPEC} bm Qd1; bm Qd2 Qd1;", Expected(best=("d6d1", "d6d2")), ""),
    (f"{KOPEC} bm Qd1; am Qd2 Qd3;", Expected(best=("d6d1",), avoid=("d6d2", "d6d3")), ""),
    (f"{CASTLES} bm 0-0 O-O-O;", Expected(best=("e1g1", "e1c1")), ""),
    (f"{MATE} dm 1; id mate;", Expected(mate=1), "mate"),
    (f"{MATE} bm Ra8#; dm 1;", Expected(best=("a1a8",), mate=1), ""),
    (f'{CASTLES} c0 "O-O=10, Ra2=4";', Expected(points={"e1g1": 10, "a1a2": 4}), ""),
    ('8/P6k/8/8/8/8/8/7K w - - c0 "a8=Q=10,a8=R=9";', Expected(points={"a7a8q": 10, "a7a8r": 9}), ""),
    (f'{CASTLES} c0 "O-O=10, Ra2=4,";', Expected(points={"e1g1": 10, "a1a2": 4}), ""),
    (f'{CASTLES} bm O-O; c0 "a comment, with=signs";', Expected(best=("e1g1",)), ""),
    (f'{CASTLES} bm O-O; c0 "see depth=12, that is all";', Expected(best=("e1g1",)), ""),
    (
        f'{CASTLES} bm O-O; c7 "O-O Ra2"; c8 "10 4"; c9 "e1g1 a1a2";',
        Expected(best=("e1g1",), points={"e1g1": 10, "a1a2": 4}),
        "",
    ),
    (f'{CASTLES} c8 "10 4"; c9 "e1g1 a1a2";', Expected(points={"e1g1": 10, "a1a2": 4}), ""),
    (f'{CASTLES} c8 "10 4"; c7 "O-O Ra2";', Expected(points={"e1g1": 10, "a1a2": 4}), ""),
    (f'{CASTLES} c8 "10"; c7 "O-O"; c0 "Ra2=4";', Expected(points={"a1a2": 4}), ""),
    (f'{CASTLES} bm O-O; c7 "a word"; c8 "of the author"; c9 "or two";', Expected(best=("e1g1",)), ""),
    (f'{CASTLES} bm O-O; c8 "12";', Expected(best=("e1g1",)), ""),
    (f"{START} 0 1 ;D1 20 ;D2 400", Expected(counts=((1, 20), (2, 400))), ""),
    (f"{START} 0 1;D2 400;D1 20", Expected(counts=((1, 20), (2, 400))), ""),
    (f"{START} ; D1 20;", Expected(counts=((1, 20),)), ""),
    ("bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - bm e4;", Expected(best=("e2e4",)), ""),
    ("5a3/3ka4/5n3/9/9/9/9/9/9/4K1R2 w - - 0 1 bm R3=4;", Expected(best=("g0f0",)), ""),
    ("5a3/3ka4/5n3/9/9/9/9/9/9/4K1R2 w bm g0f0 G0-G1;", Expected(best=("g0f0", "g0g1")), ""),
]


@pytest.mark.parametrize(("line", "expected", "name"), GOOD, ids=[line for line, *_ in GOOD])
def test_a_line_of_the_wild(line: str, expected: Expected, name: str) -> None:
    case = epd.read(line)
    assert (case.expected, case.id) == (expected, name)


@pytest.mark.parametrize(("line", "expected", "name"), GOOD, ids=[line for line, *_ in GOOD])
def test_what_is_written_reads_the_same(line: str, expected: Expected, name: str) -> None:
    case = epd.read(line)
    again = epd.read(epd.write(case), EpdLine(variant=case.variant))
    assert again == case


def test_counters_outlive_four_fields() -> None:
    case = epd.read(f"{KOPEC} bm Qd1; hmvc 3; fmvn 17;")
    assert case.fen == f"{KOPEC} 3 17"
    assert epd.write(case) == f"{KOPEC} bm Qd1+; hmvc 3; fmvn 17;"


def test_limits_of_a_case() -> None:
    case = epd.read(f"{KOPEC} bm Qd1; acd 12; acn 5000; acs 1.5;")
    assert case.limit == Limit(depth=12, nodes=5000, seconds=1.5)


# Line, words of the reason.
BAD = [
    ("hello", "rank"),
    (f"{KOPEC} bm ;", "bm names no move"),
    (f"{KOPEC} bm Qd1; am", "am names no move"),
    (f"{KOPEC} bm Qh8;", "bm Qh8:"),
    (f"{KOPEC} bm Qd1 banana;", "bm banana:"),
    (f'{KOPEC} bm Qd1; id "BK.01;', "a quote is opened and never closed"),
    (f'{KOPEC} id "only a name";', "nothing is expected"),
    (f"{KOPEC}", "nothing is expected"),
    (f"{MATE} dm x;", "dm takes one number, not 'x'"),
    (f"{MATE} dm -1;", "dm is -1"),
    (f"{MATE} dm 1; acd 0;", "depth is 0"),
    (f"{MATE} dm 1; acs soon;", "acs takes one number"),
    (f"{START} D1 many;", "D1 takes one number"),
    (f"{START} bm e4; D1 20;", "two cases"),
    (f'{CASTLES} c0 "O-O=10, Rz9=4";', "c0 Rz9:"),
    (f'{CASTLES} bm O-O; c0 "O-O=10, Ra2=4, Ra3=3 Ra4=2";', "c0: 'Ra3=3 Ra4=2' is no move with its points"),
    (f'{CASTLES} bm O-O; c0 "O-O=10; Ra2=4";', "c0: 'O-O=10; Ra2=4' is no move"),
    (f'{CASTLES} bm O-O; c0 "O-O=10, Ra2=";', "c0: 'Ra2=' is no move"),
    (f'{CASTLES} c8 "10 4 2"; c9 "e1g1 a1a2";', "c9 names 2 moves, but c8 the points of 3"),
    (f'{CASTLES} c8 "10 4"; c9 "e1g1 a1h8";', "c9 a1h8:"),
    (f"{MATE} bm Ra8; am Ra8;", "Ra8# is to be played (bm) and avoided (am), and nothing else"),
    (f"{MATE} dm 0;", "dm 0 says that the side to move is mated, but the game goes on"),
    ("rnbqkbnr/ppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - bm e4;", "rank 7"),
    ("8/8/8/8/8/8/8/K7 w - - D1 3;", "king"),
]


@pytest.mark.parametrize(("line", "reason"), BAD, ids=[line for line, _ in BAD])
def test_a_bad_line_says_why(line: str, reason: str) -> None:
    with pytest.raises(FenwireError) as caught:
        epd.read(line)
    assert reason in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_with_bad_lines_is_read_on(tmp_path: Path) -> None:
    path = tmp_path / "mixed.epd"
    lines = ["# a comment", "", f"{KOPEC} bm Qd1;", f"{KOPEC} bm ;", f'{KOPEC} bm Qd2; id "two";', "nonsense"]
    lines.append(f'{KOPEC} am Qd2; id "two";')
    path.write_bytes(b"\xef\xbb\xbf" + "\r\n".join(lines).encode())
    loaded = load([path])
    assert [(case.id, case.line) for case in loaded.cases] == [
        ("mixed.epd:3", 3),
        ("two", 5),
        ("two (2)", 7),
    ]
    assert [(bad.source, bad.line) for bad in loaded.bad] == [("mixed.epd", 4), ("mixed.epd", 6)]
    assert str(loaded.bad[0]) == "mixed.epd:4: bm names no move"


def test_files_of_one_name_are_told_apart(tmp_path: Path) -> None:
    paths = []
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        paths.append(tmp_path / folder / "x.epd")
        paths[-1].write_text(f"{KOPEC} bm Qd1;\nnonsense\n")
    loaded = load(paths)
    assert [bad.source for bad in loaded.bad] == [str(path) for path in paths]
    assert [case.id for case in loaded.cases] == [f"{path}:1" for path in paths]
    assert [bad.source for bad in load(paths[:1]).bad] == ["x.epd"]


@pytest.mark.parametrize("name", ["cut.epd", "cut.perft"])
@pytest.mark.parametrize("text", ["", "\n\n", "# only a comment\n"])
def test_a_file_without_a_case_is_refused(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / "whole.epd").write_text(f"{KOPEC} bm Qd1;\n")
    (tmp_path / name).write_text(text)
    with pytest.raises(ConfigError, match=f"{name} holds no case"):
        load([tmp_path / "whole.epd", tmp_path / name])


def test_a_byte_that_is_no_text_spoils_one_line(tmp_path: Path) -> None:
    path = tmp_path / "bytes.epd"
    path.write_bytes(f"{KOPEC} bm Qd1\xff\n".encode("latin-1") + f"{KOPEC} bm Qd2;\n".encode())
    loaded = load([path])
    assert [case.line for case in loaded.cases] == [2]
    assert [bad.line for bad in loaded.bad] == [1]


@pytest.mark.parametrize("name", ["missing.epd", "games.pgn", "suite.toml"])
def test_files_that_hold_no_suite(tmp_path: Path, name: str) -> None:
    if not name.startswith("missing"):
        (tmp_path / name).write_text("x")
    with pytest.raises(ConfigError, match=name):
        load([tmp_path / name])


def test_a_perft_file(tmp_path: Path) -> None:
    path = tmp_path / "some.perft"
    path.write_text(
        f"# counts\nid first\nepd {START}\nperft 1 20\nperft 2 400 # known\n\n"
        f"perft 3\nid second\nepd {MATE}\nid third\nepd nothing\nperft 1 1\nepd {MATE}\nperft 1 20\nnodes 3\n"
    )
    loaded = load([path])
    assert [(case.id, case.line, case.expected.counts) for case in loaded.cases] == [
        ("first", 3, ((1, 20), (2, 400))),
        ("some.perft:13", 13, ((1, 20),)),
    ]
    assert [bad.line for bad in loaded.bad] == [7, 9, 11, 15]


def test_a_count_needs_a_record(tmp_path: Path) -> None:
    path = tmp_path / "lone.perft"
    path.write_text("id x\nperft 1 20\n")
    assert [str(bad) for bad in load([path]).bad] == [
        "lone.perft:2: this count stands before any record (`epd …`)"
    ]


@pytest.mark.parametrize(
    ("name", "cases"),
    [("bratko-kopec.epd", 24), ("eet.epd", 100), ("pet.epd", 48)],
)
def test_known_suites_hold_what_python_chess_reads_in_them(name: str, cases: int) -> None:
    loaded = load([SUITES / name])
    assert (len(loaded.cases), loaded.bad) == (cases, ())
    lines = [line for line in (SUITES / name).read_text().splitlines() if line.strip()]
    for case, line in zip(loaded.cases, lines, strict=True):
        board, operations = chess.Board.from_epd(line)
        assert case.fen.split(" ")[:2] == board.fen().split(" ")[:2]
        assert case.id == operations["id"]
        for opcode, moves in (("bm", case.expected.best), ("am", case.expected.avoid)):
            assert set(moves) == {move.uci() for move in operations.get(opcode, [])}


def test_our_rules_count_what_no_engine_may_get() -> None:
    loaded = load([SUITES / "tricky.perft"])
    assert (len(loaded.cases), loaded.bad) == (19, ())
    withheld = {case.id for case in loaded.cases if case.position is None}
    assert {"align-diag-1", "align-diag-2", "align-horizontal", "align-ep", "ep-unrelated-check"} <= withheld
    assert "xfen-00" not in withheld
    assert all(case.refused for case in loaded.cases if case.position is None)


def random_operations(rng: random.Random) -> list[opcodes.Operation]:
    letters = "abcXYZ019 ;,=+-#é帥"
    names = rng.sample(["bm", "am", "id", "c0", "c9", "acd", "D1", "my_own", "eco"], 4)
    return [
        (name, tuple("".join(rng.choices(letters, k=rng.randint(0, 6))) for _ in range(rng.randint(1, 3))))
        for name in names
    ]


@pytest.mark.parametrize("seed", range(200))
def test_operations_survive_writing(seed: int) -> None:
    operations = random_operations(random.Random(seed))
    assert opcodes.read(opcodes.write(operations)) == operations


@pytest.mark.parametrize(
    "operation", [("bm", ('say "so"',)), ("id", ("two\nlines",)), ("1x", ()), ("a b", ())]
)
def test_operations_that_no_record_can_hold(operation: opcodes.Operation) -> None:
    with pytest.raises(ValueError, match=r"operand|operation"):
        opcodes.write([operation])


def random_case(rng: random.Random) -> SuiteCase:
    board = chess.Board()
    for _ in range(rng.randint(0, 60)):
        moves = list(board.legal_moves)
        if len(moves) < 3:
            break
        board.push(rng.choice(moves))
    position = Position.parse(board.fen(en_passant="fen"))
    legal = list(position.legal_moves)
    rng.shuffle(legal)
    return SuiteCase(
        id=f"case {rng.randint(0, 99)}; of many",
        fen=position.fen,
        variant="chess",
        expected=Expected(best=tuple(legal[:1]), avoid=tuple(legal[1:2]), mate=rng.choice([None, 3])),
        position=position,
        limit=rng.choice([None, Limit(nodes=5000), Limit(depth=3, seconds=0.5)]),
    )


@pytest.mark.parametrize("seed", range(40))
def test_written_cases_mean_the_same_to_python_chess(seed: int) -> None:
    case = random_case(random.Random(seed))
    board, operations = chess.Board.from_epd(epd.write(case))
    assert board.fen(en_passant="legal") == case.fen
    assert [move.uci() for move in operations["bm"]] == list(case.expected.best)
    assert operations["id"] == case.id
    # the position knows its root's en-passant square, which an unreachable capture leaves out of the line
    again = epd.read(epd.write(case))
    assert msgspec.structs.replace(again, position=None) == msgspec.structs.replace(case, position=None)
