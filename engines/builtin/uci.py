"""The built-in engine over UCI, as shredderchess.com describes it."""

from __future__ import annotations

from engines.builtin.evaluation import TABLES
from engines.builtin.search import AlphaBetaSearch, SearchLimits, format_score
from engines.builtin.server import HASH_MB, OVERHEAD_MS, ProtocolServer, ServerOption, Words, read_go


class UciServer(ProtocolServer):
    """UCI on standard input and output."""

    protocol = "uci"
    uci_variant = "chess"
    first_rank = 1  # xiangqi over UCI counts as Fairy-Stockfish does: a1 to i10
    remark = "info string"
    option_prefix = "option name"
    nothing_to_search = "no legal move among the searchmoves"
    no_move = "bestmove (none)"

    def __init__(self) -> None:
        super().__init__()
        self.commands["ucinewgame"] = lambda words: self.engine.table.clear()

    def make_options(self) -> tuple[ServerOption, ...]:
        return (
            ServerOption("Hash", "spin", str(HASH_MB), 1, 4096, apply=self.resize_table),
            ServerOption("MultiPV", "spin", "1", 1, 500),
            ServerOption("Ponder", "check", "false"),  # says only that we can
            ServerOption("Clear Hash", "button", "", apply=lambda value: self.engine.table.clear()),
            ServerOption("Move Overhead", "spin", str(OVERHEAD_MS), 0, 5000),
            ServerOption("UCI_Chess960", "check", "false", apply=self._choose),
            ServerOption("UCI_Variant", "combo", "chess", choices=tuple(TABLES), apply=self._choose),
        )

    def _choose(self, value: str) -> None:
        self.engine.choose(self.values["UCI_Variant"], chess960=self.values["UCI_Chess960"] == "true")

    def option_words(self, words: Words) -> tuple[str, str]:
        lowered = [word.lower() for word in words]
        if lowered[:1] != ["name"]:
            raise ValueError("setoption needs: name NAME [value VALUE]")
        cut = lowered.index("value") if "value" in lowered else len(words)
        return " ".join(words[1:cut]), " ".join(words[cut + 1 :])

    def limits(self, words: Words) -> SearchLimits:
        numeric = ("depth", "nodes", "movetime", "mate", "movestogo", "wtime", "btime", "winc", "binc")
        given = read_go(words, numeric, ("infinite", "ponder", "searchmoves"))
        mine, other = ("w", "b") if self.engine.board.side == "w" else ("b", "w")
        return SearchLimits(
            depth=given.get("depth"),
            nodes=given.get("nodes"),
            movetime=given.get("movetime"),
            mate=given.get("mate"),
            time=given.get(f"{mine}time", given.get(f"{other}time")),
            increment=given.get(f"{mine}inc", 0),
            moves_to_go=given.get("movestogo"),
            infinite="infinite" in given
            or not given.keys() & {"depth", "nodes", "movetime", "mate", "wtime", "btime"},
            ponder="ponder" in given,
            searchmoves=given.get("searchmoves"),
        )

    def score(self, score: int) -> str:
        return " ".join(map(str, format_score(score)))

    def report(self, search: AlphaBetaSearch) -> None:
        milliseconds, hashfull = int(search.seconds() * 1000), self.engine.table.permille()
        cost = f"nodes {search.nodes} nps {search.nodes * 1000 // max(milliseconds, 1)} hashfull {hashfull}"
        self.send(
            *(
                f"info depth {line.depth} seldepth {line.seldepth} multipv {number}"
                f" score {self.score(line.score)} {cost} time {milliseconds} pv {self.engine.text(line.pv)}"
                for number, line in enumerate(search.lines, 1)
            )
        )


SERVER = UciServer
