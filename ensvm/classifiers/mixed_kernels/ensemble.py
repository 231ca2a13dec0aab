"""What the mixed-kernel ensembles (ECDA-13) share: parameters, kernels, seeds, evaluation."""

import warnings
from abc import ABCMeta
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar

import joblib
import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, check_memory, validate_data

from ensvm.classifiers.base.dense import dense
from ensvm.classifiers.base.seeds import drawn_seed
from ensvm.classifiers.base.weights import CLASS_WEIGHT, class_costs
from ensvm.classifiers.mixed_kernels.evaluator import MachineEvaluator, blocks
from ensvm.classifiers.mixed_kernels.machines import KernelMachine, renumbered
from ensvm.classifiers.mixed_kernels.standardisation import (
    standardised_columns,
    standardised_inputs,
)
from ensvm.kernels import KERNELS, resolve_gamma
from ensvm.kernels.augmented_rows import Kernel, KernelName, Rows
from ensvm.kernels.input_rows import dense_rows
from ensvm.kernels.named_kernels import WidthRange, row_of, sigest
from ensvm.seeds import seed_of

LOG_RANDOM = "sigest-log-random"
DRAWN = ("sigest-random", LOG_RANDOM)
RANGES = ("sigest", *DRAWN)
COPIES = 2.5  # of the rows: as they are, and augmented in float64 and in float32


@dataclass(frozen=True, eq=False)
class TrainingSet:
    """The training rows sorted by class, and what all members draw on.

    Attributes
    ----------
    order : ndarray of int, shape (n,)
        Where each row stood in the input.
    rows : Rows
        The rows.
    codes : ndarray of int, shape (n,)
        Their classes, ascending.
    class_counts : ndarray of int, shape (n_classes,)
        The rows of each class.
    standardised : ndarray of bool, shape (d,), or None
        The columns that each machine standardises; None for none.
    entropy : int
        What the seeds of the members are hashed from.
    content : str
        A hash of inputs and labels; empty without a memory.
    """

    order: NDArray[np.intp]
    rows: Rows
    codes: NDArray[np.intp]
    class_counts: NDArray[np.intp]
    standardised: NDArray[np.bool_] | None
    entropy: int
    content: str


@dataclass(frozen=True)
class KernelChoice:
    """A kernel as the members take it.

    Attributes
    ----------
    kernel : Kernel
        The kernel, with the width of all members.
    widths : tuple of two floats, or None
        The range from which each member draws its own width instead; None if it does not.
    by_logarithm : bool
        Whether the logarithm of the width is uniform, not the width itself.
    """

    kernel: Kernel
    widths: tuple[float, float] | None = None
    by_logarithm: bool = False

    def draw(self, rng: np.random.Generator) -> Kernel:
        """Return the kernel of the next machine."""
        if self.widths is None:
            return self.kernel
        if self.by_logarithm:
            return self.kernel._replace(gamma=float(np.exp(rng.uniform(*np.log(self.widths)))))
        return self.kernel._replace(gamma=float(rng.uniform(*self.widths)))


@dataclass(frozen=True)
class MemberPlan:
    """All that decides what a member becomes, beside its number: equal plans, equal members.

    Attributes
    ----------
    content : str
        The hash of inputs and labels, that of the `TrainingSet`.
    entropy : int
        What the seeds are hashed from.
    kernels : tuple of KernelChoice
        The kernels a member may have.
    sample_size : int
        The rows drawn for a member.
    C : float
        The bound of its coefficients.
    tol : float
        The violation that ends its training.
    max_iter : int
        The most steps of its training.
    scale : str or None
        Whether it standardises its inputs.
    class_costs : tuple of floats, or None
        By how much the rows of each class count more; None for 1.
    """

    content: str
    entropy: int
    kernels: tuple[KernelChoice, ...]
    sample_size: int
    C: float
    tol: float
    max_iter: int
    scale: str | None
    class_costs: tuple[float, ...] | None

    @property
    def costs(self) -> NDArray[np.float64] | None:
        """The costs of the classes as an array."""
        return None if self.class_costs is None else np.array(self.class_costs)


class MixedKernelEnsemble(ClassifierMixin, BaseEstimator, metaclass=ABCMeta):
    """Base of the classifiers that join small soft-margin machines of several kernels.

    Each machine is trained on few of the rows. What a machine becomes depends on the training set,
    its kernel, its number and the seed, never on the machines it is joined with.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "kernels": ["array-like"],
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "max_samples": [Interval(Integral, 1, None, closed="left"), None],
        "C": [Interval(Real, 0.0, None, closed="neither")],
        "gamma": [
            StrOptions({*RANGES, "scale", "auto", "mean-distance"}),
            Interval(Real, 0.0, None, closed="neither"),
            list,
            tuple,
        ],
        "poly_gamma": [
            StrOptions({"scale", "auto", "mean-distance"}),
            Interval(Real, 0.0, None, closed="neither"),
        ],
        "degree": [Interval(Integral, 0, None, closed="left")],
        "coef0": [Interval(Real, None, None, closed="neither")],
        "scale": [StrOptions({"machine"}), None],
        "class_weight": CLASS_WEIGHT,
        "tol": [Interval(Real, 0.0, None, closed="neither")],
        "max_iter": [Interval(Integral, 0, None, closed="left")],
        "memory": [None, str, HasMethods(["cache"])],
        "random_state": ["random_state"],
    }

    kernels: Sequence[KernelName]
    n_estimators: int
    max_samples: int | None
    C: float
    gamma: float | str | list[float] | tuple[float, float]
    poly_gamma: float | str
    degree: int
    coef0: float
    scale: str | None
    class_weight: dict[Any, float] | str | None
    tol: float
    max_iter: int
    memory: Any
    random_state: int | np.random.RandomState | None

    estimators_: list[KernelMachine]

    def _prepare(self, X: Any, y: ArrayLike) -> TrainingSet:
        """Validate the input and set what depends on it alone: classes, widths of the kernels."""
        X, y = validate_data(self, X, y, dtype=np.float64, accept_sparse="csr")
        X = dense(X, COPIES, type(self).__name__)
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if self.classes_.size == 1:
            raise ValueError(
                f"{type(self).__name__} needs two classes, but y holds only one class: "
                f"{self.classes_[0]}"
            )
        entropy = drawn_seed(self.random_state)
        order = np.argsort(codes, kind="stable")
        rows = Rows(X[order], X.mean(axis=0))
        columns = None if self.scale is None else standardised_columns(X)
        self._resolve_widths(
            X if columns is None else standardised_inputs(X, columns),
            np.random.default_rng(seed_of(entropy, "sigest")),
        )
        return TrainingSet(
            order,
            rows,
            codes[order],
            class_counts=np.bincount(codes),
            standardised=columns,
            entropy=entropy,
            content="" if self.memory is None else joblib.hash([X, codes]),
        )

    def _validate_params(self) -> None:
        super()._validate_params()
        names = list(self.kernels)
        unknown = [name for name in names if name not in KERNELS]
        if unknown or not names or len(set(names)) < len(names):
            raise ValueError(
                f"kernels must name one or more of {', '.join(KERNELS)}, each at most once, "
                f"got {self.kernels!r}"
            )
        if isinstance(self.gamma, list | tuple) and not _is_range(self.gamma):
            raise ValueError(
                "gamma as a pair must be the lowest and the highest width, positive numbers, "
                f"got {self.gamma!r}"
            )

    def _resolve_widths(self, X: NDArray[np.float64], rng: np.random.Generator) -> None:
        of_a_width = [row_of(name) for name in self.kernels if "gamma" in row_of(name).parameters]
        arguments = {row.argument for row in of_a_width}
        self.gamma_range_: WidthRange | None = None
        if "distance" in arguments:
            self.gamma_range_ = self._width_range(X, rng)
        self.poly_gamma_ = resolve_gamma(self.poly_gamma, X) if "product" in arguments else None

    def _width_range(self, X: NDArray[np.float64], rng: np.random.Generator) -> WidthRange:
        if isinstance(self.gamma, list | tuple):
            low, high = map(float, self.gamma)
            return WidthRange(low, (low + high) / 2.0, high)
        if self.gamma in RANGES:
            return sigest(X, rng=rng)
        return WidthRange(*[resolve_gamma(self.gamma, X)] * 3)

    def _plan(self, training: TrainingSet, names: Sequence[KernelName]) -> MemberPlan:
        """Return what decides the members of the kernels named."""
        n = len(training.rows)
        return MemberPlan(
            training.content,
            training.entropy,
            tuple(self._kernel_choice(name) for name in names),
            n if self.max_samples is None else min(self.max_samples, n),
            self.C,
            self.tol,
            self.max_iter,
            self.scale,
            None
            if self.class_weight is None
            else tuple(class_costs(self.class_weight, self.classes_, training.codes).tolist()),
        )

    def _kernel_choice(self, name: KernelName) -> KernelChoice:
        row = row_of(name)
        kernel = Kernel(
            name,
            degree=int(self.degree) if "degree" in row.parameters else 0,
            coef0=float(self.coef0) if "coef0" in row.parameters else 0.0,
        )
        if "gamma" not in row.parameters:
            return KernelChoice(kernel)
        if row.argument == "product":
            assert self.poly_gamma_ is not None
            return KernelChoice(kernel._replace(gamma=self.poly_gamma_))
        assert self.gamma_range_ is not None
        low, middle, high = self.gamma_range_
        drawn = isinstance(self.gamma, list | tuple) or self.gamma in DRAWN
        widths = (low, high) if drawn else None
        return KernelChoice(
            kernel._replace(gamma=middle), widths, by_logarithm=self.gamma == LOG_RANDOM
        )

    def _remembered(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return the function, made to take what it can from `memory`."""
        remembered: Callable[..., Any] = check_memory(self.memory).cache(
            function, ignore=["training"]
        )
        return remembered

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
            message = (
                f"{type(self).__name__}: a machine stopped at a violation of "
                f"{self.certificate_:.3g}, tol = {self.tol:g}"
            )
            warnings.warn(message, ConvergenceWarning, stacklevel=3)

    def _queries(self, X: Any) -> Iterator[Rows]:
        """Yield the validated rows in blocks, as the members take them; sparse ones made dense."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, accept_sparse="csr", reset=False)
        for block in blocks(X.shape[0]):
            yield Rows(dense_rows(X[block]), self._centre)

    def __sklearn_tags__(self) -> Tags:
        """Return scikit-learn's tags: sparse too."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _is_range(pair: Sequence[Any]) -> bool:
    return (
        len(pair) == 2
        and all(isinstance(width, Real) for width in pair)
        and 0.0 < pair[0] <= pair[1] < np.inf
    )


def interleaved(runs: Sequence[Any]) -> list[Any]:
    """Return the runs' first entries, then the second ones, and so on; some may be shorter."""
    longest = max(len(run) for run in runs)
    return [run[t] for t in range(longest) for run in runs if t < len(run)]
