"""The schema for editors never refuses what ensvm accepts."""

import json
import random
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft7Validator
from made_up_records import invoke
from pydantic import ValidationError

from ensvm.data.own_file import OwnFile
from ensvm.errors import UserError
from ensvm.shipped import (
    card_schema,
    config_schema,
    schema_line,
    shipped_configs,
    shipped_datasets,
)
from ensvm.study.config import validated
from ensvm.study.source import YamlSource

CONFIGS = sorted(shipped_configs().glob("*.yaml"))
VALIDATOR = Draft7Validator(json.loads(config_schema().read_text(encoding="utf-8")))
STUDY = """\
study: s
kernel: {kernel: rbf, gamma: mean-distance}
datasets:
  - german
  - {name: size, card: german, sweep: {split.n_train: [50, 100]}, same_rows: true}
  - {path: my.csv, target: 2, drop: [1], split: {protocol: random, n_train: 0.5}, unlabelled: drop}
algorithms:
  svc: {estimator: SVC, grid: {C: [1, 2]}, stage: best-by-cv, cv: 5, orders: 1}
  slow: {pipeline: [StandardScaler, SVC], record: [train_error], share_gram: false}
  swept: {estimator: ParzenWindowClassifier, sweep: {params.gamma: [1, 2.5]}}
timing: {algorithms: [svc], realizations: 2}
tables:
  - {id: 1, caption: c, columns: [svc, {name: slow, margin: 1.5}], rows: [german], margin: 0.5,
     notes: [a, {text: b, explains: {svc: german}}], underline: {svc: slow}}
figures:
  - {id: 2, caption: c, kind: sweep, panels: [size], series: [svc], y: error}
  - {id: 3, caption: c, panels: [german], series: [slow], y: train_error, first: 1}
  - {id: 4, caption: c, kind: box, rows: german, series: [svc, slow]}
claims:
  - {id: a, text: t, better: svc, than: slow, relation: less, margin: 0.5, rows: [german]}
published: printed.csv
readings:
  - {id: q, question: q, table: 1, columns: [slow], default: d, conclusion: c,
     variants: [{name: v, label: l, algorithm: {params.C: 2}}]}
"""
ODD = [None, True, False, 0, 1, -1, 2.0, 0.5, "1", "2.5", "yes", "x", "", [], ["x"], ["german"], {}]


def accepted(content: dict[str, Any]) -> bool:
    """Return whether ensvm accepts a config, as far as it can without reading data."""
    text = yaml.safe_dump(content, sort_keys=False)
    try:
        config = validated(YamlSource(Path("s.yaml"), text))
        for entry in config.datasets:
            if entry.own:
                OwnFile.model_validate(entry.file_keys())
    except (UserError, ValidationError):
        return False
    return True


def changed(content: dict[str, Any], draw: random.Random) -> dict[str, Any]:
    """Return a copy with one key anywhere removed, or set to an odd value or that of another."""
    content = deepcopy(content)
    blocks: list[dict[Any, Any] | list[Any]] = [content]
    for block in blocks:
        inner = block.values() if isinstance(block, dict) else block
        blocks += [each for each in inner if isinstance(each, dict | list) and each]
    block = draw.choice(blocks)
    key = draw.choice(list(block) if isinstance(block, dict) else range(len(block)))
    if draw.random() < 0.2:
        del block[key]
    else:
        block[key] = draw.choice(ODD)
    return content


def test_the_schema_is_a_schema():
    Draft7Validator.check_schema(VALIDATOR.schema)


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_shipped_configs_are_valid(path):
    assert [error.message for error in VALIDATOR.iter_errors(YamlSource(path).content)] == []


@pytest.mark.parametrize("seed", range(10))
def test_what_ensvm_accepts_is_never_refused(seed):
    draw = random.Random(seed)
    content = yaml.safe_load(STUDY)
    assert accepted(content)
    n_accepted = 0
    for _ in range(25):
        variant = changed(content, draw)
        if accepted(variant):
            n_accepted += 1
            assert [error.message for error in VALIDATOR.iter_errors(variant)] == [], variant
    assert n_accepted


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("realisations: 3", "'realisations' was unexpected"),
        ("reproduce: maybe", "'maybe' does not match"),
        ("tables: [{id: 1, caption: c, columns: [svc], best: highest}]", "'highest' is not one of"),
        ("figures: [{id: 1, caption: c, kind: box, rows: a, serie: b}]", "'serie' was unexpected"),
        ("figures: [{id: 1, caption: c, kind: pie}]", "'pie' is not one of"),
        ("datasets: [{name: german, target: y}]", "'target' is not one of"),
        ("algorithms: {svc: {estimator: SVC, stage: best}}", "'best' is not one of"),
        ("claims: [{id: a, text: t, better: svc}]", "'relation' is a required property"),
        ("realizations: 0", "0 is less than the minimum of 1"),
    ],
)
def test_mistakes_are_found(change, message):
    content = {"study": "s", "datasets": ["german"], "algorithms": {"svc": {"estimator": "SVC"}}}
    found = list(VALIDATOR.iter_errors(content | yaml.safe_load(change)))
    texts = [error.message for top in found for error in (top, *(top.context or ()))]
    assert any(message in text for text in texts), texts


@pytest.mark.parametrize(
    "path",
    sorted(shipped_configs().glob("*/*.yaml")),
    ids=lambda path: f"{path.parent.stem}-{path.stem}",
)
def test_the_parts_of_shipped_configs_are_valid(path):
    content = YamlSource(path, path.read_text(encoding="utf-8")).content
    assert [error.message for error in VALIDATOR.iter_errors(content)] == []
    ((key, entries),) = content.items()
    assert not VALIDATOR.is_valid({key: [entries[0] | {"no_such_key": 1}]})


def test_a_config_with_a_base_may_have_any_path_of_keys():
    content = yaml.safe_load("{study: s, base: ijcai07, algorithms.ensemble.params.tol: 0.025}")
    assert VALIDATOR.is_valid(content)
    assert not VALIDATOR.is_valid({"base": "ijcai07"})


def test_the_first_line_names_the_installed_file():
    address = schema_line().removeprefix("# yaml-language-server: $schema=").strip()
    assert address == config_schema().as_uri()
    assert config_schema().is_file()


def test_a_drafted_config_names_the_schema_and_is_valid(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [f"{i},{'red' if i % 3 else 'blue'},{i % 2}" for i in range(60)]
    (tmp_path / "my.csv").write_text("size,colour,label\n" + "\n".join(rows) + "\n")
    assert invoke("init", "my.csv").exit_code == 0
    assert (tmp_path / "my.yaml").read_text(encoding="utf-8").startswith(schema_line())
    errors = VALIDATOR.iter_errors(YamlSource(tmp_path / "my.yaml").content)
    assert [error.message for error in errors] == []


def test_the_schema_of_cards_accepts_all_cards_and_no_other_key():
    validator = Draft7Validator(json.loads(card_schema().read_text(encoding="utf-8")))
    for path in sorted(shipped_datasets().glob("*.yaml")):
        card = yaml.safe_load(path.read_text(encoding="utf-8"))
        assert list(validator.iter_errors(card)) == []
        assert not validator.is_valid({**card, "citaton": "a misspelt key"})


def test_a_new_card_names_the_schema(own_data, tmp_path):
    path = tmp_path / "datasets" / "own.yaml"
    answer = invoke("data", "new", str(own_data), "--target", "label", "-o", str(path))
    assert answer.exit_code == 0, answer.output
    assert path.read_text(encoding="utf-8").startswith(schema_line(card_schema()))
