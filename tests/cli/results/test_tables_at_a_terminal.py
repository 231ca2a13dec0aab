"""Tables at a terminal: nothing is wider than it, and nothing is left out."""

import pytest
from made_up_records import errors, invoke, make_study
from rich.console import Console

from ensvm_cli.results import table as command

ALGORITHMS = [f"algorithm_{n}" for n in range(9)]
CONFIG = f"""
study: s
realizations: 3
datasets: [titanic, german]
algorithms: {{{", ".join(f"{name}: {{estimator: SVC}}" for name in ALGORITHMS)}}}
tables:
  - {{id: wide, caption: a caption, columns: [{", ".join(ALGORITHMS)}]}}
  - {{id: small, caption: another, columns: [algorithm_0]}}
"""


@pytest.fixture
def results(tmp_path):
    records = [
        record
        for n, name in enumerate(ALGORITHMS)
        for row in ("titanic", "german")
        for record in errors(row, name, [0.1 + n / 100, 0.12 + n / 100, 0.11 + n / 100])
    ]
    make_study(tmp_path / "s", CONFIG, records, "table,row,column,value,std\n")
    return tmp_path


@pytest.mark.parametrize("width", [30, 40, 80, 120, 300])
def test_a_table_fits_and_is_whole(results, monkeypatch, width):
    console = Console(width=width, record=True, force_terminal=True)
    monkeypatch.setattr(command, "Console", lambda: console)
    monkeypatch.setattr("click.testing._NamedTextIOWrapper.isatty", lambda self: True)
    ran = invoke("table", results, "--table", "wide")
    assert ran.exit_code == 0, ran.output
    text = console.export_text()
    lines = text.splitlines()
    assert max(map(len, lines)) <= width
    for n in range(len(ALGORITHMS)):
        assert text.count(f"{11 + n}.0") == 2
    assert "…" not in text
    assert "another" not in text


def test_what_is_piped_is_markdown_of_the_studies_and_tables_asked_for(results):
    ran = invoke("table", results, "s", "--table", "small")
    assert ran.stdout.startswith("## Table small. another\n\n| data set")
    assert "Table wide" not in ran.stdout
    assert not (results / "s" / "table-wide.csv").exists()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["t"], ": no results of a study 't'; accepted: s"),
        (
            ["--table", "smal"],
            "error: no table 'smal'; accepted: wide, small; did you mean 'small'?",
        ),
    ],
)
def test_what_is_not_there_is_told(results, arguments, told):
    ran = invoke("table", results, *arguments)
    assert ran.exit_code == 2
    assert told in ran.stderr
