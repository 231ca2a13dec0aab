"""An ensemble of support vector machines of several kernels, weighted by leave-one-out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from numbers import Integral
from time import process_time
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from ensvm.array_types import Indices, Vector
from ensvm.classifiers.base import dense, warn_caller
from ensvm.classifiers.repeated_rows import COPIES, MergedRows
from ensvm.classifiers.shared_docs import documented
from ensvm.classifiers.sklearn_private import Interval, fit_context
from ensvm.classifiers.table_classifier import (
    PRICES,
    SLOW,
    TableClassifier,
    deviations_to_divide_by,
)
from ensvm.kernels.gram_matrix import dense_rows
from ensvm.kernels.named_kernels import TRIED_WIDTHS, Kernel, resolve_gamma
from ensvm.kernels.sums import KernelSums
from ensvm.solvers.kernel_slopes import mean_square_slopes
from ensvm.solvers.leave_one_out_search import Candidate, SortedRows, candidates
from ensvm.solvers.midranks import mid_ranks
from ensvm.solvers.platt_scaling import class_probabilities

COLUMNS, RANKS = "columns", "ranks"
SEARCHES = (("rbf", COLUMNS), ("laplacian", COLUMNS), ("laplacian", RANKS))  # kernel, view
LEAST_PROBABILITY = 1e-15  # of a row's class: its logarithm stays finite
LEAST_WEIGHT = 1e-4  # of a member: all lighter ones together hardly move a probability
# Added to the mean square slopes, whose mean is 1, so that no column is lost
SLOPE_FLOOR = 0.003
BLOCK_ROWS = 4000  # trained together; more rows are dealt into blocks
BLOCK_MEMBERS = 3  # trained on each block, if there are several: these differ, too
MOST_ROWS = 200_000


@dataclass(frozen=True, eq=False)
class EnsembleMember:
    """The machines of all pairs of classes with one kernel, width, C and view of the columns.

    Attributes
    ----------
    kernel : str
        'rbf' or 'laplacian'.
    view : str
        'columns', which are standardised, or 'ranks', their mid-ranks.
    column_weights : ndarray of shape (n_columns,)
        What the columns of the view are multiplied by; all 1 in half of the searches.
    gamma : float
        The width, for the weighted columns.
    C : float
        The price of an error at a row of mean weight.
    weight : float
        The share of the member in the average.
    loo_loss : float
        The log loss of its probabilities when each row is left out.
    support : ndarray of int, shape (n_support,)
        The numbers of the training rows whose coefficient is not 0 in some pair, by class; of
        identical rows the first.
    dual_coef : ndarray of shape (n_support, n_pairs)
        Their coefficients; pairs in the order (0, 1), (0, 2), ..., (1, 2), ... A positive value of
        a pair is for its first class.
    intercept : ndarray of shape (n_pairs,)
        The intercepts.
    sigmoids : ndarray of shape (n_pairs, 2)
        A and B of each pair's probability 1 / (1 + exp(A f + B)) of its first class.
    certificate : float
        The largest violation of the optimality conditions of a pair, in units of f.
    n_iter : int
        The number of steps of all pairs' machines.
    """

    kernel: str
    view: str
    column_weights: Vector
    gamma: float
    C: float
    weight: float
    loo_loss: float
    support: Indices
    dual_coef: Vector
    intercept: Vector
    sigmoids: Vector
    certificate: float
    n_iter: int


class _Search(NamedTuple):
    """The machines of one kernel on one view of the columns, for every width and C."""

    kernel: str
    view: str
    column_weights: Vector
    inputs: Vector  # (m, d) the searched rows: the view times the weights
    found: list[Candidate]
    losses: Vector  # the log loss of each when rows are left out

    @property
    def best(self) -> Candidate:
        """The machine of least leave-one-out error plus log loss."""
        return self.found[int(np.argmin([c.error + c.loss for c in self.found]))]


@documented
@dataclass(eq=False, repr=False)
class SVMEnsembleClassifier(TableClassifier):
    """Support vector machines of two kernels and several views, averaged by leave-one-out losses.

    It needs no scaling, no tuning and no validation set, and is meant for tables of up to some
    thousand rows. `fit` trains machines with the Gaussian kernel exp(-gamma |x - z|^2) and the
    Laplacian kernel exp(-gamma |x - z|_1) for four widths and seven C each, on standardised
    columns and (Laplacian) on their mid-ranks. It repeats these three searches with each column
    multiplied by the root mean square slope of the best machine along it. The leave-one-out values
    of each machine cost less than its fit (see `TunedSVC`), and Platt's sigmoids make them
    probabilities. A machine whose log loss on them exceeds the least one by D gets the weight
    exp(-n D / 2), n training rows: that of a posterior probability of which the halved exponent
    allows for leave-one-out values that depend on each other. The probabilities of the heaviest
    machines are averaged with these weights.

    Identical rows of a class are taken as one row that counts several times. Leave-one-out leaves
    out one of them, or all if they were repeated by hand: repeating rows k times chooses what
    weights k choose. The order of the rows does not matter.

    From `search_rows` rows on, machines are compared on a sample, and the heaviest are trained on
    all rows: up to 4,000 together, more in random blocks whose probabilities are averaged. `fit`
    warns how long that takes before it begins, if it takes more than some seconds.

    Parameters
    ----------
    n_members : int, default 10
        The number of machines that are kept, the heaviest first, at least 1. More change the
        probabilities little and take longer to predict.
    class_weight : {'balanced'} or dict, default None
        The factor of the weights of the rows of each class; 'balanced' is n_samples / (n_classes *
        rows of the class). None is 1 for each.
    search_rows : int, default 1000
        The largest number of rows on which machines are compared, at least 10; if there are more, a
        random sample of them with the shares of the classes.
    random_state : int, RandomState or None, default None
        Draws the sample of rows and the blocks; not read if all rows are searched.

    Attributes
    ----------
    members_ : list of EnsembleMember
        The machines that are averaged, the heaviest first: kernel, view, column_weights, gamma, C,
        weight, loo_loss, support, dual_coef, intercept, sigmoids, certificate, n_iter. With several
        blocks there is one for each block.
    loo_score_ : float
        The accuracy of the ensemble when each row is left out. The weights were chosen on the same
        values, so that it is a little higher than the accuracy at new rows.
    loo_loss_ : float
        The log loss of the ensemble when each row is left out.
    loo_probabilities_ : ndarray of shape (n_samples, n_classes)
        The probabilities of the classes at each row by the machines without that row. NaN for rows
        of weight 0 and for those outside of the sample.
    search_results_ : dict of ndarrays
        All machines: 'param_kernel', 'param_view', 'param_weighted' (whether columns are multiplied
        by slopes), 'param_gamma', 'param_C', 'loo_score' (accuracy), 'loo_loss' (log loss) and
        'weight' (before the lightest are left out), one entry a machine.
    feature_importances_ : ndarray of shape (n_features_in_,)
        The mean square slope of the best machines along each standardised column or its ranks,
        averaged over the three searches without column weights; the sum is 1.
    certificate_ : float
        The largest violation of the optimality conditions of a member, in units of f.
    n_iter_ : int
        The number of steps of all members.
    converged_ : bool
        Whether all members reached `tol`.

    See Also
    --------
    TunedSVC : One Gaussian machine, which fits and predicts some times faster.
    KernelRidgeClassifierCV : Least squares on kernels; low_rank= takes many rows.

    References
    ----------
    Chapelle & Vapnik, Model selection for support vector machines, NIPS 12, 2000. Lin, Lin & Weng,
    A note on Platt's probabilistic outputs for support vector machines, Machine Learning 68, 2007.
    Dalalyan & Tsybakov, Aggregation by exponential weighting, sharp PAC-Bayesian bounds and
    sparsity, Machine Learning 72, 2008. Trivedi, Wang, Kpotufe & Shakhnarovich, A consistent
    estimator of the expected gradient outerproduct, UAI 2014. Trenkmann & Khan's thesis that kernel
    types should be combined is that of `MixedKernelBagging`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from ensvm import SVMEnsembleClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> ensemble = SVMEnsembleClassifier().fit(X, y)
    >>> round(ensemble.loo_score_, 2)
    0.97
    >>> ensemble.predict(X[::50])
    array([0, 1, 2])
    >>> len(ensemble.members_)
    10
    """

    _: KW_ONLY
    n_members: int = 10
    search_rows: int = 1000

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **TableClassifier._parameter_constraints,
        "n_members": [Interval(Integral, 1, None, closed="left")],
    }

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Train and weigh the machines.

        Raises
        ------
        ValueError
            If there is only one class, there are more than 200,000 rows, or a parameter is out of
            its range.
        MemoryError
            If the rows or a Gram matrix take more memory than is free.
        """
        X, y = self._training_numbers(X, y)
        if X.shape[0] > MOST_ROWS:
            raise ValueError(
                f"{type(self).__name__} takes at most {MOST_ROWS:,} rows, got {X.shape[0]:,}: "
                "fit a random sample of them, or KernelRidgeClassifierCV(low_rank=1000)"
            )
        merged, starts, costs = self._distinct_rows(X, y, sample_weight)
        counts = merged.counts * costs
        counts *= merged.draws.sum() / counts.sum()
        inputs = dense_rows(X[merged.first]) + 0.0
        self._learn_views(inputs, counts)
        kept = counts - counts / merged.draws
        rows = SortedRows(inputs, starts, np.ones(counts.size), counts, kept)
        self._fit_rows(rows, merged)
        return self

    def _learn_views(self, inputs: Vector, counts: Vector) -> None:
        """Learn from the distinct rows how columns are standardised, and their mid-ranks."""
        self._ranks = mid_ranks(inputs, counts)
        self._scales = {
            view: _centre_and_scale(values, counts)
            for view, values in ((COLUMNS, inputs), (RANKS, self._ranks.of(inputs)))
        }

    def _view(self, view: str, X: Vector) -> Vector:
        """Return rows, shape (n, d), in one of the views."""
        centre, scale = self._scales[view]
        return ((self._ranks.of(X) if view == RANKS else X) - centre) / scale

    def _fit_rows(self, rows: SortedRows, merged: MergedRows) -> None:
        """Search, weigh and keep the machines; `rows` are the distinct ones as they were given."""
        sample, searched, seed = self._sample(rows)
        searches, seconds = self._searches(sample)
        losses = np.concatenate([search.losses for search in searches])
        excess = losses - losses.min()
        weights = np.exp(-np.minimum(excess * merged.draws[searched].sum() / 2.0, 700.0))
        weights /= weights.sum()
        self.search_results_ = _table(searches, weights)
        heaviest = np.argsort(-weights, kind="stable")[: self.n_members]
        heaviest = heaviest[weights[heaviest] >= min(LEAST_WEIGHT, weights.max())]
        weights = weights[heaviest] / weights[heaviest].sum()
        every = [(search, found) for search in searches for found in search.found]
        kept = [every[number] for number in heaviest]
        probabilities = sum(w * c.probabilities for w, (_, c) in zip(weights, kept, strict=True))
        self._judge(probabilities, sample)
        at_rows = np.full((self.classes_.size, rows.counts.size), np.nan)
        at_rows[:, searched] = probabilities
        self.loo_probabilities_ = merged.at_rows(at_rows).T
        numbers = merged.first[searched]
        members = [
            _member(search, found, w, loss, numbers)
            for w, loss, (search, found) in zip(weights, losses[heaviest], kept, strict=True)
        ]
        if sample is not rows:
            members = self._on_all_rows(
                members, rows, merged.first, seconds / searched.size**2, seed
            )
        self._keep(members, rows, merged)

    def _on_all_rows(
        self,
        members: list[EnsembleMember],
        rows: SortedRows,
        numbers: Indices,
        seconds: float,
        seed: int,
    ) -> list[EnsembleMember]:
        """Return the members trained on all rows, in one block or several; warn how long it takes.

        `seconds` is what a machine of the sample took, divided by the square of its rows.
        """
        blocks = rows.blocks(BLOCK_ROWS, seed)
        if len(blocks) > 1:
            members = members[:BLOCK_MEMBERS]
        expected = seconds * len(members) * sum(float(block.size) ** 2 for block in blocks)
        if expected > SLOW:
            warn_caller(
                f"{type(self).__name__} trains {len(members)} machines on "
                f"{rows.counts.size:,} distinct rows, at most {BLOCK_ROWS:,} together: about "
                f"{expected / 60.0:.1f} minutes",
                UserWarning,
            )
        total = sum(member.weight for member in members)
        limits: dict[str, Any] = {"tol": self.tol, "max_iter": self.max_iter}
        trained = []
        for block in blocks:
            part = rows.take(block)
            views = {view: self._view(view, part.values) for view in (COLUMNS, RANKS)}
            for member in members:
                inputs = views[member.view] * member.column_weights
                of_view = replace(part, values=inputs, kernel=member.kernel)
                [found] = candidates(of_view, [member.gamma], [member.C], n_jobs=1, **limits)
                search = _Search(
                    member.kernel, member.view, member.column_weights, inputs, [found], np.empty(0)
                )
                weight = member.weight / total / len(blocks)
                trained.append(_member(search, found, weight, member.loo_loss, numbers[block]))
        return trained

    def _judge(self, probabilities: Vector, rows: SortedRows) -> None:
        """Set the accuracy and the log loss of the ensemble's leave-one-out probabilities."""
        codes = rows.codes
        share = rows.counts / rows.counts.sum()
        self.loo_score_ = float(share @ (probabilities.argmax(axis=0) == codes))
        self.loo_loss_ = _log_loss(probabilities, codes, rows.counts)

    def _searches(self, rows: SortedRows) -> tuple[list[_Search], float]:
        """Return the three searches without column weights, then those with weights.

        Sets `feature_importances_`. The seconds returned are those of a machine of the last search.
        """
        limits: dict[str, Any] = {"tol": self.tol, "max_iter": self.max_iter, "n_jobs": self.n_jobs}
        views = {view: self._view(view, rows.values) for view in (COLUMNS, RANKS)}
        searches, weighted, importances = [], [], np.zeros(rows.values.shape[1])
        for kernel, view in SEARCHES:
            ones = np.ones(rows.values.shape[1])
            search = _search(rows, kernel, view, ones, views[view], limits)
            slopes = _slopes(search, rows)
            importances += slopes / (slopes.sum() or 1.0)
            column_weights = np.sqrt(slopes / (slopes.mean() or 1.0) + SLOPE_FLOOR)
            searches.append(search)
            start = process_time()
            weighted.append(_search(rows, kernel, view, column_weights, views[view], limits))
            seconds = (process_time() - start) / len(search.found)
        importances /= importances.sum() or 1.0
        if self._columns is not None:
            of_table = np.zeros(self.n_features_in_)
            np.add.at(of_table, self._columns.sources, importances)
            importances = of_table
        self.feature_importances_ = importances
        return searches + weighted, seconds

    def _keep(self, members: list[EnsembleMember], rows: SortedRows, merged: MergedRows) -> None:
        """Set the attributes of the members, and warn if one did not converge."""
        self.members_ = members
        support = np.concatenate([member.support for member in members])
        needed = np.unique(merged.group[support])  # in an order that is not that of the rows
        self._needed, self._needed_inputs = merged.first[needed], rows.values[needed]
        certificate = max(member.certificate for member in members)
        self._set_convergence(certificate, sum(member.n_iter for member in members))

    def predict_proba(self, X: Any) -> Vector:
        """Return the probability of each class at each row: the members' weighted mean."""
        check_is_fitted(self)
        X = self._new_numbers(X)
        X = dense(X, COPIES, type(self).__name__) + 0.0
        total = np.zeros((self.classes_.size, len(X)))
        views: dict[str, tuple[Vector, Vector]] = {}
        sorter = np.argsort(self._needed)
        for members in _sharing_a_kernel(self.members_):
            first = members[0]
            if first.view not in views:
                needed, at = self._view(first.view, self._needed_inputs), self._view(first.view, X)
                views[first.view] = needed, at
            needed, at = (rows * first.column_weights for rows in views[first.view])
            positions = [
                sorter[np.searchsorted(self._needed, member.support, sorter=sorter)]
                for member in members
            ]
            used = np.unique(np.concatenate(positions))
            coefficients = [
                _spread(member, np.searchsorted(used, own), used.size)
                for member, own in zip(members, positions, strict=True)
            ]
            kernel = Kernel(first.kernel, first.gamma)
            values = np.zeros((len(X), sum(c.shape[1] for c in coefficients)))
            if used.size:
                values = KernelSums(needed[used], np.hstack(coefficients), kernel).values(at)
            ends = np.cumsum([c.shape[1] for c in coefficients])[:-1]
            for member, own in zip(members, np.split(values, ends, axis=1), strict=True):
                of_pairs = np.ascontiguousarray((own + member.intercept).T)
                total += member.weight * class_probabilities(of_pairs, member.sigmoids)
        return np.ascontiguousarray((total / total.sum(axis=0)).T)


def _centre_and_scale(values: Vector, counts: Vector) -> tuple[Vector, Vector]:
    """Return the mean and the standard deviation of each column; 1 for constant columns."""
    shares = counts / counts.sum()
    centre = shares @ values
    deviation = np.sqrt(shares @ (values - centre) ** 2.0)
    return centre, deviations_to_divide_by(deviation, values)


def _search(
    rows: SortedRows,
    kernel: str,
    view: str,
    column_weights: Vector,
    values: Vector,
    limits: dict[str, Any],
) -> _Search:
    """Train the machines of one kernel on one view of the searched rows."""
    inputs = values * column_weights
    base = resolve_gamma("mean-distance", inputs, rows.counts, kernel=kernel)
    found = candidates(
        SortedRows(inputs, rows.starts, rows.costs, rows.counts, rows.kept, kernel),
        [factor * base for factor in TRIED_WIDTHS],
        PRICES,
        probabilities=True,
        **limits,
    )
    losses = np.array([_log_loss(c.probabilities, rows.codes, rows.counts) for c in found])
    return _Search(kernel, view, column_weights, inputs, found, losses)


def _log_loss(probabilities: Vector | None, codes: Indices, counts: Vector) -> float:
    """Return the weighted mean log loss of probabilities, shape (n_classes, m)."""
    assert probabilities is not None
    of_own = np.maximum(probabilities[codes, np.arange(codes.size)], LEAST_PROBABILITY)
    return float(-(counts @ np.log(of_own)) / counts.sum())


def _slopes(search: _Search, rows: SortedRows) -> Vector:
    """Return the mean square slope of a search's best machine along each column, shape (d,)."""
    best = search.best
    assert best.gamma is not None
    return mean_square_slopes(
        search.inputs,
        rows.starts,
        rows.counts,
        best.machines,
        best.sigmoids[:, 0],
        kernel=search.kernel,
        gamma=best.gamma,
    )


def _member(
    search: _Search, found: Candidate, weight: float, loss: float, numbers: Indices
) -> EnsembleMember:
    """Return what is kept of a machine; `numbers` are those of its rows in the training set."""
    assert found.gamma is not None
    support = np.flatnonzero(found.machines.coefficients.any(axis=0))
    return EnsembleMember(
        search.kernel,
        search.view,
        search.column_weights,
        found.gamma,
        found.C,
        float(weight),
        float(loss),
        numbers[support],
        found.machines.coefficients[:, support].T.copy(),
        found.machines.intercepts,
        found.sigmoids,
        float(found.machines.violations.max()),
        int(found.machines.steps.sum()),
    )


def _sharing_a_kernel(members: Sequence[EnsembleMember]) -> Iterator[list[EnsembleMember]]:
    """Yield the members that share kernel values, in the order of the heaviest of each group."""
    groups: dict[tuple[Any, ...], list[EnsembleMember]] = {}
    for member in members:
        key = member.kernel, member.view, member.gamma, member.column_weights.tobytes()
        groups.setdefault(key, []).append(member)
    yield from groups.values()


def _spread(member: EnsembleMember, positions: Indices, n: int) -> Vector:
    """Return a member's coefficients of n rows, its support at `positions`, shape (n, n_pairs)."""
    coefficients = np.zeros((n, member.intercept.size))
    coefficients[positions] = member.dual_coef
    return coefficients


def _table(searches: Sequence[_Search], weights: Vector) -> dict[str, NDArray[Any]]:
    """Return `search_results_`."""
    every = [(search, found) for search in searches for found in search.found]
    return {
        "param_kernel": np.array([search.kernel for search, _ in every]),
        "param_view": np.array([search.view for search, _ in every]),
        "param_weighted": np.array([bool((s.column_weights != 1.0).any()) for s, _ in every]),
        "param_gamma": np.array([found.gamma for _, found in every]),
        "param_C": np.array([found.C for _, found in every]),
        "loo_score": np.array([1.0 - found.error for _, found in every]),
        "loo_loss": np.concatenate([search.losses for search in searches]),
        "weight": weights,
    }
