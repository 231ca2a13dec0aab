"""A plan asks for what there is, and its shards together are the plan."""

from collections import Counter

import pytest

from ensvm.errors import UserError
from ensvm.runner.plan import make_plan, part_of, shard_named
from ensvm.shipped import find_config

CONFIG = """\
study: s
realizations: 100
datasets: [{{name: {name}{more}}}]
algorithms: {{parzen: {{estimator: ParzenWindowClassifier}}}}
"""


def planned(tmp_path, name, more=""):
    path = tmp_path / "s.yaml"
    path.write_text(CONFIG.format(name=name, more=more))
    cells = make_plan(path).cells
    return max(cell.realization for cell in cells)


def test_the_studys_realizations_are_those_that_a_data_set_has(tmp_path):
    assert planned(tmp_path, "german") == 100
    assert planned(tmp_path, "squares") == 10  # disjoint parts of 100,000 generated rows


def test_more_realizations_than_there_are_are_refused_in_a_data_sets_own_block(tmp_path):
    assert planned(tmp_path, "squares", ", realizations: 9") == 9
    with pytest.raises(UserError, match=r"realizations: .*disjoint.* has at most 10, got 30"):
        planned(tmp_path, "squares", ", realizations: 30")


def test_repeats_of_folds_say_how_many_realizations_there_are(tmp_path):
    split = ", split: {protocol: kfold, n_splits: 4, repeats: 3}"
    assert planned(tmp_path, "german", split) == 12
    assert planned(tmp_path, "german", f"{split}, realizations: 5") == 5
    with pytest.raises(UserError, match=r"split \(kfold\) has at most 12, got 13"):
        planned(tmp_path, "german", f"{split}, realizations: 13")


def test_without_a_number_each_fold_is_run_once(tmp_path):
    path = tmp_path / "s.yaml"
    config = CONFIG.replace("realizations: 100\n", "")

    def realizations(more):
        path.write_text(config.format(name="german", more=more))
        return max(cell.realization for cell in make_plan(path).cells)

    folds = ", split: {protocol: kfold, n_splits: 4}"
    assert realizations(folds) == 4
    assert realizations(f"{folds}, realizations: 2") == 2
    assert realizations(", split: {protocol: kfold, n_splits: 4, repeats: 3}") == 12
    assert realizations("") == 1  # rows are drawn


def test_a_member_of_a_sweep_may_take_all_rows(tmp_path):
    text = "0 1:1\n1 1:2\n" * 20
    for name in ("train", "test"):
        (tmp_path / f"{name}.svm").write_text(text)
    path = tmp_path / "s.yaml"
    path.write_text(
        "study: s\ndatasets:\n  - {name: size, train: train.svm, test: test.svm, realizations: 3,"
        " sweep: {split.n_train: [10, 40]}}\nalgorithms: {svc: {estimator: SVC}}\n"
    )
    cells = [cell for cell in make_plan(path).cells if cell.algorithm == "svc"]
    assert Counter(cell.dataset for cell in cells) == {"size-10": 3, "size-40": 1}


def test_realizations_from_one_to_another_are_those_of_the_whole(study):
    config = study("svc: {estimator: SVC}", realizations=5, more="timing: {realizations: 3}")

    def keys(**choice):
        return {cell.identity: cell.key for cell in make_plan(config, **choice).cells}

    whole = keys()
    some = keys(realizations=range(2, 5))
    assert some.items() <= whole.items()
    assert {number for _, number, name, _ in some if name == "svc"} == {2, 3, 4}
    assert keys(realizations=range(1, 3)) == keys(realizations=2)
    with pytest.raises(UserError, match="realizations: 6 is more than this study has"):
        keys(realizations=range(6, 9))


@pytest.fixture(scope="module")
def smoke():
    return make_plan(find_config("smoke"))


def shard(plan, number, of, run_pass="all"):
    return part_of(plan, run_pass, (number, of), elsewhere=False)[0]


@pytest.mark.parametrize("of", [1, 3, 5])
def test_shards_are_the_plan_and_keep_realizations_together(smoke, of):
    shards = [shard(smoke, number, of) for number in range(1, of + 1)]
    assert Counter(cell for part in shards for cell in part.cells) == Counter(smoke.cells)
    units = [{(cell.dataset, cell.realization) for cell in part.cells} for part in shards]
    assert sum(map(len, units)) == len(set().union(*units))
    assert max(map(len, units)) - min(map(len, units)) <= 1


def test_more_shards_than_realizations_are_refused(study):
    plan = make_plan(study("svc: {estimator: SVC}", realizations=4))
    assert shard(plan, 4, 4).cells
    with pytest.raises(UserError, match=r"shard 1/5.* 4 realizations"):
        shard(plan, 1, 5)


@pytest.mark.parametrize(
    ("run_pass", "of_shards", "elsewhere", "is_left_out"),
    [
        (None, None, False, False),
        (None, None, True, True),
        (None, (1, 2), False, True),
        ("error", None, False, True),
        ("timing", (1, 2), True, False),
        ("all", None, True, False),
    ],
)
def test_timings_are_left_out_unless_one_machine_runs_all(
    study, run_pass, of_shards, elsewhere, is_left_out
):
    plan = make_plan(study("svc: {estimator: SVC}", more="timing: {realizations: 2}"))
    part, n_timings = part_of(plan, run_pass, of_shards, elsewhere=elsewhere)
    assert n_timings == (2 if is_left_out else 0)
    assert ("timing" in {cell.run_pass for cell in part.cells}) is not is_left_out
    assert not (is_left_out and part.timings), "no cell waits for a timing that is not run"


@pytest.mark.parametrize("given", ["2/8", (2, 8)])
def test_a_shard_is_a_text_or_a_pair(given):
    assert shard_named(given) == (2, 8)


# The seeds behind the committed results: of a one-hot data set that e1071 scales, a minmax scaling,
# two generators, a plain set. If one changed, every random algorithm would get other values.
SEEDS = {
    ("ecda13", "adult", 3, "bagging_radial"): 2454704266,
    ("nips99", "splice", 2, "lvm"): 3225581313,
    ("nips99", "circle", 1, "bvm_chunked"): 3331654373,
    ("icmla05", "squares-200", 3, "wsv_squares"): 1277096582,
    ("comp6321", "german", 1, "tree"): 2463702914,
}


@pytest.mark.parametrize("study", sorted({study for study, *_ in SEEDS}))
def test_seeds_are_those_of_the_committed_results(study):
    plan = make_plan(find_config(study))
    seeds = {
        (study, cell.dataset, cell.realization, cell.algorithm): cell.seed
        for cell in plan.cells
        if cell.run_pass == "error"
    }
    wanted = {where: seed for where, seed in SEEDS.items() if where[0] == study}
    assert {where: seeds[where] for where in wanted} == wanted
