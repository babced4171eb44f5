"""The specifications the engines are held to: how each is cited, and what its engines may say."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec


class Citations(msgspec.Struct, frozen=True, kw_only=True):
    """One protocol's specification.

    `sections` cites each part that a step refers to. `kinds` are the types of options it knows, `score_kinds`
    the words that may stand before a score's number, and must where `bare_score` is false. `free_text` are
    the keys of a report whose value is the rest of the line. `null` are the words for "no move" that it names
    or that custom has made its own.
    """

    sections: Mapping[str, str]
    kinds: frozenset[str]
    bare_score: bool
    free_text: frozenset[str]
    null: frozenset[str]

    def cite(self, section: str) -> str:
        """How the part is cited."""
        return self.sections[section]


# Stefan Meyer-Kahlen, "Description of the universal chess interface (UCI)", April 2006; it has no numbers.
_UCI = Citations(
    sections={
        "general": "UCI, general rules",
        "move": "UCI, move format",
        "hello": 'UCI, "uci" and "uciok"',
        "id": 'UCI, "id"',
        "option": 'UCI, "option"',
        "debug": 'UCI, "debug"',
        "ready": 'UCI, "isready"',
        "setoption": 'UCI, "setoption"',
        "newgame": 'UCI, "ucinewgame"',
        "position": 'UCI, "position"',
        "go": 'UCI, "go"',
        "searchmoves": 'UCI, "go searchmoves"',
        "ponder": 'UCI, "go ponder" and "ponderhit"',
        "stop": 'UCI, "stop"',
        "quit": 'UCI, "quit"',
        "bestmove": 'UCI, "bestmove"',
        "info": 'UCI, "info"',
        "multipv": 'UCI, "option MultiPV"',
        "chess960": "UCI, UCI_Chess960 (Shredder's extension)",
    },
    kinds=frozenset(("check", "spin", "combo", "button", "string")),
    bare_score=False,
    free_text=frozenset(("string",)),
    null=frozenset(("0000", "(none)")),
)

# Morning Yellow, "Universal Chinese Chess Interface", version 3.0, November 2007.
_UCCI = Citations(
    sections={
        "general": "UCCI 3.0, 3",
        "move": "UCCI 3.0, 4",
        "hello": "UCCI 3.0, 5.1 and 5.4 (ucci, ucciok)",
        "id": "UCCI 3.0, 5.2 (id)",
        "option": "UCCI 3.0, 5.3 (option)",
        "ready": "UCCI 3.0, 5.5 (isready)",
        "setoption": "UCCI 3.0, 5.7 (setoption)",
        "newgame": "UCCI 3.0, 5.3 (18) (newgame)",
        "position": "UCCI 3.0, 5.8 (position)",
        "searchmoves": "UCCI 3.0, 5.9 (banmoves)",
        "go": "UCCI 3.0, 5.10 (go)",
        "info": "UCCI 3.0, 5.11 (info)",
        "ponder": "UCCI 3.0, 5.12 (ponderhit)",
        "stop": "UCCI 3.0, 5.13 (stop)",
        "bestmove": "UCCI 3.0, 5.14 and 5.15 (bestmove, nobestmove)",
        "probe": "UCCI 3.0, 5.16 (probe)",
        "quit": "UCCI 3.0, 5.18 and 5.19 (quit, bye)",
        "multipv": "no part of UCCI 3.0; as in UCI (MultiPV)",
    },
    kinds=frozenset(("label", "button", "check", "combo", "spin", "string")),
    bare_score=True,
    free_text=frozenset(("message", "string")),
    null=frozenset(("nobestmove",)),
)

SPECS: Mapping[str, Citations] = {"uci": _UCI, "ucci": _UCCI}
