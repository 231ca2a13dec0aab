"""The weakened SVM: what it rejects, and the bound on its error."""

import numpy as np
import pytest
from small_problems import noisy_rows

from ensvm.classifiers.weakened_svc import WeakenedSVC
from ensvm.classifiers.weighted_nu_svc import WeightedNuSVC


def test_it_is_the_machine_of_what_is_kept() -> None:
    X, y = noisy_rows(m=80, d=3, noise=0.5)
    fitted = WeakenedSVC(gamma=0.5, nu=0.2, mu=0.4, random_state=0).fit(X, y)
    assert fitted.rejected_.size == 32
    kept = np.setdiff1d(np.arange(80), fitted.rejected_)
    plain = WeightedNuSVC(gamma=0.5, nu=0.2).fit(X[kept], y[kept])
    np.testing.assert_allclose(fitted.decision_function(X), plain.decision_function(X), atol=1e-9)
    assert (fitted.rho_, fitted.nu_max_) == (
        pytest.approx(plain.rho_),
        pytest.approx(plain.nu_max_),
    )


def test_rejecting_a_whole_class_is_refused() -> None:
    X, y = noisy_rows(m=80, d=3, noise=0.5)
    with pytest.raises(ValueError, match=r"mu = 0\.3 .* leave the examples of one class only"):
        WeakenedSVC(nu=0.1, mu=0.3).fit(X, y, sample_weight=np.where(y > 0, 1.0, 1e-6))
