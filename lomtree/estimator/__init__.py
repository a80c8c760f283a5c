"""The engine in the conventions of scikit-learn, for those who have data in memory: an estimator
over the same learners and the same model files as the command line.

May import everything but lomtree.cli and lomtree.cluster; scikit-learn only through `scikit`.
"""
