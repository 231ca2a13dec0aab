"""What is printed fits a terminal of any width, and piped lines are whole."""

import io
import time
from contextlib import suppress
from types import SimpleNamespace

import pytest
from click import unstyle
from made_up_records import invoke, make_study, record
from rich.console import Console

from ensvm_cli import printing, reports

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


@pytest.mark.parametrize("width", [40, 120])
def test_facts_fit_except_addresses(terminal, capsys, width):
    terminal(width)
    printing.print_facts(FACTS, indent=2)
    lines = unstyle(capsys.readouterr().out).splitlines()
    assert all(len(line) <= width or ADDRESS in line for line in lines)
    assert squeezed("\n".join(lines)) == squeezed("".join(f"{k} {v}" for k, v in FACTS.items()))
    assert [line for line in lines if ADDRESS in line]


@pytest.mark.parametrize("width", [40, 120])
def test_a_table_fits_with_every_number_whole(terminal, capsys, width):
    terminal(width)
    printing.print_table(HEADS, ROWS)
    printed = unstyle(capsys.readouterr().out)
    assert all(len(line) <= width for line in printed.splitlines())
    for row in ROWS:
        assert all(number in printed for number in row[1:])
    if width < 60:  # then it is folded
        assert ROWS[0][0] not in printed
    assert squeezed(printed).startswith(squeezed("".join(HEADS)))


@pytest.mark.parametrize("width", [40, 120])
def test_markdown_fits_and_no_name_loses_its_end(terminal, capsys, width):
    terminal(width)
    printing.print_markdown(MARKDOWN)
    printed = unstyle(capsys.readouterr().out)
    assert all(len(line) <= width for line in printed.splitlines())
    assert "…" not in printed
    assert "<sub>" not in printed
    assert "terminal" in printed
    assert "small print" in printed


def test_what_is_piped_is_whole(capsys):
    printing.print_facts(FACTS)
    printing.print_text("a text of some length " * 20)
    printing.print_table(HEADS, ROWS)
    printing.print_markdown(MARKDOWN.rstrip())
    printed = unstyle(capsys.readouterr().out)
    assert len(printed.splitlines()) == len(FACTS) + 1 + 1 + len(ROWS) + len(MARKDOWN.splitlines())
    assert MARKDOWN in printed
    assert not [line for line in printed.splitlines() if line != line.rstrip()]


TEXT = "[red]a\x1b]0;x\x07\u202e\x9b"
PRINTED = {
    "say": lambda: printing.say(TEXT, bold=True),
    "print_text": lambda: printing.print_text(TEXT),
    "print_markdown": lambda: printing.print_markdown(f"# {TEXT}\n\n- `{TEXT}`"),
    "print_alarms": lambda: printing.print_alarms(TEXT, [TEXT]),
    "print_facts": lambda: printing.print_facts({TEXT: TEXT}),
    "print_table": lambda: printing.print_table([TEXT, "n"], [[TEXT, TEXT]]),
    "refuse": lambda: printing.refuse(TEXT),
}


@pytest.mark.parametrize("on_terminal", [True, False])
@pytest.mark.parametrize("name", PRINTED)
def test_no_printed_text_controls_the_terminal(request, capsys, on_terminal, name):
    if on_terminal:
        request.getfixturevalue("terminal")(80)
    with suppress(SystemExit):
        PRINTED[name]()
    printed = unstyle("".join(capsys.readouterr()))
    assert printed.count("[red]a�]0;x���") == printed.count("a") > 0
    assert not set(printed) & set(TEXT) - set("[red]a0;x")


def test_a_long_wait_is_told_and_a_short_one_is_not(capsys):
    with printing.told_if_slow("reading x", after=30.0):
        pass
    assert capsys.readouterr().err == ""
    with printing.told_if_slow("reading x", after=0.02):
        deadline = time.monotonic() + 20.0
        while not (told := capsys.readouterr().err):
            assert time.monotonic() < deadline
    assert told.startswith("reading x ... ")
    with pytest.raises(ValueError, match="passed on"), printing.told_if_slow("reading x"):
        raise ValueError("passed on")


def test_a_terminal_shows_which_study_is_in_work(monkeypatch):
    studies = [SimpleNamespace(config=SimpleNamespace(study=name)) for name in ("one", "two")]
    screen = io.StringIO()
    terminal = Console(file=screen, force_terminal=True, width=80)
    monkeypatch.setattr(printing, "VisibleConsole", lambda **_: terminal)
    with printing.progress_over(iter(studies), "pages") as shown:
        for done, study in enumerate(shown):
            assert f"pages: {study.config.study}, {done} done" in screen.getvalue()
            assert study is studies[done]
    assert done == 1


def test_a_pipe_has_a_line_for_each_page_as_soon_as_it_is_written(monkeypatch, tmp_path):
    happened = []

    def written(studies, output, failed):
        for name in (*studies, "index"):
            happened.append(f"made {name}")
            yield output / f"{name}.html"

    monkeypatch.setattr("ensvm.report.write.write_pages", written)
    monkeypatch.setattr(reports, "say", lambda text: happened.append(f"said {text}"))
    reports._write_pages(["one", "two"], tmp_path)
    assert [text.partition(" ")[0] for text in happened] == ["made", "said"] * 3
    assert happened[-1].endswith("index.html in a browser")


TWO_DATA_SETS = """\
study: s
datasets: [german, titanic]
algorithms: {a: {estimator: SVC}, b: {estimator: GaussianNB}}
tables: [{id: 1, caption: c, columns: [a, b]}]
"""


@pytest.mark.parametrize(
    "verb", ["table r", "rank r", "compare r r", "export r", "report r --only tables"]
)
def test_each_verb_over_studies_shows_a_terminal_which_is_in_work(monkeypatch, tmp_path, verb):
    monkeypatch.chdir(tmp_path)
    records = [record(row, 1, name, error=0.2) for row in ("german", "titanic") for name in "ab"]
    make_study(tmp_path / "r" / "s", TWO_DATA_SETS, records)
    assert " done" not in invoke(*verb.split()).stderr
    screen = io.StringIO()
    terminal = Console(file=screen, force_terminal=True, width=80)
    monkeypatch.setattr(printing, "VisibleConsole", lambda **_: terminal)
    invoke(*verb.split())
    assert ": s, 0 done" in screen.getvalue()
