"""Experiments of COMP 6321 around classifiers: bias and variance, wrong labels, decision maps.

BiasVariance, VarianceComponents    bias and variance of a classifier, by the bootstrap
NoisyLabels                         what wrong training labels do to a classifier
DecisionMap                         what a picture of a classifier's decisions needs
"""

from ensvm.experiments.bias_variance import BiasVariance, VarianceComponents
from ensvm.experiments.decision_map import DecisionMap
from ensvm.experiments.noisy_labels import NoisyLabels

__all__ = ["BiasVariance", "DecisionMap", "NoisyLabels", "VarianceComponents"]
