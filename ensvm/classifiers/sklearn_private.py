"""Private names of scikit-learn that classifiers use, in one place: another version may move them.

`ensvm` states the range of each parameter as scikit-learn's own classes do, so that a wrong value
gets the same message.
"""

from sklearn.base import _fit_context as fit_context
from sklearn.utils._metadata_requests import _RoutingNotSupportedMixin as RoutingNotSupportedMixin
from sklearn.utils._param_validation import HasMethods, Interval, RealNotInt, StrOptions
from sklearn.utils.multiclass import _ovr_decision_function as ovr_decision_function
from sklearn.utils.validation import _check_sample_weight as check_sample_weight

__all__ = [
    "HasMethods",
    "Interval",
    "RealNotInt",
    "RoutingNotSupportedMixin",
    "StrOptions",
    "check_sample_weight",
    "fit_context",
    "ovr_decision_function",
]
