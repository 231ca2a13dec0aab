"""The bagged mixed-kernel ensembles of support vector machines of Stork, Ramos, Koch & Konen (ECDA-13)."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import _fit_context
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.metaestimators import available_if

from ensvm.classifiers.mixed_kernels.ensemble import MixedKernelEnsemble, TrainingSet, interleaved
from ensvm.classifiers.mixed_kernels.machines import KernelMachine, train_machine
from ensvm.kernels.augmented_rows import KernelName, Rows
from ensvm.seeds import seed_of
from ensvm.solvers.pairwise.one_vs_one import one_hot, winners
from ensvm.solvers.pairwise.platt_scaling import class_probabilities


def _sums_probabilities(ensemble: Any) -> bool:
    return bool(ensemble.voting == "probability")


class MixedKernelBagging(MixedKernelEnsemble):
    """Bagging of soft-margin machines of one or several kernels, each trained on a small stratified bootstrap sample.

    A sample has the classes in their proportions (`strata_sizes`) and is drawn with replacement
    within each class: the paper draws "uniformly with replacement" in its section 2.2 and takes
    "small stratified samples" in Table 2. Copies of a row are never on both sides of the
    cross-validation behind the probabilities.

    Parameters
    ----------
    kernels : sequence of 'linear' <x, z>, 'poly' (poly_gamma <x, z> + coef0)^degree, 'rbf'
        exp(-gamma |x - z|^2), each at most once, default ('poly', 'rbf')
    n_estimators : int >= 1, default 50, machines of EACH kernel: there are `len(kernels) *
        n_estimators`
    max_samples : int >= 1 or None (as many as there are), default 300, rows drawn for a machine; no
        more than there are
    voting : 'probability' (default), the largest sum of class probabilities, by Platt scaling and
        pairwise coupling as in LIBSVM; 'majority', most votes. The first class in sorted order wins
        among equals (the paper breaks ties randomly)
    C : positive float, default 10.0. The paper prints none; 10 was identified from its accuracies
    gamma : 'sigest' (default), the middle of the range of `ensvm.kernels.widths`; 'sigest-random',
        drawn anew for each machine, uniformly from that range; or a positive float, 'scale',
        'auto', 'mean-distance'
    poly_gamma : 'auto' (default), 1 / n_features, which e1071 puts before the inner product and the
        paper does not print; or a positive float, 'scale', 'mean-distance'; 1.0 is the kernel as
        printed
    degree, coef0 : int >= 0 and float, default 3 and 1.0: d and c0, whose values the paper does not
        print
    tol : positive float, default 1e-3, LIBSVM's, the violation that ends a machine's training
    reuse_members : bool, default False; True takes machines that this process made before for the
        same rows, parameters and seed instead of training them again (for ensembles that join
        others' machines); not for timings
    random_state : int | RandomState | None, default None. Equal ints give a kernel the same
        machines, whatever kernels it is joined with; those of fewer estimators are the first of
        those of more

    Attributes
    ----------
    classes_ : array of shape (n_classes,), sorted
    estimators_ : list of KernelMachine, the first of every kernel, then the second, and so on;
        their `support` are places in `support_`, their `classes` places in `classes_`
    estimator_kernels_ : list of str
    support_ : array of shape (n_support,), the training rows that some machine needs
    gamma_range_ : WidthRange or None, the widths of the radial kernel
    poly_gamma_ : float or None, that of the polynomial one
    certificate_ : float, the largest violation of the optimality conditions of any machine, in
        units of y f(x)
    n_iter_ : int, steps of SMO, all machines together, cross-validation not counted
    n_features_in_ : int

    Reference
    ---------
    Stork, Ramos, Koch & Konen, SVM ensembles are better when different kernel types are combined,
    ECDA 2013, section 2.2.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **MixedKernelEnsemble._parameter_constraints,
        "voting": [StrOptions({"probability", "majority"})],
    }

    def __init__(
        self,
        kernels: Sequence[KernelName] = ("poly", "rbf"),
        *,
        n_estimators: int = 50,
        max_samples: int | None = 300,
        voting: Literal["probability", "majority"] = "probability",
        C: float = 10.0,
        gamma: float | str = "sigest",
        poly_gamma: float | str = "auto",
        degree: int = 3,
        coef0: float = 1.0,
        tol: float = 1e-3,
        reuse_members: bool = False,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.kernels = kernels
        self.n_estimators = n_estimators
        self.max_samples = max_samples
        self.voting = voting
        self.C = C
        self.gamma = gamma
        self.poly_gamma = poly_gamma
        self.degree = degree
        self.coef0 = coef0
        self.tol = tol
        self.reuse_members = reuse_members
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: ArrayLike) -> Self:
        """Fit to training rows X, shape (n_samples, n_features), and their labels y, shape (n_samples,), two classes or more.

        Raises ValueError for one class only, kernels that are unknown or given twice, inputs or
        kernel values beyond float32, or a parameter out of range.
        """
        training = self._prepare(X, y)
        members = [self._members(training, name) for name in self.kernels]
        self._keep(interleaved(members), training)
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class with the largest sum for each row of X, shape (n,)."""
        scores = self._scores(X)
        return self.classes_[scores.argmax(axis=1)]

    @available_if(_sums_probabilities)
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the machines' mean probability of each class, shape (n, n_classes); only with voting='probability'."""
        return self._scores(X)

    def staged_predict(self, X: Any) -> Iterator[NDArray[Any]]:
        """Yield the classes that the first t machines predict, shape (n,), for t = 1, ..., n_machines."""
        stages = np.concatenate(
            [self._stage_codes(queries) for queries in self._queries(X)], axis=1
        )
        for codes in stages:
            yield self.classes_[codes]

    def _members(self, training: TrainingSet, name: KernelName) -> list[KernelMachine]:
        """Return the machines of one kernel."""
        class_counts = np.bincount(training.codes)
        ends = class_counts.cumsum()
        strata = strata_sizes(class_counts, self._sample_size(len(training.rows)))

        def train(t: int) -> KernelMachine:
            rng = np.random.default_rng(seed_of(training.entropy, "bagging", name, t))
            kernel = self._kernel(name, rng)
            drawn = [
                rng.integers(end - count, end, size)
                for end, count, size in zip(ends, class_counts, strata, strict=True)
            ]
            sample, counts = np.unique(np.concatenate(drawn), return_counts=True)
            order = rng.permutation(sample.size) if self.voting == "probability" else None
            return train_machine(
                training.rows,
                training.codes,
                sample,
                counts,
                kernel,
                C=self.C,
                tol=self.tol,
                order=order,
            )

        return [
            self._reused(training, [name], ("bagging", self.voting, t), partial(train, t))
            for t in range(self.n_estimators)
        ]

    def _stage_codes(self, queries: Rows) -> NDArray[np.int16]:
        """Return the codes of the classes predicted after each machine, shape (n_machines, n)."""
        scores = np.zeros((len(self.estimators_), self.classes_.size, len(queries)))
        for index, classes, values in self._member_scores(queries):
            scores[index, classes] = values
        return scores.cumsum(axis=0).argmax(axis=1).astype(np.int16)

    def _scores(self, X: Any) -> NDArray[np.float64]:
        """Return the machines' mean probabilities, or their shares of the votes, shape (n, n_classes)."""
        means = []
        for queries in self._queries(X):
            total = np.zeros((self.classes_.size, len(queries)))
            for _, classes, values in self._member_scores(queries):
                total[classes] += values
            means.append(total.T / len(self.estimators_))
        return np.concatenate(means)

    def _member_scores(self, queries: Rows) -> Iterator[tuple[int, Any, NDArray[Any]]]:
        """Yield each machine's index, an index of its k classes, and their probabilities or votes, shape (k, n); in any order."""
        for index, machine in enumerate(self.estimators_):
            if len(machine.classes) == 1:
                yield index, machine.classes, np.ones((1, len(queries)))
        for index, values in self._evaluator.values(queries):
            machine = self.estimators_[index]
            k = machine.classes.size
            classes = (
                slice(None) if k == self.classes_.size else machine.classes
            )  # a slice adds several times faster
            if machine.sigmoids is None:
                yield index, classes, one_hot(winners(values, k), k)
            else:
                yield index, classes, class_probabilities(values, machine.sigmoids)


def strata_sizes(class_counts: NDArray[np.intp], size: int) -> NDArray[np.intp]:
    """Return how many rows a stratified sample of `size` has of each class, shape (n_classes,).

    They are the classes' shares of the training rows, rounded by largest remainders; every class
    has a row if `size` allows.
    """
    quotas = size * class_counts / class_counts.sum()
    sizes = np.maximum(quotas.astype(np.intp), int(size >= class_counts.size))
    while sizes.sum() < size:
        sizes[np.argmax(quotas - sizes)] += 1
    while sizes.sum() > size:  # the rows given to classes too small for one came on top
        sizes[np.argmax(np.where(sizes > 1, sizes - quotas, -np.inf))] -= 1
    return sizes
