"""Rankings over data sets and comparisons on one data set, as documents."""

from contextlib import suppress
from itertools import combinations

import pandas as pd

from ensvm.errors import UserError
from ensvm.report.documents.document import (
    NOTHING,
    Bullets,
    Document,
    Grid,
    Part,
    as_written,
    enumerated,
    one_line,
    origin,
)
from ensvm.report.query import Study
from ensvm.report.ranking import (
    LEVEL,
    UNTESTED,
    DataSetComparison,
    Ranking,
    Selection,
    compare_on_data_set,
    rank_over_data_sets,
)
from ensvm.report.tables import build_table, is_own, row_label
from ensvm.study.metrics import unit_of
from ensvm.study.table_layout import TableConfig

RANKS = (
    "The best of a data set has rank 1; equal values share the mean of their ranks. The tests "
    "assume that the data sets are independent: rows made of the same data count too much."
)
NEMENYI = (
    f"Nemenyi's test (α = {LEVEL:g}) tells average ranks apart that differ by more than the "
    "critical difference, {cd:.2f}."
)
RESAMPLED = (
    "Each pair is compared over the realizations that both have, by the paired t test, "
    "two-sided; the p-values are adjusted for the number of pairs by Holm's method. "
    f"{NOTHING}: not tested, because {UNTESTED}."
)
CORRECTED = (
    "The realizations split the same rows anew, so that they are not independent: as Nadeau and "
    "Bengio (2003) have it, the variance of the mean has the factor 1/n + {overlap:.4g} in place "
    "of 1/n."
)
NOT_CORRECTED = (
    "The realizations share no rows, or have the same parts and differ in the algorithms' random "
    "numbers alone; no correction is made. In the latter case the test says nothing of other rows."
)


def ranking_document(ranking: Ranking) -> Document:
    """Return a ranking with its tests and what was left out; the frame has the pairs."""
    selection, average = ranking.selection, ranking.ranks.mean()
    friedman = ""
    if ranking.friedman_p is not None:
        friedman = f"Friedman's test of all being equal: p-value {_p_text(ranking.friedman_p)}."
    parts: list[Part] = [
        ranking_sentence(ranking),
        _rank_grid(ranking),
        NEMENYI.format(cd=ranking.critical_difference),
        friedman,
        RANKS,
        Bullets("Left out", selection.left_out),
        origin(selection.study),
    ]
    pairs = [
        {
            "table": selection.table.id,
            "metric": selection.metric,
            "n_data_sets": len(ranking.ranks),
            "n_algorithms": len(selection.labels),
            "first": first,
            "second": second,
            "first_rank": average[first],
            "second_rank": average[second],
            "nemenyi_p": ranking.nemenyi.loc[first, second],
            "friedman_p": ranking.friedman_p,
            "critical_difference": ranking.critical_difference,
        }
        for first, second in combinations(selection.labels, 2)
    ]
    return Document(f"Ranks of {_title(selection)}", parts, pd.DataFrame(pairs))


def comparison_document(comparison: DataSetComparison) -> Document:
    """Return a comparison on one data set with its legend; the frame has the pairs."""
    selection = comparison.selection
    parts: list[Part] = [
        comparison_sentence(comparison),
        _difference_grid(comparison),
        RESAMPLED,
        CORRECTED.format(overlap=comparison.overlap) if comparison.overlap else NOT_CORRECTED,
        Bullets("Left out", selection.left_out),
        origin(selection.study),
    ]
    columns = {
        "table": selection.table.id,
        "metric": selection.metric,
        "row": comparison.row,
        **comparison.pairs,
    }
    title = f"On {row_label(selection.study, comparison.row)}: {_title(selection)}"
    return Document(title, parts, pd.DataFrame(columns))


def who_is_best(study: Study, table: TableConfig) -> list[str]:
    """Return who is best on the user's own data, and from whom it cannot be told apart.

    A sentence about all data sets, or one about each if they are few; empty if there is no test, or
    if columns stand under several headings, which are other problems.
    """
    headings = {column.heading for column in table.columns}
    if table.of != "results" or len(headings) > 1 or not is_own(study, build_table(study, table)):
        return []
    with suppress(UserError):
        return [ranking_sentence(rank_over_data_sets(study, table))]
    sentences = []
    for row in study.config.rows_of(table):
        with suppress(UserError):
            comparison = compare_on_data_set(study, table, row)
            on = as_written(row_label(study, row))
            sentences.append(f"On {on}: {comparison_sentence(comparison)}")
    return sentences


def ranking_sentence(ranking: Ranking) -> str:
    """Name the algorithm with the best average rank, and those that are worse."""
    average, p = ranking.ranks.mean(), ranking.friedman_p
    behind = average - average.iloc[0] >= ranking.critical_difference
    worse = [] if p is not None and p > LEVEL else list(average.index[behind])
    what = f"the best average rank ({average.iloc[0]:.2f}, over {len(ranking.ranks)} data sets)"
    test = f"Nemenyi's test, α = {LEVEL:g}"
    return _sentence(ranking.selection, what, worse, [], test)


def comparison_sentence(comparison: DataSetComparison) -> str:
    """Name the algorithm with the best mean, and those that are worse."""
    selection, pairs = comparison.selection, comparison.pairs
    best, unit = next(iter(selection.labels)), unit_of(selection.metric)
    of_best = pairs[pairs["first"] == best].set_index("second")["p_holm"]
    untested = list(of_best.index[of_best.isna()])
    worse = list(of_best.index[of_best <= LEVEL])
    mean = f"{unit.text(comparison.means[best])} {unit.name}".strip()
    what = f"the best mean `{selection.metric}` ({mean})"
    test = f"corrected resampled t test after Holm, α = {LEVEL:g}"
    return _sentence(selection, what, worse, untested, test)


def _sentence(
    selection: Selection, what: str, worse: list[str], untested: list[str], test: str
) -> str:
    """Name the best algorithm, those that are not significantly different, and the worse ones."""
    labels = {name: as_written(label) for name, label in selection.labels.items()}
    best, *others = labels
    alike = [name for name in others if name not in (*worse, *untested)]
    if len(alike) == len(others) > 1:
        return (
            f"**{labels[best]}** has {what}. No other is significantly different from it ({test})."
        )
    named = {
        "Not significantly different from it": alike,
        "Significantly worse": worse,
        "Not tested against it": untested,
    }
    ends = [
        f"{text}: {enumerated([labels[name] for name in names])}."
        for text, names in named.items()
        if names
    ]
    return " ".join([f"**{labels[best]}** has {what}.", *ends, f"({test}.)"])


def _title(selection: Selection) -> str:
    """Return the table's number, the metric with its unit, which values are better, the caption."""
    unit = unit_of(selection.metric).name
    better = "smaller" if selection.better == "min" else "larger"
    metric = f"`{selection.metric}`{f' ({unit})' if unit else ''}; {better} values are better"
    return f"table {selection.table.id}, in {metric}. {one_line(selection.table.caption)}"


def _rank_grid(ranking: Ranking) -> Grid:
    """Return the average rank of each algorithm, and the p-value against the best one."""
    labels = ranking.selection.labels
    best = next(iter(labels))
    p_values = ranking.nemenyi.loc[best, list(labels)]
    rows = [
        [as_written(label), f"{rank:.3f}", NOTHING if name == best else _p_text(p)]
        for (name, label), rank, p in zip(
            labels.items(), ranking.ranks.mean(), p_values, strict=True
        )
    ]
    return Grid(["algorithm", "average rank", "p-value against the best"], rows)


def _difference_grid(comparison: DataSetComparison) -> Grid:
    """Return the difference of each pair with its interval and adjusted p-value."""
    selection, pairs = comparison.selection, comparison.pairs
    unit = unit_of(selection.metric)
    labels = {name: as_written(label) for name, label in selection.labels.items()}

    rows = []
    for pair in pairs.to_dict("records"):
        names = labels[pair["first"]], labels[pair["second"]]
        texts = [NOTHING] * 3
        if not pd.isna(pair["p"]):
            interval = f"{unit.text(pair['low'])} to {unit.text(pair['high'])}"
            texts = [unit.text(pair["difference"]), interval, _p_text(pair["p_holm"])]
        rows.append([*names, str(pair["n"]), *texts])
    interval = f"{100 * (1 - LEVEL):g} % interval"
    heads = ["algorithm", "less", "n", "difference", interval, "p after Holm"]
    return Grid(heads, rows, left=("less",))


def _p_text(p: float) -> str:
    return "< 0.0001" if p < 1e-4 else f"{p:.3g}"
