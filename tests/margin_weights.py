"""The checks of sample weights that fail where weights are the margins asked for."""

from typing import Any

WEIGHTS_ARE_MARGINS = (
    "sample weights are margins asked for: weight 0 still acts, weight 2 is not a repetition"
)


def expected_failures(estimator: Any) -> dict[str, str]:
    return {
        "check_sample_weight_equivalence_on_dense_data": WEIGHTS_ARE_MARGINS,
        "check_sample_weight_equivalence_on_sparse_data": WEIGHTS_ARE_MARGINS,
    }
