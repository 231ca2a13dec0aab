"""Finding and reading a study's config, with one readable message for whatever is wrong in it."""

import os
from pathlib import Path

from pydantic import ValidationError

from ensvm.data.errors import near_miss
from ensvm.shipped import shipped_configs
from ensvm.study.block import refusal
from ensvm.study.config import StudyConfig
from ensvm.study.figures.kinds import KINDS
from ensvm.study.source import ConfigError, YamlSource
from ensvm.study.sweeps import expand_sweeps


def find_config(name: str) -> Path:
    """Return the path of a config: a file as given, or a shipped study's name such as `ijcai07`.

    Raises ConfigError naming the shipped studies when there is neither.
    """
    path, shipped = Path(name), shipped_configs()
    # Where there is no checkout, configs/ijcai07.yaml means the shipped study, too.
    candidate = shipped / f"{path.stem}.yaml"
    may_be_shipped = path.parent.as_posix() in (".", "configs") and path.suffix in ("", ".yaml")
    if may_be_shipped and not os.path.isfile(path) and os.path.isfile(candidate):
        return candidate
    if os.path.exists(path):  # False, not an error, for a name that is too long
        return path
    studies = sorted(config.stem for config in shipped.glob("*.yaml"))
    raise ConfigError(
        f"{name}: no such file, and no shipped study of that name; "
        f"shipped: {', '.join(studies)}{near_miss(path.stem, studies)}"
    )


def reproduced() -> list[str]:
    """Return the names of the shipped studies that stand for a paper, not for a variant of one."""
    shipped = sorted(shipped_configs().glob("*.yaml"))
    return [path.stem for path in shipped if read_config(path)[0].reproduce]


def read_config(path: Path, text: str | None = None) -> tuple[StudyConfig, YamlSource]:
    """Read and validate a config, the file's or the `text` that stands for it.

    Names of cards and estimators are left to the runner. Raises ConfigError.
    """
    source = YamlSource(path, text)
    try:
        config = StudyConfig.model_validate(expand_sweeps(source))
    except ValidationError as error:
        raise _readable(source, error) from error
    config = config.with_readings(source)
    config.check(source)
    return config, source


def _readable(source: YamlSource, error: ValidationError) -> ConfigError:
    location, message = refusal(error)
    # A union adds the member's name, which is not in the file.
    if location[:1] == ("figures",) and location[2:3] and location[2] in KINDS:
        location = (*location[:2], *location[3:])
    return source.error(location, message)
