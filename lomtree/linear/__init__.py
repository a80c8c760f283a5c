"""Linear regressors: where their weights are, and how they learn.

May import lomtree.features and what is below it.
"""
