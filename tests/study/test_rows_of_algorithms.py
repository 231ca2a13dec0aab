"""Parameters by row, data sets of an algorithm, and defaults: each is what one would write out."""

from random import Random

import pytest
import yaml
from made_up_records import invoke

from ensvm.errors import UserError
from ensvm.runner.plan import make_plan
from ensvm.study.read_config import read_config

STUDY = """\
study: s
kernel: {kernel: rbf, gamma: mean-distance}
defaults: {realizations: 2, split: {protocol: random, n_train: 40, n_test: 30}, scaling: standard}
datasets:
  - german
  - {name: titanic, split: {n_train: 50}}
  - {name: folds, card: german, split: {protocol: kfold, n_splits: 3}, scaling: minmax}
algorithms:
  svc: {estimator: SVC, params_of: {german: {C: 316.2, gamma: 2.5}, titanic: {C: 10}}}
  nn: {estimator: KNeighborsClassifier, datasets: [german, folds]}
"""
WRITTEN_OUT = """\
study: s
kernel: {kernel: rbf, gamma: mean-distance}
datasets:
  - {name: german, realizations: 2, split: {protocol: random, n_train: 40, n_test: 30},
     scaling: standard, kernel: {gamma: 2.5}}
  - {name: titanic, realizations: 2, split: {protocol: random, n_train: 50, n_test: 30},
     scaling: standard, algorithms: [svc]}
  - {name: folds, card: german, realizations: 2, split: {protocol: kfold, n_splits: 3},
     scaling: minmax}
algorithms:
  svc: {estimator: SVC, params: PARAMS}
  nn: {estimator: KNeighborsClassifier}
"""
C_OF = {"german": "{C: 316.2}", "titanic": "{C: 10}", "folds": "{}"}


@pytest.fixture
def keys_of(tmp_path):
    """Return a function that returns the keys of a config's cells by data set and algorithm."""

    def keys(text, folder="."):
        path = tmp_path / folder / "s.yaml"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        return {cell.identity: cell.key for cell in make_plan(path).cells}

    return keys


def test_rows_and_defaults_are_what_one_would_write_out(keys_of):
    written = {
        identity: key
        for row, params in C_OF.items()
        for identity, key in keys_of(WRITTEN_OUT.replace("PARAMS", params)).items()
        if identity[0] == row
    }
    assert keys_of(STUDY) == written
    assert ("titanic", 1, "nn", "error") not in written


def test_the_order_of_keys_does_not_matter(keys_of):
    def shuffled(value, random):
        if not isinstance(value, dict):
            return value
        keys = random.sample(sorted(value), len(value))
        return {key: shuffled(value[key], random) for key in keys}

    content = yaml.safe_load(STUDY)
    keys = keys_of(STUDY)
    for seed in range(3):
        text = yaml.safe_dump(shuffled(content, Random(seed)), sort_keys=False)
        assert keys_of(text) == keys


def test_a_table_of_parameters_is_read_from_a_file_that_a_copy_does_not_need(keys_of, tmp_path):
    (tmp_path / "params.csv").write_text(
        "# C, gamma\nrow, C, gamma\ngerman,316.2,2.5\ntitanic,10,-\n"
    )
    inline = "{german: {C: 316.2, gamma: 2.5}, titanic: {C: 10}}"
    with_file = STUDY.replace(inline, "params.csv")
    assert keys_of(with_file) == keys_of(STUDY)
    _, source = read_config(tmp_path / "s.yaml", with_file.replace("params.csv", inline))
    (tmp_path / "s.yaml").write_text(with_file)
    copied = make_plan(tmp_path / "s.yaml").source.text
    assert keys_of(copied, "elsewhere") == keys_of(source.text)


def test_the_file_may_call_data_sets_by_their_labels(tmp_path):
    text = STUDY.replace("name: titanic,", "name: titanic, label: The Titanic,")
    inline = "{german: {C: 316.2, gamma: 2.5}, titanic: {C: 10}}"
    for title in ("titanic", "The Titanic"):
        (tmp_path / "p.csv").write_text(f"row,C,gamma\ngerman,316.2,2.5\n{title},10,\n")
        (tmp_path / "s.yaml").write_text(text.replace(inline, "p.csv"))
        config, _ = read_config(tmp_path / "s.yaml")
        svc = config.algorithms["svc"].params_of
        assert svc == {"german": {"C": 316.2, "gamma": 2.5}, "titanic": {"C": 10}}


def test_check_tells_rows_that_a_file_of_parameters_leaves_out(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    inline = "{german: {C: 316.2, gamma: 2.5}, titanic: {C: 10}}"
    (tmp_path / "p.csv").write_text("row,C\ngerman,316.2\nfolds,10\n")
    claims = (
        "claims:\n  - {id: one, text: It errs., left: svc, relation: less, limit: 9}\n"
        "  - {id: two, text: It  errs., left: nn, relation: less, limit: 9}\n"
    )
    (tmp_path / "s.yaml").write_text(STUDY.replace(inline, "p.csv") + claims)
    told = " ".join(invoke("check", "s.yaml").output.split())
    assert "svc has no parameters of its own on titanic in its `params_of:`;" in told
    assert "the claims one, two have the same sentence" in told


def test_a_key_may_be_a_path_into_an_estimator(keys_of):
    rows = "svc: {estimator: SVC, params_of: {german: {C: 316.2, gamma: 2.5}, titanic: {C: 10}}}"
    assert rows in STUDY
    inner = "{estimator: {estimator: SVC, params: {C: %s}}}"
    bagging = f"svc: {{estimator: BaggingClassifier, params: {inner}%s}}"
    by_row = keys_of(
        STUDY.replace(rows, bagging % (1, ", params_of: {german: {estimator.params.C: 5}}"))
    )
    of_german, of_others = (keys_of(STUDY.replace(rows, bagging % (C, ""))) for C in (5, 1))
    assert by_row == {
        identity: (of_german if identity[0] == "german" else of_others)[identity]
        for identity in by_row
    }


def test_the_parameters_of_a_member_replace_those_of_its_sweep(tmp_path):
    text = STUDY.replace("- german\n", "- {name: german, sweep: {split.n_test: [20, 30]}}\n")
    for rows in ("german: {C: 1}, german-30: {C: 2}", "german-30: {C: 2}, german: {C: 1}"):
        (tmp_path / "s.yaml").write_text(text.replace("german: {C: 316.2, gamma: 2.5}", rows))
        config = read_config(tmp_path / "s.yaml")[0]
        expected = {"german-20": {"C": 1}, "german-30": {"C": 2}, "titanic": {"C": 10}}
        assert config.algorithms["svc"].params_of == expected


def test_a_variant_of_a_reading_changes_a_parameter_on_all_rows(tmp_path):
    more = """\
tables: [{id: 1, caption: c, columns: [svc]}]
readings:
  - {id: q, question: q, table: 1, default: d, conclusion: c,
     variants: [{name: v, label: l, algorithm: {params.C: 7}}]}
"""
    (tmp_path / "s.yaml").write_text(STUDY + more)
    cells = make_plan(tmp_path / "s.yaml").cells
    params = {cell.dataset: cell.method.params for cell in cells if cell.algorithm == "svc~v"}
    assert {row: (each["C"], each["gamma"]) for row, each in params.items()} == {
        "german": (7, 2.5),
        "titanic": (7, "mean-distance"),
        "folds": (7, "mean-distance"),
    }


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("titanic: {C: 10}", "titanik: {C: 10}", r"line 9: .*'titanik'.*did you mean 'titanic'"),
        ("titanic: {C: 10}", "titanic: {D: 10}", r"params_of.titanic: .*'D'; accepted: C, "),
        ("titanic: {C: 10}", "titanic: 10", "10 is not accepted; accepted: a block of keys"),
        ("titanic: {C: 10}", "titanic: {C.x: 10, C: 1}", "C.x: 'C' is a value, not a block"),
        ("datasets: [german, folds]", "params_of: {german: {}}, datasets: [folds]", "does not run"),
        ("params_of:", "grid: {C: [1]}, stage: best-on-test, params_of:", "`grid:` chooses C"),
        ("params_of:", "sweep: {params.C: [1]}, params_of:", "`sweep:` says C of each member"),
        (
            "titanic: {C: 10}}",
            "titanic: {C: 10}, folds: {C: 1}}, params: {C: 3}",
            r"line 9: algorithms.svc.params.C: has no effect: `params_of:` gives each",
        ),
        ("- german\n", "- {name: german, algorithms: [svc]}\n", "nn is not among them, and its"),
        ("n_splits: 3}", "n_splits: 3}, algorithms: [svc, nn]", ""),
        ("[german, folds]", "[german]", ""),
        ("defaults: {", "defaults: {target: y, ", ""),  # of the user's own files alone
        ("defaults: {", "defaults: {path: a.csv, ", "defaults.path: each data set has its own"),
        (
            "n_train: 40",
            "n_trian: 40",
            r"line 3: defaults.split.*'n_trian'.*did you mean 'n_train'",
        ),
        ("scaling: standard", "scaling: standrad", r"line 3: defaults.scaling: .*standrad"),
        ("realizations: 2", "realizations: 0", r"line 3: defaults.realizations: 0 is not acc"),
        ("defaults: {", "defaults: {colour: red, ", r"line 3: defaults.*unknown key 'colour'"),
    ],
)
def test_what_has_no_effect_or_is_not_there_is_refused(keys_of, old, new, message):
    assert old in STUDY
    text = STUDY.replace(old, new, 1)
    if not message:
        assert keys_of(text)
        return
    with pytest.raises(UserError, match=message):
        keys_of(text)


@pytest.mark.parametrize(
    ("file", "message"),
    [
        ("row;C\ngerman;1\n", r"p.csv, line 1: semicolons stand between the fields.*commas"),
        ("row\tC\n", r"line 1: tabs stand"),
        ("", r"p.csv: expected a header"),
        ("row,C,C\ngerman,1,2\n", r"line 1: the header names 'C' twice"),
        ("row,C\ngerman,1\ngerman,2\n", r"p.csv, line 3: the data set 'german' is given twice"),
        ("row,C\ngerman,1,2\n", r"line 2: 'german,1,2' has 3 fields, and the header has 2"),
        ("row,C,gamma\ngerman,1\n", r"line 2: .* has 2 fields.* accepted: as many; an empty field"),
        ("german,1e3\ntitanic,1\n", r"line 1: the header is missing, or '1e3' .* accepted: `row`"),
        ('row,C\ngerman,"3,16"\n', r"line 2: C has '3,16'; write a point in decimals"),
        ('row,C\ngerman,"100,000"\n', r"line 2: C has '100,000'; leave out commas"),
        ("row,C\ngerman,10^-5\n", r"line 2: C has '10\^-5'; write 1e-5"),
        ("row,C\ngerman,n/a\n", r"line 2: C has 'n/a'; leave the field empty, or write `-`"),
        ("row,C\ngerman,[1\n", r"line 2: C has '\[1', which is not a value"),
        ("row,C\ngermna,1\n", r"unknown data set 'germna'.*did you mean 'german'"),
        ("row,D\ntitanic,1\n", r"p.csv, line 2: .*'D'; accepted: C, "),
    ],
)
def test_a_wrong_table_of_parameters_is_refused_with_its_line(keys_of, tmp_path, file, message):
    (tmp_path / "p.csv").write_text(file)
    inline = "{german: {C: 316.2, gamma: 2.5}, titanic: {C: 10}}"
    with pytest.raises(UserError, match=message):
        keys_of(STUDY.replace(inline, "p.csv"))
    with pytest.raises(UserError, match=r"algorithms.svc.params_of: there is no file .*q.csv"):
        keys_of(STUDY.replace(inline, "q.csv"))
