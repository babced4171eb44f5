"""A game as data (`Game`), its rules (`Board`), and what setup rules work on (`Setup`, `RuleViolation`).

One file or folder beside this one is one game and ends in `GAME = Game(…)`. Everything else asks these
objects and never which game it is, so a further game costs a further file. Every default of `Game` works for
a game of which nothing is known but its start and a library that plays it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import Any, Literal, Protocol, Self

import msgspec
from msgspec.structs import force_setattr

from adapter.games.cells import expand

Side = Literal["w", "b"]
Winner = Literal["white", "black"]
EpStyle = Literal["fen", "xfen", "legal"]
CastlingStyle = Literal["xfen", "shredder"]
Severity = Literal["error", "warning"]
Field = Literal["record", "placement", "side", "castling", "en-passant", "halfmove", "fullmove", "moves"]
GlyphName = Literal["letters", "figurines"]

# Costs of what speaks against a board, for `Game.board_cost`.
BROKEN = 8.0  # a rule of the game
DENIED = 4.0  # a field of the record, or a way pawns cannot have gone
UNLIKELY = 3.0


class Outcome(msgspec.Struct, frozen=True):
    """Why a game is over. `winner` is None for a draw; `reason` is a word such as `checkmate`."""

    winner: Winner | None
    reason: str


class Board(Protocol):
    """One game in progress, mutable. Moves are canonical text: UCI for chess, ICCS 0-9 for xiangqi.

    Several threads may read it at a time (`legal_moves`, `in_check`, `outcome`, `remarks`, `fen`): these
    change nothing, not even to change it back.

    Chess960 castling is canonical as king takes rook (`e1h1`), chess castling as `e1g1`.
    """

    @property
    def side(self) -> Side:
        """The side to move."""

    def copy(self) -> Self:
        """An independent board with the same history."""

    def fen(self, *, ep: EpStyle = "legal", castling: CastlingStyle = "xfen") -> str:
        """The six-field record of the position reached."""

    def legal_moves(self) -> list[str]:
        """All legal moves, canonical, in a fixed order for one position."""

    def is_legal(self, move: str) -> bool:
        """Whether a canonical move is legal here. Never raises, whatever the text."""

    def parse(self, text: str) -> str:
        """Canonical form of a legal move in any notation of the game.

        Raises ValueError whose text says in one sentence why the move cannot be read
        (`args[1] == "move-syntax"`) or is not legal (`args[1] == "move-illegal"`).
        """

    def show(self, move: str, notation: str) -> str:
        """A legal move in the notation asked for. Raises ValueError for one the game does not have."""

    def push(self, move: str) -> None:
        """Play a legal canonical move; the caller has checked that it is legal."""

    def push_shown(self, move: str, notation: str) -> str:
        """Play a legal canonical move and return it as `show` gave it before. Raises ValueError as `show`."""

    def pop(self) -> None:
        """Take the last move back."""

    def in_check(self) -> bool:
        """Whether the side to move is in check."""

    def outcome(self) -> Outcome | None:
        """The end of the game when the side to move has no legal move, else None."""

    def remarks(self) -> list[str]:
        """One sentence for each reason to call the game drawn that does not stop an analysis:
        move-count rule, repetition within the history, material that cannot mate."""

    def last_capture(self) -> int:
        """How many moves of the history lie at or before the last capture: the protocol root of UCCI."""


class Setup(msgspec.Struct, frozen=True):
    """A record taken apart, unchecked: the board as cells, the other fields as canonical text."""

    board: str
    side: str
    castling: str
    ep: str
    halfmove: int
    fullmove: int


class RuleViolation(msgspec.Struct, frozen=True, kw_only=True):
    """A breach of a rule, in terms of squares: the first of `cells` is where it is.

    `marks` are offsets of characters within the field's own text.
    """

    code: str
    field: Field
    at: str
    message: str
    cells: tuple[int, ...] = ()
    marks: tuple[int, ...] = ()
    severity: Severity = "error"


class Diagram(msgspec.Struct, frozen=True):
    """How a board is drawn: glyphs of the pieces, and pieces on squares or on the crossings of lines.

    `wide` glyphs take two columns. `river` counts the ranks above the gap in the middle; `palaces` are given
    by two opposite corners, the lower left one first, and their empty points are shown as `+`.
    """

    figurines: Mapping[str, str] = {}
    empty: str = "."  # beside figurines
    wide: bool = False
    style: Literal["squares", "points"] = "points"
    river: int | None = None
    palaces: tuple[tuple[str, str], ...] = ()


class Probe(msgspec.Struct, frozen=True):
    """A position, as a text that Position reads, and the answers of an engine that are right.

    `kind` is what it tries. The answers are all legal moves, or the only ones that mate at once.
    """

    kind: str
    text: str
    answers: tuple[str, ...]


class LongGame(msgspec.Struct, frozen=True):
    """The seed of a game of random moves. Its last `quiet` half-moves capture nothing: a UCCI position begins
    after the last capture, so only they make its line long."""

    seed: int
    quiet: int = 0


class ProbePositions(msgspec.Struct, frozen=True, kw_only=True):
    """The positions on which an engine of a game is tried.

    `survey` are searched to look at what the engine says, `lively` is one with many sensible moves, and
    `lively_other` one of the other side. `only_move` has one legal move and tells rank numbers apart.
    `started` is a game from the first position, without captures, that leaves one answer. Each of `played`
    ends with a move that has to be read as it is meant: there is one answer to it. Each of `asked` calls for
    a move that has to be said as the protocol says it. `mate_in_one` has one mating move, `mate_in_two` is a
    mate in two moves, and in `mated_next` the side to move is mated in one, whatever it plays. `winning` are
    won for the side to move, one with each colour.
    """

    survey: tuple[str, ...]
    lively: str
    lively_other: str
    only_move: Probe
    started: Probe
    played: tuple[Probe, ...]
    asked: tuple[Probe, ...] = ()
    mate_in_one: Probe
    mate_in_two: str
    mated_next: str
    mated: str
    stalemated: str
    winning: tuple[str, str]
    long: LongGame


def deferred(module: str, name: str) -> Callable[..., Any]:
    """A function of a module that is imported at its first call: rules load when there is one to apply."""

    def call(*args: Any, **kwargs: Any) -> Any:
        return getattr(import_module(module), name)(*args, **kwargs)

    return call


def _unchanged(words: Iterable[str]) -> Callable[[str], str]:
    del words
    return str


def king_violations(setup: Setup, game: Game, side_known: bool = True) -> list[RuleViolation]:
    """Setup rules of a game of which nothing is known but its start: as many kings a side as there."""
    del side_known
    sides = [(letter, side) for letter, side in zip("Kk", game.sides, strict=True) if letter in game.home]
    found = []
    missing = [side for letter, side in sides if letter not in setup.board]
    if missing:
        message = f"{missing[0]} has no king" if len(missing) == 1 else "neither side has a king"
        found = [RuleViolation(code="king-missing", field="placement", at="placement", message=message)]
    for letter, side in sides:
        cells = tuple(cell for cell, piece in enumerate(setup.board) if piece == letter)
        if len(cells) > game.home.count(letter):
            names = " and ".join(map(game.square_name, cells))
            message = f"{side} has {len(cells)} kings: {names}"
            at = game.square_name(cells[0])
            found.append(
                RuleViolation(code="king-many", field="placement", at=at, message=message, cells=cells)
            )
    return found


def material_cost(cells: str, game: Game, captures: int | None = None) -> float:
    """Plausibility cost of the pieces on a board: too many of a kind, no king, impossible places."""
    del captures
    cost = 0.0
    for letter in game.letters:
        number = cells.count(letter)
        cost += BROKEN * max(0, number - game.limits.get(letter.upper(), game.size))
        if letter in "Kk" and letter in game.home:
            cost += BROKEN * (not number)
        if (places := game.places.get(letter)) is not None:
            cost += DENIED * sum(cell not in places for cell, piece in enumerate(cells) if piece == letter)
    return cost


class Game(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """A game as data. Cells are numbered as a record names them: from the top rank's first file on."""

    name: str
    start_fen: str
    board: Callable[[str], Board]  # from a checked record; never give it an unchecked one
    family: str = ""  # the game whose board and pieces it shares, by default itself

    # Geometry and pieces; sizes, letters, home squares and limits are those of `start_fen` where not given.
    width: int = 0
    height: int = 0
    rank_base: int = 1  # the number of the first rank, in names of squares and in canonical moves
    letters: str = ""
    home: str = ""  # the cells of `start_fen`
    limits: Mapping[str, int] = {}  # the most pieces of one kind that a side starts with
    places: Mapping[str, frozenset[int]] = {}  # the cells where a piece may stand, if not everywhere
    aliases: Mapping[str, str] = {}  # letters other programs write for a piece and that we accept
    # letters of other languages, each with the pieces it may stand for, likeliest first
    foreign: Mapping[str, str] = {}
    translated: bool = False  # whether whole boards are met in the letters of other languages
    characters: Mapping[str, str] = {}  # signs that are no letters, each with the pieces it may stand for

    # The other fields of a record.
    sides: tuple[str, str] = ("White", "Black")
    side_words: Mapping[str, str] = {}  # words for a side besides w, b, white and black
    has_castling: bool = False
    has_en_passant: bool = False
    chess960: bool = False  # whether castling goes over the wire as king takes rook (UCI_Chess960)
    draws: tuple[tuple[int, str], ...] = ()  # half-move counts, and what holds from each on
    first_capture: int = 0  # how many half-moves of a game cannot be captures

    # What is wrong about a setup; checks are judged only if the third argument says that the side is known.
    setup_rules: Callable[[Setup, Game, bool], list[RuleViolation]] = king_violations
    # What the pieces cost in plausibility, given how many captures there were (None if that is not known).
    board_cost: Callable[[str, Game, int | None], float] = material_cost

    # Moves.
    notations: tuple[str, ...] = ("uci",)
    notation: str = "uci"  # what results show beside the canonical move: san, wxf
    # Read the words of one list of moves, whose meaning may depend on all of them together.
    settle: Callable[[Iterable[str]], Callable[[str], str]] = _unchanged
    own_move: str = ""  # a pattern of moves that no game before this one in the registry writes

    # Engines and other libraries.
    uci_variant: str = ""  # the value of UCI_Variant that selects the game, by default its name
    python_chess: str | None = None  # the `uci_variant` of python-chess' board for it
    probes: Callable[[], ProbePositions] | None = None
    diagram: Diagram = Diagram()

    def __post_init__(self) -> None:
        ranks = self.start_fen.split(" ", 1)[0].split("[", 1)[0].split("/")
        home = expand("".join(ranks))
        letters = "".join(dict.fromkeys(filter(str.isalpha, home.upper())))
        derived: dict[str, object] = {
            "family": self.name,
            "uci_variant": self.name,
            "width": len(home) // len(ranks),
            "height": len(ranks),
            "home": home,
            "letters": letters + letters.lower(),
            "limits": {letter: max(home.count(letter), home.count(letter.lower())) for letter in letters},
        }
        for field, value in derived.items():
            if not getattr(self, field):
                force_setattr(self, field, value)

    @property
    def size(self) -> int:
        """How many squares the board has."""
        return self.width * self.height

    @property
    def top(self) -> int:
        """The number of the first rank of a record."""
        return self.rank_base + self.height - 1

    @property
    def slashes(self) -> int:
        """How many slashes a placement field has."""
        return self.height - 1

    @property
    def files(self) -> str:
        """The letters of the files."""
        return "abcdefghijklmnopqrstuvwxyz"[: self.width]

    @property
    def draw_clock(self) -> int:
        """The half-move count from which the game may be drawn."""
        return self.draws[0][0] if self.draws else sys.maxsize

    def square_name(self, cell: int) -> str:
        """The name of a cell's square."""
        row, column = divmod(cell, self.width)
        return f"{chr(97 + column)}{self.top - row}"

    def rank_name(self, row: int) -> str:
        """What a row of a record is called; one beyond the board has no name of its own."""
        return f"rank {self.top - row}" if row < self.height else "placement"
