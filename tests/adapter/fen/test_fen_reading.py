"""What stands around and between the fields: every way of writing a record down that people paste."""

from __future__ import annotations

import pytest

from adapter.fen import check, epd_operations

BOARD = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR"
START = f"{BOARD} w KQkq - 0 1"
XIANGQI = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR"
CHINESE = "車馬象士將士象馬車/9/1砲5砲1/卒1卒1卒1卒1卒/9/9/兵1兵1兵1兵1兵/1炮5炮1/9/俥傌相仕帥仕相傌俥"

# What is written down, the codes to be found; the canonical record is the start position.
ACCEPTED = [
    (f'[FEN "{START}"]', {"quoted"}),
    (f'[SetUp "1"]\n[FEN "{START}"]', {"quoted"}),
    (f"'{START}'", {"quoted"}),
    (f"“{START}”", {"quoted"}),
    (f'"{START}', {"quoted"}),
    (f'{START}"', {"quoted"}),
    (f"FEN: {START}", {"leading-garbage"}),
    (f"setboard {START}", {"leading-garbage"}),
    (f"position fen {START}", {"leading-garbage"}),
    ("position startpos", {"leading-garbage"}),
    (START.replace(" ", "_"), {"url-encoded"}),
    (START.replace(" ", "+"), {"url-encoded"}),
    (START.replace(" ", "%20"), {"url-encoded"}),
    (START.replace("/", "%2F").replace(" ", "%20"), {"url-encoded"}),
    ("https://lichess.org/analysis/standard/" + START.replace(" ", "_"), {"leading-garbage", "url-encoded"}),
    ("lichess.org/editor/" + START.replace(" ", "_"), {"leading-garbage", "url-encoded"}),
    (
        "https://lichess.org/analysis/" + START.replace(" ", "_") + "?color=white#4",
        {"leading-garbage", "url-encoded"},
    ),
    (
        "https://www.chess.com/analysis?fen=" + START.replace(" ", "%20") + "&flip=false",
        {"leading-garbage", "url-encoded"},
    ),
    (
        "https://a.example/?RECORD".replace("RECORD", START.replace(" ", "_")),
        {"leading-garbage", "url-encoded"},
    ),
    ("see https://lichess.org/editor/" + START.replace(" ", "_"), {"leading-garbage", "url-encoded"}),
    (START.replace(" ", "%2520"), {"url-encoded"}),
    (START.replace(" ", "%C2%A0"), {"url-encoded", "whitespace"}),
    (START.replace("/", "%252F"), {"url-encoded"}),
    (START + "%0D%0A", {"url-encoded", "whitespace"}),
    (START.replace("/", "&#47;").replace(" ", "&nbsp;"), {"url-encoded", "whitespace"}),
    (START.replace("/", "\\/"), {"url-encoded"}),
    # one other character for every slash, or for every blank too
    (START.replace("/", "_"), {"url-encoded"}),
    (START.replace("/", "-"), {"url-encoded"}),
    (START.replace("/", "_").replace(" ", "_"), {"url-encoded"}),
    (START.replace("/", "-").replace(" ", "_"), {"url-encoded"}),
    (START.replace("/", "_").replace(" ", "+"), {"url-encoded"}),
    (START.replace(" ", "-"), {"url-encoded"}),
    (f"{BOARD}_w KQkq - 0 1", {"url-encoded"}),
    (f"{BOARD} w_KQkq_-_0_1", {"url-encoded"}),
    # what programs and pages put around a record
    (f'fen = "{START}"', {"quoted"}),
    (f"const fen = `{START}`;", {"quoted"}),
    (f"board = chess.Board('{START}')", {"quoted"}),
    (f'{{"fen": "{START}", "id": 3}}', {"quoted"}),
    (f'"fen":"{START}",', {"quoted"}),
    (f'["{START}"]', {"quoted"}),
    (f'"{START}\\n"', {"quoted", "whitespace"}),
    (f"{START}\\r\\n", {"whitespace"}),
    (f"({START})", {"quoted"}),
    (f"[{START}]", {"quoted"}),
    (f"{START})", {"quoted"}),
    (f"**{START}**", {"quoted"}),
    (f"<p>{START}</p>", {"quoted"}),
    (f'[StartFEN "{START}"]', {"quoted"}),
    (f'[FEN="{START}"]', {"quoted"}),
    (
        f"[link](https://lichess.org/analysis/{START.replace(' ', '_')})",
        {"quoted", "leading-garbage", "url-encoded"},
    ),
    (f"[{START}](http://x.org)", {"quoted"}),
    (f"> {START}", {"quoted"}),
    (f"> **{START}**", {"quoted"}),
    (f'fen = r"{START}"', {"quoted"}),
    (f"board = Board(fr'{START}')", {"quoted"}),
    (f'"{START}",0.35,"e2e4"', {"quoted"}),
    (f'"{START}";0.35', {"quoted"}),
    (f'17,"{START}",0.35,"e2e4"', {"quoted"}),
    (f"\ufeff{START}", {"bom"}),
    (f"\u00ef\u00bb\u00bf{START}", {"bom"}),
    (START.replace(" ", "\u00a0"), {"whitespace"}),
    (START.replace(" ", "\t"), {"whitespace"}),
    (START.replace(" ", "\u3000"), {"whitespace"}),
    (START.replace(" ", "  "), {"whitespace"}),
    (f"{START}\u200b", {"whitespace"}),
    (f"{START}\r\n", {"whitespace"}),
    (f"{BOARD} w KQkq -", {"missing-fields"}),
    (f"{BOARD} w KQkq - 0", {"missing-fields"}),
    (f"{BOARD} w KQkq 0 1", {"missing-fields"}),
    (f"{BOARD} w KQkq - 00 01", {"halfmove", "fullmove"}),
    (f"{BOARD} w KQkq - 0 0", {"fullmove"}),
    (f"{BOARD} w qkQK - 0 1", {"castling-order"}),
    (START.replace("/8/8/", "/44/1111211/"), {"digit-run"}),
]

REFUSED = [
    (f"{START};", {"trailing-garbage"}),
    (f"{START},", {"trailing-garbage"}),
    (f"{START}.", {"trailing-garbage"}),
    (f"{START} ;", {"trailing-garbage"}),
    (f"{START} extra words", {"trailing-garbage"}),
    (f"{START} - -", {"trailing-garbage"}),
    ("startpos;", {"trailing-garbage"}),
    ("position startpos.", {"leading-garbage", "trailing-garbage"}),
    (f"{BOARD} w KQkq -; bm e4;", {"trailing-garbage"}),
    (f"{BOARD} [] w KQkq - 0 1", {"whitespace", "pockets"}),
    (f"{BOARD} w KQkq -;", {"trailing-garbage", "missing-fields"}),
    (f"1) {START}", {"leading-garbage"}),
    (f"- {START}", {"leading-garbage"}),
    (f"12 {START}", {"leading-garbage"}),
    (f"id: 123 {START}", {"leading-garbage"}),
    (f"the position is {START}", {"leading-garbage"}),
    (f"White's move: {START}", {"leading-garbage"}),
    (f"{START}, white to move", {"trailing-garbage"}),
    (f"{START}\ngo depth 10", {"trailing-garbage"}),
    (f"{BOARD} w KQkq 0 1 -", {"field-order"}),
    (f"w KQkq - 0 1 {BOARD}", {"field-order"}),
    (f"w {BOARD} KQkq - 0 1", {"field-order"}),
    (f"{BOARD} KQkq w - 0 1", {"field-order"}),
    (f"{BOARD} w - KQkq 0 1", {"field-order"}),
    (f"{BOARD} 0 1 w KQkq -", {"field-order"}),
    (f"{BOARD}w KQkq - 0 1", {"whitespace"}),
    (f"{BOARD} wKQkq - 0 1", {"whitespace"}),
    (f"{BOARD} w KQkq- 0 1", {"whitespace"}),
    (f"{BOARD} wKQkq- 0 1", {"whitespace"}),
    (f"{BOARD} wKQkq- 0,1", {"whitespace"}),
    (f"{BOARD}, w, KQkq, -, 0, 1", {"whitespace"}),
    (f"{BOARD}; w; KQkq; -; 0; 1", {"whitespace"}),
    (f"{BOARD}/w/KQkq/-/0/1", {"whitespace"}),
    (START.replace("8/PPPP", "8 PPPP"), {"rank-count"}),
    (START.replace("r/pppp", "r pppp"), {"rank-count"}),
    (f"{BOARD} w KQkq -0 1", {"whitespace"}),
    (START.replace("- 0 1", "- 0,1"), {"whitespace"}),
    (START.replace(" ", ","), {"whitespace"}),
    (START.replace(" ", ";"), {"whitespace"}),
    (START.replace(" ", "|"), {"whitespace"}),
    (START.replace("8/8/8", "8/ 8/8"), {"whitespace"}),
    (START.replace("/", " / "), {"whitespace"}),
    (START.replace("KQkq", "KQ kq"), {"whitespace"}),
    (START.replace("KQkq", "K Q k q"), {"whitespace"}),
    (START.replace("/", "/\n"), {"whitespace"}),
    (START.replace("/", " /"), {"whitespace"}),
    (START.replace("nbqk", "nb qk", 1), {"whitespace"}),
    (START.replace("KBNR", "KB NR"), {"whitespace"}),
    (f"{BOARD} white KQkq - 0 1", {"side"}),
    (f"{BOARD} W KQkq - 0 1", {"side"}),
    (f"{BOARD} w KQkq none 0 1", {"ep-grammar"}),
    (f"{BOARD} w KQkq - - 1", {"halfmove"}),
    (f"{BOARD} w KQkq - -3 1", {"halfmove"}),
    (f"{BOARD} w KQkq - +0 1", {"halfmove"}),
    (f"{BOARD} w KQkq - 0 x", {"fullmove"}),
    (f"{BOARD} w KQkq - 0 -7", {"fullmove"}),
    (f"{START} +0+0", {"check-count"}),
    (f"{BOARD} w KQkq - 3+3 0 1", {"check-count"}),
    (f"{BOARD}[] w KQkq - 0 1", {"pockets"}),
    (f"{BOARD}[-] w KQkq - 0 1", {"pockets"}),
    (f"{BOARD}/QN w KQkq - 0 1", {"pockets"}),
    (START.replace("Q", "Q~", 1), {"promoted-mark"}),
    (START.replace("/", "\\"), {"rank-count"}),
    (START.replace("/", "|"), {"rank-count"}),
    (START.replace("/", ";"), {"rank-count"}),
    (START.replace("/", "."), {"rank-count"}),
    (START.replace("/", " "), {"rank-count"}),
    (START.replace("/", "\n"), {"rank-count"}),
    (START.replace("/8/8/8/8/", "/......../......../......../......../"), {"bad-letter"}),
    (START.replace("/", ""), {"rank-count"}),
    (START.replace("8/8", "8/8/8", 1), {"rank-count"}),
    (START.replace("/", "//", 1), {"rank-count"}),
    (START.replace("/", "", 1), {"rank-count"}),
    ("tsldklst/bbbbbbbb/8/8/8/8/BBBBBBBB/TSLDKLST w KQkq - 0 1", {"piece-language"}),
    ("tsldklst/pppppppp/8/8/8/8/PPPPPPPP/TSLDKLST w KQkq - 0 1", {"piece-language"}),
    ("tcfdrfct/pppppppp/8/8/8/8/PPPPPPPP/TCFDRFCT w KQkq - 0 1", {"piece-language"}),
    ("tcadract/pppppppp/8/8/8/8/PPPPPPPP/TCADRACT w KQkq - 0 1", {"piece-language"}),
    (START.replace("pppppppp", "\u0440" * 8), {"unicode-lookalike"}),
    (START.replace("rnbq", "ｒｎｂｑ"), {"unicode-lookalike"}),
    (START.replace("/", "／"), {"unicode-lookalike"}),
    (START.replace("-", "—"), {"unicode-lookalike"}),
    (f"{BOARD} w KQkq - ٠ 1", {"unicode-lookalike"}),
    ("♜♞♝♛♚♝♞♜/♟︎♟︎♟︎♟︎♟︎♟︎♟︎♟︎/8/8/8/8/♙♙♙♙♙♙♙♙/♖♘♗♕♔♗♘♖ w KQkq - 0 1", {"unicode-lookalike"}),
]


@pytest.mark.parametrize(("text", "codes"), ACCEPTED)
def test_accepted_with_a_warning(text: str, codes: set[str]) -> None:
    report = check(text)
    assert {problem.code for problem in report.problems} == codes
    assert {problem.severity for problem in report.problems} == {"warning"}
    assert report.fen == START
    assert report.fixed is None


@pytest.mark.parametrize(("text", "codes"), REFUSED)
def test_refused_and_repaired(text: str, codes: set[str]) -> None:
    report = check(text)
    assert {problem.code for problem in report.problems} == codes
    assert not report.ok
    assert report.fen is None
    assert report.fixed == START


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        (f"{XIANGQI} w", {"missing-fields"}),
        (f"{XIANGQI} r - - 0 1", {"side-r"}),
        (f"{XIANGQI.replace('NB', 'HE').replace('BN', 'EH')} w - - 0 1", {"letters-he"}),
        (f"{XIANGQI.replace('/9/', '/111111111/')} w - - 0 1", {"digit-run"}),
        ("https://a.cn/?fen=" + f"{XIANGQI} w - - 0 1".replace(" ", "+"), {"leading-garbage", "url-encoded"}),
        (f"{CHINESE} w - - 0 1", {"unicode-lookalike"}),
        # simplified characters do not tell the colours of horses, chariots and cannons apart
        (
            f"{CHINESE} w - - 0 1".translate(str.maketrans("車馬砲將帥俥傌", "车马炮将帅车马")),
            {"unicode-lookalike"},
        ),
        (f"{XIANGQI.replace('n', 'm').replace('N', 'M')} w - - 0 1", {"piece-language"}),
        (f"{XIANGQI.replace('k', 'g').replace('K', 'G')} w - - 0 1", {"piece-language"}),
        # G is a guard beside a king, M a minister beside a horse, S a soldier beside an advisor
        (f"{XIANGQI.replace('a', 'g').replace('A', 'G')} w - - 0 1", {"piece-language"}),
        (f"{XIANGQI.replace('b', 'm').replace('B', 'M')} w - - 0 1", {"piece-language"}),
        (f"{XIANGQI.replace('p', 's').replace('P', 'S')} w - - 0 1", {"piece-language"}),
        (f"{XIANGQI.replace('a', 's').replace('A', 'S')} w - - 0 1", {"piece-language"}),
        (f"{XIANGQI.replace('ba', 'mg').replace('ab', 'gm')} w - - 0 1", {"piece-language"}),
        (f"{XIANGQI} \u7ea2 - - 0 1", {"unicode-lookalike"}),
        (f"{XIANGQI} w - - 0 1".replace("/", "_").replace(" ", "_"), {"url-encoded"}),
        (f"https://a.cn/q/?{XIANGQI}_w", {"leading-garbage", "url-encoded", "missing-fields"}),
        (f"{XIANGQI} w KQkq - 0 1", {"castling-grammar"}),
        (f"{XIANGQI} w - e3 0 1", {"ep-grammar"}),
        (f"{XIANGQI} red - - 0 1", {"side"}),
        (f"{XIANGQI}w - - 0 1", {"whitespace"}),
        (f"{XIANGQI.replace('/', ' ')} w - - 0 1", {"rank-count"}),
        (f"{XIANGQI.replace('/', '')} w - - 0 1", {"rank-count"}),
        (f"{XIANGQI.swapcase()} w - - 0 1", {"upside-down"}),
    ],
)
def test_xiangqi(text: str, codes: set[str]) -> None:
    report = check(text)
    assert report.variant == "xiangqi"
    assert {problem.code for problem in report.problems} == codes
    assert f"{XIANGQI} w - - 0 1" in (report.fen, report.fixed)


@pytest.mark.parametrize(
    ("text", "root", "moves"),
    [
        ("startpos", START, ()),
        ("startpos moves", START, ()),
        ("startpos moves e2e4 e7e5", START, ("e2e4", "e7e5")),
        ("startpos e4 e5 Nf3", START, ("e2e4", "e7e5", "g1f3")),
        (f"{START} moves e2e4", START, ("e2e4",)),
        (f"{START} e2e4 e7e5", START, ("e2e4", "e7e5")),
        (f"{START} 1. e4 e5 2. Nf3 *", START, ("e2e4", "e7e5", "g1f3")),
        (f"{START} 1.e4 1...e5", START, ("e2e4", "e7e5")),
        (f"{BOARD} w KQkq - c4 e5", START, ("c2c4", "e7e5")),
        (f"{BOARD} w KQkq - bm e4; moves e2e4 e7e5", START, ("e2e4", "e7e5")),
        (f"{BOARD} w e2e4", f"{BOARD} w - - 0 1", ("e2e4",)),
        (
            "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1 O-O 0-0-0",
            "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
            ("e1g1", "e8c8"),
        ),
        ("startpos moves h2e2 h9g7", f"{XIANGQI} w - - 0 1", ("h2e2", "h9g7")),
        (f"{XIANGQI} w - - 0 1 H2-E2 h9g7", f"{XIANGQI} w - - 0 1", ("h2e2", "h9g7")),
        (f"{XIANGQI} w - - 0 1 炮二平五", f"{XIANGQI} w - - 0 1", ("h2e2",)),
        (f"{XIANGQI} w C2=5 h8+7", f"{XIANGQI} w - - 0 1", ("h2e2", "h9g7")),
        ("5a3/3ka4/5n3/9/9/9/9/9/9/4K1R2 w moves g0f0 d8d9", None, ("g0f0", "d8d9")),
    ],
)
def test_move_lists(text: str, root: str | None, moves: tuple[str, ...]) -> None:
    report = check(text)
    assert report.ok
    assert root in (None, report.fen)
    assert report.moves == moves
    assert {problem.code for problem in report.problems} <= {"missing-fields"}


@pytest.mark.parametrize(
    ("text", "code", "bad"),
    [
        ("startpos moves e2e4 e7e5 e1e3 e5e4", "move-illegal", "e1e3"),
        ("startpos moves e2e4 xyz", "move-syntax", "xyz"),
        (f"{START} moves e2e5", "move-illegal", "e2e5"),
        (f"{XIANGQI} w - - 0 1 moves h2e2 a0a5", "move-illegal", "a0a5"),
        (f'"{START} moves e2e4 e2e4"', "move-illegal", "e2e4"),
    ],
)
def test_a_bad_move_stops_the_list(text: str, code: str, bad: str) -> None:
    report = check(text)
    errors = [problem for problem in report.problems if problem.severity == "error"]
    assert [problem.code for problem in errors] == [code]
    assert errors[0].field == "moves"
    start, end = errors[0].span
    assert text[start:end] == bad
    assert start == text.rindex(bad)
    assert report.fen is None
    assert not report.ok


@pytest.mark.parametrize(
    ("tail", "operations"),
    [
        ('bm Qd1+; id "BK.01";', {"bm": ("Qd1+",), "id": ("BK.01",)}),
        ('bm e4 d4; c0 "e4=10; d4=7"; ce 35;', {"bm": ("e4", "d4"), "c0": ("e4=10; d4=7",), "ce": ("35",)}),
        ("bm e4", {"bm": ("e4",)}),
        ("dm 1; id mate;", {"dm": ("1",), "id": ("mate",)}),
        ("D1 20;", {"D1": ("20",)}),
        ("acd 12", {"acd": ("12",)}),
        ("bm e4;id x;", {"bm": ("e4",), "id": ("x",)}),
        ("bm e4; bm d4;", {"bm": ("e4", "d4")}),
        ('id "never closed', {"id": ("never closed",)}),
        (";D1 20 ;D2 400", {"D1": ("20",), "D2": ("400",)}),
        ("bm ;", {"bm": ()}),
        ('id "50%20 &amp; \u200b";', {"id": ("50%20 &amp; \u200b",)}),
        ("c9 https://a.org/8/8/8/8/8/8/8/8_w;", {"c9": ("https://a.org/8/8/8/8/8/8/8/8_w",)}),
        ("draw_offer; resign;", {"draw_offer": (), "resign": ()}),
        ('c4 "a comment";', {"c4": ("a comment",)}),
    ],
)
def test_epd_operations(tail: str, operations: dict[str, tuple[str, ...]]) -> None:
    for fields in (f"{BOARD} w KQkq -", START):
        text = f"{fields} {tail}"
        report = check(text)
        assert report.problems == ()
        assert report.fen == START
        assert epd_operations(text) == operations


def test_operations_of_an_escaped_record_are_escaped_too() -> None:
    text = (
        f'{BOARD} w KQkq - bm Qd1+; id "a%20b";'.replace(" ", "%20").replace('"', "%22").replace(";", "%3B")
    )
    assert epd_operations(text) == {"bm": ("Qd1+",), "id": ("a b",)}
    assert [problem.code for problem in check(text).problems] == ["url-encoded"]


def test_counters_among_the_operations_count() -> None:
    assert check(f"{BOARD} w KQkq - hmvc 3; fmvn 9;").fen == f"{BOARD} w KQkq - 3 9"


def test_no_operations_where_there_are_none() -> None:
    assert epd_operations(START) == epd_operations("") == epd_operations("startpos moves e2e4") == {}


@pytest.mark.parametrize("text", ["", "   ", "\n", "\ufeff"])
def test_nothing_is_empty(text: str) -> None:
    report = check(text)
    assert [problem.code for problem in report.problems] == ["empty"]


@pytest.mark.parametrize("text", ["foobar", "hello world", "w", "-", "e2e4", "0", "(", "K"])
def test_what_is_no_record_is_said_once(text: str) -> None:
    report = check(text)
    assert [problem.code for problem in report.problems] == ["rank-count"]
    assert report.fixed is None
    assert report.suggestions == ()


@pytest.mark.parametrize(
    ("variant", "text"),
    [
        # a cannon's character may be a man of either colour in xiangqi; chess has no such man
        ("chess", "rnbqkbnr/pppppppp/8/8/8/8/4PP\u70aeP/RNBQKBNR w - - 0 1"),
        ("chess", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPP\u70aeP/RNBQKBNR w KQkq - 0 1"),
        ("chess960", "rnbqkbnr/pppppppp/8/8/8/8/4PPcP/RNBQKBNR w - - 0 1"),
        ("chess", f"{XIANGQI} w - - 0 1"),
        ("xiangqi", START),
        ("xiangqi", f"{XIANGQI.replace('RNBA', 'RNBQ')} w - - 0 1"),
    ],
)
def test_no_other_game_s_man_gets_into_a_record(variant: str, text: str) -> None:
    report = check(text, variant=variant)
    assert not report.ok
    known = "kabnrcp" if variant == "xiangqi" else "pnbrqk"
    for record in filter(None, (report.fixed, *report.suggestions)):
        assert set(record.split()[0].lower()) <= {*known, *"123456789/"}
