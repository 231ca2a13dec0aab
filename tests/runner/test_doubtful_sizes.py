"""`ensvm check` asks about sizes that leave too little to learn from, to test on or to compare."""

import pytest
from made_up_records import errors, invoke, make_study

from ensvm.report.claims import evaluate_claims

SIZES = """\
study: s
realizations: N
datasets: [{name: own, path: own.csv, target: c, split: SPLIT}]
algorithms:
  a: {estimator: SVC}
  b: {estimator: SVC, grid: {C: [1, 2]}, stage: best-on-validation}
tables: [{id: 1, caption: c, columns: [a, b]}]
claims:
  - {id: less, text: t, relation: less, metric: METRIC, left: [a], right: [b], margin: 0}
"""
GOOD = {"N": "3", "SPLIT": "{protocol: random, n_train: 40, n_test: 40}", "METRIC": "auc"}
TRAINED, TESTED = "of a class about", "is a multiple of"
ASKED = [
    ({}, ()),
    ({"SPLIT": "{protocol: random, n_train: 10, n_test: 40}"}, ()),
    ({"SPLIT": "{protocol: random, n_train: 8, n_test: 40}"}, (TRAINED,)),
    ({"SPLIT": "{protocol: random, n_train: 4, n_test: 40}"}, (TRAINED, "of one class alone")),
    ({"SPLIT": "{protocol: random, n_train: 40, n_test: 3}"}, (TESTED, "33.3 %")),
    ({"SPLIT": "{protocol: bootstrap}"}, ()),
    ({"SPLIT": "{protocol: kfold, n_splits: 100}"}, ()),  # all rows are tested in the end
    ({"N": "1"}, ("claims[1]: one realization of own", "no interval of auc")),
    ({"N": "1", "METRIC": "error"}, ()),  # the test rows give one
]


@pytest.mark.parametrize(("changes", "questions"), ASKED, ids=lambda each: str(each)[:60])
def test_sizes_that_say_little_are_asked_about(tmp_path, changes, questions):
    rows = [f"{n % 7},{'xy'[n % 2]}\n" for n in range(100)]
    (tmp_path / "own.csv").write_text("a,c\n" + "".join(rows))
    text = SIZES
    for key, value in {**GOOD, **changes}.items():
        text = text.replace(key, value)
    (tmp_path / "s.yaml").write_text(text)
    result = invoke("check", tmp_path / "s.yaml")
    assert result.exit_code == 0, result.output
    told = " ".join(result.output.split())
    every = (TRAINED, TESTED, "of one class alone", "one realization of")
    assert [words in told for words in every] == [
        any(words in question or question in words for question in questions) for words in every
    ], told
    assert all(question in told for question in questions), told


@pytest.mark.parametrize("metric", ["auc", "error"])
def test_a_claim_on_one_realization_has_an_interval_if_check_does_not_ask(tmp_path, metric):
    """The question has the rule of the intervals."""
    text = SIZES.replace("N\n", "1\n", 1).replace("{name: own, path: own.csv, target: c, ", "{")
    text = text.replace("{split: SPLIT}", "german").replace("METRIC", metric)
    values = {"auc": {"a": 0.5, "b": 0.9}, "error": {"a": 0.1, "b": 0.4}}[metric]
    records = [
        one for name, value in values.items() for one in errors("german", name, [value], auc=value)
    ]
    [judged] = evaluate_claims(make_study(tmp_path / "s", text, records))
    [compared] = judged.comparisons
    assert (compared.low is not None) == (metric == "error")
