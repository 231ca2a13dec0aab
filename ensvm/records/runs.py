"""The runs that made some records: their days, commits, machines and processors."""

from collections.abc import Iterable

from ensvm.records.record import Record, Run


def machines(records: Iterable[Record]) -> dict[str, str]:
    """Return the hosts on which records were timed, each with its processor."""
    hosts: dict[str, str] = {}
    for record in records:
        if record.conditions is not None:
            processor = record.run.processor if record.run else ""
            hosts[record.conditions.host] = processor or hosts.get(record.conditions.host, "")
    return dict(sorted(hosts.items()))


def runs_of(records: Iterable[Record]) -> dict[str, Run]:
    """Return the runs that made some records, by their id."""
    return {record.run.id: record.run for record in records if record.run is not None}


def days_of(records: Iterable[Record]) -> str:
    """Return the day on which some records were made, or the first and the last."""
    days = sorted({record.time[:10] for record in records if record.time})
    return " to ".join(dict.fromkeys([days[0], days[-1]])) if days else ""


def commits_of(runs: Iterable[Run]) -> str:
    """Return the commits of some runs, and whether their checkouts had changes."""
    commits = {f"{run.commit[:10]}{'+changes' * bool(run.dirty)}" for run in runs if run.commit}
    return ", ".join(sorted(commits))


def processors_of(runs: Iterable[Run]) -> list[str]:
    """Return the processor and BLAS of every machine of some runs, which affect rounding."""
    return sorted({run.arithmetic for run in runs} - {""})
