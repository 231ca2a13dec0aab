"""Configs that a user may write by mistake, and some that only malice writes."""

import os
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

import numpy as np

from faults.outcome import FaultClass, Verdict, judged
from faults.trial import TABLES, TIMING, own_rows

CHARACTERS = "\t:{}[],&*!|>'\"%@`#-?\x00\ufeff\u2028é0a \n"
Change = Callable[[str, np.random.Generator], str]
CONFIG = (
    """\
study: trial
title: A trial
realizations: 2
kernel: {kernel: rbf, gamma: mean-distance}
datasets:
  - {name: own, path: own.csv, target: label, positive: 1,
     split: {protocol: random, n_train: 40, n_test: 20}}
algorithms:
  svc: {label: C-SVM, estimator: SVC, params: {kernel: rbf, gamma: 0.5, C: 1.0}}
  random: {estimator: "troublesome:Random"}
  parzen: {estimator: ParzenWindowClassifier}
  naps: {estimator: "troublesome:Naps"}
"""
    + TIMING
    + TABLES
    + """\
claims: [{id: 1, text: t, better: svc, relation: value-at-most, limit: 99.0}]
"""
)
VALUES = (
    "[]", "{}", "null", "''", "-1", "0", "1e400", ".nan", ".inf", "-.inf", "true",
    "1000000000000", "99999999999999999999999", "0x7fffffffffffffff", "2020-13-45", "!!int abc",
    "!!float x", "!!timestamp x", "!!binary '*'", "!!python/object:os.system {}", "!tag x",
    "&a [*a]", "*nothing", '"\\ud800"', '"\\u0000"', "../../etc", "/dev/zero", "/proc/self/mem",
    "[[[[[[]]]]]]", "{a: {b: {c: d}}}", "? [x, y]", '"troublesome:Missing"', '"syntax_error:A"',
    '"raises:A"', '"faults.absent:A"', '"os:getpid"', '"SVC:"', '":"', "1:2:3", "~", "=", "<<",
)  # fmt: skip
LONG = 100_000


def another_value(text: str, rng: np.random.Generator) -> str:
    """Give a key another value."""
    lines = text.splitlines()
    at = int(rng.integers(len(lines)))
    parts = lines[at].split(": ")
    if len(parts) > 1:
        where = int(rng.integers(1, len(parts)))
        old = parts[where]
        # What follows the value in a flow mapping stays.
        rest = old[min((old.index(mark) for mark in ",}]" if mark in old), default=len(old)) :]
        parts[where] = VALUES[rng.integers(len(VALUES))] + rest
    lines[at] = ": ".join(parts)
    return "\n".join(lines) + "\n"


def another_character(text: str, rng: np.random.Generator) -> str:
    """Change, leave out or put in some characters."""
    for _ in range(int(rng.integers(1, 4))):
        at = int(rng.integers(len(text)))
        character = CHARACTERS[rng.integers(len(CHARACTERS))]
        text = text[:at] + character * int(rng.integers(2)) + text[at + int(rng.integers(2)) :]
    return text


def lines_moved(text: str, rng: np.random.Generator) -> str:
    """Leave out a line, write it twice, or put it elsewhere."""
    lines = text.splitlines()
    line = lines[rng.integers(len(lines))]
    if rng.random() < 0.6:
        lines.remove(line)
    if rng.random() < 0.6:
        lines.insert(int(rng.integers(len(lines) + 1)), line)
    return "\n".join(lines) + "\n"


def key_changed(text: str, rng: np.random.Generator) -> str:
    """Misspell a key, or make it one of another type."""
    lines = text.splitlines()
    at = int(rng.integers(len(lines)))
    key = lines[at].strip(" -{").split(":")[0]
    other = ["1", "null", "[a]", "true", f"{key}x", "2020-01-01", '"\\ud800"', "<<"][
        rng.integers(8)
    ]
    lines[at] = lines[at].replace(key, other, 1) if key else other
    return "\n".join(lines) + "\n"


def bomb(text: str, rng: np.random.Generator) -> str:
    """Put what grows, nests or has no end in the place of the title."""
    anchors = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    anchors += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 10)]
    merges = ["m0: &m0 {a: b}"] + [
        f"m{i}: &m{i} {{<<: [{', '.join([f'*m{i - 1}'] * 9)}]}}" for i in range(1, 9)
    ]
    bombs = (
        "\n".join(anchors),
        "\n".join(merges),
        "title: " + "[" * LONG,
        "title: " + "{a: " * 5_000,
        "title: " + "x" * 50 * LONG,
        "- " * 5_000,
        "realizations: 1000000000000",
        "title: &t\n  of: *t",
        "title: " + "9" * LONG,
        "\n".join(f"k{i}: {i}" for i in range(20_000)),
    )
    chosen = bombs[rng.integers(len(bombs))]
    name = chosen.split(":")[0]
    kept = [line for line in text.splitlines() if not line.startswith(f"{name}:")]
    return "\n".join([*kept, chosen]) + "\n"


CHANGES: tuple[Change, ...] = (
    another_value,
    another_character,
    another_value,
    lines_moved,
    key_changed,
    another_value,
    bomb,
)


class MalformedConfigs(FaultClass):
    """Random changes of a good config: one message, no traceback, no hang."""

    name: ClassVar[str] = "malformed configs"
    share: ClassVar[float] = 0.26
    short: ClassVar[int] = 14

    def one(self, number: int) -> Verdict:
        """Change the config, and check it."""
        folder = self.folder / str(number)
        folder.mkdir()
        (folder / "own.csv").write_text(own_rows())
        (folder / "syntax_error.py").write_text("class A(:\n")
        (folder / "raises.py").write_text("raise ImportError('at import')\n")
        path, fault = folder / "trial.yaml", ""
        if number % 20 == 19:
            path, fault = self._no_file(folder)
        else:
            change = CHANGES[number % len(CHANGES)]
            text = change(CONFIG, self.rng)
            path.write_bytes(text.encode(errors="surrogatepass"))
            fault = f"{change.__name__}: {_difference(text)}"
        ran = self.starter.run(["check", str(path), "--results", str(folder)], folder / "log", 30.0)
        return judged(fault, ran, allowed=(0, 2)) or Verdict(fault)

    def _no_file(self, folder: Path) -> tuple[Path, str]:
        """Return a path that is no ordinary file."""
        path = folder / "odd.yaml"
        kind = int(self.rng.integers(5))
        if kind == 0:
            os.mkfifo(path)
        elif kind == 1:
            path.symlink_to("/dev/zero")
        elif kind == 2:
            path.mkdir()
        elif kind == 3:
            path.symlink_to(path)
        else:
            path.write_bytes(self.rng.bytes(5000))
        return path, f"a config that is no text: kind {kind}"


def _difference(text: str) -> str:
    """Return the lines that were put in, shortened."""
    new = [line for line in text.splitlines() if line not in CONFIG.splitlines()]
    return textwrap.shorten(" / ".join(line[:200] for line in new[:3]), 300) or "lines left out"
