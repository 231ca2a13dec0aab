"""Keys of a config that say two things which cannot both be true; `ensvm check` names them."""

from collections.abc import Iterator

from ensvm.classifiers import ESTIMATORS
from ensvm.data.card import DatasetCard
from ensvm.data.splits import BootstrapSplit, KFoldSplit, RandomSplit
from ensvm.runner.plan import Plan
from ensvm.runner.report_keys import given
from ensvm.study.algorithms import AlgorithmConfig
from ensvm.study.source import Location

GUESSES = ("prior", "most_frequent")  # strategies of DummyClassifier: always the largest class
# What also says how print's rows relate to those of the study
OF_PRINT = ("drawn_again", "published_split")


def contradictions(plan: Plan) -> list[str]:
    """Return a line for each pair of keys that contradict each other: file, line, key and why.

    Pairs of keys that both stand in a base are left out: `ensvm check BASE` names them.
    """
    found = [*_of_same_rows(plan), *_of_largest_class(plan)]
    return plan.source.distinct_lines(
        (at, why) for at, why in found if plan.source.is_written(at[:2])
    )


def _of_same_rows(plan: Plan) -> Iterator[tuple[Location, str]]:
    """Yield data sets with print's very rows that are drawn here, or drawn again in print."""
    for index, entry in enumerate(plan.config.datasets):
        if not entry.same_rows or entry.copy_of is not None:
            continue
        at, card = ("datasets", index, "same_rows"), plan.cards.get(entry.name)
        if card is not None and _is_drawn_here(card):
            yield (
                at,
                f"the split of {entry.name} ({card.split.protocol}) is drawn by ensvm, so the "
                "paper cannot have trained and tested on these very rows",
            )
        for key in given(entry, *OF_PRINT):
            yield at, f"`{key}:` says that the paper had other rows of {entry.name}"


def _is_drawn_here(card: DatasetCard) -> bool:
    """Return whether realizations divide the rows by random numbers of ensvm."""
    split = card.split
    if isinstance(split, KFoldSplit):  # leaving one row out leaves no choice
        return split.n_splits < card.rows
    return isinstance(split, RandomSplit | BootstrapSplit)


def _of_largest_class(plan: Plan) -> Iterator[tuple[Location, str]]:
    """Yield algorithms that tables take for always guessing the largest class, and that do not."""
    for index, table in enumerate(plan.config.tables):
        block = plan.config.algorithms.get(table.largest_class or "")
        if block is not None and not _may_guess(block):
            yield (
                ("tables", index, "largest_class"),
                f"{table.largest_class} ({block.estimator}) does not always predict the largest "
                "class; accepted: an algorithm with `estimator: DummyClassifier`",
            )


def _may_guess(block: AlgorithmConfig) -> bool:
    """Return whether an algorithm may always predict the largest class; own code may."""
    if block.is_dummy:
        return block.params.get("strategy", GUESSES[0]) in GUESSES
    module, _, name = str(block.estimator).rpartition(":")
    return bool(module) and not module.startswith("sklearn") and name not in ESTIMATORS
