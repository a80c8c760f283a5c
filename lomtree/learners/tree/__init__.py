"""What all trees share: nodes, the check of a loaded tree, the walk, beam search.

May import lomtree.learners.base and growing; no algorithm.
"""
