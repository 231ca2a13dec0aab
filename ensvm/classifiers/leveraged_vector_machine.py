"""The leveraged vector machines of Singer (NIPS-99): BVM, LVM and PBVM."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from ensvm.classifiers.base import Ending, Solution, StagedClassifier
from ensvm.classifiers.one_against_one import OneAgainstOneClassifier
from ensvm.classifiers.shared_docs import documented
from ensvm.classifiers.sklearn_private import Interval, StrOptions
from ensvm.kernels.gram_matrix import dense_rows
from ensvm.solvers.leverage import leverage
from ensvm.solvers.platt_scaling import class_probabilities

# From so many rows on a Gaussian Gram matrix is float32: a round reads all of it, in half the time
SINGLE_PRECISION_ROWS = 2000


def _is_logistic(classifier: LeveragedVectorMachine) -> bool:
    return classifier.loss == "logistic"


@documented
@dataclass(eq=False, repr=False, kw_only=True)
class LeveragedVectorMachine(OneAgainstOneClassifier, StagedClassifier):
    """Kernel machine built greedily: each round adds the kernel of one training row and a constant.

    The decision function is f(x) = sum_t (alpha_t y_j(t) k(x_j(t), x) + beta_t), with labels y in
    {-1, +1} and the training row j(t) of round t. Like boosting, each round looks at the rows that
    f gets wrong so far, and takes the row whose kernel, scaled by alpha_t and shifted by beta_t,
    lowers the loss most. So the machine grows by at most one support vector a round, and stopping
    early gives a small one.

    The loss of a row is exp(-y f(x)) with `loss='exponential'` (the boosted vector machine, BVM),
    or log(1 + exp(-2 y f(x))) with `'logistic'` (the logistic vector machine, LVM), which also
    gives probabilities. Weights of rows and classes multiply the loss. A `penalty` on the alpha_t
    makes the first the penalised machine, PBVM.

    Parameters
    ----------
    kernel : {KERNEL_NAMES, 'precomputed'} or callable, default 'rbf'
        The kernel k(x, z): KERNEL_FORMULAS. A callable takes two arrays of rows and returns the
        matrix of their kernel values; with 'precomputed' X is the Gram matrix itself. The kernel
        must be symmetric.
    loss : {'logistic', 'exponential'}, default 'logistic'
        The loss that the rounds lower, eq. (4) or eq. (3) of the paper.
    penalty : {'l1', 'l2'} or None, default None
        The penalty of eq. (8), which grows with the sum of |alpha_t| or of alpha_t^2. Only with the
        exponential loss, on whose product form its recursion rests.
    gamma0 : float, default 0.01
        The weight of the penalty, a positive number; not the factor `gamma` of the kernel.
    gamma0_scale : {'distribution', 'sample'}, default 'distribution'
        What gamma0 is weighed against: the normalised loss, as eq. (8) is printed, or the sum of
        the losses, which makes the penalty n_samples times milder.
    n_estimators : int, default 500
        The largest number of rounds, at least 1, and so of support vectors; reaching it is fine and
        gives no warning.
    n_blocks : int, default 1
        The number of blocks of about equal size into which the candidate rows are split at random,
        from 1 to n_samples. Only one block has its kernel values in memory at a time, except with
        kernel='precomputed'.
    rounds_per_block : int or None, default None
        The number of rounds, at least 1, before the next block is taken, in turn; None for
        n_estimators / n_blocks, rounded up. A block without gain is left at once.
    step : {'newton', 'search'} or int, default 'newton'
        How alpha_t and beta_t are found: by one step of Newton's method, by iterating to the
        minimum, or by at most so many steps, at least 1.
    ranking : {'quadratic', 'loss'}, default 'quadratic'
        How candidates are compared: by the quadratic model of the loss, or by the loss at the
        minimum of each one's model, as in the paper, which takes far longer.
    tol : float, default 1e-5
        The least gain for which a round is made, at least 0. The paper leaves open how little is
        too little, which decides on the size of the machine; so do the next three.
    tol_scale : {'relative', 'absolute', 'sum'}, default 'relative'
        Whether the gain is divided by the loss (and penalty) there is before the round, or is that
        of the mean loss as it is, or of the sum of the losses over the training rows. On separable
        rows, where the loss falls to 0, a relative gain remains for hundreds of rounds, the other
        two do not.
    first_round : {'tested', 'granted'}, default 'tested'
        Whether the first round on a block has to gain `tol` too, each time the block is taken, or
        anything at all, so that every block gives a support vector.
    n_passes : int or None, default None
        The most times that the blocks are gone through, at least 1; None for no limit.
    positive : bool, default False
        Whether no alpha_t may be negative. The paper sets "the sign of the prediction" of a
        hypothesis "to be the label of the corresponding instance", but its equations bound no
        alpha_t.
    random_state : int, RandomState or None, default None
        Splits the candidates into blocks; read with n_blocks > 1.

    Attributes
    ----------
    rounds_ : ndarray of int, shape (n_iter_,)
        The training row j(t) chosen in each round; never the same in two rounds running.
    alphas_ : ndarray of shape (n_iter_,)
        The weight alpha_t that each round gives to its kernel, of either sign unless `positive`.
    betas_ : ndarray of shape (n_iter_,)
        The constant beta_t that each round adds.
    train_loss_ : ndarray of shape (n_iter_ + 1,)
        The mean loss before the first round and after each.
    l1_norms_ : ndarray of shape (n_iter_ + 1,)
        The sum of the |alpha_t| before the first round and after each.
    penalties_ : ndarray of shape (n_iter_ + 1,)
        The weight gamma of eq. (8) in each round, and in one that would follow; 0 without a
        penalty.
    weights_ : ndarray of shape (n_samples,)
        The sum of the alpha_t of each training row.
    intercept_ : float
        The sum of the beta_t.
    n_support_ : int
        The number of rows of weight other than 0.
    objective_ : float
        The mean loss, plus the penalty as a mean per row.
    certificate_ : float
        The largest absolute derivative of the mean loss by beta or by the alpha of any row, at
        least 0, and 0 exactly at the optimum. With penalty='l1', a derivative by alpha counts by
        how much it exceeds that of the penalty. With `positive`, only derivatives by which an alpha
        would grow count.
    n_iter_ : int
        The number of rounds.
    converged_ : bool
        Whether the rounds ended because nothing was left to gain.
    stop_reason_ : str
        Why training ended: 'no_gain', 'zero_loss' (every margin is so large that the loss leaves
        the range of floats), 'n_rounds' or 'n_passes'.

    References
    ----------
    Singer, Leveraged Vector Machines, NIPS-99, sections 3 and 5.

    Examples
    --------
    Each round adds at most one support vector; the logistic loss gives probabilities:

    >>> from sklearn.datasets import make_moons
    >>> from ensvm import LeveragedVectorMachine
    >>> X, y = make_moons(60, noise=0.1, random_state=0)
    >>> machine = LeveragedVectorMachine(gamma=2.0, n_estimators=15).fit(X, y)
    >>> machine.n_support_ <= machine.n_iter_ <= 15
    True
    >>> machine.train_loss_[:1].round(3)
    array([0.693])
    >>> bool(machine.train_loss_[-1] < 0.1)
    True
    >>> machine.predict_proba(X[:3]).argmax(axis=1).tolist() == y[:3].tolist()
    True
    """

    loss: Literal["exponential", "logistic"] = "logistic"
    penalty: Literal["l1", "l2"] | None = None
    gamma0: float = 0.01
    gamma0_scale: Literal["distribution", "sample"] = "distribution"
    n_estimators: int = 500
    n_blocks: int = 1
    rounds_per_block: int | None = None
    step: Literal["newton", "search"] | int = "newton"
    ranking: Literal["quadratic", "loss"] = "quadratic"
    tol: float = 1e-5
    tol_scale: Literal["relative", "absolute", "sum"] = "relative"
    first_round: Literal["tested", "granted"] = "tested"
    n_passes: int | None = None
    positive: bool = False
    random_state: int | np.random.RandomState | None = None

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **OneAgainstOneClassifier._parameter_constraints,
        "loss": [StrOptions({"exponential", "logistic"})],
        "penalty": [StrOptions({"l1", "l2"}), None],
        "gamma0": [Interval(Real, 0.0, None, closed="neither")],
        "gamma0_scale": [StrOptions({"distribution", "sample"})],
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "n_blocks": [Interval(Integral, 1, None, closed="left")],
        "rounds_per_block": [None, Interval(Integral, 1, None, closed="left")],
        "step": [StrOptions({"newton", "search"}), Interval(Integral, 1, None, closed="left")],
        "ranking": [StrOptions({"quadratic", "loss"})],
        "tol": [Interval(Real, 0.0, None, closed="left")],
        "tol_scale": [StrOptions({"relative", "absolute", "sum"})],
        "first_round": [StrOptions({"tested", "granted"})],
        "n_passes": [None, Interval(Integral, 1, None, closed="left")],
        "positive": ["boolean"],
        "random_state": ["random_state"],
    }

    def _refusals(self) -> Iterator[str]:
        yield from super()._refusals()
        if self.penalty is not None and self.loss != "exponential":
            yield f"penalty={self.penalty!r} needs loss='exponential', got loss={self.loss!r}"

    def _solve(
        self, X: Any, signs: NDArray[np.float64], sample_weight: NDArray[np.float64] | None
    ) -> Solution:
        m = signs.size
        if self.n_blocks > m:
            raise ValueError(
                f"n_blocks must be at most the number of training rows, {m}, got {self.n_blocks}"
            )
        result = leverage(
            self._rows(X),
            signs,
            sample_weight=sample_weight,
            loss=self.loss,
            penalty=self.penalty,
            initial_penalty=self.gamma0 / m if self.gamma0_scale == "sample" else self.gamma0,
            blocks=self._blocks(m),
            n_rounds=self.n_estimators,
            rounds_per_block=self.rounds_per_block,
            step=self.step,
            ranking=self.ranking,
            tol=self.tol / m if self.tol_scale == "sum" else self.tol,
            tol_scale="relative" if self.tol_scale == "relative" else "absolute",
            first_round=self.first_round,
            n_passes=self.n_passes,
            positive=self.positive,
        )
        attributes = {
            "rounds_": result.rounds,
            "alphas_": result.alphas,
            "betas_": result.betas,
            "train_loss_": result.losses,
            "l1_norms_": np.append(0.0, np.abs(result.alphas).cumsum()),
            "penalties_": result.penalties,
            "weights_": result.weights,
            "n_support_": int(np.count_nonzero(result.weights)),
            "objective_": result.objective,
            "certificate_": result.certificate,
        }
        ending = Ending(result.n_iter, result.stop_reason, result.converged, planned=True)
        return Solution(signs * result.weights, result.intercept, attributes, ending)

    def _rows(self, X: Any) -> NDArray[Any] | Callable[[NDArray[np.intp]], NDArray[Any]]:
        """Return the Gram matrix, or what makes rows of it if they come in blocks."""
        if self.kernel == "precomputed" or self.n_blocks == 1:
            single = self.kernel == "rbf" and X.shape[0] >= SINGLE_PRECISION_ROWS
            return self._training_gram(X, np.float32 if single else np.float64)
        return lambda indices: self._gram(X[indices], X)

    def _blocks(self, m: int) -> list[NDArray[np.intp]] | None:
        """Return the rows of each block, in order; None for a single block."""
        if self.n_blocks == 1:
            return None
        order = check_random_state(self.random_state).permutation(m)
        return [np.sort(block) for block in np.array_split(order, self.n_blocks)]

    @available_if(_is_logistic)
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each class at each row; only with loss='logistic'.

        That of the second class is 1 / (1 + exp(-2 f(x))), eq. (2) of the paper; with more than two
        classes the probabilities of all pairs are coupled (Wu, Lin & Weng, 2004).

        Returns
        -------
        probabilities : ndarray of shape (n, n_classes)
            The probability of each class, in the order of `classes_`.
        """
        check_is_fitted(self)
        if self.classes_.size > 2:
            sigmoids = np.tile([2.0, 0.0], (self.intercept_.size, 1))  # of each pair's first class
            return class_probabilities(self._pair_values(X).T.copy(), sigmoids).T
        decision = self.decision_function(X)
        return np.column_stack([expit(-2.0 * decision), expit(2.0 * decision)])

    def staged_decision_function(self, X: Any) -> Iterator[NDArray[np.float64]]:
        """Yield f(x) of each row after t rounds, for t = 1, ..., n_iter_.

        The last array equals that of `decision_function`. All kernel values between the rows and
        the support vectors are held in memory, n * n_support_ numbers; a round takes O(n) time.
        """
        check_is_fitted(self)
        self._require_two_classes()
        X = self._validated(X)
        if self.kernel == "precomputed":
            columns = dense_rows(X[:, self.support_])
        else:
            columns = self._gram(X, self.X_fit_)
        column_of = {row: column for column, row in enumerate(self.support_)}
        signs = np.sign(self.dual_coef_ * self.weights_[self.support_])
        decision = np.zeros(columns.shape[0])
        for row, alpha, beta in zip(self.rounds_, self.alphas_, self.betas_, strict=True):
            column = column_of.get(row)  # None: a row whose alphas cancel
            decision = decision + (
                beta if column is None else alpha * signs[column] * columns[:, column] + beta
            )
            yield decision
