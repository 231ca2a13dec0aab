"""A number in a config, or in `--set`, is a number; a truth value is none."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ensvm.data.own_file import OwnFile, inline_card
from ensvm.errors import UserError
from ensvm.runner.estimators import construct
from ensvm.runner.own_code import importable
from ensvm.runner.plan import make_plan
from ensvm.study.source import YamlSource

CLASSES = """\
from sklearn.tree import DecisionTreeClassifier


class Mine(DecisionTreeClassifier):
    def __init__(self, shrink=0.1):
        super().__init__()
        self.shrink = shrink
"""
STUDY = """\
study: numbers
datasets:
  - {name: mine, path: mine.csv, target: kind, split: {protocol: kfold, n_splits: 5}}
algorithms:
  svc: {estimator: SVC, params: {C: 1e3, tol: 5e-3}}
  own: {estimator: "own:Mine", params: {shrink: 1e+3}}
tables: [{id: 1, caption: E, columns: [svc, own], margin: 1e-1}]
"""


def read(text):
    return YamlSource(Path("x.yaml"), f"value: {text}\n").content["value"]


@given(st.floats(allow_nan=False), st.sampled_from(["{!r}", "{:e}", "{:g}", "{:E}", "{:.17g}"]))
def test_every_way_to_write_a_number_gives_that_number(value, form):
    written = form.format(value)
    if math.isinf(value):
        written = written.lower().replace("inf", ".inf")
    assert read(written) == float(form.format(value))


@pytest.mark.parametrize(
    ("text", "value"),
    [("1e3", 1000.0), ("5e-3", 0.005), ("1e+3", 1000.0), (".5", 0.5), ("1_000", 1000)],
)
def test_a_number_without_a_point_is_a_number(text, value):
    assert (read(text), type(read(text))) == (value, type(value))


@pytest.mark.parametrize("text", ["1:30", "010", "e3", "1e", "1.2.3", "2026-11-26", "'1e3'"])
def test_what_only_resembles_a_number_is_text(text):
    assert read(text) == text.strip("'")


@given(
    st.integers(1, 999),
    st.integers(-600, 600),
    st.sampled_from(["{m}e{e}", "-{m}.5E{e:+}", "0.{zeros}{m}", "{m}{zeros}."]),
)
def test_a_number_that_no_float_holds_is_refused_with_its_line(mantissa, exponent, form):
    written = form.format(m=mantissa, e=exponent, zeros="0" * abs(exponent))
    if abs(float(written)) in (0, math.inf):
        with pytest.raises(UserError, match=r"x.yaml, line 1: .*the number .* too (large|small)"):
            read(written)
    else:
        assert read(written) == float(written)


@given(st.text(alphabet="0123456789.eE+-_:x", min_size=1))
def test_a_text_that_is_written_again_stays_text(text):
    source = YamlSource(Path("x.yaml"), f"value: {json.dumps(text)}\n")
    source.replace(source.content)
    assert YamlSource(Path("x.yaml"), source.text).content == {"value": text}


@pytest.fixture
def path(tmp_path):
    rows = [f"{n / 7},{n % 5},{'ab'[n % 2]}" for n in range(40)]
    (tmp_path / "mine.csv").write_text("height,width,kind\n" + "\n".join(rows) + "\n")
    (tmp_path / "own.py").write_text(CLASSES)
    (tmp_path / "numbers.yaml").write_text(STUDY)
    return tmp_path / "numbers.yaml"


def test_an_estimator_gets_numbers_from_the_file_and_from_set(path):
    plan = make_plan(path)
    methods = {cell.algorithm: cell.method for cell in plan.cells if cell.method}
    with importable(plan.path.parent):
        assert construct("own:Mine", methods["own"].params).shrink == 1000.0
    assert methods["svc"].params == {"C": 1000.0, "tol": 0.005}
    changes = ["algorithms.own.params.shrink=1e-3", "tables.1.margin=2e0"]
    changed = make_plan(path, settings=changes, study="changed")
    shrink = {cell.method.params.get("shrink") for cell in changed.cells if cell.method}
    assert shrink == {None, 0.001}
    assert changed.config.tables[0].margin == 2.0


@pytest.mark.parametrize(
    ("old", "new", "key"),
    [
        ("target: kind", "target: on", "target"),
        ("margin: 1e-1", "margin: yes", r"tables\[1\].margin"),
        ("study: numbers", "study: numbers\nrealizations: on", "realizations"),
        ("n_splits: 5", "n_splits: true", "split.n_splits"),
    ],
)
def test_true_is_neither_a_column_nor_a_number(path, old, new, key):
    path.write_text(STUDY.replace(old, new))
    with pytest.raises(UserError, match=f"{key}: True is not accepted .YAML reads yes, no, on"):
        make_plan(path)


def test_a_column_called_on_is_named_in_quotes(path):
    text = (path.parent / "mine.csv").read_text()
    (path.parent / "mine.csv").write_text(text.replace("kind", "on"))
    path.write_text(STUDY.replace("target: kind", 'target: "on"'))
    assert make_plan(path).cards["mine"].classes == {"a": 20, "b": 20}
    assert OwnFile(path="x", target=-1, split={}).target == -1


def test_a_row_is_in_one_part_of_a_realization_only(tmp_path):
    X, y = np.arange(12.0).reshape(6, 2), np.array([0, 1, 0, 1, 0, 1])
    train, test = np.array([[0, 1, 2], [2, 3, 4]]), np.array([[3, 4], [3, 5]])
    np.savez(tmp_path / "d.npz", X=X, y=y, train=train, test=test)
    block = {"name": "d", "path": "d.npz", "split": {"protocol": "indices"}}
    message = "'d': row 3 is in `train` and in `test` of realization 2 .1 such"
    with pytest.raises(UserError, match=message):
        inline_card(block, tmp_path)
    np.savez(tmp_path / "d.npz", X=X, y=y, train=train[:1], test=test[:1])
    assert inline_card(block, tmp_path).rows == 6
