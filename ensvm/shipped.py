"""Where the configs, dataset cards and data files that travel with the package lie."""

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def shipped_configs() -> Path:
    """Return the folder of the study configs (`configs/` in a checkout)."""
    return _folder("configs")


def shipped_config(study: str) -> Path | None:
    """Return the config of a shipped study; None if no shipped study has this name."""
    path = shipped_configs() / f"{study}.yaml"
    return path if path.is_file() else None


def shipped_datasets() -> Path:
    """Return the folder of the dataset cards and shipped data files (`datasets/` in a checkout)."""
    return _folder("datasets")


def _folder(name: str) -> Path:
    # A wheel puts them inside the package; a checkout (editable install) has them beside it.
    inside = _PACKAGE / name
    return inside if inside.is_dir() else _PACKAGE.parent / name
