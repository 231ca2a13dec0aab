"""A card as a study wants it: another split protocol, another scaling, other options of its generator."""

from typing import Any

from pydantic import ValidationError

from ensvm.data.cards.card import DatasetCard
from ensvm.data.errors import DataError, explain


def adapt(
    card: DatasetCard,
    *,
    split: dict[str, Any] | None = None,
    scaling: str | None = None,
    options: dict[str, Any] | None = None,
) -> DatasetCard:
    """Return the card with what a study says otherwise; what is None stays as the card has it.

    `split`: a whole protocol (with the key `protocol`), or some words of the card's own. `scaling`:
    a word. `options`: some options of the generator. A generated set with other options has no
    checksum, and of its `classes` only the labels hold. Raises DataError naming the key, the value
    and what is accepted.
    """
    changes: dict[str, Any] = {}
    if split is not None:
        changes["split"] = split if "protocol" in split else {**card.split_protocol(), **split}
    if scaling is not None:
        changes["scaling"] = scaling
    if options is not None:
        changes["generator"] = _with_options(card, options)
    own = card.model_dump(exclude={"variants", "aliases"}) | {"base": card.base or card.name}
    try:
        adapted = DatasetCard.model_validate(own | changes)
    except ValidationError as error:
        raise explain(error, f"data set {card.name!r}") from error
    if adapted.generator is None or adapted.generator == card.generator:
        return adapted
    return adapted.model_copy(update={"features": adapted.generator.features, "checksum": None})


def _with_options(card: DatasetCard, options: dict[str, Any]) -> dict[str, Any]:
    words = {} if card.generator is None else card.generator.model_dump()
    if "options" not in words:
        which = (
            "it is read from files"
            if card.generator is None
            else f"the generator {words['name']!r} has none"
        )
        raise DataError(f"data set {card.name!r}: options: {options} is not accepted; {which}")
    return words | {"options": words["options"] | options}
