"""Findings: sentences of the abstract whose verdicts and numbers come from the records."""

import pytest
from made_up_records import errors, make_study

from ensvm.errors import UserError
from ensvm.report.documents.findings_document import abstract_of, findings_of, outcome_of
from ensvm.report.render.first_page import first_page

CONFIG = """\
study: s
realizations: 10
datasets: [german, titanic]
algorithms: {a: {estimator: RhoSVC, label: A}, b: {estimator: RhoSVC, label: B}}
published: p.csv
tables:
  - {id: 2, caption: Errors., columns: [a, b], decimals: 2}
  - {id: 3, caption: All., columns: [a, b], decimals: 2, summary: [mean, mean-rank, {wins: b}]}
claims:
  - {id: c, text: A is better., left: a, right: b, relation: less}
  - id: two
    paraphrase: Both are good.
    tests:
      - {left: [a, b], relation: at-most, limit: 35, rows: [german]}
      - {left: a, relation: at-most, limit: 10, rows: [german]}
findings: FINDINGS
"""
PRINTED = "table,row,column,value,std\n2,german,a,20.0,\n2,german,b,20.0,\n"


def texts(folder, findings, a=0.20, b=0.30):
    spread = [-0.001, 0.0, 0.001, 0.0]
    lines = [
        *errors("german", "a", [a + more for more in spread]),
        *errors("german", "b", [b - more for more in spread]),
        *errors("titanic", "a", [0.1, 0.11]),
        *errors("titanic", "b", [0.3, 0.32]),
    ]
    study = make_study(folder, CONFIG.replace("FINDINGS", findings), lines, PRINTED)
    found = [one.markdown for one in findings_of(study)]
    page = first_page(study).replace("\N{NO-BREAK SPACE}", " ")
    assert all(f"- {text}" in page for text in found)
    return found


def test_a_finding_is_the_sentence_its_verdict_and_numbers(tmp_path):
    one, two = texts(tmp_path, "[c, {claim: two, adds: More of it.}]")
    assert one == (
        "“A is better.” **holds**\n"
        "  - Error of A below that of B: holds on 2 of 2 rows. "
        "As printed: cannot tell on 1 of 1 row; 1 not printed."
    )
    sentence, both, one_row, more = two.splitlines()
    assert sentence == "In our words: Both are good. **fails**"
    assert both.startswith("  - Error of A and B at most 35 %")
    assert "holds on 2 of 2 comparisons." in both
    assert "fails on 1 of 1 row." in one_row
    assert more == "  - More of it."


@pytest.mark.parametrize(
    ("placeholder", "filled", "edited"),
    [
        ("{ours 2 german a}", "20.00", "40.00"),
        ("{printed 2 german a}", "20.0", "20.0"),
        ("{sign 2 german a}", "=", "≠"),
        ("{count 2 = a}", "1", "0"),
        ("{holds c}", "2", "1"),
        ("{fails c}", "0", "1"),
        ("{of c}", "2", "2"),
        ("{verdict c}", "holds", "fails"),
        (
            "{verdict-with-counts c}",
            "holds (all 2 data sets)",
            "fails (1 holds, 1 fails; all 2 data sets must hold)",
        ),
        (
            "{verdict-with-counts two}",
            "fails (2 hold, 1 fails; all 3 comparisons must hold)",
            "fails (1 holds, 2 fail; all 3 comparisons must hold)",
        ),
        ("{of two}", "3", "3"),
        ("{holds two/1}", "2", "1"),
        ("{verdict two/2}", "fails", "fails"),
        ("{printed 2 titanic a}", "—", "—"),
        ("{ours 3 mean a}", "15.25", "25.25"),
        ("{ours 3 mean-rank a}", "1.00", "1.50"),
        ("{ours 3 wins-b a}", "2/0/0", "1/0/1"),
    ],
)
def test_a_placeholder_is_filled_from_the_records_and_follows_them(
    tmp_path, placeholder, filled, edited
):
    finding = f"[{{claim: c, adds: ['In Table 2 of adult3, `C=1`: {placeholder} it is.']}}]"
    for name, a, expected in (("before", 0.2, filled), ("after", 0.4, edited)):
        (text,) = texts(tmp_path / name, finding, a)
        assert text.endswith(f"- In Table 2 of adult3, `C=1`: {expected} it is.")


@pytest.mark.parametrize(
    ("adds", "message"),
    [
        ("It is 7.3 points better.", "the number '7.3' must come from the records"),
        ("On 10 of {of c} it is.", "the number '10' must come"),
        ("{ours 4 german a}", "unknown table '4'; accepted: 2, 3"),
        ("{ours 2 pima a}", "unknown row of table 2 'pima'; accepted: german, titanic"),
        ("{ours 2 mean a}", "unknown row of table 2 'mean'; accepted: german, titanic"),
        ("{ours 2 german c}", "unknown column of table 2 'c'; accepted: a, b"),
        ("{count 2 ~ a}", "unknown sign '~'; accepted: =, ≈, ≠, ?"),
        ("{holds d}", "unknown claim 'd'"),
        ("{holds two/3}", "unknown claim 'two/3'; accepted: c, two, c/1, two/1, two/2"),
        ("{holds}", "unknown placeholder {holds}; accepted: {ours TABLE ROW COLUMN}"),
        ("{median c}", "unknown placeholder {median c}"),
        ("{}", "unknown placeholder {}"),
    ],
)
def test_a_wrong_line_is_refused_with_its_place(tmp_path, adds, message):
    with pytest.raises(UserError) as error:
        texts(tmp_path, f"[{{claim: c, adds: '{adds}'}}]")
    assert "config.yaml, line 16: findings[1].adds" in str(error.value)
    assert message in str(error.value).replace("{} ", "{}")


def test_an_unknown_placeholder_does_not_hide_other_mistakes(tmp_path):
    with pytest.raises(UserError) as error:
        texts(tmp_path, "[{claim: c, adds: ['{median c} of {holds d}', '{holds e}']}]")
    for message in ("placeholder {median c}", "unknown claim 'd'", "unknown claim 'e'"):
        assert message in str(error.value)


ABSTRACT = """
abstract:
  claim: A is better than B.
  outcome: "Here A errs {ours 2 german a} %: better on {holds c} of {of c} data sets."
"""


def test_the_abstract_stands_on_the_page_with_its_numbers(tmp_path):
    lines = [
        *errors("german", "a", [0.2, 0.21]),
        *errors("german", "b", [0.3, 0.31]),
        *errors("titanic", "a", [0.1, 0.11]),
        *errors("titanic", "b", [0.3, 0.31]),
    ]
    config = CONFIG.replace("FINDINGS", "[c]") + ABSTRACT
    study = make_study(tmp_path / "right", config, lines, PRINTED)
    sentences = ["A is better than B.", "Here A errs 20.50 %: better on 2 of 2 data sets."]
    assert abstract_of(study) == sentences
    assert outcome_of(study) == sentences[1]
    assert "Sentences tested: 1 holds" in first_page(study)
    of_part = make_study(tmp_path / "part", config.replace("of c}", "of two/1}"), lines, PRINTED)
    rule = "Sentences tested (a sentence fails if one of its parts does): 1 holds"
    assert rule in first_page(of_part)
    assert " ".join(sentences) in first_page(study)
    without = make_study(tmp_path / "none", CONFIG.replace("FINDINGS", "[c]"), lines, PRINTED)
    assert outcome_of(without) == findings_of(without)[0].sentence
    wrong = config.replace("{ours 2 german a}", "20")
    with pytest.raises(UserError, match=r"abstract\.outcome: the number '20' must come from"):
        make_study(tmp_path / "wrong", wrong, lines, PRINTED)


def test_a_finding_has_a_claim_and_at_most_two_lines(tmp_path):
    with pytest.raises(UserError, match=r"findings\[1\]\.claim: unknown claim 'x'"):
        texts(tmp_path / "one", "[x]")
    with pytest.raises(UserError, match=r"findings\[1\]\.adds: .*at most 2"):
        texts(tmp_path / "two", "[{claim: c, adds: [a, b, c]}]")
    with pytest.raises(UserError, match=r"unknown key 'shown_by'.*accepted: claim, adds"):
        texts(tmp_path / "three", "[{claim: c, shown_by: []}]")
