"""What is wrong in a config is said in words of the config, not in those of pydantic."""

import re
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import yaml

from ensvm.errors import UserError
from ensvm.study.config import read_config, validated
from ensvm.study.source import YamlSource

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
  - {id: a, text: t, better: svc, than: slow, relation: less, margin: 0.5, rows: [german]}
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
def test_an_odd_value_of_any_key_gets_one_line_in_plain_words(odd: Any) -> None:
    content, refused = yaml.safe_load(STUDY), 0
    for path in places(content):
        changed = deepcopy(content)
        block = changed
        for step in path[:-1]:
            block = block[step]
        block[path[-1]] = odd
        try:
            validated(YamlSource(Path("s.yaml"), yaml.safe_dump(changed, sort_keys=False)))
        except UserError as error:
            message = re.sub(r"\[\d+\]", "", str(error))
            assert not PYDANTIC.search(message), (path, message)
            assert message.startswith("s.yaml, line "), message
            assert "\n" not in message
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
        validated(YamlSource(Path("s.yaml"), STUDY.replace(old, new, 1)))


@pytest.mark.parametrize(
    ("key", "now"),
    [("keep: [predictions]", "`metrics:`"), ("coverage: []", "documentation of a study")],
)
def test_a_former_key_of_a_study_is_refused_with_what_replaces_it(tmp_path, key, now):
    path = tmp_path / "s.yaml"
    path.write_text(f"study: s\ndatasets: [german]\nalgorithms: {{a: {{estimator: SVC}}}}\n{key}\n")
    with pytest.raises(UserError, match=f"{key.split(':')[0]}.* is no longer accepted: .*{now}"):
        read_config(path)
