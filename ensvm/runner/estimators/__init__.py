"""From a config's keys to scikit-learn estimators: names, import paths, parameters, nesting."""
