"""Predictions and how good they are: lines of output, errors, confusions, reliability.

May import lomtree.model, lomtree.formats and what is below them.
"""
