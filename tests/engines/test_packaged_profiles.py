"""What the packaged profiles say of engines is held against the engines themselves, over bare pipes."""

from __future__ import annotations

import contextlib
import queue
import subprocess
import threading
import time
from collections.abc import Iterator

import pytest

from engines.discovery import ResolvedEngine, resolve_engine

NAMES = [
    "stockfish",
    "fairy-stockfish",
    "fairy-xiangqi",
    "fairy-xiangqi-uci",
    "gnuchess",
    "toga2",
    "glaurung",
    "builtin",
    "builtin-ucci",
]
NODES = 20_000  # reached in a small part of a second by every engine at hand but the built-in
LONG, SHORT = 20.0, 1.5  # seconds for what must come, and for what must not

# The mover's rook pawn or rook steps once: what nobody would choose.
START = {
    "chess": "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "xiangqi": "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1",
}
ODD_MOVE = {("chess", 1): "a2a3", ("xiangqi", 0): "a0a1", ("xiangqi", 1): "a1a2"}


class Pipe:
    """An engine by its bare pipes."""

    def __init__(self, found: ResolvedEngine) -> None:
        self.found = found
        self.profile = found.profile
        self.speech = found.profile.speech()
        self.heard: list[str] = []
        self._lines: queue.Queue[str | None] = queue.Queue()
        self.process = subprocess.Popen(
            found.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line.strip())
        self._lines.put(None)

    def say(self, *lines: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write("".join(f"{line}\n" for line in lines))
        self.process.stdin.flush()

    def wait(self, *words: str, seconds: float = LONG) -> str | None:
        """The next line that begins with one of the words, None if it does not come in time."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            with contextlib.suppress(queue.Empty):
                line = self._lines.get(timeout=left)
                if line is None:
                    return None
                self.heard.append(line)
                if line.startswith(words):
                    return line
        return None

    def begin(self) -> None:
        """Handshake, the profile's options, the starting position of its game."""
        self.say(self.speech.hello)
        assert self.wait("uciok", "ucciok")
        for name, value in self.profile.options.items():
            self.say(
                self.speech.set_option(name, str(value).lower() if isinstance(value, bool) else str(value))
            )
        self.say("isready")
        assert self.wait("readyok")
        self.say(f"position fen {START[self.profile.variants[0]]}")


@pytest.fixture(params=[pytest.param(name, marks=pytest.mark.engine(name)) for name in NAMES])
def pipe(request: pytest.FixtureRequest) -> Iterator[Pipe]:
    engine = Pipe(resolve_engine(None, request.param))
    try:
        engine.begin()
        yield engine
    finally:
        engine.process.kill()
        engine.process.wait(LONG)
        for stream in (engine.process.stdin, engine.process.stdout):
            assert stream is not None
            with contextlib.suppress(BrokenPipeError):
                stream.close()


def test_what_the_profile_counts_on_is_offered(pipe: Pipe) -> None:
    offered = "\n".join(line for line in pipe.heard if line.startswith("option"))
    for name in pipe.profile.options:
        assert f" {name} type " in offered
    assert (" MultiPV type spin" in offered) == pipe.profile.capabilities.multipv
    # one way only: Glaurung offers Chess960 and does not do it well
    if pipe.profile.capabilities.chess960:
        assert " UCI_Chess960 type check" in offered


def test_depth_ends_the_search_as_the_profile_says(pipe: Pipe) -> None:
    assert "depth" in pipe.profile.capabilities.limits
    pipe.say("go depth 3")
    assert pipe.wait("bestmove")


def test_a_node_count_ends_the_search_where_the_profile_says_so(pipe: Pipe) -> None:
    obeyed = "nodes" in pipe.profile.capabilities.limits
    pipe.say(f"go nodes {NODES}")
    ended = pipe.wait("bestmove", seconds=LONG if obeyed else SHORT) is not None
    assert ended == obeyed
    if not obeyed:
        pipe.say("stop")
        assert pipe.wait("bestmove")


def test_a_time_ends_the_search_where_the_profile_says_so(pipe: Pipe) -> None:
    if "time" not in pipe.profile.capabilities.limits:
        assert pipe.profile.protocol == "ucci"  # which has no such word
        return
    pipe.say("go movetime 200")
    assert pipe.wait("bestmove")


def test_only_the_moves_asked_for_are_searched_where_the_profile_says_so(pipe: Pipe) -> None:
    if not pipe.profile.capabilities.searchmoves:
        # Fairy takes the word over UCCI too; the protocol has none, so it is not sent
        if pipe.profile.protocol == "uci":
            pipe.say(f"go depth 3 searchmoves {ODD_MOVE['chess', 1]}")
            answer = pipe.wait("bestmove")
            assert answer is not None
            assert ODD_MOVE["chess", 1] not in answer.split()[:2]
        return
    move = ODD_MOVE[pipe.profile.variants[0], pipe.speech.rank_base]
    pipe.say(f"go depth 3 searchmoves {move}")
    answer = pipe.wait("bestmove")
    assert answer is not None
    assert answer.split()[1] == move


def test_a_ping_is_answered_in_a_search_where_the_profile_says_so(pipe: Pipe) -> None:
    answers = pipe.profile.capabilities.isready_in_search
    pipe.say("go infinite")
    assert pipe.wait("info")
    pipe.say("isready")
    assert (pipe.wait("readyok", seconds=LONG if answers else SHORT) is not None) == answers
    pipe.say("stop")
    assert pipe.wait("bestmove")


@pytest.mark.engine("fairy-stockfish")
def test_a_ucci_clock_counts_in_the_unit_the_profile_names() -> None:
    engine = Pipe(resolve_engine("xiangqi", "fairy-xiangqi"))
    try:
        engine.begin()
        assert engine.speech.clock_unit == "ms"
        # a whole minute left, were these seconds: it would think a second or more
        engine.say("go time 60 increment 0 opptime 60 oppincrement 0")
        assert engine.wait("bestmove", seconds=LONG)
        spent = [line.split() for line in engine.heard if line.startswith("info depth")][-1]
        assert int(spent[spent.index("time") + 1]) < 200
    finally:
        engine.process.kill()
        engine.process.communicate(timeout=LONG)


@pytest.mark.engine("fairy-stockfish")
def test_banned_moves_are_kept_from_over_ucci() -> None:
    engine = Pipe(resolve_engine("xiangqi", "fairy-xiangqi"))
    try:
        engine.begin()
        engine.say("go depth 5")
        answer = engine.wait("bestmove")
        assert answer is not None
        favourite = answer.split()[1]
        engine.say(f"position fen {START['xiangqi']}", f"banmoves {favourite}", "go depth 5")
        answer = engine.wait("bestmove")
        assert answer is not None
        assert answer.split()[1] != favourite
    finally:
        engine.process.kill()
        engine.process.communicate(timeout=LONG)
