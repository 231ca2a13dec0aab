"""`ensvm readings`, from a run to the files: a variant of the values that stand changes nothing."""

import pandas as pd
import pytest
from made_up_records import invoke

from ensvm.records.shipped_records import pack
from ensvm.records.store import CELLS_FILE
from ensvm.report.query import read_study
from ensvm.report.write import write_readings
from ensvm.runner.plan import make_plan

ALGORITHMS = """\
bag: {estimator: "sklearn.ensemble:BaggingClassifier", params: {n_estimators: 3}}
svc: {estimator: SVC}
"""
MORE = """\
published: p.csv
tables: [{id: 1, caption: c, columns: [bag, svc]}]
readings:
  - id: size
    question: How many members?
    table: 1
    columns: [bag]
    default: three
    variants:
      - {name: three, label: three again, algorithm: {params.n_estimators: 3}}
      - {name: five, label: five, algorithm: {params.n_estimators: 5}, realizations: 2}
      - {name: raw, label: raw, dataset: {scaling: none}}
    conclusion: Who knows.
"""


@pytest.fixture
def config(study, tmp_path):
    (tmp_path / "p.csv").write_text("table,row,column,value,std\n1,own,bag,25.0,\n")
    return study(ALGORITHMS, realizations=3, more=MORE)


@pytest.mark.slow
@pytest.mark.usefixtures("in_this_process")
def test_from_a_run_to_readings(config, tmp_path):
    results = tmp_path / "results"
    ran = invoke("run", config, "--results", results, "--jobs", 1)
    assert ran.exit_code == 0
    assert f"readings: ensvm report --only readings {results}" in ran.stdout.splitlines()[-1]
    told = invoke("readings", results)
    assert told.exit_code == 0
    folder = results / "trial"
    assert told.stdout.strip() == (folder / "readings.md").read_text().strip()
    frame = pd.read_csv(folder / "readings.csv").set_index("reading")
    assert frame.loc["three", "value"] == frame.loc["default", "value"]  # bit for bit
    assert frame.loc["three", "std"] == frame.loc["default", "std"]
    assert frame.loc["five", "n"] == 2
    assert frame["value"].notna().all()

    plan = make_plan(config)
    wanted = {cell.identity: cell.settings for cell in plan.cells}
    assert pack(folder, config.read_text(), wanted) == []
    before = (folder / "readings.csv").read_text()
    (folder / CELLS_FILE).unlink()
    write_readings(read_study(folder))
    assert (folder / "readings.csv").read_text() == before


def test_a_dry_run_counts_the_copies(config, tmp_path):
    told = invoke("run", config, "--results", tmp_path / "results", "--dry-run")
    assert told.exit_code == 0
    own, derived = 1 + 2 * 3, 3 + 2 + 1 + 3
    assert (
        f"1 data sets, 2 algorithms, {own + derived} cells, {derived} of them for readings"
        in told.stdout
    )
    assert "good; 1 data sets, 2 algorithms" in invoke("check", config, "--no-fit").stdout


def test_a_folder_without_readings_is_one_message(tmp_path):
    told = invoke("readings", tmp_path)
    assert told.exit_code == 2
    assert told.output.startswith(f"error: {tmp_path}: no records here; run a study first")
