"""The bagged mixed-kernel ensembles of Stork, Ramos, Koch & Konen (ECDA-13)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.utils.metaestimators import available_if

from ensvm.classifiers.base import N_JOBS
from ensvm.classifiers.kernel_machines import KernelMachine
from ensvm.classifiers.mixed_kernel_ensemble import MemberPlan, MixedKernelEnsemble, TrainingSet
from ensvm.classifiers.shared_docs import documented
from ensvm.classifiers.sklearn_private import StrOptions
from ensvm.kernels.augmented_rows import Rows
from ensvm.seeds import seed_of
from ensvm.solvers.one_vs_one import one_hot, winners
from ensvm.solvers.platt_scaling import class_probabilities


def _sums_probabilities(ensemble: Any) -> bool:
    return bool(ensemble.voting == "probability")


@documented
@dataclass(eq=False, repr=False, kw_only=True)
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
    n_estimators : int, default 50
        The number of machines of each kernel, at least 1: there are len(kernels) * n_estimators.
    bootstrap : bool, default True
        Whether rows are drawn with replacement, as the paper says, or without it. The only machine
        of max_samples=None drawn without is the single one on all training rows.
    voting : {'probability', 'majority', 'probable'}, default 'probability'
        'probability' predicts the class with the largest sum of class probabilities, which are
        found by Platt scaling and pairwise coupling as in LIBSVM; 'majority' the class with the
        most votes; 'probable' the class with the most votes if each machine votes for the class
        that is most probable to it. Among equals the first class in sorted order wins (the paper
        breaks ties at random).
    class_weight : dict, 'balanced' or None, default None
        What multiplies C for the rows of each class: label -> weight, a positive number, with 1 for
        a class that is not named; 'balanced' is n_samples / (n_classes * rows of the class); None
        is 1 for all. The rows count as much in the sigmoids of voting='probability', which would
        undo the weights otherwise.
    n_jobs : int or None, default None
        How many machines are trained at a time, as for `joblib.Parallel`; the ensemble is the same.
    random_state : int, RandomState or None, default None
        Seeds the samples. Equal ints give a kernel the same machines, whatever kernels it is joined
        with; the machines of a smaller ensemble are the first of a larger one.

    Attributes
    ----------
    estimators_ : list of KernelMachine
        The first machine of every kernel, then the second, and so on. Their `support` are positions
        in `support_`, their `classes` positions in `classes_`.
    n_iter_ : int
        The number of steps of the solver, all machines together, cross-validation not counted.

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

    bootstrap: bool = True
    voting: Literal["probability", "majority", "probable"] = "probability"
    n_jobs: int | None = None

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **MixedKernelEnsemble._parameter_constraints,
        "bootstrap": ["boolean"],
        "voting": [StrOptions({"probability", "majority", "probable"})],
        "n_jobs": N_JOBS,
    }

    def _train(self, training: TrainingSet) -> list[list[KernelMachine]]:
        machine_of = self._remembered(bagged_machine)
        plans = [self._plan(training, [name]) for name in self.kernels]
        voting = "majority" if self.voting == "majority" else "probability"  # with sigmoids
        # A generator, so that the first machine that is cut short warns before the others end
        machines = Parallel(n_jobs=self.n_jobs, return_as="generator")(
            delayed(machine_of)(training, plan, self.bootstrap, voting, t)
            for plan in plans
            for t in range(self.n_estimators)
        )
        made, n = self._watched(machines), self.n_estimators
        return [made[run * n : (run + 1) * n] for run in range(len(plans))]

    @available_if(_sums_probabilities)
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the machines' mean probability of each class; only with voting='probability'.

        Returns
        -------
        ndarray of shape (n, n_classes)
            The probabilities of each row, of sum 1.
        """
        return self._scores(X)

    def _classes_by_stage(self, X: Any) -> NDArray[np.integer]:
        """Return the class index after each machine, shape (n_machines, n)."""
        blocks = []
        for queries in self._queries(X):
            scores = np.zeros((len(self.estimators_), self.classes_.size, len(queries)))
            for index, classes, values in self._machine_scores(queries):
                scores[index, classes] = values
            blocks.append(scores.cumsum(axis=0).argmax(axis=1).astype(np.int16))
        return np.concatenate(blocks, axis=1)

    def _scores(self, X: Any) -> NDArray[np.float64]:
        # The mean probabilities, or the shares of the votes
        means = []
        for queries in self._queries(X):
            total = np.zeros((self.classes_.size, len(queries)))
            for _, classes, values in self._machine_scores(queries):
                total[classes] += values
            means.append(total.T / len(self.estimators_))
        return np.concatenate(means)

    def _machine_scores(self, queries: Rows) -> Iterator[tuple[int, Any, NDArray[Any]]]:
        """Yield each machine's index, an index of its k classes and their scores, in any order.

        The scores are probabilities or votes, shape (k, n).
        """
        for index, machine in enumerate(self.estimators_):
            if len(machine.classes) == 1:
                yield index, machine.classes, np.ones((1, len(queries)))
        for index, values in self._evaluator.values(queries):
            machine = self.estimators_[index]
            k = machine.classes.size
            # Adding to a slice is several times faster than to chosen rows.
            classes = slice(None) if k == self.classes_.size else machine.classes
            if machine.sigmoids is None:
                yield index, classes, one_hot(winners(np.ascontiguousarray(values), k), k)
            elif self.voting == "probable":
                probabilities = class_probabilities(values, machine.sigmoids)
                yield index, classes, one_hot(probabilities.argmax(axis=0), k)
            else:
                yield index, classes, class_probabilities(values, machine.sigmoids)


def bagged_machine(
    training: TrainingSet, plan: MemberPlan, bootstrap: bool, voting: str, t: int
) -> KernelMachine:
    """Return machine number t, from 0, of the only kernel of the plan.

    With `bootstrap` its rows are drawn with replacement; with voting='probability' it has sigmoids.
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
    return plan.trained(training, sample, counts, kernel, order=order, costs=plan.costs)


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
