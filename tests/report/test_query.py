"""The values of a cell, or why there are none: no mixture of machines, no seconds of errors."""

from dataclasses import replace

import numpy as np
import pytest
from made_up_records import claimed, record

from ensvm.report.query import Query, ask

CLAIM = "- {id: 1, text: t, left: a, right: b, relation: less}"


def timed(number, host):
    """Return a record of the timing pass from a machine."""
    return record(
        "german", number, "a", run_pass="timing", seconds=float(number), n_iter_=3, host=host
    )


def test_seconds_of_one_machine_are_values_in_seconds(tmp_path):
    study = claimed(tmp_path / "s", CLAIM, [timed(1, "one"), timed(2, "one")])
    result = ask(study, Query("german", "a", "train_seconds", "timing"))
    assert (result.status, dict(result.values), result.unit.name) == ("ok", {1: 1.0, 2: 2.0}, "s")


def test_seconds_of_two_machines_are_refused_but_their_counts_are_not(tmp_path):
    study = claimed(tmp_path / "s", CLAIM, [timed(1, "one"), timed(2, "other")])
    result = ask(study, Query("german", "a", "train_seconds", "timing"))
    assert (result.status, len(result.values)) == ("mixed", 0)
    assert "one, other" in result.reason
    assert ask(study, Query("german", "a", "n_iter_", "timing")).status == "ok"


def test_seconds_of_the_error_pass_are_no_values(tmp_path):
    study = claimed(tmp_path / "s", CLAIM, [record("german", 1, "a", seconds=1.0, error=0.1)])
    assert not ask(study, Query("german", "a", "train_seconds")).values
    assert ask(study, Query("german", "a", "error")).shown() == pytest.approx([10.0])


def test_a_stage_beyond_the_end_is_the_last(tmp_path):
    study = claimed(tmp_path / "s", CLAIM, [record("german", 1, "a", curve=[3.0, 1.0])])
    found = {
        stage: ask(study, Query("german", "a", "path_", stage=stage)).values[1]
        for stage in (1, 2, 9, "all")
    }
    assert found == {1: 3.0, 2: 1.0, 9: 1.0, "all": [3.0, 1.0]}


def test_why_there_is_nothing(tmp_path):
    study = claimed(tmp_path / "s", CLAIM, [])
    assert ask(study, Query("german", "a", "error")).why == "not run yet"
    assert ask(study, Query("astro", "b", "error")).why == "not asked for by the config"
    assert ask(study, Query("german", "later", "error")).why == "not run yet"


@pytest.mark.parametrize("left", [{}, {"num_": None}, {"num_": "auto"}])
def test_a_number_that_some_fits_do_not_leave_is_over_some_realizations(tmp_path, left):
    records = [record("german", 1, "a", num_=5.0), record("german", 2, "a", **left)]
    result = ask(claimed(tmp_path / "s", CLAIM, records), Query("german", "a", "num_"))
    assert dict(result.values) == {1: 5.0}
    assert result.part_shown == (
        "over 1 of 2 realizations; most often (1): the fit left no number 'num_'"
    )
    none = ask(claimed(tmp_path / "t", CLAIM, records[1:]), Query("german", "a", "num_"))
    assert none.reason == "the algorithm leaves no number 'num_'"


def test_values_of_every_order_are_in_the_unit_shown(tmp_path):
    errors = {1: [0.1, 0.2, 0.3], 2: [0.4, 0.4, 0.1]}
    records = [
        replace(
            record("german", number, "a", error=float(np.mean(values)), n_test=7, curve=[1.0]),
            by_order={"error": values, "n_test": [7, 7, 7]},
        )
        for number, values in errors.items()
    ]
    study = claimed(tmp_path / "s", CLAIM, records)
    result = ask(study, Query("german", "a", "error"))
    assert result.by_order() == pytest.approx(100 * np.array(list(errors.values())))
    assert result.by_order().mean(axis=1) == pytest.approx(result.shown())
    assert ask(study, Query("german", "a", "n_test")).by_order().tolist() == [[7, 7, 7]] * 2
    assert ask(study, Query("german", "a", "path_", stage=1)).by_order() is None
    assert ask(study, Query("astro", "a", "error")).by_order() is None


def test_records_that_warned_are_counted(tmp_path):
    quiet = record("german", 1, "a", error=0.1)
    loud = [
        replace(record("german", number, "a", error=0.1), warnings=("W: so", "W: and so"))
        for number in (2, 3)
    ]
    study = claimed(tmp_path / "s", CLAIM, [quiet, *loud])
    assert ask(study, Query("german", "a", "error")).n_warned == 2
    assert ask(study, Query("german", "b", "error")).n_warned == 0
