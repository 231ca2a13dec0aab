"""The picture of printed values against ours says which settings were chosen on them."""

from dataclasses import replace

import pytest
from made_up_records import errors, make_study

from ensvm.report.render.html import render_page
from ensvm.report.render.pictures import PICTURE, reproduction_picture

CONFIG = """\
study: s
realizations: 2
datasets: [german, titanic]
algorithms: {a: {label: A, estimator: SVC}}
published: p.csv
tables: [{id: 1, caption: c, columns: [a]}]
"""
PRINTED = "table,row,column,value,std\n1,german,a,20.0,\n1,titanic,a,30.0,\n"


@pytest.mark.parametrize(("n_chosen", "words"), [(0, ""), (1, " (1 †)"), (2, " (all †)")])
def test_values_with_a_chosen_setting_are_hollow(tmp_path, n_chosen, words):
    lines = [*errors("german", "a", [0.2, 0.2]), *errors("titanic", "a", [0.3, 0.3])]
    picture = reproduction_picture(make_study(tmp_path / "s", CONFIG, lines, PRINTED))
    (panel,) = picture.panels
    (verdict,) = {one.cell.verdict for one in panel.values}
    values = [
        replace(one, cell=replace(one.cell, chosen=number < n_chosen))
        for number, one in enumerate(panel.values)
    ]
    chosen = {verdict: n_chosen} if n_chosen else {}
    changed = replace(picture, panels=[replace(panel, values=values)], chosen=chosen)
    assert changed.words(verdict) == f"2 {verdict}{words}"
    svg = render_page(PICTURE, picture=changed, name="s")
    assert ("hollow, †: we chose a setting" in svg) == (n_chosen > 0)
    hollow = svg.count(' chosen" transform') + svg.count(' chosen" d=')
    assert hollow == n_chosen + (n_chosen == 2)  # and the key
    assert "log scale" not in svg
    logarithmic = replace(panel, values=values, scale=replace(panel.scale, log=True, start=0.0))
    assert "log scale" in render_page(
        PICTURE, picture=replace(changed, panels=[logarithmic]), name="s"
    )
