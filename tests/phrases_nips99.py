"""Phrases that the texts of nips99 state of results, computed from records, data and print."""

from collections.abc import Callable
from math import ceil

from stated_numbers import WORDS, config_of, frame_of, printed_of, short


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


def lower_errors() -> list[str]:
    """Errors of Table 1 of NIPS-99 that differ from print, and those with raw inputs."""
    table = frame_of("nips99", "table-1")
    differing = table[
        table["column"].str.startswith("error")
        & (table["verdict"] == "differs")
        & (table["column"] != "error_svm")
    ].set_index(["row", "column"])["difference"]
    assert (differing < 0.0).all()
    readings = frame_of("nips99", "readings").query(
        "question == 'stopping-sum-raw-errors' and reading == 'sum-raw-0.1'"
    )
    raw = readings.set_index(["row", "column"])["difference"].reindex(differing.index)
    nearer = raw.abs() < differing.abs()
    rows = differing.index.get_level_values("row")
    assert nearer[rows != "splice"].all()
    split = frame_of("nips99", "readings").query(
        "question == 'splice-split' and column == 'error_svm'"
    )
    assert split.set_index("reading")["distance"].idxmin() == "2126-1064"
    return ["Raw inputs bring all of them nearer to print but those on splice"]


def rounds_with_gaussian() -> list[str]:
    """Rounds of PBVM in Figure 4 with a Gaussian kernel, and its errors beside BVM's without."""
    rounds = frame_of("nips99", "figure-4-rbf").query("panel == 'test error'")
    last = rounds.groupby("series")["x"].max()
    strong, weak = (WORDS[int(last[name])] for name in ("PBVM", "PBVM, γ₀/m"))
    return [f"no further instance after {strong} rounds, with the weaker penalty after {weak}"]


def curves_on_one_another() -> list[str]:
    """PBVM with the weaker penalty and BVM in Figure 4."""
    errors = frame_of("nips99", "figure-4").query("panel == 'test error'")
    curves = errors.pivot_table("y", "x", "series")
    assert ((curves["PBVM, γ₀/m"] - curves["BVM"]).abs().dropna() < 0.01).all()
    return ["γ₀/m errs as BVM does"]


# By study and place of the text
PHRASES: dict[tuple[str, str], Callable[[], list[str]]] = {
    ("nips99", "assumption kernel"): sizes_of_kernels,
    ("nips99", "assumption cross-validation"): ten_equal_folds,
    ("nips99", "assumption data-sets"): any_error_in_690,
    ("nips99", "claim small-fraction"): rows_of_fractions,
    ("nips99", "table 1"): lower_errors,
    ("nips99", "figure 4"): curves_on_one_another,
    ("nips99", "figure 4-rbf"): rounds_with_gaussian,
}
