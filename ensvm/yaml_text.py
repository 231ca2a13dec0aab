"""YAML as configs and cards are written: numbers as in YAML 1.2 and JSON, dates as text."""

import re
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


class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """Makes the values: dates are text, and a wrong value is reported with its line."""

    yaml_implicit_resolvers = _resolvers()

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        """Return the value of a node."""
        try:
            return super().construct_object(node, deep)
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            problem = f"{node.value!r:.60} is not a value of the type !!{type_of(node.tag)}"
            raise yaml.constructor.ConstructorError(None, None, problem, node.start_mark) from error


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
