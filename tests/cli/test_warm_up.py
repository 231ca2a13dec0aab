"""`ensvm warm-up` compiles what fits need."""

import os
import subprocess
import sys
import warnings
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from sklearn.utils import get_tags
from sklearn.utils.validation import has_fit_parameter

import ensvm
from ensvm import LeveragedVectorMachine, PartiallyTrainedEnsemble, SVMPathClassifier
from ensvm.classifiers import CLASSIFIERS
from ensvm.compiled import compiling_counted
from ensvm_cli.warm_up import FITS as WARM_UP_FITS
from ensvm_cli.warm_up import compile_kernels, compile_solvers

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
def test_warm_up_compiles_all_that_a_fit_needs(tmp_path: Path) -> None:
    call = "compile_solvers(('LinearSMO', {}))"
    warm_up = "-c", f"from ensvm_cli.warm_up import compile_solvers; print({call})"
    assert int(in_new_process(tmp_path, *warm_up).stdout) > 0
    assert int(in_new_process(tmp_path, *warm_up).stdout) == 0
    fits = in_new_process(tmp_path, "-c", FITS, "LinearSMO")
    assert (fits.stdout.strip(), fits.stderr) == ("", "")


@pytest.mark.slow
def test_warming_up_compiles_what_fits_to_many_rows_need() -> None:
    for kernel in ("rbf", "precomputed"):
        compile_solvers(("LeveragedVectorMachine", {"kernel": kernel}))
    X = np.random.default_rng(1).normal(size=(4200, 3))
    y = np.where(X[:, 0] + X[:, 1] ** 2 > 0.5, 1, -1)
    with compiling_counted() as compiled, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        PartiallyTrainedEnsemble(max_iter=3).fit(X, y)
        LeveragedVectorMachine(n_estimators=30).fit(X[:2500], y[:2500])
    assert compiled == []


@pytest.mark.slow
def test_warming_up_compiles_what_rows_of_two_numbers_need() -> None:
    compile_kernels()
    X = np.random.default_rng(1).choice([0.0, 1.0], size=(4200, 30))
    with compiling_counted() as compiled, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        PartiallyTrainedEnsemble(max_iter=3).fit(X, X[:, 0]).predict(X)
    assert compiled == []


@pytest.fixture(scope="module")
def warm() -> None:
    """Run all that `ensvm warm-up` runs, in this process."""
    for fits in WARM_UP_FITS:
        compile_solvers(*fits)
    compile_kernels()


@pytest.mark.slow
@pytest.mark.parametrize("name", CLASSIFIERS)
def test_after_warming_up_no_class_compiles(warm: None, name: str) -> None:
    classifier = getattr(ensvm, name)()
    several = (3, 5) * get_tags(classifier).classifier_tags.multi_class
    X, weights = np.random.default_rng(1).normal(size=(60, 3)), np.linspace(1.0, 2.0, 60)
    weighted = {"sample_weight": weights} if has_fit_parameter(classifier, "sample_weight") else {}
    with compiling_counted() as compiled, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for n_classes in (2, *several):
            y = np.arange(60) % n_classes
            for more in ({}, weighted):
                fitted = classifier.fit(X, y, **more)
                fitted.predict(X)
                for method in ("decision_function", "predict_proba"):
                    if hasattr(fitted, method):
                        getattr(fitted, method)(X)
    assert compiled == []


@pytest.mark.slow
@pytest.mark.parametrize("name", CLASSIFIERS)
def test_after_warming_up_no_option_compiles(warm: None, name: str) -> None:
    kind = getattr(ensvm, name)
    X = np.random.default_rng(1).normal(size=(60, 3))
    options = [
        (parameter, option)
        for parameter, allowed in kind._parameter_constraints.items()
        for each in (allowed if isinstance(allowed, list) else ())
        for option in ((False, True) if each == "boolean" else getattr(each, "options", ()))
    ]
    with compiling_counted() as compiled, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for parameter, option in options:
            rows = X @ X.T if option == "precomputed" else X
            with suppress(ValueError):  # options that need others
                kind(**{parameter: option}).fit(rows, np.arange(60) % 2).predict(rows)
    assert compiled == []


@pytest.mark.slow
def test_after_warming_up_an_approximate_path_does_not_compile(warm: None) -> None:
    X = np.random.default_rng(1).normal(size=(60, 3))
    with compiling_counted() as compiled, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        SVMPathClassifier(tol=0.05, select="span").fit(X, np.arange(60) % 2).predict(X)
    assert compiled == []
