"""Laws of a card's fingerprint: it tells what decides on arrays and scaling, and nothing else."""

import pytest

from ensvm.data import DatasetCard, adapt, find_card


def with_inputs(card: DatasetCard, encoding: object) -> DatasetCard:
    (name, *_) = card.inputs or {}
    own = card.model_dump()
    return DatasetCard.model_validate(own | {"inputs": own["inputs"] | {name: encoding}})


def test_the_split_is_not_in_it() -> None:
    card = find_card("german")
    assert adapt(card, split={"n_train": 100}).fingerprint() == card.fingerprint()


@pytest.mark.parametrize("name", ["german", "circle"])
def test_the_scaling_is_in_it(name: str) -> None:
    prints = {adapt(find_card(name), scaling=way).fingerprint() for way in ("none", "standard")}
    assert len(prints) == 2


@pytest.mark.parametrize("change", [{"noise": 0.25}, {"redundant": 3}])
def test_the_options_of_a_generator_are_in_it(change: dict[str, float]) -> None:
    card = find_card("circle")
    assert adapt(card, options=change).fingerprint() != card.fingerprint()


def test_which_columns_are_one_hot_is_in_it_where_the_scaling_looks_at_them() -> None:
    card = find_card("german")
    one_hot = with_inputs(card, {"one-hot": ["a", "b"]})
    for scaling, same in (("e1071", False), ("standard", True)):
        prints = [adapt(c, scaling=scaling).fingerprint() for c in (card, one_hot)]
        assert (prints[0] == prints[1]) is same
