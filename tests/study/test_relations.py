"""Every relation has what a config, a test and a text need; a new one is one entry."""

import numpy as np
import pytest
from made_up_records import claimed, errors

from ensvm.report.claims import evaluate_claims
from ensvm.report.write import write_claims
from ensvm.study.claim import ClaimConfig
from ensvm.study.relations import RELATIONS, Relation


@pytest.mark.parametrize("relation", RELATIONS.values(), ids=list(RELATIONS))
def test_a_relation_has_keys_effect_bounds_and_meaning(relation):
    assert set(relation.keys) <= set(ClaimConfig.model_fields)
    assert relation.meaning
    values = np.array([[1.0, 2.0], [2.0, 4.0]])[:, : 2 if "than" in relation.keys else 1]
    assert relation.effects(values).shape == (2,)
    assert relation.bounds(1.0)
    assert bool(relation.threshold_text("error", 1.0)) == bool(relation.threshold_key)


@pytest.mark.parametrize("metric", ["error", "train_seconds", "size"])
def test_effects_of_counts_and_ratios_do_not_depend_on_the_metrics_unit(metric):
    for name in ("ratio", "curve-below", "curve-falls", "growth-at-most"):
        assert RELATIONS[name].effect_unit(metric) == RELATIONS[name].effect_unit("other")


def test_a_new_relation_is_one_entry(tmp_path, monkeypatch):
    doubled = Relation(
        keys={"limit": None},
        meaning="twice the value is at most the limit",
        effects=lambda values: 2.0 * values[:, 0],
        effect_name="double",
    )
    monkeypatch.setitem(RELATIONS, "doubled", doubled)
    claim = "- {id: 1, text: t, better: a, relation: doubled, limit: 50, rows: [german]}"
    study = claimed(tmp_path / "s", claim, errors("german", "a", [0.2, 0.21]))
    [finding] = evaluate_claims(study)
    assert finding.comparisons[0].effect == pytest.approx(41.0)
    text, _ = write_claims(study)
    assert "*doubled*: twice the value is at most the limit" in text
    assert "doubled, limit 50 %" in text


def test_the_mean_slope_is_that_of_the_mean_curve():
    curves = np.array([[0.3, 0.1, 0.2], [0.4, 0.0, 0.0], [0.2, 0.2, 0.1]])
    relation = RELATIONS["curve-declines"]
    slopes = [relation.values([curve], ()) for curve in curves]
    assert np.mean(slopes) == pytest.approx(relation.values([curves.mean(axis=0)], ())[0])
    [bound] = relation.bounds(0.0)
    assert bound.kept_by(float(np.mean(slopes)))
    assert not bound.kept_by(relation.values([curves[0, ::-1] - curves[1]], ())[0])
