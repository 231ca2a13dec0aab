"""What several test files need."""

import sys
import textwrap
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import hypothesis
import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from ensvm.records.record import Record
from ensvm.records.store import SHIPPED_FILE, Identity
from ensvm.report import study_folder
from ensvm.study import read_config

# Tests try the same few examples every time; `make test-processors EXAMPLES=many` others, too.
hypothesis.settings.register_profile(
    "few", max_examples=15, deadline=None, derandomize=True, database=None
)
hypothesis.settings.register_profile("many", max_examples=150, deadline=None, print_blob=True)
hypothesis.settings.load_profile("few")


@pytest.fixture(autouse=True, scope="session")
def one_blas_thread() -> Iterator[None]:
    """Small products on a busy machine spend their time waiting for other threads."""
    with threadpool_limits(1):
        yield


@pytest.fixture(autouse=True, scope="session")
def no_network_and_an_empty_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Hide the user's own data: tests find the shipped data alone, unless they bring others."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ENSVM_OFFLINE", "1")
        patch.setenv("ENSVM_CACHE", str(tmp_path_factory.mktemp("cache")))
        patch.delenv("ENSVM_DATA", raising=False)
        yield


@pytest.fixture(autouse=True, scope="session")
def modules_that_tests_write_are_compiled_each_time() -> Iterator[None]:
    """Keep no bytecode: it counts as that of a module changed within a second, of the same size."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "dont_write_bytecode", True)
        patch.setenv("PYTHONDONTWRITEBYTECODE", "1")
        yield


@pytest.fixture(autouse=True, scope="session")
def what_is_shipped_is_read_once() -> Iterator[None]:
    """Keep the records of shipped results, of which ijcai07 has 34,000, and the list of studies."""
    read, kept = study_folder.records_in, {}

    def read_once(path: Path) -> dict[Identity, Record]:
        if path.name != SHIPPED_FILE or not path.is_file():
            return read(path)
        key = path.resolve(), path.stat().st_mtime_ns
        if key not in kept:
            kept[key] = read(path)
        return dict(kept[key])

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(study_folder, "records_in", read_once)
        patch.setattr(read_config, "shipped_heads", cache(read_config.shipped_heads))
        yield


@pytest.fixture
def downloads_allowed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Allow downloads, which a test replaces by its own, into a cache of its own."""
    monkeypatch.setenv("ENSVM_OFFLINE", "0")
    monkeypatch.setenv("ENSVM_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run the cells of single jobs here: for laws in which the end of a worker has no part."""
    from made_up_records import cells_run_here

    cells_run_here(monkeypatch)


@pytest.fixture
def own_data(tmp_path: Path) -> Path:
    """A small CSV of the user's own: two inputs, 60 rows, labels -1 (fewer) and 1."""
    rng = np.random.default_rng(0)
    y = np.where(np.arange(60) % 3 == 0, -1, 1)
    X = rng.normal(size=(60, 2)) + 0.7 * y[:, None]
    lines = [
        "a,b,label",
        *(f"{a!r},{b!r},{label}" for (a, b), label in zip(X.tolist(), y.tolist(), strict=True)),
    ]
    path = tmp_path / "own.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture
def study(tmp_path: Path, own_data: Path):
    """Return a function that writes a config with the given algorithms and returns its path."""

    def write(algorithms: str, *, realizations: int = 4, more: str = "") -> Path:
        head = f"study: trial\nrealizations: {realizations}\n"
        data = (
            "datasets:\n"
            f"  - {{name: own, path: {own_data.name}, target: label, positive: 1,"
            " split: {protocol: random, n_train: 40, n_test: 20}}\n"
        )
        body = "algorithms:\n" + textwrap.indent(textwrap.dedent(algorithms).strip(), "  ") + "\n"
        path = tmp_path / "trial.yaml"
        path.write_text(head + data + body + textwrap.dedent(more))
        return path

    return write
