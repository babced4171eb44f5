"""The built-in engine over UCCI, the Universal Chinese Chess Interface 3.0."""

from __future__ import annotations

from engines.builtin.search import MATE, MATE_BOUND, AlphaBetaSearch, SearchLimits, SearchSignals
from engines.builtin.server import HASH_MB, ProtocolServer, ServerOption, Words, read_go

# UCCI has one number for all scores: a mate is this less the plies to it, anything else stays well below.
MATED = 9999
MAX_CP = 9000


class UcciServer(ProtocolServer):
    """UCCI on standard input and output; it plays xiangqi alone, ranks counted from 0."""

    protocol = "ucci"
    uci_variant = "xiangqi"
    first_rank = 0
    remark = "info message"
    option_prefix = "option"
    nothing_to_search = "every legal move is banned"
    no_move = "nobestmove"
    farewell = ("bye",)

    def __init__(self) -> None:
        super().__init__()
        self._banned: tuple[str, ...] = ()
        self.commands["banmoves"] = self._ban
        self.commands["probe"] = lambda words: self.send("pophash")  # nothing is offered for probing

    def make_options(self) -> tuple[ServerOption, ...]:
        return (
            ServerOption("usemillisec", "check", "false"),
            ServerOption("hashsize", "spin", str(HASH_MB), 1, 4096, apply=self.resize_table),
            ServerOption("ponder", "check", "false"),  # says only that we can
            ServerOption("newgame", "button", "", apply=lambda value: self.engine.table.clear()),
        )

    def _ban(self, words: Words) -> None:
        self._banned = tuple(words)

    def _position(self, words: Words) -> None:
        self._banned = ()
        super()._position(words)

    def _go(self, words: Words, signals: SearchSignals) -> None:
        if self.limits(words).depth != 0:
            super()._go(words, signals)
            return
        # UCCI, "go depth": 0 asks for the static score alone
        self.send(f"info depth 0 score {self.score(self.engine.evaluate())}", self.no_move)
        self._searches.remove(signals)

    def option_words(self, words: Words) -> tuple[str, str]:
        return " ".join(words[:1]), " ".join(words[1:])

    def limits(self, words: Words) -> SearchLimits:
        opponents = ("opptime", "oppmovestogo", "oppincrement")
        numeric = ("depth", "nodes", "time", "movestogo", "increment", *opponents)
        given = read_go(words, numeric, ("infinite", "ponder", "draw"))
        unit_ms = 1 if self.values["usemillisec"] == "true" else 1000  # UCCI: seconds unless it is set
        return SearchLimits(
            depth=given.get("depth"),
            nodes=given.get("nodes"),
            time=given["time"] * unit_ms if "time" in given else None,
            increment=given.get("increment", 0) * unit_ms,
            moves_to_go=given.get("movestogo"),
            infinite="infinite" in given or not given.keys() & {"depth", "nodes", "time"},
            ponder="ponder" in given,
            banmoves=self._banned,
        )

    def score(self, score: int) -> str:
        if abs(score) < MATE_BOUND:
            return str(max(-MAX_CP, min(MAX_CP, score)))
        distance = MATED - (MATE - abs(score))
        return str(distance if score > 0 else -distance)

    def report(self, search: AlphaBetaSearch) -> None:
        line = search.lines[0]
        self.send(
            f"info depth {line.depth} score {self.score(line.score)} nodes {search.nodes}"
            f" time {int(search.seconds() * 1000)} pv {self.engine.text(line.pv)}"
        )


SERVER = UcciServer
