"""A study as reports read it: its folder, config, printed numbers and records."""

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from ensvm.counts import counted
from ensvm.data.splits import OfficialSplit
from ensvm.errors import UserError
from ensvm.records.asked import Asked, read_asked
from ensvm.records.current_records import (
    DividedRecords,
    asked_by_newest,
    divided_records,
    names_of,
)
from ensvm.records.identity import by_value
from ensvm.records.record import Identity, Record, Run
from ensvm.records.runs import days_of, runs_of
from ensvm.records.store import (
    CELLS_FILE,
    CONFIG_COPY,
    SHIPPED_FILE,
    folders_in,
    has_file,
    records_in,
)
from ensvm.report.current_config import current_config
from ensvm.shipped import RESULTS, SHIPPED, shipped_config
from ensvm.study.config import StudyConfig
from ensvm.study.metrics import DATA_CELL
from ensvm.study.passes import ValueOf
from ensvm.study.printed import Place, Published
from ensvm.study.published_part import published_values
from ensvm.study.read_config import read_copy

FAILURES = ("failed", "timeout")


@dataclass(frozen=True)
class Study:
    """A study: its config, the printed numbers, and the records of what was run in a folder.

    Files about the study are written into `folder`. `recorded` are all records there; reports show
    `records`, which have the settings that the config asks for. `note` says if the config differs
    from that of the last run. `shipped` says that the records come with ensvm. `asked_by_run` is
    what the config of the last run asks for; None if the folder does not say it.
    """

    folder: Path
    config: StudyConfig
    published: Mapping[Place, Published]
    recorded: Mapping[Identity, Record]
    note: str = ""
    shipped: bool = False
    asked_by_run: Asked | None = None

    @cached_property
    def divided(self) -> DividedRecords:
        """The records divided by whether they have the settings that the config asks for."""
        asked = self.asked_by_run
        if asked is None:
            recorded = self.recorded.values()
            asked = asked_by_newest(one for one in recorded if self.asks_for(one.value))
        return divided_records(asked, self.recorded)

    def asks_for(self, value: ValueOf) -> bool:
        """Return whether the config names a value."""
        row, algorithm, run_pass = value
        entry = next((entry for entry in self.config.datasets if entry.name == row), None)
        if entry is None or algorithm == DATA_CELL:
            return entry is not None
        has_algorithm = algorithm in self.config.algorithms_of(entry)
        return has_algorithm and (run_pass == "error" or self.config.times(row, algorithm))

    @property
    def records(self) -> Mapping[Identity, Record]:
        """The records that have the settings and the realizations that the config asks for."""
        return self.divided.current

    def n_asked(self, value: ValueOf) -> int | None:
        """Return how many realizations of a value are asked for; None if that is unknown.

        If nothing was run but what the paper shows, they are as many as that needs.
        """
        asked = self.divided.asked.values.get(value)
        if asked is None or asked.realizations is None:
            return None
        enough = self._of_paper_only.get(value, asked.realizations)
        return min(asked.realizations, enough)

    @cached_property
    def _of_paper_only(self) -> Mapping[ValueOf, int]:
        """How many realizations the paper's values need, if no record is of more; else empty."""
        if not self.published:
            return {}
        needed = published_values(self.config, self.published)
        is_more = any(
            record.realization > needed.get(value, 0)
            for value, records in self.by_cell.items()
            for record in records
            if value[1] != DATA_CELL
        )
        return {} if is_more else needed

    @cached_property
    def config_to_run(self) -> str:
        """What names the study to `ensvm run`: a shipped study's name, or a file of the user's.

        The file is that of the last run in the records. It is not opened: the text is only shown.
        """
        if shipped_config(self.config.study) is not None:
            return self.config.study
        runs = sorted(runs_of(self.recorded.values()).values(), key=lambda run: run.time)
        configs = [
            part
            for run in runs
            for part in run.command
            if part.endswith((".yaml", ".yml")) and not part.startswith("-")
        ]
        return configs[-1] if configs else f"{self.config.study}.yaml"

    @cached_property
    def run_command(self) -> str:
        """The command that runs what the config asks for and no record answers."""
        return command_to_run(self.config_to_run, self.folder)

    @cached_property
    def left_out(self) -> list[str]:
        """What reports do not show of the records, a sentence each; the first ones can be mended.

        See `is_complete`.
        """
        sentences = self.divided.sentences()
        if sentences:
            sentences[-1] += f"; they are not shown, `{self.run_command}` runs them"
        if not_asked := self.divided.not_asked:
            n = sum(map(len, not_asked.values()))
            sentences.append(f"not shown: {counted(n, 'record')} that the config does not ask for")
        sentences += self.doubts
        if self.asked_by_run is None and not self.shipped:
            sentences.append(
                "the last run was by an older version, which did not record what its config asks"
                f" for: the newest settings of each value are shown; `{self.run_command}` mends it"
            )
        return sentences

    @cached_property
    def doubts(self) -> list[str]:
        """Which values may be wrong, since the file has other ones of the same cells."""
        contradicted = [one for one in self.records.values() if one.is_contradicted]
        if not contradicted:
            return []
        names = names_of(one.value for one in contradicted)
        return [
            f"{counted(len(contradicted), 'cell')} of {names}: several records with the same"
            f" settings and different values; the last line of each in {CELLS_FILE} is shown"
        ]

    @property
    def is_complete(self) -> bool:
        """Whether no value is left out because it has other settings than those asked for."""
        return not self.divided.stale

    @cached_property
    def known(self) -> dict[Any, Any]:
        """What functions decorated with `once` have returned for this study."""
        return {}

    @cached_property
    def runs(self) -> Mapping[str, Run]:
        """The runs that made the records, by their id."""
        return runs_of(self.records.values())

    @cached_property
    def days(self) -> str:
        """The day on which the records were made, or the first and the last."""
        return days_of(self.records.values())

    @property
    def failed(self) -> list[Record]:
        """The records of the cells that failed or timed out."""
        return [record for record in self.records.values() if record.status in FAILURES]

    @property
    def missing_data(self) -> list[str]:
        """The data sets that could not be loaded."""
        records = self.records.values()
        return sorted({record.dataset for record in records if record.status == "unavailable"})

    @property
    def alarms(self) -> list[str]:
        """What may spoil the results: alarms about the data, recorded by the run."""
        return [
            f"{record.dataset}: {text}"
            for record in self.records.values()
            if record.algorithm == DATA_CELL
            for text in record.warnings
        ]

    @cached_property
    def by_cell(self) -> Mapping[ValueOf, list[Record]]:
        """The records by data set, algorithm and pass, in the order of the realizations."""
        return by_value([self.records[identity] for identity in sorted(self.records)])


def find_studies(results: Path) -> list[Path]:
    """Return the folders of the studies that were run in `results`: itself, or those in it."""
    return [
        folder
        for folder in (folders_in(results) if results.is_dir() else [])
        if has_file(folder, CONFIG_COPY) and has_file(folder, CELLS_FILE)
    ]


def find_shown(results: Path) -> list[Path]:
    """Return the folders of the studies that reports on `results` show.

    These are the studies that were run there. If nothing was run there, they are the studies whose
    results come with ensvm, if `results` holds them: itself, or in its folder `shipped`.
    """
    return find_studies(results) or [
        folder
        for place in (results, results / SHIPPED)
        for folder in (folders_in(place) if place.is_dir() else [])
        if has_file(folder, CONFIG_COPY) and is_shipped(folder)
    ]


def is_shipped(folder: Path) -> bool:
    """Return whether a study's folder holds results that come with ensvm, and nothing was run."""
    return has_file(folder, SHIPPED_FILE) and not has_file(folder, CELLS_FILE)


def read_study(folder: Path) -> Study:
    """Read what was run in a study's folder, or the shipped results in it.

    Files about shipped results are written into `report/STUDY`.
    """
    if is_shipped(folder):
        return read_shipped_study(folder, Path("report", folder.resolve().name))
    return _study(folder, folder / CELLS_FILE, folder)


def folders_by_study(folders: Iterable[Path]) -> dict[str, list[Path]]:
    """Return the folders of studies by the names in their configs, or else their own names.

    Of several folders with one study the first is that with the study's name, if there is one.
    """
    by_study: dict[str, list[Path]] = {}
    for folder in folders:
        name = folder.resolve().name
        with suppress(UserError):  # a config that cannot be read is named when its study is read
            name = read_copy(folder / CONFIG_COPY).study
        by_study.setdefault(name, []).append(folder)
    for name, alike in by_study.items():
        alike.sort(key=lambda folder: folder.resolve().name != name)
    return by_study


def same_study(study: str, shown: Path, folder: Path) -> str:
    """Return what to do with a folder that holds a study which another folder holds, too."""
    both = shlex.join(map(str, (shown, folder)))
    return (
        f"{folder}: it holds the study {study}, as {shown} does; give one of the two folders, or "
        f"unite them: ensvm merge {both} -o NEW_FOLDER"
    )


def read_each(folders: Mapping[str, Sequence[Path]]) -> Iterator[Study | UserError]:
    """Yield each study, or the error of one that cannot be read.

    `folders` are those of each study, as `folders_by_study` returns them. The first one is read;
    each other one is an error.
    """
    for name, (shown, *others) in folders.items():
        try:
            yield read_study(shown)
        except UserError as error:
            yield error
        yield from (UserError(same_study(name, shown, folder)) for folder in others)


def read_shipped_study(shipped: Path, folder: Path) -> Study:
    """Read the results that come with ensvm; files about them are written into `folder`."""
    return replace(_study(shipped, shipped / SHIPPED_FILE, folder), shipped=True)


def _study(place: Path, cells: Path, folder: Path) -> Study:
    current = current_config(place)
    records = with_draws(records_in(cells), current.config)
    study = Study(folder, current.config, current.published, records, current.note)
    return replace(study, asked_by_run=read_asked(place))


def with_draws(records: Mapping[Identity, Record], config: StudyConfig) -> dict[Identity, Record]:
    """Return records that all say whether their algorithm draws random numbers.

    The first realization found out, unless the config's `deterministic:` says it. Another seed may
    have given the same predictions by chance: an algorithm that errs differently in realizations of
    the same rows draws, too.
    """
    found: dict[tuple[str, str, str], bool] = {}
    errors: dict[tuple[str, str, str], set[Any]] = {}
    for one in records.values():
        key = (one.dataset, one.algorithm, one.settings_key)
        if one.draws is not None:
            found[key] = one.draws
        split = one.settings.split
        if isinstance(split, OfficialSplit) and split.realizations and one.ok:
            errors.setdefault(key, set()).add(one.metrics.get("n_errors"))
    found |= {key: True for key, counts in errors.items() if len(counts) > 1}
    completed = dict(records)
    for identity, one in records.items():
        block = config.algorithms.get(one.algorithm)
        draws = found.get((one.dataset, one.algorithm, one.settings_key))
        if block is not None and block.deterministic is not None:
            draws = not block.deterministic
        if draws != one.draws:
            completed[identity] = replace(one, draws=draws)
    return completed


def command_to_run(config: str | Path, folder: Path) -> str:
    """Return the shell command that runs a config into a study's folder."""
    results = folder.parent
    option = [] if results == RESULTS else ["--results", str(results)]
    name = f"./{config}" if str(config).startswith("-") else str(config)
    return shlex.join(["ensvm", "run", name, *option])
