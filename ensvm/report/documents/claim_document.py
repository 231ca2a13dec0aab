"""Claims as a document: each sentence with its tests, their evidence, and how to read them."""

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, fields
from statistics import median

from ensvm.counts import counted
from ensvm.report.claims import (
    ClaimComparison,
    Judged,
    JudgedClaim,
    JudgedTest,
    evaluate_claims,
)
from ensvm.report.documents.document import (
    NOTHING,
    Bullets,
    Document,
    Grid,
    Heading,
    NamedColumns,
    Part,
    as_note,
    as_written,
    assumption_entry,
    columns_of,
    enumerated,
    one_line,
    origin,
)
from ensvm.report.statistical_tests import steady
from ensvm.report.study_folder import Study
from ensvm.report.tables import algorithm_label, row_label
from ensvm.study.claim import ClaimConfig, ClaimTest
from ensvm.study.findings import placeholders_of
from ensvm.study.metrics import PLAIN, STAGED, TIMES, Unit
from ensvm.study.relations import RELATIONS

DECIDES = (
    "A row **holds** or **fails** if the 95 % interval of its effect lies wholly on that side of "
    "the threshold; otherwise we **cannot tell**. The interval is that of these rows: what would "
    "vary if all was run again on them (nothing: *exact*; orders of the training rows, test rows "
    "of a single split, whole repetitions of a cross-validation, realizations). The more rows a "
    "test has, the likelier one is off by chance, so p-values of failing, and of holding for a "
    "number of rows, are adjusted (Holm), and with them the intervals: then all of them together "
    "have 95 %."
)
CLAIM_DECIDES = (
    "A test holds if all rows hold, or as many as it says, and fails if that cannot be; a row "
    "without values leaves open what is said of all. A claim holds if all of its tests hold, and "
    "fails if one fails; tests of another reading do not decide."
)
NEW_ROWS = (
    "*On new rows* counts what the same comparison says of new rows of the same kind, by the "
    "corrected resampled t test (Nadeau & Bengio 2003) or, on a single split, the binomial "
    "interval. It does not decide."
)
CLAIM_VERBS: dict[str, tuple[str, str]] = {  # behind 1, and behind other numbers of sentences
    "holds": ("holds", "hold"),
    "fails": ("fails", "fail"),
    "cannot tell": ("open", "open"),
}
METRICS = {
    "elapsed_seconds_": "training time",
    "l1_norms_": "l1 norm",
    "margins_": "sorted margins",
    "min_margin_": "smallest margin",
    "mistakes_": "number of mistakes",
    "n_iter_": "number of iterations",
    "objective_path_": "objective",
    "predict_seconds": "prediction time",
    "selection_seconds": "time of selection",
    "staged_test_accuracy": "test accuracy",
    "staged_test_error": "test error",
    "staged_train_error": "training error",
    "train_error": "training error",
    "train_seconds": "training time",
}
BY_ROUND = (
    *STAGED,
    "elapsed_seconds_",
    "l1_norms_",
    "objective_path_",
)  # curves whose entries are rounds
# What is subtracted from, divided by or compared with what; "first" stands on the left in a grid
DIRECTIONS = {
    "difference": "first − second",
    "ratio": "second / first",
    "percent": "second above first",
}
DIRECTION = (
    "A difference below 0, a ratio above 1 and a percentage above 0 say that the first algorithm "
    "has the smaller value."
)
MEANS = (
    "Means are over the *n* realizations that both sides have, on one draw of the data. A table "
    "shows the mean over all realizations and draws, and may have another number."
)
ONE_DRAW = " (one draw)"  # behind a data set of which tables show a mean over several
MOST_NAMED = 3  # algorithms on one side of a test
MOST_ROWS_NAMED = 2
OWN_TEST = "the paper's own test"
OWN_TESTING = (
    "*the paper's own test* is a one-sided Welch test at 5 % between several runs on one split. It "
    "is repeated on each of our splits; the column counts those on which it finds the claim."
)
EACH = (
    "A test of *each realization* fails if one realization violates it; the value shown is the "
    "worst."
)
PRINTED = (
    "*printed* is the effect of the paper's own values. A printed value stands for all values that "
    "round to it, so equal ones are no evidence either way."
)


def verdicts_in_words(claims: Sequence[JudgedClaim]) -> dict[str, str]:
    """Return how many claims have each verdict that occurs, by the verdict.

    Behind those that hold stands how many would do so on other rows than those at hand: `4 hold (3
    also on other rows of the same kind)`.
    """
    counts = Counter[str](judged.verdict for judged in claims)
    texts = {name: verdict_count(name, counts[name]) for name in CLAIM_VERBS if counts[name]}
    if "holds" in texts:
        lasting = sum(one.verdict == one.new_verdict == "holds" for one in claims)
        texts["holds"] += f" ({lasting} also on other rows of the same kind)"
    return texts


def claims_in_words(claims: Sequence[JudgedClaim]) -> str:
    """Return how many claims have each verdict, such as `4 hold (3 also on ...), 1 fails`."""
    return ", ".join(verdicts_in_words(claims).values())


def rule_of_sentences(study: Study) -> str:
    """Return how parts decide a sentence, if the abstract has verdicts of parts; else nothing."""
    sentences = study.config.abstract.sentences.values() if study.config.abstract else ()
    claims = (words[0] for text in sentences for _, words in placeholders_of(text) if words)
    has_parts = any("/" in claim for claim in claims)
    return "a sentence fails if one of its parts does" if has_parts else ""


def reason_of(judged: Judged) -> str:
    """Return why a claim or a test has its verdict: how many hold, and how many must.

    The numbers add up to the whole: `10 hold, 2 fail, 4 open; all 16 comparisons must hold`.
    """
    counts = Counter[str | None](judged.verdicts)
    whole = counted(counts.total(), judged.unit(judged.verdicts, "data set"))
    if len(counts) == 1 and None not in counts:
        return whole if counts.total() == 1 else f"all {whole}"
    parts = [verdict_count(name, counts[name]) for name in CLAIM_VERBS if counts[name]]
    parts += [f"{counts[None]} without values"] if counts[None] else []
    if judged.scope is None:
        return f"{', '.join(parts)} of {whole}"
    needed = "all" if judged.scope == "all" else f"{judged.scope} of"
    return f"{', '.join(parts)}; {needed} {whole} must hold"


def title_of_claims(study: Study) -> str:
    """Return what the claims are: sentences of a work, or hypotheses of our own."""
    return "Sentences of the work, tested" if quotes_a_paper(study) else "Hypotheses, tested"


def quotes_a_paper(study: Study) -> bool:
    """Return whether claims are sentences of a paper."""
    return any(claim.text for claim in study.config.claims)


def claims_document(study: Study) -> Document:
    """Return the claims with verdict and evidence; the columns are of comparisons."""
    parts: list[Part] = [claims_list(study)]
    for judged in evaluate_claims(study):
        parts += claim_parts(study, judged)
    # Tables show the assumptions that name them.
    assumptions = [one for one in study.config.assumptions if not one.tables]
    parts += legend(study)
    parts += [Bullets("Assumptions", list(map(assumption_entry, assumptions)))]
    parts += [origin(study)]
    title = as_written(f"Claims: {study.config.title or study.config.study}")
    return Document(title, parts, _columns(study))


def _columns(study: Study) -> NamedColumns:
    of_claim = ["claim_verdict", "claim_printed_verdict", "decides"]
    names = [one.name for one in fields(ClaimComparison) if one.repr]  # not the estimates
    lines = [
        {
            "claim_verdict": judged.verdict,
            "claim_printed_verdict": judged.printed_verdict,
            "decides": tested.decides,
            **asdict(comparison),
        }
        for judged in evaluate_claims(study)
        for tested in judged.tests
        for comparison in tested.comparisons
    ]
    # The last digits of a fitted slope differ between processors.
    return {
        name: [steady(value) if isinstance(value, float) else value for value in values]
        for name, values in columns_of(lines, [*of_claim, *names]).items()
    }


def verdict_count(verdict: str, n: int) -> str:
    """Return how many sentences have a verdict, such as `1 holds` or `3 hold`."""
    return f"{n} {CLAIM_VERBS[verdict][n != 1]}"


def claims_list(study: Study) -> str:
    """Return the claims as a list: each sentence with its verdict, and its tests below it."""
    return "\n".join(
        "\n".join(
            [f"- {sentence_of(judged)}", *(f"  - {line}" for line in tests_of(study, judged))]
        )
        for judged in evaluate_claims(study)
    )


def sentence_of(judged: JudgedClaim) -> str:
    """Return the paper's sentence, or our paraphrase, with its verdict."""
    sentence = as_written(wording(judged.claim))
    return f"{f'“{sentence}”' if judged.claim.text else sentence} **{judged.verdict}**"


def tests_of(study: Study, judged: JudgedClaim) -> list[str]:
    """Return a line for each test of a claim that decides: what it says, and what came out."""
    return [
        f"{words_of_test(study, tested.test)}: {_counts_of(tested)}."
        + (f" As printed: {tested.printed_counts}." if tested.printed_counts else "")
        for tested in judged.tests
        if tested.decides
    ]


def _counts_of(tested: JudgedTest) -> str:
    """Return a test's counts, with the rule that makes a verdict of mixed ones.

    If a number of rows must hold, the words of the test say so.
    """
    is_mixed = tested.test.scope == "all" and len({*tested.verdicts}) > 1
    return f"{tested.counts}{'; all must hold' * is_mixed}"


def claim_parts(study: Study, judged: JudgedClaim) -> list[Part]:
    """Return a claim with its evidence, below a heading with its verdict."""
    quoted = ("> " if judged.claim.text else "") + as_written(wording(judged.claim))
    parts: list[Part] = [Heading(f"{judged.claim.id}: {judged.verdict}"), quoted]
    parts += [as_note(judged.claim.note)]
    for tested in judged.tests:
        parts += test_parts(study, judged, tested)
    return parts


def wording(claim: ClaimConfig) -> str:
    """Return the paper's sentence, or our paraphrase of it, which says so; on one line."""
    return one_line(claim.text or f"In our words: {claim.paraphrase}")


def words_of_test(study: Study, test: ClaimTest) -> str:
    """Return what a test says, in words, such as `Error of A below that of B`."""
    effect = test.effect
    first, second = (_sides(study, test, names or ()) for names in (test.left, test.right))
    general, neutral = test.kind.words.get(test.of_effect) or test.kind.words.get(
        "value", ("",) * 2
    )
    words = neutral if test.threshold == effect.neutral else general
    unit = effect.unit(test.metric) if test.of_effect != "exponent" else PLAIN
    said = words.format(first=first, second=second, threshold=unit.counted(test.threshold))
    if not words:  # of a relation that has no words of its own
        of = f"{first} against {second}" if second else first
        said = f"{of}, {test.relation}, {effect.threshold_text(test.metric, test.threshold)}"
    said = f"{_metric_of(test)} of {said}"
    said = f"{said[:1].upper()}{said[1:]}" + ", in each realization" * test.each
    if test.rows and len(test.rows) <= MOST_ROWS_NAMED:
        said += f", on {enumerated([as_written(row_label(study, row)) for row in test.rows])}"
    if test.scope == "all":
        return said
    if test.scope_of == "rows":
        return f"{said}; all of it on at least {counted(test.scope, 'data set')}"
    if test.n_pairs > 1:
        return f"{said}, in at least {counted(test.scope, 'comparison')}"
    return f"{said}, on at least {counted(test.scope, 'data set')}"


def _metric_of(test: ClaimTest) -> str:
    """Return the metric of a test in words, with the stage of a curve."""
    if test.table is not None:
        return f"value in table {test.table}"
    metric = metric_text(test.metric)
    if test.of_effect == "exponent":
        return f"growth (as a power of {test.over}) of the {metric}"
    if test.of_effect == "slope":
        return f"slope of the {metric}"
    if test.stage is None:
        return metric
    until = "" if test.until is None else f" (before any {metric_text(test.until)})"
    if test.metric not in BY_ROUND:
        return f"entry {test.stage} of the {metric}{until}"
    at = "at the end" if test.stage == "end" else f"in round {test.stage}"
    return f"{metric} {at}{until}"


def _label(study: Study, test: ClaimTest, name: str) -> str:
    """Return the label of an algorithm, or of a column if the test is about a table."""
    if test.table is None:
        return as_written(algorithm_label(study, name))
    column = study.config.table(test.table).column(name)
    return as_written(study.config.column_title(column))


def _sides(study: Study, test: ClaimTest, names: Sequence[str]) -> str:
    """Return the labels of the algorithms on one side of a test; of many, the first ones."""
    labels = [_label(study, test, name) for name in names[:MOST_NAMED]]
    more = len(names) - len(labels)
    labels += [f"{more} more"] if more else []
    return "; ".join(labels) if any("," in label for label in labels) else enumerated(labels)


def test_parts(study: Study, judged: JudgedClaim, tested: JudgedTest) -> list[Part]:
    """Return the evidence of a test; parts may be empty."""
    test = tested.test
    head = "Tested" if len(judged.tests) == 1 else f"Test {judged.tests.index(tested) + 1}"
    if not tested.decides:
        reading = f" ({test.reading})" if test.reading else ""
        head += f", under another reading{reading}, which does not decide"
    evidence = f"{head}: {words_of_test(study, test)}: {in_short(study, tested)}."
    new = f"On new rows: {tested.new_counts}." if tested.new_counts else ""
    return [
        " ".join(filter(None, [evidence, new, as_note(test.note)])),
        _on_paper(tested),
        _comparisons(study, tested),
        Bullets("Missing", list(_reasons(study, tested))),
    ]


def metric_text(metric: str) -> str:
    """Return a metric's name as words, such as `training time` for `train_seconds`."""
    words = metric.strip("_").replace("_", " ")
    return METRICS.get(metric, f"number of {words[2:]}" if words.startswith("n ") else words)


def in_short(study: Study, tested: JudgedTest) -> str:
    """Return a test's counts, the range of its effects, and their direction, as text."""
    test = tested.test
    known = [one for one in tested.comparisons if one.effect is not None]
    if not known:
        return _counts_of(tested)
    effects = [one.effect for one in known if one.effect is not None]
    unit = test.effect.unit(test.metric)
    name = _with_details(test.of_effect, DIRECTIONS.get(test.of_effect))
    head = "" if test.of_effect == "value" else f"{name} "
    if len(known) > 1:
        low, high, middle = map(unit.text, (min(effects), max(effects), median(effects)))
        numbers = f"{head}{low} to {high}{_unit_name(unit)}, median {middle}"
    else:
        (one,) = known
        interval = _interval(unit, one)
        is_interval = one.low is not None and interval != "exact"
        numbers = f"{head}{unit.text(effects[0])}" + f" ({interval})" * is_interval
        numbers += _unit_name(unit)
    parts = [_counts_of(tested), numbers]
    if (neutral := test.effect.neutral) is not None and len(known) > 1:
        first, _ = pair_labels(study, test)
        # A ratio above 1 says that the first value is the lower one.
        sign = 1 if test.effect.of_difference else -1
        counts = {
            word: sum(side * sign * (effect - neutral) > 0 for effect in effects)
            for word, side in (("lower", -1), ("higher", 1))
        }
        word = max(counts, key=lambda name: counts[name])
        parts.append(f"{first} {word} on {counts[word]} of {len(known)}")
    return "; ".join(parts)


def _unit_name(unit: Unit) -> str:
    return f" {unit.name}" if unit.name and unit.name != "times" else ""


def _on_paper(tested: JudgedTest) -> str:
    """Return the verdict on the paper's own printed values; empty if it prints none."""
    counts = tested.printed_counts
    return f"On the paper's own table: {counts}." if counts else ""


def pair_labels(study: Study, test: ClaimTest) -> tuple[str, str | None]:
    """Return what both sides of a test are called; the second is None for a value."""
    first = _side(study, test, test.left)
    return first, None if test.right is None else _side(study, test, test.right)


def _side(study: Study, test: ClaimTest, names: Sequence[str]) -> str:
    """Return the label of an algorithm, or of several: the first and how many others."""
    label = _label(study, test, names[0])
    return label if len(names) == 1 else f"{label} (and {len(names) - 1} more)"


def _comparisons(study: Study, tested: JudgedTest) -> Grid:
    """Return the grid of comparisons; the heads name the algorithms if there is one pair."""
    test, effect = tested.test, tested.test.effect
    comparisons = [one for one in tested.comparisons if one.verdict or one.printed is not None]
    values, unit = effect.value_unit(test.metric), effect.unit(test.metric)
    several = len({(one.left, one.right) for one in tested.comparisons}) > 1
    first, second = ("first", "second") if several else pair_labels(study, test)
    has_interval = any(one.low is not None for one in comparisons)
    columns: list[tuple[bool, str, Callable[[ClaimComparison], str]]] = [
        (True, "data set", lambda one: _row(study, test, one)),
        (several, "compared", lambda one: _pair(study, test, one)),
        (effect.of_pair, first, lambda one: _number(values, one.left_mean)),
        (effect.of_pair, second or "", lambda one: _number(values, one.right_mean)),
        (True, effect_head(test), lambda one: _number(unit, one.effect)),
        (has_interval, "95 % interval", lambda one: _interval(unit, one)),
        (True, "n", lambda one: str(one.n)),
        (True, "verdict", lambda one: one.verdict or NOTHING),
        (bool(test.own_test), OWN_TEST, lambda one: one.own_test or NOTHING),
        (bool(tested.printed_counts), "printed", lambda one: _number(unit, one.printed)),
        (bool(tested.printed_counts), "as printed", lambda one: one.printed_verdict or NOTHING),
    ]
    shown = [(head, text_of) for is_shown, head, text_of in columns if is_shown]
    return Grid(
        [head for head, _ in shown],
        [[text_of(one) for _, text_of in shown] for one in comparisons],
        left=("compared", "verdict", "as printed"),
    )


def _row(study: Study, test: ClaimTest, comparison: ClaimComparison) -> str:
    """Return the label of a row, which says if the values are those of one of several draws."""
    label = as_written(row_label(study, comparison.row))
    if test.over or test.run_pass == "timing" or not comparison.n:
        return label
    return label + ONE_DRAW * bool(study.config.dataset(comparison.row).drawn_again)


def effect_head(test: ClaimTest) -> str:
    """Return what the effect of a test is called, with its direction and its unit."""
    effect = test.metric if test.of_effect == "value" and not test.table else test.of_effect
    unit = test.effect.unit(test.metric).name
    text = _with_details(effect, DIRECTIONS.get(test.of_effect), unit * (unit != effect))
    return f"{text}, the worst" if test.each else text


def _with_details(name: str, *details: str | None) -> str:
    """Return a name with details in parentheses, if there are any; `times` is said by the name."""
    known = ", ".join(detail for detail in details if detail and detail != TIMES.name)
    return f"{name} ({known})" if known else name


def _pair(study: Study, test: ClaimTest, comparison: ClaimComparison) -> str:
    pair = (comparison.left, comparison.right)
    return " against ".join(_label(study, test, name) for name in pair if name)


def _interval(unit: Unit, comparison: ClaimComparison) -> str:
    if comparison.low is None:
        return NOTHING
    if comparison.basis == "exact":
        return "exact"
    if comparison.high == math.inf:
        return f"{_number(unit, comparison.low)} or more"
    return f"{_number(unit, comparison.low)} to {_number(unit, comparison.high)}"


def _number(unit: Unit, value: float | None) -> str:
    return NOTHING if value is None else unit.text(value)


def _reasons(study: Study, judged: Judged) -> Iterator[str]:
    rows: dict[str, dict[str, None]] = {}
    for comparison in judged.comparisons:
        if comparison.reason:
            rows.setdefault(comparison.reason, {})[row_label(study, comparison.row)] = None
    return (as_written(f"{', '.join(names)}: {reason}") for reason, names in rows.items())


def legend(study: Study) -> list[Part]:
    """Return how to read the claims."""
    tests = [tested for judged in evaluate_claims(study) for tested in judged.tests]
    used = {one.test.relation for one in tests}
    return [
        Bullets(
            "Relations", [f"*{n}*: {one.meaning}" for n, one in RELATIONS.items() if n in used]
        ),
        MEANS if tests else "",
        DIRECTION if any(one.test.effect.of_pair for one in tests) else "",
        DECIDES,
        CLAIM_DECIDES,
        NEW_ROWS if any(one.new_counts for one in tests) else "",
        OWN_TESTING if any(one.test.own_test for one in tests) else "",
        EACH if any(one.test.each for one in tests) else "",
        PRINTED if any(one.printed_counts for one in tests) else "",
    ]
