"""Linear machines: perceptron, sequential minimal optimization, separability."""
