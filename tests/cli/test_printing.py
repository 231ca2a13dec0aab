"""What is printed fits a terminal of any width, says all, and is whole where it is piped."""

import pytest
from click import unstyle

from ensvm_cli import printing

ADDRESS = "https://www.example.org/a/very/long/address/that/stays/whole/because/it/is/copied"
FACTS = {"name": "a text of some length that does not fit " * 3, "source": f"at {ADDRESS} or not"}
HEADS = ["algorithm", "fitting", "all"]
ROWS = [["an_algorithm_of_a_very_long_name_indeed", "1234.5", "1235.0"], ["svm", "1.0", "2.0"]]
MARKDOWN = """## Title

| claim | verdict |
|:--|--:|
| a-claim-with-a-name-that-is-longer-than-a-narrow-terminal | holds |

<sub>small print</sub>
"""


@pytest.fixture
def terminal(monkeypatch):
    """Return a function that makes the output a terminal of a width."""

    def of(width):
        monkeypatch.setattr("sys.stdout.isatty", lambda: True)
        monkeypatch.setenv("COLUMNS", str(width))

    return of


def squeezed(text):
    """Return the characters of a text without white space and rules."""
    return "".join(part for part in text.split() if not set(part) <= set("━─▌"))


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_facts_fit_but_for_what_is_copied(terminal, capsys, width):
    terminal(width)
    printing.tell_facts(FACTS, indent=2)
    lines = unstyle(capsys.readouterr().out).splitlines()
    assert all(len(line) <= width or ADDRESS in line for line in lines)
    assert squeezed("\n".join(lines)) == squeezed("".join(f"{k} {v}" for k, v in FACTS.items()))
    assert [line for line in lines if ADDRESS in line]


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_a_table_fits_with_every_number_whole(terminal, capsys, width):
    terminal(width)
    printing.tell_table(HEADS, ROWS)
    told = unstyle(capsys.readouterr().out)
    assert all(len(line) <= width for line in told.splitlines())
    for row in ROWS:
        assert all(number in told for number in row[1:])
    if width < 60:  # then it is folded
        assert ROWS[0][0] not in told
    assert squeezed(told).startswith(squeezed("".join(HEADS)))


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_markdown_fits_and_no_name_loses_its_end(terminal, capsys, width):
    terminal(width)
    printing.tell_markdown(MARKDOWN)
    told = unstyle(capsys.readouterr().out)
    assert all(len(line) <= width for line in told.splitlines())
    assert "…" not in told
    assert "<sub>" not in told
    assert "terminal" in told
    assert "small print" in told


def test_what_is_piped_is_whole(capsys):
    printing.tell_facts(FACTS)
    printing.tell("a text of some length " * 20)
    printing.tell_table(HEADS, ROWS)
    printing.tell_markdown(MARKDOWN.rstrip())
    told = unstyle(capsys.readouterr().out)
    assert len(told.splitlines()) == len(FACTS) + 1 + 1 + len(ROWS) + len(MARKDOWN.splitlines())
    assert MARKDOWN in told
    assert not [line for line in told.splitlines() if line != line.rstrip()]
