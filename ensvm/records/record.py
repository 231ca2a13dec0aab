"""Records of cells and runs: frozen dataclasses, JSON objects on disk."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar, Literal, Self, TypeAlias

from ensvm.records.validation import (
    NO_OTHER_KEYS,
    Confusion,
    Flag,
    FromOne,
    Integer,
    Key,
    Name,
    Number,
    Scalar,
    Seconds,
    Settings,
    checked,
)

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

    @classmethod
    def from_json(cls, line: Mapping[str, Any]) -> Self:
        """Return the run of a JSON object; raises ValueError as `validation.checked` does."""
        return checked(cls, line)


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
    """How often each class was predicted for each class."""
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
    """Among how many it was chosen."""
    validation_error: Number | None = None
    """The error on held-out training rows by which it was chosen."""
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
        """Return a number of rows among the metrics, such as `n_test`; None if it has none."""
        value = self.metrics.get(name)
        return value if type(value) is int and value > 0 else None

    def busy_seconds(self, part: str) -> float:
        """Return the seconds of a part of the cell, such as `fit`, on a machine without other work.

        Waiting for a processor adds only to the wall time, a second thread only to the CPU time.
        """
        wall = self.seconds.get(f"{part}_seconds", 0.0)
        return min(wall, self.seconds.get(f"{part}_cpu_seconds", wall))

    def of_run(self, run: Run | None) -> Self:
        """Return the record with the run that made it."""
        return replace(self, run=run)

    def to_json(self) -> dict[str, Any]:
        """Return the record as a JSON object; what is empty is left out, and so is the run."""
        line = {entry.name: getattr(self, entry.name) for entry in fields(self)}
        line["pass"] = line.pop("run_pass")
        del line["run"]
        kept = {key: value for key, value in line.items() if key in ALWAYS or value not in EMPTY}
        if self.conditions is not None:
            kept["conditions"] = vars(self.conditions)
        return {"kind": "cell", **kept}

    @classmethod
    def from_json(cls, line: Mapping[str, Any]) -> Self:
        """Return the record of a JSON object; raises ValueError as `validation.checked` does."""
        return checked(
            cls, {"run_pass" if key == "pass" else key: value for key, value in line.items()}
        )


ALWAYS = ("key", "metrics", "seconds", "reason", "settings")
EMPTY: tuple[Any, ...] = (None, "", (), [], {})
