"""`ensvm warm-up`: after it no classifier compiles anything, and it says what it does."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ensvm.classifiers import CLASSIFIERS
from ensvm.classifiers.first_fits import FIRST_FITS, FLOAT32_FITS, solvers_of

FITS = """
import sys, warnings
import numpy as np
import ensvm
from ensvm.compiled import compiling_counted
warnings.simplefilter("ignore")
X = np.random.default_rng(1).normal(size=(40, 3))
with compiling_counted() as compiled:
    for name in sys.argv[1:]:
        y = np.arange(40) % 3 if name.startswith("Mixed") else np.where(X[:, 0] > 0.2, "a", "b")
        getattr(ensvm, name)().fit(X, y).predict(X)
print(*compiled)
"""


def in_new_process(cache: Path, *command: str) -> subprocess.CompletedProcess[str]:
    ran = subprocess.run(
        [sys.executable, *command],
        env={**os.environ, "NUMBA_CACHE_DIR": str(cache)},
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stderr
    return ran


@pytest.mark.slow
def test_after_it_nothing_is_left_to_compile(tmp_path: Path) -> None:
    call = "fill_all(['linear SMO', 'perceptron'], 2)"
    warm_up = "-c", f"from ensvm_cli.warm_up import fill_all; print({call})"
    first = in_new_process(tmp_path, *warm_up)
    for solver in ("linear SMO", "perceptron"):
        assert f"compiled, first use only: {solver} (" in first.stderr
    again = in_new_process(tmp_path, *warm_up)
    assert (again.stdout.strip(), again.stderr) == ("0", "")
    fits = in_new_process(tmp_path, "-c", FITS, "LinearSMO", "Perceptron")
    assert (fits.stdout.strip(), fits.stderr) == ("", "")


def test_every_solver_belongs_to_classifiers_that_there_are() -> None:
    used = {name for fits in FIRST_FITS.values() for name, _ in fits}
    assert used <= set(CLASSIFIERS)
    assert solvers_of(CLASSIFIERS) == list(FIRST_FITS)
    assert solvers_of(["AdaBoost", "package.module:Class"]) == []
    assert solvers_of(["LeveragedVectorMachine"], FLOAT32_FITS) == ["leveraging, float32"]
