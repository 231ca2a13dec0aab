"""float32 rows on a disk are read in blocks: nothing as large as they are is made of them."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import make_moons

from ensvm import KernelRidgeClassifierCV, PartiallyTrainedEnsemble

ROWS, COLUMNS = 120_000, 100  # 46 MiB of float32, twice that of float64
CODE = """
import resource, sys
import numpy as np
from ensvm import {name}
X = np.memmap(sys.argv[1], np.float32, "r", shape=({rows}, {columns}))
y = np.arange({rows}) % 2
def make(): return {name}(gamma=0.01, low_rank=4, gram_dtype="float32", random_state=0, {more})
make().fit(np.array(X[:500]), y[:500])
np.asarray(X).sum()  # the pages of the file count too
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
make().fit(X, y)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="its unit is told by Linux alone")
@pytest.mark.parametrize(
    ("name", "more"),
    [
        ("KernelRidgeClassifierCV", "alpha=1.0"),
        (
            "PartiallyTrainedEnsemble",
            'pivot_rows=2000, predict_with="pivots", keep_members=False, max_iter=5, tol=0.09',
        ),
    ],
)
@pytest.mark.filterwarnings("ignore:.*low-rank factor leaves out")
def test_they_are_not_copied(name: str, more: str, tmp_path: Path) -> None:
    path = tmp_path / "rows.f32"
    rows = np.random.default_rng(0).normal(size=(ROWS, COLUMNS)).astype(np.float32)
    rows.tofile(path)
    code = CODE.format(name=name, rows=ROWS, columns=COLUMNS, more=more)
    command = [sys.executable, "-W", "ignore", "-c", code, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert 1024.0 * float(done.stdout) < 0.8 * rows.nbytes


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("make", [PartiallyTrainedEnsemble, KernelRidgeClassifierCV])
def test_rows_of_either_precision_make_the_same_machine(make: Any) -> None:
    X, y = make_moons(200, noise=0.2, random_state=0)
    X = X.astype(np.float32)
    settings: dict[str, Any] = {"gamma": 2.0, "low_rank": 60, "random_state": 0}
    if make is not KernelRidgeClassifierCV:
        settings["pivot_rows"] = 150
    single, double = (make(**settings).fit(X.astype(dtype), y) for dtype in ("f4", "f8"))
    assert single.X_fit_.dtype == np.float32
    np.testing.assert_allclose(
        single.decision_function(X), double.decision_function(X), rtol=1e-6, atol=1e-9
    )
    np.testing.assert_array_equal(single.predict(X), double.predict(X))


def test_a_factor_that_does_not_fit_is_refused_before_it_is_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from ensvm import memory

    X, y = make_moons(100, random_state=0)
    monkeypatch.setattr(memory, "free_bytes", lambda: 8.0 * 100 * 10 - 1.0)
    PartiallyTrainedEnsemble(gamma=2.0, low_rank=9).fit(X, y)
    with pytest.raises(
        MemoryError, match="PartiallyTrainedEnsemble: the low-rank factor of 100 rows takes"
    ):
        PartiallyTrainedEnsemble(gamma=2.0, low_rank=10).fit(X, y)
