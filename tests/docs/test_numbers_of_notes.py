"""What assumptions, notes and captions of shipped configs state of results is what the records say.

`STATED` computes phrases that a text has, in the files `phrases_*.py`. Every number with a decimal
point, or with a power of ten, must come from a phrase, from a key of the config or from print;
`FIXED` has those of mathematics. If a test fails, the text has to say what the records say now.
"""

from collections.abc import Iterator
from typing import Any

import gram_noise
import numpy as np
import pandas as pd
import phrases_comp6321
import phrases_ecda13
import phrases_icmla05
import phrases_ijcai07
import phrases_nips99
import pytest
import yaml
from stated_numbers import all_printed, config_of, frame_of, numbers_in

from ensvm import RhoSVC
from ensvm.data import find_card, load
from ensvm.kernels import gram, resolve_gamma
from ensvm.records.store import SHIPPED_FILE
from ensvm.shipped import find_config, shipped_results

WORKS = (phrases_comp6321, phrases_ecda13, phrases_icmla05, phrases_ijcai07, phrases_nips99)
STATED = {place: phrases for work in WORKS for place, phrases in work.PHRASES.items()}

# Numbers that no result changes: of mathematics, of the data, of what the text itself sets
FIXED: dict[tuple[str, str], set[str]] = {
    ("benchmark", "assumption versions"): {"4.7", "1.2"},  # the beginnings of 4.7.0 and 1.2.10
    ("comp6321", "assumption errata"): {"0.912", ".3", ".7", ".9165", "0.16", "0.17"},
    ("comp6321", "table toy-weights"): {"0.16", "0.17"},  # two slides
    ("ecda13", "claim a-tenth-of-the-time"): {"9.7"},  # of two printed numbers
    ("ecda13", "assumption widths"): {".9", ".1"},  # quantiles that the paper names
    ("icmla05", "assumption fournorm"): {"14.5"},  # tests/data/test_generators.py
    ("icmla05", "claim fournorm-half-the-time"): {"1.5", "62.5"},  # what half is taken as
    ("icmla05", "claim mnist-half-the-time"): {"62.5"},
    ("ijcai07", "assumption hard-margin"): {"5.6e-5", "3.0e-4", "2.9e-2", "1e-12"},  # see below
    ("ijcai07", "assumption exact"): {"1e-12"},  # the noise of a test below
    ("ijcai07", "assumption other-stops"): {"0.5"},  # a rule of benchmarks/ensemble_stops.py
    ("nips99", "assumption rounds"): {"1e-5"},  # the default of `tol`
    ("nips99", "assumption steps"): {"1e-14", "1e-250"},  # constants of the solver
}


def texts_of(study: str) -> Iterator[tuple[str, str]]:
    """Yield the texts of a config about results and settings, each with its place."""
    config = config_of(study)
    if config.abstract is not None:
        yield "abstract", " ".join(config.abstract.sentences.values())
    for one in config.assumptions:
        yield f"assumption {one.id}", "\n".join([one.text, *one.points])
    for table in config.tables:
        yield f"table {table.id}", "\n".join([table.caption, *(one.text for one in table.notes)])
    for figure in config.figures:
        yield f"figure {figure.id}", figure.caption
    for claim in config.claims:
        yield f"claim {claim.id}", "\n".join([claim.note, *(one.note for one in claim.tests)])


def settings_in(block: Any) -> Iterator[float]:
    """Yield the numbers of a config's keys, those in a text such as `0.26` too."""
    if isinstance(block, dict):
        for value in block.values():
            yield from settings_in(value)
    elif isinstance(block, list):
        for value in block:
            yield from settings_in(value)
    elif isinstance(block, int | float):
        yield float(block)


def own_settings(study: str) -> set[float]:
    """Return the numbers that a config sets."""
    path = find_config(study)
    files = [path, *sorted((path.parent / study).glob("*.yaml"))]
    return {
        number for file in files for number in settings_in(yaml.safe_load(file.read_text("utf-8")))
    }


STUDIES = sorted(path.parent.name for path in shipped_results().glob(f"*/{SHIPPED_FILE}"))


# Those that read all records of a large study
SLOW = {("ijcai07", "assumption exact"), ("ecda13", "assumption spam-row")}


@pytest.mark.parametrize(
    ("study", "place"),
    [pytest.param(*one, marks=[pytest.mark.slow] if one in SLOW else []) for one in STATED],
)
def test_a_text_says_what_the_records_say(study, place):
    text = " ".join(dict(texts_of(study))[place].split())
    assert [phrase for phrase in STATED[study, place]() if phrase not in text] == []


@pytest.mark.slow
@pytest.mark.parametrize("study", STUDIES)
def test_each_number_with_decimals_comes_from_somewhere(study):
    settings, strange = own_settings(study), {}
    printed = {str(value) for value in all_printed(study)["value"]}
    for place, text in texts_of(study):
        rest = " ".join(text.split())
        for phrase in STATED.get((study, place), list)():
            rest = rest.replace(phrase, " ")
        precise = [one for one in numbers_in(rest) if "." in one or "e" in one]
        fixed = FIXED.get((study, place), set())
        left = [
            one
            for one in precise
            if one not in fixed
            and float(one) not in settings
            and not ("print" in text and f"{float(one)}" in printed)
        ]
        if left:
            strange[place] = left
    assert strange == {}


@pytest.mark.parametrize("study", STUDIES)
def test_each_value_that_differs_has_a_note(study):
    """A note explains it, or says that it is unexplained."""
    without = []
    for table in config_of(study).tables:
        if table.of != "results":
            continue
        frame = frame_of(study, f"table-{table.id}")
        differing = frame[frame["verdict"] == "differs"]
        noted = {
            (row, column)
            for note in table.notes
            for column, rows in note.explains.items()
            for row in rows
        }
        without += sorted({*zip(differing["row"], differing["column"], strict=True)} - noted)
    assert without == []


def first_problem(name: str) -> tuple[Any, Any, Any, Any]:
    """Return the kernel matrices and the labels of the first realization of a data set."""
    data = load(find_card(name)).realization(1)
    gamma = resolve_gamma("mean-distance", data.X_train)
    K = gram(data.X_train, kernel="rbf", gamma=gamma)
    test = gram(data.X_test, data.X_train, kernel="rbf", gamma=gamma)
    return K, np.asarray(data.y_train), test, np.asarray(data.y_test)


@pytest.mark.slow
def test_the_data_say_where_the_margin_is_positive():
    """Assumption `hard-margin` of ijcai07."""
    text = dict(texts_of("ijcai07"))["assumption hard-margin"]
    for name, least in (("diabetis", "5.6e-5"), ("german", "3.0e-4"), ("waveform", "2.9e-2")):
        K, y, *_ = first_problem(name)
        assert gram_noise.both_labels(K, y) == 0
        assert float(least) == pytest.approx(np.linalg.eigvalsh(K)[0], rel=0.02)
        assert least in text
    for name, inputs, rows in (("breast-cancer", 4, 9), ("titanic", 6, 136)):
        data = load(find_card(name)).realization(1)
        frame = pd.DataFrame(data.X_train).assign(label=data.y_train)
        labels = frame.groupby(list(frame.columns[:-1]))["label"]
        assert (labels.nunique() == 2).sum() == inputs
        assert (labels.transform("nunique") == 2).sum() == rows


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:RhoSVC. rho. is at most:sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", ["diabetis", "german"])
def test_noise_moves_the_end_of_algorithm_1_and_not_the_exact_solution(name):
    """Assumption `exact` of ijcai07."""
    K, y, test, y_test = first_problem(name)

    def errors(machine: RhoSVC, draws: int) -> list[float]:
        noisy = [gram_noise.noisy(K, 1e-12, draw) for draw in range(draws)]
        return [100.0 * (1.0 - machine.fit(one, y).score(test, y_test)) for one in [K, *noisy]]

    end = RhoSVC("precomputed", solver="algorithm-1", nu=None, initial_tol=0.1, tol=0.005)
    assert np.ptp(errors(end, draws=5)) > 5.0
    exact = RhoSVC("precomputed", nu=None, tol=1e-4, max_iter=20_000)
    assert np.ptp(errors(exact, draws=2)) == 0.0


MOST_WORDS = 65  # of a paragraph


@pytest.mark.parametrize("study", STUDIES)
def test_assumptions_and_notes_are_short_paragraphs(study):
    """A long paragraph of numbers is not read: it is a list of `points:`, or two notes."""
    config = config_of(study)
    texts = [text for one in config.assumptions for text in (one.text, *one.points)]
    texts += [note.text for table in config.tables for note in table.notes]
    assert [text for text in texts if len(text.split()) > MOST_WORDS] == []
