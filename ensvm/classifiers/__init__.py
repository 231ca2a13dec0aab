"""The algorithms as scikit-learn classifiers, one file a published method.

`CLASSIFIERS` is the one list of public names: `ensvm.__all__`, the lazy imports of `ensvm` and the
names that a config may use derive from it. Nothing is imported by reading it.
"""

CLASSIFIERS: dict[str, str] = {
    "AdaBoost": "ensvm.classifiers.adaboost",
    "BiasVariance": "ensvm.classifiers.bias_variance",
    "BoostedSVM": "ensvm.classifiers.weighted_nu_svm.boosted_svm",
    "DecisionMap": "ensvm.classifiers.decision_map",
    "EditingSVC": "ensvm.classifiers.weighted_nu_svm.editing_svc",
    "LeveragedVectorMachine": "ensvm.classifiers.leveraged_vector_machine",
    "LinearSMO": "ensvm.classifiers.linear_smo",
    "LowRankRidgeClassifier": "ensvm.classifiers.low_rank_ridge.low_rank_ridge_classifier",
    "MixedKernelAdaBoost": "ensvm.classifiers.mixed_kernels.adaboost",
    "MixedKernelBagging": "ensvm.classifiers.mixed_kernels.bagging",
    "MultiplicativeUpdateSVC": "ensvm.classifiers.multiplicative_update_svc",
    "NoisyLabels": "ensvm.classifiers.noisy_labels",
    "PartiallyTrainedEnsemble": "ensvm.classifiers.rho_svm.partially_trained_ensemble",
    "ParzenWindowClassifier": "ensvm.classifiers.parzen_window",
    "Perceptron": "ensvm.classifiers.perceptron",
    "RhoSVC": "ensvm.classifiers.rho_svm.rho_svc",
    "SVMPathClassifier": "ensvm.classifiers.svm_path",
    "VarianceComponents": "ensvm.classifiers.variance_components",
    "WeakenedSVC": "ensvm.classifiers.weighted_nu_svm.weakened_svc",
    "WeightedNuSVC": "ensvm.classifiers.weighted_nu_svm.weighted_nu_svc",
}
"""Our classifiers: name of the class -> its module."""

BASELINES: dict[str, str] = {
    "LinearSVC": "sklearn.svm",
    "NuSVC": "sklearn.svm",
    "SVC": "sklearn.svm",
}
"""scikit-learn's, which a config may name as shortly."""

ESTIMATORS: dict[str, str] = {
    name: f"{module}:{name}" for name, module in {**CLASSIFIERS, **BASELINES}.items()
}
"""Every name that a config may use -> "package.module:Class"."""
