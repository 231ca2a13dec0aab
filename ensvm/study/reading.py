"""Finding and reading a study's config, with one readable message for whatever is wrong in it."""

import os
from pathlib import Path

from pydantic import ValidationError

from ensvm.data.errors import near_miss
from ensvm.shipped import shipped_configs
from ensvm.study.config import StudyConfig
from ensvm.study.figure import KINDS
from ensvm.study.source import ConfigError, Location, YamlSource
from ensvm.study.sweeps import expand_sweeps


def find_config(name: str) -> Path:
    """Return the path of a config: a file as given, or a shipped study's name such as `ijcai07`.

    Raises ConfigError naming the shipped studies when there is neither.
    """
    path = Path(name)
    if os.path.isfile(path):  # False, not an error, for a name that is too long
        return path
    shipped = shipped_configs()
    # A path of a checkout, such as configs/ijcai07.yaml, means the shipped study where there is no
    # checkout.
    candidate = shipped / f"{path.stem}.yaml"
    if (
        path.parent.as_posix() in (".", "configs")
        and path.suffix in ("", ".yaml")
        and os.path.isfile(candidate)
    ):
        return candidate
    if os.path.exists(path):
        raise ConfigError(f"{name}: not a regular file; a config is a text file in YAML")
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
    config.check(source)
    return config, source


def _readable(source: YamlSource, error: ValidationError) -> ConfigError:
    first = error.errors()[0]
    # `[key]` is how pydantic marks a mapping's key, and a union adds the member's name: neither is
    # in the file.
    given = first["loc"]
    kind_at = 2 if given[:1] == ("figures",) and given[2:3] and given[2] in KINDS else None
    location: Location = tuple(
        part for at, part in enumerate(given) if part != "[key]" and at != kind_at
    )
    message = first["msg"].removeprefix("Value error, ")
    if first["type"] == "unknown_key":
        key, known = first["ctx"]["key"], first["ctx"]["known"]
        location = (*location, key)
        message = f"unknown key; accepted here: {', '.join(known)}{near_miss(key, known)}"
    elif first["type"] == "unknown_kind":
        location = (*location, "kind")
        message += f", got {first['input']['kind']!r}"
    elif first["type"] == "missing":
        message = "the key is missing"
    elif not isinstance(first["input"], dict | list) and repr(first["input"]) not in message:
        message += f", got {first['input']!r:.60}"
        if isinstance(first["input"], bool) and first["type"] in ("string_type", "model_type"):
            message += " (YAML reads yes, no, on, off as true or false: put names in quotes)"
    more = error.error_count() - 1
    return source.error(location, message + (f" (and {more} more)" if more else ""))
