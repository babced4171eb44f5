"""What is read back of a store: results, mates, swings, disagreements, exports for other programs."""

from __future__ import annotations

import csv
import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import chess
import msgspec
import pytest
from pyarrow import parquet

from adapter import Archive, Cp, Mate, Position
from adapter.bulk.answer import StoredAnalysis, StoredLine
from adapter.bulk.contrast import disagreements, swings
from adapter.bulk.export import COLUMNS, Exported, export
from adapter.bulk.feed import records
from adapter.bulk.inputs import Inputs
from adapter.bulk.item import CheckedRecord, ReadOptions, parse_record
from adapter.bulk.store import Store
from adapter.errors import ConfigError, FenError, StoreError
from adapter.fen.report import Entry
from adapter.games.base import Outcome

ROOT = Path(__file__).parents[3]
Make = Callable[..., Any]

FOOL = ["f2f3", "e7e5", "g2g4", "d8h4"]


@pytest.fixture
def game(tmp_path: Path, item: Make, setup: Make, answer: Make) -> Path:
    """A store with the fool's mate as one game, a second search of two of its positions, and a failure."""
    path = tmp_path / "r.sqlite"
    fens = [Position.parse(" ".join(("startpos", *FOOL[:plies]))).fen for plies in range(5)]
    with Store(path) as store:
        first = store.begin(setup(), resume=False)
        known = store.enter([item(fen, ply + 1, "g.pgn", ply) for ply, fen in enumerate(fens)], first)
        answers = [
            answer("e2e4", cp=30),
            answer("e7e5", cp=60),  # black to move: white has lost 90 centipawns
            answer("b1c3", cp=-70),
            answer("d8h4", mate=1),
            StoredAnalysis(outcome=Outcome("black", "checkmate")),
        ]
        store.add(first, [(one.position, found) for one, found in zip(known, answers, strict=True)])
        second = store.begin(setup("Other", 9000, multipv=2), resume=False)
        lines = tuple(
            StoredLine(multipv=rank, cp=cp, depth=9, nodes=9999, pv=pv)
            for rank, cp, pv in ((1, 25, "g1f3 d7d5"), (2, 20, "e2e4"))
        )
        other = [
            StoredAnalysis(best="g1f3", san="Nf3", lines=lines),
            StoredAnalysis(code="EngineDied", error="died"),
        ]
        store.add(second, [(one.position, found) for one, found in zip(known, other, strict=False)])
    return path


def test_results(game: Path) -> None:
    with Archive(game) as archive:
        assert archive.positions == 5
        assert [(one.id, str(one.setup), one.results, one.failed) for one in archive.searches] == [
            (1, "Mine, nodes 5000", 5, 0),
            (2, "Other, nodes 9000, multipv 2", 2, 1),
        ]
        assert [(one.name, one.records, one.rejected) for one in archive.sources] == [("g.pgn", 5, 0)]
        first = list(archive.results(1))
        assert [one.score for one in first] == [Cp(30), Cp(60), Cp(-70), Mate(1), None]
        assert [one.score_white for one in first] == [Cp(30), Cp(-60), Cp(-70), Mate(-1), None]
        assert [one.fen for one in archive.results(mates=1)] == [first[3].fen]
        assert [one.fen for one in archive.results(mates=0)] == [first[3].fen]
        assert [one.error for one in archive.results(failed=True)] == ["died"]
        assert first[1].position().play("e7e5").fen == first[2].fen
        assert first[4].outcome == Outcome("black", "checkmate")
        grouped = list(archive.by_position())
        assert [[one.search for one in group] for group in grouped] == [[1, 2], [1, 2], [1], [1], [1]]
        place = archive.place(grouped[3][0].position_id)
        assert place is not None
        assert (place.source, place.line, place.ply) == ("g.pgn", 4, 3)
        assert archive.search(2).setup.engine == "Other"
        with pytest.raises(ConfigError, match=r"2 searches.*1: Mine.*2: Other"):
            archive.search(None)
        with pytest.raises(ConfigError, match="no search 3; it has 1, 2"):
            archive.search(3)


def test_a_result_as_json(game: Path) -> None:
    with Archive(game) as archive:
        told = json.loads(json.dumps(next(archive.results(2)).to_dict()))
    assert told == {
        "search": 2,
        "variant": "chess",
        "root_fen": chess.STARTING_FEN,
        "moves": [],
        "fen": chess.STARTING_FEN,
        "best": "g1f3",
        "san": "Nf3",
        "best_fen": None,
        "score": {"cp": 25},
        "score_white": {"cp": 25},
        "depth": 9,
        "seldepth": None,
        "nodes": 9999,
        "time_ms": None,
        "lines": [
            {"multipv": 1, "cp": 25, "depth": 9, "nodes": 9999, "pv": "g1f3 d7d5"},
            {"multipv": 2, "cp": 20, "depth": 9, "nodes": 9999, "pv": "e2e4"},
        ],
        "outcome": None,
        "complete": True,
        "notes": [],
        "code": None,
        "error": None,
    }


def test_swings(game: Path) -> None:
    """A mate counts as ten pawns; a game that has ended as what it ended with."""
    with Archive(game) as archive:
        assert [(one.move, one.by, one.place.ply) for one in swings(archive, 1, 90)] == [
            ("f3", -90, 1),
            ("g4", -930, 3),
        ]
        assert [one.move for one in swings(archive, 1, 91)] == ["g4"]
        assert not list(swings(archive, 2, 1))


@pytest.mark.parametrize(
    ("fields", "start", "numbers"),
    [(6, 1, [None, None, 2, 2]), (6, 12, [12, 12, 13, 13]), (4, 1, [None] * 4), (4, 12, [None] * 4)],
)
def test_swings_of_records_with_and_without_counters(
    fields: int, start: int, numbers: list[int | None], tmp_path: Path, item: Make, setup: Make, answer: Make
) -> None:
    """The same moves; numbers only where the records tell them."""
    root = chess.STARTING_FEN.removesuffix("1") + str(start)
    fens = [Position.parse(" ".join((root, *FOOL[:plies]))).fen for plies in range(5)]
    path = tmp_path / "r.sqlite"
    with Store(path) as store:
        search = store.begin(setup(), resume=False)
        texts = [" ".join(fen.split(" ")[:fields]) for fen in fens]
        known = store.enter([item(text, line) for line, text in enumerate(texts, 1)], search)
        scores = zip(known, (0, 300, 600, 900, 0), strict=True)
        store.add(search, [(one.position, answer("e2e4", cp=cp)) for one, cp in scores])
    with Archive(path) as archive:
        found = [(one.move, one.place.line, one.number) for one in swings(archive, search, 100)]
    assert found == [
        (move, line, number)
        for move, line, number in zip(("f3", "e5", "g4", "Qh4#"), range(2, 6), numbers, strict=True)
    ]


def test_neighbours_that_no_move_links_are_no_swing(
    tmp_path: Path, item: Make, setup: Make, answer: Make
) -> None:
    path = tmp_path / "r.sqlite"
    with Store(path) as store:
        search = store.begin(setup(), resume=False)
        known = store.enter([item("startpos", 1), item("4k3/8/8/8/8/8/8/4KQ2 w - - 0 1", 2)], search)
        scores = zip(known, (0, 900), strict=True)
        store.add(search, [(one.position, answer("e2e4", cp=cp)) for one, cp in scores])
    with Archive(path) as archive:
        assert not list(swings(archive, search, 100))


def test_disagreements(game: Path) -> None:
    with Archive(game) as archive:
        (found,) = disagreements(archive, 1, 2)
        assert (found.first.best, found.second.best, found.by) == ("e2e4", "g1f3", -5)
        assert not list(disagreements(archive, 1, 2, by=6))
        assert [one.by for one in disagreements(archive, 2, 1, by=5)] == [5]


def test_lichess_lines(game: Path, tmp_path: Path) -> None:
    with Archive(game) as archive:
        assert export(archive, tmp_path / "e.jsonl") == Exported(4, 1)
    lines = [json.loads(line) for line in (tmp_path / "e.jsonl").read_text().splitlines()]
    assert lines[0] == {
        "fen": "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -",
        "evals": [
            {"pvs": [{"cp": 30, "line": "e2e4"}], "knodes": 5, "depth": 8},
            {"pvs": [{"cp": 25, "line": "g1f3 d7d5"}, {"cp": 20, "line": "e2e4"}], "knodes": 9, "depth": 9},
        ],
    }
    # from White's side
    assert [line["evals"][0]["pvs"][0] for line in lines[1:]] == [
        {"cp": -60, "line": "e7e5"},
        {"cp": -70, "line": "b1c3"},
        {"mate": -1, "line": "d8h4"},
    ]
    assert [len(line["fen"].split(" ")) for line in lines] == [4] * 4
    with Archive(game) as archive:
        assert export(archive, tmp_path / "e.jsonl", search=2) == Exported(1, 1)


def test_lichess_lines_hold_each_board_once(tmp_path: Path, item: Make, setup: Make, answer: Make) -> None:
    """However its counters stand, whatever way led there, with or without a square of no legal capture."""
    path = tmp_path / "r.sqlite"
    same = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq"
    texts = [f"{same} - 0 1", "startpos", f"{same} - 7 30", f"{same} -", f"{same} e3 0 1", "startpos e2e4"]
    with Store(path) as store:
        search = store.begin(setup(), resume=False)
        known = store.enter([item(text, line) for line, text in enumerate(texts, 1)], search)
        numbers = dict.fromkeys(one.position for one in known)
        store.add(search, [(number, answer("e7e5", cp=number)) for number in numbers])
    assert len(numbers) == 4
    with Archive(path) as archive:
        assert export(archive, tmp_path / "e.jsonl") == Exported(2, 0)
        assert len(list(archive.by_position())) == 4
    first, other = [json.loads(line) for line in (tmp_path / "e.jsonl").read_text().splitlines()]
    assert first["fen"] == f"{same} -"
    assert [found["pvs"][0]["cp"] for found in first["evals"]] == [-1, -3, -4]
    assert (other["fen"], len(other["evals"])) == (" ".join(chess.STARTING_FEN.split()[:4]), 1)


@pytest.mark.parametrize(
    ("fen", "pv", "line"),
    [
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "e1g1 e8c8", "e1h1 e8a8"),
        ("r3k2r/8/8/8/8/8/8/R3K2R w kq - 0 1", "e1d1 e8g8", "e1d1 e8h8"),
        # no king: a queen goes from e1 to g1
        ("5k2/8/8/8/8/8/8/K3Q3 w - - 0 1", "e1g1", "e1g1"),
        # more pawns than a game begins with, which may be let through
        ("4k3/8/8/8/8/P7/PPPPPPPP/4K2R w K - 0 1", "e1g1", "e1h1"),
    ],
)
def test_lichess_castling_is_king_takes_rook(
    fen: str, pv: str, line: str, tmp_path: Path, setup: Make, answer: Make
) -> None:
    path = tmp_path / "r.sqlite"
    with Store(path) as store:
        search = store.begin(setup(), resume=False)
        found = parse_record(
            Entry(fen, "a.fen", 1), 1, ReadOptions(allow=("too-many-pawns", "too-many-total"))
        )
        store.add(search, [(store.enter([found], search)[0].position, answer(pv, cp=0))])
    with Archive(path) as archive:
        export(archive, tmp_path / "e.jsonl")
    (told,) = [json.loads(each) for each in (tmp_path / "e.jsonl").read_text().splitlines()]
    assert told["evals"][0]["pvs"][0]["line"] == line
    board = chess.Board(f"{told['fen']} 0 1", chess960=True)
    for move in line.split():
        board.push_uci(move)  # by python-chess: legal as castling is said there


def test_tables(game: Path, tmp_path: Path) -> None:
    """CSV and Parquet hold the same rows."""
    with Archive(game) as archive:
        assert export(archive, tmp_path / "e.csv") == Exported(7, 0)
        assert export(archive, tmp_path / "e.parquet") == Exported(7, 0)
        assert export(archive, tmp_path / "one.csv", search=2) == Exported(2, 0)
    with (tmp_path / "e.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    table = parquet.read_table(tmp_path / "e.parquet")
    assert table.column_names == list(COLUMNS) == list(rows[0])
    typed = table.to_pylist()
    as_text = [{name: "" if value is None else str(value) for name, value in row.items()} for row in typed]
    assert as_text == rows
    assert [(row["best"], row["cp"], row["mate"], row["cp_white"], row["mate_white"]) for row in typed] == [
        ("e2e4", 30, None, 30, None),
        ("e7e5", 60, None, -60, None),
        ("b1c3", -70, None, -70, None),
        ("d8h4", None, 1, None, -1),
        (None, None, None, None, None),
        ("g1f3", 25, None, 25, None),
        (None, None, None, None, None),
    ]
    assert [(row["outcome"], row["winner"], row["error"]) for row in typed[4:7:2]] == [
        ("checkmate", "black", None),
        (None, None, "died"),
    ]
    assert {row["limit"] for row in typed} == {"nodes 5000", "nodes 9000"}


def test_what_is_exported_can_be_searched_again(game: Path, tmp_path: Path) -> None:
    """The positions of an export are the same ones to a run."""
    with Archive(game) as archive:
        keys = {key for (key,) in archive.rows("SELECT key FROM positions")}
        export(archive, tmp_path / "e.csv")
    found = [
        one for one in records(Inputs([tmp_path / "e.csv"]), ReadOptions()) if isinstance(one, CheckedRecord)
    ]
    assert {one.key for one in found} == keys
    assert len(found) == 7


@pytest.mark.parametrize("name", ["e.txt", "e", "e.sqlite"])
def test_forms_nobody_knows(game: Path, name: str, tmp_path: Path) -> None:
    with Archive(game) as archive, pytest.raises(ConfigError, match=r"\.jsonl, \.csv, \.parquet"):
        export(archive, tmp_path / name)


@pytest.mark.parametrize("suffix", ["jsonl", "csv", "parquet"])
def test_an_export_that_fails_leaves_what_was_there(game: Path, suffix: str, tmp_path: Path) -> None:
    """A real process that may write no more than a few bytes to a file."""
    place = tmp_path / "out" / f"e.{suffix}"
    place.parent.mkdir()
    place.write_text("of before")
    script = (
        "import resource, sys\n"
        "from adapter.bulk.archive import Archive\nfrom adapter.bulk.export import export\n"
        "from adapter.errors import StoreError\n"
        "import pyarrow.parquet\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))\n"
        "with Archive(sys.argv[1]) as archive:\n"
        "    try:\n        export(archive, sys.argv[2])\n"
        "    except StoreError as error:\n        print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, game, place],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert re.search(r"cannot be written: .*File too large; nothing was left", done.stdout)
    assert [each.name for each in place.parent.iterdir()] == [place.name]
    assert place.read_text() == "of before"
    with Archive(game) as archive, pytest.raises(StoreError, match="cannot be written"):
        export(archive, tmp_path / "nowhere" / place.name)


@pytest.mark.parametrize(
    ("module", "code"),
    [
        ("pyarrow", "from adapter.bulk.export import export; export(Archive(sys.argv[1]), 'x.parquet')"),
        ("zstandard", "from adapter.bulk.inputs import _unzstd; _unzstd(None)"),
        (
            "distributed",
            "from adapter.bulk.cluster import ClusterBackend; "
            "ClusterBackend('tcp://x:1', None, 'chess', None, named=False, multipv=1, options={})",
        ),
    ],
)
def test_a_missing_package_is_named(game: Path, module: str, code: str) -> None:
    extra = {"pyarrow": "parquet", "zstandard": "zstd", "distributed": "cluster"}[module]
    script = (
        f"import sys; sys.modules[{module!r}] = None\n"
        f"from adapter import Archive, MissingExtra\n"
        f"try:\n    {code}\nexcept MissingExtra as error: print(error)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, game], cwd=ROOT, capture_output=True, text=True, timeout=60, check=True
    )
    assert f"pip install 'fenwire[{extra}]'" in done.stdout


def test_a_position_that_was_tampered_with_is_no_position(game: Path) -> None:
    with Archive(game) as archive:
        result = next(archive.results())
    spoilt = msgspec.structs.replace(result, root_fen="8/8/8/8/8/8/8/8 w - - 0 1")
    with pytest.raises(FenError):
        spoilt.position()
