"""What D is made of, in numbers: a formula from which a reader can compute it again."""

from collections.abc import Callable, Mapping

from ensvm.report.intervals import Comparison, against_print
from ensvm.report.statistical_tests import LEVEL, PSEUDO_ERRORS, RatioEstimate, quantile, sample
from ensvm.study.metrics import PERCENT


def interval_formula(one: Comparison) -> str:
    """Return what D is computed from, with a formula in numbers; empty without an interval.

    For example `means: 0.06 ± (1.962 · √(3.934²/1000 + 3.934²/100) + 0.05), 3.934 the standard
    deviation of 1000 realizations of ours`. The last number is print's rounding.
    """
    _, estimate, basis = against_print(one)
    if estimate is None:
        return ""
    rounded = f"{one.printed.half_unit:.5g}"
    if isinstance(estimate, RatioEstimate):
        return f"{basis}: Fieller's interval of the ratio, and print's rounding, ± {rounded}"
    middle = f"{basis}: {estimate.value:.5g} ±"
    if estimate.is_exact:
        return f"{middle} {rounded}"
    t = f"{quantile(1 - LEVEL / 2, estimate.freedom):.5g}"
    text_of = ERRORS.get(basis)
    error, meaning = text_of(one) if text_of else (f"{estimate.error:.5g}", "")
    return f"{middle} ({t} · {error} + {rounded})" + (f", {meaning}" if meaning else "")


def _of_one_more(one: Comparison) -> tuple[str, str]:
    assert one.like_print is not None
    _, std, n = sample(one.like_print)
    return f"{std:.5g} · √(1 + 1/{n})", f"{std:.5g} the standard deviation of {n} {one.each}"


def _of_two_rates(one: Comparison) -> tuple[str, str]:
    """Return the error of two rates, as `difference_of_rates` estimates them."""
    n, whole = one.n_test + 2 * PSEUDO_ERRORS, PERCENT.scale
    errors = (rate / whole * one.n_test for rate in (one.mean, one.printed.value))
    rates = [(count + PSEUDO_ERRORS) / n for count in errors]
    squares = " + ".join(f"{rate:.5g} · {1 - rate:.5g}" for rate in rates)
    meaning = (
        f"of {one.n_test} test rows, with an error and a correct answer more in ours and print"
    )
    return f"{whole:g} · √(({squares})/{n})", meaning


def _of_two_means(one: Comparison) -> tuple[str, str]:
    ours, m = sample(one.values), one.n_printed
    assert ours.std is not None
    is_printed = one.printed.std is not None and m > 1
    theirs = one.printed.std if is_printed else one.spread
    theirs = ours.std if theirs is None else theirs
    meaning = f"{ours.std:.5g} the standard deviation of {ours.n} {one.each} of ours"
    if is_printed:
        meaning += f", {theirs:.5g} that of {m} in print"
    elif one.spread is not None:
        meaning += f", {theirs:.5g} that of single orders, which stands for print's"
    return f"√({ours.std:.5g}²/{ours.n} + {theirs:.5g}²/{m})", meaning


ERRORS: Mapping[str, Callable[[Comparison], tuple[str, str]]] = {
    "one more of ours": _of_one_more,
    "test rows": _of_two_rates,
    "means": _of_two_means,
}
