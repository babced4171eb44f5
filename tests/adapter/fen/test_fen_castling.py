"""Castling fields of chess and Chess960: read in three grammars, judged on the board, written in two."""

from __future__ import annotations

import pytest

from adapter.fen import check

WRITTEN = [
    # record, variant, as kept, as X-FEN, as Shredder-FEN
    ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "chess", "KQkq", "KQkq", "HAha"),
    ("r3k2r/8/8/8/8/8/8/R3K2R w HAha - 0 1", "chess", "HAha", "KQkq", "HAha"),
    ("r3k2r/8/8/8/8/8/8/R3K2R w AHah - 0 1", "chess", "AHah", "KQkq", "HAha"),
    ("r3k2r/8/8/8/8/8/8/R3K2R w Kq - 0 1", "chess", "Kq", "Kq", "Ha"),
    ("bqnbnrkr/pppppppp/8/8/8/8/PPPPPPPP/BQNBNRKR w HFhf - 0 1", "chess960", "HFhf", "KQkq", "HFhf"),
    ("bqnbnrkr/pppppppp/8/8/8/8/PPPPPPPP/BQNBNRKR w KQkq - 0 1", "chess960", "KQkq", "KQkq", "HFhf"),
    # inner rooks are named by their files in X-FEN too
    ("4k1rr/8/8/8/8/8/8/RR2K1RR w KQk - 0 1", "chess960", "KQk", "KQk", "HAh"),
    ("4k1rr/8/8/8/8/8/8/RR2K1RR w GBg - 0 1", "chess960", "GBg", "GBg", "GBg"),
    ("4k1rr/8/8/8/8/8/8/RR2K1RR w HAg - 0 1", "chess960", "HAg", "KQg", "HAg"),
    ("rkbnrqnb/8/8/pppppppp/PPPPP3/B7/5PPP/1KRNRQNB b Cea - 1 9", "chess960", "Cea", "Ckq", "Cea"),
    # the opponent's rook does not count
    ("4k3/pppppppp/8/8/8/8/PPPPPPPP/rR2K3 w Q - 0 1", "chess960", "Q", "Q", "B"),
    # both kings need not have begun on one file where the game is named
    ("r3k2r/8/8/8/8/8/8/R4K1R w KQkq - 0 1", "chess960", "KQkq", "KQkq", "HAha"),
    ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", "chess960", "-", "-", "-"),
]


@pytest.mark.parametrize(("record", "variant", "kept", "xfen", "shredder"), WRITTEN)
def test_written_as_asked(record: str, variant: str, kept: str, xfen: str, shredder: str) -> None:
    for style, field in (("keep", kept), ("xfen", xfen), ("shredder", shredder)):
        report = check(record, variant=variant, castling=style)
        assert report.problems == ()
        assert report.fen is not None
        assert report.fen.split()[2] == field
        # what was written means the same
        assert (
            check(report.fen, variant=variant, castling="shredder").fen
            == check(record, variant=variant, castling="shredder").fen
        )


@pytest.mark.parametrize(
    ("record", "variant"),
    [
        # Shredder letters say Chess960, even on a classical board
        ("r3k2r/8/8/8/8/8/8/R3K2R w HAha - 0 1", "chess960"),
        ("bqnbnrkr/pppppppp/8/8/8/8/PPPPPPPP/BQNBNRKR w HFhf - 0 1", "chess960"),
        # rights that only fit Chess960
        ("bqnbnrkr/pppppppp/8/8/8/8/PPPPPPPP/BQNBNRKR w KQkq - 0 1", "chess960"),
        ("4k3/8/8/8/8/8/8/R4K1R w KQ - 0 1", "chess960"),
        ("4k1rr/8/8/8/8/8/8/RR2K1RR w KB - 0 1", "chess960"),
        # rooks of both wings that began on the same files
        ("1r2k1r1/8/8/8/8/8/8/1R2K1R1 w KQkq - 0 1", "chess960"),
        ("r3k1r1/8/8/8/8/8/8/R3K1R1 w KQkq - 0 1", "chess960"),
        # an inner rook on a classical board
        ("4k3/8/8/8/8/8/8/RR2K2R w KB - 0 1", "chess960"),
        # no evidence for it
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "chess"),
        ("bqnbnrkr/pppppppp/8/8/8/8/PPPPPPPP/BQNBNRKR w - - 0 1", "chess"),
    ],
)
def test_the_game_is_told_by_the_rights(record: str, variant: str) -> None:
    report = check(record)
    assert report.problems == ()
    assert report.variant == variant


@pytest.mark.parametrize(
    ("record", "fixed"),
    [
        # the kings of one game of Chess960 begin on one file: two files are a mistake
        ("r3k2r/8/8/8/8/8/8/R4K1R w KQkq - 0 1", "r3k2r/8/8/8/8/8/8/R4K1R w kq - 0 1"),
        # and so do their rooks: whoever moved one kept rights that are gone
        ("r3k2r/8/8/8/8/8/8/1R2K2R w KQkq - 0 1", "r3k2r/8/8/8/8/8/8/1R2K2R w Kkq - 0 1"),
        ("r3k2r/8/8/8/8/8/8/R3K1R1 w KQkq - 0 1", "r3k2r/8/8/8/8/8/8/R3K1R1 w Qkq - 0 1"),
        ("r3kr2/8/8/8/8/8/8/R3K2R w Kk - 0 1", "r3kr2/8/8/8/8/8/8/R3K2R w K - 0 1"),
        # the mirrored start position is no Chess960 start position but chess from the wrong side
        (
            "rnbkqbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBKQBNR w KQkq - 0 1",
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        ),
        # no rook answers to one of the letters
        ("4k3/8/8/8/8/8/8/R3K2R w KQB - 0 1", "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1"),
    ],
)
def test_what_does_not_fit_chess960_is_chess(record: str, fixed: str) -> None:
    report = check(record)
    assert report.variant == "chess"
    assert report.fixed == fixed


@pytest.mark.parametrize(
    ("record", "variant", "text", "fixed"),
    [
        ("4k3/8/8/8/8/8/8/K2R4 w Q - 0 1", "chess960", "no rook of its own on the a-side", "-"),
        ("4k3/8/8/8/8/8/4K3/R6R w KQ - 0 1", "chess960", "the king stands on e2, not on the first rank", "-"),
        ("4k3/8/8/8/8/8/8/4K2R w Q - 0 1", "chess", "no rook of its own on a1", "-"),
        ("4k3/8/8/8/8/8/8/r3K3 w Q - 0 1", "chess", "no rook of its own on a1", "-"),
        ("4k2r/8/8/8/8/8/8/5K1R w Kk - 0 1", "chess", "the king stands on f1, not on e1", "k"),
    ],
)
def test_impossible_rights(record: str, variant: str, text: str, fixed: str) -> None:
    report = check(record, variant=variant)
    assert [problem.code for problem in report.problems] == ["castling-impossible"]
    assert text in report.problems[0].message
    assert report.fixed is not None
    assert report.fixed.split()[2] == fixed


@pytest.mark.parametrize(
    "damaged",
    ["NXKBBQRN", "NRXBBQRN", "NRKBBQXN", "NRKBBQR", "NRKBBQRNN", "NRKBB1QRN"],
)
@pytest.mark.parametrize("rights", ["KQkq", "GBgb"])
def test_chess960_is_known_by_the_whole_rank(damaged: str, rights: str) -> None:
    """One rank that cannot be read, White's or Black's, takes no rights away."""
    whole = "nrkbbqrn/pppppppp/8/8/8/8/PPPPPPPP/NRKBBQRN"
    for text in (whole.replace("NRKBBQRN", damaged), whole.replace("nrkbbqrn", damaged.lower())):
        report = check(f"{text} w {rights} - 0 1")
        assert (report.variant, report.fixed) == ("chess960", f"{whole} w {rights} - 0 1")
        assert len(report.problems) == 1


@pytest.mark.parametrize(
    ("field", "code", "meant"),
    [
        ("QK", "castling-order", {"KQ"}),
        ("kqKQ", "castling-order", {"KQkq"}),
        ("haHA", "castling-order", {"HAha"}),
        ("KQKq", "castling-duplicate", {"KQkq"}),
        ("KK", "castling-duplicate", {"Kk"}),
        ("AHA", "castling-duplicate", {"KQq", "KQkq"}),
        ("KQkq-", "castling-grammar", {"KQkq"}),
        ("-KQkq", "castling-grammar", {"KQkq"}),
        ("KXQkq", "castling-grammar", {"KQkq"}),
        ("-kq", "castling-grammar", {"kq"}),
        ("KQ-", "castling-grammar", {"KQ"}),
        ("KQ/kq", "castling-grammar", {"KQkq"}),
        ("(KQkq)", "castling-grammar", {"KQkq"}),
        ("KDkd", "castling-impossible", {"KQkq"}),
        ("all", "castling-grammar", {"-"}),
        ("O-O", "castling-grammar", {"-"}),
        ("KQQk", "castling-duplicate", {"KQk", "KQkq"}),
        ("KQKQ", "castling-duplicate", {"KQkq", "KQq"}),
        ("none", "castling-grammar", {"-"}),
        ("KQkqKQkq", "castling-duplicate", {"KQkq"}),
    ],
)
def test_damaged_fields(field: str, code: str, meant: set[str]) -> None:
    report = check(f"r3k2r/8/8/8/8/8/8/R3K2R w {field} - 0 1", variant="chess")
    assert [problem.code for problem in report.problems] == [code]
    found = {record.split()[2] for record in (report.fen, report.fixed, *report.suggestions) if record}
    assert found == meant
