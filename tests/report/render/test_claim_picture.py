"""The picture of a claim: where its thresholds lie, and which side favours whom."""

import pytest
from made_up_records import claimed, errors

from ensvm.report.claims import evaluate_claims
from ensvm.report.render.pictures import claim_picture

RECORDS = [
    *errors("german", "a", [0.25, 0.26, 0.24], n_iter_=5, accuracy=0.75),
    *errors("german", "b", [0.35, 0.37, 0.36], n_iter_=12, accuracy=0.65),
]
PAIR = "better: a, than: b, rows: [german]"


@pytest.fixture
def picture(tmp_path):
    """Return a function that draws a claim (YAML) on the records."""

    def draw(claim):
        study = claimed(tmp_path / "s", f"- {{id: c, text: t, {claim}}}", RECORDS)
        return claim_picture(study, next(evaluate_claims(study)).tests[0])

    return draw


def test_a_margin_lies_on_the_side_of_the_better_one(picture):
    drawn = picture(f"{PAIR}, relation: less, margin: 5")
    assert drawn.sides == ("← favours A", "favours B\N{NO-BREAK SPACE}→")
    (threshold,) = drawn.thresholds
    assert (threshold, drawn.neutral) == (-5.0, 0.0)
    assert drawn.rows[0][1].effect == pytest.approx(-11.0)
    ends = [drawn.scale.across(value) for value in (-11.0, -5.0, 0.0)]
    assert ends == sorted(ends)
    assert 0.0 < drawn.scale.left < ends[0] < ends[-1] < drawn.width
    assert drawn.title.startswith("← holds | difference")


@pytest.mark.parametrize(
    ("claim", "left", "right"),
    [
        (
            "relation: at-least, of: ratio, metric: n_iter_",
            "← favours B",
            "favours A\N{NO-BREAK SPACE}→",
        ),
        ("relation: less, metric: accuracy", "← favours B", "favours A\N{NO-BREAK SPACE}→"),
    ],
)
def test_sides_depend_on_the_effect_and_on_which_value_is_better(picture, claim, left, right):
    drawn = picture(f"{PAIR}, {claim}")
    assert drawn.sides == (left, right)
    assert drawn.rows[0][1].effect > drawn.neutral  # a needs fewer steps, and is right more often


def test_a_claim_with_two_bounds_has_two_lines(picture):
    drawn = picture(f"{PAIR}, relation: within, margin: 5")
    low, high = sorted(drawn.thresholds)
    assert drawn.rows[0][1].effect < low < drawn.neutral < high
    assert drawn.title.endswith("holds between the dashed lines")


def test_a_claim_without_a_pair_has_no_sides(picture):
    drawn = picture(
        "better: [a, b], rows: [german], relation: at-most, metric: n_iter_, limit: 2000"
    )
    assert (drawn.sides, drawn.neutral) == ((), None)
    assert [name for name, _ in drawn.rows] == ["german: A", "german: B"]
    assert [text for _, text in drawn.ticks] == ["5", "2000"]
