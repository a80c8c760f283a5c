"""What is taken from scikit-learn and scipy, and what is said where they are not installed."""

from collections.abc import Callable
from typing import Any, TypeVar

try:
    from scipy.sparse import csr_array, csr_matrix
    from sklearn.base import BaseEstimator, ClassifierMixin
    from sklearn.utils import check_array, check_random_state, column_or_1d
    from sklearn.utils.metaestimators import available_if as _available_if
    from sklearn.utils.multiclass import check_classification_targets
    from sklearn.utils.validation import check_is_fitted, validate_data
except ImportError as error:
    raise ImportError(
        "LomTreeClassifier needs scikit-learn 1.6 or newer: pip install 'lomtree[sklearn]' "
        f"({error})"
    ) from None

__all__ = [
    "BaseEstimator",
    "ClassifierMixin",
    "available_if",
    "check_array",
    "check_classification_targets",
    "check_is_fitted",
    "check_random_state",
    "column_or_1d",
    "csr_array",
    "csr_matrix",
    "validate_data",
]

Method = TypeVar("Method", bound=Callable[..., Any])


def available_if(check: Callable[[Any], bool]) -> Callable[[Method], Method]:
    """scikit-learn's, which says nothing about types."""
    decorator: Callable[[Method], Method] = _available_if(check)
    return decorator
