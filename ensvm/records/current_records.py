"""Which records have what a config asks for, and how the others differ from it."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from ensvm.name_lists import first_names
from ensvm.records.asked import Asked, AskedValue, asked_of
from ensvm.records.identity import by_value, difference
from ensvm.records.record import Identity, Record
from ensvm.records.settings import CellSettings
from ensvm.study.passes import ValueOf

MOST_NAMES = 4  # data sets or algorithms in a sentence
MOST_SENTENCES = 4


@dataclass(frozen=True)
class DividedRecords:
    """The records of a study, divided by what is asked for.

    `current` have the settings asked for. `stale` have other settings, by the value that they would
    belong to. `not_asked` are records of values or of realizations that the config does not have.
    """

    asked: Asked
    current: Mapping[Identity, Record]
    stale: Mapping[ValueOf, list[Record]]
    not_asked: Mapping[ValueOf, list[Record]]

    @cached_property
    def _settings(self) -> dict[str, CellSettings]:
        """The settings of records by their keys: a file of what is asked may leave them out."""
        return {one.settings_key: one.settings for one in self.current.values()}

    def differences(self, value: ValueOf) -> Counter[str]:
        """Return how the stale records of a value differ from what is asked for, with counts."""
        if value not in self.stale:
            return Counter()
        asked = self.asked.values[value]
        wanted = self._settings.get(asked.settings_key, asked.settings)
        texts = (difference(one.settings, wanted) for one in self.stale[value])
        return Counter(text or "settings" for text in texts)

    @property
    def n_missing(self) -> int:
        """How many cells are asked for and have no record, as far as the numbers are known."""
        known = [value for value in self.asked.values.values() if value.realizations is not None]
        counts = Counter(record.value for record in self.current.values())
        counts.update({value: len(records) for value, records in self.stale.items()})
        return sum((one.realizations or 0) - counts[one.value] for one in known)

    def why_stale(self, value: ValueOf) -> str:
        """Return how the stale records of a value differ; empty if it has none."""
        counts = self.differences(value).most_common()
        if len(counts) == 1:
            return counts[0][0]
        return "; ".join(f"{count} with {text}" for text, count in counts)

    def sentences(self) -> list[str]:
        """Return what the stale records are, a sentence for each difference."""
        values: dict[str, list[ValueOf]] = defaultdict(list)
        totals = Counter[str]()
        for value in self.stale:
            for text, count in self.differences(value).items():
                values[text].append(value)
                totals[text] += count
        sentences = [
            f"{totals[text]} cells of {names_of(values[text])} have other settings: {text}"
            for text in sorted(values, key=lambda text: -totals[text])
        ]
        n_more = len(sentences) - MOST_SENTENCES
        return sentences[:MOST_SENTENCES] + ([f"and {n_more} other differences"] * (n_more > 0))


def divided_records(asked: Asked, records: Mapping[Identity, Record]) -> DividedRecords:
    """Divide records by whether they have what is asked for."""
    current = dict[Identity, Record]()
    stale, not_asked = list[Record](), list[Record]()
    for identity, record in records.items():
        value = asked.values.get(record.value)
        if value is None or not value.has_realization(record.realization):
            not_asked.append(record)
        elif record.settings_key == value.settings_key:
            current[identity] = record
        else:
            stale.append(record)
    return DividedRecords(asked, current, by_value(stale), by_value(not_asked))


def asked_by_newest(records: Iterable[Record]) -> Asked:
    """Return what the newest record of each value was asked for.

    It stands for what the config asks for if a folder does not say it. The number of realizations
    is unknown.
    """
    newest = dict[ValueOf, Record]()
    for record in records:
        before = newest.get(record.value)
        if before is None or _age(record) > _age(before):
            newest[record.value] = record
    return asked_of(
        AskedValue(*value[:2], one.settings_key, None, value[2], one.settings)
        for value, one in newest.items()
    )


def _age(record: Record) -> tuple[str, int]:
    return record.time, record.realization


def names_of(values: Iterable[ValueOf]) -> str:
    """Return the algorithms and the data sets of values."""
    datasets, algorithms, _ = map(dict.fromkeys, zip(*values, strict=True))
    return " on ".join(first_names(names, most=MOST_NAMES) for names in (algorithms, datasets))
