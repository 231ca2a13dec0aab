"""Rankings and comparisons as files: CSV, a pair a line and unrounded; Markdown with a legend."""

import math
from collections.abc import Sequence
from dataclasses import asdict, fields

import pandas as pd
from tabulate import tabulate

from ensvm.records.writing import csv_of
from ensvm.report.query import Study
from ensvm.report.ranking.average_ranks import Friedman
from ensvm.report.ranking.over_data_sets import RankedPair, Ranking
from ensvm.report.ranking.over_realizations import ComparedPair, Comparisons
from ensvm.report.ranking.selection import Chosen, default_metric
from ensvm.report.ranking.signed_ranks import smallest_p
from ensvm.report.tables.render import NOTHING, bullet_list, origin
from ensvm.study.metrics import PERCENT, POINTS, Unit

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


def ranking_to_csv(ranking: Ranking) -> str:
    """Return the pairs, one line each and unrounded, with the tests of all algorithms."""
    whole = {
        "table": ranking.chosen.table.id,
        "metric": ranking.chosen.metric,
        "n_data_sets": len(ranking.rows),
        "n_algorithms": len(ranking.names),
    }
    tests = {
        **_named(ranking.friedman, ""),
        **_named(ranking.friedman_corrected, "_corrected"),
        "critical_difference": ranking.critical_difference,
        "alpha": ranking.alpha,
        "rope": ranking.rope,
    }
    lines = [
        {
            **whole,
            **asdict(pair),
            "first": ranking.names[pair.first],
            "second": ranking.names[pair.second],
            "first_rank": ranking.average[pair.first],
            "second_rank": ranking.average[pair.second],
            **tests,
        }
        for pair in ranking.pairs
    ]
    own = [field.name for field in fields(RankedPair)]
    columns = [*whole, *own[:2], "first_rank", "second_rank", *own[2:], *tests]
    return _csv(lines, columns)


def comparisons_to_csv(compared: Comparisons) -> str:
    """Return the pairs on one data set, one line each and unrounded."""
    chosen = compared.chosen
    whole = {"table": chosen.table.id, "metric": chosen.metric, "row": compared.row}
    lines = [{**whole, **asdict(pair), "alpha": compared.alpha} for pair in compared.pairs]
    return _csv(lines, [*whole, *(field.name for field in fields(ComparedPair)), "alpha"])


def ranking_to_markdown(study: Study, ranking: Ranking) -> str:
    """Return a ranking with its tests, what was left out, a legend, and the records' origin."""
    chosen = ranking.chosen
    parts = [
        f"## Ranks of {_title(chosen)}",
        f"{_measure(chosen)} On {len(ranking.rows)} data sets:",
        _ranks(ranking),
        _omnibus(ranking),
        _told_apart(ranking),
        _pairs(ranking),
        RANKS,
        TESTS.format(alpha=ranking.alpha),
    ]
    if ranking.rope is not None:
        parts.append(BAYESIAN.format(rope=_region(ranking.rope, chosen.unit)))
    parts += [bullet_list("Left out", chosen.left_out), origin(study)]
    return "\n\n".join(part for part in parts if part) + "\n"


def comparisons_to_markdown(study: Study, compared: Comparisons) -> str:
    """Return the comparisons on one data set with what was left out, a legend, and the origin."""
    chosen = compared.chosen
    shared = {pair.overlap for pair in compared.pairs if pair.p is not None}
    facts = ", ".join(f"{name} = {count}" for name, count in compared.parts)
    parts = [
        f"## On {compared.row}: {_title(chosen)}",
        f"{_measure(chosen)} {f'The data set has {facts}.' if facts else ''}".strip(),
        _differences(compared),
        RESAMPLED.format(alpha=compared.alpha),
        *(CORRECTED.format(overlap=one) if one else NOT_CORRECTED for one in sorted(shared)),
        bullet_list("Not tested", _untested(compared)),
        bullet_list("Left out", chosen.left_out),
        origin(study),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def diagram_note(ranking: Ranking) -> str:
    """Return what stands under the diagram: what it shows, and what its bars mean."""
    return (
        f"average ranks over {len(ranking.rows)} data sets ({ranking.chosen.metric}), 1 the best; "
        f"bars join what Nemenyi's test does not tell apart (α = {ranking.alpha:g})"
    )


def _csv(lines: Sequence[dict[str, object]], columns: list[str]) -> str:
    return csv_of(pd.DataFrame(lines, columns=columns))


def _named(test: Friedman, suffix: str) -> dict[str, float]:
    return {
        f"friedman_chi2{suffix}": test.chi2,
        f"friedman_p{suffix}": test.chi2_p,
        f"iman_davenport_f{suffix}": test.f,
        f"iman_davenport_p{suffix}": test.f_p,
    }


def _title(chosen: Chosen) -> str:
    """Return the table with its caption, unless that is of another metric."""
    table = chosen.table
    own = chosen.metric == default_metric(table)
    return f"table {table.id}" + (f". {' '.join(table.caption.split())}" if own else "")


def _measure(chosen: Chosen) -> str:
    unit = f" ({chosen.unit.name})" if chosen.unit.name else ""
    end = "smaller" if chosen.better == "min" else "larger"
    return f"Compared in `{chosen.metric}`{unit}; {end} values are better."


def _region(rope: float, unit: Unit) -> str:
    """Return the largest difference that does not matter, with its unit."""
    name = POINTS.name if unit == PERCENT else unit.name
    one = rope == 1 and unit == PERCENT
    return f"{rope:g} {name.removesuffix('s') if one else name}".rstrip()


def _ranks(ranking: Ranking) -> str:
    """Return the values and ranks of each data set, under them the averages and the wins."""
    unit = ranking.chosen.unit
    rows = [
        [row, *(f"{unit.text(value)} ({rank:g})" for value, rank in zip(*of_row, strict=True))]
        for row, *of_row in zip(ranking.rows, ranking.values, ranking.ranks, strict=True)
    ]
    rows.append(["**average rank**", *(f"**{rank:.3f}**" for rank in ranking.average)])
    counts = [[0, 0, 0] for _ in ranking.names]
    for pair in ranking.pairs:
        for place, found in (
            (pair.first, (pair.wins, pair.ties, pair.losses)),
            (pair.second, (pair.losses, pair.ties, pair.wins)),
        ):
            counts[place] = [sum(both) for both in zip(counts[place], found, strict=True)]
    rows.append(["wins / ties / losses", *(" / ".join(map(str, found)) for found in counts)])
    return _grid(["data set", *ranking.labels], rows, left=1)


def _omnibus(ranking: Ranking) -> str:
    """Say what Friedman's test and Iman and Davenport's say of all algorithms being equal."""
    n, k = ranking.ranks.shape
    parts = [f"Friedman's test of all being equal: {_test(ranking.friedman, n, k)}"]
    decisive = ranking.friedman_corrected
    if decisive != ranking.friedman:
        parts.append(f"Corrected for ties: {_test(decisive, n, k)}")
    rejected = decisive.f_p <= ranking.alpha
    verdict = "is rejected" if rejected else "is not rejected"
    tail = "" if rejected else "; the differences of single pairs are then not to be relied on"
    parts.append(f"At α = {ranking.alpha:g} it {verdict} (Iman and Davenport's){tail}.")
    return " ".join(parts)


def _test(test: Friedman, n: int, k: int) -> str:
    freedom = f"{k - 1} and {(k - 1) * (n - 1)} degrees of freedom"
    f = "∞" if math.isinf(test.f) else f"{test.f:.2f}"
    exact = " (exact: all data sets rank alike)" if math.isinf(test.f) else ""
    return (
        f"χ² = {test.chi2:.2f} with {k - 1} degrees of freedom, p {_p_text(test.chi2_p)}; Iman and "
        f"Davenport's F = {f} with {freedom}, p {_p_text(test.f_p)}{exact}."
    )


def _told_apart(ranking: Ranking) -> str:
    """Say which pairs the two tests tell apart, and whether Wilcoxon's could tell any."""
    alpha, pairs = ranking.alpha, ranking.pairs
    by_ranks = [pair for pair in pairs if pair.difference >= ranking.critical_difference]
    by_signs = [pair for pair in pairs if pair.wilcoxon_p_holm <= alpha]
    least = min(1.0, smallest_p(len(ranking.rows)) * len(pairs))
    if least > alpha:
        signs = (
            f"cannot tell any apart: with {len(ranking.rows)} data sets and {len(pairs)} pairs "
            f"its adjusted p-values are at least {least:.2g}"
        )
    else:
        signs = f"tells apart {_names(ranking, by_signs)}"
    return (
        f"Nemenyi's test, with a critical difference of {ranking.critical_difference:.2f} ranks, "
        f"tells apart {_names(ranking, by_ranks)}. Wilcoxon's test after Holm {signs}."
    )


def _names(ranking: Ranking, pairs: Sequence[RankedPair]) -> str:
    if not pairs:
        return "none"
    if len(pairs) == len(ranking.pairs):
        return "all pairs" if len(pairs) > 1 else "the two"
    return f"{len(pairs)} of {len(ranking.pairs)} pairs: " + "; ".join(
        f"{ranking.labels[pair.first]} and {ranking.labels[pair.second]}" for pair in pairs
    )


def _pairs(ranking: Ranking) -> str:
    heads = ["first", "second", "rank difference", "wins / ties / losses", "Nemenyi's p"]
    heads += ["Wilcoxon's p", "after Holm"]
    heads += ["better", "equivalent", "worse"] if ranking.rope is not None else []
    rows = []
    for pair in ranking.pairs:
        tested = (pair.nemenyi_p, pair.wilcoxon_p, pair.wilcoxon_p_holm)
        beliefs = (pair.p_better, pair.p_equivalent, pair.p_worse)
        rows.append(
            [
                ranking.labels[pair.first],
                ranking.labels[pair.second],
                f"{pair.difference:.3f}",
                f"{pair.wins} / {pair.ties} / {pair.losses}",
                *(_p(p, ranking.alpha) for p in tested),
                *(f"{p:.3f}" for p in beliefs if p is not None),
            ]
        )
    return _grid(heads, rows, left=2)


def _differences(compared: Comparisons) -> str:
    unit, labels = compared.chosen.unit, compared.labels
    interval = f"{100 * (1 - compared.alpha):g} % interval"
    heads = ["first", "second", "first's", "second's", "difference", interval, "n", "p"]
    rows = [
        [
            labels[pair.first],
            labels[pair.second],
            *(
                NOTHING if value is None else unit.text(value)
                for value in (pair.first_mean, pair.second_mean, pair.difference)
            ),
            NOTHING
            if pair.low is None or pair.high is None
            else f"{unit.text(pair.low)} to {unit.text(pair.high)}",
            str(pair.n),
            _p(pair.p, compared.alpha),
            _p(pair.p_holm, compared.alpha),
        ]
        for pair in compared.pairs
    ]
    return _grid([*heads, "after Holm"], rows, left=2)


def _untested(compared: Comparisons) -> list[str]:
    return [
        f"{compared.labels[pair.first]} and {compared.labels[pair.second]}: {pair.reason}"
        for pair in compared.pairs
        if pair.reason
    ]


def _grid(heads: list[str], rows: list[list[str]], left: int) -> str:
    sides = ["left"] * left + ["right"] * (len(heads) - left)
    return tabulate(rows, headers=heads, tablefmt="pipe", disable_numparse=True, colalign=sides)


def _p(p: float | None, alpha: float) -> str:
    """Return a p-value of a table, bold where it is at most alpha."""
    if p is None:
        return NOTHING
    text = _p_text(p).removeprefix("= ")
    return f"**{text}**" if p <= alpha else text


def _p_text(p: float) -> str:
    return "< 0.0001" if p < 1e-4 else f"= {p:.3g}"
