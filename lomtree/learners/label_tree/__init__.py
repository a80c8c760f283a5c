"""Trees over the labels: the Rtree and the Filter tree.

May import lomtree.learners.tree and lomtree.learners.base; no other algorithm.
"""
