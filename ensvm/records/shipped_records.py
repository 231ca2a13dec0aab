"""Records that travel with a study's folder: packed by its maintainers, read beside a user's own.

`cells.jsonl.xz` holds the lines of `cells.jsonl`, compressed, after one line with the config that
they were run for. Names, paths and commands of the machine that made them are left out; a label
stands for the machine, since seconds of different machines do not compare. Fields that no report
reads are left out too: seconds of the error pass, keys, and kept predictions (the records have
their metrics).
"""

import hashlib
import json
import lzma
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any

from ensvm.data.providers.folders import replace_file
from ensvm.errors import UserError
from ensvm.records.identity import asked, by_value, stands_in
from ensvm.records.record import Identity, Record, Run
from ensvm.records.store import (
    SHIPPED_FILE,
    json_lines,
    latest_records,
    read_records,
)

# The folders of an absolute path; after a letter, a colon or a slash it is part of a web address.
_FOLDERS = re.compile(r"(?<![\w:/.~-])/(?:[^\s/:'\"]+/)+")


@dataclass(frozen=True)
class ShippedRecords:
    """The records that came with a folder, and the text of the config that they were run for."""

    config: str = ""
    records: Mapping[Identity, Record] = field(default_factory=dict)


def read_shipped(folder: Path) -> ShippedRecords:
    """Return the records that came with `folder`; empty without a file of them.

    Raises UserError if the file is damaged or holds something else.
    """
    path = folder / SHIPPED_FILE
    lines = json_lines(path)
    if not path.exists():
        return ShippedRecords()
    _, first = next(lines, (0, None))
    config = first.get("config") if isinstance(first, dict) else None
    if not isinstance(config, str):
        raise UserError(f"{path}: does not begin with a config; restore or remove the file")
    return ShippedRecords(config, latest_records(path, lines))


def pack(
    folder: Path,
    config: str,
    wanted: Mapping[Identity, Mapping[str, Any]],
    scored: Callable[[Record], Record] | None = None,
) -> list[Identity]:
    """Write the records that travel with `folder`, and return the cells that have none.

    Own records replace those packed before, all realizations of a value together; records of
    other settings are left out. The bytes depend on the records alone, and packing twice changes
    nothing. `wanted` has the settings of every cell that the config asks for; `scored` adds to a
    record the metrics of its predictions that the config asks for.
    """
    own = by_value(_answering(read_records(folder), wanted))
    before = by_value(_answering(read_shipped(folder).records, wanted))
    kept: list[Record] = []
    for value in sorted({*own, *before}):
        if value in before and stands_in(before[value], own.get(value, ())):
            kept += before[value]
        else:
            records = own[value] if scored is None else map(scored, own[value])
            kept += map(_for_travel, records)
    packed_records = {record.identity: record for record in kept}
    replace_file(folder / SHIPPED_FILE, packed(ShippedRecords(config, packed_records)))
    return [identity for identity in wanted if identity not in packed_records]


def packed(shipped: ShippedRecords) -> bytes:
    """Return the content of a file of records that travel; it depends on them alone."""
    kept = sorted(
        shipped.records.values(),
        key=lambda record: (record.dataset, record.algorithm, record.identity),
    )
    runs = {record.run.id: record.run for record in kept if record.run is not None}
    lines = chain(
        [{"kind": "config", "config": shipped.config}],
        (run.to_json() for _, run in sorted(runs.items())),
        (record.to_json() for record in kept),
    )
    text = b"".join(json.dumps(line, sort_keys=True).encode() + b"\n" for line in lines)
    return lzma.compress(text, preset=9 | lzma.PRESET_EXTREME)


def _answering(
    records: Mapping[Identity, Record], wanted: Mapping[Identity, Mapping[str, Any]]
) -> list[Record]:
    """Return the records of the cells that are wanted, with the settings that are wanted."""
    return [
        record
        for identity, record in records.items()
        if identity in wanted and asked(record.settings) == asked(wanted[identity])
    ]


def _for_travel(record: Record) -> Record:
    """Return a record without what does not travel; its machine becomes a label."""
    run, conditions = record.run, record.conditions
    if run is not None and conditions is not None:
        conditions = replace(conditions, host=_label(run, conditions.host))
    if run is not None:
        system = run.platform.partition("-")[0]
        run = replace(run, host=_label(run, run.host), platform=system, command=())
    return replace(
        record,
        key="",
        seconds=record.seconds if record.run_pass == "timing" else {},
        run=run,
        conditions=conditions,
        reason=_FOLDERS.sub("", record.reason),
        warnings=tuple(_FOLDERS.sub("", text) for text in record.warnings),
        traceback="",
        predictions={},
    )


def _label(run: Run, host: str) -> str:
    """Return an anonymous name for a machine, different from those of other machines."""
    machine = json.dumps([host, run.platform, run.processor, run.cpus])
    return f"machine-{hashlib.sha256(machine.encode()).hexdigest()[:6]}"
