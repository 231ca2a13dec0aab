"""Boosting: the rounds of AdaBoost over classifiers, over classes, over kernel expansions."""
