"""Laws of the names in a config: keys are found by their mark `NameOf`, wherever they stand."""

from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from pydantic import BaseModel

from ensvm.errors import UserError
from ensvm.study.block import mark_of
from ensvm.study.config import StudyConfig
from ensvm.study.read_config import read_config

# A config with a name at every key that can hold one: the algorithms a and b, the data sets d and e
STUDY = """\
study: t
proposed: [a, b]
datasets:
  - {name: d, card: german, DATA, algorithms: [a, b, s]}
  - {name: e, card: german, drawn_again: [d], realizations_of: {a: 1, b: 2}}
  - {name: g, card: german, sweep: {split.n_train: [40, 50]}}
algorithms:
  a: {estimator: SVC, record: [curve_, points_, signs_, grid_, values_, cv_results_], ALGORITHM,
      params_of: {d: {coef0: 1}, e: {coef0: 2}}}
  b: {estimator: SVC, record: [curve_, points_, signs_, grid_, values_, cv_results_],
      datasets: [d, e, g]}
  s: {estimator: SVC, sweep: {params.C: [1, 2]}}
timing: {algorithms: [a, b], datasets: [d, e]}
tables:
  - {id: 1, caption: c, rows: [d, e], largest_class: b, underline: {a: [b], b: [a]},
     columns: [a, {name: b, draws: b}, s],
     notes: [plain, {text: x, explains: {a: [d], b: [d, e]}}]}
  - {id: t, caption: c, of: timing, metric: fit_seconds, rows: [d, e], columns: [a, b]}
  - {id: data, caption: c, of: data, rows: [d, e], columns: [dim],
     notes: [{text: x, coded: {dim: [d, e]}}]}
figures:
  - {id: 1, caption: c, kind: box, series: [a, b], table: 1, panels: [{rows: [d]}, {rows: e}]}
  - {id: 2, caption: c, panels: [d, {dataset: e}], series: [a, b], y: curve_}
  - {id: 3, caption: c, kind: plane, panels: [{dataset: d, series: [a]}, {dataset: e, series: b}]}
  - {id: 4, caption: c, kind: map, x: C, y: gamma, panels: [{dataset: d, series: a},
     {dataset: e, series: b}]}
  - {id: 7, caption: c, kind: scatter, rows: [d, e], x: b, y: s-1, table: 1,
     panels: [{rows: [d]}, {x: b, y: s-2}]}
  - {id: 5, caption: c, kind: sweep, panels: [g], series: [a, b], table: 1}
  - {id: 6, caption: c, kind: sweep, panels: [{dataset: d}], series: [s]}
claims:
  - {id: one, text: t, left: [a, b], right: [b], relation: less, rows: [d, e]}
  - {id: two, text: t, tests: [{left: b, right: a, relation: less, rows: [d, e]}]}
  - {id: grows, text: t, left: b, relation: at-most, of: exponent, limit: 2, over: g}
readings:
  - {id: how, question: which, table: 1, rows: [d, e], columns: [a, b], default: so, conclusion: so,
     variants: [{name: hard, label: hard, algorithm: {params.C: 100}},
                {name: other, label: other, instead: {a: b, d: e}}]}
assumptions:
  - {id: x, text: t, tables: [1, t], chosen_on: {table: 1, rows: [d, e], columns: [a, b]}}
"""
PLAIN = STUDY.replace("DATA", "label: x").replace("ALGORITHM", "label: x")


def names_in(value: Any) -> Iterator[tuple[str, str]]:
    """Yield each name at a marked key, with its kind."""
    if isinstance(value, BaseModel):
        for key, field in type(value).model_fields.items():
            inner, mark = getattr(value, key), mark_of(field)
            if mark is None or (mark.unless and getattr(value, mark.unless) is not None):
                yield from names_in(inner)
            else:
                yield from ((mark.what, name) for name in flat(inner))
                if mark.values:
                    yield from (
                        (mark.values, name) for each in inner.values() for name in flat(each)
                    )
    elif isinstance(value, tuple | dict):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from names_in(inner)


def flat(value: Any) -> list[str]:
    return [] if value is None else [value] if isinstance(value, str) else list(value)


def test_the_study_has_a_name_at_every_marked_key(tmp_path):
    path = tmp_path / "t.yaml"
    path.write_text(PLAIN)
    used = set(map(type, blocks_in(read_config(path)[0])))
    for model in used:
        for key, field in model.model_fields.items():
            assert mark_of(field) is None or (model.__name__, key) in OTHERS or f"{key}: " in PLAIN


OTHERS = {  # keys that are written without their name, or need another study
    ("ColumnConfig", "name"),
    ("ColumnConfig", "algorithm"),
    ("ColumnConfig", "of_columns"),  # two single columns
    ("SummaryConfig", "against"),
    ("ClaimTest", "own_test"),
}


def blocks_in(value: Any) -> Iterator[BaseModel]:
    if isinstance(value, BaseModel):
        yield value
        for key in type(value).model_fields:
            yield from blocks_in(getattr(value, key))
    elif isinstance(value, tuple | dict):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from blocks_in(inner)


@pytest.mark.parametrize(
    ("data", "algorithm", "swept"),
    [
        ("sweep: {split.n_train: [50, 60]}", "label: x", "d"),
        ("label: x", "sweep: {params.C: [3, 4]}", "a"),
    ],
    ids=["data set", "algorithm"],
)
def test_a_sweep_may_stand_wherever_a_name_does(tmp_path, data, algorithm, swept):
    text = STUDY.replace("DATA", data).replace("ALGORITHM", algorithm)
    # `instead:` names one thing for one; a sweep is several
    text = text.replace(", instead: {a: b, d: e}", ", dataset: {split.n_train: 30}")
    path = tmp_path / "t.yaml"
    path.write_text(text)
    config = read_config(path)[0]
    members = config.sweep_values(swept)
    assert len(members) == 2
    named = list(names_in(config))
    assert swept not in {name for _, name in named}
    path.write_text(text.replace(data, "label: x").replace(algorithm, "label: x"))
    plain = list(names_in(read_config(path)[0]))
    for kind in {what for what, _ in plain}:
        n_plain = plain.count((kind, swept))
        assert all(named.count((kind, member)) == n_plain for member in members), kind


@pytest.mark.parametrize("gone", ["d", "e", "g", "a", "b", "s"])
def test_a_study_built_on_another_names_nothing_that_it_dropped(tmp_path, gone):
    (tmp_path / "t.yaml").write_text(PLAIN)
    base = read_config(tmp_path / "t.yaml")[0]
    kind = "datasets" if gone in "deg" else "algorithms"
    kept = [name for name in ("deg" if kind == "datasets" else "abs") if name != gone]
    path = tmp_path / "mine.yaml"
    path.write_text(f"study: mine\nbase: t.yaml\n{kind}: [{', '.join(kept)}]\n")
    config = read_config(path)[0]
    members = (gone, *base.sweep_values(gone))
    assert not {name for _, name in names_in(config) if name.partition("~")[0] in members}
    # Blocks that can be about the names that are left stay.
    assert {"1", "t"} <= {table.id for table in config.tables}
    assert config.assumptions
    assert [claim.id for claim in config.claims] == {
        "g": ["one", "two"],
        "a": ["grows"],  # the others would compare b with itself
        "b": [],
    }.get(gone, ["one", "two", "grows"])


def test_a_study_built_on_another_drops_the_members_that_a_new_sweep_lacks(tmp_path):
    (tmp_path / "t.yaml").write_text(PLAIN.replace("left: [a, b]", "left: [s-1, b]"))
    path = tmp_path / "mine.yaml"
    path.write_text("study: mine\nbase: t.yaml\nalgorithms.s.sweep: {params.C: [2, 3]}\n")
    config: StudyConfig = read_config(path)[0]
    assert config.claims[0].tests[0].left == ("b",)
    assert set(config.sweep_values("s")) == {"s-2", "s-3"}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("panels: [g]", "panels: [s]", "'s' is the name of a sweep of algorithms, not of a sweep"),
        ("panels: [g]", "panels: [d]", "'d' is the name of a data set, not of a sweep of data"),
        ("{dataset: d}], series: [s]", "{dataset: d}], series: [d]", "'d' is the name of a data"),
        ("series: [a, b], table: 1", "series: [a, b], table: d", "a data set, not of a table"),
    ],
)
def test_the_name_of_another_thing_is_said_to_be_that(old, new, message, tmp_path):
    path = tmp_path / "t.yaml"
    assert old in PLAIN
    path.write_text(PLAIN.replace(old, new))
    with pytest.raises(UserError, match=message):
        read_config(path)


def lists_of_names(value: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield where a config has a list of names."""
    if isinstance(value, dict):
        for key in value.keys() - {"record", "sweep"}:
            yield from lists_of_names(value[key], (*place, key))
    elif isinstance(value, list) and not all(isinstance(each, str | int) for each in value):
        for at, each in enumerate(value):
            yield from lists_of_names(each, (*place, at))
    elif isinstance(value, list) and place[-1] != "panels":  # two may show one data set
        yield place


def test_no_list_has_a_name_twice(tmp_path):
    """A value that is named twice would count twice."""
    places = list(lists_of_names(yaml.safe_load(PLAIN)))
    assert len(places) > 30
    path = tmp_path / "t.yaml"
    for *steps, last in places:
        content = yaml.safe_load(PLAIN)
        block: Any = content
        for step in steps:
            block = block[step]
        block[last].append(block[last][-1])
        path.write_text(yaml.safe_dump(content))
        with pytest.raises(UserError, match=rf"{last}(\[\d+\])?: .* is given twice"):
            read_config(path)
