"""Rewrites the shipped records to the settings of today's code and configs, values unchanged.

`python tests/rewrite_shipped_records.py [STUDY...]` rewrites the file `cells.jsonl.xz` of the named
studies in `results/shipped/`, or of all. Records are matched with the cells of the config by data
set, realization, algorithm and pass. It says which records no cell asks for any more (these go),
which cells have no record, and which parts of the settings that a config asks for are others now:
check that these are the same thing by another name. It ends with 1, and writes nothing for that
study, if a value would change. The config and the printed values are copied beside the records.

`--pack` takes the records of `results/<study>/cells.jsonl` in place of the shipped ones.
"""

import hashlib
import json
import lzma
import re
import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any

from ensvm.records.identity import asked, hash_of
from ensvm.records.record import Identity, LineReader, Record, Run, settings_line
from ensvm.records.store import CELLS_FILE, SHIPPED_FILE, records_in
from ensvm.runner.execute import copy_config
from ensvm.runner.plan import Cell, make_plan
from ensvm.shipped import shipped_config, shipped_results

RESULTS = shipped_results()
RUN_HERE = RESULTS.parent
# What a rewriting may change; all other fields of a record stay as they are.
REWRITTEN = ("key", "settings_key", "settings", "run")
# The folders of an absolute path; after a letter, a colon or a slash it is part of a web address.
FOLDERS = re.compile(r"(?<![\w:/.~-])/(?:[^\s/:'\"]+/)+")
# Fields of lines that older versions wrote, which records do not have any more.
DROPPED = ("confusion", "predictions", "crc32")


def rewritten(records: Mapping[Identity, Record], cells: Iterable[Cell]) -> list[Record]:
    """Return the records of cells with the settings of these cells."""
    kept = []
    for cell in cells:
        if (record := records.get(cell.identity)) is not None:
            kept.append(replace(record, settings=cell.settings, settings_key=cell.settings_key))
    return kept


def differences(records: Mapping[Identity, Record], cells: Iterable[Cell]) -> list[str]:
    """Return what does not match between records and cells, each with how often it occurs."""
    found: Counter[str] = Counter()
    by_cell = {cell.identity: cell for cell in cells}
    for row, _, algorithm, run_pass in records.keys() - by_cell.keys():
        found[f"no cell asks for it, dropped: {row}, {algorithm}, {run_pass} pass"] += 1
    for identity, cell in by_cell.items():
        row, _, algorithm, run_pass = identity
        if identity not in records:
            found[f"no record: {row}, {algorithm}, {run_pass} pass"] += 1
            continue
        before, now = asked(records[identity].settings), asked(cell.settings)
        for part in _unlike(before, now, ()):
            found[f"other settings: {part}"] += 1
    return [f"{count:,} cells: {text}" for text, count in sorted(found.items())]


def _unlike(before: Any, now: Any, place: tuple[str, ...]) -> Iterable[str]:
    if isinstance(before, dict) and isinstance(now, dict):
        for key in sorted({*before, *now}):
            yield from _unlike(before.get(key), now.get(key), (*place, key))
    elif before != now:
        yield f"{'.'.join(place)}: {before!r:.60} -> {now!r:.60}"


def packed(records: Iterable[Record]) -> bytes:
    """Return the content of a file of shipped records; it depends on them alone."""
    in_order = sorted(records, key=lambda one: (one.dataset, one.algorithm, one.identity))
    runs = {record.run.id: record.run for record in in_order if record.run is not None}
    lines = [run.to_json() for _, run in sorted(runs.items())]
    written = set[str]()
    for record in in_order:
        if record.settings_key not in written:
            written.add(record.settings_key)
            lines.append(settings_line(record.settings_key, record.settings))
        lines.append(record.to_json())
    text = b"".join(json.dumps(line, sort_keys=True).encode() + b"\n" for line in lines)
    return lzma.compress(text, preset=9 | lzma.PRESET_EXTREME)


def for_travel(record: Record) -> Record:
    """Return a record of a run of ours without names of machines and folders, and without keys."""
    run, conditions = record.run, record.conditions
    if run is not None:
        if conditions is not None:
            conditions = replace(conditions, host=_label(run, conditions.host))
        system = run.platform.partition("-")[0]
        run = replace(run, host=_label(run, run.host), platform=system, command=())
    return replace(
        record,
        key="",
        seed=None,
        seconds=record.seconds if record.run_pass == "timing" else {},
        run=run,
        conditions=conditions,
        reason=FOLDERS.sub("", record.reason),
        warnings=tuple(FOLDERS.sub("", text) for text in record.warnings),
        traceback="",
    )


def _label(run: Run, host: str) -> str:
    machine = json.dumps([host, run.platform, run.processor, run.cpus])
    return f"machine-{hashlib.sha256(machine.encode()).hexdigest()[:6]}"


def old_records(path: Path) -> dict[Identity, Record]:
    """Return the records in a file whose first line may be a config, as older versions wrote it."""
    reader, records = LineReader(), {}
    with lzma.open(path) as lines:
        for text in lines:
            line = json.loads(text)
            if line.get("kind") == "config":
                continue
            unknown = line.keys() - {*(entry.name for entry in fields(Record)), *DROPPED}
            assert line["kind"] != "cell" or unknown == {"kind", "pass"}, unknown
            if (record := reader.read(text)) is not None:
                records[record.identity] = record
    return records


def values(record: Record) -> str:
    """Return all that a rewriting must not change, as text in which NaN equals itself."""
    kept = {entry.name: getattr(record, entry.name) for entry in fields(record)}
    for name in REWRITTEN:
        del kept[name]
    return json.dumps({**kept, "run": record.run and asdict(record.run)}, default=asdict)


def rewrite(study: str, *, pack: bool) -> bool:
    """Rewrite the shipped records of a study, and return whether all values are the same."""
    folder, config = RESULTS / study, shipped_config(study)
    if config is None:
        print(f"{study}: no shipped config; nothing done")
        return False
    plan = make_plan(config)
    path = folder / SHIPPED_FILE
    if pack:
        run_here = records_in(RUN_HERE / study / CELLS_FILE)
        records = {each: for_travel(one) for each, one in run_here.items()}
    else:
        records = old_records(path)
    for line in differences(records, plan.cells):
        print(f"{study}: {line}")
    content = packed(rewritten(records, plan.cells))
    new = path.with_name(f"new-{SHIPPED_FILE}")
    new.write_bytes(content)
    again = records_in(new)
    changed = [cell for cell, record in again.items() if values(record) != values(records[cell])]
    keys = {cell.identity: cell.settings_key for cell in plan.cells}
    written = {cell: hash_of(record.settings.to_json()) for cell, record in again.items()}
    changed += [cell for cell, key in written.items() if key != keys[cell]]
    if changed:
        print(f"{study}: {len(changed)} records would change, such as {changed[0]}; kept in {new}")
        return False
    size = path.stat().st_size if path.exists() else 0
    new.replace(path)
    newest = max((record.time for record in again.values()), default="")
    copy_config(plan, folder, time=newest, recorded={one.settings_key for one in again.values()})
    print(f"{study}: {len(again):,} records, every value as before; {size:,} -> {len(content):,} B")
    return True


def main(arguments: list[str]) -> int:
    """Rewrite the named studies, or all; return 1 if a value of one would change."""
    studies = [name for name in arguments if name != "--pack"]
    studies = studies or sorted(path.parent.name for path in RESULTS.glob(f"*/{SHIPPED_FILE}"))
    outcomes = [rewrite(study, pack="--pack" in arguments) for study in studies]
    return int(not all(outcomes))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
