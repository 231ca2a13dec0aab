"""What does not fit into memory is refused before it is allocated, in numbers."""

import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from ensvm import ParzenWindowClassifier, RhoSVC, WeightedNuSVC, memory
from ensvm.memory import free_bytes, gibibytes, require_memory


def test_the_least_limit_counts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    limit, used = tmp_path / "max", tmp_path / "current"
    monkeypatch.setattr(memory, "_CONTAINER", ((str(limit), str(used)),))
    without = free_bytes()
    limit.write_text("max\n")
    used.write_text("500\n")
    assert free_bytes() == pytest.approx(without, rel=0.2)
    limit.write_text("3000\n")
    assert free_bytes() == 2500.0
    used.write_text("4000\n")
    assert free_bytes() == 0.0
    # Page cache is given back when it is needed.
    (tmp_path / "memory.stat").write_text("anon 200\nfile 3800\ninactive_file 3700\n")
    assert free_bytes() == 2700.0


def test_what_fits_is_let_through_and_what_does_not_is_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(memory, "free_bytes", lambda: 2.0**30)
    require_memory(2.0**30, "a matrix")
    with pytest.raises(MemoryError) as refusal:
        require_memory(26.8 * 2.0**30, "the matrix", "low_rank=5 takes less")
    message = str(refusal.value)
    assert message.startswith("the matrix takes 26.8 GiB, 1.0 GiB are free")
    assert message.endswith("low_rank=5 takes less")
    assert gibibytes(3 * 2.0**29) == "1.5 GiB"


@pytest.mark.parametrize("make", [RhoSVC, WeightedNuSVC])
def test_a_fit_of_too_many_rows_ends_at_once(make: type) -> None:
    X = np.random.default_rng(0).normal(size=(400_000, 2))  # 1.2 TiB
    y = np.arange(len(X)) % 2
    start = time.perf_counter()
    with pytest.raises(MemoryError, match=r"^(RhoSVC|WeightedNuSVC): the Gram matrix of 400000"):
        make(gamma=1.0).fit(X, y)
    assert time.perf_counter() - start < 30.0
    machine = ParzenWindowClassifier(gamma=1.0).fit(X[:1000], y[:1000])  # needs no matrix
    assert machine.score(X[:10], y[:10]) >= 0.0


@pytest.mark.skipif(sys.platform == "win32", reason="there is no limit of a process")
def test_the_limit_of_the_process_counts() -> None:
    code = (
        "import resource; from ensvm.memory import free_bytes;"
        "resource.setrlimit(resource.RLIMIT_AS, (2**33, 2**33)); print(free_bytes() < 2**33)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "True\n"
