"""Ensembles of SVMs as scikit-learn classifiers, and a runner that reproduces papers.

Classifiers that choose their own parameters
    SVMEnsembleClassifier      machines of several kernels, averaged by leave-one-out losses
    TunedSVC                   a Gaussian machine that chooses C and gamma, with probabilities
    KernelRidgeClassifierCV    kernel ridge regression that tunes itself by leave-one-out
    SVMPathClassifier          the machines of every C from one fit
Ensembles
    PartiallyTrainedEnsemble   all machines that the training of one passes through vote
    LeveragedVectorMachine     a kernel machine built one training row at a time
    AdaBoost                   a weighted vote of classifiers trained one after the other
    BoostedSVM                 AdaBoost over weakened machines that share one Gram matrix
    MixedKernelAdaBoost        AdaBoost over small machines of several kernels
    MixedKernelBagging         bagging of small machines of several kernels
Single machines
    MultiplicativeUpdateSVC    a hard margin, by multiplicative updates at a fixed rate
    RhoSVC                     a soft margin without intercept, by multiplicative updates
    WeightedNuSVC              a machine whose weighted training error is at most nu
    ParzenWindowClassifier     every training row votes with the same weight
    LinearSMO, Perceptron      linear machines
Studies, in a notebook
    run                        run a study: a shipped one, a YAML file or a dict
    load_results               its tables, figures, claims and records
    load_data                  a data set with its splits

`ensvm.experiments` has BiasVariance, VarianceComponents, NoisyLabels and DecisionMap, which
measure another classifier. The command `ensvm` runs studies in a terminal.

Examples
--------
>>> from sklearn.datasets import make_moons
>>> from ensvm import TunedSVC
>>> X, y = make_moons(200, noise=0.3, random_state=0)
>>> bool(TunedSVC().fit(X, y).score(X, y) > 0.85)
True
"""

from importlib import import_module

from ensvm.classifiers import CLASSIFIERS

# `python -m ensvm` imports this file while it still looks into the working directory, where any
# file may be called `typing.py` or `csv.py` (which `importlib.metadata` imports).
TYPE_CHECKING = False

# Functions for notebooks: name -> its module.
STUDIES = {
    "load_data": "ensvm.notebook.loaded_data",
    "load_results": "ensvm.notebook.results",
    "run": "ensvm.notebook.running",
}

__all__ = [*CLASSIFIERS, *STUDIES, "__version__"]


if TYPE_CHECKING:  # what type checkers and editors see of the names below
    __version__: str
    from ensvm.classifiers.adaboost import AdaBoost as AdaBoost
    from ensvm.classifiers.boosted_svm import BoostedSVM as BoostedSVM
    from ensvm.classifiers.kernel_ridge_classifier import (
        KernelRidgeClassifierCV as KernelRidgeClassifierCV,
    )
    from ensvm.classifiers.leveraged_vector_machine import (
        LeveragedVectorMachine as LeveragedVectorMachine,
    )
    from ensvm.classifiers.linear_smo import LinearSMO as LinearSMO
    from ensvm.classifiers.mixed_kernel_adaboost import MixedKernelAdaBoost as MixedKernelAdaBoost
    from ensvm.classifiers.mixed_kernel_bagging import MixedKernelBagging as MixedKernelBagging
    from ensvm.classifiers.multiplicative_update_svc import (
        MultiplicativeUpdateSVC as MultiplicativeUpdateSVC,
    )
    from ensvm.classifiers.partially_trained_ensemble import (
        PartiallyTrainedEnsemble as PartiallyTrainedEnsemble,
    )
    from ensvm.classifiers.parzen_window import ParzenWindowClassifier as ParzenWindowClassifier
    from ensvm.classifiers.perceptron import Perceptron as Perceptron
    from ensvm.classifiers.rho_svc import RhoSVC as RhoSVC
    from ensvm.classifiers.svm_ensemble import SVMEnsembleClassifier as SVMEnsembleClassifier
    from ensvm.classifiers.svm_path import SVMPathClassifier as SVMPathClassifier
    from ensvm.classifiers.tuned_svc import TunedSVC as TunedSVC
    from ensvm.classifiers.weighted_nu_svc import WeightedNuSVC as WeightedNuSVC
    from ensvm.notebook.loaded_data import load_data as load_data
    from ensvm.notebook.results import load_results as load_results
    from ensvm.notebook.running import run as run
else:

    def __getattr__(name: str) -> object:
        # All are imported on first use: scikit-learn would triple the start-up time of the command
        # line.
        module = CLASSIFIERS.get(name) or STUDIES.get(name)
        if module is not None:
            globals()[name] = getattr(import_module(module), name)
            return globals()[name]
        if name == "__version__":
            return import_module("importlib.metadata").version("ensvm")
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
