"""An engine's output cut into lines, however it comes, and what may not be said to one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import given

import engines.protocol
from engines.errors import ConfigError
from engines.protocol import TAIL_BLOCK, TAIL_LINES, TAIL_WIDTH, LineBuffer, RecentLines, encode_commands

BOUND = 5
PIECES = st.lists(
    st.sampled_from([b"a", b"bb", b" ", b"c" * BOUND, b"\n", b"d d\n", b"", b" eeeeee"]), max_size=12
)


@given(PIECES)
def test_the_pieces_a_line_comes_in_make_no_difference(pieces: list[bytes]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engines.protocol, "MAX_LINE", BOUND)
        lines, heard, cuts = LineBuffer(), b"", 0
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
    assert encode_commands(["isready", "go"]) == "isready\ngo"
    with pytest.raises(ConfigError):
        encode_commands(["isready", line])


@pytest.mark.parametrize("begun", [b" ffffffff", b"ffffffff", b"ff ffffff"])
def test_a_line_without_end_is_taken_once_and_never_as_nothing(begun: bytes, monkeypatch: Any) -> None:
    monkeypatch.setattr(engines.protocol, "MAX_LINE", BOUND)
    lines = LineBuffer()
    _, cut = lines.take(begun)
    assert cut == (b"ff" if begun.startswith(b"ff ") else begun[:BOUND])
    assert (lines.begun, lines.open) == (b"", True)
    assert lines.take(b"ggg") == (b"", b"")
    assert lines.take(b"hhh\nnext\n") == (b"next\n", b"")
    assert not lines.open


SAID: list[Callable[[RecentLines], None]] = [
    lambda tail: tail.sent("isready\nposition startpos moves " + "e2e4 e7e5 " * 10_000 + "\ngo"),
    lambda tail: tail.heard(b"x" * 100_000),
    lambda tail: tail.heard_block(b"info depth 1\n" * 10_000),
    lambda tail: tail.heard_block(b"y" * 100_000 + b"\n"),
]


@pytest.mark.parametrize("say", SAID, ids=["sent", "a line", "a block", "a block of one line"])
def test_what_is_kept_of_a_talk_is_bounded(say: Callable[[RecentLines], None]) -> None:
    tail = RecentLines()
    for _ in range(3 * TAIL_LINES):
        say(tail)
    assert sum(map(len, tail._said)) <= TAIL_LINES * TAIL_BLOCK
    kept = tail.lines(b"bestm")
    assert (len(kept), kept[-1]) == (TAIL_LINES, "< bestm")
    assert max(map(len, kept)) <= 2 + TAIL_WIDTH


def test_the_end_of_a_long_block_is_kept() -> None:
    tail = RecentLines()
    tail.heard_block(b"".join(b"info depth %d\n" % depth for depth in range(10_000)))
    assert tail.lines() == [f"< info depth {depth}" for depth in range(10_000 - TAIL_LINES, 10_000)]


def test_a_tail_tells_who_said_what() -> None:
    tail = RecentLines()
    tail.sent("isready\ngo depth 1")
    tail.heard(b"readyok")
    tail.heard_block(b"info depth 1\nbestmove e2e4\n")
    tail.heard(b"y" * 10_000)
    sent, heard = ["> isready", "> go depth 1"], ["< readyok", "< info depth 1", "< bestmove e2e4"]
    assert tail.lines() == [*sent, *heard, "< " + "y" * TAIL_WIDTH]
