"""A model on its way to a file and back: named arrays with checksums, numbers in few bits, tables
of which many rows are zero, and the state dict that learners fill and check.

May import lomtree.hashing, lomtree.jit and what is below them.
"""
