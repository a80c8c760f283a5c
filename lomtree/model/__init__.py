"""A model, and its file.

May import lomtree.learners and what is below it, but not lomtree.formats.
"""
