"""Every command line that README.md, docs/ and `--help` show is run, in a folder like a checkout.

A new example is found by itself: in blocks of code, between backticks (where it has no placeholder
such as CONFIG), and in the help of the verbs. What takes long is run as `--dry-run`.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
from functools import cache
from glob import glob
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from made_up_records import copy_results, errors, invoke, make_study
from markdown_it import MarkdownIt

from ensvm.report.plots import drawing
from ensvm.report.study_folder import read_shipped_study, read_study
from ensvm.runner import plan
from ensvm.shipped import shipped_configs
from ensvm_cli.main import main

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("in_this_process")]

ROOT = Path(__file__).parents[2]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").glob("**/*.md")])
SHELLS = ("", "sh", "bash", "shell")  # tests/page_blocks.py runs consoles
TOOLS = ("ensvm", "make", "python")
COMPLETION = re.compile(r"_ENSVM_COMPLETE=(\w+)")
PLACEHOLDER = re.compile(r"[|<…]|\[[a-zA-Z-]|\.\.\.|\b[A-Z]+\b")
VERB = re.compile(
    r"python$|(python -m )?ensvm( data)?( [a-z]+)?$"
)  # a verb in a sentence, not an example
SMALL = ("ijcai07-figure1", "ijcai07-lowrank", "ijcai07-original-splits")
SLURM = {
    "SLURM_ARRAY_TASK_ID": "1",
    "SLURM_ARRAY_TASK_COUNT": "2",
    "SLURM_CPUS_PER_TASK": "1",
    "SLURM_SUBMIT_DIR": ".",
}
CONFIG = """
study: mine
realizations: 20
kernel: {kernel: rbf, gamma: mean-distance}
datasets:
  - german
  - path: my.csv
    target: label
    positive: sick
    split: {protocol: random, n_train: 200, n_test: 100}
algorithms:
  ensemble: {estimator: PartiallyTrainedEnsemble}
  svc: {estimator: SVC, grid: {C: [0.1, 1, 10]}, stage: best-on-test}
  forest: {estimator: "sklearn.ensemble:RandomForestClassifier", params: {n_estimators: 200}}
tables:
  - {id: 1, caption: Test errors (in %), columns: [ensemble, svc, forest]}
"""
# Their exit status depends on the results compared, or on the data that are on this machine.
MAY_END_WITH_1 = ("compare", "data")


def of_page(page):
    """Yield the command lines of a page of Markdown."""
    for block in MarkdownIt().parse(page.read_text(encoding="utf-8")):
        if block.type == "code_block" or (block.type == "fence" and block.info in SHELLS):
            yield from block.content.replace("\\\n", " ").splitlines()
        for part in block.children or ():
            code = part.content
            if part.type == "code_inline" and not PLACEHOLDER.search(code) and not VERB.match(code):
                yield code


def of_help(group, *path):
    """Yield the command lines in the help of a group and of its verbs."""
    _, _, examples = invoke(*path, "--help").stdout.partition("Example")
    for line in examples.splitlines():
        yield re.split(r"\s{2,}", line.strip())[0]
    if isinstance(group, click.Group):
        for name, verb in group.commands.items():
            yield from of_help(verb, *path, name)


def examples():
    """Return every command line once, as what a shell would split it into."""
    lines = [line for page in PAGES for line in of_page(page)] + list(of_help(main))
    parts_of = {}
    for line in lines:
        if COMPLETION.search(line):
            parts_of[line.strip()] = [line.strip()]
        elif line.split() and line.split()[0] in TOOLS:
            parts = shlex.split(line, comments=True)
            parts_of[shlex.join(parts)] = parts
    return parts_of


EXAMPLES = examples()


def test_there_are_examples_of_every_verb():
    """Otherwise nobody would notice that the search for examples is broken."""
    verbs = {tuple(parts[:2]) for parts in EXAMPLES.values()}
    for name in main.commands:
        assert ("ensvm", name) in verbs


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    """A folder with results as runs leave them, `small` and `whole`, and a user's own."""
    folder = tmp_path_factory.mktemp("checkout")
    for size, studies in (("small", SMALL), ("whole", ("ijcai07",))):
        for study in studies:
            copy_results(study, folder / size)
    for name in ("other-machine", "shard-1", "shard-2", "shard-3"):  # what is merged
        (folder / name).symlink_to("small")
    for name in ("mine", "patients"):  # what is run must not wait for the example of `init`
        config = CONFIG.replace("study: mine", f"study: {name}")
        make_study(folder / "own" / name, config, errors("german", "svc", [0.25]))
        (folder / f"{name}.yaml").write_text(config, encoding="utf-8")
    shutil.copy(folder / "mine.yaml", folder / "my.yaml")
    rows = [f"{i},{i % 7},{'sick' if i % 3 else 'well'}" for i in range(300)]
    for name in ("my.csv", "patients.csv"):
        (folder / name).write_text("a,b,label\n" + "\n".join(rows) + "\n", encoding="utf-8")
    bars = "\n".join(row.replace(",", "|") for row in ["a,b,label", *rows])
    (folder / "my.txt").write_text(f"an export\nof today\n{bars}\n", encoding="utf-8")
    return folder


@cache
def read_once(folder):
    """Read a study's folder, once."""
    return read_study(folder)


@cache
def read_shipped_once(shipped, folder):
    """Read the results of a study that come with ensvm, once."""
    return read_shipped_study(shipped, folder)


@pytest.fixture(scope="module")
def draw_once():
    """Return a function that draws a figure once for all examples: the records never change."""
    draw, drawn = drawing.draw, {}

    def draw_or_repeat(study, content, endings):
        key = content.config.caption, *endings
        if key not in drawn:
            drawn[key] = draw(study, content, endings)
        return drawn[key]

    return draw_or_repeat


@pytest.fixture(scope="module")
def check_once():
    """Return a function that checks a shipped study once for all examples."""
    check, checked = plan.checked_study, {}

    def check_or_repeat(source):
        key = source.path, source.text
        if source.path.parent != shipped_configs():
            return check(source)
        if key not in checked:
            checked[key] = check(source)
        return checked[key]

    return check_or_repeat


@pytest.fixture
def here(checkout, draw_once, check_once, monkeypatch):
    """Return a function that makes the checkout the current folder, with results for a command."""
    for name, value in SLURM.items():
        monkeypatch.setenv(name, value)
    reading = "ensvm.report.study_folder"
    monkeypatch.setattr(f"{reading}.read_study", lambda folder: read_once(folder.resolve()))
    monkeypatch.setattr(f"{reading}.read_shipped_study", read_shipped_once)
    monkeypatch.setattr("ensvm.report.plots.drawing.draw", draw_once)
    monkeypatch.setattr(plan, "checked_study", check_once)
    monkeypatch.chdir(checkout)

    def of(parts):
        merged = checkout / "merged"  # made by the command, or read by the one after it
        if parts[1] == "merge":
            shutil.rmtree(merged, ignore_errors=True)
        elif not merged.exists():
            shutil.copytree(checkout / "small", merged)
        results = checkout / "results"
        results.unlink(missing_ok=True)
        named = any(part.rpartition("/")[2] == "ijcai07" for part in parts)
        whole = "whole" if named or {"rank", "shipped"} & set(parts) else "small"
        results.symlink_to("own" if {"--config", "mine", "patients"} & set(parts) else whole)

    return of


def expanded(parts):
    """Return the arguments as a shell gives them, variables and patterns of names filled in."""
    for part in map(os.path.expandvars, parts):
        yield from sorted(glob(part)) if "*" in part else [part]


def shortened(parts):
    """Return the arguments of `ensvm`, such that they end soon and may be given again."""
    if parts[:1] in (["init"], ["copy"]):
        return [*parts, "--force"]
    if parts[:1] != ["run"] or "--dry-run" in parts:
        return parts
    if "smoke" in parts:
        return [*parts, "--realizations", "1", "--jobs", "1"]
    few = [] if {"--realizations", "--shard", "--all"} & set(parts) else ["--realizations", "2"]
    return [*parts, *few, "--dry-run"]


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_runs(example, here):
    parts = EXAMPLES[example]
    if shell := COMPLETION.search(example):
        answer = CliRunner().invoke(
            main, [], prog_name="ensvm", env={"_ENSVM_COMPLETE": shell[1]}, standalone_mode=True
        )
        assert "_ENSVM_COMPLETE" in answer.output
        return
    if parts[0] == "make":
        subprocess.run(["make", "--dry-run", *parts[1:]], cwd=ROOT, check=True, capture_output=True)
        return
    if parts[:2] == ["python", "-c"]:
        subprocess.run([sys.executable, *parts[1:]], check=True, capture_output=True)
        return
    if parts[0] == "python" and parts[1].startswith(("benchmarks/", "tests/")):
        compile((ROOT / parts[1]).read_text(encoding="utf-8"), parts[1], "exec")
        return
    if parts[0] == "python":
        assert parts[1:3] == ["-m", "ensvm"], "what else is run by python has a test of its own"
        parts = parts[2:]
    parts, _, _ = "\0".join(parts).partition("\0>")
    parts = parts.split("\0")
    here(parts)
    answer = invoke(*shortened(list(expanded(parts[1:]))))
    may_be = (0, 1) if parts[1] in MAY_END_WITH_1 else (0,)
    if parts[1:] == ["init", "--paper"]:  # it asks, and the test has no terminal
        assert "without a terminal nothing is asked" in answer.output
        return
    if parts[1] == "compare" and answer.exit_code == 2:  # the test has no such folder
        assert "there is no such folder" in answer.output
        return
    assert answer.exit_code in may_be, answer.output
    assert answer.output.strip()
