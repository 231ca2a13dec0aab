"""The pages: complete, closed in themselves, the same bytes each time, and usable in a browser."""

import base64
import hashlib
import json
import re
import shutil
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote
from xml.etree import ElementTree

import numpy as np
import pytest
from made_up_records import errors, invoke, make_study, read_results, record
from page_links import PageElements as Page
from page_links import broken_links, links_of_cards

from ensvm.data import find_card
from ensvm.report.plots.decision_maps import SIDES
from ensvm.report.plots.drawing import draw, read_figure
from ensvm.report.plots.looks import COLOURS, GREY
from ensvm.report.render.first_page import first_page
from ensvm.report.render.study_page import StudyPage
from ensvm.report.study_folder import find_studies, read_study
from ensvm.report.tables import build_table
from ensvm.report.write import write_figures, write_pages
from ensvm.shipped import shipped_results

RESULTS = shipped_results()
SOME_STUDIES = ("ecda13", "icmla05", "ijcai07-figure1")
MOST_BYTES = 700_000
EVIL = "</script><script>document.title='taken over'</script><img src=x onerror=alert(1)>"
ADDRESSES = (
    "![pixel](BEACON/pixel.png) <img src='BEACON/raw.png'> ![own](file:///etc/hostname) "
    "[press](javascript:alert(1)) [share](//beacon.invalid/x) [data](data:text/html,x) "
    "[paper](https://example.org/paper) [table](table-1.md) [mail](mailto:a@example.org)"
)
CONFIG = f"""
study: s
title: "{EVIL}"
proposed: one
realizations: 3
datasets: [titanic, german]
algorithms:
  one: {{label: "{EVIL}", estimator: SVC}}
  two: {{estimator: SVC}}
tables:
  - id: 1
    caption: "Errors {EVIL}"
    columns: [one, two]
    notes: ["a *note* {EVIL}", "{ADDRESSES}"]
figures:
  - {{id: f, kind: box, caption: "Boxes {EVIL}", series: [one], panels: [{{rows: [titanic]}}]}}
  - {{id: g, kind: box, caption: "The same", series: [one], panels: [{{rows: [titanic]}}]}}
claims:
  - {{id: d, paraphrase: "{EVIL}", relation: less, left: [two], right: [one], margin: 0}}
  - {{id: c, text: "{EVIL}", relation: less, left: [one], right: [two], margin: 0}}
readings:
  - id: r
    question: "Which one? {EVIL}"
    table: 1
    columns: [one]
    default: "the first {EVIL}"
    variants: [{{name: two, label: "the second {EVIL}", instead: {{one: two}}}}]
    conclusion: "Neither. {EVIL}"
assumptions:
  - {{id: a, text: "an assumption {EVIL}", points: ["a point {EVIL}"]}}
"""
DATA_LINKS = [link for name in ("titanic", "german") for link in find_card(name).links]
PUBLISHED = "table,row,column,value,std\n1,titanic,one,22.0,\n1,german,one,90.0,\n"


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """The page of a study, written once; no test changes it."""
    folder = tmp_path_factory.mktemp("made")
    records = [
        *errors("titanic", "one", [0.21, 0.22, 0.23]),
        *errors("titanic", "two", [0.31, 0.32, 0.34]),
        *errors("german", "one", [0.3, 0.31, 0.32]),
        *(record("german", n, "two", status="failed", reason=EVIL) for n in (1, 2, 3)),
    ]
    make_study(folder / "results" / "s", CONFIG, records, PUBLISHED)
    return written(folder)[0]


@pytest.fixture(scope="module")
def study(page):
    """The study of the page."""
    return read_study(page.parents[1] / "results" / "s")


@pytest.fixture(scope="module")
def elements(page):
    """The elements of the page: names and attributes."""
    return Page(page).elements


def written(folder):
    """Return the pages of the results in a folder, the index last."""
    return list(write_pages(map(read_study, find_studies(folder / "results")), folder / "report"))


def test_every_cell_has_its_evidence(page, study):
    evidence = StudyPage(study).evidence
    cells = build_table(study, study.config.tables[0])
    assert sorted(Page(page).values("data-cell")) == sorted(evidence)
    assert len(evidence) == len(cells) == 4
    for cell in cells:
        behind = evidence[f"1/{cell.row}/{cell.column}"]
        assert behind["printed"] == cell.published
        assert len(behind["values"]) == cell.n
        varied_by = [id for id, _ in behind["readings"]]
        assert varied_by == (["r"] if cell.column == "one" else [])
        assert {f"reading-{id}" for id in varied_by} <= set(Page(page).values("id"))
        if cell.n:
            assert sum(behind["values"]) / cell.n == pytest.approx(cell.mean, rel=1e-3)
        else:
            assert behind["failures"] == [f"3 × {EVIL}"]


def test_the_works_that_a_study_and_its_cards_cite_are_linked(tmp_path, monkeypatch):
    links = {"url": "https://example.org/data", "doi": "10.1000/183"}
    monkeypatch.setattr(
        "ensvm.report.render.study_page.find_card",
        lambda name: find_card(name).model_copy(update=links),
    )
    cited = "study: s\ndoi: 10.1000/182\nurl: https://example.org/paper\n"
    config = CONFIG.replace("study: s\n", cited)
    make_study(tmp_path / "results" / "s", config, errors("titanic", "one", [0.21]), PUBLISHED)
    found = set(Page(written(tmp_path)[0]).values("href"))
    assert {"https://doi.org/10.1000/182", "https://example.org/paper"} <= found
    assert {"https://doi.org/10.1000/183", "https://example.org/data"} <= found
    study = read_study(tmp_path / "results" / "s")
    assert "<https://doi.org/10.1000/182>" in first_page(study)


def test_files_are_linked_if_a_card_cites_no_address():
    card = find_card("adult-14")
    assert len(card.links) == 2  # adult.data and adult.test
    assert all(link.startswith("https://archive.ics.uci.edu/") for link in card.links)
    assert card.model_copy(update={"doi": "10.1000/1"}).links == ("https://doi.org/10.1000/1",)


def test_the_proposed_column_is_marked(elements):
    marked = [a for _, a in elements if "proposed" in a.get("class", "").split()]
    assert [a["id"] for a in marked if "id" in a] == ["table-1/titanic/one", "table-1/german/one"]
    assert len(marked) == 3  # and the head


def test_the_legend_says_what_is_grey_if_a_column_is(tmp_path):
    for proposed in ("proposed: two\n", ""):
        config = CONFIG.replace("proposed: one\n", proposed)
        folder = tmp_path / ("s" if proposed else "none")
        made = errors("titanic", "one", [0.21])
        study = make_study(folder, config, made, PUBLISHED)
        (table,) = StudyPage(study).tables
        grey = "Grey: two, which the cited work proposes."
        assert (grey in table.content["legend"]) == bool(proposed)


def test_above_a_table_with_printed_values_stands_which_number_is_whose(tmp_path):
    for name, of_paper in (("printed", PUBLISHED), ("none", PUBLISHED.partition("\n")[0] + "\n")):
        make_study(
            tmp_path / name / "results" / "s", CONFIG, errors("titanic", "one", [0.21]), of_paper
        )
        text = written(tmp_path / name)[0].read_text("utf-8")
        says = "Large: our value. Small: the paper&#39;s." in text.replace("'", "&#39;")
        assert says == ('class="printed"' in text) == (name == "printed")


def test_side_studies_follow_theirs_in_the_index(tmp_path):
    finding = "findings: [c]\n"
    names = ("alone", "b", "b-side", "bb", "c")
    without_figures = re.sub(r"figures:\n(  - .*\n)+", "", CONFIG)
    for name in names:
        text = without_figures.replace("study: s\n", f"study: {name}\n")
        text += {"b": finding, "b-side": "part_of: b\n"}.get(name, "")
        made = errors("titanic", "one", [0.21])
        make_study(tmp_path / "results" / name, text, made, PUBLISHED)
    links = [
        address
        for address in Page(written(tmp_path)[-1]).values("href")
        if address.endswith(".html")
    ]
    assert links == [f"{name}.html" for name in ("b", "b-side", "alone", "bb", "c")]


def test_texts_are_shown_and_not_obeyed(elements):
    assert [name for name, _ in elements].count("script") == 2  # the page's data, and its own
    assert not [attributes for _, attributes in elements if "onerror" in attributes]


def test_a_figure_is_an_image_with_a_description(elements, study):
    first, second = [attributes for name, attributes in elements if name == "img"]
    assert first["alt"].startswith(f"Boxes {EVIL} ")
    assert second["alt"].startswith("The same ")
    content = unquote(second["src"].partition(",")[2]).encode()
    [svg] = draw(study, read_figure(study, study.config.figures[1]), [".svg"])
    one, other = (text.decode().replace('"', "'").split() for text in (svg, content))
    assert one == other
    sides = map(float, ElementTree.fromstring(content).attrib["viewBox"].split()[2:])
    assert [int(second[side]) for side in ("width", "height")] == [round(2 * one) for one in sides]


def test_the_command_below_a_figure_writes_its_files(page, study, monkeypatch):
    """A page named a file beside the records which only another command writes."""
    monkeypatch.chdir(study.folder.parents[1])
    near = read_study(Path("results", "s"))
    command = StudyPage(near).figures_command
    assert command == "ensvm report results s --only figures"
    assert page.read_text("utf-8").count("s --only figures</code>") == len(study.config.figures)
    answer = invoke(*command.split()[1:])
    written_files = {Path(line).name for line in answer.output.splitlines()}
    expected = {f"figure-f.{ending}" for ending in ("csv", "pdf", "png", "svg")}
    assert expected <= written_files


def test_the_margin_in_the_evidence_has_no_colour_of_a_sign():
    css = (RESULTS.parents[1] / "ensvm/report/render/templates/page.css").read_text("utf-8")
    of_print = re.findall(r"svg\.strip \.(?:band|print) \{([^}]*)\}", css)
    signs = re.findall(r"\.v-[^{]*\{([^}]*)\}", css)
    colours = {colour for rule in signs for colour in re.findall(r"var\((--[\w-]+)\)", rule)}
    assert {"--good", "--bad"} <= colours
    assert len(of_print) == 2
    assert not any(f"var({colour})" in rule for rule in of_print for colour in colours)


def test_a_wide_figure_is_scrolled_rather_than_made_small(elements):
    for attributes in (each for name, each in elements if name == "img"):
        least = re.fullmatch(r"min-width: (\d+)px", attributes["style"])
        letters = 7.0 * int(least[1]) / (int(attributes["width"]) / 2)  # the smallest, in pixels
        assert letters > 9.0


def luminance(colour):
    linear = np.where(colour <= 0.04045, colour / 12.92, ((colour + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


def rgb(text):
    return np.array([int(text[at : at + 2], 16) for at in (1, 3, 5)]) / 255


def contrast(one, other):
    low, high = sorted(map(luminance, (one, other)))
    return (high + 0.05) / (low + 0.05)


FILTERS = (
    "ensvm/report/render/templates/page.css",
    "ensvm/report/write.py",
    "docs/static/site.css",
)


@pytest.mark.parametrize("style", FILTERS)
def test_figures_in_the_dark_have_the_page_as_background_and_colours_that_can_be_seen(style):
    """The filter of CSS, computed as the specification of filter effects says it."""
    root = RESULTS.parents[1]
    filters = re.findall(r"invert\((\S+)\) hue-rotate\(180deg\)", (root / style).read_text("utf-8"))
    assert len(set(filters)) == 1
    share = float(filters[0])
    weights = np.array([0.213, 0.715, 0.072])
    turned = 2 * np.tile(weights, (3, 1)) - np.eye(3)  # cos 180° = -1, sin 180° = 0

    def dark(colour):
        return np.clip(turned @ (share + rgb(colour) * (1 - 2 * share)), 0, 1)

    page = (root / "ensvm/report/render/templates/page.css").read_text("utf-8")
    paper = rgb(re.findall(r"--paper: (#\w{6})", page)[1])
    assert contrast(dark("#ffffff"), paper) < 1.1
    assert min(contrast(dark(colour), paper) for colour in (*COLOURS, GREY, *SIDES)) > 3.0


def test_a_figure_beside_the_records_darkens_itself(page, study):
    files = [path for _, paths in write_figures(study) for path in paths if path.suffix == ".svg"]
    assert files
    for path in files:
        text = path.read_text(encoding="utf-8")
        assert text.count("prefers-color-scheme: dark") == 1
        ElementTree.fromstring(text)
    # The page has a filter of its own.
    assert "prefers-color-scheme" not in unquote("".join(Page(page).values("src")))


def test_links_lead_to_the_web_to_mail_or_beside_the_page(elements):
    images = [attributes["src"] for name, attributes in elements if name == "img"]
    assert all(src.startswith("data:image/svg+xml;") for src in images)
    anchors = [attributes for name, attributes in elements if name == "a"]
    saved = [one["href"] for one in anchors if "download" in one]
    assert all(re.match("data:text/(csv|markdown|x-tex);", address) for address in saved)
    links = [one["href"] for one in anchors if "download" not in one]
    outside = [link for link in links if not link.startswith("#")]
    assert outside == [
        *("index.html", "BEACON/pixel.png", "https://example.org/paper", "table-1.md"),
        *("mailto:a@example.org", *DATA_LINKS),
    ]


def test_the_policy_allows_our_own_style_and_script_alone(page, elements):
    text = page.read_text()
    [policy] = [a["content"] for _, a in elements if "http-equiv" in a]
    allowed = dict(part.split(" ", 1) for part in policy.split("; "))
    assert allowed["default-src"] == "'none'"
    assert allowed["img-src"] == "data:"
    for name, kind in (("style", "style-src"), ("script", "script-src")):
        inner = re.search(f"<{name}>(.*?)</{name}>", text, re.DOTALL)[1]
        assert allowed[kind] == sha256_of(inner)


def sha256_of(text):
    """Return the source of a policy that allows an inline text."""
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return f"'sha256-{digest}'"


def test_verdicts_are_counted(study):
    found = StudyPage(study)
    assert found.verdicts == {"differs": 1, "cannot tell": 1}
    assert found.claim_verdicts == {"fails": 1, "cannot tell": 1}
    assert [claim.id for claim in found.claims] == ["d", "c"]
    assert len(found.study.failed) == 3


def test_the_same_records_make_the_same_bytes(page):
    before = page.read_bytes()
    written(page.parents[1])
    assert page.read_bytes() == before


@pytest.fixture(scope="module")
def shipped(tmp_path_factory):
    """The pages of some shipped results."""

    def committed(study, content, endings):
        paths = [study.folder / f"figure-{content.config.id}{ending}" for ending in endings]
        if not all(path.is_file() for path in paths):
            return draw(study, content, endings)
        return [path.read_bytes() for path in paths]

    with pytest.MonkeyPatch.context() as patch:
        # What is committed is drawn already.
        patch.setattr("ensvm.report.plots.drawing.draw", committed)
        folders = [RESULTS / name for name in SOME_STUDIES]
        return list(write_pages(map(read_results, folders), tmp_path_factory.mktemp("report")))


@pytest.mark.slow
def test_pages_of_the_shipped_results_are_closed_in_themselves(shipped):
    names = {"index", *(path.name for path in RESULTS.iterdir())}
    elsewhere = {f"{name}.html" for name in names} - {path.name for path in shipped}
    web = {link for name in SOME_STUDIES for link in read_results(RESULTS / name).config.links}
    web |= links_of_cards()
    assert list(broken_links(shipped[0].parent, web=web, missing=elsewhere)) == []
    for path in shipped:
        assert path.stat().st_size < MOST_BYTES, path.name
        assert "&lt;p&gt;" not in path.read_text(encoding="utf-8")
        for name, attributes in Page(path).elements:
            if name == "img":
                assert len(attributes["alt"]) > 20
            if name == "td":
                plain = attributes.get("class", "l") == "l"  # a cell of a table from Markdown
                assert attributes.get("data-value") is not None or plain


def test_a_broken_link_is_found(page, tmp_path):
    (tmp_path / "s.html").write_text(page.read_text().replace('id="claims"', 'id="data"'))
    broken = set(broken_links(tmp_path, web={"https://example.org/paper", *DATA_LINKS}))
    assert {"s.html: BEACON/pixel.png", "s.html: mailto:a@example.org"} < broken
    assert {"s.html: the id data 2 times", "s.html: #claims"} < broken


TRY = """
<script type="module">
const say = {};
const becomes = async holds => {  // a busy machine takes its time
  for (let tries = 0; tries < 500 && !holds(); tries++)
    await new Promise(resolve => setTimeout(resolve, 20));
  return holds();
};
const button = document.querySelector("[data-cell='1/titanic/one']");
button.click();
const dialog = document.getElementById("evidence");
say.open = await becomes(() => dialog.open);  // once the evidence is unpacked
say.dots = dialog.querySelectorAll("circle").length;
say.printed = dialog.querySelectorAll("line.print").length;
say.facts = dialog.textContent.includes("--datasets titanic --algorithms one");
dialog.close();
say.focus_back = document.activeElement === button;
const rows = () => [...document.querySelectorAll("[data-table] tbody tr")]
  .filter(row => !row.hidden).map(row => row.cells[0].textContent);
const heads = document.querySelectorAll("[data-sort]");
heads[1].click(); say.up = rows();
heads[1].click(); say.down = rows();
heads[2].click(); say.missing_last = rows();
heads[2].click(); say.missing_last_too = rows();
const filter = document.querySelector("[data-filter]");
filter.value = "tit"; filter.dispatchEvent(new Event("input")); say.filtered = rows();
filter.value = ""; filter.dispatchEvent(new Event("input"));
const verdict = document.querySelector("[data-verdict]");
verdict.value = "differs"; verdict.dispatchEvent(new Event("change")); say.differing = rows();
verdict.value = ""; verdict.dispatchEvent(new Event("change"));
const go = async (place, holds) => {
  location.hash = place;
  return becomes(holds);
};
say.claim_open = await go("claim-c", () => document.querySelector("#claim-c details").open);
say.cell_open = await go("table-1/titanic/one", () => dialog.open);
say.cell_closed = await go("claim-c", () => !dialog.open);
const said = document.createElement("pre");
said.id = "said"; said.textContent = JSON.stringify(say); document.body.append(said);
</script>
"""


@pytest.fixture
def beacon():
    """The requests that a server of this machine was asked for, and its address."""
    asked = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            self.send_error(404)

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield asked, f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.fixture(scope="module")
def browse():
    """A function that returns a page's elements as a browser leaves them, and what it logs."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    if browser is None:
        pytest.skip("chromium is not installed")
    # Evidence is unpacked asynchronously, and boxes are measured after the first frame.
    options = ["--headless=new", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr"]
    options += ["--virtual-time-budget=100000", "--dump-dom"]

    def browsed(path, *more):
        ran = subprocess.run(
            [browser, *options, *more, path.as_uri()],
            capture_output=True,
            text=True,
            timeout=120,
            check=True,
        )
        return ran.stdout, ran.stderr

    return browsed


def tried(path, script, folder):
    """Return a copy of a page whose policy allows a script at its end."""
    code = sha256_of(re.search("<script[^>]*>(.*?)</script>", script, re.DOTALL)[1])
    text = path.read_text().replace("script-src &#39;", f"script-src {code} &#39;")
    copy = folder / "tried.html"
    copy.write_text(text.replace("</body>", script + "</body>"))
    return copy


@pytest.mark.slow
def test_in_a_browser(page, beacon, browse, tmp_path):
    asked, address = beacon
    copy = tried(page, TRY, tmp_path)
    copy.write_text(copy.read_text().replace("BEACON", address))
    shown, logged = browse(copy)
    assert "CONSOLE" not in logged  # nor does the policy forbid anything that the page does
    assert asked == []
    found = re.search(r'<pre id="said">(.*?)</pre>', shown)
    assert found, shown[-2000:]
    assert "<title>s: " in shown
    assert json.loads(found[1]) == {
        "open": True,
        "dots": 3,
        "printed": 1,
        "facts": True,
        "focus_back": True,
        "up": ["titanic", "german"],
        "down": ["german", "titanic"],
        "missing_last": ["titanic", "german"],
        "missing_last_too": ["titanic", "german"],
        "filtered": ["titanic"],
        "differing": ["german"],
        "claim_open": True,
        "cell_open": True,
        "cell_closed": True,
    }


# A window of headless Chromium is never as narrow as a phone, a frame is.
FRAMED = """
<pre id="said"></pre>
<script>addEventListener("message", event => {
  document.getElementById("said").textContent = event.data;
});</script>
<iframe src="tried.html" style="width: WIDTHpx; height: HEIGHTpx; border: 0"></iframe>
"""
MEASURE = """
<script>
const body = document.body.getBoundingClientRect();
const first = document.querySelector("main table, main img").getBoundingClientRect().top;
const picture = document.querySelector("svg.reproduction")?.getBoundingClientRect();
const cut = picture ? picture.right > innerWidth || picture.bottom > innerHeight : false;
document.querySelectorAll("details").forEach(one => { one.open = true; });
setTimeout(() => {
  const wide = [], unlike = [];
  for (const box of document.querySelectorAll(".scroll")) {
    const isWide = box.scrollWidth > box.clientWidth + 1, hint = box.previousElementSibling;
    const name = box.getAttribute("aria-label") ?? box.parentElement.id;
    const says = Boolean(hint?.matches(".hint") && hint.clientHeight);
    if (isWide) wide.push(name);
    if (says !== isWide || (isWide && box.tabIndex !== 0)) unlike.push(name);
    if (box.classList.contains("more-beside") !== isWide) unlike.push(name);
  }
  const few = [];  // tables of which fewer than three columns are seen
  for (const table of document.querySelectorAll("table.results")) {
    const edge = table.closest(".scroll").getBoundingClientRect().right + 1;
    const heads = [...table.tHead.rows[table.tHead.rows.length - 1].cells].slice(1);
    const seen = heads.filter(head => head.getBoundingClientRect().right <= edge).length;
    if (seen < Math.min(3, heads.length)) few.push(table.closest("section").id);
  }
  // Boxes that stick out of the page's margins; what scrolls or is hidden is cut by its box.
  const margin = parseFloat(getComputedStyle(document.body).paddingLeft), out = [];
  for (const box of document.body.querySelectorAll("*:not(.skip, .hidden, .scroll *)")) {
    const place = box.getBoundingClientRect();
    const isOut = place.left < body.left + margin - 1 || place.right > body.right - margin + 1;
    if (place.width && isOut && !box.closest("svg, dialog")) out.push(box.outerHTML.slice(0, 80));
  }
  const sides = document.documentElement.scrollWidth - innerWidth;
  parent.postMessage(JSON.stringify({wide, unlike, few, sides, first, cut, out}), "*");
}, 500);
</script>
"""


def measured(path, browse, folder, width, height):
    """Return what MEASURE says of a page in a window of a size."""
    tried(path, MEASURE, folder)
    frame = folder / "frame.html"
    frame.write_text(FRAMED.replace("WIDTH", str(width)).replace("HEIGHT", str(height)))
    found = re.search(r'<pre id="said">(.+?)</pre>', browse(frame, "--window-size=1400,900")[0])
    assert found
    return json.loads(found[1])


@pytest.mark.slow
@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)])
@pytest.mark.parametrize("study", SOME_STUDIES)
def test_the_first_screen_has_a_table_or_picture_and_what_is_cut_says_so(
    shipped, browse, tmp_path, study, width, height
):
    path = next(path for path in shipped if path.stem == study)
    said = measured(path, browse, tmp_path, width, height)
    assert said["unlike"] == []
    assert said["few"] == []
    assert said["sides"] <= 0  # the page itself is never scrolled sideways
    assert said["out"] == []
    assert not said["cut"]
    assert said["first"] < height
    if width > 1000:
        assert said["wide"] == []
    elif study == "ecda13":
        assert "Table 2" in said["wide"]


@pytest.mark.slow
@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)])
def test_three_columns_with_long_names_are_seen(browse, tmp_path, width, height):
    names = [f"HistogramGradientBoostingClassifier{n}" for n in range(9)]
    algorithms = "".join(f"  {name}: {{estimator: SVC}}\n" for name in names)
    config = (
        "study: s\nrealizations: 3\ndatasets: [{name: a_very_long_name_of_data, card: titanic}]\n"
        f"algorithms:\n{algorithms}"
        f"tables: [{{id: 1, caption: Errors, columns: [{', '.join(names)}]}}]"
    )
    made = [one for name in names for one in errors("a_very_long_name_of_data", name, [0.2, 0.3])]
    make_study(tmp_path / "results" / "s", config, made)
    said = measured(written(tmp_path)[0], browse, tmp_path, width, height)
    assert said["few"] == []
    assert said["sides"] <= 0
    if width > 1000:
        assert said["wide"] == []


def test_a_table_is_one_click_away_in_each_medium_of_files(page):
    text = page.read_text()
    for suffix, kind in ((".md", "text/markdown"), (".tex", "text/x-tex"), (".csv", "text/csv")):
        address = re.search(
            rf'download="s-table-[^"]*{suffix}" href="data:{kind};[^,]*,([^"]*)"', text
        )
        content = unquote(address[1])
        assert "german" in content, kind
    assert "\\begin{tabular}" in unquote(text)


INDEXED = """\
study: NAME
MORE
datasets: [german]
algorithms: {a: {estimator: SVC}}
tables: [{id: t, caption: Errors, columns: [a]}]
claims: [{id: c, text: t, left: a, relation: at-most, limit: 50}]
"""


def test_the_index_has_papers_by_year_then_others_and_a_total(tmp_path):
    paper = "published: p.csv\nyear: "
    studies = [
        make_study(
            tmp_path / name,
            INDEXED.replace("NAME", name).replace("MORE", more),
            errors("german", "a", [0.2, 0.21]),
            "table,row,column,value,std\nt,german,a,20.0,\n" if "published" in more else None,
        )
        for name, more in {
            "a-own": "title: own",
            "b-late": f"{paper}2013",
            "c-early": f"{paper}1999",
            "d-part": f"{paper}2020\npart_of: c-early",
        }.items()
    ]
    *_, index = write_pages(studies, tmp_path / "pages")
    text = index.read_text()
    links = re.findall(r'<a href="([a-d]-[a-z]+)\.html"', text)
    assert links == ["c-early", "d-part", "b-late", "a-own"]
    total = text[text.index("<tfoot>") :]
    # The part of c-early judges the same printed value again.
    assert re.search(r'title="2 [a-z ]+"', total)
    assert 'title="4 holds"' in total
    assert 'title="0 ' not in total


def test_pages_in_the_site_of_the_documentation_link_to_it(page, study, tmp_path):
    (tmp_path / "works").mkdir()
    (tmp_path / "works" / "s.html").write_text("about it")
    *in_site, index = write_pages([study], tmp_path / "results")
    assert "../works/s.html" in Page(in_site[0]).values("href")
    assert "../index.html" in Page(index).values("href")
    assert not any("works" in address for address in Page(page).values("href"))


OF_ONES_OWN = """\
study: mine
realizations: 4
datasets:
  - {name: own, path: own.csv, target: y, split: {protocol: random, n_train: 40, n_test: 20}}
algorithms: {a: {label: A, estimator: SVC}, b: {label: B, estimator: SVC}}
tables: [{id: errors, caption: Errors, columns: [a, b]}]
"""


def test_the_page_of_ones_own_data_says_first_and_once_which_algorithm_is_best(tmp_path):
    lines = [
        *errors("own", "a", [0.2, 0.21, 0.19, 0.2]),
        *errors("own", "b", [0.4, 0.41, 0.4, 0.4]),
    ]
    study = make_study(tmp_path / "mine", OF_ONES_OWN, lines)
    one, index = (path.read_text() for path in write_pages([study], tmp_path / "pages"))
    sentence = "<strong>A</strong> has the best mean"
    assert one.index(sentence) < one.index("<main")
    assert one.count(sentence) == index.count(sentence) == 1
    assert "of ours" not in one
