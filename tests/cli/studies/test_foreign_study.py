"""The study of other people's classifiers in docs/foreign, as the command runs and shows it."""

from pathlib import Path

import pytest
import yaml
from made_up_records import invoke

from ensvm.records.store import read_records

CONFIG = Path(__file__).parents[3] / "docs" / "foreign" / "foreign.yaml"
NAMES = list(yaml.safe_load(CONFIG.read_text())["algorithms"])


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    folder = tmp_path_factory.mktemp("foreign")
    ran = invoke("run", CONFIG, "--results", folder, "--jobs", 1)
    assert ran.exit_code == 0, ran.output
    return folder


def test_every_classifier_is_scored_and_learns(results):
    records = read_records(results / "foreign")
    errors = {record.algorithm: record.metrics.get("error") for record in records.values()}
    assert set(NAMES) == errors.keys() - {"data"}
    assert all(errors[name] < 0.2 for name in NAMES)


def test_the_tables_say_what_was_chosen_and_what_was_wrapped(results):
    shown = invoke("table", results)
    assert shown.exit_code == 0, shown.output
    assert "SVM (CV): chosen by 5-fold cross-validation" in shown.stdout
    assert "(balanced_accuracy)" in shown.stdout
    (line,) = [line for line in shown.stdout.splitlines() if "one against rest" in line][-1:]
    assert line.startswith("partially trained")
    records = read_records(results / "foreign").values()
    said = {record.algorithm for record in records if "wrapped" in str(record.settings)}
    assert said == {"ours"}
