"""What is taken from scikit-learn and scipy, and what is said where they are not installed."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

try:
    from scipy.sparse import csr_array, csr_matrix
    from sklearn.utils import check_array, check_random_state, column_or_1d
    from sklearn.utils.metaestimators import available_if as _available_if
    from sklearn.utils.multiclass import check_classification_targets
    from sklearn.utils.validation import check_is_fitted, validate_data
except ImportError as error:
    raise ImportError(
        "LomTreeClassifier needs scikit-learn 1.6 or newer: pip install 'lomtree[sklearn]' "
        f"({error})"
    ) from None

if TYPE_CHECKING:
    from typing_extensions import Self

    # scikit-learn has no types. These are what its classes give to the estimator.

    class BaseEstimator:
        @classmethod
        def _get_param_names(cls) -> list[str]: ...
        def get_params(self, deep: bool = True) -> dict[str, Any]: ...
        def set_params(self, **params: Any) -> Self: ...
        def __sklearn_tags__(self) -> Any: ...
        def __getstate__(self) -> dict[str, Any]: ...
        def __getattr__(self, name: str) -> Any: ...  # parameters, and what is there after fit()

    class ClassifierMixin:
        def score(self, X: Any, y: Any, sample_weight: Any = None) -> float: ...

else:
    from sklearn.base import BaseEstimator, ClassifierMixin

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
