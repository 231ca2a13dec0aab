"""What the config of a run asks for, beside the records of the run.

A value of a report is a mean over realizations of one algorithm on one data set. For each value
the file has the settings and the number of realizations that the whole config asks for, also if
only a part of it was run. Records with other settings answer another question: they are not shown.
"""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ensvm.atomic_write import replace_file
from ensvm.errors import UserError, unreadable
from ensvm.records.record import FromOne, SettingsLine, checked, read_line, settings_line
from ensvm.records.settings import NO_SETTINGS, CellSettings
from ensvm.study.passes import RunPass, ValueOf

ASKED_FILE = "asked.jsonl"


@dataclass(frozen=True)
class AskedValue:
    """What a config asks for of one value of a report.

    `realizations` is their number: those from 1 to it are asked for. It is None if a folder does
    not say it. `settings` may be empty if records have the same `settings_key`.
    """

    dataset: str
    algorithm: str
    settings_key: str
    realizations: FromOne | None
    run_pass: RunPass = "error"
    settings: CellSettings = field(default=NO_SETTINGS, compare=False)

    @property
    def value(self) -> ValueOf:
        """The value's data set, algorithm and pass."""
        return self.dataset, self.algorithm, self.run_pass

    def has_realization(self, number: int) -> bool:
        """Return whether a realization is asked for."""
        return self.realizations is None or number <= self.realizations

    def to_json(self) -> dict[str, Any]:
        """Return the value as a JSON object without its settings, which have a line of their own.

        See `settings_line`.
        """
        return {
            "kind": "value",
            "dataset": self.dataset,
            "algorithm": self.algorithm,
            "pass": self.run_pass,
            "realizations": self.realizations,
            "settings_key": self.settings_key,
        }


@dataclass(frozen=True)
class Asked:
    """What a config asks for, value by value, and when a run wrote it (in UTC)."""

    values: Mapping[ValueOf, AskedValue]
    time: str = ""


def asked_of(values: Iterable[AskedValue], time: str = "") -> Asked:
    """Return what is asked for as a whole."""
    return Asked({each.value: each for each in values}, time)


def read_asked(folder: Path) -> Asked | None:
    """Return what the last run in a folder asked for; None if an older version ran there.

    Raises UserError, naming the file and the line, if it cannot be read.
    """
    path = folder / ASKED_FILE
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise unreadable(path, error) from error
    reader = _Reader()
    for number, text in enumerate(content.splitlines(), start=1):
        try:
            reader.read(read_line(text))
        except (ValueError, RecursionError) as error:
            message = f"{path}, line {number}: {error}; remove the file, a run writes it again"
            raise UserError(message) from error
    return asked_of(reader.values, reader.time)


class _Reader:
    """Makes values of the lines of a file, each with the settings that it names."""

    def __init__(self) -> None:
        self.values, self.time = list[AskedValue](), ""
        self._settings: dict[str, CellSettings] = {}

    def read(self, line: Any) -> None:
        """Read a JSON object; raise ValueError if it is not what the file may hold."""
        kind = line.get("kind") if isinstance(line, dict) else None
        if kind == "config":
            self.time = str(line.get("time", ""))
        elif kind == "settings":
            settings: SettingsLine = checked(SettingsLine, line)
            self._settings[settings.key] = settings.settings
        elif kind == "value":
            value: AskedValue = checked(AskedValue, {**line, "run_pass": line.get("pass")})
            settings_of_key = self._settings.get(value.settings_key, value.settings)
            self.values.append(replace(value, settings=settings_of_key))
        else:
            raise ValueError(f"expected a config, settings or a value, got {line!r:.60}")


def write_asked(folder: Path, asked: Asked, recorded: Collection[str] = ()) -> None:
    """Write what a config asks for into a study's folder.

    The settings whose keys are `recorded` stand in the file of the records, and are left out.
    """
    lines = b"".join(json.dumps(line).encode() + b"\n" for line in _lines(asked, set(recorded)))
    replace_file(folder / ASKED_FILE, lines)


def _lines(asked: Asked, written: set[str]) -> Iterator[dict[str, Any]]:
    yield {"kind": "config", "time": asked.time}
    for value in asked.values.values():
        if value.settings_key not in written:
            written.add(value.settings_key)
            yield settings_line(value.settings_key, value.settings)
        yield value.to_json()
