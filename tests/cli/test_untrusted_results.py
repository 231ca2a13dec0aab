"""Results may come from anybody: reading them runs nothing, and never ends in a traceback."""

import io
import json
import pickle
import re
import zlib
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
from made_up_records import invoke

import ensvm
from ensvm.errors import UserError
from ensvm.records.predictions import PREDICTIONS_FOLDER, _hash
from ensvm.records.record import Conditions, Record, Run
from ensvm.records.store import read_records

HTML = "<img src=x onerror=alert(1)><script>alert(1)</script>![x](http://beacon.invalid/x)"
ESCAPES = "\x1b]0;title\x07\x1b[2J\u202etxt\x9b31m"
TEXT = f"{HTML} {ESCAPES} {{0.__class__}} %s =1+1 (a+)+$ `touch CANARY` $(touch CANARY) | a |"
CONFIG = """\
study: s
title: "TEXT"
citation: "TEXT"
realizations: 3
published: published.csv
datasets:
  - titanic
  - {name: german, split: {protocol: random, n_train: 700, n_test: 300}}
algorithms:
  module: {label: "=1+1", estimator: "canary_module:Estimator", record: [path_]}
  factory: {label: "TEXT", estimator: "os:system", params: {command: "touch CANARY"}}
  plane: {estimator: "canary_module.inner:Estimator", record: [points_]}
metrics: [auc, f1]
keep: predictions
timing: {algorithms: [factory, module]}
tables:
  - {id: 1, caption: "TEXT", columns: [factory, module], notes: ["TEXT"]}
  - {id: 2, caption: auc, metric: auc, columns: [factory, {name: module, stage: 2, metric: path_}]}
  - {id: 3, caption: seconds, of: timing, metric: train_seconds, columns: [factory, module]}
  - {id: 4, caption: facts, of: data, columns: [n_test, rows]}
figures:
  - id: 5
    caption: "TEXT"
    kind: curves
    series: [module]
    panels: [{title: "<script>", dataset: titanic, y: path_}]
claims:
  - {id: c, text: "TEXT", relation: less, better: [factory], than: [module], margin: 0}
readings:
  - id: r
    question: "TEXT"
    table: 1
    columns: [factory]
    default: "TEXT"
    variants: [{name: two, label: "TEXT", instead: {factory: module}}]
    conclusion: "TEXT"
assumptions:
  - {id: a, text: "TEXT"}
"""
READING = (
    ("status",),
    ("status", "--costs"),
    ("show", "--dataset", "titanic", "--algorithm", "factory"),
    ("show", "--dataset", "titanic", "--algorithm", "module", "--realization", "1"),
    ("status", "--warnings"),
    ("table",),
    ("table", "--format", "latex"),
    ("report", "--only", "figures"),
    ("report", "--only", "claims"),
    ("report", "--only", "readings"),
    ("report", "-o", "pages"),
    ("rank", "--table", "1", "--dataset", "titanic"),
    ("export",),
    ("export", "--per-realization"),
)
OTHERS = (
    ("compare", "results", "results"),
    ("merge", "results", "-o", "merged"),
    ("list", "results"),
)
VERBS = (*((verb[0], "results", *verb[1:]) for verb in READING), *OTHERS)


def line(content):
    """Return an object as a line of records, with the checksum that belongs to it."""
    text = json.dumps(content).encode()
    return b'%s, "crc32": "%08x"}\n' % (text[:-1], zlib.crc32(text))


def npz(**arrays):
    """Return arrays as an archive; arrays of objects are pickled."""
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


class Bomb:
    """Touches the canary when it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return open, (str(self.path), "w")


def run_line(**more):
    return {"kind": "run", "id": "r", "time": "2026-01-01T00:00:00Z", "command": [], **more}


def cell(realization, algorithm, **more):
    """Return a cell's line with every field of a record."""
    rate = 0.2 + 0.01 * realization ** (1 + (algorithm == "module"))
    settings = {
        "data": "d",
        "split": {"protocol": "random", "n_train": 150, "n_test": 300},
        "algorithm": {"estimator": "os:system", "params": {}, "defaults": {"kernel": "'rbf'"}},
        "code": "c",
    }
    return {
        "kind": "cell",
        "study": "s",
        "dataset": "titanic",
        "realization": realization,
        "algorithm": algorithm,
        "pass": "error",
        "status": "ok",
        "reason": "",
        "key": f"k{realization}{algorithm}",
        "settings_key": "x",
        "settings": settings,
        "run_id": "r",
        "time": "2026-01-02T00:00:00Z",
        "metrics": {"error": rate, "n_test": 300, "n_iter_": 3},
        "seconds": {"fit_seconds": 1.0, "kernel_seconds": 0.5},
        "scores": {"f1": rate},
        "confusion": {"labels": [-1, 1], "rows": [[[-1, -1, 200], [1, 1, 100]]]},
        "curves": {"path_": [0.5, 0.4, rate]},
        "by_order": {"error": [rate, rate + 0.01]},
        "stage": {"C": 1.0},
        "n_stages": 3,
        "validation_error": 0.2,
        "warnings": ["slow"],
        **more,
    }


def timed(realization, algorithm, **more):
    conditions = {"host": "h", "blas_threads": 1, "load_before": 0.1, "warm": True}
    timing = {"pass": "timing", "seconds": {"train_seconds": 1.0}, "conditions": conditions}
    return cell(realization, algorithm, **timing, key=f"t{realization}{algorithm}", **more)


def usual_cells():
    names = ("factory", "module")
    facts = cell(1, "data", metrics={"n_test": 300, "n_train": 150, "rows": 450})
    made = [of(n, name) for of in (cell, timed) for n in (1, 2, 3) for name in names]
    failed = cell(1, "plane", status="failed", reason="ouch", traceback="Traceback: ouch")
    return [facts, *made, failed]


def write(folder, cells, run=None, config=CONFIG, text="text"):
    """Write a study's folder."""
    folder.mkdir(parents=True)
    (folder / "config.yaml").write_text(config.replace("TEXT", text))
    (folder / "published.csv").write_text("table,row,column,value,std\n1,titanic,factory,22.0,\n")
    content = b"".join(map(line, [run or run_line(), *cells]))
    (folder / "cells.jsonl").write_bytes(content)


@pytest.fixture
def hostile(tmp_path, monkeypatch):
    """A folder of results with a canary in every place that names code, and the canary."""
    canary = tmp_path / "CANARY"
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "results" / "s"
    text = TEXT.replace("CANARY", str(canary))
    bomb = npz(true=np.array([Bomb(canary)], dtype=object))
    names = dict.fromkeys(("true", "predicted"), f"{_hash(bomb)}.npz")
    texts = {"reason": text, "warnings": [text], "traceback": text, "predictions": names}
    cells = [one | texts | {"confusion": {}, "scores": {}} for one in usual_cells()]
    for one in cells:
        one["metrics"] = {text: text} | one["metrics"]
        one["stage"] = {text: text}
        one["settings"]["code"] = one["settings"]["algorithm"]["estimator"] = text
    command = ["run", f"$(touch {canary}).yaml", f"{folder}/config.yaml"]
    own = dict.fromkeys(("host", "platform", "processor", "python", "commit"), text)
    as_yaml = json.dumps("".join(c for c in text if c.isprintable()))[1:-1]
    write(folder, cells, run_line(command=command, **own), text=as_yaml)
    (folder / PREDICTIONS_FOLDER).mkdir()
    (folder / PREDICTIONS_FOLDER / f"{_hash(bomb)}.npz").write_bytes(bomb)
    np.save(folder / "cells.npy", np.array([Bomb(canary)], dtype=object), allow_pickle=True)
    (folder / "cells.pkl").write_bytes(pickle.dumps(Bomb(canary)))
    touch = f"open({str(canary)!r}, 'w').close()\n"
    for place in (tmp_path, tmp_path / "results", folder):
        for name in ("canary_module", "os", "sitecustomize", "conftest"):
            (place / f"{name}.py").write_text(touch)
    (folder / "running").mkdir()
    (folder / "running" / "task-1.jsonl").write_bytes(pickle.dumps(Bomb(canary)))
    (tmp_path / "s.yaml").write_text((folder / "config.yaml").read_text())
    return canary


def must_end_well(answer, verb):
    """One message or an answer: no traceback, and nothing that a terminal would obey."""
    if answer.exception is not None and not isinstance(answer.exception, SystemExit):
        raise AssertionError(f"ensvm {verb} failed") from answer.exception
    assert answer.exit_code in (0, 1, 2), verb
    for control in "\x1b\x07\x9b\u202e":
        assert control not in answer.output, (verb, control)


@pytest.mark.parametrize("verb", VERBS, ids=" ".join)
def test_a_verb_that_reads_results_runs_nothing(hostile, verb):
    answer = invoke(*verb)
    must_end_well(answer, verb)
    assert not hostile.exists()
    assert answer.exit_code == 0, answer.output


def test_a_notebook_runs_nothing(hostile):
    results = ensvm.load_results("results")
    assert len(results.frame()) == 13
    html = results._repr_html_() + results.claims()._repr_html_() + results.table(1)._repr_html_()
    assert "<img" not in html
    assert "<script" not in html
    results.figure(5)._repr_svg_()
    assert not hostile.exists()


def test_the_canary_does_fall_over_when_the_config_is_planned(hostile):
    """The folder would hurt: a user who names its config runs what it says."""
    config = Path("results/s/config.yaml")
    config.write_text(config.read_text().replace("$", ""))  # which would begin a formula
    checked = invoke("check", config)
    assert hostile.exists(), checked.output


DEEP = json.loads("[" * 200 + "]" * 200)
VALUES = {
    "null": None,
    "path": "../../../outside",
    "absolute": "/tmp/outside",
    "number": -1,
    "large": 10**30,
    "nan": float("nan"),
    "infinite": float("inf"),
    "long": "x" * 10_000_000,
    "list": ["a", {"b": [1, None]}],
    "block": {"a": {"b": ["../x", None, 10**400]}},
    "deep": DEEP,
    "control": ESCAPES,
    "empty": "",
}
FIELDS = [
    *(("record", entry.name) for entry in fields(Record) if entry.name != "run"),
    *(("run", entry.name) for entry in fields(Run)),
    *(("conditions", entry.name) for entry in fields(Conditions)),
]


def replaced(field, value, number=1):
    """Return a run and a cell of it in which one field has another value."""
    kind, name = field
    of = timed if kind == "conditions" else cell
    run, one = run_line(id=f"r{number}"), of(number, "module", run_id=f"r{number}")
    key = "pass" if name == "run_pass" else name
    {"run": run, "record": one, "conditions": one.get("conditions")}[kind][key] = value
    return run, one


def refusal(folder, *lines):
    """Return why lines are refused; an empty text if they are read."""
    folder.mkdir(exist_ok=True)
    (folder / "cells.jsonl").write_bytes(b"".join(map(line, lines)))
    try:
        read_records(folder)
    except UserError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("field", FIELDS, ids=".".join)
def test_a_field_is_read_or_refused_in_one_line(tmp_path, field):
    kind, name = field
    messages = {value: refusal(tmp_path, *replaced(field, VALUES[value])) for value in VALUES}
    for message in filter(None, messages.values()):
        assert len(message.splitlines()) == 1
        assert len(message) < 500
        assert re.search(rf"cells.jsonl, line {1 if kind == 'run' else 2}: not a record: ", message)
        assert ("pass" if name == "run_pass" else name) in message or "deeper than" in message
    assert messages["deep"]
    if name in ("study", "dataset", "algorithm", "id"):  # they become names of files
        assert all(messages.values())


def test_a_path_in_predictions_or_files_is_refused(tmp_path):
    for more in (
        {"predictions": {"true": "../x"}},
        {"files": {"../x": "eA=="}},
        {"files": {"x": ""}},
    ):
        assert "not a record: " in refusal(tmp_path, run_line(), cell(1, "module", **more))


@pytest.mark.parametrize("verb", VERBS, ids=" ".join)
def test_a_verb_says_in_one_line_which_record_is_refused(tmp_path, monkeypatch, verb):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "results" / "s", [*usual_cells(), cell(4, "module", study="../outside")])
    answer = invoke(*verb)
    must_end_well(answer, verb)
    assert re.fullmatch(
        "error: results/s/cells.jsonl, line 16: not a record: the value of 'study' is not "
        "accepted: '../outside'; accepted: letters.*; remove the line to go on\n",
        answer.stderr,
    )
    assert {path.name for path in tmp_path.iterdir()} <= {"results", "pages"}


SHAPES = [
    *(("metrics", {"error": value, "n_test": value}) for value in (float("nan"), "x", None, True)),
    *(("metrics", {"error": value}) for value in (float("inf"), 10**300, -1, 0)),
    *(("seconds", {"fit_seconds": value}) for value in (float("nan"), float("inf"), -1)),
    *(("curves", {"path_": value}) for value in ([], [[1], [2, 3]], ["a"], [None], [10**400])),
    *(("by_order", {"error": value}) for value in ([], [0.1], [0.1] * 7, [float("nan")] * 2)),
    *(("scores", {"f1": value}) for value in (ESCAPES, float("nan"))),
    *(("stage", value) for value in ({"C": [[1]]}, {ESCAPES: ESCAPES})),
    ("confusion", {"labels": [-1, 1], "rows": [[[-1, -1, 10**12]]]}),
    ("confusion", {"labels": ["a", 1], "rows": [[["a", ESCAPES, 1]]]}),
    ("predictions", {"true": "missing.npz"}),
    ("warnings", [ESCAPES, "1 " * 100_000]),
    ("settings", {"split": {"protocol": "kfold", "n_splits": 1}}),
    ("settings", {"split": ESCAPES}),
    ("settings", {"algorithm": {"params": ESCAPES}}),
    ("settings", {"algorithm": {"estimator": DEEP[0][0], "params": {ESCAPES: ESCAPES}}}),
]


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    """A folder in which each field that takes a hostile value has it in a cell of its own."""
    folder = tmp_path_factory.mktemp("shown")
    values = VALUES | {"long": VALUES["long"][:60_000]}
    tried = [(field, value) for field in FIELDS for value in values.values()]
    tried += [(("record", name), value) for name, value in SHAPES]
    pairs = [replaced(*each, at) for at, each in enumerate(tried, start=4)]
    read = [part for pair in pairs if not refusal(folder / "one", *pair) for part in pair]
    assert len(read) > 150
    write(folder / "results" / "s", [*usual_cells(), *read])
    return folder


@pytest.mark.parametrize("verb", VERBS, ids=" ".join)
def test_a_verb_shows_whatever_value_is_read(shown, monkeypatch, verb):
    monkeypatch.chdir(shown)
    empty = b'<svg viewBox="0 0 1 1"/>'
    monkeypatch.setattr("ensvm.report.plots.drawing.draw", lambda *given: [empty] * len(given[2]))
    must_end_well(invoke(*verb), verb)


def test_a_notebook_shows_whatever_value_is_read(shown):
    results = ensvm.load_results(shown / "results")
    assert len(results.frame()) > 80
    assert "mean" in results.table(1).frame
