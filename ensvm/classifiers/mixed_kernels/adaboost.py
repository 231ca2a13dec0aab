"""The boosted mixed-kernel ensembles of support vector machines of Stork, Ramos, Koch & Konen (ECDA-13)."""

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import _fit_context
from sklearn.utils._param_validation import StrOptions

from ensvm.classifiers.mixed_kernels.ensemble import MixedKernelEnsemble, TrainingSet, interleaved
from ensvm.classifiers.mixed_kernels.evaluator import MachineEvaluator, blocks
from ensvm.classifiers.mixed_kernels.machines import KernelMachine, train_machine
from ensvm.kernels.augmented_rows import KernelName
from ensvm.seeds import seed_of
from ensvm.solvers.boosting.multiclass import multiclass_adaboost
from ensvm.solvers.boosting.result import BoostingResult
from ensvm.solvers.boosting.rounds import Round

# Draws for a round before boosting ends: one that misses classes is bad luck, ten in a row are not
MAX_ATTEMPTS = 10


class MixedKernelAdaBoost(MixedKernelEnsemble):
    """Multi-class AdaBoost over soft-margin machines of one or several kernels, each trained on few rows drawn by weight.

    Each round draws `max_samples` rows with replacement by the present row weights, trains a
    machine on them, and takes its error and the new row weights from all training rows. A machine
    no better than chance is dropped and drawn again, up to MAX_ATTEMPTS times, then the run ends; a
    machine without error gets a large but finite weight and the run goes on. The paper says nothing
    of either. A sample of one class only gives the constant machine.

    Parameters
    ----------
    kernels : sequence of 'linear' <x, z>, 'poly' (poly_gamma <x, z> + coef0)^degree, 'rbf'
        exp(-gamma |x - z|^2), each at most once, default ('poly', 'rbf')
    scheme : 'combined' (default), a boosting run for each kernel, their machines joined with the
        weights they have; 'mixed', one run, the kernel of every round drawn at random; 'pure', one
        run of the only kernel
    n_estimators : int >= 1, default 50, rounds of EACH run: 'combined' has `len(kernels) *
        n_estimators` machines
    max_samples : int >= 1 or None (as many as there are), default 300, rows drawn for a machine; no
        more than there are
    C : positive float, default 10.0. The paper prints none; 10 was identified from its accuracies
    gamma : 'sigest' (default), the middle of the range of `ensvm.kernels.widths`; 'sigest-random',
        drawn anew for each machine, uniformly from that range, as in the paper; or a positive
        float, 'scale', 'auto', 'mean-distance'
    poly_gamma : 'auto' (default), 1 / n_features, which e1071 puts before the inner product and the
        paper does not print; or a positive float, 'scale', 'mean-distance'; 1.0 is the kernel as
        printed
    degree, coef0 : int >= 0 and float, default 3 and 1.0: d and c0, whose values the paper does not
        print
    tol : positive float, default 1e-3, LIBSVM's, the violation that ends a machine's training
    reuse_members : bool, default False; True takes runs that this process made before for the same
        rows, parameters and seed instead of training them again (for ensembles that join others'
        runs); not for timings
    random_state : int | RandomState | None, default None. Equal ints give the run of a kernel the
        same machines, whatever kernels it is combined with

    Attributes
    ----------
    classes_ : array of shape (n_classes,), sorted
    estimators_ : list of KernelMachine, the first of every run, then the second, and so on; their
        `support` are places in `support_`, their `classes` places in `classes_`
    estimator_kernels_ : list of str
    estimator_weights_ : array of shape (n_machines,), alpha
    estimator_errors_ : array of shape (n_machines,), weighted training errors in their rounds
    stop_reasons_ : list of str, of each run, see `BoostingResult`
    support_ : array of shape (n_support,), the training rows that some machine needs
    gamma_range_ : WidthRange or None, the widths of the radial kernel
    poly_gamma_ : float or None, that of the polynomial one
    certificate_ : float, the largest violation of the optimality conditions of any machine, in
        units of y f(x)
    n_iter_ : int, steps of SMO, all machines together
    n_features_in_ : int

    Reference
    ---------
    Stork, Ramos, Koch & Konen, SVM ensembles are better when different kernel types are combined,
    ECDA 2013, section 2.3 and Algorithm 1.
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
        self.scheme = scheme
        self.n_estimators = n_estimators
        self.max_samples = max_samples
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

        Raises ValueError for one class only, kernels that are unknown, given twice or too many for
        the scheme, inputs or kernel values beyond float32, or a parameter out of range.
        """
        if self.scheme == "pure" and len(self.kernels) > 1:
            raise ValueError(f"scheme 'pure' takes one kernel, got kernels = {self.kernels!r}")
        training = self._prepare(X, y)
        together = (
            [list(self.kernels)] if self.scheme == "mixed" else [[name] for name in self.kernels]
        )
        runs: list[BoostingResult] = [self._run(training, names) for names in together]
        self.estimator_weights_ = np.array(interleaved([run.weights for run in runs]))
        self.estimator_errors_ = np.array(interleaved([run.errors for run in runs]))
        self.stop_reasons_ = [run.stop_reason for run in runs]
        self._keep(interleaved([run.learners for run in runs]), training)
        return self

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return each class's share of the votes weighted by alpha, shape (n, n_classes), in [0, 1].

        With two classes it is the second's share less the first's, shape (n,), in [-1, 1].
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
        """Yield the decision function of the first t machines, for t = 1, ..., n_machines."""
        codes = self._member_codes(X)
        votes = np.zeros((self.classes_.size, codes.shape[1]))
        columns = np.arange(codes.shape[1])
        totals = self.estimator_weights_.cumsum()
        for chosen, weight, total in zip(codes, self.estimator_weights_, totals, strict=True):
            votes[chosen, columns] += weight
            yield _shares(votes, total)

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class with the largest share for each row of X, shape (n,), the first in sorted order among equals."""
        return self._classes_of(self.decision_function(X))

    def staged_predict(self, X: Any) -> Iterator[NDArray[Any]]:
        """Yield the classes that the first t machines predict, shape (n,), for t = 1, ..., n_machines."""
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

    def _run(self, training: TrainingSet, names: list[KernelName]) -> BoostingResult:
        """Return one boosting run over machines of the kernels named."""
        n = len(training.rows)
        size = self._sample_size(n)
        training_blocks = [training.rows.take(block) for block in blocks(n)]

        def learn(current: Round) -> tuple[KernelMachine, NDArray[np.intp]]:
            place = len(current.weights), current.attempt
            rng = np.random.default_rng(seed_of(training.entropy, "boosting", names, *place))
            kernel = self._kernel(names[rng.integers(len(names))], rng)
            counts = np.bincount(rng.choice(n, size, p=current.sample_weight), minlength=n)
            sample = np.flatnonzero(counts)
            machine = train_machine(
                training.rows,
                training.codes,
                sample,
                counts[sample],
                kernel,
                C=self.C,
                tol=self.tol,
            )
            evaluator = MachineEvaluator([machine], training.rows)
            return machine, np.concatenate([evaluator.codes(block)[0] for block in training_blocks])

        def boost() -> BoostingResult:
            n_classes = self.classes_.size
            return multiclass_adaboost(
                training.codes, n_classes, self.n_estimators, learn, max_attempts=MAX_ATTEMPTS
            )

        return self._reused(training, names, ("boosting", self.n_estimators), boost)


def _shares(votes: NDArray[np.float64], total: float) -> NDArray[np.float64]:
    """Return the decision function from the classes' votes, shape (n_classes, n)."""
    shares = votes.T / total
    return shares[:, 1] - shares[:, 0] if len(votes) == 2 else shares
