"""Findings are compared with what the records show, and one that they contradict says so."""

import pytest
from made_up_records import errors, make_study

from ensvm.errors import UserError
from ensvm.report.render.first_page import contradictions, first_page

CONFIG = """\
study: s
realizations: 10
datasets: [german]
algorithms: {a: {estimator: RhoSVC}, b: {estimator: RhoSVC}}
published: p.csv
tables: [{id: 2, caption: Errors., columns: [a, b]}]
claims: [{id: c, paraphrase: a is better., better: a, than: b, relation: less}]
readings:
  - {id: r, question: "Which?", table: 2, columns: [a], default: a, conclusion: a.,
     variants: [{name: other, label: b, instead: {a: b}}]}
findings: [{text: It is so., shown_by: [SUPPORT]}]
"""
PRINTED = "table,row,column,value,std\n2,german,a,20.0,\n2,german,b,20.0,\n"
SUPPORTS = (
    "{claim: c, verdict: holds}",
    "{reading: r, nearer: default}",
    "{reading: r, nearer: default, than: other}",
    "{table: 2, column: a, verdict: reproduced}",
    "{table: 2, column: b, rows: german, verdict: [differs, close]}",
)


def study_of(folder, support, a, b):
    spread = [-0.001, 0.0, 0.001, 0.0]
    lines = [
        *errors("german", "a", [a + more for more in spread]),
        *errors("german", "b", [b - more for more in spread]),
    ]
    return make_study(folder, CONFIG.replace("SUPPORT", support), lines, PRINTED)


@pytest.mark.parametrize("support", SUPPORTS)
def test_a_finding_holds_for_some_records_and_is_stale_for_the_opposite(tmp_path, support):
    for name, a, b, stale in (("right", 0.20, 0.30, False), ("wrong", 0.30, 0.20, True)):
        study = study_of(tmp_path / name, support, a, b)
        [finding] = study.config.findings
        against = contradictions(study, finding)
        assert bool(against) == stale
        page = first_page(study)
        assert "- It is so." in page
        assert all(text in page for text in against)
        assert ("Not as the records have it" in page) == stale


@pytest.mark.parametrize("support", SUPPORTS)
def test_without_values_nothing_is_shown(tmp_path, support):
    study = make_study(tmp_path, CONFIG.replace("SUPPORT", support), [], PRINTED)
    [finding] = study.config.findings
    assert contradictions(study, finding)


@pytest.mark.parametrize(
    ("support", "message"),
    [
        ("{reading: r, nearer: c}", "'c'"),
        ("{reading: q, nearer: default}", "'q'"),
        ("{table: 3, column: a, verdict: differs}", "'3'"),
        ("{table: 2, column: c, verdict: differs}", "'c'"),
        ("{table: 2, column: a, rows: pima, verdict: differs}", "'pima'"),
        ("{table: 2, column: a, verdict: good}", "verdict"),
        ("{claim: c, nearer: default}", "give `claim` and `verdict`"),
        ("{}", "give `claim` and `verdict`"),
    ],
)
def test_a_finding_rests_on_what_the_study_has(tmp_path, support, message):
    with pytest.raises(UserError, match="findings") as error:
        study_of(tmp_path, support, 0.2, 0.3)
    assert message in str(error.value)
