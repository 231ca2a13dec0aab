"""The algorithms as scikit-learn classifiers, one file a published method.

`CLASSIFIERS` is the one list of public names: `ensvm.__all__`, the lazy imports of `ensvm` and the
names that a config may use derive from it. Nothing is imported by reading it.
"""

CLASSIFIERS: dict[str, str] = {
    "AdaBoost": "ensvm.classifiers.adaboost",
    "BoostedSVM": "ensvm.classifiers.boosted_svm",
    "KernelRidgeClassifierCV": "ensvm.classifiers.kernel_ridge_classifier",
    "LeveragedVectorMachine": "ensvm.classifiers.leveraged_vector_machine",
    "LinearSMO": "ensvm.classifiers.linear_smo",
    "MixedKernelAdaBoost": "ensvm.classifiers.mixed_kernel_adaboost",
    "MixedKernelBagging": "ensvm.classifiers.mixed_kernel_bagging",
    "MultiplicativeUpdateSVC": "ensvm.classifiers.multiplicative_update_svc",
    "PartiallyTrainedEnsemble": "ensvm.classifiers.partially_trained_ensemble",
    "ParzenWindowClassifier": "ensvm.classifiers.parzen_window",
    "Perceptron": "ensvm.classifiers.perceptron",
    "RhoSVC": "ensvm.classifiers.rho_svc",
    "SVMEnsembleClassifier": "ensvm.classifiers.svm_ensemble",
    "SVMPathClassifier": "ensvm.classifiers.svm_path",
    "TunedSVC": "ensvm.classifiers.tuned_svc",
    "WeightedNuSVC": "ensvm.classifiers.weighted_nu_svc",
}
"""Our classifiers: name of the class -> its module."""

EXPERIMENTS: dict[str, str] = {
    "BiasVariance": "ensvm.experiments.bias_variance",
    "DecisionMap": "ensvm.experiments.decision_map",
    "NoisyLabels": "ensvm.experiments.noisy_labels",
    "VarianceComponents": "ensvm.experiments.bias_variance",
}
"""Estimators of `ensvm.experiments`, which a config may name as well."""

BASELINES: dict[str, str] = {
    "LinearSVC": "sklearn.svm",
    "NuSVC": "sklearn.svm",
    "SVC": "sklearn.svm",
}
"""scikit-learn's, which a config may name as shortly."""

ESTIMATORS: dict[str, str] = {
    name: f"{module}:{name}" for name, module in {**CLASSIFIERS, **EXPERIMENTS, **BASELINES}.items()
}
"""Every name that a config may use -> "package.module:Class"."""
