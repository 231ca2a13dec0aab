"""Merged records: the newest good record of every cell, whatever the order of the sources."""

import itertools
import json
import lzma
from dataclasses import replace

import pytest
from made_up_records import RUN, errors, record

from ensvm.errors import UserError
from ensvm.records.merge import merge, write_merged
from ensvm.records.store import CELLS_FILE, SHIPPED_FILE, Store, read_records
from ensvm.report.study_folder import read_study
from ensvm.report.write import write_tables

CONFIG = """\
study: s
realizations: 4
datasets: [german]
algorithms: {a: {estimator: RhoSVC}}
tables:
  - {id: 1, caption: c, columns: [a]}
"""


def source(folder, records, config=CONFIG, run=RUN):
    """Write a study's folder below `folder`, and return `folder`."""
    with Store(folder / "s") as store:
        store.append([run, *[replace(made, run_id=run.id) for made in records]])
    (folder / "s" / "config.yaml").write_text(config)
    return folder


def united(*places):
    merged, errors = merge(places)
    assert errors == []
    return merged


def files_of(folder):
    return {
        path.relative_to(folder): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.suffix != ".lock"
    }


VALUES = [0.1, 0.2, 0.3, 0.4]


@pytest.fixture
def shards(tmp_path):
    """The cells of a study in three folders, one of which has two cells of another."""
    made = errors("german", "a", VALUES)
    parts = {"one": made[:2], "two": made[1:3], "three": made[3:]}
    return [
        source(tmp_path / name, part, run=replace(RUN, id=name)) for name, part in parts.items()
    ]


def test_the_union_of_shards_is_the_whole_in_any_order(shards, tmp_path):
    (whole,) = united(source(tmp_path / "whole", errors("german", "a", VALUES)))
    for number, order in enumerate(itertools.permutations(shards)):
        (merged,) = united(*order)
        assert merged.records.keys() == whole.records.keys()
        assert [made.metrics for made in merged.records.values()] == [
            made.metrics for made in whole.records.values()
        ]
        assert not merged.disagreements
        assert merged.n_shared == 1
        target = tmp_path / f"merged-{number}"
        write_merged([merged], target)
        assert files_of(target) == files_of(tmp_path / "merged-0")


def test_what_was_merged_has_tables_with_one_record_a_cell(shards, tmp_path):
    write_merged(united(*shards), tmp_path / "merged")
    lines = (tmp_path / "merged" / "s" / CELLS_FILE).read_text().splitlines()
    kinds = [json.loads(line)["kind"] for line in lines]
    assert kinds.count("cell") == len(VALUES)
    study = read_study(tmp_path / "merged" / "s")
    ((text, _),) = write_tables(study, "csv")
    assert "german,a,25.0," in text
    assert {made.run.id for made in study.records.values()} == {"one", "two", "three"}


def test_nothing_there_is_overwritten(shards, tmp_path):
    before = [files_of(shard) for shard in shards]
    merged = united(*shards)
    for target in (*shards, tmp_path):
        with pytest.raises(UserError, match="is not empty"):
            write_merged(merged, target)
    (tmp_path / "file").write_text("notes")
    with pytest.raises(UserError, match="is not empty"):
        write_merged(merged, tmp_path / "file")
    assert [files_of(shard) for shard in shards] == before
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_an_empty_folder_may_be_the_target(shards, tmp_path):
    (tmp_path / "empty").mkdir()
    write_merged(united(*shards), tmp_path / "empty")
    assert len(read_records(tmp_path / "empty" / "s")) == len(VALUES)


@pytest.fixture
def choose(tmp_path):
    """Return a function that merges records of one cell, each from a folder of its own."""
    count = itertools.count()

    def chosen(*records):
        folder = tmp_path / str(next(count))
        places = [source(folder / str(at), [made]) for at, made in enumerate(records)]
        (merged,) = united(*places)
        (kept,) = merged.records.values()
        texts = [
            text.replace(f"{folder}/", "").replace(f"/{CELLS_FILE}", "")
            for text in merged.disagreements
        ]
        return kept, texts

    return chosen


FAILED = record("german", 1, "a", status="failed", reason="ouch")
NO_DATA = record("german", 1, "a", status="unavailable", reason="get it")
GOOD = record("german", 1, "a", error=0.25)
LATER = "2026-05-05T00:00:00Z"


@pytest.mark.parametrize(
    ("records", "expected"),
    [
        ([GOOD, replace(FAILED, time=LATER)], GOOD),
        ([NO_DATA, FAILED], FAILED),
        ([replace(NO_DATA, settings_key="new", time=LATER), GOOD], GOOD),
        ([GOOD, replace(FAILED, settings_key="new", time=LATER)], None),
        ([FAILED, replace(FAILED, reason="again", time=LATER)], None),
    ],
)
def test_what_ended_well_comes_first_then_the_newest(choose, records, expected):
    for order in itertools.permutations(records):
        kept, disagreements = choose(*order)
        wanted = expected or max(records, key=lambda made: made.time)
        assert (kept.status, kept.reason, kept.time) == (wanted.status, wanted.reason, wanted.time)
        assert not disagreements


@pytest.mark.parametrize(
    ("changed", "what"),
    [
        ({"metrics": {"error": 0.5}}, "error is 0.25 in 0/s but 0.5 in 1/s"),
        ({"metrics": {"error": 0.25, "C_": 1.0}}, "C_ is missing in 0/s but 1.0 in 1/s"),
        ({"curves": {"path_": [1.0]}}, "path_ is missing in 0/s but [1.0] in 1/s"),
        ({"stage": {"C": 1.0}}, 'stage is null in 0/s but {"C": 1.0} in 1/s'),
        ({"scores": {"auc": 0.75}}, "auc is 0.5 in 0/s but 0.75 in 1/s"),
        ({"validation_error": 0.5}, "validation_error is null in 0/s but 0.5 in 1/s"),
        ({"n_stages": 3}, "n_stages is null in 0/s but 3 in 1/s"),
        ({"by_order": {"C_": [1.0]}}, "C_ by order is missing in 0/s but [1.0] in 1/s"),
    ],
)
def test_different_values_are_named_and_the_newest_is_kept(choose, changed, what):
    base = replace(GOOD, metrics={"error": 0.25}, scores={"auc": 0.5})
    newer = replace(base, time=LATER, **changed)
    kept, texts = choose(base, newer)
    assert texts == [f"s: german, realization 1, a: {what}"]
    assert kept.time == LATER


def test_a_source_that_contradicts_itself_is_named(tmp_path):
    two = [replace(GOOD, metrics={"error": error}) for error in (0.25, 0.5)]
    (merged,) = united(source(tmp_path, two))
    assert merged.disagreements == [
        f"s: german, realization 1, a: {tmp_path / 's' / CELLS_FILE} has several records of it,"
        " with different values"
    ]


def timed(seconds, host="here"):
    return record("german", 1, "a", run_pass="timing", seconds=seconds, host=host, n_iter_=3)


@pytest.mark.parametrize(
    "records",
    [
        [replace(GOOD, seconds={"fit_seconds": value}) for value in (1.0, 2.0)],
        [replace(GOOD, metrics={"certificate_": float("nan")}, time=at) for at in ("", LATER)],
        [timed(2.0), timed(3.0)],
        [replace(GOOD, by_order={"fit_seconds": [value]}) for value in (1.0, 2.0)],
        [replace(GOOD, scores={name: 0.5}) for name in ("auc", "f1")],
    ],
    ids=["seconds of the error pass", "nan", "timings", "seconds by order", "other metrics"],
)
def test_what_is_alike_does_not_disagree(choose, records):
    assert choose(*records)[1] == []


def test_files_are_sources_too(shards, tmp_path):
    (merged,) = united(shards[0] / "s" / CELLS_FILE, shards[1], shards[2] / "s")
    assert len(merged.records) == len(VALUES)


@pytest.mark.parametrize("turned", [False, True])
def test_another_config_is_told_and_that_of_the_newest_run_is_used(shards, tmp_path, turned):
    newer = [replace(made, time=LATER) for made in errors("german", "a", VALUES)]
    other = source(tmp_path / "other", newer, f"{CONFIG}title: Another\n")
    (merged,) = united(*[other, *shards][:: -1 if turned else 1])
    (note,) = merged.notes
    assert str(shards[0]) in note
    assert note.startswith(f"{other / 's' / 'config.yaml'} is used")
    write_merged([merged], tmp_path / "merged")
    assert "Another" in (tmp_path / "merged" / "s" / "config.yaml").read_text()


def test_other_settings_are_told_and_the_newest_are_kept(shards, tmp_path):
    newer = [replace(made, settings_key="new", time=LATER) for made in errors("german", "a", [0.9])]
    (merged,) = united(source(tmp_path / "other", newer), *shards)
    assert not merged.disagreements
    assert merged.records["german", 1, "a", "error"].metrics["error"] == 0.9
    assert merged.notes[0].startswith("1 cell run with several settings")


def test_records_without_any_config_are_refused(shards):
    (shards[0] / "s" / "config.yaml").unlink()
    with pytest.raises(UserError, match=r"no config\.yaml"):
        united(shards[0])


def test_a_config_of_another_study_is_not_that_of_records(shards, tmp_path):
    later = [replace(made, time=LATER) for made in errors("german", "a", [0.9])]
    other = source(tmp_path / "other", later, CONFIG.replace("study: s", "study: t"))
    (merged,) = united(*shards, other)
    assert "study: s" in (merged.source / "config.yaml").read_text()
    with pytest.raises(UserError, match=r"there is no config\.yaml of 's' beside its records"):
        united(other)


def test_packed_records_are_named(shards, tmp_path):
    folder = shards[0] / "s"
    (folder / SHIPPED_FILE).write_bytes(lzma.compress((folder / CELLS_FILE).read_bytes()))
    (folder / CELLS_FILE).unlink()
    for place in (folder, shards[0]):
        with pytest.raises(UserError, match=f"no records here; name the file {folder}/cells"):
            united(place)
    (merged,) = united(folder / SHIPPED_FILE)
    assert len(merged.records) == 2


def test_a_place_without_records_is_named(tmp_path):
    with pytest.raises(UserError, match="no records here"):
        united(tmp_path)
    (tmp_path / "notes.txt").write_text("no records\n")
    with pytest.raises(UserError, match=r"notes\.txt"):
        united(tmp_path / "notes.txt")
    (tmp_path / CELLS_FILE).write_text("")
    with pytest.raises(UserError, match=r"cells.jsonl: no records here; run a study first"):
        united(tmp_path / CELLS_FILE)


def test_a_folder_without_records_yet_changes_nothing(shards):
    (whole,) = united(shards[0])
    folder = shards[0] / "not-yet"
    folder.mkdir()
    (folder / CELLS_FILE).write_text("")
    (folder / "config.yaml").write_text(CONFIG)
    (merged,) = united(shards[0])
    assert merged == whole


def test_a_study_cannot_name_a_folder_elsewhere(shards):
    path = shards[0] / "s" / CELLS_FILE
    with Store(path.parent) as store:
        store.append([replace(record("german", 3, "a", error=0.1), study="../elsewhere")])
    [merged], [error] = merge([path])
    assert merged.study == "s"
    assert "'../elsewhere' of its records cannot name a folder" in str(error)
