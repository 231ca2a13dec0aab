"""A study's config copied with what it needs beside it, under a name of its own."""

import re
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from ensvm.errors import UserError
from ensvm.records.writing import copy_file, replace_file
from ensvm.shipped import SCHEMA_COMMENT, schema_line, shipped_config, shipped_configs
from ensvm.study.block import Name
from ensvm.study.config import read_config
from ensvm.study.source import PARTS, read_text


def copy_study(path: Path, name: str | None = None, *, force: bool = False) -> list[Path]:
    """Copy a config, its parts and its printed values; return the files, the config first.

    The first line of each copied YAML file names the schema of configs, for editors.

    Parameters
    ----------
    path : Path
        The config. The copy of a shipped one is written into the current folder, that of another
        beside it, so that its paths stay right.
    name : str or None, default None
        The name of the new study and of its files; None for `my-STUDY`.
    force : bool, default False
        Whether a file of that name is overwritten.

    Raises
    ------
    UserError
        If the name is not accepted or that of another study, or the file exists.
    """
    config, _ = read_config(path)
    name = name or f"my-{config.study}"
    try:
        TypeAdapter(Name).validate_python(name)
    except ValidationError as error:
        message = f"{name!r} is not accepted as the name of a study: letters, digits, _ . + -"
        raise UserError(message) from error
    if name == config.study or shipped_config(name) is not None:
        raise UserError(f"{name!r} is the name of another study; choose one of its own")
    folder = Path() if path.parent == shipped_configs() else path.parent
    target = folder / f"{name}.yaml"
    if target.exists() and not force:
        raise UserError(f"{target} exists; choose another name, or --force to overwrite it")
    text = re.sub(r"^study:.*", f"study: {name}", read_text(path), count=1, flags=re.MULTILINE)
    of_parts = [path.with_suffix("") / f"{part}.yaml" for part in PARTS]
    copies = {file: folder / name / file.name for file in of_parts if file.is_file()}
    for printed in (of_paper.file for of_paper in config.published.values()):
        copies[path.parent / printed] = folder / name / Path(printed).name
        head, key, rest = text.partition("\npublished:")
        text = head + key + rest.replace(printed, f"{name}/{Path(printed).name}", 1)
    replace_file(target, _with_schema(text))
    for file, copied in copies.items():
        copied.parent.mkdir(exist_ok=True)
        if file in of_parts:
            replace_file(copied, _with_schema(read_text(file)))
        else:
            copy_file(file, copied)
    return [target, *copies.values()]


def _with_schema(text: str) -> str:
    """Return a text of YAML with a first line that names the schema of this installation."""
    return schema_line() + re.sub(rf"\A{SCHEMA_COMMENT}.*\n", "", text)
