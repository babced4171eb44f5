"""`python -m tests.golden.record`: writes the golden files anew, from what the code of this checkout answers.

Only for answers that change on purpose: look at the difference of the files before it is committed.
"""

from __future__ import annotations

import itertools
import json
import random
import shlex
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import chess

import adapter
from tests.benchmarks.repair import GAMES, SLIPS, damaged, records
from tests.golden import observe
from tests.golden.canned_engine import CASES

TABLES = Path(__file__).parents[1] / "cases"
SEED = 20261130
SLIPS_A_KIND = 4
STOCKFISH = ["--engine", "stockfish", "--option", "Threads=1"]
MATED = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3"
XIANGQI = "5a3/3ka4/5n3/9/9/9/9/9/9/4K1R2 w moves g0f0 d8d9"
# What a repair of these needs is another board, another side or other colours.
PLACEMENT = {"opponent-in-check", "impossible-check", "too-many-checkers", "upside-down", "rotated-180"} | {
    "colours-swapped",
    "files-reversed",
}


def rows_of(name: str) -> list[dict[str, Any]]:
    """The rows of a table of cases."""
    return [json.loads(line) for line in (TABLES / name).read_text(encoding="utf-8").splitlines()]


def field_damage(record: str) -> Iterator[str]:
    """A sound record of six fields with mistakes outside of its board."""
    placement, side, castling, ep, halfmove, fullmove = record.split(" ")
    rest = f"{castling} {ep} {halfmove} {fullmove}"
    yield f"\ufeff{record}"
    yield f'"{record}"'
    yield f"FEN: {record}"
    yield f"position fen {record}"
    yield record.replace(" ", "_")
    yield record.replace(" ", "%20")
    yield f"https://lichess.org/analysis/{record.replace(' ', '_')}"
    yield record.replace("/", "\\")
    yield record.replace(" ", "  ")
    yield f"{record} what is this"
    yield f"{placement} {side}"
    yield f"{placement} {side} {castling} {ep}"
    yield f"{placement} {side} {castling} {ep} {halfmove}"
    yield f"{placement} white {rest}"
    yield f"{placement} x {rest}"
    yield f"{placement} {side.upper()} {rest}"
    yield f"{placement} {'b' if side == 'w' else 'w'} {rest}"
    yield f"{placement} {castling} {side} {ep} {halfmove} {fullmove}"
    yield f"{placement} {side} KQkqK {ep} {halfmove} {fullmove}"
    yield f"{placement} {side} qkQK {ep} {halfmove} {fullmove}"
    yield f"{placement} {side} KZ {ep} {halfmove} {fullmove}"
    yield f"{placement} {side} {castling} e3 {halfmove} {fullmove}"
    yield f"{placement} {side} {castling} e5 {halfmove} {fullmove}"
    yield f"{placement} {side} {castling} i9 {halfmove} {fullmove}"
    yield f"{placement} {side} {castling} {ep} -1 {fullmove}"
    yield f"{placement} {side} {castling} {ep} {halfmove} 0"
    yield f"{placement} {side} {castling} {ep} 99 3"
    yield f"{placement} {side} {castling} {ep} a b"
    yield f'{placement} {side} {castling} {ep} hmvc {halfmove}; fmvn {fullmove}; id "one";'
    yield f'{placement} {side} {castling} {ep} id "one"; bm x9;'


def board_damage(record: str) -> Iterator[str]:
    """A sound record whose board is turned round, or holds what no board may."""
    placement, rest = record.split(" ", 1)
    ranks = placement.split("/")
    king = "K" if "K" in placement else "k"
    yield f"{'/'.join(reversed(ranks))} {rest}"
    yield f"{placement[::-1]} {rest}"
    yield f"{'/'.join(rank[::-1] for rank in ranks)} {rest}"
    yield f"{placement.swapcase()} {rest}"
    yield f"{placement.replace(king, '1')} {rest}"
    yield f"{'/'.join(ranks[:-1])} {rest}"
    yield f"{'/'.join((*ranks, ranks[-1]))} {rest}"
    yield f"{placement}[] {rest}"


def checks() -> Iterator[dict[str, Any]]:
    """Records with the options they are checked with, and the original where one is known."""
    rng = random.Random(SEED)
    table = rows_of("fen.jsonl")
    for row in table[::2]:
        yield {"text": row["fen"], "options": {"variant": row["variant"]}}
    for row in table[1::6]:
        yield {"text": row["fen"], "options": {}}
    for row in rows_of("xiangqi.jsonl"):
        text = " moves ".join((row["fen"], " ".join(row["moves"]))) if row["moves"] else row["fen"]
        yield {"text": text, "options": {"variant": "xiangqi"}}
    for row in rows_of("positions.jsonl"):
        yield {"text": row["text"], "options": {"variant": row["variant"]}}
    for game in GAMES:
        sound = records(game)
        for record in rng.sample(sound, 12):
            yield {"text": record, "options": {}}
        for number, text in enumerate(field_damage(rng.choice(sound))):
            yield {"text": text, "options": {} if number % 2 else {"variant": game}}
        for record in (sound[40], rng.choice(sound)):
            for text in board_damage(record):
                yield {"text": text, "options": {}}
        for slip in SLIPS:
            for record, text in itertools.islice(damaged(slip, game, SEED), SLIPS_A_KIND):
                yield {"text": text, "options": {}, "original": record}
    for number in (0, 77, 356, 518, 777, 959):
        board = chess.Board.from_chess960_pos(number)
        yield {"text": board.fen(), "options": {"variant": "chess960", "castling": "shredder"}}
        yield {"text": board.shredder_fen(), "options": {"castling": "xfen"}}
        yield {"text": board.shredder_fen().replace(" w ", " "), "options": {}}
        for slip in ("digit wrong", "letter lost", "slash lost"):
            text = SLIPS[slip](board.shredder_fen(), rng)
            assert text is not None
            yield {"text": text, "options": {"variant": "chess960"}}
    pushed = "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3"
    for ep in ("keep", "fen", "xfen", "legal"):
        yield {"text": pushed, "options": {"ep": ep}}
        yield {"text": "startpos moves e2e4", "options": {"ep": ep}}
    for castling in ("keep", "xfen", "shredder"):
        yield {"text": pushed, "options": {"castling": castling}}
    yield {"text": "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR", "options": {"side": "b"}}
    yield {"text": "startpos moves e2e4 e7e6 e4e6", "options": {}}
    yield {"text": "startpos e2e4 xx", "options": {}}
    many = "rnbqkbnr/pppppppp/p7/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
    yield {"text": many, "options": {}}
    yield {"text": many, "options": {"allow": ["too-many-pawns"]}}
    yield {"text": "", "options": {}}
    yield {"text": "hello", "options": {}}
    yield {"text": "\u200bstartpos", "options": {}}


def checked(question: Mapping[str, Any]) -> dict[str, Any]:
    """A row of checks.jsonl: the repair apart from the rest, and whether it is a repair of the board."""
    answer = observe.check(question["text"], question["options"])
    fixed, suggestions = answer.pop("fixed"), answer.pop("suggestions")
    problems = answer["problems"]
    board = any(problem["field"] == "placement" or problem["code"] in PLACEMENT for problem in problems)
    repair = {
        "fixed": fixed,
        "suggestions": suggestions,
        "fixes": [problem.pop("fix") for problem in problems],
    }
    return {**question, "report": answer, "repair": repair, "board": board}


def commands() -> Iterator[dict[str, Any]]:
    """Command lines with what they read from standard input; `engine` where one is needed."""
    for row in rows_of("positions.jsonl"):
        variant = ["--variant", row["variant"]]
        yield {"words": ["apply", *row["text"].split(), *variant, "--json"]}
        yield {"words": ["perft", *row["text"].split(), *variant, "--depth", "1", "--json"]}
        uses = (
            ("fairy-xiangqi", "fairy-xiangqi-uci", "pikafish")
            if row["variant"] == "xiangqi"
            else ("stockfish",)
        )
        for engine in uses:
            yield {"words": ["command", *row["text"].split(), *variant, "--engine", engine]}
    for row in rows_of("xiangqi.jsonl"):
        words = [
            *row["fen"].split(),
            *(["moves", *row["moves"]] if row["moves"] else []),
            "--variant",
            "xiangqi",
        ]
        yield {"words": ["apply", *words, "--json"]}
        for dialect in ("uci", "ucci"):
            yield {"words": ["command", *words, "--dialect", dialect]}
    for game in rows_of("games.jsonl")[::7]:
        moves = game["moves"].split()[:41]
        yield {"words": ["apply", "startpos", *moves, "--variant", game["variant"], "--json"]}
        yield {"words": ["command", "startpos", *moves, "--variant", game["variant"], "--dialect", "ucci"]}
    for ep in ("fen", "xfen", "legal"):
        yield {"words": ["apply", "startpos", "e2e4", "--ep", ep, "--json"]}
    yield {"words": ["apply", "startpos", "e4", "e5", "Nf3", "Nc6", "Bc4", "Nf6", "O-O", "--json"]}
    yield {"words": ["apply", "startpos", "C2=5", "H8+7", "--variant", "xiangqi", "--json"]}
    yield {"words": ["apply", *XIANGQI.split()]}
    yield {"words": ["perft", "startpos", "--depth", "3", "--json"]}
    yield {"words": ["perft", "startpos", "--depth", "2", "--divide"]}
    yield {"words": ["perft", "startpos", "--depth", "2", "--variant", "xiangqi", "--json"]}
    yield {
        "words": ["perft", "startpos", "--depth", "2", "--json", "--engine", "stockfish"],
        "engine": "stockfish",
    }
    yield {"words": ["check", "rnbqkbnr/ppppppp/8/8/8/8/PPPPPPPPP/RNBQKBNR w KQkq - 0 1", "--json"]}
    yield {"words": ["check", "startpos", MATED, "--json"]}
    yield {"words": ["check", "startpos e2e4", f"{MATED} moves", "--json"]}
    yield {"words": ["check", "--fix", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQKq - 0 1"]}
    yield from refused()
    yield from searches()


def refused() -> Iterator[dict[str, Any]]:
    """Command lines that end with an error."""
    for words in (
        "apply startpos e2e5 --json",
        "apply startpos e2e4 e2e4 --json",
        "apply 8/8/8/8/8/8/8/8 w --json",
        "apply startpos --variant draughts --json",
        "apply --json",
        "command startpos",
        "command startpos --engine fairy-xiangqi",
        "command startpos --engine no-such-engine",
        "perft startpos --json",
        "perft startpos --depth -1 --json",
        "check --no-such-option --json",
        "analyze startpos --engine no-such-engine --json",
        "analyze startpos --engine fairy-xiangqi --json",
        "analyze startpos --engine stockfish --depth 0 --json",
        "analyze startpos --engine stockfish --depth 3 --option Threads=0 --json",
        "analyze startpos --engine stockfish --depth 3 --option NoSuch=1 --json",
        "analyze startpos --engine stockfish --depth 3 --option MultiPV=2 --json",
        "analyze startpos --engine stockfish --depth 3 --multipv 0 --json",
        "analyze startpos --engine stockfish --depth 3 --searchmoves e2e5 --json",
        "analyze startpos --engine stockfish --wtime 100 --json",
        "suite --json",
        "nosuchcommand --json",
    ):
        found: dict[str, Any] = {"words": words.split()}
        if "--engine stockfish" in words:
            found["engine"] = "stockfish"
        yield found


def searches() -> Iterator[dict[str, Any]]:
    """Command lines that start an engine: searches of a fixed depth on one thread, each in a new process."""
    sixth = ["--depth", "6", "--json"]
    for row in rows_of("positions.jsonl"):
        words = ["analyze", *row["text"].split(), "--variant", row["variant"], *sixth]
        if row["variant"] != "xiangqi":
            yield {"words": [*words, *STOCKFISH], "engine": "stockfish"}
        else:
            for engine in ("fairy-xiangqi", "fairy-xiangqi-uci"):
                yield {"words": [*words, "--engine", engine], "engine": engine}
    chess_words = ["analyze", "startpos", "moves", "e2e4", "e7e5", *sixth, *STOCKFISH]
    for more in (
        ["--multipv", "3"],
        ["--searchmoves", "g1f3,f1c4"],
        ["--banmoves", "g1f3"],
        ["--notation", "uci"],
        ["--option", "UCI_ShowWDL=true"],
        ["--option", "Hash=1"],
    ):
        yield {"words": [*chess_words, *more], "engine": "stockfish"}
    yield {"words": ["analyze", "startpos", "--nodes", "3000", "--json", *STOCKFISH], "engine": "stockfish"}
    yield {"words": ["analyze", *MATED.split(), *sixth, *STOCKFISH], "engine": "stockfish"}
    for more in (
        ["--multipv", "2"],
        ["--notation", "iccs"],
        ["--notation", "chinese"],
        ["--banmoves", "f0f1"],
        ["--searchmoves", "f0f1,f0f2"],
    ):
        words = ["analyze", *XIANGQI.split(), *sixth, "--engine", "fairy-xiangqi"]
        yield {"words": [*words, *more], "engine": "fairy-xiangqi"}
    # the README's
    mates = "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR w KQkq - 4 4"
    yield {"words": ["analyze", *mates.split(), "--depth", "12", "--json", *STOCKFISH], "engine": "stockfish"}
    several = "startpos\nstartpos e2e4\nstartpos f2f3 e7e5 g2g4 d8h4\nnothing\n8/8/8/8/8/8/8/8 w\n"
    words = ["analyze", "-", "--depth", "5", "--json", *STOCKFISH]
    yield {"words": words, "stdin": several, "engine": "stockfish"}
    for name, engine in (("smoke-xiangqi", "fairy-xiangqi"), ("smoke-chess", "stockfish")):
        yield {
            "words": ["suite", "--config", name, "--jobs", "1", "--depth", "4", "--json"],
            "engine": engine,
        }
    for case in CASES:
        words = [
            "analyze",
            "startpos",
            "--depth",
            "5",
            "--json",
            "--engine",
            f"{{canned}} {shlex.quote(case)}",
        ]
        yield {"words": words}
    for case in ("plain", "several lines", "dies", "illegal best"):
        words = ["analyze", "startpos", "--depth", "5", "--json", "--stream", "--engine"]
        yield {"words": [*words, f"{{canned}} {shlex.quote(case)}"]}
    yield {"words": ["engines", "list", "--json"], "shape": True}


def main() -> int:
    """Writes all three files."""
    found = [checked(question) for question in {json.dumps(row): row for row in checks()}.values()]
    observe.write("checks", found)
    lines = []
    for question in commands():
        answer = observe.run(question["words"], question.get("stdin"))
        if question.get("shape"):
            answer["out"] = [observe.shape(value) for value in answer["out"]]
        lines.append({**question, **answer})
    observe.write("commands", lines)
    options = [{"command": words, "parameters": params} for words, params in observe.command_line().items()]
    observe.write("options", [*options, {"names": sorted(adapter.__all__)}])
    for name in ("checks", "commands", "options"):
        path = observe.HERE / f"{name}.jsonl"
        print(f"{path.name}: {len(observe.read(name))} rows, {path.stat().st_size:,} bytes")  # noqa: T201
    return 0


if __name__ == "__main__":
    sys.exit(main())
