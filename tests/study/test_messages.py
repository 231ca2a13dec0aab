"""What is wrong in a config is said in words of the config, not in those of pydantic."""

import re
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import yaml

from ensvm.errors import UserError
from ensvm.runner.plan import make_plan
from ensvm.study.read_config import read_config, validated_study
from ensvm.study.source import YamlSource
from ensvm.yaml_block import Strict

STUDY = """\
study: s
realizations: 2
kernel: {kernel: rbf, gamma: mean-distance}
datasets:
  - german
  - {name: size, card: german, sweep: {split.n_train: [50, 100]}, same_rows: true}
algorithms:
  svc: {estimator: SVC, grid: {C: [1, 2]}, stage: best-on-test, orders: 1}
  slow: {pipeline: [StandardScaler, SVC], record: [train_error], share_gram: false}
timing: {algorithms: [svc], realizations: 2}
tables:
  - {id: 1, caption: c, columns: [svc, {name: slow, margin: 1.5}], rows: [german], margin: 0.5,
     notes: [a, {text: b, explains: {svc: german}}], underline: {svc: slow}}
figures:
  - {id: 2, caption: c, kind: sweep, panels: [size], series: [svc], y: error}
  - {id: 4, caption: c, kind: box, rows: german, series: [svc, slow]}
claims:
  - {id: a, text: t, left: svc, right: slow, relation: less, margin: 0.5, rows: [german]}
readings:
  - {id: q, question: q, table: 1, columns: [slow], default: d, conclusion: c,
     variants: [{name: v, label: l, algorithm: {params.C: 2}}]}
assumptions: [{id: x, text: t, chosen_on: {table: 1, columns: [svc]}}]
"""
ODD = [None, True, 0, -1, 2.5, "x y", [], {"a": 1}, float("nan")]
PYDANTIC = re.compile(
    r"\binput\b|valid |instance|pattern|dictionary|tuple|parse|constrained|literal|function-"
    r"|\w\[\w|discriminat|Config|\.(str|int|float)\b",
    re.IGNORECASE,
)


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path of every key and entry."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in items:
        yield (*path, key)
        if isinstance(inner, dict | list):
            yield from places(inner, (*path, key))


@pytest.mark.parametrize("odd", ODD, ids=repr)
def test_an_odd_value_of_any_key_gets_lines_in_plain_words(odd: Any) -> None:
    content, refused = yaml.safe_load(STUDY), 0
    for path in places(content):
        changed = deepcopy(content)
        block = changed
        for step in path[:-1]:
            block = block[step]
        block[path[-1]] = odd
        try:
            validated_study(YamlSource(Path("s.yaml"), yaml.safe_dump(changed, sort_keys=False)))
        except UserError as error:
            message = re.sub(r"\[\d+\]", "", str(error))
            assert not PYDANTIC.search(message), (path, message)
            # other blocks that name the changed one are told, too
            assert all(line.startswith("s.yaml, line ") for line in message.splitlines()), message
            refused += 1
    assert refused > 50


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("same_rows: true", "same_rows: maybe", "'maybe' is not accepted; accepted: true or false"),
        ("gamma: mean-distance", "gamma: -1", "accepted: more than 0 or scale, auto, mean-dist"),
        ("y: error", "y: {error: 1}", r"figures\[1\].y.error: 1 is not accepted; accepted: text"),
        ("study: s", "study: my study", "a letter or digit, then letters, digits and _ . [+] -"),
        ("kind: box", "kind: pie", r"figures\[2\].kind: 'pie' .* accepted: curves, sweep, plane"),
        ("realizations: 2", "realizations: 2.5", "accepted: a whole number"),
        ("kernel: {kernel: rbf", "kernel: {kernel: rbd", "linear.*; did you mean 'rbf'"),
    ],
)
def test_a_message_says_what_is_accepted(old: str, new: str, message: str) -> None:
    assert old in STUDY
    with pytest.raises(UserError, match=message):
        validated_study(YamlSource(Path("s.yaml"), STUDY.replace(old, new, 1)))


@pytest.mark.parametrize(
    ("key", "now"),
    [("keep: [predictions]", "`metrics:`"), ("coverage: []", "documentation of a study")],
)
def test_a_former_key_of_a_study_is_refused_with_what_replaces_it(tmp_path, key, now):
    path = tmp_path / "s.yaml"
    path.write_text(f"study: s\ndatasets: [german]\nalgorithms: {{a: {{estimator: SVC}}}}\n{key}\n")
    with pytest.raises(UserError, match=f"{key.split(':')[0]}.* unknown key .*{now}"):
        read_config(path)


def every_block(of: type[Strict] = Strict) -> Iterator[type[Strict]]:
    for block in of.__subclasses__():
        yield block
        yield from every_block(block)


def test_every_hint_is_for_a_key_that_a_block_does_not_have() -> None:
    for block in every_block():
        alike = [other.model_fields for other in every_block() if other.hints is block.hints]
        for key in block.hints:
            assert any(key not in fields for fields in alike), (block, key)


@pytest.mark.parametrize(
    ("key", "told"),
    [
        ("repeats: 5", "`realizations:` says how many"),
        ("cv: 5", "`split:` of a data set"),
        ("random_state: 0", "leave it out"),
        ("models: {}", "write `algorithms:`"),
        ("algorithms.svc.hyperparameters: {C: 1}", "stand under `params:`"),
        ("algorithms.svc.tune: {C: [1]}", "`estimator: GridSearchCV`"),
        ("algorithms.svc._target_: sklearn.svm.SVC", "write `estimator:`"),
        ("algorithms.svc.class: SVC", "write `estimator:`"),
        ("datasets.0.test_size: 0.3", "`split:` of a data set"),
        ("datasets.0.sep: ;", "`format:` says how a table of text is written"),
        ("datasets.0.y: kind", "`target:` names the classes"),
        ("datasets.0.params: {C: 1}", "`params_of:` of an algorithm gives it"),
        ("tables.0.stage: 3", "unknown key 'stage'"),
        ("datasets.0.format: {sep: ;}", "write `delimiter:`"),
        ("datasets.0.split.test_size: 0.3", "unknown key 'test_size'; folds have no sizes"),
        ("datasets.0.split.random_state: 0", "leave it out"),
        ("datasets.0.split: {protocol: random, n_test: 9, cv: 5}", "`protocol: kfold` has folds"),
        ("datasets.0.split.protocol: StratifiedKFold", "`kfold` with `stratified: true`"),
        ("algorithms.svc.stage: best", "; write `best-on-validation`"),
        ("tables.0.best: best", "accepted: auto, min, max, none"),
        ("claims.0.relation: better", "the value of `left:` is smaller"),
        ("tables.0.precision: 2", "write `decimals:`"),
        ("claims.0.greater: lda", "`relation: less`"),
        ("claims.0.relation: greater", "exchange `left:` and `right:`"),
        ("claims.0.better: svc", "write `left:`"),
        ("claims.0.than: lda", "write `right:`"),
    ],
)
def test_a_word_of_other_tools_is_answered_with_ours(tmp_path: Path, key: str, told: str) -> None:
    (tmp_path / "mine.csv").write_text("a,kind\n" + "1,x\n2,y\n" * 20)
    content = yaml.safe_load(
        "study: s\ndatasets: [{name: mine, path: mine.csv, target: kind, "
        "split: {protocol: kfold, n_splits: 5}}]\nalgorithms: {svc: {estimator: SVC}}\n"
        "tables: [{id: 1, caption: c, columns: [svc]}]\n"
        "claims: [{id: a, text: t, left: svc, relation: at-most, limit: 5}]\n"
    )
    path, _, value = key.partition(": ")
    *steps, last = path.split(".")
    block = content
    for step in steps:
        block = block[int(step) if step.isdigit() else step]
    block[last] = yaml.safe_load(value) if value != ";" else value
    config = tmp_path / "s.yaml"
    config.write_text(yaml.safe_dump(content))
    with pytest.raises(UserError, match=re.escape(told)):
        make_plan(config)


def test_one_wrong_entry_is_one_error(tmp_path: Path) -> None:
    config = tmp_path / "s.yaml"
    config.write_text(
        "study: s\ndatasets: [{name: Two words}]\nalgorithms: {a: {estimator: SVC}}\n"
    )
    with pytest.raises(UserError, match=r"take any text$"):
        make_plan(config)
