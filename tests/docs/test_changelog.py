"""What CHANGELOG says of the coming version exists: verbs, options, keys and classes."""

import re
from functools import cache
from inspect import signature
from pathlib import Path

import click
from sklearn.utils.discovery import all_estimators
from source_names import SOURCES, public_names

import ensvm
from ensvm.classifiers import CLASSIFIERS
from ensvm.study.config_keys import ROOTS, blocks_of, keys_of
from ensvm_cli.main import main

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
COMING = TEXT.partition("## Unreleased\n")[2].partition("\n## ")[0]
PARTS = re.split(r"^#{3,4} ", COMING, flags=re.MULTILINE)
# Sections on what was removed, and words on what was there before, name what is gone.
SAID = " ".join(part for part in PARTS if not part.startswith("Removed from"))
SAID = re.sub(r"\(before[^)]*\)|Before, [^.]*\.", "", " ".join(SAID.split()))
CODE = re.findall(r"`([^`]+)`", SAID)


@cache
def estimators():
    """Return the classes of scikit-learn and of ensvm by their names."""
    return dict(all_estimators()) | {name: getattr(ensvm, name) for name in CLASSIFIERS}


def options_of_verbs():
    """Return the options of each verb; those of a group have the group's name before theirs."""
    context, options = click.Context(main), {}
    for name in main.list_commands(context):
        command = main.get_command(context, name)
        inner = command.commands if isinstance(command, click.Group) else {}
        verbs = {name: command, **{f"{name} {each}": verb for each, verb in inner.items()}}
        for verb, of_verb in verbs.items():
            options[verb] = {"--help", *(one for each in of_verb.params for one in each.opts)}
    return options


def test_the_sections_stand_once():
    headings = [part.splitlines()[0] for part in PARTS[1:]]
    assert len(headings) == len({*headings})


def test_every_command_exists():
    options, wrong = options_of_verbs(), []
    for words in (one.split() for one in CODE if one.startswith("ensvm ")):
        pair = " ".join(words[1:3])
        accepted = options.get(pair, options.get(words[1]))
        given = {word.rstrip(",") for word in words if word.startswith("--")}
        wrong += [words] if accepted is None or given - accepted else []
    assert wrong == []


def test_every_key_exists():
    blocks = (models[-1] for root in ROOTS.values() for _, models in blocks_of("", root))
    keys = {key for block in blocks for key in keys_of(block)} | {"base"}  # is read before blocks
    keys |= {key for each in estimators().values() for key in signature(each).parameters}
    said = re.findall(r"`([a-z_]+):(?:`| )", SAID)
    assert said
    assert {*said} - keys == set()


def test_every_class_exists():
    classes = {*estimators(), *(name for path in SOURCES for name in public_names(path))}
    said = [one.partition("(")[0] for one in CODE if re.match(r"[A-Z]\w*[a-z]\w*(\(|$)", one)]
    assert said
    assert {*said} - classes == {"NotImplementedError"}
