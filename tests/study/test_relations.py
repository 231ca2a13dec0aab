"""Every relation of every effect has bounds and texts; a new relation is one entry."""

import numpy as np
import pytest
from made_up_records import claimed, errors

from ensvm import hints
from ensvm.report.claims import evaluate_claims
from ensvm.report.write import write_claims
from ensvm.study.claim import ClaimTest
from ensvm.study.relations import EFFECTS, RELATIONS, Bound, Relation, one_sided


@pytest.mark.parametrize("effect", EFFECTS.values(), ids=list(EFFECTS))
def test_an_effect_has_a_threshold_and_a_number_of_each_realization(effect):
    assert effect.key in ClaimTest.model_fields
    values = np.array([[1.0, 2.0], [2.0, 4.0]])[:, : 1 + effect.of_pair]
    assert effect.effects(values).shape == (2,)
    assert effect.threshold_text("error", 1.0).startswith(f"{effect.key} 1")


@pytest.mark.parametrize("name", RELATIONS)
def test_a_relation_has_bounds_for_all_its_effects(name):
    relation = RELATIONS[name]
    assert set(relation.of) <= set(EFFECTS)
    for of in relation.of:
        bounds = relation.bounds(EFFECTS[of], 2.0)
        inside = np.mean([bound.threshold for bound in bounds]) if len(bounds) > 1 else None
        if inside is not None:
            assert all(bound.kept_by(inside) for bound in bounds)
        for bound in bounds:
            beyond = bound.threshold + (-9.0 if bound.above else 9.0)
            assert not bound.kept_by(beyond)
            assert bound.excess(beyond) == 9.0


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("margin", [0.0, 2.0])
def test_bounds_from_above_and_below_mirror_each_other(strict, margin):
    difference = EFFECTS["difference"]
    [below] = one_sided(strict=strict)(difference, margin)
    [above] = one_sided(strict=strict, above=True)(difference, margin)
    for effect in (-3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0):
        assert below.kept_by(effect) == above.kept_by(-effect)
        assert below.excess(effect) == above.excess(-effect)


@pytest.mark.parametrize(
    ("relation", "of", "holds", "fails"),
    [
        ("less", "difference", -2.1, -2.0),
        ("less", "value", 1.9, 2.0),
        ("at-most", "difference", 2.0, 2.1),
        ("at-most", "ratio", 2.0, 2.1),
        ("at-least", "difference", -2.0, -2.1),
        ("at-least", "ratio", 2.0, 1.9),
        ("at-least", "exponent", 2.0, 1.9),
        ("within", "difference", -2.0, -2.1),
        ("within", "ratio", 1.6, 1.59),
        ("within", "ratio", 2.5, 2.51),
    ],
)
def test_what_a_relation_says_of_an_effect(relation, of, holds, fails):
    bounds = RELATIONS[relation].bounds(EFFECTS[of], 2.0)
    assert all(bound.kept_by(holds) for bound in bounds)
    assert not all(bound.kept_by(fails) for bound in bounds)


@pytest.mark.parametrize("metric", ["error", "train_seconds", "size"])
def test_ratios_and_exponents_do_not_depend_on_the_unit_of_the_metric(metric):
    for name in ("ratio", "exponent"):
        assert EFFECTS[name].unit(metric) == EFFECTS[name].unit("other")


@pytest.mark.parametrize("name", hints.RELATIONS)
def test_another_word_for_a_relation_is_refused_with_what_to_write(name):
    with pytest.raises(ValueError, match="unknown relation") as caught:
        ClaimTest(left="a", relation=name)
    assert hints.RELATIONS[name] in str(caught.value)


def test_a_new_relation_is_one_entry(tmp_path, monkeypatch):
    even = Relation(
        "the value is the limit to within 1",
        lambda _, limit: (Bound(limit + 1, limit), Bound(limit - 1, limit, above=True)),
        of=("value",),
    )
    monkeypatch.setitem(RELATIONS, "about", even)
    claim = "- {id: 1, text: t, left: a, relation: about, limit: 20, rows: [german]}"
    study = claimed(tmp_path / "s", claim, errors("german", "a", [0.2, 0.201]))
    [finding] = evaluate_claims(study)
    assert finding.comparisons[0].effect == pytest.approx(20.05)
    text, _ = write_claims(study)
    assert "*about*: the value is the limit to within 1" in text
    assert "about, limit 20 %" in text


def test_the_mean_slope_is_that_of_the_mean_curve():
    curves = np.array([[0.3, 0.1, 0.2], [0.4, 0.0, 0.0], [0.2, 0.2, 0.1]])
    effect = EFFECTS["slope"]
    slopes = [effect.values([curve], ()) for curve in curves]
    assert np.mean(slopes) == pytest.approx(effect.values([curves.mean(axis=0)], ())[0])
    assert np.mean(slopes) < 0.0 < effect.values([curves[0, ::-1] - curves[1]], ())[0]
