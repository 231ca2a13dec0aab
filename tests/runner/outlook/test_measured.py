"""Laws of measured seconds: nothing counted twice, the table read as it was written."""

from dataclasses import replace

import pytest
from made_up_records import Silent

from ensvm.records.store import Store, read_records
from ensvm.runner.execute import run_plan
from ensvm.runner.estimate import SECONDS, main, measured, read_measured
from ensvm.runner.plan import make_plan
from ensvm.study.reading import find_config, reproduced

pytestmark = pytest.mark.usefixtures("in_this_process")

KERNELS = """
one: {estimator: SVC, params: {kernel: rbf, gamma: mean-distance, C: 1.0}}
two: {estimator: SVC, params: {kernel: rbf, gamma: mean-distance, C: 10.0}}
"""


@pytest.fixture
def records(study, tmp_path):
    plan = make_plan(study(KERNELS, realizations=2))
    run_plan(plan, tmp_path / "results", Silent(), jobs=1)
    return read_records(tmp_path / "results" / "trial")


def with_seconds(records, **told):
    return {
        who: replace(record, seconds={**record.seconds, **told}) for who, record in records.items()
    }


def test_one_line_a_data_set_and_algorithm(records):
    lines = measured(records)
    assert [(line.dataset, line.algorithm, line.cells) for line in lines] == [
        ("own", "one", 2),
        ("own", "two", 2),
    ]
    assert {(line.n_train, line.n_test) for line in lines} == {(40, 20)}
    assert {line.machine for line in lines} == {
        record.run.processor for record in records.values() if record.run
    }


def test_waiting_for_a_processor_is_not_counted(records):
    for busy in ({"fit_seconds": 5.0, "fit_cpu_seconds": 2.0}, {"fit_cpu_seconds": 9.0}):
        told = {"fit_seconds": 2.0, **busy}
        assert {line.fit_seconds for line in measured(with_seconds(records, **told))} == {2.0}


def test_kernel_values_are_counted_in_full_for_whoever_shares_them(records):
    """The second algorithm's record has the running sum, the first's what was needed until then."""
    grown = {
        who: replace(
            record,
            seconds={**record.seconds, "test_kernel_seconds": 3.0 if who[2] == "two" else 1.0},
        )
        for who, record in records.items()
    }
    assert {line.test_kernel_seconds for line in measured(grown)} == {3.0}


def test_the_table_is_read_as_it_was_written(records, tmp_path):
    path = tmp_path / "table.csv"
    main(tmp_path / "results", path)
    for line, own in zip(read_measured(path), measured(records), strict=True):
        rounded = {name: pytest.approx(getattr(own, name), rel=0.01) for name in SECONDS}
        assert {name: getattr(line, name) for name in SECONDS} == rounded
        kept = {name: getattr(line, name) for name in SECONDS}
        assert replace(own, **kept) == line


def test_studies_without_records_keep_their_lines(records, tmp_path):
    path = tmp_path / "table.csv"
    main(tmp_path / "results", path)
    with Store(tmp_path / "elsewhere" / "other") as store:
        store.append([replace(record, study="other") for record in records.values()])
    main(tmp_path / "elsewhere", path)
    assert {line.study for line in read_measured(path)} == {"trial", "other"}


@pytest.mark.parametrize("study", reproduced())
def test_studies_of_make_reproduce_were_measured(study):
    named = make_plan(find_config(study)).config.study
    assert named in {line.study for line in read_measured()}
