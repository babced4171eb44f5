"""An engine's output cut into lines, however it comes, what is kept of it, what may not be sent."""

from __future__ import annotations

from collections.abc import Callable

import hypothesis.strategies as st
import pytest
from hypothesis import given

import engines.protocol
from engines.errors import ConfigError
from engines.protocol import TAIL_BLOCK, TAIL_LINES, TAIL_WIDTH, EngineProtocol, encode_commands
from engines.protocols import get

BOUND = 5
PIECES = st.lists(
    st.sampled_from([b"a", b"bb", b" ", b"c" * BOUND, b"\n", b"d d\n", b"", b" eeeeee"]), max_size=12
)
CUT = f"a line of more than {BOUND} bytes was cut"


def idle() -> EngineProtocol:
    uci = get("uci")
    protocol = EngineProtocol(uci, uci.capabilities)
    protocol.hello()
    protocol.receive_data(b"uciok\n")
    return protocol


@given(PIECES)
def test_the_pieces_a_line_comes_in_make_no_difference(pieces: list[bytes]) -> None:
    protocol = idle()
    for piece in pieces:
        protocol.receive_data(piece)
    *whole, rest = b"".join(pieces).split(b"\n")
    assert list(protocol.console) == [line.rstrip().decode() for line in whole if line.strip()]
    assert protocol.partial_line == rest


@given(PIECES)
def test_no_more_of_a_long_line_is_held_or_taken_than_its_beginning(pieces: list[bytes]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engines.protocol, "MAX_LINE", BOUND)
        protocol = idle()
        for piece in pieces:
            protocol.receive_data(piece)
            assert len(protocol.partial_line) <= BOUND
    lines = b"".join(pieces).split(b"\n")
    received = [line for line in protocol.console if line != CUT]
    # in order, each the beginning of a line, and none twice
    left = iter(line.rstrip().decode() for line in lines)
    assert all(any(line.startswith(beginning) for line in left) for beginning in received)
    short = [line.rstrip().decode() for line in lines[:-1] if line.strip() and len(line) <= BOUND]
    assert len(received) >= len(short)
    if len(lines[-1]) <= BOUND:
        assert protocol.partial_line == lines[-1]


@pytest.mark.parametrize("line", ["go\nquit", "go\r", "position\0", "go \udce4"])
def test_a_command_that_would_be_two_is_refused(line: str) -> None:
    assert encode_commands(["isready", "go"]) == "isready\ngo"
    with pytest.raises(ConfigError):
        encode_commands(["isready", line])


@pytest.mark.parametrize("begun", [b" ffffffff", b"ffffffff", b"ff ffffff"])
def test_a_line_without_end_is_taken_once_and_never_as_nothing(
    begun: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engines.protocol, "MAX_LINE", BOUND)
    protocol = idle()
    protocol.receive_data(begun)
    taken = "ff" if begun.startswith(b"ff ") else begun[:BOUND].decode()
    assert list(protocol.console) == [taken, CUT]
    assert protocol.partial_line == b""
    protocol.receive_data(b"ggg")
    protocol.receive_data(b"hhh\nnext\n")
    assert list(protocol.console) == [taken, CUT, "next"]


def sends(text: str) -> Callable[[EngineProtocol], object]:
    return lambda protocol: protocol.send(text)


def receives(data: bytes) -> Callable[[EngineProtocol], object]:
    return lambda protocol: protocol.receive_data(data)


SAID: list[Callable[[EngineProtocol], object]] = [
    sends("position startpos moves " + "e2e4 e7e5 " * 10_000),
    receives(b"x" * 100_000 + b"\n"),
    receives(b"info depth 1\n" * 10_000),
    receives(b"y" * 100_000 + b"\n"),
]


@pytest.mark.parametrize("say", SAID, ids=["sent", "a line", "a block", "a block of one line"])
def test_what_is_kept_of_a_talk_is_bounded(say: Callable[[EngineProtocol], object]) -> None:
    protocol = idle()
    for _ in range(3 * TAIL_LINES):
        say(protocol)
    protocol.receive_data(b"bestm")
    assert sum(map(len, protocol._recent)) <= TAIL_LINES * TAIL_BLOCK
    kept = protocol.recent_lines
    assert (len(kept), kept[-1]) == (TAIL_LINES, "< bestm")
    assert max(map(len, kept)) <= 2 + TAIL_WIDTH


def test_the_recent_lines_tell_who_said_what() -> None:
    protocol = idle()
    protocol.send("d")
    protocol.receive_data(b"board\n" + b"y" * 10_000 + b"\n")
    assert protocol.recent_lines == ["> uci", "< uciok", "> d", "< board", "< " + "y" * TAIL_WIDTH]
