"""The command as a whole: its help, its start, and errors of files and disks."""

import os
import resource
import subprocess
import sys

import click
import pytest
from click.shell_completion import ShellComplete
from made_up_records import invoke

from ensvm.records.store import CELLS_FILE, read_records
from ensvm_cli.main import VERBS, main

START = [sys.executable, "-c", "from ensvm_cli import start; start()"]
OPTIONS = ("--datasets", "titanic", "--algorithms", "parzen", "--jobs", "1")


def verbs(group, path=()):
    """Yield the path of every verb, and of every group of them."""
    yield path
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from verbs(command, (*path, name))
        else:
            yield (*path, name)


@pytest.mark.parametrize("path", list(verbs(main)), ids=" ".join)
def test_help_fits_80_columns_and_is_whole(path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    answer = invoke(*path, "--help")
    assert answer.exit_code == 0
    for line in answer.stdout.splitlines():
        assert len(line) <= 80
        assert line.startswith("Usage") or not line.endswith("...")


def test_every_verb_stands_in_one_section():
    assert sorted(verb.name for section in VERBS.values() for verb in section) == sorted(
        main.commands
    )
    text = invoke("--help").stdout
    for name in main.commands:
        assert f"\n  {name} " in text


def test_a_part_of_a_study_as_a_verb_names_the_verb_that_shows_it():
    ran = invoke("claims", "ijcai07")
    assert ran.exit_code == 2
    assert "to see claims: ensvm report --only claims STUDY" in ran.stderr


def test_python_m_ensvm_is_the_command():
    command = [sys.executable, "-m", "ensvm", "--version"]
    answer = subprocess.run(command, capture_output=True, text=True, check=True)
    assert answer.stdout == invoke("--version").stdout


@pytest.mark.slow
@pytest.mark.parametrize("command", [["list"], ["init", "my.csv"]])
def test_a_reader_that_leaves_is_not_an_error(command, tmp_path):
    rows = "".join(f"{number % 7}.5,{number % 2}\n" for number in range(20))
    (tmp_path / "my.csv").write_text(f"x,label\n{rows}")
    reader, writer = os.pipe()
    os.close(reader)
    ran = subprocess.run(
        [*START, *command], cwd=tmp_path, stdout=writer, stderr=subprocess.PIPE, check=False
    )
    os.close(writer)
    # what `init` is for, the config, is written by then
    assert (ran.returncode, ran.stderr) == (0 if "init" in command else 1, b"")
    assert (tmp_path / "my.yaml").exists() == ("init" in command)


@pytest.mark.parametrize("verb", ["table", "status"])
@pytest.mark.parametrize("name", ["x" * 300, "\udcff"])
def test_an_impossible_file_name_is_wrong_input(verb, name):
    answer = invoke(verb, name)
    assert answer.exit_code == 2
    assert isinstance(answer.exception, SystemExit)


def file_as_parent(folder):
    folder.write_text("a file")
    return folder / "below"


def records_that_are_a_folder(folder):
    (folder / "smoke" / CELLS_FILE).mkdir(parents=True)
    return folder


def too_long(folder):
    return folder / ("a" * 300)


@pytest.mark.parametrize("prepare", [file_as_parent, records_that_are_a_folder, too_long])
def test_results_that_cannot_be_written_are_one_message(tmp_path, prepare):
    ran = invoke("run", "smoke", *OPTIONS, "--results", prepare(tmp_path / "results"))
    assert ran.exit_code == 2
    [line] = ran.stderr.splitlines()
    assert line.startswith(f"error: {tmp_path}")


@pytest.mark.usefixtures("in_this_process")
def test_a_full_disk_leaves_the_tables_and_every_record(tmp_path):
    """A limit on the size of files ends a write in its midst, as a full disk does."""
    assert invoke("run", "smoke", *OPTIONS, "--results", tmp_path).exit_code == 0
    assert invoke("table", tmp_path).exit_code == 0
    folder = tmp_path / "smoke"
    before = {path: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    ran = subprocess.run(
        [*START, "table", tmp_path],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10)),
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 1
    assert ran.stderr.startswith(f"not written: {folder}")
    assert "Traceback" not in ran.stderr
    assert "Table " in ran.stdout  # they are printed all the same
    assert {path: path.read_bytes() for path in folder.iterdir() if path.is_file()} == before
    assert len(read_records(folder)) == 21  # twenty realizations, and the facts of the data


@pytest.mark.parametrize(
    ("words", "completed"),
    [
        ("run ijcai", "ijcai07"),
        ("table icm", "icmla05"),
        ("check eco", None),
        ("copy ecd", "ecda13"),
        ("data show titan", "titanic"),
        ("data fetch spamb", "spambase"),
    ],
)
def test_names_of_studies_and_data_sets_are_completed(words: str, completed: str | None) -> None:
    *before, last = words.split()
    shell = ShellComplete(main, {}, "ensvm", "_ENSVM_COMPLETE")
    found = [item.value for item in shell.get_completions(before, last) if item.type == "plain"]
    assert all(name.startswith(last) for name in found)
    assert completed in found if completed else not found
