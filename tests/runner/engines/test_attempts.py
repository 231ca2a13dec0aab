"""Whenever and however often a process dies: every cell has one record, and blame is just."""

import random
import time

import pytest
from made_up_records import Silent

from ensvm.records.store import read_records
from ensvm.runner.engines.attempts import attempt
from ensvm.runner.engines.child import ChildDied
from ensvm.runner.engines.engine import WorkersDie
from ensvm.runner.execute import run_plan
from ensvm.runner.journal import Journal
from ensvm.runner.plan import make_plan
from ensvm.runner.task import Task, new_record

ALGORITHMS = "\n".join(f'a{n}: {{estimator: "troublesome:Majority"}}' for n in range(6))


@pytest.fixture
def task(study, tmp_path):
    plan = make_plan(study(ALGORITHMS, realizations=1))
    cells = tuple(cell for cell in plan.cells if cell.method is not None)
    journal = Journal(tmp_path / "journal")
    journal.folder.mkdir()
    return Task(plan.cards["own"], cells, None, None, "run", journal)


class MadeUpChild:
    """Does cells in this process, and dies as it is told: before or in one, after one, in all."""

    def __init__(self, deaths, began=0.0):
        self.deaths, self.began = deaths, began
        self.killed, self.process = False, 0
        self.done = []

    def do(self, function, task):
        self.process += 1
        records = []
        for cell in task.cells:
            moment = self.deaths(cell)
            if moment == "before":
                self.die()
            self.note(task, {"kind": "started", "key": cell.key, "time": time.time() - self.began})
            if moment == "in":
                self.die()
            records.append(new_record(task, cell, "ok"))
            self.done.append(cell.key)
            self.note(task, records[-1].to_json())
            if moment == "after":
                self.die()
        return records

    def note(self, task, line):
        import json

        with (task.journal.folder / f"{task.name}-{self.process}.jsonl").open("a") as file:
            file.write(json.dumps(line) + "\n")

    def die(self):
        raise ChildDied(self.process)


def outcome(task, child, timeout=None):
    records = [record for _, part in attempt(task, child, timeout) for record in part]
    assert [record.key for record in records] == [cell.key for cell in task.cells]
    return [record.status for record in records]


@pytest.mark.parametrize("seed", range(30))
def test_every_cell_has_one_record_whenever_the_process_dies(task, seed):
    rng = random.Random(seed)
    moments = {cell.key: rng.choices(["", "before", "in", "after"], k=3) for cell in task.cells}

    def death(cell):
        return moments[cell.key].pop() if moments[cell.key] else ""

    child = MadeUpChild(death)
    statuses = outcome(task, child)
    assert set(statuses) <= {"ok", "failed"}
    assert len(child.done) == len(set(child.done)), "a cell that was done was done again"


def test_a_cell_fails_only_where_its_own_process_dies_twice(task):
    culprits = {task.cells[1].key: 9, task.cells[3].key: 1}

    def death(cell):
        culprits[cell.key] = culprits.get(cell.key, 0) - 1
        return "in" if culprits[cell.key] >= 0 else ""

    assert outcome(task, MadeUpChild(death)) == ["ok", "failed", "ok", "ok", "ok", "ok"]


def test_a_cell_that_was_too_long_at_it_is_not_tried_again(task):
    slow = task.cells[2].key
    child = MadeUpChild(lambda cell: "in" if cell.key == slow else "", began=60.0)
    statuses = outcome(task, child, timeout=30.0)
    assert statuses == ["ok", "ok", "timeout", "ok", "ok", "ok"]
    assert child.process == 2


def test_processes_that_never_begin_end_the_run(task):
    with pytest.raises(WorkersDie, match="fewer"):
        outcome(task, MadeUpChild(lambda cell: "before"))


@pytest.mark.slow
def test_deaths_in_both_passes_leave_one_line_a_cell(study, tmp_path):
    """What was done after a death in the error pass was saved again after one in the timings."""
    once = 'estimator: "troublesome:DiesOnce", params: {{marker: {}}}'
    config = study(
        f"a: {{{once.format(tmp_path / 'a')}}}\ntimed: {{{once.format(tmp_path / 'timed')}}}",
        realizations=1,
        more="timing: {algorithms: [timed]}\n",
    )
    outcome = run_plan(make_plan(config), tmp_path, Silent(), jobs=1)
    assert outcome.statuses == {"ok": 4}
    text = (tmp_path / "trial" / "cells.jsonl").read_text()
    assert text.count('"kind": "cell"') == len(read_records(tmp_path / "trial")) == 4
