"""One-against-all: a regressor for each label.

May import lomtree.learners.base and growing; no other algorithm.
"""
