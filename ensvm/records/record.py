"""Records of cells and runs: frozen dataclasses, JSON objects on disk.

Records may come from anybody, so pydantic checks the type of each field when they are read. Keys
that a record does not have are ignored, so that records of other versions can be read.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from functools import cache
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Field, Strict, TypeAdapter, ValidationError

from ensvm.records.settings import NO_SETTINGS, CellSettings
from ensvm.study.metrics import RATES
from ensvm.study.passes import RunPass, ValueOf

# Strict: "1" and true are not numbers.
Boolean: TypeAlias = Annotated[bool, Strict()]
Number: TypeAlias = Annotated[float, Strict()]
Integer: TypeAlias = Annotated[int, Strict()]
FromOne: TypeAlias = Annotated[Integer, Field(ge=1)]
Seconds: TypeAlias = Annotated[Number, Field(ge=0, allow_inf_nan=False)]
Scalar: TypeAlias = str | Boolean | Integer | Number | None

Status: TypeAlias = Literal["ok", "failed", "timeout", "unavailable"]
Identity: TypeAlias = tuple[str, int, str, RunPass]  # data set (row), realization, algorithm, pass


@dataclass(frozen=True, slots=True)
class Run:
    """Where and with what a run was made."""

    id: str
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
    dirty: Boolean | None = None
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


@dataclass(frozen=True, slots=True)
class Conditions:
    """The conditions of a timing, as they were observed."""

    host: str
    """The name of the machine; seconds of different machines are never averaged."""
    blas_threads: Integer
    """The most threads that a BLAS library or OpenMP had while the cell ran."""
    load_before: Number | None
    """The machine's load average over one minute before the cell."""
    warm: Boolean
    """Whether the warm-up before the cell succeeded, so that its seconds include no compiling."""


@dataclass(frozen=True, slots=True)
class Record:
    """The record of one cell: its identity, how it ended, and its values."""

    study: str
    """The study."""
    dataset: str
    """The data set: the row of a table."""
    realization: FromOne
    """The number of the split, from 1."""
    algorithm: str
    """The algorithm: the column of a table."""
    status: Status
    """How the cell ended; `unavailable` means that its data could not be loaded."""
    key: str = ""
    """A hash of what the cell is; shipped records have none."""
    settings_key: str = ""
    """A hash of its settings."""
    run_pass: Annotated[RunPass, Field(alias="pass")] = "error"
    """The pass: of errors, or of timings."""
    reason: str = ""
    """Why the status is not `ok`."""
    settings: CellSettings = NO_SETTINGS
    """Data, split, algorithm and code; a file has them once for each `settings_key`."""
    seed: Integer | None = None
    """The random seed of its algorithm."""
    run_id: str = ""
    """The `id` of the run that made it."""
    time: str = ""
    """When the cell ended, in UTC."""
    metrics: Mapping[str, Scalar] = field(default_factory=dict)
    """The test error as a fraction, and every number that the fit left."""
    seconds: Mapping[str, Seconds] = field(default_factory=dict)
    """Wall and CPU seconds by part."""
    scores: Mapping[str, Number | str] = field(default_factory=dict)
    """The metrics that the config asks for, or why there is no value."""
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
    draws: Boolean | None = None
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
    is_contradicted: Boolean = field(default=False, compare=False)
    """Whether an earlier line of the store has other values of the same cell with the same
    settings; not in `cells.jsonl`.
    """

    @property
    def cell_text(self) -> str:
        """The cell in words, for a message."""
        timing = ", timing pass" * (self.run_pass == "timing")
        return f"{self.dataset}, realization {self.realization}, {self.algorithm}{timing}"

    @property
    def identity(self) -> Identity:
        """Which cell of the study it is, whatever its settings."""
        return self.dataset, self.realization, self.algorithm, self.run_pass

    @property
    def value(self) -> ValueOf:
        """The value of a report that it contributes to."""
        return self.dataset, self.algorithm, self.run_pass

    @property
    def ok(self) -> bool:
        """Whether the cell ended well."""
        return self.status == "ok"

    @property
    def numbers(self) -> dict[str, Scalar]:
        """The metrics, the scores that have a value, and the seconds."""
        scores = {name: one for name, one in self.scores.items() if not isinstance(one, str)}
        return {**self.metrics, **scores, **self.seconds}

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
        """Return the record as a JSON object without its run, its settings and empty fields."""
        line = {entry.name: getattr(self, entry.name) for entry in fields(self)}
        line["pass"] = line.pop("run_pass")
        if self.conditions is not None:
            line["conditions"] = asdict(self.conditions)
        kept = {key: value for key, value in line.items() if key not in APART}
        return {"kind": "cell", **{key: kept[key] for key in kept if kept[key] not in EMPTY}}


MOST_DIGITS = 20  # of whole numbers: those of 64 bits
APART = ("run", "settings", "is_contradicted")  # fields that the line of a record does not have
EMPTY: tuple[Any, ...] = (None, "", (), [], {})


def settings_line(key: str, settings: CellSettings) -> dict[str, Any]:
    """Return settings as a JSON object, to which records refer by their key."""
    return {"kind": "settings", "key": key, "settings": settings.to_json()}


def read_line(text: bytes) -> Any:
    """Return the JSON value of a line; raise ValueError if it is not JSON.

    Whole numbers beyond 64 bits are refused: they are not results of a fit, and do not fit into the
    arrays of the verbs that read them.
    """
    return _DECODER.decode(text.decode(json.detect_encoding(text), "surrogatepass"))


def _whole_number(text: str) -> int:
    n_digits = len(text.removeprefix("-"))
    if n_digits > MOST_DIGITS:
        raise ValueError(f"a whole number of {n_digits} digits (accepted: {MOST_DIGITS})")
    return int(text)


_DECODER = json.JSONDecoder(parse_int=_whole_number)  # `json.loads` would make one for each line


class LineReader:
    """Makes records of the lines of a file, each with the run and the settings that it names."""

    def __init__(self) -> None:
        self._runs: dict[str, Run] = {}
        self._settings: dict[str, CellSettings] = {}

    def read(self, text: bytes) -> Record | None:
        """Return the record of a line, or None if it has a run or the settings of records.

        Raises ValueError if the line is none of these, a key is missing or a value is not accepted.
        """
        record = _cell_at_once(text)
        if record is None:
            line = read_line(text)
            kind = line.get("kind") if isinstance(line, dict) else None
            if kind == "run":
                run: Run = checked(Run, line)
                self._runs[run.id] = run
                return None
            if kind == "settings":
                settings: SettingsLine = checked(SettingsLine, line)
                self._settings[settings.key] = settings.settings
                return None
            if kind != "cell":
                what = "an object of a cell, a run or settings"
                raise ValueError(f"expected {what}, got {line!r:.60}")
            record = checked(Record, line | {"run": None})
        for name in RATES:
            rate = record.metrics.get(name, 0.0)
            if isinstance(rate, str | bool) or rate is None or rate < 0 or rate > 1:
                raise ValueError(f"the {name} {rate!r:.60} is not a fraction from 0 to 1")
        return self._completed(record)

    def _completed(self, record: Record) -> Record:
        """Return a record that was just read with the run and the settings that it names."""
        # Nobody else has it yet, and a changed copy would take as long as reading it.
        object.__setattr__(record, "run", self._runs.get(record.run_id))
        if (settings := self._settings.get(record.settings_key)) is not None:
            object.__setattr__(record, "settings", settings)
        return record


# The beginning of a cell's line, as a run writes it or with the keys in the order of their names;
# the match ends at "kind", since going on behind it and coming back takes twice as long
_CELL_LINE = re.compile(
    rb'\{(?:"[a-z_]+": (?:"[^"\\]*"|true|false|\{[^{}]*\}), )*?"kind": "cell", '
)
_DIGITS_AS_0 = bytes.maketrans(b"123456789", b"0" * 9)
_TOO_LONG = b"0" * (MOST_DIGITS + 1)


def _cell_at_once(text: bytes) -> Record | None:
    """Return the record of a cell's line, parsed and checked in one step; None if that fails.

    It takes a third of the time of `read_line` and `checked`. They read the line if it fails: they
    accept more, such as half of a surrogate pair, and say what is wrong.
    """
    if not _CELL_LINE.match(text) or _TOO_LONG in text.translate(_DIGITS_AS_0):
        return None
    try:
        record: Record = _adapter(Record).validate_json(text)
    except ValidationError:
        return None
    return record


@dataclass(frozen=True)
class SettingsLine:
    """The settings that records or values with this key have."""

    key: str
    settings: CellSettings


def checked(kind: Any, line: Mapping[str, Any]) -> Any:
    """Return a dataclass with the values of a line; raise ValueError if one is not accepted."""
    try:
        return _adapter(kind).validate_python(line)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
    name = ".".join(map(str, first["loc"]))
    if first["type"] == "missing":
        raise ValueError(f"the key {name!r} is missing")
    raise ValueError(f"the value of {name!r} is not accepted: {first['input']!r:.60}")


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)
