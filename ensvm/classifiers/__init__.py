"""The algorithms as scikit-learn classifiers, one file a published method; `ESTIMATORS` says where."""

ESTIMATORS: dict[str, str] = {
    # ours
    "AdaBoost": "ensvm.classifiers.adaboost:AdaBoost",
    "BiasVariance": "ensvm.classifiers.bias_variance:BiasVariance",
    "BoostedSVM": "ensvm.classifiers.weighted_nu_svm.boosted_svm:BoostedSVM",
    "EditingSVC": "ensvm.classifiers.weighted_nu_svm.editing_svc:EditingSVC",
    "LeveragedVectorMachine": "ensvm.classifiers.leveraged_vector_machine:LeveragedVectorMachine",
    "LinearSMO": "ensvm.classifiers.linear_smo:LinearSMO",
    "MixedKernelAdaBoost": "ensvm.classifiers.mixed_kernels.adaboost:MixedKernelAdaBoost",
    "MixedKernelBagging": "ensvm.classifiers.mixed_kernels.bagging:MixedKernelBagging",
    "MultiplicativeUpdateSVC": "ensvm.classifiers.multiplicative_update_svc:MultiplicativeUpdateSVC",
    "NoisyLabels": "ensvm.classifiers.noisy_labels:NoisyLabels",
    "PartiallyTrainedEnsemble": "ensvm.classifiers.partially_trained_ensemble:PartiallyTrainedEnsemble",
    "ParzenWindowClassifier": "ensvm.classifiers.parzen_window:ParzenWindowClassifier",
    "Perceptron": "ensvm.classifiers.perceptron:Perceptron",
    "RhoSVC": "ensvm.classifiers.rho_svc:RhoSVC",
    "SVMPathClassifier": "ensvm.classifiers.svm_path:SVMPathClassifier",
    "WeakenedSVC": "ensvm.classifiers.weighted_nu_svm.weakened_svc:WeakenedSVC",
    "WeightedNuSVC": "ensvm.classifiers.weighted_nu_svm.weighted_nu_svc:WeightedNuSVC",
    # scikit-learn's baselines
    "LinearSVC": "sklearn.svm:LinearSVC",
    "NuSVC": "sklearn.svm:NuSVC",
    "SVC": "sklearn.svm:SVC",
}
"""Class name -> "package.module:Class", for names in configs; nothing is imported by reading it."""
