"""The tasks: what users wait for, beside whoever does the same thing best.

What is made ready before the clock starts is made within each function; peers are imported there,
so that a missing one skips its tasks alone.
"""

import time
import warnings
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from ensvm.data import DataUnavailable, find_card, load
from side_by_side.measure import Skip, Task, Work
from side_by_side.r_peers import r_peer

GRID = np.geomspace(1e-2, 1e4, 20)


def needed(module: str, extra: str = "ensvm[bench]") -> Any:
    """Return a peer's module, or skip."""
    try:
        return import_module(module)
    except ImportError:
        raise Skip(f"{module.split('.')[0]} is not installed: pip install '{extra}'") from None


def realization(name: str) -> Any:
    """Return the first realization of a data set, or skip."""
    try:
        return load(find_card(name)).realization(1)
    except DataUnavailable as error:
        raise Skip(f"{name} is not here: {error}".splitlines()[0]) from None


def adult() -> tuple[Any, Any, Any, Any, float]:
    """Return the full adult data, dense, and the width of the paper."""
    from ensvm.kernels import resolve_gamma

    data = realization("adult")
    X, Z = (np.asarray(rows.todense()) for rows in (data.X_train, data.X_test))
    return X, data.y_train, Z, data.y_test, resolve_gamma("mean-distance", X)


def fitted_and_predicted(make: Callable[[float], Any], cost: Callable[..., Any] | None) -> Work:
    """Return a fit and a prediction of full adult."""
    X, y, Z, z, gamma = adult()
    distinct = len(np.unique(X, axis=0))

    def work() -> dict[str, float]:
        machine = make(gamma).fit(X, y)
        error = 100.0 * float(np.mean(machine.predict(Z) != z))
        counts = {} if cost is None else cost(machine, distinct, len(Z), X.shape[1])
        return {"error %": error, **counts}

    return work


def ensemble(dtype: str) -> Callable[[], Work]:
    """Return how the exact ensemble is timed."""

    def cost(machine: Any, m: int, _n: int, _d: int) -> dict[str, float]:
        products = machine.n_iter_ + 1  # and those of rejected steps
        # Rows of zeros and ones are compared as bits, and float32 values are kept by codes.
        width = 1 if machine.gram_dtype_ == "float32" else np.dtype(np.float64).itemsize
        return {"read": products * width * m**2 / 2.0}

    def prepare() -> Work:
        from ensvm import PartiallyTrainedEnsemble

        return fitted_and_predicted(
            lambda gamma: PartiallyTrainedEnsemble(gamma=gamma, gram_dtype=dtype), cost
        )

    return prepare


def low_rank() -> Work:
    """Time the ensemble on 1000 columns of the Gram matrix."""
    from ensvm import PartiallyTrainedEnsemble

    rank = 1000

    def cost(machine: Any, m: int, n: int, d: int) -> dict[str, float]:
        rows = machine.weights_.size
        return {
            "flops32": 2.0 * d * rows * rank + rows * rank**2 + 2.0 * d * n * rank,
            "read": (machine.n_iter_ + 1) * 2.0 * 4.0 * rows * rank,
        }

    return fitted_and_predicted(
        lambda gamma: PartiallyTrainedEnsemble(
            gamma=gamma, low_rank=rank, gram_dtype="float32", predict_with="pivots", random_state=0
        ),
        cost,
    )


def intelex_svc() -> Work:
    """Time the SVC of scikit-learn-intelex."""
    SVC = needed("sklearnex.svm").SVC
    return fitted_and_predicted(lambda gamma: SVC(gamma=gamma, C=1.0), None)


def predicted(make: Callable[[float], Any]) -> Work:
    """Return a prediction alone."""
    X, y, Z, z, gamma = adult()
    machine = make(gamma).fit(X, y)

    def work() -> dict[str, float]:
        error = 100.0 * float(np.mean(machine.predict(Z) != z))
        return {"error %": error}

    return work


def ensemble_predicts() -> Work:
    """Time the prediction by an ensemble of all rows."""
    from ensvm import PartiallyTrainedEnsemble

    return predicted(lambda gamma: PartiallyTrainedEnsemble(gamma=gamma, gram_dtype="float32"))


def intelex_svc_predicts() -> Work:
    """Time the prediction by that SVC."""
    SVC = needed("sklearnex.svm").SVC
    return predicted(lambda gamma: SVC(gamma=gamma, C=1.0))


def german() -> tuple[Any, Any, Any]:
    """Return rows, labels and the Gram matrix of german."""
    from ensvm.kernels import gram, resolve_gamma

    data = realization("german")
    gamma = resolve_gamma("mean-distance", data.X_train)
    return data.X_train, data.y_train, gram(data.X_train, kernel="rbf", gamma=gamma)


def whole_path() -> Work:
    """Time the whole regularization path, on the Gram matrix."""
    from ensvm.solvers.regularization_path.path import regularization_path

    _, y, K = german()

    def work() -> dict[str, float]:
        path = regularization_path(K, y)
        events = path.n_start_events + path.n_events
        return {"events": events, "read": 8.0 * events * y.size}

    return work


def grid_of_20() -> Work:
    """Time twenty LIBSVM fits, on the Gram matrix."""
    from sklearn.svm import SVC

    _, y, K = german()

    def work() -> dict[str, float]:
        for C in GRID:
            SVC(C=C, kernel="precomputed", cache_size=1000).fit(K, y)
        return {"fits": len(GRID)}

    return work


def german_path() -> dict[str, Any]:
    """Return what R's svmpath reads."""
    _, y, K = german()
    return {"K": K, "y": y}


def noisy_rows() -> dict[str, Any]:
    """Return 1000 rows of two overlapping classes, and their labels."""
    from weighted_nu_svm import noisy

    X, y = noisy(1000)
    return {"X": X, "y": y}


def nu_classifier() -> Work:
    """Time the fit of a nu-SVM from rows, kernel values included."""
    from ensvm import WeightedNuSVC

    rows = noisy_rows()

    def work() -> dict[str, float]:
        start = time.perf_counter()
        machine = WeightedNuSVC(nu=0.3, gamma=0.1).fit(rows["X"], rows["y"])
        seconds = time.perf_counter() - start
        error = 100.0 * float(np.mean(machine.predict(rows["X"]) != rows["y"]))
        return {"seconds": seconds, "error %": error}

    return work


def overlapping(m: int = 1000) -> tuple[Any, Any, Any]:
    """Return the Gram matrix and labels of two overlapping classes, and equal weights."""
    from weighted_nu_svm import noisy

    from ensvm.kernels import gram

    X, y = noisy(m)
    return gram(X, kernel="rbf", gamma=0.1), y, np.full(m, 1.0 / m)


def nu_machine(nu: float) -> Callable[[], Work]:
    """Return how ours is timed: to the duality gap that LIBSVM reaches at its default tolerance."""

    def prepare() -> Work:
        from weighted_nu_svm import gap_of, libsvm

        from ensvm.solvers.weighted_nu_svm.solver import weighted_nu_svm

        K, y, D = overlapping()
        _, goal = libsvm(K, y, nu, 1e-3)

        def work() -> dict[str, float]:
            result = weighted_nu_svm(K, y, D, nu, tol=max(goal, 1e-9))
            gap = gap_of(K, y, D, nu, y * result.weights, result.rho, result.intercept)
            return {"gap": gap, "read": 8.0 * result.n_iter * y.size}

        return work

    return prepare


def nu_svc(nu: float) -> Callable[[], Work]:
    """Return how LIBSVM's NuSVC is timed."""

    def prepare() -> Work:
        from sklearn.svm import NuSVC

        K, y, _ = overlapping()

        def work() -> dict[str, float]:
            machine = NuSVC(nu=nu, kernel="precomputed", cache_size=2000).fit(K, y)
            return {"support vectors": machine.support_.size}

        return work

    return prepare


def mixed(method: str, part: str, side: int) -> Callable[[], Work]:
    """Return how ensembles of SVMs with drawn kernels are timed on satimage, fit or prediction."""

    def prepare() -> Work:
        from side_by_side.mixed_kernels import sides

        # SVC's probability=True is deprecated in scikit-learn 1.9.
        warnings.simplefilter("ignore", FutureWarning)
        data = realization("satimage")
        make = lambda: sides(method, "rbf", data.X_train)[side]  # noqa: E731
        machine = make().fit(data.X_train, data.y_train)

        def predict() -> dict[str, float]:
            wrong = machine.predict(data.X_test) != data.y_test
            return {"error %": 100.0 * float(np.mean(wrong))}

        def fit() -> dict[str, float]:
            make().fit(data.X_train, data.y_train)
            return {}

        return fit if part == "fit" else predict

    return prepare


def gram_matrix() -> Work:
    """Time the Gaussian Gram matrix of 8000 rows."""
    from ensvm.kernels import gram

    X = np.random.default_rng(0).normal(size=(8000, 50))

    def work() -> dict[str, float]:
        gram(X, kernel="rbf", gamma=0.01)
        return {"flops64": 50.0 * len(X) ** 2, "read": 8.0 * len(X) ** 2}

    return work


def rbf_kernel() -> Work:
    """Time scikit-learn's Gram matrix."""
    from sklearn.metrics.pairwise import rbf_kernel as kernel

    X = np.random.default_rng(0).normal(size=(8000, 50))
    return lambda: {"rows": len(kernel(X, gamma=0.01))}


ADULT = "full adult (32,561 x 123), fit + prediction of 16,281"
INTELEX = "scikit-learn-intelex SVC, C = 1"
TASKS = (
    Task("adult-float32", f"{ADULT}: exact ensemble, float32", INTELEX,
         ensemble("float32"), intelex_svc, threads=2, limit=1.3),
    *(Task(f"adult-{dtype}-fresh", f"{ADULT}, first in a process: exact ensemble, {name}", INTELEX,
           ensemble(dtype), intelex_svc, threads=2, limit=1.3, fresh=True)
      for dtype, name in (("auto", "default"), ("float32", "float32"))),
    Task("adult-rank-1000", f"{ADULT}: ensemble, rank 1000", INTELEX,
         low_rank, intelex_svc, threads=2, limit=3.0 / 8.7),
    Task("adult-predict", "full adult: prediction of 16,281 rows, exact ensemble", INTELEX,
         ensemble_predicts, intelex_svc_predicts, threads=2, limit=0.25),
    Task("gram", "Gaussian Gram matrix, 8000 x 50", "scikit-learn rbf_kernel",
         gram_matrix, rbf_kernel, threads=2),
    Task("path-grid", "german (700): whole regularization path", "LIBSVM, grid of 20 C",
         whole_path, grid_of_20, limit=0.5),
    Task("path-r", "german (700): whole regularization path", "R svmpath",
         whole_path, r_peer("svmpath", german_path), limit=1.0 / 40.0),
    *(Task(f"nu-{nu}", f"ν-SVM, 1000 rows, ν = {nu}, to LIBSVM's gap", "LIBSVM NuSVC",
           nu_machine(nu), nu_svc(nu), limit=1.0) for nu in (0.1, 0.3, 0.6)),
    *(Task(f"nu-{package}", "ν-SVM, 1000 rows, ν = 0.3, a fit", f"R {package}",
           nu_classifier, r_peer(package, noisy_rows, NU=0.3, GAMMA=0.1))
      for package in ("e1071", "kernlab")),
    *(Task(f"{method}-{part}", f"satimage: mixed-kernel {method}, 50 machines, {part}",
           "scikit-learn, same work", mixed(method, part, 0), mixed(method, part, 1),
           limit=limit)
      for method, part, limit in (("boosting", "fit", 1 / 8), ("boosting", "predict", 1 / 15),
                                   ("bagging", "predict", 1 / 10))),
)  # fmt: skip
