"""A variant is a copy that one could write out; it is run, and stands nowhere unless named."""

from dataclasses import replace

import pytest

from ensvm.errors import UserError
from ensvm.runner.plan import make_plan
from ensvm.study.read_config import read_config

STUDY = """\
study: s
realizations: 3
kernel: {kernel: rbf, gamma: mean-distance}
datasets:
  - german
  - {name: wbc, card: breast-cancer, algorithms: [svc, nu], realizations_of: {svc: 2}}
  - {name: size, card: german, sweep: {split.n_train: [50, 100]}, algorithms: [svc]}
algorithms:
  svc: {estimator: SVC, label: SVM, params: {C: 2}}
  nu: {estimator: NuSVC, seed: shared, sweep: {params.nu: [0.1, 0.2]}}
  own: {estimator: RhoSVC}
timing: {realizations: 1}
tables:
  - {id: 1, caption: c, columns: [svc, {name: v, algorithm: own}]}
  - {id: 2, caption: c, rows: [german, wbc], columns: [nu]}
claims:
  - {id: c, text: t, left: svc, right: own, relation: less}
readings:
  - id: cost
    question: What is C?
    table: 1
    rows: [german, wbc]
    columns: [svc]
    default: C = 2
    variants:
      - {name: C-10, label: C = 10, algorithm: {params.C: 10}}
      - {name: raw, label: raw, dataset: {scaling: none, kernel.gamma: 0.5}, realizations: 1}
      - {name: both, label: both, dataset: {scaling: none}, algorithm: {params.C: 10}}
      - {name: own, label: own, instead: {svc: own, wbc: german}}
    conclusion: Nothing.
"""
WITHOUT = STUDY.partition("readings:")[0]
LAST = "      - {name: own, label: own, instead: {svc: own, wbc: german}}\n"


@pytest.fixture
def plan(tmp_path):
    """Return a function that plans the study with its last variant replaced, or another text."""

    def make(text=STUDY, **chosen):
        path = tmp_path / "s.yaml"
        path.write_text(text)
        return make_plan(path, **chosen)

    return make


def with_variant(line):
    assert LAST in STUDY
    return STUDY.replace(LAST, f"      - {line}\n")


def derived(cell):
    return "~" in cell.dataset + cell.algorithm


def test_the_cells_of_the_study_stay_what_they_are(plan):
    own = [cell.key for cell in plan(WITHOUT).cells]
    assert [cell.key for cell in plan().cells if not derived(cell)] == own


def test_each_variant_runs_where_the_study_does_and_no_further(plan):
    cells = [cell for cell in plan().cells if derived(cell) and cell.algorithm != "data"]
    assert {cell.run_pass for cell in cells} == {"error"}
    last = {}
    for cell in cells:
        place = (cell.dataset, cell.algorithm)
        last[place] = max(last.get(place, 0), cell.realization)
    assert last == {
        ("german", "svc~C-10"): 3,
        ("wbc", "svc~C-10"): 2,
        ("german~raw", "svc"): 1,
        ("wbc~raw", "svc"): 1,
        ("german~both", "svc~both"): 3,
        ("wbc~both", "svc~both"): 2,
    }


def test_a_copy_is_what_one_would_write_out_and_draws_the_same_numbers(plan):
    found = {(cell.dataset, cell.realization, cell.algorithm): cell for cell in plan().cells}
    own = "  own: {estimator: RhoSVC}\n"
    out = WITHOUT.replace(own, own + "  copy: {estimator: SVC, params: {C: 10}, seed: svc}\n")
    out = out.replace("datasets:", "datasets:\n  - {name: raw, card: german, scaling: none}")
    written = {(cell.dataset, cell.realization, cell.algorithm): cell for cell in plan(out).cells}
    assert found["german", 2, "svc~C-10"].settings == written["german", 2, "copy"].settings
    assert found["german~both", 2, "svc~both"].settings == written["raw", 2, "copy"].settings
    for cell in found.values():
        if derived(cell) and cell.algorithm != "data":
            original = cell.dataset.split("~")[0], cell.realization, cell.algorithm.split("~")[0]
            assert cell.seed == found[original].seed


def test_a_variant_may_run_more_often_than_what_it_changes(plan):
    text = with_variant("{name: drawn, label: drawn, algorithm: {params.C: 3}, realizations: 3}")
    cells = plan(text).cells
    runs = dict.fromkeys(("svc", "svc~C-10", "svc~drawn"), 0)
    for cell in cells:
        if cell.dataset == "wbc" and cell.algorithm in runs and cell.run_pass == "error":
            runs[cell.algorithm] += 1
    assert runs == {"svc": 2, "svc~C-10": 2, "svc~drawn": 3}


def test_a_named_seed_and_the_member_of_a_sweep_are_copied_too(plan):
    text = STUDY.replace("table: 1\n", "table: 2\n").replace(
        "[svc]\n    default", "[nu]\n    default"
    )
    text = text.replace("params.C: 10", "params.nu: 0.3").replace(LAST, "")
    made = plan(text)
    assert made.config.algorithms["nu-0.1~C-10"].params["nu"] == 0.3
    assert made.config.algorithms["nu-0.1~C-10"].seed == "shared"
    assert list(made.config.sweep_values("nu")) == ["nu-0.1", "nu-0.2"]


def test_nothing_shows_a_copy_that_does_not_name_it(plan):
    with_readings, without = plan().config, plan(WITHOUT).config
    for table in without.tables:
        assert with_readings.rows_of(table) == without.rows_of(table)
    text = WITHOUT.replace("columns: [nu]", "columns: [nu, {name: c, algorithm: svc~C-10}]")
    text = text.replace("rows: [german, wbc]", "rows: [german, wbc, wbc~raw]")
    text = text.replace("id: c, text: t, left: svc", "id: c, text: t, left: svc~C-10")
    named = plan(text + "readings:" + STUDY.partition("readings:")[2]).config
    assert named.rows_of(named.tables[1]) == ("german", "wbc", "wbc~raw")


def test_a_variant_of_the_values_that_stand_is_a_variant_all_the_same(plan):
    cells = plan(with_variant("{name: C-2, label: C = 2, algorithm: {params.C: 2}}")).cells
    settings = [cell.settings for cell in cells if cell.algorithm == "svc~C-2"]
    own = [cell.settings for cell in cells if (cell.dataset, cell.algorithm) == ("german", "svc")]
    assert replace(own[0].method, seed="svc") == settings[0].method


def test_questions_share_a_variant_that_is_the_same_and_no_other(plan):
    second = STUDY.partition("readings:")[2].replace("id: cost", "id: again")
    second = second.replace("realizations: 1", "realizations: 2")
    cells = plan(STUDY + second).cells
    assert len({cell.identity for cell in cells}) == len(cells)
    assert sum(cell.dataset == "german~raw" and cell.algorithm == "svc" for cell in cells) == 2
    for key, name in (("params.C: 10", "svc~C-10"), ("kernel.gamma: 0.5", "german~raw")):
        changed = second.replace(key, key.replace("0", "1"))
        with pytest.raises(UserError, match=rf"name: another variant .* other keys for {name};"):
            plan(STUDY + changed)


def test_copies_may_be_chosen_by_name(plan):
    cells = plan(algorithms=("svc~C-10",)).cells
    assert {cell.algorithm for cell in cells} == {"data", "svc~C-10"}
    cells = plan(datasets=("wbc~raw",)).cells
    assert {cell.dataset for cell in cells} == {"wbc~raw"}


def test_the_copy_of_a_users_own_file_has_the_same_rows(study, tmp_path):
    more = """
    tables: [{id: 1, caption: c, columns: [svc]}]
    readings:
      - {id: q, question: q, table: 1, default: d, conclusion: c,
         variants: [{name: raw, label: raw, dataset: {scaling: none}}]}
    """
    made = make_plan(study("svc: {estimator: SVC}", more=more))
    cards = made.cards
    assert cards["own~raw"].name == cards["own"].name
    assert cards["own~raw"].scaling != cards["own"].scaling


VARIANT = "readings[1].variants[4]"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{name: x, label: x}", f"{VARIANT}: nothing is changed"),
        ("{name: x, label: x, instead: {svc: own}, realizations: 1}", "`instead:` runs nothing"),
        ("{name: raw, label: x, instead: {svc: own}}", f"{VARIANT}.name: .*'raw' is given twice"),
        ("{name: a~b, label: x, instead: {svc: own}}", f"{VARIANT}.name: "),
        ("{name: x, label: x, instead: {own: svc}}", f"{VARIANT}.instead.own: unknown row or algo"),
        (
            "{name: x, label: x, instead: {svc: german}}",
            "'german' is the name of a data set, not of",
        ),
        (
            "{name: x, label: x, instead: {wbc: svc}}",
            "'svc' is the name of an algorithm, not of a data set",
        ),
        ("{name: x, label: x, algorithm: {params.CC: 1}}", f"{VARIANT}.algorithm: .*'CC'"),
        ("{name: x, label: x, algorithm: {params.C: -1}}", f"{VARIANT}.algorithm: .*C.*-1"),
        ("{name: x, label: x, algorithm: {stages: last}}", "algorithm.stages: unknown key"),
        ("{name: x, label: x, algorithm: {orders: 0}}", "algorithm.orders: 0 is not accepted"),
        (
            "{name: x, label: x, algorithm: {estimator.x: 1}}",
            "'estimator' is a value, not a block",
        ),
        ("{name: x, label: x, algorithm: {label: x}}", "algorithm.label: no variant changes this"),
        ("{name: x, label: x, dataset: {name: x}}", "dataset.name: no variant changes this key"),
        ("{name: x, label: x, dataset: {realizations: 1}}", "give `realizations:` beside"),
        ("{name: x, label: x, dataset: {scaling: no-such}}", f"{VARIANT}.dataset.scaling: "),
        ("{name: x, label: x, dataset: {split.n_trian: 5}}", f"{VARIANT}.dataset.split: .*n_trian"),
        ("{name: x, label: x, dataset: {card: no-such}}", f"{VARIANT}.dataset.card: .*no-such"),
    ],
)
def test_a_wrong_variant_names_its_line(plan, line, message):
    message = message.replace("[", r"\[").replace("]", r"\]")
    with pytest.raises(UserError, match=message) as caught:
        plan(with_variant(line))
    number = with_variant(line).splitlines().index(f"      - {line}") + 1
    assert f"line {number}: " in str(caught.value)


@pytest.mark.parametrize(
    ("good", "wrong", "message"),
    [
        ("table: 1", "table: 3", "readings[1].table: unknown table '3'"),
        ("rows: [german, wbc]\n    c", "rows: [waveform]\n    c", "unknown row of table 1"),
        (
            "columns: [svc]\n",
            "columns: [own]\n",
            "unknown column of table 1 'own'; accepted: svc, v",
        ),
        ("id: cost", "id: Cost", "readings[1].id: "),
        ("    conclusion: Nothing.\n", "", "readings[1].conclusion: is missing"),
        ("{id: 1, caption: c", "{id: 1, of: timing, caption: c", "is of timing"),
        ("[svc, {", "[{name: svc, algorithm: svc~C-10}, {", "[1].rows: unknown row"),
    ],
)
def test_a_wrong_question_names_its_line(plan, good, wrong, message):
    assert good in STUDY
    message = message.replace("[", r"\[").replace("]", r"\]")
    with pytest.raises(UserError, match=rf"line \d+: .*{message}"):
        plan(STUDY.replace(good, wrong))


def test_no_name_of_a_study_looks_like_a_copy(tmp_path):
    path = tmp_path / "s.yaml"
    path.write_text(STUDY.replace("  own: {", "  own~x: {"))
    with pytest.raises(UserError, match="own~x"):
        read_config(path)


DRAWN = """\
study: s
published: p.csv
datasets: [{name: german, drawn_again: OTHER, realizations: 9}, {name: again, card: german}]
algorithms: {a: {estimator: SVC}}
tables: [{id: 2, caption: Errors., rows: [german], columns: [a]}]
readings:
  - {id: r, question: "Which?", table: 2, default: one, conclusion: one.,
     variants: [{name: other, label: other, algorithm: {params.C: 2.0}, realizations: 3}]}
"""


def test_the_copies_of_a_reading_are_run_on_rows_drawn_again_too(tmp_path):
    path = tmp_path / "s.yaml"
    (tmp_path / "p.csv").write_text("table,row,column,value,std\n2,german,a,20.0,\n")
    path.write_text(DRAWN.replace("OTHER", "again"))
    config, _ = read_config(path)
    for name in ("german", "again"):
        assert config.dataset(name).algorithms == ("a", "a~other")
        assert config.dataset(name).realizations_of == {"a~other": 3}
    path.write_text(DRAWN.replace("OTHER", "agian"))
    with pytest.raises(UserError, match=r"drawn_again.*agian"):
        read_config(path)
