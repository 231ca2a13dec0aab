"""Rankings of made-up studies: what is compared, what is left out, and what is refused."""

import io
import math
import re
from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
import scikit_posthocs
from made_up_records import errors, make_study, record, settings_of
from matplotlib.figure import Figure
from pandas.testing import assert_frame_equal
from scipy.stats import friedmanchisquare, rankdata, ttest_rel

from ensvm.errors import UserError
from ensvm.report.documents.ranking_document import who_is_best
from ensvm.report.plots.ranking_diagram import group_bars
from ensvm.report.ranking import (
    Ranking,
    Selection,
    compare_on_data_set,
    rank_over_data_sets,
)
from ensvm.report.statistical_tests import LEVEL, critical_difference, nemenyi
from ensvm.report.tables import build_table
from ensvm.report.write import write_comparison, write_ranking

ROWS = ["german", "titanic", "cancer", "diabetis", "waveform", "heart"]
CONFIG = """\
study: s
realizations: 10
datasets: [german, titanic, cancer, diabetis, waveform, heart]
algorithms:
  a: {label: "A, the first", estimator: RhoSVC}
  b: {estimator: RhoSVC}
  c: {estimator: RhoSVC}
  oracle: {label: the oracle, estimator: SVMPathClassifier, stage: best-on-test}
timing: {algorithms: [a, b]}
tables:
  - {id: 1, caption: Errors., columns: [a, b, c, oracle]}
  - {id: 2, caption: Two., columns: [a, b]}
  - {id: many, caption: Several metrics., columns: [{name: x, algorithm: a, metric: size},
                                                    {name: y, algorithm: b, metric: size},
                                                    {name: z, algorithm: b, metric: n_errors}]}
  - {id: time, caption: Seconds., of: timing, metric: train_seconds, columns: [a, b]}
  - {id: unknown, caption: Neither end is better., metric: depth_, columns: [a, b]}
  - {id: depth, caption: The larger., metric: depth_, best: max, columns: [a, b, c]}
  - {id: facts, caption: Facts., of: data, columns: [dim]}
  - {id: oracles, caption: Oracles., columns: [oracle]}
"""
RNG = np.random.default_rng(2)
MEANS = {row: RNG.uniform(0.1, 0.4, size=4) for row in ROWS}
CLEAR = {row: np.array([0.1, 0.2, 0.3, 0.4]) + 0.01 * index for index, row in enumerate(ROWS)}
TIED = {row: np.full(4, 0.3) for row in ROWS}
VALUES = {name: RNG.normal(0.3, 0.02, size=10) for name in "abc"}
RANDOM = {"protocol": "random", "n_train": 700, "n_test": 300}
DISJOINT = {"protocol": "disjoint", "n_train": 700, "n_test": 300}

MANY = [*ROWS, "adult1", "adult2", "adult3", "web1", "web2", "iris", "wine", "vowel"]
# Demšar (2006), Table 6: the area under the curve of C4.5, C4.5+m, C4.5+cf and C4.5+m+cf on 14
# data sets. For voting, the last two are printed alike and ranked differently.
AREAS = np.array(
    [
        [0.763, 0.768, 0.771, 0.798],  # adult (sample)
        [0.599, 0.591, 0.590, 0.569],  # breast cancer
        [0.954, 0.971, 0.968, 0.967],  # breast cancer wisconsin
        [0.628, 0.661, 0.654, 0.657],  # cmc
        [0.882, 0.888, 0.886, 0.898],  # ionosphere
        [0.936, 0.931, 0.916, 0.931],  # iris
        [0.661, 0.668, 0.609, 0.685],  # liver disorders
        [0.583, 0.583, 0.563, 0.625],  # lung cancer
        [0.775, 0.838, 0.866, 0.875],  # lymphography
        [1.000, 1.000, 1.000, 1.000],  # mushroom
        [0.940, 0.962, 0.965, 0.962],  # primary tumor
        [0.619, 0.666, 0.614, 0.669],  # rheum
        [0.972, 0.981, 0.9751, 0.975],  # voting
        [0.957, 0.978, 0.946, 0.970],  # wine
    ]
)


def over_data_sets(rows=ROWS, names=("a", "b", "c", "oracle"), means=MEANS):
    """Return the records of three realizations of each algorithm on each data set."""
    return [
        one
        for row in rows
        for name, mean in zip(names, means[row], strict=False)
        for values in [[min(mean + step, 1.0) for step in (-0.01, 0.0, 0.01)]]
        for one in errors(row, name, values, depth_=mean, size=7)
    ]


def on_german(split=RANDOM, values=VALUES):
    """Return the records of ten realizations on one data set, which are those of a split."""
    records = [one for name in values for one in errors("german", name, values[name])]
    return [replace(one, settings=settings_of(split=split)) for one in records]


def timed(row, name, host):
    return record(row, 1, name, run_pass="timing", seconds=float(RNG.uniform(1, 9)), host=host)


def ranked(folder, records, table="1", metric=None, config=CONFIG):
    study = make_study(folder, config, records)
    return rank_over_data_sets(study, study.config.table(table), metric)


def compared(folder, records, row="german", metric=None):
    study = make_study(folder, CONFIG, records)
    return compare_on_data_set(study, study.config.table("1"), row, metric)


def left_out(result) -> str:
    return "\n".join(result.selection.left_out)


def test_ranks_are_those_of_the_means(tmp_path):
    ranking = ranked(tmp_path, over_data_sets())
    names = list(ranking.selection.labels)
    means = np.array([MEANS[row] for row in ROWS])[:, ["abc".index(name) for name in names]]
    assert list(ranking.ranks.index) == ROWS
    assert ranking.ranks.to_numpy().tolist() == rankdata(means, axis=1).tolist()
    assert (np.diff(ranking.ranks.mean()) >= 0).all()
    assert ranking.friedman_p == pytest.approx(friedmanchisquare(*means.T).pvalue)


@pytest.mark.parametrize("decimals", [1, 8])
def test_nemenyis_test_and_its_bars_are_those_of_scikit_posthocs(decimals):
    """With one decimal many values tie."""
    rng = np.random.default_rng(decimals)
    for k, n in ((2, 5), (4, 9), (9, 30), (15, 12)):
        losses = (rng.random((n, k)) + np.linspace(0, 1, k)).round(decimals)
        ranks = pd.DataFrame(losses).rank(axis=1)
        ranks = ranks[ranks.mean().sort_values().index]
        p_values = nemenyi(ranks)
        expected = scikit_posthocs.posthoc_nemenyi_friedman(ranks)
        assert_frame_equal(p_values, expected, check_names=False)
        diagram = scikit_posthocs.critical_difference_diagram(
            ranks.mean(), expected, alpha=LEVEL, ax=Figure().add_subplot()
        )
        lines = [bar.get_data() for (bar,) in diagram["crossbars"]]
        selection = Selection(None, None, "error", "min", {}, ())
        bars = group_bars(Ranking(selection, ranks, p_values, None, 1.0))
        assert bars == [(min(x), max(x), -y[0]) for x, y in lines]


def test_headings_above_columns_tell_them_apart(tmp_path):
    columns = "[{name: a, label: x, heading: one}, {name: b, label: x, heading: two}]"
    config = CONFIG.replace("caption: Two., columns: [a, b]", f"caption: Two., columns: {columns}")
    ranking = ranked(tmp_path, over_data_sets(), "2", config=config)
    assert set(ranking.selection.labels.values()) == {"x (one)", "x (two)"}


def test_if_larger_is_better_the_order_is_reversed(tmp_path):
    by_error = ranked(tmp_path / "error", over_data_sets())
    by_depth = ranked(tmp_path / "depth", over_data_sets(), "depth")  # the same values
    assert by_error.ranks.mean().nunique() == 3
    assert list(by_depth.selection.labels) == list(by_error.selection.labels)[::-1]
    assert by_depth.ranks.mean().tolist() == pytest.approx(4 - by_error.ranks.mean()[::-1])


def without(dataset, algorithm):
    return [one for one in over_data_sets() if (one.dataset, one.algorithm) != (dataset, algorithm)]


LEFT_OUT = {
    "the oracle": (over_data_sets(), "^the oracle: .*test error"),
    "a data set with a missing value": (without("titanic", "b"), "titanic: b: not run yet"),
    "a data set with a failed realization": (
        [*over_data_sets(), record("heart", 4, "a", status="failed", reason="out of luck")],
        "heart: A, the first: incomplete: .*out of luck",
    ),
    "a data set with a value that is not finite": (
        over_data_sets(means=MEANS | {"german": np.array([np.nan, 0.1, 0.2, 0.3])}),
        "german: A, the first: .*finite",
    ),
    "an algorithm without values": (over_data_sets(names=("a", "b")), "^c: not run yet"),
}


@pytest.mark.parametrize("case", LEFT_OUT)
def test_what_is_left_out_is_named_with_the_reason(tmp_path, case):
    records, message = LEFT_OUT[case]
    ranking = ranked(tmp_path, records)
    assert re.search(message, left_out(ranking), re.MULTILINE)
    # Nothing else is left out.
    n_rows, n_columns = ranking.ranks.shape
    assert n_rows == len(ROWS) - case.startswith("a data set")
    assert n_columns == 3 - case.startswith("an algorithm")


def test_seconds_of_different_machines_are_not_ranked_together(tmp_path):
    timings = [timed(row, name, "here") for row in ROWS[:-1] for name in "ab"]
    timings += [timed(ROWS[-1], "a", "here"), timed(ROWS[-1], "b", "there")]
    ranking = ranked(tmp_path, timings, "time")
    assert list(ranking.ranks.index) == ROWS[:-1]
    reason = "b: mixed: timed on there; the table shows seconds of here"
    assert f"heart: {reason}" in left_out(ranking)
    table = ranking.selection.table
    with pytest.raises(UserError, match=re.escape(reason)):
        compare_on_data_set(ranking.selection.study, table, "heart")


REFUSED = [
    ({}, ("facts", None), "facts of the data"),
    ({}, ("many", None), "show size, n_errors; choose one with --metric"),
    ({}, ("unknown", None), "'depth_' better.*best: min"),
    ({}, ("1", "eror"), "its columns show error, not 'eror'; did you mean 'error'"),
    ({}, ("oracles", None), "no algorithms are left to compare; left out: the oracle"),
    ({"rows": ROWS[:1]}, ("1", None), "at least 5 .*it has 1; left out: .*not run yet"),
    ({"rows": ROWS[:4]}, ("1", None), "at least 5 .*it has 4; left out: .*not run yet"),
    ({"names": ("a",)}, ("1", None), r"one algorithm is left to compare; .*oracle.*b: not run"),
]


@pytest.mark.parametrize(("records", "table", "message"), REFUSED)
def test_a_table_that_cannot_be_ranked_is_refused_with_the_reason(
    tmp_path, records, table, message
):
    with pytest.raises(UserError, match=message):
        ranked(tmp_path, over_data_sets(**records), *table)


def test_means_that_differ_by_rounding_tie(tmp_path):
    records = over_data_sets(names=("b", "c", "oracle"))
    records += [one for row in ROWS for one in errors(row, "a", [MEANS[row][0]])]
    ranking = ranked(tmp_path, records, "2")  # one value, and the mean of three around it
    assert (ranking.ranks == 1.5).all(axis=None)


def test_the_files_of_a_ranking_hold_its_numbers_and_do_not_change(tmp_path):
    ranking = ranked(tmp_path, over_data_sets())
    text, paths = write_ranking(ranking)
    assert [path.name for path in paths] == [
        f"rank-1.{ending}" for ending in ("csv", "md", "png", "svg", "pdf")
    ]
    contents = [path.read_bytes() for path in paths]
    assert contents[1].decode() == text
    assert "A, the first" in text
    for name, rank in ranking.ranks.mean().items():
        label = re.escape(ranking.selection.labels[name])
        assert re.search(rf"\| {label} +\| +{rank:.3f} \|", text)
    # Python's float: pandas before 3.0 reads a last digit wrong
    data = pd.read_csv(io.BytesIO(contents[0]), converters={"nemenyi_p": float})
    average = ranking.ranks.mean()
    assert data["first_rank"].tolist() == average[data["first"]].tolist()
    assert data["second_rank"].tolist() == average[data["second"]].tolist()
    pairs = zip(data["first"], data["second"], strict=True)
    assert data["nemenyi_p"].tolist() == [ranking.nemenyi.loc[pair] for pair in pairs]
    assert set(data["critical_difference"]) == {ranking.critical_difference}
    write_ranking(ranked(tmp_path / "again", over_data_sets()))
    assert [(tmp_path / "again" / path.name).read_bytes() for path in paths] == contents


@pytest.mark.parametrize(
    ("table", "metric", "stem"),
    [("many", "size", "rank-many-by-size"), ("depth", None, "rank-depth")],
)
def test_a_metric_that_is_not_the_tables_own_is_part_of_the_file_name(
    tmp_path, table, metric, stem
):
    _, paths = write_ranking(ranked(tmp_path, over_data_sets(), table, metric))
    assert {path.stem for path in paths} == {stem}


BEST = "**A, the first** has the best average rank (1.00, over 6 data sets)."


@pytest.mark.parametrize(
    ("means", "parts"),
    [
        (CLEAR, (BEST, "Significantly worse: c.", "all being equal: p-value 0.00248.")),
        (TIED, ("b** and **c** have the best average rank", "all being equal: p-value 1.")),
        (dict.fromkeys(MANY, CLEAR[ROWS[0]]), ("Significantly worse: b and c.",)),
    ],
)
def test_the_markdown_has_who_is_best(tmp_path, means, parts):
    config = CONFIG.replace(", ".join(ROWS), ", ".join(means))
    ranking = ranked(tmp_path, over_data_sets(means, means=means), config=config)
    text = " ".join(write_ranking(ranking)[0].split())
    assert all(part in text for part in parts)
    assert ranking.nemenyi.min(axis=None) == pytest.approx(
        {6: 0.00156, 14: 3.6e-7}[len(means)] if means is not TIED else 1.0, rel=0.02
    )


def test_two_algorithms_need_no_test_of_all(tmp_path):
    ranking = ranked(tmp_path, over_data_sets(means=CLEAR), "2")
    assert ranking.friedman_p is None
    assert "Significantly worse: b." in write_ranking(ranking)[0]


def test_the_published_example_of_nemenyis_test(tmp_path):
    """Demšar (2006), section 3.2.2: Figure 1 at 5 and at 10 %."""
    means = dict(zip(MANY, AREAS, strict=True))
    config = CONFIG.replace(", ".join(ROWS), ", ".join(MANY))
    config = config.replace("columns: [a, b, c]}", "columns: [a, b, c, d]}")
    config = config.replace("  oracle:", "  d: {estimator: RhoSVC}\n  oracle:")
    records = over_data_sets(MANY, ("a", "b", "c", "d"), means)
    ranking = ranked(tmp_path, records, "depth", config=config)
    assert list(ranking.selection.labels) == ["d", "b", "c", "a"]
    average = ranking.ranks.mean().tolist()
    assert average == pytest.approx([1.964, 2.000, 2.893, 3.143], abs=5e-4)
    # At 10 % C4.5 is worse than two others, and C4.5+cf is not told apart from anything.
    p_values = ranking.nemenyi
    apart = {(one, two) for one, two in combinations("dbca", 2) if p_values.loc[one, two] <= 0.1}
    assert apart == {("d", "a"), ("b", "a")}
    assert (p_values > 0.05).all(axis=None)


@pytest.mark.parametrize(
    ("alpha", "printed"),
    [
        (0.05, [1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164]),
        (0.10, [1.645, 2.052, 2.291, 2.459, 2.589, 2.693, 2.780, 2.855, 2.920]),
    ],
)
def test_the_published_critical_values(alpha, printed):
    """Demšar (2006), Table 5a, for 2 to 10 classifiers."""
    sizes = range(2, 11)
    values = [critical_difference(14, k, alpha) / np.sqrt(k * (k + 1) / 84) for k in sizes]
    assert values == pytest.approx(printed, abs=1e-3)  # 2.3437 is printed as 2.343


def test_disjoint_realizations_are_compared_by_the_paired_t_test(tmp_path):
    comparison = compared(tmp_path, on_german(DISJOINT))
    assert comparison.overlap == 0.0
    assert comparison.pairs["p"].is_monotonic_decreasing
    for pair, level in zip(comparison.pairs.itertuples(), (0.05, 0.025), strict=True):
        expected = ttest_rel(VALUES[pair.first], VALUES[pair.second])
        level = 0.025 if comparison.pairs["p"].min() > 0.025 else level  # by Holm
        interval = expected.confidence_interval(1 - level)
        assert pair.p == pytest.approx(expected.pvalue)
        assert (pair.low, pair.high) == pytest.approx((100 * interval.low, 100 * interval.high))


def test_random_splits_are_corrected_for_the_rows_they_share(tmp_path):
    plain = compared(tmp_path / "disjoint", on_german(DISJOINT)).pairs
    comparison = compared(tmp_path / "random", on_german(RANDOM))
    corrected = comparison.pairs
    assert comparison.overlap == pytest.approx(300 / 700)
    assert corrected["difference"].tolist() == plain["difference"].tolist()
    assert (corrected["p"] > plain["p"]).all()
    smallest = corrected["p"].min()
    assert corrected["p_holm"].min() == pytest.approx(min(1.0, 2 * smallest))


def test_pairs_are_compared_over_the_realizations_that_both_have(tmp_path):
    comparison = compared(tmp_path, on_german(DISJOINT, VALUES | {"b": VALUES["b"][:4]}))
    best, *others = comparison.means
    assert comparison.pairs["n"].tolist() == [4 if "b" in (best, name) else 10 for name in others]
    pair = comparison.pairs[comparison.pairs["n"] == 4].iloc[0]
    expected = ttest_rel(VALUES[pair["first"]][:4], VALUES[pair["second"]][:4])
    assert pair["p"] == pytest.approx(expected.pvalue)


@pytest.mark.parametrize(("folds", "n"), [(4, 8), (6, 6), (10, 10)])
def test_folds_of_an_incomplete_repetition_are_left_out_as_in_tables(tmp_path, folds, n):
    """Ten realizations are two repetitions of four folds, and a half."""
    records = on_german({"protocol": "kfold", "n_splits": folds})
    comparison = compared(tmp_path / "of_all", records)
    whole = compared(tmp_path / "whole", [one for one in records if one.realization <= n])
    assert comparison.means == whole.means
    assert comparison.pairs.equals(whole.pairs)
    study = comparison.selection.study
    cells = build_table(study, study.config.table("1"))
    shown = {cell.column: cell.mean for cell in cells if cell.row == "german" and cell.n}
    assert shown == pytest.approx(comparison.means)


def test_pairs_that_cannot_be_tested_have_no_p_value(tmp_path):
    values = {"a": VALUES["a"][:5], "b": VALUES["a"][:5] + 0.01, "c": VALUES["c"][:4] + 0.2}
    sizes = [
        replace(one, metrics={"size": 1000 * one.metrics["error"]})
        for one in on_german(RANDOM, values)
    ]
    study = make_study(
        tmp_path / "equal", CONFIG.replace("columns: [a, b, c, oracle]}", SIZES), sizes
    )
    pairs = compare_on_data_set(study, study.config.table("1"), "german", None).pairs
    assert pairs["second"].tolist() == ["b", "c"]
    assert pairs["p"].isna().tolist() == [True, False]
    assert pairs["p_holm"].isna().tolist() == [True, False]
    assert pairs["difference"][0] == pytest.approx(-10.0)
    later = [record("german", number, "c", error=0.1 * number) for number in (6, 7)]
    comparison = compared(
        tmp_path / "apart", on_german(RANDOM, {"a": values["a"], "b": VALUES["b"][:5]}) + later
    )
    assert sorted(comparison.pairs["n"]) == [0, 5]
    assert comparison.pairs.set_index("n")["p"].isna().to_dict() == {5: False, 0: True}
    assert "Not tested against it: c." in " ".join(write_comparison(comparison)[0].split())


SIZES = "metric: size, columns: [a, b, c]}"


COMPARISONS_REFUSED = {
    "no shared realization": (
        (
            [
                replace(one, realization=number)
                for number, name in enumerate("abc", start=1)
                for one in on_german(RANDOM, {name: VALUES[name][:1]})
            ],
            "german",
        ),
        "german: there is nothing to test: .*share fewer than two realizations",
    ),
    "unknown data set": (
        (on_german(), "germn"),
        r"no data set 'germn'; accepted: german, titanic.*did you mean 'german'",
    ),
    "no values": ((on_german(), "titanic"), "no values of error: not run yet"),
}


@pytest.mark.parametrize("case", COMPARISONS_REFUSED)
def test_a_comparison_without_any_test_is_refused(tmp_path, case):
    (records, row), message = COMPARISONS_REFUSED[case]
    with pytest.raises(UserError, match=message):
        compared(tmp_path, records, row)


def test_a_comparison_names_what_is_left_out(tmp_path):
    records = [*on_german(), record("german", 11, "b", status="timeout", reason="too slow")]
    comparison = compared(tmp_path, records + errors("german", "oracle", VALUES["a"]))
    assert set(comparison.selection.labels) == {"a", "c"}
    assert re.search("oracle: .*test error\nb: incomplete: .*too slow", left_out(comparison))


def test_who_is_best_names_what_lacks_values(tmp_path, monkeypatch):
    monkeypatch.setattr("ensvm.report.documents.ranking_document.are_own_data", lambda *_: True)
    whole = [one for row in ROWS for name in "abc" for one in errors(row, name, VALUES[name])]
    failed = record("german", 11, "b", status="failed", reason="it broke")

    def best(folder, records):
        study = make_study(tmp_path / folder, CONFIG, records)
        return " ".join(who_is_best(study, study.config.table("1")))

    for of_one in ([one for one in whole if one.dataset == "german"], whole):
        assert "Not compared" not in best(f"whole{len(of_one)}", of_one)
    on_one = best("one", [*(one for one in whole if one.dataset == "german"), failed])
    assert re.search(r"Not compared: b: incomplete: .*it broke", on_one)
    over_all = best("all", [*whole, failed])
    assert "over 5 data sets" in over_all
    assert re.search(r"Not compared: german: .*b: incomplete: .*it broke", over_all)


def test_the_files_of_a_comparison_hold_its_numbers(tmp_path):
    comparison = compared(tmp_path, on_german())
    text, paths = write_comparison(comparison)
    assert [path.name for path in paths] == ["rank-1-on-german.csv", "rank-1-on-german.md"]
    assert paths[1].read_text() == text
    assert "A, the first" in text
    data = pd.read_csv(paths[0])
    pd.testing.assert_frame_equal(data[comparison.pairs.columns], comparison.pairs)


def test_a_comparison_begins_with_who_is_best_and_who_is_worse(tmp_path):
    alternating = 0.01 * np.resize([1, -1], 10)  # a mean of 0, so that a and b are alike
    values = {"b": VALUES["a"] + alternating + 1e-4, "a": VALUES["a"]}
    values["c"] = VALUES["a"] + 0.2 + alternating
    comparison = compared(tmp_path, on_german(DISJOINT, values))
    best, other = sorted("ab", key=lambda name: values[name].mean())
    labels = {"a": "A, the first", "b": "b", "c": "c"}
    text = " ".join(write_comparison(comparison)[0].split("\n\n")[1].split())
    mean = f"{100 * values[best].mean():.2f}"
    assert text.startswith(f"**{labels[best]}** has the best mean `error` ({mean} %).")
    assert f"Not shown to be worse: {labels[other]} (0.01 points more, " in text
    assert "Significantly worse: c (20.00 points more, " in text
    low, high = comparison.pairs.set_index("second").loc["c", ["low", "high"]]
    assert f"{-high:.2f} to {-low:.2f}" in text


def test_what_prints_equal_is_best_together(tmp_path):
    values = {"a": VALUES["a"], "b": VALUES["a"][::-1], "c": VALUES["a"] + 0.1}
    text = write_comparison(compared(tmp_path, on_german(RANDOM, values)))[0]
    assert re.search(r"\*\*(A, the first|b)\*\* and \*\*(A, the first|b)\*\* have the best", text)


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("Errors.,", "Errors., largest_class: b,", "always predicts the largest class"),
        ("b: {estimator: RhoSVC}", "b: {estimator: DummyClassifier}", "without the inputs"),
        ("b: {estimator: RhoSVC}", "b: {estimator: 'sklearn.dummy:DummyClassifier'}", "inputs"),
    ],
)
def test_the_baseline_is_not_among_the_comparisons(tmp_path, old, new, why):
    """Each comparison more makes Holm's adjustment stricter."""
    values = {**VALUES, "a": VALUES["a"] - 0.05}
    study = make_study(tmp_path, CONFIG.replace(old, new), on_german(RANDOM, values))
    comparison = compare_on_data_set(study, study.config.table("1"), "german")
    assert comparison.pairs[["first", "second"]].to_numpy().tolist() == [["a", "c"]]
    assert comparison.pairs["p_holm"].tolist() == comparison.pairs["p"].tolist()
    assert re.search(f"b: .*{why}", str(left_out(comparison)))


def test_too_few_realizations_are_named_with_how_many_would_do(tmp_path):
    shifts = 0.01 + np.array([-0.01, 0.01, 0.012, -0.012])
    values = {"a": VALUES["a"][:4], "b": VALUES["a"][:4] + shifts}
    comparison = compared(tmp_path / "few", on_german(DISJOINT, values))
    (needed,) = comparison.pairs["n_to_decide"]
    text = " ".join(write_comparison(comparison)[0].split())
    assert f"4 realizations are too few for b: about {needed:.0f} would show the difference" in text
    spread = np.std(shifts, ddof=1)
    for n, is_enough in ((int(needed) - 1, False), (int(needed), True)):
        shape = np.linspace(-1.0, 1.0, n)
        drawn = 0.01 + spread * shape / shape.std(ddof=1)
        assert (ttest_rel(drawn, np.zeros(n)).pvalue <= 0.05) == is_enough


def test_differences_that_no_number_of_realizations_would_show_are_named(tmp_path):
    """With shared rows the interval does not shrink to nothing: it has a width at n = infinity."""
    values = {
        "a": VALUES["a"],
        "b": VALUES["a"] + 0.001 + 0.05 * np.sin(np.arange(len(VALUES["a"]))),
    }
    comparison = compared(tmp_path, on_german(RANDOM, values))
    pair = comparison.pairs.set_index("second").loc["b"]
    half, n = (pair["high"] - pair["low"]) / 2, pair["n"]
    narrowest = half * math.sqrt(comparison.overlap / (1 / n + comparison.overlap))
    assert abs(pair["difference"]) < narrowest / 2  # more than what the quantile of t adds
    assert pair["n_to_decide"] == math.inf
    text = " ".join(write_comparison(comparison)[0].split())
    assert "More realizations of the same rows would not show a difference from b" in text
    assert "too few for b" not in text


def failed_after(last):
    """Return ten realizations on one data set, which failed after the `last` of an algorithm."""
    return [
        one
        if one.realization <= last[one.algorithm]
        else record("german", one.realization, one.algorithm, status="failed", reason="ouch")
        for one in on_german()
    ]


def test_what_is_compared_over_some_realizations_is_not_left_out(tmp_path):
    few = failed_after({"a": 4, "b": 4, "c": 4})
    comparison = compared(tmp_path, few)
    assert not re.search("german|4 of 10", left_out(comparison))
    text, _ = write_comparison(comparison)
    assert "german: over 4 of 10 realizations; most often (6): ouch" in text


def test_columns_of_other_realizations_are_named_with_the_command(tmp_path):
    with pytest.raises(UserError) as refused:
        compared(tmp_path, failed_after({"a": 4, "b": 2, "c": 2}))
    message = str(refused.value)
    for part in ("A, the first: incomplete: 6 of 10", "b: incomplete: 8 of 10", "`ensvm run s"):
        assert part in message
    with pytest.raises(UserError, match=r"--dataset german compares them on one$"):
        ranked(tmp_path / "whole", on_german())
