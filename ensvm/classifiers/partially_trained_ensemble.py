"""The ensemble of partially trained SVMs of Tsang & Kwok (IJCAI-07, section 3.2)."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from ensvm.classifiers.base.kernel_expansion import Ending, Expansion
from ensvm.classifiers.rho_svc import RhoSVC


class PartiallyTrainedEnsemble(RhoSVC):
    """Ensemble of all machines on the way to the rho-SVM, kept as one kernel expansion.

    Its decision function is F(x) = sum_t eta_t f_t(x) / sum_t eta_t.

    The members f_1 (the Parzen window), ..., f_T are the iterates of Algorithm 1, each weighted by
    the learning rate that leads away from it; the rho-SVM f_{T+1} itself is not one of them. All
    are expansions in the training rows, hence so is F, and it predicts at the cost of one machine.
    If no step was accepted (T = 0) the ensemble is the Parzen window.

    Parameters
    ----------
    As of `RhoSVC`.

    Attributes
    ----------
    ensemble_weights_ : array of shape (n_samples,), sum_t eta_t a_t / sum_t eta_t, on the simplex
    learning_rates_ : array of shape (T,), eta_t
    member_weights_ : array of shape (n_estimators_, n_samples), the weights a_t of each member
    n_estimators_ : int, max(T, 1)
    support_, dual_coef_, X_fit_ : rows of ensemble weight > 0, their coefficients y_i
        ensemble_weights_i, their inputs
    weights_, objective_, objective_path_, lower_bound_, certificate_, n_iter_, converged_,
    stop_reason_ : of the rho-SVM that
        the members lead to, as in `RhoSVC`
    classes_, intercept_, gamma_, rank_, trace_residual_, n_features_in_ : as in `RhoSVC`

    Reference
    ---------
    Tsang & Kwok, Ensembles of Partially Trained SVMs with Multiplicative Updates, IJCAI-07, section
    3.2.
    """

    def _solve(
        self, X: Any, signs: NDArray[np.float64], sample_weight: NDArray[np.float64] | None
    ) -> Expansion:
        result, attributes = self._train(X, signs, keep_members=True)
        assert result.members is not None
        attributes |= {
            "ensemble_weights_": result.average_weights,
            "learning_rates_": result.learning_rates,
            "member_weights_": result.members,
            "n_estimators_": len(result.members),
        }
        ending = Ending(result.n_iter, result.stop_reason, result.converged)
        return Expansion(signs * result.average_weights, attributes=attributes, ending=ending)

    def staged_decision_function(self, X: Any) -> Iterator[NDArray[np.float64]]:
        """Yield F of the first t members at each row of X, for t = 1, ..., n_estimators_.

        X and the arrays yielded, of shape (n,), are as in `decision_function`, which the last one
        equals; the first is the Parzen window. Takes memory for n * n_estimators_ floats.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)
            The rows to predict, or their kernel values with the training rows, of shape
            (n, n_samples), with `kernel='precomputed'`.

        Yields
        ------
        values : ndarray of shape (n,)
            The values of the decision function after one more member.
        """
        check_is_fitted(self)
        coefficients = np.sign(self.dual_coef_)[:, None] * self.member_weights_.T[self.support_]
        members = self._expand(X, coefficients)
        rates = self.learning_rates_ if self.n_iter_ else np.ones(1)
        weighted_sum, total = np.zeros(members.shape[0]), 0.0
        for rate, member in zip(rates, members.T, strict=True):
            weighted_sum += rate * member
            total += rate
            yield weighted_sum / total

    def staged_predict(self, X: Any) -> Iterator[NDArray[Any]]:
        """Yield the classes that the first t members predict, for t = 1, ..., n_estimators_.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)
            The rows to predict, or their kernel values with the training rows, of shape
            (n, n_samples), with `kernel='precomputed'`.

        Yields
        ------
        labels : ndarray of shape (n,)
            The classes predicted after one more member.
        """
        for decision in self.staged_decision_function(X):
            yield self._classes_of(decision)
