"""Which cells of a plan need more memory than there is, told before anything is allocated."""

from collections import defaultdict
from collections.abc import Iterable

import numpy as np

from ensvm.memory import free_bytes, gibibytes, refusal
from ensvm.runner.estimators.construct import made
from ensvm.runner.inputs import gram_bytes, shares_gram
from ensvm.runner.plan import Cell, Plan
from ensvm.runner.settings import AlgorithmSettings

SUGGESTED_RANK = 1000  # of a low-rank factor, where an estimator can train on one


def memory_refusals(plan: Plan, cells: Iterable[Cell]) -> list[str]:
    """Return why cells cannot be run for lack of memory, a line a data set and size.

    A Gram matrix that the runner makes has all the training rows. Where an estimator makes one of
    its own, rows that are identical may count once, which only the fit can tell: it is not asked.

    Parameters
    ----------
    plan : Plan
        The plan that the cells belong to.
    cells : iterable of Cell
        The cells that are to be done.

    Returns
    -------
    list of str
        Sentences that name the data set, the algorithms, what it takes and what is free.
    """
    free = free_bytes()
    pairs = {(cell.dataset, cell.algorithm): cell for cell in cells}
    needs: dict[tuple[str, str], list[str]] = defaultdict(list)
    with plan.importable():
        for (dataset, algorithm), cell in pairs.items():
            if cell.method is not None:
                rows = plan.cards[dataset].sizes()[1]
                needed, what, instead = _need(cell.method, rows)
                if needed > free:
                    needs[dataset, refusal(needed, free, what, instead)].append(algorithm)
    return [
        f"{dataset}, {', '.join(algorithms)}: {told}"
        for (dataset, told), algorithms in needs.items()
    ]


def _need(method: AlgorithmSettings, rows: int) -> tuple[float, str, str]:
    """Return the bytes of the largest array, what it is, and what would take less."""
    estimator = made(method.estimator, method.params, seed=0)
    parameters = estimator.get_params(deep=False)
    if method.share_gram and shares_gram(estimator):
        instead = ""
        if "low_rank" in parameters:
            factor = float(min(SUGGESTED_RANK, rows) * rows * np.dtype(np.float64).itemsize)
            instead = f"low_rank={SUGGESTED_RANK} takes {gibibytes(factor)}"
        return gram_bytes(rows, method.gram_dtype), f"the Gram matrix of {rows} rows", instead
    factor_bytes = getattr(estimator, "factor_bytes", None)
    if factor_bytes is None:
        return 0.0, "", ""
    return factor_bytes(rows), f"the low-rank factor of {rows} rows", "a lower low_rank takes less"
