"""Every text of a table comes back as written from every medium, whatever it would mean there."""

import csv
import io
import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import click
import pytest
from made_up_records import errors, make_study, record
from markdown_it import MarkdownIt
from rich.console import Console

from ensvm.report.documents.table_document import table_document
from ensvm.report.documents.table_notes import LETTERS, RAISED, mark_of_number
from ensvm.report.render.html import as_html
from ensvm.report.render.latex import from_markdown
from ensvm.report.render.media import AROUND, FORMS, MEDIA
from ensvm.report.write import write_first_page, write_pages, write_tables
from ensvm_cli.table_verbs import table as table_verb

AWKWARD = (
    *("[", "]", "[0,1] x", "*", "*small", "a*b*c", "**b**", "\\", "a\\", "\\\\[2pt]", "\\frac{a}"),
    *("`", "``", "```", "|", "a|b", "\\|", "$", "$5 to $10", "%", "5 % of", "{{ x }}", "{% x %}"),
    *("{x}", "{value}", "%s", "<b>", "</td>", "<br>", "<sub>", "<!--", "&amp;", "&", "&#35;", "-"),
    *("- x", "-0.5", "--", "---", "#", "# x", "1.", "1. x", "2) y", "+", "+ x", "=", "=1+1", "==="),
    *("@x", "~", "~~x~~", "_x_", "a_b_c", "^", "> q", ":::", "[x]: y", "![x](y)", "[x](y)", "''"),
    *("http://a.b", "<http://a.b>", "é ρ 中", "👩‍🔬", "אבג", "“x”"),
    *("--- x", "* * *", "?`", "x,,y"),
)
# Characters that act, and how they are shown
ACTING = {
    "a\rb": "a b",
    "a\nb": "a b",
    "a\r\n=1": "a =1",
    "a\tb": "a b",
    "a\u202eb": "a�b",
    "a\x1b]0;x\x07": "a�]0;x�",
    "a\x9b1mb": "a�1mb",
    "a\x00b": "a�b",
    "a\u2028b": "a b",
}
SHOWN = {**{text: text for text in AWKWARD}, **ACTING}
CONFIG = """\
study: s
title: TEXT
citation: CITED
realizations: 2
datasets: [{name: german, label: TEXT}, {name: titanic, algorithms: [a]}]
algorithms: {a: {label: TEXT, estimator: SVC}, b: {label: b, estimator: SVC}}
published: p.csv
tables:
  - id: 1
    caption: TEXT
    columns: [{name: a, heading: TEXT}, b]
    notes: [TEXT, {text: TEXT, explains: {a: [german]}}]
    relative_margin: 0.1
claims:
  - {id: c, text: TEXT, relation: less, left: [a], right: [b], margin: 0, note: TEXT}
assumptions: [{id: open, text: ASSUMED, points: [TEXT]}]
"""
PRINTED = "table,row,column,value,std\n1,german,a,9.0,\n1,titanic,a,35.0,\n"


def study_of(folder, text, **others):
    quoted = json.dumps(text, ensure_ascii=max(text) <= "\uffff")  # YAML has no pairs of halves
    config = CONFIG
    for word in ("TEXT", "CITED", "ASSUMED"):
        config = config.replace(word, others.get(word, quoted))
    lines = [*errors("german", "a", [0.3, 0.31]), *errors("titanic", "a", [0.35, 0.36])]
    return make_study(folder, config, lines, PRINTED)


PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])


def of_markdown(text):
    """Return the visible texts of Markdown, one for each paragraph, head and cell."""
    texts = []
    for token in PARSER.parse(text):
        if token.type == "inline":
            parts = [
                " " if one.type == "softbreak" else one.content
                for one in token.children
                if one.type != "html_inline"
            ]
            texts.append("".join(parts))
    return texts


class Texts(HTMLParser):
    """The texts of a page by their elements."""

    inline = ("em", "strong", "code", "a", "u", "b", "span")

    def __init__(self, html):
        super().__init__()
        self.texts = [""]
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        if tag not in self.inline:
            self.texts.append("")

    def handle_data(self, data):
        self.texts[-1] += data


COMMANDS = {
    r"\&": "&",
    r"\%": "%",
    r"\$": "$",
    r"\#": "#",
    r"\_": "_",
    r"\{": "{",
    r"\}": "}",
    r"\^{}": "^",
    r"\textbackslash{}": "\\",
    r"\textasciitilde{}": "~",
    r"\textasciigrave{}": "`",
    r"\ensuremath{<}": "<",
    r"\ensuremath{>}": ">",
    "$=$": "=",
    r"$\neq$": "≠",
    r"$\approx$": "≈",
    r"$\rho$": "ρ",
    r"$\pm$": "±",
    r"$-$": "−",
    r"$\dagger$": "†",
    **{
        rf"\textsuperscript{{{letter}}}": raised
        for letter, raised in zip(LETTERS, RAISED, strict=True)
    },
    r"\emph{": "",
    r"\textbf{": "",
    r"\texttt{": "",
    r"\caption{": "",
    r"\scriptsize": "",
    r"\par": "",
    "{}": "",
}
TOKEN = re.compile("|".join([*map(re.escape, COMMANDS), r"\\[a-zA-Z]+", r"\\\\", "[{}]", "--"]))


def of_latex(text):
    """Return what LaTeX would print, a line for each row, caption and note."""
    body = "\n".join(line for line in text.splitlines() if not line.startswith("%"))
    assert not re.search(r"(?<!\\)[%#_^~`]", re.sub(r"\\\^{}|FITTED|!}{%\n", "", body)), body
    assert not re.search(r"\\\\\s*[\[*]", body)  # an argument of the line break
    assert "''" not in body
    assert ",," not in body
    return TOKEN.sub(lambda found: COMMANDS.get(found[0], " " * (found[0] in "\\\\")), body)


def squeezed(text):
    return re.sub(r"\s+", "", text)


def of_terminal(group):
    console = Console(width=10_000, file=io.StringIO(), color_system=None)
    console.print(group)
    return console.file.getvalue()


# What a reader of each medium sees, as one text
READERS = {
    "md": lambda text: "\n".join(of_markdown(text)),
    "csv": lambda text: "\n".join("\n".join(row) for row in csv.reader(io.StringIO(text))),
    "latex": of_latex,
    "html": lambda text: "\n".join(Texts(text).texts),
    "terminal": of_terminal,
}


def test_every_medium_has_its_places():
    """What a new medium needs: a reader here, the choices of `ensvm table`, a line on the page."""
    assert set(READERS) == set(MEDIA), "tests/report/render/test_media.py: READERS"
    option = next(one for one in table_verb.params if one.name == "form")
    assert isinstance(option.type, click.Choice)
    assert set(option.type.choices) == set(FORMS), "cli/table_verbs.py: --format"
    with open("docs/look-up/files-and-records.md", encoding="utf-8") as page:
        text = page.read()
    for name in FORMS:
        assert f"`table-ID{MEDIA[name].suffix}`" in text, "docs/look-up/files-and-records.md"
    for name, medium in MEDIA.items():
        assert set(medium.parts) <= set(AROUND), f"ensvm/report/render/media.py: {name}"


@pytest.mark.parametrize("text", SHOWN, ids=ascii)
def test_every_text_comes_back_from_every_medium(tmp_path, text):
    study = study_of(tmp_path / "s", text)
    (table,) = study.config.tables
    document, shown = table_document(study, table), squeezed(SHOWN[text])
    # As a note the text is Markdown, of one paragraph, which every medium shows alike.
    (note,) = of_markdown(document.notes[0])
    (explained,) = of_markdown(document.notes[1])
    for name, medium in MEDIA.items():
        read = squeezed(READERS[name](medium.render(document)))
        if medium.parts:
            expected = [f"Table1.{shown}"] if name != "latex" else [shown]
            expected += [squeezed(note), squeezed(explained)] if "notes" in medium.parts else []
            for one in expected:
                assert one in read, name
            count = 4 + 2 * ("assumptions" in medium.parts)  # heading, row, head above and head
            assert read.count(shown) >= count, name


@pytest.mark.parametrize("text", ["On **a** and *b*: `c` (5 %).", "**a** `b` c", "a <u>b</u> c"])
def test_words_stay_apart_in_latex(text):
    assert " ".join(of_latex(from_markdown(text)).split()) == " ".join(of_markdown(text))


@pytest.mark.parametrize("text", SHOWN, ids=ascii)
def test_every_text_comes_back_from_pages(tmp_path, text):
    study = study_of(tmp_path / "s", text)
    shown = SHOWN[text]
    *_, index = write_pages([study], tmp_path / "pages")
    page = [
        " ".join(one.split()) for one in Texts((tmp_path / "pages" / "s.html").read_text()).texts
    ]
    assert page.count(shown) >= 5  # title, citation, caption, row, head and the head above
    assert f"Table 1. {shown}" in page
    assert any(shown in " ".join(one.split()) for one in Texts(index.read_text()).texts)
    first = of_markdown(write_first_page(study).read_text())
    assert {shown, f"Table 1. {shown}"} <= set(first)
    [(_, paths)] = write_tables(study, "csv")
    assert all(path.is_file() for path in paths)


MARKED = """\
    notes:
      - whole table
      - {text: of a row, rows: [titanic]}
      - {text: of a column, columns: [b]}
      - {text: of a value, rows: german, columns: a}
      - {text: it differs, explains: {a: [german]}}
"""


def test_marks_of_notes_come_back_from_every_medium_with_one_numbering(tmp_path):
    before, after = CONFIG.split("    notes:")
    config = before + MARKED + after.split("\n", 1)[1]
    for word in ("TEXT", "CITED", "ASSUMED"):
        config = config.replace(word, word.lower())
    lines = [
        *(one for name in "ab" for one in errors("german", name, [0.3, 0.31])),
        *errors("titanic", "a", [0.35, 0.36]),
    ]
    study = make_study(tmp_path / "s", config, lines, PRINTED)
    (table,) = study.config.tables
    document = table_document(study, table)
    row, column, value, differs = map(mark_of_number, range(4))
    assert document.notes == (
        "whole table",
        f"{row} of a row",
        f"{column} of a column",
        f"{value} of a value",
        f"{differs} ≠ it differs",
    )
    expected = [f"titanic{row}", f"b{column}", *document.notes]
    for name, medium in MEDIA.items():
        read = squeezed(READERS[name](medium.render(document)))
        for text in expected if name != "csv" else expected[4:]:
            assert squeezed(text) in read, (name, text)
    notes = document.frame.set_index(["row", "column"])["notes"]
    assert notes["titanic", "b"] == f"{row} of a row {column} of a column"
    assert notes["titanic", "a"] == f"{row} of a row"
    assert notes["german", "a"] == f"{value} of a value {differs} ≠ it differs"
    [*_, index] = write_pages([study], tmp_path / "pages")
    page = Texts(index.with_name("s.html").read_text()).texts
    for text in (f"titanic{row}", f"b{column}", *document.notes):
        assert text in map(str.strip, page)


def test_a_row_with_other_data_than_printed_has_a_mark_with_the_condition(tmp_path):
    config = CONFIG.replace("  - id: 1\n", DATA + "  - id: 1\n")
    for word in ("TEXT", "CITED", "ASSUMED"):
        config = config.replace(word, word.lower())
    lines = [
        *errors("german", "a", [0.3, 0.31]),
        *errors("titanic", "a", [0.35, 0.36]),
        *(record(name, 1, "data", dim=3, n_train=80) for name in ("german", "titanic")),
    ]
    printed = f"{PRINTED}facts,german,dim,3,\nfacts,german,n_train,80,\nfacts,titanic,n_train,40,\n"
    study = make_study(tmp_path / "s", config, lines, printed)
    document = table_document(study, study.config.table("1"))
    mark = mark_of_number(1)
    note = f"{mark} run under other conditions: training rows 80, the paper prints 40."
    assert document.notes[-1] == note
    assert [row[0] for row in document.grid.rows] == ["text", f"titanic{mark}"]
    assert note not in table_document(study, study.config.table("facts")).notes


DATA = """\
  - id: facts
    caption: Facts
    of: data
    columns: [dim, {name: n_train, label: training rows}]
"""


def test_no_two_notes_have_one_mark():
    marks = [mark_of_number(number) for number in range(3 * len(RAISED))]
    assert len({*marks}) == len(marks)


@pytest.mark.parametrize("text", SHOWN, ids=ascii)
def test_a_note_means_the_same_in_html_and_latex(tmp_path, text):
    study = study_of(tmp_path / "s", f"*see* `a_b` and {text}")
    (table,) = study.config.tables
    note = table_document(study, table).notes[0]
    (as_markdown,) = of_markdown(note)
    html = "".join(Texts(as_html(note)).texts)
    latex = of_latex(from_markdown(note))
    assert squeezed(html) == squeezed(as_markdown) == squeezed(latex)


def test_every_medium_has_the_same_legend_and_margins(tmp_path):
    """LaTeX stated one margin for all columns, and left the notes out."""
    study = study_of(tmp_path / "s", "words", CITED="a citation", ASSUMED="an assumption")
    document = table_document(study, study.config.tables[0])
    rule = next(text for text in document.legend if "margin" in text)
    assert "10 % of the printed" in rule
    for name, medium in MEDIA.items():
        read = squeezed(READERS[name](medium.render(document)))
        for part in AROUND:
            texts = getattr(document, part)
            texts = [texts] if isinstance(texts, str) else texts
            for one in texts.values() if isinstance(texts, dict) else texts:
                (plain, *_) = of_markdown(one if isinstance(one, str) else one.text)
                if (name, part) != ("csv", "notes"):  # it has those that have a mark
                    assert (squeezed(plain) in read) == (part in medium.parts), (name, part)


def test_reasons_for_missing_values_have_a_mark_between_them_in_latex(tmp_path):
    study = study_of(tmp_path / "s", "words", CITED="a citation", ASSUMED="an assumption")
    document = replace(table_document(study, study.config.tables[0]), missing=["x: one", "y: two"])
    assert "Missing: x: one; y: two" in MEDIA["latex"].render(document)
