"""Phrases that the texts of ecda13 state of results, computed from records, data and print."""

from collections.abc import Callable, Iterable

import generated
import numpy as np
import row_as_one_vector
from scipy.stats import t as student
from stated_numbers import frame_of, printed_of, records_of, short, values_of


def deviations_of_spam() -> list[str]:
    """Printed deviations; those of ten runs on one split of ours, and of their means."""
    printed = printed_of("ecda13", "2").loc["spam"]["std"].dropna()
    within, between = [], []
    for kernel in ("radial", "polynomial", "radpol"):
        runs = 100.0 * np.array(
            [
                values_of("ecda13", "spam", f"runs_{kernel}-{run}", "accuracy")
                for run in range(1, 11)
            ]
        )
        within.append(runs.std(axis=0, ddof=1).mean())
        between.append(runs.mean(axis=0).std(ddof=1))
    return [
        f"deviations of {short(printed.min(), 2)} to {short(printed.max(), 2)} for the ensembles",
        f"have deviations of {short(min(within))} to {short(max(within))}",
        f"of {short(min(between))} to {short(max(between))}",
    ]


def spam_as_one_vector() -> list[str]:
    """Hotelling's test of benchmarks/row_as_one_vector.py."""
    study = generated.results_of("ecda13")
    ours, printed, _ = row_as_one_vector.vectors(study, "2", "spam")
    basis = row_as_one_vector.contrasts(len(printed))
    texts = []
    for one, other in ((ours, printed), (ours @ basis, printed @ basis)):
        squared, p_value = row_as_one_vector.hotelling(one, other)
        texts.append(f"T² = {squared:.1f}, p = {short(p_value, 2)}")
    return texts


def ranges_of_spam() -> list[str]:
    """How far the accuracy ranges over C and over γ."""

    def accuracies(name: str, values: Iterable[str]) -> list[float]:
        return [
            100.0 * values_of("ecda13", "spam-settings", f"{name}-{one}", "accuracy").mean()
            for one in values
        ]

    costs, widths = ("0.1", "1", "10", "100", "1000"), ("0.0001", "0.001", "0.01", "0.1", "1")
    svm, bagging, boosting = (
        np.ptp(accuracies(f"C_{one}", costs)) for one in ("svm", "bagging", "boosting")
    )
    later = np.ptp(accuracies("C_boosting", costs[1:]))
    least = min(
        np.ptp(accuracies(f"gamma_{one}", widths)) for one in ("svm", "bagging", "boosting")
    )
    return [
        f"ranges over {svm:.1f} points, that of bagging over {bagging:.1f}, that of boosting over"
        f" {boosting:.1f}, but over {short(later)} from C = 1 on",
        f"all three range over {np.floor(least):.0f} points and more",
    ]


def printed_underlining() -> list[str]:
    """One-sided Welch tests of the printed means and deviations, ten runs each."""
    printed = printed_of("ecda13", "2")

    def p_value(row: str, one: str, other: str) -> float:
        (mean, std), (less, spread) = (
            printed.loc[(row, name), ["value", "std"]].astype(float) for name in (one, other)
        )
        squared = (std**2 + spread**2) / 10
        freedom = squared**2 / ((std**4 + spread**4) / 100 / 9)
        return float(student.sf((mean - less) / np.sqrt(squared), freedom))

    both = {
        (kind, row): sorted(
            p_value(row, f"{kind}_radpol", f"{kind}_{kernel}")
            for kernel in ("radial", "polynomial")
        )
        for kind in ("bagging", "boosting")
        for row in ("spam", "optdigit", "satlog", "adult", "acoustic2")
    }
    assert all(least < 0.05 for least, _ in both.values()), "*or* underlines all ten"
    worst = {where: largest for where, (_, largest) in both.items() if largest < 0.05}
    assert worst.pop(("bagging", "spam")) < 0.001
    return [
        "bagging on spam (p below .001) and on acoustic2 "
        f"({short(worst.pop(('bagging', 'acoustic2')), 3)}), boosting on adult "
        f"({short(worst.pop(('boosting', 'adult')), 3)}) and on acoustic2 "
        f"({short(worst.pop(('boosting', 'acoustic2')), 4)})",
        *map(str, worst),  # none
    ]


def stopped_machines() -> list[str]:
    """The cells with machines that stopped at a limit of steps."""
    stopped = {
        (row, name)
        for (row, _, name, _), record in records_of("ecda13").items()
        if any("stopped at a violation" in text for text in record.warnings)
    }
    assert stopped
    assert all("raw" in f"{row} {name}" for row, name in stopped)
    return ["but for some on raw inputs"]


def growth_on_adult() -> list[str]:
    """How far ensembles are ahead of one machine on all rows."""
    frame = frame_of("ecda13", "table-2-growth")
    means = frame.pivot_table("mean", "row", "column")
    bagging, boosting = (
        dict(means[column] - means["svm"]) for column in ("bagging_radpol", "boosting_radpol")
    )
    assert abs(bagging["adult-part-10000"]) < 0.15
    assert max(abs(boosting[f"adult-part-{n}"]) for n in (1000, 10000)) < 0.15
    return [
        f"bagging RadPol is {bagging['adult-part-1000']:.1f} points ahead of it with 1,000 rows,"
        f" {bagging['adult-part-3000']:.1f} with 3,000, even with it at 10,000 and"
        f" {-bagging['adult']:.1f} behind with all; boosting RadPol is"
        f" {boosting['adult-part-3000']:.1f} ahead with 3,000 rows, even with it at 1,000 and"
        f" 10,000, and {-boosting['adult']:.1f} behind with all",
    ]


# By study and place of the text
PHRASES: dict[tuple[str, str], Callable[[], list[str]]] = {
    ("ecda13", "assumption splits"): deviations_of_spam,
    ("ecda13", "assumption steps"): stopped_machines,
    ("ecda13", "assumption spam-row"): spam_as_one_vector,
    ("ecda13", "assumption settings"): ranges_of_spam,
    ("ecda13", "table 2"): printed_underlining,
    ("ecda13", "table 2-splits"): printed_underlining,
    ("ecda13", "table 2-growth"): growth_on_adult,
}
