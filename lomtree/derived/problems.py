"""What can be wrong with an example once features are derived, and the sentence that says so."""

from lomtree.derived.recipe import MOST_FEATURES

# Numbers beyond those of any source of examples.
TOO_MANY = 101
LARGE_PRODUCT = 102

SENTENCES = {
    TOO_MANY: (
        f"the example has more than {MOST_FEATURES:,} features with those that are derived "
        "(interactions, n-grams)"
    ),
    LARGE_PRODUCT: "the product of features that interact is beyond 3.4e38",
}
