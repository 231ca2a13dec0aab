"""`ensvm check` names a key that has no effect where it stands, and no other key."""

import re
from dataclasses import replace

import pytest
import yaml
from made_up_records import invoke, make_study, record, settings_of

from ensvm.report.tables import build_table
from ensvm.runner.plan import make_plan
from ensvm.runner.without_effect import keys_without_effect
from ensvm.shipped import shipped_configs
from ensvm.study.printed import read_published

# A config in which each key counts, and what is put in the place of a line of it.
GOOD = """\
study: t
realizations: 3
kernel: {kernel: poly, gamma: 1, degree: 2}
datasets:
  - {name: german, realizations_of: {b: 2}}
  - {name: titanic, algorithms: [a]}
algorithms:
  a: {estimator: SVC}
  b: {estimator: RandomForestClassifier, seed: c}
  s: {estimator: AdaBoostClassifier, params: {n_estimators: 10},
      record: [estimator_errors_, points_, signs_, grid_, values_]}
tables:
  - {id: 1, caption: c, columns: [a, {name: b, margin: 1}], decimals: 2, margin: 3}
figures:
  - {id: 2, kind: box, caption: c, rows: [german], series: [a], x_label: x}
published: p.csv
"""
BOX = "kind: box, caption: c, rows: [german], series: [a], x_label: x}"  # of the config
PRINTED = "table,row,a,b\n1,german,24.0,25.0\n"
IDLE = [
    ("realizations_of: {b: 2}", "realizations_of: {b: 4}", "realizations_of.b: .* 3 realizations"),
    ("realizations_of: {b: 2}", "algorithms: [a], realizations_of: {b: 2}", "does not run on"),
    ("realizations: 3", "realizations: 3\nyear: 2000\npart_of: nips99", "year: .* after nips99"),
    ("realizations: 3", "realizations: 3\npart_of: nips00", "part_of: .* no study nips00"),
    ("degree: 2", "degree: 2, dtype: float32", ""),
    ("kernel: poly, ", "kernel: rbf, ", "kernel.degree: .* kernel rbf does not have it"),
    ("estimator: SVC", "estimator: SVC, params: {kernel: rbf}", "kernel.gamma: .*no algorithm tak"),
    ("estimator: SVC", "estimator: SVC, share_gram: false", ""),
    (
        "datasets:",
        "defaults: {scaling: minmax, target: y, split: {n_test: 20}}\ndatasets:",
        r"defaults.target: .*no data set takes it",
    ),
    ("figures:", "timing: {algorithms: [b], datasets: [german]}\nfigures:", ""),
    ("figures:", "timing: {algorithms: [b], datasets: [titanic]}\nfigures:", "timing: .*is timed"),
    (
        "figures:",
        "timing: {algorithms: [a, b], datasets: [titanic]}\nfigures:",
        "timing.algorithms: .*nothing is timed of b",
    ),
    ("kind: box", "kind: bar, x_scale: log", r"figures\[1\].x_scale: .*data sets, not numbers"),
    (
        BOX,
        "kind: curves, caption: c, panels: [german], series: [s], y: estimator_errors_, first: 2, "
        "cumulative: true}",
        r"figures\[1\].first: .*no index",
    ),
    (
        BOX,
        "kind: curves, caption: c, panels: [german], series: [s], y: estimator_errors_, "
        "realization: 4}",
        r"figures\[1\].realization: .*3 realizations at most",
    ),
    (
        BOX,
        "kind: plane, caption: c, ring: r, panels: [{dataset: german, series: [s]}]}",
        r"figures\[1\].ring: .*no panel has `marks:`",
    ),
    (
        "decimals: 2,",
        "decimals: 2, summary: [{kind: mean-rank, realization: 4}],",
        r"tables\[1\].summary\[1\].realization: .*3 realizations at most",
    ),
    ("estimator: SVC", "estimator: LinearSVC, share_gram: false", "share_gram: .* has no kernel"),
    ("estimator: SVC", "estimator: LDA, seed: c", "seed: .* draws no random numbers"),
    (
        "estimator: SVC",
        "estimator: SVC, seed: c, params: {random_state: 1}",
        "seed: .*`random_state` in `params:` is the seed",
    ),
    ("estimator: SVC", "estimator: SVC, seed: c, params: {random_state: null}", ""),
    ("estimator: SVC", "estimator: SVC, one_vs_rest: true", "one_vs_rest: .* two classes"),
    ("estimator: SVC", "estimator: SVC, deterministic: true", "deterministic: .*same_rows: true"),
    (
        "estimator: SVC",
        "estimator: SVC, params: {C: 1}, grid: {C: [1, 2]}, stage: best-on-test",
        "params.C: .*the `grid:` sets it",
    ),
    (
        "estimator: SVC",
        "estimator: SVC, params: {kernel: linear, gamma: 2}",
        "params.gamma: .*kernel of the algorithm does not have it",
    ),
    ("estimator: SVC", "estimator: SVC, params: {coef0: 2}", ""),
    # what has an effect in one member of a sweep has one
    ("seed: c}", "seed: c}\n  k: {estimator: SVC, params: {gamma: 2}, sweep: KERNELS}", ""),
    (
        "seed: c}",
        "seed: c}\n  k: {estimator: SVC, params: {degree: 2}, sweep: KERNELS}",
        r"algorithms.k.params.degree: .*kernel of the algorithm does not have it",
    ),
    (
        "estimator: SVC",
        "estimator: GridSearchCV, params: {param_grid: {C: [1, 2]}, "
        "estimator: {estimator: SVC, params: {C: 3, tol: 0.1}}}",
        r"params.estimator.params.C: .*the search sets it",
    ),
    ("seed: c}", "seed: c}\n  c: {estimator: SVC, datasets: []}", "algorithms.c: .*no data set"),
    ("columns: [a, ", "columns: [{name: a, decimals: 1}, ", ""),
    (
        "{name: b, margin: 1}], decimals: 2",
        "{name: b, decimals: 1}], judged: false",
        r"tables\[1\].margin: .*no value is compared",
    ),
    (
        "columns: [a, {name: b, margin: 1}]",
        "columns: [{name: a, margin: 2}, {name: b, margin: 1}]",
        r"tables\[1\].margin: .*each column has its own",
    ),
    (
        "id: 1",
        "id: 3, caption: d, columns: [a], margin: 1}\n  - {id: 1",
        r"tables\[1\].margin: .*no pr",
    ),
    ("decimals: 2", "decimals: 2, largest_class: a", ""),
    ("decimals: 2", "metric: n_iter_, largest_class: a", "largest_class: .*no column shows an"),
    (
        "rows: [german], series",
        "rows: [german], panels: [{rows: [titanic]}, {rows: [german]}], series",
        r"figures\[1\].rows: .*each panel has its own",
    ),
    (
        "{name: b, margin: 1}]",
        "{name: b, margin: 1}, {name: c, algorithm: s, metric: estimator_errors_, stage: 300}]",
        r"tables\[1\].columns\[3\].stage: .*s: at most 10 stages",
    ),
    (
        "{name: b, margin: 1}]",
        "{name: b, margin: 1}, {name: c, algorithm: s, metric: estimator_errors_, stage: 10}]",
        "",
    ),
    (
        "published: p.csv",
        "published: p.csv\nclaims: [{id: c, text: t, tests: [{left: s, relation: at-most, limit: 1,"
        " metric: estimator_errors_, stage: 11}]}]",
        r"claims\[1\].tests\[1\].stage: .*s: at most 10 stages",
    ),
    ("algorithms: [a]}", "algorithms: [a], published_spread: se}", "no printed value in this row"),
    (
        "published: p.csv",
        "published_realizations: 3",
        "published_realizations: .*no printed values",
    ),
]


@pytest.mark.parametrize(("old", "new", "message"), IDLE, ids=[new for _, new, _ in IDLE])
def test_a_key_without_effect_is_named(tmp_path, old, new, message):
    (tmp_path / "p.csv").write_text(PRINTED)
    path = tmp_path / "c.yaml"
    path.write_text(GOOD)
    assert "has no effect" not in invoke("check", path).output
    assert old in GOOD
    new = new.replace("LDA", "LinearDiscriminantAnalysis")
    new = new.replace("KERNELS", "{params.kernel: [rbf, linear]}")
    path.write_text(GOOD.replace(old, new))
    result = invoke("check", path)
    assert result.exit_code == 0, result.output
    told = " ".join(result.output.split())
    assert ("has no effect" in told) == bool(message), told
    assert re.search(message, told), told


PRINTED_FOLDS = """\
study: t
published_realizations: NUMBER
datasets: [{name: german, split: {protocol: kfold, n_splits: 5, repeats: REPEATS}OF_ROW}]
algorithms: {a: {estimator: SVC}}
tables: [{id: 1, caption: c, columns: [{name: a, METRIC}]}]
published: p.csv
"""


@pytest.mark.parametrize(
    ("number", "repeats", "of_row", "metric", "printed", "message"),
    [
        (100, 1, "", "metric: error", "24.0", "single repetition of the folds is compared by"),
        (100, 2, "", "metric: error", "24.0", ""),
        (100, 1, "", "metric: auc", "0.7", ""),
        (100, 1, "", "metric: error", "24.0 ± 2.0", ""),
        (5, 1, "", "metric: error", "24.0", ""),
        (2, 1, "", "metric: error", "24.0", ""),  # `--published` runs two folds
        (100, 2, ", published_split: one-unknown", "metric: error", "24.0", "one more split"),
    ],
)
def test_a_number_of_printed_realizations_that_nothing_counts_is_named(
    tmp_path, number, repeats, of_row, metric, printed, message
):
    (tmp_path / "p.csv").write_text(f"row,a\ngerman,{printed}\n")
    text = PRINTED_FOLDS.replace("NUMBER", str(number)).replace("REPEATS", str(repeats))
    path = tmp_path / "c.yaml"
    path.write_text(text.replace("OF_ROW", of_row).replace("METRIC", metric))
    told = " ".join(invoke("check", path).output.split())
    assert ("published_realizations: has no effect" in told) == bool(message), told
    assert message in told


OF_PRINT = """\
study: t
realizations: N
published_realizations: NUMBER
datasets: [{name: german, split: SPLIT OF_ROW}, titanic]
algorithms: {a: {estimator: SVC}}
tables: [{id: 1, caption: c, rows: [german], columns: [{name: a OF_COLUMN}]}]
published: published.csv
"""
FOLDS, RANDOM = "{protocol: kfold, n_splits: 5}", "{protocol: random, n_train: 700, n_test: 300}"


@pytest.mark.parametrize(
    ("split", "n", "of_row", "of_column", "printed"),
    [
        (FOLDS, 5, "", "", "24.0"),
        (FOLDS.replace("}", ", repeats: 2}"), 10, "", "", "24.0"),
        (FOLDS, 5, "", ", metric: auc", "0.7"),
        (FOLDS, 5, "", "", "24.0 ± 2.0"),
        (RANDOM, 1, "", "", "24.0"),
        (RANDOM, 3, "", "", "24.0"),
        (RANDOM, 3, ", published_split: one-unknown", "", "24.0"),
        (RANDOM, 3, ", drawn_again: [titanic]", "", "24.0"),
        (RANDOM, 3, "", ", draws: a", "24.0"),
    ],
)
def test_a_number_has_an_effect_if_the_interval_depends_on_it(
    tmp_path, split, n, of_row, of_column, printed
):
    """`check` knows only the plan, and must have the rule of the intervals."""
    settings = settings_of(split=yaml.safe_load(split))
    scores = {"n_test": 200, "auc": 0.7} if "auc" in of_column else {"n_test": 200, "error": 0.2}
    *_, metric = scores
    lines = [
        replace(record(row, number, "a", **scores), settings=settings)
        for row in ("german", "titanic")
        for number in range(1, n + 1)
    ]
    for at, line in enumerate(lines):
        line.metrics[metric] += 0.01 * at
    text = OF_PRINT.replace("SPLIT", split).replace("N\n", f"{n}\n", 1)
    text = text.replace(" OF_ROW", of_row).replace(" OF_COLUMN", of_column)
    intervals, told = set(), ""
    for number in ("100", "200"):
        config = text.replace("NUMBER", number)
        study = make_study(tmp_path / number, config, lines, f"row,a\ngerman,{printed}\n")
        (cell,) = build_table(study, study.config.tables[0])
        intervals.add((cell.difference_low, cell.difference_high))
        told = " ".join(invoke("check", tmp_path / number / "config.yaml").output.split())
    assert (None, None) not in intervals
    assert ("published_realizations: has no effect" in told) == (len(intervals) == 1), told


SWEPT = """\
study: a
datasets:
  - {name: titanic, split: {protocol: random, n_train: 90, n_test: 100}}
  - {name: german, split: {protocol: random, n_test: 100}, sweep: {split.n_train: [20, 40]}}
algorithms:
  p: {estimator: SVC, params: &shared {C: 5}}
  s: {estimator: SVC, sweep: {params.C: [1, 2]}}
  m: {estimator: SVC, params: {<<: *shared}, sweep: {params.C: [1, 2]}}
  w: {estimator: SVC, params: *shared, sweep: {params.C: [1, 2]}}
  g: {estimator: SVC, grid: {C: [1, 2]}, stage: best-on-test}
realizations: 2
tables: [{id: 1, caption: c, columns: [p, s, m, w, g]}]
readings:
  - {id: q, question: q, table: 1, columns: [p], default: d, conclusion: c,
     variants: [{name: v, label: l, algorithm: {params.tol: 0.1}}]}
"""
OVERRIDDEN = [
    ("s: {estimator: SVC,", "s: {estimator: SVC, params: {C: 5},", "s.params.C", "the `sweep:`"),
    ("n_test: 100}, sw", "n_test: 100, n_train: 9}, sw", "[2].split.n_train", "the `sweep:`"),
    ("g: {estimator: SVC,", "g: {estimator: SVC, params: {C: 5},", "g.params.C", "the `grid:`"),
    ("realizations: 2", "realizations: 2\ntiming: null", "timing", "null is what holds"),
]


@pytest.mark.parametrize(("old", "new", "key", "winner"), OVERRIDDEN)
def test_a_key_that_another_one_overrides_is_named_with_it(tmp_path, old, new, key, winner):
    path = tmp_path / "a.yaml"
    path.write_text(SWEPT)
    assert "has no effect" not in invoke("check", path).output
    assert old in SWEPT
    path.write_text(SWEPT.replace(old, new))
    told = " ".join(invoke("check", path).output.split())
    assert re.search(rf"line \d+: \S*{re.escape(key)}: has no effect: {winner}", told), told
    assert told.count("has no effect") == 1


CHANGES = [  # the options, and for each line the key it is about and what is said of it
    ("study=x", "study=x: has no effect: `--as t` names the study"),
    ("timing=null", "it is null already"),
    ("algorithms.p.params.C=5", "it is 5 already"),
    ("algorithms.p.params.C=4 algorithms.p.params.C=6", "C=4: .*`algorithms.p.params.C: 6` comes"),
    ("algorithms.p.params.C=4 algorithms.p.params={C:\u00a06}", r"C=4: .*`algorithms.p.params: "),
    (
        "algorithms.p.params={C:\u00a06,tol:\u00a01} algorithms.p.params.C=4",
        r"C: 4` comes later, and",
    ),
    ("algorithms.s.params.C=9", "the `sweep:` sets it"),
    ("algorithms.m.params.C=9", "the `sweep:` sets it"),
    ("algorithms.g.params.C=9", "the `grid:` sets it"),
    ("datasets.german.split.n_train=9", "the `sweep:` sets it"),
    ("algorithms.p.params.tol=0.2", r"no effect on the variants of q \(`readings:`\) that set it"),
    ("algorithms.s.params.tol=0.2 algorithms.p.params.C=4 realizations=1", ""),
]


@pytest.mark.parametrize(("settings", "message"), CHANGES)
def test_a_change_of_a_study_that_has_no_effect_is_named(tmp_path, settings, message):
    (tmp_path / "a.yaml").write_text(SWEPT)
    settings = [one.replace("\u00a0", " ") for one in settings.split(" ")]
    options = [word for setting in settings for word in ("--set", setting)]
    result = invoke("run", tmp_path / "a.yaml", *options, "--as", "t", "--dry-run")
    assert result.exit_code == 0, result.output
    assert ("no effect" in result.output or "counts" in result.output) == bool(message)
    assert re.search(message, " ".join(result.output.split())), result.output
    blocks = {key: yaml.safe_load(value) for key, _, value in (s.partition("=") for s in settings)}
    if len(blocks) == len(settings) and "study" not in blocks:  # the same changes in a file
        mine = tmp_path / "t.yaml"
        mine.write_text(yaml.safe_dump({"study": "t", "base": "a.yaml", **blocks}, sort_keys=False))
        told = " ".join(invoke("check", mine).output.split())
        assert ("no effect" in told or "counts" in told) == bool(message), told
        assert re.search(message.replace("C=4", "C"), told), told


OWN = """\
study: t
datasets:
  - {name: own, path: own.csv, target: c, split: {protocol: kfold, n_splits: 2}, KEYS}
algorithms: {svc: {estimator: SVC}}
"""


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ("drop: [b]", ""),
        ("inputs: {a: number}, other_inputs: drop", ""),
        ("inputs: {a: number}, other_inputs: drop, drop: [b]", r"datasets\[1\].drop: .*leaves"),
        ("fill: 0, incomplete: keep", ""),
        ("fill: 0, incomplete: drop", r"datasets\[1\].fill: .*are left out by `incomplete:`"),
        ("fill: training-mean", r"datasets\[1\].fill: .*are refused by `incomplete:`"),
    ],
)
def test_a_key_of_an_own_file_without_effect_is_named(tmp_path, keys, message):
    rows = [f"{n % 7},{n % 5},{'xy'[n % 2]}\n" for n in range(20)]
    (tmp_path / "own.csv").write_text("a,b,c\n" + "".join(rows))
    (tmp_path / "c.yaml").write_text(OWN.replace("KEYS", keys))
    told = " ".join(invoke("check", tmp_path / "c.yaml").output.split())
    assert ("has no effect" in told) == bool(message), told
    assert re.search(message, told), told


@pytest.mark.parametrize("metric", ["f1", "precision", "average_precision"])
def test_the_data_sets_without_a_metric_of_one_class_are_named(tmp_path, metric):
    for name, n in (("two", 2), ("three", 3)):
        rows = [f"{n_row % 7},{n_row % n}\n" for n_row in range(20)]
        (tmp_path / f"{name}.csv").write_text("a,c\n" + "".join(rows))
    entries = "".join(f"\n  - {{path: {name}.csv, target: c}}" for name in ("two", "three"))
    table = f"tables: [{{id: 1, caption: c, metric: {metric}, columns: [svc]}}]"
    algorithms = "algorithms: {svc: {estimator: SVC}}"
    text = f"study: t\ndefaults: {{split: {{protocol: kfold, n_splits: 2}}}}\ndatasets:{entries}"
    (tmp_path / "c.yaml").write_text(f"{text}\n{algorithms}\n{table}\n")
    told = " ".join(invoke("check", tmp_path / "c.yaml").output.split())
    assert "on two: of the class '1'" in told, told
    assert "on three: not computed, since it has 3 classes" in told


@pytest.mark.parametrize("name", ["smoke", "icmla05", "comp6321"])
def test_shipped_studies_have_no_such_key(name):
    plan = make_plan(shipped_configs() / f"{name}.yaml")
    printed = {} if plan.published is None else read_published(plan.published, plan.config)
    assert keys_without_effect(plan, printed) == []
