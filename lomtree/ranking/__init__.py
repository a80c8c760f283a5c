"""From leaves to labels with probabilities: what a leaf holds, class centroids, and the ranking
itself.

May import lomtree.linear and what is below it.
"""
