"""The YAML of a config, with the file and line of every key, so that messages can name them."""

import codecs
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml

from ensvm.counts import counted
from ensvm.errors import Mistakes, UserError, did_you_mean, unreadable
from ensvm.name_lists import first_names
from ensvm.yaml_block import MOST_MISTAKES
from ensvm.yaml_block import Location as Location
from ensvm.yaml_text import Loader, dump, type_of

# Blocks that may be in files of their own: `claims:` of configs/x.yaml in configs/x/claims.yaml.
PARTS = ("abstract", "claims", "readings", "assumptions", "findings")
NAMING = ("name", "id", "card", "algorithm")  # keys that name an entry of a list


class ConfigError(UserError):
    """An error at one `location` of a config.

    It `is_sure` if no other mistake of the same block can be its cause.
    """

    location: Location = ()
    is_sure = False


def read_text(path: Path) -> str:
    """Return the text of one file of a study.

    Raises
    ------
    UserError
        If the file cannot be read or is not text.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise unreadable(path, error) from error
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        wrong = f"the byte 0x{content[error.start]:02x}"
        if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            wrong = "it is UTF-16"
        line = content.count(b"\n", 0, error.start) + 1
        message = f"not a text file in UTF-8: {wrong}; save the file as UTF-8"
        raise UserError(f"{path}, line {line}: {message}") from error


def _texts(path: Path) -> list[tuple[Path, str]]:
    """Return the files of a config with their texts, the main file first."""
    texts = [(path, read_text(path))]
    for name in PARTS:
        part = path.with_suffix("") / f"{name}.yaml"
        if part.is_file():
            text = read_text(part)
            # Without its key, a list would go on with the block before it.
            if not re.search(rf"^{name}:", text, re.MULTILINE):
                raise UserError(f"{part}: the key `{name}:` is missing")
            texts.append((part, text))
    if len(texts) == 1:
        return texts
    return [(file, text if text.endswith("\n") else f"{text}\n") for file, text in texts]


_IN_QUOTES = "put a text with a colon or one of , { } [ ] ' in double quotes"
# What to write, by the problem that the YAML reader finds.
_HINTS = {
    "mapping values are not allowed": "put a text with a colon and a space in quotes",
    "cannot start any token": "put a text that begins with %, @ or ` in quotes",
    "undefined alias": "put a text that begins with * in quotes",
    "expected alphabetic or numeric": "put a text that begins with * or & in quotes",
    "tab character": "indent by spaces",
    "expected '-' indicator": "an entry of a list begins with `- `, in the column of the others",
    "expected ',' or '}'": f"a block in braces ends with `}}`; {_IN_QUOTES}",
    "expected ',' or ']'": f"a list in brackets ends with `]`; {_IN_QUOTES}",
    "expected key": "keys of one block begin in one column; quotes go around a whole text",
    "expected comment or line break": "put a text that begins with | or > in quotes",
    "unknown escape character": "write a backslash twice, or put the text in single quotes",
    "another document": "a config is one document; leave out `---`",
    "block sequence entries": "a list begins in a line of its own, or stands in brackets",
    "could not find expected ':'": "a key ends with a colon and a space",
    "unexpected end of stream": "a quotation mark is opened and not closed",
    "could not determine a constructor": "put a text that begins with ! in quotes",
}


def _hint(error: yaml.MarkedYAMLError, text: str) -> str:
    """Return the characters where a text is not YAML, and what to write there."""
    mark = error.problem_mark
    lines = text.splitlines()[mark.line : mark.line + 1] if mark else []
    line, column = (lines[0], mark.column) if lines and mark else ("", 0)
    said = "tab character" if line[column : column + 1] == "\t" else str(error.problem)
    around = line[max(0, column - 30) : column + 30].strip()
    hint = next((hint for problem, hint in _HINTS.items() if problem in said), "")
    return (f" at {around!r}" if around else "") + (f"; {hint}" if hint else "")


def listed(accepted: Iterable[str]) -> str:
    """Return the names that are accepted, for a message."""
    return first_names(accepted) or "none, since the study has none"


def _is_empty(node: yaml.Node) -> bool:
    """Return whether a key has no value, as `b` in `{a: 1, b}`."""
    quotes = ("'", '"')
    return isinstance(node, yaml.ScalarNode) and node.value == "" and node.style not in quotes


class YamlSource:
    """A config as read from its files: the `content` (a mapping) and the line of each key in it.

    Its blocks `abstract`, `claims`, `readings`, `assumptions` and `findings` may be in files of
    their own, in the folder of its name. If the file was read already, `text` is its content.

    Raises UserError if a file cannot be read, is not YAML or not a mapping, or if a key is given
    twice.
    """

    def __init__(self, path: Path, text: str | None = None) -> None:
        self.path = path
        # The files are parsed as one text, so that a copy of that text is a complete config.
        self._texts = _texts(path) if text is None else [(path, text)]
        self._lines: dict[Location, int] = {(): 1}
        self._written = ""
        self.moved: dict[Location, Location] = {}  # where the file has a part of the content
        self.elsewhere: dict[Location, str] = {}  # parts of the content that other files have
        self._depth = 0  # of uses of `collecting`
        self._noted: list[UserError] = []
        self._doubtful: set[Location] = set()  # blocks in which errors were found before
        self.incomplete: set[str | int] = set()  # blocks whose wrong entries are left out
        self._wrong_before: set[Location] = set()  # places of errors that were found before
        self.overridden: dict[Location, Callable[[Location, str], UserError]] = {}
        self.written: set[Location] = set()  # what a study that is built on another changes
        self.idle_changes: list[UserError] = []  # of these, the ones without effect, with reasons
        self.content = self._parsed(self.text)

    def replace(self, content: dict[str, Any]) -> None:
        """Set another content, made from that of the files; `text` is then written from it."""
        self.content = content
        self._written = dump(content, width=100)

    @property
    def text(self) -> str:
        """The whole config as one text, which needs no other file."""
        return self._written or "".join(text for _, text in self._texts)

    def _parsed(self, text: str) -> dict[str, Any]:
        try:
            loader = Loader(text)
            node = loader.get_single_node()
            if node is None:
                raise UserError(
                    f"{self.path}: the file is empty; "
                    "a study needs at least study, datasets and algorithms"
                )
            self._walk(node, (), loader)
            content = loader.construct_document(node)
        except yaml.reader.ReaderError as error:
            line = self._line_name(text.count("\n", 0, error.position) + 1)
            character = chr(error.character)
            raise UserError(f"{line}: not YAML: the character {character!r}") from error
        except yaml.MarkedYAMLError as error:
            problem = f"{error.problem or error.context}{_hint(error, text)}"
            raise UserError(f"{self._line_of(error)}: not YAML: {problem}") from error
        if not isinstance(content, dict):
            raise UserError(
                f"{self.path}: expected a mapping of keys (study: ..., datasets: ...), "
                f"got {content!r:.60}"
            )
        return content

    def _file_of(self, line: int) -> tuple[Path, int]:
        """Return the file that a line of the whole text is in, and its number there."""
        for path, text in self._texts[:-1]:
            n_lines = text.count("\n")
            if line <= n_lines:
                return path, line
            line -= n_lines
        return self._texts[-1][0], line

    def _line_name(self, line: int) -> str:
        path, number = self._file_of(line)
        return f"{path}, line {number}"

    def _line_of(self, error: yaml.MarkedYAMLError) -> str:
        """Return the file and line of a YAML error: where it is, unless that is another file."""
        marks = [mark for mark in (error.context_mark, error.problem_mark) if mark is not None]
        lines = [mark.line + 1 for mark in marks]
        if not lines:
            return str(self.path)
        one_file = self._file_of(lines[0])[0] == self._file_of(lines[-1])[0]
        return self._line_name(lines[-1] if one_file else lines[0])

    @contextmanager
    def collecting(self) -> Iterator[None]:
        """Raise all errors that are noted inside, together, at the end of the outermost use.

        Errors about a block in which an earlier use found one may follow from it: they are left
        out, except those that are sure.
        """
        self._depth += 1
        doubtful, self._doubtful = self._doubtful, {error.block for error in self._noted}
        wrong, self._wrong_before = self._wrong_before, set(self._wrong_places())
        try:
            with self.noting():
                yield
        finally:
            self._depth -= 1
            self._doubtful, self._wrong_before = doubtful, wrong
            noted = [] if self._depth else self._noted
            self._noted = self._noted if self._depth else []
        if len(noted) == 1:
            raise noted[0]
        if noted:
            messages = list(dict.fromkeys(text for each in noted for text in each.messages))
            if more := messages[MOST_MISTAKES:]:
                messages[MOST_MISTAKES:] = [
                    f"{self.path}: and {counted(len(more), 'mistake')} more"
                ]
            raise Mistakes(messages)

    @contextmanager
    def noting(self) -> Iterator[None]:
        """Note an error, and go on behind the block; without `collecting`, raise it."""
        try:
            yield
        except UserError as error:
            if not self._depth:
                raise
            is_sure = (
                isinstance(error, ConfigError)
                and error.is_sure
                and error.location not in self._wrong_before
            )
            if is_sure or not error.block or error.block not in self._doubtful:
                self._noted.append(error)
        except Exception:
            if not self._noted:  # else it follows from a mistake that is told
                raise

    def refuse(self, location: Location, message: str, *, is_sure: bool = False) -> None:
        """Raise UserError for `message` at `location`, or note it while errors are collected.

        An error that `is_sure` is about the written value alone, so that no other mistake of its
        block can be its cause.
        """
        with self.noting():
            error = self.error(location, message)
            error.is_sure = is_sure
            raise error

    def error(self, location: Location, message: str) -> ConfigError:
        """Return the UserError for `message` at `location`, a path of keys and list indices."""
        error = ConfigError(str(self._error(location, message)))
        error.location, error.block = location, location[:2]
        return error

    def distinct_lines(self, found: Iterable[tuple[Location, str]]) -> list[str]:
        """Return what messages say at their locations, a line each; equal lines stand once."""
        return list(dict.fromkeys(str(self.error(at, message)) for at, message in found))

    def is_written(self, location: Location) -> bool:
        """Return whether a key, or a part of its value, is the user's own and not of a base."""
        if "derived" not in self.content:
            return True
        location = self.place_of(location)
        return any(
            at[: len(location)] == location or location[: len(at)] == at for at in self.written
        )

    def stands_at(self, location: Location) -> bool:
        """Return whether an entry has a key itself, and not by an alias for an earlier block."""
        n_lines = self._lines.get(location, 0)
        return n_lines >= self._lines.get(location[:2], 1) or any(
            location[: len(at)] == at for at in self.written
        )

    def place_of(self, location: Location) -> Location:
        """Return where the file has a part of the content."""
        for depth in range(len(location), 0, -1):
            if location[:depth] in self.moved:
                return self.moved[location[:depth]] + location[depth:]
        return location

    def leave_out(self, entry: Location, n_entries: int) -> None:
        """Note that an entry of a list of `n_entries` is removed from the content."""
        *block, index = entry
        places = [self.place_of((*block, n)) for n in range(n_entries) if n != index]
        self.moved |= {(*block, n): place for n, place in enumerate(places)}
        self.incomplete.add(block[0])

    def has_error(self, location: Location) -> bool:
        """Return whether an error about a key, an entry of its list or the name of one is noted."""
        n = len(location)
        return (n == 1 and location[0] in self.incomplete) or any(
            at[:n] == location and (len(at) <= n + 1 or (len(at) == n + 2 and at[-1] in NAMING))
            for at in self._wrong_places()
        )

    def has_error_in(self, location: Location) -> bool:
        """Return whether an error in a block is noted."""
        return any(place[: len(location)] == location for place in self._wrong_places())

    def _wrong_places(self) -> Iterator[Location]:
        """Yield the places of the errors that are noted."""
        return (error.location for error in self._noted if isinstance(error, ConfigError))

    @property
    def is_good(self) -> bool:
        """Whether no error is noted so far."""
        return not self._noted

    def _error(self, location: Location, message: str) -> UserError:
        location = self.place_of(location)
        for depth in range(len(location), 0, -1):
            if location[:depth] in self.elsewhere:
                key = f"{'.'.join(map(str, location[depth:]))}: ".removeprefix(": ")
                return UserError(f"{self.elsewhere[location[:depth]]}: {key}{message}")
        if location[2:4] == ("tests", 0) and location[:3] not in self._lines:
            location = location[:2] + location[4:]  # the keys of a claim's only test
        for depth in range(len(location), 0, -1):
            if location[:depth] in self.overridden:
                return self.overridden[location[:depth]](location[depth:], message)
        for changed, error in self.overridden.items():  # the error may be about a block with one
            if len(location) > 1 and changed[: len(location)] == location:
                return error((), message)
        for depth in range(len(location)):  # a key that is a number, not a place in a list
            as_key = (*location[:depth], str(location[depth]))
            if as_key in self._lines:
                location = as_key + location[depth + 1 :]
        nearest = location
        while nearest not in self._lines:
            nearest = nearest[:-1]
        key = "".join(
            f"[{part + 1}]" if isinstance(part, int) else f".{part}" for part in location
        ).lstrip(".")
        line = self._line_name(self._lines[nearest])
        return UserError(f"{line}: {key + ': ' if key else ''}{message}")

    def must_be_one_of(
        self,
        location: Location,
        what: str,
        names: str | Iterable[str],
        accepted: Iterable[str],
        hint: str = "",
        *,
        named_at: Location = (),
    ) -> None:
        """Refuse each of the names that is not an accepted name of `what`.

        Names are not refused if there is an error at `named_at`, which gives the accepted ones.
        """
        accepted = list(accepted)
        if named_at and self.has_error(named_at):
            return
        for name in [names] if isinstance(names, str) else names:
            if name not in accepted:
                message = f"unknown {what} {name!r}; accepted: {listed(accepted)}"
                message += did_you_mean(name, accepted) or hint
                self.refuse(location, message, is_sure=True)

    def must_be_distinct(self, location: Location, what: str, names: list[str], *key: str) -> None:
        """Refuse each entry of a list that has the name of an earlier one.

        Files are named by the ids of entries, and some systems do not tell capital letters apart.
        """
        before, seen = dict[str, str](), set[str]()
        for index, name in enumerate(names):
            other = before.setdefault(name.casefold() if key == ("id",) else name, name)
            if name in seen:
                message = f"the {what} {name!r} is given twice"
                self.refuse((*location, index, *key), message, is_sure=True)
            elif other != name:
                message = f"differs from the {what} {other!r} in capital letters alone"
                self.refuse((*location, index, *key), message)
            seen.add(name)

    def _walk(self, node: yaml.Node, location: Location, loader: Loader) -> None:
        """Note the line of every key, and refuse a key that is given twice."""
        self._lines.setdefault(location, node.start_mark.line + 1)
        if isinstance(node, yaml.MappingNode):
            for key_node, value_node in node.value:
                key, line = self._key(key_node, location, loader), key_node.start_mark.line + 1
                if (*location, key) in self._lines:
                    message = f"the key is given twice (again at {self._line_name(line)})"
                    raise self.error((*location, key), message)
                if node.flow_style and key.isdigit() and _is_empty(value_node):
                    message = f"',{key}' has no value; write a point in decimals, not a comma,"
                    message += " and a list in brackets"
                    raise UserError(f"{self._line_name(line)}: {message}")
                self._lines[*location, key] = line
                self._walk(value_node, (*location, key), loader)
        elif isinstance(node, yaml.SequenceNode):
            for index, value_node in enumerate(node.value):
                self._walk(value_node, (*location, index), loader)

    def _key(self, node: yaml.Node, location: Location, loader: Loader) -> str:
        """Return a key as text; a key may be a whole number, such as the label of a class."""
        kind = type_of(node.tag)
        if not isinstance(node, yaml.ScalarNode) or kind not in ("str", "int", "merge"):
            key = "a list or a block"
            if isinstance(node, yaml.ScalarNode):
                key = f"{node.value!r} (YAML reads it as !!{kind})"
            line = self._line_name(node.start_mark.line + 1)
            raise self.error(location, f"a key is text, got {key} at {line}; put it in quotes")
        return str(loader.construct_object(node)) if kind == "int" else str(node.value)
