"""A protocol as data: its words, line grammar, move codec, and the limits its engines obey.

Each protocol's file ends in `DIALECT = Dialect(…)`; an engine's profile overrides single fields. Nothing
outside this folder asks which protocol it has: it reads a field or calls a slot.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Literal, Protocol

import msgspec

from engines.info import Info, parse_info
from engines.limits import Limit
from engines.options import Option

ClockUnit = Literal["ms", "s"]
LimitKind = Literal["depth", "nodes", "time", "clock", "mate", "infinite"]
# What a line of an engine may be; "other" is known to the specification and of no consequence here.
ReplyKind = Literal["id", "option", "hello", "ready", "info", "bestmove", "other"]


class Capabilities(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What an engine obeys by itself; the driver enforces the rest, or refuses the request.

    `limits` are the bounds of a search it stops at; `searchmoves` and `banmoves` whether it keeps to such a
    list; `isready_in_search` whether a ping is answered during a search; `multipv` whether more than one
    line can be had; `chess960` whether castling can be sent as king takes rook; `ponder` whether it thinks
    on the opponent's time.
    """

    limits: tuple[LimitKind, ...]
    searchmoves: bool
    banmoves: bool
    isready_in_search: bool
    multipv: bool
    chess960: bool
    ponder: bool


class Reply(msgspec.Struct, frozen=True):
    """A line of an engine by its kind; `line` begins with the word that decided it."""

    kind: ReplyKind
    line: bytes


class BestMove(msgspec.Struct, frozen=True):
    """The last line of a search.

    `word` is the move's word as it came, `best` and `ponder` are in lower case, each None for "no move";
    `draw_offered` and `resigned` are what may be said with it.
    """

    word: str
    best: str | None
    ponder: str | None = None
    draw_offered: bool = False
    resigned: bool = False


class FastPath(Protocol):
    """Shortcuts for output in the layout most engines use; each gives None where it does not apply."""

    def split_bestmove(self, data: bytes) -> tuple[bytes, bytes] | None:
        """Split a whole answer into its info lines and its bestmove line."""

    def match_info(self, line: bytes, /) -> re.Match[bytes] | None:
        """Match an info line with an exact score; the first group is its rank."""

    def last_info_per_multipv(
        self, block: bytes, ranks: Collection[int], max_bytes: int
    ) -> Mapping[int, bytes] | None:
        """The last info line of each of these ranks in a block of whole lines."""


class Dialect(msgspec.Struct, frozen=True, kw_only=True):
    """One protocol's words and shapes.

    The slots that are functions take and return plain text, so that a protocol's file can be read next to
    its specification. `reply_words` maps the first word of an engine's line to what the line is. `encode` and
    `decode` translate a move, given the difference to add to its rank numbers; callers use `encode_move` and
    `decode_move`. Without a `fastpath` all output is read line by line.

    `title` and `specification` name the protocol in messages and citations, `sections` its parts. `games` are
    the games it is usually used for, the likelier first: detection asks for those. The conformance checks
    apply where `checked`; for them are `option_kinds`, the types of options the specification knows,
    `bare_score`, whether a score's number may stand without a word, `free_text`, the keys of an info whose
    value is the rest of the line, and `null_words`, its own words for "no move".
    """

    name: str
    title: str
    specification: str
    sections: Mapping[str, str]
    games: tuple[str, ...]
    checked: bool = False
    option_kinds: frozenset[str] = frozenset()
    bare_score: bool = False
    free_text: frozenset[str] = frozenset()
    null_words: frozenset[str] = frozenset()
    hello: str
    reply_words: Mapping[str, ReplyKind]
    new_game: str | None
    stop: str
    ping: str
    quit: str
    ponder_hit: str | None
    rank_base: int
    side_letters: Mapping[str, str]
    history_root: Literal["whole", "capture"]
    max_halfmove: int | None
    no_move: frozenset[str]
    single_limit: bool  # whether one search takes one limit only
    mate_score: int | None  # a plain score this far from zero or further, less its plies, is a mate
    position_command: Callable[[str, Sequence[str]], str]
    set_option: Callable[[str, str | None], str]
    read_option: Callable[[str], Option]
    go_command: Callable[[Sequence[str]], str]  # from the words of its limits
    go_words: Mapping[LimitKind, Callable[[Limit], Sequence[str]]]
    clock: Callable[[Limit, str, Callable[[int], int]], Sequence[str]]  # limit, side, ms to the clock's unit
    clock_unit: ClockUnit
    millisecond_option: str | None  # an option that, where offered, makes the clock count milliseconds
    search_moves: Callable[[Sequence[str]], str] | None
    ban_moves: Callable[[Sequence[str]], str] | None
    capabilities: Capabilities
    encode: Callable[[str, int], str]
    decode: Callable[[str, int], str]
    parse_line: Callable[[bytes, Mapping[str, ReplyKind]], Reply | None]
    parse_bestmove: Callable[[bytes, frozenset[str]], BestMove]
    parse_info: Callable[[bytes, int | None], Info] = parse_info
    fastpath: FastPath | None = None

    def encode_move(self, move: str, game_rank_base: int) -> str:
        """A canonical move of a game as this protocol writes it."""
        return self.encode(move, self.rank_base - game_rank_base)

    def decode_move(self, text: str, game_rank_base: int) -> str:
        """A move of this protocol in canonical form; its legality is not checked.

        Raises ValueError for a text that does not have the shape of a move.
        """
        return self.decode(text, game_rank_base - self.rank_base)

    def words_for(self, kind: ReplyKind) -> tuple[str, ...]:
        """The first words of the lines of a kind."""
        return tuple(word for word, is_ in self.reply_words.items() if is_ == kind)

    def read_reply(self, line: bytes) -> Reply | None:
        """What a line is; None for one that is not of the protocol."""
        return self.parse_line(line, self.reply_words)

    def read_info(self, line: bytes) -> Info:
        """The values of one info line; never raises."""
        return self.parse_info(line, self.mate_score)


_RANK = re.compile(r"\d+")
_COORDINATES = re.compile(r"([a-z])(\d+)([a-z])(\d+)([a-z]?)")


def encode_coordinates(move: str, shift: int) -> str:
    """A move such as `e2e4` with its ranks numbered anew."""
    return _RANK.sub(lambda rank: str(int(rank[0]) + shift), move) if shift else move


def decode_coordinates(text: str, shift: int) -> str:
    """The move of a text such as `E2E4`, in lower case, with its ranks numbered anew. Raises ValueError."""
    word = text.lower()
    match = _COORDINATES.fullmatch(word)
    if match is None:
        raise ValueError(f"{text!r} has not the shape of a move")
    if shift and min(int(match[2]), int(match[4])) + shift < 0:
        raise ValueError(f"{text!r} names a rank below the board's first")
    return encode_coordinates(word, shift) if shift else word


def parse_uci_like(line: bytes, reply_words: Mapping[str, ReplyKind]) -> Reply | None:
    """The kind of a line by its first known word.

    UCI, "General": unknown words at the head of a line are skipped until one that is known.
    """
    words = line.split()
    for at, word in enumerate(words):
        kind = reply_words.get(word.decode("utf-8", "replace"))
        if kind is not None:
            return Reply(kind, b" ".join(words[at:]) if at else line)
    return None


def parse_uci_bestmove(line: bytes, no_move: frozenset[str]) -> BestMove:
    """Read `bestmove M [ponder M] [draw|resign]`, or UCCI's bare `nobestmove`."""
    words = line.decode("utf-8", "replace").split()
    word = words[1] if words[0] == "bestmove" and len(words) > 1 else ""
    best = word.lower()
    tail = line.decode("utf-8", "replace").lower().split()[2:]
    ponder = tail[tail.index("ponder") + 1] if "ponder" in tail[:-1] else None
    return BestMove(
        word or words[0],
        None if best in no_move else best,
        None if ponder in no_move else ponder,
        "draw" in tail,
        "resign" in tail,
    )
