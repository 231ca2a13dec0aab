"""Mixed-kernel ensembles against scikit-learn's ensembles of SVC doing the same work.

AdaBoostClassifier gets a learner that draws 300 rows by weight (and a radial width from the same
range) and fits an SVC on them; its learning rate 0.5 makes its weights ours. BaggingClassifier gets
SVC(probability=True) on 300 rows: with that, it sums probabilities. Both sides have 50 machines,
each of which standardises its sample; scikit-learn's SVC does so in a pipeline.
"""

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import AdaBoostClassifier, BaggingClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.utils import check_random_state

from ensvm.classifiers.mixed_kernel_adaboost import MixedKernelAdaBoost
from ensvm.classifiers.mixed_kernel_bagging import MixedKernelBagging
from ensvm.kernels.named_kernels import sigest

MACHINES = 50
SAMPLES = 300


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
