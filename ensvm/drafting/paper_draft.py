"""The beginning of a study of a paper: its config, and an empty file of printed values."""

import csv
import io
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ensvm.data import find_card
from ensvm.errors import UserError
from ensvm.runner.estimators import EstimatorError, resolved_block
from ensvm.shipped import shipped_config
from ensvm.study.block import is_reserved
from ensvm.yaml_text import dump

SPLITS = "10-fold, 10x10-fold, 100 random 0.6, or card (as each data set's card says)"
_FOLDS = re.compile(r"(?:(\d+) ?x ?)?(\d+)[ -]?folds?")
_RANDOM = re.compile(r"(\d+) random (0?\.\d+|\d+)")
TO_DO = "to do"  # begins the reason why a row or a column has no values yet


@dataclass(frozen=True)
class PaperDraft:
    """The files of a new study, each with its text; the config is the first."""

    files: dict[Path, str]

    @property
    def config(self) -> Path:
        """The config's file."""
        return next(iter(self.files))


def draft_paper(
    title: str, rows: Sequence[str], columns: Sequence[str], split: str, config: Path | None = None
) -> PaperDraft:
    """Return the config of a paper's table and its empty file of printed values.

    `rows` are names of data cards or other data sets, `columns` are headings, each with its
    estimator behind `=` if it is not the heading itself: `SVM=SVC`. What is not known is left to do
    in the config. Raises UserError for names given twice and a split that is not understood.
    """
    stem = _name(" ".join(title.split()[:4])) if config is None else ""
    path = config or Path(f"{'my-' * is_reserved(stem)}{stem}.yaml")
    if shipped_config(path.stem) is not None:
        raise UserError(f"{path.stem!r} is the name of a shipped study; choose another one with -o")
    known = [_column(text) for text in columns]
    names = [_name(row) for row in rows], [name for name, *_ in known]
    for what, given in zip(("row", "column"), names, strict=True):
        if not given:
            raise UserError(f"--{what}s: a table needs at least one {what}")
        if twice := [name for name in given if given.count(name) > 1]:
            raise UserError(f"--{what}s: {twice[0]!r} is given twice")
    printed = Path(path.stem, "published.csv")
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(["row", *names[1]])
    table.writerows([row, *[""] * len(known)] for row in names[0])
    lines = [
        f"study: {_plain(path.stem)}",
        f"title: {_text(title)}",
        'citation: ""   # the paper, as one would cite it',
        "# published_realizations: 100   # over how many splits print is a mean",
        *_split_lines(split),
        "datasets:",
        *(f"  - {_row(label)}" for label in rows),
        "algorithms:",
        *_algorithm_lines(known),
        "tables:",
        "  - id: 1",
        f"    caption: {_text('Test errors (in %).')}",
        "    columns:",
        *(f"      - {_column_block(*each)}" for each in known),
        f"published: {_text(printed.as_posix())}",
    ]
    files = {path: "\n".join(lines) + "\n", path.parent / printed: text.getvalue()}
    return PaperDraft(files)


def _name(text: str) -> str:
    """Return a name made of a text: its letters and digits."""
    name = re.sub(r"[^A-Za-z0-9]+", "-", text).strip("-").lower()
    if not name:
        raise UserError(f"{text!r} has no letter or digit to make a name of")
    return name


def _plain(name: str) -> str:
    """Return a name as YAML, in quotes if YAML would read it as something else: no, null, 1e3."""
    return dump(name).splitlines()[0]


def _text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _row(label: str) -> str:
    """Return the entry of a data set: a card's name, or what is left to do."""
    name = _name(label)
    try:
        find_card(name)
    except UserError:
        why = f"{TO_DO}: write `path:` of a file, or the name of a card, in place of this key"
        return f"{{name: {_plain(name)}, label: {_text(label)}, unavailable: {_text(why)}}}"
    return _plain(name) if name == label else f"{{name: {_plain(name)}, label: {_text(label)}}}"


def _column(text: str) -> tuple[str, str, str | None]:
    """Return the name, the heading and the estimator of a column; None if it is not known."""
    label, _, estimator = map(str.strip, text.partition("="))
    try:
        resolved_block(estimator or label, {}, None)
    except EstimatorError as error:
        if estimator:
            raise UserError(f"--columns: {text}: {error}") from error
        return _name(label), label, None
    return _name(label), label, estimator or label


def _algorithm_lines(columns: Sequence[tuple[str, str, str | None]]) -> list[str]:
    lines = [
        f"  {_plain(name)}: {{label: {_text(label)}, estimator: {_text(estimator)}}}"
        for name, label, estimator in columns
        if estimator is not None
    ]
    return lines or ["  largest-class: {estimator: DummyClassifier}   # until a column has its own"]


def _column_block(name: str, label: str, estimator: str | None) -> str:
    if estimator is not None:
        return _plain(name)
    why = f"{TO_DO}: write an algorithm {name}, and leave out this key"
    return f"{{name: {_plain(name)}, label: {_text(label)}, unavailable: {_text(why)}}}"


def _split_lines(split: str) -> list[str]:
    if split == "card":
        return []
    if folds := _FOLDS.fullmatch(split):
        repeats = f", repeats: {folds[1]}" if folds[1] else ""
        return [f"defaults: {{split: {{protocol: kfold, n_splits: {folds[2]}{repeats}}}}}"]
    if drawn := _RANDOM.fullmatch(split):
        block = f"{{protocol: random, n_train: {drawn[2]}}}"
        return [f"defaults: {{realizations: {drawn[1]}, split: {block}}}"]
    raise UserError(f"--split: {split!r} is not accepted; accepted: {SPLITS}")
