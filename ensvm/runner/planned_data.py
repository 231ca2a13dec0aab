"""The data sets and printed values of a plan: their cards, files and numbers of realizations."""

import os
from collections.abc import Mapping
from pathlib import Path

from ensvm.counts import counted
from ensvm.data import DatasetCard, adapt, find_card, inline_card
from ensvm.data.files.foreign_content import absent_file
from ensvm.data.splits import folds_of, whole_round
from ensvm.errors import Mistakes, UserError
from ensvm.runner.class_parameters import WEIGHTS, UnknownLabel, in_codes, parameter_by_class
from ensvm.runner.study_algorithms import (
    Algorithm,
    Used,
    has_many_classes,
    used_on,
)
from ensvm.study.config import StudyConfig
from ensvm.study.dataset import DatasetConfig
from ensvm.study.metrics import is_of_positive
from ensvm.study.printed import Place, Published, check_published, read_published
from ensvm.study.source import YamlSource


def cards_of_study(source: YamlSource, config: StudyConfig) -> dict[str, DatasetCard]:
    """Return the card of each data set whose card can be read."""
    cards, refused = dict[str, DatasetCard](), set[str]()
    for index, entry in enumerate(config.datasets):
        with source.noting():
            # what is wrong with a data set is wrong with the copies of it that readings make
            if entry.unavailable is None and entry.copy_of not in refused:
                refused.add(entry.name)
                cards[entry.name] = _card(source, index, entry, source.path.parent)
                refused.remove(entry.name)
    return cards


def _card(source: YamlSource, index: int, entry: DatasetConfig, base: Path) -> DatasetCard:
    try:
        if entry.own:
            return inline_card(entry.file_keys(), base)
        card = find_card(entry.card or entry.name, base / "datasets")
    except UserError as error:
        key = error.key if error.key in entry.model_dump(exclude_unset=True) else "name"
        location = ("datasets", index, "card" if entry.card else key)
        raise source.error(location, str(error).replace("\n", "; ")) from error
    for key in ("split", "scaling", "fill", "options"):
        change = getattr(entry, key)
        if change is not None:
            try:
                card = adapt(card, folder=base, **{key: change})
            except UserError as error:
                raise source.error(("datasets", index, key), str(error)) from error
    return card


def check_labels(
    source: YamlSource,
    config: StudyConfig,
    cards: Mapping[str, DatasetCard],
    settings: Mapping[Used, Algorithm],
) -> None:
    """Refuse parameters that name a label which a data set of the algorithm does not have."""
    for entry in config.datasets:
        if entry.name not in cards:
            continue
        card = cards[entry.name]
        for name in config.algorithms_of(entry):
            method = settings[used_on(config, name, entry, card)].method
            try:
                in_codes(method, card)
            except UnknownLabel as error:
                message = f"the data set {entry.name!r}, {error}"
                raise source.error(("algorithms", name), message) from error
            named = parameter_by_class([method.estimator, method.params, method.grid])
            if method.wrapped is not None and named:
                message = f"{named} by labels cannot be used where one class is learnt against the"
                message += f" rest, as on {entry.name}"
                message += f"; accepted: `{WEIGHTS}: balanced`" * (named == WEIGHTS)
                raise source.error(("algorithms", name), message)


def check_positive(
    source: YamlSource, config: StudyConfig, cards: Mapping[str, DatasetCard]
) -> None:
    """Refuse a metric of the positive class if no data set of its algorithms has one."""
    for asked in config.asked():
        on = [
            cards[entry.name]
            for entry in config.datasets
            if entry.name in cards and {*asked.algorithms} & {*config.algorithms_of(entry)}
        ]
        if is_of_positive(asked.metric) and on and all(map(has_many_classes, on)):
            message = f"{asked.metric} is about one of two classes, and {on[0].name} has"
            message += f" {len(on[0].labels)}; {asked.metric}_macro is a mean over classes"
            raise source.error(asked.location, message)


def last_realization(
    source: YamlSource,
    config: StudyConfig,
    index: int,
    cards: Mapping[str, DatasetCard],
) -> int:
    """Return the number of the last realization of a data set.

    Raises UserError if the data set has fewer than the config gives it, or than a search needs. Of
    a sweep, one member may have fewer, as the one that takes all rows.
    """
    entry = config.datasets[index]
    card = cards[entry.name]
    members = [card]
    if entry.sweep is not None:
        of_sweep = entry.sweep.of
        swept = [each.name for each in config.datasets if each.sweep and each.sweep.of == of_sweep]
        members = [cards[name] for name in swept if name in cards]
    most = card.max_realizations
    if entry.realizations and all(_has_fewer(each, entry.realizations) for each in members):
        protocol = card.split.protocol
        raise source.error(
            ("datasets", index, "realizations"),
            f"its split ({protocol}) has at most {most}, got {entry.realizations}",
        )
    for name in config.algorithms_of(entry):
        needed = config.algorithms[name].search_on
        if needed is not None and _has_fewer(card, needed):
            message = f"{entry.name} has {counted(most or 0, 'realization')}, and a search needs"
            message += f" {needed}"
            raise source.error(("algorithms", name, "search_on"), message)
    of_study = config.realizations if getattr(card.split, "repeats", None) is None else None
    limits = (entry.realizations or of_study or whole_round(card.split), most)
    return min(limit for limit in limits if limit is not None)


def _has_fewer(card: DatasetCard, realizations: int) -> bool:
    most = card.max_realizations
    return most is not None and most < realizations


def check_spreads(
    source: YamlSource,
    config: StudyConfig,
    cards: Mapping[str, DatasetCard],
    printed: Mapping[Place, Published],
) -> None:
    """Refuse a kind of printed ± that the realizations of its row and of print cannot have."""
    columns = {
        (table.id, one.name): (table, one) for table in config.tables for one in table.columns
    }
    for (table_id, row, name), number in printed.items():
        if number.std is None or (table_id, name) not in columns or row not in cards:
            continue
        n, spread = config.mean_of_print(*columns[table_id, name], row)
        folds = folds_of(cards[row].split)
        at = f"`published_spread: {spread}` of {number.text} (table {table_id}, {row}, {name})"
        if spread == "sd":
            continue
        if spread == "sd-of-repetitions" and folds is None:
            message = f"is of a cross-validation, and {row} has none"
        elif n is None:
            message = (
                "needs the number of printed realizations: `published_realizations:` is missing"
            )
        elif spread == "sd-of-repetitions" and folds is not None and n < 2 * folds:
            message = f"is over repetitions, and `published_realizations: {n}` is less than two"
            message += f" of {folds} folds"
        else:
            continue
        source.refuse(("published",), f"{at} {message}")


def published_file(source: YamlSource) -> Path | None:
    """Return the file of printed values; None if the study names none."""
    name = source.content.get("published")
    if not isinstance(name, str):
        return None
    path = source.path.parent / name
    if not os.path.isfile(path):
        raise source.error(("published",), absent_file(path))
    return path


def checked_print(source: YamlSource, config: StudyConfig, path: Path) -> Mapping[Place, Published]:
    """Return the checked printed values in a file."""
    try:
        # A variant shows parts of the paper: there may be more numbers than places.
        read = check_published if config.reproduce else read_published
        return read(path, config)
    except UserError as error:
        texts = [str(source.error(("published",), message)) for message in error.messages]
        raise Mistakes(texts) from error
