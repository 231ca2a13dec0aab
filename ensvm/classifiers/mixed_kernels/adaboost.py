"""The boosted mixed-kernel ensembles of Stork, Ramos, Koch & Konen (ECDA-13)."""

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import _fit_context
from sklearn.utils._param_validation import StrOptions

from ensvm.classifiers.mixed_kernels.ensemble import (
    MemberPlan,
    MixedKernelEnsemble,
    TrainingSet,
    interleaved,
)
from ensvm.classifiers.mixed_kernels.evaluator import MachineEvaluator, blocks
from ensvm.classifiers.mixed_kernels.machines import KernelMachine, train_machine
from ensvm.kernels.augmented_rows import KernelName
from ensvm.seeds import seed_of
from ensvm.solvers.boosting import BoostingResult, Round, multiclass_adaboost
from ensvm.solvers.sequential_minimal_optimization import MAX_ITER

# Draws for a round before boosting ends: one that misses classes is bad luck, ten in a row are not
MAX_ATTEMPTS = 10


class MixedKernelAdaBoost(MixedKernelEnsemble):
    """Multi-class AdaBoost over small soft-margin machines of one or several kernels.

    Boosting trains machines one after the other. Each round draws `max_samples` training rows with
    replacement by the present row weights, trains a machine on them, and takes its error and the
    new weights, which are larger for the rows it gets wrong, from all training rows. In the end the
    machines vote, with a weight alpha that is larger for a smaller error. Different kernels make
    different mistakes, so that machines of several kernels may correct one another.

    A machine no better than chance is dropped and another is drawn, up to ten times, then the run
    ends; a machine without error gets a large but finite weight and the run goes on. The paper says
    nothing of either. A sample that holds one class only gives the machine that always predicts it.

    Parameters
    ----------
    kernels : sequence of {'linear', 'poly', 'rbf'}, default ('poly', 'rbf')
        The kernels of the machines, each at most once: 'linear' is <x, z>, 'poly' is (poly_gamma
        <x, z> + coef0)^degree and 'rbf' is exp(-gamma |x - z|^2).
    scheme : {'combined', 'mixed', 'pure'}, default 'combined'
        'combined' makes a boosting run for each kernel, whose machines are joined with the weights
        they have; 'mixed' makes one run, the kernel of every round drawn at random; 'pure' makes
        one run of the only kernel.
    n_estimators : int, default 50
        The number of rounds of each run, at least 1: 'combined' has up to len(kernels) *
        n_estimators machines.
    max_samples : int or None, default 300
        The number of rows drawn for a machine, at least 1, but never more than there are; None for
        as many as there are.
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
        What multiplies the weights that the rows of each class start from: label -> weight, a
        positive number, with 1 for a class that is not named; 'balanced' is n_samples / (n_classes
        * rows of the class); None is 1 for all. As if rows were repeated so often, it changes the
        samples drawn and the machines' errors.
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
        Seeds the samples. Equal ints give the run of a kernel the same machines, whatever kernels
        it is combined with.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes in sorted order.
    estimators_ : list of KernelMachine
        The first machine of every run, then the second, and so on. Their `support` are positions in
        `support_`, their `classes` positions in `classes_`.
    estimator_kernels_ : list of str
        The kernel of each machine.
    estimator_weights_ : ndarray of shape (n_machines,)
        The weight alpha of each machine in the vote.
    estimator_errors_ : ndarray of shape (n_machines,)
        The weighted training error of each machine in its round.
    stop_reasons_ : list of str
        Why each run ended: 'n_rounds' or 'no_better_than_random'.
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
        The number of steps of the solver, all machines together.
    n_features_in_ : int
        The number of features seen in `fit`.
    feature_names_in_ : ndarray of str, shape (n_features_in_,)
        The names of the columns; only where X is a DataFrame whose column names are all strings.

    References
    ----------
    Stork, Ramos, Koch & Konen, SVM ensembles are better when different kernel types are combined,
    ECDA 2013, section 2.3 and Algorithm 1.

    Examples
    --------
    Two boosting runs, one for each kernel, vote together:

    >>> from sklearn.datasets import load_iris
    >>> from ensvm import MixedKernelAdaBoost
    >>> X, y = load_iris(return_X_y=True)
    >>> ensemble = MixedKernelAdaBoost(n_estimators=3, max_samples=60, random_state=0).fit(X, y)
    >>> ensemble.estimator_kernels_
    ['poly', 'rbf', 'poly', 'rbf', 'poly', 'rbf']
    >>> bool(ensemble.score(X, y) > 0.9)
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **MixedKernelEnsemble._parameter_constraints,
        "scheme": [StrOptions({"pure", "mixed", "combined"})],
    }

    def __init__(
        self,
        kernels: Sequence[KernelName] = ("poly", "rbf"),
        *,
        scheme: Literal["pure", "mixed", "combined"] = "combined",
        n_estimators: int = 50,
        max_samples: int | None = 300,
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
        self.scheme = scheme
        self.n_estimators = n_estimators
        self.max_samples = max_samples
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
        MixedKernelAdaBoost
            The fitted ensemble.

        Raises
        ------
        ValueError
            For one class only, kernels that are unknown, given twice or too many for the
            scheme, inputs or kernel values beyond float32, or a parameter out of range.
        """
        if self.scheme == "pure" and len(self.kernels) > 1:
            raise ValueError(f"scheme 'pure' takes one kernel, got kernels = {self.kernels!r}")
        training = self._prepare(X, y)
        together = (
            [list(self.kernels)] if self.scheme == "mixed" else [[name] for name in self.kernels]
        )
        run_of = self._remembered(boosted_run)
        runs: list[BoostingResult] = [
            run_of(training, self._plan(training, names), self.n_estimators) for names in together
        ]
        self.estimator_weights_ = np.array(interleaved([run.weights for run in runs]))
        self.estimator_errors_ = np.array(interleaved([run.errors for run in runs]))
        self.stop_reasons_ = [run.stop_reason for run in runs]
        self._keep(interleaved([run.learners for run in runs]), training)
        return self

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return each class's share of the votes weighted by alpha.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n, n_classes)
            The shares of each row, in [0, 1]. With two classes the second's share less the first's,
            of shape (n,), in [-1, 1].
        """
        codes = self._member_codes(X)
        n = codes.shape[1]
        cells = codes.astype(np.intp) * n + np.arange(n)
        votes = np.bincount(
            cells.ravel(), np.repeat(self.estimator_weights_, n), minlength=self.classes_.size * n
        )
        return _shares(
            votes.reshape(-1, n).astype(np.float64, copy=False),
            self.estimator_weights_.cumsum()[-1],
        )

    def staged_decision_function(self, X: Any) -> Iterator[NDArray[np.float64]]:
        """Yield the decision function of the first t machines, for t = 1, ..., n_machines.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n, n_features)
            The rows.

        Yields
        ------
        ndarray of shape (n, n_classes) or (n,)
            The shares of the classes in the votes, or the difference of the two with two classes,
            after one more machine.
        """
        codes = self._member_codes(X)
        votes = np.zeros((self.classes_.size, codes.shape[1]))
        columns = np.arange(codes.shape[1])
        totals = self.estimator_weights_.cumsum()
        for chosen, weight, total in zip(codes, self.estimator_weights_, totals, strict=True):
            votes[chosen, columns] += weight
            yield _shares(votes, total)

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class with the largest share, the first in sorted order among equals.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n,)
            The class of each row.
        """
        return self._classes_of(self.decision_function(X))

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
        for decision in self.staged_decision_function(X):
            yield self._classes_of(decision)

    def _member_codes(self, X: Any) -> NDArray[np.int16]:
        """Return the codes of the classes that the machines predict, shape (n_machines, n)."""
        return np.concatenate(
            [self._evaluator.codes(queries) for queries in self._queries(X)], axis=1
        )

    def _classes_of(self, decision: NDArray[np.float64]) -> NDArray[Any]:
        winner = (decision > 0.0).astype(int) if decision.ndim == 1 else decision.argmax(axis=1)
        return self.classes_[winner]


def boosted_run(training: TrainingSet, plan: MemberPlan, n_rounds: int) -> BoostingResult:
    """Return one boosting run of at most `n_rounds` machines; their kernels are drawn.

    Parameters
    ----------
    training : TrainingSet
        The rows, of which `plan.content` is the hash.
    plan : MemberPlan
        What decides the machines.
    n_rounds : int
        The largest number of machines.

    Returns
    -------
    BoostingResult
        Its learners are `KernelMachine`s.
    """
    n = len(training.rows)
    training_blocks = [training.rows.take(block) for block in blocks(n)]
    names = [choice.kernel.name for choice in plan.kernels]

    def learn(current: Round) -> tuple[KernelMachine, NDArray[np.intp]]:
        place = len(current.weights), current.attempt
        rng = np.random.default_rng(seed_of(plan.entropy, "boosting", names, *place))
        kernel = plan.kernels[rng.integers(len(names))].draw(rng)
        drawn = rng.choice(n, plan.sample_size, p=current.sample_weight)
        counts = np.bincount(drawn, minlength=n)
        sample = np.flatnonzero(counts)
        machine = train_machine(
            training.rows,
            training.codes,
            sample,
            counts[sample],
            kernel,
            C=plan.C,
            tol=plan.tol,
            standardised=training.standardised,
            max_iter=plan.max_iter,
        )
        evaluator = MachineEvaluator([machine], training.rows)
        return machine, np.concatenate([evaluator.codes(block)[0] for block in training_blocks])

    n_classes = training.class_counts.size
    start = None if plan.costs is None else plan.costs[training.codes]
    return multiclass_adaboost(
        training.codes,
        n_classes,
        n_rounds,
        learn,
        start=None if start is None else start / start.sum(),
        max_attempts=MAX_ATTEMPTS,
    )


def _shares(votes: NDArray[np.float64], total: float) -> NDArray[np.float64]:
    """Return the decision function from the classes' votes, shape (n_classes, n)."""
    shares = votes.T / total
    return shares[:, 1] - shares[:, 0] if len(votes) == 2 else shares
