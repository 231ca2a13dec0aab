"""The algorithms as scikit-learn classifiers, one file a published method; `ESTIMATORS` says where."""

ESTIMATORS: dict[str, str] = {
    # ours
    "LeveragedVectorMachine": "ensvm.classifiers.leveraged_vector_machine:LeveragedVectorMachine",
    "MultiplicativeUpdateSVC": "ensvm.classifiers.multiplicative_update_svc:MultiplicativeUpdateSVC",
    "ParzenWindowClassifier": "ensvm.classifiers.parzen_window:ParzenWindowClassifier",
    "PartiallyTrainedEnsemble": "ensvm.classifiers.partially_trained_ensemble:PartiallyTrainedEnsemble",
    "RhoSVC": "ensvm.classifiers.rho_svc:RhoSVC",
    "SVMPathClassifier": "ensvm.classifiers.svm_path:SVMPathClassifier",
    # scikit-learn's baselines
    "LinearSVC": "sklearn.svm:LinearSVC",
    "NuSVC": "sklearn.svm:NuSVC",
    "SVC": "sklearn.svm:SVC",
}
"""Class name -> "package.module:Class", for names in configs; nothing is imported by reading it."""
