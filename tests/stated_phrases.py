"""Phrases of assumptions and notes of shipped configs, computed from records, data and print.

Each function returns phrases that its text in `STATED` has.
"""

from collections.abc import Callable, Iterable
from math import ceil

import generated
import numpy as np
import pandas as pd
import row_as_one_vector
from scipy.stats import t as student
from stated_numbers import cells_of, config_of, frame_of, records_of, values_of

from ensvm.data import find_card, load
from ensvm.data.splits import RandomSplit, overlap
from ensvm.shipped import find_config
from ensvm.study.passes import DISTURBED

WORDS = {4: "four", 12: "twelve", 17: "17", 18: "18", 20: "twenty"}


def all_printed(study: str) -> pd.DataFrame:
    """Return the printed values of a study."""
    published = config_of(study).published
    if published is None:
        return pd.DataFrame(columns=["table", "row", "column", "value", "std"])
    return pd.read_csv(find_config(study).parent / published, dtype={"table": str})


def printed_of(study: str, table: str) -> pd.DataFrame:
    """Return the printed values of a table, by row and column."""
    frame = all_printed(study)
    return frame[frame["table"] == table].set_index(["row", "column"])


def short(value: float, digits: int = 1) -> str:
    """Return a number below 1 without its leading 0, as some texts have it."""
    return f"{value:.{digits}f}".removeprefix("0")


def shorter_intervals() -> list[str]:
    """A hundred realizations in place of thirty, which share rows."""
    gains = []
    for name in ("titanic", "cancer", "diabetis", "german", "waveform"):
        entry = config_of("comp6321").dataset(name)
        split = entry.split or find_card(entry.card or name).split
        assert isinstance(split, RandomSplit)
        shared = overlap(split)
        half = {n: student.ppf(0.975, n - 1) * np.sqrt(1.0 / n + shared) for n in (30, 100)}
        gains.append(100.0 * (1.0 - half[100] / half[30]))
    return [f"{min(gains):.0f} to {max(gains):.0f} % shorter"]


def noise_at_repeated_inputs() -> list[str]:
    """The variance of the labels (-1 and 1) at an input, and the errors that it forces."""
    data = load(find_card("titanic"))
    frame = pd.DataFrame(np.asarray(data.X)).assign(label=np.asarray(data.y) > 0)
    inputs = list(frame.columns[:-1])
    share = frame.groupby(inputs)["label"].transform("mean")
    variance = float((4.0 * share * (1.0 - share)).mean())
    bias = frame_of("comp6321", "table-bias").query("row == 'titanic-b'")["mean"]
    shares = 100.0 * variance / bias
    cancer = pd.DataFrame(np.asarray(load(find_card("breast-cancer")).X))
    return [
        f"titanic has {len(frame)} points and {frame.groupby(inputs).ngroups} inputs",
        f"a variance of {short(variance, 3)} on average,"
        f" {shares.min():.0f} to {shares.max():.0f} %",
        f"less than {100 * np.minimum(share, 1 - share).mean():.1f} % of these points",
        f"cancer {cancer.duplicated().sum()} of {len(cancer)}",
    ]


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


def early_ends() -> list[str]:
    """Runs of Figures 4 and 6 that end before the tenth round."""
    rounds = {
        weight: np.concatenate(
            [
                values_of("icmla05", row, f"wsv-{weight}", "n_estimators_")
                for row in ("fournorm", "mnist")
            ]
        )
        for weight in ("0.9", "0.8", "0.7")
    }
    early = {weight: int((n < 10).sum()) for weight, n in rounds.items()}
    assert early["0.9"] == rounds["0.9"].size
    assert early["0.7"] == 0
    return [
        f"all {WORDS[early['0.9']]} runs of Figures 4 and 6 end before the tenth round, and with .8"
        f" {WORDS[early['0.8']]} of them",
    ]


def longest_timing() -> list[str]:
    """The timings of ten rounds on MNIST without rejection."""
    *others, longest = sorted(
        record.seconds["train_seconds"]
        for (row, _, name, run_pass), record in records_of("icmla05").items()
        if (row, name, run_pass) == ("mnist", "wsv-0", "timing")
    )
    assert len(others) == 9
    assert longest > DISTURBED * np.median([*others, longest])
    return [f"took {longest:.1f} s, the others at most {max(others):.1f} s"]


def most_iterations() -> list[str]:
    """Iterations of the machine on the whole training set of MNIST."""
    most = max(
        values_of("icmla05", row, "svm", "n_iter_").max() for row in ("mnist", "mnist-homogeneous")
    )
    return [f"needs at most {most:.0f} in any of our draws"]


def savings_on_squares() -> list[str]:
    """Values that boosted machines update, as a share of the SVM's, and what they err more."""
    shares: dict[str, list[float]] = {"wsv": [], "wsve": []}
    rounds, more = [], []
    for rows in (4000, 8000, 16000):
        row = f"squares-many-{rows}"
        updates = {
            name: [one.curves["n_updates_"][-1] for one in cells_of("icmla05", row, name)]
            for name in ("svm_updates", "wsv_updates", "wsve_updates")
        }
        for name, of_name in shares.items():
            of_name += np.divide(updates[f"{name}_updates"], updates["svm_updates"]).tolist()
            rounds += list(values_of("icmla05", row, f"{name}_updates", "n_estimators_"))
            errors = values_of("icmla05", row, f"{name}_updates", "error")
            more += list(100.0 * (errors - values_of("icmla05", row, "svm_updates", "error")))
    assert max(map(abs, more)) < 1.0
    one_round = sum(n == 1 for n in rounds)
    ends = {name: f"{short(min(of), 2)} to {short(max(of), 2)}" for name, of in shares.items()}
    return [
        f"WSV {ends['wsv']} of them, WSVE {ends['wsve']}, with test errors within a percentage"
        f" point of its",
        f"{WORDS[one_round]} of their {WORDS[len(rounds)]} runs end after the first round",
    ]


def span_beside_ensemble() -> list[str]:
    """SVM (span) beside the ensemble."""
    means = frame_of("ijcai07", "table-2").pivot_table("mean", "row", "column")
    assert (means["svm_span"] - means["ensemble"]).max() < 0.5
    return ["on no data set does SVM (span) err half a point more than the ensemble"]


def stop_beside_exact() -> list[str]:
    """What Algorithm 1's end adds to the errors of the exact ρ-SVM."""
    texts = []
    for row in ("diabetis", "german", "waveform"):
        added = 100.0 * (
            values_of("ijcai07", row, "rho_svm", "error")
            - values_of("ijcai07", row, "rho_svm_exact", "error")
        )
        half = student.ppf(0.975, added.size - 1) * added.std(ddof=1) / np.sqrt(added.size)
        texts.append(f"{added.mean():.1f} ± {half:.1f}")
    gaps = np.concatenate(
        [
            values_of("ijcai07", row, "rho_svm_exact", "certificate_")
            / values_of("ijcai07", row, "rho_svm_exact", "objective_")
            for row in ("diabetis", "german", "waveform")
        ]
    )
    assert (gaps > 1.0005e-4).sum() == 2
    return [
        f"{texts[0]} points to its test errors on diabetis, {texts[1]} on german and {texts[2]}",
        f"within 1e-4 of ρ* ({gaps.max():.0e} in".replace("e-04", "e-4"),
    ]


def ends_of_rho_svm() -> list[str]:
    """The ρ-SVM of Table 2 in other orders of the rows and with a later end."""
    readings = frame_of("ijcai07", "readings")
    late = readings[
        (readings["question"] == "epsilon-end-rho-svm") & (readings["reading"] == "end-0.001")
    ].set_index("row")["value"]
    orders = frame_of("ijcai07", "table-2").query("column == 'rho_svm'").set_index("row")
    assert orders["std_orders"]["german"] > 1.0 > 0.05 > orders["std_orders"]["adult1"]
    table = frame_of("ijcai07", "table-2").set_index(["row", "column"])["mean"]
    exact = readings[readings["reading"] == "exact"].set_index("row")["value"]
    return [
        f"gives {late['adult1']:.1f} on adult1 and {late['german']:.1f} on german (30",
        f"{table['german', 'rho_svm'] - exact['german']:.1f} points above the exact solution, which"
        f" errs as printed ({exact['german']:.1f} %",
    ]


def first_overshoots() -> list[str]:
    """Iterations after which the rate 0.01 overshoots, by the start of the fixed rates."""
    study = "ijcai07-figure1"

    def after(row: str, algorithm: str) -> float:
        return values_of(study, row, algorithm, "overshoot_")[0]

    rows = [entry.name for entry in config_of(study).datasets]
    late = {
        row: after(row, "from_1e_4_eta_0_01")
        for row in rows
        if cells_of(study, row, "from_1e_4_eta_0_01")
    }
    overshooting = {row: n for row, n in late.items() if n}
    assert len(late) == 8
    assert list(overshooting) == ["astro"]
    return [
        f"(after about {round(after('cancer', 'fig1_eta_0_01'), -2):.0f})",
        f"on astro alone (after {overshooting['astro']:.0f})",
    ]


def chosen_nu() -> list[str]:
    """The ν that the held-out third of full adult chooses."""
    (cell,) = cells_of("ijcai07-full-adult", "adult", "nu_svm")
    assert cell.stage is not None
    distinct, rows = 24_947, config_rows("adult")
    return [
        f"That was {cell.stage['nu']:.2f}",
        f"float32 ({4 * rows**2 / 1e9:.1f} GB)",
        f"one triangle kept of the matrix, {2 * distinct**2 / 1e9:.1f} GB take its place",
    ]


def config_rows(name: str) -> int:
    """Return the number of training rows of a data set's own split."""
    split = find_card(name).split
    return int(split.n_train)


def sizes_of_kernels() -> list[str]:
    """Sizes of the SVM of Table 1 of NIPS-99 that lie within ten of print."""
    linear = frame_of("nips99", "table-1").query("column == 'size_svm'").set_index("row")
    ours = linear["mean"].dropna()
    off = [row for row in ours.index if abs(ours[row] - linear["published"][row]) > 10.0]
    assert off == ["vote-300", "splice"]
    others = frame_of("nips99", "table-1-kernels").pivot_table("mean", "row", "column")
    printed = linear["published"].rename(
        {"vote-300": "vote", "horse-colic-unnumbered": "horse-colic"}
    )
    near = {
        kernel: [
            row
            for row in others.index
            if abs(others[f"size_svm_{kernel}"][row] - printed[row]) <= 10.0
        ]
        for kernel in ("poly", "rbf")
    }
    assert sorted(near["poly"]) == ["breast-wisc", "bridges", "ionosphere", "labor"]
    assert sorted(near["rbf"]) == ["bridges", "ionosphere"]
    return ["all sets but vote and splice"]


def ten_equal_folds() -> list[str]:
    """How many printed errors of NIPS-99 ten equal folds can give, and at random."""
    table, rows = printed_of("nips99", "1")["value"], printed_of("nips99", "1-data")["value"]
    possible, strange = 0, []
    for (row, column), value in table.items():
        if not column.startswith("error") or row in ("horse-colic-unnumbered", "vote-300", "boa"):
            continue
        tested = int(10 * (rows[row, "rows"] // 10))
        if value in {round(100 * k / tested, 1) for k in range(tested + 1)}:
            possible += 1
        else:
            strange.append(f"{value} % on {row}")
    return [f"{possible} of {possible + len(strange)} are multiples", f"all but {strange[0]}"]


def any_error_in_690() -> list[str]:
    """The chance that random numbers with one decimal are numbers of errors in 690 rows."""
    share = len({round(100 * k / 690, 1) for k in range(691)}) / 1001
    return [f"{short(share, 2)}⁴ = {short(share**4, 2)}"]


def rows_of_fractions() -> list[str]:
    """Training rows of the sets whose tenth is taken as a small fraction: the largest number."""
    rows = printed_of("nips99", "1-data")["value"]
    (claim,) = (one for one in config_of("nips99").claims if one.id == "small-fraction")
    texts = []
    for test in claim.tests[1:]:
        train = []
        for row in test.rows:
            ours = {"horse-colic-unnumbered": 300, "vote-300": 300, "bands": 486}.get(row)
            train.append(ours or 0.9 * rows[row, "rows"])
        least, most = int(min(train)), ceil(max(train))
        texts.append(f"Of {least:,} to {most:,} training rows" if len(train) > 1 else "")
        assert test.limit == round(max(train) / 10)
    return [text for text in texts if text]


# The phrases of texts that records, data or print decide
STATED: dict[tuple[str, str], Callable[[], list[str]]] = {
    ("comp6321", "assumption settings"): shorter_intervals,
    ("comp6321", "assumption noise"): noise_at_repeated_inputs,
    ("ecda13", "assumption splits"): deviations_of_spam,
    ("ecda13", "assumption spam-row"): spam_as_one_vector,
    ("ecda13", "assumption settings"): ranges_of_spam,
    ("ecda13", "table 2"): printed_underlining,
    ("ecda13", "table 2-splits"): printed_underlining,
    ("ecda13", "table 2-growth"): growth_on_adult,
    ("icmla05", "assumption guarantee"): early_ends,
    ("icmla05", "assumption iterations"): most_iterations,
    ("icmla05", "table squares"): savings_on_squares,
    ("icmla05", "figure 6"): longest_timing,
    ("ijcai07", "assumption span"): span_beside_ensemble,
    ("ijcai07", "assumption exact"): stop_beside_exact,
    ("ijcai07", "table 2"): ends_of_rho_svm,
    ("ijcai07-figure1", "assumption start"): first_overshoots,
    ("ijcai07-full-adult", "assumption nu-on-validation"): lambda: chosen_nu()[:1],
    ("ijcai07-full-adult", "assumption precision"): lambda: chosen_nu()[1:2],
    ("ijcai07-full-adult", "assumption identical-rows"): lambda: chosen_nu()[2:],
    ("nips99", "assumption kernel"): sizes_of_kernels,
    ("nips99", "assumption cross-validation"): ten_equal_folds,
    ("nips99", "assumption data-sets"): any_error_in_690,
    ("nips99", "claim small-fraction"): rows_of_fractions,
}
