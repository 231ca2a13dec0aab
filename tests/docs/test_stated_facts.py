"""What pages state of results and of the code is what these say.

A page is written by hand; here stand the sentences of it that a change of the code could make
false, filled in from the code. If a test fails, the page has to say what the code does now.
"""

import re
import sys
from dataclasses import replace
from importlib import import_module
from math import ceil
from pathlib import Path
from typing import get_args

import generated
import numpy as np
import pandas as pd
import pytest
from hypothesis import settings
from sklearn.base import clone
from source_names import SOURCES

from ensvm import (
    KernelRidgeClassifierCV,
    PartiallyTrainedEnsemble,
    SVMPathClassifier,
    TunedSVC,
)
from ensvm.classifiers import CLASSIFIERS
from ensvm.classifiers.partially_trained_ensemble import AUTO_EXACT_ROWS
from ensvm.classifiers.rho_svc import AUTO_RANK
from ensvm.classifiers.svm_ensemble import MOST_ROWS, SVMEnsembleClassifier
from ensvm.classifiers.tuned_svc import MANY_ROWS
from ensvm.data import find_card
from ensvm.data.files.file_content import largest_content
from ensvm.drafting import draft
from ensvm.drafting.config_text import NAMES
from ensvm.drafting.table_guess import FEWEST_ROWS
from ensvm.kernels.low_rank import PIVOT_ROWS
from ensvm.levels import MOST_LEVELS
from ensvm.notebook.loaded_data import MOST_SPLITS, LoadedData
from ensvm.records.record import MOST_DIGITS
from ensvm.report.compare_results import ROUNDING
from ensvm.report.documents.findings_document import outcome_of
from ensvm.report.ranking import FEWEST_DATA_SETS, rank_over_data_sets
from ensvm.report.statistical_tests import CONFIDENCE, LEVEL
from ensvm.report.summary_rows import summary_cells
from ensvm.report.verdict import CLOSE
from ensvm.runner.cell import LONG
from ensvm.runner.cluster import WORKER_SECONDS
from ensvm.shipped import find_config, shipped_results
from ensvm.solvers.leave_one_out_search import MENDED_PAIR
from ensvm.solvers.regularization_path.leave_one_out import FARTHEST, least_leave_one_out
from ensvm.study import margins
from ensvm.study.claim import FEWEST_TIMINGS
from ensvm.study.findings import MOST_LINES, AbstractConfig, FindingConfig, placeholders_of
from ensvm.study.passes import DISTURBED, PASSES, RunPass
from ensvm.study.published_part import (
    DEFAULT_REALIZATIONS,
    REALIZATIONS_OF_CLAIMS,
    REALIZATIONS_OF_FIGURES,
)
from ensvm.study.read_config import read_config
from ensvm.study.relations import RELATIONS
from ensvm.study.signs import SIGNS
from ensvm.study.table_layout import DECIMALS_OF_SCORES, TableConfig
from ensvm_cli.reports import compare, report
from ensvm_cli.run import run
from ensvm_cli.table_verbs import SHOWN_BY, rank

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
WORD = {2: "two", 3: "three", 5: "five", 6: "six", 10: "ten"}
(SMALL, TIMES_SMALL), (MIDDLE, TIMES_MIDDLE), (_, TIMES_LARGE) = draft.REALIZATIONS
DEFAULTS = TunedSVC().get_params()
MOST_LETTERS = 240  # of what came out

FACTS = {
    "docs/use/what-init-decides.md": [
        f"Up to {draft.MOST_SHARED:,} rows: {draft.SHARE:.0%} are drawn".replace("%", " %"),
        f"{TIMES_SMALL} times if these are at most {SMALL} rows, {TIMES_MIDDLE} times up to"
        f" {MIDDLE:,}, and {TIMES_LARGE} times beyond",
        f"{draft.TRAINED:,} are drawn for training, up to {draft.TESTED:,} others for testing",
        f"text with up to {MOST_LEVELS} different values",
        f"or more than {MOST_LEVELS} different texts",
        f"fewer than {WORD[FEWEST_ROWS]} rows",
    ],
    "docs/use/your-csv.md": [
        f"tests {WORD[len(NAMES)]} classifiers",
        f"the best of {WORD[len(NAMES)]} looks a little better",
        f"{draft.REALIZATIONS[0][1]} for this table",
    ],
    "docs/index.md": [f"Compare {WORD[len(NAMES)]} algorithms on"],
    "docs/understand/signs-and-claims.md": [
        f"the {CONFIDENCE:.0%} interval of ours minus printed".replace("%", " %"),
        f"lies within ±{CLOSE:.0f}M",
        f"the {(1 + CONFIDENCE) / 2:.1%} quantile".replace("%", " %"),
        f"**Seconds** need {WORD[FEWEST_TIMINGS]} runs",
    ],
    "docs/understand/seconds.md": [
        f"no verdict with fewer than {WORD[FEWEST_TIMINGS]} timings",
        f"takes less than {LONG:.0f} seconds, it is run twice",
        f"more than {DISTURBED:.0f} times the median of those before it",
    ],
    "docs/understand/ranks.md": [
        f"every table with {WORD[FEWEST_DATA_SETS]} data sets or more",
        f"fewer than {WORD[FEWEST_DATA_SETS]} data sets",
        f"(at the level {LEVEL})",
    ],
    "docs/run/running.md": [
        f"(if it prints none: {DEFAULT_REALIZATIONS}, or {REALIZATIONS_OF_CLAIMS} for claims alone;"
        f" {REALIZATIONS_OF_FIGURES} where a figure alone shows a value)",
    ],
    "docs/run/many-machines.md": [f"no worker appears in {WORKER_SECONDS:.0f} seconds"],
    "docs/understand/words.md": [
        "sign : `{}`, `{}`, `{}` or `{}` beside a printed value".format(*SIGNS.values()),
        *(f"{run_pass} pass" for run_pass in get_args(RunPass)),
        "relation : The comparison that a claim makes: `{}`, `{}` and so on".format(*RELATIONS),
    ],
    "docs/look-up/commands.md": [f"in GiB (default {largest_content() / 2**30:.0f})"],
    "docs/look-up/trust.md": [
        f"at most {largest_content() / 2**30:.0f} GiB unpacked",
        f"a whole number of more than {MOST_DIGITS} digits",
    ],
    "docs/run/data.md": [f"the limit of {largest_content() / 2**30:.0f} GiB"],
    "docs/look-up/classifiers.md": [
        f"from {DEFAULTS['search_rows']:,} rows on it chooses on a sample",
        f"a random sample from {DEFAULTS['search_rows']:,} rows on",
        f"Beyond {MANY_ROWS:,} distinct rows",
        f"more than {MANY_ROWS**2 * 8 * 3 / 1e9:.0f} GB",
        f"pairs of classes of at most {MENDED_PAIR} rows together",
        f"the exact matrix up to {AUTO_EXACT_ROWS:,} rows, and beyond on {AUTO_RANK:,} pivots",
    ],
    "CONTRIBUTING.md": [
        f"on {settings.get_profile('many').max_examples} random examples instead of"
        f" {settings.get_profile('few').max_examples} fixed ones",
    ],
}


# What docstrings say of constants of the code
PART = {0.1: "a tenth", 0.2: "a fifth"}
DOCSTRINGS = [
    (TableConfig, f"it is {PART[margins.SHARE]} of the printed value; of an error"),
    (TableConfig, f"of an `auc` and the like {WORD[DECIMALS_OF_SCORES]}"),
    (FindingConfig, f"Up to {WORD[MOST_LINES]} lines"),
    (AbstractConfig, f"up to {WORD[len(AbstractConfig.model_fields)]} sentences"),
    (TunedSVC, f"pairs of classes of at most {MENDED_PAIR} rows together"),
    (SVMPathClassifier, f"up to {FARTHEST:.0f} times the best C"),
    (least_leave_one_out, f"up to {FARTHEST:.0f} times the best C"),
    (PartiallyTrainedEnsemble, f"at most {PIVOT_ROWS:,} rows, a random sample if there are more"),
    (KernelRidgeClassifierCV, f"from more than {PIVOT_ROWS:,} rows"),
    (SVMEnsembleClassifier.fit, f"more than {MOST_ROWS:,} rows"),
    (rank_over_data_sets, f"or {WORD[FEWEST_DATA_SETS]} data sets"),
    (rank.callback, f"with {WORD[FEWEST_DATA_SETS]} data sets or more"),
    (compare.callback, f"at most {ROUNDING:.0e}".replace("e-0", "e-")),
    (LoadedData.splits, f"or {MOST_SPLITS} if the card's split has no limit"),
    (largest_content, f"{largest_content() / 2**30:.0f} GiB, or ENSVM_MAX_GIB"),
]


# The rules of signs and of tests, wherever a text of the code or of a page states their numbers
RULES = {
    r"(\d+) % (?:confidence )?interval": f"{100 * CONFIDENCE:g}",
    r"(?:test|made) at (\d+) %": f"{100 * LEVEL:g}",
    r"half of (\d+) %": f"{100 * LEVEL:g}",
    r"±(\d)M": f"{CLOSE:g}",
    r"(?:within|beyond) (\w+) margins": WORD[round(CLOSE)],
}


def text_of(page: str) -> str:
    """Return the text of a page on one line."""
    return " ".join((ROOT / page).read_text(encoding="utf-8").split())


@pytest.mark.parametrize(("page", "fact"), [(page, one) for page in FACTS for one in FACTS[page]])
def test_a_page_says_what_the_code_does(page, fact):
    assert fact in text_of(page)


@pytest.mark.parametrize(("documented", "fact"), DOCSTRINGS)
def test_a_docstring_says_what_the_code_does(documented, fact):
    assert fact in " ".join(documented.__doc__.split())


@pytest.mark.parametrize(
    ("verb", "option", "accepted"),
    [(run, "run_pass", PASSES), (report, "parts", ("pages", *SHOWN_BY))],
)
def test_an_option_offers_what_the_code_accepts(verb, option, accepted):
    """The command does not load the code that accepts a value, so its choices are written out."""
    (choice,) = (one.type for one in verb.params if one.name == option)
    assert {*choice.choices} == {*accepted}


@pytest.mark.parametrize("rule", RULES)
def test_every_text_states_the_numbers_of_a_rule(rule):
    stated = {}
    pages = [*(ROOT / "docs").rglob("*.md"), ROOT / "README.md", ROOT / "CHANGELOG.md"]
    for path in [*SOURCES, *pages]:
        text = re.sub(r"[\s\"]+", " ", path.read_text(encoding="utf-8"))  # strings are joined
        stated |= {(path.name, number): None for number in re.findall(rule, text)}
    assert stated
    assert [each for each in stated if each[1] != RULES[rule]] == []


def test_an_approximate_path_is_faster_than_others_where_its_docstring_says_so():
    (many,) = re.findall(r"Beyond about ([\d,]+) rows this is faster", SVMPathClassifier.__doc__)
    assert "faster than a grid of 20 values" in " ".join(SVMPathClassifier.__doc__.split())
    paths = pd.read_csv(shipped_results() / "bench" / "approximate-path.csv")
    of_many = paths[paths["rows"] > int(many.replace(",", ""))]
    seconds = of_many["CPU s"] + of_many["choice of C, CPU s"]
    table = seconds.groupby([of_many["labels"], of_many["rows"], of_many["method"]]).sum().unstack()
    fast = table.pop("approximate path, tol=0.1")
    assert len(fast) > 3
    others = table[["exact path", "LIBSVM, grid of 20 C"]]
    assert (others.isna() | others.gt(fast, axis=0)).all(axis=None)


def test_the_readme_says_how_long_the_measured_runs_took():
    """Their times stand on one page alone, below a heading of their own."""
    section = text_of("docs/understand/seconds.md").partition("## Where the seconds of")[2]
    runs = [int(m) + int(s) / 60 for m, s in re.findall(r"(\d\d) min (\d+) s", section)]
    assert len(runs) > 3
    assert f"{min(runs):.0f} to {ceil(max(runs))} minutes on two cores" in text_of("README.md")


def test_python_of_the_readme_is_that_of_the_package():
    needed = re.search(r'requires-python = ">=([^"]*)"', text_of("pyproject.toml"))[1]
    assert f"Python {needed} or newer" in text_of("README.md")
    assert sys.version_info >= tuple(map(int, needed.split(".")))


@pytest.mark.parametrize("work", generated.WORKS)
def test_what_came_out_of_a_work_follows_its_records(work, monkeypatch):
    study, text = generated.results_of(work), generated.came_out(work)
    empty = replace(study, recorded={})
    monkeypatch.setattr(generated, "results_of", {work: empty}.get)
    assert generated.came_out(work) != text


@pytest.mark.parametrize("work", generated.WORKS)
def test_the_outcome_of_a_work_can_be_read_without_the_sentence_before_it(work):
    """The index of the pages shows it alone, the table of works with what did not come out."""
    config, _ = read_config(find_config(work))
    first = config.abstract.outcome.partition(". ")[0]
    assert not re.search(r"\b(here|this|these|that svm|it|they) ", first.lower())


@pytest.mark.parametrize(
    "study", sorted(path.parent.name for path in shipped_results().glob("*/config.yaml"))
)
def test_what_came_out_can_be_read_at_a_glance(study):
    """Two lines of a page that is as wide as its text may be, three beside a picture."""
    config, _ = read_config(find_config(study))
    outcome = outcome_of(replace(generated.results_of(study), config=config))
    assert 0 < len(outcome) <= MOST_LETTERS


@pytest.mark.parametrize(
    "study", sorted(path.parent.name for path in shipped_results().glob("*/config.yaml"))
)
def test_what_came_out_names_the_rows_that_neither_hold_nor_fail(study):
    """Beside numbers that hold and that fail, `verdict-with-counts` names the others."""
    config, _ = read_config(find_config(study))
    lines = [line for finding in config.findings for line in finding.adds]
    lines += config.abstract.sentences.values() if config.abstract else []
    for line in lines:
        holding, failing = (
            {tuple(words) for kind, words in placeholders_of(line) if kind == counted}
            for counted in ("holds", "fails")
        )
        assert not holding & failing


@pytest.mark.parametrize("work", generated.WORKS)
def test_the_page_of_a_work_counts_what_is_covered(work):
    page = (DOCS / "works" / f"{work}.md").read_text(encoding="utf-8")
    section = page.partition("## What of the paper is covered")[2]
    rows = re.findall(r"^\| .* \|$", section, re.MULTILINE)[1:]
    covered = [row for row in rows if "**not covered**" not in row]
    assert f"{len(covered)} of {len(rows)} items" in section


def test_the_page_on_classifiers_has_the_measured_numbers():
    bench, page = shipped_results() / "bench", text_of("docs/look-up/classifiers.md")
    paths = pd.read_csv(bench / "approximate-path.csv").set_index(["labels", "rows", "method"])
    methods = ("approximate path, tol=0.1", "exact path", "LIBSVM, grid of 20 C")
    for labels, word in (("clean", "clean"), ("noisy", "a tenth flipped")):
        for rows in (1600, 12800):
            measured = [
                paths.loc[(labels, rows, one)] if (labels, rows, one) in paths.index else None
                for one in methods
            ]
            seconds = [
                "—" if one is None else f"{one['CPU s']:.1f} + {one['choice of C, CPU s']:.1f}"
                for one in measured
            ]
            assert f"| {word} | {rows:,} | {' | '.join(seconds)} |" in page
    rule = pd.read_csv(bench / "leave-one-out.csv")
    off = (rule["span error"] - rule["true error"]).abs()[rule["C"] == 1]
    stated = f"is off by {off.mean():.1f} points on average at C = 1, at most by {off.max():.1f}"
    assert f"Over {WORD[off.size]} data sets, the error by this rule {stated}" in page


def test_the_page_on_classifiers_says_what_few_kernel_values_cost():
    counted, wrong = (
        pd.read_csv(shipped_results() / "benchmark" / f"table-{table}.csv").pivot(
            index="row", columns="column", values="mean"
        )
        for table in ("evaluations", "error")
    )
    values, errors = counted.mean(), wrong.loc[counted.index].mean()  # without rows that sum up
    assert (
        f"`LeveragedVectorMachine` computes {values['leveraged']:.0f} kernel values for a "
        f"prediction, `TunedSVC` {values['tuned']:.0f}, and its mean error is about "
        f"{errors['leveraged'] - errors['tuned']:.1f} points larger"
    ) in text_of("docs/look-up/classifiers.md")


def test_the_page_on_classifiers_says_which_kernel_machines_have_gamma():
    text = text_of("docs/look-up/classifiers.md")
    choosing, drawing = (
        {*re.findall(r"`(\w+)\b", part)}
        for part in re.search(
            r"\*\*Kernels\.\*\* (.+?) have no parameter(.+?) have `kernels`", text
        ).groups()
    )
    parameters = {
        name: getattr(import_module(module), name)().get_params()
        for name, module in CLASSIFIERS.items()
    }
    tables = {name for name, given in parameters.items() if "categorical_features" in given}
    assert choosing == {name for name in tables if "gamma" not in parameters[name]} == tables
    assert "MixedKernel" in drawing
    for name, given in parameters.items():
        assert ("kernels" in given) == name.startswith("MixedKernel")
        assert name in choosing or ("kernel" in given) <= ("gamma" in given)


def depends_on_the_scales(classifier):
    """Return whether a classifier changes if the columns are measured in other units.

    These are powers of 2, so that nothing else is rounded.
    """
    rng = np.random.default_rng(0)
    rows, units = rng.normal(size=(60, 3)), np.array([1.0, 1024.0, 1 / 64])
    labels = rows[:, 0] + rows[:, 1] ** 2 + 0.3 * rng.normal(size=60) > 0.6
    if "random_state" in classifier.get_params():
        classifier.set_params(random_state=0)
    values = []
    for scale in (1.0, units):
        fitted = clone(classifier).fit(rows * scale, labels)
        decide = getattr(fitted, "decision_function", None) or fitted.predict_proba
        values.append(decide(rows * scale))
    return not np.array_equal(*values)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_page_on_classifiers_says_which_scale_their_columns():
    (text,) = re.findall(r"- \*\*Scales\.\*\* (.+?) - \*\*", text_of("docs/look-up/classifiers.md"))
    themselves, others = text.split("The other classes compare columns as they are")
    made = {name: getattr(import_module(module), name)() for name, module in CLASSIFIERS.items()}
    dependent = {name for name, one in made.items() if depends_on_the_scales(one)}
    assert set(re.findall(r"`(\w+)`", themselves)) == {*made} - dependent
    by_parameter = {name for name, one in made.items() if "scale" in one.get_params()}
    assert by_parameter == {"TunedSVC", *(name for name in made if name.startswith("MixedKernel"))}
    assert "`TunedSVC(scale=False)` leaves" in others
    assert depends_on_the_scales(TunedSVC(scale=False))
    for name in by_parameter - {"TunedSVC"}:
        assert not depends_on_the_scales(clone(made[name]).set_params(scale="machine"))


def test_the_page_on_classifiers_says_what_the_benchmark_ran():
    config = generated.results_of("benchmark").config
    page = text_of("docs/look-up/classifiers.md")
    every = config.rows_of(config.table("error"))
    assert f"on {len(every)} data sets that none of the five works uses" in page
    assert f"over the test errors of {WORD[config.realizations]} splits each" in page


def test_the_page_on_classifiers_has_the_seconds_of_the_ensemble():
    table = pd.read_csv(shipped_results() / "benchmark" / "table-seconds.csv")
    config = generated.results_of("benchmark").config
    rows = config.rows_of(config.table("seconds"))
    of_ensemble = table[(table["column"] == "svm_ensemble") & table["row"].isin(rows)]
    n_train = of_ensemble["row"].map(lambda row: find_card(row).split.n_train)
    middle = of_ensemble["mean"][n_train.between(300, 750)].median()
    stated = (
        f"a fit takes {middle:.1f} s in the median of the benchmark's sets of 300 to 750 rows, and "
        f"up to {of_ensemble['mean'].max():.0f} s at 1,000 rows of many classes"
    )
    assert stated in text_of("docs/look-up/classifiers.md")


def benchmark_table(name):
    """Return the values of a table of the benchmark, a row for each data set."""
    config = generated.results_of("benchmark").config
    frame = pd.read_csv(shipped_results() / "benchmark" / f"table-{name}.csv")
    return frame.pivot(index="row", columns="column", values="mean").loc[
        [*config.rows_of(config.table(name))]
    ]


def test_the_page_on_classifiers_says_by_the_benchmark_what_to_take():
    page = text_of("docs/look-up/classifiers.md")
    errors, seconds = benchmark_table("error").mean(), np.log(benchmark_table("seconds"))
    sizes = benchmark_table("evaluations").mean()
    assert errors.idxmin() == benchmark_table("log-loss").mean().idxmin() == "svm_ensemble"
    assert "the smallest mean error and log loss of the benchmark" in page
    larger = errors["tuned"] - errors["svm_ensemble"]
    share = np.exp((seconds["tuned"] - seconds["svm_ensemble"]).mean())
    stated = f"about {larger:.1f} points larger, and a fit takes {share:.2f} of the time"
    assert f"its mean error is {stated}" in page
    many = seconds[[len(find_card(row).classes) >= 9 for row in seconds.index]]
    share = np.exp((many["kernel_ridge"] - many["tuned"]).mean())
    stated = f"{WORD[len(many)]} sets of nine classes or more, a fit takes {share:.2f} of the time"
    assert f"{stated} of `TunedSVC`" in page
    stated = (
        f"computes {sizes['leveraged']:.0f} kernel values for a prediction, `TunedSVC` "
        f"{sizes['tuned']:.0f}, and its mean error is about "
        f"{errors['leveraged'] - errors['tuned']:.1f} points larger"
    )
    assert stated in page


def test_the_abstract_of_the_benchmark_says_who_is_not_shown_to_be_worse_than_the_first():
    config = generated.results_of("benchmark").config
    ranks = pd.read_csv(shipped_results() / "benchmark" / "rank-error.csv")
    of_best = ranks[ranks["first"] == ranks["first"][0]]  # in the order of the ranks
    assert of_best["first"].iloc[0] == config.table("error").columns[0].name
    n_alike = (of_best["nemenyi_p"] > LEVEL).sum()
    assert (of_best["nemenyi_p"][:n_alike] > LEVEL).all()
    assert f"the next {WORD[n_alike]} by average rank are not shown" in config.abstract.outcome


def test_the_abstract_of_the_benchmark_says_who_is_first_on_each_split():
    study = generated.results_of("benchmark")
    study = replace(study, config=read_config(find_config("benchmark"))[0])
    reason, table = study.config.abstract.reason, study.config.table("error")
    ranks = {(one.row, one.column): one.mean for one in summary_cells(study, table)}
    rows = [f"mean-rank-{number}" for number in range(1, study.config.realizations + 1)]
    names = [column.name for column in table.columns]
    ordered = [sorted(names, key=lambda name: ranks[row, name]) for row in rows]
    stated = f"On each of the {WORD[len(rows)]} splits alone SVMEnsembleClassifier is first"
    assert stated in reason
    assert {first for first, *_ in ordered} == {table.columns[0].name}
    assert "who comes second differs" in reason
    assert len({second for _, second, *_ in ordered}) > 1
    assert all(f"{{ours error {row} svm_ensemble}}" in reason for row in rows)


def test_the_abstract_of_the_benchmark_names_the_three_smallest_mean_errors():
    config, _ = read_config(find_config("benchmark"))
    named = re.findall(r"\{ours error mean (\w+)\}", config.abstract.outcome)
    assert named == [*benchmark_table("error").mean().nsmallest(3).index]


def test_the_first_page_compares_with_forests_and_boosting_as_the_studies_do():
    text = text_of("README.md")
    assert "a random forest [cannot be told apart]" in text
    ranks = pd.read_csv(shipped_results() / "benchmark" / "rank-error.csv")
    pair = ranks.loc[
        [{*one} == {"tuned", "forest"} for one in zip(ranks["first"], ranks["second"], strict=True)]
    ]
    assert (pair["nemenyi_p"] > LEVEL).all()
    assert len(pair) == 1
    assert "gradient boosting is [quick on many rows]" in text
    seconds = pd.read_csv(shipped_results() / "many-rows" / "table-seconds.csv")
    most = seconds.pivot_table("mean", "row", "column").loc["rows-1000000"]
    assert most["gradient_boosting"] < most["ensemble"]


def test_the_first_page_counts_the_works():
    with_abstract = {path.parent.name for path in (ROOT / "configs").glob("*/abstract.yaml")}
    assert with_abstract == {*generated.WORKS, "benchmark"}  # which has no paper
    assert len(generated.WORKS) == 5
    years = [read_config(find_config(work))[0].year for work in generated.WORKS]
    assert years[:-1] == sorted(years[:-1])
    assert years[-1] is None  # the lecture
    assert "Run four papers and a lecture" in text_of("README.md")


@pytest.mark.parametrize(
    ("row", "rows", "impossible"),
    [
        ("horse-colic-unnumbered", find_card("horse-colic-official").split.n_test, set()),
        ("vote-300", 135, set()),
        ("bands", find_card("bands").rows, {33.2}),
    ],
)
def test_which_printed_errors_of_nips99_are_numbers_of_errors(row, rows, impossible):
    """Assumptions `cross-validation` and `data-sets` conclude from it on which rows it tested."""
    table = pd.read_csv(ROOT / "configs" / "nips99" / "published.csv")
    errors = table[(table["row"] == row) & table["column"].str.startswith("error")]["value"]
    assert set(errors) - {round(100 * k / rows, 1) for k in range(rows + 1)} == impossible
