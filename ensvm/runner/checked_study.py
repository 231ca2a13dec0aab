"""A study with its names, files, printed values and algorithms checked, for a plan of its cells."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ensvm.data import DatasetCard
from ensvm.runner.planned_data import (
    cards_of_study,
    check_labels,
    check_positive,
    check_spreads,
    checked_print,
    last_realization,
    published_file,
)
from ensvm.runner.study_algorithms import Algorithm, Used, settings_of_study
from ensvm.study.config import StudyConfig
from ensvm.study.printed import Place, Published
from ensvm.study.read_config import validated_study
from ensvm.study.source import YamlSource


@dataclass(frozen=True)
class CheckedStudy:
    """A study without mistakes, and what its checks read."""

    source: YamlSource
    config: StudyConfig
    published: Path | None  # the file of printed values
    printed: Mapping[Place, Published]
    cards: Mapping[str, DatasetCard]  # of the data sets that are available
    algorithms: Mapping[Used, Algorithm]
    last: Mapping[str, int]  # the number of the last realization of each data set


def checked_study(source: YamlSource) -> CheckedStudy:
    """Read all that a config names, and check it.

    Raises UserError (Mistakes for several) if anything in the config cannot be run.
    """
    printed: Mapping[Place, Published] = {}
    published: Path | None = None
    with source.collecting():
        with source.noting():
            published = published_file(source)
        config = validated_study(source)
        names_are_good = source.is_good
        with source.collecting():
            cards = cards_of_study(source, config)
            with source.noting():
                # if names are wrong, places of printed values may be unknown, too
                if names_are_good and published is not None:
                    printed = checked_print(source, config, published)
                    check_spreads(source, config, cards, printed)
            algorithms = settings_of_study(source, config, cards)
        with source.collecting():
            last = {
                entry.name: last_realization(source, config, index, cards)
                for index, entry in enumerate(config.datasets)
                if entry.name in cards
            }
            check_labels(source, config, cards, algorithms)
            check_positive(source, config, cards)
    config = config.with_paper(printed)
    return CheckedStudy(source, config, published, printed, cards, algorithms, last)
