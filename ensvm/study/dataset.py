"""A data set of a study: which card or file, and what the study changes about it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from ensvm import hints
from ensvm.data.own_file import FileKeys, OwnFile
from ensvm.study.algorithms import AlgorithmConfig, KernelConfig
from ensvm.study.block import ConfigBlock, Name, NameOf, Names, SweepConfig
from ensvm.study.printed_means import PrintedMeans

_OWN = ("path", "train", "openml")  # where data of the user's own are
Paths = str | list[str]


def names_own_data(block: dict[str, Any]) -> bool:
    """Return whether the block of a data set names data of the user's own rather than a card."""
    return any(key in block for key in _OWN)


class DatasetDefaults(ConfigBlock, FileKeys):
    """What all data sets of a study have, unless one says something else.

    The keys from `target` to `format` are for data sets of your own files.

    Attributes
    ----------
    same_rows : bool
        Whether the paper trained and tested on these very rows. A value computed without random
        numbers then has no sampling error.
    other_protocol : str or None
        Why the row is believed to have been run in another way for the paper. No verdict is given
        on its values, and the notes of tables say why.
    published_split : 'one-unknown' or None
        `one-unknown` if the paper split the data once and does not say how. A printed value is
        then that of one more random split.
    split : dict or None
        How rows become training and test parts. On a card, the keys replace those of the card.
    scaling : str or None
        How inputs are scaled, in place of the card's scaling.
    fill : str, float or None
        What takes the place of missing values: `training-mean`, or a number such as -1.
    options : dict or None
        Options of the generator of a synthetic data set.
    kernel : KernelConfig or None
        Keys of the kernel that replace those of the study on this data set.
    algorithms : tuple of str or None
        The algorithms that run on it; if not given, all but those whose `datasets:` lacks it.
    realizations : int or None
        How many realizations are run; those of the study if not given.
    realizations_of : dict
        For single algorithms, at most how many realizations are run.
    """

    hints: ClassVar = hints.DATA

    same_rows: bool = False
    other_protocol: str | None = None
    published_split: Literal["one-unknown"] | None = None
    split: dict[str, Any] | None = None
    scaling: str | None = None
    fill: str | float | None = None
    options: dict[str, Any] | None = None
    kernel: KernelConfig | None = None
    algorithms: Annotated[tuple[str, ...] | None, NameOf("algorithm", if_gone="empty")] = None
    realizations: int | None = Field(default=None, ge=1)
    realizations_of: Annotated[
        dict[str, Annotated[int, Field(ge=1)]], NameOf("algorithm", if_gone="key")
    ] = Field(default_factory=dict)

    @classmethod
    def _known_keys(cls, block: dict[str, Any]) -> list[str]:
        keys = super()._known_keys(block)
        return [*(key for key in keys if key not in OWN_KEYS), *cls._keys_of_own_data(block)]

    @classmethod
    def _keys_of_own_data(cls, block: dict[str, Any]) -> tuple[str, ...]:
        """Return which keys for data of the user's own a block may have."""
        return tuple(FileKeys.model_fields)


class DatasetConfig(DatasetDefaults, PrintedMeans):
    """One data set of a study: a card's name, or data of the user's own.

    The keys `path`, `train` with `test`, and `openml` name your own data, and the keys from
    `target` to `format` say how they are read.

    Attributes
    ----------
    name : str
        The row's name in tables. If only the card or a file is given, the name is taken from
        it.
    label : str or None
        What tables and figures show in place of the name. In a sweep, `{value}` stands for the
        value, and `{value:.0%}` for it as a percentage.
    card : str or None
        The data card that the rows come from; the card of the same name if not given.
    path : str, list of str or None
        A file with all rows of your own data, or several whose rows follow each other. Paths
        are relative to the config.
    train : str, list of str or None
        The file or files of the training rows, beside `test`.
    test : str, list of str or None
        The file or files of the test rows, for the protocol `official`.
    openml : int or None
        The number of a data set of openml.org, which is downloaded once.
    unavailable : str or None
        Why the row has no values. The data set is not loaded, and tables say why.
    drawn_again : tuple of str
        Data sets of this study that are further draws of the rows by the same generator. A printed
        value is taken for one more draw.
    sweep : SweepConfig or None
        One key and its values: the entry stands for several data sets, named `NAME-VALUE`,
        which differ in that key. The key may be a path, such as `split.n_train`.
    copy_of : str or None
        The data set that this one is a copy of, for a variant of a reading, which fills it in.
        Copies are run, but shown only where they are named.
    """

    called: ClassVar = "a data set"

    name: Name
    label: str | None = None
    card: str | None = None
    path: Paths | None = None
    train: Paths | None = None
    test: Paths | None = None
    openml: int | None = None
    unavailable: str | None = None
    drawn_again: Annotated[Names, NameOf("data set", if_gone="key")] = ()
    sweep: SweepConfig | None = None
    copy_of: str | None = None

    @classmethod
    def long_form(cls, entry: Any) -> Any:
        """Return the block of a data set that is only a name, or whose name is that of its data."""
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
    def _keys_of_own_data(cls, block: dict[str, Any]) -> tuple[str, ...]:
        return OWN_KEYS if names_own_data(block) else ()

    @property
    def own(self) -> bool:
        """Whether the data are the user's own rather than a card's."""
        return any(getattr(self, key) is not None for key in _OWN)

    @property
    def sources(self) -> list[str]:
        """The keys that name its data: one at most, but a copy has that of its original, too."""
        return [key for key in ("card", *_OWN) if getattr(self, key) is not None]

    @property
    def original(self) -> str:
        """The name of the data set that it is a copy of, or its own."""
        return self.copy_of or self.name

    def file_keys(self) -> dict[str, Any]:
        """Return the keys that describe the user's own data, as `inline_card` takes them."""
        given = [key for key in OwnFile.model_fields if key in self.model_fields_set]
        keys = {key: getattr(self, key) for key in given} | {"name": self.card or self.name}
        return {key: value for key, value in keys.items() if value is not None}


def algorithms_on(
    entry: DatasetConfig, algorithms: Mapping[str, AlgorithmConfig]
) -> tuple[str, ...]:
    """Return the names of the algorithms that run on a data set, in the order of the config.

    A data set may name its algorithms, and an algorithm its data sets.
    """
    if entry.algorithms is not None:
        return entry.algorithms
    return tuple(
        name
        for name, block in algorithms.items()
        if block.copy_of is None and block.runs_on(entry.original)
    )


# Keys that only data of the user's own have.
OWN_KEYS = (*FileKeys.model_fields, "test")
# Keys that say which data a row is, or what print says of it: each data set has its own.
NAMING = tuple(key for key in DatasetConfig.model_fields if key not in DatasetDefaults.model_fields)
