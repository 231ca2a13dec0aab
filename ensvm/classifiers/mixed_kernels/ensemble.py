"""What the mixed-kernel ensembles of Stork, Ramos, Koch & Konen (ECDA-13) share: parameters, kernels, seeds, evaluation."""

import warnings
from abc import ABCMeta
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from ensvm.classifiers.mixed_kernels.evaluator import MachineEvaluator, blocks
from ensvm.classifiers.mixed_kernels.machines import KernelMachine, renumbered
from ensvm.classifiers.mixed_kernels.member_cache import MEMBERS, digest
from ensvm.kernels import NAMED_KERNELS, resolve_gamma
from ensvm.kernels.augmented_rows import Kernel, KernelName, Rows
from ensvm.kernels.widths import WidthRange, sigest
from ensvm.seeds import seed_of


@dataclass(frozen=True)
class TrainingSet:
    """The training rows sorted by class, and what all members draw on."""

    order: NDArray[np.intp]
    """shape (n,), where each row stood in the input"""
    rows: Rows
    codes: NDArray[np.intp]
    """shape (n,), ascending"""
    entropy: int
    """what the seeds of the members are hashed from"""
    digest: bytes
    """of inputs and labels; empty where members are not reused"""


class MixedKernelEnsemble(ClassifierMixin, BaseEstimator, metaclass=ABCMeta):
    """Base of the classifiers that join soft-margin machines of several kernels, each trained on few of the rows."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "kernels": ["array-like"],
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "max_samples": [Interval(Integral, 1, None, closed="left"), None],
        "C": [Interval(Real, 0.0, None, closed="neither")],
        "gamma": [
            StrOptions({"sigest", "sigest-random", "scale", "auto", "mean-distance"}),
            Interval(Real, 0.0, None, closed="neither"),
        ],
        "poly_gamma": [
            StrOptions({"scale", "auto", "mean-distance"}),
            Interval(Real, 0.0, None, closed="neither"),
        ],
        "degree": [Interval(Integral, 0, None, closed="left")],
        "coef0": [Interval(Real, None, None, closed="neither")],
        "tol": [Interval(Real, 0.0, None, closed="neither")],
        "reuse_members": ["boolean"],
        "random_state": ["random_state"],
    }

    kernels: Sequence[KernelName]
    n_estimators: int
    max_samples: int | None
    C: float
    gamma: float | str
    poly_gamma: float | str
    degree: int
    coef0: float
    tol: float
    reuse_members: bool
    random_state: int | np.random.RandomState | None

    estimators_: list[KernelMachine]

    def _prepare(self, X: Any, y: ArrayLike) -> TrainingSet:
        """Validate the input and set what depends on it alone: classes, widths of the kernels."""
        self._check_kernels()
        X, y = validate_data(self, X, y, dtype=np.float64)
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if self.classes_.size == 1:
            raise ValueError(
                f"{type(self).__name__} needs two classes, but y holds only one class: {self.classes_[0]}"
            )
        entropy = int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))
        self._resolve_widths(X, np.random.default_rng(seed_of(entropy, "sigest")))
        order = np.argsort(codes, kind="stable")
        content = digest(X, codes) if self.reuse_members else b""
        return TrainingSet(order, Rows(X[order], X.mean(axis=0)), codes[order], entropy, content)

    def _check_kernels(self) -> None:
        names = list(self.kernels)
        unknown = [name for name in names if name not in NAMED_KERNELS]
        if unknown or not names or len(set(names)) < len(names):
            raise ValueError(
                f"kernels must name one or more of {', '.join(NAMED_KERNELS)}, each at most once, got {self.kernels!r}"
            )

    def _resolve_widths(self, X: NDArray[np.float64], rng: np.random.Generator) -> None:
        self.gamma_range_: WidthRange | None = None
        if "rbf" in self.kernels:
            if self.gamma in ("sigest", "sigest-random"):
                self.gamma_range_ = sigest(X, rng=rng)
            else:
                self.gamma_range_ = WidthRange(*[resolve_gamma(self.gamma, X)] * 3)
        self.poly_gamma_ = resolve_gamma(self.poly_gamma, X) if "poly" in self.kernels else None

    def _kernel(self, name: KernelName, rng: np.random.Generator) -> Kernel:
        """Return the kernel of the next machine, its width drawn where that is asked for."""
        if name == "rbf":
            assert self.gamma_range_ is not None
            low, middle, high = self.gamma_range_
            return Kernel(
                "rbf", float(rng.uniform(low, high)) if self.gamma == "sigest-random" else middle
            )
        if name == "poly":
            assert self.poly_gamma_ is not None
            return Kernel("poly", self.poly_gamma_, int(self.degree), float(self.coef0))
        return Kernel("linear")

    def _reused(
        self,
        training: TrainingSet,
        names: Sequence[KernelName],
        identity: tuple[Hashable, ...],
        make: Callable[[], Any],
    ) -> Any:
        """Return what `make` returns, from an earlier fit of this process where that is allowed and there is one.

        It depends on the training set, the settings of the kernels named, and what `identity` says.
        """
        if not self.reuse_members:
            return make()
        settings: dict[KernelName, tuple[Hashable, ...]] = {
            "linear": (),
            "poly": (self.poly_gamma_, self.degree, self.coef0),
            "rbf": (self.gamma_range_, self.gamma == "sigest-random"),
        }
        size = self._sample_size(len(training.rows))
        kernels = tuple((name, settings[name]) for name in names)
        return MEMBERS.get(
            (training.digest, training.entropy, kernels, size, self.C, self.tol, *identity), make
        )

    def _sample_size(self, n: int) -> int:
        return n if self.max_samples is None else min(self.max_samples, n)

    def _keep(self, machines: Sequence[KernelMachine], training: TrainingSet) -> None:
        """Set the fitted members and what is known about them."""
        self.estimators_, needed = renumbered(machines)
        self.estimator_kernels_ = [machine.kernel.name for machine in machines]
        self.support_ = training.order[needed]
        self.certificate_ = max(machine.certificate for machine in machines)
        self.n_iter_ = sum(machine.n_iter for machine in machines)
        self._centre = training.rows.centre
        self._evaluator = MachineEvaluator(self.estimators_, training.rows.take(needed))
        if self.certificate_ > self.tol:
            message = f"{type(self).__name__}: a machine stopped at a violation of {self.certificate_:.3g}, tol = {self.tol:g}"
            warnings.warn(message, ConvergenceWarning, stacklevel=3)

    def _queries(self, X: Any) -> list[Rows]:
        """Return the validated rows in blocks, as the members take them."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return [Rows(X[block], self._centre) for block in blocks(len(X))]


def interleaved(runs: Sequence[Any]) -> list[Any]:
    """Return the runs' first entries, then their second ones, and so on, also where some are shorter."""
    longest = max(len(run) for run in runs)
    return [run[t] for t in range(longest) for run in runs if t < len(run)]
