"""Legal positions are ok and stay as they are, seen in mirrors too; the short way answers as the long one."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import chess
import pytest

from adapter.fen import check
from adapter.fen.checker import check_text
from adapter.fen.options import options

Records = Callable[[str, int], tuple[str, ...]]
VARIANTS = ["chess", "chess960", "xiangqi"]
COUNTS = [400, pytest.param(20_000, marks=pytest.mark.nightly)]


def long_way(text: str, variant: str) -> object:
    return check_text(text, options(variant, None, (), "keep", "keep", None, None))


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("variant", VARIANTS)
def test_legal_records_stay_as_they_are(variant: str, count: int, legal_records: Records) -> None:
    for record in legal_records(variant, count):
        report = check(record, variant=variant)
        assert report.problems == (), record
        assert report.ok
        assert report.fen == record
        assert report.variant == variant


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("variant", VARIANTS)
def test_the_game_is_found_from_the_record(variant: str, count: int, legal_records: Records) -> None:
    for record in legal_records(variant, count):
        report = check(record)
        assert report.ok, record
        assert report.fen == record
        # without rights nothing tells Chess960 from chess, with classical ones it is chess
        assert report.variant == variant or (variant == "chess960" and report.variant == "chess")


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("variant", VARIANTS)
def test_both_ways_say_the_same(variant: str, count: int, legal_records: Records) -> None:
    for record in legal_records(variant, count):
        for game in (variant, "auto"):
            assert check(record, variant=game) == long_way(record, game)


@pytest.mark.parametrize("variant", VARIANTS)
def test_both_ways_say_the_same_of_other_styles_and_tails(variant: str, legal_records: Records) -> None:
    tails = (
        "",
        ' bm e4; id "a; b";',
        " c0 x;",
        " hmvc 3; fmvn 70;",
        ' c0 "100%20 &amp; \u200b more";',
        ' c0 "https://lichess.org/analysis/4k3/8/8/8/8/8/8/4K3_w";',
        ' id "(a)"; c1 "<b>x</b>";',
        " bm e4",
        ";",
        ' id "x;',
        " e4 x;",
        " Nf3 x;",
        " D1 20;",
    )
    for number, record in enumerate(legal_records(variant, 400)[:60]):
        fields = record.split(" ")
        text = " ".join(fields[:4]) + tails[number % len(tails)]
        for ep in ("keep", "fen", "xfen", "legal"):
            for castling in ("keep", "xfen", "shredder"):
                for game in (variant, "auto"):
                    for each in (text, record):
                        expected = check_text(each, options(game, None, (), ep, castling, None, None))
                        assert check(each, variant=game, ep=ep, castling=castling) == expected


@pytest.mark.parametrize("count", [3000, pytest.param(100_000, marks=pytest.mark.nightly)])
def test_both_ways_say_the_same_of_strewn_boards(
    count: int, strewn_boards: Callable[[int, int], Iterator[str]]
) -> None:
    for record in strewn_boards(5, count):
        assert check(record, variant="chess") == long_way(record, "chess")


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("variant", ["chess", "chess960"])
def test_dialects_are_those_of_python_chess(variant: str, count: int, legal_records: Records) -> None:
    for record in legal_records(variant, count):
        board = chess.Board(record, chess960=variant == "chess960")
        if record.split()[3] == "-":
            board.ep_square = None
        for ep in ("fen", "xfen", "legal"):
            for castling in ("xfen", "shredder"):
                written = check(record, variant=variant, ep=ep, castling=castling).fen
                assert written is not None
                expected = board.fen(shredder=castling == "shredder", en_passant=ep)  # type: ignore[arg-type]
                assert written == expected


def colours_swapped(record: str) -> str:
    """The same position with the colours exchanged and the board turned over."""
    placement, side, castling, ep, *counters = record.split()
    turned = "/".join(reversed(placement.swapcase().split("/")))
    white_first = "".join(sorted(castling.swapcase(), key=lambda letter: letter.islower()))
    square = ep if ep == "-" else ep[0] + {"3": "6", "6": "3"}[ep[1]]
    return " ".join((turned, "w" if side == "b" else "b", white_first, square, *counters))


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("variant", VARIANTS)
def test_swapped_colours_make_no_difference(variant: str, count: int, legal_records: Records) -> None:
    for record in legal_records(variant, count):
        twin = colours_swapped(record)
        errors = [problem for problem in check(twin, variant=variant).problems if problem.severity == "error"]
        assert errors == [], twin


@pytest.mark.parametrize("count", [1500, pytest.param(50_000, marks=pytest.mark.nightly)])
def test_unsound_boards_have_the_faults_of_their_mirror_images(
    count: int, strewn_boards: Callable[[int, int], Iterator[str]]
) -> None:
    def faults(record: str) -> list[tuple[str, str]]:
        problems = check(record, variant="chess").problems
        return sorted((p.code, p.severity) for p in problems if p.code != "counters-inconsistent")

    for record in strewn_boards(6, count):
        placement, side, castling, ep, *counters = record.split()
        mirrored = "/".join(rank[::-1] for rank in placement.split("/"))
        square = ep if ep == "-" else chr(ord("a") + ord("h") - ord(ep[0])) + ep[1]
        assert faults(record) == faults(" ".join((mirrored, side, castling, square, *counters)))
        assert faults(record) == faults(colours_swapped(record))
