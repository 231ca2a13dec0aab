"""No machine code outlives the source of a function that was compiled into it."""

import ast
import gc
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
from numba.core import event as events

from ensvm import compiled

ROOT = Path(__file__).parents[1]
CALLEE = "from ensvm.compiled import compiled\n\n\n@compiled\ndef inner(x):\n    return x + 1.0\n"
CALLER = (
    "from ensvm.callee import inner\nfrom ensvm.compiled import compiled, compiling_at_once\n\n\n"
    "@compiled\ndef outer(x):\n    return 10.0 * inner(x)\n\n\n"
    "if __name__ == 'ensvm.caller':\n    with compiling_at_once():\n"
    "        print(outer(1.0), sum(outer.stats.cache_hits.values()))\n"
)
COMPILED_FILES = sorted(
    path for path in compiled.PACKAGE.rglob("*.py") if compiled.MARK in path.read_bytes()
)


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A copy of the package's root with a compiled function that calls one of another file."""
    folder = tmp_path / "ensvm"
    folder.mkdir()
    for name in ("__init__.py", "compiled.py"):
        shutil.copy(compiled.PACKAGE / name, folder)
    (folder / "callee.py").write_text(CALLEE)
    (folder / "caller.py").write_text(CALLER)
    return folder


def imported(package: Path, cache: Path) -> subprocess.CompletedProcess[str]:
    """Return what a new process prints that logs and imports the caller."""
    code = "import logging; logging.basicConfig(level=logging.INFO); import ensvm.caller"
    return subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(package.parent), "NUMBA_CACHE_DIR": str(cache)},
        cwd=package.parent,
        capture_output=True,
        text=True,
        check=True,
    )


def called(package: Path, cache: Path) -> list[float]:
    """Return what a new process computes, and how often it found machine code."""
    return [float(part) for part in imported(package, cache).stdout.split()]


@pytest.mark.slow
def test_an_edited_callee_is_seen_by_its_callers(package: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    first, again = called(package, cache), called(package, cache)
    assert first == [20.0, 0.0]
    assert again == [20.0, 1.0]
    (package / "callee.py").write_text(CALLEE.replace("x + 1.0", "x + 2.0"))
    assert called(package, cache) == [30.0, 0.0]
    (package / "callee.py").write_text(CALLEE)
    assert called(package, cache) == again


@pytest.mark.slow
def test_a_folder_that_cannot_be_written_costs_the_cache_alone(
    package: Path, tmp_path: Path
) -> None:
    no_folder = tmp_path / "file"
    no_folder.write_text("")
    assert called(package, no_folder) == called(package, no_folder) == [20.0, 0.0]
    assert not list(package.rglob("*.nbi"))


def test_the_hash_is_of_compiled_sources_alone(package: Path) -> None:
    before = compiled.sources_hash(package)
    (package / "other.py").write_text("x = 1\n")
    assert compiled.sources_hash(package) == before
    (package / "caller.py").rename(package / "renamed.py")
    assert compiled.sources_hash(package) != before


def test_other_peoples_machine_code_stays_where_it_was() -> None:
    before = numba.config.CACHE_DIR
    compiled.compiled(lambda x: x)
    assert before == numba.config.CACHE_DIR


def test_folders_long_unused_go_and_others_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    long_ago = time.time() - 2.0 * compiled.KEPT_SECONDS
    names = {"old": f"{compiled.PREFIX}1", "new": f"{compiled.PREFIX}2", "foreign": "theirs"}
    for name in names.values():
        (tmp_path / name).mkdir()
        (tmp_path / name / "code").write_text("")
    for which in ("old", "foreign"):
        os.utime(tmp_path / names[which], (long_ago, long_ago))
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    own = compiled.code_folder.__wrapped__()
    assert {path.name for path in tmp_path.iterdir()} == {names["new"], names["foreign"], own.name}


@pytest.mark.parametrize("path", COMPILED_FILES, ids=lambda path: path.name)
def test_what_a_compiled_function_reads_is_in_the_hash(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    source_of = {
        alias.asname or alias.name: node.module
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("ensvm.")
        for alias in node.names
    }
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef) or not any(
            "compiled" in ast.unparse(decorator) for decorator in function.decorator_list
        ):
            continue
        read = {node.id for node in ast.walk(ast.Module(function.body, [])) if hasattr(node, "id")}
        for name in read & set(source_of):
            module = ROOT.joinpath(*str(source_of[name]).split(".")).with_suffix(".py")
            assert module in COMPILED_FILES, f"{function.name} reads {name} of {module.name}"


@pytest.mark.slow
def test_compiling_off_a_terminal_is_logged_once(package: Path, tmp_path: Path) -> None:
    (package / "caller.py").write_text(CALLER.replace("outer(1.0),", "outer(1.0), outer(1),"))
    run = imported(package, tmp_path / "cache")
    assert run.stderr.count(compiled.ANNOUNCEMENT) == 1


@pytest.fixture
def added(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> compiled.CompiledFunction:
    """A function that has no machine code, in a process that has computed nothing in Python."""
    monkeypatch.setattr(compiled, "_patience", compiled._Patience())
    monkeypatch.setattr(compiled, "code_folder", lambda: tmp_path)

    @compiled.compiled
    def added(x: Any, y: float) -> Any:
        return x[0] + y

    assert isinstance(added, compiled.CompiledFunction)
    return added


def test_few_numbers_are_computed_in_python(added: compiled.CompiledFunction) -> None:
    assert (added(np.ones(9), 2.0), added(x=np.ones(9), y=2.0)) == (3.0, 3.0)
    assert added.signatures == []
    assert compiled._patience.spent > 0.0


@pytest.mark.slow
def test_many_numbers_are_computed_by_machine_code(added: compiled.CompiledFunction) -> None:
    many = np.ones(compiled.FEW_NUMBERS + 1)
    assert (added(many, 2.0), len(added.signatures)) == (3.0, 1)
    assert (added(many[:9], 2.0), compiled._patience.spent) == (3.0, 0.0)


@pytest.mark.slow
def test_single_precision_is_computed_by_machine_code(added: compiled.CompiledFunction) -> None:
    assert (added(np.ones(9, np.float32), 2.0), len(added.signatures)) == (3.0, 1)


@pytest.mark.slow
def test_after_some_seconds_a_process_compiles(
    added: compiled.CompiledFunction, monkeypatch: pytest.MonkeyPatch
) -> None:
    added(np.ones(9), 2.0)
    monkeypatch.setattr(compiled, "_patience", compiled._Patience(spent=compiled.PATIENCE))
    assert (added(np.ones(9), 2.0), len(added.signatures)) == (3.0, 1)


@pytest.mark.slow
def test_machine_code_of_another_process_is_used(
    added: compiled.CompiledFunction, monkeypatch: pytest.MonkeyPatch
) -> None:
    with compiled.compiling_at_once():
        added(np.ones(9), 2.0)
    again = compiled.CompiledFunction(added.py_func, targetoptions={"nopython": True})
    again._cache = added._cache
    assert (again(np.ones(9), 2.0), sum(again.stats.cache_hits.values())) == (3.0, 1)


def test_compiling_at_once_ends_with_its_block(added: compiled.CompiledFunction) -> None:
    before = compiled._patience.is_over
    with compiled.compiling_at_once():
        assert compiled._patience.is_over
    assert before is compiled._patience.is_over is False


class Thresholds(events.Listener):
    """Notes how many new objects let Python look for garbage while a pass of the compiler runs."""

    def __init__(self) -> None:
        self.seen: list[int] = []

    def on_start(self, event: Any) -> None:
        self.seen.append(gc.get_threshold()[0])

    def on_end(self, event: Any) -> None:
        pass


def test_garbage_is_looked_for_as_before_once_a_function_is_compiled() -> None:
    before = gc.get_threshold()
    with events.install_listener("numba:run_pass", Thresholds()) as during:
        numba.njit(lambda value: value + 1)(1)
    assert set(during.seen) == {max(before[0], compiled.COLLECTED_AFTER)}
    assert gc.get_threshold() == before
    with pytest.raises(numba.TypingError):
        numba.njit(lambda value: value.nothing)(1)
    assert gc.get_threshold() == before
