"""Phrases that the texts of icmla05 state of results, computed from records, data and print."""

from collections.abc import Callable

import numpy as np
from stated_numbers import WORDS, cells_of, frame_of, short, values_of


def early_ends() -> list[str]:
    """Runs of Figures 4 and 6 that end before the tenth round."""
    rounds = {
        weight: np.concatenate(
            [
                values_of("icmla05", row, f"wsv-{weight}", "n_estimators_")
                for row in ("fournorm", "mnist")
            ]
        )
        for weight in ("0.9", "0.8", "0.7")
    }
    early = {weight: int((n < 10).sum()) for weight, n in rounds.items()}
    assert early["0.9"] == rounds["0.9"].size
    assert early["0.7"] == 0
    return [
        f"all {WORDS[early['0.9']]} runs of Figures 4 and 6 end before the tenth round, and with .8"
        f" {WORDS[early['0.8']]} of them",
    ]


def most_iterations() -> list[str]:
    """Iterations of the machine on the whole training set of MNIST."""
    most = max(
        values_of("icmla05", row, "svm", "n_iter_").max() for row in ("mnist", "mnist-homogeneous")
    )
    return [f"needs at most {most:.0f} in any of our draws"]


def savings_on_squares() -> list[str]:
    """Values that boosted machines update, as a share of the SVM's, and what they err more."""
    shares: dict[str, list[float]] = {"wsv": [], "wsve": []}
    rounds, more = [], []
    for rows in (4000, 8000, 16000):
        row = f"squares-many-{rows}"
        updates = {
            name: [one.curves["n_updates_"][-1] for one in cells_of("icmla05", row, name)]
            for name in ("svm_updates", "wsv_updates", "wsve_updates")
        }
        for name, of_name in shares.items():
            of_name += np.divide(updates[f"{name}_updates"], updates["svm_updates"]).tolist()
            rounds += list(values_of("icmla05", row, f"{name}_updates", "n_estimators_"))
            errors = values_of("icmla05", row, f"{name}_updates", "error")
            more += list(100.0 * (errors - values_of("icmla05", row, "svm_updates", "error")))
    assert max(map(abs, more)) < 1.0
    one_round = sum(n == 1 for n in rounds)
    ends = {name: f"{short(min(of), 2)} to {short(max(of), 2)}" for name, of in shares.items()}
    return [
        f"WSV {ends['wsv']} of them, WSVE {ends['wsve']}, with test errors within a percentage"
        f" point of its",
        f"{WORDS[one_round]} of their {WORDS[len(rounds)]} runs end after the first round",
    ]


def independent_support_vectors() -> list[str]:
    """Figure 8 of ICMLA-05 without linearly dependent support vectors."""
    sizes = frame_of("icmla05", "figure-8").pivot_table("y", "x", "series")
    sizes = sizes.filter(like="independent").loc[1000:]
    assert len(sizes.columns) == 3
    assert (sizes.max(axis=1) < 1.05 * sizes.min(axis=1)).all()
    return ["from 1,000 training examples on the three machines then have nearly the same number"]


# By study and place of the text
PHRASES: dict[tuple[str, str], Callable[[], list[str]]] = {
    ("icmla05", "assumption guarantee"): early_ends,
    ("icmla05", "assumption iterations"): most_iterations,
    ("icmla05", "table squares"): savings_on_squares,
    ("icmla05", "figure 8"): independent_support_vectors,
}
