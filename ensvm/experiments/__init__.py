"""Experiments of COMP 6321 around classifiers: bias and variance, wrong labels, decision maps."""

from ensvm.experiments.bias_variance import BiasVariance, VarianceComponents
from ensvm.experiments.decision_map import DecisionMap
from ensvm.experiments.noisy_labels import NoisyLabels

__all__ = ["BiasVariance", "DecisionMap", "NoisyLabels", "VarianceComponents"]
