"""A config names classes by the labels of its data, whatever codes estimators are fitted on."""

import numpy as np
import pytest
from made_up_records import invoke

from ensvm.errors import UserError
from ensvm.records.store import read_records
from ensvm.runner.plan import make_plan

SPELLINGS = [("1", "2"), ("well", "sick"), ("c", "b", "a"), ("1.0", "2.0", "10.0")]


def study(folder, labels, params, estimator="LogisticRegression", more=""):
    """Write a study on rows whose inputs tell nothing, the k-th label on k + 1 of them in turn."""
    codes = np.repeat(np.arange(len(labels)), np.arange(len(labels)) + 1)
    rows = [f"{n * 7 % 13},{labels[codes[n % len(codes)]]}" for n in range(60)]
    (folder / "d.csv").write_text("a,label\n" + "\n".join(rows) + "\n")
    path = folder / "c.yaml"
    path.write_text(
        "study: c\ndatasets:\n  - {name: d, path: d.csv, target: label"
        f"{more}, split: {{protocol: random, n_train: 30, n_test: 30}}}}\n"
        f"algorithms:\n  a: {{estimator: {estimator}, params: {params}}}\n"
    )
    return path


def error_of(folder, path):
    """Return the share of test rows that have not the label which all rows are given."""
    result = invoke("run", path, "--jobs", 1, "--results", folder / "results")
    assert result.exit_code == 0, result.output
    records = read_records(folder / "results" / "c").values()
    [record] = [each for each in records if each.algorithm == "a"]
    assert record.status == "ok", record.reason
    return record.metrics["error"]


@pytest.mark.parametrize("labels", SPELLINGS, ids="-".join)
@pytest.mark.parametrize("which", [0, 1])
def test_a_weight_and_a_constant_are_of_the_label_that_is_written(tmp_path, labels, which):
    label = labels[which]
    one = error_of(
        tmp_path,
        study(tmp_path, labels, f"{{strategy: constant, constant: '{label}'}}", "DummyClassifier"),
    )
    weights = ", ".join(f"'{name}': {1e6 if name == label else 1e-6}" for name in labels)
    heavy = study(tmp_path, labels, f"{{class_weight: {{{weights}}}}}")
    assert error_of(tmp_path, heavy) == one
    inner = f"{{estimator: LogisticRegression, params: {{class_weight: {{{weights}}}}}}}"
    nested = study(tmp_path, labels, f"{{estimator: {inner}}}", "NoisyLabels")
    assert error_of(tmp_path, nested) == one


def test_another_positive_class_changes_no_weight(tmp_path):
    weights = "{class_weight: {sick: 1000000, well: 0.000001}}"
    errors = [
        error_of(tmp_path, study(tmp_path, ("sick", "well"), weights, more=f", positive: {label}"))
        for label in ("sick", "well")
    ]
    assert errors[0] == errors[1]


@pytest.mark.parametrize("params", ["{class_weight: {1: 2, 3: 1}}", "{class_weight: {-1: 5}}"])
def test_a_label_that_the_data_lack_is_refused(tmp_path, params):
    with pytest.raises(UserError, match=r"algorithms\.a: .*'d', class_weight: no label .*: 1, 2"):
        make_plan(study(tmp_path, ("1", "2"), params))


def test_weights_by_labels_are_refused_one_class_against_the_rest(tmp_path):
    params = "{class_weight: {a: 2, b: 1, c: 1}}"
    with pytest.raises(UserError, match="one class against the rest, as on d"):
        make_plan(study(tmp_path, ("a", "b", "c"), params, "LogisticRegression, one_vs_rest: true"))


def test_a_metric_of_one_of_two_classes_is_refused_on_more_classes(tmp_path):
    path = study(tmp_path, ("a", "b", "c"), "{}")
    with path.open("a") as file:
        file.write("tables: [{id: 1, caption: c, metric: f1, columns: [a]}]\n")
    with pytest.raises(UserError, match=r"metric: f1 is of one of two classes, and d has 3"):
        make_plan(path)
