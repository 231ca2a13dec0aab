"""Options that do not go together: each pair works, or the command says why not."""

import click
import pytest
from made_up_records import invoke

from ensvm_cli.main import main

CONFIG = "study: s\nrealizations: 2\ndatasets: [titanic]\nalgorithms: {svc: {estimator: SVC}}\n"


def commands(group, above=()):
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from commands(command, (*above, name))
        else:
            yield (*above, name), command


SINGLE = [
    (*words, option.opts[0])
    for words, command in commands(main)
    for option in command.params
    if isinstance(option, click.Option) and not (option.multiple or option.is_flag)
]


@pytest.mark.parametrize("words", SINGLE, ids=" ".join)
def test_an_option_that_takes_one_value_is_given_once(words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    answer = invoke(*words, "1", words[-1], "2")
    assert answer.exit_code == 2
    assert f"{words[-1]} is given 2 times; accepted: once" in answer.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("run --all --datasets german", "--datasets and --algorithms are for one CONFIG"),
        ("run --all --algorithms svc", "--datasets and --algorithms are for one CONFIG"),
        ("run --all --as mine", "--set and --as are for one CONFIG"),
        ("run s.yaml --dry-run --shard 1/9", "more shards than realizations: 2 realizations"),
        ("check folder", "folder: a folder, not a config; accepted: the file of a config"),
    ],
)
def test_what_has_no_effect_or_is_missing_is_refused(words, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s.yaml").write_text(CONFIG)
    (tmp_path / "folder").mkdir()
    answer = invoke(*words.split())
    assert answer.exit_code == 2
    assert message in " ".join(answer.stderr.split())


def test_a_pass_that_times_nothing_says_so(tmp_path):
    (tmp_path / "s.yaml").write_text(CONFIG)
    answer = invoke("run", tmp_path / "s.yaml", "--dry-run", "--pass", "timing")
    assert answer.exit_code == 0
    assert "nothing to run with --pass timing: the config has no `timing:`" in answer.stderr
