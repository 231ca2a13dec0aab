"""The difference of a table's cell from the printed value: which sample its interval is of."""

import numpy as np
from numpy.typing import NDArray

from ensvm.records.record import Record
from ensvm.report.query import Answer, Study
from ensvm.report.repetitions import repetitions_of
from ensvm.report.verdict import (
    Difference,
    Sample,
    of_same_rows,
    of_samples,
    of_spread,
    of_two_rates,
)
from ensvm.study.table_layout import ColumnConfig, Published, TableConfig

RATES = ("error", "accuracy")


def difference(
    study: Study,
    table: TableConfig,
    column: ColumnConfig,
    row: str,
    answer: Answer,
    printed: Published,
) -> Difference:
    """Compare the values of a cell with the printed one.

    Parameters
    ----------
    study : Study
        The study.
    table, column, row : TableConfig, ColumnConfig, str
        Which cell of which table.
    answer : Answer
        Its values, at least one.
    printed : Published
        The printed value.

    Returns
    -------
    Difference
        Facts of the data and what is computed without randomness on the paper's own rows have no
        sampling error. Else the sample is of the orders of the training rows where there is one
        realization, of whole repetitions of a cross-validation, or of the realizations; a single
        rate has the binomial interval.
    """
    margin = table.margin_of(column)
    values = answer.shown()
    mean = float(values.mean())
    if table.of == "data":
        return of_same_rows(mean, printed.value, 0.0)
    orders = answer.by_order()
    if study.config.dataset(row).same_rows:
        if orders is not None and len(orders) == 1:
            ours = sample(orders[0])
            return of_samples(ours, Sample(printed.value, printed.std, 1), margin, "orders")
        if not any(draws(record) for record in answer.records.values()):
            return of_same_rows(mean, printed.value, margin)
    repeated = repetitions_of(answer)
    if repeated is not None and values.size > 1:
        share = repeated.ours + repeated.printed
        of = sample(repeated.values)
        return of_spread(mean - printed.value, of.std or 0.0, share, of.n, margin, "repetitions")
    n_test = next(record.size("n_test") for record in answer.records.values())
    if values.size == 1 and n_test and table.metric_of(column) in RATES:
        return of_two_rates(mean, printed.value, n_test, margin)
    # The printed mean is of realizations with one order each: their spread, not that of our means.
    spread = sample(orders.ravel()).std if orders is not None else None
    published = Sample(printed.value, printed.std or spread, _published_n(study, row))
    return of_samples(sample(values), published, margin)


def sample(values: NDArray[np.float64]) -> Sample:
    """Return the mean, the standard deviation and the number of values."""
    std = float(values.std(ddof=1)) if values.size > 1 else None
    return Sample(float(values.mean()), std, values.size)


def draws(record: Record) -> bool:
    """Return whether an algorithm draws random numbers of its own.

    Where it has a `random_state`, it draws unless the config gives one; where it has none, its
    inner estimators' tell.
    """
    settings = (record.settings.get("algorithm") or {}).get("defaults") or {}
    states = {key: value for key, value in settings.items() if key.endswith("random_state")}
    own = states.get("random_state")
    return repr(None) in (states.values() if own is None else (own,))


def _published_n(study: Study, row: str) -> int:
    """Return over how many realizations the printed value of a row is a mean."""
    config = study.config
    return config.published_realizations or config.dataset(row).realizations or config.realizations
