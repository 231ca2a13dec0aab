"""Phrases that the texts of comp6321 state of results, computed from records, data and print."""

from collections.abc import Callable

import numpy as np
import pandas as pd
from scipy.stats import t as student
from stated_numbers import config_of, frame_of, short

from ensvm.data import find_card, load
from ensvm.data.splits import RandomSplit, overlap


def shorter_intervals() -> list[str]:
    """A hundred realizations in place of thirty, which share rows."""
    gains = []
    for name in ("titanic", "cancer", "diabetis", "german", "waveform"):
        entry = config_of("comp6321").dataset(name)
        split = entry.split or find_card(entry.card or name).split
        assert isinstance(split, RandomSplit)
        shared = overlap(split)
        half = {n: student.ppf(0.975, n - 1) * np.sqrt(1.0 / n + shared) for n in (30, 100)}
        gains.append(100.0 * (1.0 - half[100] / half[30]))
    return [f"{min(gains):.0f} to {max(gains):.0f} % shorter"]


def noise_at_repeated_inputs() -> list[str]:
    """The variance of the labels (-1 and 1) at an input, and the errors that it forces."""
    data = load(find_card("titanic"))
    frame = pd.DataFrame(np.asarray(data.X)).assign(label=np.asarray(data.y) > 0)
    inputs = list(frame.columns[:-1])
    share = frame.groupby(inputs)["label"].transform("mean")
    variance = float((4.0 * share * (1.0 - share)).mean())
    bias = frame_of("comp6321", "table-bias").query("row == 'titanic-b'")["mean"]
    shares = 100.0 * variance / bias
    cancer = pd.DataFrame(np.asarray(load(find_card("breast-cancer")).X))
    return [
        f"titanic has {len(frame)} points and {frame.groupby(inputs).ngroups} inputs",
        f"a variance of {short(variance, 3)} on average,"
        f" {shares.min():.0f} to {shares.max():.0f} %",
        f"less than {100 * np.minimum(share, 1 - share).mean():.1f} % of these points",
        f"cancer {cancer.duplicated().sum()} of {len(cancer)}",
    ]


def random_choices() -> list[str]:
    """Parts of the variance of randomised trees with K = 1."""
    parts = frame_of("comp6321", "table-variance-parts").pivot_table("mean", "row", "column")
    assert (parts["own_1"] > parts["set_1"]).all()
    assert (parts["own_20"] > parts["set_20"]).all()
    assert (parts["forest_own_1"] < parts["own_1"]).all()
    return ["is mostly that of its own random choices, which averaging lowers"]


# By study and place of the text
PHRASES: dict[tuple[str, str], Callable[[], list[str]]] = {
    ("comp6321", "abstract"): random_choices,
    ("comp6321", "assumption settings"): shorter_intervals,
    ("comp6321", "assumption noise"): noise_at_repeated_inputs,
}
