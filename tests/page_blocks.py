"""Runs the blocks of a page in order in an empty folder, and compares what they print.

A `code-block` with a caption is a file to write, `console` holds commands and their output, and the
`python` blocks of a page are one script, which runs last. A command of `ensvm` whose output begins
with `error:` must fail. `ensvm` and Python files run in this process, and so do their cells:
starting processes would take most of the time.
`python tests/page_blocks.py` writes the outputs into these pages again.

(Sybil makes a test of each block. `pytest -n auto` then spreads the blocks of a page over workers,
though each needs what the blocks before it wrote, and it cannot write outputs.)
"""

import io
import os
import re
import runpy
import shlex
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

import pytest
from made_up_records import cells_run_here, invoke

ROOT = Path(__file__).parents[1]
# A doctest is run by tests/test_docstrings.py
RUNS = re.compile(r"^```(console|python\n(?!>>>))", re.MULTILINE)
PAGES = [
    page
    for page in sorted((ROOT / "docs").glob("**/*.md"))
    if "_build" not in page.parts and RUNS.search(page.read_text(encoding="utf-8"))
]
BLOCK = re.compile(
    r"^```(?P<directive>\{code-block\} )?(?P<kind>\w+)\n(?::caption: (?P<file>\S+)\n\n?)?"
    r"(?P<text>.*?)^```$",
    re.DOTALL | re.MULTILINE,
)
NUMBER = re.compile(r"(?<![\w.])[-−]?\d+(?:\.\d+)?(?![\w])")
SCRIPT = re.compile(r"python (?P<file>[\w-]+\.py)")
# A command, and what a shell does with its output
ENSVM = re.compile(r"ensvm (?P<arguments>[^|><&]*)(?P<rest>.*)", re.DOTALL)
FAILED = "error:"  # begins the output of a command that fails
TOLERANCE = 0.02  # relative and absolute: the ensemble rounds otherwise on other processors


@dataclass(frozen=True)
class Step:
    """A command of a page: what it should print, and what it prints."""

    command: str
    expected: str
    printed: str


def run_page(page: Path, folder: Path) -> list[Step]:
    """Run the blocks of a page in an empty folder; raise if a command fails."""
    text = page.read_text(encoding="utf-8")
    environment = {**os.environ, "COLUMNS": "100", "ENSVM_OFFLINE": "1"}
    environment["PATH"] = f"{Path(sys.executable).parent}:{environment['PATH']}"
    steps, script = [], []
    for block in BLOCK.finditer(text):
        content = block["text"]
        if block["file"]:
            path = folder / block["file"]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content, encoding="utf-8")
        elif block["kind"] == "console":
            for command, expected in commands_of(content):
                fails = expected.startswith(FAILED)
                printed = _output(command, folder, environment, fails=fails)
                steps.append(Step(command, expected, printed))
        elif block["kind"] == "python" and not block["directive"]:
            script.append(content)
    if script:
        (folder / "script.py").write_text("\n".join(script), encoding="utf-8")
        _output("python script.py", folder, environment)
    return steps


def commands_of(content: str) -> list[tuple[str, str]]:
    """Return the commands of a console block, each with the output below it."""
    parts = re.split(r"^\$ ", content, flags=re.MULTILINE)[1:]
    ends = [re.match(r"(?:.*\\\n)*.*", part).end() for part in parts]
    return [(part[:end], part[end:].strip("\n")) for part, end in zip(parts, ends, strict=True)]


def _output(command: str, folder: Path, environment: dict[str, str], *, fails: bool = False) -> str:
    """Return what a command prints; raise if it fails, or if one that `fails` does not."""
    ensvm, script = ENSVM.fullmatch(command), SCRIPT.fullmatch(command)
    before = b""
    if script:
        before, command = _output_of_script(folder / script["file"], environment), "cat"
    elif ensvm:
        before = _output_of_ensvm(
            shlex.split(ensvm["arguments"].replace("\\\n", " ")), folder, environment, fails
        )
        command = f"cat {ensvm['rest']}"
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        cwd=folder,
        env=environment,
        input=before,
        capture_output=True,
    )
    if done.returncode:
        raise AssertionError(f"$ {command}\n{done.stdout.decode()}{done.stderr.decode()}")
    return "\n".join(line.rstrip() for line in done.stdout.decode().splitlines()).strip("\n")


def _output_of_ensvm(
    arguments: list[str], folder: Path, environment: dict[str, str], fails: bool
) -> bytes:
    """Return what `ensvm` prints."""
    with _inside(folder, environment):
        answer = invoke(*arguments)
    if bool(answer.exit_code) != fails:
        raise AssertionError(f"$ ensvm {shlex.join(arguments)}\n{answer.output}")
    return answer.stderr_bytes if fails else answer.stdout_bytes


def _output_of_script(script: Path, environment: dict[str, str]) -> bytes:
    """Return what a Python file prints; raise what it raises."""
    printed = io.StringIO()
    with (
        _inside(script.parent, environment) as patch,
        warnings.catch_warnings(),
        redirect_stdout(printed),
    ):
        warnings.simplefilter("ignore")
        patch.syspath_prepend(script.parent)
        runpy.run_path(str(script), run_name="__main__")
    return printed.getvalue().encode()


@contextmanager
def _inside(folder: Path, environment: dict[str, str]) -> Iterator[pytest.MonkeyPatch]:
    """Be in a folder with these variables; forget the modules that are imported from it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for name, value in environment.items():
            patch.setenv(name, value)
        cells_run_here(patch, most_jobs=os.cpu_count() or 1)
        known = set(sys.modules)
        yield patch
        for name in set(sys.modules) - known:
            if folder in Path(getattr(sys.modules[name], "__file__", None) or "/").parents:
                del sys.modules[name]


def agrees(expected: str, printed: str, *, any_numbers: bool = False) -> bool:
    """Return whether an output is as expected; `...` stands for any lines, numbers may be near.

    With `any_numbers` they may be any.
    """
    parts = [_numbers_out(part.strip("\n")) for part in re.split(r"^\.\.\.$", expected, flags=re.M)]
    texts = [text for text, _ in parts]
    found, numbers = _numbers_out(printed)
    pattern = r"[\s\S]*?".join(rf"(?P<p{at}>{re.escape(text)})" for at, text in enumerate(texts))
    match = re.fullmatch(pattern.strip(), found)
    if match is None or any_numbers:
        return match is not None
    for at, (_, wanted) in enumerate(parts):
        skipped = found[: match.start(f"p{at}")].count("\0")
        got = numbers[skipped : skipped + len(wanted)]
        if any(abs(a - b) > TOLERANCE * max(1.0, abs(a)) for a, b in zip(wanted, got, strict=True)):
            return False
    return True


def _numbers_out(text: str) -> tuple[str, list[float]]:
    """Return a text with a mark for each number, and the numbers; rulers and blanks as one."""
    numbers = [float(number.replace("−", "-")) for number in NUMBER.findall(text)]
    marked = re.sub(r"([-─]){3,}", r"\1", NUMBER.sub("\0", text))
    return re.sub(r"[ \t]+", " ", marked), numbers


def with_outputs(text: str, steps: list[Step]) -> str:
    """Return a page with the outputs that differ written anew; lines left out stay so."""
    at = 0
    for step in steps:
        old, new = (
            f"$ {step.command}\n" + (f"{output}\n" if output else "")
            for output in (step.expected, _shortened(step.expected, step.printed))
        )
        at = text.index(old, at)
        if not agrees(step.expected, step.printed):
            text = text[:at] + new + text[at + len(old) :]
        at += len(f"$ {step.command}\n")
    return text


def _shortened(expected: str, printed: str) -> str:
    """Return the lines of an output that stand on the page, if they differ in numbers alone."""
    if not agrees(expected, printed, any_numbers=True):
        return printed
    lines = iter(printed.splitlines())
    return "\n".join(
        line if line == "..." else next(new for new in lines if _alike(line, new))
        for line in expected.splitlines()
    )


def _alike(line: str, other: str) -> bool:
    return _numbers_out(line)[0] == _numbers_out(other)[0]


if __name__ == "__main__":
    for page in map(Path, sys.argv[1:] or PAGES):
        with tempfile.TemporaryDirectory() as folder:
            steps = run_page(page.absolute(), Path(folder))
        page.write_text(with_outputs(page.read_text(encoding="utf-8"), steps), encoding="utf-8")
