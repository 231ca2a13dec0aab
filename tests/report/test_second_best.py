"""The second best value of a row: what would be bold without the best."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_up_records import errors, invoke, make_study

from ensvm.errors import UserError
from ensvm.report.documents.table_document import table_document
from ensvm.report.render.media import MEDIA
from ensvm.report.tables import best_of_row, build_table, second_of_row
from ensvm.report.write import write_pages
from ensvm.study.read_config import read_config

SECOND = """\
study: s
datasets: [german]
algorithms:
  a: {estimator: SVC}
  b: {estimator: SVC}
  c: {estimator: SVC}
  d: {estimator: SVC}
  oracle: {estimator: SVC, grid: {C: [1.0]}, stage: best-on-test}
tables: [{id: 1, caption: c, second: true, columns: [a, b, c, d, oracle]}]
"""


@given(st.lists(st.integers(1, 5), min_size=4, max_size=4))
def test_the_second_of_a_row_are_the_best_without_the_best(tmp_path_factory, values):
    names = "abcd"
    lines = [
        line
        for name, value in [*zip(names, values, strict=True), ("oracle", 0)]
        for line in errors("german", name, [value / 10] * 2)
    ]
    study = make_study(tmp_path_factory.mktemp("s"), SECOND, lines)
    (table,) = study.config.tables
    cells = build_table(study, table)
    best, second = best_of_row(study, table, cells), second_of_row(study, table, cells)
    assert not best & second
    in_order = sorted(set(values))
    worse = [name for name, value in zip(names, values, strict=True) if value != in_order[0]]
    expected = {name for name in worse if values[names.index(name)] == in_order[1]}
    assert second == (expected if len(worse) > 1 else set())


UNEQUAL = """\
study: s
realizations: 4
datasets: [{name: german, realizations_of: {b: N}}]
algorithms: {a: {estimator: SVC}, b: {estimator: SVC}, c: {estimator: SVC}}
tables: [{id: 1, caption: c, columns: [a, b, c]}]
"""
TENTHS = st.lists(st.integers(1, 5), min_size=4, max_size=4)


@given(st.tuples(TENTHS, TENTHS, TENTHS), st.integers(1, 4))
def test_the_best_has_the_best_mean_over_the_realizations_that_all_have(
    tmp_path_factory, tenths, n_of_b
):
    columns = {
        name: [value / 10 for value in of_one][: n_of_b if name == "b" else 4]
        for name, of_one in zip("abc", tenths, strict=True)
    }
    lines = [line for name, values in columns.items() for line in errors("german", name, values)]
    config = UNEQUAL.replace("N", str(n_of_b))
    study = make_study(tmp_path_factory.mktemp("s"), config, lines)
    (table,) = study.config.tables
    best = best_of_row(study, table, build_table(study, table))

    def best_over(n):
        means = {name: round(100 * np.mean(values[:n]), 1) for name, values in columns.items()}
        return {name for name, mean in means.items() if mean == min(means.values())}

    assert best == (best_over(4) & best_over(n_of_b) if n_of_b > 1 else set())


def test_every_medium_shows_the_second_and_says_so(tmp_path):
    lines = [
        line
        for name, value in zip("abcd", (0.1, 0.2, 0.3, 0.4), strict=True)
        for line in errors("german", name, [value] * 2)
    ]
    study = make_study(tmp_path / "s", SECOND, lines)
    document = table_document(study, study.config.tables[0])
    for medium, mark in (("md", "*20.0*"), ("latex", r"\textit{20.0}")):
        text = str(MEDIA[medium].render(document))
        assert mark in text
        assert "italic: the second best" in text
    assert "*20.0*" in invoke("table", tmp_path / "s").output
    [*_, index] = write_pages([study], tmp_path / "pages")
    assert 'class="ours second">20.0' in index.with_name("s.html").read_text()
    plain = SECOND.replace("second: true, ", "")
    study = make_study(tmp_path / "t", plain, lines)
    assert "italic" not in str(MEDIA["md"].render(table_document(study, study.config.tables[0])))


@pytest.mark.parametrize(
    ("old", "new"), [("second: true", "second: true, best: none"), ("a, b, c, d, oracle", "a, b")]
)
def test_a_second_that_no_row_can_have_is_refused(tmp_path, old, new):
    (tmp_path / "s.yaml").write_text(SECOND.replace(old, new))
    with pytest.raises(
        UserError, match=r"line 9: tables\[1\].second: a second best value needs three"
    ):
        read_config(tmp_path / "s.yaml")
