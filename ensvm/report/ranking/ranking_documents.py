"""Write rankings and comparisons as CSV, Markdown and critical-difference diagrams."""

import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from tabulate import tabulate

from ensvm.records.writing import csv_of, replace_file
from ensvm.report.ranking.rank_tests import Friedman, groups
from ensvm.report.ranking.table_ranking import Comparison, Ranking, Selection, default_metric
from ensvm.report.tables.render import NOTHING, bullet_list, origin
from ensvm.study.metrics import PERCENT, POINTS, unit_of

RANKS = (
    "The values are those of the table, means over all realizations of each algorithm; in "
    "parentheses their ranks, 1 the best, where equal values share the mean of their ranks. Wins, "
    "ties and losses are against all others. The tests take the data sets for independent "
    "ones: of rows made of the same data, they count too many."
)
TESTS = (
    "Nemenyi's test compares the average ranks of all pairs at once. Wilcoxon's signed-rank test "
    "(exact) compares the values of a pair; after Holm, its p-values are adjusted for the number "
    "of pairs. **Bold**: at most α = {alpha:g}."
)
BAYESIAN = (
    "The Bayesian signed-rank test gives the probability that the first is better by more than "
    "{rope}, that the two are practically equivalent, and that the first is worse by more than "
    "that; they add up to 1."
)
RESAMPLED = (
    "Each pair is compared over the realizations that both have, by the paired t test of their "
    "differences, two-sided; after Holm, its p-values are adjusted for the number of pairs. "
    "**Bold**: at most α = {alpha:g}."
)
CORRECTED = (
    "The realizations split the same rows anew, so that they are not independent: as Nadeau and "
    "Bengio (2003) have it, the variance of the mean has the factor 1/n + {overlap:.4g} in place "
    "of 1/n (the smaller of the training and the test part over the larger, 1 / (k − 1) for k "
    "folds or groups)."
)
NOT_CORRECTED = (
    "The realizations share no rows, or have the same parts and differ in the algorithms' random "
    "numbers alone; no correction is made. In the latter case the test says nothing of other rows."
)
DIAGRAM_NOTE = (
    "average ranks over {n} data sets ({metric}), 1 the best; "
    "bars join what Nemenyi's test does not tell apart (α = {alpha:g})"
)
DIAGRAM_ENDINGS = (".png", ".svg", ".pdf")


def write_ranking(ranking: Ranking) -> tuple[str, list[Path]]:
    """Write `rank-<table>` as .csv, .md and a diagram; return the Markdown and the paths."""
    # matplotlib takes half a second to import.
    from ensvm.report.plots.critical_difference import draw_critical_difference

    selection, text = ranking.selection, ranking_to_markdown(ranking)
    corrected = ranking.friedman_corrected._asdict()
    table = {
        "table": selection.table.id,
        "metric": selection.metric,
        "n_data_sets": len(ranking.rows),
        "n_algorithms": len(selection.columns),
        **ranking.pairs,
        **ranking.friedman._asdict(),
        **{f"{name}_corrected": value for name, value in corrected.items()},
        "critical_difference": ranking.critical_difference,
        "alpha": ranking.alpha,
        "rope": ranking.rope,
    }
    diagram = draw_critical_difference(
        tuple(selection.labels.values()),
        ranking.average_ranks.tolist(),
        ranking.critical_difference,
        groups(ranking.average_ranks, ranking.critical_difference),
        DIAGRAM_NOTE.format(n=len(ranking.rows), metric=selection.metric, alpha=ranking.alpha),
        DIAGRAM_ENDINGS,
    )
    drawn = dict(zip(DIAGRAM_ENDINGS, diagram, strict=True))
    return text, _write(selection, "", {".csv": _csv(table), ".md": text, **drawn})


def write_comparison(comparison: Comparison) -> tuple[str, list[Path]]:
    """Write `rank-<table>-on-<data set>` as .csv and .md; return the Markdown and the paths."""
    selection, text = comparison.selection, comparison_to_markdown(comparison)
    table = {
        "table": selection.table.id,
        "metric": selection.metric,
        "row": comparison.row,
        **comparison.pairs,
        "alpha": comparison.alpha,
    }
    return text, _write(selection, f"-on-{comparison.row}", {".csv": _csv(table), ".md": text})


def _csv(columns: Mapping[str, object]) -> str:
    """Return columns, or values that are repeated in each line, as CSV."""
    return csv_of(pd.DataFrame(columns))


def _write(selection: Selection, suffix: str, contents: Mapping[str, str | bytes]) -> list[Path]:
    """Write files beside the records; a metric other than the table's own is part of the name."""
    by_metric = "" if _shows_metric(selection) else f"-by-{selection.metric}"
    stem = f"rank-{selection.table.id}{by_metric}{suffix}"
    paths = [selection.study.folder / f"{stem}{ending}" for ending in contents]
    for path, content in zip(paths, contents.values(), strict=True):
        replace_file(path, content)
    return paths


def ranking_to_markdown(ranking: Ranking) -> str:
    """Return a ranking with its tests, a legend, what was left out, and the records' origin."""
    selection = ranking.selection
    parts = [
        f"## Ranks of {_title(selection)}",
        f"{_metric_sentence(selection)} On {len(ranking.rows)} data sets:",
        _rank_table(ranking),
        _friedman_sentences(ranking),
        _pair_sentences(ranking),
        _pair_table(ranking),
        RANKS,
        TESTS.format(alpha=ranking.alpha),
        _rope_sentence(ranking),
        bullet_list("Left out", selection.left_out),
        origin(selection.study),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def comparison_to_markdown(comparison: Comparison) -> str:
    """Return a comparison on one data set, a legend, what was left out, and the origin."""
    selection, pairs = comparison.selection, comparison.pairs
    sizes = ", ".join(f"{name} = {size}" for name, size in comparison.sizes.items())
    overlaps = sorted(set(pairs["overlap"][pairs["p"].notna()]))
    untested = pairs[pairs["reason"] != ""]
    reasons = zip(_pair_names(selection, untested), untested["reason"], strict=True)
    parts = [
        f"## On {comparison.row}: {_title(selection)}",
        _metric_sentence(selection) + (f" The data set has {sizes}." if sizes else ""),
        _difference_table(comparison),
        RESAMPLED.format(alpha=comparison.alpha),
        *(CORRECTED.format(overlap=added) if added else NOT_CORRECTED for added in overlaps),
        bullet_list("Not tested", [f"{names}: {reason}" for names, reason in reasons]),
        bullet_list("Left out", selection.left_out),
        origin(selection.study),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _shows_metric(selection: Selection) -> bool:
    """Return whether the table itself is about the metric."""
    return selection.metric == default_metric(selection.table)


def _title(selection: Selection) -> str:
    """Return the table's number, and its caption if the caption is about the metric."""
    caption = f". {' '.join(selection.table.caption.split())}" if _shows_metric(selection) else ""
    return f"table {selection.table.id}{caption}"


def _metric_sentence(selection: Selection) -> str:
    name = unit_of(selection.metric).name
    better = "smaller" if selection.better == "min" else "larger"
    unit = f" ({name})" if name else ""
    return f"Compared in `{selection.metric}`{unit}; {better} values are better."


def _rope_sentence(ranking: Ranking) -> str:
    """Explain the Bayesian test if it was made."""
    if ranking.rope is None:
        return ""
    unit = unit_of(ranking.selection.metric)
    name = POINTS.name if unit == PERCENT else unit.name
    if ranking.rope == 1 and unit == PERCENT:
        name = name.removesuffix("s")
    return BAYESIAN.format(rope=f"{ranking.rope:g} {name}".rstrip())


def _rank_table(ranking: Ranking) -> str:
    """Return values and ranks of each data set, then average ranks and wins, ties and losses."""
    unit = unit_of(ranking.selection.metric)
    rows = [
        [row, *(f"{unit.text(value)} ({rank:g})" for value, rank in zip(*of_row, strict=True))]
        for row, *of_row in zip(ranking.rows, ranking.values, ranking.ranks, strict=True)
    ]
    rows.append(["**average rank**", *(f"**{rank:.3f}**" for rank in ranking.average_ranks)])
    # Compare each algorithm's rank with those of the others: smaller is a win.
    signs = np.sign(ranking.ranks[:, None, :] - ranking.ranks[:, :, None])
    wins, losses = (signs > 0).sum(axis=(0, 2)), (signs < 0).sum(axis=(0, 2))
    ties = (signs == 0).sum(axis=(0, 2)) - len(ranking.rows)  # each ties with itself
    counts = zip(wins, ties, losses, strict=True)
    rows.append(["wins / ties / losses", *(" / ".join(map(str, count)) for count in counts)])
    return _grid(["data set", *ranking.selection.labels.values()], rows, left=1)


def _friedman_sentences(ranking: Ranking) -> str:
    """Report the tests of Friedman and of Iman and Davenport; the corrected one decides."""
    n, k = ranking.ranks.shape
    parts = [f"Friedman's test of all being equal: {_friedman_text(ranking.friedman, n, k)}"]
    if ranking.friedman_corrected != ranking.friedman:
        parts.append(f"Corrected for ties: {_friedman_text(ranking.friedman_corrected, n, k)}")
    verdict = "is rejected (Iman and Davenport's)"
    if ranking.friedman_corrected.iman_davenport_p > ranking.alpha:
        verdict = (
            "is not rejected (Iman and Davenport's); "
            "the differences of single pairs are then not to be relied on"
        )
    return " ".join([*parts, f"At α = {ranking.alpha:g} it {verdict}."])


def _friedman_text(test: Friedman, n: int, k: int) -> str:
    is_exact = math.isinf(test.iman_davenport_f)
    f = "∞" if is_exact else f"{test.iman_davenport_f:.2f}"
    exact = " (exact: all data sets rank alike)" if is_exact else ""
    return (
        f"χ² = {test.friedman_chi2:.2f} with {k - 1} degrees of freedom, "
        f"p {_p_text(test.friedman_p)}; Iman and Davenport's F = {f} with {k - 1} and "
        f"{(k - 1) * (n - 1)} degrees of freedom, p {_p_text(test.iman_davenport_p)}{exact}."
    )


def _pair_sentences(ranking: Ranking) -> str:
    """Name the pairs that the tests of Nemenyi and of Wilcoxon tell apart."""
    pairs, n = ranking.pairs, len(ranking.rows)
    by_ranks = pairs["difference"] >= ranking.critical_difference
    by_values = pairs["wilcoxon_p_holm"] <= ranking.alpha
    wilcoxon = f"tells apart {_told_apart(ranking, by_values)}"
    # If all n data sets favour the same algorithm, Wilcoxon's p-value is 2^(1 - n).
    smallest_p = min(1.0, 2.0 ** (1 - n) * len(pairs))
    if smallest_p > ranking.alpha:
        wilcoxon = (
            f"cannot tell any apart: with {n} data sets and {len(pairs)} pairs "
            f"its adjusted p-values are at least {smallest_p:.2g}"
        )
    return (
        f"Nemenyi's test, with a critical difference of {ranking.critical_difference:.2f} ranks, "
        f"tells apart {_told_apart(ranking, by_ranks)}. Wilcoxon's test after Holm {wilcoxon}."
    )


def _told_apart(ranking: Ranking, is_different: "pd.Series[bool]") -> str:
    """Name the pairs that differ."""
    n_pairs = len(ranking.pairs)
    if not is_different.any():
        return "none"
    if is_different.all():
        return "all pairs" if n_pairs > 1 else "the two"
    names = "; ".join(_pair_names(ranking.selection, ranking.pairs[is_different]))
    return f"{is_different.sum()} of {n_pairs} pairs: {names}"


def _pair_names(selection: Selection, pairs: pd.DataFrame) -> list[str]:
    labels, names = selection.labels, zip(pairs["first"], pairs["second"], strict=True)
    return [f"{labels[first]} and {labels[second]}" for first, second in names]


def _pair_table(ranking: Ranking) -> str:
    pairs, labels, alpha = ranking.pairs, ranking.selection.labels, ranking.alpha
    counts = zip(pairs["wins"], pairs["ties"], pairs["losses"], strict=True)
    columns = {
        "first": pairs["first"].map(labels),
        "second": pairs["second"].map(labels),
        "rank difference": pairs["difference"].map("{:.3f}".format),
        "wins / ties / losses": [" / ".join(map(str, count)) for count in counts],
        "Nemenyi's p": _p_cells(pairs["nemenyi_p"], alpha),
        "Wilcoxon's p": _p_cells(pairs["wilcoxon_p"], alpha),
        "after Holm": _p_cells(pairs["wilcoxon_p_holm"], alpha),
    }
    if ranking.rope is not None:
        for outcome in ("better", "equivalent", "worse"):
            columns[outcome] = pairs[f"p_{outcome}"].map("{:.3f}".format)
    return _grid(list(columns), list(zip(*columns.values(), strict=True)), left=2)


def _difference_table(comparison: Comparison) -> str:
    pairs, labels = comparison.pairs, comparison.selection.labels
    unit = unit_of(comparison.selection.metric)

    def texts(column: str) -> list[str]:
        return [NOTHING if pd.isna(value) else unit.text(value) for value in pairs[column]]

    columns = {
        "first": pairs["first"].map(labels),
        "second": pairs["second"].map(labels),
        "first's": texts("first_mean"),
        "second's": texts("second_mean"),
        "difference": texts("difference"),
        f"{100 * (1 - comparison.alpha):g} % interval": [
            NOTHING if low == NOTHING else f"{low} to {high}"
            for low, high in zip(texts("low"), texts("high"), strict=True)
        ],
        "n": pairs["n"].map(str),
        "p": _p_cells(pairs["p"], comparison.alpha),
        "after Holm": _p_cells(pairs["p_holm"], comparison.alpha),
    }
    return _grid(list(columns), list(zip(*columns.values(), strict=True)), left=2)


def _grid(heads: Sequence[str], rows: Sequence[Sequence[str]], left: int) -> str:
    """Return a Markdown table whose first `left` columns are aligned to the left."""
    sides = ["left"] * left + ["right"] * (len(heads) - left)
    return tabulate(rows, headers=heads, tablefmt="pipe", disable_numparse=True, colalign=sides)


def _p_cells(p_values: Iterable[float], alpha: float) -> list[str]:
    """Return the texts of p-values in a table, bold if they are significant."""
    cells = [NOTHING if pd.isna(p) else _p_text(p).removeprefix("= ") for p in p_values]
    return [f"**{cell}**" if p <= alpha else cell for cell, p in zip(cells, p_values, strict=True)]


def _p_text(p: float) -> str:
    return "< 0.0001" if p < 1e-4 else f"= {p:.3g}"
