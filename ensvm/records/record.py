"""Records of cells and runs: frozen dataclasses, JSON objects on disk.

Records may come from anybody, so pydantic checks them when they are read: each field by its type,
and some types also by a pattern or a function. Names follow a pattern because they become names of
files. Control characters, which a terminal would obey, are replaced.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from functools import cache, lru_cache
from typing import Annotated, Any, ClassVar, Literal, TypeAlias

from pydantic import AfterValidator, ConfigDict, Field, Strict, TypeAdapter, ValidationError

from ensvm.data.splits import folds_of, overlap

NO_OTHER_KEYS = ConfigDict(extra="forbid")

ACCEPTED = "letters, digits and _ . + ~ -, at most 255, a letter or digit first"
MAX_INTEGER = 2**63 - 1
LONGEST_TEXT = 50_000  # characters; a runner cuts most texts to fewer
WHOLE = ("files", "config")  # keys whose texts are checked by what reads them
MAX_ROWS = 10**8  # that a confusion may count: its metrics are computed row by row
# All control characters but tab and line feed; surrogates, which no file can hold; marks that
# change the direction of text.
CONTROL = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


class Newer(ValueError):
    """A record with a key that records of this version do not have."""


def printable(text: str) -> str:
    """Return a text with control characters replaced, cut after `LONGEST_TEXT` characters."""
    if len(text) > LONGEST_TEXT:
        text = f"{text[:LONGEST_TEXT]} ... ({len(text):,} characters)"
    return text if text.isprintable() else CONTROL.sub("\ufffd", text)


def plain(value: Any) -> Any:
    """Return a value of JSON with printable texts, apart from those of keys in `WHOLE`."""
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, list):
        return [plain(inner) for inner in value]
    if isinstance(value, dict):
        return {
            printable(key): inner if key in WHOLE else plain(inner) for key, inner in value.items()
        }
    return value


def _checked_confusion(value: Mapping[str, list[Any]]) -> Mapping[str, list[Any]]:
    """Return a confusion; raise ValueError if it is not one that `confusion_of` could return."""
    if not value:
        return value
    if set(value) != {"labels", "rows"} or not value["labels"] or not value["rows"]:
        raise ValueError("labels or rows are missing")
    triples = [triple for of_order in value["rows"] for triple in of_order]
    labels = [
        *value["labels"],
        *(label for true, predicted, _ in triples for label in (true, predicted)),
    ]
    counts = [count for _, _, count in triples]
    if not all(value["rows"]) or not all(type(each) is int and each > 0 for each in counts):
        raise ValueError("counts are not positive numbers")
    if not all(isinstance(each, str | int | float) for each in labels) or sum(counts) > MAX_ROWS:
        raise ValueError("labels are not numbers or texts, or there are too many rows")
    return value


def _checked_settings(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return settings of a cell; raise an error if reports cannot use them."""
    split, algorithm = value.get("split") or {}, value.get("algorithm") or {}
    _check_split(tuple(split.items()))
    blocks = [algorithm.get(name) or {} for name in ("defaults", "params", "grid", "cv")]
    if not all(isinstance(block, dict) for block in blocks):
        raise ValueError("parameters are not a mapping")
    if not all(isinstance(text, str) for text in blocks[0].values()):
        raise ValueError("defaults are not texts")
    return value


@lru_cache(maxsize=1000)
def _check_split(keys: tuple[tuple[str, Any], ...]) -> None:
    """Raise an error for a split that reports cannot use; all realizations have the same one."""
    folds_of(dict(keys))
    overlap(dict(keys))


def _refusing(check: Callable[[Any], Any]) -> AfterValidator:
    """Return a check for pydantic, which expects a ValueError whatever error `check` raises."""

    def checks(value: Any) -> Any:
        try:
            return check(value)
        except (ArithmeticError, AttributeError, LookupError, TypeError) as error:
            raise ValueError(str(error)) from error

    return AfterValidator(checks)


Name: TypeAlias = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.+~-]{0,254}$")]
Key: TypeAlias = Annotated[str, Field(pattern=r"^[A-Za-z0-9_.+~-]{0,255}$")]
# Strict: "1" and true are not numbers.
Flag: TypeAlias = Annotated[bool, Strict()]
Number: TypeAlias = Annotated[float, Strict()]
Integer: TypeAlias = Annotated[int, Strict(), Field(ge=-MAX_INTEGER, le=MAX_INTEGER)]
FromOne: TypeAlias = Annotated[Integer, Field(ge=1)]
Scalar: TypeAlias = str | Flag | Integer | Number | None
Seconds: TypeAlias = Mapping[str, Annotated[Number, Field(allow_inf_nan=False)]]
Settings: TypeAlias = Annotated[Mapping[str, Any], _refusing(_checked_settings)]
Confusion: TypeAlias = Annotated[Mapping[str, list[Any]], _refusing(_checked_confusion)]

RunPass: TypeAlias = Literal["error", "timing"]
Status: TypeAlias = Literal["ok", "failed", "timeout", "unavailable"]
Identity: TypeAlias = tuple[str, int, str, RunPass]  # data set (row), realization, algorithm, pass


@dataclass(frozen=True)
class Run:
    """Where and with what a run was made."""

    __pydantic_config__: ClassVar = NO_OTHER_KEYS

    id: Name
    """Names the run in its records."""
    time: str = ""
    """When it began, in UTC and ISO 8601."""
    python: str = ""
    """The version of Python."""
    platform: str = ""
    """The operating system."""
    host: str = ""
    """The name of the machine."""
    processor: str = ""
    """The kind of processor."""
    cpus: Integer | None = None
    """How many processors the machine has."""
    jobs: Integer = 1
    """How many cells ran at a time."""
    packages: Mapping[str, str] = field(default_factory=dict)
    """The versions of the packages that values can depend on."""
    blas: tuple[str, ...] = ()
    """Numerical libraries, their versions, and the kind of processor that each works for."""
    commit: str | None = None
    """The commit of the checkout that the code was run from, if any."""
    dirty: Flag | None = None
    """Whether that checkout had uncommitted changes."""
    command: tuple[str, ...] = ()
    """The words of the command."""

    @property
    def arithmetic(self) -> str:
        """What rounding depends on: the processor, and the kind of processor BLAS works for."""
        # An entry is the library, its version and, if the library names one, the kind.
        parts = [library.split() for library in self.blas]
        kinds = {f"{names[0]} {names[-1]}" for names in parts if not names[-1][:1].isdigit()}
        blas = ", ".join(sorted(kinds)).replace("openblas", "OpenBLAS")
        return f"{self.processor} ({blas})" if self.processor and blas else self.processor or blas

    def to_json(self) -> dict[str, Any]:
        """Return the run as a JSON object."""
        return {"kind": "run", **{entry.name: getattr(self, entry.name) for entry in fields(self)}}


@dataclass(frozen=True)
class Conditions:
    """The conditions of a timing, as they were observed."""

    __pydantic_config__: ClassVar = NO_OTHER_KEYS

    host: str
    """The name of the machine; seconds of different machines are never averaged."""
    blas_threads: Integer
    """The most threads that a BLAS library or OpenMP had while the cell ran."""
    load_before: Number | None
    """The machine's load average over one minute before the cell."""
    warm: Flag
    """Whether the warm-up before the cell succeeded, so that its seconds include no compiling."""


@dataclass(frozen=True)
class Record:
    """The record of one cell: its identity, how it ended, and its values."""

    __pydantic_config__: ClassVar = NO_OTHER_KEYS

    study: Name
    """The study."""
    dataset: Name
    """The data set: the row of a table."""
    realization: FromOne
    """The number of the split, from 1."""
    algorithm: Name
    """The algorithm: the column of a table."""
    status: Status
    """How the cell ended; `unavailable` means that its data could not be loaded."""
    key: Key
    """A hash of what the cell is."""
    settings_key: Key
    """A hash of its settings."""
    run_pass: RunPass = "error"
    """The pass: of errors, or of timings."""
    reason: str = ""
    """Why the status is not `ok`."""
    settings: Settings = field(default_factory=dict)
    """Data, split, algorithm and code."""
    run_id: Key = ""
    """The `id` of the run that made it."""
    time: str = ""
    """When the cell ended, in UTC."""
    metrics: Mapping[str, Scalar] = field(default_factory=dict)
    """The test error as a fraction, and every number that the fit left."""
    seconds: Seconds = field(default_factory=dict)
    """Wall and CPU seconds by part."""
    scores: Mapping[str, Number | str] = field(default_factory=dict)
    """The metrics of the test predictions that the study asks for, or why there is none."""
    confusion: Confusion = field(default_factory=dict)
    """How often each class was predicted for the rows of each true class."""
    predictions: Mapping[str, Name] = field(default_factory=dict)
    """The files with the test predictions, if they are kept."""
    files: Mapping[Name, str] = field(default_factory=dict, compare=False, repr=False)
    """The content of these files in base64, until the store has written them; never in
    `cells.jsonl`.
    """
    curves: Mapping[str, list[Any]] = field(default_factory=dict)
    """What `record:` asks for: values by step, or by point of a map."""
    by_order: Mapping[str, list[Integer | Number]] = field(default_factory=dict)
    """If `orders:` asks for several orders of the training rows, the numbers of each; `metrics` and
    `seconds` are then means over them.
    """
    stage: Mapping[str, Any] | None = None
    """The stage or grid point that was chosen."""
    n_stages: Integer | None = None
    """How many stages or grid points it was chosen from."""
    validation_error: Number | None = None
    """The error on held-out training rows by which it was chosen."""
    draws: Flag | None = None
    """Whether the algorithm draws random numbers: whether another seed changes its predictions.
    None if the run did not try.
    """
    conditions: Conditions | None = None
    """The conditions of a timing."""
    warnings: tuple[str, ...] = ()
    """The distinct warnings."""
    traceback: str = ""
    """Where a failed cell failed."""
    run: Run | None = field(default=None, compare=False)
    """The run that made it, when the record is read from a store; not in `cells.jsonl`."""

    @property
    def identity(self) -> Identity:
        """Which cell of the study it is, whatever its settings."""
        return self.dataset, self.realization, self.algorithm, self.run_pass

    @property
    def ok(self) -> bool:
        """Whether the cell ended well."""
        return self.status == "ok"

    def size(self, name: str) -> int | None:
        """Return a number of rows that the metrics have, such as `n_test`, or None."""
        value = self.metrics.get(name)
        return value if type(value) is int and value > 0 else None

    def busy_seconds(self, part: str) -> float:
        """Return the seconds of a part of the cell, such as `fit`, on a machine without other work.

        Waiting for a processor adds only to the wall time, a second thread only to the CPU time.
        """
        wall = self.seconds.get(f"{part}_seconds", 0.0)
        return min(wall, self.seconds.get(f"{part}_cpu_seconds", wall))

    def to_json(self) -> dict[str, Any]:
        """Return the record as a JSON object, without its run and without most empty fields."""
        line = {entry.name: getattr(self, entry.name) for entry in fields(self)}
        line["pass"] = line.pop("run_pass")
        del line["run"]
        kept = {key: value for key, value in line.items() if key in ALWAYS or value not in EMPTY}
        if self.conditions is not None:
            kept["conditions"] = vars(self.conditions)
        return {"kind": "cell", **kept}


# Fields that a line has even if they are empty, and what counts as empty.
ALWAYS = ("key", "metrics", "seconds", "reason", "settings")
EMPTY: tuple[Any, ...] = (None, "", (), [], {})


def from_json(line: Any, runs: Mapping[str, Run]) -> Run | Record:
    """Return the run or the record of a JSON object; a record gets its `run` from `runs`.

    Raises ValueError if the object is neither, a key is missing or a value is not accepted, and
    Newer if it has a key that this version does not know.
    """
    kind = line.get("kind") if isinstance(line, dict) else None
    if kind not in ("cell", "run"):
        raise ValueError(f"expected an object of the kind cell or run, got {line!r:.60}")
    values = {key: value for key, value in line.items() if key != "kind"}
    if kind == "cell":
        if "files" in values:
            raise ValueError("it has 'files', which a store writes beside its records")
        values["run_pass"] = values.pop("pass", "error")
        run_id = values.get("run_id")
        values["run"] = runs.get(run_id) if isinstance(run_id, str) else None
    try:
        return _adapter(Run if kind == "run" else Record).validate_python(values)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
    name = ".".join(map(str, first["loc"]))
    if first["type"] == "missing":
        raise ValueError(f"the key {name!r} is missing")
    if first["type"] == "unexpected_keyword_argument":
        raise Newer(f"the key {name!r:.60} is unknown: written by a newer version of ensvm?")
    accepted = f"; accepted: {ACCEPTED}" if first["type"] == "string_pattern_mismatch" else ""
    raise ValueError(f"the value of {name!r} is not accepted: {first['input']!r:.60}{accepted}")


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)
