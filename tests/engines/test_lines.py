"""An engine's output cut into lines, however it comes, and what may not be said to one."""

from __future__ import annotations

import hypothesis.strategies as st
import pytest
from hypothesis import given

import engines.lines
from engines.errors import ConfigError
from engines.lines import Lines, spoken
from engines.tail import TAIL_BLOCK, TAIL_LINES, TAIL_WIDTH, Tail

BOUND = 12


@given(st.lists(st.text("ab \n", max_size=40).map(str.encode), max_size=12))
def test_the_pieces_a_line_comes_in_make_no_difference(pieces: list[bytes]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engines.lines, "MAX_LINE", BOUND)
        lines, heard, cuts = Lines(), b"", 0
        for piece in pieces:
            whole, cut = lines.take(piece)
            assert not whole or whole.endswith(b"\n")
            heard += whole + (cut + b"\n" if cut else b"")
            cuts += bool(cut)
            assert len(lines.begun) <= BOUND
    data = b"".join(pieces)
    *expected, rest = data.split(b"\n")
    # one that came whole in one piece is taken however long it is
    for line, wanted in zip(heard.split(b"\n")[:-1], expected, strict=False):
        begun = wanted[:BOUND]
        assert line == wanted or (len(wanted) > BOUND and line == (begun.rsplit(b" ", 1)[0] or begun))
    # and of the last one, too long already, nothing is held
    assert lines.begun == (b"" if heard.count(b"\n") > len(expected) else rest)
    assert lines.open == bool(rest)
    assert heard.count(b"\n") in (len(expected), len(expected) + 1)
    assert cuts or heard + lines.begun == data


@pytest.mark.parametrize("line", ["go\nquit", "go\r", "position\0", "go \udce4"])
def test_a_command_that_would_be_two_is_refused(line: str) -> None:
    assert spoken(["isready", "go"]) == "isready\ngo"
    with pytest.raises(ConfigError):
        spoken(["isready", line])


def test_what_was_said_last_is_kept_short() -> None:
    tail = Tail()
    tail.sent("isready\ngo")
    tail.heard(b"x" * 10_000)
    tail.heard_block(b"".join(b"info depth %d\n" % depth for depth in range(10_000)))
    kept = tail.lines(b"bestm")
    assert len(kept) == TAIL_LINES
    assert kept[-2:] == ["< info depth 9999", "< bestm"]
    assert sum(map(len, kept)) < TAIL_BLOCK + TAIL_WIDTH
    assert all(line.startswith("< info depth ") for line in kept[:-1])


def test_a_tail_tells_who_said_what() -> None:
    tail = Tail()
    tail.sent("isready\ngo depth 1")
    tail.heard(b"readyok")
    tail.heard_block(b"info depth 1\nbestmove e2e4\n")
    tail.heard(b"y" * 10_000)
    sent, heard = ["> isready", "> go depth 1"], ["< readyok", "< info depth 1", "< bestmove e2e4"]
    assert tail.lines() == [*sent, *heard, "< " + "y" * TAIL_WIDTH]
