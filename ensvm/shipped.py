"""Where the configs, dataset cards, data files and results that travel with the package lie."""

import os
from pathlib import Path

from ensvm.errors import UserError, did_you_mean, in_any_case

RESULTS = Path("results")  # where runs write by default
SHIPPED = "shipped"  # the folder in `results/`, and the name of these results for `ensvm compare`
CONFIG_ENDINGS = (".yaml", ".yml", ".json")
_PACKAGE = Path(__file__).resolve().parent


def shipped_configs() -> Path:
    """Return the folder of the study configs (`configs/` in a checkout)."""
    return _folder("configs")


def shipped_names() -> list[str]:
    """Return the names of the shipped studies."""
    return sorted(config.stem for config in shipped_configs().glob("*.yaml"))


def shipped_name(name: str) -> str:
    """Return the name of a shipped study that was given in other capital letters, else `name`."""
    return in_any_case(name, shipped_names())


def shipped_config(study: str) -> Path | None:
    """Return the config of a shipped study; None if no shipped study has this name."""
    path = shipped_configs() / f"{study}.yaml"
    return path if path.is_file() else None


def find_config(name: str) -> Path:
    """Return the path of a config: a file as given, or a shipped study's name such as `ijcai07`.

    Raises UserError, which names the shipped studies, if there is neither, and if the file is not a
    YAML file.
    """
    path, shipped = Path(name), shipped_configs()
    # Without a checkout, configs/ijcai07.yaml means the shipped study too.
    candidate = shipped / f"{shipped_name(path.stem)}.yaml"
    may_be_shipped = path.parent.as_posix() in (".", "configs") and path.suffix in ("", ".yaml")
    if may_be_shipped and not os.path.isfile(path) and os.path.isfile(candidate):
        return candidate
    if os.path.exists(path):  # False, not an error, for a name that is too long
        if path.suffix not in ("", *CONFIG_ENDINGS) and os.path.isfile(path):
            raise UserError(
                f"{name}: not a config, whose name ends in .yaml; if it is a table of data, "
                f"`ensvm init {name}` writes a config for it"
            )
        if os.path.isdir(path):
            accepted = "the file of a config, or the name of a shipped study"
            raise UserError(f"{name}: a folder, not a config; accepted: {accepted}")
        return path
    studies = shipped_names()
    raise UserError(
        f"{name}: no such file, and no shipped study of that name; "
        f"shipped: {', '.join(studies)}{did_you_mean(path.stem, studies)}"
    )


def shipped_results() -> Path:
    """Return the folder of the results that come with ensvm (`results/shipped/` in a checkout).

    Runs do not write into it. In a checkout it lies in the folder of results that runs use by
    default, which shows it until something is run there.
    """
    return _folder("results") / SHIPPED


def shipped_records(study: str) -> Path | None:
    """Return the folder with the results of a shipped study; None if there are none."""
    folder = shipped_results() / study
    return folder if shipped_config(study) and (folder / "cells.jsonl.xz").is_file() else None


def shipped_datasets() -> Path:
    """Return the folder of the dataset cards and shipped data files (`datasets/` in a checkout)."""
    return _folder("datasets")


def card_files(folder: Path) -> list[Path]:
    """Return the dataset cards in a folder, sorted by name; each has the name of its data set."""
    return sorted(folder.glob("*.yaml"), key=lambda path: path.stem)


def _folder(name: str) -> Path:
    # A wheel puts them inside the package; a checkout (editable install) has them beside it.
    inside = _PACKAGE / name
    return inside if inside.is_dir() else _PACKAGE.parent / name
