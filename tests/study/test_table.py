"""The numbers as printed are checked with the config: none of them is silently left out."""

import pytest

from ensvm.runner.plan import make_plan
from ensvm.study.source import ConfigError

STUDY = """
study: t
datasets: [german]
algorithms: {a: {estimator: SVC}}
published: p.csv
tables: [{id: 1, caption: c, columns: [a]}]
"""
HEADER = "table,row,column,value,std\n"
WRONG = {
    "a table": ("2,german,a,23.0,", r"line 5: published: .*unknown table '2'; accepted: 1"),
    "a row": ("1,germn,a,23.0,", r"unknown row 'germn'; accepted: german; did you mean 'german'"),
    "a column": ("1,german,b,23.0,", r"unknown column 'b'; accepted: a"),
    "a value": ("1,german,a,many,", r"p\.csv, line 2: expected .*many"),
}


def plan(folder, line, more=""):
    (folder / "t.yaml").write_text(STUDY + more)
    (folder / "p.csv").write_text(f"{HEADER}{line}\n")
    return make_plan(folder / "t.yaml")


@pytest.mark.parametrize(("line", "message"), WRONG.values(), ids=list(WRONG))
def test_a_printed_number_without_a_place_is_refused(tmp_path, line, message):
    with pytest.raises(ConfigError, match=message):
        plan(tmp_path, line)


def test_a_variant_of_a_study_may_show_a_part_of_the_paper(tmp_path):
    assert plan(tmp_path, "2,german,a,23.0,", "reproduce: false\n").published
    assert plan(tmp_path, "1,german,a,23.0,").published
