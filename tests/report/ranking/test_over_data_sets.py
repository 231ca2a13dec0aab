"""Ranks of made-up studies: what is left out is said, what is too little is refused."""

import io
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from made_up_records import errors, make_study, record
from scipy.stats import rankdata

from ensvm.records.record import Conditions
from ensvm.report.query import Study
from ensvm.report.ranking.over_data_sets import rank_over_data_sets
from ensvm.report.ranking.render import ranking_to_csv, ranking_to_markdown
from ensvm.report.ranking.selection import FEWEST_DATA_SETS, NotRanked
from ensvm.report.ranking.write import write_ranking

ROWS = ["german", "titanic", "cancer", "diabetis", "waveform", "heart"]
CONFIG = """\
study: s
realizations: 3
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
                                                    {name: y, algorithm: b, metric: n_errors}]}
  - {id: time, caption: Seconds., of: timing, metric: train_seconds, columns: [a, b]}
  - {id: unknown, caption: "Which end is better?", metric: depth_, columns: [a, b]}
  - {id: told, caption: The larger., metric: depth_, best: max, columns: [a, b, c]}
  - {id: facts, caption: Facts., of: data, columns: [dim]}
"""
RNG = np.random.default_rng(2)
MEANS = {row: RNG.uniform(0.1, 0.4, size=4) for row in ROWS}


def lines(rows=ROWS, names=("a", "b", "c", "oracle"), means=None):
    """Return the records of three realizations of each algorithm on each data set."""
    means = MEANS if means is None else means
    return [
        line
        for row in rows
        for name, mean in zip(names, means[row], strict=False)
        for line in errors(row, name, [mean - 0.01, mean, mean + 0.01], depth_=mean, size=7)
    ]


def table_of(study: Study, name: str):
    return next(table for table in study.config.tables if table.id == name)


def ranked(folder, records, table="1", **options):
    study = make_study(folder, CONFIG, records)
    return rank_over_data_sets(study, table_of(study, table), **options)


def left_out(ranking) -> str:
    return "\n".join(ranking.chosen.left_out)


def test_ranks_wins_and_values_are_those_of_the_means(tmp_path):
    ranking = ranked(tmp_path, lines())
    means = np.array([MEANS[row][:3] for row in ROWS])
    ranks = rankdata(means, axis=1)
    order = [["a", "b", "c"].index(name) for name in ranking.names]
    assert ranking.rows == tuple(ROWS)
    assert ranking.values == pytest.approx(100 * means[:, order])
    assert ranking.ranks.tolist() == ranks[:, order].tolist()
    assert (np.diff(ranking.average) >= 0).all()
    for pair in ranking.pairs:
        first, second = (100 * means[:, order[at]] for at in (pair.first, pair.second))
        assert pair.wins == (first < second).sum()
        assert pair.losses == (first > second).sum()
        assert pair.wins + pair.ties + pair.losses == len(ROWS)
        assert pair.wilcoxon_p <= pair.wilcoxon_p_holm <= 1.0


def test_the_better_end_turns_the_ranks(tmp_path):
    study = make_study(tmp_path, CONFIG, lines())
    by_error = rank_over_data_sets(study, table_of(study, "1"))
    by_depth = rank_over_data_sets(study, table_of(study, "told"))  # the same, more is better
    assert len(set(by_error.average)) == 3
    assert by_depth.names == by_error.names[::-1]
    assert by_depth.average == pytest.approx(4 - by_error.average[::-1])


def test_an_oracle_is_left_out_and_said(tmp_path):
    ranking = ranked(tmp_path, lines())
    assert "oracle" not in ranking.names
    assert re.search("the oracle: .*test error", left_out(ranking))


def test_a_data_set_with_a_value_missing_is_left_out_and_said(tmp_path):
    records = [one for one in lines() if (one.dataset, one.algorithm) != ("titanic", "b")]
    ranking = ranked(tmp_path, records)
    assert ranking.rows == tuple(row for row in ROWS if row != "titanic")
    assert "titanic: b: not run yet" in left_out(ranking)


def test_a_data_set_with_a_failed_realization_is_left_out_and_said(tmp_path):
    records = [
        *lines(),
        record("heart", 4, "a", status="failed", reason="out of luck"),
    ]
    ranking = ranked(tmp_path, records)
    assert "heart" not in ranking.rows
    assert re.search("heart: A, the first: incomplete: .*out of luck", left_out(ranking))


def test_an_algorithm_without_any_value_costs_itself_alone(tmp_path):
    ranking = ranked(tmp_path, lines(names=("a", "b")))
    assert set(ranking.names) == {"a", "b"}
    assert ranking.rows == tuple(ROWS)
    assert "c: not run yet" in left_out(ranking)


def test_a_value_that_is_no_finite_number_costs_its_data_set(tmp_path):
    means = MEANS | {"german": np.array([np.nan, 0.1, 0.2, 0.3])}
    ranking = ranked(tmp_path, lines(means=means))
    assert re.search("german: A, the first: .*finite", left_out(ranking))


@pytest.mark.parametrize("count", [0, 1, FEWEST_DATA_SETS - 1])
def test_too_few_data_sets_are_refused(tmp_path, count):
    with pytest.raises(NotRanked) as told:
        ranked(tmp_path, lines(ROWS[:count]) or lines(ROWS[:1], ("oracle",)))
    assert re.search(f"at least 5 .*it has {count}" if count else "no algorithms", str(told.value))
    assert "not run yet" in str(told.value)


def test_as_few_as_that_are_ranked(tmp_path):
    assert len(ranked(tmp_path, lines(ROWS[:FEWEST_DATA_SETS])).rows) == FEWEST_DATA_SETS


def test_shipped_values_beside_own_ones_are_left_out_and_said(tmp_path):
    study = make_study(tmp_path, CONFIG, lines())
    cells = dict.fromkeys(study.by_cell, "not run here")
    all_shipped = replace(study, shipped=cells)
    assert rank_over_data_sets(all_shipped, table_of(study, "1")).rows == tuple(ROWS)
    of_one = {value: why for value, why in cells.items() if value[0] == "cancer"}
    ranking = rank_over_data_sets(replace(study, shipped=of_one), table_of(study, "1"))
    assert "cancer" not in ranking.rows
    assert re.search("cancer: .*shipped.*not run here", left_out(ranking))


def timed(row, name, host):
    """Return the record of a timing on a machine."""
    conditions = Conditions(host=host, blas_threads=1, load_before=None, warm=True)
    found = record(row, 1, name, run_pass="timing", seconds=float(RNG.uniform(1, 9)))
    return replace(found, conditions=conditions)


def test_seconds_of_different_machines_are_not_ranked_together(tmp_path):
    timings = [timed(row, name, "here") for row in ROWS[:-1] for name in "ab"]
    timings += [timed(ROWS[-1], "a", "here"), timed(ROWS[-1], "b", "there")]
    ranking = ranked(tmp_path, timings, "time")
    assert ranking.rows == tuple(ROWS[:-1])
    assert re.search(f"{ROWS[-1]}: seconds of different machines", left_out(ranking))


@pytest.mark.parametrize(
    ("table", "metric", "message"),
    [
        ("facts", None, "facts of the data"),
        ("many", None, "size, n_errors; choose one with --metric"),
        ("many", "size", "one algorithm is left to compare; left out: y: shows n_errors"),
        ("unknown", None, "'depth_' are better is not known: `best: min` or `best: max`"),
        ("1", "eror", "did you mean 'error'"),
        ("1", "train_seconds", "timing pass alone"),
        ("1", "train_error", "no algorithms are left to compare.*leaves no 'train_error'"),
    ],
)
def test_what_cannot_be_ranked_is_explained(tmp_path, table, metric, message):
    with pytest.raises(NotRanked, match=message):
        ranked(tmp_path, lines(), table, metric=metric)


def test_another_metric_is_asked_of_the_same_algorithms(tmp_path):
    ranking = ranked(tmp_path, lines(), metric="size")
    assert set(ranking.names) == {"a", "b", "c"}
    assert (ranking.ranks == 2).all()  # all have the same size


def test_where_everything_ties_all_tests_say_so(tmp_path):
    means = {row: np.full(4, 0.3) for row in ROWS}
    ranking = ranked(tmp_path, lines(means=means), rope=1.0)
    assert (ranking.ranks == 2).all()
    assert ranking.friedman.f_p == ranking.friedman_corrected.f_p == 1.0
    assert ranking.groups == [(0, 2)]
    for pair in ranking.pairs:
        assert (pair.wins, pair.ties, pair.losses) == (0, len(ROWS), 0)
        assert pair.nemenyi_p == pair.wilcoxon_p == pair.p_equivalent == 1.0


def test_means_that_differ_by_a_rounding_alone_tie(tmp_path):
    records = lines(names=("b", "c", "oracle"))
    records += [one for row in ROWS for one in errors(row, "a", [MEANS[row][0]])]
    ranking = ranked(tmp_path, records, "2")  # one value, and the mean of three about it
    assert all(pair.ties == len(ROWS) for pair in ranking.pairs)


def test_two_algorithms_are_ranked_too(tmp_path):
    means = {row: np.array([0.1 + 0.01 * at, 0.2]) for at, row in enumerate(ROWS)}
    (pair,) = (ranking := ranked(tmp_path, lines(means=means), "2")).pairs
    assert (pair.wins, pair.losses) == (len(ROWS), 0)
    # both are then the sign test that all are alike: half of all signs of the others
    assert ranking.friedman.f_p == pytest.approx(2.0 ** (1 - len(ROWS)))
    assert pair.wilcoxon_p == pytest.approx(2.0 ** (1 - len(ROWS)))


def test_a_smaller_level_has_a_larger_critical_difference(tmp_path):
    study = make_study(tmp_path, CONFIG, lines())
    found = [
        rank_over_data_sets(study, table_of(study, "1"), alpha=alpha).critical_difference
        for alpha in (0.2, 0.05, 0.01)
    ]
    assert found == sorted(found)


def test_the_files_hold_what_was_found(tmp_path):
    study = make_study(tmp_path, CONFIG, lines())
    ranking = rank_over_data_sets(study, table_of(study, "1"), rope=2.0)
    text, paths = write_ranking(study, ranking)
    assert {path.name for path in paths} == {
        f"rank-1.{end}" for end in ("csv", "md", "png", "svg", "pdf")
    }
    contents = {path.suffix: path.read_bytes() for path in paths}
    assert contents[".md"].decode() == text == ranking_to_markdown(study, ranking)
    assert contents[".png"].startswith(b"\x89PNG")
    assert b"A, the first" in contents[".md"]
    data = pd.read_csv(io.BytesIO(contents[".csv"]))
    assert data["nemenyi_p"].tolist() == [pair.nemenyi_p for pair in ranking.pairs]
    assert set(data["first"]) | set(data["second"]) == set(ranking.names)
    assert data["critical_difference"].unique().tolist() == [ranking.critical_difference]
    assert (data["p_better"] + data["p_equivalent"] + data["p_worse"]).tolist() == pytest.approx(
        [1.0] * len(data)
    )
    again, _ = write_ranking(study, rank_over_data_sets(study, table_of(study, "1"), rope=2.0))
    assert again == text
    assert {path.suffix: path.read_bytes() for path in paths} == contents


def test_another_metric_has_files_of_its_own(tmp_path):
    study = make_study(tmp_path, CONFIG, lines())
    _, paths = write_ranking(study, rank_over_data_sets(study, table_of(study, "1"), metric="size"))
    assert {path.stem for path in paths} == {"rank-1-by-size"}
    _, paths = write_ranking(study, rank_over_data_sets(study, table_of(study, "told")))
    assert {path.stem for path in paths} == {"rank-told"}


def test_it_says_where_wilcoxons_test_cannot_tell_anything_apart(tmp_path):
    study = make_study(tmp_path, CONFIG, lines(ROWS[:5]))
    ranking = rank_over_data_sets(study, table_of(study, "1"))
    assert "cannot tell any apart: with 5 data sets" in ranking_to_markdown(study, ranking)
    assert all(pair.wilcoxon_p_holm > ranking.alpha for pair in ranking.pairs)
    assert "rope" in ranking_to_csv(ranking).splitlines()[0]
