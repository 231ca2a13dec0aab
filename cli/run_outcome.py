"""What a run has done: what came out, what failed, and the commands that show more."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ensvm.counts import counted, of_all
from ensvm_cli.printing import duration, print_text, say
from ensvm_cli.table_verbs import commands_of, print_ending, print_unshown

if TYPE_CHECKING:
    from ensvm.records.record import Record
    from ensvm.runner.execute import Outcome
    from ensvm.runner.plan import Plan

NEEDS_DENSE = re.compile(r"(?i)dense data is required|not support sparse|sparse.* not supported")
MAX_FAILURES = 10  # that are printed


def progress_so_far(plan: "Plan", results: Path) -> str:
    """Return how many cells of the plan have records."""
    from ensvm.records.store import read_records

    missing = plan.missing(read_records(results / plan.config.study))
    return f"{of_all(len(plan.cells) - len(missing), len(plan.cells), 'cell')} done"


def print_outcome(
    outcome: "Outcome", plan: "Plan", results: Path, seconds: float, show_findings: bool
) -> None:
    """Print what a run has done, what failed, what came out, and the commands that show more."""
    from ensvm.records.states import counted_states
    from ensvm.records.store import CELLS_FILE

    folder, n_cells = results / plan.config.study, len(plan.cells)
    counts = counted_states(outcome.statuses.elements())
    now = f"now {counts}" if counts else "nothing to do"
    before = f"{of_all(outcome.already_done, n_cells, 'cell')} done before"
    if outcome.reused and plan.config.derived is not None:
        before += f" ({outcome.reused} of them for {plan.config.derived.base})"
    say(f"{plan.config.study}: {before}; {now}")
    if outcome.unread_base:
        print_text(outcome.unread_base, err=True)
    if outcome.done < n_cells:
        n_left = n_cells - outcome.done
        print_text(f"{of_all(n_left, n_cells, 'cell')} not done; the next run tries them again")
    for reason, count in outcome.reasons.items():
        if reason != "not run yet":
            say(f"  done again: {counted(count, 'cell')} ({reason})")
    _print_failures(outcome.failures)
    if outcome.warned:
        command = f"ensvm status --warnings {folder}"
        print_text(
            f"{of_all(outcome.warned, n_cells, 'cell')} warned; to list the warnings: {command}"
        )
    if outcome.missing_data:
        names = ", ".join(outcome.missing_data)
        command = f"ensvm data list --missing {plan.path}"
        print_text(f"no data: {names}; `{command}` says how to get them")
    if (folder / CELLS_FILE).is_file():
        print_ending(folder, show_findings=show_findings and outcome.done == n_cells)
    print_unshown(plan, results)
    if outcome.failures:
        n_failed = of_all(len(outcome.failures), n_cells, "cell")
        print_text(f"not done: {n_failed}; the first: {_failure(outcome.failures[0])}")
    places = [f"records: {folder}/{CELLS_FILE}", *commands_of(plan.config, results)]
    print_text("; ".join([f"took {duration(seconds)}", *places]))


def _print_failures(failures: Sequence["Record"]) -> None:
    """Print the first cells that failed, and what makes inputs dense if an algorithm needs it."""
    for record in failures[:MAX_FAILURES]:
        say(f"  {_failure(record)}", err=True)
    if n_more := len(failures[MAX_FAILURES:]):
        say(f"  ... and {n_more} more; see the records", err=True)
    if any(NEEDS_DENSE.search(record.reason) for record in failures):
        print_text("`sparse: false` of a data set makes its inputs dense", err=True)


def _failure(record: "Record") -> str:
    """Return how a cell failed, which it is, and the reason."""
    return f"{record.status}: {record.cell_text}: {record.reason}"
