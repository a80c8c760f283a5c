"""What learners see of an example's values: scaled, and weighted by how rare a feature is.

May import lomtree.examples and what is below it.
"""
