"""Sizes of splits that say little about an algorithm; `ensvm check` asks whether they are meant."""

from collections.abc import Iterator

from ensvm.counts import counted
from ensvm.data.card import DatasetCard
from ensvm.data.splits import KFoldSplit, LeaveOneGroupOutSplit
from ensvm.runner.grams import VALIDATION_SHARE
from ensvm.runner.plan import Plan
from ensvm.runner.report_keys import last_realizations
from ensvm.study.metrics import is_error_rate
from ensvm.study.source import Location

FEWEST_TRAINED = 5  # rows of a class that are trained on, on average
FEWEST_TESTED = 10
FEWEST_HELD_OUT = 1  # rows of a class by which a setting is chosen, on average


def doubtful_sizes(plan: Plan) -> list[str]:
    """Return a question for each size of a split that leaves too few rows or realizations.

    Sizes of a base are left out: `ensvm check BASE` asks about them.
    """
    asked = [*_of_parts(plan), *_of_claims(plan)]
    return plan.source.distinct_lines(
        (at, question) for at, question in asked if plan.source.is_written(at)
    )


def _of_parts(plan: Plan) -> Iterator[tuple[Location, str]]:
    """Yield training, test and held-out parts of data sets with very few rows."""
    for index, entry in enumerate(plan.config.datasets):
        card = plan.cards.get(entry.name)
        if card is None or entry.copy_of is not None:
            continue
        _, n_train, n_test = card.sizes()
        at: Location = ("datasets", index)
        of_class, name = n_train * _share_of_class(card), entry.name
        if of_class < FEWEST_TRAINED:
            yield (
                (*at, "split"),
                f"{name} has {counted(n_train, 'training row')}, of a class about {of_class:.1f}; "
                "are so few meant?",
            )
        is_pooled = isinstance(card.split, KFoldSplit | LeaveOneGroupOutSplit)
        n_tested = card.rows if is_pooled else n_test
        if n_tested < FEWEST_TESTED:
            yield (
                (*at, "split"),
                f"{name} has {counted(n_tested, 'test row')}, so that an error is a multiple of "
                f"{100 / n_tested:.3g} %; are so few meant?",
            )
        if of_class * VALIDATION_SHARE < FEWEST_HELD_OUT:
            for algorithm in plan.config.algorithms_of(entry):
                block = plan.config.algorithms[algorithm]
                if block.stage == "best-on-validation" and block.copy_of is None:
                    yield (
                        (*at, "split"),
                        f"the rows of {name} that {algorithm} holds out to choose by may be of one "
                        "class alone; are so few training rows meant?",
                    )


def _share_of_class(card: DatasetCard) -> float:
    """Return the share of the rarer of two classes in the rows, else the mean share of a class.

    Of more classes, one may be very rare in any data; `ensvm.data.alarms` names it.
    """
    counts = [count for count in card.classes.values() if count is not None]
    return min(counts) / sum(counts) if len(counts) == 2 else 1.0 / len(card.classes)


def _of_claims(plan: Plan) -> Iterator[tuple[Location, str]]:
    """Yield tests of claims that no interval decides, since there is one realization.

    Error rates of a single realization have an interval by their number of test rows.
    """
    last = last_realizations(plan)
    single = {
        entry.name
        for entry in plan.config.datasets
        if last.get(entry.name) == 1 and not entry.same_rows and entry.name in plan.cards
        if plan.cards[entry.name].max_realizations != 1  # given parts cannot be drawn again
    }
    for index, claim in enumerate(plan.config.claims):
        for number, test in enumerate(claim.tests):
            rows = plan.config.own_rows if test.rows is None else test.rows
            undecided = [row for row in rows if row in single]
            timed_or_rate = test.run_pass == "timing" or is_error_rate(test.metric, test.stage)
            if undecided and len(undecided) == len(rows) and not timed_or_rate:
                yield (
                    ("claims", index, "tests", number),
                    f"one realization of {', '.join(undecided)} gives no interval of "
                    f"{test.metric}, so that a single value decides the claim; is it meant?",
                )
