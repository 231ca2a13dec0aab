"""Our value against the printed one: the difference, its 95 % interval D, and its sign.

D is widened on both sides by half a unit of the last printed digit. With the margin M, the verdict
is `=` (within the margin) if D lies within ±M, `≠` (differs) if it lies outside, `≈` (close) if it
lies within ±3M, and `?` (cannot tell) otherwise, or if something else than D leaves it open. `†`
says that a setting was chosen on the printed value.
"""

import math
from bisect import bisect_left
from dataclasses import dataclass, replace

import numpy as np

from ensvm.counts import counted
from ensvm.report.column_values import query_of
from ensvm.report.intervals import EXACT, Comparison, against_print, comparison
from ensvm.report.query import Query, QueryResult, ask
from ensvm.report.statistical_tests import Estimate, interval_of
from ensvm.report.study_folder import Study
from ensvm.study.metrics import DATA_CELL, PARAMETER, RATES
from ensvm.study.printed import Published
from ensvm.study.signs import Verdict, Why
from ensvm.study.table_layout import ColumnConfig, TableConfig

ALIKE: tuple[Verdict, ...] = ("within the margin", "close")
CLOSE = 3.0  # D within so many margins is close
MOST_VALUES = 10_000  # of ours; what more would decide counts as undecidable
ROUNDING = 1e-9  # a difference that equals the margin lies within it, despite rounding errors


@dataclass(frozen=True)
class Deviation:
    """Ours minus printed, in the unit of the table.

    `ours` is the value of ours that is compared. `low` and `high` are the ends of D, None if there
    is no interval; `basis` names what it is computed from. `why` is one word for a verdict that
    cannot be given. `chosen` says that a setting was chosen on the printed value.
    """

    ours: float
    value: float
    low: float | None
    high: float | None
    verdict: Verdict
    why: Why = ""
    basis: str = ""
    chosen: bool = False


def judge(one: Comparison, margin: float) -> Deviation:
    """Return the difference of a comparison with its interval D and the verdict."""
    ours, estimate, basis = against_print(one)
    return judge_estimate(ours, estimate, one.printed, margin, basis)


def judge_estimate(
    ours: float, estimate: Estimate | None, printed: Published, margin: float, basis: str
) -> Deviation:
    """Return the difference of ours from print, with D from its estimate, and the verdict."""
    difference, rounded = ours - printed.value, printed.half_unit
    low, high = interval_of(estimate)
    if low is None or high is None:
        return Deviation(ours, difference, None, None, "cannot tell", "none")
    low, high = low - rounded, high + rounded
    # No value can be nearer to the printed one than print's own rounding.
    verdict = verdict_on(low, high, max(margin, rounded))
    why: Why = "wide" if verdict == "cannot tell" else ""
    return Deviation(ours, difference, low, high, verdict, why, basis)


def repetitions_to_decide(one: Comparison, margin: float) -> int | None:
    """Return about how many repetitions of ours would give another verdict than "cannot tell".

    Mean and spread are taken to stay as they are; the spread of a single error rate is binomial.
    Returns None if 10,000 values would not decide, as when the printed value alone is too
    uncertain, and for experiments that cannot be repeated on other rows: rows left out one by one,
    which can be left out in one way only, and a single value on a given split.
    """
    known = one.values if one.like_print is None else one.like_print
    if known.size > 1 and not one.n_test:
        mean, spread = float(known.mean()), float(known.std(ddof=1))
    elif one.n_test and one.n_folds == 1 and not one.is_given_split:
        mean, spread = one.mean, math.sqrt(one.mean * (100.0 - one.mean) / one.n_test)
    else:
        return None

    def decides(n: int) -> bool:
        """Return whether n values of the same mean and spread decide."""
        shape = np.linspace(-1.0, 1.0, n)
        values = mean + shape * spread / shape.std(ddof=1)
        like_print = None if one.like_print is None else values
        more = replace(one, values=values, like_print=like_print, n_test=0)
        return judge(more, margin).verdict != "cannot tell"

    if not decides(MOST_VALUES):
        return None
    return math.ceil(bisect_left(range(MOST_VALUES), True, lo=2, key=decides) / one.n_folds)


def what_decides(one: Comparison, margin: float) -> str:
    """Return what would decide a value whose interval is too wide, in words."""
    if (n := repetitions_to_decide(one, margin)) is not None:
        repetitions = counted(n, "repetition")
        return f"about {repetitions} of the experiment, if mean and spread stay as they are"
    if is_repeated_once(one):
        return "not known: one cross-validation does not show how repetitions vary (`repeats: 2`)"
    if one.is_given_split and one.values.size == 1:
        return "nothing that can be repeated: the training and test rows are given"
    return "not more repetitions alone: the printed value is too uncertain, or near the margin"


def is_repeated_once(one: Comparison) -> bool:
    """Return whether ours is a single cross-validation, which could be repeated."""
    return one.n_test > one.n_folds > 1


def verdict_on(low: float, high: float, margin: float) -> Verdict:
    """Return the verdict on an interval D from `low` to `high`."""
    if low > margin + ROUNDING or high < -margin - ROUNDING:
        return "differs"
    farthest = max(abs(low), abs(high))
    if is_within(farthest, margin):
        return "within the margin"
    return "close" if is_within(farthest, CLOSE * margin) else "cannot tell"


def is_within(difference: float, margin: float) -> bool:
    """Return whether a difference is at most the margin, whatever its last bit."""
    return abs(difference) <= margin + ROUNDING


def deviation(
    study: Study,
    table: TableConfig,
    row: str,
    column: ColumnConfig,
    result: QueryResult,
    guess: float | None,
) -> Deviation:
    """Compare the values of a table's cell (there is at least one) with its printed value.

    If `guess`, the value of predicting the largest class, lies within the margin too, ours shows
    nothing. The values may be those under another reading of the paper.
    """
    printed = study.published[table.id, row, column.name]
    compared = _compared(study, table, column, result, printed)
    why = _why_open(study, result) or compared.why
    if guess is not None and compared.verdict in ALIKE and not why:
        margin = table.margin_of(column).at(printed.value)
        why = "guess" if is_within(guess - printed.value, margin) else ""
    is_own_reading = result.query == query_of(study, table, row, column)
    return replace(
        compared,
        verdict="cannot tell" if why else compared.verdict,
        why=why,
        chosen=is_own_reading and study.config.chosen_on(table, row, column),
    )


def _compared(
    study: Study, table: TableConfig, column: ColumnConfig, result: QueryResult, printed: Published
) -> Deviation:
    """Return the difference and the verdict by D alone.

    Facts of the data are equal or they differ; so are parameters, which may be rounded in print.
    """
    margin = table.margin_of(column).at(printed.value)
    is_set = table.metric_of(column).startswith(PARAMETER)
    if not (is_set or table.of == "data"):
        return judge(comparison(study, table, column, result, printed), margin)
    ours = float(result.shown().mean())
    difference = ours - printed.value
    if not is_set:
        alike, ends, basis = difference == 0.0, None, ""
    else:
        alike, ends, basis = (
            is_within(difference, max(margin, printed.half_unit)),
            difference,
            EXACT,
        )
    verdict: Verdict = "within the margin" if alike else "differs"
    return Deviation(ours, difference, ends, ends, verdict, basis=basis)


def _why_open(study: Study, result: QueryResult) -> Why:
    """Return why values cannot be judged, whatever they are; empty for facts of the data.

    The paper ran the row in another way, or the fits say that rounding decides the predictions in
    most realizations.
    """
    if result.query.algorithm == DATA_CELL:
        return ""
    if study.config.dataset(result.query.row).other_protocol:
        return "protocol"
    parts = result.parts or (result,)
    return "rounding" if any(rounding_decides(study, part) for part in parts) else ""


def rounding_decides(study: Study, result: QueryResult) -> bool:
    """Return whether rounding decides the predictions in most realizations, as the fits say."""
    block = study.config.algorithms.get(result.query.algorithm)
    proof = None if block is None else block.undetermined_at_zero
    if proof is None or result.query.metric not in RATES:
        return False
    asked = Query(result.query.row, proof.of or result.query.algorithm, proof.number)
    left = list(ask(study, asked).values.values())
    # The other algorithm is not run where the data leave the machine open.
    return 2 * left.count(0.0) > len(left) if left else proof.of is not None
