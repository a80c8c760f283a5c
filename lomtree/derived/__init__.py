"""Features made of other features: interactions, n-grams of words and of characters; and features
left out, by their namespace. What is made, and how it is hashed, is Vowpal Wabbit's.

    recipe         what is to be made, as arrays
    groups         the features of an example by their namespaces, with n-grams
    characters     character n-grams of words
    interactions   products of features of several namespaces
    derivation     batches in, batches with derived features out
    names          what derived features are called

May import lomtree.examples and what is below it. Knows no format of text.
"""
