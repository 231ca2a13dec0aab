"""The bagged mixed-kernel ensembles of Stork, Ramos, Koch & Konen (ECDA-13)."""

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import _fit_context
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.metaestimators import available_if

from ensvm.classifiers.mixed_kernels.ensemble import (
    MemberPlan,
    MixedKernelEnsemble,
    TrainingSet,
    interleaved,
)
from ensvm.classifiers.mixed_kernels.machines import KernelMachine, train_machine
from ensvm.kernels.augmented_rows import KernelName, Rows
from ensvm.seeds import seed_of
from ensvm.solvers.one_vs_one import one_hot, winners
from ensvm.solvers.platt_scaling import class_probabilities
from ensvm.solvers.sequential_minimal_optimization import MAX_ITER


def _sums_probabilities(ensemble: Any) -> bool:
    return bool(ensemble.voting == "probability")


class MixedKernelBagging(MixedKernelEnsemble):
    """Bagging of soft-margin machines of one or several kernels on small stratified samples.

    Each machine is trained on its own random sample of the training rows, and all of them vote. The
    samples are small, so that training is fast, and different, so that the machines make different
    mistakes, which the vote evens out; machines of several kernels differ more.

    A sample has the classes in the proportions of the training rows and is drawn within each class,
    with replacement by default: the paper draws "uniformly with replacement" in its section 2.2 and
    takes "small stratified samples" in Table 2. Copies of a row are never on both sides of the
    cross-validation behind the probabilities.

    Parameters
    ----------
    kernels : sequence of {'linear', 'poly', 'rbf'}, default ('poly', 'rbf')
        The kernels of the machines, each at most once: 'linear' is <x, z>, 'poly' is (poly_gamma
        <x, z> + coef0)^degree and 'rbf' is exp(-gamma |x - z|^2).
    n_estimators : int, default 50
        The number of machines of each kernel, at least 1: there are len(kernels) * n_estimators.
    max_samples : int or None, default 300
        The number of rows drawn for a machine, at least 1, but never more than there are; None for
        as many as there are.
    bootstrap : bool, default True
        Whether rows are drawn with replacement, as the paper says, or without it. The only machine
        of max_samples=None drawn without is the single one on all training rows.
    voting : {'probability', 'majority'}, default 'probability'
        'probability' predicts the class with the largest sum of class probabilities, which are
        found by Platt scaling and pairwise coupling as in LIBSVM; 'majority' the class with the
        most votes. Among equals the first class in sorted order wins (the paper breaks ties at
        random).
    C : float, default 1.0
        The upper bound of the coefficients of each machine, a positive number. The paper prints
        none; 1 is what LIBSVM and the R package e1071 take.
    gamma : float, pair of floats or str, default 'sigest'
        The factor in 'rbf', a positive number, the lowest and the highest one between which each
        machine draws its own uniformly, or a name. 'sigest' is 1 over the median squared
        distance between pairs of training rows drawn at random; 'sigest-random' is drawn anew for
        each machine, uniformly between 1 over the 0.9 quantile and 1 over the 0.1 quantile of these
        distances, as in the paper; for 'sigest-log-random' the logarithm is uniform. With
        scale='machine' these rows are standardised as one sample. 'mean-distance' is 1 over the
        mean squared distance of the training rows to their mean; 'scale' is 1 / (n_features Var(X))
        and 'auto' 1 / n_features, as in scikit-learn.
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
    class_weight : dict, 'balanced' or None, default None
        What multiplies C for the rows of each class: label -> weight, a positive number, with 1 for
        a class that is not named; 'balanced' is n_samples / (n_classes * rows of the class); None
        is 1 for all. The rows count as much in the sigmoids of voting='probability', which would
        undo the weights otherwise.
    tol : float, default 1e-3
        The violation of the optimality conditions at which a machine's training ends, a positive
        number, as in LIBSVM.
    max_iter : int, default 10_000_000
        The most steps of a machine's training for a pair of classes, at least 0; the default is
        LIBSVM's. Linear machines on inputs that are not scaled can need them all.
    memory : None, str or object with a `cache` method, default None
        Where machines are kept, and from where later fits on the same rows with the same parameters
        and seed take them: a folder, as for `joblib.Memory`, or an object with the `cache` method
        of that class. The fitted ensemble is the same with it or without.
    random_state : int, RandomState or None, default None
        Seeds the samples. Equal ints give a kernel the same machines, whatever kernels it is joined
        with; the machines of a smaller ensemble are the first of a larger one.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes in sorted order.
    estimators_ : list of KernelMachine
        The first machine of every kernel, then the second, and so on. Their `support` are positions
        in `support_`, their `classes` positions in `classes_`.
    estimator_kernels_ : list of str
        The kernel of each machine.
    support_ : ndarray of int, shape (n_support,)
        The row numbers of the training rows that some machine needs.
    gamma_range_ : WidthRange or None
        The lowest, the middle and the highest factor of 'rbf' that 'sigest' finds; three times the
        same if `gamma` is another number or name. None without that kernel.
    poly_gamma_ : float or None
        The number that `poly_gamma` stands for; None without 'poly'.
    certificate_ : float
        The largest violation of the optimality conditions of any machine, in units of y f(x).
    n_iter_ : int
        The number of steps of the solver, all machines together, cross-validation not counted.
    n_features_in_ : int
        The number of features seen in `fit`.
    feature_names_in_ : ndarray of str, shape (n_features_in_,)
        The names of the columns; only where X is a DataFrame whose column names are all strings.

    References
    ----------
    Stork, Ramos, Koch & Konen, SVM ensembles are better when different kernel types are combined,
    ECDA 2013, section 2.2.

    Examples
    --------
    The mean of the machines' probabilities is largest for the class predicted:

    >>> from sklearn.datasets import load_iris
    >>> from ensvm import MixedKernelBagging
    >>> X, y = load_iris(return_X_y=True)
    >>> ensemble = MixedKernelBagging(n_estimators=3, max_samples=60, random_state=0).fit(X, y)
    >>> probabilities = ensemble.predict_proba(X)
    >>> probabilities.shape
    (150, 3)
    >>> bool((probabilities.argmax(axis=1) == ensemble.predict(X)).all())
    True
    >>> bool(ensemble.score(X, y) > 0.9)
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **MixedKernelEnsemble._parameter_constraints,
        "bootstrap": ["boolean"],
        "voting": [StrOptions({"probability", "majority"})],
    }

    def __init__(
        self,
        kernels: Sequence[KernelName] = ("poly", "rbf"),
        *,
        n_estimators: int = 50,
        max_samples: int | None = 300,
        bootstrap: bool = True,
        voting: Literal["probability", "majority"] = "probability",
        C: float = 1.0,
        gamma: float | str | list[float] | tuple[float, float] = "sigest",
        poly_gamma: float | str = "auto",
        degree: int = 3,
        coef0: float = 1.0,
        scale: Literal["machine"] | None = None,
        class_weight: dict[Any, float] | Literal["balanced"] | None = None,
        tol: float = 1e-3,
        max_iter: int = MAX_ITER,
        memory: Any = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.kernels = kernels
        self.n_estimators = n_estimators
        self.max_samples = max_samples
        self.bootstrap = bootstrap
        self.voting = voting
        self.C = C
        self.gamma = gamma
        self.poly_gamma = poly_gamma
        self.degree = degree
        self.coef0 = coef0
        self.scale = scale
        self.class_weight = class_weight
        self.tol = tol
        self.max_iter = max_iter
        self.memory = memory
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)
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
        MixedKernelBagging
            The fitted ensemble.

        Raises
        ------
        ValueError
            For one class only, kernels that are unknown or given twice, inputs or kernel values
            beyond float32, or a parameter out of range.
        """
        training = self._prepare(X, y)
        machine_of = self._remembered(bagged_machine)
        plans = [self._plan(training, [name]) for name in self.kernels]
        members = [
            [
                machine_of(training, plan, self.bootstrap, self.voting, t)
                for t in range(self.n_estimators)
            ]
            for plan in plans
        ]
        self._keep(interleaved(members), training)
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class with the largest sum of probabilities or votes.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n,)
            The class of each row.
        """
        scores = self._scores(X)
        return self.classes_[scores.argmax(axis=1)]

    @available_if(_sums_probabilities)
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the machines' mean probability of each class; only with voting='probability'.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n, n_classes)
            The probabilities of each row, of sum 1.
        """
        return self._scores(X)

    def staged_predict(self, X: Any) -> Iterator[NDArray[Any]]:
        """Yield the classes that the first t machines predict, for t = 1, ..., n_machines.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n, n_features)
            The rows.

        Yields
        ------
        ndarray of shape (n,)
            The class of each row.
        """
        stages = np.concatenate(
            [self._stage_codes(queries) for queries in self._queries(X)], axis=1
        )
        for codes in stages:
            yield self.classes_[codes]

    def _stage_codes(self, queries: Rows) -> NDArray[np.int16]:
        """Return the codes predicted after each machine, shape (n_machines, n)."""
        scores = np.zeros((len(self.estimators_), self.classes_.size, len(queries)))
        for index, classes, values in self._member_scores(queries):
            scores[index, classes] = values
        return scores.cumsum(axis=0).argmax(axis=1).astype(np.int16)

    def _scores(self, X: Any) -> NDArray[np.float64]:
        """Return the mean probabilities, or the shares of the votes, shape (n, n_classes)."""
        means = []
        for queries in self._queries(X):
            total = np.zeros((self.classes_.size, len(queries)))
            for _, classes, values in self._member_scores(queries):
                total[classes] += values
            means.append(total.T / len(self.estimators_))
        return np.concatenate(means)

    def _member_scores(self, queries: Rows) -> Iterator[tuple[int, Any, NDArray[Any]]]:
        """Yield each machine's index, an index of its k classes and their scores, in any order.

        The scores are probabilities or votes, shape (k, n).
        """
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


def bagged_machine(
    training: TrainingSet, plan: MemberPlan, bootstrap: bool, voting: str, t: int
) -> KernelMachine:
    """Return machine number t of the only kernel of the plan.

    Parameters
    ----------
    training : TrainingSet
        The rows, of which `plan.content` is the hash.
    plan : MemberPlan
        What decides the machine.
    bootstrap : bool
        Whether its rows are drawn with replacement.
    voting : {'probability', 'majority'}
        With the former the machine has sigmoids.
    t : int
        Its number, from 0.

    Returns
    -------
    KernelMachine
        The machine, its `support` positions in `training.rows`.
    """
    (choice,) = plan.kernels
    rng = np.random.default_rng(seed_of(plan.entropy, "bagging", choice.kernel.name, t))
    kernel = choice.draw(rng)
    class_counts = training.class_counts
    strata = strata_sizes(class_counts, plan.sample_size)
    drawn = [
        rng.integers(end - count, end, size)
        if bootstrap
        else end - count + rng.choice(count, size, replace=False)
        for end, count, size in zip(class_counts.cumsum(), class_counts, strata, strict=True)
    ]
    sample, counts = np.unique(np.concatenate(drawn), return_counts=True)
    order = rng.permutation(sample.size) if voting == "probability" else None
    return train_machine(
        training.rows,
        training.codes,
        sample,
        counts,
        kernel,
        C=plan.C,
        tol=plan.tol,
        standardised=training.standardised,
        order=order,
        max_iter=plan.max_iter,
        costs=plan.costs,
    )


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
