"""Mixed-kernel ensembles against scikit-learn's ensembles of SVC doing the same work; one thread.

AdaBoostClassifier gets a learner that draws 300 rows by weight (and a radial width from the same
range) and fits an SVC on them; its learning rate 0.5 makes its weights ours. BaggingClassifier gets
SVC(probability=True) on 300 rows: with that, it sums probabilities. Both sides have 50 machines,
each of which standardises its sample; scikit-learn's SVC does so in a pipeline.
Every row is one run of each side, one after the other; targets are those of the project.
"""

import warnings
from typing import Any

import numpy as np
from _stopwatch import best_of
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import AdaBoostClassifier, BaggingClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.utils import check_random_state
from tabulate import tabulate
from threadpoolctl import threadpool_limits

from ensvm.classifiers.mixed_kernel_adaboost import MixedKernelAdaBoost
from ensvm.classifiers.mixed_kernel_bagging import MixedKernelBagging
from ensvm.data import DataUnavailable, find_card, load
from ensvm.kernels.table import sigest

SETS = ("spambase", "optdigits", "satimage")
KERNELS = ("rbf", "poly")
REPEATS = 3
MACHINES = 50
SAMPLES = 300
TARGETS = {
    ("boosting", "rbf"): (8, 15),
    ("boosting", "poly"): (4, 6),
}  # fit, predict; bagging: predict only
BAGGING_TARGET = 10


class ResampledSVC(ClassifierMixin, BaseEstimator):
    """SVC on rows drawn by their weights, with replacement, its radial width drawn from a range."""

    def __init__(
        self, svc: SVC | None = None, gamma_range: Any = None, random_state: Any = None
    ) -> None:
        self.svc = svc
        self.gamma_range = gamma_range
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any) -> "ResampledSVC":
        """Draw, then fit."""
        assert self.svc is not None
        rng = check_random_state(self.random_state)
        rows = rng.choice(len(X), SAMPLES, p=sample_weight)
        gamma = rng.uniform(*self.gamma_range) if self.gamma_range else self.svc.gamma
        svc = SVC(**{**self.svc.get_params(), "gamma": gamma})
        self.svc_ = make_pipeline(StandardScaler(), svc).fit(X[rows], y[rows])
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any) -> Any:
        """Return the SVC's classes."""
        return self.svc_.predict(X)


def sides(method: str, kernel: str, X: Any) -> tuple[Any, Any]:
    """Return our classifier and scikit-learn's."""
    low, middle, high = sigest(X, rng=np.random.default_rng(0))
    gamma = middle if kernel == "rbf" else 1.0 / X.shape[1]
    kernel_parameters = {"C": 10.0, "gamma": gamma, "degree": 3, "coef0": 1.0}
    settings: dict[str, Any] = {
        "C": 10.0,
        "scale": "machine",
        "n_estimators": MACHINES,
        "random_state": 0,
    }
    if method == "boosting":
        ours = MixedKernelAdaBoost((kernel,), gamma="sigest-random", **settings)
        learner = ResampledSVC(
            SVC(kernel=kernel, **kernel_parameters), (low, high) if kernel == "rbf" else None
        )
        return ours, AdaBoostClassifier(
            learner, n_estimators=MACHINES, learning_rate=0.5, random_state=0
        )
    ours = MixedKernelBagging((kernel,), gamma="sigest", **settings)
    svc = SVC(kernel=kernel, probability=True, random_state=0, **kernel_parameters)
    learner = make_pipeline(StandardScaler(), svc)
    return ours, BaggingClassifier(
        learner, n_estimators=MACHINES, max_samples=SAMPLES, random_state=0
    )


def measure(name: str, method: str, kernel: str) -> list[object]:
    """Return one row of the table: medians over repeated runs of both sides by turns."""
    data = load(find_card(name)).realization(1)
    fits, predictions, errors = [], [], []
    for _ in range(REPEATS):
        pair = sides(method, kernel, data.X_train)
        fits.append(
            [best_of(1, lambda side=side: side.fit(data.X_train, data.y_train))[0] for side in pair]
        )
        results = [best_of(1, lambda side=side: side.predict(data.X_test)) for side in pair]
        predictions.append([seconds for seconds, _ in results])
        errors.append([100.0 * np.mean(classes != data.y_test) for _, classes in results])
    fit, predict, error = (np.median(values, axis=0) for values in (fits, predictions, errors))
    fit_target, predict_target = TARGETS.get((method, kernel), ("", BAGGING_TARGET))
    return [
        name, method, kernel,
        fit[1], fit[0], fit[1] / fit[0], fit_target,
        predict[1], predict[0], predict[1] / predict[0], predict_target,
        error[1], error[0],
    ]  # fmt: skip


def main() -> None:
    """Print the table."""
    # SVC's probability=True is deprecated in scikit-learn 1.9.
    warnings.simplefilter("ignore", FutureWarning)
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), np.arange(60) % 3
    for make in (MixedKernelAdaBoost, MixedKernelBagging):  # compiled before anything is timed
        make(n_estimators=1, random_state=0).fit(X, y).predict(X)
    rows = []
    for name in SETS:
        try:
            rows += [
                measure(name, method, kernel)
                for method in ("boosting", "bagging")
                for kernel in KERNELS
            ]
        except DataUnavailable:
            rows.append([name, "not at hand"])
    heads = [
        "data", "method", "kernel",
        "fit sklearn s", "ours s", "ratio", "target",
        "predict sklearn s", "ours s", "ratio", "target",
        "error sklearn %", "ours %",
    ]  # fmt: skip
    print(tabulate(rows, heads, floatfmt=".3g"))


if __name__ == "__main__":
    with threadpool_limits(1):
        main()
