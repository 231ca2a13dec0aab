"""Rankings over data sets and comparisons on one data set, as documents."""

import math
import string
from collections.abc import Iterable

import numpy as np
import pandas as pd

from ensvm.report.documents.document import (
    NOTHING,
    Bullets,
    Document,
    Grid,
    Heading,
    Part,
    enumerated,
    one_line,
    origin,
)
from ensvm.report.ranking import DataSetComparison, Ranking, Selection
from ensvm.study.metrics import unit_of

WINS = (
    "A number says in how many of {where} the algorithm of its row is better than that of its "
    "column. **Bold**: the two are significantly different by {test}."
)
RANKS = (
    "The values are those of the table, means over all realizations of each algorithm; in "
    "parentheses their ranks, 1 the best; equal values share the mean of their ranks. Wins, ties "
    "and losses are against all others. The tests assume that the data sets are independent: rows "
    "made of the same data count too much."
)
TESTS = (
    "Nemenyi's test compares the average ranks of all pairs at once. Wilcoxon's signed-rank test "
    "(exact) compares the values of a pair; after Holm, its p-values are adjusted for the number "
    "of pairs. **Bold**: at most α = {alpha:g}."
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


def ranking_document(ranking: Ranking) -> Document:
    """Return a ranking with its tests, a legend and what was left out; the frame has the pairs."""
    selection = ranking.selection
    parts: list[Part] = [
        _ranking_sentence(ranking),
        _wins_grid(ranking),
        WINS.format(where=f"{len(ranking.rows)} data sets", test="Wilcoxon's test after Holm"),
        Heading(f"Each data set, in `{selection.metric}`{_unit(selection)}"),
        _rank_grid(ranking),
        _friedman_sentences(ranking),
        _pair_sentences(ranking),
        RANKS,
        Bullets("Left out", selection.left_out),
        Heading("Pairs"),
        _pair_grid(ranking),
        TESTS.format(alpha=ranking.alpha),
        origin(selection.study),
    ]
    columns = {
        "table": selection.table.id,
        "metric": selection.metric,
        "n_data_sets": len(ranking.rows),
        "n_algorithms": len(selection.columns),
        **ranking.pairs,
        **ranking.friedman._asdict(),
        "critical_difference": ranking.critical_difference,
        "alpha": ranking.alpha,
    }
    return Document(f"Ranks of {_title(selection)}", parts, pd.DataFrame(columns))


def comparison_document(comparison: DataSetComparison) -> Document:
    """Return a comparison on one data set with its legend; the frame has the pairs."""
    selection, pairs = comparison.selection, comparison.pairs
    sizes = ", ".join(f"{name} = {size}" for name, size in comparison.sizes.items())
    overlaps = sorted(set(pairs["overlap"][pairs["p"].notna()]))
    untested = pairs[pairs["reason"] != ""]
    reasons = _pair_names(untested, selection.labels, " and ") + ": " + untested["reason"]
    parts: list[Part] = [
        _comparison_sentence(comparison),
        _wins_grid(comparison),
        WINS.format(where="the realizations", test="the test below after Holm"),
        f"The data set has {sizes}." if sizes else "",
        Bullets("Left out", selection.left_out),
        Heading(f"Pairs, in `{selection.metric}`{_unit(selection)}"),
        _difference_grid(comparison),
        RESAMPLED.format(alpha=comparison.alpha),
        *(CORRECTED.format(overlap=added) if added else NOT_CORRECTED for added in overlaps),
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
    title = f"On {comparison.row}: {_title(selection)}"
    return Document(title, parts, pd.DataFrame(columns))


def _ranking_sentence(ranking: Ranking) -> str:
    """Name the algorithm with the best average rank, and those that are worse."""
    _, *others = ranking.selection.labels
    rejected = ranking.friedman.iman_davenport_p <= ranking.alpha
    behind = ranking.average_ranks[1:] - ranking.average_ranks[0] >= ranking.critical_difference
    worse = [name for name, far in zip(others, behind, strict=True) if rejected and far]
    rank = f"{ranking.average_ranks[0]:.2f}, over {len(ranking.rows)} data sets"
    test = f"Nemenyi's test, α = {ranking.alpha:g}"
    return _sentence(ranking.selection, f"the best average rank ({rank})", worse, [], test)


def _comparison_sentence(comparison: DataSetComparison) -> str:
    """Name the algorithm with the best mean, and those that are worse."""
    selection, pairs = comparison.selection, comparison.pairs
    best = next(iter(selection.labels))
    of_best = pairs[pairs["first"] == best].set_index("second")["p_holm"]
    untested = list(of_best.index[of_best.isna()])
    worse = list(of_best.index[of_best <= comparison.alpha])
    unit = unit_of(selection.metric)
    mean = f"{unit.text(comparison.means[best])} {unit.name}".strip()
    test = f"corrected resampled t test after Holm, α = {comparison.alpha:g}"
    return _sentence(
        selection, f"the best mean `{selection.metric}` ({mean})", worse, untested, test
    )


def _sentence(
    selection: Selection, what: str, worse: list[str], untested: list[str], test: str
) -> str:
    """Name the best algorithm, those that are not significantly different, and the worse ones."""
    labels = selection.labels
    best, *others = labels
    alike = [name for name in others if name not in (*worse, *untested)]
    if not worse and not untested and len(alike) > 1:
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
    """Return a short code for each column, in their order: letters, or numbers if they are many."""
    names, letters = list(selection.labels), list(string.ascii_uppercase)
    numbers = [str(number + 1) for number in range(len(names))]
    codes = letters[: len(names)] if len(names) <= len(letters) else numbers
    return dict(zip(names, codes, strict=True))


def _wins_grid(result: Ranking | DataSetComparison) -> Grid:
    """Return the algorithms with their codes and means, and how often each beats each other."""
    selection, codes = result.selection, _codes(result.selection)
    if isinstance(result, Ranking):
        head, means = "rank", [f"{rank:.2f}" for rank in result.average_ranks]
        p_values = result.pairs["wilcoxon_p_holm"]
    else:
        unit = unit_of(selection.metric)
        head, means = "mean", [unit.text(result.means[name]) for name in codes]
        p_values = result.pairs["p_holm"]
    wins = {(name, name): NOTHING for name in codes}
    for pair, p in zip(result.pairs.to_dict("records"), p_values, strict=True):
        both = pair["first"], pair["second"]
        for names, won in ((both, pair["wins"]), (both[::-1], pair["losses"])):
            wins[names] = f"**{won}**" if p <= result.alpha else str(won)
    rows = [
        [f"{code} {selection.labels[name]}", mean, *(wins[name, other] for other in codes)]
        for (name, code), mean in zip(codes.items(), means, strict=True)
    ]
    return Grid(["algorithm", head, *codes.values()], rows)


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
    return Grid(["data set", *_codes(ranking.selection).values()], rows)


def _friedman_sentences(ranking: Ranking) -> str:
    """Report the tests of Friedman and of Iman and Davenport; the latter decides."""
    n, k = ranking.ranks.shape
    test = ranking.friedman
    is_exact = math.isinf(test.iman_davenport_f)
    f = "∞" if is_exact else f"{test.iman_davenport_f:.2f}"
    exact = " (exact: all data sets rank alike)" if is_exact else ""
    verdict = "is rejected (Iman and Davenport's)"
    if test.iman_davenport_p > ranking.alpha:
        verdict = (
            "is not rejected (Iman and Davenport's); "
            "the differences of single pairs are then not to be relied on"
        )
    return (
        "Friedman's test of all being equal: "
        f"χ² = {test.friedman_chi2:.2f} with {k - 1} degrees of freedom, "
        f"p {_p_text(test.friedman_p)}; Iman and Davenport's F = {f} with {k - 1} and "
        f"{(k - 1) * (n - 1)} degrees of freedom, p {_p_text(test.iman_davenport_p)}{exact}. "
        f"At α = {ranking.alpha:g} it {verdict}."
    )


def _pair_sentences(ranking: Ranking) -> str:
    """Name the pairs that are significantly different by the tests of Nemenyi and of Wilcoxon."""
    pairs, n = ranking.pairs, len(ranking.rows)
    by_ranks = pairs["difference"] >= ranking.critical_difference
    by_values = pairs["wilcoxon_p_holm"] <= ranking.alpha
    wilcoxon = f"finds {_different_pairs(ranking, by_values)}"
    # If all n data sets favour the same algorithm, Wilcoxon's p-value is 2^(1 - n).
    smallest_p = min(1.0, 2.0 ** (1 - n) * len(pairs))
    if smallest_p > ranking.alpha:
        wilcoxon = (
            f"cannot find any: with {n} data sets and {len(pairs)} pairs "
            f"its adjusted p-values are at least {smallest_p:.2g}"
        )
    return (
        "Significantly different pairs: Nemenyi's test, with a critical difference of "
        f"{ranking.critical_difference:.2f} ranks, finds {_different_pairs(ranking, by_ranks)}. "
        f"Wilcoxon's test after Holm {wilcoxon}."
    )


def _different_pairs(ranking: Ranking, is_different: "pd.Series[bool]") -> str:
    """Name the pairs that differ, by their codes."""
    n_pairs = len(ranking.pairs)
    if not is_different.any():
        return "none"
    if is_different.all():
        return "all" if n_pairs > 1 else "the two"
    names = _pair_names(ranking.pairs[is_different], _codes(ranking.selection), " ")
    return f"{is_different.sum()} of {n_pairs}: {', '.join(names)}"


def _pair_names(pairs: pd.DataFrame, names: dict[str, str], between: str) -> "pd.Series[str]":
    return pairs["first"].map(names) + between + pairs["second"].map(names)


def _pair_grid(ranking: Ranking) -> Grid:
    pairs, alpha = ranking.pairs, ranking.alpha
    counts = zip(pairs["wins"], pairs["ties"], pairs["losses"], strict=True)
    columns = {
        "pair": _pair_names(pairs, _codes(ranking.selection), " "),
        "rank difference": pairs["difference"].map("{:.3f}".format),
        "wins / ties / losses": [" / ".join(map(str, count)) for count in counts],
        "Nemenyi's p": _bold_p_values(pairs["nemenyi_p"], alpha),
        "Wilcoxon's p": _bold_p_values(pairs["wilcoxon_p"], alpha),
        "after Holm": _bold_p_values(pairs["wilcoxon_p_holm"], alpha),
    }
    return Grid(list(columns), list(zip(*columns.values(), strict=True)))


def _difference_grid(comparison: DataSetComparison) -> Grid:
    pairs = comparison.pairs
    unit = unit_of(comparison.selection.metric)

    def texts(column: str) -> list[str]:
        return [NOTHING if pd.isna(value) else unit.text(value) for value in pairs[column]]

    columns = {
        "pair": _pair_names(pairs, _codes(comparison.selection), " "),
        "difference": texts("difference"),
        f"{100 * (1 - comparison.alpha):g} % interval": [
            NOTHING if low == NOTHING else f"{low} to {high}"
            for low, high in zip(texts("low"), texts("high"), strict=True)
        ],
        "n": pairs["n"].map(str),
        "p": _bold_p_values(pairs["p"], comparison.alpha),
        "after Holm": _bold_p_values(pairs["p_holm"], comparison.alpha),
    }
    return Grid(list(columns), list(zip(*columns.values(), strict=True)))


def _bold_p_values(p_values: Iterable[float], alpha: float) -> list[str]:
    """Return the texts of p-values in a table, bold if they are significant."""
    cells = [NOTHING if pd.isna(p) else _p_text(p).removeprefix("= ") for p in p_values]
    return [f"**{cell}**" if p <= alpha else cell for cell, p in zip(cells, p_values, strict=True)]


def _p_text(p: float) -> str:
    return "< 0.0001" if p < 1e-4 else f"= {p:.3g}"
