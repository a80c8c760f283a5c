"""From what a tree finds to labels with probabilities: lists of labels by feature find more
candidates, centroids, exemplars and regressors of labels compare them, and their signs are
combined.

May import lomtree.linear and what is below it.
"""
