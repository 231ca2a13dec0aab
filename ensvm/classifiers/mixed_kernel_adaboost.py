"""The boosted mixed-kernel ensembles of Stork, Ramos, Koch & Konen (ECDA-13)."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from ensvm.classifiers.kernel_machines import BLOCK, KernelMachine, MachineEvaluator
from ensvm.classifiers.mixed_kernel_ensemble import (
    MemberPlan,
    MixedKernelEnsemble,
    TrainingSet,
    interleaved,
)
from ensvm.classifiers.shared_docs import documented
from ensvm.classifiers.sklearn_private import StrOptions
from ensvm.kernels.gram_matrix import slices
from ensvm.seeds import seed_of
from ensvm.solvers.boosting import BoostingResult, Round, multiclass_adaboost

# Boosting ends if so many samples in a row give a machine that is no better than chance
MAX_ATTEMPTS = 10


@documented
@dataclass(eq=False, repr=False, kw_only=True)
class MixedKernelAdaBoost(MixedKernelEnsemble):
    """Multi-class AdaBoost over small soft-margin machines of one or several kernels.

    Boosting trains machines one after the other. Each round draws `max_samples` training rows with
    replacement, with probabilities proportional to the row weights, and trains a machine on them.
    The machine then predicts all training rows, which gives its error; the rows that it gets wrong
    get larger weights. In the end the machines vote, each with a weight alpha that is larger for a
    smaller error. Machines of different kernels make different mistakes, which the vote corrects.

    A machine that is no better than chance is dropped and another is trained on a new sample. After
    ten of them in a row the run ends. A machine without error gets a large but finite weight and
    the run goes on. (The paper does not say what happens in these two cases.) If a sample holds one
    class only, its machine always predicts that class.

    Parameters
    ----------
    scheme : {'combined', 'mixed', 'pure'}, default 'combined'
        'combined' makes a boosting run for each kernel, whose machines are joined with the weights
        they have; 'mixed' makes one run, the kernel of every round drawn at random; 'pure' makes
        one run of the only kernel.
    n_estimators : int, default 50
        The number of rounds of each run, at least 1: 'combined' has up to len(kernels) *
        n_estimators machines.
    class_weight : dict, 'balanced' or None, default None
        A factor of the first weights of each class's rows: label -> factor, a positive number, and
        1 for a class that is not named; 'balanced' is n_samples / (n_classes * rows of the class);
        None is 1 for all. Like repeating rows, it changes the samples and the machines' errors.
    random_state : int, RandomState or None, default None
        Seeds the samples. Equal ints give the run of a kernel the same machines, whatever kernels
        it is combined with.

    Attributes
    ----------
    estimators_ : list of KernelMachine
        The first machine of every run, then the second, and so on. Their `support` are positions in
        `support_`, their `classes` positions in `classes_`.
    estimator_weights_ : ndarray of shape (n_machines,)
        The weight alpha of each machine in the vote.
    estimator_errors_ : ndarray of shape (n_machines,)
        The weighted training error of each machine in its round.
    stop_reasons_ : list of str
        Why each run ended: 'n_rounds' or 'no_better_than_random'.

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

    scheme: Literal["pure", "mixed", "combined"] = "combined"

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **MixedKernelEnsemble._parameter_constraints,
        "scheme": [StrOptions({"pure", "mixed", "combined"})],
    }

    def _refusals(self) -> Iterator[str]:
        yield from super()._refusals()
        if self.scheme == "pure" and len(self.kernels) > 1:
            yield f"scheme 'pure' takes one kernel, got kernels = {self.kernels!r}"

    def _train(self, training: TrainingSet) -> list[list[KernelMachine]]:
        together = (
            [list(self.kernels)] if self.scheme == "mixed" else [[name] for name in self.kernels]
        )
        run_of = self._remembered(boosted_run)
        runs: list[BoostingResult] = []

        def machines() -> Iterator[KernelMachine]:
            """Yield the machines of all runs; each run is made when its first machine is needed."""
            for names in together:
                runs.append(run_of(training, self._plan(training, names), self.n_estimators))
                yield from runs[-1].learners

        self._watched(machines())
        self.estimator_weights_ = np.array(interleaved([run.weights for run in runs]))
        self.estimator_errors_ = np.array(interleaved([run.errors for run in runs]))
        self.stop_reasons_ = [run.stop_reason for run in runs]
        return [run.learners for run in runs]

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return each class's share of the votes weighted by alpha.

        Returns
        -------
        ndarray of shape (n, n_classes)
            The shares of each row, in [0, 1]. With two classes the second's share less the first's,
            of shape (n,), in [-1, 1].
        """
        return _decision(self._scores(X))

    def staged_decision_function(self, X: Any) -> Iterator[NDArray[np.float64]]:
        """Yield the decision function of the first t machines, for t = 1, ..., n_machines.

        Yields
        ------
        ndarray of shape (n, n_classes) or (n,)
            The decision function after one more machine.
        """
        yield from map(_decision, self._staged_scores(X))

    def _scores(self, X: Any) -> NDArray[np.float64]:
        return deque(self._staged_scores(X), maxlen=1).pop()

    def _staged_scores(self, X: Any) -> Iterator[NDArray[np.float64]]:
        predicted = [self._evaluator.codes(queries) for queries in self._queries(X)]
        codes = np.concatenate(predicted, axis=1)
        votes = np.zeros((self.classes_.size, codes.shape[1]))
        columns = np.arange(codes.shape[1])
        totals = self.estimator_weights_.cumsum()
        for chosen, weight, total in zip(codes, self.estimator_weights_, totals, strict=True):
            votes[chosen, columns] += weight
            yield votes.T / total

    def _classes_by_stage(self, X: Any) -> Iterator[NDArray[np.integer]]:
        return (scores.argmax(axis=1) for scores in self._staged_scores(X))


def boosted_run(training: TrainingSet, plan: MemberPlan, n_rounds: int) -> BoostingResult:
    """Return a boosting run of at most `n_rounds` machines; each round draws one of the kernels."""
    n = len(training.rows)
    training_blocks = [training.rows.take(block) for block in slices(n, BLOCK)]
    names = [choice.kernel.name for choice in plan.kernels]

    def learn(current: Round) -> tuple[KernelMachine, NDArray[np.intp]]:
        """Return the machine of a round, and the classes that it predicts of all rows."""
        place = len(current.weights), current.attempt
        rng = np.random.default_rng(seed_of(plan.entropy, "boosting", names, *place))
        kernel = plan.kernels[rng.integers(len(names))].draw(rng)
        drawn = rng.choice(n, plan.sample_size, p=current.sample_weight)
        counts = np.bincount(drawn, minlength=n)
        sample = np.flatnonzero(counts)
        machine = plan.trained(training, sample, counts[sample], kernel)
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


def _decision(shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the classes' shares of the votes, shape (n, n_classes), or their difference if two."""
    return shares[:, 1] - shares[:, 0] if shares.shape[1] == 2 else shares
