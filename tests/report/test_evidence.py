"""What cells warned of: one entry for texts that differ in numbers alone, every cell counted."""

from dataclasses import replace

from made_up_records import claimed, record

from ensvm.report.evidence import n_warned, warnings_of

CLAIM = "- {id: 1, text: t, left: a, right: b, relation: less}"


def loud(dataset, number, algorithm, *texts, run_pass="error"):
    made = record(dataset, number, algorithm, run_pass=run_pass, error=0.1)
    return replace(made, warnings=texts)


def test_texts_that_differ_in_numbers_are_one(tmp_path):
    records = [
        loud("german", 1, "a", "W: stopped at 1e-05 > 0.001 (max_iter)"),
        loud("german", 2, "a", "W: stopped at -2.5 > 0.001 (max_iter)", "V: other"),
        loud("titanic", 1, "b", "W: stopped at nan > 0.001 (max_iter)"),
        loud("german", 3, "a"),
    ]
    study = claimed(tmp_path / "s", CLAIM, records)
    first, second = warnings_of(study)
    assert first.text == "W: stopped at … > 0.001 (max_iter)"
    assert first.cells == {("german", "a", "error"): 2, ("titanic", "b", "error"): 1}
    assert (second.text, second.cells) == ("V: other", {("german", "a", "error"): 1})
    assert n_warned(study) == 3


def test_a_cell_that_says_a_thing_twice_counts_once(tmp_path):
    study = claimed(tmp_path / "s", CLAIM, [loud("german", 1, "a", "W: 1 of 9", "W: 2 of 9")])
    [warned] = warnings_of(study)
    assert warned.text == "W: … of 9"
    assert set(warned.cells.values()) == {1}


def test_passes_are_apart_and_silence_is_nothing(tmp_path):
    both = [loud("german", 1, "a", "W", run_pass=name) for name in ("error", "timing")]
    [warned] = warnings_of(claimed(tmp_path / "s", CLAIM, both))
    assert set(warned.cells) == {("german", "a", "error"), ("german", "a", "timing")}
    quiet = claimed(tmp_path / "quiet", CLAIM, [record("german", 1, "a", error=0.1)])
    assert not warnings_of(quiet)
    assert n_warned(quiet) == 0
