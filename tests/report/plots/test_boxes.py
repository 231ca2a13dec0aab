"""Boxes show the values of the realizations, and say what their marks mean."""

import json
import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from made_up_records import errors, make_study, record, settings_of
from matplotlib.figure import Figure

from ensvm.report.plots import boxes
from ensvm.report.plots.drawing import drawn_figure, read_figure
from ensvm.report.plots.looks import LOOKS, look_numbers, look_of
from ensvm.report.tables import build_table
from ensvm.visible_text import visible

ROOT = Path(__file__).parents[3]
CONFIG = """\
study: s
realizations: 4
datasets: [german, titanic, {name: size, card: cancer, sweep: {split.n_train: [50, 100]}}]
algorithms:
  a: {label: A, estimator: RhoSVC}
  b: {estimator: RhoSVC}
published: p.csv
tables:
  - {id: 2, caption: c, columns: [{name: first, algorithm: a}, b]}
figures:
  - {id: 1, kind: box, caption: Boxes., rows: [german, titanic], series: [a, b], table: 2}
  - {id: 2, kind: box, caption: Boxes., rows: [german, titanic], series: [a, b]}
  - {id: 3, kind: box, caption: Sizes., series: a,
     panels: [{rows: german}, {rows: [german, size], title: Rows}]}
"""
PRINTED = "table,row,column,value,std\n2,german,first,19.5,\n"
A, B = [0.1, 0.2, 0.3, 0.6], [0.25]


@pytest.fixture
def study(tmp_path):
    lines = [
        *errors("german", "a", A),
        *errors("german", "b", B),
        *errors("titanic", "a", [0.5, float("nan")]),
        record("titanic", 1, "b", status="failed", reason="ouch"),
    ]
    return make_study(tmp_path / "s", CONFIG, lines, PRINTED)


def test_the_values_are_those_of_the_realizations_in_percent(study):
    shown = read_figure(study, study.config.figures[0])
    (found,), missing = shown.panels, shown.missing
    places = [(one.row, one.label) for one in found]
    assert places == [("german", "A"), ("german", "b"), ("titanic", "A")]
    assert list(found[0].values) == [1, 2, 3, 4]
    assert list(found[0].values.values()) == pytest.approx([10.0, 20.0, 30.0, 60.0])
    assert found[2].values == {1: 50.0}
    without = "titanic, a: no finite number: 1 of 2 values"
    assert missing == (without, "titanic, b: failed: ouch")


def test_folds_of_an_incomplete_repetition_are_not_drawn(tmp_path):
    """Four realizations are a repetition of three folds, and a part of a second one."""
    split = settings_of(split={"protocol": "kfold", "n_splits": 3})
    lines = [replace(one, settings=split) for one in errors("german", "a", A)]
    folds = make_study(tmp_path / "s", CONFIG, lines, PRINTED)
    ((shown, *_),) = read_figure(folds, folds.config.figures[0]).panels
    assert list(shown.values) == [1, 2, 3]
    (cell, *_) = build_table(folds, folds.config.table("2"))
    assert np.mean(list(shown.values.values())) == pytest.approx(cell.mean)


@pytest.mark.parametrize("values", [(-3.0, -5.0), (2.0, 4.0), (-1.0, 3.0), (-2.0, 2.0)])
def test_a_bar_ends_at_the_mean_of_whatever_sign_and_is_seen_whole(study, values):
    figure = study.config.figures[0].model_copy(update={"kind": "bar"})
    ((item, *_),) = read_figure(study, figure).panels
    axes = Figure().add_subplot()
    boxes.draw(study, figure, [[replace(item, values=dict(enumerate(values)))]], [axes])
    (bar,) = axes.patches
    low, high = axes.get_ylim()
    assert bar.get_y() + bar.get_height() == pytest.approx(np.mean(values))
    assert low <= min(0.0, *values)
    assert high >= max(0.0, *values)


def test_printed_values_are_those_of_the_algorithm_in_the_table(study):
    boxes, without_table = (read_figure(study, study.config.figures[at]).items for at in (0, 1))
    assert [one.printed for one in boxes] == [19.5, None, None]
    assert {one.printed for one in without_table} == {None}


def test_the_csv_has_every_value_unrounded(study):
    frame = read_figure(study, study.config.figures[0]).frame
    values = frame[(frame.row == "german") & (frame.series == "A") & (frame.what == "value")]
    assert values.value.to_numpy() == pytest.approx(100 * np.array(A), abs=0)
    assert values.realization.tolist() == [1, 2, 3, 4]
    (printed,) = frame[frame.what == "printed"].value
    assert printed == 19.5


def test_a_sweep_stands_for_its_members(study):
    assert read_figure(study, study.config.figures[2]).missing == (
        "size-50, a: not run yet",
        "size-100, a: not run yet",
    )


def test_the_legend_says_if_printed_values_are_drawn(study, texts_of):
    printed = ["printed" in texts_of(study, figure) for figure in study.config.figures]
    assert printed == [True, False, False]


def test_the_example_of_the_docs_is_drawn(tmp_path, texts_of):
    text = (ROOT / "docs" / "configs" / "tables-and-figures.md").read_text(encoding="utf-8")
    example = re.search(
        r"^```yaml\n(figures:\n  - \{id: \w+, kind: box.*\n(?:  .*\n)*)", text, re.MULTILINE
    )[1]
    config = """\
study: s
realizations: 2
datasets: [german, titanic]
algorithms: {ensemble: {estimator: PartiallyTrainedEnsemble}, svc: {estimator: SVC}}
tables:
  - {id: errors, caption: c, columns: [ensemble, svc]}
"""
    lines = [*errors("german", "svc", A), *errors("titanic", "ensemble", A)]
    study = make_study(tmp_path / "s", config + example, lines)
    figure, _ = study.config.figures
    assert texts_of(study, figure)


def drawn_texts(folder, labels):
    """Return a study whose box figure has algorithms with these labels, and the figure's texts."""
    algorithms = [f"  a{n}: {{label: {label}, estimator: SVC}}" for n, label in enumerate(labels)]
    config = "\n".join(
        [
            "study: s",
            "realizations: 2",
            "datasets: [german]",
            "algorithms:",
            *algorithms,
            "figures:",
            f"  - {{id: f, kind: box, caption: x, rows: [german], y_label: {labels[0]}, series:",
            f"     [{', '.join(f'a{n}' for n in range(len(labels)))}]}}",
        ]
    )
    lines = [line for n in range(len(labels)) for line in errors("german", f"a{n}", [0.1, 0.2])]
    study = make_study(folder, config, lines)
    content, (svg,) = drawn_figure(study, study.config.figures[0], [".svg"])
    assert not content.missing
    return study, {one.text for one in ET.fromstring(svg).iter() if one.tag.endswith("}text")}


def test_a_figure_of_more_algorithms_than_looks_is_drawn(tmp_path):
    study, _ = drawn_texts(tmp_path / "s", [f"b{n}" for n in range(LOOKS + 8)])
    numbers = sorted(look_numbers(study).values())
    assert numbers == list(range(LOOKS + 8))
    looks = [look_of(number) for number in numbers]
    assert len({(look["color"], look["linestyle"]) for look in looks}) == LOOKS


def test_no_text_of_a_figure_acts_and_its_file_can_be_opened(tmp_path):
    labels = ["a\x1b]0;x\x07", "a\x00b", "a\x9b1mb", "a\x85b", "a\u202eb", "a\tb", "a\x7f&<b>"]
    _, texts = drawn_texts(tmp_path / "s", list(map(json.dumps, labels)))
    shown = {part for one in labels for part in visible(one).replace("\t", " ").split("\n")}
    assert shown <= texts


@pytest.mark.parametrize("letters", ["\u6838\ud55c", "\u0e01", "\ue000"])
def test_letters_that_the_font_lacks_are_named_where_they_are_boxes(tmp_path, letters):
    study, _ = drawn_texts(tmp_path / "s", [json.dumps(f"a{letters}b")])
    for endings, are_boxes in (([".svg"], False), ([".png"], True), ([".svg", ".pdf"], True)):
        content, files = drawn_figure(study, study.config.figures[0], endings)
        assert len(files) == len(endings)
        assert (
            any(f"boxes in place of {letters} in" in text for text in content.missing) == are_boxes
        )


def test_values_over_some_realizations_are_not_called_missing(tmp_path):
    config = CONFIG.replace("published: p.csv\n", "")
    failed = record("german", 4, "a", status="failed", reason="ouch")
    study = make_study(tmp_path / "s", config, [*errors("german", "a", A[:3]), failed])
    shown = read_figure(study, study.config.figures[0])
    assert "german, a: over 3 of 4 realizations; most often (1): ouch" in shown.missing
