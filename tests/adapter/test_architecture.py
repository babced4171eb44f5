"""The house rules that no type checker sees: who imports whom, where I/O is done, what stands at the top."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = sorted(
    path.relative_to(ROOT) for name in ("adapter", "engines") for path in (ROOT / name).rglob("*.py")
)

# Parts that only compute: given text and bytes, they give text and bytes.
PURE = ("engines/protocol.py", "engines/dialects/", "adapter/fen/", "adapter/variants/")
# The one that reads the files it is given.
READS_FILES = "adapter/fen/files.py"
WAITING = {
    "asyncio", "subprocess", "socket", "selectors", "select", "threading", "multiprocessing",
    "concurrent", "signal", "ssl", "http", "urllib",
}  # fmt: skip
FILES = {"open", "input", "print", "exec", "eval", "compile", "__import__"}
FILE_METHODS = {"read_text", "write_text", "read_bytes", "write_bytes", "open", "unlink", "mkdir", "touch"}

# What may stand at the top of the repository, beside files whose names begin with a dot.
TOP = {"pyproject.toml", "README.md", "LICENSE", "adapter", "engines", "tests", "configs"}


def tree(path: Path) -> ast.Module:
    return ast.parse((ROOT / path).read_text(encoding="utf-8"), str(path))


def imports(path: Path) -> Iterator[str]:
    """Every module named in an import, at whatever depth of the file; none of this project is relative."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno} imports by a relative name"
            yield node.module or ""


def is_pure(path: Path) -> bool:
    text = path.as_posix()
    return text.startswith(PURE) and text != READS_FILES


def test_the_sources_are_found() -> None:
    names = {path.as_posix() for path in SOURCES}
    assert {"adapter/__init__.py", "engines/protocol.py", "engines/protocols/uci.py"} <= names
    assert sum(map(is_pure, SOURCES)) > 20


def test_engines_never_import_the_adapter() -> None:
    offenders = [
        f"{path} imports {name}"
        for path in SOURCES
        if path.as_posix().startswith("engines/") and not path.as_posix().startswith("engines/builtin/")
        for name in imports(path)
        if name.split(".")[0] == "adapter"
    ]
    assert not offenders


def test_nothing_but_the_engines_themselves_imports_the_builtin_or_the_scripted_engine() -> None:
    """Both are programs of their own: what is not imported cannot be leaned on."""
    offenders = [
        f"{path} imports {name}"
        for path in SOURCES
        for name in imports(path)
        for program in ("engines.builtin", "tests.mock_engine")
        if (name + ".").startswith(program + ".")
        and not path.as_posix().startswith(program.replace(".", "/") + "/")
    ]
    assert not offenders


@pytest.mark.parametrize("path", [path for path in SOURCES if is_pure(path)], ids=str)
def test_what_only_computes_does_no_io(path: Path) -> None:
    waiting = sorted({name for name in imports(path) if name.split(".")[0] in WAITING})
    assert not waiting
    for node in ast.walk(tree(path)):
        assert not isinstance(node, ast.AsyncFunctionDef | ast.Await | ast.AsyncFor | ast.AsyncWith), (
            node.lineno
        )
        if isinstance(node, ast.Call):
            called = node.func
            if isinstance(called, ast.Name):
                assert called.id not in FILES, f"line {node.lineno} calls {called.id}"
            elif isinstance(called, ast.Attribute):
                assert called.attr not in FILE_METHODS, f"line {node.lineno} calls .{called.attr}"
                assert not (isinstance(called.value, ast.Name) and called.value.id == "os"), node.lineno


def _names_a_kind(node: ast.expr) -> bool:
    """`dialect.name`, `self.position.variant.name`, `profile.protocol` and their like."""
    if not isinstance(node, ast.Attribute):
        return False
    if node.attr == "protocol":
        return True
    owner = node.value
    whose = (
        owner.attr if isinstance(owner, ast.Attribute) else owner.id if isinstance(owner, ast.Name) else ""
    )
    return node.attr == "name" and whose.strip("_") in ("dialect", "protocol", "variant", "profile", "speech")


def _is_literal(node: ast.expr) -> bool:
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        return all(map(_is_literal, node.elts))
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def branches_on_a_name(module: ast.Module) -> Iterator[int]:
    """The lines that compare the name of a dialect, protocol, variant or profile with a text."""
    for node in ast.walk(module):
        match node:
            case ast.Compare(left=left, comparators=others):
                sides = [left, *others]
                if any(map(_names_a_kind, sides)) and any(map(_is_literal, sides)):
                    yield node.lineno
            case ast.Match(subject=asked) if _names_a_kind(asked):
                yield node.lineno
            case ast.Call(func=ast.Attribute(value=asked, attr="startswith" | "endswith")):
                if _names_a_kind(asked):
                    yield node.lineno


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("if dialect.name == 'uci': pass", [1]),
        ("if self._dialect.name != 'uci': pass", [1]),
        ("x = 1 if 'xiangqi' == position.variant.name else 2", [1]),
        ("if variant.name in ('chess', 'chess960'): pass", [1]),
        ("if profile.protocol == 'ucci': pass", [1]),
        ("match variant.name:\n    case 'chess': pass", [1]),
        ("if variant.name.startswith('chess'): pass", [1]),
        ("if variant.name not in profile.variants: pass", []),
        ("if option.name == 'Hash': pass", []),
        ("if a.variant.name == b.variant.name: pass", []),
    ],
)
def test_the_search_for_branches_finds_them(code: str, found: list[int]) -> None:
    assert list(branches_on_a_name(ast.parse(code))) == found


def test_differences_are_data() -> None:
    offenders = [f"{path}:{line}" for path in SOURCES for line in branches_on_a_name(tree(path))]
    assert not offenders


def test_each_module_says_what_it_is_for() -> None:
    for path in SOURCES:
        assert ast.get_docstring(tree(path)), path


def loaded_by(code: str) -> set[str]:
    """The top-level modules in an interpreter that has run the code."""
    script = f"import sys\n{code}\nprint(*sorted({{name.split('.')[0] for name in sys.modules}}))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, cwd=ROOT, timeout=60, check=True
    )
    return set(done.stdout.split())


def test_importing_the_adapter_costs_next_to_nothing() -> None:
    loaded = loaded_by("import adapter")
    assert "adapter" in loaded
    assert not loaded & {"chess", "asyncio", "msgspec", "rich", "click", "platformdirs", "engines"}


def test_checking_a_record_of_xiangqi_does_not_load_the_rules_of_chess() -> None:
    loaded = loaded_by(
        "import adapter; adapter.Position.parse('5a3/3ka4/5n3/9/9/9/9/9/9/4K1R2 w').play('g0f0')"
    )
    assert not loaded & {"chess", "asyncio", "rich", "click", "subprocess"}


def test_asking_a_position_for_its_line_starts_no_event_loop() -> None:
    loaded = loaded_by("import adapter; adapter.Position.parse('startpos moves e2e4').command('uci')")
    assert not loaded & {"asyncio", "rich", "click", "subprocess"}


def test_every_public_name_can_be_had() -> None:
    import adapter

    assert sorted(adapter.__all__) == adapter.__all__
    for name in adapter.__all__:
        assert getattr(adapter, name) is not None
        assert name in dir(adapter)
    with pytest.raises(AttributeError, match="no attribute 'analyse'"):
        adapter.analyse  # noqa: B018 - the access itself is what is tested


def test_the_public_names_are_the_same_to_type_checkers() -> None:
    """The names for type checkers, those loaded when first used, and `__all__`: three lists of one thing."""
    import adapter

    module = tree(Path("adapter/__init__.py"))
    guarded = next(node for node in module.body if isinstance(node, ast.If))
    told = {
        alias.asname or alias.name: node.module
        for node in guarded.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert told == adapter._HOME
    assert set(told) == set(adapter.__all__)


def test_nothing_else_stands_at_the_top() -> None:
    if (ROOT / ".git").exists():
        git = ["git", "ls-files", "-z"]
        done = subprocess.run(git, capture_output=True, text=True, cwd=ROOT, timeout=60, check=True)
        top = {name.split("/")[0] for name in done.stdout.split("\0") if name}
    else:  # an unpacked source distribution
        top = {path.name for path in ROOT.iterdir()} - {"PKG-INFO"}
    assert {name for name in top if not name.startswith(".")} == TOP
