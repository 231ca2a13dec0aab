"""Each cell has the interval of what its values are a sample of."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import t

from ensvm.records.record import Record
from ensvm.report.tables import build_table, stale_notes
from ensvm.report.verdict import Sample, of_samples
from ensvm.report.write import write_tables
from tests.made_up_records import errors, make_study, record

CONFIG = """\
study: s
realizations: 20
published_realizations: 100
datasets:
  - {name: astro, same_rows: true}
  - german
  - {name: titanic, split: {protocol: kfold, n_splits: 5}}
algorithms: {a: {label: A, estimator: SVC}, b: {label: B, estimator: SVC}}
published: p.csv
tables:
  - id: 2
    caption: Errors.
    columns: [a, b]
    notes:
      - {explains: {a: [astro, german]}, text: because}
      - for all
"""
PRINTED = (
    "table,row,column,value,std\n2,astro,a,10.0,\n2,astro,b,10.0,\n"
    "2,german,a,10.0,\n2,german,b,10.0,\n2,titanic,a,10.0,\n"
)


def of_algorithm(line: Record, random_state="0", protocol="official", **more) -> Record:
    settings = {
        "algorithm": {"defaults": {"random_state": random_state}},
        "split": {"protocol": protocol, "n_train": 100, "n_test": 300, **more},
    }
    return replace(line, settings=settings)


def cell(tmp_path, records, row, column="a"):
    study = make_study(tmp_path / "s", CONFIG, records, PRINTED)
    cells = build_table(study, study.config.tables[0])
    return next(cell for cell in cells if (cell.row, cell.column) == (row, column))


@pytest.mark.parametrize(
    ("error", "verdict"), [(0.11, "reproduced"), (0.09, "reproduced"), (0.1101, "differs")]
)
def test_the_papers_own_rows_without_randomness_have_no_sampling_error(tmp_path, error, verdict):
    [line] = errors("astro", "a", [error])
    found = cell(tmp_path, [of_algorithm(line)], "astro")
    assert (found.verdict, found.interval_of) == (verdict, "same rows")
    assert found.difference == found.difference_low == found.difference_high


def test_the_papers_own_rows_with_randomness_are_a_sample_of_it(tmp_path):
    lines = errors("astro", "a", [0.100, 0.102, 0.104])
    found = cell(tmp_path, [of_algorithm(line, "None") for line in lines], "astro")
    assert (found.verdict, found.interval_of) == ("reproduced", "realizations")
    [line] = lines[:1]
    found = cell(tmp_path / "one", [of_algorithm(line, "None")], "astro")
    assert (found.verdict, found.interval_of) == ("compatible", "two rates")


def test_orders_of_one_split_are_the_sample_and_the_printed_value_one_of_them(tmp_path):
    values = np.linspace(0.05, 0.14, 10)
    [line] = errors("astro", "a", [values.mean()])
    line = replace(of_algorithm(line), by_order={"error": values.tolist()})
    found = cell(tmp_path, [line], "astro")
    spread = 100 * values.std(ddof=1)
    half = t.ppf(0.975, 9) * spread * np.sqrt(1.1)
    assert (found.orders, found.std_orders) == (10, pytest.approx(spread))
    assert found.interval_of == "orders"
    assert found.difference_high == pytest.approx(found.difference + half)
    assert found.verdict == "compatible"


def test_the_printed_mean_is_over_as_many_realizations_as_the_study_says(tmp_path):
    values = np.linspace(0.09, 0.13, 20)
    found = cell(tmp_path, [of_algorithm(x) for x in errors("german", "a", values)], "german")
    half = t.ppf(0.975, 19) * found.std * np.sqrt(1 / 20 + 1 / 100)
    assert found.interval_of == "realizations"
    assert found.difference_low == pytest.approx(found.difference - half)


def test_a_printed_mean_of_realizations_has_one_order_each(tmp_path):
    rng = np.random.default_rng(0)
    values = 0.10 + 0.02 * rng.normal(size=(20, 1)) + 0.05 * rng.normal(size=(20, 10))
    lines = [
        replace(of_algorithm(line), by_order={"error": row.tolist()})
        for line, row in zip(errors("german", "a", values.mean(axis=1)), values, strict=True)
    ]
    found = cell(tmp_path, lines, "german")
    total = Sample(10.0, 100 * float(values.std(ddof=1)), 100)
    welch = of_samples(Sample(found.mean, found.std, 20), total, 1.0)
    assert found.std_orders == pytest.approx(100 * np.sqrt(values.var(axis=1, ddof=1).mean()))
    assert found.difference_high == pytest.approx(welch.high)


def test_repetitions_of_a_cross_validation_are_the_sample(tmp_path):
    values = np.repeat([0.10, 0.11, 0.12, 0.11], 5) + np.tile([-0.04, -0.02, 0.0, 0.02, 0.04], 4)
    lines = [
        of_algorithm(line, protocol="kfold", n_splits=5) for line in errors("titanic", "a", values)
    ]
    found = cell(tmp_path, lines, "titanic")
    means = 100 * values.reshape(4, 5).mean(axis=1)
    half = t.ppf(0.975, 3) * means.std(ddof=1) * np.sqrt(1 / 4 + 1)
    assert found.interval_of == "repetitions"
    assert found.difference_high == pytest.approx(found.difference + half)


def test_a_note_stands_with_the_cells_it_explains_and_only_those(tmp_path):
    lines = [of_algorithm(line) for line in errors("astro", "a", [0.3])]
    lines += [of_algorithm(line) for line in errors("german", "a", [0.1, 0.1])]
    study = make_study(tmp_path / "s", CONFIG, lines, PRINTED)
    [(text, paths)] = write_tables(study, "md")
    assert "- ≠ A on astro: because" in text
    assert "- for all" in text
    stale = stale_notes(study.config.tables[0], paths[0])
    assert len(stale) == 1
    assert "'differs' of a on german" in stale[0]
    assert "'reproduced'" in stale[0]


def test_the_legend_says_what_is_shown_and_nothing_else(tmp_path):
    lines = [of_algorithm(line) for line in errors("astro", "a", [0.10])]
    lines += [of_algorithm(line) for line in errors("german", "a", [0.1, 0.2])]
    lines += [replace(record("german", 1, "b", error=0.1, n_test=300), warnings=("slow",))]
    study = make_study(tmp_path / "s", CONFIG, lines, PRINTED)
    [(text, _)] = write_tables(study, "md")
    assert "astro: the paper's own training and test rows" in text
    assert "Welch" in text
    assert "cross-validation" not in text
    assert "orders" not in text
    assert "`ensvm warnings`" in text
    assert "reproduced" in text
