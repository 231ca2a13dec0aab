"""Numbers in the texts of shipped configs, and the values of the shipped results to compare with.

A number agrees with a value if the value, rounded to the digits of the number, is the number.
"""

import re
from collections.abc import Iterable
from functools import cache

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ensvm.data import find_card
from ensvm.records.record import Identity, Record
from ensvm.records.store import SHIPPED_FILE, records_in
from ensvm.shipped import find_config, shipped_results
from ensvm.study.config import StudyConfig
from ensvm.study.read_config import read_config

WORDS = {2: "two", 4: "four", 12: "twelve", 17: "17", 18: "18", 20: "twenty"}

# 93.01, .95, 1,000, 20 000 and 1e-5, but not the digits of names, of powers and of 1/20
NUMBER = re.compile(
    r"(?<![\w.^⁻])(?<!\d/)(?:\d+(?:[ ,]\d{3})*(?:\.\d+)?|\.\d+)(?:e-?\d+)?(?!\w)|(?<=\d/)\d+\.\d+"
)
# Numbers of parts of a paper, such as those of Table 2 and of eq. (3)
_PART = re.compile(
    r"\b(?:[Tt]able|[Ff]igure|[Ss]ection|[Ee]q\.|[Ll]emma|[Ff]ootnote|\() ?\(?\d[\d.]*\)?"
)


@cache
def config_of(study: str) -> StudyConfig:
    """Return the shipped config of a study."""
    return read_config(find_config(study))[0]


@cache
def frame_of(study: str, file: str) -> pd.DataFrame:
    """Return the values that a page of results shows, such as `readings` or `table-2`."""
    return pd.read_csv(shipped_results() / study / f"{file}.csv")


@cache
def records_of(study: str) -> dict[Identity, Record]:
    """Return the shipped records of a study."""
    return records_in(shipped_results() / study / SHIPPED_FILE)


def cells_of(study: str, row: str, algorithm: str) -> list[Record]:
    """Return the records of the error pass of a row and an algorithm, by realization."""
    identities = sorted(one for one in records_of(study) if (one[0], one[2]) == (row, algorithm))
    return [records_of(study)[one] for one in identities if one[3] == "error"]


def values_of(study: str, row: str, algorithm: str, metric: str) -> NDArray[np.float64]:
    """Return a metric in each realization."""
    return np.array([one.metrics[metric] for one in cells_of(study, row, algorithm)], float)


def curve_of(study: str, row: str, algorithm: str, curve: str, stage: int) -> NDArray[np.float64]:
    """Return the value of a curve at a stage, counted from 1, in each realization."""
    return np.array([one.curves[curve][stage - 1] for one in cells_of(study, row, algorithm)])


def numbers_in(text: str) -> list[str]:
    """Return the numbers of a text but those of parts of a paper."""
    return NUMBER.findall(_PART.sub(" ", text))


def agrees(number: str, values: Iterable[float]) -> bool:
    """Return whether one of the values, rounded to the digits of a number, is the number."""
    plain = number.replace(" ", "").replace(",", "")
    digits = len(plain.partition("e")[0].partition(".")[2])
    half = 0.5 * 10.0**-digits + 1e-9
    return any(abs(abs(value) - float(plain)) <= half for value in values)


def all_printed(study: str) -> pd.DataFrame:
    """Return the printed values of a study."""
    published = config_of(study).published
    if published is None:
        return pd.DataFrame(columns=["table", "row", "column", "value", "std"])
    return pd.read_csv(find_config(study).parent / published, dtype={"table": str})


def printed_of(study: str, table: str) -> pd.DataFrame:
    """Return the printed values of a table, by row and column."""
    frame = all_printed(study)
    return frame[frame["table"] == table].set_index(["row", "column"])


def short(value: float, digits: int = 1) -> str:
    """Return a number below 1 without its leading 0, as some texts have it."""
    return f"{value:.{digits}f}".removeprefix("0")


def training_rows(name: str) -> int:
    """Return the number of training rows of a data set's own split."""
    split = find_card(name).split
    return int(split.n_train)
