"""Parameters by row: `params_of:` of an algorithm, from a table in a CSV file or in the config."""

import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from ensvm.data.files.foreign_content import absent_file
from ensvm.errors import UserError
from ensvm.study.algorithms import AlgorithmConfig
from ensvm.study.csv_lines import NOT_GIVEN, csv_lines, slip_in_number
from ensvm.study.overrides import with_keys
from ensvm.study.source import Location, YamlSource
from ensvm.yaml_text import Loader

if TYPE_CHECKING:
    from ensvm.study.config import StudyConfig

KEY = "params_of"
HEADER = "`row` and the names of parameters, such as row,C,gamma"


def with_params_read(source: YamlSource) -> YamlSource:
    """Return a source in which the tables of parameters stand in place of the files' names.

    The text of the source is then complete: a copy of it does not need the files. Raises UserError
    if a file is not such a table.
    """
    algorithms = source.content.get("algorithms")
    blocks = algorithms.items() if isinstance(algorithms, dict) else ()
    named = {
        name: block[KEY]
        for name, block in blocks
        if isinstance(block, dict) and isinstance(block.get(KEY), str)
    }
    if not named:
        return source
    changed = dict(algorithms or {})
    for name, file in named.items():
        location: Location = ("algorithms", name, KEY)
        path = source.path.parent / file
        if not path.is_file():
            raise source.error(location, absent_file(path))
        rows, positions = _read_table(path, _names_by_label(source))
        changed[name] = {**changed[name], KEY: rows}
        source.elsewhere |= {(*location, row): text for row, text in positions.items()}
    source.replace({**source.content, "algorithms": changed})
    return source


def _names_by_label(source: YamlSource) -> dict[str, str]:
    """Return the names of data sets by those labels that only one of them has."""
    datasets = source.content.get("datasets")
    entries = [one for one in datasets or () if isinstance(one, dict) and "label" in one]
    pairs = [(str(one["label"]), str(one.get("name", one.get("card")))) for one in entries]
    times = Counter(label for label, _ in pairs)
    return {label: name for label, name in pairs if times[label] == 1}


def _read_table(
    path: Path, names_by_label: Mapping[str, str]
) -> tuple[dict[str, dict[str, Any]], dict[str, str]]:
    """Return the parameters in a file by data set, and where the line of each data set is."""
    lines = csv_lines(path)
    first = next(lines, None)
    if first is None or len(first.fields) < 2:
        position = str(path) if first is None else first.position
        raise UserError(f"{position}: expected a header: {HEADER}")
    names = first.fields[1:]
    if numbers := [name for name in names if re.match(r"[-+.\d]", name)]:
        message = f"the header is missing, or {numbers[0]!r} is not the name of a parameter"
        raise UserError(f"{first.position}: {message}; accepted: {HEADER}")
    if twice := [name for name, times in Counter(names).items() if times > 1 or not name]:
        message = f"the header names {twice[0]!r} twice" if twice[0] else "a parameter has no name"
        raise UserError(f"{first.position}: {message}")
    rows, positions = dict[str, dict[str, Any]](), dict[str, str]()
    for position, (title, *texts) in lines:
        row = names_by_label.get(title, title)
        if len(texts) != len(names):
            counts = f"{len(texts) + 1} fields, and the header has {len(names) + 1}"
            hint = "; accepted: as many; an empty field or `-` leaves a parameter as it is"
            raise UserError(f"{position}: {','.join([row, *texts])!r:.200} has {counts}{hint}")
        if row in rows:
            raise UserError(f"{position}: the data set {row!r} is given twice")
        values = zip(names, texts, strict=True)
        rows[row] = {
            name: _value(position, name, text) for name, text in values if text not in NOT_GIVEN
        }
        positions[row] = position
    return rows, positions


def _value(position: str, name: str, text: str) -> Any:
    """Return what a field means as a value in YAML: a number, true or false, or a text."""
    if slip := slip_in_number(text):
        raise UserError(f"{position}: {name} has {text!r:.60}; {slip}")
    try:
        return yaml.load(text, Loader)
    except yaml.YAMLError as error:
        raise UserError(f"{position}: {name} has {text!r:.60}, which is not a value") from error


def rows_without_params(
    config: "StudyConfig", elsewhere: Mapping[Location, str]
) -> dict[str, list[str]]:
    """Return the data sets that a file of parameters leaves out, by algorithm.

    `elsewhere` has the rows of files, as a source notes them.
    """
    of_files = dict.fromkeys(at[1] for at in elsewhere if at[:1] == ("algorithms",) and KEY in at)
    left_out = {
        str(name): [
            entry.name
            for entry in config.datasets
            if entry.copy_of is None
            and entry.unavailable is None
            and str(name) in config.algorithms_of(entry)
            and entry.name not in config.algorithms[str(name)].params_of
        ]
        for name in of_files
        if name in config.algorithms
    }
    return {name: rows for name, rows in left_out.items() if rows}


def params_on(
    source: YamlSource, name: str, block: AlgorithmConfig, dataset: str
) -> Mapping[str, Any]:
    """Return the parameters of an algorithm on a data set: its own ones, and those of the row.

    Raises UserError if a key is a path that leads into what is not a block.
    """
    keys = block.params_of.get(dataset)
    if not keys:
        return block.params
    # A whole block comes before keys in it, whatever the order in the config.
    ordered = {key: keys[key] for key in sorted(keys, key=len)}
    return with_keys(source, ("algorithms", name, KEY, dataset), block.params, ordered)
