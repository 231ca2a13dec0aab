"""How a config is read: its base, its sweeps and its readings, and the checks of its names."""

import re
from collections.abc import Sequence, Set
from dataclasses import dataclass, fields, replace
from itertools import chain
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from ensvm.errors import UserError
from ensvm.shipped import shipped_configs
from ensvm.study.base_study import LISTS, read_changed, read_source
from ensvm.study.block import KIND_KEYS, refusals
from ensvm.study.claim import with_columns
from ensvm.study.config import StudyConfig
from ensvm.study.figure_kinds import ScatterConfig
from ensvm.study.figures import KINDS, DrawsColumns, SweepFigureConfig, drawn_columns
from ensvm.study.source import Location, YamlSource, read_text
from ensvm.study.study_checks import check_study
from ensvm.study.sweeps import expand_sweeps
from ensvm.study.table_checks import check_tables
from ensvm.study.variants import Copies, check_readings
from ensvm.yaml_block import MISSING, MOST_MISTAKES

_MEANT = re.compile(r"unknown key \S+; (?:did you mean '|write `)(\w+)")
_SUGGESTED = re.compile(r"did you mean '([\w-]+)'\?$")
_TEXT = re.compile(r"; accepted: text( or |$)")
_DECIDING = (*KIND_KEYS, "relation")  # keys whose values say which other keys a block has
# Blocks from whose lists an entry with a mistake is left out, so that the others are checked.
_LEFT_OUT = ("tables", "figures", "claims", "readings", "assumptions", "findings")
# Shorter paths lead to blocks that other ones name: without them, these would be wrong, too.
_FEWEST_STEPS = {"algorithms": 3, **dict.fromkeys(("timing", *LISTS[2:], "datasets"), 2), "": 2}


@dataclass(frozen=True)
class StudyHead:
    """The keys of a study that lists of studies show."""

    study: str
    title: str
    year: int | None
    part_of: str | None
    takes: float | None
    reproduce: bool


def head_of(config: StudyConfig) -> StudyHead:
    """Return the keys of a study that lists of studies show."""
    return StudyHead(**{field.name: getattr(config, field.name) for field in fields(StudyHead)})


def shipped_heads() -> list[StudyHead]:
    """Return what lists show of the shipped studies, by the names of their files.

    Nothing else of the configs is read or checked, which would take most of the time.
    """
    contents = [read_source(path).content for path in sorted(shipped_configs().glob("*.yaml"))]
    if_missing = {
        field.name: StudyConfig.model_fields[field.name].default for field in fields(StudyHead)
    }
    return [
        StudyHead(**{name: each.get(name, default) for name, default in if_missing.items()})
        for each in contents
    ]


def reproduced() -> list[str]:
    """Return the names of the shipped studies with `reproduce: true`."""
    return [head.study for head in shipped_heads() if head.reproduce]


def read_config(path: Path, text: str | None = None) -> tuple[StudyConfig, YamlSource]:
    """Read and validate a config, from the file or from `text`, its content.

    Does not check names of cards and estimators, which the runner does. Raises UserError.
    """
    source = read_source(path, text)
    return validated_study(source), source


def read_copy(path: Path) -> StudyConfig:
    """Return the study of a config's copy beside records, which is complete: no `base:` is opened.

    Raises UserError.
    """
    return read_config(path, read_text(path))[0]


def validated_study(source: YamlSource) -> StudyConfig:
    """Return the study that a config describes.

    Raises UserError: Mistakes for several, unless the caller collects them (see
    `YamlSource.collecting`). The study is then what the config says without its wrong keys.
    """
    with source.collecting():
        content = expand_sweeps(source)
        sweeps_are_good = source.is_good
        config = _without_wrong_keys(source, content)
        if not sweeps_are_good:  # the names of members are unknown
            return config
        with source.collecting():
            names = [entry.name for entry in config.datasets]
            source.must_be_distinct(("datasets",), "data set", names)
            config = config.names().with_members(config, source)
            names_without_copies = replace(config.names(), has_copies=False)
            names_without_copies.check(config, (), source)
            with source.noting():
                check_tables(config.tables, names_without_copies, source)
        has_copies = False
        with source.noting():
            config = _with_copies(config, source)
            has_copies = not source.has_error_in(("readings",))
        with source.noting():
            sweeps = config.names().algorithm_sweeps
            claims = with_columns(config.claims, config.tables, sweeps)
            config = _with_figures_of_tables(config.model_copy(update={"claims": claims}))
        with source.collecting():
            check_study(config, replace(config.names(), has_copies=has_copies), source)
    return config


def _with_copies(config: StudyConfig, source: YamlSource) -> StudyConfig:
    """Return a study with the data sets and algorithms that its readings derive.

    Raises UserError for readings that the study cannot have.
    """
    if not config.readings:
        return config
    tables = {table.id: table for table in config.tables}
    rows = {table.id: config.rows_of(table) for table in config.tables}
    check_readings(config.readings, config.tables, rows, config.names(), source)
    datasets = {entry.name: entry for entry in config.datasets}
    copies = Copies(source, datasets, dict(config.algorithms))
    for index, reading in enumerate(config.readings):
        table = tables.get(reading.table)
        if table is None:
            continue
        of_question = reading.rows_of(rows[table.id]), reading.algorithms_of(table)
        for number, variant in enumerate(reading.variants):
            if copies.has_bases(variant, *of_question):
                with source.noting():
                    copies.add(("readings", index, "variants", number), variant, *of_question)
    return config.model_copy(
        update={"datasets": tuple(datasets.values()), "algorithms": copies.algorithms}
    )


def _with_figures_of_tables(config: StudyConfig) -> StudyConfig:
    """Return a study with the rows and the metric of figures that their tables give."""
    figures = tuple(
        _of_table(config, figure) if isinstance(figure, DrawsColumns) else figure
        for figure in config.figures
    )
    return config.model_copy(update={"figures": figures})


def _of_table(config: StudyConfig, figure: DrawsColumns) -> DrawsColumns:
    """Return a figure with the rows of its table, and the metric of its computed columns."""
    table = next((one for one in config.tables if one.id == figure.table), None)
    if table is None:
        return figure
    names = config.names()
    of_sweeps = isinstance(figure, SweepFigureConfig) and figure.of_sweeps
    if not isinstance(figure, ScatterConfig) and not of_sweeps:
        series = table.with_members(figure.series, names.algorithm_sweeps)
        figure = figure.model_copy(update={"series": series})
    drawn = [*chain(*drawn_columns(figure, table, names).values())]
    metric = table.metric_of(drawn[0]) if drawn else None
    if isinstance(figure, SweepFigureConfig):
        changed: dict[str, Any] = {"y": metric} if metric and figure.y == "error" else {}
        sweep = config.sweep_of(drawn[0]) if drawn and of_sweeps else None
        if sweep is not None:
            changed["x_label"] = figure.x_label or sweep.key
    else:
        changed = {} if figure.rows else {"rows": config.rows_of(table)}
        changed |= {"metric": metric} if metric else {}
    return figure.model_copy(update=changed)


def mistakes_in(path: Path, settings: Sequence[str]) -> list[str]:
    """Return why settings of `--set` are refused, each by itself."""
    messages = list[str]()
    for setting in settings:
        try:
            validated_study(read_changed(path, [setting], "a-name"))
        except UserError as error:
            messages += error.messages
    return messages


def _without_wrong_keys(source: YamlSource, content: dict[str, Any]) -> StudyConfig:
    """Return a study without the keys that are wrong, whose errors are noted.

    Raises UserError if a key cannot be left out.
    """
    first: UserError | None = None
    removed, guessed = set[Location](), set[Location]()
    while True:
        try:
            return StudyConfig.model_validate(content)
        except ValidationError as error:
            errors = refusals(error)
            wrong = [
                (location, message)
                for location, message in errors
                if not _follows(place := source.place_of(location), message, removed)
                and place[:2] not in guessed
            ]
            for location, message in _of_sweeps_once(source, wrong):
                with source.noting():
                    refused = _at(source, location, message)
                    first = first or refused
                    raise refused from error
            places = {source.place_of(location) for location, _ in wrong}
            removed |= places
            # the other keys of such a block may be wrong only beside the suggested value
            guessed |= {place[:2] for place in places if place[-1:] and place[-1] in _DECIDING}
            left = [each for each in wrong if not _removed(content, *each)] if wrong else errors
            is_endless = len(removed) >= MOST_MISTAKES or not _left_out(source, content, left)
            if first is not None and is_endless:
                raise first from error


def _of_sweeps_once(
    source: YamlSource, errors: list[tuple[Location, str]]
) -> list[tuple[Location, str]]:
    """Return errors without those that members of a sweep repeat."""
    once: dict[Location, tuple[Location, str]] = {}
    for location, message in errors:
        if location[2:] == ("sweep", "of") and len(errors) > 1:
            continue  # the name itself is refused, too
        once.setdefault(source.place_of(location), (location, message))
    return list(once.values())


def _follows(location: Location, message: str, removed: Set[Location]) -> bool:
    """Return whether an error may follow from keys that were removed: a block lacks them now."""
    block = location[:-1] if message == MISSING else location
    return any(key[: len(block)] == block for key in removed)


def _left_out(
    source: YamlSource, content: dict[str, Any], errors: list[tuple[Location, str]]
) -> bool:
    """Remove the blocks or entries of lists with errors; return False if one cannot be left out."""
    entries = {
        location[:2]
        for location, _ in errors
        if not any(_removed(content, location[:n], "") for n in range(len(location) - 1, 0, -1))
    }
    if not all(
        len(entry) == 2 and entry[0] in _LEFT_OUT and isinstance(content.get(str(entry[0])), list)
        for entry in entries
    ):
        return False
    for block, index in sorted(entries, reverse=True):
        source.leave_out((block, index), len(content[str(block)]))
        del content[str(block)][index]
    return True


def _removed(content: Any, location: Location, message: str) -> bool:
    """Remove a key from a content; return False if it is not there, or is an entry of a list.

    If the message about an unknown key says which one is meant, that one gets its value. If a value
    decides which other keys are accepted, the value that the message suggests takes its place.
    """
    if len(location) < _FEWEST_STEPS.get(str((*location, "")[0]), 1):
        return False
    suggested = _SUGGESTED.search(message)
    if location[-1] in _DECIDING and suggested is None:
        return False
    *steps, key = [step for step in location if step not in KINDS or location[0] != "figures"]
    if steps[2:4] == ["tests", 0] and "tests" not in content["claims"][steps[1]]:
        del steps[2:4]  # the keys of a claim's only test
    for step in steps:
        inside = step in content if isinstance(content, dict) else isinstance(content, list)
        if not inside:
            return False
        content = content[step]
    if not isinstance(content, dict) or key not in content:
        return False
    if key in _DECIDING and suggested is not None:
        content[key] = suggested[1]
        return True
    if _TEXT.search(message):
        content[key] = str(content[key])
        return True
    value, meant = content.pop(key), _MEANT.match(message)
    if meant and len(location) > 1:  # sweeps of data sets and algorithms are expanded before
        content.setdefault(meant[1], value)
    return True


def _at(source: YamlSource, location: Location, message: str) -> UserError:
    # A union adds the member's name, which is not in the file.
    if location[:1] == ("figures",) and location[2:3] and location[2] in KINDS:
        location = (*location[:2], *location[3:])
    return source.error(location, message)
