"""A mistake of a config hides no other, in its own block or in another one."""

import re
from copy import deepcopy
from itertools import combinations

import pytest
import yaml

from ensvm.errors import UserError
from ensvm.study.read_config import read_config

STUDY = yaml.safe_load("""\
study: s
title: T
realizations: 5
takes: 3
kernel: {kernel: rbf, gamma: mean-distance}
metrics: [f1_macro]
datasets: [{name: titanic, realizations: 3, algorithms: [svc, ens]}, cancer]
algorithms:
  svc: {label: C-SVM, estimator: SVC, params: {C: 1.0}}
  ens: {label: E, estimator: PartiallyTrainedEnsemble, record: [staged_test_error]}
timing: {datasets: [cancer], algorithms: [svc], realizations: 5}
tables:
  - id: errors
    caption: c
    rows: [titanic, cancer]
    columns: [svc, {name: ens, metric: f1_macro}]
    margin: 0.01
    notes: [{text: n, rows: [titanic]}]
figures: [{id: f, caption: c, kind: curves, panels: [titanic], series: [ens], y: staged_test_error}]
claims:
  - {id: a, text: t, left: svc, right: ens, relation: less, rows: [titanic]}
  - {id: b, text: t, left: svc, right: ens, relation: less, margin: 1}
readings:
  - id: r
    question: q
    table: errors
    rows: [titanic]
    columns: [svc]
    default: d
    conclusion: c
    variants: [{name: v, label: V, algorithm: {params.C: 2.0}}]
findings: [{claim: a, adds: ["{holds a}"]}]
""")
TABLE, FIGURE, CLAIM, READING = (("tables", 0), ("figures", 0), ("claims", 0), ("readings", 0))
# For each block: the keys that are set, and their wrong values.
MISTAKES = {
    "study": {
        ("titel",): "x",
        ("realizations",): "many",
        ("takes",): "long",
        ("kernel", "kernel"): "rfb",
        ("metrics",): ["eror"],
    },
    "data set": {
        ("datasets", 0, "realisations"): 3,
        ("datasets", 0, "realizations"): "x",
        ("datasets", 0, "algorithms"): ["svcc"],
    },
    "algorithm": {
        ("algorithms", "svc", "parms"): {},
        ("algorithms", "svc", "label"): [1],
        ("algorithms", "svc", "datasets"): ["titanc"],
        ("algorithms", "ens", "labl"): "x",
    },
    "timing": {
        ("timing", "realisations"): 5,
        ("timing", "realizations"): "x",
        ("timing", "datasets"): ["cancr"],
        ("timing", "algorithms"): ["svcc"],
    },
    "table": {
        (*TABLE, "margn"): 1,
        (*TABLE, "metric"): "eror",
        (*TABLE, "rows"): ["titanic", "cancr"],
        (*TABLE, "margin"): "big",
        (*TABLE, "best"): "smalest",
        (*TABLE, "columns", 0): "svcc",
        (*TABLE, "columns", 1, "labl"): "x",
        (*TABLE, "columns", 1, "metric"): "f1_mcro",
    },
    "note": {
        (*TABLE, "notes", 0, "rows"): ["titanc"],
        (*TABLE, "notes", 0, "columns"): ["ensemble"],
        (*TABLE, "notes", 0, "txt"): "x",
        (*TABLE, "margn"): 1,
    },
    "figure": {
        (*FIGURE, "capton"): "x",
        (*FIGURE, "x_scale"): "lg",
        (*FIGURE, "panels"): ["titanc"],
        (*FIGURE, "series"): ["enss"],
    },
    "kind": {
        (*FIGURE, "kind"): "curve",
        (*FIGURE, "panels"): ["titanc"],
        (*FIGURE, "series"): ["enss"],
    },
    "claim": {
        (*CLAIM, "margn"): 1,
        (*CLAIM, "metric"): "eror",
        (*CLAIM, "left"): "svcc",
        (*CLAIM, "right"): "enss",
        (*CLAIM, "relation"): "lesss",
        (*CLAIM, "rows"): ["titanc"],
        (*CLAIM, "factor"): "big",
        ("claims", 1, "left"): "svcc",
    },
    "reading": {
        (*READING, "qestion"): "x",
        (*READING, "default"): [1],
        (*READING, "variants", 0, "labl"): "x",
        (*READING, "rows"): ["titanc"],
        (*READING, "columns"): ["svcc"],
    },
    "variant": {
        (*READING, "variants", 0, "algorithm"): {"estimatr": "SVC"},
        (*READING, "variants", 0, "labl"): "x",
        (*READING, "qestion"): "x",
    },
    "a wrong entry before good ones": {
        (*CLAIM, "relation"): "is",  # looks like none: the claim is left out
        ("claims", 1, "left"): "svcc",
    },
}
# blocks that are parts of others, or that have the same keys
OVERLAPPING = ("note", "variant", "kind", "a wrong entry before good ones")


def told(folder, mistakes):
    """Return the messages about the study with these mistakes, without numbers of lines."""
    content = deepcopy(STUDY)
    for (*steps, key), value in mistakes:
        block = content
        for step in steps:
            block = block[step]
        block[key] = value
    path = folder / "s.yaml"
    path.write_text(yaml.safe_dump(content, sort_keys=False))
    try:
        read_config(path)
    except UserError as error:
        return {re.sub(r"line \d+", "line", message) for message in error.messages}
    return set()


def test_the_study_without_mistakes_is_good(tmp_path):
    assert not told(tmp_path, [])


@pytest.mark.parametrize("block", MISTAKES)
def test_two_mistakes_of_one_block_are_both_told(tmp_path, block):
    mistakes = list(MISTAKES[block].items())
    alone = {location: told(tmp_path, [(location, value)]) for location, value in mistakes}
    assert all(len(messages) == 1 for messages in alone.values()), alone
    for one, other in combinations(mistakes, 2):
        assert told(tmp_path, [one, other]) == alone[one[0]] | alone[other[0]]


def test_mistakes_of_all_blocks_are_told_together(tmp_path):
    for number in range(max(map(len, MISTAKES.values()))):
        chosen = dict(
            pairs[number % len(pairs)]
            for block in MISTAKES
            if (pairs := list(MISTAKES[block].items())) and block not in OVERLAPPING
        )
        alone = [told(tmp_path, [mistake]) for mistake in chosen.items()]
        assert set.union(*alone) <= told(tmp_path, chosen.items())


def test_lines_are_right_behind_an_entry_that_is_left_out(tmp_path):
    path = tmp_path / "s.yaml"
    text = yaml.safe_dump(STUDY, sort_keys=False).replace("relation: less", "relation: is", 1)
    head, mark, rest = text.rpartition("left: svc")
    path.write_text(f"{head}left: svcc{rest}")
    line = head.count("\n") + 1
    with pytest.raises(UserError, match=rf"line {line}: claims\[2\]\.left: unknown .*'svcc'"):
        read_config(path)
    assert mark


@pytest.mark.parametrize(
    "location", [(*TABLE, "metric"), (*CLAIM, "metric"), (*READING, "table"), (*CLAIM, "left")]
)
@pytest.mark.parametrize("value", [["svc"], {"a": 1}, 5, True])
def test_a_value_of_another_type_is_one_mistake(tmp_path, location, value):
    assert len(told(tmp_path, [(location, value)])) <= 1
