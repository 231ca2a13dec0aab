"""Parts of a plan that cost about the same, for machines that do not know of each other."""

from collections import defaultdict
from dataclasses import replace

from ensvm.runner.outlook.estimate import Measurements, Work
from ensvm.runner.outlook.measured import read_measured
from ensvm.runner.plan import Cell, Plan
from ensvm.study.source import ConfigError

# What a fit that nobody has measured takes for each pair of a training row with another row: about
# what a support vector machine takes.
SECONDS_A_PAIR = 3e-8
SECONDS_A_CELL = 1e-3  # beside its fit: what surrounds it, and its record
PASSES = ("error", "timing", "all")


def part_of(
    plan: Plan, run_pass: str | None, shard: tuple[int, int] | None, *, elsewhere: bool
) -> tuple[Plan, int]:
    """Return the part of a plan that one run does, and how many timings it leaves out.

    Parameters
    ----------
    plan : Plan
        The plan.
    run_pass : 'error', 'timing', 'all' or None
        The pass; None for all, or for errors alone where the run is not one of this machine alone:
        timings belong on one quiet machine.
    shard : tuple of int or None
        The number of the part from 1, and how many there are; None for all of it.
    elsewhere : bool
        Whether the cells run on other machines.

    Returns
    -------
    part : Plan
        The same study with these cells.
    timings : int
        How many timings are left out; 0 where timings are run.

    Raises
    ------
    ConfigError
        If there are more parts than realizations.
    """
    chosen = run_pass or ("error" if elsewhere or shard else "all")
    part = of_pass(plan, chosen)
    left = len(plan.cells) - len(part.cells) if chosen == "error" else 0
    return (part if shard is None else shard_of(part, *shard)), left


def shard_named(given: str | tuple[int, int]) -> tuple[int, int]:
    """Return the two numbers of a shard given as I/N or as a pair.

    Parameters
    ----------
    given : str or tuple of int
        The I-th of N parts, as '2/8' or (2, 8).

    Returns
    -------
    tuple of int
        Both numbers.

    Raises
    ------
    ValueError
        If it is no such text or pair.
    """
    number, _, of = (given if isinstance(given, str) else "/".join(map(str, given))).partition("/")
    if not (number.isdecimal() and of.isdecimal() and 1 <= int(number) <= int(of)):
        raise ValueError(f"{given!r}: give I/N, the I-th of N parts, as in 2/8")
    return int(number), int(of)


def of_pass(plan: Plan, run_pass: str) -> Plan:
    """Return the cells of a plan that belong to a pass.

    Parameters
    ----------
    plan : Plan
        The plan.
    run_pass : 'error', 'timing' or 'all'
        The pass.

    Returns
    -------
    Plan
        The same study with these cells.
    """
    cells = (cell for cell in plan.cells if run_pass in (cell.run_pass, "all"))
    return replace(plan, cells=tuple(cells))


def shard_of(plan: Plan, number: int, of: int) -> Plan:
    """Return one of several parts of a plan, which together are the plan.

    The cells of one realization share their kernel values, so that they stay together. The longest
    realization goes first, each to the part that costs least so far. That depends on the plan and
    on the measurements that travel with the package alone, never on what is done, so that machines
    with the same config agree.

    Parameters
    ----------
    plan : Plan
        The plan.
    number : int
        The number of the part, from 1.
    of : int
        How many parts there are.

    Returns
    -------
    Plan
        The same study with the cells of this part.

    Raises
    ------
    ConfigError
        If there are more parts than realizations.
    """
    costs = _costs(plan)
    if of > len(costs):
        raise ConfigError(
            f"shard {number}/{of}: there are {len(costs)} realizations of data sets to run,"
            " which make at most as many parts"
        )
    parts = [0.0] * of
    mine = set()
    for which in sorted(costs, key=lambda which: (-costs[which], which)):
        least = min(range(of), key=parts.__getitem__)
        parts[least] += costs[which]
        if least == number - 1:
            mine.add(which)
    return replace(plan, cells=tuple(cell for cell in plan.cells if _unit(cell) in mine))


def _unit(cell: Cell) -> tuple[str, int]:
    return cell.dataset, cell.realization


def _costs(plan: Plan) -> dict[tuple[str, int], float]:
    """Return the seconds that the cells of each realization are expected to take."""
    known = Measurements([], read_measured())
    work: dict[tuple[str, int], Work] = defaultdict(Work)
    others: dict[tuple[str, int], float] = defaultdict(float)
    for cell in plan.cells:
        seconds = SECONDS_A_CELL
        if cell.method is not None and cell.identity not in plan.timings:
            _, n_train, n_test = plan.cards[cell.dataset].sizes()
            cost, _ = known.cost(cell, n_train, n_test)
            if cost is None:
                seconds += SECONDS_A_PAIR * n_train * (n_train + n_test) * cell.method.orders
            elif cell.run_pass == "timing":
                seconds += cost.alone
            else:
                work[_unit(cell)].add(cell, cost)
        others[_unit(cell)] += seconds
    return {unit: seconds + work[unit].seconds for unit, seconds in others.items()}
