"""Claims as files, and every reason why one has no values."""

import re
from dataclasses import fields

import pandas as pd
import pytest
from made_up_records import claimed, errors, record

from ensvm.report.claims import ClaimComparison, evaluate_claims
from ensvm.report.documents.claim_document import (
    claims_list,
    metric_text,
    reason_of,
    words_of_test,
)
from ensvm.report.write import write_claims
from ensvm.study.claim import ClaimTest
from ensvm.study.relations import EFFECTS, RELATIONS


@pytest.fixture
def study(tmp_path):
    """Return a function that makes a study of the claims (YAML) and records."""
    return lambda claims, records: claimed(tmp_path / "s", claims, records)


def test_a_line_of_the_csv_is_a_comparison(study):
    judged = study(
        "- {id: 1, text: t, left: a, right: b, relation: less}", errors("german", "a", [0.1, 0.2])
    )
    _, (csv, _) = write_claims(judged)
    of_claim = ["claim_verdict", "claim_printed_verdict", "decides"]
    shown = [one.name for one in fields(ClaimComparison) if one.repr]
    assert list(pd.read_csv(csv).columns) == of_claim + shown


def test_every_comparison_without_values_says_why_and_decides_nothing(study):
    claims = """
    - {id: 1, text: t, left: a, right: b, relation: less}
    - {id: 2, text: t, left: a, right: later, relation: less, rows: [german]}
    - {id: 3, text: t, metric: n_iter_, left: a, relation: at-most, limit: 1,
       rows: [german]}
    - {id: 4, text: t, metric: objective_, left: a, relation: at-most, limit: 1,
       rows: [german]}
    """
    lines = [
        *errors("german", "a", [0.1, 0.1], objective_=float("inf")),
        *errors("german", "b", [0.2, 0.2]),
        record("german", 3, "b", status="failed", reason="ouch"),
        *(record("web2", 1, name, status="unavailable", reason="ask the author") for name in "ab"),
    ]
    one, two, three, four = evaluate_claims(study(claims, lines))
    german, titanic, web2 = one.comparisons
    assert (german.verdict, one.verdict) == ("holds", "cannot tell")
    assert german.reason == "of b's realizations 1 have no value and are left out"
    assert titanic.reason == "not run yet"
    assert "ask the author" in web2.reason
    assert two.comparisons[0].reason == "later: not run yet"
    assert three.comparisons[0].reason == "a: the algorithm leaves no number 'n_iter_'"
    assert "not a finite number: inf" in four.comparisons[0].reason
    silent = [titanic, web2, *two.comparisons, *three.comparisons, *four.comparisons]
    assert {(comparison.verdict, comparison.n) for comparison in silent} == {(None, 0)}
    assert two.verdict == three.verdict == four.verdict == "cannot tell"


def test_the_files_hold_the_evidence_and_are_the_same_twice(study):
    claims = """
    - {id: better, text: A is better., left: a, right: b, relation: less, note: A note.}
    - {id: few, text: Few., metric: n_iter_, left: [a, b], relation: at-most, limit: 10,
       rows: [german]}
    """
    lines = [
        *errors("german", "a", [0.25, 0.26, 0.24], n_iter_=5),
        *errors("german", "b", [0.35, 0.37, 0.36], n_iter_=12),
        *(record("web2", 1, name, status="unavailable", reason="ask the author") for name in "ab"),
    ]
    made = study(claims, lines)
    text, paths = write_claims(made)
    before = [path.read_bytes() for path in paths]
    assert {path.name for path in paths} == {"claims.csv", "claims.md"}
    assert [path.read_bytes() for path in write_claims(made)[1]] == before
    frame = pd.read_csv(made.folder / "claims.csv")
    assert frame.loc[0, "effect"] == next(evaluate_claims(made)).comparisons[0].effect
    assert frame["verdict"].tolist()[-2:] == ["holds", "fails"]
    assert frame["claim_verdict"].tolist() == ["cannot tell"] * 3 + ["fails"] * 2
    assert "> A is better." in text
    assert "### better: cannot tell\n" in text
    assert "holds on 1 of 3 rows; 2 without values" in text
    assert "holds on 1, fails on 1 of 2 comparisons" in text
    assert "A note." in text
    assert "- web2: unavailable: ask the author" in text
    assert "−11.00 | −13.48 to −8.52 |   3 | holds     |     −5.50 | holds" in text
    assert "difference (first − second) −11.00 (−13.48 to −8.52) percentage points." in text
    assert "*less*: " in text
    assert "*ratio*: " not in text
    assert "commit cccccccccc" in text


@pytest.mark.parametrize(
    ("scope", "rule"),
    [("all", "all 3 data sets must hold"), ("2", "2 of 3 data sets must hold")],
)
@pytest.mark.parametrize("b_errs", [(0.3, 0.3), (0.3, 0.1), (0.3, 0.2), (0.1, 0.2)])
def test_the_reason_of_a_verdict_names_every_row_and_how_many_must_hold(study, scope, rule, b_errs):
    claims = f"""
    - {{id: 1, text: t, left: a, right: b, relation: less, scope: {scope},
       rows: [german, titanic, web2]}}
    """
    noise = (-0.01, 0.01, -0.02, 0.02)
    lines = [
        line
        for row, b in zip(("german", "titanic"), b_errs, strict=True)
        for name, error, sign in (("a", 0.2, 1), ("b", b, -1))
        for line in errors(row, name, [error + sign * step for step in noise])
    ]
    (judged,) = evaluate_claims(made := study(claims, lines))
    counts, _, needed = reason_of(judged).partition("; ")
    assert sum(map(int, re.findall(r"\d+", counts))) == 3
    assert needed == rule
    line = claims_list(made)
    assert ("; all must hold" in line) == (scope == "all")


CLAIM = "- {id: 1, text: t, left: a, right: b, relation: less, rows: [german]}"


def test_what_the_paper_s_own_table_says_is_said_plainly(study):
    claims = """
    - {id: own, text: t, left: b, right: a, relation: less, rows: [german, titanic]}
    - {id: other, text: t, left: a, right: b, relation: less, rows: [german]}
    - {id: silent, text: t, left: a, right: b, relation: less, rows: [titanic]}
    """
    lines = [*errors("german", "a", [0.3, 0.31]), *errors("german", "b", [0.2, 0.21])]
    text, _ = write_claims(made := study(claims, lines))
    assert "On the paper's own table: fails on 1 of 1 row; 1 not printed." in text
    assert "On the paper's own table: holds on 1 of 1 row." in text
    frame = pd.read_csv(made.folder / "claims.csv").set_index("claim")
    assert frame["printed_verdict"].fillna("").tolist() == ["fails", "", "holds", ""]
    assert frame.loc["silent", "claim_printed_verdict"] != frame.loc["other", "printed_verdict"]
    assert text.count("As printed: ") == 2


def test_a_paraphrase_without_printed_values_shows_neither(study):
    text, _ = write_claims(
        study(
            CLAIM.replace("german", "titanic").replace("text: t", "paraphrase: A is better"),
            [*errors("titanic", "a", [0.3, 0.31]), *errors("titanic", "b", [0.2, 0.21])],
        )
    )
    assert "printed" not in text
    assert "own table" not in text
    assert "In our words: A is better" in text
    assert not [line for line in text.splitlines() if line.startswith(">")]


def test_the_tests_of_a_claim_are_lines_below_it(study):
    claims = """
    - id: c
      text: t
      tests:
        - {left: a, right: b, relation: less, rows: [german]}
        - {left: [a, b], relation: at-most, limit: 40, rows: [german], scope: 2, note: Two.}
        - {left: b, right: a, relation: less, rows: [german], reading: the other way round}
    """
    lines = [*errors("german", "a", [0.2, 0.21]), *errors("german", "b", [0.3, 0.31])]
    text, _ = write_claims(made := study(claims, lines))
    assert text.count("### c: holds") == text.count("- “t” **holds**") == 1
    assert len(re.findall("^  - ", text, re.MULTILINE)) == 2  # the tests that decide
    assert "Test 1: Error of A below that of B, on german: holds on 1" in text
    assert "at most 40 %, on german, in at least 2 comparisons: holds on 2 of 2 comparisons" in text
    assert "Test 3, under another reading (the other way round), which does not decide" in text
    frame = pd.read_csv(made.folder / "claims.csv")
    assert frame["test"].tolist() == [1, 2, 2, 3]
    assert frame["decides"].tolist() == [True, True, True, False]


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("metric", ["error", "train_seconds", "n_iter_", "l1_norms_"])
def test_every_relation_says_in_words_what_is_compared(study, relation, metric):
    """Every effect of every relation names both sides, the metric and the threshold."""
    made = study(CLAIM, errors("german", "a", [0.2, 0.21]))
    kind = RELATIONS[relation]
    for of in kind.of:
        effect = EFFECTS[of]
        keys = {"right": ("b",) * effect.of_pair or None, "over": "s" * (of == "exponent") or None}
        thresholds = [{}] if kind.of_rejections else [{effect.key: one} for one in (1.0, 2.5)]
        keys |= {"pass": "timing" if metric == "train_seconds" else "error", "of": of}
        texts = []
        for threshold in thresholds:
            test = ClaimTest(metric=metric, left=("a",), relation=relation, **keys, **threshold)
            texts.append(words_of_test(made, test))
            shown = [f"{one:g}" for one in threshold.values() if one != effect.neutral]
            assert all(number in texts[-1] for number in shown)
        assert len(set(texts)) == len(thresholds)
        for text in texts:
            assert metric_text(metric) in text.lower()
            assert not re.search(r"\b1 percentage points|[{}]|  ", text)
            sides = re.findall(r"\b[AB]\b", text)
            assert sorted(sides) == (["A", "B"] if effect.of_pair else ["A"])
