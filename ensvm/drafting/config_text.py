"""The config of a drafted study, with comments: which data, how encoded and split, what runs."""

import shlex
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import yaml

from ensvm.data.splits import RandomSplit, check_split, counted
from ensvm.drafting.columns import FoundColumn
from ensvm.drafting.target import FoundTarget

SHARES = (0.8, 0.7, 0.6, 0.5)  # of the rows to train on: the first that leaves no class out
MOST_SHARED = 2500  # rows: more would train for minutes
TRAINED = 2000  # rows of a random split of more
TESTED = 5000
FEWEST_DRAWN = 10  # rows of a class in training, on average
WIDTH = 96
SCALINGS = {
    "standard": "standard  # on the training rows: mean 0, deviation 1; or: none, minmax",
    "maxabs": "maxabs  # divided by the largest value, so that zeros stay; or: none, standard",
}
# Realizations, by the rows trained on: small data need many, large ones little more than one.
REALIZATIONS = ((250, 20), (1200, 10), (TRAINED, 5))


@dataclass(frozen=True)
class Algorithm:
    """An algorithm of a drafted study: its block, and what it is."""

    block: str
    told: str


ALGORITHMS = {
    "always_largest": Algorithm(
        '{label: largest class, estimator: "sklearn.dummy:DummyClassifier"}',
        "what guessing the largest class gets wrong: the others must be better",
    ),
    "logistic": Algorithm(
        '{label: logistic regression, estimator: "sklearn.linear_model:LogisticRegression",'
        "\n             params: {max_iter: 1000}}",
        "a linear classifier of scikit-learn's",
    ),
    "svc": Algorithm(
        "{label: SVM, estimator: SVC, grid: {C: [0.1, 1, 10, 100]}, stage: best-on-validation}",
        "one SVM; its C is chosen on a third of the training rows",
    ),
    "forest": Algorithm(
        '{label: random forest, estimator: "sklearn.ensemble:RandomForestClassifier",'
        "\n           params: {n_estimators: 200}}",
        "trees, which do without scaling",
    ),
    "mixed_kernels": Algorithm(
        "{label: mixed-kernel bagging, estimator: MixedKernelBagging}",
        "ours: an ensemble of SVMs with different kernels",
    ),
    "ensemble": Algorithm(
        "{label: partially trained ensemble, estimator: PartiallyTrainedEnsemble}",
        "ours: an ensemble of partially trained SVMs, which needs no tuning",
    ),
}


@dataclass(frozen=True)
class Contents:
    """What a drafted config says.

    Attributes
    ----------
    name : str
        The name of the study and of the data set.
    path : str
        The file, from the config's folder.
    columns : tuple of FoundColumn
        All columns.
    target : FoundTarget
        The column of the classes.
    by_position : bool
        Whether the file has no header, so that the target is named by its position.
    original : str
        The name of the file that `path` is a clean copy of; empty where it is the file itself.
    written : dict
        How the file is written, as the key `format` says it.
    named : bool
        Whether the file has columns that a config names, the target among them.
    splits : int
        How many training and test parts the file brings; 0 where rows are drawn.
    scaling : str
        How inputs are scaled.
    """

    name: str
    path: str
    columns: tuple[FoundColumn, ...]
    target: FoundTarget
    by_position: bool = False
    original: str = ""
    written: dict[str, Any] = field(default_factory=dict)
    named: bool = True
    splits: int = 0
    scaling: str = "standard"

    def of_clean_copy(self, path: str, original: str) -> "Contents":
        """Return what the config of a clean copy says: it has a header."""
        return replace(self, path=path, original=original, by_position=False, written={})

    def _others(self) -> list[FoundColumn]:
        return [found for at, found in enumerate(self.columns) if at != self.target.position]

    def dropped(self) -> list[FoundColumn]:
        """Return the columns that are no inputs."""
        return [found for found in self._others() if found.dropped]

    def inputs(self) -> list[str]:
        """Return the names of the inputs."""
        return [found.name for found in self._others() if not found.dropped]

    def encodings(self) -> dict[str, Any]:
        """Return the encodings of inputs that are no numbers."""
        codes: dict[str, Any] = {}
        for found in self._others():
            if not found.dropped and found.kind == "yes or no":
                codes[found.name] = found.codes
            elif not found.dropped and found.kind == "text":
                codes[found.name] = {"one-hot": list(found.levels)}
        return codes

    @property
    def rows(self) -> int:
        """How many rows have a label."""
        return sum(self.target.classes.values())

    @property
    def missing(self) -> bool:
        """Whether inputs have missing values."""
        return any(found.missing for found in self._others() if not found.dropped)

    @property
    def unlabelled(self) -> bool:
        """Whether the file has rows without a label; a clean copy has none."""
        return self.target.column.missing > 0 and not self.original

    def split(self) -> dict[str, Any]:
        """Return the split."""
        if self.splits:
            return {"protocol": "indices"}
        sizes: list[dict[str, Any]] = [{"n_train": share} for share in SHARES]
        if self.rows > MOST_SHARED:
            sizes = [{"n_train": TRAINED, "n_test": min(self.rows - TRAINED, TESTED)}]
        for each in sizes:
            split = {"protocol": "random", **each, "stratified": True}
            if self._is_possible(split):
                return split
        return {"protocol": "random", **sizes[0]}

    def _is_possible(self, split: dict[str, Any]) -> bool:
        """Return whether no class is left out of a part."""
        try:
            made = RandomSplit.model_validate(counted(split, split, self.rows))
            check_split(made, self.rows, self.target.classes)
        except ValueError:
            return False
        return True

    def rare(self) -> list[str]:
        """Return the classes of which a draw may hold too few rows to learn from."""
        if self.rows <= MOST_SHARED or self.splits:
            return []
        share = TRAINED / self.rows
        return [name for name, rows in self.target.classes.items() if rows * share < FEWEST_DRAWN]

    def realizations(self) -> int:
        """Return how many times the rows are split."""
        if self.splits:
            return self.splits
        n_train = self.split()["n_train"] * (self.rows if self.rows <= MOST_SHARED else 1)
        return next(count for rows, count in REALIZATIONS if n_train <= rows)


def mapping_of(contents: Contents) -> dict[str, Any]:
    """Return the data set's block, as `ensvm.data.inline_card` takes it."""
    target = contents.target.position if contents.by_position else contents.target.column.name
    block: dict[str, Any] = {"name": contents.name, "path": contents.path}
    if contents.named:
        block["target"] = target
    if contents.target.positive is not None:
        block["positive"] = contents.target.positive
    if contents.written:
        block["format"] = contents.written
    if contents.unlabelled:
        block["unlabelled"] = "drop"
    if codes := contents.encodings():
        block["inputs"] = codes
    if dropped := contents.dropped():
        block["drop"] = [found.name for found in dropped]
    if contents.missing:
        block |= {"incomplete": "keep", "missing": "training-mean"}
    return block | {"scaling": contents.scaling, "split": contents.split()}


def config_text(contents: Contents, config: Path) -> str:
    """Return the config as text, with a comment at each choice that a user may want to change."""
    parts = [
        _head(contents, config),
        f"study: {_flow(contents.name)}",
        f"title: {_flow(f'Classifiers on {Path(contents.original or contents.path).name}')}",
        _realizations(contents),
        "kernel: {kernel: rbf, gamma: mean-distance}  # for all that have a kernel, unless their"
        "\n                                             # `params:` say otherwise",
        "",
        "datasets:",
        *_dataset(contents),
        "",
        *_algorithms(contents),
        "",
        "tables:",
        "  - id: errors",
        f"    caption: {_flow(_caption(contents))}",
        f"    columns: [{', '.join(ALGORITHMS)}]",
    ]
    return "\n".join(parts) + "\n"


def commands(contents: Contents, config: Path) -> list[str]:
    """Return the commands that run the study, show its errors, and test their differences."""
    name = contents.name
    return [
        f"ensvm run {shlex.quote(str(config))}",
        f"ensvm table results {name}",
        f"ensvm rank results {name} --dataset {name}",
    ]


def _head(contents: Contents, config: Path) -> str:
    return "\n".join(
        [
            f"# Drafted by `ensvm init` from {_plain(contents.original or contents.path)}.",
            "# To run it, to see the errors, and to test which differences are more than chance:",
            *(f"#     {_plain(command)}" for command in commands(contents, config)),
            "# Change what you like (all keys: docs/configs.md): the next run does what changed.",
        ]
    )


def _realizations(contents: Contents) -> str:
    count = contents.realizations()
    drawn = f"random splits of the {contents.rows:,} rows"
    return f"realizations: {count}  # {'the splits in the file' if contents.splits else drawn}"


def _caption(contents: Contents) -> str:
    classes = len(contents.target.classes)
    return f"Test errors (in %) on {contents.rows:,} rows of {classes} classes."


def _dataset(contents: Contents) -> list[str]:
    block = mapping_of(contents)
    target, classes = contents.target, contents.target.classes
    counts = ", ".join(f"{label} {count}" for label, count in list(classes.items())[:8])
    counts += ", ..." if len(classes) > 8 else ""
    lines = [f"  - name: {_flow(block['name'])}"]
    copy = f"  # a clean copy of {contents.original}" if contents.original else ""
    found = f"# {target.why}; rows: {_plain(counts)}"
    if contents.named:
        lines += [f"    path: {_flow(block['path'])}{copy}"]
        lines += [f"    target: {_flow(block['target'])}  {found}"]
    else:
        lines += [f"    path: {_flow(block['path'])}  {found}"]
    if "positive" in block:
        lines += [
            f"    positive: {_flow(block['positive'])}  # the class +1, which changes no error"
        ]
    if "format" in block:
        lines += ["    format:  # how the file is written"]
        lines += _indented(block["format"], "      ")
    if "unlabelled" in block:
        lines += ["    unlabelled: drop  # rows without a label are left out"]
    if "inputs" in block:
        lines += ["    inputs:  # text as columns of 0 and 1; columns not named here are numbers"]
        lines += _indented(block["inputs"], "      ")
    if "drop" in block:
        lines += ["    drop:  # no inputs; take a line out to keep a column of numbers"]
        lines += [
            f"      - {_flow(found.name)}  # {_plain(found.dropped)}"
            for found in contents.dropped()
        ]
    if "missing" in block:
        lines += ["    incomplete: keep  # rows with missing values stay ..."]
        lines += ["    missing: training-mean  # ... and get the means of the training rows"]
    lines += [f"    scaling: {SCALINGS[contents.scaling]}"]
    return [*lines, f"    split: {_flow(block['split'])}  # {_told_of(block['split'])}"]


def _told_of(split: dict[str, Any]) -> str:
    if split["protocol"] == "indices":
        return "row numbers in the arrays train and test"
    share = split["n_train"]
    part = f"{share:.0%} to train on" if share < 1 else "drawn anew each time"
    return f"{part}{', classes in proportion' if 'stratified' in split else ''}"


def _algorithms(contents: Contents) -> list[str]:
    lines = [
        "algorithms:  # further ones: docs/classifiers.md, or any classifier of scikit-learn's"
    ]
    for name, found in ALGORITHMS.items():
        lines += [f"  # {found.told}", f"  {name}: {found.block}"]
    if len(contents.target.classes) > 2:
        lines += ["  # classifiers for two classes are wrapped one against rest, as tables say"]
    return lines


def _flow(value: Any) -> str:
    """Return a value as YAML on one line."""
    text = yaml.safe_dump(
        value, default_flow_style=True, width=10**9, allow_unicode=True, sort_keys=False
    )
    return text.removesuffix("\n").removesuffix("\n...")


def _indented(value: Any, indent: str) -> list[str]:
    text = yaml.safe_dump(
        value,
        default_flow_style=None,
        width=WIDTH - len(indent),
        allow_unicode=True,
        sort_keys=False,
    )
    return [indent + line for line in text.splitlines()]


def _plain(text: str) -> str:
    """Return a text for a comment: on one line, without what YAML does not take."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())[:120]
