"""Small studies of a user whose claims once went wrong, by the command from check to report."""

import numpy as np
import pytest
from made_up_records import cells_run_here, invoke

DATA = "{{name: {0}, path: mine.csv, target: kind, split: {{protocol: kfold, n_splits: 5}}{1}}}"
STUDY = """\
study: mine
realizations: 5
datasets: [{datasets}]
algorithms:
  new: {{estimator: SVC}}
  old: {{estimator: KNeighborsClassifier}}
tables:
{tables}
published: printed.csv
claims:
  - {{id: c, text: as the paper says, left: new, right: old, {claim}}}
"""
ONE_TABLE = "  - {id: 1, caption: E, columns: [new, old]}"
TWO_TABLES = "  - {id: 2, caption: E, columns: [new]}\n  - {id: 4, caption: N, columns: [old]}"


@pytest.fixture
def mine(tmp_path, monkeypatch):
    """Return a function that writes a study on a small file, with these printed values."""
    monkeypatch.chdir(tmp_path)
    cells_run_here(monkeypatch)
    inputs = np.random.default_rng(0).normal(size=(40, 2)).round(2)
    rows = [f"{x},{y},{'a' if x + y > 0 else 'b'}" for x, y in inputs]
    (tmp_path / "mine.csv").write_text("\n".join(["height,width,kind", *rows]) + "\n")

    def write(datasets, tables, claim, printed):
        names = ", ".join(DATA.format(name, more) for name, more in datasets.items())
        study = STUDY.format(datasets=names, tables=tables, claim=claim)
        (tmp_path / "mine.yaml").write_text(study)
        lines = "".join(f"{line},\n" for line in printed.split())
        (tmp_path / "printed.csv").write_text(f"table,row,column,value,std\n{lines}")

    return write


def reported():
    """Check and run the study, and return the line of the claim's test."""
    assert invoke("check", "mine.yaml").exit_code == 0
    assert invoke("run", "mine.yaml", "--jobs", "1").exit_code == 0
    shown = invoke("report", "--only", "claims", "results", "mine").stdout
    return next(line for line in shown.splitlines() if line.startswith("  - "))


def test_a_printed_row_counts_where_the_study_runs_one_of_the_two(mine):
    printed = "1,d1,new,4.0 1,d1,old,5.0 1,d2,new,6.0 1,d2,old,5.0"
    mine({"d1": "", "d2": ", algorithms: [old]"}, ONE_TABLE, "relation: less", printed)
    assert "As printed: holds on 1, fails on 1 of 2 rows." in reported()


def test_the_printed_values_of_a_claim_may_be_in_two_tables(mine):
    claim = "relation: within, margin: 1"
    mine({"d1": ""}, TWO_TABLES, claim, "2,d1,new,3.9 4,d1,old,3.0")
    assert "As printed: holds on 1 of 1 row." in reported()


FOUR = (
    "1,d1,new,4.0 1,d1,old,5.0 1,d2,new,24.7 1,d2,old,24.7 "
    "1,d3,new,4.0 1,d3,old,5.0 1,d4,new,4.0 1,d4,old,5.0"
)


def test_three_of_four_is_a_number_and_a_printed_tie_says_nothing(mine):
    sets = dict.fromkeys(("d1", "d2", "d3", "d4"), "")
    mine(sets, ONE_TABLE, "relation: less, scope: 3", FOUR)
    assert "As printed: holds on 3, cannot tell on 1 of 4 rows." in reported()
    mine(sets, ONE_TABLE, "relation: less, rows: [d2]", FOUR)
    assert reported().endswith("As printed: cannot tell on 1 of 1 row.")


def test_most_is_refused_with_what_is_written_instead(mine):
    mine({"d1": ""}, ONE_TABLE, "relation: less, scope: most", "1,d1,new,4.0")
    refused = invoke("check", "mine.yaml")
    assert refused.exit_code == 2
    assert (
        "claims[1].scope: 'most' is not accepted; accepted: a whole number or all" in refused.stderr
    )
