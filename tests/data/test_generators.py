"""Laws of the waveform generator: Breiman's class means, unit noise, the same rows from the same seed."""

import numpy as np

from ensvm.data.generators import waveform


def test_same_seed_same_rows_and_other_seed_other_rows() -> None:
    np.testing.assert_array_equal(waveform(50, 3)[0], waveform(50, 3)[0])
    assert (waveform(50, 3)[0] != waveform(50, 4)[0]).any()


def test_class_means_are_half_sums_of_two_triangles() -> None:
    X, classes = waveform(60_000, 1)
    position = np.arange(1, 22)
    low, middle, high = (np.maximum(6 - abs(position - peak), 0) for peak in (7, 11, 15))
    for code, expected in enumerate([(low + high) / 2, (low + middle) / 2, (middle + high) / 2]):
        # 20,000 rows, standard deviation at most 2: five standard errors
        np.testing.assert_allclose(X[classes == code].mean(axis=0), expected, atol=5 * 2 / np.sqrt(19_000))


def test_noise_has_variance_one_where_both_triangles_vanish() -> None:
    X, classes = waveform(60_000, 2)
    noise = X[classes == 1][:, 17:]  # positions 18 to 21 lie outside the triangles at 7 and 11
    assert abs(noise.var() - 1) < 0.03
    assert abs((noise**4).mean() - 3) < 0.2


def test_classes_are_equally_likely() -> None:
    counts = np.bincount(waveform(60_000, 5)[1], minlength=3)
    assert abs(counts - 20_000).max() < 5 * np.sqrt(60_000 * 2 / 9)
