"""A study's cells, each with the key of what it is, against the records already there."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from ensvm.data import DataError, DatasetCard, adapt, find_card, inline_card
from ensvm.data.errors import near_miss
from ensvm.records.record import Identity, Record, RunPass
from ensvm.runner.estimators import KERNEL_WORDS, EstimatorError, build, check_values, code_revision
from ensvm.seeds import seed_of
from ensvm.study.algorithm import AlgorithmConfig, KernelConfig
from ensvm.study.config import StudyConfig
from ensvm.study.dataset import DatasetConfig
from ensvm.study.metrics import DATA_CELL, STAGED
from ensvm.study.reading import read_config
from ensvm.study.source import YamlSource

RUNNER_REVISION = 1  # raised when the runner itself would give a cell other figures


@dataclass(frozen=True)
class Cell:
    """(study, data set, realization, algorithm), in the error or in the timing pass: the unit of work and of record.

    `settings` says what the cell is, apart from the realization; `key` is its hash together with
    the realization.
    """

    study: str
    dataset: str
    realization: int
    algorithm: str
    settings: Mapping[str, Any] = field(hash=False)
    run_pass: RunPass = "error"

    @property
    def identity(self) -> Identity:
        """Which cell of the study it is, whatever its settings."""
        return self.dataset, self.realization, self.algorithm, self.run_pass

    @cached_property
    def settings_key(self) -> str:
        """Hash of the settings: cells that may stand together behind one number of a table."""
        return _hash(self.settings)

    @cached_property
    def key(self) -> str:
        """Hash of what the cell is; a record with the same key answers it."""
        return _hash([*self.identity, self.settings])

    @property
    def seed(self) -> int:
        """The algorithm's own seed; the realization's is the data room's."""
        word = (self.settings["algorithm"] or {}).get("seed", self.algorithm)
        return seed_of("algorithm", self.settings["data"], self.realization, word)


@dataclass(frozen=True)
class Plan:
    """Every cell of a study, and what was resolved on the way: its files and the data sets' cards."""

    path: Path
    published: Path | None
    config: StudyConfig
    cards: Mapping[str, DatasetCard]
    cells: tuple[Cell, ...]

    def missing(self, records: Mapping[Identity, Record]) -> list[tuple[Cell, str]]:
        """Return the cells that no record answers, each with why it is to be done."""
        return [
            (cell, why)
            for cell in self.cells
            if (why := _why_missing(cell, records.get(cell.identity)))
        ]


def make_plan(
    path: Path,
    *,
    realizations: int | None = None,
    datasets: tuple[str, ...] = (),
    algorithms: tuple[str, ...] = (),
) -> Plan:
    """Read a config, check every name and value in it, and lay out its cells, the facts of the data first.

    `realizations` caps the number of realizations; `datasets` and `algorithms` choose among the
    config's. Raises ConfigError (a message for the user) for anything that cannot be run.
    """
    config, source = read_config(path)
    cards = {
        entry.name: _card(source, index, entry, path.parent)
        for index, entry in enumerate(config.datasets)
        if entry.unavailable is None
    }
    settings = {
        (name, kernel): _algorithm_settings(source, config.algorithms[name], name, kernel)
        for kernel in {config.kernel_of(entry): None for entry in config.datasets}
        for name in config.algorithms
    }
    datasets = _chosen(
        source, config, "datasets", datasets, [entry.name for entry in config.datasets]
    )
    algorithms = _chosen(source, config, "algorithms", algorithms, config.algorithms)
    cells = [
        cell
        for entry in config.datasets
        if entry.name in cards and (not datasets or entry.name in datasets)
        for cell in _cells(config, entry, cards[entry.name], settings, realizations)
        if not algorithms or cell.algorithm in (*algorithms, DATA_CELL)
    ]
    return Plan(path, _published(source, config), config, cards, tuple(cells))


def _published(source: YamlSource, config: StudyConfig) -> Path | None:
    if config.published is None:
        return None
    path = source.path.parent / config.published
    if not path.is_file():
        raise source.error(("published",), f"there is no file {path}")
    return path


def _cells(
    config: StudyConfig,
    entry: DatasetConfig,
    card: DatasetCard,
    settings: Mapping[tuple[str, KernelConfig | None], Any],
    cap: int | None,
) -> Iterator[Cell]:
    data = {"data": card.fingerprint(), "split": card.split_protocol()}
    yield Cell(config.study, entry.name, 1, DATA_CELL, {**data, "algorithm": None})
    limits = (entry.realizations or config.realizations, cap, card.max_realizations)
    last = min(limit for limit in limits if limit is not None)
    kernel = config.kernel_of(entry)
    there = {
        name: found
        for name in config.algorithms_of(entry)
        if (found := settings[name, kernel]) is not None
    }
    for realization in range(1, last + 1):
        for name, found in there.items():
            if realization <= entry.realizations_of.get(name, last):
                yield Cell(config.study, entry.name, realization, name, {**data, **found})
    if config.timing is not None:
        conditions = {"timing": {"blas_threads": config.timing.blas_threads}}
        for realization in range(1, min(last, config.timing.realizations) + 1):
            for name, found in there.items():
                if config.times(entry.name, name) and realization <= entry.realizations_of.get(
                    name, last
                ):
                    timed = {**data, **found, **conditions}
                    yield Cell(config.study, entry.name, realization, name, timed, "timing")


def _card(source: YamlSource, index: int, entry: DatasetConfig, base: Path) -> DatasetCard:
    try:
        if entry.path is not None:
            return inline_card(entry.file_keys(), base)
        card = find_card(entry.card or entry.name)
    except DataError as error:
        raise source.error(
            ("datasets", index, "card" if entry.card else "name"), str(error)
        ) from error
    for word in ("split", "scaling", "options"):
        change = getattr(entry, word)
        if change is not None:
            try:
                card = adapt(card, **{word: change})
            except DataError as error:
                raise source.error(("datasets", index, word), str(error)) from error
    return card


def _algorithm_settings(
    source: YamlSource, words: AlgorithmConfig, name: str, kernel: KernelConfig | None
) -> dict[str, Any] | None:
    """Return what identifies an algorithm, or None for one that is unavailable."""
    if words.estimator is None:
        return None
    try:
        estimator = build(words.estimator, dict(words.params))
        shared = _shared_kernel(kernel, words, estimator)
        estimator.set_params(**shared)
        for parameter, values in (words.grid or {}).items():
            for value in values:
                check_values(
                    build(words.estimator, {**words.params, parameter: value}).set_params(**shared)
                )
        check_values(estimator)
    except EstimatorError as error:
        raise source.error(("algorithms", name), str(error)) from error
    if words.stage != "last" and words.grid is None and not hasattr(estimator, "staged_predict"):
        raise source.error(
            ("algorithms", name, "stage"),
            f"{words.estimator} has no stages (staged_predict) and no grid:",
        )
    staged = [word for word in words.record if word in STAGED]
    if staged and (words.grid is not None or not hasattr(estimator, "staged_predict")):
        raise source.error(
            ("algorithms", name, "record"),
            f"{staged[0]!r} needs the stages of one machine (staged_predict), not a grid",
        )
    return {
        "algorithm": {
            "estimator": words.estimator,
            "params": {**words.params, **shared},
            "defaults": {
                word: repr(value) for word, value in sorted(estimator.get_params().items())
            },
            "grid": words.grid,
            "stage": words.stage,
            "record": list(words.record),
            "share_gram": words.share_gram,
            "gram_dtype": kernel.dtype if kernel and words.share_gram else "float64",
            **({} if words.seed is None else {"seed": words.seed}),
        },
        "code": code_revision(estimator),
        "runner": RUNNER_REVISION,
    }


def _shared_kernel(
    kernel: KernelConfig | None, words: AlgorithmConfig, estimator: Any
) -> dict[str, Any]:
    """Return the study's kernel as parameters of an estimator that has them; its own `params` come first."""
    if kernel is None or any(word in words.params for word in KERNEL_WORDS):
        return {}
    accepted = estimator.get_params(deep=False)
    return {
        word: value
        for word, value in kernel.params().items()
        if word in accepted and "kernel" in accepted
    }


def _chosen(
    source: YamlSource,
    config: StudyConfig,
    key: str,
    chosen: tuple[str, ...],
    accepted: Iterable[str],
) -> tuple[str, ...]:
    """Return the names chosen on the command line, all members for a sweep."""
    names: list[str] = []
    for word in chosen:
        members = [name for name in config.sweep_values(word) if name in accepted]
        if word not in accepted and not members:
            hint = near_miss(word, accepted)
            raise source.error(
                (key,),
                f"--{key}: {word!r} is not in this study; accepted: {', '.join(accepted)}{hint}",
            )
        names += members or [word]
    return tuple(names)


def _why_missing(cell: Cell, record: Record | None) -> str | None:
    if record is None:
        return "not run yet"
    if record.key == cell.key:
        return None if record.status == "ok" else f"was {record.status}"
    before = record.settings
    changed = [
        word for word in cell.settings if _hash(before.get(word)) != _hash(cell.settings[word])
    ]
    return "changed: " + ", ".join(changed or ["settings"])


def _hash(thing: Any) -> str:
    text = json.dumps(thing, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:20]
