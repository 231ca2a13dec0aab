"""Rows that sum up a table: what they are, whatever the order of the rows, and what print says."""

import math
from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_up_records import errors, invoke, make_study, record

from ensvm.errors import UserError
from ensvm.report.documents.table_document import table_document
from ensvm.report.export import table_cells
from ensvm.report.ranking import rank_over_data_sets
from ensvm.report.render.media import MEDIA
from ensvm.report.render.study_page import StudyPage
from ensvm.report.summary_rows import summary_cells
from ensvm.report.tables import build_table
from ensvm.report.write import write_pages
from ensvm.study.printed import check_published
from ensvm.study.published_part import published_values
from ensvm.study.read_config import read_config
from ensvm.study.table_summary import outcomes_of, summary_mean

ROWS = ("german", "titanic", "astro", "cancer", "heart")
CONFIG = f"""\
study: s
realizations: 2
published_realizations: 100
datasets: [{", ".join(ROWS)}]
algorithms:
  a: {{label: A, estimator: SVC}}
  b: {{label: B, estimator: SVC}}
  c: {{label: C, estimator: SVC}}
published: p.csv
tables:
  - id: 1
    caption: Errors.
    rows: [{", ".join(ROWS)}]
    columns: [a, b, c]
    summary: [mean, geometric-mean, mean-rank, {{wins: b}}]
"""
PRINTED = "table,row,column,value,std\n1,mean,a,20.0,\n1,mean-rank,a,1.5,\n1,wins-b,a,3/1/1,\n"
MEANS = {"a": (10, 20, 30, 15, 25), "b": (12, 20, 28, 16, 26), "c": (11, 21, 29, 19, 27)}


def records(means=MEANS):
    return [
        line
        for name, of_rows in means.items()
        for row, mean in zip(ROWS, of_rows, strict=True)
        for line in errors(row, name, [mean / 100 - 0.001, mean / 100 + 0.001])
    ]


def test_an_export_has_the_rows_that_sum_up(tmp_path):
    study, table, cells = sums_of(tmp_path, records())
    lines = {(line["row"], line["column"]): line for line in table_cells(study)}
    assert len(lines) == len(build_table(study, table)) + len(cells)
    for place, cell in cells.items():
        line = lines[place]
        assert (line["mean"], line["text"], line["n"]) == (cell.mean, cell.text, cell.n)
    assert lines["mean", "a"]["unit"] == "%"
    assert lines["mean-rank", "a"]["unit"] == lines["wins-b", "a"]["unit"] == ""


def sums_of(folder, lines, config=CONFIG, printed=PRINTED):
    study = make_study(folder, config, lines, printed)
    (table,) = study.config.tables
    cells = {(one.row, one.column): one for one in summary_cells(study, table)}
    return study, table, cells


def test_means_and_ranks_are_those_of_numpy_and_of_ensvm_rank(tmp_path):
    study, table, cells = sums_of(tmp_path / "s", records())
    ranks = rank_over_data_sets(study, table).ranks.mean()
    for name, of_rows in MEANS.items():
        assert cells["mean", name].mean == pytest.approx(np.mean(of_rows))
        logs = np.log(np.array(of_rows, float))
        assert cells["geometric-mean", name].mean == pytest.approx(math.exp(logs.mean()))
        assert cells["mean-rank", name].mean == pytest.approx(ranks[name])
        assert cells["mean", name].n == len(ROWS)
    assert sum(cells["mean-rank", name].mean for name in MEANS) == pytest.approx(6.0)
    assert cells["wins-b", "a"].text == "3/1/1"
    assert cells["wins-b", "b"].mean is None


def test_ranks_of_a_realization_are_those_of_a_study_with_it_alone(tmp_path):
    numbers = np.random.default_rng(0).integers(1, 9, (len(ROWS), 3, 3)) / 10
    rows = [f"{{kind: mean-rank, realization: {number}}}" for number in (1, 2, 3, 4)]
    config = CONFIG.replace("mean-rank,", f"mean-rank, {', '.join(rows)},")
    config = config.replace("realizations: 2", "realizations: 3")
    lines = [
        line
        for row, of_row in zip(ROWS, numbers, strict=True)
        for name, values in zip("abc", of_row, strict=True)
        for line in errors(row, name, list(values))
    ]
    _, _, cells = sums_of(tmp_path / "s", lines, config)
    for number in (1, 2, 3):
        alone = [replace(one, realization=1) for one in lines if one.realization == number]
        _, _, expected = sums_of(
            tmp_path / f"{number}", alone, CONFIG.replace("ions: 2", "ions: 1")
        )
        for name in "abc":
            cell = cells[f"mean-rank-{number}", name]
            assert cell.mean == pytest.approx(expected["mean-rank", name].mean)
            assert (cell.n, cell.verdict) == (len(ROWS), None)
    assert cells["mean-rank-4", "a"].mean is None
    assert cells["mean-rank-4", "a"].reason == (
        "no row has values of realization 4 in all its columns"
    )


def test_ranks_of_a_realization_are_over_the_rows_that_have_it(tmp_path):
    config = CONFIG.replace("mean-rank,", "{kind: mean-rank, realization: 2},")
    lines = [one for one in records() if (one.dataset, one.realization) != ("astro", 2)]
    study, table, cells = sums_of(tmp_path, lines, config)
    assert cells["mean-rank-2", "a"].n == len(ROWS) - 1
    assert "over the 4 of 5 rows" in cells["mean-rank-2", "a"].reason
    assert "mean rank, realization 2" in MEDIA["md"].render(table_document(study, table))


ALL = CONFIG.replace("mean-rank, {", "mean-rank, mean-excess, {kind: winner, label: Winner %}, {")


def test_the_excess_over_the_best_and_the_share_of_wins_are_their_definitions(tmp_path):
    """Raetsch's Table 2: errors over the least of the row, minus 1; how often a method wins."""
    study, table, cells = sums_of(tmp_path / "s", records(), ALL)
    errors_of = np.array([MEANS[name] for name in "abc"], float)  # columns, rows
    excess = 100 * (errors_of / errors_of.min(axis=0) - 1)
    # in each realization all errors are moved alike
    is_best = errors_of == errors_of.min(axis=0)
    winner = 100 * is_best / is_best.sum(axis=0)
    for number, name in enumerate("abc"):
        for kind, expected in (("mean-excess", excess), ("winner", winner)):
            cell = cells[kind, name]
            assert cell.mean == pytest.approx(expected[number].mean())
            assert cell.std == pytest.approx(expected[number].std(ddof=1))
            assert (cell.n, cell.verdict) == (len(ROWS), None)
    assert "the standard deviation over the rows" in " ".join(table_document(study, table).legend)


@given(
    st.lists(
        st.tuples(*[st.lists(st.integers(1, 4), min_size=3, max_size=3)] * 3),
        min_size=2,
        max_size=3,
    )
)
def test_shares_of_wins_sum_to_all_of_them(tmp_path_factory, values):
    lines = [
        line
        for row, of_row in zip(ROWS, values, strict=False)
        for name, numbers in zip("abc", of_row, strict=True)
        for line in errors(row, name, [number / 10 for number in numbers])
    ]
    _, _, cells = sums_of(tmp_path_factory.mktemp("s"), lines, ALL)
    shares = [cells["winner", name].mean for name in "abc"]
    assert sum(shares) == pytest.approx(100.0)
    of_realizations = [errors for of_row in values for errors in zip(*of_row, strict=True)]
    won = [(a == min(a, b, c)) / [a, b, c].count(min(a, b, c)) for a, b, c in of_realizations]
    assert shares[0] == pytest.approx(100 * np.mean(won))
    assert all(cells["mean-excess", name].mean >= -1e-9 for name in "abc")


def test_nothing_is_a_share_above_an_error_of_0(tmp_path):
    lines = [one for one in records() if (one.dataset, one.algorithm) != ("german", "a")]
    _, _, cells = sums_of(tmp_path, [*lines, *errors("german", "a", [0.0, 0.0])], ALL)
    assert cells["mean-excess", "b"].mean is None
    assert "the best value on german is 0" in cells["mean-excess", "b"].reason
    assert cells["winner", "a"].mean is not None


def test_parameters_have_no_mean_over_data_sets(tmp_path):
    config = CONFIG.replace(
        "columns: [a,", "columns: [{name: cost, algorithm: a, metric: params.C}, a,"
    )
    study, table, cells = sums_of(tmp_path, records(), config)
    for kind in ("mean", "geometric-mean", "mean-rank", "wins-b"):
        assert cells[kind, "cost"].mean is None
    assert cells["mean", "a"].n == len(ROWS)
    assert "no mean over data sets" in " ".join(table_document(study, table).notes)


def test_a_column_that_is_not_computed_needs_no_second_reason(tmp_path):
    config = ALL.replace("columns: [a,", "columns: [{name: gone, unavailable: why not}, a,")
    study, table, cells = sums_of(tmp_path, records(), config)
    assert {cell.reason for (_, column), cell in cells.items() if column == "gone"} == {""}
    notes = table_document(study, table).notes
    assert not any("not ranked" in note or "no values" in note for note in notes)


def test_the_file_of_printed_values_may_have_the_label_of_the_row_and_a_spread(tmp_path):
    config = ALL.replace("mean,", "{kind: mean, label: Mean error},", 1)
    printed = (
        "row,a,b,c\nWinner %,40 ± 10,30 ± 5,30\nMean error,20.1,20.4,21.4\nmean excess,1.2,3.4,5\n"
    )
    study, table, cells = sums_of(tmp_path, records(), config, printed)
    cell = cells["winner", "a"]
    assert (cell.published, cell.published_std) == (40.0, 10.0)
    assert cells["mean", "b"].published == 20.4
    assert cells["mean-excess", "c"].published == 5.0
    assert "40 ±10" in str(MEDIA["md"].render(table_document(study, table)))


def test_the_page_has_the_evidence_of_every_value_that_sums_up(tmp_path):
    study, _, cells = sums_of(tmp_path / "s", records(), ALL)
    evidence = StudyPage(study).evidence
    for (row, column), cell in cells.items():
        behind = evidence[f"1/{row}/{column}"]
        facts = dict(behind["facts"])
        assert behind["mean"] == cell.mean
        assert behind["each"] == "data set"
        if cell.mean is not None:
            assert {*ROWS} <= facts.keys()
        if row == "mean":
            assert behind["values"] == pytest.approx(MEANS[column])
            assert "20.0" in facts["printed"] if column == "a" else "printed" not in facts
    [*_, index] = write_pages([study], tmp_path / "pages")
    page = index.with_name("s.html").read_text()
    for row, column in cells:
        assert f'data-cell="1/{row}/{column}"' in page


def test_they_do_not_depend_on_the_order_of_the_rows(tmp_path):
    _, _, expected = sums_of(tmp_path / "s", records(), ALL)
    for number, order in enumerate([*permutations(ROWS)][7::40]):
        config = ALL.replace(f"rows: [{', '.join(ROWS)}]", f"rows: [{', '.join(order)}]")
        _, _, cells = sums_of(tmp_path / f"s{number}", records(), config)
        for place, cell in cells.items():
            assert cell.mean == pytest.approx(expected[place].mean)
            assert cell.text == expected[place].text


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4))))
def test_wins_ties_and_losses_are_as_many_as_rows_and_turn_round(pairs):
    ones, others = [one for one, _ in pairs], [other for _, other in pairs]
    found, turned = outcomes_of(ones, others), outcomes_of(others, ones)
    assert found.wins + found.ties + found.losses == len(pairs)
    assert (found.wins, found.ties, found.losses) == (turned.losses, turned.ties, turned.wins)


@given(st.lists(st.floats(1.0, 90.0), min_size=1, max_size=6), st.sampled_from(["mean", "geom"]))
def test_a_mean_grows_with_each_value_as_it_says(values, kind):
    mean, slopes = summary_mean(kind, values)
    for at, slope in enumerate(slopes):
        moved = [value + 1e-4 * (number == at) for number, value in enumerate(values)]
        assert (summary_mean(kind, moved)[0] - mean) / 1e-4 == pytest.approx(slope, rel=1e-3)


def test_values_count_that_all_columns_have_and_the_note_says_on_how_many_rows(tmp_path):
    lines = [one for one in records() if (one.dataset, one.algorithm) != ("astro", "c")]
    study, table, cells = sums_of(tmp_path / "s", lines)
    kept = [at for at, row in enumerate(ROWS) if row != "astro"]
    assert cells["mean", "a"].mean == pytest.approx(np.mean(np.array(MEANS["a"])[kept]))
    assert (cells["mean", "a"].n, cells["mean", "a"].verdict) == (4, None)
    assert cells["wins-b", "a"].n == 5
    notes = table_document(study, table).notes
    assert any("over the 4 of 5 rows" in note for note in notes)
    (mean, *_) = table_document(study, table).grid.foot
    assert mean[1].notes


def test_rows_that_a_run_has_not_finished_are_not_summed_up_and_the_note_says_so(tmp_path):
    def without_second(line, rows):
        is_left = line.realization == 2 and line.dataset in rows
        return replace(line, status="failed", metrics={}) if is_left else line

    _, _, cells = sums_of(tmp_path / "s", [without_second(line, ROWS) for line in records()])
    for name in ("mean", "geometric-mean", "wins-b"):
        assert cells[name, "a"].mean is None
        assert cells[name, "a"].reason == "no row has all realizations in all its columns"
    _, _, cells = sums_of(tmp_path / "t", [without_second(line, ["astro"]) for line in records()])
    assert cells["mean", "a"].n == 4
    assert cells["mean", "a"].reason.endswith("on which all its columns have all realizations")


def test_means_over_other_realizations_are_marked_in_every_medium_and_in_ranks(tmp_path):
    """C is asked for on one of the two realizations of three data sets."""
    rows = "".join(
        f"{{name: {row}, realizations_of: {{c: 1}}}}, " if row in ROWS[:3] else f"{row}, "
        for row in ROWS
    )
    config = ALL.replace(f"datasets: [{', '.join(ROWS)}]", f"datasets: [{rows[:-2]}]")
    fewer = [
        line
        for line in records()
        if (line.algorithm, line.realization) != ("c", 2) or line.dataset not in ROWS[:3]
    ]
    study, table, cells = sums_of(tmp_path / "s", fewer, config)
    said = "german, titanic, astro: C over 1 realization, and the others over 2"
    for summary in table.summary:
        cell = cells[summary.name, "c"]
        is_over_shared = summary.kind == "winner" or summary.realization is not None
        assert (said in cell.reason) == (not is_over_shared), summary
    assert said not in cells["wins-b", "a"].reason  # both have all
    assert rank_over_data_sets(study, table).selection.unlike == (said,)
    assert said in " ".join(invoke("rank", tmp_path / "s").output.split())
    shown = {name: one.render(table_document(study, table)) for name, one in MEDIA.items()}
    shown["terminal"] = invoke("table", tmp_path / "s").output
    [*_, index] = write_pages([study], tmp_path / "pages")
    shown["page"] = index.with_name("s.html").read_text()
    for name, text in shown.items():
        assert "over 1 realization, and the others over 2" in " ".join(str(text).split()), name


def test_a_printed_mean_is_judged_by_what_varies_on_each_row(tmp_path):
    study, table, cells = sums_of(tmp_path / "s", records())
    of_row = [one for one in build_table(study, table) if one.column == "a"]
    cell = cells["mean", "a"]
    assert cell.published == 20.0
    assert cell.difference == pytest.approx(np.mean([one.mean for one in of_row]) - 20.0)
    error = of_row[0].std * math.sqrt(1 / 2 + 1 / 100) / math.sqrt(len(ROWS))
    half = 2.5705818 * error + 0.05  # Student's t with 5 degrees of freedom, one a row
    assert cell.difference_high - cell.difference == pytest.approx(half, rel=1e-6)
    assert cell.interval_of == "rows"
    assert (cells["wins-b", "a"].published, cells["wins-b", "a"].verdict) == (3.0, None)
    assert cells["mean-rank", "a"].verdict is None


def test_a_printed_mean_needs_all_rows_of_its_column(tmp_path):
    study, _, _ = sums_of(tmp_path / "s", records())
    needed = published_values(study.config, study.published)
    assert needed.keys() == {(row, "a", "error") for row in ROWS}


def test_every_medium_shows_them_below_the_rows(tmp_path):
    study, table, cells = sums_of(tmp_path / "s", records())
    document = table_document(study, table)
    for name, medium in MEDIA.items():
        if name == "terminal":
            continue
        text = str(medium.render(document))
        assert "3/1/1" in text, name
        assert text.rindex("3/1/1") > text.index("heart"), name
    lines = document.frame.set_index(["row", "column"])
    assert lines.loc[("mean", "b"), "mean"] == cells["mean", "b"].mean
    assert lines.loc[("wins-b", "a"), "text"] == "3/1/1"
    latex = MEDIA["latex"].render(document)
    assert latex.index("heart") < latex.rindex("\\midrule") < latex.index("\nmean ")
    result = invoke("table", tmp_path / "s")
    assert "wins/ties/losses against B" in " ".join(result.output.split())
    [*_, index] = write_pages([study], tmp_path / "pages")
    page = index.with_name("s.html").read_text()
    assert "3/1/1" in page[page.index("<tfoot>") :]


@pytest.mark.parametrize(
    ("slip", "message"),
    [
        ("[median]", "'median'.*mean, geometric-mean"),
        ("[wins]", r"wins are against a column: `\{wins: COLUMN\}`"),
        ("[{wins: d}]", "unknown column 'd'"),
        ("[{winner: Winner %}]", "unknown key 'winner'; write `{kind: winner, label: TEXT}`"),
        ("[mean, mean]", "the row 'mean' is given twice"),
        ("[{kind: mean, against: b}]", "wins are against a column"),
        ("[{kind: mean, realization: 1}]", "`realization:` is of a mean-rank, not of a mean"),
        ("[{kind: mean-rank, realization: 0}]", "realization"),
        ("[{wins: b, label: german}]", "the rows german and wins-b have the same label"),
    ],
)
def test_slips_are_refused(tmp_path, slip, message):
    text = CONFIG.replace("[mean, geometric-mean, mean-rank, {wins: b}]", slip)
    (tmp_path / "s.yaml").write_text(text)
    with pytest.raises(UserError, match=message):
        read_config(tmp_path / "s.yaml")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("1,wins-b,a,3,", "accepted: wins/ties/losses, such as 7/1/2"),
        ("1,german,a,3/1/1,", "accepted: a number"),
        ("1,median,a,3,", "unknown row 'median'"),
        ("1,mean,a,300,", "not a percentage"),
        ("1,winner,a,101,", "unknown row 'winner'; .*adds this row"),
    ],
)
def test_slips_of_printed_values_are_refused(tmp_path, line, message):
    (tmp_path / "s.yaml").write_text(CONFIG)
    (tmp_path / "p.csv").write_text(f"table,row,column,value,std\n{line}\n")
    config, _ = read_config(tmp_path / "s.yaml")
    with pytest.raises(UserError, match=message):
        check_published(tmp_path / "p.csv", config)


def test_zero_has_no_geometric_mean(tmp_path):
    means = MEANS | {"a": (0.1, *MEANS["a"][1:])}
    study, table, cells = sums_of(tmp_path / "s", records(means))
    assert cells["geometric-mean", "a"].mean > 0.0
    lines = [one for one in records() if (one.dataset, one.algorithm) != ("german", "a")]
    lines += errors("german", "a", [0.0, 0.0])
    study, table, cells = sums_of(tmp_path / "t", lines)
    assert cells["geometric-mean", "a"].mean is None
    assert "a is 0 on german" in " ".join(table_document(study, table).notes)


def test_wins_and_losses_count_values_that_are_shown_apart(tmp_path):
    """Small values have more decimals than the column has at least."""
    scores = {"a": (0.0012, 0.2), "b": (0.0014, 0.2), "c": (0.00121, 0.19996)}
    lines = [
        record(row, 1, name, brier=score)
        for name, of_rows in scores.items()
        for row, score in zip(ROWS[:2], of_rows, strict=True)
    ]
    config = CONFIG.replace(", ".join(ROWS), ", ".join(ROWS[:2]))
    config = config.replace("    columns:", "    metric: brier\n    columns:")
    config = config.replace("[mean, geometric-mean, mean-rank, {wins: b}]", "[{wins: b}]")
    study, table, cells = sums_of(tmp_path / "s", lines, config, printed=None)
    grid = table_document(study, table).grid
    shown = [[value.ours for value in values] for _, *values in grid.rows]
    assert shown == [["0.0012", "0.0014", "0.0012"], ["0.200", "0.200", "0.200"]]
    assert [cells["wins-b", name].text for name in "ac"] == ["1/1/0", "1/1/0"]
