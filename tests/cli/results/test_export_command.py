"""`ensvm export` at the command line: to the terminal, to files, with seeds."""

import io

import pandas as pd
import pytest
from made_up_records import invoke

from ensvm.runner.plan import make_plan

CONFIG = """\
study: trial
realizations: 2
kernel: {kernel: rbf, gamma: 1.0}
datasets: [{name: small, card: circle, split: {protocol: random, n_train: 20, n_test: 20}}]
algorithms: {a: {estimator: ParzenWindowClassifier}}
tables:
  - {id: 1, caption: c, columns: [a]}
"""


@pytest.mark.usefixtures("in_this_process")
def test_from_a_run_to_one_long_table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    config = tmp_path / "trial.yaml"
    config.write_text(CONFIG)
    assert invoke("run", config, "--jobs", 1).exit_code == 0
    without = invoke("export", "results", "trial", "--per-realization")
    assert without.stderr == "trial: no seeds; they need its config: --config trial.yaml\n"
    assert pd.read_csv(io.StringIO(without.stdout)).seed.isna().all()
    answer = invoke("export", "results", "trial", "--per-realization", "--config", config)
    assert answer.exit_code == 0
    assert answer.stderr == ""
    frame = pd.read_csv(io.StringIO(answer.stdout))
    seeds = {
        (cell.dataset, cell.realization, cell.algorithm): cell.seed
        for cell in make_plan(config).cells
        if cell.method is not None
    }
    found = frame[frame.algorithm == "a"].set_index(["dataset", "realization", "algorithm"]).seed
    assert found.astype(int).to_dict() == seeds

    written = invoke("export", "-o", "out.csv")
    assert written.exit_code == 0
    assert "wrote out.csv: 1 lines" in written.stderr
    cells = pd.read_csv("out.csv")
    assert cells[["table", "row", "column", "n"]].to_numpy().tolist() == [[1, "small", "a", 2]]

    config.write_text(CONFIG.replace("n_test: 20", "n_test: 30"))
    other = invoke("export", "--per-realization", "--config", config)
    assert pd.read_csv(io.StringIO(other.stdout)).seed.isna().all()


def test_what_cannot_be_written_is_refused(tmp_path):
    (tmp_path / "s").mkdir()
    answer = invoke("export", tmp_path, "-o", tmp_path / "x.xlsx")
    assert answer.exit_code == 2
    assert answer.stderr.endswith("accepted: .csv, .parquet\n")
    answer = invoke("export", tmp_path)
    assert answer.exit_code == 2
    assert "no records here" in answer.stderr
