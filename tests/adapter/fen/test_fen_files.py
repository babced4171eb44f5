"""Records out of files: encodings, line numbers, comments, games, and memory that does not grow."""

from __future__ import annotations

import io
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from adapter.fen import check
from adapter.fen.files import CUT, MOST_LINE, read_stream
from adapter.fen.report import Entry

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
CHINESE = (
    "車馬象士將士象馬車/9/1砲5砲1/卒1卒1卒1卒1卒/9/9/兵1兵1兵1兵1兵/1炮5炮1/9/俥傌相仕帥仕相傌俥 w - - 0 1"
)
XIANGQI = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1"


def entries(data: bytes, **options: Any) -> list[Entry]:
    return list(read_stream(io.BytesIO(data), source="s", **options))


def read_path(path: Path, **options: Any) -> Iterator[Entry]:
    with path.open("rb") as stream:
        yield from read_stream(stream, source=str(path), **options)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "gb18030"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_encodings_and_line_ends(encoding: str, end: str) -> None:
    text = end.join([CHINESE, "", "# a comment", "% another", "// a third", START, "bad", ""])
    found = entries(text.encode(encoding))
    assert [entry.line for entry in found] == [1, 6, 7]
    assert check(found[0].text).fixed == XIANGQI
    assert check(found[1].text).fen == START
    assert found[2] == Entry("bad", "s", 7)


def test_the_last_line_needs_no_end() -> None:
    assert [entry.text for entry in entries(f"{START}\n{START}".encode())] == [START, START]
    assert entries(b"") == entries(b"\n\n\n") == []


def test_each_line_is_decoded_on_its_own() -> None:
    found = entries(
        START.encode() + b"\n\xff\xfe\x80\n" + CHINESE.encode("gb18030") + b"\n" + CHINESE.encode()
    )
    assert [entry.line for entry in found] == [1, 2, 3, 4]
    assert found[2].text == found[3].text == CHINESE
    assert not check(found[1].text).ok


def test_blanks_and_dashes_of_windows_are_no_chinese_characters() -> None:
    pasted = (
        START.replace(" ", "\u00a0").encode("cp1252") + b"\n" + START.replace("-", "\u2013").encode("cp1252")
    )
    found = [check(entry.text) for entry in entries(pasted + b"\n" + CHINESE.encode("gb18030"))]
    assert [[problem.code for problem in report.problems] for report in found] == [
        ["whitespace"],
        ["unicode-lookalike"],
        ["unicode-lookalike"],
    ]
    assert [report.fen or report.fixed for report in found] == [START, START, XIANGQI]


def test_blanks_around_a_record_are_its_own_matter() -> None:
    assert entries(f"  {START} \r\n".encode())[0].text == f"  {START} "


def test_overlong_lines_are_cut() -> None:
    found = entries(b"x" * (3 * MOST_LINE) + b"\n" + START.encode() + b"\n")
    assert [entry.line for entry in found] == [1, 2]
    assert len(found[0].text) <= 2 * MOST_LINE
    assert found[1].text == START


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_a_record_that_was_cut_is_not_taken_for_a_whole_one(encoding: str) -> None:
    for tail in (" ", " 1."):
        (found,) = entries((START + tail * MOST_LINE + " e2e4").encode(encoding))
        assert found.text.endswith(CUT)
        assert not check(found.text).ok


GAMES = """
[Event "one"]
[Site "?"]

1. e4 e5 (1... c5 2. Nf3) 2. Nf3 {a comment} Nc6 *

[Event "bad record"]
[SetUp "1"]
[FEN "4k3/8/8/8/8/8/4P3/4K3 w KQ - 0 1"]

1. e4 *

[Event "960"]
[Variant "Chess960"]
[SetUp "1"]
[FEN "bqnbnrkr/pppppppp/8/8/8/8/PPPPPPPP/BQNBNRKR w HFhf - 0 1"]

1. e4 e5 2. Ke4 Nf6 *
"""


def test_every_position_of_every_game(tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    path.write_text(GAMES)
    found = list(read_path(path))
    assert [(entry.line, entry.ply) for entry in found] == [
        *((2, ply) for ply in range(5)),
        (7, 0),
        *((13, ply) for ply in range(4)),
    ]
    reports = [check(entry.text, variant=entry.variant) for entry in found]
    assert [report.ok for report in reports] == [True] * 5 + [False] + [True] * 3 + [False]
    assert reports[0].fen == START
    assert reports[4].fen == "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3"
    assert [problem.code for problem in reports[5].problems] == ["castling-impossible"]
    assert {report.variant for report in reports[6:]} == {"chess960"}
    assert [problem.code for problem in reports[-1].problems] == ["move-illegal"]


def test_one_ply_of_every_game(tmp_path: Path) -> None:
    path = tmp_path / "games.txt"  # detected by its content
    path.write_text(GAMES)
    # of a game that begins from a bad record, or breaks off, that is what is given
    assert [(entry.line, entry.ply) for entry in read_path(path, ply=2)] == [(2, 2), (7, 0), (13, 2)]
    late = list(read_path(path, ply=50))
    assert [(entry.line, entry.ply) for entry in late] == [(7, 0), (13, 3)]
    assert not any(check(entry.text, variant=entry.variant).ok for entry in late)


def test_xiangqi_games() -> None:
    text = (
        '[Game "Chinese Chess"]\n[Red "A"]\n\n1. 炮二平五 馬８進７ *\n\n'
        '[Game "Chinese Chess"]\n[FEN "5a3/3ka4/5n3/9/9/9/9/9/9/4K1R2 w"]\n\n1. g0f0 d8d9 2. h9h8 *\n'
    )
    found = entries(text.encode("gb18030"))
    assert [(entry.line, entry.ply, entry.variant) for entry in found] == [
        (1, 0, "xiangqi"),
        (1, 1, "xiangqi"),
        (1, 2, "xiangqi"),
        (6, 0, "xiangqi"),
        (6, 1, "xiangqi"),
        (6, 2, "xiangqi"),
        (6, 3, "xiangqi"),
    ]
    reports = [check(entry.text, variant=entry.variant) for entry in found]
    assert reports[5].fen == "3k1a3/4a4/5n3/9/9/9/9/9/9/4KR3 w - - 2 2"
    assert [report.ok for report in reports] == [True] * 6 + [False]
    assert [entry.ply for entry in entries(text.encode(), ply=1)] == [1, 1]
    (broken,) = entries(text.encode(), ply=9)
    assert (broken.line, broken.ply, check(broken.text).ok) == (6, 3, False)


def test_a_tag_with_a_record_is_no_game() -> None:
    found = entries(f'[FEN "{START}"]\n[FEN "{START}"]\n'.encode())
    assert [entry.line for entry in found] == [1, 2]
    assert all(check(entry.text).ok for entry in found)


@pytest.mark.parametrize("count", [10_000, pytest.param(1_000_000, marks=pytest.mark.nightly)])
def test_memory_does_not_grow_with_the_file(tmp_path: Path, count: int) -> None:
    path = tmp_path / "many.fen"
    with path.open("w") as file:
        for number in range(count):
            file.write(
                f"{'pppppppp'[: number % 9]}{START[9:]} {number}\n" if number % 50 == 0 else f"{START}\n"
            )
    bad = 0
    peaks = []
    tracemalloc.start()
    for number, entry in enumerate(read_path(path), 1):
        if number % 10 == 1:  # judging every line under tracemalloc would take minutes
            bad += not check(entry.text).ok
        if number in (count // 10, count):
            peaks.append(tracemalloc.get_traced_memory()[1])
    tracemalloc.stop()
    assert number == count
    assert bad
    assert peaks[1] < peaks[0] + 4_000_000


XIANGQI_MOVES = {"iccs": "1. H2-E2 H9-G7", "wxf": "1. C2=5 H8+7", "chinese": "1. 炮二平五 馬８進７"}
AFTER = "rnbakab1r/9/1c4nc1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C4/9/RNBAKABNR w - - 2 2"


@pytest.mark.parametrize("moves", XIANGQI_MOVES.values(), ids=XIANGQI_MOVES)
@pytest.mark.parametrize(
    "tags",
    [
        '[Game "Chinese Chess"]\n[Red "a"]',
        '[Event "x"]\n[Game "中国象棋"]',
        '[Event "x"]\n[Variant "Xiangqi"]',
        '[Event "x"]\n[Red "a"]\n[Black "b"]',
        '[Event "x"]',
        f'[FEN "{XIANGQI}"]\n[Game "Chinese Chess"]',
        f'[Event "x"]\n[FEN "{XIANGQI}"]',
        '; from a collection\n[Event "x"]',
        '% from a collection\n\n[Event "x"]',
        f'[FEN "{XIANGQI}"]',
    ],
)
def test_a_game_of_xiangqi_is_known_by_what_it_says(tags: str, moves: str) -> None:
    found = entries(f"{tags}\n\n{moves} *\n".encode())
    assert [check(entry.text, variant=entry.variant).fen for entry in found][::2] == [XIANGQI, AFTER]
    assert [entry.ply for entry in found] == [0, 1, 2]
    assert {entry.variant for entry in found} == {"xiangqi"}


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "gb18030"])
def test_a_game_of_xiangqi_in_every_encoding(encoding: str) -> None:
    text = f'[Event "中"]\n[Red "甲"]\n\n{XIANGQI_MOVES["chinese"]} *\n\n[Event "2"]\n\n1. 炮二平五 *\n'
    found = entries(text.encode(encoding))
    assert [(entry.line, entry.ply) for entry in found] == [(1, 0), (1, 1), (1, 2), (6, 0), (6, 1)]
    assert all(check(entry.text, variant=entry.variant).ok for entry in found)


def test_the_game_that_is_asked_for_is_read() -> None:
    found = entries(b'[Event "x"]\n\n1. h2e2 h9g7 *\n', variant="xiangqi")
    assert [entry.text for entry in found][::2] == [XIANGQI, AFTER]
    # long algebraic notation is chess
    chess = entries(b'[Event "x"]\n\n1. e2-e4 e7-e5 *\n')
    assert [entry.variant for entry in chess] == ["auto"] * 3
    assert all(check(entry.text).ok for entry in chess)


def test_games_of_both_kinds_in_one_file() -> None:
    text = '[Event "a"]\n\n1. e4 *\n\n[Event "b"]\n[Red "r"]\n\n1. H2-E2 *\n\n[Event "c"]\n\n1. d4 *\n'
    assert [(entry.line, entry.ply, entry.variant) for entry in entries(text.encode())] == [
        (1, 0, "auto"), (1, 1, "auto"),
        (5, 0, "xiangqi"), (5, 1, "xiangqi"),
        (10, 0, "auto"), (10, 1, "auto"),
    ]  # fmt: skip


def test_a_comment_over_several_lines_is_no_new_game() -> None:
    text = '[Game "Chinese Chess"]\n\n1. h2e2 h9g7 {\n[%clk 0:10]\n[Note "a"]\n} 2. h0g2 i9h9 *\n'
    assert [entry.ply for entry in entries(text.encode())] == [0, 1, 2, 3, 4]
    chess = (
        text.replace("Chinese Chess", "chess").replace("h2e2 h9g7", "e4 e5").replace("h0g2 i9h9", "Nf3 Nc6")
    )
    assert [entry.ply for entry in entries(chess.encode())] == [0, 1, 2, 3, 4]


def test_a_comment_that_is_never_closed_costs_its_own_game_alone() -> None:
    text = '[Event "a"]\n\n1. e4 e5 {oh 2. Nf3 *\n\n[Event "b"]\n\n1. d4 d5 *\n'
    assert [(entry.line, entry.ply) for entry in entries(text.encode())] == [
        (1, 0), (1, 1), (1, 2), (5, 0), (5, 1), (5, 2),
    ]  # fmt: skip


DHTMLXQ = (
    "[DhtmlXQ]\n[DhtmlXQ_title]t[/DhtmlXQ_title]\n[DhtmlXQ_movelist]77477062[/DhtmlXQ_movelist]\n[/DhtmlXQ]\n"
)


@pytest.mark.parametrize("lead", ["", "Some text of a post\n\n", "<html>\n<body>\n<div>", "x\n" * 5000])
@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "gb18030"])
def test_dhtmlxq_stands_in_other_text(lead: str, encoding: str) -> None:
    found = entries((lead + DHTMLXQ + "and so on\n" + DHTMLXQ).encode(encoding))
    assert [entry.ply for entry in found] == [0, 1, 2] * 2
    assert [entry.line for entry in found][::3] == [lead.count("\n") + 1, lead.count("\n") + 6]
    assert all(check(entry.text, variant=entry.variant).ok for entry in found)
    assert found[2].text == AFTER
