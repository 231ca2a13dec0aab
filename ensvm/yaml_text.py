"""YAML as configs and cards are written: numbers as in YAML 1.2 and JSON, dates as text."""

import math
import re
import sys
from typing import Any

import yaml

# A text that is a number: as in YAML 1.2 and JSON, 1e3 and 5e-3 are numbers too, and 1:30 is text.
_NUMBERS = {
    "int": re.compile(r"[-+]?(?:0b[01_]+|0x[0-9a-fA-F_]+|0o[0-7_]+|0|[1-9][0-9_]*)"),
    "float": re.compile(
        r"[-+]?(?:[0-9][0-9_]*(?:\.[0-9_]*)?[eE][-+]?[0-9]+|[0-9][0-9_]*\.[0-9_]*"
        r"|\.[0-9][0-9_]*(?:[eE][-+]?[0-9]+)?|\.(?:inf|Inf|INF))|\.(?:nan|NaN|NAN)"
    ),
}
# Limits on one text: they lie far above what studies need, far below what ends Python.
MOST_CHARACTERS, MOST_NESTED, MOST_VALUES = 5_000_000, 50, 200_000
MOST_BITS = 64  # of a whole number: Python prints none of 15,000 bits, arrays hold none of 65
_TOO_LARGE = f"the number {{:.60}} is too large (accepted: whole numbers of {MOST_BITS} bits)"
TOO_DEEP = f"blocks are nested too deep (accepted: up to {MOST_NESTED})"
_READ_AS = {"str", "bool", "null", "merge"}  # of YAML's other types; dates stay text


def type_of(tag: str) -> str:
    """Return the name of the type of a YAML tag, such as float."""
    return tag.removeprefix("tag:yaml.org,2002:")


def _resolvers() -> dict[str | None, list[tuple[str, re.Pattern[str]]]]:
    """Return which type a text without quotes has, by its first character."""
    rules = {
        first: [rule for rule in known if type_of(rule[0]) in _READ_AS]
        for first, known in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }
    for kind, pattern in _NUMBERS.items():
        whole = re.compile(rf"(?:{pattern.pattern})\Z")
        for first in "-+.0123456789":
            rules.setdefault(first, []).append((f"tag:yaml.org,2002:{kind}", whole))
    return rules


class _Extent:
    """How deep and how large a text's values are, counted from its events before any is made."""

    def __init__(self) -> None:
        self._sizes = [0]  # of the open blocks, from the outermost
        self._names: list[str | None] = []  # the anchors of these blocks
        self._of_anchor: dict[str, int] = {}

    def add(self, event: yaml.Event) -> str:
        """Count an event; return what is too much, or an empty text."""
        if isinstance(event, yaml.CollectionStartEvent):
            self._sizes.append(1)
            self._names.append(event.anchor)
        elif isinstance(event, yaml.CollectionEndEvent):
            size, name = self._sizes.pop(), self._names.pop()
            self._count(size, name)
        elif isinstance(event, yaml.AliasEvent):
            if event.anchor in self._names:
                return f"the anchor {event.anchor!r} is used inside what it names"
            self._count(self._of_anchor.get(str(event.anchor), 1), None)
        elif isinstance(event, yaml.ScalarEvent):
            self._count(1, event.anchor)
        if len(self._sizes) - 1 > MOST_NESTED:
            return TOO_DEEP
        if sum(self._sizes) > MOST_VALUES:
            return f"anchors repeat too much: accepted are up to {MOST_VALUES:,} values in all"
        return ""

    def _count(self, size: int, name: str | None) -> None:
        self._sizes[-1] += size
        if name is not None:
            self._of_anchor[name] = size


def _refuse_too_much(text: str) -> None:
    """Raise MarkedYAMLError if the values of a text would need too much time or memory."""
    if len(text) > MOST_CHARACTERS:
        problem = f"{len(text):,} characters (accepted: up to {MOST_CHARACTERS:,})"
        raise yaml.MarkedYAMLError(problem=problem)
    extent = _Extent()
    try:
        for event in yaml.parse(text, Loader=_SafeLoader):
            if problem := extent.add(event):
                mark: Any = event.start_mark
                raise yaml.MarkedYAMLError(problem=problem, problem_mark=mark)
    except yaml.YAMLError as error:
        # From PyYAML 6.0.4 on, libyaml has a limit too, and meets it first because it reads ahead.
        if "nesting depth" in str(getattr(error, "problem", "")):
            mark = getattr(error, "problem_mark", None)
            raise yaml.MarkedYAMLError(problem=TOO_DEEP, problem_mark=mark) from error
        raise


def _out_of_range(value: Any, text: str) -> str:
    """Return why a number is not accepted: too large, or too small; else an empty text."""
    if isinstance(value, int) and value.bit_length() > MOST_BITS:
        return _TOO_LARGE.format(text)
    if not isinstance(value, float):
        return ""
    digits = text.lower().partition("e")[0]
    if math.isinf(value) and "inf" not in text.lower():
        return f"the number {text:.60} is too large (accepted: below {sys.float_info.max:.1e})"
    if value == 0 and re.search("[1-9]", digits):
        return f"the number {text:.60} is too small (accepted: 0, or from {sys.float_info.min:.1e})"
    return ""


_SafeLoader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class Loader(_SafeLoader):
    """Makes the values: dates are text, and a wrong value is reported with its line.

    Raises MarkedYAMLError for a text that is too long, nested too deep, or whose anchors repeat too
    much.
    """

    yaml_implicit_resolvers = _resolvers()

    def __init__(self, text: str) -> None:
        _refuse_too_much(text)
        super().__init__(text)

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        """Return the value of a node."""
        try:
            value = super().construct_object(node, deep)
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            problem = f"{node.value!r:.60} is not a value of the type !!{type_of(node.tag)}"
            if type_of(node.tag) == "int" and _NUMBERS["int"].fullmatch(node.value):
                problem = _TOO_LARGE.format(node.value)  # Python reads no more than 4,300 digits
            raise yaml.constructor.ConstructorError(None, None, problem, node.start_mark) from error
        if problem := _out_of_range(value, node.value):
            raise yaml.constructor.ConstructorError(None, None, problem, node.start_mark)
        return value


class Dumper(yaml.SafeDumper):
    """Writes every block where it stands, without anchors; quotes texts that look like numbers."""

    yaml_implicit_resolvers = _resolvers()

    def ignore_aliases(self, data: Any) -> bool:
        """Return whether a value is written again where it stands again: always."""
        return True


def dump(value: Any, **options: Any) -> str:
    """Return a value as YAML that `Loader` reads back; `options` are those of `yaml.dump`."""
    text: str = yaml.dump(value, Dumper=Dumper, allow_unicode=True, sort_keys=False, **options)
    return text
