"""A law of all keys: another value changes a cell, or what is shown, or `check` says why not."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import chdir
from copy import deepcopy
from functools import cache, partial
from pathlib import Path
from typing import get_origin

import pytest
import yaml
from made_up_records import RUN, invoke, record_of
from matplotlib.figure import Figure

from ensvm.errors import UserError
from ensvm.records.asked import write_asked
from ensvm.records.record import Conditions
from ensvm.records.store import Store
from ensvm.report.documents.claim_document import claims_document
from ensvm.report.documents.document import csv_of
from ensvm.report.documents.readings_document import readings_document
from ensvm.report.documents.table_document import table_document
from ensvm.report.plots import drawing
from ensvm.report.plots.drawing import drawn_figure
from ensvm.report.plots.looks import files_of
from ensvm.report.render.first_page import first_page
from ensvm.report.render.html import render_page
from ensvm.report.render.markdown import to_markdown
from ensvm.report.render.media import FORMS, MEDIA
from ensvm.report.render.study_page import StudyPage
from ensvm.report.study_folder import read_study
from ensvm.runner import planned_data, study_algorithms
from ensvm.runner.plan import make_plan
from ensvm.study.block import SweepConfig, _models
from ensvm.study.config import StudyConfig
from ensvm.study.figure_kinds import AxesConfig, FigureConfig
from ensvm.study.figures import PanelConfig

# Every key that is written by hand stands here, where it has an effect.
CONFIG = """\
study: trial
title: A trial
citation: Nobody, 1999
url: https://example.org/
doi: 10.1000/182
year: 1999
part_of: nips99
proposed: [b]
realizations: 4
published_realizations: 4
published_spread: sd
kernel: {kernel: poly, gamma: 0.5, degree: 2, coef0: 1.0, dtype: float64}
metrics: [auc]
published: printed.csv
reproduce: true
takes: 10
defaults: {scaling: standard}
datasets:
  - name: own
    label: Own rows
    path: own.csv
    target: label
    positive: 1
    split: {protocol: random, n_train: 40, n_test: 20}
    scaling: standard
    incomplete: keep
    fill: -1
    kernel: {gamma: 2.0}
    algorithms: [a, b, c, d, fixed, guess, search, median, boost, k]
    realizations: 4
    realizations_of: {b: 3}
    drawn_again: [again]
  - {name: again, path: whole.csv, target: label, algorithms: [a],
     split: {protocol: random, n_train: 30, n_test: 20}}
  - {name: files, train: train.csv, test: test.csv, target: label, same_rows: true,
     algorithms: [a, b, fixed]}
  - {name: plain, path: whole.csv, target: label, drop: [w], algorithms: [b],
     published_realizations: 3, published_spread: sd,
     split: {protocol: random, n_train: 30, n_test: 20}}
  - {name: other, path: whole.csv, target: label, algorithms: [a, b, guess],
     other_protocol: another scaling, split: {protocol: random, n_train: 30, n_test: 20}}
  - {name: split-once, path: whole.csv, target: label, algorithms: [a, b],
     published_split: one-unknown, split: {protocol: random, n_train: 30, n_test: 20}}
  - {name: three, path: three.csv, target: label, algorithms: [a, rest],
     split: {protocol: kfold, n_splits: 4}}
  - {name: noise, card: circle, algorithms: [a], options: {noise: 0.1},
     split: {protocol: disjoint, n_train: 20, n_test: 20}}
  - {name: away, unavailable: not public, algorithms: [a]}
  - {name: size, label: "{value} rows", path: whole.csv, target: label, algorithms: [a, b],
     split: {protocol: random, n_test: 20}, sweep: {split.n_train: [10, 20, 40]}}
  - {name: iris, openml: 61, algorithms: [a], unavailable: no network,
     split: {protocol: random, n_train: 30, n_test: 20}}
  - {name: read, path: read.txt, target: label, format: {delimiter: ";"},
     inputs: {u: number, v: one-hot}, other_inputs: drop, groups: group, unlabelled: drop,
     algorithms: [a], split: {protocol: leave-one-group-out}}
  - {name: sparse, path: sparse.txt, features: 4, zero_based: false, sparse: true, scaling: none,
     algorithms: [a], split: {protocol: random, n_train: 30, n_test: 20}}
algorithms:
  a: {label: A, estimator: SVC, params: {C: 1}, record: [train_error, dual_coef_, curve_], seed: b,
      undetermined_at_zero: {number: bound_, of: b}}
  b: {estimator: SVC, params: {C: 10}, share_gram: true, orders: 2}
  c: {pipeline: [StandardScaler, LogisticRegression], depends: [notes.txt],
      params_of: {own: {logisticregression__C: 2}}}
  d: {estimator: SVC, grid: {C: [1, 10]}, stage: best-on-validation}
  fixed: {estimator: RandomForestClassifier, deterministic: true}
  guess: {estimator: DummyClassifier, datasets: [own, other]}
  rest: {estimator: SVC, one_vs_rest: true}
  search: {estimator: GridSearchCV, record: cv_results_,
           params: {estimator: {estimator: SVC}, param_grid: {C: [1, 10], gamma: [0.1, 1]}}}
  median: {estimator: GridSearchCV, search_on: 2,
           params: {estimator: {estimator: SVC}, param_grid: {C: [1, 10]}}}
  boost: {estimator: AdaBoostClassifier,
          record: [estimator_errors_, estimator_weights_, points_, signs_, grid_, values_,
                   support_]}
  k: {label: "k = {value}", estimator: KNeighborsClassifier,
      sweep: {params.n_neighbors: [1, 3]}}
timing: {algorithms: [a, b], datasets: [own, size], realizations: 2, blas_threads: 1}
tables:
  - id: 1
    caption: Errors.
    of: results
    metric: error
    rows: [own, plain, other, split-once, files, away]
    columns:
      - {name: a, label: First, heading: Machines}
      - {name: b, heading: Machines, decimals: 3, margin: 0.5, published_realizations: 4,
         published_spread: sd}
      - {name: b-relative, algorithm: b, relative_margin: 0.3}
      - {name: drawn, algorithm: a, draws: guess}
      - {name: auc, algorithm: a, metric: auc}
      - {name: rounds, algorithm: boost, metric: estimator_errors_, stage: 2}
      - {name: fixed}
      - {name: gone, unavailable: not described}
    largest_class: guess
    decimals: 2
    best: auto
    underline: {a: [b]}
    notes: [{text: A note., rows: [own]}, {text: Another., columns: [a]}]
    of_paper: true
  - {id: margin, caption: C., rows: [own], margin: 2, best: none,
     columns: [a, b, {name: rise, of: [a, b], as: difference}],
     published_realizations: 4, published_spread: sd,
     notes: [{text: Explained., explains: {b: [own]}}]}
  - {id: relative, caption: C., rows: [own, other], columns: [a, b], relative_margin: 0.3,
     summary: [{kind: wins, against: a, label: Better}, {kind: mean-rank, realization: 1},
               mean]}
  - {id: shown, caption: C., rows: [own], columns: [a, b, fixed], judged: false, second: true}
  - {id: sizes, caption: C., rows: [size], columns: [a, b]}
  - {id: seconds, caption: S., of: timing, metric: fit_seconds, columns: [a, b]}
  - {id: facts, caption: F., of: data, rows: [own], columns: [dim, {name: n, metric: n_train}],
     notes: [{text: Coded., coded: {dim: [own]}}]}
figures:
  - id: curves
    kind: curves
    caption: Curves.
    panels:
      - {dataset: own, title: T, x_label: X, y_label: Y, y: {estimator_errors_: e}, first: 2,
         series: [boost]}
      - {dataset: own, title: U}
    x_label: x
    y_label: y
    x_scale: log
    y_scale: log
    of_paper: false
    series: [boost]
    y: {estimator_errors_: e, estimator_weights_: w}
    ends: it ends
    marks: 2
    cumulative: false
    realization: 2
    first: 1
  - {id: sweep, kind: sweep, caption: S., panels: [{over: size}], series: [a, b], y: error,
     ends: it ends, table: sizes}
  - {id: stages, kind: sweep, caption: S., panels: [{over: size}], series: [a], y: dual_coef_,
     stages: [1, 2]}
  - {id: plane, kind: plane, caption: P., ring: rings, size: sizes, realization: 2,
     panels: [{dataset: own, series: [boost], levels: [0, 1], marks: support_,
               sizes: estimator_weights_}]}
  - {id: map, kind: map, caption: M., x: C, y: gamma, panels: [{dataset: own, series: search}]}
  - {id: box, kind: box, caption: B., rows: [own, other], series: [a, b], metric: error, table: 1,
     panels: [{rows: [own]}, {title: all}]}
  - {id: scatter, kind: scatter, caption: S., rows: [own, other], x: a, y: b, metric: error,
     table: 1, panels: [{title: T, x_label: X, y_label: Y, rows: [own, other], x: b, y: a}, {}]}
claims:
  - {id: less, text: A errs less., note: a note, tests: [{metric: error, left: a, right: b,
     relation: less, of: difference, margin: 1, rows: [own, other], scope: 1, printed: true,
     note: another}]}
  - {id: other, paraphrase: A errs at most., tests: [{left: a, right: b, relation: at-most,
     rows: [own], reading: another reading}]}
  - {id: each, text: A., tests: [{left: a, right: b, relation: at-most, rows: [own], each: true}]}
  - {id: shown, text: A., tests: [{left: a, right: b, table: shown, relation: at-most}]}
  - {id: ratio, text: A., tests: [{left: a, right: b, relation: at-least, of: ratio, factor: 1.2,
     rows: [own]}]}
  - {id: value, text: A., tests: [{left: a, relation: at-most, limit: 20, rows: [own]}]}
  - {id: most, text: A., tests: [{left: [a, b], relation: at-most, limit: 20, rows: [own], scope: 1,
     scope_of: rows}]}
  - {id: growth, text: A., tests: [{left: a, relation: at-most, of: exponent, over: size, limit: 1,
     metric: fit_seconds, pass: timing}]}
  - {id: stage, text: A., tests: [{left: boost, relation: at-most, limit: 1,
     metric: estimator_errors_, stage: 1, until: n_iter_, rows: [own]}]}
  - {id: runs, text: A., tests: [{left: k-1, right: k-3, relation: less, rows: [own],
     own_test: {k-1: k, k-3: k}}]}
assumptions:
  - {id: scaled, text: It was scaled., points: [To mean 0.], tables: [1],
     chosen_on: {table: 1, columns: [a], rows: [own]}}
readings:
  - id: which
    question: Which?
    table: 1
    rows: [own, other]
    columns: [a, b]
    default: as run
    conclusion: Nobody knows.
    variants:
      - {name: c2, label: C = 2, algorithm: {params.C: 2}, realizations: 2}
      - {name: half, label: half, dataset: {split.n_train: 20}}
      - {name: swap, label: swapped, instead: {a: b}}
abstract: {claim: It errs less., outcome: It does not., failure: Nothing came out.,
  reason: Nobody knows., look: Look at the table.}
findings: [{claim: less, adds: ["Ours is {ours 1 own a}."]}, value]
"""
PRINTED = """\
table,row,column,value,std
1,own,a,24.0,1.0
1,own,b,22.0,1.0
1,own,b-relative,20.0,
1,own,drawn,24.0,
1,own,auc,0.8,
1,own,gone,20.0,
1,other,a,24.0,
1,split-once,a,24.0,
1,plain,b,22.0,1.0
1,files,a,24.0,1.0
1,files,fixed,24.0,1.0
margin,own,a,24.0,1.0
margin,own,b,90.0,1.0
relative,own,a,24.0,1.0
shown,own,a,24.0,1.0
sizes,size-10,a,24.0,1.0
facts,own,dim,3,
facts,own,n,40,
"""


def files_in(folder):
    """Write the files of the config: own rows, also in two parts, and rows of other forms."""
    rows = [(0.1 * n, (n * n) % 17, n % 5, 1 if n % 3 else -1) for n in range(60)]
    lines = [",".join(map(str, row)) for row in rows]
    head = "u,v,w,label"
    texts = {
        "whole.csv": [head, *lines],
        "own.csv": [head, *lines[:-1], "0.3,,1,1"],  # a value is missing
        "train.csv": [head, *lines[4:40]],
        "test.csv": [head, *lines[40:]],
        "three.csv": [
            head,
            *(f"{line.rpartition(',')[0]},{n % 3}" for n, line in enumerate(lines[4:])),
        ],
        "read.txt": [
            "u;v;w;group;label",
            *(f"{n};x{n % 2};1;{n % 5};{n % 3}" for n in range(59)),
            "1;x1;1;1;",
        ],
        "sparse.txt": [f"{n % 3} 1:{n % 7} 3:{n % 5}" for n in range(60)],
        "notes.txt": ["a file that the algorithm reads"],
    }
    for name, content in texts.items():
        (folder / name).write_text("\n".join(content) + "\n")
    (folder / "printed.csv").write_text(PRINTED)
    (folder / "printed-again.csv").write_text(PRINTED.replace("24.0", "25.0"))


def number(*words):
    """Return a number from 0 to 1 that looks random and is made of words."""
    return int(hashlib.sha256(json.dumps(words).encode()).hexdigest()[:8], 16) / 16**8


def made_up(cell):
    """Return a record of a cell, whose values depend on what it is called alone."""
    name = cell.identity
    error = round(0.1 + 0.3 * number(*name) + 0.05 * (cell.algorithm[:1] == "b"), 2)
    values = {"error": error, "accuracy": 1 - error, "n_errors": round(20 * error), "n_test": 20}
    seconds = {"fit_seconds": 0.1 + number(*name), "train_seconds": 0.1 + number(*name)}
    curves = {
        "train_error": None,
        "dual_coef_": [0.1, 0.2, 0.3 + error],
        "curve_": [0.1],
        "support_": [0, 2],
        "estimator_errors_": [0.3, 0.2 + error, 0.5, 1.0],
        "estimator_weights_": [1.0, 0.5, 2.0],
        "points_": [[0.0, 0.0], [1.0, 1.0], [0.5, 1.0]],
        "signs_": [1, -1, 1],
        "grid_": [[0.0, 1.0], [0.0, 1.0]],
        "values_": [[-1.0, 1.0], [0.5, -error]],
        "cv_results_": [0.8, 0.7, 0.75, 0.9],
        "cv_results_.C": [1, 1, 10, 10],
        "cv_results_.gamma": [0.1, 1, 0.1, 1],
    }
    record = () if cell.method is None else cell.method.record
    if "cv_results_" in record:
        record = (*record, "cv_results_.C", "cv_results_.gamma")
    timed = cell.run_pass == "timing"
    facts = {"dim": 3, "n_train": 40, "n_test": 20, "rows": 60, "classes": 2}
    return record_of(
        cell,
        metrics=facts
        if cell.method is None
        else {**values, "train_error": error / 2, "bound_": float(cell.algorithm == "k-1")},
        scores={metric: round(1 - error, 3) for metric in cell.scored},
        seconds=seconds,
        curves={key: curves[key] for key in record if curves.get(key) is not None},
        conditions=Conditions("host", 1, None, True) if timed else None,
        time="2026-01-02T00:00:00Z",
    )


FAST = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
BLANK = files_of(Figure(figsize=(1, 1)), [".svg"])[0]


def outcomes(folder, content) -> dict[str, Callable[[], str]]:
    """Return what comes out of a config: its cells, what `check` says, and what reports show.

    Each has a name, and is made when it is asked for. What takes longest comes last.
    """
    path = folder / "trial.yaml"
    path.write_text(yaml.dump(content, Dumper=FAST, sort_keys=False, allow_unicode=True))
    try:
        plan = make_plan(path)
    except UserError as error:
        return {"refused": partial(str, error)}
    config, results = plan.config, folder / "results" / plan.config.study

    @cache
    def study():
        with Store(results) as store:
            store.append([RUN, *map(made_up, plan.cells)])
        (results / "config.yaml").write_text(plan.source.text)
        write_asked(results, plan.asked)
        if plan.published is not None:
            (results / "published.csv").write_text(plan.published.read_text())
        return read_study(results)

    def table(number):
        document = table_document(study(), study().config.tables[number])
        return "".join(MEDIA[form].render(document) for form in FORMS)

    def claims():
        document = claims_document(study())
        return csv_of(document.columns) + to_markdown(document)

    @cache
    def drawn(number):
        return drawn_figure(study(), study().config.figures[number], (".svg",))

    def figure(number):
        content, files = drawn(number)
        return repr((files, content.missing, content.names))

    def page():
        return render_page("study.html", page=StudyPage(study()), work="")

    def page_without_drawings():
        """Return the page, in which every figure with content is the same picture."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(drawing, "draw", lambda _, content, __: [BLANK] * bool(content.items))
            return page()

    def page_with_drawings():
        """Return the page, with the figures that have been drawn before."""
        numbers = {each.id: number for number, each in enumerate(study().config.figures)}
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(drawing, "drawn_figure", lambda _, each, __: drawn(numbers[each.id]))
            return page()

    def listed():
        name = str(study().config.study)
        lines = invoke("list", folder / "results").output.splitlines()
        # The shipped studies are listed, too.
        return "\n".join(line for line in lines if line.startswith(name))

    return {
        "cells": lambda: repr([(cell.key, cell.scored, cell.find_draws) for cell in plan.cells]),
        "first page": lambda: first_page(study()),
        "claims": claims,
        "readings": lambda: to_markdown(readings_document(study())) if config.readings else "",
        **{f"tables {number}": partial(table, number) for number in range(len(config.tables))},
        "check": lambda: invoke("check", path).stdout,
        "list": listed,
        "page without drawings": page_without_drawings,
        **{f"figures {number}": partial(figure, number) for number in range(len(config.figures))},
        "page": page_with_drawings,
    }


# Filled in when a config is read, never written by hand.
FILLED_IN = {
    "StudyConfig.derived",
    "DerivedConfig.base",
    "DerivedConfig.differs",
    "DatasetConfig.copy_of",
    "AlgorithmConfig.copy_of",
}
# Written in short, as `{KEY: [VALUE, ...]}`.
IN_SHORT = {f"SweepConfig.{key}" for key in SweepConfig.model_fields}
# Another value of a key, where `another` does not make one that is accepted.
OTHER = {
    "StudyConfig.year": 2030,
    "StudyConfig.part_of": "icmla05",
    "StudyConfig.proposed": ["a"],
    "StudyConfig.published": "printed-again.csv",
    "StudyConfig.published_spread": "se",
    "KernelConfig.kernel": "laplacian",
    "KernelConfig.dtype": "float32",
    "DatasetConfig.path": "whole.csv",
    "DatasetConfig.train": "test.csv",
    "DatasetConfig.card": "squares",
    "DatasetConfig.scaling": "minmax",
    "DatasetConfig.published_spread": "se",
    "DatasetConfig.positive": -1,
    "DatasetConfig.incomplete": "drop",
    "DatasetConfig.drawn_again": ["other"],
    "AlgorithmConfig.estimator": "NuSVC",
    "AlgorithmConfig.stage": "best-on-test",
    "AlgorithmConfig.pipeline": ["StandardScaler", "SVC"],
    "ProofConfig.number": "error",
    "CurvesPanel.series": ["a"],
    "ProofConfig.of": "k-1",
    "AlgorithmConfig.undetermined_at_zero": "error",
    "AlgorithmConfig.datasets": ["own"],
    "AlgorithmConfig.sweep": {"params.n_neighbors": [1, 3, 5]},
    "TableConfig.metric": "accuracy",
    "TableConfig.largest_class": "b",
    "TableConfig.best": "none",
    "TableConfig.published_spread": "se",
    "ColumnConfig.algorithm": "a",
    "ColumnConfig.draws": "b",
    "ColumnConfig.metric": "error",
    "ColumnConfig.published_spread": "se",
    "ColumnConfig.of": ["b", "a"],
    "ColumnConfig.as": "ratio",
    "SummaryConfig.kind": "mean",
    "SummaryConfig.against": "b",
    "FigureConfig.x_scale": "linear",
    "FigureConfig.y_scale": "linear",
    "CurvesConfig.first": 3,
    "PanelConfig.dataset": "other",
    "SweepFigureConfig.y": "accuracy",
    "SweepFigureConfig.table": "margin",
    "ScatterConfig.x": "guess",
    "ScatterConfig.y": "guess",
    "ScatterConfig.metric": "accuracy",
    "ScatterConfig.table": "margin",
    "ScatterPanel.x": "guess",
    "ScatterPanel.y": "guess",
    "PlanePanel.marks": "curve_",
    "MapConfig.x": "gamma",
    "MapConfig.y": "C",
    "BoxConfig.kind": "bar",
    "BoxConfig.metric": "accuracy",
    "BoxConfig.table": "margin",
    "ClaimTest.metric": "accuracy",
    "ClaimTest.left": "b",
    "ClaimTest.table": "sizes",
    "ClaimTest.right": "guess",
    "ClaimTest.relation": "at-most",
    "ReadingConfig.table": "margin",
    "ReadingConfig.rows": ["other"],
    "ReadingConfig.columns": ["b"],
    "VariantConfig.instead": {"a": "k-1"},
    "FindingConfig.claim": "value",
    "FindingConfig.adds": [],
}


def key_name(model, key):
    """Return `Model.key`; figures of all kinds share some keys, and so do their panels."""
    for shared in (FigureConfig, AxesConfig, PanelConfig):
        if issubclass(model, shared) and key in shared.model_fields and key != "panels":
            model = shared
    return f"{model.__name__}.{key}"


def keys_in(model, block, at=()) -> Iterator[tuple[str, tuple[str | int, ...]]]:
    """Yield each key of a block and of the blocks in it, as `Model.key`, and where it stands."""
    fields = {field.alias or name: (model, field) for name, field in model.model_fields.items()}
    for key, value in block.items():
        if key not in fields:
            continue
        of, field = fields[key]
        yield key_name(of, key), (*at, key)
        models = list(_models(field.annotation))
        if isinstance(value, list):
            entries = [((*at, key, number), each) for number, each in enumerate(value)]
        elif models and get_origin(field.annotation) is dict:
            entries = [((*at, key, name), each) for name, each in value.items()]
        else:
            entries = [((*at, key), value)]
        for place, each in entries:
            if models and isinstance(each, dict):
                of_kind = dict(models).get(each.get("kind", "curves"), models[0][1])
                yield from keys_in(of_kind, each, place)


def another(value):
    """Return another value of the same type; of a list one that is shorter."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, float):
        return value * 1.5
    if isinstance(value, str):
        return f"{value}x"
    if isinstance(value, list):
        return value[:-1]
    return {key: another(each) for key, each in value.items()}


def places_of_keys(content):
    """Return each key of the config with the first place where it stands."""
    places = {}
    for key, at in keys_in(StudyConfig, content):
        places.setdefault(key, at)
    return places


def changed(content, at, value):
    """Return a copy of a content with another value at a place."""
    copy = deepcopy(content)
    block = copy
    for step in at[:-1]:
        block = block[step]
    block[at[-1]] = value
    return copy


def value_at(content, at):
    """Return the value at a place of a content."""
    for step in at:
        content = content[step]
    return content


def schema(model) -> Iterator[str]:
    """Yield all keys of a block and of the blocks in it."""
    for name, field in model.model_fields.items():
        yield key_name(model, field.alias or name)
        for _, inner in _models(field.annotation):
            yield from schema(inner)


def test_every_key_stands_in_the_config():
    """So that the law below is of all keys: a new key has to be added to the config above."""
    # `defaults:` has keys of data sets.
    of_schema = {key.replace("DatasetDefaults", "DatasetConfig") for key in schema(StudyConfig)}
    written = places_of_keys(yaml.safe_load(CONFIG)).keys()
    assert sorted(of_schema - written - FILLED_IN - IN_SHORT) == []


IDLE = """\
study: trial
datasets:
  - {name: own, path: whole.csv, target: label, other_protocol: x, published_split: one-unknown,
     split: {protocol: random, n_train: 40, n_test: 20}}
algorithms: {a: {estimator: SVC, params: {C: 1, gamma: 1}, stage: best-on-test,
                 grid: {C: [1, 2], gamma: [1, 2]}}}
tables: [{id: 1, caption: C., decimals: 1, margin: 1, published_spread: sd, metric: error,
          columns: [{name: a, decimals: 2, margin: 2, published_spread: se, metric: accuracy}]}]
"""


def hashes() -> list[str]:
    """Return a hash of each outcome of two configs, written below the current folder."""
    folder, texts = Path("reports"), []
    folder.mkdir()
    files_in(folder)
    for config in (CONFIG, IDLE):
        made = outcomes(folder, yaml.safe_load(config))
        assert "refused" not in made, made["refused"]()
        texts += [make() for make in made.values()]
    return [hashlib.sha256(text.encode()).hexdigest() for text in texts]


@pytest.mark.slow
def test_what_comes_out_does_not_depend_on_the_process(tmp_path, monkeypatch):
    other = tmp_path / "other"
    other.mkdir()
    here = Path(__file__).parent
    result = subprocess.run(
        [sys.executable, "-c", "import test_every_key as law; print(*law.hashes())"],
        cwd=other,
        # another order of sets than in this process
        env={**os.environ, "PYTHONPATH": f"{here}{os.pathsep}{here.parent}", "PYTHONHASHSEED": "7"},
        check=False,
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stderr
    monkeypatch.chdir(tmp_path)
    ours = hashes()
    assert len(set(ours)) > 20
    assert result.stdout.split() == ours


@pytest.fixture(scope="module")
def fast():
    """Leave out what no key of a config changes; a module's tests take half the time.

    Each estimator and each card of a file is made and checked once, and panels stand where
    matplotlib puts them first: the places that their texts need take half the time of a figure.
    """
    make, made = study_algorithms._with_kernel, {}
    card_of, cards = planned_data.inline_card, {}

    def made_once(method, kernel):
        key = repr((method, kernel))
        if key not in made:
            made[key] = make(method, kernel)
        method, estimator, parts = made[key]
        return method, estimator, set(parts)

    def read_once(mapping, base):
        key = repr(mapping), base.absolute()
        if key not in cards:
            cards[key] = card_of(mapping, base)
        return cards[key]

    def at_once(**options):
        return Figure(**{**options, "layout": None})

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(study_algorithms, "_with_kernel", made_once)
        patch.setattr(planned_data, "inline_card", read_once)
        patch.setattr(drawing, "Figure", at_once)
        yield


@pytest.fixture(scope="module")
def as_written(fast, tmp_path_factory):
    """Return the outcomes of the config as it is; what was made once is kept."""
    folder = tmp_path_factory.mktemp("as-written")
    files_in(folder)

    def there(make):
        with chdir(folder):
            return make()

    made = there(lambda: outcomes(Path(), yaml.safe_load(CONFIG)))
    assert "refused" not in made, made["refused"]()
    return {name: cache(partial(there, make)) for name, make in made.items()}


def test_the_keys_of_the_config_without_effect_are_known(as_written):
    lines = [line for line in as_written["check"]().splitlines() if "has no effect" in line]
    keys = [line.split(": ")[1].rpartition(".")[2] for line in lines]
    # of printed values that count as one more split like ours; `year:` beside `part_of:`
    assert keys == ["published_realizations", "published_realizations", "year"]


# The largest blocks one by one, so that they are tested in several processes at a time
BLOCKS = ("datasets", "algorithms", "tables", "figures", "claims")
# `check` names the first; the second is that of a row which `unavailable:` leaves out, and the
# third says why a line ends before others, which only a run can tell.
WITHOUT_EFFECT = {"StudyConfig.year", "DatasetConfig.openml", "SweepFigureConfig.ends"}


@pytest.mark.slow
@pytest.mark.parametrize("block", [*BLOCKS, "others"])
def test_another_value_changes_something_or_is_refused(block, as_written, tmp_path):
    content = yaml.safe_load(CONFIG)
    files_in(tmp_path)
    without_effect = set()
    for key, at in places_of_keys(content).items():
        if key in WITHOUT_EFFECT or block != (at[0] if at[0] in BLOCKS else "others"):
            continue
        with chdir(tmp_path):
            shutil.rmtree("results", ignore_errors=True)
            value = OTHER.get(key, another(value_at(content, at)))
            after = outcomes(Path(), changed(content, at, value))
        if after.keys() != as_written.keys():
            continue
        # What shows the entry where the key stands comes first, since it most likely differs.
        likely = at[0], " ".join(map(str, at[:2]))
        for name in sorted(after, key=lambda name: name not in likely):
            with chdir(tmp_path):
                other = after[name]()
            if other != as_written[name]():
                break
        else:
            without_effect.add(key)
    assert without_effect == set()
