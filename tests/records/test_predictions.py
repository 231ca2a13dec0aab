"""Kept predictions come back bit for bit, are there once, and damage is found."""

import os
from dataclasses import replace

import numpy as np
import pytest

from ensvm.records.merge import merge, read_sources, write_merged
from ensvm.records.predictions import (
    PREDICTIONS_FOLDER,
    Predictions,
    PredictionsDamaged,
    confusion_of,
    packed,
    read_predictions,
)
from ensvm.records.record import Record
from ensvm.records.shipped_records import pack, read_shipped
from ensvm.records.store import CONFIG_COPY, Store, read_records


def predictions(seed):
    random = np.random.default_rng(seed)
    true = np.repeat(np.array([0, 1, 2], dtype=np.int8), 4)
    scores = {"decision_function": random.normal(size=(12, 3))}
    return Predictions(true, random.permutation(true), np.arange(3), scores, {"predict_proba": "?"})


def record(algorithm, *several, realization=1, **more):
    names, files = packed(several)
    return Record(
        "s", "d", realization, algorithm, "ok", f"{algorithm}{realization}", "k",
        predictions=names, files=files, confusion=confusion_of(several), **more,
    )  # fmt: skip


def saved(folder, *records):
    with Store(folder) as store:
        store.append(records)
    (folder / CONFIG_COPY).write_text("study: s\n")
    return read_records(folder)


def same(one, other):
    arrays = [(one.true, other.true), (one.labels, other.labels), (one.classes, other.classes)]
    arrays += [(one.scores[name], other.scores[name]) for name in {**one.scores, **other.scores}]
    return one.missing == other.missing and all(
        a.dtype == b.dtype and np.array_equal(a, b) for a, b in arrays
    )


def test_they_come_back_and_true_labels_are_there_once(tmp_path):
    orders = predictions(1), predictions(2)
    records = saved(tmp_path, record("a", *orders), record("b", predictions(3)))
    found = read_predictions(tmp_path, records["d", 1, "a", "error"].predictions)
    assert all(same(*pair) for pair in zip(orders, found, strict=True))
    assert len(list((tmp_path / PREDICTIONS_FOLDER).iterdir())) == 3
    assert not any(each.files for each in records.values())


def test_the_same_predictions_are_the_same_bytes():
    assert packed([predictions(1)]) == packed([predictions(1)])
    assert packed([predictions(1)])[0] != packed([predictions(2)])[0]


def test_files_are_on_the_disk_before_the_line(tmp_path, monkeypatch):
    with Store(tmp_path) as store:
        monkeypatch.setattr(os, "replace", lambda *paths: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            store.append([record("a", predictions(1))])
    assert not read_records(tmp_path)


def test_without_its_files_a_record_has_no_predictions_and_writing_mends_them(tmp_path):
    made = record("a", predictions(1))
    (known,) = saved(tmp_path, made).values()
    path = tmp_path / PREDICTIONS_FOLDER / known.predictions["predicted"]
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(PredictionsDamaged, match=f"{path.name}.*checksum"):
        read_predictions(tmp_path, known.predictions)
    saved(tmp_path, made)
    assert same(read_predictions(tmp_path, known.predictions)[0], predictions(1))
    path.unlink()
    (without,) = read_records(tmp_path).values()
    assert not without.predictions
    assert without.confusion == known.confusion


def test_merging_copies_them_and_prefers_the_record_that_has_them(tmp_path):
    kept = record("a", predictions(1), scores={"auc": 0.5})
    later = replace(kept, predictions={}, files={}, scores={"f1": 0.1}, time="2027")
    saved(tmp_path / "one", kept)
    saved(tmp_path / "two", later, record("b", predictions(2)))
    for names in (["one", "two"], ["two", "one"]):
        sources = [each for name in names for each in read_sources(tmp_path / name)]
        (merged,) = merge(sources)
        assert not merged.disagreements
        assert merged.records["d", 1, "a", "error"].predictions == kept.predictions
    write_merged([merged], tmp_path / "both")
    for cell, one in read_records(tmp_path / "both" / "s").items():
        expected = predictions(1 if cell[2] == "a" else 2)
        assert same(read_predictions(tmp_path / "both" / "s", one.predictions)[0], expected)


def test_they_do_not_travel_and_what_is_asked_of_them_does(tmp_path):
    (known,) = saved(tmp_path, record("a", predictions(1))).values()
    pack(tmp_path, "study: s", {known.identity: {}}, lambda own: replace(own, scores={"auc": 0.5}))
    (shipped,) = read_shipped(tmp_path).records.values()
    assert not shipped.predictions
    assert shipped.scores == {"auc": 0.5}
    assert shipped.confusion == known.confusion
