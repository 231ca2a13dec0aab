"""Where nothing was run here, the shipped records stand in: whole values, of the same config."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from ensvm.records.identity import ValueOf, records_to_show
from ensvm.records.record import Identity, Record
from ensvm.records.shipped_records import ShippedRecords
from ensvm.records.store import SHIPPED_FILE
from ensvm.study.config import StudyConfig, read_config
from ensvm.study.metrics import DATA_CELL

# What a config may say of a data set or an algorithm without making its values others.
OF_THE_DATA_SET = {"realizations", "realizations_of", "algorithms", "same_rows", "unavailable"}
OF_THE_ALGORITHM = {"label", "unavailable"}


def with_shipped(
    own: Mapping[Identity, Record], shipped: ShippedRecords, config: StudyConfig, path: Path
) -> tuple[dict[Identity, Record], dict[ValueOf, str]]:
    """Return the records to report from, and which values are shipped ones.

    Shipped records stand in for a whole value (data set, algorithm, pass) or not at all, so that no
    value mixes realizations of two sources, and only where the config asks for the value as the
    config they were made with did. A cell that failed here shows its failure.

    Parameters
    ----------
    own : dict of Identity to Record
        The folder's own records.
    shipped : ShippedRecords
        The records that came with it.
    config : StudyConfig
        The config of the last run.
    path : Path
        Its file; where it has the very text of the shipped config, all is asked for alike.

    Returns
    -------
    records : dict of Identity to Record
        Own and shipped records.
    not_here : dict of ValueOf to str
        The values that are shipped ones, each with why there is none made here.

    Raises
    ------
    ConfigError
        If the shipped config cannot be read.
    """
    same_text = not shipped.records or path.read_text(encoding="utf-8") == shipped.config

    @cache
    def before() -> StudyConfig:
        return read_config(path.with_name(SHIPPED_FILE), shipped.config)[0]

    return records_to_show(
        own,
        shipped.records,
        lambda value: same_text or _terms(before(), value) == _terms(config, value),
    )


def _terms(config: StudyConfig, value: ValueOf) -> list[Any] | None:
    """Return all that a config says of a value which could make it another; None for nothing."""
    row, algorithm, run_pass = value
    entry = next((entry for entry in config.datasets if entry.name == row), None)
    block = config.algorithms.get(algorithm)
    if entry is None or (block is None and algorithm != DATA_CELL):
        return None
    terms: list[Any] = [entry.model_dump(exclude=OF_THE_DATA_SET)]
    if block is not None:
        kernel = config.kernel_of(entry)
        terms += [block.model_dump(exclude=OF_THE_ALGORITHM), kernel and kernel.model_dump()]
    if run_pass == "timing":
        terms.append(config.timing and config.timing.blas_threads)
    return terms
