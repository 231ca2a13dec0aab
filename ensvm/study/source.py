"""YAML text with the line of every key, so that a message can say where a thing is wrong."""

import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import yaml

from ensvm.data.errors import near_miss
from ensvm.records.validation import CONTROL

Location = tuple[str | int, ...]

# What is beyond these is no study but a mistake, or a file made to exhaust the memory: the longest
# shipped config has 22 kB, 3,000 nodes (keys, values, lists, blocks) and 7 levels. What an alias
# stands for counts each time.
MAX_BYTES = 500_000
MAX_NODES = 50_000
MAX_DEPTH = 40
MAX_DIGITS = 100  # characters of one number
LARGEST_INTEGER = 2**63 - 1  # of 64 bits

_KINDS: dict[type[yaml.Node], set[str]] = {
    yaml.ScalarNode: {"str", "int", "float", "bool", "null"},
    yaml.SequenceNode: {"seq"},
    yaml.MappingNode: {"map"},
}
_READ_FROM = {*_KINDS[yaml.ScalarNode], "merge"}  # dates are not: they stay the text they are
_NO_TEXT = re.compile("[\0\ud800-\udfff]")
_TOO_DEEP = f"nested deeper than {MAX_DEPTH} levels, or an anchor used inside what it names"


def _short(tag: str) -> str:
    return tag.removeprefix("tag:yaml.org,2002:")


class ConfigError(ValueError):
    """A config the user can mend; the message names file, line, key, value and what is accepted."""


class _Loader(yaml.SafeLoader):
    """YAML of text, numbers, lists and blocks; a date is text, and a wrong number has its line."""

    yaml_implicit_resolvers = {  # noqa: RUF012 (declared by the base class)
        first: [rule for rule in rules if _short(rule[0]) in _READ_FROM]
        for first, rules in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        try:
            value = super().construct_object(node, deep)
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            problem = f"{node.value!r:.60} is no value of the type !!{_short(node.tag)}"
            raise yaml.constructor.ConstructorError(None, None, problem, node.start_mark) from error
        if isinstance(value, int) and abs(value) > LARGEST_INTEGER:
            problem = f"the whole number {node.value} is beyond 64 bits"
            raise yaml.constructor.ConstructorError(None, None, problem, node.start_mark)
        return value


def read_text(path: Path) -> str:
    """Return the text of a file of a study; raises ConfigError where it is no such file."""
    try:
        if os.path.exists(path) and not os.path.isfile(path):  # a pipe or a device may never end
            raise ConfigError(f"{path}: not a regular file, which a config and its parts are")
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
        if len(content) > MAX_BYTES:
            raise ConfigError(f"{path}: larger than {MAX_BYTES:,} bytes, which no config is")
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: not a text file in UTF-8: {error}") from error
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from error


class YamlSource:
    """One YAML file: its `content` (a mapping) and the line of each key in it.

    `text` is what the file holds, where it is known already.

    `moved` maps the location of a thing that was made from the content to where it stands in the
    file.

    Raises ConfigError when the file cannot be read, is empty, is not YAML, is not a mapping, gives
    a key twice, or is larger or deeper than any study.
    """

    def __init__(self, path: Path, text: str | None = None) -> None:
        self.path = path
        self._lines: dict[Location, int] = {(): 1}
        self._n_nodes = 0
        self.moved: dict[Location, Location] = {}
        self.content = self._parsed(read_text(path) if text is None else text)

    def _parsed(self, text: str) -> dict[str, Any]:
        try:
            loader = _Loader(text)
            node = loader.get_single_node()
            if node is None:
                raise ConfigError(
                    f"{self.path}: the file is empty; "
                    "a study needs at least study, datasets and algorithms"
                )
            self._walk(node, (), loader)
            content = loader.construct_document(node)
        except yaml.reader.ReaderError as error:
            line = text.count("\n", 0, error.position) + 1
            raise ConfigError(
                f"{self.path}, line {line}: not YAML: the character {chr(error.character)!r}"
            ) from error
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            where = f", line {mark.line + 1}" if mark else ""
            raise ConfigError(
                f"{self.path}{where}: not YAML: {error.problem or error.context}"
            ) from error
        except RecursionError as error:
            raise ConfigError(f"{self.path}: {_TOO_DEEP}") from error
        except (ValueError, OverflowError) as error:
            if isinstance(error, ConfigError):
                raise
            # `chr` of an escape such as "\UFFFFFFFF", of which the parser keeps no place
            raise ConfigError(f"{self.path}: not YAML: an escape of no character") from error
        if not isinstance(content, dict):
            raise ConfigError(
                f"{self.path}: expected a mapping of keys (study: ..., datasets: ...), "
                f"got {content!r:.60}"
            )
        return content

    def error(self, location: Location, message: str) -> ConfigError:
        """Return the ConfigError for `message` at `location`, a path of keys and list indices."""
        location = self.moved.get(location[:2], location[:2]) + location[2:]
        for depth in range(len(location)):  # a key that is a number, not a place in a list
            as_key = (*location[:depth], str(location[depth]))
            if as_key in self._lines:
                location = as_key + location[depth + 1 :]
        known = location
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
        before = set[str]()
        for index, name in enumerate(names):
            if name in before:
                raise self.error((block, index, *key), f"the {what} {name!r} is given twice")
            before.add(name)

    def _walk(self, node: yaml.Node, location: Location, loader: _Loader) -> None:
        """Note the line of every key; refuse what no study holds before any of it is made."""
        self._lines.setdefault(location, node.start_mark.line + 1)
        self._n_nodes += 1
        if self._n_nodes > MAX_NODES:
            raise self.error((), f"more than {MAX_NODES:,} keys and values, aliases written out")
        if len(location) > MAX_DEPTH:
            raise self.error(location[:1], _TOO_DEEP)
        self._check_node(node, location)
        if isinstance(node, yaml.MappingNode):
            for key_node, value_node in node.value:
                key, line = self._key(key_node, location, loader), key_node.start_mark.line + 1
                if (*location, key) in self._lines:
                    message = f"the key is given twice (again at line {line})"
                    raise self.error((*location, key), message)
                self._lines[*location, key] = line
                self._walk(value_node, (*location, key), loader)
        elif isinstance(node, yaml.SequenceNode):
            for index, value_node in enumerate(node.value):
                self._walk(value_node, (*location, index), loader)

    def _check_node(self, node: yaml.Node, location: Location) -> None:
        """Refuse a type that no key has, and text or a number that cannot be kept."""
        kind, accepted = _short(node.tag), _KINDS[type(node)]
        if kind not in accepted:
            tags = ", ".join(f"!!{name}" for name in sorted(accepted))
            raise self.error(location, f"the tag {node.tag} is not accepted; accepted: {tags}")
        if kind == "str" and (found := _NO_TEXT.search(node.value)):
            message = f"no file can hold the character {found[0]!r} as text"
            raise self.error(location, f"{message}; write another, or the pair's character itself")
        control = CONTROL.search(node.value) if kind == "str" else None
        # A delimiter, and a mark of missing values, may be such a character.
        of_a_file = location[-1:] == ("delimiter",) or location[-2:-1] == ("missing",)
        if control and not of_a_file:
            raise self.error(location, f"the control character {control[0]!r} is not accepted")
        if kind in ("int", "float") and len(node.value) > MAX_DIGITS:
            raise self.error(location, f"a number of more than {MAX_DIGITS} characters")

    def _key(self, node: yaml.Node, location: Location, loader: _Loader) -> str:
        """Return a key as text; of a whole number, which may be a label, how Python writes it."""
        kind = _short(node.tag)
        if not isinstance(node, yaml.ScalarNode) or kind not in ("str", "int", "merge"):
            given = f"{node.value!r} (YAML reads it as !!{kind})"
            given = given if isinstance(node, yaml.ScalarNode) else "a list or a block"
            where = f"line {node.start_mark.line + 1}"
            raise self.error(location, f"a key is text, got {given} in {where}; put it in quotes")
        if kind != "merge":
            self._check_node(node, location)
        return str(loader.construct_object(node)) if kind == "int" else str(node.value)
