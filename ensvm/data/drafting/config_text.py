"""The config that `ensvm init` drafts, with a comment at each choice that a user may change."""

import shlex
from typing import Any

import yaml

from ensvm.atomic_write import replace_file
from ensvm.data.alarms import rare_share
from ensvm.data.drafting.draft import Draft
from ensvm.errors import UserError

WIDTH = 96
SCALINGS = {
    "standard": "standard  # on the training rows: mean 0, deviation 1; or: none, minmax",
    "maxabs": "maxabs  # divided by the largest value, so that zeros stay; or: none, standard",
}
# the blocks of algorithms in a config, each with what its comment says
ALGORITHMS = {
    "always_largest": (
        '{label: largest class, estimator: "sklearn.dummy:DummyClassifier"}',
        "what guessing the largest class gets wrong: the others must be better",
    ),
    "logistic": (
        '{label: logistic regression, estimator: "sklearn.linear_model:LogisticRegression",'
        "\n             params: {max_iter: 1000}}",
        "a linear classifier of scikit-learn's",
    ),
    "svc": (
        "{label: SVM, estimator: TunedSVC}",
        "one SVM, which chooses C and gamma on the training rows",
    ),
    "forest": (
        '{label: random forest, estimator: "sklearn.ensemble:RandomForestClassifier",'
        "\n           params: {n_estimators: 200}}",
        "trees, which do without scaling",
    ),
    "mixed_kernels": (
        "{label: mixed-kernel bagging, estimator: MixedKernelBagging}",
        "ours: an ensemble of SVMs with different kernels",
    ),
    "ensemble": (
        "{label: partially trained ensemble, estimator: PartiallyTrainedEnsemble}",
        "ours: an ensemble of partially trained SVMs, which needs no tuning",
    ),
}


def config_text(draft: Draft) -> str:
    """Return the config of a draft."""
    name, classes = draft.block["name"], draft.classes
    drawn = (
        "the splits in the file" if draft.splits else f"random splits of the {draft.rows:,} rows"
    )
    caption = f"Test errors (in %) on {draft.rows:,} rows of {len(classes)} classes."
    lines = [
        f"# Drafted by `ensvm init` from {_plain(draft.block['path'])}.",
        "# To run it, to see the errors, and to test which differences are more than chance:",
        *(f"#     {_plain(command)}" for command in commands(draft)),
        "# Change what you like: the next run does what changed. All keys:",
        "# docs/look-up/keys.md",
        f"study: {_flow(name)}",
        f"title: {_flow(f'Classifiers on {draft.path.name}')}",
        f"realizations: {draft.realizations}  # {drawn}",
        "kernel: {kernel: rbf, gamma: mean-distance}  # for all that have a kernel, unless their",
        "                                             # `params:` say otherwise",
        "",
        "datasets:",
        *_dataset(draft),
        "",
        "algorithms:  # more: docs/reference/classifiers.md, or any classifier of scikit-learn",
        *(f"  # {comment}\n  {name}: {block}" for name, (block, comment) in ALGORITHMS.items()),
        "",
        "tables:",
        *_table("errors", caption),
    ]
    if min(classes.values()) < rare_share(len(classes)) * draft.rows:
        caption = caption.replace("Test errors (in %)", "Balanced accuracy (in %)")
        metric = "balanced_accuracy  # the mean of the shares of each class that are right"
        lines += _table("balanced", caption, metric)
    return "\n".join(lines) + "\n"


def _table(name: str, caption: str, metric: str = "") -> list[str]:
    return [
        f"  - id: {name}",
        f"    caption: {_flow(caption)}",
        *([f"    metric: {metric}"] if metric else []),
        f"    columns: [{', '.join(ALGORITHMS)}]",
        "    largest_class: always_largest  # what guessing the largest class gets is never bold",
    ]


def write_config(draft: Draft) -> None:
    """Write the config; raise UserError if it cannot be written there."""
    try:
        draft.config.parent.mkdir(parents=True, exist_ok=True)
        replace_file(draft.config, config_text(draft))
    except OSError as error:
        reason = f"{error.filename or draft.config}: {error.strerror or error}"
        raise UserError(f"{reason}; choose another place with -o") from error


def commands(draft: Draft) -> list[str]:
    """Return the commands that run the study, show its errors, and test their differences."""
    name = draft.block["name"]
    return [
        f"ensvm run {shlex.quote(str(draft.config))}",
        f"ensvm table results {name}",
        f"ensvm rank results {name} --dataset {name}",
    ]


def _dataset(draft: Draft) -> list[str]:
    block = draft.block
    counts = ", ".join(f"{label} {count}" for label, count in list(draft.classes.items())[:8])
    counts += ", ..." if len(draft.classes) > 8 else ""
    lines = [f"  - name: {_flow(block['name'])}", f"    path: {_flow(block['path'])}"]
    if "target" in block:
        lines += [f"    target: {_flow(block['target'])}"]
    lines[-1] += f"  # rows: {_plain(counts)}"
    if "format" in block:
        lines += ["    format:  # how the file is written"]
        lines += _indented(block["format"], "      ")
    if "unlabelled" in block:
        lines += ["    unlabelled: drop  # rows without a label are left out"]
    if "inputs" in block:
        lines += ["    inputs:  # text as columns of 0 and 1; columns not named here are numbers"]
        lines += _indented(block["inputs"], "      ")
    if "groups" in block:
        lines += [f"    groups: {_flow(block['groups'])}  # rows of one are never on both sides"]
    if "drop" in block:
        reasons = {column.name: column.dropped for column in draft.columns}
        lines += ["    drop:  # not inputs; take a line out to keep a column of numbers"]
        lines += [f"      - {_flow(name)}  # {_plain(reasons[name])}" for name in block["drop"]]
    if "fill" in block:
        lines += ["    incomplete: keep  # rows with missing values stay ..."]
        lines += ["    fill: training-mean  # ... and get the means of the training rows"]
    lines += [f"    scaling: {SCALINGS[block['scaling']]}"]
    return [*lines, f"    split: {_flow(block['split'])}  # {split_comment(block['split'])}"]


def split_comment(split: dict[str, Any]) -> str:
    """Return in words how the rows are split."""
    if split["protocol"] == "indices":
        return "row numbers in the arrays train and test"
    if split["protocol"] == "kfold":
        return "folds of whole groups, with the classes about in proportion"
    share = split["n_train"]
    part = f"{share:.0%} to train on" if share < 1 else "drawn anew each time"
    return f"{part}{', classes in proportion' if 'stratified' in split else ''}"


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
