"""Examples from what Python has in memory: matrices, DataFrames, dicts, lines of text, and labels
of any type.

May import lomtree.model, lomtree.formats and what is below them.
"""
