"""`python -m tests.benchmarks.calls [--engine E] [--json]`: what a warm `Engine.analyze` is made of.

Counts the Python calls of one `nodes 1` search on a real engine, by function and module, in all threads, and
the long-lived objects that one open engine consists of. A call of a generator or coroutine counts once, not
again each time it is resumed. Built-in functions are not counted.
"""

from __future__ import annotations

import argparse
import asyncio
import enum
import gc
import inspect
import json
import sys
import threading
import types
from collections import Counter, deque
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

import adapter
import engines
from adapter import Engine, Limit, Position, open_engine

ROOTS = tuple(str(Path(str(package.__file__)).parent) for package in (adapter, engines))
REPEATS = 9
WARM_UP = 20  # searches before the one that is counted: enough for every cache
LIMIT = Limit(nodes=1)
FEN = "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 {}"  # so many moves played
GOALS = {"calls": 110, "modules": 12, "objects": 6}

# What an engine's objects are not searched through: code and shared tables, which belong to no engine.
SHARED = (
    type,
    types.ModuleType,
    types.FunctionType,
    types.BuiltinFunctionType,
    asyncio.AbstractEventLoop,
)


class Calls(msgspec.Struct):
    """The calls of one analysis: the project's own by function, those of other modules by module."""

    own: Counter[tuple[str, str]]
    others: Counter[str]
    threads: int  # in which something of the project's own was called

    def total(self) -> int:
        """How many calls of the project's own functions."""
        return self.own.total()

    @property
    def modules(self) -> list[str]:
        """The project's modules that were called."""
        return sorted({module for module, _ in self.own})


class Recorder:
    """Counts calls while `counting`, in every thread started since `installed`."""

    def __init__(self) -> None:
        self._active = False
        self._own: Counter[tuple[str, str]] = Counter()
        self._others: Counter[str] = Counter()
        self._threads: set[int] = set()
        self._running: dict[int, types.FrameType] = {}  # of coroutines; kept, so that no id is used twice

    def install(self) -> None:
        """Watches this thread and each one that is started from now on."""
        threading.setprofile(self._event)
        sys.setprofile(self._event)

    def remove(self) -> None:
        """Watches nothing any more."""
        sys.setprofile(None)
        threading.setprofile(None)

    @contextmanager
    def counting(self) -> Iterator[None]:
        """Counts until the block ends."""
        self._own.clear()
        self._others.clear()
        self._threads.clear()
        self._active = True
        try:
            yield
        finally:
            self._active = False
            self._running.clear()

    def calls(self) -> Calls:
        """What was counted in the last block."""
        return Calls(Counter(self._own), Counter(self._others), len(self._threads))

    def _event(self, frame: types.FrameType, event: str, argument: Any) -> None:
        del argument
        if event != "call" or not self._active:
            return
        code = frame.f_code
        if code.co_filename == __file__:
            return
        if code.co_flags & (inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR):
            if id(frame) in self._running:
                return
            self._running[id(frame)] = frame
        module = frame.f_globals.get("__name__", "?")
        if code.co_filename.startswith(ROOTS):
            self._own[module, code.co_qualname] += 1
            self._threads.add(threading.get_ident())
        else:
            self._others[module.partition(".")[0]] += 1


def parts(engine: Engine) -> list[object]:
    """The instances of the project's classes that can be reached from an open engine, itself included.

    Frozen values (structs and named tuples), enums and what modules hold for all engines are left out.
    """
    shared = {id(value) for value in _module_values()}
    found: list[object] = []
    seen = {id(engine), id(asyncio.current_task())}
    waiting: deque[object] = deque([engine])
    while waiting:
        thing = waiting.popleft()
        if _is_own(thing):
            found.append(thing)
        for referent in gc.get_referents(thing):
            if id(referent) in seen or id(referent) in shared or isinstance(referent, SHARED):
                continue
            seen.add(id(referent))
            waiting.append(referent)
    return found


def _is_own(thing: object) -> bool:
    kind = type(thing)
    if kind.__module__.partition(".")[0] not in ("adapter", "engines"):
        return False
    if isinstance(thing, msgspec.Struct):
        return not thing.__struct_config__.frozen
    return not isinstance(thing, enum.Enum | tuple)


def _module_values() -> Iterator[object]:
    """What lies in the project's modules: shared by all engines."""
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] in ("adapter", "engines"):
            yield vars(module)
            yield from vars(module).values()


async def measure(name: str) -> tuple[dict[str, Calls], list[str]]:
    """The calls of an analysis of a Position, and of a FEN text, and the classes of the engine's objects.

    How often the engine's answer wakes the loop varies: of several analyses the middle one counts. An object
    belongs to the engine, not to a search of it, if it is still there some searches later.
    """
    recorder = Recorder()
    recorder.install()  # before the engine, so that any thread of its own is watched, too
    try:
        async with open_engine(name) as engine:
            for number in range(WARM_UP):
                await engine.analyze(FEN.format(number + 3), LIMIT)
            runs: dict[str, list[Calls]] = {"Position": [], "FEN text": []}
            for number in range(REPEATS):
                records: dict[str, Position | str] = {
                    "Position": Position.parse(FEN.format(number + 200)),
                    "FEN text": FEN.format(number + 100),
                }
                for kind, record in records.items():
                    with recorder.counting():
                        await engine.analyze(record, LIMIT)
                    runs[kind].append(recorder.calls())
            recorder.remove()
            before = parts(engine)
            for _ in range(REPEATS):
                await engine.analyze(FEN.format(3), LIMIT)
            after = {id(part) for part in parts(engine)}
            lasting = [type(part) for part in before if id(part) in after]
    finally:
        recorder.remove()
    middle = {kind: sorted(calls, key=Calls.total)[REPEATS // 2] for kind, calls in runs.items()}
    return middle, sorted(f"{kind.__module__}.{kind.__qualname__}" for kind in lasting)


def summary(counts: dict[str, Calls], objects: list[str]) -> dict[str, Any]:
    """The figures as plain JSON types."""
    analyses = {
        text: {
            "calls": calls.total(),
            "functions": len(calls.own),
            "modules": len(calls.modules),
            "threads": calls.threads,
            "others": dict(calls.others.most_common()),
            "by_module": dict(_by_module(calls).most_common()),
            "by_function": {f"{module}:{name}": count for (module, name), count in calls.own.most_common()},
        }
        for text, calls in counts.items()
    }
    return {"analyses": analyses, "objects": objects, "goals": GOALS}


def _by_module(calls: Calls) -> Counter[str]:
    found: Counter[str] = Counter()
    for (module, _), count in calls.own.items():
        found[module] += count
    return found


def table(counts: dict[str, Calls], objects: list[str]) -> str:
    """The figures for people."""
    heads = ("calls", "functions", "modules", "threads")
    lines = [f"{'one warm analysis of a':<24}{''.join(f'{head:>11}' for head in heads)}  other calls"]
    for text, calls in counts.items():
        others = ", ".join(f"{module} {count}" for module, count in calls.others.most_common(6))
        figures = (calls.total(), len(calls.own), len(calls.modules), calls.threads)
        cells = "".join(f"{figure:>11}" for figure in figures)
        lines.append(f"{text:<24}{cells}  {others or '-'}")
    lines.append(f"{'goal':<24}{GOALS['calls']:>11}{'':>11}{GOALS['modules']:>11}")
    lines.append("")
    lines.append("calls of a Position's analysis by module")
    lines += [f"{count:>6}  {module}" for module, count in _by_module(counts["Position"]).most_common()]
    lines.append("")
    lines.append(f"one engine: {len(objects)} objects (goal {GOALS['objects']})")
    lines += [f"{count:>6}  {name}" for name, count in Counter(objects).items()]
    return "\n".join(lines)


def main() -> int:
    """Counts, and prints the table."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.calls", description=__doc__)
    parser.add_argument("--engine", default="stockfish", help="a profile's name or a path (stockfish)")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of the table")
    options = parser.parse_args()
    counts, objects = asyncio.run(measure(options.engine))
    print(json.dumps(summary(counts, objects)) if options.json else table(counts, objects))  # noqa: T201
    return 0


if __name__ == "__main__":
    sys.exit(main())
