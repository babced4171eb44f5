"""Any text is answered: random bytes, fragments of records, huge inputs. What is no text is a TypeError."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from typing import Any

import pytest

from adapter.errors import ConfigError
from adapter.fen import check, epd_operations

SEEDS = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq c6 0 2",
    "bqnbnrkr/pppppppp/8/8/8/8/PPPPPPPP/BQNBNRKR w HFhf - 0 1 moves e2e4",
    "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1",
    '8/8/p2p3p/3k2p1/PP6/3K1P1P/8/8 b - - bm Kc6; id "E_E_T 001";',
]
_WORDS = (
    'moves startpos fen " [FEN ] %20 %00 %FF ♔ 帅 馬 ١ é ; { } _ + e2e4 O-O 1. 1... 炮二平五 [QN] ~ 3+3 0000 '
    r"%2520 %C2%A0 %25 &nbsp; &#47; &quot; \/ \n <b> </b> ( ) ** - _w_ 8_ ' ` https://a.com/ ?fen= .png "
    "仕 炮 红 包 8. .... [] 3kk3 rnbgkgbnr g M S"
)
FRAGMENTS = [
    *" ".join(SEEDS).replace("/", " / ").split(),
    *_WORDS.split(),
    *"\ufeff\u00a0\u200b\x00\n\r\t\x1c\U0001fa60\ud800",
]
OPTIONS: list[dict[str, Any]] = [
    {},
    {"variant": "chess", "ep": "legal", "castling": "xfen"},
    {"variant": "chess960", "ep": "xfen", "castling": "shredder"},
    {"variant": "xiangqi", "side": "b", "allow": ("pawn-place",)},
    {"side": "w", "allow": ("impossible-check", "too-many-pawns"), "ep": "fen"},
]


def texts(rng: random.Random, count: int) -> Iterator[str]:
    for number in range(count):
        data = bytes(rng.randrange(256) for _ in range(rng.randrange(90)))
        if number % 4 == 0:
            yield data.decode("latin-1")
        elif number % 4 == 1:
            yield data.decode("utf-8", "replace")
        elif number % 4 == 2:
            yield rng.choice([" ", "", "/"]).join(rng.choice(FRAGMENTS) for _ in range(rng.randrange(1, 25)))
        else:
            chars = list(rng.choice(SEEDS))
            for _ in range(rng.randrange(1, 8)):
                place = rng.randrange(len(chars) + 1)
                chars[place : place + rng.randrange(3)] = rng.choice(FRAGMENTS)
            yield "".join(chars)


@pytest.mark.parametrize("text", ["8 - 8", " - ", "a - b - c - ", "- - - - - -", "8/8 w - ", "; - ;"])
@pytest.mark.parametrize("ep", ["keep", "fen", "xfen", "legal"])
def test_lone_dashes_are_no_fields(text: str, ep: str) -> None:
    assert not check(text, ep=ep).ok


@pytest.mark.parametrize("count", [1_500, pytest.param(100_000, marks=pytest.mark.nightly)])
def test_any_text_is_answered(count: int) -> None:
    rng = random.Random(count)
    for number, text in enumerate(texts(rng, count)):
        chosen = OPTIONS[number % len(OPTIONS)]
        report = check(text, **chosen)
        assert report.input == text
        assert report.ok == all(problem.severity == "warning" for problem in report.problems)
        assert (report.fen is not None) == report.ok
        assert report.ok or report.problems
        for problem in report.problems:
            for start, end in (problem.span, *problem.related):
                assert 0 <= start <= end <= len(text)
        for record in filter(None, (report.fen, report.fixed, *report.suggestions)):
            assert record.isascii()
            assert record.isprintable()
            assert len(record.split(" ")) == 6
            again = check(record, **chosen)
            assert again.ok, (text, record)
            assert again.fen == record
        epd_operations(text)


@pytest.mark.parametrize("value", [None, 1, b"8/8/8/8/8/8/8/8 w - - 0 1", ["startpos"]])
def test_what_is_no_text_is_a_type_error(value: Any) -> None:
    with pytest.raises(TypeError, match="a record is a string"):
        check(value)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"variant": "go"}, "variant is 'go'; it may be auto, chess, chess960, xiangqi"),
        ({"ep": "always"}, "ep is 'always'"),
        ({"castling": "uci"}, "castling is 'uci'"),
        ({"side": "white"}, "side is 'white'; it may be w, b"),
        ({"allow": ("king-missing",)}, "allow is 'king-missing'"),
        ({"allow": ("opponent-in-check",)}, "allow is 'opponent-in-check'"),
    ],
)
def test_options_that_do_not_exist(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message.split(";")[0]) as caught:
        check("startpos", **wrong)
    assert message in str(caught.value)


PATTERNS = [
    *("/", "8/", " ", "a", "[FEN ", '"', "%20", "\u200b", "帅", "_", "fen ", "http://", "x;", "a/b ", "- "),
    *(
        "%25",
        "%C2",
        "&#47;",
        "&",
        "\\/",
        "\\n",
        "<b>",
        "(",
        "[",
        "*",
        "'",
        "“",
        "8_",
        "_w",
        "w_",
        "....",
        "/ ",
    ),
    *("a.com/", "?fen=", "8.", "1,", "[]", "\n", "K", "1", "马", '"/////'),
]
PREFIXES = ["", SEEDS[0] + " ", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR "]


@pytest.mark.parametrize("prefix", PREFIXES, ids=["bare", "record", "board"])
@pytest.mark.parametrize("pattern", PATTERNS)
def test_huge_inputs_take_no_longer_than_their_length(pattern: str, prefix: str) -> None:
    """Sixteen times the text may take ten times as long as it should; a quadratic reader takes longer."""
    spent = []
    for size in (4_000, 64_000):
        text = prefix + pattern * (size // len(pattern))
        begin = time.process_time()
        report = check(text)
        spent.append(time.process_time() - begin)
        assert report.input == text
    assert spent[1] < 160 * max(spent[0], 0.002)


@pytest.mark.parametrize("bad", ["\n", "\x00", "\r\n", "\x1b", "\u2028", "\x85"])
def test_no_control_character_gets_through(bad: str) -> None:
    for place in range(len(SEEDS[0])):
        text = SEEDS[0][:place] + bad + SEEDS[0][place:]
        for record in filter(None, (check(text).fen, check(text).fixed, *check(text).suggestions)):
            assert bad not in record
            assert record.isprintable()


def test_moves_behind_a_line_end_are_still_judged() -> None:
    report = check("startpos moves e2e4\nquit")
    assert [problem.code for problem in report.problems if problem.severity == "error"] == ["move-syntax"]
