"""The algorithms of a table over its data sets: average ranks, and each against each other."""

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ensvm.report.claims.statistics import holm
from ensvm.report.query import Study
from ensvm.report.ranking.average_ranks import (
    Friedman,
    critical_difference,
    friedman,
    groups,
    nemenyi_p,
    ranks_of,
)
from ensvm.report.ranking.selection import Chosen, choose, values_over_data_sets
from ensvm.report.ranking.signed_ranks import practical_equivalence, wilcoxon_p
from ensvm.seeds import seed_of
from ensvm.study.table import TableConfig


@dataclass(frozen=True)
class RankedPair:
    """Two algorithms over all data sets; `first` has the better average rank, or the same.

    Attributes
    ----------
    first, second : int
        Their places in the ranking, from 0.
    wins, ties, losses : int
        On how many data sets the first is better than the second, equal, and worse.
    difference : float
        By how much the average rank of the first is better.
    nemenyi_p : float
        The p-value of Nemenyi's test, which is one of all pairs at once.
    wilcoxon_p, wilcoxon_p_holm : float
        The p-value of Wilcoxon's signed-rank test, alone and adjusted by Holm over all pairs.
    p_better, p_equivalent, p_worse : float or None
        The probabilities of the Bayesian signed-rank test; None where it is not asked for.
    """

    first: int
    second: int
    wins: int
    ties: int
    losses: int
    difference: float
    nemenyi_p: float
    wilcoxon_p: float
    wilcoxon_p_holm: float
    p_better: float | None = None
    p_equivalent: float | None = None
    p_worse: float | None = None


@dataclass(frozen=True)
class Ranking:
    """The algorithms of a table in the order of their average ranks.

    Attributes
    ----------
    chosen : Chosen
        What is compared, and what was left out.
    labels : tuple of str
        The algorithms, best first; `names` has their columns.
    rows : tuple of str
        The data sets.
    values, ranks : ndarray of shape (n_data_sets, n_algorithms)
        The means over the realizations, and their ranks.
    pairs : tuple of RankedPair
        Each algorithm against each that stands after it.
    friedman, friedman_corrected : Friedman
        The test of all being equal, without and with a correction for ties.
    critical_difference : float
        That of Nemenyi's test at `alpha`.
    alpha : float
        The level of all tests.
    rope : float or None
        The largest difference that does not matter in practice, in the unit of the values.
    """

    chosen: Chosen
    names: tuple[str, ...]
    labels: tuple[str, ...]
    rows: tuple[str, ...]
    values: NDArray[np.float64]
    ranks: NDArray[np.float64]
    pairs: tuple[RankedPair, ...]
    friedman: Friedman
    friedman_corrected: Friedman
    critical_difference: float
    alpha: float
    rope: float | None

    @property
    def average(self) -> NDArray[np.float64]:
        """The average ranks, in ascending order."""
        return np.asarray(self.ranks.mean(axis=0))

    @property
    def groups(self) -> list[tuple[int, int]]:
        """The largest groups that Nemenyi's test does not tell apart."""
        return groups(self.average, self.critical_difference)


def rank_over_data_sets(
    study: Study,
    table: TableConfig,
    *,
    metric: str | None = None,
    alpha: float = 0.05,
    rope: float | None = None,
) -> Ranking:
    """Rank the algorithms of a table over its data sets.

    Parameters
    ----------
    study : Study
        The study.
    table : TableConfig
        One of its tables.
    metric : str, optional
        What to compare the algorithms in; by default what the table shows.
    alpha : float, default 0.05
        The level of the tests.
    rope : float, optional
        The largest difference that does not matter in practice; with it the Bayesian test is made.

    Returns
    -------
    Ranking
        The ranks and the tests.

    Raises
    ------
    NotRanked
        If too little is left that can be compared.
    """
    found = values_over_data_sets(study, choose(study, table, metric))
    ranks = ranks_of(found.values, found.chosen.better)
    order = np.argsort(ranks.mean(axis=0), kind="stable")
    names = tuple(found.chosen.columns[at].name for at in order)
    n, k = ranks.shape
    identity = (study.config.study, table.id, found.chosen.metric)
    return Ranking(
        chosen=found.chosen,
        names=names,
        labels=tuple(found.labels[at] for at in order),
        rows=found.rows,
        values=found.values[:, order],
        ranks=ranks[:, order],
        pairs=_pairs(_gains(found.values[:, order], found.chosen), ranks[:, order], rope, identity),
        friedman=friedman(ranks, corrected=False),
        friedman_corrected=friedman(ranks, corrected=True),
        critical_difference=critical_difference(n, k, alpha),
        alpha=alpha,
        rope=rope,
    )


def _gains(values: NDArray[np.float64], chosen: Chosen) -> NDArray[np.float64]:
    """Return the values so that larger ones are better."""
    return -values if chosen.better == "min" else values


def _pairs(
    gains: NDArray[np.float64],
    ranks: NDArray[np.float64],
    rope: float | None,
    identity: tuple[str, ...],
) -> tuple[RankedPair, ...]:
    n, k = ranks.shape
    average = ranks.mean(axis=0)
    places = list(combinations(range(k), 2))
    better_by = [gains[:, first] - gains[:, second] for first, second in places]
    alone = [wilcoxon_p(differences) for differences in better_by]
    pairs = []
    for (first, second), differences, p, adjusted in zip(
        places, better_by, alone, holm(alone), strict=True
    ):
        rank_difference = float(average[second] - average[first])
        rng = np.random.default_rng(seed_of("rank", *identity, first, second))
        bayes = (None,) * 3 if rope is None else practical_equivalence(differences, rope, rng)
        pairs.append(
            RankedPair(
                first,
                second,
                int((differences > 0).sum()),
                int((differences == 0).sum()),
                int((differences < 0).sum()),
                rank_difference,
                nemenyi_p(rank_difference, n, k),
                p,
                1.0 if adjusted is None else adjusted,
                *bayes,
            )
        )
    return tuple(pairs)
