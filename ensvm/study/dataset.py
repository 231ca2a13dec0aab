"""A data set of a study: which card or file, and what the study changes about it."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, model_validator

from ensvm.study.algorithms import KernelConfig
from ensvm.study.block import ConfigBlock, Name, Names, StudyNames, SweepConfig
from ensvm.study.source import YamlSource

_OWN = ("path", "train", "openml")  # where data of the user's own are
Paths = str | list[str]


class DatasetConfig(ConfigBlock):
    """One data set of a study: a card's name, or data of the user's own.

    `name` is the row's name in the tables; `card` the card it stands for (default: the same name).
    `split`, `scaling`, `missing` (what stands for a missing value) and `options` (of a generator)
    change what the card says, `kernel` what the study says. `realizations_of` limits the
    realizations of single algorithms, if more would only repeat the same. Data of the user's own
    are given by `path`, one file or several, by `train` and `test`, or by `openml`; the remaining
    keys describe them, as `ensvm.data.inline_card` reads them. `unavailable` is the reason why a
    row has no values. `same_rows` says that the paper trained and tested on these very rows: a
    value computed without random numbers (a `random_state`, if any, is given) then has no sampling
    error.
    `published_split: one-unknown` says that the paper split the data once, and not how: a printed
    value is that of one more split, and its printed spread, if any, is not that over splits.
    `drawn_again` names data sets that are further draws of the rows by the same generator, for
    printed values of yet another draw: their spread is in the interval of the verdicts.
    """

    model_config = ConfigDict(extra="allow", frozen=True)

    name: Name
    card: str | None = None
    path: Paths | None = None
    train: Paths | None = None
    openml: int | None = None
    unavailable: str | None = None
    same_rows: bool = False
    published_split: Literal["one-unknown"] | None = None
    drawn_again: Names = ()
    split: dict[str, Any] | None = None
    scaling: str | None = None
    missing: str | float | None = None
    options: dict[str, Any] | None = None
    kernel: KernelConfig | None = None
    algorithms: tuple[str, ...] | None = None
    realizations: int | None = Field(default=None, ge=1)
    realizations_of: dict[str, Annotated[int, Field(ge=1)]] = Field(default_factory=dict)
    sweep: SweepConfig | None = None

    @model_validator(mode="before")
    @classmethod
    def _short_form(cls, entry: Any) -> Any:
        if isinstance(entry, str):
            return {"name": entry}
        if not isinstance(entry, dict) or "name" in entry:
            return entry
        if "openml" in entry:
            return {"name": f"openml-{entry['openml']}", **entry}
        files = next((entry[key] for key in ("path", "train", "card") if key in entry), None)
        first = files[0] if isinstance(files, list) and files else files
        return entry if first is None else {"name": Path(str(first)).stem, **entry}

    @classmethod
    def _known_keys(cls, block: dict[str, Any]) -> list[str] | None:
        return None if any(key in block for key in _OWN) else super()._known_keys(block)

    @property
    def own(self) -> bool:
        """Whether the data are the user's own rather than a card's."""
        return any(getattr(self, key) is not None for key in _OWN)

    def file_keys(self) -> dict[str, Any]:
        """Return the keys that describe the user's own data."""
        keys: dict[str, Any] = {"name": self.card or self.name, **(self.model_extra or {})}
        keys |= {key: getattr(self, key) for key in _OWN}
        keys |= {"split": self.split, "scaling": self.scaling, "missing": self.missing}
        return {key: value for key, value in keys.items() if value is not None}


def check_datasets(
    datasets: Sequence[DatasetConfig], names: StudyNames, source: YamlSource
) -> None:
    """Refuse a data set given twice, and algorithms that the study does not have."""
    source.must_be_distinct(("datasets",), "data set", [entry.name for entry in datasets])
    for index, entry in enumerate(datasets):
        for key in ("algorithms", "realizations_of"):
            chosen = getattr(entry, key) or ()
            source.must_be_one_of(("datasets", index, key), "algorithm", chosen, names.algorithms)


def check_drawn_again(datasets: Sequence[DatasetConfig], source: YamlSource) -> None:
    """Refuse further draws of a data set that the study does not have."""
    names = [entry.name for entry in datasets]
    for index, entry in enumerate(datasets):
        location = ("datasets", index, "drawn_again")
        source.must_be_one_of(location, "data set", entry.drawn_again, names)
