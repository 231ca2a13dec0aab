"""Ensembles of SVMs as scikit-learn classifiers, and a runner that reproduces papers."""

from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from ensvm.classifiers import CLASSIFIERS

__version__ = version("ensvm")

# Functions for notebooks: name -> its module.
STUDIES = {
    "load_data": "ensvm.notebook.loaded_data",
    "load_results": "ensvm.notebook.results",
    "run": "ensvm.notebook.running",
}

__all__ = [*CLASSIFIERS, *STUDIES, "__version__"]


if TYPE_CHECKING:  # what type checkers and editors see of the names below
    from ensvm.classifiers.adaboost import AdaBoost as AdaBoost
    from ensvm.classifiers.boosted_svm import BoostedSVM as BoostedSVM
    from ensvm.classifiers.editing_svc import EditingSVC as EditingSVC
    from ensvm.classifiers.kernel_ridge_classifier import (
        KernelRidgeClassifierCV as KernelRidgeClassifierCV,
    )
    from ensvm.classifiers.leveraged_vector_machine import (
        LeveragedVectorMachine as LeveragedVectorMachine,
    )
    from ensvm.classifiers.linear_smo import LinearSMO as LinearSMO
    from ensvm.classifiers.low_rank_ridge_classifier import (
        LowRankRidgeClassifier as LowRankRidgeClassifier,
    )
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
    from ensvm.classifiers.svm_path import SVMPathClassifier as SVMPathClassifier
    from ensvm.classifiers.tuned_svc import TunedSVC as TunedSVC
    from ensvm.classifiers.weakened_svc import WeakenedSVC as WeakenedSVC
    from ensvm.classifiers.weighted_nu_svc import WeightedNuSVC as WeightedNuSVC
    from ensvm.notebook.loaded_data import load_data as load_data
    from ensvm.notebook.results import load_results as load_results
    from ensvm.notebook.running import run as run
else:

    def __getattr__(name: str) -> Any:
        # All are imported on first use: scikit-learn would triple the start-up time of the command
        # line.
        module = CLASSIFIERS.get(name) or STUDIES.get(name)
        if module is not None:
            globals()[name] = getattr(import_module(module), name)
            return globals()[name]
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
