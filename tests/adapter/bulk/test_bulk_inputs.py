"""Every kind of input, packed or not, gives the same records, and no line is lost however bad it is."""

from __future__ import annotations

import csv
import gzip
import io
import json
import random
import string
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from adapter.bulk.feed import BATCH, End, FoundRecord, records
from adapter.bulk.inputs import Inputs
from adapter.bulk.item import CheckedRecord, ReadOptions, RejectedRecord
from adapter.errors import ConfigError

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
E4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"
E4_E5 = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2"
XIANGQI = "5a3/3ka4/5n3/9/9/9/9/9/9/4K1R2 w - - 0 1"
RECORDS = [START, E4, E4_E5]


def epd(record: str) -> str:
    """A record with its counters among the operations."""
    *fields, halfmove, fullmove = record.split(" ")
    return f'{" ".join(fields)} hmvc {halfmove}; fmvn {fullmove}; id "x";'


LINES = {
    "a.fen": f"# opening\n{START}\n\n{E4}\r\n{E4_E5}",
    "a.txt": f"\ufeff{START}\nstartpos e2e4\nstartpos moves e2e4 e7e5\n",
    "a.epd": "".join(f"{epd(record)}\n" for record in RECORDS),
    "a.pgn": '[Event "?"]\n\n1. e4 e5 *\n',
    "a.jsonl": "".join(json.dumps({"id": 7, "fen": record}) + "\n" for record in RECORDS),
    "strings.jsonl": "".join(json.dumps(record) + "\n" for record in RECORDS),
    "analyses.jsonl": "".join(
        json.dumps({"variant": "chess", "position": {"root_fen": START, "moves": moves, "fen": "?"}}) + "\n"
        for moves in ([], ["e2e4"], ["e2e4", "e7e5"])
    ),
    "a.csv": "id,FEN,note\n" + "".join(f'{n},{fen},"a, b"\n' for n, fen in enumerate(RECORDS)),
    "semicolons.csv": "note;fen\n" + "".join(f"x;{fen}\n" for fen in RECORDS),
    "nameless.csv": "".join(f"x,{fen},y\n" for fen in RECORDS),
    "one.csv": "fen\n" + "".join(f"{fen}\n" for fen in RECORDS),
    "rooted.csv": f"root_fen,moves,fen\n{START},,\n{START},e2e4,\n{START},e2e4 e7e5,\n",
    "long.csv": "note,fen\n" + "".join(f'"two\nlines",{fen}\n' for fen in RECORDS),
    "a.tsv": "fen\tn\n" + "".join(f"{fen}\t1\n" for fen in RECORDS),
}
PACKINGS: dict[str, Callable[[bytes], bytes]] = {
    "": lambda data: data,
    ".gz": gzip.compress,
    ".zst": zstandard.ZstdCompressor().compress,
}


def read(*paths: str | Path, reading: ReadOptions | None = None) -> list[CheckedRecord | RejectedRecord]:
    found = records(Inputs(paths), reading or ReadOptions())
    return [one for one in found if not isinstance(one, End)]


def fens(found: list[CheckedRecord | RejectedRecord]) -> list[str]:
    assert all(isinstance(one, CheckedRecord) for one in found), found
    return [one.position.fen for one in found if isinstance(one, CheckedRecord)]


@pytest.mark.parametrize("packing", PACKINGS)
@pytest.mark.parametrize("name", LINES)
def test_every_kind_gives_the_same_records(name: str, packing: str, tmp_path: Path) -> None:
    path = tmp_path / (name + packing)
    path.write_bytes(PACKINGS[packing](LINES[name].encode()))
    found = read(path)
    assert fens(found) == RECORDS
    assert {one.place.source for one in found} == {str(path)}
    assert [one.place.record for one in found] == [1, 2, 3]


@pytest.mark.parametrize("name", ["a.fen", "a.jsonl", "a.csv", "a.pgn"])
def test_what_no_suffix_tells_is_seen(name: str, tmp_path: Path) -> None:
    """As it has to be for standard input."""
    path = tmp_path / "unknown"
    path.write_bytes(gzip.compress(LINES[name].encode()))
    assert fens(read(path)) == RECORDS


def test_lines_are_those_of_the_file(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("a.fen", "a.csv", "long.csv", "a.pgn")]
    for path in paths:
        path.write_text(LINES[path.name])
    lines = {path.name: [one.place.line for one in read(path)] for path in paths}
    assert lines == {"a.fen": [2, 4, 5], "a.csv": [2, 3, 4], "long.csv": [2, 4, 6], "a.pgn": [1, 1, 1]}
    assert [one.place.ply for one in read(paths[3])] == [0, 1, 2]
    assert fens(read(paths[3], reading=ReadOptions(ply=1))) == [E4]


def test_games_beside_each_other(tmp_path: Path) -> None:
    path = tmp_path / "two.jsonl"
    path.write_text(json.dumps({"fen": XIANGQI, "variant": "xiangqi"}) + "\n" + json.dumps({"fen": START}))
    found = read(path)
    assert [one.position.variant.name for one in found if isinstance(one, CheckedRecord)] == [
        "xiangqi",
        "chess",
    ]


def test_lichess_evaluations_can_be_read(tmp_path: Path) -> None:
    """Their records have four fields."""
    path = tmp_path / "evals.jsonl"
    evals = [{"pvs": [{"cp": 1, "line": "e7e5"}], "knodes": 1, "depth": 1}]
    path.write_text(json.dumps({"fen": " ".join(E4.split(" ")[:4]), "evals": evals}))
    assert fens(read(path)) == [E4]


@pytest.mark.parametrize(
    ("name", "text", "line", "code", "reason"),
    [
        (
            "a.fen",
            f"{START}\nrnbqkbnr/ppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            2,
            "rank-sum",
            "rank 7",
        ),
        ("a.fen", f"{START}\n8/8/8/8/8/8/8/8 w - - 0 1", 2, "king-missing", "king"),
        ("a.txt", f"{START}\nstartpos e2e5", 2, "move", "e2e5"),
        ("a.txt", f"{START}\n4k3/8/8/8/8/8/8/4K3", 2, "missing-side", "side"),
        ("a.pgn", '[Event "?"]\n\n1. e4 e5 2. Ke4 *\n', 1, "move", "Ke4"),
        ("a.jsonl", f'"{START}"\n{{"fen": ', 2, "record", "no JSON"),
        ("a.jsonl", f'"{START}"\n[1]', 2, "record", "neither an object nor a string"),
        ("a.jsonl", f'"{START}"\n{{"fen": null}}', 2, "record", "names no position"),
        ("a.jsonl", f'"{START}"\n{{"fen": 8}}', 2, "record", "no text"),
        ("a.jsonl", f'"{START}"\n{"[" * 100_000}', 2, "record", "no JSON"),
        ("a.csv", f"id,fen\n1,{START}\n2,", 3, "record", "names no position"),
        ("a.csv", f"id,fen\n1,{START}\n2", 3, "record", "names no position"),
        ("a.csv", f'id,fen\n1,{START}\n"2,{START}\n3,{START}', 3, "record", "no row of CSV"),
    ],
)
def test_bad_records_are_listed_with_their_line(
    name: str, text: str, line: int, code: str, reason: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_text(text)
    found = read(path)
    (bad,) = [one for one in found if isinstance(one, RejectedRecord)]
    assert (bad.place.line, bad.code) == (line, code)
    assert reason in bad.reason
    assert str(bad).startswith(f"{path}:{line}: ")
    assert any(isinstance(one, CheckedRecord) for one in found)
    if '"2,' in text:
        # the quote that is never closed costs its own line alone
        assert len(found) == 3


def test_the_side_and_what_is_allowed_are_passed_on(tmp_path: Path) -> None:
    path = tmp_path / "a.fen"
    path.write_text("4k3/8/8/8/8/PPPP4/PPPPP3/4K3\n")
    assert isinstance(read(path)[0], RejectedRecord)
    reading = ReadOptions(side="b", allow=("too-many-pawns",))
    assert fens(read(path, reading=reading)) == ["4k3/8/8/8/8/PPPP4/PPPPP3/4K3 b - - 0 1"]


def test_the_same_position_has_one_key_however_it_is_written(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    # the pawn's double push can be answered by no capture
    same = [E4, E4.replace(" - 0", " e3 0"), " ".join(E4.split(" ")[:4]), f"position fen {E4}"]
    others = ["startpos e2e4", E4.replace("0 1", "1 1"), E4.replace("KQkq", "KQk")]
    path.write_text("\n".join([*same, *others]))
    keys = [one.key for one in read(path) if isinstance(one, CheckedRecord)]
    assert len(keys) == len(same) + len(others)
    assert len(set(keys[: len(same)])) == 1
    assert len(set(keys)) == 1 + len(others)


@pytest.mark.parametrize("suffix", [".fen", ".jsonl", ".csv"])
def test_no_line_is_lost(suffix: str, tmp_path: Path) -> None:
    """Whatever stands there: as many records come out as lines went in, each with the number of its own."""
    rng = random.Random(suffix)
    lines = []
    for _ in range(BATCH + 50):
        line = rng.choice(RECORDS)
        if rng.random() < 0.3:
            at = rng.randrange(len(line))
            # no quote: one opens a row of CSV that may go over several lines
            noise = string.printable.translate({ord(char): None for char in '"\r\n\x0b\x0c#%'})
            line = line[:at] + "".join(rng.choices(noise, k=rng.randint(1, 4))) + line[at + 1 :]
        lines.append(line.strip() or "x")
    head = ""
    if suffix == ".jsonl":
        texts = [json.dumps({"fen": line}) if rng.random() < 0.9 else "{" + line for line in lines]
    elif suffix == ".csv":
        head = "n,fen\n"
        texts = []
        for number, line in enumerate(lines):
            out = io.StringIO()
            csv.writer(out, lineterminator="").writerow([number, line])
            texts.append(out.getvalue())
    else:
        texts = lines
    path = tmp_path / f"a{suffix}"
    path.write_text(head + "\n".join(texts))
    found = read(path)
    first = 2 if head else 1
    assert [one.place.line for one in found] == list(range(first, first + len(lines)))
    assert sum(isinstance(one, CheckedRecord) for one in found) > len(lines) // 3


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("nowhere.fen", "there is no file"),
        (".", "is a folder"),
        ("names.csv", "has no column called"),
    ],
)
def test_files_that_are_none(name: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "names.csv").write_text("id,name\n1,x\n")
    with pytest.raises(ConfigError, match=said):
        read(tmp_path / name)


def test_standard_input_is_read_once() -> None:
    with pytest.raises(ConfigError, match="once"):
        Inputs(["-", "-"])


@pytest.mark.parametrize("packing", [".gz", ".zst"])
@pytest.mark.parametrize("fault", ["cut", "spoilt"])
def test_what_was_read_of_a_damaged_file_counts(packing: str, fault: str, tmp_path: Path) -> None:
    rng = random.Random(7)
    fields = " ".join(START.split(" ")[:4])
    lines = [f'{fields} id "{rng.getrandbits(4000):x}";' for _ in range(800)]
    data = bytearray(PACKINGS[packing]("\n".join(lines).encode()))
    half = len(data) // 2
    if fault == "cut":
        del data[half:]
    else:
        data[half : half + 64] = bytes(64)
        data[-8:] = bytes(8)
    path = tmp_path / f"a.fen{packing}"
    path.write_bytes(data)
    found: list[FoundRecord] = []

    def gather() -> None:
        for one in records(Inputs([path]), ReadOptions()):
            found.append(one)

    with pytest.raises(ConfigError, match="damaged"):
        gather()
    assert not any(isinstance(one, End) for one in found)
    assert len(found) > 100


def test_many_frames_are_one_file(tmp_path: Path) -> None:
    """As parallel packers write them."""
    path = tmp_path / "a.fen.zst"
    packer = zstandard.ZstdCompressor()
    path.write_bytes(b"".join(packer.compress(f"{record}\n".encode()) for record in RECORDS))
    assert fens(read(path)) == RECORDS
    path = tmp_path / "a.fen.gz"
    path.write_bytes(b"".join(gzip.compress(f"{record}\n".encode()) for record in RECORDS))
    assert fens(read(path)) == RECORDS
