"""A card as a study wants it: another split, another scaling, other options of its generator."""

from typing import Any

from pydantic import ValidationError

from ensvm.data.cards.card import DatasetCard
from ensvm.data.errors import DataError, explain
from ensvm.data.splits import counted, refuse_without_groups


def adapt(
    card: DatasetCard,
    *,
    split: dict[str, Any] | None = None,
    scaling: str | None = None,
    options: dict[str, Any] | None = None,
) -> DatasetCard:
    """Return the card with what a study says otherwise; what is None stays as the card has it.

    Parameters
    ----------
    card : DatasetCard
        The card to begin with.
    split : dict, default None
        A whole protocol (with the key `protocol`), or some keys of the card's own; sizes may be
        fractions of the rows.
    scaling : str, default None
        The name of another scaling.
    options : dict, default None
        Some options of the generator.

    Returns
    -------
    DatasetCard
        The adapted card. A generated set with other options has no checksum, and of its `classes`
        only the labels hold.

    Raises
    ------
    DataError
        If a key or a value is wrong; the message names both and what is accepted.

    Examples
    --------
    >>> from ensvm.data import adapt, find_card
    >>> adapt(find_card("german"), split={"n_train": 500}, scaling="minmax").sizes()
    (20, 500, 300)
    """
    changes: dict[str, Any] = {}
    if split is not None:
        whole = split if "protocol" in split else {**card.split_protocol(), **split}
        try:
            refuse_without_groups(whole)
            changes["split"] = counted(whole, split, card.rows)
        except ValueError as error:
            raise DataError(f"data set {card.name!r}: {error}") from error
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
    own = {} if card.generator is None else card.generator.model_dump()
    if "options" not in own:
        which = (
            "it is read from files"
            if card.generator is None
            else f"the generator {own['name']!r} has none"
        )
        raise DataError(f"data set {card.name!r}: options: {options} is not accepted; {which}")
    return own | {"options": own["options"] | options}
