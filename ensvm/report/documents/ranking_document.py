"""Rankings over data sets and comparisons on one data set, as documents."""

from contextlib import suppress

import pandas as pd

from ensvm.errors import UserError
from ensvm.report.documents.document import (
    NOTHING,
    Bullets,
    Document,
    Grid,
    Heading,
    Part,
    as_written,
    enumerated,
    one_line,
    origin,
)
from ensvm.report.query import Study
from ensvm.report.ranking import (
    DataSetComparison,
    Ranking,
    Selection,
    compare_on_data_set,
    rank_over_data_sets,
)
from ensvm.report.tables import build_table, is_own, row_label
from ensvm.study.metrics import unit_of
from ensvm.study.table_layout import TableConfig

LEVEL = 0.05  # of the tests in the sentence below a table

WINS = (
    "A number says in how many of {where} the algorithm of its row is better than that of its "
    "column. **Bold**: the two are significantly different by {test} (after Holm, α = {alpha:g})."
)
RANKS = (
    "In parentheses: the rank, 1 the best; equal values share the mean of their ranks. The tests "
    "assume that the data sets are independent: rows made of the same data count too much."
)
NEMENYI = (
    "Nemenyi's test (α = {alpha:g}) tells average ranks apart that differ by more than the "
    "critical difference, {cd:.2f}."
)
UNEVEN = "Warning: these data sets have different numbers of realizations"
RESAMPLED = (
    "Each pair is compared over the realizations that both have, by the paired t test, two-sided; "
    "after Holm, its p-values are adjusted for the number of pairs."
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
    """Return a ranking with its tests, a legend and what was left out; the frame has the pairs."""
    selection, n = ranking.selection, len(ranking.values)
    average = ranking.ranks.mean()
    wins = WINS.format(where=f"{n} data sets", test="Wilcoxon's test", alpha=ranking.alpha)
    parts: list[Part] = [
        ranking_sentence(ranking),
        _wins_grid(
            selection,
            {"rank": {name: f"{average[name]:.2f}" for name in selection.labels}},
            ranking.pairs.assign(p=ranking.pairs["wilcoxon_p_holm"]),
            ranking.alpha,
        ),
        wins,
        NEMENYI.format(alpha=ranking.alpha, cd=ranking.critical_difference),
        ""
        if ranking.friedman_p is None
        else f"Friedman's test of all being equal: p {_p_text(ranking.friedman_p)}.",
        Heading(f"Each data set, in `{selection.metric}`{_unit(selection)}"),
        _rank_grid(ranking),
        RANKS,
        Bullets("Left out", selection.left_out),
        Bullets(UNEVEN, selection.uneven),
        origin(selection.study),
    ]
    columns = {
        "table": selection.table.id,
        "metric": selection.metric,
        "n_data_sets": n,
        "n_algorithms": len(selection.labels),
        **ranking.pairs,
        "friedman_p": ranking.friedman_p,
        "critical_difference": ranking.critical_difference,
        "alpha": ranking.alpha,
    }
    return Document(f"Ranks of {_title(selection)}", parts, pd.DataFrame(columns))


def comparison_document(comparison: DataSetComparison) -> Document:
    """Return a comparison on one data set with its legend; the frame has the pairs."""
    selection, pairs = comparison.selection, comparison.pairs
    untested = pairs[pairs["reason"] != ""]
    reasons = _pair_names(untested, selection.labels, " and ") + ": " + untested["reason"]
    unit = unit_of(selection.metric)
    means = {name: unit.text(mean) for name, mean in comparison.means.items()}
    wins = WINS.format(where="the realizations", test="the test below", alpha=comparison.alpha)
    parts: list[Part] = [
        comparison_sentence(comparison),
        _wins_grid(selection, {"mean": means}, pairs.assign(p=pairs["p_holm"]), comparison.alpha),
        wins,
        Bullets("Left out", selection.left_out),
        Bullets(UNEVEN, selection.uneven),
        Heading(f"Pairs, in `{selection.metric}`{_unit(selection)}"),
        _difference_grid(comparison),
        RESAMPLED,
        CORRECTED.format(overlap=comparison.overlap) if comparison.overlap else NOT_CORRECTED,
        Bullets("Not tested", reasons.tolist()),
        origin(selection.study),
    ]
    columns = {
        "table": selection.table.id,
        "metric": selection.metric,
        "row": comparison.row,
        **pairs,
        "alpha": comparison.alpha,
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
        return [ranking_sentence(rank_over_data_sets(study, table, None, LEVEL))]
    sentences = []
    for row in study.config.rows_of(table):
        with suppress(UserError):
            comparison = compare_on_data_set(study, table, row, None, LEVEL)
            on = as_written(row_label(study, row))
            sentences.append(f"On {on}: {comparison_sentence(comparison)}")
    return sentences


def ranking_sentence(ranking: Ranking) -> str:
    """Name the algorithm with the best average rank, and those that are worse."""
    average, p = ranking.ranks.mean(), ranking.friedman_p
    behind = average - average.iloc[0] >= ranking.critical_difference
    worse = [] if p is not None and p > ranking.alpha else list(average.index[behind])
    what = f"the best average rank ({average.iloc[0]:.2f}, over {len(ranking.ranks)} data sets)"
    test = f"Nemenyi's test, α = {ranking.alpha:g}"
    return _sentence(ranking.selection, what, worse, [], test)


def comparison_sentence(comparison: DataSetComparison) -> str:
    """Name the algorithm with the best mean, and those that are worse."""
    selection, pairs = comparison.selection, comparison.pairs
    best, unit = next(iter(selection.labels)), unit_of(selection.metric)
    of_best = pairs[pairs["first"] == best].set_index("second")["p_holm"]
    untested = list(of_best.index[of_best.isna()])
    worse = list(of_best.index[of_best <= comparison.alpha])
    mean = f"{unit.text(comparison.means[best])} {unit.name}".strip()
    what = f"the best mean `{selection.metric}` ({mean})"
    test = f"corrected resampled t test after Holm, α = {comparison.alpha:g}"
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


def _codes(selection: Selection) -> dict[str, str]:
    """Return a short code for each column, in their order: a number."""
    return {name: str(number) for number, name in enumerate(selection.labels, 1)}


def _wins_grid(
    selection: Selection, scores: dict[str, dict[str, str]], pairs: pd.DataFrame, alpha: float
) -> Grid:
    """Return the algorithms with their codes and scores, and how often each beats each other."""
    codes = _codes(selection)
    wins = {(name, name): NOTHING for name in codes}
    for pair in pairs.to_dict("records"):
        both = pair["first"], pair["second"]
        for names, won in ((both, pair["wins"]), (both[::-1], pair["losses"])):
            wins[names] = f"**{won}**" if pair["p"] <= alpha else str(won)
    rows = [
        [
            f"{code} {as_written(selection.labels[name])}",
            *(of_name[name] for of_name in scores.values()),
            *(wins[name, other] for other in codes),
        ]
        for name, code in codes.items()
    ]
    return Grid(["algorithm", *scores, *codes.values()], rows)


def _title(selection: Selection) -> str:
    """Return the table's number, and its caption if the caption is about the metric."""
    caption = f". {one_line(selection.table.caption)}" if selection.shows_metric else ""
    return f"table {selection.table.id}{caption}"


def _unit(selection: Selection) -> str:
    """Return the unit of the metric in parentheses, and which values are better."""
    name = unit_of(selection.metric).name
    better = "smaller" if selection.better == "min" else "larger"
    return f"{f' ({name})' if name else ''}; {better} values are better"


def _rank_grid(ranking: Ranking) -> Grid:
    """Return values and ranks of each data set, then average ranks."""
    unit = unit_of(ranking.selection.metric)
    study = ranking.selection.study
    both = zip(ranking.values.to_numpy(), ranking.ranks.to_numpy(), strict=True)
    rows = [
        [
            as_written(row_label(study, str(row))),
            *(f"{unit.text(value)} ({rank:g})" for value, rank in zip(*of_row, strict=True)),
        ]
        for row, of_row in zip(ranking.values.index, both, strict=True)
    ]
    rows.append(["**average rank**", *(f"**{rank:.3f}**" for rank in ranking.ranks.mean())])
    return Grid(["data set", *_codes(ranking.selection).values()], rows)


def _pair_names(pairs: pd.DataFrame, names: dict[str, str], between: str) -> "pd.Series[str]":
    return pairs["first"].map(names) + between + pairs["second"].map(names)


def _difference_grid(comparison: DataSetComparison) -> Grid:
    pairs, unit = comparison.pairs, unit_of(comparison.selection.metric)

    def texts(column: str) -> list[str]:
        return [NOTHING if pd.isna(value) else unit.text(value) for value in pairs[column]]

    intervals = zip(texts("low"), texts("high"), strict=True)
    columns = {
        "pair": _pair_names(pairs, _codes(comparison.selection), " "),
        "difference": texts("difference"),
        f"{100 * (1 - comparison.alpha):g} % interval": [
            low if low == NOTHING else f"{low} to {high}" for low, high in intervals
        ],
        "n": pairs["n"].map(str),
        **{
            head: [NOTHING if pd.isna(p) else _p_text(p).removeprefix("= ") for p in pairs[column]]
            for head, column in (("p", "p"), ("after Holm", "p_holm"))
        },
    }
    return Grid(list(columns), list(zip(*columns.values(), strict=True)))


def _p_text(p: float) -> str:
    return "< 0.0001" if p < 1e-4 else f"= {p:.3g}"
