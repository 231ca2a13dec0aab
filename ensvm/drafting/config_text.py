"""The config that `ensvm init` drafts, with a comment at each choice that a user may change."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import yaml

from ensvm.atomic_write import replace_file
from ensvm.counts import counted
from ensvm.data.alarms import rare_share
from ensvm.drafting.draft import Draft
from ensvm.errors import UserError
from ensvm.report.study_folder import command_to_run
from ensvm.shipped import RESULTS
from ensvm.yaml_text import dump

WIDTH = 96
ALGORITHMS = """\
  # what guessing the largest class gets wrong: the others must be better
  always_largest: {label: largest class, estimator: "sklearn.dummy:DummyClassifier"}
  # ours: SVMs of several kernels, averaged by their leave-one-out losses
  ensemble: {label: SVM ensemble, estimator: SVMEnsembleClassifier}
  # a linear classifier of scikit-learn's
  logistic: {label: logistic regression, estimator: "sklearn.linear_model:LogisticRegression",
             params: {max_iter: 1000}}
  # one SVM, which chooses C and gamma on the training rows
  svc: {label: SVM, estimator: TunedSVC}
  # trees, which do without scaling
  forest: {label: random forest, estimator: "sklearn.ensemble:RandomForestClassifier",
           params: {n_estimators: 200}}
  # ours: a published ensemble of SVMs with different kernels
  mixed_kernels: {label: mixed-kernel bagging, estimator: MixedKernelBagging}
"""
NAMES = list(yaml.safe_load(ALGORITHMS))
CONFIG = """\
# Drafted by `ensvm init` from {path}.
# To run it, to see the errors, and to test which differences are more than chance:
{commands}
# Change what you like: the next run does what changed. `ensvm keys` explains all keys.
study: {name}
title: {title}
realizations: {realizations}
# kernel: {{kernel: rbf, gamma: mean-distance}}  # for algorithms with a kernel that you add, such
                                               # as SVC, unless their `params:` say otherwise

datasets:
{dataset}

algorithms:  # any classifier of ensvm (in Python: help("ensvm")) or of scikit-learn
{algorithms}
tables:
{tables}
figures:
  - id: errors
    kind: box  # the values of the single splits; or: bar, means with standard deviations
    caption: {figure}
    table: errors
    series: [{series}]
"""
TABLE = """\
  - id: {id}
    caption: {caption}
    metric: {metric}
    columns: [{columns}]
    largest_class: always_largest  # what guessing the largest class gets is never bold
"""
# What is said of the keys of a data set, whose values are written below them if they are long.
COMMENTS = {
    "positive": "the class +1, which changes no error",
    "format": "how the file is written",
    "unlabelled": "rows without a label are left out",
    "inputs": "text as columns of 0 and 1; columns not named here are numbers",
    "groups": "rows of one are never on both sides",
    "drop": "not inputs; take a line out to keep a column of numbers",
    "incomplete": "rows with missing values stay ...",
    "fill": "... and get the means of the training rows",
    "standard": "on the training rows: mean 0, deviation 1; or: none, minmax",
    "maxabs": "divided by the largest value, so that zeros stay; or: none, standard",
}


def config_text(draft: Draft) -> str:
    """Return the config of a draft."""
    rows, classes = (
        f"{counted(draft.rows, 'row')} of {counted(len(draft.classes), 'class')}",
        draft.classes,
    )
    tables = [("errors", f"Test errors (in %) on {rows}.", "error")]
    if min(classes.values()) < rare_share(len(classes)) * draft.rows:
        metric = "balanced_accuracy  # the mean of the shares of each class that are right"
        tables.append(("balanced", f"Balanced accuracy (in %) on {rows}.", metric))
    drawn = "the splits in the file" if draft.splits else "random splits of the rows"
    return CONFIG.format(
        path=_plain(draft.block["path"]),
        commands="\n".join(f"#     {_plain(command)}" for command in commands(draft)),
        name=_flow(draft.study),
        title=_flow(f"Classifiers on {draft.path.name}"),
        realizations=f"{draft.realizations}  # {drawn}",
        dataset="\n".join(_dataset(draft)),
        algorithms=ALGORITHMS,
        tables="".join(
            TABLE.format(id=key, caption=_flow(text), metric=metric, columns=", ".join(NAMES))
            for key, text, metric in tables
        ),
        figure=_flow("Test errors on the single splits."),
        series=", ".join(NAMES[1:]),  # beside the largest class, the others would look alike
    )


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
    return [
        command_to_run(draft.config, RESULTS / draft.study),
        f"ensvm table results {draft.study}",
        f"ensvm rank results {draft.study} --dataset {draft.block['name']}",
    ]


def _dataset(draft: Draft) -> list[str]:
    reasons = {column.name: column.dropped for column in draft.columns}
    comments = {
        **COMMENTS,
        "target" if "target" in draft.block else "path": f"rows: {_class_counts(draft.classes)}",
        "split": split_comment(draft.block["split"]),
        "scaling": COMMENTS[draft.block["scaling"]],
    }
    lines = []
    for key, value in draft.block.items():
        comment = f"  # {comments[key]}" if key in comments else ""
        if key == "drop":
            lines += [f"{key}:{comment}"]
            lines += [f"  - {_flow(name)}  # {_plain(reasons[name])}" for name in value]
        elif key in ("inputs", "format"):
            lines += [f"{key}:{comment}", *_indented(value)]
        else:
            lines.append(f"{key}: {_flow(value)}{comment}")
    return [f"  - {lines[0]}", *(f"    {line}" for line in lines[1:])]


def _class_counts(classes: Mapping[str, int]) -> str:
    """Return the rows of each class, of the first ones if all would make a long line."""
    counts = [_plain(f"{label} {count}") for label, count in classes.items()]
    ends = np.cumsum([len(text) + len(", ") for text in counts])
    shown = max(1, int((ends <= WIDTH).sum()))
    more = [f"and {counted(len(counts) - shown, 'more class')}"] * (shown < len(counts))
    return ", ".join([*counts[:shown], *more])


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
    text = dump(value, default_flow_style=True, width=10**9)
    return text.removesuffix("\n").removesuffix("\n...")


def _indented(value: Any) -> list[str]:
    text = dump(value, default_flow_style=None, width=WIDTH)
    return [f"  {line}" for line in text.splitlines()]


def _plain(text: str) -> str:
    """Return a text for a comment: on one line, without what YAML does not take."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())
