"""`python -m tests.benchmarks.repair [--records N] [--jobs N] [--json]`: how well `check` repairs records.

The records are positions of the games in tests/cases/games.jsonl: games that Stockfish 15.1 and
Fairy-Stockfish 11.1 played against themselves at 300 to 3,000 nodes a move, each move drawn from the best
five within 70 centipawns of the best (25 after the opening). Each record gets one slip, and `check` is asked
for the original.

>>> swap_letters("rn1/8 w - - 0 1", random.Random(1))
'nr1/8 w - - 0 1'
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from pathlib import Path

import msgspec

from adapter import Position, check

GAMES_FILE = Path(__file__).parents[1] / "cases" / "games.jsonl"
GAMES = ("chess", "xiangqi")
FIRST_PLY = 6  # earlier positions are much alike
MOST_DRAWS = 10  # slips drawn for each one wanted: some kinds leave most records sound
LETTERS = {"chess": "pnbrqk", "xiangqi": "pnbrack"}
NO_PIECES = "dfgijlmotuvwxyz"  # names of no piece in either game; h and e are read as horse and elephant
LOOKALIKES = {"0": "O", "1": "lI|", "2": "Z", "5": "S", "6": "G", "8": "B"}

Slip = Callable[[str, random.Random], str | None]  # None where the record has no place for it


class Share(msgspec.Struct, kw_only=True):
    """The counts of one kind of slip in one game.

    `seen`: `check` reported a problem; `errors`: one of them is an error, not a warning. Of those seen:
    `offered`: the original is `fixed` or among the suggestions; `first`: it is `fixed` or the first
    suggestion; `wrong`: `fixed` is another record.
    """

    slip: str
    game: str
    slips: int = 0
    seen: int = 0
    errors: int = 0
    offered: int = 0
    first: int = 0
    wrong: int = 0

    def percent(self, name: str) -> float | None:
        """A count as percentage of the slips that were seen; `seen` itself, of all slips."""
        whole = self.slips if name == "seen" else self.seen
        return 100 * getattr(self, name) / whole if whole else None


def game_of(record: str) -> str:
    """The game of a sound record."""
    return "xiangqi" if record.count("/") == 9 else "chess"


def largest(record: str) -> int:
    """The largest digit of a placement."""
    return 9 if game_of(record) == "xiangqi" else 8


def placement_of(record: str) -> str:
    """The first field."""
    return record.split(" ", 1)[0]


def replace_at(record: str, at: int, text: str, width: int = 1) -> str:
    """The record with other text in the place of `width` characters."""
    return record[:at] + text + record[at + width :]


def place(record: str, rng: random.Random, wanted: Callable[[str], bool]) -> int | None:
    """The index of a random character of the placement that fulfils the condition."""
    places = [at for at, character in enumerate(placement_of(record)) if wanted(character)]
    return rng.choice(places) if places else None


def pair(record: str, rng: random.Random, wanted: Callable[[str, str], bool]) -> int | None:
    """The index of a random pair of neighbours in the placement that fulfils the condition."""
    text = placement_of(record)
    places = [at for at in range(len(text) - 1) if wanted(text[at], text[at + 1])]
    return rng.choice(places) if places else None


def lose_slash(record: str, rng: random.Random) -> str | None:
    at = place(record, rng, lambda character: character == "/")
    return None if at is None else replace_at(record, at, "")


def add_slash(record: str, rng: random.Random) -> str | None:
    at = rng.randint(0, len(placement_of(record)))
    return replace_at(record, at, "/", 0)


def lose_digit(record: str, rng: random.Random) -> str | None:
    at = place(record, rng, str.isdigit)
    return None if at is None else replace_at(record, at, "")


def misjudge_digit(record: str, rng: random.Random) -> str | None:
    at = place(record, rng, str.isdigit)
    if at is None:
        return None
    near = [digit for step in (-1, 1) if 1 <= (digit := int(record[at]) + step) <= largest(record)]
    return replace_at(record, at, str(rng.choice(near)))


def change_digit(record: str, rng: random.Random) -> str | None:
    at = place(record, rng, str.isdigit)
    if at is None:
        return None
    others = [str(digit) for digit in range(1, largest(record) + 1) if str(digit) != record[at]]
    return replace_at(record, at, rng.choice(others))


def lose_letter(record: str, rng: random.Random) -> str | None:
    at = place(record, rng, str.isalpha)
    return None if at is None else replace_at(record, at, "")


def change_letter(record: str, rng: random.Random) -> str | None:
    at = place(record, rng, str.isalpha)
    if at is None:
        return None
    others = [kind for kind in LETTERS[game_of(record)] if kind != record[at].lower()]
    kind = rng.choice(others)
    return replace_at(record, at, rng.choice((kind, kind.upper())))


def garble_letter(record: str, rng: random.Random) -> str | None:
    at = place(record, rng, str.isalpha)
    if at is None:
        return None
    letter = rng.choice(NO_PIECES)
    return replace_at(record, at, letter.upper() if record[at].isupper() else letter)


def flip_case(record: str, rng: random.Random) -> str | None:
    at = place(record, rng, str.isalpha)
    return None if at is None else replace_at(record, at, record[at].swapcase())


def swap_letters(record: str, rng: random.Random) -> str | None:
    at = pair(record, rng, lambda one, other: one.isalpha() and other.isalpha() and one != other)
    return None if at is None else replace_at(record, at, record[at + 1] + record[at], 2)


def swap_digit_and_letter(record: str, rng: random.Random) -> str | None:
    at = pair(record, rng, lambda one, other: (one + other).isalnum() and one.isdigit() != other.isdigit())
    return None if at is None else replace_at(record, at, record[at + 1] + record[at], 2)


def add_character(record: str, rng: random.Random) -> str | None:
    letters = LETTERS[game_of(record)]
    digits = "".join(map(str, range(1, largest(record) + 1)))
    at = rng.randint(0, len(placement_of(record)))
    return replace_at(record, at, rng.choice(letters + letters.upper() + digits), 0)


def double_character(record: str, rng: random.Random) -> str | None:
    at = place(record, rng, str.isalnum)
    return None if at is None else replace_at(record, at, record[at] * 2)


def lose_side(record: str, rng: random.Random) -> str | None:
    del rng
    fields = record.split(" ")
    return " ".join((fields[0], *fields[2:]))


def swap_counters(record: str, rng: random.Random) -> str | None:
    del rng
    *fields, halfmove, fullmove = record.split(" ")
    return None if halfmove == fullmove else " ".join((*fields, fullmove, halfmove))


def lose_blank(record: str, rng: random.Random) -> str | None:
    blanks = [at for at, character in enumerate(record) if character == " "]
    return replace_at(record, rng.choice(blanks), "")


def lookalike(record: str, rng: random.Random) -> str | None:
    halfmove = record.rindex(" ", 0, record.rindex(" ")) + 1
    places = [at for at, character in enumerate(placement_of(record)) if character in LOOKALIKES]
    if record[halfmove] == "0":
        places.append(halfmove)
    if not places:
        return None
    at = rng.choice(places)
    return replace_at(record, at, rng.choice(LOOKALIKES[record[at]]))


SLIPS: Mapping[str, Slip] = {
    "slash lost": lose_slash,
    "slash extra": add_slash,
    "digit lost": lose_digit,
    "digit wrong by one": misjudge_digit,
    "digit wrong": change_digit,
    "letter lost": lose_letter,
    "letter wrong (a piece's)": change_letter,
    "letter of no piece": garble_letter,
    "case flipped": flip_case,
    "neighbours swapped, letters": swap_letters,
    "neighbours swapped, digit and letter": swap_digit_and_letter,
    "character extra": add_character,
    "character doubled": double_character,
    "side lost": lose_side,
    "counters swapped": swap_counters,
    "blank lost": lose_blank,
    "look-alike of a digit": lookalike,
}


@cache
def records(game: str) -> tuple[str, ...]:
    """The canonical records of all positions of the games, each once, in order."""
    found: dict[str, None] = {}
    for line in GAMES_FILE.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if row["variant"] != game:
            continue
        position = Position.parse("startpos", variant=game)
        for ply, move in enumerate(row["moves"].split(), 1):
            position = position.play(move)
            if ply >= FIRST_PLY:
                found[position.fen] = None
    return tuple(found)


def damaged(slip: str, game: str, seed: int = 0) -> Iterator[tuple[str, str]]:
    """Sound records and what a slip makes of them, without end, the same ones for the same seed."""
    rng = random.Random(f"{slip} {game} {seed}")
    sound = records(game)
    while True:
        record = rng.choice(sound)
        text = SLIPS[slip](record, rng)
        if text is not None and text != record:
            yield record, text


def measure(slip: str, game: str, wanted: int) -> Share:
    """The share of one kind in one game: slips are drawn until `wanted` of them are seen."""
    share = Share(slip=slip, game=game)
    for record, text in damaged(slip, game):
        if share.seen == wanted or share.slips == MOST_DRAWS * wanted:
            break
        share.slips += 1
        report = check(text)
        if not report.problems:
            continue
        share.seen += 1
        share.errors += not report.ok
        candidates = [*([report.fixed] if report.fixed else []), *report.suggestions]
        share.offered += record in candidates
        share.first += candidates[:1] == [record]
        share.wrong += report.fixed is not None and report.fixed != record
    return share


def _measure(work: tuple[str, str, int]) -> Share:
    return measure(*work)


def table(shares: list[Share]) -> str:
    """The shares as Markdown, `chess · xiangqi` in each cell."""
    names = ("seen", "errors", "offered", "first", "wrong")
    heads = ("seen", "as an error", "original offered", "offered first", "said to be certain and wrong")
    lines = [f"| slip | {' | '.join(heads)} |", "|---" * (len(heads) + 1) + "|"]
    for slip in dict.fromkeys(share.slip for share in shares):
        of_slip = [share for share in shares if share.slip == slip]
        cells = [" · ".join(_shown(share.percent(name)) for share in of_slip) for name in names]
        lines.append(f"| {slip} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _shown(percent: float | None) -> str:
    if percent is None:
        return "–"
    return f"{percent:.0f}" if percent.is_integer() else f"{percent:.1f}"


def main() -> int:
    """Measures all kinds of slips and prints their table."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.repair", description=__doc__)
    parser.add_argument("--records", type=int, default=400, help="slips of a kind that are seen (400)")
    parser.add_argument("--slip", action="append", choices=list(SLIPS), help="only this kind (repeatable)")
    parser.add_argument("--jobs", type=int, default=1, help="processes (1)")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of the table")
    options = parser.parse_args()
    work = [(slip, game, options.records) for slip in options.slip or SLIPS for game in GAMES]
    if options.jobs == 1:
        shares = list(map(_measure, work))
    else:
        with ProcessPoolExecutor(options.jobs) as pool:
            shares = list(pool.map(_measure, work))
    if options.json:
        print(json.dumps({"records": options.records, "shares": msgspec.to_builtins(shares)}))  # noqa: T201
    else:
        print(table(shares))  # noqa: T201
    return 0


if __name__ == "__main__":
    sys.exit(main())
