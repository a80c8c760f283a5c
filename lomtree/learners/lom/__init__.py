"""The LOMtree: Algorithm 1 of the paper (`algorithm1`), batches of examples on their way through it
(`lesson`), what its nodes know of labels (`statistics`), what goes when there is too much of that
(`eviction`), and what is fetched before it is needed (`path_prefetch`).

May import lomtree.learners.tree and lomtree.learners.base; no other algorithm.
"""
