"""A plan asks for what there is."""

import pytest

from ensvm.runner.plan import make_plan
from ensvm.study.source import ConfigError

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
    with pytest.raises(ConfigError, match=r"realizations: there are at most 10 .*disjoint.*got 30"):
        planned(tmp_path, "squares", ", realizations: 30")


def test_realizations_from_one_to_another_are_those_of_the_whole(study):
    config = study("svc: {estimator: SVC}", realizations=5, more="timing: {realizations: 3}")

    def keys(**choice):
        return {cell.identity: cell.key for cell in make_plan(config, **choice).cells}

    whole = keys()
    some = keys(realizations=range(2, 5))
    assert some.items() <= whole.items()
    assert {number for _, number, name, _ in some if name == "svc"} == {2, 3, 4}
    assert keys(realizations=range(1, 3)) == keys(realizations=2)
    with pytest.raises(ConfigError, match="realizations: 6 is more than this study has"):
        keys(realizations=range(6, 9))
