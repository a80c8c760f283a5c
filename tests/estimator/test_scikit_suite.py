"""scikit-learn's own suite of checks for estimators: all of it, with no expected failure."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from lomtree import LomTreeClassifier


@parametrize_with_checks([LomTreeClassifier()])
def test_every_check_of_scikit_learn(estimator, check):
    check(estimator)
