"""Results may come from anybody: reading them runs nothing."""

import json
import pickle
import re
import unicodedata
from pathlib import Path

import numpy as np
import pytest
from made_up_records import invoke

import ensvm

HTML = "<img src=x onerror=alert(1)><script>alert(1)</script>![x](http://beacon.invalid/x)"
TEXT = f"{HTML} {{0.__class__}} %s =1+1 (a+)+$ `touch CANARY` $(touch CANARY) | a |"
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
  - {id: c, text: "TEXT", relation: less, left: [factory], right: [module], margin: 0}
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
RUN_TEXTS = ("host", "platform", "processor", "python", "commit")
# A title of the terminal, C1 controls, a text from right to left, a line that is written over
ACTING = "\x1b]0;x\x07 \x9b31m \x85 \u202e \r \0 \x7f[red]x[/red]"
# Our own: colours, bold letters, and a spinner that goes back to the start of its line
STYLES = re.compile(r"\x1b\[[\d;?]*[A-Za-z]|\r(?=\x1b\[)")
OVERRIDES = ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")
VERBS = (*((verb[0], "results", *verb[1:]) for verb in READING), *OTHERS)


def line(content):
    """Return an object as a line of records."""
    return json.dumps(content).encode() + b"\n"


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
    texts = {"reason": text, "warnings": [text], "traceback": text, "scores": {}}
    cells = [one | texts for one in usual_cells()]
    for one in cells:
        one["metrics"] = {text: text} | one["metrics"]
        one["stage"] = {text: text}
        one["settings"]["code"] = one["settings"]["algorithm"]["estimator"] = text
    command = ["run", f"$(touch {canary}).yaml", f"{folder}/config.yaml"]
    own = dict.fromkeys(RUN_TEXTS, text)
    write(folder, cells, run_line(command=command, **own), text=json.dumps(text)[1:-1])
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
    """One message or an answer, but no traceback."""
    if answer.exception is not None and not isinstance(answer.exception, SystemExit):
        raise AssertionError(f"ensvm {verb} failed") from answer.exception
    assert answer.exit_code in (0, 1, 2), verb


@pytest.mark.parametrize("verb", VERBS, ids=" ".join)
def test_a_verb_that_reads_results_runs_nothing(hostile, verb):
    answer = invoke(*verb)
    must_end_well(answer, verb)
    assert not hostile.exists()
    assert answer.exit_code == 0, answer.output


def acting(text):
    """Return the characters of a text that act on a terminal."""
    kept = {c for c in text if unicodedata.category(c) in ("Cc", "Zl", "Zp")} - {"\n", "\t"}
    return kept | {c for c in text if unicodedata.bidirectional(c) in OVERRIDES}


@pytest.mark.parametrize("colours", ["", "1"])
@pytest.mark.parametrize("verb", VERBS, ids=" ".join)
def test_no_text_controls_the_terminal(tmp_path, monkeypatch, verb, colours):
    """Every text field of config, records and runs: what a verb prints does nothing but show."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FORCE_COLOR", colours)
    cells = [one | dict.fromkeys(("traceback", "time"), ACTING) for one in usual_cells()]
    for one in cells:
        one |= {"reason": ACTING, "warnings": [ACTING], "scores": {ACTING: 0.1}}
        one["metrics"] = {ACTING: 0.5} | one["metrics"]
        one["stage"] = {ACTING: ACTING}
        one["settings"]["code"] = one["settings"]["algorithm"]["estimator"] = ACTING
        if "conditions" in one:
            one["conditions"]["host"] = ACTING
    cells += [cell(1, ACTING), cell(1, "factory", dataset=ACTING)]
    own = {**dict.fromkeys((*RUN_TEXTS, "time"), ACTING), "blas": [ACTING], "command": [ACTING]}
    folder = tmp_path / "results" / "s"
    write(folder, cells, run_line(**own, packages={ACTING: ACTING}), text=json.dumps(ACTING)[1:-1])
    answer = invoke(*verb)
    assert answer.exit_code == 0, answer.output
    assert not acting(STYLES.sub("", answer.output))


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


ODD = {
    "digits": int("9" * 400),
    "huge": 1e308,
    "nul": "a\0b",
    "lines": "a\nb\r\nc",
    "half": "\ud800",
    "place": "../../x",
    "minus": -5,
    "list": [[[]]],
}
ODD_FIELDS = ("study", "dataset", "algorithm", "realization", "seed", "metrics", "seconds", "stage")


@pytest.mark.parametrize("value", ODD)
@pytest.mark.parametrize("field", ODD_FIELDS)
def test_an_odd_value_is_a_line_and_no_traceback(tmp_path, monkeypatch, field, value):
    monkeypatch.chdir(tmp_path)
    inner = {"metrics": "error", "seconds": "fit_seconds", "stage": "C"}
    cells = usual_cells()
    for odd in cells[1:4]:
        if field in inner:
            odd[field] = odd[field] | {inner[field]: ODD[value]}
        else:
            odd[field] = ODD[value]
    write(tmp_path / "results" / "s", cells)
    for verb in (("status", "results"), ("table", "results"), ("export", "results"), *OTHERS):
        answer = invoke(*verb)
        must_end_well(answer, verb)
        assert answer.output
    places = {path.relative_to(tmp_path).parts[:2] for path in tmp_path.rglob("*")}
    assert {place for place in places if place[0] != "merged"} == {("results",), ("results", "s")}
    assert not (tmp_path.parent / "x").exists()


@pytest.mark.parametrize("verb", VERBS, ids=" ".join)
def test_the_copy_of_a_config_opens_no_other_file(tmp_path, monkeypatch, verb):
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "results" / "s"
    write(
        folder, usual_cells(), config=CONFIG.replace("study: s\n", "study: s\nbase: other.yaml\n")
    )
    (folder / "other.yaml").write_text("SECRET: [\n")
    answer = invoke(*verb)
    must_end_well(answer, verb)
    assert "SECRET" not in answer.output
    assert "other.yaml, line" not in answer.output
