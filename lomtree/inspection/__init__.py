"""What can be seen of a model: its summary, its tree, the paper's measures, the explanation of one
prediction, pictures. It asks learners through their methods, never for their state.

May import lomtree.model, lomtree.formats and what is below them.
"""
