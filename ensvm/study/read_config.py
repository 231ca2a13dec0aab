"""How a config is read: its base, its sweeps and its readings, and the checks of its names."""

from collections.abc import Sequence
from pathlib import Path

from pydantic import ValidationError

from ensvm.errors import UserError
from ensvm.shipped import shipped_configs
from ensvm.study.base_study import read_changed, read_source
from ensvm.study.block import refusal
from ensvm.study.config import StudyConfig
from ensvm.study.figures import KINDS
from ensvm.study.source import YamlSource, read_text
from ensvm.study.sweeps import expand_sweeps


def reproduced() -> list[str]:
    """Return the names of the shipped studies with `reproduce: true`."""
    shipped = sorted(shipped_configs().glob("*.yaml"))
    return [path.stem for path in shipped if read_config(path)[0].reproduce]


def read_config(path: Path, text: str | None = None) -> tuple[StudyConfig, YamlSource]:
    """Read and validate a config, from the file or from `text`, its content.

    Does not check names of cards and estimators, which the runner does. Raises UserError.
    """
    source = read_source(path, text)
    return validated(source), source


def read_copy(path: Path) -> StudyConfig:
    """Return the study of a config's copy beside records, which is complete: no `base:` is opened.

    Raises UserError.
    """
    return read_config(path, read_text(path))[0]


def validated(source: YamlSource) -> StudyConfig:
    """Return the study that a config describes; raises UserError."""
    try:
        config = StudyConfig.model_validate(expand_sweeps(source))
    except ValidationError as error:
        raise _readable(source, error) from error
    source.must_be_distinct(("datasets",), "data set", [entry.name for entry in config.datasets])
    config = config.names().with_members(config)
    config.names().check(config.datasets, ("datasets",), source)
    config = config.with_readings(source)
    config.check(source)
    return config


def mistakes_in(path: Path, settings: Sequence[str]) -> list[str]:
    """Return why settings of `--set` are refused, each by itself."""
    messages = []
    for setting in settings:
        try:
            validated(read_changed(path, [setting], "a-name"))
        except UserError as error:
            messages.append(str(error))
    return messages


def _readable(source: YamlSource, error: ValidationError) -> UserError:
    location, message = refusal(error)
    # A union adds the member's name, which is not in the file.
    if location[:1] == ("figures",) and location[2:3] and location[2] in KINDS:
        location = (*location[:2], *location[3:])
    return source.error(location, message)
