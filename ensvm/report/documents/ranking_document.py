"""Rankings over data sets and comparisons on one data set, as documents."""

import math
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from ensvm.counts import counted
from ensvm.errors import UserError
from ensvm.report.documents.document import (
    NOTHING,
    Bullets,
    Document,
    Grid,
    Part,
    as_written,
    columns_of,
    enumerated,
    number_range,
    origin,
)
from ensvm.report.ranking import (
    UNTESTED,
    DataSetComparison,
    Ranking,
    Selection,
    compare_on_data_set,
    rank_over_data_sets,
)
from ensvm.report.statistical_tests import LEVEL
from ensvm.report.study_folder import Study
from ensvm.report.tables import are_own_data, build_table, row_label
from ensvm.study.metrics import PERCENT, Unit, unit_of
from ensvm.study.table_layout import TableConfig

if TYPE_CHECKING:
    import pandas as pd

PARTLY = "Compared over some of the realizations"
UNLIKE = "Means over other realizations than their neighbours"
RANKS = (
    "The best of a data set has rank 1; equal values share the mean of their ranks. The tests "
    "assume that the data sets are independent: rows made of the same data count too much."
)
NEMENYI = (
    f"By Nemenyi's test (α = {LEVEL:g}), two average ranks differ significantly if they are more "
    "than {cd:.2f} apart, the critical difference."
)
RESAMPLED = (
    "The best is compared with each of the others over the realizations that both have, by the "
    "paired t test, two-sided; error rates of a single realization, and equal ones, by the "
    "interval of two rates (Agresti & Caffo 2000). p-values and intervals are adjusted for "
    f"the number of pairs by Holm's method. {NOTHING}: not tested, because {UNTESTED}."
)
CORRECTED = (
    "The realizations split the same rows anew and are not independent: as Nadeau and "
    "Bengio (2003) have it, the variance of the mean has the factor 1/n + {overlap:.4g} in place "
    "of 1/n."
)
SINGLE = "The values are of one realization, so the test says nothing of other training rows."
NOT_CORRECTED = (
    "The realizations share no rows, or have the same parts and differ in the algorithms' random "
    "numbers alone; no correction is made. If they have the same parts, the test says nothing "
    "of other rows."
)


def ranking_document(ranking: Ranking) -> Document:
    """Return a ranking with its tests and what was left out; the columns are of pairs."""
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
        Bullets(PARTLY, selection.partial),
        Bullets(UNLIKE, selection.unlike),
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
    return Document(f"Ranks of {_title(selection)}", parts, columns_of(pairs))


def comparison_document(comparison: DataSetComparison) -> Document:
    """Return a comparison on one data set with its legend; the columns are of pairs."""
    selection = comparison.selection
    parts: list[Part] = [
        comparison_sentence(comparison),
        _difference_grid(comparison),
        RESAMPLED,
        _on_dependence(comparison),
        Bullets(PARTLY, selection.partial),
        Bullets(UNLIKE, selection.unlike),
        Bullets("Left out", selection.left_out),
        origin(selection.study),
    ]
    n = len(comparison.pairs)
    columns = {
        "table": [selection.table.id] * n,
        "metric": [selection.metric] * n,
        "row": [comparison.row] * n,
        **{str(name): list(column) for name, column in comparison.pairs.items()},
    }
    title = f"On {row_label(selection.study, comparison.row)}: {_title(selection)}"
    return Document(title, parts, columns)


def _on_dependence(comparison: DataSetComparison) -> str:
    """Say whether the realizations of a comparison are independent of each other."""
    if comparison.is_single:
        return SINGLE
    return CORRECTED.format(overlap=comparison.overlap) if comparison.overlap else NOT_CORRECTED


def who_is_best(study: Study, table: TableConfig) -> list[str]:
    """Return which algorithms are best on the user's own data, and which are not shown to be worse.

    A sentence about all data sets, or one about each if they are few; what lacks values is named.
    Empty if there is no test, or if columns stand under several headings, which are other problems.
    """
    headings = {column.heading for column in table.columns}
    if (
        table.of != "results"
        or len(headings) > 1
        or not are_own_data(study, build_table(study, table))
    ):
        return []
    with suppress(UserError):
        ranking = rank_over_data_sets(study, table)
        return [ranking_sentence(ranking) + _limits(ranking.selection)]
    sentences = []
    for row in study.config.rows_of(table):
        with suppress(UserError):
            comparison = compare_on_data_set(study, table, row)
            on = as_written(row_label(study, row))
            best = comparison_sentence(comparison) + _limits(comparison.selection)
            sentences.append(f"On {on}: {best}")
    return sentences


def _limits(selection: Selection) -> str:
    """Return what is compared over some realizations, and what is not, each behind a blank."""
    parts = {PARTLY: selection.partial, "Not compared": selection.without_values}
    texts = {title: "; ".join(map(as_written, lines)) for title, lines in parts.items() if lines}
    return "".join(f" {title}: {text}." for title, text in texts.items())


def ranking_sentence(ranking: Ranking) -> str:
    """Name the algorithm with the best average rank, and those that are worse."""
    average, p = ranking.ranks.mean(), ranking.friedman_p
    behind = average - average.iloc[0] >= ranking.critical_difference
    worse = [] if p is not None and p > LEVEL else list(average.index[behind])
    texts = {str(name): f"{rank:.2f}" for name, rank in average.items()}
    over = counted(len(ranking.ranks), "data set")
    best = f"the best average rank ({average.iloc[0]:.2f}, over {over})"
    test = f"Nemenyi's test, α = {LEVEL:g}"
    groups = {
        "Not significantly different from it": [name for name in texts if name not in worse],
        "Significantly worse": worse,
    }
    return _sentence(ranking.selection, best, texts, groups, test)


def comparison_sentence(comparison: DataSetComparison) -> str:
    """Name the algorithm with the best mean, and how far the others are from it."""
    selection, pairs = comparison.selection, comparison.pairs.set_index("second")
    best, unit = next(iter(selection.labels)), unit_of(selection.metric)
    texts = {name: unit.text(mean) for name, mean in comparison.means.items()}
    differences = {f"{name}": _difference_text(pair, unit) for name, pair in pairs.iterrows()}
    untested = list(pairs.index[pairs["p_holm"].isna()])
    worse = list(pairs.index[pairs["p_holm"] <= LEVEL])
    mean = f"{texts[best]} {unit.name}".strip()
    of_test = "interval of two rates" if comparison.is_single else "corrected resampled t test"
    test = f"{of_test} after Holm, α = {LEVEL:g}"
    groups = {
        "Not shown to be worse": [name for name in texts if name not in (*worse, *untested)],
        "Significantly worse": worse,
        "Not tested against it": untested,
    }
    best_mean = f"the best mean `{selection.metric}` ({mean})"
    sentence = _sentence(selection, best_mean, texts, groups, test, differences)
    return " ".join([sentence, *_what_decides(comparison)])


def _what_decides(comparison: DataSetComparison) -> Iterator[str]:
    """Yield which differences more realizations would show, and which only more rows would."""
    needed = comparison.pairs.set_index("second")["n_to_decide"].dropna()
    labels = comparison.selection.labels
    finite = needed[np.isfinite(needed)]

    def named(names: Iterable[object]) -> str:
        """Return the labels of some algorithms in words."""
        return enumerated([as_written(labels[str(name)]) for name in names])

    if len(finite):
        n, counts = comparison.pairs["n"].min(), number_range({int(n) for n in finite})
        yield (
            f"{n} realizations are too few for {named(finite.index)}: about {counts} would show the"
            " difference, if means and spreads stay as they are."
        )
    if len(finite) < len(needed):
        names = named(needed.index.difference(finite.index, sort=False))
        yield (
            f"More realizations of the same rows would not show a difference from {names}, however"
            " many: only more rows may."
        )


def _difference_text(pair: "pd.Series[Any]", unit: Unit) -> str:
    """Return how much more or less an algorithm has than the best, with the interval."""
    if math.isnan(pair["p"]):
        return ""
    more, low, high = -pair["difference"], -pair["high"], -pair["low"]
    word = "more" if more >= 0 else "less"
    if more < 0:
        more, low, high = -more, -high, -low
    name = "points" if unit == PERCENT else unit.name
    number = f"{unit.text(more)} {name}".strip()
    return f" ({number} {word}, {unit.text(low)} to {unit.text(high)})"


def _sentence(
    selection: Selection,
    best: str,
    texts: Mapping[str, str],
    groups: Mapping[str, list[str]],
    test: str,
    differences: Mapping[str, str] | None = None,
) -> str:
    """Name the best algorithms, all that are shown with the same number, and groups of others.

    `texts` has the number of each, the best first; `differences` says how far each is from it.
    """
    first = next(iter(texts.values()))
    tied = [name for name, text in texts.items() if text == first]
    others = [name for name in texts if name not in tied]

    def named(names: list[str]) -> str:
        """Return the labels of some algorithms in words, with their differences."""
        labels = selection.labels
        return enumerated([as_written(labels[n]) + (differences or {}).get(n, "") for n in names])

    bests = enumerated([f"**{as_written(selection.labels[name])}**" for name in tied])
    sentences = [f"{bests} {'has' if len(tied) == 1 else 'have'} {best}."]
    for text, members in groups.items():
        names = [name for name in members if name not in tied]
        if len(names) == len(others) > 1 and text.startswith("Not significantly"):
            return f"{sentences[0]} No other is significantly different from it ({test})."
        sentences += [f"{text}: {named(names)}."] if names else []
    return " ".join([*sentences, f"({test}.)"])


def _title(selection: Selection) -> str:
    """Return the table's number, the metric with its unit, which values are better, the caption."""
    unit = unit_of(selection.metric).name
    better = "smaller" if selection.better == "min" else "larger"
    metric = f"`{selection.metric}`{f' ({unit})' if unit else ''}; {better} values are better"
    return f"table {selection.table.id}, in {metric}. {as_written(selection.table.caption)}"


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
    """Return the difference of the best from each other, with interval and adjusted p-value."""
    selection, pairs = comparison.selection, comparison.pairs
    unit = unit_of(selection.metric)
    labels = {name: as_written(label) for name, label in selection.labels.items()}

    rows = []
    for pair in pairs.to_dict("records"):
        names = labels[pair["first"]], labels[pair["second"]]
        texts = [NOTHING] * 3
        if not math.isnan(pair["p"]):
            interval = f"{unit.text(pair['low'])} to {unit.text(pair['high'])}"
            texts = [unit.text(pair["difference"]), interval, _p_text(pair["p_holm"])]
        rows.append([*names, str(pair["n"]), *texts])
    interval = f"{100 * (1 - LEVEL):g} % interval after Holm"
    heads = ["algorithm", "minus", "n", "difference", interval, "p after Holm"]
    return Grid(heads, rows, left=("minus",))


def _p_text(p: float) -> str:
    return "< 0.0001" if p < 1e-4 else f"{p:.3g}"
