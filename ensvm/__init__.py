"""Ensembles of support vector machines as scikit-learn classifiers, and a runner that reproduces papers."""

from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ensvm.classifiers.adaboost import AdaBoost
    from ensvm.classifiers.bias_variance import BiasVariance
    from ensvm.classifiers.leveraged_vector_machine import LeveragedVectorMachine
    from ensvm.classifiers.linear_smo import LinearSMO
    from ensvm.classifiers.mixed_kernels.adaboost import MixedKernelAdaBoost
    from ensvm.classifiers.mixed_kernels.bagging import MixedKernelBagging
    from ensvm.classifiers.multiplicative_update_svc import MultiplicativeUpdateSVC
    from ensvm.classifiers.noisy_labels import NoisyLabels
    from ensvm.classifiers.partially_trained_ensemble import PartiallyTrainedEnsemble
    from ensvm.classifiers.parzen_window import ParzenWindowClassifier
    from ensvm.classifiers.perceptron import Perceptron
    from ensvm.classifiers.rho_svc import RhoSVC
    from ensvm.classifiers.svm_path import SVMPathClassifier
    from ensvm.classifiers.weighted_nu_svm.boosted_svm import BoostedSVM
    from ensvm.classifiers.weighted_nu_svm.editing_svc import EditingSVC
    from ensvm.classifiers.weighted_nu_svm.weakened_svc import WeakenedSVC
    from ensvm.classifiers.weighted_nu_svm.weighted_nu_svc import WeightedNuSVC

__version__ = version("ensvm")

__all__ = [
    "AdaBoost",
    "BiasVariance",
    "BoostedSVM",
    "EditingSVC",
    "LeveragedVectorMachine",
    "LinearSMO",
    "MixedKernelAdaBoost",
    "MixedKernelBagging",
    "MultiplicativeUpdateSVC",
    "NoisyLabels",
    "PartiallyTrainedEnsemble",
    "ParzenWindowClassifier",
    "Perceptron",
    "RhoSVC",
    "SVMPathClassifier",
    "WeakenedSVC",
    "WeightedNuSVC",
    "__version__",
]


def __getattr__(name: str) -> Any:
    # Classifiers are imported on first use: scikit-learn would triple the start-up time of the
    # command line.
    if name in __all__:
        from ensvm.classifiers import ESTIMATORS

        module, _, attribute = ESTIMATORS[name].partition(":")
        globals()[name] = getattr(import_module(module), attribute)
        return globals()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
