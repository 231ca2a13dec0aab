"""YAML text with the line of every key, so that a message can say where a thing is wrong."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import yaml

from ensvm.data.errors import near_miss

Location = tuple[str | int, ...]


class ConfigError(ValueError):
    """A config the user can mend; the message names file, line, key, value and what is accepted."""


class YamlSource:
    """One YAML file: its `content` (a mapping) and the line of each key in it.

    `text` is what the file holds, where it is known already.

    `moved` maps the location of a thing that was made from the content to where it stands in the
    file.

    Raises ConfigError when the file cannot be read, is empty, is not YAML, is not a mapping or
    gives a key twice.
    """

    def __init__(self, path: Path, text: str | None = None) -> None:
        self.path = path
        self._lines: dict[Location, int] = {(): 1}
        self.moved: dict[Location, Location] = {}
        text = self._read() if text is None else text
        try:
            node = yaml.compose(text, Loader=yaml.SafeLoader)
            self.content: dict[str, Any] = yaml.safe_load(text)
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            where = f", line {mark.line + 1}" if mark else ""
            raise ConfigError(
                f"{path}{where}: not YAML: {error.problem or error.context}"
            ) from error
        except yaml.YAMLError as error:
            raise ConfigError(f"{path}: not YAML: {error}") from error
        if node is None:
            raise ConfigError(
                f"{path}: the file is empty; a study needs at least study, datasets and algorithms"
            )
        if not isinstance(node, yaml.MappingNode):
            raise ConfigError(
                f"{path}: expected a mapping of keys (study: ..., datasets: ...), "
                f"got {self.content!r:.60}"
            )
        self._walk(node, ())

    def error(self, location: Location, message: str) -> ConfigError:
        """Return the ConfigError for `message` at `location`, a path of keys and list indices."""
        known = location = self.moved.get(location[:2], location[:2]) + location[2:]
        while known not in self._lines:
            known = known[:-1]
        key = "".join(
            f"[{part + 1}]" if isinstance(part, int) else f".{part}" for part in location
        ).lstrip(".")
        return ConfigError(
            f"{self.path}, line {self._lines[known]}: {key + ': ' if key else ''}{message}"
        )

    def must_be_one_of(
        self, location: Location, what: str, name: str, accepted: Iterable[str]
    ) -> None:
        """Raise ConfigError unless `name` is among the accepted names of `what`."""
        names = list(accepted)
        if name not in names:
            message = f"unknown {what} {name!r}; accepted: {', '.join(names)}"
            raise self.error(location, message + near_miss(name, names))

    def must_be_distinct(self, block: str, what: str, names: list[str], *key: str) -> None:
        """Raise ConfigError where an entry of a list has the name of one before it."""
        for index, name in enumerate(names):
            if name in names[:index]:
                raise self.error((block, index, *key), f"the {what} {name!r} is given twice")

    def _read(self) -> str:
        try:
            return self.path.read_text(encoding="utf-8")
        except UnicodeDecodeError as error:
            raise ConfigError(f"{self.path}: not a text file in UTF-8: {error}") from error
        except OSError as error:
            raise ConfigError(f"{self.path}: cannot be read: {error.strerror}") from error

    def _walk(self, node: yaml.Node, location: Location) -> None:
        self._lines.setdefault(location, node.start_mark.line + 1)
        if isinstance(node, yaml.MappingNode):
            for key_node, value_node in node.value:
                inner = (*location, key_node.value)
                if inner in self._lines:
                    raise self.error(
                        inner,
                        f"the key is given twice (again at line {key_node.start_mark.line + 1})",
                    )
                self._lines[inner] = key_node.start_mark.line + 1
                self._walk(value_node, inner)
        elif isinstance(node, yaml.SequenceNode):
            for index, value_node in enumerate(node.value):
                self._walk(value_node, (*location, index))
