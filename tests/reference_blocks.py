"""The parts of the reference that the code says: commands and their options, fields of records."""

import ast
import inspect
import itertools
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import click

from ensvm.data.files import Format
from ensvm.records import record as records
from ensvm.study.config import read_config
from ensvm_cli.main import main

ROOT = Path(__file__).parents[1]
OPTION = re.compile(r"(?<![\w`'-])(--[a-z][\w-]*|-[a-z]\b)(?!`)")
ESCAPED = str.maketrans({mark: f"\\{mark}" for mark in "<*$"})
RANGES = {" INTEGER RANGE": " N", " FLOAT RANGE": " X"}  # what click calls a number with limits
DEFAULT = re.compile(r"\s*\[default: (.*)\]\.?$")


def commands(group: click.Group = main, path: str = "ensvm") -> Iterator[tuple[str, click.Command]]:
    """Yield every command that is not hidden, with the words that call it."""
    for name, command in group.commands.items():
        if command.hidden:
            continue
        if isinstance(command, click.Group):
            yield from commands(command, f"{path} {name}")
        else:
            yield f"{path} {name}", command


def as_markdown(text: str) -> str:
    """Return a sentence of help as Markdown: options are code, other marks are escaped."""
    return OPTION.sub(r"`\1`", text.translate(ESCAPED))


def default_of(parameter: click.Parameter) -> str:
    """Return the default of an argument or option in words; empty if there is none."""
    found = DEFAULT.search(getattr(parameter, "help", None) or "")
    if found:
        return as_markdown(found[1])
    if getattr(parameter, "is_flag", False) and parameter.secondary_opts:
        names = {True: parameter.opts[0], False: parameter.secondary_opts[0], None: ""}
        return f"`{names[parameter.default]}`" if names[parameter.default] else ""
    shown = getattr(parameter, "show_default", False) or isinstance(parameter, click.Argument)
    return f"`{parameter.default}`" if shown and isinstance(parameter.default, str | float) else ""


def parameter_row(command: click.Command, parameter: click.Parameter) -> str:
    """Return the line of an argument or option in the table of its command."""
    context = click.Context(command)
    if isinstance(parameter, click.Argument):
        name = parameter.make_metavar(context)
        meaning = "required" if parameter.required else "may be left out"
        meaning = f"argument; {meaning}"
    else:
        opts = ", ".join([*parameter.opts, *parameter.secondary_opts])
        value = "" if parameter.is_flag else f" {parameter.make_metavar(context)}"
        value = RANGES.get(value, value)
        name = opts + value
        meaning = as_markdown(DEFAULT.sub("", parameter.help or ""))
        if parameter.required:
            meaning += " Required."
    cells = [f"`{name}`", meaning.rstrip("."), default_of(parameter)]
    return "| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |"


def command_block(path: str) -> str:
    """Return how a command is called, what it does, and all its arguments and options."""
    command = dict(commands())[path]
    usage = " ".join(command.collect_usage_pieces(click.Context(command)))
    parts = [f"```text\n{path} {usage}\n```"]
    for paragraph in inspect.cleandoc(command.help).split("\n\n"):
        if paragraph.startswith("\b\n"):
            title, _, lines = paragraph.removeprefix("\b\n").partition("\n")
            parts.append(f"{title}\n\n```text\n{textwrap.dedent(lines)}\n```")
        else:
            parts.append(as_markdown(paragraph))
    rows = [parameter_row(command, parameter) for parameter in command.params]
    table = ["| argument or option | what it does | default |", "|:--|:--|:--|", *rows]
    return "\n\n".join([*parts, "\n".join(table)])


def fields_block(name: str) -> str:
    """Return the fields of a record as they stand in JSON, each with the text below it."""
    source = textwrap.dedent(inspect.getsource(getattr(records, name)))
    lines = ["| key | meaning | type |", "|:--|:--|:--|"]
    for field, text in itertools.pairwise(ast.parse(source).body[0].body):
        if isinstance(field, ast.AnnAssign) and isinstance(text, ast.Expr):
            key = {"run_pass": "pass"}.get(field.target.id, field.target.id)
            meaning = " ".join(text.value.value.split())
            type_name = ast.unparse(field.annotation).replace("|", r"\|")
            lines.append(f"| `{key}` | {meaning} | `{type_name}` |")
    return "\n".join(lines)


def formats_block(_: str) -> str:
    """Return the formats of data files that are read, with the endings that imply them."""
    lines = ["| `type:` | endings | what it is |", "|:--|:--|:--|"]
    for form in get_args(get_args(Format)[0]):
        (kind,) = get_args(form.model_fields["type"].annotation)
        endings = ", ".join(f"`{ending}`" for ending in form.endings)
        summary = inspect.getdoc(form).partition("\n\n")[0].replace("\n", " ")
        lines.append(f"| `{kind}` | {endings} | {summary} |")
    return "\n".join(lines)


def studies_block(_: str) -> str:
    """Return the shipped studies, each with its config and, if it has some, its results."""
    lines = ["| study | title | |", "|:--|:--|:--|"]
    for path in sorted((ROOT / "configs").glob("*.yaml")):
        config, _ = read_config(path)
        links = f"[config](../../configs/{path.name})"
        if (ROOT / "results" / path.stem / "README.md").exists():
            links += f", [results](../../results/{path.stem}/README.md)"
        lines.append(f"| `{path.stem}` | {config.title} | {links} |")
    return "\n".join(lines)


MAKERS = {
    "command": command_block,
    "fields": fields_block,
    "formats": formats_block,
    "studies": studies_block,
}
