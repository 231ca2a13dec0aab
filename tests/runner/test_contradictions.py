"""`ensvm check` names keys that cannot both be true, and says nothing of others."""

import re

import pytest
from made_up_records import invoke

from ensvm.runner.contradictions import contradictions
from ensvm.runner.plan import make_plan
from ensvm.shipped import shipped_configs

GOOD = """\
study: t
realizations: 3
datasets:
  - {name: optdigits, same_rows: true}
  - {name: drawn, card: iris, split: {protocol: random, n_train: 100}}
algorithms:
  a: {estimator: SVC}
  guess: {estimator: DummyClassifier}
tables: [{id: t, caption: c, metric: error, columns: [a, guess], largest_class: guess}]
"""
GUESS, GERMAN, SPLIT = (
    "estimator: DummyClassifier",
    "{name: optdigits,",
    "protocol: random, n_train: 100",
)
NOT_A_GUESS = r"largest_class: .* does not always predict the largest class; accepted: "
DRAWN = r"same_rows: the split of drawn \({}\) is drawn by ensvm"
CASES = [
    ("largest_class: guess", "largest_class: a", NOT_A_GUESS),
    (GUESS, "estimator: RandomForestClassifier", NOT_A_GUESS),
    (GUESS, "estimator: DummyClassifier, params: {strategy: uniform}", NOT_A_GUESS),
    (GUESS, "estimator: DummyClassifier, params: {strategy: most_frequent}", ""),
    (SPLIT, f"{SPLIT}}}, same_rows: true, kernel: {{", DRAWN.format("random")),
    (SPLIT, "protocol: bootstrap}, same_rows: true, kernel: {", DRAWN.format("bootstrap")),
    (SPLIT, "protocol: kfold, n_splits: 5}, same_rows: true, kernel: {", DRAWN.format("kfold")),
    (SPLIT, "protocol: kfold, n_splits: 150}, same_rows: true, kernel: {", ""),
    (
        GERMAN,
        f"{GERMAN} drawn_again: [drawn],",
        "`drawn_again:` says that the paper had other rows",
    ),
    (GERMAN, f"{GERMAN} published_split: one-unknown,", "`published_split:` says that the paper"),
]


@pytest.mark.parametrize(("old", "new", "message"), CASES, ids=[new for _, new, _ in CASES])
def test_keys_that_contradict_each_other_are_named(tmp_path, old, new, message):
    path = tmp_path / "c.yaml"
    path.write_text(GOOD)
    assert contradictions(make_plan(path)) == []
    assert old in GOOD
    path.write_text(GOOD.replace(old, new))
    lines = contradictions(make_plan(path))
    assert len(lines) == bool(message), lines
    for line in lines:
        assert re.search(rf"c.yaml, line \d+: .*{message}", line), line
        assert line in invoke("check", path).output.replace("\n", " ")


@pytest.mark.parametrize("path", sorted(shipped_configs().glob("*.yaml")), ids=lambda one: one.stem)
def test_no_shipped_config_contradicts_itself(path):
    assert contradictions(make_plan(path)) == []
