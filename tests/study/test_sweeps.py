"""A sweep is ordinary entries: the cells as when each is written out, errors at its place."""

import pytest

from ensvm.errors import UserError
from ensvm.runner.plan import make_plan
from ensvm.study.read_config import read_config

SWEPT = """\
study: s
datasets:
  - {name: size, card: german, sweep: {split.n_train: [50, 100]}, algorithms: [svc, nu]}
algorithms:
  svc: {estimator: SVC, sweep: {params.C: [0.5, 1, 10]}}
  nu: {estimator: NuSVC}
tables:
  - {id: 1, caption: c, rows: [size], columns: [svc, nu]}
claims:
  - {id: c, text: t, left: svc, right: nu, relation: less, rows: [size]}
"""


def write(tmp_path, text):
    path = tmp_path / "s.yaml"
    path.write_text(text)
    return path


def test_members_are_what_one_would_write_out(tmp_path):
    swept = make_plan(write(tmp_path, SWEPT))
    written_out = SWEPT.replace(
        "  - {name: size, card: german, sweep: {split.n_train: [50, 100]}, algorithms: [svc, nu]}",
        "  - {name: size-50, card: german, split: {n_train: 50}}\n"
        "  - {name: size-100, card: german, split: {n_train: 100}}",
    ).replace(
        "  svc: {estimator: SVC, sweep: {params.C: [0.5, 1, 10]}}",
        "\n".join(f"  svc-{C}: {{estimator: SVC, params: {{C: {C}}}}}" for C in ("0.5", "1", "10")),
    )
    written_out = written_out.partition("tables:")[0]
    assert [cell.key for cell in make_plan(write(tmp_path, written_out)).cells] == [
        cell.key for cell in swept.cells
    ]


def test_members_stand_for_the_card_that_the_sweep_is_named_after(tmp_path):
    short = SWEPT.replace("size", "german").replace("card: german, ", "")
    cells = make_plan(write(tmp_path, SWEPT.replace("size", "german"))).cells
    assert [cell.key for cell in make_plan(write(tmp_path, short)).cells] == [
        cell.key for cell in cells
    ]


def test_the_name_of_a_sweep_stands_for_its_members(tmp_path):
    config, _ = read_config(write(tmp_path, SWEPT))
    machines = ("svc-0.5", "svc-1", "svc-10")
    assert config.datasets[0].algorithms == (*machines, "nu")
    assert config.tables[0].rows == ("size-50", "size-100")
    assert tuple(column.name for column in config.tables[0].columns) == (*machines, "nu")
    assert config.claims[0].tests[0].left == machines
    assert config.sweep_values("size") == {"size-50": 50, "size-100": 100}
    chosen = make_plan(write(tmp_path, SWEPT), algorithms=("svc",), datasets=("size",))
    assert {cell.algorithm for cell in chosen.cells} == {"data", *machines}


@pytest.mark.parametrize(
    ("sweep", "message"),
    [
        ("[1, 2]", "line 3: datasets[1].sweep: expected one key with its values"),
        ("{split.n_train: [50], scaling: [none]}", "expected one key with its values"),
        ("{split.n_train: 50}", "expected a list of numbers or names, got 50"),
        ("{split.n_train: []}", "expected a list of numbers or names"),
        ("{split.stratified: [true, false]}", "expected a list of numbers or names, got [True,"),
        ("{split.n_train: [50, 50]}", "a value is given twice"),
        ("{split.n_train: [0.1, 50]}", "has shares and numbers of rows; accepted: one kind"),
        ("{card.n_train: [50]}", "'card' is a value, not a block of keys: 'german'"),
        ("{n_train: [50]}", "line 3: datasets[1].n_train: unknown key"),
        ("{split.n_trian: [50]}", "line 3: datasets[1].split: "),
    ],
)
def test_a_wrong_sweep_names_its_line(tmp_path, sweep, message):
    text = SWEPT.replace("{split.n_train: [50, 100]}", sweep)
    with pytest.raises(UserError) as caught:
        make_plan(write(tmp_path, text))
    assert message in str(caught.value)


def test_a_mistake_beside_a_sweep_is_one_mistake(tmp_path):
    text = SWEPT.replace("algorithms: [svc, nu]}", "realizations: ten, algorithms: [svc, nu]}")
    with pytest.raises(UserError, match=r"'ten' is not accepted; accepted: a whole number$"):
        make_plan(write(tmp_path, text))


def test_an_error_after_a_sweep_names_its_own_line(tmp_path):
    text = SWEPT.replace(
        "algorithms:\n  svc", "  - {name: cancer, split: {n_train: 5000}}\nalgorithms:\n  svc"
    )
    with pytest.raises(UserError, match=r"line 4: datasets\[2\]\.split"):
        make_plan(write(tmp_path, text))


def test_an_unavailable_data_set_is_a_row_without_cells(tmp_path):
    text = SWEPT.replace(
        "algorithms:\n  svc", "  - {name: gone, unavailable: private}\nalgorithms:\n  svc"
    )
    plan = make_plan(write(tmp_path, text))
    assert "gone" not in {cell.dataset for cell in plan.cells}
    assert plan.config.dataset("gone").unavailable == "private"


def test_a_kernel_of_a_data_set_changes_the_key_it_names(tmp_path):
    text = (
        "study: s\nkernel: {kernel: poly, degree: 2, coef0: 1.0, gamma: 1.0}\n"
        "datasets:\n  - german\n  - {name: d, card: german, sweep: {kernel.degree: [3]}}\n"
        "algorithms:\n  svc: {estimator: SVC}\n"
    )
    plan = make_plan(write(tmp_path, text))
    kernels = {cell.dataset: cell.method.params for cell in plan.cells if cell.algorithm == "svc"}
    assert kernels["german"] == {"kernel": "poly", "degree": 2, "coef0": 1.0, "gamma": 1.0}
    assert kernels["d-3"] == kernels["german"] | {"degree": 3}


def test_algorithms_with_the_same_seed_draw_the_same_numbers(tmp_path):
    text = "study: s\ndatasets: [german]\nalgorithms:\n" + "".join(
        f"  {name}: {{estimator: SVC, {seed}}}\n"
        for name, seed in (("a", "seed: x"), ("b", "seed: x"), ("c", ""))
    )
    seeds = {cell.algorithm: cell.seed for cell in make_plan(write(tmp_path, text)).cells}
    assert seeds["a"] == seeds["b"] != seeds["c"]


def test_an_algorithm_may_have_fewer_realizations(tmp_path):
    text = (
        "study: s\nrealizations: 3\ndatasets: [{name: german, realizations_of: {b: 1}}]\n"
        "algorithms: {a: {estimator: SVC}, b: {estimator: SVC}}\n"
    )
    cells = make_plan(write(tmp_path, text)).cells
    assert [cell.realization for cell in cells if cell.algorithm == "a"] == [1, 2, 3]
    assert [cell.realization for cell in cells if cell.algorithm == "b"] == [1]
    with pytest.raises(UserError, match=r"realizations_of: unknown algorithm 'c'"):
        make_plan(write(tmp_path, text.replace("{b: 1}", "{c: 1}")))


def test_a_block_behind_members_is_refused_at_its_own_line(tmp_path):
    text = SWEPT.replace(
        "columns: [svc, nu]}",
        "columns:\n    [svc,\n     {name: last, algorithm: nu, metric: eror},\n     nu]}",
    )
    with pytest.raises(
        UserError, match=r"line 10: tables\[1\].columns\[2\].metric: unknown metric 'eror'"
    ):
        read_config(write(tmp_path, text))
