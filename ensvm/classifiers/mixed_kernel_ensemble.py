"""What the mixed-kernel ensembles (ECDA-13) share: parameters, kernels, seeds, evaluation."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, Self, TypeAlias

import joblib
import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted, check_memory

from ensvm.classifiers.base import (
    CLASS_WEIGHT,
    Classifier,
    class_costs,
    coded_labels,
    dense,
    drawn_seed,
    validated,
    warn_caller,
)
from ensvm.classifiers.kernel_machines import (
    BLOCK,
    KernelMachine,
    MachineEvaluator,
    renumbered,
    standardised_columns,
    standardised_inputs,
    train_machine,
)
from ensvm.classifiers.shared_docs import documented
from ensvm.classifiers.sklearn_private import HasMethods, Interval, StrOptions, fit_context
from ensvm.kernels import KERNELS, resolve_gamma
from ensvm.kernels.augmented_rows import Rows
from ensvm.kernels.gram_matrix import dense_rows, slices
from ensvm.kernels.named_kernels import Kernel, WidthRange, kernel_row, sigest
from ensvm.seeds import seed_of

Spacing: TypeAlias = Literal["width", "logarithm", "inverse"]  # what of a width is uniform
DRAWN: dict[str, Spacing] = {
    "sigest-random": "width",
    "sigest-log-random": "logarithm",
    "sigest-inverse-random": "inverse",
}
RANGES = ("sigest", *DRAWN)
COPIES = 2.5  # of the rows: as they are, and augmented in float64 and in float32


@dataclass(frozen=True, eq=False)
class TrainingSet:
    """The n training rows sorted by class, and what all members draw on."""

    order: NDArray[np.intp]
    """The row number of each row in the input."""
    rows: Rows
    codes: NDArray[np.intp]
    """Their classes, ascending."""
    class_counts: NDArray[np.intp]
    """The number of rows of each class."""
    standardised: NDArray[np.bool_] | None
    """The columns that each machine standardises; None for none."""
    entropy: int
    """What the seeds of the members are hashed from."""
    content: str
    """A hash of inputs, labels and what is standardised; empty without a memory."""


@dataclass(frozen=True)
class KernelChoice:
    """A kernel with the width of all members, or the range from which each draws its own."""

    kernel: Kernel
    widths: tuple[float, float] | None = None
    uniform: Spacing = "width"

    def draw(self, rng: np.random.Generator) -> Kernel:
        """Return the kernel of the next machine."""
        if self.widths is None:
            return self.kernel
        low, high = self.widths
        if self.uniform == "logarithm":
            gamma = np.exp(rng.uniform(*np.log(self.widths)))
        elif self.uniform == "inverse":
            gamma = 1.0 / rng.uniform(1.0 / high, 1.0 / low)
        else:
            gamma = rng.uniform(low, high)
        return self.kernel._replace(gamma=float(gamma))


@dataclass(frozen=True, eq=False)
class MemberPlan:
    """All that decides what a member becomes, beside its number: equal plans, equal members.

    `content` and `entropy` are those of the `TrainingSet`; the others are parameters.
    """

    content: str
    entropy: int
    kernels: tuple[KernelChoice, ...]
    sample_size: int
    C: float
    tol: float
    max_iter: int
    costs: NDArray[np.float64] | None
    """By how much the rows of each class count more; None for 1."""

    def trained(
        self,
        training: TrainingSet,
        sample: NDArray[np.intp],
        counts: NDArray[np.intp],
        kernel: Kernel,
        **settings: Any,
    ) -> KernelMachine:
        """Return the machine of a sample; the arguments are those of `train_machine`."""
        return train_machine(
            training.rows,
            training.codes,
            sample,
            counts,
            kernel,
            C=self.C,
            tol=self.tol,
            columns=training.standardised,
            max_iter=self.max_iter,
            **settings,
        )


@documented
@dataclass(eq=False, repr=False)
class MixedKernelEnsemble(Classifier):
    """Base of the classifiers that join small soft-margin machines of several kernels.

    Each machine is trained on few of the rows. What a machine becomes depends on the training set,
    its kernel, its number and the seed, never on the machines it is joined with.

    Parameters
    ----------
    kernels : sequence of {KERNEL_NAMES}, default ('poly', 'rbf')
        The kernels of the machines, each at most once: KERNEL_FORMULAS. The factor gamma of 'poly'
        is `poly_gamma`.
    max_samples : int or None, default 300
        The number of rows drawn for a machine, at least 1, but never more than there are; None for
        as many as there are.
    C : float, default 1.0
        The upper bound of the coefficients of each machine, a positive number. The paper prints
        none; 1 is what LIBSVM and the R package e1071 take.
    gamma : float, pair of floats or str, default 'sigest'
        The factor in 'rbf' and 'laplacian', a positive number, the lowest and the highest one
        between which each machine draws its own uniformly, or a name. 'sigest' is 1 over the median
        squared distance between pairs of training rows drawn at random, for 'laplacian' over the
        median of sum_j |x_j - z_j|; 'sigest-random' is drawn anew for each
        machine, uniformly between 1 over the 0.9 quantile and 1 over the 0.1 quantile of these
        distances, as in the paper; for 'sigest-log-random' the logarithm is uniform, for
        'sigest-inverse-random' 1 / gamma. With scale='machine' these rows are standardised as one
        sample. 'mean-distance' is 1 over the mean squared distance of the training rows to their
        mean; 'scale' is 1 / (n_features Var(X)) and 'auto' 1 / n_features, as in scikit-learn.
    poly_gamma : float or {'auto', 'scale', 'mean-distance'}, default 'auto'
        The factor in 'poly', a positive number or one of the names above. 'auto' is what the R
        package e1071 puts before the inner product and the paper does not print; 1.0 is the kernel
        as printed.
    degree : int, default 3
        The degree of 'poly', at least 0; the paper does not print its value.
    coef0 : float, default 1.0
        The constant of 'poly'; the paper does not print its value.
    scale : {'machine'} or None, default None
        With 'machine' each machine standardises its inputs by the mean and standard deviation (ddof
        1) of its own sample, as `svm` of the R package e1071 does by default (its `scale = TRUE`).
        As there, a sample in which a column is constant is taken as it is, all columns of it.
        Columns that have two values in training, such as the indicators of a nominal attribute, are
        neither scaled nor looked at. None takes all inputs as they are.
    tol : float, default 1e-3
        The violation of the optimality conditions at which a machine's training ends, a positive
        number, as in LIBSVM.
    max_iter : int, default 500_000
        The most steps of sequential minimal optimization for a pair of classes, at least 0.
        Machines on inputs that are not scaled can need them all; the first one gives a
        `ConvergenceWarning`, before the others are trained. Linear machines with fewer columns than
        rows need no such limit: interior points solve them from 600 rows on, and below that where
        these steps were not enough.
    memory : None, str or object with a `cache` method, default None
        Where machines are kept, and from where later fits on the same rows with the same parameters
        and seed take them: a folder, as for `joblib.Memory`, or an object with the `cache` method
        of that class. The fitted ensemble is the same with it or without.

    Attributes
    ----------
    estimator_kernels_ : list of str
        The kernel of each machine.
    support_ : ndarray of int, shape (n_support,)
        The row numbers of the training rows that some machine needs.
    gamma_ranges_ : dict of WidthRange
        The lowest, the middle and the highest factor that 'sigest' finds, for 'rbf' and
        'laplacian' if they are among the kernels; three times the same if `gamma` is another
        number or name.
    poly_gamma_ : float or None
        The number that `poly_gamma` stands for; None without 'poly'.
    certificate_ : float
        The largest violation of the optimality conditions of any machine, in units of y f(x).
    n_iter_ : int
        The number of steps of the solver, all machines together.
    """

    kernels: Sequence[str] = ("poly", "rbf")
    _: KW_ONLY
    n_estimators: int = 50
    max_samples: int | None = 300
    C: float = 1.0
    gamma: float | str | list[float] | tuple[float, float] = "sigest"
    poly_gamma: float | str = "auto"
    degree: int = 3
    coef0: float = 1.0
    scale: Literal["machine"] | None = None
    class_weight: dict[Any, float] | Literal["balanced"] | None = None
    tol: float = 1e-3
    max_iter: int = 500_000
    memory: Any = None
    random_state: int | np.random.RandomState | None = None

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

    @abstractmethod
    def _train(self, training: TrainingSet) -> list[list[KernelMachine]]:
        """Return the machines of each run, one list a run, through `_watched`."""

    @abstractmethod
    def _scores(self, X: Any) -> NDArray[np.float64]:
        """Return the score of each class at each row, shape (n, n_classes)."""

    @abstractmethod
    def _classes_by_stage(self, X: Any) -> Iterable[NDArray[np.integer]]:
        """Yield the class index that the first t machines predict for each row, shape (n,)."""

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: ArrayLike) -> Self:
        """Fit to training rows and their labels.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The training rows; sparse ones are made dense.
        y : array-like of shape (n_samples,)
            Their labels, of two classes or more.

        Returns
        -------
        self : classifier
            The fitted ensemble.

        Raises
        ------
        ValueError
            For one class only, kernels that are unknown or given twice, inputs or kernel values
            beyond float32, or a parameter out of range.
        """
        training = self._prepare(X, y)
        self._keep(interleaved(self._train(training)), training)
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class with the largest score, the first in sorted order among equals.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n, n_features)
            The rows to predict.

        Returns
        -------
        ndarray of shape (n,)
            The class of each row.
        """
        scores = self._scores(X)
        return self.classes_[scores.argmax(axis=1)]

    def staged_predict(self, X: Any) -> Iterator[NDArray[Any]]:
        """Yield the classes that the first t machines predict, for t = 1, ..., n_machines.

        Yields
        ------
        ndarray of shape (n,)
            The class of each row.
        """
        for classes in self._classes_by_stage(X):
            yield self.classes_[classes]

    def _prepare(self, X: Any, y: ArrayLike) -> TrainingSet:
        """Validate the input and set what depends on it alone: classes, widths of the kernels."""
        X, y = validated(self, X, y, dtype=np.float64, accept_sparse="csr", order="C")
        X = dense(X, COPIES, type(self).__name__)
        self.classes_, codes = coded_labels(y, type(self).__name__)
        entropy = drawn_seed(self.random_state)
        order = np.argsort(codes, kind="stable")
        rows = Rows(X[order], X.mean(axis=0))
        columns = None if self.scale is None else standardised_columns(X)
        self._resolve_widths(
            X if columns is None else standardised_inputs(X, columns), seed_of(entropy, "sigest")
        )
        return TrainingSet(
            order,
            rows,
            codes[order],
            class_counts=np.bincount(codes),
            standardised=columns,
            entropy=entropy,
            content="" if self.memory is None else joblib.hash([X, codes, columns]),
        )

    def _refusals(self) -> Iterator[str]:
        yield from super()._refusals()
        names = list(self.kernels)
        unknown = [name for name in names if name not in KERNELS]
        if unknown or not names or len(set(names)) < len(names):
            yield (
                f"kernels must name one or more of {', '.join(KERNELS)}, each at most once, "
                f"got {self.kernels!r}"
            )
        if isinstance(self.gamma, list | tuple) and not _is_range(self.gamma):
            yield (
                "gamma as a pair must be the lowest and the highest width, positive numbers, "
                f"got {self.gamma!r}"
            )

    def _resolve_widths(self, X: NDArray[np.float64], seed: Any) -> None:
        """Set the numbers that `gamma` and `poly_gamma` stand for, where a kernel reads them."""
        of_a_width = [name for name in self.kernels if "gamma" in kernel_row(name).parameters]
        arguments = {kernel_row(name).argument for name in of_a_width}
        self.poly_gamma_ = resolve_gamma(self.poly_gamma, X) if "product" in arguments else None
        self.gamma_ranges_: dict[str, WidthRange] = {
            # Each kernel has its own generator: its width does not depend on the other kernels.
            name: self._width_range(X, np.random.default_rng(seed), name)
            for name in of_a_width
            if kernel_row(name).argument != "product"
        }

    def _width_range(
        self, X: NDArray[np.float64], rng: np.random.Generator, name: str
    ) -> WidthRange:
        """Return the widths that `gamma` stands for with one kernel of distances."""
        if isinstance(self.gamma, list | tuple):
            low, high = map(float, self.gamma)
            return WidthRange(low, (low + high) / 2.0, high)
        if self.gamma in RANGES:
            return sigest(X, rng=rng, kernel=name)
        return WidthRange(*[resolve_gamma(self.gamma, X, kernel=name)] * 3)

    def _plan(self, training: TrainingSet, names: Sequence[str]) -> MemberPlan:
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
            None
            if self.class_weight is None
            else class_costs(self.class_weight, self.classes_, training.codes),
        )

    def _kernel_choice(self, name: str) -> KernelChoice:
        row = kernel_row(name)
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
        low, middle, high = self.gamma_ranges_[name]
        uniform = "width" if isinstance(self.gamma, list | tuple) else DRAWN.get(str(self.gamma))
        if uniform is None:
            return KernelChoice(kernel._replace(gamma=middle))
        return KernelChoice(kernel._replace(gamma=middle), (low, high), uniform)

    def _remembered(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return the function, made to take what it can from `memory`."""
        return check_memory(self.memory).cache(function, ignore=["training"])

    def _watched(self, machines: Iterable[KernelMachine]) -> list[KernelMachine]:
        """Return the machines; warn at the first that is cut short, as others will take as long."""
        made: list[KernelMachine] = []
        warned = False
        for machine in machines:
            made.append(machine)
            if machine.certificate > self.tol and not warned:
                warned = True
                message = (
                    f"{type(self).__name__}: a machine stopped at a violation of "
                    f"{machine.certificate:.3g}, tol = {self.tol:g}"
                )
                if self.scale is None:
                    message += (
                        ". Columns of different scales take most steps: divide each by its "
                        "standard deviation (StandardScaler), or set scale='machine'; or raise "
                        "max_iter"
                    )
                warn_caller(message, ConvergenceWarning)
        return made

    def _keep(self, machines: Sequence[KernelMachine], training: TrainingSet) -> None:
        """Set the fitted members and what is known about them."""
        self.estimators_: list[KernelMachine]
        self.estimators_, needed = renumbered(machines)
        self.estimator_kernels_ = [machine.kernel.name for machine in machines]
        self.support_ = training.order[needed]
        self.certificate_ = max(machine.certificate for machine in machines)
        self.n_iter_ = sum(machine.n_iter for machine in machines)
        self._centre = training.rows.centre
        self._evaluator = MachineEvaluator(self.estimators_, training.rows.take(needed))

    def _queries(self, X: Any) -> Iterator[Rows]:
        """Yield the validated rows in blocks, as the members take them; sparse ones made dense."""
        check_is_fitted(self)
        X = validated(self, X, dtype=np.float64, accept_sparse="csr", reset=False)
        for block in slices(X.shape[0], BLOCK):
            yield Rows(dense_rows(X[block]), self._centre)


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
